/* SPDX-License-Identifier: Apache-2.0 */
#include "work/item_data.h"

#include <string.h>

#include "data/json_fields.h"
#include "work/case_data.h"
#include "work/task_policy.h"

/* Before an item that cannot be started now is rendered again. */
#define INTERVAL_MS 2000

struct inspection {
	struct wf_message *message;
	json_t *object;
	char item[WF_ITEM_ID_SIZE];
	enum wf_item_status status;
	bool waits; /* until the time in message->at */
	struct wf_error err;
};

static json_t *name_outputs(const struct wf_decomposition *decomposition)
{
	json_t *names = json_array();

	for (size_t i = 0; i < decomposition->output_count; i++)
		json_array_append_new(
		    names, json_string(decomposition->outputs[i].name));
	return names;
}

/* Whether the item may be handed over now; else sets message->at. */
static bool is_time(struct inspection *inspection,
    const struct wf_decomposition *decomposition, const struct wf_buffer *xml)
{
	struct wf_message *message = inspection->message;
	bool may = false;

	wf_hand_over_policy(decomposition->hand_over, &message->policy);
	if (wf_hand_over_check(decomposition->hand_over, wf_buffer_text(xml),
		xml->length, message->row.at, message->now,
		message->now + message->policy.delay_ms,
		message->is_long ? 0 : WF_INSPECTION_WORK, &message->at, &may,
		&inspection->err) == WF_OK)
		inspection->waits = !may;
	return may;
}

/* The item has been started in a copy of its case. */
static void describe(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct inspection *inspection = context;
	const struct wf_decomposition *decomposition;
	struct wf_buffer xml;
	struct wf_item item;

	if (stored->row.set_aside) {
		wf_fail(
		    &inspection->err, WF_CONFLICT, "its case is quarantined");
		return;
	}
	wf_buffer_init(&xml, WF_DATA_MAXIMUM_BYTES);
	if (wf_case_item(instance, inspection->item, &item, &inspection->err) ==
		WF_OK &&
	    wf_case_item_input(
		instance, inspection->item, &xml, &inspection->err) == WF_OK &&
	    is_time(inspection, item.task->decomposition, &xml)) {
		decomposition = item.task->decomposition;
		inspection->message->has_postcondition =
		    decomposition->hand_over != NULL &&
		    decomposition->hand_over->postcondition.text != NULL;
		wf_json_put_text(inspection->object, "name", item.task->name);
		wf_data_put_documentation(inspection->object,
		    inspection->message->engine, instance, inspection->item);
		json_object_set_new(inspection->object, "data",
		    wf_data_values(decomposition->inputs,
			decomposition->input_count, wf_buffer_text(&xml),
			xml.length));
		json_object_set_new(
		    inspection->object, "outputs", name_outputs(decomposition));
	}
	wf_buffer_free(&xml);
}

static void read_status(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct inspection *inspection = context;
	struct wf_item item;

	(void)stored;
	if (wf_case_item(instance, inspection->message->row.subject, &item,
		&inspection->err) == WF_OK)
		inspection->status = item.status;
}

/* The reason why the item cannot be started. */
static enum wf_rc explain(struct inspection *inspection, struct wf_error *err)
{
	const struct wf_message *message = inspection->message;
	enum wf_rc rc;

	wf_error_clear(err);
	wf_error_clear(&inspection->err);
	rc = wf_engine_inspect(
	    message->engine, message->row.number, read_status, inspection, err);
	if (rc == WF_OK && inspection->err.rc != WF_OK)
		rc = wf_fail(
		    err, inspection->err.rc, "%s", inspection->err.message);
	if (rc != WF_OK)
		return rc;
	return inspection->status == WF_ITEM_EXECUTING
		   ? wf_fail(
			 err, WF_NOT_FOUND, "another program has started it")
		   : wf_fail(err, WF_CONFLICT, "it is suspended");
}

enum wf_rc wf_item_data_describe(
    struct wf_message *message, json_t *object, struct wf_error *err)
{
	const struct wf_message_row *row = &message->row;
	struct wf_request request = { .number = row->number,
		.command = { .kind = WF_COMMAND_START, .item = row->subject } };
	struct inspection inspection = { .message = message, .object = object };
	struct wf_inspection how = {
		.maximum = message->is_long ? UINT64_MAX : WF_INSPECTION_WORK
	};
	enum wf_rc rc = wf_engine_inspect_after(message->engine, &request, &how,
	    inspection.item, describe, &inspection, err);

	message->work = how.work;
	if (rc == WF_OK && inspection.err.rc != WF_OK)
		rc = wf_fail(
		    err, inspection.err.rc, "%s", inspection.err.message);
	if (rc == WF_OK && inspection.waits) {
		message->waits = true;
		return wf_fail(err, WF_CONFLICT, "it waits");
	}
	return rc == WF_CONFLICT ? explain(&inspection, err) : rc;
}

enum wf_verdict wf_item_data_verdict(
    struct wf_message *message, const struct wf_error *err)
{
	switch (err->rc) {
	case WF_NOT_FOUND: /* ended, or started by another program */
		return WF_VERDICT_DONE;
	case WF_CONFLICT:
	case WF_UNAVAILABLE:
	case WF_LOST:
	case WF_IO:
		if (!message->waits)
			message->at = message->now + INTERVAL_MS;
		return WF_VERDICT_LATER;
	case WF_LIMIT: /* or less work than a step may be would do */
		if (!message->is_long)
			return WF_VERDICT_LONG;
		/* fall through */
	default:
		return wf_message_fail(
		    message, WF_VERDICT_REFUSED, "%s", err->message);
	}
}

struct accepting {
	const struct wf_message *message;
	struct wf_error err;
};

static void judge_output(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct accepting *accepting = context;
	const struct wf_message *message = accepting->message;
	struct wf_item item;

	(void)stored;
	if (wf_case_item(instance, message->row.subject, &item, NULL) != WF_OK)
		return; /* the item has ended: its output is ignored */
	(void)(wf_hand_over_accept(item.task->decomposition->hand_over,
		   message->output, message->output_length, message->now,
		   &accepting->err) == WF_OK);
}

enum wf_rc wf_item_data_accept(struct wf_message *message, struct wf_error *err)
{
	struct accepting accepting = { .message = message };
	enum wf_rc rc;

	if (!message->has_postcondition)
		return WF_OK;
	rc = wf_engine_inspect(message->engine, message->row.number,
	    judge_output, &accepting, err);
	if (rc == WF_OK && accepting.err.rc != WF_OK)
		rc =
		    wf_fail(err, accepting.err.rc, "%s", accepting.err.message);
	return rc == WF_NOT_FOUND ? WF_OK : rc;
}

enum wf_rc wf_item_data_output(
    struct wf_message *message, json_t *object, struct wf_error *err)
{
	const struct wf_data_place place = { .of = WF_DATA_OUTPUT,
		.specification = message->announced.specification,
		.number = message->row.number,
		.item = message->row.subject };
	struct wf_buffer xml;
	enum wf_rc rc;

	wf_buffer_init(&xml, WF_DATA_MAXIMUM_BYTES);
	rc = wf_data_to_xml(message->engine, message->row.namespace_id, &place,
	    false, object, &xml, err);
	if (rc == WF_OK) {
		message->output = wf_arena_strndup(
		    message->arena, wf_buffer_text(&xml), xml.length);
		message->output_length = xml.length;
	}
	wf_buffer_free(&xml);
	return rc;
}
