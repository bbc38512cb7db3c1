/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Actions that the gateway only passes on to the engine: specifications, cases,
 * services and clients, with the engine's own answers.
 */
#include <string.h>

#include "data/xml_writer.h"
#include "http/probe.h"
#include "yawl/parameter.h"
#include "yawl/resource/gateway.h"

#define PROBE_SECONDS 1U

/* Gives a parameter the name that the other interface knows. */
static void call_it(
    struct wf_gateway_call *call, const char *from, const char *to)
{
	wf_gateway_set(call, to, wf_gateway_parameter(call, from));
}

/* --- specifications ------------------------------------------------------- */

static void put_listed(void *context, const struct wf_spec *spec)
{
	struct wf_gateway_call *call = context;

	wf_yawl_put_listed_specification(&call->yawl.out, spec);
}

/* A specification that is removed meanwhile is not listed. */
void wf_gateway_list_specs(struct wf_gateway_call *call)
{
	struct wf_yawl_call *yawl = &call->yawl;
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_list specs;

	if (!wf_yawl_list_specs(yawl, &specs))
		return;
	wf_buffer_puts(&yawl->out, "<specificationdataset>");
	for (size_t i = 0; i < specs.count && err.rc == WF_OK; i++)
		if (wf_engine_inspect_spec(yawl->server->engine,
			WF_NAMESPACE_DEFAULT, specs.rows[i].key, false,
			put_listed, call, &err) == WF_NOT_FOUND)
			wf_error_clear(&err);
	wf_buffer_puts(&yawl->out, "</specificationdataset>");
	if (err.rc == WF_OK)
		wf_gateway_answer(call);
	else
		wf_gateway_fail_error(call, &err);
}

static void put_spec(void *context, const struct wf_spec *spec)
{
	struct wf_gateway_call *call = context;
	struct wf_buffer *xml = &call->yawl.out;
	static const char end[] = "</specificationData>";

	wf_yawl_put_listed_specification(xml, spec);
	if (xml->full)
		return;
	/* The whole specification is its last part. */
	xml->length -= strlen(end);
	wf_buffer_puts(xml, "<specAsXML>");
	wf_yawl_put_spec(xml, spec);
	wf_buffer_puts(xml, "</specAsXML>");
	wf_buffer_puts(xml, end);
}

void wf_gateway_get_spec(struct wf_gateway_call *call)
{
	struct wf_yawl_call *yawl = &call->yawl;
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_row row;

	if (wf_yawl_find_spec(yawl, &row, &err) &&
	    wf_engine_inspect_spec(yawl->server->engine, WF_NAMESPACE_DEFAULT,
		row.key, false, put_spec, call, &err) == WF_OK)
		wf_gateway_answer(call);
	else
		wf_gateway_fail_error(call, &err);
}

void wf_gateway_upload(struct wf_gateway_call *call)
{
	call_it(call, "fileContents", "specXML");
	wf_gateway_forward(call, WF_YAWL_IA, wf_yawl_upload);
}

void wf_gateway_unload(struct wf_gateway_call *call)
{
	wf_gateway_forward(call, WF_YAWL_IA, wf_yawl_unload);
}

/* --- cases ---------------------------------------------------------------- */

void wf_gateway_launch(struct wf_gateway_call *call)
{
	call_it(call, "casedata", "caseParams");
	wf_gateway_forward(call, WF_YAWL_IB, wf_yawl_launch_case);
}

void wf_gateway_cancel(struct wf_gateway_call *call)
{
	call_it(call, "caseid", "caseID");
	wf_gateway_forward(call, WF_YAWL_IB, wf_yawl_cancel_case);
}

void wf_gateway_get_cases(struct wf_gateway_call *call)
{
	wf_gateway_forward(call, WF_YAWL_IB, wf_yawl_get_cases);
}

void wf_gateway_get_case_data(struct wf_gateway_call *call)
{
	call_it(call, "caseid", "caseID");
	wf_gateway_forward(call, WF_YAWL_IB, wf_yawl_get_case_data);
}

/* --- services and clients ------------------------------------------------- */

void wf_gateway_get_services(struct wf_gateway_call *call)
{
	wf_gateway_forward(call, WF_YAWL_IA, wf_yawl_get_services);
}

/* Unlike interface A, YAWL's gateway takes no service that does not answer. */
void wf_gateway_add_service(struct wf_gateway_call *call)
{
	const char *uri = wf_gateway_text(call, "uri");
	const char *assignable = wf_gateway_parameter(call, "assignable");
	struct wf_buffer xml;

	if (wf_http_probe(uri, &call->yawl.server->settings.sender.allowed,
		PROBE_SECONDS) != NULL) {
		wf_yawl_fail(&call->yawl, "Service unresponsive: %s", uri);
		return;
	}
	wf_buffer_init(&xml, WF_YAWL_ANSWER_BYTES);
	wf_buffer_puts(&xml, "<yawlService");
	wf_xml_put_attribute(&xml, "id", uri);
	wf_buffer_putc(&xml, '>');
	wf_xml_put_element(&xml, "servicename", wf_gateway_text(call, "name"));
	wf_xml_put_element(&xml, "servicepassword",
	    wf_yawl_hash(&call->yawl, wf_gateway_text(call, "password")));
	wf_xml_put_element(
	    &xml, "documentation", wf_gateway_parameter(call, "doco"));
	wf_xml_put_element(
	    &xml, "assignable", assignable == NULL ? "true" : assignable);
	wf_buffer_puts(&xml, "</yawlService>");
	wf_gateway_set(call, "service",
	    wf_arena_strdup(call->yawl.arena, wf_buffer_text(&xml)));
	wf_buffer_free(&xml);
	wf_gateway_forward(call, WF_YAWL_IA, wf_yawl_new_service);
}

void wf_gateway_remove_service(struct wf_gateway_call *call)
{
	call_it(call, "serviceid", "serviceURI");
	wf_gateway_forward(call, WF_YAWL_IA, wf_yawl_remove_service);
}

/* The password is plain here. */
void wf_gateway_add_client(struct wf_gateway_call *call)
{
	const char *password = wf_gateway_parameter(call, "password");

	call_it(call, "name", "userID");
	if (password != NULL)
		wf_gateway_set(
		    call, "password", wf_yawl_hash(&call->yawl, password));
	wf_gateway_forward(call, WF_YAWL_IA, wf_yawl_create_account);
}

void wf_gateway_remove_client(struct wf_gateway_call *call)
{
	call_it(call, "name", "userID");
	wf_gateway_forward(call, WF_YAWL_IA, wf_yawl_delete_account);
}

/* There is no second copy of the items that could differ from the engine's. */
void wf_gateway_synchronise(struct wf_gateway_call *call)
{
	wf_gateway_succeed(call);
}
