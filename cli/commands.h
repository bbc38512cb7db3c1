/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of weft, the table of their command lines (cli/commands.def),
 * and what all commands share: wrong usage, numbers, reports of failures.
 *
 * The table is an array of rows.  A row of the kind WF_ROW_COMMAND begins a
 * command; the rows up to the next one belong to it.
 */
#ifndef WF_CLI_COMMANDS_H
#define WF_CLI_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* The file of settings that weft serve reads when none is named. */
#define WF_SETTINGS_FILE "/etc/weft/weft.conf"

/* The options that every verb for a server takes. */
#define WF_CLI_REMOTE_OPTIONS "server ca json quiet"

/* Exit codes that are the same everywhere. */
enum { WF_EXIT_DONE = 0, WF_EXIT_REFUSED = 1, WF_EXIT_USAGE = 2 };

/* argv[0] is the name of the command; the result is the exit code. */
#define WF_CLI_COMMAND(identifier, name, synopsis, summary, manual)            \
	int wf_cli_##identifier(int argc, char **argv);
#include "cli/commands.def"

/* --- the table ------------------------------------------------------------ */

enum wf_option {
	WF_OPTION_NONE,
#define WF_CLI_OPTION(identifier, name, argument, help, manual)                \
	WF_OPTION_##identifier,
#include "cli/commands.def"
};

enum wf_cli_kind {
	WF_ROW_END, /* behind the last command */
	WF_ROW_COMMAND,
	WF_ROW_GROUP,
	WF_ROW_VERB,
	WF_ROW_REMOTE_VERB,
	WF_ROW_OPTION,
	WF_ROW_AGAIN,
	WF_ROW_SETTING,
	WF_ROW_TEXT
};

/* A member that its kind does not have is NULL. */
struct wf_cli_row {
	enum wf_cli_kind kind;
	enum wf_option option; /* of WF_ROW_OPTION */
	const char *name;
	const char *argument; /* a command's synopsis, a verb's arguments */
	const char *options;  /* names of those that a verb takes */
	const char *fallback; /* of a setting */
	const char *help;     /* a command's summary */
	const char *manual;   /* NULL: help; "": nothing */
};

extern const struct wf_cli_row wf_cli_rows[];

#define WF_CLI_EACH_COMMAND(row)                                               \
	for (row = wf_cli_rows; row->kind != WF_ROW_END; row++)                \
		if (row->kind == WF_ROW_COMMAND)
/* The rows of a command, without its first. */
#define WF_CLI_EACH_ROW(row, command)                                          \
	for (row = (command) + 1;                                              \
	     row->kind != WF_ROW_END && row->kind != WF_ROW_COMMAND; row++)

/* NULL: there is no such command. */
const struct wf_cli_row *wf_cli_find_command(const char *name);
/* The first option of that name; NULL: the command has none. */
const struct wf_cli_row *wf_cli_find_option(
    const struct wf_cli_row *command, const char *name);
/* NULL: the command has no such verb. */
const struct wf_cli_row *wf_cli_find_verb(
    const struct wf_cli_row *command, const char *name);
bool wf_cli_is_verb(const struct wf_cli_row *row);
/* Whether the verb takes the option of that name. */
bool wf_cli_takes(const struct wf_cli_row *verb, const char *name);

/* --- what commands share -------------------------------------------------- */

/*
 * Says on standard error what is wrong with the command line, when there is
 * something to say (format may be NULL), and how the command is used.
 * Returns the exit code 2.
 */
int wf_cli_usage(const char *name, const char *format, ...) WF_PRINTF(2, 3);

/*
 * Says which verbs a command has.  word: what was typed in the place of a verb;
 * NULL: nothing.  Returns the exit code 2.
 */
int wf_cli_no_verb(const char *command, const char *word);
/*
 * Says how a verb is used whose arguments are wrong.  Returns the exit code 2.
 */
int wf_cli_wrong_arguments(const char *command, const struct wf_cli_row *verb);

/* A whole number up to maximum, in decimal; false: it is none. */
bool wf_cli_number(const char *text, uint64_t maximum, uint64_t *out);
/*
 * Prints "weft: FILE:LINE: what is wrong" to standard error, as far as the
 * place is known; returns the exit code of err->rc.
 */
int wf_cli_report(const struct wf_error *err);

#endif
