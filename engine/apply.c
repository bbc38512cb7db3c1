/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applying events: the one place where a case changes.
 *
 * Runs no query, no predicate and no enabling test.  On a history that Weft
 * wrote it never fails; damaged bytes give WF_CORRUPT.
 */
#include "engine/state.h"

#define ROUND(size) (((size) + 7) & ~(size_t)7)

static void *state_alloc(struct wf_case *c, size_t size)
{
	void *memory = wf_undo_alloc(c->undo, ROUND(size));

	WF_CHANGE(c, c->memory, c->memory + ROUND(size));
	return memory;
}

static void state_free(struct wf_case *c, void *memory, size_t size)
{
	if (memory == NULL)
		return;
	WF_CHANGE(c, c->memory, c->memory - ROUND(size));
	wf_undo_release(c->undo, memory, ROUND(size));
}

/* Makes the slot refer to value (NULL: to none). */
static void put_value(
    struct wf_case *c, struct wf_value **slot, struct wf_value *value)
{
	size_t memory = c->memory;

	if (*slot == value)
		return;
	if (*slot != NULL)
		memory -= (*slot)->length;
	if (value != NULL) {
		memory += value->length;
		wf_undo_drop(c->undo, wf_value_ref(value), false);
		if (value->number > c->last_value)
			WF_CHANGE(c, c->last_value, value->number);
	}
	WF_CHANGE(c, c->memory, memory);
	wf_undo_drop(c->undo, *slot, true);
	WF_CHANGE(c, *slot, value);
}

void wf_set_dirty(struct wf_case *c, struct net_instance *n, uint32_t task)
{
	wf_undo_word(c->undo, &n->dirty[task / 64]);
	wf_bitset_add(n->dirty, task);
	if (task < n->dirty_low)
		WF_CHANGE(c, n->dirty_low, task);
}

void wf_mark(struct wf_case *c, struct net_instance *n, uint32_t condition,
    uint32_t tokens)
{
	const struct wf_condition *place = &n->net->conditions[condition];
	bool was = n->tokens[condition] != 0;
	bool is = tokens != 0;

	WF_CHANGE(c, n->tokens[condition], tokens);
	if (was == is)
		return;
	wf_undo_word(c->undo, &n->marked[condition / 64]);
	wf_bitset_put(n->marked, condition, is);
	WF_CHANGE(
	    c, n->marked_count, is ? n->marked_count + 1 : n->marked_count - 1);
	for (uint32_t i = 0; i < place->postset_count; i++) {
		uint32_t task = place->postset[i];

		WF_CHANGE(c, n->missing[task],
		    n->missing[task] + (is ? UINT32_MAX : 1));
		wf_set_dirty(c, n, task);
	}
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
	memcpy(c->id, id, id_length);
	return c;
}

static size_t net_size(const struct wf_net *net)
{
	size_t size = sizeof(struct net_instance);

	size += net->task_count * sizeof(struct activity *);
	size += net->variable_count * sizeof(struct wf_value *);
	size += wf_bitset_words(net->condition_count) * sizeof(uint64_t);
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
	n->marked = (uint64_t *)(void *)at;
	at += wf_bitset_words(net->condition_count) * sizeof(uint64_t);
	n->dirty = (uint64_t *)(void *)at;
	at += wf_bitset_words(net->task_count) * sizeof(uint64_t);
	n->tokens = (uint32_t *)(void *)at;
	at += net->condition_count * sizeof(uint32_t);
	n->missing = (uint32_t *)(void *)at;
}

static void list_net(struct wf_case *c, struct net_instance *n)
{
	if (c->net_count == c->net_capacity) {
		uint32_t capacity =
		    c->net_capacity == 0 ? 2 : c->net_capacity * 2;
		size_t size = sizeof(struct net_instance *);
		struct net_instance **larger = state_alloc(c, capacity * size);

		if (c->net_count > 0)
			memcpy(larger, c->nets, c->net_count * size);
		state_free(c, c->nets, c->net_capacity * size);
		WF_CHANGE(c, c->nets, larger);
		WF_CHANGE(c, c->net_capacity, capacity);
	}
	WF_CHANGE(c, c->nets[c->net_count], n);
	WF_CHANGE(c, c->net_count, c->net_count + 1);
}

struct net_instance *wf_net_new(struct wf_case *c, const struct wf_net *net,
    struct net_instance *parent, uint32_t parent_task, uint32_t number,
    uint32_t serial)
{
	struct net_instance *n = state_alloc(c, net_size(net));

	n->net = net;
	n->parent = parent;
	n->parent_task = parent_task;
	n->number = number;
	n->serial = serial;
	n->depth = parent == NULL ? 0 : (uint16_t)(parent->depth + 1);
	place_arrays(n);
	n->dirty_low = net->task_count;
	for (uint32_t i = 0; i < net->task_count; i++)
		n->missing[i] = net->tasks[i].preset_count;
	list_net(c, n);
	WF_CHANGE(c, c->last_serial, serial);
	return n;
}

static void drop_instance_data(
    struct wf_case *c, const struct wf_task *task, struct instance *instance)
{
	size_t count;

	if (instance->inputs == NULL)
		return;
	count = task->decomposition->input_count;
	for (size_t i = 0; i < count; i++)
		put_value(c, &instance->inputs[i], NULL);
	state_free(c, instance->inputs, count * sizeof(struct wf_value *));
	WF_CHANGE(c, instance->inputs, NULL);
}

static void drop_activity(
    struct wf_case *c, struct net_instance *n, struct activity *activity)
{
	const struct wf_task *task = wf_task_of(n, activity->task);

	for (uint32_t i = 0; i < activity->instance_count; i++)
		drop_instance_data(c, task, &activity->instances[i]);
	if (activity->instances != &activity->first)
		state_free(c, activity->instances,
		    activity->instance_capacity * sizeof(struct instance));
	for (uint32_t i = 0; i < activity->result_count; i++)
		put_value(c, &activity->results[i].value, NULL);
	state_free(c, activity->results,
	    activity->result_capacity * sizeof(struct wf_binding));
	if (activity->busy)
		WF_CHANGE(c, n->busy_count, n->busy_count - 1);
	else
		WF_CHANGE(c, n->offered_count, n->offered_count - 1);
	WF_CHANGE(c, n->activities[activity->task], NULL);
	wf_set_dirty(c, n, activity->task);
	state_free(c, activity, sizeof(*activity));
}

/* Takes all tokens and activities out of a net; the variables stay. */
static void empty_net(struct wf_case *c, struct net_instance *n)
{
	for (uint32_t i = 0; i < n->net->task_count; i++) {
		if (n->activities[i] != NULL)
			drop_activity(c, n, n->activities[i]);
	}
	for (uint32_t i = 0; i < n->net->condition_count; i++) {
		if (n->tokens[i] != 0)
			wf_mark(c, n, i, 0);
	}
}

static void unlist_net(struct wf_case *c, struct net_instance *n)
{
	uint32_t at = 0;

	while (c->nets[at] != n)
		at++;
	for (; at + 1 < c->net_count; at++)
		WF_CHANGE(c, c->nets[at], c->nets[at + 1]);
	WF_CHANGE(c, c->net_count, c->net_count - 1);
}

void wf_net_free(struct wf_case *c, struct net_instance *n)
{
	empty_net(c, n);
	for (uint32_t i = 0; i < n->net->variable_count; i++)
		put_value(c, &n->variables[i], NULL);
	unlist_net(c, n);
	state_free(c, n, net_size(n->net));
}

void wf_case_free(struct wf_case **instance)
{
	struct wf_case *c = *instance;

	if (c == NULL)
		return;
	wf_assert(c->undo == NULL);
	while (c->net_count > 0)
		wf_net_free(c, c->nets[c->net_count - 1]);
	wf_free(c->nets);
	c->magic = 0;
	wf_free(c);
	*instance = NULL;
}

/* One apply function per kind of event; where an event does not fit. */
static enum wf_rc damaged(struct wf_error *err, const struct wf_event *event)
{
	return wf_fail(err, WF_CORRUPT,
	    "an event %s does not fit the case it is applied to",
	    wf_event_name(event->kind));
}

static bool put_variables(
    struct wf_case *c, struct net_instance *n, const struct wf_event *event)
{
	for (uint32_t i = 0; i < event->value_count; i++) {
		uint32_t at = event->values[i].variable;

		if (at >= n->net->variable_count)
			return false;
		put_value(c, &n->variables[at], event->values[i].value);
	}
	return true;
}

static void put_initial_values(struct wf_case *c, struct net_instance *n)
{
	for (uint32_t i = 0; i < n->net->variable_count; i++) {
		const struct wf_net_variable *variable = &n->net->variables[i];

		if (variable->is_flag && variable->declared->initial == NULL)
			continue;
		put_value(c, &n->variables[i], variable->initial);
	}
}

static bool apply_net_started(struct wf_case *c, const struct wf_event *event)
{
	const struct wf_net *net = c->spec->root;
	struct net_instance *parent = NULL;
	struct instance *instance = NULL;
	struct net_instance *n;

	if (event->net != 0) {
		const struct wf_decomposition *decomposition;
		struct activity *activity;

		parent = wf_net_instance(c, event->net);
		if (parent == NULL || event->task >= parent->net->task_count)
			return false;
		activity = parent->activities[event->task];
		decomposition = wf_task_of(parent, event->task)->decomposition;
		if (activity == NULL || !activity->busy ||
		    decomposition == NULL || decomposition->net == NULL ||
		    parent->depth >= c->limits->depth)
			return false;
		net = decomposition->net;
		instance = wf_activity_instance(activity, event->instance);
		if (instance == NULL || instance->subnet != NULL)
			return false;
	} else if (c->root != NULL) {
		return false;
	}
	n = wf_net_new(
	    c, net, parent, event->task, event->instance, c->last_serial + 1);
	if (instance != NULL)
		WF_CHANGE(c, instance->subnet, n);
	else
		WF_CHANGE(c, c->root, n);
	put_initial_values(c, n);
	if (!put_variables(c, n, event))
		return false;
	wf_mark(c, n, net->input_condition, 1);
	return true;
}

static bool apply_net_ended(struct wf_case *c, struct net_instance *n)
{
	struct instance *instance;

	if (n->parent == NULL) {
		empty_net(c, n);
		WF_CHANGE(c, n->ended, true);
		return true;
	}
	if (n->parent->activities[n->parent_task] == NULL)
		return false;
	instance = wf_activity_instance(
	    n->parent->activities[n->parent_task], n->number);
	if (instance == NULL || instance->subnet != n)
		return false;
	WF_CHANGE(c, instance->subnet, NULL);
	for (uint32_t i = 0; i < n->net->task_count; i++) {
		/* Deeper nets end first. */
		const struct activity *activity = n->activities[i];

		for (uint32_t k = 0;
		     activity != NULL && k < activity->instance_count; k++) {
			if (activity->instances[k].subnet != NULL)
				return false;
		}
	}
	wf_net_free(c, n);
	return true;
}

static bool apply_task_enabled(
    struct wf_case *c, struct net_instance *n, const struct wf_event *event)
{
	struct activity *activity;

	if (n->activities[event->task] != NULL)
		return false;
	activity = state_alloc(c, sizeof(*activity));
	activity->task = event->task;
	activity->choice = event->number;
	activity->enabled_at = c->now;
	activity->instances = &activity->first;
	activity->instance_capacity = 1;
	WF_CHANGE(c, n->activities[event->task], activity);
	WF_CHANGE(c, n->offered_count, n->offered_count + 1);
	if (event->number > c->last_choice)
		WF_CHANGE(c, c->last_choice, event->number);
	return true;
}

static bool move_tokens(struct wf_case *c, struct net_instance *n,
    const struct wf_event *event, bool in)
{
	for (uint32_t i = 0; i < event->condition_count; i++) {
		uint32_t at = event->conditions[i];

		if (at >= n->net->condition_count ||
		    (in ? n->tokens[at] >= c->limits->tokens
			: n->tokens[at] == 0))
			return false;
		wf_mark(c, n, at, in ? n->tokens[at] + 1 : n->tokens[at] - 1);
	}
	return true;
}

static bool apply_task_fired(
    struct wf_case *c, struct net_instance *n, const struct wf_event *event)
{
	struct activity *activity = n->activities[event->task];

	/* Composite and empty tasks are fired without having been offered. */
	if (activity == NULL) {
		if (!apply_task_enabled(c, n, event))
			return false;
		activity = n->activities[event->task];
	}
	if (activity->busy || !move_tokens(c, n, event, false))
		return false;
	WF_CHANGE(c, activity->busy, true);
	WF_CHANGE(c, activity->fired_at, c->now);
	/* The two counts share a word. */
	WF_CHANGE(c, n->offered_count, n->offered_count - 1);
	n->busy_count++;
	return true;
}

static void grow_instances(struct wf_case *c, struct activity *activity)
{
	uint32_t capacity = activity->instance_capacity * 2;
	size_t size = sizeof(struct instance);
	struct instance *larger;

	if (activity->instance_count < activity->instance_capacity)
		return;
	larger = state_alloc(c, capacity * size);
	memcpy(larger, activity->instances, activity->instance_count * size);
	if (activity->instances != &activity->first)
		state_free(
		    c, activity->instances, activity->instance_capacity * size);
	WF_CHANGE(c, activity->instances, larger);
	WF_CHANGE(c, activity->instance_capacity, capacity);
}

static bool put_inputs(struct wf_case *c, const struct wf_task *task,
    struct instance *instance, const struct wf_event *event)
{
	size_t count;

	if (event->value_count == 0)
		return true;
	count =
	    task->decomposition == NULL ? 0 : task->decomposition->input_count;
	if (instance->inputs == NULL)
		WF_CHANGE(c, instance->inputs,
		    state_alloc(c, count * sizeof(struct wf_value *)));
	for (uint32_t i = 0; i < event->value_count; i++) {
		if (event->values[i].variable >= count)
			return false;
		put_value(c, &instance->inputs[event->values[i].variable],
		    event->values[i].value);
	}
	return true;
}

static bool apply_instance_created(struct wf_case *c, struct net_instance *n,
    const struct wf_event *event, struct activity *activity)
{
	struct instance *instance;

	if (event->instance <= n->last_child ||
	    (event->status != WF_ITEM_FIRED &&
		event->status != WF_ITEM_EXECUTING))
		return false;
	grow_instances(c, activity);
	instance = &activity->instances[activity->instance_count];
	wf_undo_word(c->undo, &instance->number);
	instance->number = event->instance;
	instance->status = (uint8_t)event->status;
	instance->suspended_from = WF_ITEM_FIRED;
	if (event->status == WF_ITEM_EXECUTING)
		WF_CHANGE(c, instance->started_at, c->now);
	WF_CHANGE(c, n->last_child, event->instance);
	WF_CHANGE(c, activity->instance_count, activity->instance_count + 1);
	WF_CHANGE(c, activity->active_count, activity->active_count + 1);
	return put_inputs(c, wf_task_of(n, event->task), instance, event);
}

static bool apply_instance_ended(struct wf_case *c,
    const struct wf_event *event, struct net_instance *n,
    struct activity *activity, struct instance *instance)
{
	if (instance->status > WF_ITEM_SUSPENDED ||
	    event->status <= WF_ITEM_SUSPENDED ||
	    event->status > WF_ITEM_DISCARDED || instance->subnet != NULL)
		return false;
	WF_CHANGE(c, instance->status, (uint8_t)event->status);
	WF_CHANGE(c, activity->active_count, activity->active_count - 1);
	if (event->status == WF_ITEM_COMPLETE ||
	    event->status == WF_ITEM_FORCED_COMPLETE ||
	    event->status == WF_ITEM_FAILED)
		WF_CHANGE(c, activity->completed_count,
		    activity->completed_count + 1);
	drop_instance_data(c, wf_task_of(n, activity->task), instance);
	return true;
}

/* Ordinary results replace older ones; collected elements add up. */
static bool keep_result(struct wf_case *c, struct net_instance *n,
    struct activity *activity, const struct wf_binding *result)
{
	struct wf_binding *slot;

	if (result->variable != WF_COLLECTED &&
	    result->variable >= n->net->variable_count)
		return false;
	for (uint32_t i = 0;
	     i < activity->result_count && result->variable != WF_COLLECTED;
	     i++) {
		if (activity->results[i].variable != result->variable)
			continue;
		put_value(c, &activity->results[i].value, result->value);
		return true;
	}
	if (activity->result_count == activity->result_capacity) {
		uint32_t capacity = activity->result_capacity == 0
					? 4
					: activity->result_capacity * 2;
		size_t size = sizeof(*slot);
		struct wf_binding *larger = state_alloc(c, capacity * size);

		if (activity->result_count > 0)
			memcpy(larger, activity->results,
			    activity->result_count * size);
		state_free(
		    c, activity->results, activity->result_capacity * size);
		WF_CHANGE(c, activity->results, larger);
		WF_CHANGE(c, activity->result_capacity, capacity);
	}
	slot = &activity->results[activity->result_count];
	WF_CHANGE(c, slot->variable, result->variable);
	put_value(c, &slot->value, result->value);
	WF_CHANGE(c, activity->result_count, activity->result_count + 1);
	return true;
}

static bool apply_results_kept(struct wf_case *c, struct net_instance *n,
    const struct wf_event *event, struct activity *activity)
{
	for (uint32_t i = 0; i < event->value_count; i++) {
		if (!keep_result(c, n, activity, &event->values[i]))
			return false;
	}
	return true;
}

static bool apply_suspension(struct wf_case *c, const struct wf_event *event,
    struct activity *activity, struct instance *instance)
{
	bool suspends = event->kind == WF_EVENT_ITEM_SUSPENDED;

	if (event->instance == 0) {
		WF_CHANGE(c, activity->suspended, suspends);
		return true;
	}
	if ((instance->status == WF_ITEM_SUSPENDED) == suspends)
		return false;
	if (suspends) {
		WF_CHANGE(c, instance->suspended_from, instance->status);
		WF_CHANGE(c, instance->status, WF_ITEM_SUSPENDED);
	} else {
		WF_CHANGE(c, instance->status, instance->suspended_from);
	}
	return true;
}

static bool apply_to_instance(struct wf_case *c, struct net_instance *n,
    const struct wf_event *event, struct activity *activity)
{
	struct instance *instance =
	    wf_activity_instance(activity, event->instance);

	if (instance == NULL)
		return false;
	switch (event->kind) {
	case WF_EVENT_INSTANCE_STARTED:
		WF_CHANGE(c, instance->status, WF_ITEM_EXECUTING);
		WF_CHANGE(c, instance->started_at, c->now);
		return true;
	case WF_EVENT_INSTANCE_ROLLED_BACK:
		WF_CHANGE(c, instance->status, WF_ITEM_FIRED);
		WF_CHANGE(c, instance->started_at, 0);
		return true;
	case WF_EVENT_INSTANCE_ENDED:
		return apply_instance_ended(c, event, n, activity, instance);
	case WF_EVENT_INSTANCE_UPDATED:
		return put_inputs(
		    c, wf_task_of(n, event->task), instance, event);
	case WF_EVENT_ITEM_SUSPENDED:
	case WF_EVENT_ITEM_RESUMED:
		return apply_suspension(c, event, activity, instance);
	default:
		return false;
	}
}

static bool apply_to_task(
    struct wf_case *c, struct net_instance *n, const struct wf_event *event)
{
	struct activity *activity;

	if (event->task >= n->net->task_count)
		return false;
	activity = n->activities[event->task];
	if (event->kind == WF_EVENT_TASK_ENABLED)
		return apply_task_enabled(c, n, event);
	if (event->kind == WF_EVENT_TASK_FIRED)
		return apply_task_fired(c, n, event);
	if (activity == NULL)
		return false;
	switch (event->kind) {
	case WF_EVENT_TASK_WITHDRAWN:
		if (activity->busy)
			return false;
		drop_activity(c, n, activity);
		return true;
	case WF_EVENT_TASK_CANCELLED:
	case WF_EVENT_TASK_EXITED:
		if (!activity->busy)
			return false;
		drop_activity(c, n, activity);
		return move_tokens(c, n, event, true);
	default:
		break;
	}
	if (event->kind == WF_EVENT_RESULTS_KEPT)
		return apply_results_kept(c, n, event, activity);
	if (event->instance == 0)
		return !activity->busy &&
		       apply_suspension(c, event, activity, NULL);
	if (!activity->busy)
		return false;
	if (event->kind == WF_EVENT_INSTANCE_CREATED)
		return apply_instance_created(c, n, event, activity);
	return apply_to_instance(c, n, event, activity);
}

static bool apply_to_net(struct wf_case *c, const struct wf_event *event)
{
	struct net_instance *n = wf_net_instance(c, event->net);

	if (n == NULL)
		return false;
	switch (event->kind) {
	case WF_EVENT_NET_ENDED:
		return apply_net_ended(c, n);
	case WF_EVENT_NET_STUCK:
		WF_CHANGE(c, n->stuck, true);
		return true;
	case WF_EVENT_VARIABLES_SET:
		return put_variables(c, n, event);
	case WF_EVENT_CONDITION_EMPTIED:
		if (event->task >= n->net->condition_count)
			return false;
		wf_mark(c, n, event->task, 0);
		return true;
	default:
		return apply_to_task(c, n, event);
	}
}

static bool apply_to_case(struct wf_case *c, enum wf_case_status status)
{
	WF_CHANGE(c, c->status, (uint8_t)status);
	return true;
}

enum wf_rc wf_apply(
    struct wf_case *c, const struct wf_event *event, struct wf_error *err)
{
	bool fits;

	switch (event->kind) {
	case WF_EVENT_CASE_LAUNCHED:
		fits = c->root == NULL;
		break;
	case WF_EVENT_CASE_SUSPENDED:
		fits = apply_to_case(c, WF_CASE_SUSPENDED);
		break;
	case WF_EVENT_CASE_RESUMED:
		fits = apply_to_case(c, WF_CASE_RUNNING);
		break;
	case WF_EVENT_CASE_COMPLETED:
		fits = apply_to_case(c, WF_CASE_COMPLETED);
		break;
	case WF_EVENT_CASE_DEADLOCKED:
		fits = apply_to_case(c, WF_CASE_DEADLOCKED);
		break;
	case WF_EVENT_CASE_CANCELLED:
		fits = apply_to_case(c, WF_CASE_CANCELLED);
		break;
	case WF_EVENT_NET_STARTED:
		fits = apply_net_started(c, event);
		break;
	default:
		fits = apply_to_net(c, event);
		break;
	}
	return fits ? WF_OK : damaged(err, event);
}
