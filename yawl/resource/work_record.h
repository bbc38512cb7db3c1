/* SPDX-License-Identifier: Apache-2.0 */
/* Work items in the XML of the gateways; private to yawl/resource/. */
#ifndef WF_YAWL_RESOURCE_WORK_RECORD_H
#define WF_YAWL_RESOURCE_WORK_RECORD_H

#include "yawl/resource/gateway.h"

/* The queues of a participant, as requests number them. */
enum wf_work_queue {
	WF_WORK_OFFERED,
	WF_WORK_ALLOCATED,
	WF_WORK_STARTED,
	WF_WORK_SUSPENDED,
	WF_WORK_QUEUES, /* of a participant; the next are of administrators */
	WF_WORK_UNOFFERED = WF_WORK_QUEUES,
	WF_WORK_WORKLISTED
};

/* The queue that an item stands in; WF_WORK_QUEUES: in none of people. */
enum wf_work_queue wf_work_queue_of(
    uint32_t assignment, enum wf_item_status status);
/* What YAWL calls its resource status. */
const char *wf_work_status(const struct wf_yawl_item *item);
/*
 * Appends the workItemRecord element of an item, with what is saved beside it.
 * False: there is none, or (err) it cannot be read.
 */
bool wf_work_show(
    struct wf_gateway_call *call, const char *id, struct wf_error *err);
/* The same during an inspection, with call->draft. */
void wf_work_put_record(struct wf_yawl_call *call,
    const struct wf_case *instance, const struct wf_yawl_item *item);

#endif
