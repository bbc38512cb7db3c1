/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees during an evaluation.
 *
 * Nodes are structures of libxml2, but they live in the arena of the evaluation
 * and are only read and linked here, never passed to functions of libxml2.
 * Nodes are not freed singly; a tree goes when its evaluation ends.
 *
 * Document order is a number in node->_private, given when a node is made. A
 * tree is made in document order, and while it is made no other tree is made
 * that outlives it, so the numbers also order the nodes of different trees, and
 * the order is stable.
 *
 * node->ns is a pair of prefix and URI, shared freely. The declarations of an
 * element are in nsDef, with href "" for a prefix that is undeclared.
 * node->extra is not 0 for elements of the type xs:anyType (construction
 * preserve).
 */
#ifndef WF_XQUERY_TREE_NODE_H
#define WF_XQUERY_TREE_NODE_H

#include "xquery/item/item.h"
#include "xquery/tree/slice.h"

/* Nodes without parent, the next in document order. */
xmlNode *wf_node_new_document(struct wf_dynamic *dynamic);
/* An element, attribute or processing instruction of that name. */
xmlNode *wf_node_new_named(struct wf_dynamic *dynamic, xmlElementType type,
    const struct wf_qname *name);
/* Text, comment; the text is not copied and must end with a NUL. */
xmlNode *wf_node_new_text(
    struct wf_dynamic *dynamic, xmlElementType type, const char *text);
xmlNode *wf_node_new_attribute(
    struct wf_dynamic *dynamic, const struct wf_qname *name, const char *text);
void wf_node_append(xmlNode *parent, xmlNode *child);
void wf_node_add_attribute(xmlNode *element, xmlNode *attribute);
/* A pair of prefix ("" for none) and URI. */
xmlNs *wf_node_namespace(
    struct wf_dynamic *dynamic, const char *prefix, const char *uri);
xmlNs *wf_node_declare(struct wf_dynamic *dynamic, xmlNode *element,
    const char *prefix, const char *uri);

static inline uintptr_t wf_node_order(const xmlNode *node)
{
	return (uintptr_t)node->_private;
}

/*
 * The children of an element or a document; NULL for other nodes. Every reader
 * of an element uses this function, because the element may still be text.
 */
static inline xmlNode *wf_node_children(const xmlNode *node)
{
	const struct wf_slice *slice;

	if (node->type == XML_ELEMENT_NODE) {
		slice = node->psvi;
		if (slice != NULL && !slice->expanded)
			wf_slice_expand((xmlNode *)node);
		return node->children;
	}
	return node->type == XML_DOCUMENT_NODE ? node->children : NULL;
}

/* The next node in document order (no attributes); NULL at the end of top. */
xmlNode *wf_node_next(const xmlNode *node, const xmlNode *top);
xmlNode *wf_node_root(xmlNode *node);
/* The string value; ends with a NUL. */
struct wf_string wf_node_string(
    struct wf_dynamic *dynamic, const xmlNode *node);
/* The name; local is "" for nodes without one. */
struct wf_qname wf_node_name(const xmlNode *node);
xmlAttr *wf_node_attribute(
    const xmlNode *element, const char *uri, const char *local);
/* The namespace of a prefix ("" for the default) at element; "" for none. */
const char *wf_node_prefix_uri(const xmlNode *element, const char *prefix);
/* All namespaces in scope at element but xml; an array in the arena. */
const xmlNs **wf_node_namespaces(
    struct wf_dynamic *dynamic, const xmlNode *element, size_t *count_out);

/*
 * A deep copy, appended to parent when that is not NULL.  The namespaces of
 * an element are kept, inherited and repaired as the query's copy-namespaces
 * mode says.
 */
enum wf_rc wf_node_copy(struct wf_dynamic *dynamic, const xmlNode *node,
    xmlNode *parent, xmlNode **copy_out) WF_MUSTCHECK;
/* Declares the namespaces that the names of element and its attributes need. */
void wf_node_fix_namespaces(struct wf_dynamic *dynamic, xmlNode *element);

/* Sorts nodes into document order and drops duplicates; cheap when sorted. */
void wf_nodes_sort(struct wf_dynamic *dynamic, struct wf_sequence *nodes);

#endif
