/* SPDX-License-Identifier: Apache-2.0 */
/* Delayed starts: listing and withdrawing. */
#include <string.h>

#include "kernel/step.h"
#include "rest/rest.h"
#include "server/catalogue.h"
#include "server/context.h"
#include "spec/timing.h"

static json_t *describe(
    const struct wf_rest *rest, const struct wf_start *start)
{
	json_t *object = json_object();
	struct wf_pause pause;

	json_object_set_new(
	    object, "start", json_integer((json_int_t)start->number));
	json_object_set_new(object, "case", json_string(start->name));
	wf_json_put_text(object, "title", start->title);
	wf_json_put_text(object, "owner", start->owner);
	wf_json_put_key(object, "specification", start->specification);
	wf_json_put_time(object, "at", start->at);
	if (wf_engine_suspension(rest->server->engine,
		rest->account.namespace_id, start->specification, rest->arena,
		&pause))
		wf_rest_put_pause(object, "suspended", &pause);
	return object;
}

void wf_rest_list_starts(struct wf_rest *rest)
{
	const char *text = wf_rest_argument(rest, "after");
	struct wf_error err = { .rc = WF_OK };
	struct wf_starts starts = { .count = 0 };
	struct wf_store *store;
	uint64_t after = 0;
	size_t limit;
	json_t *array;
	enum wf_rc rc;

	if ((text != NULL && !wf_rest_number(rest, "after", text, &after)) ||
	    !wf_rest_limit(rest, &limit))
		return;
	rc = wf_engine_borrow(rest->server->engine, &store, &err);
	if (rc == WF_OK) {
		rc = wf_starts_read(store, rest->account.namespace_id, after,
		    limit, rest->arena, &starts, &err);
		wf_engine_give_back(rest->server->engine, store);
	}
	if (rc != WF_OK) {
		wf_rest_fail(rest, &err);
		return;
	}
	array = json_array();
	for (size_t i = 0; i < starts.count; i++)
		json_array_append_new(array, describe(rest, &starts.rows[i]));
	wf_rest_answer_page(rest, "starts", array,
	    starts.count < limit ? 0 : starts.rows[limit - 1].number);
}

/* --- what one may start --------------------------------------------------- */

/* Rows are sorted by URI and version, so the newest is the last of its URI. */
static bool is_newest(const struct wf_specification_list *list, size_t i)
{
	return i + 1 == list->count ||
	       strcmp(list->rows[i].uri, list->rows[i + 1].uri) != 0;
}

static bool may_start(
    struct wf_rest *rest, const struct wf_specification_row *row)
{
	const struct wf_object object = { rest->account.namespace_id,
		row->identifier[0] == '\0' ? row->uri : row->identifier, NULL };

	return wf_account_may(&rest->account, WF_MAY(START), &object);
}

void wf_rest_list_startable(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_list list;
	bool may_all = wf_rest_manages_cases(rest);
	json_t *rows;

	if (wf_catalogue_list(rest->server->engine, rest->account.namespace_id,
		rest->arena, &list, &err) != WF_OK) {
		wf_rest_fail(rest, &err);
		return;
	}
	rows = json_array();
	for (size_t i = 0; i < list.count; i++)
		if (is_newest(&list, i) &&
		    (may_all || may_start(rest, &list.rows[i])))
			json_array_append_new(
			    rows, wf_rest_describe_specification(
				      rest, &list.rows[i]));
	rest->is_allowed = true; /* each row was judged */
	wf_rest_answer(rest, 200, json_pack("{s:o}", "specifications", rows));
}

/* --- withdrawing ---------------------------------------------------------- */

struct withdrawing {
	const char *account;
	bool is_starter;
	bool may; /* by the process */
};

static void judge_withdrawal(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct withdrawing *withdrawing = context;
	const struct wf_timing *timing;

	withdrawing->is_starter =
	    strcmp(stored->row.owner, withdrawing->account) == 0;
	timing = wf_case_spec(instance)->root->decomposition->timing;
	withdrawing->may = timing != NULL && timing->starter_withdraws;
}

enum wf_rc wf_rest_check_withdrawal(
    struct wf_rest *rest, uint64_t number, struct wf_error *err)
{
	struct withdrawing withdrawing = { .account = rest->account.name };
	enum wf_rc rc = wf_engine_inspect(
	    rest->server->engine, number, judge_withdrawal, &withdrawing, err);

	if (rc == WF_OK && !withdrawing.is_starter)
		rc = wf_fail(err, WF_NOT_FOUND,
		    "the account %s has started no case '%.100s'",
		    rest->account.name, rest->parts[0]);
	if (rc == WF_OK && !withdrawing.may)
		rc = wf_fail(err, WF_DENIED,
		    "the process does not let who started a case withdraw it: "
		    "its root net has no withdraw=\"starter\"");
	return rc;
}

/* Who started a case cancels it, where the process allows that. */
void wf_rest_withdraw_case(struct wf_rest *rest)
{
	struct wf_request request = { .kind = rest->route->request,
		.command = { .kind = rest->route->command } };
	struct wf_error err = { .rc = WF_OK };
	struct wf_known_case known;

	if (!wf_rest_find_case(rest, rest->parts[0], &known) ||
	    !wf_rest_reason(rest, false, &request.command.reason))
		return;
	if (wf_rest_check_withdrawal(rest, known.number, &err) != WF_OK) {
		wf_rest_fail(rest, &err);
		return;
	}
	if (!rest->is_allowed &&
	    !wf_rest_may_process(rest, known.specification))
		return;
	request.number = known.number;
	rest->is_allowed = true;
	wf_rest_submit(rest, &request, 200);
}

/*
 * Whether the account may withdraw it: by its right in the whole namespace, or
 * to start that process.  False: answered, or sent to the pool.
 */
static bool may_withdraw(struct wf_rest *rest, uint64_t number)
{
	struct wf_starts starts = { .count = 0 };
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc;

	if (rest->is_allowed)
		return true;
	if (!rest->invocation.in_pool) {
		wf_rest_go_to_pool(rest);
		return false;
	}
	if (!wf_rest_borrow(rest, &store))
		return false;
	if (number == 0)
		rc = WF_OK;
	else
		rc = wf_starts_read(store, rest->account.namespace_id,
		    number - 1, 1, rest->arena, &starts, &err);
	if (!wf_rest_give_back(rest, store, rc, &err))
		return false;
	if (starts.count == 1 && starts.rows[0].number == number)
		return wf_rest_may_process(rest, starts.rows[0].specification);
	/* Nobody learns which numbers there are. */
	return wf_rest_is_allowed(rest);
}

void wf_rest_withdraw_start(struct wf_rest *rest)
{
	struct wf_request request = { .kind = rest->route->request };

	if (wf_rest_number(rest, "start", rest->parts[0], &request.start) &&
	    may_withdraw(rest, request.start))
		wf_rest_submit(rest, &request, 200);
}
