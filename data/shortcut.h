/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings that need no tree; private to data/. */
#ifndef WF_DATA_SHORTCUT_H
#define WF_DATA_SHORTCUT_H

#include "data/query.h"

enum wf_shortcut_kind {
	WF_SHORTCUT_NONE,
	WF_SHORTCUT_CONSTANT, /* <p>abc</p> */
	WF_SHORTCUT_TEXT,     /* <p>{/root/child/text()}</p> */
	WF_SHORTCUT_ELEMENTS, /* <p>{/root/child/STAR}</p> */
	WF_SHORTCUT_COPY,     /* /root/child */
	WF_SHORTCUT_BOOLEAN   /* true(), false() */
};

/* How a query is evaluated on text only. */
struct wf_shortcut {
	enum wf_shortcut_kind kind;
	bool boolean;
	const char *name;
	const char *root;
	const char *child;
	size_t name_length;
	size_t child_length;
	struct wf_value *constant;
};

/* Sets query->shortcut if the query is such a mapping. */
void wf_shortcut_find(struct wf_query *query);
/* False: the query must be evaluated in the ordinary way. */
bool wf_shortcut_element(const struct wf_shortcut *shortcut,
    const struct wf_document *document, struct wf_value **value_out);

#endif
