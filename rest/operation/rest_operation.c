/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on many cases: tried, started, shown, changed, reported. */
#include "operation/operation.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "rest/incident/rest_incident.h"
#include "server/context.h"

/* The id in the path. */
static bool read_id(struct wf_rest *rest, uint64_t *id_out)
{
	const char *text = rest->parts[0];

	*id_out = 0;
	if (text[0] != '\0' && strlen(text) <= 18 &&
	    strspn(text, "0123456789") == strlen(text))
		*id_out = strtoull(text, NULL, 10);
	if (*id_out != 0)
		return true;
	wf_rest_problem(rest, 404, "not_found", "Not found",
	    "an operation is called by a number");
	return false;
}

static void answer(struct wf_rest *rest, unsigned status, enum wf_rc rc,
    json_t *operation, const struct wf_error *err)
{
	if (rc == WF_OK)
		wf_rest_answer(rest, status, operation);
	else
		wf_rest_fail(rest, err);
}

static void wake(struct wf_rest *rest)
{
	wf_operations_wake(atomic_load(&rest->server->operations));
}

/* The argument "state"; NULL: any. */
static bool read_state(struct wf_rest *rest, const char **state_out)
{
	static const char *const states[] = { "running", "paused", "done",
		"failed", "cancelled" };
	const char *state = wf_rest_argument(rest, "state");

	*state_out = state;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (state == NULL || strcmp(states[i], state) == 0)
			return true;
	wf_rest_refuse(
	    rest, "state: expected running, paused, done, failed or cancelled");
	return false;
}

/* The first of those in the state. */
static json_t *select_operations(
    const json_t *list, const char *state, size_t limit)
{
	json_t *selected = json_array();
	json_t *operation;
	size_t i;

	json_array_foreach(list, i, operation)
	{
		const char *is =
		    json_string_value(json_object_get(operation, "state"));

		if (json_array_size(selected) < limit &&
		    (state == NULL || (is != NULL && strcmp(is, state) == 0)))
			json_array_append(selected, operation);
	}
	return selected;
}

void wf_rest_list_operations(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	size_t limit = WF_OPERATIONS_MOST;
	json_t *list = NULL;
	const char *state;

	if (!read_state(rest, &state) ||
	    (wf_rest_argument(rest, "limit") != NULL &&
		!wf_rest_limit(rest, &limit)))
		return;
	if (wf_operation_list(rest->server->engine, rest->account.namespace_id,
		&list, &err) == WF_OK)
		wf_rest_answer_page(rest, "operations",
		    select_operations(list, state, limit), 0);
	else
		wf_rest_fail(rest, &err);
	json_decref(list);
}

/* NULL: there is none.  False: refused. */
static bool read_key(struct wf_rest *rest, const char **key_out)
{
	*key_out = wf_exchange_header(rest->exchange, "Idempotency-Key");
	if (*key_out == NULL || strlen(*key_out) <= WF_REST_KEY_BYTES)
		return true;
	wf_rest_refuse(rest, "Idempotency-Key: expected at most %u bytes",
	    WF_REST_KEY_BYTES);
	return false;
}

/* A start is audited by its kind, as it has no number before. */
static void note_start(struct wf_rest *rest, json_t *body)
{
	const char *kind = json_string_value(json_object_get(body, "kind"));

	wf_rest_note_act(
	    rest, json_string_value(json_object_get(body, "reason")));
	rest->subject = wf_arena_strdup(
	    wf_exchange_arena(rest->exchange), kind == NULL ? "" : kind);
}

void wf_rest_start_operation(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	const char *key;
	json_t *operation = NULL;
	json_t *dry_run;
	bool tries;
	json_t *body;
	enum wf_rc rc;

	if (!read_key(rest, &key) || !wf_rest_body(rest, &body))
		return;
	dry_run = json_object_get(body, "dry_run");
	if (body == NULL || (dry_run != NULL && !json_is_boolean(dry_run))) {
		wf_rest_refuse(rest, body == NULL
					 ? "expected an object with kind"
					 : "dry_run: expected true or false");
		json_decref(body);
		return;
	}
	tries = json_is_true(dry_run);
	wf_rest_use_service_uri(rest, json_object_get(body, "incidents"));
	if (!tries)
		note_start(rest, body);
	rc = tries ? wf_operation_try(rest->server->engine,
			 rest->account.namespace_id, rest->account.name, body,
			 &operation, &err)
		   : wf_operation_start(rest->server->engine,
			 rest->account.namespace_id, rest->account.name, key,
			 body, &operation, &err);
	json_decref(body);
	if (rc == WF_OK && !tries)
		wake(rest);
	answer(rest, tries ? 200 : 201, rc, operation, &err);
}

void wf_rest_show_operation(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	json_t *operation = NULL;
	uint64_t id;
	enum wf_rc rc;

	if (!read_id(rest, &id))
		return;
	rc = wf_operation_show(rest->server->engine, rest->account.namespace_id,
	    id, &operation, &err);
	answer(rest, 200, rc, operation, &err);
}

static void set(struct wf_rest *rest, const char *action)
{
	struct wf_error err = { .rc = WF_OK };
	json_t *operation = NULL;
	uint64_t id;
	enum wf_rc rc;

	if (!read_id(rest, &id))
		return;
	wf_rest_note_act(rest, NULL);
	rc = wf_operation_set(rest->server->engine, rest->account.namespace_id,
	    id, action, &operation, &err);
	wake(rest);
	answer(rest, 200, rc, operation, &err);
}

void wf_rest_pause_operation(struct wf_rest *rest)
{
	set(rest, "pause");
}

void wf_rest_resume_operation(struct wf_rest *rest)
{
	set(rest, "resume");
}

void wf_rest_cancel_operation(struct wf_rest *rest)
{
	set(rest, "cancel");
}

void wf_rest_undo_operation(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	json_t *operation = NULL;
	const char *reason;
	const char *key;
	uint64_t id;
	enum wf_rc rc;

	if (!read_id(rest, &id) || !read_key(rest, &key) ||
	    !wf_rest_reason(rest, false, &reason))
		return;
	wf_rest_note_act(rest, reason);
	rc = wf_operation_undo(rest->server->engine, rest->account.namespace_id,
	    rest->account.name, key, id, reason == NULL ? "" : reason,
	    &operation, &err);
	if (rc == WF_OK)
		wake(rest);
	answer(rest, 201, rc, operation, &err);
}

void wf_rest_remove_operation(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	uint64_t id;

	if (!read_id(rest, &id))
		return;
	wf_rest_note_act(rest, NULL);
	if (wf_operation_remove(rest->server->engine,
		rest->account.namespace_id, id, &err) == WF_OK)
		wf_exchange_answer(rest->exchange, 204, NULL, "", 0);
	else
		wf_rest_fail(rest, &err);
}

/* --- the report ----------------------------------------------------------- */

/* The argument "result": done, or refused. */
static bool read_result(struct wf_rest *rest, struct wf_outcome_filter *filter)
{
	const char *result = wf_rest_argument(rest, "result");

	filter->done = result != NULL && strcmp(result, "done") == 0;
	filter->refused = result != NULL && strcmp(result, "refused") == 0;
	if (result == NULL || filter->done || filter->refused)
		return true;
	wf_rest_refuse(rest, "result: expected done or refused");
	return false;
}

/* The argument "after": a number of a case, and "/" with the subject. */
static bool read_after(struct wf_rest *rest, struct wf_outcome_filter *filter)
{
	const char *after = wf_rest_argument(rest, "after");
	size_t digits = after == NULL ? 0 : strspn(after, "0123456789");

	if (after == NULL)
		return true;
	if (digits == 0 || digits > 18 || after[digits] != '/') {
		wf_rest_refuse(
		    rest, "after: expected what a page named as next");
		return false;
	}
	filter->after_number = strtoull(after, NULL, 10);
	filter->after_subject = after + digits + 1;
	return true;
}

static json_t *describe(struct wf_rest *rest, struct wf_store *store,
    const struct wf_outcome_row *row)
{
	json_t *object = json_object();
	struct wf_stored_case stored;

	if (wf_store_case(
		store, row->number, false, rest->arena, &stored, NULL) == WF_OK)
		wf_json_put_text(object, "case", stored.row.name);
	wf_json_put_text(object, "subject", row->subject);
	json_object_set_new(object, "result",
	    json_string(row->code == WF_OK ? "done" : "refused"));
	if (row->code != WF_OK) {
		json_object_set_new(object, "code",
		    json_string(wf_rc_name((enum wf_rc)row->code)));
		json_object_set_new(object, "text", json_string(row->text));
	}
	return object;
}

void wf_rest_list_outcomes(struct wf_rest *rest)
{
	struct wf_outcome_filter filter = { .after_subject = "" };
	struct wf_error err = { .rc = WF_OK };
	struct wf_outcome_list list;
	struct wf_store *store;
	json_t *operation = NULL;
	json_t *rows;
	json_t *page;
	enum wf_rc rc;

	if (!read_result(rest, &filter) || !read_after(rest, &filter) ||
	    !wf_rest_limit(rest, &filter.limit) ||
	    !read_id(rest, &filter.operation))
		return;
	rc = wf_operation_show(rest->server->engine, rest->account.namespace_id,
	    filter.operation, &operation, &err);
	json_decref(operation);
	if (rc != WF_OK) {
		wf_rest_fail(rest, &err);
		return;
	}
	if (!wf_rest_borrow(rest, &store))
		return;
	rc = wf_store_outcomes(store, &filter, rest->arena, &list, &err);
	rows = json_array();
	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		json_array_append_new(
		    rows, describe(rest, store, &list.rows[i]));
	if (!wf_rest_give_back(rest, store, rc, &err)) {
		json_decref(rows);
		return;
	}
	page = json_pack("{s:o}", "cases", rows);
	if (list.count == filter.limit)
		json_object_set_new(page, "next",
		    json_string(wf_arena_printf(rest->arena, "%llu/%s",
			(unsigned long long)list.rows[list.count - 1].number,
			list.rows[list.count - 1].subject)));
	wf_rest_answer(rest, 200, page);
}
