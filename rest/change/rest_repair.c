/* SPDX-License-Identifier: Apache-2.0 */
/* Repairs, migrations and prospects of one case. */
#include "kernel/step.h"
#include "operation/change.h"
#include "operation/plan.h"
#include "operation/prospect.h"
#include "rest/case/rest_moment.h"
#include "rest/change/rest_change.h"
#include "server/case_filter.h"

#define DATA_BYTES ((size_t)64 << 20)

/* --- repair --------------------------------------------------------------- */

static void repair(
    struct wf_rest *rest, json_t *body, struct wf_rest_change *change)
{
	struct wf_command *command = &change->request.command;
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer data;

	wf_buffer_init(&data, DATA_BYTES);
	if (wf_changes_read(rest->server->engine, change->request.number,
		json_object_get(body, "changes"), &data, &err) == WF_OK) {
		command->data = data.data;
		command->length = data.length;
		wf_rest_change_case(rest, change);
	} else {
		wf_rest_fail(rest, &err);
	}
	wf_buffer_free(&data);
}

void wf_rest_repair_case(struct wf_rest *rest)
{
	struct wf_rest_change change = {
		.request = { .kind = rest->route->request,
		    .command = { .kind = rest->route->command } }
	};
	struct wf_known_case known;
	json_t *body;

	if (!wf_rest_known_case(rest, rest->parts[0], &known) ||
	    !wf_rest_body(rest, &body))
		return;
	change.request.number = known.number;
	if (wf_rest_read_change(rest, body, &change))
		repair(rest, body, &change);
	json_decref(body);
}

/* --- migration ------------------------------------------------------------ */

struct migrating {
	struct wf_rest *rest;
	json_t *plan;
	uint64_t from;
	uint64_t target;
	const char *uri;
	struct wf_buffer data;
	struct wf_error err;
};

static void take_specification(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct migrating *m = context;

	m->from = stored->row.specification;
	m->uri = wf_arena_strdup(m->rest->arena, wf_case_spec(instance)->uri);
}

static void read_plan(void *context, const struct wf_spec *spec)
{
	struct migrating *m = context;

	(void)(wf_plan_read(spec, m->target, m->plan, &m->data, &m->err) ==
	       WF_OK);
}

/* By its key, or by its URI, which is the case's own if none is given. */
static bool find_target(struct migrating *m, json_t *body)
{
	struct wf_rest *rest = m->rest;
	const char *name;
	const char *version;

	if (!wf_rest_text(
		rest, body, "specification", WF_REST_TEXT_BYTES, &name) ||
	    !wf_rest_text(rest, body, "version", WF_REST_TEXT_BYTES, &version))
		return false;
	if (name == NULL)
		name = m->uri;
	if (!wf_rest_version(rest, name, version, &m->target))
		return false;
	/* The right to the one is not the right to the other. */
	rest->is_allowed = wf_rest_may_everywhere(rest, rest->verbs);
	return wf_rest_may_process(rest, m->target);
}

static void migrate(
    struct migrating *m, json_t *body, struct wf_rest_change *change)
{
	struct wf_rest *rest = m->rest;
	struct wf_engine *engine = rest->server->engine;
	struct wf_command *command = &change->request.command;
	enum wf_rc rc = wf_engine_inspect(
	    engine, change->request.number, take_specification, m, &m->err);

	if (rc == WF_OK && !find_target(m, body))
		return;
	m->plan = json_object_get(body, "plan");
	if (rc == WF_OK)
		rc = wf_engine_inspect_spec(engine, rest->account.namespace_id,
		    m->from, false, read_plan, m, &m->err);
	if (rc != WF_OK || m->err.rc != WF_OK) {
		wf_rest_fail(rest, &m->err);
		return;
	}
	command->data = m->data.data;
	command->length = m->data.length;
	wf_rest_change_case(rest, change);
}

void wf_rest_migrate_case(struct wf_rest *rest)
{
	struct wf_rest_change change = {
		.request = { .kind = rest->route->request,
		    .command = { .kind = rest->route->command } }
	};
	struct migrating m = { .rest = rest };
	struct wf_known_case known;
	json_t *body;

	if (!wf_rest_known_case(rest, rest->parts[0], &known) ||
	    !wf_rest_body(rest, &body))
		return;
	change.request.number = known.number;
	wf_buffer_init(&m.data, DATA_BYTES);
	if (wf_rest_read_change(rest, body, &change))
		migrate(&m, body, &change);
	wf_buffer_free(&m.data);
	json_decref(body);
}

/* --- prospects ------------------------------------------------------------ */

static void take_prospects(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	json_t *answer = context;

	json_object_set_new(
	    answer, "steps", json_integer((json_int_t)stored->row.version));
	json_object_set_new(answer, "status",
	    json_string(wf_case_status_word(wf_case_status(instance))));
	json_object_set_new(answer, "nets", wf_rest_describe_nets(instance));
	json_object_set_new(
	    answer, "prospects", wf_prospect_json(NULL, instance));
}

void wf_rest_show_prospects(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_known_case known;
	json_t *answer;

	if (!wf_rest_known_case(rest, rest->parts[0], &known))
		return;
	answer = json_object();
	wf_json_put_text(answer, "case", rest->invocation.case_id);
	if (wf_engine_inspect(rest->server->engine, known.number,
		take_prospects, answer, &err) == WF_OK) {
		wf_rest_answer(rest, 200, answer);
		return;
	}
	json_decref(answer);
	wf_rest_fail(rest, &err);
}
