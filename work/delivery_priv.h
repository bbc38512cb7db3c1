/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delivery from inside; private to services/delivery*.c.
 *
 * A parcel on its way belongs to the line of its service:
 *
 *   claimed ──► waits in the line ──► called ──► [the engine is asked]
 *                                        ──► settled, in bulk
 *
 * A line is open until several calls in a row have failed; then it is closed
 * for a while, and opened by one call that is a trial.
 */
#ifndef WF_WORK_DELIVERY_PRIV_H
#define WF_WORK_DELIVERY_PRIV_H

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/map.h"
#include "work/delivery.h"
#include "work/message.h"

/* One service, as this node sees it. */
struct line {
	struct line *next;
	unsigned flying;
	unsigned waiting;
	struct flight *first; /* of those that wait */
	struct flight **last;
	unsigned failures; /* in a row */
	int64_t closed_until;
	uint64_t address;   /* hashed: another one has not failed yet */
	int64_t busy_until; /* when what was put back for now may have its turn
			     */
	double pace;	    /* milliseconds between two, as it was lately */
};

enum settlement { SETTLE_DONE, SETTLE_POSTPONE, SETTLE_REDIRECT };

/* A parcel, and where it is. */
struct flight {
	struct wf_parcel parcel;
	struct flight *next;  /* of the line, or of those to be settled */
	struct flight *newer; /* of all */
	struct flight *older;
	struct wf_delivery *delivery;
	struct line *line;
	const struct wf_service_set *set; /* that its service is in */
	const struct wf_parcel_kind *kind;
	int64_t until; /* of the claim */
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
	const char *destination;
	enum settlement settlement;
	bool is_settled;
	bool in_engine;
};

struct wf_delivery {
	struct wf_delivery_settings settings;
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
	struct wf_map *lines; /* by "namespace/URI" */
	struct line *first_line;
	unsigned flights; /* in all */
	struct flight *newest;
	struct flight *settling; /* at the next flush */
	int64_t claimed_at;
	int64_t settled_at;
	int64_t renewed_at;
	bool more; /* the last claim gave as many as it could */

	pthread_mutex_t lock; /* of what follows */
	struct flight *answered;
};

/* --- delivery.c --- */

/* NULL: there is no such kind of delivery. */
const struct wf_parcel_kind *wf_delivery_kind(enum wf_service_kind kind);
/* The place of a flight in its line is free. */
void wf_flight_land(struct flight *flight);
void wf_flight_free(struct flight *flight);

/* --- delivery_call.c: over the network --- */

/* False: it cannot be; the reason is set. */
bool wf_flight_call(struct flight *flight);
/* Takes those that are over, each with its status or reason. */
void wf_delivery_take_calls(struct wf_delivery *delivery);
void wf_flight_end_call(struct flight *flight);

/* --- delivery_outcome.c: what becomes of it --- */

void wf_flight_verdict(struct flight *flight, enum wf_verdict verdict);
/* It is to be sent again from at on; tried: this was an attempt. */
void wf_flight_postpone(struct flight *flight, int64_t at, bool tried);
void wf_delivery_take_answers(struct wf_delivery *delivery);
/* Writes what has become of them, and frees them; now: also if there are few.
 */
void wf_delivery_settle(struct wf_delivery *delivery, bool now);

#endif
