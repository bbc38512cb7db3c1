/* SPDX-License-Identifier: Apache-2.0 */
/* Several pages of incidents, for which processes are read once. */
#ifndef WF_OPERATION_INCIDENTS_PRIV_H
#define WF_OPERATION_INCIDENTS_PRIV_H

#include "operation/incidents.h"

/* Those of the namespace, by their keys, in the arena. */
enum wf_rc wf_incident_processes(struct wf_store *store, uint32_t namespace_id,
    struct wf_arena *arena, struct wf_specification_list *processes_out,
    struct wf_error *err) WF_MUSTCHECK;
/* As wf_incidents_choose(); texts of processes are those of the list. */
enum wf_rc wf_incidents_choose_named(struct wf_store *store,
    const struct wf_incident_choice *choice,
    const struct wf_specification_list *processes, struct wf_arena *arena,
    struct wf_chosen_incidents *chosen_out, struct wf_error *err) WF_MUSTCHECK;

#endif
