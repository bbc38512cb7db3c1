/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the parser and its parts.
 *
 * XQuery has no lexical structure that is independent of its grammar, so there
 * is no token stream: the parser asks the lexer (xquery/parse/lexer.c) for the
 * symbol that the grammar allows at a place. A mistake leaves the parser at
 * once by longjmp(); everything it has made lives in the arena of the query.
 */
#ifndef WF_XQUERY_PARSE_PARSE_H
#define WF_XQUERY_PARSE_PARSE_H

#include <setjmp.h>

#include "base/buffer.h"
#include "xquery/parse/expr.h"

/* The maximum depth of nested parentheses, constructors and the like. */
#define WF_PARSE_DEPTH 400
/* The maximum number of declarations, attributes of a tag, or parameters. */
#define WF_PARSE_MANY 1000

struct wf_parser {
	struct wf_query *query;
	struct wf_arena *arena;
	const char *text;
	const char *at;
	const char *end; /* at the NUL */
	unsigned depth;
	bool preserve_space;
	struct wf_namespaces *namespaces;
	/*
	 * Literal text under construction; never kept across a nested
	 * expression.
	 */
	struct wf_buffer scratch;
	struct wf_error *err;
	jmp_buf failed;
};

/* lexer.c */
_Noreturn void wf_parse_fail(struct wf_parser *parser, const char *code,
    const char *at, const char *format, ...) WF_PRINTF(4, 5);
_Noreturn void wf_parse_unexpected(struct wf_parser *parser);
/* Skips white space and comments. */
void wf_skip(struct wf_parser *parser);
/* Whether symbol, or the whole word, comes next (after white space). */
bool wf_peek(struct wf_parser *parser, const char *symbol);
bool wf_peek_word(struct wf_parser *parser, const char *word);
/* Whether word comes next, and symbol after it. */
bool wf_peek_word_then(
    struct wf_parser *parser, const char *word, const char *symbol);
bool wf_peek_words(
    struct wf_parser *parser, const char *word, const char *second);
/* The same; skips what it finds. */
bool wf_accept(struct wf_parser *parser, const char *symbol);
bool wf_accept_word(struct wf_parser *parser, const char *word);
bool wf_accept_words(
    struct wf_parser *parser, const char *word, const char *second);
void wf_expect(struct wf_parser *parser, const char *symbol);
void wf_expect_word(struct wf_parser *parser, const char *word);
/* The length of the NCName at the current place; 0: there is none. */
size_t wf_ncname_length(const char *at);
/* Decodes one character; 0 and *length 1 when it is not UTF-8. */
uint32_t wf_utf8_decode(const char *at, size_t *length);
/* A name as written: uri is NULL unless the form is Q{uri}name. */
bool wf_peek_qname(struct wf_parser *parser);
struct wf_qname wf_expect_qname(struct wf_parser *parser);
/* "Q{uri}*" of a name test. */
bool wf_accept_any_local(struct wf_parser *parser, struct wf_node_test *test);
const char *wf_expect_ncname(struct wf_parser *parser);
bool wf_peek_string(struct wf_parser *parser);
struct wf_string wf_expect_string(struct wf_parser *parser);
/*
 * Appends the replacement of the reference ("&...;") at the current place to
 * scratch.
 */
void wf_expect_reference(struct wf_parser *parser);
/* A number at the place, false when there is none. */
bool wf_accept_number(struct wf_parser *parser, struct wf_atomic *number_out);

/* parse.c */
struct wf_expr *wf_expr_new(
    struct wf_parser *parser, enum wf_expr_kind kind, const char *at);
void wf_expr_add(
    struct wf_parser *parser, struct wf_expr *expr, struct wf_expr *kid);
void wf_parse_enter(struct wf_parser *parser);
void wf_parse_leave(struct wf_parser *parser);
/*
 * Counts one more item of a list whose items are compared with each other; too
 * many are refused.
 */
void wf_parse_count(struct wf_parser *parser, unsigned *count);
struct wf_expr *wf_parse_expr(struct wf_parser *parser);
struct wf_expr *wf_parse_single(struct wf_parser *parser);
/* "{" Expr? "}"; an empty one is the empty sequence. */
struct wf_expr *wf_parse_enclosed(struct wf_parser *parser);

/* parse_flwor.c */
struct wf_expr *wf_parse_flwor(struct wf_parser *parser);
struct wf_expr *wf_parse_quantified(struct wf_parser *parser);
struct wf_expr *wf_parse_typeswitch(struct wf_parser *parser);
struct wf_expr *wf_parse_switch(struct wf_parser *parser);
struct wf_expr *wf_parse_try(struct wf_parser *parser);

/* parse_path.c */
struct wf_expr *wf_parse_path(struct wf_parser *parser);
/* A call of a named function; first: its first argument, or NULL. */
struct wf_expr *wf_parse_call(struct wf_parser *parser, struct wf_expr *first);
/*
 * XPST0003 when the name is reserved: a function call cannot use it without a
 * prefix.
 */
void wf_check_function_name(
    struct wf_parser *parser, const struct wf_qname *name, const char *at);

/* parse_constructor.c */
struct wf_expr *wf_parse_direct(struct wf_parser *parser);
/* NULL when no computed constructor begins here. */
struct wf_expr *wf_parse_computed(struct wf_parser *parser);

/* parse_type.c */
struct wf_sequence_type *wf_parse_sequence_type(struct wf_parser *parser);
struct wf_sequence_type *wf_parse_single_type(struct wf_parser *parser);
/* A kind test, NULL when none begins here. */
struct wf_node_test *wf_parse_kind_test(struct wf_parser *parser);
struct wf_qname wf_expect_variable(struct wf_parser *parser);

/* parse_prolog.c */
void wf_parse_prolog(struct wf_parser *parser);
/* parse_format.c */
/* After "declare decimal-format" or "declare default decimal-format". */
void wf_parse_decimal_format(struct wf_parser *parser, bool is_default);
/* The default decimal format. */
void wf_parse_usual_format(struct wf_parser *parser);
/* Whether the URI, possibly relative, names the codepoint collation. */
bool wf_is_collation(struct wf_parser *parser, const char *uri);

#endif
