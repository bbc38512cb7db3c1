/* SPDX-License-Identifier: Apache-2.0 */
/* The store in SQLite: what operations did to cases. */
#include "persistence/sqlite/sqlite_priv.h"

enum wf_rc wf_sqlite_put_outcomes(struct wf_store *store,
    const struct wf_outcome_row *rows, size_t count, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < count && rc == WF_OK; i++)
		rc = wf_sqlite_add(
		    s, SQL(PUT_OUTCOME), &wf_layout_outcome, &rows[i], err);
	return wf_sqlite_end_transaction(s, true, rc, err);
}

enum wf_rc wf_sqlite_outcomes(struct wf_store *store,
    const struct wf_outcome_filter *filter, struct wf_arena *arena,
    struct wf_outcome_list *list_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(OUTCOMES), err);
	void *rows = NULL;
	enum wf_rc rc;

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, filter->operation);
		wf_sqlite_bind_number(statement, 2, filter->after_number);
		wf_sqlite_bind_text(statement, 3, filter->after_subject);
		sqlite3_bind_int(statement, 4, filter->refused);
		sqlite3_bind_int(statement, 5, filter->done);
		wf_sqlite_bind_number(statement, 6, filter->limit);
	}
	rc = wf_sqlite_read_all(s, statement, &wf_layout_outcome, arena, &rows,
	    &list_out->count, err);
	list_out->rows = rows;
	return rc;
}

enum wf_rc wf_sqlite_remove_outcomes(struct wf_store *store, uint64_t operation,
    size_t limit, size_t *count_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	statement = wf_sqlite_start(s, SQL(REMOVE_OUTCOMES), err);
	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, operation);
		wf_sqlite_bind_number(statement, 2, limit);
	}
	rc = wf_sqlite_run(s, statement, err);
	if (rc == WF_OK)
		*count_out = (size_t)sqlite3_changes(s->db);
	return wf_sqlite_end_transaction(s, true, rc, err);
}
