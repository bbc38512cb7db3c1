/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Saving edited data of an item, its documentation and its tag.  Data is
 * checked before it is saved: every parameter once, in their order, each of its
 * type.
 */
#include <string.h>

#include "data/xml_writer.h"
#include "kernel/assignment/assignment.h"
#include "people/audience.h"
#include "spec/markup.h"
#include "yawl/resource/item_draft.h"
#include "yawl/resource/item_read.h"
#include "yawl/resource/work_record.h"

/* --- checking ------------------------------------------------------------- */

/* Edited data on its way. */
struct update {
	struct wf_value_list list;
	bool is_held;	   /* by whoever saves */
	const char *queue; /* of the holder; NULL: nobody has it */
	bool is_executing;
	const char *status;
	bool is_root; /* its root has one of the names */
	const char *xml;
	struct wf_error err;
};

/* "Ask_customer" for a task with the name "Ask customer" */
static bool is_name(const char *root, const char *name)
{
	while (*name != '\0' && *root == (*name == ' ' ? '_' : *name)) {
		name++;
		root++;
	}
	return *root == '\0' && *name == '\0';
}

static bool is_input(const struct wf_decomposition *work, const char *name)
{
	for (size_t i = 0; i < work->input_count; i++)
		if (strcmp(work->inputs[i].name, name) == 0)
			return true;
	return false;
}

static void check_parameter(
    struct update *update, const struct wf_variable *variable, size_t *at)
{
	const struct wf_value *value =
	    *at < update->list.count ? update->list.values[*at] : NULL;

	if (update->err.rc != WF_OK)
		return;
	if (value == NULL || !wf_value_is_named(value, variable->name)) {
		if (!variable->optional)
			wf_fail(&update->err, WF_DATA,
			    "Schema validation failed: <%s> was expected",
			    variable->name);
		return;
	}
	++*at;
	(void)(wf_type_validate(variable->type, value, NULL, &update->err) ==
	       WF_OK);
}

static void check_data(
    struct update *update, const struct wf_decomposition *work)
{
	size_t at = 0;

	for (size_t i = 0; i < work->input_count; i++)
		check_parameter(update, &work->inputs[i], &at);
	for (size_t i = 0; i < work->output_count; i++)
		if (!is_input(work, work->outputs[i].name))
			check_parameter(update, &work->outputs[i], &at);
	if (update->err.rc == WF_OK && at < update->list.count)
		wf_fail(&update->err, WF_DATA,
		    "Schema validation failed: <%.*s> was not expected",
		    (int)update->list.values[at]->name_length,
		    wf_value_name(update->list.values[at]));
}

/* The data with the root that the item's own data has. */
static const char *rewrite(struct wf_yawl_call *call,
    const struct update *update, const struct wf_decomposition *work)
{
	struct wf_buffer xml;
	const char *text;

	wf_buffer_init(&xml, WF_YAWL_ANSWER_BYTES);
	wf_buffer_printf(&xml, "<%s>", work->root_name);
	for (size_t i = 0; i < update->list.count; i++)
		wf_buffer_append(&xml, wf_value_text(update->list.values[i]),
		    update->list.values[i]->length);
	wf_buffer_printf(&xml, "</%s>", work->root_name);
	text = wf_arena_strdup(call->arena, wf_buffer_text(&xml));
	wf_buffer_free(&xml);
	return text;
}

static void check_item(struct wf_yawl_call *yawl,
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)yawl;
	struct update *update = call->found;
	const struct wf_decomposition *work = item->task->decomposition;
	const char *root = update->list.root;

	(void)instance;
	update->status = wf_arena_strdup(yawl->arena, item->status);
	update->is_executing = strcmp(item->status, "Executing") == 0;
	update->is_held =
	    call->is_service || call->is_administrator ||
	    (item->assignment != NULL && call->participant != NULL &&
		strcmp(item->assignment->holder, call->participant) == 0);
	if (item->assignment != NULL && item->assignment->holder[0] != '\0')
		update->queue =
		    wf_participant_queue(item->assignment->holder, yawl->arena);
	update->is_root = strcmp(root, work->id) == 0 ||
			  strcmp(root, work->root_name) == 0 ||
			  strcmp(root, item->task->id) == 0 ||
			  is_name(root, item->task->name);
	if (!update->is_root)
		return;
	check_data(update, work);
	update->xml = rewrite(yawl, update, work);
}

/* --- data ----------------------------------------------------------------- */

/* YAWL has a failure in a failure here. */
static void fail_validation(struct wf_gateway_call *call, const char *text)
{
	struct wf_buffer *xml = &call->yawl.out;

	wf_buffer_reset(xml);
	wf_buffer_puts(xml, "<failure>Data failed validation: <failure>");
	wf_xml_put_text(xml, text);
	wf_buffer_puts(xml, "</failure></failure>");
	wf_gateway_answer(call);
}

static void answer_saved(
    struct wf_gateway_call *call, enum wf_rc rc, const struct wf_error *err)
{
	if (rc == WF_OK)
		wf_gateway_succeed(call);
	else
		wf_gateway_fail_error(call, err);
}

static void save(struct wf_gateway_call *call, const struct update *update)
{
	const char *id = wf_gateway_text(call, "workitemid");
	/* It may have been given to another meanwhile. */
	const struct wf_item_texts texts = { .queue = update->queue,
		.xml = update->xml };
	struct wf_error err = { .rc = WF_OK };

	if (!update->is_held)
		wf_gateway_fail(call, "The user has not the item.");
	else if (!update->is_executing)
		wf_gateway_fail(call,
		    "Workitem '%s' has a status of '%s' - data may only be "
		    "updated for a workitem with 'Executing' status.",
		    id, update->status);
	else if (!update->is_root)
		fail_validation(call,
		    "Invalid data structure: root element name must match "
		    "decomposition ID, task ID or task name");
	else if (update->err.rc != WF_OK)
		fail_validation(call, update->err.message);
	else
		answer_saved(
		    call, wf_item_draft_put(call, id, &texts, &err), &err);
}

void wf_gateway_update_data(struct wf_gateway_call *call)
{
	const char *data = wf_gateway_parameter(call, "data");
	const char *id = wf_gateway_text(call, "workitemid");
	struct update update = { .err = { .rc = WF_OK } };
	struct wf_error err = { .rc = WF_OK };
	bool found;

	if (data == NULL || *data == '\0') {
		wf_gateway_fail(call, "Data is null or empty.");
		return;
	}
	if (wf_value_list_parse(&update.list, data, strlen(data), NULL) !=
	    WF_OK) {
		wf_gateway_fail(call, "Data XML is malformed");
		return;
	}
	call->found = &update;
	found = wf_yawl_inspect_item(&call->yawl, id, check_item, &err);
	wf_value_list_free(&update.list);
	if (found)
		save(call, &update);
	else if (err.rc == WF_OK)
		wf_gateway_fail(call, "Unknown workitem: %s", id);
	else
		wf_gateway_fail_error(call, &err);
}

/* --- texts ---------------------------------------------------------------- */

void wf_gateway_set_documentation(struct wf_gateway_call *call)
{
	const char *id = wf_gateway_text(call, "workitemid");
	const struct wf_item_texts texts = { .documentation = wf_gateway_text(
						 call, "doco") };
	struct wf_error err = { .rc = WF_OK };

	if (!wf_yawl_inspect_item(&call->yawl, id, wf_yawl_note_item, &err))
		wf_gateway_fail(call, "Unknown work item with id: %s", id);
	else
		answer_saved(
		    call, wf_item_draft_put(call, id, &texts, &err), &err);
}

/* The record that a client sends back; NULL: it is none. */
static const struct wf_markup *read_record(struct wf_gateway_call *call)
{
	const struct wf_markup *root =
	    wf_yawl_parse(&call->yawl, wf_gateway_text(call, "wir"));

	return root != NULL && strcmp(root->name, "workItemRecord") == 0 ? root
									 : NULL;
}

/* Of a record, only what clients may change is kept. */
static void save_record(
    struct wf_gateway_call *call, const struct wf_markup *record)
{
	struct wf_arena *arena = call->yawl.arena;
	const char *id = wf_markup_text(arena, wf_markup_child(record, "id"));
	const struct wf_markup *data =
	    wf_markup_child(wf_markup_child(record, "updateddata"), NULL);
	struct wf_item_texts texts = {
		.tag = wf_markup_text(arena, wf_markup_child(record, "tag")),
		.documentation = wf_markup_text(
		    arena, wf_markup_child(record, "documentation")),
	};
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer xml;

	wf_buffer_init(&xml, WF_YAWL_ANSWER_BYTES);
	if (data != NULL) {
		wf_markup_write(data, -1, NULL, &xml);
		texts.xml = wf_arena_strdup(arena, wf_buffer_text(&xml));
	}
	wf_buffer_free(&xml);
	if (!wf_yawl_inspect_item(&call->yawl, id, wf_yawl_note_item, &err))
		wf_gateway_fail(call, "Unknown workitem: %s", id);
	else
		answer_saved(
		    call, wf_item_draft_put(call, id, &texts, &err), &err);
}

void wf_gateway_update_record_of_item(struct wf_gateway_call *call)
{
	const struct wf_markup *record = read_record(call);

	if (record != NULL) {
		save_record(call, record);
		return;
	}
	call->yawl.around = WF_YAWL_AROUND;
	wf_gateway_fail(call, "Malformed or empty work item XML record");
}

/* An item stands in its queue by its state; only its record is saved. */
void wf_gateway_update_queued(struct wf_gateway_call *call)
{
	const char *queue = wf_gateway_text(call, "queue");
	const char *id = wf_gateway_text(call, "participantid");
	struct wf_organisation *organisation = wf_gateway_organisation(call);
	bool is_known =
	    wf_org_find(organisation, WF_ORG_PARTICIPANT, id) != WF_ORG_NOBODY;

	wf_organisation_unref(&organisation);
	if (!is_known)
		wf_gateway_fail(call, "Unknown participant: %s", id);
	else if (queue[0] < '0' || queue[0] > '3' || queue[1] != '\0')
		wf_gateway_fail(call, "Invalid user queue type: %s", queue);
	else
		wf_gateway_update_record_of_item(call);
}
