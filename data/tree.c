/* SPDX-License-Identifier: Apache-2.0 */
/* Building trees: one pass over the text, nodes linked by hand. */
#include "data/tree.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/escape.h"
#include "base/panic.h"

struct builder {
	xmlDoc *document;
	xmlNode *parent; /* parent of the next node; NULL: the document */
	const char *next;
	const char *end;
	unsigned short line;
};

/* libxml2 returns NULL when there is no memory. */
static void *got(void *memory)
{
	if (memory == NULL)
		wf_panic(__FILE__, __LINE__, "out of memory");
	return memory;
}

static void append(struct builder *builder, xmlNode *node)
{
	xmlNode *parent = builder->parent;

	if (parent == NULL)
		parent = (xmlNode *)builder->document;
	node->parent = parent;
	node->doc = builder->document;
	node->line = builder->line;
	node->prev = parent->last;
	if (parent->last == NULL)
		parent->children = node;
	else
		parent->last->next = node;
	parent->last = node;
}

/* The characters of an escaped text, in memory of libxml2. */
static xmlChar *unescape(const char *text, const char *end)
{
	xmlChar *characters = got(xmlMalloc((size_t)(end - text) + 1));

	wf_unescape((char *)characters, text, (size_t)(end - text));
	return characters;
}

static void add_text(struct builder *builder, const char *end)
{
	xmlNode *node = got(xmlNewText(NULL));
	const char *line = builder->next;

	node->content = unescape(builder->next, end);
	append(builder, node);
	while ((line = memchr(line, '\n', (size_t)(end - line))) != NULL) {
		if (builder->line < USHRT_MAX)
			builder->line++;
		line++;
	}
	builder->next = end;
}

/* ' xmlns="uri"' or ' xmlns:prefix="uri"' from text to end. */
static void add_namespace(xmlNode *node, const char *text, const char *end)
{
	const char *quote = memchr(text, '"', (size_t)(end - text));
	const char *colon;
	xmlChar *prefix = NULL;
	xmlChar *uri;

	wf_assert(quote != NULL && end[-1] == '"' && quote < end - 1);
	colon = memchr(text, ':', (size_t)(quote - text));
	if (colon != NULL)
		prefix = got(xmlStrndup(
		    (const xmlChar *)colon + 1, (int)(quote - colon - 2)));
	uri = unescape(quote + 1, end - 1);
	got(xmlNewNs(node, uri, prefix));
	xmlFree(uri);
	xmlFree(prefix);
}

/* Splits the qualified name and finds its namespace. */
static void resolve(struct builder *builder, xmlNode *node)
{
	const xmlChar *colon = xmlStrchr(node->name, ':');
	xmlChar *prefix = NULL;
	xmlChar *local;

	if (colon != NULL) {
		local = got(xmlStrdup(colon + 1));
		prefix = got(xmlStrndup(node->name, (int)(colon - node->name)));
		xmlFree((xmlChar *)(uintptr_t)node->name);
		node->name = local;
	}
	node->ns = xmlSearchNs(builder->document, node, prefix);
	/* xmlns="" undeclares the default namespace. */
	if (node->ns != NULL && node->ns->href[0] == '\0')
		node->ns = NULL;
	xmlFree(prefix);
}

/* At '<' of a start tag. */
static void add_element(struct builder *builder, bool *has_namespaces)
{
	const char *name = builder->next + 1;
	const char *end = memchr(name, '>', (size_t)(builder->end - name));
	const char *stop = name;
	bool is_empty;
	xmlNode *node;

	wf_assert(end != NULL && end > name);
	is_empty = end[-1] == '/';
	builder->next = end + 1;
	if (is_empty)
		end--;
	while (stop < end && *stop != ' ')
		*has_namespaces |= *stop++ == ':';
	node = got(xmlNewNodeEatName(
	    NULL, got(xmlStrndup((const xmlChar *)name, (int)(stop - name)))));
	append(builder, node);
	if (stop < end) {
		add_namespace(node, stop, end);
		*has_namespaces = true;
	}
	if (*has_namespaces)
		resolve(builder, node);
	if (!is_empty)
		builder->parent = node;
}

/* At "</": returns to the parent. */
static void close_element(struct builder *builder, xmlNode *outside)
{
	const char *end =
	    memchr(builder->next, '>', (size_t)(builder->end - builder->next));

	wf_assert(end != NULL && builder->parent != outside);
	builder->next = end + 1;
	builder->parent = builder->parent->parent;
	if (builder->parent == (xmlNode *)builder->document)
		builder->parent = NULL;
}

static void add_value(struct builder *builder, const struct wf_value *value)
{
	xmlNode *outside = builder->parent;
	bool has_namespaces = false;

	builder->next = value->text;
	builder->end = value->text + value->length;
	builder->line = 1;
	while (builder->next < builder->end) {
		const char *tag = memchr(
		    builder->next, '<', (size_t)(builder->end - builder->next));

		wf_assert(tag != NULL);
		if (tag > builder->next)
			add_text(builder, tag);
		if (tag[1] == '/')
			close_element(builder, outside);
		else
			add_element(builder, &has_namespaces);
	}
	wf_assert(builder->parent == outside);
}

xmlDoc *wf_tree_build(
    struct wf_value *const *values, size_t count, const char *root)
{
	struct builder builder = { .line = 1 };

	builder.document = got(xmlNewDoc((const xmlChar *)"1.0"));
	if (root != NULL) {
		xmlNode *node = got(xmlNewNode(NULL, (const xmlChar *)root));

		append(&builder, node);
		builder.parent = node;
	}
	wf_assert(root != NULL || (count == 1 && values[0] != NULL));
	for (size_t i = 0; i < count; i++)
		if (values[i] != NULL)
			add_value(&builder, values[i]);
	return builder.document;
}
