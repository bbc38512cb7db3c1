/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request to another server, and its whole answer: for threads that may
 * wait.
 *
 * The call is bounded in time and in bytes, follows no redirect and uses no
 * proxy.  It checks certificates, and the address that the name resolves to
 * (http/address.h).
 */
#ifndef WF_HTTP_FETCH_H
#define WF_HTTP_FETCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "http/address.h"

/* Texts that are NULL are left out. */
struct wf_fetch {
	const char *url;
	const char *method; /* NULL: GET; with a body POST */
	const char *accept;
	const char *authorization; /* the value of that header */
	const char **headers;	   /* more, "Name: value"; ends with NULL */
	const char *type;	   /* of the body */
	const char *body;
	const char *user; /* "name:password" */
	/*
	 * The URL is one of smtp or smtps: only connects and signs in, with
	 * TLS if the server has it.
	 */
	bool is_mail;
	/* A file of certificates, in place of those of the system. */
	const char *ca;
	/* NULL: any address may be called, an administrator has chosen it. */
	const struct wf_address_ranges *allowed;
	int64_t timeout_ms; /* greater than 0 */
	/* How long the server asks to wait; 0: it does not.  Or NULL. */
	int64_t *retry_after_ms;
	/* The Content-Type of the answer, or ""; at most so long. Or NULL. */
	char *answer_type;
	size_t answer_type_size;
	const atomic_bool *stop; /* true ends the call within a second */
};

/*
 * Appends the answer to body, whose maximum is that of the answer.  status_out:
 * of HTTP, whatever it is.  WF_UNAVAILABLE: there is no answer; WF_DENIED: the
 * address may not be called; WF_LIMIT: the answer is too long; WF_INVALID: no
 * URL of http or https (of smtp or smtps, for mail).  The messages do not name
 * the URL.
 */
enum wf_rc wf_http_fetch(const struct wf_fetch *fetch, struct wf_buffer *body,
    unsigned *status_out, struct wf_error *err) WF_MUSTCHECK;

/* The version of libcurl. */
const char *wf_http_fetch_version(void);

#endif
