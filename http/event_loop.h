/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread and the connections that it serves; for http/http_server.c.
 *
 *   held ──wf_http_loop_serve()──► serving ──wf_http_loop_drain()──► draining
 *     └───────────────wf_http_loop_close()──► closed ◄───────────────────┘
 */
#ifndef WF_HTTP_EVENT_LOOP_H
#define WF_HTTP_EVENT_LOOP_H

#include <stdbool.h>

#include "base/error.h"

struct MHD_Connection;
struct MHD_Daemon;

struct wf_http_loop; /* opaque */

/*
 * For a daemon that was started with epoll and without a thread of its own.
 * Stops the daemon when it closes, also when this call fails (WF_IO).
 */
enum wf_rc wf_http_loop_open(struct wf_http_loop **loop_out,
    struct MHD_Daemon *daemon, struct wf_error *err) WF_MUSTCHECK;

/* Starts serving; until then connections are held. */
void wf_http_loop_serve(struct wf_http_loop *loop);

/* A suspended connection that is to be resumed; lives until it is. */
struct wf_resumption {
	struct wf_resumption *next;
	struct MHD_Connection *connection;
};
/* From any thread. */
void wf_http_loop_resume(
    struct wf_http_loop *loop, struct wf_resumption *resumption);

/* Accepts no more connections, from the next turn of the loop on. */
void wf_http_loop_drain(struct wf_http_loop *loop);
/* Closes its connections.  None may be suspended; no thread may resume one. */
void wf_http_loop_close(struct wf_http_loop **loop);

/*
 * Whether this thread may touch the daemon and its connections: the loop's own
 * thread, or the one that closes the loop.
 */
bool wf_http_loop_is_mine(const struct wf_http_loop *loop);

#endif
