/* SPDX-License-Identifier: Apache-2.0 */
/* Sequence types, single types and kind tests. */
#include "xquery/parse/parse.h"

#include <string.h>

#include "xquery/atomic/atomic.h"

struct wf_qname wf_expect_variable(struct wf_parser *parser)
{
	wf_expect(parser, "$");
	return wf_expect_qname(parser);
}

static struct wf_node_test *new_test(
    struct wf_parser *parser, enum wf_test_kind kind)
{
	struct wf_node_test *test =
	    wf_arena_alloc(parser->arena, sizeof(struct wf_node_test));

	test->kind = kind;
	test->any_uri = true;
	test->any_local = true;
	test->offset = (uint32_t)(parser->at - parser->text);
	return test;
}

/* element(N, T?) and attribute(N, T) after the parenthesis. */
static struct wf_node_test *parse_named_test(
    struct wf_parser *parser, enum wf_test_kind kind)
{
	struct wf_node_test *test = new_test(parser, kind);

	if (wf_accept(parser, ")"))
		return test;
	if (!wf_accept(parser, "*")) {
		test->any_uri = false;
		test->any_local = false;
		test->name = wf_expect_qname(parser);
	}
	if (wf_accept(parser, ",")) {
		test->has_type = true;
		test->type_name = wf_expect_qname(parser);
		if (kind == WF_TEST_ELEMENT)
			(void)wf_accept(parser, "?");
	}
	wf_expect(parser, ")");
	return test;
}

/* processing-instruction(N) after the parenthesis. */
static struct wf_node_test *parse_instruction_test(struct wf_parser *parser)
{
	struct wf_node_test *test = new_test(parser, WF_TEST_INSTRUCTION);
	struct wf_string target;
	const char *start;

	if (wf_accept(parser, ")"))
		return test;
	test->any_local = false;
	test->name.prefix = "";
	test->name.uri = "";
	start = parser->at;
	if (wf_peek_string(parser)) {
		target = wf_expect_string(parser);
		target.text += strspn(target.text, " \n\t");
		target.length = wf_ncname_length(target.text);
		if (target.length == 0 ||
		    target.text[target.length +
				strspn(target.text + target.length, " \n\t")] !=
			'\0')
			wf_parse_fail(parser, "XPTY0004", start,
			    "a processing instruction has no such name");
		test->name.local =
		    wf_arena_strndup(parser->arena, target.text, target.length);
	} else {
		test->name.local = wf_expect_ncname(parser);
	}
	wf_expect(parser, ")");
	return test;
}

static struct wf_node_test *parse_document_test(struct wf_parser *parser)
{
	struct wf_node_test *test = new_test(parser, WF_TEST_DOCUMENT);

	if (wf_accept(parser, ")"))
		return test;
	test->inner = wf_parse_kind_test(parser);
	if (test->inner == NULL || (test->inner->kind != WF_TEST_ELEMENT &&
				       test->inner->kind != WF_TEST_SCHEMA))
		wf_parse_unexpected(parser);
	wf_expect(parser, ")");
	return test;
}

static struct wf_node_test *parse_schema_test(struct wf_parser *parser)
{
	struct wf_node_test *test = new_test(parser, WF_TEST_SCHEMA);

	test->any_uri = false;
	test->name = wf_expect_qname(parser);
	wf_expect(parser, ")");
	return test;
}

static bool accept_test(struct wf_parser *parser, const char *name)
{
	if (!wf_peek_word_then(parser, name, "("))
		return false;
	wf_expect_word(parser, name);
	wf_expect(parser, "(");
	return true;
}

struct wf_node_test *wf_parse_kind_test(struct wf_parser *parser)
{
	static const struct {
		const char *name;
		enum wf_test_kind kind;
	} simple[] = { { "node", WF_TEST_NODE }, { "text", WF_TEST_TEXT },
		{ "comment", WF_TEST_COMMENT },
		{ "namespace-node", WF_TEST_NAMESPACE } };

	for (size_t i = 0; i < sizeof(simple) / sizeof(simple[0]); i++) {
		if (accept_test(parser, simple[i].name)) {
			wf_expect(parser, ")");
			return new_test(parser, simple[i].kind);
		}
	}
	if (accept_test(parser, "element"))
		return parse_named_test(parser, WF_TEST_ELEMENT);
	if (accept_test(parser, "attribute"))
		return parse_named_test(parser, WF_TEST_ATTRIBUTE);
	if (accept_test(parser, "processing-instruction"))
		return parse_instruction_test(parser);
	if (accept_test(parser, "document-node"))
		return parse_document_test(parser);
	if (accept_test(parser, "schema-element") ||
	    accept_test(parser, "schema-attribute"))
		return parse_schema_test(parser);
	return NULL;
}

static void parse_occurrence(
    struct wf_parser *parser, struct wf_sequence_type *type)
{
	wf_skip(parser);
	if (*parser->at == '?' || *parser->at == '*' || *parser->at == '+')
		type->occurrence = *parser->at++;
}

static struct wf_sequence_type *new_type(
    struct wf_parser *parser, enum wf_sequence_kind kind)
{
	struct wf_sequence_type *type =
	    wf_arena_alloc(parser->arena, sizeof(struct wf_sequence_type));

	wf_skip(parser);
	type->kind = kind;
	type->offset = (uint32_t)(parser->at - parser->text);
	return type;
}

struct wf_sequence_type *wf_parse_sequence_type(struct wf_parser *parser)
{
	struct wf_sequence_type *type = new_type(parser, WF_SEQUENCE_ATOMIC);

	wf_parse_enter(parser);
	if (accept_test(parser, "empty-sequence")) {
		wf_expect(parser, ")");
		type->kind = WF_SEQUENCE_EMPTY;
		wf_parse_leave(parser);
		return type;
	}
	if (accept_test(parser, "item")) {
		wf_expect(parser, ")");
		type->kind = WF_SEQUENCE_ITEM;
	} else {
		type->test = wf_parse_kind_test(parser);
		if (type->test != NULL)
			type->kind = WF_SEQUENCE_NODE;
		else
			type->name = wf_expect_qname(parser);
	}
	parse_occurrence(parser, type);
	wf_parse_leave(parser);
	return type;
}

struct wf_sequence_type *wf_parse_single_type(struct wf_parser *parser)
{
	struct wf_sequence_type *type = new_type(parser, WF_SEQUENCE_ATOMIC);

	type->name = wf_expect_qname(parser);
	if (wf_accept(parser, "?"))
		type->occurrence = '?';
	return type;
}
