/* SPDX-License-Identifier: Apache-2.0 */
/* Records of an organisation as JSON: in the store and for users. */
#ifndef WF_PEOPLE_RECORD_JSON_H
#define WF_PEOPLE_RECORD_JSON_H

#include <jansson.h>

#include "people/organisation/record.h"

/*
 * The id and all fields but the password; texts that are empty are left out.  A
 * new reference.
 */
json_t *wf_org_record_json(const struct wf_org_record *record);

/*
 * Sets the fields that the object has; null is empty.  Texts are copied into
 * the arena.  strict: members that a record does not have are refused.
 * WF_INVALID, with the member and what was expected.
 */
enum wf_rc wf_org_record_read_json(struct wf_arena *arena, const json_t *json,
    bool strict, struct wf_org_record *record,
    struct wf_error *err) WF_MUSTCHECK;

#endif
