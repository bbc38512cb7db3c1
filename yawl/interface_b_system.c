/* SPDX-License-Identifier: Apache-2.0 */
/* Requests about the engine itself. */
#include <string.h>

#include "data/xml_writer.h"
#include "yawl/yawl.h"

void wf_yawl_get_build(struct wf_yawl_call *call)
{
	wf_buffer_puts(&call->out, "<buildproperties>");
	wf_xml_put_element(&call->out, "BuildNumber", PACKAGE_VERSION);
	wf_xml_put_element(&call->out, "Version", PACKAGE_VERSION);
	wf_xml_put_element(&call->out, "BuildDate", "");
	wf_xml_put_element(&call->out, "Engine", "Weft");
	wf_buffer_puts(&call->out, "</buildproperties>");
	wf_yawl_answer(call);
}

/* Weft has no gateways: data comes from services. */
void wf_yawl_get_gateways(struct wf_yawl_call *call)
{
	wf_buffer_puts(&call->out, "<ExternalDataGateways/>");
	wf_yawl_answer(call);
}

void wf_yawl_set_statistics(struct wf_yawl_call *call)
{
	const char *enabled = wf_yawl_parameter(call, "enabled");

	if (enabled == NULL ||
	    (strcmp(enabled, "true") != 0 && strcmp(enabled, "false") != 0)) {
		wf_buffer_puts(&call->out,
		    "<failure>Invalid parameter value 'enabled'</failure>");
		wf_yawl_answer(call);
		return;
	}
	atomic_store(&call->yawl->statistics, strcmp(enabled, "true") == 0);
	wf_yawl_succeed(call);
}

void wf_yawl_has_statistics(struct wf_yawl_call *call)
{
	wf_buffer_puts(&call->out,
	    atomic_load(&call->yawl->statistics) ? "true" : "false");
	wf_yawl_answer(call);
}

void wf_yawl_get_statistics(struct wf_yawl_call *call)
{
	struct wf_engine_counts counts;

	wf_engine_counts(call->server->engine, &counts);
	wf_buffer_puts(&call->out, "<statistics>");
	wf_xml_put_number(&call->out, "requests", (int64_t)counts.requests);
	wf_xml_put_number(&call->out, "refused", (int64_t)counts.refused);
	wf_xml_put_number(&call->out, "batches", (int64_t)counts.batches);
	wf_xml_put_number(&call->out, "statements", (int64_t)counts.statements);
	wf_xml_put_number(&call->out, "loads", (int64_t)counts.loads);
	wf_buffer_puts(&call->out, "</statistics>");
	wf_yawl_answer(call);
}

/* No times are measured here; /metrics has counts. */
void wf_yawl_get_performance(struct wf_yawl_call *call)
{
	wf_buffer_printf(&call->out,
	    "<requeststats timestamp=\"%lld\" previous=\"%lld\"><requests/>"
	    "</requeststats>",
	    (long long)wf_engine_now(call->server->engine),
	    (long long)call->yawl->started_at);
	wf_yawl_answer(call);
}

static void set_mode(struct wf_yawl_call *call, bool redundant,
    const char *mode, const char *done)
{
	if (atomic_exchange(&call->yawl->redundant, redundant) == redundant) {
		wf_yawl_fail(call, "Engine is already in %s mode", mode);
		return;
	}
	wf_buffer_printf(&call->out,
	    "<success>Engine successfully %s to %s mode</success>", done, mode);
	wf_yawl_answer(call);
}

void wf_yawl_promote(struct wf_yawl_call *call)
{
	set_mode(call, false, "active", "promoted");
}

void wf_yawl_demote(struct wf_yawl_call *call)
{
	set_mode(call, true, "redundant", "demoted");
}
