/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applying events: the one place where a case changes.
 *
 * Runs no query, no predicate and no enabling test.  On a history that Weft
 * wrote it never fails; an event that does not fit gives WF_CORRUPT.
 */
#include <assert.h>
#include <stddef.h>

#include "engine/state.h"

/* The event, and what it is about. */
struct scene {
	struct wf_case *c;
	const struct wf_event *event;
	struct net_instance *n;
	struct activity *activity;
	struct instance *instance;
};

/* All that follow return false when the event does not fit. */

static bool put_variables(struct scene *x)
{
	for (uint32_t i = 0; i < x->event->value_count; i++) {
		uint32_t at = x->event->values[i].variable;

		if (at >= x->n->net->variable_count)
			return false;
		wf_put_value(
		    x->c, &x->n->variables[at], x->event->values[i].value);
	}
	return true;
}

static bool apply_case_launched(struct scene *x)
{
	return x->c->root == NULL;
}

static bool set_status(struct scene *x, enum wf_case_status status)
{
	x->c->status = (uint8_t)status;
	return true;
}

static bool apply_case_suspended(struct scene *x)
{
	return set_status(x, WF_CASE_SUSPENDED);
}

static bool apply_case_resumed(struct scene *x)
{
	return set_status(x, WF_CASE_RUNNING);
}

static bool apply_case_completed(struct scene *x)
{
	return set_status(x, WF_CASE_COMPLETED);
}

static bool apply_case_deadlocked(struct scene *x)
{
	return set_status(x, WF_CASE_DEADLOCKED);
}

static bool apply_case_cancelled(struct scene *x)
{
	return set_status(x, WF_CASE_CANCELLED);
}

static void put_initial_values(struct wf_case *c, struct net_instance *n)
{
	for (uint32_t i = 0; i < n->net->variable_count; i++) {
		const struct wf_net_variable *variable = &n->net->variables[i];

		if (variable->is_flag && variable->declared->initial == NULL)
			continue;
		wf_put_value(c, &n->variables[i], variable->initial);
	}
}

/* The instance of a composite task that a net is started for. */
static bool find_parent(struct scene *x, struct net_instance **parent_out,
    struct instance **instance_out, const struct wf_net **net_out)
{
	struct net_instance *parent = wf_net_instance(x->c, x->event->net);
	const struct wf_decomposition *decomposition;
	struct activity *activity;

	if (parent == NULL || x->event->task >= parent->net->task_count ||
	    parent->depth >= x->c->limits->depth)
		return false;
	activity = parent->activities[x->event->task];
	decomposition = wf_task_of(parent, x->event->task)->decomposition;
	if (activity == NULL || !activity->busy || decomposition == NULL ||
	    decomposition->net == NULL)
		return false;
	*parent_out = parent;
	*instance_out = wf_activity_instance(activity, x->event->instance);
	*net_out = decomposition->net;
	return *instance_out != NULL && (*instance_out)->subnet == NULL;
}

static bool apply_net_started(struct scene *x)
{
	const struct wf_net *net = x->c->spec->root;
	struct net_instance *parent = NULL;
	struct instance *instance = NULL;

	if (x->event->net == 0 ? x->c->root != NULL
			       : !find_parent(x, &parent, &instance, &net))
		return false;
	x->n = wf_net_new(x->c, net, parent, x->event->task, x->event->instance,
	    x->c->last_serial + 1);
	if (instance != NULL)
		WF_CHANGE(x->c, instance->subnet, x->n);
	else
		WF_CHANGE(x->c, x->c->root, x->n);
	put_initial_values(x->c, x->n);
	if (!put_variables(x))
		return false;
	wf_mark(x->c, x->n, net->input_condition, 1);
	return true;
}

/* Deeper nets end first. */
static bool has_subnet(const struct net_instance *n)
{
	for (uint32_t i = 0; n->busy_count > 0 && i < n->net->task_count; i++) {
		const struct activity *activity = n->activities[i];

		for (uint32_t k = 0;
		     activity != NULL && k < activity->instance_count; k++) {
			if (activity->instances[k].subnet != NULL)
				return true;
		}
	}
	return false;
}

static bool apply_net_ended(struct scene *x)
{
	struct net_instance *n = x->n;
	struct activity *activity;
	struct instance *instance;

	if (has_subnet(n))
		return false;
	if (n->parent == NULL) {
		wf_empty_net(x->c, n);
		WF_CHANGE(x->c, n->ended, true);
		return true;
	}
	activity = n->parent->activities[n->parent_task];
	if (activity == NULL)
		return false;
	instance = wf_activity_instance(activity, n->number);
	if (instance == NULL || instance->subnet != n)
		return false;
	WF_CHANGE(x->c, instance->subnet, NULL);
	wf_net_free(x->c, n);
	return true;
}

static bool apply_net_stuck(struct scene *x)
{
	WF_CHANGE(x->c, x->n->stuck, true);
	return true;
}

static bool apply_condition_emptied(struct scene *x)
{
	if (x->event->task >= x->n->net->condition_count)
		return false;
	wf_mark(x->c, x->n, x->event->task, 0);
	return true;
}

/* Counts that are noted at once. */
static_assert(offsetof(struct activity, instance_count) / 8 ==
		  offsetof(struct activity, active_count) / 8,
    "instance_count and active_count share a word");
static_assert(offsetof(struct net_instance, busy_count) / 8 ==
		  offsetof(struct net_instance, offered_count) / 8,
    "busy_count and offered_count share a word");
static_assert(offsetof(struct net_instance, dirty_low) / 8 ==
		  offsetof(struct net_instance, dirty_end) / 8,
    "dirty_low and dirty_end share a word");

static struct activity *offer(
    struct wf_case *c, struct net_instance *n, uint32_t task, uint32_t choice)
{
	struct activity *activity = wf_state_alloc(c, sizeof(*activity));

	activity->task = task;
	activity->choice = choice;
	activity->enabled_at = c->now;
	activity->instances = &activity->first;
	activity->instance_capacity = 1;
	WF_CHANGE(c, n->activities[task], activity);
	WF_CHANGE(c, n->offered_count, n->offered_count + 1);
	if (choice > c->last_choice)
		c->last_choice = choice;
	return activity;
}

static bool apply_task_enabled(struct scene *x)
{
	if (x->activity != NULL)
		return false;
	offer(x->c, x->n, x->event->task, x->event->number);
	return true;
}

static bool apply_task_withdrawn(struct scene *x)
{
	if (x->activity->busy)
		return false;
	wf_drop_activity(x->c, x->n, x->activity);
	return true;
}

static bool put_inputs(struct wf_case *c, const struct wf_task *task,
    struct instance *instance, const struct wf_event *event)
{
	const struct wf_decomposition *decomposition = task->decomposition;
	size_t count;

	if (decomposition == NULL || decomposition->input_count == 0)
		return false;
	count = decomposition->input_count;
	if (instance->inputs == NULL)
		WF_CHANGE(c, instance->inputs,
		    wf_state_alloc(c, count * sizeof(struct wf_value *)));
	for (uint32_t i = 0; i < event->value_count; i++) {
		uint32_t at = event->values[i].variable;

		if (at >= count)
			return false;
		wf_put_value(c, &instance->inputs[at], event->values[i].value);
	}
	return true;
}

static void grow_instances(struct wf_case *c, struct activity *activity)
{
	uint32_t capacity = activity->instance_capacity * 2;
	size_t size = sizeof(struct instance);
	struct instance *larger;

	larger = wf_state_alloc(c, capacity * size);
	memcpy(larger, activity->instances, activity->instance_count * size);
	if (activity->instances != &activity->first)
		wf_state_free(
		    c, activity->instances, activity->instance_capacity * size);
	WF_CHANGE(c, activity->instances, larger);
	WF_CHANGE(c, activity->instance_capacity, capacity);
}

static bool add_instance(struct wf_case *c, struct net_instance *n,
    struct activity *activity, const struct wf_event *event,
    enum wf_item_status status)
{
	struct instance *instance;

	if (event->instance <= n->last_child)
		return false;
	if (activity->instance_count == activity->instance_capacity)
		grow_instances(c, activity);
	instance = &activity->instances[activity->instance_count];
	wf_undo_word(c->undo, &instance->number);
	instance->number = event->instance;
	instance->status = (uint8_t)status;
	instance->suspended_from = WF_ITEM_FIRED;
	if (status == WF_ITEM_EXECUTING)
		WF_CHANGE(c, instance->started_at, c->now);
	WF_CHANGE(c, n->last_child, event->instance);
	WF_CHANGE(c, activity->instance_count, activity->instance_count + 1);
	activity->active_count++;
	return event->value_count == 0 ||
	       put_inputs(c, wf_task_of(n, event->task), instance, event);
}

static bool apply_instance_created(struct scene *x)
{
	if (x->event->status != WF_ITEM_FIRED &&
	    x->event->status != WF_ITEM_EXECUTING)
		return false;
	return add_instance(x->c, x->n, x->activity, x->event,
	    (enum wf_item_status)x->event->status);
}

/* Composite and empty tasks are fired without having been offered. */
static bool apply_task_fired(struct scene *x)
{
	if (x->activity == NULL)
		x->activity = offer(x->c, x->n, x->event->task, 0);
	if (x->activity->busy)
		return false;
	WF_CHANGE(x->c, x->activity->busy, true);
	WF_CHANGE(x->c, x->activity->fired_at, x->c->now);
	WF_CHANGE(x->c, x->n->offered_count, x->n->offered_count - 1);
	x->n->busy_count++;
	return wf_take_tokens(x->c, x->n, x->event->conditions,
		   x->event->condition_count) &&
	       add_instance(
		   x->c, x->n, x->activity, x->event, WF_ITEM_EXECUTING);
}

static bool apply_task_cancelled(struct scene *x)
{
	wf_drop_activity(x->c, x->n, x->activity);
	return true;
}

static bool apply_task_exited(struct scene *x)
{
	wf_drop_activity(x->c, x->n, x->activity);
	return wf_put_tokens(
	    x->c, x->n, x->event->conditions, x->event->condition_count);
}

/* Ordinary results replace older ones; collected elements add up. */
static bool keep_result(struct scene *x, const struct wf_binding *result)
{
	struct activity *activity = x->activity;
	struct wf_binding *slot;

	if (result->variable != WF_COLLECTED &&
	    result->variable >= x->n->net->variable_count)
		return false;
	for (uint32_t i = 0;
	     i < activity->result_count && result->variable != WF_COLLECTED;
	     i++) {
		if (activity->results[i].variable != result->variable)
			continue;
		wf_put_value(x->c, &activity->results[i].value, result->value);
		return true;
	}
	if (activity->result_count == activity->result_capacity) {
		uint32_t capacity = activity->result_capacity * 2 + 4;
		size_t size = sizeof(*slot);
		struct wf_binding *larger =
		    wf_state_alloc(x->c, capacity * size);

		if (activity->result_count > 0)
			memcpy(larger, activity->results,
			    activity->result_count * size);
		wf_state_free(
		    x->c, activity->results, activity->result_capacity * size);
		WF_CHANGE(x->c, activity->results, larger);
		WF_CHANGE(x->c, activity->result_capacity, capacity);
	}
	slot = &activity->results[activity->result_count];
	WF_CHANGE(x->c, slot->variable, result->variable);
	wf_put_value(x->c, &slot->value, result->value);
	WF_CHANGE(x->c, activity->result_count, activity->result_count + 1);
	return true;
}

static bool apply_results_kept(struct scene *x)
{
	for (uint32_t i = 0; i < x->event->value_count; i++) {
		if (!keep_result(x, &x->event->values[i]))
			return false;
	}
	return true;
}

static bool apply_instance_started(struct scene *x)
{
	WF_CHANGE(x->c, x->instance->status, WF_ITEM_EXECUTING);
	WF_CHANGE(x->c, x->instance->started_at, x->c->now);
	return true;
}

static bool apply_instance_updated(struct scene *x)
{
	return x->event->value_count == 0 ||
	       put_inputs(x->c, wf_task_of(x->n, x->event->task), x->instance,
		   x->event);
}

static bool apply_instance_rolled_back(struct scene *x)
{
	WF_CHANGE(x->c, x->instance->status, WF_ITEM_FIRED);
	WF_CHANGE(x->c, x->instance->started_at, 0);
	return true;
}

static bool apply_instance_ended(struct scene *x)
{
	uint32_t status = x->event->status;
	struct activity *activity = x->activity;

	if (x->instance->status > WF_ITEM_SUSPENDED ||
	    status <= WF_ITEM_SUSPENDED || status > WF_ITEM_DISCARDED ||
	    x->instance->subnet != NULL)
		return false;
	WF_CHANGE(x->c, x->instance->status, (uint8_t)status);
	WF_CHANGE(x->c, activity->active_count, activity->active_count - 1);
	if (status == WF_ITEM_COMPLETE || status == WF_ITEM_FORCED_COMPLETE ||
	    status == WF_ITEM_FAILED)
		WF_CHANGE(x->c, activity->completed_count,
		    activity->completed_count + 1);
	if (x->instance->inputs != NULL)
		wf_drop_instance_data(
		    x->c, wf_task_of(x->n, activity->task), x->instance);
	return true;
}

/* Instance 0 is the enabled item. */
static bool apply_suspension(struct scene *x, bool suspends)
{
	struct instance *instance;

	if (x->event->instance == 0) {
		WF_CHANGE(x->c, x->activity->suspended, suspends);
		return !x->activity->busy;
	}
	instance = wf_activity_instance(x->activity, x->event->instance);
	if (instance == NULL ||
	    (instance->status == WF_ITEM_SUSPENDED) == suspends)
		return false;
	if (suspends) {
		WF_CHANGE(x->c, instance->suspended_from, instance->status);
		WF_CHANGE(x->c, instance->status, WF_ITEM_SUSPENDED);
	} else {
		WF_CHANGE(x->c, instance->status, instance->suspended_from);
	}
	return true;
}

static bool apply_item_suspended(struct scene *x)
{
	return apply_suspension(x, true);
}

static bool apply_item_resumed(struct scene *x)
{
	return apply_suspension(x, false);
}

/* How much of the scene an event needs; each includes those before it. */
enum scope { OF_CASE, OF_NET, OF_TASK, OF_ACTIVITY, OF_BUSY, OF_INSTANCE };

/* Which function applies which event. */
#define APPLIERS(ROW)                                                          \
	ROW(CASE_LAUNCHED, apply_case_launched, OF_CASE)                       \
	ROW(CASE_SUSPENDED, apply_case_suspended, OF_CASE)                     \
	ROW(CASE_RESUMED, apply_case_resumed, OF_CASE)                         \
	ROW(CASE_COMPLETED, apply_case_completed, OF_CASE)                     \
	ROW(CASE_DEADLOCKED, apply_case_deadlocked, OF_CASE)                   \
	ROW(CASE_CANCELLED, apply_case_cancelled, OF_CASE)                     \
	ROW(NET_STARTED, apply_net_started, OF_CASE)                           \
	ROW(NET_ENDED, apply_net_ended, OF_NET)                                \
	ROW(NET_STUCK, apply_net_stuck, OF_NET)                                \
	ROW(VARIABLES_SET, put_variables, OF_NET)                              \
	ROW(CONDITION_EMPTIED, apply_condition_emptied, OF_NET)                \
	ROW(TASK_ENABLED, apply_task_enabled, OF_TASK)                         \
	ROW(TASK_WITHDRAWN, apply_task_withdrawn, OF_ACTIVITY)                 \
	ROW(TASK_FIRED, apply_task_fired, OF_TASK)                             \
	ROW(TASK_EXITED, apply_task_exited, OF_BUSY)                           \
	ROW(TASK_CANCELLED, apply_task_cancelled, OF_BUSY)                     \
	ROW(RESULTS_KEPT, apply_results_kept, OF_BUSY)                         \
	ROW(INSTANCE_CREATED, apply_instance_created, OF_BUSY)                 \
	ROW(INSTANCE_STARTED, apply_instance_started, OF_INSTANCE)             \
	ROW(INSTANCE_ENDED, apply_instance_ended, OF_INSTANCE)                 \
	ROW(INSTANCE_ROLLED_BACK, apply_instance_rolled_back, OF_INSTANCE)     \
	ROW(INSTANCE_UPDATED, apply_instance_updated, OF_INSTANCE)             \
	ROW(ITEM_SUSPENDED, apply_item_suspended, OF_ACTIVITY)                 \
	ROW(ITEM_RESUMED, apply_item_resumed, OF_ACTIVITY)

static inline __attribute__((always_inline)) bool set_scene(
    struct scene *x, enum scope scope)
{
	const struct wf_event *event = x->event;

	if (scope == OF_CASE)
		return true;
	x->n = wf_net_instance(x->c, event->net);
	if (x->n == NULL || scope == OF_NET)
		return x->n != NULL;
	if (event->task >= x->n->net->task_count)
		return false;
	x->activity = x->n->activities[event->task];
	if (scope == OF_TASK)
		return true;
	if (x->activity == NULL || (scope >= OF_BUSY && !x->activity->busy))
		return false;
	if (scope == OF_INSTANCE)
		x->instance =
		    wf_activity_instance(x->activity, event->instance);
	return scope != OF_INSTANCE || x->instance != NULL;
}

/*
 * A switch and not an array of functions: in each case the compiler knows the
 * scope and puts the function in place.
 */
bool wf_apply(struct wf_case *c, const struct wf_event *event)
{
	wf_undo_room(c->undo, 1);
	switch (event->kind) {
#define ROW(name, function, scope)                                             \
	case WF_EVENT_##name: {                                                \
		struct scene x = { .c = c, .event = event };                   \
                                                                               \
		return set_scene(&x, scope) && function(&x);                   \
	}
		APPLIERS(ROW)
#undef ROW
	}
	return false;
}
