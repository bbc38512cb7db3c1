/* SPDX-License-Identifier: Apache-2.0 */
/* Announcements as forms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/xml_writer.h"
#include "http/http_client.h"
#include "kernel/step.h"
#include "kernel/view.h"
#include "yawl/announcement.h"
#include "yawl/codelet.h"
#include "yawl/item_record.h"
#include "yawl/parameter.h"

#define XML_HEADER "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n"
#define TEXT_MAXIMUM ((size_t)64 << 20)

/*
 * Delay before an answer that the store failed to give is asked for again, in
 * milliseconds.
 */
#define LATER 2000

/* --- forms ---------------------------------------------------------------- */

static void put(struct wf_message *message, const char *name, const char *value)
{
	if (message->body.length > 0)
		wf_buffer_putc(&message->body, '&');
	wf_buffer_puts(&message->body, name);
	wf_buffer_putc(&message->body, '=');
	wf_client_escape(&message->body, value);
}

static enum wf_verdict send_form(struct wf_message *message)
{
	wf_message_add_header(message, "Content-Type",
	    "application/x-www-form-urlencoded; charset=UTF-8");
	wf_message_add_header(message, "Idempotency-Key", message->key);
	return WF_VERDICT_CALL;
}

/* --- items ---------------------------------------------------------------- */

/* What inspect_item() reads from a case. */
struct inspection {
	struct wf_message *message;
	struct wf_buffer *xml;
	struct wf_buffer *data; /* receives the case's data; NULL: not needed */
	bool found;
};

static void inspect_item(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct inspection *inspection = context;
	struct wf_message *message = inspection->message;
	int32_t zone = wf_engine_timezone(message->engine);
	struct wf_yawl_item item;

	if (inspection->data != NULL)
		wf_case_data(instance, inspection->data);
	if (stored->ended || inspection->xml == NULL ||
	    !wf_yawl_item(instance, stored->row.number, message->row.subject,
		message->now, zone, message->arena, &item))
		return;
	item.started_by = wf_yawl_item_starter(
	    NULL, message->engine, &item, stored->row.version, message->arena);
	wf_yawl_put_item(inspection->xml, &item, zone);
	inspection->found = true;
}

static const char *status_word(const struct wf_message *message)
{
	return message->announced.status <= WF_ITEM_DISCARDED
		   ? wf_item_status_name(
			 (enum wf_item_status)message->announced.status)
		   : "";
}

/* The last known status of a removed item. */
static const char *last_status(const struct wf_message *message)
{
	switch (message->row.kind) {
	case WF_ANNOUNCE_ITEM_ENABLED:
	case WF_ANNOUNCE_ITEM_FIRED:
	case WF_ANNOUNCE_ITEM_SUSPENDED:
	case WF_ANNOUNCE_ITEM_RESUMED:
	case WF_ANNOUNCE_ITEM_ENDED:
	case WF_ANNOUNCE_ITEM_CANCELLED:
		return status_word(message);
	case WF_ANNOUNCE_ITEM_ROLLED_BACK:
		return "Fired";
	default:
		return "Executing";
	}
}

static const struct wf_task *find_task(
    const struct wf_spec *spec, const char *id)
{
	const struct wf_task *task;
	uint32_t at = 0;

	do {
		task = wf_spec_next_task(spec, id, &at);
	} while (task != NULL && task->decomposition == NULL);
	return task;
}

static void put_last(void *context, const struct wf_spec *spec)
{
	struct inspection *inspection = context;
	struct wf_message *message = inspection->message;
	struct wf_yawl_item item = { .number = message->row.number,
		.status = last_status(message) };
	size_t length = strcspn(message->row.subject, ":");

	item.task = find_task(spec, message->announced.task);
	if (item.task == NULL || length >= sizeof(item.case_id))
		return;
	memcpy(item.case_id, message->row.subject, length);
	item.documentation = item.task->documentation;
	wf_yawl_put_item(
	    inspection->xml, &item, wf_engine_timezone(message->engine));
	inspection->found = true;
}

/*
 * Adds the item in its current state, or what is known of a removed one; data
 * receives the case's data, may be NULL.  WF_NOT_FOUND: nothing is known.
 */
static enum wf_rc put_item(
    struct wf_message *message, struct wf_buffer *data, struct wf_error *err)
{
	struct wf_buffer xml;
	struct inspection inspection = { message, &xml, data, false };
	enum wf_rc rc;

	wf_buffer_init(&xml, TEXT_MAXIMUM);
	rc = wf_engine_inspect(message->engine, message->row.number,
	    inspect_item, &inspection, err);
	if (rc == WF_OK && !inspection.found)
		rc = wf_engine_inspect_spec(message->engine,
		    message->row.namespace_id, message->announced.specification,
		    false, put_last, &inspection, err);
	if (rc == WF_OK && (!inspection.found || xml.full))
		rc = wf_fail(err, WF_NOT_FOUND, "there is no such item");
	if (rc == WF_OK)
		put(message, "workItem", wf_buffer_text(&xml));
	wf_buffer_free(&xml);
	return rc;
}

/* An announcement about a case or item that no longer exists is dropped. */
static enum wf_verdict finish(
    struct wf_message *message, const struct wf_error *err)
{
	switch (err->rc) {
	case WF_OK:
		return send_form(message);
	case WF_UNAVAILABLE:
	case WF_LOST:
	case WF_IO:
		message->at = message->now + LATER;
		return WF_VERDICT_LATER;
	default:
		return WF_VERDICT_DONE;
	}
}

static enum wf_verdict pack_item(struct wf_message *message, const char *action)
{
	struct wf_error err = { .rc = WF_OK };

	put(message, "action", action);
	(void)(put_item(message, NULL, &err) == WF_OK);
	return finish(message, &err);
}

static enum wf_verdict pack_status(
    struct wf_message *message, const char *from, const char *to)
{
	put(message, "oldStatus", from);
	put(message, "newStatus", to);
	return pack_item(message, "announceItemStatus");
}

/* --- cases ---------------------------------------------------------------- */

static void put_spec(void *context, const struct wf_spec *spec)
{
	struct wf_message *message = context;
	bool is_listener = message->service->kind == &wf_yawl_listener_handler;
	const char *identifier = spec->metadata.identifier;

	if (identifier != NULL)
		put(message, is_listener ? "specID" : "specidentifier",
		    identifier);
	put(message, is_listener ? "specVersion" : "specversion",
	    wf_arena_printf(message->arena, "%s%s", spec->metadata.version,
		wf_yawl_minor(spec->metadata.version)));
	put(message, is_listener ? "specURI" : "specuri", spec->uri);
}

static enum wf_rc put_spec_id(struct wf_message *message, struct wf_error *err)
{
	return wf_engine_inspect_spec(message->engine,
	    message->row.namespace_id, message->announced.specification, false,
	    put_spec, message, err);
}

static enum wf_verdict pack_case(struct wf_message *message, const char *action)
{
	put(message, "action", action);
	put(message, "caseID", message->announced.name);
	return send_form(message);
}

static enum wf_rc read_launched(struct wf_message *message,
    struct wf_yawl_launched *launched, struct wf_error *err)
{
	struct wf_stored_case stored;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(message->engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_store_case(
	    store, message->row.number, false, message->arena, &stored, err);
	wf_engine_give_back(message->engine, store);
	if (rc == WF_OK)
		wf_yawl_launched_read(
		    launched, stored.row.extra, message->arena);
	return rc;
}

static enum wf_verdict pack_started(struct wf_message *message)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_yawl_launched launched;

	if (read_launched(message, &launched, &err) != WF_OK)
		return finish(message, &err);
	put(message, "action", "announceCaseStarted");
	put(message, "caseID", message->announced.name);
	if (launched.launcher[0] != '\0')
		put(message, "launchingService", launched.launcher);
	put(message, "delayed", launched.delayed ? "true" : "false");
	(void)(put_spec_id(message, &err) == WF_OK);
	return finish(message, &err);
}

/* The end of a case with an observer is sent to the observer only. */
static enum wf_verdict pack_completed(struct wf_message *message)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_yawl_launched launched;
	struct wf_buffer data;

	if (read_launched(message, &launched, &err) != WF_OK)
		return finish(message, &err);
	if (launched.observer[0] != '\0' &&
	    strcmp(launched.observer, message->service->uri) != 0)
		return WF_VERDICT_DONE;
	wf_buffer_init(&data, TEXT_MAXIMUM);
	wf_buffer_puts(&data, XML_HEADER);
	wf_buffer_puts(&data, message->announced.data);
	put(message, "casedata", wf_buffer_text(&data));
	wf_buffer_free(&data);
	return pack_case(message, "announceCaseCompleted");
}

/* Tasks that have a token before them and cannot start: a deadlock. */
static void list_tasks(void *argument, const struct wf_net_view *view)
{
	struct wf_buffer *text = argument;

	for (uint32_t t = 0; t < view->net->task_count; t++) {
		const struct wf_task *task = &view->net->tasks[t];
		bool waits = false;

		for (uint32_t i = 0; i < task->preset_count; i++)
			waits |= view->tokens[task->preset[i]] > 0;
		if (waits)
			wf_buffer_printf(text, "%s%s",
			    text->length > 1 ? ", " : "", task->id);
	}
}

static void list_waiting_tasks(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	(void)stored;
	wf_case_nets(instance, list_tasks, context);
}

static enum wf_verdict pack_deadlocked(struct wf_message *message)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer tasks;

	put(message, "action", "announceCaseDeadlocked");
	put(message, "caseID", message->announced.name);
	wf_buffer_init(&tasks, TEXT_MAXIMUM);
	wf_buffer_putc(&tasks, '[');
	(void)(wf_engine_inspect(message->engine, message->row.number,
		   list_waiting_tasks, &tasks, &err) == WF_OK);
	wf_buffer_putc(&tasks, ']');
	put(message, "tasks", wf_buffer_text(&tasks));
	wf_buffer_free(&tasks);
	return finish(message, &err);
}

static enum wf_verdict pack_engine_started(struct wf_message *message)
{
	put(message, "action", "announceEngineInitialised");
	put(message, "maxWaitSeconds", "0");
	return send_form(message);
}

/* --- to services ---------------------------------------------------------- */

static enum wf_verdict render(struct wf_message *message)
{
	switch (message->row.kind) {
	case WF_ANNOUNCE_CASE_LAUNCHED:
		return pack_started(message);
	case WF_ANNOUNCE_CASE_COMPLETED:
		return pack_completed(message);
	case WF_ANNOUNCE_CASE_DEADLOCKED:
		return pack_deadlocked(message);
	case WF_ANNOUNCE_CASE_CANCELLED:
		return pack_case(message, "announceCaseCancelled");
	case WF_ANNOUNCE_CASE_SUSPENDED:
		return pack_case(message, "announceCaseSuspended");
	case WF_ANNOUNCE_CASE_RESUMED:
		return pack_case(message, "announceCaseResumed");
	case WF_ANNOUNCE_ITEM_ENABLED:
		return pack_item(message, "announceItemEnabled");
	case WF_ANNOUNCE_ITEM_CANCELLED:
		return pack_item(message, "announceItemCancelled");
	case WF_ANNOUNCE_TIMER_EXPIRED:
		return pack_item(message, "announceTimerExpiry");
	case WF_ANNOUNCE_ITEM_FIRED:
		return pack_status(message, "Enabled", WF_YAWL_PARENT);
	case WF_ANNOUNCE_ITEM_STARTED:
		return pack_status(message, "Fired", "Executing");
	case WF_ANNOUNCE_ITEM_ROLLED_BACK:
		return pack_status(message, "Executing", "Fired");
	case WF_ANNOUNCE_ITEM_SUSPENDED:
		return pack_status(message, status_word(message), "Suspended");
	case WF_ANNOUNCE_ITEM_RESUMED:
		return pack_status(message, "Suspended", status_word(message));
	case WF_ANNOUNCE_ITEM_ENDED:
		return pack_status(message, "Executing", status_word(message));
	case WF_ANNOUNCE_ENGINE_STARTED:
		return pack_engine_started(message);
	default:
		return WF_VERDICT_DONE;
	}
}

/* --- to listeners of interface X; their actions are numbers -------------- */

static enum wf_verdict pack_case_check(
    struct wf_message *message, const char *before)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer data;
	struct inspection inspection = { message, NULL, &data, false };

	put(message, "action", "0");
	put(message, "caseID", message->announced.name);
	put(message, "preCheck", before);
	wf_buffer_init(&data, TEXT_MAXIMUM);
	if (wf_engine_inspect(message->engine, message->row.number,
		inspect_item, &inspection, &err) == WF_OK) {
		put(message, "data", wf_buffer_text(&data));
		(void)(put_spec_id(message, &err) == WF_OK);
	}
	wf_buffer_free(&data);
	return finish(message, &err);
}

static enum wf_verdict pack_item_check(
    struct wf_message *message, const char *before)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer data;

	put(message, "action", "1");
	put(message, "preCheck", before);
	wf_buffer_init(&data, TEXT_MAXIMUM);
	wf_buffer_puts(&data, XML_HEADER);
	if (put_item(message, &data, &err) == WF_OK)
		put(message, "data", wf_buffer_text(&data));
	wf_buffer_free(&data);
	return finish(message, &err);
}

static enum wf_verdict render_for_listener(struct wf_message *message)
{
	switch (message->row.kind) {
	case WF_ANNOUNCE_CASE_LAUNCHED:
		return pack_case_check(message, "true");
	case WF_ANNOUNCE_CASE_COMPLETED:
		return pack_case_check(message, "false");
	case WF_ANNOUNCE_ITEM_ENABLED:
		return pack_item_check(message, "true");
	case WF_ANNOUNCE_ITEM_ENDED:
		return pack_item_check(message, "false");
	case WF_ANNOUNCE_ITEM_REJECTED:
		return pack_item(message, "2");
	case WF_ANNOUNCE_TIMER_EXPIRED:
		return pack_item(message, "3");
	case WF_ANNOUNCE_CASE_CANCELLED:
		return pack_case(message, "6");
	default:
		return WF_VERDICT_DONE;
	}
}

/* As on registering it: HEAD, which YAWL's services answer. */
static enum wf_verdict render_test(struct wf_message *message)
{
	message->url = message->service->uri;
	message->method = "HEAD";
	return WF_VERDICT_CALL;
}

/* The status of a response counts, not its content. */
static enum wf_verdict judge(struct wf_message *message)
{
	if (message->status >= 200 && message->status < 300)
		return WF_VERDICT_DONE;
	return wf_message_fail_with_answer(message);
}

/* wf_yawl_announce() adds services and listeners alike. */
const struct wf_service_handler wf_yawl_service_handler = {
	.number = 0,
	.name = "yawl",
	.url = WF_SERVICE_URL_IS_URI,
	.announce = wf_yawl_announce,
	.render = render,
	.render_test = render_test,
	.judge = judge,
	.has_worklist = true,
};

const struct wf_service_handler wf_yawl_listener_handler = {
	.number = 4,
	.name = "listener",
	.url = WF_SERVICE_URL_IS_URI,
	.render = render_for_listener,
	.render_test = render_test,
	.judge = judge,
	.hears_refusals = true,
};

void wf_yawl_service_kinds_add(void)
{
	wf_service_kind_add(&wf_yawl_service_handler);
	wf_service_kind_add(&wf_yawl_listener_handler);
	wf_service_kind_add(&wf_codelet_handler);
}
