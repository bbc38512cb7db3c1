/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Services: who does the work of tasks, and how it is handed to them.
 *
 * A task names its service by a URI.  They are records of the store, so all
 * nodes have the same; a server keeps them in memory as a set that does not
 * change, and takes another set when they have changed.
 */
#ifndef WF_WORK_SERVICE_H
#define WF_WORK_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "persistence/store.h"

/* Stored as these numbers.  Their handlers: work/handler.h. */
enum wf_service_kind {
	WF_SERVICE_YAWL, /* a custom service of YAWL: notified, comes back */
	WF_SERVICE_PUSH, /* gets each item in a request */
	WF_SERVICE_PULL, /* workers claim its items */
	WF_SERVICE_BUILT_IN, /* "weft:http" and others: the server does it */
	WF_SERVICE_LISTENER, /* of YAWL's interface X: notified, has no items */
	WF_SERVICE_KIND_COUNT
};

/* Times are milliseconds. */
struct wf_service_policy {
	uint32_t attempts; /* in all, before it is an incident */
	int64_t delay;	   /* before the second one */
	uint32_t backoff;  /* each delay is so many times the one before */
	int64_t cap;	   /* the longest delay */
	int64_t timeout;   /* of an attempt; of pulled items, the lease */
	uint32_t concurrency;
};

extern const struct wf_service_policy wf_service_policy_default;
struct wf_service;
/* Of a service; the default one when that is NULL. */
const struct wf_service_policy *wf_service_policy_of(
    const struct wf_service *service);

/*
 * The service of items that name none, or one that is not registered, or that
 * a service refuses.
 */
#define WF_DEFAULT_WORKLIST "DefaultWorklist"

struct wf_service {
	uint32_t namespace_id;
	const char *name; /* unique in its namespace, 1 to 100 bytes */
	const char *uri;  /* the same, 1 to 1000 bytes */
	enum wf_service_kind kind;
	/*
	 * PUSH: the key of signatures, 16 bytes or more.  YAWL: the password's
	 * hash as its clients send it.  BUILT_IN: what address asks for, such
	 * as "user:password".  "": none.  Not for anybody's eyes.
	 */
	const char *secret;
	/*
	 * PUSH: where it is called, if that is not its URI.  BUILT_IN: where it
	 * sends to.  "": none.
	 */
	const char *address;
	const char *documentation;
	bool assignable; /* people who model may choose it */
	struct wf_service_policy policy;
};

const char *wf_service_kind_name(enum wf_service_kind kind);
/* False when there is no such kind. */
bool wf_service_kind_find(const char *name, enum wf_service_kind *kind_out);
/* Where it is called: its address, else its URI. */
const char *wf_service_address(const struct wf_service *service);
/* Whether it is an address that can be called: http or https. */
bool wf_service_is_called(const char *uri);

/* --- in the store; offline as well -----------------------------------------
 */

/*
 * Adds a service, or replaces the one with its name.  WF_INVALID: a field makes
 * no sense; WF_CONFLICT: another service has its URI.
 */
enum wf_rc wf_service_put(struct wf_store *store,
    const struct wf_service *service, struct wf_error *err) WF_MUSTCHECK;
/* WF_NOT_FOUND. */
enum wf_rc wf_service_remove(struct wf_store *store, uint32_t namespace_id,
    const char *name, struct wf_error *err) WF_MUSTCHECK;

/* --- in memory, for a server ------------------------------------------------
 */

/*
 * All services at one moment, by namespace, then name bytewise; it does not
 * change, and lasts until it is let go.
 */
struct wf_service_set {
	const struct wf_service *rows;
	size_t count;
};

/* NULL: there is none. */
const struct wf_service *wf_service_by_uri(
    const struct wf_service_set *set, uint32_t namespace_id, const char *uri);
const struct wf_service *wf_service_by_name(
    const struct wf_service_set *set, uint32_t namespace_id, const char *name);

/*
 * Who an item with this URI is for: the service, else the default worklist;
 * NULL: nobody.
 */
const struct wf_service *wf_service_for(
    const struct wf_service_set *set, uint32_t namespace_id, const char *uri);
/* How long to wait behind so many attempts. */
int64_t wf_service_delay(
    const struct wf_service_policy *policy, uint32_t attempts);

struct wf_services; /* opaque; safe for all threads */

enum wf_rc wf_services_open(struct wf_services **services_out,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
void wf_services_close(struct wf_services **services);
/* Reads what has changed, here or on other nodes. */
enum wf_rc wf_services_refresh(struct wf_services *services,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
/* Given back with wf_services_let_go(). */
const struct wf_service_set *wf_services_hold(struct wf_services *services);
void wf_services_let_go(
    struct wf_services *services, const struct wf_service_set *set);

#endif
