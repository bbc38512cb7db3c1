/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A namespace at a glance: six figures with the hours of the last day, and what
 * needs somebody.  One who asks makes it, for all who ask in a moment.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/statistics/summary.h"
#include "operation/incidents.h"
#include "rest/overview/rest_overview.h"
#include "rest/rest_item.h"
#include "rest/incident/rest_incident.h"
#include "server/answer_cache.h"
#include "work/state/service_state.h"

#define HOURS WF_INCIDENT_HOURS
#define HOUR_MS INT64_C(3600000)
/* Rows of each kind that need somebody. */
#define ROWS 10U
/* Of all of a namespace: beyond, hours are not shown. */
#define SPECIFICATIONS 1000U

struct overview {
	struct wf_rest *rest;
	struct wf_store *store;
	struct wf_error *err;
	int64_t now;
	struct wf_store_figures figures;
	struct wf_incident_groups groups;
	struct wf_item_list oldest;
	struct wf_item_list late;
	bool has_hours; /* statistics are counted, and of few processes */
	bool is_complete;
	/* By hour; the last one is that of now. */
	uint64_t started[HOURS];
	uint64_t completed[HOURS];
	uint64_t ended[HOURS]; /* in any way */
};

/* --- reading -------------------------------------------------------------- */

static enum wf_rc read_keys(
    struct overview *o, struct wf_specification_keys *keys_out)
{
	const struct wf_specification_filter filter = {
		.namespace_id = o->rest->account.namespace_id, .removed = true
	};
	struct wf_specification_list list;
	uint64_t *keys;
	enum wf_rc rc = wf_store_specifications(
	    o->store, &filter, o->rest->arena, &list, o->err);

	if (rc != WF_OK)
		return rc;
	keys = wf_arena_array(o->rest->arena, list.count + 1, sizeof(*keys));
	for (size_t i = 0; i < list.count; i++)
		keys[i] = list.rows[i].key;
	*keys_out = (struct wf_specification_keys){ keys, list.count };
	o->has_hours = list.count <= SPECIFICATIONS &&
		       o->rest->server->settings.statistics.keep_ms > 0;
	return WF_OK;
}

static uint64_t count_of(const struct wf_summary_group *group, unsigned measure)
{
	return group->measures[measure] == NULL
		   ? 0
		   : group->measures[measure]->count;
}

static void add_hour(
    struct overview *o, const struct wf_summary_group *group, int64_t first)
{
	size_t at = (size_t)(group->hour - first);

	if (group->hour < first || at >= HOURS)
		return;
	o->started[at] += count_of(group, WF_MEASURE_CASE_STARTED);
	o->completed[at] += count_of(group, WF_MEASURE_CASE_COMPLETED);
	o->ended[at] += count_of(group, WF_MEASURE_CASE_COMPLETED) +
			count_of(group, WF_MEASURE_CASE_CANCELLED);
}

static enum wf_rc read_hours(struct overview *o)
{
	struct wf_summary_query query = { .namespace_id =
					      o->rest->account.namespace_id,
		.by = WF_BY_CASE,
		.to = wf_hour_of(o->now) + 1,
		.hours = 1 };
	struct wf_summary summary = { .count = 0 };
	enum wf_rc rc = read_keys(o, &query.specifications);

	query.from = query.to - HOURS;
	if (rc == WF_OK && o->has_hours && query.specifications.count > 0)
		rc = wf_summary_read(
		    &query, o->store, o->rest->arena, &summary, o->err);
	if (rc == WF_OK)
		rc = wf_statistics_are_complete(
		    o->store, &o->is_complete, o->err);
	for (size_t i = 0; rc == WF_OK && i < summary.count; i++)
		add_hour(o, summary.groups[i], query.from);
	return rc;
}

static enum wf_rc read_items(struct overview *o)
{
	struct wf_waiting_filter filter = {
		.namespace_id = o->rest->account.namespace_id, .limit = ROWS
	};
	enum wf_rc rc = wf_store_waiting_items(
	    o->store, &filter, o->rest->arena, &o->oldest, o->err);

	filter.due_before = o->now;
	return rc != WF_OK ? rc
			   : wf_store_waiting_items(o->store, &filter,
				 o->rest->arena, &o->late, o->err);
}

static enum wf_rc read_all(struct overview *o)
{
	const struct wf_incident_choice open = {
		.namespace_id = o->rest->account.namespace_id
	};
	enum wf_rc rc = wf_store_figures(o->store, open.namespace_id, o->now,
	    WF_OVERVIEW_COUNTED, &o->figures, o->err);

	if (rc == WF_OK)
		rc = wf_incidents_group(o->store, &open, o->now, o->rest->arena,
		    &o->groups, o->err);
	if (rc == WF_OK)
		rc = read_items(o);
	return rc == WF_OK ? read_hours(o) : rc;
}

/* --- figures -------------------------------------------------------------- */

static json_t *series_of(const uint64_t *counts)
{
	json_t *array = json_array();

	for (size_t i = 0; i < HOURS; i++)
		json_array_append_new(
		    array, json_integer((json_int_t)counts[i]));
	return array;
}

static json_t *put_figure(json_t *figures, const char *name, uint64_t count)
{
	json_t *figure = json_object();

	json_object_set_new(figure, "count", json_integer((json_int_t)count));
	json_object_set_new(figures, name, figure);
	return figure;
}

/* The sum of the hours. */
static void put_events(json_t *figures, const char *name,
    const struct overview *o, const uint64_t *counts)
{
	uint64_t sum = 0;
	json_t *figure;

	for (size_t i = 0; i < HOURS; i++)
		sum += counts[i];
	figure = put_figure(figures, name, sum);
	if (o->has_hours)
		json_object_set_new(figure, "hours", series_of(counts));
}

/* One that the store counts up to a bound. */
static json_t *put_state(json_t *figures, const char *name, uint64_t count)
{
	json_t *figure = put_figure(figures, name, count);

	json_object_set_new(
	    figure, "at_least", json_boolean(count >= WF_OVERVIEW_COUNTED));
	return figure;
}

/* Those of now, without what came and with what went in the hours since. */
static void put_running(json_t *figures, const struct overview *o)
{
	json_t *figure = put_state(figures, "running", o->figures.running);
	uint64_t counts[HOURS];
	uint64_t count = o->figures.running;

	if (!o->has_hours || count >= WF_OVERVIEW_COUNTED)
		return;
	for (size_t i = HOURS; i-- > 0;) {
		counts[i] = count;
		count += o->ended[i];
		count = count > o->started[i] ? count - o->started[i] : 0;
	}
	json_object_set_new(figure, "hours", series_of(counts));
}

static json_t *describe_figures(const struct overview *o)
{
	json_t *figures = json_object();
	json_t *figure;

	put_events(figures, "started", o, o->started);
	put_events(figures, "completed", o, o->completed);
	put_running(figures, o);
	figure = put_state(figures, "waiting", o->figures.waiting);
	if (o->oldest.count > 0)
		wf_json_put_time(
		    figure, "oldest", o->oldest.rows[0].enabled_at);
	put_state(figures, "late", o->figures.late);
	figure = put_figure(figures, "incidents", o->groups.incidents);
	json_object_set_new(figure, "at_least", json_boolean(o->groups.more));
	if (!o->groups.more)
		json_object_set_new(
		    figure, "hours", series_of(o->groups.hours));
	return figures;
}

/* --- what needs somebody -------------------------------------------------- */

/* Those that were stopped because nothing arrived. */
static json_t *stopped_subscriptions(struct wf_rest *rest)
{
	struct wf_subscription_list list =
	    wf_subscriptions_of(rest->server->subscriptions,
		rest->account.namespace_id, rest->arena);
	json_t *array = json_array();

	for (size_t i = 0; i < list.count; i++) {
		const struct wf_subscription *row = &list.rows[i];
		json_t *object;

		if (row->stopped.since == 0 || json_array_size(array) >= ROWS)
			continue;
		object = json_object();
		json_object_set_new(
		    object, "subscription", json_string(row->name));
		wf_json_put_time(object, "since", row->stopped.since);
		wf_json_put_text(object, "reason", row->stopped.reason);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *paused_services(struct wf_rest *rest)
{
	struct wf_services *services = rest->server->services;
	const struct wf_service_set *set = wf_services_hold(services);
	json_t *array = json_array();

	for (size_t i = 0; i < set->count; i++) {
		const struct wf_service *row = &set->rows[i];
		json_t *object;

		if (row->namespace_id != rest->account.namespace_id ||
		    !wf_service_is_paused(row) ||
		    json_array_size(array) >= ROWS)
			continue;
		object = json_object();
		json_object_set_new(object, "service", json_string(row->name));
		wf_json_put_time(object, "since", row->pause.since);
		wf_json_put_text(object, "by", row->pause.by);
		wf_json_put_text(object, "reason", row->pause.reason);
		json_array_append_new(array, object);
	}
	wf_services_let_go(services, set);
	return array;
}

/* Those whose last call has failed, as this node has seen it. */
static json_t *failing_services(struct wf_rest *rest, int64_t now)
{
	struct wf_services *services = rest->server->services;
	const struct wf_service_set *set = wf_services_hold(services);
	json_t *array = json_array();

	for (size_t i = 0; i < set->count && json_array_size(array) < ROWS;
	     i++) {
		const struct wf_service *row = &set->rows[i];
		struct wf_service_state state;
		json_t *object;

		if (row->namespace_id != rest->account.namespace_id ||
		    !wf_service_state_read(wf_services_states(services),
			row->namespace_id, row->uri, now, rest->arena,
			&state) ||
		    state.fails_since == 0)
			continue;
		object = json_object();
		json_object_set_new(object, "service", json_string(row->name));
		wf_json_put_time(object, "since", state.fails_since);
		wf_json_put_text(object, "reason", state.failure);
		json_array_append_new(array, object);
	}
	wf_services_let_go(services, set);
	return array;
}

static json_t *describe_items(
    const struct overview *o, const struct wf_item_list *list)
{
	json_t *items = wf_rest_describe_items(o->rest, list);

	wf_rest_name_tasks(o->rest, list, items);
	return items;
}

static json_t *describe_attention(const struct overview *o)
{
	json_t *attention = json_object();

	json_object_set_new(attention, "incidents",
	    wf_rest_describe_incident_groups(o->rest, &o->groups, 0, ROWS));
	json_object_set_new(
	    attention, "waiting", describe_items(o, &o->oldest));
	json_object_set_new(attention, "late", describe_items(o, &o->late));
	json_object_set_new(
	    attention, "paused_services", paused_services(o->rest));
	json_object_set_new(
	    attention, "failing_services", failing_services(o->rest, o->now));
	json_object_set_new(
	    attention, "stopped_subscriptions", stopped_subscriptions(o->rest));
	return attention;
}

static json_t *describe(const struct overview *o)
{
	json_t *answer = json_object();

	wf_json_put_time(answer, "at", o->now);
	wf_json_put_time(answer, "hour", wf_hour_of(o->now) * HOUR_MS);
	json_object_set_new(answer, "complete", json_boolean(o->is_complete));
	json_object_set_new(answer, "figures", describe_figures(o));
	json_object_set_new(answer, "attention", describe_attention(o));
	return answer;
}

/* --- answers that are kept ------------------------------------------------ */

bool wf_rest_answer_kept(struct wf_rest *rest, const char *key)
{
	const char *kept = wf_answer_cache_get(rest->server->answers, key,
	    wf_engine_now(rest->server->engine), rest->arena);

	if (kept != NULL)
		wf_rest_answer(rest, 200, json_loads(kept, 0, NULL));
	return kept != NULL;
}

void wf_rest_keep_answer(
    struct wf_rest *rest, const char *key, const json_t *answer)
{
	char *text = json_dumps(answer, JSON_COMPACT);

	if (text != NULL)
		wf_answer_cache_put(rest->server->answers, key,
		    wf_engine_now(rest->server->engine), text);
	free(text);
}

/* --- the request ---------------------------------------------------------- */

void wf_rest_overview(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct overview *o = wf_arena_alloc(rest->arena, sizeof(*o));
	char key[32];
	json_t *answer;
	enum wf_rc rc;

	memset(o, 0, sizeof(*o));
	o->rest = rest;
	o->err = &err;
	o->now = wf_engine_now(rest->server->engine);
	snprintf(key, sizeof(key), "overview %u", rest->account.namespace_id);
	if (wf_rest_answer_kept(rest, key) || !wf_rest_borrow(rest, &o->store))
		return;
	rc = read_all(o);
	if (!wf_rest_give_back(rest, o->store, rc, &err))
		return;
	answer = describe(o);
	wf_rest_keep_answer(rest, key, answer);
	wf_rest_answer(rest, 200, answer);
}
