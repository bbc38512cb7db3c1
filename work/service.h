/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Services: the programs that do the work of tasks, and the policy by which
 * items are handed to each.
 *
 * A task names its service by a URI.  Services are records of the store, so all
 * nodes have the same; a server keeps them in memory as a set that does not
 * change, and replaces the set when the records have changed.
 */
#ifndef WF_WORK_SERVICE_H
#define WF_WORK_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/pause.h"
#include "persistence/store.h"

struct wf_service_handler; /* a kind of service: work/handler.h */

struct wf_service_policy {
	uint32_t attempts;  /* when all have failed, an incident is reported */
	int64_t delay_ms;   /* before the second attempt */
	uint32_t backoff;   /* factor between one delay and the next */
	int64_t cap_ms;	    /* the longest delay */
	int64_t timeout_ms; /* of an attempt; for pull, the length of a lease */
	uint32_t concurrency; /* calls at once */
};

#define WF_SERVICE_POLICY_DEFAULT                                              \
	{                                                                      \
		.attempts = 8, .delay_ms = 1000, .backoff = 2,                 \
		.cap_ms = 300000, .timeout_ms = 30000, .concurrency = 16,      \
	}
extern const struct wf_service_policy wf_service_policy_default;
struct wf_service;
/* The policy of a service; of NULL, the default. */
const struct wf_service_policy *wf_service_policy_of(
    const struct wf_service *service);

/*
 * The name of the service for items that name no service or one that is not
 * registered, and for those that a service of YAWL refuses.
 */
#define WF_DEFAULT_WORKLIST "DefaultWorklist"

struct wf_service {
	uint32_t namespace_id;
	/* Unique in its namespace, 1 to WF_SERVICE_NAME_BYTES. */
	const char *name;
	const char *uri; /* unique in its namespace, WF_SERVICE_URI_BYTES */
	const struct wf_service_handler *kind; /* a registered one */
	/*
	 * The kind gives it its meaning: the key of signatures, a password, or
	 * its hash.  "": none.  Never shown.
	 */
	const char *secret;
	/* The URL of calls, if that is not its URI.  "": none. */
	const char *address;
	/*
	 * Of weft:http: where a token for each call comes from (OAuth 2, client
	 * credentials), for whom, and for what; the secret is the client's.
	 * "": nowhere.
	 */
	const char *token_url;
	const char *client;
	const char *scope;
	const char *documentation;
	bool assignable; /* editors offer it to modellers */
	struct wf_service_policy policy;
	/*
	 * While it is paused, nothing is handed out to it.  resumed_at: when
	 * the last pause ended; messages have not waited for the service
	 * before.  wf_service_put() leaves both as they are.
	 */
	struct wf_pause pause;
	int64_t resumed_at;
	/*
	 * In a set only: until then this node knows that the address may not be
	 * called; 0: it does not.
	 */
	_Atomic int64_t *forbidden_until;
};

/* The URL of calls: its address, else its URI. */
const char *wf_service_address(const struct wf_service *service);
/* This node found that its address may not be called, or may be: 0. */
void wf_service_forbid(const struct wf_service *service, int64_t until);
/* Whether that is known now; at 0: whether it was found the last time. */
bool wf_service_is_forbidden(const struct wf_service *service, int64_t now);
#define WF_SERVICE_FORBIDDEN "its address is not public, and not allowed"
/* NULL: no service. */
bool wf_service_is_paused(const struct wf_service *service);
/* Whether it is a URL of http or https. */
bool wf_service_is_called(const char *uri);

/* --- in the store; also without a server --------------------------------- */

/*
 * Adds a service, or replaces the one with its name.  WF_INVALID: a field makes
 * no sense; WF_CONFLICT: another service has its URI.
 */
enum wf_rc wf_service_put(struct wf_store *store,
    const struct wf_service *service, struct wf_error *err) WF_MUSTCHECK;
/* WF_NOT_FOUND. */
enum wf_rc wf_service_remove(struct wf_store *store, uint32_t namespace_id,
    const char *name, struct wf_error *err) WF_MUSTCHECK;

/* --- in memory, for a server --------------------------------------------- */

/* All services at one moment, by namespace, then name (bytewise). */
struct wf_service_set {
	const struct wf_service *rows;
	size_t count;
};

/*
 * Lookups, in a set from wf_services_hold() only.  NULL: there is no such
 * service.
 */
const struct wf_service *wf_service_by_uri(
    const struct wf_service_set *set, uint32_t namespace_id, const char *uri);
const struct wf_service *wf_service_by_name(
    const struct wf_service_set *set, uint32_t namespace_id, const char *name);

/*
 * The service of items whose task names this URI: that service, else the
 * default worklist; NULL: neither is registered.
 */
const struct wf_service *wf_service_for(
    const struct wf_service_set *set, uint32_t namespace_id, const char *uri);
/* Whether the URI is one that is not registered; "" is none. */
bool wf_service_is_missing(
    const struct wf_service_set *set, uint32_t namespace_id, const char *uri);
/* The delay after so many failed attempts. */
int64_t wf_service_delay(
    const struct wf_service_policy *policy, uint32_t attempts);
/* How long all attempts take when each fails at once. */
int64_t wf_service_duration(const struct wf_service_policy *policy);

struct wf_services;	  /* opaque; safe for all threads */
struct wf_service_states; /* in work/state/service_state.h */

enum wf_rc wf_services_open(struct wf_services **services_out,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
void wf_services_close(struct wf_services **services);
/* Reads the services that have changed, here or on another node. */
enum wf_rc wf_services_refresh(struct wf_services *services,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
/* As wf_service_put(); the current set has it then. */
enum wf_rc wf_services_put(struct wf_services *services, struct wf_store *store,
    const struct wf_service *service, struct wf_error *err) WF_MUSTCHECK;
/*
 * Pauses the service with that name at pause->since; NULL: resumes it at now.
 * WF_NOT_FOUND; WF_CONFLICT: it is paused already, or is not.
 */
enum wf_rc wf_services_pause(struct wf_services *services,
    struct wf_store *store, uint32_t namespace_id, const char *name,
    const struct wf_pause *pause, int64_t now,
    struct wf_error *err) WF_MUSTCHECK;
/* How they do, as this node has seen it. */
struct wf_service_states *wf_services_states(struct wf_services *services);
/* How many records were read from the store so far. */
uint64_t wf_services_reads(struct wf_services *services);
/* The current set; it lasts until wf_services_let_go(). */
const struct wf_service_set *wf_services_hold(struct wf_services *services);
void wf_services_let_go(
    struct wf_services *services, const struct wf_service_set *set);
/*
 * The pause that items of this service wait for, in the arena; false: they wait
 * for none.  *name_out is the name of the service.
 */
bool wf_services_pause_of(struct wf_services *services, uint32_t namespace_id,
    const char *uri, struct wf_arena *arena, struct wf_pause *pause_out,
    const char **name_out);
/* The URI of the service with that name, in the arena; NULL: there is none. */
const char *wf_services_uri(struct wf_services *services, uint32_t namespace_id,
    const char *name, struct wf_arena *arena);

#endif
