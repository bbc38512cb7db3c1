/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a net instance keeps for its OR-joins: the set of busy tasks, and per
 * OR-join the state of a search outside a step.
 */
#include "kernel/or_join/or_join_state.h"

static size_t state_size(const struct wf_net *net)
{
	return sizeof(struct or_state) +
	       wf_bitset_words(net->task_count) * sizeof(uint64_t) +
	       net->task_count;
}

struct or_state *wf_or_state_new(struct wf_case *c, const struct wf_net *net)
{
	const struct wf_or_joins *joins = wf_or_joins_of(net);
	struct or_state *state;

	if (joins == NULL)
		return NULL;
	state = wf_state_alloc(c, state_size(net));
	state->joins = joins;
	state->memory = &c->or_memory;
	state->busy = (uint64_t *)(void *)(state + 1);
	state->searches =
	    (uint8_t *)(state->busy + wf_bitset_words(net->task_count));
	return state;
}

void wf_or_state_free(
    struct wf_case *c, const struct wf_net *net, struct or_state *state)
{
	if (state != NULL)
		wf_state_free(c, state, state_size(net));
}

/* A new token or a new busy task invalidates earlier verdicts. */
static void touch(
    struct wf_case *c, struct net_instance *n, const uint32_t *dependents)
{
	struct or_state *state = n->or_state;

	wf_undo_room(c->undo, 1 + (size_t)dependents[0]);
	for (uint32_t i = 1; i <= dependents[0]; i++) {
		uint32_t task = dependents[i];

		if (state->searches[task] != OR_SEARCH_NONE)
			WF_CHANGE(c, state->searches[task], OR_SEARCH_NONE);
		if (!wf_bitset_has(state->busy, task))
			wf_set_dirty(n, task);
	}
}

void wf_or_touch_condition(
    struct wf_case *c, struct net_instance *n, uint32_t condition)
{
	touch(c, n, n->or_state->joins->by_condition[condition]);
}

void wf_or_touch_task(
    struct wf_case *c, struct net_instance *n, uint32_t task, bool busy)
{
	struct or_state *state = n->or_state;
	uint64_t *word = &state->busy[task / 64];
	uint64_t bit = UINT64_C(1) << (task % 64);

	wf_assert(((*word & bit) != 0) != busy);
	wf_undo_word(c->undo, word);
	*word ^= bit;
	touch(c, n, state->joins->by_task[task]);
}

enum wf_or_verdict wf_or_verdict_of(const struct net_instance *n, uint32_t task)
{
	struct or_state *state = n->or_state;

	switch ((enum or_search)state->searches[task]) {
	case OR_SEARCH_WANTED:
		return WF_OR_UNDECIDED;
	case OR_SEARCH_ENABLED:
		return WF_OR_ENABLED;
	case OR_SEARCH_WAITS:
		return WF_OR_WAIT;
	case OR_SEARCH_NONE:
		break;
	}
	return wf_or_join_decide(state->joins->joins[task], n->tokens,
	    state->busy, *state->memory, NULL, NULL);
}

bool wf_or_waits_for_verdict(const struct net_instance *n)
{
	for (uint32_t i = 0; n->or_state != NULL && i < n->net->task_count; i++)
		if (n->or_state->searches[i] == OR_SEARCH_WANTED)
			return true;
	return false;
}

bool wf_or_is_undecided(const struct net_instance *n, uint32_t task)
{
	const struct or_state *state = n->or_state;

	if (state->joins->joins[task] == NULL || n->ended ||
	    state->searches[task] != OR_SEARCH_NONE ||
	    wf_bitset_has(state->busy, task) || n->missing[task] == 0 ||
	    n->missing[task] == n->net->tasks[task].preset_count)
		return false;
	return wf_or_verdict_of(n, task) == WF_OR_UNDECIDED;
}

void wf_or_marking(
    const struct net_instance *n, uint32_t task, struct wf_buffer *text)
{
	const struct wf_or_join *join = n->or_state->joins->joins[task];
	const uint64_t *conditions;
	const uint64_t *tasks;

	wf_assert(join != NULL);
	conditions = wf_or_join_cone_conditions(join);
	tasks = wf_or_join_cone_tasks(join);
	for (uint32_t i = 0; i < n->net->condition_count; i++)
		if (n->tokens[i] != 0 && wf_bitset_has(conditions, i))
			wf_buffer_printf(text, "%s=%u ",
			    n->net->conditions[i].id, n->tokens[i]);
	for (uint32_t i = 0; i < n->net->task_count; i++)
		if (wf_bitset_has(n->or_state->busy, i) &&
		    wf_bitset_has(tasks, i))
			wf_buffer_printf(text, "%s=busy ", n->net->tasks[i].id);
}
