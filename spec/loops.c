/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops in which no work item is ever made: an empty task that leads back to
 * itself through empty tasks only, and a composite task whose net begins with
 * tasks that lead back to it.
 *
 * They are the cycles of a graph over the empty and composite tasks of all
 * nets: from an empty task to those that may follow it at once, from a
 * composite task to those its net begins with.  Predicates do not count.
 * Tarjan's algorithm, without recursion.
 */
#include "spec/reader.h"

#include <string.h>

struct node {
	const struct wf_net *net;
	const struct wf_task *task;
	uint32_t index; /* in the order of discovery, from 1; 0: not yet */
	uint32_t low;
	bool on_stack;
	/* Where the search is: condition of the postset, task behind it. */
	uint32_t condition;
	uint32_t follower;
};

struct search {
	struct wf_spec_reader *reader;
	struct node *nodes;
	uint32_t count;
	uint32_t *base;	 /* number of a net's first task, by decomposition */
	uint32_t *stack; /* of the components */
	uint32_t stacked;
	uint32_t *path; /* of the search */
	uint32_t depth;
	uint32_t next_index;
};

/*
 * The next task that may follow; UINT32_MAX at the end.  An empty task goes
 * on behind its postset, a composite one at the input condition of its net.
 */
static uint32_t next_follower(struct search *search, struct node *node)
{
	const struct wf_task *task = node->task;
	bool is_composite = task->kind == WF_COMPOSITE_TASK;
	const struct wf_net *net =
	    is_composite ? task->decomposition->net : node->net;
	uint32_t count = is_composite ? 1 : task->postset_count;

	if (net->condition_count == 0)
		return UINT32_MAX;
	for (; node->condition < count; node->condition++, node->follower = 0) {
		const struct wf_condition *condition =
		    &net->conditions[is_composite
					 ? net->input_condition
					 : task->postset[node->condition]];

		while (node->follower < condition->postset_count) {
			uint32_t to = condition->postset[node->follower++];

			if (net->tasks[to].kind != WF_ATOMIC_TASK)
				return search
					   ->base[net->decomposition->number] +
				       to;
		}
	}
	return UINT32_MAX;
}

static bool follows_itself(struct search *search, struct node *node)
{
	uint32_t to;

	node->condition = 0;
	node->follower = 0;
	while ((to = next_follower(search, node)) != UINT32_MAX)
		if (&search->nodes[to] == node)
			return true;
	return false;
}

/* Takes one component off the stack; a cycle is reported. */
static void finish_component(struct search *search, uint32_t root)
{
	struct wf_spec_reader *reader = search->reader;
	struct node *first = &search->nodes[root];
	const char *names = "";
	uint32_t size = 0;
	bool is_used = false;
	uint32_t at;

	do {
		struct node *node;

		at = search->stack[--search->stacked];
		node = &search->nodes[at];
		node->on_stack = false;
		is_used = is_used || node->net->is_used;
		if (size < 8)
			names = wf_arena_printf(reader->scratch, "%s%s%s",
			    names, size == 0 ? "" : ", ", node->task->id);
		size++;
	} while (at != root);
	if (size == 1 && !follows_itself(search, first))
		return;
	wf_diagnostics_add(reader->diagnostics, is_used ? WF_ERROR : WF_WARNING,
	    first->task->line, wf_spec_label_task(reader, first->task),
	    "is part of an endless loop in which no work item is made (%s%s): "
	    "expected an atomic task in it",
	    names, size > 8 ? ", ..." : "");
}

static void enter(struct search *search, uint32_t at)
{
	struct node *node = &search->nodes[at];

	node->index = node->low = ++search->next_index;
	node->on_stack = true;
	search->stack[search->stacked++] = at;
	search->path[search->depth++] = at;
}

static void search_from(struct search *search, uint32_t start)
{
	enter(search, start);
	while (search->depth > 0) {
		uint32_t at = search->path[search->depth - 1];
		struct node *node = &search->nodes[at];
		uint32_t to = next_follower(search, node);

		if (to != UINT32_MAX && search->nodes[to].index == 0) {
			enter(search, to);
		} else if (to != UINT32_MAX) {
			if (search->nodes[to].on_stack &&
			    search->nodes[to].index < node->low)
				node->low = search->nodes[to].index;
		} else {
			search->depth--;
			if (node->low == node->index)
				finish_component(search, at);
			if (search->depth > 0) {
				struct node *before =
				    &search->nodes[search->path[search->depth -
								1]];

				if (node->low < before->low)
					before->low = node->low;
			}
		}
	}
}

static void fill_nodes(struct search *search, const struct wf_spec *spec)
{
	for (uint32_t i = 0; i < spec->decomposition_count; i++) {
		const struct wf_net *net = spec->decompositions[i].net;

		for (uint32_t j = 0; net != NULL && j < net->task_count; j++) {
			struct node *node = &search->nodes[search->base[i] + j];

			node->net = net;
			node->task = &net->tasks[j];
		}
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
		search.base[i] = search.count;
		if (spec->decompositions[i].net != NULL)
			search.count += spec->decompositions[i].net->task_count;
	}
	search.nodes =
	    wf_arena_array(arena, search.count, sizeof(*search.nodes));
	search.stack =
	    wf_arena_array(arena, search.count, sizeof(*search.stack));
	search.path = wf_arena_array(arena, search.count, sizeof(*search.path));
	fill_nodes(&search, spec);
	for (uint32_t i = 0; i < search.count; i++)
		if (search.nodes[i].index == 0 &&
		    search.nodes[i].task->kind != WF_ATOMIC_TASK)
			search_from(&search, i);
	wf_arena_free(&arena);
}
