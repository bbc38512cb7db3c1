/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/fallback.h"

#include "petri/cover.h"

/* The least budget that is worth a question. */
#define QUESTION_LEAST 4000000U

struct wf_fallback {
	const struct wf_model *model;
	struct wf_petri *petri;
	uint32_t *initial;
	uint64_t work; /* the rest of the budget */
	uint32_t open; /* the place that is marked until the end of the case */
};

/* --- The net --- */

/* A transition under construction. */
struct parts {
	struct wf_arc *inputs;
	uint32_t input_count;
	struct wf_arc *outputs;
	uint32_t output_count;
	uint32_t *resets;
	uint32_t reset_count;
};

static void take(struct parts *parts, uint32_t place)
{
	parts->inputs[parts->input_count++] = (struct wf_arc){ place, 1 };
}

static void give(struct parts *parts, uint32_t place)
{
	parts->outputs[parts->output_count++] = (struct wf_arc){ place, 1 };
}

/* The place that is marked while the task of this place is not busy. */
static uint32_t idle_place(const struct wf_fallback *f, uint32_t place)
{
	return f->open + 1 + place - f->model->net->condition_count;
}

/* A cancelled task is idle afterwards, busy before or not. */
static void add_resets(const struct wf_fallback *f, struct parts *parts,
    const struct wf_move *move)
{
	for (uint32_t i = 0; i < move->reset_count; i++) {
		uint32_t place = move->resets[i];

		parts->resets[parts->reset_count++] = place;
		if (place < f->model->net->condition_count)
			continue;
		parts->resets[parts->reset_count++] = idle_place(f, place);
		give(parts, idle_place(f, place));
	}
}

static bool resets_itself(
    const struct wf_fallback *f, const struct wf_move *move)
{
	for (uint32_t i = 0; i < move->reset_count; i++)
		if (move->resets[i] == f->model->task_places[move->task])
			return true;
	return false;
}

/* ends: one of the outputs is the output condition. */
static void add_transition(struct wf_fallback *f, struct parts *parts,
    const uint32_t *inputs, uint32_t input_count, const struct wf_move *move,
    bool ends)
{
	uint32_t output = f->model->net->output_condition;
	uint32_t own = f->model->task_places[move->task];
	struct wf_transition_parts t = { .inputs = parts->inputs,
		.outputs = parts->outputs,
		.resets = parts->resets };

	parts->input_count = parts->output_count = parts->reset_count = 0;
	add_resets(f, parts, move);
	for (uint32_t i = 0; i < input_count; i++)
		take(parts, inputs[i]);
	for (uint32_t i = 0; i < move->output_count; i++)
		if (ends || move->outputs[i] != output)
			give(parts, move->outputs[i]);
	if (move->kind == WF_MOVE_START)
		take(parts, idle_place(f, own));
	if (move->kind == WF_MOVE_END && !resets_itself(f, move))
		give(parts, idle_place(f, own));
	take(parts, f->open);
	if (!ends)
		give(parts, f->open);
	t.input_count = parts->input_count;
	t.output_count = parts->output_count;
	t.reset_count = parts->reset_count;
	wf_petri_add(f->petri, &t);
}

static bool has_end(const struct wf_fallback *f, const struct wf_move *move)
{
	for (uint32_t i = 0; i < move->output_count; i++)
		if (move->outputs[i] == f->model->net->output_condition)
			return true;
	return false;
}

static void add_move(
    struct wf_fallback *f, struct parts *parts, const struct wf_move *move)
{
	uint32_t count = move->is_or_join ? move->input_count : 1;
	uint32_t size = move->is_or_join ? 1 : move->input_count;
	bool ends = has_end(f, move);

	for (uint32_t i = 0; i < count; i++) {
		add_transition(f, parts, &move->inputs[i], size, move, ends);
		/* An OR-split need not choose the end. */
		if (ends && move->is_or_split)
			add_transition(
			    f, parts, &move->inputs[i], size, move, false);
	}
}

/* A task that is busy is not idle. */
static void set_initial(struct wf_fallback *f, const uint8_t *initial)
{
	const struct wf_model *model = f->model;

	f->initial[f->open] = 1;
	if (initial == NULL)
		f->initial[model->net->input_condition] = 1;
	for (uint32_t i = 0; initial != NULL && i < model->place_count; i++)
		f->initial[i] = initial[i];
	for (uint32_t i = model->net->condition_count; i < model->place_count;
	     i++)
		f->initial[idle_place(f, i)] = f->initial[i] == 0;
}

struct wf_fallback *wf_fallback_new(
    const struct wf_model *model, uint64_t work, const uint8_t *initial)
{
	struct wf_fallback *f = wf_calloc(1, sizeof(*f));
	uint32_t conditions = model->net->condition_count;
	size_t places = 2 * (size_t)model->place_count - conditions + 1;
	struct parts parts = { .input_count = 0 };

	f->model = model;
	f->work = work;
	f->open = model->place_count;
	f->petri = wf_petri_new((uint32_t)places);
	f->initial = wf_calloc(places, sizeof(*f->initial));
	set_initial(f, initial);
	parts.inputs = wf_calloc(places + 2, sizeof(struct wf_arc));
	parts.outputs = wf_calloc(2 * places + 2, sizeof(struct wf_arc));
	parts.resets = wf_calloc(2 * places + 2, sizeof(uint32_t));
	for (uint32_t i = 0; i < model->move_count; i++)
		add_move(f, &parts, &model->moves[i]);
	wf_free(parts.inputs);
	wf_free(parts.outputs);
	wf_free(parts.resets);
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

static enum wf_soundness ask(
    struct wf_fallback *f, const struct wf_target *targets, uint32_t count)
{
	struct wf_cover_result result;
	enum wf_soundness answer = WF_OPEN;

	if (f->work < QUESTION_LEAST)
		return WF_OPEN;
	wf_cover_decide(f->petri, f->initial, targets, count,
	    f->work / 4 + QUESTION_LEAST, &result);
	if (result.verdict == WF_NOT_COVERABLE)
		answer = WF_NO;
	else if (result.verdict == WF_COVER_UNKNOWN)
		f->work -= f->work / 4;
	else if (f->model->or_join_count == 0)
		answer = WF_YES;
	wf_firings_free(&result.firings);
	return answer;
}

enum wf_soundness wf_fallback_task(struct wf_fallback *f, uint32_t number)
{
	const struct wf_task *task = &f->model->net->tasks[number];
	bool all = task->join == WF_AND;
	uint32_t count = task->preset_count;
	/*
	 * Adds each input, and the place that is marked while the case is open.
	 */
	struct wf_arc *arcs = wf_calloc(2 * (size_t)count + 1, sizeof(*arcs));
	struct wf_target *targets = wf_calloc(count + 1, sizeof(*targets));
	enum wf_soundness answer;

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

enum wf_soundness wf_fallback_leftover(struct wf_fallback *f)
{
	uint32_t places = f->model->place_count;
	uint32_t output = f->model->net->output_condition;
	struct wf_arc *arcs = wf_calloc(2 * (size_t)places + 1, sizeof(*arcs));
	struct wf_target *targets = wf_calloc(places + 1, sizeof(*targets));
	uint32_t count = 0;
	enum wf_soundness answer;

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

enum wf_soundness wf_fallback_end(struct wf_fallback *f)
{
	struct wf_arc arc = { f->model->net->output_condition, 1 };
	struct wf_target target = { &arc, 1 };

	return ask(f, &target, 1);
}
