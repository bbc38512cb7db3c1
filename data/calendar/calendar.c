/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Working time.  Between two changes of the clocks local time and instants
 * differ by a constant, so the working hours of each day are cut at these
 * changes and moved by it.
 */
#include "data/calendar/calendar.h"

#include <stdlib.h>

#include "data/calendar/calendar_priv.h"
#include "data/calendar/civil.h"
#include "data/calendar/zone_priv.h"

#define MINUTE INT64_C(60000)
#define DAY (CALENDAR_DAY_MINUTES * MINUTE)
#define WEEK (7 * DAY)
#define HORIZON (WF_CALENDAR_YEARS * INT64_C(36525) * DAY / 100)
/* Instants for which something is computed: 10,000 years. */
#define FAR_AWAY (INT64_C(3652425) * DAY)

/* --- days ----------------------------------------------------------------- */

static int compare_special(const void *a, const void *b)
{
	const struct special_day *x = a;
	const struct special_day *y = b;

	if (x->day != y->day)
		return x->day < y->day ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

struct special_days wf_special_days(struct special_day *rows, size_t count)
{
	size_t kept = 0;

	if (count > 0)
		qsort(rows, count, sizeof(*rows), compare_special);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || rows[i].day != rows[kept - 1].day)
			rows[kept++] = rows[i];
	return (struct special_days){ rows, kept };
}

static const struct special_day *find_special(
    const struct special_days *days, int32_t day)
{
	size_t low = 0;
	size_t high = days->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (days->rows[middle].day < day)
			low = middle + 1;
		else
			high = middle;
	}
	return low < days->count && days->rows[low].day == day
		   ? &days->rows[low]
		   : NULL;
}

/* month * 32 + day of the month. */
static int32_t day_of_year(int64_t day)
{
	int64_t year = wf_civil_year(day);
	unsigned rest = (unsigned)(day - wf_civil_year_start(year));
	unsigned month = 1;

	while (rest >= wf_civil_month_days(year, month))
		rest -= wf_civil_month_days(year, month++);
	return (int32_t)(month * 32 + rest + 1);
}

static const struct day_hours *hours_of(
    const struct wf_calendar *calendar, int64_t day)
{
	const struct special_day *date =
	    find_special(&calendar->dates, (int32_t)day);
	const struct special_day *yearly = NULL;

	if (calendar->yearly.count > 0)
		yearly = find_special(&calendar->yearly, day_of_year(day));
	if (date != NULL && (yearly == NULL || date->rank < yearly->rank))
		return &date->hours;
	return yearly != NULL ? &yearly->hours
			      : &calendar->week[wf_civil_weekday(day)];
}

bool wf_calendar_is_day_off(const struct wf_calendar *calendar, int64_t day)
{
	return hours_of(calendar, day)->count == 0;
}

const struct wf_calendar *wf_calendar_weekdays(void)
{
	static const struct hours all_day = { 0, CALENDAR_DAY_MINUTES };
	static const struct wf_calendar calendar = {
		.zone = &wf_zone_utc,
		.week = { [1] = { &all_day, 1 },
		    [2] = { &all_day, 1 },
		    [3] = { &all_day, 1 },
		    [4] = { &all_day, 1 },
		    [5] = { &all_day, 1 } },
	};

	return &calendar;
}

const struct wf_calendar *wf_calendar_of_days(
    struct wf_arena *arena, const int32_t *days, size_t count, int32_t timezone)
{
	struct wf_calendar *calendar = wf_arena_alloc(arena, sizeof(*calendar));
	struct special_day *rows = wf_arena_array(arena, count, sizeof(*rows));

	*calendar = *wf_calendar_weekdays();
	calendar->zone = wf_zone_fixed(arena, timezone);
	for (size_t i = 0; i < count; i++)
		rows[i].day = days[i];
	calendar->dates = wf_special_days(rows, count);
	calendar->ranks = 1;
	return calendar;
}

/* --- stretches of working time -------------------------------------------- */

struct walk {
	const struct wf_calendar *calendar;
	int64_t at;    /* what follows begins here or later */
	int64_t limit; /* what follows ends here or earlier */
	struct wf_zone_span span;
	int64_t day;  /* of the zone */
	size_t index; /* in its hours */
};

/* Hours that began the day before can still last. */
static void enter_span(struct walk *walk, int64_t at)
{
	walk->span = wf_zone_span(walk->calendar->zone, at);
	walk->day = wf_civil_floor(at + walk->span.offset, DAY) - 1;
	walk->index = 0;
}

static void walk_begin(struct walk *walk, const struct wf_calendar *calendar,
    int64_t from, int64_t limit)
{
	walk->calendar = calendar;
	walk->at = from;
	walk->limit = limit;
	enter_span(walk, from);
}

/* One row of the hours of the day, cut; false: nothing is left of it. */
static bool cut(const struct walk *walk, const struct hours *row, int64_t *from,
    int64_t *to)
{
	int64_t start = walk->day * DAY - walk->span.offset;

	*from = start + row->from * MINUTE;
	*to = start + row->to * MINUTE;
	if (*from < walk->span.from)
		*from = walk->span.from;
	if (*from < walk->at)
		*from = walk->at;
	if (*to > walk->span.until)
		*to = walk->span.until;
	if (*to > walk->limit)
		*to = walk->limit;
	return *from < *to;
}

/* The next stretch of working time; false: there is none before the limit. */
static bool walk_next(struct walk *walk, int64_t *from, int64_t *to)
{
	while (walk->at < walk->limit) {
		const struct day_hours *hours =
		    hours_of(walk->calendar, walk->day);
		int64_t start;

		while (walk->index < hours->count)
			if (cut(walk, &hours->rows[walk->index++], from, to)) {
				walk->at = *to;
				return true;
			}
		walk->day++;
		walk->index = 0;
		start = walk->day * DAY - walk->span.offset;
		if (start >= walk->limit && walk->limit <= walk->span.until)
			return false;
		if (start >= walk->span.until) {
			if (walk->at < walk->span.until)
				walk->at = walk->span.until;
			enter_span(walk, walk->span.until);
		}
	}
	return false;
}

/* --- questions ------------------------------------------------------------ */

static bool is_far(int64_t at)
{
	return at > FAR_AWAY || at < -FAR_AWAY;
}

bool wf_calendar_is_open(const struct wf_calendar *calendar, int64_t at)
{
	struct walk walk;
	int64_t from;
	int64_t to;

	if (is_far(at))
		return false;
	walk_begin(&walk, calendar, at, at + 1);
	return walk_next(&walk, &from, &to);
}

bool wf_calendar_next(
    const struct wf_calendar *calendar, int64_t at, int64_t *next_out)
{
	struct walk walk;
	int64_t from;
	int64_t to;

	if (is_far(at))
		return false;
	walk_begin(&walk, calendar, at, at + HORIZON);
	if (!walk_next(&walk, &from, &to))
		return false;
	*next_out = from;
	if (from > at)
		return true;
	/* Stretches without time between them are one. */
	for (*next_out = to; walk_next(&walk, &from, &to); *next_out = to)
		if (from > *next_out)
			return true;
	return *next_out < walk.limit;
}

/* last: of the instants with that much working time the last one. */
static bool add(const struct wf_calendar *calendar, int64_t at,
    int64_t duration, bool last, int64_t *at_out)
{
	struct walk walk;
	int64_t from;
	int64_t to;

	walk_begin(&walk, calendar, at, at + HORIZON);
	while (walk_next(&walk, &from, &to)) {
		*at_out = from + duration;
		if (*at_out < to || (*at_out == to && !last))
			return true;
		duration -= to - from;
	}
	return false;
}

static int64_t measure(
    const struct wf_calendar *calendar, int64_t start, int64_t end)
{
	int64_t sum = 0;
	struct walk walk;
	int64_t from;
	int64_t to;

	walk_begin(&walk, calendar, start, end);
	while (walk_next(&walk, &from, &to))
		sum += to - from;
	return sum;
}

/* Goes back week by week; then forward in the week that has the instant. */
static bool subtract(const struct wf_calendar *calendar, int64_t at,
    int64_t duration, int64_t *at_out)
{
	int64_t limit = at - HORIZON;

	while (at > limit) {
		int64_t time = measure(calendar, at - WEEK, at);

		at -= WEEK;
		if (time >= duration)
			return add(calendar, at, time - duration, true, at_out);
		duration -= time;
	}
	return false;
}

bool wf_calendar_add(const struct wf_calendar *calendar, int64_t at,
    int64_t duration, int64_t *at_out)
{
	*at_out = at;
	if (duration == 0)
		return true;
	if (is_far(at) || duration > HORIZON || duration < -HORIZON)
		return false;
	return duration > 0 ? add(calendar, at, duration, false, at_out)
			    : subtract(calendar, at, -duration, at_out);
}

bool wf_calendar_between(const struct wf_calendar *calendar, int64_t from,
    int64_t to, int64_t *duration_out)
{
	if (is_far(from) || is_far(to) || to - from > HORIZON ||
	    from - to > HORIZON)
		return false;
	*duration_out = from <= to ? measure(calendar, from, to)
				   : -measure(calendar, to, from);
	return true;
}
