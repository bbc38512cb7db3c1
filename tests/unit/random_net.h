/* SPDX-License-Identifier: Apache-2.0 */
/* Random specifications, for tests of what holds for all of them. */
#ifndef WF_TESTS_UNIT_RANDOM_NET_H
#define WF_TESTS_UNIT_RANDOM_NET_H

#include "base/buffer.h"
#include "base/random.h"
#include "kernel/case.h"

/*
 * Appends a YAWL specification with a root net of 4 to 12 tasks: loops,
 * joins and splits of all kinds, cancellation sets, empty and composite
 * tasks, several instances, and data now and then.  Every
 * element lies on a way from the input to the output condition.  It may
 * still be refused, for a loop of tasks without work.
 */
void wf_random_net(struct wf_random *random, struct wf_buffer *text);
/* The same, with timers. */
void wf_random_timed_net(struct wf_random *random, struct wf_buffer *text);

/* Limits for cases of these nets: growth reaches them soon. */
extern const struct wf_limits wf_random_limits;

#endif
