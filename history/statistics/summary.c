/* SPDX-License-Identifier: Apache-2.0 */
#include "history/statistics/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

#define PAGE 1000U

struct adding {
	const struct wf_summary_query *query;
	struct wf_arena *arena; /* of the summary */
	struct wf_arena *page;	/* of the rows that are read */
	struct wf_map *names;
	struct wf_summary *summary;
	size_t capacity;
	size_t rows;
	size_t buckets;
};

static const struct {
	uint32_t measure;
	enum wf_statistics_by by;
} measures[] = {
#define WF_MEASURE(number, name, of, counted, timed, meaning)                  \
	{ number, WF_BY_##of },
#include "history/statistics/measures.def"
#undef WF_MEASURE
};

/* Participants are added up over tasks, unless it is of one. */
static bool has_element(const struct wf_summary_query *query)
{
	return query->by != WF_BY_PARTICIPANT || query->task != NULL;
}

static struct wf_summary_group *group_of(
    struct adding *adding, const struct wf_statistic_row *row)
{
	const struct wf_summary_query *query = adding->query;
	bool has = has_element(query);
	int64_t hour = query->hours == 0 ? query->from
					 : row->hour - row->hour % query->hours;
	struct wf_summary *summary = adding->summary;
	struct wf_summary_group *group;
	const char *name = wf_arena_printf(adding->page,
	    "%016" PRIx64 "\t%s\t%s\t%s\t%" PRId64, row->specification,
	    has ? row->net : "", has ? row->element : "", row->detail, hour);

	group = wf_map_get(adding->names, name);
	if (group != NULL || summary->count == WF_SUMMARY_GROUPS)
		return group;
	group = wf_arena_alloc(adding->arena, sizeof(*group));
	*group = (struct wf_summary_group){ .name = wf_arena_strdup(
						adding->arena, name),
		.specification = row->specification,
		.net = wf_arena_strdup(adding->arena, has ? row->net : ""),
		.element =
		    wf_arena_strdup(adding->arena, has ? row->element : ""),
		.detail = wf_arena_strdup(adding->arena, row->detail),
		.hour = hour };
	summary->groups = wf_arena_grow(adding->arena, summary->groups,
	    summary->count, &adding->capacity, sizeof(*summary->groups));
	summary->groups[summary->count++] = group;
	wf_map_add(adding->names, group->name, group);
	return group;
}

static enum wf_rc refuse(const char *what, unsigned most, struct wf_error *err)
{
	return wf_fail(err, WF_LIMIT,
	    "the statistics have more than %u %s: ask for one specification, "
	    "or for a shorter period",
	    most, what);
}

static enum wf_rc add_row(struct adding *adding,
    const struct wf_statistic_row *row, struct wf_error *err)
{
	struct wf_summary_group *group;
	struct wf_summary_measure **measure;
	struct wf_histogram *sum;
	struct wf_histogram times;
	enum wf_rc rc;

	if (adding->query->task != NULL &&
	    strcmp(adding->query->task, row->element) != 0)
		return WF_OK;
	group = group_of(adding, row);
	if (group == NULL)
		return refuse("rows", WF_SUMMARY_GROUPS, err);
	measure = &group->measures[row->measure % WF_MEASURES];
	if (*measure == NULL)
		*measure = wf_arena_alloc(adding->arena, sizeof(**measure));
	(*measure)->count += row->count;
	rc = wf_histogram_decode(&times, &row->times, adding->page, err);
	if (rc != WF_OK)
		return rc;
	sum = &(*measure)->times;
	adding->buckets -= sum->bucket_count;
	wf_histogram_merge(sum, adding->arena, &times);
	adding->buckets += sum->bucket_count;
	return adding->buckets <= WF_SUMMARY_BUCKETS
		   ? WF_OK
		   : refuse("buckets of times", WF_SUMMARY_BUCKETS, err);
}

static enum wf_rc add_measure(struct adding *adding, struct wf_store *store,
    uint64_t key, uint32_t measure, struct wf_error *err)
{
	const struct wf_summary_query *query = adding->query;
	struct wf_statistic_filter filter = { .namespace_id =
						  query->namespace_id,
		.specification = key,
		.from = query->from,
		.to = query->to,
		.measure = measure,
		.limit = PAGE };
	struct wf_arena *pages[2] = { wf_arena_new(), wf_arena_new() };
	struct wf_statistic_list list = { .count = PAGE };
	enum wf_rc rc = WF_OK;

	for (unsigned i = 0; rc == WF_OK && list.count == PAGE; i ^= 1U) {
		/* The last row of the page before is in the other one. */
		wf_arena_reset(pages[i]);
		adding->page = pages[i];
		rc = wf_store_statistics(store, &filter, pages[i], &list, err);
		for (size_t k = 0; rc == WF_OK && k < list.count; k++)
			rc = add_row(adding, &list.rows[k], err);
		adding->rows += list.count;
		if (rc == WF_OK && adding->rows > WF_SUMMARY_ROWS)
			rc = refuse("rows of the store", WF_SUMMARY_ROWS, err);
		if (rc == WF_OK && list.count > 0)
			filter.after = &list.rows[list.count - 1];
	}
	wf_arena_free(&pages[0]);
	wf_arena_free(&pages[1]);
	return rc;
}

static enum wf_rc add_specification(struct adding *adding,
    struct wf_store *store, uint64_t key, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	for (size_t i = 0;
	     rc == WF_OK && i < sizeof(measures) / sizeof(measures[0]); i++)
		if (measures[i].by == adding->query->by)
			rc = add_measure(
			    adding, store, key, measures[i].measure, err);
	return rc;
}

static int compare(const void *a, const void *b)
{
	const struct wf_summary_group *const *x = a;
	const struct wf_summary_group *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

enum wf_rc wf_summary_read(const struct wf_summary_query *query,
    struct wf_store *store, struct wf_arena *arena,
    struct wf_summary *summary_out, struct wf_error *err)
{
	struct adding adding = { .query = query,
		.arena = arena,
		.names = wf_map_new(),
		.summary = summary_out };
	enum wf_rc rc = WF_OK;

	*summary_out = (struct wf_summary){ .count = 0 };
	for (size_t i = 0; rc == WF_OK && i < query->specifications.count; i++)
		rc = add_specification(
		    &adding, store, query->specifications.keys[i], err);
	wf_map_free(&adding.names);
	if (rc == WF_OK && summary_out->count > 0)
		qsort(summary_out->groups, summary_out->count,
		    sizeof(summary_out->groups[0]), compare);
	return rc;
}
