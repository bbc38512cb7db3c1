/* SPDX-License-Identifier: Apache-2.0 */
/* The store in SQLite: the audit. */
#include <stdio.h>

#include "persistence/sqlite/sqlite_priv.h"

static enum wf_rc add(struct sqlite_store *s, const struct wf_audit_row *row,
    struct wf_error *err)
{
	enum wf_rc rc =
	    wf_sqlite_add(s, SQL(ADD_AUDIT), &wf_layout_audit, row, err);

	return rc == WF_CONFLICT ? wf_fail_audit(err) : rc;
}

enum wf_rc wf_sqlite_add_audit(struct wf_store *store,
    const struct wf_audit_row *rows, size_t count, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < count && rc == WF_OK; i++)
		rc = add(s, &rows[i], err);
	return wf_sqlite_end_transaction(s, true, rc, err);
}

/* A condition on an account or kind that is not given would hide its index. */
static sqlite3_stmt *prepare(struct sqlite_store *s,
    const struct wf_audit_filter *filter, struct wf_error *err)
{
	char sql[600];

	snprintf(sql, sizeof(sql),
	    "SELECT {audit} FROM audit WHERE id < ?1 AND at >= ?2 AND at < ?3 "
	    "AND (?4 = 0 OR namespace_id = 0 OR namespace_id = ?4)%s%s "
	    "ORDER BY id DESC LIMIT ?5",
	    filter->account == NULL ? "" : " AND account = ?6",
	    filter->kind == NULL ? "" : " AND kind = ?7");
	return wf_sqlite_keep(s, sql, err);
}

enum wf_rc wf_sqlite_audit(struct wf_store *store,
    const struct wf_audit_filter *filter, struct wf_arena *arena,
    struct wf_audit_list *list_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = prepare(s, filter, err);
	void *rows = NULL;
	enum wf_rc rc;

	if (statement != NULL) {
		sqlite3_bind_int64(statement, 1,
		    filter->after == 0 ? INT64_MAX : (int64_t)filter->after);
		sqlite3_bind_int64(statement, 2, filter->from);
		sqlite3_bind_int64(
		    statement, 3, filter->to == 0 ? INT64_MAX : filter->to);
		wf_sqlite_bind_number(statement, 4, filter->namespace_id);
		wf_sqlite_bind_number(statement, 5, filter->limit);
		if (filter->account != NULL)
			wf_sqlite_bind_text(statement, 6, filter->account);
		if (filter->kind != NULL)
			wf_sqlite_bind_text(statement, 7, filter->kind);
	}
	rc = wf_sqlite_read_all(s, statement, &wf_layout_audit, arena, &rows,
	    &list_out->count, err);
	list_out->rows = rows;
	return rc;
}

enum wf_rc wf_sqlite_sweep_audit(
    struct wf_store *store, int64_t before, size_t limit, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_unsynced(s, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_sqlite_sweep(s, SQL(SWEEP_AUDIT), before, limit, err);
	return wf_sqlite_end_unsynced(s, rc, err);
}
