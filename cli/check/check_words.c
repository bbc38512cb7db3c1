/* SPDX-License-Identifier: Apache-2.0 */
/* Witnesses as scripts. */
#include "cli/check/check.h"

/* Nets within nets, where the way through a composite task is described. */
#define DEPTH_MAXIMUM 8

/* --- Scripts --- */

/*
 * A script names the choice of a split ("goes") before the command whose step
 * fires it, and tasks without work fire in the step of the command before
 * them.  So the last command is held back until the next one comes.
 */
struct script {
	const struct wf_report *report;
	struct wf_buffer *text;
	struct wf_buffer held;
	unsigned depth;
};

static void put_steps(struct script *s, const struct wf_witness *w);

/* The task or condition that a split goes to. */
static const char *name_output(const struct wf_net *net, uint32_t condition)
{
	const struct wf_condition *c = &net->conditions[condition];

	return c->kind == WF_IMPLICIT && c->postset_count == 1
		   ? net->tasks[c->postset[0]].id
		   : c->id;
}

static void put_choice(struct script *s, const struct wf_witness_step *step)
{
	if (step->chosen_count == 0)
		return;
	wf_buffer_printf(s->text, "goes %s", step->task->id);
	for (uint32_t i = 0; i < step->chosen_count; i++)
		wf_buffer_printf(s->text, " %s",
		    name_output(step->task->net, step->chosen[i]));
	wf_buffer_putc(s->text, '\n');
}

/* A new command begins: writes the one that was held back. */
static void begin_command(struct script *s)
{
	wf_buffer_append(s->text, s->held.data, s->held.length);
	wf_buffer_reset(&s->held);
}

static const struct wf_net_report *find_net(
    const struct wf_report *report, const struct wf_net *net)
{
	for (uint32_t i = 0; i < report->net_count; i++)
		if (report->nets[i].net == net)
			return &report->nets[i];
	return NULL;
}

/* Describes the steps in the sub-net where the report has a witness. */
static void put_composite(struct script *s, const struct wf_witness_step *step)
{
	const struct wf_task *task = step->task;
	const struct wf_net_report *sub =
	    find_net(s->report, task->decomposition->net);

	if (step->kind == WF_MOVE_START || sub == NULL || sub->ending == NULL ||
	    s->depth >= DEPTH_MAXIMUM) {
		wf_buffer_printf(&s->held, "# %s %s\n", task->id,
		    step->kind == WF_MOVE_START ? "starts" : "completes");
		put_choice(s, step);
		return;
	}
	wf_buffer_printf(&s->held, "# in net %s of task %s:\n",
	    sub->net->decomposition->id, task->id);
	s->depth++;
	put_steps(s, sub->ending);
	s->depth--;
	put_choice(s, step);
	wf_buffer_printf(&s->held, "# %s is complete\n", task->id);
}

static void put_step(struct script *s, const struct wf_witness_step *step)
{
	static const char *const words[] = { "finish", "start", "complete" };
	const struct wf_task *task = step->task;

	if (task->kind == WF_COMPOSITE_TASK) {
		put_composite(s, step);
		return;
	}
	if (task->kind == WF_EMPTY_TASK) {
		if (step->kind == WF_MOVE_START)
			return;
		put_choice(s, step);
		wf_buffer_printf(&s->held, "# %s, by itself\n", task->id);
		return;
	}
	begin_command(s);
	put_choice(s, step);
	/* Skipping completes all instances at once. */
	wf_buffer_printf(&s->held, "%s %s\n",
	    task->multi != NULL && step->kind == WF_MOVE_WHOLE
		? "skip"
		: words[step->kind],
	    task->id);
}

static void put_steps(struct script *s, const struct wf_witness *w)
{
	for (uint32_t i = 0; i < w->count; i++)
		put_step(s, &w->steps[i]);
}

void wf_check_script(const struct wf_report *report,
    const struct wf_witness *witness, bool is_launch, struct wf_buffer *text)
{
	struct script s = { .report = report, .text = text };

	wf_buffer_init(&s.held, text->maximum);
	if (is_launch)
		wf_buffer_puts(&s.held, "launch\n");
	put_steps(&s, witness);
	begin_command(&s);
	wf_buffer_free(&s.held);
}

/* --- What is not decided --- */

void wf_check_limit(const struct wf_net_report *r, struct wf_buffer *text)
{
	wf_net_report_limit(r, text);
	if (r->undecided == NULL && r->stop == WF_STOP_STATES)
		wf_buffer_puts(text, " (--max-states)");
}
