/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in memory: its tables, and what its files share.
 *
 * It is the model that the other stores are compared with, so it does
 * everything the plain way: sorted arrays, full scans, one lock.  A commit
 * checks everything before it changes anything.
 */
#ifndef WF_PERSISTENCE_MEMORY_MEMORY_PRIV_H
#define WF_PERSISTENCE_MEMORY_MEMORY_PRIV_H

#include "persistence/backend.h"
#include "persistence/latches.h"
#include "persistence/lock.h"
#include "persistence/memory/memory_table.h"

/* The rows that have a column of the store's own. */
struct memory_case {
	struct wf_case_row row;
	bool ended;
};

struct memory_due {
	struct wf_due_row row;
	int64_t visible_at; /* it can be claimed from then on */
};

struct memory_message {
	struct wf_message_row row;
	int64_t visible_at;
};

struct memory_name {
	uint32_t namespace_id;
	const char *name;
	uint64_t number;
};

/* What the handles with one name share. */
struct memory {
	struct memory *next;
	char *name; /* "": private */
	size_t handles;
	struct wf_lock lock;
	struct wf_latches *latches;
	char identity[33];
	uint64_t counters[WF_COUNTER_ENGINE + 1];
	uint64_t change;
	uint64_t told;		  /* how often something was told */
	uint64_t position;	  /* the last one given to history */
	struct wf_cursor retired; /* of the last row no longer held */

	struct wf_table cases;	   /* live and ended */
	struct wf_table snapshots; /* as value 0 */
	struct wf_table names;
	struct wf_table history;
	struct wf_table values;
	struct wf_table items;
	struct wf_table due;
	struct wf_table messages;
	struct wf_table answers;
	struct wf_table incidents;
	struct wf_table specifications;
	struct wf_table records;
	struct wf_history_row **stream; /* those of history, by position */
	size_t stream_count;
	size_t stream_capacity;
};

struct memory_store {
	struct wf_store store;
	struct memory *memory;
	uint64_t heard; /* of what was told */
};

/*
 * Every function of the contract stands between these two: the first counts
 * the statement and locks, the second unlocks and loses the answer where a
 * test wants that.
 */
enum wf_rc wf_memory_enter(
    struct wf_store *store, struct memory **memory_out, struct wf_error *err);
enum wf_rc wf_memory_leave(
    struct wf_store *store, bool wrote, enum wf_rc rc, struct wf_error *err);

struct memory_case *wf_memory_case(
    const struct memory *memory, uint64_t number);
/* Copies a case for a reader. */
void wf_memory_load(const struct memory *memory, const struct memory_case *row,
    bool state, struct wf_arena *arena, struct wf_stored_case *case_out);
/* The first row of a case, in a table whose keys begin with its number. */
size_t wf_memory_first(const struct wf_table *table, uint64_t number);
void wf_memory_remove_all(struct wf_table *table, uint64_t number);

/* Rows found, to be sorted and cut to a limit. */
struct memory_found {
	const void **rows;
	size_t count;
	size_t capacity;
};

void wf_memory_add(struct memory_found *found, const void *row);
/* Sorts them, drops those past limit. */
void wf_memory_sort(struct memory_found *found,
    int (*compare)(const void *a, const void *b), size_t limit);
/* Copies them into an array of rows of that shape, and forgets them. */
void *wf_memory_give(struct memory_found *found, const struct wf_shape *shape,
    struct wf_arena *arena, size_t *count_out);

/* The functions of the contract; see persistence/store.h. */
void wf_memory_abort(struct wf_store *store);
enum wf_rc wf_memory_reserve(struct wf_store *store, enum wf_counter counter,
    uint64_t count, uint64_t *first_out, struct wf_error *err);
enum wf_rc wf_memory_reserve_above(struct wf_store *store,
    enum wf_counter counter, uint64_t least, struct wf_error *err);
enum wf_rc wf_memory_begin(struct wf_store *store, struct wf_batch *batch,
    struct wf_arena *arena, struct wf_error *err);
enum wf_rc wf_memory_commit(struct wf_store *store,
    const struct wf_writes *writes, uint64_t *culprit_out,
    struct wf_error *err);
enum wf_rc wf_memory_value(struct wf_store *store, uint64_t number,
    uint32_t value, struct wf_arena *arena, struct wf_bytes *text_out,
    struct wf_error *err);
enum wf_rc wf_memory_forget_answers(struct wf_store *store, int64_t before,
    size_t limit, size_t *count_out, struct wf_error *err);
enum wf_rc wf_memory_find(struct wf_store *store, uint32_t namespace_id,
    const char *const *names, size_t count, uint64_t *numbers_out,
    struct wf_error *err);
enum wf_rc wf_memory_stored_case(struct wf_store *store, uint64_t number,
    bool state, struct wf_arena *arena, struct wf_stored_case *case_out,
    struct wf_error *err);
enum wf_rc wf_memory_cases(struct wf_store *store,
    const struct wf_case_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err);
enum wf_rc wf_memory_items(struct wf_store *store,
    const struct wf_item_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err);
enum wf_rc wf_memory_claim_items(struct wf_store *store,
    const struct wf_item_filter *filter, const char *owner, int64_t now,
    int64_t until, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err);
enum wf_rc wf_memory_heartbeat(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t until,
    struct wf_error *err);
enum wf_rc wf_memory_release(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t not_before,
    struct wf_error *err);
enum wf_rc wf_memory_expired_items(struct wf_store *store, int64_t now,
    size_t limit, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err);
enum wf_rc wf_memory_claim_due(struct wf_store *store, int64_t now,
    int64_t until, size_t limit, struct wf_arena *arena,
    struct wf_due_list *list_out, struct wf_error *err);
enum wf_rc wf_memory_next_due(
    struct wf_store *store, int64_t *at_out, struct wf_error *err);
enum wf_rc wf_memory_due_of(struct wf_store *store, uint64_t number,
    const char *after, size_t limit, struct wf_arena *arena,
    struct wf_due_list *list_out, struct wf_error *err);
enum wf_rc wf_memory_claim_messages(struct wf_store *store,
    const char *destination, int64_t now, int64_t until, size_t limit,
    struct wf_arena *arena, struct wf_message_list *list_out,
    struct wf_error *err);
enum wf_rc wf_memory_acknowledge(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, struct wf_error *err);
enum wf_rc wf_memory_postpone(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, int64_t at, bool tried,
    struct wf_error *err);
enum wf_rc wf_memory_redirect(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, const char *destination,
    struct wf_error *err);
enum wf_rc wf_memory_history(struct wf_store *store,
    const struct wf_history_filter *filter, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err);
enum wf_rc wf_memory_history_end(
    struct wf_store *store, struct wf_cursor *cursor_out, struct wf_error *err);
enum wf_rc wf_memory_case_history(struct wf_store *store, uint64_t number,
    uint64_t after, size_t limit, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err);
enum wf_rc wf_memory_retire(struct wf_store *store, int64_t before,
    size_t limit, size_t *count_out, struct wf_error *err);
enum wf_rc wf_memory_incidents(struct wf_store *store,
    const struct wf_incident_filter *filter, struct wf_arena *arena,
    struct wf_incident_list *list_out, struct wf_error *err);
enum wf_rc wf_memory_incident(struct wf_store *store, uint64_t id,
    struct wf_arena *arena, struct wf_incident_row *row_out,
    struct wf_error *err);
enum wf_rc wf_memory_change(
    struct wf_store *store, uint64_t *change_out, struct wf_error *err);
enum wf_rc wf_memory_put_specification(struct wf_store *store,
    const struct wf_specification_row *row, struct wf_error *err);
enum wf_rc wf_memory_specification(struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct wf_arena *arena,
    struct wf_specification_row *row_out, struct wf_error *err);
enum wf_rc wf_memory_remove_specification(struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct wf_error *err);
enum wf_rc wf_memory_specifications(struct wf_store *store,
    const struct wf_specification_filter *filter, struct wf_arena *arena,
    struct wf_specification_list *list_out, struct wf_error *err);
enum wf_rc wf_memory_put_record(struct wf_store *store,
    const struct wf_record_row *row, struct wf_error *err);
enum wf_rc wf_memory_record(struct wf_store *store, uint32_t namespace_id,
    const char *kind, const char *name, struct wf_arena *arena,
    struct wf_record_row *row_out, struct wf_error *err);
enum wf_rc wf_memory_records(struct wf_store *store, const char *kind,
    struct wf_arena *arena, struct wf_record_list *list_out,
    struct wf_error *err);
enum wf_rc wf_memory_notify(struct wf_store *store, struct wf_error *err);
enum wf_rc wf_memory_wait(struct wf_store *store, int milliseconds,
    bool *told_out, struct wf_error *err);
enum wf_rc wf_memory_backlog(struct wf_store *store,
    struct wf_store_backlog *backlog_out, struct wf_error *err);
enum wf_rc wf_memory_facts(struct wf_store *store,
    struct wf_store_facts *facts_out, struct wf_error *err);
enum wf_rc wf_memory_verify(struct wf_store *store, wf_notify_f tell,
    void *context, struct wf_error *err);

#endif
