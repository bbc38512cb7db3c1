/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a case as JSON.  Nothing here is read from the store, so it is
 * the same for a case as it is and as it was after an earlier step.
 */
#include "rest/case/rest_moment.h"

#include <stdio.h>
#include <string.h>

#include "kernel/assignment/assignment.h"
#include "kernel/step.h"
#include "kernel/view.h"
#include "kernel/why.h"
#include "people/audience.h"
#include "rest/rest_item.h"
#include "spec/timing.h"

/* Instances of one task that are listed, at most. */
#define INSTANCES_SHOWN 1000U

/* --- nets ----------------------------------------------------------------- */

static const char *const join_words[] = { "and", "xor", "or" };

/* The inputs of a task that have a token, or those that have none. */
static json_t *list_inputs(
    const struct wf_net_view *view, const struct wf_task *task, bool is_marked)
{
	json_t *inputs = json_array();

	for (uint32_t i = 0; i < task->preset_count; i++)
		if ((view->tokens[task->preset[i]] > 0) == is_marked)
			json_array_append_new(inputs,
			    json_string(
				view->net->conditions[task->preset[i]].id));
	return inputs;
}

/* A task that waits, with the inputs that it lacks. */
static json_t *describe_waiting(
    const struct wf_net_view *view, const struct wf_task *task)
{
	json_t *waiting = json_object();

	json_object_set_new(waiting, "task", json_string(task->id));
	json_object_set_new(
	    waiting, "join", json_string(join_words[task->join]));
	json_object_set_new(waiting, "for", list_inputs(view, task, false));
	return waiting;
}

struct listing {
	const char *case_id; /* of the net */
	json_t *array;
	size_t count;
	size_t ended;
};

static void add_instance(
    void *argument, uint32_t number, enum wf_item_status status)
{
	struct listing *listing = argument;
	char id[WF_CASE_ID_SIZE + 16];
	json_t *instance;

	listing->count++;
	listing->ended += status > WF_ITEM_SUSPENDED;
	if (listing->count > INSTANCES_SHOWN)
		return;
	instance = json_object();
	snprintf(id, sizeof(id), "%s.%u", listing->case_id, (unsigned)number);
	json_object_set_new(instance, "id", json_string(id));
	json_object_set_new(instance, "status",
	    wf_json_lower_case(wf_item_status_name(status)));
	json_array_append_new(listing->array, instance);
}

/* The instances of a busy task. */
static json_t *describe_instances(
    const struct wf_net_view *view, uint32_t number)
{
	struct listing listing = { view->case_id, json_array(), 0, 0 };
	json_t *object = json_object();

	wf_net_view_instances(view, number, add_instance, &listing);
	json_object_set_new(
	    object, "task", json_string(view->net->tasks[number].id));
	json_object_set_new(
	    object, "count", json_integer((json_int_t)listing.count));
	json_object_set_new(
	    object, "ended", json_integer((json_int_t)listing.ended));
	json_object_set_new(object, "instances", listing.array);
	return object;
}

/* The net around it, and the task there that it runs for. */
static void put_place(json_t *net, const struct wf_net_view *view)
{
	const char *last = strrchr(view->case_id, '.');

	if (view->task == NULL || last == NULL)
		return;
	json_object_set_new(net, "parent",
	    json_stringn(view->case_id, (size_t)(last - view->case_id)));
	json_object_set_new(net, "task", json_string(view->task->id));
}

static json_t *describe_marking(const struct wf_net_view *view)
{
	json_t *marking = json_object();

	for (uint32_t i = 0; i < view->net->condition_count; i++)
		if (view->tokens[i] > 0)
			json_object_set_new(marking,
			    view->net->conditions[i].id,
			    json_integer(view->tokens[i]));
	return marking;
}

static void put_tasks(json_t *net, const struct wf_net_view *view)
{
	json_t *busy = json_array();
	json_t *waiting = json_array();
	json_t *instances = json_array();

	for (uint32_t i = 0; i < view->net->task_count; i++) {
		const struct wf_task *task = &view->net->tasks[i];

		if (wf_net_view_is_busy(view, i)) {
			json_array_append_new(busy, json_string(task->id));
			json_array_append_new(
			    instances, describe_instances(view, i));
		} else if (wf_net_view_waits(view, i)) {
			json_array_append_new(
			    waiting, describe_waiting(view, task));
		}
	}
	json_object_set_new(net, "busy", busy);
	json_object_set_new(net, "waiting", waiting);
	json_object_set_new(net, "instances", instances);
}

static void add_net(void *argument, const struct wf_net_view *view)
{
	json_t *net = json_object();

	json_object_set_new(net, "id", json_string(view->case_id));
	json_object_set_new(
	    net, "net", json_string(view->net->decomposition->id));
	put_place(net, view);
	json_object_set_new(net, "marking", describe_marking(view));
	put_tasks(net, view);
	if (view->stuck)
		json_object_set_new(net, "stuck", json_true());
	json_array_append_new(argument, net);
}

json_t *wf_rest_describe_nets(const struct wf_case *instance)
{
	json_t *nets = json_array();

	wf_case_nets(instance, add_net, nets);
	return nets;
}

/* --- one task ------------------------------------------------------------- */

struct wait {
	const struct wf_rest *rest;
	const char *task;
	json_t *nets;
};

static void put_still(const struct wait *wait, json_t *object,
    const struct wf_net_view *view, uint32_t number)
{
	const struct wf_condition *input;
	const struct wf_task **tasks;
	json_t *by;
	size_t count;

	if (!wf_why_or_join(
		view, number, wait->rest->arena, &input, &tasks, &count))
		return;
	by = json_array();
	for (size_t i = 0; i < count; i++)
		json_array_append_new(by, json_string(tasks[i]->id));
	json_object_set_new(object, "may_still_come",
	    json_pack("{s:s,s:o}", "condition", input->id, "by", by));
}

static void add_wait(void *argument, const struct wf_net_view *view)
{
	const struct wait *wait = argument;
	uint32_t number =
	    wf_net_task_number(view->net, wait->task, strlen(wait->task));
	const struct wf_task *task;
	json_t *object;

	if (number == UINT32_MAX)
		return;
	task = &view->net->tasks[number];
	object = json_object();
	json_object_set_new(object, "id", json_string(view->case_id));
	json_object_set_new(
	    object, "net", json_string(view->net->decomposition->id));
	json_object_set_new(
	    object, "join", json_string(join_words[task->join]));
	json_object_set_new(
	    object, "busy", json_boolean(wf_net_view_is_busy(view, number)));
	json_object_set_new(
	    object, "waits", json_boolean(wf_net_view_waits(view, number)));
	json_object_set_new(object, "marked", list_inputs(view, task, true));
	json_object_set_new(object, "needs", list_inputs(view, task, false));
	put_still(wait, object, view, number);
	json_array_append_new(wait->nets, object);
}

json_t *wf_rest_describe_wait(const struct wf_rest *rest,
    const struct wf_case *instance, const char *task)
{
	struct wait wait = { rest, task, json_array() };

	wf_case_nets(instance, add_wait, &wait);
	return wait.nets;
}

/* --- timers --------------------------------------------------------------- */

static void add_timer(
    void *argument, const char *item, uint32_t number, int64_t at)
{
	json_t *timer = json_object();

	(void)number;
	json_object_set_new(timer, "item", json_string(item));
	wf_json_put_time(timer, "expires", at);
	json_array_append_new(argument, timer);
}

json_t *wf_rest_describe_timers(const struct wf_case *instance)
{
	json_t *timers = json_array();

	wf_case_timers(instance, add_timer, timers);
	return timers;
}

/* --- items ---------------------------------------------------------------- */

static void fill_people(struct wf_item_row *row,
    const struct wf_assignment *assignment, struct wf_arena *arena)
{
	row->service = WF_PEOPLE_SERVICE;
	row->assignment = assignment->status;
	if (assignment->urgency.is_kept)
		row->rank = WF_PRIORITY_MOST - assignment->urgency.priority;
	if (assignment->urgency.due_at != 0)
		row->due_at = assignment->urgency.due_at;
	if (assignment->holder[0] != '\0')
		row->queue = wf_participant_queue(assignment->holder, arena);
}

static void fill_row(struct wf_item_row *row, const struct wf_item *item,
    const struct wf_stored_case *stored, struct wf_arena *arena)
{
	char id[WF_ITEM_ID_SIZE];

	wf_item_id(item, id);
	*row = (struct wf_item_row){ .number = stored->row.number,
		.id = wf_arena_strdup(arena, id),
		.namespace_id = stored->row.namespace_id,
		.specification = stored->row.specification,
		.task = item->task->id,
		.service = item->service,
		.status = item->status,
		.choice = item->choice,
		.enabled_at = item->enabled_at,
		.fired_at = item->fired_at,
		.started_at = item->started_at,
		.lease_owner = "",
		.last_answer = "",
		.queue = "",
		.rank = WF_ITEM_RANK,
		.due_at = WF_ITEM_NOT_DUE };
	if (item->assignment != NULL)
		fill_people(row, item->assignment, arena);
}

/* What is known of today's services says nothing about another time. */
static void drop_present(json_t *items)
{
	json_t *item;
	size_t i;

	json_array_foreach(items, i, item)
	{
		json_object_del(item, "unserved");
		json_object_del(item, "paused");
	}
}

void wf_rest_put_moment_items(const struct wf_rest *rest, json_t *json,
    const struct wf_case *instance, const struct wf_stored_case *stored)
{
	struct wf_item_list list = { .count = 0 };
	struct wf_item *items;
	size_t count = wf_case_items(instance, &items);
	json_t *described;

	list.rows =
	    wf_arena_array(rest->arena, WF_MOMENT_ITEMS, sizeof(*list.rows));
	for (size_t i = 0; i < count && list.count < WF_MOMENT_ITEMS; i++)
		if (items[i].task->kind == WF_ATOMIC_TASK)
			fill_row(&list.rows[list.count++], &items[i], stored,
			    rest->arena);
	described = wf_rest_describe_items(rest, &list);
	drop_present(described);
	json_object_set_new(json, "items", described);
	if (count > WF_MOMENT_ITEMS)
		json_object_set_new(json, "more_items", json_true());
	wf_free(items);
}
