/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that are piled to a participant, and cases that are chained to one. */
#include <string.h>

#include "data/xml_writer.h"
#include "kernel/assignment/assignment.h"
#include "kernel/step.h"
#include "server/catalogue.h"
#include "yawl/resource/gateway.h"
#include "yawl/resource/queue_read.h"

/* False: the call is answered. */
static bool find_participant(struct wf_gateway_call *call)
{
	const char *id = wf_gateway_text(call, "participantid");
	struct wf_organisation *organisation = wf_gateway_organisation(call);
	bool is =
	    wf_org_find(organisation, WF_ORG_PARTICIPANT, id) != WF_ORG_NOBODY;

	wf_organisation_unref(&organisation);
	if (!is)
		wf_gateway_fail(call, "Unknown participant: %s", id);
	return is;
}

static const char *uri_of(
    const struct wf_specification_list *specs, const struct wf_pile *pile)
{
	for (size_t i = 0; i < specs->count; i++)
		if (strcmp(specs->rows[i].identifier, pile->specification) ==
			0 &&
		    strcmp(specs->rows[i].version, pile->version) == 0)
			return specs->rows[i].uri;
	return "";
}

void wf_gateway_get_piles(struct wf_gateway_call *call)
{
	struct wf_buffer *xml = &call->yawl.out;
	struct wf_specification_list specs;
	struct wf_pile_list piles;

	if (!find_participant(call) || !wf_yawl_list_specs(&call->yawl, &specs))
		return;
	piles = wf_piles_of(call->yawl.server->piles,
	    wf_gateway_text(call, "participantid"), call->yawl.arena);
	wf_buffer_puts(xml, "<piledTasks>");
	for (size_t i = 0; i < piles.count; i++) {
		const struct wf_pile *pile = &piles.rows[i];

		wf_buffer_puts(xml, "<task>");
		wf_yawl_put_spec_id(xml, pile->specification, pile->version,
		    uri_of(&specs, pile));
		wf_xml_put_element(xml, "taskid", pile->task);
		wf_buffer_puts(xml, "</task>");
	}
	wf_buffer_puts(xml, "</piledTasks>");
	wf_gateway_answer(call);
}

/* --- chains --------------------------------------------------------------- */

static void put_if_chained(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct wf_gateway_call *call = context;
	const struct wf_spec *spec = wf_case_spec(instance);

	if (stored->ended || strcmp(wf_case_chained(instance),
				 wf_gateway_text(call, "participantid")) != 0)
		return;
	wf_buffer_puts(&call->yawl.out, "<item>");
	wf_xml_put_text(&call->yawl.out, wf_case_id(instance));
	wf_buffer_puts(&call->yawl.out, "::");
	wf_xml_put_text(&call->yawl.out, spec->metadata.identifier == NULL
					     ? spec->uri
					     : spec->metadata.identifier);
	wf_buffer_puts(&call->yawl.out, "</item>");
}

/* Of the cases in which the participant has an item. */
void wf_gateway_get_chains(struct wf_gateway_call *call)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_texts ids;
	uint64_t last = 0;

	if (!find_participant(call))
		return;
	if (wf_queue_held(call, wf_gateway_text(call, "participantid"), &ids,
		&err) != WF_OK) {
		wf_gateway_fail_error(call, &err);
		return;
	}
	wf_buffer_puts(&call->yawl.out, "<chainedcases>");
	for (size_t i = 0; i < ids.count && err.rc == WF_OK; i++) {
		if (!wf_yawl_find_case_of(&call->yawl, ids.rows[i]) ||
		    call->yawl.known.number == last)
			continue;
		last = call->yawl.known.number;
		if (wf_engine_inspect(call->yawl.server->engine, last,
			put_if_chained, call, &err) == WF_NOT_FOUND)
			wf_error_clear(&err);
	}
	wf_buffer_puts(&call->yawl.out, "</chainedcases>");
	wf_gateway_answer(call);
}
