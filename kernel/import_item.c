/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about a task: instances, items, timers. */
#include "kernel/import_priv.h"

/* --- busy tasks ----------------------------------------------------------- */

static enum wf_rc check_instance(struct importer *im)
{
	const struct wf_task *task = im->task;
	uint32_t status = im->row.status;

	if (task->kind == WF_EMPTY_TASK)
		return REFUSE(
		    im, "task %s has no work: it cannot be busy", task->id);
	if (im->activity != NULL && !im->activity->busy)
		return REFUSE(im, "task %s is offered and busy", task->id);
	if (im->activity != NULL && task->multi == NULL)
		return REFUSE(
		    im, "task %s has one instance at a time", task->id);
	if (im->activity != NULL &&
	    im->activity->instance_count >= im->s->c->limits->instances)
		return wf_fail(im->s->err, WF_LIMIT,
		    "task %s: more than %u instances", task->id,
		    im->s->c->limits->instances);
	if (im->row.instance <= im->net->last_child)
		return REFUSE(im,
		    "task %s: instance %u does not come behind instance %u",
		    task->id, im->row.instance, im->net->last_child);
	if (status == WF_ITEM_ENABLED || status == WF_ITEM_SUSPENDED ||
	    (status == WF_ITEM_FIRED && task->kind == WF_COMPOSITE_TASK))
		return REFUSE(im, "task %s: an instance cannot be %s", task->id,
		    wf_item_status_name((enum wf_item_status)status));
	return WF_OK;
}

static void emit_status(struct importer *im, enum wf_event_kind kind)
{
	struct wf_event event = { .kind = kind };

	wf_assert(im->row.status != WF_ITEM_ENABLED);
	event.net = im->net->serial;
	event.task = im->task->number;
	event.instance = im->row.instance;
	event.status = im->row.status;
	wf_emit(im->s, &event);
}

enum wf_rc wf_import_instance(struct importer *im)
{
	struct wf_event event = { .kind = WF_EVENT_TASK_FIRED };
	struct values inputs = { NULL, 0 };
	enum wf_rc rc = check_instance(im);

	wf_assert(im->task->number < im->net->net->task_count);
	if (rc == WF_OK && im->task->kind == WF_ATOMIC_TASK)
		rc = wf_import_values(im, &inputs);
	if (rc != WF_OK)
		return rc;
	wf_bind(im->s, &inputs, &event);
	event.net = im->net->serial;
	event.task = im->task->number;
	event.instance = im->row.instance;
	event.status = WF_ITEM_EXECUTING;
	if (im->activity != NULL)
		event.kind = WF_EVENT_INSTANCE_CREATED;
	wf_emit(im->s, &event);
	if (im->row.status == WF_ITEM_FIRED)
		emit_status(im, WF_EVENT_INSTANCE_ROLLED_BACK);
	else if (im->row.status > WF_ITEM_SUSPENDED)
		emit_status(im, WF_EVENT_INSTANCE_ENDED);
	return WF_OK;
}

static enum wf_rc check_busy(struct importer *im)
{
	if (im->activity != NULL && im->activity->busy)
		return WF_OK;
	return REFUSE(im, "task %s is not busy", im->task->id);
}

enum wf_rc wf_import_result(struct importer *im)
{
	struct wf_event event = { .kind = WF_EVENT_RESULTS_KEPT };
	struct wf_binding result = { WF_COLLECTED, NULL };
	const struct wf_task *task = im->task;
	const struct wf_type *type;
	const char *name;
	enum wf_rc rc = check_busy(im);

	if (rc == WF_OK && (task->multi == NULL || im->row.data == NULL))
		rc = REFUSE(im, "task %s keeps no results", task->id);
	if (rc == WF_OK)
		rc = wf_value_parse(
		    &result.value, im->row.data, im->row.length, im->s->err);
	if (rc != WF_OK)
		return rc;
	wf_step_own(im->s, result.value);
	im->task = NULL;
	if (im->row.number == 0 &&
	    !wf_import_place(im, result.value, &result.variable, &name, &type))
		return REFUSE(
		    im, "a result of task %s is for no variable", task->id);
	if (im->row.number == 0 && !wf_value_is_empty(result.value))
		rc = wf_check_value(
		    im->s, im->net->net->spec, type, result.value, name);
	event.net = im->net->serial;
	event.task = task->number;
	event.values = &result;
	event.value_count = 1;
	if (rc == WF_OK)
		wf_emit(im->s, &event);
	return rc;
}

/* --- items ---------------------------------------------------------------- */

enum wf_rc wf_import_offered(struct importer *im)
{
	struct wf_event event = { .kind = WF_EVENT_TASK_ENABLED };

	if (im->task->kind != WF_ATOMIC_TASK)
		return REFUSE(im, "task %s is never offered", im->task->id);
	if (im->activity != NULL)
		return REFUSE(
		    im, "task %s is offered or busy already", im->task->id);
	event.net = im->net->serial;
	event.task = im->task->number;
	event.number = im->row.number;
	if (wf_task_is_enabled(im->net, im->task->number))
		wf_emit(im->s, &event);
	return WF_OK;
}

/* An item of a task that is not enabled may be missing. */
static bool has_item(const struct importer *im)
{
	if (im->row.instance == 0)
		return im->activity != NULL;
	return im->instance != NULL &&
	       im->instance->status <= WF_ITEM_SUSPENDED;
}

static enum wf_rc check_item(struct importer *im)
{
	if (im->row.instance == 0 || has_item(im))
		return WF_OK;
	return REFUSE(
	    im, "task %s has no instance %u", im->task->id, im->row.instance);
}

enum wf_rc wf_import_dated(struct importer *im)
{
	struct wf_event event = { .kind = WF_EVENT_ITEM_DATED };
	uint32_t status = im->row.status;
	enum wf_rc rc = check_item(im);

	if (rc == WF_OK &&
	    (status > WF_ITEM_EXECUTING ||
		(status == WF_ITEM_EXECUTING) != (im->row.instance != 0)))
		rc = REFUSE(im, "task %s: a time of no status", im->task->id);
	event.net = im->net->serial;
	event.task = im->task->number;
	event.instance = im->row.instance;
	event.status = status;
	event.time = im->row.time;
	if (rc == WF_OK && event.time != 0 && has_item(im))
		wf_emit(im->s, &event);
	return rc;
}

enum wf_rc wf_import_suspended(struct importer *im)
{
	enum wf_rc rc = check_item(im);

	if (rc != WF_OK || !has_item(im))
		return rc;
	if (im->task->kind != WF_ATOMIC_TASK ||
	    (im->row.instance == 0
		    ? im->activity->busy || im->activity->suspended
		    : im->instance->status == WF_ITEM_SUSPENDED))
		return REFUSE(im, "task %s cannot be suspended", im->task->id);
	wf_emit_instance(im->s, WF_EVENT_ITEM_SUSPENDED, im->net,
	    im->task->number, im->row.instance);
	return WF_OK;
}

/* --- timers --------------------------------------------------------------- */

static enum wf_rc check_timer(struct importer *im)
{
	if (im->net->timers != NULL && im->task->timer != NULL &&
	    im->task->kind == WF_ATOMIC_TASK)
		return WF_OK;
	return REFUSE(im, "task %s has no timer", im->task->id);
}

enum wf_rc wf_import_timer(struct importer *im)
{
	struct wf_event event = { .kind = WF_EVENT_TIMER_STARTED };
	enum wf_rc rc = check_timer(im);

	if (rc == WF_OK)
		rc = check_item(im);
	if (rc == WF_OK && im->row.time == 0)
		rc = REFUSE(
		    im, "the timer of task %s has no time", im->task->id);
	if (rc != WF_OK || !has_item(im))
		return rc;
	event.net = im->net->serial;
	event.task = im->task->number;
	event.instance = im->row.instance;
	event.number = im->s->c->last_timer + 1;
	event.time = im->row.time;
	if (im->row.number != 0)
		event.kind = WF_EVENT_TIMER_DUE;
	wf_emit(im->s, &event);
	return WF_OK;
}

enum wf_rc wf_import_timer_state(struct importer *im)
{
	struct wf_event event = { .kind = WF_EVENT_TIMER_SET };
	enum wf_rc rc = check_timer(im);

	if (rc == WF_OK && im->row.number > WF_TIMER_EXPIRED)
		rc = REFUSE(
		    im, "the timer of task %s has no such state", im->task->id);
	event.net = im->net->serial;
	event.task = im->task->number;
	event.number = im->row.number;
	if (rc == WF_OK)
		wf_emit(im->s, &event);
	return rc;
}
