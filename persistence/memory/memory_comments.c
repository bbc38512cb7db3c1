/* SPDX-License-Identifier: Apache-2.0 */
/* The store in memory: who is involved in cases, and comments on them. */
#include <string.h>

#include "persistence/memory/memory_priv.h"

static bool is_wanted(
    const struct wf_involved_filter *filter, const struct wf_involved_row *row)
{
	return strcmp(row->participant, filter->participant) == 0 &&
	       (filter->ascending ? row->number > filter->after
				  : row->number < filter->after);
}

enum wf_rc wf_memory_involved_cases(struct wf_store *store,
    const struct wf_involved_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err)
{
	size_t capacity = 0;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0;
	     i < m->involved.count && list_out->count < filter->limit; i++) {
		size_t at = filter->ascending ? i : m->involved.count - 1 - i;
		const struct wf_involved_row *row = m->involved.rows[at];

		if (!is_wanted(filter, row))
			continue;
		list_out->rows = wf_arena_grow(arena, list_out->rows,
		    list_out->count, &capacity, sizeof(*list_out->rows));
		wf_memory_load(m, wf_memory_case(m, row->number), false, arena,
		    &list_out->rows[list_out->count++]);
	}
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_add_comment(struct wf_store *store,
    const struct wf_comment_row *row, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_judge_comment(row, wf_memory_case(m, row->number) != NULL,
	    wf_memory_first(&m->comments, row->number + 1) -
		wf_memory_first(&m->comments, row->number),
	    err);
	if (rc == WF_OK && wf_table_find(&m->comments, row) != NULL)
		rc = wf_fail_comment(err);
	if (rc == WF_OK)
		wf_table_put(&m->comments, row);
	return wf_memory_leave(store, true, rc, err);
}

enum wf_rc wf_memory_comments(struct wf_store *store, uint64_t number,
    uint64_t after, size_t limit, struct wf_arena *arena,
    struct wf_comment_list *list_out, struct wf_error *err)
{
	const struct wf_comment_row first = { .number = number,
		.id = after + 1 };
	struct memory_found found = { 0 };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = wf_table_position(&m->comments, &first);
	     i < m->comments.count && found.count < limit; i++) {
		const struct wf_comment_row *row = m->comments.rows[i];

		if (row->number != number)
			break;
		wf_memory_add(&found, row);
	}
	list_out->rows =
	    wf_memory_give(&found, &wf_layout_comment, arena, &list_out->count);
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_remove_comment(
    struct wf_store *store, uint64_t number, uint64_t id, struct wf_error *err)
{
	const struct wf_comment_row key = { .number = number, .id = id };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	if (wf_table_find(&m->comments, &key) == NULL)
		rc = wf_missing(err, "comment", id);
	else
		wf_table_remove(&m->comments, &key);
	return wf_memory_leave(store, true, rc, err);
}
