/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of options: getopt_long() with what the table of the command line
 * (cli/commands.h) says about a command.
 */
#ifndef WF_CLI_OPTIONS_H
#define WF_CLI_OPTIONS_H

#include <getopt.h>

#include "cli/commands.h"

/*
 * Takes an option that stands on the command line; value is NULL when it has
 * none.  Returns 0, or the exit code of wrong usage, which it has reported.
 */
typedef int wf_take_option(
    void *context, const struct wf_cli_row *option, const char *value);

struct wf_cli_line {
	const struct wf_cli_row *command;
	const struct wf_cli_row *verb; /* only what it takes; NULL: all */
	const char *refusal; /* begins the report of an unknown option */
	int argc;
	char **argv; /* argv[0] is no option */
};

/*
 * Gives the options of the line to take, in their order, as long as it returns
 * 0.  Reports an option that the table does not have, and a value that is
 * missing.  Returns 0, or the exit code of wrong usage; optind is then the
 * index of the first argument.
 */
int wf_cli_parse(
    const struct wf_cli_line *line, wf_take_option *take, void *context);

/* The same for all options of a command. */
int wf_cli_options(const char *command, int argc, char **argv,
    wf_take_option *take, void *context);

#endif
