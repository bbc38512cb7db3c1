/* SPDX-License-Identifier: Apache-2.0 */
/* A server from inside; private to services/. */
#ifndef WF_SERVER_CONTEXT_H
#define WF_SERVER_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>

#include "app/server.h"
#include "base/spread.h"
#include "work/service.h"

/* What is known of a case by its id; it never changes. */
struct wf_known_case {
	uint64_t number;
	uint64_t specification;
};

#define WF_STATUSES 600U

/* What a server counts. */
struct wf_server_counts {
	uint64_t statuses[WF_STATUSES]; /* answers */
	struct wf_spread times;		/* of requests, microseconds */
};

struct wf_claims; /* in work/claims.h */

struct wf_server {
	struct wf_server_settings settings;
	struct wf_engine *engine;
	struct wf_accounts *accounts;
	struct wf_services *services;
	_Atomic(struct wf_delivery *) delivery;
	_Atomic(struct wf_claims *) claims;
	struct wf_pool *pool;
	struct wf_pool *passwords; /* one thread that checks them */
	struct wf_streams *streams;
	struct wf_yawl *yawl; /* NULL: its interfaces are not served */
	struct wf_http *http;
	atomic_bool closing;
	atomic_uint inside; /* threads of http that use what is here */
	pthread_t refresh;  /* reads the accounts anew */
	bool has_refresh;
	bool made_token;    /* this start made the first account */
	bool accounts_fail; /* to be read; of that thread */

	pthread_mutex_t drawing; /* of settings.draw */
	pthread_mutex_t lock;	 /* of what follows */
	struct wf_met_case *met; /* by the hash of their names */
	pthread_cond_t ending;
	struct wf_server_counts counts;
	struct wf_store_backlog backlog; /* as it was .. */
	int64_t backlog_at;		 /* .. then; 0: it never was read */
	bool has_backlog;		 /* false: the store did not answer */
};

/*
 * While a server ends, nothing of it but this may be touched: false, and what
 * is used then is closed only when everybody has left.
 */
bool wf_server_enter(struct wf_server *server);
void wf_server_leave(struct wf_server *server);

/* False when the server has not met it yet. */
bool wf_server_known_case(struct wf_server *server, uint32_t namespace_id,
    const char *id, struct wf_known_case *known_out);
/*
 * The same, looked up in the store where it is not known yet.  WF_NOT_FOUND.
 */
enum wf_rc wf_server_find_case(struct wf_server *server, uint32_t namespace_id,
    const char *id, struct wf_known_case *known_out,
    struct wf_error *err) WF_MUSTCHECK;
void wf_server_know_case(struct wf_server *server, uint32_t namespace_id,
    const char *id, const struct wf_known_case *known);

/* settings.draw, which is there, for one thread at a time. */
enum wf_rc wf_server_draw(struct wf_server *server, const struct wf_spec *spec,
    const struct wf_case *instance, struct wf_buffer *svg,
    struct wf_error *err) WF_MUSTCHECK;

/* --- server_log.c ----------------------------------------------------------
 */

void wf_server_log_start(struct wf_server *server);
void wf_server_log_event(struct wf_log *log, const char *event);
/* Whether they could be read; told when that changes. */
void wf_server_log_accounts(
    struct wf_server *server, enum wf_rc rc, const struct wf_error *err);
/* What the engine tells; context: the server. */
void wf_server_log_notice(void *context, const struct wf_notice *note);

#endif
