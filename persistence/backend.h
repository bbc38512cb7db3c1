/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an implementation of the store contract fills in and what the
 * implementations share: private to persistence/.
 *
 * A handle of an implementation begins with struct wf_store.  Its functions are
 * those of persistence/store.h, called by store.c with a handle that was
 * checked.  Each statement is between wf_statement() and wf_statement_end().
 *
 * The states of a handle; store.c alone changes them:
 *
 *              wf_store_begin()           wf_store_commit()
 *     ┌─ idle ──────────────────► begun ────────────────────► committing
 *     │   ▲                         │                             │
 *     │   ├──── wf_store_abort() ───┘                             │
 *     │   └──── committed, or failed and rolled back ─────────────┘
 *     ▼
 *   wf_store_close()
 *
 * Only wf_store_value() may be called in "begun"; all else needs "idle".
 */
#ifndef WF_PERSISTENCE_BACKEND_H
#define WF_PERSISTENCE_BACKEND_H

#include "base/panic.h"
#include "persistence/store.h"

struct wf_store_ops {
	void (*close)(struct wf_store *store); /* frees the handle */
	void (*abort)(struct wf_store *store); /* ends a batch */
#define WF_CONTRACT(name, arguments) enum wf_rc(*name) arguments;
#include "persistence/contract.def"
#undef WF_CONTRACT
	/* Optional.  NULL: the store is no file that could be copied. */
	const char *(*exposed_file)(struct wf_store *store);
	enum wf_rc (*backup)(
	    struct wf_store *store, const char *path, struct wf_error *err);
	/* Optional.  NULL: read with a handful of calls for each case. */
	enum wf_rc (*case_exports)(struct wf_store *store, uint64_t after,
	    size_t limit, struct wf_arena *arena,
	    struct wf_case_export_list *list_out, struct wf_error *err);
};

#define WF_STORE_MAGIC 0x53746f72U

enum wf_batch_state {
	WF_BATCH_IDLE, /* no batch */
	WF_BATCH_BEGUN,
	WF_BATCH_COMMITTING
};

struct wf_store {
	uint32_t magic;
	const struct wf_store_ops *ops;
	char *url; /* to show */
	char identity[33];
	uint32_t version; /* of the tables */
	uint32_t version_found;
	bool shared;
	enum wf_batch_state batch;
	uint64_t statements;
	uint64_t fail_after;
	enum wf_fault fault;
	bool lost;	 /* the answer to this statement is to be lost */
	uint64_t faults; /* that were injected */
};

/* Functions of the contract check how a handle is used; _idle: in no batch. */
static inline void wf_store_check(const struct wf_store *store)
{
	wf_assert(store != NULL && store->magic == WF_STORE_MAGIC);
}

static inline void wf_store_check_idle(const struct wf_store *store)
{
	wf_store_check(store);
	wf_assert(store->batch == WF_BATCH_IDLE);
}

/* Fills the head of a handle; url is copied. */
void wf_store_init(struct wf_store *store, const struct wf_store_ops *ops,
    const char *url, bool shared);
/* Frees a handle that is in no batch, also one that was not opened fully. */
void wf_store_discard(struct wf_store **store);

/*
 * Counts a statement, and fails in its place when a test wants that.
 */
enum wf_rc wf_statement(
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
/*
 * After the statement, whose result is rc: that, or when its answer is to be
 * lost WF_LOST for one that wrote for good, WF_IO for another.
 */
enum wf_rc wf_statement_end(struct wf_store *store, bool wrote, enum wf_rc rc,
    struct wf_error *err) WF_MUSTCHECK;

/* --- refusals, in the same words on all stores --- */

/* WF_CONFLICT: "case 7: what"; *cause_out becomes the number. */
enum wf_rc wf_conflict(struct wf_error *err, uint64_t *cause_out,
    uint64_t number, const char *what);

/* WF_NOT_FOUND: "there is no WHAT NUMBER". */
enum wf_rc wf_missing(struct wf_error *err, const char *what, uint64_t number);
enum wf_rc wf_missing_specification(struct wf_error *err, uint64_t key);
/* The same for a large value of a case. */
enum wf_rc wf_fail_value(struct wf_error *err, uint64_t number, uint32_t value);
/* WF_NOT_FOUND: a session. */
enum wf_rc wf_fail_session(struct wf_error *err);
/* WF_CONFLICT: a key of a session, or the id of a row of the audit, exists. */
enum wf_rc wf_fail_session_key(struct wf_error *err);
enum wf_rc wf_fail_audit(struct wf_error *err);
/* WF_CONFLICT: another has moved the fold. */
enum wf_rc wf_fail_fold(struct wf_error *err, const char *name);
enum wf_rc wf_fail_item(struct wf_error *err, const char *id);
/* For wf_store_heartbeat() and wf_store_release(). */
enum wf_rc wf_fail_lease(struct wf_error *err, const char *id);

/* The item stands elsewhere, or has another draft. */
enum wf_rc wf_fail_draft(struct wf_error *err, const char *id);

/* What a case has of documents, before one is added. */
struct wf_document_state {
	bool has_case;
	uint64_t bytes;
	uint64_t rows;
	uint32_t last; /* the last version of the document; 0: it has none */
};
/* Whether the row may be added; sets its version, and received to 0. */
enum wf_rc wf_judge_document(const struct wf_document_state *state,
    struct wf_document_row *row, uint64_t maximum,
    struct wf_error *err) WF_MUSTCHECK;
/* Whether the comment may be added; comments: that the case has. */
enum wf_rc wf_judge_comment(const struct wf_comment_row *row, bool has_case,
    uint64_t comments, struct wf_error *err) WF_MUSTCHECK;
/* WF_CONFLICT: its id exists. */
enum wf_rc wf_fail_comment(struct wf_error *err);
/* The document is of a case. */
enum wf_rc wf_fail_adoption(
    struct wf_error *err, const struct wf_document_row *row);
/* The block does not continue the document. */
enum wf_rc wf_fail_block(struct wf_error *err,
    const struct wf_document_row *row,
    const struct wf_document_block_row *block);

/* Why a case cannot be erased that has not ended. */
enum wf_rc wf_fail_erase(struct wf_error *err, uint64_t number, bool is_live);
/*
 * WF_GONE for a cursor before rows that were retired since it was handed out.
 * retired: of the last row that is no longer held.
 */
enum wf_rc wf_check_cursor(const struct wf_cursor *cursor,
    const struct wf_cursor *retired, struct wf_error *err);
/* Another source has that key. */
enum wf_rc wf_fail_specification(struct wf_error *err, uint64_t key);
enum wf_rc wf_fail_in_use(struct wf_error *err, uint64_t key);
enum wf_rc wf_fail_record(
    struct wf_error *err, const char *kind, const char *name);
/*
 * Whether now is the next change after the one that the caller of
 * wf_store_put_records() or wf_store_put_specification() has seen.
 */
enum wf_rc wf_judge_change(
    uint64_t seen, uint64_t now, struct wf_error *err) WF_MUSTCHECK;
/* The record has not the change that the caller has read. */
enum wf_rc wf_fail_changed(
    struct wf_error *err, const struct wf_record_row *expected);
/* Whether a reader of records that has seen a change reads all. */
bool wf_is_far_behind(uint64_t after, uint64_t now);
/*
 * The last change whose removed records are forgotten when a change is made.
 * Twice as long ago as necessary: a reader asks for the number of changes
 * before it reads.
 */
uint64_t wf_forgotten_change(uint64_t now);

/*
 * Pointers to the rows, by number and sequence: the order in which positions
 * are given.  For wf_free().
 */
const struct wf_history_row **wf_history_sorted(
    const struct wf_history_row *rows, size_t count);

/* Thirty-two random digits for a new store. */
enum wf_rc wf_make_identity(
    char identity_out[33], struct wf_error *err) WF_MUSTCHECK;

/* The condition of SQL that selects those incidents, behind others. */
const char *wf_incidents_wanted(enum wf_incidents which);

/* --- item_queues.c --- */

/* Where the list begins: behind filter->after, or before or behind all rows. */
struct wf_queue_key wf_queue_start(const struct wf_queue_filter *filter);
/* -1, 0, 1: as the list has them, so descending ones the other way round. */
int wf_queue_compare(const struct wf_queue_filter *filter,
    const struct wf_queue_key *a, const struct wf_queue_key *b);
/* ",ID,", as left_out has it; "" for NULL. */
const char *wf_queue_left_out(struct wf_arena *arena, const char *participant);
/* Adds to the row of that assignment, which is added if it is missing. */
void wf_queue_count_add(struct wf_queue_counts *counts, uint32_t assignment,
    uint64_t items, struct wf_arena *arena);

/* The name of a counter in tables: "case", "incident", .. */
const char *wf_counter_name(enum wf_counter counter);

/* The approximate maximum of bytes of history that one call reads. */
#define WF_HISTORY_BYTES ((size_t)4 << 20)

/* Open a store of each kind; rest: the URL behind its scheme. */
enum wf_rc wf_memory_open(struct wf_store **store_out, const char *url,
    const char *rest, unsigned flags, struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_postgresql_open(struct wf_store **store_out, const char *url,
    const char *rest, unsigned flags, struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_sqlite_open(struct wf_store **store_out, const char *url,
    const char *rest, unsigned flags, struct wf_error *err) WF_MUSTCHECK;

#endif
