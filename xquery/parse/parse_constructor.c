/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constructors.  Direct ones are read character by character: inside tags
 * and content neither white space nor comments are passed over.  Namespace
 * declarations count for the whole element, names before them included, so
 * names are bound later, by the resolver.
 */
#include "xquery/parse/parse.h"

#include <string.h>

#include "xquery/atomic/atomic.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static void skip_space(struct wf_parser *parser)
{
	while (is_space(*parser->at))
		parser->at++;
}

static bool next_is(const struct wf_parser *parser, const char *symbol)
{
	return strncmp(parser->at, symbol, strlen(symbol)) == 0;
}

static void pass(struct wf_parser *parser, const char *symbol)
{
	if (!next_is(parser, symbol))
		wf_parse_unexpected(parser);
	parser->at += strlen(symbol);
}

static struct wf_expr *new_constructor(
    struct wf_parser *parser, enum wf_expr_kind kind)
{
	struct wf_expr *expr = wf_expr_new(parser, kind, parser->at);

	expr->u.constructor =
	    wf_arena_alloc(parser->arena, sizeof(struct wf_constructor));
	return expr;
}

/* Makes the literal text so far a kid of expr. */
static void add_text(struct wf_parser *parser, struct wf_expr *expr)
{
	struct wf_expr *text;

	if (parser->scratch.length == 0)
		return;
	text = wf_expr_new(parser, WF_EXPR_CONTENT, parser->at);
	text->u.literal = wf_atomic_string(WF_XS_STRING,
	    wf_arena_strndup(parser->arena, wf_buffer_text(&parser->scratch),
		parser->scratch.length),
	    parser->scratch.length);
	wf_expr_add(parser, expr, text);
	wf_buffer_reset(&parser->scratch);
}

/* "{{", "}}" and "{ Expr }" of content and attribute values. */
static bool parse_brace(struct wf_parser *parser, struct wf_expr *expr)
{
	if (*parser->at != '{' && *parser->at != '}')
		return false;
	if (parser->at[1] == parser->at[0]) {
		wf_buffer_putc(&parser->scratch, *parser->at);
		parser->at += 2;
		return true;
	}
	if (*parser->at == '}')
		wf_parse_unexpected(parser);
	add_text(parser, expr);
	wf_expr_add(parser, expr, wf_parse_enclosed(parser));
	wf_buffer_reset(&parser->scratch);
	return true;
}

/* The value in its quotes; its parts become kids of the attribute. */
static void parse_attribute_value(
    struct wf_parser *parser, struct wf_expr *attribute)
{
	char quote = *parser->at;

	if (quote != '"' && quote != '\'')
		wf_parse_unexpected(parser);
	parser->at++;
	wf_buffer_reset(&parser->scratch);
	for (;;) {
		if (*parser->at == quote) {
			if (parser->at[1] != quote)
				break;
			wf_buffer_putc(&parser->scratch, quote);
			parser->at += 2;
		} else if (*parser->at == '&') {
			wf_expect_reference(parser);
		} else if (*parser->at == '<' || parser->at == parser->end) {
			wf_parse_unexpected(parser);
		} else if (!parse_brace(parser, attribute)) {
			wf_buffer_putc(&parser->scratch,
			    is_space(*parser->at) ? ' ' : *parser->at);
			parser->at++;
		}
	}
	parser->at++;
	add_text(parser, attribute);
}

static void check_declaration(struct wf_parser *parser, const char *at,
    const char *prefix, const char *uri)
{
	const struct wf_namespace *one = parser->namespaces->list;

	if (strcmp(prefix, "xmlns") == 0 || strcmp(uri, WF_NS_XMLNS) == 0 ||
	    (strcmp(prefix, "xml") == 0) != (strcmp(uri, WF_NS_XML) == 0))
		wf_parse_fail(parser, "XQST0070", at,
		    "the prefixes xml and xmlns stand for themselves only");
	if (prefix[0] != '\0' && uri[0] == '\0')
		wf_parse_fail(parser, "XQST0085", at,
		    "the prefix %s is declared without a namespace", prefix);
	for (; one != NULL; one = one->next) {
		if (strcmp(one->prefix, prefix) == 0)
			wf_parse_fail(parser, "XQST0071", at,
			    "the prefix \"%s\" is declared twice", prefix);
	}
}

/* White space of a namespace URI is normalised as for xs:anyURI. */
static const char *normalized_uri(struct wf_parser *parser, const char *text)
{
	char *uri = wf_arena_strdup(parser->arena, text);
	size_t used = 0;

	for (size_t i = 0; uri[i] != '\0'; i++) {
		if (!is_space(uri[i]))
			uri[used++] = uri[i];
		else if (used > 0 && uri[used - 1] != ' ')
			uri[used++] = ' ';
	}
	if (used > 0 && uri[used - 1] == ' ')
		used--;
	uri[used] = '\0';
	return uri;
}

static void declare_namespace(struct wf_parser *parser, const char *at,
    const char *prefix, const struct wf_expr *attribute)
{
	struct wf_namespace *one;
	const char *uri = "";

	if (attribute->count > 1 ||
	    (attribute->count == 1 &&
		attribute->kids[0]->kind != WF_EXPR_CONTENT))
		wf_parse_fail(parser, "XQST0022", at,
		    "a namespace declaration holds no expression");
	if (attribute->count == 1)
		uri = normalized_uri(
		    parser, attribute->kids[0]->u.literal.as.string.text);
	check_declaration(parser, at, prefix, uri);
	one = wf_arena_alloc(parser->arena, sizeof(struct wf_namespace));
	one->prefix = prefix;
	one->uri = uri;
	one->next = parser->namespaces->list;
	parser->namespaces->list = one;
}

/* A name of XML, not Q{uri}name. */
static struct wf_qname expect_tag_name(struct wf_parser *parser)
{
	if (next_is(parser, "Q{"))
		parser->at++;
	else if (wf_ncname_length(parser->at) > 0)
		return wf_expect_qname(parser);
	wf_parse_unexpected(parser);
}

static void parse_attribute(struct wf_parser *parser, struct wf_expr *element)
{
	struct wf_expr *attribute = new_constructor(parser, WF_EXPR_ATTRIBUTE);
	const char *start = parser->at;
	struct wf_qname name;

	name = expect_tag_name(parser);
	skip_space(parser);
	pass(parser, "=");
	skip_space(parser);
	parse_attribute_value(parser, attribute);
	if (strcmp(name.prefix, "xmlns") == 0) {
		declare_namespace(parser, start, name.local, attribute);
	} else if (name.prefix[0] == '\0' && strcmp(name.local, "xmlns") == 0) {
		declare_namespace(parser, start, "", attribute);
	} else {
		attribute->u.constructor->name = name;
		attribute->u.constructor->direct = true;
		wf_expr_add(parser, element, attribute);
		element->u.constructor->attributes++;
	}
}

static struct wf_expr *parse_direct_comment(struct wf_parser *parser)
{
	struct wf_expr *expr = new_constructor(parser, WF_EXPR_COMMENT);
	const char *end;

	parser->at += 4;
	wf_buffer_reset(&parser->scratch);
	end = strstr(parser->at, "--");
	if (end == NULL || end[2] != '>')
		wf_parse_fail(parser, "XPST0003", parser->at,
		    "a comment ends with --> and holds no --");
	wf_buffer_append(
	    &parser->scratch, parser->at, (size_t)(end - parser->at));
	add_text(parser, expr);
	parser->at = end + 3;
	return expr;
}

static struct wf_expr *parse_direct_instruction(struct wf_parser *parser)
{
	struct wf_expr *expr = new_constructor(parser, WF_EXPR_INSTRUCTION);
	const char *end;

	parser->at += 2;
	if (wf_ncname_length(parser->at) == 0)
		wf_parse_unexpected(parser);
	expr->u.constructor->name.prefix = "";
	expr->u.constructor->name.uri = "";
	expr->u.constructor->name.local = wf_expect_ncname(parser);
	if (strcasecmp(expr->u.constructor->name.local, "xml") == 0 ||
	    (!is_space(*parser->at) && !next_is(parser, "?>")))
		wf_parse_unexpected(parser);
	skip_space(parser);
	end = strstr(parser->at, "?>");
	if (end == NULL)
		wf_parse_fail(parser, "XPST0003", parser->at,
		    "a processing instruction ends with ?>");
	wf_buffer_reset(&parser->scratch);
	wf_buffer_append(
	    &parser->scratch, parser->at, (size_t)(end - parser->at));
	add_text(parser, expr);
	parser->at = end + 2;
	return expr;
}

/* Text that is only white space between other things may be dropped. */
static void flush_text(
    struct wf_parser *parser, struct wf_expr *element, bool significant)
{
	if (significant || parser->preserve_space)
		add_text(parser, element);
	wf_buffer_reset(&parser->scratch);
}

static void parse_cdata(struct wf_parser *parser)
{
	const char *end = strstr(parser->at, "]]>");

	if (end == NULL)
		wf_parse_fail(parser, "XPST0003", parser->at,
		    "a CDATA section ends with ]]>");
	parser->at += strlen("<![CDATA[");
	wf_buffer_append(
	    &parser->scratch, parser->at, (size_t)(end - parser->at));
	parser->at = end + 3;
}

/* Everything between the tags, up to "</". */
static void parse_content(struct wf_parser *parser, struct wf_expr *element)
{
	bool significant = false;

	wf_buffer_reset(&parser->scratch);
	while (!next_is(parser, "</")) {
		if (parser->at == parser->end)
			wf_parse_unexpected(parser);
		if (next_is(parser, "<![CDATA[")) {
			parse_cdata(parser);
			significant = true;
		} else if (*parser->at == '<') {
			flush_text(parser, element, significant);
			wf_expr_add(parser, element, wf_parse_direct(parser));
			wf_buffer_reset(&parser->scratch);
			significant = false;
		} else if (*parser->at == '&') {
			wf_expect_reference(parser);
			significant = true;
		} else if (*parser->at == '{' && parser->at[1] != '{') {
			flush_text(parser, element, significant);
			(void)parse_brace(parser, element);
			significant = false;
		} else if (parse_brace(parser, element)) {
			significant = true;
		} else {
			if (!is_space(*parser->at))
				significant = true;
			wf_buffer_putc(&parser->scratch, *parser->at++);
		}
	}
	flush_text(parser, element, significant);
}

static void parse_end_tag(struct wf_parser *parser, const struct wf_qname *name)
{
	const char *start = parser->at;
	struct wf_qname end;

	pass(parser, "</");
	end = expect_tag_name(parser);
	if (strcmp(end.prefix, name->prefix) != 0 ||
	    strcmp(end.local, name->local) != 0)
		wf_parse_fail(parser, "XPST0003", start,
		    "err:XQST0118: the end tag of \"%s\" does not match",
		    name->local);
	skip_space(parser);
	pass(parser, ">");
}

static void parse_start_tag(struct wf_parser *parser, struct wf_expr *element)
{
	unsigned count = 0;

	for (;;) {
		bool space = is_space(*parser->at);

		skip_space(parser);
		if (*parser->at == '/' || *parser->at == '>')
			return;
		if (!space)
			wf_parse_unexpected(parser);
		wf_parse_count(parser, &count);
		parse_attribute(parser, element);
	}
}

static struct wf_expr *parse_direct_element(struct wf_parser *parser)
{
	const struct wf_namespaces *outer = parser->namespaces;
	struct wf_expr *element;

	wf_parse_enter(parser);
	parser->namespaces =
	    wf_arena_alloc(parser->arena, sizeof(struct wf_namespaces));
	parser->namespaces->outer = outer;
	parser->namespaces->is_constructor = true;
	element = new_constructor(parser, WF_EXPR_ELEMENT);
	parser->at++;
	element->u.constructor->direct = true;
	element->u.constructor->name = expect_tag_name(parser);
	parse_start_tag(parser, element);
	if (next_is(parser, "/>")) {
		parser->at += 2;
	} else {
		pass(parser, ">");
		parse_content(parser, element);
		parse_end_tag(parser, &element->u.constructor->name);
	}
	parser->namespaces = (struct wf_namespaces *)outer;
	wf_parse_leave(parser);
	return element;
}

struct wf_expr *wf_parse_direct(struct wf_parser *parser)
{
	if (next_is(parser, "<!--"))
		return parse_direct_comment(parser);
	if (next_is(parser, "<?"))
		return parse_direct_instruction(parser);
	return parse_direct_element(parser);
}

static const struct {
	const char *name;
	enum wf_expr_kind kind;
	bool has_name;
} computed[] = {
	{ "element", WF_EXPR_ELEMENT, true },
	{ "attribute", WF_EXPR_ATTRIBUTE, true },
	{ "processing-instruction", WF_EXPR_INSTRUCTION, true },
	{ "namespace", WF_EXPR_NAMESPACE, true },
	{ "text", WF_EXPR_TEXT, false },
	{ "comment", WF_EXPR_COMMENT, false },
	{ "document", WF_EXPR_DOCUMENT, false },
};

/* "name {" or "name QName {" */
static bool computed_here(struct wf_parser *parser, size_t i)
{
	const char *start;
	bool found = false;

	wf_skip(parser);
	start = parser->at;
	if (!wf_accept_word(parser, computed[i].name))
		return false;
	if (wf_peek(parser, "{")) {
		found = true;
	} else if (computed[i].has_name && wf_peek_qname(parser) &&
		   parser->at > start + strlen(computed[i].name)) {
		(void)wf_expect_qname(parser);
		found = wf_peek(parser, "{");
	}
	parser->at = start;
	return found;
}

static void computed_name(
    struct wf_parser *parser, struct wf_expr *expr, enum wf_expr_kind kind)
{
	struct wf_qname *name = &expr->u.constructor->name;

	if (wf_peek(parser, "{")) {
		wf_expr_add(parser, expr, wf_parse_enclosed(parser));
		return;
	}
	if (kind == WF_EXPR_INSTRUCTION || kind == WF_EXPR_NAMESPACE) {
		name->prefix = "";
		name->uri = "";
		name->local = wf_expect_ncname(parser);
	} else {
		*name = wf_expect_qname(parser);
	}
}

struct wf_expr *wf_parse_computed(struct wf_parser *parser)
{
	struct wf_expr *expr;
	size_t i;

	for (i = 0; i < sizeof(computed) / sizeof(computed[0]); i++) {
		if (computed_here(parser, i))
			break;
	}
	if (i == sizeof(computed) / sizeof(computed[0]))
		return NULL;
	expr = new_constructor(parser, computed[i].kind);
	wf_expect_word(parser, computed[i].name);
	if (computed[i].has_name)
		computed_name(parser, expr, computed[i].kind);
	wf_expr_add(parser, expr, wf_parse_enclosed(parser));
	return expr;
}
