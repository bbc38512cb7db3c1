/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/witness.h"

#include <string.h>

#include "base/bitset.h"

struct search {
	const struct wf_space *space;
	struct wf_edge *parents; /* target: WF_NO_STATE when unvisited */
	uint32_t *queue;
	uint32_t head;
	uint32_t tail;
	bool obedient; /* the engine's own moves come first */
};

static bool is_automatic(
    const struct wf_model *model, const struct wf_move *move)
{
	enum wf_task_kind kind = model->net->tasks[move->task].kind;

	return kind == WF_EMPTY_TASK ||
	       (kind == WF_COMPOSITE_TASK && move->kind == WF_MOVE_START);
}

static bool is_edge_automatic(const struct wf_space *space, size_t edge)
{
	return is_automatic(
	    space->model, &space->model->moves[space->edges[edge].move]);
}

static void init(struct search *s, const struct wf_space *space, bool obedient)
{
	size_t count = (size_t)space->state_count + 1;

	*s = (struct search){ .space = space, .obedient = obedient };
	s->parents = wf_malloc(count * sizeof(*s->parents));
	memset(s->parents, 0xff, count * sizeof(*s->parents));
	s->queue = wf_malloc(count * sizeof(*s->queue));
}

static void destroy(struct search *s)
{
	wf_free(s->parents);
	wf_free(s->queue);
}

static void visit(struct search *s, uint32_t state, uint32_t from, size_t edge)
{
	if (s->parents[state].target != WF_NO_STATE)
		return;
	s->parents[state] = (struct wf_edge){ from,
		edge == SIZE_MAX ? 0 : s->space->edges[edge].move };
	s->queue[s->tail++] = state;
}

/* Appends the unvisited successors of the head of the queue. */
static void follow(struct search *s, uint32_t state)
{
	const struct wf_space *space = s->space;
	size_t first = space->edge_starts[state];
	size_t end = first + space->edge_counts[state];
	bool automatic = false;

	if (!wf_space_is_expanded(space, state))
		return;
	for (size_t i = first; i < end && s->obedient; i++)
		automatic |= is_edge_automatic(space, i);
	for (size_t i = first; i < end; i++)
		if (!automatic || is_edge_automatic(space, i))
			visit(s, space->edges[i].target, state, i);
}

/* --- In tasks --- */

/* The target of the move: the outputs that gained a token. */
static void find_chosen(struct wf_arena *arena, const struct wf_space *space,
    struct wf_witness_step *step, const struct wf_move *move, uint32_t from,
    uint32_t to)
{
	const uint8_t *before = wf_space_state(space, from);
	const uint8_t *after = wf_space_state(space, to);

	if (move->kind == WF_MOVE_START || step->task->postset_count < 2 ||
	    step->task->split == WF_AND)
		return;
	step->chosen =
	    wf_arena_array(arena, move->output_count, sizeof(*step->chosen));
	for (uint32_t i = 0; i < move->output_count; i++) {
		uint32_t p = move->outputs[i];
		uint32_t left = before[p];

		for (uint32_t j = 0; j < move->input_count; j++)
			left -= move->inputs[j] == p && left > 0;
		for (uint32_t j = 0; j < move->reset_count; j++)
			left = move->resets[j] == p ? 0 : left;
		if (after[p] > left)
			step->chosen[step->chosen_count++] = p;
	}
}

static void set_marking(struct wf_arena *arena, struct wf_witness *w,
    const struct wf_space *space, uint32_t state)
{
	const struct wf_model *m = space->model;
	const uint8_t *tokens = wf_space_state(space, state);
	uint32_t conditions = m->net->condition_count;

	w->tokens = wf_arena_array(arena, conditions + 1, sizeof(*w->tokens));
	w->busy = wf_arena_array(
	    arena, wf_bitset_words(m->net->task_count) + 1, sizeof(*w->busy));
	for (uint32_t i = 0; i < conditions; i++)
		w->tokens[i] = tokens[i];
	for (uint32_t i = conditions; i < m->place_count; i++)
		if (tokens[i] > 0)
			wf_bitset_add(w->busy, m->place_tasks[i - conditions]);
}

/* The places whose tokens differ; before: NULL for none. */
static struct wf_witness_change *list_changes(struct wf_arena *arena,
    const struct wf_model *m, const uint8_t *before, const uint8_t *after,
    uint32_t *count_out)
{
	uint32_t conditions = m->net->condition_count;
	struct wf_witness_change *changes;
	uint32_t count = 0;

	for (uint32_t i = 0; i < m->place_count; i++)
		count += after[i] != (before == NULL ? 0 : before[i]);
	changes = wf_arena_array(arena, count + 1, sizeof(*changes));
	*count_out = count;
	count = 0;
	for (uint32_t i = 0; i < m->place_count; i++) {
		bool is_task = i >= conditions;

		if (after[i] == (before == NULL ? 0 : before[i]))
			continue;
		changes[count++] = (struct wf_witness_change){
			is_task ? m->place_tasks[i - conditions] : i, is_task,
			after[i]
		};
	}
	return changes;
}

/* A step and the one after it become one. */
static void join_changes(struct wf_arena *arena, struct wf_witness_step *step,
    const struct wf_witness_step *next)
{
	uint32_t count = step->change_count + next->change_count;
	struct wf_witness_change *changes =
	    wf_arena_array(arena, count + 1, sizeof(*changes));

	memcpy(changes, step->changes, step->change_count * sizeof(*changes));
	memcpy(changes + step->change_count, next->changes,
	    next->change_count * sizeof(*changes));
	step->changes = changes;
	step->change_count = count;
}

/* Joins a start and the end that follows it into one step. */
static void join_steps(struct wf_arena *arena, struct wf_witness *w)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < w->count; i++) {
		struct wf_witness_step *last = &w->steps[count - 1];

		if (count > 0 && w->steps[i].kind == WF_MOVE_END &&
		    last->kind == WF_MOVE_START &&
		    last->task == w->steps[i].task) {
			join_changes(arena, last, &w->steps[i]);
			last->chosen = w->steps[i].chosen;
			last->chosen_count = w->steps[i].chosen_count;
			last->kind = WF_MOVE_WHOLE;
		} else {
			w->steps[count++] = w->steps[i];
		}
	}
	w->count = count;
}

/* The moves from one state to another along parents; at least one. */
static struct wf_witness *trace(struct wf_arena *arena,
    const struct wf_space *space, const struct wf_edge *parents, uint32_t from,
    uint32_t to)
{
	struct wf_witness *w = wf_arena_alloc(arena, sizeof(*w));
	uint32_t at = to;

	for (at = to; at != from; at = parents[at].target)
		w->count++;
	w->steps = wf_arena_array(arena, w->count + 1, sizeof(*w->steps));
	at = to;
	for (uint32_t i = w->count; i > 0; i--) {
		const struct wf_move *move =
		    &space->model->moves[parents[at].move];
		struct wf_witness_step *step = &w->steps[i - 1];

		step->task = &space->model->net->tasks[move->task];
		step->kind = move->kind;
		find_chosen(arena, space, step, move, parents[at].target, at);
		step->changes = list_changes(arena, space->model,
		    wf_space_state(space, parents[at].target),
		    wf_space_state(space, at), &step->change_count);
		at = parents[at].target;
	}
	w->begin = list_changes(arena, space->model, NULL,
	    wf_space_state(space, from), &w->begin_count);
	set_marking(arena, w, space, to);
	join_steps(arena, w);
	return w;
}

static struct wf_witness *find(struct wf_arena *arena,
    const struct wf_facts *facts, uint32_t from, uint8_t wanted,
    uint8_t unwanted, bool obedient)
{
	struct wf_witness *w = NULL;
	struct search s;

	init(&s, facts->space, obedient);
	visit(&s, from, from, SIZE_MAX);
	while (s.head < s.tail && w == NULL) {
		uint32_t state = s.queue[s.head++];
		uint8_t flags = facts->flags[state];

		if ((wanted == 0 || (flags & wanted) != 0) &&
		    (flags & unwanted) == 0)
			w = trace(arena, facts->space, s.parents, from, state);
		else
			follow(&s, state);
	}
	destroy(&s);
	return w;
}

struct wf_witness *wf_witness_find(struct wf_arena *arena,
    const struct wf_facts *facts, uint32_t from, uint8_t wanted,
    uint8_t unwanted)
{
	struct wf_witness *w = find(arena, facts, from, wanted, unwanted, true);

	return w != NULL ? w
			 : find(arena, facts, from, wanted, unwanted, false);
}

struct wf_witness *wf_witness_found(struct wf_arena *arena,
    const struct wf_space *space, uint32_t from, uint32_t to)
{
	return trace(arena, space, space->parents, from, to);
}
