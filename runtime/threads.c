/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of an engine: one for each shard, one for due commands, one for
 * searches, one for long steps, and on a shared store two for notifications.
 * They only wait and take turns.
 *
 *   wf_threads_stop(): due, search and long end first, for they find work for
 *   the shards; then the shards, when their queues are empty; then
 * notifications.
 */
#include "runtime/shard.h"

#include <string.h>

#include "base/clock.h"
#include "base/panic.h"

/* Pause of a shard when none of its requests could be done: doubled each time.
 */
#define PAUSE_MS 1
#define PAUSE_MAXIMUM_MS 64
/* How long a closing shard waits for requests that it cannot do. */
#define CLOSING_MS 2000
/*
 * Longest pause of the thread for due commands, since other engines may add
 * some; and its pause when there is no room for those that are due.
 */
#define DUE_PAUSE_MS 500
#define DUE_SHORT_PAUSE_MS 10

/* Waits for requests; false when there will be no more. */
static bool wait_for_requests(struct shard *shard, int pause)
{
	struct wf_engine *engine = shard->engine;
	int64_t until = wf_monotonic_ms() + pause;
	bool more;

	pthread_mutex_lock(&shard->lock);
	if (pause > 0 && shard->queue.first != NULL)
		(void)wf_wait_until(&shard->wake, &shard->lock, until);
	while (shard->queue.first == NULL && !atomic_load(&engine->closing))
		pthread_cond_wait(&shard->wake, &shard->lock);
	more = shard->queue.first != NULL && !atomic_load(&engine->abandoned);
	pthread_mutex_unlock(&shard->lock);
	return more;
}

/* The longer no request can be done, the longer the pauses. */
static void *run_shard(void *argument)
{
	struct shard *shard = argument;
	int64_t waited = 0;
	int pause = 0;

	while (wait_for_requests(shard, pause)) {
		if (wf_shard_turn(shard)) {
			pause = 0;
			waited = 0;
			continue;
		}
		/* wf_shard_drain() answers what cannot be done. */
		if (atomic_load(&shard->engine->closing) &&
		    (waited += pause) > CLOSING_MS)
			break;
		pause = pause == 0 ? PAUSE_MS : pause * 2;
		if (pause > PAUSE_MAXIMUM_MS)
			pause = PAUSE_MAXIMUM_MS;
	}
	return NULL;
}

static void *run_search(void *argument)
{
	struct wf_engine *engine = argument;

	while (!atomic_load(&engine->closing)) {
		if (wf_search_turn(engine))
			continue;
		pthread_mutex_lock(&engine->lock);
		while (
		    !wf_search_waits(engine) && !atomic_load(&engine->closing))
			pthread_cond_wait(&engine->search_wake, &engine->lock);
		pthread_mutex_unlock(&engine->lock);
	}
	return NULL;
}

static void *run_long(void *argument)
{
	struct wf_engine *engine = argument;

	while (!atomic_load(&engine->closing)) {
		if (wf_long_turn(engine))
			continue;
		pthread_mutex_lock(&engine->lock);
		while (engine->long_steps == NULL &&
		       !atomic_load(&engine->closing))
			pthread_cond_wait(&engine->long_wake, &engine->lock);
		pthread_mutex_unlock(&engine->lock);
	}
	return NULL;
}

static void wait_for_due(struct wf_engine *engine)
{
	int64_t next = wf_engine_next_due(engine);
	int64_t now = wf_engine_now(engine);
	int64_t pause;

	if (next <= now)
		next = now + DUE_SHORT_PAUSE_MS;
	pause = next - now < DUE_PAUSE_MS ? next - now : DUE_PAUSE_MS;
	pthread_mutex_lock(&engine->lock);
	if (!engine->due_changed && !atomic_load(&engine->closing))
		(void)wf_wait_until(&engine->due_wake, &engine->lock,
		    wf_monotonic_ms() + pause);
	engine->due_changed = false;
	pthread_mutex_unlock(&engine->lock);
}

static void *run_due(void *argument)
{
	struct wf_engine *engine = argument;

	while (!atomic_load(&engine->closing))
		if (!wf_due_turn(engine))
			wait_for_due(engine);
	return NULL;
}

static enum wf_rc start(struct wf_engine *engine, void *(*run)(void *argument),
    pthread_t *thread_out, bool *has_out, struct wf_error *err)
{
	if (pthread_create(thread_out, NULL, run, engine) != 0)
		return wf_fail(err, WF_IO, "no thread can be made");
	*has_out = true;
	return WF_OK;
}

/* Before the shards, which use what is started here. */
static enum wf_rc start_notifying(
    struct wf_engine *engine, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	if (!wf_store_is_shared(engine->shards[0].store))
		return rc;
	rc = start(engine, wf_notify_others, &engine->notify_thread,
	    &engine->has_notify_thread, err);
	if (rc == WF_OK)
		rc = start(engine, wf_hear_others, &engine->hear_thread,
		    &engine->has_hear_thread, err);
	return rc;
}

enum wf_rc wf_threads_start(struct wf_engine *engine, struct wf_error *err)
{
	enum wf_rc rc = start_notifying(engine, err);

	if (rc != WF_OK)
		return rc;
	for (unsigned i = 0; i < engine->shard_count; i++) {
		struct shard *shard = &engine->shards[i];

		wf_assert(!shard->has_thread);
		if (pthread_create(&shard->thread, NULL, run_shard, shard) != 0)
			return wf_fail(err, WF_IO, "no thread can be made");
		shard->has_thread = true;
	}
	rc = start(
	    engine, run_due, &engine->due_thread, &engine->has_due_thread, err);
	if (rc == WF_OK)
		rc = start(engine, run_search, &engine->search_thread,
		    &engine->has_search_thread, err);
	if (rc == WF_OK)
		rc = start(engine, run_long, &engine->long_thread,
		    &engine->has_long_thread, err);
	return rc;
}

static void stop_thread(pthread_t thread, bool *has)
{
	if (*has)
		pthread_join(thread, NULL);
	*has = false;
}

/* The threads that find work for the shards. */
static void stop_finders(struct wf_engine *engine)
{
	pthread_mutex_lock(&engine->lock);
	engine->due_changed = true;
	pthread_cond_signal(&engine->due_wake);
	pthread_cond_signal(&engine->search_wake);
	pthread_cond_signal(&engine->long_wake);
	pthread_mutex_unlock(&engine->lock);
	stop_thread(engine->due_thread, &engine->has_due_thread);
	stop_thread(engine->search_thread, &engine->has_search_thread);
	stop_thread(engine->long_thread, &engine->has_long_thread);
}

/* After the last commit. */
static void stop_notifying(struct wf_engine *engine)
{
	pthread_mutex_lock(&engine->lock);
	engine->notify_ends = true;
	pthread_cond_signal(&engine->notify_wake);
	pthread_cond_broadcast(&engine->notify_end);
	pthread_mutex_unlock(&engine->lock);
	stop_thread(engine->notify_thread, &engine->has_notify_thread);
	stop_thread(engine->hear_thread, &engine->has_hear_thread);
}

void wf_threads_stop(struct wf_engine *engine)
{
	stop_finders(engine);
	for (unsigned i = 0; i < engine->shard_count; i++) {
		struct shard *shard = &engine->shards[i];

		if (!shard->has_thread)
			continue;
		pthread_mutex_lock(&shard->lock);
		pthread_cond_signal(&shard->wake);
		pthread_mutex_unlock(&shard->lock);
		pthread_join(shard->thread, NULL);
		shard->has_thread = false;
	}
	stop_notifying(engine);
}
