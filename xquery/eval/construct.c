/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constructors.
 *
 * An element constructor in the content of another one is evaluated directly
 * into its parent, without the copy that the standard describes: the result is
 * the same, and nested constructors cost no more than flat ones. Text is
 * collected and becomes one node before the next other node.
 */
#include <string.h>

#include "xquery/eval/eval.h"
#include "xquery/parse/parse.h"
#include "xquery/tree/node.h"

static enum wf_rc construct_element(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, xmlNode *parent, xmlNode **node_out);

struct builder {
	struct wf_dynamic *dynamic;
	xmlNode *node;
	bool started; /* something other than an attribute was added */
	uint64_t attributes;
	char *text;
	size_t length;
	size_t capacity;
};

static enum wf_rc start_content(struct builder *builder)
{
	if (!builder->started && builder->node->type == XML_ELEMENT_NODE)
		wf_node_fix_namespaces(builder->dynamic, builder->node);
	builder->started = true;
	return wf_spend(builder->dynamic, 1);
}

static enum wf_rc add_text(
    struct builder *builder, const char *text, size_t length)
{
	WF_TRY(start_content(builder));
	while (builder->capacity - builder->length <= length) {
		size_t capacity = builder->capacity;

		builder->text = wf_arena_grow(builder->dynamic->arena,
		    builder->text, capacity, &builder->capacity, 1);
	}
	memcpy(builder->text + builder->length, text, length);
	builder->length += length;
	return WF_OK;
}

static void flush_text(struct builder *builder)
{
	xmlNode *node;

	if (builder->length == 0)
		return;
	wf_charge_text(builder->dynamic, 2 * builder->length);
	node = wf_node_new_text(builder->dynamic, XML_TEXT_NODE,
	    wf_arena_strndup(
		builder->dynamic->arena, builder->text, builder->length));
	wf_node_append(builder->node, node);
	builder->length = 0;
}

static enum wf_rc add_attribute(struct builder *builder, xmlNode *attribute)
{
	struct wf_dynamic *dynamic = builder->dynamic;
	struct wf_qname name = wf_node_name(attribute);

	if (builder->node->type != XML_ELEMENT_NODE)
		return wf_fail_code(dynamic->err, WF_DATA, "XPTY0004",
		    "a document has no attributes");
	if (builder->started)
		return wf_fail_code(dynamic->err, WF_DATA, "XQTY0024",
		    "the attribute %s comes after other content", name.local);
	if (wf_node_attribute(builder->node, name.uri, name.local) != NULL)
		return wf_fail_code(dynamic->err, WF_DATA, "XQDY0025",
		    "there are two attributes %s", name.local);
	wf_node_add_attribute(builder->node, attribute);
	return wf_spend(dynamic, ++builder->attributes);
}

static enum wf_rc add_namespace(struct builder *builder, const xmlNode *node)
{
	struct wf_dynamic *dynamic = builder->dynamic;
	const char *prefix = (const char *)node->name;
	const char *uri = (const char *)node->content;

	if (builder->started || builder->node->type != XML_ELEMENT_NODE)
		return wf_fail_code(dynamic->err, WF_DATA, "XQTY0024",
		    "a namespace comes after other content");
	if (prefix[0] == '\0' && builder->node->ns == NULL)
		return wf_fail_code(dynamic->err, WF_DATA, "XQDY0102",
		    "the element is in no namespace");
	for (const xmlNs *ns = builder->node->nsDef; ns != NULL;
	     ns = ns->next) {
		const char *own =
		    ns->prefix == NULL ? "" : (const char *)ns->prefix;

		if (strcmp(own, prefix) != 0)
			continue;
		if (strcmp((const char *)ns->href, uri) == 0)
			return WF_OK;
		return wf_fail_code(dynamic->err, WF_DATA, "XQDY0102",
		    "the prefix \"%s\" stands for two namespaces", prefix);
	}
	(void)wf_node_declare(dynamic, builder->node, prefix, uri);
	return WF_OK;
}

static enum wf_rc add_node(struct builder *builder, const xmlNode *node)
{
	struct wf_dynamic *dynamic = builder->dynamic;
	xmlNode *copy;

	switch (node->type) {
	case XML_ATTRIBUTE_NODE:
		WF_TRY(wf_node_copy(dynamic, node, NULL, &copy));
		return add_attribute(builder, copy);
	case XML_NAMESPACE_DECL:
		return add_namespace(builder, node);
	case XML_TEXT_NODE:
		return add_text(builder, (const char *)node->content,
		    strlen((const char *)node->content));
	case XML_DOCUMENT_NODE:
		WF_TRY(start_content(builder));
		for (node = node->children; node != NULL; node = node->next)
			WF_TRY(add_node(builder, node));
		return WF_OK;
	default:
		WF_TRY(start_content(builder));
		flush_text(builder);
		return wf_node_copy(dynamic, node, builder->node, &copy);
	}
}

static enum wf_rc add_items(
    struct builder *builder, const struct wf_sequence *items)
{
	bool after_atomic = false;

	for (size_t i = 0; i < items->count; i++) {
		const struct wf_item *item = &items->items[i];
		struct wf_string text;

		if (item->is_node) {
			WF_TRY(add_node(builder, item->as.node));
			after_atomic = false;
			continue;
		}
		if (after_atomic)
			WF_TRY(add_text(builder, " ", 1));
		text = wf_atomic_text(builder->dynamic, &item->as.atomic);
		WF_TRY(add_text(builder, text.text, text.length));
		after_atomic = true;
	}
	return WF_OK;
}

/* An element constructor inside content, evaluated in place. */
static enum wf_rc add_nested(
    struct builder *builder, const struct wf_expr *expr)
{
	struct wf_dynamic *dynamic = builder->dynamic;
	xmlNode *node;
	enum wf_rc rc;

	WF_TRY(start_content(builder));
	flush_text(builder);
	WF_TRY(wf_enter(dynamic));
	rc = construct_element(dynamic, expr, builder->node, &node);
	dynamic->depth--;
	return rc;
}

static enum wf_rc add_content(
    struct builder *builder, const struct wf_expr *expr, unsigned first)
{
	const struct wf_query *query = builder->dynamic->state->query;
	bool in_place = !query->no_preserve && !query->no_inherit;

	for (unsigned i = first; i < expr->count; i++) {
		const struct wf_expr *kid = expr->kids[i];
		const struct wf_sequence *value;
		struct wf_one own;

		if (kid->kind == WF_EXPR_CONTENT) {
			WF_TRY(add_text(builder, kid->u.literal.as.string.text,
			    kid->u.literal.as.string.length));
		} else if (kid->kind == WF_EXPR_ELEMENT && in_place) {
			WF_TRY(add_nested(builder, kid));
		} else {
			WF_TRY(
			    wf_eval_lent(builder->dynamic, kid, &own, &value));
			WF_TRY(add_items(builder, value));
		}
	}
	flush_text(builder);
	return WF_OK;
}

/* ---- names ---- */

static enum wf_rc computed_name(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, bool is_element, struct wf_qname *name_out)
{
	struct wf_atomic value;
	const char *uri = NULL;
	bool present;
	enum wf_atomic_type primitive;

	WF_TRY(wf_eval_atomic(dynamic, expr->kids[0], &value, &present));
	primitive = present ? wf_atomic_primitive(value.type) : WF_XS_BOOLEAN;
	if (primitive == WF_XS_QNAME) {
		*name_out = value.as.qname;
		return WF_OK;
	}
	if (primitive != WF_XS_STRING && primitive != WF_XS_UNTYPED)
		return wf_fail_code(dynamic->err, WF_DATA, "XPTY0004",
		    "a name is a QName or a string");
	if (wf_parse_expanded_name(dynamic, value.as.string, name_out))
		return WF_OK;
	if (is_element)
		uri = wf_namespaces_find(expr->namespaces, "");
	if (wf_parse_qname(dynamic, expr->namespaces, value.as.string,
		uri == NULL ? "" : uri, name_out) == WF_OK)
		return WF_OK;
	wf_error_clear(dynamic->err);
	return wf_fail_code(dynamic->err, WF_DATA, "XQDY0074",
	    "\"%.*s\" is not the name of a node",
	    (int)(value.as.string.length < 40 ? value.as.string.length : 40),
	    value.as.string.text);
}

static enum wf_rc constructor_name(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, bool is_element, struct wf_qname *name_out)
{
	bool is_xml;

	if (expr->u.constructor->name.local != NULL)
		*name_out = expr->u.constructor->name;
	else
		WF_TRY(computed_name(dynamic, expr, is_element, name_out));
	is_xml = strcmp(name_out->uri, WF_NS_XML) == 0;
	if (strcmp(name_out->uri, WF_NS_XMLNS) == 0 ||
	    strcmp(name_out->prefix, "xmlns") == 0 ||
	    (!is_element && name_out->uri[0] == '\0' &&
		strcmp(name_out->local, "xmlns") == 0) ||
	    (strcmp(name_out->prefix, "xml") == 0) != is_xml) {
		if (is_xml && name_out->prefix[0] == '\0') {
			name_out->prefix = "xml";
			return WF_OK;
		}
		return wf_fail_code(dynamic->err, WF_DATA,
		    is_element ? "XQDY0096" : "XQDY0044",
		    "a node cannot have the name of a namespace declaration");
	}
	return WF_OK;
}

/* ---- attributes ---- */

/* Drops white space at both ends and replaces each run inside by one blank. */
static const char *normalized(struct wf_dynamic *dynamic, const char *text)
{
	char *copy = wf_arena_strdup(dynamic->arena, text);
	size_t used = 0;

	for (size_t i = 0; copy[i] != '\0'; i++) {
		if (strchr(" \t\r\n", copy[i]) == NULL)
			copy[used++] = copy[i];
		else if (used > 0 && copy[used - 1] != ' ')
			copy[used++] = ' ';
	}
	if (used > 0 && copy[used - 1] == ' ')
		used--;
	copy[used] = '\0';
	return copy;
}

static enum wf_rc attribute_value(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, unsigned first, const char **text_out)
{
	struct builder value;

	memset(&value, 0, sizeof(value));
	value.dynamic = dynamic;
	value.started = true;
	for (unsigned i = first; i < expr->count; i++) {
		struct wf_one own;
		const struct wf_sequence *items;
		struct wf_string text;

		WF_TRY(wf_eval_lent(dynamic, expr->kids[i], &own, &items));
		WF_TRY(wf_sequence_join(dynamic, items, &text));
		WF_TRY(add_text(&value, text.text, text.length));
	}
	*text_out = value.length == 0 ? ""
				      : wf_arena_strndup(dynamic->arena,
					    value.text, value.length);
	return WF_OK;
}

static enum wf_rc construct_attribute(
    struct wf_dynamic *dynamic, const struct wf_expr *expr, xmlNode **node_out)
{
	unsigned first = expr->u.constructor->name.local == NULL ? 1 : 0;
	struct wf_qname name;
	const char *text;

	WF_TRY(constructor_name(dynamic, expr, false, &name));
	WF_TRY(attribute_value(dynamic, expr, first, &text));
	if (strcmp(name.uri, WF_NS_XML) == 0) {
		if (strcmp(name.local, "id") == 0) {
			text = normalized(dynamic, text);
			if (*text == '\0' ||
			    wf_ncname_length(text) != strlen(text))
				return wf_fail_code(dynamic->err, WF_DATA,
				    "XQDY0091", "xml:id is an NCName");
		}
		if (strcmp(name.local, "space") == 0 &&
		    strcmp(text, "preserve") != 0 &&
		    strcmp(text, "default") != 0)
			return wf_fail_code(dynamic->err, WF_DATA, "XQDY0092",
			    "xml:space is \"preserve\" or \"default\"");
	}
	*node_out = wf_node_new_attribute(dynamic, &name, text);
	return WF_OK;
}

enum wf_rc wf_eval_attribute(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	xmlNode *node;

	WF_TRY(construct_attribute(dynamic, expr, &node));
	if (node->ns != NULL && node->ns->prefix == NULL)
		node->ns->prefix = (const xmlChar *)"ns0";
	return wf_sequence_add_node(dynamic, result, node);
}

/* ---- elements ---- */

/*
 * The declarations of this and the enclosing direct constructors. An inner
 * element leaves the outer declarations to the enclosing element.
 */
static void declare_scope(struct wf_dynamic *dynamic,
    const struct wf_namespaces *scope, xmlNode *node)
{
	for (; scope != NULL && scope->is_constructor; scope = scope->outer) {
		const struct wf_namespace *one = scope->list;

		for (; one != NULL; one = one->next) {
			const xmlNs *ns = node->nsDef;

			if (strcmp(one->prefix, "xml") == 0)
				continue;
			while (
			    ns != NULL && strcmp(ns->prefix == NULL
						     ? ""
						     : (const char *)ns->prefix,
					      one->prefix) != 0)
				ns = ns->next;
			if (ns == NULL &&
			    strcmp(wf_node_prefix_uri(node, one->prefix),
				one->uri) != 0)
				(void)wf_node_declare(
				    dynamic, node, one->prefix, one->uri);
		}
		if (node->parent != NULL &&
		    node->parent->type == XML_ELEMENT_NODE)
			return;
	}
}

static enum wf_rc construct_element(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, xmlNode *parent, xmlNode **node_out)
{
	unsigned first = expr->u.constructor->name.local == NULL ? 1 : 0;
	unsigned attributes = expr->u.constructor->attributes;
	struct builder builder;
	struct wf_qname name;
	xmlNode *attribute;

	WF_TRY(constructor_name(dynamic, expr, true, &name));
	memset(&builder, 0, sizeof(builder));
	builder.dynamic = dynamic;
	builder.node = wf_node_new_named(dynamic, XML_ELEMENT_NODE, &name);
	builder.node->extra =
	    dynamic->state->query->preserve_construction ? 1 : 0;
	*node_out = builder.node;
	if (parent != NULL)
		wf_node_append(parent, builder.node);
	declare_scope(dynamic, expr->namespaces, builder.node);
	for (unsigned i = first; i < first + attributes; i++) {
		WF_TRY(construct_attribute(dynamic, expr->kids[i], &attribute));
		WF_TRY(add_attribute(&builder, attribute));
	}
	WF_TRY(add_content(&builder, expr, first + attributes));
	return start_content(&builder);
}

enum wf_rc wf_eval_element(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	xmlNode *node;

	WF_TRY(construct_element(dynamic, expr, NULL, &node));
	return wf_sequence_add_node(dynamic, result, node);
}

enum wf_rc wf_eval_document(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	struct builder builder;

	memset(&builder, 0, sizeof(builder));
	builder.dynamic = dynamic;
	builder.node = wf_node_new_document(dynamic);
	WF_TRY(add_content(&builder, expr, 0));
	return wf_sequence_add_node(dynamic, result, builder.node);
}

/* ---- text, comments, instructions, namespaces ---- */

/* The content of a constructor, joined; false when it was empty. */
static enum wf_rc content_text(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, unsigned first, struct wf_string *text_out,
    bool *present_out)
{
	const struct wf_sequence *items;
	struct wf_one own;

	text_out->text = "";
	text_out->length = 0;
	*present_out = false;
	if (first >= expr->count)
		return WF_OK;
	WF_TRY(wf_eval_lent(dynamic, expr->kids[first], &own, &items));
	*present_out = items->count > 0;
	return wf_sequence_join(dynamic, items, text_out);
}

enum wf_rc wf_eval_text(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    struct wf_sequence *result)
{
	struct wf_string text;
	bool present;

	WF_TRY(content_text(dynamic, expr, 0, &text, &present));
	if (!present)
		return WF_OK;
	return wf_sequence_add_node(dynamic, result,
	    wf_node_new_text(dynamic, XML_TEXT_NODE, text.text));
}

enum wf_rc wf_eval_comment(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	struct wf_string text;
	bool present;

	WF_TRY(content_text(dynamic, expr, 0, &text, &present));
	if (strstr(text.text, "--") != NULL ||
	    (text.length > 0 && text.text[text.length - 1] == '-'))
		return wf_fail_code(dynamic->err, WF_DATA, "XQDY0072",
		    "a comment holds no -- and does not end with -");
	return wf_sequence_add_node(dynamic, result,
	    wf_node_new_text(dynamic, XML_COMMENT_NODE, text.text));
}

static enum wf_rc ncname_of(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, const char *code, const char **name_out)
{
	struct wf_atomic value;
	enum wf_atomic_type primitive = WF_XS_BOOLEAN;
	bool present;

	if (expr->u.constructor->name.local != NULL) {
		*name_out = expr->u.constructor->name.local;
		return WF_OK;
	}
	WF_TRY(wf_eval_atomic(dynamic, expr->kids[0], &value, &present));
	if (present)
		primitive = wf_atomic_primitive(value.type);
	if (primitive != WF_XS_STRING && primitive != WF_XS_UNTYPED)
		return wf_fail_code(
		    dynamic->err, WF_DATA, "XPTY0004", "a name is a string");
	*name_out = normalized(
	    dynamic, wf_arena_strndup(dynamic->arena, value.as.string.text,
			 value.as.string.length));
	if (wf_ncname_length(*name_out) != strlen(*name_out) ||
	    **name_out == '\0')
		return wf_fail_code(dynamic->err, WF_DATA, code,
		    "\"%.40s\" is not an NCName", *name_out);
	return WF_OK;
}

enum wf_rc wf_eval_instruction(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	unsigned first = expr->u.constructor->name.local == NULL ? 1 : 0;
	struct wf_qname name = { "", "", NULL };
	struct wf_string text;
	xmlNode *node;
	bool present;

	WF_TRY(ncname_of(dynamic, expr, "XQDY0041", &name.local));
	if (strcasecmp(name.local, "xml") == 0)
		return wf_fail_code(dynamic->err, WF_DATA, "XQDY0064",
		    "a processing instruction is not called xml");
	WF_TRY(content_text(dynamic, expr, first, &text, &present));
	text.text += strspn(text.text, " \t\r\n");
	if (strstr(text.text, "?>") != NULL)
		return wf_fail_code(dynamic->err, WF_DATA, "XQDY0026",
		    "a processing instruction holds no ?>");
	node = wf_node_new_named(dynamic, XML_PI_NODE, &name);
	node->content = (xmlChar *)text.text;
	return wf_sequence_add_node(dynamic, result, node);
}

enum wf_rc wf_eval_namespace(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	unsigned first = expr->u.constructor->name.local == NULL ? 1 : 0;
	const struct wf_sequence *value;
	struct wf_qname name = { "", "", "" };
	struct wf_string text;
	struct wf_one own;
	xmlNode *node;
	bool present;

	if (first == 1) {
		WF_TRY(wf_eval_lent(dynamic, expr->kids[0], &own, &value));
		WF_TRY(wf_sequence_join(dynamic, value, &text));
		present = text.length > 0;
	} else {
		present = true;
	}
	if (present)
		WF_TRY(ncname_of(dynamic, expr, "XQDY0074", &name.local));
	WF_TRY(content_text(dynamic, expr, first, &text, &present));
	if (strcmp(name.local, "xmlns") == 0 || text.length == 0 ||
	    strcmp(text.text, WF_NS_XMLNS) == 0 ||
	    (strcmp(name.local, "xml") == 0) !=
		(strcmp(text.text, WF_NS_XML) == 0))
		return wf_fail_code(dynamic->err, WF_DATA, "XQDY0101",
		    "this is not a namespace that can be declared");
	node = wf_node_new_named(dynamic, XML_NAMESPACE_DECL, &name);
	node->content = (xmlChar *)text.text;
	return wf_sequence_add_node(dynamic, result, node);
}
