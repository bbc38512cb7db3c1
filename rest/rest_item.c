/* SPDX-License-Identifier: Apache-2.0 */
/* Reading work items: lists, one item.  rest_item_data.c reads their data. */
#include <string.h>
#include <strings.h>

#include "rest/rest.h"
#include "rest/rest_item.h"
#include "rest/rest_people.h"
#include "server/case_filter.h"
#include "server/context.h"
#include "work/case_data.h"
#include "work/lease.h"
#include "work/task_policy.h"
#include "worklist/piles.h"

#define TEXT_MAXIMUM_BYTES WF_REST_ITEM_DATA_BYTES

/* --- lists ---------------------------------------------------------------- */

static bool read_statuses(struct wf_rest *rest, struct wf_item_filter *filter)
{
	const char *text = wf_rest_argument(rest, "status");

	for (const char *at = text; at != NULL && *at != '\0';) {
		size_t length = strcspn(at, ",");
		uint32_t status = WF_ITEM_ENABLED;

		while (status <= WF_ITEM_SUSPENDED) {
			const char *name =
			    wf_item_status_name((enum wf_item_status)status);

			if (strlen(name) == length &&
			    strncasecmp(name, at, length) == 0)
				break;
			status++;
		}
		if (status > WF_ITEM_SUSPENDED) {
			wf_rest_refuse(rest,
			    "status: expected enabled, fired, executing or "
			    "suspended");
			return false;
		}
		filter->statuses |= UINT32_C(1) << status;
		at += length + (at[length] == ',');
	}
	return true;
}

/* "NUMBER/ITEM": the last item of the previous page. */
static bool read_after(struct wf_rest *rest, struct wf_item_filter *filter)
{
	const char *text = wf_rest_argument(rest, "after");
	const char *slash = text == NULL ? NULL : strchr(text, '/');
	const char *number;

	if (text == NULL)
		return true;
	if (slash == NULL)
		return wf_rest_number(rest, "after", "", &filter->after_number);
	number = wf_arena_strndup(rest->arena, text, (size_t)(slash - text));
	filter->after_id = wf_arena_strdup(rest->arena, slash + 1);
	return wf_rest_number(rest, "after", number, &filter->after_number);
}

/* Those that say of which cases; state and age are those of the item. */
static const char *case_argument(void *context, const char *name)
{
	static const char *const names[] = { "q", "title", "incident",
		"where" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return wf_rest_argument(context, name);
	return NULL;
}

static const char *argument_of(void *context, const char *name)
{
	return wf_rest_argument(context, name);
}

/* False: answered. */
static bool read_conditions(struct wf_rest *rest, struct wf_item_filter *filter,
    struct wf_case_filter *cases)
{
	struct wf_engine *engine = rest->server->engine;
	struct wf_error err = { .rc = WF_OK };

	cases->namespace_id = filter->namespace_id;
	cases->specifications = filter->specifications;
	cases->live = true;
	if (wf_argument_time(engine, argument_of, rest, "older",
		&filter->enabled_before, &err) == WF_OK &&
	    wf_case_conditions_read(
		engine, case_argument, rest, rest->arena, cases, &err) == WF_OK)
		return true;
	wf_rest_fail(rest, &err);
	return false;
}

static bool is_by_case(const struct wf_case_filter *cases)
{
	return cases->words != NULL || cases->title != NULL ||
	       cases->incident != NULL || cases->where != NULL;
}

static bool read_filter(struct wf_rest *rest, struct wf_item_filter *filter,
    struct wf_case_filter *cases)
{
	const char *id = wf_rest_argument(rest, "case");
	struct wf_known_case known;

	memset(filter, 0, sizeof(*filter));
	memset(cases, 0, sizeof(*cases));
	filter->namespace_id = rest->account.namespace_id;
	filter->task = wf_rest_argument(rest, "task");
	filter->service = wf_rest_argument(rest, "service");
	if (id != NULL) {
		if (!wf_rest_known_case(rest, id, &known))
			return false;
		filter->number = known.number;
	}
	return wf_rest_specifications(rest, &filter->specifications) &&
	       wf_rest_is_allowed(rest) && read_statuses(rest, filter) &&
	       read_conditions(rest, filter, cases) &&
	       read_after(rest, filter) && wf_rest_limit(rest, &filter->limit);
}

/* What items are described with. */
struct view {
	struct wf_services *services;
	const struct wf_service_set *set;
	struct wf_organisation *organisation;
	int64_t now;
};

static void begin_view(const struct wf_rest *rest, struct view *view)
{
	view->services = rest->server->services;
	view->set = wf_services_hold(view->services);
	view->organisation = wf_org_cache_get(rest->server->organisation);
	view->now = wf_engine_now(rest->server->engine);
}

static void end_view(struct view *view)
{
	wf_organisation_unref(&view->organisation);
	wf_services_let_go(view->services, view->set);
}

/*
 * How the last attempt failed.  Of an item for a default worklist whose address
 * may not be called, no attempt is noted.
 */
static const char *last_answer(
    const struct view *view, const struct wf_item_row *row)
{
	const struct wf_service *service =
	    row->started_at != 0 || row->attempt > 0
		? NULL
		: wf_service_for(view->set, row->namespace_id, row->service);

	return service != NULL && wf_service_is_forbidden(service, 0)
		   ? WF_SERVICE_FORBIDDEN
		   : row->last_answer;
}

/* The pause of its service, for which an item waits that nobody has. */
static void put_pause(
    json_t *object, const struct view *view, const struct wf_item_row *row)
{
	const struct wf_service *service;

	if (row->started_at != 0 || row->lease_until != 0 ||
	    strcmp(row->service, WF_PEOPLE_SERVICE) == 0)
		return;
	service = wf_service_for(view->set, row->namespace_id, row->service);
	if (!wf_service_is_paused(service))
		return;
	wf_rest_put_pause(object, "paused", &service->pause);
	json_object_set_new(json_object_get(object, "paused"), "service",
	    json_string(service->name));
}

/* Who has the item, and how handing it over went. */
static void put_hand_over(
    json_t *object, const struct view *view, const struct wf_item_row *row)
{
	if (row->lease_until != 0) {
		wf_json_put_text(object, "holder", row->lease_owner);
		wf_json_put_time(object, "until", row->lease_until);
	}
	if (row->attempt > 0)
		json_object_set_new(
		    object, "attempt", json_integer(row->attempt));
	if (row->not_before > view->now && row->not_before < WF_LEASE_HELD)
		wf_json_put_time(object, "next_try", row->not_before);
	wf_json_put_text(object, "last_answer", last_answer(view, row));
	if (row->started_at == 0 &&
	    wf_service_is_missing(view->set, row->namespace_id, row->service))
		json_object_set_new(object, "unserved", json_true());
	put_pause(object, view, row);
}

static json_t *describe(const struct view *view, const struct wf_item_row *row)
{
	json_t *object = json_object();

	json_object_set_new(object, "item", json_string(row->id));
	json_object_set_new(
	    object, "case", json_stringn(row->id, strcspn(row->id, ".:")));
	wf_json_put_key(object, "specification", row->specification);
	json_object_set_new(object, "task", json_string(row->task));
	wf_json_put_text(object, "service", row->service);
	json_object_set_new(object, "status",
	    wf_json_lower_case(
		wf_item_status_name((enum wf_item_status)row->status)));
	if (row->choice != 0)
		json_object_set_new(
		    object, "choice", json_integer(row->choice));
	wf_json_put_time(object, "enabled", row->enabled_at);
	wf_json_put_time(object, "fired", row->fired_at);
	wf_json_put_time(object, "started", row->started_at);
	put_hand_over(object, view, row);
	wf_rest_put_assignment(object, view->organisation, row);
	return object;
}

json_t *wf_rest_describe_items(
    const struct wf_rest *rest, const struct wf_item_list *list)
{
	json_t *array = json_array();
	struct view view;

	begin_view(rest, &view);
	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(array, describe(&view, &list->rows[i]));
	end_view(&view);
	return array;
}

/* Rows that follow each other, of one specification. */
struct naming {
	const struct wf_item_list *list;
	json_t *items;
	size_t first;
	size_t end;
};

static void put_task_names(void *context, const struct wf_spec *spec)
{
	const struct naming *naming = context;

	for (size_t i = naming->first; i < naming->end; i++) {
		uint32_t at = 0;
		const struct wf_task *task =
		    wf_spec_next_task(spec, naming->list->rows[i].task, &at);

		if (task != NULL)
			wf_json_put_text(json_array_get(naming->items, i),
			    "name", task->name);
	}
}

void wf_rest_name_tasks(
    struct wf_rest *rest, const struct wf_item_list *list, json_t *items)
{
	struct naming naming = { list, items, 0, 0 };

	for (; naming.first < list->count; naming.first = naming.end) {
		uint64_t key = list->rows[naming.first].specification;

		while (naming.end < list->count &&
		       list->rows[naming.end].specification == key)
			naming.end++;
		(void)(wf_engine_inspect_spec(rest->server->engine,
			   rest->account.namespace_id, key, false,
			   put_task_names, &naming, NULL) == WF_OK);
	}
}

static json_t *describe_list(
    const struct wf_rest *rest, const struct wf_found_items *found)
{
	json_t *answer = json_object();
	char next[WF_ITEM_ID_SIZE + 32];

	json_object_set_new(
	    answer, "items", wf_rest_describe_items(rest, &found->items));
	if (found->next_id != NULL) {
		snprintf(next, sizeof(next), "%llu/%s",
		    (unsigned long long)found->next_number, found->next_id);
		json_object_set_new(answer, "next", json_string(next));
	}
	return answer;
}

static enum wf_rc read_items(struct wf_rest *rest, struct wf_store *store,
    const struct wf_item_filter *filter, const struct wf_case_filter *cases,
    struct wf_found_items *found_out, struct wf_error *err)
{
	struct wf_item_list *list = &found_out->items;
	enum wf_rc rc;

	if (is_by_case(cases))
		return wf_store_find_items(
		    store, filter, cases, rest->arena, found_out, err);
	memset(found_out, 0, sizeof(*found_out));
	rc = wf_store_items(store, filter, rest->arena, list, err);
	if (rc == WF_OK && list->count == filter->limit) {
		found_out->next_number = list->rows[list->count - 1].number;
		found_out->next_id = list->rows[list->count - 1].id;
	}
	return rc;
}

void wf_rest_list_items(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_item_filter filter;
	struct wf_case_filter cases;
	struct wf_found_items found;
	struct wf_store *store;
	enum wf_rc rc;

	if (!read_filter(rest, &filter, &cases))
		return;
	rc = wf_engine_borrow(rest->server->engine, &store, &err);
	if (rc == WF_OK) {
		rc = read_items(rest, store, &filter, &cases, &found, &err);
		wf_engine_give_back(rest->server->engine, store);
	}
	if (rc == WF_OK)
		wf_rest_answer(rest, 200, describe_list(rest, &found));
	else
		wf_rest_fail(rest, &err);
}

/* --- one ------------------------------------------------------------------ */

static const struct wf_item_row no_row = { .lease_owner = "",
	.last_answer = "",
	.queue = "",
	.rank = WF_ITEM_RANK,
	.due_at = WF_ITEM_NOT_DUE };

struct inspection {
	struct wf_rest *rest;
	const char *id;
	uint64_t number;	/* of its case */
	struct wf_item_row row; /* as the store has it */
	json_t *json;
	struct wf_error err;
	struct wf_rest_actor actor;
	struct wf_workload workload; /* of the actor */
	bool operates;		     /* the account */
	bool may_wait;		     /* for a timer or a condition */
	int64_t since;
	char started[WF_ITEM_ID_SIZE]; /* the instance, in a copy */
};

static json_t *describe_parameters(
    const struct wf_variable *parameters, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, wf_rest_parameter(&parameters[i]));
	return array;
}

static void put_data(struct inspection *inspection,
    const struct wf_case *instance, const struct wf_item *item)
{
	struct wf_buffer xml;

	wf_buffer_init(&xml, TEXT_MAXIMUM_BYTES);
	if (wf_case_item_input(instance, inspection->id, &xml, NULL) == WF_OK)
		json_object_set_new(
		    inspection->json, "data", wf_rest_item_values(item, &xml));
	wf_buffer_free(&xml);
}

/* Who has the item, who it is offered to, and what the actor can do with it. */
static void put_people(struct inspection *inspection,
    const struct wf_case *instance, const struct wf_item *item,
    const struct wf_organisation *organisation)
{
	const struct wf_people_question question =
	    wf_rest_people_question(instance, item, &inspection->actor);
	const char *chained = wf_case_chained(instance);
	struct wf_rest *rest = inspection->rest;
	const struct wf_assignment *assignment = item->assignment;
	const char *piled =
	    wf_piles_find(rest->server->piles, item->task, rest->arena);
	const struct wf_rest_work work = { .rest = rest,
		.question = &question,
		.operates = inspection->operates,
		.organisation = organisation,
		.task = item->task,
		.assignment = assignment->status,
		.status = item->status,
		.was_started = item->started_at != 0,
		.holder = assignment->holder,
		.is_offered = wf_rest_is_offered(rest, organisation, assignment,
		    inspection->actor.participant),
		.actor = &inspection->actor,
		.item = inspection->id,
		.workload = &inspection->workload,
		.piled = piled,
		.chained = chained };

	wf_json_put_text(inspection->json, "holder",
	    wf_rest_user(organisation, assignment->holder));
	if (piled != NULL)
		wf_json_put_text(inspection->json, "piled_to",
		    wf_rest_user(organisation, piled));
	wf_json_put_text(inspection->json, "chained_to",
	    chained[0] == '\0' ? "" : wf_rest_user(organisation, chained));
	wf_rest_put_offer(inspection->json, rest, organisation, assignment);
	wf_rest_put_actions(inspection->json, &work, true);
}

static void describe_fully(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct inspection *inspection = context;
	const struct wf_decomposition *decomposition;
	struct wf_item_row row = inspection->row;
	struct wf_item item;
	struct view view;

	if (wf_case_item(instance, inspection->id, &item, &inspection->err) !=
	    WF_OK)
		return;
	row.id = inspection->id;
	row.namespace_id = stored->row.namespace_id;
	row.specification = stored->row.specification;
	row.service =
	    item.assignment == NULL ? item.service : WF_PEOPLE_SERVICE;
	row.task = item.task->id;
	row.status = item.status;
	row.choice = item.choice;
	row.enabled_at = item.enabled_at;
	row.fired_at = item.fired_at;
	row.started_at = item.started_at;
	row.assignment = item.assignment == NULL
			     ? WF_RESOURCE_NONE
			     : (uint32_t)item.assignment->status;
	begin_view(inspection->rest, &view);
	inspection->json = describe(&view, &row);
	if (stored->row.status == WF_CASE_SUSPENDED)
		json_object_set_new(
		    inspection->json, "suspended_case", json_true());
	if (item.assignment != NULL)
		put_people(inspection, instance, &item, view.organisation);
	end_view(&view);
	decomposition = item.task->decomposition;
	inspection->may_wait =
	    wf_hand_over_may_wait(decomposition->hand_over) &&
	    (item.status == WF_ITEM_ENABLED || item.status == WF_ITEM_FIRED);
	inspection->since =
	    item.status == WF_ITEM_FIRED ? item.fired_at : item.enabled_at;
	wf_json_put_text(inspection->json, "name", item.task->name);
	wf_data_put_documentation(inspection->json,
	    inspection->rest->server->engine, instance, inspection->id);
	wf_json_put_time(inspection->json, "expires", item.timer_at);
	put_data(inspection, instance, &item);
	json_object_set_new(inspection->json, "outputs",
	    describe_parameters(
		decomposition->outputs, decomposition->output_count));
}

/* Its lease and its attempts; without a row it has none. */
static void read_row(struct inspection *inspection, uint64_t number)
{
	struct wf_rest *rest = inspection->rest;
	struct wf_engine *engine = rest->server->engine;
	struct wf_store *store;

	if (wf_engine_borrow(engine, &store, NULL) != WF_OK)
		return;
	if (wf_store_item(store, number, inspection->id, rest->arena,
		&inspection->row, NULL) != WF_OK)
		inspection->row = no_row;
	wf_engine_give_back(engine, store);
}

static void read_workload(struct inspection *inspection)
{
	struct wf_rest *rest = inspection->rest;
	struct wf_organisation *organisation =
	    wf_org_cache_get(rest->server->organisation);

	wf_rest_read_workload(rest, organisation, inspection->actor.participant,
	    &inspection->workload);
	wf_organisation_unref(&organisation);
}

/* False: the request was answered or sent to the pool. */
static bool inspect(struct wf_rest *rest, struct inspection *inspection)
{
	struct wf_known_case known;
	enum wf_rc rc;

	inspection->rest = rest;
	inspection->id = rest->parts[0];
	if (!wf_rest_known_case_of_item(rest, inspection->id, &known) ||
	    !wf_rest_read_actor(rest, &inspection->actor) ||
	    !wf_rest_has_right(rest, WF_MAY(OPERATE), inspection->id, &known,
		&inspection->operates))
		return false;
	inspection->number = known.number;
	read_row(inspection, known.number);
	read_workload(inspection);
	rc = wf_engine_inspect(rest->server->engine, known.number,
	    describe_fully, inspection, &inspection->err);
	if (rc == WF_OK && inspection->err.rc == WF_OK)
		return true;
	wf_rest_fail(rest, &inspection->err);
	return false;
}

bool wf_rest_inspect_item(struct wf_rest *rest, json_t **json_out,
    uint64_t *number_out, struct wf_rest_actor *actor_out)
{
	struct inspection inspection = { .row = no_row };

	if (!inspect(rest, &inspection))
		return false;
	*json_out = inspection.json;
	*number_out = inspection.number;
	*actor_out = inspection.actor;
	return true;
}

/* The item was started in a copy of its case. */
static void put_waits(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct inspection *inspection = context;
	struct wf_engine *engine = inspection->rest->server->engine;
	int64_t now = wf_engine_now(engine);
	struct wf_buffer xml;
	struct wf_item item;
	int64_t at = now;
	bool may;

	(void)stored;
	wf_buffer_init(&xml, TEXT_MAXIMUM_BYTES);
	if (wf_case_item(instance, inspection->started, &item, NULL) == WF_OK &&
	    wf_case_item_input(instance, inspection->started, &xml, NULL) ==
		WF_OK &&
	    wf_hand_over_check(item.task->decomposition->hand_over,
		wf_buffer_text(&xml), xml.length, inspection->since, now, now,
		WF_INSPECTION_WORK, &at, &may, NULL) == WF_OK &&
	    !may) {
		json_object_set_new(inspection->json, "waits",
		    json_string(at > now ? "start" : "precondition"));
		if (at > now)
			wf_json_put_time(inspection->json, "waits_until", at);
	}
	wf_buffer_free(&xml);
}

/* Adds whether the item waits, which its input at the start decides. */
static void add_waits(struct wf_rest *rest, struct inspection *inspection)
{
	struct wf_request request = { .number = inspection->number,
		.command = {
		    .kind = WF_COMMAND_START, .item = inspection->id } };

	(void)(wf_engine_inspect_after(rest->server->engine, &request, NULL,
		   inspection->started, put_waits, inspection, NULL) == WF_OK);
}

void wf_rest_show_item(struct wf_rest *rest)
{
	struct inspection inspection = { .row = no_row };

	if (!inspect(rest, &inspection))
		return;
	if (json_object_get(inspection.json, "paused") != NULL)
		json_object_set_new(
		    inspection.json, "waits", json_string("pause"));
	else if (inspection.may_wait)
		add_waits(rest, &inspection);
	wf_rest_answer(rest, 200, inspection.json);
}
