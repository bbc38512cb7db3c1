/* SPDX-License-Identifier: Apache-2.0 */
/* A server from inside; private to services/. */
#ifndef WF_SERVICES_SERVER_PRIV_H
#define WF_SERVICES_SERVER_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/map.h"
#include "services/server.h"

/* What is known of a case by its id; it never changes. */
struct wf_known_case {
	uint64_t number;
	uint64_t specification;
};

struct wf_server {
	struct wf_server_settings settings;
	struct wf_engine *engine;
	struct wf_accounts *accounts;
	struct wf_pool *pool;
	struct wf_pool *passwords; /* one thread that checks them */
	struct wf_streams *streams;
	struct wf_http *http;
	atomic_bool closing;
	atomic_uint inside; /* threads of http that use what is here */

	pthread_mutex_t lock; /* of what follows */
	struct wf_map *cases; /* "namespace/id" -> struct wf_known_case */
	struct wf_arena *cases_arena;
};

/* False when the server has not met it yet. */
bool wf_server_known_case(struct wf_server *server, uint32_t namespace_id,
    const char *id, struct wf_known_case *known_out);
void wf_server_know_case(struct wf_server *server, uint32_t namespace_id,
    const char *id, const struct wf_known_case *known);

#endif
