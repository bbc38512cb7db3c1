/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Days of the Gregorian calendar by their number since 1970-01-01, without
 * limits of years.
 */
#ifndef WF_DATA_CALENDAR_CIVIL_H
#define WF_DATA_CALENDAR_CIVIL_H

#include <stdbool.h>
#include <stdint.h>

/* Rounds down, also below 0. */
static inline int64_t wf_civil_floor(int64_t number, int64_t by)
{
	return number / by - (number % by < 0);
}

static inline bool wf_civil_is_leap(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* month: 1 to 12. */
static inline unsigned wf_civil_month_days(int64_t year, unsigned month)
{
	static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31,
		30, 31 };

	return days[month - 1] +
	       (month == 2 && wf_civil_is_leap(year) ? 1U : 0U);
}

/* The days before 1 January of a year, since 1970. */
static inline int64_t wf_civil_year_start(int64_t year)
{
	int64_t before = year - 1;

	return 365 * (year - 1970) + wf_civil_floor(before, 4) -
	       wf_civil_floor(before, 100) + wf_civil_floor(before, 400) - 477;
}

static inline int64_t wf_civil_day(
    int64_t year, unsigned month, unsigned day_of_month)
{
	int64_t day = wf_civil_year_start(year);

	for (unsigned i = 1; i < month; i++)
		day += wf_civil_month_days(year, i);
	return day + day_of_month - 1;
}

/* 400 years have 146,097 days. */
static inline int64_t wf_civil_year(int64_t day)
{
	int64_t year = 1970 + wf_civil_floor(day * 400, 146097);

	while (wf_civil_year_start(year) > day)
		year--;
	while (wf_civil_year_start(year + 1) <= day)
		year++;
	return year;
}

/* 0 is Sunday. */
static inline unsigned wf_civil_weekday(int64_t day)
{
	return (unsigned)(day + 4 - 7 * wf_civil_floor(day + 4, 7));
}

#endif
