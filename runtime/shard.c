/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The turn of a shard: one batch, and the outcome of each of its requests.
 *
 *   run() ─► attempt() ─► committed ─► settle(): answered, deferred, or
 *     ▲         │                      quarantined, each by its fate
 *     │         ├─► the store is away, or lost the answer to the commit too
 *     │         │   often ─► fail_all(): deferred, or answered with the error
 *     └─────────┼─── several requests ─► divide(): those of the case that
 *               │   failed first, or in halves
 *               └─► one request ─► fail_alone(): deferred; after some failures,
 *                   while other requests were committed, its case is
 *                   quarantined, or, if the request itself is at fault, it is
 *                   answered with the error
 */
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "runtime/batch.h"

/* Bounds of one batch: requests in bytes and number; bytes of one row. */
#define BATCH_BYTES ((size_t)8 << 20)
#define BATCH_MAXIMUM 1024U
#define ROW_MAXIMUM_BYTES ((size_t)1 << 30)
/*
 * A request fails after that many failures, and not before that time since the
 * first.
 */
#define TRIES 3U
#define REQUEST_TIMEOUT_MS 5000
/* Attempts of a batch whose commit has no answer. */
#define LOST_TRIES 4U

enum wf_rc wf_shard_open(struct shard *shard, struct wf_engine *engine,
    unsigned index, struct wf_error *err)
{
	shard->engine = engine;
	shard->index = index;
	pthread_mutex_init(&shard->lock, NULL);
	wf_condition_init(&shard->wake);
	wf_queue_init(&shard->queue);
	wf_queue_init(&shard->released);
	shard->batch_sizes.unit = 1;
	shard->batch_times.unit = 128;
	wf_cache_init(
	    &shard->cache, engine->specs, engine->settings.cache_bytes);
	wf_step_init(&shard->step);
	shard->arena = wf_arena_new();
	wf_buffer_init(&shard->bytes, ROW_MAXIMUM_BYTES);
	shard->terms = wf_terms_new(engine->indexes, false);
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
	wf_buffer_free(&shard->bytes);
	wf_terms_free(&shard->terms);
	wf_free(shard->numbers);
	pthread_cond_destroy(&shard->wake);
	pthread_mutex_destroy(&shard->lock);
}

static bool put(struct shard *shard, struct pending *pending, bool force)
{
	size_t maximum = shard->engine->settings.queue_bytes;
	bool room;

	/* A case has one owner, so its commands are done in their order. */
	wf_assert(pending->number == 0 ||
		  wf_shard_of(shard->engine, pending->number) == shard);
	pthread_mutex_lock(&shard->lock);
	room = force || shard->queue.bytes + atomic_load(&shard->held_bytes) +
				pending->size <=
			    maximum;
	if (room) {
		wf_queue_put(&shard->queue, pending);
		pthread_cond_signal(&shard->wake);
	}
	pthread_mutex_unlock(&shard->lock);
	return room;
}

enum wf_rc wf_shard_submit(
    struct shard *shard, struct pending *pending, struct wf_error *err)
{
	if (put(shard, pending, false))
		return WF_OK;
	return wf_fail(
	    err, WF_UNAVAILABLE, "too many requests wait: try again later");
}

void wf_shard_submit_due(struct shard *shard, struct pending *pending)
{
	(void)put(shard, pending, true);
}

void wf_shard_submit_made(struct shard *shard, struct pending *pending)
{
	pthread_mutex_lock(&shard->lock);
	wf_queue_put_first(&shard->queue, &pending, 1);
	pthread_cond_signal(&shard->wake);
	pthread_mutex_unlock(&shard->lock);
}

static void count(struct wf_engine *engine, const struct pending *pending)
{
	const struct wf_request *request = &pending->request;

	atomic_fetch_add(&engine->answered[request->kind], 1);
	if (request->kind == WF_REQUEST_COMMAND)
		atomic_fetch_add(&engine->commands[request->command.kind], 1);
	if (pending->answer.rc != WF_OK)
		atomic_fetch_add(&engine->refusals[pending->answer.rc], 1);
}

static void answer(struct shard *shard, struct pending *pending)
{
	wf_assert(pending->due == NULL || pending->reply == NULL);
	count(shard->engine, pending);
	if (pending->due != NULL)
		wf_due_over(shard->engine, pending->due, pending->answer.rc);
	wf_long_end(shard, pending);
	wf_pending_answer(&pending);
}

/* Its batch failed; an earlier batch may have done it nevertheless. */
static void note_failed(
    struct pending *pending, enum wf_rc rc, const char *message)
{
	if (pending->in_doubt)
		wf_pending_fail(pending, WF_LOST,
		    "it is not known whether it was done: %.400s", message);
	else
		wf_pending_fail(pending, rc, "%s", message);
}

/* A due command that fails is claimed again when its claim is over. */
static void fail(struct shard *shard, struct pending *pending, enum wf_rc rc,
    const char *message)
{
	note_failed(pending, rc, message);
	answer(shard, pending);
}

/* The next request that is left, in the queue or elsewhere; NULL: none. */
static struct pending *take_left(struct shard *shard)
{
	struct pending *pending = NULL;

	pthread_mutex_lock(&shard->lock);
	wf_queue_join(&shard->queue, &shard->released);
	(void)wf_queue_take(&shard->queue, &pending, 1, 0);
	pthread_mutex_unlock(&shard->lock);
	if (pending == NULL && shard->long_steps != NULL)
		pending = shard->long_steps->pending;
	return pending;
}

void wf_shard_drain(struct shard *shard)
{
	struct pending *pending;

	while ((pending = take_left(shard)) != NULL)
		fail(shard, pending, WF_UNAVAILABLE,
		    "the engine is being stopped");
}

/* --- the outcome of a batch ----------------------------------------------- */

/* Requests that are deferred to a later batch. */
struct later {
	struct pending *pendings[BATCH_MAXIMUM];
	size_t count;
	size_t done; /* requests of the batch that were answered, or left it */
};

static void defer(struct later *later, struct pending *pending)
{
	wf_assert(later->count < BATCH_MAXIMUM);
	later->pendings[later->count++] = pending;
}

static void settle_one(
    struct shard *shard, struct pending *pending, struct later *later)
{
	answer(shard, pending);
	later->done++;
}

/* The batch of the request has failed. */
static void note_failure(struct shard *shard, struct pending *pending)
{
	if (pending->failures++ > 0)
		return;
	pending->failing_since = wf_engine_now(shard->engine);
	pending->commits = shard->commits;
}

/* Whether a request that has failed is tried again. */
static bool may_wait(const struct shard *shard, struct pending *pending)
{
	int64_t now = wf_engine_now(shard->engine);

	wf_assert(pending->failures > 0);
	/* The clock may have been set back. */
	if (now < pending->failing_since)
		pending->failing_since = now;
	return !atomic_load(&shard->engine->closing) &&
	       (pending->failures < TRIES ||
		   now < pending->failing_since + REQUEST_TIMEOUT_MS);
}

static void give_up(struct shard *shard, struct pending *pending,
    struct later *later, const struct wf_error *err)
{
	fail(shard, pending, err->rc, err->message);
	later->done++;
}

static void quarantine_case(struct shard *shard, struct pending *pending,
    bool quarantine, struct later *later)
{
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc = wf_batch_quarantine(shard, pending, quarantine, &err);

	if (rc != WF_OK)
		note_failure(shard, pending);
	if (rc != WF_OK && may_wait(shard, pending))
		defer(later, pending);
	else
		settle_one(shard, pending, later);
}

static void settle(struct shard *shard, struct pending **pendings, size_t count,
    struct later *later)
{
	for (size_t i = 0; i < count; i++) {
		struct pending *pending = pendings[i];

		if (pending->fate == FATE_QUARANTINED)
			continue;
		if (pending->fate == FATE_AGAIN)
			defer(later, pending);
		else if (pending->fate == FATE_LONG &&
			 wf_long_begin(shard, pending))
			later->done++;
		else
			settle_one(shard, pending, later);
		pendings[i] = NULL; /* it may be freed */
	}
	/* Each needs a batch of its own, which uses the arena anew. */
	for (size_t i = 0; i < count; i++)
		if (pendings[i] != NULL)
			quarantine_case(shard, pendings[i], true, later);
}

/* The store is at fault, no request. */
static void fail_all(struct shard *shard, struct pending **pendings,
    size_t count, struct later *later, const struct wf_error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (may_wait(shard, pendings[i]))
			defer(later, pendings[i]);
		else
			give_up(shard, pendings[i], later, err);
	}
}

/* Whether the request is at fault, not its case. */
static bool is_own_fault(enum wf_rc rc)
{
	return rc == WF_LIMIT || rc == WF_INVALID;
}

/*
 * A request that fails alone repeatedly, while others were committed, has a
 * case that the store does not accept.
 */
static void fail_alone(struct shard *shard, struct pending *pending,
    struct later *later, const struct wf_error *err)
{
	bool others = shard->commits > pending->commits;
	bool own = is_own_fault(err->rc);
	bool away = err->rc == WF_UNAVAILABLE;

	wf_assert(pending->failures > 0 && shard->commits >= pending->commits);
	if (own && pending->due == NULL) {
		give_up(shard, pending, later, err);
	} else if (own || (!away && ++pending->alone >= TRIES && others)) {
		note_failed(pending, err->rc, err->message);
		quarantine_case(shard, pending, !own, later);
	} else if (may_wait(shard, pending)) {
		defer(later, pending);
	} else {
		give_up(shard, pending, later, err);
	}
}

/*
 * Orders requests for two smaller batches and returns the size of the first:
 * the requests of the failing case (0: unknown), or half of them.
 */
static size_t divide(struct pending **pendings, size_t count, uint64_t failing)
{
	struct pending *others[BATCH_MAXIMUM];
	size_t first = 0;
	size_t rest = 0;

	wf_assert(count > 1 && count <= BATCH_MAXIMUM);
	for (size_t i = 0; i < count; i++)
		if (pendings[i]->number == failing)
			pendings[first++] = pendings[i];
		else
			others[rest++] = pendings[i];
	memcpy(pendings + first, others, rest * sizeof(others[0]));
	return failing != 0 && first > 0 && rest > 0 ? first : count / 2;
}

/*
 * When the answer to a commit is lost, the batch is run again: the ids of the
 * commands say which of them were done.
 */
static enum wf_rc attempt(struct shard *shard, struct pending **pendings,
    size_t count, struct failure *failure_out, struct wf_error *err)
{
	enum wf_rc rc = WF_LOST;

	for (unsigned i = 0; rc == WF_LOST && i < LOST_TRIES; i++) {
		wf_error_clear(err);
		rc = wf_batch_run(shard, pendings, count, failure_out, err);
		for (size_t p = 0; rc == WF_LOST && p < count; p++)
			pendings[p]->in_doubt = true;
	}
	return rc;
}

/* Whether smaller batches would fail as well. */
static bool is_hopeless(enum wf_rc rc, const struct failure *failure)
{
	return rc == WF_LOST || (rc == WF_UNAVAILABLE && !failure->begun);
}

static void run(struct shard *shard, struct pending **pendings, size_t count,
    struct later *later)
{
	struct wf_error err = { .rc = WF_OK };
	struct failure failure;
	size_t first;
	enum wf_rc rc = attempt(shard, pendings, count, &failure, &err);

	if (rc == WF_OK) {
		settle(shard, pendings, count, later);
		return;
	}
	for (size_t i = 0; i < count; i++)
		note_failure(shard, pendings[i]);
	if (is_hopeless(rc, &failure)) {
		fail_all(shard, pendings, count, later, &err);
	} else if (count == 1) {
		fail_alone(shard, pendings[0], later, &err);
	} else {
		first = divide(pendings, count, failure.failing_case);
		wf_assert(first > 0 && first < count);
		run(shard, pendings, first, later);
		run(shard, pendings + first, count - first, later);
	}
}

/* Without those that are held back: returns how many are left. */
static size_t hold_back(
    struct shard *shard, struct pending **pendings, size_t count)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++)
		switch (wf_long_hold(shard, pendings[i])) {
		case LONG_HOLD_NONE:
			pendings[left++] = pendings[i];
			break;
		case LONG_HOLD_HELD:
			break;
		case LONG_HOLD_FULL:
			fail(shard, pendings[i], WF_UNAVAILABLE,
			    "too many requests wait for a long step of the "
			    "case: try again later");
			break;
		}
	return left;
}

/* Does the requests; false when none could be done. */
static bool turn(struct shard *shard, struct pending **pendings, size_t count)
{
	struct later later = { .count = 0 };

	if (count > 0)
		run(shard, pendings, count, &later);
	/* No request is lost, and none is answered twice. */
	wf_assert(later.done + later.count == count);
	pthread_mutex_lock(&shard->lock);
	/* If none of them could be done, the other requests come first. */
	if (later.done == 0)
		wf_queue_put_last(&shard->queue, later.pendings, later.count);
	else
		wf_queue_put_first(&shard->queue, later.pendings, later.count);
	wf_queue_join(&shard->released, &shard->queue);
	wf_queue_join(&shard->queue, &shard->released);
	shard->cached_bytes = shard->cache.bytes;
	shard->cached_cases = shard->cache.count;
	pthread_mutex_unlock(&shard->lock);
	return later.done > 0;
}

bool wf_shard_turn(struct shard *shard)
{
	struct pending *pendings[BATCH_MAXIMUM];
	size_t maximum = shard->engine->settings.batch;
	size_t count;
	size_t left;
	bool done;

	if (maximum == 0 || maximum > BATCH_MAXIMUM)
		maximum = BATCH_MAXIMUM;
	pthread_mutex_lock(&shard->lock);
	count = wf_queue_take(&shard->queue, pendings, maximum, BATCH_BYTES);
	if (count > 0)
		atomic_store(&shard->turn_began, wf_monotonic_ms());
	pthread_mutex_unlock(&shard->lock);
	if (count == 0)
		return false;
	left = hold_back(shard, pendings, count);
	done = turn(shard, pendings, left) || left < count;
	atomic_store(&shard->turn_began, 0);
	return done;
}
