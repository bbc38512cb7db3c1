/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues of items: the places in their lists, which are the same in all stores,
 * and the calls of the contract.
 */
#include <string.h>

#include "base/limits.h"
#include "base/panic.h"
#include "persistence/backend.h"
#include "persistence/columns.h"

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

struct wf_queue_key wf_queue_key_of(
    enum wf_queue_order order, const struct wf_item_row *row)
{
	struct wf_queue_key key = { .enabled_at = row->enabled_at,
		.number = row->number,
		.id = row->id };

	if (order == WF_QUEUE_BY_RANK)
		key.value = row->rank;
	else if (order == WF_QUEUE_BY_DUE)
		key.value = row->due_at;
	return key;
}

struct wf_queue_key wf_queue_start(const struct wf_queue_filter *filter)
{
	static const struct wf_queue_key first = { INT64_MIN, INT64_MIN, 0,
		"" };
	static const struct wf_queue_key last = { INT64_MAX, INT64_MAX,
		INT64_MAX, "" };

	if (filter->after != NULL)
		return *filter->after;
	return filter->descending ? last : first;
}

int wf_queue_compare(const struct wf_queue_filter *filter,
    const struct wf_queue_key *a, const struct wf_queue_key *b)
{
	int order =
	    filter->order == WF_QUEUE_BY_AGE ? 0 : COMPARE(a->value, b->value);

	if (order == 0)
		order = COMPARE(a->enabled_at, b->enabled_at);
	if (order == 0)
		order = COMPARE(a->number, b->number);
	if (order == 0)
		order = strcmp(wf_text(a->id), wf_text(b->id));
	return filter->descending ? -order : order;
}

const char *wf_queue_left_out(struct wf_arena *arena, const char *participant)
{
	return participant == NULL
		   ? ""
		   : wf_arena_printf(arena, ",%s,", participant);
}

void wf_queue_count_add(struct wf_queue_counts *counts, uint32_t assignment,
    uint64_t items, struct wf_arena *arena)
{
	size_t capacity = counts->count;
	size_t at = 0;

	if (items == 0)
		return;
	while (at < counts->count && counts->rows[at].assignment < assignment)
		at++;
	if (at == counts->count || counts->rows[at].assignment != assignment) {
		counts->rows = wf_arena_grow(arena, counts->rows, counts->count,
		    &capacity, sizeof(*counts->rows));
		memmove(&counts->rows[at + 1], &counts->rows[at],
		    (counts->count - at) * sizeof(*counts->rows));
		counts->rows[at] = (struct wf_queue_count){ assignment, 0 };
		counts->count++;
	}
	counts->rows[at].items += items;
}

static void check(
    const struct wf_store *store, const char *const *queues, size_t queue_count)
{
	wf_assert(store != NULL && store->magic == WF_STORE_MAGIC);
	wf_assert(store->batch == WF_BATCH_IDLE);
	wf_assert(queue_count <= WF_LIST_QUEUES);
	/* In "" is what is not for people. */
	for (size_t i = 0; i < queue_count; i++)
		wf_assert(queues[i][0] != '\0');
}

enum wf_rc wf_store_queued_items(struct wf_store *store,
    const struct wf_queue_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err)
{
	check(store, filter->queues, filter->queue_count);
	wf_assert(filter->limit >= 1 && filter->limit <= WF_QUEUED_ROWS);
	return store->ops->queued_items(store, filter, arena, list_out, err);
}

enum wf_rc wf_store_count_queued(struct wf_store *store,
    const char *const *queues, size_t queue_count, const char *participant,
    uint64_t maximum, struct wf_arena *arena,
    struct wf_queue_counts *counts_out, struct wf_error *err)
{
	check(store, queues, queue_count);
	wf_assert(maximum >= 1 && maximum <= INT64_MAX);
	memset(counts_out, 0, sizeof(*counts_out));
	return store->ops->count_queued(store, queues, queue_count, participant,
	    maximum, arena, counts_out, err);
}

enum wf_rc wf_store_count_each_queued(struct wf_store *store,
    const char *const *queues, size_t queue_count, uint32_t assignments,
    uint64_t maximum, uint64_t *items_out, struct wf_error *err)
{
	check(store, queues, queue_count);
	wf_assert(maximum >= 1 && maximum <= INT64_MAX);
	if (queue_count == 0)
		return WF_OK;
	memset(items_out, 0, queue_count * sizeof(*items_out));
	return store->ops->count_each_queued(
	    store, queues, queue_count, assignments, maximum, items_out, err);
}
