/* SPDX-License-Identifier: Apache-2.0 */
/* What records refer to: names for ids, and the removal of a record. */
#ifndef WF_PEOPLE_REFERENCE_H
#define WF_PEOPLE_REFERENCE_H

#include "people/organisation/organisation.h"

/*
 * Replaces links that are no ids of records, but their names, by the ids.  The
 * record is of the caller.
 */
void wf_org_resolve(const struct wf_organisation *organisation,
    struct wf_arena *arena, struct wf_org_record *record);

/*
 * The removal of a record, and the records that link to it without these links.
 * WF_NOT_FOUND.
 */
enum wf_rc wf_org_removal(const struct wf_organisation *organisation,
    enum wf_org_kind kind, const char *id, struct wf_arena *arena,
    struct wf_org_change **changes_out, size_t *count_out,
    struct wf_error *err) WF_MUSTCHECK;

#endif
