/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking a step back.
 *
 * While a step runs, the old content of every word of the state that is
 * changed is noted first, and memory is given back only when the step is
 * kept.  Taking back writes the old words in reverse order.  Without a log
 * (NULL: a replay) changes are final at once.
 *
 * A note does not look whether there is room for it.  Room is made with
 * wf_undo_room() for each event, and by whatever is called once for each of
 * many things; behind that WF_UNDO_SLACK words are always left.
 */
#ifndef WF_KERNEL_UNDO_H
#define WF_KERNEL_UNDO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "data/value.h"

#define WF_UNDO_SPARES 16
#define WF_UNDO_SLACK 64

/* Eight bytes of whatever type. */
typedef uint64_t __attribute__((may_alias)) wf_word;

struct wf_undo_word {
	wf_word *address;
	uint64_t old;
};

/* Something to give back: a block of memory, or a reference to a value. */
struct wf_undo_memory {
	void *pointer;
	uint32_t size;	/* of a block; 0: it is a value */
	bool when_kept; /* else: when taken back */
};

struct wf_undo {
	struct wf_undo_word *words;
	struct wf_undo_word *next; /* behind the last one */
	struct wf_undo_word *end;  /* WF_UNDO_SLACK words are behind it */
	struct wf_undo_memory *memory;
	struct wf_undo_memory *next_memory; /* behind the last one */
	struct wf_undo_memory *end_memory;
	/* Blocks of the size that is needed most often, for the next step. */
	uint32_t spare_size;
	uint32_t spare_count;
	bool huge; /* it has room for more than is kept */
	void *spares[WF_UNDO_SPARES];
};

/* spare_size: the size of block of which a few are kept for reuse. */
struct wf_undo *wf_undo_new(size_t spare_size);
void wf_undo_free(struct wf_undo **undo);
void wf_undo_grow(struct wf_undo *undo, size_t count);
/* Makes room for one note, so that noting cannot fail. */
void wf_undo_reserve(struct wf_undo *undo);
void *wf_undo_alloc_new(struct wf_undo *undo, size_t size);
/* A zeroed block, given back when the step is taken back. */
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
/* Gives a block back when the step is kept. */
static inline void wf_undo_release(
    struct wf_undo *undo, void *block, size_t size)
{
	if (undo == NULL) {
		wf_free(block);
		return;
	}
	if (undo->next_memory == undo->end_memory)
		wf_undo_reserve(undo);
	*undo->next_memory++ =
	    (struct wf_undo_memory){ block, (uint32_t)size, true };
}
/* Drops a reference when the step is kept, or when it is taken back. */
void wf_undo_drop(struct wf_undo *undo, struct wf_value *value, bool when_kept);
void wf_undo_keep(struct wf_undo *undo);
void wf_undo_take_back(struct wf_undo *undo);

/* Makes room for count notes (at least one) and WF_UNDO_SLACK more. */
static inline void wf_undo_room(struct wf_undo *undo, size_t count)
{
	ptrdiff_t size = (ptrdiff_t)(count * sizeof(struct wf_undo_word));

	if (undo != NULL && (char *)undo->end - (char *)undo->next < size)
		wf_undo_grow(undo, count);
}

/* Notes the eight aligned bytes around a field that is about to change. */
static inline void wf_undo_word(struct wf_undo *undo, void *field)
{
	struct wf_undo_word *entry;

	if (undo == NULL)
		return;
	entry = undo->next++;
	entry->address = (wf_word *)((uintptr_t)field & ~(uintptr_t)7);
	entry->old = *entry->address;
}

/* The same for count words, making room first. */
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

/* Assigns to a field of at most eight bytes, noting what was there. */
#define WF_CHANGE(c, field, to)                                                \
	(wf_undo_word((c)->undo, &(field)), (field) = (to))

#endif
