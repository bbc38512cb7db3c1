/* SPDX-License-Identifier: Apache-2.0 */
/* Facts derived from a graph of markings. */
#ifndef WF_VERIFY_FACTS_H
#define WF_VERIFY_FACTS_H

#include "verify/space.h"

/* Properties of a state. */
enum wf_state_flag {
	WF_STATE_GOOD = 1,	/* can reach a completed state */
	WF_STATE_ENDS = 2,	/* can reach a dead state or leftovers */
	WF_STATE_DEAD = 4,	/* no move is enabled, tokens remain */
	WF_STATE_EMPTY = 8,	/* no token at all */
	WF_STATE_LEFTOVER = 16, /* the end is reached, tokens remain */
	WF_STATE_COMPLETED = 32
};

struct wf_facts {
	const struct wf_space *space;
	bool complete;	/* whole graph, all OR-joins decided */
	uint8_t *flags; /* per state */
	uint32_t good_count;
	uint64_t *marked; /* set of conditions that had a token */
	uint64_t *done;	  /* set of tasks that can be done */
	uint64_t *useful; /* tasks done in a case that then completes */
	/*
	 * Per OR-join, the fewest and the most inputs that are marked at its
	 * start.
	 */
	uint32_t *fewest;
	uint32_t *most;
	/*
	 * Per task, the elements of its cancellation set (conditions, then
	 * tasks, in its order) that were marked when the task ended.
	 */
	uint64_t **cancelled;
};

struct wf_facts *wf_facts_new(const struct wf_space *space);
void wf_facts_free(struct wf_facts **facts);

/* Adds the positive facts of another graph of the same net. */
void wf_facts_add(struct wf_facts *facts, const struct wf_facts *more);

#endif
