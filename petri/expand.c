/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Translates firing sequences of a reduced net into the original net.
 *
 * The sequence is replayed in the original.  Between its firings, the
 * transitions that substitute places fire as soon as they can, as the reduced
 * net assumes.
 */
#include <string.h>

#include "petri/reduce.h"

#define LENGTH_MAXIMUM 100000U
#define DEPTH_MAXIMUM 200U

void wf_reduction_project(const struct wf_reduction *reduction,
    const uint32_t *tokens, uint32_t *reduced_out)
{
	memset(
	    reduced_out, 0, reduction->net->place_count * sizeof(*reduced_out));
	for (uint32_t i = 0; i < reduction->original->place_count; i++) {
		if (tokens[i] == 0)
			continue;
		for (uint32_t k = reduction->image_starts[i];
		     k < reduction->image_starts[i + 1]; k++) {
			const struct wf_arc *arc = &reduction->images[k];
			uint32_t *at = &reduced_out[arc->place];
			uint64_t more = (uint64_t)arc->weight * tokens[i];

			*at = wf_tokens_add(*at,
			    more >= WF_MANY_FROM ? WF_MANY : (uint32_t)more);
		}
	}
}

struct replay {
	const struct wf_reduction *reduction;
	uint32_t *tokens; /* of the original net */
	struct wf_firings trace;
	uint32_t capacity;
	uint32_t depth;
};

static bool fire(struct replay *r, uint32_t number)
{
	const struct wf_transition *t =
	    &r->reduction->original->transitions[number];

	if (r->trace.count == LENGTH_MAXIMUM ||
	    !wf_transition_enabled(t, r->tokens))
		return false;
	wf_transition_fire(t, r->tokens);
	if (r->trace.count == r->capacity) {
		r->capacity = r->capacity == 0 ? 64 : r->capacity * 2;
		r->trace.transitions = wf_realloc(
		    r->trace.transitions, r->capacity * sizeof(uint32_t));
	}
	r->trace.transitions[r->trace.count++] = number;
	return true;
}

static bool turn_one(struct replay *r);

/*
 * Fusing made a list of several transitions; between two of them tokens may
 * have to be turned before the next can fire.
 */
static bool fire_all(
    struct replay *r, const struct wf_lists *lists, uint32_t at)
{
	const struct wf_transition *all = r->reduction->original->transitions;

	for (uint32_t i = lists->starts[at]; i < lists->starts[at + 1]; i++) {
		uint32_t number = lists->items[i];

		while (i > lists->starts[at] &&
		       !wf_transition_enabled(&all[number], r->tokens))
			if (!turn_one(r))
				return false;
		if (!fire(r, number))
			return false;
	}
	return true;
}

/* Turns one token; false: there is none to turn. */
static bool turn_one(struct replay *r)
{
	const struct wf_lists *turns = &r->reduction->turns;
	uint32_t places = r->reduction->original->place_count;
	bool turned = false;

	if (r->depth == DEPTH_MAXIMUM)
		return false;
	r->depth++;
	for (uint32_t p = 0; p < places && !turned; p++)
		if (r->tokens[p] > 0 && turns->starts[p] < turns->starts[p + 1])
			turned = fire_all(r, turns, p);
	r->depth--;
	return turned;
}

static bool has_turnable(const struct replay *r)
{
	const struct wf_lists *turns = &r->reduction->turns;

	for (uint32_t p = 0; p < r->reduction->original->place_count; p++)
		if (r->tokens[p] > 0 && turns->starts[p] < turns->starts[p + 1])
			return true;
	return false;
}

static bool turn_tokens(struct replay *r)
{
	while (turn_one(r))
		;
	return !has_turnable(r);
}

/*
 * The sequence needs no more tokens than it takes in total; with fewer tokens
 * there is less to turn.
 */
static uint32_t useful_tokens(const struct wf_reduction *reduction,
    const struct wf_firings *trace, uint32_t wanted)
{
	uint64_t sum = wanted;

	for (uint32_t i = 0; i < trace->count; i++) {
		const struct wf_transition *t =
		    &reduction->net->transitions[trace->transitions[i]];

		for (uint32_t k = 0; k < t->input_count; k++)
			sum += t->inputs[k].weight;
	}
	return sum > WF_MANY_FROM ? WF_MANY_FROM - 1 : (uint32_t)sum;
}

bool wf_reduction_expand(const struct wf_reduction *reduction,
    const uint32_t *tokens, const struct wf_firings *trace, uint32_t wanted,
    struct wf_firings *trace_out)
{
	uint32_t places = reduction->original->place_count;
	uint32_t useful = useful_tokens(reduction, trace, wanted);
	struct replay r = { .reduction = reduction };
	bool done;

	r.tokens = wf_calloc(places + 1, sizeof(*r.tokens));
	for (uint32_t i = 0; i < places; i++)
		r.tokens[i] = tokens[i] < useful ? tokens[i] : useful;
	done = turn_tokens(&r);
	for (uint32_t i = 0; i < trace->count && done; i++)
		done = fire_all(&r, &reduction->steps, trace->transitions[i]) &&
		       turn_tokens(&r);
	wf_free(r.tokens);
	if (!done)
		wf_firings_free(&r.trace);
	*trace_out = r.trace;
	return done;
}
