/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An HTTP client for JSON interfaces whose errors are problem details
 * (RFC 9457).  A client belongs to one thread; calls wait for the answer.
 */
#ifndef WF_HTTP_HTTP_CLIENT_H
#define WF_HTTP_HTTP_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"

struct wf_client; /* opaque */

/*
 * server: "http://127.0.0.1:8090".  token: of the header Authorization: Bearer,
 * NULL: none.  WF_INVALID: server is no such address.
 */
enum wf_rc wf_client_open(struct wf_client **client_out, const char *server,
    const char *token, struct wf_error *err) WF_MUSTCHECK;
/*
 * ca: the file of certificates (PEM) that are trusted in place of those of the
 * system; NULL: those.  It must outlive the client.
 */
void wf_client_trust(struct wf_client *client, const char *ca);
void wf_client_close(struct wf_client **client);

/* A request; texts that are NULL are left out. */
struct wf_call {
	const char *method;
	const char *path; /* and query, escaped: see wf_client_escape() */
	const char *accept;
	const char *type; /* of the body */
	const char *body;
	size_t length;
	const char *key; /* Idempotency-Key */
	bool is_new;	 /* If-None-Match: *, what is put must be new */
};

/*
 * Sends the request and appends the answer to body.  An answer that is a
 * problem is an error: its detail is the message, its status gives the code.
 * WF_UNAVAILABLE: no server could be reached.
 */
enum wf_rc wf_client_call(struct wf_client *client, const struct wf_call *call,
    struct wf_buffer *body, struct wf_error *err) WF_MUSTCHECK;
/* The same with JSON; *answer_out is a new reference; json may be NULL. */
enum wf_rc wf_client_json(struct wf_client *client, const char *method,
    const char *path, json_t *json, json_t **answer_out,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Many calls with JSON bodies, several at a time.  next() returns the next
 * body, a new reference, or NULL at the end.  done() is called for each answer,
 * in any order, with the number of its body; false: no further body is sent.
 */
struct wf_client_many {
	const char *method;
	const char *path;
	json_t *(*next)(void *context);
	bool (*done)(void *context, size_t number, const json_t *answer,
	    const struct wf_error *err);
	void *context;
};
enum wf_rc wf_client_many(struct wf_client *client,
    const struct wf_client_many *many, struct wf_error *err) WF_MUSTCHECK;

/*
 * Server-sent events: event() is called for each, until it returns false or the
 * server ends the stream (WF_OK), or the connection breaks (WF_UNAVAILABLE).
 * id: of the last event, from which a new stream can go on.  data NULL: nothing
 * happens, but the server lives.
 */
enum wf_rc wf_client_stream(struct wf_client *client, const char *path,
    bool (*event)(void *context, const char *id, const char *data),
    void *context, struct wf_error *err) WF_MUSTCHECK;

/*
 * An answer of any length: take() is called with its bytes as they come; false:
 * ends the call with WF_IO.
 */
enum wf_rc wf_client_copy(struct wf_client *client, const char *path,
    bool (*take)(void *context, const char *bytes, size_t size), void *context,
    struct wf_error *err) WF_MUSTCHECK;

/* Whether the last answer was 401: the token is missing or wrong. */
bool wf_client_is_unauthorized(const struct wf_client *client);

/* Appends text escaped for a path or query: "7.1:A b" -> "7.1%3AA%20b". */
void wf_client_escape(struct wf_buffer *path, const char *text);

#endif
