/* SPDX-License-Identifier: Apache-2.0 */
#include "data/calendar/when.h"

#include <string.h>

#include "data/calendar/calendar_priv.h"
#include "data/calendar/civil.h"
#include "xquery/atomic/moment.h"

#define DAY INT64_C(86400000)
#define FAR_AWAY (INT64_C(3652425) * DAY)
#define MOST_DAYS (WF_CALENDAR_YEARS * 366)

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/*
 * The number in front of "D": as a value, the duration does not separate days
 * from hours.
 */
static bool parse_duration(
    const char *text, size_t length, struct wf_when *when)
{
	struct wf_duration duration;
	int64_t days = 0;

	if (wf_duration_parse(WF_XS_DURATION, text, length, &duration) !=
		WF_LEXICAL_OK ||
	    duration.months != 0 || duration.seconds > FAR_AWAY / 1000 ||
	    duration.seconds < -FAR_AWAY / 1000)
		return false;
	if (memchr(text, 'D', length) != NULL)
		for (const char *at = text + (text[0] == '-' ? 2 : 1);
		     *at != 'D'; at++)
			days = days * 10 + (*at - '0');
	if (days > MOST_DAYS)
		return false;
	if (text[0] == '-')
		days = -days;
	when->kind = WF_WHEN_DURATION;
	when->days = (int32_t)days;
	when->milliseconds = duration.seconds * 1000 +
			     duration.nanoseconds / 1000000 - days * DAY;
	return true;
}

bool wf_when_parse(const char *text, size_t length, struct wf_when *when_out)
{
	struct wf_moment moment;
	wf_int128 at;

	memset(when_out, 0, sizeof(*when_out));
	while (length > 0 && is_space(text[length - 1]))
		length--;
	for (; length > 0 && is_space(*text); length--)
		text++;
	if (length > 1 && text[text[0] == '-' ? 1 : 0] == 'P')
		return parse_duration(text, length, when_out);
	if (wf_moment_parse(WF_XS_DATE_TIME, text, length, &moment) ==
	    WF_LEXICAL_OK)
		at = wf_moment_nanoseconds(&moment, 0) / 1000000;
	else if (wf_moment_parse(WF_XS_DATE, text, length, &moment) ==
		 WF_LEXICAL_OK)
		at = wf_moment_nanoseconds(&moment, 0) / 1000000 + DAY;
	else
		return false;
	when_out->kind = moment.has_timezone ? WF_WHEN_INSTANT : WF_WHEN_LOCAL;
	when_out->milliseconds = (int64_t)at;
	return at < FAR_AWAY && at > -FAR_AWAY;
}

/* The same time of the clock; when the clocks skip it, the end of the gap. */
static bool add_days(
    const struct wf_calendar *calendar, int32_t days, int64_t *at)
{
	int64_t local = wf_zone_local(calendar->zone, *at);
	int64_t day = wf_civil_floor(local, DAY);
	int64_t time = local - day * DAY;
	int64_t last = day + (days < 0 ? -MOST_DAYS : MOST_DAYS);
	int64_t instants[2];

	while (days != 0 && day != last) {
		day += days < 0 ? -1 : 1;
		if (!wf_calendar_is_day_off(calendar, day))
			days += days < 0 ? 1 : -1;
	}
	(void)wf_zone_instants(calendar->zone, day * DAY + time, instants);
	*at = instants[0];
	return days == 0;
}

bool wf_when_at(const struct wf_when *when, const struct wf_calendar *calendar,
    int64_t from, int64_t *at_out)
{
	int64_t instants[2];

	if (from > FAR_AWAY || from < -FAR_AWAY)
		return false;
	switch (when->kind) {
	case WF_WHEN_INSTANT:
		*at_out = when->milliseconds;
		return true;
	case WF_WHEN_LOCAL:
		(void)wf_zone_instants(
		    calendar->zone, when->milliseconds, instants);
		*at_out = instants[0];
		return true;
	case WF_WHEN_DURATION:
		break;
	}
	*at_out = from;
	return (when->days == 0 || add_days(calendar, when->days, at_out)) &&
	       wf_calendar_add(calendar, *at_out, when->milliseconds, at_out);
}
