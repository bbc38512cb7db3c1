/* SPDX-License-Identifier: Apache-2.0 */
/* The store in SQLite: statements, parameters, rows and transactions. */
#include "persistence/sqlite/sqlite_priv.h"

#include <string.h>

#include "base/panic.h"

static const char *const texts[] = {
#define WF_SQL(name, sql) sql,
#include "persistence/sqlite/sqlite_statements.def"
#undef WF_SQL
};

enum wf_rc wf_sqlite_fail(
    struct sqlite_store *s, int code, struct wf_error *err)
{
	enum wf_rc rc = WF_IO;

	switch (code & 0xff) {
	case SQLITE_TOOBIG:
		rc = WF_LIMIT;
		break;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		rc = WF_CORRUPT;
		break;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_FULL:
	case SQLITE_IOERR:
	case SQLITE_NOMEM:
	case SQLITE_CANTOPEN:
	case SQLITE_READONLY:
		rc = WF_UNAVAILABLE;
		break;
	}
	return wf_fail(err, rc, "SQLite: %.300s (%d)",
	    s->db == NULL ? sqlite3_errstr(code) : sqlite3_errmsg(s->db), code);
}

/* --- preparing ------------------------------------------------------------ */

static void put_sql(struct wf_buffer *text, const char *from)
{
	struct wf_sql sql = { .text = text, .mark = '?' };
	const char *brace;

	while ((brace = strchr(from, '{')) != NULL) {
		size_t length = strcspn(brace + 1, ".|-+}");
		const struct wf_row_layout *layout =
		    wf_find_layout(wf_layouts, brace + 1, length);
		const char *end = strchr(brace, '}');

		wf_assert(layout != NULL && end != NULL);
		wf_buffer_append(text, from, (size_t)(brace - from));
		wf_sql_put_columns(&sql, layout, brace + 1 + length);
		from = end + 1;
	}
	wf_buffer_puts(text, from);
}

sqlite3_stmt *wf_sqlite_prepare(
    struct sqlite_store *s, const char *text, struct wf_error *err)
{
	sqlite3_stmt *statement = NULL;
	struct wf_buffer sql;
	int code;

	wf_buffer_init(&sql, 1 << 18);
	put_sql(&sql, text);
	code = sqlite3_prepare_v2(
	    s->db, wf_buffer_text(&sql), -1, &statement, NULL);
	wf_buffer_free(&sql);
	if (code != SQLITE_OK) {
		(void)wf_sqlite_fail(s, code, err);
		return NULL;
	}
	return statement;
}

static void drop_kept(struct sqlite_kept *kept)
{
	sqlite3_finalize(kept->statement);
	wf_free(kept->text);
	memset(kept, 0, sizeof(*kept));
}

void wf_sqlite_drop_kept(struct sqlite_store *s)
{
	for (size_t i = 0; i < SQLITE_KEPT; i++)
		drop_kept(&s->kept[i]);
}

sqlite3_stmt *wf_sqlite_keep(
    struct sqlite_store *s, const char *text, struct wf_error *err)
{
	struct sqlite_kept found = { NULL, NULL };
	size_t at = 0;

	while (at < SQLITE_KEPT - 1 && s->kept[at].text != NULL &&
	       strcmp(s->kept[at].text, text) != 0)
		at++;
	if (s->kept[at].text != NULL && strcmp(s->kept[at].text, text) == 0) {
		found = s->kept[at];
		sqlite3_clear_bindings(found.statement);
	} else {
		found.statement = wf_sqlite_prepare(s, text, err);
		if (found.statement == NULL)
			return NULL;
		found.text = wf_strdup(text);
		drop_kept(&s->kept[at]);
	}
	memmove(&s->kept[1], &s->kept[0], at * sizeof(s->kept[0]));
	s->kept[0] = found;
	return found.statement;
}

sqlite3_stmt *wf_sqlite_start(
    struct sqlite_store *s, enum sqlite_statement which, struct wf_error *err)
{
	if (s->statements[which] == NULL)
		s->statements[which] = wf_sqlite_prepare(s, texts[which], err);
	if (s->statements[which] != NULL)
		sqlite3_clear_bindings(s->statements[which]);
	return s->statements[which];
}

/* --- parameters ----------------------------------------------------------- */

void wf_sqlite_bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	sqlite3_bind_text(statement, at, wf_text(text), -1, SQLITE_STATIC);
}

void wf_sqlite_bind_number(sqlite3_stmt *statement, int at, uint64_t number)
{
	sqlite3_bind_int64(statement, at, (sqlite3_int64)number);
}

static void bind_bytes(
    sqlite3_stmt *statement, int at, const struct wf_bytes *bytes)
{
	if (bytes->data != NULL)
		sqlite3_bind_blob64(
		    statement, at, bytes->data, bytes->size, SQLITE_STATIC);
}

void wf_sqlite_bind(sqlite3_stmt *statement, const struct wf_row_layout *layout,
    unsigned groups, const void *row)
{
	int count = sqlite3_bind_parameter_count(statement);

	for (size_t i = 0; i < layout->count && (int)i < count; i++) {
		const void *field =
		    (const char *)row + layout->columns[i].offset;
		int at = (int)i + 1;

		if ((layout->columns[i].group & groups) == 0)
			continue;
		switch (layout->columns[i].type) {
		case WF_COLUMN_U64:
			wf_sqlite_bind_number(
			    statement, at, *(const uint64_t *)field);
			break;
		case WF_COLUMN_U32:
			wf_sqlite_bind_number(
			    statement, at, *(const uint32_t *)field);
			break;
		case WF_COLUMN_I64:
			sqlite3_bind_int64(
			    statement, at, *(const int64_t *)field);
			break;
		case WF_COLUMN_BOOL:
			sqlite3_bind_int(statement, at, *(const bool *)field);
			break;
		case WF_COLUMN_TEXT:
			wf_sqlite_bind_text(
			    statement, at, *(const char *const *)field);
			break;
		case WF_COLUMN_BYTES:
			bind_bytes(statement, at, field);
			break;
		}
	}
}

/* --- rows ----------------------------------------------------------------- */

uint64_t wf_sqlite_number(sqlite3_stmt *statement, int at)
{
	return (uint64_t)sqlite3_column_int64(statement, at);
}

int64_t wf_sqlite_time(sqlite3_stmt *statement, int at)
{
	return sqlite3_column_type(statement, at) == SQLITE_NULL
		   ? INT64_MAX
		   : sqlite3_column_int64(statement, at);
}

struct wf_bytes wf_sqlite_bytes(
    sqlite3_stmt *statement, int at, struct wf_arena *arena)
{
	struct wf_bytes bytes = { NULL, 0 };
	const void *data;

	if (sqlite3_column_type(statement, at) == SQLITE_NULL)
		return bytes;
	data = sqlite3_column_blob(statement, at);
	bytes.size = (size_t)sqlite3_column_bytes(statement, at);
	bytes.data =
	    wf_arena_strndup(arena, bytes.size == 0 ? "" : data, bytes.size);
	return bytes;
}

static const char *text_of(
    sqlite3_stmt *statement, int at, struct wf_arena *arena)
{
	const unsigned char *text = sqlite3_column_text(statement, at);

	return text == NULL ? "" : wf_arena_strdup(arena, (const char *)text);
}

void wf_sqlite_read(sqlite3_stmt *statement, int first,
    const struct wf_row_layout *layout, void *row_out, struct wf_arena *arena)
{
	/* A column that is missing would be read as 0. */
	wf_assert(
	    first + (int)layout->count <= sqlite3_column_count(statement));
	for (size_t i = 0; i < layout->count; i++) {
		void *field = (char *)row_out + layout->columns[i].offset;
		int at = first + (int)i;

		switch (layout->columns[i].type) {
		case WF_COLUMN_U64:
			*(uint64_t *)field = wf_sqlite_number(statement, at);
			break;
		case WF_COLUMN_U32:
			*(uint32_t *)field =
			    (uint32_t)wf_sqlite_number(statement, at);
			break;
		case WF_COLUMN_I64:
			*(int64_t *)field = sqlite3_column_int64(statement, at);
			break;
		case WF_COLUMN_BOOL:
			*(bool *)field = sqlite3_column_int(statement, at) != 0;
			break;
		case WF_COLUMN_TEXT:
			*(const char **)field = text_of(statement, at, arena);
			break;
		case WF_COLUMN_BYTES:
			*(struct wf_bytes *)field =
			    wf_sqlite_bytes(statement, at, arena);
			break;
		}
	}
}

/* --- doing ---------------------------------------------------------------- */

enum wf_rc wf_sqlite_next(struct sqlite_store *s, sqlite3_stmt *statement,
    bool *row_out, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;
	int code;

	*row_out = false;
	if (!sqlite3_stmt_busy(statement))
		rc = wf_statement(&s->store, err);
	if (rc != WF_OK)
		return rc;
	code = sqlite3_step(statement);
	*row_out = code == SQLITE_ROW;
	if (code == SQLITE_ROW)
		return WF_OK;
	if (code != SQLITE_DONE && (code & 0xff) != SQLITE_CONSTRAINT)
		rc = wf_sqlite_fail(s, code, err);
	else if (code != SQLITE_DONE)
		rc = WF_CONFLICT;
	sqlite3_reset(statement);
	return wf_statement_end(&s->store, false, rc, err);
}

enum wf_rc wf_sqlite_run(
    struct sqlite_store *s, sqlite3_stmt *statement, struct wf_error *err)
{
	enum wf_rc rc;
	bool row;

	if (statement == NULL)
		return wf_sqlite_why(err);
	do
		rc = wf_sqlite_next(s, statement, &row, err);
	while (rc == WF_OK && row);
	return rc;
}

enum wf_rc wf_sqlite_read_all(struct sqlite_store *s, sqlite3_stmt *statement,
    const struct wf_row_layout *layout, struct wf_arena *arena, void **rows_out,
    size_t *count_out, struct wf_error *err)
{
	char *rows = NULL;
	size_t capacity = 0;
	size_t count = 0;
	enum wf_rc rc;
	bool row;

	*rows_out = NULL;
	*count_out = 0;
	if (statement == NULL)
		return wf_sqlite_why(err);
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row) {
		rows =
		    wf_arena_grow(arena, rows, count, &capacity, layout->size);
		wf_sqlite_read(
		    statement, 0, layout, rows + count * layout->size, arena);
		count++;
	}
	*rows_out = rows;
	*count_out = count;
	return rc;
}

enum wf_rc wf_sqlite_add(struct sqlite_store *s, enum sqlite_statement which,
    const struct wf_row_layout *layout, const void *row, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, which, err);

	if (statement != NULL)
		wf_sqlite_bind(statement, layout, WF_GROUP_ALL, row);
	return wf_sqlite_run(s, statement, err);
}

enum wf_rc wf_sqlite_sweep(struct sqlite_store *s, enum sqlite_statement which,
    int64_t before, size_t limit, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, which, err);

	if (statement != NULL) {
		sqlite3_bind_int64(statement, 1, before);
		wf_sqlite_bind_number(statement, 2, limit);
	}
	return wf_sqlite_run(s, statement, err);
}

enum wf_rc wf_sqlite_read_one(struct sqlite_store *s, sqlite3_stmt *statement,
    const struct wf_row_layout *layout, struct wf_arena *arena, void *row_out,
    bool *found_out, struct wf_error *err)
{
	enum wf_rc rc;
	bool row;

	*found_out = false;
	if (statement == NULL)
		return wf_sqlite_why(err);
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row) {
		wf_sqlite_read(statement, 0, layout, row_out, arena);
		*found_out = true;
	}
	return rc;
}

enum wf_rc wf_sqlite_read_numbers(struct sqlite_store *s,
    sqlite3_stmt *statement, uint64_t *numbers_out, int count,
    struct wf_error *err)
{
	enum wf_rc rc;
	bool row;

	memset(numbers_out, 0, (size_t)count * sizeof(*numbers_out));
	if (statement == NULL)
		return wf_sqlite_why(err);
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row)
		for (int i = 0; i < count; i++)
			numbers_out[i] = wf_sqlite_number(statement, i);
	return rc;
}

enum wf_rc wf_sqlite_read_number(struct sqlite_store *s,
    sqlite3_stmt *statement, uint64_t *number_out, struct wf_error *err)
{
	return wf_sqlite_read_numbers(s, statement, number_out, 1, err);
}

/* --- transactions --------------------------------------------------------- */

enum wf_rc wf_sqlite_check_name(struct sqlite_store *s, struct wf_error *err)
{
	int moved = 0;

	(void)sqlite3_file_control(
	    s->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
	return moved != 0 ? wf_fail(err, WF_UNAVAILABLE,
				"%.200s was moved, removed or replaced",
				sqlite3_db_filename(s->db, "main"))
			  : WF_OK;
}

enum wf_rc wf_sqlite_begin_transaction(
    struct sqlite_store *s, bool write, struct wf_error *err)
{
	enum sqlite_statement which = write ? SQL(BEGIN) : SQL(BEGIN_READ);
	enum wf_rc rc;

	if (write && s->file != NULL)
		pthread_mutex_lock(&s->file->writing);
	rc = wf_sqlite_run(s, wf_sqlite_start(s, which, err), err);
	if (rc == WF_OK && write)
		rc = wf_sqlite_check_name(s, err);
	if (rc == WF_OK && write)
		rc = wf_sqlite_secure_log(s, err);
	if (rc != WF_OK)
		return wf_sqlite_end_transaction(s, write, rc, err);
	return WF_OK;
}

static void roll_back(struct sqlite_store *s)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(ROLLBACK), NULL);

	/* Some failures have rolled back already. */
	if (statement == NULL || sqlite3_get_autocommit(s->db))
		return;
	sqlite3_step(statement);
	sqlite3_reset(statement);
}

/*
 * After a failure nothing is done, except for WF_LOST: pages that could not be
 * synced may be found after a crash, and so may synced ones whose index could
 * not be written.
 */
static enum wf_rc commit(
    struct sqlite_store *s, bool write, struct wf_error *err)
{
	enum sqlite_statement which = write ? SQL(COMMIT) : SQL(END_READ);
	sqlite3_stmt *statement = wf_sqlite_start(s, which, err);
	enum wf_rc rc;
	int code;

	if (statement == NULL)
		return wf_sqlite_why(err);
	rc = wf_statement(&s->store, err);
	if (rc != WF_OK)
		return rc;
	/* SQLite rolls back by itself only when a statement fails. */
	wf_assert(!sqlite3_get_autocommit(s->db));
	code = sqlite3_step(statement);
	if (write && (code & 0xff) == SQLITE_IOERR) {
		rc = wf_fail(err, WF_LOST, "SQLite: %.300s at the commit (%d)",
		    sqlite3_errmsg(s->db), code);
		wf_sqlite_doubt_log(s);
	} else if (code != SQLITE_DONE) {
		rc = wf_sqlite_fail(s, code, err);
	}
	sqlite3_reset(statement);
	return wf_statement_end(&s->store, write, rc, err);
}

enum wf_rc wf_sqlite_end_transaction(
    struct sqlite_store *s, bool write, enum wf_rc rc, struct wf_error *err)
{
	if (rc == WF_OK)
		rc = commit(s, write, err);
	if (rc != WF_OK)
		roll_back(s);
	wf_assert(sqlite3_get_autocommit(s->db));
	if (write && s->file != NULL)
		pthread_mutex_unlock(&s->file->writing);
	return rc;
}
