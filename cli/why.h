/* SPDX-License-Identifier: Apache-2.0 */
/* Why a task is not enabled (or that it is), in words. */
#ifndef WF_CLI_WHY_H
#define WF_CLI_WHY_H

#include "engine/case.h"

/* Whether one of the nets of spec has a task with this id. */
bool wf_why_has_task(const struct wf_spec *spec, const char *task);

/*
 * Appends a line for each live net that has the task; one line saying so
 * when none is live.
 */
void wf_why(
    const struct wf_case *instance, const char *task, struct wf_buffer *text);

/*
 * Appends what a condition is to a reader: "condition p1", or "the flow from
 * A to B" for an implicit one.
 */
void wf_why_condition(const struct wf_net *net,
    const struct wf_condition *condition, struct wf_buffer *text);

#endif
