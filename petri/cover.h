/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coverability by every means, in turns: ahead, which finds what can be
 * covered, and back, which also proves what cannot.
 */
#ifndef WF_PETRI_COVER_H
#define WF_PETRI_COVER_H

#include "petri/net.h"

struct wf_cover_result {
	enum wf_cover verdict;
	bool ahead;		   /* whether looking ahead has told */
	struct wf_firings firings; /* when coverable; the caller frees it */
};

/* from: tokens per place.  work: elementary steps until it is given up. */
void wf_cover_decide(const struct wf_petri *net, const uint32_t *from,
    const struct wf_target *targets, uint32_t target_count, uint64_t work,
    struct wf_cover_result *result_out);

#endif
