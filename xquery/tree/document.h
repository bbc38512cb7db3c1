/* SPDX-License-Identifier: Apache-2.0 */
/* Reading text into trees, and writing trees as text. */
#ifndef WF_XQUERY_TREE_DOCUMENT_H
#define WF_XQUERY_TREE_DOCUMENT_H

#include "xquery/item/item.h"

/* Parses text; FODC0006.  A fragment is only the content of a document. */
enum wf_rc wf_document_parse(struct wf_dynamic *dynamic, struct wf_string text,
    bool fragment, xmlNode **document_out) WF_MUSTCHECK;
/* A whole file, by libxml2. */
enum wf_rc wf_document_read(struct wf_dynamic *dynamic, const char *file,
    xmlNode **document_out) WF_MUSTCHECK;

enum wf_rc wf_serialize(struct wf_dynamic *dynamic,
    const struct wf_sequence *items, struct wf_buffer *text) WF_MUSTCHECK;
/*
 * Canonical text (data/value.h says what that is); false: too large or too
 * deep.
 */
bool wf_serialize_canonical(const xmlNode *element, struct wf_buffer *text);

#endif
