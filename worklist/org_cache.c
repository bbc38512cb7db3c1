/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two locks: one is held while the store is read and the next snapshot is made,
 * the other for the moment in which the snapshot is replaced or referred to.
 */
#include <jansson.h>
#include <pthread.h>
#include <string.h>

#include "base/panic.h"
#include "people/organisation/record_json.h"
#include "worklist/org_cache_priv.h"

struct wf_org_cache {
	pthread_mutex_t reading;
	uint64_t change; /* of the store, up to which was read; under reading */
	pthread_mutex_t lock;
	struct wf_organisation *now; /* under lock */
};

/* --- reading -------------------------------------------------------------- */

/* False: the name is none of a record. */
static bool read_name(
    const char *name, enum wf_org_kind *kind_out, const char **id_out)
{
	char word[32];
	size_t length = strcspn(name, "/");

	if (name[length] == '\0' || length >= sizeof(word))
		return false;
	memcpy(word, name, length);
	word[length] = '\0';
	*kind_out = wf_org_kind_find(word);
	*id_out = name + length + 1;
	return *kind_out != WF_ORG_NONE;
}

/* NULL: it is damaged. */
static struct wf_org_record *read_record(struct wf_arena *arena,
    const struct wf_record_row *row, enum wf_org_kind kind, const char *id)
{
	json_t *json = json_loadb(row->value.data, row->value.size, 0, NULL);
	struct wf_org_record *record = wf_org_record_new(arena, kind, id);

	record->change = row->change;
	if (json == NULL ||
	    wf_org_record_read_json(arena, json, false, record, NULL) != WF_OK)
		record = NULL;
	json_decref(json);
	return record;
}

/*
 * A record that is damaged, or that only a later Weft knows, is left out: the
 * others can be used.
 */
static size_t read_changes(const struct wf_record_list *list,
    struct wf_arena *arena, struct wf_org_change *changes, uint64_t *version)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct wf_record_row *row = &list->rows[i];
		struct wf_org_change *change = &changes[count];

		if (strcmp(row->name, WF_ORG_HEAD) == 0)
			*version = row->change;
		if (!read_name(row->name, &change->kind, &change->id))
			continue;
		change->record = NULL;
		if (row->value.data != NULL) {
			change->record =
			    read_record(arena, row, change->kind, change->id);
			if (change->record == NULL && list->whole)
				continue;
		}
		count++;
	}
	return count;
}

/* The next snapshot; NULL: it is as before. */
static struct wf_organisation *make_next(const struct wf_organisation *before,
    const struct wf_record_list *list, struct wf_arena *arena)
{
	struct wf_org_change *changes =
	    wf_arena_array(arena, list->count, sizeof(*changes));
	uint64_t version = before == NULL ? 0 : wf_organisation_version(before);
	uint64_t known = version;
	size_t count = read_changes(list, arena, changes, &version);

	if (before != NULL && version == known)
		return NULL;
	return wf_organisation_new(
	    list->whole ? NULL : before, changes, count, version);
}

static enum wf_rc read_newer(struct wf_org_cache *cache, struct wf_store *store,
    struct wf_arena *arena, struct wf_error *err)
{
	struct wf_record_list list;
	struct wf_organisation *next;
	struct wf_organisation *old;
	enum wf_rc rc = wf_store_records(
	    store, WF_ORG_RECORD_KIND, cache->change, arena, &list, err);

	if (rc != WF_OK)
		return rc;
	/* Only this thread replaces it. */
	next = make_next(cache->now, &list, arena);
	cache->change = list.change;
	if (next == NULL)
		return WF_OK;
	pthread_mutex_lock(&cache->lock);
	old = cache->now;
	cache->now = next;
	pthread_mutex_unlock(&cache->lock);
	wf_organisation_unref(&old);
	return WF_OK;
}

enum wf_rc wf_org_cache_refresh(
    struct wf_org_cache *cache, struct wf_store *store, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	enum wf_rc rc;

	pthread_mutex_lock(&cache->reading);
	rc = read_newer(cache, store, arena, err);
	pthread_mutex_unlock(&cache->reading);
	wf_arena_free(&arena);
	return rc;
}

/* --- the cache ------------------------------------------------------------ */

enum wf_rc wf_org_cache_open(struct wf_org_cache **cache_out,
    struct wf_store *store, struct wf_error *err)
{
	struct wf_org_cache *cache = wf_calloc(1, sizeof(*cache));
	enum wf_rc rc;

	pthread_mutex_init(&cache->reading, NULL);
	pthread_mutex_init(&cache->lock, NULL);
	rc = wf_org_cache_refresh(cache, store, err);
	if (rc != WF_OK)
		wf_org_cache_close(&cache);
	*cache_out = cache;
	return rc;
}

void wf_org_cache_close(struct wf_org_cache **cache)
{
	struct wf_org_cache *old = *cache;

	*cache = NULL;
	if (old == NULL)
		return;
	wf_organisation_unref(&old->now);
	pthread_mutex_destroy(&old->reading);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

struct wf_organisation *wf_org_cache_get(struct wf_org_cache *cache)
{
	struct wf_organisation *now;

	pthread_mutex_lock(&cache->lock);
	wf_assert(cache->now != NULL);
	now = wf_organisation_ref(cache->now);
	pthread_mutex_unlock(&cache->lock);
	return now;
}
