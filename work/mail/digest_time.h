/* SPDX-License-Identifier: Apache-2.0 */
/* When digests are due: at a time of each day, or every so often. */
#ifndef WF_WORK_MAIL_DIGEST_TIME_H
#define WF_WORK_MAIL_DIGEST_TIME_H

#include <stdint.h>

#include "base/error.h"

struct wf_digest_time {
	int64_t period_ms; /* 0: never */
	int64_t offset_ms; /* of the times from multiples of the period */
};

/*
 * "": never; "07:30": at that time in the zone, minutes east of UTC; "30s",
 * "10m", "4h" or "7d": every so often, counted from midnight in the zone of the
 * first day of 1970.  WF_INVALID.
 */
enum wf_rc wf_digest_time_parse(const char *text, int32_t zone,
    struct wf_digest_time *time_out, struct wf_error *err) WF_MUSTCHECK;
/* The last such time up to now, milliseconds since 1970; not of "never". */
int64_t wf_digest_time_before(const struct wf_digest_time *time, int64_t now);

#endif
