/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the analysis with answers found by brute force.
 *
 * usage: verdicts FILE; FILE has the format "orjoin-cases/1" with "expect" in
 * each case.  Ends with "N passed, N failed", counted in nets.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "verify/verify.h"

struct maker {
	struct wf_arena *arena;
	struct wf_net *net;
	struct wf_map *numbers; /* id -> number + 1; conditions, then tasks */
};

/* --- From JSON to nets --- */

static const json_t *member(const json_t *json, const char *name)
{
	const json_t *found = json_object_get(json, name);

	if (found == NULL) {
		fprintf(stderr, "verdicts: \"%s\" is missing\n", name);
		exit(2);
	}
	return found;
}

static const char *text(const json_t *json)
{
	if (!json_is_string(json)) {
		fprintf(stderr, "verdicts: a string is missing\n");
		exit(2);
	}
	return json_string_value(json);
}

static const char *text_at(const json_t *json, size_t i)
{
	return text(json_array_get(json, i));
}

static uint32_t find_number(const struct maker *m, const char *id)
{
	return (uint32_t)(uintptr_t)wf_map_get(m->numbers, id) - 1;
}

static enum wf_control read_control(const json_t *json)
{
	return strcmp(text(json), "and") == 0	? WF_AND
	       : strcmp(text(json), "xor") == 0 ? WF_XOR
						: WF_OR;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static const uint32_t *read_list(
    struct maker *m, const json_t *json, uint32_t *count_out)
{
	size_t count = json_array_size(json);
	uint32_t *list = wf_arena_array(m->arena, count + 1, sizeof(*list));

	for (size_t i = 0; i < count; i++)
		list[i] = find_number(m, text_at(json, i));
	*count_out = (uint32_t)count;
	qsort(list, count, sizeof(*list), by_number);
	return list;
}

static void read_cancelled(
    struct maker *m, const json_t *json, struct wf_task *task)
{
	uint32_t conditions = m->net->condition_count;
	uint32_t count;
	const uint32_t *list = read_list(m, json, &count);
	uint32_t *tasks = wf_arena_array(m->arena, count + 1, sizeof(*tasks));

	task->cancelled_conditions = list;
	task->cancelled_tasks = tasks;
	for (uint32_t i = 0; i < count; i++)
		if (list[i] < conditions)
			task->cancelled_condition_count++;
		else
			tasks[task->cancelled_task_count++] =
			    list[i] - conditions;
}

static void read_tasks(struct maker *m, const json_t *json)
{
	for (uint32_t i = 0; i < m->net->task_count; i++) {
		const json_t *from = json_array_get(json, i);
		struct wf_task *task = &m->net->tasks[i];

		task->kind = WF_ATOMIC_TASK;
		task->net = m->net;
		task->number = i;
		task->id = text(member(from, "id"));
		task->join = read_control(member(from, "join"));
		task->split = read_control(member(from, "split"));
		task->preset =
		    read_list(m, member(from, "pre"), &task->preset_count);
		task->postset =
		    read_list(m, member(from, "post"), &task->postset_count);
		read_cancelled(m, member(from, "cancel"), task);
	}
}

static bool has(const uint32_t *list, uint32_t count, uint32_t number)
{
	for (uint32_t i = 0; i < count; i++)
		if (list[i] == number)
			return true;
	return false;
}

/* The tasks before and after each condition. */
static void connect(struct maker *m)
{
	struct wf_net *net = m->net;

	for (uint32_t i = 0; i < net->condition_count; i++) {
		struct wf_condition *c = &net->conditions[i];
		uint32_t *before = wf_arena_array(
		    m->arena, net->task_count + 1, sizeof(*before));
		uint32_t *after = wf_arena_array(
		    m->arena, net->task_count + 1, sizeof(*after));

		for (uint32_t j = 0; j < net->task_count; j++) {
			const struct wf_task *t = &net->tasks[j];

			if (has(t->postset, t->postset_count, i))
				before[c->preset_count++] = j;
			if (has(t->preset, t->preset_count, i))
				after[c->postset_count++] = j;
		}
		c->preset = before;
		c->postset = after;
	}
}

static void number_elements(
    struct maker *m, const json_t *conditions, const json_t *tasks)
{
	struct wf_net *net = m->net;
	uintptr_t next = 1;

	net->condition_count = (uint32_t)json_array_size(conditions);
	net->conditions = wf_arena_array(
	    m->arena, net->condition_count, sizeof(*net->conditions));
	net->task_count = (uint32_t)json_array_size(tasks);
	net->tasks =
	    wf_arena_array(m->arena, net->task_count, sizeof(*net->tasks));
	for (uint32_t i = 0; i < net->condition_count; i++) {
		net->conditions[i].id = text_at(conditions, i);
		net->conditions[i].number = i;
		wf_map_add(m->numbers, text_at(conditions, i), (void *)next++);
	}
	for (uint32_t i = 0; i < net->task_count; i++)
		wf_map_add(m->numbers,
		    text(member(json_array_get(tasks, i), "id")),
		    (void *)next++);
}

static struct wf_net *make_net(struct wf_arena *arena, const json_t *json)
{
	struct maker m = { .arena = arena };

	m.net = wf_arena_alloc(arena, sizeof(*m.net));
	m.numbers = wf_map_new();
	number_elements(&m, member(json, "conditions"), member(json, "tasks"));
	m.net->input_condition = find_number(&m, text(member(json, "input")));
	m.net->output_condition = find_number(&m, text(member(json, "output")));
	read_tasks(&m, member(json, "tasks"));
	connect(&m);
	wf_map_free(&m.numbers);
	return m.net;
}

/* --- The answers --- */

struct judge {
	const char *id;
	const json_t *expect;
	const struct wf_net_report *report;
	bool failed;
};

static void differ(struct judge *j, const char *what)
{
	printf("%s: another answer for %s\n", j->id, what);
	j->failed = true;
}

static void judge_answer(
    struct judge *j, const char *what, enum wf_soundness answer)
{
	const json_t *expected = member(j->expect, what);

	if (!json_is_null(expected) &&
	    answer != (json_is_true(expected) ? WF_YES : WF_NO))
		differ(j, what);
}

static bool has_finding(const struct wf_net_report *r,
    enum wf_finding_kind kind, const char *task, const char *element)
{
	for (uint32_t i = 0; i < r->finding_count; i++) {
		const struct wf_finding *f = &r->findings[i];

		if (f->kind != kind || strcmp(f->task->id, task) != 0)
			continue;
		if (element == NULL ||
		    (f->condition != NULL &&
			strcmp(f->condition->id, element) == 0) ||
		    (f->task_count > 0 &&
			strcmp(f->tasks[0]->id, element) == 0))
			return true;
	}
	return false;
}

static uint32_t count_findings(
    const struct wf_net_report *r, enum wf_finding_kind kind)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < r->finding_count; i++)
		count += r->findings[i].kind == kind;
	return count;
}

static void judge_dead_tasks(struct judge *j)
{
	const json_t *dead = member(j->expect, "dead_tasks");
	bool same = json_array_size(dead) ==
		    count_findings(j->report, WF_FINDING_DEAD_TASK);

	for (size_t i = 0; i < json_array_size(dead); i++)
		same &= has_finding(
		    j->report, WF_FINDING_DEAD_TASK, text_at(dead, i), NULL);
	if (!same)
		differ(j, "dead_tasks");
}

static void judge_cancellations(struct judge *j)
{
	const json_t *pairs = member(j->expect, "reducible_cancellation");
	bool same = json_array_size(pairs) ==
		    count_findings(j->report, WF_FINDING_REDUCIBLE);

	for (size_t i = 0; i < json_array_size(pairs); i++) {
		const json_t *pair = json_array_get(pairs, i);

		same &= json_array_size(pair) == 2 &&
			has_finding(j->report, WF_FINDING_REDUCIBLE,
			    text_at(pair, 0), text_at(pair, 1));
	}
	if (!same)
		differ(j, "reducible_cancellation");
}

static void judge_or_joins(struct judge *j)
{
	const json_t *joins = member(j->expect, "or_joins");
	const char *name;
	json_t *join;

	json_object_foreach((json_t *)(uintptr_t)joins, name, join)
	{
		const char *found =
		    has_finding(
			j->report, WF_FINDING_CONVERTIBLE_AND, name, NULL)
			? "and"
		    : has_finding(
			  j->report, WF_FINDING_CONVERTIBLE_XOR, name, NULL)
			? "xor"
			: "or";

		if (strcmp(found, text(join)) != 0)
			differ(j, "or_joins");
	}
}

static void judge_deadlocks(struct judge *j)
{
	const json_t *expected = member(j->expect, "deadlocks");
	json_int_t count = 0;

	for (uint32_t i = 0; i < j->report->finding_count; i++)
		if (j->report->findings[i].kind == WF_FINDING_DEADLOCK ||
		    j->report->findings[i].kind == WF_FINDING_EMPTY)
			count += j->report->findings[i].state_count;
	if (!json_is_integer(expected) || json_integer_value(expected) != count)
		differ(j, "deadlocks");
}

static bool judge_case(const json_t *json)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_net *net = make_net(arena, member(json, "net"));
	struct wf_report *report = wf_verify_net(net, &wf_verify_default);
	struct judge j = { .id = text(member(json, "id")),
		.expect = member(json, "expect"),
		.report = &report->nets[0] };

	judge_answer(&j, "sound", j.report->sound);
	judge_answer(&j, "option_to_complete", j.report->completion);
	judge_answer(&j, "proper_completion", j.report->proper);
	judge_answer(&j, "weakly_sound", j.report->weakly_sound);
	judge_dead_tasks(&j);
	judge_cancellations(&j);
	judge_or_joins(&j);
	judge_deadlocks(&j);
	if (json_array_size(member(j.expect, "or_cycles")) !=
	    count_findings(j.report, WF_FINDING_VICIOUS_CIRCLE))
		differ(&j, "or_cycles");
	wf_report_free(&report);
	wf_arena_free(&arena);
	return !j.failed;
}

int main(int argc, char **argv)
{
	json_error_t error = { .text = "which file?" };
	json_t *json = argc == 2 ? json_load_file(argv[1], 0, &error) : NULL;
	const json_t *cases;
	size_t passed = 0;
	size_t count;

	if (json == NULL) {
		fprintf(stderr, "verdicts: %s\n", error.text);
		return 2;
	}
	cases = member(json, "cases");
	count = json_array_size(cases);
	for (size_t i = 0; i < count; i++)
		passed += judge_case(json_array_get(cases, i));
	printf("%zu passed, %zu failed\n", passed, count - passed);
	json_decref(json);
	return passed == count ? 0 : 1;
}
