/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work of people in a case, as the resource service logs it: made from the
 * history of the case, which has it all, so nothing is logged twice.
 */
#ifndef WF_YAWL_RESOURCE_WORK_HISTORY_H
#define WF_YAWL_RESOURCE_WORK_HISTORY_H

#include "yawl/resource/gateway.h"

/* Valid during the visit; texts are "" where there is none. */
struct wf_work_event {
	uint64_t key;
	uint64_t specification;
	uint64_t sequence; /* of the step */
	const char *case_id;
	const char *task;
	const char *item;
	const char *resource; /* a participant, "system", "admin" */
	const char *deputy;   /* who did so in the place of that one */
	const char *type;     /* "offer", "start", .. */
	int64_t at;
};

typedef void (*wf_work_event_f)(
    void *context, const struct wf_work_event *event);

/*
 * Calls visit for each event of the case, oldest first.  A history that cannot
 * be read is passed over from there on.
 */
enum wf_rc wf_work_history_read(struct wf_gateway_call *call,
    const struct wf_case_row *row, wf_work_event_f visit, void *context,
    struct wf_error *err) WF_MUSTCHECK;
/* Appends the event element. */
void wf_work_event_put(
    struct wf_buffer *xml, const struct wf_work_event *event);

/* --- step by step --------------------------------------------------------- */

struct wf_work_history; /* opaque; of one thread */

/* Of a case of the default namespace, before its first step. */
struct wf_work_history *wf_work_history_new(struct wf_server *server,
    uint64_t number, const char *name, uint64_t specification);
void wf_work_history_free(struct wf_work_history **history);
/* Whether an event of that kind (kernel/events.def) may lead to one of work. */
bool wf_work_history_hears(uint32_t kind);
/* The number of its case. */
uint64_t wf_work_history_number(const struct wf_work_history *history);
/* The sequence of the step up to which it has been read; 0: none. */
uint64_t wf_work_history_done(const struct wf_work_history *history);
/* How many items were open at once, about 500 bytes of memory each. */
size_t wf_work_history_items(const struct wf_work_history *history);
/*
 * Reads the next steps, up to the one with that sequence, which is after those
 * that were read, and calls visit as wf_work_history_read() does.  After an
 * error it can only be freed.
 */
enum wf_rc wf_work_history_go_on(struct wf_work_history *history,
    struct wf_store *store, uint64_t last, wf_work_event_f visit, void *context,
    struct wf_error *err) WF_MUSTCHECK;

#endif
