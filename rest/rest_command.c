/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands to cases and items.  routes.def names the command of a route; the
 * handler reads the target and the data, and the request is answered when the
 * engine has committed it.
 */
#include <stdio.h>
#include <string.h>

#include "data/deadline.h"
#include "data/json.h"
#include "kernel/change/migrate.h"
#include "people/audience.h"
#include "rest/rest.h"
#include "rest/rest_data.h"
#include "rest/rest_people.h"
#include "server/case_filter.h"
#include "server/context.h"
#include "server/request_spans.h"
#include "work/subscription/event.h"

/* --- giving it to the engine ---------------------------------------------- */

struct submission {
	struct wf_rest *rest;
	unsigned status;
	enum wf_request_kind kind;
	uint64_t
	    specification; /* that the case is of from now on; 0: as before */
	uint64_t incident; /* that a retry or a drop closes */
};

static void answer_closed(
    const struct submission *submission, const struct wf_reply *reply)
{
	json_t *closed = json_object();

	json_object_set_new(
	    closed, "incident", json_integer((json_int_t)submission->incident));
	if (reply->repeated)
		json_object_set_new(closed, "repeated", json_true());
	wf_rest_answer(submission->rest, submission->status, closed);
}

static void answer_done(
    const struct submission *submission, const struct wf_reply *reply)
{
	struct wf_rest *rest = submission->rest;
	json_t *done = json_object();
	bool schedules = submission->kind == WF_REQUEST_SCHEDULE;
	bool withdraws = submission->kind == WF_REQUEST_WITHDRAW;

	if (reply->name[0] != '\0')
		rest->invocation.case_id = wf_arena_strdup(
		    wf_exchange_arena(rest->exchange), reply->name);
	wf_json_put_text(done, "case", rest->invocation.case_id);
	json_object_set_new(done, "status",
	    json_string(schedules   ? "scheduled"
			: withdraws ? "withdrawn"
				    : wf_case_status_word(reply->status)));
	if (schedules || withdraws)
		json_object_set_new(
		    done, "start", json_integer((json_int_t)reply->number));
	if (reply->sequence > 0)
		json_object_set_new(done, "sequence",
		    json_integer((json_int_t)reply->sequence));
	wf_json_put_text(done, "item", reply->item);
	wf_json_put_text(done, "effect", reply->effect);
	if (reply->repeated)
		json_object_set_new(done, "repeated", json_true());
	else
		json_object_update_missing(done, rest->foreseen);
	wf_rest_answer(rest, submission->status, done);
}

static void undo(struct wf_invocation *invocation)
{
	struct wf_rest *rest = (struct wf_rest *)invocation;

	rest->undo->undo(rest, rest->undo->context);
	wf_rest_fail(rest, &rest->undo->refusal);
}

/* Whether a request that was lost is done is not known: nothing is undone. */
static void refuse(struct wf_rest *rest, const struct wf_error *err)
{
	if (rest->objection != NULL && err->rc == WF_CONFLICT &&
	    strcmp(err->code, WF_MIGRATED_CODE) != 0) {
		wf_rest_answer_failure(rest, json_incref(rest->objection));
		return;
	}
	if (rest->undo == NULL || err->rc == WF_LOST) {
		if (strcmp(err->code, WF_MIGRATED_CODE) == 0 ||
		    !wf_rest_explain_taken(rest, err))
			wf_rest_fail_known(rest, err);
		return;
	}
	rest->undo->refusal = *err;
	wf_invocation_resume(&rest->invocation, undo);
}

/* Called by a thread of the engine. */
static void answer_reply(void *context, const struct wf_reply *reply)
{
	const struct submission *submission = context;
	struct wf_rest *rest = submission->rest;
	struct wf_known_case known = { reply->number,
		submission->specification };

	struct wf_error ended = { .rc = WF_OK };

	if (reply->no_case && rest->invocation.case_id != NULL) {
		wf_fail(&ended, WF_NOT_FOUND, "case '%s' has ended",
		    rest->invocation.case_id);
		refuse(rest, &ended);
		return;
	}
	if (reply->rc != WF_OK) {
		refuse(rest, &reply->error);
		return;
	}
	/* A launch, or a migration. */
	if (submission->specification != 0 && reply->name[0] != '\0')
		wf_server_know_case(rest->server, rest->account.namespace_id,
		    reply->name, &known);
	if (submission->kind == WF_REQUEST_RETRY ||
	    submission->kind == WF_REQUEST_DROP)
		answer_closed(submission, reply);
	else
		answer_done(submission, reply);
}

void wf_rest_submit(
    struct wf_rest *rest, struct wf_request *request, unsigned status)
{
	struct submission *submission =
	    wf_arena_alloc(rest->arena, sizeof(*submission));
	const char *key = wf_exchange_header(rest->exchange, "Idempotency-Key");
	struct wf_error err = { .rc = WF_OK };

	if (!wf_rest_is_allowed(rest))
		return;
	submission->rest = rest;
	submission->status = status;
	submission->kind = request->kind;
	wf_rest_expect_taken(rest, request);
	switch (request->kind) {
	case WF_REQUEST_COMMAND:
		submission->specification =
		    request->command.kind == WF_COMMAND_MIGRATE
			? wf_migration_target_key(
			      request->command.data, request->command.length)
			: request->launch.specification;
		break;
	case WF_REQUEST_RETRY:
	case WF_REQUEST_DROP:
		submission->incident = request->incident.id;
		break;
	default:
		break;
	}
	/* What was done before would have to be undone. */
	if (request->kind == WF_REQUEST_COMMAND && rest->undo == NULL)
		request->specification = rest->invocation.specification;
	request->namespace_id = rest->account.namespace_id;
	request->actor = rest->account.name;
	request->origin = "rest";
	request->key = key;
	request->trace = wf_invocation_trace(&rest->invocation);
	if (key != NULL && strlen(key) > WF_REST_KEY_BYTES) {
		wf_fail(&err, WF_INVALID,
		    "Idempotency-Key: expected at most %u bytes",
		    WF_REST_KEY_BYTES);
		refuse(rest, &err);
		return;
	}
	if (wf_engine_submit(rest->server->engine, request, answer_reply,
		submission, &err) != WF_OK)
		refuse(rest, &err);
}

/* --- cases ---------------------------------------------------------------- */

void wf_rest_case_command(struct wf_rest *rest)
{
	struct wf_request request = { .kind = rest->route->request,
		.command = { .kind = rest->route->command } };
	struct wf_data_place place = { .of = WF_DATA_VARIABLES };
	struct wf_known_case known;

	if (!wf_rest_known_case(rest, rest->parts[0], &known))
		return;
	request.number = known.number;
	place.number = known.number;
	place.specification = known.specification;
	if (request.command.kind == WF_COMMAND_UPDATE_CASE
		? !wf_rest_read_data(rest, &place, NULL, &request.command.data,
		      &request.command.length)
		: !wf_rest_reason(rest, false, &request.command.reason))
		return;
	wf_rest_submit(rest, &request, 200);
}

/* --- launching ------------------------------------------------------------ */

/* The time of a start from "at" or "delay"; 0, which is now, without both. */
static bool read_time(
    struct wf_rest *rest, json_t *body, struct wf_request *request)
{
	int32_t zone = rest->server->settings.engine.timezone;
	int64_t now = wf_engine_now(rest->server->engine);
	struct wf_deadline deadline;
	const char *at;
	const char *delay;
	const char *text;

	if (!wf_rest_text(rest, body, "at", WF_REST_WORD_BYTES, &at) ||
	    !wf_rest_text(rest, body, "delay", WF_REST_WORD_BYTES, &delay))
		return false;
	if (at == NULL && delay == NULL)
		return true;
	if (at != NULL && delay != NULL) {
		wf_rest_refuse(rest, "expected at or delay, not both");
		return false;
	}
	request->delay = delay;
	text = at != NULL ? at : delay;
	if (wf_deadline_parse(text, strlen(text), zone, &deadline) &&
	    deadline.is_instant == (at != NULL) &&
	    (at != NULL ||
		(deadline.months >= 0 && deadline.milliseconds >= 0)) &&
	    wf_deadline_at(&deadline, now, zone, NULL, &request->at))
		return true;
	wf_rest_refuse(rest, at != NULL
				 ? "at: expected a date and time such as "
				   "2026-01-31T12:00:00Z"
				 : "delay: expected a duration such as PT1H");
	return false;
}

/* Finds the specification by its key, or by its URI and perhaps a version. */
static bool find_specification(
    struct wf_rest *rest, json_t *body, uint64_t *key_out)
{
	const char *name;
	const char *version;

	if (!wf_rest_text(
		rest, body, "specification", WF_REST_TEXT_BYTES, &name) ||
	    !wf_rest_text(rest, body, "version", WF_REST_TEXT_BYTES, &version))
		return false;
	if (name == NULL) {
		wf_rest_refuse(rest, "specification: expected a key or a URI");
		return false;
	}
	return wf_rest_version(rest, name, version, key_out);
}

/* The data of a launch: the member "xml" or "data". */
static bool read_launch(
    struct wf_rest *rest, json_t *body, struct wf_request *request)
{
	struct wf_data_place place = { .of = WF_DATA_LAUNCH,
		.specification = request->launch.specification };
	json_t *data = json_object_get(body, "data");

	if (!wf_rest_text(rest, body, "xml", SIZE_MAX, &request->command.data))
		return false;
	if (request->command.data != NULL && data != NULL) {
		wf_rest_refuse(rest, "expected data or xml, not both");
		return false;
	}
	if (request->command.data != NULL)
		request->command.length = strlen(request->command.data);
	if (data == NULL)
		return true;
	if (json_is_object(data))
		return wf_rest_read_data(rest, &place, data,
		    &request->command.data, &request->command.length);
	wf_rest_refuse(rest, "data: expected an object");
	return false;
}

/* Who is notified of the end and of incidents of the case. */
static bool read_observer(
    struct wf_rest *rest, json_t *body, struct wf_launch *launch)
{
	struct wf_error err = { .rc = WF_OK };
	const char *observer;

	if (!wf_rest_text(
		rest, body, "observer", WF_SERVICE_URI_BYTES, &observer))
		return false;
	if (observer == NULL)
		return true;
	if (wf_observer_check(rest->server->services,
		rest->account.namespace_id, observer, &err) != WF_OK) {
		wf_rest_refuse(rest, "observer: %s", err.message);
		return false;
	}
	if (wf_engine_may_write(
		rest->server->engine, WF_OPERATIONS_TABLES, &err) != WF_OK) {
		wf_rest_fail(rest, &err);
		return false;
	}
	launch->extra = wf_observer_extra(observer, rest->arena);
	return true;
}

static void start_case(struct wf_rest *rest, json_t *body)
{
	struct wf_request request = { .kind = rest->route->request,
		.command = { .kind = rest->route->command } };

	if (!find_specification(rest, body, &request.launch.specification) ||
	    !wf_rest_may_process(rest, request.launch.specification) ||
	    !read_time(rest, body, &request) ||
	    !wf_rest_text(
		rest, body, "case", WF_REST_TEXT_BYTES, &request.launch.name) ||
	    !wf_rest_text(rest, body, "title", WF_REST_TEXT_BYTES,
		&request.launch.title) ||
	    !read_observer(rest, body, &request.launch) ||
	    !read_launch(rest, body, &request))
		return;
	if (request.launch.name != NULL && request.launch.name[0] == '\0') {
		wf_rest_refuse(rest, "case: expected an id, or nothing");
		return;
	}
	if (request.at != 0)
		request.kind = WF_REQUEST_SCHEDULE;
	wf_rest_submit(rest, &request, request.at != 0 ? 202 : 201);
}

void wf_rest_start_case(struct wf_rest *rest)
{
	json_t *body;

	if (!wf_rest_body(rest, &body))
		return;
	if (body == NULL)
		body = json_object();
	start_case(rest, body);
	json_decref(body);
}

/* --- items ---------------------------------------------------------------- */

/* The right by which the item is changed, although it is leased. */
static bool read_lease(struct wf_rest *rest, struct wf_lease *lease)
{
	const char *fence = wf_rest_argument(rest, "fence");

	if (!wf_rest_switch(rest, "override", &lease->is_overridden))
		return false;
	if (fence == NULL)
		return true;
	lease->owner = rest->account.name;
	if (!wf_rest_number(rest, "fence", fence, &lease->fence))
		return false;
	rest->fence = lease->fence;
	return true;
}

/* Who gives the command among people, if the item is for people. */
static bool read_people(struct wf_rest *rest, struct wf_command *command)
{
	struct wf_rest_actor actor;

	if (!wf_rest_read_actor(rest, &actor))
		return false;
	command->participant = actor.participant;
	command->deputy = actor.deputy;
	command->is_administrator = actor.is_administrator;
	command->is_forced =
	    actor.is_forced && wf_rest_is_administrator(rest, &actor);
	/* Else the account has no right but to take part. */
	command->may_serve = rest->serves;
	return true;
}

/* A participant who is an administrator overrides people, but no lease. */
static bool may_override(struct wf_rest *rest, struct wf_request *request,
    const struct wf_known_case *known)
{
	bool operates;

	if (!request->lease.is_overridden)
		return true;
	if (!wf_rest_has_right(
		rest, WF_MAY(OPERATE), rest->parts[0], known, &operates))
		return false;
	request->lease.is_overridden = operates;
	return operates || request->command.is_forced ||
	       wf_rest_may_item(rest, WF_MAY(OPERATE), rest->parts[0], known);
}

bool wf_rest_read_item(struct wf_rest *rest, struct wf_request *request,
    struct wf_known_case *known)
{
	if (!read_lease(rest, &request->lease) ||
	    !wf_rest_known_case_of_item(rest, rest->parts[0], known) ||
	    !read_people(rest, &request->command) ||
	    !may_override(rest, request, known))
		return false;
	request->command.item = rest->parts[0];
	request->number = known->number;
	return true;
}

void wf_rest_item_command(struct wf_rest *rest)
{
	struct wf_request request = { .kind = rest->route->request,
		.command = { .kind = rest->route->command } };
	struct wf_data_place place = { .item = rest->parts[0] };
	struct wf_known_case known;
	bool has_data = true;

	if (!wf_rest_read_item(rest, &request, &known))
		return;
	place.number = known.number;
	place.specification = known.specification;
	switch (request.command.kind) {
	case WF_COMMAND_FINISH:
		place.of = WF_DATA_OUTPUT;
		place.is_judged = true;
		break;
	case WF_COMMAND_FORCE:
		place.of = WF_DATA_OUTPUT;
		wf_exchange_body(rest->exchange, &request.command.length);
		has_data = request.command.length > 0;
		break;
	case WF_COMMAND_UPDATE_ITEM:
		place.of = WF_DATA_INPUT;
		break;
	case WF_COMMAND_ADD:
		place.of = WF_DATA_INSTANCE;
		break;
	default:
		has_data = false;
		break;
	}
	if (!has_data && request.command.kind != WF_COMMAND_START &&
	    request.command.kind != WF_COMMAND_FORCE &&
	    !wf_rest_reason(rest, false, &request.command.reason))
		return;
	if (has_data && !wf_rest_read_data(rest, &place, NULL,
			    &request.command.data, &request.command.length))
		return;
	if (wf_rest_may_begin(rest, &request))
		wf_rest_submit(rest, &request, 200);
}

/* --- items of people ------------------------------------------------------ */

/* Adds the id of a person to the targets of the command. */
static bool add_target(struct wf_rest *rest, const json_t *name,
    const struct wf_organisation *organisation, struct wf_command *command)
{
	const char *id;
	uint32_t number;

	if (!json_is_string(name)) {
		wf_rest_refuse(rest,
		    "to: expected the user id of a participant%s",
		    command->kind == WF_COMMAND_OFFER ? ", or several" : "");
		return false;
	}
	if (!wf_rest_find_person(
		rest, organisation, json_string_value(name), &number))
		return false;
	id = wf_org_at(organisation, WF_ORG_PARTICIPANT, number)->id;
	command->targets =
	    command->targets == NULL
		? wf_arena_strdup(rest->arena, id)
		: wf_arena_printf(rest->arena, "%s,%s", command->targets, id);
	return true;
}

/* The member "to": a user, or with OFFER several. */
static bool read_to(
    struct wf_rest *rest, const json_t *to, struct wf_command *command)
{
	bool is_list = command->kind == WF_COMMAND_OFFER && json_is_array(to);
	struct wf_organisation *organisation;
	bool good = true;

	if (is_list && (json_array_size(to) == 0 ||
			   json_array_size(to) > WF_AUDIENCE_NAMES)) {
		wf_rest_refuse(
		    rest, "to: expected 1 to %u people", WF_AUDIENCE_NAMES);
		return false;
	}
	organisation = wf_org_cache_get(rest->server->organisation);
	for (size_t i = 0; good && is_list && i < json_array_size(to); i++)
		good = add_target(
		    rest, json_array_get(to, i), organisation, command);
	if (!is_list)
		good = add_target(rest, to, organisation, command);
	wf_organisation_unref(&organisation);
	return good;
}

/* The member "service": the name of the service that gets the item. */
static bool read_service(
    struct wf_rest *rest, const json_t *body, struct wf_command *command)
{
	const char *name = json_string_value(json_object_get(body, "service"));
	struct wf_error err = { .rc = WF_OK };

	if (name == NULL) {
		wf_rest_refuse(rest, "service: expected the name of a service");
		return false;
	}
	command->targets = wf_services_uri(rest->server->services,
	    rest->account.namespace_id, name, rest->arena);
	if (command->targets != NULL)
		return true;
	wf_fail(&err, WF_NOT_FOUND, "there is no service '%.100s'", name);
	wf_rest_fail(rest, &err);
	return false;
}

/* The members "to", "service", "without_data" and "reason". */
static bool read_assignment(
    struct wf_rest *rest, json_t *body, struct wf_command *command)
{
	bool takes_to = wf_rest_is_listed(rest->route->members, "to");
	const json_t *to = json_object_get(body, "to");
	const json_t *drops = json_object_get(body, "without_data");

	if (drops != NULL && !json_is_boolean(drops)) {
		wf_rest_refuse(rest, "without_data: expected true or false");
		return false;
	}
	command->drops_data = json_is_true(drops);
	if (!wf_rest_text(
		rest, body, "reason", WF_REST_TEXT_BYTES, &command->reason))
		return false;
	if (command->reason != NULL)
		command->reason = wf_arena_strdup(rest->arena, command->reason);
	/* Offered to nobody in particular: by the rule of the task. */
	if (takes_to && to == NULL && command->kind == WF_COMMAND_OFFER) {
		command->kind = WF_COMMAND_DISTRIBUTE;
		return true;
	}
	if (command->kind == WF_COMMAND_REDIRECT)
		return read_service(rest, body, command);
	return !takes_to || read_to(rest, to, command);
}

/* Whether an administrator of the items of people gives the command. */
static bool is_administrative(
    struct wf_rest *rest, const struct wf_command *command)
{
	const struct wf_rest_actor actor = { .participant =
						 command->participant,
		.is_administrator = command->is_administrator };

	return command->may_serve || wf_rest_is_administrator(rest, &actor);
}

enum wf_rc wf_rest_administer(struct wf_rest *rest,
    const struct wf_route *route, struct wf_command *command,
    struct wf_error *err)
{
	if (route->handle == wf_rest_redirect_item) {
		if (!is_administrative(rest, command))
			return wf_fail_code(err, WF_DENIED, WF_LACKS_PRIVILEGE,
			    "only an administrator can do that");
		command->is_administrator = command->is_forced = true;
	} else if (route->command == WF_COMMAND_OFFER ||
		   route->command == WF_COMMAND_ALLOCATE) {
		/* Of administrators, also if they are participants. */
		command->is_administrator = command->may_serve;
	}
	return WF_OK;
}

void wf_rest_assign_item(struct wf_rest *rest)
{
	struct wf_request request = { .kind = rest->route->request,
		.command = { .kind = rest->route->command } };
	struct wf_error err = { .rc = WF_OK };
	struct wf_known_case known;
	json_t *body;
	bool good;

	if (!wf_rest_read_item(rest, &request, &known) ||
	    !wf_rest_body(rest, &body))
		return;
	good = read_assignment(rest, body, &request.command);
	json_decref(body);
	if (!good)
		return;
	if (wf_rest_administer(rest, rest->route, &request.command, &err) !=
	    WF_OK)
		wf_rest_fail(rest, &err);
	else if (wf_rest_may_begin(rest, &request))
		wf_rest_submit(rest, &request, 200);
}

/*
 * What administrators do with an item in any state: it is offered again, or
 * started for a participant; or given to a service, if it is not started.
 */
void wf_rest_redirect_item(struct wf_rest *rest)
{
	struct wf_request request = { .kind = rest->route->request,
		.command = { .kind = rest->route->command } };
	struct wf_error err = { .rc = WF_OK };
	struct wf_known_case known;
	json_t *body;
	bool good;

	if (!wf_rest_read_item(rest, &request, &known) ||
	    !wf_rest_body(rest, &body))
		return;
	good = read_assignment(rest, body, &request.command);
	json_decref(body);
	if (!good)
		return;
	if (wf_rest_administer(rest, rest->route, &request.command, &err) !=
	    WF_OK) {
		wf_rest_fail(rest, &err);
		return;
	}
	if (request.command.kind == WF_COMMAND_START) {
		request.command.participant = request.command.targets;
		request.command.targets = NULL;
	}
	wf_rest_submit(rest, &request, 200);
}

void wf_rest_unchain_item(struct wf_rest *rest)
{
	struct wf_request request = { .kind = rest->route->request,
		.command = { .kind = rest->route->command } };
	struct wf_known_case known;

	if (!wf_rest_read_item(rest, &request, &known))
		return;
	request.command.item = NULL;
	request.command.is_administrator =
	    is_administrative(rest, &request.command);
	wf_rest_submit(rest, &request, 200);
}
