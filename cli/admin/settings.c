/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the sources in the order of their precedence, the lowest first:
 * defaults, file, environment, options.  Each value is checked when it is read
 * and replaces the value of an earlier source.
 */
#include "cli/admin/settings.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "cli/commands.h"
#include "cli/similar.h"
#include "persistence/store.h"

#define FILE_MAXIMUM ((size_t)1 << 20)

#define WF_SETTING_TYPE(name, expected, is_list, is_switch)                    \
	static const char expected_##name[] = expected;                        \
	enum { list_##name = is_list, switch_##name = is_switch };
#include "cli/admin/setting_types.def"
#undef WF_SETTING_TYPE

static const struct wf_setting table[] = {
#define ROW(key, argument, type, fallback, least, greatest, member, meaning,   \
    is_reloaded)                                                               \
	{ key, argument, wf_setting_##type, expected_##type, list_##type,      \
		switch_##type, is_reloaded, fallback, least, greatest,         \
		offsetof(struct wf_settings, member),                          \
		sizeof(((struct wf_settings *)NULL)->member), meaning },
#define WF_SETTING(...) ROW(__VA_ARGS__, false)
#define WF_RELOADED_SETTING(...) ROW(__VA_ARGS__, true)
#include "cli/admin/settings.def"
#undef WF_SETTING
#undef ROW
};

#define COUNT (sizeof(table) / sizeof(table[0]))

/* The values read so far, and where each is from. */
struct reading {
	struct wf_settings *settings;
	const char *texts[COUNT];
	const char *origins[COUNT];
	bool given[COUNT]; /* by the source that is being read */
	struct wf_error *err;
};

/* --- keys ----------------------------------------------------------------- */

static enum wf_rc fail_unknown(const char *key, struct wf_error *err)
{
	struct wf_similar similar = { .word = key };
	const char *meant;

	for (size_t i = 0; i < COUNT; i++)
		wf_similar_try(&similar, table[i].key);
	meant = wf_similar_found(&similar);
	if (meant != NULL)
		return wf_fail(err, WF_INVALID,
		    "there is no setting %.60s; is %s meant?", key, meant);
	return wf_fail(err, WF_INVALID, "there is no setting %.60s", key);
}

/* The index of the key in the table; COUNT when there is none. */
static size_t find(const char *key, size_t length)
{
	size_t i = 0;

	while (i < COUNT && (strlen(table[i].key) != length ||
				strncmp(table[i].key, key, length) != 0))
		i++;
	return i;
}

/* --- one setting ---------------------------------------------------------- */

static enum wf_rc refuse(
    const struct wf_setting *setting, const char *text, struct wf_error *err)
{
	char range[80] = "";

	if (setting->greatest > 0)
		snprintf(range, sizeof(range), " from %llu to %llu%s",
		    (unsigned long long)setting->least,
		    (unsigned long long)setting->greatest,
		    setting->read == wf_setting_SECONDS ? " seconds" : "");
	return wf_fail(err, WF_INVALID, "%s: expected %s%s, not \"%.100s\"",
	    setting->key, setting->expected, range, text);
}

/* Takes a value; origin is shown by --show-config. */
static enum wf_rc take(
    struct reading *reading, size_t i, const char *text, const char *origin)
{
	const struct wf_setting *setting = &table[i];
	struct wf_settings *settings = reading->settings;

	if (reading->given[i] && !setting->is_list)
		return wf_fail(
		    reading->err, WF_INVALID, "%s is said twice", setting->key);
	if (!setting->read(setting, text, settings->arena,
		(char *)settings + setting->offset))
		return refuse(setting, text, reading->err);
	if (!reading->given[i]) {
		reading->texts[i] = text;
		reading->origins[i] = origin;
		reading->given[i] = true;
		return WF_OK;
	}
	reading->texts[i] =
	    wf_arena_printf(settings->arena, "%s %s", reading->texts[i], text);
	(void)setting->read(setting, reading->texts[i], settings->arena,
	    (char *)settings + setting->offset);
	return WF_OK;
}

static void begin_source(struct reading *reading)
{
	memset(reading->given, 0, sizeof(reading->given));
}

/* --- sources -------------------------------------------------------------- */

static enum wf_rc take_defaults(struct reading *reading)
{
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < COUNT; i++)
		rc = take(reading, i, table[i].fallback, "default");
	return rc;
}

/* Removes blanks at both ends. */
static char *trim(char *text)
{
	char *end;

	text += strspn(text, " \t\r");
	end = text + strlen(text);
	while (end > text && strchr(" \t\r", end[-1]) != NULL)
		end--;
	*end = '\0';
	return text;
}

/* A comment begins with # at the start of a line or after a blank. */
static void cut_comment(char *line)
{
	for (char *at = line; *at != '\0'; at++)
		if (*at == '#' && (at == line || strchr(" \t", at[-1]))) {
			*at = '\0';
			return;
		}
}

/* Takes a line "key = value", or an empty one. */
static enum wf_rc take_line(
    struct reading *reading, char *line, const char *path, int number)
{
	struct wf_arena *arena = reading->settings->arena;
	char *equals;
	char *key;
	size_t i;

	cut_comment(line);
	key = trim(line);
	if (*key == '\0')
		return WF_OK;
	equals = strchr(key, '=');
	if (equals == NULL)
		return wf_fail(reading->err, WF_INVALID,
		    "expected KEY = VALUE, not \"%.100s\"", key);
	*equals = '\0';
	key = trim(key);
	i = find(key, strlen(key));
	if (i == COUNT)
		return fail_unknown(key, reading->err);
	return take(reading, i, wf_arena_strdup(arena, trim(equals + 1)),
	    wf_arena_printf(arena, "%s:%d", path, number));
}

/* A pipe may block, and has nothing when SIGHUP reads the file again. */
static enum wf_rc read_text(
    const char *path, struct wf_buffer *text, struct wf_error *err)
{
	struct stat status;

	if (stat(path, &status) == 0 && S_ISFIFO(status.st_mode))
		return wf_fail(err, WF_INVALID,
		    "%.200s: expected a file, not a pipe", path);
	return wf_buffer_read_file(text, path, err);
}

static enum wf_rc take_file(struct reading *reading, const char *path)
{
	struct wf_error *err = reading->err;
	struct wf_buffer text;
	char *line;
	int number = 0;
	enum wf_rc rc;

	begin_source(reading);
	wf_buffer_init(&text, FILE_MAXIMUM);
	rc = read_text(path, &text, err);
	if (rc == WF_OK && strlen(wf_buffer_text(&text)) != text.length)
		rc = wf_fail(err, WF_INVALID, "%.200s: this is no text", path);
	line = wf_strdup(wf_buffer_text(&text));
	if (strncmp(line, "\xef\xbb\xbf", 3) == 0)
		memcpy(line, "   ", 3); /* a byte order mark */
	for (char *rest = line, *at; rc == WF_OK && rest != NULL;) {
		at = strsep(&rest, "\n");
		rc = take_line(reading, at, path, ++number);
		if (rc != WF_OK) {
			snprintf(err->place.file, sizeof(err->place.file), "%s",
			    path);
			err->place.line = number;
		}
	}
	wf_free(line);
	wf_buffer_free(&text);
	return rc;
}

/* The variable of "log-level" is WEFT_LOG_LEVEL. */
static void name_variable(const char *key, char name[64])
{
	size_t length = (size_t)snprintf(name, 64, "WEFT_%s", key);

	for (size_t i = 5; i < length; i++)
		name[i] =
		    (char)(name[i] == '-' ? '_'
					  : toupper((unsigned char)name[i]));
}

/* An empty variable counts as one that is not set. */
static enum wf_rc take_environment(struct reading *reading)
{
	enum wf_rc rc = WF_OK;

	begin_source(reading);
	for (size_t i = 0; rc == WF_OK && i < COUNT; i++) {
		struct wf_arena *arena = reading->settings->arena;
		const char *text;
		char name[64];

		name_variable(table[i].key, name);
		text = getenv(name);
		if (text == NULL || *text == '\0')
			continue;
		rc = take(reading, i, wf_arena_strdup(arena, text),
		    wf_arena_strdup(arena, name));
		if (rc != WF_OK)
			wf_error_prefix(reading->err, "%s", name);
	}
	return rc;
}

/* --- options -------------------------------------------------------------- */

struct option {
	const char *key; /* without the dashes; no NUL behind it */
	size_t length;
	const char *value; /* NULL: none */
};

static bool is_called(const struct option *option, const char *name)
{
	return strlen(name) == option->length &&
	       strncmp(option->key, name, option->length) == 0;
}

/* Reads argv[*at], and its value from the next word if it has one there. */
static enum wf_rc next_option(
    int argc, char **argv, int *at, struct option *option, struct wf_error *err)
{
	const char *word = argv[(*at)++];
	size_t i;

	option->key = word + 2;
	option->length = strcspn(option->key, "=");
	option->value = NULL;
	if (strncmp(word, "--", 2) != 0)
		return wf_fail(err, WF_INVALID, "unexpected \"%.100s\"", word);
	i = find(option->key, option->length);
	if (option->key[option->length] == '=')
		option->value = option->key + option->length + 1;
	else if (i < COUNT && table[i].is_switch)
		option->value = "yes";
	else if (!is_called(option, "show-config") && *at < argc)
		option->value = argv[(*at)++];
	return WF_OK;
}

static enum wf_rc take_option(
    struct reading *reading, const struct option *option)
{
	size_t i = find(option->key, option->length);

	if (i == COUNT)
		return fail_unknown(wf_arena_strndup(reading->settings->arena,
					option->key, option->length),
		    reading->err);
	if (option->value == NULL)
		return wf_fail(reading->err, WF_INVALID, "--%s needs a value",
		    table[i].key);
	return take(reading, i, option->value, "option");
}

static enum wf_rc take_options(struct reading *reading, int argc, char **argv)
{
	enum wf_rc rc = WF_OK;

	begin_source(reading);
	for (int at = 1; rc == WF_OK && at < argc;) {
		struct option option;

		rc = next_option(argc, argv, &at, &option, reading->err);
		if (rc == WF_OK && !is_called(&option, "config") &&
		    !is_called(&option, "show-config"))
			rc = take_option(reading, &option);
	}
	return rc;
}

/* Reads --config and --show-config, which are no settings; skips others. */
static enum wf_rc read_first(struct wf_settings *settings, int argc,
    char **argv, const char **path_out, struct wf_error *err)
{
	const char *path = getenv("WEFT_CONFIG");

	*path_out = path == NULL || *path == '\0' ? NULL : path;
	for (int at = 1; at < argc;) {
		struct option option;

		if (next_option(argc, argv, &at, &option, NULL) != WF_OK)
			break;
		if (is_called(&option, "show-config"))
			settings->show = true;
		if (!is_called(&option, "config"))
			continue;
		if (option.value == NULL)
			return wf_fail(
			    err, WF_INVALID, "--config needs a value");
		*path_out = option.value;
	}
	return WF_OK;
}

/* --- all of them ---------------------------------------------------------- */

/* The value without its password, unless it is the default. */
static char *shown(const struct reading *reading, size_t i)
{
	char *text = wf_store_url_shown(reading->texts[i]);

	if (strcmp(table[i].argument, "URL#PASSWORD") == 0 &&
	    reading->texts[i] != table[i].fallback)
		text[strcspn(text, "#")] = '\0';
	return text;
}

/* Prints all settings in the format of the file. */
static void show(const struct reading *reading)
{
	for (size_t i = 0; i < COUNT; i++) {
		char *text = shown(reading, i);
		int length = printf("%s = %s", table[i].key, text);

		printf("%*s # %s\n", length < 40 ? 40 - length : 0, "",
		    reading->origins[i]);
		wf_free(text);
	}
}

/* The same for a server, which shows them. */
static void keep_shown(const struct reading *reading)
{
	struct wf_settings *settings = reading->settings;

	settings->shown =
	    wf_arena_array(settings->arena, COUNT, sizeof(*settings->shown));
	for (size_t i = 0; i < COUNT; i++) {
		struct wf_setting_shown *row = &settings->shown[i];
		char *text = shown(reading, i);

		row->key = table[i].key;
		row->meaning = table[i].meaning;
		row->is_reloaded = table[i].is_reloaded;
		atomic_init(
		    &row->value, wf_arena_strdup(settings->arena, text));
		atomic_init(&row->source, reading->origins[i]);
		wf_free(text);
	}
	settings->server.shown = settings->shown;
	settings->server.shown_count = COUNT;
}

/* Whose items those are that name no service can be said only once. */
static enum wf_rc check_worklist(const struct reading *reading)
{
	size_t i = find("default-worklist", strlen("default-worklist"));

	return !reading->settings->server.people ||
		       strcmp(reading->texts[i], table[i].fallback) == 0
		   ? WF_OK
		   : wf_fail(reading->err, WF_INVALID,
			 "people and default-worklist exclude each other: "
			 "items that name no service are for people, or for "
			 "that service");
}

/* A clock that is moved must not leave its times in a store. */
static enum wf_rc choose_test_store(struct reading *reading)
{
	size_t i = find("db", strlen("db"));

	if (!reading->settings->server.test)
		return WF_OK;
	if (strcmp(reading->origins[i], "default") == 0) {
		reading->texts[i] = "memory:";
		reading->origins[i] = "test";
		reading->settings->server.engine.url = reading->texts[i];
	}
	return strncmp(reading->texts[i], "memory:", 7) == 0
		   ? WF_OK
		   : wf_fail(reading->err, WF_INVALID,
			 "test: the clock can be moved, so the store must be "
			 "one in memory: db = memory:NAME");
}

/* Derives what depends on several settings. */
static void finish(struct wf_settings *settings)
{
	struct wf_engine_settings *engine = &settings->server.engine;

	engine->calendar =
	    wf_calendar_of_days(settings->arena, settings->holidays.days,
		settings->holidays.count, engine->timezone);
	engine->limits = &settings->limits;
	if (settings->unsafe)
		engine->flags |= WF_STORE_UNSAFE;
}

enum wf_rc wf_settings_read(
    struct wf_settings *settings, int argc, char **argv, struct wf_error *err)
{
	struct reading reading = { .settings = settings, .err = err };
	const char *path;
	enum wf_rc rc;

	memset(settings, 0, sizeof(*settings));
	settings->arena = wf_arena_new();
	wf_server_settings_init(&settings->server);
	wf_yawl_settings_init(&settings->yawl);
	settings->texts =
	    wf_arena_array(settings->arena, COUNT, sizeof(*settings->texts));
	settings->is_usage = true;
	rc = read_first(settings, argc, argv, &path, err);
	if (rc == WF_OK)
		rc = take_defaults(&reading);
	settings->is_usage = rc != WF_OK;
	if (rc == WF_OK && path == NULL && access(WF_SETTINGS_FILE, F_OK) == 0)
		path = WF_SETTINGS_FILE;
	if (rc == WF_OK && path != NULL)
		rc = take_file(&reading, path);
	if (rc == WF_OK)
		rc = take_environment(&reading);
	if (rc == WF_OK) {
		rc = take_options(&reading, argc, argv);
		settings->is_usage = rc != WF_OK;
	}
	if (rc == WF_OK)
		rc = check_worklist(&reading);
	memcpy(settings->texts, reading.texts, sizeof(reading.texts));
	if (rc == WF_OK)
		rc = choose_test_store(&reading);
	if (rc == WF_OK) {
		finish(settings);
		keep_shown(&reading);
	}
	if (rc == WF_OK && settings->show)
		show(&reading);
	return rc;
}

/* --- reading them again --------------------------------------------------- */

static void add_key(struct wf_buffer *keys, const char *key)
{
	wf_buffer_puts(keys, keys->length > 0 ? " " : "");
	wf_buffer_puts(keys, key);
}

static void merge(struct wf_settings *to, const struct wf_settings *from,
    const struct wf_setting *setting)
{
	memcpy((char *)to + setting->offset,
	    (const char *)from + setting->offset, setting->size);
}

/* The texts of the settings that were read again are freed. */
static void merge_shown(
    struct wf_settings *used, const struct wf_settings *fresh, size_t i)
{
	atomic_store(&used->shown[i].value,
	    wf_arena_strdup(used->arena, atomic_load(&fresh->shown[i].value)));
	atomic_store(&used->shown[i].source,
	    wf_arena_strdup(used->arena, atomic_load(&fresh->shown[i].source)));
}

void wf_settings_merge(struct wf_settings *used, struct wf_settings *fresh,
    struct wf_settings_changes *changes)
{
	for (size_t i = 0; i < COUNT; i++) {
		const struct wf_setting *setting = &table[i];
		bool is_changed = strcmp(used->texts[i], fresh->texts[i]) != 0;

		if (is_changed)
			add_key(setting->is_reloaded ? &changes->reloaded
						     : &changes->kept,
			    setting->key);
		if (!setting->is_reloaded) {
			merge(fresh, used, setting);
		} else if (is_changed) {
			merge(used, fresh, setting);
			used->texts[i] =
			    wf_arena_strdup(used->arena, fresh->texts[i]);
			merge_shown(used, fresh, i);
		}
	}
}

void wf_settings_free(struct wf_settings *settings)
{
	wf_arena_free(&settings->arena);
}
