/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The undo log of a step.
 *
 * While a step runs, the old content of each machine word of the state is
 * saved before the word changes, and memory is freed only when the step is
 * kept.  Undoing writes the old words back in reverse order.  Without a log
 * (NULL: a replay) changes are final at once.
 *
 *              wf_undo_word(), wf_undo_alloc(), ...
 *                  +----+
 *                  v    |     wf_undo_keep()        frees what was released
 *   empty ------> in use ---+------------------+--> empty
 *                           +------------------+
 *                             wf_undo_take_back()   restores the words
 *
 * Saving a word does not check for room.  wf_undo_room() makes room once per
 * event, and in functions that change many things; WF_UNDO_SLACK entries are
 * always left behind that.
 */
#ifndef WF_KERNEL_UNDO_H
#define WF_KERNEL_UNDO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/panic.h"
#include "data/value.h"

#define WF_UNDO_SPARES 16
#define WF_UNDO_SLACK 64

/* Eight bytes of any type. */
typedef uint64_t __attribute__((may_alias)) wf_word;

struct wf_undo_word {
	wf_word *address;
	uint64_t old;
};

/* Something to free: a block of memory, or a reference to a value. */
struct wf_undo_memory {
	void *pointer;
	uint32_t size;	/* of a block, in bytes; 0: it is a value */
	bool when_kept; /* otherwise freed when the step is undone */
};

struct wf_undo {
	struct wf_undo_word *words;
	struct wf_undo_word *next; /* after the last entry */
	struct wf_undo_word *end;  /* WF_UNDO_SLACK entries follow it */
	struct wf_undo_memory *memory;
	struct wf_undo_memory *next_memory; /* after the last entry */
	struct wf_undo_memory *end_memory;
	/* Zero or more blocks of the most common size, for the next step. */
	uint32_t spare_size;
	uint32_t spare_count;
	bool huge; /* it holds more memory than a log keeps between steps */
	/* The alarms that the step has ended, for wf_step_ended_alarms(). */
	uint32_t note_count;
	uint32_t note_capacity;
	uint32_t *notes;
	void *spares[WF_UNDO_SPARES];
};

/* spare_size: blocks of this many bytes are kept for reuse. */
struct wf_undo *wf_undo_new(size_t spare_size);
void wf_undo_free(struct wf_undo **undo);
void wf_undo_grow(struct wf_undo *undo, size_t count);
/* Makes room for one entry of memory, so that adding it cannot fail. */
void wf_undo_reserve(struct wf_undo *undo);
void *wf_undo_alloc_new(struct wf_undo *undo, size_t size);
/* A zeroed block, freed if the step is undone. */
static inline void *wf_undo_alloc(struct wf_undo *undo, size_t size)
{
	void *block;

	if (undo == NULL || size != undo->spare_size ||
	    undo->spare_count == 0 || undo->next_memory == undo->end_memory)
		return wf_undo_alloc_new(undo, size);
	block = memset(undo->spares[--undo->spare_count], 0, size);
	*undo->next_memory++ =
	    (struct wf_undo_memory){ block, (uint32_t)size, false };
	return block;
}
/* Frees a block when the step is kept; size: in bytes, as allocated. */
static inline void wf_undo_release(
    struct wf_undo *undo, void *block, size_t size)
{
	/* Size 0 would mean a value, and a truncated size another block. */
	wf_assert(size > 0 && size <= UINT32_MAX);
	if (undo == NULL) {
		wf_free(block);
		return;
	}
	if (undo->next_memory == undo->end_memory)
		wf_undo_reserve(undo);
	*undo->next_memory++ =
	    (struct wf_undo_memory){ block, (uint32_t)size, true };
}
/* Drops a reference when the step is kept (when_kept) or when it is undone. */
void wf_undo_drop(struct wf_undo *undo, struct wf_value *value, bool when_kept);
/* Notes an alarm that the step ends; 0: none. */
void wf_undo_note(struct wf_undo *undo, uint32_t alarm);
void wf_undo_keep(struct wf_undo *undo);
void wf_undo_take_back(struct wf_undo *undo);

/* Makes room for count words (at least one) and WF_UNDO_SLACK more. */
static inline void wf_undo_room(struct wf_undo *undo, size_t count)
{
	ptrdiff_t size = (ptrdiff_t)(count * sizeof(struct wf_undo_word));

	if (undo != NULL && (char *)undo->end - (char *)undo->next < size)
		wf_undo_grow(undo, count);
}

/* Saves the aligned eight bytes around a field that is about to change. */
static inline void wf_undo_word(struct wf_undo *undo, void *field)
{
	struct wf_undo_word *entry;

	if (undo == NULL)
		return;
	entry = undo->next++;
	entry->address = (wf_word *)((uintptr_t)field & ~(uintptr_t)7);
	entry->old = *entry->address;
}

/* The same for count words; makes room first. */
static inline void wf_undo_words(
    struct wf_undo *undo, void *first, size_t count)
{
	wf_word *words = first;
	struct wf_undo_word *entry;

	if (undo == NULL)
		return;
	wf_undo_room(undo, count);
	entry = undo->next;
	undo->next += count;
	for (size_t i = 0; i < count; i++)
		entry[i] = (struct wf_undo_word){ &words[i], words[i] };
}

/* Assigns to a field of at most eight bytes, saving the old content. */
#define WF_CHANGE(c, field, to)                                                \
	(wf_undo_word((c)->undo, &(field)), (field) = (to))

#endif
