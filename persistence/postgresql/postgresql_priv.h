/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in PostgreSQL: what its files share.
 *
 * A handle is a connection in pipeline mode.  Statements are collected with
 * their parameters, then sent in one round trip:
 *
 *   wf_pg_call()     begins a statement
 *   wf_pg_number()   adds a parameter; so do wf_pg_text(), wf_pg_array(), ..
 *   wf_pg_run()      sends all of them, waits for all answers
 *   wf_pg_read()     reads a row of the answer to the first, second, .. call
 *
 * Statements that are run together are one transaction by themselves; one
 * that takes several round trips begins with BEGIN and ends with COMMIT.  A run
 * that fails has rolled back.  The next run connects again when the connection
 * broke.
 *
 *              wf_pg_run(PG_STAY)
 *   no transaction ─────────────► in_transaction ─┐ wf_pg_run(PG_STAY)
 *        ▲                              │    ▲    │
 *        │ PG_READ, PG_COMMIT, failure, │    └────┘
 *        └───── wf_pg_roll_back() ──────┘
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

/* The kinds of writes of a batch; those that it needs become one statement. */
enum pg_write {
#define WF_WRITE(name, layout, sql, fence) PG_##name##_WRITE,
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
	const char *text; /* SQL with braces; NULL: made of the writes */
	unsigned writes;  /* bits: 1 << PG_.._WRITE */
	char *sql;	  /* text made at run time; for wf_free() */
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
	int64_t planned_at;  /* on the monotonic clock */
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

	/* The id of a transaction plus this is a position of the stream. */
	uint64_t position_base;
	uint32_t made_month; /* the last one for which partitions were made */
};

/* --- postgresql_statement.c --- */

void wf_pg_call(struct pg_store *s, enum pg_statement which);
/* The same for SQL made at run time, which is copied. */
void wf_pg_call_sql(struct pg_store *s, const char *sql);
/* The statement made of the writes of those bits (1 << PG_.._WRITE). */
void wf_pg_call_writes(struct pg_store *s, unsigned writes);

/* Parameters of the call begun last: bigint, integer, boolean, text, bytea. */
void wf_pg_number(struct pg_store *s, uint64_t number);
void wf_pg_integer(struct pg_store *s, uint32_t number);
void wf_pg_boolean(struct pg_store *s, bool value);
void wf_pg_text(struct pg_store *s, const char *text); /* NULL: NULL */
/* No data: NULL. */
void wf_pg_bytes(struct pg_store *s, const struct wf_bytes *bytes);
/* The part of the case with that number. */
void wf_pg_part(struct pg_store *s, uint64_t number);
/* All columns of a row: for {item|?}. */
void wf_pg_row(
    struct pg_store *s, const struct wf_row_layout *layout, const void *row);
/* One array for each column, with the part before number: for {item[]}. */
void wf_pg_array(struct pg_store *s, const struct wf_row_layout *layout,
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
	PG_STAY,  /* the transaction continues */
	PG_READ,  /* a transaction that wrote nothing ends */
	PG_COMMIT /* a transaction that wrote is committed */
};

/* An error of the database as our result code; postgresql_error.c. */
enum wf_rc wf_pg_fail(const PGresult *result, struct wf_error *err);

/*
 * Sends the calls and waits.  On failure the transaction was rolled back.
 * WF_CONFLICT: a key was there already; see wf_pg_collision().
 */
enum wf_rc wf_pg_run(
    struct pg_store *s, enum pg_end end, struct wf_error *err) WF_MUSTCHECK;
/* Reads what the server has sent; false: the connection is closed. */
bool wf_pg_is_alive(struct pg_store *s);
/* Rolls back the transaction, if there is one. */
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
    const struct wf_row_layout *layout, void *row_out, struct wf_arena *arena);
/* Runs the call of a list of cases, and reads it; postgresql_read.c. */
enum wf_rc wf_pg_run_cases(struct pg_store *s, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err) WF_MUSTCHECK;
/* All rows of a call as an array in arena. */
void *wf_pg_read_all(const struct pg_store *s, size_t call,
    const struct wf_row_layout *layout, struct wf_arena *arena,
    size_t *count_out);

/*
 * After WF_CONFLICT: the table whose key was there, "" when a version was not
 * the expected one; key_out: what PostgreSQL says about the key.
 */
const char *wf_pg_collision(const struct pg_store *s, const char **key_out);

/* --- postgresql_layouts.c: the input of a batch and its writes --- */

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

/* A case that is read. */
struct pg_wanted {
	uint64_t number;
};

extern const struct wf_row_layout wf_pg_layout_wanted;
extern const struct wf_row_layout wf_pg_layout_take;
extern const struct wf_row_layout wf_pg_layout_claim;
extern const struct wf_row_layout wf_pg_layout_command;
extern const struct wf_row_layout wf_pg_layout_tail;
extern const struct wf_row_layout wf_pg_layout_attempt;
extern const struct wf_row_layout wf_pg_layout_message_key;
extern const struct wf_row_layout wf_pg_layout_message_queue;
extern const struct wf_row_layout wf_pg_layout_item_rename;
extern const struct wf_row_layout wf_pg_layout_record_key;
extern const struct wf_row_layout wf_pg_layout_statistic_key;

/* The layout of that name, one of these or of wf_layouts. */
const struct wf_row_layout *wf_pg_layout(const char *name, size_t length);

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

/* --- postgresql_counters.c --- */

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
#define WF_CONTRACT(name, arguments) enum wf_rc wf_pg_##name arguments;
#include "persistence/contract.def"
#undef WF_CONTRACT
enum wf_rc wf_pg_case_exports(struct wf_store *store, uint64_t after,
    size_t limit, struct wf_arena *arena, struct wf_case_export_list *list_out,
    struct wf_error *err);

#endif
