/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands to work items. Each handler inspects the item first, because YAWL
 * has its own messages for refusals.
 */
#include <string.h>

#include "data/xml_writer.h"
#include "history/case_log.h"
#include "spec/spec.h"
#include "yawl/yawl.h"

/* --- the item that a request names ---------------------------------------- */

/* Interface X spells the parameter differently. */
static const char *item_id(const struct wf_yawl_call *call)
{
	const char *id = wf_yawl_parameter(
	    call, call->interface == WF_YAWL_IX ? "workitemID" : "workItemID");

	if (id == NULL)
		id = wf_yawl_parameter(call, call->interface == WF_YAWL_IX
						 ? "workItemID"
						 : "workitemID");
	return id == NULL ? "null" : id;
}

/* wf_yawl_find_item() of the item that the request names. */
static bool find_item(
    struct wf_yawl_call *call, wf_yawl_item_f inspect, const char *unknown)
{
	return wf_yawl_find_item(call, item_id(call), inspect, unknown);
}

static bool is_status(const struct wf_yawl_call *call, const char *status)
{
	return strcmp(call->status, status) == 0;
}

static bool is_startable(const struct wf_yawl_call *call)
{
	return wf_yawl_is_startable(call->status);
}

#define LIST_END "</logdataitemlist>"

/*
 * logPredicate as a <logdataitemlist>.  It is one already, one entry of it, or
 * plain text: the value of an entry with that name.  NULL: there is none.
 */
static const char *log_items(struct wf_yawl_call *call, const char *name)
{
	const char *log = wf_yawl_parameter(call, "logPredicate");
	struct wf_value_list list;
	struct wf_buffer xml;
	bool is_items = log != NULL && strncmp(log, "<logdataitem", 12) == 0;

	if (log == NULL || *log == '\0')
		return log;
	is_items = is_items &&
		   wf_value_list_parse(&list, log, strlen(log), NULL) == WF_OK;
	if (is_items) {
		wf_value_list_free(&list);
		return strncmp(log, "<logdataitem>", 13) == 0
			   ? wf_arena_printf(call->arena,
				 WF_CASE_LOG_LIST "%s" LIST_END, log)
			   : log;
	}
	wf_buffer_init(&xml, call->out.maximum);
	wf_buffer_puts(&xml, WF_CASE_LOG_LIST "<logdataitem>");
	wf_xml_put_element(&xml, "name", name);
	wf_xml_put_element(&xml, "value", log);
	wf_buffer_puts(&xml,
	    "<descriptor>Predicate</descriptor><datatype>string</datatype>"
	    "</logdataitem>" LIST_END);
	log = wf_arena_strndup(call->arena, wf_buffer_text(&xml), xml.length);
	wf_buffer_free(&xml);
	return log;
}

static void submit(struct wf_yawl_call *call, enum wf_command_kind command,
    const char *data, wf_yawl_f then)
{
	struct wf_request request = { .number = call->known.number,
		.command = { .kind = command,
		    .item = item_id(call),
		    .data = data,
		    .length = data == NULL ? 0 : strlen(data) } };

	if (command == WF_COMMAND_START)
		request.command.reason = log_items(call, "Start");
	else if (command == WF_COMMAND_COMPLETE || command == WF_COMMAND_FORCE)
		request.command.reason = log_items(call, "Complete");
	wf_yawl_submit(call, &request, then);
}

/* --- items in answers ----------------------------------------------------- */

static void answer_with(struct wf_yawl_call *call, const char *id)
{
	struct wf_error err = { .rc = WF_OK };

	wf_buffer_puts(&call->out, "<success>");
	/* The item may have been removed since; then nothing is written. */
	(void)wf_yawl_inspect_item(call, id, wf_yawl_show_item, &err);
	wf_buffer_puts(&call->out, "</success>");
	if (err.rc == WF_OK)
		wf_yawl_answer(call);
	else
		wf_yawl_fail_error(call, &err);
}

/* Answers with the instance that the command created or changed. */
static void answer_with_made(struct wf_yawl_call *call)
{
	answer_with(call, call->item);
}

static void answer_with_same(struct wf_yawl_call *call)
{
	answer_with(call, item_id(call));
}

/* --- starting and ending -------------------------------------------------- */

void wf_yawl_checkout(struct wf_yawl_call *call)
{
	if (!find_item(
		call, wf_yawl_note_item, "No work item found with id = %s"))
		return;
	if (is_startable(call))
		submit(call, WF_COMMAND_START, NULL, answer_with_made);
	else
		wf_yawl_fail(call,
		    "Item [%s]: status [%s] does not permit starting.",
		    item_id(call), call->status);
}

#define NO_SUCH_ITEM "WorkItem with ID [%s] not found."

static void answer_parent(struct wf_yawl_call *call)
{
	wf_yawl_fail(call,
	    "WorkItem with ID [%s] is a 'parent' and so may not be completed.",
	    item_id(call));
}

/* False: the call is answered. */
static bool find_executing(struct wf_yawl_call *call)
{
	if (!find_item(call, wf_yawl_note_item, NO_SUCH_ITEM))
		return false;
	if (!call->is_child)
		answer_parent(call);
	else if (!is_status(call, "Executing"))
		wf_yawl_fail(call,
		    "WorkItem with ID [%s] not in executing state.",
		    item_id(call));
	else
		return true;
	return false;
}

void wf_yawl_checkin(struct wf_yawl_call *call)
{
	if (find_executing(call))
		submit(call, WF_COMMAND_COMPLETE,
		    wf_yawl_parameter(call, "data"), NULL);
}

void wf_yawl_force_item(struct wf_yawl_call *call)
{
	if (find_executing(call))
		submit(call, WF_COMMAND_FORCE, wf_yawl_parameter(call, "data"),
		    NULL);
}

/* Whether every output has a value; else call->error names one without. */
static bool has_defaults(
    struct wf_yawl_call *call, const struct wf_decomposition *work)
{
	for (size_t i = 0; i < work->output_count; i++) {
		const struct wf_variable *output = &work->outputs[i];

		if (output->default_text == NULL &&
		    wf_map_get(work->input_numbers, output->name) == NULL &&
		    !wf_type_is_builtin(output->type)) {
			wf_fail(&call->error, WF_CONFLICT,
			    "Could not skip work item [%.300s]: Output-Only "
			    "parameter [%.200s] requires a default value.",
			    item_id(call), output->name);
			return false;
		}
	}
	return true;
}

/*
 * Writes the answer before the command, because the item does not exist after
 * it: the item as completed, with the data that it starts with.
 */
static void note_skipped(struct wf_yawl_call *call,
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	struct wf_engine *engine = call->server->engine;
	int32_t zone = call->server->settings.engine.timezone;
	struct wf_yawl_item done = *item;
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer data;

	wf_yawl_note_item(call, instance, item);
	if (!is_startable(call) ||
	    !has_defaults(call, item->task->decomposition))
		return;
	wf_buffer_init(&data, call->out.maximum);
	if (!item->is_child &&
	    wf_yawl_starting_data(instance, item, wf_engine_now(engine), zone,
		&data, &err) == WF_OK)
		done.data = wf_buffer_text(&data);
	if (!item->is_child)
		done.fired_at = wf_engine_now(engine);
	done.started_at = wf_engine_now(engine);
	done.is_child = true;
	done.choice = 0;
	done.status = "Complete";
	done.started_by = call->user;
	wf_yawl_put_item(&call->out, &done, zone);
	wf_buffer_free(&data);
}

/* Replaces the case id: the item was written before its id was known. */
static void answer_skipped(struct wf_yawl_call *call)
{
	struct wf_buffer written = call->out;
	const char *text = wf_buffer_text(&written);
	const char *begin = strstr(text, "<caseid>") + strlen("<caseid>");
	const char *end = strstr(text, "</caseid>");

	wf_buffer_init(&call->out, written.maximum);
	wf_buffer_puts(&call->out, "<success>");
	wf_buffer_append(&call->out, text, (size_t)(begin - text));
	wf_buffer_append(&call->out, call->item, strcspn(call->item, ":"));
	wf_buffer_puts(&call->out, end);
	wf_buffer_puts(&call->out, "</success>");
	wf_buffer_free(&written);
	wf_yawl_answer(call);
}

static void answer_not_skipped(struct wf_yawl_call *call)
{
	wf_yawl_fail(call, "Could not skip workitem: %s", item_id(call));
}

void wf_yawl_skip(struct wf_yawl_call *call)
{
	if (!find_item(call, note_skipped, "No work item with id = %s"))
		return;
	call->refused = answer_not_skipped;
	if (call->error.rc != WF_OK)
		wf_yawl_fail_error(call, &call->error);
	else if (is_startable(call))
		submit(call, WF_COMMAND_SKIP, NULL, answer_skipped);
	else
		answer_not_skipped(call);
}

/* --- back and forth ------------------------------------------------------- */

/*
 * An item in a state that the command does not change is returned unchanged,
 * here and below.
 */
void wf_yawl_suspend(struct wf_yawl_call *call)
{
	if (!find_item(call, wf_yawl_note_item, NO_SUCH_ITEM))
		return;
	if (is_startable(call) || is_status(call, "Executing"))
		submit(call, WF_COMMAND_SUSPEND_ITEM, NULL, answer_with_same);
	else
		answer_with_same(call);
}

void wf_yawl_unsuspend(struct wf_yawl_call *call)
{
	if (!find_item(call, wf_yawl_note_item, NO_SUCH_ITEM))
		return;
	if (is_status(call, "Suspended"))
		submit(call, WF_COMMAND_RESUME_ITEM, NULL, answer_with_same);
	else
		answer_with_same(call);
}

void wf_yawl_roll_back(struct wf_yawl_call *call)
{
	if (!find_item(call, wf_yawl_note_item, "Work Item[%s] not found."))
		return;
	if (is_status(call, "Executing"))
		submit(call, WF_COMMAND_ROLLBACK, NULL, NULL);
	else
		wf_yawl_fail(call, "Work Item[%s] not found.", item_id(call));
}

static void start_again(struct wf_yawl_call *call)
{
	submit(call, WF_COMMAND_START, NULL, answer_with_made);
}

void wf_yawl_restart(struct wf_yawl_call *call)
{
	if (!find_item(
		call, wf_yawl_note_item, "No work item found with id = %s"))
		return;
	if (is_status(call, "Executing"))
		submit(call, WF_COMMAND_ROLLBACK, NULL, start_again);
	else
		wf_yawl_checkout(call);
}

/* --- instances ------------------------------------------------------------ */

static void note_instance(struct wf_yawl_call *call,
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	const struct wf_multi_instance *multi = item->task->multi;

	wf_yawl_note_item(call, instance, item);
	if (strcmp(item->status, "Executing") != 0)
		wf_fail(&call->error, WF_CONFLICT,
		    "WorkItem[%.300s] is not in appropriate (executing) state "
		    "for instance adding.",
		    item_id(call));
	else if (multi == NULL || !multi->is_dynamic)
		wf_fail(&call->error, WF_CONFLICT,
		    "WorkItem[%.300s] does not allow new instance creation.",
		    item_id(call));
	else if (wf_yawl_instances(instance, item) >= multi->maximum.number)
		wf_fail(&call->error, WF_CONFLICT,
		    "Adding instances is not possible in current state.");
}

/* False: the call is answered. */
static bool is_eligible(struct wf_yawl_call *call, const char *unknown)
{
	if (!find_item(call, note_instance, unknown))
		return false;
	if (call->error.rc == WF_OK)
		return true;
	wf_yawl_fail_error(call, &call->error);
	return false;
}

void wf_yawl_check_instance(struct wf_yawl_call *call)
{
	if (is_eligible(call, "No work Item Found with id : %s"))
		wf_yawl_succeed(call);
}

void wf_yawl_create_instance(struct wf_yawl_call *call)
{
	if (is_eligible(call, "No work item found."))
		submit(call, WF_COMMAND_ADD,
		    wf_yawl_parameter(call, "paramValueForMICreation"),
		    answer_with_made);
}

/* --- interface X ---------------------------------------------------------- */

static void answer_bool(struct wf_yawl_call *call, bool done)
{
	wf_buffer_reset(&call->out);
	wf_buffer_puts(&call->out, done ? "true" : "false");
	wf_yawl_answer(call);
}

static void answer_true(struct wf_yawl_call *call)
{
	answer_bool(call, true);
}

static void answer_false(struct wf_yawl_call *call)
{
	answer_bool(call, false);
}

void wf_yawl_update_item(struct wf_yawl_call *call)
{
	struct wf_error err = { .rc = WF_OK };

	call->refused = answer_false;
	if (wf_yawl_inspect_item(call, item_id(call), wf_yawl_note_item, &err))
		submit(call, WF_COMMAND_UPDATE_ITEM,
		    wf_yawl_parameter(call, "data"), answer_true);
	else
		answer_false(call);
}

void wf_yawl_update_case(struct wf_yawl_call *call)
{
	const char *data = wf_yawl_parameter(call, "data");
	struct wf_request request = {
		.command = { .kind = WF_COMMAND_UPDATE_CASE,
		    .data = data,
		    .length = data == NULL ? 0 : strlen(data) }
	};

	if (!wf_yawl_find_case(call, wf_yawl_parameter(call, "caseID"))) {
		answer_false(call);
		return;
	}
	call->refused = answer_false;
	request.number = call->known.number;
	wf_yawl_submit(call, &request, answer_true);
}

static void answer_case_cancelled(struct wf_yawl_call *call)
{
	wf_buffer_puts(
	    &call->out, "<success>Case cancelled as a result</success>");
	wf_yawl_answer(call);
}

/* A case without remaining work is completed. */
static void answer_cancelled(struct wf_yawl_call *call)
{
	if (call->case_status == WF_CASE_RUNNING ||
	    call->case_status == WF_CASE_SUSPENDED)
		wf_yawl_succeed(call);
	else
		answer_case_cancelled(call);
}

void wf_yawl_cancel_item(struct wf_yawl_call *call)
{
	const char *fail = wf_yawl_parameter(call, "fail");
	bool fails = fail != NULL && strcasecmp(fail, "true") == 0;

	if (!find_item(call, wf_yawl_note_item, NO_SUCH_ITEM))
		return;
	if (is_status(call, WF_YAWL_PARENT))
		answer_parent(call);
	else if (fails)
		submit(call, WF_COMMAND_FAIL, wf_yawl_parameter(call, "data"),
		    answer_cancelled);
	else
		submit(call, WF_COMMAND_CANCEL_ITEM, NULL, answer_cancelled);
}
