/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Working calendars: the hours of each weekday, days off, exceptions, and the
 * time zone of all of them.
 *
 *	{
 *	  "timezone": "Europe/Berlin",
 *	  "hours": { "mon-thu": ["09:00-12:30", "13:30-18:00"],
 *	             "fri": ["09:00-15:00"] },
 *	  "daysOff": ["--12-25", "2026-12-24", "2026-08-03/2026-08-14"],
 *	  "exceptions": { "2026-12-31": ["09:00-12:00"] },
 *	  "includes": ["holidays"]
 *	}
 *
 * It is working time when the clocks of the zone show a time within the hours
 * of the day: hours that the clocks skip are none, hours that they show twice
 * count twice.  A calendar never changes and can be used by all threads.
 */
#ifndef WF_DATA_CALENDAR_CALENDAR_H
#define WF_DATA_CALENDAR_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Nothing is computed over a longer time. */
#define WF_CALENDAR_YEARS 40

struct wf_calendar; /* opaque */

/* The calendar of that name, which lives as long as the asker; NULL: none. */
typedef const struct wf_calendar *(*wf_calendar_find_f)(
    void *context, const char *name);

/*
 * Reads a calendar from JSON; it lives in the arena.  find: for "includes"; may
 * be NULL.  WF_INVALID: what is wrong, where, and what was expected.
 */
enum wf_rc wf_calendar_read(struct wf_arena *arena, const char *json,
    size_t length, wf_calendar_find_f find, void *context,
    const struct wf_calendar **calendar_out, struct wf_error *err) WF_MUSTCHECK;
/* Mondays to Fridays are working time all day, in UTC. */
const struct wf_calendar *wf_calendar_weekdays(void);
/*
 * The same in another zone, except the days off, which are
 * days since 1970 in any order.  timezone: minutes east of Greenwich.
 */
const struct wf_calendar *wf_calendar_of_days(struct wf_arena *arena,
    const int32_t *days, size_t count, int32_t timezone);

/* A day, "2026-12-25", as days since 1970. */
bool wf_calendar_day(const char *text, size_t length, int32_t *day_out);

/* --- times: milliseconds since 1970, UTC ---------------------------------- */

/* Whether no working time begins on the day (of the zone), since 1970. */
bool wf_calendar_is_day_off(const struct wf_calendar *calendar, int64_t day);
/* Whether it is working time. */
bool wf_calendar_is_open(const struct wf_calendar *calendar, int64_t at);
/*
 * The next instant, from at on, at which working time begins or ends; false:
 * none within WF_CALENDAR_YEARS.
 */
bool wf_calendar_next(
    const struct wf_calendar *calendar, int64_t at, int64_t *next_out);
/*
 * The first instant that has that much working time since at; duration may be
 * negative: the last instant that has it until at.  0: at itself.  False: there
 * is none within WF_CALENDAR_YEARS.
 */
bool wf_calendar_add(const struct wf_calendar *calendar, int64_t at,
    int64_t duration, int64_t *at_out);
/*
 * The working time between two instants, negative when the second is earlier.
 * False: they are more than WF_CALENDAR_YEARS apart.
 */
bool wf_calendar_between(const struct wf_calendar *calendar, int64_t from,
    int64_t to, int64_t *duration_out);

#ifdef __cplusplus
}
#endif

#endif
