/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Services in memory: sets that do not change.
 *
 *   wf_services_refresh() ──► current set ──► replaced by a newer one
 *                              │ held by readers, counted
 *                              ▼ the last holder lets go: freed
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/panic.h"
#include "work/handler.h"

#define KEPT_MAGIC UINT32_C(0x53455453)

/* Every set has these; they need not be registered. */
#define ALWAYS(function)                                                       \
	{                                                                      \
		.name = "weft:" function, .uri = "weft:" function,             \
		.kind = &wf_built_in_handler, .secret = "", .address = "",     \
		.token_url = "", .client = "", .scope = "",                    \
		.documentation = "", .policy = WF_SERVICE_POLICY_DEFAULT       \
	}

static const struct wf_service always[] = { ALWAYS("echo"), ALWAYS("delay"),
	ALWAYS("fail") };

/* A set with what belongs to it. */
struct kept {
	struct wf_service_set set; /* the first member: what others hold */
	uint32_t magic;
	struct wf_arena *arena;
	struct wf_map *by_uri; /* "namespace/uri" */
	struct wf_map *by_name;
	unsigned holders;
};

struct wf_services {
	pthread_mutex_t lock;
	struct kept *now;
	uint64_t change; /* of the store, when they were read */
};

static const char *make_key(char key[WF_SERVICE_URI_BYTES + 16],
    uint32_t namespace_id, const char *text)
{
	snprintf(key, WF_SERVICE_URI_BYTES + 16, "%u/%s", namespace_id, text);
	return key;
}

static struct kept *index_all(struct wf_arena *arena, struct wf_service_set set)
{
	struct kept *kept = wf_arena_alloc(arena, sizeof(*kept));
	char key[WF_SERVICE_URI_BYTES + 16];

	kept->set = set;
	kept->magic = KEPT_MAGIC;
	kept->arena = arena;
	kept->by_uri = wf_map_new();
	kept->by_name = wf_map_new();
	kept->holders = 1;
	for (size_t i = 0; i < set.count; i++) {
		const struct wf_service *row = &set.rows[i];

		wf_map_add(kept->by_uri,
		    make_key(key, row->namespace_id, row->uri), (void *)row);
		wf_map_add(kept->by_name,
		    make_key(key, row->namespace_id, row->name), (void *)row);
	}
	return kept;
}

static void free_kept(struct kept *kept)
{
	struct wf_arena *arena = kept->arena;

	wf_assert(kept->holders == 0);
	kept->magic = 0;
	wf_map_free(&kept->by_uri);
	wf_map_free(&kept->by_name);
	wf_arena_free(&arena);
}

static struct kept *kept_of(const struct wf_service_set *set)
{
	struct kept *kept = (struct kept *)set;

	wf_assert(kept->magic == KEPT_MAGIC);
	return kept;
}

static const struct wf_service *find(
    const struct wf_map *map, uint32_t namespace_id, const char *text)
{
	char key[WF_SERVICE_URI_BYTES + 16];

	if (strlen(text) > WF_SERVICE_URI_BYTES)
		return NULL;
	return wf_map_get(map, make_key(key, namespace_id, text));
}

const struct wf_service *wf_service_by_uri(
    const struct wf_service_set *set, uint32_t namespace_id, const char *uri)
{
	const struct wf_service *found =
	    find(kept_of(set)->by_uri, namespace_id, uri);

	for (size_t i = 0;
	     found == NULL && i < sizeof(always) / sizeof(*always); i++)
		if (strcmp(always[i].uri, uri) == 0)
			found = &always[i];
	return found;
}

const struct wf_service *wf_service_by_name(
    const struct wf_service_set *set, uint32_t namespace_id, const char *name)
{
	return find(kept_of(set)->by_name, namespace_id, name);
}

const struct wf_service *wf_service_for(
    const struct wf_service_set *set, uint32_t namespace_id, const char *uri)
{
	const struct wf_service *service = NULL;

	if (uri[0] != '\0')
		service = wf_service_by_uri(set, namespace_id, uri);
	if (service == NULL)
		service =
		    wf_service_by_name(set, namespace_id, WF_DEFAULT_WORKLIST);
	return service;
}

bool wf_service_is_missing(
    const struct wf_service_set *set, uint32_t namespace_id, const char *uri)
{
	return uri[0] != '\0' && strcmp(uri, WF_PEOPLE_SERVICE) != 0 &&
	       wf_service_by_uri(set, namespace_id, uri) == NULL;
}

const struct wf_service_set *wf_services_hold(struct wf_services *services)
{
	struct kept *kept;

	pthread_mutex_lock(&services->lock);
	kept = services->now;
	wf_assert(kept->holders > 0);
	kept->holders++;
	pthread_mutex_unlock(&services->lock);
	return &kept->set;
}

void wf_services_let_go(
    struct wf_services *services, const struct wf_service_set *set)
{
	struct kept *kept = kept_of(set);
	bool last;

	pthread_mutex_lock(&services->lock);
	wf_assert(kept->holders > 0);
	/* The services hold the current set themselves. */
	wf_assert(kept->holders > 1 || kept != services->now);
	last = --kept->holders == 0;
	pthread_mutex_unlock(&services->lock);
	if (last)
		free_kept(kept);
}

const char *wf_services_uri(struct wf_services *services, uint32_t namespace_id,
    const char *name, struct wf_arena *arena)
{
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service *service =
	    wf_service_by_name(set, namespace_id, name);
	const char *uri =
	    service == NULL ? NULL : wf_arena_strdup(arena, service->uri);

	wf_services_let_go(services, set);
	return uri;
}

/* No service has changed up to that change. */
static void note_change(struct wf_services *services, uint64_t change)
{
	pthread_mutex_lock(&services->lock);
	if (services->change < change)
		services->change = change;
	pthread_mutex_unlock(&services->lock);
}

enum wf_rc wf_services_refresh(
    struct wf_services *services, struct wf_store *store, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_service_set set;
	struct kept *kept;
	struct kept *old;
	uint64_t after;
	uint64_t change;
	enum wf_rc rc;

	pthread_mutex_lock(&services->lock);
	after = services->change;
	pthread_mutex_unlock(&services->lock);
	rc = wf_service_read_all(store, after, arena, &set, &change, err);
	if (rc != WF_OK || set.rows == NULL) {
		wf_arena_free(&arena);
		if (rc == WF_OK)
			note_change(services, change);
		return rc;
	}
	kept = index_all(arena, set);
	pthread_mutex_lock(&services->lock);
	/* Another thread may have read a newer state meanwhile. */
	if (services->now != NULL && services->change > change) {
		old = kept;
	} else {
		old = services->now;
		services->now = kept;
		services->change = change;
	}
	pthread_mutex_unlock(&services->lock);
	if (old != NULL)
		wf_services_let_go(services, &old->set);
	return WF_OK;
}

enum wf_rc wf_services_open(struct wf_services **services_out,
    struct wf_store *store, struct wf_error *err)
{
	struct wf_services *services = wf_calloc(1, sizeof(*services));
	enum wf_rc rc;

	pthread_mutex_init(&services->lock, NULL);
	rc = wf_services_refresh(services, store, err);
	if (rc != WF_OK)
		wf_services_close(&services);
	*services_out = services;
	return rc;
}

void wf_services_close(struct wf_services **services)
{
	struct wf_services *old = *services;
	struct kept *kept;

	*services = NULL;
	if (old == NULL)
		return;
	kept = old->now;
	old->now = NULL;
	if (kept != NULL) {
		wf_assert(kept->holders == 1); /* no other holds a set */
		wf_services_let_go(old, &kept->set);
	}
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}
