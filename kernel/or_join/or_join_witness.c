/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why an OR-join waits: a firing sequence after which one more input is
 * marked.
 *
 * The sequence is found in the reduced net and translated into starts and
 * ends of tasks; then every step that is not needed is removed, the last
 * ones first.
 */
#include <string.h>

#include "base/bitset.h"
#include "base/panic.h"
#include "kernel/or_join/or_join_priv.h"
#include "petri/forward.h"

/* Longer sequences are not shortened. */
#define SHORTEN_MAXIMUM 1000U

/* The marking of the net before reduction. */
static uint32_t *whole_marking(
    const struct wf_or_join *join, const uint32_t *tokens, const uint64_t *busy)
{
	const struct wf_net *net = join->net;
	uint32_t *marking =
	    wf_calloc(join->petri->place_count + 1, sizeof(*marking));

	for (uint32_t i = 0; i < net->condition_count; i++)
		marking[i] = wf_tokens_add(tokens[i], 0);
	for (uint32_t i = 0; i < net->task_count; i++)
		marking[net->condition_count + i] = wf_bitset_has(busy, i);
	return marking;
}

/* A sequence in the reduced net. */
static bool find_trace(const struct wf_or_join *join, const struct question *q,
    const struct wf_or_budget *budget, struct wf_firings *trace_out)
{
	struct wf_forward_limits limits = { budget->forward, budget->work };
	struct wf_forward result;
	struct wf_basis *basis;
	bool found;

	wf_cover_forward(join->reduction->net, q->tokens, q->targets,
	    q->target_count, &limits, &result);
	*trace_out = result.firings;
	if (result.verdict != WF_COVER_UNKNOWN)
		return result.verdict == WF_COVERABLE;
	basis = wf_or_join_search_backward(join, q, budget);
	found = basis->met != WF_NONE;
	if (found)
		wf_basis_firings(basis, basis->met, trace_out);
	wf_basis_free(&basis);
	return found;
}

/*
 * Fires the sequence without the step skipped (WF_NONE: all of it).  Returns
 * the input that is marked only at the end, or WF_NONE if the sequence cannot
 * fire or marks no further input.
 */
static uint32_t replay(const struct wf_or_join *join, const uint32_t *marking,
    const struct wf_firings *trace, uint32_t skipped, uint32_t *scratch)
{
	const struct wf_task *task = join->task;
	uint32_t more = WF_NONE;

	memcpy(scratch, marking, join->petri->place_count * sizeof(*scratch));
	for (uint32_t i = 0; i < trace->count; i++) {
		uint32_t number = trace->transitions[i];
		const struct wf_transition *t;

		if (i == skipped)
			continue;
		wf_assert(number < join->petri->transition_count);
		t = &join->petri->transitions[number];
		if (!wf_transition_enabled(t, scratch))
			return WF_NONE;
		wf_transition_fire(t, scratch);
	}
	for (uint32_t i = 0; i < task->preset_count; i++) {
		uint32_t input = task->preset[i];

		if (marking[input] != 0 && scratch[input] == 0)
			return WF_NONE;
		if (marking[input] == 0 && scratch[input] != 0 &&
		    more == WF_NONE)
			more = input;
	}
	return more;
}

static void remove_step(struct wf_firings *trace, uint32_t at)
{
	wf_assert(at < trace->count);
	trace->count--;
	memmove(trace->transitions + at, trace->transitions + at + 1,
	    (trace->count - at) * sizeof(*trace->transitions));
}

/*
 * Removing one step can make another one removable, so this repeats until no
 * step is removed.  A task that only starts, or only ends, may remain.
 */
static void shorten(const struct wf_or_join *join, const uint32_t *marking,
    struct wf_firings *trace, uint32_t *scratch)
{
	bool shorter = trace->count <= SHORTEN_MAXIMUM;

	while (shorter) {
		shorter = false;
		for (uint32_t i = trace->count; i-- > 0;)
			if (replay(join, marking, trace, i, scratch) !=
			    WF_NONE) {
				remove_step(trace, i);
				shorter = true;
			}
	}
}

static bool make_witness(const struct wf_or_join *join, const uint32_t *marking,
    struct wf_firings *trace, struct wf_or_witness *witness_out)
{
	uint32_t *scratch =
	    wf_calloc(join->petri->place_count + 1, sizeof(*scratch));

	shorten(join, marking, trace, scratch);
	witness_out->input = replay(join, marking, trace, WF_NONE, scratch);
	wf_free(scratch);
	if (witness_out->input == WF_NONE)
		return false;
	witness_out->count = trace->count;
	witness_out->steps =
	    wf_calloc(trace->count + 1, sizeof(*witness_out->steps));
	for (uint32_t i = 0; i < trace->count; i++) {
		uint32_t label =
		    join->petri->transitions[trace->transitions[i]].label;

		witness_out->steps[i] = join->steps[label];
	}
	return true;
}

/* The set of marked inputs; false when none is marked, or all are. */
static bool marked_inputs(
    const struct wf_or_join *join, const uint32_t *tokens, uint64_t *marked)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < join->input_count; i++)
		if (tokens[join->task->preset[i]] != 0) {
			wf_bitset_add(marked, i);
			count++;
		}
	return count > 0 && count < join->input_count;
}

static bool find_witness(const struct wf_or_join *join, const uint64_t *marked,
    const uint32_t *tokens, const uint64_t *busy,
    const struct wf_or_budget *budget, struct wf_or_witness *witness_out)
{
	struct wf_firings trace = { NULL, 0 };
	struct wf_firings whole = { NULL, 0 };
	uint32_t *marking = whole_marking(join, tokens, busy);
	uint32_t *reduced =
	    wf_calloc(join->reduction->net->place_count + 1, sizeof(*reduced));
	struct question q;
	bool found;

	wf_or_join_project(join, tokens, busy, reduced);
	wf_or_question_init(&q, join, marked, reduced);
	found =
	    find_trace(join, &q, budget, &trace) &&
	    wf_reduction_expand(join->reduction, marking, &trace, 1, &whole) &&
	    make_witness(join, marking, &whole, witness_out);
	wf_or_question_free(&q);
	wf_firings_free(&trace);
	wf_firings_free(&whole);
	wf_free(marking);
	wf_free(reduced);
	return found;
}

bool wf_or_join_witness(const struct wf_or_join *join, const uint32_t *tokens,
    const uint64_t *busy, const struct wf_or_budget *budget,
    struct wf_or_witness *witness_out)
{
	uint64_t *marked =
	    wf_calloc(wf_bitset_words(join->input_count) + 1, sizeof(*marked));
	bool found;

	*witness_out = (struct wf_or_witness){ NULL, 0, WF_NONE };
	if (budget == NULL)
		budget = &wf_or_budget_step;
	found = marked_inputs(join, tokens, marked) &&
		find_witness(join, marked, tokens, busy, budget, witness_out);
	wf_free(marked);
	return found;
}

void wf_or_witness_free(struct wf_or_witness *witness)
{
	wf_free(witness->steps);
	*witness = (struct wf_or_witness){ NULL, 0, WF_NONE };
}
