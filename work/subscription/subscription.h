/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subscriptions: who is notified of which observations
 * (runtime/observing/observed.def), and how.
 *
 *   added ──► active ◄──resume── paused       events wait
 *               │ ▲
 *  gave up ◄────┘ └──resume── stopped         no further event, none waits
 *
 * Subscriptions are records of the store, so all nodes have the same; each
 * server keeps them in memory.  What waits for a subscription stands in a queue
 * of the outbox (work/subscription/event.h), under an id that is never used
 * again.
 */
#ifndef WF_WORK_SUBSCRIPTION_SUBSCRIPTION_H
#define WF_WORK_SUBSCRIPTION_SUBSCRIPTION_H

#include <jansson.h>

#include "base/limits.h"
#include "base/pause.h"
#include "persistence/store.h"
#include "runtime/engine.h"

/* As many as a namespace may have. */
#define WF_SUBSCRIPTIONS 100U
#define WF_SUBSCRIPTION_SECRET_SIZE 65U
#define WF_SUBSCRIPTION_WINDOW_MS INT64_C(1000)
#define WF_SUBSCRIPTION_WINDOW_MAXIMUM_MS INT64_C(3600000)

/* The kinds of observations: their order is that of observed.def. */
#define WF_OBSERVED(code, name, text, observer, words) WF_OBSERVED_BIT_##name,
enum {
#include "runtime/observing/observed.def"
	WF_OBSERVED_COUNT
};
#undef WF_OBSERVED

/* A row of observed.def. */
struct wf_observed_row {
	enum wf_observed_kind kind;
	const char *name;
	bool is_for_observer;
	const char *words;
};
extern const struct wf_observed_row wf_observed_rows[WF_OBSERVED_COUNT];
/* The row of a kind. */
const struct wf_observed_row *wf_observed_row_of(enum wf_observed_kind kind);

/* The names of kinds (1 << row for each), as an array of JSON. */
json_t *wf_observed_names(uint32_t kinds);

/* How it is notified. */
enum wf_subscriber {
	WF_SUBSCRIBER_URL,     /* a signed request to a URL */
	WF_SUBSCRIBER_SERVICE, /* to a service, signed with its secret */
	WF_SUBSCRIBER_MAIL,    /* a mail to an address */
	WF_SUBSCRIBER_PERSON,  /* to a participant */
	WF_SUBSCRIBER_COUNT
};
/* "url", "service", "mail", "participant". */
const char *wf_subscriber_name(enum wf_subscriber how);

struct wf_subscription {
	uint32_t namespace_id;
	const char *name; /* unique in its namespace */
	const char *id;	  /* unique for ever */
	enum wf_subscriber how;
	const char *to; /* a URL, or a name of a service, .. */
	/* Of cases of it: a key, or a URI for all its versions; "": of all. */
	const char *specification;
	uint32_t kinds;	    /* 1 << row of observed.def for each wanted */
	int64_t window_ms;  /* what comes within it is sent together */
	const char *secret; /* of a URL; else "" */
	const char *by;	    /* the account that has added it */
	int64_t at;	    /* when */
	struct wf_pause pause;
	struct wf_pause stopped; /* nothing arrived for too long; by is "" */
};

struct wf_subscriptions; /* opaque; safe for all threads */

enum wf_rc wf_subscriptions_open(struct wf_subscriptions **subscriptions_out,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
void wf_subscriptions_free(struct wf_subscriptions **subscriptions);
/* Reads those that have changed, here or on another node. */
enum wf_rc wf_subscriptions_refresh(struct wf_subscriptions *subscriptions,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;

/* --- reading: copies in the arena ----------------------------------------- */

bool wf_subscriptions_find(struct wf_subscriptions *subscriptions,
    uint32_t namespace_id, const char *name, struct wf_arena *arena,
    struct wf_subscription *subscription_out);
bool wf_subscriptions_by_id(struct wf_subscriptions *subscriptions,
    const char *id, struct wf_arena *arena,
    struct wf_subscription *subscription_out);

struct wf_subscription_list {
	struct wf_subscription *rows; /* by namespace, then name */
	size_t count;
};

struct wf_subscription_list wf_subscriptions_of(
    struct wf_subscriptions *subscriptions, uint32_t namespace_id,
    struct wf_arena *arena);
/* Those that are notified of an observation, paused ones too. */
struct wf_subscription_list wf_subscriptions_notified(
    struct wf_subscriptions *subscriptions, const struct wf_observed *what,
    struct wf_arena *arena);

/* --- changing ------------------------------------------------------------- */

/*
 * Adds one, or replaces the one with its name, which keeps its id, secret and
 * pause; at and by are of who has added it.  One that was stopped is active
 * then.  *secret_out: that of a new one, or one that had none; else "".
 * WF_INVALID, WF_LIMIT.
 */
enum wf_rc wf_subscriptions_put(struct wf_subscriptions *subscriptions,
    struct wf_store *store, const struct wf_subscription *subscription,
    char secret_out[WF_SUBSCRIPTION_SECRET_SIZE], bool *is_new_out,
    struct wf_error *err) WF_MUSTCHECK;
/* WF_NOT_FOUND, as the next ones. */
enum wf_rc wf_subscriptions_remove(struct wf_subscriptions *subscriptions,
    struct wf_store *store, uint32_t namespace_id, const char *name,
    struct wf_error *err) WF_MUSTCHECK;
/* pause NULL: resumes it, also one that was stopped.  WF_CONFLICT. */
enum wf_rc wf_subscriptions_pause(struct wf_subscriptions *subscriptions,
    struct wf_store *store, uint32_t namespace_id, const char *name,
    const struct wf_pause *pause, struct wf_error *err) WF_MUSTCHECK;
/* Another secret.  WF_CONFLICT: it has none. */
enum wf_rc wf_subscriptions_rotate(struct wf_subscriptions *subscriptions,
    struct wf_store *store, uint32_t namespace_id, const char *name,
    char secret_out[WF_SUBSCRIPTION_SECRET_SIZE],
    struct wf_error *err) WF_MUSTCHECK;
/* Nothing arrived for too long.  WF_CONFLICT: it is stopped already. */
enum wf_rc wf_subscriptions_stop(struct wf_subscriptions *subscriptions,
    struct wf_store *store, const struct wf_subscription *subscription,
    const struct wf_pause *stopped, struct wf_error *err) WF_MUSTCHECK;

#endif
