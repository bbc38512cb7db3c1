/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A time as it is written in a process: a duration of working time ("P2D",
 * "PT4H", "-PT30M"), a day, or a date and time.
 *
 * The days of a duration are working days: the same time of the clock on the
 * n-th day on which working time begins.  The rest is working time.
 */
#ifndef WF_DATA_CALENDAR_WHEN_H
#define WF_DATA_CALENDAR_WHEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/calendar/calendar.h"

enum wf_when_kind {
	WF_WHEN_DURATION,
	WF_WHEN_LOCAL,	/* by the clocks of the calendar */
	WF_WHEN_INSTANT /* a zone was given */
};

struct wf_when {
	enum wf_when_kind kind;
	int32_t days;	      /* of a duration; the sign is that of the rest */
	int64_t milliseconds; /* of a duration, or since 1970 */
};

/*
 * "P2DT4H" (no years and months), "2026-01-31T12:00:00", the same with a zone,
 * or "2026-01-31", which is the end of that day.  False: none of them.
 */
bool wf_when_parse(const char *text, size_t length, struct wf_when *when_out);
/*
 * The instant; a duration is counted from an instant (milliseconds since 1970,
 * UTC).  False: there is none within WF_CALENDAR_YEARS.
 */
bool wf_when_at(const struct wf_when *when, const struct wf_calendar *calendar,
    int64_t from, int64_t *at_out);

#endif
