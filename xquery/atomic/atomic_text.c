/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Canonical lexical forms: "cast as xs:string".
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xquery/atomic/atomic_priv.h"
#include "xquery/atomic/moment.h"

/* What writing a number or a time costs; bench/query_costs. */
#define STEPS_OF_TEXT 4U
#define STEPS_OF_DOUBLE 12U

/* The fewest digits that identify the number, as D.DDDe[-+]XX. */
static void shortest_digits(double number, bool is_float, char text[32])
{
	/* Small numbers have less precision, so there one digit may do. */
	int first = is_float || number < 1e-300 ? 1 : 15;
	int last = is_float ? 9 : 17;

	for (int digits = first; digits <= last; digits++) {
		snprintf(text, 32, "%.*e", digits - 1, number);
		if (is_float ? strtof(text, NULL) == (float)number
			     : strtod(text, NULL) == number)
			return;
	}
}

/* The digits, with the decimal point after the first point_at digits. */
static size_t put_plain(char *out, const char *digits, int count, int point_at)
{
	char *start = out;

	if (point_at <= 0) {
		*out++ = '0';
		*out++ = '.';
		for (int i = point_at; i < 0; i++)
			*out++ = '0';
	}
	for (int i = 0; i < count || i < point_at; i++) {
		if (i == point_at && i > 0)
			*out++ = '.';
		*out++ = i < count ? digits[i] : '0';
	}
	*out = '\0';
	return (size_t)(out - start);
}

static size_t put_exponent(
    char *out, const char *digits, int count, int exponent)
{
	size_t length = put_plain(out, digits, count, 1);

	if (count == 1) {
		out[length++] = '.';
		out[length++] = '0';
	}
	return length + (size_t)sprintf(out + length, "E%d", exponent);
}

static size_t put_special(char *out, const char *text)
{
	strcpy(out, text);
	return strlen(text);
}

size_t wf_number_text(
    double number, bool is_float, char text[static WF_NUMBER_TEXT])
{
	char raw[32];
	char digits[20];
	int count = 0;
	int exponent;
	size_t sign = signbit(number) != 0;
	double size = fabs(number);

	if (isnan(number))
		return put_special(text, "NaN");
	if (isinf(number))
		return put_special(text, number < 0 ? "-INF" : "INF");
	if (number == 0)
		return put_special(text, sign ? "-0" : "0");
	if (size < 1e6 && size == (double)(int)size)
		return (size_t)sprintf(text, "%d", (int)number);
	shortest_digits(size, is_float, raw);
	for (const char *p = raw; *p != 'e'; p++)
		if (*p != '.')
			digits[count++] = *p;
	exponent = atoi(strchr(raw, 'e') + 1);
	while (count > 1 && digits[count - 1] == '0')
		count--;
	if (sign)
		*text++ = '-';
	if (size >= 1e-6 && size < 1e6)
		return sign + put_plain(text, digits, count, exponent + 1);
	return sign + put_exponent(text, digits, count, exponent);
}

static struct wf_string copy(
    struct wf_dynamic *dynamic, const char *text, size_t length)
{
	return (struct wf_string){
		wf_arena_strndup(dynamic->arena, text, length), length
	};
}

static struct wf_string hex_text(
    struct wf_dynamic *dynamic, struct wf_string bytes)
{
	static const char hex[] = "0123456789ABCDEF";
	char *text = wf_arena_alloc(dynamic->arena, bytes.length * 2 + 1);

	for (size_t i = 0; i < bytes.length; i++) {
		unsigned char byte = (unsigned char)bytes.text[i];

		text[2 * i] = hex[byte >> 4];
		text[2 * i + 1] = hex[byte & 15];
	}
	return (struct wf_string){ text, bytes.length * 2 };
}

static struct wf_string base64_text(
    struct wf_dynamic *dynamic, struct wf_string bytes)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "abcdefghijklmnopqrstuvwxyz"
				       "0123456789+/";
	size_t length = (bytes.length + 2) / 3 * 4;
	char *text = wf_arena_alloc(dynamic->arena, length + 1);
	char *out = text;

	for (size_t i = 0; i < bytes.length; i += 3) {
		size_t have = bytes.length - i < 3 ? bytes.length - i : 3;
		uint32_t group = 0;

		for (size_t j = 0; j < 3; j++)
			group =
			    group << 8 |
			    (j < have ? (unsigned char)bytes.text[i + j] : 0U);
		for (size_t j = 0; j < 4; j++)
			*out++ = j <= have
				     ? alphabet[group >> (18 - 6 * j) & 63]
				     : '=';
	}
	return (struct wf_string){ text, length };
}

static struct wf_string qname_text(
    struct wf_dynamic *dynamic, const struct wf_qname *name)
{
	const char *text = name->prefix[0] == '\0'
			       ? name->local
			       : wf_arena_printf(dynamic->arena, "%s:%s",
				     name->prefix, name->local);

	return (struct wf_string){ text, strlen(text) };
}

struct wf_string wf_atomic_text(
    struct wf_dynamic *dynamic, const struct wf_atomic *atomic)
{
	char text[WF_MOMENT_TEXT];
	enum wf_atomic_type primitive = wf_atomic_primitive(atomic->type);

	switch ((int)primitive) {
	case WF_XS_UNTYPED:
	case WF_XS_STRING:
	case WF_XS_ANY_URI:
		return atomic->as.string;
	case WF_XS_BOOLEAN:
		return atomic->as.boolean ? (struct wf_string){ "true", 4 }
					  : (struct wf_string){ "false", 5 };
	case WF_XS_DECIMAL:
		wf_charge(dynamic, STEPS_OF_TEXT);
		return copy(
		    dynamic, text, wf_decimal_text(atomic->as.decimal, text));
	case WF_XS_FLOAT:
	case WF_XS_DOUBLE:
		wf_charge(dynamic, STEPS_OF_DOUBLE);
		return copy(dynamic, text,
		    wf_number_text(
			atomic->as.number, primitive == WF_XS_FLOAT, text));
	case WF_XS_DURATION:
		wf_charge(dynamic, STEPS_OF_TEXT);
		return copy(dynamic, text,
		    wf_duration_text(atomic->type, &atomic->as.duration, text));
	case WF_XS_HEX_BINARY:
		return hex_text(dynamic, atomic->as.string);
	case WF_XS_BASE64_BINARY:
		return base64_text(dynamic, atomic->as.string);
	case WF_XS_QNAME:
	case WF_XS_NOTATION:
		return qname_text(dynamic, &atomic->as.qname);
	default:
		wf_charge(dynamic, STEPS_OF_DOUBLE);
		return copy(dynamic, text,
		    wf_moment_text(primitive, &atomic->as.moment, text));
	}
}
