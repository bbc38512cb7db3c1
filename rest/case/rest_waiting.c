/* SPDX-License-Identifier: Apache-2.0 */
/* Why an enabled item is not done: how its service does. */
#include "rest/case/rest_waiting.h"

#include "base/time_text.h"
#include "server/context.h"
#include "work/handler.h"
#include "work/state/service_state.h"

static json_t *describe(const struct wf_service *service, const char *state)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", json_string(service->name));
	json_object_set_new(object, "state", json_string(state));
	return object;
}

static json_t *explain_missing(
    const char *item, const char *uri, struct wf_buffer *text)
{
	json_t *object = json_object();

	wf_buffer_printf(
	    text, "%s waits: the service %s is not registered\n", item, uri);
	json_object_set_new(object, "name", json_string(uri));
	json_object_set_new(object, "state", json_string("unregistered"));
	return object;
}

static json_t *explain_pause(struct wf_rest *rest, const char *item,
    const struct wf_service *service, struct wf_buffer *text)
{
	json_t *object = describe(service, "paused");

	wf_buffer_printf(text, "%s waits: the service %s is paused %s\n", item,
	    service->name, wf_pause_text(&service->pause, rest->arena));
	wf_rest_put_pause(object, "paused", &service->pause);
	return object;
}

/* Workers are known to the node that they ask. */
static json_t *explain_workers(const char *item,
    const struct wf_service *service, const struct wf_service_state *state,
    struct wf_buffer *text)
{
	json_t *object = describe(service, "unclaimed");
	char at[WF_TIME_TEXT_BYTES];

	wf_buffer_printf(text,
	    "%s waits for a worker of the service %s: ", item, service->name);
	if (state->worker_count == 0) {
		wf_buffer_puts(
		    text, "none has asked this node since it started\n");
		return object;
	}
	wf_time_text(state->workers[0].seen_at, at);
	wf_buffer_printf(text, "the last one asked at %s\n", at);
	wf_json_put_time(object, "asked", state->workers[0].seen_at);
	return object;
}

/* The reason may quote what belongs to another case. */
static json_t *explain_calls(struct wf_rest *rest, const char *item,
    const struct wf_service *service, const struct wf_service_state *state,
    struct wf_buffer *text)
{
	bool may = wf_rest_may_everywhere(rest, WF_MAY(READ));
	char at[WF_TIME_TEXT_BYTES];
	json_t *object;

	if (state->fails_since == 0)
		return describe(service, "called");
	object = describe(service, "failing");
	wf_time_text(state->fails_since, at);
	wf_buffer_printf(text,
	    "%s waits: calls of the service %s fail since "
	    "%s%s%s\n",
	    item, service->name, at, may ? ": " : "",
	    may ? state->failure : "");
	wf_json_put_time(object, "since", state->fails_since);
	if (may)
		wf_json_put_text(object, "reason", state->failure);
	return object;
}

static json_t *explain_registered(struct wf_rest *rest, const char *item,
    const struct wf_service *service, struct wf_buffer *text)
{
	struct wf_service_state state = { .active = 0 };

	if (wf_service_is_paused(service))
		return explain_pause(rest, item, service, text);
	(void)wf_service_state_read(wf_services_states(rest->server->services),
	    service->namespace_id, service->uri,
	    wf_engine_now(rest->server->engine), rest->arena, &state);
	return service->kind == &wf_pull_handler
		   ? explain_workers(item, service, &state, text)
		   : explain_calls(rest, item, service, &state, text);
}

json_t *wf_rest_explain_service(struct wf_rest *rest, const char *item,
    const char *uri, struct wf_buffer *text)
{
	struct wf_services *services = rest->server->services;
	const struct wf_service_set *set = wf_services_hold(services);
	uint32_t namespace_id = rest->account.namespace_id;
	const struct wf_service *service =
	    wf_service_for(set, namespace_id, uri);
	json_t *object = NULL;

	if (wf_service_is_missing(set, namespace_id, uri))
		object = explain_missing(item, uri, text);
	else if (service != NULL)
		object = explain_registered(rest, item, service, text);
	wf_services_let_go(services, set);
	return object;
}
