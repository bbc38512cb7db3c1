/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/statistic_recount.h"

#include <CUnit/CUnit.h>
#include <string.h>

#include "history/case_reader.h"
#include "history/statistics/statistics.h"

struct statistic_line *statistic_line_of(struct wf_fixture *f,
    struct statistic_lines *lines, const struct wf_statistic_row *row)
{
	char *key = wf_arena_printf(f->arena, "%llx %lld %u %s/%s/%s",
	    (unsigned long long)row->specification, (long long)row->hour,
	    row->measure, row->net, row->element, row->detail);

	for (size_t i = 0; i < lines->count; i++)
		if (strcmp(lines->rows[i].key, key) == 0)
			return &lines->rows[i];
	lines->rows = wf_arena_grow(f->arena, lines->rows, lines->count,
	    &lines->capacity, sizeof(*lines->rows));
	lines->rows[lines->count] = (struct statistic_line){ .key = key };
	return &lines->rows[lines->count++];
}

/* An event of a case, as far as it says something. */
struct noted {
	enum wf_event_kind kind;
	uint32_t net;
	uint32_t task;
	uint32_t instance;
	int64_t at;
};

struct recount {
	struct wf_fixture *f;
	struct statistic_lines *lines;
	struct noted *noted;
	size_t count;
	size_t capacity;
	uint64_t number; /* of the case */
	int64_t launched_at;
};

static void add(const struct recount *r, const struct wf_case_event *event,
    enum wf_measure measure, const char *element, const char *detail,
    int64_t from)
{
	const struct wf_history_row *step = event->step;
	const struct wf_statistic_row key = {
		.specification = step->specification,
		.hour = step->at / WF_HOUR_MS,
		.measure = measure,
		.net = element[0] == '\0' ? "" : event->net->decomposition->id,
		.element = element,
		.detail = detail,
	};
	struct statistic_line *line = statistic_line_of(r->f, r->lines, &key);

	line->count++;
	if (from == 0)
		return;
	line->timed++;
	line->sum += step->at > from ? (uint64_t)(step->at - from) : 0;
}

/* When the task was enabled last; 0: it was not. */
static int64_t enabled(
    const struct recount *r, const struct wf_case_event *event)
{
	for (size_t i = r->count; i-- > 0;) {
		const struct noted *noted = &r->noted[i];

		if (noted->kind == WF_EVENT_TASK_ENABLED &&
		    noted->net == event->event->net &&
		    noted->task == event->event->task)
			return noted->at;
	}
	return 0;
}

/* When the instance began to execute; an instance may be created executing. */
static int64_t started(
    const struct recount *r, const struct wf_case_event *event)
{
	for (size_t i = r->count; i-- > 0;) {
		const struct noted *noted = &r->noted[i];

		if (noted->net != event->event->net ||
		    noted->instance != event->event->instance)
			continue;
		if (noted->kind == WF_EVENT_TASK_FIRED ||
		    noted->kind == WF_EVENT_INSTANCE_STARTED)
			return noted->at;
		/* The status of a created one is noted as its task. */
		if (noted->kind == WF_EVENT_INSTANCE_CREATED)
			return noted->task == WF_ITEM_EXECUTING ? noted->at : 0;
		if (noted->kind == WF_EVENT_INSTANCE_ROLLED_BACK)
			return 0;
	}
	return 0;
}

static void add_flows(
    const struct recount *r, const struct wf_case_event *event, bool puts)
{
	for (uint32_t i = 0; i < event->event->condition_count; i++) {
		const struct wf_condition *c =
		    &event->net->conditions[event->event->conditions[i]];
		const char *end = c->kind != WF_IMPLICIT
				      ? c->id
				      : event->net->tasks[c->postset[0]].id;

		if (puts)
			add(r, event, WF_MEASURE_FLOW_TAKEN, event->task->id,
			    end, 0);
		else if (c->kind != WF_IMPLICIT)
			add(r, event, WF_MEASURE_FLOW_TAKEN, c->id,
			    event->task->id, 0);
	}
}

static void add_end(const struct recount *r, const struct wf_case_event *event)
{
	bool completes = event->event->status == WF_ITEM_COMPLETE ||
			 event->event->status == WF_ITEM_FORCED_COMPLETE;

	add(r, event,
	    completes ? WF_MEASURE_ITEM_COMPLETED : WF_MEASURE_ITEM_CANCELLED,
	    event->task->id, "", completes ? started(r, event) : 0);
}

static void recount_task(
    const struct recount *r, const struct wf_case_event *event)
{
	const struct wf_event *e = event->event;
	const char *id = event->task->id;

	switch (e->kind) {
	case WF_EVENT_TASK_ENABLED:
		add(r, event, WF_MEASURE_TASK_ENABLED, id, "", 0);
		break;
	case WF_EVENT_TASK_WITHDRAWN:
		add(r, event, WF_MEASURE_TASK_WITHDRAWN, id, "", 0);
		break;
	case WF_EVENT_TASK_FIRED:
		add(r, event, WF_MEASURE_ITEM_STARTED, id, "",
		    enabled(r, event));
		add_flows(r, event, false);
		break;
	case WF_EVENT_INSTANCE_CREATED:
		if (e->status == WF_ITEM_EXECUTING)
			add(r, event, WF_MEASURE_ITEM_STARTED, id, "",
			    event->step->at);
		break;
	case WF_EVENT_INSTANCE_STARTED:
		for (size_t i = r->count; i-- > 0;)
			if (r->noted[i].net == e->net &&
			    r->noted[i].instance == e->instance) {
				add(r, event, WF_MEASURE_ITEM_STARTED, id, "",
				    r->noted[i].at);
				break;
			}
		break;
	case WF_EVENT_TASK_EXITED:
		add_flows(r, event, true);
		if (e->instance != 0)
			add_end(r, event);
		break;
	case WF_EVENT_INSTANCE_ENDED:
		add_end(r, event);
		break;
	default:
		break;
	}
}

static bool is_noted(enum wf_event_kind kind)
{
	return kind == WF_EVENT_TASK_ENABLED || kind == WF_EVENT_TASK_FIRED ||
	       kind == WF_EVENT_INSTANCE_CREATED ||
	       kind == WF_EVENT_INSTANCE_STARTED ||
	       kind == WF_EVENT_INSTANCE_ROLLED_BACK;
}

static void recount_event(void *context, const struct wf_case_event *event)
{
	struct recount *r = context;
	const struct wf_event *e = event->event;

	if (e->kind == WF_EVENT_CASE_LAUNCHED)
		r->launched_at = event->step->at;
	else if (e->kind == WF_EVENT_CASE_COMPLETED)
		add(r, event, WF_MEASURE_CASE_COMPLETED, "", "",
		    r->launched_at);
	else if (e->kind == WF_EVENT_CASE_CANCELLED)
		add(r, event, WF_MEASURE_CASE_CANCELLED, "", "",
		    r->launched_at);
	else if (e->kind == WF_EVENT_CASE_DEADLOCKED)
		add(r, event, WF_MEASURE_CASE_DEADLOCKED, "", "", 0);
	else if (event->task != NULL)
		recount_task(r, event);
	if (!is_noted(e->kind))
		return;
	r->noted = wf_arena_grow(
	    r->f->arena, r->noted, r->count, &r->capacity, sizeof(*r->noted));
	r->noted[r->count++] = (struct noted){ e->kind, e->net,
		e->kind == WF_EVENT_INSTANCE_CREATED ? e->status : e->task,
		e->instance, event->step->at };
}

static void recount_case(void *context, const struct wf_spec *spec)
{
	struct recount *r = context;
	const struct wf_case_reading how = { .store = r->f->store,
		.spec = spec,
		.engine = r->f->engine,
		.visit = recount_event,
		.context = r };
	struct wf_case_reader *reader = wf_case_reader_new(r->number, "1");
	bool more = true;

	while (more)
		OK(wf_case_reader_page(
		    reader, &how, UINT64_MAX, &more, &r->f->err));
	wf_case_reader_free(&reader);
}

void statistic_recount(struct wf_fixture *f, struct statistic_lines *lines)
{
	const struct wf_history_filter filter = { .limit = 100000 };
	struct wf_history_list list;

	OK(wf_store_history(f->store, &filter, f->arena, &list, &f->err));
	for (size_t i = 0; i < list.count; i++) {
		const struct wf_history_row *row = &list.rows[i];
		const struct wf_case_event event = { .step = row };
		struct recount r = {
			.f = f, .lines = lines, .number = row->number
		};
		int64_t before = 0;

		if (row->sequence != 1)
			continue;
		for (size_t k = 0; k < i; k++)
			if (list.rows[k].sequence == 1 &&
			    list.rows[k].specification == row->specification)
				before = list.rows[k].at;
		add(&r, &event, WF_MEASURE_CASE_STARTED, "", "", before);
		OK(wf_engine_inspect_spec(f->engine, row->namespace_id,
		    row->specification, false, recount_case, &r, &f->err));
	}
}
