/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the organisation in the XML of the gateways. */
#ifndef WF_YAWL_RESOURCE_ORG_RECORD_H
#define WF_YAWL_RESOURCE_ORG_RECORD_H

#include "people/organisation/organisation.h"

/* One record, with the records that it refers to. */
void wf_gateway_put_record(struct wf_buffer *xml,
    const struct wf_organisation *organisation,
    const struct wf_org_record *record);
/* "First Last" */
const char *wf_gateway_full_name(
    const struct wf_participant *participant, struct wf_arena *arena);
/* The name of a record; of a participant, the full name. */
const char *wf_gateway_record_name(
    const struct wf_org_record *record, struct wf_arena *arena);
/*
 * The records of a kind, sorted by name (participants by last name, then first
 * name), in the arena.  set: only these numbers; NULL: all.
 */
const struct wf_org_record **wf_gateway_records(
    const struct wf_organisation *organisation, enum wf_org_kind kind,
    const uint64_t *set, size_t *count_out, struct wf_arena *arena);
/* Their records, without an element around them. */
void wf_gateway_put_records(struct wf_buffer *xml,
    const struct wf_organisation *organisation, enum wf_org_kind kind,
    const uint64_t *set, struct wf_arena *arena);

#endif
