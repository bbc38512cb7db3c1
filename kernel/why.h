/* SPDX-License-Identifier: Apache-2.0 */
/* Why a task is not enabled (or that it is), in words. */
#ifndef WF_KERNEL_WHY_H
#define WF_KERNEL_WHY_H

#include "kernel/case.h"

struct wf_arena;     /* in base/memory.h */
struct wf_condition; /* in spec/spec.h */
struct wf_net_view;  /* in kernel/view.h */
struct wf_step;	     /* in kernel/step.h */

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Appends a line per live net that has the task; one line saying so when
 * none is live.  WF_NOT_FOUND when the specification has no such task.
 */
enum wf_rc wf_why(const struct wf_case *instance, const char *task,
    struct wf_buffer *text, struct wf_error *err) WF_MUSTCHECK;

/*
 * Of an OR-join that waits in a live net: an input that may still be marked,
 * and the tasks by which, in the arena.  False: it does not wait for one.
 */
bool wf_why_or_join(const struct wf_net_view *view, uint32_t task,
    struct wf_arena *arena, const struct wf_condition **input_out,
    const struct wf_task ***tasks_out, size_t *count_out);

/*
 * Appends, for each live net, where its tokens are, and what each task waits
 * for that has some of its inputs.  Long lists are cut.
 */
void wf_why_stuck(const struct wf_case *instance, struct wf_buffer *text);

/*
 * Appends what the step just done, which ended an item, did to the task of the
 * item and to the case.
 */
void wf_why_ended(const struct wf_case *instance, const struct wf_step *step,
    struct wf_buffer *text);

#ifdef __cplusplus
}
#endif

#endif
