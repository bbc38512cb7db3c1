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

#include <pthread.h>
#include <stdbool.h>

struct wf_gate {
	pthread_mutex_t lock;
	pthread_cond_t left; /* signalled when the last thread has left */
	bool closed;
	unsigned inside; /* calls of enter without their leave */
};

/* Open. */
void wf_gate_init(struct wf_gate *gate);
/* No thread may be inside. */
void wf_gate_destroy(struct wf_gate *gate);

/*
 * False: the gate is closed, and nothing behind it may be used.  Each call,
 * whatever its result, is followed by wf_gate_leave().
 */
bool wf_gate_enter(struct wf_gate *gate);
void wf_gate_leave(struct wf_gate *gate);

void wf_gate_close(struct wf_gate *gate);
bool wf_gate_is_closed(struct wf_gate *gate);
/* Waits until no thread is inside; the gate is closed. */
void wf_gate_await_empty(struct wf_gate *gate);

#endif
