/* SPDX-License-Identifier: Apache-2.0 */
/* The store in PostgreSQL: documents of cases, and their blocks. */
#include "persistence/postgresql/postgresql_priv.h"

static void call(
    struct pg_store *s, enum pg_statement which, uint64_t id, uint32_t version)
{
	wf_pg_call(s, which);
	wf_pg_number(s, id);
	wf_pg_integer(s, version);
}

/* Nobody else adds documents to the case until the transaction ends. */
static void lock(struct pg_store *s, uint64_t number)
{
	wf_pg_call(s, SQL(LOCK_DOCUMENTS));
	wf_pg_number(s, number);
}

static void ask_state(struct pg_store *s, const struct wf_document_row *row)
{
	wf_pg_call(s, SQL(DOCUMENT_STATE));
	wf_pg_part(s, row->number);
	wf_pg_number(s, row->number);
	wf_pg_number(s, row->id);
}

static struct wf_document_state get_state(struct pg_store *s, size_t call)
{
	return (struct wf_document_state){ .has_case = wf_pg_get_number(
							   s, call, 0, 0) != 0,
		.bytes = wf_pg_get_number(s, call, 0, 1),
		.rows = wf_pg_get_number(s, call, 0, 2),
		.last = (uint32_t)wf_pg_get_number(s, call, 0, 3) };
}

enum wf_rc wf_pg_add_document(struct wf_store *store,
    struct wf_document_row *row, uint64_t maximum, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	struct wf_document_state state;
	enum wf_rc rc;

	wf_pg_call(s, SQL(BEGIN));
	lock(s, row->number);
	ask_state(s, row);
	rc = wf_pg_run(s, PG_STAY, err);
	if (rc == WF_OK) {
		state = get_state(s, 2);
		rc = wf_judge_document(&state, row, maximum, err);
	}
	if (rc != WF_OK) {
		wf_pg_roll_back(s);
		return rc;
	}
	wf_pg_call(s, SQL(ADD_DOCUMENT));
	wf_pg_row(s, &wf_layout_document, row);
	wf_pg_call(s, SQL(COMMIT));
	return wf_pg_run(s, PG_COMMIT, err);
}

/*
 * All versions of a document of no case are judged as one of their size, which
 * comes with the other rows.  No version is added to it meanwhile: that would
 * stay without a case.
 */
static enum wf_rc adopt(struct pg_store *s, struct wf_document_row *row,
    uint64_t maximum, struct wf_error *err)
{
	struct wf_document_state state;
	enum wf_rc rc;

	wf_pg_call(s, SQL(BEGIN));
	lock(s, WF_NO_CASE); /* the first lock for all who take two */
	lock(s, row->number);
	ask_state(s, row);
	wf_pg_call(s, SQL(DOCUMENT_SIZE));
	wf_pg_number(s, row->id);
	rc = wf_pg_run(s, PG_STAY, err);
	if (rc == WF_OK) {
		state = get_state(s, 3);
		row->size = wf_pg_get_number(s, 4, 0, 0);
		state.rows += wf_pg_get_number(s, 4, 0, 1);
		rc = wf_judge_document(&state, row, maximum, err);
	}
	if (rc != WF_OK) {
		wf_pg_roll_back(s);
		return rc;
	}
	wf_pg_call(s, SQL(ADOPT_DOCUMENT));
	wf_pg_number(s, row->id);
	wf_pg_number(s, row->number);
	wf_pg_call(s, SQL(COMMIT));
	rc = wf_pg_run(s, PG_COMMIT, err);
	if (rc == WF_OK && wf_pg_written(s, 0) == 0)
		rc = wf_fail_adoption(err, row);
	return rc;
}

enum wf_rc wf_pg_adopt_document(struct wf_store *store, uint64_t id,
    uint64_t number, uint64_t maximum, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	struct wf_arena *arena = wf_arena_new();
	struct wf_document_row row;
	enum wf_rc rc = wf_pg_document(store, id, 0, arena, &row, err);

	row.number = number;
	if (rc == WF_OK)
		rc = adopt(s, &row, maximum, err);
	wf_arena_free(&arena);
	return rc;
}

enum wf_rc wf_pg_document(struct wf_store *store, uint64_t id, uint32_t version,
    struct wf_arena *arena, struct wf_document_row *row_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	call(s, SQL(DOCUMENT), id, version);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK && wf_pg_count(s, 0) == 0)
		return wf_missing(err, "document", id);
	if (rc == WF_OK)
		wf_pg_read(s, 0, 0, 0, &wf_layout_document, row_out, arena);
	return rc;
}

enum wf_rc wf_pg_documents(struct wf_store *store, uint64_t number,
    struct wf_arena *arena, struct wf_document_list *list_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(DOCUMENTS));
	wf_pg_number(s, number);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		list_out->rows = wf_pg_read_all(
		    s, 0, &wf_layout_document, arena, &list_out->count);
	return rc;
}

enum wf_rc wf_pg_put_document_block(struct wf_store *store,
    const struct wf_document_block_row *block, int64_t now,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	struct wf_arena *arena;
	struct wf_document_row row;
	enum wf_rc rc;

	wf_pg_call(s, SQL(PUT_BLOCK));
	wf_pg_row(s, &wf_layout_document_block, block);
	wf_pg_number(s, block->bytes.size);
	wf_pg_number(s, (uint64_t)now);
	rc = wf_pg_run(s, PG_COMMIT, err);
	if (rc != WF_OK || wf_pg_written(s, 0) > 0)
		return rc;
	arena = wf_arena_new();
	rc = wf_pg_document(store, block->id, block->version, arena, &row, err);
	if (rc == WF_OK)
		rc = wf_fail_block(err, &row, block);
	wf_arena_free(&arena);
	return rc;
}

enum wf_rc wf_pg_document_block(struct wf_store *store, uint64_t id,
    uint32_t version, uint64_t place, struct wf_arena *arena,
    struct wf_document_block_row *row_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	call(s, SQL(BLOCK), id, version);
	wf_pg_number(s, place);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK && wf_pg_count(s, 0) == 0)
		return wf_missing(err, "document", id);
	if (rc == WF_OK)
		wf_pg_read(
		    s, 0, 0, 0, &wf_layout_document_block, row_out, arena);
	return rc;
}

enum wf_rc wf_pg_remove_document(
    struct wf_store *store, uint64_t id, uint32_t version, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	call(s, SQL(REMOVE_DOCUMENT), id, version);
	rc = wf_pg_run(s, PG_COMMIT, err);
	if (rc == WF_OK && wf_pg_written(s, 0) == 0)
		return wf_missing(err, "document", id);
	return rc;
}

enum wf_rc wf_pg_sweep_documents(struct wf_store *store, int64_t before,
    int64_t kept, size_t limit, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	wf_pg_call(s, SQL(SWEEP_DOCUMENTS));
	wf_pg_number(s, (uint64_t)before);
	wf_pg_number(s, wf_pg_limit(limit));
	wf_pg_call(s, SQL(SWEEP_KEPT));
	wf_pg_number(s, (uint64_t)kept);
	wf_pg_number(s, wf_pg_limit(limit));
	return wf_pg_run(s, PG_COMMIT, err);
}
