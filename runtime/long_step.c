/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long steps: those that take more work than their batch has for them.  They
 * are made outside, in a thread of their own, one after the other, each on a
 * copy of its case.  In each round an account has one; the due commands are
 * together like an account.  If the case is still the same, a batch makes the
 * copy the case; else the step is made again.
 *
 *   FATE_LONG ─► WAITING ─► RUNNING ─► MADE: in the queue of its shard again
 *                   ▲                    │
 *                   │ the case has       │ batch
 *                   └─ changed ──────────┴─► answered, freed
 *
 * Later requests to the case follow it in their order: otherwise they would
 * change the case during each attempt.  All lists but the one of what waits
 * belong to the thread of the shard.
 */
#include "runtime/batch.h"

#include <string.h>

#include "base/panic.h"

/* Steps of callers that wait at a time; due commands are bounded elsewhere. */
#define LONG_MAXIMUM 256U
#define LONG_MAXIMUM_EACH 64U
/* Attempts, when others change the case each time. */
#define LONG_TRIES 5U

/* --- the shard's list ----------------------------------------------------- */

static struct long_step *find(const struct shard *shard, uint64_t number)
{
	struct long_step *l = shard->long_steps;

	while (l != NULL && (l->pending->number != number || number == 0))
		l = l->next;
	return l;
}

enum long_hold wf_long_hold(struct shard *shard, struct pending *pending)
{
	size_t maximum = shard->engine->settings.queue_bytes / 4;
	struct long_step *l = find(shard, pending->number);

	if (l == NULL || l->pending == pending)
		return LONG_HOLD_NONE;
	if (pending->due == NULL &&
	    atomic_load(&shard->held_bytes) + pending->size > maximum)
		return LONG_HOLD_FULL;
	wf_queue_put(&l->followers, pending);
	atomic_fetch_add(&shard->held_bytes, pending->size);
	atomic_fetch_add(&shard->held_count, 1);
	return LONG_HOLD_HELD;
}

static struct long_step *new_long_step(
    struct shard *shard, struct pending *pending)
{
	struct long_step *l = wf_calloc(1, sizeof(*l));

	l->shard = shard;
	l->pending = pending;
	wf_queue_init(&l->followers);
	l->next = shard->long_steps;
	shard->long_steps = l;
	pending->long_step = l;
	atomic_fetch_add(&shard->held_bytes, pending->size);
	atomic_fetch_add(&shard->held_count, 1);
	atomic_fetch_add(&shard->engine->long_count, 1);
	return l;
}

/* Frees what the last attempt made. */
static void forget(struct long_step *l)
{
	struct cache none = { .specs = l->shard->engine->specs };

	wf_cached_free(&none, &l->cached);
	if (l->step.magic != 0)
		wf_step_free(&l->step);
	l->step.magic = 0;
	l->is_made = false;
}

void wf_long_end(struct shard *shard, struct pending *pending)
{
	struct long_step *l = pending->long_step;
	struct long_step **at = &shard->long_steps;

	if (l == NULL)
		return;
	wf_assert(l->pending == pending && l->state != LONG_RUNNING);
	while (*at != l)
		at = &(*at)->next;
	*at = l->next;
	atomic_fetch_sub(
	    &shard->held_bytes, pending->size + l->followers.bytes);
	atomic_fetch_sub(&shard->held_count, 1 + l->followers.count);
	atomic_fetch_sub(&shard->engine->long_count, 1);
	wf_queue_join(&shard->released, &l->followers);
	forget(l);
	pending->long_step = NULL;
	wf_free(l);
}

/* --- what waits ----------------------------------------------------------- */

/* Whether both are for one account, or due. */
static bool are_alike(const struct pending *a, const struct pending *b)
{
	if (a->due != NULL || b->due != NULL)
		return a->due != NULL && b->due != NULL;
	return a->request.namespace_id == b->request.namespace_id &&
	       strcmp(a->request.actor, b->request.actor) == 0;
}

/* Whether the account of the request has as many that wait as it may. */
static bool has_many(struct wf_engine *engine, const struct pending *pending)
{
	unsigned count = 0;

	pthread_mutex_lock(&engine->lock);
	for (const struct long_step *l = engine->long_steps; l != NULL;
	     l = l->behind)
		count += are_alike(l->pending, pending);
	pthread_mutex_unlock(&engine->lock);
	return count >= LONG_MAXIMUM_EACH;
}

/*
 * In the next round, or the round after the last one of its account.  So those
 * of others that come later never delay it without end.
 */
static void wait_for_turn(struct wf_engine *engine, struct long_step *l)
{
	struct long_step **at = &engine->long_steps;
	unsigned is_due = l->pending->due != NULL;

	pthread_mutex_lock(&engine->lock);
	l->state = LONG_WAITING;
	l->round = engine->long_round + 1;
	for (const struct long_step *other = *at; other != NULL;
	     other = other->behind)
		if (are_alike(other->pending, l->pending))
			l->round = other->round + 1;
	/* Of a round, the one that is due is the first: its claim ends. */
	while (*at != NULL && (*at)->round + is_due <= l->round)
		at = &(*at)->behind;
	l->behind = *at;
	*at = l;
	pthread_cond_signal(&engine->long_wake);
	pthread_mutex_unlock(&engine->lock);
}

/* More than a long step takes with the default limits. */
#define CLAIM_PER_STEP_MS INT64_C(10000)

int64_t wf_long_claim_ms(const struct shard *shard)
{
	int64_t waiting = atomic_load(&shard->engine->long_count);

	/* Others may come in between, in the rounds before its own. */
	return WF_DUE_COMMAND_LEASE_MS + 2 * CLAIM_PER_STEP_MS * (waiting + 1);
}

bool wf_long_begin(struct shard *shard, struct pending *pending)
{
	struct wf_engine *engine = shard->engine;
	struct long_step *l = pending->long_step;

	wf_assert(pending->fate == FATE_LONG && pending->number != 0);
	if (atomic_load(&engine->closing)) {
		wf_pending_fail(
		    pending, WF_UNAVAILABLE, "the engine is being stopped");
		return false;
	}
	if (l == NULL && pending->due == NULL &&
	    (atomic_load(&engine->long_count) >= LONG_MAXIMUM ||
		has_many(engine, pending))) {
		wf_pending_fail(pending, WF_UNAVAILABLE,
		    "too many long steps wait: try again later");
		return false;
	}
	if (l == NULL)
		l = new_long_step(shard, pending);
	else
		forget(l);
	if (l->tries++ == LONG_TRIES) {
		wf_pending_fail(pending, WF_UNAVAILABLE,
		    "the case, or what its items need, was changed during "
		    "each of %u attempts to make a long step: try again later",
		    LONG_TRIES);
		return false;
	}
	wait_for_turn(engine, l);
	return true;
}

/* --- making the step ------------------------------------------------------ */

struct making {
	struct wf_engine *engine;
	struct long_step *l;
	struct wf_store *store;
	struct wf_arena *arena;
	enum wf_rc rc;
};

static void load_copy(struct making *making)
{
	struct wf_engine *engine = making->engine;
	struct long_step *l = making->l;
	const struct wf_request *request = &l->pending->request;
	struct wf_stored_case stored;

	if (wf_request_launches(request)) {
		l->cached->namespace_id = request->namespace_id;
		making->rc = wf_specs_use_new(engine->specs, making->store,
		    request->namespace_id, request->launch.specification,
		    &l->cached->spec, &l->err);
		return;
	}
	making->rc = wf_store_case(making->store, l->pending->number, true,
	    making->arena, &stored, &l->err);
	if (making->rc == WF_OK)
		making->rc = wf_cached_load(l->cached, engine->specs,
		    atomic_load(&engine->limits), &stored, making->store,
		    making->store, making->arena, &l->err);
}

static void load_in_guard(void *argument)
{
	load_copy(argument);
}

static enum wf_rc load(struct making *making)
{
	struct long_step *l = making->l;
	struct wf_guard guard;
	enum wf_rc rc =
	    wf_engine_borrow(making->engine, &making->store, &l->err);

	if (rc != WF_OK)
		return rc;
	making->arena = wf_arena_new();
	if (!wf_guard_run(&guard, load_in_guard, making)) {
		/* The case and the handle are in an unknown state. */
		l->cached->instance = NULL;
		wf_store_close(&making->store);
		making->rc = wf_fail(&l->err, WF_BUG, "%s", guard.reason);
	}
	wf_arena_free(&making->arena);
	if (making->store != NULL)
		wf_engine_give_back(making->engine, making->store);
	return making->rc;
}

/*
 * Without a copy nothing is made: the batch reports what is wrong with the
 * case, or the step is tried again.
 */
static void make(struct wf_engine *engine, struct long_step *l)
{
	struct making making = { .engine = engine, .l = l };
	struct wf_people_calls *people;

	atomic_fetch_add(&engine->long_made, 1);
	wf_error_clear(&l->err);
	l->cached = wf_cached_new(l->pending->number);
	if (load(&making) != WF_OK)
		return;
	wf_step_init(&l->step);
	l->step.work_maximum = UINT64_MAX;
	l->step.cancelled = &engine->closing;
	l->at = wf_engine_now(engine);
	people = wf_people_begin(engine, l->at);
	l->rc = wf_step_request(engine, l->pending, l->cached, people, l->at,
	    &l->step, NULL, &l->err);
	if (l->rc == WF_OK)
		l->rc = wf_people_keep(engine, people, &l->err);
	wf_people_end(engine, &people);
	/* A step that the end of the engine interrupted is none. */
	l->is_made = l->rc == WF_OK || !atomic_load(&engine->closing);
}

bool wf_long_turn(struct wf_engine *engine)
{
	struct long_step *l;

	pthread_mutex_lock(&engine->lock);
	l = engine->long_steps;
	if (l != NULL) {
		engine->long_steps = l->behind;
		wf_assert(l->round >= engine->long_round);
		engine->long_round = l->round;
		l->state = LONG_RUNNING;
	}
	pthread_mutex_unlock(&engine->lock);
	if (l == NULL)
		return false;
	make(engine, l);
	l->state = LONG_MADE;
	wf_shard_submit_made(l->shard, l->pending);
	return true;
}
