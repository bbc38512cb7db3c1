/* SPDX-License-Identifier: Apache-2.0 */
/* Building nets, firing transitions. */
#include "petri/net.h"

#include <stdlib.h>
#include <string.h>

#include "base/panic.h"

struct wf_petri *wf_petri_new(uint32_t place_count)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_petri *net = wf_arena_alloc(arena, sizeof(*net));

	net->arena = arena;
	net->place_count = place_count;
	return net;
}

void wf_petri_free(struct wf_petri **net)
{
	struct wf_arena *arena;

	if (*net == NULL)
		return;
	arena = (*net)->arena;
	wf_arena_free(&arena);
	*net = NULL;
}

static int compare_arcs(const void *a, const void *b)
{
	uint32_t x = ((const struct wf_arc *)a)->place;
	uint32_t y = ((const struct wf_arc *)b)->place;

	return x < y ? -1 : x > y;
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

uint32_t wf_arcs_normalise(struct wf_arc *arcs, uint32_t count)
{
	uint32_t kept = 0;
	bool sorted = true;

	for (uint32_t i = 1; i < count && sorted; i++)
		sorted = arcs[i - 1].place < arcs[i].place;
	if (sorted)
		return count;
	qsort(arcs, count, sizeof(*arcs), compare_arcs);
	for (uint32_t i = 0; i < count; i++) {
		if (kept > 0 && arcs[kept - 1].place == arcs[i].place)
			arcs[kept - 1].weight = wf_tokens_add(
			    arcs[kept - 1].weight, arcs[i].weight);
		else
			arcs[kept++] = arcs[i];
	}
	return kept;
}

static struct wf_arc *copy_arcs(
    struct wf_petri *net, const struct wf_arc *arcs, uint32_t *count)
{
	struct wf_arc *copy;

	if (*count == 0)
		return NULL;
	copy = wf_arena_array(net->arena, *count, sizeof(*copy));
	memcpy(copy, arcs, *count * sizeof(*copy));
	*count = wf_arcs_normalise(copy, *count);
	wf_assert(copy[*count - 1].place < net->place_count);
	return copy;
}

static uint32_t *copy_places(
    struct wf_petri *net, const uint32_t *places, uint32_t *count)
{
	uint32_t *copy;
	uint32_t kept = 0;

	if (*count == 0)
		return NULL;
	copy = wf_arena_array(net->arena, *count, sizeof(*copy));
	memcpy(copy, places, *count * sizeof(*copy));
	qsort(copy, *count, sizeof(*copy), compare_numbers);
	for (uint32_t i = 0; i < *count; i++)
		if (kept == 0 || copy[kept - 1] != copy[i])
			copy[kept++] = copy[i];
	*count = kept;
	wf_assert(copy[kept - 1] < net->place_count);
	return copy;
}

void wf_petri_add(struct wf_petri *net, const struct wf_transition_parts *parts)
{
	struct wf_transition *t;

	net->transitions = wf_arena_grow(net->arena, net->transitions,
	    net->transition_count, &net->transition_capacity, sizeof(*t));
	t = &net->transitions[net->transition_count++];
	t->label = parts->label;
	t->input_count = parts->input_count;
	t->inputs = copy_arcs(net, parts->inputs, &t->input_count);
	t->output_count = parts->output_count;
	t->outputs = copy_arcs(net, parts->outputs, &t->output_count);
	t->reset_count = parts->reset_count;
	t->resets = copy_places(net, parts->resets, &t->reset_count);
}

uint32_t wf_arcs_weight(
    const struct wf_arc *arcs, uint32_t count, uint32_t place)
{
	for (uint32_t i = 0; i < count && arcs[i].place <= place; i++)
		if (arcs[i].place == place)
			return arcs[i].weight;
	return 0;
}

bool wf_transition_resets(const struct wf_transition *t, uint32_t place)
{
	uint32_t low = 0;
	uint32_t high = t->reset_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (t->resets[middle] < place)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->reset_count && t->resets[low] == place;
}

bool wf_transition_enabled(
    const struct wf_transition *t, const uint32_t *tokens)
{
	for (uint32_t i = 0; i < t->input_count; i++)
		if (tokens[t->inputs[i].place] < t->inputs[i].weight)
			return false;
	return true;
}

void wf_transition_fire(const struct wf_transition *t, uint32_t *tokens)
{
	for (uint32_t i = 0; i < t->input_count; i++) {
		uint32_t *at = &tokens[t->inputs[i].place];

		*at = wf_tokens_take(*at, t->inputs[i].weight);
	}
	for (uint32_t i = 0; i < t->reset_count; i++)
		tokens[t->resets[i]] = 0;
	for (uint32_t i = 0; i < t->output_count; i++) {
		uint32_t *at = &tokens[t->outputs[i].place];

		*at = wf_tokens_add(*at, t->outputs[i].weight);
	}
}

/* Whether a firing can leave the output's place with more tokens. */
static bool gains(const struct wf_transition *t, const struct wf_arc *output)
{
	return output->weight >
	       wf_arcs_weight(t->inputs, t->input_count, output->place);
}

static void count_arcs(struct wf_adjacency *a, const struct wf_petri *net)
{
	for (uint32_t i = 0; i < net->transition_count; i++) {
		const struct wf_transition *t = &net->transitions[i];

		for (uint32_t k = 0; k < t->input_count; k++)
			a->consumer_starts[t->inputs[k].place + 1]++;
		for (uint32_t k = 0; k < t->output_count; k++)
			if (gains(t, &t->outputs[k]))
				a->producer_starts[t->outputs[k].place + 1]++;
	}
	for (uint32_t i = 0; i < net->place_count; i++) {
		a->consumer_starts[i + 1] += a->consumer_starts[i];
		a->producer_starts[i + 1] += a->producer_starts[i];
	}
}

/*
 * Filling advances each start to the start of the next place; moves them back.
 */
static void restore_starts(uint32_t *starts, uint32_t count)
{
	memmove(starts + 1, starts, count * sizeof(*starts));
	starts[0] = 0;
}

void wf_adjacency_init(struct wf_adjacency *a, const struct wf_petri *net)
{
	uint32_t places = net->place_count;

	a->consumer_starts = wf_calloc(places + 1, sizeof(uint32_t));
	a->producer_starts = wf_calloc(places + 1, sizeof(uint32_t));
	count_arcs(a, net);
	a->consumers =
	    wf_malloc((a->consumer_starts[places] + 1) * sizeof(uint32_t));
	a->producers =
	    wf_malloc((a->producer_starts[places] + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < net->transition_count; i++) {
		const struct wf_transition *t = &net->transitions[i];

		for (uint32_t k = 0; k < t->input_count; k++)
			a->consumers[a->consumer_starts[t->inputs[k].place]++] =
			    i;
		for (uint32_t k = 0; k < t->output_count; k++)
			if (gains(t, &t->outputs[k]))
				a->producers[a->producer_starts[t->outputs[k]
								    .place]++] =
				    i;
	}
	restore_starts(a->consumer_starts, places);
	restore_starts(a->producer_starts, places);
}

void wf_adjacency_free(struct wf_adjacency *a)
{
	wf_free(a->consumer_starts);
	wf_free(a->consumers);
	wf_free(a->producer_starts);
	wf_free(a->producers);
	*a = (struct wf_adjacency){ NULL, NULL, NULL, NULL };
}

void wf_firings_free(struct wf_firings *trace)
{
	wf_free(trace->transitions);
	*trace = (struct wf_firings){ NULL, 0 };
}
