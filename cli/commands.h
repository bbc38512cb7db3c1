/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of weft, as main() calls them, and what they share.
 *
 * "weft NAME --help" is answered by main() from commands.def.
 */
#ifndef WF_CLI_COMMANDS_H
#define WF_CLI_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Exit codes that are the same everywhere. */
enum { WF_EXIT_DONE = 0, WF_EXIT_REFUSED = 1, WF_EXIT_USAGE = 2 };

/* argv[0] is the name of the command; the result is the exit code. */
#define WF_NAMED_COMMAND(identifier, name, synopsis, summary, options)         \
	int wf_cli_##identifier(int argc, char **argv);
#include "cli/commands.def"
#undef WF_NAMED_COMMAND

/*
 * Says on standard error what is wrong with the command line, when there is
 * something to say (format may be NULL), and how the command is used.
 * Returns the exit code 2.
 */
int wf_cli_usage(const char *name, const char *format, ...) WF_PRINTF(2, 3);

/* A whole number up to maximum, in decimal; false: it is none. */
bool wf_cli_number(const char *text, uint64_t maximum, uint64_t *out);
/*
 * Prints "weft: FILE:LINE: what is wrong" to standard error, as far as the
 * place is known; returns the exit code of err->rc.
 */
int wf_cli_report(const struct wf_error *err);

#endif
