/* SPDX-License-Identifier: Apache-2.0 */
/* Sequence types: matching, the function conversion rules, casts. */
#include <string.h>

#include "xquery/eval/eval.h"
#include "xquery/parse/parse.h"
#include "xquery/tree/node.h"

static bool name_matches(const struct wf_node_test *test, const xmlNode *node)
{
	struct wf_qname name;

	if (test->any_uri && test->any_local)
		return true;
	name = wf_node_name(node);
	return (test->any_local || strcmp(name.local, test->name.local) == 0) &&
	       (test->any_uri || strcmp(name.uri, test->name.uri) == 0);
}

static bool document_matches(
    const struct wf_node_test *test, const xmlNode *node)
{
	const xmlNode *element = NULL;

	if (node->type != XML_DOCUMENT_NODE)
		return false;
	if (test->inner == NULL)
		return true;
	for (const xmlNode *child = node->children; child != NULL;
	     child = child->next) {
		if (child->type == XML_TEXT_NODE ||
		    (child->type == XML_ELEMENT_NODE && element != NULL))
			return false;
		if (child->type == XML_ELEMENT_NODE)
			element = child;
	}
	return element != NULL && wf_test_matches(test->inner, element);
}

static bool type_matches(const struct wf_node_test *test, const xmlNode *node)
{
	if (!test->has_type || test->type == WF_TEST_TYPE_ANY)
		return true;
	return test->type == WF_TEST_TYPE_UNTYPED && node->extra == 0;
}

bool wf_test_matches(const struct wf_node_test *test, const xmlNode *node)
{
	switch (test->kind) {
	case WF_TEST_NODE:
		return true;
	case WF_TEST_TEXT:
		return node->type == XML_TEXT_NODE;
	case WF_TEST_COMMENT:
		return node->type == XML_COMMENT_NODE;
	case WF_TEST_INSTRUCTION:
		return node->type == XML_PI_NODE &&
		       (test->any_local || strcmp((const char *)node->name,
					       test->name.local) == 0);
	case WF_TEST_NAME:
		return name_matches(test, node);
	case WF_TEST_ELEMENT:
		return node->type == XML_ELEMENT_NODE &&
		       name_matches(test, node) && type_matches(test, node);
	case WF_TEST_ATTRIBUTE:
		return node->type == XML_ATTRIBUTE_NODE &&
		       name_matches(test, node) && type_matches(test, node);
	case WF_TEST_DOCUMENT:
		return document_matches(test, node);
	case WF_TEST_NAMESPACE:
		return node->type == XML_NAMESPACE_DECL;
	default:
		return false;
	}
}

static bool item_matches(
    const struct wf_sequence_type *type, const struct wf_item *item)
{
	switch (type->kind) {
	case WF_SEQUENCE_ITEM:
		return true;
	case WF_SEQUENCE_NODE:
		return item->is_node &&
		       wf_test_matches(type->test, item->as.node);
	case WF_SEQUENCE_ATOMIC:
		return !item->is_node &&
		       wf_atomic_derives(item->as.atomic.type, type->atomic);
	case WF_SEQUENCE_NUMERIC:
		return !item->is_node &&
		       wf_atomic_is_numeric(item->as.atomic.type);
	default:
		return false;
	}
}

static bool count_matches(const struct wf_sequence_type *type, size_t count)
{
	if (type->kind == WF_SEQUENCE_EMPTY)
		return count == 0;
	switch (type->occurrence) {
	case '?':
		return count <= 1;
	case '*':
		return true;
	case '+':
		return count >= 1;
	default:
		return count == 1;
	}
}

static bool one_matches(
    const struct wf_sequence_type *type, const struct wf_sequence *sequence)
{
	if (!count_matches(type, sequence->count))
		return false;
	for (size_t i = 0; i < sequence->count; i++) {
		if (!item_matches(type, &sequence->items[i]))
			return false;
	}
	return true;
}

bool wf_type_matches(struct wf_dynamic *dynamic,
    const struct wf_sequence_type *type, const struct wf_sequence *sequence)
{
	wf_charge(dynamic, sequence->count / 8);
	while (!one_matches(type, sequence)) {
		type = type->or_else;
		if (type == NULL)
			return false;
		wf_charge(dynamic, 1 + sequence->count / 8);
	}
	return true;
}

enum wf_rc wf_type_check(struct wf_dynamic *dynamic,
    const struct wf_sequence_type *type, const struct wf_sequence *items,
    const char *what)
{
	if (type == NULL || wf_type_matches(dynamic, type, items))
		return WF_OK;
	return wf_fail_code(dynamic->err, WF_DATA, "XPTY0004",
	    "%s does not have the type that is required", what);
}

/* To the expected atomic type, by casting untyped values and promotion. */
static enum wf_rc convert_atomic(struct wf_dynamic *dynamic,
    const struct wf_sequence_type *type, struct wf_atomic *atomic)
{
	enum wf_atomic_type wanted = type->atomic;
	enum wf_atomic_type own = atomic->type;
	enum wf_atomic_type primitive = wf_atomic_primitive(own);
	bool promote = false;

	if (own == WF_XS_UNTYPED) {
		if (wanted == WF_XS_ANY_ATOMIC)
			return WF_OK;
		if (wanted == WF_XS_QNAME || wanted == WF_XS_NOTATION)
			return wf_fail_code(dynamic->err, WF_DATA, "XPTY0117",
			    "untyped text is not taken for a QName");
		promote = true;
	} else if (type->kind == WF_SEQUENCE_NUMERIC) {
		return WF_OK;
	} else if (wanted == WF_XS_DOUBLE) {
		promote = own != WF_XS_DOUBLE && wf_atomic_is_numeric(own);
	} else if (wanted == WF_XS_FLOAT) {
		promote = primitive == WF_XS_DECIMAL;
	} else if (wanted == WF_XS_STRING) {
		promote = primitive == WF_XS_ANY_URI;
	}
	if (!promote)
		return WF_OK;
	return wf_convert(dynamic, atomic, wanted);
}

enum wf_rc wf_type_convert(struct wf_dynamic *dynamic,
    const struct wf_sequence_type *type, struct wf_sequence *items,
    const char *what)
{
	if (type == NULL)
		return WF_OK;
	if (type->kind == WF_SEQUENCE_ATOMIC ||
	    type->kind == WF_SEQUENCE_NUMERIC) {
		for (size_t i = 0; i < items->count; i++) {
			struct wf_item *item = &items->items[i];

			if (item->is_node) {
				item->as.atomic = wf_atomize(dynamic, item);
				item->is_node = false;
			}
			WF_TRY(convert_atomic(dynamic, type, &item->as.atomic));
		}
	}
	return wf_type_check(dynamic, type, items, what);
}

/* "Q{uri}local"; false when text is not of that form. */
static bool expanded_name(
    const char *text, size_t length, char *name, struct wf_qname *name_out)
{
	const char *close = memchr(text, '}', length);
	size_t used = 0;

	if (length < 4 || text[0] != 'Q' || text[1] != '{' || close == NULL ||
	    memchr(text + 2, '{', (size_t)(close - text - 2)) != NULL ||
	    wf_ncname_length(close + 1) !=
		length - (size_t)(close + 1 - text) ||
	    close + 1 == text + length)
		return false;
	for (const char *at = text + 2; at < close; at++) {
		if (strchr(" \t\r\n", *at) == NULL)
			name[used++] = *at;
		else if (used > 0 && name[used - 1] != ' ')
			name[used++] = ' ';
	}
	if (used > 0 && name[used - 1] == ' ')
		used--;
	name[used] = '\0';
	name_out->prefix = "";
	name_out->uri = name;
	name_out->local = close + 1;
	return true;
}

bool wf_parse_expanded_name(struct wf_dynamic *dynamic, struct wf_string text,
    struct wf_qname *name_out)
{
	const char *start =
	    wf_arena_strndup(dynamic->arena, text.text, text.length);
	size_t length;

	start += strspn(start, " \t\r\n");
	length = strlen(start);
	while (length > 0 && strchr(" \t\r\n", start[length - 1]) != NULL)
		length--;
	start = wf_arena_strndup(dynamic->arena, start, length);
	return expanded_name(start, length,
	    wf_arena_alloc(dynamic->arena, length + 1), name_out);
}

enum wf_rc wf_parse_qname(struct wf_dynamic *dynamic,
    const struct wf_namespaces *namespaces, struct wf_string text,
    const char *default_uri, struct wf_qname *name_out)
{
	const char *start =
	    wf_arena_strndup(dynamic->arena, text.text, text.length);
	char *name;
	size_t first;
	size_t second;
	size_t length = strlen(start);

	while (length > 0 && strchr(" \t\r\n", start[length - 1]) != NULL)
		length--;
	start += strspn(start, " \t\r\n");
	length = length > 0 ? strcspn(start, " \t\r\n") : 0;
	name = wf_arena_strndup(dynamic->arena, start, length);
	first = wf_ncname_length(name);
	second = name[first] == ':' ? wf_ncname_length(name + first + 1) : 0;
	if (first == 0 || start[length + strspn(start + length, " \t\r\n")] ||
	    (name[first] == ':' ? first + 1 + second : first) != length ||
	    (name[first] == ':' && second == 0))
		return wf_fail_code(dynamic->err, WF_DATA, "FORG0001",
		    "\"%.*s\" is not a QName", (int)(length < 40 ? length : 40),
		    name);
	name_out->prefix = "";
	name_out->local = name;
	name_out->uri = default_uri;
	if (second == 0)
		return WF_OK;
	name[first] = '\0';
	name_out->prefix = name;
	name_out->local = name + first + 1;
	name_out->uri = wf_namespaces_find(namespaces, name);
	if (name_out->uri == NULL)
		return wf_fail_code(dynamic->err, WF_DATA, "FONS0004",
		    "the prefix %s is not declared", name);
	return WF_OK;
}

enum wf_rc wf_cast(struct wf_dynamic *dynamic, const struct wf_atomic *atomic,
    enum wf_atomic_type type, const struct wf_namespaces *namespaces,
    struct wf_atomic *result_out)
{
	enum wf_atomic_type own = wf_atomic_primitive(atomic->type);
	const char *uri;

	if (type != WF_XS_QNAME ||
	    (own != WF_XS_STRING && own != WF_XS_UNTYPED))
		return wf_atomic_cast(dynamic, atomic, type, result_out);
	uri = wf_namespaces_find(namespaces, "");
	result_out->type = WF_XS_QNAME;
	return wf_parse_qname(dynamic, namespaces, atomic->as.string,
	    uri == NULL ? "" : uri, &result_out->as.qname);
}
