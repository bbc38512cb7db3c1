/* SPDX-License-Identifier: Apache-2.0 */
/* Pull: claiming items, keeping them by heartbeats, giving them back. */
#include <string.h>

#include "rest/rest.h"
#include "server/context.h"
#include "tracing/trace_context.h"
#include "work/case_data.h"
#include "work/claims.h"
#include "work/lease.h"

static bool read_fence(struct wf_rest *rest, json_t *body, uint64_t *fence_out)
{
	json_t *member = json_object_get(body, "fence");

	*fence_out = (uint64_t)json_integer_value(member);
	if (json_is_integer(member) && json_integer_value(member) > 0)
		return true;
	wf_rest_refuse(rest, "fence: expected the number that came with the "
			     "item");
	return false;
}

/* A duration of at most maximum; without the member *time_out stays. */
static bool read_time(struct wf_rest *rest, json_t *body, const char *name,
    int64_t most, int64_t *time_out)
{
	if (!wf_rest_duration(rest, body, name, time_out))
		return false;
	if (*time_out <= most)
		return true;
	wf_rest_refuse(rest, "%s: expected at most PT%lldS", name,
	    (long long)(most / 1000));
	return false;
}

/* Without the member *lease_out stays: -1, or that of the service. */
static bool read_lease(struct wf_rest *rest, json_t *body, int64_t *lease_out)
{
	if (!read_time(rest, body, "lease", WF_LEASE_MS, lease_out))
		return false;
	if (*lease_out != 0)
		return true;
	wf_rest_refuse(rest, "lease: expected more than nothing");
	return false;
}

/* --- claiming ------------------------------------------------------------- */

/* The answer to a claim, while its items arrive; in the request's arena. */
struct claim_answer {
	struct wf_rest *rest;
	json_t *items;
	const char *service; /* that was asked for: its URI */
};

/* No items for a worker that does not read its answers. */
static bool is_alive(void *context)
{
	const struct claim_answer *answer = context;
	struct wf_exchange *exchange = answer->rest->exchange;

	if (!wf_exchange_is_alive(exchange) || !wf_exchange_hold(exchange, 1))
		return false;
	wf_exchange_release(exchange, 1);
	return true;
}

/* The trace of the step that changed the item last, if it has one. */
static void put_trace(json_t *object, const char *text)
{
	char parent[WF_TRACEPARENT_SIZE];
	struct wf_trace_context context;

	if (!wf_trace_read(&context, text))
		return;
	wf_traceparent_write(&context, parent);
	json_object_set_new(object, "traceparent", json_string(parent));
	wf_json_put_text(object, "tracestate", context.state);
}

static void add_item(void *context, const struct wf_claimed_item *item)
{
	struct claim_answer *answer = context;
	const struct wf_item_row *row = item->row;
	const struct wf_decomposition *decomposition =
	    item->task->decomposition;
	json_t *object = json_object();

	json_object_set_new(object, "item", json_string(item->id));
	json_object_set_new(
	    object, "case", json_string(wf_case_id(item->instance)));
	wf_json_put_key(object, "specification", row->specification);
	json_object_set_new(object, "task", json_string(row->task));
	wf_json_put_text(object, "service", row->service);
	wf_json_put_text(object, "name", item->task->name);
	wf_data_put_documentation(
	    object, answer->rest->server->engine, item->instance, item->id);
	json_object_set_new(
	    object, "fence", json_integer((json_int_t)row->fence));
	json_object_set_new(object, "attempt", json_integer(row->attempt));
	wf_json_put_time(object, "until", row->lease_until);
	json_object_set_new(object, "data",
	    wf_data_values(decomposition->inputs, decomposition->input_count,
		item->input, item->input_length));
	put_trace(object, row->trace);
	json_array_append_new(answer->items, object);
}

/* Without items the answer says whether the service is paused. */
static void answer_claim(void *context)
{
	struct claim_answer *answer = context;
	struct wf_rest *rest = answer->rest;
	json_t *object = json_object();
	struct wf_pause pause;
	const char *name;

	if (json_array_size(answer->items) == 0 &&
	    wf_services_pause_of(rest->server->services,
		rest->account.namespace_id, answer->service, rest->arena,
		&pause, &name))
		wf_rest_put_pause(object, "paused", &pause);
	json_object_set_new(object, "items", answer->items);
	wf_rest_answer(rest, 200, object);
}

static void add_claim(struct wf_rest *rest, struct wf_claim_request *request)
{
	struct claim_answer *answer =
	    wf_arena_alloc(rest->arena, sizeof(*answer));

	answer->rest = rest;
	answer->items = json_array();
	answer->service = request->filter.service;
	request->origin = "rest";
	request->arena = rest->arena;
	request->context = answer;
	request->is_alive = is_alive;
	request->take = add_item;
	request->finish = answer_claim;
	wf_claims_add(rest->server->claims, request);
}

/* Finds a service by its name or its URI.  False: answered, it is forbidden. */
static bool find_service(
    struct wf_rest *rest, struct wf_claim_request *request, const char *name)
{
	struct wf_services *services = rest->server->services;
	const struct wf_service_set *set = wf_services_hold(services);
	uint32_t space = rest->account.namespace_id;
	const struct wf_service *service = wf_service_by_name(set, space, name);
	const char *service_name =
	    service == NULL ? NULL : wf_arena_strdup(rest->arena, name);

	if (service == NULL)
		service = wf_service_for(set, space, name);
	else if (strcmp(name, WF_DEFAULT_WORKLIST) != 0)
		name = service->uri;
	request->filter.service = wf_arena_strdup(rest->arena, name);
	request->lease_ms = wf_service_policy_of(service)->timeout_ms;
	wf_services_let_go(services, set);
	if (rest->is_allowed)
		return true;
	return wf_rest_may(rest, NULL,
	    service_name != NULL
		? service_name
		: wf_rest_service_name(rest, request->filter.service));
}

static bool read_claim(
    struct wf_rest *rest, json_t *body, struct wf_claim_request *request)
{
	int64_t wait = 0;
	uint32_t count = 1;
	const char *name;
	const char *task;

	if (!wf_rest_text(rest, body, "service", WF_REST_TEXT_BYTES, &name) ||
	    !wf_rest_text(rest, body, "task", WF_REST_TEXT_BYTES, &task) ||
	    !wf_rest_count(rest, body, "count", &count) ||
	    !read_time(rest, body, "wait", WF_CLAIM_WAIT_MS, &wait))
		return false;
	if (count < 1 || count > WF_CLAIM_ITEMS) {
		wf_rest_refuse(rest, "count: expected 1 to %u", WF_CLAIM_ITEMS);
		return false;
	}
	if (name != NULL && strcmp(name, WF_PEOPLE_SERVICE) == 0) {
		wf_rest_refuse(rest,
		    "service: expected one that workers have; items "
		    "of " WF_PEOPLE_SERVICE " are accepted in a worklist");
		return false;
	}
	if (!find_service(rest, request, name == NULL ? "" : name))
		return false;
	request->filter.namespace_id = rest->account.namespace_id;
	request->filter.statuses =
	    (1U << WF_ITEM_ENABLED) | (1U << WF_ITEM_FIRED);
	request->filter.limit = count;
	if (task != NULL)
		request->filter.task = wf_arena_strdup(rest->arena, task);
	request->owner = rest->account.name;
	request->until_ms = wf_engine_now(rest->server->engine) + wait;
	return read_lease(rest, body, &request->lease_ms);
}

void wf_rest_claim_items(struct wf_rest *rest)
{
	struct wf_claim_request request = { .owner = "" };
	json_t *body;
	bool good;

	if (!wf_rest_body(rest, &body))
		return;
	good = read_claim(rest, body, &request);
	json_decref(body);
	if (good)
		add_claim(rest, &request);
}

/* --- keeping and giving back ---------------------------------------------- */

static void fail_lease(struct wf_rest *rest, const struct wf_error *err)
{
	if (err->rc == WF_CONFLICT)
		wf_rest_problem(rest, 409, "lease", "Not in this state",
		    "the lease is over, or another's");
	else
		wf_rest_fail(rest, err);
}

/* The lease of a claim without a lease. */
static int64_t usual_lease(struct wf_rest *rest, const struct wf_item_row *row)
{
	struct wf_services *services = rest->server->services;
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service *service =
	    wf_service_for(set, row->namespace_id, row->service);
	int64_t lease = wf_service_policy_of(service)->timeout_ms;

	wf_services_let_go(services, set);
	return lease;
}

static enum wf_rc extend(struct wf_rest *rest, struct wf_store *store,
    uint64_t number, uint64_t fence, int64_t lease, int64_t *until_out,
    struct wf_error *err)
{
	struct wf_item_row row;
	enum wf_rc rc =
	    wf_rest_item_row(rest, store, number, rest->parts[0], &row, err);

	if (rc != WF_OK)
		return rc;
	*until_out = wf_engine_now(rest->server->engine) +
		     (lease < 0 ? usual_lease(rest, &row) : lease);
	rest->parts[0] = row.id;
	return wf_store_heartbeat(
	    store, number, row.id, rest->account.name, fence, *until_out, err);
}

/* lease: -1: as for a claim without a lease. */
static void keep(
    struct wf_rest *rest, uint64_t number, uint64_t fence, int64_t lease)
{
	struct wf_engine *engine = rest->server->engine;
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	int64_t until = 0;
	json_t *answer;
	enum wf_rc rc = wf_engine_borrow(engine, &store, &err);

	if (rc == WF_OK) {
		rc = extend(rest, store, number, fence, lease, &until, &err);
		wf_engine_give_back(engine, store);
	}
	if (rc != WF_OK) {
		fail_lease(rest, &err);
		return;
	}
	answer = json_object();
	json_object_set_new(answer, "item", json_string(rest->parts[0]));
	wf_json_put_time(answer, "until", until);
	wf_rest_answer(rest, 200, answer);
}

void wf_rest_keep_item(struct wf_rest *rest)
{
	int64_t lease = -1;
	struct wf_known_case known;
	uint64_t fence;
	json_t *body;
	bool good;

	if (!wf_rest_known_case_of_item(rest, rest->parts[0], &known) ||
	    !wf_rest_body(rest, &body))
		return;
	good = read_fence(rest, body, &fence) && read_lease(rest, body, &lease);
	json_decref(body);
	if (good)
		keep(rest, known.number, fence, lease);
}

static void answer_release(void *context, const struct wf_reply *reply)
{
	struct wf_rest *rest = context;
	json_t *answer;

	if (reply->rc != WF_OK) {
		wf_rest_fail(rest, &reply->error);
		return;
	}
	answer = json_object();
	json_object_set_new(answer, "item", json_string(rest->parts[0]));
	wf_rest_answer(rest, 200, answer);
}

static void give_back(struct wf_rest *rest, uint64_t number, uint64_t fence,
    const char *reason, int64_t delay)
{
	struct wf_engine *engine = rest->server->engine;
	struct wf_error err = { .rc = WF_OK };
	struct wf_item_row row;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, &err);

	if (rc == WF_OK) {
		rc = wf_rest_item_row(
		    rest, store, number, rest->parts[0], &row, &err);
		wf_engine_give_back(engine, store);
	}
	if (rc == WF_OK && (row.fence != fence || strcmp(row.lease_owner,
						      rest->account.name) != 0))
		rc = wf_fail(&err, WF_CONFLICT, "another has it");
	if (rc == WF_OK) {
		rest->parts[0] = row.id;
		rc = wf_lease_give_back(engine, rest->server->services, &row,
		    reason, delay < 0 ? 0 : wf_engine_now(engine) + delay,
		    answer_release, rest, &err);
	}
	if (rc != WF_OK)
		fail_lease(rest, &err);
}

void wf_rest_release_item(struct wf_rest *rest)
{
	struct wf_known_case known;
	const char *reason;
	int64_t delay = -1;
	uint64_t fence;
	json_t *body;

	if (!wf_rest_known_case_of_item(rest, rest->parts[0], &known) ||
	    !wf_rest_body(rest, &body))
		return;
	if (read_fence(rest, body, &fence) &&
	    read_time(rest, body, "delay", WF_LEASE_MS, &delay) &&
	    wf_rest_text(rest, body, "reason", WF_REST_TEXT_BYTES, &reason))
		give_back(rest, known.number, fence, reason, delay);
	json_decref(body);
}
