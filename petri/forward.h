/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coverability by looking ahead: markings are explored from the one given,
 * those that look nearest to a target first.
 *
 * What the relaxed net cannot reach is cut off, which loses nothing; when
 * everything was explored within the limits, no target can be covered.
 */
#ifndef WF_PETRI_FORWARD_H
#define WF_PETRI_FORWARD_H

#include "petri/net.h"

struct wf_forward_limits {
	uint32_t expansions; /* markings whose successors are looked at */
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
