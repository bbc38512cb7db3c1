/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command for one case of an operation.  A repair, and a migration that is
 * only tried, is made of a copy before: a case that could not complete
 * afterwards is refused, and the command names the number of steps that the
 * copy had.  A migration that is done is judged by what is known of the marking
 * that it leads to.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/change/migrate.h"
#include "kernel/change/repair.h"
#include "operation/change.h"
#include "operation/operation_priv.h"
#include "operation/plan.h"
#include "server/catalogue.h"

#define DATA_BYTES ((size_t)64 << 20)
#define TEXT_BYTES 4000U

/* The data of a plan that leads from one specification. */
struct plan_of {
	uint64_t from;
	uint64_t target;
	char *data;
	size_t length;
};

static enum wf_rc judge_made(
    void *context, const struct wf_case *made, struct wf_error *err)
{
	const struct commander *c = context;
	enum wf_soundness answer;
	struct wf_buffer text;
	enum wf_rc rc = WF_OK;

	wf_buffer_init(&text, TEXT_BYTES);
	if (!wf_prospect_known(c->prospects, made, &answer, &text))
		rc = wf_fail_code(err, WF_CONFLICT, WF_UNDECIDED_CODE,
		    "whether the case can complete is not known yet");
	else if (answer == WF_NO)
		rc = wf_fail(err, WF_CONFLICT, "%.900s", wf_buffer_text(&text));
	wf_buffer_free(&text);
	return rc;
}

void wf_commander_init(struct commander *commander, struct wf_engine *engine,
    const struct operation *operation)
{
	memset(commander, 0, sizeof(*commander));
	commander->engine = engine;
	commander->operation = operation;
	commander->prospects = wf_prospects_new();
	commander->judge = (struct wf_judge){ judge_made, commander };
	commander->forces =
	    json_is_true(json_object_get(operation->json, "force"));
}

void wf_commander_free(struct commander *commander)
{
	for (size_t i = 0; i < commander->plan_count; i++)
		wf_free(commander->plans[i].data);
	wf_free(commander->plans);
	wf_prospects_free(&commander->prospects);
}

/* --- plans ---------------------------------------------------------------- */

/* Of the process of the case when the operation names none. */
static enum wf_rc find_target(struct commander *c, struct wf_error *err)
{
	const struct operation *o = c->operation;
	const char *name = wf_operation_text(o, "specification");
	const char *version = wf_operation_text(o, "version");
	struct wf_specification_filter filter = { .namespace_id =
						      o->namespace_id };
	struct wf_specification_keys keys;
	struct wf_arena *arena;
	enum wf_rc rc;

	/* It was found when the operation was started. */
	if (wf_specification_key(wf_operation_text(o, "target"), &c->target))
		return WF_OK;
	if (version[0] == '\0' && wf_specification_key(name, &c->target))
		return wf_engine_inspect_spec(c->engine, o->namespace_id,
		    c->target, false, NULL, NULL, err);
	if (name[0] == '\0')
		return wf_fail(err, WF_INVALID,
		    "specification: expected the URI or the key of the one "
		    "that the cases are to be of");
	arena = wf_arena_new();
	rc = wf_catalogue_find(c->engine, &filter, name,
	    version[0] == '\0' ? NULL : version, arena, &keys, err);
	if (rc == WF_OK)
		c->target = keys.keys[keys.count - 1];
	wf_arena_free(&arena);
	return rc;
}

struct planning {
	struct commander *c;
	struct plan_of *plan;
	json_t *json;
	struct wf_error *err;
	enum wf_rc rc;
};

static void read_plan(void *context, const struct wf_spec *spec)
{
	struct planning *planning = context;
	struct wf_buffer data;

	wf_buffer_init(&data, DATA_BYTES);
	planning->rc = wf_plan_read(
	    spec, planning->plan->target, planning->json, &data, planning->err);
	planning->plan->length = data.length;
	planning->plan->data = wf_buffer_take(&data);
	wf_buffer_free(&data);
}

/* Valid until the next call. */
static enum wf_rc plan_from(struct commander *c, uint64_t from, uint64_t target,
    const struct plan_of **plan_out, struct wf_error *err)
{
	struct plan_of plan = { .from = from, .target = target };
	struct planning planning = { c, &plan,
		json_object_get(c->operation->json, "plan"), err, WF_OK };
	enum wf_rc rc;

	for (size_t i = 0; i < c->plan_count; i++)
		if (c->plans[i].from == from && c->plans[i].target == target) {
			*plan_out = &c->plans[i];
			return WF_OK;
		}
	rc = wf_engine_inspect_spec(c->engine, c->operation->namespace_id, from,
	    false, read_plan, &planning, err);
	if (rc == WF_OK)
		rc = planning.rc;
	if (rc != WF_OK) {
		wf_free(plan.data);
		return rc;
	}
	c->plans =
	    wf_realloc(c->plans, (c->plan_count + 1) * sizeof(*c->plans));
	c->plans[c->plan_count] = plan;
	*plan_out = &c->plans[c->plan_count++];
	return WF_OK;
}

static enum wf_rc make_plan(struct commander *c, const struct subject *subject,
    struct wf_request *request, struct wf_error *err)
{
	uint64_t from = subject->specification;
	uint64_t target = c->target;
	const struct plan_of *plan = NULL;
	enum wf_rc rc = WF_OK;

	/* The way back is to where the case came from. */
	if (subject->earlier[0] != '\0') {
		target = strtoull(subject->earlier, NULL, 16);
		from =
		    strtoull(wf_operation_text(c->operation, "from"), NULL, 16);
	} else if (target == 0) {
		rc = find_target(c, err);
		target = c->target;
	}
	if (rc == WF_OK && from == target)
		rc = wf_fail(
		    err, WF_CONFLICT, "the case is of that version already");
	if (rc == WF_OK)
		rc = plan_from(c, from, target, &plan, err);
	if (rc != WF_OK)
		return rc;
	request->command.data = plan->data;
	request->command.length = plan->length;
	return WF_OK;
}

/* --- trying --------------------------------------------------------------- */

struct trying {
	struct commander *c;
	struct forecast *forecast; /* NULL: nobody asks */
	struct wf_error *err;
	uint64_t version; /* of the case that was tried */
	enum wf_rc rc;
};

static void note_problem(
    void *context, const struct wf_migration_problem *problem)
{
	struct trying *t = context;

	if (t->forecast != NULL && t->forecast->problems != NULL)
		json_array_append_new(t->forecast->problems,
		    json_pack("{s:s,s:s,s:s,s:s}", "net", problem->net, "kind",
			problem->kind, "element", problem->element, "text",
			problem->text));
}

static void judge(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct trying *t = context;
	enum wf_operation_kind kind = t->c->operation->kind;
	struct wf_buffer text;

	t->version = stored->row.version;
	/* Others bring no case to where it could not get by itself. */
	if (kind != WF_OPERATION_MIGRATE && kind != WF_OPERATION_REPAIR &&
	    kind != WF_OPERATION_COMPLETE)
		return;
	if (t->forecast != NULL)
		t->forecast->prospects =
		    wf_prospect_json(t->c->prospects, instance);
	wf_buffer_init(&text, TEXT_BYTES);
	if (wf_prospect(t->c->prospects, instance, &text) == WF_NO &&
	    !t->c->forces)
		t->rc = wf_fail(
		    t->err, WF_CONFLICT, "%.900s", wf_buffer_text(&text));
	wf_buffer_free(&text);
}

static enum wf_rc try_command(struct commander *c, struct wf_request *request,
    struct forecast *forecast, struct wf_error *err)
{
	struct trying t = { c, forecast, err, 0, WF_OK };
	struct wf_inspection how = {
		.maximum = UINT64_MAX, .problem = note_problem, .context = &t
	};
	char item[WF_ITEM_ID_SIZE];
	enum wf_rc rc = wf_engine_inspect_after(
	    c->engine, request, &how, item, judge, &t, err);

	if (rc == WF_OK)
		rc = t.rc;
	if (rc == WF_OK && request->version == 0)
		request->version = t.version;
	return rc;
}

/* --- requests ------------------------------------------------------------- */

static enum wf_command_kind command_of(enum wf_operation_kind kind)
{
	switch (kind) {
	case WF_OPERATION_SUSPEND:
		return WF_COMMAND_SUSPEND_CASE;
	case WF_OPERATION_RESUME:
		return WF_COMMAND_RESUME_CASE;
	case WF_OPERATION_CANCEL:
		return WF_COMMAND_CANCEL_CASE;
	case WF_OPERATION_COMPLETE:
	case WF_OPERATION_REPAIR:
		return WF_COMMAND_REPAIR;
	case WF_OPERATION_MIGRATE:
		return WF_COMMAND_MIGRATE;
	case WF_OPERATION_COMPLETE_ITEMS:
		return WF_COMMAND_FINISH;
	case WF_OPERATION_SKIP_ITEMS:
		return WF_COMMAND_SKIP;
	case WF_OPERATION_SUSPEND_ITEMS:
		return WF_COMMAND_SUSPEND_ITEM;
	case WF_OPERATION_RESUME_ITEMS:
		return WF_COMMAND_RESUME_ITEM;
	case WF_OPERATION_CANCEL_ITEMS:
		return WF_COMMAND_CANCEL_ITEM;
	case WF_OPERATION_RETRY:
	case WF_OPERATION_DROP:
	case WF_OPERATION_KINDS:
		break;
	}
	return WF_COMMAND_LAUNCH;
}

static enum wf_rc make_changes(struct commander *c,
    const struct subject *subject, struct wf_arena *arena,
    struct wf_request *request, struct wf_error *err)
{
	static const struct wf_repair_change finish = { .kind =
							    WF_REPAIR_FINISH };
	struct wf_buffer data;
	enum wf_rc rc = WF_OK;

	wf_buffer_init(&data, DATA_BYTES);
	if (c->operation->kind == WF_OPERATION_COMPLETE)
		wf_repair_put(&data, &finish);
	else
		rc = wf_changes_read(c->engine, subject->number,
		    json_object_get(c->operation->json, "changes"), &data, err);
	request->command.data =
	    wf_arena_strndup(arena, wf_buffer_text(&data), data.length);
	request->command.length = data.length;
	wf_buffer_free(&data);
	return rc;
}

static void set_key(struct commander *c, const struct subject *subject,
    struct wf_arena *arena, struct wf_request *request)
{
	const struct operation *o = c->operation;

	request->namespace_id = o->namespace_id;
	request->number = subject->number;
	request->actor = wf_operation_text(o, "by");
	request->origin =
	    wf_arena_printf(arena, "operation %llu", (unsigned long long)o->id);
	/* A long item makes a long key, which has a bound. */
	if (strlen(subject->subject) <= 64)
		request->key = wf_arena_printf(arena, "operation/%llu/%llu/%s",
		    (unsigned long long)o->id,
		    (unsigned long long)subject->number, subject->subject);
	else
		request->key = wf_arena_printf(arena,
		    "operation/%llu/%llu/#%016llx", (unsigned long long)o->id,
		    (unsigned long long)subject->number,
		    (unsigned long long)wf_hash(
			0, subject->subject, strlen(subject->subject)));
}

enum wf_rc wf_command_name(struct commander *c, const struct subject *subject,
    struct wf_arena *arena, struct wf_request *request_out,
    struct wf_error *err)
{
	enum wf_operation_kind kind = c->operation->kind;
	struct wf_request *request = request_out;

	memset(request, 0, sizeof(*request));
	if (wf_is_missing(subject))
		return wf_fail(err, WF_NOT_FOUND, "there is no case '%s'",
		    subject->subject);
	set_key(c, subject, arena, request);
	if (wf_operation_of(kind) == WF_OPERATION_OF_INCIDENTS) {
		request->kind = kind == WF_OPERATION_DROP ? WF_REQUEST_DROP
							  : WF_REQUEST_RETRY;
		request->incident.id = strtoull(subject->subject, NULL, 10);
		request->incident.reason =
		    wf_operation_text(c->operation, "reason");
		return WF_OK;
	}
	request->kind = WF_REQUEST_COMMAND;
	request->version = subject->version;
	request->command.kind = command_of(kind);
	request->command.item = subject->subject;
	request->command.is_forced =
	    wf_operation_of(kind) == WF_OPERATION_OF_ITEMS;
	request->command.is_administrator = request->command.is_forced;
	request->command.may_serve = request->command.is_forced;
	request->command.reason = wf_operation_text(c->operation, "reason");
	return WF_OK;
}

enum wf_rc wf_command_make(struct commander *c, const struct subject *subject,
    struct wf_arena *arena, struct wf_request *request_out,
    struct forecast *forecast, struct wf_error *err)
{
	enum wf_operation_kind kind = c->operation->kind;
	struct wf_request *request = request_out;
	enum wf_rc rc = wf_command_name(c, subject, arena, request, err);

	if (rc != WF_OK || request->kind != WF_REQUEST_COMMAND)
		return rc;
	if (kind == WF_OPERATION_MIGRATE)
		rc = make_plan(c, subject, request, err);
	else if (request->command.kind == WF_COMMAND_REPAIR)
		rc = make_changes(c, subject, arena, request, err);
	else if (forecast == NULL)
		return WF_OK;
	if (rc == WF_OK && kind == WF_OPERATION_MIGRATE && forecast == NULL) {
		request->judge = c->forces ? NULL : &c->judge;
		return WF_OK;
	}
	return rc == WF_OK ? try_command(c, request, forecast, err) : rc;
}

void wf_commander_learn(
    struct commander *c, const struct subject *subject, struct wf_arena *arena)
{
	struct forecast forecast = { NULL, NULL };
	struct wf_request request;

	/* Why it is refused, if it is, will be said again. */
	(void)(wf_command_make(c, subject, arena, &request, &forecast, NULL) ==
	       WF_OK);
	json_decref(forecast.prospects);
}

enum wf_rc wf_commander_check(struct commander *c, struct wf_error *err)
{
	const struct operation *o = c->operation;
	struct wf_buffer none;
	enum wf_rc rc = WF_OK;

	wf_buffer_init(&none, DATA_BYTES);
	if (o->kind == WF_OPERATION_REPAIR)
		rc = wf_changes_read(c->engine, 0,
		    json_object_get(o->json, "changes"), &none, err);
	if (o->kind == WF_OPERATION_MIGRATE)
		rc = find_target(c, err);
	if (rc == WF_OK && o->kind == WF_OPERATION_MIGRATE)
		rc = wf_plan_read(NULL, c->target,
		    json_object_get(o->json, "plan"), &none, err);
	wf_buffer_free(&none);
	return rc;
}
