/* SPDX-License-Identifier: Apache-2.0 */
#include "history/statistics/tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/panic.h"

/* The numbers and lengths before the texts. */
#define NAME_SIZE (3 * WF_STATISTIC_KEY_BYTES + 128U)

struct wf_tally {
	struct wf_arena *arena;
	struct wf_map *names; /* of lines */
	struct wf_tally_line **lines;
	size_t count;
	size_t capacity;
};

struct wf_tally *wf_tally_new(void)
{
	struct wf_tally *tally = wf_calloc(1, sizeof(*tally));

	tally->arena = wf_arena_new();
	tally->names = wf_map_new();
	return tally;
}

void wf_tally_free(struct wf_tally **tally)
{
	struct wf_tally *old = *tally;

	*tally = NULL;
	if (old == NULL)
		return;
	wf_map_free(&old->names);
	wf_arena_free(&old->arena);
	wf_free(old);
}

void wf_tally_reset(struct wf_tally *tally)
{
	wf_map_free(&tally->names);
	tally->names = wf_map_new();
	wf_arena_reset(tally->arena);
	tally->lines = NULL;
	tally->count = 0;
	tally->capacity = 0;
}

int64_t wf_hour_of(int64_t at)
{
	return at / WF_HOUR_MS - (at % WF_HOUR_MS < 0);
}

/* --- lines ---------------------------------------------------------------- */

/* The lengths make the texts unambiguous; false: they are too long. */
static bool name_line(const struct wf_statistic_row *key, char name[NAME_SIZE])
{
	size_t net = strlen(key->net);
	size_t element = strlen(key->element);

	if (net > WF_STATISTIC_KEY_BYTES || element > WF_STATISTIC_KEY_BYTES ||
	    net + element + strlen(key->detail) > WF_STATISTIC_KEY_BYTES)
		return false;
	snprintf(name, NAME_SIZE,
	    "%u,%" PRIu64 ",%" PRId64 ",%u,%zu,%zu,%s%s%s", key->namespace_id,
	    key->specification, key->hour, key->measure, net, element, key->net,
	    key->element, key->detail);
	return true;
}

static struct wf_tally_line *line_of(
    const struct wf_tally *tally, const struct wf_statistic_row *key)
{
	char name[NAME_SIZE];

	return name_line(key, name) ? wf_map_get(tally->names, name) : NULL;
}

/* Made if there is none; NULL: it is not counted. */
static struct wf_tally_line *need_line(struct wf_tally *tally,
    const struct wf_spec *spec, const struct wf_statistic_row *key)
{
	struct wf_tally_line *line;
	char name[NAME_SIZE];

	wf_assert(key->measure < WF_MEASURES);
	if (!name_line(key, name))
		return NULL;
	line = wf_map_get(tally->names, name);
	if (line != NULL)
		return line;
	line = wf_arena_alloc(tally->arena, sizeof(*line));
	line->row = *key;
	line->row.net = wf_arena_strdup(tally->arena, key->net);
	line->row.element = wf_arena_strdup(tally->arena, key->element);
	line->row.detail = wf_arena_strdup(tally->arena, key->detail);
	line->row.count = 0;
	line->process = wf_arena_strdup(tally->arena, wf_spec_identifier(spec));
	line->version = wf_arena_strdup(tally->arena, spec->metadata.version);
	tally->lines = wf_arena_grow(tally->arena, tally->lines, tally->count,
	    &tally->capacity, sizeof(*tally->lines));
	tally->lines[tally->count++] = line;
	wf_map_add(tally->names, name, line);
	return line;
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
	if (at > line->row.count)
		line->row.count = at;
}

/* The time between the last launch that the store knows and the first here. */
static void add_gap(struct wf_tally *tally, const struct wf_tally_line *latest,
    const struct wf_statistic_row *stored)
{
	struct wf_statistic_row key = latest->row;
	struct wf_tally_line *started;

	key.measure = WF_MEASURE_CASE_STARTED;
	key.hour = wf_hour_of((int64_t)latest->times.sum);
	started = line_of(tally, &key);
	wf_assert(started != NULL);
	wf_histogram_add(&started->times, tally->arena,
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
	if (line->row.measure == WF_MEASURE_LATEST_START) {
		if (stored != NULL && stored->count > row_out->count)
			row_out->count = stored->count;
		return;
	}
	if (stored != NULL)
		row_out->count += stored->count;
	if (wf_histogram_decode(&times, stored != NULL ? &stored->times : &none,
		arena, NULL) != WF_OK)
		times = (struct wf_histogram){ .count = 0 };
	wf_histogram_merge(&times, arena, &line->times);
	(void)encode(&times, arena, &row_out->times);
}

static enum wf_rc read_stored(struct wf_tally *tally, struct wf_store *store,
    struct wf_arena *arena, struct wf_map *stored, struct wf_error *err)
{
	struct wf_statistic_row *keys =
	    wf_arena_array(arena, tally->count, sizeof(*keys));
	struct wf_statistic_list list;
	char name[NAME_SIZE];
	enum wf_rc rc;

	for (size_t i = 0; i < tally->count; i++)
		keys[i] = tally->lines[i]->row;
	rc = wf_store_keyed_statistics(
	    store, keys, tally->count, arena, &list, err);
	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		if (name_line(&list.rows[i], name))
			wf_map_add(stored, name, &list.rows[i]);
	return rc;
}

static const struct wf_statistic_row *find(
    const struct wf_map *stored, const struct wf_tally_line *line)
{
	char name[NAME_SIZE];

	return name_line(&line->row, name) ? wf_map_get(stored, name) : NULL;
}

enum wf_rc wf_tally_rows(struct wf_tally *tally, struct wf_store *store,
    struct wf_arena *arena, struct wf_statistic_list *list_out,
    struct wf_error *err)
{
	struct wf_map *stored = wf_map_new();
	enum wf_rc rc = read_stored(tally, store, arena, stored, err);

	list_out->count = 0;
	list_out->rows =
	    wf_arena_array(arena, tally->count, sizeof(*list_out->rows));
	for (size_t i = 0; rc == WF_OK && i < tally->count; i++) {
		const struct wf_tally_line *line = tally->lines[i];
		const struct wf_statistic_row *row = find(stored, line);

		if (line->row.measure == WF_MEASURE_LATEST_START && row != NULL)
			add_gap(tally, line, row);
	}
	for (size_t i = 0; rc == WF_OK && i < tally->count; i++) {
		const struct wf_tally_line *line = tally->lines[i];

		merge(line, find(stored, line), arena,
		    &list_out->rows[list_out->count++]);
	}
	wf_map_free(&stored);
	return rc;
}

void wf_tally_each(const struct wf_tally *tally,
    void (*visit)(void *context, const struct wf_tally_line *line),
    void *context)
{
	for (size_t i = 0; i < tally->count; i++)
		visit(context, tally->lines[i]);
}
