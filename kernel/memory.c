/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The building blocks of kernel/apply.c: creating, changing and freeing net
 * instances, activities, values and tokens.
 *
 * Every change goes through the undo log, so a step can be undone, and the
 * bytes that the case holds are counted in wf_case.memory.
 */
#include "kernel/assignment/assignment_state.h"
#include "kernel/or_join/or_join_state.h"

/* Up to this many entries of the list of nets are moved and saved singly. */
#define FEW_NETS 4U

/* Makes the slot refer to value (NULL: to none). */
void wf_put_value(
    struct wf_case *c, struct wf_value **slot, struct wf_value *value)
{
	if (*slot == value)
		return;
	wf_undo_room(c->undo, 1);
	if (*slot != NULL) {
		wf_assert(c->memory >= (*slot)->length);
		c->memory -= (*slot)->length;
	}
	if (value != NULL) {
		c->memory += value->length;
		wf_undo_drop(c->undo, wf_value_ref(value), false);
		if (value->number > c->last_value)
			c->last_value = value->number;
	}
	wf_undo_drop(c->undo, *slot, true);
	WF_CHANGE(c, *slot, value);
}

/*
 * Updates the tasks behind a condition that was emptied (more: 1) or filled
 * (-1).
 */
static inline __attribute__((always_inline)) void change_missing(
    struct wf_case *c, struct net_instance *n, const struct wf_condition *place,
    uint32_t more)
{
	for (uint32_t i = 0; i < place->postset_count; i++) {
		uint32_t task = place->postset[i];
		const struct activity *activity = n->activities[task];

		WF_CHANGE(c, n->missing[task], n->missing[task] + more);
		wf_assert(n->missing[task] != UINT32_MAX); /* 0 - 1 */
		/* A busy task is examined when it exits. */
		if (activity == NULL ? wf_task_has_inputs(n, task)
				     : !activity->busy)
			wf_set_dirty(n, task);
	}
}

static inline __attribute__((always_inline)) void mark(struct wf_case *c,
    struct net_instance *n, uint32_t condition, uint32_t tokens)
{
	const struct wf_condition *place = &n->net->conditions[condition];
	uint32_t before = n->tokens[condition];

	if (n->or_state != NULL)
		wf_or_touch_condition(c, n, condition);
	wf_undo_room(c->undo, 1 + (size_t)place->postset_count);
	WF_CHANGE(c, n->tokens[condition], tokens);
	if ((before == 0) != (tokens == 0))
		change_missing(c, n, place, tokens == 0 ? 1 : UINT32_MAX);
}

void wf_mark(struct wf_case *c, struct net_instance *n, uint32_t condition,
    uint32_t tokens)
{
	mark(c, n, condition, tokens);
}

bool wf_take_tokens(struct wf_case *c, struct net_instance *n,
    const uint32_t *conditions, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = conditions[i];

		if (at >= n->net->condition_count || n->tokens[at] == 0)
			return false;
		mark(c, n, at, n->tokens[at] - 1);
	}
	return true;
}

bool wf_put_tokens(struct wf_case *c, struct net_instance *n,
    const uint32_t *conditions, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = conditions[i];

		if (at >= n->net->condition_count ||
		    n->tokens[at] >= c->limits->tokens)
			return false;
		mark(c, n, at, n->tokens[at] + 1);
	}
	return true;
}

struct wf_case *wf_case_new(const struct wf_spec *spec, const char *id,
    size_t id_length, const struct wf_limits *limits)
{
	struct wf_case *c = wf_calloc(1, sizeof(*c));

	wf_assert(id_length < sizeof(c->id));
	c->magic = WF_CASE_MAGIC;
	c->spec = spec;
	c->limits = limits == NULL ? &wf_limits_default : limits;
	c->memory = sizeof(*c);
	c->id_length = (uint8_t)id_length;
	memcpy(c->id, id, id_length);
	return c;
}

void wf_case_limit(struct wf_case *instance, const struct wf_limits *limits)
{
	wf_assert(instance->magic == WF_CASE_MAGIC);
	instance->limits = limits == NULL ? &wf_limits_default : limits;
}

static size_t net_size(const struct wf_net *net)
{
	size_t size = sizeof(struct net_instance);

	size += net->task_count * sizeof(struct activity *);
	size += net->variable_count * sizeof(struct wf_value *);
	size += wf_bitset_words(net->task_count) * sizeof(uint64_t);
	size += net->condition_count * sizeof(uint32_t);
	size += net->task_count * sizeof(uint32_t);
	return size;
}

static void place_arrays(struct net_instance *n)
{
	const struct wf_net *net = n->net;
	unsigned char *at = (unsigned char *)(n + 1);

	n->activities = (struct activity **)(void *)at;
	at += net->task_count * sizeof(struct activity *);
	n->variables = (struct wf_value **)(void *)at;
	at += net->variable_count * sizeof(struct wf_value *);
	n->dirty = (uint64_t *)(void *)at;
	at += wf_bitset_words(net->task_count) * sizeof(uint64_t);
	n->tokens = (uint32_t *)(void *)at;
	at += net->condition_count * sizeof(uint32_t);
	n->missing = (uint32_t *)(void *)at;
	at += net->task_count * sizeof(uint32_t);
	wf_assert(at == (unsigned char *)n + net_size(net));
}

static size_t lost_size(const struct wf_net *net)
{
	return wf_bitset_words(net->task_count) * sizeof(uint64_t);
}

static void list_net(struct wf_case *c, struct net_instance *n)
{
	if (c->net_count == c->net_capacity) {
		uint32_t capacity =
		    c->net_capacity == 0 ? 2 : c->net_capacity * 2;
		size_t size = sizeof(struct net_instance *);
		struct net_instance **larger =
		    wf_state_alloc(c, capacity * size);

		if (c->net_count > 0)
			memcpy(larger, c->nets, c->net_count * size);
		wf_state_free(c, c->nets, c->net_capacity * size);
		c->own_nets = true;
		WF_CHANGE(c, c->nets, larger);
		WF_CHANGE(c, c->net_capacity, capacity);
	}
	/* The list is searched by serial number. */
	wf_assert(
	    c->net_count == 0 || c->nets[c->net_count - 1]->serial < n->serial);
	WF_CHANGE(c, c->nets[c->net_count], n);
	c->net_count++;
}

struct net_instance *wf_net_new(struct wf_case *c, const struct wf_net *net,
    struct net_instance *parent, uint32_t parent_task, uint32_t number,
    uint32_t serial)
{
	struct net_instance *n = wf_state_alloc(c, net_size(net));

	n->net = net;
	n->parent = parent;
	n->parent_task = parent_task;
	n->number = number;
	n->serial = serial;
	n->depth = parent == NULL ? 0 : (uint16_t)(parent->depth + 1);
	place_arrays(n);
	n->or_state = wf_or_state_new(c, net);
	if (c->limits->cancelled_stays_busy)
		n->lost = wf_state_alloc(c, lost_size(net));
	if (net->has_timer)
		n->timers = wf_state_alloc(c, net->task_count);
	for (uint32_t i = 0; i < net->task_count; i++)
		n->missing[i] = net->tasks[i].preset_count;
	list_net(c, n);
	c->last_serial = serial;
	return n;
}

void wf_drop_instance_data(
    struct wf_case *c, const struct wf_task *task, struct instance *instance)
{
	size_t count;

	wf_assert(instance->inputs != NULL && task->decomposition != NULL);
	count = task->decomposition->input_count;
	for (size_t i = 0; i < count; i++)
		wf_put_value(c, &instance->inputs[i], NULL);
	wf_state_free(c, instance->inputs, count * sizeof(struct wf_value *));
	WF_CHANGE(c, instance->inputs, NULL);
}

static void free_results(struct wf_case *c, const struct activity *activity)
{
	for (uint32_t i = 0; i < activity->result_count; i++)
		wf_put_value(c, &activity->results[i].value, NULL);
	wf_state_free(c, activity->results,
	    activity->result_capacity * sizeof(struct wf_binding));
}

/* All instances and results of an activity. */
static void drop_contents(
    struct wf_case *c, const struct wf_task *task, struct activity *activity)
{
	/* Of a damaged history a task may be busy without an instance. */
	if (!activity->busy || activity->instance_count == 0)
		wf_assignment_drop(c, &activity->first.assignment);
	for (uint32_t i = 0; i < activity->instance_count; i++) {
		wf_assignment_drop(c, &activity->instances[i].assignment);
		if (activity->instances[i].inputs != NULL)
			wf_drop_instance_data(c, task, &activity->instances[i]);
	}
	if (activity->instances != &activity->first)
		wf_state_free(c, activity->instances,
		    activity->instance_capacity * sizeof(struct instance));
	free_results(c, activity);
}

void wf_drop_results(struct wf_case *c, struct activity *activity)
{
	free_results(c, activity);
	WF_CHANGE(c, activity->results, NULL);
	WF_CHANGE(c, activity->result_count, 0);
	WF_CHANGE(c, activity->result_capacity, 0);
}

void wf_drop_activity(
    struct wf_case *c, struct net_instance *n, struct activity *activity)
{
	bool has_inputs = wf_task_has_inputs(n, activity->task);

	if (activity->instances != &activity->first ||
	    ((uintptr_t)activity->first.inputs | (uintptr_t)activity->results |
		(uintptr_t)activity->first.assignment) != 0)
		drop_contents(c, wf_task_of(n, activity->task), activity);
	wf_undo_room(c->undo, 1);
	if (activity->busy)
		WF_CHANGE(c, n->busy_count, n->busy_count - 1);
	else
		WF_CHANGE(c, n->offered_count, n->offered_count - 1);
	WF_CHANGE(c, n->activities[activity->task], NULL);
	if (n->or_state != NULL && activity->busy)
		wf_or_touch_task(c, n, activity->task, false);
	if (has_inputs)
		wf_set_dirty(n, activity->task);
	wf_state_free(c, activity, sizeof(*activity));
}

/* Removes all tokens and activities from a net; the variables stay. */
void wf_empty_net(struct wf_case *c, struct net_instance *n)
{
	const struct wf_net *net = n->net;
	const uint32_t *tokens = n->tokens;

	for (uint32_t i = 0;
	     n->busy_count + n->offered_count > 0 && i < net->task_count; i++) {
		if (n->activities[i] != NULL)
			wf_drop_activity(c, n, n->activities[i]);
	}
	wf_assert(n->busy_count == 0 && n->offered_count == 0);
	for (uint32_t i = 0, count = net->condition_count; i < count; i++) {
		if (tokens[i] != 0)
			wf_mark(c, n, i, 0);
	}
}

/*
 * Copies the list of nets for this step: changes to the copy need not be saved,
 * because undoing restores the pointer to the old list.
 */
static void own_nets(struct wf_case *c)
{
	size_t size = c->net_capacity * sizeof(struct net_instance *);
	struct net_instance **own;

	if (c->undo == NULL || c->own_nets)
		return;
	own = wf_state_alloc(c, size);
	memcpy(own, c->nets, size);
	wf_state_free(c, c->nets, size);
	wf_undo_room(c->undo, 1);
	WF_CHANGE(c, c->nets, own);
	c->own_nets = true;
}

static void unlist_net(struct wf_case *c, struct net_instance *n)
{
	uint32_t at = wf_net_position(c, n->serial);
	uint32_t behind = c->net_count - at - 1;

	wf_assert(at < c->net_count && c->nets[at] == n);
	if (behind > FEW_NETS)
		own_nets(c);
	if (c->own_nets || c->undo == NULL) {
		memmove(&c->nets[at], &c->nets[at + 1],
		    behind * sizeof(c->nets[0]));
	} else {
		wf_undo_room(c->undo, behind);
		for (; behind > 0; at++, behind--)
			WF_CHANGE(c, c->nets[at], c->nets[at + 1]);
	}
	c->net_count--;
}

void wf_net_free(struct wf_case *c, struct net_instance *n)
{
	wf_empty_net(c, n);
	for (uint32_t i = 0; i < n->net->variable_count; i++)
		wf_put_value(c, &n->variables[i], NULL);
	unlist_net(c, n);
	wf_or_state_free(c, n->net, n->or_state);
	wf_state_free(c, n->lost, lost_size(n->net));
	wf_state_free(c, n->timers, n->net->task_count);
	wf_state_free(c, n, net_size(n->net));
}

void wf_case_free(struct wf_case **instance)
{
	struct wf_case *c = *instance;

	if (c == NULL)
		return;
	wf_assert(c->magic == WF_CASE_MAGIC);
	wf_assert(c->undo == NULL);
	wf_case_people_drop(c);
	wf_work_drop(c);
	while (c->net_count > 0)
		wf_net_free(c, c->nets[c->net_count - 1]);
	/*
	 * Everything that was counted as allocated has been counted as freed.
	 */
	wf_assert(c->memory ==
		  sizeof(*c) + c->net_capacity * sizeof(struct net_instance *));
	wf_free(c->nets);
	c->magic = 0;
	wf_free(c);
	*instance = NULL;
}
