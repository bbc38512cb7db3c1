/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emitting events, and the memory of a step.
 *
 * An event is encoded and applied at once, because later parts of the step
 * depend on it.  Before that, log predicates are filled in (kernel/log.c,
 * which emits events itself) and large values get their numbers.
 */
#include "kernel/assignment/assignment_state.h"
#include "kernel/kernel.h"

static void keep_large(struct wf_step *out, struct wf_value *value)
{
	/* The value is about to get a number that no value in the list has. */
	wf_assert(value->number == 0);
	if (out->large_count == out->large_capacity) {
		size_t capacity = out->large_capacity * 2 + 4;

		out->large =
		    wf_realloc(out->large, capacity * sizeof(*out->large));
		out->large_capacity = capacity;
	}
	out->large[out->large_count++] = wf_value_ref(value);
}

/*
 * Numbers a large value when it first occurs in an event, so that a replay
 * counts alike.  A permanent value is copied, because all cases share it and
 * would see its number.
 */
static struct wf_value *number_value(struct step *s, struct wf_value *value)
{
	if (value == NULL || value->length <= WF_VALUE_INLINE_BYTES ||
	    value->number != 0)
		return value;
	if (value->references == UINT32_MAX)
		value = wf_step_own(s, wf_value_copy(value));
	keep_large(s->out, value);
	value->number = s->c->last_value + 1;
	s->c->last_value = value->number;
	return value;
}

/* Before an event that ends an item: its work counts. */
static void count_work(struct step *s, const struct wf_event *event)
{
	const struct net_instance *n;
	const struct instance *instance;

	if ((event->kind != WF_EVENT_INSTANCE_ENDED &&
		event->kind != WF_EVENT_TASK_EXITED) ||
	    event->instance == 0)
		return;
	n = wf_net_instance(s->c, event->net);
	instance =
	    wf_activity_instance(n->activities[event->task], event->instance);
	if (instance != NULL &&
	    wf_work_is_of(wf_task_of(n, event->task), instance))
		wf_emit_instance(
		    s, WF_EVENT_WORK_COUNTED, n, event->task, event->instance);
}

/* Work that only some events need, before they are emitted. */
static __attribute__((noinline)) void prepare(
    struct step *s, struct wf_event *event)
{
	if ((s->logs & STEP_COUNTS_WORK) != 0)
		count_work(s, event);
	if ((s->logs & STEP_RELEASES) != 0)
		wf_people_release(s, event);
	if ((s->logs & STEP_LOGS) != 0)
		wf_log(s, event);
	for (uint32_t i = 0; i < event->value_count; i++)
		event->values[i].value =
		    number_value(s, event->values[i].value);
}

void wf_emit(struct step *s, struct wf_event *event)
{
	if ((event->value_count | s->logs) != 0)
		prepare(s, event);
	wf_undo_room(s->c->undo, 1);
	wf_event_encode(&s->out->events, event);
	s->out->event_count++;
	if (!wf_apply(s->c, event))
		wf_panic(__FILE__, __LINE__, wf_event_name(event->kind));
}

void wf_emit_task(struct step *s, enum wf_event_kind kind,
    const struct net_instance *n, uint32_t task)
{
	wf_emit_instance(s, kind, n, task, 0);
}

void wf_emit_instance(struct step *s, enum wf_event_kind kind,
    const struct net_instance *n, uint32_t task, uint32_t instance)
{
	struct wf_event event = { .kind = kind };

	event.net = n->serial;
	event.task = task;
	event.instance = instance;
	wf_emit(s, &event);
}
