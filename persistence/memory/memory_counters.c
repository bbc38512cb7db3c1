/* SPDX-License-Identifier: Apache-2.0 */
/* The store in memory: counters, and notifications between its handles. */
#include "persistence/memory/memory_priv.h"

#include <time.h>

#include "base/panic.h"

/* --- counters ------------------------------------------------------------- */

enum wf_rc wf_memory_reserve(struct wf_store *store, enum wf_counter counter,
    uint64_t count, uint64_t *first_out, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	wf_assert(m->counters[counter] <= UINT64_MAX - count);
	*first_out = m->counters[counter] + 1;
	m->counters[counter] += count;
	return wf_memory_leave(store, true, WF_OK, err);
}

enum wf_rc wf_memory_reserve_above(struct wf_store *store,
    enum wf_counter counter, uint64_t least, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	if (m->counters[counter] < least)
		m->counters[counter] = least;
	return wf_memory_leave(store, true, WF_OK, err);
}

enum wf_rc wf_memory_change(
    struct wf_store *store, uint64_t *change_out, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	*change_out = m->change;
	return wf_memory_leave(store, false, WF_OK, err);
}

/* --- notifications between engines of this process ------------------------ */

/* How often a handle that waits reads the counter, milliseconds. */
#define INTERVAL 10

bool wf_memory_take_notification(struct memory_store *handle)
{
	struct memory *m = handle->memory;
	bool notified;

	pthread_mutex_lock(&m->lock);
	notified = handle->notifications != m->notifications;
	handle->notifications = m->notifications;
	pthread_mutex_unlock(&m->lock);
	return notified;
}

enum wf_rc wf_memory_notify(struct wf_store *store, struct wf_error *err)
{
	struct memory *m = ((struct memory_store *)store)->memory;

	(void)err;
	pthread_mutex_lock(&m->lock);
	m->notifications++;
	pthread_mutex_unlock(&m->lock);
	return WF_OK;
}

/* Polls: this store is for tests and simulations. */
enum wf_rc wf_memory_wait(struct wf_store *store, int milliseconds,
    bool *notified_out, struct wf_error *err)
{
	struct memory_store *handle = (struct memory_store *)store;
	const struct timespec pause = { 0, INTERVAL * 1000000L };

	(void)err;
	*notified_out = wf_memory_take_notification(handle);
	for (; !*notified_out && milliseconds > 0; milliseconds -= INTERVAL) {
		nanosleep(&pause, NULL);
		*notified_out = wf_memory_take_notification(handle);
	}
	return WF_OK;
}
