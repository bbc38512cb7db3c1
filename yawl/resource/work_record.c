/* SPDX-License-Identifier: Apache-2.0 */
#include "yawl/resource/work_record.h"

#include <string.h>

#include "data/xml_writer.h"
#include "kernel/assignment/assignment.h"
#include "yawl/parameter.h"
#include "yawl/resource/item_draft.h"

/* Who starts items that the system starts, in YAWL. */
#define SYSTEM_NAME "DefaultWorklist"

enum wf_work_queue wf_work_queue_of(
    uint32_t assignment, enum wf_item_status status)
{
	switch (assignment) {
	case WF_RESOURCE_OFFERED:
		return WF_WORK_OFFERED;
	case WF_RESOURCE_ALLOCATED:
		return WF_WORK_ALLOCATED;
	case WF_RESOURCE_STARTED:
		return status == WF_ITEM_SUSPENDED ? WF_WORK_SUSPENDED
						   : WF_WORK_STARTED;
	default:
		return WF_WORK_QUEUES;
	}
}

const char *wf_work_status(const struct wf_yawl_item *item)
{
	enum wf_resource_status status = item->assignment == NULL
					     ? WF_RESOURCE_NONE
					     : item->assignment->status;

	return status == WF_RESOURCE_STARTED &&
		       strcmp(item->status, "Suspended") == 0
		   ? "Suspended"
		   : wf_resource_status_name(status);
}

/* A number that is 0 is no time. */
static void put_time(struct wf_buffer *xml, const char *name, int64_t at)
{
	if (at > 0)
		wf_xml_put_number(xml, name, at);
	else
		wf_xml_put_element(xml, name, "");
}

static void put_specification(struct wf_buffer *xml, const struct wf_spec *spec)
{
	wf_yawl_put_version(xml, "specversion", spec->metadata.version);
	wf_xml_put_element(xml, "specuri", spec->uri);
}

static void put_times(struct wf_buffer *xml, const struct wf_yawl_item *item)
{
	put_time(xml, "enablementTimeMs", item->enabled_at);
	put_time(xml, "firingTimeMs", item->fired_at);
	put_time(xml, "startTimeMs", item->started_at);
	wf_xml_put_element(xml, "completionTimeMs", "");
	wf_xml_put_element(xml, "timertrigger",
	    item->timer_at <= 0	 ? ""
	    : item->timer_is_own ? "OnExecuting"
				 : "OnEnabled");
	put_time(xml, "timerexpiry", item->timer_at);
}

static const char *starter_of(const struct wf_yawl_item *item)
{
	if (item->started_at == 0)
		return "";
	return item->started_by == NULL ? SYSTEM_NAME : item->started_by;
}

static void put_data(struct wf_buffer *xml, const struct wf_yawl_item *item)
{
	const struct wf_decomposition *work = item->task->decomposition;

	wf_buffer_puts(xml, "<data>");
	if (item->is_child && item->data != NULL)
		wf_yawl_put_input(xml, work, item->data);
	wf_buffer_puts(xml, "</data>");
}

static void put_updated(struct wf_buffer *xml, const json_t *draft)
{
	const char *data = wf_item_draft_text(draft, "xml");

	wf_buffer_puts(xml, "<updateddata>");
	if (data != NULL)
		wf_buffer_puts(xml, data);
	wf_buffer_puts(xml, "</updateddata>");
}

void wf_work_put_record(struct wf_yawl_call *call,
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	struct wf_buffer *xml = &call->out;
	const json_t *draft = ((struct wf_gateway_call *)call)->draft;
	const char *documentation = wf_item_draft_text(draft, "documentation");
	const struct wf_task *task = item->task;
	const struct wf_decomposition *work = task->decomposition;
	const struct wf_spec *spec = task->net->spec;
	char text[WF_ITEM_ID_SIZE > WF_YAWL_CHOICE_SIZE ? WF_ITEM_ID_SIZE
							: WF_YAWL_CHOICE_SIZE];

	(void)instance;
	wf_buffer_puts(xml, "<workItemRecord");
	wf_yawl_put_attributes(xml, work->attributes, work->attribute_count);
	wf_buffer_putc(xml, '>');
	wf_yawl_item_id(item, text);
	wf_xml_put_element(xml, "id", text);
	put_specification(xml, spec);
	wf_xml_put_element(xml, "caseid", item->case_id);
	wf_xml_put_element(xml, "taskid", task->id);
	wf_yawl_unique_id(item, text);
	wf_xml_put_element(xml, "uniqueid", text);
	wf_xml_put_element(xml, "taskname", task->name);
	wf_xml_put_element(xml, "documentation",
	    documentation == NULL ? item->documentation : documentation);
	wf_xml_put_element(xml, "allowsdynamiccreation",
	    wf_yawl_true(task->multi != NULL && task->multi->is_dynamic));
	wf_xml_put_element(
	    xml, "requiresmanualresourcing", wf_yawl_true(!work->is_automated));
	wf_xml_put_element(xml, "codelet", work->codelet);
	wf_yawl_choice_id(item, text);
	wf_xml_put_element(xml, "deferredChoiceGroupid", text);
	put_times(xml, item);
	wf_xml_put_element(xml, "status", item->status);
	wf_xml_put_element(xml, "resourceStatus", wf_work_status(item));
	wf_xml_put_element(xml, "startedBy", starter_of(item));
	wf_xml_put_element(xml, "completedBy", "");
	wf_xml_put_element(xml, "tag", wf_item_draft_text(draft, "tag"));
	wf_xml_put_element(xml, "customform", task->custom_form);
	wf_xml_put_element(xml, "logPredicateStarted", work->log.start.text);
	wf_xml_put_element(
	    xml, "logPredicateCompletion", work->log.completion.text);
	wf_xml_put_element(xml, "specidentifier", spec->metadata.identifier);
	put_data(xml, item);
	put_updated(xml, draft);
	wf_buffer_puts(xml, "</workItemRecord>");
}

bool wf_work_show(
    struct wf_gateway_call *call, const char *id, struct wf_error *err)
{
	bool found;

	call->draft = wf_item_draft_show(call, id);
	found = wf_yawl_inspect_item(&call->yawl, id, wf_work_put_record, err);
	json_decref(call->draft);
	call->draft = NULL;
	return found;
}
