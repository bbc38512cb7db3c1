/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two steps of a migration: the case leaves what cannot come with it, and
 * goes on as a case of the other specification.
 *
 * The new case is built from the old one, element by element; the numbers of
 * nets, instances, timers, choices and values stay.  Its state is the first
 * event of its step, so a replay needs no plan.
 */
#include "kernel/assignment/assignment_state.h"
#include "kernel/change/migrate_priv.h"
#include "kernel/kernel.h"
#include "kernel/or_join/or_join_state.h"

/* --- leaving -------------------------------------------------------------- */

static void keep_first(
    void *context, const struct wf_migration_problem *problem)
{
	struct step *s = context;

	if (s->err != NULL && s->err->rc == WF_OK)
		(void)wf_fail(s->err, WF_CONFLICT, "net %s: %s", problem->net,
		    problem->text);
}

static void leave_tasks(
    struct step *s, const struct net_map *map, struct net_instance *n)
{
	for (uint32_t i = 0; i < n->net->task_count; i++) {
		struct activity *activity = n->activities[i];

		if (activity == NULL)
			continue;
		if (!activity->busy && !wf_bitset_has(map->kept, i))
			wf_withdraw(s, n, i, WF_ITEM_WITHDRAWN);
		else if (activity->busy && map->tasks[i] == LEFT_BEHIND)
			wf_cancel_task(s, n, activity, WF_ITEM_CANCELLED);
	}
}

static void leave_tokens(
    struct step *s, const struct net_map *map, struct net_instance *n)
{
	for (uint32_t i = 0; i < n->net->condition_count; i++)
		if (n->tokens[i] != 0 && map->conditions[i] == LEFT_BEHIND)
			wf_emit_task(s, WF_EVENT_CONDITION_EMPTIED, n, i);
}

enum wf_rc wf_migrate(struct step *s)
{
	const struct wf_migration *m = s->command->migration;
	uint32_t count = s->c->net_count;
	uint32_t *serials = wf_step_alloc(s, count * sizeof(*serials));

	if (m == NULL)
		return wf_fail(s->err, WF_INVALID, "a migration needs a plan");
	if (m->from != s->c->spec)
		return wf_fail(s->err, WF_CONFLICT,
		    "the plan is not for cases of version %s of %s",
		    s->c->spec->metadata.version, s->c->spec->uri);
	if (wf_migration_check(m, s->c, keep_first, s) > 0)
		return WF_CONFLICT;
	for (uint32_t i = 0; i < count; i++)
		serials[i] = s->c->nets[i]->serial;
	for (uint32_t i = 0; i < count; i++) {
		struct net_instance *n = wf_net_instance(s->c, serials[i]);

		/* A task around it may just have been cancelled. */
		if (n == NULL)
			continue;
		leave_tasks(s, wf_map_of(m, n->net), n);
		leave_tokens(s, wf_map_of(m, n->net), n);
	}
	return WF_OK;
}

const struct wf_task *wf_migration_task(const struct wf_migration *migration,
    const struct wf_net *net, const struct wf_task *task)
{
	const struct net_map *map = wf_map_of(migration, net);

	if (map->to == NULL || !wf_goes(map->tasks[task->number]))
		return NULL;
	return &map->to->tasks[map->tasks[task->number]];
}

/* --- the state of the new case -------------------------------------------- */

struct builder {
	const struct wf_migration *m;
	const struct wf_case *from;
	struct wf_case *to;
};

/* Counts the memory of a value in the slot, as decoding does. */
static void put_value(
    struct builder *b, struct wf_value **slot, struct wf_value *value)
{
	wf_assert(*slot == NULL);
	if (value == NULL)
		return;
	*slot = wf_value_ref(value);
	b->to->memory += value->length;
}

/* The value as one of the variable with that name; a new reference. */
static struct wf_value *renamed_value(struct wf_value *value, const char *name)
{
	struct wf_value *renamed = NULL;
	const char *content;
	size_t length;

	if (wf_value_is_named(value, name))
		return wf_value_ref(value);
	content = wf_value_content(value, &length, NULL);
	if (wf_value_parse_content(&renamed, name, content, length, NULL) !=
	    WF_OK)
		return wf_value_new_empty(name);
	return renamed;
}

static void build_variables(struct builder *b, const struct net_map *map,
    const struct net_instance *n, struct net_instance *made)
{
	for (uint32_t i = 0; i < map->to->variable_count; i++) {
		const struct wf_net_variable *variable = &map->to->variables[i];
		uint32_t source = map->sources[i];
		struct wf_value *value;

		wf_assert(source == NOWHERE || source < n->net->variable_count);
		if (source == NOWHERE) {
			if (!variable->is_flag ||
			    variable->declared->initial != NULL)
				put_value(
				    b, &made->variables[i], variable->initial);
			continue;
		}
		if (n->variables[source] == NULL)
			continue;
		value = renamed_value(n->variables[source], variable->name);
		put_value(b, &made->variables[i], value);
		wf_value_unref(&value);
	}
}

static void build_inputs(struct builder *b, const struct wf_task *from,
    const struct wf_task *to, const struct instance *instance,
    struct instance *made)
{
	const struct wf_decomposition *old = from->decomposition;
	const struct wf_decomposition *new = to->decomposition;

	made->inputs = NULL;
	if (instance->inputs == NULL || new == NULL || new->input_count == 0)
		return;
	made->inputs = wf_calloc(new->input_count, sizeof(*made->inputs));
	b->to->memory += new->input_count * sizeof(*made->inputs);
	for (size_t i = 0; i < new->input_count; i++)
		for (size_t k = 0; k < old->input_count; k++)
			if (strcmp(old->inputs[k].name, new->inputs[i].name) ==
			    0)
				put_value(
				    b, &made->inputs[i], instance->inputs[k]);
}

static void build_instances(struct builder *b, const struct wf_task *from,
    const struct wf_task *to, const struct activity *activity,
    struct activity *made)
{
	made->instances = &made->first;
	made->instance_capacity = 1;
	if (activity->instance_count > 1) {
		made->instance_capacity = activity->instance_capacity;
		made->instances =
		    wf_calloc(made->instance_capacity, sizeof(struct instance));
		b->to->memory +=
		    made->instance_capacity * sizeof(struct instance);
	}
	for (uint32_t i = 0; i < activity->instance_count; i++) {
		made->instances[i] = activity->instances[i];
		made->instances[i].subnet = NULL;
		made->instances[i].assignment = NULL;
		build_inputs(
		    b, from, to, &activity->instances[i], &made->instances[i]);
	}
}

static void build_results(struct builder *b, const struct net_map *map,
    const struct activity *activity, struct activity *made)
{
	if (activity->result_count == 0)
		return;
	made->results =
	    wf_calloc(activity->result_count, sizeof(*made->results));
	made->result_capacity = activity->result_count;
	b->to->memory += activity->result_count * sizeof(*made->results);
	for (uint32_t i = 0; i < activity->result_count; i++) {
		struct wf_binding *result =
		    &made->results[made->result_count++];

		/* Of an offered task: enablement parameters, as before. */
		result->variable = activity->results[i].variable;
		if (activity->busy && result->variable != WF_COLLECTED)
			result->variable = map->variables[result->variable];
		put_value(b, &result->value, activity->results[i].value);
	}
}

static void build_activity(struct builder *b, const struct net_map *map,
    const struct net_instance *n, struct net_instance *made_net,
    const struct activity *activity)
{
	uint32_t task = map->tasks[activity->task];
	struct activity *made = wf_calloc(1, sizeof(*made));

	wf_assert(wf_goes(task) && made_net->activities[task] == NULL);
	*made = *activity;
	made->task = task;
	made->results = NULL;
	made->result_count = made->result_capacity = 0;
	memset(&made->first, 0, sizeof(made->first));
	b->to->memory += sizeof(*made);
	made_net->activities[task] = made;
	if (made->busy)
		made_net->busy_count++;
	else
		made_net->offered_count++;
	if (made->busy && made_net->or_state != NULL)
		wf_or_touch_task(b->to, made_net, task, true);
	build_instances(b, wf_task_of(n, activity->task),
	    wf_task_of(made_net, task), activity, made);
	build_results(b, map, activity, made);
}

static void build_timers(const struct net_map *map,
    const struct net_instance *n, struct net_instance *made)
{
	for (uint32_t i = 0; n->timers != NULL && made->timers != NULL &&
			     i < n->net->task_count;
	     i++)
		if (wf_goes(map->tasks[i]) &&
		    map->to->tasks[map->tasks[i]].timer != NULL)
			made->timers[map->tasks[i]] = n->timers[i];
}

static void build_net(struct builder *b, const struct net_instance *n)
{
	const struct net_map *map = wf_map_of(b->m, n->net);
	struct net_instance *parent = NULL;
	struct instance *instance = NULL;
	struct net_instance *made;
	uint32_t task = 0;

	wf_assert(map->to != NULL);
	if (n->parent != NULL) {
		parent = wf_net_instance(b->to, n->parent->serial);
		task = wf_map_of(b->m, n->parent->net)->tasks[n->parent_task];
		instance =
		    wf_activity_instance(parent->activities[task], n->number);
		wf_assert(instance != NULL && instance->subnet == NULL);
	}
	made = wf_net_new(b->to, map->to, parent, task, n->number, n->serial);
	if (instance != NULL)
		instance->subnet = made;
	else
		b->to->root = made;
	made->last_child = n->last_child;
	for (uint32_t i = 0; i < n->net->condition_count; i++)
		if (n->tokens[i] != 0)
			wf_mark(b->to, made, map->conditions[i],
			    made->tokens[map->conditions[i]] + n->tokens[i]);
	build_variables(b, map, n, made);
	for (uint32_t i = 0; i < n->net->task_count; i++)
		if (n->activities[i] != NULL)
			build_activity(b, map, n, made, n->activities[i]);
	build_timers(map, n, made);
	made->stuck = n->stuck;
	for (uint32_t i = 0; i < made->net->task_count; i++) {
		wf_set_dirty(made, i);
		made->stuck = made->stuck && !wf_task_is_enabled(made, i);
	}
}

/* --- people and work ------------------------------------------------------ */

static void build_assignment(void *argument, struct net_instance *n,
    struct activity *activity, struct instance *instance,
    struct assignment **slot)
{
	struct builder *b = argument;
	struct assignment **made = wf_assignment_slot(b->to, n->serial,
	    wf_map_of(b->m, n->net)->tasks[activity->task],
	    instance == NULL ? 0 : instance->number);

	wf_assert(made != NULL);
	wf_assignment_copy(b->to, made, *slot);
}

/* What the task with that id, in any net, is called now. */
static const char *new_id(const struct builder *b, const char *id)
{
	for (uint32_t i = 0; i < b->m->from->decomposition_count; i++) {
		const struct net_map *map = &b->m->nets[i];
		uint32_t task;

		if (map->from == NULL || map->to == NULL)
			continue;
		task = wf_net_task_number(map->from, id, strlen(id));
		if (task != UINT32_MAX && wf_goes(map->tasks[task]))
			return map->to->tasks[map->tasks[task]].id;
	}
	return id;
}

static void build_people(struct builder *b)
{
	const struct case_people *people = b->from->people;
	struct wf_buffer pairs;
	const char *at;

	b->to->last_alarm = b->from->last_alarm;
	wf_assignments_visit(b->from, build_assignment, b);
	if (people == NULL)
		return;
	wf_buffer_init(&pairs, SIZE_MAX / 2);
	at = people->completers;
	while (at < people->completers + people->completers_length) {
		const char *participant = at + strlen(at) + 1;
		const char *id = new_id(b, at);

		wf_buffer_append(&pairs, id, strlen(id) + 1);
		wf_buffer_append(&pairs, participant, strlen(participant) + 1);
		at = participant + strlen(participant) + 1;
	}
	wf_case_people_put(
	    b->to, people->chained, wf_buffer_text(&pairs), pairs.length);
	wf_buffer_free(&pairs);
}

static void build_work(struct builder *b)
{
	const struct case_work *work = b->from->work;

	if ((b->m->to->asks & WF_ASKS_COSTS) == 0)
		return;
	for (uint32_t i = 0; work != NULL && i < work->count; i++) {
		const struct work_row *row = work->rows[i];
		const struct net_map *map = wf_map_of(b->m, row->task->net);
		uint32_t task =
		    map->to == NULL ? NOWHERE : map->tasks[row->task->number];

		if (wf_goes(task) &&
		    map->to->tasks[task].kind == WF_ATOMIC_TASK)
			wf_work_add(b->to, &map->to->tasks[task],
			    row->participant, row->items, row->ms);
	}
}

static struct wf_case *build(
    const struct wf_migration *m, const struct wf_case *from)
{
	struct builder b = { .m = m, .from = from };

	b.to = wf_case_new(m->to, from->id, from->id_length, from->limits);
	b.to->status = from->status;
	b.to->now = from->now;
	b.to->last_choice = from->last_choice;
	b.to->last_value = from->last_value;
	b.to->last_timer = from->last_timer;
	for (uint32_t i = 0; i < from->net_count; i++)
		build_net(&b, from->nets[i]);
	b.to->last_serial = from->last_serial;
	build_people(&b);
	build_work(&b);
	return b.to;
}

struct building {
	const struct wf_migration *m;
	const struct wf_case *from;
	struct wf_case *made;
};

static void build_guarded(void *argument)
{
	struct building *building = argument;

	building->made = build(building->m, building->from);
}

enum wf_rc wf_case_migrate(const struct wf_case *left,
    const struct wf_migration *migration, const struct wf_command *command,
    struct wf_step *step, struct wf_case **case_out, struct wf_error *err)
{
	struct building building = { migration, left, NULL };
	struct wf_guard guard;
	struct wf_buffer state;
	enum wf_rc rc;

	*case_out = NULL;
	wf_assert(left->spec == migration->from && left->undo == NULL);
	if (!wf_guard_run(&guard, build_guarded, &building))
		return wf_fail(err, WF_BUG, "%s", guard.reason);
	wf_buffer_init(
	    &state, (size_t)building.made->limits->state_bytes + 4096);
	rc = wf_case_encode(building.made, &state, err);
	if (rc == WF_OK)
		rc = wf_case_arrive(building.made, command, &state, step, err);
	wf_buffer_free(&state);
	if (rc == WF_OK)
		*case_out = building.made;
	else
		wf_case_free(&building.made);
	return rc;
}
