/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls to subscribers, over HTTP and SMTP, many at a time, in one thread:
 *
 *   wf_calls_post(), wf_calls_mail() ──► active ──► wf_calls_next()
 *
 * As those to services: to an address that may be called, with certificates
 * checked, without redirects and proxies, bounded in time and bytes.
 */
#ifndef WF_WORK_SUBSCRIPTION_CALL_H
#define WF_WORK_SUBSCRIPTION_CALL_H

#include "base/buffer.h"
#include "base/memory.h"
#include "http/address.h"
#include "work/mail/smtp.h"

/* Whether it is a URL of http or https, with a host and without a user. */
bool wf_url_is_called(const char *url);
/* "https://host:8443", in the arena; NULL: it is no such URL. */
const char *wf_url_origin(const char *url, struct wf_arena *arena);

struct wf_calls; /* opaque */

/* The ranges must outlive it. */
struct wf_calls *wf_calls_new(const struct wf_address_ranges *allowed);
/* Ends all that are active. */
void wf_calls_free(struct wf_calls **calls);

/*
 * Begins a call; what it needs is copied.  context comes with its result.
 * headers: "Name: value".
 */
void wf_calls_post(struct wf_calls *calls, const char *url,
    const char *const *headers, size_t header_count,
    const struct wf_buffer *body, void *context);
/* The account must outlive the call. */
void wf_calls_mail(struct wf_calls *calls,
    const struct wf_smtp_account *account, const char *to,
    const struct wf_buffer *mail, void *context);

struct wf_call_result {
	void *context;
	bool is_good;	  /* 2xx, or the mail was taken */
	int64_t after_ms; /* the subscriber wants no call earlier; or 0 */
	char reason[300]; /* of a failure: a sentence for people */
};

size_t wf_calls_active(const struct wf_calls *calls);
/* Waits until one may be over. */
void wf_calls_wait(struct wf_calls *calls, int milliseconds);
/* False: none is over. */
bool wf_calls_next(struct wf_calls *calls, struct wf_call_result *result_out);

#endif
