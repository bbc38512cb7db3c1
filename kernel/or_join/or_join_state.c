/* SPDX-License-Identifier: Apache-2.0 */
/* OR-joins of nets and of net instances. */
#include "kernel/or_join/or_join_state.h"

static void free_joins(const struct wf_net *net, struct wf_or_joins *joins)
{
	for (uint32_t i = 0; i < net->task_count; i++) {
		wf_or_join_free(&joins->joins[i]);
		wf_free(joins->by_task[i]);
	}
	for (uint32_t i = 0; i < net->condition_count; i++)
		wf_free(joins->by_condition[i]);
	wf_free(joins->joins);
	wf_free(joins->by_task);
	wf_free(joins->by_condition);
	wf_free(joins);
}

static void free_derived(const struct wf_net *net, void *derived)
{
	free_joins(net, derived);
}

/* The OR-joins whose cone, a set of elements, contains the element. */
static uint32_t *list_dependents(const struct wf_net *net,
    struct wf_or_join *const *joins, uint32_t element,
    const uint64_t *(*cone)(const struct wf_or_join *join))
{
	uint32_t *list = wf_calloc((size_t)net->task_count + 1, sizeof(*list));

	for (uint32_t i = 0; i < net->task_count; i++)
		if (joins[i] != NULL && wf_bitset_has(cone(joins[i]), element))
			list[++list[0]] = i;
	return wf_realloc(list, (list[0] + (size_t)1) * sizeof(*list));
}

static struct wf_or_joins *make_joins(const struct wf_net *net)
{
	struct wf_or_joins *made = wf_calloc(1, sizeof(*made));

	made->joins = wf_calloc(net->task_count, sizeof(*made->joins));
	made->by_task = wf_calloc(net->task_count, sizeof(*made->by_task));
	made->by_condition =
	    wf_calloc(net->condition_count, sizeof(*made->by_condition));
	for (uint32_t i = 0; i < net->task_count; i++)
		if (net->tasks[i].join == WF_OR)
			made->joins[i] = wf_or_join_compile(net, i);
	for (uint32_t i = 0; i < net->task_count; i++)
		made->by_task[i] =
		    list_dependents(net, made->joins, i, wf_or_join_cone_tasks);
	for (uint32_t i = 0; i < net->condition_count; i++)
		made->by_condition[i] = list_dependents(
		    net, made->joins, i, wf_or_join_cone_conditions);
	return made;
}

static bool has_or_join(const struct wf_net *net)
{
	for (uint32_t i = 0; i < net->task_count; i++)
		if (net->tasks[i].join == WF_OR)
			return true;
	return false;
}

/* Some hundred megabytes, and a second or two. */
#define COST_MAXIMUM UINT64_C(1000000)

bool wf_or_joins_fit(const struct wf_net *net)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < net->task_count; i++)
		count += net->tasks[i].join == WF_OR &&
			 net->tasks[i].preset_count > 1;
	return count <= 10 ||
	       count * (net->condition_count + (uint64_t)net->task_count) <=
		   COST_MAXIMUM;
}

const struct wf_or_joins *wf_or_joins_of(const struct wf_net *net)
{
	struct wf_net_derived *slot = net->derived;
	void *made = atomic_load(&slot->data);
	void *expected = NULL;

	if (made != NULL || !has_or_join(net))
		return made;
	/* Two threads may make it; one wins, and both use that one. */
	made = make_joins(net);
	if (atomic_compare_exchange_strong(&slot->data, &expected, made)) {
		slot->free = free_derived;
		return made;
	}
	free_joins(net, made);
	return expected;
}

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
	state->told =
	    (uint8_t *)(state->busy + wf_bitset_words(net->task_count));
	return state;
}

void wf_or_state_free(
    struct wf_case *c, const struct wf_net *net, struct or_state *state)
{
	if (state != NULL)
		wf_state_free(c, state, state_size(net));
}

static void touch(
    struct wf_case *c, struct net_instance *n, const uint32_t *dependents)
{
	struct or_state *state = n->or_state;

	wf_undo_room(c->undo, 1 + (size_t)dependents[0]);
	for (uint32_t i = 1; i <= dependents[0]; i++) {
		uint32_t task = dependents[i];

		if (state->told[task] != OR_OPEN)
			WF_CHANGE(c, state->told[task], OR_OPEN);
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

	wf_undo_word(c->undo, &state->busy[task / 64]);
	wf_bitset_put(state->busy, task, busy);
	touch(c, n, state->joins->by_task[task]);
}

enum wf_or_verdict wf_or_verdict_of(const struct net_instance *n, uint32_t task)
{
	struct or_state *state = n->or_state;

	switch ((enum or_told)state->told[task]) {
	case OR_UNDECIDED:
		return WF_OR_UNDECIDED;
	case OR_TOLD_ENABLED:
		return WF_OR_ENABLED;
	case OR_TOLD_WAIT:
		return WF_OR_WAIT;
	case OR_OPEN:
		break;
	}
	return wf_or_join_decide(state->joins->joins[task], n->tokens,
	    state->busy, *state->memory, NULL, NULL);
}

bool wf_or_waits_for_verdict(const struct net_instance *n)
{
	for (uint32_t i = 0; n->or_state != NULL && i < n->net->task_count; i++)
		if (n->or_state->told[i] == OR_UNDECIDED)
			return true;
	return false;
}

bool wf_or_is_undecided(const struct net_instance *n, uint32_t task)
{
	const struct or_state *state = n->or_state;

	if (state->joins->joins[task] == NULL || n->ended ||
	    state->told[task] != OR_OPEN || wf_bitset_has(state->busy, task) ||
	    n->missing[task] == 0 ||
	    n->missing[task] == n->net->tasks[task].preset_count)
		return false;
	return wf_or_verdict_of(n, task) == WF_OR_UNDECIDED;
}

void wf_or_marking(
    const struct net_instance *n, uint32_t task, struct wf_buffer *text)
{
	const struct wf_or_join *join = n->or_state->joins->joins[task];
	const uint64_t *conditions = wf_or_join_cone_conditions(join);
	const uint64_t *tasks = wf_or_join_cone_tasks(join);

	for (uint32_t i = 0; i < n->net->condition_count; i++)
		if (n->tokens[i] != 0 && wf_bitset_has(conditions, i))
			wf_buffer_printf(text, "%s=%u ",
			    n->net->conditions[i].id, n->tokens[i]);
	for (uint32_t i = 0; i < n->net->task_count; i++)
		if (wf_bitset_has(n->or_state->busy, i) &&
		    wf_bitset_has(tasks, i))
			wf_buffer_printf(text, "%s=busy ", n->net->tasks[i].id);
}
