/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/fallback.h"

#include <string.h>

#include "petri/cover.h"

/* With less work than that nothing is asked. */
#define QUESTION_LEAST 4000000U

struct wf_fallback {
	const struct wf_model *model;
	struct wf_petri *petri; /* labels are numbers of moves */
	uint32_t *initial;
	uint64_t work; /* that is left */
	uint32_t open; /* the place that is marked until the end */
};

/* --- The net --- */

struct parts {
	struct wf_arc *inputs;
	struct wf_arc *outputs;
};

static void add_transition(struct wf_fallback *f, const struct parts *parts,
    const uint32_t *inputs, uint32_t input_count, uint32_t id)
{
	const struct wf_move *move = &f->model->moves[id];
	struct wf_transition_parts t = { .inputs = parts->inputs,
		.outputs = parts->outputs,
		.resets = move->resets,
		.reset_count = move->reset_count,
		.label = id };
	bool ends = false;

	for (uint32_t i = 0; i < input_count; i++)
		parts->inputs[t.input_count++] =
		    (struct wf_arc){ inputs[i], 1 };
	for (uint32_t i = 0; i < move->output_count; i++) {
		parts->outputs[t.output_count++] =
		    (struct wf_arc){ move->outputs[i], 1 };
		ends |= move->outputs[i] == f->model->net->output_condition;
	}
	parts->inputs[t.input_count++] = (struct wf_arc){ f->open, 1 };
	if (!ends)
		parts->outputs[t.output_count++] =
		    (struct wf_arc){ f->open, 1 };
	wf_petri_add(f->petri, &t);
	/* An OR-split need not go to the end. */
	if (!ends || !move->is_or_split)
		return;
	t.output_count = 0;
	for (uint32_t i = 0; i < move->output_count; i++)
		if (move->outputs[i] != f->model->net->output_condition)
			parts->outputs[t.output_count++] =
			    (struct wf_arc){ move->outputs[i], 1 };
	parts->outputs[t.output_count++] = (struct wf_arc){ f->open, 1 };
	wf_petri_add(f->petri, &t);
}

static void add_move(
    struct wf_fallback *f, const struct parts *parts, uint32_t id)
{
	const struct wf_move *move = &f->model->moves[id];

	if (!move->is_or_join) {
		add_transition(f, parts, move->inputs, move->input_count, id);
		return;
	}
	for (uint32_t i = 0; i < move->input_count; i++)
		add_transition(f, parts, &move->inputs[i], 1, id);
}

struct wf_fallback *wf_fallback_new(const struct wf_model *model, uint64_t work)
{
	struct wf_fallback *f = wf_calloc(1, sizeof(*f));
	struct parts parts;

	f->model = model;
	f->work = work;
	f->open = model->place_count;
	f->petri = wf_petri_new(model->place_count + 1);
	f->initial = wf_calloc(model->place_count + 1, sizeof(*f->initial));
	f->initial[f->open] = 1;
	f->initial[model->net->input_condition] = 1;
	parts.inputs = wf_calloc(model->place_count + 2, sizeof(struct wf_arc));
	parts.outputs =
	    wf_calloc(model->place_count + 2, sizeof(struct wf_arc));
	for (uint32_t i = 0; i < model->move_count; i++)
		add_move(f, &parts, i);
	wf_free(parts.inputs);
	wf_free(parts.outputs);
	return f;
}

void wf_fallback_free(struct wf_fallback **fallback)
{
	struct wf_fallback *f = *fallback;

	if (f == NULL)
		return;
	wf_petri_free(&f->petri);
	wf_free(f->initial);
	wf_free(f);
	*fallback = NULL;
}

/* --- Questions --- */

/* Whether the firings are moves of the real net. */
static bool is_real(
    const struct wf_fallback *f, const struct wf_firings *firings)
{
	const struct wf_model *m = f->model;
	uint32_t *tokens;
	bool real = m->or_join_count == 0;

	tokens = wf_malloc((m->place_count + 1) * sizeof(*tokens));
	memcpy(tokens, f->initial, (m->place_count + 1) * sizeof(*tokens));
	for (uint32_t i = 0; i < firings->count && real; i++) {
		const struct wf_transition *t =
		    &f->petri->transitions[firings->transitions[i]];
		const struct wf_move *move = &m->moves[t->label];

		if (move->kind == WF_MOVE_START &&
		    tokens[m->task_places[move->task]] > 0)
			real = false;
		else
			wf_transition_fire(t, tokens);
	}
	wf_free(tokens);
	return real;
}

static enum wf_answer ask(
    struct wf_fallback *f, const struct wf_target *targets, uint32_t count)
{
	struct wf_cover_result result;
	enum wf_answer answer = WF_OPEN;

	if (f->work < QUESTION_LEAST)
		return WF_OPEN;
	wf_cover_decide(f->petri, f->initial, targets, count,
	    f->work / 4 + QUESTION_LEAST, &result);
	if (result.verdict == WF_NOT_COVERABLE)
		answer = WF_NO;
	else if (result.verdict == WF_COVER_UNKNOWN)
		f->work -= f->work / 4;
	if (result.verdict == WF_COVERABLE) {
		if (is_real(f, &result.firings))
			answer = WF_YES;
		wf_firings_free(&result.firings);
	}
	return answer;
}

enum wf_answer wf_fallback_task(struct wf_fallback *f, uint32_t number)
{
	const struct wf_task *task = &f->model->net->tasks[number];
	bool all = task->join == WF_AND;
	uint32_t count = task->preset_count;
	/* Each input with the place that says that the case is open. */
	struct wf_arc *arcs = wf_calloc(2 * (size_t)count + 1, sizeof(*arcs));
	struct wf_target *targets = wf_calloc(count + 1, sizeof(*targets));
	enum wf_answer answer;

	for (uint32_t i = 0; i < count; i++) {
		size_t at = all ? i : 2 * (size_t)i;

		arcs[at] = (struct wf_arc){ task->preset[i], 1 };
		arcs[at + 1] = (struct wf_arc){ f->open, 1 };
		targets[i] = (struct wf_target){ &arcs[at], 2 };
	}
	if (all)
		targets[0] = (struct wf_target){ arcs, count + 1 };
	answer = ask(f, targets, all ? 1 : count);
	wf_free(arcs);
	wf_free(targets);
	return answer;
}

enum wf_answer wf_fallback_leftover(struct wf_fallback *f)
{
	uint32_t places = f->model->place_count;
	uint32_t output = f->model->net->output_condition;
	struct wf_arc *arcs = wf_calloc(2 * (size_t)places + 1, sizeof(*arcs));
	struct wf_target *targets = wf_calloc(places + 1, sizeof(*targets));
	uint32_t count = 0;
	enum wf_answer answer;

	for (uint32_t i = 0; i < places; i++) {
		struct wf_arc *pair = &arcs[2 * (size_t)count];

		if (i == output)
			continue;
		pair[0] = (struct wf_arc){ i < output ? i : output, 1 };
		pair[1] = (struct wf_arc){ i < output ? output : i, 1 };
		targets[count++] = (struct wf_target){ pair, 2 };
	}
	answer = ask(f, targets, count);
	wf_free(arcs);
	wf_free(targets);
	return answer;
}

enum wf_answer wf_fallback_end(struct wf_fallback *f)
{
	struct wf_arc arc = { f->model->net->output_condition, 1 };
	struct wf_target target = { &arc, 1 };

	return ask(f, &target, 1);
}
