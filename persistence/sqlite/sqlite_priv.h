/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in SQLite: what its files share.
 *
 * One process has the file for itself, by a lock file (sqlite_file.c); each of
 * its handles has a connection, and all share latches.  So a case that was
 * taken cannot change during a batch, and the writing transaction lasts no
 * longer than the commit.
 */
#ifndef WF_PERSISTENCE_SQLITE_SQLITE_PRIV_H
#define WF_PERSISTENCE_SQLITE_SQLITE_PRIV_H

#include <pthread.h>
#include <sqlite3.h>

#include "base/buffer.h"
#include "persistence/backend.h"
#include "persistence/columns.h"
#include "persistence/latches.h"

enum sqlite_statement {
#define WF_SQL(name, sql) SQLITE_##name##_STATEMENT,
#include "persistence/sqlite/sqlite_statements.def"
#undef WF_SQL
	SQLITE_STATEMENTS
};

/* Short for the statements above. */
#define SQL(name) SQLITE_##name##_STATEMENT

/* What the handles on one file share. */
struct sqlite_file {
	struct sqlite_file *next;
	char *path; /* as the system knows it */
	int lock;   /* the file that is locked, -1: none */
	size_t handles;
	pthread_mutex_t latches_lock;
	struct wf_latches *latches;
	/*
	 * Held while a transaction writes: a mutex wakes the next writer at
	 * once, while SQLite itself would poll.
	 */
	pthread_mutex_t writing;
	bool in_doubt; /* the log: see sqlite_log.c; under writing */
};

/* Statements made at run time that are kept for the next time. */
#define SQLITE_KEPT 8U

struct sqlite_kept {
	char *text;
	sqlite3_stmt *statement;
};

struct sqlite_store {
	struct wf_store store;
	sqlite3 *db;
	struct sqlite_file *file; /* NULL: opened with WF_STORE_BESIDE */
	sqlite3_stmt *statements[SQLITE_STATEMENTS];
	struct sqlite_kept kept[SQLITE_KEPT]; /* the latest used first */
	char *exposed; /* the answer of wf_sqlite_exposed_file() */
};

/* --- sqlite_file.c: one process for each file --- */

enum wf_rc wf_sqlite_file_open(struct sqlite_file **file_out, const char *path,
    struct wf_error *err) WF_MUSTCHECK;
void wf_sqlite_file_close(struct sqlite_file **file);
/* Makes an empty file that only its owner can read, unless there is one. */
void wf_sqlite_make_private(const char *path);
const char *wf_sqlite_exposed_file(struct wf_store *store);

/* --- sqlite_log.c: the log, when a sync has failed --- */

/* Watches for syncs that fail behind a commit. */
void wf_sqlite_watch_log(struct sqlite_store *s);
/* A sync has failed. */
void wf_sqlite_doubt_log(struct sqlite_store *s);
/* Called at the beginning of a transaction that writes. */
enum wf_rc wf_sqlite_secure_log(
    struct sqlite_store *s, struct wf_error *err) WF_MUSTCHECK;
/* Called before closing: a log in doubt is not copied to the database. */
void wf_sqlite_leave_log(struct sqlite_store *s);

/* --- sqlite_statement.c --- */

/* An error of the database as our result code. */
enum wf_rc wf_sqlite_fail(
    struct sqlite_store *s, int code, struct wf_error *err);

/*
 * A statement, ready for its parameters; it is prepared at its first use. NULL:
 * that failed, and err says why.
 */
sqlite3_stmt *wf_sqlite_start(
    struct sqlite_store *s, enum sqlite_statement which, struct wf_error *err);
/* The code of a failed wf_sqlite_start(). */
static inline enum wf_rc wf_sqlite_why(const struct wf_error *err)
{
	return err == NULL ? WF_IO : err->rc;
}
/* The same for SQL made at run time; for sqlite3_finalize(). */
sqlite3_stmt *wf_sqlite_prepare(
    struct sqlite_store *s, const char *sql, struct wf_error *err);
/* The same, kept for the next time; the caller does not finalize it. */
sqlite3_stmt *wf_sqlite_keep(
    struct sqlite_store *s, const char *sql, struct wf_error *err);
void wf_sqlite_drop_kept(struct sqlite_store *s);

/*
 * Binds the columns of those groups (WF_GROUP_..) to the parameters that have
 * their numbers; the others of the statement are NULL.
 */
void wf_sqlite_bind(sqlite3_stmt *statement, const struct wf_row_layout *layout,
    unsigned groups, const void *row);
void wf_sqlite_bind_text(sqlite3_stmt *statement, int at, const char *text);
void wf_sqlite_bind_number(sqlite3_stmt *statement, int at, uint64_t number);
/* Reads a row from the columns from first on. */
void wf_sqlite_read(sqlite3_stmt *statement, int first,
    const struct wf_row_layout *layout, void *row_out, struct wf_arena *arena);
uint64_t wf_sqlite_number(sqlite3_stmt *statement, int at);
/* INT64_MAX where there is none. */
int64_t wf_sqlite_time(sqlite3_stmt *statement, int at);
struct wf_bytes wf_sqlite_bytes(
    sqlite3_stmt *statement, int at, struct wf_arena *arena);

/*
 * The next row, *row_out false behind the last.  Then, and on failure, the
 * statement is reset.
 */
enum wf_rc wf_sqlite_next(struct sqlite_store *s, sqlite3_stmt *statement,
    bool *row_out, struct wf_error *err) WF_MUSTCHECK;
/*
 * Runs it to its end and drops its rows.  WF_CONFLICT, and err untouched, when
 * a key exists already.
 */
enum wf_rc wf_sqlite_run(struct sqlite_store *s, sqlite3_stmt *statement,
    struct wf_error *err) WF_MUSTCHECK;
/* Runs a statement that adds a row, with all its columns. */
enum wf_rc wf_sqlite_add(struct sqlite_store *s, enum sqlite_statement which,
    const struct wf_row_layout *layout, const void *row,
    struct wf_error *err) WF_MUSTCHECK;
/* Runs a statement that removes what is older than before, at most limit. */
enum wf_rc wf_sqlite_sweep(struct sqlite_store *s, enum sqlite_statement which,
    int64_t before, size_t limit, struct wf_error *err) WF_MUSTCHECK;
/* The cases that it gives, each behind whether it has ended; sqlite_read.c. */
enum wf_rc wf_sqlite_read_cases(struct sqlite_store *s, sqlite3_stmt *statement,
    struct wf_arena *arena, struct wf_case_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;
/* Reads all rows into an array in arena; statement NULL: err says why. */
enum wf_rc wf_sqlite_read_all(struct sqlite_store *s, sqlite3_stmt *statement,
    const struct wf_row_layout *layout, struct wf_arena *arena, void **rows_out,
    size_t *count_out, struct wf_error *err) WF_MUSTCHECK;
/* Reads one row; *found_out is false when there is none. */
enum wf_rc wf_sqlite_read_one(struct sqlite_store *s, sqlite3_stmt *statement,
    const struct wf_row_layout *layout, struct wf_arena *arena, void *row_out,
    bool *found_out, struct wf_error *err) WF_MUSTCHECK;
/* The first numbers of one row; 0 when there is no row or they are NULL. */
enum wf_rc wf_sqlite_read_numbers(struct sqlite_store *s,
    sqlite3_stmt *statement, uint64_t *numbers_out, int count,
    struct wf_error *err) WF_MUSTCHECK;
/* The same for one number. */
enum wf_rc wf_sqlite_read_number(struct sqlite_store *s,
    sqlite3_stmt *statement, uint64_t *number_out,
    struct wf_error *err) WF_MUSTCHECK;

/* Fails when the file has lost its name: it would be deleted at the end. */
enum wf_rc wf_sqlite_check_name(struct sqlite_store *s, struct wf_error *err);
/* Begins a transaction; write: as the one writer of the file. */
enum wf_rc wf_sqlite_begin_transaction(
    struct sqlite_store *s, bool write, struct wf_error *err) WF_MUSTCHECK;
/* Commits when rc is WF_OK, else rolls back.  Returns the final result. */
enum wf_rc wf_sqlite_end_transaction(struct sqlite_store *s, bool write,
    enum wf_rc rc, struct wf_error *err) WF_MUSTCHECK;
/* The same for changes that may be lost in a crash; sqlite_queues.c. */
enum wf_rc wf_sqlite_begin_unsynced(
    struct sqlite_store *s, struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_sqlite_end_unsynced(
    struct sqlite_store *s, enum wf_rc rc, struct wf_error *err) WF_MUSTCHECK;

/* --- sqlite_counters.c --- */

/* The number of a change that this transaction makes. */
enum wf_rc wf_sqlite_change_up(struct sqlite_store *s, uint64_t *change_out,
    struct wf_error *err) WF_MUSTCHECK;

/* --- sqlite_batch.c --- */

/* Loads the state of a case whose row was read. */
enum wf_rc wf_sqlite_load(struct sqlite_store *s, struct wf_arena *arena,
    struct wf_stored_case *case_out, struct wf_error *err) WF_MUSTCHECK;

/* The functions of the contract; see persistence/store.h. */
void wf_sqlite_abort(struct wf_store *store);
#define WF_CONTRACT(name, arguments) enum wf_rc wf_sqlite_##name arguments;
#include "persistence/contract.def"
#undef WF_CONTRACT
enum wf_rc wf_sqlite_backup(
    struct wf_store *store, const char *path, struct wf_error *err);

#endif
