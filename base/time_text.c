/* SPDX-License-Identifier: Apache-2.0 */
/* The year is written by printf, because strftime does not pad it. */
#include "base/time_text.h"

#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include "base/panic.h"

/* Without what follows the seconds; returns its length. */
static size_t put(int64_t time, char text[static WF_TIME_TEXT_BYTES])
{
	time_t seconds = (time_t)(time / 1000 - (time % 1000 < 0));
	struct tm when;
	const struct tm *done = gmtime_r(&seconds, &when);
	size_t length;

	wf_assert(done != NULL); /* the year of any such time fits */
	length = (size_t)snprintf(
	    text, WF_TIME_TEXT_BYTES, "%04d", when.tm_year + 1900);
	length += strftime(text + length, WF_TIME_TEXT_BYTES - length,
	    "-%m-%dT%H:%M:%S", &when);
	return length;
}

void wf_time_text(int64_t time, char text_out[static WF_TIME_TEXT_BYTES])
{
	int rest = (int)((time % 1000 + 1000) % 1000);
	size_t length = put(time, text_out);

	snprintf(
	    text_out + length, WF_TIME_TEXT_BYTES - length, ".%03dZ", rest);
}

void wf_time_text_seconds(
    int64_t time, char text_out[static WF_TIME_TEXT_BYTES])
{
	size_t length = put(time, text_out);

	snprintf(text_out + length, WF_TIME_TEXT_BYTES - length, "Z");
}
