/* SPDX-License-Identifier: Apache-2.0 */
/* The calendar gateway: entries, and when a resource is available. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "data/deadline.h"
#include "data/xml_writer.h"
#include "worklist/absences.h"
#include "yawl/resource/calendar.h"

/* --- parameters ----------------------------------------------------------- */

static bool read_number(
    const struct wf_gateway_call *call, const char *name, int64_t *number_out)
{
	const char *text = wf_gateway_parameter(call, name);
	char *end;

	if (text == NULL || *text == '\0')
		return false;
	errno = 0;
	*number_out = strtoll(text, &end, 10);
	return *end == '\0' && errno == 0;
}

int64_t wf_calendar_number(
    const struct wf_gateway_call *call, const char *name, int64_t other)
{
	int64_t number;

	return read_number(call, name, &number) ? number : other;
}

static const char *text_or_empty(
    const struct wf_gateway_call *call, const char *name)
{
	const char *text = wf_gateway_parameter(call, name);

	return text == NULL ? "" : text;
}

/* Whether there is a participant or a thing with that id. */
static bool is_resource(struct wf_gateway_call *call, const char *id)
{
	struct wf_organisation *organisation = wf_gateway_organisation(call);
	bool is =
	    id != NULL &&
	    (wf_org_find(organisation, WF_ORG_PARTICIPANT, id) !=
		    WF_ORG_NOBODY ||
		wf_org_find(organisation, WF_ORG_THING, id) != WF_ORG_NOBODY);

	wf_organisation_unref(&organisation);
	return is;
}

/* The resource that a request is about; NULL: none that is known. */
static const char *find_resource(struct wf_gateway_call *call)
{
	static const struct {
		const char *group;
		const char *resource;
	} groups[] = {
		{ "AllResources", WF_ABSENCE_ALL },
		{ "HumanResources", WF_ABSENCE_PEOPLE },
		{ "NonHumanResources", WF_ABSENCE_THINGS },
	};
	const char *group = wf_gateway_parameter(call, "group");
	const char *id = wf_gateway_parameter(call, "id");

	for (size_t i = 0;
	     group != NULL && i < sizeof(groups) / sizeof(groups[0]); i++)
		if (strcmp(groups[i].group, group) == 0)
			return groups[i].resource;
	return is_resource(call, id) ? id : NULL;
}

/* --- entries -------------------------------------------------------------- */

static void put_entry(struct wf_buffer *xml, const struct wf_absence *absence)
{
	wf_buffer_puts(xml, "<calendarentry>");
	wf_xml_put_number(xml, "entryid", (int64_t)absence->id);
	wf_xml_put_element(xml, "resourceid", absence->resource);
	wf_xml_put_number(xml, "chainid", 0);
	wf_xml_put_number(xml, "from", absence->from);
	wf_xml_put_number(xml, "to", absence->to);
	wf_xml_put_element(xml, "status", absence->status);
	wf_xml_put_number(xml, "workload", absence->workload);
	wf_xml_put_element(xml, "agent", absence->agent);
	wf_xml_put_element(xml, "comment", absence->comment);
	wf_buffer_puts(xml, "</calendarentry>");
}

void wf_gateway_get_entries(struct wf_gateway_call *call)
{
	const char *resource = find_resource(call);
	struct wf_absence_list list;

	if (resource == NULL) {
		wf_gateway_fail(call, "Unknown Resource.");
		return;
	}
	list = wf_absences_of(call->yawl.server->absences, resource,
	    wf_calendar_number(call, "from", INT64_MIN),
	    wf_calendar_number(call, "to", INT64_MAX), call->yawl.arena);
	wf_buffer_puts(&call->yawl.out, "<entries>");
	for (size_t i = 0; i < list.count; i++)
		put_entry(&call->yawl.out, &list.rows[i]);
	wf_buffer_puts(&call->yawl.out, "</entries>");
	wf_gateway_answer(call);
}

static enum wf_rc put(struct wf_gateway_call *call, struct wf_absence *absence,
    struct wf_error *err)
{
	struct wf_server *server = call->yawl.server;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(server->engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_absence_put(
	    server->absences, store, absence, call->yawl.user, err);
	wf_engine_give_back(server->engine, store);
	return rc;
}

static void answer_refused(
    struct wf_gateway_call *call, const struct wf_error *err)
{
	if (err->rc == WF_CONFLICT)
		wf_gateway_fail(call, "Time(s) and/or workload values clash "
				      "with an existing entry");
	else
		wf_gateway_fail_error(call, err);
}

void wf_gateway_add_entry(struct wf_gateway_call *call)
{
	struct wf_absence absence = { .resource = find_resource(call),
		.workload = (unsigned)wf_calendar_number(call, "workload", 100),
		.agent = text_or_empty(call, "agent"),
		.comment = text_or_empty(call, "comment") };
	struct wf_error err = { .rc = WF_OK };

	if (absence.resource == NULL)
		wf_gateway_fail(call, "Unknown resource");
	else if (!read_number(call, "from", &absence.from) ||
		 !read_number(call, "to", &absence.to))
		wf_gateway_fail(call, "Failed to add Entry: from and to are "
				      "milliseconds since 1970.");
	else if (absence.to < absence.from)
		wf_gateway_fail(call, "Failed to add Entry: End time is "
				      "before Start time.");
	else if (put(call, &absence, &err) != WF_OK)
		answer_refused(call, &err);
	else
		wf_gateway_answer_text(call,
		    wf_arena_printf(call->yawl.arena, "%" PRIu64, absence.id));
}

/* Takes what the call gives; the rest stays as it is by then. */
static void update(void *context, struct wf_absence *absence)
{
	struct wf_gateway_call *call = context;

	absence->from = wf_calendar_number(call, "from", absence->from);
	absence->to = wf_calendar_number(call, "to", absence->to);
	absence->workload =
	    (unsigned)wf_calendar_number(call, "workload", absence->workload);
	if (wf_gateway_parameter(call, "comment") != NULL)
		absence->comment = text_or_empty(call, "comment");
}

void wf_gateway_update_entry(struct wf_gateway_call *call)
{
	struct wf_server *server = call->yawl.server;
	struct wf_error err = { .rc = WF_OK };
	int64_t id = wf_calendar_number(call, "entryid", 0);
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(server->engine, &store, &err);

	if (rc == WF_OK) {
		rc = wf_absence_edit(server->absences, store, (uint64_t)id,
		    update, call, call->yawl.user, &err);
		wf_engine_give_back(server->engine, store);
	}
	if (rc == WF_OK)
		wf_gateway_succeed(call);
	else if (rc == WF_NOT_FOUND)
		wf_gateway_fail(
		    call, "Failed to update calendar: invalid entry id");
	else
		answer_refused(call, &err);
}

void wf_gateway_delete_entry(struct wf_gateway_call *call)
{
	struct wf_server *server = call->yawl.server;
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	int64_t id;
	enum wf_rc rc;

	if (!read_number(call, "entryid", &id)) {
		wf_gateway_fail(
		    call, "Failed to delete calendar entry: invalid id");
		return;
	}
	rc = wf_engine_borrow(server->engine, &store, &err);
	if (rc == WF_OK) {
		rc = wf_absence_remove(server->absences, store, (uint64_t)id,
		    call->yawl.user, &err);
		wf_engine_give_back(server->engine, store);
	}
	if (rc == WF_OK)
		wf_gateway_succeed(call);
	else if (rc == WF_NOT_FOUND)
		wf_gateway_fail(
		    call, "Unknown calendar entry id: %" PRId64, id);
	else
		wf_gateway_fail_error(call, &err);
}

/* --- availability --------------------------------------------------------- */

/* What a resource's own entries and those of all resources take. */
struct taken {
	struct wf_absence_list lists[3]; /* the first one are its own */
};

static void read_shared(struct wf_gateway_call *call, const char *id,
    int64_t from, int64_t to, struct taken *taken)
{
	struct wf_absences *absences = call->yawl.server->absences;
	struct wf_arena *arena = call->yawl.arena;
	struct wf_organisation *organisation = wf_gateway_organisation(call);
	bool is_person =
	    wf_org_find(organisation, WF_ORG_PARTICIPANT, id) != WF_ORG_NOBODY;

	wf_organisation_unref(&organisation);
	taken->lists[0].count = 0;
	taken->lists[1] =
	    wf_absences_of(absences, WF_ABSENCE_ALL, from, to, arena);
	taken->lists[2] = wf_absences_of(absences,
	    is_person ? WF_ABSENCE_PEOPLE : WF_ABSENCE_THINGS, from, to, arena);
}

static void read_taken(struct wf_gateway_call *call, const char *id,
    int64_t from, int64_t to, struct taken *taken)
{
	read_shared(call, id, from, to, taken);
	taken->lists[0] = wf_absences_of(
	    call->yawl.server->absences, id, from, to, call->yawl.arena);
}

/* Percent that are taken at that time, and when that changes. */
static unsigned taken_at(const struct taken *taken, int64_t at, int64_t *until)
{
	unsigned sum = 0;

	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < taken->lists[i].count; k++) {
			const struct wf_absence *a = &taken->lists[i].rows[k];

			if (a->from <= at && at < a->to)
				sum += a->workload;
			if (a->from > at && a->from < *until)
				*until = a->from;
			if (a->to > at && a->to < *until)
				*until = a->to;
		}
	return sum;
}

void wf_calendar_put_slots(
    struct wf_gateway_call *call, const char *id, int64_t from, int64_t to)
{
	struct wf_buffer *xml = &call->yawl.out;
	int64_t at = from;
	struct taken taken;

	read_taken(call, id, from, to, &taken);
	while (at < to) {
		int64_t until = to;
		unsigned sum = taken_at(&taken, at, &until);

		if (sum < 100) {
			wf_buffer_puts(xml, "<timeslot>");
			wf_xml_put_number(xml, "start", at);
			wf_xml_put_number(xml, "end", until);
			wf_xml_put_element(xml, "status",
			    sum == 0 ? "available" : "unavailable");
			wf_xml_put_number(xml, "availability", 100 - sum);
			wf_buffer_puts(xml, "</timeslot>");
		}
		at = until;
	}
}

bool wf_calendar_is_free(struct wf_gateway_call *call, const char *id,
    int64_t from, int64_t to, unsigned workload)
{
	struct taken taken;
	int64_t at = from;

	read_shared(call, id, from, to, &taken);
	while (at < to) {
		int64_t until = to;

		if (taken_at(&taken, at, &until) + workload > 100)
			return false;
		at = until;
	}
	return true;
}

void wf_gateway_get_availability(struct wf_gateway_call *call)
{
	const char *id = wf_gateway_parameter(call, "id");
	int64_t now = wf_engine_now(call->yawl.server->engine);
	int64_t from = wf_calendar_number(call, "from", now);

	if (!is_resource(call, id)) {
		wf_gateway_fail(call, "Unknown Resource.");
		return;
	}
	wf_buffer_puts(&call->yawl.out, "<timeslots");
	wf_xml_put_attribute(&call->yawl.out, "id", id);
	wf_buffer_putc(&call->yawl.out, '>');
	wf_calendar_put_slots(
	    call, id, from, wf_calendar_number(call, "to", from));
	wf_buffer_puts(&call->yawl.out, "</timeslots>");
	wf_gateway_answer(call);
}

/* Answers how long it is; nothing is reserved, so nothing is blocked after. */
void wf_gateway_set_blocked(struct wf_gateway_call *call)
{
	const char *text = wf_gateway_text(call, "duration");
	struct wf_deadline deadline;
	int64_t at;

	if (!is_resource(call, wf_gateway_parameter(call, "id")))
		wf_gateway_fail(call, "Unknown Resource.");
	else if (!wf_deadline_parse(text, strlen(text), 0, &deadline) ||
		 deadline.is_instant ||
		 !wf_deadline_at(&deadline, 0, 0, NULL, &at))
		wf_gateway_fail(call, "'%s' is no duration.", text);
	else
		wf_gateway_answer_text(
		    call, wf_arena_printf(call->yawl.arena, "%" PRId64, at));
}
