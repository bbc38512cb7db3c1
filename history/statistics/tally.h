/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a page of the history adds to the statistics: events counted by hour,
 * measure and element, and their times.  It is merged with what the store has,
 * and written with the cursor (wf_store_move_fold()).
 */
#ifndef WF_HISTORY_STATISTICS_TALLY_H
#define WF_HISTORY_STATISTICS_TALLY_H

#include "history/statistics/histogram.h"
#include "persistence/store.h"
#include "spec/spec.h"

enum wf_statistics_by {
	WF_BY_CASE,
	WF_BY_TASK,
	WF_BY_FLOW,
	WF_BY_PARTICIPANT,
	WF_BY_NOTHING
};

enum wf_measure {
#define WF_MEASURE(number, name, by, counted, timed, meaning)                  \
	WF_MEASURE_##name = number,
#include "history/statistics/measures.def"
#undef WF_MEASURE
};

#define WF_MEASURES 32U
#define WF_HOUR_MS INT64_C(3600000)

/* What is not on a clock. */
#define WF_STATISTIC_NO_HOUR INT64_MAX
/* The texts of a key together; elements with longer names are not counted. */
#define WF_STATISTIC_KEY_BYTES 1500U

struct wf_tally; /* opaque */

/* One line of it: as it was counted, without what the store has. */
struct wf_tally_line {
	struct wf_statistic_row row; /* its key, and the count */
	struct wf_histogram times;
	/* Of the specification. */
	const char *process;
	const char *version;
};

struct wf_tally *wf_tally_new(void);
void wf_tally_free(struct wf_tally **tally);
/* Forgets all lines. */
void wf_tally_reset(struct wf_tally *tally);

/* The hour of a time. */
int64_t wf_hour_of(int64_t at);
/* An event, and its time; negative: it has none. */
void wf_tally_add(struct wf_tally *tally, const struct wf_spec *spec,
    const struct wf_statistic_row *key, int64_t ms);
/* A case was launched. */
void wf_tally_launch(struct wf_tally *tally, const struct wf_spec *spec,
    const struct wf_history_row *step);

/*
 * The rows that are to be written: what was counted, merged with what the store
 * has now.
 */
enum wf_rc wf_tally_rows(struct wf_tally *tally, struct wf_store *store,
    struct wf_arena *arena, struct wf_statistic_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;
/* What was counted, line by line. */
void wf_tally_each(const struct wf_tally *tally,
    void (*visit)(void *context, const struct wf_tally_line *line),
    void *context);

#endif
