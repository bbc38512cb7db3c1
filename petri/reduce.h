/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Smaller nets with the same answers.
 *
 * For questions about some places only ("kept"), whatever the marking at
 * the start: a marking of the given net becomes one of the reduced net by a
 * linear map, and a kept place's tokens are covered in one exactly when they
 * are in the other.  Each step leaves that as it is:
 *
 *  cone        what no path leads from to a kept place is left out;
 *  useless     a transition that gains nothing is;
 *  dominated   so is one that another outdoes, with no more inputs and resets;
 *  fused       a place that is filled by transitions which do nothing else,
 *              and whose own inputs nothing resets: they wait with starting
 *              until one that empties the place fires;
 *  substituted a place whose only way out is one transition, which takes
 *              one token of it and nothing else and resets nothing: each of
 *              its tokens counts as what it can be turned into, provided
 *              that both are reset by the same transitions.
 */
#ifndef WF_PETRI_REDUCE_H
#define WF_PETRI_REDUCE_H

#include "petri/net.h"

enum {
	WF_REDUCE_USELESS = 1,
	WF_REDUCE_DOMINATED = 2,
	WF_REDUCE_FUSED = 4,
	WF_REDUCE_SUBSTITUTED = 8,
	WF_REDUCE_ALL = 15
};

/* Numbers in a list of lists: those of i are from starts[i] to starts[i+1]. */
struct wf_lists {
	uint32_t *starts;
	uint32_t *items;
};

struct wf_reduction {
	struct wf_arena *arena;
	const struct wf_petri *original;
	struct wf_petri *net; /* its labels are those of the original */
	/* Per place of the original, what a token of it counts as. */
	uint32_t *image_starts;
	struct wf_arc *images;
	/* Per transition of net, those of the original it stands for. */
	struct wf_lists steps;
	/* Per place of the original, those that turn its tokens, if any. */
	struct wf_lists turns;
};

/*
 * kept: set of places; they are the first of the reduced net, in order.
 * steps: which reductions are wanted.  The original is kept, not copied.
 */
struct wf_reduction *wf_reduce(
    const struct wf_petri *net, const uint64_t *kept, unsigned steps);
void wf_reduction_free(struct wf_reduction **reduction);
/* The marking of the reduced net that stands for one of the original. */
void wf_reduction_project(const struct wf_reduction *reduction,
    const uint32_t *tokens, uint32_t *reduced_out);
/*
 * The firing sequence of the original, from tokens, that stands for one of
 * the reduced net from the projection; false when it is too long to tell.
 * wanted: no more tokens than that are of interest at the end, per place.
 */
bool wf_reduction_expand(const struct wf_reduction *reduction,
    const uint32_t *tokens, const struct wf_firings *trace, uint32_t wanted,
    struct wf_firings *trace_out);

#endif
