/* SPDX-License-Identifier: Apache-2.0 */
#include "data/outline/document_walk.h"

#include <stdlib.h>
#include <string.h>

#include "data/shape.h"
#include "data/tree.h"
#include "data/type_error.h"

/* --- what is said of an element ------------------------------------------- */

static void take_hints(struct wf_document_hints *hints, const xmlNode *node)
{
	if (node != NULL && hints->types == NULL)
		hints->types = wf_schema_hint(node, "documentTypes");
	if (node != NULL && hints->bytes == NULL)
		hints->bytes = wf_schema_hint(node, "documentSize");
}

static void take_type_hints(
    struct wf_document_hints *hints, const struct wf_shape *shape)
{
	for (; shape != NULL; shape = shape->base)
		take_hints(hints, shape->node);
}

static struct wf_document_hints root_hints(
    const struct wf_type *type, const struct wf_document_hints *own)
{
	struct wf_document_hints hints = *own;

	take_hints(&hints, wf_type_component(type));
	take_type_hints(&hints, wf_type_shape(type));
	return hints;
}

static struct wf_document_hints member_hints(
    const struct wf_member *member, const struct wf_document_hints *outer)
{
	struct wf_document_hints hints = { NULL, NULL };

	take_hints(&hints, member->node);
	take_hints(&hints, member->declared);
	take_type_hints(&hints, member->shape);
	if (hints.types == NULL)
		hints.types = outer->types;
	if (hints.bytes == NULL)
		hints.bytes = outer->bytes;
	return hints;
}

/* --- the walk ------------------------------------------------------------- */

struct walk {
	wf_document_visit_f *visit;
	void *context;
	size_t count; /* of references */
	struct wf_error *err;
};

static const xmlNode *first_element(const xmlNode *node)
{
	node = node->children;
	while (node != NULL && node->type != XML_ELEMENT_NODE)
		node = node->next;
	return node;
}

/* What the element refers to; false: to nothing. */
static bool read_reference(
    const xmlNode *element, struct wf_document_reference *reference)
{
	const xmlNode *first = first_element(element);
	xmlChar *text;
	long long number;

	if (first == NULL)
		return false;
	if (first->ns != NULL ||
	    (strcmp((const char *)first->name, "name") != 0 &&
		strcmp((const char *)first->name, "id") != 0)) {
		reference->wrong =
		    "expected the elements <id> and <name>, in no namespace";
		return true;
	}
	if (strcmp((const char *)first->name, "name") == 0)
		return false;
	text = xmlNodeGetContent(first);
	number = text == NULL ? 0 : strtoll((const char *)text, NULL, 10);
	xmlFree(text);
	if (number > 0)
		reference->document = (uint64_t)number;
	else
		reference->wrong =
		    "expected the number of a document, from 1 on";
	return true;
}

static enum wf_rc visit(struct walk *walk, const xmlNode *element,
    const struct wf_document_hints *hints)
{
	struct wf_document_reference reference = { .hints = *hints,
		.element = element };

	if (!read_reference(element, &reference))
		return WF_OK;
	if (++walk->count > WF_DOCUMENT_REFERENCES)
		return wf_fail(walk->err, WF_LIMIT,
		    "the value refers to more than %u documents",
		    WF_DOCUMENT_REFERENCES);
	return walk->visit(walk->context, &reference, walk->err);
}

/* No value is deeper than WF_VALUE_DEPTH_ELEMENTS. */
static enum wf_rc walk_element(struct walk *walk, const struct wf_shape *shape,
    const xmlNode *element, const struct wf_document_hints *hints)
{
	enum wf_rc rc = WF_OK;

	if (shape->is_document)
		rc = visit(walk, element, hints);
	for (const xmlNode *child = element->children;
	     rc == WF_OK && child != NULL; child = child->next) {
		const struct wf_member *member = NULL;
		struct wf_document_hints inner;

		if (child->type == XML_ELEMENT_NODE)
			member =
			    wf_shape_find(shape, (const char *)child->name);
		if (member == NULL || !member->shape->has_documents)
			continue;
		inner = member_hints(member, hints);
		rc = walk_element(walk, member->shape, child, &inner);
	}
	return rc;
}

enum wf_rc wf_type_visit_documents(const struct wf_type *type,
    const struct wf_value *value, const struct wf_document_hints *own,
    wf_document_visit_f *call, void *context, struct wf_error *err)
{
	struct walk walk = { call, context, 0, err };
	struct wf_value *one = (struct wf_value *)(uintptr_t)value;
	struct wf_document_hints hints;
	enum wf_rc rc;
	xmlDoc *tree;

	if (!wf_type_shape(type)->has_documents)
		return WF_OK;
	hints = root_hints(type, own);
	tree = wf_tree_build(&one, 1, NULL);
	rc = walk_element(
	    &walk, wf_type_shape(type), xmlDocGetRootElement(tree), &hints);
	xmlFreeDoc(tree);
	return rc;
}

unsigned wf_document_place(
    const struct wf_document_reference *reference, struct wf_buffer *path)
{
	const xmlNode *element = reference->element;
	const char *root =
	    (const char *)xmlDocGetRootElement(element->doc)->name;

	wf_type_put_path(root, strlen(root), element, path);
	return wf_type_elements_before(element);
}

bool wf_type_find_document(const struct wf_type *type, const char *path,
    const struct wf_document_hints *own, struct wf_document_hints *hints_out)
{
	const struct wf_shape *shape = wf_type_shape(type);
	struct wf_document_hints hints;

	if (!shape->has_documents)
		return false;
	hints = root_hints(type, own);
	while (*path != '\0') {
		size_t length = strcspn(path, "/");
		char *name = wf_strndup(path, length);
		const struct wf_member *member = wf_shape_find(shape, name);

		wf_free(name);
		if (member == NULL)
			return false;
		hints = member_hints(member, &hints);
		shape = member->shape;
		path += length;
		path += *path == '/';
	}
	*hints_out = hints;
	return shape->is_document;
}
