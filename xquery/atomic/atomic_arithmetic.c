/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic on atomic values.
 *
 * Numbers are promoted to a common type. The operations on dates, times and
 * durations are the table at the end: one row for each pair of types and
 * operator.
 */
#include <math.h>

#include "xquery/atomic/atomic_priv.h"
#include "xquery/atomic/moment.h"

static bool is_word(struct wf_decimal number)
{
	return number.coefficient == (int32_t)number.coefficient;
}

double wf_atomic_to_double(
    struct wf_dynamic *dynamic, const struct wf_atomic *atomic)
{
	return wf_atomic_promote(dynamic, atomic, WF_XS_DOUBLE);
}

double wf_atomic_promote(struct wf_dynamic *dynamic,
    const struct wf_atomic *atomic, enum wf_atomic_type type)
{
	if (wf_atomic_primitive(atomic->type) != WF_XS_DECIMAL)
		return type == WF_XS_FLOAT ? (double)(float)atomic->as.number
					   : atomic->as.number;
	if (type == WF_XS_FLOAT || atomic->as.decimal.scale != 0 ||
	    !is_word(atomic->as.decimal))
		wf_charge(dynamic, WF_STEPS_TO_CONVERT);
	return type == WF_XS_FLOAT
		   ? (double)wf_decimal_to_float(atomic->as.decimal)
		   : wf_decimal_to_double(atomic->as.decimal);
}

enum wf_atomic_type wf_atomic_common(
    const struct wf_atomic *a, const struct wf_atomic *b)
{
	if (a->type == WF_XS_DOUBLE || b->type == WF_XS_DOUBLE)
		return WF_XS_DOUBLE;
	if (a->type == WF_XS_FLOAT || b->type == WF_XS_FLOAT)
		return WF_XS_FLOAT;
	return wf_atomic_derives(a->type, WF_XS_INTEGER) &&
		       wf_atomic_derives(b->type, WF_XS_INTEGER)
		   ? WF_XS_INTEGER
		   : WF_XS_DECIMAL;
}

static enum wf_rc overflow(struct wf_dynamic *dynamic, const char *code)
{
	return wf_atomic_fail(dynamic, code, "the result is too large");
}

static enum wf_rc zero_divisor(struct wf_dynamic *dynamic)
{
	return wf_atomic_fail(dynamic, "FOAR0001", "division by zero");
}

/* Digit by digit, when an operand has more than a word (bench/query_costs). */
#define STEPS_OF_LONG_DIVISION 40U

static enum wf_rc decimal_arithmetic(struct wf_dynamic *dynamic,
    struct wf_decimal a, struct wf_decimal b, enum wf_operator op,
    struct wf_decimal *out)
{
	bool fits = false;

	if (op >= WF_DIVIDE && b.coefficient == 0)
		return zero_divisor(dynamic);
	switch (op) {
	case WF_ADD:
		fits = wf_decimal_add(a, b, out);
		break;
	case WF_SUBTRACT:
		fits = wf_decimal_add(a, wf_decimal_negate(b), out);
		break;
	case WF_MULTIPLY:
		fits = wf_decimal_multiply(a, b, out);
		break;
	case WF_DIVIDE:
		wf_charge(dynamic,
		    is_word(a) && is_word(b) ? 1 : STEPS_OF_LONG_DIVISION);
		fits = wf_decimal_divide(a, b, out);
		break;
	case WF_INTEGER_DIVIDE:
		fits = wf_decimal_integer_divide(a, b, out);
		break;
	case WF_MODULO:
		fits = wf_decimal_modulo(a, b, out);
		break;
	}
	return fits ? WF_OK : overflow(dynamic, "FOAR0002");
}

static enum wf_rc double_integer_divide(
    struct wf_dynamic *dynamic, double a, double b, struct wf_decimal *out)
{
	if (b == 0)
		return zero_divisor(dynamic);
	if (isnan(a) || isnan(b) || isinf(a))
		return wf_atomic_fail(dynamic, "FOAR0002",
		    "idiv needs a finite number to divide, and a divisor");
	wf_charge(dynamic, WF_STEPS_TO_CONVERT);
	if (!wf_decimal_from_double(trunc(a / b), out))
		return overflow(dynamic, "FOAR0002");
	return WF_OK;
}

static double double_arithmetic(double a, double b, enum wf_operator op)
{
	switch (op) {
	case WF_ADD:
		return a + b;
	case WF_SUBTRACT:
		return a - b;
	case WF_MULTIPLY:
		return a * b;
	case WF_DIVIDE:
		return a / b;
	case WF_MODULO:
		return fmod(a, b);
	case WF_INTEGER_DIVIDE:
		break;
	}
	return trunc(a / b);
}

/* The usual case: small integers. */
static bool small_arithmetic(const struct wf_atomic *a,
    const struct wf_atomic *b, enum wf_operator op, wf_int128 *out)
{
	wf_int128 x = a->as.decimal.coefficient;
	wf_int128 y = b->as.decimal.coefficient;

	if (x < INT64_MIN || x > INT64_MAX || y < INT64_MIN || y > INT64_MAX)
		return false;
	if (op == WF_ADD)
		*out = x + y;
	else if (op == WF_SUBTRACT)
		*out = x - y;
	else if (op == WF_MULTIPLY)
		*out = x * y;
	else if (op == WF_INTEGER_DIVIDE && y != 0)
		*out = x / y;
	else if (op == WF_MODULO && y != 0)
		*out = x % y;
	else
		return false;
	return true;
}

static enum wf_rc numeric_arithmetic(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b, enum wf_operator op,
    struct wf_atomic *out)
{
	enum wf_atomic_type common = wf_atomic_common(a, b);

	if (common == WF_XS_INTEGER || common == WF_XS_DECIMAL) {
		struct wf_decimal x = a->as.decimal;
		struct wf_decimal y = b->as.decimal;

		if (op == WF_INTEGER_DIVIDE)
			common = WF_XS_INTEGER;
		else if (op == WF_DIVIDE)
			common = WF_XS_DECIMAL;
		*out = (struct wf_atomic){ .type = common };
		if (common == WF_XS_INTEGER && x.scale == 0 && y.scale == 0 &&
		    small_arithmetic(a, b, op, &out->as.decimal.coefficient))
			return WF_OK;
		return decimal_arithmetic(dynamic, x, y, op, &out->as.decimal);
	}
	if (op == WF_INTEGER_DIVIDE) {
		*out = (struct wf_atomic){ .type = WF_XS_INTEGER };
		return double_integer_divide(dynamic,
		    wf_atomic_promote(dynamic, a, common),
		    wf_atomic_promote(dynamic, b, common), &out->as.decimal);
	}
	*out = wf_atomic_number(
	    common, double_arithmetic(wf_atomic_promote(dynamic, a, common),
			wf_atomic_promote(dynamic, b, common), op));
	return WF_OK;
}

/* An operation of the table; the result has its type already. */
typedef enum wf_rc (*operation_f)(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b, enum wf_operator op,
    struct wf_atomic *out);

static enum wf_rc add_durations(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b, enum wf_operator op,
    struct wf_atomic *out)
{
	int sign = op == WF_ADD ? 1 : -1;
	wf_int128 months = (wf_int128)a->as.duration.months +
			   sign * (wf_int128)b->as.duration.months;
	wf_int128 nanoseconds = wf_duration_nanoseconds(&a->as.duration) +
				sign * wf_duration_nanoseconds(&b->as.duration);

	if (months <= INT64_MIN || months > INT64_MAX ||
	    !wf_duration_from_nanoseconds(nanoseconds, &out->as.duration))
		return overflow(dynamic, "FODT0002");
	out->as.duration.months = (int64_t)months;
	return WF_OK;
}

/* number as numerator * 2^shift / denominator. */
struct ratio {
	wf_int128 numerator;
	unsigned numerator_shift;
	wf_int128 denominator;
	unsigned denominator_shift;
};

static struct ratio ratio_of(const struct wf_atomic *number)
{
	struct ratio ratio = { 1, 0, 1, 0 };
	int exponent;

	if (wf_atomic_primitive(number->type) == WF_XS_DECIMAL) {
		ratio.numerator = number->as.decimal.coefficient;
		ratio.denominator =
		    (wf_int128)wf_power_of_ten(number->as.decimal.scale);
		return ratio;
	}
	ratio.numerator =
	    (wf_int128)ldexp(frexp(number->as.number, &exponent), 53);
	exponent -= 53;
	if (exponent >= 0)
		ratio.numerator_shift = (unsigned)exponent;
	else
		ratio.denominator_shift = (unsigned)-exponent;
	return ratio;
}

static struct ratio inverse(struct ratio ratio)
{
	return (struct ratio){ ratio.denominator, ratio.denominator_shift,
		ratio.numerator, ratio.numerator_shift };
}

static bool scale_duration(const struct wf_duration *duration, struct ratio by,
    struct wf_duration *out)
{
	wf_int128 months;
	wf_int128 nanoseconds;

	if (!wf_wide_ratio(duration->months, by.numerator, by.numerator_shift,
		by.denominator, by.denominator_shift, WF_ROUND_HALF_UP,
		&months) ||
	    !wf_wide_ratio(wf_duration_nanoseconds(duration), by.numerator,
		by.numerator_shift, by.denominator, by.denominator_shift,
		WF_ROUND_HALF_EVEN, &nanoseconds))
		return false;
	if (months <= INT64_MIN || months > INT64_MAX ||
	    !wf_duration_from_nanoseconds(nanoseconds, out))
		return false;
	out->months = (int64_t)months;
	return true;
}

static enum wf_rc scale(struct wf_dynamic *dynamic,
    const struct wf_atomic *duration, const struct wf_atomic *number,
    bool divide, struct wf_atomic *out)
{
	double size = wf_atomic_to_double(dynamic, number);
	struct ratio by;

	if (isnan(size))
		return wf_atomic_fail(dynamic, "FOCA0005",
		    "a duration cannot be multiplied or divided by NaN");
	if (isinf(size) && divide) {
		out->as.duration = (struct wf_duration){ 0 };
		return WF_OK;
	}
	if (isinf(size) || (divide && size == 0))
		return overflow(dynamic, "FODT0002");
	by = ratio_of(number);
	if (!scale_duration(&duration->as.duration, divide ? inverse(by) : by,
		&out->as.duration))
		return overflow(dynamic, "FODT0002");
	return WF_OK;
}

static enum wf_rc duration_by_number(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b, enum wf_operator op,
    struct wf_atomic *out)
{
	return scale(dynamic, a, b, op == WF_DIVIDE, out);
}

static enum wf_rc number_by_duration(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b, enum wf_operator op,
    struct wf_atomic *out)
{
	(void)op;
	return scale(dynamic, b, a, false, out);
}

static enum wf_rc divide_durations(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b, enum wf_operator op,
    struct wf_atomic *out)
{
	bool months = a->type == WF_XS_YEAR_MONTH_DURATION;
	struct wf_decimal x = { months
				    ? a->as.duration.months
				    : wf_duration_nanoseconds(&a->as.duration),
		0 };
	struct wf_decimal y = { months
				    ? b->as.duration.months
				    : wf_duration_nanoseconds(&b->as.duration),
		0 };

	return decimal_arithmetic(dynamic, x, y, op, &out->as.decimal);
}

static enum wf_rc subtract_moments(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b, enum wf_operator op,
    struct wf_atomic *out)
{
	wf_int128 difference =
	    wf_moment_nanoseconds(&a->as.moment, dynamic->timezone) -
	    wf_moment_nanoseconds(&b->as.moment, dynamic->timezone);

	(void)op;
	if (!wf_duration_from_nanoseconds(difference, &out->as.duration))
		return overflow(dynamic, "FODT0002");
	return WF_OK;
}

static enum wf_rc shift_moment(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b, enum wf_operator op,
    struct wf_atomic *out)
{
	const struct wf_duration *by = &b->as.duration;
	wf_int128 nanoseconds = wf_duration_nanoseconds(by);
	int sign = op == WF_ADD ? 1 : -1;
	struct wf_moment moment;

	/* The date of a time is not part of its value. */
	if (a->type == WF_XS_TIME)
		nanoseconds %= (wf_int128)86400 * WF_NANOSECONDS;
	if (b->type == WF_XS_YEAR_MONTH_DURATION
		? !wf_moment_add_months(
		      &a->as.moment, sign * by->months, &moment)
		: !wf_moment_add_nanoseconds(
		      &a->as.moment, sign * nanoseconds, &moment))
		return overflow(dynamic, "FODT0001");
	out->as.moment = wf_moment_as(a->type, &moment);
	return WF_OK;
}

static enum wf_rc moment_shift(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b, enum wf_operator op,
    struct wf_atomic *out)
{
	return shift_moment(dynamic, b, a, op, out);
}

/* ANY_ATOMIC stands for any numeric type. */
static const struct row {
	enum wf_atomic_type a;
	enum wf_operator op;
	enum wf_atomic_type b;
	enum wf_atomic_type result;
	operation_f operation;
} rows[] = {
#define YM WF_XS_YEAR_MONTH_DURATION
#define DT WF_XS_DAY_TIME_DURATION
#define NUMBER WF_XS_ANY_ATOMIC
	{ YM, WF_ADD, YM, YM, add_durations },
	{ YM, WF_SUBTRACT, YM, YM, add_durations },
	{ YM, WF_MULTIPLY, NUMBER, YM, duration_by_number },
	{ NUMBER, WF_MULTIPLY, YM, YM, number_by_duration },
	{ YM, WF_DIVIDE, NUMBER, YM, duration_by_number },
	{ YM, WF_DIVIDE, YM, WF_XS_DECIMAL, divide_durations },
	{ DT, WF_ADD, DT, DT, add_durations },
	{ DT, WF_SUBTRACT, DT, DT, add_durations },
	{ DT, WF_MULTIPLY, NUMBER, DT, duration_by_number },
	{ NUMBER, WF_MULTIPLY, DT, DT, number_by_duration },
	{ DT, WF_DIVIDE, NUMBER, DT, duration_by_number },
	{ DT, WF_DIVIDE, DT, WF_XS_DECIMAL, divide_durations },
#define MOMENT(type)                                                           \
	{ type, WF_SUBTRACT, type, DT, subtract_moments },                     \
	    { type, WF_ADD, DT, type, shift_moment },                          \
	    { DT, WF_ADD, type, type, moment_shift },                          \
	{                                                                      \
		type, WF_SUBTRACT, DT, type, shift_moment                      \
	}
	MOMENT(WF_XS_DATE_TIME),
	MOMENT(WF_XS_DATE),
	MOMENT(WF_XS_TIME),
#undef MOMENT
	{ WF_XS_DATE_TIME, WF_ADD, YM, WF_XS_DATE_TIME, shift_moment },
	{ YM, WF_ADD, WF_XS_DATE_TIME, WF_XS_DATE_TIME, moment_shift },
	{ WF_XS_DATE_TIME, WF_SUBTRACT, YM, WF_XS_DATE_TIME, shift_moment },
	{ WF_XS_DATE, WF_ADD, YM, WF_XS_DATE, shift_moment },
	{ YM, WF_ADD, WF_XS_DATE, WF_XS_DATE, moment_shift },
	{ WF_XS_DATE, WF_SUBTRACT, YM, WF_XS_DATE, shift_moment },
#undef YM
#undef DT
#undef NUMBER
};

static bool fits_row(enum wf_atomic_type wanted, enum wf_atomic_type type)
{
	return wanted == WF_XS_ANY_ATOMIC ? wf_atomic_is_numeric(type)
					  : wanted == type;
}

static enum wf_rc no_operator(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b, enum wf_operator op)
{
	static const char *const names[] = { "+", "-", "*", "div", "idiv",
		"mod" };

	return wf_atomic_fail(dynamic, "XPTY0004",
	    "there is no operator %s for xs:%s and xs:%s", names[op],
	    wf_atomic_type_name(a->type), wf_atomic_type_name(b->type));
}

enum wf_rc wf_atomic_arithmetic(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b, enum wf_operator op,
    struct wf_atomic *result_out)
{
	/* Copies, because the result may be one of the operands. */
	struct wf_atomic operands[2] = { *a, *b };

	for (int i = 0; i < 2; i++)
		if (operands[i].type == WF_XS_UNTYPED) {
			struct wf_atomic text = operands[i];
			enum wf_rc rc = wf_atomic_cast(
			    dynamic, &text, WF_XS_DOUBLE, &operands[i]);

			if (rc != WF_OK)
				return rc;
		}
	a = &operands[0];
	b = &operands[1];
	if (wf_atomic_is_numeric(a->type) && wf_atomic_is_numeric(b->type))
		return numeric_arithmetic(dynamic, a, b, op, result_out);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct wf_atomic result = { .type = row->result };
		enum wf_rc rc;

		if (row->op != op || !fits_row(row->a, a->type) ||
		    !fits_row(row->b, b->type))
			continue;
		rc = row->operation(dynamic, a, b, op, &result);
		if (rc == WF_OK)
			*result_out = result;
		return rc;
	}
	return no_operator(dynamic, a, b, op);
}

enum wf_rc wf_atomic_negate(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, struct wf_atomic *result_out)
{
	struct wf_atomic number = *a;

	if (a->type == WF_XS_UNTYPED) {
		enum wf_rc rc =
		    wf_atomic_cast(dynamic, a, WF_XS_DOUBLE, &number);

		if (rc != WF_OK)
			return rc;
	}
	if (!wf_atomic_is_numeric(number.type))
		return wf_atomic_fail(dynamic, "XPTY0004",
		    "an xs:%s has no negative", wf_atomic_type_name(a->type));
	if (wf_atomic_primitive(number.type) != WF_XS_DECIMAL) {
		number.as.number = -number.as.number;
	} else {
		number.as.decimal = wf_decimal_negate(number.as.decimal);
		number.type = wf_atomic_derives(number.type, WF_XS_INTEGER)
				  ? WF_XS_INTEGER
				  : WF_XS_DECIMAL;
	}
	*result_out = number;
	return WF_OK;
}
