/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a running case: its specification, data and tokens. */
#include <string.h>

#include "data/xml_writer.h"
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
};

static void inspect_case(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct inspection *inspection = context;

	inspection->is_live = !stored->ended;
	if (inspection->is_live)
		inspection->how(inspection, instance);
}

/*
 * Calls how with the running case that caseID names, and answers with what how
 * wrote.  unknown: the failure's text when there is none, with %s for the id.
 */
static void answer_from_case(struct wf_yawl_call *call,
    void (*how)(struct inspection *inspection, const struct wf_case *instance),
    const char *unknown)
{
	const char *id = wf_yawl_parameter(call, "caseID");
	struct inspection inspection = { .call = call, .how = how, .id = id };
	struct wf_error err = { .rc = WF_OK };

	if (wf_yawl_find_case_of(call, id))
		(void)(wf_engine_inspect(call->server->engine,
			   call->known.number, inspect_case, &inspection,
			   &err) == WF_OK);
	if (err.rc != WF_OK && err.rc != WF_NOT_FOUND)
		wf_yawl_fail_error(call, &err);
	else if (!inspection.is_live || !inspection.found)
		wf_yawl_fail(call, unknown, id == NULL ? "null" : id);
	else
		wf_yawl_answer(call);
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

/* Local variables in YAWL's order, then the net's parameters. */
static void put_variables(
    struct wf_yawl_call *call, const struct wf_net_view *view)
{
	uint32_t count = view->net->variable_count;
	const char **names = wf_arena_array(call->arena, count, sizeof(*names));
	size_t *order = wf_arena_array(call->arena, count, sizeof(*order));
	uint32_t inputs = 0;

	while (inputs < count && view->net->variables[inputs].is_input)
		inputs++;
	for (uint32_t i = inputs; i < count; i++)
		names[i - inputs] = view->net->variables[i].name;
	wf_yawl_order(names, count - inputs, order, call->arena);
	for (uint32_t i = 0; i < count; i++) {
		size_t at = i < count - inputs ? inputs + order[i]
					       : i - (count - inputs);
		const struct wf_value *value = view->variables[at];

		if (value != NULL)
			wf_buffer_append(
			    &call->out, wf_value_text(value), value->length);
	}
}

void wf_yawl_put_net_data(
    struct wf_yawl_call *call, const struct wf_net_view *view)
{
	wf_buffer_printf(&call->out, "<%s>", view->net->root_name);
	put_variables(call, view);
	wf_buffer_printf(&call->out, "</%s>", view->net->root_name);
}

static void put_net_data(void *argument, const struct wf_net_view *view)
{
	struct inspection *inspection = argument;

	if (strcmp(view->case_id, inspection->id) != 0)
		return;
	inspection->found = true;
	wf_yawl_put_net_data(inspection->call, view);
}

static void put_data(
    struct inspection *inspection, const struct wf_case *instance)
{
	wf_case_nets(instance, put_net_data, inspection);
}

void wf_yawl_get_case_data(struct wf_yawl_call *call)
{
	const char *id = wf_yawl_parameter(call, "caseID");

	if (id == NULL || *id == '\0')
		wf_yawl_fail(call, "Received invalid case id '%s'.",
		    id == NULL ? "null" : id);
	else
		answer_from_case(call, put_data,
		    strchr(id, '.') == NULL
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
