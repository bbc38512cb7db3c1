/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server: an engine, and the world that reaches it over HTTP.
 */
#ifndef WF_APP_SERVER_H
#define WF_APP_SERVER_H

#include "http/http_server.h"
#include "http/thread_pool.h"
#include "runtime/engine.h"
#include "server/account.h"
#include "server/live_events.h"
#include "server/log.h"
#include "work/delivery.h"

struct wf_server; /* opaque; the struct is in server/context.h */

/* YAWL's interfaces. */
struct wf_yawl_settings {
	bool enabled;
	const char *path;     /* that they are below: "/yawl" */
	const char *worklist; /* the default one: "URL#password" */
	unsigned idle;	      /* seconds that a session may be unused */
};

struct wf_server_settings {
	struct wf_http_settings http;
	struct wf_engine_settings engine;
	unsigned readers;     /* threads that read the store */
	size_t readers_queue; /* requests that may wait for them */
	struct wf_streams_settings streams;
	struct wf_delivery_settings delivery;
	struct wf_yawl_settings yawl;
	/*
	 * Draws the nets of a specification, or of a case (instance not NULL),
	 * as SVG, for one thread at a time; NULL: there are no pictures.
	 */
	enum wf_rc (*draw)(const struct wf_spec *spec,
	    const struct wf_case *instance, struct wf_buffer *svg,
	    struct wf_error *err);
	struct wf_log *log; /* NULL: none; it outlives the server */
	/* Where the first start leaves the admin's token; NULL: nowhere. */
	const char *token_file;
};

void wf_server_settings_init(struct wf_server_settings *settings);

/* Opens the store, makes the first account where there is none, listens. */
enum wf_rc wf_server_open(struct wf_server **server_out,
    const struct wf_server_settings *settings,
    struct wf_error *err) WF_MUSTCHECK;
uint16_t wf_server_port(const struct wf_server *server);
/* Whether it was the first start: the token is in settings.token_file now. */
bool wf_server_made_token(const struct wf_server *server);
/* Takes nothing new, answers all that it took, and ends. */
void wf_server_close(struct wf_server **server);

#endif
