/* SPDX-License-Identifier: Apache-2.0 */
/* Announcing items again, and items that a service rejects. */
#include <string.h>

#include "data/xml_writer.h"
#include "work/reannounce.h"
#include "yawl/yawl.h"

/* --- many ----------------------------------------------------------------- */

static void reannounce(
    struct wf_yawl_call *call, enum wf_item_status status, const char *word)
{
	struct wf_item_filter filter = { .namespace_id = WF_NAMESPACE_DEFAULT,
		.statuses = UINT32_C(1) << status };
	struct wf_error err = { .rc = WF_OK };
	size_t done;

	if (wf_reannounce(call->server->engine, &filter, call->user,
		WF_YAWL_ORIGIN, &done, &err) != WF_OK) {
		wf_yawl_fail_error(call, &err);
		return;
	}
	wf_buffer_printf(&call->out,
	    "<success>%zu %s work items reannounced</success>", done, word);
	wf_yawl_answer(call);
}

void wf_yawl_reannounce_enabled(struct wf_yawl_call *call)
{
	reannounce(call, WF_ITEM_ENABLED, "enabled");
}

void wf_yawl_reannounce_executing(struct wf_yawl_call *call)
{
	reannounce(call, WF_ITEM_EXECUTING, "executing");
}

void wf_yawl_reannounce_fired(struct wf_yawl_call *call)
{
	reannounce(call, WF_ITEM_FIRED, "fired");
}

/* --- one ------------------------------------------------------------------ */

static void announce(
    struct wf_yawl_call *call, const char *id, const char *why, wf_yawl_f then)
{
	struct wf_request request = { .kind = WF_REQUEST_ANNOUNCE,
		.number = call->known.number,
		.announce = { .item = id, .reason = why } };

	wf_yawl_submit(call, &request, then);
}

static void answer_reannounced(struct wf_yawl_call *call)
{
	wf_buffer_puts(&call->out, "<success>Work item' ");
	wf_xml_put_text(&call->out, wf_yawl_parameter(call, "id"));
	wf_buffer_puts(&call->out, "' reannounced</success>");
	wf_yawl_answer(call);
}

void wf_yawl_reannounce_item(struct wf_yawl_call *call)
{
	const char *id = wf_yawl_parameter(call, "id");

	if (wf_yawl_find_item(
		call, id, wf_yawl_note_item, "Unknown work item: %s"))
		announce(call, id, NULL, answer_reannounced);
}

static void answer_rejected(struct wf_yawl_call *call)
{
	wf_buffer_puts(
	    &call->out, "<success>workitem rejection successful</success>");
	wf_yawl_answer(call);
}

static void pass_on(struct wf_yawl_call *call)
{
	announce(call, wf_yawl_parameter(call, "workItemID"), "rejected",
	    answer_rejected);
}

/* The item goes to the default worklist; a started one is rolled back first. */
void wf_yawl_reject(struct wf_yawl_call *call)
{
	const char *id = wf_yawl_parameter(call, "workItemID");
	struct wf_request request = { .command = { .kind = WF_COMMAND_ROLLBACK,
					  .item = id } };

	if (!wf_yawl_find_item(
		call, id, wf_yawl_note_item, "Unknown worklitem: %s"))
		return;
	request.number = call->known.number;
	/* Of a parent, only the instances are announced. */
	if (strcmp(call->status, WF_YAWL_PARENT) == 0)
		answer_rejected(call);
	else if (strcmp(call->status, "Executing") == 0)
		wf_yawl_submit(call, &request, pass_on);
	else
		pass_on(call);
}
