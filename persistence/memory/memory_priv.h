/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in memory: its tables, and what its files share.
 *
 * It is the model that the other stores are compared with, so it does
 * everything the simple way: sorted arrays, full scans, one lock.  A commit
 * checks everything before it changes anything.
 */
#ifndef WF_PERSISTENCE_MEMORY_MEMORY_PRIV_H
#define WF_PERSISTENCE_MEMORY_MEMORY_PRIV_H

#include <pthread.h>

#include "persistence/backend.h"
#include "persistence/latches.h"
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
	pthread_mutex_t lock;
	pthread_cond_t notified; /* when notifications grows */
	struct wf_latches *latches;
	char identity[33];
	uint64_t counters[WF_COUNTER_OPERATION + 1];
	uint64_t change;
	uint64_t notifications;	  /* sent so far */
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
	struct wf_table documents;
	struct wf_table document_blocks;
	struct wf_table sessions;
	struct wf_table audit;
	struct wf_table involved;
	struct wf_table migrated;
	struct wf_table outcomes;
	struct wf_table comments;
	struct wf_table terms;
	struct wf_table statistics;
	struct wf_table folds;
	struct wf_table erased;
	struct wf_history_row **stream; /* those of history, by position */
	size_t stream_count;
	size_t stream_capacity;
};

struct memory_store {
	struct wf_store store;
	struct memory *memory;
	uint64_t notifications; /* of those, how many this handle has seen */
};

/*
 * Every function of the contract begins with the first, which counts the
 * statement and locks, and ends with the second, which unlocks and loses the
 * answer where a test wants that.
 */
enum wf_rc wf_memory_enter(
    struct wf_store *store, struct memory **memory_out, struct wf_error *err);
enum wf_rc wf_memory_leave(
    struct wf_store *store, bool wrote, enum wf_rc rc, struct wf_error *err);

/* Makes and frees the tables of a store; memory_rows.c. */
void wf_memory_init_tables(struct memory *m);
void wf_memory_free_tables(struct memory *m);
/* Whether there was a notification since the last call; memory_counters.c. */
bool wf_memory_take_notification(struct memory_store *handle);

struct memory_case *wf_memory_case(
    const struct memory *memory, uint64_t number);
/* Whether the case has one that is open; code: NULL: any. */
bool wf_memory_has_incident(
    const struct memory *memory, uint64_t number, const char *code);
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
/* Copies them into an array of rows of that layout, and forgets them. */
void *wf_memory_give(struct memory_found *found,
    const struct wf_row_layout *layout, struct wf_arena *arena,
    size_t *count_out);

/* The same for items, without their drafts. */
void wf_memory_give_items(struct memory_found *found, struct wf_arena *arena,
    struct wf_item_list *list_out);

/* Removes the documents of a case; memory_documents.c. */
void wf_memory_retire_documents(struct memory *m, uint64_t number);
/* Those of items that get other ids. */
void wf_memory_rename_documents(
    struct memory *m, const struct wf_item_rename *renames, size_t count);

/* The functions of the contract; see persistence/store.h. */
void wf_memory_abort(struct wf_store *store);
#define WF_CONTRACT(name, arguments) enum wf_rc wf_memory_##name arguments;
#include "persistence/contract.def"
#undef WF_CONTRACT

#endif
