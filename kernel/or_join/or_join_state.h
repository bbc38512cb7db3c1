/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a running net keeps for its OR-joins; private to kernel/.
 *
 * A net instance keeps the set of its busy tasks and, for each OR-join, the
 * state of a search outside the step.  The search is needed when the budget
 * of a step does not suffice (kernel/apply.c performs the edges):
 *
 *               OR_JOIN_UNDECIDED               OR_JOIN_DECIDED
 *   OR_SEARCH_  apply_or_join_                  apply_or_join_
 *   NONE        undecided()       OR_SEARCH_    decided()        OR_SEARCH_
 *    ---------------------------> WANTED ----------------------> ENABLED or
 *    ^                              |                            WAITS
 *    |  touch(): a token or a busy  |                              |
 *    |  task in the cone changed    v                              v
 *    +--------------------------------------------------------------
 */
#ifndef WF_KERNEL_OR_JOIN_OR_JOIN_STATE_H
#define WF_KERNEL_OR_JOIN_OR_JOIN_STATE_H

#include "kernel/or_join/or_join.h"
#include "kernel/state.h"

/* The numbers are part of stored bytes. */
enum or_search {
	OR_SEARCH_NONE, /* steps decide */
	OR_SEARCH_WANTED,
	OR_SEARCH_ENABLED, /* verdict of the search */
	OR_SEARCH_WAITS
};

struct or_state {
	const struct wf_or_joins *joins;
	struct wf_or_memory *const *memory; /* that of the running step */
	uint64_t *busy;			    /* set of tasks */
	uint8_t *searches;		    /* per task: enum or_search */
};

/* For a new net instance; NULL: the net has no OR-join. */
struct or_state *wf_or_state_new(struct wf_case *c, const struct wf_net *net);
void wf_or_state_free(
    struct wf_case *c, const struct wf_net *net, struct or_state *state);
/* Must be called when the number of tokens of the condition changes. */
void wf_or_touch_condition(
    struct wf_case *c, struct net_instance *n, uint32_t condition);
/* Must be called when the task becomes busy, or is no longer busy. */
void wf_or_touch_task(
    struct wf_case *c, struct net_instance *n, uint32_t task, bool busy);
/* The verdict on an OR-join that has a marked input and is not busy. */
enum wf_or_verdict wf_or_verdict_of(
    const struct net_instance *n, uint32_t task);
/* Whether a search outside the step is wanted for an OR-join of the net. */
bool wf_or_waits_for_verdict(const struct net_instance *n);
/* Whether a step cannot decide the join and no search is wanted yet. */
bool wf_or_is_undecided(const struct net_instance *n, uint32_t task);
/*
 * Appends the part of the marking that the verdict depends on:
 * "c1=2 T=busy ".
 */
void wf_or_marking(
    const struct net_instance *n, uint32_t task, struct wf_buffer *text);

#endif
