/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the elements of a net. */
#include "spec/writer.h"

#include <stdio.h>
#include <string.h>

/* --- Flows --- */

static void write_flow(
    struct wf_spec_writer *writer, const struct wf_flow *flow)
{
	char ordering[16];

	wf_writer_open(writer, "flowsInto");
	wf_writer_body(writer);
	wf_writer_empty(writer, "nextElementRef", "id", flow->target);
	if (flow->predicate != NULL) {
		const char *text = flow->predicate->text;

		wf_writer_open(writer, "predicate");
		if (flow->has_ordering) {
			snprintf(
			    ordering, sizeof(ordering), "%d", flow->ordering);
			wf_writer_attribute(writer, "ordering", ordering);
		}
		wf_buffer_putc(writer->text, '>');
		wf_buffer_escape(writer->text, text, strlen(text), false);
		wf_buffer_puts(writer->text, "</predicate>\n");
	}
	wf_writer_flag(writer, "isDefaultFlow", flow->is_default);
	wf_writer_text(writer, "documentation", flow->documentation);
	wf_writer_end(writer, "flowsInto");
}

/* The position of the first flow of a condition. */
static uint32_t first_flow(const struct wf_net *net, uint32_t condition)
{
	uint32_t low = 0;
	uint32_t high = net->condition_flow_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (net->condition_flows[middle].condition < condition)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void write_condition(struct wf_spec_writer *writer,
    const struct wf_net *net, const struct wf_condition *condition)
{
	static const char *const names[] = {
		[WF_PLACE] = "condition",
		[WF_INPUT_CONDITION] = "inputCondition",
		[WF_OUTPUT_CONDITION] = "outputCondition",
	};
	const char *name = names[condition->kind];

	wf_writer_open(writer, name);
	wf_writer_attribute(writer, "id", condition->id);
	wf_writer_body(writer);
	wf_writer_text(writer, "name", condition->name);
	wf_writer_text(writer, "documentation", condition->documentation);
	for (uint32_t i = first_flow(net, condition->number);
	     i < net->condition_flow_count &&
	     net->condition_flows[i].condition == condition->number;
	     i++)
		write_flow(writer, &net->condition_flows[i]);
	wf_writer_end(writer, name);
}

/* --- The parts of a task --- */

static const char *control_code(enum wf_control control)
{
	static const char *const codes[] = {
		[WF_AND] = "and",
		[WF_XOR] = "xor",
		[WF_OR] = "or",
	};

	return codes[control];
}

static void write_cancellation(
    struct wf_spec_writer *writer, const struct wf_task *task)
{
	for (size_t i = 0; i < task->removes_tokens_count; i++)
		wf_writer_empty(
		    writer, "removesTokens", "id", task->removes_tokens[i]);
	for (size_t i = 0; i < task->removes_flows_count; i++) {
		wf_writer_open(writer, "removesTokensFromFlow");
		wf_writer_body(writer);
		wf_writer_empty(
		    writer, "flowSource", "id", task->removes_flows[i][0]);
		wf_writer_empty(
		    writer, "flowDestination", "id", task->removes_flows[i][1]);
		wf_writer_end(writer, "removesTokensFromFlow");
	}
}

static void write_mappings(struct wf_spec_writer *writer, const char *name,
    const struct wf_mapping *mappings, uint32_t count)
{
	if (count == 0)
		return;
	wf_writer_open(writer, name);
	wf_writer_body(writer);
	for (uint32_t i = 0; i < count; i++) {
		wf_writer_open(writer, "mapping");
		wf_writer_body(writer);
		wf_writer_empty(
		    writer, "expression", "query", mappings[i].expression.text);
		wf_writer_text(writer, "mapsTo", mappings[i].target);
		wf_writer_end(writer, "mapping");
	}
	wf_writer_end(writer, name);
}

static void write_timer(
    struct wf_spec_writer *writer, const struct wf_timer *timer)
{
	if (timer == NULL)
		return;
	wf_writer_open(writer, "timer");
	wf_writer_body(writer);
	wf_writer_text(writer, "netparam", timer->net_variable);
	if (timer->has_trigger)
		wf_writer_text(writer, "trigger",
		    timer->trigger == WF_TIMER_ON_ENABLED ? "OnEnabled"
							  : "OnExecuting");
	wf_writer_text(writer, "expiry", timer->expiry);
	wf_writer_text(writer, "duration", timer->duration);
	if (timer->ticks != NULL) {
		wf_writer_open(writer, "durationparams");
		wf_writer_body(writer);
		wf_writer_text(writer, "ticks", timer->ticks);
		wf_writer_text(writer, "interval", timer->interval);
		wf_writer_end(writer, "durationparams");
	}
	if (timer->work_days)
		wf_writer_text(writer, "workdays", "true");
	wf_writer_end(writer, "timer");
}

static void write_multiple(
    struct wf_spec_writer *writer, const struct wf_multi_instance *multi)
{
	if (multi == NULL)
		return;
	wf_writer_text(writer, "minimum", multi->minimum.text);
	wf_writer_text(writer, "maximum", multi->maximum.text);
	wf_writer_text(writer, "threshold", multi->threshold.text);
	wf_writer_empty(writer, "creationMode", "code",
	    multi->is_dynamic ? "dynamic" : "static");
	if (multi->has_input) {
		wf_writer_open(writer, "miDataInput");
		wf_writer_body(writer);
		wf_writer_empty(
		    writer, "expression", "query", multi->input.text);
		wf_writer_empty(writer, "splittingExpression", "query",
		    multi->splitter.text);
		wf_writer_text(writer, "formalInputParam", multi->input_name);
		wf_writer_end(writer, "miDataInput");
	}
	if (multi->has_output) {
		wf_writer_open(writer, "miDataOutput");
		wf_writer_body(writer);
		wf_writer_empty(writer, "formalOutputExpression", "query",
		    multi->formal_output.text);
		wf_writer_empty(writer, "outputJoiningExpression", "query",
		    multi->joiner.text);
		wf_writer_text(
		    writer, "resultAppliedToLocalVariable", multi->result_name);
		wf_writer_end(writer, "miDataOutput");
	}
}

static void write_task(
    struct wf_spec_writer *writer, const struct wf_task *task)
{
	wf_writer_open(writer, "task");
	wf_writer_attribute(writer, "id", task->id);
	if (task->multi != NULL)
		wf_writer_attribute(writer, "xsi:type",
		    "MultipleInstanceExternalTaskFactsType");
	wf_writer_attributes(writer, task->attributes, task->attribute_count);
	wf_writer_body(writer);
	wf_writer_text(writer, "name", task->name);
	wf_writer_text(writer, "documentation", task->documentation);
	for (uint32_t i = 0; i < task->flow_count; i++)
		write_flow(writer, &task->flows[i]);
	wf_writer_empty(writer, "join", "code", control_code(task->join));
	wf_writer_empty(writer, "split", "code", control_code(task->split));
	wf_writer_markup(writer, task->default_configuration);
	wf_writer_markup(writer, task->configuration);
	write_cancellation(writer, task);
	write_mappings(
	    writer, "startingMappings", task->starting, task->starting_count);
	write_mappings(writer, "completedMappings", task->completed,
	    task->completed_count);
	write_mappings(writer, "enablementMappings", task->enablement,
	    task->enablement_count);
	write_timer(writer, task->timer);
	wf_writer_markup(writer, task->resourcing);
	wf_writer_text(writer, "customForm", task->custom_form);
	if (task->decomposition != NULL)
		wf_writer_empty(
		    writer, "decomposesTo", "id", task->decomposition->id);
	write_multiple(writer, task->multi);
	wf_writer_end(writer, "task");
}

void wf_writer_net(struct wf_spec_writer *writer, const struct wf_net *net)
{
	wf_writer_open(writer, "processControlElements");
	wf_writer_body(writer);
	write_condition(writer, net, &net->conditions[net->input_condition]);
	for (uint32_t i = 0; i < net->task_count; i++)
		write_task(writer, &net->tasks[i]);
	for (uint32_t i = 0; i < net->condition_count; i++)
		if (net->conditions[i].kind == WF_PLACE)
			write_condition(writer, net, &net->conditions[i]);
	write_condition(writer, net, &net->conditions[net->output_condition]);
	wf_writer_end(writer, "processControlElements");
}
