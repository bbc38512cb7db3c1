/* SPDX-License-Identifier: Apache-2.0 */
/* What of a case has nowhere to go. */
#include "base/bitset.h"
#include "kernel/change/migrate_priv.h"
#include "kernel/state.h"

#include <stdarg.h>
#include <stdio.h>

/* One net instance being checked. */
struct checking {
	const struct wf_migration *m;
	const struct wf_case *c;
	const struct net_instance *net;
	const struct net_map *map;
	wf_migration_problem_f visit;
	void *context;
	size_t count;
};

static __attribute__((format(printf, 4, 5))) void report(struct checking *ch,
    const char *kind, const char *element, const char *format, ...)
{
	struct wf_migration_problem problem = { .kind = kind,
		.element = element };
	char id[WF_CASE_ID_SIZE];
	char text[600];
	va_list arguments;

	ch->count++;
	if (ch->visit == NULL)
		return;
	wf_net_case_id(ch->c, ch->net, 0, id);
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	problem.net = id;
	problem.text = text;
	ch->visit(ch->context, &problem);
}

static void check_tokens(struct checking *ch)
{
	const struct net_instance *n = ch->net;
	struct wf_buffer words;

	for (uint32_t i = 0; i < n->net->condition_count; i++) {
		if (n->tokens[i] == 0 || ch->map->conditions[i] != NOWHERE)
			continue;
		wf_buffer_init(&words, 600);
		wf_condition_words(n->net, &n->net->conditions[i], &words);
		report(ch, "condition", n->net->conditions[i].id,
		    "%.300s has %u token%s, and the new version no such "
		    "condition",
		    wf_buffer_text(&words), n->tokens[i],
		    n->tokens[i] == 1 ? "" : "s");
		wf_buffer_free(&words);
	}
}

static const char *kind_words(enum wf_task_kind kind)
{
	return kind == WF_COMPOSITE_TASK ? "composite"
	       : kind == WF_EMPTY_TASK	 ? "empty"
					 : "atomic";
}

/* Who does the started items of a task changes for none of them. */
static void check_worker(
    struct checking *ch, const struct wf_task *from, const struct wf_task *to)
{
	if (from->kind != WF_ATOMIC_TASK ||
	    (from->is_for_people == to->is_for_people &&
		strcmp(wf_task_service(from), wf_task_service(to)) == 0))
		return;
	report(ch, "task", from->id,
	    "task %s is started, and in the new version %s does it, not %s",
	    from->id,
	    to->is_for_people		     ? "a person"
	    : wf_task_service(to)[0] == '\0' ? "the default worklist"
					     : wf_task_service(to),
	    from->is_for_people		       ? "a person"
	    : wf_task_service(from)[0] == '\0' ? "the default worklist"
					       : wf_task_service(from));
}

static void check_timers(struct checking *ch, const struct activity *activity,
    const struct wf_task *from, const struct wf_task *to)
{
	bool runs = activity->timer.at != 0;

	for (uint32_t i = 0; i < activity->instance_count; i++)
		runs = runs ||
		       (activity->instances[i].status <= WF_ITEM_SUSPENDED &&
			   activity->instances[i].timer.at != 0);
	if (runs && to->timer == NULL)
		report(ch, "timer", from->id,
		    "the timer of task %s runs, and the task has none in the "
		    "new version",
		    from->id);
}

static void check_instances(struct checking *ch,
    const struct activity *activity, const struct wf_task *from,
    const struct wf_task *to)
{
	const struct net_map *inner;

	if (to->multi == NULL &&
	    (activity->instance_count > 1 || activity->result_count > 0))
		report(ch, "task", from->id,
		    "task %s has several instances, and one in the new version",
		    from->id);
	for (uint32_t i = 0; i < activity->result_count; i++) {
		uint32_t variable = activity->results[i].variable;

		if (variable != WF_COLLECTED &&
		    !wf_goes(ch->map->variables[variable]))
			report(ch, "variable",
			    ch->net->net->variables[variable].name,
			    "task %s keeps a result for variable %s, which "
			    "the new version does not have",
			    from->id, ch->net->net->variables[variable].name);
	}
	if (from->kind != WF_COMPOSITE_TASK)
		return;
	inner = wf_map_of(ch->m, from->decomposition->net);
	if (inner->to != to->decomposition->net)
		report(ch, "net", from->decomposition->id,
		    "net %s of task %s runs, and the task has net %s in the "
		    "new version",
		    from->decomposition->id, from->id, to->decomposition->id);
}

static void check_busy(struct checking *ch, const struct activity *activity)
{
	const struct wf_task *from = wf_task_of(ch->net, activity->task);
	const struct wf_task *to;
	uint32_t at = ch->map->tasks[activity->task];

	if (at == LEFT_BEHIND)
		return;
	if (at == NOWHERE) {
		report(ch, "task", from->id,
		    "task %s is busy, and the new version has no such task",
		    from->id);
		return;
	}
	to = &ch->map->to->tasks[at];
	if (from->kind != to->kind) {
		report(ch, "task", from->id,
		    "task %s is busy, and is %s, not %s, in the new version",
		    from->id, kind_words(to->kind), kind_words(from->kind));
		return;
	}
	check_worker(ch, from, to);
	check_timers(ch, activity, from, to);
	check_instances(ch, activity, from, to);
}

/* Two tasks of the old net can go to one, but not while both are active. */
static void check_merged(struct checking *ch)
{
	size_t words = wf_bitset_words(ch->map->to->task_count) + 1;
	uint64_t *seen = wf_calloc(words, sizeof(*seen));

	for (uint32_t i = 0; i < ch->net->net->task_count; i++) {
		const struct activity *activity = ch->net->activities[i];
		uint32_t to = ch->map->tasks[i];

		if (activity == NULL || !wf_goes(to) ||
		    (!activity->busy && !wf_bitset_has(ch->map->kept, i)))
			continue;
		if (wf_bitset_has(seen, to))
			report(ch, "task", ch->net->net->tasks[i].id,
			    "task %s and another one that is active go to "
			    "task %s",
			    ch->net->net->tasks[i].id,
			    ch->map->to->tasks[to].id);
		wf_bitset_add(seen, to);
	}
	wf_free(seen);
}

static void check_variable(struct checking *ch, uint32_t number)
{
	const struct wf_net_variable *from = &ch->net->net->variables[number];
	struct wf_value *value = ch->net->variables[number];
	uint32_t to = ch->map->variables[number];
	struct wf_error err = { .rc = WF_OK };
	const struct wf_net_variable *target;

	/* What is still as it began is no loss. */
	if (to == LEFT_BEHIND || value == NULL ||
	    (to == NOWHERE && wf_value_equal(value, from->initial)))
		return;
	if (to == NOWHERE) {
		report(ch, "variable", from->name,
		    "variable %s has a value, and the new version no such "
		    "variable",
		    from->name);
		return;
	}
	target = &ch->map->to->variables[to];
	if (!wf_bitset_has(ch->map->checked, number) ||
	    wf_value_is_empty(value) || !ch->m->to->validates_data ||
	    wf_type_validate(target->type, value, NULL, &err) == WF_OK)
		return;
	report(ch, "variable", from->name,
	    "the value of variable %s does not fit its type in the new "
	    "version: %.300s",
	    from->name, err.message);
	wf_error_clear(&err);
}

/* Whether a task around the net is left behind, and the net with it. */
static bool is_left_behind(
    const struct wf_migration *m, const struct net_instance *n)
{
	for (; n->parent != NULL; n = n->parent) {
		const struct net_map *map = wf_map_of(m, n->parent->net);

		if (map->to == NULL || !wf_goes(map->tasks[n->parent_task]))
			return true;
	}
	return false;
}

static void check_net(struct checking *ch, const struct net_instance *n)
{
	ch->net = n;
	ch->map = wf_map_of(ch->m, n->net);
	/* Its task is reported where it is not left behind on purpose. */
	if (is_left_behind(ch->m, n))
		return;
	if (ch->map->to == NULL) {
		report(ch, "net", n->net->decomposition->id,
		    "net %s runs, and the new version has no such net",
		    n->net->decomposition->id);
		return;
	}
	check_tokens(ch);
	for (uint32_t i = 0; i < n->net->task_count; i++)
		if (n->activities[i] != NULL && n->activities[i]->busy)
			check_busy(ch, n->activities[i]);
	check_merged(ch);
	for (uint32_t i = 0; i < n->net->variable_count; i++)
		check_variable(ch, i);
}

size_t wf_migration_check(const struct wf_migration *migration,
    const struct wf_case *instance, wf_migration_problem_f visit, void *context)
{
	struct checking ch = { .m = migration,
		.c = instance,
		.visit = visit,
		.context = context };

	wf_assert(instance->spec == migration->from);
	for (uint32_t i = 0; i < instance->net_count; i++)
		check_net(&ch, instance->nets[i]);
	return ch.count;
}
