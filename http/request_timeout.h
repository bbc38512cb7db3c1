/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long connections have waited for a request.  A sender that gives a byte
 * now and then is never silent, and would keep its connection for ever.
 */
#ifndef WF_HTTP_REQUEST_TIMEOUT_H
#define WF_HTTP_REQUEST_TIMEOUT_H

#include <stddef.h>
#include <stdint.h>

struct wf_request_timeouts; /* with all connections; opaque, safe for all
			       threads */
struct wf_wait;		    /* with one; opaque */

struct wf_request_timeouts *wf_request_timeouts_new(void);
/* No connection is left. */
void wf_request_timeouts_free(struct wf_request_timeouts **timeouts);

/* A connection waits for its first request, from now on. */
struct wf_wait *wf_request_timeouts_begin(
    struct wf_request_timeouts *timeouts, int socket);
/* Its socket is about to be closed. */
void wf_request_timeouts_end(
    struct wf_request_timeouts *timeouts, struct wf_wait **wait);

/* The connection waits for a request, from now on. */
void wf_wait_begin(struct wf_wait *wait);
/* So much of the request's body came: a millisecond longer for each byte. */
void wf_wait_extend(struct wf_wait *wait, size_t bytes);
/* The request has come whole. */
void wf_wait_end(struct wf_wait *wait);

/* Shuts down the connections that have waited for longer. */
void wf_request_timeouts_check(
    struct wf_request_timeouts *timeouts, int64_t milliseconds);

#endif
