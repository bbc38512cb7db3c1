/* SPDX-License-Identifier: Apache-2.0 */
/* The store in SQLite: due commands and the outbox. */
#include "base/panic.h"
#include "persistence/sqlite/sqlite_priv.h"

/* --- due ------------------------------------------------------------------ */

static enum wf_rc claim_due(struct sqlite_store *s, struct wf_due_row *row,
    int64_t until, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(CLAIM_DUE), err);

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, row->number);
		wf_sqlite_bind_text(statement, 2, row->name);
		sqlite3_bind_int64(statement, 3, until);
	}
	row->attempts++;
	return wf_sqlite_run(s, statement, err);
}

static enum wf_rc read_due(struct sqlite_store *s, sqlite3_stmt *statement,
    struct wf_arena *arena, struct wf_due_list *list_out, struct wf_error *err)
{
	void *rows;
	enum wf_rc rc = wf_sqlite_read_all(
	    s, statement, &wf_layout_due, arena, &rows, &list_out->count, err);

	list_out->rows = rows;
	return rc;
}

enum wf_rc wf_sqlite_claim_due(struct wf_store *store, int64_t now,
    int64_t until, size_t limit, struct wf_arena *arena,
    struct wf_due_list *list_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	statement = wf_sqlite_start(s, SQL(DUE), err);
	if (statement != NULL) {
		sqlite3_bind_int64(statement, 1, now);
		wf_sqlite_bind_number(statement, 2, limit);
	}
	rc = read_due(s, statement, arena, list_out, err);
	for (size_t i = 0; rc == WF_OK && i < list_out->count; i++)
		rc = claim_due(s, &list_out->rows[i], until, err);
	return wf_sqlite_end_transaction(s, true, rc, err);
}

enum wf_rc wf_sqlite_next_due(
    struct wf_store *store, int64_t *at_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(NEXT_DUE), err);
	enum wf_rc rc;
	bool row;

	*at_out = INT64_MAX;
	if (statement == NULL)
		return wf_sqlite_why(err);
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row)
		*at_out = wf_sqlite_time(statement, 0);
	return rc;
}

enum wf_rc wf_sqlite_due_of(struct wf_store *store, uint64_t number,
    const char *after, size_t limit, struct wf_arena *arena,
    struct wf_due_list *list_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(DUE_OF), err);

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, number);
		wf_sqlite_bind_text(statement, 2, after);
		wf_sqlite_bind_number(statement, 3, limit);
	}
	return read_due(s, statement, arena, list_out, err);
}

/* --- outbox --------------------------------------------------------------- */

/*
 * A claim, a lease or an acknowledgement that is lost in a crash is only done
 * again: they are not synced, but reach the disk with the next batch.
 */
static void set_synced(struct sqlite_store *s, bool synced)
{
	int code = sqlite3_exec(s->db,
	    synced ? "PRAGMA synchronous = FULL"
		   : "PRAGMA synchronous = NORMAL",
	    NULL, NULL, NULL);

	/* No batch may be committed without a sync. */
	wf_assert(!synced || code == SQLITE_OK);
}

enum wf_rc wf_sqlite_begin_unsynced(
    struct sqlite_store *s, struct wf_error *err)
{
	enum wf_rc rc;

	set_synced(s, false);
	rc = wf_sqlite_begin_transaction(s, true, err);
	if (rc != WF_OK)
		set_synced(s, true);
	return rc;
}

enum wf_rc wf_sqlite_end_unsynced(
    struct sqlite_store *s, enum wf_rc rc, struct wf_error *err)
{
	rc = wf_sqlite_end_transaction(s, true, rc, err);
	set_synced(s, true);
	return rc;
}

/* A statement about a message; the caller binds further parameters. */
static sqlite3_stmt *start_for(struct sqlite_store *s,
    enum sqlite_statement which, uint64_t number, uint64_t message,
    struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, which, err);

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, number);
		wf_sqlite_bind_number(statement, 2, message);
	}
	return statement;
}

static enum wf_rc claim_message(struct sqlite_store *s,
    struct wf_message_row *row, int64_t until, struct wf_error *err)
{
	sqlite3_stmt *statement =
	    start_for(s, SQL(CLAIM_MESSAGE), row->number, row->message, err);

	if (statement != NULL)
		sqlite3_bind_int64(statement, 3, until);
	row->attempts++;
	return wf_sqlite_run(s, statement, err);
}

static enum wf_rc read_heads(struct sqlite_store *s, const char *destination,
    int64_t now, size_t limit, struct wf_arena *arena,
    struct wf_message_list *list_out, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(
	    s, destination == NULL ? SQL(HEADS) : SQL(HEADS_TO), err);
	void *rows;
	enum wf_rc rc;

	if (statement != NULL) {
		sqlite3_bind_int64(statement, 1, now);
		wf_sqlite_bind_number(statement, 2, limit);
		wf_sqlite_bind_text(statement, 3, destination);
	}
	rc = wf_sqlite_read_all(s, statement, &wf_layout_message, arena, &rows,
	    &list_out->count, err);
	list_out->rows = rows;
	return rc;
}

enum wf_rc wf_sqlite_claim_messages(struct wf_store *store,
    const char *destination, int64_t now, int64_t until, size_t limit,
    struct wf_arena *arena, struct wf_message_list *list_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_unsynced(s, err);

	if (rc != WF_OK)
		return rc;
	rc = read_heads(s, destination, now, limit, arena, list_out, err);
	for (size_t i = 0; rc == WF_OK && i < list_out->count; i++)
		rc = claim_message(s, &list_out->rows[i], until, err);
	return wf_sqlite_end_unsynced(s, rc, err);
}

/* Does the same to many messages; time and text are its third parameter. */
static enum wf_rc for_each(struct wf_store *store, enum sqlite_statement which,
    const struct wf_message_key *keys, size_t count, int64_t time,
    const char *text, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_unsynced(s, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; rc == WF_OK && i < count; i++) {
		sqlite3_stmt *statement =
		    start_for(s, which, keys[i].number, keys[i].message, err);

		if (statement != NULL && text != NULL)
			wf_sqlite_bind_text(statement, 3, text);
		else if (statement != NULL)
			sqlite3_bind_int64(statement, 3, time);
		rc = wf_sqlite_run(s, statement, err);
	}
	return wf_sqlite_end_unsynced(s, rc, err);
}

enum wf_rc wf_sqlite_acknowledge(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, struct wf_error *err)
{
	return for_each(store, SQL(ACKNOWLEDGE), keys, count, 0, NULL, err);
}

enum wf_rc wf_sqlite_postpone(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, int64_t at, bool tried,
    struct wf_error *err)
{
	return for_each(store, tried ? SQL(POSTPONE) : SQL(PUT_BACK_MESSAGE),
	    keys, count, at, NULL, err);
}

enum wf_rc wf_sqlite_redirect(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, const char *destination,
    struct wf_error *err)
{
	return for_each(store, SQL(REDIRECT), keys, count, 0, destination, err);
}
