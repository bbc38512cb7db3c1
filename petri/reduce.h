/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reduces a net without changing the answers to coverability questions about
 * some of its places ("kept"), for any initial marking.
 *
 * A linear map turns a marking of the net into one of the reduced net.  A
 * marking of the kept places is coverable in one exactly if it is in the other.
 * Each reduction preserves that:
 *
 *  cone        removes places and transitions without a path to a kept place;
 *  useless     removes transitions that add no token;
 *  dominated   removes a transition if another one, with no more inputs and
 *              resets, always leaves at least as many tokens;
 *  fused       removes a place whose producers have no other output and no
 *              inputs that are ever reset: each producer is delayed until a
 *              consumer of the place fires, and the pair becomes one;
 *  substituted removes a place whose only consumer takes one token of it and
 *              nothing else, and resets nothing: a token of the place counts
 *              as the outputs of the consumer.  Both must be reset by the same
 *              transitions (the sets are compared, not their hashes).
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
	/* Per place of the original: the image of one token. */
	uint32_t *image_starts;
	struct wf_arc *images;
	/*
	 * Per transition of net: the transitions of the original that it
	 * represents.
	 */
	struct wf_lists steps;
	/* Per place of the original: the transitions that substitute it. */
	struct wf_lists turns;
};

/*
 * kept: set of places; they become the first places of the reduced net, in
 * order.  steps: the reductions to apply.  net is not copied and must outlive
 * the result, which is freed with wf_reduction_free().
 */
struct wf_reduction *wf_reduce(
    const struct wf_petri *net, const uint64_t *kept, unsigned steps);
void wf_reduction_free(struct wf_reduction **reduction);
/* The marking of the reduced net for a marking of the original. */
void wf_reduction_project(const struct wf_reduction *reduction,
    const uint32_t *tokens, uint32_t *reduced_out);
/*
 * Translates a firing sequence of the reduced net, from the projection of
 * tokens, into one of the original, from tokens.  False: the result would be
 * too long.  wanted: no place needs more tokens than this at the end.
 */
bool wf_reduction_expand(const struct wf_reduction *reduction,
    const uint32_t *tokens, const struct wf_firings *trace, uint32_t wanted,
    struct wf_firings *trace_out);

#endif
