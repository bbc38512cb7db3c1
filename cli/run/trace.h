/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace: the exact record of a run, for comparison with other engines, a line
 * per step with the live items, the pick and the marking; see
 * docs/SCENARIOS.md.
 */
#ifndef WF_CLI_RUN_TRACE_H
#define WF_CLI_RUN_TRACE_H

#include <stdio.h>

#include "cli/run/drive.h"

/* show_data: data, input and output follow a step's line. */
struct wf_watcher *wf_trace_new(FILE *out, bool show_data);
void wf_trace_free(struct wf_watcher **watcher);

/* Appends the marking of all live nets: "1/p=2 1/T=busy", sorted. */
void wf_trace_marking(const struct wf_case *instance, struct wf_buffer *text);

#endif
