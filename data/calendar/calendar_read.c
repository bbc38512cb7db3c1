/* SPDX-License-Identifier: Apache-2.0 */
/* Calendars as JSON. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "data/calendar/calendar.h"
#include "data/calendar/calendar_priv.h"
#include "data/calendar/civil.h"

struct reading {
	struct wf_arena *arena;
	struct wf_calendar *calendar;
	wf_calendar_find_f find;
	void *context;
	struct special_day *dates;
	size_t date_count, date_capacity;
	struct special_day *yearly;
	size_t yearly_count, yearly_capacity;
	struct wf_error *err;
};

/* Own entries of a calendar, from the one that counts first. */
enum {
	EXCEPTION = 0,
	DAY_OFF = 1,
	ONE_DAY = 0,
	RANGE = 2,
	YEARLY = 4,
	RANKS = 6
};

#define FAIL(reading, ...) wf_fail((reading)->err, WF_INVALID, __VA_ARGS__)

/* --- hours ---------------------------------------------------------------- */

static bool two_digits(const char *text, int32_t most, int32_t *number_out)
{
	*number_out = (text[0] - '0') * 10 + (text[1] - '0');
	return strspn(text, "0123456789") >= 2 && *number_out <= most;
}

/* "09:00"; "24:00" is the end of the day. */
static bool read_time(const char *text, int32_t *minutes_out)
{
	int32_t hour;
	int32_t minute;

	if (!two_digits(text, 24, &hour) || text[2] != ':' ||
	    !two_digits(text + 3, 59, &minute))
		return false;
	*minutes_out = hour * 60 + minute;
	return *minutes_out <= CALENDAR_DAY_MINUTES;
}

/* "09:00-17:00"; "22:00-06:00" ends on the next day. */
static bool read_hours(const char *text, struct hours *hours)
{
	if (text == NULL || strlen(text) != 11 || text[5] != '-' ||
	    !read_time(text, &hours->from) ||
	    !read_time(text + 6, &hours->to) || hours->from == hours->to ||
	    hours->from == CALENDAR_DAY_MINUTES)
		return false;
	if (hours->to < hours->from)
		hours->to += CALENDAR_DAY_MINUTES;
	return true;
}

static int compare_hours(const void *a, const void *b)
{
	const struct hours *x = a;
	const struct hours *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static enum wf_rc read_day_hours(struct reading *reading, const char *where,
    const char *key, const json_t *json, struct day_hours *hours_out)
{
	size_t count = json_array_size(json);
	struct hours *rows;

	if (!json_is_array(json))
		return FAIL(reading,
		    "\"%s\": \"%.60s\": expected a list of hours such as "
		    "[\"09:00-17:00\"]; [] for a day off",
		    where, key);
	if (count > WF_CALENDAR_HOURS)
		return FAIL(reading,
		    "\"%s\": \"%.60s\" has %zu entries; %u are allowed", where,
		    key, count, WF_CALENDAR_HOURS);
	rows = wf_arena_array(reading->arena, count, sizeof(*rows));
	for (size_t i = 0; i < count; i++) {
		const char *text = json_string_value(json_array_get(json, i));

		if (!read_hours(text, &rows[i]))
			return FAIL(reading,
			    "\"%s\": \"%.60s\": entry %zu is \"%.60s\"; "
			    "expected hours such as \"09:00-17:00\"",
			    where, key, i + 1, text == NULL ? "" : text);
	}
	if (count > 0)
		qsort(rows, count, sizeof(*rows), compare_hours);
	for (size_t i = 1; i < count; i++)
		if (rows[i].from < rows[i - 1].to)
			return FAIL(reading,
			    "\"%s\": \"%.60s\": hours overlap at %02d:%02d",
			    where, key, (int)rows[i].from / 60,
			    (int)rows[i].from % 60);
	*hours_out = (struct day_hours){ rows, count };
	return WF_OK;
}

/* Sunday is 0; 7: there is none. */
static unsigned find_weekday(const char *text, size_t length)
{
	static const char names[] = "sunmontuewedthufrisat";

	if (length == 3)
		for (unsigned i = 0; i < 7; i++)
			if (strncmp(text, names + 3 * (size_t)i, 3) == 0)
				return i;
	return 7;
}

/* "mon" or "mon-fri". */
static bool read_weekdays(const char *key, unsigned *first, unsigned *last)
{
	size_t length = strcspn(key, "-");

	*first = find_weekday(key, length);
	*last = key[length] == '\0'
		    ? *first
		    : find_weekday(key + length + 1, strlen(key + length + 1));
	return *first < 7 && *last < 7;
}

static enum wf_rc read_week(struct reading *reading, const json_t *json)
{
	bool named[7] = { false };
	enum wf_rc rc = WF_OK;
	const char *key;
	json_t *value;

	if (!json_is_object(json))
		return FAIL(reading, "\"hours\": expected an object such as "
				     "{\"mon-fri\": [\"09:00-17:00\"]}");
	json_object_foreach((json_t *)(uintptr_t)json, key, value)
	{
		struct day_hours hours;
		unsigned first;
		unsigned last;

		if (!read_weekdays(key, &first, &last))
			return FAIL(reading,
			    "\"hours\": \"%.60s\" is no weekday; expected mon, "
			    "tue, wed, thu, fri, sat, sun or such as mon-fri",
			    key);
		rc = read_day_hours(reading, "hours", key, value, &hours);
		if (rc != WF_OK)
			return rc;
		for (unsigned day = first;; day = (day + 1) % 7) {
			if (named[day])
				return FAIL(reading,
				    "\"hours\": a weekday in \"%.60s\" is "
				    "named twice",
				    key);
			named[day] = true;
			reading->calendar->week[day] = hours;
			if (day == last)
				break;
		}
	}
	return rc;
}

/* --- days ----------------------------------------------------------------- */

static void add_special(struct reading *reading, bool is_yearly, int32_t day,
    uint32_t rank, struct day_hours hours)
{
	struct special_day **rows =
	    is_yearly ? &reading->yearly : &reading->dates;
	size_t *count =
	    is_yearly ? &reading->yearly_count : &reading->date_count;

	*rows = wf_arena_grow(reading->arena, *rows, *count,
	    is_yearly ? &reading->yearly_capacity : &reading->date_capacity,
	    sizeof(**rows));
	(*rows)[(*count)++] = (struct special_day){ day, rank, hours };
}

bool wf_calendar_day(const char *text, size_t length, int32_t *day_out)
{
	int32_t parts[4];

	if (length != 10 || text[4] != '-' || text[7] != '-' ||
	    !two_digits(text, 99, &parts[0]) ||
	    !two_digits(text + 2, 99, &parts[1]) ||
	    !two_digits(text + 5, 12, &parts[2]) ||
	    !two_digits(text + 8, 31, &parts[3]) || parts[2] == 0 ||
	    parts[3] == 0 || parts[0] + parts[1] == 0 ||
	    (unsigned)parts[3] > wf_civil_month_days(parts[0] * 100 + parts[1],
				     (unsigned)parts[2]))
		return false;
	*day_out = (int32_t)wf_civil_day(
	    parts[0] * 100 + parts[1], (unsigned)parts[2], (unsigned)parts[3]);
	return true;
}

/* "--12-25" */
static bool read_yearly(const char *text, int32_t *day_out)
{
	int32_t month;
	int32_t day;

	if (strlen(text) != 7 || strncmp(text, "--", 2) != 0 ||
	    text[4] != '-' || !two_digits(text + 2, 12, &month) ||
	    !two_digits(text + 5, 31, &day) || month == 0 || day == 0 ||
	    (unsigned)day > wf_civil_month_days(2000, (unsigned)month))
		return false;
	*day_out = month * 32 + day;
	return true;
}

/* A day, "--12-25" or "2026-08-03/2026-08-14". */
static enum wf_rc read_days(struct reading *reading, const char *where,
    const char *text, uint32_t rank, struct day_hours hours)
{
	size_t length = strlen(text);
	int32_t first;
	int32_t last;

	if (read_yearly(text, &first)) {
		add_special(reading, true, first, rank + YEARLY, hours);
		return WF_OK;
	}
	if (length == 21 && text[10] == '/' &&
	    wf_calendar_day(text, 10, &first) &&
	    wf_calendar_day(text + 11, 10, &last)) {
		rank += RANGE;
	} else {
		if (!wf_calendar_day(text, length, &first))
			return FAIL(reading,
			    "\"%s\": \"%.60s\" is no day; expected such as "
			    "2026-12-25, --12-25 (each year) or "
			    "2026-08-03/2026-08-14",
			    where, text);
		last = first;
	}
	if (last < first)
		return FAIL(reading, "\"%s\": \"%.60s\" ends before it begins",
		    where, text);
	if (last - first >= (int32_t)WF_CALENDAR_DAYS ||
	    reading->date_count + (size_t)(last - first) >= WF_CALENDAR_DAYS)
		return FAIL(reading,
		    "\"%s\": \"%.60s\": more than %u days are named", where,
		    text, WF_CALENDAR_DAYS);
	for (int32_t day = first; day <= last; day++)
		add_special(reading, false, day, rank, hours);
	return WF_OK;
}

static enum wf_rc read_days_off(struct reading *reading, const json_t *json)
{
	static const struct day_hours none;
	enum wf_rc rc = WF_OK;
	size_t i;
	json_t *value;

	if (!json_is_array(json))
		return FAIL(reading,
		    "\"daysOff\": expected a list of days such as "
		    "[\"2026-12-24\", \"--12-25\"]");
	json_array_foreach(json, i, value)
	{
		if (!json_is_string(value))
			return FAIL(reading,
			    "\"daysOff\": entry %zu is no string; expected a "
			    "day such as \"2026-12-24\"",
			    i + 1);
		rc = read_days(reading, "daysOff", json_string_value(value),
		    DAY_OFF, none);
		if (rc != WF_OK)
			break;
	}
	return rc;
}

static enum wf_rc read_exceptions(struct reading *reading, const json_t *json)
{
	enum wf_rc rc = WF_OK;
	const char *key;
	json_t *value;

	if (!json_is_object(json))
		return FAIL(reading,
		    "\"exceptions\": expected an object such as "
		    "{\"2026-12-31\": [\"09:00-12:00\"]}");
	json_object_foreach((json_t *)(uintptr_t)json, key, value)
	{
		struct day_hours hours;

		rc = read_day_hours(reading, "exceptions", key, value, &hours);
		if (rc == WF_OK)
			rc = read_days(
			    reading, "exceptions", key, EXCEPTION, hours);
		if (rc != WF_OK)
			break;
	}
	return rc;
}

/* --- other members -------------------------------------------------------- */

static enum wf_rc read_zone(struct reading *reading, const json_t *json)
{
	enum wf_rc rc;

	if (!json_is_string(json))
		return FAIL(reading,
		    "\"timezone\": expected a name such as \"Europe/Berlin\"");
	rc = wf_zone_load(reading->arena, json_string_value(json),
	    &reading->calendar->zone, reading->err);
	if (rc != WF_OK)
		wf_error_prefix(reading->err, "\"timezone\": ");
	return rc;
}

/* The days of the other calendar, behind those that there are. */
static enum wf_rc include(struct reading *reading, const char *name)
{
	const struct wf_calendar *other =
	    reading->find == NULL ? NULL
				  : reading->find(reading->context, name);
	uint32_t ranks = reading->calendar->ranks;

	if (other == NULL)
		return FAIL(reading,
		    "\"includes\": there is no calendar \"%.60s\"", name);
	if (reading->date_count + other->dates.count > WF_CALENDAR_DAYS)
		return FAIL(reading,
		    "\"includes\": with \"%.60s\" more than %u days are named",
		    name, WF_CALENDAR_DAYS);
	for (size_t i = 0; i < other->dates.count; i++)
		add_special(reading, false, other->dates.rows[i].day,
		    ranks + other->dates.rows[i].rank,
		    other->dates.rows[i].hours);
	for (size_t i = 0; i < other->yearly.count; i++)
		add_special(reading, true, other->yearly.rows[i].day,
		    ranks + other->yearly.rows[i].rank,
		    other->yearly.rows[i].hours);
	reading->calendar->ranks += other->ranks;
	return WF_OK;
}

static enum wf_rc read_includes(struct reading *reading, const json_t *json)
{
	enum wf_rc rc = WF_OK;
	size_t i;
	json_t *value;

	if (!json_is_array(json))
		return FAIL(reading,
		    "\"includes\": expected a list of names of calendars");
	if (json_array_size(json) > WF_CALENDAR_INCLUDES)
		return FAIL(reading,
		    "\"includes\" has %zu entries; %u are allowed",
		    json_array_size(json), WF_CALENDAR_INCLUDES);
	json_array_foreach(json, i, value)
	{
		if (!json_is_string(value))
			return FAIL(reading,
			    "\"includes\": entry %zu is no string; expected "
			    "the name of a calendar",
			    i + 1);
		rc = include(reading, json_string_value(value));
		if (rc != WF_OK)
			break;
	}
	return rc;
}

static enum wf_rc read_description(struct reading *reading, const json_t *json)
{
	return json_is_string(json)
		   ? WF_OK
		   : FAIL(reading, "\"description\": expected a string");
}

/* In the order in which they are read. */
static const struct {
	const char *name;
	enum wf_rc (*read)(struct reading *reading, const json_t *json);
} members[] = { { "timezone", read_zone }, { "hours", read_week },
	{ "daysOff", read_days_off }, { "exceptions", read_exceptions },
	{ "includes", read_includes }, { "description", read_description } };

#define MEMBERS (sizeof(members) / sizeof(members[0]))

static enum wf_rc read_members(struct reading *reading, const json_t *json)
{
	enum wf_rc rc = WF_OK;
	const char *key;
	json_t *value;

	if (!json_is_object(json))
		return FAIL(reading, "a calendar is a JSON object");
	json_object_foreach((json_t *)(uintptr_t)json, key, value)
	{
		size_t i = 0;

		while (i < MEMBERS && strcmp(members[i].name, key) != 0)
			i++;
		if (i == MEMBERS)
			return FAIL(reading,
			    "\"%.60s\" is no member of a calendar; expected "
			    "timezone, hours, daysOff, exceptions, includes or "
			    "description",
			    key);
	}
	for (size_t i = 0; rc == WF_OK && i < MEMBERS; i++) {
		value = json_object_get(json, members[i].name);
		if (value != NULL)
			rc = members[i].read(reading, value);
	}
	return rc;
}

enum wf_rc wf_calendar_read(struct wf_arena *arena, const char *text,
    size_t length, wf_calendar_find_f find, void *context,
    const struct wf_calendar **calendar_out, struct wf_error *err)
{
	struct reading reading = {
		.arena = arena, .find = find, .context = context, .err = err
	};
	struct wf_calendar *calendar = wf_arena_alloc(arena, sizeof(*calendar));
	json_error_t error;
	json_t *json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
	enum wf_rc rc;

	if (json == NULL)
		return wf_fail(err, WF_INVALID,
		    "the calendar is no JSON: line %d, column %d: %s",
		    error.line, error.column, error.text);
	*calendar = *wf_calendar_weekdays();
	calendar->ranks = RANKS;
	if (json_object_get(json, "hours") != NULL)
		memset(calendar->week, 0, sizeof(calendar->week));
	reading.calendar = calendar;
	rc = read_members(&reading, json);
	json_decref(json);
	if (rc != WF_OK)
		return rc;
	calendar->dates = wf_special_days(reading.dates, reading.date_count);
	calendar->yearly =
	    wf_special_days(reading.yearly, reading.yearly_count);
	*calendar_out = calendar;
	return WF_OK;
}
