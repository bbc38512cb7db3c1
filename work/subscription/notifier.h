/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The notifier: notifies subscribers and observers of their events.
 *
 *   queue ──window is over──► group, claimed ──► called ──2xx──► acknowledged
 *                                 ▲                 │ failed
 *                                 └── after a delay ┘──too long──► given up
 *
 * One server of those on a store does it: a follower (work/follower.h).  Each
 * subscriber has a queue of the outbox, and one call at a time, so its events
 * arrive in the order of their times, in which those of one case happened;
 * what fails is sent again with growing delays, and holds up nobody else
 * (turns.c).  Events arrive at least once: twice only if a server ends while a
 * call is active.
 *
 * A subscription of which nothing arrives for the settings' time, or for which
 * too many events wait, is stopped: what waits is dropped, and an incident says
 * so.  Events for an observer are dropped, and the log says so.
 */
#ifndef WF_WORK_SUBSCRIPTION_NOTIFIER_H
#define WF_WORK_SUBSCRIPTION_NOTIFIER_H

#include <jansson.h>

#include "http/address.h"
#include "runtime/engine.h"
#include "work/mail/mailer.h"
#include "work/service.h"
#include "work/subscription/subscription.h"
#include "worklist/org_cache.h"

/* The code of the incident of a subscription that was stopped. */
#define WF_SUBSCRIPTION_CODE "subscription"

struct wf_notifier; /* opaque; safe for all threads */

struct wf_notifier_settings {
	int64_t keep_ms;  /* events wait so long for a subscriber */
	uint64_t waiting; /* so many wait for one, at most */
	/* --- what the app gives --- */
	const struct wf_address_ranges *allowed;
	const char *public_url;
	struct wf_subscriptions *subscriptions;
	struct wf_services *services;
	struct wf_org_cache *organisation;
	struct wf_mailer *mailer; /* NULL: no mail */
	/* A call has failed; is_last: its events were given up.  Or NULL. */
	void (*failed)(void *context, const char *to, unsigned attempt,
	    const char *reason, bool is_last);
	void *context;
};

struct wf_notifier_counts {
	uint64_t sent;	   /* notifications that arrived */
	uint64_t events;   /* in them */
	uint64_t failed;   /* calls */
	uint64_t given_up; /* times that events were dropped */
};

/* What the settings point to must outlive it. */
enum wf_rc wf_notifier_open(struct wf_notifier **notifier_out,
    const struct wf_notifier_settings *settings, struct wf_engine *engine,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Ends the thread, before the engine is closed; active calls may take 2 s.
 * notifier may be NULL, as below.
 */
void wf_notifier_stop(struct wf_notifier *notifier);
void wf_notifier_close(struct wf_notifier **notifier);
void wf_notifier_counts(
    struct wf_notifier *notifier, struct wf_notifier_counts *counts_out);

/*
 * The subscriptions that fail, as the server that calls them wrote it last: an
 * object of objects by their ids, a new reference.
 */
enum wf_rc wf_notifier_failing(struct wf_store *store, json_t **failing_out,
    struct wf_error *err) WF_MUSTCHECK;

#endif
