/* SPDX-License-Identifier: Apache-2.0 */
/* What a decomposition says of how its items are handed over. */
#ifndef WF_WORK_TASK_POLICY_H
#define WF_WORK_TASK_POLICY_H

#include "spec/spec.h"
#include "work/service.h"

/* What it says counts more than the service's policy; NULL: it says nothing. */
void wf_hand_over_policy(
    const struct wf_hand_over *hand_over, struct wf_service_policy *policy);

/* Whether it says anything that an item may have to wait for. */
bool wf_hand_over_may_wait(const struct wf_hand_over *hand_over);

/*
 * Whether an item may be handed over now; else *at_out is when to look again.
 * xml: its input; since: when it was announced.  WF_DATA: a query failed, or
 * says no time.
 */
enum wf_rc wf_hand_over_check(const struct wf_hand_over *hand_over,
    const char *xml, size_t length, int64_t since, int64_t now, int64_t again,
    int64_t *at_out, bool *may_out, struct wf_error *err) WF_MUSTCHECK;

/* WF_DATA: the postcondition does not hold of that output, or fails. */
enum wf_rc wf_hand_over_accept(const struct wf_hand_over *hand_over,
    const char *xml, size_t length, int64_t now,
    struct wf_error *err) WF_MUSTCHECK;

#endif
