/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many cases of each specification stand in each state.  Counts end at a
 * maximum, which bounds the cost; for chosen specifications it is larger.
 * Those of all are kept for a moment.
 */
#include <stdio.h>

#include "persistence/figures.h"
#include "rest/overview/rest_overview.h"
#include "rest/rest.h"
#include "server/case_filter.h"
#include "server/catalogue.h"

#define EACH_COUNTED 1000U
#define CHOSEN_COUNTED 10000U

static json_t *describe(const struct wf_case_counting *counting,
    const struct wf_case_counts *counts, bool all)
{
	const struct wf_specification_keys *keys = counting->specifications;
	json_t *answer = json_object();
	json_t *array = json_array();

	for (size_t i = 0; i < keys->count; i++) {
		json_t *object = json_object();

		wf_json_put_key(object, "specification", keys->keys[i]);
		for (unsigned k = 0; k < WF_CASE_STATUSES; k++)
			json_object_set_new(object, wf_case_status_word(k),
			    json_integer((json_int_t)counts[i].in[k]));
		json_object_set_new(object, "incidents",
		    json_integer((json_int_t)counts[i].incidents));
		json_array_append_new(array, object);
	}
	json_object_set_new(answer, "counts", array);
	json_object_set_new(
	    answer, "maximum", json_integer((json_int_t)counting->maximum));
	json_object_set_new(answer, "more_incidents", json_boolean(!all));
	return answer;
}

/* False: answered. */
static bool count(struct wf_rest *rest, const struct wf_case_counting *counting,
    json_t **answer_out)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_case_counts *counts = wf_arena_array(
	    rest->arena, counting->specifications->count + 1, sizeof(*counts));
	struct wf_store *store;
	bool all;
	enum wf_rc rc;

	if (!wf_rest_borrow(rest, &store))
		return false;
	rc = wf_store_count_cases(store, counting, counts, &all, &err);
	if (!wf_rest_give_back(rest, store, rc, &err))
		return false;
	*answer_out = describe(counting, counts, all);
	return true;
}

/* Those of the namespace that the account may read.  False: answered. */
static bool list_keys(struct wf_rest *rest, struct wf_specification_keys *keys)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_list list;
	uint64_t *found;

	if (wf_catalogue_list(rest->server->engine, rest->account.namespace_id,
		rest->arena, &list, &err) != WF_OK) {
		wf_rest_fail(rest, &err);
		return false;
	}
	found = wf_arena_array(rest->arena, list.count + 1, sizeof(*found));
	*keys = (struct wf_specification_keys){ found, 0 };
	for (size_t i = 0; i < list.count; i++) {
		uint64_t key = list.rows[i].key;
		bool may = rest->is_allowed;

		if (!may &&
		    !wf_rest_has_right_for(rest, WF_MAY(READ), key, &may))
			return false;
		if (may)
			found[keys->count++] = key;
	}
	rest->is_allowed = true;
	return true;
}

static void count_chosen(struct wf_rest *rest)
{
	struct wf_specification_keys keys;
	const struct wf_case_counting counting = { rest->account.namespace_id,
		&keys, CHOSEN_COUNTED };
	json_t *answer;

	if (wf_rest_specifications(rest, &keys) && wf_rest_is_allowed(rest) &&
	    count(rest, &counting, &answer))
		wf_rest_answer(rest, 200, answer);
}

static void count_each(struct wf_rest *rest)
{
	struct wf_specification_keys keys;
	const struct wf_case_counting counting = { rest->account.namespace_id,
		&keys, EACH_COUNTED };
	bool of_all = rest->is_allowed;
	char key[40];
	json_t *answer;

	snprintf(key, sizeof(key), "case counts %u", counting.namespace_id);
	if ((of_all && wf_rest_answer_kept(rest, key)) ||
	    !list_keys(rest, &keys) || !count(rest, &counting, &answer))
		return;
	if (of_all)
		wf_rest_keep_answer(rest, key, answer);
	wf_rest_answer(rest, 200, answer);
}

void wf_rest_count_cases(struct wf_rest *rest)
{
	if (wf_rest_argument(rest, "specification") != NULL ||
	    wf_rest_argument(rest, "version") != NULL)
		count_chosen(rest);
	else
		count_each(rest);
}
