/* SPDX-License-Identifier: Apache-2.0 */
/* Times as text, in the form of ISO 8601 and RFC 3339. */
#ifndef WF_BASE_TIME_TEXT_H
#define WF_BASE_TIME_TEXT_H

#include <stdint.h>

/* Enough for every time, with the NUL. */
#define WF_TIME_TEXT_BYTES 32

/*
 * "2026-01-31T09:30:00.000Z".  time: milliseconds since 1970, UTC.  Years
 * before 0 and after 9999 have a sign or more than four digits, and are no
 * RFC 3339.
 */
void wf_time_text(int64_t time, char text_out[static WF_TIME_TEXT_BYTES]);
/* "2026-01-31T09:30:00Z": the same, rounded down to seconds. */
void wf_time_text_seconds(
    int64_t time, char text_out[static WF_TIME_TEXT_BYTES]);

#endif
