/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all passes of the reader use: ownership of what is not in the arena,
 * texts of elements and attributes, labels for diagnostics, single queries.
 */
#include "spec/reader.h"

#include <string.h>

/* --- Ownership by the file --- */

static struct wf_query *own_query(
    struct wf_spec_reader *reader, struct wf_query *query)
{
	struct wf_spec_owned *owned = reader->file->owned;

	owned->queries =
	    wf_arena_grow(reader->arena, owned->queries, owned->query_count,
		&owned->query_capacity, sizeof(struct wf_query *));
	owned->queries[owned->query_count++] = query;
	return query;
}

struct wf_value *wf_spec_own_value(
    struct wf_spec_reader *reader, struct wf_value *value)
{
	struct wf_spec_owned *owned = reader->file->owned;

	owned->values =
	    wf_arena_grow(reader->arena, owned->values, owned->value_count,
		&owned->value_capacity, sizeof(struct wf_value *));
	wf_value_make_permanent(value);
	owned->values[owned->value_count++] = value;
	return value;
}

struct wf_map *wf_spec_own_map(
    struct wf_spec_reader *reader, struct wf_map *map)
{
	struct wf_spec_owned *owned = reader->file->owned;

	owned->maps = wf_arena_grow(reader->arena, owned->maps,
	    owned->map_count, &owned->map_capacity, sizeof(struct wf_map *));
	owned->maps[owned->map_count++] = map;
	return map;
}

/* --- Texts --- */

const char *wf_spec_child_text(struct wf_spec_reader *reader,
    const struct wf_markup *parent, const char *name)
{
	const struct wf_markup *child = wf_markup_child(parent, name);

	return child == NULL ? NULL : wf_markup_text(reader->arena, child);
}

const char *wf_spec_token(struct wf_spec_reader *reader, const char *text)
{
	size_t length;

	if (text == NULL)
		return NULL;
	text += strspn(text, " \t\r\n");
	length = strlen(text);
	while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
		length--;
	return wf_arena_strndup(reader->arena, text, length);
}

const char *wf_spec_child_token(struct wf_spec_reader *reader,
    const struct wf_markup *parent, const char *name)
{
	const struct wf_markup *child = wf_markup_child(parent, name);

	return child == NULL ? NULL
			     : wf_spec_token(reader,
				   wf_markup_text(reader->scratch, child));
}

const char *wf_spec_attribute(struct wf_spec_reader *reader,
    const struct wf_markup *node, const char *name)
{
	const char *value = wf_markup_attribute(node, name);

	return value == NULL ? NULL : wf_arena_strdup(reader->arena, value);
}

static bool is_excepted(const char *const *except, const char *name)
{
	for (; *except != NULL; except++)
		if (strcmp(*except, name) == 0)
			return true;
	return false;
}

/* Keeps the namespace of the prefix of an attribute that is kept. */
static void keep_prefix(
    struct wf_spec_reader *reader, const struct wf_markup_attribute *attribute)
{
	struct wf_spec_file *file = reader->file;

	if (strcmp(attribute->prefix, "xml") == 0)
		return;
	for (size_t i = 0; i < file->namespace_count; i++)
		if (strcmp(file->namespaces[i].prefix, attribute->prefix) == 0)
			return;
	file->namespaces = wf_arena_grow(reader->arena, file->namespaces,
	    file->namespace_count, &file->namespace_capacity,
	    sizeof(*file->namespaces));
	file->namespaces[file->namespace_count].prefix =
	    wf_arena_strdup(reader->arena, attribute->prefix);
	file->namespaces[file->namespace_count++].uri =
	    wf_arena_strdup(reader->arena, attribute->space);
}

struct wf_attribute *wf_spec_attributes(struct wf_spec_reader *reader,
    const struct wf_markup *node, const char *const *except, size_t *count_out)
{
	struct wf_attribute *attributes = wf_arena_array(
	    reader->arena, node->attribute_count, sizeof(*attributes));
	size_t count = 0;

	for (size_t i = 0; i < node->attribute_count; i++) {
		const struct wf_markup_attribute *from = &node->attributes[i];

		if (strcmp(from->space, WF_XSI) == 0 ||
		    (from->prefix[0] == '\0' &&
			is_excepted(except, from->name)))
			continue;
		if (from->prefix[0] != '\0')
			keep_prefix(reader, from);
		attributes[count].name =
		    from->prefix[0] == '\0'
			? wf_arena_strdup(reader->arena, from->name)
			: wf_arena_printf(
			      reader->arena, "%s:%s", from->prefix, from->name);
		attributes[count++].value =
		    wf_arena_strdup(reader->arena, from->value);
	}
	*count_out = count;
	return attributes;
}

/* --- Labels --- */

const char *wf_spec_label_decomposition(
    struct wf_spec_reader *reader, const struct wf_decomposition *decomposition)
{
	return wf_arena_printf(reader->scratch, "%s %s",
	    decomposition->kind == WF_NET ? "net" : "decomposition",
	    decomposition->id);
}

const char *wf_spec_label_net(
    struct wf_spec_reader *reader, const struct wf_net *net)
{
	return wf_spec_label_decomposition(reader, net->decomposition);
}

const char *wf_spec_label_task(
    struct wf_spec_reader *reader, const struct wf_task *task)
{
	return wf_arena_printf(reader->scratch, "task %s", task->id);
}

const char *wf_spec_label_flow(
    struct wf_spec_reader *reader, const char *from, const char *to)
{
	return wf_arena_printf(reader->scratch, "flow %s -> %s", from, to);
}

/* --- Queries --- */

/* A description of a failure, in the arena of the file. */
static const char *describe(
    struct wf_spec_reader *reader, const struct wf_error *err)
{
	return wf_arena_printf(reader->arena, "%s%s%sline %d, column %d: %s",
	    err->code[0] == '\0' ? "" : "err:", err->code,
	    err->code[0] == '\0' ? "" : " at ", err->place.line,
	    err->place.column, err->message);
}

struct wf_query *wf_spec_compile(
    struct wf_spec_reader *reader, const char *text, const char **failure_out)
{
	return wf_spec_compile_with(reader, text, NULL, 0, failure_out);
}

struct wf_query *wf_spec_compile_with(struct wf_spec_reader *reader,
    const char *text, const char *const *variables, size_t variable_count,
    const char **failure_out)
{
	struct wf_query *query = NULL;
	struct wf_error err = { 0 };

	if (strncmp(text, "#external:", strlen("#external:")) == 0) {
		*failure_out =
		    "values from external data gateways (#external:) "
		    "are not supported";
		return NULL;
	}
	if (wf_query_compile(&query, text, variables, variable_count, &err) !=
	    WF_OK) {
		*failure_out = describe(reader, &err);
		return NULL;
	}
	return own_query(reader, query);
}
