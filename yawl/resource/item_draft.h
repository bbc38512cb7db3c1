/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is saved beside an item: its edited data, and the texts that clients may
 * change.  It is the draft of the item's form (rest/ shows the same data), with
 * members of its own: "xml", the edited data; "documentation" and "tag".
 */
#ifndef WF_YAWL_RESOURCE_ITEM_DRAFT_H
#define WF_YAWL_RESOURCE_ITEM_DRAFT_H

#include <jansson.h>

#include "yawl/resource/gateway.h"

/*
 * What is saved, to be shown: data that was saved elsewhere, as JSON, has
 * become XML.  A new reference; NULL: nothing is saved, or there is no such
 * item.
 */
json_t *wf_item_draft_show(struct wf_gateway_call *call, const char *id);
/* A text of a draft; NULL: it has none. */
const char *wf_item_draft_text(const json_t *draft, const char *member);
/*
 * Saves texts of an item; each may be NULL: it stays.  xml: edited data, which
 * is not checked.  queue: in which the item must stand; NULL: any.
 * WF_NOT_FOUND: no such item; WF_CONFLICT: it stands in another queue;
 * WF_LIMIT.
 */
struct wf_item_texts {
	const char *queue;
	const char *xml;
	const char *documentation;
	const char *tag;
};
enum wf_rc wf_item_draft_put(struct wf_gateway_call *call, const char *id,
    const struct wf_item_texts *texts, struct wf_error *err) WF_MUSTCHECK;
/* Drops the edited data of an item, if there is any. */
enum wf_rc wf_item_draft_drop_data(struct wf_gateway_call *call, const char *id,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * The outputs in the edited data of the item as XML, in the arena; NULL:
 * nothing is saved.  Data that was saved elsewhere, as JSON, becomes XML.
 */
const char *wf_item_draft_data(struct wf_gateway_call *call, const char *id);

#endif
