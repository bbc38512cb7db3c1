/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of data: every input parameter gets a value, no variable is
 * written twice by one task, none is read before it has a value.
 */
#include "spec/reader.h"

#include <string.h>

/* --- Mappings in --- */

static void check_starting(struct wf_spec_reader *reader,
    const struct wf_task *task, const char *label, uint32_t *uses)
{
	const struct wf_decomposition *d = task->decomposition;

	for (uint32_t i = 0; i < task->starting_count; i++) {
		const struct wf_mapping *mapping = &task->starting[i];

		if (mapping->variable == UINT32_MAX)
			WF_SPEC_FAULT(reader, mapping->expression.line, label,
			    "starting mapping to %s: expected an input "
			    "parameter of %s",
			    mapping->target, d->id);
		else
			uses[mapping->variable]++;
	}
}

static void check_inputs(struct wf_spec_reader *reader,
    const struct wf_task *task, const char *label)
{
	const struct wf_decomposition *d = task->decomposition;
	const struct wf_multi_instance *multi = task->multi;
	uint32_t *uses = wf_calloc(d->input_count + 1, sizeof(*uses));

	check_starting(reader, task, label, uses);
	if (multi != NULL && multi->has_input) {
		if (multi->formal_input != UINT32_MAX)
			uses[multi->formal_input]++;
		else if (multi->input_name != NULL)
			WF_SPEC_FAULT(reader, multi->input.line, label,
			    "its multi-instance input goes to %s: expected an "
			    "input parameter of %s",
			    multi->input_name, d->id);
	}
	for (size_t i = 0; i < d->input_count; i++) {
		if (uses[i] > 1)
			WF_SPEC_ERROR(reader, task->line, label,
			    "the input parameter %s of %s is mapped twice: "
			    "expected one mapping",
			    d->inputs[i].name, d->id);
		if (uses[i] == 0 && !d->inputs[i].optional)
			WF_SPEC_ERROR(reader, task->line, label,
			    "the input parameter %s of %s has no mapping: "
			    "expected one",
			    d->inputs[i].name, d->id);
	}
	wf_free(uses);
}

/* --- Mappings out --- */

static void check_outputs(struct wf_spec_reader *reader,
    const struct wf_net *net, const struct wf_task *task, const char *label)
{
	const struct wf_multi_instance *multi = task->multi;
	struct wf_map *seen = wf_map_new();

	for (uint32_t i = 0; i < task->completed_count; i++) {
		const struct wf_mapping *mapping = &task->completed[i];

		if (mapping->variable == UINT32_MAX)
			WF_SPEC_ERROR(reader, mapping->expression.line, label,
			    "completed mapping to %s: expected a variable of "
			    "net %s",
			    mapping->target, net->decomposition->id);
		wf_map_add(seen, mapping->target, seen);
	}
	if (multi != NULL && multi->result_name != NULL) {
		if (multi->result == UINT32_MAX)
			WF_SPEC_ERROR(reader, multi->joiner.line, label,
			    "its multi-instance output goes to %s: expected a "
			    "variable of net %s",
			    multi->result_name, net->decomposition->id);
		if (wf_map_get(seen, multi->result_name) != NULL)
			WF_SPEC_ERROR(reader, multi->joiner.line, label,
			    "the variable %s takes both its multi-instance "
			    "output and a completed mapping: expected one",
			    multi->result_name);
	}
	wf_map_free(&seen);
}

static void check_enablement(struct wf_spec_reader *reader,
    const struct wf_task *task, const char *label)
{
	for (uint32_t i = 0; i < task->enablement_count; i++) {
		const struct wf_mapping *mapping = &task->enablement[i];

		if (mapping->variable == UINT32_MAX)
			WF_SPEC_WARN(reader, mapping->expression.line, label,
			    "enablement mapping to %s, which is no enablement "
			    "parameter of %s: it has no meaning",
			    mapping->target, task->decomposition->id);
	}
}

static void check_timer(struct wf_spec_reader *reader, const struct wf_net *net,
    const struct wf_task *task, const char *label)
{
	const char *name = task->timer->net_variable;

	if (name != NULL && wf_spec_number(net->variable_numbers, name,
				strlen(name)) == UINT32_MAX)
		WF_SPEC_WARN(reader, task->timer->line, label,
		    "its timer is set by %s, which is no variable of net %s: "
		    "it will never start",
		    name, net->decomposition->id);
}

/* --- Variables read before they have a value --- */

/* Larger nets times variables are not searched. */
#define SEARCH_LIMIT 50000000U

/* The search for one variable through one net. */
struct trace {
	const struct wf_net *net;
	uint32_t variable;
	/* Conditions a token may reach while the variable has no value. */
	bool *conditions;
	uint32_t *arrived; /* of each task: how many of its preset */
	bool *tasks;	   /* that may start so */
	uint32_t *waiting; /* conditions */
	size_t count;
};

/* Which variables the starting mappings of a net read, and where first. */
struct reads {
	const struct wf_net *net;
	const struct wf_task *task;
	uint32_t variable; /* the one asked for */
	bool found;
	bool *any; /* by variable: read somewhere in the net */
};

static void note_read(
    void *argument, const char *root, const char *child, int line, int column)
{
	struct reads *reads = argument;
	uint32_t number;

	(void)line;
	(void)column;
	if (strcmp(root, reads->net->root_name) != 0)
		return;
	number =
	    wf_spec_number(reads->net->variable_numbers, child, strlen(child));
	if (number == UINT32_MAX)
		return;
	if (reads->any != NULL)
		reads->any[number] = true;
	if (number == reads->variable)
		reads->found = true;
}

static void read_paths(struct reads *reads, const struct wf_task *task)
{
	for (uint32_t i = 0; i < task->starting_count; i++)
		if (task->starting[i].expression.query != NULL)
			wf_query_paths(task->starting[i].expression.query,
			    note_read, reads);
	if (task->multi != NULL && task->multi->input.query != NULL)
		wf_query_paths(task->multi->input.query, note_read, reads);
}

static bool assigns(const struct wf_task *task, uint32_t variable)
{
	for (uint32_t i = 0; i < task->completed_count; i++)
		if (task->completed[i].variable == variable)
			return true;
	return task->multi != NULL && task->multi->has_output &&
	       task->multi->result == variable;
}

static void reach(struct trace *trace, uint32_t condition)
{
	if (trace->conditions[condition])
		return;
	trace->conditions[condition] = true;
	trace->waiting[trace->count++] = condition;
}

/* An AND-join starts so only if nothing on any of its ways gave a value. */
static void arrive(struct trace *trace, uint32_t number)
{
	const struct wf_task *task = &trace->net->tasks[number];
	uint32_t needed = task->join == WF_AND ? task->preset_count : 1;

	trace->arrived[number]++;
	if (trace->tasks[number] || trace->arrived[number] < needed)
		return;
	trace->tasks[number] = true;
	if (assigns(task, trace->variable))
		return;
	for (uint32_t i = 0; i < task->postset_count; i++)
		reach(trace, task->postset[i]);
}

static void run_trace(struct trace *trace)
{
	const struct wf_net *net = trace->net;

	memset(trace->conditions, 0, net->condition_count * sizeof(bool));
	memset(trace->arrived, 0, net->task_count * sizeof(*trace->arrived));
	memset(trace->tasks, 0, net->task_count * sizeof(bool));
	reach(trace, net->input_condition);
	while (trace->count > 0) {
		const struct wf_condition *condition =
		    &net->conditions[trace->waiting[--trace->count]];

		for (uint32_t i = 0; i < condition->postset_count; i++)
			arrive(trace, condition->postset[i]);
	}
}

static void report_readers(
    struct wf_spec_reader *reader, const struct trace *trace)
{
	const struct wf_net *net = trace->net;
	const struct wf_net_variable *variable =
	    &net->variables[trace->variable];
	bool severe = !reader->is_beta && !wf_type_is_string(variable->type) &&
		      variable->declared->type_name != NULL;

	for (uint32_t i = 0; i < net->task_count; i++) {
		struct reads reads = { .net = net,
			.variable = trace->variable };

		if (!trace->tasks[i])
			continue;
		read_paths(&reads, &net->tasks[i]);
		if (reads.found)
			wf_diagnostics_add(reader->diagnostics,
			    severe ? WF_ERROR : WF_WARNING, net->tasks[i].line,
			    wf_spec_label_task(reader, &net->tasks[i]),
			    "reads the variable %s of net %s before it has a "
			    "value: expected an initial value, or a task "
			    "before that sets it",
			    variable->name, net->decomposition->id);
	}
}

/* An empty initial value is one for a string only. */
static bool may_lack_value(
    const struct wf_net *net, const struct wf_net_variable *variable)
{
	const char *text = variable->declared->initial_text;

	if (text != NULL && (text[strspn(text, " \t\r\n")] != '\0' ||
				wf_type_is_string(variable->type)))
		return false;
	return variable->declared->usage == WF_LOCAL && !variable->is_flag &&
	       !variable->is_optional &&
	       wf_spec_number(net->decomposition->output_numbers,
		   variable->name, strlen(variable->name)) == UINT32_MAX;
}

static void check_values(
    struct wf_spec_reader *reader, const struct wf_net *net)
{
	struct trace trace = { .net = net };
	struct wf_arena *arena = wf_arena_new();
	struct reads reads = { .net = net, .variable = UINT32_MAX };
	uint64_t work = 0;

	trace.conditions =
	    wf_arena_array(arena, net->condition_count, sizeof(bool));
	trace.arrived =
	    wf_arena_array(arena, net->task_count, sizeof(*trace.arrived));
	trace.tasks = wf_arena_array(arena, net->task_count, sizeof(bool));
	trace.waiting =
	    wf_arena_array(arena, net->condition_count, sizeof(*trace.waiting));
	reads.any = wf_arena_array(arena, net->variable_count, sizeof(bool));
	for (uint32_t i = 0; i < net->task_count; i++)
		read_paths(&reads, &net->tasks[i]);
	for (uint32_t i = 0; i < net->variable_count; i++) {
		if (!reads.any[i] || !may_lack_value(net, &net->variables[i]))
			continue;
		work += net->condition_count + net->task_count;
		if (work > SEARCH_LIMIT) {
			WF_SPEC_WARN(reader, net->decomposition->line,
			    wf_spec_label_net(reader, net),
			    "is too large to find all variables that are read "
			    "before they have a value");
			break;
		}
		trace.variable = i;
		run_trace(&trace);
		report_readers(reader, &trace);
	}
	wf_arena_free(&arena);
}

static void check_net(struct wf_spec_reader *reader, const struct wf_net *net)
{
	for (uint32_t i = 0; i < net->task_count; i++) {
		const struct wf_task *task = &net->tasks[i];
		const char *label = wf_spec_label_task(reader, task);

		if (task->decomposition == NULL)
			continue;
		check_inputs(reader, task, label);
		check_outputs(reader, net, task, label);
		check_enablement(reader, task, label);
		if (task->timer != NULL)
			check_timer(reader, net, task, label);
	}
	if (net->condition_count > 0)
		check_values(reader, net);
}

void wf_spec_check_data(struct wf_spec_reader *reader)
{
	struct wf_spec *spec = reader->spec;

	for (uint32_t i = 0; i < spec->decomposition_count; i++)
		if (spec->decompositions[i].net != NULL)
			check_net(reader, spec->decompositions[i].net);
}
