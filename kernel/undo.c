/* SPDX-License-Identifier: Apache-2.0 */
/* The undo log of a step: old words, and memory to free at its end. */
#include "kernel/undo.h"

#include "base/memory.h"
#include "base/panic.h"

/* Number of entries for which a log keeps memory between two steps. */
#define KEPT_ENTRIES 65536U

struct wf_undo *wf_undo_new(size_t spare_size)
{
	struct wf_undo *undo = wf_calloc(1, sizeof(*undo));

	wf_assert(spare_size > 0 && spare_size <= UINT32_MAX);
	undo->spare_size = (uint32_t)spare_size;
	return undo;
}

void wf_undo_free(struct wf_undo **undo)
{
	if (*undo == NULL)
		return;
	while ((*undo)->spare_count > 0)
		wf_free((*undo)->spares[--(*undo)->spare_count]);
	/* A step that was neither kept nor undone would leak its blocks. */
	wf_assert((*undo)->next == (*undo)->words);
	wf_assert((*undo)->next_memory == (*undo)->memory);
	wf_free((*undo)->words);
	wf_free((*undo)->memory);
	wf_free((*undo)->notes);
	wf_free(*undo);
	*undo = NULL;
}

void wf_undo_grow(struct wf_undo *undo, size_t count)
{
	size_t used = (size_t)(undo->next - undo->words);
	size_t capacity = (used + count) * 2;

	wf_assert(undo->next - undo->end <= WF_UNDO_SLACK);
	undo->words = wf_realloc(
	    undo->words, (capacity + WF_UNDO_SLACK) * sizeof(*undo->words));
	undo->next = undo->words + used;
	undo->end = undo->words + capacity;
	undo->huge |= capacity > KEPT_ENTRIES;
}

static void grow_memory(struct wf_undo *undo)
{
	size_t count = (size_t)(undo->next_memory - undo->memory);
	size_t capacity = count == 0 ? 16 : count * 2;

	undo->memory =
	    wf_realloc(undo->memory, capacity * sizeof(*undo->memory));
	undo->next_memory = undo->memory + count;
	undo->end_memory = undo->memory + capacity;
	undo->huge |= capacity > KEPT_ENTRIES;
}

void wf_undo_reserve(struct wf_undo *undo)
{
	if (undo != NULL && undo->next_memory == undo->end_memory)
		grow_memory(undo);
}

static inline void add_memory(
    struct wf_undo *undo, void *pointer, size_t size, bool when_kept)
{
	struct wf_undo_memory *entry = undo->next_memory++;

	wf_assert(entry < undo->end_memory);
	wf_assert(size <= UINT32_MAX);
	entry->pointer = pointer;
	entry->size = (uint32_t)size;
	entry->when_kept = when_kept;
}

/* wf_undo_alloc() without a spare block, or without room for an entry. */
void *wf_undo_alloc_new(struct wf_undo *undo, size_t size)
{
	void *block;

	if (undo == NULL)
		return wf_calloc(1, size);
	wf_undo_reserve(undo);
	block = wf_calloc(1, size);
	wf_assert(size > 0); /* 0 means a value */
	add_memory(undo, block, size, false);
	return block;
}

void wf_undo_drop(struct wf_undo *undo, struct wf_value *value, bool when_kept)
{
	if (value == NULL)
		return;
	if (undo != NULL) {
		wf_undo_reserve(undo);
		add_memory(undo, value, 0, when_kept);
	} else if (when_kept) {
		wf_value_unref(&value);
	}
}

void wf_undo_note(struct wf_undo *undo, uint32_t alarm)
{
	if (undo == NULL || alarm == 0)
		return;
	if (undo->note_count == undo->note_capacity) {
		undo->note_capacity =
		    undo->note_capacity == 0 ? 16 : undo->note_capacity * 2;
		undo->notes = wf_realloc(
		    undo->notes, undo->note_capacity * sizeof(*undo->notes));
	}
	undo->notes[undo->note_count++] = alarm;
}

static void release(struct wf_undo *undo, const struct wf_undo_memory *entry)
{
	struct wf_value *value;

	if (entry->size == 0) {
		value = entry->pointer;
		wf_value_unref(&value);
	} else if (entry->size == undo->spare_size &&
		   undo->spare_count < WF_UNDO_SPARES) {
		undo->spares[undo->spare_count++] = entry->pointer;
	} else {
		wf_free(entry->pointer);
	}
}

/* Memory that a huge step needed is freed at its end. */
static __attribute__((noinline)) void shrink(struct wf_undo *undo)
{
	wf_free(undo->words);
	wf_free(undo->memory);
	undo->words = undo->end = NULL;
	undo->memory = undo->end_memory = NULL;
	undo->huge = false;
}

static void finish(struct wf_undo *undo, bool kept)
{
	/* No entry was written beyond the memory of the log. */
	for (const struct wf_undo_memory *entry = undo->memory;
	     entry != undo->next_memory; entry++) {
		if (entry->when_kept == kept)
			release(undo, entry);
	}
	if (undo->huge)
		shrink(undo);
	undo->next = undo->words;
	undo->next_memory = undo->memory;
}

void wf_undo_keep(struct wf_undo *undo)
{
	finish(undo, true);
}

void wf_undo_take_back(struct wf_undo *undo)
{
	while (undo->next > undo->words) {
		undo->next--;
		*undo->next->address = undo->next->old;
	}
	finish(undo, false);
}
