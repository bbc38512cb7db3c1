/* SPDX-License-Identifier: Apache-2.0 */
/* Which offset a zone has at an instant. */
#include "data/calendar/zone.h"

#include "data/calendar/civil.h"
#include "data/calendar/zone_priv.h"

#define DAY INT64_C(86400000)

/* Offsets are less than this. */
#define MOST_OFFSET (2 * DAY)

const struct wf_zone wf_zone_utc = { .count = 0 };

/* --- the rule ------------------------------------------------------------- */

/* The local time of a change in a year. */
static int64_t local_change(const struct zone_change *change, int64_t year)
{
	int64_t first = wf_civil_day(year, 1, 1);
	int64_t day = first + change->number;
	int64_t month;

	switch (change->kind) {
	case ZONE_DAY_OF_YEAR:
		break;
	case ZONE_JULIAN_DAY:
		day--;
		if (wf_civil_is_leap(year) && change->number >= 60)
			day++;
		break;
	case ZONE_WEEKDAY:
		month = wf_civil_day(year, change->month, 1);
		day = month +
		      (change->number + 7 - wf_civil_weekday(month)) % 7 +
		      7 * ((int64_t)change->week - 1);
		if (day >= month + wf_civil_month_days(year, change->month))
			day -= 7;
		break;
	}
	return day * DAY + change->time;
}

/*
 * The changes of three years around the instant.  Those of one instant are in
 * the order in which they take effect, so that summer can last all year.
 */
static struct wf_zone_span rule_span(
    const struct wf_zone *zone, int64_t instant)
{
	struct wf_zone_span span = { INT64_MIN, INT64_MAX, zone->standard };
	int64_t year =
	    wf_civil_year(wf_civil_floor(instant + zone->standard, DAY));
	bool starts_first =
	    local_change(&zone->start, year) < local_change(&zone->end, year);

	for (int64_t y = year - 2; y <= year + 2; y++) {
		for (unsigned i = 0; i < 2; i++) {
			bool starts = (i == 0) == starts_first;
			int64_t at =
			    starts
				? local_change(&zone->start, y) - zone->standard
				: local_change(&zone->end, y) - zone->summer;

			if (at > instant) {
				span.until = at;
				return span;
			}
			span.from = at;
			span.offset = starts ? zone->summer : zone->standard;
		}
	}
	return span;
}

/* --- spans ---------------------------------------------------------------- */

/* The number of transitions up to the instant. */
static size_t passed(const struct wf_zone *zone, int64_t instant)
{
	size_t low = 0;
	size_t high = zone->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (zone->times[middle] <= instant)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct wf_zone_span wf_zone_span(const struct wf_zone *zone, int64_t instant)
{
	size_t count = passed(zone, instant);
	struct wf_zone_span span = { INT64_MIN, INT64_MAX, zone->first };

	if (count > 0) {
		span.from = zone->times[count - 1];
		span.offset = zone->offsets[count - 1];
	}
	if (count < zone->count) {
		span.until = zone->times[count];
	} else if (zone->has_rule && zone->has_summer) {
		struct wf_zone_span rule = rule_span(zone, instant);

		if (rule.from < span.from)
			rule.from = span.from;
		span = rule;
	} else if (zone->has_rule) {
		span.offset = zone->standard;
	}
	return span;
}

int64_t wf_zone_local(const struct wf_zone *zone, int64_t instant)
{
	return instant + wf_zone_span(zone, instant).offset;
}

/* Examines the spans that can contain the instant, one after the other. */
unsigned wf_zone_instants(
    const struct wf_zone *zone, int64_t local, int64_t instants[static 2])
{
	struct wf_zone_span span = wf_zone_span(zone, local - MOST_OFFSET);
	unsigned count = 0;
	int64_t gap = span.from;

	for (;;) {
		int64_t instant = local - span.offset;

		if (instant >= span.from && instant < span.until && count < 2)
			instants[count++] = instant;
		if (instant < span.from && count == 0) {
			gap = span.from;
			break;
		}
		if (span.until > local + MOST_OFFSET)
			break;
		span = wf_zone_span(zone, span.until);
	}
	if (count == 0)
		instants[0] = gap;
	return count;
}
