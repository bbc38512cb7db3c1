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
	const struct wf_calendar_resources all =
	    wf_calendar_resources(plan->organisation,
		wf_markup_child(node, "Resource"), plan->call->yawl.arena);
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
	if (plan->checks_only ||
	    (!plan->has_errors && write_changes(plan, &err) == WF_OK))
		return;
	if (!plan->has_errors)
		own->error = with(plan, "", err.message);
	for (size_t i = 0; i < plan->fate_count; i++) {
		plan->fates[i].change = 0;
		plan->fates[i].status = NULL;
	}
}

void wf_gateway_save_reservations(struct wf_gateway_call *call)
{
	const char *xml = wf_gateway_parameter(call, "plan");
	struct plan *plan = wf_arena_alloc(call->yawl.arena, sizeof(*plan));
	struct fate own = { .error = NULL };

	memset(plan, 0, sizeof(*plan));
	plan->call = call;
	plan->root = xml == NULL ? NULL : wf_yawl_parse(&call->yawl, xml);
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
