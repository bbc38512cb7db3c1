/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How services do: what waits for each in the store, and what this node has
 * seen of its calls and workers.
 */
#include <string.h>

#include "rest/overview/rest_overview.h"
#include "work/handler.h"
#include "work/state/service_state.h"

#define LEASES 100U

/* --- what this node has seen ---------------------------------------------- */

static const char *breaker_word(const struct wf_breaker *breaker, int64_t now)
{
	if (breaker->state == WF_BREAKER_CLOSED)
		return "closed";
	return breaker->state == WF_BREAKER_OPEN && breaker->open_until > now
		   ? "open"
		   : "half_open";
}

static json_t *describe_count(const struct wf_state_count *count)
{
	uint64_t calls = count->done + count->failed;
	json_t *object = json_object();

	json_object_set_new(
	    object, "done", json_integer((json_int_t)count->done));
	json_object_set_new(
	    object, "failed", json_integer((json_int_t)count->failed));
	if (calls > 0)
		json_object_set_new(object, "mean",
		    json_real((double)(count->took_us / calls / 1000) / 1000));
	return object;
}

static json_t *describe_workers(const struct wf_service_state *state)
{
	json_t *array = json_array();

	for (size_t i = 0; i < state->worker_count; i++) {
		const struct wf_state_worker *worker = &state->workers[i];
		json_t *object = json_object();

		json_object_set_new(
		    object, "account", json_string(worker->account));
		wf_json_put_time(object, "seen", worker->seen_at);
		json_object_set_new(
		    object, "items", json_integer((json_int_t)worker->items));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *describe_seen(const struct wf_service_state *state, int64_t now)
{
	json_t *object = json_object();

	json_object_set_new(object, "active", json_integer(state->active));
	json_object_set_new(
	    object, "breaker", json_string(breaker_word(&state->breaker, now)));
	if (state->breaker.state == WF_BREAKER_OPEN)
		wf_json_put_time(
		    object, "open_until", state->breaker.open_until);
	wf_json_put_time(object, "last_done", state->done_at);
	wf_json_put_time(object, "last_failed", state->failed_at);
	wf_json_put_time(object, "failing_since", state->fails_since);
	wf_json_put_text(object, "failure", state->failure);
	json_object_set_new(object, "minute", describe_count(&state->minute));
	json_object_set_new(object, "hour", describe_count(&state->hour));
	json_object_set_new(object, "workers", describe_workers(state));
	return object;
}

/* --- what waits ----------------------------------------------------------- */

static void put_count(json_t *object, const char *name, uint64_t count)
{
	json_object_set_new(object, name, json_integer((json_int_t)count));
	if (count >= WF_OVERVIEW_COUNTED)
		json_object_set_new(object, "at_least", json_true());
}

/* Items of workers stand in the store as they are, others as messages. */
static enum wf_rc put_waiting(struct wf_store *store,
    const struct wf_service *service, json_t *object, struct wf_error *err)
{
	struct wf_service_counts counts;
	uint64_t messages = 0;
	enum wf_rc rc;

	if (service->kind == &wf_pull_handler) {
		rc = wf_store_count_service(store, service->namespace_id,
		    service->uri, WF_OVERVIEW_COUNTED, &counts, err);
		if (rc != WF_OK)
			return rc;
		put_count(object, "waiting", counts.free);
		put_count(object, "leased", counts.leased);
		if (counts.oldest != INT64_MAX)
			wf_json_put_time(object, "oldest", counts.oldest);
		return WF_OK;
	}
	rc = wf_store_count_messages(store, service->namespace_id, service->uri,
	    WF_OVERVIEW_COUNTED, &messages, err);
	if (rc == WF_OK)
		put_count(object, "waiting", messages);
	return rc;
}

enum wf_rc wf_rest_put_service_state(struct wf_rest *rest,
    struct wf_store *store, const struct wf_service *service, json_t *object,
    struct wf_error *err)
{
	struct wf_server *server = rest->server;
	int64_t now = wf_engine_now(server->engine);
	struct wf_service_state state;
	json_t *described = json_object();
	enum wf_rc rc = put_waiting(store, service, described, err);

	if (rc == WF_OK &&
	    wf_service_state_read(wf_services_states(server->services),
		service->namespace_id, service->uri, now, rest->arena, &state))
		json_object_set_new(
		    described, "node", describe_seen(&state, now));
	json_object_set_new(object, "state", described);
	return rc;
}

/* --- one service ---------------------------------------------------------- */

static json_t *describe_leases(const struct wf_item_list *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->count && i < LEASES; i++) {
		const struct wf_item_row *row = &list->rows[i];
		json_t *object = json_object();

		json_object_set_new(object, "item", json_string(row->id));
		json_object_set_new(
		    object, "holder", json_string(row->lease_owner));
		wf_json_put_time(object, "until", row->lease_until);
		json_object_set_new(
		    object, "attempt", json_integer(row->attempt));
		json_array_append_new(array, object);
	}
	return array;
}

static enum wf_rc read_leases(struct wf_rest *rest, struct wf_store *store,
    const struct wf_service *service, json_t *answer, struct wf_error *err)
{
	const struct wf_item_filter filter = { .namespace_id =
						   service->namespace_id,
		.service = service->uri,
		.leased = true,
		.limit = LEASES + 1 };
	struct wf_item_list list = { .count = 0 };
	enum wf_rc rc = wf_store_items(store, &filter, rest->arena, &list, err);

	if (rc != WF_OK)
		return rc;
	json_object_set_new(answer, "leases", describe_leases(&list));
	json_object_set_new(
	    answer, "more_leases", json_boolean(list.count > LEASES));
	return rc;
}

/* A copy of what is needed of it. */
static enum wf_rc find(
    struct wf_rest *rest, struct wf_service *service_out, struct wf_error *err)
{
	struct wf_services *services = rest->server->services;
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service *found;
	enum wf_rc rc = wf_rest_find_service(rest, set, &found, err);

	if (rc == WF_OK)
		*service_out = (struct wf_service){
			.namespace_id = found->namespace_id,
			.name = wf_arena_strdup(rest->arena, found->name),
			.uri = wf_arena_strdup(rest->arena, found->uri),
			.kind = found->kind,
		};
	wf_services_let_go(services, set);
	return rc;
}

void wf_rest_show_service_state(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_service service;
	struct wf_store *store;
	json_t *answer;
	enum wf_rc rc;

	if (!wf_rest_may(rest, NULL, rest->parts[0]))
		return;
	if (find(rest, &service, &err) != WF_OK) {
		wf_rest_fail(rest, &err);
		return;
	}
	if (!wf_rest_borrow(rest, &store))
		return;
	answer = json_object();
	json_object_set_new(answer, "name", json_string(service.name));
	rc = wf_rest_put_service_state(rest, store, &service, answer, &err);
	if (rc == WF_OK)
		rc = read_leases(rest, store, &service, answer, &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		wf_rest_answer(rest, 200, answer);
	else
		json_decref(answer);
}
