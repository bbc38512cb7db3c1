/* SPDX-License-Identifier: Apache-2.0 */
/* Making, linking, copying and ordering nodes. */
#include "xquery/tree/node.h"

#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "xquery/item/evaluation.h"
#include "xquery/parse/expr.h"

static void number_node(struct wf_dynamic *dynamic, xmlNode *node)
{
	node->_private = (void *)++dynamic->state->next_order;
}

static xmlNode *new_node(struct wf_dynamic *dynamic, xmlElementType type)
{
	xmlNode *node = wf_arena_alloc(dynamic->arena, sizeof(xmlNode));

	node->type = type;
	number_node(dynamic, node);
	return node;
}

xmlNode *wf_node_new_document(struct wf_dynamic *dynamic)
{
	xmlDoc *document = wf_arena_alloc(dynamic->arena, sizeof(xmlDoc));

	document->type = XML_DOCUMENT_NODE;
	document->doc = document;
	number_node(dynamic, (xmlNode *)document);
	return (xmlNode *)document;
}

xmlNs *wf_node_namespace(
    struct wf_dynamic *dynamic, const char *prefix, const char *uri)
{
	xmlNs *ns = wf_arena_alloc(dynamic->arena, sizeof(xmlNs));

	ns->type = XML_NAMESPACE_DECL;
	ns->prefix = prefix[0] == '\0' ? NULL : (const xmlChar *)prefix;
	ns->href = (const xmlChar *)uri;
	return ns;
}

xmlNode *wf_node_new_named(struct wf_dynamic *dynamic, xmlElementType type,
    const struct wf_qname *name)
{
	xmlNode *node = new_node(dynamic, type);

	node->name = (const xmlChar *)name->local;
	if (name->uri[0] != '\0')
		node->ns = wf_node_namespace(dynamic, name->prefix, name->uri);
	return node;
}

xmlNode *wf_node_new_text(
    struct wf_dynamic *dynamic, xmlElementType type, const char *text)
{
	xmlNode *node = new_node(dynamic, type);

	node->content = (xmlChar *)text;
	return node;
}

/* In libxml2 a text node below an attribute holds its value. */
static void attribute_text(
    struct wf_dynamic *dynamic, xmlAttr *attribute, const char *text)
{
	xmlNode *child = wf_arena_alloc(dynamic->arena, sizeof(xmlNode));

	child->type = XML_TEXT_NODE;
	child->content = (xmlChar *)text;
	child->parent = (xmlNode *)attribute;
	attribute->children = child;
	attribute->last = child;
}

xmlNode *wf_node_new_attribute(
    struct wf_dynamic *dynamic, const struct wf_qname *name, const char *text)
{
	xmlAttr *attribute = wf_arena_alloc(dynamic->arena, sizeof(xmlAttr));

	attribute->type = XML_ATTRIBUTE_NODE;
	attribute->name = (const xmlChar *)name->local;
	if (name->uri[0] != '\0')
		attribute->ns =
		    wf_node_namespace(dynamic, name->prefix, name->uri);
	if (strcmp(name->uri, WF_NS_XML) == 0 && strcmp(name->local, "id") == 0)
		attribute->atype = XML_ATTRIBUTE_ID;
	attribute_text(dynamic, attribute, text);
	number_node(dynamic, (xmlNode *)attribute);
	return (xmlNode *)attribute;
}

void wf_node_append(xmlNode *parent, xmlNode *child)
{
	wf_assert(parent->last == NULL ||
		  wf_node_order(parent->last) < wf_node_order(child));
	child->parent = parent;
	child->prev = parent->last;
	child->next = NULL;
	if (parent->last == NULL)
		parent->children = child;
	else
		parent->last->next = child;
	parent->last = child;
}

void wf_node_add_attribute(xmlNode *element, xmlNode *node)
{
	xmlAttr *attribute = (xmlAttr *)node;
	xmlAttr **end = &element->properties;
	xmlAttr *last = NULL;

	while (*end != NULL) {
		last = *end;
		end = &last->next;
	}
	attribute->parent = element;
	attribute->prev = last;
	attribute->next = NULL;
	*end = attribute;
}

xmlNs *wf_node_declare(struct wf_dynamic *dynamic, xmlNode *element,
    const char *prefix, const char *uri)
{
	xmlNs *ns = wf_node_namespace(dynamic, prefix, uri);
	xmlNs **end = &element->nsDef;

	while (*end != NULL)
		end = &(*end)->next;
	*end = ns;
	return ns;
}

xmlNode *wf_node_next(const xmlNode *node, const xmlNode *top)
{
	xmlNode *next = wf_node_children(node);

	if (next != NULL)
		return next;
	while (node != top && node->next == NULL) {
		node = node->parent;
		if (node == NULL)
			return NULL;
	}
	return node == top ? NULL : node->next;
}

xmlNode *wf_node_root(xmlNode *node)
{
	while (node->parent != NULL)
		node = node->parent;
	return node;
}

static struct wf_string tree_string(
    struct wf_dynamic *dynamic, const xmlNode *top)
{
	struct wf_string string;
	size_t length = 0;
	char *text;

	for (const xmlNode *node = wf_node_next(top, top); node != NULL;
	     node = wf_node_next(node, top)) {
		wf_charge(dynamic, 1);
		if (node->type == XML_TEXT_NODE)
			length += strlen((const char *)node->content);
	}
	text = wf_arena_alloc(dynamic->arena, length + 1);
	string.text = text;
	string.length = length;
	wf_charge_text(dynamic, length);
	for (const xmlNode *node = wf_node_next(top, top); node != NULL;
	     node = wf_node_next(node, top)) {
		if (node->type != XML_TEXT_NODE)
			continue;
		length = strlen((const char *)node->content);
		memcpy(text, node->content, length);
		text += length;
	}
	return string;
}

struct wf_string wf_node_string(struct wf_dynamic *dynamic, const xmlNode *node)
{
	struct wf_string string = { "", 0 };
	const xmlNode *only;

	switch (node->type) {
	case XML_ATTRIBUTE_NODE:
		string.text = (const char *)node->children->content;
		break;
	case XML_ELEMENT_NODE:
	case XML_DOCUMENT_NODE:
		only = wf_node_children(node);
		if (only == NULL)
			return string;
		if (only->next != NULL || only->type != XML_TEXT_NODE)
			return tree_string(dynamic, node);
		string.text = (const char *)only->content;
		break;
	default:
		string.text = (const char *)node->content;
	}
	string.length = strlen(string.text);
	wf_charge_text(dynamic, string.length);
	return string;
}

struct wf_qname wf_node_name(const xmlNode *node)
{
	struct wf_qname name = { "", "", "" };

	if (node->type != XML_ELEMENT_NODE &&
	    node->type != XML_ATTRIBUTE_NODE && node->type != XML_PI_NODE &&
	    node->type != XML_NAMESPACE_DECL)
		return name;
	name.local = (const char *)node->name;
	if (node->ns != NULL) {
		name.uri = (const char *)node->ns->href;
		if (node->ns->prefix != NULL)
			name.prefix = (const char *)node->ns->prefix;
	}
	return name;
}

xmlAttr *wf_node_attribute(
    const xmlNode *element, const char *uri, const char *local)
{
	for (xmlAttr *one = element->properties; one != NULL; one = one->next) {
		const char *own =
		    one->ns == NULL ? "" : (const char *)one->ns->href;

		if (strcmp((const char *)one->name, local) == 0 &&
		    strcmp(own, uri) == 0)
			return one;
	}
	return NULL;
}

/* ---- namespaces ---- */

static const char *prefix_of(const xmlNs *ns)
{
	return ns->prefix == NULL ? "" : (const char *)ns->prefix;
}

static xmlNs *declared_here(const xmlNode *element, const char *prefix)
{
	xmlNs *ns = element->nsDef;

	while (ns != NULL && strcmp(prefix_of(ns), prefix) != 0)
		ns = ns->next;
	return ns;
}

const char *wf_node_prefix_uri(const xmlNode *element, const char *prefix)
{
	if (strcmp(prefix, "xml") == 0)
		return WF_NS_XML;
	for (; element != NULL && element->type == XML_ELEMENT_NODE;
	     element = element->parent) {
		const xmlNs *ns = declared_here(element, prefix);

		if (ns != NULL)
			return (const char *)ns->href;
	}
	return "";
}

static bool listed(const xmlNs **list, size_t count, const xmlNs *ns)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(prefix_of(list[i]), prefix_of(ns)) == 0)
			return true;
	}
	return false;
}

const xmlNs **wf_node_namespaces(
    struct wf_dynamic *dynamic, const xmlNode *element, size_t *count_out)
{
	const xmlNs **list = NULL;
	size_t capacity = 0;
	size_t count = 0;
	size_t kept = 0;

	for (; element != NULL && element->type == XML_ELEMENT_NODE;
	     element = element->parent) {
		for (const xmlNs *ns = element->nsDef; ns != NULL;
		     ns = ns->next) {
			if (listed(list, count, ns))
				continue;
			list = wf_arena_grow(dynamic->arena, list, count,
			    &capacity, sizeof(*list));
			list[count++] = ns;
		}
	}
	for (size_t i = 0; i < count; i++) {
		if (list[i]->href[0] != '\0')
			list[kept++] = list[i];
	}
	*count_out = kept;
	return list;
}

/* A prefix for uri that element has, or a new one. */
static const char *attribute_prefix(
    struct wf_dynamic *dynamic, xmlNode *element, const char *uri)
{
	size_t count;
	const xmlNs **list = wf_node_namespaces(dynamic, element, &count);
	const char *prefix;

	for (size_t i = 0; i < count; i++) {
		if (list[i]->prefix != NULL &&
		    strcmp((const char *)list[i]->href, uri) == 0)
			return (const char *)list[i]->prefix;
	}
	for (unsigned n = 0;; n++) {
		prefix = wf_arena_printf(dynamic->arena, "ns%u", n);
		if (wf_node_prefix_uri(element, prefix)[0] == '\0' &&
		    declared_here(element, prefix) == NULL)
			break;
	}
	(void)wf_node_declare(dynamic, element, prefix, uri);
	return prefix;
}

static void fix_attribute(
    struct wf_dynamic *dynamic, xmlNode *element, xmlAttr *attribute)
{
	const char *uri;
	const char *prefix;
	const char *bound;

	if (attribute->ns == NULL)
		return;
	uri = (const char *)attribute->ns->href;
	prefix = prefix_of(attribute->ns);
	if (strcmp(uri, WF_NS_XML) == 0)
		return;
	if (prefix[0] != '\0') {
		bound = wf_node_prefix_uri(element, prefix);
		if (strcmp(bound, uri) == 0)
			return;
		if (bound[0] == '\0' &&
		    declared_here(element, prefix) == NULL) {
			(void)wf_node_declare(dynamic, element, prefix, uri);
			return;
		}
	}
	prefix = attribute_prefix(dynamic, element, uri);
	attribute->ns = wf_node_namespace(dynamic, prefix, uri);
}

void wf_node_fix_namespaces(struct wf_dynamic *dynamic, xmlNode *element)
{
	struct wf_qname name = wf_node_name(element);
	xmlNs *own;

	if (strcmp(name.uri, WF_NS_XML) != 0 &&
	    strcmp(wf_node_prefix_uri(element, name.prefix), name.uri) != 0) {
		own = declared_here(element, name.prefix);
		if (own != NULL)
			own->href = (const xmlChar *)name.uri;
		else
			(void)wf_node_declare(
			    dynamic, element, name.prefix, name.uri);
	}
	for (xmlAttr *one = element->properties; one != NULL; one = one->next)
		fix_attribute(dynamic, element, one);
}

/* ---- copies ---- */

static xmlNode *copy_attribute(
    struct wf_dynamic *dynamic, const xmlAttr *attribute)
{
	xmlAttr *copy = wf_arena_alloc(dynamic->arena, sizeof(xmlAttr));

	copy->type = XML_ATTRIBUTE_NODE;
	copy->name = attribute->name;
	copy->ns = attribute->ns;
	copy->atype = attribute->atype;
	attribute_text(
	    dynamic, copy, (const char *)attribute->children->content);
	number_node(dynamic, (xmlNode *)copy);
	return (xmlNode *)copy;
}

/* Copies one node without its children. */
static xmlNode *copy_node(struct wf_dynamic *dynamic, const xmlNode *node)
{
	bool preserve = !dynamic->state->query->no_preserve;
	xmlNode *copy;

	if (node->type == XML_ATTRIBUTE_NODE)
		return copy_attribute(dynamic, (const xmlAttr *)node);
	if (node->type == XML_DOCUMENT_NODE)
		return wf_node_new_document(dynamic);
	copy = new_node(dynamic, node->type);
	copy->name = node->name;
	copy->ns = node->ns;
	copy->content = node->content;
	if (node->type != XML_ELEMENT_NODE)
		return copy;
	if (dynamic->state->query->preserve_construction)
		copy->extra = node->extra;
	for (const xmlAttr *one = node->properties; one != NULL;
	     one = one->next)
		wf_node_add_attribute(copy, copy_attribute(dynamic, one));
	if (preserve) {
		for (const xmlNs *ns = node->nsDef; ns != NULL; ns = ns->next)
			(void)wf_node_declare(dynamic, copy, prefix_of(ns),
			    (const char *)ns->href);
	}
	return copy;
}

/* The namespaces that a copied element had from its ancestors. */
static void keep_namespaces(
    struct wf_dynamic *dynamic, const xmlNode *node, xmlNode *copy)
{
	size_t count;
	const xmlNs **list = wf_node_namespaces(dynamic, node, &count);

	for (size_t i = 0; i < count; i++) {
		const char *prefix = prefix_of(list[i]);
		const char *uri = (const char *)list[i]->href;

		if (strcmp(wf_node_prefix_uri(copy, prefix), uri) != 0 &&
		    declared_here(copy, prefix) == NULL)
			(void)wf_node_declare(dynamic, copy, prefix, uri);
	}
}

/* Undeclares namespaces that copy would inherit from its new parent. */
static void refuse_namespaces(struct wf_dynamic *dynamic, xmlNode *copy)
{
	size_t count;
	const xmlNs **list = wf_node_namespaces(dynamic, copy->parent, &count);

	for (size_t i = 0; i < count; i++) {
		if (declared_here(copy, prefix_of(list[i])) == NULL)
			(void)wf_node_declare(
			    dynamic, copy, prefix_of(list[i]), "");
	}
}

static void copy_namespaces(
    struct wf_dynamic *dynamic, const xmlNode *node, xmlNode *copy)
{
	const struct wf_query *query = dynamic->state->query;

	if (!query->no_preserve && node->parent != NULL)
		keep_namespaces(dynamic, node, copy);
	wf_node_fix_namespaces(dynamic, copy);
	if (query->no_inherit && copy->parent != NULL)
		refuse_namespaces(dynamic, copy);
}

enum wf_rc wf_node_copy(struct wf_dynamic *dynamic, const xmlNode *node,
    xmlNode *parent, xmlNode **copy_out)
{
	bool fix = dynamic->state->query->no_preserve;
	bool shares = !fix && !dynamic->state->query->no_inherit;
	xmlNode *copy = copy_node(dynamic, node);
	xmlNode *at = copy;

	*copy_out = copy;
	if (parent != NULL)
		wf_node_append(parent, copy);
	if (node->type == XML_ELEMENT_NODE)
		copy_namespaces(dynamic, node, copy);
	if (node->type == XML_ELEMENT_NODE && shares &&
	    wf_slice_share(dynamic, node, copy))
		return wf_spend(dynamic, 1);
	if (wf_node_children(node) == NULL)
		return WF_OK;
	for (const xmlNode *from = wf_node_next(node, node), *last = node;
	     from != NULL; last = from, from = wf_node_next(from, node)) {
		xmlNode *one;

		WF_TRY(wf_spend(dynamic, 1));
		one = copy_node(dynamic, from);
		/* "at" is the copy of "last": climbs to the right parent. */
		while (last != from->parent) {
			last = last->parent;
			at = at->parent;
		}
		wf_node_append(at, one);
		if (fix && one->type == XML_ELEMENT_NODE)
			wf_node_fix_namespaces(dynamic, one);
		at = one;
	}
	return WF_OK;
}

/* ---- order ---- */

static int compare_order(const void *a, const void *b)
{
	uintptr_t x = wf_node_order(((const struct wf_item *)a)->as.node);
	uintptr_t y = wf_node_order(((const struct wf_item *)b)->as.node);

	return x < y ? -1 : x > y;
}

void wf_nodes_sort(struct wf_dynamic *dynamic, struct wf_sequence *nodes)
{
	size_t kept = 1;
	size_t i = 1;
	unsigned rounds;

	wf_charge(dynamic, nodes->count / 8);
	while (i < nodes->count &&
	       compare_order(&nodes->items[i - 1], &nodes->items[i]) < 0)
		i++;
	if (i >= nodes->count)
		return;
	rounds = 64U - (unsigned)__builtin_clzll(nodes->count);
	wf_charge(dynamic, nodes->count / 4 * rounds);
	qsort(
	    nodes->items, nodes->count, sizeof(struct wf_item), compare_order);
	for (i = 1; i < nodes->count; i++) {
		if (nodes->items[i].as.node != nodes->items[kept - 1].as.node)
			nodes->items[kept++] = nodes->items[i];
	}
	nodes->count = kept;
}
