/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OR-joins of a net, and what a running net knows of them; private to
 * engine/.
 *
 * What depends on the net alone is made once, when the first case needs it,
 * and shared.  A net instance keeps the set of its busy tasks, and for each
 * OR-join whether it could not be decided within the budget of a step:
 *
 *              OR_JOIN_UNDECIDED               OR_JOIN_DECIDED
 *   decided -----------------------> undecided ----------------> told
 *   in steps <---------------------------+--------------------------+
 *              a token moves in what the verdict depends on
 */
#ifndef WF_KERNEL_OR_JOIN_OR_JOIN_STATE_H
#define WF_KERNEL_OR_JOIN_OR_JOIN_STATE_H

#include "kernel/or_join/or_join.h"
#include "kernel/state.h"

/* Those of one net; NULL entries for other tasks. */
struct wf_or_joins {
	struct wf_or_join **joins; /* per task */
	/* Per condition and per task: the OR-joins that depend on it. */
	uint32_t **by_condition; /* count first, then numbers of tasks */
	uint32_t **by_task;
};

/*
 * Whether the OR-joins of the net can be compiled at a bearable cost, which
 * grows with their number times the size of the net.
 */
bool wf_or_joins_fit(const struct wf_net *net);
/* NULL when the net has no OR-join.  Threads may call it at once. */
const struct wf_or_joins *wf_or_joins_of(const struct wf_net *net);

enum or_told { OR_OPEN, OR_UNDECIDED, OR_TOLD_ENABLED, OR_TOLD_WAIT };

struct or_state {
	const struct wf_or_joins *joins;
	struct wf_or_memory *const *memory; /* of the step that runs */
	uint64_t *busy;			    /* set of tasks */
	uint8_t *told;			    /* per task: enum or_told */
};

/* For a new net instance; NULL when its net has no OR-join. */
struct or_state *wf_or_state_new(struct wf_case *c, const struct wf_net *net);
void wf_or_state_free(
    struct wf_case *c, const struct wf_net *net, struct or_state *state);
/* A token of the condition came or went. */
void wf_or_touch_condition(
    struct wf_case *c, struct net_instance *n, uint32_t condition);
/* The task has become busy, or is so no longer. */
void wf_or_touch_task(
    struct wf_case *c, struct net_instance *n, uint32_t task, bool busy);
/* The verdict on an OR-join that has a marked input and is not busy. */
enum wf_or_verdict wf_or_verdict_of(
    const struct net_instance *n, uint32_t task);
/* Whether an OR-join of the net waits for a longer search. */
bool wf_or_waits_for_verdict(const struct net_instance *n);
/* Not busy, asked about, not decided, and not reported as such yet. */
bool wf_or_is_undecided(const struct net_instance *n, uint32_t task);
/* The marking that the verdict depends on: "c1=2 T=busy ". */
void wf_or_marking(
    const struct net_instance *n, uint32_t task, struct wf_buffer *text);

#endif
