/* SPDX-License-Identifier: Apache-2.0 */
#include "history/item_history.h"

#include <string.h>

#include "kernel/case.h"
#include "kernel/event.h"
#include "kernel/view.h"
#include "runtime/checksum.h"
#include "yawl/item_record.h"

#define PAGE 256U
#define TEXT_MAXIMUM ((size_t)64 << 20)

/* A net instance; they are numbered as they begin, the root first. */
struct seen_net {
	const char *case_id;
	const struct wf_net *net;
};

struct reading {
	const struct wf_spec *spec;
	const char *name;
	struct wf_arena *arena;
	struct wf_item_history *past;
	size_t capacity;
	struct seen_net *nets;
	size_t net_count;
	size_t net_capacity;
	const struct wf_history_row *row;
};

/* --- nets ----------------------------------------------------------------- */

static const struct seen_net *net_of(
    const struct reading *reading, uint32_t serial)
{
	return serial >= 1 && serial <= reading->net_count
		   ? &reading->nets[serial - 1]
		   : NULL;
}

static const struct wf_task *task_of(
    const struct reading *reading, const struct wf_event *event)
{
	const struct seen_net *net = net_of(reading, event->net);

	return net != NULL && net->net != NULL &&
		       event->task < net->net->task_count
		   ? &net->net->tasks[event->task]
		   : NULL;
}

static void note_net(struct reading *reading, const struct wf_event *event)
{
	const struct wf_task *task = task_of(reading, event);
	struct seen_net seen = { reading->name, reading->spec->root };

	if (event->net != 0) {
		const struct seen_net *outer = net_of(reading, event->net);

		seen.net = task == NULL || task->decomposition == NULL
			       ? NULL
			       : task->decomposition->net;
		seen.case_id = wf_arena_printf(reading->arena, "%s.%u",
		    outer == NULL ? "" : outer->case_id, event->instance);
	}
	reading->nets = wf_arena_grow(reading->arena, reading->nets,
	    reading->net_count, &reading->net_capacity, sizeof(*reading->nets));
	reading->nets[reading->net_count++] = seen;
}

static void note_launch(struct reading *reading, const struct wf_event *event)
{
	const struct wf_net *root = reading->spec->root;
	struct wf_buffer xml;

	wf_buffer_init(&xml, TEXT_MAXIMUM);
	wf_buffer_printf(&xml, "<%s>", root->root_name);
	for (uint32_t i = 0; i < event->value_count; i++) {
		const struct wf_binding *binding = &event->values[i];

		if (binding->value != NULL &&
		    binding->variable < root->variable_count &&
		    root->variables[binding->variable].is_input)
			wf_buffer_append(&xml, wf_value_text(binding->value),
			    binding->value->length);
	}
	wf_buffer_printf(&xml, "</%s>", root->root_name);
	reading->past->launched_with =
	    wf_arena_strdup(reading->arena, wf_buffer_text(&xml));
	wf_buffer_free(&xml);
}

/* --- items ---------------------------------------------------------------- */

static const char *item_case_id(const struct reading *reading,
    const struct wf_event *event, uint32_t instance)
{
	const struct seen_net *net = net_of(reading, event->net);

	return instance == 0 ? net->case_id
			     : wf_arena_printf(reading->arena, "%s.%u",
				   net->case_id, instance);
}

static struct wf_yawl_past_item *add(struct reading *reading,
    const struct wf_event *event, const struct wf_task *task, uint32_t instance)
{
	struct wf_item_history *past = reading->past;
	struct wf_yawl_past_item *item;

	past->items = wf_arena_grow(reading->arena, past->items, past->count,
	    &reading->capacity, sizeof(*item));
	item = &past->items[past->count++];
	memset(item, 0, sizeof(*item));
	item->case_id = item_case_id(reading, event, instance);
	item->task = task;
	item->net = event->net;
	item->instance = instance;
	item->status = "";
	item->resource = "";
	item->enabled_at = reading->row->at;
	return item;
}

/* The latest with that id; items that move are mostly young ones. */
static struct wf_yawl_past_item *find(
    struct reading *reading, const struct wf_event *event, uint32_t instance)
{
	struct wf_item_history *past = reading->past;

	for (size_t i = past->count; i > 0; i--) {
		struct wf_yawl_past_item *item = &past->items[i - 1];

		if (item->net == event->net &&
		    item->task->number == event->task &&
		    item->instance == instance)
			return item;
	}
	return NULL;
}

static void start(struct reading *reading, struct wf_yawl_past_item *item)
{
	item->status = wf_item_status_name(WF_ITEM_EXECUTING);
	item->started_at = reading->row->at;
	item->resource = wf_arena_strdup(reading->arena, reading->row->actor);
}

static void add_instance(struct reading *reading, const struct wf_event *event,
    const struct wf_task *task, uint32_t status)
{
	const struct wf_yawl_past_item *parent = find(reading, event, 0);
	int64_t enabled_at = parent == NULL ? 0 : parent->enabled_at;
	struct wf_yawl_past_item *item =
	    add(reading, event, task, event->instance);

	item->enabled_at = enabled_at;
	item->status = wf_item_status_name((enum wf_item_status)status);
	if (status == WF_ITEM_EXECUTING)
		start(reading, item);
}

static void set_status(struct wf_yawl_past_item *item,
    enum wf_item_status status, int64_t ended_at)
{
	if (item == NULL || status > WF_ITEM_DISCARDED)
		return;
	item->status = wf_item_status_name(status);
	item->ended_at = ended_at;
}

static void note_timer(struct wf_yawl_past_item *item,
    const struct wf_event *event, enum wf_timer_state state)
{
	if (item == NULL)
		return;
	item->timer = state;
	if (event->kind == WF_EVENT_TIMER_STARTED)
		item->timer_at = event->time;
}

static void note_fired(struct reading *reading, const struct wf_event *event,
    const struct wf_task *task)
{
	struct wf_yawl_past_item *parent = find(reading, event, 0);

	if (parent == NULL)
		parent = add(reading, event, task, 0);
	parent->status = WF_YAWL_PARENT;
	add_instance(reading, event, task, WF_ITEM_EXECUTING);
}

/* What happens to an item that is there. */
static void note_change(struct reading *reading, const struct wf_event *event)
{
	struct wf_yawl_past_item *item = find(reading, event, event->instance);
	int64_t now = reading->row->at;

	switch (event->kind) {
	case WF_EVENT_TASK_WITHDRAWN:
		set_status(item, (enum wf_item_status)event->status, now);
		break;
	case WF_EVENT_INSTANCE_STARTED:
		if (item != NULL)
			start(reading, item);
		break;
	case WF_EVENT_INSTANCE_ROLLED_BACK:
		set_status(item, WF_ITEM_FIRED, 0);
		break;
	case WF_EVENT_ITEM_SUSPENDED:
		if (item != NULL)
			item->suspended = item->status;
		set_status(item, WF_ITEM_SUSPENDED, 0);
		break;
	case WF_EVENT_ITEM_RESUMED:
		if (item != NULL && item->suspended != NULL)
			item->status = item->suspended;
		break;
	case WF_EVENT_TASK_EXITED:
	case WF_EVENT_INSTANCE_ENDED:
		if (event->instance != 0)
			set_status(
			    item, (enum wf_item_status)event->status, now);
		break;
	case WF_EVENT_TIMER_STARTED:
		note_timer(item, event, WF_TIMER_ACTIVE);
		break;
	case WF_EVENT_TIMER_EXPIRED:
		note_timer(item, event, WF_TIMER_EXPIRED);
		break;
	case WF_EVENT_TIMER_STOPPED:
		note_timer(item, event, WF_TIMER_CLOSED);
		break;
	default:
		break;
	}
}

/* One that is new is not searched for: that would go through all of them. */
static void note_item(struct reading *reading, const struct wf_event *event,
    const struct wf_task *task)
{
	switch (event->kind) {
	case WF_EVENT_TASK_ENABLED:
		set_status(add(reading, event, task, 0), WF_ITEM_ENABLED, 0);
		break;
	case WF_EVENT_TASK_FIRED:
		note_fired(reading, event, task);
		break;
	case WF_EVENT_INSTANCE_CREATED:
		add_instance(reading, event, task, event->status);
		break;
	default:
		note_change(reading, event);
		break;
	}
}

static void note_event(struct reading *reading, const struct wf_event *event)
{
	const struct wf_task *task;

	if (event->kind == WF_EVENT_NET_STARTED) {
		if (event->net == 0)
			note_launch(reading, event);
		note_net(reading, event);
		return;
	}
	/* Those in front of it are of nets and conditions. */
	if (event->kind < WF_EVENT_TASK_ENABLED)
		return;
	task = task_of(reading, event);
	if (task != NULL && task->kind == WF_ATOMIC_TASK)
		note_item(reading, event, task);
}

static enum wf_rc read_step(struct reading *reading, struct wf_error *err)
{
	struct wf_event_reader reader;
	const struct wf_event *event;
	struct wf_bytes bytes;
	enum wf_rc rc = wf_checksum_check_history(reading->row, &bytes, err);

	if (rc != WF_OK)
		return rc;
	wf_event_reader_init(&reader, bytes.data, bytes.size, NULL);
	while ((event = wf_event_next(&reader, err)) != NULL)
		note_event(reading, event);
	wf_event_reader_free(&reader);
	return err->rc;
}

enum wf_rc wf_yawl_past_read(struct wf_store *store, const struct wf_spec *spec,
    uint64_t number, const char *name, uint64_t steps, struct wf_arena *arena,
    struct wf_item_history *past_out, struct wf_error *err)
{
	struct reading reading = {
		.spec = spec, .name = name, .arena = arena, .past = past_out
	};
	struct wf_arena *page = wf_arena_new();
	enum wf_rc rc = WF_OK;
	uint64_t done = 0;

	memset(past_out, 0, sizeof(*past_out));
	past_out->launched_with = "";
	while (rc == WF_OK && done < steps) {
		struct wf_history_list list;

		wf_arena_reset(page);
		rc = wf_store_case_history(
		    store, number, done, PAGE, page, &list, err);
		if (rc == WF_OK && list.count == 0)
			break;
		for (size_t i = 0;
		     rc == WF_OK && i < list.count && done < steps; i++) {
			reading.row = &list.rows[i];
			rc = read_step(&reading, err);
			done = list.rows[i].sequence;
		}
	}
	wf_arena_free(&page);
	return rc;
}
