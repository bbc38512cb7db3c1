/* SPDX-License-Identifier: Apache-2.0 */
/* The actions of the gateways that add and remove listeners. */
#include "http/probe.h"
#include "worklist/listeners.h"
#include "yawl/resource/gateway.h"

/* Time-out for the answer of a listener that is being added, seconds. */
#define PING_SECONDS 1U

static enum wf_rc change(struct wf_gateway_call *call,
    enum wf_listener_kind kind, bool adds, struct wf_error *err)
{
	struct wf_engine *engine = call->yawl.server->engine;
	const char *uri = wf_gateway_text(call, "uri");
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = adds ? wf_listener_add(store, kind, uri, call->yawl.user, err)
		  : wf_listener_remove(store, kind, uri, err);
	wf_engine_give_back(engine, store);
	return rc;
}

static void add(struct wf_gateway_call *call, enum wf_listener_kind kind)
{
	const char *uri = wf_gateway_text(call, "uri");
	const char *silence = wf_http_probe(
	    uri, &call->yawl.server->settings.sender.allowed, PING_SECONDS);
	struct wf_error err = { .rc = WF_OK };

	if (silence != NULL)
		wf_gateway_fail(
		    call, "Listener unresponsive: %s: %s", uri, silence);
	else if (change(call, kind, true, &err) != WF_OK)
		wf_gateway_fail_error(call, &err);
	else
		wf_gateway_succeed(call);
}

/* One that is not there need not be removed. */
static void remove_one(struct wf_gateway_call *call, enum wf_listener_kind kind)
{
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc = change(call, kind, false, &err);

	if (rc == WF_OK || rc == WF_NOT_FOUND)
		wf_gateway_succeed(call);
	else
		wf_gateway_fail_error(call, &err);
}

void wf_gateway_add_listener(struct wf_gateway_call *call)
{
	add(call, WF_LISTENER_OF_WORK);
}

void wf_gateway_remove_listener(struct wf_gateway_call *call)
{
	remove_one(call, WF_LISTENER_OF_WORK);
}

void wf_gateway_add_status_listener(struct wf_gateway_call *call)
{
	add(call, WF_LISTENER_OF_CALENDAR);
}

void wf_gateway_remove_status_listener(struct wf_gateway_call *call)
{
	remove_one(call, WF_LISTENER_OF_CALENDAR);
}
