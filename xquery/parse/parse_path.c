/* SPDX-License-Identifier: Apache-2.0 */
/* Paths, steps, predicates and primary expressions. */
#include "xquery/parse/parse.h"

#include <string.h>

#include "xquery/atomic/atomic.h"

static const struct {
	const char *name;
	enum wf_axis axis;
} axes[] = {
	{ "child", WF_AXIS_CHILD },
	{ "descendant", WF_AXIS_DESCENDANT },
	{ "attribute", WF_AXIS_ATTRIBUTE },
	{ "self", WF_AXIS_SELF },
	{ "descendant-or-self", WF_AXIS_DESCENDANT_OR_SELF },
	{ "following-sibling", WF_AXIS_FOLLOWING_SIBLING },
	{ "following", WF_AXIS_FOLLOWING },
	{ "parent", WF_AXIS_PARENT },
	{ "ancestor", WF_AXIS_ANCESTOR },
	{ "preceding-sibling", WF_AXIS_PRECEDING_SIBLING },
	{ "preceding", WF_AXIS_PRECEDING },
	{ "ancestor-or-self", WF_AXIS_ANCESTOR_OR_SELF },
};

static struct wf_node_test *new_test(
    struct wf_parser *parser, enum wf_test_kind kind)
{
	struct wf_node_test *test =
	    wf_arena_alloc(parser->arena, sizeof(struct wf_node_test));

	test->kind = kind;
	test->offset = (uint32_t)(parser->at - parser->text);
	return test;
}

/* NameTest: QName, "*", "p:*", "*:n". */
static struct wf_node_test *parse_name_test(struct wf_parser *parser)
{
	struct wf_node_test *test;
	size_t length;

	wf_skip(parser);
	test = new_test(parser, WF_TEST_NAME);
	if (*parser->at == '*') {
		parser->at++;
		test->any_uri = true;
		test->any_local = true;
		if (*parser->at == ':' &&
		    wf_ncname_length(parser->at + 1) > 0) {
			parser->at++;
			test->any_local = false;
			test->name.local = wf_expect_ncname(parser);
			test->name.prefix = "";
		}
		return test;
	}
	length = wf_ncname_length(parser->at);
	if (length > 0 && parser->at[length] == ':' &&
	    parser->at[length + 1] == '*') {
		test->any_local = true;
		test->name.prefix =
		    wf_arena_strndup(parser->arena, parser->at, length);
		parser->at += length + 2;
		return test;
	}
	if (!wf_accept_any_local(parser, test))
		test->name = wf_expect_qname(parser);
	return test;
}

static void parse_predicates(struct wf_parser *parser, struct wf_expr *expr)
{
	while (wf_accept(parser, "[")) {
		wf_expr_add(parser, expr, wf_parse_expr(parser));
		wf_expect(parser, "]");
	}
}

static struct wf_expr *new_step(
    struct wf_parser *parser, enum wf_axis axis, struct wf_node_test *test)
{
	struct wf_expr *step = wf_expr_new(parser, WF_EXPR_STEP, parser->at);

	step->op = axis;
	step->u.test = test;
	return step;
}

/* "axis::test"; false: no axis is named here. */
static bool accept_axis(struct wf_parser *parser, enum wf_axis *axis_out)
{
	const char *start;

	wf_skip(parser);
	start = parser->at;
	for (size_t i = 0; i < sizeof(axes) / sizeof(axes[0]); i++) {
		if (wf_peek_word_then(parser, axes[i].name, "::")) {
			(void)wf_accept_word(parser, axes[i].name);
			wf_expect(parser, "::");
			*axis_out = axes[i].axis;
			return true;
		}
	}
	if (wf_peek_word_then(parser, "namespace", "::"))
		wf_parse_fail(
		    parser, "XPST0003", start, "XQuery has no namespace axis");
	return false;
}

static struct wf_expr *parse_axis_step(struct wf_parser *parser)
{
	enum wf_axis axis = WF_AXIS_CHILD;
	struct wf_node_test *test;
	const char *start;
	struct wf_expr *step;
	bool named;

	wf_skip(parser);
	start = parser->at;
	if (wf_accept(parser, "..")) {
		step = new_step(
		    parser, WF_AXIS_PARENT, new_test(parser, WF_TEST_NODE));
	} else {
		named = true;
		if (wf_accept(parser, "@"))
			axis = WF_AXIS_ATTRIBUTE;
		else
			named = accept_axis(parser, &axis);
		test = wf_parse_kind_test(parser);
		if (test == NULL)
			test = parse_name_test(parser);
		else if (!named && test->kind == WF_TEST_ATTRIBUTE)
			axis = WF_AXIS_ATTRIBUTE;
		else if (!named && test->kind == WF_TEST_NAMESPACE)
			wf_parse_fail(parser, "XQST0134", start,
			    "there is no namespace axis");
		step = new_step(parser, axis, test);
	}
	step->offset = (uint32_t)(start - parser->text);
	parse_predicates(parser, step);
	return step;
}

static struct wf_expr *parse_literal(struct wf_parser *parser)
{
	struct wf_expr *expr;
	struct wf_atomic number;
	const char *start;

	wf_skip(parser);
	start = parser->at;
	if (wf_peek_string(parser)) {
		struct wf_string string = wf_expect_string(parser);

		expr = wf_expr_new(parser, WF_EXPR_LITERAL, start);
		expr->u.literal =
		    wf_atomic_string(WF_XS_STRING, string.text, string.length);
		return expr;
	}
	if (!wf_accept_number(parser, &number))
		return NULL;
	expr = wf_expr_new(parser, WF_EXPR_LITERAL, start);
	expr->u.literal = number;
	return expr;
}

static struct wf_expr *parse_parenthesized(struct wf_parser *parser)
{
	struct wf_expr *expr;

	wf_skip(parser);
	wf_parse_enter(parser);
	expr = wf_expr_new(parser, WF_EXPR_SEQUENCE, parser->at);
	wf_expect(parser, "(");
	if (!wf_peek(parser, ")"))
		wf_expr_add(parser, expr, wf_parse_expr(parser));
	wf_expect(parser, ")");
	wf_parse_leave(parser);
	return expr->count == 1 ? expr->kids[0] : expr;
}

void wf_check_function_name(
    struct wf_parser *parser, const struct wf_qname *name, const char *at)
{
	static const char *const reserved[] = { "array", "attribute", "comment",
		"document-node", "element", "empty-sequence", "function", "if",
		"item", "map", "namespace-node", "node",
		"processing-instruction", "schema-attribute", "schema-element",
		"switch", "text", "typeswitch" };

	if (name->prefix[0] != '\0' || name->uri != NULL)
		return;
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
		if (strcmp(name->local, reserved[i]) == 0)
			wf_parse_fail(parser, "XPST0003", at,
			    "%s cannot be the name of a function", name->local);
	}
}

static void parse_arguments(struct wf_parser *parser, struct wf_expr *call)
{
	wf_expect(parser, "(");
	if (wf_accept(parser, ")"))
		return;
	do {
		if (wf_peek(parser, "?") || wf_peek(parser, ")"))
			wf_parse_unexpected(parser);
		wf_expr_add(parser, call, wf_parse_single(parser));
	} while (wf_accept(parser, ","));
	wf_expect(parser, ")");
}

struct wf_expr *wf_parse_call(struct wf_parser *parser, struct wf_expr *first)
{
	struct wf_expr *expr = wf_expr_new(parser, WF_EXPR_CALL, parser->at);
	struct wf_call *call =
	    wf_arena_alloc(parser->arena, sizeof(struct wf_call));
	const char *start = parser->at;

	call->name = wf_expect_qname(parser);
	call->default_namespace =
	    call->name.prefix[0] == '\0' && call->name.uri == NULL;
	expr->u.call = call;
	wf_check_function_name(parser, &call->name, start);
	if (first != NULL)
		wf_expr_add(parser, expr, first);
	parse_arguments(parser, expr);
	return expr;
}

static struct wf_expr *parse_variable(struct wf_parser *parser)
{
	struct wf_expr *expr =
	    wf_expr_new(parser, WF_EXPR_VARIABLE, parser->at);

	expr->u.variable.name = wf_expect_variable(parser);
	return expr;
}

static struct wf_expr *parse_ordered(struct wf_parser *parser)
{
	if (!wf_accept_word(parser, "ordered"))
		wf_expect_word(parser, "unordered");
	return wf_parse_enclosed(parser);
}

/* Whether a QName and "(" come next; does not advance. */
static bool peek_call(struct wf_parser *parser)
{
	const char *start = parser->at;
	bool found = false;

	if (wf_peek_qname(parser)) {
		(void)wf_expect_qname(parser);
		found = wf_peek(parser, "(");
	}
	parser->at = start;
	return found;
}

/* PrimaryExpr; NULL when an axis step must come here. */
static struct wf_expr *parse_primary(struct wf_parser *parser)
{
	struct wf_node_test *test;
	struct wf_expr *expr = parse_literal(parser);
	const char *start = parser->at;

	if (expr != NULL)
		return expr;
	switch (*parser->at) {
	case '$':
		return parse_variable(parser);
	case '(':
		if (parser->at[1] == '#')
			return NULL;
		return parse_parenthesized(parser);
	case '<':
		return wf_parse_direct(parser);
	case '.':
		if (parser->at[1] == '.')
			return NULL;
		expr = wf_expr_new(parser, WF_EXPR_CONTEXT, parser->at);
		parser->at++;
		return expr;
	default:
		break;
	}
	if (wf_peek_word_then(parser, "ordered", "{") ||
	    wf_peek_word_then(parser, "unordered", "{"))
		return parse_ordered(parser);
	expr = wf_parse_computed(parser);
	if (expr != NULL)
		return expr;
	if (!peek_call(parser))
		return NULL;
	test = wf_parse_kind_test(parser);
	parser->at = start;
	return test == NULL ? wf_parse_call(parser, NULL) : NULL;
}

static struct wf_expr *parse_step(struct wf_parser *parser)
{
	struct wf_expr *primary;
	struct wf_expr *filter;

	wf_skip(parser);
	primary = parse_primary(parser);
	if (primary == NULL)
		return parse_axis_step(parser);
	if (!wf_peek(parser, "["))
		return primary;
	filter = wf_expr_new(parser, WF_EXPR_FILTER, parser->at);
	wf_expr_add(parser, filter, primary);
	parse_predicates(parser, filter);
	return filter;
}

/* Whether a step can begin here (for a lone "/"). */
static bool peek_step(struct wf_parser *parser)
{
	wf_skip(parser);
	return (*parser->at != '\0' &&
		   strchr("@.*$('\"<", *parser->at) != NULL) ||
	       (*parser->at >= '0' && *parser->at <= '9') ||
	       wf_peek_qname(parser);
}

/* Whether something in expr may depend on the position. */
static bool asks_position(const struct wf_expr *expr)
{
	if (expr->kind == WF_EXPR_CALL &&
	    (strcmp(expr->u.call->name.local, "position") == 0 ||
		strcmp(expr->u.call->name.local, "last") == 0))
		return true;
	for (unsigned i = 0; i < expr->count; i++) {
		if (asks_position(expr->kids[i]))
			return true;
	}
	return false;
}

/* Whether all predicates of a step are conditions that ignore the position. */
static bool only_conditions(const struct wf_expr *step)
{
	for (unsigned i = 0; i < step->count; i++) {
		enum wf_expr_kind kind = step->kids[i]->kind;

		if ((kind != WF_EXPR_GENERAL_COMPARE &&
			kind != WF_EXPR_VALUE_COMPARE && kind != WF_EXPR_AND &&
			kind != WF_EXPR_OR && kind != WF_EXPR_STEP) ||
		    asks_position(step->kids[i]))
			return false;
	}
	return true;
}

/*
 * Adds the step behind "//".  descendant-or-self::node()/child::x is written
 * as descendant::x where no predicate could see the difference.
 */
static void add_descendants(struct wf_parser *parser, struct wf_expr *path)
{
	struct wf_expr *all = new_step(
	    parser, WF_AXIS_DESCENDANT_OR_SELF, new_test(parser, WF_TEST_NODE));
	struct wf_expr *step = parse_step(parser);

	if (step->kind == WF_EXPR_STEP && step->op == WF_AXIS_CHILD &&
	    only_conditions(step))
		step->op = WF_AXIS_DESCENDANT;
	else
		wf_expr_add(parser, path, all);
	wf_expr_add(parser, path, step);
}

static void parse_steps(struct wf_parser *parser, struct wf_expr *path)
{
	for (;;) {
		if (wf_accept(parser, "//"))
			add_descendants(parser, path);
		else if (wf_accept(parser, "/"))
			wf_expr_add(parser, path, parse_step(parser));
		else
			return;
	}
}

static struct wf_expr *parse_absolute(struct wf_parser *parser)
{
	struct wf_expr *path = wf_expr_new(parser, WF_EXPR_PATH, parser->at);
	struct wf_expr *root = wf_expr_new(parser, WF_EXPR_ROOT, parser->at);

	wf_expr_add(parser, path, root);
	if (wf_accept(parser, "//")) {
		add_descendants(parser, path);
	} else {
		wf_expect(parser, "/");
		if (!peek_step(parser))
			return root;
		wf_expr_add(parser, path, parse_step(parser));
	}
	parse_steps(parser, path);
	return path;
}

static struct wf_expr *parse_relative(struct wf_parser *parser)
{
	const char *start = parser->at;
	struct wf_expr *first = parse_step(parser);
	struct wf_expr *path;

	if (!wf_peek(parser, "/"))
		return first;
	path = wf_expr_new(parser, WF_EXPR_PATH, start);
	wf_expr_add(parser, path, first);
	parse_steps(parser, path);
	return path;
}

/* ValidateExpr: parsed only, since there are no schemas. */
_Noreturn static void parse_validate(struct wf_parser *parser)
{
	const char *start = parser->at;

	wf_expect_word(parser, "validate");
	if (!wf_accept_word(parser, "lax"))
		(void)wf_accept_word(parser, "strict");
	(void)wf_parse_enclosed(parser);
	wf_parse_fail(
	    parser, "XQST0075", start, "there are no schemas to validate with");
}

static bool at_space(const struct wf_parser *parser)
{
	return strchr(" \t\n", *parser->at) != NULL && *parser->at != '\0';
}

/*
 * ExtensionExpr: no pragma is supported, so the enclosed expression is
 * evaluated.
 */
static struct wf_expr *parse_extension(struct wf_parser *parser)
{
	const char *start = parser->at;
	struct wf_expr *expr;
	struct wf_qname name;
	const char *end;

	while (wf_accept(parser, "(#")) {
		name = wf_expect_qname(parser);
		if (name.uri == NULL &&
		    wf_namespaces_find(parser->namespaces, name.prefix) == NULL)
			wf_parse_fail(parser, "XPST0081", start,
			    "the prefix %s is not declared", name.prefix);
		if (name.uri == NULL && name.prefix[0] == '\0')
			wf_parse_fail(parser, "XPST0081", start,
			    "a pragma needs a namespace");
		end = strstr(parser->at, "#)");
		if (end == NULL || (end > parser->at && !at_space(parser)))
			wf_parse_unexpected(parser);
		parser->at = end + 2;
	}
	wf_expect(parser, "{");
	if (wf_peek(parser, "}"))
		wf_parse_fail(parser, "XQST0079", start,
		    "no pragma is known, and there is nothing to evaluate");
	expr = wf_parse_expr(parser);
	wf_expect(parser, "}");
	return expr;
}

static struct wf_expr *parse_value(struct wf_parser *parser)
{
	wf_skip(parser);
	if (wf_peek(parser, "(#"))
		return parse_extension(parser);
	if (wf_peek_word_then(parser, "validate", "{") ||
	    wf_peek_words(parser, "validate", "lax") ||
	    wf_peek_words(parser, "validate", "strict"))
		parse_validate(parser);
	if (*parser->at == '/')
		return parse_absolute(parser);
	return parse_relative(parser);
}

struct wf_expr *wf_parse_path(struct wf_parser *parser)
{
	struct wf_expr *expr = parse_value(parser);
	struct wf_expr *map;

	while (wf_peek(parser, "!") && parser->at[1] != '=') {
		map = wf_expr_new(parser, WF_EXPR_MAP, parser->at);
		parser->at++;
		wf_expr_add(parser, map, expr);
		wf_expr_add(parser, map, parse_value(parser));
		expr = map;
	}
	return expr;
}
