/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of control flow: which flows a split may have, that every element
 * lies between the input and the output condition, what a task needs.
 */
#include "spec/reader.h"

#include <stdlib.h>
#include <string.h>

/* --- Splits --- */

static void check_flow(struct wf_spec_reader *reader,
    const struct wf_task *task, const struct wf_flow *flow)
{
	bool has_predicate = flow->predicate != NULL;
	const char *fault = NULL;

	if (task->split == WF_AND) {
		if (has_predicate || flow->is_default)
			fault = "leaves an AND-split: expected neither a "
				"predicate nor to be the default";
	} else if (!has_predicate && !flow->is_default) {
		fault =
		    task->split == WF_XOR
			? "leaves an XOR-split: expected a predicate, or to be "
			  "the default"
			: "leaves an OR-split: expected a predicate, or to be "
			  "the "
			  "default";
	} else if (task->split == WF_OR) {
		if (flow->has_ordering)
			fault = "leaves an OR-split: expected its predicate "
				"without an ordering";
	} else if (has_predicate && flow->is_default) {
		fault = "leaves an XOR-split: expected a predicate or to be "
			"the default, not both";
	} else if (has_predicate && !flow->has_ordering) {
		fault = "leaves an XOR-split: expected an ordering with its "
			"predicate";
	}
	if (fault != NULL)
		WF_SPEC_ERROR(reader, flow->line,
		    wf_spec_label_flow(reader, task->id, flow->target), "%s",
		    fault);
}

static void check_split(
    struct wf_spec_reader *reader, const struct wf_task *task)
{
	uint32_t defaults = 0;

	for (uint32_t i = 0; i < task->flow_count; i++) {
		const struct wf_flow *flow = &task->flows[i];
		const struct wf_flow *before = i == 0 ? NULL : flow - 1;

		check_flow(reader, task, flow);
		defaults += flow->is_default;
		/* The list is sorted, so equal flows are neighbours. */
		if (task->split == WF_XOR && before != NULL &&
		    before->has_ordering && flow->has_ordering &&
		    before->ordering == flow->ordering)
			WF_SPEC_ERROR(reader, flow->line,
			    wf_spec_label_flow(reader, task->id, flow->target),
			    "has the ordering %d, as the flow to %s: expected "
			    "orderings that differ",
			    flow->ordering, before->target);
	}
	if (task->split != WF_AND && defaults != 1)
		WF_SPEC_ERROR(reader, task->line,
		    wf_spec_label_task(reader, task),
		    "its %s-split has %u default flows: expected one",
		    task->split == WF_XOR ? "XOR" : "OR", defaults);
}

/* --- Paths --- */

struct walk {
	const struct wf_net *net;
	bool *tasks;
	bool *conditions;
	uint32_t *waiting; /* elements to visit: conditions first, then tasks */
	size_t count;
};

static void walk_init(struct walk *walk, const struct wf_net *net)
{
	size_t size = (size_t)net->condition_count + net->task_count;

	walk->net = net;
	walk->tasks = wf_calloc(net->task_count + 1U, sizeof(bool));
	walk->conditions = wf_calloc(net->condition_count + 1U, sizeof(bool));
	walk->waiting = wf_calloc(size + 1, sizeof(*walk->waiting));
	walk->count = 0;
}

static void walk_free(struct walk *walk)
{
	wf_free(walk->tasks);
	wf_free(walk->conditions);
	wf_free(walk->waiting);
}

static void visit_condition(struct walk *walk, uint32_t condition)
{
	if (walk->conditions[condition])
		return;
	walk->conditions[condition] = true;
	walk->waiting[walk->count++] = condition;
}

static void visit_task(struct walk *walk, uint32_t task)
{
	if (walk->tasks[task])
		return;
	walk->tasks[task] = true;
	walk->waiting[walk->count++] = walk->net->condition_count + task;
}

/* Visits all successors, or with back set, all predecessors. */
static void walk_run(struct walk *walk, bool back, bool empty_only)
{
	const struct wf_net *net = walk->net;

	while (walk->count > 0) {
		uint32_t at = walk->waiting[--walk->count];

		if (at < net->condition_count) {
			const struct wf_condition *c = &net->conditions[at];
			const uint32_t *next = back ? c->preset : c->postset;
			uint32_t count =
			    back ? c->preset_count : c->postset_count;

			for (uint32_t i = 0; i < count; i++)
				if (!empty_only ||
				    net->tasks[next[i]].kind == WF_EMPTY_TASK)
					visit_task(walk, next[i]);
		} else {
			const struct wf_task *t =
			    &net->tasks[at - net->condition_count];
			const uint32_t *next = back ? t->preset : t->postset;
			uint32_t count =
			    back ? t->preset_count : t->postset_count;

			for (uint32_t i = 0; i < count; i++)
				visit_condition(walk, next[i]);
		}
	}
}

static void report_unreached(
    struct wf_spec_reader *reader, const struct walk *walk, const char *fault)
{
	const struct wf_net *net = walk->net;

	for (uint32_t i = 0; i < net->condition_count; i++)
		if (!walk->conditions[i] &&
		    net->conditions[i].kind != WF_IMPLICIT)
			WF_SPEC_ERROR(reader, net->conditions[i].line,
			    wf_arena_printf(reader->scratch, "condition %s",
				net->conditions[i].id),
			    "%s of net %s", fault, net->decomposition->id);
	for (uint32_t i = 0; i < net->task_count; i++)
		if (!walk->tasks[i])
			WF_SPEC_ERROR(reader, net->tasks[i].line,
			    wf_spec_label_task(reader, &net->tasks[i]),
			    "%s of net %s", fault, net->decomposition->id);
}

static void check_paths(struct wf_spec_reader *reader, const struct wf_net *net)
{
	struct walk walk;

	if (net->condition_count < 2 ||
	    net->input_condition == net->output_condition)
		return;
	walk_init(&walk, net);
	visit_condition(&walk, net->input_condition);
	walk_run(&walk, false, false);
	report_unreached(
	    reader, &walk, "cannot be reached from the input condition");
	walk_free(&walk);
	walk_init(&walk, net);
	visit_condition(&walk, net->output_condition);
	walk_run(&walk, true, false);
	report_unreached(reader, &walk, "has no way to the output condition");
	walk_free(&walk);
	walk_init(&walk, net);
	visit_condition(&walk, net->input_condition);
	walk_run(&walk, false, true);
	if (walk.conditions[net->output_condition])
		WF_SPEC_WARN(reader, net->decomposition->line,
		    wf_spec_label_net(reader, net),
		    "a way from the input to the output condition passes empty "
		    "tasks only");
	walk_free(&walk);
}

/* --- Tasks --- */

static void check_multiple(
    struct wf_spec_reader *reader, const struct wf_task *task)
{
	const struct wf_multi_instance *multi = task->multi;
	const char *label = wf_spec_label_task(reader, task);

	if (task->decomposition == NULL)
		WF_SPEC_ERROR(reader, task->line, label,
		    "has multiple instances of nothing: expected "
		    "<decomposesTo>");
	if (multi->minimum.query.text == NULL &&
	    multi->maximum.query.text == NULL &&
	    multi->minimum.number > multi->maximum.number)
		WF_SPEC_ERROR(reader, task->line, label,
		    "has at least %s and at most %s instances: expected the "
		    "minimum not to be greater than the maximum",
		    multi->minimum.text, multi->maximum.text);
}

static void check_task(
    struct wf_spec_reader *reader, const struct wf_task *task)
{
	const char *label = wf_spec_label_task(reader, task);

	check_split(reader, task);
	if (task->multi != NULL)
		check_multiple(reader, task);
	if (task->timer != NULL && task->kind == WF_COMPOSITE_TASK)
		WF_SPEC_WARN(reader, task->timer->line, label,
		    "is a composite task: its timer has no meaning");
	if (task->decomposition != NULL)
		return;
	if (task->starting_count + task->completed_count +
		task->enablement_count >
	    0)
		WF_SPEC_ERROR(reader, task->line, label,
		    "has mappings and no decomposition: expected "
		    "<decomposesTo>");
	if (task->timer != NULL)
		WF_SPEC_WARN(reader, task->timer->line, label,
		    "is an empty task: its timer has no meaning");
}

static void check_net(struct wf_spec_reader *reader, const struct wf_net *net)
{
	if (net->decomposition->external_data_gateway != NULL)
		WF_SPEC_ERROR(reader, net->decomposition->line,
		    wf_spec_label_net(reader, net),
		    "externalDataGateway is not supported");
	for (uint32_t i = 0; i < net->task_count; i++)
		check_task(reader, &net->tasks[i]);
	check_paths(reader, net);
}

/* --- Decompositions that nothing uses --- */

static void check_used(struct wf_spec_reader *reader)
{
	struct wf_spec *spec = reader->spec;
	bool *used = wf_calloc(spec->decomposition_count + 1U, sizeof(bool));

	for (uint32_t i = 0; i < spec->decomposition_count; i++) {
		const struct wf_net *net = spec->decompositions[i].net;

		if (net == NULL)
			continue;
		used[i] |= net->is_used;
		for (uint32_t j = 0; net->is_used && j < net->task_count; j++)
			if (net->tasks[j].decomposition != NULL)
				used[net->tasks[j].decomposition->number] =
				    true;
	}
	for (uint32_t i = 0; i < spec->decomposition_count; i++)
		if (!used[i] && spec->root != NULL)
			WF_SPEC_WARN(reader, spec->decompositions[i].line,
			    wf_spec_label_decomposition(
				reader, &spec->decompositions[i]),
			    "is not used");
	wf_free(used);
}

void wf_spec_check_nets(struct wf_spec_reader *reader)
{
	struct wf_spec *spec = reader->spec;

	for (uint32_t i = 0; i < spec->decomposition_count; i++)
		if (spec->decompositions[i].net != NULL)
			check_net(reader, spec->decompositions[i].net);
	check_used(reader);
}
