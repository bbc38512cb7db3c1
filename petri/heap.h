/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A priority queue of numbers with keys: a binary heap.  Among equal keys the
 * smallest number comes first, so the order is deterministic.
 */
#ifndef WF_PETRI_HEAP_H
#define WF_PETRI_HEAP_H

#include <stdint.h>

#include "base/memory.h"

struct wf_heap {
	uint64_t *entries; /* key << 32 | item */
	uint32_t count;
	uint32_t capacity;
};

static inline void wf_heap_push(
    struct wf_heap *heap, uint32_t key, uint32_t item)
{
	uint64_t entry = (uint64_t)key << 32 | item;
	uint32_t at = heap->count++;

	if (at == heap->capacity) {
		heap->capacity = at == 0 ? 64 : at * 2;
		heap->entries = wf_realloc(
		    heap->entries, heap->capacity * sizeof(uint64_t));
	}
	for (; at > 0 && heap->entries[(at - 1) / 2] > entry; at = (at - 1) / 2)
		heap->entries[at] = heap->entries[(at - 1) / 2];
	heap->entries[at] = entry;
}

/*
 * Removes and returns the item with the smallest key.  The heap is not empty.
 */
static inline uint32_t wf_heap_pop(struct wf_heap *heap, uint32_t *key_out)
{
	uint64_t top = heap->entries[0];
	uint64_t last = heap->entries[--heap->count];
	uint32_t at = 0;
	uint32_t child;

	while ((child = 2 * at + 1) < heap->count) {
		if (child + 1 < heap->count &&
		    heap->entries[child + 1] < heap->entries[child])
			child++;
		if (heap->entries[child] >= last)
			break;
		heap->entries[at] = heap->entries[child];
		at = child;
	}
	if (heap->count > 0)
		heap->entries[at] = last;
	*key_out = (uint32_t)(top >> 32);
	return (uint32_t)top;
}

static inline void wf_heap_free(struct wf_heap *heap)
{
	wf_free(heap->entries);
	*heap = (struct wf_heap){ NULL, 0, 0 };
}

#endif
