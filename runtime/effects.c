/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that follow from the events of a step: items, announcements, timers,
 * searches for OR-joins.
 *
 * Only items that an event names are examined, so a step costs what it
 * changes, however many items the case has.  Their rows are made once, when
 * all steps of the batch are done: the item as it is then, or none.
 */
#include "base/panic.h"
#include "runtime/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "kernel/assignment/assignment.h"
#include "kernel/view.h"

#define PAYLOAD_FORMAT 1
/* A larger output of a case is not announced. */
#define OUTPUT_MAXIMUM_BYTES ((size_t)64 << 20)

struct served_items {
	struct batch *batch;
	struct work *work;
};

struct wf_destinations {
	struct batch *batch;
	struct work *work;
	const struct wf_announcement *what;
	struct wf_bytes payload;
};

static const struct wf_net *net_of(
    const struct cached *cached, uint32_t serial, const char **case_id_out)
{
	const struct net_name *name;

	if (serial == WF_ROOT_NET) {
		*case_id_out = wf_case_id(cached->instance);
		return cached->spec->spec->root;
	}
	name = wf_cached_net(cached, serial);
	if (name == NULL)
		return NULL;
	*case_id_out = name->case_id;
	return name->net;
}

const struct wf_task *wf_effects_name(const struct cached *cached,
    const struct touched *item, char id_out[WF_ITEM_ID_SIZE])
{
	const struct wf_net *net;
	const struct wf_task *task;
	const char *case_id;

	net = net_of(cached, item->serial, &case_id);
	if (net == NULL || item->task >= net->task_count)
		return NULL;
	task = &net->tasks[item->task];
	if (task->kind != WF_ATOMIC_TASK)
		return NULL;
	if (item->instance == 0)
		snprintf(id_out, WF_ITEM_ID_SIZE, "%s:%s", case_id, task->id);
	else
		snprintf(id_out, WF_ITEM_ID_SIZE, "%s.%u:%s", case_id,
		    item->instance, task->id);
	return task;
}

/* --- announcements -------------------------------------------------------- */

void wf_announced_encode(
    const struct wf_announced *announced, struct wf_buffer *payload)
{
	wf_put_number(payload, PAYLOAD_FORMAT);
	wf_put_number(payload, announced->specification);
	wf_put_string(payload, announced->name);
	wf_put_string(payload, announced->task);
	wf_put_number(payload, announced->status);
	wf_put_string(payload, announced->data);
	/* Programs that do not know it read no further. */
	if (announced->trace != NULL && announced->trace[0] != '\0')
		wf_put_string(payload, announced->trace);
}

static struct wf_bytes make_payload(struct batch *batch,
    const struct cached *cached, const struct wf_announcement *what)
{
	struct wf_announced announced = { .specification = what->specification,
		.name = wf_case_id(cached->instance),
		.task = what->task == NULL ? "" : what->task->id,
		.status = what->status,
		.data = "",
		.trace = batch->trace };
	struct wf_buffer data;

	wf_buffer_init(&data, OUTPUT_MAXIMUM_BYTES);
	if (what->kind == WF_ANNOUNCE_CASE_COMPLETED ||
	    what->kind == WF_ANNOUNCE_CASE_DEADLOCKED)
		wf_case_output(cached->instance, &data);
	if (!data.full)
		announced.data = wf_buffer_text(&data);
	wf_announced_encode(&announced, wf_batch_buffer(batch));
	wf_buffer_free(&data);
	return wf_batch_bytes(batch);
}

enum wf_rc wf_announced_decode(struct wf_announced *announced,
    struct wf_bytes payload, struct wf_arena *arena, struct wf_error *err)
{
	struct wf_reader reader;

	wf_reader_init(&reader, payload.data, payload.size);
	if (wf_get_number(&reader) != PAYLOAD_FORMAT)
		return wf_fail(err, WF_CORRUPT,
		    "a stored announcement has an unknown format");
	announced->specification = wf_get_number(&reader);
	announced->name = wf_get_string(&reader, arena);
	announced->task = wf_get_string(&reader, arena);
	announced->status = wf_get_bounded(&reader, UINT32_MAX);
	announced->data = wf_get_string(&reader, arena);
	announced->trace = "";
	if (!reader.bad && reader.next != reader.end)
		announced->trace = wf_get_string(&reader, arena);
	if (reader.bad)
		return wf_fail(
		    err, WF_CORRUPT, "a stored announcement is damaged");
	return WF_OK;
}

void wf_destination_add_as(struct wf_destinations *destinations,
    const char *destination, enum wf_announcement_kind kind, const char *item)
{
	struct batch *batch = destinations->batch;
	const struct wf_announcement *what = destinations->what;
	struct wf_message_row *row = WF_ROW_ADD(batch, messages);

	wf_assert(destinations->work->cached->number == what->number);
	wf_assert(destination != NULL && item != NULL);
	if (destinations->payload.data == NULL)
		destinations->payload =
		    make_payload(batch, destinations->work->cached, what);
	row->number = what->number;
	row->message = ++destinations->work->cached->messages;
	row->namespace_id = what->namespace_id;
	row->destination = wf_arena_strdup(batch->arena, destination);
	row->subject = wf_arena_strdup(batch->arena, item);
	row->kind = kind;
	row->at = batch->now;
	row->payload = destinations->payload;
}

void wf_destination_add(
    struct wf_destinations *destinations, const char *destination)
{
	wf_destination_add_as(destinations, destination,
	    destinations->what->kind, destinations->what->item);
}

/* --- services that have items of people ----------------------------------- */

static void add_served(void *argument, uint32_t net, uint32_t task,
    uint32_t instance, const char *service)
{
	struct served_items *to = argument;
	struct work *work = to->work;

	work->served =
	    wf_arena_grow(to->batch->arena, work->served, work->served_count,
		&work->served_capacity, sizeof(work->served[0]));
	work->served[work->served_count++] = (struct served){ net, task,
		instance, wf_arena_strdup(to->batch->arena, service) };
}

static void note_served(struct batch *batch, struct work *work)
{
	struct served_items to = { batch, work };

	wf_case_served(work->cached->instance, add_served, &to);
}

/* --- what a case is found by ---------------------------------------------- */

static void note_values(struct batch *batch, struct work *work)
{
	struct cached *cached = work->cached;

	if (work->terms != NULL)
		return;
	work->terms = wf_terms_plan(
	    batch->shard->terms, cached->namespace_id, cached->spec->spec);
	if (work->terms == NULL || cached->instance == NULL)
		return;
	work->values = wf_arena_alloc(batch->arena, sizeof(*work->values));
	wf_term_values_note(work->values, work->terms, cached->instance);
}

void wf_effects_replace_terms(struct batch *batch, struct work *work)
{
	const struct wf_term_row row = { .number = work->number,
		.namespace_id = work->cached->namespace_id };
	const struct wf_term_plan *before = work->terms;
	struct wf_term_row rows[WF_CASE_INDEXES];
	size_t count;

	if (work->values != NULL)
		wf_term_values_drop(work->values);
	work->values = NULL;
	work->terms = wf_terms_plan(batch->shard->terms,
	    work->cached->namespace_id, work->cached->spec->spec);
	count = wf_terms_left(before, work->terms, &row, rows);
	for (size_t i = 0; i < count; i++)
		*WF_ROW_ADD(batch, terms) = rows[i];
}

void wf_effects_terms(struct batch *batch, const struct work *work)
{
	const struct wf_term_row row = { .number = work->number,
		.namespace_id = work->cached->namespace_id };
	struct wf_term_row rows[WF_TERM_ROWS];
	size_t count = 0;

	if (work->expected == 0)
		count = wf_terms_of_words(&work->fresh, rows, batch->arena);
	if (work->terms != NULL)
		count += wf_terms_of_variables(work->terms, work->values,
		    work->cached->instance, &row, rows + count, batch->arena);
	for (size_t i = 0; i < count; i++)
		*WF_ROW_ADD(batch, terms) = rows[i];
}

void wf_effects_before(struct batch *batch, struct work *work)
{
	work->served_count = 0;
	if (work->cached->instance != NULL)
		note_served(batch, work);
	note_values(batch, work);
}

/*
 * The service that has the item, or had it before the step; NULL: it is not
 * of people, or none has.  An instance goes on as the enabled item, unless
 * that was brought back: then people have the instance.
 */
static const char *service_of(
    const struct work *work, const struct touched *item, const char *id)
{
	const char *service = NULL;
	struct wf_item now;

	for (size_t i = 0; i < work->served_count; i++) {
		const struct served *served = &work->served[i];

		if (served->serial != item->serial ||
		    served->task != item->task)
			continue;
		if (served->instance == item->instance)
			return served->service;
		if (served->instance == 0)
			service = served->service;
	}
	if (service != NULL &&
	    wf_case_item(work->cached->instance, id, &now, NULL) == WF_OK &&
	    now.assignment != NULL)
		return NULL;
	return service;
}

/* Makes a report at that time, unless it is no longer needed then. */
static void report_later(struct batch *batch, const struct work *work,
    const struct wf_report_request *report, const char *name, int64_t at)
{
	struct wf_request request = { .kind = WF_REQUEST_REPORT,
		.namespace_id = work->cached->namespace_id,
		.number = work->number,
		.report = *report,
		.origin = "timer" };
	struct wf_due_write *write =
	    wf_batch_find_due(batch, work->number, name);

	if (write == NULL)
		write = WF_ROW_ADD(batch, due);
	write->remove = false;
	write->row.number = work->number;
	write->row.name = name;
	write->row.namespace_id = request.namespace_id;
	write->row.at = at;
	write->row.kind = WF_DUE_REQUEST;
	write->row.payload = wf_due_command_payload(
	    NULL, wf_request_encode(&request, batch->arena), batch->arena);
}

void wf_destination_report_later(
    struct wf_destinations *destinations, int64_t delay_ms)
{
	struct batch *batch = destinations->batch;
	const struct wf_announcement *what = destinations->what;
	struct wf_report_request report = { .item = what->item,
		.code = WF_UNSERVED_CODE };

	wf_assert(what->task != NULL && delay_ms > 0);
	report.text = wf_arena_printf(
	    batch->arena, WF_UNSERVED_TEXT "%.500s", what->service);
	report_later(batch, destinations->work, &report,
	    wf_arena_printf(batch->arena, "%s %s", report.code, report.item),
	    batch->now + delay_ms);
}

static void announce(
    struct batch *batch, struct work *work, struct wf_announcement *what)
{
	const struct wf_engine_settings *settings =
	    &batch->shard->engine->settings;
	struct wf_destinations destinations = {
		.batch = batch, .work = work, .what = what
	};

	if (settings->announce == NULL)
		return;
	wf_assert(what->kind != 0 && what->item != NULL);
	what->namespace_id = work->cached->namespace_id;
	what->number = work->number;
	what->at = batch->now;
	what->specification = work->cached->spec->key;
	what->is_for_people = settings->people != NULL && what->task != NULL &&
			      what->service == NULL &&
			      wf_task_is_for_people(what->task);
	if (what->service == NULL)
		what->service =
		    what->task == NULL ? "" : wf_task_service(what->task);
	settings->announce(settings->context, what, &destinations);
}

void wf_effects_announce(struct batch *batch, struct work *work,
    const struct wf_item *item, bool rejected)
{
	static const enum wf_announcement_kind kinds[] = {
		[WF_ITEM_ENABLED] = WF_ANNOUNCE_ITEM_ENABLED,
		[WF_ITEM_FIRED] = WF_ANNOUNCE_ITEM_CREATED,
		[WF_ITEM_EXECUTING] = WF_ANNOUNCE_ITEM_STARTED,
	};
	char id[WF_ITEM_ID_SIZE];
	struct wf_announcement what = { .task = item->task,
		.item = id,
		.status = item->status,
		.again = true,
		.rejected = rejected };
	/* The next service learns of a suspended item, too. */
	enum wf_item_status status =
	    rejected && item->status == WF_ITEM_SUSPENDED ? WF_ITEM_ENABLED
							  : item->status;

	/* An item of people with a service: it was given to that. */
	if (item->assignment == NULL && wf_task_is_for_people(item->task) &&
	    item->service[0] != '\0')
		what.service = item->service;
	wf_item_id(item, id);
	if (status >= sizeof(kinds) / sizeof(kinds[0]) || kinds[status] == 0)
		return;
	what.kind = kinds[status];
	announce(batch, work, &what);
}

void wf_effects_gone(
    struct batch *batch, struct work *work, const struct wf_item *item)
{
	char id[WF_ITEM_ID_SIZE];
	struct wf_announcement what = { .kind = WF_ANNOUNCE_ITEM_ENDED,
		.task = item->task,
		.item = id,
		.status = WF_ITEM_WITHDRAWN };

	wf_item_id(item, id);
	announce(batch, work, &what);
}

/* --- reading the events --------------------------------------------------- */

static void touch(struct batch *batch, struct work *work,
    const struct wf_event *event, uint32_t instance, enum touch how)
{
	work->touched =
	    wf_arena_grow(batch->arena, work->touched, work->touched_count,
		&work->touched_capacity, sizeof(work->touched[0]));
	work->touched[work->touched_count] = (struct touched){ event->net,
		event->task, instance, work->touched_count, batch->trace, how };
	work->touched_count++;
}

static void announce_case(
    struct batch *batch, struct work *work, enum wf_announcement_kind kind)
{
	struct wf_announcement what = { .kind = kind,
		.item = "",
		.status = wf_case_status(work->cached->instance) };

	announce(batch, work, &what);
}

static void announce_item(struct batch *batch, struct work *work,
    enum wf_announcement_kind kind, const struct touched *item, uint32_t status)
{
	char id[WF_ITEM_ID_SIZE];
	struct wf_announcement what = {
		.kind = kind, .item = id, .status = status
	};

	if (batch->shard->engine->settings.announce == NULL)
		return;
	what.task = wf_effects_name(work->cached, item, id);
	if (what.task == NULL)
		return;
	what.service = service_of(work, item, id);
	announce(batch, work, &what);
}

/* Announces an item with its status without regard to suspension. */
static void announce_move(struct batch *batch, struct work *work,
    enum wf_announcement_kind kind, const struct touched *touched)
{
	char id[WF_ITEM_ID_SIZE];
	struct wf_announcement what = { .kind = kind, .item = id };
	struct wf_item item;

	if (batch->shard->engine->settings.announce == NULL)
		return;
	what.task = wf_effects_name(work->cached, touched, id);
	if (what.task == NULL ||
	    wf_case_item(work->cached->instance, id, &item, NULL) != WF_OK)
		return; /* it is over */
	what.service = service_of(work, touched, id);
	what.status = item.status == WF_ITEM_SUSPENDED ? item.suspended_from
						       : item.status;
	announce(batch, work, &what);
}

static void note_case_event(
    struct batch *batch, struct work *work, const struct wf_event *event)
{
	switch (event->kind) {
	case WF_EVENT_CASE_LAUNCHED:
		announce_case(batch, work, WF_ANNOUNCE_CASE_LAUNCHED);
		break;
	case WF_EVENT_CASE_SUSPENDED:
		announce_case(batch, work, WF_ANNOUNCE_CASE_SUSPENDED);
		break;
	case WF_EVENT_CASE_RESUMED:
		announce_case(batch, work, WF_ANNOUNCE_CASE_RESUMED);
		break;
	case WF_EVENT_CASE_COMPLETED:
		announce_case(batch, work, WF_ANNOUNCE_CASE_COMPLETED);
		wf_observe_case(batch, work, WF_OBSERVED_CASE_COMPLETED);
		break;
	case WF_EVENT_CASE_DEADLOCKED:
		announce_case(batch, work, WF_ANNOUNCE_CASE_DEADLOCKED);
		wf_observe_case(batch, work, WF_OBSERVED_CASE_DEADLOCKED);
		break;
	case WF_EVENT_CASE_CANCELLED:
		announce_case(batch, work, WF_ANNOUNCE_CASE_CANCELLED);
		wf_observe_case(batch, work, WF_OBSERVED_CASE_CANCELLED);
		break;
	case WF_EVENT_OR_JOIN_UNDECIDED:
		work->undecided = wf_arena_grow(batch->arena, work->undecided,
		    work->undecided_count, &work->undecided_capacity,
		    sizeof(work->undecided[0]));
		work->undecided[work->undecided_count++] =
		    (struct touched){ .serial = event->net,
			    .task = event->task };
		break;
	default:
		break;
	}
}

static void note_item(struct batch *batch, struct work *work,
    const struct wf_event *event, uint32_t instance, enum touch how,
    enum wf_announcement_kind kind, uint32_t status)
{
	struct touched item = {
		.serial = event->net, .task = event->task, .instance = instance
	};

	touch(batch, work, event, instance, how);
	announce_item(batch, work, kind, &item, status);
}

static void note_move(struct batch *batch, struct work *work,
    const struct wf_event *event, enum wf_announcement_kind kind)
{
	struct touched item = { .serial = event->net,
		.task = event->task,
		.instance = event->instance };

	touch(batch, work, event, event->instance, TOUCH_CHANGES);
	announce_move(batch, work, kind, &item);
}

/* Has an incident made of an item that nobody can find, or that failed. */
static void report_stuck(
    struct batch *batch, struct work *work, const struct wf_event *event)
{
	struct touched touched = { .serial = event->net,
		.task = event->task,
		.instance = event->instance };
	struct wf_report_request report;
	char id[WF_ITEM_ID_SIZE];

	if (!wf_people_report(event, &report, batch->arena) ||
	    wf_effects_name(work->cached, &touched, id) == NULL)
		return;
	report.item = wf_arena_strdup(batch->arena, id);
	/* An item can be stuck again later: each time has a name of its own. */
	report_later(batch, work, &report,
	    wf_arena_printf(batch->arena, "%s %s %llu", report.code,
		report.item, (unsigned long long)work->cached->version),
	    batch->now);
}

static void note_event(
    struct batch *batch, struct work *work, const struct wf_event *event)
{
	switch (event->kind) {
	case WF_EVENT_TASK_ENABLED:
		note_item(batch, work, event, 0, TOUCH_BEGINS,
		    WF_ANNOUNCE_ITEM_ENABLED, WF_ITEM_ENABLED);
		break;
	case WF_EVENT_TASK_WITHDRAWN:
		note_item(batch, work, event, 0, TOUCH_ENDS,
		    WF_ANNOUNCE_ITEM_ENDED, event->status);
		break;
	case WF_EVENT_TASK_FIRED:
		note_item(batch, work, event, 0, TOUCH_ENDS,
		    WF_ANNOUNCE_ITEM_FIRED, WF_ITEM_ENABLED);
		note_item(batch, work, event, event->instance, TOUCH_BEGINS,
		    WF_ANNOUNCE_ITEM_STARTED, WF_ITEM_EXECUTING);
		break;
	case WF_EVENT_INSTANCE_CREATED:
		note_item(batch, work, event, event->instance, TOUCH_BEGINS,
		    WF_ANNOUNCE_ITEM_CREATED, event->status);
		break;
	case WF_EVENT_INSTANCE_STARTED:
		note_item(batch, work, event, event->instance, TOUCH_CHANGES,
		    WF_ANNOUNCE_ITEM_STARTED, WF_ITEM_EXECUTING);
		break;
	case WF_EVENT_TASK_EXITED:
		if (event->instance == 0)
			break;
		/* fall through */
	case WF_EVENT_INSTANCE_ENDED:
		note_item(batch, work, event, event->instance, TOUCH_ENDS,
		    WF_ANNOUNCE_ITEM_ENDED, event->status);
		break;
	case WF_EVENT_INSTANCE_ROLLED_BACK:
		note_move(batch, work, event, WF_ANNOUNCE_ITEM_ROLLED_BACK);
		touch(batch, work, event, event->instance, TOUCH_DROPS_DRAFT);
		break;
	case WF_EVENT_ITEM_SUSPENDED:
		note_move(batch, work, event, WF_ANNOUNCE_ITEM_SUSPENDED);
		break;
	case WF_EVENT_ITEM_RESUMED:
		note_move(batch, work, event, WF_ANNOUNCE_ITEM_RESUMED);
		break;
	case WF_EVENT_ITEM_PASSED_ON:
		if (event->number != WF_PASSED_ON_WITH_DATA)
			touch(batch, work, event, event->instance,
			    TOUCH_DROPS_DRAFT);
		break;
	case WF_EVENT_ITEM_RETURNED:
		touch(batch, work, event, event->instance, TOUCH_DROPS_DRAFT);
		break;
	case WF_EVENT_INSTANCE_UPDATED:
	case WF_EVENT_ITEM_PRIORITY:
	case WF_EVENT_ITEM_DUE:
	case WF_EVENT_ITEM_NOT_DUE:
	case WF_EVENT_ITEM_OFFERED:
	case WF_EVENT_ITEM_ALLOCATED:
	case WF_EVENT_ITEM_TAKEN:
	case WF_EVENT_RESOURCES_TAKEN:
	case WF_EVENT_RESOURCES_RELEASED:
	case WF_EVENT_ITEM_REDIRECTED:
		touch(batch, work, event, event->instance, TOUCH_CHANGES);
		break;
	case WF_EVENT_ITEM_UNOFFERED:
	case WF_EVENT_START_FAILED:
		touch(batch, work, event, event->instance, TOUCH_CHANGES);
		report_stuck(batch, work, event);
		break;
	case WF_EVENT_URGENCY_FAILED:
	case WF_EVENT_ITEM_ESCALATED:
		report_stuck(batch, work, event);
		break;
	case WF_EVENT_NET_ENDED:
		work->cached->nets_ended++;
		break;
	default:
		note_case_event(batch, work, event);
		break;
	}
}

/* --- timers and alarms ---------------------------------------------------- */

static const char *timer_name(
    const struct batch *batch, const struct wf_event *event)
{
	return wf_arena_printf(batch->arena, "timer %u", event->number);
}

/* A due command of an item, with the number of a timer or an alarm. */
static void put_timer(struct batch *batch, struct work *work, const char *item,
    uint32_t number, int64_t at, enum wf_command_kind command, const char *name)
{
	struct wf_request request = { .kind = WF_REQUEST_COMMAND,
		.namespace_id = work->cached->namespace_id,
		.number = work->number,
		.command = { .kind = command, .item = item },
		.origin = "timer" };
	struct wf_due_write *write;

	request.command.data = wf_arena_printf(batch->arena, "%u", number);
	request.command.length = strlen(request.command.data);
	write = WF_ROW_ADD(batch, due);
	write->row.number = work->number;
	write->row.name = name;
	write->row.namespace_id = request.namespace_id;
	write->row.at = at;
	write->row.kind = WF_DUE_REQUEST;
	write->row.payload = wf_due_command_payload(
	    NULL, wf_request_encode(&request, batch->arena), batch->arena);
}

static void arm(struct batch *batch, struct work *work,
    const struct wf_event *event, enum wf_command_kind command,
    const char *name)
{
	struct touched item = { .serial = event->net,
		.task = event->task,
		.instance = event->instance };
	char id[WF_ITEM_ID_SIZE];

	if (wf_effects_name(work->cached, &item, id) != NULL)
		put_timer(
		    batch, work, id, event->number, event->time, command, name);
}

static const char *alarm_name(const struct batch *batch, uint32_t number)
{
	return wf_arena_printf(batch->arena, "alarm %u", number);
}

static void note_timer(
    struct batch *batch, struct pending *pending, const struct wf_event *event)
{
	struct touched item = { .serial = event->net,
		.task = event->task,
		.instance = event->instance };

	if (event->kind == WF_EVENT_TIMER_STARTED)
		arm(batch, pending->work, event, WF_COMMAND_EXPIRE,
		    timer_name(batch, event));
	else if (event->kind == WF_EVENT_ALARM_SET)
		arm(batch, pending->work, event, WF_COMMAND_ALARM,
		    alarm_name(batch, event->number));
	else if (event->kind == WF_EVENT_TIMER_STOPPED ||
		 event->kind == WF_EVENT_TIMER_DUE ||
		 event->kind == WF_EVENT_TIMER_EXPIRED)
		wf_batch_remove_due(
		    batch, pending->number, timer_name(batch, event));
	if (event->kind == WF_EVENT_TIMER_EXPIRED)
		announce_item(batch, pending->work, WF_ANNOUNCE_TIMER_EXPIRED,
		    &item, WF_ITEM_EXECUTING);
}

struct arming {
	struct batch *batch;
	struct work *work;
	enum wf_command_kind command;
};

/* The row of the item as it is called now, unless it was just made. */
static void arm_again(
    void *argument, const char *item, uint32_t number, int64_t at)
{
	struct arming *arming = argument;
	struct batch *batch = arming->batch;
	const char *name =
	    arming->command == WF_COMMAND_EXPIRE
		? wf_arena_printf(batch->arena, "timer %u", number)
		: alarm_name(batch, number);

	if (wf_batch_find_due(batch, arming->work->number, name) == NULL)
		put_timer(batch, arming->work, item, number, at,
		    arming->command, name);
}

void wf_effects_rearm(struct batch *batch, struct work *work)
{
	struct arming arming = { batch, work, WF_COMMAND_EXPIRE };

	wf_case_timers(work->cached->instance, arm_again, &arming);
	arming.command = WF_COMMAND_ALARM;
	wf_case_alarms(work->cached->instance, arm_again, &arming);
}

static bool changes_nets(const struct wf_buffer *events)
{
	struct wf_event_reader reader;
	const struct wf_event *event;
	bool found = false;

	wf_event_reader_init(&reader, events->data, events->length, NULL);
	while (!found && (event = wf_event_next(&reader, NULL)) != NULL)
		found = event->kind == WF_EVENT_NET_STARTED && event->net != 0;
	wf_event_reader_free(&reader);
	return found;
}

/* An alarm that was set and ended in one step was never armed. */
static void drop_alarms(struct batch *batch, const struct pending *pending)
{
	size_t count;
	const uint32_t *ended =
	    wf_step_ended_alarms(&batch->shard->step, &count);

	for (size_t i = 0; i < count; i++)
		wf_batch_remove_due(
		    batch, pending->number, alarm_name(batch, ended[i]));
}

/* The service learns of an item that is there for some time. */
static void announce_redirected(
    struct batch *batch, struct work *work, const char *id)
{
	struct wf_item item;

	if (wf_case_item(work->cached->instance, id, &item, NULL) == WF_OK)
		wf_effects_announce(batch, work, &item, false);
}

void wf_effects_note(struct batch *batch, struct pending *pending)
{
	struct work *work = pending->work;
	const struct wf_buffer *events = &batch->shard->step.events;
	struct wf_event_reader reader;
	const struct wf_event *event;

	if (changes_nets(events))
		wf_cached_name_nets(work->cached, true);
	note_served(batch, work);
	wf_event_reader_init(&reader, events->data, events->length, NULL);
	while ((event = wf_event_next(&reader, NULL)) != NULL) {
		note_event(batch, work, event);
		note_timer(batch, pending, event);
		wf_people_note(batch, pending, event);
	}
	wf_event_reader_free(&reader);
	if (wf_request_is(&pending->request, WF_COMMAND_REDIRECT))
		announce_redirected(batch, work, pending->request.command.item);
	drop_alarms(batch, pending);
}

/* --- rows of items -------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_items(const struct touched *a, const struct touched *b)
{
	int result = compare(a->serial, b->serial);

	if (result == 0)
		result = compare(a->task, b->task);
	return result != 0 ? result : compare(a->instance, b->instance);
}

static int compare_touched(const void *one, const void *other)
{
	const struct touched *a = one;
	const struct touched *b = other;
	int result = compare_items(a, b);

	return result != 0 ? result : compare(a->order, b->order);
}

void wf_effects_item_row(struct wf_item_row *row, uint32_t namespace_id,
    uint64_t specification, const struct wf_item *item, struct wf_arena *arena)
{
	row->namespace_id = namespace_id;
	row->specification = specification;
	row->task = item->task->id;
	row->service =
	    item->assignment == NULL ? item->service : WF_PEOPLE_SERVICE;
	row->status = item->status;
	row->choice = item->choice;
	row->enabled_at = item->enabled_at;
	row->fired_at = item->fired_at;
	row->started_at = item->started_at;
	wf_people_fill(row, item, arena);
}

/*
 * Writes the item as it is now, or removes its row.  fresh: it began in this
 * batch, so it has no draft.
 */
static void add_item(struct batch *batch, struct work *work,
    const struct touched *touched, bool fresh, bool drops_draft)
{
	struct cached *cached = work->cached;
	struct wf_item_write *write;
	const struct wf_task *task;
	char id[WF_ITEM_ID_SIZE];
	struct wf_item item;

	task = wf_effects_name(cached, touched, id);
	if (task == NULL)
		return;
	write = WF_ROW_ADD(batch, items);
	write->row.number = work->number;
	write->row.id = wf_arena_strdup(batch->arena, id);
	/* An instance of a composite task may have the same id. */
	if (wf_case_item(cached->instance, id, &item, NULL) != WF_OK ||
	    item.task != task)
		return;
	write->groups =
	    WF_ITEM_KERNEL | (drops_draft && !fresh ? WF_ITEM_DRAFT : 0U);
	write->fresh = fresh;
	wf_lease_fill(work, write);
	wf_effects_item_row(&write->row, cached->namespace_id,
	    cached->spec->key, &item, batch->arena);
	write->row.trace = touched->trace;
}

void wf_effects_items(struct batch *batch, struct work *work)
{
	const struct touched *first = work->touched;
	const struct touched *end;

	if (work->touched_count == 0) /* an offset to NULL is undefined */
		return;
	end = first + work->touched_count;
	qsort(work->touched, work->touched_count, sizeof(work->touched[0]),
	    compare_touched);
	while (first < end) {
		const struct touched *last = first;
		bool drops_draft = first->touch == TOUCH_DROPS_DRAFT;

		while (last + 1 < end && compare_items(first, last + 1) == 0) {
			last++;
			drops_draft |= last->touch == TOUCH_DROPS_DRAFT;
		}
		wf_assert(first->order <= last->order);
		/* An item that began and ended in this batch has no row. */
		if (first->touch != TOUCH_BEGINS || last->touch != TOUCH_ENDS)
			add_item(batch, work, last,
			    first->touch == TOUCH_BEGINS, drops_draft);
		first = last + 1;
	}
}

/* --- searches ------------------------------------------------------------- */

struct searching {
	struct batch *batch;
	struct work *work;
};

/* Whether a step of this batch left that OR-join undecided. */
static bool is_noted(const struct work *work, const char *item)
{
	char id[WF_ITEM_ID_SIZE];
	const char *case_id;

	for (size_t i = 0; i < work->undecided_count; i++) {
		const struct touched *join = &work->undecided[i];
		const struct wf_net *net =
		    net_of(work->cached, join->serial, &case_id);

		if (net == NULL || join->task >= net->task_count)
			continue;
		snprintf(id, sizeof(id), "%s:%s", case_id,
		    net->tasks[join->task].id);
		if (strcmp(id, item) == 0)
			return true;
	}
	return false;
}

/* The version makes the name of the due row unique. */
static void add_search(void *argument, const char *item)
{
	struct searching *searching = argument;
	struct batch *batch = searching->batch;
	struct cached *cached = searching->work->cached;
	struct wf_bytes body = { item, strlen(item) };
	struct wf_due_write *write;

	if (!is_noted(searching->work, item))
		return;
	write = WF_ROW_ADD(batch, due);
	write->row.number = cached->number;
	write->row.name = wf_arena_printf(batch->arena, "search %llu %s",
	    (unsigned long long)cached->version, item);
	write->row.namespace_id = cached->namespace_id;
	write->row.at = batch->now;
	write->row.kind = WF_DUE_SEARCH;
	write->row.payload = wf_due_command_payload(NULL, body, batch->arena);
}

/* OR-joins that a later step of the batch decided need no search. */
void wf_effects_searches(struct batch *batch, struct work *work)
{
	struct searching searching = { batch, work };

	wf_assert(work->undecided_count > 0);
	wf_case_undecided(work->cached->instance, add_search, &searching);
}
