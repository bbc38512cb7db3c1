/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Services in memory: sets that do not change.
 *
 *   wf_services_refresh() ──► current set ──► replaced by a newer one,
 *                              │              a copy of those in the cache
 *                              │ held by readers, counted
 *                              ▼ the last holder lets go: freed
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/panic.h"
#include "work/handler.h"
#include "work/service_priv.h"
#include "work/state/service_state.h"

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
	struct wf_record_cache *cache;
	struct wf_service_states *states;
	pthread_mutex_t making; /* one thread makes a set at a time */
	uint64_t version;	/* of the cache, in the current set */
	pthread_mutex_t lock;	/* of what follows */
	struct kept *now;
};

static const char *make_key(char key[WF_SERVICE_URI_BYTES + 16],
    uint32_t namespace_id, const char *text)
{
	snprintf(key, WF_SERVICE_URI_BYTES + 16, "%u/%s", namespace_id, text);
	return key;
}

static struct kept *make_set(struct wf_record_cache *cache)
{
	const struct wf_record_choice all = { .text = NULL };
	struct wf_arena *arena = wf_arena_new();
	struct kept *kept = wf_arena_alloc(arena, sizeof(*kept));
	char key[WF_SERVICE_URI_BYTES + 16];
	struct wf_service *rows =
	    wf_record_cache_choose(cache, &all, arena, &kept->set.count);

	kept->set.rows = rows;
	kept->magic = KEPT_MAGIC;
	kept->arena = arena;
	kept->by_uri = wf_map_new();
	kept->by_name = wf_map_new();
	kept->holders = 1;
	for (size_t i = 0; i < kept->set.count; i++) {
		struct wf_service *row = &rows[i];

		row->forbidden_until =
		    wf_arena_alloc(arena, sizeof(*row->forbidden_until));
		wf_map_add(kept->by_uri,
		    make_key(key, row->namespace_id, row->uri), row);
		wf_map_add(kept->by_name,
		    make_key(key, row->namespace_id, row->name), row);
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

bool wf_services_pause_of(struct wf_services *services, uint32_t namespace_id,
    const char *uri, struct wf_arena *arena, struct wf_pause *pause_out,
    const char **name_out)
{
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service *service =
	    wf_service_for(set, namespace_id, uri);
	bool is_paused = wf_service_is_paused(service);

	if (is_paused) {
		wf_pause_copy(&service->pause, arena, pause_out);
		*name_out = wf_arena_strdup(arena, service->name);
	}
	wf_services_let_go(services, set);
	return is_paused;
}

/* Of services that another kind or another address is behind now, or none. */
static void forget_changed(struct wf_services *services,
    const struct wf_service_set *old, const struct wf_service_set *new)
{
	for (size_t i = 0; i < old->count; i++) {
		const struct wf_service *was = &old->rows[i];
		const struct wf_service *is =
		    find(kept_of(new)->by_uri, was->namespace_id, was->uri);

		if (is == NULL || is->kind != was->kind ||
		    strcmp(is->address, was->address) != 0)
			wf_service_state_forget(
			    services->states, was->namespace_id, was->uri);
	}
}

/* Makes the set of what the cache has, if that is another one. */
static void renew(struct wf_services *services)
{
	struct kept *old = NULL;
	uint64_t version;

	pthread_mutex_lock(&services->making);
	version = wf_record_cache_version(services->cache);
	if (version != services->version) {
		struct kept *kept = make_set(services->cache);

		pthread_mutex_lock(&services->lock);
		old = services->now;
		services->now = kept;
		pthread_mutex_unlock(&services->lock);
		services->version = version;
	}
	if (old != NULL) {
		forget_changed(services, &old->set, &services->now->set);
		wf_services_let_go(services, &old->set);
	}
	pthread_mutex_unlock(&services->making);
}

enum wf_rc wf_services_refresh(
    struct wf_services *services, struct wf_store *store, struct wf_error *err)
{
	enum wf_rc rc = wf_record_cache_refresh(services->cache, store, err);

	if (rc == WF_OK)
		renew(services);
	return rc;
}

enum wf_rc wf_services_put(struct wf_services *services, struct wf_store *store,
    const struct wf_service *service, struct wf_error *err)
{
	enum wf_rc rc = wf_service_put_in(services->cache, store, service, err);

	if (rc == WF_OK)
		renew(services);
	return rc;
}

enum wf_rc wf_services_pause(struct wf_services *services,
    struct wf_store *store, uint32_t namespace_id, const char *name,
    const struct wf_pause *pause, int64_t now, struct wf_error *err)
{
	enum wf_rc rc = wf_service_pause_in(
	    services->cache, store, namespace_id, name, pause, now, err);

	if (rc == WF_OK)
		renew(services);
	return rc;
}

uint64_t wf_services_reads(struct wf_services *services)
{
	return wf_record_cache_reads(services->cache);
}

enum wf_rc wf_services_open(struct wf_services **services_out,
    struct wf_store *store, struct wf_error *err)
{
	struct wf_services *services = wf_calloc(1, sizeof(*services));
	enum wf_rc rc;

	services->cache = wf_record_cache_new(&wf_service_records);
	services->states = wf_service_states_new();
	pthread_mutex_init(&services->making, NULL);
	pthread_mutex_init(&services->lock, NULL);
	rc = wf_services_refresh(services, store, err);
	if (rc != WF_OK)
		wf_services_close(&services);
	*services_out = services;
	return rc;
}

struct wf_service_states *wf_services_states(struct wf_services *services)
{
	return services->states;
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
	wf_record_cache_free(&old->cache);
	wf_service_states_free(&old->states);
	pthread_mutex_destroy(&old->making);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}
