/* SPDX-License-Identifier: Apache-2.0 */
/* The prolog: version, setters, namespaces, variables, functions, options. */
#include "xquery/parse/parse.h"

#include <string.h>

#include "xquery/atomic/atomic.h"

/* The setters that were seen; each is allowed once. */
struct prolog {
	bool boundary_space;
	bool base_uri;
	bool collation;
	bool construction;
	bool ordering;
	bool empty_order;
	bool copy_namespaces;
	bool default_element;
	bool default_function;
	unsigned count;
	bool second_part; /* a variable, function or option was seen */
};

static void once(
    struct wf_parser *parser, bool *came, const char *code, const char *what)
{
	if (*came)
		wf_parse_fail(
		    parser, code, parser->at, "%s is declared twice", what);
	*came = true;
}

static void declare_prefix(
    struct wf_parser *parser, const char *prefix, const char *uri)
{
	struct wf_namespace *one =
	    wf_arena_alloc(parser->arena, sizeof(struct wf_namespace));

	one->prefix = prefix;
	one->uri = uri;
	one->next = parser->namespaces->list;
	parser->namespaces->list = one;
}

static void predefined(struct wf_parser *parser)
{
	struct wf_namespaces *outer =
	    wf_arena_alloc(parser->arena, sizeof(struct wf_namespaces));

	parser->namespaces = outer;
	declare_prefix(parser, "xml", WF_NS_XML);
	declare_prefix(parser, "xs", WF_NS_XS);
	declare_prefix(parser, "xsi", WF_NS_XSI);
	declare_prefix(parser, "fn", WF_NS_FN);
	declare_prefix(parser, "local", WF_NS_LOCAL);
	declare_prefix(parser, "math", WF_NS_MATH);
	declare_prefix(parser, "err", WF_NS_ERR);
	parser->namespaces =
	    wf_arena_alloc(parser->arena, sizeof(struct wf_namespaces));
	parser->namespaces->outer = outer;
	parser->query->default_function = WF_NS_FN;
	parser->query->namespaces = parser->namespaces;
	wf_parse_usual_format(parser);
}

static const char *expect_uri(struct wf_parser *parser)
{
	struct wf_string string = wf_expect_string(parser);
	char *uri = wf_arena_alloc(parser->arena, string.length + 1);
	size_t used = 0;

	for (size_t i = 0; i < string.length; i++) {
		if (strchr(" \t\n\r", string.text[i]) == NULL)
			uri[used++] = string.text[i];
		else if (used > 0 && uri[used - 1] != ' ')
			uri[used++] = ' ';
	}
	if (used > 0 && uri[used - 1] == ' ')
		uri[used - 1] = '\0';
	return uri;
}

static void parse_version(struct wf_parser *parser)
{
	struct wf_string text;
	const char *start = parser->at;

	if (wf_accept_words(parser, "xquery", "version")) {
		text = wf_expect_string(parser);
		if (strcmp(text.text, "1.0") != 0 &&
		    strcmp(text.text, "3.0") != 0 &&
		    strcmp(text.text, "3.1") != 0)
			wf_parse_fail(parser, "XQST0031", start,
			    "version \"%s\" of XQuery is not supported",
			    text.text);
		if (!wf_accept_word(parser, "encoding")) {
			wf_expect(parser, ";");
			return;
		}
	} else if (!wf_accept_words(parser, "xquery", "encoding")) {
		return;
	}
	start = parser->at;
	text = wf_expect_string(parser);
	if (text.length == 0 ||
	    strspn(text.text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstu"
			      "vwxyz0123456789._-") != text.length ||
	    strchr("0123456789._-", text.text[0]) != NULL)
		wf_parse_fail(parser, "XQST0087", start,
		    "\"%s\" is not the name of an encoding", text.text);
	wf_expect(parser, ";");
}

static void parse_boundary_space(
    struct wf_parser *parser, struct prolog *prolog)
{
	once(parser, &prolog->boundary_space, "XQST0068", "boundary-space");
	parser->preserve_space = wf_accept_word(parser, "preserve");
	if (!parser->preserve_space)
		wf_expect_word(parser, "strip");
}

static void parse_construction(struct wf_parser *parser, struct prolog *prolog)
{
	once(parser, &prolog->construction, "XQST0067", "construction");
	if (wf_accept_word(parser, "preserve"))
		parser->query->preserve_construction = true;
	else
		wf_expect_word(parser, "strip");
}

static void parse_ordering(struct wf_parser *parser, struct prolog *prolog)
{
	once(parser, &prolog->ordering, "XQST0065", "ordering");
	if (!wf_accept_word(parser, "ordered"))
		wf_expect_word(parser, "unordered");
}

static void parse_copy_namespaces(
    struct wf_parser *parser, struct prolog *prolog)
{
	once(parser, &prolog->copy_namespaces, "XQST0055", "copy-namespaces");
	if (wf_accept_word(parser, "no-preserve"))
		parser->query->no_preserve = true;
	else
		wf_expect_word(parser, "preserve");
	wf_expect(parser, ",");
	if (wf_accept_word(parser, "no-inherit"))
		parser->query->no_inherit = true;
	else
		wf_expect_word(parser, "inherit");
}

static void parse_base_uri(struct wf_parser *parser, struct prolog *prolog)
{
	once(parser, &prolog->base_uri, "XQST0032", "base-uri");
	parser->query->base_uri = expect_uri(parser);
}

bool wf_is_collation(struct wf_parser *parser, const char *uri)
{
	const char *base = parser->query->base_uri;

	if (strcmp(uri, WF_COLLATION_CODEPOINT) == 0)
		return true;
	return base != NULL &&
	       strcmp(wf_arena_printf(parser->arena, "%s%s", base, uri),
		   WF_COLLATION_CODEPOINT) == 0;
}

static void parse_collation(struct wf_parser *parser, struct prolog *prolog)
{
	const char *start = parser->at;
	const char *uri;

	once(parser, &prolog->collation, "XQST0038", "the default collation");
	uri = expect_uri(parser);
	if (!wf_is_collation(parser, uri))
		wf_parse_fail(parser, "XQST0038", start,
		    "the collation \"%s\" is not known", uri);
	parser->query->default_collation = WF_COLLATION_CODEPOINT;
}

static void parse_empty_order(struct wf_parser *parser, struct prolog *prolog)
{
	once(parser, &prolog->empty_order, "XQST0069", "the order of empty");
	wf_expect_word(parser, "empty");
	if (wf_accept_word(parser, "greatest"))
		parser->query->empty_greatest = true;
	else
		wf_expect_word(parser, "least");
}

static void check_namespace(
    struct wf_parser *parser, const char *at, const char *uri)
{
	if (strcmp(uri, WF_NS_XML) == 0 || strcmp(uri, WF_NS_XMLNS) == 0)
		wf_parse_fail(parser, "XQST0070", at,
		    "the namespaces of xml and xmlns cannot be declared");
}

/* "declare default ..." after these words. */
static void parse_default(struct wf_parser *parser, struct prolog *prolog)
{
	const char *start = parser->at;
	const char *uri;

	if (wf_accept_word(parser, "collation")) {
		parse_collation(parser, prolog);
	} else if (wf_accept_word(parser, "decimal-format")) {
		wf_parse_decimal_format(parser, true);
	} else if (wf_peek_word(parser, "order")) {
		wf_expect_word(parser, "order");
		parse_empty_order(parser, prolog);
	} else if (wf_accept_words(parser, "element", "namespace")) {
		once(parser, &prolog->default_element, "XQST0066",
		    "the default element namespace");
		uri = expect_uri(parser);
		check_namespace(parser, start, uri);
		declare_prefix(parser, "", uri);
	} else {
		wf_expect_word(parser, "function");
		wf_expect_word(parser, "namespace");
		once(parser, &prolog->default_function, "XQST0066",
		    "the default function namespace");
		uri = expect_uri(parser);
		check_namespace(parser, start, uri);
		parser->query->default_function = uri;
	}
}

static void parse_namespace(struct wf_parser *parser)
{
	const char *start = parser->at;
	const struct wf_namespace *one = parser->namespaces->list;
	const char *prefix = wf_expect_ncname(parser);
	const char *uri;

	wf_expect(parser, "=");
	uri = expect_uri(parser);
	if (strcmp(prefix, "xml") == 0 || strcmp(prefix, "xmlns") == 0)
		wf_parse_fail(parser, "XQST0070", start,
		    "the prefix %s cannot be declared", prefix);
	check_namespace(parser, start, uri);
	for (; one != NULL; one = one->next) {
		if (strcmp(one->prefix, prefix) == 0)
			wf_parse_fail(parser, "XQST0033", start,
			    "the prefix %s is declared twice", prefix);
	}
	declare_prefix(parser, prefix, uri);
}

static void parse_variable(struct wf_parser *parser)
{
	struct wf_query *query = parser->query;
	struct wf_global *global;

	query->globals =
	    wf_arena_grow(parser->arena, query->globals, query->global_count,
		&query->global_capacity, sizeof(struct wf_global));
	global = &query->globals[query->global_count];
	wf_skip(parser);
	memset(global, 0, sizeof(*global));
	global->external = -1;
	global->offset = (uint32_t)(parser->at - parser->text);
	global->namespaces = parser->namespaces;
	global->name = wf_expect_variable(parser);
	if (wf_accept_word(parser, "as"))
		global->type = wf_parse_sequence_type(parser);
	if (wf_accept_word(parser, "external")) {
		global->is_external = true;
		if (wf_accept(parser, ":="))
			global->value = wf_parse_single(parser);
	} else {
		wf_expect(parser, ":=");
		global->value = wf_parse_single(parser);
	}
	query->global_count++;
}

static void add_parameter(
    struct wf_parser *parser, struct wf_user_function *function)
{
	size_t n = function->count;

	function->parameters =
	    wf_arena_grow(parser->arena, function->parameters, n,
		&function->capacity, sizeof(struct wf_qname));
	function->types = wf_arena_grow(parser->arena, function->types, n,
	    &function->type_capacity, sizeof(struct wf_sequence_type *));
	function->parameters[n] = wf_expect_variable(parser);
	function->types[n] = NULL;
	if (wf_accept_word(parser, "as"))
		function->types[n] = wf_parse_sequence_type(parser);
	function->count++;
}

static void parse_function(struct wf_parser *parser)
{
	struct wf_query *query = parser->query;
	struct wf_user_function *function =
	    wf_arena_alloc(parser->arena, sizeof(struct wf_user_function));
	unsigned count = 0;

	wf_skip(parser);
	function->offset = (uint32_t)(parser->at - parser->text);
	function->namespaces = parser->namespaces;
	function->name = wf_expect_qname(parser);
	wf_check_function_name(
	    parser, &function->name, parser->text + function->offset);
	wf_expect(parser, "(");
	if (!wf_accept(parser, ")")) {
		do {
			wf_parse_count(parser, &count);
			add_parameter(parser, function);
		} while (wf_accept(parser, ","));
		wf_expect(parser, ")");
	}
	if (wf_accept_word(parser, "as"))
		function->result = wf_parse_sequence_type(parser);
	if (!wf_accept_word(parser, "external"))
		function->body = wf_parse_enclosed(parser);
	query->functions = wf_arena_grow(parser->arena, query->functions,
	    query->function_count, &query->function_capacity,
	    sizeof(struct wf_user_function *));
	query->functions[query->function_count++] = function;
}

/* The name of an annotation or option, with its namespace. */
static struct wf_qname expect_annotation(
    struct wf_parser *parser, const char *start)
{
	struct wf_qname name = wf_expect_qname(parser);

	if (name.uri == NULL && name.prefix[0] == '\0')
		name.uri = WF_NS_XQUERY;
	else if (name.uri == NULL)
		name.uri = wf_namespaces_find(parser->namespaces, name.prefix);
	if (name.uri == NULL)
		wf_parse_fail(parser, "XPST0081", start,
		    "the prefix %s is not declared", name.prefix);
	return name;
}

static void check_annotation(
    struct wf_parser *parser, const struct wf_qname *name, const char *at)
{
	static const char *const taken[] = { WF_NS_XML, WF_NS_XS, WF_NS_XSI,
		WF_NS_FN, WF_NS_MATH, WF_NS_MAP, WF_NS_ARRAY, WF_NS_XQUERY };

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		if (strcmp(name->uri, taken[i]) == 0)
			wf_parse_fail(parser, "XQST0045", at,
			    "there is no annotation %s", name->local);
	}
}

/*
 * %name("literal", ...) before variables and functions.  Its meaning is
 * ignored: without modules nothing can be private.
 */
static void parse_annotations(struct wf_parser *parser, const char **twice_out)
{
	bool visible = false;
	struct wf_atomic number;

	*twice_out = NULL;
	while (wf_accept(parser, "%")) {
		const char *start = parser->at;
		struct wf_qname name = expect_annotation(parser, start);

		if (strcmp(name.uri, WF_NS_XQUERY) == 0 &&
		    (strcmp(name.local, "public") == 0 ||
			strcmp(name.local, "private") == 0)) {
			if (visible)
				*twice_out = start;
			visible = true;
		} else {
			check_annotation(parser, &name, start);
		}
		if (!wf_accept(parser, "("))
			continue;
		do {
			if (wf_peek_string(parser))
				(void)wf_expect_string(parser);
			else if (!wf_accept_number(parser, &number))
				wf_parse_unexpected(parser);
		} while (wf_accept(parser, ","));
		wf_expect(parser, ")");
	}
}

/* "declare %a %b variable" or "... function" */
static void parse_annotated(struct wf_parser *parser)
{
	bool is_variable;
	const char *twice;

	wf_expect_word(parser, "declare");
	parse_annotations(parser, &twice);
	is_variable = wf_accept_word(parser, "variable");
	if (!is_variable)
		wf_expect_word(parser, "function");
	if (twice != NULL)
		wf_parse_fail(parser, is_variable ? "XQST0116" : "XQST0106",
		    twice, "%%public and %%private are said once");
	if (is_variable)
		parse_variable(parser);
	else
		parse_function(parser);
}

/* "declare context item": a global variable without a name. */
static void parse_context(struct wf_parser *parser)
{
	struct wf_query *query = parser->query;
	struct wf_global *global =
	    wf_arena_alloc(parser->arena, sizeof(struct wf_global));

	if (query->context != NULL)
		wf_parse_fail(parser, "XQST0099", parser->at,
		    "the context item is declared twice");
	global->offset = (uint32_t)(parser->at - parser->text);
	global->namespaces = parser->namespaces;
	global->external = -1;
	if (wf_accept_word(parser, "as")) {
		const char *start = parser->at;
		const struct wf_sequence_type *type =
		    wf_parse_sequence_type(parser);

		if (type->occurrence != '\0')
			wf_parse_fail(parser, "XPST0003", start,
			    "the context item is one item");
		global->type = type;
	}
	global->is_external = wf_accept_word(parser, "external");
	if (!global->is_external || wf_peek(parser, ":=")) {
		wf_expect(parser, ":=");
		global->value = wf_parse_single(parser);
	}
	query->context = global;
}

/* The caller decides how a result is serialised; only the names are checked. */
static void check_serialization(
    struct wf_parser *parser, const char *local, const char *at)
{
	static const char *const known[] = { "allow-duplicate-names",
		"byte-order-mark", "cdata-section-elements", "doctype-public",
		"doctype-system", "encoding", "escape-uri-attributes",
		"html-version", "include-content-type", "indent",
		"item-separator", "json-node-output-method", "media-type",
		"method", "normalization-form", "omit-xml-declaration",
		"parameter-document", "standalone", "suppress-indentation",
		"undeclare-prefixes", "version" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i], local) == 0)
			return;
	}
	wf_parse_fail(parser, "XQST0109", at,
	    "there is no serialization parameter %s", local);
}

static void parse_option(struct wf_parser *parser)
{
	const char *start = parser->at;
	struct wf_qname name = expect_annotation(parser, start);

	(void)wf_expect_string(parser);
	if (strcmp(name.uri, WF_NS_OUTPUT) == 0)
		check_serialization(parser, name.local, start);
}

/* The second part; false: "declare" is followed by something else. */
static bool parse_second(struct wf_parser *parser, struct prolog *prolog)
{
	const char *start = parser->at;

	if (wf_peek_word_then(parser, "declare", "%")) {
		parse_annotated(parser);
	} else if (wf_accept_words(parser, "declare", "context")) {
		if (!wf_accept_word(parser, "item")) {
			parser->at = start;
			return false;
		}
		parse_context(parser);
	} else if (wf_accept_words(parser, "declare", "variable")) {
		parse_variable(parser);
	} else if (wf_accept_words(parser, "declare", "function")) {
		parse_function(parser);
	} else if (wf_accept_words(parser, "declare", "option")) {
		parse_option(parser);
	} else {
		return false;
	}
	prolog->second_part = true;
	return true;
}

/* The first part; false: no declaration begins here. */
static bool parse_first(struct wf_parser *parser, struct prolog *prolog)
{
	const char *start;

	wf_skip(parser);
	start = parser->at;
	if (wf_accept_words(parser, "declare", "boundary-space"))
		parse_boundary_space(parser, prolog);
	else if (wf_accept_words(parser, "declare", "default"))
		parse_default(parser, prolog);
	else if (wf_accept_words(parser, "declare", "base-uri"))
		parse_base_uri(parser, prolog);
	else if (wf_accept_words(parser, "declare", "construction"))
		parse_construction(parser, prolog);
	else if (wf_accept_words(parser, "declare", "ordering"))
		parse_ordering(parser, prolog);
	else if (wf_accept_words(parser, "declare", "copy-namespaces"))
		parse_copy_namespaces(parser, prolog);
	else if (wf_accept_words(parser, "declare", "decimal-format"))
		wf_parse_decimal_format(parser, false);
	else if (wf_accept_words(parser, "declare", "namespace"))
		parse_namespace(parser);
	else if (wf_accept_words(parser, "import", "schema"))
		wf_parse_fail(
		    parser, "XQST0009", start, "schemas cannot be imported");
	else if (wf_accept_words(parser, "import", "module"))
		wf_parse_fail(
		    parser, "XQST0016", start, "modules cannot be imported");
	else
		return false;
	if (prolog->second_part)
		wf_parse_fail(parser, "XPST0003", start,
		    "this must stand before variables, functions and options");
	return true;
}

void wf_parse_prolog(struct wf_parser *parser)
{
	struct prolog prolog;

	memset(&prolog, 0, sizeof(prolog));
	predefined(parser);
	wf_skip(parser);
	parse_version(parser);
	if (wf_peek_words(parser, "module", "namespace"))
		wf_parse_fail(parser, "XPST0003", parser->at,
		    "a library module is not a query");
	while (parse_first(parser, &prolog) || parse_second(parser, &prolog)) {
		wf_expect(parser, ";");
		wf_parse_count(parser, &prolog.count);
	}
}
