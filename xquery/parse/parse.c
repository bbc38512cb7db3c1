/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser's entry, and expressions built from operators, by precedence
 * climbing: one table of binary operators with their levels.
 */
#include "xquery/parse/parse.h"

#include <string.h>

#include "base/panic.h"
#include "xquery/atomic/atomic.h"
#include "xquery/text/unicode.h"

struct wf_expr *wf_expr_new(
    struct wf_parser *parser, enum wf_expr_kind kind, const char *at)
{
	struct wf_expr *expr =
	    wf_arena_alloc(parser->arena, sizeof(struct wf_expr));

	expr->kind = kind;
	expr->offset = (uint32_t)(at - parser->text);
	expr->height = 1;
	expr->namespaces = parser->namespaces;
	return expr;
}

void wf_expr_add(
    struct wf_parser *parser, struct wf_expr *expr, struct wf_expr *kid)
{
	expr->kids = wf_arena_grow(parser->arena, expr->kids, expr->count,
	    &expr->capacity, sizeof(struct wf_expr *));
	expr->kids[expr->count++] = kid;
	if (kid->height >= expr->height)
		expr->height = kid->height + 1;
	if (expr->height > WF_EXPR_HEIGHT)
		wf_parse_fail(parser, "", parser->text + expr->offset,
		    "the expression is nested more than %d deep",
		    WF_EXPR_HEIGHT);
}

void wf_parse_enter(struct wf_parser *parser)
{
	if (++parser->depth > WF_PARSE_DEPTH)
		wf_parse_fail(parser, "", parser->at,
		    "the query is nested more than %d deep", WF_PARSE_DEPTH);
}

void wf_parse_count(struct wf_parser *parser, unsigned *count)
{
	if (++*count > WF_PARSE_MANY)
		wf_parse_fail(parser, "", parser->at,
		    "more than %d declarations, attributes or parameters",
		    WF_PARSE_MANY);
}

void wf_parse_leave(struct wf_parser *parser)
{
	parser->depth--;
}

/* A binary operator; level 1 binds least. */
struct binary {
	const char *text;
	const char *second; /* of two words, or NULL */
	int level;
	bool single; /* cannot be repeated without parentheses */
	bool is_word;
	enum wf_expr_kind kind;
	unsigned op;
};

/* clang-format off */
static const struct binary operators[] = {
	{ "or", NULL, 1, false, true, WF_EXPR_OR, 0 },
	{ "and", NULL, 2, false, true, WF_EXPR_AND, 0 },
	{ "=", NULL, 3, true, false, WF_EXPR_GENERAL_COMPARE, WF_EQ },
	{ "!=", NULL, 3, true, false, WF_EXPR_GENERAL_COMPARE, WF_NE },
	{ "<<", NULL, 3, true, false, WF_EXPR_NODE_COMPARE, WF_NODE_BEFORE },
	{ ">>", NULL, 3, true, false, WF_EXPR_NODE_COMPARE, WF_NODE_AFTER },
	{ "<=", NULL, 3, true, false, WF_EXPR_GENERAL_COMPARE, WF_LE },
	{ "<", NULL, 3, true, false, WF_EXPR_GENERAL_COMPARE, WF_LT },
	{ ">=", NULL, 3, true, false, WF_EXPR_GENERAL_COMPARE, WF_GE },
	{ ">", NULL, 3, true, false, WF_EXPR_GENERAL_COMPARE, WF_GT },
	{ "eq", NULL, 3, true, true, WF_EXPR_VALUE_COMPARE, WF_EQ },
	{ "ne", NULL, 3, true, true, WF_EXPR_VALUE_COMPARE, WF_NE },
	{ "lt", NULL, 3, true, true, WF_EXPR_VALUE_COMPARE, WF_LT },
	{ "le", NULL, 3, true, true, WF_EXPR_VALUE_COMPARE, WF_LE },
	{ "gt", NULL, 3, true, true, WF_EXPR_VALUE_COMPARE, WF_GT },
	{ "ge", NULL, 3, true, true, WF_EXPR_VALUE_COMPARE, WF_GE },
	{ "is", NULL, 3, true, true, WF_EXPR_NODE_COMPARE, WF_NODE_IS },
	{ "||", NULL, 4, false, false, WF_EXPR_CONCAT, 0 },
	{ "to", NULL, 5, true, true, WF_EXPR_RANGE, 0 },
	{ "+", NULL, 6, false, false, WF_EXPR_ARITHMETIC, WF_ADD },
	{ "-", NULL, 6, false, false, WF_EXPR_ARITHMETIC, WF_SUBTRACT },
	{ "*", NULL, 7, false, false, WF_EXPR_ARITHMETIC, WF_MULTIPLY },
	{ "div", NULL, 7, false, true, WF_EXPR_ARITHMETIC, WF_DIVIDE },
	{ "idiv", NULL, 7, false, true, WF_EXPR_ARITHMETIC, WF_INTEGER_DIVIDE },
	{ "mod", NULL, 7, false, true, WF_EXPR_ARITHMETIC, WF_MODULO },
	{ "union", NULL, 8, false, true, WF_EXPR_COMBINE, WF_UNION },
	{ "|", NULL, 8, false, false, WF_EXPR_COMBINE, WF_UNION },
	{ "intersect", NULL, 9, false, true, WF_EXPR_COMBINE, WF_INTERSECT },
	{ "except", NULL, 9, false, true, WF_EXPR_COMBINE, WF_EXCEPT },
	{ "instance", "of", 10, true, true, WF_EXPR_INSTANCE, 0 },
	{ "treat", "as", 11, true, true, WF_EXPR_TREAT, 0 },
	{ "castable", "as", 12, true, true, WF_EXPR_CASTABLE, 0 },
	{ "cast", "as", 13, true, true, WF_EXPR_CAST, 0 },
};
/* clang-format on */

static bool operator_here(struct wf_parser *parser, const struct binary *binary)
{
	if (binary->second != NULL)
		return wf_peek_words(parser, binary->text, binary->second);
	if (binary->is_word)
		return wf_peek_word(parser, binary->text);
	return wf_peek(parser, binary->text);
}

static const struct binary *peek_operator(struct wf_parser *parser)
{
	wf_skip(parser);
	if (parser->at == parser->end)
		return NULL;
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		if (operators[i].text[0] == *parser->at &&
		    operator_here(parser, &operators[i]))
			return &operators[i];
	}
	return NULL;
}

static void pass_operator(struct wf_parser *parser, const struct binary *binary)
{
	parser->at += strlen(binary->text);
	if (binary->second != NULL)
		wf_expect_word(parser, binary->second);
}

/* UnaryExpr: any number of signs counts as one. */
static struct wf_expr *parse_unary(struct wf_parser *parser)
{
	struct wf_expr *expr = NULL;

	wf_skip(parser);
	while (*parser->at == '-' || *parser->at == '+') {
		if (expr == NULL) {
			expr = wf_expr_new(parser, WF_EXPR_SIGN, parser->at);
			expr->op = '+';
		}
		if (*parser->at == '-')
			expr->op = expr->op == '-' ? '+' : '-';
		parser->at++;
		wf_skip(parser);
	}
	if (expr == NULL)
		return wf_parse_path(parser);
	wf_expr_add(parser, expr, wf_parse_path(parser));
	return expr;
}

/* ArrowExpr: "$x => f($y)" is f($x, $y). */
static struct wf_expr *parse_arrow(struct wf_parser *parser)
{
	struct wf_expr *expr = parse_unary(parser);

	while (wf_accept(parser, "=>")) {
		wf_skip(parser);
		expr = wf_parse_call(parser, expr);
	}
	return expr;
}

static struct wf_expr *parse_binary(struct wf_parser *parser, int least);

static struct wf_expr *parse_right(struct wf_parser *parser,
    const struct binary *binary, struct wf_expr *left, const char *at)
{
	bool chain = binary->kind == WF_EXPR_AND || binary->kind == WF_EXPR_OR;
	struct wf_expr *expr;

	if (chain && left->kind == binary->kind) {
		wf_expr_add(
		    parser, left, parse_binary(parser, binary->level + 1));
		return left;
	}
	expr = wf_expr_new(parser, binary->kind, at);
	expr->op = binary->op;
	wf_expr_add(parser, expr, left);
	switch (binary->kind) {
	case WF_EXPR_INSTANCE:
	case WF_EXPR_TREAT:
		expr->u.type = wf_parse_sequence_type(parser);
		break;
	case WF_EXPR_CASTABLE:
	case WF_EXPR_CAST:
		expr->u.type = wf_parse_single_type(parser);
		break;
	default:
		wf_expr_add(
		    parser, expr, parse_binary(parser, binary->level + 1));
	}
	return expr;
}

static struct wf_expr *parse_binary(struct wf_parser *parser, int least)
{
	struct wf_expr *left = parse_arrow(parser);
	int most = 100;

	for (;;) {
		const struct binary *binary = peek_operator(parser);
		const char *at = parser->at;

		if (binary == NULL || binary->level < least ||
		    binary->level > most)
			return left;
		pass_operator(parser, binary);
		left = parse_right(parser, binary, left, at);
		most = binary->single ? binary->level - 1 : binary->level;
	}
}

static struct wf_expr *parse_if(struct wf_parser *parser)
{
	struct wf_expr *expr = wf_expr_new(parser, WF_EXPR_IF, parser->at);

	wf_expect_word(parser, "if");
	wf_expect(parser, "(");
	wf_expr_add(parser, expr, wf_parse_expr(parser));
	wf_expect(parser, ")");
	wf_expect_word(parser, "then");
	wf_expr_add(parser, expr, wf_parse_single(parser));
	wf_expect_word(parser, "else");
	wf_expr_add(parser, expr, wf_parse_single(parser));
	return expr;
}

static struct wf_expr *parse_single(struct wf_parser *parser)
{
	if (wf_peek_word_then(parser, "for", "$") ||
	    wf_peek_words(parser, "for", "tumbling") ||
	    wf_peek_words(parser, "for", "sliding") ||
	    wf_peek_word_then(parser, "let", "$"))
		return wf_parse_flwor(parser);
	if (wf_peek_word_then(parser, "some", "$") ||
	    wf_peek_word_then(parser, "every", "$"))
		return wf_parse_quantified(parser);
	if (wf_peek_word_then(parser, "if", "("))
		return parse_if(parser);
	if (wf_peek_word_then(parser, "typeswitch", "("))
		return wf_parse_typeswitch(parser);
	if (wf_peek_word_then(parser, "switch", "("))
		return wf_parse_switch(parser);
	if (wf_peek_word_then(parser, "try", "{"))
		return wf_parse_try(parser);
	return parse_binary(parser, 1);
}

struct wf_expr *wf_parse_single(struct wf_parser *parser)
{
	struct wf_expr *expr;

	wf_parse_enter(parser);
	expr = parse_single(parser);
	wf_parse_leave(parser);
	return expr;
}

struct wf_expr *wf_parse_expr(struct wf_parser *parser)
{
	struct wf_expr *first;
	struct wf_expr *sequence;

	wf_skip(parser);
	first = wf_parse_single(parser);
	if (!wf_peek(parser, ","))
		return first;
	sequence = wf_expr_new(parser, WF_EXPR_SEQUENCE, parser->at);
	wf_expr_add(parser, sequence, first);
	while (wf_accept(parser, ","))
		wf_expr_add(parser, sequence, wf_parse_single(parser));
	return sequence;
}

struct wf_expr *wf_parse_enclosed(struct wf_parser *parser)
{
	struct wf_expr *expr;

	wf_expect(parser, "{");
	if (wf_peek(parser, "}"))
		expr = wf_expr_new(parser, WF_EXPR_SEQUENCE, parser->at);
	else
		expr = wf_parse_expr(parser);
	wf_expect(parser, "}");
	return expr;
}

/* Line ends become "\n", as XML has it. */
static void copy_text(struct wf_parser *parser, const char *text, size_t length)
{
	char *copy = wf_arena_alloc(parser->arena, length + 1);
	size_t used = 0;

	for (size_t i = 0; i < length; i++) {
		if (text[i] != '\r')
			copy[used++] = text[i];
		else if (i + 1 == length || text[i + 1] != '\n')
			copy[used++] = '\n';
	}
	parser->text = copy;
	parser->at = copy;
	parser->end = copy + used;
	parser->query->text = copy;
}

static void check_characters(struct wf_parser *parser)
{
	size_t length;

	for (const char *at = parser->text; at < parser->end; at += length) {
		if (!wf_is_xml_char(wf_utf8_decode(at, &length)))
			wf_parse_fail(parser, "XPST0003", at,
			    "this is not a character of XML in UTF-8");
	}
}

static void parse_query(struct wf_parser *parser)
{
	struct wf_expr *body;

	check_characters(parser);
	wf_parse_prolog(parser);
	body = wf_parse_expr(parser);
	wf_skip(parser);
	if (parser->at != parser->end)
		wf_parse_unexpected(parser);
	parser->query->body = body;
}

enum wf_rc wf_parse(struct wf_query *query, const char *text, size_t length,
    struct wf_error *err)
{
	struct wf_parser parser;
	struct wf_cleanup cleanup;

	memset(&parser, 0, sizeof(parser));
	parser.query = query;
	parser.arena = query->arena;
	parser.err = err;
	wf_buffer_init(&parser.scratch, SIZE_MAX / 4);
	wf_cleanup_push(&cleanup, wf_buffer_cleanup, &parser.scratch);
	copy_text(&parser, text, length);
	if (setjmp(parser.failed) == 0)
		parse_query(&parser);
	wf_cleanup_pop(&cleanup);
	wf_buffer_free(&parser.scratch);
	return query->body == NULL ? err->rc : WF_OK;
}
