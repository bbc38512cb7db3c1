/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Posts what people do, and changes of the calendar, to those who listen
 * (worklist/listeners.h).
 *
 *   history ──► work of people ──┐
 *                                ├──► a form, to one listener at a time
 *   news of the calendar ────────┘
 *        ▲                                │
 *        └── place of each listener ◄─────┘
 *
 * A follower (work/follower.h) with a place for each listener.  It gives each
 * in turn a second at most, so that a slow one holds up the others by no more
 * than that and one time-out; then a slow one waits as long as its turn took,
 * and one that fails up to a minute.  An event is posted at least once.  One
 * that a listener refuses is passed over.  A listener that has failed for an
 * hour misses what has happened until then.
 */
#ifndef WF_YAWL_LISTENING_H
#define WF_YAWL_LISTENING_H

#include "server/context.h"

struct wf_listening; /* opaque */

/* Starts the thread; the server must outlive it, and counts what it does. */
enum wf_rc wf_listening_open(struct wf_listening **listening_out,
    struct wf_server *server, struct wf_error *err) WF_MUSTCHECK;
/* There may be something new; listening may be NULL, as below. */
void wf_listening_wake(struct wf_listening *listening);
/* Ends the thread, before the engine is closed; a post may take a second. */
void wf_listening_stop(struct wf_listening *listening);
void wf_listening_close(struct wf_listening **listening);

#endif
