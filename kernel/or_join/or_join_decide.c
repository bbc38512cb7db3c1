/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deciding a marking: the stages that only combine sets (E0, W0, E1, W1, E2),
 * then the search (or_join_search.c).
 *
 * A token stands for the sets of its condition or busy task; the union of
 * these sets over all tokens answers the question, or leaves it open.
 */
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
	wf_assert((unsigned)stage < WF_OR_STAGES);
	return stage_names[stage];
}

/* The union of the sets of all tokens, for one block of inputs. */
struct summary {
	uint64_t empty; /* inputs without a token */
	uint64_t now;
	uint64_t solo;
	uint64_t reach;
	uint64_t image;
};

static inline void add_token(struct summary *g, const struct element *element)
{
	g->now |= element->now;
	g->solo |= element->solo;
	g->reach |= element->reach;
	g->image |= element->image;
}

static void add_inputs(
    const struct block *block, const uint32_t *tokens, struct summary *g)
{
	for (uint32_t i = 0; i < block->input_count; i++) {
		const struct element *input = &block->inputs[i];
		uint32_t count = tokens[input->number];

		if (count == 0) {
			g->empty |= UINT64_C(1) << i;
			continue;
		}
		/* The input must stay marked, so one of its tokens stays. */
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

/* Inputs of other blocks are among the conditions of this block. */
static inline void add_condition(const struct wf_or_join *join,
    struct summary *g, const struct element *element, const uint32_t *tokens)
{
	if (join->block_count > 1 && tokens[element->number] == 1 &&
	    is_input(join, element->number))
		g->reach |= element->reach;
	else
		add_token(g, element);
}

static void add_conditions(const struct wf_or_join *join,
    const struct block *block, const uint32_t *tokens, struct summary *g)
{
	for (uint32_t i = 0; i < block->condition_count; i++)
		if (tokens[block->conditions[i].number] != 0)
			add_condition(join, g, &block->conditions[i], tokens);
}

static void add_tasks(const struct wf_or_join *join, const struct block *block,
    const uint64_t *busy, struct summary *g)
{
	for (size_t i = 0; i < join->task_words; i++) {
		uint64_t bits = busy[i] & join->cone_tasks[i];

		for (; bits != 0; bits &= bits - 1) {
			uint32_t at =
			    block->task_at[i * 64 +
					   (size_t)__builtin_ctzll(bits)];

			if (at != WF_NONE)
				add_token(g, &block->tasks[at]);
		}
	}
}

/* The places that get tokens if firing consumes none. */
static uint64_t relaxed_reach(const struct wf_or_join *join, uint64_t places)
{
	uint32_t count = join->reduction->net->transition_count;
	uint64_t before;

	wf_assert(join->reduction->net->place_count <= 64);
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

/* Whether the sets decide, and at which stage. */
static bool decide_by_sets(const struct wf_or_join *join,
    const uint32_t *tokens, const uint64_t *busy, enum wf_or_stage *stage_out)
{
	bool open = false; /* a path leads to an empty input */
	bool solo = false;
	bool now = false;
	struct summary g;

	for (uint32_t i = 0; i < join->block_count; i++) {
		g = (struct summary){ 0 };
		add_inputs(&join->blocks[i], tokens, &g);
		add_conditions(join, &join->blocks[i], tokens, &g);
		add_tasks(join, &join->blocks[i], busy, &g);
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
	/* At most 64 places: there is one block, and g is its summary. */
	else if (join->relaxed != NULL &&
		 (relaxed_reach(join, g.image) & g.empty) == 0)
		*stage_out = WF_OR_E2;
	else
		return false;
	return true;
}

static enum wf_or_verdict decide(const struct wf_or_join *join,
    const uint32_t *tokens, const uint64_t *busy, struct wf_or_memory *memory,
    const struct wf_or_budget *budget, struct wf_or_reason *reason)
{
	uint32_t marked = 0;

	for (uint32_t i = 0; i < join->input_count; i++)
		marked += tokens[join->task->preset[i]] != 0;
	if (marked == 0)
		return WF_OR_WAIT;
	if (marked == join->input_count)
		return WF_OR_ENABLED;
	if (decide_by_sets(join, tokens, busy, &reason->stage))
		return reason->stage == WF_OR_W0 || reason->stage == WF_OR_W1
			   ? WF_OR_WAIT
			   : WF_OR_ENABLED;
	return wf_or_join_search(join, tokens, busy, memory,
	    budget == NULL ? &wf_or_budget_step : budget, reason);
}

enum wf_or_verdict wf_or_join_decide(const struct wf_or_join *join,
    const uint32_t *tokens, const uint64_t *busy, struct wf_or_memory *memory,
    const struct wf_or_budget *budget, struct wf_or_reason *reason_out)
{
	struct wf_or_reason reason = { .stage = WF_OR_E0 };
	enum wf_or_verdict verdict;

	wf_assert(join->magic == WF_OR_JOIN_MAGIC);
	verdict = decide(join, tokens, busy, memory, budget, &reason);
	wf_or_memory_count(memory, &reason);
	if (reason_out != NULL)
		*reason_out = reason;
	return verdict;
}
