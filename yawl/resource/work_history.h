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
	const char *case_id;
	const char *task;
	const char *item;
	const char *resource; /* a participant, "system", "admin" */
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

#endif
