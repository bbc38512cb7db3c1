/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of a server in test mode.  It runs like the machine's and can be
 * moved forward, so that what is due in days happens at once.
 */
#ifndef WF_SERVER_TEST_CLOCK_H
#define WF_SERVER_TEST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct wf_server;

/*
 * Moves the clock to that time (milliseconds since 1970), from one thing that
 * becomes due to the next: timers, delayed starts, ends of leases, attempts to
 * reach services.  Each is done, with what follows from it, at its own time.
 * False: that took longer than wait_ms; the clock stands where it was done so
 * far, and a further call continues.  One call at a time; it waits.
 */
bool wf_test_clock_move(struct wf_server *server, int64_t to, int64_t wait_ms);

#endif
