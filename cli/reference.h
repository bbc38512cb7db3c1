/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the reference engine sees of deadlocks; for traces only.
 *
 * Golden traces are recorded with an engine that differs from Weft in two
 * ways.  Where a cancellation set has cancelled a busy task of a net, it goes
 * on counting the task as busy until it is left the ordinary way, and so does
 * not notice when the net deadlocks.  And a case in which a sub-net has
 * deadlocked is called deadlocked even when it completes in the end.
 */
#ifndef WF_CLI_REFERENCE_H
#define WF_CLI_REFERENCE_H

#include "engine/case.h"

struct wf_reference {
	struct wf_cancelled_task {
		uint32_t net;
		uint32_t task;
	} * tasks;
	size_t count;
	size_t capacity;
	bool saw_deadlock; /* of a sub-net */
};

void wf_reference_free(struct wf_reference *reference);
/* Takes in what a command did to the case. */
void wf_reference_add(struct wf_reference *reference,
    const struct wf_case *instance, const struct wf_step *step);
/* Whether it misses a deadlock of the net with this serial number. */
bool wf_reference_misses(const struct wf_reference *reference, uint32_t net);

#endif
