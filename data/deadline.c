/* SPDX-License-Identifier: Apache-2.0 */
#include "data/deadline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "xquery/atomic/moment.h"

#define DAY INT64_C(86400000)
#define FAR_AWAY (INT64_C(3652425) * DAY)

/* Milliseconds since 1970; false when the instant is out of range. */
static bool to_milliseconds(
    const struct wf_moment *moment, int timezone, int64_t *at_out)
{
	wf_int128 at = wf_moment_nanoseconds(moment, timezone) / 1000000;

	*at_out = (int64_t)at;
	return at < 2 * FAR_AWAY && at > -2 * FAR_AWAY;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void trim(const char **text, size_t *length)
{
	while (*length > 0 && is_space((*text)[*length - 1]))
		--*length;
	while (*length > 0 && is_space(**text)) {
		++*text;
		--*length;
	}
}

/* Digits only, with a sign or not. */
static bool parse_number(const char *text, size_t length, int64_t *number_out)
{
	char digits[24];
	char *end;

	if (length == 0 || length >= sizeof(digits))
		return false;
	memcpy(digits, text, length);
	digits[length] = '\0';
	errno = 0;
	*number_out = strtoll(digits, &end, 10);
	return errno == 0 && *end == '\0' && !is_space(digits[0]);
}

static bool parse_duration(
    const char *text, size_t length, struct wf_deadline *deadline_out)
{
	struct wf_duration duration;

	if (wf_duration_parse(WF_XS_DURATION, text, length, &duration) !=
		WF_LEXICAL_OK ||
	    duration.seconds > FAR_AWAY || duration.seconds < -FAR_AWAY)
		return false;
	deadline_out->months = duration.months;
	deadline_out->milliseconds =
	    duration.seconds * 1000 + duration.nanoseconds / 1000000;
	return true;
}

bool wf_deadline_parse(const char *text, size_t length, int timezone,
    struct wf_deadline *deadline_out)
{
	struct wf_moment moment;

	memset(deadline_out, 0, sizeof(*deadline_out));
	trim(&text, &length);
	if (length > 0 && (text[0] == 'P' || text[0] == '-') &&
	    parse_duration(text, length, deadline_out))
		return true;
	deadline_out->is_instant = true;
	if (parse_number(text, length, &deadline_out->instant))
		return true;
	if (wf_moment_parse(WF_XS_DATE_TIME, text, length, &moment) !=
		WF_LEXICAL_OK &&
	    wf_moment_parse(WF_XS_DATE, text, length, &moment) != WF_LEXICAL_OK)
		return false;
	return to_milliseconds(&moment, timezone, &deadline_out->instant);
}

bool wf_deadline_duration(const char *text, int64_t *duration_out)
{
	struct wf_deadline deadline;

	if (!wf_deadline_parse(text, strlen(text), 0, &deadline) ||
	    deadline.is_instant || deadline.months != 0 ||
	    deadline.milliseconds < 0)
		return false;
	*duration_out = deadline.milliseconds;
	return true;
}

bool wf_deadline_of_ticks(
    const char *ticks, const char *interval, struct wf_deadline *deadline_out)
{
	static const struct {
		const char *name;
		int64_t months;
		int64_t milliseconds;
	} intervals[] = {
		{ "YEAR", 12, 0 },
		{ "MONTH", 1, 0 },
		{ "WEEK", 0, 7 * DAY },
		{ "DAY", 0, DAY },
		{ "HOUR", 0, 3600000 },
		{ "MIN", 0, 60000 },
		{ "SEC", 0, 1000 },
		{ "MSEC", 0, 1 },
	};
	int64_t count;

	memset(deadline_out, 0, sizeof(*deadline_out));
	if (!parse_number(ticks, strlen(ticks), &count))
		return false;
	for (size_t i = 0; i < sizeof(intervals) / sizeof(intervals[0]); i++)
		if (strcmp(intervals[i].name, interval) == 0)
			return !__builtin_mul_overflow(count,
				   intervals[i].months,
				   &deadline_out->months) &&
			       !__builtin_mul_overflow(count,
				   intervals[i].milliseconds,
				   &deadline_out->milliseconds);
	return false;
}

static int64_t day_of(int64_t at, int timezone)
{
	int64_t local = at + (int64_t)timezone * 60000;

	return local / DAY - (local % DAY < 0);
}

/* now + duration; a month has its length in the calendar. */
static bool add(const struct wf_deadline *deadline, int64_t now, int timezone,
    int64_t *at_out)
{
	struct wf_moment moment;

	*at_out = now;
	if (deadline->months != 0) {
		if (!wf_moment_from_milliseconds(now, timezone, &moment) ||
		    !wf_moment_add_months(&moment, deadline->months, &moment) ||
		    !to_milliseconds(&moment, timezone, at_out))
			return false;
	}
	return !__builtin_add_overflow(*at_out, deadline->milliseconds, at_out);
}

bool wf_deadline_at(const struct wf_deadline *deadline, int64_t now,
    int timezone, const struct wf_calendar *calendar, int64_t *at_out)
{
	if (deadline->is_instant)
		*at_out = deadline->instant;
	else if (!add(deadline, now, timezone, at_out))
		return false;
	if (*at_out > now && *at_out - now > FAR_AWAY)
		return false;
	if (deadline->is_instant || calendar == NULL)
		return true;
	for (int64_t day = day_of(now, timezone) + 1;
	     day <= day_of(*at_out, timezone); day++)
		if (wf_calendar_is_day_off(calendar, day))
			*at_out += DAY;
	return true;
}
