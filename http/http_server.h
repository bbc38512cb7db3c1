/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An HTTP/1.1 server: connections and bytes; what they mean is for others.
 *
 * A request becomes an exchange.  Once its head is there it is admitted, or
 * refused before its body is read; once it was read whole it is handled, which
 * answers it there and then, or later from any thread.  Nobody waits for
 * that: the connection sleeps.
 */
#ifndef WF_HTTP_HTTP_SERVER_H
#define WF_HTTP_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

struct wf_http;	    /* opaque */
struct wf_exchange; /* one request and its answer; opaque */

/* Called by threads of the server, each with another exchange. */
struct wf_http_calls {
	/* The head is there; answers, or lets it come. */
	void (*admit)(void *context, struct wf_exchange *exchange);
	/* It was read whole; unless admit() answered. */
	void (*handle)(void *context, struct wf_exchange *exchange);
	/* The answer was sent, or the other end is gone. */
	void (*over)(void *context, struct wf_exchange *exchange);
	void *context;
};

struct wf_http_settings {
	const char *address; /* "127.0.0.1", "::1", "0.0.0.0" */
	uint16_t port;	     /* 0: one that is free */
	unsigned threads;
	unsigned connections; /* at a time; further ones are not accepted */
	/*
	 * Seconds without a byte: closed.  In twice that time a request must
	 * have come whole; for each 1000 bytes of its body it has one more.
	 */
	unsigned idle;
	size_t body;   /* bytes of a request's body, at most */
	size_t bodies; /* of all bodies at a time */
};

/* Listens; WF_IO when it cannot do so there. */
enum wf_rc wf_http_open(struct wf_http **http_out,
    const struct wf_http_settings *settings, const struct wf_http_calls *calls,
    struct wf_error *err) WF_MUSTCHECK;
/* Who connected before waited until now. */
void wf_http_serve(struct wf_http *http);
uint16_t wf_http_port(const struct wf_http *http);
/*
 * Accepts no more connections, and closes those that there are once they are
 * answered.
 */
void wf_http_drain(struct wf_http *http);
/*
 * Waits until all answers are sent (10 seconds at most), and ends.  Every
 * exchange must have been answered.
 */
void wf_http_close(struct wf_http **http);

/* To be called each second or so: closes connections of slow senders. */
void wf_http_check(struct wf_http *http);

struct wf_http_counts {
	unsigned connections; /* now */
	size_t body_bytes;    /* that are held now */
};
void wf_http_counts(struct wf_http *http, struct wf_http_counts *counts_out);

/* --- the request: as long as the exchange lives ----------------------------
 */

const char *wf_exchange_method(const struct wf_exchange *exchange);
/* As it came: "/v1/cases?limit=5". */
const char *wf_exchange_target(const struct wf_exchange *exchange);
/* Names without regard to case; NULL: not there. */
const char *wf_exchange_header(
    const struct wf_exchange *exchange, const char *name);
/* Never NULL; a NUL follows. */
const char *wf_exchange_body(
    const struct wf_exchange *exchange, size_t *length_out);
/* The address of the other end, "127.0.0.1". */
const char *wf_exchange_peer(struct wf_exchange *exchange);
/* False when the other end has gone, as far as is known. */
bool wf_exchange_is_alive(const struct wf_exchange *exchange);
/* For whatever belongs to the exchange; freed with it. */
struct wf_arena *wf_exchange_arena(struct wf_exchange *exchange);
/* A number of its own, for the log. */
uint64_t wf_exchange_number(const struct wf_exchange *exchange);
/* Whatever the calls want to remember; NULL at first. */
void wf_exchange_set_data(struct wf_exchange *exchange, void *data);
void *wf_exchange_data(const struct wf_exchange *exchange);

/* --- the answer: once, and then the exchange is gone for whoever gave it ---
 */

/* Before the answer; texts are copied. */
void wf_exchange_add_header(
    struct wf_exchange *exchange, const char *name, const char *value);
/* body is copied; type: of the content, NULL when there is none. */
void wf_exchange_answer(struct wf_exchange *exchange, unsigned status,
    const char *type, const char *body, size_t length);

/*
 * An answer without end.  next() fills at most size bytes, or returns 0 when
 * there is nothing now (then wf_exchange_wake() is needed), or -1 at the end.
 * over() is called when nobody reads any more.  Called by the server's threads.
 */
struct wf_http_stream {
	ptrdiff_t (*next)(void *context, char *bytes, size_t size);
	void (*over)(void *context);
	void *context;
};
void wf_exchange_stream(struct wf_exchange *exchange, const char *type,
    const struct wf_http_stream *stream);
/* There is something new; until over() was called, from any thread. */
void wf_exchange_wake(struct wf_exchange *exchange);

/* --- in over() --- */

unsigned wf_exchange_status(const struct wf_exchange *exchange);
/* Bytes of the answer's body; of a stream, those that were sent. */
uint64_t wf_exchange_size(const struct wf_exchange *exchange);
/* Microseconds from when it was handled until it was answered. */
int64_t wf_exchange_duration(const struct wf_exchange *exchange);

#endif
