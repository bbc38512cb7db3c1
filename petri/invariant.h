/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds that follow from an initial marking: ceilings of places, and weighted
 * sums of tokens that no transition increases (subvariants).
 *
 * Resets only remove tokens, so bounds that hold without them hold with them.
 */
#ifndef WF_PETRI_INVARIANT_H
#define WF_PETRI_INVARIANT_H

#include "petri/backward.h"

/* The bounds by which a backward search from a known marking prunes. */
struct wf_pruning {
	struct wf_backward_from from;
	struct wf_arena *arena;
};

/* tokens: per place; not copied, must outlive the pruning. */
void wf_pruning_init(struct wf_pruning *pruning, const struct wf_petri *net,
    const uint32_t *tokens);
void wf_pruning_free(struct wf_pruning *pruning);

#endif
