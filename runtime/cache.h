/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cases that a shard has in memory.
 *
 * A cached case is what the store had when this shard last committed or read
 * it.  Each batch begins with the version of the case in the store, which says
 * whether the cached case is still current.  Beyond the bound in bytes the
 * least recently used cases are forgotten.
 */
#ifndef WF_RUNTIME_CACHE_H
#define WF_RUNTIME_CACHE_H

#include "kernel/step.h"
#include "persistence/store.h"
#include "runtime/specs.h"

/* A net instance that items belong to, by its serial number. */
struct net_name {
	uint32_t serial;
	const struct wf_net *net;
	char *case_id;
};

/* Whether an executing item of the case is leased. */
enum leased {
	LEASED_UNKNOWN, /* until the store is asked: see request_lease.c */
	LEASED_NONE,
	LEASED_SOME /* or was, since the case was loaded */
};

struct cached {
	struct cached *next; /* in its bucket */
	struct cached *older;
	struct cached *newer;
	size_t charged; /* bytes counted by the cache; 0: not in it */
	uint64_t number;
	uint32_t namespace_id;
	uint64_t version;
	uint64_t messages;
	size_t encoded;	  /* bytes of the state when last encoded; 0: never */
	size_t growth;	  /* bytes of events since then */
	uint64_t unsaved; /* events since the snapshot */
	enum leased leased;
	struct kept_spec *spec;
	struct wf_case *instance;
	/* Nets but the root, by serial; ended ones stay until they are many. */
	struct net_name *nets;
	size_t net_count;
	size_t net_capacity;
	size_t nets_ended; /* how many of them, about */
};

struct cache {
	struct cached **buckets;
	size_t bucket_count;
	struct cached *newest;
	struct cached *oldest;
	size_t count;
	size_t bytes;
	size_t maximum;
	struct specs *specs;
};

void wf_cache_init(struct cache *cache, struct specs *specs, size_t maximum);
void wf_cache_free(struct cache *cache);
void wf_cache_clear(struct cache *cache);

struct cached *wf_cache_find(const struct cache *cache, uint64_t number);
/* A case that is not in the cache (yet). */
struct cached *wf_cached_new(uint64_t number);
void wf_cached_free(struct cache *cache, struct cached **cached);
/* Adds a case as the most recently used; may forget others. */
void wf_cache_put(struct cache *cache, struct cached *cached);
/* Removes a case without freeing it. */
void wf_cache_take(struct cache *cache, struct cached *cached);

/*
 * Makes the case of a snapshot and the steps behind it.  reader: another
 * handle, for the specification.  WF_CORRUPT.
 */
enum wf_rc wf_cached_load(struct cached *cached, struct specs *specs,
    const struct wf_limits *limits, const struct wf_stored_case *stored,
    struct wf_store *store, struct wf_store *reader, struct wf_arena *arena,
    struct wf_error *err) WF_MUSTCHECK;

/* Updates the names of nets; keep: also keeps those of ended nets. */
void wf_cached_name_nets(struct cached *cached, bool keep);
/* NULL: there is none with that serial number, or it is the root. */
const struct net_name *wf_cached_net(
    const struct cached *cached, uint32_t serial);

#endif
