/* SPDX-License-Identifier: Apache-2.0 */
/* Incidents by their cause. */
#include "rest/incident/rest_incident.h"
#include "server/context.h"

static json_t *describe(
    struct wf_rest *rest, const struct wf_incident_group *group)
{
	json_t *object = json_object();

	wf_json_put_key(object, "group", group->group);
	wf_json_put_text(object, "process", group->process);
	wf_json_put_text(object, "task", group->task);
	json_object_set_new(object, "code", json_string(group->code));
	json_object_set_new(object, "reason", json_string(group->reason));
	if (group->service[0] != '\0')
		wf_json_put_text(object, "service",
		    wf_rest_name_of_service(rest, group->service));
	json_object_set_new(
	    object, "count", json_integer((json_int_t)group->count));
	json_object_set_new(
	    object, "retryable", json_integer((json_int_t)group->retryable));
	wf_json_put_time(object, "first", group->first);
	wf_json_put_time(object, "last", group->last);
	json_object_set_new(
	    object, "example", json_integer((json_int_t)group->example));
	wf_json_put_text(object, "case", group->name);
	if (group->specification != 0)
		wf_json_put_key(object, "specification", group->specification);
	json_object_set_new(object, "text", json_string(group->text));
	return object;
}

json_t *wf_rest_describe_incident_groups(struct wf_rest *rest,
    const struct wf_incident_groups *groups, size_t after, size_t limit)
{
	json_t *array = json_array();

	for (size_t i = after; i < groups->count && i - after < limit; i++)
		json_array_append_new(array, describe(rest, &groups->rows[i]));
	return array;
}

/* The place behind which the page begins. */
static bool read_place(struct wf_rest *rest, uint64_t *after_out)
{
	const char *after = wf_rest_argument(rest, "after");

	*after_out = 0;
	return after == NULL || wf_rest_number(rest, "after", after, after_out);
}

void wf_rest_group_incidents(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_incident_choice choice;
	struct wf_incident_groups groups;
	struct wf_store *store;
	uint64_t after;
	size_t limit;
	json_t *answer;
	enum wf_rc rc;

	if (!wf_rest_read_incident_choice(rest, &choice) ||
	    !read_place(rest, &after) || !wf_rest_limit(rest, &limit) ||
	    !wf_rest_borrow(rest, &store))
		return;
	rc = wf_incidents_group(store, &choice,
	    wf_engine_now(rest->server->engine), rest->arena, &groups, &err);
	if (!wf_rest_give_back(rest, store, rc, &err))
		return;
	answer = json_object();
	json_object_set_new(answer, "groups",
	    wf_rest_describe_incident_groups(rest, &groups, after, limit));
	json_object_set_new(
	    answer, "incidents", json_integer((json_int_t)groups.incidents));
	json_object_set_new(answer, "more", json_boolean(groups.more));
	if (groups.count > after && groups.count - after > limit)
		wf_json_put_number(answer, "next", after + limit);
	wf_rest_answer(rest, 200, answer);
}
