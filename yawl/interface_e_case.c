/* SPDX-License-Identifier: Apache-2.0 */
/* Interface E: the instances and events of cases, and their data. */
#include <inttypes.h>
#include <string.h>

#include "data/xml_writer.h"
#include "yawl/interface_e.h"

/* --- requests ------------------------------------------------------------- */

/* The parameters of a request; members that it does not use are 0. */
struct asked {
	struct wf_yawl_call *call;
	uint64_t number;     /* from the key: in the case's log */
	const char *text;    /* an item, the name of a task, a descriptor */
	const char *case_id; /* or the name of a service */
	bool any;	     /* an element was written */
};

/* A parameter; "" when it is missing. */
static const char *text_of(const struct wf_yawl_call *call, const char *name)
{
	const char *text = wf_yawl_parameter(call, name);

	return text == NULL ? "" : text;
}

/*
 * Shows the log of the case that an id belongs to, which may be that of a net
 * or item in it.  Shows nothing when there is no such case.
 */
static enum wf_rc show_case_of(
    struct asked *asked, const char *id, wf_keyed_log_f how)
{
	struct wf_yawl_call *call = asked->call;

	return wf_yawl_find_case_of(call, id)
		   ? wf_log_show_case(call, call->known.number, how, asked)
		   : WF_OK;
}

/* Answers with what how writes for a key, in an element with the key. */
static void answer_key(struct wf_yawl_call *call, const char *element,
    const char *attribute, wf_keyed_log_f how)
{
	uint64_t key = wf_log_key_asked(call);
	struct asked asked = { .call = call };
	uint64_t number = wf_log_key_case(key, &asked.number);
	enum wf_rc rc;

	wf_log_open_with_key(call, element, attribute, key);
	rc = wf_log_show_case(call, number, how, &asked);
	wf_log_answer_rows(call, asked.any, element, rc);
}

static void put_root_events(void *context, const struct wf_keyed_log *log)
{
	struct asked *asked = context;

	if (asked->number != 0 && asked->number != log->instances[0].number)
		return;
	wf_log_open_with_key(asked->call, "events", "rootNetInstanceKey",
	    wf_log_key(log, log->instances[0].number));
	for (size_t i = 0; i < log->event_count; i++)
		wf_keyed_log_put_event(log, &log->events[i]);
	asked->any = true;
}

void wf_yawl_log_case_events(struct wf_yawl_call *call)
{
	const char *case_id = wf_yawl_parameter(call, "caseid");
	struct asked asked = { .call = call };
	enum wf_rc rc;

	if (case_id != NULL)
		rc = wf_yawl_find_case(call, case_id)
			 ? wf_log_show_case(call, call->known.number,
			       put_root_events, &asked)
			 : WF_OK;
	else
		rc = wf_log_show_case(call,
		    wf_log_key_case(wf_log_key_asked(call), &asked.number),
		    put_root_events, &asked);
	wf_log_answer_rows(call, asked.any, "events", rc);
}

static bool put_events_of(
    const struct wf_keyed_log *log, uint64_t number, const char *descriptor)
{
	bool any = false;

	for (size_t i = 0; i < log->event_count; i++) {
		const struct wf_keyed_event *event = &log->events[i];

		if (log->instances[event->instance].number != number ||
		    (descriptor != NULL &&
			strcmp(event->event.descriptor, descriptor) != 0))
			continue;
		wf_keyed_log_put_event(log, event);
		any = true;
	}
	return any;
}

static void put_instance_events(void *context, const struct wf_keyed_log *log)
{
	struct asked *asked = context;

	asked->any = put_events_of(log, asked->number, NULL);
}

void wf_yawl_log_instance_events(struct wf_yawl_call *call)
{
	answer_key(call, "events", "instanceKey", put_instance_events);
}

static void put_event_data(void *context, const struct wf_keyed_log *log)
{
	struct asked *asked = context;

	for (size_t i = 0; i < log->event_count; i++) {
		const struct wf_keyed_event *event = &log->events[i];

		if (event->event.number != asked->number)
			continue;
		for (size_t k = 0; k < event->event.data_count; k++)
			wf_keyed_log_put_data(
			    log, event, &event->event.data[k]);
		asked->any = event->event.data_count > 0;
	}
}

void wf_yawl_log_event_data(struct wf_yawl_call *call)
{
	answer_key(call, "dataitems", "eventKey", put_event_data);
}

/* --- types of data -------------------------------------------------------- */

struct typed {
	struct wf_yawl_call *call;
	uint64_t specification;
	uint64_t key;
	bool found;
};

static void try_type(struct typed *typed, const char *type)
{
	if (typed->found ||
	    wf_log_key_of_type(typed->specification, type) != typed->key)
		return;
	wf_keyed_log_put_type(&typed->call->out, typed->specification, type);
	typed->found = true;
}

static void try_types(void *context, const struct wf_spec *spec)
{
	struct typed *typed = context;

	try_type(typed, "string");
	for (uint32_t i = 0; i < spec->decomposition_count; i++) {
		const struct wf_decomposition *d = &spec->decompositions[i];

		for (size_t k = 0; k < d->input_count; k++)
			if (d->inputs[k].type_name != NULL)
				try_type(typed, d->inputs[k].type_name);
		for (size_t k = 0; k < d->output_count; k++)
			if (d->outputs[k].type_name != NULL)
				try_type(typed, d->outputs[k].type_name);
	}
}

void wf_yawl_log_data_type(struct wf_yawl_call *call)
{
	struct wf_specification_row *rows;
	size_t count;
	struct typed typed = { .call = call, .key = wf_log_key_asked(call) };

	if (!wf_log_list_specs(call, &rows, &count))
		return;
	for (size_t i = 0; i < count && !typed.found; i++) {
		typed.specification = rows[i].key;
		if (wf_log_key_is_of(typed.key, typed.specification) &&
		    wf_engine_inspect_spec(call->server->engine,
			WF_NAMESPACE_DEFAULT, typed.specification, false,
			try_types, &typed, NULL) != WF_OK) {
			wf_log_fail_to_read(call);
			return;
		}
	}
	if (typed.found)
		wf_yawl_answer(call);
	else
		wf_log_fail(call, "No rows returned.");
}

/* --- instances ------------------------------------------------------------ */

static void put_nets(void *context, const struct wf_keyed_log *log)
{
	struct asked *asked = context;

	for (size_t i = 0; i < log->instance_count; i++)
		if (log->instances[i].is_net) {
			wf_keyed_log_put_net(log, &log->instances[i]);
			asked->any = true;
		}
}

static enum wf_rc visit_nets(void *context, const struct wf_case_row *row)
{
	struct asked *asked = context;

	return wf_log_show(asked->call, row, false, put_nets, asked);
}

void wf_yawl_log_net_instances(struct wf_yawl_call *call)
{
	struct asked asked = { .call = call };
	struct wf_specification_row row;
	enum wf_rc rc;

	if (!wf_log_find_spec(call, &row))
		return;
	wf_log_open_with_key(
	    call, "netInstances", "specID", wf_log_key_of_spec(row.key));
	rc = wf_log_each_case(call, row.key, visit_nets, &asked);
	wf_log_answer_rows(call, asked.any, "netInstances", rc);
}

static bool is_below(const char *case_id, const char *outer)
{
	size_t length = strlen(outer);

	return strncmp(case_id, outer, length) == 0 && case_id[length] == '.';
}

/*
 * Selects tasks.  With a text: those of that name in the case id or below it.
 * With a case id only: those below it, which leaves out enabled tasks, as YAWL
 * does.  Else those with the key.
 */
static bool is_asked(const struct asked *asked, const struct wf_keyed_log *log,
    const struct wf_case_log_instance *instance)
{
	const char *case_id = instance->case_id;

	if (asked->text != NULL && strcmp(instance->name, asked->text) != 0)
		return false;
	if (asked->case_id != NULL)
		return is_below(case_id, asked->case_id) ||
		       (asked->text != NULL &&
			   strcmp(case_id, asked->case_id) == 0);
	return log->links[instance - log->instances].task == asked->number;
}

/* Writes whole elements if the request has a name. */
static void put_tasks(void *context, const struct wf_keyed_log *log)
{
	struct asked *asked = context;

	for (size_t i = 0; i < log->instance_count; i++) {
		const struct wf_case_log_instance *instance =
		    &log->instances[i];

		if (instance->is_net || !is_asked(asked, log, instance))
			continue;
		if (asked->text != NULL)
			wf_keyed_log_put_whole_task(log, instance);
		else
			wf_keyed_log_put_task(log, instance);
		asked->any = true;
	}
}

void wf_yawl_log_case_tasks(struct wf_yawl_call *call)
{
	struct asked asked = { .call = call,
		.case_id = text_of(call, "caseid") };
	enum wf_rc rc;

	wf_log_open_with_text(call, "taskinstances", "caseID", asked.case_id);
	rc = show_case_of(&asked, asked.case_id, put_tasks);
	wf_log_answer_rows(call, asked.any, "taskinstances", rc);
}

void wf_yawl_log_case_task(struct wf_yawl_call *call)
{
	struct asked asked = { .call = call,
		.case_id = text_of(call, "caseid"),
		.text = text_of(call, "taskname") };
	enum wf_rc rc;

	wf_buffer_puts(&call->out, "<taskinstances");
	wf_xml_put_attribute(&call->out, "caseID", asked.case_id);
	wf_xml_put_attribute(&call->out, "taskname", asked.text);
	wf_buffer_putc(&call->out, '>');
	rc = show_case_of(&asked, asked.case_id, put_tasks);
	wf_log_answer_rows(call, asked.any, "taskinstances", rc);
}

static enum wf_rc visit_tasks(void *context, const struct wf_case_row *row)
{
	struct asked *asked = context;

	return wf_log_show(asked->call, row, false, put_tasks, asked);
}

void wf_yawl_log_tasks(struct wf_yawl_call *call)
{
	struct asked asked = { .call = call, .number = wf_log_key_asked(call) };
	struct wf_specification_row *rows;
	size_t count;
	enum wf_rc rc = WF_OK;

	if (!wf_log_list_specs(call, &rows, &count))
		return;
	wf_log_open_with_key(call, "taskinstances", "key", asked.number);
	for (size_t i = 0; rc == WF_OK && i < count; i++)
		if (wf_log_key_is_of(asked.number, rows[i].key))
			rc = wf_log_each_case(
			    call, rows[i].key, visit_tasks, &asked);
	wf_log_answer_rows(call, asked.any, "taskinstances", rc);
}

/* The instance with the item id "7.1:Task". */
static const struct wf_case_log_instance *find_item(
    const struct wf_keyed_log *log, const char *id)
{
	const char *colon = strchr(id, ':');
	size_t length = colon == NULL ? 0 : (size_t)(colon - id);

	for (size_t i = 0; colon != NULL && i < log->instance_count; i++) {
		const struct wf_case_log_instance *instance =
		    &log->instances[i];

		if (!instance->is_net && strlen(instance->case_id) == length &&
		    memcmp(instance->case_id, id, length) == 0 &&
		    strcmp(instance->name, colon + 1) == 0)
			return instance;
	}
	return NULL;
}

/* The item's events, then those of its parent. */
static void put_item_events(void *context, const struct wf_keyed_log *log)
{
	struct asked *asked = context;
	const struct wf_case_log_instance *instance =
	    find_item(log, asked->text);

	if (instance == NULL)
		return;
	put_events_of(log, instance->number, NULL);
	if (instance->parent != 0)
		put_events_of(log, instance->parent, NULL);
	asked->any = true;
}

void wf_yawl_log_item_events(struct wf_yawl_call *call)
{
	struct asked asked = { .call = call,
		.text = wf_yawl_parameter(call, "itemid") };
	enum wf_rc rc;

	if (asked.text == NULL) {
		wf_log_fail(call, "Null item id.");
		return;
	}
	wf_log_open_with_text(call, "taskevents", "id", asked.text);
	rc = show_case_of(&asked, asked.text, put_item_events);
	wf_log_answer_rows(call, asked.any, "taskevents", rc);
}

/* --- events of cases ------------------------------------------------------ */

/* Events of the net with that case id. */
static void put_net_events(void *context, const struct wf_keyed_log *log)
{
	struct asked *asked = context;

	for (size_t i = 0; i < log->instance_count; i++) {
		const struct wf_case_log_instance *instance =
		    &log->instances[i];

		if (instance->is_net &&
		    strcmp(instance->case_id, asked->case_id) == 0 &&
		    put_events_of(log, instance->number, asked->text))
			asked->any = true;
	}
}

void wf_yawl_log_case_event(struct wf_yawl_call *call)
{
	struct asked asked = { .call = call,
		.case_id = text_of(call, "caseid"),
		.text = text_of(call, "event") };
	enum wf_rc rc;

	wf_log_open_with_text(call, "caseEvent", "caseID", asked.case_id);
	rc = show_case_of(&asked, asked.case_id, put_net_events);
	wf_log_answer_rows(call, asked.any, "caseEvent", rc);
}

/* Events of the root net that the service caused. */
static void put_events_by(void *context, const struct wf_keyed_log *log)
{
	struct asked *asked = context;

	for (size_t i = 0; i < log->event_count; i++) {
		const struct wf_keyed_event *event = &log->events[i];

		if (event->instance != 0 || event->event.actor == NULL ||
		    strcmp(event->event.actor, asked->case_id) != 0 ||
		    strcmp(event->event.descriptor, asked->text) != 0)
			continue;
		wf_keyed_log_put_event(log, event);
		asked->any = true;
	}
}

static enum wf_rc visit_started(void *context, const struct wf_case_row *row)
{
	struct asked *asked = context;

	return strcmp(row->owner, asked->case_id) != 0
		   ? WF_OK
		   : wf_log_show(asked->call, row, true, put_events_by, asked);
}

static enum wf_rc visit_cancelled(void *context, const struct wf_case_row *row)
{
	struct asked *asked = context;

	return row->status != WF_CASE_CANCELLED
		   ? WF_OK
		   : wf_log_show(asked->call, row, false, put_events_by, asked);
}

static void answer_by(struct wf_yawl_call *call, const char *descriptor,
    enum wf_rc (*visit)(void *context, const struct wf_case_row *row))
{
	struct asked asked = { .call = call,
		.case_id = text_of(call, "name"),
		.text = descriptor };
	enum wf_rc rc;

	wf_log_open_with_text(call, "caseEvent", "serviceName", asked.case_id);
	rc = wf_log_each_case(call, 0, visit, &asked);
	wf_log_answer_rows(call, asked.any, "caseEvent", rc);
}

void wf_yawl_log_started_by(struct wf_yawl_call *call)
{
	answer_by(call, "CaseStart", visit_started);
}

void wf_yawl_log_cancelled_by(struct wf_yawl_call *call)
{
	answer_by(call, "CaseCancel", visit_cancelled);
}
