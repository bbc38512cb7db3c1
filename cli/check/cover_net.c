/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a net of JSON: its elements are sorted by their ids, in whatever order
 * the file has them, and get dense numbers.
 */
#include "cli/check/cover_net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bitset.h"

#define ELEMENTS_MAXIMUM 100000U
#define TOKENS_MAXIMUM 1000000U

struct reader {
	struct wf_arena *arena;
	struct wf_cover_case *into;
	struct wf_net *net;
	struct wf_error *err;
	struct wf_map *conditions; /* id -> struct wf_condition */
	struct wf_map *tasks;
};

static enum wf_rc fail(struct reader *r, const char *expected)
{
	const char *id = r->into->id == NULL ? "?" : r->into->id;

	return wf_fail(
	    r->err, WF_INVALID, "case %s: expected %s", id, expected);
}

static enum wf_rc fail_id(struct reader *r, const char *id, const char *what)
{
	char expected[200];

	snprintf(expected, sizeof(expected), "%s, not \"%.100s\"", what,
	    id == NULL ? "" : id);
	return fail(r, expected);
}

static bool is_array(const json_t *json)
{
	return json_is_array(json) && json_array_size(json) <= ELEMENTS_MAXIMUM;
}

/* --- Elements, in the order of their ids --- */

struct element {
	const char *id;
	const json_t *json;
};

static int by_id(const void *a, const void *b)
{
	const struct element *x = a;
	const struct element *y = b;

	return strcmp(x->id, y->id);
}

/*
 * The members of an array, sorted by their ids: the strings themselves, or the
 * member "id" of objects.  NULL: one has none.
 */
static struct element *list_elements(struct reader *r, const json_t *json)
{
	size_t count = json_array_size(json);
	struct element *list =
	    wf_arena_array(r->arena, count + 1, sizeof(*list));

	for (size_t i = 0; i < count; i++) {
		const json_t *one = json_array_get(json, i);
		const json_t *id =
		    json_is_object(one) ? json_object_get(one, "id") : one;

		list[i] = (struct element){ json_string_value(id), one };
		if (list[i].id == NULL)
			return NULL;
	}
	qsort(list, count, sizeof(*list), by_id);
	return list;
}

static enum wf_rc read_conditions(struct reader *r, const json_t *json)
{
	struct wf_net *net = r->net;
	const struct element *list;

	if (!is_array(json))
		return fail(r, "\"conditions\", an array");
	list = list_elements(r, json);
	if (list == NULL)
		return fail(r, "ids of conditions");
	net->condition_count = (uint32_t)json_array_size(json);
	net->conditions = wf_arena_array(
	    r->arena, net->condition_count + 1, sizeof(*net->conditions));
	for (uint32_t i = 0; i < net->condition_count; i++) {
		struct wf_condition *c = &net->conditions[i];

		if (!json_is_string(list[i].json))
			return fail(r, "ids of conditions");
		c->id = list[i].id;
		c->number = i;
		if (!wf_map_add(r->conditions, c->id, c))
			return fail_id(r, c->id, "different ids");
	}
	return WF_OK;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* NULL: there is none of that id, or json is no string. */
static const struct wf_condition *find_condition(
    const struct reader *r, const json_t *json)
{
	return json_is_string(json)
		   ? wf_map_get(r->conditions, json_string_value(json))
		   : NULL;
}

static const struct wf_task *find_task(
    const struct reader *r, const json_t *json)
{
	return json_is_string(json)
		   ? wf_map_get(r->tasks, json_string_value(json))
		   : NULL;
}

static enum wf_rc read_numbers(struct reader *r, const json_t *json,
    const uint32_t **numbers_out, uint32_t *count_out)
{
	size_t count = json_array_size(json);
	uint32_t *numbers;

	if (!is_array(json) || count == 0)
		return fail(r, "\"pre\" and \"post\", arrays");
	numbers = wf_arena_array(r->arena, count, sizeof(*numbers));
	for (size_t i = 0; i < count; i++) {
		const json_t *item = json_array_get(json, i);
		const struct wf_condition *c = find_condition(r, item);

		if (c == NULL)
			return fail_id(r, json_string_value(item),
			    "the id of a condition");
		numbers[i] = c->number;
	}
	*count_out = (uint32_t)count;
	qsort(numbers, count, sizeof(*numbers), by_number);
	for (uint32_t i = 1; i < *count_out; i++)
		if (numbers[i - 1] == numbers[i])
			return fail(r, "each condition once");
	*numbers_out = numbers;
	return WF_OK;
}

static enum wf_rc read_control(
    struct reader *r, const json_t *json, enum wf_control *control_out)
{
	static const char *const names[] = { "and", "xor", "or" };

	for (size_t i = 0; json_is_string(json) && i < 3; i++)
		if (strcmp(json_string_value(json), names[i]) == 0) {
			*control_out = (enum wf_control)i;
			return WF_OK;
		}
	return fail(r, "\"and\", \"xor\" or \"or\"");
}

static enum wf_rc read_cancelled(
    struct reader *r, const json_t *json, struct wf_task *task)
{
	size_t count = json_array_size(json);
	uint32_t *conditions;
	uint32_t *tasks;

	if (json == NULL)
		return WF_OK;
	if (!is_array(json))
		return fail(r, "\"cancel\", an array");
	conditions = wf_arena_array(r->arena, count, sizeof(uint32_t));
	tasks = wf_arena_array(r->arena, count, sizeof(uint32_t));
	for (size_t i = 0; i < count; i++) {
		const json_t *item = json_array_get(json, i);
		const struct wf_condition *c = find_condition(r, item);
		const struct wf_task *t = find_task(r, item);

		if (c != NULL)
			conditions[task->cancelled_condition_count++] =
			    c->number;
		else if (t != NULL)
			tasks[task->cancelled_task_count++] = t->number;
		else
			return fail_id(
			    r, json_string_value(item), "an id of the net");
	}
	qsort(conditions, task->cancelled_condition_count, sizeof(uint32_t),
	    by_number);
	qsort(tasks, task->cancelled_task_count, sizeof(uint32_t), by_number);
	task->cancelled_conditions = conditions;
	task->cancelled_tasks = tasks;
	return WF_OK;
}

/* --- The net --- */

static enum wf_rc read_task(
    struct reader *r, const json_t *json, struct wf_task *task)
{
	enum wf_rc rc =
	    read_control(r, json_object_get(json, "join"), &task->join);

	if (rc == WF_OK)
		rc = read_control(
		    r, json_object_get(json, "split"), &task->split);
	if (rc == WF_OK)
		rc = read_numbers(r, json_object_get(json, "pre"),
		    &task->preset, &task->preset_count);
	if (rc == WF_OK)
		rc = read_numbers(r, json_object_get(json, "post"),
		    &task->postset, &task->postset_count);
	if (rc == WF_OK)
		rc = read_cancelled(r, json_object_get(json, "cancel"), task);
	return rc;
}

static enum wf_rc read_tasks(struct reader *r, const json_t *json)
{
	struct wf_net *net = r->net;
	const struct element *list;
	enum wf_rc rc = WF_OK;

	if (!is_array(json))
		return fail(r, "\"tasks\", an array");
	list = list_elements(r, json);
	if (list == NULL)
		return fail(r, "tasks, each with an \"id\"");
	net->task_count = (uint32_t)json_array_size(json);
	net->tasks =
	    wf_arena_array(r->arena, net->task_count + 1, sizeof(*net->tasks));
	for (uint32_t i = 0; i < net->task_count; i++) {
		struct wf_task *task = &net->tasks[i];

		if (!json_is_object(list[i].json))
			return fail(r, "tasks, each with an \"id\"");
		task->kind = WF_ATOMIC_TASK;
		task->net = net;
		task->id = list[i].id;
		task->number = i;
		if (!wf_map_add(r->tasks, task->id, task) ||
		    wf_map_get(r->conditions, task->id) != NULL)
			return fail_id(r, task->id, "different ids");
	}
	for (uint32_t i = 0; i < net->task_count && rc == WF_OK; i++)
		rc = read_task(r, list[i].json, &net->tasks[i]);
	return rc;
}

static enum wf_rc read_end(
    struct reader *r, const json_t *json, uint32_t *number_out)
{
	const struct wf_condition *c = find_condition(r, json);

	if (c == NULL)
		return fail(r, "\"input\" and \"output\", ids of conditions");
	*number_out = c->number;
	return WF_OK;
}

static enum wf_rc read_net(struct reader *r, const json_t *json)
{
	enum wf_rc rc;

	if (!json_is_object(json))
		return fail(r, "\"net\", an object");
	rc = read_conditions(r, json_object_get(json, "conditions"));
	if (rc == WF_OK)
		rc = read_end(r, json_object_get(json, "input"),
		    &r->net->input_condition);
	if (rc == WF_OK)
		rc = read_end(r, json_object_get(json, "output"),
		    &r->net->output_condition);
	if (rc == WF_OK)
		rc = read_tasks(r, json_object_get(json, "tasks"));
	return rc;
}

/* --- The question --- */

static enum wf_rc read_marking(struct reader *r, const json_t *json)
{
	struct wf_cover_case *into = r->into;
	const char *name;
	json_t *item;

	if (!json_is_object(json))
		return fail(r, "\"marking\", an object");
	into->tokens = wf_arena_array(
	    r->arena, r->net->condition_count + 1, sizeof(uint32_t));
	into->busy = wf_arena_array(r->arena,
	    wf_bitset_words(r->net->task_count) + 1, sizeof(uint64_t));
	json_object_foreach((json_t *)(uintptr_t)json, name, item)
	{
		const struct wf_condition *c = wf_map_get(r->conditions, name);
		const struct wf_task *t = wf_map_get(r->tasks, name);
		json_int_t count = json_integer_value(item);

		if (!json_is_integer(item) || count < 0 ||
		    count > TOKENS_MAXIMUM)
			return fail(r, "a number of tokens");
		if (c != NULL)
			into->tokens[c->number] = (uint32_t)count;
		else if (t != NULL && count <= 1)
			wf_bitset_put(into->busy, t->number, count == 1);
		else
			return fail(
			    r, "tokens of conditions, and 1 for a busy task");
	}
	return WF_OK;
}

static enum wf_rc read_join(struct reader *r, const json_t *json)
{
	const struct wf_task *task = find_task(r, json);

	if (task == NULL || task->join != WF_OR)
		return fail(r, "\"orjoin\", the id of an OR-join");
	if (wf_bitset_has(r->into->busy, task->number))
		return fail(r, "an OR-join that is not busy");
	r->into->task = task->number;
	return WF_OK;
}

enum wf_rc wf_cover_read_case(struct wf_cover_case *case_out,
    struct wf_arena *arena, const json_t *json, struct wf_error *err)
{
	const char *id = json_string_value(json_object_get(json, "id"));
	struct reader r = { .arena = arena, .into = case_out, .err = err };
	enum wf_rc rc;

	*case_out = (struct wf_cover_case){ .id = NULL };
	if (id == NULL)
		return fail(&r, "cases, each with an \"id\"");
	case_out->id = id;
	r.net = case_out->net = wf_arena_alloc(arena, sizeof(*r.net));
	r.conditions = wf_map_new();
	r.tasks = wf_map_new();
	rc = read_net(&r, json_object_get(json, "net"));
	if (rc == WF_OK)
		rc = read_marking(&r, json_object_get(json, "marking"));
	if (rc == WF_OK)
		rc = read_join(&r, json_object_get(json, "orjoin"));
	wf_map_free(&r.conditions);
	wf_map_free(&r.tasks);
	return rc;
}
