/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dates, times and durations: lexical forms and calendar arithmetic.
 *
 * The calendar is the proleptic Gregorian one. As in XML Schema 1.0 there is no
 * year 0: -0001 is the year before 0001. Years have at most nine digits;
 * seconds have at most nine fractional digits, further ones are cut off.
 */
#ifndef WF_XQUERY_ATOMIC_MOMENT_H
#define WF_XQUERY_ATOMIC_MOMENT_H

#include "xquery/atomic/decimal.h"
#include "xquery/item/item.h"

/* The size of a buffer for any moment or duration as text. */
#define WF_MOMENT_TEXT 96

#define WF_NANOSECONDS 1000000000

/* type: one of the eight date and time types. */
enum wf_lexical wf_moment_parse(enum wf_atomic_type type, const char *text,
    size_t length, struct wf_moment *moment_out);
size_t wf_moment_text(enum wf_atomic_type type, const struct wf_moment *moment,
    char text[static WF_MOMENT_TEXT]);

/*
 * The moment with only the parts that type has; the others are those of
 * 1972-12-31T00:00:00.
 */
struct wf_moment wf_moment_as(
    enum wf_atomic_type type, const struct wf_moment *moment);

/*
 * Seconds since 1970 in UTC; implicit: the time zone of a moment without one.
 */
int64_t wf_moment_instant(const struct wf_moment *moment, int implicit);
/* The moment as nanoseconds since 1970 in UTC. */
wf_int128 wf_moment_nanoseconds(const struct wf_moment *moment, int implicit);
int wf_moment_compare(
    const struct wf_moment *a, const struct wf_moment *b, int implicit);
bool wf_moment_from_milliseconds(
    int64_t milliseconds, int timezone, struct wf_moment *moment_out);

/* False: the year does not fit.  The time zone stays. */
bool wf_moment_add_months(const struct wf_moment *moment, int64_t months,
    struct wf_moment *moment_out);
bool wf_moment_add_nanoseconds(const struct wf_moment *moment,
    wf_int128 nanoseconds, struct wf_moment *moment_out);
/* The same instant in another time zone; the moment must have a time zone. */
bool wf_moment_to_timezone(
    const struct wf_moment *moment, int timezone, struct wf_moment *moment_out);

/* type: duration, yearMonthDuration or dayTimeDuration. */
enum wf_lexical wf_duration_parse(enum wf_atomic_type type, const char *text,
    size_t length, struct wf_duration *duration_out);
size_t wf_duration_text(enum wf_atomic_type type,
    const struct wf_duration *duration, char text[static WF_MOMENT_TEXT]);

/* The part below months, in nanoseconds, and back; false: it does not fit. */
wf_int128 wf_duration_nanoseconds(const struct wf_duration *duration);
bool wf_duration_from_nanoseconds(
    wf_int128 nanoseconds, struct wf_duration *duration_out);

#endif
