/* SPDX-License-Identifier: Apache-2.0 */
/* "declare decimal-format": the meaning of characters in a picture. */
#include <stddef.h>
#include <string.h>

#include "xquery/parse/parse.h"
#include "xquery/pattern/picture.h"
#include "xquery/text/unicode.h"

static const struct wf_decimal_format usual = {
	.name = { "", "", "" },
	.decimal = '.',
	.grouping = ',',
	.minus = '-',
	.percent = '%',
	.per_mille = 0x2030,
	.zero = '0',
	.digit = '#',
	.pattern = ';',
	.exponent = 'e',
	.infinity = "Infinity",
	.nan = "NaN",
};

#define CHARACTER(member) offsetof(struct wf_decimal_format, member), true
#define TEXT(member) offsetof(struct wf_decimal_format, member), false

/* The characters that must differ from one another come first. */
#define DISTINCT 8

static const struct {
	const char *name;
	size_t offset;
	bool is_character;
} properties[] = {
	{ "decimal-separator", CHARACTER(decimal) },
	{ "grouping-separator", CHARACTER(grouping) },
	{ "percent", CHARACTER(percent) },
	{ "per-mille", CHARACTER(per_mille) },
	{ "zero-digit", CHARACTER(zero) },
	{ "digit", CHARACTER(digit) },
	{ "pattern-separator", CHARACTER(pattern) },
	{ "exponent-separator", CHARACTER(exponent) },
	{ "minus-sign", CHARACTER(minus) },
	{ "infinity", TEXT(infinity) },
	{ "NaN", TEXT(nan) },
};

#define PROPERTIES (sizeof(properties) / sizeof(properties[0]))

static uint32_t character_at(
    const struct wf_decimal_format *format, size_t offset)
{
	uint32_t character;

	memcpy(&character, (const char *)format + offset, sizeof(character));
	return character;
}

static void set_character(struct wf_parser *parser, const char *at,
    struct wf_decimal_format *format, size_t i, struct wf_string text)
{
	const char *next = text.text;
	uint32_t zero = 0;
	unsigned digit = 1;
	uint32_t character = 0;

	if (text.length > 0)
		character = wf_utf8_next(&next, text.text + text.length);
	if (text.length == 0 || next != text.text + text.length)
		wf_parse_fail(parser, "XQST0097", at, "%s is one character",
		    properties[i].name);
	if (properties[i].offset == offsetof(struct wf_decimal_format, zero) &&
	    (!wf_digit_value(character, &digit, &zero) || digit != 0))
		wf_parse_fail(parser, "XQST0097", at,
		    "zero-digit is the zero of a family of digits");
	memcpy((char *)format + properties[i].offset, &character,
	    sizeof(character));
}

static void check_distinct(struct wf_parser *parser, const char *at,
    const struct wf_decimal_format *format)
{
	for (size_t i = 0; i < DISTINCT; i++) {
		uint32_t a = character_at(format, properties[i].offset);

		for (size_t k = 0; k < DISTINCT; k++) {
			uint32_t b = character_at(format, properties[k].offset);

			if (i == k || (a != b && (b != format->zero || a < b ||
						     a > b + 9)))
				continue;
			wf_parse_fail(parser, "XQST0098", at,
			    "%s and %s are the same character",
			    properties[i].name, properties[k].name);
		}
	}
}

static void parse_properties(
    struct wf_parser *parser, struct wf_decimal_format *format)
{
	bool came[PROPERTIES] = { false };
	const char *start = parser->at;

	while (!wf_peek(parser, ";")) {
		const char *at = parser->at;
		const char *name = wf_expect_ncname(parser);
		struct wf_string text;
		size_t i = 0;

		while (i < PROPERTIES && strcmp(properties[i].name, name) != 0)
			i++;
		if (i == PROPERTIES)
			wf_parse_fail(parser, "XPST0003", at,
			    "a decimal format has no %s", name);
		if (came[i])
			wf_parse_fail(
			    parser, "XQST0114", at, "%s is given twice", name);
		came[i] = true;
		wf_expect(parser, "=");
		text = wf_expect_string(parser);
		if (properties[i].is_character)
			set_character(parser, at, format, i, text);
		else
			memcpy((char *)format + properties[i].offset,
			    &text.text, sizeof(text.text));
	}
	check_distinct(parser, start, format);
}

static struct wf_decimal_format *new_format(struct wf_parser *parser)
{
	struct wf_decimal_format *format =
	    wf_arena_alloc(parser->arena, sizeof(*format));

	wf_skip(parser);
	*format = usual;
	format->namespaces = parser->namespaces;
	format->offset = (uint32_t)(parser->at - parser->text);
	return format;
}

void wf_parse_decimal_format(struct wf_parser *parser, bool is_default)
{
	struct wf_decimal_format *format = new_format(parser);

	if (is_default && parser->query->formats->offset > 0)
		wf_parse_fail(parser, "XQST0111", parser->at,
		    "the default decimal format is declared twice");
	if (!is_default)
		format->name = wf_expect_qname(parser);
	parse_properties(parser, format);
	if (is_default) {
		format->next = parser->query->formats->next;
		parser->query->formats = format;
	} else {
		format->next = parser->query->formats->next;
		parser->query->formats->next = format;
	}
}

void wf_parse_usual_format(struct wf_parser *parser)
{
	parser->query->formats = new_format(parser);
	parser->query->formats->offset = 0;
}
