/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that name a work item.
 *
 *            start()               complete(): COMPLETE, FORCE, FAIL
 *   Enabled ---------> Executing ------------------------------------> ended
 *               Fired ---^  |       cancel(), wf_skip_item()
 *                 ^---------+
 *                  ROLLBACK
 *
 * kernel/item_moves.def says which command is allowed in which status.
 * Starting an Enabled item fires its task: the first instance executes, the
 * others are Fired.
 */
#include "kernel/kernel.h"

#include <assert.h>

static const char *const command_words[] = {
#define WF_COMMAND(name, word, item, since, meaning) word,
#include "kernel/commands.def"
#undef WF_COMMAND
};

#define COMMAND_COUNT (sizeof(command_words) / sizeof(command_words[0]))

static const bool moves[WF_ITEM_DISCARDED + 1][COMMAND_COUNT] = {
#define WF_MOVE(status, command)                                               \
	[WF_ITEM_##status][WF_COMMAND_##command] = true,
#include "kernel/item_moves.def"
#undef WF_MOVE
};

/* Live statuses come first, and items that have ended accept no command. */
#define WF_STATUS(name, word, live)                                            \
	static_assert((live) == (WF_ITEM_##name <= WF_ITEM_SUSPENDED),         \
	    word " is live or comes behind Suspended");
#include "kernel/statuses.def"
#undef WF_STATUS
#define WF_MOVE(status, command)                                               \
	static_assert(WF_ITEM_##status <= WF_ITEM_SUSPENDED,                   \
	    "an item that has ended accepts no command");
#include "kernel/item_moves.def"
#undef WF_MOVE

static enum wf_item_status status_of(const struct target *target)
{
	if (target->instance != NULL)
		return (enum wf_item_status)target->instance->status;
	return target->activity->suspended ? WF_ITEM_SUSPENDED
					   : WF_ITEM_ENABLED;
}

/* The rows of item_moves.def, and what it says of SUSPENDED. */
bool wf_item_allows(enum wf_item_status status, bool was_executing,
    enum wf_command_kind command)
{
	return moves[status][command] &&
	       (status != WF_ITEM_SUSPENDED || was_executing ||
		   command == WF_COMMAND_RESUME_ITEM ||
		   command == WF_COMMAND_RESCHEDULE);
}

static bool is_allowed(const struct target *target, enum wf_item_status status,
    enum wf_command_kind command)
{
	const struct instance *instance = target->instance;

	return wf_item_allows(status,
		   instance != NULL &&
		       instance->suspended_from == WF_ITEM_EXECUTING,
		   command) ||
	       (instance != NULL && status == WF_ITEM_SUSPENDED &&
		   command == WF_COMMAND_CANCEL_ITEM);
}

/* An instance of a composite task is no work item, but a command can end it. */
static bool is_for_composite(enum wf_command_kind command)
{
	return command == WF_COMMAND_FORCE || command == WF_COMMAND_FAIL ||
	       command == WF_COMMAND_CANCEL_ITEM;
}

/* Callers know FINISH as the completion of an item that is not started. */
static const char *refused_word(enum wf_command_kind command)
{
	return command_words[command == WF_COMMAND_FINISH ? WF_COMMAND_COMPLETE
							  : command];
}

/*
 * An executing item that was offered or given to others is started again by
 * one of them: only its holder changes.
 */
static __attribute__((noinline)) bool takes_over(
    const struct step *s, const struct target *target)
{
	return s->command->kind == WF_COMMAND_START &&
	       target->instance != NULL &&
	       target->instance->status == WF_ITEM_EXECUTING &&
	       wf_people_may_take(s, target);
}

static enum wf_rc check_allowed(struct step *s, const struct target *target)
{
	enum wf_command_kind command = s->command->kind;
	enum wf_item_status status = status_of(target);

	if (target->task->kind == WF_COMPOSITE_TASK &&
	    !is_for_composite(command))
		return wf_fail(s->err, WF_CONFLICT,
		    "%s is a composite task: it can be forced, failed or "
		    "cancelled, its work is done by its sub-net",
		    s->command->item);
	if (!is_allowed(target, status, command) && !takes_over(s, target))
		return wf_fail(s->err, WF_CONFLICT,
		    "work item %s is %s, which does not allow '%s'",
		    s->command->item, wf_item_status_name(status),
		    refused_word(command));
	if (s->c->status != WF_CASE_SUSPENDED)
		return WF_OK;
	if (command == WF_COMMAND_START || command == WF_COMMAND_SKIP ||
	    command == WF_COMMAND_ADD ||
	    (command == WF_COMMAND_FINISH && status <= WF_ITEM_FIRED))
		return wf_fail(s->err, WF_CONFLICT,
		    "the case is suspended: it must be resumed first");
	return WF_OK;
}

static void name_item(struct step *s, const struct target *target)
{
	const char *task = target->task->id;
	size_t at;

	wf_net_case_id(
	    s->c, target->net, target->instance->number, s->out->item);
	at = strlen(s->out->item);
	wf_assert(at + 1 + strlen(task) < sizeof(s->out->item));
	s->out->item[at] = ':';
	memcpy(s->out->item + at + 1, task, strlen(task) + 1);
}

/* Starts the item; afterwards target names its (first) instance. */
static inline __attribute__((always_inline)) enum wf_rc start(
    struct step *s, struct target *target)
{
	struct net_instance *n = target->net;
	uint32_t task = target->task->number;
	enum wf_rc rc;

	if (target->instance == NULL) {
		if (!wf_task_has_inputs(n, task))
			return wf_fail(s->err, WF_CONFLICT,
			    "task %s is no longer enabled", target->task->id);
		rc = wf_fire(s, n, task);
		if (rc != WF_OK)
			return rc;
		target->activity = n->activities[task];
		target->instance = &target->activity->instances[0];
	} else {
		wf_emit_instance(s, WF_EVENT_INSTANCE_STARTED, n, task,
		    target->instance->number);
	}
	return WF_OK;
}

static __attribute__((noinline)) enum wf_rc start_timer(
    struct step *s, const struct target *target)
{
	if (target->task->timer == NULL)
		return WF_OK;
	return wf_timer_start(
	    s, target->net, target->task->number, target->instance->number);
}

/* Continues the net after tokens were taken; other items may be withdrawn. */
static inline __attribute__((always_inline)) enum wf_rc start_and_advance(
    struct step *s, struct target *target)
{
	bool fires = target->instance == NULL;
	enum wf_rc rc = start(s, target);

	if (target->net->timers != NULL && rc == WF_OK)
		rc = start_timer(s, target);
	if (rc != WF_OK || !fires || wf_is_settled(target->net))
		return rc;
	return wf_advance(s, target->net);
}

/* The text for the log that the start or completion carries. */
static __attribute__((noinline)) void log_text(struct step *s,
    const struct target *target, uint32_t instance, enum wf_item_status status)
{
	struct wf_event event = { .kind = WF_EVENT_PREDICATE_LOGGED };

	event.net = target->net->serial;
	event.task = target->task->number;
	event.instance = instance;
	event.status = status;
	event.text = s->command->reason;
	event.text_length = strlen(s->command->reason);
	if (event.text_length > 0)
		wf_emit(s, &event);
}

static enum wf_rc start_command(struct step *s, struct target *target)
{
	enum wf_rc rc;

	if (target->instance != NULL &&
	    target->instance->status == WF_ITEM_EXECUTING) {
		name_item(s, target);
		return WF_OK;
	}
	if (s->command->reason != NULL)
		log_text(s, target,
		    target->instance == NULL ? target->net->last_child + 1
					     : target->instance->number,
		    WF_ITEM_EXECUTING);
	rc = start_and_advance(s, target);
	if (rc == WF_OK)
		name_item(s, target);
	return rc;
}

/* Starts the item of FINISH, unless it is executing. */
static inline enum wf_rc start_first(struct step *s, struct target *target)
{
	enum wf_rc rc;

	if (status_of(target) > WF_ITEM_FIRED)
		return WF_OK;
	rc = start_and_advance(s, target);
	/* Continuing the net may have ended the item. */
	if (rc == WF_OK &&
	    target->net->activities[target->task->number] != target->activity)
		rc = wf_fail(s->err, WF_CONFLICT,
		    "work item %s ended when it was started", s->command->item);
	return rc;
}

static __attribute__((noinline)) void give_reason(
    struct step *s, const struct target *target)
{
	struct wf_event event = { .kind = WF_EVENT_REASON_GIVEN };

	event.net = target->net->serial;
	event.task = target->task->number;
	event.instance = target->instance->number;
	event.text = s->command->reason;
	event.text_length = strlen(s->command->reason);
	if (event.text_length > 0)
		wf_emit(s, &event);
}

/* COMPLETE, FINISH, FORCE, FAIL. */
static enum wf_rc complete(struct step *s, struct target *target)
{
	static const uint8_t statuses[COMMAND_COUNT] = {
		[WF_COMMAND_COMPLETE] = WF_ITEM_COMPLETE,
		[WF_COMMAND_FINISH] = WF_ITEM_COMPLETE,
		[WF_COMMAND_FORCE] = WF_ITEM_FORCED_COMPLETE,
		[WF_COMMAND_FAIL] = WF_ITEM_FAILED,
	};
	enum wf_command_kind command = s->command->kind;
	struct net_instance *n = target->net;
	struct values output = { NULL, 0 };
	enum wf_rc rc = WF_OK;

	if (command == WF_COMMAND_FINISH)
		rc = start_first(s, target);
	if (rc != WF_OK)
		return rc;

	if (s->command->data != NULL ||
	    target->task->decomposition->output_count > 0)
		rc = wf_read_output(s, target,
		    command == WF_COMMAND_COMPLETE ||
			(command == WF_COMMAND_FINISH &&
			    s->command->data != NULL),
		    &output);
	if (rc != WF_OK)
		return rc;
	if (s->command->reason != NULL && command == WF_COMMAND_FAIL)
		give_reason(s, target);
	else if (s->command->reason != NULL)
		log_text(s, target, target->instance->number, WF_ITEM_COMPLETE);
	if (target->instance->subnet != NULL)
		wf_cancel_subnet(
		    s, target->instance->subnet, WF_ITEM_CANCELLED);
	rc = wf_complete(s, n, target->activity, target->instance, &output,
	    (enum wf_item_status)statuses[command]);
	return rc != WF_OK ? rc : wf_advance(s, n);
}

enum wf_rc wf_skip_item(struct step *s, struct target *target)
{
	struct net_instance *n = target->net;
	uint32_t task = target->task->number;
	uint32_t first;
	uint32_t last;
	enum wf_rc rc;

	if (target->instance != NULL) {
		first = last = target->instance->number;
		rc = WF_OK;
	} else {
		first = n->last_child + 1;
		rc = wf_fire(s, n, task);
		last = n->last_child;
	}
	for (uint32_t number = first; number <= last && rc == WF_OK; number++) {
		struct values output;

		target->activity = n->activities[task];
		if (target->activity == NULL || !target->activity->busy)
			break;
		target->instance =
		    wf_activity_instance(target->activity, number);
		wf_assert(target->instance != NULL);
		if (number == first)
			name_item(s, target);
		if (target->instance->status == WF_ITEM_FIRED)
			wf_emit_instance(
			    s, WF_EVENT_INSTANCE_STARTED, n, task, number);
		rc = start_timer(s, target);
		if (rc == WF_OK)
			rc = wf_read_output(s, target, false, &output);
		if (rc == WF_OK)
			rc = wf_complete(s, n, target->activity,
			    target->instance, &output, WF_ITEM_COMPLETE);
	}
	return rc != WF_OK ? rc : wf_advance(s, n);
}

static enum wf_rc add_instance(struct step *s, struct target *target)
{
	const struct wf_multi_instance *multi = target->task->multi;
	struct wf_event event = { .kind = WF_EVENT_INSTANCE_CREATED };
	struct net_instance *n = target->net;
	struct values inputs;
	struct wf_value *formal = NULL;
	uint32_t maximum;
	enum wf_rc rc;

	if (multi == NULL || !multi->is_dynamic ||
	    multi->formal_input == UINT32_MAX)
		return wf_fail(s->err, WF_CONFLICT,
		    "task %s does not allow instances to be added",
		    target->task->id);
	rc = wf_evaluate_bound(s, n, target->task, &multi->maximum, &maximum);
	if (rc != WF_OK)
		return rc;
	if (target->activity->instance_count >= s->c->limits->instances)
		return wf_fail(s->err, WF_LIMIT,
		    "task %s: more than %u instances", target->task->id,
		    s->c->limits->instances);
	if (target->activity->instance_count >= maximum)
		return wf_fail(s->err, WF_CONFLICT,
		    "task %s has all of its %u instances already",
		    target->task->id, maximum);
	if (s->command->data == NULL)
		return wf_fail(s->err, WF_INVALID,
		    "an added instance needs its data: the element <%s>",
		    target->task->decomposition->inputs[multi->formal_input]
			.name);
	rc = wf_value_parse(
	    &formal, s->command->data, s->command->length, s->err);
	if (rc != WF_OK)
		return rc;
	formal = wf_step_own(s, formal);
	rc = wf_check_value(s, n->net->spec,
	    target->task->decomposition->inputs[multi->formal_input].type,
	    formal,
	    target->task->decomposition->inputs[multi->formal_input].name);
	if (rc == WF_OK)
		rc = wf_evaluate_inputs(s, n, target->task, formal, &inputs);
	if (rc != WF_OK)
		return rc;
	event.net = n->serial;
	event.task = target->task->number;
	event.instance = n->last_child + 1;
	event.status = WF_ITEM_FIRED;
	wf_bind(s, &inputs, &event);
	wf_emit(s, &event);
	target->instance =
	    wf_activity_instance(target->activity, event.instance);
	wf_assert(target->instance != NULL);
	name_item(s, target);
	return target->task->is_for_people
		   ? wf_people_created(s, n, event.task, event.instance)
		   : WF_OK;
}

/*
 * Ends the instance without output.  If it was the only one, the task is
 * cancelled and its tokens are lost.
 */
static enum wf_rc cancel(struct step *s, struct target *target)
{
	struct net_instance *n = target->net;
	struct activity *activity = target->activity;
	struct wf_event event = { .kind = WF_EVENT_INSTANCE_ENDED };

	if (s->command->reason != NULL)
		give_reason(s, target);
	if (target->instance->subnet != NULL)
		wf_cancel_subnet(
		    s, target->instance->subnet, WF_ITEM_CANCELLED);
	event.net = n->serial;
	event.task = activity->task;
	event.instance = target->instance->number;
	event.status = WF_ITEM_CANCELLED;
	wf_timer_stop(s, n, activity, target->instance);
	wf_emit(s, &event);
	if (activity->active_count == 0 && activity->completed_count == 0) {
		wf_timer_stop(s, n, activity, NULL);
		wf_emit_task(s, WF_EVENT_TASK_CANCELLED, n, activity->task);
	} else {
		enum wf_rc rc = wf_exit_when_done(s, n, activity);

		if (rc != WF_OK)
			return rc;
	}
	return wf_advance(s, n);
}

static enum wf_rc resume(struct step *s, struct target *target)
{
	enum wf_rc rc;

	wf_emit_instance(s, WF_EVENT_ITEM_RESUMED, target->net,
	    target->task->number,
	    target->instance == NULL ? 0 : target->instance->number);
	rc = wf_advance(s, target->net);
	if (rc == WF_OK)
		rc = wf_timers_resume(s);
	if (rc == WF_OK)
		wf_alarms_resume(s);
	return rc;
}

static enum wf_rc update(struct step *s, struct target *target)
{
	const struct wf_decomposition *decomposition =
	    target->task->decomposition;
	struct wf_event event = { .kind = WF_EVENT_INSTANCE_UPDATED };
	struct wf_value_list list;
	struct wf_binding *bindings;
	enum wf_rc rc;

	if (s->command->data == NULL)
		return wf_fail(s->err, WF_INVALID, "an update needs data");
	rc = wf_value_list_parse(
	    &list, s->command->data, s->command->length, s->err);
	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < list.count; i++)
		wf_step_own(s, wf_value_ref(list.values[i]));
	bindings = wf_step_alloc(s, list.count * sizeof(*bindings));
	for (size_t i = 0; i < list.count && rc == WF_OK; i++) {
		struct wf_value *value = list.values[i];
		size_t at = 0;

		while (
		    at < decomposition->input_count &&
		    !wf_value_is_named(value, decomposition->inputs[at].name))
			at++;
		if (at == decomposition->input_count)
			rc = wf_fail(s->err, WF_DATA,
			    "<%.*s> is no input parameter of %s",
			    (int)value->name_length, wf_value_name(value),
			    decomposition->id);
		else
			rc = wf_check_variable(s, target->net->net->spec,
			    &decomposition->inputs[at], value);
		bindings[i].variable = (uint32_t)at;
		bindings[i].value = value;
		if (rc == WF_OK)
			rc = wf_check_once(s, bindings, i + 1);
	}
	event.value_count = (uint32_t)list.count;
	wf_value_list_free(&list);
	if (rc != WF_OK)
		return rc;
	event.net = target->net->serial;
	event.task = target->task->number;
	event.instance = target->instance->number;
	event.values = bindings;
	wf_emit(s, &event);
	return WF_OK;
}

enum wf_rc wf_item_command(struct step *s)
{
	struct target target;
	enum wf_rc rc =
	    wf_find_item(s->c, s->command->item, false, &target, s->err);

	if (rc != WF_OK)
		return rc;
	rc = check_allowed(s, &target);
	if (rc != WF_OK)
		return rc;
	if (s->command->people != NULL) {
		rc = wf_people_before(s, &target);
		if (rc != WF_OK)
			return rc;
	}
	switch (s->command->kind) {
	case WF_COMMAND_START:
		return start_command(s, &target);
	case WF_COMMAND_COMPLETE:
	case WF_COMMAND_FINISH:
	case WF_COMMAND_FORCE:
	case WF_COMMAND_FAIL:
		return complete(s, &target);
	case WF_COMMAND_SKIP:
		return wf_skip_item(s, &target);
	case WF_COMMAND_ROLLBACK:
		wf_timer_stop(s, target.net, target.activity, target.instance);
		wf_emit_instance(s, WF_EVENT_INSTANCE_ROLLED_BACK, target.net,
		    target.task->number, target.instance->number);
		return WF_OK;
	case WF_COMMAND_ADD:
		return add_instance(s, &target);
	case WF_COMMAND_SUSPEND_ITEM:
		wf_emit_instance(s, WF_EVENT_ITEM_SUSPENDED, target.net,
		    target.task->number,
		    target.instance == NULL ? 0 : target.instance->number);
		return WF_OK;
	case WF_COMMAND_RESUME_ITEM:
		return resume(s, &target);
	case WF_COMMAND_CANCEL_ITEM:
		return cancel(s, &target);
	case WF_COMMAND_UPDATE_ITEM:
		return update(s, &target);
	case WF_COMMAND_DISTRIBUTE:
	case WF_COMMAND_OFFER:
	case WF_COMMAND_ALLOCATE:
	case WF_COMMAND_ACCEPT:
	case WF_COMMAND_DEALLOCATE:
	case WF_COMMAND_DELEGATE:
	case WF_COMMAND_REALLOCATE:
	case WF_COMMAND_CHAIN:
	case WF_COMMAND_SET_NEEDS:
	case WF_COMMAND_UNOFFER:
	case WF_COMMAND_REDIRECT:
		return wf_people_command(s, &target);
	case WF_COMMAND_RESCHEDULE:
		return wf_urgency_change(s, &target);
	default:
		return wf_fail(s->err, WF_INVALID, "unknown command");
	}
}
