/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fn:format-date, fn:format-time, fn:format-dateTime.
 *
 * A picture is text with components in brackets, "[D1o] [MNn] [Y]": a letter,
 * its presentation, and behind a comma its width. Names are English and the
 * calendar is Gregorian; if another language or calendar is requested, a prefix
 * says so, as the standard requires.
 */
#include <stdlib.h>
#include <string.h>

#include "xquery/atomic/moment.h"
#include "xquery/functions/functions_priv.h"
#include "xquery/pattern/picture.h"
#include "xquery/text/unicode.h"

#define SECONDS_OF_DAY 86400
#define NO_WIDTH SIZE_MAX

/* The content of the brackets. */
struct component {
	char letter;
	struct wf_characters presentation; /* without the second modifier */
	char second;			   /* 'o', 't', 'c', 'a' or 0 */
	size_t minimum;			   /* NO_WIDTH: not given */
	size_t maximum;
	bool has_width;
};

struct formatter {
	struct wf_dynamic *dynamic;
	enum wf_atomic_type type;
	const struct wf_moment *moment;
	struct wf_string picture;
	struct wf_buffer *out;
};

static const char *const months[] = { "January", "February", "March", "April",
	"May", "June", "July", "August", "September", "October", "November",
	"December" };
static const char *const weekdays[] = { "Monday", "Tuesday", "Wednesday",
	"Thursday", "Friday", "Saturday", "Sunday" };

/* The default presentation of each component, and the types that have it. */
static const struct {
	char letter;
	const char *presentation;
	bool of_date;
	bool of_time;
} letters[] = {
	{ 'Y', "1", true, false },
	{ 'M', "1", true, false },
	{ 'D', "1", true, false },
	{ 'd', "1", true, false },
	{ 'F', "n", true, false },
	{ 'W', "1", true, false },
	{ 'w', "1", true, false },
	{ 'H', "1", false, true },
	{ 'h', "1", false, true },
	{ 'P', "n", false, true },
	{ 'm', "01", false, true },
	{ 's', "01", false, true },
	{ 'f', "1", false, true },
	{ 'Z', "01:01", true, true },
	{ 'z', "01:01", true, true },
	{ 'C', "n", true, false },
	{ 'E', "n", true, false },
};

static enum wf_rc bad_picture(struct formatter *formatter)
{
	return wf_atomic_fail(formatter->dynamic, "FOFD1340",
	    "\"%.*s\" is not a picture of a date or time",
	    WF_SHOWN(formatter->picture.text, formatter->picture.length));
}

/* ---- the calendar ---- */

static int64_t day_number(const struct wf_moment *moment)
{
	struct wf_moment day = wf_moment_as(WF_XS_DATE, moment);
	int64_t seconds;

	day.has_timezone = false;
	seconds = wf_moment_instant(&day, 0);
	return (seconds - (seconds < 0 ? SECONDS_OF_DAY - 1 : 0)) /
	       SECONDS_OF_DAY;
}

/* 0: Monday. */
static unsigned weekday(int64_t day)
{
	return (unsigned)(((day + 3) % 7 + 7) % 7); /* 1970: a Thursday */
}

/*
 * The week of a day, counted from the day "start": the first week is the first
 * with four days or more; 0 when the day is before it.
 */
static int64_t week_since(int64_t day, int64_t start)
{
	unsigned first = weekday(start);
	int64_t monday = start - first + (first > 3 ? 7 : 0);

	return day < monday ? 0 : (day - monday) / 7 + 1;
}

static int64_t week_of_year(const struct wf_moment *moment)
{
	struct wf_moment start = *moment;
	int64_t day = day_number(moment);
	int64_t week;

	start.month = 1;
	start.day = 1;
	week = week_since(day, day_number(&start));
	if (week == 0) {
		start.year -= start.year == 1 ? 2 : 1;
		return week_since(day, day_number(&start));
	}
	start.year += start.year == -1 ? 2 : 1;
	return week_since(day, day_number(&start)) > 0 ? 1 : week;
}

static int64_t week_of_month(const struct wf_moment *moment)
{
	struct wf_moment start = *moment;
	int64_t day = day_number(moment);
	int64_t week;

	start.day = 1;
	week = week_since(day, day_number(&start));
	if (week > 0)
		return week;
	start.year -= start.month == 1 ? (start.year == 1 ? 2 : 1) : 0;
	start.month = start.month == 1 ? 12 : start.month - 1;
	return week_since(day, day_number(&start));
}

static wf_int128 number_of(const struct formatter *formatter, char letter)
{
	const struct wf_moment *moment = formatter->moment;
	struct wf_moment start = *moment;

	switch (letter) {
	case 'Y':
		return moment->year < 0 ? -(wf_int128)moment->year
					: moment->year;
	case 'M':
		return moment->month;
	case 'D':
		return moment->day;
	case 'd':
		start.month = 1;
		start.day = 1;
		return day_number(moment) - day_number(&start) + 1;
	case 'F':
		return weekday(day_number(moment)) + 1;
	case 'W':
		return week_of_year(moment);
	case 'w':
		return week_of_month(moment);
	case 'H':
		return moment->hour;
	case 'h':
		return moment->hour % 12 == 0 ? 12 : moment->hour % 12;
	case 'm':
		return moment->minute;
	case 's':
		return moment->second;
	default:
		return 0;
	}
}

/* NULL for a component without names. */
static const char *name_of(const struct formatter *formatter, char letter)
{
	const struct wf_moment *moment = formatter->moment;

	switch (letter) {
	case 'M':
		return months[moment->month - 1];
	case 'F':
		return weekdays[weekday(day_number(moment))];
	case 'P':
		return moment->hour < 12 ? "am" : "pm";
	case 'C':
		return "Gregorian";
	case 'E':
		return moment->year < 0 ? "bc" : "ad";
	default:
		return NULL;
	}
}

/* ---- reading a component ---- */

/* A width: a number or "*"; false: neither. */
static bool read_width(
    const struct wf_characters *text, size_t *at, size_t end, size_t *width_out)
{
	size_t start = *at;

	*width_out = NO_WIDTH;
	if (*at < end && text->list[*at] == '*') {
		++*at;
		return true;
	}
	*width_out = 0;
	while (*at < end && text->list[*at] >= '0' && text->list[*at] <= '9' &&
	       *width_out < 1000)
		*width_out =
		    *width_out * 10 + (size_t)(text->list[(*at)++] - '0');
	return *at > start && *width_out > 0;
}

/* Cuts ",minimum-maximum" off the end; the rest is the presentation. */
static bool read_widths(struct component *component)
{
	struct wf_characters *text = &component->presentation;
	size_t comma = text->count;
	size_t at;

	component->minimum = NO_WIDTH;
	component->maximum = NO_WIDTH;
	while (comma > 0 && text->list[comma - 1] != ',')
		comma--;
	if (comma == 0)
		return true;
	at = comma;
	component->has_width = true;
	if (!read_width(text, &at, text->count, &component->minimum))
		return false;
	if (at < text->count && text->list[at] == '-') {
		at++;
		if (!read_width(text, &at, text->count, &component->maximum))
			return false;
	}
	if (at < text->count)
		return false;
	text->count = comma - 1;
	return component->minimum == NO_WIDTH ||
	       component->minimum <= component->maximum;
}

static void read_second(struct component *component)
{
	struct wf_characters *text = &component->presentation;
	uint32_t last = text->count > 1 ? text->list[text->count - 1] : 0;

	if (last != 'o' && last != 't' && last != 'c' && last != 'a')
		return;
	component->second = (char)last;
	text->count--;
}

/* The text of the brackets without white space. */
static enum wf_rc read_component(struct formatter *formatter, const char *text,
    size_t length, struct component *component)
{
	struct wf_characters *characters = &component->presentation;
	size_t kept = 0;
	size_t i = 0;
	enum wf_rc rc;

	memset(component, 0, sizeof(*component));
	rc = wf_characters_read(
	    formatter->dynamic, (struct wf_string){ text, length }, characters);
	if (rc != WF_OK)
		return rc;
	for (size_t k = 0; k < characters->count; k++) {
		uint32_t c = characters->list[k];

		if (c >= 0x80 || !wf_is_xml_space((char)c))
			characters->list[kept++] = c;
	}
	characters->count = kept;
	while (i < sizeof(letters) / sizeof(letters[0]) &&
	       (kept == 0 ||
		   characters->list[0] != (unsigned char)letters[i].letter))
		i++;
	if (i == sizeof(letters) / sizeof(letters[0]))
		return bad_picture(formatter);
	component->letter = letters[i].letter;
	if ((formatter->type == WF_XS_DATE && !letters[i].of_date) ||
	    (formatter->type == WF_XS_TIME && !letters[i].of_time))
		return wf_atomic_fail(formatter->dynamic, "FOFD1350",
		    "an xs:%s has no component [%c]",
		    wf_atomic_type_name(formatter->type), letters[i].letter);
	characters->list++;
	characters->count--;
	if (!read_widths(component))
		return bad_picture(formatter);
	read_second(component);
	if (characters->count > 0)
		return WF_OK;
	return wf_characters_read(formatter->dynamic,
	    (struct wf_string){
		letters[i].presentation, strlen(letters[i].presentation) },
	    characters);
}

static bool presented_as(const struct component *component, const char *text)
{
	const struct wf_characters *characters = &component->presentation;
	size_t i = 0;

	while (i < characters->count && text[i] != '\0' &&
	       characters->list[i] == (unsigned char)text[i])
		i++;
	return i == characters->count && text[i] == '\0';
}

/* ---- names and numbers ---- */

static bool name_case(
    const struct component *component, enum wf_letter_case *case_out)
{
	if (presented_as(component, "N"))
		*case_out = WF_CASE_UPPER;
	else if (presented_as(component, "n"))
		*case_out = WF_CASE_LOWER;
	else if (presented_as(component, "Nn"))
		*case_out = WF_CASE_TITLE;
	else
		return false;
	return true;
}

static void put_name(struct formatter *formatter,
    const struct component *component, enum wf_letter_case letter_case,
    const char *name)
{
	size_t length = strlen(name);

	if (component->has_width && component->maximum < length)
		length = component->maximum < 3 && length > 3
			     ? 3
			     : component->maximum;
	wf_put_name(formatter->out, letter_case, name, length);
	for (; component->has_width && component->minimum != NO_WIDTH &&
	       length < component->minimum;
	     length++)
		wf_buffer_putc(formatter->out, ' ');
}

/* A year is cut to the digits of the picture, if there are two or more. */
static wf_int128 cut_year(const struct component *component,
    const struct wf_picture *picture, wf_int128 year)
{
	size_t digits = component->maximum;

	if (digits == NO_WIDTH && !component->has_width &&
	    picture->mandatory + picture->optional > 1 &&
	    picture->numbering == WF_NUMBERING_DIGITS)
		digits = picture->mandatory + picture->optional;
	return digits < 38 ? year % (wf_int128)wf_power_of_ten((unsigned)digits)
			   : year;
}

static enum wf_rc put_number(
    struct formatter *formatter, const struct component *component)
{
	wf_int128 number = number_of(formatter, component->letter);
	struct wf_picture picture;
	bool good;
	enum wf_rc rc =
	    wf_picture_read(formatter->dynamic, component->presentation.list,
		component->presentation.count, &picture, &good);

	if (rc != WF_OK)
		return rc;
	if (!good)
		return bad_picture(formatter);
	picture.ordinal = component->second == 'o';
	if (component->letter == 'Y')
		number = cut_year(component, &picture, number);
	if (component->has_width && component->minimum != NO_WIDTH &&
	    component->minimum > picture.mandatory)
		picture.mandatory = component->minimum;
	wf_picture_put(formatter->out, &picture, number);
	return WF_OK;
}

static void reverse(uint32_t *list, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		uint32_t swap = list[i];

		list[i] = list[count - 1 - i];
		list[count - 1 - i] = swap;
	}
}

/* The number of digits shown of the fraction of a second. */
static void fraction_digits(const struct component *component,
    const struct wf_picture *picture, size_t *least_out, size_t *most_out)
{
	size_t all = picture->mandatory + picture->optional;

	*least_out = picture->mandatory;
	*most_out = all == 1 ? 9 : all;
	if (component->has_width) {
		if (component->minimum != NO_WIDTH &&
		    component->minimum > *least_out)
			*least_out = component->minimum;
		if (component->maximum != NO_WIDTH)
			*most_out = component->maximum;
		else if (all > 1)
			*most_out = all;
	}
	if (*most_out < *least_out)
		*most_out = *least_out;
}

/*
 * The fraction of a second is written like an integer from right to left:
 * picture, digits and result are reversed.
 */
static enum wf_rc put_fraction(
    struct formatter *formatter, const struct component *component)
{
	struct wf_characters text = component->presentation;
	struct wf_picture picture;
	struct wf_buffer *out = formatter->out;
	char digits[64];
	size_t start = out->length;
	size_t least;
	size_t most;
	bool good;
	enum wf_rc rc;

	reverse(text.list, text.count);
	rc = wf_picture_read(
	    formatter->dynamic, text.list, text.count, &picture, &good);
	if (rc != WF_OK)
		return rc;
	if (!good)
		return bad_picture(formatter);
	fraction_digits(component, &picture, &least, &most);
	memset(digits, '0', sizeof(digits));
	for (unsigned i = 0, rest = formatter->moment->nanosecond; i < 9; i++) {
		digits[8 - i] = (char)('0' + rest % 10);
		rest /= 10;
	}
	if (most > sizeof(digits))
		most = sizeof(digits);
	if (least > most)
		least = most;
	while (most > least && digits[most - 1] == '0')
		most--;
	for (size_t i = 0; i < most / 2; i++) {
		char swap = digits[i];

		digits[i] = digits[most - 1 - i];
		digits[most - 1 - i] = swap;
	}
	wf_picture_put_digits(out, &picture, digits, most);
	rc = wf_characters_read(formatter->dynamic,
	    (struct wf_string){
		wf_buffer_text(out) + start, out->length - start },
	    &text);
	if (rc != WF_OK)
		return rc;
	out->length = start;
	for (size_t i = text.count; i > 0; i--) {
		char bytes[4];

		wf_buffer_append(
		    out, bytes, wf_utf8_put(text.list[i - 1], bytes));
	}
	return WF_OK;
}

/* ---- time zones ---- */

/* Z: UTC, A to M: east, N to Y: west, J: none. */
static char military(const struct wf_moment *moment)
{
	int hours = moment->timezone / 60;

	if (!moment->has_timezone)
		return 'J';
	if (moment->timezone % 60 != 0 || hours < -12 || hours > 12)
		return '\0';
	if (hours == 0)
		return 'Z';
	if (hours < 0)
		return (char)('N' - hours - 1);
	return (char)('A' + hours - 1 + (hours > 9 ? 1 : 0));
}

/* Hours and minutes of a picture: "0", "00", "000", "0000", "0:00", "00:00". */
static void put_offset(struct formatter *formatter,
    const struct wf_picture *picture, unsigned hours, unsigned minutes)
{
	struct wf_picture part = *picture;
	size_t digits = picture->mandatory + picture->optional;
	uint32_t separator =
	    picture->group_count > 0 ? picture->groups[0].separator : 0;
	char bytes[4];

	part.group_count = 0;
	part.interval = 0;
	part.mandatory = digits > 2 ? digits - 2 : digits;
	wf_picture_put(formatter->out, &part, hours);
	if (digits <= 2 && minutes == 0)
		return;
	if (digits <= 2)
		separator = ':';
	part.mandatory = 2;
	if (separator != 0)
		wf_buffer_append(
		    formatter->out, bytes, wf_utf8_put(separator, bytes));
	wf_picture_put(formatter->out, &part, minutes);
}

static enum wf_rc put_timezone(
    struct formatter *formatter, const struct component *component)
{
	const struct wf_moment *moment = formatter->moment;
	int offset = moment->timezone;
	struct wf_characters text = component->presentation;
	static uint32_t plain[] = { '0', '0', ':', '0', '0' };
	struct wf_picture picture;
	bool good;
	enum wf_rc rc;

	if (presented_as(component, "Z") && military(moment) != '\0') {
		wf_buffer_putc(formatter->out, military(moment));
		return WF_OK;
	}
	if (!moment->has_timezone)
		return WF_OK;
	if (presented_as(component, "Z") || presented_as(component, "N"))
		text = (struct wf_characters){ plain, 5 };
	rc = wf_picture_read(
	    formatter->dynamic, text.list, text.count, &picture, &good);
	if (rc != WF_OK)
		return rc;
	if (!good || picture.numbering != WF_NUMBERING_DIGITS)
		return bad_picture(formatter);
	if (component->second == 't' && offset == 0) {
		wf_buffer_putc(formatter->out, 'Z');
		return WF_OK;
	}
	if (component->letter == 'z')
		wf_buffer_puts(formatter->out, "GMT");
	wf_buffer_putc(formatter->out, offset < 0 ? '-' : '+');
	offset = abs(offset);
	put_offset(
	    formatter, &picture, (unsigned)offset / 60, (unsigned)offset % 60);
	return WF_OK;
}

/* ---- the whole picture ---- */

static enum wf_rc put_component(
    struct formatter *formatter, const char *text, size_t length)
{
	struct component component;
	enum wf_letter_case letter_case;
	const char *name;
	enum wf_rc rc = read_component(formatter, text, length, &component);

	if (rc != WF_OK)
		return rc;
	if (component.letter == 'f')
		return put_fraction(formatter, &component);
	if (component.letter == 'Z' || component.letter == 'z')
		return put_timezone(formatter, &component);
	name = name_of(formatter, component.letter);
	if (name != NULL && name_case(&component, &letter_case)) {
		put_name(formatter, &component, letter_case, name);
		return WF_OK;
	}
	if (name != NULL && number_of(formatter, component.letter) == 0) {
		put_name(formatter, &component, WF_CASE_LOWER, name);
		return WF_OK;
	}
	return put_number(formatter, &component);
}

static enum wf_rc put_picture(struct formatter *formatter)
{
	const char *next = formatter->picture.text;
	const char *end = next + formatter->picture.length;

	while (next < end) {
		char c = *next++;
		const char *close;
		enum wf_rc rc;

		if ((c == '[' || c == ']') && next < end && *next == c) {
			wf_buffer_putc(formatter->out, c);
			next++;
			continue;
		}
		if (c == ']')
			return bad_picture(formatter);
		if (c != '[') {
			wf_buffer_putc(formatter->out, c);
			continue;
		}
		close = memchr(next, ']', (size_t)(end - next));
		if (close == NULL)
			return bad_picture(formatter);
		rc = put_component(formatter, next, (size_t)(close - next));
		if (rc != WF_OK)
			return rc;
		next = close + 1;
	}
	return WF_OK;
}

static bool is_text(struct wf_string text, const char *wanted)
{
	return text.length == strlen(wanted) &&
	       memcmp(text.text, wanted, text.length) == 0;
}

/*
 * Writes the prefix for a requested language or calendar that is not supported.
 */
static void put_prefixes(
    struct wf_buffer *out, struct wf_string language, struct wf_string calendar)
{
	if (language.length > 0 &&
	    !(language.length >= 2 && memcmp(language.text, "en", 2) == 0 &&
		(language.length == 2 || language.text[2] == '-')))
		wf_buffer_puts(out, "[Language: en]");
	if (calendar.length > 0 && !is_text(calendar, "AD") &&
	    !is_text(calendar, "ISO") && !is_text(calendar, "OS"))
		wf_buffer_puts(out, "[Calendar: AD]");
}

WF_BUILT_IN(format_date)
{
	const struct wf_atomic *value = wf_argument(arguments, 0);
	struct formatter formatter = { .dynamic = dynamic };
	struct wf_string none = { "", 0 };
	enum wf_rc rc;

	formatter.picture = wf_argument_string(dynamic, arguments, 1);
	wf_charge_characters(dynamic, 4 * formatter.picture.length);
	if (value == NULL)
		return WF_OK;
	formatter.type = value->type;
	formatter.moment = &value->as.moment;
	formatter.out = wf_text_begin(dynamic);
	put_prefixes(formatter.out,
	    count > 2 ? wf_argument_string(dynamic, arguments, 2) : none,
	    count > 3 ? wf_argument_string(dynamic, arguments, 3) : none);
	rc = put_picture(&formatter);
	return rc == WF_OK ? wf_return_text(dynamic, result) : rc;
}
