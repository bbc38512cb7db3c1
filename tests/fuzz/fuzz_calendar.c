/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the file of a time zone, or as a calendar in JSON.  What is read
 * must hold together: spans follow each other, local times lead back to their
 * instants, working time that is added can be measured.
 */
#include <string.h>

#include "base/panic.h"
#include "data/calendar/calendar.h"
#include "data/calendar/zone.h"

#define DAY INT64_C(86400000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk_zone(const struct wf_zone *zone)
{
	struct wf_zone_span span = wf_zone_span(zone, -3000000 * DAY);

	for (unsigned i = 0; i < 500 && span.until < 3000000 * DAY; i++) {
		struct wf_zone_span next = wf_zone_span(zone, span.until);
		int64_t local = next.from + next.offset;
		int64_t instants[2];
		unsigned count = wf_zone_instants(zone, local, instants);

		wf_assert(next.from == span.until && next.until > next.from);
		wf_assert(count <= 2);
		for (unsigned k = 0; k < count; k++)
			wf_assert(wf_zone_local(zone, instants[k]) == local);
		span = next;
	}
}

static void measure(const struct wf_calendar *calendar)
{
	for (int64_t day = 20000; day < 20800; day += 97) {
		int64_t duration = (day % 7 - 3) * DAY / 5;
		int64_t at;
		int64_t between;

		if (!wf_calendar_add(calendar, day * DAY, duration, &at))
			continue;
		wf_assert(
		    wf_calendar_between(calendar, day * DAY, at, &between));
		wf_assert(between == duration);
		if (wf_calendar_next(calendar, at, &between))
			wf_assert(between > at);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wf_arena *arena = wf_arena_new();
	const struct wf_zone *zone;
	const struct wf_calendar *calendar;

	if (wf_zone_read(arena, "fuzz", data, size, &zone, NULL) == WF_OK)
		walk_zone(zone);
	if (wf_calendar_read(arena, (const char *)data, size, NULL, NULL,
		&calendar, NULL) == WF_OK)
		measure(calendar);
	wf_arena_free(&arena);
	return 0;
}
