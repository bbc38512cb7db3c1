/* SPDX-License-Identifier: Apache-2.0 */
/* What the actions of the calendar gateway share; private to yawl/resource/. */
#ifndef WF_YAWL_RESOURCE_CALENDAR_H
#define WF_YAWL_RESOURCE_CALENDAR_H

#include "worklist/absences.h"
#include "yawl/resource/gateway.h"

/* A parameter that is a number, or the other one. */
int64_t wf_calendar_number(
    const struct wf_gateway_call *call, const char *name, int64_t other);
/*
 * Appends a timeslot element for each time in which the resource, a participant
 * or a thing, is available at least in part; milliseconds since 1970.
 */
void wf_calendar_put_slots(
    struct wf_gateway_call *call, const char *id, int64_t from, int64_t to);
/*
 * Whether the entries of all resources of its sort leave so many percent of the
 * resource; its own entries do not count.
 */
bool wf_calendar_is_free(struct wf_gateway_call *call, const char *id,
    int64_t from, int64_t to, unsigned workload);

/* Participants and things, by their ids. */
struct wf_calendar_resources {
	const char **rows;
	size_t count;
};

/*
 * Those that an element "Resource" describes; none for a description that fits
 * none.  The ids are of the organisation and the arena.
 */
struct wf_calendar_resources wf_calendar_resources(
    const struct wf_organisation *organisation,
    const struct wf_markup *resource, struct wf_arena *arena);

#endif
