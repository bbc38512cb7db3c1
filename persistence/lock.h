/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock for what handles of one process share, held for look-ups in memory
 * only and never while waiting for anything.
 */
#ifndef WF_PERSISTENCE_LOCK_H
#define WF_PERSISTENCE_LOCK_H

#include <sched.h>
#include <stdatomic.h>

struct wf_lock {
	atomic_flag held; /* ATOMIC_FLAG_INIT */
};

static inline void wf_lock(struct wf_lock *lock)
{
	while (atomic_flag_test_and_set_explicit(
	    &lock->held, memory_order_acquire))
		sched_yield();
}

static inline void wf_unlock(struct wf_lock *lock)
{
	atomic_flag_clear_explicit(&lock->held, memory_order_release);
}

#endif
