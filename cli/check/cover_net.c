/* SPDX-License-Identifier: Apache-2.0 */
/* From ids, in any order, to the dense numbers of a net. */
#include "cli/check/cover_net.h"

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

static enum wf_rc fail(
    struct reader *r, const struct wf_json *at, const char *expected)
{
	const char *id = r->into->id == NULL ? "?" : r->into->id;
	enum wf_rc rc =
	    wf_fail(r->err, WF_INVALID, "case %s: expected %s", id, expected);

	if (at != NULL && r->err->place.line == 0)
		r->err->place.line = at->line;
	return rc;
}

static enum wf_rc fail_id(
    struct reader *r, const struct wf_json *at, const char *what)
{
	char expected[200];

	snprintf(expected, sizeof(expected), "%s, not \"%.100s\"", what,
	    at->text == NULL ? "" : at->text);
	return fail(r, at, expected);
}

static bool is_array(const struct wf_json *json)
{
	return json != NULL && json->kind == WF_JSON_ARRAY &&
	       json->count <= ELEMENTS_MAXIMUM;
}

static bool is_string(const struct wf_json *json)
{
	return json != NULL && json->kind == WF_JSON_STRING;
}

/* --- Elements, in the order of their ids --- */

static int by_id(const void *a, const void *b)
{
	const struct wf_json *x = *(const struct wf_json *const *)a;
	const struct wf_json *y = *(const struct wf_json *const *)b;

	return strcmp(x->text, y->text);
}

/* items[i] has its id in text; sorted into an array of pointers. */
static const struct wf_json **sorted(
    struct reader *r, const struct wf_json *items, size_t count)
{
	const struct wf_json **order =
	    wf_arena_array(r->arena, count + 1, sizeof(*order));

	for (size_t i = 0; i < count; i++)
		order[i] = &items[i];
	qsort(order, count, sizeof(*order), by_id);
	return order;
}

static enum wf_rc read_conditions(struct reader *r, const struct wf_json *json)
{
	struct wf_net *net = r->net;
	const struct wf_json **order;

	if (!is_array(json))
		return fail(r, json, "\"conditions\", an array");
	for (size_t i = 0; i < json->count; i++)
		if (!is_string(&json->items[i]))
			return fail(r, &json->items[i], "ids of conditions");
	order = sorted(r, json->items, json->count);
	net->condition_count = (uint32_t)json->count;
	net->conditions =
	    wf_arena_array(r->arena, json->count + 1, sizeof(*net->conditions));
	for (uint32_t i = 0; i < net->condition_count; i++) {
		struct wf_condition *c = &net->conditions[i];

		c->id = order[i]->text;
		c->number = i;
		if (!wf_map_add(r->conditions, c->id, c))
			return fail_id(r, order[i], "different ids");
	}
	return WF_OK;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static enum wf_rc read_numbers(struct reader *r, const struct wf_json *json,
    const uint32_t **numbers_out, uint32_t *count_out)
{
	uint32_t *numbers;

	if (!is_array(json) || json->count == 0)
		return fail(r, json, "\"pre\" and \"post\", arrays");
	numbers = wf_arena_array(r->arena, json->count, sizeof(*numbers));
	for (size_t i = 0; i < json->count; i++) {
		const struct wf_json *item = &json->items[i];
		const struct wf_condition *c =
		    is_string(item) ? wf_map_get(r->conditions, item->text)
				    : NULL;

		if (c == NULL)
			return fail_id(r, item, "the id of a condition");
		numbers[i] = c->number;
	}
	*count_out = (uint32_t)json->count;
	qsort(numbers, json->count, sizeof(*numbers), by_number);
	for (uint32_t i = 1; i < *count_out; i++)
		if (numbers[i - 1] == numbers[i])
			return fail(r, json, "each condition once");
	*numbers_out = numbers;
	return WF_OK;
}

static enum wf_rc read_control(
    struct reader *r, const struct wf_json *json, enum wf_control *control_out)
{
	static const char *const names[] = { "and", "xor", "or" };

	for (size_t i = 0; is_string(json) && i < 3; i++)
		if (strcmp(json->text, names[i]) == 0) {
			*control_out = (enum wf_control)i;
			return WF_OK;
		}
	return fail(r, json, "\"and\", \"xor\" or \"or\"");
}

static enum wf_rc read_cancelled(
    struct reader *r, const struct wf_json *json, struct wf_task *task)
{
	uint32_t *conditions;
	uint32_t *tasks;

	if (json == NULL)
		return WF_OK;
	if (!is_array(json))
		return fail(r, json, "\"cancel\", an array");
	conditions = wf_arena_array(r->arena, json->count, sizeof(uint32_t));
	tasks = wf_arena_array(r->arena, json->count, sizeof(uint32_t));
	for (size_t i = 0; i < json->count; i++) {
		const struct wf_json *item = &json->items[i];
		const struct wf_condition *c = NULL;
		const struct wf_task *t = NULL;

		if (is_string(item)) {
			c = wf_map_get(r->conditions, item->text);
			t = wf_map_get(r->tasks, item->text);
		}
		if (c != NULL)
			conditions[task->cancelled_condition_count++] =
			    c->number;
		else if (t != NULL)
			tasks[task->cancelled_task_count++] = t->number;
		else
			return fail_id(r, item, "an id of the net");
	}
	qsort(conditions, task->cancelled_condition_count, sizeof(uint32_t),
	    by_number);
	qsort(tasks, task->cancelled_task_count, sizeof(uint32_t), by_number);
	task->cancelled_conditions = conditions;
	task->cancelled_tasks = tasks;
	return WF_OK;
}

/* --- The net --- */

/* A copy of the tasks, each with its id as text, so that they can be sorted. */
static enum wf_rc list_tasks(
    struct reader *r, const struct wf_json *json, struct wf_json **list_out)
{
	struct wf_json *list;

	if (!is_array(json))
		return fail(r, json, "\"tasks\", an array");
	list = wf_arena_array(r->arena, json->count + 1, sizeof(*list));
	for (size_t i = 0; i < json->count; i++) {
		const struct wf_json *id =
		    wf_json_member(&json->items[i], "id");

		if (!is_string(id))
			return fail(
			    r, &json->items[i], "tasks, each with an \"id\"");
		list[i] = json->items[i];
		list[i].text = id->text;
	}
	*list_out = list;
	return WF_OK;
}

static enum wf_rc read_task(
    struct reader *r, const struct wf_json *json, struct wf_task *task)
{
	enum wf_rc rc =
	    read_control(r, wf_json_member(json, "join"), &task->join);

	if (rc == WF_OK)
		rc = read_control(
		    r, wf_json_member(json, "split"), &task->split);
	if (rc == WF_OK)
		rc = read_numbers(r, wf_json_member(json, "pre"), &task->preset,
		    &task->preset_count);
	if (rc == WF_OK)
		rc = read_numbers(r, wf_json_member(json, "post"),
		    &task->postset, &task->postset_count);
	if (rc == WF_OK)
		rc = read_cancelled(r, wf_json_member(json, "cancel"), task);
	return rc;
}

static enum wf_rc read_tasks(struct reader *r, const struct wf_json *json)
{
	struct wf_net *net = r->net;
	const struct wf_json **order;
	struct wf_json *list = NULL;
	enum wf_rc rc = list_tasks(r, json, &list);

	if (rc != WF_OK)
		return rc;
	order = sorted(r, list, json->count);
	net->task_count = (uint32_t)json->count;
	net->tasks =
	    wf_arena_array(r->arena, json->count + 1, sizeof(*net->tasks));
	for (uint32_t i = 0; i < net->task_count; i++) {
		struct wf_task *task = &net->tasks[i];

		task->kind = WF_ATOMIC_TASK;
		task->net = net;
		task->id = order[i]->text;
		task->number = i;
		if (!wf_map_add(r->tasks, task->id, task) ||
		    wf_map_get(r->conditions, task->id) != NULL)
			return fail_id(r, order[i], "different ids");
	}
	for (uint32_t i = 0; i < net->task_count && rc == WF_OK; i++)
		rc = read_task(r, order[i], &net->tasks[i]);
	return rc;
}

static enum wf_rc read_end(
    struct reader *r, const struct wf_json *json, uint32_t *number_out)
{
	const struct wf_condition *c =
	    is_string(json) ? wf_map_get(r->conditions, json->text) : NULL;

	if (c == NULL)
		return fail(
		    r, json, "\"input\" and \"output\", ids of conditions");
	*number_out = c->number;
	return WF_OK;
}

static enum wf_rc read_net(struct reader *r, const struct wf_json *json)
{
	enum wf_rc rc;

	if (json == NULL || json->kind != WF_JSON_OBJECT)
		return fail(r, json, "\"net\", an object");
	rc = read_conditions(r, wf_json_member(json, "conditions"));
	if (rc == WF_OK)
		rc = read_end(
		    r, wf_json_member(json, "input"), &r->net->input_condition);
	if (rc == WF_OK)
		rc = read_end(r, wf_json_member(json, "output"),
		    &r->net->output_condition);
	if (rc == WF_OK)
		rc = read_tasks(r, wf_json_member(json, "tasks"));
	return rc;
}

/* --- The question --- */

static enum wf_rc read_marking(struct reader *r, const struct wf_json *json)
{
	struct wf_cover_case *into = r->into;

	if (json == NULL || json->kind != WF_JSON_OBJECT)
		return fail(r, json, "\"marking\", an object");
	into->tokens = wf_arena_array(
	    r->arena, r->net->condition_count + 1, sizeof(uint32_t));
	into->busy = wf_arena_array(r->arena,
	    wf_bitset_words(r->net->task_count) + 1, sizeof(uint64_t));
	for (size_t i = 0; i < json->count; i++) {
		const struct wf_json *item = &json->items[i];
		const struct wf_condition *c =
		    wf_map_get(r->conditions, item->name);
		const struct wf_task *t = wf_map_get(r->tasks, item->name);
		uint32_t count;

		if (!wf_json_whole(item, TOKENS_MAXIMUM, &count))
			return fail(r, item, "a number of tokens");
		if (c != NULL)
			into->tokens[c->number] = count;
		else if (t != NULL && count <= 1)
			wf_bitset_put(into->busy, t->number, count == 1);
		else
			return fail(r, item,
			    "tokens of conditions, and 1 for a busy task");
	}
	return WF_OK;
}

static enum wf_rc read_join(struct reader *r, const struct wf_json *json)
{
	const struct wf_task *task =
	    is_string(json) ? wf_map_get(r->tasks, json->text) : NULL;

	if (task == NULL || task->join != WF_OR)
		return fail(r, json, "\"orjoin\", the id of an OR-join");
	if (wf_bitset_has(r->into->busy, task->number))
		return fail(r, json, "an OR-join that is not busy");
	r->into->task = task->number;
	return WF_OK;
}

enum wf_rc wf_cover_read_case(struct wf_cover_case *case_out,
    struct wf_arena *arena, const struct wf_json *json, struct wf_error *err)
{
	const struct wf_json *id = wf_json_member(json, "id");
	struct reader r = { .arena = arena, .into = case_out, .err = err };
	enum wf_rc rc;

	*case_out = (struct wf_cover_case){ .id = NULL };
	if (!is_string(id))
		return fail(&r, json, "cases, each with an \"id\"");
	case_out->id = id->text;
	r.net = case_out->net = wf_arena_alloc(arena, sizeof(*r.net));
	r.conditions = wf_map_new();
	r.tasks = wf_map_new();
	rc = read_net(&r, wf_json_member(json, "net"));
	if (rc == WF_OK)
		rc = read_marking(&r, wf_json_member(json, "marking"));
	if (rc == WF_OK)
		rc = read_join(&r, wf_json_member(json, "orjoin"));
	wf_map_free(&r.conditions);
	wf_map_free(&r.tasks);
	return rc;
}
