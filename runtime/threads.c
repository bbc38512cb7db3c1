/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of an engine. */
#include "runtime/threads.h"

#include <string.h>
#include <time.h>

/* When all that waits must wait longer, milliseconds. */
#define PAUSE 2
/* Other nodes may add what is due, milliseconds. */
#define DUE_PAUSE 500

static struct timespec in(int64_t milliseconds)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_sec += milliseconds / 1000;
	at.tv_nsec += milliseconds % 1000 * 1000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_nsec -= 1000000000;
		at.tv_sec++;
	}
	return at;
}

/* Waits for requests; false when there will be none. */
static bool wait_for_requests(struct shard *shard, bool pause)
{
	struct wf_engine *engine = shard->engine;
	struct timespec until = in(PAUSE);
	bool more;

	pthread_mutex_lock(&shard->lock);
	if (pause && shard->queue.first != NULL)
		pthread_cond_timedwait(&shard->wake, &shard->lock, &until);
	while (shard->queue.first == NULL && !atomic_load(&engine->closing))
		pthread_cond_wait(&shard->wake, &shard->lock);
	more = shard->queue.first != NULL && !atomic_load(&engine->abandoned);
	pthread_mutex_unlock(&shard->lock);
	return more;
}

static void *run_shard(void *argument)
{
	struct shard *shard = argument;
	bool done = true;

	while (wait_for_requests(shard, !done))
		done = wf_shard_turn(shard);
	return NULL;
}

static void wait_for_due(struct wf_engine *engine)
{
	int64_t next = wf_engine_next_due(engine);
	int64_t now = wf_engine_now(engine);
	struct timespec until;

	if (next <= now)
		next = now + PAUSE; /* it is in flight, or others are */
	until = in(next - now < DUE_PAUSE ? next - now : DUE_PAUSE);
	pthread_mutex_lock(&engine->lock);
	if (!engine->due_told && !atomic_load(&engine->closing))
		pthread_cond_timedwait(
		    &engine->due_wake, &engine->lock, &until);
	engine->due_told = false;
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

enum wf_rc wf_threads_start(struct wf_engine *engine, struct wf_error *err)
{
	for (unsigned i = 0; i < engine->shard_count; i++) {
		struct shard *shard = &engine->shards[i];

		if (pthread_create(&shard->thread, NULL, run_shard, shard) != 0)
			return wf_fail(err, WF_IO, "no thread can be made");
		shard->has_thread = true;
	}
	if (pthread_create(&engine->due_thread, NULL, run_due, engine) != 0)
		return wf_fail(err, WF_IO, "no thread can be made");
	engine->has_due_thread = true;
	return WF_OK;
}

void wf_threads_stop(struct wf_engine *engine)
{
	if (engine->has_due_thread) {
		wf_due_wake(engine);
		pthread_join(engine->due_thread, NULL);
		engine->has_due_thread = false;
	}
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
}
