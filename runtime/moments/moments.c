/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table by the number of the case, and a list by use.  A state is
 * immutable: who holds one reads it without the lock, also when it has been
 * forgotten meanwhile.  Nothing is allocated under the lock, because a failure
 * leaves the function that asked.
 */
#include "runtime/moments/moments.h"

#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "base/panic.h"

#define BUCKETS 1024U
/* So much of the maximum may be one state. */
#define SHARE 8U

struct kept {
	struct moment_state state; /* first */
	struct kept *next;	   /* in its bucket */
	struct kept *older;
	struct kept *newer;
	size_t charged;
	unsigned users;
	bool is_base;
	bool is_forgotten; /* freed by its last user */
};

struct moments {
	pthread_mutex_t lock;
	struct kept *buckets[BUCKETS];
	struct kept *newest;
	struct kept *oldest;
	size_t bytes;
	size_t maximum;
};

struct moments *wf_moments_new(size_t maximum)
{
	struct moments *states = wf_calloc(1, sizeof(*states));

	pthread_mutex_init(&states->lock, NULL);
	states->maximum = maximum;
	return states;
}

static struct kept **bucket(struct moments *states, uint64_t number)
{
	uint64_t mixed = number * UINT64_C(0x9E3779B97F4A7C15) >> 32;

	return &states->buckets[mixed % BUCKETS];
}

static void unlink_used(struct moments *states, struct kept *kept)
{
	if (kept->older != NULL)
		kept->older->newer = kept->newer;
	else
		states->oldest = kept->newer;
	if (kept->newer != NULL)
		kept->newer->older = kept->older;
	else
		states->newest = kept->older;
}

static void link_newest(struct moments *states, struct kept *kept)
{
	kept->newer = NULL;
	kept->older = states->newest;
	if (states->newest != NULL)
		states->newest->newer = kept;
	else
		states->oldest = kept;
	states->newest = kept;
}

/* Under the lock. */
static void forget(struct moments *states, struct kept *kept)
{
	struct kept **place = bucket(states, kept->state.number);

	while (*place != kept) {
		wf_assert(*place != NULL);
		place = &(*place)->next;
	}
	*place = kept->next;
	unlink_used(states, kept);
	wf_assert(states->bytes >= kept->charged);
	states->bytes -= kept->charged;
	kept->is_forgotten = true;
	if (kept->users == 0)
		wf_free(kept);
}

void wf_moments_free(struct moments **states)
{
	struct moments *old = *states;

	*states = NULL;
	if (old == NULL)
		return;
	while (old->oldest != NULL) {
		wf_assert(old->oldest->users == 0);
		forget(old, old->oldest);
	}
	wf_assert(old->bytes == 0);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

const struct moment_state *wf_moments_find(
    struct moments *states, uint64_t number, uint64_t sequence)
{
	struct kept *best = NULL;

	pthread_mutex_lock(&states->lock);
	for (struct kept *at = *bucket(states, number); at != NULL;
	     at = at->next)
		if (at->state.number == number &&
		    at->state.sequence <= sequence &&
		    (best == NULL || at->state.sequence > best->state.sequence))
			best = at;
	if (best != NULL) {
		best->users++;
		unlink_used(states, best);
		link_newest(states, best);
	}
	pthread_mutex_unlock(&states->lock);
	return best == NULL ? NULL : &best->state;
}

void wf_moments_let_go(
    struct moments *states, const struct moment_state **state)
{
	struct kept *kept = (struct kept *)*state;
	bool is_last;

	if (kept == NULL)
		return;
	*state = NULL;
	pthread_mutex_lock(&states->lock);
	wf_assert(kept->users > 0);
	is_last = --kept->users == 0 && kept->is_forgotten;
	pthread_mutex_unlock(&states->lock);
	if (is_last)
		wf_free(kept);
}

/* Whether a state of the case is in the way of a new one. */
static bool gives_way(
    const struct kept *kept, const struct moment_state *state, bool is_base)
{
	if (kept->state.number != state->number)
		return false;
	return kept->state.sequence == state->sequence
		   ? is_base || !kept->is_base
		   : !is_base && !kept->is_base;
}

static bool has_base(struct moments *states, const struct moment_state *state)
{
	const struct kept *at = *bucket(states, state->number);

	while (
	    at != NULL && !(at->is_base && at->state.number == state->number &&
			      at->state.sequence == state->sequence))
		at = at->next;
	return at != NULL;
}

static void insert(struct moments *states, struct kept *kept)
{
	struct kept **place = bucket(states, kept->state.number);
	struct kept *next;

	for (struct kept *at = *place; at != NULL; at = next) {
		next = at->next;
		if (gives_way(at, &kept->state, kept->is_base))
			forget(states, at);
	}
	kept->next = *place;
	*place = kept;
	link_newest(states, kept);
	states->bytes += kept->charged;
	while (states->bytes > states->maximum && states->oldest != kept)
		forget(states, states->oldest);
}

void wf_moments_keep(
    struct moments *states, const struct moment_state *state, bool is_base)
{
	struct kept *kept;
	bool is_known;

	if (state->size > states->maximum / SHARE)
		return;
	kept = wf_calloc(1, sizeof(*kept) + state->size);
	kept->state = *state;
	kept->state.bytes = memcpy(kept + 1, state->bytes, state->size);
	kept->is_base = is_base;
	kept->charged = sizeof(*kept) + state->size;
	pthread_mutex_lock(&states->lock);
	is_known = has_base(states, state);
	if (!is_known)
		insert(states, kept);
	pthread_mutex_unlock(&states->lock);
	if (is_known)
		wf_free(kept);
}

void wf_moments_forget(struct moments *states, uint64_t number)
{
	struct kept *next;

	pthread_mutex_lock(&states->lock);
	for (struct kept *at = *bucket(states, number); at != NULL; at = next) {
		next = at->next;
		if (at->state.number == number)
			forget(states, at);
	}
	pthread_mutex_unlock(&states->lock);
}
