/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gate protects what several threads share until one thread closes it.
 *
 *   open ──wf_gate_close()──► closed: wf_gate_enter() returns false
 *
 * The closing thread closes the gate, waits until no thread is inside, and may
 * then free what is behind it.
 */
#ifndef WF_HTTP_GATE_H
#define WF_HTTP_GATE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/panic.h"

/* Zeroed: open. */
struct wf_gate {
	atomic_bool closed;
	atomic_uint inside; /* calls of enter without their leave */
};

/*
 * False: the gate is closed, and nothing behind it may be used.  Each call,
 * whatever its result, is followed by wf_gate_leave().
 */
static inline bool wf_gate_enter(struct wf_gate *gate)
{
	atomic_fetch_add(&gate->inside, 1);
	return !atomic_load(&gate->closed);
}

static inline void wf_gate_leave(struct wf_gate *gate)
{
	unsigned before = atomic_fetch_sub(&gate->inside, 1);

	wf_assert(before > 0); /* each leave has its enter */
}

static inline void wf_gate_close(struct wf_gate *gate)
{
	atomic_store(&gate->closed, true);
}

static inline bool wf_gate_is_closed(const struct wf_gate *gate)
{
	return atomic_load(&gate->closed);
}

static inline bool wf_gate_is_empty(const struct wf_gate *gate)
{
	return atomic_load(&gate->inside) == 0;
}

#endif
