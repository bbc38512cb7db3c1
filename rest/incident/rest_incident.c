/* SPDX-License-Identifier: Apache-2.0 */
/* Incidents: listing, showing, and closing one. */
#include "rest/incident/rest_incident.h"
#include "rest/search/rest_search.h"

#include <stdlib.h>
#include <string.h>

#include "server/case_filter.h"
#include "server/context.h"

/* --- services ------------------------------------------------------------- */

const char *wf_rest_name_of_service(struct wf_rest *rest, const char *uri)
{
	struct wf_services *services = rest->server->services;
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service *service =
	    wf_service_by_uri(set, rest->account.namespace_id, uri);
	const char *name =
	    wf_arena_strdup(rest->arena, service == NULL ? uri : service->name);

	wf_services_let_go(services, set);
	return name;
}

/* The URI of the service of that name; none has it: the text, maybe a URI. */
static const char *uri_of_service(struct wf_rest *rest, const char *text)
{
	const char *uri = wf_services_uri(rest->server->services,
	    rest->account.namespace_id, text, rest->arena);

	return uri == NULL ? text : uri;
}

void wf_rest_use_service_uri(struct wf_rest *rest, json_t *choosing)
{
	const char *name =
	    json_string_value(json_object_get(choosing, "service"));

	if (name != NULL)
		json_object_set_new(choosing, "service",
		    json_string(uri_of_service(rest, name)));
}

/* --- describing ----------------------------------------------------------- */

static json_t *describe(
    struct wf_rest *rest, const struct wf_chosen_incident *chosen)
{
	const struct wf_incident_row *row = &chosen->row;
	json_t *object = json_object();

	json_object_set_new(
	    object, "incident", json_integer((json_int_t)row->id));
	wf_json_put_text(object, "case", chosen->name);
	wf_json_put_text(object, "item", row->item);
	wf_json_put_text(object, "task", chosen->task);
	if (chosen->specification != 0)
		wf_json_put_key(object, "specification", chosen->specification);
	wf_json_put_text(object, "process", chosen->process);
	if (chosen->service[0] != '\0')
		wf_json_put_text(object, "service",
		    wf_rest_name_of_service(rest, chosen->service));
	wf_json_put_key(object, "group", chosen->group);
	json_object_set_new(object, "code", json_string(row->code));
	json_object_set_new(object, "text", json_string(row->text));
	json_object_set_new(object, "attempts", json_integer(row->attempts));
	json_object_set_new(object, "retryable", json_boolean(row->kind != 0));
	wf_json_put_time(object, "first", row->first_at);
	wf_json_put_time(object, "last", row->last_at);
	json_object_set_new(object, "status",
	    json_string(row->dropped_at == 0 ? "open" : "dropped"));
	wf_json_put_time(object, "droppedAt", row->dropped_at);
	wf_json_put_text(object, "droppedBy", row->dropped_by);
	wf_json_put_text(object, "reason", row->reason);
	return object;
}

/* --- the arguments of lists ----------------------------------------------- */

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

static bool read_group(struct wf_rest *rest, uint64_t *group_out)
{
	const char *text = wf_rest_argument(rest, "group");

	if (text == NULL || wf_incident_group_key(text, group_out))
		return true;
	wf_rest_refuse(
	    rest, "group: expected the key of a group, 16 hexadecimal digits");
	return false;
}

/* The case or the processes, for which an account may have the right. */
static bool read_object(struct wf_rest *rest, struct wf_incident_choice *choice)
{
	const char *id = wf_rest_argument(rest, "case");
	struct wf_known_case known;

	if (!wf_rest_specifications(rest, &choice->specifications))
		return false;
	if (id == NULL)
		return wf_rest_is_allowed(rest);
	if (!wf_rest_known_case(rest, id, &known))
		return false;
	choice->number = known.number;
	return true;
}

bool wf_rest_read_incident_choice(
    struct wf_rest *rest, struct wf_incident_choice *choice_out)
{
	struct wf_incident_choice *choice = choice_out;
	const char *code = wf_rest_argument(rest, "code");
	const char *service = wf_rest_argument(rest, "service");

	*choice = (struct wf_incident_choice){ .namespace_id =
						   rest->account.namespace_id };
	choice->task = wf_rest_argument(rest, "task");
	choice->text = wf_rest_argument(rest, "text");
	if (code != NULL)
		choice->code = wf_incident_code(code, rest->arena);
	if (service != NULL)
		choice->service = uri_of_service(rest, service);
	return read_object(rest, choice) && read_status(rest, &choice->which) &&
	       read_group(rest, &choice->group);
}

void wf_rest_list_incidents(struct wf_rest *rest)
{
	const char *after = wf_rest_argument(rest, "after");
	struct wf_error err = { .rc = WF_OK };
	struct wf_incident_choice choice;
	struct wf_chosen_incidents chosen;
	struct wf_store *store;
	json_t *array;
	enum wf_rc rc;

	if (!wf_rest_read_incident_choice(rest, &choice) ||
	    (after != NULL &&
		!wf_rest_number(rest, "after", after, &choice.after)) ||
	    !wf_rest_limit(rest, &choice.limit) ||
	    !wf_rest_borrow(rest, &store))
		return;
	rc = wf_incidents_choose(store, &choice, rest->arena, &chosen, &err);
	if (!wf_rest_give_back(rest, store, rc, &err))
		return;
	array = json_array();
	for (size_t i = 0; i < chosen.count; i++)
		json_array_append_new(array, describe(rest, &chosen.rows[i]));
	wf_rest_answer_page(rest, "incidents", array, chosen.next);
}

/* --- one ------------------------------------------------------------------ */

/* An incident of another namespace counts as missing. */
enum wf_rc wf_rest_find_incident(struct wf_rest *rest, struct wf_store *store,
    uint64_t id, struct wf_incident_row *row, struct wf_error *err)
{
	enum wf_rc rc = wf_store_incident(store, id, rest->arena, row, err);

	if (rc == WF_OK && row->namespace_id != rest->account.namespace_id)
		rc = wf_fail(err, WF_NOT_FOUND, "there is no incident %llu",
		    (unsigned long long)id);
	return rc;
}

/* The one with that id, with what is known of its case. */
static enum wf_rc choose_one(struct wf_rest *rest, struct wf_store *store,
    const struct wf_incident_row *row, json_t **json_out, struct wf_error *err)
{
	const struct wf_incident_choice choice = { .which = WF_INCIDENTS_ALL,
		.namespace_id = row->namespace_id,
		.after = row->id - 1,
		.limit = 1 };
	struct wf_chosen_incidents chosen;
	enum wf_rc rc =
	    wf_incidents_choose(store, &choice, rest->arena, &chosen, err);

	if (rc == WF_OK &&
	    (chosen.count == 0 || chosen.rows[0].row.id != row->id))
		rc = wf_fail(err, WF_NOT_FOUND, "there is no incident %llu",
		    (unsigned long long)row->id);
	if (rc == WF_OK)
		*json_out = describe(rest, &chosen.rows[0]);
	return rc;
}

void wf_rest_time_of_call(json_t *call)
{
	json_int_t at = json_integer_value(json_object_get(call, "at"));

	wf_json_put_time(call, "at", at);
}

/* What is kept of its attempts (work/state/attempts.h), with their times. */
static void put_calls(json_t *object, const struct wf_incident_row *row)
{
	json_t *calls =
	    row->detail.data == NULL
		? NULL
		: json_loadb(row->detail.data, row->detail.size, 0, NULL);
	size_t i;
	json_t *call;

	json_array_foreach(calls, i, call) wf_rest_time_of_call(call);
	if (json_is_array(calls))
		json_object_set(object, "calls", calls);
	json_decref(calls);
}

json_t *wf_rest_describe_incident(struct wf_rest *rest, struct wf_store *store,
    const struct wf_incident_row *row)
{
	json_t *json = NULL;

	return choose_one(rest, store, row, &json, NULL) == WF_OK ? json : NULL;
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

	if (!wf_rest_number(rest, "incident", rest->parts[0], &id) ||
	    !wf_rest_borrow(rest, &store))
		return;
	rc = wf_rest_find_incident(rest, store, id, &row, &err);
	if (rc == WF_OK)
		is_refused = !wf_rest_may_case(
		    rest, rest->route->operation.verbs, store, row.number);
	if (rc == WF_OK && !is_refused)
		rc = choose_one(rest, store, &row, &json, &err);
	if (json != NULL)
		put_calls(json, &row);
	if (is_refused)
		wf_engine_give_back(rest->server->engine, store);
	else if (wf_rest_give_back(rest, store, rc, &err))
		wf_rest_answer(rest, 200, json);
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
		rc = wf_rest_find_incident(
		    rest, store, request.incident.id, &row, &err);
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
