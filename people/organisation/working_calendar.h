/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Working calendars as records of an organisation: data/calendar/ says what
 * their members mean.
 */
#ifndef WF_PEOPLE_WORKING_CALENDAR_H
#define WF_PEOPLE_WORKING_CALENDAR_H

#include "data/calendar/calendar.h"
#include "people/organisation/record.h"

/*
 * Reads a record; the calendar lives in the arena.  find: the calendars that it
 * includes, by their ids.  WF_INVALID: what is wrong and what was expected.
 */
enum wf_rc wf_org_calendar_read(const struct wf_working_calendar *record,
    struct wf_arena *arena, wf_calendar_find_f find, void *context,
    const struct wf_calendar **calendar_out, struct wf_error *err) WF_MUSTCHECK;
/* The same, but whether the included ones exist is not asked. */
enum wf_rc wf_org_calendar_check(const struct wf_working_calendar *record,
    struct wf_error *err) WF_MUSTCHECK;

#endif
