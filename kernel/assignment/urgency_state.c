/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How urgent items are, as a case keeps it: priority, due time, the alarm that
 * is set, and up to where the rules of the task were followed.
 *
 * An alarm: set by ALARM_SET; ended by the next ALARM_SET, by ALARM_STOPPED,
 * by what it makes happen (ITEM_REMINDED, ITEM_ESCALATED), or with its item.
 * Whatever ends it is noted for the step, because a due row belongs to it.
 */
#include "kernel/assignment/assignment_state.h"

struct wf_urgency wf_urgency_of(const struct wf_case *c,
    const struct assignment *before, enum wf_resource_status status)
{
	struct wf_urgency urgency = { .is_kept = false };

	if (before != NULL)
		urgency = before->seen.urgency;
	if (urgency.is_kept && before->seen.status != status)
		urgency.since = c->now;
	return urgency;
}

/* --- events --------------------------------------------------------------- */

/* From now on; what the rules say of earlier times is passed over. */
static void restart(const struct wf_case *c, struct wf_urgency *urgency)
{
	urgency->done_at = c->now - 1;
	urgency->done_step = UINT32_MAX;
}

static void begin(const struct wf_case *c, struct wf_urgency *urgency)
{
	if (urgency->is_kept)
		return;
	urgency->is_kept = true;
	urgency->priority = WF_PRIORITY_USUAL;
	urgency->begun_at = c->now;
	urgency->since = c->now;
	restart(c, urgency);
}

static void end_alarm(struct wf_case *c, struct wf_urgency *urgency)
{
	wf_undo_note(c->undo, urgency->alarm);
	urgency->alarm = 0;
	urgency->alarm_at = 0;
}

static bool set_alarm(
    struct wf_case *c, const struct wf_event *event, struct wf_urgency *urgency)
{
	uint32_t place = event->number / WF_ALARM_STEPS;

	/* Numbers ascend, so that none is used again. */
	if (place <= c->last_alarm || event->time <= 0)
		return false;
	end_alarm(c, urgency);
	urgency->alarm = event->number;
	urgency->alarm_at = event->time;
	WF_CHANGE(c, c->last_alarm, place);
	return true;
}

/* What the alarm was for is done. */
static bool ring(struct wf_case *c, struct wf_urgency *urgency)
{
	if (urgency->alarm == 0)
		return false;
	urgency->done_at = urgency->alarm_at;
	urgency->done_step = WF_ALARM_STEP(urgency->alarm);
	end_alarm(c, urgency);
	return true;
}

static bool change(
    struct wf_case *c, const struct wf_event *event, struct wf_urgency *urgency)
{
	switch (event->kind) {
	case WF_EVENT_ITEM_PRIORITY:
		begin(c, urgency);
		urgency->priority = event->number;
		return event->number <= WF_PRIORITY_MOST;
	case WF_EVENT_ITEM_DUE:
		begin(c, urgency);
		restart(c, urgency);
		urgency->due_at = event->time;
		return event->time > 0;
	case WF_EVENT_ITEM_NOT_DUE:
		begin(c, urgency);
		urgency->due_at = 0;
		return true;
	case WF_EVENT_ALARM_SET:
		return urgency->is_kept && set_alarm(c, event, urgency);
	case WF_EVENT_ALARM_STOPPED:
		if (urgency->alarm == 0 || urgency->alarm != event->number)
			return false;
		end_alarm(c, urgency);
		return true;
	case WF_EVENT_ITEM_REMINDED:
	case WF_EVENT_ITEM_ESCALATED:
		return ring(c, urgency);
	default:
		return false;
	}
}

bool wf_urgency_apply(
    struct wf_case *c, const struct wf_event *event, struct assignment **slot)
{
	struct wf_urgency urgency;

	if (*slot == NULL)
		return false;
	urgency = (*slot)->seen.urgency;
	wf_undo_room(c->undo, 2);
	if (!change(c, event, &urgency))
		return false;
	wf_assert((urgency.alarm == 0) == (urgency.alarm_at == 0));
	wf_assert(urgency.alarm / WF_ALARM_STEPS <= c->last_alarm);
	wf_urgency_put(c, slot, &urgency);
	return true;
}

/* --- bytes ---------------------------------------------------------------- */

static void count_one(void *argument, struct net_instance *n,
    struct activity *activity, struct instance *instance,
    struct assignment **slot)
{
	(void)n;
	(void)activity;
	(void)instance;
	*(uint32_t *)argument += (*slot)->seen.urgency.is_kept;
}

static uint32_t count_kept(const struct wf_case *c)
{
	uint32_t count = 0;

	wf_assignments_visit(c, count_one, &count);
	return count;
}

static void encode_one(void *argument, struct net_instance *n,
    struct activity *activity, struct instance *instance,
    struct assignment **slot)
{
	const struct wf_urgency *urgency = &(*slot)->seen.urgency;
	struct wf_buffer *bytes = argument;

	wf_assert(urgency->is_kept || urgency->alarm == 0);
	if (!urgency->is_kept)
		return;
	wf_put_number(bytes, n->serial);
	wf_put_number(bytes, activity->task);
	wf_put_number(bytes, instance == NULL ? 0 : instance->number);
	wf_put_number(bytes, urgency->priority);
	wf_put_signed(bytes, urgency->due_at);
	wf_put_signed(bytes, urgency->begun_at);
	wf_put_signed(bytes, urgency->since);
	wf_put_number(bytes, urgency->alarm);
	wf_put_signed(bytes, urgency->alarm_at);
	wf_put_signed(bytes, urgency->done_at);
	wf_put_number(bytes, urgency->done_step);
}

void wf_urgencies_encode(struct wf_buffer *bytes, const struct wf_case *c)
{
	uint32_t count = count_kept(c);

	if (c->last_alarm == 0 && count == 0)
		return;
	wf_put_number(bytes, c->last_alarm);
	wf_put_number(bytes, count);
	wf_assignments_visit(c, encode_one, bytes);
}

static bool decode_one(struct wf_reader *reader, struct wf_case *c)
{
	uint32_t serial = wf_get_bounded(reader, UINT32_MAX);
	uint32_t task = wf_get_bounded(reader, UINT32_MAX);
	uint32_t instance = wf_get_bounded(reader, UINT32_MAX);
	struct wf_urgency urgency = { .is_kept = true };
	struct assignment **slot;

	urgency.priority = wf_get_bounded(reader, WF_PRIORITY_MOST);
	urgency.due_at = wf_get_signed(reader);
	urgency.begun_at = wf_get_signed(reader);
	urgency.since = wf_get_signed(reader);
	urgency.alarm = wf_get_bounded(reader, UINT32_MAX);
	urgency.alarm_at = wf_get_signed(reader);
	urgency.done_at = wf_get_signed(reader);
	urgency.done_step = wf_get_bounded(reader, UINT32_MAX);
	if (reader->bad || urgency.due_at < 0 ||
	    urgency.alarm / WF_ALARM_STEPS > c->last_alarm ||
	    (urgency.alarm == 0) != (urgency.alarm_at == 0))
		return false;
	slot = wf_assignment_slot(c, serial, task, instance);
	if (slot == NULL || *slot == NULL || (*slot)->seen.urgency.is_kept)
		return false;
	wf_urgency_put(c, slot, &urgency);
	return true;
}

bool wf_urgencies_decode(struct wf_reader *reader, struct wf_case *c)
{
	uint32_t count;
	bool fits = true;

	c->last_alarm = wf_get_bounded(reader, UINT32_MAX / WF_ALARM_STEPS);
	count = wf_get_bounded(reader, UINT32_MAX);
	for (uint32_t i = 0; i < count && fits; i++)
		fits = decode_one(reader, c);
	return fits && !reader->bad && (c->last_alarm > 0 || count > 0);
}

/* --- what others see ------------------------------------------------------ */

struct visitor {
	const struct wf_case *c;
	void (*visit)(
	    void *argument, const char *item, uint32_t number, int64_t at);
	void *argument;
};

static void visit_alarm(void *argument, struct net_instance *n,
    struct activity *activity, struct instance *instance,
    struct assignment **slot)
{
	const struct visitor *visitor = argument;
	const struct wf_urgency *urgency = &(*slot)->seen.urgency;
	struct wf_item item = { .task = wf_task_of(n, activity->task) };
	char id[WF_ITEM_ID_SIZE];

	if (urgency->alarm == 0)
		return;
	wf_net_case_id(visitor->c, n, instance == NULL ? 0 : instance->number,
	    item.case_id);
	wf_item_id(&item, id);
	visitor->visit(
	    visitor->argument, id, urgency->alarm, urgency->alarm_at);
}

void wf_case_alarms(const struct wf_case *instance,
    void (*visit)(
	void *argument, const char *item, uint32_t number, int64_t at),
    void *argument)
{
	struct visitor visitor = { instance, visit, argument };

	if (instance->last_alarm > 0)
		wf_assignments_visit(instance, visit_alarm, &visitor);
}
