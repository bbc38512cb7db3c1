/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a running case: its specification, data and tokens. */
#include <string.h>

#include "data/xml_writer.h"
#include "history/case_reader.h"
#include "kernel/step.h"
#include "kernel/view.h"
#include "yawl/parameter.h"
#include "yawl/yawl.h"

/* --- inspecting ----------------------------------------------------------- */

struct inspection {
	struct wf_yawl_call *call;
	void (*how)(
	    struct inspection *inspection, const struct wf_case *instance);
	const char *id; /* of the net */
	bool is_live;
	bool found;
	/* The number and the steps of the net's case, and when each variable
	 * was assigned last, by its number; 0: never. */
	uint32_t net;
	uint32_t variable_count;
	uint64_t steps;
	uint64_t *assigned;
	uint64_t assignments;
	bool is_beginning; /* nothing has happened since a net began */
};

static void inspect_case(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct inspection *inspection = context;

	inspection->is_live = !stored->ended;
	inspection->steps = stored->row.version;
	if (inspection->is_live)
		inspection->how(inspection, instance);
}

/* Calls how with the running case that caseID names. */
static enum wf_rc inspect(struct inspection *inspection, struct wf_error *err)
{
	struct wf_yawl_call *call = inspection->call;

	if (!wf_yawl_find_case_of(call, inspection->id))
		return WF_NOT_FOUND;
	return wf_engine_inspect(call->server->engine, call->known.number,
	    inspect_case, inspection, err);
}

/* Answers with what was written; unknown: see below. */
static void answer(const struct inspection *inspection, enum wf_rc rc,
    const struct wf_error *err, const char *unknown)
{
	const char *id = inspection->id;

	if (rc != WF_OK && rc != WF_NOT_FOUND)
		wf_yawl_fail_error(inspection->call, err);
	else if (!inspection->is_live || !inspection->found)
		wf_yawl_fail(
		    inspection->call, unknown, id == NULL ? "null" : id);
	else
		wf_yawl_answer(inspection->call);
}

/*
 * Calls how with the running case that caseID names, and answers with what how
 * wrote.  unknown: the failure's text when there is none, with %s for the id.
 */
static void answer_from_case(struct wf_yawl_call *call,
    void (*how)(struct inspection *inspection, const struct wf_case *instance),
    const char *unknown)
{
	struct inspection inspection = { .call = call,
		.how = how,
		.id = wf_yawl_parameter(call, "caseID") };
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc = inspect(&inspection, &err);

	answer(&inspection, rc, &err, unknown);
}

/* --- its specification ---------------------------------------------------- */

static bool is_root(
    const struct inspection *inspection, const struct wf_case *instance)
{
	return strcmp(inspection->id, wf_case_id(instance)) == 0;
}

static void put_spec(
    struct inspection *inspection, const struct wf_case *instance)
{
	inspection->found = is_root(inspection, instance);
	wf_yawl_put_spec(&inspection->call->out, wf_case_spec(instance));
}

void wf_yawl_get_case_specification(struct wf_yawl_call *call)
{
	answer_from_case(
	    call, put_spec, "Running case with id (%s) not found.");
}

static void put_spec_id(
    struct inspection *inspection, const struct wf_case *instance)
{
	const struct wf_spec *spec = wf_case_spec(instance);

	inspection->found = is_root(inspection, instance);
	wf_yawl_put_spec_id(&inspection->call->out, spec->metadata.identifier,
	    spec->metadata.version, spec->uri);
}

void wf_yawl_get_case_specification_id(struct wf_yawl_call *call)
{
	answer_from_case(
	    call, put_spec_id, "Running case with id (%s) not found.");
}

/* --- data ----------------------------------------------------------------- */

/* Fills order_out: local variables in YAWL's order, then the parameters. */
static void order_first(
    const struct wf_net *net, size_t *order_out, struct wf_arena *arena)
{
	uint32_t count = net->variable_count;
	const char **names = wf_arena_array(arena, count, sizeof(*names));
	uint32_t inputs = 0;

	while (inputs < count && net->variables[inputs].is_input)
		inputs++;
	for (uint32_t i = inputs; i < count; i++)
		names[i - inputs] = net->variables[i].name;
	wf_yawl_order(names, count - inputs, order_out, arena);
	for (uint32_t i = 0; i < count - inputs; i++)
		order_out[i] += inputs;
	for (uint32_t i = 0; i < inputs; i++)
		order_out[count - inputs + i] = i;
}

/* Those that one event assigned, in the order of YAWL's hash table. */
static void order_together(const struct wf_net *net, size_t *order,
    size_t count, struct wf_arena *arena)
{
	const char **names = wf_arena_array(arena, count, sizeof(*names));
	size_t *places = wf_arena_array(arena, count, sizeof(*places));
	size_t *old = wf_arena_array(arena, count, sizeof(*old));

	memcpy(old, order, count * sizeof(*old));
	for (size_t i = 0; i < count; i++)
		names[i] = net->variables[old[i]].name;
	wf_yawl_order(names, count, places, arena);
	for (size_t i = 0; i < count; i++)
		order[i] = old[places[i]];
}

/* An assignment moves a variable to the end. */
static void order_assigned(const struct wf_net *net, const uint64_t *assigned,
    size_t *order, struct wf_arena *arena)
{
	uint32_t count = net->variable_count;
	uint32_t end;

	for (uint32_t i = 1; i < count; i++) {
		size_t moved = order[i];
		uint32_t at = i;

		for (; at > 0 && assigned[order[at - 1]] > assigned[moved];
		     at--)
			order[at] = order[at - 1];
		order[at] = moved;
	}
	for (uint32_t i = 0; i < count; i = end) {
		end = i + 1;
		while (
		    end < count && assigned[order[end]] == assigned[order[i]])
			end++;
		if (assigned[order[i]] > 0)
			order_together(net, order + i, end - i, arena);
	}
}

/* assigned: NULL if it is not known. */
static void put_variables(struct wf_yawl_call *call,
    const struct wf_net_view *view, const uint64_t *assigned)
{
	uint32_t count = view->net->variable_count;
	size_t *order = wf_arena_array(call->arena, count, sizeof(*order));

	order_first(view->net, order, call->arena);
	if (assigned != NULL)
		order_assigned(view->net, assigned, order, call->arena);
	for (uint32_t i = 0; i < count; i++) {
		const struct wf_value *value = view->variables[order[i]];

		if (value != NULL)
			wf_buffer_append(
			    &call->out, wf_value_text(value), value->length);
	}
}

static void put_net(struct wf_yawl_call *call, const struct wf_net_view *view,
    const uint64_t *assigned)
{
	wf_buffer_printf(&call->out, "<%s>", view->net->root_name);
	put_variables(call, view, assigned);
	wf_buffer_printf(&call->out, "</%s>", view->net->root_name);
}

void wf_yawl_put_net_data(
    struct wf_yawl_call *call, const struct wf_net_view *view)
{
	put_net(call, view, NULL);
}

/* The net with the id of the request: what is needed to read its history. */
static void note_net(void *argument, const struct wf_net_view *view)
{
	struct inspection *inspection = argument;

	if (strcmp(view->case_id, inspection->id) != 0)
		return;
	inspection->net = view->serial;
	inspection->variable_count = view->net->variable_count;
}

static void note_nets(
    struct inspection *inspection, const struct wf_case *instance)
{
	wf_case_nets(instance, note_net, inspection);
}

static void put_net_data(void *argument, const struct wf_net_view *view)
{
	struct inspection *inspection = argument;

	if (strcmp(view->case_id, inspection->id) != 0)
		return;
	inspection->found = true;
	put_net(inspection->call, view, inspection->assigned);
}

static void put_data(
    struct inspection *inspection, const struct wf_case *instance)
{
	wf_case_nets(instance, put_net_data, inspection);
}

static void note_assignment(void *context, const struct wf_event *event)
{
	struct inspection *inspection = context;

	inspection->is_beginning =
	    event->kind == WF_EVENT_NET_STARTED ||
	    (inspection->is_beginning &&
		(event->kind == WF_EVENT_VARIABLES_SET ||
		    event->kind == WF_EVENT_INSTANCES_COUNTED ||
		    event->kind == WF_EVENT_CONDITION_MARKED));
	/* The values of a case that was begun elsewhere are no assignment. */
	if (event->kind != WF_EVENT_VARIABLES_SET ||
	    event->net != inspection->net || inspection->is_beginning)
		return;
	inspection->assignments++;
	for (uint32_t i = 0; i < event->value_count; i++)
		if (event->values[i].variable < inspection->variable_count)
			inspection->assigned[event->values[i].variable] =
			    inspection->assignments;
}

/* Earlier assignments than of so many steps do not count. */
#define ORDER_STEPS 1000U
#define ORDER_PAGE 100U

/* What cannot be read leaves the variables in the order without it. */
static void read_assignments(struct inspection *inspection)
{
	struct wf_yawl_call *call = inspection->call;
	struct wf_engine *engine = call->server->engine;
	struct wf_history_list list = { .count = ORDER_PAGE };
	uint64_t after = inspection->steps > ORDER_STEPS
			     ? inspection->steps - ORDER_STEPS
			     : 0;
	struct wf_arena *page = wf_arena_new();
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, NULL);
	bool is_open = rc == WF_OK;

	while (rc == WF_OK && list.count == ORDER_PAGE) {
		wf_arena_reset(page);
		rc = wf_store_case_history(store, call->known.number, after,
		    ORDER_PAGE, page, &list, NULL);
		for (size_t i = 0; rc == WF_OK && i < list.count; i++)
			rc = wf_history_decode(&list.rows[i], NULL,
			    note_assignment, inspection, NULL);
		after += list.count;
	}
	if (is_open)
		wf_engine_give_back(engine, store);
	wf_arena_free(&page);
}

static void answer_with_data(struct wf_yawl_call *call, const char *unknown)
{
	struct inspection inspection = { .call = call,
		.how = note_nets,
		.id = wf_yawl_parameter(call, "caseID") };
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc = inspect(&inspection, &err);

	if (rc == WF_OK && inspection.net != 0) {
		inspection.assigned = wf_arena_array(call->arena,
		    inspection.variable_count, sizeof(*inspection.assigned));
		if (inspection.variable_count > 1)
			read_assignments(&inspection);
		inspection.how = put_data;
		rc = inspect(&inspection, &err);
	}
	answer(&inspection, rc, &err, unknown);
}

void wf_yawl_get_case_data(struct wf_yawl_call *call)
{
	const char *id = wf_yawl_parameter(call, "caseID");

	if (id == NULL || *id == '\0')
		wf_yawl_fail(call, "Received invalid case id '%s'.",
		    id == NULL ? "null" : id);
	else
		answer_with_data(
		    call, strchr(id, '.') == NULL
			      ? "There is no active case with id: %s"
			      : "Received invalid case id '%s'.");
}

/* --- where its tokens are ------------------------------------------------- */

static const char *class_of(const struct wf_condition *condition)
{
	switch (condition->kind) {
	case WF_INPUT_CONDITION:
		return "InputCondition";
	case WF_OUTPUT_CONDITION:
		return "OutputCondition";
	case WF_PLACE:
	case WF_IMPLICIT:
	default:
		return "Condition";
	}
}

static const char *or_null(const char *text)
{
	return text == NULL ? "null" : text;
}

static void put_condition(struct wf_buffer *xml, const struct wf_net_view *view,
    const struct wf_condition *condition)
{
	wf_buffer_printf(xml, "<condition id=\"%s:", class_of(condition));
	wf_xml_put_text(xml, condition->id);
	wf_buffer_putc(xml, '"');
	wf_xml_put_attribute(xml, "name", or_null(condition->name));
	wf_xml_put_attribute(
	    xml, "documentation", or_null(condition->documentation));
	wf_buffer_putc(xml, '>');
	for (uint32_t i = 0; i < view->tokens[condition->number]; i++)
		wf_xml_put_element(xml, "identifier", view->case_id);
	if (condition->postset_count > 0)
		wf_buffer_puts(xml, "<flowsInto>");
	for (uint32_t i = 0; i < condition->postset_count; i++) {
		wf_buffer_puts(xml, "<nextElementRef");
		wf_xml_put_attribute(
		    xml, "id", view->net->tasks[condition->postset[i]].id);
		wf_buffer_puts(xml, " documentation=\"\"/>");
	}
	if (condition->postset_count > 0)
		wf_buffer_puts(xml, "</flowsInto>");
	wf_buffer_puts(xml, "</condition>");
}

/* The conditions inside a task, each with the instances in it. */
enum inner { ACTIVE, ENTERED, EXECUTING, COMPLETE };

static bool is_in(enum inner inner, enum wf_item_status status)
{
	bool ended = status > WF_ITEM_SUSPENDED;

	switch (inner) {
	case ACTIVE:
		return true;
	case ENTERED:
		return status == WF_ITEM_FIRED;
	case EXECUTING:
		return !ended && status != WF_ITEM_FIRED;
	case COMPLETE:
	default:
		return ended;
	}
}

struct instances {
	struct wf_buffer *xml;
	const struct wf_net_view *view;
	const char *id; /* of the task */
	enum inner inner;
	bool begun; /* an instance was written */
};

static void put_instance(
    void *argument, uint32_t number, enum wf_item_status status)
{
	static const char *const names[] = { "mi_active", "mi_entered",
		"mi_executing", "mi_complete" };
	struct instances *in = argument;

	if (!is_in(in->inner, status))
		return;
	if (!in->begun) {
		wf_buffer_printf(
		    in->xml, "<internalCondition id=\"%s[", names[in->inner]);
		wf_xml_put_text(in->xml, in->id);
		wf_buffer_puts(in->xml, "]\">");
	}
	in->begun = true;
	wf_buffer_printf(in->xml, "<identifier>%s.%u</identifier>",
	    in->view->case_id, number);
}

static void put_inner(struct wf_buffer *xml, const struct wf_net_view *view,
    const struct wf_task *task, const char *id, enum inner inner)
{
	struct instances in = {
		.xml = xml, .view = view, .id = id, .inner = inner
	};

	wf_net_view_instances(view, task->number, put_instance, &in);
	if (in.begun)
		wf_buffer_puts(xml, "</internalCondition>");
}

static void put_task(struct wf_yawl_call *call, const struct wf_net_view *view,
    const struct wf_task *task)
{
	struct wf_buffer *xml = &call->out;
	const char *id = wf_arena_printf(call->arena, "%s:%s",
	    task->kind == WF_COMPOSITE_TASK ? "CompositeTask" : "AtomicTask",
	    task->id);

	wf_buffer_puts(xml, "<task");
	wf_xml_put_attribute(xml, "id", id);
	wf_xml_put_attribute(xml, "name",
	    task->decomposition == NULL ? "null" : task->decomposition->id);
	wf_buffer_putc(xml, '>');
	for (int inner = ACTIVE; inner <= COMPLETE; inner++)
		put_inner(xml, view, task, id, (enum inner)inner);
	wf_buffer_puts(xml, "</task>");
}

static void put_net_state(void *argument, const struct wf_net_view *view)
{
	struct wf_yawl_call *call = argument;

	for (uint32_t i = 0; i < view->net->condition_count; i++)
		if (view->tokens[i] > 0)
			put_condition(
			    &call->out, view, &view->net->conditions[i]);
	for (uint32_t i = 0; i < view->net->task_count; i++)
		if (wf_net_view_is_busy(view, i))
			put_task(call, view, &view->net->tasks[i]);
}

static void find_net(void *argument, const struct wf_net_view *view)
{
	struct inspection *inspection = argument;

	inspection->found |= strcmp(view->case_id, inspection->id) == 0;
}

/* In YAWL a sub-net is a case without a specification; its state is empty. */
static void put_state(
    struct inspection *inspection, const struct wf_case *instance)
{
	const struct wf_spec *spec = wf_case_spec(instance);
	struct wf_yawl_call *call = inspection->call;

	wf_case_nets(instance, find_net, inspection);
	if (!is_root(inspection, instance)) {
		wf_buffer_puts(&call->out, "<caseState/>");
		return;
	}
	wf_buffer_puts(&call->out, "<caseState");
	wf_xml_put_attribute(&call->out, "caseID", wf_case_id(instance));
	wf_xml_put_attribute(&call->out, "specID",
	    wf_arena_printf(call->arena, "%s - version %s%s", spec->uri,
		spec->metadata.version, wf_yawl_minor(spec->metadata.version)));
	wf_buffer_putc(&call->out, '>');
	wf_case_nets(instance, put_net_state, call);
	wf_buffer_puts(&call->out, "</caseState>");
}

void wf_yawl_get_case_state(struct wf_yawl_call *call)
{
	answer_from_case(call, put_state, "Case [%s] not found.");
}
