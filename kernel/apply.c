/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applying events: the only code that changes a case, in a step and in a
 * replay.
 *
 * It evaluates no query, no predicate and no enabling test.  On a history that
 * Weft wrote it never fails; an event that does not fit the state (a damaged
 * history) returns false before it can break an invariant.
 *
 * The status of an instance, with the function of each edge:
 *
 *   (none) --apply_task_fired(), apply_instance_created()--> FIRED, EXECUTING
 *   FIRED ------apply_instance_started()-----> EXECUTING
 *   EXECUTING --apply_instance_rolled_back()-> FIRED
 *   FIRED, EXECUTING <--apply_suspension()---> SUSPENDED
 *   these three --apply_instance_ended()-----> ended (COMPLETE, ...)
 *
 * The state of a task's timer (enum wf_timer_state): DORMANT
 * --apply_timer_started()--> ACTIVE --apply_timer_stopped()--> CLOSED, or
 * ACTIVE --apply_timer_expired()--> EXPIRED; apply_task_enabled() makes it
 * DORMANT again, apply_timer_set() any of these.
 */
#include <assert.h>
#include <stddef.h>

#include "kernel/assignment/assignment_state.h"
#include "kernel/or_join/or_join_state.h"

/*
 * Applies one kind of event.  n and activity: those that the event names, or
 * NULL.  Returns false when the event does not fit.
 */
typedef bool (*apply_f)(struct wf_case *c, const struct wf_event *event,
    struct net_instance *n, struct activity *activity);

#define APPLY(name)                                                            \
	static bool name(__attribute__((unused)) struct wf_case *c,            \
	    __attribute__((unused)) const struct wf_event *event,              \
	    __attribute__((unused)) struct net_instance *n,                    \
	    __attribute__((unused)) struct activity *activity)

APPLY(put_variables)
{
	for (uint32_t i = 0; i < event->value_count; i++) {
		uint32_t at = event->values[i].variable;

		if (at >= n->net->variable_count)
			return false;
		wf_put_value(c, &n->variables[at], event->values[i].value);
	}
	return true;
}

APPLY(apply_case_launched)
{
	return c->root == NULL;
}

static bool set_status(struct wf_case *c, enum wf_case_status status)
{
	c->status = (uint8_t)status;
	return true;
}

APPLY(apply_case_suspended)
{
	return set_status(c, WF_CASE_SUSPENDED);
}

APPLY(apply_case_resumed)
{
	return set_status(c, WF_CASE_RUNNING);
}

APPLY(apply_case_completed)
{
	return set_status(c, WF_CASE_COMPLETED);
}

APPLY(apply_case_deadlocked)
{
	return set_status(c, WF_CASE_DEADLOCKED);
}

APPLY(apply_case_revived)
{
	return set_status(c, WF_CASE_RUNNING);
}

APPLY(apply_case_cancelled)
{
	return set_status(c, WF_CASE_CANCELLED);
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
static bool find_parent(const struct wf_case *c, const struct wf_event *event,
    struct net_instance **parent_out, struct instance **instance_out,
    const struct wf_net **net_out)
{
	struct net_instance *parent = wf_net_instance(c, event->net);
	const struct wf_decomposition *decomposition;
	struct activity *activity;

	if (parent == NULL || event->task >= parent->net->task_count ||
	    parent->depth >= c->limits->depth)
		return false;
	activity = parent->activities[event->task];
	decomposition = wf_task_of(parent, event->task)->decomposition;
	if (activity == NULL || !activity->busy || decomposition == NULL ||
	    decomposition->net == NULL)
		return false;
	*parent_out = parent;
	*instance_out = wf_activity_instance(activity, event->instance);
	*net_out = decomposition->net;
	return *instance_out != NULL && (*instance_out)->subnet == NULL;
}

APPLY(apply_net_started)
{
	const struct wf_net *net = c->spec->root;
	struct net_instance *parent = NULL;
	struct instance *instance = NULL;

	/* Serial numbers ascend and are never reused. */
	if (c->last_serial == UINT32_MAX)
		return false;
	if (event->net == 0 ? c->root != NULL
			    : !find_parent(c, event, &parent, &instance, &net))
		return false;
	n = wf_net_new(
	    c, net, parent, event->task, event->instance, c->last_serial + 1);
	if (instance != NULL)
		WF_CHANGE(c, instance->subnet, n);
	else
		WF_CHANGE(c, c->root, n);
	put_initial_values(c, n);
	if (!put_variables(c, event, n, NULL))
		return false;
	wf_mark(c, n, net->input_condition, 1);
	return true;
}

/* Inner nets must end first. */
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

APPLY(apply_net_ended)
{
	struct instance *instance;

	if (has_subnet(n))
		return false;
	if (n->parent == NULL) {
		wf_empty_net(c, n);
		WF_CHANGE(c, n->ended, true);
		return true;
	}
	activity = n->parent->activities[n->parent_task];
	if (activity == NULL)
		return false;
	instance = wf_activity_instance(activity, n->number);
	if (instance == NULL || instance->subnet != n)
		return false;
	WF_CHANGE(c, instance->subnet, NULL);
	wf_net_free(c, n);
	return true;
}

APPLY(apply_net_stuck)
{
	WF_CHANGE(c, n->stuck, true);
	return true;
}

APPLY(apply_condition_emptied)
{
	if (event->task >= n->net->condition_count)
		return false;
	wf_mark(c, n, event->task, 0);
	return true;
}

APPLY(apply_condition_marked)
{
	if (event->task >= n->net->condition_count ||
	    event->number > c->limits->tokens)
		return false;
	if (n->stuck)
		WF_CHANGE(c, n->stuck, false);
	wf_mark(c, n, event->task, event->number);
	return true;
}

APPLY(apply_instances_counted)
{
	if (event->number < n->last_child)
		return false;
	WF_CHANGE(c, n->last_child, event->number);
	return true;
}

/* Fields that are saved together. */
static_assert(offsetof(struct activity, instance_count) / 8 ==
		  offsetof(struct activity, active_count) / 8,
    "instance_count and active_count share a word");
static_assert(offsetof(struct net_instance, busy_count) / 8 ==
		  offsetof(struct net_instance, offered_count) / 8,
    "busy_count and offered_count share a word");
static_assert(offsetof(struct net_instance, dirty_low) / 8 ==
		  offsetof(struct net_instance, dirty_end) / 8,
    "dirty_low and dirty_end share a word");

static inline __attribute__((always_inline)) struct activity *offer(
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

APPLY(apply_task_enabled)
{
	if (activity != NULL)
		return false;
	offer(c, n, event->task, event->number);
	if (n->timers != NULL)
		WF_CHANGE(c, n->timers[event->task], WF_TIMER_DORMANT);
	return true;
}

APPLY(apply_task_withdrawn)
{
	if (activity->busy)
		return false;
	wf_drop_activity(c, n, activity);
	return true;
}

static __attribute__((noinline)) bool put_inputs(struct wf_case *c,
    const struct wf_task *task, struct instance *instance,
    const struct wf_event *event)
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

static __attribute__((noinline)) void grow_instances(
    struct wf_case *c, struct activity *activity)
{
	uint32_t capacity = activity->instance_capacity * 2;
	size_t size = sizeof(struct instance);
	struct instance *larger;

	wf_assert(activity->instance_count == activity->instance_capacity);
	wf_assert(capacity > activity->instance_capacity);
	larger = wf_state_alloc(c, capacity * size);
	memcpy(larger, activity->instances, activity->instance_count * size);
	if (activity->instances != &activity->first)
		wf_state_free(
		    c, activity->instances, activity->instance_capacity * size);
	WF_CHANGE(c, activity->instances, larger);
	WF_CHANGE(c, activity->instance_capacity, capacity);
}

static inline __attribute__((always_inline)) bool add_instance(
    struct wf_case *c, struct net_instance *n, struct activity *activity,
    const struct wf_event *event, enum wf_item_status status)
{
	struct instance *instance;

	if (event->instance <= n->last_child)
		return false;
	if (activity->instance_count == activity->instance_capacity)
		grow_instances(c, activity);
	instance = &activity->instances[activity->instance_count];
	/* Nothing reads beyond the last instance, so nothing is saved. */
	instance->number = event->instance;
	instance->status = (uint8_t)status;
	instance->suspended_from = WF_ITEM_FIRED;
	instance->started_at = status == WF_ITEM_EXECUTING ? c->now : 0;
	instance->timer.at = 0;
	WF_CHANGE(c, n->last_child, event->instance);
	WF_CHANGE(c, activity->instance_count, activity->instance_count + 1);
	activity->active_count++;
	return event->value_count == 0 ||
	       put_inputs(c, wf_task_of(n, event->task), instance, event);
}

APPLY(apply_instance_created)
{
	if (event->status != WF_ITEM_FIRED &&
	    event->status != WF_ITEM_EXECUTING)
		return false;
	return add_instance(
	    c, n, activity, event, (enum wf_item_status)event->status);
}

/* Composite and empty tasks fire without an offer. */
APPLY(apply_task_fired)
{
	if (activity == NULL)
		activity = offer(c, n, event->task, 0);
	if (activity->busy)
		return false;
	if (activity->results != NULL)
		wf_drop_results(c, activity);
	WF_CHANGE(c, activity->busy, true);
	WF_CHANGE(c, activity->fired_at, c->now);
	WF_CHANGE(c, n->offered_count, n->offered_count - 1);
	n->busy_count++;
	if (n->or_state != NULL)
		wf_or_touch_task(c, n, event->task, true);
	return wf_take_tokens(
		   c, n, event->conditions, event->condition_count) &&
	       add_instance(c, n, activity, event, WF_ITEM_EXECUTING);
}

/* Sub-nets must end before their task. */
static bool has_running_subnet(const struct activity *activity)
{
	for (uint32_t i = 0; i < activity->instance_count; i++)
		if (activity->instances[i].subnet != NULL)
			return true;
	return false;
}

APPLY(apply_task_cancelled)
{
	if (wf_task_of(n, activity->task)->kind == WF_COMPOSITE_TASK &&
	    has_running_subnet(activity))
		return false;
	if (n->lost != NULL) {
		wf_undo_word(c->undo, &n->lost[event->task / 64]);
		wf_bitset_add(n->lost, event->task);
	}
	wf_drop_activity(c, n, activity);
	return true;
}

APPLY(apply_task_exited)
{
	if (wf_task_of(n, activity->task)->kind == WF_COMPOSITE_TASK &&
	    has_running_subnet(activity))
		return false;
	wf_drop_activity(c, n, activity);
	return wf_put_tokens(c, n, event->conditions, event->condition_count);
}

/* Ordinary results replace earlier results; collected elements accumulate. */
static bool keep_result(struct wf_case *c, struct activity *activity,
    size_t variables, const struct wf_binding *result)
{
	struct wf_binding *slot;

	if (result->variable >= variables &&
	    (!activity->busy || result->variable != WF_COLLECTED))
		return false;
	for (uint32_t i = 0;
	     i < activity->result_count && result->variable != WF_COLLECTED;
	     i++) {
		if (activity->results[i].variable != result->variable)
			continue;
		wf_put_value(c, &activity->results[i].value, result->value);
		return true;
	}
	if (activity->result_count == activity->result_capacity) {
		uint32_t capacity = activity->result_capacity * 2 + 4;
		size_t size = sizeof(*slot);
		struct wf_binding *larger = wf_state_alloc(c, capacity * size);

		if (activity->result_count > 0)
			memcpy(larger, activity->results,
			    activity->result_count * size);
		wf_state_free(
		    c, activity->results, activity->result_capacity * size);
		WF_CHANGE(c, activity->results, larger);
		WF_CHANGE(c, activity->result_capacity, capacity);
	}
	wf_assert(activity->result_count < activity->result_capacity);
	slot = &activity->results[activity->result_count];
	WF_CHANGE(c, slot->variable, result->variable);
	wf_put_value(c, &slot->value, result->value);
	WF_CHANGE(c, activity->result_count, activity->result_count + 1);
	return true;
}

static bool set_search(struct wf_case *c, struct net_instance *n, uint32_t task,
    enum or_search search)
{
	struct or_state *state = n->or_state;

	if (state == NULL || state->joins->joins[task] == NULL)
		return false;
	WF_CHANGE(c, state->searches[task], (uint8_t)search);
	return true;
}

APPLY(apply_or_join_undecided)
{
	return set_search(c, n, event->task, OR_SEARCH_WANTED);
}

APPLY(apply_or_join_decided)
{
	wf_set_dirty(n, event->task);
	return set_search(c, n, event->task,
	    event->number != 0 ? OR_SEARCH_ENABLED : OR_SEARCH_WAITS);
}

APPLY(apply_results_kept)
{
	for (uint32_t i = 0; i < event->value_count; i++) {
		if (!keep_result(
			c, activity, n->net->variable_count, &event->values[i]))
			return false;
	}
	return true;
}

/*
 * An offered task holds its enablement values where a busy task holds its
 * results.
 */
APPLY(apply_data_shown)
{
	const struct wf_decomposition *work =
	    wf_task_of(n, activity->task)->decomposition;

	if (activity->busy || work == NULL)
		return false;
	for (uint32_t i = 0; i < event->value_count; i++) {
		if (!keep_result(
			c, activity, work->enablement_count, &event->values[i]))
			return false;
	}
	return true;
}

/* NULL: there is no such instance, or it has ended. */
static struct instance *live_instance(
    const struct activity *activity, const struct wf_event *event)
{
	struct instance *instance =
	    wf_activity_instance(activity, event->instance);

	return instance == NULL || instance->status > WF_ITEM_SUSPENDED
		   ? NULL
		   : instance;
}

APPLY(apply_instance_started)
{
	struct instance *instance = live_instance(activity, event);

	if (instance == NULL)
		return false;
	WF_CHANGE(c, instance->status, WF_ITEM_EXECUTING);
	WF_CHANGE(c, instance->started_at, c->now);
	return true;
}

APPLY(apply_instance_updated)
{
	struct instance *instance = live_instance(activity, event);

	if (instance == NULL)
		return false;
	return event->value_count == 0 ||
	       put_inputs(c, wf_task_of(n, event->task), instance, event);
}

APPLY(apply_instance_rolled_back)
{
	struct instance *instance = live_instance(activity, event);

	if (instance == NULL)
		return false;
	WF_CHANGE(c, instance->status, WF_ITEM_FIRED);
	WF_CHANGE(c, instance->started_at, 0);
	return true;
}

APPLY(apply_instance_ended)
{
	struct instance *instance = live_instance(activity, event);
	uint32_t status = event->status;

	if (instance == NULL || status <= WF_ITEM_SUSPENDED ||
	    status > WF_ITEM_DISCARDED || instance->subnet != NULL)
		return false;
	WF_CHANGE(c, instance->status, (uint8_t)status);
	wf_assert(activity->active_count > 0);
	WF_CHANGE(c, activity->active_count, activity->active_count - 1);
	if (status == WF_ITEM_COMPLETE || status == WF_ITEM_FORCED_COMPLETE ||
	    status == WF_ITEM_FAILED)
		WF_CHANGE(c, activity->completed_count,
		    activity->completed_count + 1);
	if (instance->inputs != NULL)
		wf_drop_instance_data(
		    c, wf_task_of(n, activity->task), instance);
	if (instance->assignment != NULL)
		wf_assignment_drop(c, &instance->assignment);
	return true;
}

/* Instance 0 is the enabled item. */
static bool apply_suspension(struct wf_case *c, const struct wf_event *event,
    struct activity *activity, bool suspends)
{
	struct instance *instance;

	if (event->instance == 0) {
		WF_CHANGE(c, activity->suspended, suspends);
		return !activity->busy;
	}
	instance = live_instance(activity, event);
	if (instance == NULL ||
	    (instance->status == WF_ITEM_SUSPENDED) == suspends)
		return false;
	if (suspends) {
		WF_CHANGE(c, instance->suspended_from, instance->status);
		WF_CHANGE(c, instance->status, WF_ITEM_SUSPENDED);
	} else {
		WF_CHANGE(c, instance->status, instance->suspended_from);
	}
	return true;
}

APPLY(apply_item_suspended)
{
	return apply_suspension(c, event, activity, true);
}

APPLY(apply_item_resumed)
{
	return apply_suspension(c, event, activity, false);
}

/* Instance 0 is the task; NULL: there is no such live instance. */
static struct timer *find_timer(const struct net_instance *n,
    struct activity *activity, const struct wf_event *event)
{
	struct instance *instance;

	if (n->timers == NULL)
		return NULL;
	if (event->instance == 0)
		return &activity->timer;
	instance = live_instance(activity, event);
	return instance == NULL ? NULL : &instance->timer;
}

static bool set_timer(struct wf_case *c, const struct net_instance *n,
    struct activity *activity, const struct wf_event *event, bool due)
{
	struct timer *timer = find_timer(n, activity, event);

	if (timer == NULL || event->time == 0)
		return false;
	WF_CHANGE(c, timer->at, event->time);
	WF_CHANGE(c, timer->number, event->number);
	timer->due = due; /* in the same word of the undo log */
	if (event->number > c->last_timer)
		c->last_timer = event->number;
	return true;
}

static bool clear_timer(struct wf_case *c, const struct net_instance *n,
    struct activity *activity, const struct wf_event *event)
{
	struct timer *timer = find_timer(n, activity, event);

	if (timer == NULL)
		return false;
	WF_CHANGE(c, timer->at, 0);
	return true;
}

static_assert(
    offsetof(struct timer, number) / 8 == offsetof(struct timer, due) / 8,
    "number and due share a word");

APPLY(apply_timer_started)
{
	if (!set_timer(c, n, activity, event, false))
		return false;
	WF_CHANGE(c, n->timers[event->task], WF_TIMER_ACTIVE);
	return true;
}

APPLY(apply_timer_due)
{
	return set_timer(c, n, activity, event, true);
}

APPLY(apply_timer_expired)
{
	if (!clear_timer(c, n, activity, event))
		return false;
	WF_CHANGE(c, n->timers[event->task], WF_TIMER_EXPIRED);
	return true;
}

APPLY(apply_timer_stopped)
{
	bool runs = false;

	if (!clear_timer(c, n, activity, event))
		return false;
	for (uint32_t i = 0; i < activity->instance_count; i++)
		runs = runs ||
		       (activity->instances[i].status <= WF_ITEM_SUSPENDED &&
			   activity->instances[i].timer.at != 0);
	if (!runs && activity->timer.at == 0 &&
	    n->timers[event->task] == WF_TIMER_ACTIVE)
		WF_CHANGE(c, n->timers[event->task], WF_TIMER_CLOSED);
	return true;
}

APPLY(apply_timer_set)
{
	if (n->timers == NULL || event->number > WF_TIMER_EXPIRED)
		return false;
	WF_CHANGE(c, n->timers[event->task], (uint8_t)event->number);
	return true;
}

APPLY(apply_item_dated)
{
	struct instance *instance;

	if (event->status == WF_ITEM_ENABLED) {
		WF_CHANGE(c, activity->enabled_at, event->time);
		return true;
	}
	if (event->status == WF_ITEM_FIRED) {
		WF_CHANGE(c, activity->fired_at, event->time);
		return true;
	}
	instance = wf_activity_instance(activity, event->instance);
	if (instance == NULL)
		return false;
	WF_CHANGE(c, instance->started_at, event->time);
	return true;
}

/* Instance 0 is the enabled item. */
APPLY(apply_assignment)
{
	struct instance *instance = NULL;

	if (event->instance != 0) {
		instance = live_instance(activity, event);
		if (instance == NULL)
			return false;
	} else if (activity->busy) {
		return false;
	}
	return wf_assignment_apply(c, event, n, activity, instance);
}

APPLY(apply_urgency)
{
	struct instance *instance = NULL;

	if (event->instance != 0) {
		instance = live_instance(activity, event);
		if (instance == NULL)
			return false;
	} else if (activity->busy) {
		return false;
	}
	return wf_urgency_apply(c, event,
	    &(instance == NULL ? &activity->first : instance)->assignment);
}

static bool chain_to(struct wf_case *c, const char *participant)
{
	if (c->people == NULL)
		wf_case_people_put(c, participant, "", 0);
	else
		wf_case_people_put(c, participant, c->people->completers,
		    c->people->completers_length);
	return true;
}

APPLY(apply_case_chained)
{
	char *participant;

	if (event->text_length == 0 ||
	    memchr(event->text, '\0', event->text_length) != NULL)
		return false;
	participant = wf_strndup(event->text, event->text_length);
	(void)chain_to(c, participant);
	wf_free(participant);
	return true;
}

APPLY(apply_case_unchained)
{
	return chain_to(c, "");
}

APPLY(apply_work_counted)
{
	const struct wf_task *task = wf_task_of(n, activity->task);
	struct instance *instance = live_instance(activity, event);

	if (instance == NULL || !wf_work_is_of(task, instance))
		return false;
	wf_work_add(
	    c, task, wf_work_participant(instance), 1, wf_work_ms(c, instance));
	return true;
}

/* Only readers of the history use the event. */
APPLY(apply_nothing)
{
	return true;
}

/* The objects that an event names; each scope includes the scopes before it. */
enum scope { OF_CASE, OF_NET, OF_TASK, OF_ACTIVITY, OF_BUSY };

static const struct applier {
	apply_f apply;
	enum scope scope;
} appliers[WF_EVENT_CODES] = {
	[WF_EVENT_CASE_LAUNCHED] = { apply_case_launched, OF_CASE },
	[WF_EVENT_CASE_SUSPENDED] = { apply_case_suspended, OF_CASE },
	[WF_EVENT_CASE_RESUMED] = { apply_case_resumed, OF_CASE },
	[WF_EVENT_CASE_COMPLETED] = { apply_case_completed, OF_CASE },
	[WF_EVENT_CASE_DEADLOCKED] = { apply_case_deadlocked, OF_CASE },
	[WF_EVENT_CASE_CANCELLED] = { apply_case_cancelled, OF_CASE },
	[WF_EVENT_REASON_STATED] = { apply_nothing, OF_CASE },
	[WF_EVENT_CASE_REVIVED] = { apply_case_revived, OF_CASE },
	/* In a replay: replay_event(). */
	[WF_EVENT_CASE_MIGRATED] = { apply_nothing, OF_CASE },
	[WF_EVENT_NET_STARTED] = { apply_net_started, OF_CASE },
	[WF_EVENT_NET_ENDED] = { apply_net_ended, OF_NET },
	[WF_EVENT_NET_STUCK] = { apply_net_stuck, OF_NET },
	[WF_EVENT_VARIABLES_SET] = { put_variables, OF_NET },
	[WF_EVENT_CONDITION_EMPTIED] = { apply_condition_emptied, OF_NET },
	[WF_EVENT_CONDITION_MARKED] = { apply_condition_marked, OF_NET },
	[WF_EVENT_INSTANCES_COUNTED] = { apply_instances_counted, OF_NET },
	[WF_EVENT_TASK_ENABLED] = { apply_task_enabled, OF_TASK },
	[WF_EVENT_TASK_WITHDRAWN] = { apply_task_withdrawn, OF_ACTIVITY },
	[WF_EVENT_TASK_FIRED] = { apply_task_fired, OF_TASK },
	[WF_EVENT_TASK_EXITED] = { apply_task_exited, OF_BUSY },
	[WF_EVENT_TASK_CANCELLED] = { apply_task_cancelled, OF_BUSY },
	[WF_EVENT_OR_JOIN_UNDECIDED] = { apply_or_join_undecided, OF_TASK },
	[WF_EVENT_OR_JOIN_DECIDED] = { apply_or_join_decided, OF_TASK },
	[WF_EVENT_RESULTS_KEPT] = { apply_results_kept, OF_BUSY },
	[WF_EVENT_DATA_SHOWN] = { apply_data_shown, OF_ACTIVITY },
	[WF_EVENT_INSTANCE_CREATED] = { apply_instance_created, OF_BUSY },
	[WF_EVENT_INSTANCE_STARTED] = { apply_instance_started, OF_BUSY },
	[WF_EVENT_INSTANCE_ENDED] = { apply_instance_ended, OF_BUSY },
	[WF_EVENT_INSTANCE_ROLLED_BACK] = { apply_instance_rolled_back,
	    OF_BUSY },
	[WF_EVENT_INSTANCE_UPDATED] = { apply_instance_updated, OF_BUSY },
	[WF_EVENT_ITEM_SUSPENDED] = { apply_item_suspended, OF_ACTIVITY },
	[WF_EVENT_ITEM_RESUMED] = { apply_item_resumed, OF_ACTIVITY },
	[WF_EVENT_REASON_GIVEN] = { apply_nothing, OF_BUSY },
	[WF_EVENT_PREDICATE_LOGGED] = { apply_nothing, OF_CASE },
	[WF_EVENT_ITEM_DATED] = { apply_item_dated, OF_ACTIVITY },
	[WF_EVENT_TIMER_STARTED] = { apply_timer_started, OF_ACTIVITY },
	[WF_EVENT_TIMER_DUE] = { apply_timer_due, OF_ACTIVITY },
	[WF_EVENT_TIMER_EXPIRED] = { apply_timer_expired, OF_ACTIVITY },
	[WF_EVENT_TIMER_STOPPED] = { apply_timer_stopped, OF_ACTIVITY },
	[WF_EVENT_TIMER_SET] = { apply_timer_set, OF_TASK },
	[WF_EVENT_ITEM_UNOFFERED] = { apply_assignment, OF_ACTIVITY },
	[WF_EVENT_ITEM_OFFERED] = { apply_assignment, OF_ACTIVITY },
	[WF_EVENT_ITEM_ALLOCATED] = { apply_assignment, OF_ACTIVITY },
	[WF_EVENT_ITEM_TAKEN] = { apply_assignment, OF_ACTIVITY },
	[WF_EVENT_ITEM_RETURNED] = { apply_assignment, OF_ACTIVITY },
	[WF_EVENT_ITEM_PASSED_ON] = { apply_nothing, OF_ACTIVITY },
	[WF_EVENT_ITEM_DONE_BY] = { apply_assignment, OF_ACTIVITY },
	[WF_EVENT_ITEM_DONE_FOR] = { apply_assignment, OF_ACTIVITY },
	[WF_EVENT_FACTS_USED] = { apply_assignment, OF_ACTIVITY },
	[WF_EVENT_RESOURCES_TAKEN] = { apply_assignment, OF_ACTIVITY },
	[WF_EVENT_RESOURCES_RELEASED] = { apply_assignment, OF_ACTIVITY },
	[WF_EVENT_RESOURCES_SET] = { apply_assignment, OF_ACTIVITY },
	[WF_EVENT_ITEM_REDIRECTED] = { apply_assignment, OF_ACTIVITY },
	[WF_EVENT_WORK_COUNTED] = { apply_work_counted, OF_BUSY },
	[WF_EVENT_COST_PRICED] = { apply_nothing, OF_TASK },
	[WF_EVENT_CASE_CHAINED] = { apply_case_chained, OF_CASE },
	[WF_EVENT_CASE_UNCHAINED] = { apply_case_unchained, OF_CASE },
	[WF_EVENT_START_FAILED] = { apply_nothing, OF_ACTIVITY },
	[WF_EVENT_ITEM_PRIORITY] = { apply_urgency, OF_ACTIVITY },
	[WF_EVENT_ITEM_DUE] = { apply_urgency, OF_ACTIVITY },
	[WF_EVENT_ITEM_NOT_DUE] = { apply_urgency, OF_ACTIVITY },
	[WF_EVENT_URGENCY_FAILED] = { apply_nothing, OF_ACTIVITY },
	[WF_EVENT_ALARM_SET] = { apply_urgency, OF_ACTIVITY },
	[WF_EVENT_ALARM_STOPPED] = { apply_urgency, OF_ACTIVITY },
	[WF_EVENT_ITEM_REMINDED] = { apply_urgency, OF_ACTIVITY },
	[WF_EVENT_ITEM_ESCALATED] = { apply_urgency, OF_ACTIVITY },
};

/* n: the net instance that the event names, or NULL. */
static inline __attribute__((always_inline)) bool apply_in_net(
    struct wf_case *c, const struct wf_event *event, struct net_instance *n)
{
	const struct applier *applier = &appliers[event->kind];
	enum scope scope = applier->scope;
	struct activity *activity;

	if (scope == OF_CASE)
		return applier->apply(c, event, n, NULL);
	if (n == NULL)
		return false;
	if (scope == OF_NET)
		return applier->apply(c, event, n, NULL);
	if (event->task >= n->net->task_count)
		return false;
	activity = n->activities[event->task];
	if (scope >= OF_ACTIVITY &&
	    (activity == NULL || (scope == OF_BUSY && !activity->busy)))
		return false;
	return applier->apply(c, event, n, activity);
}

static __attribute__((noinline)) bool apply_in_subnet(
    struct wf_case *c, const struct wf_event *event)
{
	return apply_in_net(c, event, wf_subnet_by_serial(c, event->net));
}

bool wf_apply(struct wf_case *c, const struct wf_event *event)
{
	return event->net == WF_ROOT_NET ? apply_in_net(c, event, c->root)
					 : apply_in_subnet(c, event);
}
