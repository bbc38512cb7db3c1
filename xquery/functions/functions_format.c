/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fn:format-number.
 *
 * A picture such as "#,##0.00" is read into numbers of digits and places of
 * grouping separators; the number is then formatted as text, so that it may
 * have any number of digits. A decimal format, the default one or one of the
 * prolog, gives the meaning of each character.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "xquery/eval/eval.h"
#include "xquery/functions/functions_priv.h"
#include "xquery/pattern/picture.h"
#include "xquery/text/unicode.h"

/* Positions of grouping separators, counted from the decimal point. */
struct groups {
	size_t *places;
	size_t count;
	size_t interval; /* the constant distance; 0: none */
};

struct picture {
	const struct wf_decimal_format *format;
	struct wf_characters prefix;
	struct wf_characters suffix;
	int shift;	    /* 2 for per cent, 3 for per mille */
	size_t digits;	    /* digits before the point */
	size_t least_whole; /* of them mandatory */
	size_t least_part;  /* mandatory digits after the point */
	size_t most_part;
	size_t exponent; /* digits of the exponent; 0: no exponent */
	size_t scale;	 /* digits before the point, with an exponent */
	struct groups whole;
	struct groups part;
};

static enum wf_rc bad_picture(struct wf_dynamic *dynamic, struct wf_string text)
{
	return wf_atomic_fail(dynamic, "FODF1310",
	    "\"%.*s\" is not a picture of a number",
	    WF_SHOWN(text.text, text.length));
}

/* ---- reading pictures ---- */

static bool is_digit(const struct wf_decimal_format *format, uint32_t c)
{
	return c >= format->zero && c <= format->zero + 9;
}

static bool is_active(const struct wf_decimal_format *format, uint32_t c)
{
	return is_digit(format, c) || c == format->digit ||
	       c == format->decimal || c == format->grouping;
}

static int occurrences(struct wf_characters text, uint32_t c)
{
	int count = 0;

	for (size_t i = 0; i < text.count; i++)
		count += text.list[i] == c;
	return count;
}

static bool read_signs(struct picture *picture)
{
	const struct wf_decimal_format *format = picture->format;
	int hundred = occurrences(picture->prefix, format->percent) +
		      occurrences(picture->suffix, format->percent);
	int thousand = occurrences(picture->prefix, format->per_mille) +
		       occurrences(picture->suffix, format->per_mille);

	picture->shift = hundred > 0 ? 2 : thousand > 0 ? 3 : 0;
	return hundred + thousand <= 1;
}

/* Before the point; a group is recorded by the number of digits before it. */
static bool read_whole(
    struct picture *picture, const uint32_t *text, size_t length)
{
	const struct wf_decimal_format *format = picture->format;

	for (size_t i = 0; i < length; i++) {
		if (text[i] == format->grouping) {
			if (i + 1 == length || text[i + 1] == format->grouping)
				return false;
			picture->whole.places[picture->whole.count++] =
			    picture->digits;
			continue;
		}
		if (text[i] == format->digit && picture->least_whole > 0)
			return false;
		picture->least_whole += text[i] != format->digit;
		picture->digits++;
	}
	for (size_t i = 0; i < picture->whole.count; i++)
		picture->whole.places[i] =
		    picture->digits - picture->whole.places[i];
	return true;
}

static bool read_part(
    struct picture *picture, const uint32_t *text, size_t length)
{
	const struct wf_decimal_format *format = picture->format;

	for (size_t i = 0; i < length; i++) {
		if (text[i] == format->decimal)
			return false;
		if (text[i] == format->grouping) {
			if (i == 0 ||
			    (i + 1 < length && text[i + 1] == format->grouping))
				return false;
			picture->part.places[picture->part.count++] =
			    picture->most_part;
			continue;
		}
		if (text[i] != format->digit &&
		    picture->least_part < picture->most_part)
			return false;
		picture->least_part += text[i] != format->digit;
		picture->most_part++;
	}
	return true;
}

/*
 * Groups before the point repeat if each multiple of the smallest position has
 * one, up to the length of the picture.
 */
static void find_interval(struct picture *picture)
{
	struct groups *groups = &picture->whole;
	size_t interval =
	    groups->count > 0 ? groups->places[groups->count - 1] : 0;
	size_t wanted = interval;

	if (interval == 0)
		return;
	for (size_t i = groups->count; i-- > 0; wanted += interval)
		if (groups->places[i] != wanted)
			return;
	if (wanted >= picture->digits)
		groups->interval = interval;
}

/* Cuts the exponent off the end of text; false: it is malformed. */
static bool read_exponent(struct picture *picture, struct wf_characters *text)
{
	const struct wf_decimal_format *format = picture->format;
	size_t at = 1;

	while (at + 1 < text->count && text->list[at] != format->exponent)
		at++;
	if (at + 1 >= text->count)
		return true;
	for (size_t i = at + 1; i < text->count; i++) {
		if (!is_digit(format, text->list[i]))
			return false;
		picture->exponent++;
	}
	text->count = at;
	return picture->shift == 0;
}

/* At least one digit is shown. */
static void require_digit(struct picture *picture)
{
	picture->scale = picture->least_whole;
	if (picture->least_whole == 0 && picture->most_part == 0) {
		if (picture->exponent > 0) {
			picture->least_part = 1;
			picture->most_part = 1;
		} else {
			picture->least_whole = 1;
		}
	}
	if (picture->exponent > 0 && picture->least_whole == 0 &&
	    picture->digits > 0)
		picture->least_whole = 1;
	if (picture->least_whole == 0 && picture->least_part == 0)
		picture->least_part = 1;
}

static bool read_number(struct picture *picture, struct wf_characters text)
{
	const struct wf_decimal_format *format = picture->format;
	size_t whole = 0;

	if (!read_signs(picture) || !read_exponent(picture, &text))
		return false;
	for (size_t i = 0; i < text.count; i++)
		if (!is_active(format, text.list[i]))
			return false;
	while (whole < text.count && text.list[whole] != format->decimal)
		whole++;
	if (!read_whole(picture, text.list, whole) ||
	    (whole < text.count && !read_part(picture, text.list + whole + 1,
				       text.count - whole - 1)) ||
	    picture->digits + picture->most_part == 0)
		return false;
	find_interval(picture);
	require_digit(picture);
	return true;
}

static bool read_picture(struct wf_dynamic *dynamic,
    const struct wf_decimal_format *format, struct wf_characters text,
    struct picture *picture)
{
	size_t first = 0;
	size_t last = text.count;

	*picture = (struct picture){ .format = format };
	picture->whole.places =
	    wf_arena_array(dynamic->arena, text.count + 1, sizeof(size_t));
	picture->part.places =
	    wf_arena_array(dynamic->arena, text.count + 1, sizeof(size_t));
	while (first < last && !is_active(format, text.list[first]))
		first++;
	while (last > first && !is_active(format, text.list[last - 1]))
		last--;
	picture->prefix = (struct wf_characters){ text.list, first };
	picture->suffix =
	    (struct wf_characters){ text.list + last, text.count - last };
	return read_number(
	    picture, (struct wf_characters){ text.list + first, last - first });
}

/* ---- formatting ---- */

/* A number as digits, with the position of the point. */
struct digits {
	char text[WF_DECIMAL_TEXT + 1]; /* the first is a 0, for a carry */
	int count;
	int point;
};

static void take_digits(const struct wf_atomic *number, struct digits *digits)
{
	char text[WF_DECIMAL_TEXT];
	const char *next = text;

	if (wf_atomic_primitive(number->type) == WF_XS_DECIMAL)
		wf_decimal_text(number->as.decimal, text);
	else
		wf_number_text(
		    number->as.number, number->type == WF_XS_FLOAT, text);
	*digits = (struct digits){ .text = "0", .count = 1, .point = -1 };
	for (; *next != '\0' && *next != 'E'; next++) {
		if (*next == '.')
			digits->point = digits->count;
		else if (*next >= '0' && *next <= '9')
			digits->text[digits->count++] = *next;
	}
	if (digits->point < 0)
		digits->point = digits->count;
	if (*next == 'E')
		digits->point += atoi(next + 1);
}

/* Rounds to a maximum number of digits after the point. */
static void round_digits(struct digits *digits, size_t most_part)
{
	long kept = digits->point + (long)most_part;

	if (kept >= digits->count)
		return;
	/* The first digit is a 0, so there is nothing to carry. */
	if (kept < 1) {
		*digits =
		    (struct digits){ .text = "0", .count = 1, .point = 1 };
		return;
	}
	if (wf_digits_round_away(digits->text, digits->count, (int)kept, false,
		WF_ROUND_HALF_EVEN))
		wf_digits_increment(digits->text, (int)kept);
	digits->count = (int)kept;
}

/*
 * The number of digits before the point without leading zeros; negative: zeros
 * after the point.
 */
static int magnitude(const struct digits *digits)
{
	int i = 0;

	while (i < digits->count && digits->text[i] == '0')
		i++;
	return i == digits->count ? 1 : digits->point - i;
}

/*
 * Rounds, and moves the point as the exponent requires; returns the exponent.
 */
static int scale_digits(struct digits *digits, const struct picture *picture)
{
	int exponent = 0;

	if (picture->exponent > 0) {
		exponent = magnitude(digits) - (int)picture->scale;
		digits->point -= exponent;
	}
	/* The exponent stays, if rounding adds a digit: 9.99 is 10.0. */
	round_digits(digits, picture->most_part);
	return exponent;
}

/*
 * The digit at a distance before the point (0: next to it); negative: after the
 * point.
 */
static char digit_at(const struct digits *digits, long place)
{
	long i = digits->point - 1 - place;

	return i >= 0 && i < digits->count ? digits->text[i] : '0';
}

static bool has_group(const struct groups *groups, size_t place)
{
	if (groups->interval > 0)
		return place % groups->interval == 0;
	for (size_t i = 0; i < groups->count; i++)
		if (groups->places[i] == place)
			return true;
	return false;
}

static void put(struct wf_buffer *out, uint32_t character)
{
	char bytes[4];

	wf_buffer_append(out, bytes, wf_utf8_put(character, bytes));
}

static void put_digit(
    struct wf_buffer *out, const struct wf_decimal_format *format, char digit)
{
	put(out, format->zero + (uint32_t)(digit - '0'));
}

static void put_digits(struct wf_buffer *out, const struct digits *digits,
    const struct picture *picture)
{
	const struct wf_decimal_format *format = picture->format;
	size_t whole = digits->point > 0 ? (size_t)digits->point : 0;
	size_t part = picture->most_part;

	while (whole > 0 && digit_at(digits, (long)whole - 1) == '0')
		whole--;
	if (whole < picture->least_whole)
		whole = picture->least_whole;
	while (
	    part > picture->least_part && digit_at(digits, -(long)part) == '0')
		part--;
	for (size_t i = whole; i > 0; i--) {
		if (i < whole && has_group(&picture->whole, i))
			put(out, format->grouping);
		put_digit(out, format, digit_at(digits, (long)i - 1));
	}
	if (part > 0)
		put(out, format->decimal);
	for (size_t i = 0; i < part; i++) {
		if (i > 0 && has_group(&picture->part, i))
			put(out, format->grouping);
		put_digit(out, format, digit_at(digits, -(long)i - 1));
	}
}

static void put_exponent(
    struct wf_buffer *out, const struct picture *picture, int exponent)
{
	const struct wf_decimal_format *format = picture->format;
	char text[16];
	size_t length =
	    (size_t)snprintf(text, sizeof(text), "%d", abs(exponent));

	put(out, format->exponent);
	if (exponent < 0)
		put(out, format->minus);
	for (size_t i = length; i < picture->exponent; i++)
		put_digit(out, format, '0');
	for (size_t i = 0; i < length; i++)
		put_digit(out, format, text[i]);
}

static void put_all(struct wf_buffer *out, struct wf_characters text)
{
	for (size_t i = 0; i < text.count; i++)
		put(out, text.list[i]);
}

static void put_number(struct wf_buffer *out, const struct wf_atomic *number,
    const struct picture *picture, bool minus)
{
	static const double factors[] = { 1, 1, 100, 1000 };
	struct digits digits;
	bool exact = wf_atomic_primitive(number->type) == WF_XS_DECIMAL;
	int exponent;

	if (minus)
		put(out, picture->format->minus);
	put_all(out, picture->prefix);
	if (!exact && isinf(number->as.number * factors[picture->shift])) {
		wf_buffer_puts(out, picture->format->infinity);
	} else {
		take_digits(number, &digits);
		digits.point += picture->shift;
		exponent = scale_digits(&digits, picture);
		put_digits(out, &digits, picture);
		if (picture->exponent > 0)
			put_exponent(out, picture, exponent);
	}
	put_all(out, picture->suffix);
}

/* ---- the function ---- */

static enum wf_rc find_format(struct wf_dynamic *dynamic,
    const struct wf_sequence *arguments, size_t count,
    const struct wf_decimal_format **format_out)
{
	const struct wf_query *query = dynamic->state->query;
	struct wf_qname name = { "", "", "" };
	bool good = true;

	if (count > 2 && arguments[2].count > 0) {
		struct wf_string text =
		    wf_argument_string(dynamic, arguments, 2);

		good = wf_parse_expanded_name(dynamic, text, &name) ||
		       wf_parse_qname(dynamic, query->namespaces, text, "",
			   &name) == WF_OK;
	}
	if (!good)
		wf_error_clear(dynamic->err);
	*format_out = good ? query->formats : NULL;
	while (*format_out != NULL &&
	       (strcmp((*format_out)->name.local, name.local) != 0 ||
		   strcmp((*format_out)->name.uri, name.uri) != 0))
		*format_out = (*format_out)->next;
	if (*format_out == NULL)
		return wf_atomic_fail(
		    dynamic, "FODF1280", "there is no such decimal format");
	return WF_OK;
}

/* What the digits of a number cost, of which a double may have 309. */
#define STEPS_OF_NUMBER 96U

WF_BUILT_IN(format_number)
{
	const struct wf_atomic *number = wf_argument(arguments, 0);
	struct wf_string text = wf_argument_string(dynamic, arguments, 1);
	const struct wf_decimal_format *format;
	struct wf_characters first;
	struct wf_characters second = { NULL, 0 };
	struct picture positive;
	struct picture negative;
	struct wf_buffer *out;
	size_t at = 0;
	bool has_second;
	bool below;

	WF_TRY(find_format(dynamic, arguments, count, &format));
	wf_charge(dynamic, STEPS_OF_NUMBER);
	wf_charge_characters(dynamic, 2 * text.length);
	WF_TRY(wf_characters_read(dynamic, text, &first));
	while (at < first.count && first.list[at] != format->pattern)
		at++;
	has_second = at < first.count;
	if (has_second)
		second = (struct wf_characters){ first.list + at + 1,
			first.count - at - 1 };
	first.count = at;
	if (occurrences(second, format->pattern) > 0 ||
	    !read_picture(dynamic, format, first, &positive) ||
	    (has_second && !read_picture(dynamic, format, second, &negative)))
		return bad_picture(dynamic, text);
	out = wf_text_begin(dynamic);
	if (!number || (wf_atomic_primitive(number->type) != WF_XS_DECIMAL &&
			   isnan(number->as.number))) {
		wf_buffer_puts(out, format->nan);
		return wf_return_text(dynamic, result);
	}
	below = wf_atomic_primitive(number->type) == WF_XS_DECIMAL
		    ? number->as.decimal.coefficient < 0
		    : signbit(number->as.number) != 0;
	put_number(out, number, below && has_second ? &negative : &positive,
	    below && !has_second);
	return wf_return_text(dynamic, result);
}
