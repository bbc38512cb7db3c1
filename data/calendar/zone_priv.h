/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WF_DATA_CALENDAR_ZONE_PRIV_H
#define WF_DATA_CALENDAR_ZONE_PRIV_H

#include "data/calendar/zone.h"

/* The day of a year on which a rule changes the clocks. */
enum zone_day {
	ZONE_DAY_OF_YEAR, /* number: 0 is 1 January */
	ZONE_JULIAN_DAY,  /* number: 1 is 1 January; 29 February is not counted
			   */
	ZONE_WEEKDAY /* month, week (5: the last), number: weekday, 0: Sunday */
};

struct zone_change {
	enum zone_day kind;
	unsigned month;
	unsigned week;
	unsigned number;
	int64_t time; /* milliseconds after the day began */
};

struct wf_zone {
	/* Transitions, in milliseconds, ascending, and the offset after each.
	 */
	const int64_t *times;
	const int64_t *offsets;
	size_t count;
	int64_t first; /* the offset before the first transition */
	/* After the last transition, if there is a rule: */
	bool has_rule;
	bool has_summer; /* else the offset stays the same */
	int64_t standard;
	int64_t summer;
	struct zone_change start; /* of summer, on clocks of standard time */
	struct zone_change end;	  /* on clocks of summer time */
};

extern const struct wf_zone wf_zone_utc;

/* Reads the rule at the end of a file: "CET-1CEST,M3.5.0,M10.5.0/3". */
bool wf_zone_read_rule(struct wf_zone *zone, const char *text);

#endif
