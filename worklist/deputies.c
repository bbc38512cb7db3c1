/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries are few, so a change of one reads all.  They are sorted by deputy,
 * because each request of a participant asks for whom that one acts.
 */
#include "worklist/deputies.h"

#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "worklist/entry_priv.h"

#define RECORD_KIND "deputy"

struct wf_deputies {
	pthread_mutex_t reading; /* one thread reads at a time */
	uint64_t change;	 /* of who reads */
	pthread_mutex_t lock;	 /* of what follows */
	struct wf_arena *arena;
	struct wf_deputy_list list; /* by deputy, then by id */
};

struct wf_deputies *wf_deputies_new(void)
{
	struct wf_deputies *deputies = wf_calloc(1, sizeof(*deputies));

	pthread_mutex_init(&deputies->reading, NULL);
	pthread_mutex_init(&deputies->lock, NULL);
	deputies->arena = wf_arena_new();
	return deputies;
}

void wf_deputies_free(struct wf_deputies **deputies)
{
	struct wf_deputies *old = *deputies;

	*deputies = NULL;
	if (old == NULL)
		return;
	wf_arena_free(&old->arena);
	pthread_mutex_destroy(&old->lock);
	pthread_mutex_destroy(&old->reading);
	wf_free(old);
}

/* --- records -------------------------------------------------------------- */

static struct wf_bytes write_record(
    const struct wf_deputy *deputy, struct wf_arena *arena)
{
	json_t *processes = json_array();
	json_t *object = json_pack("{s:s,s:s,s:I,s:I,s:o,s:s,s:s}", "person",
	    deputy->person, "deputy", deputy->deputy, "from",
	    (json_int_t)deputy->from, "to", (json_int_t)deputy->to, "processes",
	    processes, "agent", deputy->agent, "comment", deputy->comment);

	for (size_t i = 0; object != NULL && i < deputy->processes.count; i++)
		json_array_append_new(
		    processes, json_string(deputy->processes.rows[i]));
	return wf_entry_value(object, arena);
}

/*
 * False: the record is damaged.  Of a process that is no text, the entry would
 * be for all: so it is damaged, too.
 */
static bool read_record(const struct wf_record_row *row,
    struct wf_deputy *deputy, struct wf_arena *arena)
{
	json_t *object = json_loadb(row->value.data, row->value.size, 0, NULL);
	const json_t *processes = json_object_get(object, "processes");
	bool good = json_is_array(processes);

	*deputy = (struct wf_deputy){ .id = strtoull(row->name, NULL, 10),
		.person = wf_entry_text(object, "person", arena),
		.deputy = wf_entry_text(object, "deputy", arena),
		.from = json_integer_value(json_object_get(object, "from")),
		.to = json_integer_value(json_object_get(object, "to")),
		.agent = wf_entry_text(object, "agent", arena),
		.comment = wf_entry_text(object, "comment", arena) };
	for (size_t i = 0; good && i < json_array_size(processes); i++) {
		const char *process =
		    json_string_value(json_array_get(processes, i));

		good = process != NULL;
		if (good)
			wf_org_texts_add(arena, &deputy->processes,
			    wf_arena_strdup(arena, process));
	}
	json_decref(object);
	return good && deputy->id != 0 && deputy->person[0] != '\0' &&
	       deputy->deputy[0] != '\0';
}

/* --- reading -------------------------------------------------------------- */

static int compare_rows(const void *one, const void *other)
{
	const struct wf_deputy *a = one;
	const struct wf_deputy *b = other;
	int order = strcmp(a->deputy, b->deputy);

	return order != 0 ? order : (a->id > b->id) - (a->id < b->id);
}

static void replace(
    struct wf_deputies *deputies, const struct wf_record_list *list)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_deputy_list read = { .rows =
					   wf_arena_array(arena, list->count,
					       sizeof(struct wf_deputy)) };

	for (size_t i = 0; i < list->count; i++)
		read.count +=
		    read_record(&list->rows[i], &read.rows[read.count], arena);
	if (read.count > 1)
		qsort(read.rows, read.count, sizeof(*read.rows), compare_rows);
	pthread_mutex_lock(&deputies->lock);
	wf_arena_free(&deputies->arena);
	deputies->arena = arena;
	deputies->list = read;
	pthread_mutex_unlock(&deputies->lock);
}

enum wf_rc wf_deputies_refresh(
    struct wf_deputies *deputies, struct wf_store *store, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_record_list list = { .count = 0 };
	enum wf_rc rc;

	pthread_mutex_lock(&deputies->reading);
	rc = wf_store_all_records(
	    store, RECORD_KIND, deputies->change, arena, &list, err);
	if (rc == WF_OK && list.whole)
		replace(deputies, &list);
	if (rc == WF_OK)
		deputies->change = list.change;
	pthread_mutex_unlock(&deputies->reading);
	wf_arena_free(&arena);
	return rc;
}

/* --- asking --------------------------------------------------------------- */

static struct wf_deputy copy_of(
    const struct wf_deputy *deputy, struct wf_arena *arena)
{
	struct wf_deputy copy = *deputy;

	copy.person = wf_arena_strdup(arena, deputy->person);
	copy.deputy = wf_arena_strdup(arena, deputy->deputy);
	copy.agent = wf_arena_strdup(arena, deputy->agent);
	copy.comment = wf_arena_strdup(arena, deputy->comment);
	copy.processes = (struct wf_texts){ .count = 0 };
	for (size_t i = 0; i < deputy->processes.count; i++)
		wf_org_texts_add(arena, &copy.processes,
		    wf_arena_strdup(arena, deputy->processes.rows[i]));
	return copy;
}

/* Those of a person (NULL: of all) that begin by then and end after now. */
static struct wf_deputy_list find(struct wf_deputies *deputies,
    const char *person, int64_t begin, int64_t now, struct wf_arena *arena)
{
	struct wf_deputy_list found = { NULL, 0 };

	pthread_mutex_lock(&deputies->lock);
	found.rows =
	    wf_arena_array(arena, deputies->list.count, sizeof(*found.rows));
	for (size_t i = 0; i < deputies->list.count; i++) {
		const struct wf_deputy *row = &deputies->list.rows[i];

		if (row->from <= begin && now < row->to &&
		    (person == NULL || strcmp(row->person, person) == 0))
			found.rows[found.count++] = copy_of(row, arena);
	}
	pthread_mutex_unlock(&deputies->lock);
	return found;
}

struct wf_deputy_list wf_deputies_of(struct wf_deputies *deputies,
    const char *person, int64_t now, struct wf_arena *arena)
{
	return find(deputies, person, INT64_MAX, now, arena);
}

struct wf_deputy_list wf_deputies_at(
    struct wf_deputies *deputies, int64_t now, struct wf_arena *arena)
{
	return find(deputies, NULL, now, now, arena);
}

/* Under the lock: the first row of a deputy, or of one behind. */
static size_t first_row(const struct wf_deputies *deputies, const char *deputy)
{
	size_t low = 0;
	size_t high = deputies->list.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(deputies->list.rows[middle].deputy, deputy) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct wf_deputy_list wf_deputies_by(struct wf_deputies *deputies,
    const char *deputy, int64_t now, bool later, struct wf_arena *arena)
{
	struct wf_deputy_list found = { NULL, 0 };
	size_t capacity = 0;

	pthread_mutex_lock(&deputies->lock);
	for (size_t i = first_row(deputies, deputy);
	     i < deputies->list.count &&
	     strcmp(deputies->list.rows[i].deputy, deputy) == 0;
	     i++) {
		const struct wf_deputy *row = &deputies->list.rows[i];

		if (now >= row->to || (!later && now < row->from))
			continue;
		found.rows = wf_arena_grow(arena, found.rows, found.count,
		    &capacity, sizeof(*found.rows));
		found.rows[found.count++] = copy_of(row, arena);
	}
	pthread_mutex_unlock(&deputies->lock);
	return found;
}

bool wf_deputy_find(struct wf_deputies *deputies, uint64_t id,
    struct wf_arena *arena, struct wf_deputy *deputy_out)
{
	bool found = false;

	pthread_mutex_lock(&deputies->lock);
	for (size_t i = 0; i < deputies->list.count && !found; i++) {
		found = deputies->list.rows[i].id == id;
		if (found)
			*deputy_out = copy_of(&deputies->list.rows[i], arena);
	}
	pthread_mutex_unlock(&deputies->lock);
	return found;
}

bool wf_deputy_is_for(
    const struct wf_deputy *deputy, const char *identifier, const char *uri)
{
	return deputy->processes.count == 0 ||
	       (identifier != NULL &&
		   wf_org_texts_have(&deputy->processes, identifier)) ||
	       (uri != NULL && wf_org_texts_have(&deputy->processes, uri));
}

/* --- changing ------------------------------------------------------------- */

static enum wf_rc check_texts(
    const struct wf_deputy *deputy, struct wf_error *err)
{
	bool good = strlen(deputy->person) <= WF_ORG_TEXT_BYTES &&
		    strlen(deputy->deputy) <= WF_ORG_TEXT_BYTES &&
		    strlen(deputy->agent) <= WF_DEPUTY_TEXT_BYTES &&
		    strlen(deputy->comment) <= WF_DEPUTY_TEXT_BYTES;

	for (size_t i = 0; i < deputy->processes.count; i++)
		good =
		    good && deputy->processes.rows[i][0] != '\0' &&
		    strlen(deputy->processes.rows[i]) <= WF_DEPUTY_TEXT_BYTES;
	return good ? WF_OK
		    : wf_fail(err, WF_INVALID,
			  "a text of a deputy has at most %u bytes",
			  WF_DEPUTY_TEXT_BYTES);
}

static enum wf_rc check(
    const struct wf_deputy *deputy, int64_t now, struct wf_error *err)
{
	if (deputy->from >= deputy->to)
		return wf_fail(
		    err, WF_INVALID, "to: the end must be after the beginning");
	if (deputy->to <= now)
		return wf_fail(err, WF_INVALID, "to: this time is over");
	if (strcmp(deputy->person, deputy->deputy) == 0)
		return wf_fail(
		    err, WF_INVALID, "deputy: nobody is the deputy of oneself");
	if (deputy->processes.count > WF_DEPUTY_PROCESSES)
		return wf_fail(err, WF_INVALID,
		    "processes: expected at most %u", WF_DEPUTY_PROCESSES);
	return check_texts(deputy, err);
}

/* Removes what has ended of a person, so that entries do not pile up. */
static enum wf_rc remove_ended(struct wf_deputies *deputies,
    struct wf_store *store, const char *person, int64_t now,
    struct wf_arena *arena, struct wf_error *err)
{
	const struct wf_deputy_list all =
	    wf_deputies_of(deputies, person, INT64_MIN, arena);
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < all.count; i++) {
		struct wf_record_row row = { .kind = RECORD_KIND };

		row.name = wf_entry_name(all.rows[i].id, arena);
		if (all.rows[i].to <= now)
			rc = wf_store_put_record(store, &row, err);
	}
	return rc;
}

/* Two nodes may add one each at the same time, and pass a limit by that. */
static enum wf_rc check_limits(struct wf_deputies *deputies,
    const struct wf_deputy *deputy, int64_t now, struct wf_arena *arena,
    struct wf_error *err)
{
	if (wf_deputies_of(deputies, deputy->person, now, arena).count >=
	    WF_DEPUTIES)
		return wf_fail(err, WF_LIMIT,
		    "a person has at most %u deputies that have not ended",
		    WF_DEPUTIES);
	if (wf_deputies_by(deputies, deputy->deputy, now, true, arena).count >=
	    WF_DEPUTIES)
		return wf_fail(err, WF_LIMIT,
		    "a deputy acts by at most %u entries that have not ended",
		    WF_DEPUTIES);
	return WF_OK;
}

enum wf_rc wf_deputy_put(struct wf_deputies *deputies, struct wf_store *store,
    struct wf_deputy *deputy, int64_t now, struct wf_error *err)
{
	struct wf_record_row row = { .kind = RECORD_KIND };
	struct wf_arena *arena;
	enum wf_rc rc = check(deputy, now, err);

	if (rc != WF_OK)
		return rc;
	arena = wf_arena_new();
	rc = check_limits(deputies, deputy, now, arena, err);
	if (rc == WF_OK)
		rc = remove_ended(
		    deputies, store, deputy->person, now, arena, err);
	if (rc == WF_OK && deputy->id == 0)
		deputy->id = wf_entry_new_id();
	row.name = wf_entry_name(deputy->id, arena);
	row.value = write_record(deputy, arena);
	if (rc == WF_OK)
		rc = wf_store_put_record(store, &row, err);
	wf_arena_free(&arena);
	return rc == WF_OK ? wf_deputies_refresh(deputies, store, err) : rc;
}

enum wf_rc wf_deputy_remove(struct wf_deputies *deputies,
    struct wf_store *store, uint64_t id, struct wf_error *err)
{
	struct wf_record_row row = { .kind = RECORD_KIND };
	struct wf_arena *arena = wf_arena_new();
	struct wf_deputy deputy;
	enum wf_rc rc;

	row.name = wf_entry_name(id, arena);
	rc =
	    wf_deputy_find(deputies, id, arena, &deputy)
		? wf_store_put_record(store, &row, err)
		: wf_fail(err, WF_NOT_FOUND, "there is no deputy %" PRIu64, id);
	wf_arena_free(&arena);
	return rc == WF_OK ? wf_deputies_refresh(deputies, store, err) : rc;
}
