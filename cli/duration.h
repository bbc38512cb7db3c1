/* SPDX-License-Identifier: Apache-2.0 */
/* Durations on the command line: "90d" as well as "P90D". */
#ifndef WF_CLI_DURATION_H
#define WF_CLI_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/* Of the ISO form of a short one. */
#define WF_CLI_DURATION_SIZE 16U

/*
 * The ISO form of "30s", "5m" (minutes), "12h", "90d" or "4w".  False: it is
 * none of these, and nothing is written.
 */
bool wf_cli_short_duration(
    const char *word, char iso_out[static WF_CLI_DURATION_SIZE]);
/* Either form, without months, in milliseconds.  False: it is none. */
bool wf_cli_duration(const char *word, int64_t *duration_out);

#endif
