/* SPDX-License-Identifier: Apache-2.0 */
/* What of a case is shown from its state alone, also as it was. */
#ifndef WF_REST_CASE_REST_MOMENT_H
#define WF_REST_CASE_REST_MOMENT_H

#include "rest/rest.h"

/* The net instances: markings, tasks, instances; a new reference. */
json_t *wf_rest_describe_nets(const struct wf_case *instance);
/*
 * For each live net that has the task: its inputs with and without tokens, and
 * what an OR-join may still get; a new reference.
 */
json_t *wf_rest_describe_wait(const struct wf_rest *rest,
    const struct wf_case *instance, const char *task);
/* The timers that run; a new reference. */
json_t *wf_rest_describe_timers(const struct wf_case *instance);
/*
 * Adds "items": the live items as lists show them, without what only rows have
 * (leases, attempts), at most WF_MOMENT_ITEMS of them; "more_items": there are
 * more.
 */
#define WF_MOMENT_ITEMS 1000U
void wf_rest_put_moment_items(const struct wf_rest *rest, json_t *json,
    const struct wf_case *instance, const struct wf_stored_case *stored);

#endif
