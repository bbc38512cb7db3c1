/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations that show or choose incidents share. */
#ifndef WF_REST_INCIDENT_H
#define WF_REST_INCIDENT_H

#include "operation/incidents.h"
#include "rest/rest.h"

/* The arguments of a list.  False: answered. */
bool wf_rest_read_incident_choice(
    struct wf_rest *rest, struct wf_incident_choice *choice_out);
/*
 * The name of the service with that URI, in the arena; none has it: the URI,
 * not the default worklist as for grants (wf_rest_service_name()).
 */
const char *wf_rest_name_of_service(struct wf_rest *rest, const char *uri);
/* In the object that chooses incidents, a service may be named. */
void wf_rest_use_service_uri(struct wf_rest *rest, json_t *choosing);
/* An incident of another namespace counts as missing. */
enum wf_rc wf_rest_find_incident(struct wf_rest *rest, struct wf_store *store,
    uint64_t id, struct wf_incident_row *row,
    struct wf_error *err) WF_MUSTCHECK;
/* As JSON, a new reference; groups from place after on, at most limit. */
json_t *wf_rest_describe_incident_groups(struct wf_rest *rest,
    const struct wf_incident_groups *groups, size_t after, size_t limit);

#endif
