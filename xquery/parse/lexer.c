/* SPDX-License-Identifier: Apache-2.0 */
/* The lexer: tests and takes single symbols, words, names, literals. */
#include "xquery/parse/parse.h"

#include <stdio.h>
#include <string.h>

#include "xquery/atomic/atomic.h"
#include "xquery/text/unicode.h"

void wf_text_place(const char *text, uint32_t offset, struct wf_place *place)
{
	int line = 1;
	int column = 1;

	for (uint32_t i = 0; i < offset && text[i] != '\0'; i++) {
		if (text[i] == '\n') {
			line++;
			column = 1;
		} else if (((unsigned char)text[i] & 0xC0U) != 0x80) {
			column++;
		}
	}
	place->line = line;
	place->column = column;
}

void wf_parse_fail(struct wf_parser *parser, const char *code, const char *at,
    const char *format, ...)
{
	char message[256];
	va_list arguments;
	enum wf_rc rc = code[0] == '\0' ? WF_LIMIT : WF_DATA;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	wf_text_place(
	    parser->text, (uint32_t)(at - parser->text), &parser->err->place);
	(void)wf_fail_code(
	    parser->err, rc, rc == WF_LIMIT ? "XPDY0130" : code, "%s", message);
	longjmp(parser->failed, 1);
}

void wf_parse_unexpected(struct wf_parser *parser)
{
	size_t length = 0;

	wf_skip(parser);
	if (parser->at == parser->end)
		wf_parse_fail(parser, "XPST0003", parser->at,
		    "the query ends where something more is expected");
	while (length < 20 && parser->at[length] != '\0' &&
	       parser->at[length] != '\n')
		length++;
	while (
	    length > 0 && ((unsigned char)parser->at[length] & 0xC0U) == 0x80)
		length--;
	wf_parse_fail(parser, "XPST0003", parser->at,
	    "syntax error at \"%.*s\"", (int)length, parser->at);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_comment(struct wf_parser *parser)
{
	const char *start = parser->at;
	size_t nested = 0;

	do {
		if (parser->at[0] == '(' && parser->at[1] == ':') {
			nested++;
			parser->at += 2;
		} else if (parser->at[0] == ':' && parser->at[1] == ')') {
			nested--;
			parser->at += 2;
		} else if (parser->at == parser->end) {
			wf_parse_fail(parser, "XPST0003", start,
			    "this comment is not closed");
		} else {
			parser->at++;
		}
	} while (nested > 0);
}

void wf_skip(struct wf_parser *parser)
{
	for (;;) {
		while (is_space(*parser->at))
			parser->at++;
		if (parser->at[0] != '(' || parser->at[1] != ':')
			return;
		skip_comment(parser);
	}
}

bool wf_peek(struct wf_parser *parser, const char *symbol)
{
	wf_skip(parser);
	return strncmp(parser->at, symbol, strlen(symbol)) == 0;
}

bool wf_accept(struct wf_parser *parser, const char *symbol)
{
	if (!wf_peek(parser, symbol))
		return false;
	parser->at += strlen(symbol);
	return true;
}

void wf_expect(struct wf_parser *parser, const char *symbol)
{
	if (!wf_accept(parser, symbol))
		wf_parse_unexpected(parser);
}

uint32_t wf_utf8_decode(const char *at, size_t *length)
{
	const unsigned char *s = (const unsigned char *)at;
	static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t size;
	uint32_t c;

	*length = 1;
	if (s[0] < 0x80)
		return s[0];
	if (s[0] >= 0xC2 && s[0] < 0xE0)
		size = 2;
	else if (s[0] >= 0xE0 && s[0] < 0xF0)
		size = 3;
	else if (s[0] >= 0xF0 && s[0] < 0xF5)
		size = 4;
	else
		return 0;
	c = s[0] & (0xFFU >> (size + 1));
	for (size_t i = 1; i < size; i++) {
		if ((s[i] & 0xC0U) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3FU);
	}
	if (c < least[size] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
		return 0;
	*length = size;
	return c;
}

size_t wf_ncname_length(const char *at)
{
	size_t total = 0;
	size_t length;
	uint32_t c = wf_utf8_decode(at, &length);

	if (!wf_is_name_start(c) || c == ':')
		return 0;
	do {
		total += length;
		c = wf_utf8_decode(at + total, &length);
	} while (wf_is_name_char(c) && c != ':');
	return total;
}

/* The length of the word at the current place, unless it is part of a QName. */
static bool word_here(struct wf_parser *parser, const char *word)
{
	size_t length = strlen(word);
	const char *after;

	wf_skip(parser);
	if (strncmp(parser->at, word, length) != 0 ||
	    wf_ncname_length(parser->at) != length)
		return false;
	after = parser->at + length;
	return after[0] != ':' || wf_ncname_length(after + 1) == 0;
}

bool wf_peek_word(struct wf_parser *parser, const char *word)
{
	return word_here(parser, word);
}

bool wf_accept_word(struct wf_parser *parser, const char *word)
{
	if (!word_here(parser, word))
		return false;
	parser->at += strlen(word);
	return true;
}

void wf_expect_word(struct wf_parser *parser, const char *word)
{
	if (!wf_accept_word(parser, word))
		wf_parse_unexpected(parser);
}

bool wf_peek_word_then(
    struct wf_parser *parser, const char *word, const char *symbol)
{
	const char *start;
	bool found;

	wf_skip(parser);
	start = parser->at;
	found = wf_accept_word(parser, word) && wf_peek(parser, symbol);
	parser->at = start;
	return found;
}

bool wf_accept_words(
    struct wf_parser *parser, const char *word, const char *second)
{
	const char *start;

	wf_skip(parser);
	start = parser->at;
	if (wf_accept_word(parser, word) && wf_accept_word(parser, second))
		return true;
	parser->at = start;
	return false;
}

bool wf_peek_words(
    struct wf_parser *parser, const char *word, const char *second)
{
	const char *start;
	bool found;

	wf_skip(parser);
	start = parser->at;
	found = wf_accept_words(parser, word, second);
	parser->at = start;
	return found;
}

static const char *take(struct wf_parser *parser, size_t length)
{
	const char *text = wf_arena_strndup(parser->arena, parser->at, length);

	parser->at += length;
	return text;
}

bool wf_peek_qname(struct wf_parser *parser)
{
	wf_skip(parser);
	return wf_ncname_length(parser->at) > 0 ||
	       (parser->at[0] == 'Q' && parser->at[1] == '{');
}

/* The "{uri}" of Q{uri}name, white space normalised. */
static const char *braced_uri(struct wf_parser *parser)
{
	struct wf_buffer *text = &parser->scratch;
	const char *uri;
	const char *start = parser->at;

	wf_buffer_reset(text);
	parser->at += 2;
	while (*parser->at != '}' && *parser->at != '{' &&
	       parser->at != parser->end) {
		if (*parser->at == '&') {
			wf_expect_reference(parser);
			continue;
		}
		if (!is_space(*parser->at))
			wf_buffer_putc(text, *parser->at);
		else if (text->length > 0 &&
			 text->data[text->length - 1] != ' ')
			wf_buffer_putc(text, ' ');
		parser->at++;
	}
	while (text->length > 0 && text->data[text->length - 1] == ' ')
		text->length--;
	uri =
	    wf_arena_strndup(parser->arena, wf_buffer_text(text), text->length);
	if (*parser->at != '}')
		wf_parse_fail(parser, "XPST0003", start,
		    "this name has no end of its namespace");
	parser->at++;
	if (strcmp(uri, WF_NS_XMLNS) == 0)
		wf_parse_fail(parser, "XQST0070", start,
		    "the namespace of xmlns cannot be used");
	return uri;
}

bool wf_accept_any_local(struct wf_parser *parser, struct wf_node_test *test)
{
	const char *start = parser->at;
	const char *uri;

	if (parser->at[0] != 'Q' || parser->at[1] != '{')
		return false;
	uri = braced_uri(parser);
	if (*parser->at != '*') {
		parser->at = start;
		return false;
	}
	parser->at++;
	test->any_local = true;
	test->name.prefix = "";
	test->name.uri = uri;
	return true;
}

struct wf_qname wf_expect_qname(struct wf_parser *parser)
{
	struct wf_qname name = { "", NULL, NULL };
	size_t length;

	wf_skip(parser);
	if (parser->at[0] == 'Q' && parser->at[1] == '{') {
		name.uri = braced_uri(parser);
		length = wf_ncname_length(parser->at);
		if (length == 0)
			wf_parse_unexpected(parser);
		name.local = take(parser, length);
		return name;
	}
	length = wf_ncname_length(parser->at);
	if (length == 0)
		wf_parse_unexpected(parser);
	name.local = take(parser, length);
	if (*parser->at == ':') {
		length = wf_ncname_length(parser->at + 1);
		if (length > 0) {
			parser->at++;
			name.prefix = name.local;
			name.local = take(parser, length);
		}
	}
	return name;
}

const char *wf_expect_ncname(struct wf_parser *parser)
{
	size_t length;

	wf_skip(parser);
	length = wf_ncname_length(parser->at);
	if (length == 0)
		wf_parse_unexpected(parser);
	return take(parser, length);
}

bool wf_peek_string(struct wf_parser *parser)
{
	wf_skip(parser);
	return *parser->at == '"' || *parser->at == '\'';
}

static int digit_value(char c, unsigned base)
{
	int value = -1;

	if (c >= '0' && c <= '9')
		value = c - '0';
	else if (base == 16 && c >= 'a' && c <= 'f')
		value = c - 'a' + 10;
	else if (base == 16 && c >= 'A' && c <= 'F')
		value = c - 'A' + 10;
	return value;
}

static void character_reference(struct wf_parser *parser)
{
	const char *start = parser->at;
	unsigned base = 10;
	uint32_t c = 0;
	char utf8[4];
	bool any = false;

	parser->at += 2;
	if (*parser->at == 'x') {
		base = 16;
		parser->at++;
	}
	for (; digit_value(*parser->at, base) >= 0; parser->at++) {
		if (c < 0x200000)
			c = c * base + (uint32_t)digit_value(*parser->at, base);
		any = true;
	}
	if (!any || *parser->at != ';')
		wf_parse_fail(parser, "XPST0003", start,
		    "this is not a character reference");
	if (!wf_is_xml_char(c))
		wf_parse_fail(parser, "XQST0090", start,
		    "this reference is not a character of XML");
	parser->at++;
	wf_buffer_append(&parser->scratch, utf8, wf_utf8_put(c, utf8));
}

void wf_expect_reference(struct wf_parser *parser)
{
	static const struct {
		const char *name;
		char character;
	} entities[] = { { "&lt;", '<' }, { "&gt;", '>' }, { "&amp;", '&' },
		{ "&quot;", '"' }, { "&apos;", '\'' } };

	if (parser->at[1] == '#') {
		character_reference(parser);
		return;
	}
	for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
		size_t length = strlen(entities[i].name);

		if (strncmp(parser->at, entities[i].name, length) != 0)
			continue;
		parser->at += length;
		wf_buffer_putc(&parser->scratch, entities[i].character);
		return;
	}
	wf_parse_fail(parser, "XPST0003", parser->at,
	    "\"&\" begins a reference such as &amp;");
}

struct wf_string wf_expect_string(struct wf_parser *parser)
{
	struct wf_buffer *text = &parser->scratch;
	struct wf_string string;
	const char *start;
	char quote;

	if (!wf_peek_string(parser))
		wf_parse_unexpected(parser);
	start = parser->at;
	quote = *parser->at++;
	wf_buffer_reset(text);
	for (;;) {
		if (*parser->at == quote) {
			if (parser->at[1] != quote)
				break;
			parser->at++;
		} else if (*parser->at == '&') {
			wf_expect_reference(parser);
			continue;
		} else if (parser->at == parser->end) {
			wf_parse_fail(parser, "XPST0003", start,
			    "this string is not closed");
		}
		wf_buffer_putc(text, *parser->at++);
	}
	parser->at++;
	string.length = text->length;
	string.text =
	    wf_arena_strndup(parser->arena, wf_buffer_text(text), text->length);
	return string;
}

static void skip_digits(struct wf_parser *parser)
{
	while (*parser->at >= '0' && *parser->at <= '9')
		parser->at++;
}

static bool skip_exponent(struct wf_parser *parser)
{
	if (*parser->at != 'e' && *parser->at != 'E')
		return false;
	parser->at++;
	if (*parser->at == '+' || *parser->at == '-')
		parser->at++;
	if (*parser->at < '0' || *parser->at > '9')
		wf_parse_unexpected(parser);
	skip_digits(parser);
	return true;
}

bool wf_accept_number(struct wf_parser *parser, struct wf_atomic *number_out)
{
	struct wf_dynamic dynamic = { .arena = parser->arena };
	enum wf_atomic_type type = WF_XS_INTEGER;
	const char *start;
	size_t length;

	wf_skip(parser);
	start = parser->at;
	skip_digits(parser);
	if (*parser->at == '.' &&
	    (parser->at > start ||
		(parser->at[1] >= '0' && parser->at[1] <= '9'))) {
		type = WF_XS_DECIMAL;
		parser->at++;
		skip_digits(parser);
	}
	if (parser->at == start)
		return false;
	if (skip_exponent(parser))
		type = WF_XS_DOUBLE;
	if (wf_ncname_length(parser->at) > 0)
		wf_parse_unexpected(parser);
	length = (size_t)(parser->at - start);
	dynamic.err = parser->err;
	if (wf_atomic_parse(&dynamic, type, start, length, number_out) !=
	    WF_OK) {
		wf_error_clear(parser->err);
		wf_parse_fail(
		    parser, "FOAR0002", start, "this number is too large");
	}
	return true;
}
