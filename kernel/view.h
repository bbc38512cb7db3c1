/* SPDX-License-Identifier: Apache-2.0 */
/* The nets of a case, to look at. */
#ifndef WF_KERNEL_VIEW_H
#define WF_KERNEL_VIEW_H

#include "kernel/case.h"
#include "spec/spec.h"

/*
 * Calls visit for each live net instance, in the order of their ids number
 * by number, the root first.
 */
#define WF_ROOT_NET 1 /* its serial number */

struct wf_net_view {
	const struct wf_net *net;
	char case_id[WF_CASE_ID_SIZE];
	const uint32_t *tokens;		   /* per condition */
	struct wf_value *const *variables; /* per net variable; NULL: unset */
	uint32_t serial;		   /* as in events */
	uint32_t last_instance; /* the highest number one in it has had */
	bool stuck;
	const void *state; /* for wf_net_view_is_busy() */
};

void wf_case_nets(const struct wf_case *instance,
    void (*visit)(void *argument, const struct wf_net_view *view),
    void *argument);
bool wf_net_view_is_busy(const struct wf_net_view *view, uint32_t task);
/*
 * Calls visit for each instance of a busy task, those that have ended while
 * others run among them: its number (the last part of its case id) and status.
 */
void wf_net_view_instances(const struct wf_net_view *view, uint32_t task,
    void (*visit)(void *argument, uint32_t number, enum wf_item_status status),
    void *argument);

/* The state of the timer of a task; DORMANT when it has none. */
enum wf_timer_state wf_net_view_timer(
    const struct wf_net_view *view, uint32_t task);
/* What ended instances of a busy task have left to be joined, in order. */
void wf_net_view_collected(const struct wf_net_view *view, uint32_t task,
    void (*visit)(void *argument, const struct wf_value *value),
    void *argument);

/*
 * Appends what a condition is to a reader: "condition p1", or "the flow from
 * A to B" for an implicit one.
 */
void wf_condition_words(const struct wf_net *net,
    const struct wf_condition *condition, struct wf_buffer *text);

#endif
