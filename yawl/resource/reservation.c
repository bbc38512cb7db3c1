/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reservations: entries of the calendar for an activity of a case, as YAWL's
 * scheduling service saves them, in a utilisation plan:
 *
 *   <ResourceUtilisationPlan><CaseId/>
 *     <Activity><ActivityName/><From/><To/><RequestType/>
 *       <Reservation><StatusToBe/><Workload/>
 *         <Resource><Id/>|<Role/><Capability/>|<Category/><SubCategory/>
 *         </Resource><ReservationId/></Reservation>..
 *
 * All of a plan is saved, or nothing.  Reservations of an activity that its
 * plan has no more are removed.  The answer is the plan, with what became of
 * each reservation, and attributes "error" and "warning".
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/time_text.h"
#include "data/deadline.h"
#include "data/xml_writer.h"
#include "spec/markup.h"
#include "yawl/resource/calendar.h"

/* Of one plan, with its activities; removed ones come on top. */
#define RESERVATIONS 200U

/* What becomes of an element. */
struct fate {
	const char *error;   /* NULL: none */
	const char *warning; /* NULL likewise */
	const char *status;  /* of a reservation; NULL: as it says */
	size_t change;	     /* its place among the changes + 1; 0: none */
};

struct activity {
	const struct wf_markup *node;
	const char *name;
	const char *phase;
	int64_t from;
	int64_t to;
};

struct plan {
	struct wf_gateway_call *call;
	struct wf_organisation *organisation;
	const struct wf_markup *root;
	const char *case_id;
	bool checks_only;
	bool has_errors;
	struct fate fates[RESERVATIONS]; /* of elements, in order */
	size_t fate_count;
	struct wf_absence_change *changes;
	size_t change_count;
	size_t change_room;
};

/* --- the elements of a plan ----------------------------------------------- */

static const char *text_in(
    const struct plan *plan, const struct wf_markup *node, const char *name)
{
	return wf_markup_text(
	    plan->call->yawl.arena, wf_markup_child(node, name));
}

static struct wf_markup *parse(struct wf_gateway_call *call, const char *xml)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("");
	struct wf_markup *root =
	    wf_markup_parse(call->yawl.arena, xml, strlen(xml), diagnostics);

	wf_diagnostics_free(&diagnostics);
	return root;
}

/* As wf_markup_child() finds it. */
static bool is_element(const struct wf_markup *node, const char *name)
{
	return node->name != NULL && strcmp(node->name, name) == 0 &&
	       (node->parent == NULL ||
		   strcmp(node->space, node->parent->space) == 0);
}

static void fail(struct plan *plan, struct fate *fate, const char *text)
{
	fate->error = text;
	plan->has_errors = true;
}

static const char *with(
    const struct plan *plan, const char *words, const char *text)
{
	return wf_arena_printf(plan->call->yawl.arena, "%s%.200s", words, text);
}

/* False, with an error: it is no date and time. */
static bool read_time(struct plan *plan, const struct activity *activity,
    const char *name, struct fate *fate, int64_t *time_out)
{
	const char *text = text_in(plan, activity->node, name);
	struct wf_deadline deadline;

	if (wf_deadline_parse(text, strlen(text),
		wf_engine_timezone(plan->call->yawl.server->engine),
		&deadline) &&
	    deadline.is_instant) {
		*time_out = deadline.instant;
		return true;
	}
	fail(plan, fate, with(plan, "Invalid dateTime value: ", text));
	return false;
}

/* False, with an error: nothing can be reserved for it. */
static bool read_activity(struct plan *plan, const struct wf_markup *node,
    struct fate *fate, struct activity *activity)
{
	*activity = (struct activity){ .node = node,
		.name = text_in(plan, node, "ActivityName"),
		.phase = text_in(plan, node, "RequestType") };
	if (strcmp(activity->phase, "POU") != 0 &&
	    strcmp(activity->phase, "SOU") != 0 &&
	    strcmp(activity->phase, "EOU") != 0) {
		fail(plan, fate,
		    with(plan, "Invalid requestType: ", activity->phase));
		return false;
	}
	return read_time(plan, activity, "From", fate, &activity->from) &&
	       read_time(plan, activity, "To", fate, &activity->to);
}

/* --- resources ------------------------------------------------------------ */

/* Those that may be taken, by their ids. */
struct candidates {
	const char **rows;
	size_t count;
};

static void add_people(struct candidates *all, const struct wf_organisation *o,
    const uint64_t *set)
{
	WF_BITSET_EACH (i, set, wf_people_words(o))
		all->rows[all->count++] =
		    wf_org_at(o, WF_ORG_PARTICIPANT, (uint32_t)i)->id;
}

/* Members of a role who have the capability; "": any. */
static void add_members(struct candidates *all, const struct wf_organisation *o,
    const char *role, const char *capability, struct wf_arena *arena)
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

static void add_things(struct candidates *all, const struct wf_organisation *o,
    const char *category, const char *part)
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

static struct candidates find_resources(
    const struct plan *plan, const struct wf_markup *resource)
{
	const struct wf_organisation *o = plan->organisation;
	struct wf_arena *arena = plan->call->yawl.arena;
	const char *id = text_in(plan, resource, "Id");
	const char *role = text_in(plan, resource, "Role");
	const char *capability = text_in(plan, resource, "Capability");
	const char *category = text_in(plan, resource, "Category");
	struct candidates all = { wf_arena_array(arena,
				      wf_org_count(o, WF_ORG_PARTICIPANT) +
					  wf_org_count(o, WF_ORG_THING) + 1,
				      sizeof(*all.rows)),
		0 };

	if (id[0] != '\0') {
		if (wf_org_find(o, WF_ORG_PARTICIPANT, id) != WF_ORG_NOBODY ||
		    wf_org_find(o, WF_ORG_THING, id) != WF_ORG_NOBODY)
			all.rows[all.count++] = id;
	} else if (role[0] != '\0' || capability[0] != '\0') {
		add_members(&all, o, role, capability, arena);
	} else if (category[0] != '\0') {
		add_things(
		    &all, o, category, text_in(plan, resource, "SubCategory"));
	}
	return all;
}

/* --- reserving ------------------------------------------------------------ */

static bool is_status(const char *text)
{
	static const char *const texts[] = { "unavailable", "requested",
		"reserved", "busy" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strcmp(texts[i], text) == 0)
			return true;
	return false;
}

static struct wf_absence_change *add_change(struct plan *plan)
{
	plan->changes = wf_arena_grow(plan->call->yawl.arena, plan->changes,
	    plan->change_count, &plan->change_room, sizeof(*plan->changes));
	plan->changes[plan->change_count] =
	    (struct wf_absence_change){ .is_removed = false };
	return &plan->changes[plan->change_count++];
}

static bool is_changed(const struct plan *plan, uint64_t id)
{
	for (size_t i = 0; i < plan->change_count; i++)
		if (plan->changes[i].entry.id == id)
			return true;
	return false;
}

/* Tries the last change; takes it back, with an error, when it cannot be. */
static enum wf_rc try_change(struct plan *plan, struct wf_error *err)
{
	enum wf_rc rc = wf_absences_check(plan->call->yawl.server->absences,
	    plan->changes, plan->change_count, err);

	if (rc != WF_OK)
		plan->change_count--;
	return rc;
}

/* The workload of a reservation, or the other one; false: it is no number. */
static bool read_workload(
    const struct plan *plan, const struct wf_markup *node, unsigned *workload)
{
	const char *text = text_in(plan, node, "Workload");
	char *end;
	unsigned long number;

	if (text[0] == '\0')
		return true;
	number = strtoul(text, &end, 10);
	*workload = number > 100 ? 0 : (unsigned)number;
	return *end == '\0' && *workload > 0;
}

/* The first of the resources that is free. */
static void reserve(struct plan *plan, const struct activity *activity,
    const struct wf_markup *node, const char *status, unsigned workload,
    struct fate *fate)
{
	const struct candidates all =
	    find_resources(plan, wf_markup_child(node, "Resource"));
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc = WF_CONFLICT;

	if (all.count == 0) {
		fail(plan, fate, "Failed to resolve resource.");
		return;
	}
	for (size_t i = 0; rc == WF_CONFLICT && i < all.count; i++) {
		if (!wf_calendar_is_free(plan->call, all.rows[i],
			activity->from, activity->to, workload))
			continue;
		add_change(plan)->entry =
		    (struct wf_absence){ .resource = all.rows[i],
			    .from = activity->from,
			    .to = activity->to,
			    .workload = workload,
			    .agent = plan->call->yawl.user,
			    .comment = "",
			    .status = status,
			    .case_id = plan->case_id,
			    .activity = activity->name,
			    .phase = activity->phase };
		wf_error_clear(&err);
		rc = try_change(plan, &err);
	}
	if (rc == WF_OK)
		fate->change = plan->change_count;
	else if (rc != WF_CONFLICT)
		fail(plan, fate, with(plan, "", err.message));
	else if (plan->checks_only)
		fate->warning = "Reservation would fail.";
	else
		fail(plan, fate,
		    all.count == 1
			? "Specified resource not available for period."
			: "No specified resource available for period.");
	if (plan->checks_only)
		fate->status = rc == WF_OK ? "available" : "unavailable";
	else if (rc == WF_OK)
		fate->status = status;
}

/* The entry of the plan's case; false, with an error: there is none. */
static bool find_entry(struct plan *plan, const char *text, struct fate *fate,
    struct wf_absence *entry)
{
	char *end;
	uint64_t id;

	errno = 0;
	id = strtoull(text, &end, 10);
	if (errno != 0 || *end != '\0' || text[0] == '-') {
		fail(plan, fate, with(plan, "Invalid reservation id: ", text));
		return false;
	}
	if (id != 0 && is_changed(plan, id)) {
		fail(plan, fate, with(plan, "The plan has it twice: ", text));
		return false;
	}
	if (wf_absence_find(plan->call->yawl.server->absences, id,
		plan->call->yawl.arena, entry) &&
	    wf_absence_is_reserved(entry) &&
	    strcmp(entry->case_id, plan->case_id) == 0)
		return true;
	fail(plan, fate, with(plan, "Unknown reservation with id: ", text));
	return false;
}

static void change(struct plan *plan, const struct activity *activity,
    const struct wf_markup *node, const char *status, struct fate *fate)
{
	const char *id = text_in(plan, node, "ReservationId");
	struct wf_error err = { .rc = WF_OK };
	struct wf_absence entry;

	if (!find_entry(plan, id, fate, &entry))
		return;
	if (!read_workload(plan, node, &entry.workload)) {
		fail(plan, fate, "Workload: expected 1 to 100.");
		return;
	}
	entry.from = activity->from;
	entry.to = activity->to;
	entry.activity = activity->name;
	entry.phase = activity->phase;
	if (status[0] != '\0')
		entry.status = status;
	fate->status = entry.status;
	add_change(plan)->entry = entry;
	if (try_change(plan, &err) == WF_OK) {
		fate->change = plan->change_count;
	} else if (err.rc == WF_CONFLICT && plan->checks_only) {
		fate->status = "unavailable";
		fate->warning = "Reservation would fail.";
	} else {
		fail(plan, fate, with(plan, "", err.message));
	}
}

static void save(struct plan *plan, const struct activity *activity,
    const struct wf_markup *node, struct fate *fate)
{
	const char *status = text_in(plan, node, "StatusToBe");
	unsigned workload = 100;

	if (status[0] != '\0' && !is_status(status))
		fail(plan, fate,
		    with(plan, "Invalid status change request: ", status));
	else if (text_in(plan, node, "ReservationId")[0] != '\0')
		change(plan, activity, node, status, fate);
	else if (!read_workload(plan, node, &workload))
		fail(plan, fate, "Workload: expected 1 to 100.");
	else
		reserve(plan, activity, node,
		    status[0] == '\0' ? "requested" : status, workload, fate);
}

/* --- a plan --------------------------------------------------------------- */

static bool has_id(const struct plan *plan, uint64_t id)
{
	const char *wanted =
	    wf_arena_printf(plan->call->yawl.arena, "%" PRIu64, id);

	for (const struct wf_markup *node =
		 wf_markup_child(plan->root, "Activity");
	     node != NULL; node = wf_markup_next(node, "Activity"))
		for (const struct wf_markup *one =
			 wf_markup_child(node, "Reservation");
		     one != NULL; one = wf_markup_next(one, "Reservation"))
			if (strcmp(text_in(plan, one, "ReservationId"),
				wanted) == 0)
				return true;
	return false;
}

/* What an activity had reserved, and the plan has no more. */
static void cancel(struct plan *plan, const struct activity *activity)
{
	const struct wf_absence_list list =
	    wf_absences_reserved(plan->call->yawl.server->absences,
		plan->case_id, activity->name, plan->call->yawl.arena);

	for (size_t i = 0; i < list.count; i++) {
		struct wf_absence_change *removal;

		if (has_id(plan, list.rows[i].id) ||
		    is_changed(plan, list.rows[i].id))
			continue;
		removal = add_change(plan);
		removal->entry = list.rows[i];
		removal->is_removed = true;
	}
}

/* Each activity, then its reservations, have a fate. */
static void save_activity(struct plan *plan, const struct wf_markup *node)
{
	struct fate *fate = &plan->fates[plan->fate_count++];
	struct activity activity;
	bool good = read_activity(plan, node, fate, &activity);

	if (good)
		cancel(plan, &activity);
	for (const struct wf_markup *reservation =
		 wf_markup_child(node, "Reservation");
	     reservation != NULL;
	     reservation = wf_markup_next(reservation, "Reservation")) {
		fate = &plan->fates[plan->fate_count++];
		if (good)
			save(plan, &activity, reservation, fate);
	}
}

static size_t count_elements(const struct wf_markup *root)
{
	size_t count = 0;

	for (const struct wf_markup *node = wf_markup_child(root, "Activity");
	     node != NULL; node = wf_markup_next(node, "Activity")) {
		count++;
		for (const struct wf_markup *one =
			 wf_markup_child(node, "Reservation");
		     one != NULL; one = wf_markup_next(one, "Reservation"))
			count++;
	}
	return count;
}

static enum wf_rc write_changes(struct plan *plan, struct wf_error *err)
{
	struct wf_server *server = plan->call->yawl.server;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(server->engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_absences_change(server->absences, store, plan->changes,
	    plan->change_count, plan->call->yawl.user, err);
	wf_engine_give_back(server->engine, store);
	return rc;
}

/* Whether the case is one that runs. */
static bool is_running(struct wf_gateway_call *call, const char *id)
{
	struct wf_engine *engine = call->yawl.server->engine;
	struct wf_stored_case stored;
	struct wf_store *store;
	bool runs = false;

	if (!wf_yawl_find_case(&call->yawl, id) ||
	    wf_engine_borrow(engine, &store, NULL) != WF_OK)
		return false;
	runs = wf_store_case(store, call->yawl.known.number, false,
		   call->yawl.arena, &stored, NULL) == WF_OK &&
	       (stored.row.status == WF_CASE_RUNNING ||
		   stored.row.status == WF_CASE_SUSPENDED);
	wf_engine_give_back(engine, store);
	return runs;
}

/* --- the answer ----------------------------------------------------------- */

static void open_tag(
    struct wf_buffer *xml, const char *name, const struct fate *fate)
{
	wf_buffer_printf(xml, "<%s", name);
	if (fate->error != NULL)
		wf_xml_put_attribute(xml, "error", fate->error);
	if (fate->warning != NULL)
		wf_xml_put_attribute(xml, "warning", fate->warning);
	wf_buffer_putc(xml, '>');
}

static void put_resource(struct wf_buffer *xml, const struct wf_markup *node,
    const struct wf_absence *entry)
{
	wf_buffer_puts(xml, "<Resource>");
	if (entry != NULL)
		wf_xml_put_element(xml, "Id", entry->resource);
	for (const struct wf_markup *part = wf_markup_child(node, NULL);
	     part != NULL; part = wf_markup_next(part, NULL))
		if (entry == NULL || !is_element(part, "Id"))
			wf_markup_write(part, -1, NULL, xml);
	wf_buffer_puts(xml, "</Resource>");
}

static void put_reservation(const struct plan *plan,
    const struct wf_markup *node, const struct fate *fate)
{
	struct wf_buffer *xml = &plan->call->yawl.out;
	const struct wf_absence *entry =
	    fate->change == 0 ? NULL : &plan->changes[fate->change - 1].entry;
	bool is_saved = entry != NULL && entry->id != 0;

	open_tag(xml, "Reservation", fate);
	for (const struct wf_markup *part = wf_markup_child(node, NULL);
	     part != NULL; part = wf_markup_next(part, NULL)) {
		if (is_element(part, "Resource"))
			put_resource(xml, part, entry);
		else if (!(is_element(part, "Status") &&
			     fate->status != NULL) &&
			 !(is_element(part, "ReservationId") && is_saved))
			wf_markup_write(part, -1, NULL, xml);
	}
	if (fate->status != NULL)
		wf_xml_put_element(xml, "Status", fate->status);
	if (is_saved)
		wf_buffer_printf(xml,
		    "<ReservationId>%" PRIu64 "</ReservationId>", entry->id);
	wf_buffer_puts(xml, "</Reservation>");
}

static void put_activity(const struct plan *plan, const struct wf_markup *node,
    const struct fate **fate)
{
	struct wf_buffer *xml = &plan->call->yawl.out;

	open_tag(xml, "Activity", (*fate)++);
	for (const struct wf_markup *part = wf_markup_child(node, NULL);
	     part != NULL; part = wf_markup_next(part, NULL))
		if (is_element(part, "Reservation"))
			put_reservation(plan, part, (*fate)++);
		else
			wf_markup_write(part, -1, NULL, xml);
	wf_buffer_puts(xml, "</Activity>");
}

static void put_plan(const struct plan *plan, const struct fate *own)
{
	struct wf_buffer *xml = &plan->call->yawl.out;
	const struct fate *fate = plan->fates;

	open_tag(xml, "ResourceUtilisationPlan", own);
	for (const struct wf_markup *part = wf_markup_child(plan->root, NULL);
	     part != NULL; part = wf_markup_next(part, NULL))
		if (is_element(part, "Activity"))
			put_activity(plan, part, &fate);
		else
			wf_markup_write(part, -1, NULL, xml);
	wf_buffer_puts(xml, "</ResourceUtilisationPlan>");
}

/* What of a plan that is not saved has been done is nothing. */
static void save_plan(struct plan *plan, struct fate *own)
{
	struct wf_error err = { .rc = WF_OK };

	if (!is_running(plan->call, plan->case_id)) {
		own->error = with(
		    plan, "There is no running case with id: ", plan->case_id);
		return;
	}
	for (const struct wf_markup *node =
		 wf_markup_child(plan->root, "Activity");
	     node != NULL; node = wf_markup_next(node, "Activity"))
		save_activity(plan, node);
	if (plan->checks_only || plan->has_errors ||
	    write_changes(plan, &err) == WF_OK)
		return;
	own->error = with(plan, "", err.message);
	for (size_t i = 0; i < plan->fate_count; i++)
		plan->fates[i].change = 0;
}

void wf_gateway_save_reservations(struct wf_gateway_call *call)
{
	const char *xml = wf_gateway_parameter(call, "plan");
	struct plan *plan = wf_arena_alloc(call->yawl.arena, sizeof(*plan));
	struct fate own = { .error = NULL };

	memset(plan, 0, sizeof(*plan));
	plan->call = call;
	plan->root = xml == NULL ? NULL : parse(call, xml);
	if (plan->root == NULL ||
	    !is_element(plan->root, "ResourceUtilisationPlan")) {
		wf_gateway_fail(call, "Malformed Plan XML");
		return;
	}
	if (count_elements(plan->root) > RESERVATIONS) {
		wf_gateway_fail(call,
		    "A plan has at most %u activities and reservations.",
		    RESERVATIONS);
		return;
	}
	plan->case_id = text_in(plan, plan->root, "CaseId");
	plan->checks_only = wf_gateway_is_true(call, "checkOnly");
	plan->organisation = wf_gateway_organisation(call);
	save_plan(plan, &own);
	put_plan(plan, &own);
	wf_organisation_unref(&plan->organisation);
	wf_gateway_answer(call);
}

/* --- reading -------------------------------------------------------------- */

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
static struct wf_absence_list read_entries(const struct plan *plan,
    const struct candidates *all, int64_t from, int64_t to)
{
	struct wf_arena *arena = plan->call->yawl.arena;
	struct wf_absence_list found = { NULL, 0 };
	struct wf_absence_list *lists =
	    wf_arena_array(arena, all->count + 1, sizeof(*lists));
	size_t count = 0;

	for (size_t i = 0; i < all->count; i++) {
		lists[i] = wf_absences_of(plan->call->yawl.server->absences,
		    all->rows[i], from, to, arena);
		count += lists[i].count;
	}
	found.rows = wf_arena_array(arena, count + 1, sizeof(*found.rows));
	for (size_t i = 0; i < all->count; i++)
		for (size_t k = 0; k < lists[i].count; k++)
			found.rows[found.count++] = lists[i].rows[k];
	qsort(found.rows, found.count, sizeof(*found.rows), compare_entries);
	return found;
}

/* What a request asks about; false: answered. */
static bool ask(struct wf_gateway_call *call, const char *parameter,
    struct plan *plan, struct candidates *all)
{
	const char *xml = wf_gateway_parameter(call, parameter);
	const struct wf_markup *resource;

	memset(plan, 0, sizeof(*plan));
	plan->call = call;
	if (xml == NULL) {
		wf_gateway_fail(call, "Null Resource record supplied.");
		return false;
	}
	resource = parse(call, xml);
	if (resource == NULL || !is_element(resource, "Resource")) {
		wf_gateway_fail(call,
		    "Invalid Resource record supplied - unable to parse.");
		return false;
	}
	plan->organisation = wf_gateway_organisation(call);
	*all = find_resources(plan, resource);
	return true;
}

void wf_gateway_get_reservations(struct wf_gateway_call *call)
{
	struct wf_buffer *xml = &call->yawl.out;
	int64_t to = wf_calendar_number(call, "to", -1);
	struct candidates all;
	struct wf_absence_list list;
	struct plan *plan = wf_arena_alloc(call->yawl.arena, sizeof(*plan));

	if (!ask(call, "resource", plan, &all))
		return;
	list = read_entries(plan, &all, wf_calendar_number(call, "from", -1),
	    to <= 0 ? INT64_MAX : to);
	wf_buffer_puts(xml, "<UtilisationPlans>");
	for (size_t i = 0; i < list.count; i++)
		put_entry(
		    xml, i == 0 ? NULL : &list.rows[i - 1], &list.rows[i]);
	if (list.count > 0)
		wf_buffer_puts(xml, "</Activity></ResourceUtilisationPlan>");
	wf_buffer_puts(xml, "</UtilisationPlans>");
	wf_organisation_unref(&plan->organisation);
	wf_gateway_answer(call);
}

/* The times of each resource, one resource after the other. */
void wf_gateway_get_available(struct wf_gateway_call *call)
{
	int64_t now = wf_engine_now(call->yawl.server->engine);
	int64_t from = wf_calendar_number(call, "from", now);
	int64_t to = wf_calendar_number(call, "to", from);
	struct candidates all;
	struct plan *plan = wf_arena_alloc(call->yawl.arena, sizeof(*plan));

	if (!ask(call, "resourceXML", plan, &all))
		return;
	wf_buffer_puts(&call->yawl.out, "<timeslots>");
	for (size_t i = 0; i < all.count; i++)
		wf_calendar_put_slots(call, all.rows[i], from, to);
	wf_buffer_puts(&call->yawl.out, "</timeslots>");
	wf_organisation_unref(&plan->organisation);
	wf_gateway_answer(call);
}
