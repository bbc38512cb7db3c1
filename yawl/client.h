/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients of YAWL's interfaces, as records of the store: a name, a password's
 * hash that is stored and compared as received, and a text.
 */
#ifndef WF_YAWL_CLIENT_H
#define WF_YAWL_CLIENT_H

#include <stdbool.h>

#include "base/limits.h"
#include "persistence/store.h"

#define WF_YAWL_ADMIN "admin"
#define WF_YAWL_CLIENT_KIND "yawl-client" /* of its record */

struct wf_yawl_client {
	const char *name;
	const char *password; /* its hash */
	const char *documentation;
};

/* The clients that YAWL has from the start, if there are none at all. */
enum wf_rc wf_yawl_clients_begin(
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
/* Whether it is the hash of a password that YAWL has from the start. */
bool wf_yawl_is_well_known(const char *password);

/* Texts are the arena's.  WF_NOT_FOUND. */
enum wf_rc wf_yawl_client_find(struct wf_store *store, const char *name,
    struct wf_arena *arena, struct wf_yawl_client *client_out,
    struct wf_error *err) WF_MUSTCHECK;
struct wf_yawl_clients {
	struct wf_yawl_client *rows; /* by name */
	size_t count;
	const char **damaged; /* names of those that are left out */
	size_t damaged_count;
};
enum wf_rc wf_yawl_client_list(struct wf_store *store, struct wf_arena *arena,
    struct wf_yawl_clients *clients_out, struct wf_error *err) WF_MUSTCHECK;
/* Adds or replaces. */
enum wf_rc wf_yawl_client_put(struct wf_store *store,
    const struct wf_yawl_client *client, struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_yawl_client_remove(struct wf_store *store, const char *name,
    struct wf_error *err) WF_MUSTCHECK;

#endif
