/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must be known of cases to say how long their items waited and took:
 * since when each open item is enabled, and executes.
 *
 * It is kept in memory only, of the cases that were worked on last: of a case
 * that is not known, or was forgotten, it is found by reading the steps of its
 * history before.  So it is the same after a crash, and on another server.
 */
#ifndef WF_HISTORY_STATISTICS_CASE_TIMES_H
#define WF_HISTORY_STATISTICS_CASE_TIMES_H

#include "history/case_reader.h"

/* Open items that are known of one case; further ones have no times. */
#define WF_CASE_TIMES_ITEMS 10000U

/*
 * An item.  An instance is named by its net and number, whatever task it is of;
 * an enabled task (instance 0) by its net and the hash of its id: numbers of
 * tasks change when a case is migrated.
 */
struct wf_item_times {
	uint32_t net;
	uint32_t instance;
	uint64_t task;
	int64_t enabled_at;
	int64_t started_at; /* 0: it is not started */
};

struct wf_case_times {
	struct wf_case_times *later; /* used after it */
	struct wf_case_times *earlier;
	struct wf_case_times *same;    /* in a list by number */
	struct wf_case_reader *reader; /* behind the last step that is known */
	uint64_t sequence;	       /* of that step */
	int64_t launched_at;
	struct wf_item_times *items;
	size_t count;
	size_t capacity;
	size_t bytes; /* of all this, when it was kept last */
};

struct wf_known_times; /* opaque: cases, for one thread at a time */

/* bytes: what is known takes so much memory, about; one case may take more. */
struct wf_known_times *wf_known_times_new(size_t bytes);
void wf_known_times_free(struct wf_known_times **known);
void wf_known_times_forget(struct wf_known_times *known);
/* What is known of a case; at first nothing. */
struct wf_case_times *wf_known_times_of(
    struct wf_known_times *known, uint64_t number);
/* Something may have changed of it: forgets what was used least recently. */
void wf_known_times_keep(
    struct wf_known_times *known, struct wf_case_times *times);
/* The case is over, or unreadable. */
void wf_known_times_drop(
    struct wf_known_times *known, struct wf_case_times *times);

/* The item that the event is about, which has that instance; NULL: none. */
struct wf_item_times *wf_case_times_find(struct wf_case_times *times,
    const struct wf_case_event *event, uint32_t instance);
/* One that is enabled now. */
void wf_case_times_add(struct wf_case_times *times,
    const struct wf_case_event *event, uint32_t instance, int64_t enabled_at,
    int64_t started_at);
/* item: may be NULL. */
void wf_case_times_remove(
    struct wf_case_times *times, struct wf_item_times *item);
/* Removes what is left of a net that is over. */
void wf_case_times_end_net(struct wf_case_times *times, uint32_t net);
/* The case goes on as another one: enabled tasks have other names. */
void wf_case_times_migrate(
    struct wf_case_times *times, const struct wf_case_event *event);

#endif
