/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which resources the calendar gateway is asked about, and what of them is
 * reserved or free.  A resource is described by its id, by a role and a
 * capability, or by a category and a part of it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/time_text.h"
#include "data/xml_writer.h"
#include "yawl/resource/calendar.h"

/* --- resources ------------------------------------------------------------ */

static const char *text_in(
    struct wf_arena *arena, const struct wf_markup *node, const char *name)
{
	return wf_markup_text(arena, wf_markup_child(node, name));
}

static void add_people(struct wf_calendar_resources *all,
    const struct wf_organisation *o, const uint64_t *set)
{
	WF_BITSET_EACH (i, set, wf_people_words(o))
		all->rows[all->count++] =
		    wf_org_at(o, WF_ORG_PARTICIPANT, (uint32_t)i)->id;
}

/* Members of a role who have the capability; "": any. */
static void add_members(struct wf_calendar_resources *all,
    const struct wf_organisation *o, const char *role, const char *capability,
    struct wf_arena *arena)
{
	uint64_t *people = wf_people_new(o, arena);
	uint64_t *able = wf_people_new(o, arena);
	uint32_t number = wf_org_find_any(o, WF_ORG_ROLE, role);

	if (role[0] == '\0')
		wf_people_add_all(o, people);
	else if (number != WF_ORG_NOBODY)
		wf_people_add_role(o, people, number);
	number = wf_org_find_any(o, WF_ORG_CAPABILITY, capability);
	if (capability[0] == '\0')
		wf_people_add_all(o, able);
	else if (number != WF_ORG_NOBODY)
		wf_people_add_capability(o, able, number);
	WF_BITSET_EACH (i, people, wf_people_words(o))
		if (!wf_bitset_has(able, i))
			wf_bitset_remove(people, i);
	add_people(all, o, people);
}

static void add_things(struct wf_calendar_resources *all,
    const struct wf_organisation *o, const char *category, const char *part)
{
	uint32_t number = wf_org_find_any(o, WF_ORG_CATEGORY, category);
	struct wf_numbers things;

	if (number == WF_ORG_NOBODY)
		return;
	things = wf_org_sources(o, WF_THING_category, number);
	for (size_t i = 0; i < things.count; i++) {
		const struct wf_thing *thing =
		    (const struct wf_thing *)wf_org_at(
			o, WF_ORG_THING, things.rows[i]);

		if (part[0] == '\0' || strcmp(thing->part, part) == 0)
			all->rows[all->count++] = thing->record.id;
	}
}

struct wf_calendar_resources wf_calendar_resources(
    const struct wf_organisation *o, const struct wf_markup *resource,
    struct wf_arena *arena)
{
	const char *id = text_in(arena, resource, "Id");
	const char *role = text_in(arena, resource, "Role");
	const char *capability = text_in(arena, resource, "Capability");
	const char *category = text_in(arena, resource, "Category");
	struct wf_calendar_resources all = {
		wf_arena_array(arena,
		    wf_org_count(o, WF_ORG_PARTICIPANT) +
			wf_org_count(o, WF_ORG_THING) + 1,
		    sizeof(*all.rows)),
		0
	};

	if (id[0] != '\0') {
		if (wf_org_find(o, WF_ORG_PARTICIPANT, id) != WF_ORG_NOBODY ||
		    wf_org_find(o, WF_ORG_THING, id) != WF_ORG_NOBODY)
			all.rows[all.count++] = id;
	} else if (role[0] != '\0' || capability[0] != '\0') {
		add_members(&all, o, role, capability, arena);
	} else if (category[0] != '\0') {
		add_things(
		    &all, o, category, text_in(arena, resource, "SubCategory"));
	}
	return all;
}

/* --- their reservations --------------------------------------------------- */

/* By case, activity, time, id; entries that are no reservations come first. */
static int compare_entries(const void *a, const void *b)
{
	const struct wf_absence *one = a;
	const struct wf_absence *other = b;
	int order = strcmp(one->case_id, other->case_id);

	if (order == 0)
		order = strcmp(one->activity, other->activity);
	if (order == 0 && one->from != other->from)
		return one->from < other->from ? -1 : 1;
	if (order == 0 && one->to != other->to)
		return one->to < other->to ? -1 : 1;
	return order != 0	     ? order
	       : one->id < other->id ? -1
				     : one->id > other->id;
}

static bool is_same_case(
    const struct wf_absence *one, const struct wf_absence *other)
{
	return one != NULL && wf_absence_is_reserved(one) &&
	       strcmp(one->case_id, other->case_id) == 0;
}

static bool is_same_activity(
    const struct wf_absence *one, const struct wf_absence *other)
{
	return is_same_case(one, other) &&
	       strcmp(one->activity, other->activity) == 0 &&
	       one->from == other->from && one->to == other->to;
}

static void put_times(struct wf_buffer *xml, const struct wf_absence *entry)
{
	char text[WF_TIME_TEXT_BYTES];

	wf_xml_put_optional(xml, "ActivityName", entry->activity);
	wf_time_text(entry->from, text);
	wf_xml_put_element(xml, "From", text);
	wf_time_text(entry->to, text);
	wf_xml_put_element(xml, "To", text);
	wf_xml_put_optional(xml, "RequestType", entry->phase);
}

/* before: the entry before it; NULL: it is the first. */
static void put_entry(struct wf_buffer *xml, const struct wf_absence *before,
    const struct wf_absence *entry)
{
	if (before != NULL && !is_same_activity(before, entry))
		wf_buffer_puts(xml, "</Activity>");
	if (before != NULL && !is_same_case(before, entry))
		wf_buffer_puts(xml, "</ResourceUtilisationPlan>");
	if (!is_same_case(before, entry)) {
		wf_buffer_puts(xml, "<ResourceUtilisationPlan>");
		wf_xml_put_optional(xml, "CaseId", entry->case_id);
	}
	if (!is_same_activity(before, entry)) {
		wf_buffer_puts(xml, "<Activity>");
		put_times(xml, entry);
	}
	wf_buffer_puts(xml, "<Reservation>");
	wf_xml_put_element(xml, "Status", entry->status);
	wf_xml_put_number(xml, "Workload", entry->workload);
	wf_buffer_puts(xml, "<Resource>");
	wf_xml_put_element(xml, "Id", entry->resource);
	wf_buffer_puts(xml, "</Resource>");
	wf_buffer_printf(
	    xml, "<ReservationId>%" PRIu64 "</ReservationId>", entry->id);
	wf_buffer_puts(xml, "</Reservation>");
}

/* The entries of the resources in that time, in the arena. */
static struct wf_absence_list read_entries(struct wf_gateway_call *call,
    const struct wf_calendar_resources *all, int64_t from, int64_t to)
{
	struct wf_arena *arena = call->yawl.arena;
	struct wf_absence_list found = { NULL, 0 };
	struct wf_absence_list *lists =
	    wf_arena_array(arena, all->count + 1, sizeof(*lists));
	size_t count = 0;

	for (size_t i = 0; i < all->count; i++) {
		lists[i] = wf_absences_of(
		    call->yawl.server->absences, all->rows[i], from, to, arena);
		count += lists[i].count;
	}
	found.rows = wf_arena_array(arena, count + 1, sizeof(*found.rows));
	for (size_t i = 0; i < all->count; i++)
		for (size_t k = 0; k < lists[i].count; k++)
			found.rows[found.count++] = lists[i].rows[k];
	qsort(found.rows, found.count, sizeof(*found.rows), compare_entries);
	return found;
}

/* The resources that a parameter describes; false: answered. */
static bool ask(struct wf_gateway_call *call, const char *parameter,
    struct wf_calendar_resources *all)
{
	const char *xml = wf_gateway_parameter(call, parameter);
	struct wf_organisation *organisation;
	const struct wf_markup *resource;

	if (xml == NULL) {
		wf_gateway_fail(call, "Null Resource record supplied.");
		return false;
	}
	resource = wf_yawl_parse(&call->yawl, xml);
	if (resource == NULL || !wf_markup_is(resource, "Resource")) {
		wf_gateway_fail(call,
		    "Invalid Resource record supplied - unable to parse.");
		return false;
	}
	organisation = wf_gateway_organisation(call);
	*all = wf_calendar_resources(organisation, resource, call->yawl.arena);
	for (size_t i = 0; i < all->count; i++)
		all->rows[i] = wf_arena_strdup(call->yawl.arena, all->rows[i]);
	wf_organisation_unref(&organisation);
	return true;
}

void wf_gateway_get_reservations(struct wf_gateway_call *call)
{
	struct wf_buffer *xml = &call->yawl.out;
	int64_t to = wf_calendar_number(call, "to", -1);
	struct wf_calendar_resources all;
	struct wf_absence_list list;

	if (!ask(call, "resource", &all))
		return;
	list = read_entries(call, &all, wf_calendar_number(call, "from", -1),
	    to <= 0 ? INT64_MAX : to);
	wf_buffer_puts(xml, "<UtilisationPlans>");
	for (size_t i = 0; i < list.count; i++)
		put_entry(
		    xml, i == 0 ? NULL : &list.rows[i - 1], &list.rows[i]);
	if (list.count > 0)
		wf_buffer_puts(xml, "</Activity></ResourceUtilisationPlan>");
	wf_buffer_puts(xml, "</UtilisationPlans>");
	wf_gateway_answer(call);
}

/* The times of each resource, one resource after the other. */
void wf_gateway_get_available(struct wf_gateway_call *call)
{
	int64_t now = wf_engine_now(call->yawl.server->engine);
	int64_t from = wf_calendar_number(call, "from", now);
	int64_t to = wf_calendar_number(call, "to", from);
	struct wf_calendar_resources all;

	if (!ask(call, "resourceXML", &all))
		return;
	wf_buffer_puts(&call->yawl.out, "<timeslots>");
	for (size_t i = 0; i < all.count; i++)
		wf_calendar_put_slots(call, all.rows[i], from, to);
	wf_buffer_puts(&call->yawl.out, "</timeslots>");
	wf_gateway_answer(call);
}
