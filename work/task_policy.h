/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attributes of a decomposition that say how its items are handed over:
 * they override the policy of the service, and can make an item wait.
 */
#ifndef WF_WORK_TASK_POLICY_H
#define WF_WORK_TASK_POLICY_H

#include "spec/spec.h"
#include "work/service.h"

/* Overrides the members of the policy that are set; NULL: none is. */
void wf_hand_over_policy(
    const struct wf_hand_over *hand_over, struct wf_service_policy *policy);

/* Whether there is a start delay or a precondition. */
bool wf_hand_over_may_wait(const struct wf_hand_over *hand_over);

/*
 * Whether an item may be handed over now.  If not, *at_out is the time of the
 * next check: when the start delay is over, or again for a precondition that
 * does not hold.  xml: the item's input; since: when it was announced; steps:
 * of each query, 0: the default.  WF_DATA: a query failed, or the start delay
 * is not a time.  WF_LIMIT: more steps than that.
 */
enum wf_rc wf_hand_over_check(const struct wf_hand_over *hand_over,
    const char *xml, size_t length, int64_t since, int64_t now, int64_t again,
    uint64_t steps, int64_t *at_out, bool *may_out,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * WF_DATA: the postcondition does not hold for the output, or fails.  WF_LIMIT:
 * it takes more work than WF_INSPECTION_WORK: the messages of others wait.
 */
enum wf_rc wf_hand_over_accept(const struct wf_hand_over *hand_over,
    const char *xml, size_t length, int64_t now,
    struct wf_error *err) WF_MUSTCHECK;

#endif
