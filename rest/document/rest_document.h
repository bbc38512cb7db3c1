/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may see and change the documents of a case.
 *
 * With the right to read (to work, or to operate) for the case: all of them.
 * A participant sees what it has added, what was added for an item that it sees
 * (wf_rest_view_item), what such an item refers to, and all of a case that it
 * has started or worked on; it changes what belongs to an item that it has, or
 * somebody whose deputy it is.
 */
#ifndef WF_REST_REST_DOCUMENT_H
#define WF_REST_REST_DOCUMENT_H

#include "persistence/store.h"
#include "rest/rest.h"

/* An item of the case that the participant sees. */
struct wf_rest_seen_item {
	struct wf_rest_seen_item *next;
	const char *id;
	bool is_held;
	uint64_t *documents; /* that its data refers to */
	size_t count;
	size_t capacity;
};

/* What the account has of one case. */
struct wf_rest_sight {
	struct wf_rest *rest;
	struct wf_known_case known;
	const char *participant; /* NULL: none */
	bool reads;		 /* all documents */
	bool changes;		 /* likewise */
	struct wf_rest_seen_item *items;
};

/*
 * Reads it, in the pool.  item: that the request is about, for rights to its
 * service, or "".  False: answered.
 */
bool wf_rest_read_sight(struct wf_rest *rest, const char *item,
    const struct wf_known_case *known, struct wf_rest_sight *sight_out);
bool wf_rest_sees_document(
    const struct wf_rest_sight *sight, const struct wf_document_row *row);
bool wf_rest_changes_document(
    const struct wf_rest_sight *sight, const struct wf_document_row *row);
/* Whether it was added for the item, or the item refers to it. */
bool wf_rest_is_of_item(
    const struct wf_rest_seen_item *seen, const struct wf_document_row *row);
/* NULL: it does not see the item. */
const struct wf_rest_seen_item *wf_rest_find_seen(
    const struct wf_rest_sight *sight, const char *item);

#endif
