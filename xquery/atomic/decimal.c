/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact decimal numbers.
 *
 * Sums and products are computed in 256 bits and then reduced to at most 38
 * digits and a scale of at most 18 by fit(), the only function that rounds.
 *
 * libmpdec is not used: a decimal here is a plain value in an item, without
 * memory of its own, and Debian 12 has no package of libmpdec.
 */
#include "xquery/atomic/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"

#define DIGITS WF_WIDE_DIGITS

/* Drops trailing zeros after the point. */
static struct wf_decimal canonical(struct wf_decimal number)
{
	while (number.scale > 0 && number.coefficient % 10 == 0) {
		number.coefficient /= 10;
		number.scale--;
	}
	return number;
}

struct wf_decimal wf_decimal_from_int(int64_t number)
{
	return (struct wf_decimal){ number, 0 };
}

/*
 * magnitude / 10^scale as a decimal. sticky: a non-zero digit was dropped
 * behind the last digit of the magnitude.
 */
static bool fit(struct wf_wide magnitude, unsigned scale, bool sticky,
    bool negative, struct wf_decimal *result_out)
{
	const wf_uint128 limit = wf_power_of_ten(DIGITS);
	uint64_t digit = 0;

	while (scale > WF_DECIMAL_SCALE || magnitude.high != 0 ||
	       magnitude.low >= limit) {
		if (scale == 0)
			return false;
		sticky = sticky || digit != 0;
		digit = wf_wide_divide_small(&magnitude, 10);
		scale--;
	}
	if (digit > 5 || (digit == 5 && (sticky || (magnitude.low & 1) != 0))) {
		magnitude.low++;
		/* 99..9 became 100..0, one digit too many. */
		if (magnitude.low == limit) {
			if (scale == 0)
				return false;
			magnitude.low /= 10;
			scale--;
		}
	}
	result_out->coefficient =
	    negative ? -(wf_int128)magnitude.low : (wf_int128)magnitude.low;
	result_out->scale = (uint8_t)scale;
	wf_assert(magnitude.low < limit && scale <= WF_DECIMAL_SCALE);
	*result_out = canonical(*result_out);
	return true;
}

/* The digits of a number while it is read. */
struct digits {
	wf_uint128 coefficient;
	unsigned scale;
	unsigned dropped; /* the first digit without room */
	bool rounding;	  /* there is such a digit */
	bool sticky;	  /* a later digit is not zero */
	bool too_large;
};

static void take_digit(struct digits *digits, unsigned digit, bool fraction)
{
	bool room = digits->coefficient < wf_power_of_ten(DIGITS - 1);

	if (fraction &&
	    (digits->rounding || !room || digits->scale == WF_DECIMAL_SCALE)) {
		if (digits->rounding)
			digits->sticky = digits->sticky || digit != 0;
		else
			digits->dropped = digit;
		digits->rounding = true;
		return;
	}
	if (!room) {
		digits->too_large = true;
		return;
	}
	digits->coefficient = digits->coefficient * 10 + digit;
	if (fraction)
		digits->scale++;
}

static enum wf_lexical read_digits(
    const char *text, size_t length, bool integer, struct digits *digits)
{
	bool seen = false;
	bool fraction = false;

	for (size_t i = 0; i < length; i++) {
		if (text[i] >= '0' && text[i] <= '9') {
			seen = true;
			take_digit(digits, (unsigned)(text[i] - '0'), fraction);
		} else if (text[i] == '.' && !fraction && !integer) {
			fraction = true;
		} else {
			return WF_LEXICAL_BAD;
		}
	}
	if (!seen)
		return WF_LEXICAL_BAD;
	return digits->too_large ? WF_LEXICAL_TOO_LARGE : WF_LEXICAL_OK;
}

enum wf_lexical wf_decimal_parse(const char *text, size_t length, bool integer,
    struct wf_decimal *number_out)
{
	struct digits digits = { 0 };
	bool negative = length > 0 && text[0] == '-';
	size_t sign = length > 0 && (text[0] == '-' || text[0] == '+');
	enum wf_lexical lexical =
	    read_digits(text + sign, length - sign, integer, &digits);
	struct wf_wide magnitude;

	if (lexical != WF_LEXICAL_OK)
		return lexical;
	magnitude = (struct wf_wide){ 0, digits.coefficient };
	if (digits.rounding &&
	    (digits.dropped > 5 ||
		(digits.dropped == 5 &&
		    (digits.sticky || (digits.coefficient & 1) != 0))))
		magnitude.low++;
	return fit(magnitude, digits.scale, false, negative, number_out)
		   ? WF_LEXICAL_OK
		   : WF_LEXICAL_TOO_LARGE;
}

size_t wf_decimal_text(
    struct wf_decimal number, char text[static WF_DECIMAL_TEXT])
{
	char digits[WF_DECIMAL_TEXT];
	wf_uint128 rest = wf_magnitude(number.coefficient);
	size_t count = 0;
	size_t length = 0;

	do {
		if (count == number.scale && count > 0)
			digits[count++] = '.';
		digits[count++] = (char)('0' + (int)(rest % 10));
		rest /= 10;
	} while (rest != 0);
	if (number.scale > 0 && memchr(digits, '.', count) == NULL) {
		while (count < number.scale)
			digits[count++] = '0';
		digits[count++] = '.';
		digits[count++] = '0';
	}
	if (number.coefficient < 0)
		text[length++] = '-';
	while (count > 0)
		text[length++] = digits[--count];
	text[length] = '\0';
	return length;
}

bool wf_decimal_from_double(double number, struct wf_decimal *number_out)
{
	char text[80];
	int length;

	if (!isfinite(number) || fabs(number) >= 1e38)
		return false;
	length = snprintf(text, sizeof(text), "%.*f", WF_DECIMAL_SCALE, number);
	return wf_decimal_parse(text, (size_t)length, false, number_out) ==
	       WF_LEXICAL_OK;
}

double wf_decimal_to_double(struct wf_decimal number)
{
	char text[WF_DECIMAL_TEXT];
	const wf_int128 exact = (wf_int128)1 << 53;

	if (number.scale == 0 && number.coefficient >= -exact &&
	    number.coefficient <= exact)
		return (double)(int64_t)number.coefficient;
	wf_decimal_text(number, text);
	return strtod(text, NULL);
}

float wf_decimal_to_float(struct wf_decimal number)
{
	char text[WF_DECIMAL_TEXT];

	wf_decimal_text(number, text);
	return strtof(text, NULL);
}

struct wf_decimal wf_decimal_truncate(struct wf_decimal number)
{
	wf_int128 unit = (wf_int128)wf_power_of_ten(number.scale);

	return (struct wf_decimal){ number.coefficient / unit, 0 };
}

bool wf_decimal_to_int(struct wf_decimal number, int64_t *number_out)
{
	if (number.scale != 0 || number.coefficient < INT64_MIN ||
	    number.coefficient > INT64_MAX)
		return false;
	*number_out = (int64_t)number.coefficient;
	return true;
}

int wf_decimal_compare(struct wf_decimal a, struct wf_decimal b)
{
	wf_int128 a_unit = (wf_int128)wf_power_of_ten(a.scale);
	wf_int128 b_unit = (wf_int128)wf_power_of_ten(b.scale);
	wf_int128 a_whole = a.coefficient / a_unit;
	wf_int128 b_whole = b.coefficient / b_unit;
	wf_int128 a_part;
	wf_int128 b_part;

	if (a_whole != b_whole)
		return a_whole < b_whole ? -1 : 1;
	/* Both parts are below 10^18, so they can get one scale. */
	a_part = a.coefficient % a_unit *
		 (wf_int128)wf_power_of_ten(WF_DECIMAL_SCALE - a.scale);
	b_part = b.coefficient % b_unit *
		 (wf_int128)wf_power_of_ten(WF_DECIMAL_SCALE - b.scale);
	return a_part == b_part ? 0 : a_part < b_part ? -1 : 1;
}

struct wf_decimal wf_decimal_negate(struct wf_decimal number)
{
	number.coefficient = -number.coefficient;
	return number;
}

/* The magnitude of number in units of 10^-scale. */
static struct wf_wide at_scale(struct wf_decimal number, unsigned scale)
{
	return wf_wide_product(wf_magnitude(number.coefficient),
	    wf_power_of_ten(scale - number.scale));
}

static unsigned larger_scale(struct wf_decimal a, struct wf_decimal b)
{
	return a.scale > b.scale ? a.scale : b.scale;
}

bool wf_decimal_add(
    struct wf_decimal a, struct wf_decimal b, struct wf_decimal *result_out)
{
	unsigned scale = larger_scale(a, b);
	struct wf_wide x = at_scale(a, scale);
	struct wf_wide y = at_scale(b, scale);
	bool negative = a.coefficient < 0;

	if (negative == (b.coefficient < 0)) {
		x.low += y.low;
		x.high += y.high + (x.low < y.low);
	} else {
		if (wf_wide_compare(x, y) < 0) {
			struct wf_wide swap = x;

			x = y;
			y = swap;
			negative = !negative;
		}
		x.high -= y.high + (x.low < y.low);
		x.low -= y.low;
	}
	return fit(x, scale, false, negative, result_out);
}

bool wf_decimal_multiply(
    struct wf_decimal a, struct wf_decimal b, struct wf_decimal *result_out)
{
	struct wf_wide product = wf_wide_product(
	    wf_magnitude(a.coefficient), wf_magnitude(b.coefficient));

	return fit(product, (unsigned)a.scale + b.scale, false,
	    (a.coefficient < 0) != (b.coefficient < 0), result_out);
}

bool wf_decimal_divide(
    struct wf_decimal a, struct wf_decimal b, struct wf_decimal *result_out)
{
	/*
	 * One digit more than is kept, and a sticky bit for the rest, so that
	 * fit() rounds correctly.
	 */
	unsigned extra = WF_DECIMAL_SCALE + 1 + b.scale;
	struct wf_wide number = wf_wide_product(
	    wf_magnitude(a.coefficient), wf_power_of_ten(extra));
	struct wf_wide divisor = { 0, wf_magnitude(b.coefficient) };
	struct wf_wide remainder;
	struct wf_wide quotient;

	quotient = wf_wide_divide(number, divisor, &remainder);
	return fit(quotient, WF_DECIMAL_SCALE + 1 + a.scale,
	    (remainder.low | remainder.high) != 0,
	    (a.coefficient < 0) != (b.coefficient < 0), result_out);
}

bool wf_decimal_integer_divide(
    struct wf_decimal a, struct wf_decimal b, struct wf_decimal *result_out)
{
	unsigned scale = larger_scale(a, b);

	return fit(wf_wide_divide(at_scale(a, scale), at_scale(b, scale), NULL),
	    0, false, (a.coefficient < 0) != (b.coefficient < 0), result_out);
}

bool wf_decimal_modulo(
    struct wf_decimal a, struct wf_decimal b, struct wf_decimal *result_out)
{
	unsigned scale = larger_scale(a, b);
	struct wf_wide remainder;

	wf_wide_divide(at_scale(a, scale), at_scale(b, scale), &remainder);
	return fit(remainder, scale, false, a.coefficient < 0, result_out);
}

bool wf_decimal_round(struct wf_decimal number, int64_t digits,
    enum wf_rounding rounding, struct wf_decimal *result_out)
{
	wf_int128 unit;
	wf_int128 count;
	int64_t drop = (int64_t)number.scale - digits;

	*result_out = number;
	if (digits >= number.scale)
		return true;
	if (drop > DIGITS) {
		*result_out = wf_decimal_from_int(0);
		return true;
	}
	unit = (wf_int128)wf_power_of_ten((unsigned)drop);
	if (!wf_wide_ratio(number.coefficient, 1, 0, unit, 0, rounding, &count))
		return false;
	if (digits >= 0)
		return fit((struct wf_wide){ 0, wf_magnitude(count) },
		    (unsigned)digits, false, count < 0, result_out);
	return fit(wf_wide_product(
		       wf_magnitude(count), wf_power_of_ten((unsigned)-digits)),
	    0, false, count < 0, result_out);
}

struct wf_decimal wf_decimal_floor(struct wf_decimal number)
{
	struct wf_decimal whole = wf_decimal_truncate(number);

	if (wf_decimal_compare(whole, number) > 0)
		whole.coefficient--;
	return whole;
}

struct wf_decimal wf_decimal_ceiling(struct wf_decimal number)
{
	struct wf_decimal whole = wf_decimal_truncate(number);

	if (wf_decimal_compare(whole, number) < 0)
		whole.coefficient++;
	return whole;
}

bool wf_digits_round_away(const char *digits, int total, int kept,
    bool negative, enum wf_rounding rounding)
{
	bool rest = false;
	bool odd = kept > 0 && (digits[kept - 1] - '0') % 2 != 0;

	for (int i = kept + 1; i < total && !rest; i++)
		rest = digits[i] != '0';
	if (digits[kept] != '5' || rest)
		return digits[kept] >= '5';
	return rounding == WF_ROUND_HALF_EVEN ? odd : !negative;
}

void wf_digits_increment(char *digits, int count)
{
	while (count > 0 && digits[count - 1] == '9')
		digits[--count] = '0';
	if (count > 0)
		digits[count - 1]++;
}
