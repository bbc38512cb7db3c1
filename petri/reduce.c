/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions, in rounds until nothing changes.
 *
 * Within a round places are substituted from the end of paths to their
 * beginning.  So a chain of any length is substituted in one round, and the
 * image of a place does not change in the round in which it was found.
 */
#include "petri/reduce.h"

#include <string.h>

#include "base/bitset.h"
#include "base/panic.h"

#define ROUNDS 64
/* A place is not substituted by more places or more tokens than these. */
#define IMAGE_ARCS 32
#define IMAGE_WEIGHT 255

struct transition {
	struct wf_arc *inputs;
	struct wf_arc *outputs;
	const uint32_t *resets; /* places outside the cone included */
	uint32_t *steps;
	uint32_t input_count;
	uint32_t output_count;
	uint32_t reset_count;
	uint32_t step_count;
	uint32_t label;
	bool gone;
};

/* A place that was substituted. */
struct substitute {
	uint32_t place;
	struct wf_arc *arcs;
	uint32_t count;
	const uint32_t *steps;
	uint32_t step_count;
};

enum visit { UNSEEN, OPEN, DONE };

struct work {
	struct wf_arena *arena;
	const struct wf_petri *net;
	const uint64_t *kept;
	uint32_t place_count;
	struct transition *transitions;
	uint32_t count;
	size_t capacity;
	bool *in_cone; /* per place */
	/* Per place, for this round. */
	uint32_t *consumer_starts;
	uint32_t *consumers;
	uint32_t *producer_starts;
	uint32_t *producers;
	uint32_t *resetter_starts;
	uint32_t *resetters; /* transitions that reset the place, ascending */
	size_t resetter_capacity;
	uint32_t *record; /* number in substitutes + 1 */
	uint8_t *visits;  /* enum visit */
	uint32_t *cursors;
	uint32_t *stack;
	struct wf_arc *scratch;
	uint32_t *position; /* per place: in scratch + 1 */
	struct substitute *substitutes;
	uint32_t substitute_count;
	size_t substitute_capacity;
	bool changed;
};

/* --- The tables of a round --- */

static void count_neighbours(struct work *w)
{
	memset(w->consumer_starts, 0, (w->place_count + 1) * sizeof(uint32_t));
	memset(w->producer_starts, 0, (w->place_count + 1) * sizeof(uint32_t));
	memset(w->resetter_starts, 0, (w->place_count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < w->count; i++) {
		const struct transition *t = &w->transitions[i];

		if (t->gone)
			continue;
		for (uint32_t k = 0; k < t->input_count; k++)
			w->consumer_starts[t->inputs[k].place]++;
		for (uint32_t k = 0; k < t->output_count; k++)
			w->producer_starts[t->outputs[k].place]++;
		for (uint32_t k = 0; k < t->reset_count; k++)
			w->resetter_starts[t->resets[k]]++;
	}
}

/* Turns counts into ends; filling moves each end down to its start. */
static uint32_t sum_up(uint32_t *counts, uint32_t count)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i <= count; i++) {
		sum += i < count ? counts[i] : 0;
		counts[i] = sum;
	}
	return sum;
}

static void find_neighbours(struct work *w)
{
	uint32_t consumers;
	uint32_t producers;
	uint32_t resetters;

	count_neighbours(w);
	consumers = sum_up(w->consumer_starts, w->place_count);
	producers = sum_up(w->producer_starts, w->place_count);
	resetters = sum_up(w->resetter_starts, w->place_count);
	if (resetters > w->resetter_capacity) {
		w->resetter_capacity = (size_t)resetters * 2;
		w->resetters = wf_arena_array(
		    w->arena, w->resetter_capacity, sizeof(uint32_t));
	}
	w->consumers =
	    wf_arena_array(w->arena, consumers + 1, sizeof(uint32_t));
	w->producers =
	    wf_arena_array(w->arena, producers + 1, sizeof(uint32_t));
	for (uint32_t i = w->count; i-- > 0;) {
		const struct transition *t = &w->transitions[i];

		if (t->gone)
			continue;
		for (uint32_t k = 0; k < t->input_count; k++)
			w->consumers[--w->consumer_starts[t->inputs[k].place]] =
			    i;
		for (uint32_t k = 0; k < t->output_count; k++)
			w->producers
			    [--w->producer_starts[t->outputs[k].place]] = i;
		for (uint32_t k = 0; k < t->reset_count; k++)
			w->resetters[--w->resetter_starts[t->resets[k]]] = i;
	}
}

static uint32_t count_resetters(const struct work *w, uint32_t place)
{
	return w->resetter_starts[place + 1] - w->resetter_starts[place];
}

/* Whether the same transitions reset both places. */
static bool reset_alike(const struct work *w, uint32_t a, uint32_t b)
{
	uint32_t count = count_resetters(w, a);

	return count == count_resetters(w, b) &&
	       (count == 0 || memcmp(&w->resetters[w->resetter_starts[a]],
				  &w->resetters[w->resetter_starts[b]],
				  count * sizeof(uint32_t)) == 0);
}

static void drop(struct work *w, struct transition *t)
{
	t->gone = true;
	w->changed = true;
}

/* --- Cone --- */

static void enter_cone(struct work *w, uint32_t place, uint32_t *count)
{
	if (w->in_cone[place])
		return;
	w->in_cone[place] = true;
	w->stack[(*count)++] = place;
}

static void cut_transition(struct work *w, struct transition *t)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < t->output_count; k++)
		if (w->in_cone[t->outputs[k].place])
			t->outputs[kept++] = t->outputs[k];
	t->output_count = kept;
	if (kept == 0)
		drop(w, t);
}

static void restrict_to_cone(struct work *w)
{
	uint32_t count = 0;

	memset(w->in_cone, 0, w->place_count);
	WF_BITSET_EACH (i, w->kept, wf_bitset_words(w->place_count))
		enter_cone(w, (uint32_t)i, &count);
	while (count > 0) {
		uint32_t place = w->stack[--count];

		for (uint32_t i = w->producer_starts[place];
		     i < w->producer_starts[place + 1]; i++) {
			const struct transition *t =
			    &w->transitions[w->producers[i]];

			for (uint32_t k = 0; !t->gone && k < t->input_count;
			     k++)
				enter_cone(w, t->inputs[k].place, &count);
		}
	}
	for (uint32_t i = 0; i < w->count; i++)
		if (!w->transitions[i].gone)
			cut_transition(w, &w->transitions[i]);
}

/* --- Useless and dominated transitions --- */

static bool resets(const struct work *w, const struct transition *t, uint32_t p)
{
	const struct wf_transition as = { .resets = (uint32_t *)t->resets,
		.reset_count = t->reset_count };

	return w->in_cone[p] && wf_transition_resets(&as, p);
}

static bool arcs_within(const struct wf_arc *a, uint32_t a_count,
    const struct wf_arc *b, uint32_t b_count)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < a_count; i++) {
		while (k < b_count && b[k].place < a[i].place)
			k++;
		if (k == b_count || b[k].place != a[i].place ||
		    b[k].weight < a[i].weight)
			return false;
	}
	return true;
}

static void drop_useless(struct work *w)
{
	for (uint32_t i = 0; i < w->count; i++) {
		struct transition *t = &w->transitions[i];

		if (!t->gone && arcs_within(t->outputs, t->output_count,
				    t->inputs, t->input_count))
			drop(w, t);
	}
}

/* The tokens on p after t has fired with before tokens on p. */
static uint64_t after(const struct work *w, const struct transition *t,
    uint32_t p, uint64_t before)
{
	if (resets(w, t, p))
		before = 0;
	else
		before -= wf_arcs_weight(t->inputs, t->input_count, p);
	return before + wf_arcs_weight(t->outputs, t->output_count, p);
}

/*
 * Whether b is enabled whenever a is, and always leaves at least as many
 * tokens on every place.  Comparing at the minimal marking that enables a is
 * enough: with more tokens the difference stays the same, or, on a place that
 * only a resets, grows in favour of b.
 */
static bool outdoes(const struct work *w, const struct transition *b,
    const struct transition *a)
{
	if (!arcs_within(b->inputs, b->input_count, a->inputs, a->input_count))
		return false;
	for (uint32_t i = 0; i < b->reset_count; i++)
		if (w->in_cone[b->resets[i]] && !resets(w, a, b->resets[i]))
			return false;
	for (uint32_t i = 0; i < a->output_count; i++) {
		uint32_t p = a->outputs[i].place;
		uint32_t least = wf_arcs_weight(a->inputs, a->input_count, p);

		if (after(w, b, p, least) < after(w, a, p, least))
			return false;
	}
	for (uint32_t i = 0; i < a->input_count; i++) {
		uint32_t p = a->inputs[i].place;
		uint32_t least = a->inputs[i].weight;

		if (after(w, b, p, least) < after(w, a, p, least))
			return false;
	}
	return true;
}

/* A transition that dominates a takes its first input from an input of a. */
static bool is_outdone(const struct work *w, uint32_t a)
{
	const struct transition *t = &w->transitions[a];

	for (uint32_t i = 0; i < t->input_count; i++) {
		uint32_t place = t->inputs[i].place;

		for (uint32_t k = w->consumer_starts[place];
		     k < w->consumer_starts[place + 1]; k++) {
			uint32_t b = w->consumers[k];
			const struct transition *other = &w->transitions[b];

			if (b == a || other->gone ||
			    other->inputs[0].place != place ||
			    !outdoes(w, other, t))
				continue;
			if (b < a || !outdoes(w, t, other))
				return true;
		}
	}
	return false;
}

static void drop_dominated(struct work *w)
{
	for (uint32_t i = 0; i < w->count; i++)
		if (!w->transitions[i].gone && is_outdone(w, i))
			drop(w, &w->transitions[i]);
}

/* --- Fusing --- */

static bool is_single(const struct wf_arc *arcs, uint32_t count)
{
	return count == 1 && arcs[0].weight == 1;
}

static bool starts_only(const struct work *w, const struct transition *t)
{
	if (t->gone || !is_single(t->outputs, t->output_count))
		return false;
	for (uint32_t i = 0; i < t->reset_count; i++)
		if (w->in_cone[t->resets[i]])
			return false;
	for (uint32_t i = 0; i < t->input_count; i++)
		if (count_resetters(w, t->inputs[i].place) != 0 ||
		    t->inputs[i].place == t->outputs[0].place)
			return false;
	return true;
}

static void add_fused(struct work *w, uint32_t start, uint32_t end)
{
	const struct transition *s = &w->transitions[start];
	const struct transition *e = &w->transitions[end];
	struct transition fused = *e;

	fused.inputs = s->inputs;
	fused.input_count = s->input_count;
	fused.outputs =
	    wf_arena_array(w->arena, e->output_count, sizeof(*fused.outputs));
	memcpy(fused.outputs, e->outputs,
	    e->output_count * sizeof(*fused.outputs));
	fused.step_count = s->step_count + e->step_count;
	fused.steps =
	    wf_arena_array(w->arena, fused.step_count, sizeof(*fused.steps));
	memcpy(fused.steps, s->steps, s->step_count * sizeof(*s->steps));
	memcpy(fused.steps + s->step_count, e->steps,
	    e->step_count * sizeof(*e->steps));
	w->transitions = wf_arena_grow(w->arena, w->transitions, w->count,
	    &w->capacity, sizeof(*w->transitions));
	w->transitions[w->count++] = fused;
}

static bool can_fuse(const struct work *w, uint32_t place)
{
	uint32_t ends =
	    w->consumer_starts[place + 1] - w->consumer_starts[place];
	uint32_t starts =
	    w->producer_starts[place + 1] - w->producer_starts[place];

	if (wf_bitset_has(w->kept, place) || !w->in_cone[place] ||
	    starts == 0 || (uint64_t)starts * ends > 2 * (starts + ends) + 8)
		return false;
	for (uint32_t i = 0; i < starts; i++)
		if (!starts_only(w,
			&w->transitions[w->producers[w->producer_starts[place] +
						     i]]))
			return false;
	for (uint32_t i = 0; i < ends; i++) {
		const struct transition *t =
		    &w->transitions[w->consumers[w->consumer_starts[place] +
						 i]];

		if (t->gone || !is_single(t->inputs, t->input_count))
			return false;
	}
	return true;
}

/* The tables do not list fused transitions, so they wait for the next round. */
static void fuse(struct work *w)
{
	for (uint32_t place = 0; place < w->place_count; place++) {
		if (!can_fuse(w, place))
			continue;
		for (uint32_t i = w->producer_starts[place];
		     i < w->producer_starts[place + 1]; i++)
			for (uint32_t k = w->consumer_starts[place];
			     k < w->consumer_starts[place + 1]; k++)
				add_fused(w, w->producers[i], w->consumers[k]);
		for (uint32_t i = w->producer_starts[place];
		     i < w->producer_starts[place + 1]; i++)
			drop(w, &w->transitions[w->producers[i]]);
	}
}

/* --- Substituting --- */

/* The transition whose input can be substituted, or NULL. */
static const struct transition *turner(const struct work *w, uint32_t place)
{
	const struct transition *t;

	if (wf_bitset_has(w->kept, place) || !w->in_cone[place] ||
	    w->record[place] != 0 ||
	    w->consumer_starts[place + 1] != w->consumer_starts[place] + 1)
		return NULL;
	t = &w->transitions[w->consumers[w->consumer_starts[place]]];
	if (t->gone || !is_single(t->inputs, t->input_count) ||
	    t->output_count > IMAGE_ARCS)
		return NULL;
	for (uint32_t i = 0; i < t->reset_count; i++)
		if (w->in_cone[t->resets[i]])
			return NULL;
	return t;
}

static bool gather(
    struct work *w, const struct wf_arc *arc, uint64_t factor, uint32_t *count)
{
	uint64_t weight = factor * arc->weight;
	uint32_t *position = &w->position[arc->place];

	if (*position == 0) {
		w->scratch[(*count)++] = (struct wf_arc){ arc->place, 0 };
		*position = *count;
	}
	weight += w->scratch[*position - 1].weight;
	/* Searches stop counting here. */
	if (weight > WF_MANY_FROM)
		weight = WF_MANY_FROM;
	w->scratch[*position - 1].weight = (uint32_t)weight;
	return weight <= IMAGE_WEIGHT;
}

/*
 * Puts the arcs into scratch, sorted, with images instead of substituted
 * places.  False: there are too many arcs, or a weight is too large.
 */
static bool resolve(struct work *w, const struct wf_arc *arcs, uint32_t count,
    uint32_t *count_out)
{
	uint32_t found = 0;
	bool small = true;

	for (uint32_t i = 0; i < count; i++) {
		const struct substitute *s;

		if (w->record[arcs[i].place] == 0) {
			small &= gather(w, &arcs[i], 1, &found);
			continue;
		}
		s = &w->substitutes[w->record[arcs[i].place] - 1];
		for (uint32_t k = 0; k < s->count; k++)
			small &= gather(w, &s->arcs[k], arcs[i].weight, &found);
	}
	for (uint32_t i = 0; i < found; i++)
		w->position[w->scratch[i].place] = 0;
	*count_out = wf_arcs_normalise(w->scratch, found);
	return small && found <= IMAGE_ARCS;
}

static void substitute(struct work *w, uint32_t place)
{
	uint32_t number = w->consumers[w->consumer_starts[place]];
	struct transition *t = &w->transitions[number];
	struct substitute *s;
	uint32_t count;

	/* An open place can still be substituted in this round. */
	for (uint32_t i = 0; i < t->output_count; i++)
		if (w->visits[t->outputs[i].place] == OPEN)
			return;
	if (!resolve(w, t->outputs, t->output_count, &count))
		return;
	for (uint32_t i = 0; i < count; i++)
		if (w->scratch[i].place == place ||
		    !reset_alike(w, w->scratch[i].place, place))
			return;
	w->substitutes = wf_arena_grow(w->arena, w->substitutes,
	    w->substitute_count, &w->substitute_capacity, sizeof(*s));
	s = &w->substitutes[w->substitute_count++];
	s->place = place;
	s->count = count;
	s->arcs = wf_arena_array(w->arena, count, sizeof(*s->arcs));
	memcpy(s->arcs, w->scratch, count * sizeof(*s->arcs));
	s->steps = t->steps;
	s->step_count = t->step_count;
	w->record[place] = w->substitute_count;
	drop(w, t);
}

/* Substitutes the places reachable from place first, then place; iterative. */
static void substitute_from(struct work *w, uint32_t place)
{
	uint32_t count = 0;

	w->stack[count++] = place;
	w->visits[place] = OPEN;
	while (count > 0) {
		uint32_t at = w->stack[count - 1];
		const struct transition *t = turner(w, at);
		uint32_t next;

		if (w->cursors[at] == t->output_count) {
			substitute(w, at);
			w->visits[at] = DONE;
			count--;
			continue;
		}
		next = t->outputs[w->cursors[at]++].place;
		if (w->visits[next] == UNSEEN && turner(w, next) != NULL) {
			w->visits[next] = OPEN;
			w->stack[count++] = next;
		}
	}
}

static void resolve_outputs(struct work *w)
{
	for (uint32_t i = 0; i < w->count; i++) {
		struct transition *t = &w->transitions[i];
		bool stale = false;
		uint32_t count;

		for (uint32_t k = 0; !t->gone && k < t->output_count; k++)
			stale |= w->record[t->outputs[k].place] != 0;
		if (!stale)
			continue;
		resolve(w, t->outputs, t->output_count, &count);
		if (count > t->output_count)
			t->outputs = wf_arena_array(
			    w->arena, count, sizeof(*t->outputs));
		memcpy(t->outputs, w->scratch, count * sizeof(*t->outputs));
		t->output_count = count;
	}
}

/* The images of places that earlier rounds substituted. */
static void resolve_substitutes(struct work *w, uint32_t before)
{
	for (uint32_t i = 0; i < before; i++) {
		struct substitute *s = &w->substitutes[i];
		uint32_t count;

		resolve(w, s->arcs, s->count, &count);
		s->arcs = wf_arena_array(w->arena, count, sizeof(*s->arcs));
		memcpy(s->arcs, w->scratch, count * sizeof(*s->arcs));
		s->count = count;
	}
}

static void substitute_places(struct work *w)
{
	uint32_t before = w->substitute_count;

	memset(w->visits, UNSEEN, w->place_count);
	memset(w->cursors, 0, w->place_count * sizeof(*w->cursors));
	for (uint32_t place = 0; place < w->place_count; place++)
		if (w->visits[place] == UNSEEN && turner(w, place) != NULL)
			substitute_from(w, place);
	if (w->substitute_count == before)
		return;
	resolve_outputs(w);
	resolve_substitutes(w, before);
}

/* --- The result --- */

static uint32_t number_places(struct work *w, uint32_t *numbers)
{
	uint32_t count = 0;

	memset(numbers, 0xff, w->place_count * sizeof(*numbers));
	WF_BITSET_EACH (i, w->kept, wf_bitset_words(w->place_count))
		numbers[i] = count++;
	for (uint32_t i = 0; i < w->place_count; i++)
		if (w->in_cone[i] && numbers[i] == WF_NONE && w->record[i] == 0)
			numbers[i] = count++;
	return count;
}

static uint32_t renumber(const struct wf_arc *arcs, uint32_t count,
    const uint32_t *numbers, struct wf_arc *arcs_out)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++)
		if (numbers[arcs[i].place] != WF_NONE)
			arcs_out[kept++] =
			    (struct wf_arc){ numbers[arcs[i].place],
				    arcs[i].weight };
	return wf_arcs_normalise(arcs_out, kept);
}

static void add_transition(struct work *w, struct wf_petri *net,
    const struct transition *t, const uint32_t *numbers)
{
	struct wf_arc *inputs =
	    wf_arena_array(w->arena, t->input_count, sizeof(*inputs));
	struct wf_arc *outputs =
	    wf_arena_array(w->arena, t->output_count, sizeof(*outputs));
	uint32_t *places =
	    wf_arena_array(w->arena, t->reset_count, sizeof(*places));
	struct wf_transition_parts parts = { .label = t->label };

	for (uint32_t i = 0; i < t->reset_count; i++)
		if (numbers[t->resets[i]] != WF_NONE)
			places[parts.reset_count++] = numbers[t->resets[i]];
	parts.inputs = inputs;
	parts.input_count =
	    renumber(t->inputs, t->input_count, numbers, inputs);
	parts.outputs = outputs;
	parts.output_count =
	    renumber(t->outputs, t->output_count, numbers, outputs);
	parts.resets = places;
	wf_petri_add(net, &parts);
}

static void build_net(
    struct work *w, struct wf_reduction *r, const uint32_t *numbers)
{
	uint32_t steps = 0;
	uint32_t alive = 0;

	for (uint32_t i = 0; i < w->count; i++)
		if (!w->transitions[i].gone) {
			alive++;
			steps += w->transitions[i].step_count;
		}
	r->steps.starts = wf_arena_array(r->arena, alive + 1, sizeof(uint32_t));
	r->steps.items = wf_arena_array(r->arena, steps, sizeof(uint32_t));
	steps = 0;
	for (uint32_t i = 0; i < w->count; i++) {
		const struct transition *t = &w->transitions[i];

		if (t->gone)
			continue;
		memcpy(r->steps.items + steps, t->steps,
		    t->step_count * sizeof(uint32_t));
		steps += t->step_count;
		add_transition(w, r->net, t, numbers);
		r->steps.starts[r->net->transition_count] = steps;
	}
}

static void build_images(
    struct work *w, struct wf_reduction *r, const uint32_t *numbers)
{
	size_t arcs = w->place_count;
	uint32_t count = 0;

	for (uint32_t i = 0; i < w->substitute_count; i++)
		arcs += w->substitutes[i].count;
	r->image_starts = wf_arena_array(
	    r->arena, w->place_count + 1, sizeof(*r->image_starts));
	r->images = wf_arena_array(r->arena, arcs, sizeof(*r->images));
	for (uint32_t i = 0; i < w->place_count; i++) {
		r->image_starts[i] = count;
		if (w->record[i] != 0) {
			const struct substitute *s =
			    &w->substitutes[w->record[i] - 1];

			count += renumber(
			    s->arcs, s->count, numbers, r->images + count);
		} else if (numbers[i] != WF_NONE) {
			r->images[count++] = (struct wf_arc){ numbers[i], 1 };
		}
	}
	r->image_starts[w->place_count] = count;
}

static void build_turns(struct work *w, struct wf_reduction *r)
{
	size_t steps = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < w->substitute_count; i++)
		steps += w->substitutes[i].step_count;
	r->turns.starts =
	    wf_arena_array(r->arena, w->place_count + 1, sizeof(uint32_t));
	r->turns.items = wf_arena_array(r->arena, steps, sizeof(uint32_t));
	for (uint32_t i = 0; i < w->place_count; i++) {
		r->turns.starts[i] = count;
		if (w->record[i] != 0) {
			const struct substitute *s =
			    &w->substitutes[w->record[i] - 1];

			memcpy(r->turns.items + count, s->steps,
			    s->step_count * sizeof(uint32_t));
			count += s->step_count;
		}
	}
	r->turns.starts[w->place_count] = count;
}

/* --- The whole --- */

static void work_init(
    struct work *w, const struct wf_petri *net, const uint64_t *kept)
{
	uint32_t places = net->place_count;

	*w = (struct work){ .arena = wf_arena_new(),
		.net = net,
		.kept = kept,
		.place_count = places };
	w->in_cone = wf_arena_array(w->arena, places, sizeof(*w->in_cone));
	w->consumer_starts =
	    wf_arena_array(w->arena, places + 1, sizeof(uint32_t));
	w->producer_starts =
	    wf_arena_array(w->arena, places + 1, sizeof(uint32_t));
	w->resetter_starts =
	    wf_arena_array(w->arena, places + 1, sizeof(uint32_t));
	w->record = wf_arena_array(w->arena, places, sizeof(*w->record));
	w->visits = wf_arena_array(w->arena, places, sizeof(*w->visits));
	w->cursors = wf_arena_array(w->arena, places, sizeof(*w->cursors));
	w->stack = wf_arena_array(w->arena, places, sizeof(*w->stack));
	w->scratch = wf_arena_array(w->arena, places, sizeof(*w->scratch));
	w->position = wf_arena_array(w->arena, places, sizeof(*w->position));
}

static void copy_transitions(struct work *w)
{
	for (uint32_t i = 0; i < w->net->transition_count; i++) {
		const struct wf_transition *t = &w->net->transitions[i];
		struct transition *copy;

		w->transitions = wf_arena_grow(w->arena, w->transitions,
		    w->count, &w->capacity, sizeof(*copy));
		copy = &w->transitions[w->count];
		*copy = (struct transition){ .inputs = t->inputs,
			.input_count = t->input_count,
			.output_count = t->output_count,
			.resets = t->resets,
			.reset_count = t->reset_count,
			.step_count = 1,
			.label = t->label };
		copy->outputs = wf_arena_array(
		    w->arena, t->output_count, sizeof(*copy->outputs));
		if (t->output_count > 0)
			memcpy(copy->outputs, t->outputs,
			    t->output_count * sizeof(*copy->outputs));
		copy->steps = wf_arena_array(w->arena, 1, sizeof(uint32_t));
		copy->steps[0] = w->count++;
	}
}

static size_t size_of(const struct work *w)
{
	size_t size = 0;

	for (uint32_t i = 0; i < w->count; i++)
		if (!w->transitions[i].gone)
			size += w->transitions[i].input_count +
				w->transitions[i].output_count;
	for (uint32_t i = 0; i < w->substitute_count; i++)
		size += w->substitutes[i].count;
	return size;
}

static void reduce_rounds(struct work *w, unsigned steps)
{
	size_t limit = 8 * size_of(w) + 4096;

	w->changed = true;
	for (unsigned round = 0; w->changed; round++) {
		w->changed = false;
		find_neighbours(w);
		restrict_to_cone(w);
		if (round == ROUNDS || size_of(w) > limit)
			return;
		if ((steps & WF_REDUCE_USELESS) != 0)
			drop_useless(w);
		if ((steps & WF_REDUCE_DOMINATED) != 0)
			drop_dominated(w);
		if (w->changed)
			find_neighbours(w);
		if ((steps & WF_REDUCE_SUBSTITUTED) != 0)
			substitute_places(w);
		if ((steps & WF_REDUCE_FUSED) == 0)
			continue;
		find_neighbours(w);
		fuse(w);
	}
}

struct wf_reduction *wf_reduce(
    const struct wf_petri *net, const uint64_t *kept, unsigned steps)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_reduction *r = wf_arena_alloc(arena, sizeof(*r));
	struct work w;
	uint32_t *numbers;

	work_init(&w, net, kept);
	copy_transitions(&w);
	reduce_rounds(&w, steps);
	numbers = wf_arena_array(w.arena, net->place_count, sizeof(*numbers));
	r->arena = arena;
	r->original = net;
	r->net = wf_petri_new(number_places(&w, numbers));
	build_net(&w, r, numbers);
	build_images(&w, r, numbers);
	build_turns(&w, r);
	wf_arena_free(&w.arena);
	return r;
}

void wf_reduction_free(struct wf_reduction **reduction)
{
	struct wf_arena *arena;

	if (*reduction == NULL)
		return;
	wf_petri_free(&(*reduction)->net);
	arena = (*reduction)->arena;
	wf_arena_free(&arena);
	*reduction = NULL;
}
