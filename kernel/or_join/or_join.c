/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling a join, and the stages that need no search. */
#include "kernel/or_join/or_join.h"

#include <string.h>

#include "base/bitset.h"
#include "base/panic.h"
#include "kernel/or_join/or_join_priv.h"

const struct wf_or_budget wf_or_budget_step = { 256, 2048, 10000, 2000000 };
const struct wf_or_budget wf_or_budget_long = { 200000, 1000000, 1000000,
	UINT64_C(20000000000) };

static const char *const stage_names[] = { "E0", "W0", "E1", "W1", "E2",
	"basis", "search", "undecided" };

const char *wf_or_stage_name(enum wf_or_stage stage)
{
	return stage_names[stage];
}

/* --- Compiling --- */

static bool resets_input(
    const struct wf_or_join *join, const struct wf_transition *t)
{
	/* Inputs are the first places, and resets are sorted. */
	return t->reset_count > 0 && t->resets[0] < join->input_count;
}

/*
 * Spreads sets of inputs from the outputs of transitions to their inputs,
 * until nothing changes; alone: only where one token is enough.
 */
static void spread(const struct wf_or_join *join,
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

/* Per place of the reduced net; bits are inputs from first on. */
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
	spread(join, adjacency, sets->reach, false);
	spread(join, adjacency, sets->solo, true);
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

static void make_others(const struct wf_or_join *join,
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

/* Inputs of the block look at their tokens in another way than the others. */
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

/* Where the elements with these numbers are. */
static uint32_t *index_elements(
    const struct element *elements, uint32_t count, uint32_t numbers)
{
	uint32_t *at = wf_malloc((numbers + 1) * sizeof(*at));

	memset(at, 0xff, (numbers + 1) * sizeof(*at));
	for (uint32_t i = 0; i < count; i++)
		at[elements[i].number] = i;
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
		make_others(join, &sets, block);
		make_inputs(join, &sets, block);
		block->conditions = wf_realloc(block->conditions,
		    (block->condition_count + 1) * sizeof(struct element));
		block->tasks = wf_realloc(block->tasks,
		    (block->task_count + 1) * sizeof(struct element));
		block->condition_at = index_elements(block->conditions,
		    block->condition_count, net->condition_count);
		block->task_at = index_elements(
		    block->tasks, block->task_count, net->task_count);
	}
	wf_adjacency_free(&adjacency);
	wf_free(sets.solo);
	wf_free(sets.reach);
}

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

	wf_assert(net->tasks[task].join == WF_OR);
	join->serial = atomic_fetch_add(&last_serial, 1) + 1;
	join->net = net;
	join->task = &net->tasks[task];
	join->input_count = join->task->preset_count;
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
	make_blocks(join);
	make_relaxed(join);
	return join;
}

void wf_or_join_free(struct wf_or_join **join)
{
	struct wf_or_join *j = *join;

	if (j == NULL)
		return;
	wf_or_join_free_bases(j);
	wf_reduction_free(&j->reduction);
	wf_petri_free(&j->petri);
	wf_free(j->steps);
	for (uint32_t i = 0; i < j->block_count; i++) {
		wf_free(j->blocks[i].inputs);
		wf_free(j->blocks[i].conditions);
		wf_free(j->blocks[i].tasks);
		wf_free(j->blocks[i].condition_at);
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

/* --- Deciding --- */

/* What the tokens of a marking amount to, for a block of inputs. */
struct glance {
	uint64_t empty; /* inputs without a token */
	uint64_t now;
	uint64_t solo;
	uint64_t reach;
	uint64_t image;
};

static inline void look_at(struct glance *g, const struct element *element)
{
	g->now |= element->now;
	g->solo |= element->solo;
	g->reach |= element->reach;
	g->image |= element->image;
}

static void glance_at_inputs(
    const struct block *block, const uint32_t *tokens, struct glance *g)
{
	for (uint32_t i = 0; i < block->input_count; i++) {
		const struct element *input = &block->inputs[i];
		uint32_t count = tokens[input->number];

		if (count == 0) {
			g->empty |= UINT64_C(1) << i;
			continue;
		}
		/* The only token of an input is needed where it is. */
		if (count > 1)
			g->solo |= input->solo;
		g->reach |= input->reach;
		g->image |= input->image;
	}
}

static bool is_input(const struct wf_or_join *join, uint32_t condition)
{
	uint32_t low = 0;
	uint32_t high = join->input_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (join->task->preset[middle] < condition)
			low = middle + 1;
		else
			high = middle;
	}
	return low < join->input_count && join->task->preset[low] == condition;
}

/* The inputs of other blocks are among the conditions of this. */
static inline void look_at_condition(const struct wf_or_join *join,
    struct glance *g, const struct element *element, const uint32_t *tokens)
{
	if (join->block_count > 1 && tokens[element->number] == 1 &&
	    is_input(join, element->number))
		g->reach |= element->reach;
	else
		look_at(g, element);
}

static void glance_at_conditions(const struct wf_or_join *join,
    const struct block *block, const struct wf_or_marking *m, struct glance *g)
{
	if (m->marked == NULL) {
		for (uint32_t i = 0; i < block->condition_count; i++)
			if (m->tokens[block->conditions[i].number] != 0)
				look_at_condition(
				    join, g, &block->conditions[i], m->tokens);
		return;
	}
	for (size_t i = 0; i < join->condition_words; i++) {
		uint64_t bits = m->marked[i] & join->cone_conditions[i];

		for (; bits != 0; bits &= bits - 1) {
			uint32_t at =
			    block->condition_at[i * 64 +
						(size_t)__builtin_ctzll(bits)];

			if (at != WF_NONE)
				look_at_condition(
				    join, g, &block->conditions[at], m->tokens);
		}
	}
}

static void glance_at_tasks(const struct wf_or_join *join,
    const struct block *block, const uint64_t *busy, struct glance *g)
{
	for (size_t i = 0; i < join->task_words; i++) {
		uint64_t bits = busy[i] & join->cone_tasks[i];

		for (; bits != 0; bits &= bits - 1) {
			uint32_t at =
			    block->task_at[i * 64 +
					   (size_t)__builtin_ctzll(bits)];

			if (at != WF_NONE)
				look_at(g, &block->tasks[at]);
		}
	}
}

/* The places that get tokens when none is ever used up. */
static uint64_t relaxed_reach(const struct wf_or_join *join, uint64_t places)
{
	uint32_t count = join->reduction->net->transition_count;
	uint64_t before;

	do {
		before = places;
		for (uint32_t i = 0; i < count; i++) {
			const struct relaxed *t = &join->relaxed[i];

			if ((t->inputs & ~places) == 0)
				places |= t->outputs;
		}
	} while (places != before);
	return places;
}

/* Whether the sets tell, and at which stage. */
static bool decide_at_once(const struct wf_or_join *join,
    const struct wf_or_marking *m, enum wf_or_stage *stage_out)
{
	bool open = false; /* a path leads to an empty input */
	bool solo = false;
	bool now = false;
	struct glance g;

	for (uint32_t i = 0; i < join->block_count; i++) {
		g = (struct glance){ 0 };
		glance_at_inputs(&join->blocks[i], m->tokens, &g);
		glance_at_conditions(join, &join->blocks[i], m, &g);
		glance_at_tasks(join, &join->blocks[i], m->busy, &g);
		now |= (g.now & g.empty) != 0;
		open |= (g.reach & g.empty) != 0;
		solo |= (g.solo & g.empty) != 0;
	}
	if (now)
		*stage_out = WF_OR_W0;
	else if (!open)
		*stage_out = WF_OR_E1;
	else if (solo)
		*stage_out = WF_OR_W1;
	/* With 64 places at most there is one block. */
	else if (join->relaxed != NULL &&
		 (relaxed_reach(join, g.image) & g.empty) == 0)
		*stage_out = WF_OR_E2;
	else
		return false;
	return true;
}

static enum wf_or_verdict decide(const struct wf_or_join *join,
    const struct wf_or_marking *m, struct wf_or_memory *memory,
    const struct wf_or_budget *budget, struct wf_or_reason *reason)
{
	uint32_t marked = 0;

	for (uint32_t i = 0; i < join->input_count; i++)
		marked += m->tokens[join->task->preset[i]] != 0;
	if (marked == 0)
		return WF_OR_WAIT;
	if (marked == join->input_count)
		return WF_OR_ENABLED;
	if (decide_at_once(join, m, &reason->stage))
		return reason->stage == WF_OR_W0 || reason->stage == WF_OR_W1
			   ? WF_OR_WAIT
			   : WF_OR_ENABLED;
	return wf_or_join_search(join, m->tokens, m->busy, memory,
	    budget == NULL ? &wf_or_budget_step : budget, reason);
}

enum wf_or_verdict wf_or_join_decide_marking(const struct wf_or_join *join,
    const struct wf_or_marking *m, struct wf_or_memory *memory,
    const struct wf_or_budget *budget, struct wf_or_reason *reason_out)
{
	struct wf_or_reason reason = { .stage = WF_OR_E0 };
	enum wf_or_verdict verdict = decide(join, m, memory, budget, &reason);

	wf_or_memory_count(memory, reason.stage);
	if (reason_out != NULL)
		*reason_out = reason;
	return verdict;
}

enum wf_or_verdict wf_or_join_decide(const struct wf_or_join *join,
    const uint32_t *tokens, const uint64_t *busy, struct wf_or_memory *memory,
    const struct wf_or_budget *budget, struct wf_or_reason *reason_out)
{
	const struct wf_or_marking marking = { tokens, busy, NULL };

	return wf_or_join_decide_marking(
	    join, &marking, memory, budget, reason_out);
}
