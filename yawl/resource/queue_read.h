/* SPDX-License-Identifier: Apache-2.0 */
/* What others need of queues; private to yawl/resource/. */
#ifndef WF_YAWL_RESOURCE_QUEUE_READ_H
#define WF_YAWL_RESOURCE_QUEUE_READ_H

#include "yawl/resource/gateway.h"

/* The ids of the items that a participant has, oldest first; in the arena. */
enum wf_rc wf_queue_held(struct wf_gateway_call *call, const char *participant,
    struct wf_texts *ids_out, struct wf_error *err) WF_MUSTCHECK;

#endif
