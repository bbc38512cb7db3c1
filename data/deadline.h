/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deadlines: the instant that a date and time, or a duration from now, means.
 */
#ifndef WF_DATA_DEADLINE_H
#define WF_DATA_DEADLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/calendar/calendar.h"

struct wf_deadline {
	bool is_instant;
	int64_t instant; /* milliseconds since 1970, UTC */
	/* Otherwise a duration from now: */
	int64_t months;
	int64_t milliseconds;
};

/*
 * "P1DT2H" (a duration), "2026-01-31T12:00:00+01:00" (without a zone: in
 * timezone, minutes east), "2026-01-31", or milliseconds since 1970.  False
 * for anything else.
 */
bool wf_deadline_parse(const char *text, size_t length, int timezone,
    struct wf_deadline *deadline_out);
/* A duration without months, in milliseconds, 0 or more; false: it is none. */
bool wf_deadline_duration(const char *text, int64_t *duration_out);
/* "5" and "MIN": YEAR, MONTH, WEEK, DAY, HOUR, MIN, SEC or MSEC. */
bool wf_deadline_of_ticks(
    const char *ticks, const char *interval, struct wf_deadline *deadline_out);

/*
 * The instant, counted from now (milliseconds since 1970). Months and days are
 * those of the time zone. calendar: NULL, or a calendar whose days off after
 * the first day, up to the deadline, each move the end of a duration by a day.
 * False when the instant is more than ten thousand years away.
 */
bool wf_deadline_at(const struct wf_deadline *deadline, int64_t now,
    int timezone, const struct wf_calendar *calendar, int64_t *at_out);

#endif
