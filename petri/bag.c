/* SPDX-License-Identifier: Apache-2.0 */
/* Stores of markings: an array, and a hash table that compares contents. */
#include "petri/bag.h"

#include <string.h>

void wf_bags_init(struct wf_bags *store)
{
	*store = (struct wf_bags){ .arena = wf_arena_new(), .table_size = 64 };
	store->table = wf_calloc(store->table_size, sizeof(*store->table));
}

void wf_bags_free(struct wf_bags *store)
{
	wf_arena_free(&store->arena);
	wf_free(store->bags);
	wf_free(store->table);
	*store = (struct wf_bags){ .arena = NULL };
}

struct wf_bag wf_bag_of(const struct wf_arc *arcs, uint32_t count)
{
	struct wf_bag bag = { arcs, 0, 0, count };
	uint64_t hash = 0;

	for (uint32_t i = 0; i < count; i++) {
		bag.signature |= wf_place_bit(arcs[i].place);
		hash ^= (uint64_t)arcs[i].place << 32 | arcs[i].weight;
		hash *= UINT64_C(0x9E3779B97F4A7C15);
		hash ^= hash >> 29;
	}
	bag.hash = (uint32_t)(hash >> 32) ^ (uint32_t)hash;
	return bag;
}

static bool same(const struct wf_bag *a, const struct wf_bag *b)
{
	return a->hash == b->hash && a->count == b->count &&
	       a->signature == b->signature &&
	       (a->count == 0 ||
		   memcmp(a->arcs, b->arcs, a->count * sizeof(*a->arcs)) == 0);
}

/* The slot of the bag in the table, or the free slot for it. */
static uint32_t slot_of(const struct wf_bags *store, const struct wf_bag *bag)
{
	uint32_t mask = store->table_size - 1;
	uint32_t slot = bag->hash & mask;

	while (store->table[slot] != 0 &&
	       !same(&store->bags[store->table[slot] - 1], bag))
		slot = (slot + 1) & mask;
	return slot;
}

static void grow_table(struct wf_bags *store)
{
	uint32_t mask = store->table_size * 2 - 1;

	wf_free(store->table);
	store->table_size *= 2;
	store->table = wf_calloc(store->table_size, sizeof(*store->table));
	for (uint32_t i = 0; i < store->count; i++) {
		uint32_t slot = store->bags[i].hash & mask;

		while (store->table[slot] != 0)
			slot = (slot + 1) & mask;
		store->table[slot] = i + 1;
	}
}

uint32_t wf_bags_add(
    struct wf_bags *store, const struct wf_bag *bag, bool *added_out)
{
	uint32_t slot = slot_of(store, bag);
	struct wf_arc *arcs;

	*added_out = store->table[slot] == 0;
	if (!*added_out)
		return store->table[slot] - 1;
	if (store->count == store->capacity) {
		store->capacity = store->count == 0 ? 64 : store->count * 2;
		store->bags = wf_realloc(
		    store->bags, store->capacity * sizeof(*store->bags));
	}
	arcs = wf_arena_array(store->arena, bag->count, sizeof(*arcs));
	if (bag->count > 0)
		memcpy(arcs, bag->arcs, bag->count * sizeof(*arcs));
	store->bags[store->count] = *bag;
	store->bags[store->count].arcs = arcs;
	store->table[slot] = ++store->count;
	if (store->count > store->table_size / 2)
		grow_table(store);
	return store->count - 1;
}

bool wf_bag_below(const struct wf_bag *a, const struct wf_bag *b)
{
	uint32_t k = 0;

	if ((a->signature & ~b->signature) != 0 || a->count > b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++) {
		while (k < b->count && b->arcs[k].place < a->arcs[i].place)
			k++;
		if (k == b->count || b->arcs[k].place != a->arcs[i].place ||
		    b->arcs[k].weight < a->arcs[i].weight)
			return false;
	}
	return true;
}

bool wf_arcs_below(
    const struct wf_arc *arcs, uint32_t count, const uint32_t *tokens)
{
	for (uint32_t i = 0; i < count; i++)
		if (tokens[arcs[i].place] < arcs[i].weight)
			return false;
	return true;
}
