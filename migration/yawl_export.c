/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exports running cases in YAWL's format, which migration/yawl_import.h
 * imports.
 */
#include <stdlib.h>
#include <string.h>

#include "data/xml_writer.h"
#include "kernel/step.h"
#include "kernel/view.h"
#include "migration/actions.h"
#include "yawl/announcement.h"

/* --- a running net -------------------------------------------------------- */

/* One case that is being exported. */
struct exporting {
	struct wf_yawl_call *call;
	const struct wf_case *instance;
	const struct wf_stored_case *stored;
	struct wf_yawl_item *items;
	size_t item_count;
	/* Of the net that is being written. */
	const struct wf_net_view *view;
	const struct wf_task *task;
	bool begun;	  /* a part of the task has been written */
	uint32_t highest; /* number of an instance that was written */
};

static void put_spec_id(struct wf_buffer *xml, const struct wf_spec *spec)
{
	wf_yawl_put_spec_id(
	    xml, spec->metadata.identifier, spec->metadata.version, spec->uri);
}

static void put_location(struct wf_buffer *xml, const char *place,
    const char *kind, const struct wf_task *task)
{
	wf_buffer_printf(xml, "<location>%s[%s:", place, kind);
	wf_xml_put_text(xml, task->id);
	wf_buffer_puts(xml, "]</location>");
}

static void put_instance(
    void *argument, uint32_t number, enum wf_item_status status)
{
	struct exporting *e = argument;
	struct wf_buffer *xml = &e->call->out;
	const char *kind =
	    e->task->kind == WF_COMPOSITE_TASK ? "CompositeTask" : "AtomicTask";
	const char *place = status == WF_ITEM_FIRED	 ? "mi_entered"
			    : status > WF_ITEM_SUSPENDED ? "mi_complete"
							 : "mi_executing";

	if (number > e->highest)
		e->highest = number;
	wf_buffer_printf(xml, "<identifier id=\"%s.%u\"><locations>",
	    e->view->case_id, number);
	put_location(xml, "mi_active", kind, e->task);
	put_location(xml, place, kind, e->task);
	wf_buffer_puts(xml, "</locations><children/></identifier>");
}

static void put_tokens(struct exporting *e)
{
	const struct wf_net_view *view = e->view;
	struct wf_buffer *xml = &e->call->out;

	for (uint32_t c = 0; c < view->net->condition_count; c++)
		for (uint32_t i = 0; i < view->tokens[c]; i++) {
			const struct wf_condition *condition =
			    &view->net->conditions[c];

			wf_buffer_puts(xml, "<location>");
			if (condition->kind == WF_INPUT_CONDITION)
				wf_buffer_puts(xml, "InputCondition:");
			wf_xml_put_text(xml, condition->id);
			wf_buffer_puts(xml, "</location>");
		}
	for (uint32_t t = 0; t < view->net->task_count; t++)
		if (wf_net_view_is_busy(view, t))
			wf_xml_put_element(
			    xml, "location", view->net->tasks[t].id);
}

/* New numbers follow the highest one so far. */
static void put_identifier(struct exporting *e)
{
	const struct wf_net_view *view = e->view;
	struct wf_buffer *xml = &e->call->out;

	wf_buffer_printf(
	    xml, "<identifier id=\"%s\"><locations>", view->case_id);
	put_tokens(e);
	wf_buffer_puts(xml, "</locations><children>");
	e->highest = 0;
	for (uint32_t t = 0; t < view->net->task_count; t++) {
		e->task = &view->net->tasks[t];
		wf_net_view_instances(view, t, put_instance, e);
	}
	if (e->highest < view->last_instance)
		wf_buffer_printf(xml,
		    "<identifier id=\"%s.%u\"><locations/><children/>"
		    "</identifier>",
		    view->case_id, view->last_instance);
	wf_buffer_puts(xml, "</children></identifier>");
}

/* The task around a sub-net: its instance has the net's id. */
struct container {
	const char *case_id;
	const struct wf_net_view *view;
	const struct wf_task *task;
	const char *found;
};

static void match_instance(
    void *argument, uint32_t number, enum wf_item_status status)
{
	struct container *container = argument;
	const char *last = strrchr(container->case_id, '.');

	if (status <= WF_ITEM_SUSPENDED &&
	    strtoul(last + 1, NULL, 10) == number)
		container->found = container->task->id;
}

static void search_net(void *argument, const struct wf_net_view *view)
{
	struct container *container = argument;
	const char *last = strrchr(container->case_id, '.');
	size_t length = last == NULL ? 0 : (size_t)(last - container->case_id);

	if (last == NULL || strlen(view->case_id) != length ||
	    memcmp(view->case_id, container->case_id, length) != 0)
		return;
	container->view = view;
	for (uint32_t t = 0; t < view->net->task_count; t++) {
		container->task = &view->net->tasks[t];
		if (container->task->kind == WF_COMPOSITE_TASK)
			wf_net_view_instances(
			    view, t, match_instance, container);
	}
}

static const char *containing_task(struct exporting *e)
{
	struct container container = { .case_id = e->view->case_id };

	wf_case_nets(e->instance, search_net, &container);
	return container.found;
}

/* --- its busy tasks ------------------------------------------------------- */

static bool is_in_net(
    const struct exporting *e, const struct wf_yawl_item *item)
{
	return item->task->net == e->view->net &&
	       strcmp(item->case_id, e->view->case_id) == 0;
}

static void put_enabled(struct exporting *e)
{
	struct wf_buffer *xml = &e->call->out;

	wf_buffer_puts(xml, "<enabledtasks>");
	for (size_t i = 0; i < e->item_count; i++) {
		const struct wf_yawl_item *item = &e->items[i];

		if (is_in_net(e, item) && !item->is_child &&
		    strcmp(item->status, WF_YAWL_PARENT) != 0)
			wf_xml_put_element(xml, "task", item->task->id);
	}
	wf_buffer_puts(xml, "</enabledtasks>");
}

static void put_collected(void *argument, const struct wf_value *value)
{
	struct exporting *e = argument;
	struct wf_buffer *xml = &e->call->out;

	if (!e->begun) {
		wf_buffer_puts(xml, "<midata uid=\"");
		wf_xml_put_text(xml, e->view->case_id);
		wf_buffer_putc(xml, ':');
		wf_xml_put_text(xml, e->task->id);
		wf_buffer_printf(
		    xml, "\"><%s>", e->task->decomposition->root_name);
	}
	e->begun = true;
	wf_buffer_append(xml, wf_value_text(value), value->length);
}

static void put_busy(struct exporting *e)
{
	const struct wf_net_view *view = e->view;
	struct wf_buffer *xml = &e->call->out;

	wf_buffer_puts(xml, "<busytasks>");
	for (uint32_t t = 0; t < view->net->task_count; t++) {
		if (!wf_net_view_is_busy(view, t))
			continue;
		e->task = &view->net->tasks[t];
		e->begun = false;
		wf_buffer_puts(xml, "<task>");
		wf_xml_put_element(xml, "name", e->task->id);
		wf_net_view_collected(view, t, put_collected, e);
		if (e->begun)
			wf_buffer_printf(xml, "</%s></midata>",
			    e->task->decomposition->root_name);
		wf_buffer_puts(xml, "</task>");
	}
	wf_buffer_puts(xml, "</busytasks>");
}

static void put_timers(struct exporting *e)
{
	const struct wf_net *net = e->view->net;
	struct wf_buffer *xml = &e->call->out;

	wf_buffer_puts(xml, "<timerstates>");
	for (uint32_t t = 0; t < net->task_count; t++) {
		const struct wf_task *task = &net->tasks[t];

		if (task->timer == NULL)
			continue;
		wf_buffer_puts(xml, "<timerstate>");
		wf_xml_put_element(xml, "taskname",
		    task->name == NULL ? task->id : task->name);
		wf_xml_put_element(xml, "state",
		    wf_timer_state_name(wf_net_view_timer(e->view, t)));
		wf_buffer_puts(xml, "</timerstate>");
	}
	wf_buffer_puts(xml, "</timerstates>");
}

static void put_runner(void *argument, const struct wf_net_view *view)
{
	struct exporting *e = argument;
	struct wf_buffer *xml = &e->call->out;
	const char *last = strrchr(view->case_id, '.');
	bool suspended = wf_case_status(e->instance) == WF_CASE_SUSPENDED;
	struct wf_yawl_launched launched;

	e->view = view;
	wf_buffer_puts(xml, "<runner>");
	wf_xml_put_element(xml, "parent",
	    last == NULL ? NULL
			 : wf_arena_strndup(e->call->arena, view->case_id,
			       (size_t)(last - view->case_id)));
	put_identifier(e);
	wf_buffer_puts(xml, "<netdata>");
	wf_yawl_put_net_data(e->call, view);
	wf_buffer_puts(xml, "</netdata>");
	put_spec_id(xml, wf_case_spec(e->instance));
	wf_xml_put_element(xml, "containingtask", containing_task(e));
	wf_xml_put_number(xml, "starttime", e->stored->row.launched_at);
	wf_yawl_launched_read(&launched, e->stored->row.extra, e->call->arena);
	wf_xml_put_element(
	    xml, "observer", last == NULL ? launched.observer : NULL);
	wf_xml_put_element(
	    xml, "executionstatus", suspended ? "Suspended" : "Normal");
	put_enabled(e);
	put_busy(e);
	put_timers(e);
	wf_buffer_puts(xml, "</runner>");
}

/* --- its items ------------------------------------------------------------ */

static void put_item_id(struct wf_buffer *xml, const struct wf_yawl_item *item)
{
	char id[WF_ITEM_ID_SIZE];
	char unique[WF_YAWL_UNIQUE_SIZE];

	wf_yawl_item_id(item, id);
	wf_yawl_unique_id(item, unique);
	wf_buffer_puts(xml, "<id>");
	wf_xml_put_text(xml, id);
	wf_buffer_printf(xml, "!%s</id>", unique);
}

static void put_parent(struct wf_buffer *xml, const struct wf_yawl_item *item)
{
	const char *last = strrchr(item->case_id, '.');

	if (!item->is_child) {
		wf_buffer_puts(xml, "<parent/>");
		return;
	}
	wf_buffer_printf(
	    xml, "<parent>%.*s:", (int)(last - item->case_id), item->case_id);
	wf_xml_put_text(xml, item->task->id);
	wf_buffer_puts(xml, "</parent>");
}

static void put_item(struct exporting *e, const struct wf_yawl_item *item)
{
	const struct wf_task *task = item->task;
	struct wf_buffer *xml = &e->call->out;
	char choice[WF_YAWL_CHOICE_SIZE];

	wf_buffer_puts(xml, "<item>");
	put_item_id(xml, item);
	put_spec_id(xml, wf_case_spec(e->instance));
	wf_xml_put_number(xml, "enablement", item->enabled_at);
	wf_xml_put_number(xml, "firing", item->fired_at);
	wf_xml_put_number(xml, "start", item->started_at);
	wf_xml_put_element(xml, "status", item->status);
	wf_xml_put_element(xml, "prevstatus", item->previous);
	wf_xml_put_element(xml, "client",
	    wf_yawl_item_starter(e->call->yawl->starters,
		e->call->server->engine, item, e->stored->row.version,
		e->call->arena));
	wf_xml_put_element(xml, "allowsdynamic",
	    task->multi != NULL && task->multi->is_dynamic ? "true" : "false");
	wf_xml_put_element(xml, "manualresourcing",
	    task->decomposition->is_automated ? "false" : "true");
	wf_buffer_puts(xml, "<data>");
	if (item->data != NULL)
		wf_buffer_puts(xml, item->data);
	wf_buffer_puts(xml, "</data>");
	wf_xml_put_element(
	    xml, "timerstarted", item->timer_at != 0 ? "true" : "false");
	wf_xml_put_number(xml, "timerexpiry", item->timer_at);
	wf_yawl_choice_id(item, choice);
	wf_xml_put_element(xml, "deferredgroupid", choice);
	wf_xml_put_element(xml, "codelet", task->decomposition->codelet);
	put_parent(xml, item);
	wf_buffer_puts(xml, "</item>");
}

/* --- cases ---------------------------------------------------------------- */

static void export_case(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct wf_yawl_call *call = context;
	uint64_t work = WF_INSPECTION_WORK;
	struct exporting e = {
		.call = call, .instance = instance, .stored = stored
	};

	if (stored->ended)
		return;
	e.item_count = wf_yawl_items(instance, stored->row.number,
	    wf_engine_now(call->server->engine),
	    wf_engine_timezone(call->server->engine), &work, call->arena,
	    &e.items);
	wf_buffer_puts(&call->out, "<case><runners>");
	wf_case_nets(instance, put_runner, &e);
	wf_buffer_puts(&call->out, "</runners><workitems>");
	for (size_t i = 0; i < e.item_count; i++)
		put_item(&e, &e.items[i]);
	wf_buffer_puts(&call->out, "</workitems></case>");
}

/* Whether a list such as "1,3-7,mine" contains the name. */
static bool is_listed(const char *list, const char *name)
{
	size_t size = strlen(name);
	bool is_number =
	    size > 0 && size < 19 && strspn(name, "0123456789") == size;
	unsigned long long number = strtoull(name, NULL, 10);

	for (const char *at = list; *at != '\0';) {
		size_t length = strcspn(at, ",");
		size_t first = strspn(at, "0123456789");

		if (length == size && memcmp(at, name, length) == 0)
			return true;
		if (is_number && first > 0 && at[first] == '-' &&
		    number >= strtoull(at, NULL, 10) &&
		    number <= strtoull(at + first + 1, NULL, 10))
			return true;
		at += length + (at[length] == ',');
	}
	return false;
}

struct choosing {
	struct wf_yawl_call *call;
	const char *list; /* NULL: all */
	uint64_t *numbers;
	size_t count;
	size_t capacity;
};

static void choose(void *context, const struct wf_case_row *row)
{
	struct choosing *choosing = context;

	if (choosing->list != NULL && !is_listed(choosing->list, row->name))
		return;
	choosing->numbers =
	    wf_arena_grow(choosing->call->arena, choosing->numbers,
		choosing->count, &choosing->capacity, sizeof(uint64_t));
	choosing->numbers[choosing->count++] = row->number;
}

static void export(struct wf_yawl_call *call, const char *list)
{
	struct choosing choosing = { .call = call, .list = list };
	struct wf_error err = { .rc = WF_OK };

	(void)(wf_yawl_each_case(call, 0, choose, &choosing, &err) == WF_OK);
	wf_buffer_puts(&call->out, "<cases>");
	for (size_t i = 0; i < choosing.count && err.rc == WF_OK; i++)
		if (wf_engine_inspect(call->server->engine, choosing.numbers[i],
			export_case, call, &err) == WF_NOT_FOUND)
			wf_error_clear(&err);
	wf_buffer_puts(&call->out, "</cases>");
	if (err.rc != WF_OK)
		wf_yawl_fail_error(call, &err);
	else if (list != NULL && choosing.count == 0)
		wf_yawl_fail(call, "Case [%s] not found.", list);
	else
		wf_yawl_answer(call);
}

void wf_yawl_export_cases(struct wf_yawl_call *call)
{
	const char *list = wf_yawl_parameter(call, "caseID");

	export(call, list == NULL ? "null" : list);
}

void wf_yawl_export_all(struct wf_yawl_call *call)
{
	export(call, NULL);
}
