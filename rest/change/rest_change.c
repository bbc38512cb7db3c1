/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A change of a case: first on a copy, then, if nothing speaks against it, in
 * the engine.
 *
 *   request ──try_it()──► foreseen ─┬─► answered (dry_run, or refused)
 *                                   └─► the engine, if the case is as it was
 *
 * A request with a key that was refused on the copy goes to the engine
 * nevertheless, for a version that no case has: the engine gives the answer of
 * the first request with that key, if there was one.
 */
#include <string.h>

#include "kernel/change/migrate.h"
#include "kernel/step.h"
#include "operation/prospect.h"
#include "rest/case/rest_moment.h"
#include "rest/change/rest_change.h"
#include "server/case_filter.h"

#define TEXT_BYTES 100000U
#define NO_VERSION UINT64_MAX

struct trial {
	struct wf_rest *rest;
	const struct wf_rest_change *change;
	json_t *before; /* tasks by the ids of the items */
	json_t *problems;
	json_t *foreseen;
	uint64_t version;
	enum wf_case_status status;
	struct wf_buffer why_not; /* the case could not complete; "": it can */
	struct wf_error err;
};

/* --- what is there -------------------------------------------------------- */

static json_t *items_of(const struct wf_case *instance)
{
	json_t *items = json_object();
	struct wf_item *rows;
	size_t count = wf_case_items(instance, &rows);
	char id[WF_ITEM_ID_SIZE];

	for (size_t i = 0; i < count; i++) {
		if (rows[i].task->kind != WF_ATOMIC_TASK)
			continue;
		wf_item_id(&rows[i], id);
		json_object_set_new(items, id, json_string(rows[i].task->id));
	}
	wf_free(rows);
	return items;
}

/* Those of the first that are not in the second. */
static json_t *difference(json_t *items, json_t *others)
{
	json_t *array = json_array();
	const char *id;
	json_t *task;

	json_object_foreach(items, id, task)
	{
		if (json_object_get(others, id) == NULL)
			json_array_append_new(array,
			    json_pack("{s:s,s:O}", "item", id, "task", task));
	}
	return array;
}

static void take_before(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct trial *trial = context;

	trial->version = stored->row.version;
	trial->before = items_of(instance);
}

static void take_after(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct trial *trial = context;
	struct wf_prospects *prospects = wf_prospects_new();
	json_t *after = items_of(instance);

	(void)stored;
	trial->status = wf_case_status(instance);
	json_object_set_new(
	    trial->foreseen, "enabled", difference(after, trial->before));
	json_object_set_new(
	    trial->foreseen, "ended", difference(trial->before, after));
	json_object_set_new(
	    trial->foreseen, "nets", wf_rest_describe_nets(instance));
	(void)wf_prospect(prospects, instance, &trial->why_not);
	json_object_set_new(trial->foreseen, "prospects",
	    wf_prospect_json(prospects, instance));
	json_decref(after);
	wf_prospects_free(&prospects);
}

static void note_problem(
    void *context, const struct wf_migration_problem *problem)
{
	struct trial *trial = context;

	json_array_append_new(
	    trial->problems, json_pack("{s:s,s:s,s:s,s:s}", "net", problem->net,
				 "kind", problem->kind, "element",
				 problem->element, "text", problem->text));
}

/* --- whether it is done --------------------------------------------------- */

static bool is_as_expected(struct trial *trial)
{
	uint32_t steps = trial->change->steps;

	if (steps == 0 || trial->version == 0 || steps == trial->version)
		return true;
	wf_error_clear(&trial->err);
	wf_fail_code(&trial->err, WF_CONFLICT, WF_CHANGED_CODE,
	    "the case has changed: it has made %llu steps, not %u",
	    (unsigned long long)trial->version, steps);
	return false;
}

static void try_it(struct trial *trial)
{
	struct wf_inspection how = { .maximum = WF_INSPECTION_WORK,
		.before = take_before,
		.problem = note_problem,
		.context = trial };
	char item[WF_ITEM_ID_SIZE];
	enum wf_rc rc = wf_engine_inspect_after(trial->rest->server->engine,
	    &trial->change->request, &how, item, take_after, trial,
	    &trial->err);

	if (!is_as_expected(trial) || rc != WF_OK ||
	    trial->why_not.length == 0 || trial->change->is_forced)
		return;
	wf_fail_code(&trial->err, WF_CONFLICT, "cannot_complete",
	    "%s (force: it is done nevertheless)",
	    wf_buffer_text(&trial->why_not));
}

static void answer_trial(struct trial *trial)
{
	json_t *answer = json_incref(trial->foreseen);
	bool allowed = trial->err.rc == WF_OK;

	wf_json_put_text(answer, "case", trial->rest->invocation.case_id);
	json_object_set_new(
	    answer, "steps", json_integer((json_int_t)trial->version));
	json_object_set_new(answer, "allowed", json_boolean(allowed));
	if (!allowed)
		json_object_set_new(
		    answer, "refusal", wf_rest_make_failure(&trial->err));
	if (json_object_get(answer, "nets") != NULL)
		json_object_set_new(answer, "status",
		    json_string(wf_case_status_word(trial->status)));
	wf_rest_answer(trial->rest, 200, answer);
}

/* Whether another try would say the same: the case is there, and was read. */
static bool is_about_case(const struct trial *trial)
{
	return trial->version != 0 && trial->err.rc != WF_BUG &&
	       trial->err.rc != WF_UNAVAILABLE;
}

/* What the queries of a step take may only be too much for a trial. */
static bool is_left_to_engine(const struct trial *trial)
{
	return trial->err.rc == WF_LIMIT && trial->change->is_forced;
}

static json_t *make_objection(const struct trial *trial)
{
	json_t *problem = wf_rest_make_failure(&trial->err);

	json_object_set(
	    problem, "problems", json_object_get(trial->foreseen, "problems"));
	json_object_set(problem, "prospects",
	    json_object_get(trial->foreseen, "prospects"));
	return problem;
}

static void drop_json(struct trial *trial)
{
	json_decref(trial->foreseen);
	json_decref(trial->problems);
	json_decref(trial->before);
	trial->foreseen = trial->problems = trial->before = NULL;
}

static void do_it(struct trial *trial)
{
	struct wf_rest *rest = trial->rest;
	struct wf_request request = trial->change->request;
	bool has_key =
	    wf_exchange_header(rest->exchange, "Idempotency-Key") != NULL;
	bool is_refused = trial->err.rc != WF_OK && !is_left_to_engine(trial);

	request.version = is_refused ? NO_VERSION : trial->version;
	if (is_refused && !has_key) {
		wf_rest_answer_failure(rest, make_objection(trial));
		return;
	}
	if (is_refused)
		rest->objection = make_objection(trial);
	else
		rest->foreseen = json_incref(trial->foreseen);
	/* They belong to the thread that answers from now on. */
	drop_json(trial);
	wf_rest_submit(rest, &request, 200);
}

bool wf_rest_read_change(
    struct wf_rest *rest, json_t *body, struct wf_rest_change *change)
{
	const char *reason;

	if (!wf_rest_boolean(rest, body, "dry_run", &change->dry_run) ||
	    !wf_rest_boolean(rest, body, "force", &change->is_forced) ||
	    !wf_rest_count(rest, body, "steps", &change->steps) ||
	    !wf_rest_text(rest, body, "reason", WF_REST_TEXT_BYTES, &reason))
		return false;
	change->request.command.reason = reason;
	if (reason == NULL || *reason != '\0')
		return true;
	wf_rest_refuse(rest, "reason: expected a sentence that says why");
	return false;
}

void wf_rest_change_case(struct wf_rest *rest, struct wf_rest_change *change)
{
	struct trial trial = { .rest = rest,
		.change = change,
		.problems = json_array(),
		.foreseen = json_object() };

	wf_buffer_init(&trial.why_not, TEXT_BYTES);
	try_it(&trial);
	if (json_array_size(trial.problems) > 0)
		json_object_set(trial.foreseen, "problems", trial.problems);
	if (!is_about_case(&trial))
		wf_rest_fail(rest, &trial.err);
	else if (change->dry_run)
		answer_trial(&trial);
	else {
		wf_rest_note_act(rest, change->request.command.reason);
		do_it(&trial);
	}
	drop_json(&trial);
	wf_buffer_free(&trial.why_not);
}
