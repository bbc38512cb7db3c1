/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An exchange and its server, for the files of the HTTP server:
 *
 *   http_server ──► connection ──► admission ──► body, answer ──► exchange
 */
#ifndef WF_HTTP_HTTP_SERVER_PRIV_H
#define WF_HTTP_HTTP_SERVER_PRIV_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "http/budget.h"
#include "http/event_loop.h"
#include "http/http_server.h"
#include "http/request_timeout.h"
#include "http/tls.h"

/* Memory of a connection, for the heads of its request and answer. */
#define WF_CONNECTION_BYTES ((size_t)16384)

/* One event loop; it serves its share of the connections. */
struct wf_http_worker {
	struct wf_http *http;
	struct wf_http_loop *loop;
};

struct wf_http {
	struct wf_http_settings settings;
	struct wf_http_calls calls;
	char *address;
	uint16_t port;
	atomic_uint connections;
	atomic_ullong exchanges;
	struct wf_budget *budget;
	/* Of the thread that calls wf_http_check(). */
	unsigned most_connections;
	size_t fallen; /* bytes since memory was trimmed */
	pthread_mutex_t lock;
	pthread_cond_t answered; /* signalled when answering falls to 0 */
	unsigned answering;	 /* exchanges handled and not over */
	atomic_bool draining;
	struct wf_request_timeouts *timeouts;
	struct wf_tls *tls;		 /* NULL: plain HTTP */
	struct wf_http_worker workers[]; /* settings.threads of them */
};

/* See http/connection.c. */
enum wf_exchange_state {
	WF_EXCHANGE_WORKING,
	WF_EXCHANGE_SLEEPING,
	WF_EXCHANGE_READING, /* a part of its body: http/body_parts.c */
	WF_EXCHANGE_ANSWERED
};

/* An answer that is given in place of another. */
struct wf_refusal {
	unsigned status;
	const char *title;
	const char *detail;
	const char *code;
};

struct wf_header {
	struct wf_header *next;
	const char *name;
	const char *value;
};

struct wf_exchange {
	struct wf_http *http;
	struct wf_http_loop *loop;
	struct MHD_Connection *connection;
	struct wf_resumption resumption;
	struct wf_wait *wait; /* of its connection */
	struct wf_arena *arena;
	struct wf_arena *scratch;
	struct wf_member *member; /* of the budget; NULL: not joined yet */
	size_t held;		  /* of answers */
	void *data;
	uint64_t number;
	int64_t began; /* microseconds */
	int64_t took;
	const char *method; /* NULL: the head is not there yet */
	const char *target;
	struct wf_buffer body;
	size_t swallowed; /* bytes of a refused body, which are not kept */
	const struct wf_refusal *refusal;
	/* Of a body that is read in parts. */
	struct wf_http_reader reader;
	bool deferred;
	bool begun;    /* libmicrohttpd reads it */
	bool ended;    /* the last part was given */
	bool has_part; /* memory for one */
	bool handled;
	bool closes;	    /* the connection, after the answer */
	_Atomic(int) state; /* enum wf_exchange_state */
	struct wf_header *headers;
	unsigned status;
	struct MHD_Response *response;
	uint64_t size;
	/* Of a stream. */
	struct wf_http_stream stream;
	bool streams;
	bool has_size;	    /* the stream has a known size */
	atomic_bool wanted; /* it was woken */
	atomic_bool asleep;
};

/* --- http/exchange.c ------------------------------------------------------ */

/* The other end of the connection; false: unknown. */
bool wf_exchange_find_peer(
    const struct wf_exchange *exchange, struct wf_address_range *address_out);
/* Its member of the budget: that of the client's address until it has one. */
struct wf_member *wf_exchange_join(struct wf_exchange *exchange);

/* --- http/answer.c -------------------------------------------------------- */

/* Answers with its refusal, after which the connection is closed. */
void wf_exchange_refuse(struct wf_exchange *exchange);
/* After this call the exchange may be freed. */
void wf_exchange_resume(struct wf_exchange *exchange);
/* Gives the answer to libmicrohttpd. */
enum MHD_Result wf_exchange_queue_answer(struct wf_exchange *exchange);

/* --- http/body.c ---------------------------------------------------------- */

/* Whether a body follows the head; one that is too large is refused. */
bool wf_exchange_expect_body(struct wf_exchange *exchange);
/*
 * False: the connection is closed, because the client has sent too much of a
 * body that is refused.
 */
bool wf_exchange_take_part(
    struct wf_exchange *exchange, const char *part, size_t length);
/* Frees it, and gives its bytes back to the budget. */
void wf_exchange_drop_body(struct wf_exchange *exchange);

/* --- http/body_parts.c ---------------------------------------------------- */

/*
 * A part of a deferred body has come; *length becomes what is left of it.
 * False: the connection is closed.
 */
bool wf_exchange_take_deferred(
    struct wf_exchange *exchange, const char *part, size_t *length);
/* Before the first part, or behind the last one: reads, rests or answers. */
enum MHD_Result wf_exchange_go_on(struct wf_exchange *exchange);
/* Suspends the connection until the handler answers or reads on. */
enum MHD_Result wf_exchange_rest(struct wf_exchange *exchange);
/* The exchange is over; its reader is notified. */
void wf_exchange_end_reading(struct wf_exchange *exchange);

/* --- http/admission.c ----------------------------------------------------- */

/* The head is there. */
enum MHD_Result wf_exchange_admit(
    struct wf_exchange *exchange, const char *method, const char *version);

/* --- http/connection.c: callbacks of libmicrohttpd ------------------------ */

/* It was read whole, or its body is deferred: it is handled. */
enum MHD_Result wf_exchange_handle(struct wf_exchange *exchange);

/* MHD_OPTION_URI_LOG_CALLBACK; context: the worker. */
void *wf_http_begin_exchange(
    void *context, const char *uri, struct MHD_Connection *connection);
/* MHD_OPTION_NOTIFY_COMPLETED; context: the server. */
void wf_http_end_exchange(void *context, struct MHD_Connection *connection,
    void **data, enum MHD_RequestTerminationCode code);
/* MHD_OPTION_NOTIFY_CONNECTION; context: the server. */
void wf_http_count_connection(void *context, struct MHD_Connection *connection,
    void **data, enum MHD_ConnectionNotificationCode code);
/* Called for the head, for each part of the body, at the end, and again. */
enum MHD_Result wf_http_access(void *context, struct MHD_Connection *connection,
    const char *url, const char *method, const char *version, const char *part,
    size_t *length, void **data);

#endif
