/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Canonical text from any XML, by the SAX parser of libxml2.
 *
 * No tree is built, so that memory stays near the size of the text. Whether
 * white space between elements is dropped is known only at the end tag of the
 * enclosing element, when all of it has been written. So the text is first
 * written with marks (control characters, which XML never contains): one behind
 * the name in each start tag, which is set at the end tag, and one before each
 * run of text. A second pass over a complete value drops the marks and the
 * white space that they name.
 */
#include "data/canonical.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlreader.h>
#include <string.h>

#include "base/memory.h"
#include "base/panic.h"
#include "xquery/tree/quiet.h"

/* After the name and the declarations of a start tag. */
#define KEEP_WHITE '\1' /* text, no content, or mixed content */
#define DROP_WHITE '\2' /* elements only */
/* Before a text. */
#define ONLY_WHITE '\3'
#define OTHER_TEXT '\4'

struct open_element {
	size_t mark; /* position of its mark in the text */
	bool has_children;
	bool is_mixed;
	/*
	 * The one namespace that is declared here; NULL: none.  "" undeclares.
	 */
	const char *declared;
	const char *prefix; /* of that declaration, "" for the default */
};

struct reader {
	xmlParserCtxt *context;
	struct wf_error *err;
	enum wf_rc rc; /* the first failure */
	struct wf_value_list *list;
	bool children;	       /* the values are those in the root element */
	unsigned base;	       /* the depth of a value: 0 or 1 */
	struct wf_buffer text; /* of the value that is being read */
	size_t run;	       /* start of the current text; 0: none */
	unsigned depth;
	struct open_element elements[WF_VALUE_DEPTH_ELEMENTS];
};

static void stop(struct reader *reader, enum wf_rc rc, const char *message)
{
	if (reader->rc != WF_OK)
		return;
	reader->rc = rc;
	wf_fail(reader->err, rc, "%s", message);
	if (reader->err != NULL && reader->context->input != NULL) {
		reader->err->place.line = reader->context->input->line;
		reader->err->place.column = reader->context->input->col;
	}
	xmlStopParser(reader->context);
}

static bool check_room(struct reader *reader)
{
	if (reader->text.full)
		stop(reader, WF_LIMIT, "the value is too large");
	return !reader->text.full;
}

static bool is_white(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (strchr(" \t\n\r", text[i]) == NULL)
			return false;
	return true;
}

/* The innermost open element; NULL outside all elements. */
static struct open_element *innermost(struct reader *reader)
{
	return reader->depth == 0 ? NULL : &reader->elements[reader->depth - 1];
}

static void on_text(void *argument, const xmlChar *characters, int length)
{
	struct reader *reader = argument;
	const char *text = (const char *)characters;
	struct open_element *element = innermost(reader);

	if (element == NULL || length <= 0)
		return;
	if (reader->depth <= reader->base) {
		if (!is_white(text, (size_t)length))
			stop(reader, WF_INVALID,
			    "there is text between the elements");
		return;
	}
	if (reader->run == 0) {
		reader->run = reader->text.length;
		wf_buffer_putc(&reader->text, ONLY_WHITE);
	}
	wf_buffer_escape(&reader->text, text, (size_t)length, false);
	if (!check_room(reader) || is_white(text, (size_t)length))
		return;
	reader->text.data[reader->run] = OTHER_TEXT;
	element->is_mixed = true;
}

/* The namespace of a prefix in the text written so far. */
static const char *declared_uri(const struct reader *reader, const char *prefix)
{
	for (unsigned i = reader->depth; i > reader->base; i--) {
		const struct open_element *element = &reader->elements[i - 1];

		if (element->declared != NULL &&
		    strcmp(element->prefix, prefix) == 0)
			return element->declared;
	}
	return "";
}

/* Declares the namespace of the element where it is not yet in scope. */
static void declare(struct reader *reader, struct open_element *element,
    const char *prefix, const char *uri)
{
	struct wf_buffer *text = &reader->text;

	if (strcmp(prefix, "xml") == 0 ||
	    strcmp(declared_uri(reader, prefix), uri) == 0)
		return;
	element->declared = uri;
	element->prefix = prefix;
	wf_buffer_puts(text, *prefix == '\0' ? " xmlns" : " xmlns:");
	wf_buffer_puts(text, prefix);
	wf_buffer_puts(text, "=\"");
	wf_buffer_escape(text, uri, strlen(uri), true);
	wf_buffer_putc(text, '"');
}

static void on_start(void *argument, const xmlChar *local,
    const xmlChar *prefix, const xmlChar *uri, int namespace_count,
    const xmlChar **namespaces, int attribute_count, int defaulted_count,
    const xmlChar **attributes)
{
	struct reader *reader = argument;
	struct open_element *element = innermost(reader);

	(void)namespace_count;
	(void)namespaces;
	(void)attribute_count;
	(void)defaulted_count;
	(void)attributes;
	if (reader->rc != WF_OK)
		return;
	if (reader->depth == WF_VALUE_DEPTH_ELEMENTS) {
		stop(reader, WF_LIMIT, "the elements are nested too deeply");
		return;
	}
	if (element != NULL)
		element->has_children = true;
	element = &reader->elements[reader->depth];
	memset(element, 0, sizeof(*element));
	reader->run = 0;
	if (reader->children && reader->depth == 0) {
		reader->list->root = wf_strdup((const char *)local);
		reader->depth++;
		return;
	}
	wf_buffer_putc(&reader->text, '<');
	if (prefix != NULL)
		wf_buffer_printf(&reader->text, "%s:", (const char *)prefix);
	wf_buffer_puts(&reader->text, (const char *)local);
	declare(reader, element, prefix == NULL ? "" : (const char *)prefix,
	    uri == NULL ? "" : (const char *)uri);
	element->mark = reader->text.length;
	wf_buffer_putc(&reader->text, KEEP_WHITE);
	wf_buffer_putc(&reader->text, '>');
	reader->depth++;
	check_room(reader);
}

/*
 * The second pass, in place: drops the marks and white space between
 * elements.
 */
static void drop_marks(struct wf_buffer *buffer)
{
	bool drops[WF_VALUE_DEPTH_ELEMENTS + 1] = { false };
	unsigned depth = 0;
	bool skips = false;
	char *to = buffer->data;
	const char *end = buffer->data + buffer->length;

	for (const char *p = buffer->data; p < end; p++) {
		switch (*p) {
		case KEEP_WHITE:
		case DROP_WHITE:
			wf_assert(depth < WF_VALUE_DEPTH_ELEMENTS);
			if (p[1] == '>')
				drops[++depth] = *p == DROP_WHITE;
			break;
		case ONLY_WHITE:
			skips = drops[depth];
			break;
		case OTHER_TEXT:
			break;
		case '<':
			skips = false;
			if (p[1] == '/') {
				wf_assert(depth > 0);
				depth--;
			}
			*to++ = *p;
			break;
		default:
			if (!skips)
				*to++ = *p;
		}
	}
	wf_assert(depth == 0);
	*to = '\0';
	buffer->length = (size_t)(to - buffer->data);
}

/* Completes the text of a value. */
static void finish_value(struct reader *reader)
{
	struct wf_buffer *text = &reader->text;
	size_t name_length;
	struct wf_value *value;

	drop_marks(text);
	if (text->length > WF_VALUE_BYTES) {
		stop(reader, WF_LIMIT, "the value is too large");
		return;
	}
	name_length = strcspn(text->data + 1, " />");
	value = wf_value_new_canonical(text->data, text->length, name_length);
	if (!wf_value_list_add(reader->list, value)) {
		wf_value_unref(&value);
		stop(reader, WF_LIMIT, "the root has too many elements");
	}
	wf_buffer_reset(text);
}

static void on_end(void *argument, const xmlChar *local, const xmlChar *prefix,
    const xmlChar *uri)
{
	struct reader *reader = argument;
	struct wf_buffer *text = &reader->text;
	const struct open_element *element;

	(void)uri;
	if (reader->rc != WF_OK)
		return;
	reader->run = 0;
	wf_assert(reader->depth > 0);
	element = &reader->elements[--reader->depth];
	if (reader->depth < reader->base)
		return;
	if (text->length == element->mark + 2) {
		text->length--; /* no content: "/>" replaces ">" */
		wf_buffer_puts(text, "/>");
	} else {
		if (element->has_children && !element->is_mixed)
			text->data[element->mark] = DROP_WHITE;
		wf_buffer_puts(text, "</");
		if (prefix != NULL)
			wf_buffer_printf(text, "%s:", (const char *)prefix);
		wf_buffer_puts(text, (const char *)local);
		wf_buffer_putc(text, '>');
	}
	if (check_room(reader) && reader->depth == reader->base)
		finish_value(reader);
}

static void on_doctype(void *argument, const xmlChar *name,
    const xmlChar *external, const xmlChar *system)
{
	(void)name;
	(void)external;
	(void)system;
	stop(argument, WF_INVALID, "a document type is not allowed");
}

/* libxml2's sentence, without the line break at its end. */
static void on_error(void *argument, xmlError *error)
{
	struct reader *reader = argument;
	const char *message = error->message == NULL ? "" : error->message;

	if (error->level < XML_ERR_ERROR || reader->rc != WF_OK)
		return;
	reader->rc = WF_INVALID;
	wf_fail(reader->err, WF_INVALID, "not well-formed XML: %.*s",
	    (int)strcspn(message, "\n"), message);
	if (reader->err == NULL)
		return;
	reader->err->place.line = error->line;
	reader->err->place.column = error->int2;
}

/* Parses; an error is in reader->rc. */
static void run(struct reader *reader, const char *xml, size_t length)
{
	xmlSAXHandler handler = {
		.internalSubset = on_doctype,
		.characters = on_text,
		.ignorableWhitespace = on_text,
		.cdataBlock = on_text,
		.initialized = XML_SAX2_MAGIC,
		.startElementNs = on_start,
		.endElementNs = on_end,
		.serror = on_error,
	};
	xmlParserCtxt *context;
	struct wf_quiet before;

	wf_quiet_begin(&before);
	context = xmlCreateMemoryParserCtxt(xml, (int)length);
	if (context == NULL) {
		wf_quiet_end(&before);
		reader->rc = wf_fail(reader->err, WF_LIMIT,
		    "there is no memory to parse the XML text");
		return;
	}
	reader->context = context;
	/*
	 * XML_PARSE_HUGE lifts limits of libxml2 that Weft has itself.
	 * XML_PARSE_NOENT replaces entities of a document type, which is
	 * refused, but also the predefined entities in namespace names.
	 */
	xmlCtxtUseOptions(
	    context, XML_PARSE_NONET | XML_PARSE_HUGE | XML_PARSE_NOENT);
	*context->sax = handler;
	context->userData = reader;
	xmlParseDocument(context);
	wf_quiet_end(&before);
	if (!context->wellFormed && reader->rc == WF_OK)
		stop(reader, WF_INVALID, "not well-formed XML");
	/* libxml2 makes a document for the entities of a document type. */
	if (context->myDoc != NULL)
		xmlFreeDoc(context->myDoc);
	context->myDoc = NULL;
	xmlFreeParserCtxt(context);
}

enum wf_rc wf_canonical_read(struct wf_value_list *list, bool children,
    const char *xml, size_t length, struct wf_error *err)
{
	struct reader reader;

	if (is_white(xml, length))
		return wf_fail(err, WF_INVALID, "there is no element");
	reader.err = err;
	reader.rc = WF_OK;
	reader.list = list;
	reader.children = children;
	reader.base = children ? 1 : 0;
	reader.run = 0;
	reader.depth = 0;
	/* The marks and the white space that will be dropped need room too. */
	wf_buffer_init(&reader.text, 2 * (size_t)WF_VALUE_BYTES);
	run(&reader, xml, length);
	wf_buffer_free(&reader.text);
	if (reader.rc != WF_OK)
		wf_value_list_free(list);
	return reader.rc;
}

int wf_value_line(const char *xml, size_t length, size_t before)
{
	struct wf_quiet quiet;
	xmlTextReader *reader;
	int line = 0;

	if (length > WF_VALUE_BYTES)
		return 0;
	wf_quiet_begin(&quiet);
	reader = xmlReaderForMemory(
	    xml, (int)length, NULL, NULL, XML_PARSE_NONET | XML_PARSE_HUGE);
	while (line == 0 && reader != NULL && xmlTextReaderRead(reader) == 1)
		if (xmlTextReaderNodeType(reader) == XML_READER_TYPE_ELEMENT &&
		    before-- == 0)
			line =
			    (int)xmlGetLineNo(xmlTextReaderCurrentNode(reader));
	xmlFreeTextReader(reader);
	wf_quiet_end(&quiet);
	return line;
}
