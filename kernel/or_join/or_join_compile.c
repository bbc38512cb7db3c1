/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What depends on the net alone: compiled once per OR-join and never changed.
 *
 * The net of the question (or_join_net.c) is reduced to the places that can
 * influence the join's inputs.  For each condition and task from which a path
 * leads to an input, sets of inputs are computed, so that most decisions need
 * no search (or_join_decide.c).  Sets are words of 64 bits; a join with more
 * inputs has one block of sets for each 64 of them.
 *
 * The joins of a net hang on the net (wf_net_derived), where all threads share
 * them.
 */
#include <string.h>

#include "base/bitset.h"
#include "base/panic.h"
#include "kernel/or_join/or_join_priv.h"

static bool resets_input(
    const struct wf_or_join *join, const struct wf_transition *t)
{
	/* The inputs are the first places, and resets are sorted. */
	return t->reset_count > 0 && t->resets[0] < join->input_count;
}

/*
 * Propagates sets of inputs from the outputs of transitions to their inputs
 * until nothing changes (a worklist).  alone: only through transitions that
 * one token fires and that leave the join's inputs as they are.
 */
static void propagate(const struct wf_or_join *join,
    const struct wf_adjacency *adjacency, uint64_t *sets, bool alone)
{
	const struct wf_petri *net = join->reduction->net;
	uint32_t *queue = wf_calloc(net->place_count + 1, sizeof(*queue));
	bool *queued = wf_calloc(net->place_count + 1, sizeof(*queued));
	uint32_t count = 0;

	for (uint32_t i = net->place_count; i-- > 0;)
		if (sets[i] != 0) {
			queue[count++] = i;
			queued[i] = true;
		}
	while (count > 0) {
		uint32_t place = queue[--count];

		queued[place] = false;
		for (uint32_t i = adjacency->producer_starts[place];
		     i < adjacency->producer_starts[place + 1]; i++) {
			const struct wf_transition *t =
			    &net->transitions[adjacency->producers[i]];

			if (alone &&
			    (t->input_count != 1 || t->inputs[0].weight != 1 ||
				resets_input(join, t)))
				continue;
			for (uint32_t k = 0; k < t->input_count; k++) {
				uint32_t in = t->inputs[k].place;

				if ((sets[place] & ~sets[in]) == 0)
					continue;
				sets[in] |= sets[place];
				if (!queued[in])
					queue[count++] = in;
				queued[in] = true;
			}
		}
	}
	wf_free(queue);
	wf_free(queued);
}

/* Per place of the reduced net; bit i is input first + i. */
struct input_sets {
	uint32_t first;
	uint64_t *solo;
	uint64_t *reach;
};

static void find_sets(const struct wf_or_join *join,
    const struct wf_adjacency *adjacency, struct input_sets *sets)
{
	size_t size = join->reduction->net->place_count * sizeof(uint64_t);

	memset(sets->solo, 0, size);
	memset(sets->reach, 0, size);
	for (uint32_t i = sets->first;
	     i < join->input_count && i < sets->first + 64; i++) {
		sets->reach[i] = UINT64_C(1) << (i - sets->first);
		sets->solo[i] = sets->reach[i];
	}
	propagate(join, adjacency, sets->reach, false);
	propagate(join, adjacency, sets->solo, true);
}

/* False when there is no path from the place to an input of the block. */
static bool make_element(const struct wf_or_join *join,
    const struct input_sets *sets, uint32_t number, uint32_t place,
    struct element *element_out)
{
	const struct wf_reduction *r = join->reduction;

	*element_out = (struct element){ .number = number };
	for (uint32_t i = r->image_starts[place];
	     i < r->image_starts[place + 1]; i++) {
		uint32_t at = r->images[i].place;

		element_out->reach |= sets->reach[at];
		element_out->solo |= sets->solo[at];
		element_out->image |= wf_place_bit(at);
		if (at >= sets->first && at < sets->first + 64 &&
		    at < join->input_count)
			element_out->now |= UINT64_C(1) << (at - sets->first);
	}
	return element_out->reach != 0;
}

static void make_elements(const struct wf_or_join *join,
    const struct input_sets *sets, struct block *block)
{
	const struct wf_net *net = join->net;

	for (uint32_t i = 0; i < net->condition_count; i++)
		if (make_element(join, sets, i, i,
			&block->conditions[block->condition_count])) {
			wf_bitset_add(join->cone_conditions, i);
			block->condition_count++;
		}
	for (uint32_t i = 0; i < net->task_count; i++)
		if (make_element(join, sets, i, net->condition_count + i,
			&block->tasks[block->task_count])) {
			wf_bitset_add(join->cone_tasks, i);
			block->task_count++;
		}
}

/*
 * Tokens on inputs of the block are treated differently (or_join_decide.c),
 * so the inputs have an array of their own and leave the conditions.
 */
static void make_inputs(const struct wf_or_join *join,
    const struct input_sets *sets, struct block *block)
{
	const uint32_t *preset = join->task->preset + sets->first;
	uint32_t kept = 0;
	uint32_t at = 0;

	block->input_count = join->input_count - sets->first;
	if (block->input_count > 64)
		block->input_count = 64;
	for (uint32_t i = 0; i < block->input_count; i++)
		make_element(
		    join, sets, preset[i], preset[i], &block->inputs[i]);
	for (uint32_t i = 0; i < block->condition_count; i++) {
		uint32_t number = block->conditions[i].number;

		while (at < block->input_count && preset[at] < number)
			at++;
		if (at == block->input_count || preset[at] != number)
			block->conditions[kept++] = block->conditions[i];
	}
	block->condition_count = kept;
}

/* The index of each element by its number; WF_NONE where there is none. */
static uint32_t *index_elements(
    const struct element *elements, uint32_t count, uint32_t numbers)
{
	uint32_t *at = wf_malloc((numbers + 1) * sizeof(*at));

	memset(at, 0xff, (numbers + 1) * sizeof(*at));
	for (uint32_t i = 0; i < count; i++) {
		wf_assert(elements[i].number < numbers);
		at[elements[i].number] = i;
	}
	return at;
}

static void make_blocks(struct wf_or_join *join)
{
	const struct wf_net *net = join->net;
	uint32_t places = join->reduction->net->place_count;
	struct wf_adjacency adjacency;
	struct input_sets sets = { .first = 0 };

	sets.solo = wf_calloc(places + 1, sizeof(*sets.solo));
	sets.reach = wf_calloc(places + 1, sizeof(*sets.reach));
	wf_adjacency_init(&adjacency, join->reduction->net);
	join->block_count = (join->input_count + 63) / 64;
	join->blocks = wf_calloc(join->block_count + 1, sizeof(*join->blocks));
	for (uint32_t i = 0; i < join->block_count; i++) {
		struct block *block = &join->blocks[i];

		sets.first = i * 64;
		block->inputs = wf_calloc(64, sizeof(*block->inputs));
		block->conditions = wf_calloc(
		    net->condition_count + 1, sizeof(*block->conditions));
		block->tasks =
		    wf_calloc(net->task_count + 1, sizeof(*block->tasks));
		find_sets(join, &adjacency, &sets);
		make_elements(join, &sets, block);
		make_inputs(join, &sets, block);
		block->conditions = wf_realloc(block->conditions,
		    (block->condition_count + 1) * sizeof(struct element));
		block->tasks = wf_realloc(block->tasks,
		    (block->task_count + 1) * sizeof(struct element));
		block->task_at = index_elements(
		    block->tasks, block->task_count, net->task_count);
	}
	wf_adjacency_free(&adjacency);
	wf_free(sets.solo);
	wf_free(sets.reach);
}

/* For stage E2. */
static void make_relaxed(struct wf_or_join *join)
{
	const struct wf_petri *net = join->reduction->net;

	if (net->place_count > 64)
		return;
	join->relaxed =
	    wf_calloc(net->transition_count + 1, sizeof(*join->relaxed));
	for (uint32_t i = 0; i < net->transition_count; i++) {
		const struct wf_transition *t = &net->transitions[i];

		for (uint32_t k = 0; k < t->input_count; k++)
			join->relaxed[i].inputs |=
			    wf_place_bit(t->inputs[k].place);
		for (uint32_t k = 0; k < t->output_count; k++)
			join->relaxed[i].outputs |=
			    wf_place_bit(t->outputs[k].place);
	}
}

/* Searches in the preset are binary. */
static bool is_ascending(const uint32_t *numbers, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (numbers[i - 1] >= numbers[i])
			return false;
	return true;
}

struct wf_or_join *wf_or_join_compile(const struct wf_net *net, uint32_t task)
{
	return wf_or_join_compile_with(net, task, WF_REDUCE_ALL);
}

struct wf_or_join *wf_or_join_compile_with(
    const struct wf_net *net, uint32_t task, unsigned steps)
{
	static _Atomic uint64_t last_serial;
	struct wf_or_join *join = wf_calloc(1, sizeof(*join));
	uint64_t *kept;

	wf_assert(task < net->task_count);
	wf_assert(net->tasks[task].join == WF_OR);
	join->magic = WF_OR_JOIN_MAGIC;
	join->serial = atomic_fetch_add(&last_serial, 1) + 1;
	join->net = net;
	join->task = &net->tasks[task];
	join->input_count = join->task->preset_count;
	wf_assert(is_ascending(join->task->preset, join->input_count));
	join->condition_words = wf_bitset_words(net->condition_count);
	join->task_words = wf_bitset_words(net->task_count);
	join->cone_conditions =
	    wf_calloc(join->condition_words + 1, sizeof(uint64_t));
	join->cone_tasks = wf_calloc(join->task_words + 1, sizeof(uint64_t));
	wf_or_join_build(join);
	kept = wf_calloc(
	    wf_bitset_words(join->petri->place_count) + 1, sizeof(*kept));
	for (uint32_t i = 0; i < join->input_count; i++)
		wf_bitset_add(kept, join->task->preset[i]);
	join->reduction = wf_reduce(join->petri, kept, steps);
	wf_free(kept);
	/* The inputs are the first places of the reduced net. */
	wf_assert(join->reduction->net->place_count >= join->input_count);
	make_blocks(join);
	make_relaxed(join);
	wf_assert(join->relaxed == NULL || join->block_count <= 1);
	return join;
}

void wf_or_join_free(struct wf_or_join **join)
{
	struct wf_or_join *j = *join;

	if (j == NULL)
		return;
	wf_assert(j->magic == WF_OR_JOIN_MAGIC);
	j->magic = 0;
	wf_or_join_free_bases(j);
	wf_reduction_free(&j->reduction);
	wf_petri_free(&j->petri);
	wf_free(j->steps);
	for (uint32_t i = 0; i < j->block_count; i++) {
		wf_free(j->blocks[i].inputs);
		wf_free(j->blocks[i].conditions);
		wf_free(j->blocks[i].tasks);
		wf_free(j->blocks[i].task_at);
	}
	wf_free(j->blocks);
	wf_free(j->relaxed);
	wf_free(j->cone_conditions);
	wf_free(j->cone_tasks);
	wf_free(j);
	*join = NULL;
}

const uint64_t *wf_or_join_cone_conditions(const struct wf_or_join *join)
{
	return join->cone_conditions;
}

const uint64_t *wf_or_join_cone_tasks(const struct wf_or_join *join)
{
	return join->cone_tasks;
}

/* --- The OR-joins of a net --- */

static void free_joins(const struct wf_net *net, struct wf_or_joins *joins)
{
	for (uint32_t i = 0; i < net->task_count; i++) {
		wf_or_join_free(&joins->joins[i]);
		wf_free(joins->by_task[i]);
	}
	for (uint32_t i = 0; i < net->condition_count; i++)
		wf_free(joins->by_condition[i]);
	wf_free(joins->joins);
	wf_free(joins->by_task);
	wf_free(joins->by_condition);
	wf_free(joins);
}

static void free_derived(const struct wf_net *net, void *derived)
{
	free_joins(net, derived);
}

/* The OR-joins whose cone contains the element; the count comes first. */
static uint32_t *list_dependents(const struct wf_net *net,
    struct wf_or_join *const *joins, uint32_t element,
    const uint64_t *(*cone)(const struct wf_or_join *join))
{
	uint32_t *list = wf_calloc((size_t)net->task_count + 1, sizeof(*list));

	for (uint32_t i = 0; i < net->task_count; i++)
		if (joins[i] != NULL && wf_bitset_has(cone(joins[i]), element))
			list[++list[0]] = i;
	return wf_realloc(list, (list[0] + (size_t)1) * sizeof(*list));
}

static struct wf_or_joins *make_joins(const struct wf_net *net)
{
	struct wf_or_joins *made = wf_calloc(1, sizeof(*made));

	made->joins = wf_calloc(net->task_count, sizeof(*made->joins));
	made->by_task = wf_calloc(net->task_count, sizeof(*made->by_task));
	made->by_condition =
	    wf_calloc(net->condition_count, sizeof(*made->by_condition));
	for (uint32_t i = 0; i < net->task_count; i++)
		if (net->tasks[i].join == WF_OR)
			made->joins[i] = wf_or_join_compile(net, i);
	for (uint32_t i = 0; i < net->task_count; i++)
		made->by_task[i] =
		    list_dependents(net, made->joins, i, wf_or_join_cone_tasks);
	for (uint32_t i = 0; i < net->condition_count; i++)
		made->by_condition[i] = list_dependents(
		    net, made->joins, i, wf_or_join_cone_conditions);
	return made;
}

static bool has_or_join(const struct wf_net *net)
{
	for (uint32_t i = 0; i < net->task_count; i++)
		if (net->tasks[i].join == WF_OR)
			return true;
	return false;
}

/* OR-joins times elements: some hundred megabytes, a second or two. */
#define COST_MAXIMUM UINT64_C(1000000)

bool wf_or_joins_fit(const struct wf_net *net)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < net->task_count; i++)
		count += net->tasks[i].join == WF_OR &&
			 net->tasks[i].preset_count > 1;
	return count <= 10 ||
	       count * (net->condition_count + (uint64_t)net->task_count) <=
		   COST_MAXIMUM;
}

const struct wf_or_joins *wf_or_joins_of(const struct wf_net *net)
{
	struct wf_net_derived *slot = &net->derived[WF_DERIVED_OR_JOINS];
	void *made = atomic_load(&slot->data);
	void *expected = NULL;

	if (made != NULL || !has_or_join(net))
		return made;
	/*
	 * If two threads compile at once, both use the result that is stored
	 * first.
	 */
	made = make_joins(net);
	if (atomic_compare_exchange_strong(&slot->data, &expected, made)) {
		slot->free = free_derived;
		return made;
	}
	free_joins(net, made);
	return expected;
}
