/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two graphs: a reduced one, whose positive answers are true and which is exact
 * when each of its states comes to an end, then the whole one.
 */
#include "verify/completion.h"

#include <string.h>

#include "base/bitset.h"
#include "verify/facts.h"
#include "verify/fallback.h"
#include "verify/witness.h"

#define STATES 50000U
#define BYTES ((size_t)64 << 20)
#define OR_JOIN_WORK UINT64_C(100000000)
#define COVER_WORK UINT64_C(200000000)

/* The marking as places of the model; false: too many tokens for one byte. */
static bool make_initial(const struct wf_model *model,
    const struct wf_completion_question *q, uint8_t *initial)
{
	uint32_t conditions = q->net->condition_count;

	for (uint32_t i = 0; i < conditions; i++) {
		if (q->tokens[i] > UINT8_MAX)
			return false;
		initial[i] = (uint8_t)q->tokens[i];
	}
	for (uint32_t i = conditions; i < model->place_count; i++)
		initial[i] =
		    wf_bitset_has(q->busy, model->place_tasks[i - conditions]);
	return true;
}

/* whole: nothing is left out, so what repeats for ever in it never ends. */
static void read_graph(
    struct wf_completion *c, const struct wf_space *space, bool whole)
{
	const uint8_t ends = WF_STATE_GOOD | WF_STATE_ENDS;
	struct wf_facts *facts = wf_facts_new(space);
	bool all_end = facts->complete;

	c->state_count += space->state_count;
	for (uint32_t i = 0; i < space->state_count && all_end; i++)
		all_end = (facts->flags[i] & ends) != 0;
	if (c->ending == NULL)
		c->ending =
		    wf_witness_find(c->arena, facts, 0, WF_STATE_COMPLETED, 0);
	if (c->ending == NULL)
		c->ending =
		    wf_witness_find(c->arena, facts, 0, WF_STATE_LEFTOVER, 0);
	if (space->undecided == UINT32_MAX && c->failing == NULL)
		c->failing = wf_witness_find(
		    c->arena, facts, 0, WF_STATE_DEAD | WF_STATE_EMPTY, 0);
	if (whole && facts->complete && c->failing == NULL)
		c->failing = wf_witness_find(c->arena, facts, 0, 0, ends);
	all_end = all_end || (whole && facts->complete);
	c->possible = c->ending != NULL ? WF_YES : all_end ? WF_NO : WF_OPEN;
	c->endangered = c->failing != NULL ? WF_YES : all_end ? WF_NO : WF_OPEN;
	wf_facts_free(&facts);
}

static void explore(struct wf_completion *c, const struct wf_model *model,
    const uint8_t *initial, enum wf_eager reduction)
{
	struct wf_space_options options = { .reduction = reduction,
		.states = STATES,
		.bytes = BYTES,
		.or_join_work = OR_JOIN_WORK,
		.states_after_violation = UINT32_MAX,
		.every_choice = reduction == WF_NOT_EAGER,
		.initial = initial };
	struct wf_space *space = wf_space_explore(model, &options);

	read_graph(c, space, reduction == WF_NOT_EAGER);
	wf_space_free(&space);
}

static void answer(struct wf_completion *c, const struct wf_model *model,
    const uint8_t *initial)
{
	struct wf_fallback *fallback;

	explore(c, model, initial, WF_EAGER);
	if (c->possible == WF_OPEN || c->endangered == WF_OPEN)
		explore(c, model, initial, WF_NOT_EAGER);
	if (c->possible != WF_OPEN)
		return;
	fallback = wf_fallback_new(model, COVER_WORK, initial);
	c->possible = wf_fallback_end(fallback);
	if (c->possible == WF_NO)
		c->endangered = WF_YES;
	wf_fallback_free(&fallback);
}

struct wf_completion *wf_completion_new(
    const struct wf_completion_question *question)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_completion *c = wf_arena_alloc(arena, sizeof(*c));
	struct wf_model *model = wf_model_new(question->net, false);
	uint8_t *initial = wf_calloc(model->place_count + 1, 1);

	c->arena = arena;
	c->net = question->net;
	c->possible = WF_OPEN;
	c->endangered = WF_OPEN;
	if (make_initial(model, question, initial))
		answer(c, model, initial);
	wf_free(initial);
	wf_model_free(&model);
	return c;
}

void wf_completion_free(struct wf_completion **completion)
{
	struct wf_arena *arena;

	if (*completion == NULL)
		return;
	arena = (*completion)->arena;
	wf_arena_free(&arena);
	*completion = NULL;
}
