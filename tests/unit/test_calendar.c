/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time zones against the C library's, at random instants; working calendars
 * against known answers, and against a model that examines each minute.
 */
#include <CUnit/CUnit.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "base/time_text.h"
#include "data/calendar/calendar.h"
#include "data/calendar/zone.h"
#include "tests/unit/seed.h"

#define MINUTE INT64_C(60000)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
#define FOLDER "/usr/share/zoneinfo/"

static struct wf_random random_state;
static const char *zone_name;

/* --- zones ---------------------------------------------------------------- */

#define ZONES 1000U

static struct {
	char *names[ZONES];
	unsigned count;
} zones;

static int note_zone(
    const char *path, const struct stat *about, int type, struct FTW *place)
{
	char magic[4] = "";
	FILE *file = type == FTW_F ? fopen(path, "rb") : NULL;

	(void)about;
	(void)place;
	if (file == NULL)
		return 0;
	if (fread(magic, 1, 4, file) == 4 && memcmp(magic, "TZif", 4) == 0 &&
	    strstr(path, "/right/") == NULL &&
	    strstr(path, "/posix/") == NULL && zones.count < ZONES)
		zones.names[zones.count++] = wf_strdup(path + strlen(FOLDER));
	fclose(file);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void find_zones(void)
{
	CU_ASSERT(nftw(FOLDER, note_zone, 8, FTW_PHYS) == 0);
	qsort(zones.names, zones.count, sizeof(zones.names[0]), by_name);
	CU_ASSERT(zones.count > 300);
}

static void drop_zones(void)
{
	while (zones.count > 0)
		wf_free(zones.names[--zones.count]);
}

/* Years 1840 to 2470. */
static int64_t random_instant(void)
{
	int64_t seconds =
	    -INT64_C(4100000000) +
	    (int64_t)wf_random_below(&random_state, 1000000) * 19886;

	return (seconds + wf_random_below(&random_state, 86400)) * 1000;
}

static int64_t library_offset(int64_t instant)
{
	time_t seconds = (time_t)(instant / 1000 - (instant % 1000 < 0));
	struct tm tm;

	CU_ASSERT_PTR_NOT_NULL(localtime_r(&seconds, &tm));
	return tm.tm_gmtoff * INT64_C(1000);
}

/* At the instant, and around both ends of its span. */
static bool agrees(const struct wf_zone *zone, int64_t instant)
{
	struct wf_zone_span span = wf_zone_span(zone, instant);
	bool ok = span.from <= instant && instant < span.until &&
		  library_offset(instant) == span.offset &&
		  wf_zone_local(zone, instant) == instant + span.offset;

	if (span.from > INT64_MIN)
		ok = ok && library_offset(span.from) == span.offset &&
		     library_offset(span.from - 1000) ==
			 wf_zone_span(zone, span.from - 1).offset;
	if (span.until < INT64_MAX)
		ok = ok && library_offset(span.until - 1000) == span.offset &&
		     library_offset(span.until) ==
			 wf_zone_span(zone, span.until).offset;
	if (!ok)
		printf("\n%s: %lld s: %lld, the library has %lld\n", zone_name,
		    (long long)instant / 1000, (long long)span.offset,
		    (long long)library_offset(instant));
	return ok;
}

/* Local times lead back to their instants. */
static bool returns(const struct wf_zone *zone, int64_t instant)
{
	int64_t local = wf_zone_local(zone, instant);
	int64_t instants[2];
	unsigned count = wf_zone_instants(zone, local, instants);

	for (unsigned i = 0; i < count; i++)
		if (instants[i] == instant)
			return true;
	printf("\n%s: %lld s does not return\n", zone_name,
	    (long long)instant / 1000);
	return false;
}

static void test_zones(void)
{
	unsigned rounds = test_rounds(60);
	struct wf_error err = { .rc = WF_OK };
	char *before = getenv("TZ");

	random_state.state = test_seed("calendar", 20261123);
	before = before == NULL ? NULL : wf_strdup(before);
	find_zones();
	for (unsigned i = 0; i < zones.count; i++) {
		struct wf_arena *arena = wf_arena_new();
		const struct wf_zone *zone;
		bool ok = true;

		zone_name = zones.names[i];
		setenv("TZ", zone_name, 1);
		tzset();
		CU_ASSERT(
		    wf_zone_load(arena, zones.names[i], &zone, &err) == WF_OK);
		for (unsigned k = 0; err.rc == WF_OK && k < rounds; k++) {
			int64_t instant = random_instant();

			int64_t from = wf_zone_span(zone, instant).from;

			ok = ok && agrees(zone, instant) &&
			     returns(zone, instant) &&
			     (from == INT64_MIN || returns(zone, from));
		}
		CU_ASSERT(ok);
		wf_arena_free(&arena);
	}
	drop_zones();
	if (before == NULL)
		unsetenv("TZ");
	else
		setenv("TZ", before, 1);
	tzset();
	wf_free(before);
}

static const struct wf_zone *zone_of(struct wf_arena *arena, const char *name)
{
	struct wf_error err = { .rc = WF_OK };
	const struct wf_zone *zone = NULL;

	CU_ASSERT(wf_zone_load(arena, name, &zone, &err) == WF_OK);
	return zone;
}

/* "2026-03-29T02:30" as milliseconds since 1970 on the clocks. */
static int64_t local_of(const char *text)
{
	int32_t day = 0;
	int hour = 0;
	int minute = 0;

	CU_ASSERT(wf_calendar_day(text, 10, &day));
	CU_ASSERT(sscanf(text + 10, "T%2d:%2d", &hour, &minute) == 2);
	return day * DAY + hour * HOUR + minute * MINUTE;
}

static void test_local_times(void)
{
	static const struct {
		const char *zone;
		const char *local;
		const char *instants[2];
		unsigned count;
	} rows[] = {
		{ "Europe/Berlin", "2026-01-31T12:00",
		    { "2026-01-31T11:00:00Z" }, 1 },
		{ "Europe/Berlin", "2026-03-29T02:30",
		    { "2026-03-29T01:00:00Z" }, 0 },
		{ "Europe/Berlin", "2026-10-25T02:30",
		    { "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z" }, 2 },
		{ "Europe/Berlin", "2199-07-01T12:00",
		    { "2199-07-01T10:00:00Z" }, 1 },
		{ "Australia/Lord_Howe", "2026-04-05T01:45",
		    { "2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z" }, 2 },
		{ "Pacific/Apia", "2011-12-30T12:00",
		    { "2011-12-30T10:00:00Z" }, 0 },
		{ "America/Nuuk", "2026-07-01T12:00",
		    { "2026-07-01T13:00:00Z" }, 1 },
		{ "+05:30", "2026-01-01T00:00", { "2025-12-31T18:30:00Z" }, 1 },
		{ "-03:30", "2026-01-01T00:00", { "2026-01-01T03:30:00Z" }, 1 },
		{ "Z", "1969-12-31T00:00", { "1969-12-31T00:00:00Z" }, 1 },
	};
	struct wf_arena *arena = wf_arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct wf_zone *zone = zone_of(arena, rows[i].zone);
		int64_t instants[2] = { 0, 0 };
		char text[WF_TIME_TEXT_BYTES];

		CU_ASSERT_EQUAL(
		    wf_zone_instants(zone, local_of(rows[i].local), instants),
		    rows[i].count);
		for (unsigned k = 0; k < 2 && rows[i].instants[k] != NULL;
		     k++) {
			wf_time_text_seconds(instants[k], text);
			CU_ASSERT_STRING_EQUAL(text, rows[i].instants[k]);
		}
	}
	wf_arena_free(&arena);
}

static void test_wrong_zones(void)
{
	static const char *const names[] = { "", "Europe/Nowhere", "+1:00",
		"+15:00", "../../../etc/passwd", "/etc/localtime", "Europe//X",
		"Europe", "zone.tab", "Europe/Berlin ", "\xc3\xa4" };
	struct wf_arena *arena = wf_arena_new();

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct wf_error err = { .rc = WF_OK };
		const struct wf_zone *zone;

		CU_ASSERT(
		    wf_zone_load(arena, names[i], &zone, &err) == WF_INVALID);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "Europe/Berlin"));
	}
	wf_arena_free(&arena);
}

/* --- calendars ------------------------------------------------------------ */

static const struct wf_calendar *calendar_of(
    struct wf_arena *arena, const char *json)
{
	struct wf_error err = { .rc = WF_OK };
	const struct wf_calendar *calendar = NULL;

	if (wf_calendar_read(arena, json, strlen(json), NULL, NULL, &calendar,
		&err) != WF_OK)
		printf("\n%s: %s\n", json, err.message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(calendar);
	return calendar;
}

/* An instant by the clocks of Berlin: the first, if there are two. */
static int64_t berlin(struct wf_arena *arena, const char *local)
{
	int64_t instants[2];

	(void)wf_zone_instants(
	    zone_of(arena, "Europe/Berlin"), local_of(local), instants);
	return instants[0];
}

/* 2026-01-01 was a Thursday. */
static const char office[] =
    "{\"timezone\": \"Europe/Berlin\","
    " \"hours\": {\"mon-thu\": [\"13:00-17:00\", \"08:00-12:00\"],"
    " \"fri\": [\"08:00-12:00\"]},"
    " \"daysOff\": [\"--12-25\", \"2026-12-24\", \"2026-08-03/2026-08-14\"],"
    " \"exceptions\": {\"2026-08-05\": [\"10:00-11:00\"],"
    " \"2026-12-25\": [\"09:00-10:00\"]}}";

static void test_known_sums(void)
{
	static const struct {
		const char *from;
		int minutes;
		const char *to;
	} rows[] = {
		{ "2026-01-05T09:00", 30, "2026-01-05T09:30" },
		{ "2026-01-05T09:00", 0, "2026-01-05T09:00" },
		{ "2026-01-03T09:00", 0, "2026-01-03T09:00" },
		{ "2026-01-05T09:00", 180, "2026-01-05T12:00" },
		{ "2026-01-05T09:00", 181, "2026-01-05T13:01" },
		{ "2026-01-05T12:30", 60, "2026-01-05T14:00" },
		/* Friday afternoon is free. */
		{ "2026-01-09T11:00", 120, "2026-01-12T09:00" },
		/* Closed, with one hour on the fifth. */
		{ "2026-07-31T11:00", 90, "2026-08-05T10:30" },
		{ "2026-07-31T11:00", 121, "2026-08-17T08:01" },
		/* 2026-12-25 is an exception, 2027-12-25 a Saturday. */
		{ "2026-12-23T16:00", 90, "2026-12-25T09:30" },
		{ "2026-12-23T16:00", 121, "2026-12-28T08:01" },
		/* Backwards: the last instant. */
		{ "2026-01-05T09:30", -30, "2026-01-05T09:00" },
		{ "2026-01-05T13:00", -60, "2026-01-05T11:00" },
		{ "2026-01-05T13:00", -240, "2026-01-05T08:00" },
		{ "2026-01-12T09:00", -120, "2026-01-09T11:00" },
		{ "2026-01-12T08:00", -1, "2026-01-09T11:59" },
		{ "2026-01-10T15:00", -60, "2026-01-09T11:00" },
		{ "2026-08-17T08:00", -60, "2026-08-05T10:00" },
		/* The clocks change between. */
		{ "2026-03-27T11:30", 60, "2026-03-30T08:30" },
		{ "2026-10-26T08:30", -60, "2026-10-23T11:30" },
	};
	struct wf_arena *arena = wf_arena_new();
	const struct wf_calendar *calendar = calendar_of(arena, office);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int64_t from = berlin(arena, rows[i].from);
		int64_t duration = rows[i].minutes * MINUTE;
		int64_t at = 0;
		int64_t between = 0;
		char text[2][WF_TIME_TEXT_BYTES];

		CU_ASSERT(wf_calendar_add(calendar, from, duration, &at));
		wf_time_text(at, text[0]);
		wf_time_text(berlin(arena, rows[i].to), text[1]);
		if (strcmp(text[0], text[1]) != 0)
			printf("\nfrom %s: %s, not %s\n", rows[i].from, text[0],
			    text[1]);
		CU_ASSERT_STRING_EQUAL(text[0], text[1]);
		CU_ASSERT(wf_calendar_between(calendar, from, at, &between));
		CU_ASSERT_EQUAL(between, duration);
	}
	wf_arena_free(&arena);
}

/* The clocks skip 02:00 to 03:00, and show it twice in autumn. */
static void test_changes_of_clocks(void)
{
	static const struct {
		const char *hours;
		const char *day;
		int64_t minutes;
	} rows[] = {
		{ "00:00-24:00", "2026-03-29", 23 * 60 },
		{ "00:00-24:00", "2026-10-25", 25 * 60 },
		{ "02:00-03:00", "2026-03-29", 0 },
		{ "02:00-03:00", "2026-10-25", 120 },
		{ "01:30-02:30", "2026-03-29", 30 },
		{ "01:30-02:30", "2026-10-25", 30 + 60 },
		{ "02:30-04:00", "2026-10-25", 60 + 60 },
		/* From the day before until 06:00, and again from 22:00. */
		{ "22:00-06:00", "2026-03-29", 5 * 60 + 120 },
		{ "22:00-06:00", "2026-10-25", 7 * 60 + 120 },
		{ "22:00-06:00", "2026-05-02", 8 * 60 },
	};
	struct wf_arena *arena = wf_arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *json = wf_arena_printf(arena,
		    "{\"timezone\": \"Europe/Berlin\", \"hours\": "
		    "{\"sun-sat\": [\"%s\"]}}",
		    rows[i].hours);
		char *local = wf_arena_printf(arena, "%sT00:00", rows[i].day);
		int64_t from = berlin(arena, local);
		int64_t instants[2];
		int64_t time = -1;

		(void)wf_zone_instants(zone_of(arena, "Europe/Berlin"),
		    local_of(local) + DAY, instants);
		CU_ASSERT(wf_calendar_between(
		    calendar_of(arena, json), from, instants[0], &time));
		CU_ASSERT_EQUAL(time, rows[i].minutes * MINUTE);
	}
	wf_arena_free(&arena);
}

static void test_next(void)
{
	struct wf_arena *arena = wf_arena_new();
	const struct wf_calendar *calendar = calendar_of(arena, office);
	const struct wf_calendar *always =
	    calendar_of(arena, "{\"hours\": {\"mon-sun\": [\"00:00-24:00\"]}}");
	const struct wf_calendar *never = calendar_of(arena, "{\"hours\": {}}");
	int64_t at = berlin(arena, "2026-01-08T09:00");
	int64_t next = 0;

	CU_ASSERT(wf_calendar_next(calendar, at, &next));
	CU_ASSERT_EQUAL(next, berlin(arena, "2026-01-08T12:00"));
	CU_ASSERT(wf_calendar_next(calendar, next, &next));
	CU_ASSERT_EQUAL(next, berlin(arena, "2026-01-08T13:00"));
	CU_ASSERT(wf_calendar_next(
	    calendar, berlin(arena, "2026-01-09T12:00"), &next));
	CU_ASSERT_EQUAL(next, berlin(arena, "2026-01-12T08:00"));
	/* Days that follow each other are one stretch. */
	CU_ASSERT(wf_calendar_next(wf_calendar_weekdays(), at, &next));
	CU_ASSERT_EQUAL(next, local_of("2026-01-10T00:00"));
	CU_ASSERT_FALSE(wf_calendar_next(always, at, &next));
	CU_ASSERT_FALSE(wf_calendar_next(never, at, &next));
	CU_ASSERT_FALSE(wf_calendar_add(never, at, 1, &next));
	CU_ASSERT_FALSE(wf_calendar_add(never, at, -1, &next));
	CU_ASSERT_FALSE(wf_calendar_add(calendar, at, 41 * 365 * DAY, &next));
	CU_ASSERT_FALSE(wf_calendar_add(calendar, INT64_MAX, 1, &next));
	CU_ASSERT_FALSE(wf_calendar_between(calendar, INT64_MIN, at, &next));
	wf_arena_free(&arena);
}

/* --- a model -------------------------------------------------------------- */

/* Random hours of the weekdays and of a few days of 2026, as JSON. */
static const char *random_calendar(struct wf_arena *arena)
{
	static const char *const names[] = { "Europe/Berlin",
		"America/New_York", "Australia/Lord_Howe", "Asia/Kolkata",
		"Africa/Casablanca", "Pacific/Apia", "America/Santiago" };
	static const char *const days[] = { "sun", "mon", "tue", "wed", "thu",
		"fri", "sat" };
	char *json =
	    wf_arena_printf(arena, "{\"timezone\": \"%s\", \"hours\": {",
		names[wf_random_below(&random_state, 7)]);

	for (unsigned i = 0; i < 7; i++) {
		unsigned from = wf_random_below(&random_state, 700);
		unsigned to = from + 1 + wf_random_below(&random_state, 700);
		unsigned late = 1400 + wf_random_below(&random_state, 40);
		unsigned early = wf_random_below(&random_state, 600);

		json = wf_arena_printf(arena,
		    "%s%s\"%s\": [\"%02u:%02u-%02u:%02u\"%s", json,
		    i == 0 ? "" : ", ", days[i], from / 60, from % 60, to / 60,
		    to % 60, wf_random_below(&random_state, 3) == 0 ? "" : "]");
		if (json[strlen(json) - 1] != ']')
			json = wf_arena_printf(arena,
			    "%s, \"%02u:%02u-%02u:%02u\"]", json, late / 60,
			    late % 60, early / 60, early % 60);
	}
	return wf_arena_printf(arena,
	    "%s}, \"daysOff\": [\"--%02u-%02u\", \"2026-03-08\", "
	    "\"2026-10-25\"], \"exceptions\": {\"2026-03-29\": "
	    "[\"01:15-02:45\"], \"2026-04-05\": [\"01:00-03:00\"]}}",
	    json, 1 + wf_random_below(&random_state, 12),
	    1 + wf_random_below(&random_state, 28));
}

/* Changes of clocks and hours are at whole minutes. */
static int64_t count_minutes(
    const struct wf_calendar *calendar, int64_t from, int64_t to)
{
	int64_t time = 0;

	for (int64_t at = from; at < to; at += MINUTE)
		if (wf_calendar_is_open(calendar, at))
			time += MINUTE;
	return time;
}

static void check_pair(
    const struct wf_calendar *calendar, int64_t from, int64_t to)
{
	int64_t middle = from + (to - from) / 3;
	int64_t time = -1;
	int64_t first = -1;
	int64_t second = -1;
	int64_t at = 0;

	CU_ASSERT(wf_calendar_between(calendar, from, to, &time));
	CU_ASSERT_EQUAL(time, count_minutes(calendar, from, to));
	/* Sums of parts; backwards. */
	CU_ASSERT(wf_calendar_between(calendar, from, middle, &first));
	CU_ASSERT(wf_calendar_between(calendar, middle, to, &second));
	CU_ASSERT_EQUAL(time, first + second);
	CU_ASSERT(wf_calendar_between(calendar, to, from, &second));
	CU_ASSERT_EQUAL(second, -time);
	/* Added, it is the same; the first instant, the last one. */
	CU_ASSERT(wf_calendar_add(calendar, from, time, &at));
	CU_ASSERT(at <= to);
	CU_ASSERT(wf_calendar_between(calendar, from, at, &second));
	CU_ASSERT_EQUAL(second, time);
	CU_ASSERT(time == 0 || wf_calendar_is_open(calendar, at - 1));
	CU_ASSERT(wf_calendar_add(calendar, to, -time, &at));
	CU_ASSERT(at >= from);
	CU_ASSERT(wf_calendar_between(calendar, at, to, &second));
	CU_ASSERT_EQUAL(second, time);
	CU_ASSERT(time == 0 || wf_calendar_is_open(calendar, at));
}

/* A date on which clocks change, or any. */
static int64_t interesting_day(void)
{
	static const char *const days[] = { "2026-03-07", "2026-03-28",
		"2026-10-24", "2026-04-04", "2026-02-14", "2026-03-21",
		"2026-11-01", "2026-09-05", "2011-12-29" };
	unsigned i = wf_random_below(&random_state, 12);
	int32_t day = 20454 + (int32_t)wf_random_below(&random_state, 365);

	if (i < sizeof(days) / sizeof(*days))
		CU_ASSERT(wf_calendar_day(days[i], 10, &day));
	return day * DAY;
}

static void test_model(void)
{
	unsigned rounds = test_rounds(150);

	random_state.state = test_seed("calendar", 20261124);
	for (unsigned i = 0; i < rounds; i++) {
		struct wf_arena *arena = wf_arena_new();
		const struct wf_calendar *calendar =
		    calendar_of(arena, random_calendar(arena));
		int64_t from = interesting_day() +
			       wf_random_below(&random_state, 2880) * MINUTE;
		int64_t next = 0;

		check_pair(calendar, from,
		    from + wf_random_below(&random_state, 5000) * MINUTE);
		CU_ASSERT(wf_calendar_next(calendar, from, &next));
		CU_ASSERT(next > from);
		CU_ASSERT(wf_calendar_is_open(calendar, next) !=
			  wf_calendar_is_open(calendar, from));
		CU_ASSERT(
		    count_minutes(calendar, from, next) ==
		    (wf_calendar_is_open(calendar, from) ? next - from : 0));
		wf_arena_free(&arena);
	}
}

/* --- JSON ----------------------------------------------------------------- */

struct named {
	const char *name;
	const struct wf_calendar *calendar;
};

static const struct wf_calendar *find_named(void *context, const char *name)
{
	const struct named *named = context;

	return strcmp(name, named->name) == 0 ? named->calendar : NULL;
}

/* The calendar's own days count before those that it includes. */
static void test_includes(void)
{
	static const char json[] =
	    "{\"includes\": [\"holidays\"],"
	    " \"exceptions\": {\"--05-01\": [\"10:00-11:00\"]}}";
	struct wf_arena *arena = wf_arena_new();
	struct named holidays = { "holidays",
		calendar_of(arena,
		    "{\"daysOff\": [\"2026-05-01\", \"2026-01-01\"],"
		    " \"exceptions\": {\"2026-01-03\": [\"00:00-24:00\"]}}") };
	const struct wf_calendar *calendar = NULL;

	CU_ASSERT(wf_calendar_read(arena, json, strlen(json), find_named,
		      &holidays, &calendar, NULL) == WF_OK);
	CU_ASSERT_FALSE(
	    wf_calendar_is_open(calendar, local_of("2026-01-01T10:30")));
	CU_ASSERT(wf_calendar_is_open(calendar, local_of("2026-01-02T10:30")));
	CU_ASSERT(wf_calendar_is_open(calendar, local_of("2026-01-03T10:30")));
	CU_ASSERT(wf_calendar_is_open(calendar, local_of("2026-05-01T10:30")));
	CU_ASSERT_FALSE(
	    wf_calendar_is_open(calendar, local_of("2026-05-01T11:30")));
	CU_ASSERT(wf_calendar_is_day_off(
	    calendar, local_of("2026-01-01T00:00") / DAY));
	wf_arena_free(&arena);
}

static void test_wrong_calendars(void)
{
	static const struct {
		const char *json;
		const char *message;
	} rows[] = {
		{ "[]", "a calendar is a JSON object" },
		{ "{", "the calendar is no JSON: line 1, column 1: string or "
		       "'}' expected near end of file" },
		{ "{\"zone\": 1}",
		    "\"zone\" is no member of a calendar; expected timezone, "
		    "hours, daysOff, exceptions, includes or description" },
		{ "{\"timezone\": 1}", "\"timezone\": expected a name such as "
				       "\"Europe/Berlin\"" },
		{ "{\"hours\": []}", "\"hours\": expected an object such as "
				     "{\"mon-fri\": [\"09:00-17:00\"]}" },
		{ "{\"hours\": {\"monday\": []}}",
		    "\"hours\": \"monday\" is no weekday; expected mon, tue, "
		    "wed, thu, fri, sat, sun or such as mon-fri" },
		{ "{\"hours\": {\"mon-fri\": [], \"wed\": []}}",
		    "\"hours\": a weekday in \"wed\" is named twice" },
		{ "{\"hours\": {\"mon\": \"09:00-17:00\"}}",
		    "\"hours\": \"mon\": expected a list of hours such as "
		    "[\"09:00-17:00\"]; [] for a day off" },
		{ "{\"hours\": {\"mon\": [\"09:00-17:00\", \"9-17\"]}}",
		    "\"hours\": \"mon\": entry 2 is \"9-17\"; expected hours "
		    "such as \"09:00-17:00\"" },
		{ "{\"hours\": {\"mon\": [\"24:00-06:00\"]}}",
		    "\"hours\": \"mon\": entry 1 is \"24:00-06:00\"; expected "
		    "hours such as \"09:00-17:00\"" },
		{ "{\"hours\": {\"mon\": [\"09:00-17:00\", \"16:30-18:00\"]}}",
		    "\"hours\": \"mon\": hours overlap at 16:30" },
		{ "{\"daysOff\": [\"2026-02-29\"]}",
		    "\"daysOff\": \"2026-02-29\" is no day; expected such as "
		    "2026-12-25, --12-25 (each year) or "
		    "2026-08-03/2026-08-14" },
		{ "{\"daysOff\": [\"--02-30\"]}",
		    "\"daysOff\": \"--02-30\" is no day; expected such as "
		    "2026-12-25, --12-25 (each year) or "
		    "2026-08-03/2026-08-14" },
		{ "{\"daysOff\": [\"2026-08-14/2026-08-03\"]}",
		    "\"daysOff\": \"2026-08-14/2026-08-03\" ends before it "
		    "begins" },
		{ "{\"daysOff\": [\"1900-01-01/2100-01-01\"]}",
		    "\"daysOff\": \"1900-01-01/2100-01-01\": more than 20000 "
		    "days are named" },
		{ "{\"daysOff\": [1]}", "\"daysOff\": entry 1 is no string; "
					"expected a day such as "
					"\"2026-12-24\"" },
		{ "{\"exceptions\": {\"2026-1-1\": []}}",
		    "\"exceptions\": \"2026-1-1\" is no day; expected such as "
		    "2026-12-25, --12-25 (each year) or "
		    "2026-08-03/2026-08-14" },
		{ "{\"includes\": [\"holidays\"]}",
		    "\"includes\": there is no calendar \"holidays\"" },
		{ "{\"description\": 1}",
		    "\"description\": expected a string" },
	};
	struct wf_arena *arena = wf_arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct wf_calendar *calendar;
		struct wf_error err = { .rc = WF_OK };

		CU_ASSERT(
		    wf_calendar_read(arena, rows[i].json, strlen(rows[i].json),
			NULL, NULL, &calendar, &err) == WF_INVALID);
		CU_ASSERT_STRING_EQUAL(err.message, rows[i].message);
	}
	wf_arena_free(&arena);
}

CU_TestInfo wf_tests_calendar[] = {
	{ "zones, as the library has them", test_zones },
	{ "local times: none, one, two", test_local_times },
	{ "names that are no zones", test_wrong_zones },
	{ "working time: known answers", test_known_sums },
	{ "working time when clocks change", test_changes_of_clocks },
	{ "the next change", test_next },
	{ "working time against a model", test_model },
	{ "included calendars", test_includes },
	{ "calendars that are wrong", test_wrong_calendars },
	CU_TEST_INFO_NULL,
};
