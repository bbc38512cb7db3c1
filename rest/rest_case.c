/* SPDX-License-Identifier: Apache-2.0 */
/* Reading cases: lists, one case, its data, its picture, why a task waits. */
#include <stdlib.h>
#include <string.h>

#include "base/time_text.h"
#include "draw/draw.h"
#include "kernel/step.h"
#include "kernel/view.h"
#include "kernel/why.h"
#include "rest/case/rest_moment.h"
#include "rest/case/rest_waiting.h"
#include "rest/search/rest_search.h"
#include "rest/rest.h"
#include "rest/rest_data.h"
#include "rest/rest_item.h"
#include "server/case_filter.h"
#include "server/context.h"
#include "work/lease.h"

#define TEXT_MAXIMUM_BYTES ((size_t)256 << 20)
/* Items that a case is shown with, at most. */
#define ITEMS_SHOWN 100U

/* --- lists ---------------------------------------------------------------- */

static const char *argument_of(void *context, const char *name)
{
	return wf_rest_argument(context, name);
}

/* False: answered. */
static bool read_conditions(struct wf_rest *rest, struct wf_case_filter *filter)
{
	struct wf_error err = { .rc = WF_OK };

	if (wf_case_conditions_read(rest->server->engine, argument_of, rest,
		rest->arena, filter, &err) == WF_OK)
		return true;
	wf_rest_fail(rest, &err);
	return false;
}

static bool read_filter(struct wf_rest *rest, struct wf_case_filter *filter)
{
	const char *after = wf_rest_argument(rest, "after");
	bool ascending;

	memset(filter, 0, sizeof(*filter));
	filter->namespace_id = rest->account.namespace_id;
	if (!wf_rest_choice(rest, "order", "oldest", "newest", &ascending))
		return false;
	filter->descending = !ascending;
	return wf_rest_specifications(rest, &filter->specifications) &&
	       wf_rest_is_allowed(rest) && read_conditions(rest, filter) &&
	       wf_rest_limit(rest, &filter->limit) &&
	       (after == NULL ||
		   wf_rest_number(rest, "after", after, &filter->after));
}

json_t *wf_rest_describe_case(const struct wf_stored_case *stored)
{
	const struct wf_case_row *row = &stored->row;
	json_t *object = json_object();

	json_object_set_new(object, "case", json_string(row->name));
	wf_json_put_text(object, "title", row->title);
	wf_json_put_text(object, "owner", row->owner);
	wf_json_put_key(object, "specification", row->specification);
	json_object_set_new(
	    object, "status", json_string(wf_case_status_word(row->status)));
	json_object_set_new(
	    object, "sequence", json_integer((json_int_t)row->version));
	wf_json_put_time(object, "launched", row->launched_at);
	wf_json_put_time(object, "changed", row->changed_at);
	if (row->set_aside)
		json_object_set_new(object, "set_aside", json_true());
	return object;
}

static void put_process(void *context, const struct wf_spec *spec)
{
	const char *title = spec->metadata.title;

	wf_json_put_text(context, "process", title == NULL ? spec->uri : title);
}

/* The process of each row, which often is that of the row before. */
static void name_processes(
    struct wf_rest *rest, const struct wf_case_list *list, json_t *array)
{
	const struct wf_case_row *row;

	for (size_t i = 0; i < list->count; i++) {
		json_t *object = json_array_get(array, i);

		row = &list->rows[i].row;
		if (i > 0 &&
		    list->rows[i - 1].row.specification == row->specification) {
			json_t *before = json_object_get(
			    json_array_get(array, i - 1), "process");

			if (before != NULL)
				json_object_set(object, "process", before);
			continue;
		}
		(void)(wf_engine_inspect_spec(rest->server->engine,
			   rest->account.namespace_id, row->specification,
			   false, put_process, object, NULL) == WF_OK);
	}
}

static void put_incident(json_t *json, const struct wf_open_incident *open)
{
	if (open->id == 0)
		return;
	json_object_set_new(
	    json, "incident", json_integer((json_int_t)open->id));
	json_object_set_new(json, "incident_code", json_string(open->code));
}

/* Marks the cases, of these numbers, that have an incident. */
static enum wf_rc mark_incidents(struct wf_store *store, struct wf_arena *arena,
    const struct wf_case_list *list, json_t *array, struct wf_error *err)
{
	uint64_t *numbers =
	    wf_arena_array(arena, list->count, sizeof(*numbers));
	struct wf_open_incident *open =
	    wf_arena_array(arena, list->count, sizeof(*open));
	enum wf_rc rc;

	for (size_t i = 0; i < list->count; i++)
		numbers[i] = list->rows[i].row.number;
	rc = wf_store_open_incidents(
	    store, numbers, list->count, NULL, arena, open, err);
	for (size_t i = 0; rc == WF_OK && i < list->count; i++)
		put_incident(json_array_get(array, i), &open[i]);
	return rc;
}

/*
 * The participant whose cases are wanted; NULL: all are, which needs the right
 * to read.  False: answered.
 */
static bool read_whose(struct wf_rest *rest, const char **participant_out)
{
	struct wf_error err = { .rc = WF_OK };
	bool mine;

	*participant_out = NULL;
	if (!wf_rest_switch(rest, "mine", &mine))
		return false;
	if (!mine) {
		wf_rest_need(rest, WF_MAY(READ));
		return true;
	}
	/* read_filter() asks for the right. */
	wf_rest_need(rest, WF_MAY(PARTICIPATE));
	*participant_out = wf_rest_participant(rest);
	if (*participant_out != NULL)
		return true;
	wf_fail(&err, WF_DENIED,
	    "mine: the account %s is no participant of the organisation, or "
	    "this server has none",
	    rest->account.name);
	wf_rest_fail(rest, &err);
	return false;
}

void wf_rest_list_cases(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_case_filter filter;
	struct wf_case_list list;
	struct wf_store *store;
	const char *participant;
	json_t *array;
	enum wf_rc rc;

	if (!read_whose(rest, &participant) || !read_filter(rest, &filter))
		return;
	/* A participant sees the data of its items, not that of its cases. */
	if (filter.where != NULL && participant != NULL &&
	    !wf_rest_may_everywhere(rest, WF_MAY(READ))) {
		wf_rest_refuse_right(rest, WF_MAY(READ), " for where");
		return;
	}
	if (!wf_rest_borrow(rest, &store))
		return;
	array = json_array();
	filter.participant = participant;
	rc = wf_store_cases(store, &filter, rest->arena, &list, &err);
	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		json_array_append_new(
		    array, wf_rest_describe_case(&list.rows[i]));
	if (rc == WF_OK)
		rc = mark_incidents(store, rest->arena, &list, array, &err);
	if (!wf_rest_give_back(rest, store, rc, &err)) {
		json_decref(array);
		return;
	}
	name_processes(rest, &list, array);
	wf_rest_answer_page(rest, "cases", array, list.next);
}

/* --- one ------------------------------------------------------------------ */

/* The answer, filled while the case is inspected. */
struct inspection {
	struct wf_rest *rest;
	json_t *json;
	json_t *service; /* that an item waits for; NULL: none */
	struct wf_buffer text;
	struct wf_error err;
	struct wf_known_case known; /* the case */
	bool is_own;   /* seen by a participant without a right to read */
	uint64_t step; /* it is shown as it was after this one; 0: as it is */
};

/* The argument "step".  False: answered. */
static bool read_step(struct wf_rest *rest, uint64_t *step_out)
{
	const char *text = wf_rest_argument(rest, "step");

	*step_out = 0;
	if (text == NULL)
		return true;
	if (!wf_rest_number(rest, "step", text, step_out))
		return false;
	if (*step_out != 0)
		return true;
	wf_rest_refuse(rest,
	    "step: expected the number of a step, of which the first is 1");
	return false;
}

/* Inspects the case of the path.  False: the error has been answered. */
static bool inspect(
    struct wf_rest *rest, struct inspection *inspection, wf_inspect_f how)
{
	struct wf_engine *engine = rest->server->engine;
	enum wf_rc rc;

	inspection->rest = rest;
	if (!read_step(rest, &inspection->step))
		return false;
	if ((rest->verbs & WF_MAY(PARTICIPATE)) == 0
		? !wf_rest_known_case(rest, rest->parts[0], &inspection->known)
		: !wf_rest_visible_case(rest, rest->parts[0],
		      &inspection->known, &inspection->is_own))
		return false;
	rc = inspection->step == 0
		 ? wf_engine_inspect(engine, inspection->known.number, how,
		       inspection, &inspection->err)
		 : wf_engine_inspect_step(engine, inspection->known.number,
		       inspection->step, how, inspection, &inspection->err);
	if (rc == WF_OK && inspection->err.rc == WF_OK)
		return true;
	json_decref(inspection->json);
	if (rc == WF_NOT_FOUND && inspection->step == 0)
		wf_rest_refuse_case(rest, rest->parts[0]);
	else
		wf_rest_fail_case(rest, rest->parts[0], &inspection->err);
	return false;
}

static json_t *data_of(const struct wf_case *instance)
{
	const struct wf_net *root = wf_case_spec(instance)->root;
	struct wf_buffer xml;
	json_t *data;

	wf_buffer_init(&xml, TEXT_MAXIMUM_BYTES);
	wf_case_data(instance, &xml);
	data = wf_data_net_values(root, wf_buffer_text(&xml), xml.length);
	wf_buffer_free(&xml);
	return data;
}

static void describe_fully(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct inspection *inspection = context;

	inspection->json = wf_rest_describe_case(stored);
	put_process(inspection->json, wf_case_spec(instance));
	if (wf_case_is_stuck(instance))
		json_object_set_new(inspection->json, "stuck", json_true());
	json_object_set_new(
	    inspection->json, "nets", wf_rest_describe_nets(instance));
	json_object_set_new(
	    inspection->json, "timers", wf_rest_describe_timers(instance));
	if (inspection->step != 0)
		wf_rest_put_moment_items(
		    inspection->rest, inspection->json, instance, stored);
	/* A participant sees the data of its items. */
	if (!inspection->is_own)
		json_object_set_new(
		    inspection->json, "data", data_of(instance));
}

/* What the store knows beside the case: incidents, and its first items. */
static void put_rows(struct wf_rest *rest, json_t *json, uint64_t number)
{
	const struct wf_item_filter filter = { .number = number,
		.limit = ITEMS_SHOWN };
	struct wf_engine *engine = rest->server->engine;
	struct wf_item_list list = { .count = 0 };
	struct wf_store *store;
	struct wf_open_incident open;
	json_t *items = NULL;

	if (wf_engine_borrow(engine, &store, NULL) != WF_OK)
		return;
	if (wf_store_open_incidents(
		store, &number, 1, NULL, rest->arena, &open, NULL) == WF_OK)
		put_incident(json, &open);
	if (wf_store_items(store, &filter, rest->arena, &list, NULL) == WF_OK)
		items = wf_rest_describe_items(rest, &list);
	wf_engine_give_back(engine, store);
	if (items == NULL)
		return;
	wf_rest_name_tasks(rest, &list, items);
	json_object_set_new(json, "items", items);
}

void wf_rest_show_case(struct wf_rest *rest)
{
	struct inspection inspection = { .json = NULL };

	if (!inspect(rest, &inspection, describe_fully))
		return;
	if (inspection.step == 0)
		put_rows(rest, inspection.json, inspection.known.number);
	if (inspection.is_own)
		wf_rest_hide_services(
		    json_object_get(inspection.json, "items"));
	wf_rest_answer(rest, 200, inspection.json);
}

static void take_data(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct inspection *inspection = context;

	(void)stored;
	if (wf_rest_wants_xml(inspection->rest))
		wf_case_data(instance, &inspection->text);
	else
		inspection->json = data_of(instance);
}

void wf_rest_show_case_data(struct wf_rest *rest)
{
	struct inspection inspection = { .json = NULL };

	wf_buffer_init(&inspection.text, TEXT_MAXIMUM_BYTES);
	if (!inspect(rest, &inspection, take_data))
		;
	else if (inspection.json != NULL)
		wf_rest_answer(rest, 200, inspection.json);
	else
		wf_exchange_answer(rest->exchange, 200, "application/xml",
		    wf_buffer_text(&inspection.text), inspection.text.length);
	wf_buffer_free(&inspection.text);
}

/* --- why not -------------------------------------------------------------- */

/* What the items of the task wait for that are offered to a service. */
static void explain_service(
    struct inspection *inspection, const struct wf_case *instance)
{
	const char *task = wf_rest_argument(inspection->rest, "task");
	struct wf_item *items;
	size_t count = wf_case_items(instance, &items);

	for (size_t i = 0; i < count; i++) {
		char id[WF_ITEM_ID_SIZE];

		if (strcmp(items[i].task->id, task) != 0 ||
		    items[i].started_at != 0 || items[i].assignment != NULL)
			continue;
		wf_item_id(&items[i], id);
		inspection->service = wf_rest_explain_service(
		    inspection->rest, id, items[i].service, &inspection->text);
		break; /* the others wait for the same */
	}
	wf_free(items);
}

static void explain(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct inspection *inspection = context;
	enum wf_rc rc =
	    wf_why(instance, wf_rest_argument(inspection->rest, "task"),
		&inspection->text, &inspection->err);

	(void)stored;
	/* Services and failures are those of today.  rc: err says it. */
	if (rc == WF_OK && inspection->step == 0)
		explain_service(inspection, instance);
	if (rc == WF_OK)
		inspection->json = wf_rest_describe_wait(inspection->rest,
		    instance, wf_rest_argument(inspection->rest, "task"));
}

static bool is_of_task(const char *item, const char *task)
{
	const char *colon = strrchr(item, ':');

	return colon != NULL && strcmp(colon + 1, task) == 0;
}

static void put_attempt(
    struct inspection *inspection, const struct wf_item_row *row)
{
	int64_t now = wf_engine_now(inspection->rest->server->engine);
	char at[WF_TIME_TEXT_BYTES];

	if (row->last_answer[0] == '\0')
		return;
	wf_buffer_printf(&inspection->text, "%s: attempt %u failed: %s",
	    row->id, (unsigned)row->attempt, row->last_answer);
	if (row->not_before > now && row->not_before < WF_LEASE_HELD) {
		wf_time_text(row->not_before, at);
		wf_buffer_printf(&inspection->text, "; the next is at %s", at);
	}
	wf_buffer_puts(&inspection->text, "\n");
}

/* How the last attempts with items of the task went, and their incidents. */
static void explain_failures(struct inspection *inspection)
{
	const struct wf_rest *rest = inspection->rest;
	const char *task = wf_rest_argument(rest, "task");
	const struct wf_item_filter of_task = { .number =
						    inspection->known.number,
		.task = task,
		.limit = ITEMS_SHOWN };
	const struct wf_incident_filter of_case = {
		.namespace_id = rest->account.namespace_id,
		.number = inspection->known.number,
		.limit = ITEMS_SHOWN
	};
	struct wf_incident_list incidents;
	struct wf_item_list items;
	struct wf_store *store;

	/* Texts of failures may have data of the case. */
	if (inspection->is_own || inspection->step != 0 ||
	    wf_engine_borrow(rest->server->engine, &store, NULL) != WF_OK)
		return;
	if (wf_store_items(store, &of_task, rest->arena, &items, NULL) == WF_OK)
		for (size_t i = 0; i < items.count; i++)
			put_attempt(inspection, &items.rows[i]);
	if (wf_store_incidents(
		store, &of_case, rest->arena, &incidents, NULL) == WF_OK)
		for (size_t i = 0; i < incidents.count; i++)
			if (is_of_task(incidents.rows[i].item, task))
				wf_buffer_printf(&inspection->text,
				    "%s has the incident %llu (%s): %s\n",
				    incidents.rows[i].item,
				    (unsigned long long)incidents.rows[i].id,
				    incidents.rows[i].code,
				    incidents.rows[i].text);
	wf_engine_give_back(rest->server->engine, store);
}

static json_t *list_lines(const char *text)
{
	json_t *array = json_array();

	while (*text != '\0') {
		size_t length = strcspn(text, "\n");

		json_array_append_new(array, json_stringn(text, length));
		text += length + (text[length] == '\n');
	}
	return array;
}

void wf_rest_explain_task(struct wf_rest *rest)
{
	struct inspection inspection = { .json = NULL };
	json_t *answer;

	if (wf_rest_argument(rest, "task") == NULL) {
		wf_rest_refuse(rest, "task: expected the id of a task");
		return;
	}
	wf_buffer_init(&inspection.text, TEXT_MAXIMUM_BYTES);
	if (inspect(rest, &inspection, explain)) {
		explain_failures(&inspection);
		answer = json_object();
		json_object_set_new(answer, "reasons",
		    list_lines(wf_buffer_text(&inspection.text)));
		json_object_set_new(answer, "nets", inspection.json);
		if (inspection.service != NULL)
			json_object_set_new(
			    answer, "service", inspection.service);
		wf_rest_answer(rest, 200, answer);
	}
	wf_buffer_free(&inspection.text);
}

/* --- pictures ------------------------------------------------------------- */

static void draw(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct inspection *inspection = context;

	(void)stored;
	(void)(wf_draw_case(instance, &inspection->text, &inspection->err) ==
	       WF_OK);
}

void wf_rest_draw_case(struct wf_rest *rest)
{
	struct inspection inspection = { .json = NULL };

	wf_buffer_init(&inspection.text, TEXT_MAXIMUM_BYTES);
	if (inspect(rest, &inspection, draw))
		wf_exchange_answer(rest->exchange, 200, "image/svg+xml",
		    wf_buffer_text(&inspection.text), inspection.text.length);
	wf_buffer_free(&inspection.text);
}

/* --- erasing -------------------------------------------------------------- */

/* False: answered. */
static bool read_reason(struct wf_rest *rest, const char **reason_out)
{
	*reason_out = wf_rest_argument(rest, "reason");
	if (*reason_out != NULL && (*reason_out)[0] != '\0' &&
	    strlen(*reason_out) <= WF_REST_TEXT_BYTES)
		return true;
	wf_rest_refuse(rest,
	    "reason: expected a sentence of at most %u bytes that says why",
	    WF_REST_TEXT_BYTES);
	return false;
}

void wf_rest_erase_case(struct wf_rest *rest)
{
	struct wf_erased_row row = { .at = wf_engine_now(rest->server->engine),
		.actor = rest->account.name };
	struct wf_error err = { .rc = WF_OK };
	const char *id = rest->parts[0];
	struct wf_known_case known;
	struct wf_store *store;
	enum wf_rc rc;

	if (!wf_rest_known_case(rest, id, &known) ||
	    !read_reason(rest, &row.reason) || !wf_rest_borrow(rest, &store))
		return;
	row.number = known.number;
	wf_rest_note_act(rest, row.reason);
	rc = wf_engine_may_write(
	    rest->server->engine, WF_OPERATIONS_TABLES, &err);
	if (rc == WF_OK)
		rc = wf_store_erase(store, &row, &err);
	wf_engine_give_back(rest->server->engine, store);
	if (rc == WF_OK || rc == WF_NOT_FOUND)
		wf_server_forget_case(
		    rest->server, rest->account.namespace_id, id);
	if (rc == WF_OK)
		wf_exchange_answer(rest->exchange, 204, NULL, "", 0);
	else if (rc == WF_NOT_FOUND)
		wf_rest_refuse_case(rest, id);
	else
		wf_rest_fail(rest, &err);
}
