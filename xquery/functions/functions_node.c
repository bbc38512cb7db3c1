/* SPDX-License-Identifier: Apache-2.0 */
/* Built-in functions on nodes, and on the focus and the static context. */
#include <string.h>

#include "xquery/eval/eval.h"
#include "xquery/functions/functions.h"
#include "xquery/functions/functions_priv.h"
#include "xquery/parse/parse.h"
#include "xquery/tree/document.h"
#include "xquery/tree/node.h"

#define FUNCTION(name)                                                         \
	static enum wf_rc name(struct wf_dynamic *dynamic,                     \
	    const struct wf_sequence *arguments, size_t count,                 \
	    struct wf_sequence *result)

/* The only node of an argument; NULL when it is empty. */
static xmlNode *node_argument(const struct wf_sequence *arguments, size_t i)
{
	return arguments[i].count == 0 ? NULL : arguments[i].items[0].as.node;
}

static enum wf_rc return_text(
    struct wf_dynamic *dynamic, struct wf_sequence *result, const char *text)
{
	return wf_return_string(dynamic, result, text, strlen(text));
}

static enum wf_rc return_uri(
    struct wf_dynamic *dynamic, struct wf_sequence *result, const char *uri)
{
	return wf_return_atomic(
	    dynamic, result, wf_atomic_string(WF_XS_ANY_URI, uri, strlen(uri)));
}

/* ---- focus ---- */

static enum wf_rc no_focus(struct wf_dynamic *dynamic)
{
	return wf_fail_code(
	    dynamic->err, WF_DATA, "XPDY0002", "there is no context item");
}

FUNCTION(fn_position)
{
	(void)arguments;
	(void)count;
	if (dynamic->state->focus.item == NULL)
		return no_focus(dynamic);
	return wf_return_integer(
	    dynamic, result, (int64_t)dynamic->state->focus.position);
}

FUNCTION(fn_last)
{
	(void)arguments;
	(void)count;
	if (dynamic->state->focus.item == NULL)
		return no_focus(dynamic);
	return wf_return_integer(
	    dynamic, result, (int64_t)dynamic->state->focus.size);
}

/* ---- names ---- */

FUNCTION(fn_name)
{
	const xmlNode *node = node_argument(arguments, 0);
	struct wf_qname name = { "", "", "" };

	(void)count;
	if (node != NULL)
		name = wf_node_name(node);
	if (name.prefix[0] == '\0')
		return return_text(dynamic, result, name.local);
	return return_text(dynamic, result,
	    wf_arena_printf(dynamic->arena, "%s:%s", name.prefix, name.local));
}

FUNCTION(fn_local_name)
{
	const xmlNode *node = node_argument(arguments, 0);

	(void)count;
	return return_text(
	    dynamic, result, node == NULL ? "" : wf_node_name(node).local);
}

FUNCTION(fn_namespace_uri)
{
	const xmlNode *node = node_argument(arguments, 0);

	(void)count;
	return return_uri(
	    dynamic, result, node == NULL ? "" : wf_node_name(node).uri);
}

FUNCTION(fn_node_name)
{
	const xmlNode *node = node_argument(arguments, 0);
	struct wf_atomic name;

	(void)count;
	if (node == NULL)
		return WF_OK;
	memset(&name, 0, sizeof(name));
	name.type = WF_XS_QNAME;
	name.as.qname = wf_node_name(node);
	if (name.as.qname.local[0] == '\0')
		return WF_OK;
	return wf_return_atomic(dynamic, result, name);
}

/* ---- trees ---- */

FUNCTION(fn_root)
{
	xmlNode *node = node_argument(arguments, 0);

	(void)count;
	if (node == NULL)
		return WF_OK;
	return wf_sequence_add_node(dynamic, result, wf_node_root(node));
}

FUNCTION(fn_nilled)
{
	const xmlNode *node = node_argument(arguments, 0);

	(void)count;
	if (node == NULL || node->type != XML_ELEMENT_NODE)
		return WF_OK;
	return wf_return_boolean(dynamic, result, false);
}

FUNCTION(fn_has_children)
{
	const xmlNode *node = node_argument(arguments, 0);

	(void)count;
	return wf_return_boolean(
	    dynamic, result, node != NULL && wf_node_children(node) != NULL);
}

/* What a formatted text costs (bench/query_costs). */
#define STEPS_OF_PRINTING 8U

FUNCTION(fn_generate_id)
{
	const xmlNode *node = node_argument(arguments, 0);

	(void)count;
	if (node == NULL)
		return return_text(dynamic, result, "");
	wf_charge(dynamic, STEPS_OF_PRINTING);
	return return_text(dynamic, result,
	    wf_arena_printf(dynamic->arena, "n%llu",
		(unsigned long long)wf_node_order(node)));
}

static const char *document_url(const xmlNode *node)
{
	const xmlChar *url = NULL;

	if (node->type == XML_DOCUMENT_NODE)
		url = ((const xmlDoc *)node)->URL;
	return (const char *)url;
}

FUNCTION(fn_document_uri)
{
	const xmlNode *node = node_argument(arguments, 0);

	(void)count;
	if (node == NULL || document_url(node) == NULL)
		return WF_OK;
	return return_uri(dynamic, result, document_url(node));
}

/* relative resolved against base; base may be NULL. */
static enum wf_rc resolve(struct wf_dynamic *dynamic, const char *relative,
    const char *base, const char **uri_out)
{
	struct wf_sequence arguments[2];
	struct wf_sequence result = { NULL, 0, 0 };
	struct wf_atomic uri;

	*uri_out = relative;
	if (base == NULL)
		return WF_OK;
	memset(arguments, 0, sizeof(arguments));
	WF_TRY(wf_sequence_add_atomic(dynamic, &arguments[0],
	    wf_atomic_string(WF_XS_STRING, relative, strlen(relative))));
	WF_TRY(wf_sequence_add_atomic(dynamic, &arguments[1],
	    wf_atomic_string(WF_XS_STRING, base, strlen(base))));
	if (wf_fn_resolve_uri(dynamic, arguments, 2, &result) != WF_OK) {
		wf_error_clear(dynamic->err);
		return WF_OK;
	}
	uri = result.items[0].as.atomic;
	*uri_out = wf_arena_strndup(
	    dynamic->arena, uri.as.string.text, uri.as.string.length);
	return WF_OK;
}

/* xml:base counts at each level, from the outermost. */
static enum wf_rc base_uri(
    struct wf_dynamic *dynamic, const xmlNode *node, const char **uri_out)
{
	const char **list = NULL;
	size_t capacity = 0;
	size_t count = 0;

	*uri_out = dynamic->state->base_uri;
	for (; node != NULL; node = node->parent) {
		const xmlAttr *attribute = NULL;

		if (document_url(node) != NULL)
			*uri_out = document_url(node);
		if (node->type == XML_ELEMENT_NODE)
			attribute = wf_node_attribute(node, WF_NS_XML, "base");
		if (attribute == NULL)
			continue;
		list = wf_arena_grow(
		    dynamic->arena, list, count, &capacity, sizeof(*list));
		list[count++] = (const char *)attribute->children->content;
	}
	for (; count > 0; count--)
		WF_TRY(resolve(dynamic, list[count - 1], *uri_out, uri_out));
	return WF_OK;
}

FUNCTION(fn_base_uri)
{
	xmlNode *node = node_argument(arguments, 0);
	const char *uri;

	(void)count;
	if (node == NULL ||
	    (node->parent == NULL && node->type != XML_ELEMENT_NODE &&
		node->type != XML_DOCUMENT_NODE))
		return WF_OK;
	WF_TRY(base_uri(dynamic, node, &uri));
	if (uri == NULL)
		return WF_OK;
	return return_uri(dynamic, result, uri);
}

FUNCTION(fn_static_base_uri)
{
	(void)arguments;
	(void)count;
	if (dynamic->state->query->base_uri == NULL)
		return WF_OK;
	return return_uri(dynamic, result, dynamic->state->query->base_uri);
}

/* With one argument: against the base URI of the query. */
FUNCTION(fn_resolve_uri)
{
	struct wf_sequence both[2] = { arguments[0], { NULL, 0, 0 } };
	const char *base = dynamic->state->query->base_uri;

	(void)count;
	if (base == NULL)
		return wf_fail_code(dynamic->err, WF_DATA, "FONS0005",
		    "the query has no base URI");
	WF_TRY(wf_sequence_add_atomic(dynamic, &both[1],
	    wf_atomic_string(WF_XS_STRING, base, strlen(base))));
	return wf_fn_resolve_uri(dynamic, both, 2, result);
}

/* ---- paths, and sets of nodes ---- */

/* "[n]": the position of a node among siblings of its kind and name. */
static size_t sibling_number(struct wf_dynamic *dynamic, const xmlNode *node)
{
	struct wf_qname name = wf_node_name(node);
	size_t number = 1;

	for (const xmlNode *one = node->prev; one != NULL; one = one->prev) {
		struct wf_qname other = wf_node_name(one);

		wf_charge(dynamic, 1);

		if (one->type == node->type &&
		    strcmp(name.local, other.local) == 0 &&
		    strcmp(name.uri, other.uri) == 0)
			number++;
	}
	return number;
}

static const char *path_step(struct wf_dynamic *dynamic, const xmlNode *node)
{
	struct wf_qname name = wf_node_name(node);
	size_t number = sibling_number(dynamic, node);

	switch (node->type) {
	case XML_ELEMENT_NODE:
		return wf_arena_printf(dynamic->arena, "/Q{%s}%s[%zu]",
		    name.uri, name.local, number);
	case XML_ATTRIBUTE_NODE:
		if (name.uri[0] == '\0')
			return wf_arena_printf(
			    dynamic->arena, "/@%s", name.local);
		return wf_arena_printf(
		    dynamic->arena, "/@Q{%s}%s", name.uri, name.local);
	case XML_TEXT_NODE:
		return wf_arena_printf(dynamic->arena, "/text()[%zu]", number);
	case XML_COMMENT_NODE:
		return wf_arena_printf(
		    dynamic->arena, "/comment()[%zu]", number);
	default:
		return wf_arena_printf(dynamic->arena,
		    "/processing-instruction(%s)[%zu]", name.local, number);
	}
}

FUNCTION(fn_path)
{
	const xmlNode *node = node_argument(arguments, 0);
	const char *path = "";

	(void)count;
	if (node == NULL)
		return WF_OK;
	if (node->parent == NULL && node->type == XML_DOCUMENT_NODE)
		return return_text(dynamic, result, "/");
	for (; node->parent != NULL; node = node->parent) {
		WF_TRY(wf_spend(dynamic, STEPS_OF_PRINTING));
		path = wf_arena_printf(
		    dynamic->arena, "%s%s", path_step(dynamic, node), path);
	}
	if (node->type != XML_DOCUMENT_NODE)
		path = wf_arena_printf(
		    dynamic->arena, "Q{%s}root()%s", WF_NS_FN, path);
	wf_charge(dynamic, STEPS_OF_PRINTING);
	return return_text(dynamic, result, path);
}

static bool has_ancestor(const xmlNode *node, const xmlNode *ancestor)
{
	while (node != NULL && node != ancestor)
		node = node->parent;
	return node != NULL;
}

/* In document order, the descendants of a node directly follow it. */
FUNCTION(fn_outermost)
{
	struct wf_sequence nodes = { NULL, 0, 0 };
	const xmlNode *last = NULL;

	(void)count;
	WF_TRY(wf_sequence_add_all(dynamic, &nodes, &arguments[0]));
	wf_nodes_sort(dynamic, &nodes);
	for (size_t i = 0; i < nodes.count; i++) {
		WF_TRY(wf_spend(dynamic, 1));
		if (last != NULL && has_ancestor(nodes.items[i].as.node, last))
			continue;
		last = nodes.items[i].as.node;
		WF_TRY(wf_sequence_add(dynamic, result, nodes.items[i]));
	}
	return WF_OK;
}

FUNCTION(fn_innermost)
{
	struct wf_sequence nodes = { NULL, 0, 0 };

	(void)count;
	WF_TRY(wf_sequence_add_all(dynamic, &nodes, &arguments[0]));
	wf_nodes_sort(dynamic, &nodes);
	for (size_t i = 0; i < nodes.count; i++) {
		const xmlNode *next =
		    i + 1 < nodes.count ? nodes.items[i + 1].as.node : NULL;

		WF_TRY(wf_spend(dynamic, 1));
		if (!has_ancestor(next, nodes.items[i].as.node))
			WF_TRY(
			    wf_sequence_add(dynamic, result, nodes.items[i]));
	}
	return WF_OK;
}

/* ---- XML as text ---- */

FUNCTION(fn_parse_xml)
{
	xmlNode *document;

	(void)count;
	if (arguments[0].count == 0)
		return WF_OK;
	WF_TRY(wf_document_parse(dynamic,
	    wf_argument_string(dynamic, arguments, 0), false, &document));
	return wf_sequence_add_node(dynamic, result, document);
}

FUNCTION(fn_parse_xml_fragment)
{
	xmlNode *document;

	(void)count;
	if (arguments[0].count == 0)
		return WF_OK;
	WF_TRY(wf_document_parse(dynamic,
	    wf_argument_string(dynamic, arguments, 0), true, &document));
	return wf_sequence_add_node(dynamic, result, document);
}

FUNCTION(fn_serialize)
{
	(void)count;
	WF_TRY(wf_serialize(dynamic, &arguments[0], wf_text_begin(dynamic)));
	return wf_return_text(dynamic, result);
}

/* ---- xml:lang and identifiers ---- */

static bool language_matches(const char *own, struct wf_string wanted)
{
	size_t length = wanted.length;

	return strlen(own) >= length &&
	       strncasecmp(own, wanted.text, length) == 0 &&
	       (own[length] == '\0' || own[length] == '-');
}

FUNCTION(fn_lang)
{
	const xmlNode *node = node_argument(arguments, 1);
	const xmlAttr *attribute = NULL;

	(void)count;
	for (; node != NULL && attribute == NULL; node = node->parent) {
		if (node->type == XML_ELEMENT_NODE)
			attribute = wf_node_attribute(node, WF_NS_XML, "lang");
	}
	return wf_return_boolean(dynamic, result,
	    attribute != NULL &&
		language_matches((const char *)attribute->children->content,
		    wf_argument_string(dynamic, arguments, 0)));
}

/* Whether word is one of the blank-separated words of text. */
static bool has_word(const char *text, size_t length, const char *word)
{
	size_t size = strlen(word);

	for (size_t i = 0; i + size <= length && size > 0; i++) {
		bool starts = i == 0 || strchr(" \t\r\n", text[i - 1]) != NULL;
		bool ends = i + size == length ||
			    strchr(" \t\r\n", text[i + size]) != NULL;

		if (starts && ends && strncmp(text + i, word, size) == 0)
			return true;
	}
	return false;
}

static bool is_wanted(struct wf_dynamic *dynamic,
    const struct wf_sequence *wanted, const xmlAttr *id)
{
	for (size_t i = 0; i < wanted->count; i++) {
		struct wf_string text = wanted->items[i].as.atomic.as.string;

		wf_charge(dynamic, 1 + text.length / 16);

		if (has_word(text.text, text.length,
			(const char *)id->children->content))
			return true;
	}
	return false;
}

/* Whether a word of an IDREF(S) attribute is a wanted ID. */
static bool refers(struct wf_dynamic *dynamic, const struct wf_sequence *wanted,
    const xmlAttr *reference)
{
	const char *text = (const char *)reference->children->content;
	size_t length = strlen(text);

	for (size_t i = 0; i < wanted->count; i++) {
		struct wf_string word = wanted->items[i].as.atomic.as.string;
		char name[256];

		if (word.length >= sizeof(name))
			continue;
		memcpy(name, word.text, word.length);
		name[word.length] = '\0';
		wf_charge(dynamic, 1 + length / 16);
		if (has_word(text, length, name))
			return true;
	}
	return false;
}

static enum wf_rc document_of(
    struct wf_dynamic *dynamic, xmlNode *node, const xmlNode **document_out)
{
	*document_out = wf_node_root(node);
	if ((*document_out)->type == XML_DOCUMENT_NODE)
		return WF_OK;
	return wf_fail_code(dynamic->err, WF_DATA, "FODC0001",
	    "the tree of the node is not a document");
}

FUNCTION(fn_id)
{
	const xmlNode *document;

	(void)count;
	WF_TRY(document_of(dynamic, node_argument(arguments, 1), &document));
	for (const xmlNode *node = document; node != NULL;
	     node = wf_node_next(node, document)) {
		const xmlAttr *one = NULL;

		WF_TRY(wf_spend(dynamic, 1));
		if (node->type == XML_ELEMENT_NODE)
			one = node->properties;
		while (
		    one != NULL && !(one->atype == XML_ATTRIBUTE_ID &&
				       is_wanted(dynamic, &arguments[0], one)))
			one = one->next;
		if (one != NULL)
			WF_TRY(wf_sequence_add_node(
			    dynamic, result, (xmlNode *)node));
	}
	return WF_OK;
}

FUNCTION(fn_idref)
{
	const xmlNode *document;

	(void)count;
	WF_TRY(document_of(dynamic, node_argument(arguments, 1), &document));
	for (const xmlNode *node = document; node != NULL;
	     node = wf_node_next(node, document)) {
		xmlAttr *one = NULL;

		WF_TRY(wf_spend(dynamic, 1));
		if (node->type == XML_ELEMENT_NODE)
			one = node->properties;
		for (; one != NULL; one = one->next) {
			if ((one->atype == XML_ATTRIBUTE_IDREF ||
				one->atype == XML_ATTRIBUTE_IDREFS) &&
			    refers(dynamic, &arguments[0], one))
				WF_TRY(wf_sequence_add_node(
				    dynamic, result, (xmlNode *)one));
		}
	}
	return WF_OK;
}

/* ---- namespaces ---- */

FUNCTION(fn_in_scope_prefixes)
{
	size_t found;
	const xmlNs **list =
	    wf_node_namespaces(dynamic, node_argument(arguments, 0), &found);

	(void)count;
	for (size_t i = 0; i < found; i++) {
		const char *prefix = list[i]->prefix == NULL
					 ? ""
					 : (const char *)list[i]->prefix;

		WF_TRY(return_text(dynamic, result, prefix));
	}
	return return_text(dynamic, result, "xml");
}

FUNCTION(fn_namespace_uri_for_prefix)
{
	struct wf_string prefix = wf_argument_string(dynamic, arguments, 0);
	const char *uri;

	(void)count;
	uri = wf_node_prefix_uri(node_argument(arguments, 1),
	    wf_arena_strndup(dynamic->arena, prefix.text, prefix.length));
	if (uri[0] == '\0')
		return WF_OK;
	return return_uri(dynamic, result, uri);
}

FUNCTION(fn_resolve_qname)
{
	const xmlNode *element = node_argument(arguments, 1);
	struct wf_namespaces scope = { NULL, NULL, true };
	struct wf_namespace xml = { "xml", WF_NS_XML, NULL };
	size_t found;
	const xmlNs **list;
	struct wf_namespace *all;
	struct wf_atomic name;

	(void)count;
	if (arguments[0].count == 0)
		return WF_OK;
	list = wf_node_namespaces(dynamic, element, &found);
	all = wf_arena_array(dynamic->arena, found + 1, sizeof(*all));
	for (size_t i = 0; i < found; i++) {
		all[i].prefix = list[i]->prefix == NULL
				    ? ""
				    : (const char *)list[i]->prefix;
		all[i].uri = (const char *)list[i]->href;
		all[i].next = i == 0 ? &xml : &all[i - 1];
	}
	scope.list = found == 0 ? &xml : &all[found - 1];
	memset(&name, 0, sizeof(name));
	name.type = WF_XS_QNAME;
	if (wf_parse_qname(dynamic, &scope,
		wf_argument_string(dynamic, arguments, 0),
		wf_node_prefix_uri(element, ""), &name.as.qname) != WF_OK) {
		if (strcmp(dynamic->err->code, "FORG0001") == 0)
			memcpy(dynamic->err->code, "FOCA0002", 9);
		return dynamic->err->rc;
	}
	return wf_return_atomic(dynamic, result, name);
}

/* ---- documents: only the one that is the context ---- */

static xmlNode *known_document(
    const struct wf_dynamic *dynamic, struct wf_string uri)
{
	const struct wf_item *item = dynamic->state->initial.item;
	const char *url;

	if (item == NULL || !item->is_node)
		return NULL;
	url = document_url(item->as.node);
	if (url == NULL || strlen(url) != uri.length ||
	    memcmp(url, uri.text, uri.length) != 0)
		return NULL;
	return item->as.node;
}

FUNCTION(fn_doc)
{
	struct wf_string uri = wf_argument_string(dynamic, arguments, 0);
	xmlNode *document = known_document(dynamic, uri);

	(void)count;
	if (arguments[0].count == 0)
		return WF_OK;
	if (document != NULL)
		return wf_sequence_add_node(dynamic, result, document);
	if (memchr(uri.text, '%', uri.length) != NULL ||
	    (uri.length > 0 && uri.text[0] == ':'))
		return wf_fail_code(dynamic->err, WF_DATA, "FODC0005",
		    "this is not the URI of a document");
	return wf_fail_code(dynamic->err, WF_DATA, "FODC0002",
	    "queries reach no other documents");
}

FUNCTION(fn_doc_available)
{
	struct wf_string uri = wf_argument_string(dynamic, arguments, 0);

	(void)count;
	return wf_return_boolean(
	    dynamic, result, known_document(dynamic, uri) != NULL);
}

FUNCTION(fn_collection)
{
	(void)arguments;
	(void)count;
	(void)result;
	return wf_fail_code(
	    dynamic->err, WF_DATA, "FODC0002", "queries reach no collections");
}

/* ---- the world outside: there is none ---- */

FUNCTION(fn_unparsed_text)
{
	(void)count;
	if (arguments[0].count == 0)
		return WF_OK;
	(void)result;
	return wf_fail_code(
	    dynamic->err, WF_DATA, "FOUT1170", "queries reach no files");
}

FUNCTION(fn_unavailable)
{
	(void)arguments;
	(void)count;
	return wf_return_boolean(dynamic, result, false);
}

/* environment-variable(), available-environment-variables() */
FUNCTION(fn_nothing)
{
	(void)dynamic;
	(void)arguments;
	(void)count;
	(void)result;
	return WF_OK;
}

/* clang-format off */
const struct wf_function wf_node_functions[] = {
	{ "fn", "position", 0, 0, "-> xs:integer", fn_position },
	{ "fn", "last", 0, 0, "-> xs:integer", fn_last },
	{ "fn", "name", 1, 1, "node()? -> xs:string", fn_name },
	{ "fn", "local-name", 1, 1, "node()? -> xs:string", fn_local_name },
	{ "fn", "namespace-uri", 1, 1, "node()? -> xs:anyURI", fn_namespace_uri },
	{ "fn", "node-name", 1, 1, "node()? -> xs:QName?", fn_node_name },
	{ "fn", "root", 1, 1, "node()? -> node()?", fn_root },
	{ "fn", "nilled", 1, 1, "node()? -> xs:boolean?", fn_nilled },
	{ "fn", "has-children", 1, 1, "node()? -> xs:boolean", fn_has_children },
	{ "fn", "generate-id", 1, 1, "node()? -> xs:string", fn_generate_id },
	{ "fn", "document-uri", 1, 1, "node()? -> xs:anyURI?", fn_document_uri },
	{ "fn", "base-uri", 1, 1, "node()? -> xs:anyURI?", fn_base_uri },
	{ "fn", "static-base-uri", 0, 0, "-> xs:anyURI?", fn_static_base_uri },
	{ "fn", "resolve-uri", 1, 1, "xs:string? -> xs:anyURI?", fn_resolve_uri },
	{ "fn", "path", 1, 1, "node()? -> xs:string?", fn_path },
	{ "fn", "outermost", 1, 1, "node()* -> node()*", fn_outermost },
	{ "fn", "innermost", 1, 1, "node()* -> node()*", fn_innermost },
	{ "fn", "parse-xml", 1, 1, "xs:string? -> document-node()?", fn_parse_xml },
	{ "fn", "parse-xml-fragment", 1, 1, "xs:string? -> document-node()?", fn_parse_xml_fragment },
	{ "fn", "serialize", 1, 2, "item()*, item()? -> xs:string", fn_serialize },
	{ "fn", "lang", 2, 2, "xs:string?, node() -> xs:boolean", fn_lang },
	{ "fn", "id", 2, 2, "xs:string*, node() -> element()*", fn_id },
	{ "fn", "element-with-id", 2, 2, "xs:string*, node() -> element()*", fn_id },
	{ "fn", "idref", 2, 2, "xs:string*, node() -> node()*", fn_idref },
	{ "fn", "in-scope-prefixes", 1, 1, "element() -> xs:string*", fn_in_scope_prefixes },
	{ "fn", "namespace-uri-for-prefix", 2, 2, "xs:string?, element() -> xs:anyURI?", fn_namespace_uri_for_prefix },
	{ "fn", "resolve-QName", 2, 2, "xs:string?, element() -> xs:QName?", fn_resolve_qname },
	{ "fn", "doc", 1, 1, "xs:string? -> document-node()?", fn_doc },
	{ "fn", "doc-available", 1, 1, "xs:string? -> xs:boolean", fn_doc_available },
	{ "fn", "collection", 0, 1, "xs:string? -> node()*", fn_collection },
	{ "fn", "uri-collection", 0, 1, "xs:string? -> xs:anyURI*", fn_collection },
	{ "fn", "unparsed-text", 1, 2, "xs:string?, xs:string -> xs:string?", fn_unparsed_text },
	{ "fn", "unparsed-text-lines", 1, 2, "xs:string?, xs:string -> xs:string*", fn_unparsed_text },
	{ "fn", "unparsed-text-available", 1, 2, "xs:string?, xs:string -> xs:boolean", fn_unavailable },
	{ "fn", "environment-variable", 1, 1, "xs:string -> xs:string?", fn_nothing },
	{ "fn", "available-environment-variables", 0, 0, "-> xs:string*", fn_nothing },
};
/* clang-format on */

const size_t wf_node_function_count =
    sizeof(wf_node_functions) / sizeof(wf_node_functions[0]);
