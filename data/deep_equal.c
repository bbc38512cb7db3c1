/* SPDX-License-Identifier: Apache-2.0 */
/* fn:deep-equal() on sequences and trees. */
#include <string.h>

#include "data/eval.h"
#include "data/node.h"

static bool same_name(const xmlNode *a, const xmlNode *b)
{
	struct wf_qname x = wf_node_name(a);
	struct wf_qname y = wf_node_name(b);

	return strcmp(x.local, y.local) == 0 && strcmp(x.uri, y.uri) == 0;
}

static bool same_attributes(const xmlNode *a, const xmlNode *b)
{
	size_t count = 0;

	for (const xmlAttr *one = a->properties; one != NULL; one = one->next) {
		struct wf_qname name = wf_node_name((const xmlNode *)one);
		const xmlAttr *other =
		    wf_node_attribute(b, name.uri, name.local);

		if (other == NULL ||
		    strcmp((const char *)one->children->content,
			(const char *)other->children->content) != 0)
			return false;
		count++;
	}
	for (const xmlAttr *one = b->properties; one != NULL; one = one->next)
		count--;
	return count == 0;
}

/* Comments and processing instructions do not count inside trees. */
static const xmlNode *relevant(const xmlNode *node)
{
	while (node != NULL &&
	       (node->type == XML_COMMENT_NODE || node->type == XML_PI_NODE))
		node = node->next;
	return node;
}

/* Everything but children. */
static bool same_node(const xmlNode *a, const xmlNode *b)
{
	if (a->type != b->type || !same_name(a, b))
		return false;
	switch (a->type) {
	case XML_ELEMENT_NODE:
		return same_attributes(a, b);
	case XML_DOCUMENT_NODE:
		return true;
	case XML_ATTRIBUTE_NODE:
		return strcmp((const char *)a->children->content,
			   (const char *)b->children->content) == 0;
	default:
		return strcmp((const char *)a->content,
			   (const char *)b->content) == 0;
	}
}

static bool same_tree(
    struct wf_dynamic *dynamic, const xmlNode *top, const xmlNode *other)
{
	const xmlNode *a = top;
	const xmlNode *b = other;

	for (;;) {
		const xmlNode *down_a;
		const xmlNode *down_b;

		wf_charge(dynamic, 1);
		if (!same_node(a, b))
			return false;
		down_a = relevant(wf_node_children(a));
		down_b = relevant(wf_node_children(b));
		if ((down_a == NULL) != (down_b == NULL))
			return false;
		while (down_a == NULL) {
			if (a == top)
				return true;
			down_a = relevant(a->next);
			down_b = relevant(b->next);
			if ((down_a == NULL) != (down_b == NULL))
				return false;
			if (down_a == NULL) {
				a = a->parent;
				b = b->parent;
			}
		}
		a = down_a;
		b = down_b;
	}
}

bool wf_deep_equal(struct wf_dynamic *dynamic, const struct wf_sequence *a,
    const struct wf_sequence *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		const struct wf_item *x = &a->items[i];
		const struct wf_item *y = &b->items[i];

		if (x->is_node != y->is_node)
			return false;
		if (x->is_node ? !same_tree(dynamic, x->as.node, y->as.node)
			       : !wf_atomic_same(
				     dynamic, &x->as.atomic, &y->as.atomic))
			return false;
	}
	return true;
}
