/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsed documents: a context file, and the argument of fn:parse-xml().
 *
 * libxml2 parses them without external entities and without the network; the
 * tree is copied.
 */
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/valid.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/panic.h"
#include "xquery/atomic/atomic_priv.h"
#include "xquery/item/evaluation.h"
#include "xquery/parse/expr.h"
#include "xquery/tree/document.h"
#include "xquery/tree/node.h"
#include "xquery/tree/quiet.h"

struct copier {
	struct wf_dynamic *dynamic;
	xmlDoc *document;
};

static const char *keep(struct copier *copier, const xmlChar *text)
{
	return text == NULL ? ""
			    : wf_arena_strdup(
				  copier->dynamic->arena, (const char *)text);
}

static struct wf_qname keep_name(struct copier *copier, const xmlNode *node)
{
	struct wf_qname name = wf_node_name(node);

	name.prefix = keep(copier, (const xmlChar *)name.prefix);
	name.uri = keep(copier, (const xmlChar *)name.uri);
	name.local = keep(copier, (const xmlChar *)name.local);
	return name;
}

static void copy_attribute(
    struct copier *copier, xmlAttr *from, xmlNode *element)
{
	struct wf_qname name = keep_name(copier, (xmlNode *)from);
	xmlChar *value =
	    xmlNodeListGetString(copier->document, from->children, 1);
	xmlNode *to =
	    wf_node_new_attribute(copier->dynamic, &name, keep(copier, value));

	if (from->atype == XML_ATTRIBUTE_ID ||
	    from->atype == XML_ATTRIBUTE_IDREF ||
	    from->atype == XML_ATTRIBUTE_IDREFS)
		((xmlAttr *)to)->atype = from->atype;
	xmlFree(value);
	wf_node_add_attribute(element, to);
}

static xmlNode *copy_element(struct copier *copier, const xmlNode *from)
{
	struct wf_qname name = keep_name(copier, from);
	xmlNode *to =
	    wf_node_new_named(copier->dynamic, XML_ELEMENT_NODE, &name);

	for (const xmlNs *ns = from->nsDef; ns != NULL; ns = ns->next)
		(void)wf_node_declare(copier->dynamic, to,
		    keep(copier, ns->prefix), keep(copier, ns->href));
	for (xmlAttr *one = from->properties; one != NULL; one = one->next)
		copy_attribute(copier, one, to);
	return to;
}

/* NULL for a node that the data model does not have. */
static xmlNode *copy_one(struct copier *copier, const xmlNode *from)
{
	xmlNode *to;

	switch (from->type) {
	case XML_ELEMENT_NODE:
		return copy_element(copier, from);
	case XML_TEXT_NODE:
	case XML_CDATA_SECTION_NODE:
		return wf_node_new_text(copier->dynamic, XML_TEXT_NODE,
		    keep(copier, from->content));
	case XML_COMMENT_NODE:
		return wf_node_new_text(copier->dynamic, XML_COMMENT_NODE,
		    keep(copier, from->content));
	case XML_PI_NODE:
		to = wf_node_new_text(
		    copier->dynamic, XML_PI_NODE, keep(copier, from->content));
		to->name = (const xmlChar *)keep(copier, from->name);
		return to;
	default:
		return NULL;
	}
}

static void copy_children(
    struct copier *copier, const xmlNode *from, xmlNode *to)
{
	const xmlNode *top = from;

	from = from->children;
	while (from != NULL) {
		xmlNode *one = copy_one(copier, from);

		if (one != NULL)
			wf_node_append(to, one);
		if (from->type == XML_ELEMENT_NODE && from->children != NULL) {
			from = from->children;
			to = one;
			continue;
		}
		while (from != top && from->next == NULL) {
			from = from->parent;
			to = to->parent;
		}
		from = from == top ? NULL : from->next;
	}
}

/* Only entities with their text in the document are declared. */
static void declare_entity(void *context, const xmlChar *name, int type,
    const xmlChar *public, const xmlChar *system, xmlChar *content)
{
	if (type == XML_INTERNAL_GENERAL_ENTITY)
		xmlSAX2EntityDecl(context, name, type, public, system, content);
}

static void forget_message(void *context, xmlError *error)
{
	(void)context;
	(void)error;
}

static xmlDoc *parse_text(const struct wf_buffer *text, const char *file,
    const char *code, struct wf_error *err)
{
	const char *message = "";
	xmlParserCtxt *context;
	struct wf_quiet before;
	xmlDoc *document;

	wf_quiet_begin(&before);
	context = xmlNewParserCtxt();
	wf_assert(context != NULL);
	context->sax->entityDecl = declare_entity;
	context->sax->externalSubset = NULL;
	context->sax->serror = forget_message;
	document = xmlCtxtReadMemory(context, wf_buffer_text(text),
	    (int)text->length, file, NULL,
	    XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_NOCDATA |
		XML_PARSE_DTDATTR);
	wf_quiet_end(&before);
	if (document != NULL && !context->nsWellFormed) {
		xmlFreeDoc(document);
		document = NULL;
	}
	if (document == NULL) {
		if (context->lastError.message != NULL)
			message = context->lastError.message;
		(void)wf_fail_code(err, WF_DATA, code,
		    "%s: not well-formed XML, line %d: %.*s",
		    file == NULL ? "the text" : file, context->lastError.line,
		    (int)strcspn(message, "\n"), message);
	}
	xmlFreeParserCtxt(context);
	return document;
}

/* The URI of the file, as base of relative URIs. */
static xmlChar *file_uri(struct wf_dynamic *dynamic, const char *file)
{
	char *path = realpath(file, NULL);
	char *uri = wf_arena_printf(
	    dynamic->arena, "file://%s", path == NULL ? file : path);

	free(path);
	return (xmlChar *)uri;
}

static void free_document(void *document)
{
	xmlFreeDoc(document);
}

/*
 * The tree of text, in the evaluation's arena; of a fragment, the content of
 * its root element.
 */
static enum wf_rc build(struct wf_dynamic *dynamic, const char *file,
    bool fragment, const char *code, xmlNode **document_out)
{
	struct copier copier = { dynamic, NULL };
	struct wf_cleanup cleanup;

	copier.document = parse_text(&dynamic->text, file, code, dynamic->err);
	if (copier.document == NULL)
		return wf_fail(dynamic->err, WF_DATA, "not read");
	wf_cleanup_push(&cleanup, free_document, copier.document);
	*document_out = wf_node_new_document(dynamic);
	copy_children(&copier,
	    fragment ? xmlDocGetRootElement(copier.document)
		     : (xmlNode *)copier.document,
	    *document_out);
	wf_cleanup_pop(&cleanup);
	xmlFreeDoc(copier.document);
	return wf_spend(dynamic, 1);
}

enum wf_rc wf_document_read(
    struct wf_dynamic *dynamic, const char *file, xmlNode **document_out)
{
	struct wf_buffer *text = wf_text_begin(dynamic);

	text->maximum = WF_VALUE_BYTES;
	WF_TRY(wf_buffer_read_file(text, file, dynamic->err));
	WF_TRY(build(dynamic, file, false, "FODC0002", document_out));
	((xmlDoc *)*document_out)->URL = file_uri(dynamic, file);
	return WF_OK;
}

/*
 * Behind "<?xml ...?>", which a fragment may begin with, provided that it
 * names an encoding.
 */
static struct wf_string without_declaration(struct wf_string text)
{
	const char *end = NULL;
	size_t head;

	if (text.length > 5 && strncmp(text.text, "<?xml", 5) == 0 &&
	    strchr(" \t\r\n", text.text[5]) != NULL)
		end = memmem(text.text, text.length, "?>", 2);
	if (end == NULL ||
	    memmem(text.text, (size_t)(end - text.text), "encoding", 8) == NULL)
		return text;
	head = (size_t)(end + 2 - text.text);
	text.text += head;
	text.length -= head;
	return text;
}

/* What libxml2 needs for any document (bench/query_costs). */
#define STEPS_TO_PARSE 64U

enum wf_rc wf_document_parse(struct wf_dynamic *dynamic, struct wf_string text,
    bool fragment, xmlNode **document_out)
{
	struct wf_buffer *buffer = wf_text_begin(dynamic);

	WF_TRY(wf_spend(dynamic, STEPS_TO_PARSE + text.length / 8));
	buffer->maximum = WF_VALUE_BYTES;
	if (fragment) {
		text = without_declaration(text);
		wf_buffer_puts(buffer, "<f>");
	}
	wf_buffer_append(buffer, text.text, text.length);
	if (fragment)
		wf_buffer_puts(buffer, "</f>");
	if (buffer->full)
		return wf_fail(dynamic->err, WF_LIMIT,
		    "the XML text is larger than %u bytes", WF_VALUE_BYTES);
	return build(dynamic, NULL, fragment, "FODC0006", document_out);
}
