/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From XML text to a tree, through libxml2's SAX interface: so there is never
 * a libxml2 document, no entity is declared, and the parser is stopped where
 * something is not allowed.
 */
#include "spec/markup.h"

#include <limits.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#include "base/panic.h"
#include "xquery/tree/quiet.h"

/* The maximum number of attributes of an element. */
#define ATTRIBUTE_LIMIT 500U
/* The maximum number of namespaces declared at one element. */
#define NAMESPACE_LIMIT 200U

struct parse {
	struct wf_arena *arena;
	struct wf_diagnostics *diagnostics;
	xmlParserCtxt *context;
	struct wf_markup *root;
	struct wf_markup *open[WF_MARKUP_DEPTH];
	/*
	 * The last child of each open element, where the next child is
	 * appended.
	 */
	struct wf_markup *last[WF_MARKUP_DEPTH];
	unsigned depth;
	size_t namespaces; /* number declared by the open elements */
	struct wf_buffer text;
	bool failed;
};

static int line_of(const struct parse *parse)
{
	return parse->context->input == NULL ? 0 : parse->context->input->line;
}

static void refuse(struct parse *parse, const char *message)
{
	if (!parse->failed)
		wf_diagnostics_add(parse->diagnostics, WF_ERROR, line_of(parse),
		    "", "%s", message);
	parse->failed = true;
	xmlStopParser(parse->context);
}

static const char *keep(struct parse *parse, const xmlChar *text)
{
	return text == NULL ? ""
			    : wf_arena_strdup(parse->arena, (const char *)text);
}

static void append(struct parse *parse, struct wf_markup *node)
{
	unsigned top = parse->depth - 1;

	node->parent = parse->open[top];
	if (parse->last[top] == NULL)
		parse->open[top]->first = node;
	else
		parse->last[top]->next = node;
	parse->last[top] = node;
}

/* Makes a node of the text collected so far. */
static void flush(struct parse *parse)
{
	struct wf_markup *node;

	if (parse->text.length == 0 || parse->depth == 0)
		return;
	node = wf_arena_alloc(parse->arena, sizeof(*node));
	node->text = wf_arena_strndup(
	    parse->arena, parse->text.data, parse->text.length);
	node->line = line_of(parse);
	append(parse, node);
	wf_buffer_reset(&parse->text);
}

static void keep_attributes(struct parse *parse, struct wf_markup *node,
    int count, const xmlChar **attributes)
{
	node->attribute_count = (size_t)count;
	node->attributes = wf_arena_array(
	    parse->arena, (size_t)count, sizeof(*node->attributes));
	for (int i = 0; i < count; i++) {
		struct wf_markup_attribute *to = &node->attributes[i];
		const xmlChar **from = attributes + 5 * i;

		to->name = keep(parse, from[0]);
		to->prefix = keep(parse, from[1]);
		to->space = keep(parse, from[2]);
		to->value = wf_arena_strndup(parse->arena,
		    (const char *)from[3], (size_t)(from[4] - from[3]));
	}
}

static void start_element(void *user, const xmlChar *name,
    const xmlChar *prefix, const xmlChar *uri, int namespace_count,
    const xmlChar **namespaces, int attribute_count, int defaulted,
    const xmlChar **attributes)
{
	struct parse *parse = user;
	struct wf_markup *node;

	(void)defaulted;
	if (parse->failed)
		return;
	if (parse->depth == WF_MARKUP_DEPTH) {
		refuse(parse, "elements are nested too deeply");
		return;
	}
	parse->namespaces += (size_t)namespace_count;
	if (parse->namespaces > NAMESPACE_LIMIT) {
		refuse(parse, "too many namespaces are declared");
		return;
	}
	flush(parse);
	node = wf_arena_alloc(parse->arena, sizeof(*node));
	node->name = keep(parse, name);
	node->prefix = keep(parse, prefix);
	node->space = keep(parse, uri);
	node->line = line_of(parse);
	node->namespace_count = (size_t)namespace_count;
	node->namespaces = wf_arena_array(
	    parse->arena, node->namespace_count, sizeof(*node->namespaces));
	for (int i = 0; i < namespace_count; i++) {
		node->namespaces[i].prefix = keep(parse, namespaces[2 * i]);
		node->namespaces[i].uri = keep(parse, namespaces[2 * i + 1]);
	}
	keep_attributes(parse, node, attribute_count, attributes);
	if (parse->depth == 0)
		parse->root = node;
	else
		append(parse, node);
	parse->open[parse->depth] = node;
	parse->last[parse->depth++] = NULL;
}

static bool is_blank(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '\0';
}

/* White space between elements has no meaning. */
static void drop_blanks(struct wf_markup *node)
{
	bool has_element = false;
	struct wf_markup **link = &node->first;

	for (struct wf_markup *c = node->first; c != NULL; c = c->next) {
		if (c->name != NULL)
			has_element = true;
		else if (!is_blank(c->text))
			return;
	}
	if (!has_element)
		return;
	while (*link != NULL) {
		if ((*link)->name == NULL)
			*link = (*link)->next;
		else
			link = &(*link)->next;
	}
}

static void end_element(
    void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
	struct parse *parse = user;

	(void)name;
	(void)prefix;
	(void)uri;
	if (parse->failed || parse->depth == 0)
		return;
	flush(parse);
	parse->depth--;
	parse->namespaces -= parse->open[parse->depth]->namespace_count;
	drop_blanks(parse->open[parse->depth]);
}

static void characters(void *user, const xmlChar *text, int length)
{
	struct parse *parse = user;

	if (!parse->failed)
		wf_buffer_append(&parse->text, text, (size_t)length);
}

static void document_type(void *user, const xmlChar *name,
    const xmlChar *external, const xmlChar *system)
{
	(void)name;
	(void)external;
	(void)system;
	refuse(user,
	    "a document type declaration (<!DOCTYPE>) is not allowed in a "
	    "specification");
}

/* The scan of raw bytes for attributes needs an encoding that extends ASCII. */
static void start_document(void *user)
{
	static const char *const encodings[] = { "UTF-8", "US-ASCII", "ASCII",
		"ISO-8859-", "windows-125" };
	const struct parse *parse = user;
	const char *encoding = (const char *)parse->context->encoding;

	if (encoding == NULL)
		return;
	for (size_t i = 0; i < sizeof(encodings) / sizeof(encodings[0]); i++)
		if (strncasecmp(encoding, encodings[i], strlen(encodings[i])) ==
		    0)
			return;
	refuse(user, "the encoding is not supported: expected UTF-8");
}

static void report(void *user, xmlError *error)
{
	struct parse *parse = user;
	size_t length;

	if (parse->failed || error->level < XML_ERR_ERROR ||
	    error->message == NULL)
		return;
	/* Some messages have a second line, with bytes from the input. */
	length = strcspn(error->message, "\r\n");
	parse->failed = true;
	wf_diagnostics_add(parse->diagnostics, WF_ERROR, error->line, "",
	    "not well-formed XML: %.*s", (int)length, error->message);
	xmlStopParser(parse->context);
}

static const xmlSAXHandler handler = {
	.initialized = XML_SAX2_MAGIC,
	.internalSubset = document_type,
	.externalSubset = document_type,
	.startDocument = start_document,
	.startElementNs = start_element,
	.endElementNs = end_element,
	.characters = characters,
	.ignorableWhitespace = characters,
	.cdataBlock = characters,
	.serror = (xmlStructuredErrorFunc)report,
};

/* After the next occurrence of mark; end when there is none. */
static const char *skip_past(const char *at, const char *end, const char *mark)
{
	const char *found = memmem(at, (size_t)(end - at), mark, strlen(mark));

	return found == NULL ? end : found + strlen(mark);
}

/*
 * After the tag that starts at at; counts the unquoted equals signs in the tag.
 */
static const char *skip_tag(const char *at, const char *end, size_t *count)
{
	char quote = '\0';

	*count = 0;
	for (; at < end; at++) {
		if (quote != '\0') {
			if (*at == quote)
				quote = '\0';
		} else if (*at == '"' || *at == '\'') {
			quote = *at;
		} else if (*at == '=') {
			++*count;
		} else if (*at == '>') {
			return at + 1;
		}
	}
	return end;
}

/* libxml2 compares the attributes of an element pairwise. */
static bool has_too_many_attributes(const char *text, size_t length)
{
	const char *at = text;
	const char *end = text + length;
	size_t count;

	while ((at = memchr(at, '<', (size_t)(end - at))) != NULL) {
		size_t left = (size_t)(end - at);

		if (left > 4 && memcmp(at, "<!--", 4) == 0)
			at = skip_past(at + 4, end, "-->");
		else if (left > 9 && memcmp(at, "<![CDATA[", 9) == 0)
			at = skip_past(at + 9, end, "]]>");
		else if (left > 2 && memcmp(at, "<?", 2) == 0)
			at = skip_past(at + 2, end, "?>");
		else {
			at = skip_tag(at, end, &count);
			if (count > ATTRIBUTE_LIMIT)
				return true;
		}
	}
	return false;
}

/* Refuses what libxml2 would parse too slowly or differently. */
static const char *fault_of(const char *text, size_t length)
{
	if (length == 0)
		return "not XML: there is nothing to read";
	if (length > INT_MAX)
		return "the text is too long";
	if (memchr(text, '\0', length) != NULL)
		return "not well-formed XML: a byte is 0 (expected UTF-8)";
	if (has_too_many_attributes(text, length))
		return "an element has too many attributes";
	return NULL;
}

struct wf_markup *wf_markup_parse(struct wf_arena *arena, const char *text,
    size_t length, struct wf_diagnostics *diagnostics)
{
	struct parse parse = { .arena = arena, .diagnostics = diagnostics };

	const char *fault = fault_of(text, length);
	struct wf_quiet before;

	if (fault != NULL) {
		wf_diagnostics_add(diagnostics, WF_ERROR, 0, "", "%s", fault);
		return NULL;
	}
	wf_quiet_begin(&before);
	parse.context = xmlCreateMemoryParserCtxt(text, (int)length);
	wf_assert(parse.context != NULL);
	*parse.context->sax = handler;
	parse.context->userData = &parse;
	wf_buffer_init(&parse.text, length + 1);
	/* libxml2 replaces entities; only the five of XML can exist. */
	xmlCtxtUseOptions(parse.context,
	    XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_BIG_LINES);
	xmlParseDocument(parse.context);
	wf_quiet_end(&before);
	if (!parse.failed && (!parse.context->wellFormed || parse.root == NULL))
		refuse(&parse, "not well-formed XML");
	xmlFreeParserCtxt(parse.context);
	wf_buffer_free(&parse.text);
	return parse.failed ? NULL : parse.root;
}
