/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What events say of times:
 *
 *   TASK_ENABLED ──► enabled ──TASK_FIRED──► started ──TASK_EXITED,
 *                                              ▲       INSTANCE_ENDED──► over
 *   INSTANCE_CREATED ──► enabled, or started   │
 *                           └─INSTANCE_STARTED─┘
 *
 * An instance that is rolled back is enabled again, and started again later,
 * which counts again.
 */
#include "history/statistics/fold.h"

#include <string.h>

struct reading {
	const struct wf_folding *folding;
	struct wf_case_times *times;
	const struct wf_history_row *step; /* the one that is counted */
	bool counts;			   /* else it is of a step before it */
	bool ends;
	struct wf_error *err;
	enum wf_rc rc;
};

/* --- counting ------------------------------------------------------------- */

static void count(const struct reading *reading,
    const struct wf_case_event *event, enum wf_measure measure,
    const char *element, const char *detail, int64_t ms)
{
	const struct wf_history_row *step = event->step;
	const struct wf_statistic_row key = { .namespace_id =
						  step->namespace_id,
		.specification = step->specification,
		.hour = wf_hour_of(step->at),
		.measure = measure,
		.net = element[0] == '\0' ? "" : event->net->decomposition->id,
		.element = element,
		.detail = detail };

	if (reading->counts && key.hour >= reading->folding->from)
		wf_tally_add(reading->folding->tally, event->spec, &key, ms);
}

static void count_task(const struct reading *reading,
    const struct wf_case_event *event, enum wf_measure measure, int64_t ms)
{
	count(reading, event, measure, event->task->id, "", ms);
}

/* Clocks are set back: a time is not below 0. */
static int64_t since(const struct wf_case_event *event, int64_t at)
{
	return event->step->at > at ? event->step->at - at : 0;
}

/* --- flows ---------------------------------------------------------------- */

static const char *task_id(const struct wf_net *net, uint32_t number)
{
	return net->tasks[number].id;
}

/* Between two tasks there is one flow, which counts when its token is put. */
static void count_flows(
    const struct reading *reading, const struct wf_case_event *event, bool puts)
{
	const struct wf_net *net = event->net;

	for (uint32_t i = 0; i < event->event->condition_count; i++) {
		uint32_t number = event->event->conditions[i];
		const struct wf_condition *condition;

		if (number >= net->condition_count)
			continue;
		condition = &net->conditions[number];
		if (condition->kind != WF_IMPLICIT && puts)
			count(reading, event, WF_MEASURE_FLOW_TAKEN,
			    event->task->id, condition->id, -1);
		else if (condition->kind != WF_IMPLICIT)
			count(reading, event, WF_MEASURE_FLOW_TAKEN,
			    condition->id, event->task->id, -1);
		else if (puts && condition->postset_count == 1)
			count(reading, event, WF_MEASURE_FLOW_TAKEN,
			    event->task->id,
			    task_id(net, condition->postset[0]), -1);
	}
}

/* --- items ---------------------------------------------------------------- */

static struct wf_item_times *item_of(
    const struct reading *reading, const struct wf_case_event *event)
{
	return wf_case_times_find(
	    reading->times, event, event->event->instance);
}

static void add_item(const struct reading *reading,
    const struct wf_case_event *event, uint32_t instance, int64_t started_at)
{
	wf_case_times_add(
	    reading->times, event, instance, event->step->at, started_at);
}

static void remove_item(
    const struct reading *reading, struct wf_item_times *item)
{
	wf_case_times_remove(reading->times, item);
}

static void on_fired(
    const struct reading *reading, const struct wf_case_event *event)
{
	struct wf_item_times *enabled =
	    wf_case_times_find(reading->times, event, 0);

	count_task(reading, event, WF_MEASURE_ITEM_STARTED,
	    enabled == NULL ? -1 : since(event, enabled->enabled_at));
	remove_item(reading, enabled);
	count_flows(reading, event, false);
	add_item(reading, event, event->event->instance, event->step->at);
}

static void on_created(
    const struct reading *reading, const struct wf_case_event *event)
{
	bool executes = event->event->status == WF_ITEM_EXECUTING;

	if (executes)
		count_task(reading, event, WF_MEASURE_ITEM_STARTED, 0);
	add_item(reading, event, event->event->instance,
	    executes ? event->step->at : 0);
}

static void on_started(
    const struct reading *reading, const struct wf_case_event *event)
{
	struct wf_item_times *item = item_of(reading, event);

	count_task(reading, event, WF_MEASURE_ITEM_STARTED,
	    item == NULL ? -1 : since(event, item->enabled_at));
	if (item != NULL)
		item->started_at = event->step->at;
}

static void on_rolled_back(
    const struct reading *reading, const struct wf_case_event *event)
{
	struct wf_item_times *item = item_of(reading, event);

	if (item != NULL) {
		item->enabled_at = event->step->at;
		item->started_at = 0;
	}
}

/* It came so far elsewhere, at that time. */
static void on_dated(
    const struct reading *reading, const struct wf_case_event *event)
{
	struct wf_item_times *item = item_of(reading, event);

	if (item == NULL)
		return;
	if (event->event->status == WF_ITEM_EXECUTING)
		item->started_at = event->event->time;
	else
		item->enabled_at = event->event->time;
}

static void on_ended(
    const struct reading *reading, const struct wf_case_event *event)
{
	struct wf_item_times *item = item_of(reading, event);
	uint32_t status = event->event->status;

	if (status == WF_ITEM_COMPLETE || status == WF_ITEM_FORCED_COMPLETE)
		count_task(reading, event, WF_MEASURE_ITEM_COMPLETED,
		    item == NULL || item->started_at == 0
			? -1
			: since(event, item->started_at));
	else
		count_task(reading, event, WF_MEASURE_ITEM_CANCELLED, -1);
	remove_item(reading, item);
}

/* A participant who starts and completes in one step takes no time. */
static void on_done_by(
    const struct reading *reading, const struct wf_case_event *event)
{
	struct wf_item_times *item = item_of(reading, event);
	const char *participant = wf_arena_strndup(
	    event->arena, event->event->text, event->event->text_length);

	if (event->event->number != 0) /* it was skipped */
		return;
	count(reading, event, WF_MEASURE_WORK_DONE, event->task->id,
	    participant,
	    item == NULL	    ? -1
	    : item->started_at == 0 ? 0
				    : since(event, item->started_at));
}

static void on_task_event(
    const struct reading *reading, const struct wf_case_event *event)
{
	switch (event->event->kind) {
	case WF_EVENT_TASK_ENABLED:
		count_task(reading, event, WF_MEASURE_TASK_ENABLED, -1);
		add_item(reading, event, 0, 0);
		break;
	case WF_EVENT_TASK_WITHDRAWN:
		count_task(reading, event, WF_MEASURE_TASK_WITHDRAWN, -1);
		remove_item(
		    reading, wf_case_times_find(reading->times, event, 0));
		break;
	case WF_EVENT_TASK_FIRED:
		on_fired(reading, event);
		break;
	case WF_EVENT_TASK_EXITED:
		if (event->event->instance != 0)
			on_ended(reading, event);
		count_flows(reading, event, true);
		break;
	case WF_EVENT_INSTANCE_CREATED:
		on_created(reading, event);
		break;
	case WF_EVENT_INSTANCE_STARTED:
		on_started(reading, event);
		break;
	case WF_EVENT_INSTANCE_ROLLED_BACK:
		on_rolled_back(reading, event);
		break;
	case WF_EVENT_INSTANCE_ENDED:
		on_ended(reading, event);
		break;
	case WF_EVENT_ITEM_DATED:
		on_dated(reading, event);
		break;
	case WF_EVENT_ITEM_DONE_BY:
		on_done_by(reading, event);
		break;
	default:
		break;
	}
}

/* --- cases ---------------------------------------------------------------- */

static void on_launched(
    const struct reading *reading, const struct wf_case_event *event)
{
	const struct wf_folding *folding = reading->folding;

	reading->times->launched_at = event->step->at;
	if (reading->counts && wf_hour_of(event->step->at) >= folding->from)
		wf_tally_launch(folding->tally, event->spec, event->step);
}

static void visit(void *context, const struct wf_case_event *event)
{
	struct reading *reading = context;
	struct wf_case_times *times = reading->times;

	switch (event->event->kind) {
	case WF_EVENT_CASE_LAUNCHED:
		on_launched(reading, event);
		break;
	case WF_EVENT_CASE_COMPLETED:
		count(reading, event, WF_MEASURE_CASE_COMPLETED, "", "",
		    since(event, times->launched_at));
		reading->ends = true;
		break;
	case WF_EVENT_CASE_CANCELLED:
		count(reading, event, WF_MEASURE_CASE_CANCELLED, "", "",
		    since(event, times->launched_at));
		reading->ends = true;
		break;
	case WF_EVENT_CASE_DEADLOCKED:
		count(reading, event, WF_MEASURE_CASE_DEADLOCKED, "", "", -1);
		break;
	case WF_EVENT_NET_ENDED:
		wf_case_times_end_net(times, event->event->net);
		break;
	case WF_EVENT_CASE_MIGRATED:
		wf_case_times_migrate(times, event);
		break;
	default:
		if (event->task != NULL && event->net != NULL)
			on_task_event(reading, event);
		break;
	}
}

/* --- steps ---------------------------------------------------------------- */

/* Reads the steps of the case before this one that are not known. */
static enum wf_rc catch_up(
    struct reading *reading, const struct wf_case_reading *how, uint64_t last)
{
	struct wf_case_reader *reader = reading->times->reader;
	bool more = true;
	enum wf_rc rc = WF_OK;

	reading->counts = false;
	while (rc == WF_OK && more && reading->times->sequence < last) {
		rc =
		    wf_case_reader_page(reader, how, last, &more, reading->err);
		if (!more)
			reading->times->sequence = last;
	}
	reading->counts = true;
	return rc;
}

static void read_step(void *context, const struct wf_spec *spec)
{
	struct reading *reading = context;
	const struct wf_folding *folding = reading->folding;
	const struct wf_case_reading how = { .store = folding->store,
		.spec = spec,
		.engine = folding->engine,
		.visit = visit,
		.context = reading };

	reading->rc = catch_up(reading, &how, reading->step->sequence - 1);
	if (reading->rc != WF_OK)
		return;
	reading->rc = wf_case_reader_step(
	    reading->times->reader, &how, reading->step, reading->err);
	reading->times->sequence = reading->step->sequence;
}

enum wf_rc wf_fold_step(const struct wf_folding *folding,
    const struct wf_history_row *step, struct wf_error *err)
{
	struct reading reading = { .folding = folding,
		.times = wf_known_times_of(folding->known, step->number),
		.step = step,
		.rc = WF_OK,
		.err = err };
	enum wf_rc rc;

	/* A page is read again: what is known is of a later step. */
	if (reading.times->sequence >= step->sequence) {
		wf_known_times_drop(folding->known, reading.times);
		reading.times = wf_known_times_of(folding->known, step->number);
	}
	rc = wf_engine_inspect_spec(folding->engine, step->namespace_id,
	    step->specification, false, read_step, &reading, err);
	if (rc == WF_OK)
		rc = reading.rc;
	if (rc != WF_OK || reading.ends)
		wf_known_times_drop(folding->known, reading.times);
	else
		wf_known_times_keep(folding->known, reading.times);
	if (rc != WF_GONE && rc != WF_CORRUPT && rc != WF_NOT_FOUND)
		return rc;
	wf_error_clear(err);
	return WF_OK;
}
