/* SPDX-License-Identifier: Apache-2.0 */
/* Days off, for timers that count working days. */
#ifndef WF_DATA_CALENDAR_H
#define WF_DATA_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Days off besides Saturdays and Sundays. */
struct wf_calendar {
	const int32_t *holidays; /* days since 1970, ascending */
	size_t count;
};

/* A day of a calendar, "2026-12-25", as days since 1970. */
bool wf_calendar_day(const char *text, size_t length, int32_t *day_out);

#ifdef __cplusplus
}
#endif

#endif
