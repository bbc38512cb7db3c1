/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deadlocks that the reference engine does not notice.
 *
 * Where a cancellation set has cancelled a busy task of a net, the engine
 * that golden traces are recorded with goes on counting the task as busy,
 * until it is left the ordinary way.  So it does not see that the net has
 * deadlocked.  Weft does; only traces say what the reference would say.
 */
#ifndef WF_CLI_UNNOTICED_H
#define WF_CLI_UNNOTICED_H

#include "engine/case.h"

struct wf_unnoticed {
	struct wf_cancelled_task {
		uint32_t net;
		uint32_t task;
	} * tasks;
	size_t count;
	size_t capacity;
};

void wf_unnoticed_free(struct wf_unnoticed *unnoticed);
/* Takes in what a command did. */
void wf_unnoticed_add(
    struct wf_unnoticed *unnoticed, const struct wf_step *step);
/* Whether a deadlock of the net with this serial number goes unnoticed. */
bool wf_unnoticed_has(const struct wf_unnoticed *unnoticed, uint32_t net);

#endif
