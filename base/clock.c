/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include "base/panic.h"

/* How far ahead of the machine's the time of the day is. */
static atomic_llong ahead;

static struct timespec now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time;
}

int64_t wf_monotonic_ms(void)
{
	struct timespec time = now();

	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int64_t wf_time_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000 +
	       atomic_load(&ahead);
}

void wf_time_advance(int64_t milliseconds)
{
	wf_assert(milliseconds >= 0);
	atomic_fetch_add(&ahead, milliseconds);
}

int64_t wf_monotonic_us(void)
{
	struct timespec time = now();

	return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

int64_t wf_thread_us(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

void wf_condition_init(pthread_cond_t *condition)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

bool wf_wait_until(
    pthread_cond_t *condition, pthread_mutex_t *lock, int64_t until)
{
	const struct timespec time = { .tv_sec = until / 1000,
		.tv_nsec = until % 1000 * 1000000 };
	int rc;

	wf_assert(until >= 0);
	rc = pthread_cond_timedwait(condition, lock, &time);
	wf_assert(rc == 0 || rc == ETIMEDOUT);
	return rc == 0;
}
