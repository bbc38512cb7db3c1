/* SPDX-License-Identifier: Apache-2.0 */
/* The store in SQLite: history, incidents, specifications and records. */
#include "persistence/sqlite/sqlite_priv.h"

#include <string.h>

/* --- history -------------------------------------------------------------- */

/* Reads rows up to the limits; *more_out: there may be more. */
static enum wf_rc read_history(struct sqlite_store *s, sqlite3_stmt *statement,
    size_t limit, struct wf_arena *arena, struct wf_history_list *list_out,
    bool *more_out, struct wf_error *err)
{
	size_t capacity = 0;
	size_t bytes = 0;
	enum wf_rc rc = WF_OK;
	bool row = true;

	list_out->rows = NULL;
	list_out->count = 0;
	if (statement == NULL)
		return wf_sqlite_why(err);
	while (list_out->count < limit && bytes < WF_HISTORY_BYTES) {
		struct wf_history_row *to;

		rc = wf_sqlite_next(s, statement, &row, err);
		if (rc != WF_OK || !row)
			break;
		list_out->rows = wf_arena_grow(arena, list_out->rows,
		    list_out->count, &capacity, sizeof(*list_out->rows));
		to = &list_out->rows[list_out->count++];
		wf_sqlite_read(statement, 0, &wf_layout_history, to, arena);
		list_out->next = (struct wf_cursor){ .position = to->position,
			.number = to->number,
			.sequence = to->sequence };
		bytes += to->events.size;
	}
	sqlite3_reset(statement);
	*more_out = row;
	return rc;
}

/* A place in the stream; zeros when there is none. */
static enum wf_rc read_cursor(struct sqlite_store *s,
    enum sqlite_statement which, struct wf_cursor *cursor_out,
    struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, which, err);
	enum wf_rc rc;
	bool row;

	memset(cursor_out, 0, sizeof(*cursor_out));
	if (statement == NULL)
		return wf_sqlite_why(err);
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row)
		*cursor_out = (struct wf_cursor){
			.position = wf_sqlite_number(statement, 0),
			.number = wf_sqlite_number(statement, 1),
			.sequence = wf_sqlite_number(statement, 2),
			.retirements = wf_sqlite_number(statement, 3),
		};
	return rc;
}

/* Moves a cursor to the end of the stream, retired rows included. */
static enum wf_rc go_to_end(struct sqlite_store *s,
    const struct wf_cursor *retired, struct wf_cursor *cursor,
    struct wf_error *err)
{
	struct wf_cursor last;
	enum wf_rc rc = read_cursor(s, SQL(STREAM_END), &last, err);

	if (rc == WF_OK && wf_cursor_is_before(cursor, &last))
		*cursor = last;
	if (rc == WF_OK && wf_cursor_is_before(cursor, retired))
		*cursor = *retired;
	return rc;
}

/* "[1,2]" */
static const char *list_keys(
    const struct wf_specification_keys *specifications, struct wf_arena *arena)
{
	struct wf_buffer text;
	const char *copy;

	wf_buffer_init(&text, 1 << 16);
	for (size_t i = 0; i < specifications->count; i++)
		wf_buffer_printf(&text, "%c%lld", i == 0 ? '[' : ',',
		    (long long)specifications->keys[i]);
	wf_buffer_puts(&text, "]");
	copy = wf_arena_strdup(arena, wf_buffer_text(&text));
	wf_buffer_free(&text);
	return copy;
}

static enum wf_rc read_stream(struct sqlite_store *s,
    const struct wf_history_filter *filter, struct wf_arena *arena,
    struct wf_history_list *list_out, bool *more_out, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(STREAM), err);

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, filter->after.position);
		wf_sqlite_bind_number(statement, 2, filter->namespace_id);
		if (filter->specifications.count > 0)
			wf_sqlite_bind_text(statement, 3,
			    list_keys(&filter->specifications, arena));
		wf_sqlite_bind_number(statement, 4, filter->limit);
	}
	list_out->next = filter->after;
	return read_history(
	    s, statement, filter->limit, arena, list_out, more_out, err);
}

enum wf_rc wf_sqlite_history(struct wf_store *store,
    const struct wf_history_filter *filter, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	struct wf_cursor retired;
	struct wf_cursor end;
	bool more = false;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, false, err);

	if (rc != WF_OK)
		return rc;
	rc = read_cursor(s, SQL(RETIRED), &retired, err);
	if (rc == WF_OK)
		rc = wf_check_cursor(&filter->after, &retired, err);
	if (rc == WF_OK)
		rc = read_stream(s, filter, arena, list_out, &more, err);
	end = list_out->next;
	if (rc == WF_OK && !more)
		rc = go_to_end(s, &retired, &end, err);
	/* Not back, if the last steps were erased. */
	if (wf_cursor_is_before(&list_out->next, &end))
		list_out->next = end;
	list_out->next.retirements = retired.retirements;
	return wf_sqlite_end_transaction(s, false, rc, err);
}

enum wf_rc wf_sqlite_history_end(
    struct wf_store *store, struct wf_cursor *cursor_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	struct wf_cursor retired;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, false, err);

	if (rc != WF_OK)
		return rc;
	memset(cursor_out, 0, sizeof(*cursor_out));
	rc = read_cursor(s, SQL(RETIRED), &retired, err);
	if (rc == WF_OK)
		rc = go_to_end(s, &retired, cursor_out, err);
	cursor_out->retirements = retired.retirements;
	return wf_sqlite_end_transaction(s, false, rc, err);
}

enum wf_rc wf_sqlite_case_history(struct wf_store *store, uint64_t number,
    uint64_t after, size_t limit, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(TAIL), err);
	bool more;

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, number);
		wf_sqlite_bind_number(statement, 2, after);
		wf_sqlite_bind_number(statement, 3, limit);
	}
	memset(&list_out->next, 0, sizeof(list_out->next));
	return read_history(s, statement, limit, arena, list_out, &more, err);
}

/* --- retiring ------------------------------------------------------------- */

static enum wf_rc run_for(struct sqlite_store *s,
    const enum sqlite_statement *statements, size_t count, uint64_t number,
    struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < count; i++) {
		sqlite3_stmt *statement =
		    wf_sqlite_start(s, statements[i], err);

		if (statement != NULL)
			wf_sqlite_bind_number(statement, 1, number);
		rc = wf_sqlite_run(s, statement, err);
	}
	return rc;
}

/* A damaged index lists cases that are live or do not exist. */
static enum wf_rc retire_case(
    struct sqlite_store *s, uint64_t number, struct wf_error *err)
{
	static const enum sqlite_statement statements[] = { SQL(RETIRE_MARK),
		SQL(RETIRE_HISTORY), SQL(RETIRE_VALUES), SQL(RETIRE_DOCUMENTS),
		SQL(RETIRE_INVOLVED), SQL(RETIRE_MIGRATED),
		SQL(RETIRE_COMMENTS), SQL(RETIRE_TERMS), SQL(RETIRE_INCIDENTS),
		SQL(RETIRE_SPECIFICATION), SQL(RETIRE_CASE) };
	enum wf_rc rc = run_for(s, statements,
	    sizeof statements / sizeof statements[0], number, err);

	if (rc == WF_OK && sqlite3_changes(s->db) != 1)
		return wf_fail(err, WF_CORRUPT,
		    "case %llu is listed as ended, but is not: \"weft db "
		    "check\" lists the damage",
		    (unsigned long long)number);
	return rc;
}

static enum wf_rc retire(struct sqlite_store *s, int64_t before, size_t limit,
    size_t *count_out, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(RETIRING), err);
	struct wf_arena *arena = wf_arena_new();
	uint64_t *numbers = NULL;
	size_t capacity = 0;
	enum wf_rc rc = statement == NULL ? wf_sqlite_why(err) : WF_OK;
	bool row = true;

	if (statement != NULL) {
		sqlite3_bind_int64(statement, 1, before);
		wf_sqlite_bind_number(statement, 2, limit);
	}
	while (rc == WF_OK && row) {
		rc = wf_sqlite_next(s, statement, &row, err);
		if (rc != WF_OK || !row)
			break;
		numbers = wf_arena_grow(
		    arena, numbers, *count_out, &capacity, sizeof(*numbers));
		numbers[(*count_out)++] = wf_sqlite_number(statement, 0);
	}
	for (size_t i = 0; rc == WF_OK && i < *count_out; i++)
		rc = retire_case(s, numbers[i], err);
	if (rc == WF_OK && *count_out > 0)
		rc = wf_sqlite_run(
		    s, wf_sqlite_start(s, SQL(RETIREMENT), err), err);
	wf_arena_free(&arena);
	return rc;
}

static enum wf_rc retire_incidents(
    struct sqlite_store *s, int64_t before, struct wf_error *err)
{
	sqlite3_stmt *statement =
	    wf_sqlite_start(s, SQL(RETIRE_STRAY_INCIDENTS), err);

	if (statement != NULL)
		sqlite3_bind_int64(statement, 1, before);
	return wf_sqlite_run(s, statement, err);
}

enum wf_rc wf_sqlite_retire(struct wf_store *store, int64_t before,
    size_t limit, size_t *count_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	*count_out = 0;
	if (rc != WF_OK)
		return rc;
	rc = retire(s, before, limit, count_out, err);
	if (rc == WF_OK)
		rc = retire_incidents(s, before, err);
	if (rc == WF_OK)
		rc = wf_sqlite_run(s,
		    wf_sqlite_start(s, SQL(RETIRE_SPECIFICATIONS), err), err);
	return wf_sqlite_end_transaction(s, true, rc, err);
}

/* --- ended cases ---------------------------------------------------------- */

enum wf_rc wf_sqlite_ended(struct wf_store *store,
    const struct wf_ended_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(ENDED_BEFORE), err);

	if (statement == NULL)
		return wf_sqlite_why(err);
	wf_sqlite_bind_number(statement, 1, filter->specification);
	sqlite3_bind_int64(statement, 2, filter->before);
	wf_sqlite_bind_number(statement, 3, filter->namespace_id);
	wf_sqlite_bind_number(statement, 4, filter->limit);
	sqlite3_bind_int64(statement, 5, filter->after);
	wf_sqlite_bind_number(statement, 6, filter->after_number);
	return wf_sqlite_read_cases(s, statement, arena, list_out, err);
}

/* states_out: whether it has ended, whether it is live. */
static enum wf_rc read_states(struct sqlite_store *s, uint64_t number,
    uint64_t states_out[2], struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(IS_ENDED), err);

	if (statement != NULL)
		wf_sqlite_bind_number(statement, 1, number);
	return wf_sqlite_read_numbers(s, statement, states_out, 2, err);
}

enum wf_rc wf_sqlite_retire_cases(struct wf_store *store,
    const uint64_t *numbers, size_t count, size_t *count_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; rc == WF_OK && i < count; i++) {
		uint64_t states[2];

		rc = read_states(s, numbers[i], states, err);
		if (rc != WF_OK || states[0] == 0)
			continue;
		rc = retire_case(s, numbers[i], err);
		(*count_out)++;
	}
	if (rc == WF_OK && *count_out > 0)
		rc = wf_sqlite_run(
		    s, wf_sqlite_start(s, SQL(RETIREMENT), err), err);
	return wf_sqlite_end_transaction(s, true, rc, err);
}

static enum wf_rc erase(struct sqlite_store *s, const struct wf_erased_row *row,
    struct wf_error *err)
{
	static const enum sqlite_statement statements[] = { SQL(RETIRE_HISTORY),
		SQL(RETIRE_VALUES), SQL(RETIRE_DOCUMENTS), SQL(RETIRE_INVOLVED),
		SQL(RETIRE_COMMENTS), SQL(RETIRE_MIGRATED), SQL(RETIRE_TERMS),
		SQL(RETIRE_INCIDENTS), SQL(ERASE_MESSAGES), SQL(ERASE_OUTCOMES),
		SQL(RETIRE_SPECIFICATION), SQL(RETIRE_CASE) };
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(ERASE), err);
	enum wf_rc rc;

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, row->number);
		sqlite3_bind_int64(statement, 2, row->at);
		wf_sqlite_bind_text(statement, 3, row->actor);
		wf_sqlite_bind_text(statement, 4, row->reason);
	}
	rc = wf_sqlite_run(s, statement, err);
	return rc == WF_OK ? run_for(s, statements,
				 sizeof statements / sizeof statements[0],
				 row->number, err)
			   : rc;
}

enum wf_rc wf_sqlite_erase(struct wf_store *store,
    const struct wf_erased_row *row, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	uint64_t states[2] = { 0, 0 };
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	rc = read_states(s, row->number, states, err);
	if (rc == WF_OK && states[0] == 0)
		rc = wf_fail_erase(err, row->number, states[1] != 0);
	if (rc == WF_OK)
		rc = erase(s, row, err);
	return wf_sqlite_end_transaction(s, true, rc, err);
}

enum wf_rc wf_sqlite_erased(struct wf_store *store, uint64_t number,
    struct wf_arena *arena, struct wf_erased_row *row_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(ERASED), err);
	void *rows = NULL;
	size_t count;
	enum wf_rc rc;

	if (statement != NULL)
		wf_sqlite_bind_number(statement, 1, number);
	rc = wf_sqlite_read_all(
	    s, statement, &wf_layout_erased, arena, &rows, &count, err);
	if (rc == WF_OK && count == 0)
		return wf_missing(err, "erased case", number);
	if (rc == WF_OK)
		*row_out = *(struct wf_erased_row *)rows;
	return rc;
}

/* --- incidents ------------------------------------------------------------ */

static enum wf_rc read_open(struct sqlite_store *s, sqlite3_stmt *statement,
    struct wf_arena *arena, struct wf_open_incident *open_out,
    struct wf_error *err)
{
	enum wf_rc rc;
	bool row;

	*open_out = (struct wf_open_incident){ .code = "" };
	if (statement == NULL)
		return wf_sqlite_why(err);
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row) {
		open_out->id = wf_sqlite_number(statement, 0);
		open_out->code = wf_arena_strdup(
		    arena, (const char *)sqlite3_column_text(statement, 1));
	}
	return rc;
}

enum wf_rc wf_sqlite_open_incidents(struct wf_store *store,
    const uint64_t *numbers, size_t count, const char *code,
    struct wf_arena *arena, struct wf_open_incident *open_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < count; i++) {
		sqlite3_stmt *statement = wf_sqlite_start(s,
		    code == NULL ? SQL(OPEN_INCIDENT)
				 : SQL(OPEN_INCIDENT_OF_CODE),
		    err);

		if (statement != NULL)
			wf_sqlite_bind_number(statement, 1, numbers[i]);
		if (statement != NULL && code != NULL)
			wf_sqlite_bind_text(statement, 2, code);
		rc = read_open(s, statement, arena, &open_out[i], err);
	}
	return rc;
}

/* Conditions that are not wanted are left out, so that an index serves. */
static sqlite3_stmt *prepare_incidents(struct sqlite_store *s,
    const struct wf_incident_filter *filter, struct wf_error *err)
{
	sqlite3_stmt *statement;
	struct wf_buffer sql;

	wf_buffer_init(&sql, 1 << 16);
	wf_buffer_printf(&sql, "SELECT %s FROM incident WHERE id > ?1",
	    filter->light ? "{incident-}" : "{incident.key.row}, NULL");
	if (filter->namespace_id != 0)
		wf_buffer_puts(&sql, " AND namespace_id = ?2");
	if (filter->number != 0)
		wf_buffer_puts(&sql, " AND number = ?3");
	if (filter->code != NULL)
		wf_buffer_puts(&sql, " AND code = ?4");
	wf_buffer_puts(&sql, wf_incidents_wanted(filter->which));
	wf_buffer_puts(&sql, " ORDER BY id LIMIT ?5");
	statement = wf_sqlite_keep(s, wf_buffer_text(&sql), err);
	wf_buffer_free(&sql);
	return statement;
}

enum wf_rc wf_sqlite_incidents(struct wf_store *store,
    const struct wf_incident_filter *filter, struct wf_arena *arena,
    struct wf_incident_list *list_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = prepare_incidents(s, filter, err);
	void *rows;
	enum wf_rc rc;

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, filter->after);
		wf_sqlite_bind_number(statement, 2, filter->namespace_id);
		wf_sqlite_bind_number(statement, 3, filter->number);
		if (filter->code != NULL)
			wf_sqlite_bind_text(statement, 4, filter->code);
		wf_sqlite_bind_number(statement, 5, filter->limit);
	}
	rc = wf_sqlite_read_all(s, statement, &wf_layout_incident, arena, &rows,
	    &list_out->count, err);
	list_out->rows = rows;
	return rc;
}

enum wf_rc wf_sqlite_incident(struct wf_store *store, uint64_t id,
    struct wf_arena *arena, struct wf_incident_row *row_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(INCIDENT), err);
	bool found;
	enum wf_rc rc;

	if (statement != NULL)
		wf_sqlite_bind_number(statement, 1, id);
	rc = wf_sqlite_read_one(
	    s, statement, &wf_layout_incident, arena, row_out, &found, err);
	if (rc == WF_OK && !found)
		return wf_missing(err, "incident", id);
	return rc;
}

/* --- specifications ------------------------------------------------------- */

static enum wf_rc read_specification(struct sqlite_store *s,
    uint32_t namespace_id, uint64_t key, struct wf_arena *arena,
    struct wf_specification_row *row_out, bool *found_out, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(SPECIFICATION), err);

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, namespace_id);
		wf_sqlite_bind_number(statement, 2, key);
	}
	return wf_sqlite_read_one(s, statement, &wf_layout_specification, arena,
	    row_out, found_out, err);
}

static enum wf_rc put_specification(struct sqlite_store *s,
    const struct wf_specification_row *row, struct wf_arena *arena,
    struct wf_error *err)
{
	struct wf_specification_row old;
	sqlite3_stmt *statement;
	uint64_t change = 0;
	bool found;
	enum wf_rc rc = wf_sqlite_change_up(s, &change, err);

	if (rc == WF_OK)
		rc = wf_judge_change(row->change, change, err);
	if (rc == WF_OK)
		rc = read_specification(
		    s, row->namespace_id, row->key, arena, &old, &found, err);
	if (rc != WF_OK)
		return rc;
	if (found && (old.source.size != row->source.size ||
			 memcmp(old.source.data, row->source.data,
			     row->source.size) != 0))
		return wf_fail_specification(err, row->key);
	statement = wf_sqlite_start(s, SQL(PUT_SPECIFICATION), err);
	if (statement != NULL) {
		wf_sqlite_bind(
		    statement, &wf_layout_specification, WF_GROUP_ALL, row);
		wf_sqlite_bind_number(
		    statement, (int)wf_layout_specification.count + 1, change);
	}
	return wf_sqlite_run(s, statement, err);
}

enum wf_rc wf_sqlite_put_specification(struct wf_store *store,
    const struct wf_specification_row *row, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	struct wf_arena *arena;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	arena = wf_arena_new();
	rc = put_specification(s, row, arena, err);
	wf_arena_free(&arena);
	return wf_sqlite_end_transaction(s, true, rc, err);
}

enum wf_rc wf_sqlite_specification(struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct wf_arena *arena,
    struct wf_specification_row *row_out, struct wf_error *err)
{
	bool found;
	enum wf_rc rc = read_specification((struct sqlite_store *)store,
	    namespace_id, key, arena, row_out, &found, err);

	if (rc == WF_OK && !found)
		return wf_missing_specification(err, key);
	return rc;
}

/* A statement about a specification. */
static sqlite3_stmt *start_for(struct sqlite_store *s,
    enum sqlite_statement which, uint32_t namespace_id, uint64_t key,
    struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, which, err);

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, namespace_id);
		wf_sqlite_bind_number(statement, 2, key);
	}
	return statement;
}

static enum wf_rc remove_specification(struct sqlite_store *s,
    uint32_t namespace_id, uint64_t key, struct wf_error *err)
{
	sqlite3_stmt *statement;
	uint64_t in_use = 0;
	uint64_t change = 0;
	enum wf_rc rc = wf_sqlite_read_number(
	    s, start_for(s, SQL(IN_USE), namespace_id, key, err), &in_use, err);

	if (rc == WF_OK && in_use != 0)
		return wf_fail_in_use(err, key);
	if (rc == WF_OK)
		rc = wf_sqlite_change_up(s, &change, err);
	if (rc != WF_OK)
		return rc;
	statement =
	    start_for(s, SQL(REMOVE_SPECIFICATION), namespace_id, key, err);
	if (statement != NULL)
		wf_sqlite_bind_number(statement, 3, change);
	rc = wf_sqlite_run(s, statement, err);
	if (rc == WF_OK && sqlite3_changes(s->db) == 0)
		return wf_missing_specification(err, key);
	return rc;
}

enum wf_rc wf_sqlite_remove_specification(struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	rc = remove_specification(s, namespace_id, key, err);
	return wf_sqlite_end_transaction(s, true, rc, err);
}

enum wf_rc wf_sqlite_specifications(struct wf_store *store,
    const struct wf_specification_filter *filter, struct wf_arena *arena,
    struct wf_specification_list *list_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = start_for(s, SQL(SPECIFICATIONS),
	    filter->namespace_id, filter->changed_after, err);
	void *rows;
	enum wf_rc rc;

	if (statement != NULL)
		wf_sqlite_bind_number(statement, 3, filter->removed);
	rc = wf_sqlite_read_all(s, statement, &wf_layout_specification, arena,
	    &rows, &list_out->count, err);
	list_out->rows = rows;
	return rc;
}

/* --- records -------------------------------------------------------------- */

static sqlite3_stmt *start_record(struct sqlite_store *s,
    enum sqlite_statement which, uint32_t namespace_id, const char *kind,
    const char *name, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, which, err);

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, namespace_id);
		wf_sqlite_bind_text(statement, 2, kind);
		wf_sqlite_bind_text(statement, 3, name);
	}
	return statement;
}

static enum wf_rc judge_record(struct sqlite_store *s,
    const struct wf_record_row *row, struct wf_error *err)
{
	uint64_t change = 0;
	enum wf_rc rc;

	if (row->change == 0)
		return WF_OK;
	rc = wf_sqlite_read_number(s,
	    start_record(s, SQL(RECORD_CHANGE), row->namespace_id, row->kind,
		row->name, err),
	    &change, err);
	if (rc == WF_OK &&
	    row->change != (change == 0 ? WF_RECORD_NEW : change))
		rc = wf_fail_changed(err, row);
	return rc;
}

static enum wf_rc put_record(struct sqlite_store *s,
    const struct wf_record_row *row, uint64_t change, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s,
	    row->value.data == NULL ? SQL(REMOVE_RECORD) : SQL(PUT_RECORD),
	    err);

	if (statement != NULL) {
		wf_sqlite_bind(statement, &wf_layout_record, WF_GROUP_ALL, row);
		wf_sqlite_bind_number(
		    statement, (int)wf_layout_record.count + 1, change);
	}
	return wf_sqlite_run(s, statement, err);
}

static enum wf_rc put_records(struct sqlite_store *s,
    const struct wf_record_row *rows, size_t count, uint64_t seen,
    uint64_t *change_out, struct wf_error *err)
{
	sqlite3_stmt *statement;
	enum wf_rc rc = wf_sqlite_change_up(s, change_out, err);

	if (rc == WF_OK)
		rc = wf_judge_change(seen, *change_out, err);
	for (size_t i = 0; rc == WF_OK && i < count; i++)
		rc = judge_record(s, &rows[i], err);
	for (size_t i = 0; rc == WF_OK && i < count; i++)
		rc = put_record(s, &rows[i], *change_out, err);
	if (rc != WF_OK)
		return rc;
	statement = wf_sqlite_start(s, SQL(FORGET_RECORDS), err);
	if (statement != NULL)
		wf_sqlite_bind_number(
		    statement, 1, wf_forgotten_change(*change_out));
	return wf_sqlite_run(s, statement, err);
}

enum wf_rc wf_sqlite_put_records(struct wf_store *store,
    const struct wf_record_row *rows, size_t count, uint64_t seen,
    uint64_t *change_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	rc = put_records(s, rows, count, seen, change_out, err);
	return wf_sqlite_end_transaction(s, true, rc, err);
}

enum wf_rc wf_sqlite_record(struct wf_store *store, uint32_t namespace_id,
    const char *kind, const char *name, struct wf_arena *arena,
    struct wf_record_row *row_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	bool found;
	enum wf_rc rc = wf_sqlite_read_one(s,
	    start_record(s, SQL(RECORD), namespace_id, kind, name, err),
	    &wf_layout_record, arena, row_out, &found, err);

	if (rc == WF_OK && !found)
		return wf_fail_record(err, kind, name);
	return rc;
}

enum wf_rc wf_sqlite_records(struct wf_store *store, const char *kind,
    uint64_t after, struct wf_arena *arena, struct wf_record_list *list_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement;
	void *rows;
	enum wf_rc rc = wf_sqlite_change(store, &list_out->change, err);

	list_out->whole = wf_is_far_behind(after, list_out->change);
	if (rc != WF_OK || after == list_out->change)
		return rc;
	statement = wf_sqlite_start(
	    s, list_out->whole ? SQL(RECORDS) : SQL(CHANGED_RECORDS), err);
	if (statement != NULL) {
		wf_sqlite_bind_text(statement, 1, kind);
		if (!list_out->whole)
			wf_sqlite_bind_number(statement, 2, after);
	}
	rc = wf_sqlite_read_all(s, statement, &wf_layout_record, arena, &rows,
	    &list_out->count, err);
	list_out->rows = rows;
	return rc;
}
