/* SPDX-License-Identifier: Apache-2.0 */
#include "http/gate.h"

#include "base/panic.h"

void wf_gate_init(struct wf_gate *gate)
{
	pthread_mutex_init(&gate->lock, NULL);
	pthread_cond_init(&gate->left, NULL);
	gate->closed = false;
	gate->inside = 0;
}

void wf_gate_destroy(struct wf_gate *gate)
{
	wf_assert(gate->inside == 0);
	pthread_cond_destroy(&gate->left);
	pthread_mutex_destroy(&gate->lock);
}

bool wf_gate_enter(struct wf_gate *gate)
{
	bool is_open;

	pthread_mutex_lock(&gate->lock);
	gate->inside++;
	is_open = !gate->closed;
	pthread_mutex_unlock(&gate->lock);
	return is_open;
}

/*
 * The last thread signals while it holds the lock: as soon as it has let go of
 * it, the closing thread may destroy the gate.
 */
void wf_gate_leave(struct wf_gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	wf_assert(gate->inside > 0); /* each leave has its enter */
	if (--gate->inside == 0 && gate->closed)
		pthread_cond_broadcast(&gate->left);
	pthread_mutex_unlock(&gate->lock);
}

void wf_gate_close(struct wf_gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	gate->closed = true;
	pthread_mutex_unlock(&gate->lock);
}

bool wf_gate_is_closed(struct wf_gate *gate)
{
	bool is_closed;

	pthread_mutex_lock(&gate->lock);
	is_closed = gate->closed;
	pthread_mutex_unlock(&gate->lock);
	return is_closed;
}

void wf_gate_await_empty(struct wf_gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	wf_assert(gate->closed); /* else it need not end */
	while (gate->inside > 0)
		pthread_cond_wait(&gate->left, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
}
