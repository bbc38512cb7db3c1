/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions on numbers, and on booleans.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "xquery/functions/functions_priv.h"
#include "xquery/pattern/picture.h"

/* What a number by a picture costs, beside the picture itself. */
#define STEPS_OF_PICTURE 12U

/* The return type of abs(), round() and similar functions. */
static enum wf_atomic_type plain_type(enum wf_atomic_type type)
{
	return wf_atomic_derives(type, WF_XS_INTEGER) ? WF_XS_INTEGER : type;
}

static bool is_decimal(const struct wf_atomic *atomic)
{
	return wf_atomic_primitive(atomic->type) == WF_XS_DECIMAL;
}

/* Applies one of two functions, by the kind of the number. */
static enum wf_rc map_number(struct wf_dynamic *dynamic,
    const struct wf_sequence *arguments, struct wf_sequence *result,
    struct wf_decimal (*of_decimal)(struct wf_decimal),
    double (*of_double)(double))
{
	const struct wf_atomic *a = wf_argument(arguments, 0);

	if (!a)
		return WF_OK;
	if (is_decimal(a))
		return wf_return_atomic(dynamic, result,
		    wf_atomic_decimal(
			plain_type(a->type), of_decimal(a->as.decimal)));
	return wf_return_atomic(dynamic, result,
	    wf_atomic_number(a->type, of_double(a->as.number)));
}

static struct wf_decimal decimal_abs(struct wf_decimal number)
{
	return number.coefficient < 0 ? wf_decimal_negate(number) : number;
}

WF_BUILT_IN(abs)
{
	(void)count;
	return map_number(dynamic, arguments, result, decimal_abs, fabs);
}

WF_BUILT_IN(ceiling)
{
	(void)count;
	return map_number(dynamic, arguments, result, wf_decimal_ceiling, ceil);
}

WF_BUILT_IN(floor)
{
	(void)count;
	return map_number(dynamic, arguments, result, wf_decimal_floor, floor);
}

/* The most digits of a double: 309 before the point, 1,074 after it. */
#define EXACT_BEFORE 310
#define EXACT_BEHIND 1074
/* What rounding by all these digits costs (bench/query_costs). */
#define STEPS_OF_ROUNDING 256U

/* Rounds by the exact decimal digits of the number. */
static double round_exactly(
    double number, int places, enum wf_rounding rounding, bool is_float)
{
	char text[1 + EXACT_BEFORE + 1 + EXACT_BEHIND + 8];
	char *digits = text + 1; /* room for a carry */
	char *point;
	int total;
	int kept;
	int before;

	total = snprintf(
	    digits, sizeof(text) - 1, "%.*f", EXACT_BEHIND, fabs(number));
	point = strchr(digits, '.');
	before = (int)(point - digits);
	memmove(point, point + 1, EXACT_BEHIND + 1);
	total--;
	kept = before + places;
	if (kept < 0)
		return copysign(0, number);
	text[0] = '0';
	if (wf_digits_round_away(digits, total, kept, number < 0, rounding))
		wf_digits_increment(text, kept + 1);
	/*
	 * Writes the digits, then an exponent for the digits that were cut off.
	 */
	snprintf(digits + kept, 16, "e%d", before - kept);
	return copysign(
	    is_float ? (double)strtof(text, NULL) : strtod(text, NULL), number);
}

static double round_number(
    double number, int64_t places, enum wf_rounding rounding, bool is_float)
{
	if (!isfinite(number) || number == 0 || places >= EXACT_BEHIND)
		return number;
	if (places <= -EXACT_BEFORE)
		return copysign(0, number);
	if (places == 0 && fabs(number) >= 0x1p53)
		return number;
	return round_exactly(number, (int)places, rounding, is_float);
}

static enum wf_rc round_argument(struct wf_dynamic *dynamic,
    const struct wf_sequence *arguments, size_t count,
    enum wf_rounding rounding, struct wf_sequence *result)
{
	const struct wf_atomic *a = wf_argument(arguments, 0);
	struct wf_decimal rounded;
	int64_t places = 0;

	if (!a)
		return WF_OK;
	if (count > 1) {
		struct wf_decimal wanted =
		    wf_argument(arguments, 1)->as.decimal;

		if (!wf_decimal_to_int(wanted, &places))
			places = wanted.coefficient < 0 ? -10000 : 10000;
		/*
		 * A larger precision changes nothing, and this one cannot
		 * overflow.
		 */
		places = places < -10000  ? -10000
			 : places > 10000 ? 10000
					  : places;
	}
	if (!is_decimal(a)) {
		wf_charge(dynamic, STEPS_OF_ROUNDING);
		return wf_return_atomic(dynamic, result,
		    wf_atomic_number(
			a->type, round_number(a->as.number, places, rounding,
				     a->type == WF_XS_FLOAT)));
	}
	if (!wf_decimal_round(a->as.decimal, places, rounding, &rounded))
		return wf_atomic_fail(
		    dynamic, "FOAR0002", "the result is too large");
	return wf_return_atomic(
	    dynamic, result, wf_atomic_decimal(plain_type(a->type), rounded));
}

WF_BUILT_IN(round)
{
	return round_argument(
	    dynamic, arguments, count, WF_ROUND_HALF_UP, result);
}

WF_BUILT_IN(round_half_to_even)
{
	return round_argument(
	    dynamic, arguments, count, WF_ROUND_HALF_EVEN, result);
}

static enum wf_rc map_double(struct wf_dynamic *dynamic,
    const struct wf_sequence *arguments, struct wf_sequence *result,
    double (*of_double)(double))
{
	const struct wf_atomic *a = wf_argument(arguments, 0);

	if (!a)
		return WF_OK;
	return wf_return_atomic(
	    dynamic, result, wf_atomic_double(of_double(a->as.number)));
}

/* The functions that have the same name in the C library. */
#define MATH(name)                                                             \
	WF_BUILT_IN(name)                                                      \
	{                                                                      \
		(void)count;                                                   \
		return map_double(dynamic, arguments, result, name);           \
	}

MATH(exp)
MATH(log)
MATH(log10)
MATH(sqrt)
MATH(sin)
MATH(cos)
MATH(tan)
MATH(asin)
MATH(acos)
MATH(atan)

/* exp10() of the C library is not exact for whole numbers. */
static double power_of_ten(double exponent)
{
	return pow(10, exponent);
}

WF_BUILT_IN(exp10)
{
	(void)count;
	return map_double(dynamic, arguments, result, power_of_ten);
}

WF_BUILT_IN(pi)
{
	(void)arguments;
	(void)count;
	return wf_return_atomic(dynamic, result, wf_atomic_double(M_PI));
}

WF_BUILT_IN(atan2)
{
	const struct wf_atomic *y = wf_argument(arguments, 0);
	const struct wf_atomic *x = wf_argument(arguments, 1);

	wf_assert(count == 2 && x && y);
	return wf_return_atomic(dynamic, result,
	    wf_atomic_double(atan2(y->as.number, x->as.number)));
}

WF_BUILT_IN(pow)
{
	const struct wf_atomic *base = wf_argument(arguments, 0);
	const struct wf_atomic *exponent = wf_argument(arguments, 1);

	wf_assert(count == 2 && exponent);
	if (!base)
		return WF_OK;
	return wf_return_atomic(dynamic, result,
	    wf_atomic_double(
		pow(base->as.number, wf_atomic_to_double(dynamic, exponent))));
}

WF_BUILT_IN(yes)
{
	(void)arguments;
	(void)count;
	return wf_return_boolean(dynamic, result, true);
}

WF_BUILT_IN(no)
{
	(void)arguments;
	(void)count;
	return wf_return_boolean(dynamic, result, false);
}

/* The effective boolean value of one atomic value. */
static enum wf_rc effective(
    struct wf_dynamic *dynamic, const struct wf_atomic *atomic, bool *value_out)
{
	if (atomic->type == WF_XS_BOOLEAN)
		*value_out = atomic->as.boolean;
	else if (wf_atomic_is_string(atomic->type))
		*value_out = atomic->as.string.length > 0;
	else if (is_decimal(atomic))
		*value_out = atomic->as.decimal.coefficient != 0;
	else if (wf_atomic_is_numeric(atomic->type))
		*value_out =
		    atomic->as.number != 0 && !isnan(atomic->as.number);
	else
		return wf_atomic_fail(dynamic, "FORG0006",
		    "an xs:%s has no effective boolean value",
		    wf_atomic_type_name(atomic->type));
	return WF_OK;
}

WF_BUILT_IN(not )
{
	const struct wf_sequence *items = &arguments[0];
	bool value = false;
	enum wf_rc rc = WF_OK;

	(void)count;
	if (items->count > 0 && items->items[0].is_node)
		value = true;
	else if (items->count == 1)
		rc = effective(dynamic, &items->items[0].as.atomic, &value);
	else if (items->count > 1)
		rc = wf_atomic_fail(dynamic, "FORG0006",
		    "several values have no effective boolean value");
	return rc == WF_OK ? wf_return_boolean(dynamic, result, !value) : rc;
}

/* ---- format-integer() ---- */

/* "c" or "o", perhaps with a text in parentheses; then "a" or "t". */
static bool read_modifiers(
    const struct wf_characters *text, size_t at, bool *ordinal_out)
{
	*ordinal_out = at < text->count && text->list[at] == 'o';
	if (at < text->count && (*ordinal_out || text->list[at] == 'c')) {
		at++;
		if (at < text->count && text->list[at] == '(') {
			size_t last = text->count;

			while (text->list[last - 1] != ')' && last > at)
				last--;
			if (last < at + 3)
				return false;
			at = last;
		}
	}
	if (at < text->count &&
	    (text->list[at] == 'a' || text->list[at] == 't'))
		at++;
	return at == text->count;
}

WF_BUILT_IN(format_integer)
{
	const struct wf_atomic *number = wf_argument(arguments, 0);
	struct wf_string text = wf_argument_string(dynamic, arguments, 1);
	struct wf_characters characters;
	struct wf_picture picture;
	enum wf_rc rc = wf_characters_read(dynamic, text, &characters);
	size_t length = characters.count;
	bool ordinal = false;
	bool good = true;

	(void)count;
	wf_charge(dynamic, STEPS_OF_PICTURE);
	wf_charge_characters(dynamic, 2 * text.length);
	if (rc != WF_OK)
		return rc;
	while (length > 0 && characters.list[length - 1] != ';')
		length--;
	if (length > 0)
		good = read_modifiers(&characters, length--, &ordinal);
	else
		length = characters.count;
	if (good)
		rc = wf_picture_read(
		    dynamic, characters.list, length, &picture, &good);
	if (rc != WF_OK)
		return rc;
	if (!good)
		return wf_atomic_fail(dynamic, "FODF1310",
		    "\"%.*s\" is not a picture of an integer",
		    WF_SHOWN(text.text, text.length));
	if (number == NULL)
		return wf_return_string(dynamic, result, "", 0);
	picture.ordinal = ordinal;
	wf_picture_put(
	    wf_text_begin(dynamic), &picture, number->as.decimal.coefficient);
	return wf_return_text(dynamic, result);
}
