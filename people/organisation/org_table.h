/* SPDX-License-Identifier: Apache-2.0 */
/* Records of one kind as a table (CSV, RFC 4180). */
#ifndef WF_PEOPLE_ORG_TABLE_H
#define WF_PEOPLE_ORG_TABLE_H

#include <jansson.h>

#include "base/buffer.h"
#include "people/organisation/organisation.h"

/*
 * Reads a table as records in JSON: a new reference; *lines_out, in the arena,
 * has the line of each.  WF_INVALID with err->place.line.
 */
enum wf_rc wf_org_table_read(struct wf_arena *arena, enum wf_org_kind kind,
    const char *text, size_t length, json_t **records_out, size_t **lines_out,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * The value of a field (NULL: of a text) for the text of a cell, which is not
 * empty: a new reference.  NULL: the text is no such value.
 */
json_t *wf_org_table_value(const struct wf_org_field *field, const char *text);

/* Appends a table; links are written as names. */
void wf_org_table_write(const struct wf_organisation *organisation,
    enum wf_org_kind kind, struct wf_buffer *text);

#endif
