/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history of a case.  The events of people have ids, which outlast names;
 * with "names=true" they are replaced by the names of today.
 */
#include "history/steps.h"
#include "rest/rest_people.h"
#include "worklist/audiences.h"
#include "worklist/org_cache.h"

/* Of a set, the answer names so many participants. */
#define NAMED 10U

/* --- names ---------------------------------------------------------------- */

/* The ids in an array, which may be missing. */
static void name_all(const struct wf_organisation *organisation,
    enum wf_org_kind kind, json_t *ids)
{
	for (size_t i = 0; i < json_array_size(ids); i++)
		json_array_set_new(ids, i,
		    json_string(wf_org_name_of(organisation, kind,
			json_string_value(json_array_get(ids, i)))));
}

/* A set is named by a hash: some of its members, and how many there are. */
static void show_set(struct wf_rest *rest, json_t *audience)
{
	const char *set = json_string_value(json_object_get(audience, "set"));
	struct wf_texts some = { .count = 0 };
	size_t count;
	json_t *people;

	if (set == NULL || rest->server->audiences == NULL)
		return;
	count = wf_audiences_set_members(
	    rest->server->audiences, set, NAMED, rest->arena, &some);
	if (count == 0)
		return;
	people = json_array();
	for (size_t i = 0; i < some.count; i++)
		json_array_append_new(people, json_string(some.rows[i]));
	json_object_set_new(audience, "people", people);
	json_object_set_new(audience, "count", json_integer((json_int_t)count));
}

static void name_event(struct wf_rest *rest,
    const struct wf_organisation *organisation, json_t *event)
{
	const char *participant =
	    json_string_value(json_object_get(event, "participant"));
	json_t *audience = json_object_get(event, "audience");

	if (participant != NULL)
		json_object_set_new(event, "participant",
		    json_string(wf_rest_user(organisation, participant)));
	show_set(rest, audience);
	name_all(organisation, WF_ORG_PARTICIPANT,
	    json_object_get(audience, "people"));
	name_all(organisation, WF_ORG_PARTICIPANT,
	    json_object_get(audience, "except"));
	name_all(organisation, WF_ORG_ROLE, json_object_get(audience, "roles"));
}

static void name_steps(struct wf_rest *rest, json_t *steps)
{
	struct wf_organisation *organisation =
	    wf_org_cache_get(rest->server->organisation);
	json_t *step;
	json_t *event;
	size_t i;
	size_t k;

	json_array_foreach(steps, i, step)
	    json_array_foreach(json_object_get(step, "events"), k, event)
		name_event(rest, organisation, event);
	wf_organisation_unref(&organisation);
}

/* --- steps ---------------------------------------------------------------- */

static enum wf_rc read_history(struct wf_rest *rest, uint64_t number,
    uint64_t after, size_t limit, json_t *steps_out, uint64_t *last_out,
    struct wf_error *err)
{
	struct wf_engine *engine = rest->server->engine;
	struct wf_steps *steps = wf_steps_new(engine, 1);
	struct wf_history_list list = { .count = 0 };
	struct wf_cursor end = { .position = 0 };
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	*last_out = 0;
	if (rc == WF_OK) {
		rc = wf_store_history_end(store, &end, err);
		if (rc == WF_OK)
			rc = wf_store_case_history(store, number, after, limit,
			    rest->arena, &list, err);
		for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
			json_t *step = wf_steps_describe(
			    steps, store, &list.rows[i], end.retirements, err);

			json_array_append_new(steps_out, step);
			rc = err->rc;
		}
		wf_engine_give_back(engine, store);
	}
	if (rc == WF_OK && list.count > 0)
		*last_out = list.rows[list.count - 1].sequence;
	wf_steps_free(&steps);
	return rc;
}

void wf_rest_show_history(struct wf_rest *rest)
{
	const char *text = wf_rest_argument(rest, "after");
	struct wf_error err = { .rc = WF_OK };
	struct wf_known_case known;
	uint64_t after = 0;
	uint64_t last;
	size_t limit;
	json_t *steps;
	bool with_names;
	bool is_own;

	if (!wf_rest_limit(rest, &limit) ||
	    !wf_rest_switch(rest, "names", &with_names) ||
	    (text != NULL && !wf_rest_number(rest, "after", text, &after)) ||
	    !wf_rest_visible_case(rest, rest->parts[0], &known, &is_own))
		return;
	steps = json_array();
	if (read_history(rest, known.number, after, limit, steps, &last,
		&err) != WF_OK) {
		json_decref(steps);
		wf_rest_fail(rest, &err);
		return;
	}
	if (is_own)
		wf_rest_hide_data(steps);
	if (with_names)
		name_steps(rest, steps);
	/* A page may be shorter because its steps are large. */
	wf_rest_answer_page(
	    rest, "steps", steps, json_array_size(steps) > 0 ? last : 0);
}
