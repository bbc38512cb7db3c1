/* SPDX-License-Identifier: Apache-2.0 */
/* The store in SQLite: cases and items as they are listed, and leases. */
#include "persistence/sqlite/sqlite_priv.h"

#include <string.h>

/* --- cases ---------------------------------------------------------------- */

enum wf_rc wf_sqlite_find(struct wf_store *store, uint32_t namespace_id,
    const char *const *names, size_t count, uint64_t *numbers_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < count; i++) {
		sqlite3_stmt *statement = wf_sqlite_start(s, SQL(NAME), err);

		if (statement != NULL) {
			wf_sqlite_bind_number(statement, 1, namespace_id);
			wf_sqlite_bind_text(statement, 2, names[i]);
		}
		rc = wf_sqlite_read_number(s, statement, &numbers_out[i], err);
	}
	return rc;
}

static enum wf_rc read_case(struct sqlite_store *s, bool ended,
    struct wf_arena *arena, struct wf_stored_case *case_out, bool *found_out,
    struct wf_error *err)
{
	sqlite3_stmt *statement =
	    wf_sqlite_start(s, ended ? SQL(ENDED) : SQL(CASE), err);

	if (statement != NULL)
		wf_sqlite_bind_number(statement, 1, case_out->row.number);
	case_out->ended = ended;
	return wf_sqlite_read_one(s, statement, &wf_layout_case, arena,
	    &case_out->row, found_out, err);
}

enum wf_rc wf_sqlite_stored_case(struct wf_store *store, uint64_t number,
    bool state, struct wf_arena *arena, struct wf_stored_case *case_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	bool found = false;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, false, err);

	if (rc != WF_OK)
		return rc;
	memset(case_out, 0, sizeof(*case_out));
	case_out->row.number = number;
	rc = read_case(s, false, arena, case_out, &found, err);
	if (rc == WF_OK && !found)
		rc = read_case(s, true, arena, case_out, &found, err);
	if (rc == WF_OK && !found)
		rc = wf_missing(err, "case", number);
	if (rc == WF_OK && state)
		rc = wf_sqlite_load(s, arena, case_out, err);
	return wf_sqlite_end_transaction(s, false, rc, err);
}

/* The parameter that is the first key. */
#define CASE_KEYS 5

/*
 * Cases of one specification after the other, which the database merges by
 * number as far as the page goes: so a page costs no more than its rows,
 * however many cases there are.
 */
static void put_cases(struct wf_buffer *sql,
    const struct wf_case_filter *filter, const char *from, int ended)
{
	size_t i = 0;

	do {
		wf_buffer_printf(sql,
		    "%sSELECT %d AS ended, {case} FROM %s WHERE 1",
		    sql->length > 0 ? " UNION ALL " : "", ended, from);
		if (filter->namespace_id != 0)
			wf_buffer_puts(sql, " AND namespace_id = ?1");
		if (filter->specifications.count > 0)
			wf_buffer_printf(
			    sql, " AND specification = ?%zu", CASE_KEYS + i);
		if (filter->after != 0)
			wf_buffer_printf(sql, " AND number %c ?3",
			    filter->descending ? '<' : '>');
	} while (++i < filter->specifications.count);
}

static void bind_keys(sqlite3_stmt *statement, int first,
    const struct wf_specification_keys *specifications)
{
	for (size_t i = 0; i < specifications->count; i++)
		wf_sqlite_bind_number(
		    statement, first + (int)i, specifications->keys[i]);
}

static sqlite3_stmt *prepare_cases(struct sqlite_store *s,
    const struct wf_case_filter *filter, struct wf_error *err)
{
	bool both = filter->live == filter->ended;
	sqlite3_stmt *statement;
	struct wf_buffer sql;

	wf_buffer_init(&sql, 1 << 18);
	if (both || filter->live)
		put_cases(&sql, filter, "cases", 0);
	if (both || filter->ended)
		put_cases(&sql, filter, "ended", 1);
	wf_buffer_printf(&sql, " ORDER BY number %s LIMIT ?4",
	    filter->descending ? "DESC" : "");
	statement = wf_sqlite_keep(s, wf_buffer_text(&sql), err);
	wf_buffer_free(&sql);
	if (statement == NULL)
		return NULL;
	wf_sqlite_bind_number(statement, 1, filter->namespace_id);
	wf_sqlite_bind_number(statement, 3, filter->after);
	wf_sqlite_bind_number(statement, 4, filter->limit);
	bind_keys(statement, CASE_KEYS, &filter->specifications);
	return statement;
}

enum wf_rc wf_sqlite_cases(struct wf_store *store,
    const struct wf_case_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = prepare_cases(s, filter, err);

	if (statement == NULL)
		return wf_sqlite_why(err);
	return wf_sqlite_read_cases(s, statement, arena, list_out, err);
}

enum wf_rc wf_sqlite_read_cases(struct sqlite_store *s, sqlite3_stmt *statement,
    struct wf_arena *arena, struct wf_case_list *list_out, struct wf_error *err)
{
	size_t capacity = 0;
	enum wf_rc rc;
	bool row;

	memset(list_out, 0, sizeof(*list_out));
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row) {
		struct wf_stored_case *to;

		list_out->rows = wf_arena_grow(arena, list_out->rows,
		    list_out->count, &capacity, sizeof(*list_out->rows));
		to = &list_out->rows[list_out->count++];
		memset(to, 0, sizeof(*to));
		to->ended = sqlite3_column_int(statement, 0) != 0;
		wf_sqlite_read(statement, 1, &wf_layout_case, &to->row, arena);
	}
	return rc;
}

/* --- items ---------------------------------------------------------------- */

/* The parameter that is the first key. */
#define ITEM_KEYS 9

static void put_item_filter(
    struct wf_buffer *sql, const struct wf_item_filter *filter)
{
	if (filter->namespace_id != 0)
		wf_buffer_puts(sql, " AND namespace_id = ?1");
	if (filter->number != 0)
		wf_buffer_puts(sql, " AND number = ?2");
	if (filter->task != NULL)
		wf_buffer_puts(sql, " AND task = ?3");
	if (filter->service != NULL)
		wf_buffer_puts(sql, " AND service = ?4");
	if (filter->statuses != 0)
		wf_buffer_puts(sql, " AND (?5 >> status) & 1");
	if (filter->leased)
		wf_buffer_puts(sql, " AND lease_until > 0 AND started_at > 0");
	if (filter->enabled_before != 0)
		wf_buffer_printf(sql, " AND enabled_at < %lld",
		    (long long)filter->enabled_before);
}

/*
 * Items of specifications are found by their cases, and merged as those are.
 */
static void put_items(
    struct wf_buffer *sql, const struct wf_item_filter *filter)
{
	size_t i = 0;

	do {
		if (filter->specifications.count == 0)
			wf_buffer_puts(sql,
			    "SELECT {item-}, number AS of FROM item WHERE 1");
		else
			wf_buffer_printf(sql,
			    "%sSELECT {item-}, of FROM (SELECT number AS of"
			    " FROM cases WHERE specification = ?%zu"
			    " AND number >= ?7) CROSS JOIN item"
			    " ON number = of WHERE 1",
			    i > 0 ? " UNION ALL " : "", ITEM_KEYS + i);
		put_item_filter(sql, filter);
		wf_buffer_puts(sql, " AND (number, id) > (?7, ?8)");
	} while (++i < filter->specifications.count);
	wf_buffer_puts(sql, " ORDER BY of, id LIMIT ?6");
}

/* Frees sql. */
static sqlite3_stmt *prepare_items(struct sqlite_store *s,
    struct wf_buffer *sql, const struct wf_item_filter *filter,
    struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_keep(s, wf_buffer_text(sql), err);

	wf_buffer_free(sql);
	if (statement == NULL)
		return NULL;
	wf_sqlite_bind_number(statement, 1, filter->namespace_id);
	wf_sqlite_bind_number(statement, 2, filter->number);
	wf_sqlite_bind_text(statement, 3, filter->task);
	wf_sqlite_bind_text(statement, 4, filter->service);
	wf_sqlite_bind_number(statement, 5, filter->statuses);
	wf_sqlite_bind_number(statement, 6, filter->limit);
	bind_keys(statement, ITEM_KEYS, &filter->specifications);
	return statement;
}

static enum wf_rc read_items(struct sqlite_store *s, sqlite3_stmt *statement,
    struct wf_arena *arena, struct wf_item_list *list_out, struct wf_error *err)
{
	void *rows;
	enum wf_rc rc = wf_sqlite_read_all(
	    s, statement, &wf_layout_item, arena, &rows, &list_out->count, err);

	list_out->rows = rows;
	return rc;
}

enum wf_rc wf_sqlite_items(struct wf_store *store,
    const struct wf_item_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement;
	struct wf_buffer sql;

	wf_buffer_init(&sql, 1 << 18);
	put_items(&sql, filter);
	statement = prepare_items(s, &sql, filter, err);
	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 7, filter->after_number);
		wf_sqlite_bind_text(statement, 8, filter->after_id);
	}
	return read_items(s, statement, arena, list_out, err);
}

/* --- leases --------------------------------------------------------------- */

static enum wf_rc lease_item(struct sqlite_store *s, struct wf_item_row *row,
    const char *owner, int64_t until, struct wf_arena *arena,
    struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(CLAIM_ITEM), err);

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, row->number);
		wf_sqlite_bind_text(statement, 2, row->id);
		wf_sqlite_bind_text(statement, 3, owner);
		sqlite3_bind_int64(statement, 4, until);
	}
	row->lease_owner = wf_arena_strdup(arena, owner);
	row->lease_until = until;
	row->fence++;
	row->attempt++;
	return wf_sqlite_run(s, statement, err);
}

/* The first free items among those that have the condition, by the index. */
static void put_free(struct wf_buffer *sql, const struct wf_item_filter *filter,
    const char *since, const char *condition, const char *order)
{
	wf_buffer_printf(sql,
	    "SELECT * FROM (SELECT {item-}, %s AS since FROM item"
	    " WHERE lease_until = 0 AND %s",
	    since, condition);
	put_item_filter(sql, filter);
	wf_buffer_printf(sql, " ORDER BY %s, number, id LIMIT ?6)", order);
}

/* Items that were never put off, and those that were until now, merged. */
static enum wf_rc read_free(struct sqlite_store *s,
    const struct wf_item_filter *filter, int64_t now, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err)
{
	sqlite3_stmt *statement;
	struct wf_buffer sql;

	wf_buffer_init(&sql, 1 << 18);
	put_free(&sql, filter, "enabled_at", "not_before = 0", "enabled_at");
	wf_buffer_puts(&sql, " UNION ALL ");
	put_free(&sql, filter, "not_before", "not_before BETWEEN 1 AND ?7",
	    "not_before, enabled_at");
	wf_buffer_puts(
	    &sql, " ORDER BY since, enabled_at, number, id LIMIT ?6");
	statement = prepare_items(s, &sql, filter, err);
	if (statement != NULL)
		sqlite3_bind_int64(statement, 7, now);
	return read_items(s, statement, arena, list_out, err);
}

enum wf_rc wf_sqlite_claim_items(struct wf_store *store,
    const struct wf_item_filter *filter, const char *owner, int64_t now,
    int64_t until, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_unsynced(s, err);

	if (rc != WF_OK)
		return rc;
	rc = read_free(s, filter, now, arena, list_out, err);
	for (size_t i = 0; rc == WF_OK && i < list_out->count; i++)
		rc =
		    lease_item(s, &list_out->rows[i], owner, until, arena, err);
	return wf_sqlite_end_unsynced(s, rc, err);
}

/* Why a lease could not be changed: no such item, or another lease. */
/* WF_NOT_FOUND: there is no such item. */
static enum wf_rc find_item(struct sqlite_store *s, uint64_t number,
    const char *id, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(IS_ITEM), err);
	uint64_t found;
	enum wf_rc rc;

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, number);
		wf_sqlite_bind_text(statement, 2, id);
	}
	rc = wf_sqlite_read_number(s, statement, &found, err);
	return rc == WF_OK && found == 0 ? wf_fail_item(err, id) : rc;
}

struct lease {
	uint64_t number;
	const char *id;
	const char *owner;
	uint64_t fence;
};

static enum wf_rc change_lease(struct sqlite_store *s,
    enum sqlite_statement which, const struct lease *lease, int64_t time,
    struct wf_error *err)
{
	sqlite3_stmt *statement;
	enum wf_rc rc = wf_sqlite_begin_unsynced(s, err);
	bool is_refused;

	if (rc != WF_OK)
		return rc;
	statement = wf_sqlite_start(s, which, err);
	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, lease->number);
		wf_sqlite_bind_text(statement, 2, lease->id);
		wf_sqlite_bind_text(statement, 3, lease->owner);
		wf_sqlite_bind_number(statement, 4, lease->fence);
		sqlite3_bind_int64(statement, 5, time);
	}
	rc = wf_sqlite_run(s, statement, err);
	is_refused = rc == WF_OK && sqlite3_changes(s->db) == 0;
	if (is_refused)
		rc = find_item(s, lease->number, lease->id, err);
	if (rc == WF_OK && is_refused)
		rc = wf_fail_lease(err, lease->id);
	return wf_sqlite_end_unsynced(s, rc, err);
}

enum wf_rc wf_sqlite_heartbeat(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t until,
    struct wf_error *err)
{
	struct lease lease = { number, id, owner, fence };

	return change_lease(
	    (struct sqlite_store *)store, SQL(HEARTBEAT), &lease, until, err);
}

enum wf_rc wf_sqlite_release(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t not_before,
    struct wf_error *err)
{
	struct lease lease = { number, id, owner, fence };

	return change_lease((struct sqlite_store *)store, SQL(RELEASE), &lease,
	    not_before, err);
}

enum wf_rc wf_sqlite_draft(struct wf_store *store, uint64_t number,
    const char *id, struct wf_arena *arena, struct wf_bytes *draft_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(DRAFT), err);
	enum wf_rc rc;
	bool found;

	if (statement == NULL)
		return wf_sqlite_why(err);
	wf_sqlite_bind_number(statement, 1, number);
	wf_sqlite_bind_text(statement, 2, id);
	rc = wf_sqlite_next(s, statement, &found, err);
	if (rc != WF_OK)
		return rc;
	if (!found)
		return wf_fail_item(err, id);
	*draft_out = wf_sqlite_bytes(statement, 0, arena);
	sqlite3_reset(statement);
	return wf_statement_end(&s->store, false, WF_OK, err);
}

/* No data: NULL. */
static void bind_bytes(
    sqlite3_stmt *statement, int at, const struct wf_bytes *bytes)
{
	if (bytes->data != NULL)
		sqlite3_bind_blob64(
		    statement, at, bytes->data, bytes->size, SQLITE_STATIC);
}

enum wf_rc wf_sqlite_put_draft(struct wf_store *store,
    const struct wf_draft_write *write, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	statement = wf_sqlite_start(s, SQL(PUT_DRAFT), err);
	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, write->number);
		wf_sqlite_bind_text(statement, 2, write->id);
		bind_bytes(statement, 3, &write->draft);
		if (write->queue != NULL)
			wf_sqlite_bind_text(statement, 4, write->queue);
		wf_sqlite_bind_number(statement, 5, write->expected == NULL);
		if (write->expected != NULL)
			bind_bytes(statement, 6, write->expected);
	}
	rc = wf_sqlite_run(s, statement, err);
	if (rc == WF_OK && sqlite3_changes(s->db) == 0) {
		rc = find_item(s, write->number, write->id, err);
		if (rc == WF_OK)
			rc = wf_fail_draft(err, write->id);
	}
	return wf_sqlite_end_transaction(s, true, rc, err);
}

enum wf_rc wf_sqlite_expired_items(struct wf_store *store, int64_t now,
    size_t limit, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(EXPIRED_ITEMS), err);

	if (statement != NULL) {
		sqlite3_bind_int64(statement, 1, now);
		wf_sqlite_bind_number(statement, 2, limit);
	}
	return read_items(s, statement, arena, list_out, err);
}

enum wf_rc wf_sqlite_note_attempts(struct wf_store *store,
    const struct wf_item_row *rows, size_t count, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_unsynced(s, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; rc == WF_OK && i < count; i++) {
		sqlite3_stmt *statement =
		    wf_sqlite_start(s, SQL(NOTE_ATTEMPT), err);

		if (statement != NULL) {
			wf_sqlite_bind_number(statement, 1, rows[i].number);
			wf_sqlite_bind_text(statement, 2, rows[i].id);
			wf_sqlite_bind_number(statement, 3, rows[i].attempt);
			sqlite3_bind_int64(statement, 4, rows[i].not_before);
			wf_sqlite_bind_text(
			    statement, 5, wf_text(rows[i].last_answer));
		}
		rc = wf_sqlite_run(s, statement, err);
	}
	return wf_sqlite_end_unsynced(s, rc, err);
}
