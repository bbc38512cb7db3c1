/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The turn of a shard: a batch, and what becomes of its requests.
 *
 *   a batch fails ──► the store is away: later, or the callers are told so
 *                 ├─► the answer was lost: again, ids tell what was done
 *                 └─► else in halves, until the culprit is alone: again, and
 *                     if others could be committed meanwhile, set aside
 */
#include "runtime/batch.h"

#include <string.h>

/* Requests of so many bytes go into one batch. */
#define BATCH_BYTES ((size_t)8 << 20)
#define BATCH_MAXIMUM 1024U
/* So often a request is tried while the store fails. */
#define TRIES 3U
#define LOST_TRIES 4U

enum wf_rc wf_shard_open(struct shard *shard, struct wf_engine *engine,
    unsigned index, struct wf_error *err)
{
	shard->engine = engine;
	shard->index = index;
	pthread_mutex_init(&shard->lock, NULL);
	pthread_cond_init(&shard->wake, NULL);
	wf_queue_init(&shard->queue);
	wf_cache_init(
	    &shard->cache, engine->specs, engine->settings.cache_bytes);
	wf_step_init(&shard->step);
	shard->arena = wf_arena_new();
	return wf_store_open(
	    &shard->store, engine->url, engine->settings.flags, err);
}

void wf_shard_close(struct shard *shard)
{
	wf_store_close(&shard->store);
	if (shard->engine == NULL)
		return;
	wf_cache_free(&shard->cache);
	wf_step_free(&shard->step);
	wf_arena_free(&shard->arena);
	wf_free(shard->numbers);
	pthread_cond_destroy(&shard->wake);
	pthread_mutex_destroy(&shard->lock);
}

enum wf_rc wf_shard_submit(struct shard *shard, struct pending *pending,
    bool force, struct wf_error *err)
{
	size_t maximum = shard->engine->settings.queue_bytes;
	bool full;

	pthread_mutex_lock(&shard->lock);
	full = !force && shard->queue.bytes + pending->size > maximum;
	if (!full) {
		wf_queue_put(&shard->queue, pending);
		pthread_cond_signal(&shard->wake);
	}
	pthread_mutex_unlock(&shard->lock);
	if (full)
		return wf_fail(err, WF_UNAVAILABLE,
		    "too many requests wait: try again later");
	return WF_OK;
}

void wf_shard_answer(struct shard *shard, struct pending *pending)
{
	if (pending->answer.rc != WF_OK)
		atomic_fetch_add(&shard->engine->refused, 1);
	if (pending->due != NULL)
		wf_due_over(shard->engine, pending);
	wf_pending_answer(&pending);
}

void wf_shard_drain(struct shard *shard)
{
	struct pending *pending;

	for (;;) {
		pthread_mutex_lock(&shard->lock);
		if (wf_queue_take(&shard->queue, &pending, 1, 0) == 0)
			break;
		pthread_mutex_unlock(&shard->lock);
		wf_pending_fail(
		    pending, WF_UNAVAILABLE, "the engine is being stopped");
		wf_shard_answer(shard, pending);
	}
	pthread_mutex_unlock(&shard->lock);
}

/* --- what becomes of the requests of a batch ------------------------------ */

/* Requests that wait for a later batch. */
struct later {
	struct pending *pendings[BATCH_MAXIMUM];
	size_t count;
	size_t done; /* others */
};

static void put_off(struct later *later, struct pending *pending)
{
	later->pendings[later->count++] = pending;
}

static void answer(
    struct shard *shard, struct pending *pending, struct later *later)
{
	wf_shard_answer(shard, pending);
	later->done++;
}

/* A stopping engine leaves what is due in the store. */
static bool may_wait(const struct shard *shard, const struct pending *pending)
{
	return pending->due != NULL && !atomic_load(&shard->engine->closing);
}

static void set_aside(struct shard *shard, struct pending *pending, bool aside,
    struct later *later)
{
	struct wf_error err = { .rc = WF_OK };

	if (wf_batch_set_aside(shard, pending, aside, &err) != WF_OK &&
	    may_wait(shard, pending))
		put_off(later, pending);
	else
		answer(shard, pending, later);
}

static void settle(struct shard *shard, struct pending **pendings, size_t count,
    struct later *later)
{
	for (size_t i = 0; i < count; i++) {
		struct pending *pending = pendings[i];

		if (pending->fate == FATE_AGAIN)
			put_off(later, pending);
		else if (pending->fate == FATE_ASIDE)
			continue;
		else
			answer(shard, pending, later);
		pendings[i] = NULL;
	}
	/* These need batches of their own, so the arena is theirs now. */
	for (size_t i = 0; i < count; i++)
		if (pendings[i] != NULL)
			set_aside(shard, pendings[i], true, later);
}

/* The store is away, or its answers are. */
static void fail_all(struct shard *shard, struct pending **pendings,
    size_t count, struct later *later, const struct wf_error *err)
{
	for (size_t i = 0; i < count; i++) {
		struct pending *pending = pendings[i];

		if (++pending->failures < TRIES || may_wait(shard, pending)) {
			put_off(later, pending);
			continue;
		}
		wf_pending_fail(pending, err->rc, "%s", err->message);
		answer(shard, pending, later);
	}
}

static void fail_one(struct shard *shard, struct pending *pending,
    struct later *later, const struct wf_error *err)
{
	bool others;

	if (pending->failures++ == 0)
		pending->commits = shard->commits;
	others = shard->commits > pending->commits;
	if (err->rc != WF_LIMIT && (pending->failures < TRIES ||
				       (may_wait(shard, pending) && !others))) {
		put_off(later, pending);
		return;
	}
	wf_pending_fail(pending, err->rc, "%s", err->message);
	if (err->rc == WF_LIMIT && pending->due == NULL)
		answer(shard, pending, later);
	else if (err->rc == WF_LIMIT || others)
		set_aside(shard, pending, err->rc != WF_LIMIT, later);
	else
		answer(shard, pending, later);
}

static void run(struct shard *shard, struct pending **pendings, size_t count,
    struct later *later)
{
	struct wf_error err = { .rc = WF_OK };
	unsigned tries = 0;
	enum wf_rc rc;

	do {
		wf_error_clear(&err);
		rc = wf_batch_run(shard, pendings, count, &err);
	} while (rc == WF_LOST && ++tries < LOST_TRIES);
	if (rc == WF_OK) {
		settle(shard, pendings, count, later);
	} else if (rc == WF_UNAVAILABLE || rc == WF_LOST) {
		fail_all(shard, pendings, count, later, &err);
	} else if (count == 1) {
		fail_one(shard, pendings[0], later, &err);
	} else {
		run(shard, pendings, count / 2, later);
		run(shard, pendings + count / 2, count - count / 2, later);
	}
}

bool wf_shard_turn(struct shard *shard)
{
	struct pending *pendings[BATCH_MAXIMUM];
	size_t maximum = shard->engine->settings.batch;
	struct later later = { .count = 0 };
	size_t count;

	if (maximum == 0 || maximum > BATCH_MAXIMUM)
		maximum = BATCH_MAXIMUM;
	pthread_mutex_lock(&shard->lock);
	count = wf_queue_take(&shard->queue, pendings, maximum, BATCH_BYTES);
	pthread_mutex_unlock(&shard->lock);
	if (count == 0)
		return false;
	run(shard, pendings, count, &later);
	pthread_mutex_lock(&shard->lock);
	wf_queue_put_first(&shard->queue, later.pendings, later.count);
	shard->cached_bytes = shard->cache.bytes;
	shard->cached_cases = shard->cache.count;
	pthread_mutex_unlock(&shard->lock);
	return later.done > 0;
}
