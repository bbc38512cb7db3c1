/* SPDX-License-Identifier: Apache-2.0 */
/* Services: registering, showing without secrets, removing. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "rest/rest.h"
#include "server/context.h"
#include "work/handler.h"
#include "work/reannounce.h"

#define LIST_BYTES 1000U

json_t *wf_rest_duration_json(int64_t milliseconds)
{
	char text[40];

	if (milliseconds % 1000 == 0)
		snprintf(text, sizeof(text), "PT%lldS",
		    (long long)(milliseconds / 1000));
	else
		snprintf(text, sizeof(text), "PT%lld.%03lldS",
		    (long long)(milliseconds / 1000),
		    (long long)(milliseconds % 1000));
	return json_string(text);
}

static json_t *describe(const struct wf_service *service)
{
	const struct wf_service_policy *policy = &service->policy;
	json_t *object = json_object();

	json_object_set_new(object, "name", json_string(service->name));
	json_object_set_new(object, "uri", json_string(service->uri));
	json_object_set_new(object, "kind", json_string(service->kind->name));
	wf_json_put_text(object, "address", service->address);
	wf_json_put_text(object, "documentation", service->documentation);
	wf_json_put_text(object, "token_url", service->token_url);
	wf_json_put_text(object, "client", service->client);
	wf_json_put_text(object, "scope", service->scope);
	json_object_set_new(
	    object, "has_secret", json_boolean(service->secret[0] != '\0'));
	json_object_set_new(object, "called",
	    json_boolean(wf_service_uncalled(service) == NULL));
	json_object_set_new(
	    object, "assignable", json_boolean(service->assignable));
	json_object_set_new(object, "attempts", json_integer(policy->attempts));
	json_object_set_new(
	    object, "delay", wf_rest_duration_json(policy->delay_ms));
	json_object_set_new(object, "backoff", json_integer(policy->backoff));
	json_object_set_new(
	    object, "cap", wf_rest_duration_json(policy->cap_ms));
	json_object_set_new(
	    object, "timeout", wf_rest_duration_json(policy->timeout_ms));
	json_object_set_new(
	    object, "concurrency", json_integer(policy->concurrency));
	wf_rest_put_pause(object, "paused", &service->pause);
	return object;
}

/* --- reading ------------------------------------------------------------- */

/* store: of which their states are read; NULL: none are wanted. */
static enum wf_rc describe_all(struct wf_rest *rest, struct wf_store *store,
    json_t *array, struct wf_error *err)
{
	struct wf_services *services = rest->server->services;
	const struct wf_service_set *set = wf_services_hold(services);
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < set->count; i++) {
		json_t *object;

		if (set->rows[i].namespace_id != rest->account.namespace_id)
			continue;
		object = describe(&set->rows[i]);
		json_array_append_new(array, object);
		if (store != NULL)
			rc = wf_rest_put_service_state(
			    rest, store, &set->rows[i], object, err);
	}
	wf_services_let_go(services, set);
	return rc;
}

void wf_rest_list_services(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store = NULL;
	json_t *array;
	json_t *answer;
	bool state;
	enum wf_rc rc;

	if (!wf_rest_switch(rest, "state", &state))
		return;
	if (state && !rest->invocation.in_pool) {
		wf_rest_go_to_pool(rest);
		return;
	}
	if (state && !wf_rest_borrow(rest, &store))
		return;
	array = json_array();
	rc = describe_all(rest, store, array, &err);
	if (store != NULL && !wf_rest_give_back(rest, store, rc, &err)) {
		json_decref(array);
		return;
	}
	answer = json_object();
	json_object_set_new(answer, "services", array);
	wf_rest_answer(rest, 200, answer);
}

/* The service that the path names; NULL: there is none. */
static const struct wf_service *find(
    const struct wf_rest *rest, const struct wf_service_set *set)
{
	return wf_service_by_name(
	    set, rest->account.namespace_id, rest->parts[0]);
}

enum wf_rc wf_rest_find_service(const struct wf_rest *rest,
    const struct wf_service_set *set, const struct wf_service **service_out,
    struct wf_error *err)
{
	*service_out = find(rest, set);
	return *service_out != NULL
		   ? WF_OK
		   : wf_fail(err, WF_NOT_FOUND, "there is no service %.100s",
			 rest->parts[0]);
}

void wf_rest_show_service(struct wf_rest *rest)
{
	struct wf_services *services = rest->server->services;
	const struct wf_service_set *set;
	const struct wf_service *service;
	struct wf_error err = { .rc = WF_OK };

	if (!wf_rest_may(rest, NULL, rest->parts[0]))
		return;
	set = wf_services_hold(services);
	if (wf_rest_find_service(rest, set, &service, &err) == WF_OK)
		wf_rest_answer(rest, 200, describe(service));
	else
		wf_rest_fail(rest, &err);
	wf_services_let_go(services, set);
}

/* --- reading a body: false: answered ------------------------------------- */

static bool read_words(
    struct wf_rest *rest, json_t *body, const char *name, const char **text_out)
{
	const char *text;

	if (!wf_rest_text(rest, body, name, WF_SERVICE_TEXT_BYTES, &text))
		return false;
	if (text == NULL)
		return true;
	if (strlen(text) == json_string_length(json_object_get(body, name))) {
		*text_out = text;
		return true;
	}
	wf_rest_refuse(rest, "%s: there is a NUL in it", name);
	return false;
}

static void refuse_kind(struct wf_rest *rest)
{
	const char *names[WF_SERVICE_KINDS_MAXIMUM];
	struct wf_buffer list;
	size_t count = 0;

	for (uint32_t i = 0; i < WF_SERVICE_KINDS_MAXIMUM; i++)
		if (wf_service_kind(i) != NULL)
			names[count++] = wf_service_kind(i)->name;
	wf_buffer_init(&list, LIST_BYTES);
	for (size_t i = 0; i < count; i++)
		wf_buffer_printf(&list, "%s%s",
		    i == 0	    ? ""
		    : i < count - 1 ? ", "
				    : " or ",
		    names[i]);
	wf_rest_refuse(rest, "kind: expected %s", wf_buffer_text(&list));
	wf_buffer_free(&list);
}

static bool read_kind(
    struct wf_rest *rest, json_t *body, struct wf_service *service)
{
	const char *kind = "";

	if (!read_words(rest, body, "kind", &kind))
		return false;
	service->kind = wf_service_kind_find(kind);
	if (service->kind != NULL)
		return true;
	refuse_kind(rest);
	return false;
}

static bool read_assignable(
    struct wf_rest *rest, json_t *body, struct wf_service *service)
{
	json_t *member = json_object_get(body, "assignable");

	service->assignable = member == NULL || json_is_true(member);
	if (member == NULL || json_is_boolean(member))
		return true;
	wf_rest_refuse(rest, "assignable: expected true or false");
	return false;
}

/* A missing member gets its default; a missing secret is kept. */
static bool read_service(
    struct wf_rest *rest, json_t *body, struct wf_service *service)
{
	struct wf_service_policy *policy = &service->policy;

	service->uri = "";
	service->address = "";
	service->documentation = "";
	service->token_url = "";
	service->client = "";
	service->scope = "";
	*policy = wf_service_policy_default;
	return read_kind(rest, body, service) &&
	       read_assignable(rest, body, service) &&
	       read_words(rest, body, "uri", &service->uri) &&
	       read_words(rest, body, "secret", &service->secret) &&
	       read_words(rest, body, "address", &service->address) &&
	       read_words(
		   rest, body, "documentation", &service->documentation) &&
	       read_words(rest, body, "token_url", &service->token_url) &&
	       read_words(rest, body, "client", &service->client) &&
	       read_words(rest, body, "scope", &service->scope) &&
	       wf_rest_count(rest, body, "attempts", &policy->attempts) &&
	       wf_rest_duration(rest, body, "delay", &policy->delay_ms) &&
	       wf_rest_count(rest, body, "backoff", &policy->backoff) &&
	       wf_rest_duration(rest, body, "cap", &policy->cap_ms) &&
	       wf_rest_duration(rest, body, "timeout", &policy->timeout_ms) &&
	       wf_rest_count(rest, body, "concurrency", &policy->concurrency);
}

/* --- changing ------------------------------------------------------------- */

static enum wf_rc change(struct wf_rest *rest, const struct wf_service *service,
    struct wf_error *err)
{
	struct wf_sender *sender = atomic_load(&rest->server->sender);
	struct wf_engine *engine = rest->server->engine;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	if (rc != WF_OK)
		return rc;
	if (service != NULL)
		rc = wf_services_put(
		    rest->server->services, store, service, err);
	else
		rc = wf_service_remove(
		    store, rest->account.namespace_id, rest->parts[0], err);
	if (rc == WF_OK && service == NULL)
		rc = wf_services_refresh(rest->server->services, store, err);
	wf_engine_give_back(engine, store);
	/* What waits for it may go to another address now. */
	if (rc == WF_OK && sender != NULL)
		wf_sender_wake(sender);
	return rc;
}

/* Items that wait for it are announced: to it, or as unserved. */
static enum wf_rc announce_waiting(
    struct wf_rest *rest, const char *uri, size_t most, struct wf_error *err)
{
	return wf_reannounce_waiting(rest->server->engine,
	    rest->account.namespace_id, uri, most, rest->account.name, "rest",
	    err);
}

static bool is_handed_items(const struct wf_service *service)
{
	return service->kind == &wf_push_handler ||
	       service->kind == &wf_built_in_handler;
}

static void put_service(
    struct wf_rest *rest, json_t *body, const struct wf_service *old)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_service service = { .name = rest->parts[0],
		.namespace_id = rest->account.namespace_id,
		.secret = old == NULL ? "" : old->secret };
	bool is_new;

	if (!read_service(rest, body, &service))
		return;
	is_new = old == NULL || !is_handed_items(old) ||
		 strcmp(old->uri, service.uri) != 0;
	/* A pause is no part of what is put. */
	if (old != NULL)
		service.pause = old->pause;
	if (change(rest, &service, &err) == WF_OK &&
	    (!is_new || !is_handed_items(&service) ||
		announce_waiting(rest, service.uri, 0, &err) == WF_OK))
		wf_rest_answer(
		    rest, old == NULL ? 201 : 200, describe(&service));
	else
		wf_rest_fail(rest, &err);
}

void wf_rest_put_service(struct wf_rest *rest)
{
	struct wf_services *services = rest->server->services;
	const struct wf_service_set *set;
	json_t *body;

	if (!wf_rest_may(rest, NULL, rest->parts[0]) ||
	    !wf_rest_body(rest, &body))
		return;
	set = wf_services_hold(services);
	put_service(rest, body, find(rest, set));
	wf_services_let_go(services, set);
	json_decref(body);
}

void wf_rest_remove_service(struct wf_rest *rest)
{
	struct wf_services *services = rest->server->services;
	const struct wf_service_set *set;
	const struct wf_service *old;
	struct wf_error err = { .rc = WF_OK };

	if (!wf_rest_may(rest, NULL, rest->parts[0]))
		return;
	set = wf_services_hold(services);
	old = find(rest, set);
	if (change(rest, NULL, &err) == WF_OK &&
	    (old == NULL || announce_waiting(rest, old->uri,
				WF_REANNOUNCE_REMOVED_MAXIMUM, &err) == WF_OK))
		wf_exchange_answer(rest->exchange, 204, NULL, "", 0);
	else
		wf_rest_fail(rest, &err);
	wf_services_let_go(services, set);
}

/* --- pausing -------------------------------------------------------------- */

static void answer_service(struct wf_rest *rest)
{
	struct wf_services *services = rest->server->services;
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service *service = find(rest, set);

	if (service == NULL)
		wf_exchange_answer(rest->exchange, 204, NULL, "", 0);
	else
		wf_rest_answer(rest, 200, describe(service));
	wf_services_let_go(services, set);
}

/* pause: NULL: the service is resumed. */
static void set_pause(struct wf_rest *rest, const struct wf_pause *pause)
{
	struct wf_server *server = rest->server;
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc;

	if (!wf_rest_borrow(rest, &store))
		return;
	rc = wf_engine_may_write(server->engine, WF_OPERATIONS_TABLES, &err);
	if (rc == WF_OK)
		rc = wf_services_pause(server->services, store,
		    rest->account.namespace_id, rest->parts[0], pause,
		    wf_engine_now(server->engine), &err);
	if (!wf_rest_give_back(rest, store, rc, &err))
		return;
	if (atomic_load(&server->sender) != NULL)
		wf_sender_wake(atomic_load(&server->sender));
	answer_service(rest);
}

void wf_rest_pause_service(struct wf_rest *rest)
{
	struct wf_pause pause;

	if (wf_rest_may(rest, NULL, rest->parts[0]) &&
	    wf_rest_read_pause(rest, &pause))
		set_pause(rest, &pause);
}

void wf_rest_resume_service(struct wf_rest *rest)
{
	struct wf_pause ignored;

	if (wf_rest_may(rest, NULL, rest->parts[0]) &&
	    wf_rest_read_pause(rest, &ignored))
		set_pause(rest, NULL);
}
