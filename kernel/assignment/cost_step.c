/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a step that is about costs: it counts work that ends, and has
 * priced what predicates ask for.
 *
 *   INSTANCE_ENDED, TASK_EXITED --> WORK_COUNTED --> the work of the case
 *   a predicate with cost(..) --> price() --> COST_PRICED
 */
#include "kernel/assignment/assignment_state.h"
#include "kernel/kernel.h"

#define MILLION 1000000

/* Whether the end of an instance of the task is the end of an item. */
static bool has_items(const struct wf_task *task)
{
	return task->kind == WF_ATOMIC_TASK;
}

void wf_work_count(struct step *s, const struct wf_event *event)
{
	const struct net_instance *n;
	const struct instance *instance;

	if ((event->kind != WF_EVENT_INSTANCE_ENDED &&
		event->kind != WF_EVENT_TASK_EXITED) ||
	    event->instance == 0)
		return;
	n = wf_net_instance(s->c, event->net);
	instance =
	    wf_activity_instance(n->activities[event->task], event->instance);
	if (instance == NULL || !wf_work_is_of(instance) ||
	    !has_items(wf_task_of(n, event->task)))
		return;
	wf_emit_instance(
	    s, WF_EVENT_WORK_COUNTED, n, event->task, event->instance);
}

/* --- what is asked for ---------------------------------------------------- */

static bool is_asked_for(const struct wf_cost *cost, const struct wf_task *task)
{
	if (cost->task_count == 0)
		return true;
	for (size_t i = 0; i < cost->task_count; i++)
		if (strcmp(cost->tasks[i], task->id) == 0 ||
		    (task->name != NULL &&
			strcmp(cost->tasks[i], task->name) == 0))
			return true;
	return false;
}

static void add(struct wf_price_question *question, struct wf_done_work *rows,
    const struct wf_cost *cost, const struct wf_task *task,
    const struct wf_done_work *row)
{
	if (!is_asked_for(cost, task))
		return;
	rows[question->work_count] = *row;
	rows[question->work_count++].task = task->id;
}

/* With the items that end with the exit of the task. */
static struct wf_price_question ask(struct step *s,
    const struct activity *activity, const struct wf_task *task,
    const struct wf_cost *cost)
{
	const struct case_work *work = s->c->work;
	uint32_t done = work == NULL ? 0 : work->count;
	struct wf_done_work *rows = wf_step_alloc(
	    s, ((size_t)done + activity->instance_count + 1) * sizeof(*rows));
	struct wf_price_question question = { .instance = s->c,
		.work = rows,
		.resources = cost->resources,
		.resource_count = cost->resource_count };

	for (uint32_t i = 0; i < done; i++) {
		const struct work_row *row = work->rows[i];

		add(&question, rows, cost, row->task,
		    &(struct wf_done_work){ .participant = row->participant,
			.items = row->items,
			.busy_ms = row->ms });
	}
	for (uint32_t i = 0; has_items(task) && i < activity->instance_count;
	     i++) {
		const struct instance *instance = &activity->instances[i];

		if (!wf_work_is_of(instance))
			continue;
		add(&question, rows, cost, task,
		    &(struct wf_done_work){
			.participant = wf_work_participant(instance),
			.items = 1,
			.busy_ms = wf_work_ms(s->c, instance) });
	}
	wf_assert(
	    question.work_count <= (size_t)done + activity->instance_count);
	return question;
}

/* Millionths as a decimal number, without zeros at its end. */
static const char *number_text(struct step *s, int64_t amount)
{
	uint64_t size = amount < 0 ? -(uint64_t)amount : (uint64_t)amount;
	char *text = wf_arena_printf(s->out->arena, "%s%llu.%06llu",
	    amount < 0 ? "-" : "", (unsigned long long)(size / MILLION),
	    (unsigned long long)(size % MILLION));
	size_t length = strlen(text);

	while (text[length - 1] == '0')
		length--;
	text[text[length - 1] == '.' ? length - 1 : length] = '\0';
	return text;
}

static void emit_price(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const char *text)
{
	struct wf_event event = { .kind = WF_EVENT_COST_PRICED };

	event.net = n->serial;
	event.task = task->number;
	event.text = text;
	event.text_length = strlen(text);
	wf_emit(s, &event);
}

/* Nobody knows rates where the server has no people. */
static const char *price(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const struct wf_cost *cost)
{
	const struct wf_people_calls *people = s->command->people;
	bool is_known = people != NULL && people->price != NULL;
	const char *text = "0";

	if (is_known) {
		struct wf_price_question question =
		    ask(s, n->activities[task->number], task, cost);

		text =
		    number_text(s, people->price(people->context, &question));
	}
	emit_price(s, n, task,
	    wf_arena_printf(s->out->arena, "%s = %s%s", cost->text, text,
		is_known ? "" : " (there are no people)"));
	return text;
}

/* A comparison with each name counts like a step of a query. */
static enum wf_rc charge(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const struct wf_cost *cost)
{
	uint64_t rows = (s->c->work == NULL ? 0 : s->c->work->count) +
			(uint64_t)n->activities[task->number]->instance_count;
	uint64_t steps =
	    (rows + 1) * (cost->task_count + cost->resource_count + 1);

	if (steps > s->query_steps)
		return wf_fail(s->err, WF_LIMIT,
		    "the costs take more steps than are left for the queries "
		    "of the step");
	s->query_steps -= steps;
	return WF_OK;
}

enum wf_rc wf_evaluate_costs(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const struct wf_predicate *predicate,
    const char *const **amounts_out)
{
	const char **amounts =
	    wf_step_alloc(s, predicate->cost_count * sizeof(*amounts));
	enum wf_rc rc = WF_OK;

	s->out->has_worked = true;
	*amounts_out = amounts;
	for (size_t i = 0; i < predicate->cost_count && rc == WF_OK; i++) {
		rc = charge(s, n, task, &predicate->costs[i]);
		if (rc == WF_OK)
			amounts[i] = price(s, n, task, &predicate->costs[i]);
	}
	return rc;
}
