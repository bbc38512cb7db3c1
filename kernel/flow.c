/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control flow: enabling, firing, cancellation, exit, and the end of nets.
 *
 * wf_advance() is YAWL's "continue if possible", made incremental: it examines
 * only tasks behind conditions that changed ("dirty").  Enabled tasks are
 * grouped by the marked conditions they wait on.  In each group a composite
 * task has priority over an empty task, and an empty task over atomic tasks,
 * which are offered together (a deferred choice).  Ties are broken by id, so
 * the same state always gives the same step.
 *
 * A net instance:
 *
 *                 settle()                      end_net()
 *   NET_STARTED ----------> settled or stuck ------------> NET_ENDED
 *                  ^              |  a command, wf_advance()
 *                  +--------------+
 *
 * Recursion: settle() fires a composite task, which settles its sub-net; an
 * ended sub-net completes its instance.  The depth is bounded by
 * wf_limits.depth.
 */
#include "kernel/kernel.h"
#include "kernel/or_join/or_join_state.h"

static struct wf_event net_event(enum wf_event_kind kind,
    const struct net_instance *n, enum wf_item_status status)
{
	struct wf_event event = { .kind = kind };

	event.net = n->serial;
	event.status = status;
	return event;
}

/* The conditions that an enabled task takes a token from. */
static const uint32_t *tokens_taken(struct step *s,
    const struct net_instance *n, const struct wf_task *task,
    uint32_t *count_out)
{
	const uint32_t *marked = task->preset;
	uint32_t *taken;
	uint32_t count = 0;

	if (task->join == WF_AND) {
		*count_out = task->preset_count;
		return task->preset;
	}
	if (task->join == WF_XOR) {
		while (n->tokens[*marked] == 0) {
			marked++;
			wf_assert(marked < task->preset + task->preset_count);
		}
		*count_out = 1;
		return marked;
	}
	taken = wf_step_alloc(s, task->preset_count * sizeof(*taken));
	for (uint32_t i = 0; i < task->preset_count; i++) {
		if (n->tokens[task->preset[i]] != 0)
			taken[count++] = task->preset[i];
	}
	wf_assert(count > 0);
	*count_out = count;
	return taken;
}

void wf_bind(
    struct step *s, const struct values *values, struct wf_event *event)
{
	struct wf_binding *bindings;
	uint32_t count = 0;

	bindings = wf_step_alloc(s, values->count * sizeof(*bindings));
	for (size_t i = 0; i < values->count; i++) {
		if (values->values[i] == NULL)
			continue;
		bindings[count].variable = (uint32_t)i;
		bindings[count++].value = values->values[i];
	}
	event->values = bindings;
	event->value_count = count;
}

static void create_instance(struct step *s, struct net_instance *n,
    uint32_t task, enum wf_item_status status, const struct values *inputs)
{
	struct wf_event event = { .kind = WF_EVENT_INSTANCE_CREATED };

	event.net = n->serial;
	event.task = task;
	event.instance = n->last_child + 1;
	event.status = status;
	if (inputs->count > 0)
		wf_bind(s, inputs, &event);
	wf_emit(s, &event);
}

/* Starts the sub-net of an instance of a composite task. */
static enum wf_rc start_subnet(struct step *s, struct net_instance *n,
    uint32_t task, uint32_t number, const struct values *inputs)
{
	const struct wf_task *t = wf_task_of(n, task);
	struct wf_event event = { .kind = WF_EVENT_NET_STARTED };

	if (n->depth >= s->c->limits->depth)
		return wf_fail(s->err, WF_LIMIT,
		    "task %s: more than %u composite tasks within one another",
		    t->id, s->c->limits->depth);
	event.net = n->serial;
	event.task = task;
	event.instance = number;
	if (inputs->count > 0)
		wf_bind(s, inputs, &event);
	wf_emit(s, &event);
	return WF_OK;
}

/* The input of every instance that the task will have. */
static enum wf_rc evaluate_all_inputs(struct step *s,
    const struct net_instance *n, const struct wf_task *task,
    struct values **inputs_out, uint32_t *count_out)
{
	struct values formals = { NULL, 1 };
	struct values *inputs;
	enum wf_rc rc = WF_OK;

	if (task->multi != NULL)
		rc = wf_evaluate_instances(s, n, task, &formals);
	if (rc != WF_OK)
		return rc;
	inputs = wf_step_alloc(s, formals.count * sizeof(*inputs));
	for (size_t i = 0; i < formals.count && rc == WF_OK; i++) {
		rc = wf_evaluate_inputs(s, n, task,
		    formals.values == NULL ? NULL : formals.values[i],
		    &inputs[i]);
	}
	*inputs_out = inputs;
	*count_out = (uint32_t)formals.count;
	return rc;
}

/* Starts all sub-nets of a composite task; of items, only the first. */
static enum wf_rc start_instances(struct step *s, struct net_instance *n,
    const struct wf_task *task, uint32_t first, const struct values *inputs,
    uint32_t count)
{
	static const struct values nothing = { NULL, 0 };
	bool composite = task->kind == WF_COMPOSITE_TASK;
	enum wf_rc rc = WF_OK;

	for (uint32_t i = 1; i < count; i++)
		create_instance(s, n, task->number,
		    composite ? WF_ITEM_EXECUTING : WF_ITEM_FIRED,
		    composite || inputs == NULL ? &nothing : &inputs[i]);
	for (uint32_t i = 1; task->is_for_people && i < count && rc == WF_OK;
	     i++)
		rc = wf_people_created(s, n, task->number, first + i);
	for (uint32_t i = 0; composite && i < count && rc == WF_OK; i++)
		rc = start_subnet(s, n, task->number, first + i,
		    inputs == NULL ? &nothing : &inputs[i]);
	return rc;
}

static __attribute__((noinline)) enum wf_rc fail_firing(
    const struct step *s, const struct wf_task *task)
{
	if (s->firings_left == 0)
		return wf_fail(s->err, WF_LIMIT,
		    "task %s: more than %u tasks fired in one step", task->id,
		    s->c->limits->firings);
	return wf_fail(s->err, WF_LIMIT,
	    "task %s: one step makes more instances than %u, or more events "
	    "than %u bytes",
	    task->id, s->c->limits->firings, s->c->limits->event_bytes);
}

enum wf_rc wf_fire(struct step *s, struct net_instance *n, uint32_t task)
{
	const struct wf_task *t = wf_task_of(n, task);
	struct wf_event event = { .kind = WF_EVENT_TASK_FIRED };
	uint32_t first = n->last_child + 1;
	struct values *inputs = NULL;
	uint32_t count = 1;
	enum wf_rc rc = WF_OK;

	if (t->moves_data && s->firings_left > 0)
		rc = evaluate_all_inputs(s, n, t, &inputs, &count);
	if (rc != WF_OK)
		return rc;
	/* The number of instances multiplies with nested sub-nets. */
	if (count > s->firings_left || s->out->events.full)
		return fail_firing(s, t);
	s->firings_left -= count;
	event.net = n->serial;
	event.task = task;
	event.conditions = tokens_taken(s, n, t, &event.condition_count);
	event.instance = first;
	if (inputs != NULL && inputs[0].count > 0 &&
	    t->kind != WF_COMPOSITE_TASK)
		wf_bind(s, &inputs[0], &event);
	wf_emit(s, &event);
	if (count == 1 && t->kind != WF_COMPOSITE_TASK)
		return WF_OK;
	return start_instances(s, n, t, first, inputs, count);
}

void wf_cancel_subnet(
    struct step *s, struct net_instance *subnet, enum wf_item_status status)
{
	struct wf_event event = net_event(WF_EVENT_NET_ENDED, subnet, status);

	wf_cancel_items(s, subnet, status);
	wf_emit(s, &event);
}

static void end_instance(struct step *s, struct net_instance *n,
    struct activity *activity, struct instance *instance,
    enum wf_item_status status)
{
	struct wf_event event = { .kind = WF_EVENT_INSTANCE_ENDED };

	if (instance->status > WF_ITEM_SUSPENDED)
		return;
	if (instance->subnet != NULL)
		wf_cancel_subnet(s, instance->subnet, status);
	if (n->timers != NULL)
		wf_timer_stop(s, n, activity, instance);
	event.net = n->serial;
	event.task = activity->task;
	event.instance = instance->number;
	event.status = status;
	wf_emit(s, &event);
}

/* Cancels all instances except one, which may be NULL. */
static void end_instances(struct step *s, struct net_instance *n,
    struct activity *activity, const struct instance *but,
    enum wf_item_status status)
{
	/*
	 * From the latest, because that is cheap to remove from the list of
	 * nets.
	 */
	for (uint32_t i = activity->instance_count; i-- > 0;) {
		if (&activity->instances[i] != but)
			end_instance(
			    s, n, activity, &activity->instances[i], status);
	}
}

void wf_cancel_task(struct step *s, struct net_instance *n,
    struct activity *activity, enum wf_item_status status)
{
	end_instances(s, n, activity, NULL, status);
	if (n->timers != NULL)
		wf_timer_stop(s, n, activity, NULL);
	wf_emit_task(s, WF_EVENT_TASK_CANCELLED, n, activity->task);
}

void wf_withdraw(struct step *s, struct net_instance *n, uint32_t task,
    enum wf_item_status status)
{
	struct wf_event event = net_event(WF_EVENT_TASK_WITHDRAWN, n, status);

	if (n->timers != NULL)
		wf_timer_stop(s, n, n->activities[task], NULL);
	event.task = task;
	wf_emit(s, &event);
}

void wf_withdraw_disabled(struct step *s)
{
	for (uint32_t i = 0; i < s->c->net_count; i++) {
		struct net_instance *n = s->c->nets[i];

		for (uint32_t t = 0; t < n->net->task_count; t++)
			if (n->activities[t] != NULL &&
			    !n->activities[t]->busy &&
			    !wf_task_is_enabled(n, t))
				wf_withdraw(s, n, t, WF_ITEM_WITHDRAWN);
	}
}

void wf_cancel_items(
    struct step *s, struct net_instance *n, enum wf_item_status status)
{
	for (uint32_t i = 0;
	     i < n->net->task_count && n->busy_count + n->offered_count > 0;
	     i++) {
		struct activity *activity = n->activities[i];

		if (activity == NULL)
			continue;
		if (activity->busy)
			wf_cancel_task(s, n, activity, status);
		else
			wf_withdraw(s, n, i,
			    status == WF_ITEM_DISCARDED ? WF_ITEM_WITHDRAWN
							: status);
	}
}

/* Empties conditions and cancels busy tasks, but not the task itself. */
static void run_cancellation_set(
    struct step *s, struct net_instance *n, const struct wf_task *task)
{
	for (uint32_t i = 0; i < task->cancelled_task_count; i++) {
		uint32_t number = task->cancelled_tasks[i];
		struct activity *activity = n->activities[number];

		if (number == task->number || activity == NULL ||
		    !activity->busy)
			continue;
		wf_cancel_task(s, n, activity, WF_ITEM_CANCELLED);
	}
	for (uint32_t i = 0; i < task->cancelled_condition_count; i++) {
		uint32_t condition = task->cancelled_conditions[i];

		if (n->tokens[condition] != 0)
			wf_emit_task(
			    s, WF_EVENT_CONDITION_EMPTIED, n, condition);
	}
}

static inline enum wf_rc check_token_limit(struct step *s,
    const struct net_instance *n, const uint32_t *conditions, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (n->tokens[conditions[i]] >= s->c->limits->tokens)
			return wf_fail(s->err, WF_LIMIT,
			    "condition %s: more than %u tokens",
			    n->net->conditions[conditions[i]].id,
			    s->c->limits->tokens);
	}
	return WF_OK;
}

static void set_variables(struct step *s, struct net_instance *n,
    struct wf_binding *bindings, uint32_t count)
{
	struct wf_event event = { .kind = WF_EVENT_VARIABLES_SET };

	if (count == 0)
		return;
	event.net = n->serial;
	event.values = bindings;
	event.value_count = count;
	wf_emit(s, &event);
}

/* Whether the task exits with these counts. */
static enum wf_rc is_last(struct step *s, const struct net_instance *n,
    const struct activity *activity, uint32_t active, uint32_t completed,
    bool *last_out)
{
	const struct wf_task *task = wf_task_of(n, activity->task);
	uint32_t threshold;
	enum wf_rc rc;

	*last_out = active == 0;
	if (active == 0 || task->multi == NULL)
		return WF_OK;
	rc = wf_evaluate_bound(s, n, task, &task->multi->threshold, &threshold);
	*last_out = completed >= threshold;
	return rc;
}

/* The results, replaced by those of the last instance. */
static uint32_t merge_results(struct step *s, const struct activity *activity,
    const struct wf_binding *results, uint32_t count,
    struct wf_binding **merged_out)
{
	uint32_t room = activity->result_count + count + 1;
	struct wf_binding *merged = wf_step_alloc(s, room * sizeof(*merged));
	uint32_t length = 0;

	for (uint32_t i = 0; i < activity->result_count; i++) {
		bool newer = activity->results[i].variable == WF_COLLECTED;

		for (uint32_t k = 0; k < count && !newer; k++)
			newer = results[k].variable ==
				activity->results[i].variable;
		if (!newer)
			merged[length++] = activity->results[i];
	}
	for (uint32_t i = 0; i < count; i++) {
		if (results[i].variable != WF_COLLECTED)
			merged[length++] = results[i];
	}
	wf_assert(length < room); /* room for the joined element */
	*merged_out = merged;
	return length;
}

/* Assigns the results of a task to variables, with the joined element. */
static enum wf_rc assign_results(struct step *s, struct net_instance *n,
    const struct activity *activity, const struct wf_binding *results,
    uint32_t count)
{
	const struct wf_task *task = wf_task_of(n, activity->task);
	struct wf_value *collected = NULL;
	struct wf_binding *merged;
	uint32_t length;
	enum wf_rc rc;

	if (count > 0 && results[count - 1].variable == WF_COLLECTED)
		collected = results[count - 1].value;
	length = merge_results(s, activity, results, count, &merged);
	if (task->multi != NULL && task->multi->has_output) {
		struct wf_value *joined;

		rc = wf_evaluate_join(s, task, activity, collected, &joined);
		if (rc != WF_OK)
			return rc;
		merged[length].variable = task->multi->result;
		merged[length++].value = joined;
	}
	set_variables(s, n, merged, length);
	return WF_OK;
}

static __attribute__((noinline)) void stop_timers(struct step *s,
    const struct net_instance *n, const struct activity *activity,
    const struct instance *last)
{
	wf_timer_stop(s, n, activity, NULL);
	if (last != NULL)
		wf_timer_stop(s, n, activity, last);
}

/*
 * Leaves a busy task: assigns its results, cancels its running instances and
 * the elements of its cancellation set, then puts the tokens of its split.
 * ended: the instance (NULL: none), output and status of the event TASK_EXITED.
 */
static inline __attribute__((always_inline)) enum wf_rc exit_task(
    struct step *s, struct net_instance *n, struct activity *activity,
    const struct wf_binding *results, uint32_t count,
    const struct instance *last, struct wf_event *ended)
{
	const struct wf_task *task = wf_task_of(n, activity->task);
	enum wf_rc rc = WF_OK;

	if (n->timers != NULL)
		stop_timers(s, n, activity, last);
	if (task->moves_data)
		rc = assign_results(s, n, activity, results, count);
	if (rc != WF_OK)
		return rc;
	if (activity->active_count > (last == NULL ? 0 : 1))
		end_instances(s, n, activity, last, WF_ITEM_CANCELLED);
	if (task->cancelled_task_count + task->cancelled_condition_count > 0)
		run_cancellation_set(s, n, task);
	ended->conditions = task->postset;
	ended->condition_count = task->postset_count;
	if (task->split != WF_AND)
		rc = wf_evaluate_split(
		    s, n, task, &ended->conditions, &ended->condition_count);
	if (rc == WF_OK)
		rc = check_token_limit(
		    s, n, ended->conditions, ended->condition_count);
	if (rc != WF_OK)
		return rc;
	ended->kind = WF_EVENT_TASK_EXITED;
	wf_emit(s, ended);
	return WF_OK;
}

enum wf_rc wf_exit_when_done(
    struct step *s, struct net_instance *n, struct activity *activity)
{
	struct wf_event ended = { .net = n->serial, .task = activity->task };
	bool last;
	enum wf_rc rc = is_last(s, n, activity, activity->active_count,
	    activity->completed_count, &last);

	if (rc != WF_OK || !last)
		return rc;
	return exit_task(s, n, activity, NULL, 0, NULL, &ended);
}

static void keep_results(struct step *s, const struct net_instance *n,
    const struct wf_task *task, struct wf_binding *results, uint32_t count)
{
	struct wf_event event = { .kind = WF_EVENT_RESULTS_KEPT };

	event.net = n->serial;
	event.task = task->number;
	event.values = results;
	event.value_count = count;
	wf_emit(s, &event);
}

enum wf_rc wf_complete(struct step *s, struct net_instance *n,
    struct activity *activity, struct instance *instance,
    const struct values *output, enum wf_item_status status)
{
	const struct wf_task *task = wf_task_of(n, activity->task);
	struct wf_event ended = { .kind = WF_EVENT_INSTANCE_ENDED };
	struct wf_binding *results = NULL;
	uint32_t count = 0;
	bool last;
	enum wf_rc rc = WF_OK;

	if (task->moves_data)
		rc = wf_evaluate_outputs(s, n, task, output, &results, &count);
	if (rc == WF_OK)
		rc = is_last(s, n, activity, activity->active_count - 1,
		    activity->completed_count + 1, &last);
	if (rc != WF_OK)
		return rc;
	ended.net = n->serial;
	ended.task = task->number;
	ended.instance = instance->number;
	ended.status = status;
	if (output->count > 0)
		wf_bind(s, output, &ended);
	if (last)
		return exit_task(
		    s, n, activity, results, count, instance, &ended);
	if (n->timers != NULL)
		wf_timer_stop(s, n, activity, instance);
	wf_emit(s, &ended);
	if (count > 0)
		keep_results(s, n, task, results, count);
	return WF_OK;
}

/* Tokens in other conditions than the output condition. */
static uint32_t left_over(const struct net_instance *n)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n->net->condition_count; i++)
		if (i != n->net->output_condition)
			count += n->tokens[i];
	return count;
}

/* Ends a net whose output condition is marked, and everything left in it. */
static enum wf_rc end_net(struct step *s, struct net_instance *n)
{
	struct wf_event event =
	    net_event(WF_EVENT_NET_ENDED, n, WF_ITEM_COMPLETE);
	struct net_instance *parent = n->parent;
	uint32_t parent_task = n->parent_task;
	uint32_t number = n->number;
	const struct wf_net *net = n->net;
	struct values output = { NULL, 0 };
	struct activity *activity;

	event.number = left_over(n);
	wf_cancel_items(s, n, WF_ITEM_DISCARDED);
	if (parent == NULL) {
		wf_emit(s, &event);
		event = (struct wf_event){ .kind = WF_EVENT_CASE_COMPLETED };
		wf_emit(s, &event);
		return WF_OK;
	}
	output.count = net->decomposition->output_count;
	if (net->spec->file->version <= WF_BETA_3)
		output.count = net->variable_count;
	output.values = wf_step_alloc(s, output.count * sizeof(*output.values));
	for (size_t i = 0; i < output.count; i++) {
		size_t at = net->spec->file->version <= WF_BETA_3
				? i
				: net->output_variables[i];

		if (n->variables[at] != NULL)
			output.values[i] =
			    wf_step_own(s, wf_value_ref(n->variables[at]));
	}
	wf_emit(s, &event);
	activity = parent->activities[parent_task];
	return wf_complete(s, parent, activity,
	    wf_activity_instance(activity, number), &output, WF_ITEM_COMPLETE);
}

/* Whether a task counts as busy for ever (wf_limits). */
static bool has_lost(const struct net_instance *n)
{
	return n->lost != NULL &&
	       !wf_bitset_empty(n->lost, wf_bitset_words(n->net->task_count));
}

static bool is_marked(const struct net_instance *n)
{
	for (uint32_t i = 0; i < n->net->condition_count; i++)
		if (n->tokens[i] != 0)
			return true;
	return false;
}

/* No task is offered or busy: the net is stuck, or the case ends. */
static void settle_idle_net(struct step *s, struct net_instance *n)
{
	struct wf_event event = net_event(WF_EVENT_NET_STUCK, n, 0);

	if ((has_lost(n) && is_marked(n)) || wf_or_waits_for_verdict(n))
		return;
	if (n->parent != NULL) {
		event.number = is_marked(n);
		if (!n->stuck)
			wf_emit(s, &event);
		return;
	}
	event =
	    (struct wf_event){ .kind = is_marked(n) ? WF_EVENT_CASE_DEADLOCKED
						    : WF_EVENT_CASE_COMPLETED };
	if (event.kind == WF_EVENT_CASE_COMPLETED) {
		struct wf_event ended =
		    net_event(WF_EVENT_NET_ENDED, n, WF_ITEM_COMPLETE);

		wf_emit(s, &ended);
	}
	wf_emit(s, &event);
}

static enum wf_rc settle(
    struct step *s, struct net_instance *n, bool *ended_out);

/* Fires a composite task; its sub-nets may finish at once. */
static enum wf_rc fire_composite(
    struct step *s, struct net_instance *n, uint32_t task)
{
	uint32_t first = n->last_child + 1;
	enum wf_rc rc = wf_fire(s, n, task);
	uint32_t last = n->last_child;

	for (uint32_t number = first; number <= last && rc == WF_OK; number++) {
		struct activity *activity = n->activities[task];
		struct instance *instance;
		bool ended;

		/* An earlier sub-net may have ended the task. */
		if (activity == NULL || !activity->busy)
			break;
		instance = wf_activity_instance(activity, number);
		if (instance == NULL || instance->subnet == NULL)
			continue;
		rc = settle(s, instance->subnet, &ended);
	}
	return rc;
}

static enum wf_rc fire_empty(
    struct step *s, struct net_instance *n, uint32_t task)
{
	static const struct values nothing = { NULL, 0 };
	enum wf_rc rc = wf_fire(s, n, task);
	struct activity *activity = n->activities[task];

	if (rc != WF_OK)
		return rc;
	return wf_complete(s, n, activity, &activity->instances[0], &nothing,
	    WF_ITEM_COMPLETE);
}

static void offer(
    struct step *s, struct net_instance *n, uint32_t task, uint32_t choice)
{
	struct wf_event event = { .kind = WF_EVENT_TASK_ENABLED };

	event.net = n->serial;
	event.task = task;
	event.number = choice;
	wf_emit(s, &event);
}

#define FEW 16

struct candidates {
	uint32_t *tasks; /* ascending; few, or in the step's memory */
	uint32_t count;
	uint32_t few[FEW];
};

/* Sets the enablement parameters of items that were just enabled. */
static enum wf_rc show_data(struct step *s, const struct net_instance *n,
    const struct candidates *group)
{
	enum wf_rc rc = WF_OK;

	for (uint32_t i = 0; i < group->count && rc == WF_OK; i++) {
		const struct wf_task *task = wf_task_of(n, group->tasks[i]);
		struct wf_event event = { .kind = WF_EVENT_DATA_SHOWN };

		if (task->enablement_count == 0 ||
		    n->activities[task->number]->results != NULL)
			continue;
		event.net = n->serial;
		event.task = task->number;
		rc = wf_evaluate_shown(
		    s, n, task, &event.values, &event.value_count);
		if (rc == WF_OK)
			wf_emit(s, &event);
	}
	return rc;
}

/* A task can be in two groups, so its timer may be running. */
static enum wf_rc start_timers(struct step *s, const struct net_instance *n,
    const struct candidates *group)
{
	enum wf_rc rc = WF_OK;

	for (uint32_t i = 0; i < group->count && rc == WF_OK; i++) {
		uint32_t task = group->tasks[i];

		if (wf_task_of(n, task)->timer != NULL &&
		    n->timers[task] == WF_TIMER_DORMANT)
			rc = wf_timer_start(s, n, task, 0);
	}
	return rc;
}

/*
 * Decides about the items of a group, then starts those that the decisions
 * start; one may withdraw the others.  *again_out: one was started.
 */
static enum wf_rc ask_people(struct step *s, struct net_instance *n,
    const struct candidates *group, bool *again_out)
{
	struct wf_people_answer **answers =
	    wf_step_alloc(s, group->count * sizeof(struct wf_people_answer *));
	enum wf_rc rc = WF_OK;

	for (uint32_t i = 0; i < group->count; i++)
		answers[i] = wf_people_enabled(s, n, group->tasks[i]);
	for (uint32_t i = 0; i < group->count && rc == WF_OK; i++) {
		if (answers[i] == NULL ||
		    !wf_task_is_enabled(n, group->tasks[i]))
			continue;
		*again_out = true;
		rc = wf_people_start(s, n, group->tasks[i], answers[i]);
	}
	return rc;
}

static __attribute__((noinline)) enum wf_rc act_on_enabling(struct step *s,
    struct net_instance *n, const struct candidates *group, bool *again_out)
{
	enum wf_rc rc = show_data(s, n, group);

	if (rc == WF_OK && n->timers != NULL)
		rc = start_timers(s, n, group);
	if (rc == WF_OK && s->command->people != NULL)
		rc = ask_people(s, n, group, again_out);
	return rc;
}

/*
 * One group of a deferred choice.  *again_out: a task fired, so the net must
 * be examined again.
 */
static enum wf_rc run_group(struct step *s, struct net_instance *n,
    const struct candidates *group, bool *again_out)
{
	uint32_t chosen = UINT32_MAX;
	uint32_t choice = 0;

	for (uint32_t i = 0; i < group->count; i++) {
		uint32_t task = group->tasks[i];
		enum wf_task_kind kind = wf_task_of(n, task)->kind;

		if (kind == WF_ATOMIC_TASK)
			continue;
		if (kind == WF_COMPOSITE_TASK) {
			chosen = task;
			break;
		}
		if (chosen == UINT32_MAX)
			chosen = task;
	}
	if (chosen != UINT32_MAX) {
		*again_out = true;
		if (wf_task_of(n, chosen)->kind == WF_COMPOSITE_TASK)
			return fire_composite(s, n, chosen);
		return fire_empty(s, n, chosen);
	}
	if (group->count > 1)
		choice = s->c->last_choice + 1;
	for (uint32_t i = 0; i < group->count; i++) {
		uint32_t task = group->tasks[i];

		if (n->activities[task] == NULL)
			offer(s, n, task, choice);
	}
	return n->net->acts_on_enabling || s->command->people != NULL
		   ? act_on_enabling(s, n, group, again_out)
		   : WF_OK;
}

/* The groups, in the order of their conditions. */
static enum wf_rc run_groups(struct step *s, struct net_instance *n,
    const struct candidates *all, bool *again_out)
{
	size_t words = wf_bitset_words(n->net->condition_count);
	uint64_t *conditions = wf_step_alloc(s, words * sizeof(*conditions));
	uint64_t *members =
	    wf_step_alloc(s, wf_bitset_words(n->net->task_count) * 8);
	struct candidates group;
	enum wf_rc rc = WF_OK;

	group.tasks = wf_step_alloc(s, all->count * sizeof(*group.tasks));
	for (uint32_t i = 0; i < all->count; i++) {
		const struct wf_task *task = wf_task_of(n, all->tasks[i]);

		wf_bitset_add(members, task->number);
		for (uint32_t k = 0; k < task->preset_count; k++) {
			if (n->tokens[task->preset[k]] != 0)
				wf_bitset_add(conditions, task->preset[k]);
		}
	}
	WF_BITSET_EACH (i, conditions, words) {
		const struct wf_condition *place = &n->net->conditions[i];

		group.count = 0;
		for (uint32_t k = 0; k < place->postset_count; k++) {
			if (!wf_bitset_has(members, place->postset[k]))
				continue;
			wf_assert(group.count < all->count);
			group.tasks[group.count++] = place->postset[k];
		}
		rc = run_group(s, n, &group, again_out);
		if (rc != WF_OK || *again_out)
			break;
	}
	return rc;
}

/* Whether a task may fire; reports an OR-join that a step cannot decide. */
static bool may_fire(struct step *s, struct net_instance *n, uint32_t task)
{
	bool enabled = wf_task_is_enabled(n, task);

	if (!enabled && n->or_state != NULL && wf_or_is_undecided(n, task))
		wf_emit_task(s, WF_EVENT_OR_JOIN_UNDECIDED, n, task);
	return enabled;
}

/* Withdraws the item when it is no longer enabled, or lists the task. */
static void examine_task(struct step *s, struct net_instance *n, uint32_t task,
    struct candidates *found)
{
	struct activity *activity = n->activities[task];
	bool enabled = may_fire(s, n, task);

	if (activity != NULL) {
		if (!activity->busy && !enabled)
			wf_withdraw(s, n, task, WF_ITEM_WITHDRAWN);
		return;
	}
	if (!enabled)
		return;
	if (found->count == FEW) {
		uint32_t *many =
		    wf_step_alloc(s, n->net->task_count * sizeof(*many));

		wf_assert(found->count < n->net->task_count);
		memcpy(many, found->few, sizeof(found->few));
		found->tasks = many;
	}
	found->tasks[found->count++] = task;
}

/*
 * Examines the dirty tasks and empties their set: withdraws items that are no
 * longer enabled and lists the tasks that may be offered or fired.
 */
static void examine(
    struct step *s, struct net_instance *n, struct candidates *found)
{
	size_t word = n->dirty_low / 64;
	size_t end = wf_bitset_words(n->dirty_end);

	found->count = 0;
	found->tasks = found->few;
	wf_undo_words(s->c->undo, &n->dirty[word], end - word);
	WF_CHANGE(s->c, n->dirty_end, 0);
	for (; word < end; word++) {
		uint64_t tasks = n->dirty[word];

		n->dirty[word] = 0;
		for (; tasks != 0; tasks &= tasks - 1) {
			unsigned bit = (unsigned)__builtin_ctzll(tasks);

			examine_task(s, n, (uint32_t)word * 64 + bit, found);
		}
	}
}

/* A task fired, so the other candidates were not processed. */
static void examine_again(
    struct net_instance *n, const struct candidates *found)
{
	for (uint32_t i = 0; i < found->count; i++) {
		if (n->activities[found->tasks[i]] == NULL)
			wf_set_dirty(n, found->tasks[i]);
	}
}

static enum wf_rc pass(struct step *s, struct net_instance *n, bool *again_out)
{
	struct candidates found;
	enum wf_rc rc;

	examine(s, n, &found);
	if (found.count == 0)
		return WF_OK;
	if (found.count == 1)
		rc = run_group(s, n, &found, again_out);
	else
		rc = run_groups(s, n, &found, again_out);
	if (*again_out)
		examine_again(n, &found);
	return rc;
}

/*
 * Continues one net until nothing more happens without a command.
 * *ended_out: the net has ended, and completed its instance in the outer net.
 */
static enum wf_rc settle(
    struct step *s, struct net_instance *n, bool *ended_out)
{
	bool again;
	enum wf_rc rc = WF_OK;

	*ended_out = false;
	if (s->c->status != WF_CASE_RUNNING)
		return WF_OK;
	do {
		if (n->tokens[n->net->output_condition] != 0) {
			*ended_out = true;
			return end_net(s, n);
		}
		again = false;
		if (n->dirty_end != 0)
			rc = pass(s, n, &again);
	} while (again && rc == WF_OK);
	if (rc == WF_OK && n->busy_count == 0 && n->offered_count == 0)
		settle_idle_net(s, n);
	return rc;
}

enum wf_rc wf_advance(struct step *s, struct net_instance *n)
{
	enum wf_rc rc = WF_OK;
	bool ended = true;

	while (ended && rc == WF_OK && n != NULL) {
		struct net_instance *parent = n->parent;

		rc = settle(s, n, &ended);
		n = parent;
	}
	return rc;
}

enum wf_rc wf_advance_all(struct step *s)
{
	enum wf_rc rc = WF_OK;
	uint32_t count = s->c->net_count;
	uint32_t *serials = wf_step_alloc(s, count * sizeof(*serials));

	for (uint32_t i = 0; i < count; i++)
		serials[i] = s->c->nets[i]->serial;
	for (uint32_t i = count; i-- > 0 && rc == WF_OK;) {
		struct net_instance *n = wf_net_instance(s->c, serials[i]);

		if (n != NULL && s->c->status == WF_CASE_RUNNING)
			rc = wf_advance(s, n);
	}
	return rc;
}
