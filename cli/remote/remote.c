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

/* --- the command line ------------------------------------------------------
 */

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
	code = wf_cli_parse(&line, wf_remote_take_option, remote);
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
