/* SPDX-License-Identifier: Apache-2.0 */
/* What actions with items share; private to yawl/resource/. */
#ifndef WF_YAWL_RESOURCE_ITEM_ACTION_H
#define WF_YAWL_RESOURCE_ITEM_ACTION_H

#include "yawl/resource/gateway.h"

/*
 * Whether the participant and the item of the request exist, and the item is in
 * a state of need ("Offered' or 'Allocated"); verb is for the refusal.  False:
 * the call is answered.  call->yawl.known is the case.
 */
bool wf_item_is_ready(
    struct wf_gateway_call *call, const char *need, const char *verb);
/* Gives the command for the item to the engine: see wf_yawl_submit(). */
void wf_item_submit(
    struct wf_gateway_call *call, struct wf_command command, wf_yawl_f then);

#endif
