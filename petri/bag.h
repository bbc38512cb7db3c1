/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Markings stored by searches: only the places with tokens, in order.
 *
 * A store holds each marking once; its number is its index in the store.
 * The signature has bit p % 64 for each place p with tokens, so most
 * comparisons cost one operation.
 */
#ifndef WF_PETRI_BAG_H
#define WF_PETRI_BAG_H

#include <stdbool.h>
#include <stddef.h>

#include "petri/net.h"

struct wf_bag {
	const struct wf_arc *arcs;
	uint64_t signature;
	uint32_t hash;
	uint32_t count;
};

struct wf_bags {
	struct wf_arena *arena;
	struct wf_bag *bags;
	uint32_t count;
	uint32_t capacity;
	uint32_t *table; /* number + 1, open addressing */
	uint32_t table_size;
};

void wf_bags_init(struct wf_bags *store);
void wf_bags_free(struct wf_bags *store);
/* Signature and hash of sorted arcs, which are not copied. */
struct wf_bag wf_bag_of(const struct wf_arc *arcs, uint32_t count);
/* The number of the bag; *added_out: it was new, and has been copied. */
uint32_t wf_bags_add(
    struct wf_bags *store, const struct wf_bag *bag, bool *added_out);

static inline uint64_t wf_place_bit(uint32_t place)
{
	return UINT64_C(1) << (place % 64);
}

/* Whether b has at least the tokens of a. */
bool wf_bag_below(const struct wf_bag *a, const struct wf_bag *b);
/* Whether tokens (per place) has at least those of arcs. */
bool wf_arcs_below(
    const struct wf_arc *arcs, uint32_t count, const uint32_t *tokens);

#endif
