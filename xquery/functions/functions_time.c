/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions on dates, times and durations.
 */
#include "base/panic.h"
#include "xquery/atomic/moment.h"
#include "xquery/functions/functions_priv.h"

#define SECONDS_OF_DAY 86400
/* What the digits of a fraction cost (bench/query_costs). */
#define STEPS_OF_FRACTION 4U

static enum wf_rc return_decimal(struct wf_dynamic *dynamic,
    struct wf_sequence *result, int64_t seconds, int64_t nanoseconds)
{
	struct wf_decimal decimal = {
		(wf_int128)seconds * WF_NANOSECONDS + nanoseconds, 9
	};

	wf_charge(dynamic, STEPS_OF_FRACTION);
	while (decimal.scale > 0 && decimal.coefficient % 10 == 0) {
		decimal.coefficient /= 10;
		decimal.scale--;
	}
	return wf_return_atomic(
	    dynamic, result, wf_atomic_decimal(WF_XS_DECIMAL, decimal));
}

/* count / unit, modulo modulus unless that is 0. */
static enum wf_rc duration_part(struct wf_dynamic *dynamic,
    const struct wf_sequence *arguments, bool months, int64_t unit,
    int64_t modulus, struct wf_sequence *result)
{
	const struct wf_atomic *a = wf_argument(arguments, 0);
	int64_t part;

	if (!a)
		return WF_OK;
	part = months ? a->as.duration.months : a->as.duration.seconds;
	part /= unit;
	return wf_return_integer(
	    dynamic, result, modulus == 0 ? part : part % modulus);
}

WF_BUILT_IN(years_from_duration)
{
	(void)count;
	return duration_part(dynamic, arguments, true, 12, 0, result);
}

WF_BUILT_IN(months_from_duration)
{
	(void)count;
	return duration_part(dynamic, arguments, true, 1, 12, result);
}

WF_BUILT_IN(days_from_duration)
{
	(void)count;
	return duration_part(
	    dynamic, arguments, false, SECONDS_OF_DAY, 0, result);
}

WF_BUILT_IN(hours_from_duration)
{
	(void)count;
	return duration_part(dynamic, arguments, false, 3600, 24, result);
}

WF_BUILT_IN(minutes_from_duration)
{
	(void)count;
	return duration_part(dynamic, arguments, false, 60, 60, result);
}

WF_BUILT_IN(seconds_from_duration)
{
	const struct wf_atomic *a = wf_argument(arguments, 0);

	(void)count;
	if (!a)
		return WF_OK;
	return return_decimal(dynamic, result, a->as.duration.seconds % 60,
	    a->as.duration.nanoseconds);
}

/* Functions that return one field of a date or time. */
#define FIELD(name)                                                            \
	WF_BUILT_IN(name)                                                      \
	{                                                                      \
		const struct wf_atomic *a = wf_argument(arguments, 0);         \
                                                                               \
		(void)count;                                                   \
		if (!a)                                                        \
			return WF_OK;                                          \
		return wf_return_integer(                                      \
		    dynamic, result, a->as.moment.FIELD_##name);               \
	}
#define FIELD_year year
#define FIELD_month month
#define FIELD_day day
#define FIELD_hours hour
#define FIELD_minutes minute

FIELD(year)
FIELD(month)
FIELD(day)
FIELD(hours)
FIELD(minutes)

WF_BUILT_IN(seconds)
{
	const struct wf_atomic *a = wf_argument(arguments, 0);

	(void)count;
	if (!a)
		return WF_OK;
	return return_decimal(
	    dynamic, result, a->as.moment.second, a->as.moment.nanosecond);
}

static struct wf_atomic timezone_duration(int minutes)
{
	return wf_atomic_duration(WF_XS_DAY_TIME_DURATION,
	    (struct wf_duration){ .seconds = minutes * 60 });
}

WF_BUILT_IN(timezone)
{
	const struct wf_atomic *a = wf_argument(arguments, 0);

	(void)count;
	if (!a || !a->as.moment.has_timezone)
		return WF_OK;
	return wf_return_atomic(
	    dynamic, result, timezone_duration(a->as.moment.timezone));
}

WF_BUILT_IN(implicit_timezone)
{
	(void)arguments;
	(void)count;
	return wf_return_atomic(
	    dynamic, result, timezone_duration(dynamic->timezone));
}

/* The time zone of the second argument, in minutes. */
static enum wf_rc wanted_timezone(struct wf_dynamic *dynamic,
    const struct wf_atomic *duration, int *minutes_out)
{
	int64_t seconds = duration->as.duration.seconds;

	if (seconds % 60 != 0 || duration->as.duration.nanoseconds != 0 ||
	    seconds < -14 * 3600 || seconds > 14 * 3600)
		return wf_atomic_fail(dynamic, "FODT0003",
		    "a time zone is whole minutes, and at most 14 hours");
	*minutes_out = (int)(seconds / 60);
	return WF_OK;
}

WF_BUILT_IN(adjust)
{
	const struct wf_atomic *a = wf_argument(arguments, 0);
	const struct wf_atomic *zone =
	    count > 1 ? wf_argument(arguments, 1) : NULL;
	struct wf_moment moment;
	int minutes = dynamic->timezone;

	if (!a)
		return WF_OK;
	if (zone) {
		enum wf_rc rc = wanted_timezone(dynamic, zone, &minutes);

		if (rc != WF_OK)
			return rc;
	}
	moment = a->as.moment;
	if (count > 1 && !zone) {
		moment.has_timezone = false;
		moment.timezone = 0;
	} else if (!moment.has_timezone) {
		moment.has_timezone = true;
		moment.timezone = (int16_t)minutes;
	} else if (!wf_moment_to_timezone(&a->as.moment, minutes, &moment)) {
		return wf_atomic_fail(
		    dynamic, "FODT0001", "the result is too large");
	}
	return wf_return_atomic(dynamic, result,
	    wf_atomic_moment(a->type, wf_moment_as(a->type, &moment)));
}

WF_BUILT_IN(date_time)
{
	const struct wf_atomic *date = wf_argument(arguments, 0);
	const struct wf_atomic *time = wf_argument(arguments, 1);
	struct wf_moment moment;

	wf_assert(count == 2);
	if (!date || !time)
		return WF_OK;
	moment = time->as.moment;
	if (date->as.moment.has_timezone && moment.has_timezone &&
	    date->as.moment.timezone != moment.timezone)
		return wf_atomic_fail(dynamic, "FORG0008",
		    "the date and the time have different time zones");
	if (date->as.moment.has_timezone) {
		moment.has_timezone = true;
		moment.timezone = date->as.moment.timezone;
	}
	moment.year = date->as.moment.year;
	moment.month = date->as.moment.month;
	moment.day = date->as.moment.day;
	return wf_return_atomic(
	    dynamic, result, wf_atomic_moment(WF_XS_DATE_TIME, moment));
}

static enum wf_rc current(struct wf_dynamic *dynamic, enum wf_atomic_type type,
    struct wf_sequence *result)
{
	struct wf_moment moment;

	if (!wf_moment_from_milliseconds(
		dynamic->now, dynamic->timezone, &moment))
		return wf_atomic_fail(dynamic, "FODT0001",
		    "the time of the evaluation is absurd");
	return wf_return_atomic(dynamic, result,
	    wf_atomic_moment(type, wf_moment_as(type, &moment)));
}

WF_BUILT_IN(current_date_time)
{
	(void)arguments;
	(void)count;
	return current(dynamic, WF_XS_DATE_TIME, result);
}

WF_BUILT_IN(current_date)
{
	(void)arguments;
	(void)count;
	return current(dynamic, WF_XS_DATE, result);
}

WF_BUILT_IN(current_time)
{
	(void)arguments;
	(void)count;
	return current(dynamic, WF_XS_TIME, result);
}
