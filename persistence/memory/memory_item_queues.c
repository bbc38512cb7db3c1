/* SPDX-License-Identifier: Apache-2.0 */
/* The store in memory: items by queue. */
#include "persistence/memory/memory_priv.h"

#include <string.h>

#include "base/map.h"

static bool is_among(const char *const *queues, size_t count, const char *queue)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(queues[i], queue) == 0)
			return true;
	return false;
}

/* Puts the row into its place among the first ones. */
static void keep(const struct wf_queue_filter *filter,
    struct memory_found *found, const struct wf_item_row *row)
{
	struct wf_queue_key key = wf_queue_key_of(filter->order, row);
	size_t at = found->count;

	wf_memory_add(found, row);
	for (; at > 0; at--) {
		struct wf_queue_key before =
		    wf_queue_key_of(filter->order, found->rows[at - 1]);

		if (wf_queue_compare(filter, &before, &key) < 0)
			break;
		found->rows[at] = found->rows[at - 1];
	}
	found->rows[at] = row;
	if (found->count > filter->limit)
		found->count = filter->limit;
}

static void find(struct memory *m, const struct wf_queue_filter *filter,
    struct memory_found *found)
{
	struct wf_queue_key start = wf_queue_start(filter);

	for (size_t i = 0; i < m->items.count; i++) {
		const struct wf_item_row *row = m->items.rows[i];
		struct wf_queue_key key = wf_queue_key_of(filter->order, row);

		if (is_among(filter->queues, filter->queue_count, row->queue) &&
		    wf_queue_compare(filter, &start, &key) < 0)
			keep(filter, found, row);
	}
}

enum wf_rc wf_memory_queued_items(struct wf_store *store,
    const struct wf_queue_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err)
{
	struct memory_found found = { 0 };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	find(m, filter, &found);
	wf_memory_give_items(&found, arena, list_out);
	return wf_memory_leave(store, false, WF_OK, err);
}

/* The oldest items of a queue; *left is how many may be inspected. */
static void count_queue(struct memory *m, const char *const *queue,
    const char *left_out, uint64_t *left, struct wf_arena *arena,
    struct wf_queue_counts *counts)
{
	struct wf_queue_filter filter = { .queues = queue,
		.queue_count = 1,
		.order = WF_QUEUE_BY_AGE,
		.limit = *left };
	struct memory_found found = { 0 };

	find(m, &filter, &found);
	for (size_t i = 0; i < found.count; i++) {
		const struct wf_item_row *row = found.rows[i];

		wf_queue_count_add(counts, row->assignment,
		    left_out[0] == '\0' ||
			strstr(row->left_out, left_out) == NULL,
		    arena);
	}
	*left -= found.count;
	wf_free(found.rows);
}

enum wf_rc wf_memory_count_queued(struct wf_store *store,
    const char *const *queues, size_t queue_count, const char *participant,
    uint64_t maximum, struct wf_arena *arena,
    struct wf_queue_counts *counts_out, struct wf_error *err)
{
	const char *left_out = wf_queue_left_out(arena, participant);
	uint64_t left = maximum;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < queue_count; i++)
		count_queue(m, &queues[i], left_out, &left, arena, counts_out);
	counts_out->more = left == 0;
	return wf_memory_leave(store, false, WF_OK, err);
}

/* One of the queues that are counted. */
struct counted {
	uint64_t all;
	uint64_t items; /* with one of the assignments */
};

/* Reads each item once, however many queues there are. */
static void count_all(
    struct memory *m, const struct wf_map *by_queue, uint32_t assignments)
{
	for (size_t i = 0; i < m->items.count; i++) {
		const struct wf_item_row *row = m->items.rows[i];
		struct counted *counted =
		    row->queue[0] == '\0' ? NULL
					  : wf_map_get(by_queue, row->queue);

		if (counted == NULL)
			continue;
		counted->all++;
		counted->items += assignments >> row->assignment & 1;
	}
}

/* Of a queue that has more: only the oldest ones. */
static uint64_t count_oldest(struct memory *m, const char *const *queue,
    uint32_t assignments, uint64_t maximum)
{
	const struct wf_queue_filter filter = { .queues = queue,
		.queue_count = 1,
		.order = WF_QUEUE_BY_AGE,
		.limit = maximum };
	struct memory_found found = { 0 };
	uint64_t items = 0;

	find(m, &filter, &found);
	for (size_t i = 0; i < found.count; i++) {
		const struct wf_item_row *row = found.rows[i];

		items += assignments >> row->assignment & 1;
	}
	wf_free(found.rows);
	return items;
}

enum wf_rc wf_memory_count_each_queued(struct wf_store *store,
    const char *const *queues, size_t queue_count, uint32_t assignments,
    uint64_t maximum, uint64_t *items_out, struct wf_error *err)
{
	struct wf_map *by_queue;
	struct counted *counted;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	by_queue = wf_map_new();
	counted = wf_calloc(queue_count, sizeof(*counted));
	for (size_t i = 0; i < queue_count; i++)
		(void)wf_map_add(by_queue, queues[i], &counted[i]);
	count_all(m, by_queue, assignments);
	for (size_t i = 0; i < queue_count; i++) {
		const struct counted *one = wf_map_get(by_queue, queues[i]);

		items_out[i] = one->all <= maximum ? one->items
						   : count_oldest(m, &queues[i],
							 assignments, maximum);
	}
	wf_map_free(&by_queue);
	wf_free(counted);
	return wf_memory_leave(store, false, WF_OK, err);
}
