/* SPDX-License-Identifier: Apache-2.0 */
/* The store in SQLite: opening, migrations, its table of functions. */
#include "persistence/sqlite/sqlite_priv.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/panic.h"
#include "persistence/migrations.h"

/* "Weft": marks the file as ours. */
#define APPLICATION_ID 0x57656674
#define BUSY_MILLISECONDS 10000

/* --- opening -------------------------------------------------------------- */

static void sqlite_close(struct wf_store *store)
{
	struct sqlite_store *s = (struct sqlite_store *)store;

	for (size_t i = 0; i < SQLITE_STATEMENTS; i++)
		sqlite3_finalize(s->statements[i]);
	wf_sqlite_drop_kept(s);
	wf_sqlite_leave_log(s);
	sqlite3_close(s->db);
	wf_sqlite_file_close(&s->file);
	wf_free(s->exposed);
	wf_free(s);
}

static enum wf_rc execute(
    struct sqlite_store *s, const char *sql, struct wf_error *err)
{
	int code = sqlite3_exec(s->db, sql, NULL, NULL, NULL);

	return code == SQLITE_OK ? WF_OK : wf_sqlite_fail(s, code, err);
}

static enum wf_rc ask_number(struct sqlite_store *s, const char *sql,
    uint64_t *number_out, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_prepare(s, sql, err);
	enum wf_rc rc = wf_sqlite_read_number(s, statement, number_out, err);

	sqlite3_finalize(statement);
	return rc;
}

static enum wf_rc make_identity(struct sqlite_store *s, struct wf_error *err)
{
	char identity[33];
	struct wf_buffer sql;
	enum wf_rc rc = wf_make_identity(identity, err);

	if (rc != WF_OK)
		return rc;
	wf_buffer_init(&sql, 4096);
	wf_buffer_printf(&sql,
	    "INSERT INTO store (name, value) VALUES ('identity', '%s');"
	    "PRAGMA application_id = %d;",
	    identity, APPLICATION_ID);
	rc = execute(s, wf_buffer_text(&sql), err);
	wf_buffer_free(&sql);
	return rc;
}

/* Brings the tables from version number - 1 to number. */
static enum wf_rc migrate_to(
    struct sqlite_store *s, uint32_t number, struct wf_error *err)
{
	struct wf_buffer sql;
	const struct wf_migration *migration = wf_migration("sqlite", number);
	enum wf_rc rc;

	wf_assert(migration != NULL);
	rc = execute(s, migration->sql, err);

	if (rc == WF_OK && number == 1)
		rc = make_identity(s, err);
	if (rc != WF_OK)
		return rc;
	wf_buffer_init(&sql, 4096);
	wf_buffer_printf(&sql, "PRAGMA user_version = %u", number);
	rc = execute(s, wf_buffer_text(&sql), err);
	wf_buffer_free(&sql);
	return rc;
}

static enum wf_rc check_version(struct sqlite_store *s, unsigned flags,
    uint64_t *version_out, struct wf_error *err)
{
	uint64_t application = 0;
	uint64_t tables = 0;
	enum wf_rc rc =
	    ask_number(s, "PRAGMA application_id", &application, err);

	if (rc == WF_OK)
		rc = ask_number(
		    s, "SELECT count(*) FROM sqlite_schema", &tables, err);
	if (rc == WF_OK)
		rc = ask_number(s, "PRAGMA user_version", version_out, err);
	if (rc != WF_OK)
		return rc;
	if (tables > 0 && application != APPLICATION_ID)
		return wf_fail(err, WF_CONFLICT,
		    "it is a database, but not one of Weft's");
	/* One process has the file: what it migrates is finished. */
	return wf_migration_judge(
	    "sqlite", *version_out, *version_out, flags, err);
}

/* All missing migrations in one transaction. */
static enum wf_rc migrate(
    struct sqlite_store *s, unsigned flags, struct wf_error *err)
{
	uint32_t known = wf_migration_count("sqlite");
	uint64_t version;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	rc = check_version(s, flags, &version, err);
	while (rc == WF_OK && version < known)
		rc = migrate_to(s, (uint32_t)++version, err);
	return wf_sqlite_end_transaction(s, true, rc, err);
}

static enum wf_rc set_up(struct sqlite_store *s, struct wf_error *err)
{
	sqlite3_extended_result_codes(s->db, 1);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	return execute(s,
	    "PRAGMA journal_mode = WAL;"
	    "PRAGMA synchronous = FULL;"
	    "PRAGMA foreign_keys = OFF;"
	    "PRAGMA trusted_schema = OFF;"
	    "PRAGMA temp_store = MEMORY;"
	    "PRAGMA journal_size_limit = 67108864;",
	    err);
}

static enum wf_rc read_identity(struct sqlite_store *s, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_prepare(
	    s, "SELECT value FROM store WHERE name = 'identity'", err);
	enum wf_rc rc = WF_OK;
	bool row = false;

	if (statement == NULL)
		return wf_sqlite_why(err);
	rc = wf_sqlite_next(s, statement, &row, err);
	if (row && sqlite3_column_bytes(statement, 0) == 32)
		memcpy(
		    s->store.identity, sqlite3_column_text(statement, 0), 32);
	else if (rc == WF_OK)
		rc = wf_fail(err, WF_CORRUPT, "the store has no identity");
	sqlite3_finalize(statement);
	return rc;
}

/*
 * Why a file could not be opened; when it could not be made in a folder that
 * cannot be written to, SQLite only knows that it is not there.
 */
static int open_errno(struct sqlite_store *s, const char *path)
{
	int code = sqlite3_system_errno(s->db);
	const char *slash = strrchr(path, '/');
	char *folder =
	    wf_strndup(path, slash == NULL ? 0 : (size_t)(slash - path) + 1);

	if (code == ENOENT && access(slash == NULL ? "." : folder, W_OK) != 0)
		code = errno;
	wf_free(folder);
	return code;
}

/*
 * Opens the file, of which nothing is read yet, and locks it by the name that
 * SQLite has for it, in which links are followed.
 */
static enum wf_rc open_file(struct sqlite_store *s, const char *path,
    unsigned flags, struct wf_error *err)
{
	int mode = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
		   ((flags & WF_STORE_CREATE) != 0 ? SQLITE_OPEN_CREATE : 0);
	int code;

	if ((flags & WF_STORE_CREATE) != 0)
		wf_sqlite_make_private(path);
	code = sqlite3_open_v2(path, &s->db, mode, NULL);
	if (code == SQLITE_CANTOPEN && (flags & WF_STORE_CREATE) == 0 &&
	    sqlite3_system_errno(s->db) == ENOENT)
		return wf_fail(err, WF_CONFLICT,
		    "%.200s is not there: \"weft db init\" makes a new one",
		    path);
	if (code == SQLITE_CANTOPEN)
		return wf_fail(err, WF_IO, "%.200s cannot be opened: %s", path,
		    strerror(open_errno(s, path)));
	if (code != SQLITE_OK)
		return wf_sqlite_fail(s, code, err);
	if ((flags & WF_STORE_BESIDE) != 0)
		return WF_OK;
	return wf_sqlite_file_open(
	    &s->file, sqlite3_db_filename(s->db, "main"), err);
}

static enum wf_rc open_database(struct sqlite_store *s, const char *path,
    unsigned flags, struct wf_error *err)
{
	uint64_t found = 0;
	enum wf_rc rc = open_file(s, path, flags, err);

	if (rc != WF_OK)
		return rc;
	sqlite3_busy_timeout(s->db, BUSY_MILLISECONDS);
	/* Before anything is written: it may be the database of another
	 * program. */
	rc = check_version(s, flags, &found, err);
	wf_sqlite_watch_log(s);
	if (rc == WF_OK)
		rc = set_up(s, err);
	if (rc == WF_OK)
		rc = migrate(s, flags, err);
	s->store.version = wf_migration_count("sqlite");
	s->store.version_found = (uint32_t)found;
	return rc == WF_OK ? read_identity(s, err) : rc;
}

static const struct wf_store_ops sqlite_ops = {
	.close = sqlite_close,
	.abort = wf_sqlite_abort,
#define WF_CONTRACT(name, arguments) .name = wf_sqlite_##name,
#include "persistence/contract.def"
#undef WF_CONTRACT
	.exposed_file = wf_sqlite_exposed_file,
	.backup = wf_sqlite_backup,
};

enum wf_rc wf_sqlite_open(struct wf_store **store_out, const char *url,
    const char *rest, unsigned flags, struct wf_error *err)
{
	struct sqlite_store *s;
	enum wf_rc rc;

	/* SQLite may take "file:" for a URI, even one without a file. */
	if (rest[0] == '\0' || rest[0] == ':' ||
	    strncmp(rest, "file:", strlen("file:")) == 0)
		return wf_fail(err, WF_INVALID,
		    "\"%.200s\" names no file: expected sqlite:PATH", url);
	s = wf_calloc(1, sizeof(*s));
	wf_store_init(&s->store, &sqlite_ops, url, false);
	rc = open_database(s, rest, flags, err);
	*store_out = &s->store;
	if (rc != WF_OK) {
		wf_error_prefix(err, "%.200s", url);
		wf_store_discard(store_out);
	}
	return rc;
}
