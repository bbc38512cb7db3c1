/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides coverability by backward and forward search in turns: forward search
 * finds that a target is coverable, backward search also proves that none is.
 */
#ifndef WF_PETRI_COVER_H
#define WF_PETRI_COVER_H

#include "petri/net.h"

struct wf_cover_result {
	enum wf_cover verdict;
	bool ahead;		   /* whether forward search decided */
	struct wf_firings firings; /* when coverable; the caller frees it */
};

/* from: tokens per place.  work: budget in elementary steps. */
void wf_cover_decide(const struct wf_petri *net, const uint32_t *from,
    const struct wf_target *targets, uint32_t target_count, uint64_t work,
    struct wf_cover_result *result_out);

#endif
