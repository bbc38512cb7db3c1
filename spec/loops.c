/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops in which no work item is ever made: an empty task that leads back to
 * itself through empty tasks only, and a composite task whose net begins with
 * tasks that lead back to it.
 *
 * They are the cycles of a graph over the conditions and tasks of all nets:
 * an empty task leads to its postset, a composite task to the input condition
 * of its net, a condition to the empty and composite tasks behind it.
 * Predicates do not count.  Tarjan's algorithm, without recursion.
 */
#include "spec/reader.h"

#include <string.h>

struct node {
	const struct wf_net *net;
	const struct wf_task *task; /* NULL for a condition */
	const struct wf_condition *condition;
	uint32_t index; /* in the order of discovery, from 1; 0: not visited */
	uint32_t low;
	uint32_t next; /* the next follower to visit */
	bool on_stack;
};

struct search {
	struct wf_spec_reader *reader;
	struct node *nodes;
	uint32_t count;
	uint32_t *base;	 /* per decomposition, the first node of its net */
	uint32_t *stack; /* nodes whose component is not complete */
	uint32_t stacked;
	uint32_t *path; /* from the root of the search to the current node */
	uint32_t depth;
	uint32_t next_index;
};

/* The nodes of a net: its conditions, then its tasks. */
static uint32_t condition_node(
    const struct search *search, const struct wf_net *net, uint32_t number)
{
	return search->base[net->decomposition->number] + number;
}

static uint32_t task_node(
    const struct search *search, const struct wf_net *net, uint32_t number)
{
	return condition_node(search, net, net->condition_count) + number;
}

/* The next successor; UINT32_MAX when there are no more. */
static uint32_t next_follower(const struct search *search, struct node *node)
{
	const struct wf_task *task = node->task;

	if (task == NULL) {
		const struct wf_condition *condition = node->condition;

		while (node->next < condition->postset_count) {
			uint32_t to = condition->postset[node->next++];

			if (node->net->tasks[to].kind != WF_ATOMIC_TASK)
				return task_node(search, node->net, to);
		}
	} else if (task->kind == WF_EMPTY_TASK) {
		if (node->next < task->postset_count)
			return condition_node(
			    search, node->net, task->postset[node->next++]);
	} else if (task->kind == WF_COMPOSITE_TASK && node->next++ == 0 &&
		   task->decomposition->net->condition_count > 0) {
		return condition_node(search, task->decomposition->net,
		    task->decomposition->net->input_condition);
	}
	return UINT32_MAX;
}

/* Pops one component from the stack; one with several nodes is a cycle. */
static void finish_component(struct search *search, uint32_t root)
{
	struct wf_spec_reader *reader = search->reader;
	const struct wf_task *first = NULL;
	const char *names = "";
	uint32_t size = 0;
	uint32_t tasks = 0;
	bool is_used = false;
	uint32_t at;

	do {
		struct node *node;

		at = search->stack[--search->stacked];
		node = &search->nodes[at];
		node->on_stack = false;
		size++;
		is_used = is_used || node->net->is_used;
		if (node->task == NULL)
			continue;
		if (first == NULL || node->task->line < first->line)
			first = node->task;
		if (tasks++ < 8)
			names = wf_arena_printf(reader->scratch, "%s%s%s",
			    names, tasks == 1 ? "" : ", ", node->task->id);
	} while (at != root);
	if (size == 1)
		return;
	wf_diagnostics_add(reader->diagnostics, is_used ? WF_ERROR : WF_WARNING,
	    first->line, wf_spec_label_task(reader, first),
	    "is part of an endless loop in which no work item is made (%s%s): "
	    "expected an atomic task in it",
	    names, tasks > 8 ? ", ..." : "");
}

static void enter(struct search *search, uint32_t at)
{
	struct node *node = &search->nodes[at];

	node->index = node->low = ++search->next_index;
	node->on_stack = true;
	search->stack[search->stacked++] = at;
	search->path[search->depth++] = at;
}

static void leave(struct search *search, uint32_t at)
{
	const struct node *node = &search->nodes[at];
	struct node *before;

	search->depth--;
	if (node->low == node->index)
		finish_component(search, at);
	if (search->depth == 0)
		return;
	before = &search->nodes[search->path[search->depth - 1]];
	if (node->low < before->low)
		before->low = node->low;
}

static void search_from(struct search *search, uint32_t start)
{
	enter(search, start);
	while (search->depth > 0) {
		uint32_t at = search->path[search->depth - 1];
		struct node *node = &search->nodes[at];
		uint32_t to = next_follower(search, node);

		if (to == UINT32_MAX)
			leave(search, at);
		else if (search->nodes[to].index == 0)
			enter(search, to);
		else if (search->nodes[to].on_stack &&
			 search->nodes[to].index < node->low)
			node->low = search->nodes[to].index;
	}
}

static void fill_nodes(struct search *search, const struct wf_net *net)
{
	for (uint32_t i = 0; i < net->condition_count; i++) {
		struct node *node =
		    &search->nodes[condition_node(search, net, i)];

		node->net = net;
		node->condition = &net->conditions[i];
	}
	for (uint32_t i = 0; i < net->task_count; i++) {
		struct node *node = &search->nodes[task_node(search, net, i)];

		node->net = net;
		node->task = &net->tasks[i];
	}
}

void wf_spec_check_loops(struct wf_spec_reader *reader)
{
	const struct wf_spec *spec = reader->spec;
	struct search search = { .reader = reader };
	struct wf_arena *arena = wf_arena_new();

	search.base = wf_arena_array(
	    arena, spec->decomposition_count, sizeof(*search.base));
	for (uint32_t i = 0; i < spec->decomposition_count; i++) {
		const struct wf_net *net = spec->decompositions[i].net;

		search.base[i] = search.count;
		if (net != NULL)
			search.count += net->condition_count + net->task_count;
	}
	search.nodes =
	    wf_arena_array(arena, search.count, sizeof(*search.nodes));
	search.stack =
	    wf_arena_array(arena, search.count, sizeof(*search.stack));
	search.path = wf_arena_array(arena, search.count, sizeof(*search.path));
	for (uint32_t i = 0; i < spec->decomposition_count; i++)
		if (spec->decompositions[i].net != NULL)
			fill_nodes(&search, spec->decompositions[i].net);
	for (uint32_t i = 0; i < search.count; i++)
		if (search.nodes[i].index == 0)
			search_from(&search, i);
	wf_arena_free(&arena);
}
