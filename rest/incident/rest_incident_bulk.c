/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several incidents at once, by number or by what they have in common: retried,
 * or dropped with one reason.  What is for thousands, with progress, is an
 * operation (POST /v1/operations).
 */
#include <stdatomic.h>
#include <string.h>

#include "rest/incident/rest_incident.h"
#include "server/context.h"
#include "server/request_spans.h"

/* Named by number; read at once. */
#define NAMED 1000U

/* Requests for several incidents; the reply to the last one answers. */
struct bulk {
	struct wf_rest *rest;
	const char *reason;    /* of a drop */
	struct wf_error error; /* the first one */
	uint64_t limit;
	uint64_t after; /* begins behind that incident */
	uint64_t next;	/* the same for the next request; 0: there is none */
	bool more;	/* others are open yet, or may be */
	atomic_uint waiting;
	atomic_uint done;
};

static bool drops(const struct bulk *bulk)
{
	return bulk->rest->route->request == WF_REQUEST_DROP;
}

static void finish(struct bulk *bulk)
{
	unsigned done;
	json_t *answer;

	if (atomic_fetch_sub(&bulk->waiting, 1) != 1)
		return;
	done = atomic_load(&bulk->done);
	if (bulk->error.rc != WF_OK && done == 0) {
		wf_rest_fail(bulk->rest, &bulk->error);
		return;
	}
	answer = json_object();
	json_object_set_new(
	    answer, drops(bulk) ? "dropped" : "retried", json_integer(done));
	if (bulk->more)
		json_object_set_new(answer, "more", json_true());
	if (bulk->next != 0)
		wf_json_put_number(answer, "next", bulk->next);
	wf_rest_answer(bulk->rest, 200, answer);
}

static void count_done(void *context, const struct wf_reply *reply)
{
	struct bulk *bulk = context;

	if (reply->rc == WF_OK)
		atomic_fetch_add(&bulk->done, 1);
	finish(bulk);
}

/* Only the first error is reported to the client. */
static enum wf_rc close_one(struct bulk *bulk, uint64_t id)
{
	struct wf_rest *rest = bulk->rest;
	struct wf_request request = { .kind = rest->route->request,
		.namespace_id = rest->account.namespace_id,
		.actor = rest->account.name,
		.origin = "rest",
		.trace = wf_invocation_trace(&rest->invocation),
		.incident = { .id = id, .reason = bulk->reason } };
	enum wf_rc rc;

	atomic_fetch_add(&bulk->waiting, 1);
	rc = wf_engine_submit(
	    rest->server->engine, &request, count_done, bulk, &bulk->error);
	if (rc != WF_OK)
		atomic_fetch_sub(&bulk->waiting, 1);
	return rc;
}

/* The incidents with these numbers; skips those that do not exist. */
static enum wf_rc close_these(struct bulk *bulk, struct wf_store *store,
    json_t *chosen, struct wf_error *err)
{
	struct wf_rest *rest = bulk->rest;
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < json_array_size(chosen); i++) {
		uint64_t id =
		    (uint64_t)json_integer_value(json_array_get(chosen, i));
		struct wf_error mine = { .rc = WF_OK };
		struct wf_incident_row row;

		rc = wf_rest_find_incident(rest, store, id, &row, &mine);
		if (rc == WF_OK)
			rc = close_one(bulk, id);
		else if (rc == WF_NOT_FOUND)
			rc = WF_OK;
		else
			wf_fail(err, rc, "%s", mine.message);
	}
	return rc;
}

/*
 * Lists all before the first retry, which may change what is open.  However
 * few the conditions select, one request examines WF_INCIDENTS_EXAMINED and at
 * most a page more.
 */
static enum wf_rc close_chosen(struct bulk *bulk, struct wf_store *store,
    struct wf_incident_choice *choice, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_chosen_incidents chosen = { .count = 0 };
	uint64_t *ids = NULL;
	size_t count = 0;
	size_t capacity = 0;
	size_t examined = 0;
	enum wf_rc rc;

	choice->after = bulk->after;
	do {
		wf_arena_reset(arena);
		choice->limit =
		    bulk->limit - count < NAMED ? bulk->limit - count : NAMED;
		rc = wf_incidents_choose(store, choice, arena, &chosen, err);
		for (size_t i = 0; rc == WF_OK && i < chosen.count; i++) {
			ids = wf_arena_grow(bulk->rest->arena, ids, count,
			    &capacity, sizeof(*ids));
			ids[count++] = chosen.rows[i].row.id;
		}
		examined += chosen.examined;
		choice->after = chosen.next;
	} while (rc == WF_OK && chosen.next != 0 && count < bulk->limit &&
		 examined < WF_INCIDENTS_EXAMINED);
	bulk->next = rc == WF_OK ? chosen.next : 0;
	bulk->more = bulk->next != 0;
	wf_arena_free(&arena);
	for (size_t i = 0; rc == WF_OK && i < count; i++)
		rc = close_one(bulk, ids[i]);
	return rc;
}

/* --- the body ------------------------------------------------------------- */

/* The members that choose incidents; NULL: there are none. */
static json_t *choosing_members(json_t *body)
{
	static const char *const others[] = { "incidents", "all", "limit",
		"after", "reason" };
	json_t *object = json_copy(body);

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		json_object_del(object, others[i]);
	if (json_object_size(object) > 0 ||
	    json_is_true(json_object_get(body, "all")))
		return object;
	json_decref(object);
	return NULL;
}

static bool check_numbers(
    struct wf_rest *rest, json_t *chosen, const json_t *choosing)
{
	size_t good = 0;

	while (good < json_array_size(chosen) &&
	       json_integer_value(json_array_get(chosen, good)) > 0)
		good++;
	if (json_is_array(chosen) && choosing == NULL &&
	    good == json_array_size(chosen) && good <= NAMED)
		return true;
	wf_rest_refuse(rest,
	    "incidents: expected up to %u numbers, and no other member that "
	    "chooses incidents",
	    NAMED);
	return false;
}

static bool check_choice(
    struct wf_rest *rest, json_t *chosen, const json_t *choosing)
{
	if (chosen != NULL)
		return check_numbers(rest, chosen, choosing);
	if (choosing != NULL)
		return true;
	wf_rest_refuse(rest,
	    "expected incidents, case, specification, task, code, service, "
	    "text, group or all: true");
	return false;
}

static bool read_limit(struct wf_rest *rest, json_t *body, uint64_t *limit_out)
{
	json_t *limit = json_object_get(body, "limit");

	*limit_out = WF_INCIDENTS_CLOSED;
	if (limit == NULL)
		return true;
	if (json_is_integer(limit) && json_integer_value(limit) > 0 &&
	    json_integer_value(limit) <= (json_int_t)WF_INCIDENTS_CLOSED) {
		*limit_out = (uint64_t)json_integer_value(limit);
		return true;
	}
	wf_rest_refuse(
	    rest, "limit: expected a number from 1 to %u", WF_INCIDENTS_CLOSED);
	return false;
}

/* As "next" was answered. */
static bool read_after(struct wf_rest *rest, json_t *body, uint64_t *after_out)
{
	json_t *after = json_object_get(body, "after");

	*after_out = 0;
	if (after == NULL)
		return true;
	if (json_is_string(after))
		return wf_rest_number(
		    rest, "after", json_string_value(after), after_out);
	wf_rest_refuse(rest, "after: expected the text next of an answer");
	return false;
}

static void close_all(
    struct bulk *bulk, struct wf_store *store, json_t *chosen, json_t *choosing)
{
	struct wf_rest *rest = bulk->rest;
	struct wf_error *err = &bulk->error;
	struct wf_incident_choice choice;
	enum wf_rc rc;

	if (chosen != NULL) {
		rc = close_these(bulk, store, chosen, err);
	} else {
		wf_rest_use_service_uri(rest, choosing);
		rc = wf_incident_choice_decode(rest->server->engine, store,
		    rest->account.namespace_id, choosing, rest->arena, &choice,
		    err);
		if (rc == WF_OK)
			rc = close_chosen(bulk, store, &choice, err);
	}
	if (rc != WF_OK) /* bulk->error says why */
		bulk->more = true;
}

static void close_body(
    struct wf_rest *rest, json_t *body, json_t *choosing, const char *reason)
{
	struct bulk *bulk = wf_arena_alloc(rest->arena, sizeof(*bulk));
	json_t *chosen = json_object_get(body, "incidents");
	struct wf_engine *engine = rest->server->engine;
	struct wf_store *store;

	if (!check_choice(rest, chosen, choosing) ||
	    !read_limit(rest, body, &bulk->limit) ||
	    !read_after(rest, body, &bulk->after) ||
	    !wf_rest_borrow(rest, &store))
		return;
	bulk->rest = rest;
	bulk->reason = reason;
	atomic_init(&bulk->waiting, 1);
	atomic_init(&bulk->done, 0);
	close_all(bulk, store, chosen, choosing);
	wf_engine_give_back(engine, store);
	finish(bulk);
}

static void close_incidents(struct wf_rest *rest, const char *reason)
{
	json_t *body;
	json_t *choosing;

	if (!wf_rest_body(rest, &body))
		return;
	if (body == NULL)
		body = json_object();
	choosing = choosing_members(body);
	close_body(rest, body, choosing, reason);
	json_decref(choosing);
	json_decref(body);
}

void wf_rest_retry_incidents(struct wf_rest *rest)
{
	close_incidents(rest, NULL);
}

void wf_rest_drop_incidents(struct wf_rest *rest)
{
	const char *reason;

	if (wf_rest_reason(rest, true, &reason))
		close_incidents(rest, reason);
}
