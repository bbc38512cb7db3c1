/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mail to people: what they are offered, what is allocated to them, reminders
 * and escalation of late items.
 *
 *   history ──► events about people ──► who is to know ──► SMTP, one by one
 *      ▲                                                     │
 *      └──────────── position, a record of the store ◄───────┘
 *
 * One thread follows the history, so a step writes and waits for nothing.  How
 * far mail has been sent is a record, up to the person within an event: a
 * server that starts goes on behind it, and repeats what it had sent within the
 * last second.  Of several servers on one store, one has the record, for 90 s
 * since it wrote it; another takes over when that has passed.
 *
 * Who asks for digests gets one mail at its time instead, of what waits then
 * (digest.c).
 *
 * A mail that the server of mail refuses for good is passed over, one that it
 * refuses for now is tried a few times; while that server cannot be reached,
 * everything waits.
 */
#ifndef WF_WORK_MAIL_MAILER_H
#define WF_WORK_MAIL_MAILER_H

#include "runtime/engine.h"
#include "worklist/audiences.h"
#include "worklist/org_cache.h"

struct wf_mailer; /* opaque */

struct wf_mail_settings {
	const char *server;	   /* smtp:// or smtps://; "": no mail */
	const char *from;	   /* an address */
	const char *password_file; /* one line, USER:PASSWORD; "": none */
	const char *ca;		   /* certificates; "": the system's */
	const char *digest;	   /* when, see digest_time.h; "": never */
	const char *templates;	   /* a folder; "": the built-in ones */
	const char *public_url;	   /* of the server; "": no links */
};

struct wf_mailer_counts {
	uint64_t sent;
	uint64_t refused; /* passed over */
	uint64_t failed;  /* attempts that are repeated */
};

/*
 * Checks the settings and starts the thread; *mailer_out is NULL without a
 * server.  What is given must outlive the mailer.  WF_INVALID.
 */
enum wf_rc wf_mailer_open(struct wf_mailer **mailer_out,
    const struct wf_mail_settings *settings, struct wf_engine *engine,
    struct wf_org_cache *organisation, struct wf_audiences *audiences,
    struct wf_error *err) WF_MUSTCHECK;
/* The history may have new steps; mailer may be NULL. */
void wf_mailer_wake(struct wf_mailer *mailer);
/* Ends the thread, before the engine is closed; a mail on its way may take 5 s.
 */
void wf_mailer_stop(struct wf_mailer *mailer);
void wf_mailer_close(struct wf_mailer **mailer);

/* The server of mail; it lasts as long as the mailer.  NULL: there is none. */
struct wf_smtp_account;
const struct wf_smtp_account *wf_mailer_account(const struct wf_mailer *mailer);

void wf_mailer_counts(
    struct wf_mailer *mailer, struct wf_mailer_counts *counts_out);

#endif
