/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time zones by their IANA names, from the files of the system (TZif, RFC
 * 9636), with the rule at their end for the years that they do not list.
 *
 * A zone never changes and can be used by all threads, which localtime() with
 * the variable TZ cannot.  Instants are milliseconds since 1970, UTC; local
 * times are milliseconds since 1970-01-01T00:00 on the clocks of the zone.
 */
#ifndef WF_DATA_CALENDAR_ZONE_H
#define WF_DATA_CALENDAR_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

struct wf_zone; /* opaque */

/* Instants at which the clocks differ from UTC by the same amount. */
struct wf_zone_span {
	int64_t from;	/* included; INT64_MIN: always before */
	int64_t until;	/* excluded; INT64_MAX: always after */
	int64_t offset; /* milliseconds east of Greenwich */
};

/*
 * The zone of that name, in the arena: "Europe/Berlin", from the folder $TZDIR,
 * else /usr/share/zoneinfo; or "Z", "UTC" and "+01:00", without a file.
 * WF_INVALID: the name, with what was expected; WF_DATA: a damaged file.
 */
enum wf_rc wf_zone_load(struct wf_arena *arena, const char *name,
    const struct wf_zone **zone_out, struct wf_error *err) WF_MUSTCHECK;
/* The content of a file. */
enum wf_rc wf_zone_read(struct wf_arena *arena, const char *name,
    const void *bytes, size_t length, const struct wf_zone **zone_out,
    struct wf_error *err) WF_MUSTCHECK;
/* The clocks that always differ from UTC by that many minutes. */
const struct wf_zone *wf_zone_fixed(struct wf_arena *arena, int32_t minutes);

/* The span that contains the instant; a neighbour may have the same offset. */
struct wf_zone_span wf_zone_span(const struct wf_zone *zone, int64_t instant);
int64_t wf_zone_local(const struct wf_zone *zone, int64_t instant);
/*
 * The instants at which the clocks show the local time, ascending: one; none
 * when they were put forward over it, and then instants[0] is when that was;
 * two when they were put back over it.
 */
unsigned wf_zone_instants(
    const struct wf_zone *zone, int64_t local, int64_t instants[static 2]);

#endif
