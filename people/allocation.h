/* SPDX-License-Identifier: Apache-2.0 */
/* Allocators: how the system chooses one participant of several. */
#ifndef WF_PEOPLE_ALLOCATION_H
#define WF_PEOPLE_ALLOCATION_H

#include "people/organisation/organisation.h"
#include "people/resourcing.h"

/* Between which events of an item a time is measured. */
enum wf_work_span {
	WF_OFFER_TO_ALLOCATE,
	WF_ALLOCATE_TO_START,
	WF_START_TO_COMPLETE,
	WF_FIRST_TO_COMPLETE, /* the offer, else the allocation, else the start
			       */
	WF_ALLOCATE_TO_COMPLETE,
	WF_WORK_SPANS
};

struct wf_work_time {
	int64_t sum; /* ms */
	uint64_t count;
};

/* The last time when a participant did something; order: among equal times. */
struct wf_work_moment {
	int64_t at;	/* ms since 1970 */
	uint64_t order; /* 0: never */
};

/* The sums of cost rates, in millionths. */
struct wf_work_cost {
	bool is_known;
	int64_t assigned;
	int64_t allocated;
	int64_t busy;
	int64_t all;
};

/* What is known of a participant and the items of one task. */
struct wf_work_facts {
	uint64_t waiting; /* items of any task, allocated and started */
	uint64_t completions;
	struct wf_work_moment completed;
	struct wf_work_moment allocated;
	struct wf_work_time times[WF_WORK_SPANS];
	uint64_t quick; /* from allocation to completion in at most 6 s */
	struct wf_work_cost cost;
};

struct wf_allocation_facts {
	void *context;
	/* Fills *facts_out, which is zeroed. */
	void (*get)(void *context, const char *participant,
	    struct wf_work_facts *facts_out);
	uint64_t seed; /* for a choice at random */
	/*
	 * Asked first: whether what is needed of the candidates can be known;
	 * NULL: it can.
	 */
	bool (*gather)(void *context, const uint64_t *candidates);
};

/*
 * One of the candidates; WF_ORG_NOBODY: there is none, or what is needed of
 * them cannot be known.  Where the allocator knows nothing of any of them, or
 * says so, the choice is random.
 */
uint32_t wf_allocate(const struct wf_organisation *organisation,
    enum wf_allocator allocator, const uint64_t *candidates,
    const struct wf_allocation_facts *facts);

#endif
