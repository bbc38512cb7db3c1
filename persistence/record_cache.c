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
/* So many changes at once are made in a copy: others do not wait for them. */
#define BULK 1000U
/* The name of the head of a kind, in namespace 0. */
#define HEAD ""

struct entry {
	uint32_t namespace_id;
	const char *name;
	uint64_t change;
	void *value; /* NULL: the record is damaged, or the head */
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
	/* Of those who edit and were not the first, one at a time. */
	pthread_mutex_t editing;

	pthread_mutex_t turns; /* of what follows */
	pthread_cond_t ended;  /* a reading has */
	bool reading;	       /* one thread reads at a time */
	uint64_t begun;	       /* the number of the last one that has */
	uint64_t done;	       /* of the last one that has ended */
	unsigned waiting;
	struct wf_error outcome; /* of that one */

	pthread_mutex_t lock; /* of what follows */
	uint64_t change;      /* up to which the store was read */
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

static void insert(struct rows *rows, size_t i, struct entry *entry)
{
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

static void put_in(struct rows *rows, struct entry *entry)
{
	insert(rows, position(rows, entry->namespace_id, entry->name), entry);
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
	if (row->namespace_id == 0 && strcmp(row->name, HEAD) == 0)
		return entry;
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
	pthread_mutex_init(&cache->turns, NULL);
	pthread_cond_init(&cache->ended, NULL);
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
	pthread_cond_destroy(&old->ended);
	pthread_mutex_destroy(&old->turns);
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

static struct entry **read_entries(const struct wf_record_kind *kind,
    const struct wf_record_list *list, struct index *index,
    struct wf_arena *arena)
{
	struct entry **entries =
	    wf_arena_array(arena, list->count, sizeof(struct entry *));

	for (size_t i = 0; i < list->count; i++)
		entries[i] = read_entry(kind, &list->rows[i], index->arena);
	return entries;
}

static void put_entries(const struct wf_record_kind *kind,
    const struct wf_record_list *list, struct index *index,
    struct entry **entries)
{
	for (size_t i = 0; i < list->count; i++) {
		drop(kind, index, &list->rows[i]);
		if (entries[i] != NULL)
			add(kind, index, entries[i]);
	}
}

static void take_changes(struct wf_record_cache *cache,
    const struct wf_record_list *list, struct wf_arena *arena)
{
	const struct wf_record_kind *kind = cache->kind;
	bool bulk = list->count > BULK;
	struct index *index =
	    bulk ? copy_index(kind, cache->index) : cache->index;
	struct entry **entries = read_entries(kind, list, index, arena);

	if (bulk) {
		put_entries(kind, list, index, entries);
		replace(cache, index);
	} else {
		pthread_mutex_lock(&cache->lock);
		put_entries(kind, list, index, entries);
		pthread_mutex_unlock(&cache->lock);
	}
	if (index->waste > index->all.count + WASTE)
		replace(cache, copy_index(kind, index));
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

/* In the turn of this thread. */
static void read_in_turn(struct wf_record_cache *cache, struct wf_store *store)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_error outcome = { .rc = WF_OK };

	cache->reading = true;
	cache->begun++;
	pthread_mutex_unlock(&cache->turns);
	outcome.rc = read_newer(cache, store, arena, &outcome);
	wf_arena_free(&arena);
	pthread_mutex_lock(&cache->turns);
	cache->outcome = outcome;
	cache->done = cache->begun;
	cache->reading = false;
	pthread_cond_broadcast(&cache->ended);
}

enum wf_rc wf_record_cache_refresh(
    struct wf_record_cache *cache, struct wf_store *store, struct wf_error *err)
{
	uint64_t asked; /* a later one knows what is written by now */
	struct wf_error outcome;

	pthread_mutex_lock(&cache->turns);
	asked = cache->begun;
	cache->waiting++;
	while (cache->reading && cache->done <= asked)
		pthread_cond_wait(&cache->ended, &cache->turns);
	cache->waiting--;
	if (cache->done <= asked)
		read_in_turn(cache, store);
	outcome = cache->outcome;
	pthread_mutex_unlock(&cache->turns);
	return outcome.rc == WF_OK
		   ? WF_OK
		   : wf_fail(err, outcome.rc, "%s", outcome.message);
}

unsigned wf_record_cache_waiting(struct wf_record_cache *cache)
{
	unsigned waiting;

	pthread_mutex_lock(&cache->turns);
	waiting = cache->waiting;
	pthread_mutex_unlock(&cache->turns);
	return waiting;
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

/* Under the lock: which of the rows are chosen. */
static struct rows gather(
    const struct rows *rows, const struct wf_record_choice *choice)
{
	struct rows chosen = { .count = 0 };

	for (size_t i = 0; rows != NULL && i < rows->count; i++)
		if (is_chosen(choice, rows->at[i]))
			insert(&chosen, chosen.count, rows->at[i]);
	return chosen;
}

void *wf_record_cache_choose(struct wf_record_cache *cache,
    const struct wf_record_choice *choice, struct wf_arena *arena,
    size_t *count_out)
{
	const struct wf_record_kind *kind = cache->kind;
	struct rows chosen;
	char *copies;

	pthread_mutex_lock(&cache->lock);
	chosen = gather(rows_of(cache, choice), choice);
	copies = wf_arena_array(arena, chosen.count, kind->size);
	for (size_t i = 0; i < chosen.count; i++)
		kind->copy(chosen.at[i]->value, copies + i * kind->size, arena);
	pthread_mutex_unlock(&cache->lock);
	wf_free(chosen.at);
	*count_out = chosen.count;
	return copies;
}

size_t wf_record_cache_count(
    struct wf_record_cache *cache, const struct wf_record_choice *choice)
{
	const struct rows *rows;
	size_t count = 0;

	pthread_mutex_lock(&cache->lock);
	rows = rows_of(cache, choice);
	for (size_t i = 0; rows != NULL && i < rows->count; i++)
		count += is_chosen(choice, rows->at[i]);
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

struct wf_record_row wf_record_head(const char *kind)
{
	return (struct wf_record_row){
		.kind = kind, .name = HEAD, .value = { "1", 1 }
	};
}

/* The rows of an edit with the head, which must be as it was. */
static void add_head(struct wf_record_edit *edit, const char *kind,
    uint64_t change, struct wf_arena *arena)
{
	struct wf_record_row *rows =
	    wf_arena_array(arena, edit->count + 1, sizeof(*rows));

	memcpy(rows, edit->rows, edit->count * sizeof(*rows));
	rows[edit->count] = wf_record_head(kind);
	rows[edit->count].change = change;
	edit->rows = rows;
	edit->count++;
}

/* One attempt; WF_CONFLICT with *lost_out: somebody else was first. */
static enum wf_rc try_edit(struct wf_record_cache *cache,
    struct wf_store *store, wf_record_decide_f decide, void *context,
    struct wf_arena *arena, bool *lost_out, struct wf_error *err)
{
	struct wf_record_edit edit = { .count = 0 };
	struct wf_error mine = { .rc = WF_OK };
	uint64_t head;
	enum wf_rc rc = wf_record_cache_refresh(cache, store, err);

	*lost_out = false;
	/* Another thread may refresh at any time: first the head. */
	head = wf_record_cache_change(cache, 0, HEAD);
	if (rc == WF_OK)
		rc = decide(context, arena, &edit, err);
	if (rc != WF_OK || edit.count == 0)
		return rc;
	if (edit.alone)
		add_head(&edit, cache->kind->kind, head, arena);
	rc = wf_store_put_records(
	    store, edit.rows, edit.count, 0, edit.change_out, &mine);
	*lost_out = rc == WF_CONFLICT;
	if (rc != WF_OK && !*lost_out)
		wf_fail(err, rc, "%s", mine.message);
	/* It is written; if it cannot be read now, it is later. */
	if (rc == WF_OK)
		(void)(wf_record_cache_refresh(cache, store, NULL) == WF_OK);
	return rc;
}

enum wf_rc wf_record_cache_edit(struct wf_record_cache *cache,
    struct wf_store *store, wf_record_decide_f decide, void *context,
    struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	enum wf_rc rc;
	bool lost;

	rc = try_edit(cache, store, decide, context, arena, &lost, err);
	if (lost) {
		/*
		 * Now threads of one node do not make each other decide again.
		 */
		pthread_mutex_lock(&cache->editing);
		for (unsigned i = 1; lost && i < ATTEMPTS; i++) {
			wf_arena_reset(arena);
			rc = try_edit(
			    cache, store, decide, context, arena, &lost, err);
		}
		pthread_mutex_unlock(&cache->editing);
	}
	wf_arena_free(&arena);
	return lost ? wf_fail(err, WF_UNAVAILABLE,
			  "too many others change records (%s): try again",
			  cache->kind->kind)
		    : rc;
}
