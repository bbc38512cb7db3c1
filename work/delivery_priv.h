/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliveries from inside; private to work/: sender.c, delivery*.c,
 * rendering.c, settlement.c, destination.c, state/test_call.c.
 *
 * A delivery is one claimed message on its way to its destination:
 *
 *                        RENDERING
 *                          ▲  │
 *                          │  ▼
 *   CLAIMED ──► QUEUED ──► ACTIVE ──► ASKING ──► ANSWERED ──► SETTLED ──► freed
 *      │          │          │        ▲  │           │          ▲
 *      │          │          └────────┼──┼───────────┼──────────┤
 *      │          └───────────────────┼──┼───────────┼──────────┤
 *      └──────────────────────────────┘  └───────────┼──────────┤
 *                                     ▲──────────────┘          │
 *
 *   QUEUED    waits in the queue of its destination (sender.c)
 *   ACTIVE    is rendered and called (sender.c, delivery_call.c)
 *   RENDERING its request takes long to make: in a thread beside (rendering.c)
 *   ASKING    the engine completes its item, reports an incident, or announces
 *             the item again (delivery_outcome.c)
 *   ANSWERED  the engine's reply is judged: settled, or asked once more
 *   SETTLED   waits until its outcome is written to the store (settlement.c)
 *
 * All of it belongs to the sender's thread, but for the lists of replies and of
 * what is rendered beside it, with the messages in that.
 */
#ifndef WF_WORK_DELIVERY_PRIV_H
#define WF_WORK_DELIVERY_PRIV_H

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/map.h"
#include "base/panic.h"
#include "work/access_tokens.h"
#include "work/destination.h"
#include "work/handler.h"
#include "work/sender.h"
#include "work/state/attempts.h"
#include "work/state/service_state.h"

#define WF_DELIVERY_MAGIC UINT32_C(0x44454c56)
#define WF_SENDER_MAGIC UINT32_C(0x53454e44)

enum delivery_state {
	DELIVERY_CLAIMED,
	DELIVERY_QUEUED,
	DELIVERY_ACTIVE,
	DELIVERY_RENDERING,
	DELIVERY_ASKING,
	DELIVERY_ANSWERED,
	DELIVERY_SETTLED,
	DELIVERY_STATE_COUNT
};

enum settlement { SETTLE_DONE, SETTLE_POSTPONE, SETTLE_REDIRECT };

struct wf_delivery {
	uint32_t magic;
	enum delivery_state state; /* written by wf_delivery_move() */
	struct wf_message message;
	struct wf_delivery *next;  /* in one of the lists of a state */
	struct wf_delivery *newer; /* of all of the sender */
	struct wf_delivery *older;
	struct wf_sender *sender;
	struct wf_destination *destination;
	const struct wf_service_set *set;	  /* that its service is in */
	const struct wf_service_handler *handler; /* NULL: none */
	int64_t claimed_until;
	/* The call. */
	CURL *curl;
	struct curl_slist *headers;
	struct curl_slist *recipients;
	size_t sent;		 /* bytes of a mail */
	enum wf_verdict verdict; /* of rendering outside */
	bool is_counted;	 /* as an active call of the destination */
	unsigned openings;	 /* of its breaker, before the call */
	struct wf_address_guard guard;
	char error[CURL_ERROR_SIZE];
	struct wf_span *span; /* of the call; NULL: none, or not sampled */
	const char *trace;    /* of what follows from the message, or NULL */
	const char *cause;    /* why there was no answer; NULL: unknown */
	bool is_untried;      /* the circuit breaker was open */
	int64_t began_us;     /* the call, by wf_monotonic_us(); 0: none */
	int64_t took_us;      /* the call */
	/* The engine's reply. */
	struct wf_error reply;
	/* The settlement. */
	enum settlement settlement;
	bool is_attempt;	  /* POSTPONE: it counts as an attempt */
	int64_t at;		  /* POSTPONE: sent again from then on */
	const char *redirect_uri; /* REDIRECT: to that service; else NULL */
};

struct wf_sender {
	uint32_t magic;
	struct wf_sender_settings settings;
	struct wf_engine *engine;
	struct wf_services *services;
	struct wf_access_tokens *tokens;
	struct wf_attempts *attempts;
	char identity[9]; /* the first characters of the store's */
	CURLM *multi;
	pthread_t thread;
	bool has_thread;
	atomic_bool stopping;
	atomic_bool woken;
	atomic_llong rests_until; /* next_at; 0: it does not rest */
	atomic_ullong arrived, failed, refused;
	atomic_bool tests;     /* a test call is made (state/test_call.c) */
	atomic_bool tests_end; /* no more of them */

	/* Of the thread. */
	struct wf_map *destinations; /* by "namespace/URI" */
	struct wf_destination *first_destination;
	unsigned delivery_count;
	struct wf_delivery *newest;
	struct wf_delivery *settled; /* to be written */
	int64_t messages_claimed_at;
	int64_t written_at;
	int64_t renewed_at;
	int64_t next_at;	  /* then there is something to claim */
	unsigned rounds;	  /* claims so far */
	uint32_t after_namespace; /* the next claim begins behind this queue */
	char *after;		  /* its destination; NULL: with the first */

	pthread_mutex_t lock; /* of what follows */
	struct wf_delivery *replies;
	struct wf_delivery *to_render; /* at most one for each destination */
	struct wf_delivery **last_to_render;
	struct wf_delivery *rendered;
	pthread_cond_t render_wake;
	bool render_ends;
	pthread_t render_thread;
	bool has_render_thread;
};

/* --- delivery.c ---------------------------------------------------------- */

/* A claimed message; the row is copied. */
struct wf_delivery *wf_delivery_new(struct wf_sender *sender,
    struct wf_destination *destination, const struct wf_message_row *row,
    int64_t now, int64_t claimed_until);
void wf_delivery_free(struct wf_delivery *delivery);
/* Sets the service of the delivery from the current set of services. */
void wf_delivery_find_service(struct wf_delivery *delivery);
/* The only writer of its state. */
void wf_delivery_move(struct wf_delivery *delivery, enum delivery_state state);
/* What the sender has of the service now is shown from then on. */
void wf_delivery_publish(const struct wf_delivery *delivery);
/* It counts as an active call of its destination no more. */
void wf_delivery_end_active(struct wf_delivery *delivery);
/* Frees what libcurl has of it. */
void wf_delivery_end_call(struct wf_delivery *delivery);

/* --- delivery_call.c: over the network ----------------------------------- */

/* False: no call can be made; the message's reason is set. */
bool wf_delivery_call(struct wf_delivery *delivery);
/* Its trace is that of the message, until there is a call. */
void wf_delivery_trace(struct wf_delivery *delivery);
/* The call is over; if it was answered, the message has the status. */
void wf_delivery_span_end(struct wf_delivery *delivery, CURLcode code);
/* The address of its destination is not allowed: sets the reason. */
enum wf_verdict wf_delivery_fail_forbidden(struct wf_delivery *delivery);
/* Judges the answers of all calls that are over. */
void wf_sender_take_calls(struct wf_sender *sender);

/* --- rendering.c: requests ------------------------------------------------ */

enum wf_rc wf_rendering_start(
    struct wf_sender *sender, struct wf_error *err) WF_MUSTCHECK;
/* Ends the thread: what waits for it is LATER. */
void wf_rendering_stop(struct wf_sender *sender);
/* Makes the request of a delivery that is ACTIVE, and its call. */
void wf_delivery_render(struct wf_delivery *delivery);
/* Goes on with all that were rendered outside the sender's thread. */
void wf_sender_take_rendered(struct wf_sender *sender);

/* --- delivery_outcome.c: what becomes of it ------------------------------ */

void wf_delivery_verdict(struct wf_delivery *delivery, enum wf_verdict verdict);
/* Judges all replies of the engine. */
void wf_sender_take_replies(struct wf_sender *sender);

/* --- settlement.c: in the store ------------------------------------------ */

/* The message need not be sent any more. */
void wf_delivery_settle(struct wf_delivery *delivery);
/* The message is sent again from at on. */
void wf_delivery_postpone(
    struct wf_delivery *delivery, int64_t at, bool is_attempt);
/* The message goes to redirect_uri. */
void wf_delivery_redirect(struct wf_delivery *delivery);
/*
 * Writes all settlements and frees their deliveries; now: also if the last time
 * was a moment ago.
 */
void wf_sender_write(struct wf_sender *sender, bool now);

#endif
