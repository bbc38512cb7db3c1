/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analysis of nets as JSON.  A witness is a list of markings, each with the
 * task that leads to it, so that a page can play it on the picture of the net.
 */
#include <string.h>

#include "base/bitset.h"
#include "data/json_fields.h"
#include "rest/picture/rest_picture.h"

#define TEXT_BYTES ((size_t)1 << 16)
/* Nobody follows a longer one. */
#define STEPS_MAXIMUM 2000U
/* Tokens of all markings of a witness, as members of the answer. */
#define MEMBERS_MAXIMUM 100000U

/* A witness while it is written. */
struct play {
	const struct wf_net *net;
	uint8_t *tokens; /* per condition, then per task */
	size_t members;
};

static const char *const VERDICTS[] = {
	[WF_YES] = "sound", [WF_NO] = "not sound", [WF_OPEN] = "not known"
};

/* No member when it is not known. */
static void put_answer(
    json_t *object, const char *name, enum wf_soundness answer)
{
	if (answer != WF_OPEN)
		json_object_set_new(
		    object, name, json_boolean(answer == WF_YES));
}

static void put_text(
    json_t *object, const char *name, const struct wf_buffer *text)
{
	wf_json_put_text(object, name, wf_buffer_text(text));
}

/* --- witnesses ------------------------------------------------------------ */

static struct play *begin_play(const struct wf_net *net)
{
	size_t places = (size_t)net->condition_count + net->task_count;
	struct play *play = wf_calloc(1, sizeof(*play));

	play->net = net;
	play->tokens = wf_calloc(places + 1, 1);
	return play;
}

static void end_play(struct play *play)
{
	wf_free(play->tokens);
	wf_free(play);
}

static void apply(
    struct play *play, const struct wf_witness_change *changes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		play->tokens[changes[i].number +
			     (changes[i].is_task ? play->net->condition_count
						 : 0)] = changes[i].tokens;
}

/* The marking as it is now. */
static void put_marking(struct play *play, json_t *step)
{
	const struct wf_net *net = play->net;
	json_t *marking = json_object();
	json_t *busy = json_array();

	for (uint32_t i = 0; i < net->condition_count; i++)
		if (play->tokens[i] > 0)
			json_object_set_new(marking, net->conditions[i].id,
			    json_integer(play->tokens[i]));
	for (uint32_t i = 0; i < net->task_count; i++)
		if (play->tokens[net->condition_count + i] > 0)
			json_array_append_new(
			    busy, json_string(net->tasks[i].id));
	play->members += json_object_size(marking) + json_array_size(busy) + 1;
	json_object_set_new(step, "marking", marking);
	if (json_array_size(busy) > 0)
		json_object_set(step, "busy", busy);
	json_decref(busy);
}

static json_t *step_json(struct play *play, const struct wf_witness_step *step)
{
	static const char *const parts[] = { [WF_MOVE_WHOLE] = NULL,
		[WF_MOVE_START] = "start",
		[WF_MOVE_END] = "end" };
	json_t *object = json_object();
	json_t *exits;

	json_object_set_new(object, "fires", json_string(step->task->id));
	wf_json_put_text(object, "part", parts[step->kind]);
	if (step->chosen_count > 0) {
		exits = json_array();
		for (uint32_t i = 0; i < step->chosen_count; i++)
			json_array_append_new(exits,
			    json_string(
				play->net->conditions[step->chosen[i]].id));
		json_object_set_new(object, "exit", exits);
	}
	apply(play, step->changes, step->change_count);
	put_marking(play, object);
	return object;
}

/*
 * Adds the steps under this name; of too long a witness, only their number.
 * False: it is too long.
 */
static bool put_steps(struct play *play, json_t *object, const char *name,
    const struct wf_witness *w, bool begins)
{
	json_t *steps = json_array();
	bool fits = w->count <= STEPS_MAXIMUM;
	json_t *first;

	if (begins) {
		apply(play, w->begin, w->begin_count);
		first = json_object();
		put_marking(play, first);
		json_array_append_new(steps, first);
	}
	for (uint32_t i = 0; i < w->count && fits; i++) {
		json_array_append_new(steps, step_json(play, &w->steps[i]));
		fits = play->members <= MEMBERS_MAXIMUM;
	}
	if (fits)
		json_object_set(object, name, steps);
	else
		json_object_set_new(
		    object, "omitted_steps", json_integer(w->count));
	json_decref(steps);
	return fits;
}

/* --- findings ------------------------------------------------------------- */

static int line_of(const struct wf_net *net, const struct wf_finding *f)
{
	if (f->task != NULL)
		return f->task->line;
	if (f->condition != NULL)
		return f->condition->line;
	return f->task_count > 0 ? f->tasks[0]->line : net->decomposition->line;
}

/* Whether the task has some of its inputs at the end, but not all. */
static bool waits(const struct wf_task *task, const struct wf_witness *w)
{
	uint32_t marked = 0;

	for (uint32_t i = 0; i < task->preset_count; i++)
		marked += w->tokens[task->preset[i]] > 0;
	return task->join != WF_XOR && marked > 0 &&
	       marked < task->preset_count;
}

static json_t *elements_json(
    const struct wf_net *net, const struct wf_finding *f)
{
	bool is_stuck = f->kind == WF_FINDING_DEADLOCK && f->witness != NULL;
	json_t *ids = json_array();

	for (uint32_t i = 0; is_stuck && i < net->task_count; i++)
		if (waits(&net->tasks[i], f->witness))
			json_array_append_new(
			    ids, json_string(net->tasks[i].id));

	if (f->task != NULL)
		json_array_append_new(ids, json_string(f->task->id));
	if (f->condition != NULL)
		json_array_append_new(ids, json_string(f->condition->id));
	for (uint32_t i = 0; i < f->task_count; i++)
		json_array_append_new(ids, json_string(f->tasks[i]->id));
	return ids;
}

static void put_witness(json_t *object, const struct wf_net *net,
    const struct wf_finding *f, struct wf_buffer *text)
{
	struct play *play = begin_play(net);

	wf_buffer_reset(text);
	wf_witness_left(net, f->witness, text);
	put_text(object, "left", text);
	if (put_steps(play, object, "witness", f->witness, true) &&
	    f->round != NULL)
		put_steps(play, object, "round", f->round, false);
	end_play(play);
}

static json_t *finding_json(
    const struct wf_net *net, const struct wf_finding *f)
{
	json_t *object = json_object();
	struct wf_buffer text;

	wf_buffer_init(&text, TEXT_BYTES);
	wf_finding_sentence(net, f, &text);
	json_object_set_new(object, "net", json_string(net->decomposition->id));
	json_object_set_new(
	    object, "kind", json_string(wf_finding_word(f->kind)));
	json_object_set_new(object, "severity",
	    json_string(
		f->kind <= WF_FINDING_UNBOUNDED ? "warning" : "advice"));
	put_text(object, "text", &text);
	json_object_set_new(object, "line", json_integer(line_of(net, f)));
	json_object_set_new(object, "elements", elements_json(net, f));
	if (f->witness != NULL)
		put_witness(object, net, f, &text);
	wf_buffer_free(&text);
	return object;
}

/* --- nets ----------------------------------------------------------------- */

static void put_verdict(
    json_t *object, const struct wf_net_report *r, struct wf_buffer *text)
{
	json_object_set_new(object, "verdict", json_string(VERDICTS[r->sound]));
	if (r->sound == WF_YES) {
		wf_buffer_puts(text,
		    "every case can complete with nothing left behind, and "
		    "every task can be done");
	} else if (r->sound == WF_NO) {
		wf_buffer_puts(text, "it is not sound");
		if (r->finding_count > 0) {
			wf_buffer_puts(text, ": ");
			wf_finding_sentence(r->net, &r->findings[0], text);
		}
	} else {
		wf_buffer_puts(text, "whether it is sound is not known: ");
		wf_net_report_limit(r, text);
		wf_buffer_printf(text, ", after %u states", r->state_count);
	}
	put_text(object, "text", text);
}

/* The net without its findings. */
static json_t *net_json(
    const struct wf_spec *spec, const struct wf_net_report *r)
{
	json_t *object = json_object();
	struct play *play = begin_play(r->net);
	struct wf_buffer text;

	wf_buffer_init(&text, TEXT_BYTES);
	json_object_set_new(
	    object, "id", json_string(r->net->decomposition->id));
	json_object_set_new(object, "root", json_boolean(r->net == spec->root));
	put_verdict(object, r, &text);
	put_answer(object, "option_to_complete", r->completion);
	put_answer(object, "proper_completion", r->proper);
	put_answer(object, "no_dead_tasks", r->no_dead_tasks);
	put_answer(object, "weakly_sound", r->weakly_sound);
	put_answer(object, "relaxed_sound", r->relaxed_sound);
	json_object_set_new(object, "states", json_integer(r->state_count));
	wf_buffer_reset(&text);
	if (wf_net_report_is_open(r))
		wf_net_report_limit(r, &text);
	put_text(object, "limit", &text);
	if (r->ending != NULL)
		put_steps(play, object, "ending", r->ending, true);
	wf_buffer_free(&text);
	end_play(play);
	return object;
}

void wf_report_put(const struct wf_report *report, struct wf_buffer *text)
{
	json_t *head = json_object();

	json_object_set_new(
	    head, "verdict", json_string(VERDICTS[report->sound]));
	wf_answer_open(text, head);
	wf_buffer_puts(text, ",\"nets\":[");
	for (uint32_t i = 0; i < report->net_count && !text->full; i++) {
		const struct wf_net_report *r = &report->nets[i];

		wf_buffer_puts(text, i == 0 ? "" : ",");
		wf_answer_open(text, net_json(report->spec, r));
		wf_buffer_puts(text, ",\"findings\":[");
		for (uint32_t k = 0; k < r->finding_count && !text->full; k++) {
			wf_buffer_puts(text, k == 0 ? "" : ",");
			wf_answer_put(
			    text, finding_json(r->net, &r->findings[k]));
		}
		wf_buffer_puts(text, "]}");
	}
	wf_buffer_puts(text, "]}");
}
