/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns: which queues are called now.
 *
 * A call takes one of WF_CALLS_AT_ONCE places, until its receiver answers or
 * ten seconds are over.  The queues of one namespace and one kind, which is of
 * subscriptions or of observers, that failed last or did not, are a class.  A
 * class has at most as many places as are free besides.  So receivers that
 * hang leave places to all other classes: a class of them has at most half of
 * all places, a second class a quarter, and so on.
 *
 * In a class that queue goes first whose last call is longest ago.
 */
#include <stdlib.h>

#include "work/subscription/notifier_priv.h"

/* --- places --------------------------------------------------------------- */

static size_t *places_of(const struct wf_target *target)
{
	bool observes = wf_event_queue_id(target->queue) == NULL;

	return &target->share->calls[observes][target->failures > 0];
}

bool wf_turns_have_place(
    const struct wf_turns *turns, const struct wf_target *target)
{
	wf_assert(turns->calls <= WF_CALLS_AT_ONCE);
	return *places_of(target) < WF_CALLS_AT_ONCE - turns->calls;
}

static void count_call(struct wf_turns *turns, const struct wf_target *target)
{
	turns->calls++;
	++*places_of(target);
}

void wf_turns_note_call(struct wf_turns *turns, struct wf_target *target)
{
	wf_assert(target->is_active);
	target->turn = ++turns->last;
	count_call(turns, target);
}

/* --- the order ------------------------------------------------------------ */

static int compare(const void *one, const void *other)
{
	const struct wf_target *a = *(const struct wf_target *const *)one;
	const struct wf_target *b = *(const struct wf_target *const *)other;

	return (a->turn > b->turn) - (a->turn < b->turn);
}

static size_t count_targets(const struct wf_target *first)
{
	size_t count = 0;

	for (const struct wf_target *t = first; t != NULL; t = t->next)
		count++;
	return count;
}

void wf_turns_begin(
    struct wf_turns *turns, struct wf_target *first, struct wf_arena *arena)
{
	const struct wf_target *before = NULL;

	turns->targets = wf_arena_array(
	    arena, count_targets(first) + 1, sizeof(struct wf_target *));
	turns->count = 0;
	turns->calls = 0;
	for (struct wf_target *t = first; t != NULL; t = t->next) {
		/* Those of one namespace follow each other. */
		if (before == NULL || before->namespace_id != t->namespace_id)
			t->share = wf_arena_alloc(arena, sizeof(*t->share));
		else
			t->share = before->share;
		before = t;
		if (t->is_active)
			count_call(turns, t);
		else if (t->is_listed && !t->has_arrived)
			turns->targets[turns->count++] = t;
	}
	qsort(turns->targets, turns->count, sizeof(*turns->targets), compare);
}
