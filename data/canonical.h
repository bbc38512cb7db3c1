/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making canonical text; private to the files of data/ that parse values.
 *
 * wf_value_parse() and the related functions first try a scanner that knows
 * only plain elements and text (data/value_parse.c). Other XML, and malformed
 * text, goes to libxml2 (data/canonical.c), which is slower, knows all of XML,
 * and reports mistakes with their place.
 */
#ifndef WF_DATA_CANONICAL_H
#define WF_DATA_CANONICAL_H

#include "base/error.h"
#include "data/value.h"

/*
 * The maximum number of values in a list: the data of a case or of a work item.
 */
#define WF_VALUE_CHILDREN 65536U

/* A value with that text, whose name has name_length bytes. */
struct wf_value *wf_value_new_canonical(
    const char *text, size_t length, size_t name_length);

/* Appends to a list; false: it has WF_VALUE_CHILDREN already. */
bool wf_value_list_add(struct wf_value_list *list, struct wf_value *value);

/*
 * Reads xml with libxml2.  The values found are added to list, which is empty
 * before: the root element or, when children is set, the elements in it (and
 * list->root is set).  On failure list is left empty.
 */
enum wf_rc wf_canonical_read(struct wf_value_list *list, bool children,
    const char *xml, size_t length, struct wf_error *err) WF_MUSTCHECK;

#endif
