/* SPDX-License-Identifier: Apache-2.0 */
/* Incidents: listing, showing, retrying, dropping. */
#include <stdatomic.h>
#include <string.h>

#include "rest/search/rest_search.h"
#include "rest/rest.h"
#include "server/case_filter.h"
#include "server/context.h"
#include "server/request_spans.h"

#define PAGE 1000U

json_t *wf_rest_describe_incident(struct wf_rest *rest, struct wf_store *store,
    const struct wf_incident_row *row)
{
	json_t *object = json_object();
	struct wf_stored_case stored;

	json_object_set_new(
	    object, "incident", json_integer((json_int_t)row->id));
	if (row->number != 0 && wf_store_case(store, row->number, false,
				    rest->arena, &stored, NULL) == WF_OK)
		wf_json_put_text(object, "case", stored.row.name);
	wf_json_put_text(object, "item", row->item);
	json_object_set_new(object, "code", json_string(row->code));
	json_object_set_new(object, "text", json_string(row->text));
	json_object_set_new(object, "attempts", json_integer(row->attempts));
	json_object_set_new(
	    object, "retryable", json_boolean(row->payload.data != NULL));
	wf_json_put_time(object, "first", row->first_at);
	wf_json_put_time(object, "last", row->last_at);
	json_object_set_new(object, "status",
	    json_string(row->dropped_at == 0 ? "open" : "dropped"));
	wf_json_put_time(object, "droppedAt", row->dropped_at);
	wf_json_put_text(object, "droppedBy", row->dropped_by);
	wf_json_put_text(object, "reason", row->reason);
	return object;
}

static bool read_filter(struct wf_rest *rest, const char *id, const char *code,
    struct wf_incident_filter *filter)
{
	struct wf_known_case known;

	memset(filter, 0, sizeof(*filter));
	filter->namespace_id = rest->account.namespace_id;
	if (code != NULL)
		filter->code = wf_incident_code(code, rest->arena);
	filter->limit = PAGE;
	if (id == NULL)
		return wf_rest_is_allowed(rest);
	if (!wf_rest_known_case(rest, id, &known))
		return false;
	filter->number = known.number;
	return true;
}

/* The argument status: "open", the default, or "dropped". */
static bool read_status(struct wf_rest *rest, enum wf_incidents *which_out)
{
	const char *status = wf_rest_argument(rest, "status");

	*which_out = status != NULL && strcmp(status, "dropped") == 0
			 ? WF_INCIDENTS_DROPPED
			 : WF_INCIDENTS_OPEN;
	if (status == NULL || *which_out == WF_INCIDENTS_DROPPED ||
	    strcmp(status, "open") == 0)
		return true;
	wf_rest_refuse(rest, "status: expected open or dropped");
	return false;
}

void wf_rest_list_incidents(struct wf_rest *rest)
{
	const char *after = wf_rest_argument(rest, "after");
	struct wf_error err = { .rc = WF_OK };
	struct wf_incident_filter filter;
	struct wf_incident_list list = { .count = 0 };
	struct wf_store *store;
	json_t *array = NULL;
	enum wf_rc rc;

	if (!read_filter(rest, wf_rest_argument(rest, "case"),
		wf_rest_argument(rest, "code"), &filter) ||
	    !read_status(rest, &filter.which) ||
	    (after != NULL &&
		!wf_rest_number(rest, "after", after, &filter.after)) ||
	    !wf_rest_limit(rest, &filter.limit))
		return;
	rc = wf_engine_borrow(rest->server->engine, &store, &err);
	if (rc == WF_OK) {
		rc = wf_store_incidents(
		    store, &filter, rest->arena, &list, &err);
		array = json_array();
		for (size_t i = 0; rc == WF_OK && i < list.count; i++)
			json_array_append_new(
			    array, wf_rest_describe_incident(
				       rest, store, &list.rows[i]));
		wf_engine_give_back(rest->server->engine, store);
	}
	if (rc != WF_OK) {
		json_decref(array);
		wf_rest_fail(rest, &err);
		return;
	}
	wf_rest_answer_page(rest, "incidents", array,
	    list.count < filter.limit ? 0 : list.rows[list.count - 1].id);
}

/* An incident of another namespace counts as missing. */
static enum wf_rc find(struct wf_rest *rest, struct wf_store *store,
    uint64_t id, struct wf_incident_row *row, struct wf_error *err)
{
	enum wf_rc rc = wf_store_incident(store, id, rest->arena, row, err);

	if (rc == WF_OK && row->namespace_id != rest->account.namespace_id)
		rc = wf_fail(err, WF_NOT_FOUND, "there is no incident %llu",
		    (unsigned long long)id);
	return rc;
}

void wf_rest_show_incident(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_incident_row row;
	struct wf_store *store;
	json_t *json = NULL;
	bool is_refused = false;
	uint64_t id;
	enum wf_rc rc;

	if (!wf_rest_number(rest, "incident", rest->parts[0], &id))
		return;
	rc = wf_engine_borrow(rest->server->engine, &store, &err);
	if (rc == WF_OK) {
		rc = find(rest, store, id, &row, &err);
		is_refused = rc == WF_OK && !wf_rest_may_case(rest,
						rest->route->operation.verbs,
						store, row.number);
		if (rc == WF_OK && !is_refused)
			json = wf_rest_describe_incident(rest, store, &row);
		wf_engine_give_back(rest->server->engine, store);
	}
	if (is_refused)
		return; /* answered */
	if (rc == WF_OK)
		wf_rest_answer(rest, 200, json);
	else
		wf_rest_fail(rest, &err);
}

/* --- closing -------------------------------------------------------------- */

/* The member "cancel" of the body of a drop. */
static bool read_cancel(struct wf_rest *rest, bool *cancel_out)
{
	json_t *body;
	bool good;

	if (!wf_rest_body(rest, &body))
		return false;
	good = wf_rest_boolean(rest, body, "cancel", cancel_out);
	json_decref(body);
	return good;
}

/* Makes a drop the command that cancels the case, which drops the incident. */
static enum wf_rc cancel_case(struct wf_request *request,
    const struct wf_incident_row *row, struct wf_error *err)
{
	const char *reason = request->incident.reason;

	if (strcmp(row->code, WF_DEADLOCK_CODE) != 0 || row->dropped_at != 0)
		return wf_fail(err, WF_CONFLICT,
		    "incident %llu is not an open deadlock: drop it without "
		    "cancel, and cancel its case",
		    (unsigned long long)row->id);
	memset(request, 0, sizeof(*request));
	request->kind = WF_REQUEST_COMMAND;
	request->number = row->number;
	request->command.kind = WF_COMMAND_CANCEL_CASE;
	request->command.reason = reason;
	return WF_OK;
}

void wf_rest_close_incident(struct wf_rest *rest)
{
	bool cancel = false;
	struct wf_request request = { .kind = rest->route->request };
	bool drops = request.kind == WF_REQUEST_DROP;
	bool is_refused = false;
	struct wf_error err = { .rc = WF_OK };
	struct wf_incident_row row;
	struct wf_store *store;
	enum wf_rc rc;

	if (!wf_rest_number(
		rest, "incident", rest->parts[0], &request.incident.id) ||
	    (drops && (!wf_rest_reason(rest, true, &request.incident.reason) ||
			  !read_cancel(rest, &cancel))))
		return;
	rc = wf_engine_borrow(rest->server->engine, &store, &err);
	if (rc == WF_OK) {
		rc = find(rest, store, request.incident.id, &row, &err);
		is_refused =
		    rc == WF_OK &&
		    (!wf_rest_may_case(rest, rest->route->operation.verbs,
			 store, row.number) ||
			(cancel && !wf_rest_may_case(rest, WF_MAY(CANCEL),
				       store, row.number)));
		wf_engine_give_back(rest->server->engine, store);
	}
	if (is_refused)
		return; /* answered */
	if (rc == WF_OK && cancel)
		rc = cancel_case(&request, &row, &err);
	if (rc == WF_OK)
		wf_rest_submit(rest, &request, 200);
	else
		wf_rest_fail(rest, &err);
}

/* --- in bulk -------------------------------------------------------------- */

/* Retries of several incidents; the reply to the last one answers. */
struct bulk {
	struct wf_rest *rest;
	struct wf_error error; /* the first one */
	atomic_uint waiting;
	atomic_uint retried;
};

static void finish(struct bulk *bulk)
{
	unsigned retried;
	json_t *answer;

	if (atomic_fetch_sub(&bulk->waiting, 1) != 1)
		return;
	retried = atomic_load(&bulk->retried);
	if (bulk->error.rc != WF_OK && retried == 0) {
		wf_rest_fail(bulk->rest, &bulk->error);
		return;
	}
	answer = json_object();
	json_object_set_new(answer, "retried", json_integer(retried));
	wf_rest_answer(bulk->rest, 200, answer);
}

static void count_retried(void *context, const struct wf_reply *reply)
{
	struct bulk *bulk = context;

	if (reply->rc == WF_OK)
		atomic_fetch_add(&bulk->retried, 1);
	finish(bulk);
}

/* Only the first error is reported to the client. */
static void retry(struct bulk *bulk, uint64_t id)
{
	struct wf_rest *rest = bulk->rest;
	struct wf_request request = { .kind = rest->route->request,
		.namespace_id = rest->account.namespace_id,
		.actor = rest->account.name,
		.origin = "rest",
		.trace = wf_invocation_trace(&rest->invocation),
		.incident = { .id = id } };

	atomic_fetch_add(&bulk->waiting, 1);
	if (wf_engine_submit(rest->server->engine, &request, count_retried,
		bulk, &bulk->error) != WF_OK)
		atomic_fetch_sub(&bulk->waiting, 1);
}

/* Retries the incidents with these numbers; skips those that do not exist. */
static enum wf_rc retry_these(struct bulk *bulk, struct wf_store *store,
    json_t *chosen, struct wf_error *err)
{
	struct wf_rest *rest = bulk->rest;
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < json_array_size(chosen); i++) {
		uint64_t id =
		    (uint64_t)json_integer_value(json_array_get(chosen, i));
		struct wf_error mine = { .rc = WF_OK };
		struct wf_incident_row row;

		rc = find(rest, store, id, &row, &mine);
		if (rc == WF_OK)
			retry(bulk, id);
		else if (rc == WF_NOT_FOUND)
			rc = WF_OK;
		else
			wf_fail(err, rc, "%s", mine.message);
	}
	return rc;
}

/* Lists all before the first retry: one that fails again is a new incident. */
static enum wf_rc retry_selected(struct bulk *bulk, struct wf_store *store,
    struct wf_incident_filter *filter, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_incident_list list;
	uint64_t *ids = NULL;
	size_t count = 0;
	size_t capacity = 0;
	enum wf_rc rc;

	do {
		wf_arena_reset(arena);
		rc = wf_store_incidents(store, filter, arena, &list, err);
		for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
			filter->after = list.rows[i].id;
			ids = wf_arena_grow(bulk->rest->arena, ids, count,
			    &capacity, sizeof(*ids));
			ids[count++] = list.rows[i].id;
		}
	} while (rc == WF_OK && list.count == filter->limit);
	wf_arena_free(&arena);
	for (size_t i = 0; i < count; i++)
		retry(bulk, ids[i]);
	return rc;
}

static void retry_all(struct bulk *bulk, struct wf_store *store, json_t *chosen,
    struct wf_incident_filter *filter)
{
	enum wf_rc rc = chosen != NULL
			    ? retry_these(bulk, store, chosen, &bulk->error)
			    : retry_selected(bulk, store, filter, &bulk->error);

	(void)rc; /* bulk->error says it */
}

static bool check_chosen(struct wf_rest *rest, json_t *body, json_t *chosen)
{
	size_t good = 0;

	if (chosen == NULL && json_object_get(body, "case") == NULL &&
	    json_object_get(body, "code") == NULL &&
	    !json_is_true(json_object_get(body, "all"))) {
		wf_rest_refuse(
		    rest, "expected incidents, case, code or all: true");
		return false;
	}
	while (good < json_array_size(chosen) &&
	       json_integer_value(json_array_get(chosen, good)) > 0)
		good++;
	if (chosen == NULL ||
	    (json_is_array(chosen) && json_object_size(body) == 1 &&
		good == json_array_size(chosen) && good <= PAGE))
		return true;
	wf_rest_refuse(rest,
	    "incidents: expected up to %u numbers, and no other member", PAGE);
	return false;
}

static void retry_body(struct wf_rest *rest, json_t *body)
{
	struct bulk *bulk = wf_arena_alloc(rest->arena, sizeof(*bulk));
	json_t *chosen = json_object_get(body, "incidents");
	struct wf_error err = { .rc = WF_OK };
	struct wf_incident_filter filter;
	struct wf_store *store;
	const char *id;
	const char *code;

	if (!check_chosen(rest, body, chosen) ||
	    !wf_rest_text(rest, body, "case", WF_REST_WORD_BYTES, &id) ||
	    !wf_rest_text(rest, body, "code", WF_REST_WORD_BYTES, &code) ||
	    !read_filter(rest, id, code, &filter))
		return;
	if (wf_engine_borrow(rest->server->engine, &store, &err) != WF_OK) {
		wf_rest_fail(rest, &err);
		return;
	}
	bulk->rest = rest;
	atomic_init(&bulk->waiting, 1);
	atomic_init(&bulk->retried, 0);
	retry_all(bulk, store, chosen, &filter);
	wf_engine_give_back(rest->server->engine, store);
	finish(bulk);
}

void wf_rest_retry_incidents(struct wf_rest *rest)
{
	json_t *body;

	if (!wf_rest_body(rest, &body))
		return;
	if (body == NULL)
		body = json_object();
	retry_body(rest, body);
	json_decref(body);
}
