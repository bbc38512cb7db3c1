/* SPDX-License-Identifier: Apache-2.0 */
#include "history/statistics/tally.h"

#include <string.h>

#include "base/codec.h"
#include "base/panic.h"

#define LISTS 1024U

/* A line, in one list with others whose keys have a like hash. */
struct entry {
	struct wf_tally_line line;
	struct entry *next;
	struct wf_statistic_row *stored; /* of wf_tally_rows(); NULL: none */
};

struct wf_tally {
	struct wf_arena *arena;
	struct entry *lists[LISTS];
	struct entry **entries;
	size_t count;
	size_t capacity;
};

struct wf_tally *wf_tally_new(void)
{
	struct wf_tally *tally = wf_calloc(1, sizeof(*tally));

	tally->arena = wf_arena_new();
	return tally;
}

void wf_tally_free(struct wf_tally **tally)
{
	struct wf_tally *old = *tally;

	*tally = NULL;
	if (old == NULL)
		return;
	wf_arena_free(&old->arena);
	wf_free(old);
}

void wf_tally_reset(struct wf_tally *tally)
{
	wf_arena_reset(tally->arena);
	memset(tally->lists, 0, sizeof(tally->lists));
	tally->entries = NULL;
	tally->count = 0;
	tally->capacity = 0;
}

int64_t wf_hour_of(int64_t at)
{
	return at / WF_HOUR_MS - (at % WF_HOUR_MS < 0);
}

/* --- lines ---------------------------------------------------------------- */

static bool is_short(const struct wf_statistic_row *key)
{
	size_t net = strlen(key->net);
	size_t element = strlen(key->element);
	size_t detail = strlen(key->detail);

	return net <= WF_STATISTIC_KEY_BYTES &&
	       element <= WF_STATISTIC_KEY_BYTES &&
	       net + element + detail <= WF_STATISTIC_KEY_BYTES;
}

static struct entry **list_of(
    struct wf_tally *tally, const struct wf_statistic_row *key)
{
	uint64_t hash =
	    key->specification ^ (uint64_t)key->hour << 8 ^ key->measure;

	hash = wf_hash(hash, key->element, strlen(key->element));
	hash = wf_hash(hash, key->detail, strlen(key->detail));
	return &tally->lists[hash % LISTS];
}

static bool is_same(
    const struct wf_statistic_row *a, const struct wf_statistic_row *b)
{
	return a->specification == b->specification && a->hour == b->hour &&
	       a->measure == b->measure && a->namespace_id == b->namespace_id &&
	       strcmp(a->element, b->element) == 0 &&
	       strcmp(a->detail, b->detail) == 0 && strcmp(a->net, b->net) == 0;
}

static struct entry *find(
    struct wf_tally *tally, const struct wf_statistic_row *key)
{
	struct entry *entry = *list_of(tally, key);

	while (entry != NULL && !is_same(&entry->line.row, key))
		entry = entry->next;
	return entry;
}

static struct entry *make(struct wf_tally *tally, const struct wf_spec *spec,
    const struct wf_statistic_row *key)
{
	struct wf_arena *arena = tally->arena;
	struct entry *entry = wf_arena_alloc(arena, sizeof(*entry));
	struct entry **list = list_of(tally, key);
	struct wf_tally_line *line = &entry->line;

	line->row = *key;
	line->row.net = wf_arena_strdup(arena, key->net);
	line->row.element = wf_arena_strdup(arena, key->element);
	line->row.detail = wf_arena_strdup(arena, key->detail);
	line->row.count = 0;
	line->process = wf_arena_strdup(arena, wf_spec_identifier(spec));
	line->version = wf_arena_strdup(arena, spec->metadata.version);
	entry->next = *list;
	*list = entry;
	tally->entries = wf_arena_grow(arena, tally->entries, tally->count,
	    &tally->capacity, sizeof(struct entry *));
	tally->entries[tally->count++] = entry;
	return entry;
}

/* Made if there is none; NULL: it is not counted. */
static struct wf_tally_line *need_line(struct wf_tally *tally,
    const struct wf_spec *spec, const struct wf_statistic_row *key)
{
	struct entry *entry = find(tally, key);

	wf_assert(key->measure < WF_MEASURES);
	if (entry == NULL && is_short(key))
		entry = make(tally, spec, key);
	return entry == NULL ? NULL : &entry->line;
}

void wf_tally_add(struct wf_tally *tally, const struct wf_spec *spec,
    const struct wf_statistic_row *key, int64_t ms)
{
	struct wf_tally_line *line = need_line(tally, spec, key);

	if (line == NULL)
		return;
	line->row.count++;
	if (ms >= 0)
		wf_histogram_add(&line->times, tally->arena, ms);
}

/* --- launches ------------------------------------------------------------- */

static struct wf_statistic_row launch_key(
    const struct wf_history_row *step, enum wf_measure measure, int64_t hour)
{
	return (struct wf_statistic_row){ .namespace_id = step->namespace_id,
		.specification = step->specification,
		.hour = hour,
		.measure = measure,
		.net = "",
		.element = "",
		.detail = "" };
}

/* Without the time since one that the store knows of: add_gap(). */
void wf_tally_launch(struct wf_tally *tally, const struct wf_spec *spec,
    const struct wf_history_row *step)
{
	const struct wf_statistic_row started =
	    launch_key(step, WF_MEASURE_CASE_STARTED, wf_hour_of(step->at));
	const struct wf_statistic_row latest =
	    launch_key(step, WF_MEASURE_LATEST_START, WF_STATISTIC_NO_HOUR);
	struct wf_tally_line *line = need_line(tally, spec, &latest);
	uint64_t at = step->at < 0 ? 0 : (uint64_t)step->at;
	bool is_first = line->row.count == 0;

	wf_tally_add(tally, spec, &started,
	    is_first		   ? -1
	    : at > line->row.count ? (int64_t)(at - line->row.count)
				   : 0);
	/* The first one of the page is kept as a sum. */
	if (is_first)
		line->times.sum = at;
	line->row.count = at;
}

/* The time between the last launch that the store knows and the first here. */
static void add_gap(struct wf_tally *tally, const struct wf_tally_line *latest,
    const struct wf_statistic_row *stored)
{
	struct wf_statistic_row key = latest->row;
	struct entry *started;

	key.measure = WF_MEASURE_CASE_STARTED;
	key.hour = wf_hour_of((int64_t)latest->times.sum);
	started = find(tally, &key);
	wf_assert(started != NULL);
	wf_histogram_add(&started->line.times, tally->arena,
	    (int64_t)latest->times.sum - (int64_t)stored->count);
}

/* --- merging -------------------------------------------------------------- */

static const struct wf_bytes *encode(const struct wf_histogram *times,
    struct wf_arena *arena, struct wf_bytes *bytes_out)
{
	struct wf_buffer buffer;

	wf_buffer_init(&buffer, WF_HISTOGRAM_BYTES);
	if (times->count > 0) {
		wf_histogram_encode(times, &buffer);
		wf_assert(!buffer.full);
		bytes_out->data = wf_arena_strndup(
		    arena, wf_buffer_text(&buffer), buffer.length);
		bytes_out->size = buffer.length;
	}
	wf_buffer_free(&buffer);
	return bytes_out;
}

/* What is stored and damaged is begun anew: the count stays. */
static void merge(const struct wf_tally_line *line,
    const struct wf_statistic_row *stored, struct wf_arena *arena,
    struct wf_statistic_row *row_out)
{
	const struct wf_bytes none = { NULL, 0 };
	struct wf_histogram times;

	*row_out = line->row;
	if (line->row.measure == WF_MEASURE_LATEST_START)
		return;
	if (stored != NULL)
		row_out->count += stored->count;
	if (wf_histogram_decode(&times, stored != NULL ? &stored->times : &none,
		arena, NULL) != WF_OK)
		times = (struct wf_histogram){ .count = 0 };
	wf_histogram_merge(&times, arena, &line->times);
	(void)encode(&times, arena, &row_out->times);
}

static enum wf_rc read_stored(struct wf_tally *tally, struct wf_store *store,
    struct wf_arena *arena, struct wf_error *err)
{
	struct wf_statistic_row *keys =
	    wf_arena_array(arena, tally->count, sizeof(*keys));
	struct wf_statistic_list list;
	enum wf_rc rc;

	for (size_t i = 0; i < tally->count; i++) {
		tally->entries[i]->stored = NULL;
		keys[i] = tally->entries[i]->line.row;
	}
	rc = wf_store_keyed_statistics(
	    store, keys, tally->count, arena, &list, err);
	for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
		struct entry *entry = find(tally, &list.rows[i]);

		wf_assert(entry != NULL);
		entry->stored = &list.rows[i];
	}
	return rc;
}

enum wf_rc wf_tally_rows(struct wf_tally *tally, struct wf_store *store,
    struct wf_arena *arena, struct wf_statistic_list *list_out,
    struct wf_error *err)
{
	enum wf_rc rc = read_stored(tally, store, arena, err);

	list_out->count = 0;
	list_out->rows =
	    wf_arena_array(arena, tally->count, sizeof(*list_out->rows));
	for (size_t i = 0; rc == WF_OK && i < tally->count; i++) {
		const struct entry *entry = tally->entries[i];

		if (entry->line.row.measure == WF_MEASURE_LATEST_START &&
		    entry->stored != NULL)
			add_gap(tally, &entry->line, entry->stored);
	}
	for (size_t i = 0; rc == WF_OK && i < tally->count; i++)
		merge(&tally->entries[i]->line, tally->entries[i]->stored,
		    arena, &list_out->rows[list_out->count++]);
	return rc;
}

void wf_tally_each(const struct wf_tally *tally,
    void (*visit)(void *context, const struct wf_tally_line *line),
    void *context)
{
	for (size_t i = 0; i < tally->count; i++)
		visit(context, &tally->entries[i]->line);
}
