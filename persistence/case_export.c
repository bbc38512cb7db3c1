/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wf_store_case_exports(): all rows of many cases.  A store that has a function
 * of its own for them does it with few statements; for the others this file
 * makes a handful of calls for each case, which cost next to nothing there.
 */
#include <string.h>

#include "base/panic.h"
#include "persistence/backend.h"

/* All rows of one case; adds their size to *bytes_out. */
static enum wf_rc collect(struct wf_store *store,
    const struct wf_stored_case *listed, struct wf_arena *arena,
    struct wf_case_export *exported, size_t *bytes_out, struct wf_error *err)
{
	uint64_t number = listed->row.number;
	struct wf_item_filter filter = { .number = number,
		.after_number = number,
		.after_id = "",
		.limit = WF_CASE_EXPORT_ROWS };
	enum wf_rc rc = WF_OK;

	memset(exported, 0, sizeof(*exported));
	exported->stored = *listed;
	if (!listed->ended)
		rc = wf_store_case(
		    store, number, true, arena, &exported->stored, err);
	if (rc == WF_OK)
		rc = wf_store_case_history(store, number, 0,
		    WF_CASE_EXPORT_ROWS, arena, &exported->history, err);
	if (rc == WF_OK)
		rc = wf_store_items(
		    store, &filter, arena, &exported->items, err);
	if (rc == WF_OK)
		rc = wf_store_due_of(
		    store, number, "", SIZE_MAX, arena, &exported->due, err);
	*bytes_out += exported->stored.snapshot.size;
	for (size_t i = 0; rc == WF_OK && i < exported->history.count; i++)
		*bytes_out += exported->history.rows[i].events.size;
	return rc;
}

static enum wf_rc collect_all(struct wf_store *store, uint64_t after,
    size_t limit, struct wf_arena *arena, struct wf_case_export_list *list_out,
    struct wf_error *err)
{
	struct wf_case_filter filter = { .after = after, .limit = limit };
	struct wf_case_list cases;
	size_t bytes = 0;
	enum wf_rc rc = wf_store_cases(store, &filter, arena, &cases, err);

	memset(list_out, 0, sizeof(*list_out));
	if (rc == WF_OK)
		list_out->rows =
		    wf_arena_array(arena, cases.count, sizeof(*list_out->rows));
	for (size_t i = 0;
	     rc == WF_OK && i < cases.count && bytes < WF_HISTORY_BYTES; i++) {
		rc = collect(store, &cases.rows[i], arena,
		    &list_out->rows[list_out->count], &bytes, err);
		list_out->count += rc == WF_OK;
	}
	return rc;
}

enum wf_rc wf_store_case_exports(struct wf_store *store, uint64_t after,
    size_t limit, struct wf_arena *arena, struct wf_case_export_list *list_out,
    struct wf_error *err)
{
	wf_assert(store != NULL && store->magic == WF_STORE_MAGIC);
	wf_assert(store->batch == WF_BATCH_IDLE);
	if (store->ops->case_exports != NULL)
		return store->ops->case_exports(
		    store, after, limit, arena, list_out, err);
	return collect_all(store, after, limit, arena, list_out, err);
}
