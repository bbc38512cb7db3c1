/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preparing schemas: forbidden parts are refused, parts without effect are
 * removed, and all references get one form: "wfxs:NAME" for a component of XML
 * Schema, "NAME" for a component of the schema itself.
 */
#include "data/schema.h"

#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/panic.h"
#include "data/value.h"
#include "xquery/atomic/atomic.h"
#include "xquery/tree/quiet.h"

#define OWN_PREFIX "wfxs"
#define HINT_PREFIX "wfhint"
/*
 * The prefix that replaces the default namespace, so that bare names have no
 * namespace.
 */
#define DEFAULT_PREFIX "wfdefault"

/*
 * A larger bound has no effect, because no value has so many elements. (libxml2
 * counts; its memory does not depend on the bound, but the bound must fit an
 * int.)
 */
#define OCCURS_MAXIMUM (WF_VALUE_BYTES / 4)

enum wf_rc wf_schema_fail(
    struct wf_error *err, const xmlNode *node, const char *format, ...)
{
	char message[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	if (err != NULL && err->rc == WF_OK)
		err->place.line = (int)xmlGetLineNo(node);
	return wf_fail(err, WF_DATA, "%s", message);
}

bool wf_schema_is(const xmlNode *node, const char *local)
{
	return node->type == XML_ELEMENT_NODE && node->ns != NULL &&
	       strcmp((const char *)node->ns->href, WF_XML_SCHEMA) == 0 &&
	       strcmp((const char *)node->name, local) == 0;
}

bool wf_schema_is_one_of(const xmlNode *node, const char *const *locals)
{
	for (; *locals != NULL; locals++)
		if (wf_schema_is(node, *locals))
			return true;
	return false;
}

xmlNode *wf_schema_child_of(const xmlNode *node, const char *const *locals)
{
	for (xmlNode *child = node->children; child != NULL;
	     child = child->next)
		if (wf_schema_is_one_of(child, locals))
			return child;
	return NULL;
}

xmlNode *wf_schema_child(const xmlNode *node, const char *local)
{
	return wf_schema_child_of(node, (const char *const[]){ local, NULL });
}

/* The next node outside this one. */
static xmlNode *next_outside(const xmlNode *root, xmlNode *node)
{
	while (node != root && node->next == NULL)
		node = node->parent;
	return node == root ? NULL : node->next;
}

xmlNode *wf_schema_next(const xmlNode *root, xmlNode *node)
{
	if (node->type == XML_ELEMENT_NODE && node->children != NULL)
		return node->children;
	return next_outside(root, node);
}

const char *wf_schema_attribute(const xmlNode *node, const char *name)
{
	const xmlAttr *attribute = xmlHasNsProp(
	    (xmlNode *)(uintptr_t)node, (const xmlChar *)name, NULL);

	if (attribute == NULL || attribute->children == NULL ||
	    attribute->children->content == NULL)
		return "";
	return (const char *)attribute->children->content;
}

/* Stops at the first document type. */
static void on_doctype(void *argument, const xmlChar *name,
    const xmlChar *external, const xmlChar *system)
{
	xmlParserCtxt *context = argument;
	struct wf_error *err = context->_private;

	(void)name;
	(void)external;
	(void)system;
	if (err->rc == WF_OK)
		err->place.line = context->input->line;
	wf_fail(err, WF_DATA, "a document type is not allowed in a schema");
	xmlStopParser(context);
}

static void on_error(void *argument, xmlError *error)
{
	xmlParserCtxt *context = argument;
	struct wf_error *err = context->_private;
	const char *message = error->message == NULL ? "" : error->message;

	if (error->level < XML_ERR_ERROR || err->rc != WF_OK)
		return;
	wf_fail(err, WF_DATA, "the schema is not well-formed XML: %.*s",
	    (int)strcspn(message, "\n"), message);
	err->place.line = error->line;
	err->place.column = error->int2;
}

static xmlDoc *parse(const char *text, size_t length, struct wf_error *err)
{
	struct wf_error mine = { .rc = WF_OK };
	xmlParserCtxt *context;
	struct wf_quiet before;
	xmlDoc *document;

	wf_quiet_begin(&before);
	context = xmlNewParserCtxt();
	if (context == NULL)
		wf_panic(__FILE__, __LINE__, "out of memory");
	context->_private = &mine;
	context->sax->internalSubset = on_doctype;
	context->sax->serror = on_error;
	document = xmlCtxtReadMemory(context, text, (int)length, NULL, NULL,
	    XML_PARSE_NONET | XML_PARSE_NOCDATA | XML_PARSE_NOENT);
	wf_quiet_end(&before);
	xmlFreeParserCtxt(context);
	if (document != NULL && mine.rc == WF_OK)
		return document;
	xmlFreeDoc(document);
	wf_fail(&mine, WF_DATA, "the schema is not well-formed XML");
	if (err != NULL && err->rc == WF_OK)
		*err = mine;
	return NULL;
}

/* include, import and redefine would make libxml2 read files. */
static enum wf_rc refuse_files(xmlNode *root, struct wf_error *err)
{
	static const char *const names[] = { "include", "import", "redefine",
		"override" };

	for (xmlNode *node = root; node != NULL;
	     node = wf_schema_next(root, node))
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			if (!wf_schema_is(node, names[i]))
				continue;
			if (i != 1 ||
			    xmlHasProp(node, (const xmlChar *)"schemaLocation"))
				return wf_schema_fail(err, node,
				    "xs:%s names another file; a "
				    "specification's schema has to stand alone",
				    names[i]);
		}
	return WF_OK;
}

/* Removes the elements of XML Schema with one of the names. */
static void remove_all(xmlNode *root, const char *const *names)
{
	xmlNode *node = wf_schema_next(root, root);

	while (node != NULL) {
		xmlNode *next;

		if (wf_schema_is_one_of(node, names)) {
			next = next_outside(root, node);
			xmlUnlinkNode(node);
			xmlFreeNode(node);
		} else {
			next = wf_schema_next(root, node);
		}
		node = next;
	}
}

void wf_schema_remove_patterns(xmlDoc *document)
{
	static const char *const names[] = { "pattern", NULL };

	remove_all(xmlDocGetRootElement(document), names);
}

/* One hint for forms; the first of a name counts. */
static void put_hint(
    xmlNode *node, xmlNs *space, const xmlChar *name, const xmlNode *content)
{
	xmlChar *text = xmlNodeGetContent(content);

	if (text != NULL && *text != '\0' &&
	    xmlHasNsProp(node, name, space->href) == NULL)
		xmlNewNsProp(node, space, name, text);
	xmlFree(text);
}

/* What attributes and children of xs:appinfo say about node. */
static void keep_hints(xmlNode *node, xmlNs *space)
{
	const xmlNode *annotation = wf_schema_child(node, "annotation");
	const xmlNode *at = annotation == NULL ? NULL : annotation->children;

	for (; at != NULL; at = at->next) {
		if (!wf_schema_is(at, "appinfo"))
			continue;
		for (const xmlAttr *a = at->properties; a != NULL; a = a->next)
			if (!xmlStrEqual(a->name, (const xmlChar *)"source"))
				put_hint(
				    node, space, a->name, (const xmlNode *)a);
		for (const xmlNode *child = at->children; child != NULL;
		     child = child->next)
			if (child->type == XML_ELEMENT_NODE)
				put_hint(node, space, child->name, child);
	}
}

static void keep_all_hints(xmlNode *root)
{
	static const char *const carriers[] = { "element", "simpleType",
		"complexType", NULL };
	xmlNs *space = xmlNewNs(
	    root, (const xmlChar *)WF_HINT_SPACE, (const xmlChar *)HINT_PREFIX);

	if (space == NULL)
		return; /* the schema uses the prefix itself */
	for (xmlNode *node = root; node != NULL;
	     node = wf_schema_next(root, node))
		if (wf_schema_is_one_of(node, carriers))
			keep_hints(node, space);
}

/*
 * Keys are defined by paths. A path to an attribute finds nothing in data
 * without attributes, and prefixes have been removed; keyrefs need their keys.
 * So when one path has such steps all keys of the schema are left out.
 */
static void remove_keys(xmlNode *root)
{
	static const char *const paths[] = { "selector", "field", NULL };
	static const char *const keys[] = { "key", "keyref", "unique", NULL };

	for (xmlNode *node = root; node != NULL;
	     node = wf_schema_next(root, node))
		if (wf_schema_is_one_of(node, paths) &&
		    strpbrk(wf_schema_attribute(node, "xpath"), "@:") != NULL) {
			remove_all(root, keys);
			return;
		}
}

bool wf_schema_defines(const char *local)
{
	static const char *const others[] = { "anyType", "anySimpleType",
		"NMTOKENS", "IDREFS", "ENTITIES" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(local, others[i]) == 0)
			return true;
	return wf_atomic_type_by_name(local) != WF_ATOMIC_TYPE_COUNT;
}

static bool is_internal(const char *local)
{
	char pattern[64];

	if (snprintf(pattern, sizeof(pattern), "<complexType name='%s'>",
		local) >= (int)sizeof(pattern))
		return false;
	return strstr(wf_internal_types, pattern) != NULL;
}

/* One reference in its new form, appended to text. */
static void put_reference(struct wf_buffer *text, xmlNode *node,
    const char *target, const char *name, bool is_type)
{
	const char *colon = strchr(name, ':');
	const char *local = colon == NULL ? name : colon + 1;
	char *prefix =
	    colon == NULL ? NULL : wf_strndup(name, (size_t)(colon - name));
	const xmlNs *space =
	    xmlSearchNs(node->doc, node, (const xmlChar *)prefix);
	const char *uri = space == NULL ? "" : (const char *)space->href;

	wf_free(prefix);
	if (strcmp(uri, WF_XML_SCHEMA) == 0 &&
	    (colon != NULL || (is_type && wf_schema_defines(local))))
		wf_buffer_printf(text, OWN_PREFIX ":%s", local);
	else if (colon == NULL || is_internal(local) ||
		 (space != NULL && strcmp(uri, target) == 0))
		wf_buffer_puts(text, local);
	else
		wf_buffer_puts(text, name);
}

/* An attribute that holds references. */
static void rewrite_attribute(
    xmlNode *node, const char *attribute, const char *target, bool is_type)
{
	const char *next = wf_schema_attribute(node, attribute);
	struct wf_buffer text;

	if (*next == '\0')
		return;
	wf_buffer_init(&text, 2 * WF_SCHEMA_BYTES);
	while (*(next += strspn(next, " \t\r\n")) != '\0') {
		size_t length = strcspn(next, " \t\r\n");
		char *name = wf_strndup(next, length);

		if (text.length > 0)
			wf_buffer_putc(&text, ' ');
		put_reference(&text, node, target, name, is_type);
		wf_free(name);
		next += length;
	}
	xmlSetProp(node, (const xmlChar *)attribute,
	    (const xmlChar *)wf_buffer_text(&text));
	wf_buffer_free(&text);
}

static void rewrite_references(xmlNode *node, const char *target)
{
	static const struct {
		const char *attribute;
		bool is_type;
	} references[] = { { "type", true }, { "base", true },
		{ "itemType", true }, { "memberTypes", true }, { "ref", false },
		{ "refer", false }, { "substitutionGroup", false } };

	for (size_t i = 0; i < sizeof(references) / sizeof(references[0]); i++)
		rewrite_attribute(node, references[i].attribute, target,
		    references[i].is_type);
}

/* Bounds that no value can reach are cut (or, for maxOccurs, lifted). */
static void limit_occurrence(xmlNode *node, const char *attribute)
{
	const char *text = wf_schema_attribute(node, attribute);
	size_t length = strspn(text, "0123456789");

	if (length == 0 || text[length] != '\0' ||
	    strtoull(text, NULL, 10) <= OCCURS_MAXIMUM)
		return;
	if (strcmp(attribute, "maxOccurs") == 0) {
		xmlSetProp(node, (const xmlChar *)attribute,
		    (const xmlChar *)"unbounded");
	} else {
		char bound[16];

		snprintf(bound, sizeof(bound), "%u", OCCURS_MAXIMUM);
		xmlSetProp(
		    node, (const xmlChar *)attribute, (const xmlChar *)bound);
	}
}

/* The default namespace gets a prefix; its nodes stay in it. */
static void name_default_namespace(xmlNode *node)
{
	for (xmlNs *space = node->nsDef; space != NULL; space = space->next)
		if (space->prefix == NULL)
			space->prefix =
			    xmlStrdup((const xmlChar *)DEFAULT_PREFIX);
}

static void rewrite(xmlNode *root)
{
	static const char *const unused[] = { "annotation", "import",
		"attribute", "attributeGroup", "anyAttribute", NULL };
	static const char *const spaces[] = { "form", "elementFormDefault",
		"attributeFormDefault", "targetNamespace" };
	char *target = wf_strdup(wf_schema_attribute(root, "targetNamespace"));

	keep_all_hints(root);
	remove_all(root, unused);
	remove_keys(root);
	for (xmlNode *node = root; node != NULL;
	     node = wf_schema_next(root, node)) {
		if (node->type != XML_ELEMENT_NODE)
			continue;
		rewrite_references(node, target);
		limit_occurrence(node, "minOccurs");
		limit_occurrence(node, "maxOccurs");
		for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
			xmlUnsetProp(node, (const xmlChar *)spaces[i]);
		if (wf_schema_is(node, "any"))
			xmlUnsetProp(node, (const xmlChar *)"namespace");
	}
	for (xmlNode *node = root; node != NULL;
	     node = wf_schema_next(root, node))
		if (node->type == XML_ELEMENT_NODE)
			name_default_namespace(node);
	wf_free(target);
}

/* Adds the internal types that the user has not declared. */
static void add_internal_types(xmlDoc *document)
{
	struct wf_components components;
	xmlDoc *internal =
	    parse(wf_internal_types, strlen(wf_internal_types), NULL);
	xmlNode *root = xmlDocGetRootElement(document);

	wf_assert(internal != NULL);
	rewrite(xmlDocGetRootElement(internal));
	wf_components_init(&components, document);
	for (xmlNode *node = xmlDocGetRootElement(internal)->children;
	     node != NULL; node = node->next)
		if (wf_map_get(components.types,
			wf_schema_attribute(node, "name")) == NULL)
			xmlAddChild(root, xmlDocCopyNode(node, document, 1));
	wf_components_free(&components);
	xmlFreeDoc(internal);
}

enum wf_rc wf_schema_read(xmlDoc **document_out, const char *text,
    size_t length, struct wf_error *err)
{
	static const char empty[] = "<schema xmlns='" WF_XML_SCHEMA "'/>";
	xmlDoc *document;
	xmlNode *root;
	enum wf_rc rc = WF_OK;

	*document_out = NULL;
	if (text == NULL) {
		text = empty;
		length = strlen(empty);
	}
	if (length > WF_SCHEMA_BYTES)
		return wf_fail(err, WF_DATA,
		    "the schema is larger than the limit of %u bytes",
		    WF_SCHEMA_BYTES);
	document = parse(text, length, err);
	if (document == NULL)
		return WF_DATA;
	root = xmlDocGetRootElement(document);
	if (!wf_schema_is(root, "schema"))
		rc = wf_schema_fail(err, root,
		    "<%s> is not a schema of " WF_XML_SCHEMA,
		    (const char *)root->name);
	if (rc == WF_OK)
		rc = refuse_files(root, err);
	if (rc != WF_OK) {
		xmlFreeDoc(document);
		return rc;
	}
	rewrite(root);
	xmlNewNs(
	    root, (const xmlChar *)WF_XML_SCHEMA, (const xmlChar *)OWN_PREFIX);
	add_internal_types(document);
	*document_out = document;
	return WF_OK;
}

const char *wf_schema_hint(const xmlNode *node, const char *name)
{
	for (const xmlAttr *at = node->properties; at != NULL; at = at->next)
		if (at->ns != NULL && at->children != NULL &&
		    strcmp((const char *)at->ns->href, WF_HINT_SPACE) == 0 &&
		    strcasecmp((const char *)at->name, name) == 0)
			return (const char *)at->children->content;
	return NULL;
}

void wf_components_init(struct wf_components *components, xmlDoc *document)
{
	static const char *const types[] = { "complexType", "simpleType",
		NULL };

	components->types = wf_map_new();
	components->groups = wf_map_new();
	components->elements = wf_map_new();
	for (xmlNode *node = xmlDocGetRootElement(document)->children;
	     node != NULL; node = node->next) {
		struct wf_map *map = NULL;

		if (wf_schema_is_one_of(node, types))
			map = components->types;
		else if (wf_schema_is(node, "group"))
			map = components->groups;
		else if (wf_schema_is(node, "element"))
			map = components->elements;
		if (map != NULL)
			wf_map_add(
			    map, wf_schema_attribute(node, "name"), node);
	}
}

void wf_components_free(struct wf_components *components)
{
	wf_map_free(&components->types);
	wf_map_free(&components->groups);
	wf_map_free(&components->elements);
}
