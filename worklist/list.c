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

/* Whether few of the rows of the queues may fit. */
static bool is_narrow(const struct wf_list_query *query)
{
	return query->assignments != 0 || query->statuses != 0 ||
	       query->number != 0 || query->specifications.count > 0 ||
	       query->task != NULL || query->greatest_rank != UINT32_MAX ||
	       query->enabled_before != 0 || query->due_before != 0 ||
	       query->few_fit;
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
		/* Each reading searches the heads of all queues, so a narrow
		 * list reads much at once; of another, one more row than it
		 * has says whether there are more. */
		.limit = query->limit < WF_QUEUED_ROWS && !is_narrow(query)
			     ? query->limit + 1
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
		if (rc == WF_OK && query->prepare != NULL)
			rc = query->prepare(query->context, store, &items, err);
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

/* --- what a participant has ----------------------------------------------- */

/* Notes what stands first; true: nothing more is to be known. */
static bool note_rows(
    const struct wf_item_list *list, struct wf_workload *workload)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct wf_item_row *row = &list->rows[i];

		if (row->assignment == WF_RESOURCE_STARTED &&
		    workload->started == NULL)
			workload->started = row->id;
		if (row->assignment == WF_RESOURCE_ALLOCATED &&
		    workload->allocated == NULL)
			workload->allocated = row->id;
	}
	return workload->started != NULL && workload->allocated != NULL;
}

static enum wf_rc read_queue(struct wf_store *store, struct wf_arena *arena,
    const char *queue, struct wf_workload *workload, struct wf_error *err)
{
	struct wf_queue_filter filter = { .queues = &queue,
		.queue_count = 1,
		.order = WF_QUEUE_BY_AGE,
		.limit = WF_QUEUED_ROWS };
	struct wf_item_list list = { .count = WF_QUEUED_ROWS };
	struct wf_queue_key after;
	size_t visits = 0;
	bool enough = false;

	while (!enough && list.count == WF_QUEUED_ROWS &&
	       visits < WF_LIST_VISITS) {
		enum wf_rc rc =
		    wf_store_queued_items(store, &filter, arena, &list, err);

		if (rc != WF_OK)
			return rc;
		enough = note_rows(&list, workload);
		visits += list.count;
		if (list.count > 0)
			after = wf_queue_key_of(
			    filter.order, &list.rows[list.count - 1]);
		filter.after = &after;
	}
	return WF_OK;
}

enum wf_rc wf_workload_read(struct wf_engine *engine,
    const struct wf_organisation *organisation, const char *participant,
    struct wf_arena *arena, struct wf_workload *workload_out,
    struct wf_error *err)
{
	struct wf_store *store;
	uint32_t number =
	    wf_org_find(organisation, WF_ORG_PARTICIPANT, participant);
	enum wf_rc rc;

	*workload_out = (struct wf_workload){ NULL, NULL };
	if (number == WF_ORG_NOBODY || !wf_needs_workload(organisation, number))
		return WF_OK;
	rc = wf_engine_borrow(engine, &store, err);
	if (rc != WF_OK)
		return rc;
	rc = read_queue(store, arena, wf_participant_queue(participant, arena),
	    workload_out, err);
	wf_engine_give_back(engine, store);
	return rc;
}

/* The assignment of an item; WF_RESOURCE_NONE: it has none, or is not there. */
static enum wf_rc read_assignment(struct wf_engine *engine, uint64_t number,
    const char *item, struct wf_arena *arena, uint32_t *assignment_out,
    struct wf_error *err)
{
	struct wf_item_row row = { .assignment = WF_RESOURCE_NONE };
	struct wf_error own = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	*assignment_out = WF_RESOURCE_NONE;
	if (rc != WF_OK)
		return rc;
	rc = wf_store_item(store, number, item, arena, &row, &own);
	wf_engine_give_back(engine, store);
	if (rc == WF_OK)
		*assignment_out = row.assignment;
	return rc == WF_OK || rc == WF_NOT_FOUND
		   ? WF_OK
		   : wf_fail(err, rc, "%s", own.message);
}

enum wf_rc wf_workload_check(struct wf_engine *engine,
    const struct wf_organisation *organisation, const char *participant,
    uint64_t number, const char *item, struct wf_arena *arena,
    struct wf_error *err)
{
	uint32_t actor =
	    wf_org_find(organisation, WF_ORG_PARTICIPANT, participant);
	struct wf_workload workload;
	uint32_t assignment;
	enum wf_rc rc;

	if (actor == WF_ORG_NOBODY || !wf_needs_workload(organisation, actor))
		return WF_OK;
	rc = read_assignment(engine, number, item, arena, &assignment, err);
	if (rc != WF_OK || assignment == WF_RESOURCE_NONE ||
	    assignment == WF_RESOURCE_STARTED)
		return rc;
	rc = wf_workload_read(
	    engine, organisation, participant, arena, &workload, err);
	return rc != WF_OK ? rc
			   : wf_may_begin(organisation, actor, &workload, item,
				 assignment == WF_RESOURCE_ALLOCATED, err);
}
