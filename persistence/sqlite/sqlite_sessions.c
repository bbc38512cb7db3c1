/* SPDX-License-Identifier: Apache-2.0 */
/* The store in SQLite: sessions of people. */
#include "persistence/sqlite/sqlite_priv.h"

static sqlite3_stmt *start(struct sqlite_store *s, enum sqlite_statement which,
    const char *text, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, which, err);

	if (statement != NULL)
		wf_sqlite_bind_text(statement, 1, text);
	return statement;
}

static enum wf_rc add(struct sqlite_store *s, const struct wf_session_row *row,
    size_t maximum, struct wf_error *err)
{
	sqlite3_stmt *statement =
	    start(s, SQL(TRIM_SESSIONS), row->account, err);
	enum wf_rc rc;

	if (statement != NULL)
		wf_sqlite_bind_number(statement, 2, maximum - 1);
	rc = wf_sqlite_run(s, statement, err);
	if (rc != WF_OK)
		return rc;
	rc = wf_sqlite_add(s, SQL(ADD_SESSION), &wf_layout_session, row, err);
	return rc == WF_CONFLICT ? wf_fail_session_key(err) : rc;
}

enum wf_rc wf_sqlite_add_session(struct wf_store *store,
    const struct wf_session_row *row, size_t maximum, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	rc = add(s, row, maximum, err);
	return wf_sqlite_end_transaction(s, true, rc, err);
}

enum wf_rc wf_sqlite_session(struct wf_store *store, const char *key,
    struct wf_arena *arena, struct wf_session_row *row_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	bool found;
	enum wf_rc rc = wf_sqlite_read_one(s, start(s, SQL(SESSION), key, err),
	    &wf_layout_session, arena, row_out, &found, err);

	return rc == WF_OK && !found ? wf_fail_session(err) : rc;
}

/* A use that a crash of the system forgets makes the session end earlier. */
enum wf_rc wf_sqlite_use_session(struct wf_store *store, const char *key,
    int64_t used_at, int64_t ends_at, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement;
	enum wf_rc rc = wf_sqlite_begin_unsynced(s, err);

	if (rc != WF_OK)
		return rc;
	statement = start(s, SQL(USE_SESSION), key, err);
	if (statement != NULL) {
		sqlite3_bind_int64(statement, 2, used_at);
		sqlite3_bind_int64(statement, 3, ends_at);
	}
	rc = wf_sqlite_run(s, statement, err);
	return wf_sqlite_end_unsynced(s, rc, err);
}

enum wf_rc wf_sqlite_live_sessions(struct wf_store *store,
    const char *const *keys, size_t count, int64_t now, bool *live_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, false, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < count && rc == WF_OK; i++) {
		sqlite3_stmt *statement =
		    start(s, SQL(LIVE_SESSION), keys[i], err);
		uint64_t found = 0;

		if (statement != NULL)
			sqlite3_bind_int64(statement, 2, now);
		rc = wf_sqlite_read_number(s, statement, &found, err);
		live_out[i] = found != 0;
	}
	return wf_sqlite_end_transaction(s, false, rc, err);
}

static enum wf_rc remove_by(struct wf_store *store, enum sqlite_statement which,
    const char *text, size_t *count_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_sqlite_run(s, start(s, which, text, err), err);
	if (rc == WF_OK)
		*count_out = (size_t)sqlite3_changes(s->db);
	return wf_sqlite_end_transaction(s, true, rc, err);
}

enum wf_rc wf_sqlite_remove_session(struct wf_store *store, const char *key,
    size_t *count_out, struct wf_error *err)
{
	return remove_by(store, SQL(REMOVE_SESSION), key, count_out, err);
}

enum wf_rc wf_sqlite_remove_sessions(struct wf_store *store,
    const char *account, size_t *count_out, struct wf_error *err)
{
	return remove_by(store, SQL(REMOVE_SESSIONS), account, count_out, err);
}

enum wf_rc wf_sqlite_sweep_sessions(
    struct wf_store *store, int64_t before, size_t limit, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_unsynced(s, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_sqlite_sweep(s, SQL(SWEEP_SESSIONS), before, limit, err);
	return wf_sqlite_end_unsynced(s, rc, err);
}
