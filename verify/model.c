/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/model.h"

#include <string.h>

#include "base/bitset.h"

struct builder {
	struct wf_model *model;
	uint64_t *cancelled; /* set of conditions, then tasks */
};

static bool is_cancelled(const struct builder *b, uint32_t condition)
{
	return wf_bitset_has(b->cancelled, condition);
}

static bool is_cancelled_task(const struct builder *b, uint32_t task)
{
	return wf_bitset_has(
	    b->cancelled, b->model->net->condition_count + task);
}

static void find_cancelled(struct builder *b)
{
	const struct wf_net *net = b->model->net;

	b->cancelled = wf_arena_array(b->model->arena,
	    wf_bitset_words(net->condition_count + net->task_count) + 1,
	    sizeof(*b->cancelled));
	for (uint32_t i = 0; i < net->task_count; i++) {
		const struct wf_task *t = &net->tasks[i];

		for (uint32_t j = 0; j < t->cancelled_condition_count; j++)
			wf_bitset_add(b->cancelled, t->cancelled_conditions[j]);
		for (uint32_t j = 0; j < t->cancelled_task_count; j++)
			wf_bitset_add(b->cancelled,
			    net->condition_count + t->cancelled_tasks[j]);
		b->model->or_join_count +=
		    t->join == WF_OR && t->preset_count > 1;
		b->model->has_resets |= t->cancelled_condition_count > 0 ||
					t->cancelled_task_count > 0;
	}
}

/* With more paths through a task, each path in and out is its own move. */
#define WAYS_MAXIMUM 256

/*
 * Whether start and end of the task are moves of their own: because they can
 * be distinguished, or because there are too many pairs of them.
 */
static bool is_split(const struct builder *b, const struct wf_task *task)
{
	const struct wf_net *net = b->model->net;

	if (is_cancelled_task(b, task->number))
		return true;
	if (task->join == WF_XOR && task->split == WF_XOR &&
	    (uint64_t)task->preset_count * task->postset_count > WAYS_MAXIMUM)
		return true;
	if (task->join == WF_OR && task->preset_count > 1)
		return true;
	for (uint32_t i = 0; i < task->preset_count; i++) {
		uint32_t c = task->preset[i];

		if (is_cancelled(b, c))
			return true;
		if (b->model->or_join_count > 0 &&
		    net->conditions[c].postset_count > 1)
			return true;
	}
	return false;
}

/* --- Moves --- */

static void add_move(struct builder *b, const struct wf_move *move)
{
	struct wf_model *m = b->model;

	m->moves = wf_arena_grow(m->arena, m->moves, m->move_count,
	    &m->move_capacity, sizeof(*m->moves));
	m->moves[m->move_count++] = *move;
}

/* One move per way to end; base has everything but the outputs. */
static void add_ends(
    struct builder *b, const struct wf_task *task, const struct wf_move *base)
{
	struct wf_move move = *base;
	uint32_t *resets;

	resets = wf_arena_array(b->model->arena,
	    task->cancelled_condition_count + task->cancelled_task_count + 1,
	    sizeof(*resets));
	move.resets = resets;
	for (uint32_t i = 0; i < task->cancelled_condition_count; i++)
		resets[move.reset_count++] = task->cancelled_conditions[i];
	for (uint32_t i = 0; i < task->cancelled_task_count; i++)
		resets[move.reset_count++] =
		    b->model->task_places[task->cancelled_tasks[i]];
	move.is_or_split = task->split == WF_OR && task->postset_count > 1;
	if (task->split != WF_XOR) {
		move.outputs = task->postset;
		move.output_count = task->postset_count;
		add_move(b, &move);
		return;
	}
	for (uint32_t i = 0; i < task->postset_count; i++) {
		move.outputs = &task->postset[i];
		move.output_count = 1;
		add_move(b, &move);
	}
}

static void add_start(
    struct builder *b, const struct wf_task *task, const struct wf_move *base)
{
	struct wf_move move = *base;

	if (move.kind == WF_MOVE_WHOLE) {
		add_ends(b, task, &move);
		return;
	}
	move.outputs = &b->model->task_places[task->number];
	move.output_count = 1;
	add_move(b, &move);
}

static void add_task(struct builder *b, const struct wf_task *task)
{
	struct wf_model *m = b->model;
	bool split = m->task_places[task->number] != WF_NO_PLACE;
	struct wf_move move = { .task = task->number,
		.kind = split ? WF_MOVE_START : WF_MOVE_WHOLE };

	if (task->join == WF_AND || task->join == WF_OR) {
		move.is_or_join = task->join == WF_OR && task->preset_count > 1;
		move.inputs = task->preset;
		move.input_count = task->preset_count;
		move.cluster = m->cluster_count++;
		add_start(b, task, &move);
	} else {
		for (uint32_t i = 0; i < task->preset_count; i++) {
			move.inputs = &task->preset[i];
			move.input_count = 1;
			move.cluster = m->cluster_count++;
			add_start(b, task, &move);
		}
	}
	if (!split)
		return;
	move = (struct wf_move){ .task = task->number,
		.kind = WF_MOVE_END,
		.cluster = m->cluster_count++,
		.inputs = &m->task_places[task->number],
		.input_count = 1 };
	add_ends(b, task, &move);
}

static void number_places(struct builder *b, bool whole)
{
	struct wf_model *m = b->model;
	const struct wf_net *net = m->net;

	m->task_places = wf_arena_array(
	    m->arena, net->task_count + 1, sizeof(*m->task_places));
	m->place_tasks = wf_arena_array(
	    m->arena, net->task_count + 1, sizeof(*m->place_tasks));
	m->place_count = net->condition_count;
	for (uint32_t i = 0; i < net->task_count; i++) {
		m->task_places[i] = WF_NO_PLACE;
		if (whole && !is_split(b, &net->tasks[i]))
			continue;
		m->place_tasks[m->place_count - net->condition_count] = i;
		m->task_places[i] = m->place_count++;
	}
}

/* --- Eager clusters --- */

static bool is_cancelled_place(const struct builder *b, uint32_t place)
{
	const struct wf_model *m = b->model;
	uint32_t conditions = m->net->condition_count;

	return place < conditions
		   ? is_cancelled(b, place)
		   : is_cancelled_task(b, m->place_tasks[place - conditions]);
}

static bool is_reset_by(
    const struct builder *b, const struct wf_task *task, uint32_t place)
{
	const struct wf_model *m = b->model;
	uint32_t conditions = m->net->condition_count;

	if (place < conditions) {
		for (uint32_t i = 0; i < task->cancelled_condition_count; i++)
			if (task->cancelled_conditions[i] == place)
				return true;
		return false;
	}
	for (uint32_t i = 0; i < task->cancelled_task_count; i++)
		if (task->cancelled_tasks[i] ==
		    m->place_tasks[place - conditions])
			return true;
	return false;
}

/* Whether the task cancels all places of the move, or none. */
static bool is_all_or_none(const struct builder *b, const struct wf_task *task,
    const struct wf_move *move)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < move->input_count; i++)
		count += is_reset_by(b, task, move->inputs[i]);
	for (uint32_t i = 0; i < move->output_count; i++)
		count += is_reset_by(b, task, move->outputs[i]);
	return count == 0 || count == move->input_count + move->output_count;
}

static bool is_cancelled_move(
    const struct builder *b, const struct wf_move *move)
{
	for (uint32_t i = 0; i < move->input_count; i++)
		if (is_cancelled_place(b, move->inputs[i]))
			return true;
	for (uint32_t i = 0; i < move->output_count; i++)
		if (is_cancelled_place(b, move->outputs[i]))
			return true;
	return false;
}

static enum wf_eager how_eager(
    const struct builder *b, const struct wf_move *move)
{
	const struct wf_net *net = b->model->net;

	if (move->is_or_join || move->reset_count > 0)
		return WF_NOT_EAGER;
	/*
	 * A task that starts by one input does not start by another meanwhile.
	 */
	if (move->kind == WF_MOVE_START &&
	    move->input_count < net->tasks[move->task].preset_count)
		return WF_NOT_EAGER;
	for (uint32_t i = 0; i < move->input_count; i++)
		if (move->inputs[i] < net->condition_count &&
		    net->conditions[move->inputs[i]].postset_count != 1)
			return WF_NOT_EAGER;
	for (uint32_t i = 0; i < move->output_count; i++)
		if (move->outputs[i] == net->output_condition)
			return WF_NOT_EAGER;
	if (!is_cancelled_move(b, move))
		return WF_EAGER;
	for (uint32_t i = 0; i < net->task_count; i++)
		if (!is_all_or_none(b, &net->tasks[i], move))
			return WF_NOT_EAGER;
	return WF_EAGER_WITHIN;
}

static void find_eager(struct builder *b)
{
	struct wf_model *m = b->model;

	m->eager =
	    wf_arena_array(m->arena, m->cluster_count + 1, sizeof(*m->eager));
	memset(m->eager, WF_EAGER, m->cluster_count);
	for (uint32_t i = 0; i < m->move_count; i++) {
		enum wf_eager eager = how_eager(b, &m->moves[i]);
		uint8_t *of_cluster = &m->eager[m->moves[i].cluster];

		if (eager < *of_cluster)
			*of_cluster = (uint8_t)eager;
	}
}

/* --- Outputs that are alike --- */

/*
 * Follows the only path from a place.  Places whose paths have the same end are
 * of one class.  The end is a place with another producer, or the consumer: its
 * number is added to the number of places.
 */
static void follow_chain(
    const struct builder *b, struct wf_chain *chain, uint32_t place)
{
	const struct wf_net *net = b->model->net;
	size_t capacity = 0;
	uint32_t task;

	chain->class = WF_NO_PLACE;
	for (;;) {
		const struct wf_condition *c = &net->conditions[place];

		if (is_cancelled(b, place))
			return;
		if (c->preset_count != 1) {
			chain->class = place;
			return;
		}
		if (c->postset_count != 1 ||
		    chain->place_count == net->condition_count)
			return;
		chain->places = wf_arena_grow(b->model->arena, chain->places,
		    chain->place_count, &capacity, sizeof(*chain->places));
		chain->places[chain->place_count++] = place;
		task = c->postset[0];
		if (net->tasks[task].preset_count != 1)
			break;
		if (net->tasks[task].postset_count != 1 ||
		    net->tasks[task].cancelled_condition_count > 0 ||
		    net->tasks[task].cancelled_task_count > 0 ||
		    b->model->task_places[task] != WF_NO_PLACE)
			return;
		place = net->tasks[task].postset[0];
	}
	chain->class = net->condition_count + task;
}

static void find_chains(struct builder *b)
{
	struct wf_model *m = b->model;

	for (uint32_t i = 0; i < m->move_count; i++) {
		struct wf_move *move = &m->moves[i];

		if (!move->is_or_split)
			continue;
		move->chains = wf_arena_array(
		    m->arena, move->output_count, sizeof(*move->chains));
		for (uint32_t j = 0; j < move->output_count; j++)
			follow_chain(b, &move->chains[j], move->outputs[j]);
	}
}

struct wf_model *wf_model_new(const struct wf_net *net, bool whole)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_model *model = wf_arena_alloc(arena, sizeof(*model));
	struct builder b = { .model = model };

	model->arena = arena;
	model->net = net;
	find_cancelled(&b);
	number_places(&b, whole);
	for (uint32_t i = 0; i < net->task_count; i++)
		add_task(&b, &net->tasks[i]);
	find_eager(&b);
	find_chains(&b);
	return model;
}

void wf_model_free(struct wf_model **model)
{
	if (*model != NULL) {
		struct wf_arena *arena = (*model)->arena;

		wf_arena_free(&arena);
	}
	*model = NULL;
}
