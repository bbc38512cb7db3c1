/* SPDX-License-Identifier: Apache-2.0 */
/* The store in SQLite: folds of the history, and what they have counted. */
#include "persistence/sqlite/sqlite_priv.h"

enum wf_rc wf_sqlite_move_fold(struct wf_store *store,
    const struct wf_fold_row *row, const struct wf_statistic_row *rows,
    size_t count, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_unsynced(s, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_sqlite_add(s, SQL(MOVE_FOLD), &wf_layout_fold, row, err);
	if (rc == WF_OK && sqlite3_changes(s->db) == 0)
		rc = wf_fail_fold(err, row->name);
	for (size_t i = 0; i < count && rc == WF_OK; i++)
		rc = wf_sqlite_add(
		    s, SQL(PUT_STATISTIC), &wf_layout_statistic, &rows[i], err);
	return wf_sqlite_end_unsynced(s, rc, err);
}

enum wf_rc wf_sqlite_fold(struct wf_store *store, const char *name,
    struct wf_arena *arena, struct wf_fold_row *row_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(FOLD), err);
	bool found;

	if (statement != NULL)
		wf_sqlite_bind_text(statement, 1, name);
	return wf_sqlite_read_one(
	    s, statement, &wf_layout_fold, arena, row_out, &found, err);
}

enum wf_rc wf_sqlite_keyed_statistics(struct wf_store *store,
    const struct wf_statistic_row *keys, size_t count, struct wf_arena *arena,
    struct wf_statistic_list *list_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, false, err);
	bool found;

	if (rc != WF_OK)
		return rc;
	list_out->rows = wf_arena_array(arena, count, sizeof(*list_out->rows));
	for (size_t i = 0; i < count && rc == WF_OK; i++) {
		sqlite3_stmt *statement =
		    wf_sqlite_start(s, SQL(KEYED_STATISTIC), err);

		if (statement != NULL)
			wf_sqlite_bind(statement, &wf_layout_statistic,
			    WF_GROUP_KEY, &keys[i]);
		rc = wf_sqlite_read_one(s, statement, &wf_layout_statistic,
		    arena, &list_out->rows[list_out->count], &found, err);
		list_out->count += rc == WF_OK && found;
	}
	return wf_sqlite_end_transaction(s, false, rc, err);
}

enum wf_rc wf_sqlite_statistics(struct wf_store *store,
    const struct wf_statistic_filter *filter, struct wf_arena *arena,
    struct wf_statistic_list *list_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	const struct wf_statistic_row *after = filter->after;
	/*
	 * Row values of the whole key, so that a page begins where it is in the
	 * index: beside equalities SQLite would use the hour only.
	 */
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(STATISTICS), err);
	void *rows = NULL;
	enum wf_rc rc;

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, filter->namespace_id);
		wf_sqlite_bind_number(statement, 2, filter->specification);
		sqlite3_bind_int64(statement, 3, filter->from);
		sqlite3_bind_int64(statement, 4, filter->to);
		wf_sqlite_bind_number(statement, 5, filter->measure);
		sqlite3_bind_int64(statement, 6, after->hour);
		wf_sqlite_bind_text(statement, 7, after->net);
		wf_sqlite_bind_text(statement, 8, after->element);
		wf_sqlite_bind_text(statement, 9, after->detail);
		wf_sqlite_bind_number(statement, 10, filter->limit);
	}
	rc = wf_sqlite_read_all(s, statement, &wf_layout_statistic, arena,
	    &rows, &list_out->count, err);
	list_out->rows = rows;
	return rc;
}

enum wf_rc wf_sqlite_sweep_statistics(
    struct wf_store *store, int64_t before, size_t limit, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_unsynced(s, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_sqlite_sweep(s, SQL(SWEEP_STATISTICS), before, limit, err);
	return wf_sqlite_end_unsynced(s, rc, err);
}

static void read_count(sqlite3_stmt *statement, struct wf_arena *arena,
    struct wf_item_count *count)
{
	*count = (struct wf_item_count){
		.namespace_id = (uint32_t)wf_sqlite_number(statement, 0),
		.specification = wf_sqlite_number(statement, 1),
		.task = wf_arena_strdup(
		    arena, (const char *)sqlite3_column_text(statement, 2)),
		.status = (uint32_t)wf_sqlite_number(statement, 3),
		.items = wf_sqlite_number(statement, 4),
		.oldest = sqlite3_column_int64(statement, 5),
	};
}

enum wf_rc wf_sqlite_count_items(struct wf_store *store, uint64_t maximum,
    struct wf_arena *arena, struct wf_item_count_list *list_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(COUNT_ITEMS), err);
	size_t capacity = 0;
	bool more = true;
	enum wf_rc rc = WF_OK;

	if (statement == NULL)
		return wf_sqlite_why(err);
	wf_sqlite_bind_number(statement, 1, maximum);
	while (rc == WF_OK && more) {
		rc = wf_sqlite_next(s, statement, &more, err);
		if (rc != WF_OK || !more)
			break;
		list_out->rows = wf_arena_grow(arena, list_out->rows,
		    list_out->count, &capacity, sizeof(*list_out->rows));
		read_count(
		    statement, arena, &list_out->rows[list_out->count++]);
	}
	return rc;
}
