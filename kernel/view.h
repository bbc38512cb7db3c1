/* SPDX-License-Identifier: Apache-2.0 */
/* The net instances of a case as seen from outside. */
#ifndef WF_KERNEL_VIEW_H
#define WF_KERNEL_VIEW_H

#include "kernel/case.h"
#include "spec/spec.h"

#define WF_ROOT_NET 1 /* serial number of the root net */

struct wf_net_view {
	const struct wf_net *net;
	char case_id[WF_CASE_ID_SIZE];
	const uint32_t *tokens;		   /* per condition */
	struct wf_value *const *variables; /* per net variable; NULL: unset */
	/* The composite task that it runs for; NULL: it is the root net. */
	const struct wf_task *task;
	uint32_t serial;	/* as in events */
	uint32_t last_instance; /* highest number of an instance so far */
	bool stuck;
	const void *state; /* for wf_net_view_is_busy() */
};

/*
 * Calls visit for each live net instance, the root first, ordered by the
 * numbers in their ids.
 */
void wf_case_nets(const struct wf_case *instance,
    void (*visit)(void *argument, const struct wf_net_view *view),
    void *argument);
/* The net with that serial number; false: there is none. */
bool wf_case_net(const struct wf_case *instance, uint32_t serial,
    struct wf_net_view *view_out);
/*
 * The value of a variable of the root net, by its number, also of a case that
 * is over; NULL: it is unset.
 */
struct wf_value *wf_case_variable(
    const struct wf_case *instance, uint32_t number);
/*
 * The text of a variable, without the elements in it, in the arena; NULL: the
 * net has no such variable, or it is unset.
 */
const char *wf_net_view_text(
    const struct wf_net_view *view, const char *name, struct wf_arena *arena);
bool wf_net_view_is_busy(const struct wf_net_view *view, uint32_t task);
/* Whether it has a token on an input, and is neither offered nor busy. */
bool wf_net_view_waits(const struct wf_net_view *view, uint32_t task);
/*
 * Calls visit for each instance of a busy task, also for ended ones, with its
 * number (the last part of its case id) and status.
 */
void wf_net_view_instances(const struct wf_net_view *view, uint32_t task,
    void (*visit)(void *argument, uint32_t number, enum wf_item_status status),
    void *argument);

/* The state of the timer of a task; DORMANT without a timer. */
enum wf_timer_state wf_net_view_timer(
    const struct wf_net_view *view, uint32_t task);
/* The elements for the joiner that ended instances of a busy task returned. */
void wf_net_view_collected(const struct wf_net_view *view, uint32_t task,
    void (*visit)(void *argument, const struct wf_value *value),
    void *argument);

/* Appends "condition p1", or "the flow from A to B" for an implicit one. */
void wf_condition_words(const struct wf_net *net,
    const struct wf_condition *condition, struct wf_buffer *text);

#endif
