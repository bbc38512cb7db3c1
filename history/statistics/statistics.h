/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics: a thread that folds the history of all cases into counts and
 * histograms of each hour, task, flow and participant.
 *
 *   history ──page──► fold ──► tally ──┬─► statistics and cursor, one change
 *                                      └─► process_counts, for metrics
 *
 * Each step is counted once, whatever crashes and however many servers read:
 * what is counted is written together with the cursor behind it, and only if
 * the cursor is still where it was read.
 *
 *   ASLEEP ───news───► READING ──page written──► READING
 *     ▲                   │
 *     ├──── the end ──────┤
 *     └─ another server ──┘ has moved the cursor and leads: for 15 s since it
 *                           wrote last
 *
 * History that was retired before it was read is not counted.
 */
#ifndef WF_HISTORY_STATISTICS_STATISTICS_H
#define WF_HISTORY_STATISTICS_STATISTICS_H

#include "history/statistics/process_counts.h"
#include "runtime/engine.h"

struct wf_statistics; /* opaque; safe for all threads */

struct wf_statistics_settings {
	int64_t
	    keep_ms; /* hours that are older are dropped; 0: none is counted */
	size_t labels; /* of processes and tasks in metrics, at most */
	size_t page;   /* steps that are counted at once; 0: 1000 */
};

struct wf_statistics *wf_statistics_new(
    struct wf_engine *engine, const struct wf_statistics_settings *settings);
/* A thread that reads what is new. */
enum wf_rc wf_statistics_start(
    struct wf_statistics *statistics, struct wf_error *err) WF_MUSTCHECK;
/* There may be something new. */
void wf_statistics_wake(struct wf_statistics *statistics);
/* Before the engine is closed. */
void wf_statistics_stop(struct wf_statistics *statistics);
void wf_statistics_free(struct wf_statistics **statistics);
/* From now on. */
void wf_statistics_keep(struct wf_statistics *statistics, int64_t keep_ms);

/*
 * For its thread: reads a page.  *more_out: there may be another one, and this
 * server leads.
 */
enum wf_rc wf_statistics_read(struct wf_statistics *statistics,
    struct wf_store *store, bool *more_out, struct wf_error *err) WF_MUSTCHECK;

/* Whether all of the history has been read, by any server. */
enum wf_rc wf_statistics_are_complete(struct wf_store *store,
    bool *complete_out, struct wf_error *err) WF_MUSTCHECK;

struct wf_process_counts *wf_statistics_counts(
    struct wf_statistics *statistics);
/* Steps that this node has counted; times that it failed to. */
uint64_t wf_statistics_steps(struct wf_statistics *statistics);
uint64_t wf_statistics_failures(struct wf_statistics *statistics);

#endif
