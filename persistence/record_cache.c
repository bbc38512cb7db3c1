/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Only the thread that refreshes changes the index, so it prepares entries
 * without the lock, which others wait for, and takes it to put them in.  What
 * was replaced stays in the arena until it is more than what is in use; then
 * what is in use is copied.
 */
#include "persistence/record_cache.h"

#include <pthread.h>
#include <string.h>

#include "base/map.h"
#include "base/panic.h"

/* Entries that may stay in memory beside those in use. */
#define WASTE 1000U
/* Others may change the records meanwhile. */
#define ATTEMPTS 20U

struct entry {
	uint32_t namespace_id;
	const char *name;
	uint64_t change;
	void *value; /* NULL: the record is damaged */
};

/* By namespace, then name. */
struct rows {
	struct entry **at;
	size_t count;
	size_t capacity;
};

struct index {
	struct wf_arena *arena;
	size_t waste; /* entries in the arena that are not in use */
	struct rows all;
	struct wf_map *by_key[WF_RECORD_KEYS]; /* of struct rows */
};

struct wf_record_cache {
	const struct wf_record_kind *kind;
	pthread_mutex_t editing; /* one thread edits at a time */
	pthread_mutex_t reading; /* one thread reads at a time */
	pthread_mutex_t lock;	 /* of what follows */
	uint64_t change;	 /* up to which the store was read */
	uint64_t version;
	uint64_t reads;
	struct index *index;
};

/* --- rows ----------------------------------------------------------------- */

static int compare(
    const struct entry *entry, uint32_t namespace_id, const char *name)
{
	if (entry->namespace_id != namespace_id)
		return entry->namespace_id < namespace_id ? -1 : 1;
	return strcmp(entry->name, name);
}

/* The first row that is not before that name. */
static size_t position(
    const struct rows *rows, uint32_t namespace_id, const char *name)
{
	size_t low = 0;
	size_t high = rows->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(rows->at[middle], namespace_id, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* NULL: there is none. */
static struct entry *find(
    const struct rows *rows, uint32_t namespace_id, const char *name)
{
	size_t i = position(rows, namespace_id, name);

	return i < rows->count && compare(rows->at[i], namespace_id, name) == 0
		   ? rows->at[i]
		   : NULL;
}

static void put_in(struct rows *rows, struct entry *entry)
{
	size_t i = position(rows, entry->namespace_id, entry->name);

	if (rows->count == rows->capacity) {
		rows->capacity = 2 * rows->capacity + 4;
		rows->at =
		    wf_realloc(rows->at, rows->capacity * sizeof(*rows->at));
	}
	memmove(&rows->at[i + 1], &rows->at[i],
	    (rows->count - i) * sizeof(*rows->at));
	rows->at[i] = entry;
	rows->count++;
}

static void take_out(struct rows *rows, const struct entry *entry)
{
	size_t i = position(rows, entry->namespace_id, entry->name);

	wf_assert(i < rows->count && rows->at[i] == entry);
	rows->count--;
	memmove(&rows->at[i], &rows->at[i + 1],
	    (rows->count - i) * sizeof(*rows->at));
}

/* --- the index ------------------------------------------------------------ */

static struct index *new_index(void)
{
	struct index *index = wf_calloc(1, sizeof(*index));

	index->arena = wf_arena_new();
	for (unsigned i = 0; i < WF_RECORD_KEYS; i++)
		index->by_key[i] = wf_map_new();
	return index;
}

/* "": it has none. */
static const char *key_of(
    const struct wf_record_kind *kind, unsigned key, const struct entry *entry)
{
	const char *text;

	if (entry->value == NULL)
		return "";
	memcpy(
	    &text, (const char *)entry->value + kind->keys[key], sizeof(text));
	return text;
}

static void free_rows(struct rows *rows)
{
	wf_free(rows->at);
	wf_free(rows);
}

static void free_index(const struct wf_record_kind *kind, struct index *index)
{
	for (size_t i = 0; i < index->all.count; i++)
		for (unsigned key = 0; key < kind->key_count; key++) {
			struct rows *rows = wf_map_remove(index->by_key[key],
			    key_of(kind, key, index->all.at[i]));

			if (rows != NULL)
				free_rows(rows);
		}
	for (unsigned i = 0; i < WF_RECORD_KEYS; i++)
		wf_map_free(&index->by_key[i]);
	wf_free(index->all.at);
	wf_arena_free(&index->arena);
	wf_free(index);
}

static void add(
    const struct wf_record_kind *kind, struct index *index, struct entry *entry)
{
	put_in(&index->all, entry);
	for (unsigned key = 0; key < kind->key_count; key++) {
		const char *text = key_of(kind, key, entry);
		struct rows *rows;

		if (text[0] == '\0')
			continue;
		rows = wf_map_get(index->by_key[key], text);
		if (rows == NULL) {
			rows = wf_calloc(1, sizeof(*rows));
			wf_map_add(index->by_key[key], text, rows);
		}
		put_in(rows, entry);
	}
}

static void drop(const struct wf_record_kind *kind, struct index *index,
    const struct wf_record_row *row)
{
	struct entry *entry = find(&index->all, row->namespace_id, row->name);

	if (entry == NULL)
		return;
	index->waste++;
	take_out(&index->all, entry);
	for (unsigned key = 0; key < kind->key_count; key++) {
		const char *text = key_of(kind, key, entry);
		struct rows *rows = wf_map_get(index->by_key[key], text);

		if (rows == NULL)
			continue;
		take_out(rows, entry);
		if (rows->count > 0)
			continue;
		(void)wf_map_remove(index->by_key[key], text);
		free_rows(rows);
	}
}

static struct entry *new_entry(struct wf_arena *arena, uint32_t namespace_id,
    const char *name, uint64_t change)
{
	struct entry *entry = wf_arena_alloc(arena, sizeof(*entry));

	*entry = (struct entry){ namespace_id, wf_arena_strdup(arena, name),
		change, NULL };
	return entry;
}

/* NULL: the record was removed. */
static struct entry *read_entry(const struct wf_record_kind *kind,
    const struct wf_record_row *row, struct wf_arena *arena)
{
	struct entry *entry;
	void *value;

	if (row->value.data == NULL)
		return NULL;
	entry = new_entry(arena, row->namespace_id, row->name, row->change);
	value = wf_arena_alloc(arena, kind->size);
	if (kind->read(row, value, arena))
		entry->value = value;
	return entry;
}

/* What is in use of an index. */
static struct index *copy_index(
    const struct wf_record_kind *kind, const struct index *index)
{
	struct index *copy = new_index();

	for (size_t i = 0; i < index->all.count; i++) {
		const struct entry *from = index->all.at[i];
		struct entry *to = new_entry(
		    copy->arena, from->namespace_id, from->name, from->change);

		if (from->value != NULL) {
			to->value = wf_arena_alloc(copy->arena, kind->size);
			kind->copy(from->value, to->value, copy->arena);
		}
		add(kind, copy, to);
	}
	return copy;
}

/* --- the cache ------------------------------------------------------------ */

struct wf_record_cache *wf_record_cache_new(const struct wf_record_kind *kind)
{
	struct wf_record_cache *cache = wf_calloc(1, sizeof(*cache));

	wf_assert(kind->key_count <= WF_RECORD_KEYS);
	cache->kind = kind;
	cache->index = new_index();
	pthread_mutex_init(&cache->editing, NULL);
	pthread_mutex_init(&cache->reading, NULL);
	pthread_mutex_init(&cache->lock, NULL);
	return cache;
}

void wf_record_cache_free(struct wf_record_cache **cache)
{
	struct wf_record_cache *old = *cache;

	*cache = NULL;
	if (old == NULL)
		return;
	free_index(old->kind, old->index);
	pthread_mutex_destroy(&old->lock);
	pthread_mutex_destroy(&old->reading);
	pthread_mutex_destroy(&old->editing);
	wf_free(old);
}

/* Puts another index in its place, and frees the old one. */
static void replace(struct wf_record_cache *cache, struct index *index)
{
	struct index *old;

	pthread_mutex_lock(&cache->lock);
	old = cache->index;
	cache->index = index;
	pthread_mutex_unlock(&cache->lock);
	free_index(cache->kind, old);
}

static void take_all(
    struct wf_record_cache *cache, const struct wf_record_list *list)
{
	struct index *index = new_index();

	for (size_t i = 0; i < list->count; i++)
		add(cache->kind, index,
		    read_entry(cache->kind, &list->rows[i], index->arena));
	replace(cache, index);
}

static void take_changes(struct wf_record_cache *cache,
    const struct wf_record_list *list, struct wf_arena *arena)
{
	struct index *index = cache->index;
	struct entry **entries =
	    wf_arena_array(arena, list->count, sizeof(struct entry *));

	for (size_t i = 0; i < list->count; i++)
		entries[i] =
		    read_entry(cache->kind, &list->rows[i], index->arena);
	pthread_mutex_lock(&cache->lock);
	for (size_t i = 0; i < list->count; i++) {
		drop(cache->kind, index, &list->rows[i]);
		if (entries[i] != NULL)
			add(cache->kind, index, entries[i]);
	}
	pthread_mutex_unlock(&cache->lock);
	if (index->waste > index->all.count + WASTE)
		replace(cache, copy_index(cache->kind, index));
}

static enum wf_rc read_newer(struct wf_record_cache *cache,
    struct wf_store *store, struct wf_arena *arena, struct wf_error *err)
{
	struct wf_record_list list;
	enum wf_rc rc = wf_store_records(
	    store, cache->kind->kind, cache->change, arena, &list, err);

	if (rc != WF_OK)
		return rc;
	if (list.whole)
		take_all(cache, &list);
	else if (list.count > 0)
		take_changes(cache, &list, arena);
	pthread_mutex_lock(&cache->lock);
	cache->change = list.change;
	cache->version += list.whole || list.count > 0;
	cache->reads += list.count;
	pthread_mutex_unlock(&cache->lock);
	return WF_OK;
}

enum wf_rc wf_record_cache_refresh(
    struct wf_record_cache *cache, struct wf_store *store, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	enum wf_rc rc;

	pthread_mutex_lock(&cache->reading);
	rc = read_newer(cache, store, arena, err);
	pthread_mutex_unlock(&cache->reading);
	wf_arena_free(&arena);
	return rc;
}

static uint64_t read_number(
    struct wf_record_cache *cache, const uint64_t *number)
{
	uint64_t copy;

	pthread_mutex_lock(&cache->lock);
	copy = *number;
	pthread_mutex_unlock(&cache->lock);
	return copy;
}

uint64_t wf_record_cache_version(struct wf_record_cache *cache)
{
	return read_number(cache, &cache->version);
}

uint64_t wf_record_cache_reads(struct wf_record_cache *cache)
{
	return read_number(cache, &cache->reads);
}

/* --- asking --------------------------------------------------------------- */

bool wf_record_cache_find(struct wf_record_cache *cache, uint32_t namespace_id,
    const char *name, struct wf_arena *arena, void *entry_out)
{
	const struct entry *entry;
	bool found;

	pthread_mutex_lock(&cache->lock);
	entry = find(&cache->index->all, namespace_id, name);
	found = entry != NULL && entry->value != NULL;
	if (found)
		cache->kind->copy(entry->value, entry_out, arena);
	pthread_mutex_unlock(&cache->lock);
	return found;
}

static bool is_chosen(
    const struct wf_record_choice *choice, const struct entry *entry)
{
	return entry->value != NULL &&
	       (choice->fits == NULL ||
		   choice->fits(choice->context, entry->value));
}

/* Under the lock: the rows that are to be examined; NULL: none. */
static const struct rows *rows_of(
    const struct wf_record_cache *cache, const struct wf_record_choice *choice)
{
	if (choice->text == NULL)
		return &cache->index->all;
	wf_assert(choice->key < cache->kind->key_count);
	return wf_map_get(cache->index->by_key[choice->key], choice->text);
}

static size_t count_chosen(
    const struct rows *rows, const struct wf_record_choice *choice)
{
	size_t count = 0;

	for (size_t i = 0; rows != NULL && i < rows->count; i++)
		count += is_chosen(choice, rows->at[i]);
	return count;
}

void *wf_record_cache_choose(struct wf_record_cache *cache,
    const struct wf_record_choice *choice, struct wf_arena *arena,
    size_t *count_out)
{
	const struct wf_record_kind *kind = cache->kind;
	const struct rows *rows;
	size_t room;
	char *copies;

	*count_out = 0;
	pthread_mutex_lock(&cache->lock);
	rows = rows_of(cache, choice);
	room = count_chosen(rows, choice);
	copies = wf_arena_array(arena, room, kind->size);
	for (size_t i = 0; *count_out < room; i++)
		if (is_chosen(choice, rows->at[i]))
			kind->copy(rows->at[i]->value,
			    copies + (*count_out)++ * kind->size, arena);
	pthread_mutex_unlock(&cache->lock);
	return copies;
}

size_t wf_record_cache_count(
    struct wf_record_cache *cache, const struct wf_record_choice *choice)
{
	size_t count;

	pthread_mutex_lock(&cache->lock);
	count = count_chosen(rows_of(cache, choice), choice);
	pthread_mutex_unlock(&cache->lock);
	return count;
}

/* --- changing ------------------------------------------------------------- */

uint64_t wf_record_cache_change(
    struct wf_record_cache *cache, uint32_t namespace_id, const char *name)
{
	const struct entry *entry;
	uint64_t change;

	pthread_mutex_lock(&cache->lock);
	entry = find(&cache->index->all, namespace_id, name);
	change = entry == NULL ? WF_RECORD_NEW : entry->change;
	pthread_mutex_unlock(&cache->lock);
	return change;
}

/* One attempt; WF_CONFLICT with *lost_out: somebody else was first. */
static enum wf_rc try_edit(struct wf_record_cache *cache,
    struct wf_store *store, wf_record_decide_f decide, void *context,
    struct wf_arena *arena, bool *lost_out, struct wf_error *err)
{
	struct wf_record_edit edit = { .count = 0 };
	struct wf_error mine = { .rc = WF_OK };
	uint64_t seen;
	enum wf_rc rc = wf_record_cache_refresh(cache, store, err);

	*lost_out = false;
	seen = read_number(cache, &cache->change);
	if (rc == WF_OK)
		rc = decide(context, arena, &edit, err);
	if (rc != WF_OK || edit.count == 0)
		return rc;
	rc = wf_store_put_records(
	    store, edit.rows, edit.count, edit.alone ? seen : 0, NULL, &mine);
	*lost_out = rc == WF_CONFLICT;
	if (rc != WF_OK && !*lost_out)
		wf_fail(err, rc, "%s", mine.message);
	return rc;
}

enum wf_rc wf_record_cache_edit(struct wf_record_cache *cache,
    struct wf_store *store, wf_record_decide_f decide, void *context,
    struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	bool lost = true;
	enum wf_rc rc = WF_OK;

	/* Threads of one node do not make each other decide again. */
	pthread_mutex_lock(&cache->editing);
	for (unsigned i = 0; lost && i < ATTEMPTS; i++) {
		wf_arena_reset(arena);
		rc = try_edit(cache, store, decide, context, arena, &lost, err);
	}
	pthread_mutex_unlock(&cache->editing);
	wf_arena_free(&arena);
	if (lost)
		return wf_fail(err, WF_UNAVAILABLE,
		    "too many others change records (%s): try again",
		    cache->kind->kind);
	return rc == WF_OK ? wf_record_cache_refresh(cache, store, err) : rc;
}
