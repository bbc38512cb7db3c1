/* SPDX-License-Identifier: Apache-2.0 */
/* Trees from canonical text, each element when it is needed. */
#include "xquery/tree/slice.h"

#include <string.h>

#include "base/escape.h"
#include "base/panic.h"
#include "xquery/item/evaluation.h"
#include "xquery/parse/expr.h"
#include "xquery/tree/node.h"

/* The latest names, so that a repeated name is not copied again. */
#define NAMES 64

struct wf_slice_source {
	struct wf_dynamic *dynamic;
	bool has_namespaces; /* then a part of the text cannot stand alone */
	const char *names[NAMES];
};

struct reader {
	struct wf_slice_source *source;
	const char *at;
	const char *end;
};

/* A text with its references replaced, in the arena. */
static const char *plain(struct reader *reader, const char *text, size_t length)
{
	char *result =
	    wf_arena_alloc(reader->source->dynamic->arena, length + 1);

	wf_unescape(result, text, length);
	return result;
}

static const char *name_at(
    struct reader *reader, const char *name, size_t length)
{
	size_t i = (length * 7 + (unsigned char)name[0] +
		       (unsigned char)name[length - 1] * 5) %
		   NAMES;
	const char **known = &reader->source->names[i];

	if (*known == NULL || strncmp(*known, name, length) != 0 ||
	    (*known)[length] != '\0')
		*known = wf_arena_strndup(
		    reader->source->dynamic->arena, name, length);
	return *known;
}

static size_t name_length(const char *name)
{
	size_t length = 0;

	while (
	    name[length] != ' ' && name[length] != '/' && name[length] != '>')
		length++;
	return length;
}

static size_t span_until(const struct reader *reader, char stop)
{
	const char *found =
	    memchr(reader->at, stop, (size_t)(reader->end - reader->at));

	wf_assert(found != NULL);
	return (size_t)(found - reader->at);
}

/* After the name in a start tag: ' xmlns:p="uri"' any number of times. */
static void read_declarations(struct reader *reader, xmlNode *element)
{
	while (*reader->at == ' ') {
		const char *prefix = "";
		size_t length;

		reader->at += strlen(" xmlns");
		if (*reader->at == ':') {
			reader->at++;
			length = span_until(reader, '=');
			prefix = name_at(reader, reader->at, length);
			reader->at += length;
		}
		reader->at += strlen("=\"");
		length = span_until(reader, '"');
		(void)wf_node_declare(reader->source->dynamic, element, prefix,
		    plain(reader, reader->at, length));
		reader->at += length + 1;
	}
}

static void set_name(
    struct reader *reader, xmlNode *element, const char *name, size_t length)
{
	const char *colon = NULL;
	const char *prefix = "";
	const char *uri;

	if (reader->source->has_namespaces)
		colon = memchr(name, ':', length);
	if (colon != NULL) {
		prefix = name_at(reader, name, (size_t)(colon - name));
		length -= (size_t)(colon + 1 - name);
		name = colon + 1;
	}
	element->name = (const xmlChar *)name_at(reader, name, length);
	if (!reader->source->has_namespaces)
		return;
	uri = wf_node_prefix_uri(element, prefix);
	if (uri[0] != '\0')
		element->ns =
		    wf_node_namespace(reader->source->dynamic, prefix, uri);
}

/* The content from here to its end tag. */
static struct wf_slice *read_slice(const struct reader *reader)
{
	struct wf_slice_source *source = reader->source;
	struct wf_slice *slice =
	    wf_arena_alloc(source->dynamic->arena, sizeof(*slice));
	const char *at = reader->at;
	unsigned depth = 0;

	slice->content = at;
	slice->source = source;
	for (;;) {
		const char *close;

		at = memchr(at, '<', (size_t)(reader->end - at));
		wf_assert(at != NULL);
		if (at[1] == '/') {
			if (depth-- == 0)
				break;
			at += 3;
			continue;
		}
		if (depth >= slice->depth)
			slice->depth = depth + 1;
		close = memchr(at, '>', (size_t)(reader->end - at));
		wf_assert(close != NULL);
		depth += close[-1] != '/';
		at = close + 1;
	}
	slice->length = (size_t)(at - slice->content);
	return slice;
}

/* order: the number of the element in document order. */
static xmlNode *read_element(
    struct reader *reader, xmlNode *parent, uintptr_t order)
{
	struct wf_slice_source *source = reader->source;
	const char *name = ++reader->at;
	size_t length = name_length(name);
	xmlNode *element =
	    wf_arena_alloc(source->dynamic->arena, sizeof(xmlNode));
	struct wf_slice *slice;

	element->type = XML_ELEMENT_NODE;
	element->_private = (void *)order;
	wf_node_append(parent, element);
	reader->at += length;
	read_declarations(reader, element);
	set_name(reader, element, name, length);
	if (*reader->at == '/') {
		reader->at += 2;
		return element;
	}
	reader->at++;
	slice = read_slice(reader);
	element->psvi = slice;
	reader->at += slice->length + length + strlen("</>");
	wf_assert(reader->at <= reader->end && reader->at[-1] == '>');
	return element;
}

static void read_text(struct reader *reader, xmlNode *parent, uintptr_t order)
{
	size_t left = (size_t)(reader->end - reader->at);
	const char *tag = memchr(reader->at, '<', left);
	size_t length = tag == NULL ? left : (size_t)(tag - reader->at);
	xmlNode *node =
	    wf_arena_alloc(reader->source->dynamic->arena, sizeof(xmlNode));

	node->type = XML_TEXT_NODE;
	node->_private = (void *)order;
	node->content = (xmlChar *)plain(reader, reader->at, length);
	wf_node_append(parent, node);
	reader->at += length;
}

void wf_slice_expand(xmlNode *element)
{
	struct wf_slice *slice = element->psvi;
	struct reader reader = { slice->source, slice->content,
		slice->content + slice->length };
	uintptr_t first = wf_node_order(element) + 1;

	wf_assert(!slice->expanded && element->children == NULL);
	slice->expanded = true;
	wf_charge_text(slice->source->dynamic, slice->length);
	while (reader.at < reader.end) {
		uintptr_t order =
		    first + (uintptr_t)(reader.at - slice->content);

		wf_charge(slice->source->dynamic, 1);
		if (*reader.at == '<')
			(void)read_element(&reader, element, order);
		else
			read_text(&reader, element, order);
	}
	/* The children end at the end of the content, not after it. */
	wf_assert(reader.at == reader.end);
}

/* Reserves numbers for an element and all nodes in it. */
static uintptr_t take_numbers(struct wf_dynamic *dynamic, size_t length)
{
	uintptr_t order = ++dynamic->state->next_order;

	dynamic->state->next_order += length;
	return order;
}

void wf_slice_build(struct wf_dynamic *dynamic, xmlNode *parent,
    const char *text, size_t length)
{
	struct wf_slice_source *source =
	    wf_arena_alloc(dynamic->arena, sizeof(*source));
	struct reader reader = { source, text, text + length };

	wf_assert(length > 2 && text[0] == '<' && text[length - 1] == '>');
	source->dynamic = dynamic;
	/* Canonical text has no other attributes. */
	source->has_namespaces = memchr(text, '"', length) != NULL &&
				 memmem(text, length, " xmlns", 6) != NULL;
	(void)read_element(&reader, parent, take_numbers(dynamic, length));
	wf_charge_text(dynamic, length);
}

bool wf_slice_share(
    struct wf_dynamic *dynamic, const xmlNode *element, xmlNode *copy)
{
	const struct wf_slice *slice = wf_slice_of(element);
	struct wf_slice *own;

	if (slice == NULL)
		return false;
	wf_charge_text(dynamic, slice->length);
	dynamic->state->next_order += slice->length;
	wf_assert(copy->children == NULL && copy->psvi == NULL);
	own = wf_arena_alloc(dynamic->arena, sizeof(*own));
	*own = *slice;
	own->expanded = false;
	copy->psvi = own;
	return true;
}

const struct wf_slice *wf_slice_of(const xmlNode *element)
{
	const struct wf_slice *slice = element->psvi;

	return slice == NULL || slice->source->has_namespaces ? NULL : slice;
}
