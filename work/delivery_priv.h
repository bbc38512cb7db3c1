/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delivery from inside; private to services/sender*.c.
 *
 * A message on its way belongs to the destination of its service:
 *
 *   claimed ──► waits in the destination ──► called ──► [the engine is asked]
 *                                        ──► settled, in bulk
 *
 * A destination is open until several calls in a row have failed; then it is
 * closed for a while, and opened by one call that is a trial.
 */
#ifndef WF_WORK_DELIVERY_PRIV_H
#define WF_WORK_DELIVERY_PRIV_H

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/map.h"
#include "work/sender.h"
#include "work/handler.h"

/* One service, as this node sees it. */
struct destination {
	struct destination *next;
	unsigned flying;
	unsigned waiting;
	struct wf_delivery *first; /* of those that wait */
	struct wf_delivery **last;
	unsigned failures; /* in a row */
	int64_t closed_until;
	uint64_t address;   /* hashed: another one has not failed yet */
	int64_t busy_until; /* when what was put back for now may have its turn
			     */
	double pace;	    /* milliseconds between two, as it was lately */
};

enum settlement { SETTLE_DONE, SETTLE_POSTPONE, SETTLE_REDIRECT };

/* A message, and where it is. */
struct wf_delivery {
	struct wf_message message;
	struct wf_delivery
	    *next; /* of the destination, or of those to be settled */
	struct wf_delivery *newer; /* of all */
	struct wf_delivery *older;
	struct wf_sender *sender;
	struct destination *destination;
	const struct wf_service_set *set;	  /* that its service is in */
	const struct wf_service_handler *handler; /* NULL: of none */
	int64_t until;				  /* of the claim */
	/* A call. */
	CURL *curl;
	struct curl_slist *headers;
	struct curl_slist *recipients;
	size_t sent;
	int64_t started;
	bool forbidden; /* an address of it */
	bool permitted; /* another one */
	char error[CURL_ERROR_SIZE];
	/* A question to the engine. */
	struct wf_error answer;
	/* How it ends. */
	bool tried;
	int64_t at;
	const char *redirect_uri;
	enum settlement settlement;
	bool is_settled;
	bool in_engine;
};

struct wf_sender {
	struct wf_sender_settings settings;
	const struct wf_service_handlers *handlers;
	struct wf_engine *engine;
	struct wf_services *services;
	char identity[9]; /* of the store, its beginning */
	CURLM *multi;
	pthread_t thread;
	bool has_thread;
	atomic_bool stopping;
	atomic_bool woken;
	atomic_ullong arrived, failed, refused;

	/* Of the thread. */
	struct wf_map *destinations; /* by "namespace/URI" */
	struct destination *first_destination;
	unsigned delivery_count; /* in all */
	struct wf_delivery *newest;
	struct wf_delivery *settling; /* at the next flush */
	int64_t claimed_at;
	int64_t settled_at;
	int64_t renewed_at;
	bool more; /* the last claim gave as many as it could */

	pthread_mutex_t lock; /* of what follows */
	struct wf_delivery *answered;
};

/* --- delivery.c --- */

/* The place of a delivery in its destination is free. */
void wf_delivery_land(struct wf_delivery *delivery);
void wf_delivery_free(struct wf_delivery *delivery);

/* --- delivery_call.c: over the network --- */

/* False: it cannot be; the reason is set. */
bool wf_delivery_call(struct wf_delivery *delivery);
/* Takes those that are over, each with its status or reason. */
void wf_sender_take_calls(struct wf_sender *sender);
void wf_delivery_end_call(struct wf_delivery *delivery);

/* --- delivery_outcome.c: what becomes of it --- */

void wf_delivery_verdict(struct wf_delivery *delivery, enum wf_verdict verdict);
/* It is to be sent again from at on; tried: this was an attempt. */
void wf_delivery_postpone(struct wf_delivery *delivery, int64_t at, bool tried);
void wf_sender_take_answers(struct wf_sender *sender);
/* Writes what has become of them, and frees them; now: also if there are few.
 */
void wf_sender_settle(struct wf_sender *sender, bool now);

#endif
