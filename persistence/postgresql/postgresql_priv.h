/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in PostgreSQL: what its files share.
 *
 * A handle is a connection in pipeline mode.  Statements are put together
 * with their parameters, and sent in one round trip:
 *
 *   wf_pg_call()     begins a statement
 *   wf_pg_number()   .. its parameters, one after the other
 *   wf_pg_run()      sends all of them, waits for all answers
 *   wf_pg_rows()     reads the answer to the first, second, .. call
 *
 * Statements that are run together are one transaction by themselves; one
 * that takes several round trips begins with BEGIN and ends with COMMIT.  A
 * run that fails has rolled back.  A connection that broke is made again by
 * the next run.
 */
#ifndef WF_PERSISTENCE_POSTGRESQL_POSTGRESQL_PRIV_H
#define WF_PERSISTENCE_POSTGRESQL_POSTGRESQL_PRIV_H

#include <libpq-fe.h>

#include "base/buffer.h"
#include "persistence/backend.h"
#include "persistence/columns.h"

enum pg_statement {
#define WF_SQL(name, sql) PG_##name##_STATEMENT,
#include "persistence/postgresql/postgresql_statements.def"
#undef WF_SQL
	PG_STATEMENTS
};

/* Short for the statements above. */
#define SQL(name) PG_##name##_STATEMENT

/* What a batch writes: these, as far as it needs them, are one statement. */
enum pg_write {
#define WF_WRITE(name, shape, sql, fence) PG_##name##_WRITE,
#include "persistence/postgresql/postgresql_writes.def"
#undef WF_WRITE
	PG_WRITES
};

#define PG_CALLS 12

/* A parameter, by its place in the data of the run; length < 0: NULL. */
struct pg_parameter {
	size_t offset;
	int length;
};

struct pg_call {
	char name[16];	  /* of the prepared statement */
	bool *prepared;	  /* whether it is; NULL: planned for this call */
	bool preparing;	  /* the run prepares it */
	const char *text; /* SQL with braces; NULL: */
	unsigned writes;  /* the writes that it is made of */
	char *sql;	  /* text made on the spot; for wf_free() */
	size_t first;	  /* parameter */
	size_t count;
	PGresult *result;
};

/* A case that this batch may write. */
struct pg_held {
	uint64_t number;
	uint64_t version;  /* at begin; 0: it is new */
	uint64_t position; /* of its last row of history */
	uint64_t specification;
	uint32_t namespace_id;
	uint32_t month;
	bool ending;
	struct wf_take *take; /* at begin */
};

struct pg_store {
	struct wf_store store;
	char *conninfo; /* the URL with its password */
	PGconn *connection;
	bool prepared[PG_STATEMENTS];
	bool writes_prepared[1 << PG_WRITES];
	size_t writes_count; /* of those */
	bool in_transaction; /* one that a run left open */
	bool listening;
	char collision_table[64];
	char collision_key[512];

	/* The next run, or the last. */
	struct pg_call calls[PG_CALLS];
	size_t call_count;
	bool ran;
	struct pg_parameter *parameters;
	size_t parameter_count;
	size_t parameter_capacity;
	struct wf_buffer data;

	/* The batch. */
	struct wf_arena *arena;		/* for its own */
	const struct wf_claim **claims; /* those that are free, sorted */
	size_t claim_count;
	struct pg_held *held; /* by number, once it is committed */
	size_t held_count;
	size_t held_capacity;

	/* Added to the id of a transaction it is a position of the stream. */
	uint64_t position_base;
	uint32_t made_month; /* its partition, and the next, were made */
};

/* --- postgresql_statement.c --- */

void wf_pg_call(struct pg_store *s, enum pg_statement which);
/* The same for SQL made on the spot, which is copied. */
void wf_pg_call_sql(struct pg_store *s, const char *sql);
/* The statement that writes what those bits (1 << PG_.._WRITE) stand for. */
void wf_pg_call_writes(struct pg_store *s, unsigned writes);

/* Parameters of the call begun last: bigint, integer, boolean, text, bytea. */
void wf_pg_number(struct pg_store *s, uint64_t number);
void wf_pg_integer(struct pg_store *s, uint32_t number);
void wf_pg_boolean(struct pg_store *s, bool value);
void wf_pg_text(struct pg_store *s, const char *text); /* NULL: NULL */
void wf_pg_bytes(struct pg_store *s, const struct wf_bytes *bytes);
/* The part of a case. */
void wf_pg_part(struct pg_store *s, uint64_t number);
/* All columns of a row: for {item?}. */
void wf_pg_row(
    struct pg_store *s, const struct wf_shape *shape, const void *row);
/* An array a column, with the part before number: for {item[]}. */
void wf_pg_array(struct pg_store *s, const struct wf_shape *shape,
    const void *const *rows, size_t count);
void wf_pg_numbers(struct pg_store *s, const uint64_t *numbers, size_t count);
void wf_pg_texts(struct pg_store *s, const char *const *texts, size_t count);
/* A limit as PostgreSQL knows it. */
static inline uint64_t wf_pg_limit(size_t limit)
{
	return limit < INT64_MAX ? limit : INT64_MAX;
}

/* Forgets them, and answers. */
void wf_pg_forget_calls(struct pg_store *s);
/* The SQL of a call. */
void wf_pg_put_sql(const struct pg_call *call, struct wf_buffer *sql);

/* --- postgresql_run.c --- */

enum pg_end {
	PG_STAY,  /* in a transaction that goes on */
	PG_READ,  /* a transaction that wrote nothing is over */
	PG_COMMIT /* one that wrote is committed */
};

/* What the database says has gone wrong, as our result code. */
enum wf_rc wf_pg_fail(const PGresult *result, struct wf_error *err);

/*
 * Sends the calls and waits.  On failure the transaction was rolled back.
 * WF_CONFLICT: a key was there already; see wf_pg_collision().
 */
enum wf_rc wf_pg_run(
    struct pg_store *s, enum pg_end end, struct wf_error *err) WF_MUSTCHECK;
/* Reads what has come; false: the server has closed the connection. */
bool wf_pg_is_alive(struct pg_store *s);
/* Rolls back what was begun, if anything. */
void wf_pg_roll_back(struct pg_store *s);

/* The rows that a call of the last run gave, until the next call begins. */
size_t wf_pg_count(const struct pg_store *s, size_t call);
/* How many rows it wrote. */
size_t wf_pg_written(const struct pg_store *s, size_t call);
uint64_t wf_pg_get_number(
    const struct pg_store *s, size_t call, size_t row, int column);
bool wf_pg_is_null(
    const struct pg_store *s, size_t call, size_t row, int column);
/* A time in the one row of the one call; INT64_MAX where there is none. */
int64_t wf_pg_get_time(const struct pg_store *s, int column);
struct wf_bytes wf_pg_get_bytes(const struct pg_store *s, size_t call,
    size_t row, int column, struct wf_arena *arena);
/* Reads a row from the columns from first on. */
void wf_pg_read(const struct pg_store *s, size_t call, size_t row, int first,
    const struct wf_shape *shape, void *row_out, struct wf_arena *arena);
/* All rows of a call as an array in arena. */
void *wf_pg_read_all(const struct pg_store *s, size_t call,
    const struct wf_shape *shape, struct wf_arena *arena, size_t *count_out);

/*
 * After WF_CONFLICT: the table whose key was there, "" when a version was not
 * the expected one; key_out: what PostgreSQL says about the key.
 */
const char *wf_pg_collision(const struct pg_store *s, const char **key_out);

/* --- postgresql_shapes.c: what batches ask for and write --- */

/* The state of a case that is read from history. */
struct pg_tail {
	uint64_t number;
	uint32_t month;
	uint64_t after; /* the sequence of its snapshot */
};

struct pg_step {
	struct wf_history_row row; /* position: the last one of its case */
	uint32_t month;
};

extern const struct wf_shape wf_pg_shape_take;
extern const struct wf_shape wf_pg_shape_claim;
extern const struct wf_shape wf_pg_shape_command;
extern const struct wf_shape wf_pg_shape_tail;
extern const struct wf_shape wf_pg_shape_launch;
extern const struct wf_shape wf_pg_shape_change;
extern const struct wf_shape wf_pg_shape_finish;
extern const struct wf_shape wf_pg_shape_quarantined;
extern const struct wf_shape wf_pg_shape_step;
extern const struct wf_shape wf_pg_shape_item_kernel;
extern const struct wf_shape wf_pg_shape_item_key;
extern const struct wf_shape wf_pg_shape_hand_over;
extern const struct wf_shape wf_pg_shape_new_due;
extern const struct wf_shape wf_pg_shape_due_key;
extern const struct wf_shape wf_pg_shape_new_message;
extern const struct wf_shape wf_pg_shape_message_key;
extern const struct wf_shape wf_pg_shape_incident_key;

/* The shape of that name, one of these or of wf_shapes. */
const struct wf_shape *wf_pg_shape(const char *name, size_t length);

/* --- postgresql_connection.c --- */

/* Outside the pipeline: SQL; result_out may be NULL, else for PQclear(). */
enum wf_rc wf_pg_execute(struct pg_store *s, const char *sql,
    PGresult **result_out, struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_pg_executef(struct pg_store *s, struct wf_error *err,
    const char *format, ...) WF_PRINTF(3, 4);
/* The first text of an answer; "" when there is no row. */
enum wf_rc wf_pg_ask(struct pg_store *s, const char *sql, char *text_out,
    size_t size, struct wf_error *err) WF_MUSTCHECK;
/* A connection that is not yet a pipeline; then what makes it one. */
enum wf_rc wf_pg_dial(struct pg_store *s, struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_pg_prepare_session(
    struct pg_store *s, struct wf_error *err) WF_MUSTCHECK;
/* Both. */
enum wf_rc wf_pg_connect(struct pg_store *s, struct wf_error *err) WF_MUSTCHECK;
/* Closes it, and forgets what belongs to it. */
void wf_pg_disconnect(struct pg_store *s);
/* The month of a time as history counts it; that of now. */
uint32_t wf_pg_month(int64_t time);
uint32_t wf_pg_this_month(void);

/* --- postgresql.c --- */

/* Calls for the number of a change that this transaction makes: one row. */
void wf_pg_call_change_up(struct pg_store *s);

/* --- postgresql_batch.c --- */

/* One more case that the batch may write. */
struct pg_held *wf_pg_hold(struct pg_store *s);
/* By number, so that they are found. */
void wf_pg_sort_held(struct pg_store *s);
/* NULL when it is not held. */
struct pg_held *wf_pg_find_held(const struct pg_store *s, uint64_t number);
bool wf_pg_is_claimed(const struct pg_store *s, const struct wf_case_row *row);
void wf_pg_batch_over(struct pg_store *s);
/*
 * Loads the steps since the snapshot of a case whose row was read, in the
 * transaction that is going on.
 */
enum wf_rc wf_pg_load_tail(struct pg_store *s, struct wf_arena *arena,
    struct wf_stored_case *case_out, struct wf_error *err) WF_MUSTCHECK;

/* The functions of the contract; see persistence/store.h. */
void wf_pg_abort(struct wf_store *store);
enum wf_rc wf_pg_reserve(struct wf_store *store, enum wf_counter counter,
    uint64_t count, uint64_t *first_out, struct wf_error *err);
enum wf_rc wf_pg_reserve_above(struct wf_store *store, enum wf_counter counter,
    uint64_t least, struct wf_error *err);
enum wf_rc wf_pg_begin(struct wf_store *store, struct wf_batch *batch,
    struct wf_arena *arena, struct wf_error *err);
enum wf_rc wf_pg_commit(struct wf_store *store, const struct wf_writes *writes,
    uint64_t *culprit_out, struct wf_error *err);
enum wf_rc wf_pg_value(struct wf_store *store, uint64_t number, uint32_t value,
    struct wf_arena *arena, struct wf_bytes *text_out, struct wf_error *err);
enum wf_rc wf_pg_forget_answers(struct wf_store *store, int64_t before,
    size_t limit, size_t *count_out, struct wf_error *err);
enum wf_rc wf_pg_find(struct wf_store *store, uint32_t namespace_id,
    const char *const *names, size_t count, uint64_t *numbers_out,
    struct wf_error *err);
enum wf_rc wf_pg_stored_case(struct wf_store *store, uint64_t number,
    bool state, struct wf_arena *arena, struct wf_stored_case *case_out,
    struct wf_error *err);
enum wf_rc wf_pg_cases(struct wf_store *store,
    const struct wf_case_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err);
enum wf_rc wf_pg_items(struct wf_store *store,
    const struct wf_item_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err);
enum wf_rc wf_pg_claim_items(struct wf_store *store,
    const struct wf_item_filter *filter, const char *owner, int64_t now,
    int64_t until, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err);
enum wf_rc wf_pg_heartbeat(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t until,
    struct wf_error *err);
enum wf_rc wf_pg_release(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t not_before,
    struct wf_error *err);
enum wf_rc wf_pg_expired_items(struct wf_store *store, int64_t now,
    size_t limit, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err);
enum wf_rc wf_pg_claim_due(struct wf_store *store, int64_t now, int64_t until,
    size_t limit, struct wf_arena *arena, struct wf_due_list *list_out,
    struct wf_error *err);
enum wf_rc wf_pg_next_due(
    struct wf_store *store, int64_t *at_out, struct wf_error *err);
enum wf_rc wf_pg_due_of(struct wf_store *store, uint64_t number,
    const char *after, size_t limit, struct wf_arena *arena,
    struct wf_due_list *list_out, struct wf_error *err);
enum wf_rc wf_pg_claim_messages(struct wf_store *store, const char *destination,
    int64_t now, int64_t until, size_t limit, struct wf_arena *arena,
    struct wf_message_list *list_out, struct wf_error *err);
enum wf_rc wf_pg_acknowledge(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, struct wf_error *err);
enum wf_rc wf_pg_postpone(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, int64_t at, bool tried,
    struct wf_error *err);
enum wf_rc wf_pg_redirect(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, const char *destination,
    struct wf_error *err);
enum wf_rc wf_pg_history(struct wf_store *store,
    const struct wf_history_filter *filter, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err);
enum wf_rc wf_pg_history_end(
    struct wf_store *store, struct wf_cursor *cursor_out, struct wf_error *err);
enum wf_rc wf_pg_case_history(struct wf_store *store, uint64_t number,
    uint64_t after, size_t limit, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err);
enum wf_rc wf_pg_retire(struct wf_store *store, int64_t before, size_t limit,
    size_t *count_out, struct wf_error *err);
enum wf_rc wf_pg_incidents(struct wf_store *store,
    const struct wf_incident_filter *filter, struct wf_arena *arena,
    struct wf_incident_list *list_out, struct wf_error *err);
enum wf_rc wf_pg_incident(struct wf_store *store, uint64_t id,
    struct wf_arena *arena, struct wf_incident_row *row_out,
    struct wf_error *err);
enum wf_rc wf_pg_change(
    struct wf_store *store, uint64_t *change_out, struct wf_error *err);
enum wf_rc wf_pg_put_specification(struct wf_store *store,
    const struct wf_specification_row *row, struct wf_error *err);
enum wf_rc wf_pg_specification(struct wf_store *store, uint32_t namespace_id,
    uint64_t key, struct wf_arena *arena, struct wf_specification_row *row_out,
    struct wf_error *err);
enum wf_rc wf_pg_remove_specification(struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct wf_error *err);
enum wf_rc wf_pg_specifications(struct wf_store *store,
    const struct wf_specification_filter *filter, struct wf_arena *arena,
    struct wf_specification_list *list_out, struct wf_error *err);
enum wf_rc wf_pg_put_record(struct wf_store *store,
    const struct wf_record_row *row, struct wf_error *err);
enum wf_rc wf_pg_record(struct wf_store *store, uint32_t namespace_id,
    const char *kind, const char *name, struct wf_arena *arena,
    struct wf_record_row *row_out, struct wf_error *err);
enum wf_rc wf_pg_records(struct wf_store *store, const char *kind,
    struct wf_arena *arena, struct wf_record_list *list_out,
    struct wf_error *err);
enum wf_rc wf_pg_notify(struct wf_store *store, struct wf_error *err);
enum wf_rc wf_pg_wait(struct wf_store *store, int milliseconds, bool *told_out,
    struct wf_error *err);
enum wf_rc wf_pg_backlog(struct wf_store *store,
    struct wf_store_backlog *backlog_out, struct wf_error *err);
enum wf_rc wf_pg_facts(struct wf_store *store, struct wf_store_facts *facts_out,
    struct wf_error *err);
enum wf_rc wf_pg_verify(struct wf_store *store, wf_notify_f tell, void *context,
    struct wf_error *err);
enum wf_rc wf_pg_case_exports(struct wf_store *store, uint64_t after,
    size_t limit, struct wf_arena *arena, struct wf_case_export_list *list_out,
    struct wf_error *err);

#endif
