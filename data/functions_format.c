/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fn:format-number, with the default decimal format.
 *
 * A picture such as "#,##0.00" is read into numbers of digits and places of
 * grouping separators; the number is then formatted as text, so that it may
 * have any number of digits.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/functions_priv.h"

#define PER_MILLE "\xE2\x80\xB0"
#define INFINITY_TEXT "Infinity"

/* Places of grouping separators, counted from the decimal point. */
struct groups {
	size_t *places;
	size_t count;
	size_t interval; /* the same distance throughout; 0: none */
};

struct picture {
	struct wf_string prefix;
	struct wf_string suffix;
	int shift;	    /* 2 for per cent, 3 for per mille */
	size_t digits;	    /* places before the point */
	size_t least_whole; /* mandatory ones */
	size_t least_part;  /* behind the point */
	size_t most_part;
	struct groups whole;
	struct groups part;
};

static enum wf_rc bad_picture(struct wf_dynamic *dynamic, struct wf_string text)
{
	return wf_atomic_fail(dynamic, "FODF1310",
	    "\"%.*s\" is not a picture of a number",
	    WF_SHOWN(text.text, text.length));
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_active(char c)
{
	return is_digit(c) || c == '#' || c == '.' || c == ',';
}

/* How often word stands in text. */
static int occurrences(struct wf_string text, const char *word)
{
	size_t length = strlen(word);
	int count = 0;

	for (size_t i = 0; i + length <= text.length; i++)
		count += memcmp(text.text + i, word, length) == 0;
	return count;
}

static bool read_signs(struct picture *picture)
{
	int hundred = occurrences(picture->prefix, "%") +
		      occurrences(picture->suffix, "%");
	int thousand = occurrences(picture->prefix, PER_MILLE) +
		       occurrences(picture->suffix, PER_MILLE);

	picture->shift = hundred > 0 ? 2 : thousand > 0 ? 3 : 0;
	return hundred + thousand <= 1;
}

/* Before the point; groups are noted by the digits seen so far. */
static bool read_whole(struct picture *picture, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] == ',') {
			if (i + 1 == length || text[i + 1] == ',')
				return false;
			picture->whole.places[picture->whole.count++] =
			    picture->digits;
			continue;
		}
		if (text[i] == '#' && picture->least_whole > 0)
			return false;
		picture->least_whole += text[i] != '#';
		picture->digits++;
	}
	for (size_t i = 0; i < picture->whole.count; i++)
		picture->whole.places[i] =
		    picture->digits - picture->whole.places[i];
	return true;
}

static bool read_part(struct picture *picture, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '.')
			return false;
		if (text[i] == ',') {
			if (i == 0 || (i + 1 < length && text[i + 1] == ','))
				return false;
			picture->part.places[picture->part.count++] =
			    picture->most_part;
			continue;
		}
		if (text[i] != '#' && picture->least_part < picture->most_part)
			return false;
		picture->least_part += text[i] != '#';
		picture->most_part++;
	}
	return true;
}

/*
 * Groups before the point repeat when each multiple of the smallest place has
 * one, as far as the picture reaches.
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

static bool read_picture(
    struct wf_dynamic *dynamic, struct wf_string text, struct picture *picture)
{
	size_t first = 0;
	size_t last = text.length;
	const char *point;
	size_t whole;

	*picture = (struct picture){ 0 };
	picture->whole.places =
	    wf_arena_array(dynamic->arena, text.length + 1, sizeof(size_t));
	picture->part.places =
	    wf_arena_array(dynamic->arena, text.length + 1, sizeof(size_t));
	while (first < last && !is_active(text.text[first]))
		first++;
	while (last > first && !is_active(text.text[last - 1]))
		last--;
	for (size_t i = first; i < last; i++)
		if (!is_active(text.text[i]))
			return false;
	picture->prefix = (struct wf_string){ text.text, first };
	picture->suffix =
	    (struct wf_string){ text.text + last, text.length - last };
	point = memchr(text.text + first, '.', last - first);
	whole = point ? (size_t)(point - text.text) - first : last - first;
	if (!read_signs(picture) ||
	    !read_whole(picture, text.text + first, whole) ||
	    (point &&
		!read_part(picture, point + 1, last - first - whole - 1)) ||
	    picture->digits + picture->most_part == 0)
		return false;
	find_interval(picture);
	if (picture->least_whole == 0 && picture->least_part == 0) {
		if (picture->most_part == 0)
			picture->least_whole = 1;
		else
			picture->least_part = 1;
	}
	return true;
}

/* A number as digits, the point behind so many of them. */
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
		else if (is_digit(*next))
			digits->text[digits->count++] = *next;
	}
	if (digits->point < 0)
		digits->point = digits->count;
	if (*next == 'E')
		digits->point += atoi(next + 1);
}

/* Leaves at most so many digits behind the point. */
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

/* The digit so many places before (0: next to) the point; behind: negative. */
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

static void put_digits(struct wf_buffer *out, const struct digits *digits,
    const struct picture *picture)
{
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
			wf_buffer_putc(out, ',');
		wf_buffer_putc(out, digit_at(digits, (long)i - 1));
	}
	if (part > 0)
		wf_buffer_putc(out, '.');
	for (size_t i = 0; i < part; i++) {
		if (i > 0 && has_group(&picture->part, i))
			wf_buffer_putc(out, ',');
		wf_buffer_putc(out, digit_at(digits, -(long)i - 1));
	}
}

static void put_number(struct wf_buffer *out, const struct wf_atomic *number,
    const struct picture *picture, bool minus)
{
	static const double factors[] = { 1, 1, 100, 1000 };
	struct digits digits;
	bool exact = wf_atomic_primitive(number->type) == WF_XS_DECIMAL;

	if (minus)
		wf_buffer_putc(out, '-');
	wf_buffer_append(out, picture->prefix.text, picture->prefix.length);
	if (!exact && isinf(number->as.number * factors[picture->shift])) {
		wf_buffer_puts(out, INFINITY_TEXT);
	} else {
		take_digits(number, &digits);
		digits.point += picture->shift;
		round_digits(&digits, picture->most_part);
		put_digits(out, &digits, picture);
	}
	wf_buffer_append(out, picture->suffix.text, picture->suffix.length);
}

WF_BUILT_IN(format_number)
{
	const struct wf_atomic *number = wf_argument(arguments, 0);
	struct wf_string text = wf_argument_string(dynamic, arguments, 1);
	const char *semicolon = memchr(text.text, ';', text.length);
	size_t first =
	    semicolon ? (size_t)(semicolon - text.text) : text.length;
	struct wf_string second = { text.text + first, 0 };
	struct picture positive;
	struct picture negative;
	struct wf_buffer *out = wf_text_begin(dynamic);
	bool below;

	if (count > 2 && wf_argument(arguments, 2))
		return wf_atomic_fail(dynamic, "FODF1280",
		    "there is only the default decimal format");
	if (semicolon)
		second = (struct wf_string){ semicolon + 1,
			text.length - first - 1 };
	if (memchr(second.text, ';', second.length) ||
	    !read_picture(
		dynamic, (struct wf_string){ text.text, first }, &positive) ||
	    (semicolon && !read_picture(dynamic, second, &negative)))
		return bad_picture(dynamic, text);
	if (!number || (wf_atomic_primitive(number->type) != WF_XS_DECIMAL &&
			   isnan(number->as.number)))
		return wf_return_string(dynamic, result, "NaN", 3);
	below = wf_atomic_primitive(number->type) == WF_XS_DECIMAL
		    ? number->as.decimal.coefficient < 0
		    : signbit(number->as.number) != 0;
	put_number(out, number, below && semicolon ? &negative : &positive,
	    below && !semicolon);
	return wf_return_text(dynamic, result);
}
