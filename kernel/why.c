/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explains in words why a task is not enabled, from the tokens on the inputs
 * of its join, the live items and, for an OR-join, a firing sequence that
 * marks a further input.
 */
#include "kernel/why.h"

#include <string.h>

#include "base/memory.h"
#include "kernel/or_join/or_join_state.h"
#include "kernel/step.h"

struct question {
	const struct wf_case *instance;
	const char *task;
	struct wf_buffer *text;
	const struct wf_item *items;
	size_t item_count;
	bool answered;
};

/* Appends the marked inputs of the task, or the unmarked ones. */
static uint32_t list_inputs(struct wf_buffer *text,
    const struct wf_net_view *view, const struct wf_task *task, bool marked)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < task->preset_count; i++) {
		uint32_t number = task->preset[i];

		if ((view->tokens[number] > 0) != marked)
			continue;
		wf_buffer_puts(text, count++ > 0 ? ", " : "");
		wf_condition_words(
		    view->net, &view->net->conditions[number], text);
	}
	return count;
}

static uint32_t marked_inputs(
    const struct wf_net_view *view, const struct wf_task *task)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < task->preset_count; i++)
		count += view->tokens[task->preset[i]] > 0;
	return count;
}

static bool belongs_to(const struct wf_item *item,
    const struct wf_net_view *view, const struct wf_task *task)
{
	size_t length = strlen(view->case_id);
	const char *rest = item->case_id + length;

	if (item->task != task ||
	    strncmp(item->case_id, view->case_id, length) != 0)
		return false;
	return *rest == '\0' || (*rest == '.' && strchr(rest + 1, '.') == NULL);
}

/* Lists the live items of the task; false: there is none. */
static bool answer_by_items(struct question *question,
    const struct wf_net_view *view, const struct wf_task *task)
{
	bool found = false;

	for (size_t i = 0; i < question->item_count; i++) {
		const struct wf_item *item = &question->items[i];

		if (!belongs_to(item, view, task))
			continue;
		wf_buffer_printf(question->text, "%s its work item %s:%s is %s",
		    found ? "," : "", item->case_id, task->id,
		    wf_item_status_name(item->status));
		if (item->status == WF_ITEM_SUSPENDED)
			wf_buffer_printf(question->text, " (was %s)",
			    wf_item_status_name(item->suspended_from));
		found = true;
	}
	return found;
}

static bool output_is_marked(const struct wf_net_view *view)
{
	return view->tokens[view->net->output_condition] > 0;
}

/* Whether a step of a firing sequence begins or first ends its task. */
static bool is_first(const struct wf_or_witness *witness, uint32_t at)
{
	const struct wf_or_step *step = &witness->steps[at];

	/* A task that is already busy only ends. */
	for (uint32_t k = 0; k < at && step->ends; k++)
		if (witness->steps[k].task == step->task &&
		    !witness->steps[k].ends)
			return false;
	return true;
}

/* The tasks of a firing sequence, each once, at its start. */
static void list_tasks(const struct wf_net *net,
    const struct wf_or_witness *witness, struct wf_buffer *text)
{
	const char *separator = "";

	for (uint32_t i = 0; i < witness->count; i++) {
		wf_assert(witness->steps[i].task < net->task_count);
		if (!is_first(witness, i))
			continue;
		wf_buffer_printf(text, "%s%s", separator,
		    net->tasks[witness->steps[i].task].id);
		separator = ", ";
	}
}

/* Of a task with an OR-join that was decided. */
static bool find_witness(const struct net_instance *n, uint32_t task,
    struct wf_or_witness *witness_out)
{
	wf_assert(n->or_state->joins->joins[task] != NULL);
	return wf_or_join_witness(n->or_state->joins->joins[task], n->tokens,
	    n->or_state->busy, NULL, witness_out);
}

bool wf_why_or_join(const struct wf_net_view *view, uint32_t task,
    struct wf_arena *arena, const struct wf_condition **input_out,
    const struct wf_task ***tasks_out, size_t *count_out)
{
	const struct net_instance *n = view->state;
	const struct wf_net *net = view->net;
	struct wf_or_witness witness;

	wf_assert(task < net->task_count);
	if (net->tasks[task].join != WF_OR || n->or_state == NULL ||
	    n->activities[task] != NULL || output_is_marked(view) ||
	    marked_inputs(view, &net->tasks[task]) == 0 ||
	    n->or_state->searches[task] == OR_SEARCH_WANTED ||
	    !find_witness(n, task, &witness))
		return false;
	*input_out = &net->conditions[witness.input];
	*tasks_out = wf_arena_array(arena, witness.count, sizeof(**tasks_out));
	*count_out = 0;
	for (uint32_t i = 0; i < witness.count; i++)
		if (is_first(&witness, i))
			(*tasks_out)[(*count_out)++] =
			    &net->tasks[witness.steps[i].task];
	wf_or_witness_free(&witness);
	return true;
}

/*
 * The input that an OR-join waits for, and the tasks that can mark the input.
 */
static void answer_by_witness(const struct wf_net_view *view,
    const struct wf_task *task, struct wf_buffer *text)
{
	const struct net_instance *n = view->state;
	struct wf_or_witness witness;

	if (n->or_state->searches[task->number] == OR_SEARCH_WANTED) {
		wf_buffer_puts(text, " its OR-join waits, because it could "
				     "not be decided in a step");
		return;
	}
	if (!find_witness(n, task->number, &witness)) {
		wf_buffer_puts(
		    text, " its OR-join waits, because more tokens can arrive");
		return;
	}
	wf_assert(witness.input < view->net->condition_count);
	wf_buffer_puts(text, " its OR-join waits, because ");
	wf_condition_words(
	    view->net, &view->net->conditions[witness.input], text);
	wf_buffer_puts(text, " may still be marked, by ");
	list_tasks(view->net, &witness, text);
	wf_or_witness_free(&witness);
}

/* The tokens that the join lacks, or another reason. */
static void answer_by_join(struct question *question,
    const struct wf_net_view *view, const struct wf_task *task)
{
	struct wf_buffer *text = question->text;
	uint32_t marked = marked_inputs(view, task);
	bool waits = task->join == WF_AND && marked < task->preset_count;

	if (marked == 0) {
		wf_buffer_puts(text, " it is not enabled: no token is in ");
		list_inputs(text, view, task, false);
	} else if (waits) {
		wf_buffer_puts(
		    text, " its AND-join still waits for a token in ");
		list_inputs(text, view, task, false);
	} else if (wf_case_status(question->instance) == WF_CASE_SUSPENDED) {
		wf_buffer_puts(text, " its tokens are there");
	} else if (output_is_marked(view)) {
		wf_buffer_puts(text, " the net has finished");
	} else if (task->join == WF_OR) {
		answer_by_witness(view, task, text);
	} else {
		wf_buffer_puts(text,
		    " its tokens are there, but another task that "
		    "wants them goes first");
	}
}

static void answer_for_net(void *argument, const struct wf_net_view *view)
{
	struct question *question = argument;
	uint32_t number = wf_net_task_number(
	    view->net, question->task, strlen(question->task));
	const struct wf_task *task;

	if (number == UINT32_MAX)
		return;
	task = &view->net->tasks[number];
	wf_buffer_printf(
	    question->text, "Task %s in %s:", task->id, view->case_id);
	if (!answer_by_items(question, view, task)) {
		if (wf_net_view_is_busy(view, number))
			wf_buffer_puts(
			    question->text, " it is busy: its net runs");
		else
			answer_by_join(question, view, task);
	}
	if (wf_case_status(question->instance) == WF_CASE_SUSPENDED)
		wf_buffer_puts(question->text, "; the case is suspended");
	wf_buffer_puts(question->text, ".\n");
	question->answered = true;
}

enum wf_rc wf_why(const struct wf_case *instance, const char *task,
    struct wf_buffer *text, struct wf_error *err)
{
	struct question question = {
		.instance = instance, .task = task, .text = text
	};
	uint32_t at = 0;
	struct wf_item *items;

	if (wf_spec_next_task(wf_case_spec(instance), task, &at) == NULL)
		return wf_fail(err, WF_NOT_FOUND,
		    "the specification has no task %s", task);
	question.item_count = wf_case_items(instance, &items);
	question.items = items;
	wf_case_nets(instance, answer_for_net, &question);
	wf_free(items);
	if (!question.answered)
		wf_buffer_printf(
		    text, "Task %s: no net that has it is running.\n", task);
	return WF_OK;
}

/* --- all that is left ----------------------------------------------------- */

/* Of conditions, and of tasks, that are named of one net. */
#define NAMED_MAXIMUM 8U

static void list_left(struct wf_buffer *text, const struct wf_net_view *view)
{
	const char *separator = ": tokens are left in ";
	uint32_t count = 0;

	for (uint32_t i = 0; i < view->net->condition_count; i++) {
		if (view->tokens[i] == 0 || count++ >= NAMED_MAXIMUM)
			continue;
		wf_buffer_puts(text, separator);
		wf_condition_words(view->net, &view->net->conditions[i], text);
		if (view->tokens[i] > 1)
			wf_buffer_printf(text, " (%u)", view->tokens[i]);
		separator = ", ";
	}
	if (count == 0)
		wf_buffer_puts(text, ": no token is left");
	else if (count > NAMED_MAXIMUM)
		wf_buffer_printf(
		    text, " and %u more conditions", count - NAMED_MAXIMUM);
}

/* An OR-join that has some of its inputs waits for any other. */
static void list_waiting(struct wf_buffer *text, const struct wf_net_view *view)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < view->net->task_count; i++) {
		const struct wf_task *task = &view->net->tasks[i];

		if (!wf_net_view_waits(view, i) || count++ >= NAMED_MAXIMUM)
			continue;
		wf_buffer_printf(text, "; task %s waits for ", task->id);
		if (list_inputs(text, view, task, false) == 0)
			wf_buffer_puts(text, "another task");
	}
	if (count > NAMED_MAXIMUM)
		wf_buffer_printf(
		    text, "; %u more tasks wait", count - NAMED_MAXIMUM);
}

static void list_net(void *argument, const struct wf_net_view *view)
{
	struct wf_buffer *text = argument;

	wf_buffer_printf(text, "%snet %s of %s",
	    text->length > 0 ? ". In " : "in ", view->net->decomposition->id,
	    view->case_id);
	list_left(text, view);
	list_waiting(text, view);
}

void wf_why_stuck(const struct wf_case *instance, struct wf_buffer *text)
{
	wf_case_nets(instance, list_net, text);
}

/* --- what the end of an item did ------------------------------------------ */

static void put_exit(const struct wf_case *instance,
    const struct wf_event *event, struct wf_buffer *text)
{
	const struct net_instance *n = wf_net_instance(instance, event->net);

	if (n == NULL) { /* it has ended since */
		wf_buffer_puts(text, "its task is done, and its net has ended");
		return;
	}
	wf_buffer_printf(
	    text, "task %s counts as done", n->net->tasks[event->task].id);
	for (uint32_t i = 0; i < event->condition_count; i++) {
		wf_buffer_puts(text, i == 0 ? ": a token went to " : ", to ");
		wf_condition_words(
		    n->net, &n->net->conditions[event->conditions[i]], text);
	}
	if (event->condition_count == 0)
		wf_buffer_puts(text, "; no token went on");
}

/* NULL: its net has ended since. */
static const char *task_of(
    const struct wf_case *instance, const struct wf_event *event)
{
	const struct net_instance *n = wf_net_instance(instance, event->net);

	return n == NULL ? NULL : n->net->tasks[event->task].id;
}

/*
 * Items in the net of a composite task, or the other items of the task, may
 * have ended in the same step, but before the item, or before its task.
 */
void wf_why_ended(const struct wf_case *instance, const struct wf_step *step,
    struct wf_buffer *text)
{
	static const char *const fates[] = {
		[WF_CASE_RUNNING] = "the case goes on",
		[WF_CASE_SUSPENDED] = "the case is suspended",
		[WF_CASE_COMPLETED] = "the case is completed by this",
		[WF_CASE_DEADLOCKED] = "the case is deadlocked by this",
		[WF_CASE_CANCELLED] = "the case is cancelled",
	};
	struct wf_event_reader reader;
	const struct wf_event *event;
	const char *task = NULL; /* of the item, if it goes on */
	size_t length = text->length;

	wf_event_reader_init(
	    &reader, step->events.data, step->events.length, NULL);
	while ((event = wf_event_next(&reader, NULL)) != NULL &&
	       event->kind != WF_EVENT_TASK_EXITED)
		if (event->kind == WF_EVENT_INSTANCE_ENDED)
			task = task_of(instance, event);
	if (event != NULL)
		put_exit(instance, event, text);
	else if (task != NULL)
		wf_buffer_printf(
		    text, "task %s goes on with its other items", task);
	wf_event_reader_free(&reader);
	wf_buffer_printf(text, "%s%s", text->length > length ? "; " : "",
	    fates[wf_case_status(instance)]);
}
