/* SPDX-License-Identifier: Apache-2.0 */
/* fn:deep-equal() on sequences and trees. */
#include <string.h>

#include "xquery/eval/eval.h"
#include "xquery/tree/node.h"

static bool same_name(const xmlNode *a, const xmlNode *b)
{
	struct wf_qname x = wf_node_name(a);
	struct wf_qname y = wf_node_name(b);

	return strcmp(x.local, y.local) == 0 && strcmp(x.uri, y.uri) == 0;
}

static bool same_text(struct wf_dynamic *dynamic, const void *a, const void *b)
{
	wf_charge_text(dynamic, strlen(a));
	return strcmp(a, b) == 0;
}

static bool same_attributes(
    struct wf_dynamic *dynamic, const xmlNode *a, const xmlNode *b)
{
	size_t count = 0;

	for (const xmlAttr *one = a->properties; one != NULL; one = one->next) {
		struct wf_qname name = wf_node_name((const xmlNode *)one);
		const xmlAttr *other =
		    wf_node_attribute(b, name.uri, name.local);

		if (other == NULL || !same_text(dynamic, one->children->content,
					 other->children->content))
			return false;
		wf_charge(dynamic, ++count);
	}
	for (const xmlAttr *one = b->properties; one != NULL; one = one->next)
		count--;
	return count == 0;
}

/* Comments and processing instructions inside trees are ignored. */
static const xmlNode *relevant(const xmlNode *node)
{
	while (node != NULL &&
	       (node->type == XML_COMMENT_NODE || node->type == XML_PI_NODE))
		node = node->next;
	return node;
}

/* Compares everything except children. */
static bool same_node(
    struct wf_dynamic *dynamic, const xmlNode *a, const xmlNode *b)
{
	if (a->type != b->type || !same_name(a, b))
		return false;
	switch (a->type) {
	case XML_ELEMENT_NODE:
		return same_attributes(dynamic, a, b);
	case XML_DOCUMENT_NODE:
		return true;
	case XML_ATTRIBUTE_NODE:
		return same_text(
		    dynamic, a->children->content, b->children->content);
	default:
		return same_text(dynamic, a->content, b->content);
	}
}

static enum wf_rc same_tree(struct wf_dynamic *dynamic, const xmlNode *top,
    const xmlNode *other, bool *same_out)
{
	const xmlNode *a = top;
	const xmlNode *b = other;

	*same_out = false;
	for (;;) {
		const xmlNode *down_a;
		const xmlNode *down_b;

		WF_TRY(wf_spend(dynamic, 1));
		if (!same_node(dynamic, a, b))
			return WF_OK;
		down_a = relevant(wf_node_children(a));
		down_b = relevant(wf_node_children(b));
		if ((down_a == NULL) != (down_b == NULL))
			return WF_OK;
		while (down_a == NULL) {
			*same_out = a == top;
			if (a == top)
				return WF_OK;
			down_a = relevant(a->next);
			down_b = relevant(b->next);
			if ((down_a == NULL) != (down_b == NULL))
				return WF_OK;
			if (down_a == NULL) {
				a = a->parent;
				b = b->parent;
			}
		}
		a = down_a;
		b = down_b;
	}
}

static enum wf_rc same_item(struct wf_dynamic *dynamic, const struct wf_item *a,
    const struct wf_item *b, bool *same_out)
{
	*same_out = false;
	if (a->is_node != b->is_node)
		return WF_OK;
	if (a->is_node)
		return same_tree(dynamic, a->as.node, b->as.node, same_out);
	*same_out = wf_atomic_same(dynamic, &a->as.atomic, &b->as.atomic);
	return wf_spend(dynamic, 1);
}

enum wf_rc wf_deep_equal(struct wf_dynamic *dynamic,
    const struct wf_sequence *a, const struct wf_sequence *b, bool *same_out)
{
	*same_out = a->count == b->count;
	for (size_t i = 0; i < a->count && *same_out; i++)
		WF_TRY(
		    same_item(dynamic, &a->items[i], &b->items[i], same_out));
	return WF_OK;
}
