/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   TASK_ENABLED ──► Enabled ──TASK_FIRED──► parent, never ends
 *   TASK_FIRED ──► Executing        INSTANCE_CREATED ──► Fired or Executing
 *   Fired ──INSTANCE_STARTED──► Executing ──INSTANCE_ROLLED_BACK──► Fired
 *   Enabled, Fired, Executing ──ITEM_SUSPENDED──► Suspended ──ITEM_RESUMED──►
 *   any ──TASK_WITHDRAWN, TASK_EXITED, INSTANCE_ENDED──► the event's status
 */
#include "history/item_history.h"

#include <string.h>

#include "history/case_reader.h"

#define TEXT_BYTES ((size_t)64 << 20)

struct reading {
	struct wf_arena *arena; /* of the result */
	struct wf_item_history *history;
	size_t capacity;
	const struct wf_spec *spec; /* of the case as it is now */
	const struct wf_case_event *event;
	const struct wf_task *task; /* of the event, in that specification */
};

/* Before a migration: the task with its id; NULL: there is none any more. */
static const struct wf_task *task_now(
    const struct wf_spec *spec, const struct wf_task *task)
{
	const struct wf_decomposition *net;
	uint32_t number;

	if (task == NULL || task->net->spec == spec)
		return task;
	net = wf_map_get(spec->decomposition_ids, task->net->decomposition->id);
	if (net == NULL || net->net == NULL)
		return NULL;
	number = wf_net_task_number(net->net, task->id, strlen(task->id));
	return number == UINT32_MAX ? NULL : &net->net->tasks[number];
}

static void keep_launch(struct reading *reading)
{
	const struct wf_case_event *event = reading->event;
	struct wf_named_value named;
	struct wf_buffer xml;
	size_t empty;

	wf_buffer_init(&xml, TEXT_BYTES);
	wf_buffer_printf(&xml, "<%s>", event->inner->root_name);
	empty = xml.length;
	for (uint32_t i = 0; i < event->event->value_count; i++)
		if (wf_case_event_value(event, i, &named) && named.is_input &&
		    named.value != NULL)
			wf_buffer_append(&xml, wf_value_text(named.value),
			    named.value->length);
	if (xml.length > empty) {
		wf_buffer_printf(&xml, "</%s>", event->inner->root_name);
		reading->history->launched_with =
		    wf_arena_strdup(reading->arena, wf_buffer_text(&xml));
	}
	wf_buffer_free(&xml);
}

/* --- items ---------------------------------------------------------------- */

static struct wf_history_item *add(
    struct reading *reading, uint32_t instance, enum wf_item_status status)
{
	struct wf_item_history *history = reading->history;
	const struct wf_case_event *event = reading->event;
	char case_id[WF_CASE_ID_SIZE];
	struct wf_history_item *item;

	history->items = wf_arena_grow(reading->arena, history->items,
	    history->count, &reading->capacity, sizeof(*item));
	item = &history->items[history->count++];
	memset(item, 0, sizeof(*item));
	wf_case_event_item(event, case_id);
	item->case_id = wf_arena_strdup(
	    reading->arena, instance == 0 ? event->case_id : case_id);
	item->task = reading->task;
	item->net = event->event->net;
	item->instance = instance;
	item->status = status;
	item->resource = "";
	item->enabled_at = event->step->at;
	return item;
}

/* The latest of that task and instance.  Most events are of young items. */
static struct wf_history_item *find(struct reading *reading, uint32_t instance)
{
	struct wf_item_history *history = reading->history;
	const struct wf_event *event = reading->event->event;

	for (size_t i = history->count; i > 0; i--) {
		struct wf_history_item *item = &history->items[i - 1];

		if (item->net == event->net && item->task == reading->task &&
		    item->instance == instance)
			return item;
	}
	return NULL;
}

static void start(struct reading *reading, struct wf_history_item *item)
{
	const struct wf_history_row *step = reading->event->step;

	item->status = WF_ITEM_EXECUTING;
	item->started_at = step->at;
	item->resource = wf_arena_strdup(reading->arena, step->actor);
}

static void add_instance(struct reading *reading, uint32_t status)
{
	const struct wf_history_item *parent = find(reading, 0);
	int64_t enabled_at = parent == NULL ? 0 : parent->enabled_at;
	struct wf_history_item *item = add(reading,
	    reading->event->event->instance, (enum wf_item_status)status);

	item->enabled_at = enabled_at;
	if (status == WF_ITEM_EXECUTING)
		start(reading, item);
}

static void on_fired(struct reading *reading)
{
	struct wf_history_item *parent = find(reading, 0);

	if (parent == NULL)
		parent = add(reading, 0, WF_ITEM_ENABLED);
	parent->is_parent = true;
	add_instance(reading, WF_ITEM_EXECUTING);
}

static void end(struct wf_history_item *item, uint32_t status, int64_t ended_at)
{
	if (status > WF_ITEM_DISCARDED)
		return;
	item->status = (enum wf_item_status)status;
	item->ended_at = ended_at;
}

/* Something happens to an item that exists. */
static void on_item_event(struct reading *reading, struct wf_history_item *item)
{
	const struct wf_event *event = reading->event->event;
	int64_t now = reading->event->step->at;

	switch (event->kind) {
	case WF_EVENT_TASK_WITHDRAWN:
		end(item, event->status, now);
		break;
	case WF_EVENT_TASK_EXITED:
	case WF_EVENT_INSTANCE_ENDED:
		if (event->instance != 0)
			end(item, event->status, now);
		break;
	case WF_EVENT_INSTANCE_STARTED:
		start(reading, item);
		break;
	case WF_EVENT_INSTANCE_ROLLED_BACK:
		end(item, WF_ITEM_FIRED, 0);
		break;
	case WF_EVENT_ITEM_SUSPENDED:
		item->suspended_from = item->status;
		end(item, WF_ITEM_SUSPENDED, 0);
		break;
	case WF_EVENT_ITEM_RESUMED:
		if (item->status == WF_ITEM_SUSPENDED)
			item->status = item->suspended_from;
		break;
	case WF_EVENT_TIMER_STARTED:
		item->timer = WF_TIMER_ACTIVE;
		item->timer_at = event->time;
		break;
	case WF_EVENT_TIMER_EXPIRED:
		item->timer = WF_TIMER_EXPIRED;
		break;
	case WF_EVENT_TIMER_STOPPED:
		item->timer = WF_TIMER_CLOSED;
		break;
	default:
		break;
	}
}

static void read_event(void *context, const struct wf_case_event *event)
{
	struct reading *reading = context;
	struct wf_history_item *item;

	reading->event = event;
	if (event->event->kind == WF_EVENT_NET_STARTED &&
	    event->event->net == 0)
		keep_launch(reading);
	reading->task = task_now(reading->spec, event->task);
	if (reading->task == NULL || reading->task->kind != WF_ATOMIC_TASK)
		return;
	switch (event->event->kind) {
	case WF_EVENT_TASK_ENABLED:
		(void)add(reading, 0, WF_ITEM_ENABLED);
		break;
	case WF_EVENT_TASK_FIRED:
		on_fired(reading);
		break;
	case WF_EVENT_INSTANCE_CREATED:
		add_instance(reading, event->event->status);
		break;
	default:
		item = find(reading, event->event->instance);
		if (item != NULL)
			on_item_event(reading, item);
		break;
	}
}

enum wf_rc wf_item_history_read(struct wf_engine *engine,
    struct wf_store *store, const struct wf_spec *spec, uint64_t number,
    const char *name, uint64_t steps, struct wf_arena *arena,
    struct wf_item_history *history_out, struct wf_error *err)
{
	struct reading reading = {
		.arena = arena, .history = history_out, .spec = spec
	};
	struct wf_case_reading how = { .store = store,
		.spec = spec,
		.engine = engine,
		.visit = read_event,
		.context = &reading };
	struct wf_case_reader *reader = wf_case_reader_new(number, name);
	bool more = true;
	enum wf_rc rc = WF_OK;

	*history_out = (struct wf_item_history){ .launched_with = "" };
	while (rc == WF_OK && more)
		rc = wf_case_reader_page(reader, &how, steps, &more, err);
	wf_case_reader_free(&reader);
	return rc;
}
