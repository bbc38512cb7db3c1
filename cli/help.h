/* SPDX-License-Identifier: Apache-2.0 */
/* What --help prints, from the table of the command line. */
#ifndef WF_CLI_HELP_H
#define WF_CLI_HELP_H

#include <stdio.h>

#include "cli/commands.h"

/* weft --help */
void wf_cli_print_commands(FILE *out);
/* weft COMMAND --help, to standard output */
void wf_cli_print_help(const struct wf_cli_row *command);

#endif
