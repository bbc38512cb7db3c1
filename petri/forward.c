/* SPDX-License-Identifier: Apache-2.0 */
/* Greedy best-first search with the relaxed net as its guide. */
#include "petri/forward.h"

#include <string.h>

#include "petri/bag.h"
#include "petri/relax.h"

struct node {
	uint32_t parent;
	uint32_t via; /* the transition that leads to the node */
};

struct search {
	const struct wf_petri *net;
	const struct wf_target *targets;
	uint32_t target_count;
	struct wf_adjacency adjacency;
	struct wf_relax relax;
	struct wf_bags bags;
	struct node *nodes; /* parallel to bags.bags */
	uint32_t node_capacity;
	struct wf_heap open;
	uint32_t *here;	  /* the marking under expansion */
	uint32_t *next;	  /* its successor */
	uint32_t *marked; /* places with tokens in here */
	struct wf_arc *arcs;
	uint64_t work;
	bool overflowed; /* something was left out: too many tokens */
};

static void search_init(struct search *s, const struct wf_petri *net,
    const struct wf_target *targets, uint32_t target_count)
{
	uint32_t places = net->place_count;

	*s = (struct search){
		.net = net, .targets = targets, .target_count = target_count
	};
	wf_adjacency_init(&s->adjacency, net);
	wf_relax_init(&s->relax, net, &s->adjacency);
	wf_bags_init(&s->bags);
	s->here = wf_calloc(places + 1, sizeof(*s->here));
	s->next = wf_calloc(places + 1, sizeof(*s->next));
	s->marked = wf_calloc(places + 1, sizeof(*s->marked));
	s->arcs = wf_calloc(places + 1, sizeof(*s->arcs));
}

static void search_free(struct search *s)
{
	wf_adjacency_free(&s->adjacency);
	wf_relax_free(&s->relax);
	wf_bags_free(&s->bags);
	wf_heap_free(&s->open);
	wf_free(s->nodes);
	wf_free(s->here);
	wf_free(s->next);
	wf_free(s->marked);
	wf_free(s->arcs);
}

/* Whether the marking next is new; a new marking gets a node. */
static bool add_node(
    struct search *s, uint32_t parent, uint32_t via, uint32_t *number_out)
{
	struct wf_bag bag;
	uint32_t count = 0;
	bool added;

	for (uint32_t i = 0; i < s->net->place_count; i++)
		if (s->next[i] != 0)
			s->arcs[count++] = (struct wf_arc){ i, s->next[i] };
	bag = wf_bag_of(s->arcs, count);
	*number_out = wf_bags_add(&s->bags, &bag, &added);
	if (!added)
		return false;
	if (*number_out >= s->node_capacity) {
		s->node_capacity = s->bags.capacity;
		s->nodes =
		    wf_realloc(s->nodes, s->node_capacity * sizeof(*s->nodes));
	}
	s->nodes[*number_out] = (struct node){ parent, via };
	return true;
}

/* The cost from next to the nearest target; 0 when it covers one. */
static uint32_t estimate(struct search *s)
{
	uint32_t best = WF_UNREACHABLE;

	for (uint32_t i = 0; i < s->target_count; i++)
		if (wf_arcs_below(
			s->targets[i].arcs, s->targets[i].count, s->next))
			return 0;
	wf_relax_run(&s->relax, s->next);
	for (uint32_t i = 0; i < s->target_count; i++) {
		uint32_t cost =
		    wf_relax_estimate(&s->relax, s->next, &s->targets[i]);

		if (cost < best)
			best = cost;
	}
	return best;
}

/* Adds the marking next; true: it covers a target. */
static bool visit(
    struct search *s, uint32_t parent, uint32_t via, uint32_t *number_out)
{
	uint32_t cost;

	s->work += s->net->place_count;
	if (!add_node(s, parent, via, number_out))
		return false;
	cost = estimate(s);
	if (cost != 0 && cost != WF_UNREACHABLE)
		wf_heap_push(&s->open, cost, *number_out);
	return cost == 0;
}

/* Whether t puts more tokens on a place than are counted. */
static bool overflows(const struct search *s, const struct wf_transition *t)
{
	for (uint32_t i = 0; i < t->output_count; i++) {
		uint32_t place = t->outputs[i].place;

		if (s->next[place] == WF_MANY && s->here[place] != WF_MANY)
			return true;
	}
	return false;
}

static bool fire(
    struct search *s, uint32_t from, uint32_t transition, uint32_t *number_out)
{
	const struct wf_transition *t = &s->net->transitions[transition];

	s->work++;
	if (!wf_transition_enabled(t, s->here))
		return false;
	memcpy(s->next, s->here, s->net->place_count * sizeof(*s->next));
	wf_transition_fire(t, s->next);
	if (overflows(s, t)) {
		s->overflowed = true;
		return false;
	}
	return visit(s, from, transition, number_out);
}

/*
 * Fires every enabled transition until a target is covered (true).  The index
 * lists a transition for each of its inputs; it is tried for the first one.
 */
static bool expand(struct search *s, uint32_t number, uint32_t *goal_out)
{
	const struct wf_bag bag = s->bags.bags[number];
	const struct wf_adjacency *a = &s->adjacency;
	bool found = false;

	memset(s->here, 0, s->net->place_count * sizeof(*s->here));
	for (uint32_t i = 0; i < bag.count; i++)
		s->here[bag.arcs[i].place] = bag.arcs[i].weight;
	for (uint32_t i = 0; i < bag.count && !found; i++) {
		uint32_t place = bag.arcs[i].place;

		for (uint32_t k = a->consumer_starts[place];
		     k < a->consumer_starts[place + 1] && !found; k++) {
			uint32_t t = a->consumers[k];

			if (s->net->transitions[t].inputs[0].place == place)
				found = fire(s, number, t, goal_out);
		}
	}
	for (uint32_t t = 0; t < s->net->transition_count && !found; t++)
		if (s->net->transitions[t].input_count == 0)
			found = fire(s, number, t, goal_out);
	return found;
}

static void make_trace(
    const struct search *s, uint32_t goal, struct wf_firings *trace_out)
{
	uint32_t count = 0;

	for (uint32_t i = goal; s->nodes[i].parent != WF_NONE;
	     i = s->nodes[i].parent)
		count++;
	trace_out->count = count;
	trace_out->transitions = wf_calloc(count + 1, sizeof(uint32_t));
	for (uint32_t i = goal; count > 0; i = s->nodes[i].parent)
		trace_out->transitions[--count] = s->nodes[i].via;
}

void wf_cover_forward(const struct wf_petri *net, const uint32_t *from,
    const struct wf_target *targets, uint32_t target_count,
    const struct wf_forward_limits *limits, struct wf_forward *result_out)
{
	struct search s;
	uint32_t goal;
	bool found;

	*result_out = (struct wf_forward){ .verdict = WF_COVER_UNKNOWN };
	search_init(&s, net, targets, target_count);
	memcpy(s.next, from, net->place_count * sizeof(*from));
	found = visit(&s, WF_NONE, WF_NONE, &goal);
	while (!found && s.open.count > 0 &&
	       result_out->expansions < limits->expansions &&
	       s.work + s.relax.work < limits->work) {
		uint32_t key;
		uint32_t number = wf_heap_pop(&s.open, &key);

		result_out->expansions++;
		found = expand(&s, number, &goal);
	}
	if (found) {
		result_out->verdict = WF_COVERABLE;
		make_trace(&s, goal, &result_out->firings);
	} else if (s.open.count == 0 && !s.overflowed) {
		result_out->verdict = WF_NOT_COVERABLE;
	}
	result_out->work = s.work + s.relax.work;
	search_free(&s);
}
