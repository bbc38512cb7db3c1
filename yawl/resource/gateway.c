/* SPDX-License-Identifier: Apache-2.0 */
/* Answers, and what handlers share. */
#include "yawl/resource/gateway.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "data/xml_writer.h"
#include "worklist/org_cache.h"

/* --- answers -------------------------------------------------------------- */

void wf_gateway_answer(struct wf_gateway_call *call)
{
	wf_yawl_answer(&call->yawl);
}

void wf_gateway_answer_text(struct wf_gateway_call *call, const char *text)
{
	wf_xml_put_text(&call->yawl.out, text);
	wf_gateway_answer(call);
}

void wf_gateway_succeed(struct wf_gateway_call *call)
{
	wf_buffer_reset(&call->yawl.out);
	wf_buffer_puts(&call->yawl.out, "<success/>");
	wf_gateway_answer(call);
}

static void put_failure(struct wf_gateway_call *call, const char *text)
{
	wf_buffer_reset(&call->yawl.out);
	wf_buffer_puts(&call->yawl.out, "<failure>");
	wf_xml_put_text(&call->yawl.out, text);
	wf_buffer_puts(&call->yawl.out, "</failure>");
}

void wf_gateway_fail(struct wf_gateway_call *call, const char *format, ...)
{
	va_list arguments;
	char text[2048];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	put_failure(call, text);
	wf_gateway_answer(call);
}

void wf_gateway_fail_bare(struct wf_gateway_call *call, const char *format, ...)
{
	va_list arguments;
	char text[2048];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	put_failure(call, text);
	call->yawl.around = NULL;
	wf_yawl_answer(&call->yawl);
}

void wf_gateway_fail_error(
    struct wf_gateway_call *call, const struct wf_error *err)
{
	wf_gateway_fail(call, "%s", err->message);
}

/* --- what handlers share -------------------------------------------------- */

const char *wf_gateway_parameter(
    const struct wf_gateway_call *call, const char *name)
{
	return wf_yawl_parameter(&call->yawl, name);
}

const char *wf_gateway_text(
    const struct wf_gateway_call *call, const char *name)
{
	const char *text = wf_gateway_parameter(call, name);

	return text == NULL ? "null" : text;
}

bool wf_gateway_is_true(const struct wf_gateway_call *call, const char *name)
{
	return strcasecmp(wf_gateway_text(call, name), "true") == 0;
}

void wf_gateway_set(
    struct wf_gateway_call *call, const char *name, const char *value)
{
	struct wf_target *target = &call->yawl.invocation.target;

	for (size_t i = 0; i < target->argument_count; i++)
		if (strcmp(target->arguments[i].name, name) == 0) {
			target->arguments[i].value = value;
			return;
		}
	if (value == NULL || target->argument_count == WF_TARGET_ARGUMENTS)
		return;
	target->arguments[target->argument_count++] =
	    (struct wf_argument){ name, value };
}

void wf_gateway_forward(struct wf_gateway_call *call,
    enum wf_yawl_interface interface, wf_yawl_f handle)
{
	call->yawl.interface = interface;
	handle(&call->yawl);
}

struct wf_organisation *wf_gateway_organisation(struct wf_gateway_call *call)
{
	return wf_org_cache_get(call->yawl.server->organisation);
}
