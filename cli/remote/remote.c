/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of the verbs that talk to a server. */
#include "cli/remote/remote.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/remote/connection.h"
#include "xquery/text/unicode.h"

#define CASE_COLUMNS "case status specification launched title"
#define ITEM_COLUMNS "item status task service specification enabled"

/* A command that goes by the name of its verb. */
#define COMMAND(noun, verb, arguments, least, most, options)                   \
	{                                                                      \
		noun, verb, arguments, least, most, "POST",                    \
		    "/v1/" noun "s/%/" verb, options " key ",                  \
		    wf_remote_command, NULL, NULL                              \
	}

const struct wf_verb wf_verbs[] = {
	{ "spec", "load", "FILE...", 1, 1000, NULL, NULL, "", wf_remote_load,
	    NULL, NULL },
	{ "spec", "list", "", 0, 0, "GET", "/v1/specifications", "",
	    wf_remote_list, "specifications", "key uri version title loaded" },
	{ "spec", "show", "SPEC", 1, 1, "GET", "/v1/specifications/%", "",
	    wf_remote_show, NULL, NULL },
	{ "spec", "draw", "SPEC", 1, 1, "GET", "/v1/specifications/%/diagram",
	    " output ", wf_remote_text, NULL, NULL },
	{ "spec", "log", "SPEC", 1, 1, "GET", "/v1/specifications/%/log",
	    " data all output ", wf_remote_log, NULL, NULL },
	{ "spec", "remove", "KEY", 1, 1, "DELETE", "/v1/specifications/%", "",
	    wf_remote_show, NULL, NULL },

	{ "case", "start", "SPEC [DATA]", 1, 2, NULL, NULL,
	    " each id title version at delay wait key ", wf_remote_start, NULL,
	    NULL },
	{ "case", "list", "", 0, 0, "GET", "/v1/cases",
	    " status specification oldest limit ", wf_remote_list, "cases",
	    CASE_COLUMNS },
	{ "case", "delayed", "", 0, 0, "GET", "/v1/starts", " limit ",
	    wf_remote_list, "starts", "start case specification at title" },
	{ "case", "withdraw", "START", 1, 1, "DELETE", "/v1/starts/%", "",
	    wf_remote_show, NULL, NULL },
	{ "case", "show", "CASE", 1, 1, "GET", "/v1/cases/%", "",
	    wf_remote_show, NULL, NULL },
	{ "case", "data", "CASE", 1, 1, "GET", "/v1/cases/%/data", "",
	    wf_remote_show, NULL, NULL },
	{ "case", "draw", "CASE", 1, 1, "GET", "/v1/cases/%/diagram",
	    " output ", wf_remote_text, NULL, NULL },
	{ "case", "history", "CASE", 1, 1, NULL, NULL, "", wf_remote_history,
	    NULL, NULL },
	{ "case", "watch", "[CASE]", 0, 1, NULL, NULL, "", wf_remote_watch,
	    NULL, NULL },
	{ "case", "why", "CASE TASK", 2, 2, "GET", "/v1/cases/%/why", "",
	    wf_remote_show, NULL, NULL },
	COMMAND("case", "suspend", "CASE", 1, 1, ""),
	COMMAND("case", "resume", "CASE", 1, 1, ""),
	COMMAND("case", "cancel", "CASE", 1, 1, ""),
	{ "case", "update", "CASE DATA", 2, 2, "PATCH", "/v1/cases/%/data",
	    " key ", wf_remote_command, NULL, NULL },

	{ "item", "list", "", 0, 0, "GET", "/v1/items",
	    " case task status specification limit ", wf_remote_list, "items",
	    ITEM_COLUMNS },
	{ "item", "show", "ITEM", 1, 1, "GET", "/v1/items/%", "",
	    wf_remote_show, NULL, NULL },
	{ "item", "data", "ITEM", 1, 1, "GET", "/v1/items/%/data", "",
	    wf_remote_show, NULL, NULL },
	COMMAND("item", "start", "ITEM", 1, 1, ""),
	COMMAND("item", "complete", "ITEM [DATA]", 1, 2, ""),
	COMMAND("item", "force", "ITEM [DATA]", 1, 2, ""),
	COMMAND("item", "fail", "ITEM", 1, 1, " reason"),
	COMMAND("item", "skip", "ITEM", 1, 1, ""),
	COMMAND("item", "suspend", "ITEM", 1, 1, ""),
	COMMAND("item", "resume", "ITEM", 1, 1, ""),
	COMMAND("item", "rollback", "ITEM", 1, 1, ""),
	COMMAND("item", "cancel", "ITEM", 1, 1, ""),
	COMMAND("item", "add", "ITEM DATA", 2, 2, ""),
	{ "item", "update", "ITEM DATA", 2, 2, "PATCH", "/v1/items/%/data",
	    " key ", wf_remote_command, NULL, NULL },

	{ "service", "list", "", 0, 0, "GET", "/v1/services", "",
	    wf_remote_list, "services", "name kind uri address attempts" },
	{ "service", "show", "NAME", 1, 1, "GET", "/v1/services/%", "",
	    wf_remote_show, NULL, NULL },
	{ "service", "put", "NAME DATA", 2, 2, "PUT", "/v1/services/%", "",
	    wf_remote_command, NULL, NULL },
	{ "service", "remove", "NAME", 1, 1, "DELETE", "/v1/services/%", "",
	    wf_remote_show, NULL, NULL },

	{ "incident", "list", "", 0, 0, "GET", "/v1/incidents",
	    " status case limit ", wf_remote_list, "incidents",
	    "incident case item code attempts text" },
	{ "incident", "show", "NUMBER", 1, 1, "GET", "/v1/incidents/%", "",
	    wf_remote_show, NULL, NULL },
	{ "incident", "retry", "[NUMBER]...", 0, 1000, NULL, NULL, " all case ",
	    wf_remote_retry, NULL, NULL },
	COMMAND("incident", "drop", "NUMBER", 1, 1, " reason"),
};

const size_t wf_verb_count = sizeof(wf_verbs) / sizeof(wf_verbs[0]);

/* --- options -------------------------------------------------------------- */

struct place {
	const char *name;
	size_t offset;
	bool has_value;
};

#define TEXT(name, field)                                                      \
	{                                                                      \
		name, offsetof(struct wf_remote, field), true                  \
	}
#define FLAG(name, field)                                                      \
	{                                                                      \
		name, offsetof(struct wf_remote, field), false                 \
	}

/* Every verb has the first ones. */
static const struct place places[] = {
	FLAG("json", json),
	FLAG("quiet", quiet),
	TEXT("each", each),
	TEXT("id", id),
	TEXT("title", title),
	TEXT("version", version),
	TEXT("at", at),
	TEXT("delay", delay),
	FLAG("wait", wait),
	FLAG("all", all),
	FLAG("data", data),
	FLAG("oldest", oldest),
	TEXT("status", status),
	TEXT("specification", specification),
	TEXT("case", case_id),
	TEXT("task", task),
	TEXT("limit", limit),
	TEXT("reason", reason),
	TEXT("key", key),
	TEXT("output", output),
};

#define PLACE_COUNT (sizeof(places) / sizeof(places[0]))
#define COMMON 2U /* places that every verb has */

enum { SERVER = 1000 };

static bool takes(const struct wf_verb *verb, size_t place)
{
	char word[40];

	if (place < COMMON)
		return true;
	snprintf(word, sizeof(word), " %s ", places[place].name);
	return strstr(verb->options, word) != NULL;
}

static void set(struct wf_remote *remote, size_t place, const char *value)
{
	char *field = (char *)remote + places[place].offset;

	if (places[place].has_value)
		memcpy(field, &value, sizeof(value));
	else
		*(bool *)(void *)field = true;
}

/* 0, or the exit code of wrong usage. */
static int parse(
    struct wf_remote *remote, const char **server, int argc, char **argv)
{
	struct option options[PLACE_COUNT + 2] = { { .name = NULL } };
	const char *noun = remote->verb->noun;
	int option;

	for (size_t i = 0; i < PLACE_COUNT; i++)
		options[i] = (struct option){ places[i].name,
			places[i].has_value ? required_argument : no_argument,
			NULL, (int)i + 1 };
	options[PLACE_COUNT] =
	    (struct option){ "server", required_argument, NULL, SERVER };
	optind = 1;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option == ':')
			return wf_cli_usage(
			    noun, "%s needs a value", argv[optind - 1]);
		if (option == SERVER)
			*server = optarg;
		else if (option == '?' ||
			 !takes(remote->verb, (size_t)option - 1))
			return wf_cli_usage(noun, "weft %s %s has no option %s",
			    noun, remote->verb->verb, argv[optind - 1]);
		else if (optarg != NULL && !wf_is_utf8(optarg, strlen(optarg)))
			return wf_cli_usage(noun, "--%s: expected UTF-8",
			    places[option - 1].name);
		else
			set(remote, (size_t)option - 1, optarg);
	}
	remote->words = argv + optind;
	remote->word_count = (size_t)(argc - optind);
	if (remote->word_count < remote->verb->words ||
	    remote->word_count > remote->verb->most)
		return wf_cli_usage(noun, "expected weft %s %s%s%s", noun,
		    remote->verb->verb,
		    remote->verb->arguments[0] == '\0' ? "" : " ",
		    remote->verb->arguments);
	return 0;
}

/* --- who asks ------------------------------------------------------------- */

bool wf_remote_read(const char *given, struct wf_buffer *text)
{
	struct wf_error err = { .rc = WF_OK };

	if (given[0] != '@' && strcmp(given, "-") != 0) {
		wf_buffer_puts(text, given);
		return true;
	}
	if (wf_buffer_read_file(text,
		given[0] == '@' ? given + 1 : "/dev/stdin", &err) == WF_OK)
		return true;
	(void)wf_cli_report(&err);
	return false;
}

static int say_verbs(const char *noun)
{
	fprintf(stderr, "weft: expected one of:\n");
	for (size_t i = 0; i < wf_verb_count; i++)
		if (strcmp(wf_verbs[i].noun, noun) == 0)
			fprintf(stderr, "  weft %s %s%s%s\n", noun,
			    wf_verbs[i].verb,
			    wf_verbs[i].arguments[0] == '\0' ? "" : " ",
			    wf_verbs[i].arguments);
	return WF_EXIT_USAGE;
}

static int run(struct wf_remote *remote, const char *server)
{
	struct wf_error err = { .rc = WF_OK };
	char *token = wf_remote_token();
	enum wf_rc rc;
	int code;

	if (token == NULL)
		return WF_EXIT_REFUSED;
	rc = wf_client_open(&remote->client, server, token, &err);
	wf_free(token);
	if (rc != WF_OK)
		return wf_cli_report(&err);
	code = remote->verb->run(remote);
	wf_client_close(&remote->client);
	return code;
}

static int run_verb(const char *noun, int argc, char **argv)
{
	struct wf_remote remote = { .client = NULL };
	const char *server = wf_remote_server();
	int code;

	for (size_t i = 0; argc > 1 && i < wf_verb_count; i++)
		if (strcmp(wf_verbs[i].noun, noun) == 0 &&
		    strcmp(wf_verbs[i].verb, argv[1]) == 0)
			remote.verb = &wf_verbs[i];
	if (remote.verb == NULL)
		return say_verbs(noun);
	code = parse(&remote, &server, argc - 1, argv + 1);
	return code != 0 ? code : run(&remote, server);
}

int wf_cli_spec(int argc, char **argv)
{
	return run_verb("spec", argc, argv);
}

int wf_cli_case(int argc, char **argv)
{
	return run_verb("case", argc, argv);
}

int wf_cli_item(int argc, char **argv)
{
	return run_verb("item", argc, argv);
}

int wf_cli_service(int argc, char **argv)
{
	return run_verb("service", argc, argv);
}

int wf_cli_incident(int argc, char **argv)
{
	return run_verb("incident", argc, argv);
}
