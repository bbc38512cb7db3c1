/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/facts.h"

#include <string.h>

#include "base/bitset.h"

/* Edges sorted by the state that they lead to. */
struct backward {
	size_t *starts;
	uint32_t *sources;
};

static void reverse(struct backward *b, const struct wf_space *space)
{
	size_t *at;

	b->starts = wf_calloc((size_t)space->state_count + 2, sizeof(*at));
	b->sources = wf_malloc((space->edge_count + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < space->edge_count; i++)
		b->starts[space->edges[i].target + 2]++;
	for (uint32_t i = 0; i < space->state_count; i++)
		b->starts[i + 1] += b->starts[i];
	at = b->starts + 1;
	for (uint32_t i = 0; i < space->state_count; i++) {
		if (!wf_space_is_expanded(space, i))
			continue;
		for (size_t j = 0; j < space->edge_counts[i]; j++) {
			size_t edge = space->edge_starts[i] + j;

			b->sources[at[space->edges[edge].target]++] = i;
		}
	}
}

/* Marks with flag all states from which a state that has from is reachable. */
static void mark_back(
    struct wf_facts *f, const struct backward *b, uint8_t from, uint8_t flag)
{
	uint32_t count = f->space->state_count;
	uint32_t *stack = wf_malloc(((size_t)count + 1) * sizeof(*stack));
	uint32_t depth = 0;

	for (uint32_t i = 0; i < count; i++)
		if ((f->flags[i] & from) != 0) {
			f->flags[i] |= flag;
			stack[depth++] = i;
		}
	while (depth > 0) {
		uint32_t state = stack[--depth];

		for (size_t i = b->starts[state]; i < b->starts[state + 1];
		     i++) {
			uint32_t source = b->sources[i];

			if ((f->flags[source] & flag) != 0)
				continue;
			f->flags[source] |= flag;
			stack[depth++] = source;
		}
	}
	wf_free(stack);
}

static void flag_state(struct wf_facts *f, uint32_t state)
{
	const struct wf_space *s = f->space;
	const uint8_t *tokens = wf_space_state(s, state);

	if (state == s->completed)
		f->flags[state] |= WF_STATE_GOOD | WF_STATE_COMPLETED;
	else if (wf_space_has_end(s, state))
		f->flags[state] |= WF_STATE_LEFTOVER;
	else if (wf_space_is_expanded(s, state) && s->edge_counts[state] == 0) {
		f->flags[state] |= WF_STATE_EMPTY;
		for (uint32_t i = 0; i < s->model->place_count; i++)
			if (tokens[i] > 0)
				f->flags[state] = WF_STATE_DEAD;
	}
}

static void flag_states(struct wf_facts *f)
{
	struct backward b;

	for (uint32_t i = 0; i < f->space->state_count; i++)
		flag_state(f, i);
	reverse(&b, f->space);
	mark_back(f, &b, WF_STATE_GOOD, WF_STATE_GOOD);
	mark_back(f, &b, WF_STATE_DEAD | WF_STATE_EMPTY | WF_STATE_LEFTOVER,
	    WF_STATE_ENDS);
	wf_free(b.starts);
	wf_free(b.sources);
	for (uint32_t i = 0; i < f->space->state_count; i++)
		f->good_count += (f->flags[i] & WF_STATE_GOOD) != 0;
}

/* --- Moves --- */

static void see_join(
    struct wf_facts *f, const struct wf_move *move, const uint8_t *tokens)
{
	uint32_t marked = 0;

	for (uint32_t i = 0; i < move->input_count; i++)
		marked += tokens[move->inputs[i]] > 0;
	if (marked < f->fewest[move->task])
		f->fewest[move->task] = marked;
	if (marked > f->most[move->task])
		f->most[move->task] = marked;
}

/*
 * A task's end itself takes the token of its own place, so that token is not
 * cancelled even if the task is in its cancellation set.  The inputs of a whole
 * move are in no set.
 */
static void see_cancelled(
    struct wf_facts *f, const struct wf_move *move, const uint8_t *tokens)
{
	uint32_t own = f->space->model->task_places[move->task];

	for (uint32_t i = 0; i < move->reset_count; i++)
		if (tokens[move->resets[i]] > 0 && move->resets[i] != own)
			wf_bitset_add(f->cancelled[move->task], i);
}

static void see_state(struct wf_facts *f, uint32_t state)
{
	const struct wf_space *s = f->space;
	const uint8_t *tokens = wf_space_state(s, state);

	for (uint32_t i = 0; i < s->model->net->condition_count; i++)
		if (tokens[i] > 0)
			wf_bitset_add(f->marked, i);
	if (!wf_space_is_expanded(s, state))
		return;
	for (size_t i = 0; i < s->edge_counts[state]; i++) {
		const struct wf_edge *edge =
		    &s->edges[s->edge_starts[state] + i];
		const struct wf_move *move = &s->model->moves[edge->move];

		see_cancelled(f, move, tokens);
		if (move->kind == WF_MOVE_END)
			continue;
		wf_bitset_add(f->done, move->task);
		if ((f->flags[edge->target] & WF_STATE_GOOD) != 0)
			wf_bitset_add(f->useful, move->task);
		if (move->is_or_join)
			see_join(f, move, tokens);
	}
}

struct wf_facts *wf_facts_new(const struct wf_space *space)
{
	const struct wf_net *net = space->model->net;
	size_t words = wf_bitset_words(net->task_count) + 1;
	struct wf_facts *f = wf_calloc(1, sizeof(*f));

	f->space = space;
	f->complete =
	    space->stop == WF_STOP_NOT && space->undecided == UINT32_MAX;
	f->flags = wf_calloc((size_t)space->state_count + 1, 1);
	f->marked = wf_calloc(
	    wf_bitset_words(net->condition_count) + 1, sizeof(*f->marked));
	f->done = wf_calloc(words, sizeof(*f->done));
	f->useful = wf_calloc(words, sizeof(*f->useful));
	f->fewest = wf_malloc((net->task_count + 1) * sizeof(*f->fewest));
	memset(f->fewest, 0xff, (net->task_count + 1) * sizeof(*f->fewest));
	f->most = wf_calloc(net->task_count + 1, sizeof(*f->most));
	f->cancelled = wf_calloc(net->task_count + 1, sizeof(*f->cancelled));
	for (uint32_t i = 0; i < net->task_count; i++)
		f->cancelled[i] = wf_calloc(
		    wf_bitset_words(net->tasks[i].cancelled_condition_count +
				    net->tasks[i].cancelled_task_count) +
			1,
		    sizeof(uint64_t));
	flag_states(f);
	for (uint32_t i = 0; i < space->state_count; i++)
		see_state(f, i);
	return f;
}

static void add_set(uint64_t *set, const uint64_t *more, size_t members)
{
	for (size_t i = 0; i < wf_bitset_words(members); i++)
		set[i] |= more[i];
}

void wf_facts_add(struct wf_facts *facts, const struct wf_facts *more)
{
	const struct wf_net *net = facts->space->model->net;

	add_set(facts->marked, more->marked, net->condition_count);
	add_set(facts->done, more->done, net->task_count);
	add_set(facts->useful, more->useful, net->task_count);
	for (uint32_t i = 0; i < net->task_count; i++) {
		const struct wf_task *task = &net->tasks[i];

		if (more->fewest[i] < facts->fewest[i])
			facts->fewest[i] = more->fewest[i];
		if (more->most[i] > facts->most[i])
			facts->most[i] = more->most[i];
		add_set(facts->cancelled[i], more->cancelled[i],
		    task->cancelled_condition_count +
			task->cancelled_task_count);
	}
}

void wf_facts_free(struct wf_facts **facts)
{
	struct wf_facts *f = *facts;

	if (f == NULL)
		return;
	for (uint32_t i = 0; i < f->space->model->net->task_count; i++)
		wf_free(f->cancelled[i]);
	wf_free(f->cancelled);
	wf_free(f->flags);
	wf_free(f->marked);
	wf_free(f->done);
	wf_free(f->useful);
	wf_free(f->fewest);
	wf_free(f->most);
	wf_free(f);
	*facts = NULL;
}
