/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a list: the task of an item says what may be done with it, and
 * sometimes its case, which is read then.
 */
#include <string.h>

#include "rest/worklist/worklist_priv.h"
#include "base/clip.h"
#include "kernel/step.h"
#include "kernel/view.h"
#include "spec/timing.h"
#include "work/case_data.h"
#include "worklist/audiences.h"
#include "worklist/piles.h"

#define BLANKS " \t\r\n"
/* The first line of a documentation, and a value, at most. */
#define LINE_BYTES 200U
#define VALUE_BYTES 200U

/* One row, and what is known of it. */
struct describing {
	struct wf_worklist *reading;
	const struct wf_item_row *row;
	const struct wf_list_person *person; /* on whose list it is; or NULL */
	json_t *object;
	struct wf_rest_actor actor;
	bool is_offered;   /* to the actor */
	bool operates;	   /* the account, items of the process */
	bool acts_by_case; /* what may be done depends on it */
	bool asks_case;	   /* what is shown does */
};

static void begin_row(struct describing *d)
{
	const struct wf_worklist *reading = d->reading;
	const struct wf_list_person *person = d->person;
	const char *own = reading->actor.participant;
	const struct wf_item_row *row = d->row;

	d->actor = reading->actor;
	d->is_offered =
	    row->assignment == WF_RESOURCE_OFFERED &&
	    (person != NULL ||
		(own != NULL && !wf_list_leaves_out(row, own) &&
		    wf_audiences_see(reading->rest->server->audiences,
			reading->organisation, row->queue, own)));
	if (person == NULL)
		return;
	d->actor.participant = person->id;
	d->actor.is_administrator = false;
	if (person->entry != NULL && d->actor.deputy == NULL)
		d->actor.deputy = own;
}

/* question: with the case; NULL: what can be done does not depend on it. */
static void put_actions(struct describing *d, const struct wf_task *task,
    const struct wf_people_question *question)
{
	const struct wf_worklist *reading = d->reading;
	const struct wf_item_row *row = d->row;
	struct wf_rest *rest = reading->rest;
	const struct wf_rest_work work = { .rest = rest,
		.organisation = reading->organisation,
		.task = task,
		.assignment = (enum wf_resource_status)row->assignment,
		.status = (enum wf_item_status)row->status,
		.was_started = row->started_at != 0,
		.holder = row->assignment >= WF_RESOURCE_ALLOCATED &&
				  strncmp(row->queue, "P:", 2) == 0
			      ? row->queue + 2
			      : "",
		.is_offered = d->is_offered,
		.operates = d->operates,
		.question = question,
		.actor = &d->actor,
		.item = row->id,
		.workload = d->person == NULL ? &reading->workload
					      : &d->person->workload,
		.piled = wf_piles_find(rest->server->piles, task, rest->arena),
		.chained = question == NULL
			       ? NULL
			       : wf_case_chained(question->instance) };

	wf_rest_put_actions(d->object, &work, false);
}

/* --- what an item is for -------------------------------------------------- */

static void put_first_line(json_t *object, const char *text)
{
	size_t length;

	if (text == NULL)
		return;
	text += strspn(text, BLANKS);
	length = strcspn(text, "\r\n");
	if (length > LINE_BYTES)
		length = wf_clipped_length(text, LINE_BYTES);
	while (length > 0 && strchr(BLANKS, text[length - 1]) != NULL)
		length--;
	if (length > 0)
		json_object_set_new(
		    object, "documentation", json_stringn(text, length));
}

static void put_documentation(
    struct describing *d, const struct wf_case *instance)
{
	json_t *whole = json_object();

	wf_data_put_documentation(
	    whole, d->reading->rest->server->engine, instance, d->row->id);
	put_first_line(d->object,
	    json_string_value(json_object_get(whole, "documentation")));
	json_decref(whole);
}

static const struct wf_timing *shown_by(const struct wf_spec *spec)
{
	return spec->root->decomposition->timing;
}

static bool names_values(const struct wf_spec *spec)
{
	const struct wf_timing *shown = shown_by(spec);

	return shown != NULL && shown->shown[0] != NULL;
}

/* Those of the root net that the process names. */
static void put_values(struct describing *d, const struct wf_case *instance)
{
	const struct wf_timing *shown = shown_by(wf_case_spec(instance));
	struct wf_arena *arena = d->reading->rest->arena;
	struct wf_net_view view;
	json_t *array;

	if (!names_values(wf_case_spec(instance)) ||
	    !wf_case_net(instance, WF_ROOT_NET, &view))
		return;
	array = json_array();
	for (size_t i = 0; i < WF_SHOWN_VALUES && shown->shown[i] != NULL;
	     i++) {
		const char *text =
		    wf_net_view_text(&view, shown->shown[i], arena);

		if (text != NULL)
			json_array_append_new(array,
			    json_pack("{s:s,s:o}", "name", shown->shown[i],
				"value",
				json_stringn(text,
				    wf_clipped_length(text, VALUE_BYTES))));
	}
	json_object_set_new(d->object, "values", array);
}

/* To how many it is offered, but those whom it leaves out. */
static void put_offered_count(struct describing *d)
{
	struct wf_worklist *reading = d->reading;
	struct wf_audiences *audiences = reading->rest->server->audiences;
	const struct wf_item_row *row = d->row;
	size_t count;

	if (row->assignment != WF_RESOURCE_OFFERED)
		return;
	if (reading->counted == NULL ||
	    strcmp(reading->counted, row->queue) != 0) {
		reading->counted = row->queue;
		reading->offered_count =
		    strncmp(row->queue, "P:", 2) == 0
			? 1
			: wf_audiences_count(
			      audiences, reading->organisation, row->queue);
	}
	count = reading->offered_count;
	for (const char *at = row->left_out; *at != '\0' && count > 0; at++) {
		size_t length = strcspn(at, ",");

		if (length > 0 &&
		    wf_audiences_see(audiences, reading->organisation,
			row->queue,
			wf_arena_strndup(reading->rest->arena, at, length)))
			count--;
		at += length;
		if (*at == '\0')
			break;
	}
	json_object_set_new(
	    d->object, "offered_count", json_integer((json_int_t)count));
}

static void put_task(void *context, const struct wf_spec *spec)
{
	struct describing *d = context;
	uint32_t at = 0;
	const struct wf_task *task = wf_spec_next_task(spec, d->row->task, &at);
	const struct wf_account *account = &d->reading->rest->account;
	const struct wf_object object = { account->namespace_id,
		wf_spec_identifier(spec), WF_PEOPLE_SERVICE };

	d->operates = wf_account_may(account, WF_MAY(OPERATE), &object);

	if (d->person != NULL && d->person->entry != NULL)
		wf_json_put_text(d->object, "for",
		    wf_rest_user(d->reading->organisation, d->person->id));
	if (task == NULL)
		return;
	wf_json_put_text(d->object, "name", task->name);
	wf_json_put_text(d->object, "process",
	    spec->metadata.title == NULL ? spec->uri : spec->metadata.title);
	/* To whom the case is chained is not asked: cases are rarely chained,
	 * and each row would read one. */
	d->acts_by_case = d->row->choice != 0 || wf_people_asks_case(task);
	d->asks_case = d->acts_by_case || task->described.pieces != NULL ||
		       names_values(spec);
	if (task->described.pieces == NULL)
		put_first_line(d->object, task->documentation);
	if (!d->acts_by_case)
		put_actions(d, task, NULL);
}

/* As the item is now. */
static void put_of_case(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct describing *d = context;
	struct wf_people_question question;
	struct wf_item item;

	(void)stored;
	if (wf_case_item(instance, d->row->id, &item, NULL) != WF_OK)
		return;
	if (item.task->described.pieces != NULL)
		put_documentation(d, instance);
	put_values(d, instance);
	if (!d->acts_by_case)
		return;
	question = wf_rest_people_question(instance, &item, &d->actor);
	put_actions(d, item.task, &question);
}

/* An item that has gone meanwhile has no actions. */
static void describe_row(struct describing *d)
{
	struct wf_rest *rest = d->reading->rest;
	const struct wf_list_case *of_case;

	begin_row(d);
	wf_json_put_text(
	    d->object, "title", wf_worklist_title(d->reading, d->row->number));
	of_case = wf_worklist_case(d->reading, d->row->number);
	if (of_case != NULL && of_case->is_suspended)
		json_object_set_new(d->object, "suspended_case", json_true());
	put_offered_count(d);
	(void)(wf_engine_inspect_spec(rest->server->engine,
		   rest->account.namespace_id, d->row->specification, false,
		   put_task, d, NULL) == WF_OK);
	if (!d->asks_case)
		return;
	(void)(wf_engine_inspect(rest->server->engine, d->row->number,
		   put_of_case, d, NULL) == WF_OK);
	if (json_object_get(d->object, "actions") == NULL)
		json_object_set_new(d->object, "actions", json_array());
}

json_t *wf_worklist_rows(
    struct wf_worklist *reading, const struct wf_list_page *page)
{
	const struct wf_item_list list = { page->rows, page->count };
	json_t *items = wf_rest_describe_items(reading->rest, &list);

	for (size_t i = 0; i < page->count; i++) {
		struct describing d = { .reading = reading,
			.row = &page->rows[i],
			.person = wf_worklist_person(reading, &page->rows[i]),
			.object = json_array_get(items, i) };

		describe_row(&d);
	}
	return items;
}
