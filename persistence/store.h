/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store contract: what every implementation that keeps cases can do.
 *
 * There are three: memory (tests, simulation), SQLite (one node), PostgreSQL
 * (any number of nodes).  They give equal answers, order and errors.
 *
 * The central operation is the batch, one transaction for the steps of many
 * cases:
 *
 *    idle
 *      │ wf_store_begin()    takes the cases; returns their versions, and the
 *      │                     state where it differs from what the caller holds;
 *      │                     looks up which names are free and which commands
 *      ▼                     were done
 *    begun                   (the kernel steps the cases that were taken)
 *      ├─ wf_store_commit()  writes everything, or nothing ──► idle
 *      └─ wf_store_abort()   releases the cases ─────────────► idle
 *
 * A case that was taken belongs to the batch until the batch ends; another
 * batch that wants it gets WF_TAKE_SKIPPED at once and does not wait.
 * Everything else is one call and one transaction each.
 *
 * A handle belongs to one thread at a time; any number of handles can be
 * open on one store.  Closing a handle inside a batch aborts the batch, as does
 * the death of the process.  What is read is allocated from the caller's arena.
 *
 * Result codes, beside those that functions name: WF_IO (with the message of
 * the database; nothing was done), WF_CORRUPT (stored rows contradict each
 * other), WF_LIMIT (too large for the store), WF_UNAVAILABLE (no connection, no
 * room, ..: a state of the world; nothing was done, the next call may succeed),
 * WF_LOST (the connection broke, or the disk failed, at the commit of a call
 * that writes: it may be done or not).
 */
#ifndef WF_PERSISTENCE_STORE_H
#define WF_PERSISTENCE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "persistence/case_files.h"
#include "persistence/figures.h"
#include "persistence/rows.h"
#include "persistence/where.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wf_store; /* opaque */

/* --- opening -------------------------------------------------------------- */

enum {
	WF_STORE_CREATE = 1,  /* makes the tables where there are none */
	WF_STORE_MIGRATE = 2, /* brings an older store forward */
	WF_STORE_UNSAFE = 4,  /* PostgreSQL: accepts settings that lose data */
	/*
	 * SQLite: opens a file that another process has locked.  For records
	 * and for reading; such a handle begins no batch.
	 */
	WF_STORE_BESIDE = 8
};

/*
 * url: "memory:" (a store of its own), "memory:NAME" (shared by the handles
 * of this process, gone with the last of them), "sqlite:PATH",
 * "postgresql://..".  WF_INVALID for another URL.  WF_CONFLICT when the store
 * does not exist or has another version than the flags allow, or when a file is
 * in use by another process.
 */
enum wf_rc wf_store_open(struct wf_store **store_out, const char *url,
    unsigned flags, struct wf_error *err) WF_MUSTCHECK;
void wf_store_close(struct wf_store **store);

/* A copy of a URL without its password; for wf_free(). */
char *wf_store_url_shown(const char *url);
/* The URL of the store, without its password. */
const char *wf_store_url(const struct wf_store *store);
/*
 * Whether other nodes (in memory: of this process) can use the same store.  If
 * not, one thread should commit for all: several would wait for each other.
 */
bool wf_store_is_shared(const struct wf_store *store);
/* 32 hexadecimal digits, made with the store; they never change. */
const char *wf_store_identity(const struct wf_store *store);
/*
 * The version of its tables when it was opened, and the one found there; 0:
 * none.  Tables that a later Weft has migrated and not finished can be opened.
 */
uint32_t wf_store_version(const struct wf_store *store);
uint32_t wf_store_version_found(const struct wf_store *store);
/* Statements sent so far by this handle, for measuring. */
uint64_t wf_store_statements(const struct wf_store *store);

/* Counters of the store; each number is given out once. */
enum wf_counter {
	WF_COUNTER_CASE,
	WF_COUNTER_INCIDENT,
	WF_COUNTER_MESSAGE, /* of announcements of no case */
	WF_COUNTER_ENGINE,  /* openings of engines */
	WF_COUNTER_DOCUMENT,
	WF_COUNTER_AUDIT,
	WF_COUNTER_COMMENT,
	WF_COUNTER_OPERATION
};

/*
 * Reserves count numbers, *first_out and those behind it; the first ever is
 * 1.  Numbers not used stay gaps.
 */
enum wf_rc wf_store_reserve(struct wf_store *store, enum wf_counter counter,
    uint64_t count, uint64_t *first_out, struct wf_error *err) WF_MUSTCHECK;
/* From now on the counter gives out numbers above least only. */
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
	WF_TAKE_QUARANTINED, /* taken, but must not be stepped */
	WF_TAKE_SKIPPED,     /* in another batch: try again */
	WF_TAKE_MISSING	     /* not live: it has ended, or never existed */
};

/* A case that a batch wants; each at most once. */
struct wf_take {
	uint64_t number;
	uint64_t known; /* the version that the caller holds; 0: none */

	enum wf_take_state state;
	/* When taken: the row; and the state if row.version is not "known". */
	struct wf_stored_case stored;
	bool has_incidents; /* .. that are open */
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
	WF_COMMAND_DONE, /* the caller compares answer.request */
	WF_COMMAND_BUSY	 /* in another batch: try again */
};

/* The id of a command that a batch wants to execute; each at most once. */
struct wf_lookup {
	const char *id;

	enum wf_command_state state;
	struct wf_answer_row answer; /* DONE */
};

/* The input of a batch: arrays of the caller, filled in place. */
struct wf_batch {
	struct wf_take *takes;
	size_t take_count;
	struct wf_claim *claims;
	size_t claim_count;
	struct wf_lookup *commands;
	size_t command_count;
};

/*
 * Begins a batch.  After a failure there is no batch.  The texts and arrays of
 * batch must live until it ends.
 */
enum wf_rc wf_store_begin(struct wf_store *store, struct wf_batch *batch,
    struct wf_arena *arena, struct wf_error *err) WF_MUSTCHECK;

enum wf_case_change {
	WF_CASE_STEP,	    /* version grows, or messages only */
	WF_CASE_END,	    /* as STEP; the case leaves the live tables */
	WF_CASE_QUARANTINE, /* sets row.set_aside; else messages only */
	WF_CASE_PUT_BACK    /* clears it */
};

/*
 * A case in its new state.  expected: its version at begin; 0: it is new,
 * and its name was claimed.  The group ROW of its columns (rows.def) is read
 * from new cases only, for which change is WF_CASE_STEP or WF_CASE_END.
 * snapshot: at row.version; none: the old one stays.
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
 * WF_ITEM_KERNEL: the caller knows that there is no such row, so the store does
 * not search for one.
 */
struct wf_item_write {
	struct wf_item_row row;
	unsigned groups;
	bool fresh;
};

/*
 * The row of an item, with its lease and its draft, and its documents get
 * another id.  A row that has that id, and gets none, is removed.  Items that
 * are written with it are not fresh.
 */
struct wf_item_rename {
	uint64_t number;
	const char *id;
	const char *new_id;
};

/* Adds the row, or replaces or removes the one with its key. */
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
 * was taken or is new; rows of no case, and incidents, always.  Each key is in
 * an array at most once.  The history of a case runs without a gap from
 * expected + 1 to its new version.  Writing groups of an item that does not
 * exist does nothing, unless WF_ITEM_KERNEL is among them; so does removing a
 * row that does not exist.
 */
struct wf_writes {
	const struct wf_case_write *cases;
	size_t case_count;
	/* All at once, and before the items are written. */
	const struct wf_item_rename *renames;
	size_t rename_count;
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
	/* Added where they are missing; the same one may occur again. */
	const struct wf_involved_row *involved;
	size_t involved_count;
	/* Cases that are of another specification from a step of theirs on. */
	const struct wf_migrated_row *migrated;
	size_t migrated_count;
	/* Added, or the text of the row with its key is replaced. */
	const struct wf_term_row *terms;
	size_t term_count;
};

/*
 * Writes all of it, or nothing; the batch ends either way.  WF_CONFLICT: a
 * version is not the expected one, or a name, a command, a large value or a
 * fresh item exists already.  After WF_LOST the caller drops the cases it holds
 * and begins again with the ids of its commands.  *cause_out (may be NULL):
 * the case that caused the failure, 0 when it is not known.
 */
enum wf_rc wf_store_commit(struct wf_store *store,
    const struct wf_writes *writes, uint64_t *cause_out,
    struct wf_error *err) WF_MUSTCHECK;
/* Does nothing outside a batch. */
void wf_store_abort(struct wf_store *store);

/* Reads a large value of a case, also inside a batch.  WF_NOT_FOUND. */
enum wf_rc wf_store_value(struct wf_store *store, uint64_t number,
    uint32_t value, struct wf_arena *arena, struct wf_bytes *text_out,
    struct wf_error *err) WF_MUSTCHECK;

/* Drops answers given before that time, at most limit of them. */
enum wf_rc wf_store_forget_answers(struct wf_store *store, int64_t before,
    size_t limit, size_t *count_out, struct wf_error *err) WF_MUSTCHECK;

/* --- cases and items ------------------------------------------------------ */

/* numbers_out[i]: the case with names[i], live or ended; 0: there is none. */
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

/* What a list is of: keys, each once, at most WF_LIST_VERSIONS. */
struct wf_specification_keys {
	const uint64_t *keys;
	size_t count;
};

/* Of the one with that key, which must stay; 0: of all. */
struct wf_specification_keys wf_one_specification(const uint64_t *key);
/* Whether that one is among them, or there are none, which means all. */
bool wf_is_specification(
    const struct wf_specification_keys *specifications, uint64_t key);

/*
 * Which cases.  Zeros and NULL select everything.  words and where need a
 * namespace.
 */
struct wf_case_filter {
	uint32_t namespace_id;
	struct wf_specification_keys specifications;
	bool live; /* neither or both: all cases */
	bool ended;
	bool descending; /* latest number first */
	uint64_t after;	 /* the last number of the page before */
	size_t limit;	 /* at least 1 */

	/* Conditions that are checked for each row: see wf_store_cases(). */
	uint32_t statuses; /* 1 << status for each that is wanted */
	bool set_aside;	   /* quarantined ones only */
	/* Who has started it or worked on it. */
	const char *participant;
	/* Each is the beginning of a word of the title or the name. */
	const struct wf_word_set *words;
	const char *title; /* the whole of it; upper and lower case are one */
	int64_t launched_from;
	int64_t launched_before; /* 0: any time */
	int64_t changed_before;	 /* 0: any time */
	int64_t ended_from;	 /* it has ended since then; 0: any */
	const char *incident; /* it has an open one of that code; "": of any */
	const struct wf_where_node *where; /* holds for its variables */
};

struct wf_case_list {
	struct wf_stored_case *rows; /* without state */
	size_t count;
	/* The "after" of the next page; 0: there is none. */
	uint64_t next;
};

/* The cases that one page examines, at most. */
#define WF_CASES_EXAMINED 10000U

/*
 * The cases that the filter selects, by number.  With conditions, a page
 * examines at most WF_CASES_EXAMINED cases, found by the participant or the
 * most selective of the words, comparisons and incidents, and so may have fewer
 * rows than limit, or none, although there is a next one.
 */
enum wf_rc wf_store_cases(struct wf_store *store,
    const struct wf_case_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err) WF_MUSTCHECK;

/* Terms between two places in the order of field, then text. */
struct wf_term_range {
	uint32_t namespace_id;
	const char *field;
	const char *text;
	/* Up to but without this place; NULL: only those at the first one. */
	const char *end_field;
	const char *end_text;
};

/*
 * The numbers of cases with a term in the range, at most limit.  Only those at
 * one place are read behind a case (after; 0: from the first on) and by number;
 * others are in no order, and a number may occur several times.
 */
enum wf_rc wf_store_find_terms(struct wf_store *store,
    const struct wf_term_range *range, uint64_t after, bool descending,
    size_t limit, uint64_t *numbers_out, size_t *count_out,
    struct wf_error *err) WF_MUSTCHECK;

struct wf_term_list {
	struct wf_term_row *rows; /* in the order of the cases, by field */
	size_t count;
};

/* The variables that these cases are found by; of each number once. */
enum wf_rc wf_store_variables(struct wf_store *store, const uint64_t *numbers,
    size_t count, struct wf_arena *arena, struct wf_term_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;
/* The cases with these numbers that are kept, in that order. */
enum wf_rc wf_store_numbered_cases(struct wf_store *store,
    const uint64_t *numbers, size_t count, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err) WF_MUSTCHECK;
/*
 * Writes terms of a case outside of a batch, as wf_writes does, if it still
 * has that version and no batch has taken it; else *written_out is false.  What
 * is written may be lost in a crash until something else is committed.
 */
enum wf_rc wf_store_put_terms(struct wf_store *store, uint64_t number,
    uint64_t version, const struct wf_term_row *rows, size_t count,
    bool *written_out, struct wf_error *err) WF_MUSTCHECK;

struct wf_involved_filter {
	const char *participant;
	bool ascending; /* the oldest number first, else the latest */
	uint64_t after; /* the last number of the page before; 0: none */
	size_t limit;	/* at least 1 */
};

/*
 * The cases that a participant has started or worked on, live and ended, as far
 * as they are kept, by number.  Costs its rows, however many cases there are.
 */
enum wf_rc wf_store_involved_cases(struct wf_store *store,
    const struct wf_involved_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err) WF_MUSTCHECK;
/* Whether the participant has started or worked on the case. */
enum wf_rc wf_store_is_involved(struct wf_store *store, const char *participant,
    uint64_t number, bool *is_out, struct wf_error *err) WF_MUSTCHECK;

/* The service of items that are for people: no worker can claim them. */
#define WF_PEOPLE_SERVICE "weft:people"

struct wf_item_filter {
	uint32_t namespace_id;
	uint64_t number;
	struct wf_specification_keys specifications; /* of their cases */
	const char *task;
	const char *service;
	uint32_t statuses;
	bool leased; /* only those that a worker has started under a lease */
	int64_t enabled_before; /* 0: any time */
	uint64_t after_number;	/* the last item of the page before */
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

struct wf_found_items {
	struct wf_item_list items;
	/* The after_number and after_id of the next page; NULL: there is none.
	 */
	uint64_t next_number;
	const char *next_id;
};

/*
 * The items that the filter selects of the cases that the other one selects
 * (its after and limit are not read); with an incident, those that have it.  As
 * wf_store_cases(), a page examines a bounded number of cases, and so may be
 * short although there is a next one.
 */
enum wf_rc wf_store_find_items(struct wf_store *store,
    const struct wf_item_filter *filter, const struct wf_case_filter *cases,
    struct wf_arena *arena, struct wf_found_items *found_out,
    struct wf_error *err) WF_MUSTCHECK;

/* Reads one item.  WF_NOT_FOUND. */
enum wf_rc wf_store_item(struct wf_store *store, uint64_t number,
    const char *id, struct wf_arena *arena, struct wf_item_row *row_out,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Leases: the hand-over of an item to a worker, without a step.  Claiming
 * selects items by filter; those without a lease whose not_before has passed
 * are leased, by the time since which they can be (not_before, or if that is 0
 * enabled_at), then enabled_at, number and id; attempt and fence grow by one.
 * An item that was never put off (not_before is 0) can be leased at any time,
 * also before enabled_at: clocks of nodes differ, and are set back.  service is
 * compared even if it is ""; after_.. are not read, and specifications are not
 * given.
 */
enum wf_rc wf_store_claim_items(struct wf_store *store,
    const struct wf_item_filter *filter, const char *owner, int64_t now,
    int64_t until, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Extends a lease.  WF_NOT_FOUND: no such item.  WF_CONFLICT: that owner has no
 * lease with that fence.
 */
enum wf_rc wf_store_heartbeat(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t until,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Ends the lease of an item that was not started: the claim does not count as
 * an attempt.  The item can be leased again from not_before on.  WF_NOT_FOUND:
 * no such item.  WF_CONFLICT: that owner has no lease with that fence, or the
 * item was started, and a step must end the lease.
 */
enum wf_rc wf_store_release(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t not_before,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Writes how the last attempt to hand items over ended: attempt, not_before and
 * last_answer (which stays if none is given), by number and id.  Items that are
 * gone, leased, or being written by another at this moment stay as they are.
 */
enum wf_rc wf_store_note_attempts(struct wf_store *store,
    const struct wf_item_row *rows, size_t count,
    struct wf_error *err) WF_MUSTCHECK;
/* Items whose lease has expired at now: by its end, then number and id. */
enum wf_rc wf_store_expired_items(struct wf_store *store, int64_t now,
    size_t limit, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;

/* --- drafts of forms ------------------------------------------------------ */

struct wf_draft_write {
	uint64_t number;
	const char *id;
	const char *queue; /* in which the item must stand; NULL: any */
	/* The draft that must be there, no data: none; NULL: any. */
	const struct wf_bytes *expected;
	struct wf_bytes draft; /* no data: it is removed */
};

/*
 * Saves what is filled in of an item's form.  It goes with the item, or with a
 * step that writes WF_ITEM_DRAFT.  WF_NOT_FOUND: no such item.  WF_CONFLICT: it
 * stands in another queue, or has another draft.
 */
enum wf_rc wf_store_put_draft(struct wf_store *store,
    const struct wf_draft_write *write, struct wf_error *err) WF_MUSTCHECK;

/* Reads the draft of an item; no data: it has none.  WF_NOT_FOUND. */
enum wf_rc wf_store_draft(struct wf_store *store, uint64_t number,
    const char *id, struct wf_arena *arena, struct wf_bytes *draft_out,
    struct wf_error *err) WF_MUSTCHECK;

/* --- queues of items ------------------------------------------------------ */

/*
 * An item for people stands in one queue: a column of rows.def, not "".  The
 * list of a person is that of several queues, merged in one of these orders;
 * enabled_at, number and id decide between equal ones.
 */
enum wf_queue_order {
	WF_QUEUE_BY_RANK,
	WF_QUEUE_BY_AGE, /* by enabled_at */
	WF_QUEUE_BY_DUE	 /* by due_at */
};

/* A place in a list. */
struct wf_queue_key {
	int64_t value; /* rank, 0 or due_at: what the order is by */
	int64_t enabled_at;
	uint64_t number;
	const char *id;
};

struct wf_queue_filter {
	const char *const *queues; /* each once, at most WF_LIST_QUEUES */
	size_t queue_count;
	enum wf_queue_order order;
	bool descending;
	const struct wf_queue_key *after; /* NULL: from the beginning */
	size_t limit;			  /* 1 to WF_QUEUED_ROWS */
};

/* The place of a row, from which the next page continues. */
struct wf_queue_key wf_queue_key_of(
    enum wf_queue_order order, const struct wf_item_row *row);

/*
 * The first items of these queues behind that place, in that order.  At most
 * one row is visited for each queue, and half the square of the limit, however
 * many items wait; none of another queue.
 */
enum wf_rc wf_store_queued_items(struct wf_store *store,
    const struct wf_queue_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err) WF_MUSTCHECK;

struct wf_queue_count {
	uint32_t assignment;
	uint64_t items;
};

struct wf_queue_counts {
	struct wf_queue_count *rows; /* by assignment; none is 0 */
	size_t count;
	bool more; /* the maximum was reached: there may be others */
};

/*
 * Counts the items of these queues (each once, at most WF_LIST_QUEUES) by their
 * assignment, but those that leave the participant out (NULL: nobody); at most
 * maximum are inspected.
 */
enum wf_rc wf_store_count_queued(struct wf_store *store,
    const char *const *queues, size_t queue_count, const char *participant,
    uint64_t maximum, struct wf_arena *arena,
    struct wf_queue_counts *counts_out, struct wf_error *err) WF_MUSTCHECK;

/*
 * Counts the items of each of these queues (at most WF_LIST_QUEUES) that have
 * one of the assignments (bits: 1 << assignment); of each queue the oldest
 * maximum are inspected.  items_out[i]: of queues[i].  In PostgreSQL that is
 * one statement, however many queues there are.
 */
enum wf_rc wf_store_count_each_queued(struct wf_store *store,
    const char *const *queues, size_t queue_count, uint32_t assignments,
    uint64_t maximum, uint64_t *items_out, struct wf_error *err) WF_MUSTCHECK;

/* --- due ------------------------------------------------------------------ */

struct wf_due_list {
	struct wf_due_row *rows;
	size_t count;
};

/*
 * Claims commands that are due at now, in the order of the time from which they
 * can be claimed, number, name.  They cannot be claimed again before "until",
 * and attempts grows by one.  The batch of the step that a command causes
 * removes it; one that is not removed is claimed again later.
 */
enum wf_rc wf_store_claim_due(struct wf_store *store, int64_t now,
    int64_t until, size_t limit, struct wf_arena *arena,
    struct wf_due_list *list_out, struct wf_error *err) WF_MUSTCHECK;
/* The time from which the next can be claimed; INT64_MAX: there is none. */
enum wf_rc wf_store_next_due(
    struct wf_store *store, int64_t *at_out, struct wf_error *err) WF_MUSTCHECK;
/* The first limit of one case (0: of none) by name, behind the name after. */
enum wf_rc wf_store_due_of(struct wf_store *store, uint64_t number,
    const char *after, size_t limit, struct wf_arena *arena,
    struct wf_due_list *list_out, struct wf_error *err) WF_MUSTCHECK;

/* --- outbox --------------------------------------------------------------- */

/*
 * Messages of one namespace to one destination.  A claim costs what it claims,
 * however many messages wait for this or for other destinations.
 */
struct wf_message_queue {
	uint32_t namespace_id;
	const char *destination;
	/* Listed: none can be claimed before.  Claimed from: those of then. */
	int64_t at;
	uint64_t most; /* claimed from: at most so many */
};

struct wf_message_queue_list {
	struct wf_message_queue *rows; /* by namespace, destination bytewise */
	size_t count;
};

/* Lists the first limit queues that are not empty, behind after, or NULL. */
enum wf_rc wf_store_message_queues(struct wf_store *store,
    const struct wf_message_queue *after, size_t limit, struct wf_arena *arena,
    struct wf_message_queue_list *list_out, struct wf_error *err) WF_MUSTCHECK;

/* Counts the streams of a queue; the count ends at maximum. */
enum wf_rc wf_store_count_messages(struct wf_store *store,
    uint32_t namespace_id, const char *destination, uint64_t maximum,
    uint64_t *count_out, struct wf_error *err) WF_MUSTCHECK;

struct wf_message_list {
	/* By queue, the time from which they can be claimed, number, message.
	 */
	struct wf_message_row *rows;
	size_t count;
};

struct wf_message_key {
	uint64_t number;
	uint64_t message;
};

/*
 * Claims announcements that are the first of their stream, from each of the
 * queues.  They cannot be claimed again before "until", and attempts grows by
 * one.
 */
enum wf_rc wf_store_claim_messages(struct wf_store *store,
    const struct wf_message_queue *queues, size_t queue_count, int64_t until,
    struct wf_arena *arena, struct wf_message_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;
/* Removes messages that have arrived; those that do not exist are ignored. */
enum wf_rc wf_store_acknowledge(struct wf_store *store,
    const struct wf_message_key *keys, size_t count,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Messages can be claimed again from "at" on.  tried: a delivery was attempted;
 * else attempts, if it is not 0, is reduced by one.
 */
enum wf_rc wf_store_postpone(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, int64_t at, bool tried,
    struct wf_error *err) WF_MUSTCHECK;
/* Gives messages another destination; attempts becomes 0. */
enum wf_rc wf_store_redirect(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, const char *destination,
    struct wf_error *err) WF_MUSTCHECK;

/* --- history -------------------------------------------------------------- */

struct wf_history_filter {
	uint32_t namespace_id;
	struct wf_specification_keys specifications;
	struct wf_cursor after;
	size_t limit;
};

struct wf_history_list {
	struct wf_history_row *rows; /* in the order of the stream */
	size_t count;
	/*
	 * Where to continue; behind the last row when rows follow it that the
	 * filter does not select.
	 */
	struct wf_cursor next;
};

/*
 * Reads the stream of all history.  No row ever appears before a cursor that
 * was returned.  Ends early, after at least one row, when the rows get
 * large.  WF_GONE when rows after the cursor have been retired since it
 * was returned; the zero cursor is always valid.
 */
enum wf_rc wf_store_history(struct wf_store *store,
    const struct wf_history_filter *filter, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err) WF_MUSTCHECK;
/* The present end of the stream. */
enum wf_rc wf_store_history_end(struct wf_store *store,
    struct wf_cursor *cursor_out, struct wf_error *err) WF_MUSTCHECK;
/* Steps of one case after that sequence, in order; also of an ended case. */
enum wf_rc wf_store_case_history(struct wf_store *store, uint64_t number,
    uint64_t after, size_t limit, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err) WF_MUSTCHECK;
/*
 * Deletes the history, large values, documents, comments, terms, rows and
 * dropped incidents of cases that ended before that time, at most limit cases;
 * incidents of no case that were dropped before it; and specifications that
 * were removed and that no case needs any more.  Names stay in use.
 */
enum wf_rc wf_store_retire(struct wf_store *store, int64_t before, size_t limit,
    size_t *count_out, struct wf_error *err) WF_MUSTCHECK;

/* --- ended cases: how long they are kept, and erasing --------------------- */

/* The ended cases of a specification that ended before that time. */
struct wf_ended_filter {
	uint32_t namespace_id;
	uint64_t specification;
	int64_t before;
	/* Those behind this one in their order; zeros: the first. */
	int64_t after;
	uint64_t after_number;
	size_t limit; /* at least 1 */
};

/* Those that ended first come first, then by number.  Costs its rows. */
enum wf_rc wf_store_ended(struct wf_store *store,
    const struct wf_ended_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err) WF_MUSTCHECK;
/*
 * As wf_store_retire(), these cases; what is live or gone, or cannot be retired
 * now, is left out.  *count_out: how many were retired.
 */
enum wf_rc wf_store_retire_cases(struct wf_store *store,
    const uint64_t *numbers, size_t count, size_t *count_out,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Erases an ended case at once: its history, values, documents, comments,
 * incidents, messages and rows.  Left are its name, which stays in use, and
 * this row, of which the group STORE is not read.  Cursors stay valid: readers
 * of the stream find its steps no more.  WF_NOT_FOUND: there is no such case.
 * WF_CONFLICT: it is live.
 */
#define WF_ERASE_RUNNING "the case runs: cancel it before it is erased"
enum wf_rc wf_store_erase(struct wf_store *store,
    const struct wf_erased_row *row, struct wf_error *err) WF_MUSTCHECK;
/* What is left of an erased case.  WF_NOT_FOUND: it was not erased. */
enum wf_rc wf_store_erased(struct wf_store *store, uint64_t number,
    struct wf_arena *arena, struct wf_erased_row *row_out,
    struct wf_error *err) WF_MUSTCHECK;

/* --- incidents (opened and closed in batches) ----------------------------- */

enum wf_incidents {
	WF_INCIDENTS_OPEN, /* those that wait for a person */
	WF_INCIDENTS_DROPPED,
	WF_INCIDENTS_ALL
};

/*
 * A list of one case, or of one namespace, costs its rows, except that a code
 * selects among all others that are wanted.
 */
struct wf_incident_filter {
	enum wf_incidents which;
	uint32_t namespace_id;
	uint64_t number;
	const char *code;
	bool light;	/* rows without their payload, which may be large */
	uint64_t after; /* the last id of the page before */
	size_t limit;
};

struct wf_incident_list {
	struct wf_incident_row *rows; /* by id */
	size_t count;
};

struct wf_open_incident {
	uint64_t id; /* 0: there is none */
	const char *code;
};

/*
 * For each case of these numbers, the first of its incidents that are open, of
 * that code (NULL: of any).
 */
enum wf_rc wf_store_open_incidents(struct wf_store *store,
    const uint64_t *numbers, size_t count, const char *code,
    struct wf_arena *arena, struct wf_open_incident *open_out,
    struct wf_error *err) WF_MUSTCHECK;
/* The numbers of the cases behind "after" that have one, each once, by number.
 */
enum wf_rc wf_store_incident_cases(struct wf_store *store, const char *code,
    uint64_t after, bool descending, size_t limit, uint64_t *numbers_out,
    size_t *count_out, struct wf_error *err) WF_MUSTCHECK;

enum wf_rc wf_store_incidents(struct wf_store *store,
    const struct wf_incident_filter *filter, struct wf_arena *arena,
    struct wf_incident_list *list_out, struct wf_error *err) WF_MUSTCHECK;
/* WF_NOT_FOUND. */
enum wf_rc wf_store_incident(struct wf_store *store, uint64_t id,
    struct wf_arena *arena, struct wf_incident_row *row_out,
    struct wf_error *err) WF_MUSTCHECK;

/* --- specifications and records ------------------------------------------- */

/*
 * The number of the last change to specifications and records: a node that
 * remembers it reads only what has changed since.
 */
enum wf_rc wf_store_change(struct wf_store *store, uint64_t *change_out,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Adds a specification, or brings back a removed one.  row->change: the
 * wf_store_change() with which the caller has decided to do so; 0: any.
 * WF_CONFLICT: there has been another change since, or the key exists with
 * another source; nothing is done.
 */
enum wf_rc wf_store_put_specification(struct wf_store *store,
    const struct wf_specification_row *row, struct wf_error *err) WF_MUSTCHECK;
/* Reads one; also one that was removed but is still kept.  WF_NOT_FOUND. */
enum wf_rc wf_store_specification(struct wf_store *store, uint32_t namespace_id,
    uint64_t key, struct wf_arena *arena, struct wf_specification_row *row_out,
    struct wf_error *err) WF_MUSTCHECK;
/* Removes one.  WF_NOT_FOUND; WF_CONFLICT while it has live cases. */
enum wf_rc wf_store_remove_specification(struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct wf_error *err) WF_MUSTCHECK;

struct wf_specification_filter {
	uint32_t namespace_id;
	uint64_t changed_after;
	bool removed; /* those too that were removed and are still kept */
};

struct wf_specification_list {
	/* By change; without source and numbering. */
	struct wf_specification_row *rows;
	size_t count;
};

enum wf_rc wf_store_specifications(struct wf_store *store,
    const struct wf_specification_filter *filter, struct wf_arena *arena,
    struct wf_specification_list *list_out, struct wf_error *err) WF_MUSTCHECK;

/* The change of a record that must not exist when it is written. */
#define WF_RECORD_NEW UINT64_MAX

/*
 * Adds and replaces records, and removes those whose value.data is NULL: all of
 * them as one change, or none.  Each record occurs at most once.  Its change:
 * that of the record that the caller has read, WF_RECORD_NEW, or 0: any.  seen:
 * the wf_store_change() with which the caller has decided to do so; 0: any.
 * *change_out (or NULL) becomes the number of this change.  WF_CONFLICT: there
 * has been another change of a record, or since seen; nothing is done.
 */
enum wf_rc wf_store_put_records(struct wf_store *store,
    const struct wf_record_row *rows, size_t count, uint64_t seen,
    uint64_t *change_out, struct wf_error *err) WF_MUSTCHECK;
/* The same for one record. */
enum wf_rc wf_store_put_record(struct wf_store *store,
    const struct wf_record_row *row, struct wf_error *err) WF_MUSTCHECK;
/* WF_NOT_FOUND. */
enum wf_rc wf_store_record(struct wf_store *store, uint32_t namespace_id,
    const char *kind, const char *name, struct wf_arena *arena,
    struct wf_record_row *row_out, struct wf_error *err) WF_MUSTCHECK;

struct wf_record_list {
	struct wf_record_row *rows; /* value.data NULL: removed */
	size_t count;
	/* Whole: all that there are; what the reader has besides is removed. */
	bool whole;
	uint64_t change; /* the last one that was seen: the next "after" */
};

/* A reader that is more changes behind reads all. */
#define WF_RECORD_CHANGES_KEPT 1000U

/*
 * The records of a kind, in all namespaces, that were changed or removed after
 * a change, by change, then namespace, then name bytewise.  after 0, or too
 * long ago: all that there are, by namespace, then name.
 */
enum wf_rc wf_store_records(struct wf_store *store, const char *kind,
    uint64_t after, struct wf_arena *arena, struct wf_record_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;

/* --- sessions of people, and the audit ------------------------------------ */

/*
 * Adds a session.  Of its account the sessions used last stay, maximum in
 * total with the new one; the others are removed.  WF_CONFLICT: the key exists.
 */
enum wf_rc wf_store_add_session(struct wf_store *store,
    const struct wf_session_row *row, size_t maximum,
    struct wf_error *err) WF_MUSTCHECK;
/* Reads one, also one that has ended by its time.  WF_NOT_FOUND. */
enum wf_rc wf_store_session(struct wf_store *store, const char *key,
    struct wf_arena *arena, struct wf_session_row *row_out,
    struct wf_error *err) WF_MUSTCHECK;
/* Writes its last use and its end.  Nothing happens if it does not exist. */
enum wf_rc wf_store_use_session(struct wf_store *store, const char *key,
    int64_t used_at, int64_t ends_at, struct wf_error *err) WF_MUSTCHECK;
/* For each key, whether there is such a session that ends after now. */
enum wf_rc wf_store_live_sessions(struct wf_store *store,
    const char *const *keys, size_t count, int64_t now, bool *live_out,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Removes one, or none if there is no such session; of several that remove it
 * at once, one gets the count 1.
 */
enum wf_rc wf_store_remove_session(struct wf_store *store, const char *key,
    size_t *count_out, struct wf_error *err) WF_MUSTCHECK;
/* Removes all of an account. */
enum wf_rc wf_store_remove_sessions(struct wf_store *store, const char *account,
    size_t *count_out, struct wf_error *err) WF_MUSTCHECK;
/* Removes those that have ended before that time, at most limit. */
enum wf_rc wf_store_sweep_sessions(struct wf_store *store, int64_t before,
    size_t limit, struct wf_error *err) WF_MUSTCHECK;

/* Zeros and NULL select everything. */
struct wf_audit_filter {
	uint32_t namespace_id; /* of this one, or of none */
	const char *account;
	const char *kind;
	int64_t from;	/* not before */
	int64_t to;	/* before; 0: any time */
	uint64_t after; /* the last id of the page before */
	size_t limit;	/* at least 1 */
};

struct wf_audit_list {
	struct wf_audit_row *rows; /* the latest id first */
	size_t count;
};

/* Adds rows, all or none.  WF_CONFLICT: an id exists. */
enum wf_rc wf_store_add_audit(struct wf_store *store,
    const struct wf_audit_row *rows, size_t count,
    struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_store_audit(struct wf_store *store,
    const struct wf_audit_filter *filter, struct wf_arena *arena,
    struct wf_audit_list *list_out, struct wf_error *err) WF_MUSTCHECK;
/* Removes rows that are older than that time, at most limit. */
enum wf_rc wf_store_sweep_audit(struct wf_store *store, int64_t before,
    size_t limit, struct wf_error *err) WF_MUSTCHECK;

/* --- operations on many cases --------------------------------------------- */

/*
 * Adds rows, or replaces those with their keys unless they say that it was
 * done; all or none.
 */
enum wf_rc wf_store_put_outcomes(struct wf_store *store,
    const struct wf_outcome_row *rows, size_t count,
    struct wf_error *err) WF_MUSTCHECK;

struct wf_outcome_filter {
	uint64_t operation;
	bool refused;	       /* only those whose code is not WF_OK */
	bool done;	       /* only those whose code is */
	uint64_t after_number; /* the last row of the page before */
	const char *after_subject;
	size_t limit; /* at least 1 */
};

struct wf_outcome_list {
	struct wf_outcome_row *rows; /* by number, then subject bytewise */
	size_t count;
};

enum wf_rc wf_store_outcomes(struct wf_store *store,
    const struct wf_outcome_filter *filter, struct wf_arena *arena,
    struct wf_outcome_list *list_out, struct wf_error *err) WF_MUSTCHECK;
/* Removes rows of an operation, at most limit. */
enum wf_rc wf_store_remove_outcomes(struct wf_store *store, uint64_t operation,
    size_t limit, size_t *count_out, struct wf_error *err) WF_MUSTCHECK;

/* --- between nodes -------------------------------------------------------- */

/* Notifies the other nodes, if any, that something was committed. */
enum wf_rc wf_store_notify(
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
/*
 * Waits for a notification of another node, at most so many milliseconds; on a
 * store of one node it returns at once.  For a thread and a handle of its own.
 */
enum wf_rc wf_store_wait(struct wf_store *store, int milliseconds,
    bool *notified_out, struct wf_error *err) WF_MUSTCHECK;

/* --- keeping a store ------------------------------------------------------ */

/* How much is open, waits to be executed and waits to be delivered. */
struct wf_store_backlog {
	uint64_t live; /* cases, the quarantined ones included */
	uint64_t incidents;
	uint64_t due;	  /* commands that are due now or later */
	int64_t next_due; /* when the first is; INT64_MAX: there is none */
	uint64_t messages;
	int64_t oldest_message; /* when it was made; INT64_MAX: there is none */
};

/* Each count ends at maximum, which bounds the cost. */
enum wf_rc wf_store_backlog(struct wf_store *store, uint64_t maximum,
    struct wf_store_backlog *backlog_out, struct wf_error *err) WF_MUSTCHECK;

/* The size of a store. */
struct wf_store_facts {
	uint64_t live; /* cases, the quarantined ones included */
	uint64_t ended;
	uint64_t set_aside;
	uint64_t incidents;	 /* open ones */
	uint64_t specifications; /* that may be launched */
	uint64_t bytes;		 /* of storage; 0: not known */
	uint64_t spare;		 /* bytes of these that are not in use */
};

/* Counts rows, which takes long: to be called seldom. */
enum wf_rc wf_store_facts(struct wf_store *store,
    struct wf_store_facts *facts_out, struct wf_error *err) WF_MUSTCHECK;

/* The maximum of steps, and of items, in a struct wf_case_export. */
#define WF_CASE_EXPORT_ROWS 256U

/* All that is kept of a case but its large values. */
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
 * all of a store; what others commit meanwhile may be in one part of an export
 * and not in another.
 */
enum wf_rc wf_store_case_exports(struct wf_store *store, uint64_t after,
    size_t limit, struct wf_arena *arena, struct wf_case_export_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;

/* Is given a finding.  number: the case; 0: none. */
typedef void (*wf_report_f)(void *context, uint64_t number, const char *what);

/*
 * Reports what is wrong with the store as such: what the database finds when
 * it checks itself, and rows that do not belong together, such as work items of
 * no case.  The contents of rows are not inspected.  WF_CORRUPT: the check had
 * to end early.
 */
enum wf_rc wf_store_verify(struct wf_store *store, wf_report_f report,
    void *context, struct wf_error *err) WF_MUSTCHECK;

/*
 * A file of the store that other users of the machine may read or write, valid
 * until the next call; NULL: there is none.
 */
const char *wf_store_exposed_file(struct wf_store *store);

/*
 * Copies all of the store, as it is at one moment, into a new file, which only
 * its owner can read and which is complete and synced, or does not exist.
 * Others can write meanwhile. WF_CONFLICT: a file of that name exists;
 * WF_UNSUPPORTED: not a file of SQLite.
 */
enum wf_rc wf_store_backup(struct wf_store *store, const char *path,
    struct wf_error *err) WF_MUSTCHECK;

/* --- for tests ------------------------------------------------------------ */

enum wf_fault {
	WF_FAULT_BEFORE, /* the statement is not done */
	/* It is done, and its answer is lost: a commit gives WF_LOST. */
	WF_FAULT_AFTER
};

/*
 * The n-th statement from now on (1 is the next) fails with WF_IO, once;
 * 0 ends that.  Memory counts each array that a batch reads or writes, and
 * the commit, as one.
 */
void wf_store_fail_after(
    struct wf_store *store, uint64_t n, enum wf_fault fault);
/* How many statements of this handle failed that way. */
uint64_t wf_store_faults(const struct wf_store *store);

#ifdef __cplusplus
}
#endif

#endif
