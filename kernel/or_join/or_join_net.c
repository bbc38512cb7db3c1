/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Translates a YAWL net into the reset net in which reachability is asked.
 *
 * There is a place per condition, and a place per task that is marked while
 * the task is busy.  A task starts by taking a token from all inputs
 * (AND-join) or from one (XOR-join and OR-join).  It ends by emptying its
 * cancellation set and putting a token to all outputs, or to one (XOR-split).
 * An OR-split puts to all outputs: a marking that is coverable after some
 * outputs were marked is coverable after all were.
 */
#include "base/panic.h"
#include "kernel/or_join/or_join_priv.h"

struct builder {
	struct wf_or_join *join;
	uint32_t step_count;
	uint32_t step_capacity; /* of join->steps */
	struct wf_arc *arcs;
	uint32_t *resets;
	uint32_t reset_count;
};

static uint32_t place_of_task(const struct wf_or_join *join, uint32_t task)
{
	return join->net->condition_count + task;
}

static uint32_t count_steps(const struct wf_net *net)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < net->task_count; i++) {
		const struct wf_task *task = &net->tasks[i];

		count += task->join == WF_AND ? 1 : task->preset_count;
		count += task->split == WF_XOR ? task->postset_count : 1;
	}
	return count;
}

static void add_step(struct builder *b, const struct wf_task *task, bool ends,
    const uint32_t *conditions, uint32_t count)
{
	struct wf_arc busy = { place_of_task(b->join, task->number), 1 };
	struct wf_transition_parts parts = { .label = b->step_count };

	wf_assert(b->step_count < b->step_capacity);
	b->join->steps[b->step_count++] =
	    (struct wf_or_step){ task->number, ends, conditions, count };
	for (uint32_t i = 0; i < count; i++)
		b->arcs[i] = (struct wf_arc){ conditions[i], 1 };
	parts.inputs = ends ? &busy : b->arcs;
	parts.input_count = ends ? 1 : count;
	parts.outputs = ends ? b->arcs : &busy;
	parts.output_count = ends ? count : 1;
	if (ends) {
		parts.resets = b->resets;
		parts.reset_count = b->reset_count;
	}
	wf_petri_add(b->join->petri, &parts);
}

static void add_task(struct builder *b, const struct wf_task *task)
{
	b->reset_count = 0;
	for (uint32_t i = 0; i < task->cancelled_condition_count; i++)
		b->resets[b->reset_count++] = task->cancelled_conditions[i];
	for (uint32_t i = 0; i < task->cancelled_task_count; i++)
		b->resets[b->reset_count++] =
		    place_of_task(b->join, task->cancelled_tasks[i]);
	wf_assert(b->reset_count <= b->join->petri->place_count);
	if (task->join == WF_AND)
		add_step(b, task, false, task->preset, task->preset_count);
	else
		for (uint32_t i = 0; i < task->preset_count; i++)
			add_step(b, task, false, &task->preset[i], 1);
	if (task->split != WF_XOR)
		add_step(b, task, true, task->postset, task->postset_count);
	else
		for (uint32_t i = 0; i < task->postset_count; i++)
			add_step(b, task, true, &task->postset[i], 1);
}

void wf_or_join_build(struct wf_or_join *join)
{
	const struct wf_net *net = join->net;
	uint32_t places = net->condition_count + net->task_count;
	struct builder b = { .join = join };

	join->petri = wf_petri_new(places);
	b.step_capacity = count_steps(net);
	join->steps = wf_calloc(b.step_capacity + 1, sizeof(*join->steps));
	b.arcs = wf_calloc(places + 1, sizeof(*b.arcs));
	b.resets = wf_calloc(places + 1, sizeof(*b.resets));
	for (uint32_t i = 0; i < net->task_count; i++)
		if (i != join->task->number)
			add_task(&b, &net->tasks[i]);
	wf_free(b.arcs);
	wf_free(b.resets);
}
