/* SPDX-License-Identifier: Apache-2.0 */
/* The type by which the values of a variable are compared, from its schema. */
#include <string.h>

#include "base/limits.h"
#include "base/map.h"
#include "data/outline/outline.h"
#include "runtime/terms/terms.h"
#include "spec/markup.h"

#define SCHEMA_BYTES ((size_t)2 * WF_SPEC_BYTES)

static enum wf_term_type type_of(const char *base)
{
	static const char *const numbers[] = { "decimal", "integer",
		"nonPositiveInteger", "negativeInteger", "long", "int", "short",
		"byte", "nonNegativeInteger", "unsignedLong", "unsignedInt",
		"unsignedShort", "unsignedByte", "positiveInteger", "float",
		"double" };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (strcmp(numbers[i], base) == 0)
			return WF_TERM_NUMBER;
	if (strcmp(base, "date") == 0 || strcmp(base, "dateTime") == 0)
		return WF_TERM_DATE;
	return strcmp(base, "boolean") == 0 ? WF_TERM_BOOLEAN : WF_TERM_TEXT;
}

/* A child of that name, also one in a choice; NULL: there is none. */
static const struct wf_field *child_of(
    const struct wf_field *field, const char *name, size_t length)
{
	const struct wf_field *from = field->like != NULL ? field->like : field;

	for (size_t i = 0; i < from->count; i++) {
		const struct wf_field *child = from->children[i];

		if (child->name[0] == '\0')
			child = child_of(child, name, length);
		if (child != NULL && strncmp(child->name, name, length) == 0 &&
		    child->name[length] == '\0')
			return child;
	}
	return NULL;
}

static struct wf_outline *outline_of(
    const struct wf_spec *spec, struct wf_arena *arena)
{
	struct wf_outline *outline;
	struct wf_buffer schema;

	wf_buffer_init(&schema, SCHEMA_BYTES);
	if (spec->schema != NULL)
		wf_markup_write(spec->schema, 0, NULL, &schema);
	outline = wf_outline_new(
	    spec->schema == NULL ? NULL : wf_buffer_text(&schema),
	    schema.length, arena);
	wf_buffer_free(&schema);
	return outline;
}

static enum wf_rc read_type(const char *path, const struct wf_field *field,
    enum wf_term_type *type_out, struct wf_error *err)
{
	const char *at = path + strlen(field->name);

	while (*at == '/') {
		size_t length = strcspn(++at, "/");

		field = child_of(field, at, length);
		if (field == NULL)
			return wf_fail(err, WF_INVALID,
			    "variable: %.100s has no element %.*s", path,
			    (int)length, at);
		if (field->maximum > 1)
			return wf_fail(err, WF_INVALID,
			    "variable: the element %.*s can occur several "
			    "times; expected one with a single value",
			    (int)length, at);
		at += length;
	}
	if (field->kind != WF_FIELD_SIMPLE || field->facets.is_list)
		return wf_fail(err, WF_INVALID,
		    "variable: %.100s is not of a simple type; expected one "
		    "that is, or the path of an element such as "
		    "order/customer",
		    path);
	*type_out = type_of(field->facets.base);
	return WF_OK;
}

enum wf_rc wf_terms_type(const struct wf_spec *spec, const char *path,
    enum wf_term_type *type_out, struct wf_error *err)
{
	const struct wf_net *net = spec->root;
	size_t length = strcspn(path, "/");
	uintptr_t number =
	    (uintptr_t)wf_map_get_n(net->variable_numbers, path, length);
	const struct wf_variable *declared;
	struct wf_outline *outline;
	struct wf_arena *arena;
	enum wf_rc rc;

	if (number == 0)
		return wf_fail(err, WF_INVALID,
		    "variable: the net %.100s has no variable %.*s",
		    net->decomposition->id, (int)length, path);
	declared = net->variables[number - 1].declared;
	arena = wf_arena_new();
	outline = outline_of(spec, arena);
	rc = read_type(path,
	    wf_outline_add(
		outline, declared->name, declared->type, declared->by_element),
	    type_out, err);
	wf_outline_free(&outline);
	wf_arena_free(&arena);
	return rc;
}
