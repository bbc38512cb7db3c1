/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a node has counted of processes and tasks since it started, for its
 * metrics; and the items that the store has now.
 *
 * A collector of metrics keeps a series for each process, version and task, so
 * their number is bounded: what is met beyond it is counted as "_other".
 */
#ifndef WF_HISTORY_STATISTICS_PROCESS_COUNTS_H
#define WF_HISTORY_STATISTICS_PROCESS_COUNTS_H

#include "history/statistics/tally.h"

/* Bounds of the times, each four times the one before: 1.024 s to 49 days. */
#define WF_PROCESS_BOUNDS 12U

struct wf_process_times {
	uint64_t counts[WF_PROCESS_BOUNDS + 1]; /* below each bound; the rest */
	uint64_t sum_ms;
};

/* The bound of that number, in milliseconds. */
int64_t wf_process_bound_ms(unsigned number);

struct wf_process_count {
	const char *process;
	const char *version;
	const char *task; /* "": of cases */
	uint64_t counts[WF_MEASURES];
	struct wf_process_times waited; /* of items */
	struct wf_process_times took;	/* of items, or of cases */
	/* Items that there are now, and since when the first of them waits. */
	uint64_t waiting;
	uint64_t running;
	int64_t oldest; /* INT64_MAX: none waits */
};

struct wf_process_counts; /* opaque; safe for all threads */

/* most: different processes, versions and tasks. */
struct wf_process_counts *wf_process_counts_new(size_t most);
void wf_process_counts_free(struct wf_process_counts **counts);

/* Adds what was counted of hours from that one on. */
void wf_process_counts_add(struct wf_process_counts *counts,
    const struct wf_tally *tally, int64_t from);
/* Counts the items of the store, at most maximum. */
enum wf_rc wf_process_counts_items(struct wf_process_counts *counts,
    struct wf_store *store, uint64_t maximum,
    struct wf_error *err) WF_MUSTCHECK;

/* In the order in which they were met. */
void wf_process_counts_each(struct wf_process_counts *counts,
    void (*visit)(void *context, const struct wf_process_count *count),
    void *context);

#endif
