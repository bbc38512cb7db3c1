/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The monotonic clock, and waits that end at one of its times.  Setting the
 * machine's clock neither shortens nor prolongs a wait.
 */
#ifndef WF_BASE_CLOCK_H
#define WF_BASE_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Since an arbitrary moment. */
int64_t wf_monotonic_ms(void);
int64_t wf_monotonic_us(void);
/* What the calling thread has had of processors. */
int64_t wf_thread_us(void);
/* The time of the day: milliseconds since 1970, UTC.  It may be set back. */
int64_t wf_time_ms(void);
/* For tests: from now on the time of the day is so much later. */
void wf_time_advance(int64_t milliseconds);

/* Initializes a condition variable for wf_wait_until(). */
void wf_condition_init(pthread_cond_t *condition);
/*
 * Waits for a signal, at most until wf_monotonic_ms() reaches that value.  The
 * lock is held by the caller.  False: the time has come.  As with
 * pthread_cond_wait(), a wait can end without either.
 */
bool wf_wait_until(
    pthread_cond_t *condition, pthread_mutex_t *lock, int64_t until);

#endif
