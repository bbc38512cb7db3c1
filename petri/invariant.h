/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a marking at the start rules out for ever: places that never get a
 * token more, and weighted sums of tokens that no transition increases.
 *
 * Resets only take tokens away, so what holds without them holds with them.
 */
#ifndef WF_PETRI_INVARIANT_H
#define WF_PETRI_INVARIANT_H

#include "petri/backward.h"

/* Everything that a backward search from a known marking can prune with. */
struct wf_pruning {
	struct wf_backward_from from;
	struct wf_arena *arena;
};

/* tokens: per place; kept, not copied. */
void wf_pruning_init(struct wf_pruning *pruning, const struct wf_petri *net,
    const uint32_t *tokens);
void wf_pruning_free(struct wf_pruning *pruning);

#endif
