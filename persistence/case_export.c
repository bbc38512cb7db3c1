/* SPDX-License-Identifier: Apache-2.0 */
/* All that is kept of cases, for stores where a call costs next to nothing. */
#include <string.h>

#include "persistence/backend.h"

/* Adds to *bytes_out how large it is. */
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

enum wf_rc wf_collect_case_exports(struct wf_store *store, uint64_t after,
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
