/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lexical forms of XML Schema 1.0 part 2: reading atomic values.
 *
 * parse() does the work and reports a failure as a code and a reason, so that
 * it serves an evaluation and the validation of values alike.  Only binary
 * values and collapsed strings need memory; without an arena (validation) they
 * are checked only.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "xquery/atomic/atomic_priv.h"
#include "xquery/atomic/moment.h"
#include "xquery/text/unicode.h"

/* The failure as a code of the standard; NULL: none. */
typedef const char *wf_code;

/* The bounds of the derived integer types, both inclusive. */
static const struct bounds {
	enum wf_atomic_type type;
	bool has_minimum;
	bool has_maximum;
	int64_t minimum;
	uint64_t maximum;
} bounds[] = {
	{ WF_XS_NON_POSITIVE_INTEGER, false, true, 0, 0 },
	{ WF_XS_NON_NEGATIVE_INTEGER, true, false, 0, 0 },
	{ WF_XS_POSITIVE_INTEGER, true, false, 1, 0 },
	{ WF_XS_LONG, true, true, INT64_MIN, INT64_MAX },
	{ WF_XS_INT, true, true, INT32_MIN, INT32_MAX },
	{ WF_XS_SHORT, true, true, INT16_MIN, INT16_MAX },
	{ WF_XS_BYTE, true, true, INT8_MIN, INT8_MAX },
	{ WF_XS_UNSIGNED_LONG, true, true, 0, UINT64_MAX },
	{ WF_XS_UNSIGNED_INT, true, true, 0, UINT32_MAX },
	{ WF_XS_UNSIGNED_SHORT, true, true, 0, UINT16_MAX },
	{ WF_XS_UNSIGNED_BYTE, true, true, 0, UINT8_MAX },
};

bool wf_integer_in_range(enum wf_atomic_type type, struct wf_decimal number)
{
	if (type == WF_XS_NEGATIVE_INTEGER)
		return number.coefficient < 0;
	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++)
		if (bounds[i].type == type)
			return (!bounds[i].has_minimum ||
				   number.coefficient >= bounds[i].minimum) &&
			       (!bounds[i].has_maximum ||
				   number.coefficient <=
				       (wf_int128)bounds[i].maximum);
	return true;
}

static wf_code parse_boolean(struct wf_string text, struct wf_atomic *out)
{
	static const struct {
		const char *text;
		bool value;
	} forms[] = { { "true", true }, { "false", false }, { "1", true },
		{ "0", false } };

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (strlen(forms[i].text) == text.length &&
		    memcmp(forms[i].text, text.text, text.length) == 0) {
			out->as.boolean = forms[i].value;
			return NULL;
		}
	return "FORG0001";
}

/*
 * The decimal of the largest magnitude with the sign of text, for the check of
 * ranges.
 */
static struct wf_decimal beyond(struct wf_string text)
{
	wf_int128 coefficient = (wf_int128)wf_power_of_ten(38) - 1;

	return (struct wf_decimal){
		text.text[0] == '-' ? -coefficient : coefficient, 0
	};
}

static wf_code parse_decimal(struct wf_string text, struct wf_atomic *out)
{
	bool integer = out->type != WF_XS_DECIMAL;

	switch (wf_decimal_parse(
	    text.text, text.length, integer, &out->as.decimal)) {
	case WF_LEXICAL_BAD:
		return "FORG0001";
	case WF_LEXICAL_TOO_LARGE:
		if (!integer)
			return "FOCA0001";
		return wf_integer_in_range(out->type, beyond(text))
			   ? "FOCA0003"
			   : "FORG0001";
	case WF_LEXICAL_OK:
		break;
	}
	return wf_integer_in_range(out->type, out->as.decimal) ? NULL
							       : "FORG0001";
}

/* The form of XML Schema, which is narrower than that of strtod(). */
static bool is_number(struct wf_string text)
{
	size_t i = 0;
	size_t digits = 0;

	if (i < text.length && (text.text[i] == '+' || text.text[i] == '-'))
		i++;
	for (; i < text.length && text.text[i] >= '0' && text.text[i] <= '9';
	     i++)
		digits++;
	if (i < text.length && text.text[i] == '.')
		for (i++; i < text.length && text.text[i] >= '0' &&
			  text.text[i] <= '9';
		     i++)
			digits++;
	if (digits == 0)
		return false;
	if (i == text.length)
		return true;
	if (text.text[i] != 'e' && text.text[i] != 'E')
		return false;
	i++;
	if (i < text.length && (text.text[i] == '+' || text.text[i] == '-'))
		i++;
	for (digits = 0;
	     i < text.length && text.text[i] >= '0' && text.text[i] <= '9'; i++)
		digits++;
	return i == text.length && digits > 0;
}

static bool equals(struct wf_string text, const char *word)
{
	return text.length == strlen(word) &&
	       memcmp(text.text, word, text.length) == 0;
}

static wf_code parse_number(struct wf_string text, struct wf_atomic *out)
{
	char small[64];
	char *copy;

	if (equals(text, "INF") || equals(text, "-INF")) {
		out->as.number = text.text[0] == '-' ? -INFINITY : INFINITY;
		return NULL;
	}
	if (equals(text, "NaN")) {
		out->as.number = NAN;
		return NULL;
	}
	if (!is_number(text))
		return "FORG0001";
	copy = text.length < sizeof(small) ? small : wf_malloc(text.length + 1);
	memcpy(copy, text.text, text.length);
	copy[text.length] = '\0';
	out->as.number = out->type == WF_XS_FLOAT ? (double)strtof(copy, NULL)
						  : strtod(copy, NULL);
	if (copy != small)
		wf_free(copy);
	return NULL;
}

static wf_code parse_duration(struct wf_string text, struct wf_atomic *out)
{
	switch (wf_duration_parse(
	    out->type, text.text, text.length, &out->as.duration)) {
	case WF_LEXICAL_BAD:
		return "FORG0001";
	case WF_LEXICAL_TOO_LARGE:
		return "FODT0002";
	case WF_LEXICAL_OK:
		break;
	}
	return NULL;
}

static wf_code parse_moment(struct wf_string text, struct wf_atomic *out)
{
	switch (wf_moment_parse(
	    out->type, text.text, text.length, &out->as.moment)) {
	case WF_LEXICAL_BAD:
		return "FORG0001";
	case WF_LEXICAL_TOO_LARGE:
		return "FODT0001";
	case WF_LEXICAL_OK:
		break;
	}
	return NULL;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static wf_code parse_hex(
    struct wf_arena *arena, struct wf_string text, struct wf_atomic *out)
{
	char *bytes = arena ? wf_arena_alloc(arena, text.length / 2 + 1) : NULL;

	if (text.length % 2 != 0)
		return "FORG0001";
	for (size_t i = 0; i < text.length; i += 2) {
		int high = hex_digit(text.text[i]);
		int low = hex_digit(text.text[i + 1]);

		if (high < 0 || low < 0)
			return "FORG0001";
		if (bytes)
			bytes[i / 2] = (char)(high * 16 + low);
	}
	out->as.string = (struct wf_string){ bytes, text.length / 2 };
	return NULL;
}

static int base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/*
 * Groups of four digits, white space between any two of them; the last group
 * may end in = or ==, and the bits it does not need are zero.
 */
static wf_code parse_base64(
    struct wf_arena *arena, struct wf_string text, struct wf_atomic *out)
{
	char *bytes =
	    arena ? wf_arena_alloc(arena, text.length / 4 * 3 + 4) : NULL;
	size_t length = 0;
	uint32_t group = 0;
	unsigned digits = 0;
	unsigned padding = 0;

	for (size_t i = 0; i < text.length; i++) {
		int digit = base64_digit(text.text[i]);

		if (wf_is_xml_space(text.text[i]))
			continue;
		if (text.text[i] == '=' && digits >= 2 && padding < 2)
			padding++;
		else if (digit < 0 || padding > 0)
			return "FORG0001";
		group = group << 6 | (uint32_t)(padding > 0 ? 0 : digit);
		if (++digits < 4)
			continue;
		if ((padding == 1 && (group & 0xC0) != 0) ||
		    (padding == 2 && (group & 0xF000) != 0))
			return "FORG0001";
		for (unsigned j = 0; j < 3 - padding; j++, length++)
			if (bytes)
				bytes[length] = (char)(group >> (16 - 8 * j));
		group = 0;
		digits = padding > 0 ? 4 : 0;
		if (padding > 0 && i + 1 < text.length)
			return "FORG0001";
	}
	if (digits % 4 != 0)
		return "FORG0001";
	out->as.string = (struct wf_string){ bytes, length };
	return NULL;
}

/* %XX are the only escapes, and a scheme is not empty. */
static bool is_uri(struct wf_string text)
{
	if (text.length > 0 && text.text[0] == ':')
		return false;
	for (size_t i = 0; i < text.length; i++)
		if (text.text[i] == '%' &&
		    (i + 2 >= text.length || hex_digit(text.text[i + 1]) < 0 ||
			hex_digit(text.text[i + 2]) < 0))
			return false;
	return true;
}

static bool is_alphanumeric(char c, bool digits)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (digits && c >= '0' && c <= '9');
}

/* [a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})* */
static bool is_language(struct wf_string text)
{
	size_t part = 0;
	bool first = true;

	for (size_t i = 0; i < text.length; i++) {
		if (text.text[i] == '-' && part > 0) {
			part = 0;
			first = false;
		} else if (!is_alphanumeric(text.text[i], !first) ||
			   ++part > 8) {
			return false;
		}
	}
	return part > 0;
}

static bool is_nmtoken(struct wf_string text, bool name)
{
	const char *next = text.text;
	const char *end = next + text.length;

	if (text.length == 0)
		return false;
	if (name && !wf_is_name_start(wf_utf8_next(&next, end)))
		return false;
	while (next < end)
		if (!wf_is_name_char(wf_utf8_next(&next, end)))
			return false;
	return true;
}

/* Each white space becomes a blank; collapse: runs of them become one. */
static struct wf_string replace_space(
    struct wf_arena *arena, struct wf_string text, bool collapse)
{
	char *copy;
	size_t length = 0;
	bool change = false;

	for (size_t i = 0; i < text.length && !change; i++)
		change = wf_is_xml_space(text.text[i]) &&
			 (text.text[i] != ' ' ||
			     (collapse && i > 0 && text.text[i - 1] == ' '));
	if (!change || !arena)
		return text;
	copy = wf_arena_alloc(arena, text.length + 1);
	for (size_t i = 0; i < text.length; i++) {
		bool space = wf_is_xml_space(text.text[i]);

		if (space && collapse && length > 0 && copy[length - 1] == ' ')
			continue;
		copy[length++] = space ? ' ' : text.text[i];
	}
	return (struct wf_string){ copy, length };
}

static wf_code parse_string(
    struct wf_arena *arena, struct wf_string text, struct wf_atomic *out)
{
	bool good = true;

	out->as.string = text;
	if (out->type == WF_XS_STRING || out->type == WF_XS_UNTYPED)
		return NULL;
	if (out->type == WF_XS_NORMALIZED_STRING) {
		out->as.string = replace_space(arena, text, false);
		return NULL;
	}
	text =
	    replace_space(arena, wf_atomic_trim(text.text, text.length), true);
	out->as.string = text;
	switch ((int)out->type) {
	case WF_XS_ANY_URI:
		good = is_uri(text);
		break;
	case WF_XS_LANGUAGE:
		good = is_language(text);
		break;
	case WF_XS_NMTOKEN:
	case WF_XS_NAME:
		good = is_nmtoken(text, out->type == WF_XS_NAME);
		break;
	case WF_XS_NCNAME:
	case WF_XS_ID:
	case WF_XS_IDREF:
	case WF_XS_ENTITY:
		good = wf_is_ncname(text.text, text.length);
		break;
	}
	return good ? NULL : "FORG0001";
}

static wf_code parse(struct wf_arena *arena, enum wf_atomic_type type,
    const char *text, size_t length, struct wf_atomic *out)
{
	struct wf_string trimmed = wf_atomic_trim(text, length);

	*out = (struct wf_atomic){ .type = type };
	switch ((int)wf_atomic_primitive(type)) {
	case WF_XS_UNTYPED:
	case WF_XS_STRING:
	case WF_XS_ANY_URI:
		return parse_string(
		    arena, (struct wf_string){ text, length }, out);
	case WF_XS_BOOLEAN:
		return parse_boolean(trimmed, out);
	case WF_XS_DECIMAL:
		return parse_decimal(trimmed, out);
	case WF_XS_FLOAT:
	case WF_XS_DOUBLE:
		return parse_number(trimmed, out);
	case WF_XS_DURATION:
		return parse_duration(trimmed, out);
	case WF_XS_HEX_BINARY:
		return parse_hex(arena, trimmed, out);
	case WF_XS_BASE64_BINARY:
		return parse_base64(arena, trimmed, out);
	case WF_XS_ANY_ATOMIC:
	case WF_XS_QNAME:
	case WF_XS_NOTATION:
		return "XPTY0004";
	default:
		return parse_moment(trimmed, out);
	}
}

enum wf_rc wf_atomic_parse(struct wf_dynamic *dynamic, enum wf_atomic_type type,
    const char *text, size_t length, struct wf_atomic *atomic_out)
{
	wf_code code = parse(dynamic->arena, type, text, length, atomic_out);

	wf_charge(dynamic, 1 + length / 16);
	if (code == NULL)
		return WF_OK;
	return wf_atomic_fail(dynamic, code, "\"%.*s\" is not a valid xs:%s",
	    WF_SHOWN(text, length), wf_atomic_type_name(type));
}

/* A QName or NOTATION as text: both parts are names. */
static bool is_qname(struct wf_string text)
{
	const char *colon = memchr(text.text, ':', text.length);
	size_t prefix = colon ? (size_t)(colon - text.text) : 0;

	if (!colon)
		return wf_is_ncname(text.text, text.length);
	return wf_is_ncname(text.text, prefix) &&
	       wf_is_ncname(colon + 1, text.length - prefix - 1);
}

/* A value that is too large for calculations is still valid. */
static bool is_valid(enum wf_atomic_type type, const char *text, size_t length)
{
	struct wf_atomic ignored;
	wf_code code = parse(NULL, type, text, length, &ignored);

	return code == NULL || strcmp(code, "FORG0001") != 0;
}

/*
 * The list types NMTOKENS, IDREFS and ENTITIES, by the type of their members.
 */
static bool check_list(
    enum wf_atomic_type type, const char *text, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length;) {
		size_t start = i;

		while (i < length && !wf_is_xml_space(text[i]))
			i++;
		if (i > start) {
			count++;
			if (!is_valid(type, text + start, i - start))
				return false;
		} else {
			i++;
		}
	}
	return count > 0;
}

enum wf_rc wf_atomic_check(
    const char *type, const char *text, size_t length, struct wf_error *err)
{
	static const struct {
		const char *name;
		enum wf_atomic_type of;
	} lists[] = { { "NMTOKENS", WF_XS_NMTOKEN }, { "IDREFS", WF_XS_IDREF },
		{ "ENTITIES", WF_XS_ENTITY } };
	enum wf_atomic_type known;
	bool good = false;

	if (strcmp(type, "string") == 0 || strcmp(type, "anySimpleType") == 0)
		return WF_OK;
	known = wf_atomic_type_by_name(type);
	if (known == WF_XS_QNAME || known == WF_XS_NOTATION) {
		good = is_qname(wf_atomic_trim(text, length));
	} else if (known == WF_XS_ANY_ATOMIC || known == WF_XS_UNTYPED) {
		good = true;
	} else if (known != WF_ATOMIC_TYPE_COUNT) {
		good = is_valid(known, text, length);
	} else {
		size_t i = 0;

		while (i < 3 && strcmp(lists[i].name, type) != 0)
			i++;
		if (i == 3)
			return wf_fail(err, WF_NOT_FOUND,
			    "xs:%s is not a built-in simple type", type);
		good = check_list(lists[i].of, text, length);
	}
	if (good)
		return WF_OK;
	return wf_fail(err, WF_DATA, "\"%.*s\" is not a valid xs:%s",
	    WF_SHOWN(text, length), type);
}
