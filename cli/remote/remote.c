/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line of the verbs that talk to a server: finds the verb, parses
 * its options into a struct wf_remote, connects, and runs the verb.
 */
#include "cli/remote/remote.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/panic.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/remote/connection.h"
#include "xquery/text/unicode.h"

static const struct wf_verb verbs[] = {
#define WF_CLI_REMOTE_VERB(noun, name, arguments, options, method, path, run,  \
    list, columns, help, manual)                                               \
	{ noun, name, method, path, run, list, columns },
#include "cli/commands.def"
};

#define VERB_COUNT (sizeof(verbs) / sizeof(verbs[0]))

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
	FLAG("mine", mine),
	TEXT("status", status),
	TEXT("specification", specification),
	TEXT("case", case_id),
	TEXT("task", task),
	TEXT("limit", limit),
	TEXT("fence", fence),
	FLAG("override", override),
	TEXT("reason", reason),
	FLAG("cancel", cancel),
	FLAG("replace", replace),
	TEXT("key", key),
	TEXT("remove", remove),
	TEXT("output", output),
	TEXT("name", name),
	TEXT("type", type),
	TEXT("parameter", parameter),
	TEXT("view", view),
	TEXT("state", state),
	TEXT("data", input),
	TEXT("for", user),
	TEXT("priority", priority),
	TEXT("older", older),
	TEXT("due", due),
	TEXT("newer", newer),
	TEXT("unchanged", unchanged),
	TEXT("incident", incident),
	TEXT("where", where),
	TEXT("order", order),
	FLAG("descending", descending),
	FLAG("without-data", without_data),
	TEXT("find", find),
	TEXT("format", format),
	TEXT("kind", kind),
	FLAG("update", update),
	FLAG("dry-run", dry_run),
	TEXT("net", net),
	TEXT("plan", plan),
	TEXT("steps", steps),
	FLAG("force", force),
	TEXT("into", into),
	TEXT("rate", rate),
	TEXT("result", result),
	TEXT("from", from),
	TEXT("to", to),
	TEXT("workload", workload),
	TEXT("process", process),
	TEXT("comment", comment),
	TEXT("account", account),
	TEXT("events", events),
	TEXT("window", window),
	TEXT("observer", observer),
	TEXT("per", per),
};

#define PLACE_COUNT (sizeof(places) / sizeof(places[0]))

static void set(
    struct wf_remote *remote, const struct place *place, const char *value)
{
	char *field = (char *)remote + place->offset;

	if (place->has_value)
		memcpy(field, &value, sizeof(value));
	else
		*(bool *)(void *)field = true;
}

static int take_option(
    void *context, const struct wf_cli_row *option, const char *value)
{
	struct wf_remote *remote = context;

	if (strcmp(option->name, "server") == 0) {
		remote->server = value;
		return WF_EXIT_DONE;
	}
	if (strcmp(option->name, "ca") == 0) {
		remote->ca = value;
		return WF_EXIT_DONE;
	}
	if (value != NULL && !wf_is_utf8(value, strlen(value)))
		return wf_cli_usage(
		    remote->verb->noun, "--%s: expected UTF-8", option->name);
	for (size_t i = 0; i < PLACE_COUNT; i++)
		if (strcmp(places[i].name, option->name) == 0 &&
		    places[i].has_value == (value != NULL)) {
			set(remote, &places[i], value);
			return WF_EXIT_DONE;
		}
	wf_assert(!"an option of remote.def that has no place");
	return WF_EXIT_USAGE;
}

/*
 * "CASE [DATA]" stands for one argument or two, "FILE..." for one and more,
 * "[NUMBER]..." for any number.
 */
static bool fits(const char *arguments, size_t count)
{
	size_t least = 0;
	size_t most = 0;

	for (const char *at = arguments; *at != '\0'; at += strspn(at, " ")) {
		least += *at != '[';
		most++;
		at += strcspn(at, " ");
	}
	if (strstr(arguments, "...") != NULL)
		most = SIZE_MAX;
	return count >= least && count <= most;
}

/* 0, or the exit code of wrong usage. */
static int parse(struct wf_remote *remote, int argc, char **argv)
{
	const char *noun = remote->verb->noun;
	char refusal[80];
	struct wf_cli_line line = { .command = wf_cli_find_command(noun),
		.verb = remote->row,
		.refusal = refusal,
		.argc = argc,
		.argv = argv };
	int code;

	snprintf(refusal, sizeof(refusal), "weft %s %s has no option", noun,
	    remote->verb->name);
	code = wf_cli_parse(&line, take_option, remote);
	if (code != WF_EXIT_DONE)
		return code;
	remote->words = argv + optind;
	remote->word_count = (size_t)(argc - optind);
	for (size_t i = 0; i < remote->word_count; i++)
		if (remote->words[i][0] == '\0')
			return wf_cli_usage(noun, "an argument is empty");
	if (!fits(remote->row->argument, remote->word_count))
		return wf_cli_wrong_arguments(noun, remote->row);
	return WF_EXIT_DONE;
}

/* --- refusals ------------------------------------------------------------- */

/* The option that the message begins with, as in "delay: expected .."; NULL. */
static const char *named_option(
    const struct wf_remote *remote, const char *message)
{
	size_t length = strcspn(message, ":");

	if (message[length] == '\0')
		return NULL;
	for (size_t i = 0; i < PLACE_COUNT; i++)
		if (strlen(places[i].name) == length &&
		    strncmp(places[i].name, message, length) == 0 &&
		    wf_cli_takes(remote->row, places[i].name))
			return places[i].name;
	return NULL;
}

int wf_remote_report(const struct wf_remote *remote, struct wf_error *err)
{
	char text[sizeof(err->message)];
	const char *token = getenv("WEFT_TOKEN");

	memcpy(text, err->message, sizeof(text));
	if (remote->client != NULL && wf_client_is_unauthorized(remote->client))
		snprintf(err->message, sizeof(err->message),
		    "%s does not accept the token of %s", remote->server,
		    token == NULL || token[0] == '\0' ? "the file weft.token"
						      : "WEFT_TOKEN");
	else if (named_option(remote, text) != NULL)
		snprintf(err->message, sizeof(err->message), "--%.*s",
		    (int)sizeof(text) - 3, text);
	return wf_cli_report(err);
}

/* --- running ------------------------------------------------------------- */

static const struct wf_verb *find_verb(const char *noun, const char *name)
{
	for (size_t i = 0; i < VERB_COUNT; i++)
		if (strcmp(verbs[i].noun, noun) == 0 &&
		    strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
	return NULL;
}

int wf_remote_connect(struct wf_remote *remote)
{
	struct wf_error err = { .rc = WF_OK };
	char *token = wf_remote_token();
	enum wf_rc rc;
	int code;

	if (token == NULL)
		return WF_EXIT_REFUSED;
	rc = wf_client_open(&remote->client, remote->server, token, &err);
	wf_free(token);
	if (rc != WF_OK)
		return wf_cli_report(&err);
	wf_client_trust(remote->client, remote->ca);
	code = remote->verb->run(remote);
	wf_client_close(&remote->client);
	return code;
}

int wf_remote_run(const char *noun, int argc, char **argv)
{
	const struct wf_cli_row *command = wf_cli_find_command(noun);
	struct wf_remote remote = { .server = wf_remote_server(),
		.ca = wf_remote_ca() };
	int code;

	if (argc > 1)
		remote.verb = find_verb(noun, argv[1]);
	if (remote.verb == NULL)
		return wf_cli_no_verb(noun, argc > 1 ? argv[1] : NULL);
	remote.row = wf_cli_find_verb(command, argv[1]);
	code = parse(&remote, argc - 1, argv + 1);
	return code != WF_EXIT_DONE ? code : wf_remote_connect(&remote);
}

#define REMOTE_COMMANDS                                                        \
	X(spec, "spec")                                                        \
	X(case, "case")                                                        \
	X(item, "item")                                                        \
	X(work, "work")                                                        \
	X(service, "service")                                                  \
	X(subscription, "subscription")                                        \
	X(index, "index")                                                      \
	X(incident, "incident")                                                \
	X(operation, "operation")                                              \
	X(audit, "audit")                                                      \
	X(statistics, "statistics")                                            \
	X(document, "document")                                                \
	X(role, "role")                                                        \
	X(position, "position")                                                \
	X(group, "group")                                                      \
	X(capability, "capability")                                            \
	X(category, "category")                                                \
	X(thing, "thing")                                                      \
	X(rate, "rate")                                                        \
	X(calendar, "calendar")

#define X(identifier, noun)                                                    \
	int wf_cli_##identifier(int argc, char **argv)                         \
	{                                                                      \
		return wf_remote_run(noun, argc, argv);                        \
	}
REMOTE_COMMANDS
#undef X
