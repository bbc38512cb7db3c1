/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of cases: a hash table by number, and a list by use.  A case is
 * loaded from its snapshot and the steps since then.
 */
#include "runtime/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "kernel/view.h"
#include "runtime/change/row_specs.h"
#include "runtime/checksum.h"
#include "runtime/value_source.h"

#define BUCKETS 64U

void wf_cache_init(struct cache *cache, struct specs *specs, size_t maximum)
{
	memset(cache, 0, sizeof(*cache));
	cache->specs = specs;
	cache->maximum = maximum;
	cache->bucket_count = BUCKETS;
	cache->buckets = wf_calloc(BUCKETS, sizeof(*cache->buckets));
}

void wf_cache_free(struct cache *cache)
{
	wf_cache_clear(cache);
	wf_free(cache->buckets);
	cache->buckets = NULL;
}

void wf_cache_clear(struct cache *cache)
{
	while (cache->oldest != NULL) {
		struct cached *cached = cache->oldest;

		wf_cache_take(cache, cached);
		wf_cached_free(cache, &cached);
	}
	wf_assert(cache->newest == NULL && cache->count == 0);
	wf_assert(cache->bytes == 0);
}

static struct cached **bucket(const struct cache *cache, uint64_t number)
{
	uint64_t mixed = number * UINT64_C(0x9E3779B97F4A7C15) >> 32;

	return &cache->buckets[mixed & (cache->bucket_count - 1)];
}

struct cached *wf_cache_find(const struct cache *cache, uint64_t number)
{
	struct cached *at = *bucket(cache, number);

	while (at != NULL && at->number != number)
		at = at->next;
	return at;
}

struct cached *wf_cached_new(uint64_t number)
{
	struct cached *cached = wf_calloc(1, sizeof(*cached));

	cached->number = number;
	return cached;
}

void wf_cached_free(struct cache *cache, struct cached **cached)
{
	struct cached *c = *cached;

	if (c == NULL)
		return;
	wf_assert(c->charged == 0); /* it is not in the cache */
	for (size_t i = 0; i < c->net_count; i++)
		wf_free(c->nets[i].case_id);
	wf_free(c->nets);
	wf_case_free(&c->instance);
	wf_specs_drop(cache->specs, &c->spec);
	wf_free(c);
	*cached = NULL;
}

static void grow(struct cache *cache)
{
	wf_free(cache->buckets);
	cache->bucket_count *= 2;
	wf_assert((cache->bucket_count & (cache->bucket_count - 1)) == 0);
	cache->buckets =
	    wf_calloc(cache->bucket_count, sizeof(*cache->buckets));
	for (struct cached *at = cache->oldest; at != NULL; at = at->newer) {
		struct cached **place = bucket(cache, at->number);

		at->next = *place;
		*place = at;
	}
}

void wf_cache_put(struct cache *cache, struct cached *cached)
{
	struct cached **place;

	wf_assert(cached->charged == 0 && cached->instance != NULL);
	wf_assert(wf_cache_find(cache, cached->number) == NULL);
	if (cache->count >= cache->bucket_count)
		grow(cache);
	place = bucket(cache, cached->number);
	cached->next = *place;
	*place = cached;
	cached->newer = NULL;
	cached->older = cache->newest;
	if (cache->newest != NULL)
		cache->newest->newer = cached;
	else
		cache->oldest = cached;
	cache->newest = cached;
	cached->charged = sizeof(*cached) + wf_case_memory(cached->instance) +
			  cached->net_capacity * sizeof(cached->nets[0]);
	cache->bytes += cached->charged;
	cache->count++;
	while ((cache->bytes > cache->maximum ||
		   wf_specs_are_many(cache->specs)) &&
	       cache->oldest != cached) {
		struct cached *oldest = cache->oldest;

		wf_cache_take(cache, oldest);
		wf_cached_free(cache, &oldest);
	}
}

void wf_cache_take(struct cache *cache, struct cached *cached)
{
	struct cached **place = bucket(cache, cached->number);

	while (*place != cached) {
		wf_assert(*place != NULL);
		place = &(*place)->next;
	}
	*place = cached->next;
	if (cached->older != NULL)
		cached->older->newer = cached->newer;
	else
		cache->oldest = cached->newer;
	if (cached->newer != NULL)
		cached->newer->older = cached->older;
	else
		cache->newest = cached->older;
	wf_assert(cached->charged > 0 && cache->bytes >= cached->charged);
	wf_assert(cache->count > 0);
	cache->bytes -= cached->charged;
	cache->count--;
	cached->charged = 0;
	wf_assert((cache->count == 0) == (cache->oldest == NULL));
}

/* --- loading -------------------------------------------------------------- */

static uint64_t count_events(struct wf_bytes events)
{
	struct wf_event_reader reader;
	uint64_t count = 0;

	wf_event_reader_init(&reader, events.data, events.size, NULL);
	while (wf_event_next(&reader, NULL) != NULL)
		count++;
	wf_event_reader_free(&reader);
	return count;
}

static enum wf_rc replay(struct cached *cached, const struct wf_limits *limits,
    const struct wf_stored_case *stored, struct row_specs *specs,
    const struct wf_value_source *source, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < stored->tail_count; i++) {
		const struct wf_history_row *row = &stored->tail[i];
		const struct wf_spec *spec = cached->spec->spec;
		struct wf_bytes events;

		if (row->sequence != stored->row.snapshot_version + i + 1)
			return wf_fail(err, WF_CORRUPT,
			    "the history of case %llu has a gap",
			    (unsigned long long)cached->number);
		rc = wf_checksum_check_history(row, &events, err);
		if (rc == WF_OK && row->specification != cached->spec->key)
			rc = wf_row_spec(specs, row->specification, &spec, err);
		if (rc != WF_OK)
			break;
		rc = wf_case_replay(&cached->instance, spec, limits, row->at,
		    events.data, events.size, source, err);
		cached->unsaved += count_events(events);
		cached->growth += events.size;
	}
	return rc;
}

enum wf_rc wf_cached_load(struct cached *cached, struct specs *specs,
    const struct wf_limits *limits, const struct wf_stored_case *stored,
    struct wf_store *store, struct wf_store *reader, struct wf_arena *arena,
    struct wf_error *err)
{
	struct wf_value_place place = { store, arena, cached->number };
	struct wf_value_source source = wf_value_source(&place);
	const struct wf_case_row *row = &stored->row;
	/* Of an ended case all steps are replayed. */
	struct row_specs rows = { .specs = specs,
		.store = reader,
		.namespace_id = row->namespace_id };
	enum wf_rc rc;

	cached->namespace_id = row->namespace_id;
	cached->version = row->version;
	cached->messages = row->messages;
	cached->encoded = stored->snapshot.size;
	rc = wf_specs_use(specs, reader, row->namespace_id, row->specification,
	    &cached->spec, err);
	if (rc == WF_OK && stored->snapshot.data != NULL)
		rc = wf_case_decode(&cached->instance, cached->spec->spec,
		    limits, stored->snapshot.data, stored->snapshot.size,
		    &source, err);
	if (rc == WF_OK)
		rc = replay(cached, limits, stored, &rows, &source, err);
	if (rc == WF_OK && cached->instance != NULL &&
	    wf_case_spec(cached->instance) != cached->spec->spec)
		rc = wf_fail(err, WF_CORRUPT,
		    "the history of case %llu ends as one of another "
		    "specification",
		    (unsigned long long)cached->number);
	if (rc != WF_OK)
		wf_case_free(&cached->instance);
	wf_row_specs_free(&rows);
	if (rc == WF_OK &&
	    row->snapshot_version + stored->tail_count != row->version)
		rc = wf_fail(err, WF_CORRUPT,
		    "the history of case %llu ends too early",
		    (unsigned long long)cached->number);
	if (rc == WF_OK && cached->instance == NULL)
		rc = wf_fail(err, WF_CORRUPT, "case %llu has no state",
		    (unsigned long long)cached->number);
	if (rc == WF_OK &&
	    (strcmp(wf_case_id(cached->instance), row->name) != 0 ||
		wf_case_status(cached->instance) != row->status))
		rc = wf_fail(err, WF_CORRUPT,
		    "the state of case %llu is not its own",
		    (unsigned long long)cached->number);
	if (rc == WF_OK)
		wf_cached_name_nets(cached, false);
	return rc;
}

/* --- names of nets -------------------------------------------------------- */

static int compare_nets(const void *a, const void *b)
{
	const struct net_name *x = a;
	const struct net_name *y = b;

	return (x->serial > y->serial) - (x->serial < y->serial);
}

/* Among the first count. */
static const struct net_name *find_net(
    const struct cached *cached, size_t count, uint32_t serial)
{
	struct net_name key = { .serial = serial };

	if (count == 0)
		return NULL;
	return bsearch(
	    &key, cached->nets, count, sizeof(cached->nets[0]), compare_nets);
}

const struct net_name *wf_cached_net(
    const struct cached *cached, uint32_t serial)
{
	return find_net(cached, cached->net_count, serial);
}

struct naming {
	struct cached *cached;
	size_t known; /* nets that have a name */
};

static void name_net(void *argument, const struct wf_net_view *view)
{
	const struct naming *naming = argument;
	struct cached *cached = naming->cached;

	if (view->serial == WF_ROOT_NET ||
	    find_net(cached, naming->known, view->serial) != NULL)
		return;
	if (cached->net_count == cached->net_capacity) {
		cached->net_capacity = cached->net_capacity * 2 + 4;
		cached->nets = wf_realloc(cached->nets,
		    cached->net_capacity * sizeof(cached->nets[0]));
	}
	cached->nets[cached->net_count++] = (struct net_name){ view->serial,
		view->net, wf_strdup(view->case_id) };
}

void wf_cached_name_nets(struct cached *cached, bool keep)
{
	struct naming naming = { .cached = cached };

	while (!keep && cached->net_count > 0)
		wf_free(cached->nets[--cached->net_count].case_id);
	if (!keep)
		cached->nets_ended = 0;
	naming.known = cached->net_count;
	wf_case_nets(cached->instance, name_net, &naming);
	wf_assert(cached->net_count >= naming.known);
	if (cached->net_count > naming.known)
		qsort(cached->nets, cached->net_count, sizeof(cached->nets[0]),
		    compare_nets);
}
