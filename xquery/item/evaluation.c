/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One evaluation: its limits, its sequences and its text buffer.
 *
 * Arrays of items are never freed singly.  A released array goes into a list
 * of free arrays by the logarithm of its capacity, and is taken from there
 * again; the list is linked through the first words of the arrays.
 */
#include "xquery/item/evaluation.h"

#include <string.h>

#include "base/panic.h"

/* The sizes of arrays of items are this size times a power of two. */
#define LEAST_ITEMS 4U
#define LARGE_ITEMS 65536U

/* ---- limits ---- */

static enum wf_rc memory_reached(struct wf_dynamic *dynamic)
{
	return wf_fail_code(dynamic->err, WF_LIMIT, "XPDY0130",
	    "the query takes more than %zu bytes of memory",
	    dynamic->memory_limit);
}

enum wf_rc wf_spend(struct wf_dynamic *dynamic, uint64_t steps)
{
	if (dynamic->cancelled != NULL && atomic_load(dynamic->cancelled))
		dynamic->steps_left = 0;
	/* Nothing is left, so whoever shares the budget knows that it ended. */
	wf_charge(dynamic, steps);
	if (dynamic->steps_left == 0)
		return wf_fail_code(dynamic->err, WF_LIMIT, "XPDY0130",
		    "the query takes more steps than are allowed");
	if (wf_arena_size(dynamic->arena) > dynamic->memory_limit)
		return memory_reached(dynamic);
	return WF_OK;
}

enum wf_rc wf_enter(struct wf_dynamic *dynamic)
{
	if (dynamic->depth >= WF_EVAL_DEPTH)
		return wf_fail_code(dynamic->err, WF_LIMIT, "XPDY0130",
		    "the query is nested or recurses too deeply");
	dynamic->depth++;
	return WF_OK;
}

/* ---- sequences ---- */

static unsigned class_of(size_t capacity)
{
	return 63U - (unsigned)__builtin_clzll(capacity);
}

void wf_sequence_release(
    struct wf_dynamic *dynamic, struct wf_sequence *sequence)
{
	struct wf_item **list;

	if (sequence->capacity < LEAST_ITEMS)
		return;
	wf_assert(
	    sequence->items != NULL && sequence->count <= sequence->capacity);
	list = &dynamic->state->free_items[class_of(sequence->capacity)];
	memcpy(sequence->items, list, sizeof(*list));
	*list = sequence->items;
	memset(sequence, 0, sizeof(*sequence));
}

/* Room for capacity items, from a released array if possible. */
static enum wf_rc resize(
    struct wf_dynamic *dynamic, struct wf_sequence *sequence, size_t capacity)
{
	size_t size = capacity * sizeof(struct wf_item);
	size_t count = sequence->count;
	struct wf_item **list = &dynamic->state->free_items[class_of(capacity)];
	bool fits = (capacity & (capacity - 1)) == 0 && *list != NULL;
	struct wf_item *items = *list;

	/* An array has room for the link of the free list. */
	wf_assert(capacity >= LEAST_ITEMS && capacity > count);

	if (fits) {
		memcpy(list, items, sizeof(*list));
	} else {
		if (size + wf_arena_size(dynamic->arena) >
		    dynamic->memory_limit)
			return memory_reached(dynamic);
		items = wf_arena_alloc(dynamic->arena, size);
	}
	if (count > 0)
		memcpy(items, sequence->items, count * sizeof(*items));
	wf_sequence_release(dynamic, sequence);
	sequence->items = items;
	sequence->count = count;
	sequence->capacity = capacity;
	return WF_OK;
}

enum wf_rc wf_sequence_reserve(
    struct wf_dynamic *dynamic, struct wf_sequence *sequence, size_t more)
{
	size_t capacity = sequence->count + more;

	wf_assert(sequence->count <= sequence->capacity && capacity >= more);
	if (sequence->capacity >= capacity || more < LEAST_ITEMS)
		return WF_OK;
	/*
	 * Rounded up to a power of two, so that the array can be used again;
	 * only a large sequence that is filled at once gets its exact size.
	 */
	if (capacity < LARGE_ITEMS || sequence->count > 0)
		capacity = (size_t)2 << class_of(capacity);
	return resize(dynamic, sequence, capacity);
}

/* Twice as many items, or LEAST_ITEMS. */
static enum wf_rc grow(struct wf_dynamic *dynamic, struct wf_sequence *sequence)
{
	size_t capacity = LEAST_ITEMS;

	if (sequence->capacity >= LEAST_ITEMS)
		capacity = (size_t)2 << class_of(sequence->capacity);
	return resize(dynamic, sequence, capacity);
}

enum wf_rc wf_sequence_add(struct wf_dynamic *dynamic,
    struct wf_sequence *sequence, struct wf_item item)
{
	if (sequence->count == sequence->capacity)
		WF_TRY(grow(dynamic, sequence));
	wf_assert(sequence->count < sequence->capacity);
	sequence->items[sequence->count++] = item;
	return WF_OK;
}

enum wf_rc wf_sequence_add_atomic(struct wf_dynamic *dynamic,
    struct wf_sequence *sequence, struct wf_atomic atomic)
{
	struct wf_item item;

	item.is_node = false;
	item.as.atomic = atomic;
	return wf_sequence_add(dynamic, sequence, item);
}

enum wf_rc wf_sequence_add_node(
    struct wf_dynamic *dynamic, struct wf_sequence *sequence, xmlNode *node)
{
	struct wf_item item;

	memset(&item, 0, sizeof(item));
	item.is_node = true;
	item.as.node = node;
	return wf_sequence_add(dynamic, sequence, item);
}

enum wf_rc wf_sequence_add_all(struct wf_dynamic *dynamic,
    struct wf_sequence *sequence, const struct wf_sequence *more)
{
	wf_charge(dynamic, more->count / 4);
	WF_TRY(wf_sequence_reserve(dynamic, sequence, more->count));
	for (size_t i = 0; i < more->count; i++)
		WF_TRY(wf_sequence_add(dynamic, sequence, more->items[i]));
	return WF_OK;
}

/* ---- the text buffer ---- */

/* A larger buffer is freed before the next text. */
#define KEPT_TEXT ((size_t)1 << 20)

struct wf_buffer *wf_text_begin(struct wf_dynamic *dynamic)
{
	struct wf_buffer *text = &dynamic->text;
	size_t held = wf_arena_size(dynamic->arena);

	if (text->capacity > KEPT_TEXT)
		wf_buffer_free(text);
	wf_buffer_reset(text);
	text->maximum =
	    held < dynamic->memory_limit ? dynamic->memory_limit - held : 0;
	return text;
}
