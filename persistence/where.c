/* SPDX-License-Identifier: Apache-2.0 */
#include "persistence/where.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "xquery/text/unicode.h"

struct parser {
	const char *text;
	const char *at;
	const char *end;
	const struct wf_where_variable *variables;
	size_t count;
	struct wf_arena *arena;
	struct wf_error *err;
	unsigned depth;
	unsigned comparisons;
};

/* --- words of the condition ----------------------------------------------- */

static void skip_space(struct parser *p)
{
	while (p->at < p->end && wf_is_xml_space(*p->at))
		p->at++;
}

/* NULL. */
static struct wf_where_node *fail_at(
    struct parser *p, const char *at, const char *expected)
{
	size_t place = wf_utf8_count(p->text, (size_t)(at - p->text)) + 1;

	if (at < p->end)
		(void)wf_fail(p->err, WF_INVALID,
		    "where: at character %zu, expected %s, not '%.20s'", place,
		    expected, at);
	else
		(void)wf_fail(p->err, WF_INVALID,
		    "where: at the end, expected %s", expected);
	return NULL;
}

static bool is_name_char(const struct parser *p, const char *at)
{
	return at < p->end && *at != ':' &&
	       wf_is_name_char(wf_utf8_next(&at, p->end));
}

/* The bytes of the name that begins there; 0: none does. */
static size_t name_at(const struct parser *p, const char *from)
{
	const char *at = from;

	if (at == p->end || *at == ':' ||
	    !wf_is_name_start(wf_utf8_next(&at, p->end)))
		return 0;
	while (is_name_char(p, at))
		(void)wf_utf8_next(&at, p->end);
	return (size_t)(at - from);
}

/* Takes the word, if it comes next as a whole. */
static bool take_word(struct parser *p, const char *word)
{
	size_t length = strlen(word);

	skip_space(p);
	if (name_at(p, p->at) != length || memcmp(p->at, word, length) != 0)
		return false;
	p->at += length;
	return true;
}

static bool take_mark(struct parser *p, const char *mark)
{
	size_t length = strlen(mark);

	skip_space(p);
	if ((size_t)(p->end - p->at) < length ||
	    memcmp(p->at, mark, length) != 0)
		return false;
	p->at += length;
	return true;
}

/* --- comparisons ---------------------------------------------------------- */

static bool has_path(const struct parser *p, const char *path)
{
	for (size_t i = 0; i < p->count; i++)
		if (strcmp(p->variables[i].path, path) == 0)
			return true;
	return false;
}

static struct wf_where_node *fail_variable(struct parser *p, const char *path)
{
	struct wf_buffer names;

	wf_buffer_init(&names, 300);
	for (size_t i = 0; i < p->count; i++)
		wf_buffer_printf(
		    &names, "%s%s", i == 0 ? "" : ", ", p->variables[i].path);
	if (p->count == 0)
		(void)wf_fail(p->err, WF_INVALID,
		    "where: the variable %.100s is not indexed, nor is any "
		    "other (weft index add)",
		    path);
	else
		(void)wf_fail(p->err, WF_INVALID,
		    "where: the variable %.100s is not indexed; these are: "
		    "%.200s%s",
		    path, wf_buffer_text(&names), names.full ? ", .." : "");
	wf_buffer_free(&names);
	return NULL;
}

/* NULL: err says why. */
static const char *read_path(struct parser *p)
{
	const char *from;
	const char *path;

	skip_space(p);
	from = p->at;
	do {
		size_t length = name_at(p, p->at);

		if (length == 0) {
			(void)fail_at(p, p->at,
			    p->at == from ? "a variable, '(' or 'not('"
					  : "the name of an element");
			return NULL;
		}
		p->at += length;
	} while (p->at < p->end && *p->at == '/' && p->at++ != NULL);
	path = wf_arena_strndup(p->arena, from, (size_t)(p->at - from));
	if (has_path(p, path))
		return path;
	(void)fail_variable(p, path);
	return NULL;
}

static bool read_comparison(struct parser *p, enum wf_comparison *comparison)
{
	static const struct {
		const char *mark;
		enum wf_comparison comparison;
	} marks[] = {
		{ "!=", WF_COMPARISON_UNEQUAL },
		{ "<=", WF_COMPARISON_AT_MOST },
		{ ">=", WF_COMPARISON_AT_LEAST },
		{ "=", WF_COMPARISON_EQUAL },
		{ "<", WF_COMPARISON_LESS },
		{ ">", WF_COMPARISON_GREATER },
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (take_mark(p, marks[i].mark)) {
			*comparison = marks[i].comparison;
			return true;
		}
	(void)fail_at(p, p->at, "one of =, !=, <, <=, > and >=");
	return false;
}

/* A literal as it is written: of one of these types. */
struct literal {
	const char *text;
	size_t length;
	bool fits[WF_TERM_TYPES];
};

/* An entity of XML, or a byte. */
static char take_character(struct parser *p)
{
	static const struct {
		const char *name;
		char character;
	} entities[] = { { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' },
		{ "&quot;", '"' }, { "&apos;", '\'' } };

	for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
		size_t length = strlen(entities[i].name);

		if ((size_t)(p->end - p->at) >= length &&
		    memcmp(p->at, entities[i].name, length) == 0) {
			p->at += length;
			return entities[i].character;
		}
	}
	return *p->at++;
}

/* "Miller", 'Miller'; the mark is doubled inside.  False: err says why. */
static bool read_text(struct parser *p, struct literal *literal)
{
	char mark = *p->at++;
	char *to = wf_arena_alloc(p->arena, (size_t)(p->end - p->at) + 1);

	literal->text = to;
	while (p->at < p->end) {
		if (*p->at == mark) {
			p->at++;
			if (p->at == p->end || *p->at != mark) {
				literal->length = (size_t)(to - literal->text);
				*to = '\0';
				return true;
			}
		}
		*to++ = take_character(p);
	}
	(void)fail_at(
	    p, p->at, mark == '"' ? "\" behind the text" : "' behind the text");
	return false;
}

/* A name follows behind a blank. */
static bool read_number(struct parser *p, struct literal *literal)
{
	literal->text = p->at;
	while (p->at < p->end && strchr("+-.0123456789eE", *p->at) != NULL &&
	       *p->at != '\0')
		p->at++;
	literal->length = (size_t)(p->at - literal->text);
	literal->fits[WF_TERM_NUMBER] = true;
	return literal->length > 0 && name_at(p, p->at) == 0;
}

/* xs:date("2026-01-31"), true(); the name is taken. */
static bool read_call(
    struct parser *p, const char *name, struct literal *literal)
{
	bool is_boolean = name[0] != 'x';

	if (!take_mark(p, "(")) {
		(void)fail_at(p, p->at, "'('");
		return false;
	}
	if (is_boolean) {
		literal->text = name;
		literal->length = strlen(name);
		literal->fits[WF_TERM_BOOLEAN] = true;
	} else {
		skip_space(p);
		if (p->at == p->end || (*p->at != '"' && *p->at != '\'')) {
			(void)fail_at(p, p->at,
			    "a text such as "
			    "\"2026-01-31\"");
			return false;
		}
		if (!read_text(p, literal))
			return false;
		literal->fits[WF_TERM_DATE] = true;
	}
	if (take_mark(p, ")"))
		return true;
	(void)fail_at(p, p->at, "')'");
	return false;
}

static bool read_literal(struct parser *p, struct literal *literal)
{
	static const char *const calls[] = { "xs:dateTime", "xs:date", "true",
		"false" };

	memset(literal, 0, sizeof(*literal));
	skip_space(p);
	if (p->at < p->end && (*p->at == '"' || *p->at == '\'')) {
		literal->fits[WF_TERM_TEXT] = true;
		literal->fits[WF_TERM_DATE] = true;
		return read_text(p, literal);
	}
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (take_mark(p, calls[i]))
			return read_call(p, calls[i], literal);
	if (read_number(p, literal))
		return true;
	(void)fail_at(p, p->at,
	    "a number, a text in quotes, xs:date(\"..\"), xs:dateTime(\"..\"), "
	    "true() or false()");
	return false;
}

/* The first type of the variable that the literal can be a value of. */
static struct wf_where_node *bind(struct parser *p, struct wf_where_node *where,
    const struct literal *literal, const char *from)
{
	enum wf_term_type type = WF_TERM_TEXT;
	char text[WF_TERM_SIZE];

	for (size_t i = 0; i < p->count; i++) {
		if (strcmp(p->variables[i].path, where->field) != 0)
			continue;
		type = p->variables[i].type;
		if (!literal->fits[type] ||
		    !wf_term_write(type, literal->text, literal->length, text))
			continue;
		where->text = wf_arena_strdup(p->arena, text);
		return where;
	}
	return fail_at(p, from,
	    type == WF_TERM_NUMBER ? "a number such as 100, which the variable "
				     "is indexed as"
	    : type == WF_TERM_DATE ? "a date such as \"2026-01-31\" or a time "
				     "such as \"2026-01-31T12:00:00Z\", which "
				     "the variable is indexed as"
	    : type == WF_TERM_BOOLEAN ? "true() or false(), which the variable "
					"is indexed as"
				      : "a text in quotes, which the variable "
					"is indexed as");
}

static struct wf_where_node *parse_comparison(struct parser *p)
{
	struct wf_where_node *where = wf_arena_alloc(p->arena, sizeof(*where));
	struct literal literal;
	const char *from;

	*where = (struct wf_where_node){ .kind = WF_WHERE_COMPARISON };
	where->field = read_path(p);
	if (where->field == NULL || !read_comparison(p, &where->comparison))
		return NULL;
	if (++p->comparisons > WF_WHERE_COMPARISONS) {
		(void)wf_fail(p->err, WF_INVALID,
		    "where: expected at most %u comparisons",
		    WF_WHERE_COMPARISONS);
		return NULL;
	}
	skip_space(p);
	from = p->at;
	return read_literal(p, &literal) ? bind(p, where, &literal, from)
					 : NULL;
}

/* --- conditions ----------------------------------------------------------- */

static struct wf_where_node *make(struct parser *p, enum wf_where_kind kind,
    const struct wf_where_node *left, const struct wf_where_node *right)
{
	struct wf_where_node *where = wf_arena_alloc(p->arena, sizeof(*where));

	*where = (struct wf_where_node){
		.kind = kind, .left = left, .right = right
	};
	return where;
}

static struct wf_where_node *parse_or(struct parser *p);

/* The condition in parentheses, whose first one is taken. */
static struct wf_where_node *parse_inner(struct parser *p)
{
	struct wf_where_node *where;

	if (++p->depth > WF_WHERE_DEPTH) {
		(void)wf_fail(p->err, WF_INVALID,
		    "where: expected at most %u parentheses in each other",
		    WF_WHERE_DEPTH);
		return NULL;
	}
	where = parse_or(p);
	p->depth--;
	if (where != NULL && !take_mark(p, ")"))
		return fail_at(p, p->at, "and, or, or ')'");
	return where;
}

/* "not" without a parenthesis is a variable. */
static bool take_not(struct parser *p)
{
	const char *from = p->at;

	if (take_word(p, "not") && take_mark(p, "("))
		return true;
	p->at = from;
	return false;
}

static struct wf_where_node *parse_part(struct parser *p)
{
	struct wf_where_node *where;

	if (take_not(p)) {
		where = parse_inner(p);
		return where == NULL ? NULL
				     : make(p, WF_WHERE_NOT, where, NULL);
	}
	if (take_mark(p, "("))
		return parse_inner(p);
	return parse_comparison(p);
}

static struct wf_where_node *parse_and(struct parser *p)
{
	struct wf_where_node *left = parse_part(p);

	while (left != NULL && take_word(p, "and")) {
		struct wf_where_node *right = parse_part(p);

		left =
		    right == NULL ? NULL : make(p, WF_WHERE_AND, left, right);
	}
	return left;
}

static struct wf_where_node *parse_or(struct parser *p)
{
	struct wf_where_node *left = parse_and(p);

	while (left != NULL && take_word(p, "or")) {
		struct wf_where_node *right = parse_and(p);

		left = right == NULL ? NULL : make(p, WF_WHERE_OR, left, right);
	}
	return left;
}

static bool is_xml(const char *text, size_t length)
{
	const char *end = text + length;

	if (!wf_is_utf8(text, length))
		return false;
	while (text < end)
		if (!wf_is_xml_char(wf_utf8_next(&text, end)))
			return false;
	return true;
}

enum wf_rc wf_where_parse(const struct wf_where_node **where_out,
    const char *text, const struct wf_where_variable *variables, size_t count,
    struct wf_arena *arena, struct wf_error *err)
{
	size_t length = strlen(text);
	struct parser p = { .text = text,
		.at = text,
		.end = text + length,
		.variables = variables,
		.count = count,
		.arena = arena,
		.err = err };

	*where_out = NULL;
	if (length > WF_WHERE_BYTES)
		return wf_fail(err, WF_INVALID,
		    "where: expected at most %u bytes", WF_WHERE_BYTES);
	if (!is_xml(text, length))
		return wf_fail(err, WF_INVALID,
		    "where: expected UTF-8 without control characters");
	*where_out = parse_or(&p);
	if (*where_out == NULL)
		return WF_INVALID;
	skip_space(&p);
	if (p.at == p.end)
		return WF_OK;
	*where_out = NULL;
	(void)fail_at(&p, p.at, "and, or, or the end");
	return WF_INVALID;
}

/* --- evaluation ----------------------------------------------------------- */

static int compare_fields(const void *a, const void *b)
{
	const struct wf_term_row *x = a;
	const struct wf_term_row *y = b;

	return strcmp(x->field, y->field);
}

static bool compares(const struct wf_where_node *where,
    const struct wf_term_row *terms, size_t count)
{
	const struct wf_term_row key = { .field = where->field };
	const struct wf_term_row *found =
	    count == 0
		? NULL
		: bsearch(&key, terms, count, sizeof(terms[0]), compare_fields);
	int order;

	/* A value of another type compares in no way. */
	if (found == NULL || found->text[0] != where->text[0])
		return false;
	order = strcmp(found->text, where->text);
	switch (where->comparison) {
	case WF_COMPARISON_EQUAL:
		return order == 0;
	case WF_COMPARISON_UNEQUAL:
		return order != 0;
	case WF_COMPARISON_LESS:
		return order < 0;
	case WF_COMPARISON_AT_MOST:
		return order <= 0;
	case WF_COMPARISON_GREATER:
		return order > 0;
	default:
		return order >= 0;
	}
}

bool wf_where_holds(const struct wf_where_node *where,
    const struct wf_term_row *terms, size_t count)
{
	switch (where->kind) {
	case WF_WHERE_AND:
		return wf_where_holds(where->left, terms, count) &&
		       wf_where_holds(where->right, terms, count);
	case WF_WHERE_OR:
		return wf_where_holds(where->left, terms, count) ||
		       wf_where_holds(where->right, terms, count);
	case WF_WHERE_NOT:
		return !wf_where_holds(where->left, terms, count);
	default:
		return compares(where, terms, count);
	}
}
