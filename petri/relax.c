/* SPDX-License-Identifier: Apache-2.0 */
/* Dijkstra's algorithm, with transitions that wait for all their inputs. */
#include "petri/relax.h"

#include <string.h>

#define COST_MAXIMUM (UINT32_MAX - 1)

void wf_relax_init(struct wf_relax *relax, const struct wf_petri *net,
    const struct wf_adjacency *adjacency)
{
	uint32_t places = net->place_count;
	uint32_t transitions = net->transition_count;

	*relax = (struct wf_relax){ .net = net, .adjacency = adjacency };
	relax->cost = wf_calloc(places + 1, sizeof(*relax->cost));
	relax->settled = wf_calloc(places + 1, sizeof(*relax->settled));
	relax->missing = wf_calloc(transitions + 1, sizeof(*relax->missing));
	relax->sum = wf_calloc(transitions + 1, sizeof(*relax->sum));
}

void wf_relax_free(struct wf_relax *relax)
{
	wf_free(relax->cost);
	wf_free(relax->settled);
	wf_free(relax->missing);
	wf_free(relax->sum);
	wf_heap_free(&relax->heap);
}

/* cost times the tokens that are missing; at most COST_MAXIMUM. */
static uint32_t need(uint32_t cost, uint32_t wanted, uint32_t there)
{
	uint64_t product;

	if (there >= wanted)
		return 0;
	if (cost == WF_UNREACHABLE)
		return WF_UNREACHABLE;
	product = (uint64_t)cost * (wanted - there);
	return product > COST_MAXIMUM ? COST_MAXIMUM : (uint32_t)product;
}

static uint32_t add(uint32_t a, uint32_t b)
{
	if (a == WF_UNREACHABLE || b == WF_UNREACHABLE)
		return WF_UNREACHABLE;
	return a > COST_MAXIMUM - b ? COST_MAXIMUM : a + b;
}

/* The transition can fire, at a cost of sum. */
static void reach_outputs(
    struct wf_relax *relax, const struct wf_transition *t, uint32_t sum)
{
	uint32_t in = 0;

	for (uint32_t i = 0; i < t->output_count; i++) {
		const struct wf_arc *out = &t->outputs[i];

		while (in < t->input_count && t->inputs[in].place < out->place)
			in++;
		if (in < t->input_count && t->inputs[in].place == out->place &&
		    t->inputs[in].weight >= out->weight)
			continue; /* no gain */
		if (sum < relax->cost[out->place]) {
			relax->cost[out->place] = sum;
			wf_heap_push(&relax->heap, sum, out->place);
		}
	}
}

static void start(struct wf_relax *relax, const uint32_t *tokens)
{
	const struct wf_petri *net = relax->net;

	memset(relax->cost, 0xff, net->place_count * sizeof(*relax->cost));
	memset(relax->settled, 0, net->place_count);
	relax->heap.count = 0;
	for (uint32_t i = 0; i < net->transition_count; i++) {
		const struct wf_transition *t = &net->transitions[i];
		uint32_t missing = 0;

		for (uint32_t k = 0; k < t->input_count; k++)
			missing +=
			    tokens[t->inputs[k].place] < t->inputs[k].weight;
		relax->missing[i] = missing;
		relax->sum[i] = 1;
		if (missing == 0)
			reach_outputs(relax, t, 1);
	}
}

void wf_relax_run(struct wf_relax *relax, const uint32_t *tokens)
{
	const struct wf_adjacency *a = relax->adjacency;

	start(relax, tokens);
	relax->work +=
	    relax->net->place_count / 4 + relax->net->transition_count * 2;
	while (relax->heap.count > 0) {
		uint32_t cost;
		uint32_t place = wf_heap_pop(&relax->heap, &cost);

		if (relax->settled[place])
			continue;
		relax->settled[place] = 1;
		relax->work += 16 + 8 * (a->consumer_starts[place + 1] -
					    a->consumer_starts[place]);
		for (uint32_t i = a->consumer_starts[place];
		     i < a->consumer_starts[place + 1]; i++) {
			uint32_t number = a->consumers[i];
			const struct wf_transition *t =
			    &relax->net->transitions[number];
			uint32_t weight =
			    wf_arcs_weight(t->inputs, t->input_count, place);

			if (tokens[place] >= weight)
				continue;
			relax->sum[number] = add(relax->sum[number],
			    need(cost, weight, tokens[place]));
			if (--relax->missing[number] == 0)
				reach_outputs(relax, t, relax->sum[number]);
		}
	}
}

uint32_t wf_relax_estimate(const struct wf_relax *relax, const uint32_t *tokens,
    const struct wf_target *target)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < target->count; i++) {
		const struct wf_arc *arc = &target->arcs[i];

		sum = add(sum, need(relax->cost[arc->place], arc->weight,
				   tokens[arc->place]));
	}
	return sum;
}
