/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling a join, and the stages that need no search. */
#include "engine/or_join.h"

#include <string.h>

#include "base/bitset.h"
#include "base/panic.h"
#include "engine/or_join_priv.h"

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

/* The bit of input i in sets of inputs. */
static uint64_t input_bit(uint32_t i)
{
	return UINT64_C(1) << (i < 63 ? i : 63);
}

/* Whether the bit of input i is its own. */
static bool has_own_bit(const struct wf_or_join *join, uint32_t i)
{
	return i < 63 || join->input_count <= 64;
}

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

struct input_sets {
	uint64_t *solo; /* per place of the reduced net */
	uint64_t *reach;
};

static void find_sets(const struct wf_or_join *join, struct input_sets *sets)
{
	const struct wf_petri *net = join->reduction->net;
	struct wf_adjacency adjacency;

	sets->solo = wf_calloc(net->place_count + 1, sizeof(*sets->solo));
	sets->reach = wf_calloc(net->place_count + 1, sizeof(*sets->reach));
	for (uint32_t i = 0; i < join->input_count; i++) {
		sets->reach[i] = input_bit(i);
		if (has_own_bit(join, i))
			sets->solo[i] = input_bit(i);
	}
	wf_adjacency_init(&adjacency, net);
	spread(join, &adjacency, sets->reach, false);
	spread(join, &adjacency, sets->solo, true);
	wf_adjacency_free(&adjacency);
}

/* False when the place does not matter. */
static bool make_element(const struct wf_or_join *join,
    const struct input_sets *sets, uint32_t number, uint32_t place,
    struct element *element_out)
{
	const struct wf_reduction *r = join->reduction;

	*element_out = (struct element){ .number = number, .place = place };
	for (uint32_t i = r->image_starts[place];
	     i < r->image_starts[place + 1]; i++) {
		uint32_t at = r->images[i].place;

		element_out->reach |= sets->reach[at];
		element_out->solo |= sets->solo[at];
		element_out->image |= UINT64_C(1) << (at % 64);
		if (at < join->input_count && has_own_bit(join, at))
			element_out->now |= input_bit(at);
	}
	return element_out->reach != 0;
}

static void make_elements(
    struct wf_or_join *join, const struct input_sets *sets)
{
	const struct wf_net *net = join->net;
	const struct wf_task *task = join->task;

	join->inputs = wf_calloc(task->preset_count + 1, sizeof(*join->inputs));
	join->conditions =
	    wf_calloc(net->condition_count + 1, sizeof(*join->conditions));
	join->tasks = wf_calloc(net->task_count + 1, sizeof(*join->tasks));
	for (uint32_t i = 0; i < task->preset_count; i++) {
		make_element(join, sets, task->preset[i], task->preset[i],
		    &join->inputs[i]);
		wf_bitset_add(join->cone_conditions, task->preset[i]);
	}
	for (uint32_t i = 0; i < net->condition_count; i++)
		if (!wf_bitset_has(join->cone_conditions, i) &&
		    make_element(join, sets, i, i,
			&join->conditions[join->condition_count]))
			join->condition_count++;
	for (uint32_t i = 0; i < net->task_count; i++)
		if (make_element(join, sets, i, net->condition_count + i,
			&join->tasks[join->task_count]))
			join->task_count++;
	for (uint32_t i = 0; i < join->condition_count; i++)
		wf_bitset_add(
		    join->cone_conditions, join->conditions[i].number);
	for (uint32_t i = 0; i < join->task_count; i++)
		wf_bitset_add(join->cone_tasks, join->tasks[i].number);
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
	struct input_sets sets;
	uint64_t *kept;

	wf_assert(net->tasks[task].join == WF_OR);
	join->serial = atomic_fetch_add(&last_serial, 1) + 1;
	join->net = net;
	join->task = &net->tasks[task];
	join->input_count = join->task->preset_count;
	join->cone_conditions = wf_calloc(
	    wf_bitset_words(net->condition_count) + 1, sizeof(uint64_t));
	join->cone_tasks =
	    wf_calloc(wf_bitset_words(net->task_count) + 1, sizeof(uint64_t));
	wf_or_join_build(join);
	kept = wf_calloc(
	    wf_bitset_words(join->petri->place_count) + 1, sizeof(*kept));
	for (uint32_t i = 0; i < join->input_count; i++)
		wf_bitset_add(kept, join->task->preset[i]);
	join->reduction = wf_reduce(join->petri, kept, steps);
	wf_free(kept);
	find_sets(join, &sets);
	make_elements(join, &sets);
	make_relaxed(join);
	wf_free(sets.solo);
	wf_free(sets.reach);
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
	wf_free(j->inputs);
	wf_free(j->conditions);
	wf_free(j->tasks);
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

/* What the tokens of a marking amount to. */
struct glance {
	uint64_t empty; /* inputs without a token */
	uint64_t now;
	uint64_t solo;
	uint64_t reach;
	uint64_t image;
	uint32_t empty_count;
};

static inline void look_at(struct glance *g, const struct element *element)
{
	g->now |= element->now;
	g->solo |= element->solo;
	g->reach |= element->reach;
	g->image |= element->image;
}

static void glance_at_inputs(
    const struct wf_or_join *join, const uint32_t *tokens, struct glance *g)
{
	for (uint32_t i = 0; i < join->input_count; i++) {
		const struct element *input = &join->inputs[i];
		uint32_t count = tokens[input->number];

		if (count == 0) {
			g->empty |= input_bit(i);
			g->empty_count++;
			continue;
		}
		/* The only token of an input is needed where it is. */
		if (count > 1)
			g->solo |= input->solo;
		g->reach |= input->reach;
		g->image |= input->image;
	}
}

static void glance_at_others(const struct wf_or_join *join,
    const uint32_t *tokens, const uint64_t *busy, struct glance *g)
{
	for (uint32_t i = 0; i < join->condition_count; i++)
		if (tokens[join->conditions[i].number] != 0)
			look_at(g, &join->conditions[i]);
	for (uint32_t i = 0; i < join->task_count; i++)
		if (wf_bitset_has(busy, join->tasks[i].number))
			look_at(g, &join->tasks[i]);
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

enum wf_or_verdict wf_or_join_decide(const struct wf_or_join *join,
    const uint32_t *tokens, const uint64_t *busy, struct wf_or_memory *memory,
    const struct wf_or_budget *budget, struct wf_or_reason *reason_out)
{
	struct glance g = { 0 };
	struct wf_or_reason unread;
	struct wf_or_reason *reason = reason_out == NULL ? &unread : reason_out;

	*reason = (struct wf_or_reason){ .stage = WF_OR_E0 };
	glance_at_inputs(join, tokens, &g);
	if (g.empty_count == 0)
		return WF_OR_ENABLED;
	if (g.empty_count == join->input_count)
		return WF_OR_WAIT;
	glance_at_others(join, tokens, busy, &g);
	if ((g.now & g.empty) != 0) {
		reason->stage = WF_OR_W0;
		return WF_OR_WAIT;
	}
	if ((g.reach & g.empty) == 0) {
		reason->stage = WF_OR_E1;
		return WF_OR_ENABLED;
	}
	if ((g.solo & g.empty) != 0) {
		reason->stage = WF_OR_W1;
		return WF_OR_WAIT;
	}
	if (join->relaxed != NULL &&
	    (relaxed_reach(join, g.image) & g.empty) == 0) {
		reason->stage = WF_OR_E2;
		return WF_OR_ENABLED;
	}
	return wf_or_join_search(join, tokens, busy, memory,
	    budget == NULL ? &wf_or_budget_step : budget, reason);
}
