/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the value of a setting, one function for each type. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/admin/settings.h"
#include "cli/duration.h"
#include "data/calendar/calendar.h"

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit sizes[] = {
	{ "", 1 },
	{ "K", UINT64_C(1) << 10 },
	{ "M", UINT64_C(1) << 20 },
	{ "G", UINT64_C(1) << 30 },
	{ NULL, 0 },
};

static const struct unit milliseconds[] = { { "ms", 1 }, { NULL, 0 } };
static const struct unit ones[] = { { "", 1 }, { NULL, 0 } };

/* A whole number with one of these units. */
static bool read_number(
    const char *text, const struct unit *units, uint64_t *number_out)
{
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || errno != 0)
		return false;
	while (units->name != NULL && strcmp(units->name, end) != 0)
		units++;
	if (units->name == NULL || number > UINT64_MAX / units->factor)
		return false;
	*number_out = number * units->factor;
	return true;
}

static bool read_duration(const char *text, uint64_t *milliseconds_out)
{
	int64_t duration;

	if (read_number(text, milliseconds, milliseconds_out))
		return true;
	if (!wf_cli_duration(text, &duration))
		return false;
	*milliseconds_out = (uint64_t)duration;
	return true;
}

/* A number of 4 or 8 bytes, of either sign. */
static bool put_number(
    const struct wf_setting *setting, uint64_t number, void *out)
{
	uint32_t narrow = (uint32_t)number;

	if (number < setting->least || number > INT64_MAX ||
	    (setting->greatest > 0 && number > setting->greatest))
		return false;
	if (setting->size == sizeof(narrow))
		memcpy(out, &narrow, sizeof(narrow));
	else
		memcpy(out, &number, sizeof(number));
	return true;
}

bool wf_setting_COUNT(const struct wf_setting *setting, const char *text,
    struct wf_arena *arena, void *out)
{
	uint64_t number;

	(void)arena;
	return read_number(text, ones, &number) &&
	       put_number(setting, number, out);
}

/* Digits, and a point with digits behind it. */
bool wf_setting_RATIO(const struct wf_setting *setting, const char *text,
    struct wf_arena *arena, void *out)
{
	static const char digits[] = "0123456789";
	size_t whole = strspn(text, digits);
	size_t length = whole;
	double ratio = 0;
	double weight = 1;

	(void)setting;
	(void)arena;
	if (text[length] == '.')
		length += 1 + strspn(text + length + 1, digits);
	if (whole == 0 || length == whole + 1 || text[length] != '\0')
		return false;
	for (size_t i = 0; i < whole && ratio <= 1; i++)
		ratio = ratio * 10 + (text[i] - '0');
	for (size_t i = whole + 1; i < length; i++)
		ratio += (text[i] - '0') * (weight /= 10);
	memcpy(out, &ratio, sizeof(ratio));
	return ratio <= 1;
}

bool wf_setting_SIZE(const struct wf_setting *setting, const char *text,
    struct wf_arena *arena, void *out)
{
	uint64_t number;

	(void)arena;
	return read_number(text, sizes, &number) &&
	       put_number(setting, number, out);
}

bool wf_setting_MILLISECONDS(const struct wf_setting *setting, const char *text,
    struct wf_arena *arena, void *out)
{
	uint64_t number;

	(void)arena;
	return read_duration(text, &number) && put_number(setting, number, out);
}

bool wf_setting_SECONDS(const struct wf_setting *setting, const char *text,
    struct wf_arena *arena, void *out)
{
	uint64_t number;

	(void)arena;
	return read_duration(text, &number) && number % 1000 == 0 &&
	       put_number(setting, number / 1000, out);
}

bool wf_setting_SWITCH(const struct wf_setting *setting, const char *text,
    struct wf_arena *arena, void *out)
{
	(void)setting;
	(void)arena;
	*(bool *)out = strcmp(text, "yes") == 0;
	return *(bool *)out || strcmp(text, "no") == 0;
}

bool wf_setting_TEXT(const struct wf_setting *setting, const char *text,
    struct wf_arena *arena, void *out)
{
	(void)setting;
	*(const char **)out = wf_arena_strdup(arena, text);
	return true;
}

/* A path begins with "/" and does not end with it. */
bool wf_setting_PATH(const struct wf_setting *setting, const char *text,
    struct wf_arena *arena, void *out)
{
	size_t length = strlen(text);

	return length > 1 && text[0] == '/' && text[length - 1] != '/' &&
	       strpbrk(text, "?# %") == NULL &&
	       wf_setting_TEXT(setting, text, arena, out);
}

bool wf_setting_LEVEL(const struct wf_setting *setting, const char *text,
    struct wf_arena *arena, void *out)
{
	(void)setting;
	(void)arena;
	return wf_log_level_find(text, out);
}

/* HOST:PORT, [HOST]:PORT or PORT. */
bool wf_setting_ADDRESS(const struct wf_setting *setting, const char *text,
    struct wf_arena *arena, void *out)
{
	struct wf_http_settings *http = out;
	const char *colon = strrchr(text, ':');
	uint64_t port;

	(void)setting;
	if (!read_number(colon == NULL ? text : colon + 1, ones, &port) ||
	    port > UINT16_MAX || colon == text)
		return false;
	http->port = (uint16_t)port;
	if (colon == NULL)
		http->address = "127.0.0.1";
	else if (text[0] == '[' && colon[-1] == ']')
		http->address = wf_arena_strndup(
		    arena, text + 1, (size_t)(colon - text) - 2);
	else
		http->address =
		    wf_arena_strndup(arena, text, (size_t)(colon - text));
	return true;
}

/* "+01:00": minutes east. */
bool wf_setting_ZONE(const struct wf_setting *setting, const char *text,
    struct wf_arena *arena, void *out)
{
	int32_t minutes = 0;
	bool east = text[0] == '+';

	(void)setting;
	(void)arena;
	if (strcmp(text, "Z") != 0) {
		if ((!east && text[0] != '-') || strlen(text) != 6 ||
		    strspn(text + 1, "0123456789") != 2 || text[3] != ':' ||
		    strspn(text + 4, "0123456789") != 2)
			return false;
		minutes = atoi(text + 1) * 60 + atoi(text + 4);
		if (minutes > 14 * 60 || atoi(text + 4) > 59)
			return false;
	}
	*(int32_t *)out = east ? minutes : -minutes;
	return true;
}

bool wf_setting_DAYS(const struct wf_setting *setting, const char *text,
    struct wf_arena *arena, void *out)
{
	int32_t *days = wf_arena_array(arena, strlen(text) + 1, sizeof(*days));
	struct wf_holidays *holidays = out;
	size_t count = 0;

	(void)setting;
	while (*(text += strspn(text, " \t,")) != '\0') {
		size_t length = strcspn(text, " \t,");

		if (!wf_calendar_day(text, length, &days[count++]))
			return false;
		text += length;
	}
	*holidays = (struct wf_holidays){ days, count };
	return true;
}

bool wf_setting_RANGES(const struct wf_setting *setting, const char *text,
    struct wf_arena *arena, void *out)
{
	struct wf_address_ranges *ranges = out;

	(void)setting;
	ranges->count = 0;
	while (*(text += strspn(text, " \t,")) != '\0') {
		size_t length = strcspn(text, " \t,");

		if (ranges->count == WF_ADDRESS_RANGES ||
		    !wf_address_parse(wf_arena_strndup(arena, text, length),
			&ranges->rows[ranges->count++]))
			return false;
		text += length;
	}
	return true;
}

bool wf_setting_GROUPS(const struct wf_setting *setting, const char *text,
    struct wf_arena *arena, void *out)
{
	(void)setting;
	return wf_group_map_read(text, arena, out);
}

/* Paths from the root, with blanks or commas between. */
bool wf_setting_PROGRAMS(const struct wf_setting *setting, const char *text,
    struct wf_arena *arena, void *out)
{
	for (const char *at = text; *(at += strspn(at, " \t,")) != '\0';
	     at += strcspn(at, " \t,"))
		if (at[0] != '/')
			return false;
	return wf_setting_TEXT(setting, text, arena, out);
}

/* SCHEME://HOST or SCHEME://HOST:PORT, as browsers send it; or "*". */
static bool is_origin(const char *text)
{
	const char *host = strstr(text, "://");

	if (strcmp(text, "*") == 0)
		return true;
	return host != NULL && host != text && host[3] != '\0' &&
	       strpbrk(host + 3, "/?#@*") == NULL &&
	       text[strcspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '\0';
}

/* Separated by one blank; "*" stands alone. */
bool wf_setting_ORIGINS(const struct wf_setting *setting, const char *text,
    struct wf_arena *arena, void *out)
{
	const char *origins = "";

	(void)setting;
	while (*(text += strspn(text, " \t,")) != '\0') {
		size_t length = strcspn(text, " \t,");
		const char *origin = wf_arena_strndup(arena, text, length);

		if (!is_origin(origin) || strcmp(origins, "*") == 0 ||
		    (*origins != '\0' && strcmp(origin, "*") == 0))
			return false;
		origins = wf_arena_printf(arena, "%s%s%s", origins,
		    *origins == '\0' ? "" : " ", origin);
		text += length;
	}
	*(const char **)out = origins;
	return true;
}
