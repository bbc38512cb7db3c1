/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States are kept in blocks that never move; a table finds them by their
 * content.  A stack or a queue needs no memory of its own: states that are
 * found last, or first, and not expanded yet.
 */
#include "verify/space.h"

#include <string.h>

#include "base/bitset.h"
#include "base/panic.h"

#define BLOCK 1024U
#define WORK_MAXIMUM UINT64_C(4000000000) /* bytes of markings */
#define OR_MEMORY ((size_t)8 << 20)
#define TOKENS_MAXIMUM UINT8_MAX
/* All choices of an OR-split are followed up to this number of outputs. */
#define CHOICES_MAXIMUM 1000U

struct explorer {
	struct wf_space *space;
	const struct wf_space_options *options;
	const struct wf_model *model;
	struct wf_or_join **joins; /* per task */
	struct wf_or_memory *memory;
	uint64_t or_join_work;
	uint64_t work;
	uint8_t *next;	  /* the marking under construction */
	uint8_t *most;	  /* per place */
	uint32_t *tokens; /* for OR-joins */
	uint64_t *busy;
	uint32_t *stack;
	uint32_t stack_count;
	uint32_t from; /* the state under expansion */
};

/* --- States --- */

static uint8_t *state_at(const struct wf_space *space, uint32_t state)
{
	return space->blocks[state / BLOCK] +
	       (size_t)(state % BLOCK) * space->model->place_count;
}

const uint8_t *wf_space_state(const struct wf_space *space, uint32_t state)
{
	return state_at(space, state);
}

bool wf_space_is_expanded(const struct wf_space *space, uint32_t state)
{
	return space->edge_starts[state] != SIZE_MAX;
}

bool wf_space_has_end(const struct wf_space *space, uint32_t state)
{
	return state_at(space, state)[space->model->net->output_condition] > 0;
}

static uint64_t hash_state(const uint8_t *bytes, size_t length)
{
	uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);

	while (length >= 8) {
		uint64_t word;

		memcpy(&word, bytes, 8);
		hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
		hash ^= hash >> 32;
		bytes += 8;
		length -= 8;
	}
	while (length-- > 0)
		hash = (hash ^ *bytes++) * UINT64_C(0x100000001b3);
	hash *= UINT64_C(0xc4ceb9fe1a85ec53);
	return hash ^ hash >> 29;
}

static size_t find_slot(const struct wf_space *space, const uint8_t *bytes)
{
	size_t length = space->model->place_count;
	size_t slot = hash_state(bytes, length) & (space->table_size - 1);

	while (
	    space->table[slot] != 0 &&
	    memcmp(state_at(space, space->table[slot] - 1), bytes, length) != 0)
		slot = (slot + 1) & (space->table_size - 1);
	return slot;
}

static void grow_table(struct wf_space *space)
{
	space->bytes += space->table_size * sizeof(*space->table);
	wf_free(space->table);
	space->table_size =
	    space->table_size == 0 ? 1024 : space->table_size * 2;
	space->table = wf_calloc(space->table_size, sizeof(*space->table));
	for (uint32_t i = 0; i < space->state_count; i++)
		space->table[find_slot(space, state_at(space, i))] = i + 1;
}

static void grow_states(struct wf_space *space)
{
	uint32_t capacity = space->state_capacity * 2 + BLOCK;
	size_t each = sizeof(*space->edge_starts) +
		      sizeof(*space->edge_counts) + sizeof(*space->parents);

	space->bytes += (capacity - space->state_capacity) * each;
	space->edge_starts = wf_realloc(
	    space->edge_starts, capacity * sizeof(*space->edge_starts));
	space->edge_counts = wf_realloc(
	    space->edge_counts, capacity * sizeof(*space->edge_counts));
	space->parents =
	    wf_realloc(space->parents, capacity * sizeof(*space->parents));
	space->blocks = wf_realloc(
	    space->blocks, (capacity / BLOCK + 1) * sizeof(*space->blocks));
	space->state_capacity = capacity;
}

static uint32_t add_state(
    struct wf_space *space, const uint8_t *bytes, size_t slot)
{
	uint32_t state = space->state_count;
	size_t length = space->model->place_count;

	if (state == space->state_capacity)
		grow_states(space);
	if (state % BLOCK == 0) {
		space->blocks[state / BLOCK] = wf_malloc(BLOCK * length + 1);
		space->bytes += BLOCK * length;
	}
	space->state_count++;
	memcpy(state_at(space, state), bytes, length);
	space->edge_starts[state] = SIZE_MAX;
	space->edge_counts[state] = 0;
	space->table[slot] = state + 1;
	if ((size_t)space->state_count * 2 > space->table_size)
		grow_table(space);
	return state;
}

static void add_edge(struct wf_space *space, uint32_t target, uint32_t move)
{
	if (space->edge_count == space->edge_capacity) {
		size_t capacity = space->edge_capacity * 2 + 1024;

		space->edges =
		    wf_realloc(space->edges, capacity * sizeof(*space->edges));
		space->bytes +=
		    (capacity - space->edge_capacity) * sizeof(*space->edges);
		space->edge_capacity = capacity;
	}
	space->edges[space->edge_count++] = (struct wf_edge){ target, move };
}

/* --- Properties of a new state --- */

/* Whether b has all tokens of a and at least one more. */
static bool is_larger(const struct wf_space *space, uint32_t a, uint32_t b)
{
	const uint8_t *x = state_at(space, a);
	const uint8_t *y = state_at(space, b);
	uint32_t count = space->model->place_count;

	for (uint32_t i = 0; i < count; i++)
		if (x[i] > y[i])
			return false;
	return memcmp(x, y, count) != 0;
}

static bool resets(const struct wf_move *move, uint32_t place)
{
	for (uint32_t i = 0; i < move->reset_count; i++)
		if (move->resets[i] == place)
			return true;
	return false;
}

/*
 * Searches for an earlier state with fewer tokens.  The moves from that state
 * to this one can then be repeated, and the tokens of a place that they do not
 * empty grow without end, unless an OR-join prevents a move.
 */
static void find_growth(struct explorer *e, uint32_t state, uint32_t place)
{
	struct wf_space *space = e->space;
	bool emptied = false;
	uint32_t at = state;

	if (space->growth.ancestor != WF_NO_STATE && space->growth.proven)
		return;
	while (at != 0) {
		const struct wf_edge *parent = &space->parents[at];

		emptied |= resets(&e->model->moves[parent->move], place);
		at = parent->target;
		if (emptied)
			return;
		if (state_at(space, at)[place] <
			state_at(space, state)[place] &&
		    is_larger(space, at, state)) {
			space->growth = (struct wf_growth){ state, at, place,
				e->model->or_join_count == 0 };
			return;
		}
	}
}

static bool is_completed(const struct wf_space *space, uint32_t state)
{
	const uint8_t *tokens = state_at(space, state);
	uint32_t output = space->model->net->output_condition;

	for (uint32_t i = 0; i < space->model->place_count; i++)
		if (tokens[i] != (i == output ? 1 : 0))
			return false;
	return true;
}

static void examine_state(struct explorer *e, uint32_t state)
{
	struct wf_space *space = e->space;
	const uint8_t *tokens = state_at(space, state);

	if (tokens[e->model->net->output_condition] > 0) {
		if (is_completed(space, state))
			space->completed = state;
		else if (space->violation == WF_NO_STATE)
			space->violation = state;
	}
	for (uint32_t i = 0; i < e->model->place_count; i++) {
		if (tokens[i] <= e->most[i])
			continue;
		e->most[i] = tokens[i];
		if (tokens[i] > 1)
			find_growth(e, state, i);
	}
}

static void stop(struct explorer *e, enum wf_stop why)
{
	if (e->space->stop == WF_STOP_NOT)
		e->space->stop = why;
}

static void check_limits(struct explorer *e)
{
	struct wf_space *space = e->space;
	const struct wf_space_options *o = e->options;

	if (space->state_count > o->states)
		stop(e, WF_STOP_STATES);
	if (space->bytes > o->bytes)
		stop(e, WF_STOP_MEMORY);
	if (e->or_join_work > o->or_join_work)
		stop(e, WF_STOP_OR_JOIN);
	if (space->growth.proven && !e->model->has_resets)
		stop(e, WF_STOP_UNBOUNDED);
	if (space->violation != WF_NO_STATE &&
	    space->state_count > o->states_after_violation &&
	    (space->state_count - o->states_after_violation) / 4 >
		space->violation)
		stop(e, WF_STOP_VIOLATION);
}

/* --- Moves --- */

static bool move_enabled(const struct wf_model *model,
    const struct wf_move *move, const uint8_t *tokens)
{
	if (move->kind == WF_MOVE_START &&
	    tokens[model->task_places[move->task]] > 0)
		return false;
	if (move->is_or_join) {
		for (uint32_t i = 0; i < move->input_count; i++)
			if (tokens[move->inputs[i]] > 0)
				return true;
		return false;
	}
	for (uint32_t i = 0; i < move->input_count; i++)
		if (tokens[move->inputs[i]] == 0)
			return false;
	return true;
}

static bool decide(struct explorer *e, const struct wf_move *move)
{
	const struct wf_net *net = e->model->net;
	const uint8_t *state = state_at(e->space, e->from);
	struct wf_or_reason reason;
	enum wf_or_verdict verdict;

	if (e->joins[move->task] == NULL)
		e->joins[move->task] = wf_or_join_compile(net, move->task);
	for (uint32_t i = 0; i < net->condition_count; i++)
		e->tokens[i] = state[i];
	memset(e->busy, 0, wf_bitset_words(net->task_count) * sizeof(*e->busy));
	for (uint32_t i = net->condition_count; i < e->model->place_count; i++)
		if (state[i] > 0)
			wf_bitset_add(e->busy,
			    e->model->place_tasks[i - net->condition_count]);
	verdict = wf_or_join_decide(
	    e->joins[move->task], e->tokens, e->busy, e->memory, NULL, &reason);
	e->or_join_work += reason.work + 64;
	if (verdict == WF_OR_UNDECIDED)
		e->space->undecided = move->task;
	return verdict == WF_OR_ENABLED;
}

/* Adds the marking in next, which the move reached. */
static void arrive(struct explorer *e, uint32_t move)
{
	struct wf_space *space = e->space;
	size_t slot = find_slot(space, e->next);
	uint32_t state;

	/* Each arrival compares and hashes a marking of all places. */
	e->work += e->model->place_count + 64;
	if (e->work > WORK_MAXIMUM)
		stop(e, WF_STOP_WORK);
	if (space->table[slot] != 0) {
		add_edge(space, space->table[slot] - 1, move);
		return;
	}
	state = add_state(space, e->next, slot);
	space->parents[state] = (struct wf_edge){ e->from, move };
	add_edge(space, state, move);
	examine_state(e, state);
	check_limits(e);
}

static void put(struct explorer *e, uint32_t place)
{
	if (e->next[place] == TOKENS_MAXIMUM)
		stop(e, WF_STOP_TOKENS);
	else
		e->next[place]++;
}

static bool is_chain_empty(const struct wf_chain *chain, const uint8_t *tokens)
{
	for (uint32_t i = 0; i < chain->place_count; i++)
		if (tokens[chain->places[i]] > 0)
			return false;
	return true;
}

/*
 * Per output, an earlier output that must be chosen before it, or WF_NO_PLACE.
 * next has the marking without outputs.
 */
static void find_leaders(
    const struct explorer *e, const struct wf_move *move, uint32_t *leaders)
{
	for (uint32_t i = 0; i < move->output_count; i++) {
		const struct wf_chain *chain = &move->chains[i];

		leaders[i] = WF_NO_PLACE;
		if (e->options->every_choice || chain->class == WF_NO_PLACE ||
		    !is_chain_empty(chain, e->next))
			continue;
		for (uint32_t j = i; j > 0 && leaders[i] == WF_NO_PLACE; j--)
			if (move->chains[j - 1].class == chain->class &&
			    is_chain_empty(&move->chains[j - 1], e->next))
				leaders[i] = j - 1;
	}
}

struct choice {
	const struct wf_move *move;
	uint32_t id;
	uint32_t *leaders;
	bool *chosen;
	uint32_t count; /* number of chosen outputs */
};

/* The choices of one output, of all, and of all but one. */
static void choose_few(struct explorer *e, struct choice *c)
{
	uint32_t count = c->move->output_count;

	e->space->left_out |= count > 2;
	for (uint32_t kind = 0; kind <= 2 * count; kind++) {
		for (uint32_t i = 0; i < count; i++)
			if (kind < count ? i == kind : i != kind - count)
				put(e, c->move->outputs[i]);
		arrive(e, c->id);
		for (uint32_t i = 0; i < count; i++)
			if (kind < count ? i == kind : i != kind - count)
				e->next[c->move->outputs[i]]--;
		if (e->space->stop != WF_STOP_NOT)
			return;
	}
}

/* All choices of the outputs from at on. */
static void choose_from(struct explorer *e, struct choice *c, uint32_t at)
{
	if (e->space->stop != WF_STOP_NOT)
		return;
	if (at == c->move->output_count) {
		if (c->count > 0)
			arrive(e, c->id);
		return;
	}
	choose_from(e, c, at + 1);
	if (c->leaders[at] != WF_NO_PLACE && !c->chosen[c->leaders[at]])
		return;
	put(e, c->move->outputs[at]);
	c->chosen[at] = true;
	c->count++;
	choose_from(e, c, at + 1);
	c->count--;
	c->chosen[at] = false;
	e->next[c->move->outputs[at]]--;
}

static void choose(struct explorer *e, const struct wf_move *move, uint32_t id)
{
	struct choice c = { .move = move, .id = id };
	uint32_t count = move->output_count;

	if (e->options->few_choices || count > CHOICES_MAXIMUM) {
		choose_few(e, &c);
		return;
	}
	c.leaders = wf_malloc(count * sizeof(*c.leaders));
	c.chosen = wf_calloc(count, sizeof(*c.chosen));
	find_leaders(e, move, c.leaders);
	choose_from(e, &c, 0);
	wf_free(c.leaders);
	wf_free(c.chosen);
}

static void make_move(struct explorer *e, uint32_t id)
{
	const struct wf_move *move = &e->model->moves[id];

	memcpy(e->next, state_at(e->space, e->from), e->model->place_count);
	for (uint32_t i = 0; i < move->input_count; i++)
		if (e->next[move->inputs[i]] > 0)
			e->next[move->inputs[i]]--;
	for (uint32_t i = 0; i < move->reset_count; i++)
		e->next[move->resets[i]] = 0;
	if (move->is_or_split) {
		choose(e, move, id);
		return;
	}
	for (uint32_t i = 0; i < move->output_count; i++)
		put(e, move->outputs[i]);
	if (e->space->stop != WF_STOP_TOKENS)
		arrive(e, id);
}

/* An enabled eager cluster, or UINT32_MAX. */
static uint32_t find_eager(const struct explorer *e)
{
	const struct wf_model *m = e->model;
	const uint8_t *tokens = state_at(e->space, e->from);

	for (uint32_t i = 0; i < m->move_count; i++)
		if (m->eager[m->moves[i].cluster] >= e->options->reduction &&
		    move_enabled(m, &m->moves[i], tokens))
			return m->moves[i].cluster;
	return UINT32_MAX;
}

static void expand(struct explorer *e, uint32_t state)
{
	struct wf_space *space = e->space;
	const struct wf_model *m = e->model;
	uint32_t cluster;

	e->from = state;
	space->edge_starts[state] = space->edge_count;
	if (wf_space_has_end(space, state))
		return;
	cluster =
	    e->options->reduction == WF_NOT_EAGER ? UINT32_MAX : find_eager(e);
	for (uint32_t i = 0; i < m->move_count; i++) {
		const struct wf_move *move = &m->moves[i];

		if (cluster != UINT32_MAX && move->cluster != cluster)
			continue;
		if (move_enabled(m, move, state_at(space, state)) &&
		    (!move->is_or_join || decide(e, move)))
			make_move(e, i);
		if (space->stop != WF_STOP_NOT)
			break;
	}
	space->edge_counts[state] =
	    (uint32_t)(space->edge_count - space->edge_starts[state]);
	if (space->edge_counts[state] == 0 && space->violation == WF_NO_STATE &&
	    space->stop == WF_STOP_NOT && space->undecided == UINT32_MAX)
		space->violation = state;
	/* A state that was not expanded completely counts as not expanded. */
	if (space->stop != WF_STOP_NOT) {
		space->edge_count = space->edge_starts[state];
		space->edge_starts[state] = SIZE_MAX;
		space->edge_counts[state] = 0;
	}
}

static void explore_breadth(struct explorer *e)
{
	struct wf_space *space = e->space;

	for (uint32_t i = 0;
	     i < space->state_count && space->stop == WF_STOP_NOT; i++)
		expand(e, i);
}

static void explore_depth(struct explorer *e)
{
	struct wf_space *space = e->space;
	uint32_t capacity = 0;

	for (uint32_t known = 0; space->stop == WF_STOP_NOT;) {
		if (capacity < space->state_capacity) {
			capacity = space->state_capacity;
			e->stack =
			    wf_realloc(e->stack, capacity * sizeof(*e->stack));
		}
		while (known < space->state_count)
			e->stack[e->stack_count++] = known++;
		if (e->stack_count == 0)
			return;
		expand(e, e->stack[--e->stack_count]);
	}
}

static void free_explorer(struct explorer *e)
{
	for (uint32_t i = 0; i < e->model->net->task_count; i++)
		wf_or_join_free(&e->joins[i]);
	wf_or_memory_free(&e->memory);
	wf_free(e->joins);
	wf_free(e->next);
	wf_free(e->most);
	wf_free(e->tokens);
	wf_free(e->busy);
	wf_free(e->stack);
}

static void add_first(struct explorer *e)
{
	memset(e->next, 0, e->model->place_count);
	if (e->options->initial != NULL)
		memcpy(e->next, e->options->initial, e->model->place_count);
	else
		e->next[e->model->net->input_condition] = 1;
	add_state(e->space, e->next, find_slot(e->space, e->next));
	e->space->parents[0] = (struct wf_edge){ WF_NO_STATE, 0 };
	examine_state(e, 0);
}

struct wf_space *wf_space_explore(
    const struct wf_model *model, const struct wf_space_options *options)
{
	const struct wf_net *net = model->net;
	struct wf_space *space = wf_calloc(1, sizeof(*space));
	struct explorer e = {
		.space = space, .options = options, .model = model
	};

	space->model = model;
	space->completed = WF_NO_STATE;
	space->violation = WF_NO_STATE;
	space->growth.ancestor = WF_NO_STATE;
	space->undecided = UINT32_MAX;
	e.joins = wf_calloc(net->task_count + 1, sizeof(*e.joins));
	e.memory =
	    model->or_join_count > 0 ? wf_or_memory_new(OR_MEMORY) : NULL;
	e.next = wf_calloc(model->place_count + 1, 1);
	e.most = wf_calloc(model->place_count + 1, 1);
	e.tokens = wf_calloc(net->condition_count + 1, sizeof(*e.tokens));
	e.busy =
	    wf_calloc(wf_bitset_words(net->task_count) + 1, sizeof(*e.busy));
	grow_table(space);
	add_first(&e);
	if (options->order == WF_BREADTH_FIRST)
		explore_breadth(&e);
	else
		explore_depth(&e);
	if (space->left_out)
		stop(&e, WF_STOP_CHOICES);
	free_explorer(&e);
	return space;
}

void wf_space_free(struct wf_space **space)
{
	struct wf_space *s = *space;

	if (s == NULL)
		return;
	for (uint32_t i = 0; i < s->state_count; i += BLOCK)
		wf_free(s->blocks[i / BLOCK]);
	wf_free(s->blocks);
	wf_free(s->edges);
	wf_free(s->edge_starts);
	wf_free(s->edge_counts);
	wf_free(s->parents);
	wf_free(s->table);
	wf_free(s);
	*space = NULL;
}
