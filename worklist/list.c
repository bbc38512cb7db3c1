/* SPDX-License-Identifier: Apache-2.0 */
#include "worklist/list.h"

#include <string.h>

#include "base/panic.h"

bool wf_list_leaves_out(const struct wf_item_row *row, const char *participant)
{
	size_t length = strlen(participant);
	const char *at = row->left_out;

	while ((at = strchr(at, ',')) != NULL) {
		at++;
		if (strncmp(at, participant, length) == 0 && at[length] == ',')
			return true;
	}
	return false;
}

static bool has_specification(
    const struct wf_list_query *query, uint64_t specification)
{
	for (size_t i = 0; i < query->specifications.count; i++)
		if (query->specifications.keys[i] == specification)
			return true;
	return query->specifications.count == 0;
}

static bool fits(
    const struct wf_list_query *query, const struct wf_item_row *row)
{
	return (query->namespace_id == 0 ||
		   row->namespace_id == query->namespace_id) &&
	       (query->assignments == 0 ||
		   (query->assignments >> row->assignment & 1) != 0) &&
	       (query->statuses == 0 ||
		   (query->statuses >> row->status & 1) != 0) &&
	       (query->number == 0 || query->number == row->number) &&
	       has_specification(query, row->specification) &&
	       (query->task == NULL || strcmp(query->task, row->task) == 0) &&
	       row->rank <= query->greatest_rank &&
	       (query->enabled_before == 0 ||
		   row->enabled_at < query->enabled_before) &&
	       (query->due_before == 0 || row->due_at < query->due_before) &&
	       (query->participant == NULL ||
		   !wf_list_leaves_out(row, query->participant)) &&
	       (query->fits == NULL || query->fits(query->context, row));
}

/*
 * Adds the rows that fit; page->next becomes the place of the last one that was
 * visited.  False: the page is full before the last row.
 */
static bool add(const struct wf_list_query *query,
    const struct wf_item_list *items, struct wf_list_page *page)
{
	for (size_t i = 0; i < items->count; i++) {
		if (page->count == query->limit)
			return false;
		page->next = wf_queue_key_of(query->order, &items->rows[i]);
		if (fits(query, &items->rows[i]))
			page->rows[page->count++] = items->rows[i];
	}
	return true;
}

enum wf_rc wf_list_read(struct wf_store *store,
    const struct wf_list_query *query, struct wf_arena *arena,
    struct wf_list_page *page_out, struct wf_error *err)
{
	struct wf_queue_filter filter = { .queues = query->queues.rows,
		.queue_count = query->queues.count,
		.order = query->order,
		.descending = query->descending,
		.after = query->after,
		/* One more says whether there are more. */
		.limit = query->limit < WF_QUEUED_ROWS ? query->limit + 1
						       : WF_QUEUED_ROWS };
	struct wf_list_page page = { .has_more = true };
	struct wf_item_list items;
	size_t visits = 0;
	enum wf_rc rc = WF_OK;

	wf_assert(query->limit > 0);
	page.rows = wf_arena_array(arena, query->limit, sizeof(*page.rows));
	while (page.has_more && page.count < query->limit &&
	       visits < WF_LIST_VISITS) {
		rc = wf_store_queued_items(store, &filter, arena, &items, err);
		if (rc != WF_OK)
			return rc;
		page.has_more =
		    !add(query, &items, &page) || items.count == filter.limit;
		visits += items.count;
		filter.after = &page.next;
		filter.limit = WF_QUEUED_ROWS;
	}
	*page_out = page;
	return WF_OK;
}
