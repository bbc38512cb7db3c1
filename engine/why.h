/* SPDX-License-Identifier: Apache-2.0 */
/* Why a task is not enabled (or that it is), in words. */
#ifndef WF_ENGINE_WHY_H
#define WF_ENGINE_WHY_H

#include "engine/case.h"

/*
 * Appends a line per live net that has the task; one line saying so when
 * none is live.  WF_NOT_FOUND when the specification has no such task.
 */
enum wf_rc wf_why(const struct wf_case *instance, const char *task,
    struct wf_buffer *text, struct wf_error *err) WF_MUSTCHECK;

/*
 * Appends what a condition is to a reader: "condition p1", or "the flow from
 * A to B" for an implicit one.
 */
void wf_why_condition(const struct wf_net *net,
    const struct wf_condition *condition, struct wf_buffer *text);

#endif
