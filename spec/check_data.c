/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of data: every input parameter gets a value, no variable is
 * written twice by one task, none is read before it has a value.
 */
#include "spec/reader.h"

#include <stdlib.h>
#include <string.h>

/* --- Mappings in --- */

#define ENOUGH 1000U

/* Which input parameters one task maps, by name. */
struct inputs {
	struct wf_spec_reader *reader;
	const struct wf_task *task;
	const char *label;
	struct wf_map *mapped;
	size_t required; /* number of inputs that are not optional */
};

static void note_mapped(struct inputs *inputs, uint32_t number, int line)
{
	const struct wf_decomposition *d = inputs->task->decomposition;
	const struct wf_variable *input = &d->inputs[number];

	if (!wf_map_add(inputs->mapped, input->name, inputs))
		WF_SPEC_ERROR(inputs->reader, line, inputs->label,
		    "the input parameter %s of %s is mapped twice: expected "
		    "one mapping",
		    input->name, d->id);
	else if (!input->optional)
		inputs->required++;
}

static void note_mappings(struct inputs *inputs)
{
	const struct wf_task *task = inputs->task;
	const struct wf_multi_instance *multi = task->multi;

	for (uint32_t i = 0; i < task->starting_count; i++) {
		const struct wf_mapping *mapping = &task->starting[i];

		if (mapping->variable != UINT32_MAX)
			note_mapped(inputs, mapping->variable,
			    mapping->expression.line);
		else
			WF_SPEC_FAULT(inputs->reader, mapping->expression.line,
			    inputs->label,
			    "starting mapping to %s: expected an input "
			    "parameter of %s",
			    mapping->target, task->decomposition->id);
	}
	if (multi == NULL || multi->input_name == NULL)
		return;
	if (multi->formal_input != UINT32_MAX)
		note_mapped(inputs, multi->formal_input, multi->input.line);
	else
		WF_SPEC_FAULT(inputs->reader, multi->input.line, inputs->label,
		    "its multi-instance input goes to %s: expected an input "
		    "parameter of %s",
		    multi->input_name, task->decomposition->id);
}

/* required: the number of inputs of the decomposition that are not optional. */
static void check_inputs(struct wf_spec_reader *reader,
    const struct wf_task *task, const char *label, size_t required)
{
	const struct wf_decomposition *d = task->decomposition;
	struct inputs inputs = {
		.reader = reader,
		.task = task,
		.label = label,
		.mapped = wf_map_new(),
	};

	note_mappings(&inputs);
	/* Further duplicates are only counted; one report is enough. */
	if (wf_diagnostics_errors(reader->diagnostics) > ENOUGH)
		required = 0;
	for (size_t i = 0; i < d->input_count && inputs.required < required;
	     i++)
		if (!d->inputs[i].optional &&
		    wf_map_get(inputs.mapped, d->inputs[i].name) == NULL) {
			required--;
			WF_SPEC_ERROR(reader, task->line, label,
			    "the input parameter %s of %s has no mapping: "
			    "expected one",
			    d->inputs[i].name, d->id);
		}
	wf_map_free(&inputs.mapped);
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

/* --- Variables read before they have a value --- */

/* A larger product of net size and variables is not searched. */
#define SEARCH_LIMIT 10000000U

/* The search for one variable through one net. */
struct trace {
	const struct wf_net *net;
	uint32_t variable;
	/* Conditions that a token may reach while the variable has no value. */
	bool *conditions;
	uint32_t *arrived; /* per task: reached conditions of its preset */
	bool *tasks;	   /* tasks that may start without the value */
	uint32_t *waiting; /* conditions to visit */
	size_t count;
};

/* A task reads a variable when it starts. */
struct read {
	uint32_t variable;
	uint32_t task;
};

struct reads {
	struct wf_spec_reader *reader;
	const struct wf_net *net;
	uint32_t task; /* the one that is checked */
	struct read *items;
	size_t count;
	size_t capacity;
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
	reads->items = wf_arena_grow(reads->reader->scratch, reads->items,
	    reads->count, &reads->capacity, sizeof(*reads->items));
	reads->items[reads->count].variable = number;
	reads->items[reads->count++].task = reads->task;
}

static int compare_reads(const void *left, const void *right)
{
	const struct read *a = left;
	const struct read *b = right;

	if (a->variable != b->variable)
		return a->variable < b->variable ? -1 : 1;
	return a->task < b->task ? -1 : a->task > b->task;
}

/* All reads of a net, sorted by variable, without duplicates. */
static void gather_reads(struct reads *reads)
{
	size_t count = 0;

	for (; reads->task < reads->net->task_count; reads->task++) {
		const struct wf_task *task = &reads->net->tasks[reads->task];

		for (uint32_t i = 0; i < task->starting_count; i++)
			if (task->starting[i].expression.query != NULL)
				wf_query_paths(
				    task->starting[i].expression.query,
				    note_read, reads);
		if (task->multi != NULL && task->multi->input.query != NULL)
			wf_query_paths(
			    task->multi->input.query, note_read, reads);
	}
	if (reads->count > 0)
		qsort(reads->items, reads->count, sizeof(*reads->items),
		    compare_reads);
	for (size_t i = 0; i < reads->count; i++)
		if (count == 0 || compare_reads(&reads->items[i],
				      &reads->items[count - 1]) != 0)
			reads->items[count++] = reads->items[i];
	reads->count = count;
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

/* An AND-join starts without the value only if no path to it gives one. */
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

/* The tasks that read the variable and may start while it has no value. */
static void report_reader(struct wf_spec_reader *reader,
    const struct trace *trace, const struct wf_task *task)
{
	const struct wf_net *net = trace->net;
	const struct wf_net_variable *variable =
	    &net->variables[trace->variable];
	bool severe = !reader->is_beta && !wf_type_is_string(variable->type) &&
		      variable->declared->type_name != NULL;

	if (trace->tasks[task->number])
		wf_diagnostics_add(reader->diagnostics,
		    severe ? WF_ERROR : WF_WARNING, task->line,
		    wf_spec_label_task(reader, task),
		    "reads the variable %s of net %s before it has a value: "
		    "expected an initial value, or a task before that sets it",
		    variable->name, net->decomposition->id);
}

/* An empty initial value is a value of strings only. */
static bool may_lack_value(
    const struct wf_net *net, const struct wf_net_variable *variable)
{
	const char *text = variable->declared->initial_text;

	if (text != NULL && (text[strspn(text, " \t\r\n")] != '\0' ||
				wf_type_is_string(variable->type)))
		return false;
	return variable->declared->usage == WF_LOCAL &&
	       !wf_type_may_be_empty(variable->type) &&
	       !variable->is_optional &&
	       wf_spec_number(net->decomposition->output_numbers,
		   variable->name, strlen(variable->name)) == UINT32_MAX;
}

static struct trace new_trace(
    struct wf_spec_reader *reader, const struct wf_net *net)
{
	struct wf_arena *arena = reader->scratch;
	struct trace trace = {
		.net = net,
		.conditions =
		    wf_arena_array(arena, net->condition_count, sizeof(bool)),
		.arrived =
		    wf_arena_array(arena, net->task_count, sizeof(uint32_t)),
		.tasks = wf_arena_array(arena, net->task_count, sizeof(bool)),
		.waiting = wf_arena_array(
		    arena, net->condition_count, sizeof(uint32_t)),
	};

	return trace;
}

/* The cost of one search: the number of arcs that it may follow. */
static uint64_t size_of(const struct wf_net *net)
{
	uint64_t size = (uint64_t)net->condition_count + net->task_count;

	for (uint32_t i = 0; i < net->task_count; i++)
		size += (uint64_t)net->tasks[i].preset_count +
			net->tasks[i].postset_count +
			net->tasks[i].completed_count;
	return size;
}

static void check_values(
    struct wf_spec_reader *reader, const struct wf_net *net)
{
	struct reads reads = { .reader = reader, .net = net };
	struct trace trace = new_trace(reader, net);
	uint64_t size = size_of(net);
	uint64_t work = 0;

	gather_reads(&reads);
	for (size_t i = 0; i < reads.count;) {
		uint32_t variable = reads.items[i].variable;
		bool lacks = may_lack_value(net, &net->variables[variable]);

		work += lacks ? size : 0;
		if (work > SEARCH_LIMIT) {
			WF_SPEC_WARN(reader, net->decomposition->line,
			    wf_spec_label_net(reader, net),
			    "is too large to find all variables that are read "
			    "before they have a value");
			return;
		}
		trace.variable = variable;
		if (lacks)
			run_trace(&trace);
		for (; i < reads.count && reads.items[i].variable == variable;
		     i++)
			if (lacks)
				report_reader(reader, &trace,
				    &net->tasks[reads.items[i].task]);
	}
}

static size_t count_required(const struct wf_decomposition *decomposition)
{
	size_t count = 0;

	for (size_t i = 0; i < decomposition->input_count; i++)
		count += !decomposition->inputs[i].optional;
	return count;
}

/* required: per decomposition, the number of inputs that are not optional. */
static void check_net(struct wf_spec_reader *reader, const struct wf_net *net,
    const size_t *required)
{
	for (uint32_t i = 0; i < net->task_count; i++) {
		const struct wf_task *task = &net->tasks[i];
		const char *label = wf_spec_label_task(reader, task);

		if (task->decomposition == NULL)
			continue;
		check_inputs(
		    reader, task, label, required[task->decomposition->number]);
		check_outputs(reader, net, task, label);
		check_enablement(reader, task, label);
	}
	/* The types say which variables need a value. */
	if (net->condition_count > 0 && !reader->types_failed)
		check_values(reader, net);
}

void wf_spec_check_data(struct wf_spec_reader *reader)
{
	struct wf_spec *spec = reader->spec;
	size_t *required = wf_arena_array(
	    reader->scratch, spec->decomposition_count, sizeof(*required));

	for (uint32_t i = 0; i < spec->decomposition_count; i++)
		required[i] = count_required(&spec->decompositions[i]);
	for (uint32_t i = 0; i < spec->decomposition_count; i++)
		if (spec->decompositions[i].net != NULL)
			check_net(
			    reader, spec->decompositions[i].net, required);
}
