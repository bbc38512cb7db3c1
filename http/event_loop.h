/* SPDX-License-Identifier: Apache-2.0 */
/* One thread and the connections that it serves; for http/http_server.c. */
#ifndef WF_HTTP_EVENT_LOOP_H
#define WF_HTTP_EVENT_LOOP_H

#include "base/error.h"

struct MHD_Connection;
struct MHD_Daemon;

struct wf_http_loop; /* opaque */

/*
 * For a daemon that was started for polling from outside, with epoll; takes
 * it, also when this fails (WF_IO).
 */
enum wf_rc wf_http_loop_open(struct wf_http_loop **loop_out,
    struct MHD_Daemon *daemon, struct wf_error *err) WF_MUSTCHECK;

/* Connections wait until then. */
void wf_http_loop_serve(struct wf_http_loop *loop);

/* A suspended connection that is to go on; lives as long as that. */
struct wf_resumption {
	struct wf_resumption *next;
	struct MHD_Connection *connection;
};
/* From any thread. */
void wf_http_loop_resume(
    struct wf_http_loop *loop, struct wf_resumption *resumption);

/* Accepts no more connections, soon. */
void wf_http_loop_drain(struct wf_http_loop *loop);
/* Closes its connections; none may be suspended, nobody may resume any more. */
void wf_http_loop_close(struct wf_http_loop **loop);

#endif
