/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in SQLite: what its files share.
 *
 * One process has the file for itself, which a lock beside it ensures; its
 * handles each have a connection, and share latches.  So a case that was
 * taken cannot change under a batch, and the transaction that writes need
 * last no longer than the writing.
 */
#ifndef WF_PERSISTENCE_SQLITE_SQLITE_PRIV_H
#define WF_PERSISTENCE_SQLITE_SQLITE_PRIV_H

#include <sqlite3.h>

#include "base/buffer.h"
#include "persistence/backend.h"
#include "persistence/columns.h"
#include "persistence/latches.h"
#include "persistence/lock.h"

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
	struct wf_lock latches_lock;
	struct wf_latches *latches;
	/*
	 * Held while a transaction writes: whoever waits for it is woken at
	 * once, while SQLite itself would look again and again.
	 */
	sqlite3_mutex *writing;
	bool in_doubt; /* the log; while that is held */
};

/* Statements made on the spot that are kept for the next time. */
#define SQLITE_KEPT 8U

struct sqlite_kept {
	char *text;
	sqlite3_stmt *statement;
};

struct sqlite_store {
	struct wf_store store;
	sqlite3 *db;
	struct sqlite_file *file; /* NULL: beside who has it */
	sqlite3_stmt *statements[SQLITE_STATEMENTS];
	struct sqlite_kept kept[SQLITE_KEPT]; /* the latest used first */
};

/* --- sqlite_file.c: one process a file --- */

enum wf_rc wf_sqlite_file_open(struct sqlite_file **file_out, const char *path,
    struct wf_error *err) WF_MUSTCHECK;
void wf_sqlite_file_close(struct sqlite_file **file);

/* --- sqlite_log.c: the log, when a sync has failed --- */

/* From now on it is known when one fails behind a commit. */
void wf_sqlite_watch_log(struct sqlite_store *s);
/* One has failed. */
void wf_sqlite_doubt_log(struct sqlite_store *s);
/* At the beginning of a transaction that writes. */
enum wf_rc wf_sqlite_secure_log(
    struct sqlite_store *s, struct wf_error *err) WF_MUSTCHECK;
/* Before it is closed: what is in doubt is not copied to the database. */
void wf_sqlite_leave_log(struct sqlite_store *s);

/* --- sqlite_statement.c --- */

/* What the database says has gone wrong, as our result code. */
enum wf_rc wf_sqlite_fail(
    struct sqlite_store *s, int code, struct wf_error *err);

/*
 * A statement, ready for its parameters; NULL, and err filled, when that
 * fails.  It is prepared at its first use.
 */
sqlite3_stmt *wf_sqlite_start(
    struct sqlite_store *s, enum sqlite_statement which, struct wf_error *err);
/* Why there is none. */
static inline enum wf_rc wf_sqlite_why(const struct wf_error *err)
{
	return err == NULL ? WF_IO : err->rc;
}
/* The same for SQL made on the spot; for sqlite3_finalize(). */
sqlite3_stmt *wf_sqlite_prepare(
    struct sqlite_store *s, const char *sql, struct wf_error *err);
/* The same, but kept for the next time, and not to be finalized. */
sqlite3_stmt *wf_sqlite_keep(
    struct sqlite_store *s, const char *sql, struct wf_error *err);
void wf_sqlite_drop_kept(struct sqlite_store *s);

/* Binds a row's columns to the parameters from 1 on, as far as there are. */
void wf_sqlite_bind(
    sqlite3_stmt *statement, const struct wf_shape *shape, const void *row);
void wf_sqlite_bind_text(sqlite3_stmt *statement, int at, const char *text);
void wf_sqlite_bind_number(sqlite3_stmt *statement, int at, uint64_t number);
/* Reads a row from the columns from first on. */
void wf_sqlite_read(sqlite3_stmt *statement, int first,
    const struct wf_shape *shape, void *row_out, struct wf_arena *arena);
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
 * Does it and drops its rows.  WF_CONFLICT, and err untouched, when a key is
 * there already.
 */
enum wf_rc wf_sqlite_run(struct sqlite_store *s, sqlite3_stmt *statement,
    struct wf_error *err) WF_MUSTCHECK;
/* Reads all rows into an array in arena; statement NULL: err says why. */
enum wf_rc wf_sqlite_read_all(struct sqlite_store *s, sqlite3_stmt *statement,
    const struct wf_shape *shape, struct wf_arena *arena, void **rows_out,
    size_t *count_out, struct wf_error *err) WF_MUSTCHECK;
/* Reads one row; *found_out is false when there is none. */
enum wf_rc wf_sqlite_read_one(struct sqlite_store *s, sqlite3_stmt *statement,
    const struct wf_shape *shape, struct wf_arena *arena, void *row_out,
    bool *found_out, struct wf_error *err) WF_MUSTCHECK;
/* One number; 0 when there is no row or it is NULL. */
enum wf_rc wf_sqlite_read_number(struct sqlite_store *s,
    sqlite3_stmt *statement, uint64_t *number_out,
    struct wf_error *err) WF_MUSTCHECK;

/* Every transaction; write: it takes the place of the one writer. */
enum wf_rc wf_sqlite_begin_transaction(
    struct sqlite_store *s, bool write, struct wf_error *err) WF_MUSTCHECK;
/* Commits when rc is WF_OK, else rolls back; the result of it all. */
enum wf_rc wf_sqlite_end_transaction(struct sqlite_store *s, bool write,
    enum wf_rc rc, struct wf_error *err) WF_MUSTCHECK;
/* The same, to write what may be lost in a crash; sqlite_queues.c. */
enum wf_rc wf_sqlite_begin_unsynced(
    struct sqlite_store *s, struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_sqlite_end_unsynced(
    struct sqlite_store *s, enum wf_rc rc, struct wf_error *err) WF_MUSTCHECK;

/* --- sqlite.c --- */

/* The number of a change that this transaction makes. */
enum wf_rc wf_sqlite_change_up(struct sqlite_store *s, uint64_t *change_out,
    struct wf_error *err) WF_MUSTCHECK;

/* --- sqlite_batch.c --- */

/* Loads the state of a case whose row is there. */
enum wf_rc wf_sqlite_load(struct sqlite_store *s, struct wf_arena *arena,
    struct wf_stored_case *case_out, struct wf_error *err) WF_MUSTCHECK;

/* The functions of the contract; see persistence/store.h. */
void wf_sqlite_abort(struct wf_store *store);
enum wf_rc wf_sqlite_reserve(struct wf_store *store, enum wf_counter counter,
    uint64_t count, uint64_t *first_out, struct wf_error *err);
enum wf_rc wf_sqlite_reserve_above(struct wf_store *store,
    enum wf_counter counter, uint64_t least, struct wf_error *err);
enum wf_rc wf_sqlite_begin(struct wf_store *store, struct wf_batch *batch,
    struct wf_arena *arena, struct wf_error *err);
enum wf_rc wf_sqlite_commit(struct wf_store *store,
    const struct wf_writes *writes, uint64_t *culprit_out,
    struct wf_error *err);
enum wf_rc wf_sqlite_value(struct wf_store *store, uint64_t number,
    uint32_t value, struct wf_arena *arena, struct wf_bytes *text_out,
    struct wf_error *err);
enum wf_rc wf_sqlite_forget_answers(struct wf_store *store, int64_t before,
    size_t limit, size_t *count_out, struct wf_error *err);
enum wf_rc wf_sqlite_find(struct wf_store *store, uint32_t namespace_id,
    const char *const *names, size_t count, uint64_t *numbers_out,
    struct wf_error *err);
enum wf_rc wf_sqlite_stored_case(struct wf_store *store, uint64_t number,
    bool state, struct wf_arena *arena, struct wf_stored_case *case_out,
    struct wf_error *err);
enum wf_rc wf_sqlite_cases(struct wf_store *store,
    const struct wf_case_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err);
enum wf_rc wf_sqlite_items(struct wf_store *store,
    const struct wf_item_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err);
enum wf_rc wf_sqlite_claim_items(struct wf_store *store,
    const struct wf_item_filter *filter, const char *owner, int64_t now,
    int64_t until, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err);
enum wf_rc wf_sqlite_heartbeat(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t until,
    struct wf_error *err);
enum wf_rc wf_sqlite_release(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t not_before,
    struct wf_error *err);
enum wf_rc wf_sqlite_expired_items(struct wf_store *store, int64_t now,
    size_t limit, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err);
enum wf_rc wf_sqlite_claim_due(struct wf_store *store, int64_t now,
    int64_t until, size_t limit, struct wf_arena *arena,
    struct wf_due_list *list_out, struct wf_error *err);
enum wf_rc wf_sqlite_next_due(
    struct wf_store *store, int64_t *at_out, struct wf_error *err);
enum wf_rc wf_sqlite_due_of(struct wf_store *store, uint64_t number,
    const char *after, size_t limit, struct wf_arena *arena,
    struct wf_due_list *list_out, struct wf_error *err);
enum wf_rc wf_sqlite_claim_messages(struct wf_store *store,
    const char *destination, int64_t now, int64_t until, size_t limit,
    struct wf_arena *arena, struct wf_message_list *list_out,
    struct wf_error *err);
enum wf_rc wf_sqlite_acknowledge(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, struct wf_error *err);
enum wf_rc wf_sqlite_postpone(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, int64_t at, bool tried,
    struct wf_error *err);
enum wf_rc wf_sqlite_redirect(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, const char *destination,
    struct wf_error *err);
enum wf_rc wf_sqlite_history(struct wf_store *store,
    const struct wf_history_filter *filter, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err);
enum wf_rc wf_sqlite_history_end(
    struct wf_store *store, struct wf_cursor *cursor_out, struct wf_error *err);
enum wf_rc wf_sqlite_case_history(struct wf_store *store, uint64_t number,
    uint64_t after, size_t limit, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err);
enum wf_rc wf_sqlite_retire(struct wf_store *store, int64_t before,
    size_t limit, size_t *count_out, struct wf_error *err);
enum wf_rc wf_sqlite_incidents(struct wf_store *store,
    const struct wf_incident_filter *filter, struct wf_arena *arena,
    struct wf_incident_list *list_out, struct wf_error *err);
enum wf_rc wf_sqlite_incident(struct wf_store *store, uint64_t id,
    struct wf_arena *arena, struct wf_incident_row *row_out,
    struct wf_error *err);
enum wf_rc wf_sqlite_change(
    struct wf_store *store, uint64_t *change_out, struct wf_error *err);
enum wf_rc wf_sqlite_put_specification(struct wf_store *store,
    const struct wf_specification_row *row, struct wf_error *err);
enum wf_rc wf_sqlite_specification(struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct wf_arena *arena,
    struct wf_specification_row *row_out, struct wf_error *err);
enum wf_rc wf_sqlite_remove_specification(struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct wf_error *err);
enum wf_rc wf_sqlite_specifications(struct wf_store *store,
    const struct wf_specification_filter *filter, struct wf_arena *arena,
    struct wf_specification_list *list_out, struct wf_error *err);
enum wf_rc wf_sqlite_put_record(struct wf_store *store,
    const struct wf_record_row *row, struct wf_error *err);
enum wf_rc wf_sqlite_record(struct wf_store *store, uint32_t namespace_id,
    const char *kind, const char *name, struct wf_arena *arena,
    struct wf_record_row *row_out, struct wf_error *err);
enum wf_rc wf_sqlite_records(struct wf_store *store, const char *kind,
    struct wf_arena *arena, struct wf_record_list *list_out,
    struct wf_error *err);
enum wf_rc wf_sqlite_notify(struct wf_store *store, struct wf_error *err);
enum wf_rc wf_sqlite_wait(struct wf_store *store, int milliseconds,
    bool *told_out, struct wf_error *err);
enum wf_rc wf_sqlite_backlog(struct wf_store *store,
    struct wf_store_backlog *backlog_out, struct wf_error *err);
enum wf_rc wf_sqlite_facts(struct wf_store *store,
    struct wf_store_facts *facts_out, struct wf_error *err);
enum wf_rc wf_sqlite_backup(
    struct wf_store *store, const char *path, struct wf_error *err);
enum wf_rc wf_sqlite_verify(struct wf_store *store, wf_notify_f tell,
    void *context, struct wf_error *err);

#endif
