/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees as text: XML with everything in it, and the canonical text of values,
 * which is what wf_value_parse() would make of that XML.
 */
#include <string.h>

#include "base/limits.h"
#include "xquery/atomic/atomic_priv.h"
#include "xquery/item/evaluation.h"
#include "xquery/parse/expr.h"
#include "xquery/tree/document.h"
#include "xquery/tree/node.h"

static void put_name(struct wf_buffer *text, const xmlNode *node)
{
	if (node->ns != NULL && node->ns->prefix != NULL) {
		wf_buffer_puts(text, (const char *)node->ns->prefix);
		wf_buffer_putc(text, ':');
	}
	wf_buffer_puts(text, (const char *)node->name);
}

static void put_declaration(
    struct wf_buffer *text, const char *prefix, const char *uri)
{
	wf_buffer_puts(text, prefix[0] == '\0' ? " xmlns" : " xmlns:");
	wf_buffer_puts(text, prefix);
	wf_buffer_puts(text, "=\"");
	wf_buffer_escape(text, uri, strlen(uri), true);
	wf_buffer_putc(text, '"');
}

static const char *prefix_of(const xmlNs *ns)
{
	return ns->prefix == NULL ? "" : (const char *)ns->prefix;
}

/* Writes the declarations here that are not in force in the parent. */
static void put_new_namespaces(struct wf_buffer *text, const xmlNode *element)
{
	for (const xmlNs *ns = element->nsDef; ns != NULL; ns = ns->next) {
		const char *uri = (const char *)ns->href;
		const char *prefix = prefix_of(ns);

		if (uri[0] == '\0' && prefix[0] != '\0')
			continue;
		if (strcmp(wf_node_prefix_uri(element->parent, prefix), uri) !=
		    0)
			put_declaration(text, prefix, uri);
	}
}

static void put_all_namespaces(
    struct wf_dynamic *dynamic, struct wf_buffer *text, const xmlNode *element)
{
	size_t count;
	const xmlNs **list = wf_node_namespaces(dynamic, element, &count);

	for (size_t i = 0; i < count; i++)
		put_declaration(
		    text, prefix_of(list[i]), (const char *)list[i]->href);
}

static void put_attribute(struct wf_buffer *text, const xmlNode *attribute)
{
	const char *value = (const char *)attribute->children->content;

	put_name(text, attribute);
	wf_buffer_puts(text, "=\"");
	wf_buffer_escape(text, value, strlen(value), true);
	wf_buffer_putc(text, '"');
}

static void put_start(struct wf_dynamic *dynamic, struct wf_buffer *text,
    const xmlNode *element, bool is_top)
{
	wf_buffer_putc(text, '<');
	put_name(text, element);
	if (is_top)
		put_all_namespaces(dynamic, text, element);
	else
		put_new_namespaces(text, element);
	for (const xmlAttr *one = element->properties; one != NULL;
	     one = one->next) {
		wf_buffer_putc(text, ' ');
		put_attribute(text, (const xmlNode *)one);
	}
	wf_buffer_puts(text, wf_node_children(element) == NULL ? "/>" : ">");
}

static void put_end(struct wf_buffer *text, const xmlNode *element)
{
	wf_buffer_puts(text, "</");
	put_name(text, element);
	wf_buffer_putc(text, '>');
}

static void put_leaf(struct wf_buffer *text, const xmlNode *node)
{
	const char *content = (const char *)node->content;

	switch (node->type) {
	case XML_TEXT_NODE:
		wf_buffer_escape(text, content, strlen(content), false);
		break;
	case XML_COMMENT_NODE:
		wf_buffer_printf(text, "<!--%s-->", content);
		break;
	case XML_PI_NODE:
		wf_buffer_printf(text, "<?%s%s%s?>", (const char *)node->name,
		    content[0] == '\0' ? "" : " ", content);
		break;
	default:
		break;
	}
}

static void put_node(
    struct wf_dynamic *dynamic, const xmlNode *top, struct wf_buffer *text)
{
	const xmlNode *node = top;

	while (!text->full) {
		wf_charge(dynamic, 10);
		if (node->type == XML_ELEMENT_NODE)
			put_start(dynamic, text, node,
			    node == top ||
				node->parent->type == XML_DOCUMENT_NODE);
		else
			put_leaf(text, node);
		if (wf_node_children(node) != NULL) {
			node = node->children;
			continue;
		}
		while (node != top && node->next == NULL) {
			node = node->parent;
			if (node->type == XML_ELEMENT_NODE)
				put_end(text, node);
		}
		if (node == top)
			return;
		node = node->next;
	}
}

enum wf_rc wf_serialize(struct wf_dynamic *dynamic,
    const struct wf_sequence *items, struct wf_buffer *text)
{
	bool after_atomic = false;

	for (size_t i = 0; i < items->count; i++) {
		const struct wf_item *item = &items->items[i];
		struct wf_string string;

		if (!item->is_node) {
			if (after_atomic)
				wf_buffer_putc(text, ' ');
			string = wf_atomic_text(dynamic, &item->as.atomic);
			wf_buffer_escape(
			    text, string.text, string.length, false);
			after_atomic = true;
			continue;
		}
		/*
		 * Attributes and namespaces alone are no XML; this is for
		 * display.
		 */
		if (item->as.node->type == XML_ATTRIBUTE_NODE)
			put_attribute(text, item->as.node);
		else
			put_node(dynamic, item->as.node, text);
		after_atomic = false;
	}
	if (text->full)
		return wf_fail(dynamic->err, WF_LIMIT,
		    "the result is larger than %zu bytes", text->maximum);
	return WF_OK;
}

/* ---- canonical text ---- */

static bool is_white(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '\0';
}

/* Whether white space in the element is only layout. */
static bool drops_white(const xmlNode *element)
{
	bool has_elements = false;

	for (const xmlNode *child = wf_node_children(element); child != NULL;
	     child = child->next) {
		if (child->type == XML_ELEMENT_NODE)
			has_elements = true;
		else if (child->type == XML_TEXT_NODE &&
			 !is_white((const char *)child->content))
			return false;
	}
	return has_elements;
}

/* Whether the canonical text has any content of the element. */
static bool has_content(const xmlNode *element)
{
	const xmlNode *child = wf_node_children(element);

	while (child != NULL && child->type != XML_ELEMENT_NODE &&
	       child->type != XML_TEXT_NODE)
		child = child->next;
	return child != NULL;
}

/* The namespace of the prefix of element in the surrounding text. */
static const char *outer_uri(
    const xmlNode *element, const xmlNode *top, const char *prefix)
{
	while (element != top) {
		const char *own = "";

		element = element->parent;
		if (element->ns != NULL && element->ns->prefix != NULL)
			own = (const char *)element->ns->prefix;
		if (strcmp(own, prefix) == 0)
			return element->ns == NULL
				   ? ""
				   : (const char *)element->ns->href;
	}
	return "";
}

/*
 * The start tag, or the whole element when it is still text (true then).
 */
static bool canonical_start(
    const xmlNode *element, const xmlNode *top, struct wf_buffer *text)
{
	const struct wf_slice *slice = wf_slice_of(element);
	struct wf_qname name = wf_node_name(element);

	wf_buffer_putc(text, '<');
	put_name(text, element);
	if (strcmp(name.prefix, "xml") != 0 &&
	    strcmp(outer_uri(element, top, name.prefix), name.uri) != 0)
		put_declaration(text, name.prefix, name.uri);
	if (slice == NULL) {
		wf_buffer_puts(text, has_content(element) ? ">" : "/>");
		return false;
	}
	wf_buffer_putc(text, '>');
	wf_buffer_append(text, slice->content, slice->length);
	put_end(text, element);
	return true;
}

static void canonical_end(const xmlNode *element, struct wf_buffer *text)
{
	if (has_content(element))
		put_end(text, element);
}

/* The depth of the tree below element that is still text. */
static unsigned depth_below(const xmlNode *element)
{
	const struct wf_slice *slice = NULL;

	if (element->type == XML_ELEMENT_NODE)
		slice = wf_slice_of(element);
	return slice == NULL ? 0 : slice->depth;
}

bool wf_serialize_canonical(const xmlNode *top, struct wf_buffer *text)
{
	const xmlNode *node = top;
	unsigned depth = 1;

	while (!text->full &&
	       depth + depth_below(node) <= WF_VALUE_DEPTH_ELEMENTS) {
		bool done = false;

		if (node->type == XML_ELEMENT_NODE)
			done = canonical_start(node, top, text);
		else if (node->type == XML_TEXT_NODE &&
			 !(is_white((const char *)node->content) &&
			     drops_white(node->parent)))
			put_leaf(text, node);
		if (!done && wf_node_children(node) != NULL) {
			node = node->children;
			depth++;
			continue;
		}
		if (node->type == XML_ELEMENT_NODE && !done)
			canonical_end(node, text);
		while (node != top && node->next == NULL) {
			node = node->parent;
			depth--;
			canonical_end(node, text);
		}
		if (node == top)
			return true;
		node = node->next;
	}
	return false;
}
