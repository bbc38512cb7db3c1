/* SPDX-License-Identifier: Apache-2.0 */
/* Reads, copies and writes markup. */
#include "spec/markup.h"

#include <limits.h>
#include <string.h>

bool wf_markup_is(const struct wf_markup *node, const char *name)
{
	return node != NULL && node->name != NULL &&
	       strcmp(node->name, name) == 0;
}

const char *wf_markup_attribute_in(
    const struct wf_markup *node, const char *space, const char *name)
{
	if (node == NULL)
		return NULL;
	for (size_t i = 0; i < node->attribute_count; i++)
		if (strcmp(node->attributes[i].name, name) == 0 &&
		    strcmp(node->attributes[i].space, space) == 0)
			return node->attributes[i].value;
	return NULL;
}

const char *wf_markup_attribute(const struct wf_markup *node, const char *name)
{
	return wf_markup_attribute_in(node, "", name);
}

static struct wf_markup *find(
    struct wf_markup *node, const char *space, const char *name)
{
	for (; node != NULL; node = node->next)
		if (node->name != NULL &&
		    (name == NULL || (strcmp(node->name, name) == 0 &&
					 strcmp(node->space, space) == 0)))
			return node;
	return NULL;
}

struct wf_markup *wf_markup_child(
    const struct wf_markup *parent, const char *name)
{
	return parent == NULL ? NULL : find(parent->first, parent->space, name);
}

struct wf_markup *wf_markup_next(
    const struct wf_markup *child, const char *name)
{
	return find(child->next, child->space, name);
}

const char *wf_markup_text(struct wf_arena *arena, const struct wf_markup *node)
{
	struct wf_buffer text;
	const char *kept;

	if (node == NULL || node->first == NULL)
		return "";
	if (node->first->name == NULL && node->first->next == NULL)
		return wf_arena_strdup(arena, node->first->text);
	wf_buffer_init(&text, INT_MAX);
	for (const struct wf_markup *c = node->first; c != NULL; c = c->next)
		if (c->name == NULL)
			wf_buffer_puts(&text, c->text);
	kept = wf_arena_strdup(arena, wf_buffer_text(&text));
	wf_buffer_free(&text);
	return kept;
}

bool wf_markup_has_elements(const struct wf_markup *node)
{
	return wf_markup_child(node, NULL) != NULL;
}

const char *wf_markup_space_of(
    const struct wf_markup *node, const char *prefix, size_t length)
{
	for (; node != NULL; node = node->parent)
		for (size_t i = 0; i < node->namespace_count; i++)
			if (strncmp(node->namespaces[i].prefix, prefix,
				length) == 0 &&
			    node->namespaces[i].prefix[length] == '\0')
				return node->namespaces[i].uri;
	return NULL;
}

static bool declares(const struct wf_markup *node, const char *prefix)
{
	for (size_t i = 0; i < node->namespace_count; i++)
		if (strcmp(node->namespaces[i].prefix, prefix) == 0)
			return true;
	return false;
}

/* Declares at copy the namespaces that node inherits from its ancestors. */
static void inherit(struct wf_arena *arena, struct wf_markup *copy,
    const struct wf_markup *node)
{
	size_t capacity = copy->namespace_count;

	for (const struct wf_markup *at = node->parent; at != NULL;
	     at = at->parent)
		for (size_t i = 0; i < at->namespace_count; i++) {
			const struct wf_markup_namespace *from =
			    &at->namespaces[i];

			if (from->prefix[0] == '\0' ||
			    declares(copy, from->prefix))
				continue;
			copy->namespaces = wf_arena_grow(arena,
			    copy->namespaces, copy->namespace_count, &capacity,
			    sizeof(*copy->namespaces));
			copy->namespaces[copy->namespace_count].prefix =
			    wf_arena_strdup(arena, from->prefix);
			copy->namespaces[copy->namespace_count++].uri =
			    wf_arena_strdup(arena, from->uri);
		}
}

static struct wf_markup *copy_node(
    struct wf_arena *arena, const struct wf_markup *node)
{
	struct wf_markup *copy = wf_arena_alloc(arena, sizeof(*copy));
	struct wf_markup **link = &copy->first;

	copy->line = node->line;
	if (node->name == NULL) {
		copy->text = wf_arena_strdup(arena, node->text);
		return copy;
	}
	copy->name = wf_arena_strdup(arena, node->name);
	copy->prefix = wf_arena_strdup(arena, node->prefix);
	copy->space = wf_arena_strdup(arena, node->space);
	copy->attribute_count = node->attribute_count;
	copy->attributes = wf_arena_array(
	    arena, node->attribute_count, sizeof(*copy->attributes));
	for (size_t i = 0; i < node->attribute_count; i++) {
		const struct wf_markup_attribute *from = &node->attributes[i];
		struct wf_markup_attribute *to = &copy->attributes[i];

		to->prefix = wf_arena_strdup(arena, from->prefix);
		to->name = wf_arena_strdup(arena, from->name);
		to->space = wf_arena_strdup(arena, from->space);
		to->value = wf_arena_strdup(arena, from->value);
	}
	copy->namespace_count = node->namespace_count;
	copy->namespaces = wf_arena_array(
	    arena, node->namespace_count, sizeof(*copy->namespaces));
	for (size_t i = 0; i < node->namespace_count; i++) {
		copy->namespaces[i].prefix =
		    wf_arena_strdup(arena, node->namespaces[i].prefix);
		copy->namespaces[i].uri =
		    wf_arena_strdup(arena, node->namespaces[i].uri);
	}
	for (const struct wf_markup *c = node->first; c != NULL; c = c->next) {
		*link = copy_node(arena, c);
		(*link)->parent = copy;
		link = &(*link)->next;
	}
	return copy;
}

struct wf_markup *wf_markup_copy(
    struct wf_arena *arena, const struct wf_markup *node)
{
	struct wf_markup *copy;

	if (node == NULL)
		return NULL;
	copy = copy_node(arena, node);
	inherit(arena, copy, node);
	return copy;
}

/* The namespaces declared around the element that is written. */
struct scope {
	const struct scope *outer;
	const struct wf_markup_namespace *namespaces;
	size_t count;
	/* The namespace that was added for the name of the element itself. */
	struct wf_markup_namespace own;
	bool has_own;
};

static const char *lookup(const struct scope *scope, const char *prefix)
{
	for (; scope != NULL; scope = scope->outer) {
		if (scope->has_own && strcmp(scope->own.prefix, prefix) == 0)
			return scope->own.uri;
		for (size_t i = 0; i < scope->count; i++)
			if (strcmp(scope->namespaces[i].prefix, prefix) == 0)
				return scope->namespaces[i].uri;
	}
	return NULL;
}

static void write_name(
    struct wf_buffer *buffer, const char *prefix, const char *name)
{
	if (prefix[0] != '\0')
		wf_buffer_printf(buffer, "%s:", prefix);
	wf_buffer_puts(buffer, name);
}

static void write_declaration(
    struct wf_buffer *buffer, const struct wf_markup_namespace *declared)
{
	wf_buffer_puts(buffer, " xmlns");
	if (declared->prefix[0] != '\0')
		wf_buffer_printf(buffer, ":%s", declared->prefix);
	wf_buffer_puts(buffer, "=\"");
	wf_buffer_escape(buffer, declared->uri, strlen(declared->uri), true);
	wf_buffer_putc(buffer, '"');
}

static void write_start(
    const struct wf_markup *node, struct scope *scope, struct wf_buffer *buffer)
{
	const char *known;

	wf_buffer_putc(buffer, '<');
	write_name(buffer, node->prefix, node->name);
	for (size_t i = 0; i < node->namespace_count; i++) {
		known = lookup(scope->outer, node->namespaces[i].prefix);
		if (known == NULL ||
		    strcmp(known, node->namespaces[i].uri) != 0)
			write_declaration(buffer, &node->namespaces[i]);
	}
	known = lookup(scope, node->prefix);
	if (strcmp(known == NULL ? "" : known, node->space) != 0) {
		scope->own.prefix = node->prefix;
		scope->own.uri = node->space;
		scope->has_own = true;
		write_declaration(buffer, &scope->own);
	}
	for (size_t i = 0; i < node->attribute_count; i++) {
		const struct wf_markup_attribute *at = &node->attributes[i];

		wf_buffer_putc(buffer, ' ');
		write_name(buffer, at->prefix, at->name);
		wf_buffer_puts(buffer, "=\"");
		wf_buffer_escape(buffer, at->value, strlen(at->value), true);
		wf_buffer_putc(buffer, '"');
	}
}

static void write_node(const struct wf_markup *node, int level,
    const struct scope *outer, struct wf_buffer *buffer);

static void indent(struct wf_buffer *buffer, int level)
{
	for (int i = 0; i < level; i++)
		wf_buffer_puts(buffer, "  ");
}

static void write_children(const struct wf_markup *node, int level,
    const struct scope *scope, struct wf_buffer *buffer)
{
	bool mixed = level < 0;

	for (const struct wf_markup *c = node->first; c != NULL; c = c->next)
		mixed = mixed || c->name == NULL;
	for (const struct wf_markup *c = node->first; c != NULL; c = c->next) {
		if (!mixed)
			wf_buffer_putc(buffer, '\n');
		write_node(c, mixed ? -1 : level + 1, scope, buffer);
	}
	if (!mixed) {
		wf_buffer_putc(buffer, '\n');
		indent(buffer, level);
	}
}

/* A negative level: no white space is added, because mixed content keeps it. */
static void write_node(const struct wf_markup *node, int level,
    const struct scope *outer, struct wf_buffer *buffer)
{
	struct scope scope = { .outer = outer };

	if (node->name == NULL) {
		wf_buffer_escape(buffer, node->text, strlen(node->text), false);
		return;
	}
	scope.namespaces = node->namespaces;
	scope.count = node->namespace_count;
	indent(buffer, level);
	write_start(node, &scope, buffer);
	if (node->first == NULL) {
		wf_buffer_puts(buffer, "/>");
		return;
	}
	wf_buffer_putc(buffer, '>');
	write_children(node, level, &scope, buffer);
	wf_buffer_puts(buffer, "</");
	write_name(buffer, node->prefix, node->name);
	wf_buffer_putc(buffer, '>');
}

void wf_markup_write(const struct wf_markup *node, int level,
    const struct wf_markup_namespace *known, struct wf_buffer *buffer)
{
	struct scope scope = { .namespaces = known };

	while (known != NULL && known[scope.count].prefix != NULL)
		scope.count++;
	write_node(node, level, &scope, buffer);
}

void wf_markup_write_content(
    const struct wf_markup *node, struct wf_buffer *buffer)
{
	for (const struct wf_markup *c = node->first; c != NULL; c = c->next)
		write_node(c, -1, NULL, buffer);
}
