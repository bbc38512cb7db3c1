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
#include "yawl/item_record.h"
#include "yawl/parameter.h"

#define XML_HEADER "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n"
#define TEXT_MAXIMUM ((size_t)64 << 20)

/* Before what the store could not tell now is asked again, milliseconds. */
#define LATER 2000

/* --- forms ---------------------------------------------------------------- */

static void put(struct wf_parcel *parcel, const char *name, const char *value)
{
	if (parcel->body.length > 0)
		wf_buffer_putc(&parcel->body, '&');
	wf_buffer_puts(&parcel->body, name);
	wf_buffer_putc(&parcel->body, '=');
	wf_client_escape(&parcel->body, value);
}

static enum wf_verdict seal(struct wf_parcel *parcel)
{
	wf_parcel_add_header(parcel, "Content-Type",
	    "application/x-www-form-urlencoded; charset=UTF-8");
	wf_parcel_add_header(parcel, "Idempotency-Key", parcel->key);
	return WF_PARCEL_CALL;
}

/* --- items ---------------------------------------------------------------- */

/* What is made of the case while it can be looked at. */
struct looking {
	struct wf_parcel *parcel;
	struct wf_buffer *xml;
	struct wf_buffer *data; /* of the net; NULL: not wanted */
	bool found;
};

static void look_at(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct looking *looking = context;
	struct wf_parcel *parcel = looking->parcel;
	int32_t zone = wf_engine_timezone(parcel->engine);
	struct wf_yawl_item item;

	if (looking->data != NULL)
		wf_case_data(instance, looking->data);
	if (stored->ended || looking->xml == NULL ||
	    !wf_yawl_item(instance, stored->row.number, parcel->message.subject,
		parcel->now, zone, parcel->arena, &item))
		return;
	item.started_by = wf_yawl_item_starter(
	    NULL, parcel->engine, &item, stored->row.version, parcel->arena);
	wf_yawl_put_item(looking->xml, &item, zone);
	looking->found = true;
}

static const char *status_word(const struct wf_parcel *parcel)
{
	return parcel->announced.status <= WF_ITEM_DISCARDED
		   ? wf_item_status_name(
			 (enum wf_item_status)parcel->announced.status)
		   : "";
}

/* Of an item that is gone this is known. */
static const char *last_status(const struct wf_parcel *parcel)
{
	switch (parcel->message.kind) {
	case WF_ANNOUNCE_ITEM_ENABLED:
	case WF_ANNOUNCE_ITEM_FIRED:
	case WF_ANNOUNCE_ITEM_SUSPENDED:
	case WF_ANNOUNCE_ITEM_RESUMED:
	case WF_ANNOUNCE_ITEM_ENDED:
	case WF_ANNOUNCE_ITEM_CANCELLED:
		return status_word(parcel);
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
	struct looking *looking = context;
	struct wf_parcel *parcel = looking->parcel;
	struct wf_yawl_item item = { .number = parcel->message.number,
		.status = last_status(parcel) };
	size_t length = strcspn(parcel->message.subject, ":");

	item.task = find_task(spec, parcel->announced.task);
	if (item.task == NULL || length >= sizeof(item.case_id))
		return;
	memcpy(item.case_id, parcel->message.subject, length);
	item.documentation = item.task->documentation;
	wf_yawl_put_item(
	    looking->xml, &item, wf_engine_timezone(parcel->engine));
	looking->found = true;
}

/*
 * The item as it is now, or what is known of it; data: of its net, may be
 * NULL.  WF_NOT_FOUND: nothing is known.
 */
static enum wf_rc put_item(
    struct wf_parcel *parcel, struct wf_buffer *data, struct wf_error *err)
{
	struct wf_buffer xml;
	struct looking looking = { parcel, &xml, data, false };
	enum wf_rc rc;

	wf_buffer_init(&xml, TEXT_MAXIMUM);
	rc = wf_engine_inspect(
	    parcel->engine, parcel->message.number, look_at, &looking, err);
	if (rc == WF_OK && !looking.found)
		rc = wf_engine_inspect_spec(parcel->engine,
		    parcel->message.namespace_id,
		    parcel->announced.specification, false, put_last, &looking,
		    err);
	if (rc == WF_OK && (!looking.found || xml.full))
		rc = wf_fail(err, WF_NOT_FOUND, "there is no such item");
	if (rc == WF_OK)
		put(parcel, "workItem", wf_buffer_text(&xml));
	wf_buffer_free(&xml);
	return rc;
}

/* What is not known any more need not arrive. */
static enum wf_verdict finish(
    struct wf_parcel *parcel, const struct wf_error *err)
{
	switch (err->rc) {
	case WF_OK:
		return seal(parcel);
	case WF_UNAVAILABLE:
	case WF_LOST:
	case WF_IO:
		parcel->at = parcel->now + LATER;
		return WF_PARCEL_LATER;
	default:
		return WF_PARCEL_DONE;
	}
}

static enum wf_verdict pack_item(struct wf_parcel *parcel, const char *action)
{
	struct wf_error err = { .rc = WF_OK };

	put(parcel, "action", action);
	(void)(put_item(parcel, NULL, &err) == WF_OK);
	return finish(parcel, &err);
}

static enum wf_verdict pack_status(
    struct wf_parcel *parcel, const char *from, const char *to)
{
	put(parcel, "oldStatus", from);
	put(parcel, "newStatus", to);
	return pack_item(parcel, "announceItemStatus");
}

/* --- cases ---------------------------------------------------------------- */

static void put_spec(void *context, const struct wf_spec *spec)
{
	struct wf_parcel *parcel = context;
	bool is_listener = parcel->service->kind == WF_SERVICE_LISTENER;
	const char *identifier = spec->metadata.identifier;

	if (identifier != NULL)
		put(parcel, is_listener ? "specID" : "specidentifier",
		    identifier);
	put(parcel, is_listener ? "specVersion" : "specversion",
	    wf_arena_printf(parcel->arena, "%s%s", spec->metadata.version,
		wf_yawl_minor(spec->metadata.version)));
	put(parcel, is_listener ? "specURI" : "specuri", spec->uri);
}

static enum wf_rc put_spec_id(struct wf_parcel *parcel, struct wf_error *err)
{
	return wf_engine_inspect_spec(parcel->engine,
	    parcel->message.namespace_id, parcel->announced.specification,
	    false, put_spec, parcel, err);
}

static enum wf_verdict pack_case(struct wf_parcel *parcel, const char *action)
{
	put(parcel, "action", action);
	put(parcel, "caseID", parcel->announced.name);
	return seal(parcel);
}

static enum wf_rc read_launched(struct wf_parcel *parcel,
    struct wf_yawl_launched *launched, struct wf_error *err)
{
	struct wf_stored_case stored;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(parcel->engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_store_case(
	    store, parcel->message.number, false, parcel->arena, &stored, err);
	wf_engine_give_back(parcel->engine, store);
	if (rc == WF_OK)
		wf_yawl_launched_read(
		    launched, stored.row.extra, parcel->arena);
	return rc;
}

static enum wf_verdict pack_started(struct wf_parcel *parcel)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_yawl_launched launched;

	if (read_launched(parcel, &launched, &err) != WF_OK)
		return finish(parcel, &err);
	put(parcel, "action", "announceCaseStarted");
	put(parcel, "caseID", parcel->announced.name);
	if (launched.launcher[0] != '\0')
		put(parcel, "launchingService", launched.launcher);
	put(parcel, "delayed", launched.delayed ? "true" : "false");
	(void)(put_spec_id(parcel, &err) == WF_OK);
	return finish(parcel, &err);
}

/* A case with an observer tells nobody else of its end. */
static enum wf_verdict pack_completed(struct wf_parcel *parcel)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_yawl_launched launched;
	struct wf_buffer data;

	if (read_launched(parcel, &launched, &err) != WF_OK)
		return finish(parcel, &err);
	if (launched.observer[0] != '\0' &&
	    strcmp(launched.observer, parcel->service->uri) != 0)
		return WF_PARCEL_DONE;
	wf_buffer_init(&data, TEXT_MAXIMUM);
	wf_buffer_puts(&data, XML_HEADER);
	wf_buffer_puts(&data, parcel->announced.data);
	put(parcel, "casedata", wf_buffer_text(&data));
	wf_buffer_free(&data);
	return pack_case(parcel, "announceCaseCompleted");
}

/* Tasks that have a token before them, and yet cannot begin. */
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

static void look_at_tasks(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	(void)stored;
	wf_case_nets(instance, list_tasks, context);
}

static enum wf_verdict pack_deadlocked(struct wf_parcel *parcel)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer tasks;

	put(parcel, "action", "announceCaseDeadlocked");
	put(parcel, "caseID", parcel->announced.name);
	wf_buffer_init(&tasks, TEXT_MAXIMUM);
	wf_buffer_putc(&tasks, '[');
	(void)(wf_engine_inspect(parcel->engine, parcel->message.number,
		   look_at_tasks, &tasks, &err) == WF_OK);
	wf_buffer_putc(&tasks, ']');
	put(parcel, "tasks", wf_buffer_text(&tasks));
	wf_buffer_free(&tasks);
	return finish(parcel, &err);
}

static enum wf_verdict pack_engine_started(struct wf_parcel *parcel)
{
	put(parcel, "action", "announceEngineInitialised");
	put(parcel, "maxWaitSeconds", "0");
	return seal(parcel);
}

/* --- to services ---------------------------------------------------------- */

enum wf_verdict wf_yawl_render(struct wf_parcel *parcel)
{
	switch (parcel->message.kind) {
	case WF_ANNOUNCE_CASE_LAUNCHED:
		return pack_started(parcel);
	case WF_ANNOUNCE_CASE_COMPLETED:
		return pack_completed(parcel);
	case WF_ANNOUNCE_CASE_DEADLOCKED:
		return pack_deadlocked(parcel);
	case WF_ANNOUNCE_CASE_CANCELLED:
		return pack_case(parcel, "announceCaseCancelled");
	case WF_ANNOUNCE_CASE_SUSPENDED:
		return pack_case(parcel, "announceCaseSuspended");
	case WF_ANNOUNCE_CASE_RESUMED:
		return pack_case(parcel, "announceCaseResumed");
	case WF_ANNOUNCE_ITEM_ENABLED:
		return pack_item(parcel, "announceItemEnabled");
	case WF_ANNOUNCE_ITEM_CANCELLED:
		return pack_item(parcel, "announceItemCancelled");
	case WF_ANNOUNCE_TIMER_EXPIRED:
		return pack_item(parcel, "announceTimerExpiry");
	case WF_ANNOUNCE_ITEM_FIRED:
		return pack_status(parcel, "Enabled", WF_YAWL_PARENT);
	case WF_ANNOUNCE_ITEM_STARTED:
		return pack_status(parcel, "Fired", "Executing");
	case WF_ANNOUNCE_ITEM_ROLLED_BACK:
		return pack_status(parcel, "Executing", "Fired");
	case WF_ANNOUNCE_ITEM_SUSPENDED:
		return pack_status(parcel, status_word(parcel), "Suspended");
	case WF_ANNOUNCE_ITEM_RESUMED:
		return pack_status(parcel, "Suspended", status_word(parcel));
	case WF_ANNOUNCE_ITEM_ENDED:
		return pack_status(parcel, "Executing", status_word(parcel));
	case WF_ANNOUNCE_ENGINE_STARTED:
		return pack_engine_started(parcel);
	default:
		return WF_PARCEL_DONE;
	}
}

/* --- to listeners of interface X; their actions are numbers ----------------
 */

static enum wf_verdict pack_case_check(
    struct wf_parcel *parcel, const char *before)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer data;
	struct looking looking = { parcel, NULL, &data, false };

	put(parcel, "action", "0");
	put(parcel, "caseID", parcel->announced.name);
	put(parcel, "preCheck", before);
	wf_buffer_init(&data, TEXT_MAXIMUM);
	if (wf_engine_inspect(parcel->engine, parcel->message.number, look_at,
		&looking, &err) == WF_OK) {
		put(parcel, "data", wf_buffer_text(&data));
		(void)(put_spec_id(parcel, &err) == WF_OK);
	}
	wf_buffer_free(&data);
	return finish(parcel, &err);
}

static enum wf_verdict pack_item_check(
    struct wf_parcel *parcel, const char *before)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer data;

	put(parcel, "action", "1");
	put(parcel, "preCheck", before);
	wf_buffer_init(&data, TEXT_MAXIMUM);
	wf_buffer_puts(&data, XML_HEADER);
	if (put_item(parcel, &data, &err) == WF_OK)
		put(parcel, "data", wf_buffer_text(&data));
	wf_buffer_free(&data);
	return finish(parcel, &err);
}

enum wf_verdict wf_yawl_render_listener(struct wf_parcel *parcel)
{
	switch (parcel->message.kind) {
	case WF_ANNOUNCE_CASE_LAUNCHED:
		return pack_case_check(parcel, "true");
	case WF_ANNOUNCE_CASE_COMPLETED:
		return pack_case_check(parcel, "false");
	case WF_ANNOUNCE_ITEM_ENABLED:
		return pack_item_check(parcel, "true");
	case WF_ANNOUNCE_ITEM_ENDED:
		return pack_item_check(parcel, "false");
	case WF_ANNOUNCE_ITEM_REJECTED:
		return pack_item(parcel, "2");
	case WF_ANNOUNCE_TIMER_EXPIRED:
		return pack_item(parcel, "3");
	case WF_ANNOUNCE_CASE_CANCELLED:
		return pack_case(parcel, "6");
	default:
		return WF_PARCEL_DONE;
	}
}

/* What they say is not looked at, as long as they say it. */
enum wf_verdict wf_yawl_judge(struct wf_parcel *parcel)
{
	if (parcel->status >= 200 && parcel->status < 300)
		return WF_PARCEL_DONE;
	return wf_parcel_fail_with_answer(parcel);
}
