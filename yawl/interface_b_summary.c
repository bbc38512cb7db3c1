/* SPDX-License-Identifier: Apache-2.0 */
/* The summaries of cases, items and parameters for the monitor service. */
#include <ctype.h>
#include <string.h>

#include "data/xml_writer.h"
#include "history/item_history.h"
#include "kernel/step.h"
#include "spec/spec.h"
#include "yawl/announcement.h"
#include "yawl/parameter.h"
#include "yawl/yawl.h"

/* --- a case and its history ----------------------------------------------- */

struct inspection {
	struct wf_yawl_call *call;
	uint64_t steps; /* how many steps of the history are read */
	void (*write)(struct wf_yawl_call *call, const struct wf_case *instance,
	    const struct wf_stored_case *stored,
	    const struct wf_item_history *history);
	struct wf_error err;
};

static void read_history(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct inspection *inspection = context;
	struct wf_engine *engine = inspection->call->server->engine;
	struct wf_arena *arena = wf_arena_new();
	struct wf_item_history history;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, &inspection->err);

	if (rc == WF_OK) {
		rc = wf_item_history_read(engine, store, wf_case_spec(instance),
		    stored->row.number, stored->row.name, inspection->steps,
		    arena, &history, &inspection->err);
		wf_engine_give_back(engine, store);
	}
	if (rc == WF_OK && !stored->ended)
		inspection->write(inspection->call, instance, stored, &history);
	wf_arena_free(&arena);
}

/* False: the case cannot be read; the error says why. */
static bool inspect(struct inspection *inspection, uint64_t number)
{
	struct wf_error err = { .rc = WF_OK };

	if (wf_engine_inspect(inspection->call->server->engine, number,
		read_history, inspection, &err) != WF_OK &&
	    err.rc != WF_NOT_FOUND)
		wf_fail(&inspection->err, err.rc, "%s", err.message);
	return inspection->err.rc == WF_OK;
}

/* --- cases ---------------------------------------------------------------- */

/* The log entry of the launch. */
static void put_log(struct wf_buffer *xml, const char *log)
{
	struct wf_value_list list;

	if (*log == '\0' ||
	    wf_value_list_parse(&list, log, strlen(log), NULL) != WF_OK) {
		wf_buffer_puts(xml, "<logdataitemlist/>");
		return;
	}
	wf_buffer_puts(xml, "<logdataitemlist>");
	for (size_t i = 0; i < list.count; i++)
		wf_buffer_puts(xml, wf_value_text(list.values[i]));
	wf_buffer_puts(xml, "</logdataitemlist>");
	wf_value_list_free(&list);
}

static void write_case(struct wf_yawl_call *call,
    const struct wf_case *instance, const struct wf_stored_case *stored,
    const struct wf_item_history *history)
{
	const struct wf_spec *spec = wf_case_spec(instance);
	struct wf_buffer *xml = &call->out;
	struct wf_yawl_launched launched;

	wf_buffer_puts(xml, "<caseInstance>");
	wf_xml_put_element(xml, "caseid", stored->row.name);
	wf_xml_put_element(xml, "caseparams", history->launched_with);
	wf_xml_put_optional(xml, "specidentifier", spec->metadata.identifier);
	wf_yawl_put_version(xml, "specversion", spec->metadata.version);
	wf_xml_put_element(xml, "specuri", spec->uri);
	wf_xml_put_number(xml, "starttime", stored->row.launched_at);
	wf_yawl_launched_read(&launched, stored->row.extra, call->arena);
	put_log(xml, launched.log);
	wf_buffer_puts(xml, "</caseInstance>");
}

struct numbers {
	struct wf_arena *arena;
	uint64_t *list;
	size_t count;
	size_t capacity;
};

static void note_number(void *context, const struct wf_case_row *row)
{
	struct numbers *numbers = context;

	numbers->list = wf_arena_grow(numbers->arena, numbers->list,
	    numbers->count, &numbers->capacity, sizeof(uint64_t));
	numbers->list[numbers->count++] = row->number;
}

void wf_yawl_get_case_summary(struct wf_yawl_call *call)
{
	struct inspection inspection = {
		.call = call, .steps = 1, .write = write_case
	};
	struct numbers numbers = { .arena = call->arena };

	(void)(wf_yawl_each_case(
		   call, 0, note_number, &numbers, &inspection.err) == WF_OK);
	wf_buffer_printf(&call->out, "<caseInstances startuptime=\"%lld\">",
	    (long long)call->yawl->started_at);
	for (size_t i = 0; i < numbers.count && inspection.err.rc == WF_OK; i++)
		(void)inspect(&inspection, numbers.list[i]);
	wf_buffer_puts(&call->out, "</caseInstances>");
	if (inspection.err.rc == WF_OK)
		wf_yawl_answer(call);
	else
		wf_yawl_fail_error(call, &inspection.err);
}

/* --- items ---------------------------------------------------------------- */

static void put_status(
    struct wf_buffer *xml, const struct wf_history_item *item)
{
	wf_buffer_printf(xml, "<status>status%s</status>",
	    item->is_parent ? "IsParent" : wf_item_status_name(item->status));
}

/* "Active" for "active".  An ended item has a closed timer. */
static void put_timer_status(
    struct wf_buffer *xml, const struct wf_history_item *item)
{
	bool is_done = item->ended_at != 0 && item->timer != WF_TIMER_EXPIRED;
	const char *name = item->task->timer == NULL ? "nil"
			   : is_done		     ? "closed"
				     : wf_timer_state_name(item->timer);

	wf_buffer_printf(xml, "<timerStatus>%c%s</timerStatus>",
	    toupper((unsigned char)name[0]), name + 1);
}

static void write_item(
    struct wf_buffer *xml, const struct wf_history_item *item)
{
	wf_buffer_puts(xml, "<workitemInstance><id>");
	wf_xml_put_text(xml, item->case_id);
	wf_buffer_putc(xml, ':');
	wf_xml_put_text(xml, item->task->id);
	wf_buffer_puts(xml, "</id>");
	wf_xml_put_element(xml, "taskid", item->task->id);
	wf_xml_put_element(xml, "taskname", item->task->name);
	wf_xml_put_element(xml, "caseid", item->case_id);
	put_status(xml, item);
	wf_xml_put_element(xml, "resource", item->resource);
	put_timer_status(xml, item);
	wf_xml_put_number(xml, "enabledtime", item->enabled_at);
	wf_xml_put_number(xml, "starttime", item->started_at);
	wf_xml_put_number(xml, "completiontime", item->ended_at);
	wf_xml_put_number(
	    xml, "timerexpiry", item->ended_at != 0 ? 0 : item->timer_at);
	wf_buffer_puts(xml, "</workitemInstance>");
}

static void write_items(struct wf_yawl_call *call,
    const struct wf_case *instance, const struct wf_stored_case *stored,
    const struct wf_item_history *history)
{
	(void)instance;
	(void)stored;
	wf_buffer_puts(&call->out, "<workitemInstances>");
	for (size_t i = 0; i < history->count; i++)
		write_item(&call->out, &history->items[i]);
	wf_buffer_puts(&call->out, "</workitemInstances>");
}

void wf_yawl_get_item_summary(struct wf_yawl_call *call)
{
	struct inspection inspection = {
		.call = call, .steps = UINT64_MAX, .write = write_items
	};

	if (wf_yawl_find_case(call, wf_yawl_parameter(call, "caseID")) &&
	    !inspect(&inspection, call->known.number)) {
		wf_yawl_fail_error(call, &inspection.err);
		return;
	}
	if (call->out.length == 0)
		wf_buffer_puts(&call->out, "<workitems/>");
	wf_yawl_answer(call);
}

/* --- parameters ----------------------------------------------------------- */

/* The element of that name in an item's data; NULL: there is none. */
static const struct wf_value *value_in(
    const struct wf_value_list *data, const char *name)
{
	for (size_t i = 0; i < data->count; i++)
		if (wf_value_is_named(data->values[i], name))
			return data->values[i];
	return NULL;
}

static const char *input_query(const struct wf_task *task, size_t parameter)
{
	for (uint32_t i = 0; i < task->starting_count; i++)
		if (task->starting[i].variable == parameter)
			return task->starting[i].expression.text;
	return NULL;
}

/* The first mapping that reads the parameter. */
static const char *output_query(const struct wf_task *task, const char *name)
{
	for (uint32_t i = 0; i < task->completed_count; i++)
		if (task->completed[i].expression.query != NULL &&
		    wf_query_reads(task->completed[i].expression.query, name))
			return task->completed[i].expression.text;
	return NULL;
}

/* A query without the element around it. */
static void put_query(
    struct wf_buffer *xml, const char *name, const char *query)
{
	const char *begin = query == NULL ? NULL : strchr(query, '>');
	const char *end = query == NULL ? NULL : strrchr(query, '<');
	struct wf_buffer inner;

	if (begin == NULL || end <= begin) {
		wf_xml_put_element(xml, name, query);
		return;
	}
	wf_buffer_init(&inner, xml->maximum);
	wf_buffer_append(&inner, begin + 1, (size_t)(end - begin - 1));
	wf_xml_put_element(xml, name, wf_buffer_text(&inner));
	wf_buffer_free(&inner);
}

/* A value of a simple type as its content, else the element as text. */
static void put_value(struct wf_buffer *xml, const char *name,
    const struct wf_type *type, const struct wf_value *value)
{
	const char *content;
	size_t length;

	if (value == NULL || !wf_type_is_builtin(type)) {
		wf_xml_put_element(
		    xml, name, value == NULL ? NULL : wf_value_text(value));
		return;
	}
	content = wf_value_content(value, &length, NULL);
	wf_buffer_printf(xml, "<%s>", name);
	wf_buffer_append(xml, content, length);
	wf_buffer_printf(xml, "</%s>", name);
}

static void write_parameter(struct wf_buffer *xml, const struct wf_task *task,
    const struct wf_variable *parameter, const char *usage, const char *input,
    const struct wf_value *value)
{
	wf_buffer_puts(xml, "<parameterInstance>");
	wf_xml_put_element(xml, "name", parameter->name);
	wf_xml_put_element(xml, "dataType", parameter->type_name);
	wf_buffer_puts(xml, "<dataSchema/>");
	wf_xml_put_element(xml, "usage", usage);
	put_query(xml, "inputPredicate", input);
	put_query(xml, "outputPredicate",
	    parameter->usage == WF_OUTPUT || strcmp(usage, "inputOutput") == 0
		? output_query(task, parameter->name)
		: NULL);
	put_value(xml, "originalValue", parameter->type, value);
	wf_xml_put_element(xml, "defaultValue", parameter->default_text);
	put_value(xml, "value", parameter->type, value);
	wf_buffer_puts(xml, "</parameterInstance>");
}

static bool has_name(
    const struct wf_variable *parameters, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(parameters[i].name, name) == 0)
			return true;
	return false;
}

static void write_parameters(struct wf_yawl_call *call,
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	const struct wf_decomposition *work = item->task->decomposition;
	struct wf_value_list data = { .count = 0 };
	struct wf_buffer *xml = &call->out;

	(void)instance;
	if (item->data != NULL && wf_value_list_parse(&data, item->data,
				      strlen(item->data), NULL) != WF_OK)
		data.count = 0;
	wf_buffer_puts(xml, "<parameterInstances>");
	for (size_t i = 0; i < work->input_count; i++)
		write_parameter(xml, item->task, &work->inputs[i],
		    has_name(
			work->outputs, work->output_count, work->inputs[i].name)
			? "inputOutput"
			: "inputOnly",
		    input_query(item->task, i),
		    value_in(&data, work->inputs[i].name));
	for (size_t i = 0; i < work->output_count; i++)
		if (!has_name(
			work->inputs, work->input_count, work->outputs[i].name))
			write_parameter(xml, item->task, &work->outputs[i],
			    "outputOnly", NULL, NULL);
	wf_buffer_puts(xml, "</parameterInstances>");
	wf_value_list_free(&data);
}

void wf_yawl_get_parameter_summary(struct wf_yawl_call *call)
{
	struct wf_error err = { .rc = WF_OK };

	(void)wf_yawl_inspect_item(call, wf_yawl_parameter(call, "workItemID"),
	    write_parameters, &err);
	if (err.rc != WF_OK) {
		wf_yawl_fail_error(call, &err);
		return;
	}
	if (call->out.length == 0)
		wf_buffer_puts(&call->out, "<parameters/>");
	wf_yawl_answer(call);
}
