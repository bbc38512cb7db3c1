/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft db: creates, migrates, inspects, checks, copies and cleans up a store.
 * It works on the store itself.  A file of SQLite can be open in one process
 * at a time, except for a backup.
 */
#include "cli/admin/db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/panic.h"
#include "cli/commands.h"
#include "cli/duration.h"
#include "cli/json_text.h"
#include "cli/options.h"
#include "data/json_fields.h"
#include "persistence/nodes.h"

#define DEFAULT_URL "sqlite:weft.db"

const char *wf_db_url(const char *given)
{
	const char *url = given != NULL ? given : getenv("WEFT_DB");

	return url == NULL || url[0] == '\0' ? DEFAULT_URL : url;
}

int64_t wf_db_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* --- init, migrate, show -------------------------------------------------- */

static int make(const struct wf_db_options *options)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	int exit_code = WF_EXIT_DONE;

	if (wf_store_open(&store, options->url,
		options->flags | WF_STORE_CREATE, &err) != WF_OK)
		return wf_cli_report(&err);
	if (wf_store_version_found(store) != 0) {
		wf_fail(&err, WF_CONFLICT,
		    "%.200s is a store already: identity %s, version %u",
		    wf_store_url(store), wf_store_identity(store),
		    wf_store_version(store));
		exit_code = wf_cli_report(&err);
	} else {
		printf("%s is made: identity %s, version %u\n",
		    wf_store_url(store), wf_store_identity(store),
		    wf_store_version(store));
	}
	wf_store_close(&store);
	return exit_code;
}

static void say_migrated(
    const struct wf_store *store, bool is_finished, bool finishes)
{
	if (wf_store_version_found(store) != wf_store_version(store))
		printf("%s is brought from version %u to version %u\n",
		    wf_store_url(store), wf_store_version_found(store),
		    wf_store_version(store));
	else if (is_finished)
		printf("%s has version %u: there is nothing to do\n",
		    wf_store_url(store), wf_store_version(store));
	if (!is_finished && !finishes)
		printf("when all nodes have the new program: weft db migrate "
		       "--finish\n");
}

static int migrate(const struct wf_db_options *options)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	uint32_t before = 0;
	enum wf_rc rc = wf_store_open(
	    &store, options->url, options->flags | WF_STORE_MIGRATE, &err);

	if (rc == WF_OK)
		rc = wf_store_finished_version(store, &before, &err);
	if (rc == WF_OK)
		say_migrated(
		    store, before == wf_store_version(store), options->finish);
	/* If it lives, it writes its record again. */
	if (rc == WF_OK && options->without != 0)
		rc = wf_store_remove_node(store, options->without, &err);
	if (rc == WF_OK && options->finish)
		rc = wf_store_finish(store, wf_db_now(), &err);
	if (rc == WF_OK && options->finish && before < wf_store_version(store))
		printf("%s is finished: all nodes may write version %u\n",
		    wf_store_url(store), wf_store_version(store));
	wf_store_close(&store);
	return rc == WF_OK ? WF_EXIT_DONE : wf_cli_report(&err);
}

struct fact {
	const char *label;
	const char *name; /* in JSON */
	uint64_t number;
};

/* What show prints beside the counts. */
struct shown {
	const struct wf_store *store;
	uint32_t finished;
	struct wf_node_list nodes;
};

static json_t *nodes_json(const struct wf_node_list *nodes)
{
	json_t *array = json_array();

	for (size_t i = 0; i < nodes->count; i++) {
		const struct wf_node *node = &nodes->rows[i];
		json_t *json = json_object();

		json_object_set_new(
		    json, "node", json_integer((json_int_t)node->number));
		json_object_set_new(json, "host", wf_json_text(node->host));
		json_object_set_new(
		    json, "program", wf_json_text(node->program));
		json_object_set_new(
		    json, "version", json_integer(node->version));
		wf_json_put_time(json, "seen", node->seen_at);
		json_array_append_new(array, json);
	}
	return array;
}

static void print_facts_json(
    const struct shown *shown, const struct fact *facts, size_t count)
{
	const struct wf_store *store = shown->store;
	json_t *json = json_object();

	json_object_set_new(json, "store", wf_json_text(wf_store_url(store)));
	json_object_set_new(
	    json, "identity", wf_json_text(wf_store_identity(store)));
	json_object_set_new(
	    json, "version", json_integer(wf_store_version(store)));
	json_object_set_new(json, "finished", json_integer(shown->finished));
	for (size_t i = 0; i < count; i++)
		json_object_set_new(json, facts[i].name,
		    json_integer((json_int_t)facts[i].number));
	json_object_set_new(json, "nodes", nodes_json(&shown->nodes));
	wf_json_print(json, 0);
	putchar('\n');
}

static void print_facts(
    const struct shown *shown, const struct fact *facts, size_t count)
{
	const struct wf_store *store = shown->store;

	printf("%-18s%s\n", "store", wf_store_url(store));
	printf("%-18s%s\n", "identity", wf_store_identity(store));
	printf("%-18s%u%s\n", "version", wf_store_version(store),
	    shown->finished < wf_store_version(store) ? ", not finished" : "");
	for (size_t i = 0; i < count; i++)
		printf("%-18s%llu\n", facts[i].label,
		    (unsigned long long)facts[i].number);
	for (size_t i = 0; i < shown->nodes.count; i++) {
		const struct wf_node *node = &shown->nodes.rows[i];

		printf("%-18s%llu: %s, Weft %s, version %u, seen %lld s ago\n",
		    "node", (unsigned long long)node->number, node->host,
		    node->program, node->version,
		    (long long)(wf_db_now() - node->seen_at) / 1000);
	}
}

static int show(const struct wf_db_options *options)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_arena *arena = wf_arena_new();
	struct wf_store_facts facts;
	struct shown shown = { 0 };
	struct wf_store *store;
	enum wf_rc rc =
	    wf_store_open(&store, options->url, options->flags, &err);

	shown.store = store;
	if (rc == WF_OK)
		rc = wf_store_facts(store, &facts, &err);
	if (rc == WF_OK)
		rc = wf_store_finished_version(store, &shown.finished, &err);
	if (rc == WF_OK)
		rc = wf_store_nodes(
		    store, wf_db_now(), arena, &shown.nodes, &err);
	if (rc == WF_OK) {
		const struct fact rows[] = {
			{ "specifications", "specifications",
			    facts.specifications },
			{ "cases live", "live", facts.live },
			{ "cases quarantined", "setAside", facts.set_aside },
			{ "cases ended", "ended", facts.ended },
			{ "incidents", "incidents", facts.incidents },
			{ "bytes", "bytes", facts.bytes },
			{ "bytes spare", "spareBytes", facts.spare },
		};
		size_t count = sizeof rows / sizeof rows[0];

		(options->json ? print_facts_json : print_facts)(
		    &shown, rows, count);
	}
	wf_store_close(&store);
	wf_arena_free(&arena);
	return rc == WF_OK ? WF_EXIT_DONE : wf_cli_report(&err);
}

/* A server may have the store open. */
static int back_up(const struct wf_db_options *options)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc = wf_store_open(
	    &store, options->url, options->flags | WF_STORE_BESIDE, &err);

	if (rc == WF_OK)
		rc = wf_store_backup(store, options->file, &err);
	if (rc == WF_OK && !options->quiet)
		printf("%s is copied to %s: identity %s, version %u\n",
		    wf_store_url(store), options->file,
		    wf_store_identity(store), wf_store_version(store));
	wf_store_close(&store);
	return rc == WF_OK ? WF_EXIT_DONE : wf_cli_report(&err);
}

/* --- the command line ----------------------------------------------------- */

static const struct action {
	const char *name;
	bool needs_file;
	int (*run)(const struct wf_db_options *options);
} actions[] = {
	{ "init", false, make },
	{ "migrate", false, migrate },
	{ "show", false, show },
	{ "check", false, wf_db_check },
	{ "backup", true, back_up },
	{ "retire", false, wf_db_retire },
};

/* The parsed command line. */
struct call {
	const struct action *action;
	const struct wf_cli_row *verb;
	struct wf_db_options options;
};

static const struct action *find_action(const char *name)
{
	for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
		if (strcmp(actions[i].name, name) == 0)
			return &actions[i];
	return NULL;
}

/* Reads a day or a date with a time, in UTC. */
static bool parse_date(const char *text, int64_t *time_out)
{
	struct tm parts = { 0 };
	const char *rest = strptime(text, "%Y-%m-%d", &parts);
	int day;

	if (rest != NULL && *rest == 'T')
		rest = strptime(rest, "T%H:%M:%SZ", &parts);
	day = parts.tm_mday;
	*time_out = (int64_t)timegm(&parts) * 1000;
	/* timegm() takes February 30 for March 2. */
	return rest != NULL && *rest == '\0' && parts.tm_mday == day;
}

static int parse_before(
    struct wf_db_options *options, bool is_age, const char *value)
{
	int64_t age = 0;

	if (options->has_before)
		return wf_cli_usage("db", "--before or --older-than, and once");
	options->has_before = true;
	if (is_age && !wf_cli_duration(value, &age))
		return wf_cli_usage("db",
		    "--older-than: expected a duration such as 12h, 90d or "
		    "P90D, not \"%s\"",
		    value);
	options->before = wf_db_now() - age;
	if (!is_age && !parse_date(value, &options->before))
		return wf_cli_usage("db",
		    "--before: expected a day such as 2026-01-31, or "
		    "2026-01-31T12:00:00Z, not \"%s\"",
		    value);
	if (options->before > wf_db_now())
		return wf_cli_usage("db",
		    "--before: %s is in the future: it would retire every "
		    "ended case",
		    value);
	return WF_EXIT_DONE;
}

static int parse_node(struct wf_db_options *options, const char *text)
{
	char *end;

	options->without = strtoull(text, &end, 10);
	if (options->without == 0 || *end != '\0' || *text == '-')
		return wf_cli_usage("db",
		    "--without: \"%s\": expected the number of a node, as weft "
		    "db show prints it",
		    text);
	return WF_EXIT_DONE;
}

static int take_option(
    void *context, const struct wf_cli_row *option, const char *value)
{
	struct call *call = context;
	struct wf_db_options *options = &call->options;

	if (!wf_cli_takes(call->verb, option->name))
		return wf_cli_usage("db", "weft db %s takes no --%s",
		    call->action->name, option->name);
	switch (option->option) {
	case WF_OPTION_DB_DB:
		options->url = value;
		break;
	case WF_OPTION_DB_BEFORE:
		return parse_before(options, false, value);
	case WF_OPTION_DB_OLDER_THAN:
		return parse_before(options, true, value);
	case WF_OPTION_DB_WITHOUT:
		return parse_node(options, value);
	case WF_OPTION_DB_UNSAFE:
		options->flags |= WF_STORE_UNSAFE;
		break;
	default:
		options->json |= option->option == WF_OPTION_DB_JSON;
		options->quiet |= option->option == WF_OPTION_DB_QUIET;
		options->set_aside |= option->option == WF_OPTION_DB_SET_ASIDE;
		options->dry_run |= option->option == WF_OPTION_DB_DRY_RUN;
		options->finish |= option->option == WF_OPTION_DB_FINISH;
	}
	return WF_EXIT_DONE;
}

static int parse_options(struct call *call, int argc, char **argv)
{
	const struct action *action = call->action;
	struct wf_db_options *options = &call->options;
	int code = wf_cli_options("db", argc, argv, take_option, call);

	if (code != WF_EXIT_DONE)
		return code;
	if (action->needs_file && optind == argc)
		return wf_cli_wrong_arguments("db", call->verb);
	if (action->needs_file)
		options->file = argv[optind++];
	if (optind != argc)
		return wf_cli_usage("db", "unexpected \"%s\"", argv[optind]);
	if (wf_cli_takes(call->verb, "before") && !options->has_before)
		return wf_cli_usage(
		    "db", "expected --before DATE or --older-than AGE");
	if (options->without != 0 && !options->finish)
		return wf_cli_usage("db", "--without needs --finish");
	options->url = wf_db_url(options->url);
	return WF_EXIT_DONE;
}

int wf_cli_db(int argc, char **argv)
{
	struct call call = { 0 };
	int code;

	if (argc > 1)
		call.action = find_action(argv[1]);
	if (call.action == NULL)
		return wf_cli_no_verb("db", argc > 1 ? argv[1] : NULL);
	call.verb = wf_cli_find_verb(wf_cli_find_command("db"), argv[1]);
	wf_assert(call.verb != NULL); /* both tables have it */
	code = parse_options(&call, argc - 1, argv + 1);
	return code == WF_EXIT_DONE ? call.action->run(&call.options) : code;
}
