/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of built-in functions, searched when a query is compiled. */
#include "xquery/functions/functions.h"

#include <string.h>

#include "base/panic.h"
#include "xquery/atomic/atomic.h"

static const struct {
	const char *space;
	const char *uri;
} spaces[] = { { "fn", WF_NS_FN }, { "math", WF_NS_MATH }, { "xs", WF_NS_XS } };

static const struct wf_function *find_in(const struct wf_function *table,
    size_t count, const char *space, const char *local, unsigned arity)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(table[i].name, local) == 0 &&
		    strcmp(table[i].space, space) == 0 &&
		    table[i].minimum <= arity && arity <= table[i].maximum)
			return &table[i];
	}
	return NULL;
}

const struct wf_function *wf_function_find(
    const char *uri, const char *local, unsigned arity)
{
	const struct wf_function *found;
	const char *space = NULL;

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		if (strcmp(spaces[i].uri, uri) == 0)
			space = spaces[i].space;
	}
	if (space == NULL)
		return NULL;
	found = find_in(wf_sequence_functions, wf_sequence_function_count,
	    space, local, arity);
	if (found == NULL)
		found = find_in(wf_node_functions, wf_node_function_count,
		    space, local, arity);
	if (found == NULL)
		found = find_in(wf_atomic_functions, wf_atomic_function_count,
		    space, local, arity);
	return found;
}

/* Node types that signatures name, by kind of test. */
static const struct {
	const char *name;
	enum wf_test_kind kind;
} node_types[] = { { "node()", WF_TEST_NODE }, { "element()", WF_TEST_ELEMENT },
	{ "attribute()", WF_TEST_ATTRIBUTE },
	{ "document-node()", WF_TEST_DOCUMENT } };

static void read_type(struct wf_arena *arena, const char *text, size_t length,
    struct wf_sequence_type *type)
{
	const char *name;

	while (length > 0 && text[length - 1] == ' ')
		length--;
	if (length > 0 && strchr("?*+", text[length - 1]) != NULL)
		type->occurrence = text[--length];
	name = wf_arena_strndup(arena, text, length);
	for (size_t i = 0; i < sizeof(node_types) / sizeof(node_types[0]);
	     i++) {
		if (strcmp(name, node_types[i].name) != 0)
			continue;
		type->kind = WF_SEQUENCE_NODE;
		type->test = wf_arena_alloc(arena, sizeof(*type->test));
		type->test->kind = node_types[i].kind;
		type->test->any_uri = true;
		type->test->any_local = true;
		return;
	}
	if (strcmp(name, "item()") == 0) {
		type->kind = WF_SEQUENCE_ITEM;
	} else if (strcmp(name, "empty-sequence()") == 0) {
		type->kind = WF_SEQUENCE_EMPTY;
	} else if (strcmp(name, "numeric") == 0 ||
		   strcmp(name, "xs:numeric") == 0) {
		type->kind = WF_SEQUENCE_NUMERIC;
		type->atomic = WF_XS_DOUBLE;
	} else {
		wf_assert(strncmp(name, "xs:", 3) == 0);
		type->kind = WF_SEQUENCE_ATOMIC;
		type->atomic = wf_atomic_type_by_name(name + 3);
		wf_assert(type->atomic != WF_ATOMIC_TYPE_COUNT);
	}
}

struct wf_sequence_type *wf_function_parameters(
    struct wf_arena *arena, const struct wf_function *function, unsigned arity)
{
	struct wf_sequence_type *types =
	    wf_arena_array(arena, arity == 0 ? 1 : arity, sizeof(*types));
	const char *at = function->signature;
	const char *end = strstr(at, "->");

	wf_assert(end != NULL);
	for (unsigned i = 0; i < arity; i++) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *stop = comma == NULL ? end : comma;

		while (*at == ' ')
			at++;
		if (at >= end && i > 0) {
			types[i] = types[i - 1];
			continue;
		}
		read_type(arena, at, (size_t)(stop - at), &types[i]);
		at = comma == NULL ? end : comma + 1;
	}
	return types;
}
