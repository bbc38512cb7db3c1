/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: observations as subscribers are notified of them, and the
 * observer that a case has named at its start.
 *
 *   observed, in the batch ──► messages of the outbox, one for each subscriber
 *                                   │
 *                          queue of the subscriber ──► notifier.h
 *
 * What nobody is notified of costs no message.
 */
#ifndef WF_WORK_SUBSCRIPTION_EVENT_H
#define WF_WORK_SUBSCRIPTION_EVENT_H

#include <jansson.h>

#include "http/address.h"
#include "work/service.h"
#include "work/subscription/subscription.h"

/* Queues: with the id of a subscription; with where an observer is called. */
#define WF_SUBSCRIPTION_QUEUES "weft:subscription/"
#define WF_OBSERVER_QUEUES "weft:observer/"
#define WF_EVENT_QUEUE_BYTES (WF_SERVICE_URI_BYTES + 32U)
/* What the event of a test is called. */
#define WF_TEST_EVENT "test"

/* Whether the queue is one of these. */
bool wf_is_event_queue(const char *destination);
/* The id of its subscription; NULL: it is of an observer. */
const char *wf_event_queue_id(const char *destination);
/* The queue of a subscription, in the arena. */
const char *wf_event_queue(const char *id, struct wf_arena *arena);

/* The callback of an engine; subscriptions: the context. */
void wf_subscriptions_observe(struct wf_subscriptions *subscriptions,
    const struct wf_observed *what, struct wf_observers *observers);
/* The payload of a message; observer: or "". */
struct wf_bytes wf_event_payload(const struct wf_observed *what,
    const char *observer, struct wf_arena *arena);
/*
 * The event of a message, with id and time: a new reference; NULL: the payload
 * is damaged.  identity: of the store.  *observer_out, in the arena: "": none.
 */
json_t *wf_event_read(const struct wf_message_row *row, const char *identity,
    const char **observer_out, struct wf_arena *arena);

/*
 * Commits messages of events, and the incident that they are about, or NULL.
 * Filled in are the number and the subject of each.
 */
enum wf_rc wf_events_commit(struct wf_store *store, struct wf_message_row *rows,
    size_t count, const struct wf_incident_write *incident,
    struct wf_arena *arena, struct wf_error *err) WF_MUSTCHECK;
/* Sends the event of a test to a subscription. */
enum wf_rc wf_event_test(struct wf_store *store,
    const struct wf_subscription *subscription, int64_t now,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Whether a URL may be called, as far as is known before: false if its host is
 * an address that is neither public nor in the ranges.
 */
bool wf_url_is_allowed(
    const char *url, const struct wf_address_ranges *allowed);

/* --- observers of cases --------------------------------------------------- */

/* Whether requests to a service of that name are signed. */
bool wf_is_notified_service(
    struct wf_services *services, uint32_t namespace_id, const char *name);
/*
 * Whether it can be one: a URL, or the name of a service that requests are
 * signed for.  WF_INVALID.
 */
enum wf_rc wf_observer_check(struct wf_services *services,
    uint32_t namespace_id, const char *observer,
    struct wf_error *err) WF_MUSTCHECK;
/* What is kept with the case. */
struct wf_bytes wf_observer_extra(const char *observer, struct wf_arena *arena);

#endif
