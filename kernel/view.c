/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A case as seen from outside: its status, its items, its net instances.
 * kernel/case_data.c has their data.
 */
#include "kernel/view.h"

#include "base/escape.h"
#include "base/map.h"

#include "kernel/assignment/assignment_state.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const status_names[] = {
#define WF_STATUS(name, word, live) word,
#include "kernel/statuses.def"
#undef WF_STATUS
};

const char *wf_item_status_name(enum wf_item_status status)
{
	wf_assert(
	    (size_t)status < sizeof(status_names) / sizeof(status_names[0]));
	return status_names[status];
}

enum wf_case_status wf_case_status(const struct wf_case *instance)
{
	return (enum wf_case_status)instance->status;
}

const char *wf_case_id(const struct wf_case *instance)
{
	return instance->id;
}

int64_t wf_case_time(const struct wf_case *instance)
{
	return instance->now;
}

const struct wf_spec *wf_case_spec(const struct wf_case *instance)
{
	return instance->spec;
}

size_t wf_case_memory(const struct wf_case *instance)
{
	return instance->memory;
}

const char *wf_task_id(const struct wf_task *task)
{
	return task->id;
}

const char *wf_task_name(const struct wf_task *task)
{
	return task->name == NULL ? "" : task->name;
}

const char *wf_task_documentation(const struct wf_task *task)
{
	return task->documentation == NULL ? "" : task->documentation;
}

const char *wf_task_service(const struct wf_task *task)
{
	const struct wf_decomposition *work = task->decomposition;

	return work == NULL || work->service_uri == NULL ? ""
							 : work->service_uri;
}

bool wf_task_is_for_people(const struct wf_task *task)
{
	return task->is_for_people;
}

static void describe_assignment(
    struct wf_item *item, const struct assignment *assignment)
{
	bool is_served = wf_assignment_is_served(assignment);

	item->service =
	    is_served ? assignment->seen.service : wf_task_service(item->task);
	item->assignment =
	    assignment == NULL || is_served ? NULL : &assignment->seen;
}

void wf_describe_item(const struct wf_case *c, const struct net_instance *n,
    const struct activity *activity, const struct instance *instance,
    struct wf_item *item)
{
	wf_assert(n->activities[activity->task] == activity);
	memset(item, 0, sizeof(*item));
	item->net = n->net;
	item->task = wf_task_of(n, activity->task);
	item->choice = activity->choice;
	item->enabled_at = activity->enabled_at;
	item->fired_at = activity->fired_at;
	item->timer_at = activity->timer.at;
	wf_net_case_id(
	    c, n, instance == NULL ? 0 : instance->number, item->case_id);
	if (instance == NULL) {
		item->status =
		    activity->suspended ? WF_ITEM_SUSPENDED : WF_ITEM_ENABLED;
		item->suspended_from = WF_ITEM_ENABLED;
		describe_assignment(item, activity->first.assignment);
		return;
	}
	item->status = (enum wf_item_status)instance->status;
	item->suspended_from = (enum wf_item_status)instance->suspended_from;
	item->started_at = instance->started_at;
	describe_assignment(item, instance->assignment);
	item->timer_is_own = instance->timer.at != 0;
	if (item->timer_is_own)
		item->timer_at = instance->timer.at;
}

/* Stores the items of one net in items, or only counts them (NULL). */
static size_t list_items(const struct wf_case *c, const struct net_instance *n,
    struct wf_item *items)
{
	size_t count = 0;

	if (n->busy_count + n->offered_count == 0)
		return 0;
	for (uint32_t i = 0; i < n->net->task_count; i++) {
		const struct activity *activity = n->activities[i];

		if (activity == NULL || n->net->tasks[i].kind != WF_ATOMIC_TASK)
			continue;
		if (!activity->busy) {
			if (items != NULL)
				wf_describe_item(
				    c, n, activity, NULL, &items[count]);
			count++;
			continue;
		}
		for (uint32_t k = 0; k < activity->instance_count; k++) {
			const struct instance *instance =
			    &activity->instances[k];

			if (instance->status > WF_ITEM_SUSPENDED)
				continue;
			if (items != NULL)
				wf_describe_item(
				    c, n, activity, instance, &items[count]);
			count++;
		}
	}
	return count;
}

/* Compares number by number: 1.9 before 1.10, and 1 before 1.1. */
static int compare_case_ids(const char *a, const char *b)
{
	a += strcspn(a, ".");
	b += strcspn(b, ".");
	while (*a == '.' && *b == '.') {
		unsigned long x = strtoul(a + 1, NULL, 10);
		unsigned long y = strtoul(b + 1, NULL, 10);

		if (x != y)
			return x < y ? -1 : 1;
		a += 1 + strcspn(a + 1, ".");
		b += 1 + strcspn(b + 1, ".");
	}
	return (*a != '\0') - (*b != '\0');
}

static int compare_items(const void *a, const void *b)
{
	const struct wf_item *x = a;
	const struct wf_item *y = b;
	int order = strcmp(x->task->id, y->task->id);

	return order != 0 ? order : compare_case_ids(x->case_id, y->case_id);
}

size_t wf_case_items(const struct wf_case *instance, struct wf_item **items_out)
{
	struct wf_item *items;
	size_t count = 0;
	size_t room;

	wf_assert(instance->magic == WF_CASE_MAGIC);
	for (uint32_t i = 0; i < instance->net_count; i++)
		count += list_items(instance, instance->nets[i], NULL);
	items = wf_calloc(count, sizeof(*items));
	room = count;
	count = 0;
	for (uint32_t i = 0; i < instance->net_count; i++)
		count += list_items(instance, instance->nets[i], items + count);
	wf_assert(count == room);
	qsort(items, count, sizeof(*items), compare_items);
	*items_out = items;
	return count;
}

void wf_item_id(const struct wf_item *item, char id_out[WF_ITEM_ID_SIZE])
{
	snprintf(
	    id_out, WF_ITEM_ID_SIZE, "%s:%s", item->case_id, item->task->id);
}

enum wf_rc wf_case_item(const struct wf_case *instance, const char *id,
    struct wf_item *item_out, struct wf_error *err)
{
	struct target target;
	enum wf_rc rc = wf_find_item(instance, id, false, &target, err);

	if (rc == WF_OK)
		wf_describe_item(instance, target.net, target.activity,
		    target.instance, item_out);
	return rc;
}

static int compare_views(const void *a, const void *b)
{
	return compare_case_ids(((const struct wf_net_view *)a)->case_id,
	    ((const struct wf_net_view *)b)->case_id);
}

static struct wf_net_view view_of(
    const struct wf_case *c, const struct net_instance *n)
{
	struct wf_net_view view = { .net = n->net,
		.tokens = n->tokens,
		.variables = n->variables,
		.task = n->parent == NULL
			    ? NULL
			    : wf_task_of(n->parent, n->parent_task),
		.serial = n->serial,
		.last_instance = n->last_child,
		.stuck = n->stuck,
		.state = n };

	wf_net_case_id(c, n, 0, view.case_id);
	return view;
}

bool wf_case_net(const struct wf_case *instance, uint32_t serial,
    struct wf_net_view *view_out)
{
	const struct net_instance *n = wf_net_instance(instance, serial);

	if (n == NULL)
		return false;
	*view_out = view_of(instance, n);
	return true;
}

struct wf_value *wf_case_variable(
    const struct wf_case *instance, uint32_t number)
{
	wf_assert(number < instance->root->net->variable_count);
	return instance->root->variables[number];
}

const char *wf_net_view_text(
    const struct wf_net_view *view, const char *name, struct wf_arena *arena)
{
	uintptr_t number =
	    (uintptr_t)wf_map_get(view->net->variable_numbers, name);
	const struct wf_value *value;
	const char *content;
	size_t length;
	char *text;

	if (number == 0 || view->variables[number - 1] == NULL)
		return NULL;
	value = view->variables[number - 1];
	content = wf_value_content(value, &length, NULL);
	text = wf_arena_alloc(arena, length + 1);
	wf_unescape(text, content, length);
	return text;
}

void wf_case_nets(const struct wf_case *instance,
    void (*visit)(void *argument, const struct wf_net_view *view),
    void *argument)
{
	struct wf_net_view *views =
	    wf_calloc(instance->net_count, sizeof(*views));

	wf_assert(instance->magic == WF_CASE_MAGIC);
	for (uint32_t i = 0; i < instance->net_count; i++)
		views[i] = view_of(instance, instance->nets[i]);
	qsort(views, instance->net_count, sizeof(*views), compare_views);
	for (uint32_t i = 0; i < instance->net_count; i++)
		visit(argument, &views[i]);
	wf_free(views);
}

bool wf_net_view_is_busy(const struct wf_net_view *view, uint32_t task)
{
	const struct net_instance *n = view->state;

	wf_assert(task < n->net->task_count);
	return n->activities[task] != NULL && n->activities[task]->busy;
}

bool wf_net_view_waits(const struct wf_net_view *view, uint32_t task)
{
	const struct net_instance *n = view->state;
	const struct wf_task *of = &n->net->tasks[task];
	uint32_t marked = 0;

	wf_assert(task < n->net->task_count);
	for (uint32_t i = 0; i < of->preset_count; i++)
		marked += n->tokens[of->preset[i]] > 0;
	return marked > 0 && n->activities[task] == NULL;
}

void wf_net_view_instances(const struct wf_net_view *view, uint32_t task,
    void (*visit)(void *argument, uint32_t number, enum wf_item_status status),
    void *argument)
{
	const struct net_instance *n = view->state;
	const struct activity *activity = n->activities[task];

	if (activity == NULL || !activity->busy)
		return;
	for (uint32_t i = 0; i < activity->instance_count; i++)
		visit(argument, activity->instances[i].number,
		    (enum wf_item_status)activity->instances[i].status);
}

enum wf_timer_state wf_net_view_timer(
    const struct wf_net_view *view, uint32_t task)
{
	const struct net_instance *n = view->state;

	return n->timers == NULL ? WF_TIMER_DORMANT
				 : (enum wf_timer_state)n->timers[task];
}

void wf_net_view_collected(const struct wf_net_view *view, uint32_t task,
    void (*visit)(void *argument, const struct wf_value *value), void *argument)
{
	const struct net_instance *n = view->state;
	const struct activity *activity = n->activities[task];

	if (activity == NULL || !activity->busy)
		return;
	for (uint32_t i = 0; i < activity->result_count; i++)
		if (activity->results[i].variable == WF_COLLECTED &&
		    activity->results[i].value != NULL)
			visit(argument, activity->results[i].value);
}

bool wf_case_is_stuck(const struct wf_case *instance)
{
	struct wf_item *items;
	bool stuck;

	if (instance->status != WF_CASE_RUNNING)
		return false;
	stuck = wf_case_items(instance, &items) == 0;
	wf_free(items);
	return stuck;
}

void wf_condition_words(const struct wf_net *net,
    const struct wf_condition *condition, struct wf_buffer *text)
{
	if (condition->kind == WF_IMPLICIT && condition->preset_count == 1 &&
	    condition->postset_count == 1)
		wf_buffer_printf(text, "the flow from %s to %s",
		    net->tasks[condition->preset[0]].id,
		    net->tasks[condition->postset[0]].id);
	else
		wf_buffer_printf(text, "condition %s", condition->id);
}
