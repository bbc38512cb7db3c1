/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks a specification against the schema of its version: which elements
 * and attributes stand where, and the form of their texts.  The language is
 * the table spec/content.def.
 */
#ifndef WF_SPEC_CONTENT_H
#define WF_SPEC_CONTENT_H

#include "base/diagnostics.h"
#include "base/memory.h"
#include "spec/markup.h"
#include "spec/spec.h"

#define WF_XSI "http://www.w3.org/2001/XMLSchema-instance"
#define WF_XSD "http://www.w3.org/2001/XMLSchema"

/*
 * Checks the tree below root, which is the specificationSet, and adds a
 * diagnostic for each fault.  scratch: memory that the caller drops later.
 */
void wf_content_check(struct wf_arena *scratch, const struct wf_markup *root,
    enum wf_schema_version version, struct wf_diagnostics *diagnostics);

/* The label of a place in the file: "task Pay", "net Order", ... */
const char *wf_content_label(
    struct wf_arena *arena, const struct wf_markup *node);

#endif
