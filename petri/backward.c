/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small markings are expanded first, because they cover most others.
 *
 * Index: each stored marking is in the list of one of its places, the one with
 * the shortest list, so all markings below a given one are in the lists of its
 * places.  A marking that turns out not to be minimal is removed from its list
 * and not expanded, but keeps its number, for traces.
 */
#include "petri/backward.h"

#include <string.h>

#include "petri/heap.h"

struct filed {
	uint64_t signature;
	uint64_t folded; /* see fold() */
	uint32_t number;
};

struct file {
	struct filed *entries;
	uint32_t count;
	uint32_t capacity;
};

struct search {
	const struct wf_petri *net;
	const struct wf_backward_from *from;
	struct wf_adjacency adjacency;
	struct wf_basis *basis;
	uint32_t node_capacity;
	uint8_t *dead; /* per bag: the bag is not minimal */
	struct wf_heap open;
	struct file *files;  /* per place */
	uint32_t *seen;	     /* per transition: the last expansion + 1 */
	struct wf_arc *arcs; /* the predecessor under construction */
	uint32_t filed_count;
	bool covers_nothing; /* the empty marking is in the basis */
	bool overflowed;     /* something was left out: too many tokens */
};

/* --- Which markings are kept --- */

#define FOLD_HIGH UINT64_C(0x8888888888888888)

/*
 * Sixteen sums of four bits, of the places p with the same p % 16; up to
 * seven, so that the high bits are free for comparing all at once.
 */
static uint64_t fold(const struct wf_bag *bag)
{
	uint64_t folded = 0;

	for (uint32_t i = 0; i < bag->count; i++) {
		unsigned shift = bag->arcs[i].place % 16 * 4;
		uint64_t sum = (folded >> shift & 7) + bag->arcs[i].weight;

		folded &= ~(UINT64_C(7) << shift);
		folded |= (sum > 7 ? 7 : sum) << shift;
	}
	return folded;
}

/* False: b is not at least a.  True is no proof. */
static bool may_be_below(uint64_t a, uint64_t b)
{
	return (((b | FOLD_HIGH) - a) & FOLD_HIGH) == FOLD_HIGH;
}

static uint32_t size_of(const struct wf_bag *bag)
{
	uint32_t size = 0;

	for (uint32_t i = 0; i < bag->count; i++)
		size = wf_tokens_add(size, bag->arcs[i].weight);
	return size;
}

static void file_bag(struct search *s, uint32_t number)
{
	const struct wf_bag *bag = &s->basis->bags.bags[number];
	struct file *file;

	s->filed_count++;
	if (bag->count == 0) {
		s->covers_nothing = true;
		return;
	}
	file = &s->files[bag->arcs[0].place];
	for (uint32_t i = 1; i < bag->count; i++) {
		struct file *other = &s->files[bag->arcs[i].place];

		if (other->count < file->count)
			file = other;
	}
	if (file->count == file->capacity) {
		file->capacity = file->count == 0 ? 4 : file->count * 2;
		file->entries = wf_realloc(
		    file->entries, file->capacity * sizeof(*file->entries));
	}
	file->entries[file->count++] =
	    (struct filed){ bag->signature, fold(bag), number };
}

/*
 * Whether a marking of the file is at most bag.  Removes the markings above bag
 * that it passes.
 */
static bool file_has_below(struct search *s, struct file *file,
    const struct wf_bag *bag, uint64_t folded)
{
	const struct wf_bag *bags = s->basis->bags.bags;
	uint32_t kept = 0;
	uint32_t i;
	bool below = false;

	for (i = 0; i < file->count && !below; i++) {
		struct filed entry = file->entries[i];

		if ((entry.signature & ~bag->signature) == 0 &&
		    may_be_below(entry.folded, folded)) {
			s->basis->work += 4;
			below = wf_bag_below(&bags[entry.number], bag);
		}
		if (!below && (bag->signature & ~entry.signature) == 0 &&
		    may_be_below(folded, entry.folded)) {
			s->basis->work += 4;
			if (wf_bag_below(bag, &bags[entry.number])) {
				s->dead[entry.number] = 1;
				s->filed_count--;
				continue;
			}
		}
		file->entries[kept++] = entry;
	}
	s->basis->work += i;
	if (kept < i) {
		memmove(file->entries + kept, file->entries + i,
		    (file->count - i) * sizeof(*file->entries));
		file->count -= i - kept;
	}
	return below;
}

static bool has_below(struct search *s, const struct wf_bag *bag)
{
	uint64_t folded = fold(bag);

	if (s->covers_nothing)
		return true;
	for (uint32_t i = 0; i < bag->count; i++)
		if (file_has_below(
			s, &s->files[bag->arcs[i].place], bag, folded))
			return true;
	return false;
}

/*
 * Whether bag may be coverable from the marking of the question; false is a
 * proof.
 */
static bool may_be_covered(const struct search *s, const struct wf_bag *bag)
{
	const struct wf_backward_from *from = s->from;

	if (from == NULL)
		return true;
	for (uint32_t i = 0; i < bag->count; i++)
		if (bag->arcs[i].weight > from->ceilings[bag->arcs[i].place])
			return false;
	for (uint32_t i = 0; i < from->subvariant_count; i++) {
		const struct wf_subvariant *y = &from->subvariants[i];
		uint64_t sum = 0;
		uint32_t k = 0;

		s->basis->work += bag->count;
		for (uint32_t j = 0; j < bag->count; j++) {
			while (k < y->count &&
			       y->arcs[k].place < bag->arcs[j].place)
				k++;
			if (k < y->count &&
			    y->arcs[k].place == bag->arcs[j].place)
				sum += (uint64_t)y->arcs[k].weight *
				       bag->arcs[j].weight;
		}
		if (sum > y->bound)
			return false;
	}
	return true;
}

static void grow_nodes(struct search *s)
{
	struct wf_basis *basis = s->basis;
	uint32_t old = s->node_capacity;

	s->node_capacity = basis->bags.capacity;
	basis->nodes =
	    wf_realloc(basis->nodes, s->node_capacity * sizeof(*basis->nodes));
	s->dead = wf_realloc(s->dead, s->node_capacity);
	memset(s->dead + old, 0, s->node_capacity - old);
}

static void keep(
    struct search *s, const struct wf_bag *bag, uint32_t parent, uint32_t via)
{
	struct wf_basis *basis = s->basis;
	uint32_t number;
	bool added;

	s->basis->work += 8 + bag->count;
	if (!may_be_covered(s, bag) || has_below(s, bag))
		return;
	number = wf_bags_add(&basis->bags, bag, &added);
	if (!added)
		return;
	if (number >= s->node_capacity)
		grow_nodes(s);
	basis->nodes[number] = (struct wf_basis_node){ parent, via };
	file_bag(s, number);
	wf_heap_push(&s->open, size_of(bag) + bag->count, number);
	if (s->from != NULL && basis->met == WF_NONE &&
	    wf_arcs_below(bag->arcs, bag->count, s->from->tokens))
		basis->met = number;
}

/* --- Predecessors --- */

/*
 * The smallest marking from which t leads to at least bag, into s->arcs; its
 * length, or WF_NONE when there is none, or none that bag is not below.
 */
static uint32_t predecessor(
    struct search *s, const struct wf_transition *t, const struct wf_bag *bag)
{
	uint32_t count = 0;
	uint32_t in = 0;
	uint32_t out = 0;
	bool gained = false;

	for (uint32_t i = 0; i < bag->count; i++) {
		uint32_t place = bag->arcs[i].place;
		uint32_t weight = bag->arcs[i].weight;
		uint32_t put = 0;
		uint32_t taken = 0;

		while (in < t->input_count && t->inputs[in].place < place)
			s->arcs[count++] = t->inputs[in++];
		while (out < t->output_count && t->outputs[out].place < place)
			out++;
		if (in < t->input_count && t->inputs[in].place == place)
			taken = t->inputs[in++].weight;
		if (out < t->output_count && t->outputs[out].place == place)
			put = t->outputs[out].weight;
		if (t->reset_count > 0 && wf_transition_resets(t, place)) {
			if (weight > put)
				return WF_NONE;
			put = weight;
		}
		weight = wf_tokens_add(weight > put ? weight - put : 0, taken);
		if (weight == WF_MANY) {
			s->overflowed = true;
			return WF_NONE;
		}
		gained = gained || weight < bag->arcs[i].weight;
		if (weight > 0)
			s->arcs[count++] = (struct wf_arc){ place, weight };
	}
	while (in < t->input_count)
		s->arcs[count++] = t->inputs[in++];
	return gained ? count : WF_NONE;
}

static void expand(struct search *s, uint32_t number)
{
	const struct wf_bag bag = s->basis->bags.bags[number];
	const struct wf_adjacency *a = &s->adjacency;
	uint32_t stamp = ++s->basis->expansions;

	for (uint32_t i = 0; i < bag.count; i++) {
		uint32_t place = bag.arcs[i].place;

		for (uint32_t k = a->producer_starts[place];
		     k < a->producer_starts[place + 1]; k++) {
			uint32_t t = a->producers[k];
			struct wf_bag before;
			uint32_t count;

			if (s->seen[t] == stamp)
				continue;
			s->seen[t] = stamp;
			s->basis->work += 8;
			count = predecessor(s, &s->net->transitions[t], &bag);
			if (count == WF_NONE)
				continue;
			before = wf_bag_of(s->arcs, count);
			keep(s, &before, number, t);
		}
	}
}

/* --- The whole --- */

static void search_init(struct search *s, const struct wf_petri *net,
    const struct wf_backward_from *from)
{
	*s = (struct search){ .net = net, .from = from };
	wf_adjacency_init(&s->adjacency, net);
	s->basis = wf_calloc(1, sizeof(*s->basis));
	s->basis->met = WF_NONE;
	wf_bags_init(&s->basis->bags);
	s->files = wf_calloc(net->place_count + 1, sizeof(*s->files));
	s->seen = wf_calloc(net->transition_count + 1, sizeof(*s->seen));
	s->arcs = wf_calloc(net->place_count + 1, sizeof(*s->arcs));
}

static void search_free(struct search *s)
{
	for (uint32_t i = 0; i < s->net->place_count; i++)
		wf_free(s->files[i].entries);
	wf_adjacency_free(&s->adjacency);
	wf_heap_free(&s->open);
	wf_free(s->dead);
	wf_free(s->files);
	wf_free(s->seen);
	wf_free(s->arcs);
}

/*
 * Checks the markings that are still filed: markings of two files may be
 * comparable.
 */
static void collect_minimal(struct search *s)
{
	struct wf_basis *basis = s->basis;

	basis->minimal = wf_calloc(basis->bags.count + 1, sizeof(uint32_t));
	for (uint32_t i = 0; i < basis->bags.count; i++) {
		const struct wf_bag *bag = &basis->bags.bags[i];
		bool minimal = !s->dead[i];

		for (uint32_t k = 0; minimal && k < bag->count; k++) {
			const struct file *file = &s->files[bag->arcs[k].place];

			for (uint32_t j = 0; minimal && j < file->count; j++)
				minimal =
				    file->entries[j].number == i ||
				    !wf_bag_below(
					&basis->bags
					     .bags[file->entries[j].number],
					bag);
		}
		if (s->covers_nothing)
			minimal = bag->count == 0;
		if (minimal)
			basis->minimal[basis->minimal_count++] = i;
	}
}

/*
 * Whether another expansion exceeds the limits.  For an expansion within the
 * limits, basis->needs records the smallest limits that would have allowed it.
 */
static bool is_exceeded(
    const struct search *s, const struct wf_backward_limits *limits)
{
	struct wf_basis *basis = s->basis;

	if (s->filed_count > limits->entries ||
	    basis->expansions >= limits->expansions ||
	    basis->work >= limits->work)
		return true;
	if (s->filed_count > basis->needs.entries)
		basis->needs.entries = s->filed_count;
	basis->needs.expansions = basis->expansions + 1;
	basis->needs.work = basis->work + 1;
	return false;
}

struct wf_basis *wf_basis_compute(const struct wf_petri *net,
    const struct wf_target *targets, uint32_t target_count,
    const struct wf_backward_limits *limits,
    const struct wf_backward_from *from)
{
	struct search s;
	struct wf_basis *basis;
	bool exceeded = false;

	search_init(&s, net, from);
	basis = s.basis;
	for (uint32_t i = 0; i < target_count; i++) {
		struct wf_bag bag =
		    wf_bag_of(targets[i].arcs, targets[i].count);

		keep(&s, &bag, WF_NONE, WF_NONE);
	}
	while (s.open.count > 0 && basis->met == WF_NONE && !exceeded) {
		uint32_t key;
		uint32_t number = wf_heap_pop(&s.open, &key);

		if (s.dead[number])
			continue;
		exceeded = is_exceeded(&s, limits);
		if (!exceeded)
			expand(&s, number);
	}
	basis->complete = !exceeded && basis->met == WF_NONE && !s.overflowed;
	if (basis->complete)
		collect_minimal(&s);
	search_free(&s);
	return basis;
}

void wf_basis_forget(struct wf_basis *basis)
{
	wf_bags_free(&basis->bags);
	wf_free(basis->nodes);
	wf_free(basis->minimal);
	basis->nodes = NULL;
	basis->minimal = NULL;
	basis->minimal_count = 0;
}

void wf_basis_free(struct wf_basis **basis)
{
	if (*basis == NULL)
		return;
	wf_bags_free(&(*basis)->bags);
	wf_free((*basis)->nodes);
	wf_free((*basis)->minimal);
	wf_free(*basis);
	*basis = NULL;
}

uint32_t wf_basis_below(const struct wf_basis *basis, const uint32_t *tokens)
{
	for (uint32_t i = 0; i < basis->minimal_count; i++) {
		const struct wf_bag *bag = &basis->bags.bags[basis->minimal[i]];

		if (wf_arcs_below(bag->arcs, bag->count, tokens))
			return basis->minimal[i];
	}
	return WF_NONE;
}

void wf_basis_firings(
    const struct wf_basis *basis, uint32_t number, struct wf_firings *trace_out)
{
	uint32_t count = 0;

	for (uint32_t i = number; basis->nodes[i].parent != WF_NONE;
	     i = basis->nodes[i].parent)
		count++;
	trace_out->transitions = wf_calloc(count + 1, sizeof(uint32_t));
	trace_out->count = 0;
	for (uint32_t i = number; trace_out->count < count;
	     i = basis->nodes[i].parent)
		trace_out->transitions[trace_out->count++] =
		    basis->nodes[i].via;
}
