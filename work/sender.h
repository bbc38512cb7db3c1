/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Announcements on their way to services.
 *
 *   step ──► announce: who hears of it ──► outbox, in the step's transaction
 *   commit ──► claimed by one node ──► sent ──► acknowledged
 *                      ▲                 │ failed
 *                      └──── postponed ◄─┘──► incident, or default worklist
 *
 * At least once, and of one item to one destination in order: what is behind
 * waits in the store until what is before has arrived.  One thread sends;
 * however many messages there are, each service gets so many at a time, and one
 * that fails all the time is left alone for a while.
 */
#ifndef WF_WORK_SENDER_H
#define WF_WORK_SENDER_H

#include "http/address.h"
#include "runtime/engine.h"
#include "work/handler.h"

struct wf_sender; /* opaque; safe for all threads */

struct wf_sender_settings {
	struct wf_address_ranges allowed; /* not public, and yet allowed */
	unsigned at_once;		  /* messages on their way, at most */
};

void wf_sender_settings_init(struct wf_sender_settings *settings);

enum wf_rc wf_sender_open(struct wf_sender **sender_out,
    const struct wf_sender_settings *settings,
    const struct wf_service_handlers *handlers, struct wf_engine *engine,
    struct wf_services *services, struct wf_error *err) WF_MUSTCHECK;
/*
 * Ends; what is on its way is told anew by the next one.  The engine must have
 * answered all that it was asked.
 */
void wf_sender_close(struct wf_sender **sender);
/* Sends nothing more and asks the engine nothing more. */
void wf_sender_stop(struct wf_sender *sender);

/* Messages, each time that one was sent. */
struct wf_sender_counts {
	uint64_t arrived;
	uint64_t failed; /* and will be tried again, or given up */
	uint64_t refused;
};
void wf_sender_counts(
    struct wf_sender *sender, struct wf_sender_counts *counts_out);

/* There may be something to send; does not wait. */
void wf_sender_wake(struct wf_sender *sender);

#endif
