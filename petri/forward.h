/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coverability by forward search: explores markings from the given one, those
 * with the lowest estimated distance to a target first.
 *
 * Markings from which the relaxed net cannot reach a target are pruned, which
 * is exact.  If the search ends within the limits, no target is coverable.
 */
#ifndef WF_PETRI_FORWARD_H
#define WF_PETRI_FORWARD_H

#include "petri/net.h"

struct wf_forward_limits {
	uint32_t expansions; /* markings whose successors are computed */
	uint64_t work;	     /* elementary steps, a measure of time */
};

struct wf_forward {
	enum wf_cover verdict;
	uint32_t expansions;
	uint64_t work;
	struct wf_firings firings; /* when coverable; the caller frees it */
};

/* from: tokens per place. */
void wf_cover_forward(const struct wf_petri *net, const uint32_t *from,
    const struct wf_target *targets, uint32_t target_count,
    const struct wf_forward_limits *limits, struct wf_forward *result_out);

#endif
