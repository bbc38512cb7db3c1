/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An HTTP/1.1 server: connections and bytes, not what they mean.
 *
 * A request becomes an exchange:
 *
 *   head ──admit()──► whole request ──handle()──► answer ──► over()
 *     │                                  ▲
 *     └── answered by admit(): the body ─┘
 *         is not read
 *
 * An exchange is answered by admit() or handle(), or later by any thread.  No
 * thread waits for the answer: the connection is not polled meanwhile.
 */
#ifndef WF_HTTP_HTTP_SERVER_H
#define WF_HTTP_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "http/address.h"

struct wf_http;	    /* opaque */
struct wf_exchange; /* one request and its answer; opaque */

/*
 * Called by several threads of the server at a time, for different exchanges.
 */
struct wf_http_calls {
	/* The head has come.  May answer; then handle() is not called. */
	void (*admit)(void *context, struct wf_exchange *exchange);
	/*
	 * The whole request has come.  Answers now, or has it answered later.
	 */
	void (*handle)(void *context, struct wf_exchange *exchange);
	/*
	 * The answer was sent, or the connection is lost.  Always the last
	 * call.
	 */
	void (*over)(void *context, struct wf_exchange *exchange);
	void *context;
};

struct wf_http_settings {
	const char *address; /* "127.0.0.1", "::1", "0.0.0.0" */
	uint16_t port;	     /* 0: one that is free */
	unsigned threads;
	unsigned connections; /* at a time; further ones are not accepted */
	/*
	 * Seconds after which a connection without traffic is closed.  A whole
	 * request must come, and its answer be read, within twice that time,
	 * plus one second for each 1000 bytes of the body; of a stream, each
	 * block must be read.
	 */
	unsigned idle_seconds;
	size_t body_bytes;    /* at most, of a request */
	size_t bodies_bytes;  /* at most, of all requests at a time */
	size_t answers_bytes; /* at most, of all answers not sent yet */
	unsigned share;	      /* of both, that an owner may use; percent */
	/* Files in PEM; "" or NULL: plain HTTP. */
	const char *tls_certificate;
	const char *tls_key;
	/* Plain HTTP also to others than programs of this machine. */
	bool insecure;
	/*
	 * They may connect by plain HTTP, and are believed whom they forward
	 * requests for.
	 */
	struct wf_address_ranges proxies;
};

/*
 * Listens at the address of the settings; the caller closes the socket, or
 * gives it to wf_http_open().  WF_IO.  WF_INVALID: neither address nor
 * certificate can be used, or plain HTTP would be served to other machines.
 */
enum wf_rc wf_http_listen(int *socket_out,
    const struct wf_http_settings *settings, struct wf_error *err) WF_MUSTCHECK;

/*
 * Holds connections until wf_http_serve().  socket: it listens
 * (http/listening.h); this call closes it, also when it fails.  WF_IO.
 */
enum wf_rc wf_http_open(struct wf_http **http_out, int socket,
    const struct wf_http_settings *settings, const struct wf_http_calls *calls,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Starts serving.  Connections accepted earlier have been held until this call.
 */
void wf_http_serve(struct wf_http *http);
uint16_t wf_http_port(const struct wf_http *http);
/* Accepts no more connections, and closes each one after its next answer. */
void wf_http_drain(struct wf_http *http);
/*
 * Waits until all answers are sent, at most 10 seconds, and closes.  Every
 * exchange must have been answered.
 */
void wf_http_close(struct wf_http **http);

/*
 * Closes connections whose client takes too long, and gives memory that they
 * used back to the system; call it each second.
 */
void wf_http_check(struct wf_http *http);

/*
 * Reads the files of the certificate again if they have changed; call it each
 * second.  An error is reported once for each change; the certificate before it
 * stays.
 */
enum wf_rc wf_http_check_certificate(
    struct wf_http *http, bool *changed_out, struct wf_error *err) WF_MUSTCHECK;

struct wf_http_counts {
	unsigned connections; /* open now */
	size_t body_bytes;    /* of bodies in memory now */
	size_t answer_bytes; /* of answers in memory now; small ones excluded */
};
void wf_http_counts(struct wf_http *http, struct wf_http_counts *counts_out);

/* --- the request: as long as the exchange lives -------------------------- */

const char *wf_exchange_method(const struct wf_exchange *exchange);
/* As it was sent: "/v1/cases?limit=5". */
const char *wf_exchange_target(const struct wf_exchange *exchange);
/* Names are compared without regard to case.  NULL: there is none. */
const char *wf_exchange_header(
    const struct wf_exchange *exchange, const char *name);
/* The same, of all fields of that name, with commas between; in its arena. */
const char *wf_exchange_joined_header(
    struct wf_exchange *exchange, const char *name);
/* Never NULL; a NUL follows. */
const char *wf_exchange_body(
    const struct wf_exchange *exchange, size_t *length_out);
/*
 * Content-Length, or 0.  False: the client does not say how much follows.
 */
bool wf_exchange_body_size(
    const struct wf_exchange *exchange, uint64_t *size_out);
/* The address of the client, "127.0.0.1"; that which a proxy forwards. */
const char *wf_exchange_peer(struct wf_exchange *exchange);
/*
 * Whether the client is a program of this machine: a proxy on it, trusted or
 * not, says that it forwards a request for others.
 */
bool wf_exchange_is_local(const struct wf_exchange *exchange);
/* Whether the client, or the proxy for it, speaks TLS. */
bool wf_exchange_is_https(const struct wf_exchange *exchange);
/* False when the client is known to have closed the connection. */
bool wf_exchange_is_alive(const struct wf_exchange *exchange);
/* Freed with the exchange. */
struct wf_arena *wf_exchange_arena(struct wf_exchange *exchange);
/*
 * Freed when the exchange is answered, for all that over() does not need: while
 * an answer waits for its reader only the answer is in memory.  That of a
 * stream is freed with the exchange.
 */
struct wf_arena *wf_exchange_scratch(struct wf_exchange *exchange);
/*
 * Whose share of the budgets it uses, such as the name of an account; before,
 * that of the client's address.  The text is copied.
 */
void wf_exchange_set_owner(struct wf_exchange *exchange, const char *owner);
/* Counts from 1; for the log. */
uint64_t wf_exchange_number(const struct wf_exchange *exchange);
/* A pointer of the callbacks; NULL at first. */
void wf_exchange_set_data(struct wf_exchange *exchange, void *data);
void *wf_exchange_data(const struct wf_exchange *exchange);

/* --- a body that is read in parts: no memory holds it whole --------------- */

/* Bytes of a part, except of the last one. */
#define WF_BODY_PART_BYTES ((size_t)128 << 10)

/*
 * In admit(), if it does not answer: handle() is called at once, and the body
 * comes when it is asked for.  It may have any size.
 */
void wf_exchange_defer_body(struct wf_exchange *exchange);

/* One of them is called, once for each wf_exchange_read(). */
struct wf_http_reader {
	/*
	 * wf_exchange_body() is the next part, until more is read or the
	 * exchange is answered; nothing follows the last one, which may be
	 * empty.  Called by a thread of the server, which must not wait.
	 */
	void (*part)(void *context, bool is_last);
	/* The connection is lost; the exchange ends. */
	void (*cut)(void *context);
	void *context;
};
/*
 * Reads the next part; the caller must not use the exchange any more.  Each
 * part must come within the time of a request.  False: there is no room for it
 * in the budget of bodies.  An answer before the last part is possible: the
 * rest is read and dropped, or the connection is closed.
 */
bool wf_exchange_read(
    struct wf_exchange *exchange, const struct wf_http_reader *reader);

/* --- the answer: once; afterwards the caller must not use the exchange --- */

/* Before the answer.  Copies both texts. */
void wf_exchange_add_header(
    struct wf_exchange *exchange, const char *name, const char *value);
/*
 * Copies body.  type: Content-Type, NULL: none.  When the budget of answers has
 * no room for the body, the answer is 503 instead.
 */
void wf_exchange_answer(struct wf_exchange *exchange, unsigned status,
    const char *type, const char *body, size_t length);

/*
 * An answer that is produced piece by piece.  next() writes at most size bytes
 * and returns their number; 0: none now, it is called again after
 * wf_exchange_wake(); -1: the end.  over() is called once, after the last
 * next().  Both are called by the server's threads.
 */
struct wf_http_stream {
	ptrdiff_t (*next)(void *context, char *bytes, size_t size);
	void (*over)(void *context);
	void *context;
};
void wf_exchange_stream(struct wf_exchange *exchange, const char *type,
    const struct wf_http_stream *stream);
/*
 * The same with a status, and a body of that size; -1 before its end closes the
 * connection.
 */
void wf_exchange_stream_sized(struct wf_exchange *exchange, unsigned status,
    const char *type, uint64_t size, const struct wf_http_stream *stream);
/*
 * Has next() called again.  From any thread, also before the stream begins,
 * until over() is called.
 */
void wf_exchange_wake(struct wf_exchange *exchange);

/*
 * Memory that a stream keeps for its reader counts as an answer's, until it is
 * released or the exchange is over.  False: there is no room.
 */
bool wf_exchange_hold(struct wf_exchange *exchange, size_t bytes);
void wf_exchange_release(struct wf_exchange *exchange, size_t bytes);

/* --- in over() --- */

unsigned wf_exchange_status(const struct wf_exchange *exchange);
/* Bytes of the answer's body; of a stream, those sent. */
uint64_t wf_exchange_size(const struct wf_exchange *exchange);
/* Microseconds from handle() to the answer. */
int64_t wf_exchange_duration(const struct wf_exchange *exchange);

/* The version of libmicrohttpd. */
const char *wf_http_version(void);

#endif
