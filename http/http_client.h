/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client of the REST interface, for the command line.
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
 * server: "http://127.0.0.1:8090"; token may be NULL.  WF_INVALID for another
 * kind of address.
 */
enum wf_rc wf_client_open(struct wf_client **client_out, const char *server,
    const char *token, struct wf_error *err) WF_MUSTCHECK;
void wf_client_close(struct wf_client **client);

/* What is asked; texts that are NULL are left out. */
struct wf_call {
	const char *method;
	const char *path; /* with its query; see wf_client_path() */
	const char *accept;
	const char *type; /* of the body */
	const char *body;
	size_t length;
	const char *key; /* Idempotency-Key */
};

/*
 * Asks, and waits for the answer, which is appended to body.  An answer that
 * is a problem is a failure: its detail is the message, its code becomes the
 * nearest of ours.  WF_UNAVAILABLE: no server there.
 */
enum wf_rc wf_client_call(struct wf_client *client, const struct wf_call *call,
    struct wf_buffer *body, struct wf_error *err) WF_MUSTCHECK;
/* The same with JSON, a new reference; json may be NULL. */
enum wf_rc wf_client_json(struct wf_client *client, const char *method,
    const char *path, json_t *json, json_t **answer_out,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Many calls with JSON bodies, several at once.  next() gives the next one, a
 * new reference, or NULL at the end; done() is called for each, with the
 * number that it had, in any order.  False from done() ends it early.
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
 * Server-sent events: event() is called with the data of each, until it says
 * false, or the server ends the stream (WF_OK), or it breaks
 * (WF_UNAVAILABLE).  id: of the last event, to go on behind it.
 */
enum wf_rc wf_client_stream(struct wf_client *client, const char *path,
    bool (*event)(void *context, const char *id, const char *data),
    void *context, struct wf_error *err) WF_MUSTCHECK;

/*
 * An answer of any length: take() is called with its bytes as they come, until
 * it says false (WF_IO).
 */
enum wf_rc wf_client_copy(struct wf_client *client, const char *path,
    bool (*take)(void *context, const char *bytes, size_t size), void *context,
    struct wf_error *err) WF_MUSTCHECK;

/* Appends text as a part of a path or query: "7.1:A b" -> "7.1%3AA%20b". */
void wf_client_escape(struct wf_buffer *path, const char *text);

#endif
