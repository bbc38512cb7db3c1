/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What predicates with cost(..) ask for: the work of the case is priced.
 *
 *   INSTANCE_ENDED, TASK_EXITED --> WORK_COUNTED --> the work of the case
 *   (emit.c, before they are emitted)    (apply.c)   (work_state.c)
 *                                                         |
 *   a predicate with cost(..) --> the question, price() <-+
 *   (mapping.c)             <-- the amount, for COST_PRICED and the query
 *
 * This file emits no event, so that it is not in the circle of the step.
 */
#include "kernel/assignment/assignment_state.h"
#include "kernel/kernel.h"

#define MILLION 1000000

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
	for (uint32_t i = 0; i < activity->instance_count; i++) {
		const struct instance *instance = &activity->instances[i];

		if (!wf_work_is_of(task, instance))
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

enum wf_rc wf_price_cost(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const struct wf_cost *cost,
    const char **amount_out, bool *is_known_out)
{
	const struct wf_people_calls *people = s->command->people;
	struct wf_price_question question;
	enum wf_rc rc = charge(s, n, task, cost);

	*amount_out = "0";
	*is_known_out = people != NULL && people->price != NULL;
	s->out->has_worked = true;
	if (rc != WF_OK || !*is_known_out)
		return rc;
	question = ask(s, n->activities[task->number], task, cost);
	*amount_out = number_text(s, people->price(people->context, &question));
	return WF_OK;
}
