/* SPDX-License-Identifier: Apache-2.0 */
/* What the files about items share. */
#ifndef WF_REST_REST_ITEM_H
#define WF_REST_REST_ITEM_H

#include "rest/rest.h"

/* The data of an item as XML, at most. */
#define WF_REST_ITEM_DATA_BYTES ((size_t)256 << 20)

/* Puts the name of its task into each, which may read specifications. */
void wf_rest_name_tasks(
    struct wf_rest *rest, const struct wf_item_list *list, json_t *items);
/* The items as lists show them; a new reference. */
json_t *wf_rest_describe_items(
    const struct wf_rest *rest, const struct wf_item_list *list);

/*
 * The data of an item, as wf_case_item_input() has it, as JSON: its enablement
 * parameters while it is enabled, else its input.  A new reference.
 */
json_t *wf_rest_item_values(
    const struct wf_item *item, const struct wf_buffer *xml);

struct wf_rest_actor; /* in rest/rest_people.h */
/*
 * The item of the path as it is shown, with what people can do with it, and who
 * acts; a new reference.  False: answered, or sent to the pool.
 */
bool wf_rest_inspect_item(struct wf_rest *rest, json_t **json_out,
    uint64_t *number_out, struct wf_rest_actor *actor_out);

/*
 * The draft of an item, as it is stored, with its entity tag as "etag"; NULL:
 * it has none.  When it was saved, by whom, and its tag.  New references.  Only
 * in the pool.
 */
json_t *wf_rest_read_draft(
    struct wf_rest *rest, uint64_t number, const char *id);
json_t *wf_rest_describe_draft(const json_t *draft);

#endif
