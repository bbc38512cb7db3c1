/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dates and times.
 *
 * The lexical form of each type is a template, used for reading and for
 * writing: Y, M and D are year, month and day, t is the time, any other
 * character is itself. A time zone may follow.
 */
#include "xquery/atomic/moment.h"

#include <stdio.h>
#include <string.h>

#include "base/panic.h"

#define SECONDS_OF_DAY 86400
#define YEAR_MAXIMUM 999999999

static const struct wf_moment reference = {
	.year = 1972, .month = 12, .day = 31
};

static const char *template_of(enum wf_atomic_type type)
{
	switch ((int)type) {
	case WF_XS_DATE_TIME:
		return "Y-M-DTt";
	case WF_XS_DATE:
		return "Y-M-D";
	case WF_XS_TIME:
		return "t";
	case WF_XS_G_YEAR_MONTH:
		return "Y-M";
	case WF_XS_G_YEAR:
		return "Y";
	case WF_XS_G_MONTH_DAY:
		return "--M-D";
	case WF_XS_G_DAY:
		return "---D";
	case WF_XS_G_MONTH:
		return "--M";
	default:
		wf_panic(__FILE__, __LINE__, "not a date or time");
	}
}

/* The year on a scale without a gap at zero. */
static int64_t astronomical(int32_t year)
{
	return year < 0 ? (int64_t)year + 1 : year;
}

static bool is_leap(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in_month(int64_t year, int month)
{
	static const int days[12] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31,
		30, 31 };

	return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

static int64_t floor_divide(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/*
 * Days since 1970-01-01. The year is counted from March, so that the leap day
 * is its last day; 400 years have 146,097 days.
 */
static int64_t days_of(int64_t year, int month, int day)
{
	int64_t from_march = month > 2 ? year : year - 1;
	int64_t era = floor_divide(from_march, 400);
	int64_t of_era = from_march - era * 400;
	int64_t of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 +
	       of_year - 719468;
}

/* The inverse of days_of(). */
static bool set_days(int64_t days, struct wf_moment *moment)
{
	int64_t shifted = days + 719468;
	int64_t era = floor_divide(shifted, 146097);
	int64_t of_era = shifted - era * 146097;
	int64_t year_of_era =
	    (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year =
	    of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	int64_t from_march = (5 * of_year + 2) / 153;
	int64_t year = year_of_era + era * 400 + (from_march >= 10);

	if (year <= 0)
		year--;
	if (year < -YEAR_MAXIMUM || year > YEAR_MAXIMUM)
		return false;
	moment->day = (uint8_t)(of_year - (153 * from_march + 2) / 5 + 1);
	moment->month = (uint8_t)((from_march + 2) % 12 + 1);
	moment->year = (int32_t)year;
	return true;
}

/* Local seconds, whatever the time zone. */
static int64_t local_seconds(const struct wf_moment *moment)
{
	return days_of(astronomical(moment->year), moment->month, moment->day) *
		   SECONDS_OF_DAY +
	       moment->hour * 3600 + moment->minute * 60 + moment->second;
}

/*
 * The local date and time, in a time zone, of a number of seconds since 1970
 * in that zone.  False when the year does not fit.
 */
static bool from_seconds(int64_t seconds, struct wf_moment *moment_out)
{
	int64_t days = floor_divide(seconds, SECONDS_OF_DAY);
	int64_t rest = seconds - days * SECONDS_OF_DAY;

	moment_out->hour = (uint8_t)(rest / 3600);
	moment_out->minute = (uint8_t)(rest / 60 % 60);
	moment_out->second = (uint8_t)(rest % 60);
	return set_days(days, moment_out);
}

bool wf_moment_from_milliseconds(
    int64_t milliseconds, int timezone, struct wf_moment *moment_out)
{
	int64_t seconds = floor_divide(milliseconds, 1000);

	*moment_out = (struct wf_moment){ 0 };
	moment_out->has_timezone = true;
	moment_out->timezone = (int16_t)timezone;
	moment_out->nanosecond =
	    (uint32_t)(milliseconds - seconds * 1000) * 1000000;
	return from_seconds(seconds + timezone * 60, moment_out);
}

int64_t wf_moment_instant(const struct wf_moment *moment, int implicit)
{
	int timezone = moment->has_timezone ? moment->timezone : implicit;

	return local_seconds(moment) - timezone * 60;
}

wf_int128 wf_moment_nanoseconds(const struct wf_moment *moment, int implicit)
{
	return (wf_int128)wf_moment_instant(moment, implicit) * WF_NANOSECONDS +
	       moment->nanosecond;
}

int wf_moment_compare(
    const struct wf_moment *a, const struct wf_moment *b, int implicit)
{
	wf_int128 x = wf_moment_nanoseconds(a, implicit);
	wf_int128 y = wf_moment_nanoseconds(b, implicit);

	return x == y ? 0 : x < y ? -1 : 1;
}

bool wf_moment_add_months(const struct wf_moment *moment, int64_t months,
    struct wf_moment *moment_out)
{
	int64_t total;
	int64_t year;
	int last;

	if (__builtin_add_overflow(
		astronomical(moment->year) * 12 + moment->month - 1, months,
		&total))
		return false;
	year = floor_divide(total, 12);
	*moment_out = *moment;
	moment_out->month = (uint8_t)(total - year * 12 + 1);
	last = days_in_month(year, moment_out->month);
	if (moment_out->day > last)
		moment_out->day = (uint8_t)last;
	if (year <= 0)
		year--;
	if (year < -YEAR_MAXIMUM || year > YEAR_MAXIMUM)
		return false;
	moment_out->year = (int32_t)year;
	return true;
}

bool wf_moment_add_nanoseconds(const struct wf_moment *moment,
    wf_int128 nanoseconds, struct wf_moment *moment_out)
{
	wf_int128 sum = (wf_int128)local_seconds(moment) * WF_NANOSECONDS +
			moment->nanosecond + nanoseconds;
	wf_int128 seconds = sum / WF_NANOSECONDS;
	wf_int128 rest = sum % WF_NANOSECONDS;

	if (rest < 0) {
		seconds--;
		rest += WF_NANOSECONDS;
	}
	if (seconds < INT64_MIN / 2 || seconds > INT64_MAX / 2)
		return false;
	*moment_out = *moment;
	moment_out->nanosecond = (uint32_t)rest;
	return from_seconds((int64_t)seconds, moment_out);
}

bool wf_moment_to_timezone(
    const struct wf_moment *moment, int timezone, struct wf_moment *moment_out)
{
	int64_t seconds =
	    local_seconds(moment) + (timezone - moment->timezone) * 60;

	*moment_out = *moment;
	moment_out->timezone = (int16_t)timezone;
	moment_out->has_timezone = true;
	return from_seconds(seconds, moment_out);
}

struct wf_moment wf_moment_as(
    enum wf_atomic_type type, const struct wf_moment *moment)
{
	struct wf_moment result = reference;

	for (const char *part = template_of(type); *part != '\0'; part++) {
		if (*part == 'Y') {
			result.year = moment->year;
		} else if (*part == 'M') {
			result.month = moment->month;
		} else if (*part == 'D') {
			result.day = moment->day;
		} else if (*part == 't') {
			result.hour = moment->hour;
			result.minute = moment->minute;
			result.second = moment->second;
			result.nanosecond = moment->nanosecond;
		}
	}
	result.has_timezone = moment->has_timezone;
	result.timezone = moment->timezone;
	return result;
}

/* The rest of the text. */
struct scan {
	const char *next;
	const char *end;
	bool too_large;
};

static bool scan_char(struct scan *scan, char c)
{
	if (scan->next == scan->end || *scan->next != c)
		return false;
	scan->next++;
	return true;
}

static bool scan_digit(struct scan *scan, int *digit_out)
{
	if (scan->next == scan->end || *scan->next < '0' || *scan->next > '9')
		return false;
	*digit_out = *scan->next++ - '0';
	return true;
}

/* Exactly two digits, at most maximum. */
static bool scan_two(struct scan *scan, int maximum, uint8_t *number_out)
{
	int tens;
	int ones;

	if (!scan_digit(scan, &tens) || !scan_digit(scan, &ones) ||
	    tens * 10 + ones > maximum)
		return false;
	*number_out = (uint8_t)(tens * 10 + ones);
	return true;
}

static bool scan_year(struct scan *scan, int32_t *year_out)
{
	bool negative = scan_char(scan, '-');
	const char *start = scan->next;
	int64_t year = 0;
	int digit;
	long count;

	while (scan_digit(scan, &digit)) {
		year = year * 10 + digit;
		if (year > YEAR_MAXIMUM) {
			scan->too_large = true;
			year = YEAR_MAXIMUM;
		}
	}
	count = scan->next - start;
	if (count < 4 || (count > 4 && *start == '0') || year == 0)
		return false;
	*year_out = (int32_t)(negative ? -year : year);
	return true;
}

/* The digits after a point; the first nine count. */
static bool scan_fraction(
    struct scan *scan, uint32_t *nanoseconds_out, bool *zero_out)
{
	uint32_t unit = WF_NANOSECONDS / 10;
	const char *start = scan->next;
	int digit;

	*nanoseconds_out = 0;
	*zero_out = true;
	while (scan_digit(scan, &digit)) {
		*nanoseconds_out += unit * (uint32_t)digit;
		*zero_out = *zero_out && digit == 0;
		unit /= 10;
	}
	return scan->next > start;
}

/* hour is 24 at the end of the day. */
static bool scan_time(struct scan *scan, struct wf_moment *moment)
{
	bool zero = true;

	if (!scan_two(scan, 24, &moment->hour) || !scan_char(scan, ':') ||
	    !scan_two(scan, 59, &moment->minute) || !scan_char(scan, ':') ||
	    !scan_two(scan, 59, &moment->second))
		return false;
	moment->nanosecond = 0;
	if (scan_char(scan, '.') &&
	    !scan_fraction(scan, &moment->nanosecond, &zero))
		return false;
	return moment->hour < 24 ||
	       (moment->minute == 0 && moment->second == 0 && zero);
}

static bool scan_timezone(struct scan *scan, struct wf_moment *moment)
{
	uint8_t hours;
	uint8_t minutes;
	bool west;

	if (scan->next == scan->end)
		return true;
	moment->has_timezone = true;
	if (scan_char(scan, 'Z'))
		return scan->next == scan->end;
	west = scan_char(scan, '-');
	if ((!west && !scan_char(scan, '+')) || !scan_two(scan, 14, &hours) ||
	    !scan_char(scan, ':') || !scan_two(scan, 59, &minutes) ||
	    (hours == 14 && minutes > 0))
		return false;
	moment->timezone = (int16_t)(hours * 60 + minutes);
	if (west)
		moment->timezone = (int16_t)-moment->timezone;
	return scan->next == scan->end;
}

static bool scan_part(struct scan *scan, char part, struct wf_moment *moment)
{
	switch (part) {
	case 'Y':
		return scan_year(scan, &moment->year);
	case 'M':
		return scan_two(scan, 12, &moment->month) && moment->month > 0;
	case 'D':
		return scan_two(scan, 31, &moment->day) && moment->day > 0;
	case 't':
		return scan_time(scan, moment);
	default:
		return scan_char(scan, part);
	}
}

/* 24:00:00 is 00:00:00 of the next day; of a time, only the time remains. */
static bool end_of_day(enum wf_atomic_type type, struct wf_moment *moment)
{
	moment->hour = 0;
	if (type != WF_XS_DATE_TIME)
		return true;
	return from_seconds(local_seconds(moment) + SECONDS_OF_DAY, moment);
}

enum wf_lexical wf_moment_parse(enum wf_atomic_type type, const char *text,
    size_t length, struct wf_moment *moment_out)
{
	struct scan scan = { text, text + length, false };
	const char *template = template_of(type);

	*moment_out = reference;
	for (const char *part = template; *part != '\0'; part++)
		if (!scan_part(&scan, *part, moment_out))
			return WF_LEXICAL_BAD;
	if (!scan_timezone(&scan, moment_out))
		return WF_LEXICAL_BAD;
	if (strchr(template, 'M') != NULL && strchr(template, 'D') != NULL &&
	    moment_out->day > days_in_month(astronomical(moment_out->year),
				  moment_out->month))
		return WF_LEXICAL_BAD;
	if (moment_out->hour == 24 && !end_of_day(type, moment_out))
		return WF_LEXICAL_TOO_LARGE;
	return scan.too_large ? WF_LEXICAL_TOO_LARGE : WF_LEXICAL_OK;
}

/* The fraction ".25", without trailing zeros; nothing when it is zero. */
static size_t put_fraction(char *text, uint32_t nanoseconds)
{
	int length;

	if (nanoseconds == 0)
		return 0;
	length = sprintf(text, ".%09u", nanoseconds);
	while (text[length - 1] == '0')
		length--;
	text[length] = '\0';
	return (size_t)length;
}

static size_t put_timezone(char *text, const struct wf_moment *moment)
{
	int minutes =
	    moment->timezone < 0 ? -moment->timezone : moment->timezone;

	if (!moment->has_timezone)
		return 0;
	if (minutes == 0) {
		strcpy(text, "Z");
		return 1;
	}
	return (size_t)sprintf(text, "%c%02d:%02d",
	    moment->timezone < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

size_t wf_moment_text(enum wf_atomic_type type, const struct wf_moment *moment,
    char text[static WF_MOMENT_TEXT])
{
	char *out = text;

	for (const char *part = template_of(type); *part != '\0'; part++) {
		if (*part == 'Y') {
			out += sprintf(out, "%s%04d",
			    moment->year < 0 ? "-" : "",
			    moment->year < 0 ? -moment->year : moment->year);
		} else if (*part == 'M') {
			out += sprintf(out, "%02d", moment->month);
		} else if (*part == 'D') {
			out += sprintf(out, "%02d", moment->day);
		} else if (*part == 't') {
			out += sprintf(out, "%02d:%02d:%02d", moment->hour,
			    moment->minute, moment->second);
			out += put_fraction(out, moment->nanosecond);
		} else {
			*out++ = *part;
		}
	}
	out += put_timezone(out, moment);
	*out = '\0';
	return (size_t)(out - text);
}

/* The parts of a duration, in the required order. */
static const struct duration_part {
	char letter;
	bool time;    /* after the T */
	int64_t unit; /* in months or seconds */
} duration_parts[] = {
	{ 'Y', false, 12 },
	{ 'M', false, 1 },
	{ 'D', false, SECONDS_OF_DAY },
	{ 'H', true, 3600 },
	{ 'M', true, 60 },
	{ 'S', true, 1 },
};

#define DURATION_PARTS (sizeof(duration_parts) / sizeof(duration_parts[0]))

/* Digits; a number of more than 64 bits is reported in the scan. */
static bool scan_number(struct scan *scan, int64_t *number_out)
{
	const char *start = scan->next;
	int digit;

	*number_out = 0;
	while (scan_digit(scan, &digit))
		if (__builtin_mul_overflow(*number_out, 10, number_out) ||
		    __builtin_add_overflow(*number_out, digit, number_out)) {
			scan->too_large = true;
			*number_out = 0;
		}
	return scan->next > start;
}

static void add_part(
    struct scan *scan, int64_t *total, int64_t number, int64_t unit)
{
	if (__builtin_mul_overflow(number, unit, &number) ||
	    __builtin_add_overflow(*total, number, total))
		scan->too_large = true;
}

/*
 * Reads one number with its letter; *next: the first part that is still
 * allowed, then the part after the one read.
 */
static bool scan_duration_part(
    struct scan *scan, size_t *next, bool time, struct wf_duration *duration)
{
	uint32_t fraction = 0;
	bool has_fraction;
	bool zero;
	int64_t number;
	size_t i = *next;

	if (!scan_number(scan, &number))
		return false;
	has_fraction = scan_char(scan, '.');
	if ((has_fraction && !scan_fraction(scan, &fraction, &zero)) ||
	    scan->next == scan->end)
		return false;
	while (i < DURATION_PARTS && (duration_parts[i].letter != *scan->next ||
					 duration_parts[i].time != time))
		i++;
	if (i == DURATION_PARTS || (has_fraction && *scan->next != 'S'))
		return false;
	scan->next++;
	duration->nanoseconds = (int32_t)fraction;
	add_part(scan, i < 2 ? &duration->months : &duration->seconds, number,
	    duration_parts[i].unit);
	*next = i + 1;
	return true;
}

enum wf_lexical wf_duration_parse(enum wf_atomic_type type, const char *text,
    size_t length, struct wf_duration *duration_out)
{
	struct scan scan = { text, text + length, false };
	bool negative = scan_char(&scan, '-');
	size_t first = type == WF_XS_DAY_TIME_DURATION ? 2 : 0;
	size_t next = first;
	bool time = false;

	*duration_out = (struct wf_duration){ 0 };
	if (!scan_char(&scan, 'P') || scan.next == scan.end)
		return WF_LEXICAL_BAD;
	while (scan.next < scan.end) {
		if (!time && scan_char(&scan, 'T'))
			time = true;
		if (!scan_duration_part(&scan, &next, time, duration_out))
			return WF_LEXICAL_BAD;
	}
	if (type == WF_XS_YEAR_MONTH_DURATION && next > 2)
		return WF_LEXICAL_BAD;
	if (scan.too_large)
		return WF_LEXICAL_TOO_LARGE;
	if (negative) {
		duration_out->months = -duration_out->months;
		duration_out->seconds = -duration_out->seconds;
		duration_out->nanoseconds = -duration_out->nanoseconds;
	}
	return WF_LEXICAL_OK;
}

static char *put_part(char *out, uint64_t number, char letter)
{
	if (number != 0)
		out +=
		    sprintf(out, "%llu%c", (unsigned long long)number, letter);
	return out;
}

static uint64_t absolute(int64_t number)
{
	return number < 0 ? -(uint64_t)number : (uint64_t)number;
}

static char *put_seconds(char *out, uint64_t seconds, uint32_t nanoseconds)
{
	uint64_t rest = seconds % SECONDS_OF_DAY;

	out = put_part(out, seconds / SECONDS_OF_DAY, 'D');
	if (rest == 0 && nanoseconds == 0)
		return out;
	*out++ = 'T';
	out = put_part(out, rest / 3600, 'H');
	out = put_part(out, rest / 60 % 60, 'M');
	if (rest % 60 != 0 || nanoseconds != 0) {
		out += sprintf(out, "%d", (int)(rest % 60));
		out += put_fraction(out, nanoseconds);
		*out++ = 'S';
	}
	return out;
}

size_t wf_duration_text(enum wf_atomic_type type,
    const struct wf_duration *duration, char text[static WF_MOMENT_TEXT])
{
	uint64_t months = absolute(duration->months);
	char *out = text;

	if (duration->months < 0 || duration->seconds < 0 ||
	    duration->nanoseconds < 0)
		*out++ = '-';
	*out++ = 'P';
	out = put_part(out, months / 12, 'Y');
	out = put_part(out, months % 12, 'M');
	out = put_seconds(out, absolute(duration->seconds),
	    (uint32_t)absolute(duration->nanoseconds));
	if (out[-1] == 'P')
		out += sprintf(out, "%s",
		    type == WF_XS_YEAR_MONTH_DURATION ? "0M" : "T0S");
	*out = '\0';
	return (size_t)(out - text);
}

wf_int128 wf_duration_nanoseconds(const struct wf_duration *duration)
{
	return (wf_int128)duration->seconds * WF_NANOSECONDS +
	       duration->nanoseconds;
}

bool wf_duration_from_nanoseconds(
    wf_int128 nanoseconds, struct wf_duration *duration_out)
{
	wf_int128 seconds = nanoseconds / WF_NANOSECONDS;

	*duration_out = (struct wf_duration){ 0 };
	if (seconds <= INT64_MIN || seconds > INT64_MAX)
		return false;
	duration_out->seconds = (int64_t)seconds;
	duration_out->nanoseconds = (int32_t)(nanoseconds % WF_NANOSECONDS);
	return true;
}
