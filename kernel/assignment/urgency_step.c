/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a step that is about urgency: priority and due time of new
 * items, their alarms, and what happens when one rings.
 *
 *            wf_alarm_set()            wf_alarm_ring()
 *   none ------------------> set --------------------------> none
 *     ^                      |  ^   ITEM_REMINDED, ITEM_ESCALATED
 *     +----------------------+  |
 *      the item changed or      | wf_alarms_resume()
 *      ended; it rings while   ...
 *      the item is suspended
 *
 * Like timers, the kernel does not wait: the command ALARM comes when the
 * alarm is due and is refused otherwise.  The next alarm is set whenever the
 * item comes into another state, so one that is too late finds none.
 */
#include <stdlib.h>

#include "kernel/assignment/assignment_state.h"
#include "kernel/kernel.h"

static const struct wf_timing *timing_of(const struct target *target)
{
	const struct wf_decomposition *work = target->task->decomposition;

	return work == NULL ? NULL : work->timing;
}

static void emit_item(
    struct step *s, const struct target *target, struct wf_event event)
{
	event.net = target->net->serial;
	event.task = target->task->number;
	event.instance =
	    target->instance == NULL ? 0 : target->instance->number;
	wf_emit(s, &event);
}

static void emit_number(struct step *s, const struct target *target,
    enum wf_event_kind kind, uint32_t number)
{
	emit_item(
	    s, target, (struct wf_event){ .kind = kind, .number = number });
}

static void emit_text(struct step *s, const struct target *target,
    enum wf_event_kind kind, const char *text)
{
	const struct wf_event event = {
		.kind = kind, .text = text, .text_length = strlen(text)
	};

	wf_assert(event.text_length > 0);
	emit_item(s, target, event);
}

/* due: 0 for none. */
static void emit_due(struct step *s, const struct target *target, int64_t due)
{
	emit_item(s, target,
	    (struct wf_event){
		.kind = due == 0 ? WF_EVENT_ITEM_NOT_DUE : WF_EVENT_ITEM_DUE,
		.time = due });
}

/* --- alarms --------------------------------------------------------------- */

void wf_alarm_set(struct step *s, const struct target *target)
{
	const struct wf_people_calls *people = s->command->people;
	const struct assignment *assignment = wf_assignment_of(target);
	const struct wf_urgency *urgency;
	struct wf_people_question question;
	struct wf_event event = { .kind = WF_EVENT_ALARM_SET };
	struct wf_item item;
	uint32_t step;
	int64_t at;

	if (assignment == NULL || !assignment->seen.urgency.is_kept ||
	    timing_of(target) == NULL || people == NULL)
		return;
	urgency = &assignment->seen.urgency;
	question = wf_people_ask(s, target, WF_PEOPLE_NEW, &item);
	if (!people->next(people->context, &question, &step, &at)) {
		if (urgency->alarm != 0)
			emit_number(
			    s, target, WF_EVENT_ALARM_STOPPED, urgency->alarm);
		return;
	}
	wf_assert(step < WF_ALARM_STEPS);
	if (at < 1)
		at = 1;
	if (urgency->alarm != 0 && urgency->alarm_at == at &&
	    WF_ALARM_STEP(urgency->alarm) == step)
		return;
	wf_assert(s->c->last_alarm < UINT32_MAX / WF_ALARM_STEPS - 1);
	event.number = (s->c->last_alarm + 1) * WF_ALARM_STEPS + step;
	event.time = at;
	emit_item(s, target, event);
}

static bool is_suspended(const struct target *target)
{
	return target->instance == NULL
		   ? target->activity->suspended
		   : target->instance->status == WF_ITEM_SUSPENDED;
}

static void resume_one(void *argument, struct net_instance *n,
    struct activity *activity, struct instance *instance,
    struct assignment **slot)
{
	struct target target = { n, activity, instance,
		wf_task_of(n, activity->task) };

	if ((*slot)->seen.urgency.alarm == 0 && !is_suspended(&target))
		wf_alarm_set(argument, &target);
}

void wf_alarms_resume(struct step *s)
{
	/* Without an alarm ever, there is none to be set again. */
	if (s->c->last_alarm > 0 && s->c->status == WF_CASE_RUNNING)
		wf_assignments_visit(s->c, resume_one, s);
}

/* --- new items ------------------------------------------------------------ */

void wf_urgency_begin(struct step *s, const struct target *target)
{
	const struct wf_people_calls *people = s->command->people;
	struct wf_document document;
	struct wf_error failure = { .rc = WF_OK };
	struct wf_people_question question;
	struct wf_item item;
	uint32_t priority;
	int64_t due;

	if (timing_of(target) == NULL ||
	    wf_assignment_of(target)->seen.urgency.is_kept)
		return;
	wf_assert(people != NULL);
	document = wf_net_document(target->net);
	question = wf_people_ask(s, target, WF_PEOPLE_NEW, &item);
	if (people->urge(people->context, &question, &document, &s->how,
		&priority, &due, &failure) != WF_OK)
		emit_text(s, target, WF_EVENT_URGENCY_FAILED, failure.message);
	wf_assert(priority <= WF_PRIORITY_MOST && due >= 0);
	emit_number(s, target, WF_EVENT_ITEM_PRIORITY, priority);
	if (due != 0)
		emit_due(s, target, due);
	wf_alarm_set(s, target);
}

/* --- ringing -------------------------------------------------------------- */

/* An alarm that was set for the enabled item goes with its first instance. */
static bool has_alarm(struct target *target, uint32_t alarm)
{
	struct activity *activity = target->activity;

	for (uint32_t i = 0; target->instance == NULL && activity->busy &&
			     i < activity->instance_count;
	     i++) {
		const struct assignment *assignment =
		    activity->instances[i].assignment;

		if (assignment != NULL &&
		    assignment->seen.urgency.alarm == alarm)
			target->instance = &activity->instances[i];
	}
	if (target->instance == NULL && activity->busy)
		return false;
	return wf_assignment_of(target) != NULL &&
	       wf_assignment_of(target)->seen.urgency.alarm == alarm;
}

static uint32_t named_alarm(const struct wf_command *command)
{
	char text[16];

	if (command->data == NULL || command->length >= sizeof(text))
		return 0;
	memcpy(text, command->data, command->length);
	text[command->length] = '\0';
	return (uint32_t)strtoul(text, NULL, 10);
}

static void act(struct step *s, const struct target *target, uint32_t alarm)
{
	const struct wf_people_calls *people = s->command->people;
	struct wf_people_ring ring = { .reminds = false };
	uint32_t step = WF_ALARM_STEP(alarm);
	struct wf_people_question question;
	struct wf_item item;

	question = wf_people_ask(s, target, WF_PEOPLE_NEW, &item);
	s->out->has_worked = true;
	wf_assert(people != NULL && alarm != 0);
	people->ring(people->context, &question, step, s->out->arena, &ring);
	if (ring.reminds)
		emit_number(s, target, WF_EVENT_ITEM_REMINDED, step);
	else
		emit_text(s, target, WF_EVENT_ITEM_ESCALATED, ring.text);
	if (ring.offers)
		wf_people_emit_answer(s, target, &ring.answer);
	wf_alarm_set(s, target);
}

enum wf_rc wf_alarm_ring(struct step *s)
{
	uint32_t alarm = named_alarm(s->command);
	struct target target;
	enum wf_rc rc =
	    wf_find_item(s->c, s->command->item, true, &target, s->err);

	if (rc != WF_OK)
		return rc;
	if (alarm == 0 || !has_alarm(&target, alarm))
		return wf_fail(s->err, WF_CONFLICT,
		    "no such alarm of %s is set", s->command->item);
	if (s->c->now < wf_assignment_of(&target)->seen.urgency.alarm_at)
		return wf_fail(s->err, WF_CONFLICT,
		    "the alarm of %s does not ring yet", s->command->item);
	if (s->c->status == WF_CASE_RUNNING && !is_suspended(&target) &&
	    s->command->people != NULL && timing_of(&target) != NULL)
		act(s, &target, alarm);
	else
		emit_number(s, &target, WF_EVENT_ALARM_STOPPED, alarm);
	return WF_OK;
}

/* --- by hand -------------------------------------------------------------- */

/* "70 -", "- 1790000000000", "50 0": "-" is as before, 0 not due. */
static bool read_change(
    const struct wf_command *command, uint32_t *priority_out, int64_t *due_out)
{
	char text[64];
	char *end;

	if (command->data == NULL || command->length >= sizeof(text))
		return false;
	memcpy(text, command->data, command->length);
	text[command->length] = '\0';
	end = text + 1;
	*priority_out = UINT32_MAX;
	if (text[0] != '-') {
		*priority_out = (uint32_t)strtoul(text, &end, 10);
		if (end == text || *priority_out > WF_PRIORITY_MOST)
			return false;
	}
	if (*end != ' ')
		return false;
	*due_out = -1;
	if (strcmp(end, " -") == 0)
		return true;
	*due_out = strtoll(end, &end, 10);
	return *end == '\0' && *due_out >= 0;
}

enum wf_rc wf_urgency_change(struct step *s, const struct target *target)
{
	const struct assignment *assignment = wf_assignment_of(target);
	uint32_t priority;
	int64_t due;

	if (assignment == NULL || assignment->seen.status == WF_RESOURCE_NONE)
		return wf_fail(s->err, WF_CONFLICT,
		    "work item %s is not for people", s->command->item);
	if (!read_change(s->command, &priority, &due))
		return wf_fail(s->err, WF_INVALID,
		    "expected a priority from 0 to %u and a due time",
		    WF_PRIORITY_MOST);
	if (priority != UINT32_MAX)
		emit_number(s, target, WF_EVENT_ITEM_PRIORITY, priority);
	assignment = wf_assignment_of(target);
	if (due > 0 || (due == 0 && assignment->seen.urgency.due_at != 0))
		emit_due(s, target, due);
	wf_alarm_set(s, target);
	return WF_OK;
}
