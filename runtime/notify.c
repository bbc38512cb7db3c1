/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telling of commits: to this process by a call, to other engines on the same
 * store by a notification.
 *
 * Notifications have a connection of their own, so that no batch waits for
 * them, and one stands for all commits of the moment.  One that fails does no
 * harm: whoever follows the history also looks now and then.
 */
#include <time.h>

#include "runtime/shard.h"

/* Between two notifications, milliseconds. */
#define TELL_PAUSE 10
/* So long a thread that hears does not see the end, milliseconds. */
#define HEAR 200
/* Before what failed is tried again. */
#define FAILED_PAUSE 500

static void pause_for(int milliseconds)
{
	struct timespec time = { milliseconds / 1000,
		milliseconds % 1000 * 1000000L };

	nanosleep(&time, NULL);
}

void wf_notify_committed(struct wf_engine *engine)
{
	if (engine->settings.committed != NULL)
		engine->settings.committed(engine->settings.context);
	if (!engine->has_notify_thread)
		return;
	pthread_mutex_lock(&engine->lock);
	engine->told = true;
	pthread_cond_signal(&engine->notify_wake);
	pthread_mutex_unlock(&engine->lock);
}

/* False: there will be none. */
static bool wait_for_commits(struct wf_engine *engine)
{
	bool told;

	pthread_mutex_lock(&engine->lock);
	while (!engine->told && !engine->last_told)
		pthread_cond_wait(&engine->notify_wake, &engine->lock);
	told = engine->told;
	engine->told = false;
	pthread_mutex_unlock(&engine->lock);
	return told;
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
		pause_for(TELL_PAUSE);
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
			(void)(wf_store_wait(store, HEAR, &heard, &err) ==
			       WF_OK);
		if (heard && engine->settings.committed != NULL)
			engine->settings.committed(engine->settings.context);
		if (heard)
			wf_due_wake(engine);
		if (err.rc != WF_OK)
			pause_for(FAILED_PAUSE);
	}
	wf_store_close(&store); /* it listens: nobody else wants that */
	return NULL;
}
