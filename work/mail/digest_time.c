/* SPDX-License-Identifier: Apache-2.0 */
#include "work/mail/digest_time.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/panic.h"

#define MINUTE_MS 60000
#define DAY_MS INT64_C(86400000)
#define PERIOD_MAXIMUM_MS (31 * DAY_MS)
#define DIGITS 9U

static bool is_digit(char c)
{
	return isdigit((unsigned char)c) != 0;
}

/* "07:30", minutes of the day. */
static bool parse_clock(const char *text, int *minutes_out)
{
	int hour;
	int minute;

	if (strlen(text) != 5 || text[2] != ':' || !is_digit(text[0]) ||
	    !is_digit(text[1]) || !is_digit(text[3]) || !is_digit(text[4]))
		return false;
	hour = (text[0] - '0') * 10 + text[1] - '0';
	minute = (text[3] - '0') * 10 + text[4] - '0';
	*minutes_out = hour * 60 + minute;
	return hour < 24 && minute < 60;
}

static bool parse_period(const char *text, int64_t *period_out)
{
	static const struct {
		char unit;
		int64_t ms;
	} units[] = { { 's', 1000 }, { 'm', MINUTE_MS },
		{ 'h', 60 * MINUTE_MS }, { 'd', DAY_MS } };
	size_t digits = strspn(text, "0123456789");
	int64_t count = 0;

	if (digits == 0 || digits > DIGITS || strlen(text) != digits + 1)
		return false;
	for (size_t i = 0; i < digits; i++)
		count = count * 10 + (text[i] - '0');
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (units[i].unit == text[digits])
			*period_out = count * units[i].ms;
	return *period_out > 0 && *period_out <= PERIOD_MAXIMUM_MS;
}

enum wf_rc wf_digest_time_parse(const char *text, int32_t zone,
    struct wf_digest_time *time_out, struct wf_error *err)
{
	int minutes = 0;

	*time_out = (struct wf_digest_time){ 0, 0 };
	if (text[0] == '\0')
		return WF_OK;
	if (parse_clock(text, &minutes))
		time_out->period_ms = DAY_MS;
	else if (!parse_period(text, &time_out->period_ms))
		return wf_fail(err, WF_INVALID,
		    "mail-digest: expected a time of day such as 07:30, or "
		    "1s to 31d such as 10m or 4h, not \"%.100s\"",
		    text);
	time_out->offset_ms = ((int64_t)minutes - zone) * MINUTE_MS;
	return WF_OK;
}

int64_t wf_digest_time_before(const struct wf_digest_time *time, int64_t now)
{
	int64_t since;

	wf_assert(time->period_ms > 0);
	since = (now - time->offset_ms) % time->period_ms;
	return now - (since < 0 ? since + time->period_ms : since);
}
