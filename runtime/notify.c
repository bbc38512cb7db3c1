/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notifying of commits: this process by a callback, other engines on the same
 * store by the store's notifications.
 *
 * Notifications have a connection of their own, so that no batch waits for
 * them; one stands for all commits of the moment.  A notification that is lost
 * does no harm, because readers of the history also poll.
 */
#include "base/clock.h"
#include "runtime/shard.h"

/* Between two notifications. */
#define NOTIFY_PAUSE_MS 10
/* One wait for a notification; the thread sees the end of the engine after it.
 */
#define WAIT_MS 200
/* After a failure of the store. */
#define FAILED_PAUSE_MS 500

/* Shorter only when the engine ends. */
static void pause_for(struct wf_engine *engine, int milliseconds)
{
	int64_t until = wf_monotonic_ms() + milliseconds;

	pthread_mutex_lock(&engine->lock);
	while (!engine->notify_ends &&
	       wf_wait_until(&engine->notify_end, &engine->lock, until))
		;
	pthread_mutex_unlock(&engine->lock);
}

void wf_notify_committed(struct wf_engine *engine)
{
	if (engine->settings.committed != NULL)
		engine->settings.committed(engine->settings.context);
	if (!engine->has_notify_thread)
		return;
	pthread_mutex_lock(&engine->lock);
	engine->notify_wanted = true;
	pthread_cond_signal(&engine->notify_wake);
	pthread_mutex_unlock(&engine->lock);
}

/* Whether there is a commit to notify of; false: the engine ends. */
static bool wait_for_commits(struct wf_engine *engine)
{
	bool wanted;

	pthread_mutex_lock(&engine->lock);
	while (!engine->notify_wanted && !engine->notify_ends)
		pthread_cond_wait(&engine->notify_wake, &engine->lock);
	wanted = engine->notify_wanted;
	engine->notify_wanted = false;
	pthread_mutex_unlock(&engine->lock);
	return wanted;
}

void *wf_notify_others(void *argument)
{
	struct wf_engine *engine = argument;
	struct wf_store *store = NULL;

	while (wait_for_commits(engine)) {
		struct wf_error err = { .rc = WF_OK };

		if (store == NULL)
			(void)(wf_engine_borrow(engine, &store, &err) == WF_OK);
		if (err.rc == WF_OK)
			(void)(wf_store_notify(store, &err) == WF_OK);
		pause_for(engine, NOTIFY_PAUSE_MS);
	}
	if (store != NULL)
		wf_engine_give_back(engine, store);
	return NULL;
}

void *wf_hear_others(void *argument)
{
	struct wf_engine *engine = argument;
	struct wf_store *store = NULL;

	while (!atomic_load(&engine->closing)) {
		struct wf_error err = { .rc = WF_OK };
		bool heard = false;

		if (store == NULL)
			(void)(wf_engine_borrow(engine, &store, &err) == WF_OK);
		if (err.rc == WF_OK)
			(void)(wf_store_wait(store, WAIT_MS, &heard, &err) ==
			       WF_OK);
		if (heard && engine->settings.committed != NULL)
			engine->settings.committed(engine->settings.context);
		if (heard)
			wf_due_wake(engine);
		/* All that many nodes notify of meanwhile is heard as one. */
		if (heard)
			pause_for(engine, NOTIFY_PAUSE_MS);
		if (err.rc != WF_OK)
			pause_for(engine, FAILED_PAUSE_MS);
	}
	/* The handle listens, so it is of no use to others. */
	wf_store_close(&store);
	return NULL;
}
