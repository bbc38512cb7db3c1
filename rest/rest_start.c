/* SPDX-License-Identifier: Apache-2.0 */
/* Delayed starts: listing and withdrawing. */
#include "rest/rest.h"
#include "server/context.h"

static json_t *describe(const struct wf_start *start)
{
	json_t *object = json_object();

	json_object_set_new(
	    object, "start", json_integer((json_int_t)start->number));
	json_object_set_new(object, "case", json_string(start->name));
	wf_json_put_text(object, "title", start->title);
	wf_json_put_text(object, "owner", start->owner);
	wf_json_put_key(object, "specification", start->specification);
	wf_json_put_time(object, "at", start->at);
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
		json_array_append_new(array, describe(&starts.rows[i]));
	wf_rest_answer_page(rest, "starts", array,
	    starts.count < limit ? 0 : starts.rows[limit - 1].number);
}

void wf_rest_withdraw_start(struct wf_rest *rest)
{
	struct wf_request request = { .kind = rest->route->request };

	if (wf_rest_number(rest, "start", rest->parts[0], &request.start))
		wf_rest_submit(rest, &request, 200);
}
