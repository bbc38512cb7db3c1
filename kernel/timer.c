/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timers: when they start, and what happens when they expire.
 *
 *   OnEnabled     belongs to the task: runs from its enabling until it is
 *                 withdrawn or exits, and acts on all of its live items
 *   OnExecuting   belongs to an item: runs while the item is executing
 *
 * When a timer expires, an enabled or fired item is skipped and an executing
 * item is completed by force, both with default output.  Items of automated
 * tasks do not change: their service is notified.
 *
 * The kernel does not wait.  The command EXPIRE comes when the timer has
 * expired and is refused otherwise, so it may come twice.
 *
 *            wf_timer_start()       wf_timer_expire(), act()
 *   none ------------------> runs ---------------------------> none
 *     ^  wf_timer_stop()     |  | suspended:                    ^
 *     +----------------------+  v wf_timer_expire()             |
 *                              due -----------------------------+
 *                                   wf_timers_resume(), act()
 */
#include "kernel/kernel.h"

#include <stdlib.h>

/* --- starting ------------------------------------------------------------- */

/* The timer, as the specification or a net variable sets it. */
struct setting {
	struct wf_deadline deadline;
	enum wf_timer_trigger trigger;
	bool work_days;
	bool is_set;
};

static enum wf_rc unusable(struct step *s, const struct wf_task *task,
    const char *child, const char *text)
{
	return wf_fail(s->err, WF_DATA,
	    "task %s: its timer is set by the variable %s, whose %s is "
	    "\"%.200s\": expected %s",
	    task->id, task->timer->net_variable, child, text,
	    strcmp(child, "trigger") == 0
		? "OnEnabled or OnExecuting"
		: "a duration, a date and time, or milliseconds since 1970");
}

/* The text of a child of the variable, as wf_query_string() returns it. */
static enum wf_rc child_text(struct step *s, const struct wf_value *value,
    const char *path, struct wf_buffer *text)
{
	struct wf_document document = { .root = NULL,
		.values = (struct wf_value *const *)&value,
		.count = 1 };
	struct wf_query *query;
	enum wf_rc rc = wf_query_compile(&query, path, NULL, 0, s->err);

	if (rc != WF_OK)
		return rc;
	rc = wf_query_string(query, &document, &s->how, text, s->err);
	wf_query_free(&query);
	return rc;
}

/*
 * Compiles text as a query: an expression, or the content of a constructor
 * with expressions in braces.  NULL if it is neither.  Text of digits and signs
 * is a wrong date, not a subtraction.
 */
static struct wf_query *compile_expiry(const char *text)
{
	struct wf_query *query = NULL;
	struct wf_buffer content;

	if (text[strspn(text, "0123456789-+:.TZ")] == '\0')
		return NULL;
	if (wf_query_compile(&query, text, NULL, 0, NULL) == WF_OK ||
	    strchr(text, '{') == NULL)
		return query;
	wf_buffer_init(&content, strlen(text) + 100);
	wf_buffer_printf(&content, "string(<expiry>%s</expiry>)", text);
	if (wf_query_compile(&query, wf_buffer_text(&content), NULL, 0, NULL) !=
	    WF_OK)
		query = NULL;
	wf_buffer_free(&content);
	return query;
}

/* Reads a deadline, or a query over the data of the net that returns one. */
static enum wf_rc read_deadline(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const char *text, struct setting *setting)
{
	struct wf_document document = wf_net_document(n);
	struct wf_buffer result;
	struct wf_query *query;
	enum wf_rc rc;

	if (wf_deadline_parse(
		text, strlen(text), s->how.timezone, &setting->deadline))
		return WF_OK;
	query = compile_expiry(text);
	if (query == NULL)
		return unusable(s, task, "expiry", text);
	wf_buffer_init(&result, s->c->limits->value_bytes);
	rc = wf_query_string(query, &document, &s->how, &result, s->err);
	if (rc != WF_OK) {
		wf_explain_code(s);
		wf_error_prefix(s->err,
		    "task %s, timer of the variable %s, query '%.120s'",
		    task->id, task->timer->net_variable, text);
	} else if (!wf_deadline_parse(wf_buffer_text(&result), result.length,
		       s->how.timezone, &setting->deadline))
		rc = unusable(s, task, "expiry", text);
	wf_query_free(&query);
	wf_buffer_free(&result);
	return rc;
}

static enum wf_rc read_trigger(struct step *s, const struct wf_task *task,
    const struct wf_buffer *text, struct setting *setting)
{
	if (strcmp(wf_buffer_text(text), "OnExecuting") == 0)
		setting->trigger = WF_TIMER_ON_EXECUTING;
	else if (strcmp(wf_buffer_text(text), "OnEnabled") == 0)
		setting->trigger = WF_TIMER_ON_ENABLED;
	else
		return unusable(s, task, "trigger", wf_buffer_text(text));
	return WF_OK;
}

/* A variable without an expiry sets no timer. */
static enum wf_rc read_variable(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const struct wf_value *value,
    struct setting *setting)
{
	struct wf_buffer text;
	enum wf_rc rc;

	wf_buffer_init(&text, s->c->limits->value_bytes);
	rc = child_text(s, value, "normalize-space(/*/expiry)", &text);
	setting->is_set = text.length > 0;
	if (rc == WF_OK && setting->is_set)
		rc = read_deadline(s, n, task, wf_buffer_text(&text), setting);
	wf_buffer_reset(&text);
	if (rc == WF_OK && setting->is_set)
		rc = child_text(s, value, "normalize-space(/*/trigger)", &text);
	if (rc == WF_OK && setting->is_set)
		rc = read_trigger(s, task, &text, setting);
	wf_buffer_reset(&text);
	if (rc == WF_OK)
		rc = child_text(s, value, "/*/workdays = ('true', '1')", &text);
	setting->work_days = strcmp(wf_buffer_text(&text), "true") == 0;
	wf_buffer_free(&text);
	return rc;
}

static enum wf_rc read_setting(struct step *s, const struct net_instance *n,
    const struct wf_task *task, struct setting *setting)
{
	const struct wf_timer *timer = task->timer;
	enum wf_rc rc = WF_OK;

	*setting = (struct setting){ .deadline = timer->deadline,
		.trigger = timer->trigger,
		.work_days = timer->work_days,
		.is_set = timer->net_variable == NULL };
	if (timer->variable != UINT32_MAX &&
	    n->variables[timer->variable] != NULL)
		rc = read_variable(
		    s, n, task, n->variables[timer->variable], setting);
	setting->work_days = setting->work_days || timer->work_days;
	return rc;
}

/* The state stays EXPIRED although the timer of another instance starts. */
static void stay_expired(
    struct step *s, const struct net_instance *n, uint32_t task)
{
	struct wf_event event = { .kind = WF_EVENT_TIMER_SET };

	event.net = n->serial;
	event.task = task;
	event.number = WF_TIMER_EXPIRED;
	wf_emit(s, &event);
}

enum wf_rc wf_timer_start(struct step *s, const struct net_instance *n,
    uint32_t task, uint32_t instance)
{
	const struct wf_task *t = wf_task_of(n, task);
	const struct wf_calendar *calendar = s->command->calendar;
	struct wf_event event = { .kind = WF_EVENT_TIMER_STARTED };
	struct setting setting;
	bool expired;
	enum wf_rc rc;

	wf_assert(n->timers != NULL && t->timer != NULL);
	expired = n->timers[task] == WF_TIMER_EXPIRED;
	rc = read_setting(s, n, t, &setting);
	if (rc != WF_OK || !setting.is_set ||
	    (setting.trigger == WF_TIMER_ON_ENABLED) != (instance == 0))
		return rc;
	if (calendar == NULL)
		calendar = wf_calendar_weekdays();
	if (!wf_deadline_at(&setting.deadline, s->c->now, s->how.timezone,
		setting.work_days ? calendar : NULL, &event.time))
		return wf_fail(s->err, WF_DATA,
		    "task %s: its timer would run for too long", t->id);
	/* 0 means that no timer runs. */
	if (event.time < 1)
		event.time = 1;
	event.net = n->serial;
	event.task = task;
	event.instance = instance;
	event.number = s->c->last_timer + 1;
	wf_emit(s, &event);
	if (expired)
		stay_expired(s, n, task);
	return WF_OK;
}

/* An event about the timer of an item, or (instance NULL) of the task. */
static void emit_timer(struct step *s, enum wf_event_kind kind,
    const struct net_instance *n, const struct activity *activity,
    const struct instance *instance)
{
	const struct timer *timer =
	    instance == NULL ? &activity->timer : &instance->timer;
	struct wf_event event = { .kind = kind };

	wf_assert(timer->at != 0); /* it runs, or is due */
	event.net = n->serial;
	event.task = activity->task;
	event.instance = instance == NULL ? 0 : instance->number;
	event.number = timer->number;
	if (kind == WF_EVENT_TIMER_DUE)
		event.time = timer->at;
	wf_emit(s, &event);
}

void wf_timer_stop(struct step *s, const struct net_instance *n,
    const struct activity *activity, const struct instance *instance)
{
	const struct timer *timer =
	    instance == NULL ? &activity->timer : &instance->timer;

	if (timer->at != 0)
		emit_timer(s, WF_EVENT_TIMER_STOPPED, n, activity, instance);
}

/* --- expiring ---------------------------------------------------------- */

/* Marks the timer of the task as due: one of its items is suspended. */
static void emit_due(struct step *s, const struct net_instance *n,
    uint32_t task, uint32_t instance, int64_t at)
{
	struct wf_event event = { .kind = WF_EVENT_TIMER_DUE };

	event.net = n->serial;
	event.task = task;
	event.instance = instance;
	event.time = at;
	wf_emit(s, &event);
}

/* Ends one item whose timer has expired. */
static enum wf_rc end_item(struct step *s, struct target *target)
{
	struct net_instance *n = target->net;
	uint32_t task = target->task->number;
	bool fired = target->instance->status == WF_ITEM_FIRED;
	struct values output;
	enum wf_rc rc;

	if (fired)
		wf_emit_instance(s, WF_EVENT_INSTANCE_STARTED, n, task,
		    target->instance->number);
	rc = wf_read_output(s, target, false, &output);
	return rc != WF_OK
		   ? rc
		   : wf_complete(s, n, target->activity, target->instance,
			 &output,
			 fired ? WF_ITEM_COMPLETE : WF_ITEM_FORCED_COMPLETE);
}

/*
 * Ends live instances from first to last; timers of suspended ones become due.
 */
static enum wf_rc end_items(struct step *s, struct target *target,
    uint32_t first, uint32_t last, int64_t at)
{
	struct net_instance *n = target->net;
	uint32_t task = target->task->number;
	const struct activity *busy = target->activity;
	enum wf_rc rc = WF_OK;

	for (uint32_t i = 0; rc == WF_OK && n->activities[task] == busy &&
			     i < busy->instance_count;
	     i++) {
		struct instance *instance = &busy->instances[i];

		if (instance->number < first || instance->number > last ||
		    instance->status > WF_ITEM_SUSPENDED)
			continue;
		target->instance = instance;
		if (instance->status == WF_ITEM_SUSPENDED)
			emit_due(s, n, task, instance->number, at);
		else
			rc = end_item(s, target);
	}
	return rc != WF_OK ? rc : wf_advance(s, n);
}

/* For a command without data, which would be the number of a timer. */
static enum wf_rc end_or_skip(
    struct step *s, struct target *target, uint32_t number, int64_t at)
{
	const struct wf_command *command = s->command;
	struct wf_command plain = *command;
	enum wf_rc rc;

	plain.data = NULL;
	plain.length = 0;
	s->command = &plain;
	if (!target->activity->busy)
		rc = wf_skip_item(s, target);
	else
		rc = end_items(s, target, number == 0 ? 1 : number,
		    number == 0 ? UINT32_MAX : number, at);
	s->command = command;
	return rc;
}

static const struct timer *timer_of(const struct target *target)
{
	return target->instance == NULL ? &target->activity->timer
					: &target->instance->timer;
}

static bool is_suspended(const struct target *target)
{
	return target->instance == NULL
		   ? target->activity->suspended && !target->activity->busy
		   : target->instance->status == WF_ITEM_SUSPENDED;
}

static enum wf_rc act(struct step *s, struct target *target)
{
	uint32_t number =
	    target->instance == NULL ? 0 : target->instance->number;
	int64_t at = timer_of(target)->at;

	wf_assert(s->c->status == WF_CASE_RUNNING && !is_suspended(target));
	emit_timer(s, WF_EVENT_TIMER_EXPIRED, target->net, target->activity,
	    target->instance);
	wf_assert(timer_of(target)->at == 0); /* so it does not act twice */
	wf_assert(target->task->decomposition != NULL);
	if (target->task->decomposition->is_automated)
		return WF_OK;
	return end_or_skip(s, target, number, at);
}

/* The data of the command, if any, is the number of the timer. */
static bool is_meant(const struct step *s, const struct timer *timer)
{
	return s->command->data == NULL ||
	       strtoul(s->command->data, NULL, 10) == timer->number;
}

enum wf_rc wf_timer_expire(struct step *s)
{
	const struct timer *timer;
	struct target target;
	enum wf_rc rc =
	    wf_find_item(s->c, s->command->item, true, &target, s->err);

	if (rc != WF_OK)
		return rc;
	timer = timer_of(&target);
	if (timer->at == 0 || timer->due || !is_meant(s, timer))
		return wf_fail(s->err, WF_CONFLICT, "no timer of %s is running",
		    s->command->item);
	if (s->c->now < timer->at)
		return wf_fail(s->err, WF_CONFLICT,
		    "the timer of %s has not run out yet", s->command->item);
	if (s->c->status == WF_CASE_RUNNING && !is_suspended(&target))
		return act(s, &target);
	emit_timer(s, WF_EVENT_TIMER_DUE, target.net, target.activity,
	    target.instance);
	return WF_OK;
}

/* --- at resume ------------------------------------------------------------ */

/* Keeps the earliest timer that is due and no longer suspended. */
static void consider(struct net_instance *n, struct activity *activity,
    struct instance *instance, struct target *first)
{
	struct target target = { n, activity, instance,
		wf_task_of(n, activity->task) };

	if (timer_of(&target)->at != 0 && timer_of(&target)->due &&
	    !is_suspended(&target) &&
	    (first->net == NULL || timer_of(&target)->at < timer_of(first)->at))
		*first = target;
}

static void find_first(const struct wf_case *c, struct target *first)
{
	first->net = NULL;
	for (uint32_t i = 0; i < c->net_count; i++) {
		struct net_instance *n = c->nets[i];

		for (uint32_t t = 0;
		     n->timers != NULL && t < n->net->task_count; t++) {
			struct activity *activity = n->activities[t];

			if (activity == NULL)
				continue;
			consider(n, activity, NULL, first);
			for (uint32_t k = 0; k < activity->instance_count; k++)
				if (activity->instances[k].status <=
				    WF_ITEM_SUSPENDED)
					consider(n, activity,
					    &activity->instances[k], first);
		}
	}
}

enum wf_rc wf_timers_resume(struct step *s)
{
	struct target first;
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK && s->c->status == WF_CASE_RUNNING) {
		find_first(s->c, &first);
		if (first.net == NULL)
			break;
		rc = act(s, &first);
	}
	return rc;
}

/* --- listing -------------------------------------------------------------- */

struct visitor {
	void (*visit)(
	    void *argument, const char *item, uint32_t number, int64_t at);
	void *argument;
};

static void visit_timer(const struct visitor *visitor, const struct wf_case *c,
    const struct net_instance *n, const struct activity *activity,
    const struct instance *instance)
{
	const struct timer *timer =
	    instance == NULL ? &activity->timer : &instance->timer;
	struct wf_item item = { .task = wf_task_of(n, activity->task) };
	char id[WF_ITEM_ID_SIZE];

	if (timer->at == 0 || timer->due ||
	    (instance != NULL && instance->status > WF_ITEM_SUSPENDED))
		return;
	wf_net_case_id(
	    c, n, instance == NULL ? 0 : instance->number, item.case_id);
	wf_item_id(&item, id);
	visitor->visit(visitor->argument, id, timer->number, timer->at);
}

void wf_case_timers(const struct wf_case *instance,
    void (*visit)(
	void *argument, const char *item, uint32_t number, int64_t at),
    void *argument)
{
	const struct visitor visitor = { visit, argument };

	for (uint32_t i = 0; i < instance->net_count; i++) {
		const struct net_instance *n = instance->nets[i];

		for (uint32_t t = 0;
		     n->timers != NULL && t < n->net->task_count; t++) {
			const struct activity *activity = n->activities[t];

			if (activity == NULL)
				continue;
			visit_timer(&visitor, instance, n, activity, NULL);
			for (uint32_t k = 0; k < activity->instance_count; k++)
				visit_timer(&visitor, instance, n, activity,
				    &activity->instances[k]);
		}
	}
}
