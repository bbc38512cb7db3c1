/* SPDX-License-Identifier: Apache-2.0 */
/* The store in SQLite: what cases are found by. */
#include "persistence/sqlite/sqlite_priv.h"

#include <string.h>

static enum wf_rc read_all_numbers(struct sqlite_store *s,
    sqlite3_stmt *statement, uint64_t *numbers_out, size_t *count_out,
    struct wf_error *err)
{
	enum wf_rc rc;
	bool row;

	if (statement == NULL)
		return wf_sqlite_why(err);
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row)
		numbers_out[(*count_out)++] = wf_sqlite_number(statement, 0);
	return rc;
}

/* Before the first number, in either direction. */
static uint64_t start_of(uint64_t after, bool descending)
{
	return after == 0 && descending ? INT64_MAX : after;
}

enum wf_rc wf_sqlite_find_terms(struct wf_store *store,
    const struct wf_term_range *range, uint64_t after, bool descending,
    size_t limit, uint64_t *numbers_out, size_t *count_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum sqlite_statement which = range->end_field != NULL ? SQL(TERM_RANGE)
				      : descending	       ? SQL(TERM_DOWN)
							       : SQL(TERM_UP);
	sqlite3_stmt *statement = wf_sqlite_start(s, which, err);

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, range->namespace_id);
		wf_sqlite_bind_text(statement, 2, range->field);
		wf_sqlite_bind_text(statement, 3, range->text);
		wf_sqlite_bind_number(statement, 4, limit);
	}
	if (statement != NULL && range->end_field != NULL) {
		wf_sqlite_bind_text(statement, 5, range->end_field);
		wf_sqlite_bind_text(statement, 6, range->end_text);
	} else if (statement != NULL) {
		wf_sqlite_bind_number(
		    statement, 5, start_of(after, descending));
	}
	return read_all_numbers(s, statement, numbers_out, count_out, err);
}

enum wf_rc wf_sqlite_incident_cases(struct wf_store *store, const char *code,
    uint64_t after, bool descending, size_t limit, uint64_t *numbers_out,
    size_t *count_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum sqlite_statement which =
	    code == NULL ? descending ? SQL(INCIDENTS_DOWN) : SQL(INCIDENTS_UP)
	    : descending ? SQL(CODE_DOWN)
			 : SQL(CODE_UP);
	sqlite3_stmt *statement = wf_sqlite_start(s, which, err);

	if (statement != NULL) {
		wf_sqlite_bind_number(
		    statement, 1, start_of(after, descending));
		wf_sqlite_bind_number(statement, 2, limit);
	}
	if (statement != NULL && code != NULL)
		wf_sqlite_bind_text(statement, 3, code);
	return read_all_numbers(s, statement, numbers_out, count_out, err);
}

enum wf_rc wf_sqlite_ended_since(struct wf_store *store, int64_t from,
    size_t limit, uint64_t *numbers_out, size_t *count_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(ENDED_SINCE), err);

	if (statement != NULL) {
		sqlite3_bind_int64(statement, 1, from);
		wf_sqlite_bind_number(statement, 2, limit);
	}
	return read_all_numbers(s, statement, numbers_out, count_out, err);
}

enum wf_rc wf_sqlite_variables(struct wf_store *store, const uint64_t *numbers,
    size_t count, struct wf_arena *arena, struct wf_term_list *list_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	size_t capacity = 0;
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < count; i++) {
		sqlite3_stmt *statement =
		    wf_sqlite_start(s, SQL(VARIABLES), err);
		bool row;

		if (statement == NULL)
			return wf_sqlite_why(err);
		wf_sqlite_bind_number(statement, 1, numbers[i]);
		while (
		    (rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK &&
		    row) {
			list_out->rows = wf_arena_grow(arena, list_out->rows,
			    list_out->count, &capacity,
			    sizeof(list_out->rows[0]));
			wf_sqlite_read(statement, 0, &wf_layout_term,
			    &list_out->rows[list_out->count++], arena);
		}
	}
	return rc;
}

/* A case that ends meanwhile is found among those that have ended. */
static enum wf_rc read_case(struct sqlite_store *s, uint64_t number, bool ended,
    struct wf_arena *arena, struct wf_stored_case *case_out, bool *found_out,
    struct wf_error *err)
{
	sqlite3_stmt *statement =
	    wf_sqlite_start(s, ended ? SQL(ENDED) : SQL(CASE), err);

	if (statement != NULL)
		wf_sqlite_bind_number(statement, 1, number);
	memset(case_out, 0, sizeof(*case_out));
	case_out->ended = ended;
	return wf_sqlite_read_one(s, statement, &wf_layout_case, arena,
	    &case_out->row, found_out, err);
}

enum wf_rc wf_sqlite_numbered_cases(struct wf_store *store,
    const uint64_t *numbers, size_t count, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = WF_OK;

	list_out->rows =
	    wf_arena_array(arena, count, sizeof(list_out->rows[0]));
	for (size_t i = 0; rc == WF_OK && i < count; i++) {
		struct wf_stored_case *to = &list_out->rows[list_out->count];
		bool found = false;

		rc = read_case(s, numbers[i], false, arena, to, &found, err);
		if (rc == WF_OK && !found)
			rc = read_case(
			    s, numbers[i], true, arena, to, &found, err);
		list_out->count += found;
	}
	return rc;
}

/* --- writing -------------------------------------------------------------- */

/* The version that it has; 0: there is no such case. */
static enum wf_rc read_version(struct sqlite_store *s, uint64_t number,
    uint64_t *version_out, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(CASE_VERSION), err);

	if (statement != NULL)
		wf_sqlite_bind_number(statement, 1, number);
	return wf_sqlite_read_number(s, statement, version_out, err);
}

static bool latch(struct sqlite_store *s, uint64_t number)
{
	bool mine;

	if (s->file == NULL)
		return true;
	pthread_mutex_lock(&s->file->latches_lock);
	mine = wf_latch_case(s->file->latches, s, number);
	pthread_mutex_unlock(&s->file->latches_lock);
	return mine;
}

static void release(struct sqlite_store *s)
{
	if (s->file == NULL)
		return;
	pthread_mutex_lock(&s->file->latches_lock);
	wf_latches_release(s->file->latches, s);
	pthread_mutex_unlock(&s->file->latches_lock);
}

static enum wf_rc put_all(struct sqlite_store *s,
    const struct wf_term_row *rows, size_t count, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < count; i++)
		rc = wf_sqlite_add(
		    s, SQL(PUT_TERM), &wf_layout_term, &rows[i], err);
	return rc;
}

enum wf_rc wf_sqlite_put_terms(struct wf_store *store, uint64_t number,
    uint64_t version, const struct wf_term_row *rows, size_t count,
    bool *written_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	uint64_t found = 0;
	enum wf_rc rc;

	if (!latch(s, number))
		return WF_OK;
	/* Whoever notes that it is written syncs it, too. */
	rc = wf_sqlite_begin_unsynced(s, err);
	if (rc == WF_OK) {
		rc = read_version(s, number, &found, err);
		if (rc == WF_OK && found == version)
			rc = put_all(s, rows, count, err);
		rc = wf_sqlite_end_unsynced(s, rc, err);
	}
	release(s);
	*written_out = rc == WF_OK && found == version;
	return rc;
}
