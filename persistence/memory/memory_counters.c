/* SPDX-License-Identifier: Apache-2.0 */
/* The store in memory: counters, and notifications between its handles. */
#include "persistence/memory/memory_priv.h"

#include "base/clock.h"
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

/* The lock is held. */
static bool take_notification(struct memory_store *handle)
{
	bool notified = handle->notifications != handle->memory->notifications;

	handle->notifications = handle->memory->notifications;
	return notified;
}

bool wf_memory_take_notification(struct memory_store *handle)
{
	struct memory *m = handle->memory;
	bool notified;

	pthread_mutex_lock(&m->lock);
	notified = take_notification(handle);
	pthread_mutex_unlock(&m->lock);
	return notified;
}

enum wf_rc wf_memory_notify(struct wf_store *store, struct wf_error *err)
{
	struct memory *m = ((struct memory_store *)store)->memory;

	(void)err;
	pthread_mutex_lock(&m->lock);
	m->notifications++;
	pthread_cond_broadcast(&m->notified);
	pthread_mutex_unlock(&m->lock);
	return WF_OK;
}

enum wf_rc wf_memory_wait(struct wf_store *store, int milliseconds,
    bool *notified_out, struct wf_error *err)
{
	struct memory_store *handle = (struct memory_store *)store;
	struct memory *m = handle->memory;
	int64_t until = wf_monotonic_ms() + milliseconds;

	(void)err;
	pthread_mutex_lock(&m->lock);
	do {
		*notified_out = take_notification(handle);
	} while (
	    !*notified_out && wf_wait_until(&m->notified, &m->lock, until));
	pthread_mutex_unlock(&m->lock);
	return WF_OK;
}
