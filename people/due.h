/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When an item is due, how urgent it is, and what is to be done about it next,
 * by the rules of its task (spec/timing.h).
 *
 * Times are milliseconds since 1970, UTC.
 */
#ifndef WF_PEOPLE_DUE_H
#define WF_PEOPLE_DUE_H

#include "data/query.h"
#include "spec/timing.h"

/*
 * The priority, 0 to 100; without rules (NULL) WF_PRIORITY_USUAL.  document:
 * what queries read.  On failure, too, *priority_out is a priority: the usual
 * one.  WF_DATA: the query fails or gives no priority.
 */
enum wf_rc wf_item_priority(const struct wf_timing *timing,
    const struct wf_document *document, const struct wf_evaluation *how,
    uint32_t *priority_out, struct wf_error *err) WF_MUSTCHECK;
/*
 * When an item that was enabled at a time is due; 0: never, also on failure.
 * WF_DATA: the query fails or gives no time; the time is too far away.
 */
enum wf_rc wf_item_due(const struct wf_timing *timing,
    const struct wf_document *document, const struct wf_evaluation *how,
    const struct wf_calendar *calendar, int64_t enabled_at, int64_t *due_out,
    struct wf_error *err) WF_MUSTCHECK;

/* The times of an item; 0: it is not so. */
struct wf_item_times {
	int64_t enabled;
	int64_t offered;   /* since when it is offered */
	int64_t allocated; /* since when somebody has it without starting it */
	int64_t started;   /* since when it is started */
	int64_t due;
};

/* A step of the rules at an instant; steps are done in this order. */
struct wf_time_mark {
	int64_t at;
	uint32_t step; /* of timing->steps */
};

/*
 * What is to be done next: the first step behind a mark, as the item is now.
 * false: nothing.  {now - 1, UINT32_MAX} asks for all that is not past.
 * next_out may be behind.
 */
bool wf_timing_next(const struct wf_timing *timing,
    const struct wf_item_times *times, const struct wf_calendar *calendar,
    const struct wf_time_mark *behind, struct wf_time_mark *next_out);

#endif
