/* SPDX-License-Identifier: Apache-2.0 */
/* Completing an item, and new instances of its task. */
#include <string.h>

#include "kernel/case.h"
#include "yawl/resource/item_action.h"
#include "yawl/resource/item_draft.h"
#include "yawl/resource/work_record.h"

/* The data that an item is completed with, when nothing was saved. */
static void note_output(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct wf_gateway_call *call = context;
	struct wf_buffer xml;

	wf_buffer_init(&xml, WF_YAWL_ANSWER_BYTES);
	if (!stored->ended &&
	    wf_case_item_default_output(instance,
		wf_gateway_text(call, "workitemid"), &xml, NULL) == WF_OK)
		call->found = wf_arena_strndup(
		    call->yawl.arena, wf_buffer_text(&xml), xml.length);
	wf_buffer_free(&xml);
}

static void fail_as_engine(struct wf_yawl_call *yawl)
{
	wf_gateway_fail_error((struct wf_gateway_call *)yawl, &yawl->error);
}

static void succeed(struct wf_yawl_call *yawl)
{
	wf_gateway_succeed((struct wf_gateway_call *)yawl);
}

void wf_gateway_complete(struct wf_gateway_call *call)
{
	struct wf_command command = { .kind = WF_COMMAND_COMPLETE,
		.participant = wf_gateway_text(call, "participantid") };
	struct wf_error err = { .rc = WF_OK };

	if (!wf_item_is_ready(call, "Started", "completed"))
		return;
	call->found = (void *)(uintptr_t)wf_item_draft_data(
	    call, wf_gateway_text(call, "workitemid"));
	if (call->found == NULL)
		(void)(wf_engine_inspect(call->yawl.server->engine,
			   call->yawl.known.number, note_output, call,
			   &err) == WF_OK);
	command.data = call->found;
	command.length = command.data == NULL ? 0 : strlen(command.data);
	call->yawl.refused = fail_as_engine;
	wf_item_submit(call, command, succeed);
}

/* --- instances ------------------------------------------------------------ */

static void fail_to_create(struct wf_yawl_call *yawl)
{
	wf_gateway_fail_bare(
	    (struct wf_gateway_call *)yawl, "Failed to create new instance");
}

static void show_created(struct wf_yawl_call *yawl)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)yawl;
	struct wf_error err = { .rc = WF_OK };

	if (wf_work_show(call, yawl->item, &err))
		wf_gateway_answer(call);
	else
		fail_to_create(yawl);
}

void wf_gateway_new_instance(struct wf_gateway_call *call)
{
	const char *value = wf_gateway_parameter(call, "newValue");
	const struct wf_command command = { .kind = WF_COMMAND_ADD,
		.is_forced = true, /* whoever has the item */
		.is_administrator = true,
		.participant = call->participant,
		.data = value,
		.length = value == NULL ? 0 : strlen(value) };

	if (!wf_yawl_find_case_of(
		&call->yawl, wf_gateway_parameter(call, "workitemid"))) {
		fail_to_create(&call->yawl);
		return;
	}
	call->yawl.refused = fail_to_create;
	wf_item_submit(call, command, show_created);
}
