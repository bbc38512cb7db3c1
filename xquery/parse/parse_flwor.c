/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions that bind variables: FLWOR, quantified, and those with cases. */
#include "xquery/parse/parse.h"

#include <string.h>

#include "xquery/atomic/atomic.h"

/* Every clause is a level of recursion when it is evaluated. */
#define CLAUSES_MAXIMUM 500

static struct wf_clause *add_clause(
    struct wf_parser *parser, struct wf_flwor *flwor, enum wf_clause_kind kind)
{
	struct wf_clause *clause;

	wf_skip(parser);
	if (flwor->count == CLAUSES_MAXIMUM)
		wf_parse_fail(parser, "", parser->at,
		    "more than %d clauses in one expression", CLAUSES_MAXIMUM);
	flwor->clauses = wf_arena_grow(parser->arena, flwor->clauses,
	    flwor->count, &flwor->capacity, sizeof(struct wf_clause));
	clause = &flwor->clauses[flwor->count++];
	memset(clause, 0, sizeof(*clause));
	clause->kind = kind;
	clause->kid = UINT32_MAX;
	clause->namespaces = parser->namespaces;
	clause->offset = (uint32_t)(parser->at - parser->text);
	return clause;
}

/* Parses the clause's expression; clause stays valid, kids are apart. */
static void clause_value(
    struct wf_parser *parser, struct wf_expr *expr, struct wf_clause *clause)
{
	struct wf_expr *value = wf_parse_single(parser);

	clause->kid = expr->count;
	wf_expr_add(parser, expr, value);
}

static void clause_type(struct wf_parser *parser, struct wf_clause *clause)
{
	if (wf_accept_word(parser, "as"))
		clause->type = wf_parse_sequence_type(parser);
}

static void parse_for(
    struct wf_parser *parser, struct wf_expr *expr, bool quantified)
{
	struct wf_clause *clause;

	do {
		clause = add_clause(parser, expr->u.flwor, WF_CLAUSE_FOR);
		clause->name = wf_expect_variable(parser);
		clause_type(parser, clause);
		if (!quantified && wf_accept_words(parser, "allowing", "empty"))
			clause->allowing_empty = true;
		if (!quantified && wf_accept_word(parser, "at"))
			clause->position = wf_expect_variable(parser);
		wf_expect_word(parser, "in");
		clause_value(parser, expr, clause);
	} while (wf_accept(parser, ","));
}

/* "start $s at $p previous $q next $n when ..." after the first word. */
static void parse_edge(
    struct wf_parser *parser, struct wf_expr *expr, struct wf_window_edge *edge)
{
	static const char *const words[] = { NULL, "at", "previous", "next" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (words[i] == NULL ? wf_peek(parser, "$")
				     : wf_accept_word(parser, words[i]))
			edge->names[i] = wf_expect_variable(parser);
	}
	wf_expect_word(parser, "when");
	edge->kid = expr->count;
	wf_expr_add(parser, expr, wf_parse_single(parser));
}

static void parse_window(struct wf_parser *parser, struct wf_expr *expr)
{
	struct wf_clause *clause =
	    add_clause(parser, expr->u.flwor, WF_CLAUSE_WINDOW);
	struct wf_window *window =
	    wf_arena_alloc(parser->arena, sizeof(struct wf_window));

	clause->window = window;
	window->sliding = wf_accept_word(parser, "sliding");
	if (!window->sliding)
		wf_expect_word(parser, "tumbling");
	wf_expect_word(parser, "window");
	clause->name = wf_expect_variable(parser);
	clause_type(parser, clause);
	wf_expect_word(parser, "in");
	clause_value(parser, expr, clause);
	wf_expect_word(parser, "start");
	parse_edge(parser, expr, &window->start);
	window->only = wf_accept_word(parser, "only");
	window->has_end =
	    window->only || window->sliding || wf_peek_word(parser, "end");
	if (!window->has_end)
		return;
	wf_expect_word(parser, "end");
	parse_edge(parser, expr, &window->end);
}

static void parse_let(struct wf_parser *parser, struct wf_expr *expr)
{
	struct wf_clause *clause;

	do {
		clause = add_clause(parser, expr->u.flwor, WF_CLAUSE_LET);
		clause->name = wf_expect_variable(parser);
		clause_type(parser, clause);
		wf_expect(parser, ":=");
		clause_value(parser, expr, clause);
	} while (wf_accept(parser, ","));
}

static void parse_collation(struct wf_parser *parser)
{
	struct wf_string uri;
	const char *start = parser->at;

	if (!wf_accept_word(parser, "collation"))
		return;
	uri = wf_expect_string(parser);
	if (!wf_is_collation(parser, uri.text))
		wf_parse_fail(parser, "XQST0076", start,
		    "the collation \"%s\" is not known", uri.text);
}

static void order_modifiers(struct wf_parser *parser, struct wf_clause *clause)
{
	clause->empty_greatest = parser->query->empty_greatest;
	if (wf_accept_word(parser, "descending"))
		clause->descending = true;
	else
		(void)wf_accept_word(parser, "ascending");
	if (wf_accept_words(parser, "empty", "greatest"))
		clause->empty_greatest = true;
	else if (wf_accept_words(parser, "empty", "least"))
		clause->empty_greatest = false;
	parse_collation(parser);
}

static void parse_order(struct wf_parser *parser, struct wf_expr *expr)
{
	struct wf_clause *clause;
	bool follows = false;

	(void)wf_accept_word(parser, "stable");
	wf_expect_word(parser, "order");
	wf_expect_word(parser, "by");
	do {
		clause = add_clause(parser, expr->u.flwor, WF_CLAUSE_ORDER);
		clause->follows = follows;
		clause_value(parser, expr, clause);
		order_modifiers(parser, clause);
		follows = true;
	} while (wf_accept(parser, ","));
}

static void parse_group(struct wf_parser *parser, struct wf_expr *expr)
{
	struct wf_clause *clause;
	bool follows = false;

	wf_expect_word(parser, "group");
	wf_expect_word(parser, "by");
	do {
		clause = add_clause(parser, expr->u.flwor, WF_CLAUSE_GROUP);
		clause->follows = follows;
		clause->name = wf_expect_variable(parser);
		clause_type(parser, clause);
		if (clause->type != NULL || wf_peek(parser, ":=")) {
			wf_expect(parser, ":=");
			clause_value(parser, expr, clause);
		}
		parse_collation(parser);
		follows = true;
	} while (wf_accept(parser, ","));
}

/* False: "return" must come next. */
static bool parse_clause(struct wf_parser *parser, struct wf_expr *expr)
{
	struct wf_clause *clause;

	if (wf_peek_word_then(parser, "for", "$")) {
		wf_expect_word(parser, "for");
		parse_for(parser, expr, false);
	} else if (wf_peek_words(parser, "for", "tumbling") ||
		   wf_peek_words(parser, "for", "sliding")) {
		wf_expect_word(parser, "for");
		parse_window(parser, expr);
	} else if (wf_peek_word_then(parser, "let", "$")) {
		wf_expect_word(parser, "let");
		parse_let(parser, expr);
	} else if (wf_accept_word(parser, "where")) {
		clause = add_clause(parser, expr->u.flwor, WF_CLAUSE_WHERE);
		clause_value(parser, expr, clause);
	} else if (wf_peek_words(parser, "order", "by") ||
		   wf_peek_words(parser, "stable", "order")) {
		parse_order(parser, expr);
	} else if (wf_peek_words(parser, "group", "by")) {
		parse_group(parser, expr);
	} else if (wf_accept_word(parser, "count")) {
		clause = add_clause(parser, expr->u.flwor, WF_CLAUSE_COUNT);
		clause->name = wf_expect_variable(parser);
	} else {
		return false;
	}
	return true;
}

static struct wf_expr *new_flwor(
    struct wf_parser *parser, enum wf_expr_kind kind)
{
	struct wf_expr *expr = wf_expr_new(parser, kind, parser->at);

	expr->u.flwor = wf_arena_alloc(parser->arena, sizeof(struct wf_flwor));
	return expr;
}

struct wf_expr *wf_parse_flwor(struct wf_parser *parser)
{
	struct wf_expr *expr = new_flwor(parser, WF_EXPR_FLWOR);

	while (parse_clause(parser, expr))
		continue;
	wf_expect_word(parser, "return");
	wf_expr_add(parser, expr, wf_parse_single(parser));
	return expr;
}

struct wf_expr *wf_parse_quantified(struct wf_parser *parser)
{
	struct wf_expr *expr = new_flwor(parser, WF_EXPR_QUANTIFIED);

	if (wf_accept_word(parser, "every"))
		expr->u.flwor->every = true;
	else
		wf_expect_word(parser, "some");
	parse_for(parser, expr, true);
	wf_expect_word(parser, "satisfies");
	wf_expr_add(parser, expr, wf_parse_single(parser));
	return expr;
}

static struct wf_case *add_case(struct wf_parser *parser, struct wf_expr *expr)
{
	struct wf_cases *cases = expr->u.cases;
	struct wf_case *one;

	cases->list = wf_arena_grow(parser->arena, cases->list, cases->count,
	    &cases->capacity, sizeof(struct wf_case));
	one = &cases->list[cases->count++];
	memset(one, 0, sizeof(*one));
	one->test_kid = UINT32_MAX;
	return one;
}

static struct wf_expr *new_cases(
    struct wf_parser *parser, enum wf_expr_kind kind)
{
	struct wf_expr *expr = wf_expr_new(parser, kind, parser->at);

	expr->u.cases = wf_arena_alloc(parser->arena, sizeof(struct wf_cases));
	return expr;
}

static void case_result(
    struct wf_parser *parser, struct wf_expr *expr, struct wf_case *one)
{
	struct wf_expr *result;

	wf_expect_word(parser, "return");
	result = wf_parse_single(parser);
	one->result_kid = expr->count;
	wf_expr_add(parser, expr, result);
}

static const struct wf_sequence_type *parse_union(struct wf_parser *parser)
{
	struct wf_sequence_type *first = wf_parse_sequence_type(parser);
	struct wf_sequence_type *last = first;

	while (wf_accept(parser, "|")) {
		struct wf_sequence_type *next = wf_parse_sequence_type(parser);

		last->or_else = next;
		last = next;
	}
	return first;
}

struct wf_expr *wf_parse_typeswitch(struct wf_parser *parser)
{
	struct wf_expr *expr = new_cases(parser, WF_EXPR_TYPESWITCH);
	struct wf_case *one;

	wf_expect_word(parser, "typeswitch");
	wf_expect(parser, "(");
	wf_expr_add(parser, expr, wf_parse_expr(parser));
	wf_expect(parser, ")");
	if (!wf_peek_word(parser, "case"))
		wf_parse_unexpected(parser);
	while (wf_accept_word(parser, "case")) {
		one = add_case(parser, expr);
		if (wf_peek(parser, "$")) {
			one->name = wf_expect_variable(parser);
			wf_expect_word(parser, "as");
		}
		one->type = parse_union(parser);
		case_result(parser, expr, one);
	}
	wf_expect_word(parser, "default");
	one = add_case(parser, expr);
	if (wf_peek(parser, "$"))
		one->name = wf_expect_variable(parser);
	case_result(parser, expr, one);
	return expr;
}

/* Several operands before one result become cases with the same result. */
struct wf_expr *wf_parse_switch(struct wf_parser *parser)
{
	struct wf_expr *expr = new_cases(parser, WF_EXPR_SWITCH);
	struct wf_cases *cases = expr->u.cases;
	struct wf_expr *test;
	size_t first;

	wf_expect_word(parser, "switch");
	wf_expect(parser, "(");
	wf_expr_add(parser, expr, wf_parse_expr(parser));
	wf_expect(parser, ")");
	if (!wf_peek_word(parser, "case"))
		wf_parse_unexpected(parser);
	while (wf_peek_word(parser, "case")) {
		first = cases->count;
		while (wf_accept_word(parser, "case")) {
			test = wf_parse_single(parser);
			add_case(parser, expr)->test_kid = expr->count;
			wf_expr_add(parser, expr, test);
		}
		case_result(parser, expr, &cases->list[cases->count - 1]);
		for (size_t i = first; i < cases->count; i++)
			cases->list[i].result_kid = expr->count - 1;
	}
	wf_expect_word(parser, "default");
	case_result(parser, expr, add_case(parser, expr));
	return expr;
}

/* NameTest ("|" NameTest)* of a catch clause. */
static void parse_catch_tests(struct wf_parser *parser, struct wf_case *one)
{
	size_t capacity = 0;

	do {
		struct wf_node_test *test;
		size_t length;

		one->tests = wf_arena_grow(parser->arena, one->tests,
		    one->test_count, &capacity, sizeof(struct wf_node_test));
		test = &one->tests[one->test_count++];
		memset(test, 0, sizeof(*test));
		wf_skip(parser);
		test->kind = WF_TEST_NAME;
		test->offset = (uint32_t)(parser->at - parser->text);
		length = wf_ncname_length(parser->at);
		test->name.prefix = "";
		if (*parser->at == '*') {
			parser->at++;
			test->any_uri = true;
			test->any_local = *parser->at != ':';
			if (!test->any_local) {
				parser->at++;
				test->name.local = wf_expect_ncname(parser);
			}
		} else if (length > 0 &&
			   strncmp(parser->at + length, ":*", 2) == 0) {
			test->name.prefix = wf_expect_ncname(parser);
			test->any_local = true;
			parser->at += 2;
		} else if (!wf_accept_any_local(parser, test)) {
			test->name = wf_expect_qname(parser);
		}
	} while (wf_accept(parser, "|"));
}

struct wf_expr *wf_parse_try(struct wf_parser *parser)
{
	struct wf_expr *expr = new_cases(parser, WF_EXPR_TRY);
	struct wf_expr *result;
	struct wf_case *one;

	wf_expect_word(parser, "try");
	wf_expr_add(parser, expr, wf_parse_enclosed(parser));
	if (!wf_peek_word(parser, "catch"))
		wf_parse_unexpected(parser);
	while (wf_accept_word(parser, "catch")) {
		one = add_case(parser, expr);
		parse_catch_tests(parser, one);
		result = wf_parse_enclosed(parser);
		one->result_kid = expr->count;
		wf_expr_add(parser, expr, result);
	}
	return expr;
}
