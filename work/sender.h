/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sender: delivers messages of the outbox to services.
 *
 *   step ──► announcement ──► outbox, in the step's transaction
 *   commit ──► message claimed by one node ──► sent ──► acknowledged
 *                      ▲                        │ failed
 *                      └──────── postponed ◄────┘──► incident, or default
 *                                                    worklist
 *
 * Each message is delivered at least once, and messages of one item to one
 * destination in order: the store offers a message when those before it have
 * arrived.  One thread sends all; each destination has a number of calls at
 * once and a circuit breaker (work/destination.h).
 */
#ifndef WF_WORK_SENDER_H
#define WF_WORK_SENDER_H

#include <jansson.h>

#include "http/address.h"
#include "runtime/engine.h"
#include "tracing/tracer.h"
#include "work/handler.h"

struct wf_sender; /* opaque; safe for all threads */

/* An attempt that failed, without what the service has answered. */
struct wf_failed_attempt {
	const char *service; /* its URI */
	uint64_t number;     /* the case */
	const char *item;    /* or "" */
	uint32_t attempt;
	unsigned status;   /* of HTTP or SMTP; 0: there was no answer */
	const char *cause; /* without an answer, if it is known: why; or "" */
	bool is_last;	   /* the service refused it */
};

struct wf_sender_settings {
	/* Addresses that are not public and may be called nevertheless. */
	struct wf_address_ranges allowed;
	/* Certificates of authorization servers; NULL: the system's. */
	const char *token_ca;
	int64_t token_timeout_ms; /* of a request for a token */
	unsigned at_once;	  /* deliveries, at most */
	/* Called for each failed attempt, in the sender's thread; or NULL. */
	void (*failed)(void *context, const struct wf_failed_attempt *attempt);
	void *context;
	struct wf_tracer *tracer; /* NULL: nothing is traced */
	/* Between two claims without news of messages. */
	int64_t idle_ms;
};

void wf_sender_settings_init(struct wf_sender_settings *settings);

/* The engine and the services last until the sender is closed. */
enum wf_rc wf_sender_open(struct wf_sender **sender_out,
    const struct wf_sender_settings *settings, struct wf_engine *engine,
    struct wf_services *services, struct wf_error *err) WF_MUSTCHECK;
/*
 * Messages that are on their way are sent again by the next sender.  The engine
 * must have answered all requests.
 */
void wf_sender_close(struct wf_sender **sender);
/* Ends the thread: no call and no request to the engine from now on. */
void wf_sender_stop(struct wf_sender *sender);

/* Attempts; a message counts each time that it was sent. */
struct wf_sender_counts {
	uint64_t arrived;
	uint64_t failed; /* tried again later, or given up */
	uint64_t refused;
};
void wf_sender_counts(
    struct wf_sender *sender, struct wf_sender_counts *counts_out);

/* There may be a message to send.  Does not wait. */
void wf_sender_wake(struct wf_sender *sender);
/*
 * When the next message is to be sent, by the clock of the engine; 0: there are
 * messages on their way, or it was woken and has not claimed since.
 */
int64_t wf_sender_next(struct wf_sender *sender);

/* A test call takes so long at most, and not longer than a call. */
#define WF_TEST_CALL_MS 10000

/*
 * Asks a service whether it answers, without work for it; waits for the answer.
 * answer_out: {"passed": .., "call": an attempt as work/state/attempts.h has
 * it}, owned.  WF_CONFLICT: such services are not called; WF_UNAVAILABLE: a
 * test call is being made, one at a time.
 */
enum wf_rc wf_sender_test(struct wf_sender *sender,
    const struct wf_service *service, json_t **answer_out,
    struct wf_error *err) WF_MUSTCHECK;
/* Those that are made end within a second; NULL: nothing. */
void wf_sender_end_tests(struct wf_sender *sender);

#endif
