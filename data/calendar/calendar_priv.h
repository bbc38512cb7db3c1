/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WF_DATA_CALENDAR_CALENDAR_PRIV_H
#define WF_DATA_CALENDAR_CALENDAR_PRIV_H

#include "data/calendar/calendar.h"
#include "data/calendar/zone.h"

#define CALENDAR_DAY_MINUTES 1440

/* Minutes since the day began; hours over midnight end after 1440. */
struct hours {
	int32_t from;
	int32_t to;
};

struct day_hours {
	const struct hours *rows; /* ascending, apart from each other */
	size_t count;		  /* 0: a day off */
};

/*
 * A day with hours of its own.  Of several entries for one day that with the
 * smallest rank counts: the more exact one, and the calendar's own before those
 * that it includes.
 */
struct special_day {
	int32_t day; /* since 1970; each year: month * 32 + day of the month */
	uint32_t rank;
	struct day_hours hours;
};

/* Ascending by day; one entry for a day. */
struct special_days {
	const struct special_day *rows;
	size_t count;
};

struct wf_calendar {
	const struct wf_zone *zone;
	struct day_hours week[7]; /* Sunday first */
	struct special_days dates;
	struct special_days yearly;
	uint32_t ranks; /* all ranks are less */
};

/* Sorts the entries, and keeps the best of each day. */
struct special_days wf_special_days(struct special_day *rows, size_t count);

#endif
