/* SPDX-License-Identifier: Apache-2.0 */
/* The store in SQLite: who is involved in cases, and comments on them. */
#include "persistence/sqlite/sqlite_priv.h"

enum wf_rc wf_sqlite_involved_cases(struct wf_store *store,
    const struct wf_involved_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_start(
	    s, filter->ascending ? SQL(INVOLVED_UP) : SQL(INVOLVED_DOWN), err);

	if (statement == NULL)
		return wf_sqlite_why(err);
	wf_sqlite_bind_text(statement, 1, filter->participant);
	wf_sqlite_bind_number(statement, 2, filter->after);
	wf_sqlite_bind_number(statement, 3, filter->limit);
	return wf_sqlite_read_cases(s, statement, arena, list_out, err);
}

static enum wf_rc judge(struct sqlite_store *s,
    const struct wf_comment_row *row, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(COMMENT_STATE), err);
	uint64_t numbers[2];
	enum wf_rc rc;

	if (statement != NULL)
		wf_sqlite_bind_number(statement, 1, row->number);
	rc = wf_sqlite_read_numbers(s, statement, numbers, 2, err);
	return rc != WF_OK
		   ? rc
		   : wf_judge_comment(row, numbers[0] != 0, numbers[1], err);
}

enum wf_rc wf_sqlite_add_comment(struct wf_store *store,
    const struct wf_comment_row *row, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	rc = judge(s, row, err);
	if (rc == WF_OK) {
		rc = wf_sqlite_add(
		    s, SQL(ADD_COMMENT), &wf_layout_comment, row, err);
		if (rc == WF_CONFLICT)
			rc = wf_fail_comment(err);
	}
	return wf_sqlite_end_transaction(s, true, rc, err);
}

enum wf_rc wf_sqlite_comments(struct wf_store *store, uint64_t number,
    uint64_t after, size_t limit, struct wf_arena *arena,
    struct wf_comment_list *list_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(COMMENTS), err);
	void *rows = NULL;
	enum wf_rc rc;

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, number);
		wf_sqlite_bind_number(statement, 2, after);
		wf_sqlite_bind_number(statement, 3, limit);
	}
	rc = wf_sqlite_read_all(s, statement, &wf_layout_comment, arena, &rows,
	    &list_out->count, err);
	list_out->rows = rows;
	return rc;
}

enum wf_rc wf_sqlite_remove_comment(
    struct wf_store *store, uint64_t number, uint64_t id, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	statement = wf_sqlite_start(s, SQL(REMOVE_COMMENT), err);
	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, number);
		wf_sqlite_bind_number(statement, 2, id);
	}
	rc = wf_sqlite_run(s, statement, err);
	if (rc == WF_OK && sqlite3_changes(s->db) == 0)
		rc = wf_missing(err, "comment", id);
	return wf_sqlite_end_transaction(s, true, rc, err);
}
