/* SPDX-License-Identifier: Apache-2.0 */
/* Findings in words. */
#include "base/bitset.h"
#include "kernel/view.h"
#include "verify/completion.h"

static void put_tasks(
    const struct wf_finding *f, const char *last, struct wf_buffer *text)
{
	for (uint32_t i = 0; i < f->task_count; i++)
		wf_buffer_printf(text, "%s%s",
		    i == 0		     ? ""
		    : i + 1 == f->task_count ? last
					     : ", ",
		    f->tasks[i]->id);
}

static void put_dead_task(const struct wf_net *net, const struct wf_finding *f,
    struct wf_buffer *text)
{
	wf_buffer_printf(text, "task %s can never be done", f->task->id);
	if (f->condition != NULL) {
		wf_buffer_puts(text, ": no token ever gets to ");
		wf_condition_words(net, f->condition, text);
	} else if (f->task->join == WF_AND && f->task->preset_count > 1) {
		wf_buffer_puts(
		    text, ": its inputs never have tokens at the same time");
	}
}

static void put_growth(const struct wf_net *net, const struct wf_finding *f,
    const char *how, struct wf_buffer *text)
{
	wf_buffer_printf(text, "tokens %s without end", how);
	if (f->condition != NULL) {
		wf_buffer_puts(text, " in ");
		wf_condition_words(net, f->condition, text);
	}
}

static void put_reducible(const struct wf_net *net, const struct wf_finding *f,
    struct wf_buffer *text)
{
	wf_buffer_printf(text, "task %s has ", f->task->id);
	if (f->condition != NULL)
		wf_condition_words(net, f->condition, text);
	else
		wf_buffer_printf(text, "task %s", f->tasks[0]->id);
	wf_buffer_printf(text,
	    " in its cancellation set, but there is never anything to cancel");
}

void wf_finding_sentence(const struct wf_net *net, const struct wf_finding *f,
    struct wf_buffer *text)
{
	switch (f->kind) {
	case WF_FINDING_DEADLOCK:
		wf_buffer_puts(text, "a case can get stuck");
		break;
	case WF_FINDING_EMPTY:
		wf_buffer_puts(text, "a case can lose all its tokens and never "
				     "get to the end");
		break;
	case WF_FINDING_LIVELOCK:
		wf_buffer_puts(text, "a case can go on for ever, doing ");
		put_tasks(f, " and ", text);
		wf_buffer_puts(text, ", and never get to the end");
		break;
	case WF_FINDING_LEFTOVER:
		wf_buffer_puts(text, "a case can end while work is left");
		break;
	case WF_FINDING_DEAD_TASK:
		put_dead_task(net, f, text);
		break;
	case WF_FINDING_USELESS_TASKS:
		wf_buffer_puts(text, "a case cannot end properly once it has "
				     "come to ");
		put_tasks(f, " or ", text);
		break;
	case WF_FINDING_UNBOUNDED:
		put_growth(net, f, "can grow", text);
		break;
	case WF_FINDING_GROWING:
		put_growth(net, f, "seem to grow", text);
		break;
	case WF_FINDING_REDUCIBLE:
		put_reducible(net, f, text);
		break;
	case WF_FINDING_CONVERTIBLE_AND:
		wf_buffer_printf(text,
		    "the OR-join of task %s always has all its inputs: it "
		    "could as well be an AND-join",
		    f->task->id);
		break;
	case WF_FINDING_CONVERTIBLE_XOR:
		wf_buffer_printf(text,
		    "the OR-join of task %s always has one input only: it "
		    "could as well be an XOR-join",
		    f->task->id);
		break;
	case WF_FINDING_VICIOUS_CIRCLE:
		wf_buffer_puts(text, "the OR-joins of ");
		put_tasks(f, " and ", text);
		wf_buffer_puts(text, " lie on a common cycle: each may wait "
				     "for what the others would do");
		break;
	}
}

/* --- witnesses ------------------------------------------------------------ */

static void put_step(const struct wf_net *net,
    const struct wf_witness_step *step, struct wf_buffer *text)
{
	wf_buffer_printf(text, "%s%s", step->task->id,
	    step->kind == WF_MOVE_START ? " starts"
	    : step->kind == WF_MOVE_END ? " ends"
					: "");
	for (uint32_t i = 0; i < step->chosen_count; i++)
		wf_buffer_printf(text, "%s%s", i == 0 ? " to " : " and ",
		    net->conditions[step->chosen[i]].id);
}

/* "; then condition p has 1 token and task B is busy" */
static void put_left(const struct wf_net *net, const struct wf_witness *w,
    struct wf_buffer *text)
{
	bool any = false;

	for (uint32_t i = 0; i < net->condition_count; i++) {
		if (w->tokens[i] == 0)
			continue;
		wf_buffer_puts(text, any ? ", " : "then ");
		any = true;
		wf_condition_words(net, &net->conditions[i], text);
		wf_buffer_printf(text, " has %u token%s", w->tokens[i],
		    w->tokens[i] == 1 ? "" : "s");
	}
	for (uint32_t i = 0; i < net->task_count; i++) {
		if (!wf_bitset_has(w->busy, i))
			continue;
		wf_buffer_printf(text, "%stask %s is busy",
		    any ? ", " : "then ", net->tasks[i].id);
		any = true;
	}
	if (!any)
		wf_buffer_puts(text, "then no token is left");
}

void wf_witness_sentence(const struct wf_net *net,
    const struct wf_witness *witness, struct wf_buffer *text)
{
	for (uint32_t i = 0; i < witness->count; i++) {
		if (i > 0)
			wf_buffer_puts(text, ", ");
		put_step(net, &witness->steps[i], text);
	}
	if (witness->count > 0)
		wf_buffer_puts(text, "; ");
	put_left(net, witness, text);
}

/* --- what is left at the end -----------------------------------------------
 */

static void put_waiting(const struct wf_net *net, const struct wf_witness *w,
    const struct wf_task *task, struct wf_buffer *text)
{
	uint32_t missing = 0;
	uint32_t marked = 0;

	for (uint32_t i = 0; i < task->preset_count; i++)
		marked += w->tokens[task->preset[i]] > 0;
	if (marked == 0 || marked == task->preset_count)
		return;
	wf_buffer_printf(text, "; task %s waits for ", task->id);
	for (uint32_t i = 0; i < task->preset_count; i++) {
		if (w->tokens[task->preset[i]] > 0)
			continue;
		if (missing++ > 0)
			wf_buffer_puts(
			    text, task->join == WF_AND ? " and " : " or ");
		wf_condition_words(
		    net, &net->conditions[task->preset[i]], text);
	}
}

void wf_witness_left(const struct wf_net *net, const struct wf_witness *w,
    struct wf_buffer *text)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < net->condition_count; i++) {
		if (w->tokens[i] == 0 || i == net->output_condition)
			continue;
		wf_buffer_puts(text, count++ == 0 ? "" : ", ");
		wf_condition_words(net, &net->conditions[i], text);
		if (w->tokens[i] > 1)
			wf_buffer_printf(text, " (%u tokens)", w->tokens[i]);
	}
	WF_BITSET_EACH (i, w->busy, wf_bitset_words(net->task_count))
		wf_buffer_printf(text, "%stask %s, started",
		    count++ == 0 ? "" : ", ", net->tasks[i].id);
	if (w->tokens[net->output_condition] > 0)
		return;
	for (uint32_t i = 0; i < net->task_count; i++)
		if (net->tasks[i].join != WF_XOR)
			put_waiting(net, w, &net->tasks[i], text);
}

/* --- what is not decided ---------------------------------------------------
 */

bool wf_net_report_is_open(const struct wf_net_report *r)
{
	return r->completion == WF_OPEN || r->proper == WF_OPEN ||
	       r->no_dead_tasks == WF_OPEN || r->weakly_sound == WF_OPEN ||
	       r->relaxed_sound == WF_OPEN;
}

/* The limit that was reached, in words; NULL for WF_STOP_NOT. */
static const char *stop_text(enum wf_stop stop)
{
	static const char *const texts[] = { NULL,
		"the limit of states was reached",
		"the limit of memory was reached",
		"the net is so large that exploring its states took too long",
		"there are more than 255 tokens in one place",
		"the decisions of OR-joins took too long",
		"not every choice of an OR-split was followed",
		"tokens grow without end",
		"enough was seen to know that it is not sound" };

	return texts[stop];
}

void wf_net_report_limit(const struct wf_net_report *r, struct wf_buffer *text)
{
	const char *limit = stop_text(r->stop);

	if (r->undecided != NULL)
		wf_buffer_printf(text,
		    "the OR-join of task %s could not be decided for every "
		    "marking",
		    r->undecided->id);
	else
		wf_buffer_puts(text, limit != NULL ? limit : "");
}
