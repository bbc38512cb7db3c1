/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the store contract for figures: what was counted of the history,
 * and what there is now.  Result codes as in persistence/store.h.
 */
#ifndef WF_PERSISTENCE_FIGURES_H
#define WF_PERSISTENCE_FIGURES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "persistence/rows.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wf_store;     /* persistence/store.h, which includes this */
struct wf_item_list; /* of it */
struct wf_specification_keys;

/* --- statistics ----------------------------------------------------------- */

/*
 * Writes how far a fold of the history is, and adds or replaces what it has
 * counted up to there, as one change.  row->change: one more than it was when
 * the fold was read.  WF_CONFLICT: another has moved it meanwhile; nothing is
 * done.  What is written may be lost in a crash until something else is
 * committed, both together.
 */
enum wf_rc wf_store_move_fold(struct wf_store *store,
    const struct wf_fold_row *row, const struct wf_statistic_row *rows,
    size_t count, struct wf_error *err) WF_MUSTCHECK;
/* How far it is; change 0: it has never been written. */
enum wf_rc wf_store_fold(struct wf_store *store, const char *name,
    struct wf_arena *arena, struct wf_fold_row *row_out,
    struct wf_error *err) WF_MUSTCHECK;

struct wf_statistic_list {
	struct wf_statistic_row *rows;
	size_t count;
};

/* Those rows with these keys, each once, that exist; in no order. */
enum wf_rc wf_store_keyed_statistics(struct wf_store *store,
    const struct wf_statistic_row *keys, size_t count, struct wf_arena *arena,
    struct wf_statistic_list *list_out, struct wf_error *err) WF_MUSTCHECK;

struct wf_statistic_filter {
	uint32_t namespace_id;
	uint64_t specification;
	int64_t from; /* the first hour */
	int64_t to;   /* before that hour */
	uint32_t measure;
	/* The last row of the page before, NULL: none; its key is read. */
	const struct wf_statistic_row *after;
	size_t limit; /* at least 1 */
};

/* By hour, then net, element and detail bytewise. */
enum wf_rc wf_store_statistics(struct wf_store *store,
    const struct wf_statistic_filter *filter, struct wf_arena *arena,
    struct wf_statistic_list *list_out, struct wf_error *err) WF_MUSTCHECK;
/* Removes rows of hours before that one, at most limit. */
enum wf_rc wf_store_sweep_statistics(struct wf_store *store, int64_t before,
    size_t limit, struct wf_error *err) WF_MUSTCHECK;

/* Items that there are now of one task in one status. */
struct wf_item_count {
	uint32_t namespace_id;
	uint64_t specification;
	const char *task;
	uint32_t status;
	uint64_t items;
	int64_t oldest; /* when the first of them was enabled */
};

struct wf_item_count_list {
	struct wf_item_count *rows; /* in no order */
	size_t count;
};

/* Reads at most maximum items, which bounds the cost. */
enum wf_rc wf_store_count_items(struct wf_store *store, uint64_t maximum,
    struct wf_arena *arena, struct wf_item_count_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;

/* --- what there is now, of a namespace ------------------------------------ */

/* Each count ends at a maximum, which bounds the cost. */
struct wf_store_figures {
	uint64_t running; /* live cases of its specifications */
	uint64_t waiting; /* items in a queue of people */
	uint64_t late;	  /* of these, those that were due before now */
};

enum wf_rc wf_store_figures(struct wf_store *store, uint32_t namespace_id,
    int64_t now, uint64_t maximum, struct wf_store_figures *figures_out,
    struct wf_error *err) WF_MUSTCHECK;

/* Statuses of enum wf_case_status. */
#define WF_CASE_STATUSES 5U
/* Cases with an incident, of all specifications, that are counted at most. */
#define WF_INCIDENT_CASES_COUNTED 10000U

/* Cases of one specification; each count ends at a maximum. */
struct wf_case_counts {
	uint64_t in[WF_CASE_STATUSES]; /* by enum wf_case_status */
	uint64_t incidents;	       /* with an open incident, in any state */
};

struct wf_case_counting {
	uint32_t namespace_id;
	const struct wf_specification_keys *specifications;
	uint64_t maximum;
};

/*
 * counts_out: one for each specification, in their order.  *all_out: all cases
 * with incidents have been counted.
 */
enum wf_rc wf_store_count_cases(struct wf_store *store,
    const struct wf_case_counting *counting, struct wf_case_counts *counts_out,
    bool *all_out, struct wf_error *err) WF_MUSTCHECK;

/* Items of one service; each count ends at a maximum. */
struct wf_service_counts {
	uint64_t free; /* without a lease */
	uint64_t leased;
	/* When the first was enabled that would be leased next; INT64_MAX. */
	int64_t oldest;
};

/* service: its URI; "": the default worklist. */
enum wf_rc wf_store_count_service(struct wf_store *store, uint32_t namespace_id,
    const char *service, uint64_t maximum, struct wf_service_counts *counts_out,
    struct wf_error *err) WF_MUSTCHECK;

struct wf_waiting_filter {
	uint32_t namespace_id;
	/* By due_at, those that were due before; 0: all, by enabled_at. */
	int64_t due_before;
	size_t limit; /* at least 1 */
};

/* Items in the queues of people, the oldest first, whoever has them. */
enum wf_rc wf_store_waiting_items(struct wf_store *store,
    const struct wf_waiting_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err) WF_MUSTCHECK;

/* --- the store itself ----------------------------------------------------- */

struct wf_store_measure {
	const char *program; /* such as "SQLite 3.40.1" */
	uint64_t bytes; /* of its pages, without a log; 0: nothing is stored */
	/*
	 * When the oldest transaction began that keeps the store from tidying
	 * up, as far as it is shown to this account; 0: none.
	 */
	int64_t oldest_transaction;
};

enum wf_rc wf_store_measure(struct wf_store *store, struct wf_arena *arena,
    struct wf_store_measure *measure_out, struct wf_error *err) WF_MUSTCHECK;

#ifdef __cplusplus
}
#endif

#endif
