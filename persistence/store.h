/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store contract: what every place that keeps cases can do.
 *
 * There are three: memory (tests, simulation), SQLite (one node), PostgreSQL
 * (any number of nodes).  They give equal answers, order and errors.
 *
 * The heart is the batch, one transaction for the steps of many cases:
 *
 *   wf_store_begin()   takes the cases, tells their versions, and the state
 *      │               where it differs from what the caller holds; answers
 *      │               which names are free and which commands were done
 *      │ (the kernel steps the cases that were taken)
 *      ├─► wf_store_commit()   writes everything, or nothing
 *      └─► wf_store_abort()    lets go
 *
 * A case that was taken belongs to the batch until it is over; whoever wants
 * it meanwhile is told so at once, nobody waits.  Everything else is one call
 * and one transaction each.
 *
 * A handle belongs to one thread at a time; any number of handles can be
 * open on one store.  Closing a handle inside a batch aborts it, as does the
 * death of the process.  What is read is allocated from the caller's arena.
 *
 * Result codes, beside those that functions name: WF_IO (with what the
 * database said; nothing was done), WF_CORRUPT (stored rows make no sense),
 * WF_LIMIT (too large for the store), WF_UNAVAILABLE (no connection, no room,
 * ..: nobody's fault; nothing was done, the next call may do it), WF_LOST (the
 * connection broke, or the disk failed, at the commit of a call that writes:
 * it may be done or not).
 */
#ifndef WF_PERSISTENCE_STORE_H
#define WF_PERSISTENCE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "persistence/rows.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wf_store; /* opaque; the struct is in persistence/backend.h */

/* --- opening -------------------------------------------------------------- */

enum {
	WF_STORE_CREATE = 1,  /* makes the tables where there are none */
	WF_STORE_MIGRATE = 2, /* brings an older store forward */
	WF_STORE_UNSAFE = 4,  /* PostgreSQL: takes settings that lose data */
	/*
	 * SQLite: beside the process that has the file.  For records and for
	 * reading; such a handle begins no batch.
	 */
	WF_STORE_BESIDE = 8
};

/*
 * url: "memory:" (a store of its own), "memory:NAME" (shared by the handles
 * of this process, gone with the last of them), "sqlite:PATH",
 * "postgresql://..".  WF_INVALID for another URL.  WF_CONFLICT when the store
 * is not there or of another version than the flags allow, or when a file is
 * in use by another process.
 */
enum wf_rc wf_store_open(struct wf_store **store_out, const char *url,
    unsigned flags, struct wf_error *err) WF_MUSTCHECK;
void wf_store_close(struct wf_store **store);

/* A URL without its password; for wf_free(). */
char *wf_store_url_shown(const char *url);
/* The URL of the store, without its password. */
const char *wf_store_url(const struct wf_store *store);
/*
 * Whether other nodes (of this process, in memory) can use the same store.
 * If not, one thread should commit for all: more would only wait for each
 * other.
 */
bool wf_store_is_shared(const struct wf_store *store);
/* 32 hexadecimal digits, made with the store, for ever. */
const char *wf_store_identity(const struct wf_store *store);
/* The version of its tables, and the one that opening found; 0: none. */
uint32_t wf_store_version(const struct wf_store *store);
uint32_t wf_store_version_found(const struct wf_store *store);
/* Statements sent so far by this handle, for measuring. */
uint64_t wf_store_statements(const struct wf_store *store);

/* Numbers that are given out once, all over the store. */
enum wf_counter {
	WF_COUNTER_CASE,
	WF_COUNTER_INCIDENT,
	WF_COUNTER_MESSAGE, /* of announcements of no case */
	WF_COUNTER_ENGINE   /* openings of engines */
};

/*
 * Reserves count numbers, *first_out and those behind it; the first ever is
 * 1.  Numbers not used stay gaps.
 */
enum wf_rc wf_store_reserve(struct wf_store *store, enum wf_counter counter,
    uint64_t count, uint64_t *first_out, struct wf_error *err) WF_MUSTCHECK;
/* Sees to it that no number up to least is given out any more. */
enum wf_rc wf_store_reserve_above(struct wf_store *store,
    enum wf_counter counter, uint64_t least, struct wf_error *err) WF_MUSTCHECK;

/* --- the batch ------------------------------------------------------------ */

/* A case with all that is needed to load it. */
struct wf_stored_case {
	struct wf_case_row row;
	bool ended;
	/*
	 * The encoded case at row.snapshot_version (none: 0), and the steps
	 * after it up to row.version.
	 */
	struct wf_bytes snapshot;
	struct wf_history_row *tail;
	size_t tail_count;
};

enum wf_take_state {
	WF_TAKE_TAKEN,
	WF_TAKE_QUARANTINED, /* taken as well, but not to be stepped */
	WF_TAKE_SKIPPED,     /* in another batch: try again */
	WF_TAKE_MISSING	     /* not live: it has ended, or never was */
};

/* A case that a batch wants; each at most once. */
struct wf_take {
	uint64_t number;
	uint64_t known; /* the version that the caller holds; 0: none */

	enum wf_take_state state;
	/*
	 * When taken: the row, and the state too if row.version is not known.
	 */
	struct wf_stored_case stored;
};

enum wf_claim_state {
	WF_CLAIM_FREE, /* this batch may launch a case with that name */
	WF_CLAIM_USED,
	WF_CLAIM_BUSY /* in another batch: try again */
};

/* A name that a batch wants to give to a case; each at most once. */
struct wf_claim {
	uint32_t namespace_id;
	const char *name;

	enum wf_claim_state state;
	uint64_t number; /* USED: the case that has it */
};

enum wf_command_state {
	WF_COMMAND_NEW,
	WF_COMMAND_DONE, /* compare answer.request with what is asked now */
	WF_COMMAND_BUSY	 /* in another batch: try again */
};

/* The id of a command that a batch wants to do; each at most once. */
struct wf_look_up {
	const char *id;

	enum wf_command_state state;
	struct wf_answer_row answer; /* DONE */
};

/* What a batch begins with: the caller's arrays, filled in place. */
struct wf_batch {
	struct wf_take *takes;
	size_t take_count;
	struct wf_claim *claims;
	size_t claim_count;
	struct wf_look_up *commands;
	size_t command_count;
};

/*
 * Begins a batch.  On any failure there is none.  The texts and arrays of
 * batch must live until it is over.
 */
enum wf_rc wf_store_begin(struct wf_store *store, struct wf_batch *batch,
    struct wf_arena *arena, struct wf_error *err) WF_MUSTCHECK;

enum wf_case_change {
	WF_CASE_STEP,	    /* version grows, or only messages do */
	WF_CASE_END,	    /* the same, and the case leaves the live tables */
	WF_CASE_QUARANTINE, /* nothing changes but row.set_aside */
	WF_CASE_PUT_BACK
};

/*
 * A case in its new state.  expected: its version at begin; 0: it is new,
 * and its name was claimed.  Columns that never change are read from new
 * ones only, for which change is WF_CASE_STEP or WF_CASE_END.  snapshot: at
 * row.version; none: the old one stays.
 * WF_CASE_END removes the snapshot, the items and the due commands.
 */
struct wf_case_write {
	struct wf_case_row row;
	uint64_t expected;
	enum wf_case_change change;
	struct wf_bytes snapshot;
};

/*
 * Writes those groups of columns (WF_ITEM_..); 0: removes the row.  fresh, with
 * WF_ITEM_KERNEL: there is no such row, so nobody need look for one.
 */
struct wf_item_write {
	struct wf_item_row row;
	unsigned groups;
	bool fresh;
};

/* Adds the row, or replaces the one with its key; or removes that. */
struct wf_due_write {
	struct wf_due_row row;
	bool remove;
};

struct wf_incident_write {
	struct wf_incident_row row;
	bool remove;
};

/*
 * All that a batch writes.  Rows of a case may be written only if the case
 * was taken or is new; rows of no case, and incidents, always.  No key stands
 * twice in one array.  The history of a case runs without a gap from
 * expected + 1 to its new version.  Writing an item group to a row that is
 * not there does nothing, unless WF_ITEM_KERNEL is among them; removing what
 * is not there does nothing.
 */
struct wf_writes {
	const struct wf_case_write *cases;
	size_t case_count;
	const struct wf_item_write *items;
	size_t item_count;
	const struct wf_value_row *values;
	size_t value_count;
	const struct wf_history_row *history;
	size_t history_count;
	const struct wf_due_write *due;
	size_t due_count;
	const struct wf_message_row *messages;
	size_t message_count;
	const struct wf_answer_row *answers;
	size_t answer_count;
	const struct wf_incident_write *incidents;
	size_t incident_count;
};

/*
 * Writes all of it, or nothing; the batch is over either way.  WF_CONFLICT:
 * a version is not the expected one, or a name, a command, a large value or a
 * fresh item is there already.  After WF_LOST the caller forgets the cases it
 * holds and begins again with the ids of its commands.  *culprit_out (may be
 * NULL): the case to blame, 0 when the store cannot tell.
 */
enum wf_rc wf_store_commit(struct wf_store *store,
    const struct wf_writes *writes, uint64_t *culprit_out,
    struct wf_error *err) WF_MUSTCHECK;
/* Does nothing outside a batch. */
void wf_store_abort(struct wf_store *store);

/*
 * A large value of a case, also inside a batch.  WF_NOT_FOUND.
 */
enum wf_rc wf_store_value(struct wf_store *store, uint64_t number,
    uint32_t value, struct wf_arena *arena, struct wf_bytes *text_out,
    struct wf_error *err) WF_MUSTCHECK;

/* Drops answers given before that time, at most limit of them. */
enum wf_rc wf_store_forget_answers(struct wf_store *store, int64_t before,
    size_t limit, size_t *count_out, struct wf_error *err) WF_MUSTCHECK;

/* --- cases and items ------------------------------------------------------ */

/* numbers_out[i]: the case called names[i], live or not; 0: there is none. */
enum wf_rc wf_store_find(struct wf_store *store, uint32_t namespace_id,
    const char *const *names, size_t count, uint64_t *numbers_out,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * A case as it is now, live or ended, without taking it; with its state
 * (that of an ended case is its whole history).  WF_NOT_FOUND.
 */
enum wf_rc wf_store_case(struct wf_store *store, uint64_t number, bool state,
    struct wf_arena *arena, struct wf_stored_case *case_out,
    struct wf_error *err) WF_MUSTCHECK;

/* Zeros and NULL select everything. */
struct wf_case_filter {
	uint32_t namespace_id;
	uint64_t specification;
	uint32_t statuses; /* bit 1 << status for each that is wanted */
	bool live;	   /* neither or both: all cases */
	bool ended;
	bool set_aside;	 /* only such */
	bool descending; /* latest number first */
	uint64_t after;	 /* the last number of the page before */
	size_t limit;	 /* at least 1 */
};

struct wf_case_list {
	struct wf_stored_case *rows; /* without state */
	size_t count;
};

enum wf_rc wf_store_cases(struct wf_store *store,
    const struct wf_case_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err) WF_MUSTCHECK;

struct wf_item_filter {
	uint32_t namespace_id;
	uint64_t number;
	uint64_t specification;
	const char *task;
	const char *service;
	const char *participant;
	uint32_t statuses;
	uint64_t after_number; /* the last item of the page before */
	const char *after_id;
	size_t limit;
};

struct wf_item_list {
	struct wf_item_row *rows; /* in the order of number, then id bytewise */
	size_t count;
};

enum wf_rc wf_store_items(struct wf_store *store,
    const struct wf_item_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err) WF_MUSTCHECK;

/* One of them.  WF_NOT_FOUND. */
enum wf_rc wf_store_item(struct wf_store *store, uint64_t number,
    const char *id, struct wf_arena *arena, struct wf_item_row *row_out,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Leases: the hand-over of an item to a worker, without a step.  Claiming
 * takes the items that filter selects, that nobody has now and that may be
 * handed over, the earliest enabled first, then by number and id; attempt and
 * fence grow by one.
 * service is compared even if it is "".  after_.. are not read.
 */
enum wf_rc wf_store_claim_items(struct wf_store *store,
    const struct wf_item_filter *filter, const char *owner, int64_t now,
    int64_t until, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;
/* WF_NOT_FOUND: no such item.  WF_CONFLICT: someone else has it, or nobody. */
enum wf_rc wf_store_heartbeat(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t until,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Gives back what was not even started: the claim was no attempt.  It is handed
 * over again from not_before on.
 */
enum wf_rc wf_store_release(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t not_before,
    struct wf_error *err) WF_MUSTCHECK;
/* Items whose lease is over at now, the earliest first, then as listed. */
enum wf_rc wf_store_expired_items(struct wf_store *store, int64_t now,
    size_t limit, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;

/* --- due ------------------------------------------------------------------ */

struct wf_due_list {
	struct wf_due_row *rows;
	size_t count;
};

/*
 * Claims commands that are due at now, by the time from which they could be
 * claimed, number, name: until then they are not given to others, and
 * attempts has grown.  They are removed by the batch of the step
 * that they cause; one that is not is claimed again later.
 */
enum wf_rc wf_store_claim_due(struct wf_store *store, int64_t now,
    int64_t until, size_t limit, struct wf_arena *arena,
    struct wf_due_list *list_out, struct wf_error *err) WF_MUSTCHECK;
/* When the next can be claimed; INT64_MAX when there is none. */
enum wf_rc wf_store_next_due(
    struct wf_store *store, int64_t *at_out, struct wf_error *err) WF_MUSTCHECK;
/* At most limit of one case (0: of none), by name, behind the name after. */
enum wf_rc wf_store_due_of(struct wf_store *store, uint64_t number,
    const char *after, size_t limit, struct wf_arena *arena,
    struct wf_due_list *list_out, struct wf_error *err) WF_MUSTCHECK;

/* --- outbox --------------------------------------------------------------- */

struct wf_message_list {
	/* By the time from which they could be claimed, number, message. */
	struct wf_message_row *rows;
	size_t count;
};

struct wf_message_key {
	uint64_t number;
	uint64_t message;
};

/*
 * Claims announcements that are the first of their stream and may be sent at
 * now: until then they are not given to others, and attempts has grown.
 * destination: NULL for all.
 */
enum wf_rc wf_store_claim_messages(struct wf_store *store,
    const char *destination, int64_t now, int64_t until, size_t limit,
    struct wf_arena *arena, struct wf_message_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;
/* They have arrived and are removed; those that are gone are passed over. */
enum wf_rc wf_store_acknowledge(struct wf_store *store,
    const struct wf_message_key *keys, size_t count,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * They can be claimed again from at on.  tried: else the last claim was none,
 * and their attempts, if there are any, are one less.
 */
enum wf_rc wf_store_postpone(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, int64_t at, bool tried,
    struct wf_error *err) WF_MUSTCHECK;
/* They go to another destination, from now on, their attempts forgotten. */
enum wf_rc wf_store_redirect(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, const char *destination,
    struct wf_error *err) WF_MUSTCHECK;

/* --- history -------------------------------------------------------------- */

struct wf_history_filter {
	uint32_t namespace_id;
	uint64_t specification;
	struct wf_cursor after;
	size_t limit;
};

struct wf_history_list {
	struct wf_history_row *rows; /* in the order of the stream */
	size_t count;
	/*
	 * Where to go on; beyond the last row when rows that the filter does
	 * not select come after it.
	 */
	struct wf_cursor next;
};

/*
 * Reads the stream of all history.  No row ever appears before a cursor that
 * was handed out.  Ends early, after at least one row, when the rows get
 * large.  WF_GONE when rows after the cursor have been retired since it
 * was handed out; the zero cursor is always good.
 */
enum wf_rc wf_store_history(struct wf_store *store,
    const struct wf_history_filter *filter, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err) WF_MUSTCHECK;
/* The end of the stream now. */
enum wf_rc wf_store_history_end(struct wf_store *store,
    struct wf_cursor *cursor_out, struct wf_error *err) WF_MUSTCHECK;
/* Steps of one case after that sequence, in order; also of an ended case. */
enum wf_rc wf_store_case_history(struct wf_store *store, uint64_t number,
    uint64_t after, size_t limit, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err) WF_MUSTCHECK;
/*
 * Drops the history, large values, rows and dropped incidents of cases that
 * ended before that time, at most limit cases; incidents of no case that were
 * dropped before it; and specifications that were removed and that nothing
 * needs any more.  Names stay in use.
 */
enum wf_rc wf_store_retire(struct wf_store *store, int64_t before, size_t limit,
    size_t *count_out, struct wf_error *err) WF_MUSTCHECK;

/* --- incidents (opened and closed in batches) ------------------------------
 */

enum wf_incidents {
	WF_INCIDENTS_OPEN, /* that wait for a person */
	WF_INCIDENTS_DROPPED,
	WF_INCIDENTS_ALL
};

struct wf_incident_filter {
	enum wf_incidents which;
	uint32_t namespace_id;
	uint64_t number;
	const char *code;
	uint64_t after; /* the last id of the page before */
	size_t limit;
};

struct wf_incident_list {
	struct wf_incident_row *rows; /* by id */
	size_t count;
};

enum wf_rc wf_store_incidents(struct wf_store *store,
    const struct wf_incident_filter *filter, struct wf_arena *arena,
    struct wf_incident_list *list_out, struct wf_error *err) WF_MUSTCHECK;
/* WF_NOT_FOUND. */
enum wf_rc wf_store_incident(struct wf_store *store, uint64_t id,
    struct wf_arena *arena, struct wf_incident_row *row_out,
    struct wf_error *err) WF_MUSTCHECK;

/* --- specifications and records ------------------------------------------- */

/*
 * The number of the last change to specifications and records: nodes that
 * remember it read what has changed since.
 */
enum wf_rc wf_store_change(struct wf_store *store, uint64_t *change_out,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Adds a specification, or brings back a removed one.  WF_CONFLICT when the
 * key is there with another source.
 */
enum wf_rc wf_store_put_specification(struct wf_store *store,
    const struct wf_specification_row *row, struct wf_error *err) WF_MUSTCHECK;
/* Also one that was removed, as long as it is kept.  WF_NOT_FOUND. */
enum wf_rc wf_store_specification(struct wf_store *store, uint32_t namespace_id,
    uint64_t key, struct wf_arena *arena, struct wf_specification_row *row_out,
    struct wf_error *err) WF_MUSTCHECK;
/* WF_NOT_FOUND; WF_CONFLICT while cases of it are live. */
enum wf_rc wf_store_remove_specification(struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct wf_error *err) WF_MUSTCHECK;

struct wf_specification_filter {
	uint32_t namespace_id;
	uint64_t changed_after; /* 0: all but those removed */
};

struct wf_specification_list {
	/* By change; without source and numbering. */
	struct wf_specification_row *rows;
	size_t count;
};

enum wf_rc wf_store_specifications(struct wf_store *store,
    const struct wf_specification_filter *filter, struct wf_arena *arena,
    struct wf_specification_list *list_out, struct wf_error *err) WF_MUSTCHECK;

/* Adds or replaces; a value that is none removes. */
enum wf_rc wf_store_put_record(struct wf_store *store,
    const struct wf_record_row *row, struct wf_error *err) WF_MUSTCHECK;
/* WF_NOT_FOUND. */
enum wf_rc wf_store_record(struct wf_store *store, uint32_t namespace_id,
    const char *kind, const char *name, struct wf_arena *arena,
    struct wf_record_row *row_out, struct wf_error *err) WF_MUSTCHECK;

struct wf_record_list {
	struct wf_record_row *rows; /* by namespace, then name bytewise */
	size_t count;
};

/* All records of a kind, in all namespaces. */
enum wf_rc wf_store_records(struct wf_store *store, const char *kind,
    struct wf_arena *arena, struct wf_record_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;

/* --- between nodes -------------------------------------------------------- */

/* Tells the other nodes, if there are any, that something was committed. */
enum wf_rc wf_store_notify(
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
/*
 * Waits until another node has told, or the time is over; on a store of one
 * node it returns at once.  For a thread and a handle of its own.
 */
enum wf_rc wf_store_wait(struct wf_store *store, int milliseconds,
    bool *told_out, struct wf_error *err) WF_MUSTCHECK;

/* --- keeping a store ------------------------------------------------------ */

/* What is open, and what waits. */
struct wf_store_backlog {
	uint64_t live; /* cases, those set aside among them */
	uint64_t incidents;
	uint64_t due;	  /* commands that are due now or later */
	int64_t next_due; /* when the first is; INT64_MAX: there is none */
	uint64_t messages;
	int64_t oldest_message; /* when it was made; INT64_MAX: there is none */
};

/* Counts the live, so not for every moment. */
enum wf_rc wf_store_backlog(struct wf_store *store,
    struct wf_store_backlog *backlog_out, struct wf_error *err) WF_MUSTCHECK;

/* How much there is of everything; counted, so not for every moment. */
struct wf_store_facts {
	uint64_t live; /* cases, those set aside among them */
	uint64_t ended;
	uint64_t set_aside;
	uint64_t incidents;	 /* that wait for a person */
	uint64_t specifications; /* that may be launched */
	uint64_t bytes;		 /* that it takes; 0: nobody knows */
	uint64_t spare;		 /* of them: not in use now */
};

enum wf_rc wf_store_facts(struct wf_store *store,
    struct wf_store_facts *facts_out, struct wf_error *err) WF_MUSTCHECK;

/* So many steps and items of a case are in its exported, at most. */
#define WF_CASE_EXPORT_ROWS 256U

/* All that is kept of a case; its large values are read one by one. */
struct wf_case_export {
	struct wf_stored_case stored;	/* with its state, if it is live */
	struct wf_history_list history; /* from its first step on */
	struct wf_item_list items;	/* from the first id on */
	struct wf_due_list due;		/* as wf_store_due_of() has it */
};

struct wf_case_export_list {
	struct wf_case_export *rows;
	size_t count;
};

/*
 * The cases, live and ended, with numbers after that one, by number; at most
 * limit, and fewer when they are large, but one if there is one.  For reading
 * all of a store; what others commit meanwhile may be in one part of a exported
 * and not in another.
 */
enum wf_rc wf_store_case_exports(struct wf_store *store, uint64_t after,
    size_t limit, struct wf_arena *arena, struct wf_case_export_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;

/* number: the case; 0: none. */
typedef void (*wf_notify_f)(void *context, uint64_t number, const char *what);

/*
 * Tells what is wrong with the store as such: what the database finds where
 * it can check itself, and rows that do not belong together, such as work
 * items of no case.  What rows say is not looked at.  WF_CORRUPT: it had to
 * end early.
 */
enum wf_rc wf_store_verify(struct wf_store *store, wf_notify_f tell,
    void *context, struct wf_error *err) WF_MUSTCHECK;

/*
 * Copies all of the store, as it is at one moment, into a new file, which is
 * whole and on the disk, or not there at all.  Others go on meanwhile.
 * WF_CONFLICT: there is a file of that name; WF_UNSUPPORTED: not a file of
 * SQLite.
 */
enum wf_rc wf_store_backup(struct wf_store *store, const char *path,
    struct wf_error *err) WF_MUSTCHECK;

/* --- for tests ------------------------------------------------------------ */

enum wf_fault {
	WF_FAULT_BEFORE, /* the statement is not done */
	/* It is done, and its answer lost: a commit gives WF_LOST. */
	WF_FAULT_AFTER
};

/*
 * The n-th statement from now on (1 is the next) fails with WF_IO, once;
 * 0 ends that.  Memory counts each array that a batch reads or writes, and
 * the commit, as one.
 */
void wf_store_fail_after(
    struct wf_store *store, uint64_t n, enum wf_fault fault);
/* So many statements of this handle failed that way. */
uint64_t wf_store_faults(const struct wf_store *store);

#ifdef __cplusplus
}
#endif

#endif
