/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A doubly linked list of waits.  Only the list needs the lock: the time that a
 * wait began is atomic, so a request costs no lock.
 */
#include "http/request_timeout.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/panic.h"

#define MAGIC 0x77616974U

struct wf_wait {
	uint32_t magic;
	struct wf_wait *next;
	struct wf_wait **link; /* the pointer to this wait */
	int socket;
	_Atomic(int64_t) since; /* milliseconds; 0: not waiting */
};

struct wf_request_timeouts {
	pthread_mutex_t lock; /* of the list; the sockets in it are open */
	struct wf_wait *first;
};

struct wf_request_timeouts *wf_request_timeouts_new(void)
{
	struct wf_request_timeouts *timeouts = wf_calloc(1, sizeof(*timeouts));

	pthread_mutex_init(&timeouts->lock, NULL);
	return timeouts;
}

void wf_request_timeouts_free(struct wf_request_timeouts **timeouts)
{
	struct wf_request_timeouts *old = *timeouts;

	*timeouts = NULL;
	if (old == NULL)
		return;
	wf_assert(old->first == NULL);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

struct wf_wait *wf_request_timeouts_begin(
    struct wf_request_timeouts *timeouts, int socket)
{
	struct wf_wait *wait = wf_calloc(1, sizeof(*wait));

	wf_assert(socket >= 0);
	wait->magic = MAGIC;
	wait->socket = socket;
	wf_wait_begin(wait);
	pthread_mutex_lock(&timeouts->lock);
	wait->next = timeouts->first;
	wait->link = &timeouts->first;
	if (wait->next != NULL)
		wait->next->link = &wait->next;
	timeouts->first = wait;
	pthread_mutex_unlock(&timeouts->lock);
	return wait;
}

void wf_request_timeouts_end(
    struct wf_request_timeouts *timeouts, struct wf_wait **wait)
{
	struct wf_wait *old = *wait;

	*wait = NULL;
	if (old == NULL)
		return;
	wf_assert(old->magic == MAGIC);
	pthread_mutex_lock(&timeouts->lock);
	wf_assert(*old->link == old);
	*old->link = old->next;
	if (old->next != NULL)
		old->next->link = old->link;
	old->magic = 0;
	pthread_mutex_unlock(&timeouts->lock);
	wf_free(old);
}

void wf_wait_begin(struct wf_wait *wait)
{
	wf_assert(wait->magic == MAGIC);
	atomic_store(&wait->since, wf_monotonic_ms());
}

void wf_wait_extend(struct wf_wait *wait, size_t bytes)
{
	int64_t before = atomic_fetch_add(&wait->since, (int64_t)bytes);

	wf_assert(before != 0); /* a part of a request that is awaited */
}

void wf_wait_end(struct wf_wait *wait)
{
	wf_assert(wait->magic == MAGIC);
	atomic_store(&wait->since, 0);
}

void wf_request_timeouts_check(
    struct wf_request_timeouts *timeouts, int64_t milliseconds)
{
	int64_t before = wf_monotonic_ms() - milliseconds;

	pthread_mutex_lock(&timeouts->lock);
	for (struct wf_wait *wait = timeouts->first; wait != NULL;
	     wait = wait->next) {
		int64_t since = atomic_load(&wait->since);

		if (since != 0 && since < before)
			(void)shutdown(wait->socket, SHUT_RDWR);
	}
	pthread_mutex_unlock(&timeouts->lock);
}
