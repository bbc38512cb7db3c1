/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule of a time zone as POSIX writes it in the variable TZ:
 * "CET-1CEST,M3.5.0,M10.5.0/3".  Offsets count west of Greenwich.
 */
#include "data/calendar/zone_priv.h"

#define HOUR INT64_C(3600000)

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool skip(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

/* At most three digits. */
static bool take_number(
    const char **at, unsigned least, unsigned most, unsigned *number_out)
{
	unsigned digits = 0;

	for (*number_out = 0; is_digit(**at) && digits < 3; ++*at, digits++)
		*number_out = *number_out * 10 + (unsigned)(**at - '0');
	return digits > 0 && *number_out >= least && *number_out <= most;
}

/* "CET", "<+03>". */
static bool skip_name(const char **at)
{
	const char *start = *at;

	if (skip(at, '<')) {
		while (is_letter(**at) || is_digit(**at) || **at == '+' ||
		       **at == '-')
			++*at;
		return skip(at, '>');
	}
	while (is_letter(**at))
		++*at;
	return *at - start >= 3;
}

/* "2", "-1:30", "167:00:00", in milliseconds. */
static bool take_time(const char **at, unsigned most_hours, int64_t *time_out)
{
	bool negative = skip(at, '-');
	unsigned parts[3] = { 0, 0, 0 };

	if (!negative)
		(void)skip(at, '+');
	if (!take_number(at, 0, most_hours, &parts[0]))
		return false;
	for (unsigned i = 1; i < 3 && skip(at, ':'); i++)
		if (!take_number(at, 0, 59, &parts[i]))
			return false;
	*time_out = parts[0] * HOUR + parts[1] * 60000 + parts[2] * 1000;
	if (negative)
		*time_out = -*time_out;
	return true;
}

static bool take_change(const char **at, struct zone_change *change)
{
	bool ok;

	change->time = 2 * HOUR;
	if (!skip(at, ','))
		return false;
	if (skip(at, 'M')) {
		change->kind = ZONE_WEEKDAY;
		ok = take_number(at, 1, 12, &change->month) && skip(at, '.') &&
		     take_number(at, 1, 5, &change->week) && skip(at, '.') &&
		     take_number(at, 0, 6, &change->number);
	} else if (skip(at, 'J')) {
		change->kind = ZONE_JULIAN_DAY;
		ok = take_number(at, 1, 365, &change->number);
	} else {
		change->kind = ZONE_DAY_OF_YEAR;
		ok = take_number(at, 0, 365, &change->number);
	}
	if (ok && skip(at, '/'))
		ok = take_time(at, 167, &change->time);
	return ok;
}

bool wf_zone_read_rule(struct wf_zone *zone, const char *text)
{
	int64_t west;

	if (!skip_name(&text) || !take_time(&text, 24, &west))
		return false;
	zone->standard = -west;
	if (*text == '\0')
		return true;
	zone->has_summer = true;
	zone->summer = zone->standard + HOUR;
	if (!skip_name(&text))
		return false;
	if (*text != ',') {
		if (!take_time(&text, 24, &west))
			return false;
		zone->summer = -west;
	}
	return take_change(&text, &zone->start) &&
	       take_change(&text, &zone->end) && *text == '\0';
}
