/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xs:decimal and xs:integer: exact decimal numbers of up to 38 digits, at most
 * 18 of them behind the point.
 *
 * A decimal is kept without trailing zeros behind the point, so that equal
 * numbers have equal members. A number with more than 18 fractional digits, or
 * with more than 38 digits in all, is rounded half to even; a number with more
 * than 38 digits before the point cannot be represented, and the functions
 * return false.
 */
#ifndef WF_XQUERY_ATOMIC_DECIMAL_H
#define WF_XQUERY_ATOMIC_DECIMAL_H

#include "xquery/atomic/wide.h"
#include "xquery/item/item.h"

/* The maximum number of digits after the point. */
#define WF_DECIMAL_SCALE 18

/* The size of a buffer for any decimal as text. */
#define WF_DECIMAL_TEXT 64

struct wf_decimal wf_decimal_from_int(int64_t number);

enum wf_lexical {
	WF_LEXICAL_OK,
	WF_LEXICAL_BAD,	     /* not this form */
	WF_LEXICAL_TOO_LARGE /* a number, but too large */
};

/* [+-]digits[.digits]; integer: no point is allowed. */
enum wf_lexical wf_decimal_parse(const char *text, size_t length, bool integer,
    struct wf_decimal *number_out);
/* Writes the canonical form, NUL-terminated, and returns its length. */
size_t wf_decimal_text(
    struct wf_decimal number, char text[static WF_DECIMAL_TEXT]);

/* The nearest decimal; false when number is too large (or not finite). */
bool wf_decimal_from_double(double number, struct wf_decimal *number_out);
double wf_decimal_to_double(struct wf_decimal number);
/* The nearest float, rounded once. */
float wf_decimal_to_float(struct wf_decimal number);
/* The number without its fraction. */
struct wf_decimal wf_decimal_truncate(struct wf_decimal number);
/* False: it is not an integer, or does not fit. */
bool wf_decimal_to_int(struct wf_decimal number, int64_t *number_out);

int wf_decimal_compare(struct wf_decimal a, struct wf_decimal b);
bool wf_decimal_add(
    struct wf_decimal a, struct wf_decimal b, struct wf_decimal *result_out);
bool wf_decimal_multiply(
    struct wf_decimal a, struct wf_decimal b, struct wf_decimal *result_out);
struct wf_decimal wf_decimal_negate(struct wf_decimal number);

/* The divisor b must not be zero in the following functions. */
bool wf_decimal_divide(
    struct wf_decimal a, struct wf_decimal b, struct wf_decimal *result_out);
bool wf_decimal_integer_divide(
    struct wf_decimal a, struct wf_decimal b, struct wf_decimal *result_out);
bool wf_decimal_modulo(
    struct wf_decimal a, struct wf_decimal b, struct wf_decimal *result_out);

/* Rounds to a number of digits after the point (before it, when negative). */
bool wf_decimal_round(struct wf_decimal number, int64_t digits,
    enum wf_rounding rounding, struct wf_decimal *result_out);

/*
 * Rounding of digits as text. wf_digits_round_away(): whether total digits are
 * rounded away from zero when only the first kept ones remain (kept is less
 * than total). wf_digits_increment(): adds one to a number of count digits, the
 * first of which is not a 9.
 */
bool wf_digits_round_away(const char *digits, int total, int kept,
    bool negative, enum wf_rounding rounding);
void wf_digits_increment(char *digits, int count);

/* The largest integer not above, the smallest not below number. */
struct wf_decimal wf_decimal_floor(struct wf_decimal number);
struct wf_decimal wf_decimal_ceiling(struct wf_decimal number);

#endif
