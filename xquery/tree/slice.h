/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements that are still text.
 *
 * The trees of values are made from canonical text when they are needed: an
 * element knows its content in the text, and gets its children when they are
 * asked for. An element that is never inspected costs no more than finding its
 * end, and an element that is only passed on is copied as text.
 *
 * node->psvi of such an element is a struct wf_slice; other elements have none.
 * Document order follows the places in the text: an element has as many numbers
 * as its content has bytes.
 */
#ifndef WF_XQUERY_TREE_SLICE_H
#define WF_XQUERY_TREE_SLICE_H

#include <libxml/tree.h>

#include "base/buffer.h"
#include "xquery/item/item.h"

/* The data that the elements of one value share. */
struct wf_slice_source;

struct wf_slice {
	const char *content; /* the text between the tags, still escaped */
	size_t length;
	unsigned depth; /* depth of the elements in the content */
	struct wf_slice_source *source;
	bool expanded; /* the element has its children */
};

/* The tree of one element, given as canonical text, appended to parent. */
void wf_slice_build(struct wf_dynamic *dynamic, xmlNode *parent,
    const char *text, size_t length);
/* Makes the children of an element with a slice. */
void wf_slice_expand(xmlNode *element);
/*
 * The same content for copy, a new element without children; false when it
 * has to be copied node by node.
 */
bool wf_slice_share(
    struct wf_dynamic *dynamic, const xmlNode *element, xmlNode *copy);
/* The slice of an element whose text means the same everywhere; else NULL. */
const struct wf_slice *wf_slice_of(const xmlNode *element);

#endif
