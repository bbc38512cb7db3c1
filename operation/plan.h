/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans of migrations as JSON:
 *
 *   { "tasks": { "Ship": "Send", "Pack": null },
 *     "conditions": { "c{A_B}": "c{A_M}" },
 *     "variables": { "old": "new" },
 *     "nets": { "Billing": { "to": "Invoicing", "tasks": { .. } } },
 *     "reoffer": true }
 *
 * Elements outside of "nets" are those of the root net; null leaves one behind.
 */
#ifndef WF_OPERATION_PLAN_H
#define WF_OPERATION_PLAN_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "spec/spec.h"

/*
 * Appends the data of a command MIGRATE.  from: the specification that the
 * cases are of; NULL: only the form of the plan is checked.  target: the key of
 * the other one.  json: NULL for elements with the same ids only.  WF_INVALID,
 * with the member that is wrong.
 */
enum wf_rc wf_plan_read(const struct wf_spec *from, uint64_t target,
    json_t *json, struct wf_buffer *data, struct wf_error *err) WF_MUSTCHECK;
/*
 * The plan that leads back: a new reference; NULL: there is none, because
 * something is left behind, or two elements go to one.
 */
json_t *wf_plan_back(json_t *plan);

#endif
