/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a command, read in one way for all. */
#ifndef WF_CLI_OPTIONS_H
#define WF_CLI_OPTIONS_H

#include <getopt.h>

/*
 * Takes an option that stands on the command line; value is NULL when it has
 * none.  Returns 0, or the exit code of wrong usage, which it has reported.
 */
typedef int wf_take_option(
    void *context, const struct option *option, const char *value);

/*
 * Gives the options of argv to take, in their order, as long as it returns 0.
 * options ends with an empty one.  Reports what command does not know, and a
 * value that is missing.  Returns 0, or the exit code of wrong usage; optind
 * is then that of the first argument.
 */
int wf_cli_options(const char *command, int argc, char **argv,
    const struct option *options, wf_take_option *take, void *context);

#endif
