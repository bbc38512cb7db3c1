/* SPDX-License-Identifier: Apache-2.0 */
/* The store in SQLite: documents of cases, and their blocks. */
#include "persistence/sqlite/sqlite_priv.h"

static sqlite3_stmt *start(struct sqlite_store *s, enum sqlite_statement which,
    uint64_t id, uint32_t version, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, which, err);

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, id);
		wf_sqlite_bind_number(statement, 2, version);
	}
	return statement;
}

static enum wf_rc read_state(struct sqlite_store *s,
    const struct wf_document_row *row, struct wf_document_state *state,
    struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(DOCUMENT_STATE), err);
	uint64_t numbers[4];
	enum wf_rc rc;

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, row->number);
		wf_sqlite_bind_number(statement, 2, row->id);
	}
	rc = wf_sqlite_read_numbers(s, statement, numbers, 4, err);
	*state = (struct wf_document_state){ .has_case = numbers[0] != 0,
		.bytes = numbers[1],
		.rows = numbers[2],
		.last = (uint32_t)numbers[3] };
	return rc;
}

enum wf_rc wf_sqlite_add_document(struct wf_store *store,
    struct wf_document_row *row, uint64_t maximum, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	struct wf_document_state state;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	rc = read_state(s, row, &state, err);
	if (rc == WF_OK)
		rc = wf_judge_document(&state, row, maximum, err);
	if (rc == WF_OK)
		rc = wf_sqlite_add(
		    s, SQL(ADD_DOCUMENT), &wf_layout_document, row, err);
	return wf_sqlite_end_transaction(s, true, rc, err);
}

/*
 * All versions of a document of no case are judged as one of their size, which
 * comes with the other rows.
 */
static enum wf_rc read_size(struct sqlite_store *s, struct wf_document_row *row,
    struct wf_document_state *state, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(DOCUMENT_SIZE), err);
	uint64_t numbers[2];
	enum wf_rc rc;

	if (statement != NULL)
		wf_sqlite_bind_number(statement, 1, row->id);
	rc = wf_sqlite_read_numbers(s, statement, numbers, 2, err);
	row->size = numbers[0];
	state->rows += numbers[1];
	return rc;
}

static enum wf_rc adopt(struct sqlite_store *s,
    const struct wf_document_row *row, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(ADOPT_DOCUMENT), err);
	enum wf_rc rc;

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, row->id);
		wf_sqlite_bind_number(statement, 2, row->number);
	}
	rc = wf_sqlite_run(s, statement, err);
	if (rc == WF_OK && sqlite3_changes(s->db) == 0)
		rc = wf_fail_adoption(err, row);
	return rc;
}

enum wf_rc wf_sqlite_adopt_document(struct wf_store *store, uint64_t id,
    uint64_t number, uint64_t maximum, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	struct wf_arena *arena = wf_arena_new();
	struct wf_document_state state;
	struct wf_document_row row;
	enum wf_rc rc = wf_sqlite_document(store, id, 0, arena, &row, err);

	if (rc == WF_OK) {
		row.number = number;
		rc = wf_sqlite_begin_transaction(s, true, err);
	}
	if (rc == WF_OK) {
		rc = read_state(s, &row, &state, err);
		if (rc == WF_OK)
			rc = read_size(s, &row, &state, err);
		if (rc == WF_OK)
			rc = wf_judge_document(&state, &row, maximum, err);
		if (rc == WF_OK)
			rc = adopt(s, &row, err);
		rc = wf_sqlite_end_transaction(s, true, rc, err);
	}
	wf_arena_free(&arena);
	return rc;
}

enum wf_rc wf_sqlite_document(struct wf_store *store, uint64_t id,
    uint32_t version, struct wf_arena *arena, struct wf_document_row *row_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	bool found;
	enum wf_rc rc =
	    wf_sqlite_read_one(s, start(s, SQL(DOCUMENT), id, version, err),
		&wf_layout_document, arena, row_out, &found, err);

	return rc == WF_OK && !found ? wf_missing(err, "document", id) : rc;
}

enum wf_rc wf_sqlite_documents(struct wf_store *store, uint64_t number,
    struct wf_arena *arena, struct wf_document_list *list_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	void *rows = NULL;
	enum wf_rc rc =
	    wf_sqlite_read_all(s, start(s, SQL(DOCUMENTS), number, 0, err),
		&wf_layout_document, arena, &rows, &list_out->count, err);

	list_out->rows = rows;
	return rc;
}

static enum wf_rc move_on(struct sqlite_store *s,
    const struct wf_document_block_row *block, int64_t now,
    struct wf_error *err)
{
	sqlite3_stmt *statement =
	    start(s, SQL(MOVE_DOCUMENT), block->id, block->version, err);

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 3, block->place);
		wf_sqlite_bind_number(statement, 4, block->bytes.size);
		sqlite3_bind_int64(statement, 5, now);
	}
	return wf_sqlite_run(s, statement, err);
}

static enum wf_rc refuse_block(struct wf_store *store,
    const struct wf_document_block_row *block, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_document_row row;
	enum wf_rc rc = wf_sqlite_document(
	    store, block->id, block->version, arena, &row, err);

	if (rc == WF_OK)
		rc = wf_fail_block(err, &row, block);
	wf_arena_free(&arena);
	return rc;
}

enum wf_rc wf_sqlite_put_document_block(struct wf_store *store,
    const struct wf_document_block_row *block, int64_t now,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	rc = move_on(s, block, now, err);
	if (rc == WF_OK && sqlite3_changes(s->db) == 0)
		rc = refuse_block(store, block, err);
	if (rc == WF_OK)
		rc = wf_sqlite_add(
		    s, SQL(ADD_BLOCK), &wf_layout_document_block, block, err);
	return wf_sqlite_end_transaction(s, true, rc, err);
}

enum wf_rc wf_sqlite_document_block(struct wf_store *store, uint64_t id,
    uint32_t version, uint64_t place, struct wf_arena *arena,
    struct wf_document_block_row *row_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = start(s, SQL(BLOCK), id, version, err);
	bool found;
	enum wf_rc rc;

	if (statement != NULL)
		wf_sqlite_bind_number(statement, 3, place);
	rc = wf_sqlite_read_one(s, statement, &wf_layout_document_block, arena,
	    row_out, &found, err);
	return rc == WF_OK && !found ? wf_missing(err, "document", id) : rc;
}

enum wf_rc wf_sqlite_remove_document(
    struct wf_store *store, uint64_t id, uint32_t version, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_sqlite_run(
	    s, start(s, SQL(REMOVE_DOCUMENT), id, version, err), err);
	if (rc == WF_OK && sqlite3_changes(s->db) == 0)
		rc = wf_missing(err, "document", id);
	return wf_sqlite_end_transaction(s, true, rc, err);
}

enum wf_rc wf_sqlite_sweep_documents(struct wf_store *store, int64_t before,
    int64_t kept, size_t limit, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_sqlite_sweep(s, SQL(SWEEP_DOCUMENTS), before, limit, err);
	if (rc == WF_OK)
		rc = wf_sqlite_sweep(s, SQL(SWEEP_KEPT), kept, limit, err);
	return wf_sqlite_end_transaction(s, true, rc, err);
}
