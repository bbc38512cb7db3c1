/* SPDX-License-Identifier: Apache-2.0 */
/* The log of a step: old words, and memory to give back. */
#include "engine/undo.h"

#include "base/memory.h"

void wf_undo_grow(struct wf_undo *undo)
{
	size_t capacity =
	    undo->word_capacity == 0 ? 64 : undo->word_capacity * 2;

	undo->words = wf_realloc(undo->words, capacity * sizeof(*undo->words));
	undo->word_capacity = capacity;
}

static void give_back(void *pointer, bool is_value)
{
	if (is_value) {
		struct wf_value *value = pointer;

		wf_value_unref(&value);
	} else {
		wf_free(pointer);
	}
}

void wf_undo_reserve(struct wf_undo *undo)
{
	size_t capacity;

	if (undo == NULL || undo->memory_count < undo->memory_capacity)
		return;
	capacity = undo->memory_capacity == 0 ? 16 : undo->memory_capacity * 2;
	undo->memory =
	    wf_realloc(undo->memory, capacity * sizeof(*undo->memory));
	undo->memory_capacity = capacity;
}

void wf_undo_note(
    struct wf_undo *undo, void *pointer, bool is_value, bool when_kept)
{
	struct wf_undo_memory *entry;

	if (pointer == NULL)
		return;
	if (undo == NULL) {
		if (when_kept)
			give_back(pointer, is_value);
		return;
	}
	wf_undo_reserve(undo);
	entry = &undo->memory[undo->memory_count++];
	entry->pointer = pointer;
	entry->is_value = is_value;
	entry->when_kept = when_kept;
}

static void finish(struct wf_undo *undo, bool kept)
{
	for (size_t i = 0; i < undo->memory_count; i++) {
		struct wf_undo_memory *entry = &undo->memory[i];

		if (entry->when_kept == kept)
			give_back(entry->pointer, entry->is_value);
	}
	undo->word_count = 0;
	undo->memory_count = 0;
}

void wf_undo_keep(struct wf_undo *undo)
{
	finish(undo, true);
}

void wf_undo_take_back(struct wf_undo *undo)
{
	for (size_t i = undo->word_count; i-- > 0;)
		memcpy(undo->words[i].address, &undo->words[i].old,
		    sizeof(undo->words[i].old));
	finish(undo, false);
}

struct wf_undo *wf_undo_new(void)
{
	return wf_calloc(1, sizeof(struct wf_undo));
}

void wf_undo_free(struct wf_undo **undo)
{
	if (*undo == NULL)
		return;
	wf_free((*undo)->words);
	wf_free((*undo)->memory);
	wf_free(*undo);
	*undo = NULL;
}
