/* SPDX-License-Identifier: Apache-2.0 */
#include "history/statistics/process_counts.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/panic.h"
#include "kernel/case.h"

#define FIRST_BOUND_MS 1024
#define OTHER "_other"
/* What does not fit is counted as one of the others. */
#define NAME_SIZE 2048U

struct wf_process_counts {
	pthread_mutex_t lock; /* of what follows */
	struct wf_arena *arena;
	struct wf_map *names;
	struct wf_process_count **rows;
	size_t count;
	size_t capacity;
	size_t most;
};

int64_t wf_process_bound_ms(unsigned number)
{
	wf_assert(number < WF_PROCESS_BOUNDS);
	return (int64_t)FIRST_BOUND_MS << (2 * number);
}

struct wf_process_counts *wf_process_counts_new(size_t most)
{
	struct wf_process_counts *counts = wf_calloc(1, sizeof(*counts));

	pthread_mutex_init(&counts->lock, NULL);
	counts->arena = wf_arena_new();
	counts->names = wf_map_new();
	counts->most = most;
	return counts;
}

void wf_process_counts_free(struct wf_process_counts **counts)
{
	struct wf_process_counts *old = *counts;

	*counts = NULL;
	if (old == NULL)
		return;
	wf_map_free(&old->names);
	wf_arena_free(&old->arena);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

/* --- rows ----------------------------------------------------------------- */

static struct wf_process_count *make(struct wf_process_counts *counts,
    const char *name, const char *process, const char *version,
    const char *task)
{
	struct wf_process_count *row =
	    wf_arena_alloc(counts->arena, sizeof(*row));

	row->process = wf_arena_strdup(counts->arena, process);
	row->version = wf_arena_strdup(counts->arena, version);
	row->task = wf_arena_strdup(counts->arena, task);
	row->oldest = INT64_MAX;
	counts->rows = wf_arena_grow(counts->arena, counts->rows, counts->count,
	    &counts->capacity, sizeof(*counts->rows));
	counts->rows[counts->count++] = row;
	wf_map_add(counts->names, name, row);
	return row;
}

/*
 * The row, or that of all others: one of cases, and one of tasks.  A process
 * that is called like the others is one of them: a series is not there twice.
 */
static struct wf_process_count *row_of(struct wf_process_counts *counts,
    const char *process, const char *version, const char *task)
{
	struct wf_process_count *row;
	char name[NAME_SIZE];
	int length = snprintf(name, sizeof(name), "%zu,%zu,%s%s%s",
	    strlen(process), strlen(version), process, version, task);
	bool fits =
	    length > 0 && (size_t)length < sizeof(name) &&
	    !(strcmp(process, OTHER) == 0 && strcmp(version, OTHER) == 0);

	row = fits ? wf_map_get(counts->names, name) : NULL;
	if (row == NULL && fits && counts->count < counts->most)
		return make(counts, name, process, version, task);
	if (row == NULL) {
		const char *other = task[0] == '\0' ? "" : OTHER;

		/* No other name begins like that. */
		snprintf(name, sizeof(name), "," OTHER "%s", other);
		row = wf_map_get(counts->names, name);
		if (row == NULL)
			row = make(counts, name, OTHER, OTHER, other);
	}
	return row;
}

/* --- what was counted ----------------------------------------------------- */

/* The bounds are bounds of buckets, too. */
static void add_times(
    struct wf_process_times *times, const struct wf_histogram *histogram)
{
	for (size_t i = 0; i < histogram->bucket_count; i++) {
		const struct wf_histogram_bucket *bucket =
		    &histogram->buckets[i];
		unsigned at = 0;

		while (
		    at < WF_PROCESS_BOUNDS &&
		    wf_histogram_from(bucket->index) >= wf_process_bound_ms(at))
			at++;
		times->counts[at] += bucket->count;
	}
	times->sum_ms += histogram->sum;
}

struct adding {
	struct wf_process_counts *counts;
	int64_t from;
};

static void add_line(void *context, const struct wf_tally_line *line)
{
	const struct adding *adding = context;
	enum wf_measure measure = (enum wf_measure)line->row.measure;
	struct wf_process_count *row;

	if (measure > WF_MEASURE_ITEM_CANCELLED ||
	    line->row.hour < adding->from)
		return;
	row = row_of(
	    adding->counts, line->process, line->version, line->row.element);
	row->counts[measure] += line->row.count;
	if (measure == WF_MEASURE_ITEM_STARTED)
		add_times(&row->waited, &line->times);
	if (measure == WF_MEASURE_ITEM_COMPLETED ||
	    measure == WF_MEASURE_CASE_COMPLETED)
		add_times(&row->took, &line->times);
}

void wf_process_counts_add(struct wf_process_counts *counts,
    const struct wf_tally *tally, int64_t from)
{
	struct adding adding = { counts, from };

	pthread_mutex_lock(&counts->lock);
	wf_tally_each(tally, add_line, &adding);
	pthread_mutex_unlock(&counts->lock);
}

/* --- items of the store --------------------------------------------------- */

static const struct wf_specification_row *specification_of(
    const struct wf_specification_list *list, const struct wf_item_count *of)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->rows[i].key == of->specification &&
		    list->rows[i].namespace_id == of->namespace_id)
			return &list->rows[i];
	return NULL;
}

/* What is suspended neither waits nor runs. */
static void put_items(struct wf_process_counts *counts,
    const struct wf_specification_row *of, const struct wf_item_count *items)
{
	struct wf_process_count *row =
	    row_of(counts, of->identifier[0] != '\0' ? of->identifier : of->uri,
		of->version, items->task);

	if (items->status == WF_ITEM_EXECUTING) {
		row->running += items->items;
	} else if (items->status == WF_ITEM_ENABLED ||
		   items->status == WF_ITEM_FIRED) {
		row->waiting += items->items;
		if (items->oldest < row->oldest)
			row->oldest = items->oldest;
	}
}

enum wf_rc wf_process_counts_items(struct wf_process_counts *counts,
    struct wf_store *store, uint64_t maximum, struct wf_error *err)
{
	const struct wf_specification_filter all = { .removed = true };
	struct wf_arena *arena = wf_arena_new();
	struct wf_specification_list specifications;
	struct wf_item_count_list items;
	enum wf_rc rc =
	    wf_store_specifications(store, &all, arena, &specifications, err);

	if (rc == WF_OK)
		rc = wf_store_count_items(store, maximum, arena, &items, err);
	pthread_mutex_lock(&counts->lock);
	for (size_t i = 0; rc == WF_OK && i < counts->count; i++) {
		counts->rows[i]->waiting = 0;
		counts->rows[i]->running = 0;
		counts->rows[i]->oldest = INT64_MAX;
	}
	for (size_t i = 0; rc == WF_OK && i < items.count; i++) {
		const struct wf_specification_row *of =
		    specification_of(&specifications, &items.rows[i]);

		if (of != NULL)
			put_items(counts, of, &items.rows[i]);
	}
	pthread_mutex_unlock(&counts->lock);
	wf_arena_free(&arena);
	return rc;
}

void wf_process_counts_each(struct wf_process_counts *counts,
    void (*visit)(void *context, const struct wf_process_count *count),
    void *context)
{
	pthread_mutex_lock(&counts->lock);
	for (size_t i = 0; i < counts->count; i++)
		visit(context, counts->rows[i]);
	pthread_mutex_unlock(&counts->lock);
}
