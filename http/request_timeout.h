/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long each connection has waited for its client: for a whole request, or
 * until an answer was read.  A client that sends or reads a byte now and then
 * is never idle and would keep its connection for ever; this closes it.
 *
 *   wf_request_timeouts_begin() ──► waiting ──wf_wait_end()──► not waiting
 *                                      ▲                           │
 *                                      └──────wf_wait_begin()──────┘
 */
#ifndef WF_HTTP_REQUEST_TIMEOUT_H
#define WF_HTTP_REQUEST_TIMEOUT_H

#include <stddef.h>
#include <stdint.h>

struct wf_request_timeouts; /* of all connections; opaque; any thread */
struct wf_wait;		    /* of one connection; opaque */

struct wf_request_timeouts *wf_request_timeouts_new(void);
/* All waits must have ended. */
void wf_request_timeouts_free(struct wf_request_timeouts **timeouts);

/* A new connection; it waits for its first request from now on. */
struct wf_wait *wf_request_timeouts_begin(
    struct wf_request_timeouts *timeouts, int socket);
/* The connection ends.  Call it before its socket is closed. */
void wf_request_timeouts_end(
    struct wf_request_timeouts *timeouts, struct wf_wait **wait);

/* The connection waits for its client from now on. */
void wf_wait_begin(struct wf_wait *wait);
/* A body of so many bytes comes or goes: allows 1 ms more for each. */
void wf_wait_extend(struct wf_wait *wait, size_t bytes);
/* The server works, or has nothing to send. */
void wf_wait_end(struct wf_wait *wait);

/* Shuts down the sockets of connections that have waited longer than this. */
void wf_request_timeouts_check(
    struct wf_request_timeouts *timeouts, int64_t milliseconds);

#endif
