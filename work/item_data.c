/* SPDX-License-Identifier: Apache-2.0 */
#include "work/item_data.h"

#include <string.h>

#include "data/json_fields.h"
#include "work/case_data.h"
#include "work/task_policy.h"

/* Before an item that cannot be started now is rendered again. */
#define INTERVAL_MS 2000

struct peek {
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
static bool is_time(struct peek *peek,
    const struct wf_decomposition *decomposition, const struct wf_buffer *xml)
{
	struct wf_message *message = peek->message;
	bool may = false;

	wf_hand_over_policy(decomposition->hand_over, &message->policy);
	if (wf_hand_over_check(decomposition->hand_over, wf_buffer_text(xml),
		xml->length, message->row.at, message->now,
		message->now + message->policy.delay, &message->at, &may,
		&peek->err) == WF_OK)
		peek->waits = !may;
	return may;
}

/* The item has been started in a copy of its case. */
static void describe(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct peek *peek = context;
	const struct wf_decomposition *decomposition;
	struct wf_buffer xml;
	struct wf_item item;

	if (stored->row.set_aside) {
		wf_fail(&peek->err, WF_CONFLICT, "its case is quarantined");
		return;
	}
	wf_buffer_init(&xml, WF_DATA_MAXIMUM_BYTES);
	if (wf_case_item(instance, peek->item, &item, &peek->err) == WF_OK &&
	    wf_case_item_input(instance, peek->item, &xml, &peek->err) ==
		WF_OK &&
	    is_time(peek, item.task->decomposition, &xml)) {
		decomposition = item.task->decomposition;
		peek->message->has_postcondition =
		    decomposition->hand_over != NULL &&
		    decomposition->hand_over->postcondition.text != NULL;
		wf_json_put_text(peek->object, "name", item.task->name);
		wf_data_put_documentation(
		    peek->object, peek->message->engine, instance, peek->item);
		json_object_set_new(peek->object, "data",
		    wf_data_values(decomposition->inputs,
			decomposition->input_count, wf_buffer_text(&xml),
			xml.length));
		json_object_set_new(
		    peek->object, "outputs", name_outputs(decomposition));
	}
	wf_buffer_free(&xml);
}

static void read_status(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct peek *peek = context;
	struct wf_item item;

	(void)stored;
	if (wf_case_item(instance, peek->message->row.subject, &item,
		&peek->err) == WF_OK)
		peek->status = item.status;
}

/* The reason why the item cannot be started. */
static enum wf_rc explain(struct peek *peek, struct wf_error *err)
{
	const struct wf_message *message = peek->message;
	enum wf_rc rc;

	wf_error_clear(err);
	wf_error_clear(&peek->err);
	rc = wf_engine_inspect(
	    message->engine, message->row.number, read_status, peek, err);
	if (rc == WF_OK && peek->err.rc != WF_OK)
		rc = wf_fail(err, peek->err.rc, "%s", peek->err.message);
	if (rc != WF_OK)
		return rc;
	return peek->status == WF_ITEM_EXECUTING
		   ? wf_fail(
			 err, WF_NOT_FOUND, "another program has started it")
		   : wf_fail(err, WF_CONFLICT, "it is suspended");
}

enum wf_rc wf_item_data_peek(
    struct wf_message *message, json_t *object, struct wf_error *err)
{
	const struct wf_message_row *row = &message->row;
	struct wf_request request = { .number = row->number,
		.command = { .kind = WF_COMMAND_START, .item = row->subject } };
	struct peek peek = { .message = message, .object = object };
	enum wf_rc rc = wf_engine_inspect_after(
	    message->engine, &request, peek.item, describe, &peek, err);

	if (rc == WF_OK && peek.err.rc != WF_OK)
		rc = wf_fail(err, peek.err.rc, "%s", peek.err.message);
	if (rc == WF_OK && peek.waits) {
		message->waits = true;
		return wf_fail(err, WF_CONFLICT, "it waits");
	}
	return rc == WF_CONFLICT ? explain(&peek, err) : rc;
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
