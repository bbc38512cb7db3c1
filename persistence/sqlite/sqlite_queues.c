/* SPDX-License-Identifier: Apache-2.0 */
/* The store in SQLite: due commands and the outbox. */
#include <string.h>

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

static enum wf_rc read_queue(struct sqlite_store *s,
    const struct wf_message_queue *after, struct wf_arena *arena,
    struct wf_message_queue *queue_out, bool *found_out, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(MESSAGE_QUEUE), err);
	enum wf_rc rc;
	bool row;

	*found_out = false;
	if (statement == NULL)
		return wf_sqlite_why(err);
	wf_sqlite_bind_number(statement, 1, after->namespace_id);
	wf_sqlite_bind_text(statement, 2, after->destination);
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row) {
		queue_out->namespace_id =
		    (uint32_t)wf_sqlite_number(statement, 0);
		queue_out->destination =
		    wf_sqlite_bytes(statement, 1, arena).data;
		queue_out->at = wf_sqlite_time(statement, 2);
		queue_out->most = 0;
		*found_out = true;
	}
	return rc;
}

/* From one queue to the next by the index, whatever waits in each. */
enum wf_rc wf_sqlite_message_queues(struct wf_store *store,
    const struct wf_message_queue *after, size_t limit, struct wf_arena *arena,
    struct wf_message_queue_list *list_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	size_t capacity = 0;
	enum wf_rc rc = WF_OK;
	bool found = true;

	memset(list_out, 0, sizeof(*list_out));
	while (list_out->count < limit) {
		list_out->rows = wf_arena_grow(arena, list_out->rows,
		    list_out->count, &capacity, sizeof(*list_out->rows));
		rc = read_queue(s,
		    list_out->count == 0 ? after
					 : &list_out->rows[list_out->count - 1],
		    arena, &list_out->rows[list_out->count], &found, err);
		if (rc != WF_OK || !found)
			break;
		list_out->count++;
	}
	return rc;
}

static enum wf_rc read_heads(struct sqlite_store *s,
    const struct wf_message_queue *queue, struct wf_arena *arena,
    struct wf_message_list *list_out, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(HEADS), err);
	void *rows;
	enum wf_rc rc;

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, queue->namespace_id);
		wf_sqlite_bind_text(statement, 2, queue->destination);
		sqlite3_bind_int64(statement, 3, queue->at);
		wf_sqlite_bind_number(statement, 4, queue->most);
	}
	rc = wf_sqlite_read_all(s, statement, &wf_layout_message, arena, &rows,
	    &list_out->count, err);
	list_out->rows = rows;
	return rc;
}

/* Adds those that are claimed to the list. */
static enum wf_rc claim_from(struct sqlite_store *s,
    const struct wf_message_queue *queue, int64_t until, struct wf_arena *arena,
    struct wf_message_list *list, size_t *capacity, struct wf_error *err)
{
	struct wf_message_list heads;
	enum wf_rc rc = read_heads(s, queue, arena, &heads, err);

	for (size_t i = 0; rc == WF_OK && i < heads.count; i++) {
		rc = claim_message(s, &heads.rows[i], until, err);
		list->rows = wf_arena_grow(arena, list->rows, list->count,
		    capacity, sizeof(*list->rows));
		list->rows[list->count++] = heads.rows[i];
	}
	return rc;
}

enum wf_rc wf_sqlite_count_messages(struct wf_store *store,
    uint32_t namespace_id, const char *destination, uint64_t maximum,
    uint64_t *count_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(COUNT_HEADS), err);
	enum wf_rc rc;
	bool row;

	*count_out = 0;
	if (statement == NULL)
		return wf_sqlite_why(err);
	wf_sqlite_bind_number(statement, 1, namespace_id);
	wf_sqlite_bind_text(statement, 2, destination);
	wf_sqlite_bind_number(statement, 3, maximum);
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row)
		*count_out = wf_sqlite_number(statement, 0);
	return rc;
}

enum wf_rc wf_sqlite_claim_messages(struct wf_store *store,
    const struct wf_message_queue *queues, size_t queue_count, int64_t until,
    struct wf_arena *arena, struct wf_message_list *list_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	size_t capacity = 0;
	enum wf_rc rc = wf_sqlite_begin_unsynced(s, err);

	if (rc != WF_OK)
		return rc;
	memset(list_out, 0, sizeof(*list_out));
	for (size_t i = 0; rc == WF_OK && i < queue_count; i++)
		rc = claim_from(
		    s, &queues[i], until, arena, list_out, &capacity, err);
	return wf_sqlite_end_unsynced(s, rc, err);
}

/* What a statement needs beside the key of the message. */
struct change {
	int64_t time;
	const char *text; /* NULL: the time */
};

static enum wf_rc change_message(struct sqlite_store *s,
    enum sqlite_statement which, const struct wf_message_key *key,
    const struct change *change, struct wf_error *err)
{
	sqlite3_stmt *statement =
	    start_for(s, which, key->number, key->message, err);

	if (statement != NULL && sqlite3_bind_parameter_count(statement) > 2) {
		if (change->text != NULL)
			wf_sqlite_bind_text(statement, 3, change->text);
		else
			sqlite3_bind_int64(statement, 3, change->time);
	}
	return wf_sqlite_run(s, statement, err);
}

/* leaves: the next of its stream becomes the head. */
static enum wf_rc for_each(struct wf_store *store, enum sqlite_statement which,
    bool leaves, const struct wf_message_key *keys, size_t count,
    struct change change, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_unsynced(s, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; rc == WF_OK && i < count; i++) {
		if (leaves)
			rc = change_message(
			    s, SQL(PROMOTE), &keys[i], &change, err);
		if (rc == WF_OK)
			rc = change_message(s, which, &keys[i], &change, err);
	}
	return wf_sqlite_end_unsynced(s, rc, err);
}

enum wf_rc wf_sqlite_acknowledge(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, struct wf_error *err)
{
	return for_each(store, SQL(ACKNOWLEDGE), true, keys, count,
	    (struct change){ 0, NULL }, err);
}

enum wf_rc wf_sqlite_postpone(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, int64_t at, bool tried,
    struct wf_error *err)
{
	return for_each(store, tried ? SQL(POSTPONE) : SQL(PUT_BACK_MESSAGE),
	    false, keys, count, (struct change){ at, NULL }, err);
}

enum wf_rc wf_sqlite_redirect(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, const char *destination,
    struct wf_error *err)
{
	return for_each(store, SQL(REDIRECT), true, keys, count,
	    (struct change){ 0, destination }, err);
}
