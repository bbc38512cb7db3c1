/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What participants did with the items of one task, folded from events: counts,
 * last times and sums of times for each participant.
 *
 * Of several events of one kind of the same item the last one counts; a time
 * belongs to the participant of its first event.
 */
#ifndef WF_PEOPLE_WORK_LOG_H
#define WF_PEOPLE_WORK_LOG_H

#include "people/allocation.h"

struct wf_work_log; /* opaque */

enum wf_work_event {
	WF_WORK_OFFERED,
	WF_WORK_ALLOCATED,
	WF_WORK_STARTED,
	WF_WORK_COMPLETED,
	WF_WORK_EVENTS
};

struct wf_work_log *wf_work_log_new(void);
void wf_work_log_free(struct wf_work_log **log);

/* at: ms since 1970.  Events come in the order of their history. */
void wf_work_log_add(struct wf_work_log *log, const char *item,
    const char *participant, enum wf_work_event event, int64_t at);
/* No event of the item will come any more. */
void wf_work_log_forget(struct wf_work_log *log, const char *item);

/* Whether it knows anything of the participant. */
bool wf_work_log_has(const struct wf_work_log *log, const char *participant);
/* Adds what the log knows of a participant. */
void wf_work_log_get(const struct wf_work_log *log, const char *participant,
    struct wf_work_facts *facts);

#endif
