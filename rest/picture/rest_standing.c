/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the running cases of a specification stand now: its live items, by
 * task.  A bounded number of items is examined, in the order of their cases.
 */
#include <string.h>

#include "base/map.h"
#include "data/json_fields.h"
#include "rest/rest.h"

#define PAGE_ROWS 1000U
#define STATUSES (WF_ITEM_SUSPENDED + 1U)

struct standing_task {
	const char *id;
	uint64_t last; /* the case of its latest item */
	uint32_t cases;
	uint32_t items[STATUSES];
	int64_t oldest; /* when the first of its items was enabled */
};

struct standing {
	struct wf_arena *arena;
	struct wf_map *by_id; /* number + 1, as a pointer */
	struct standing_task *tasks;
	size_t count;
	size_t capacity;
	uint64_t last;
	uint32_t cases;
	uint32_t examined;
};

static struct standing_task *find_task(struct standing *s, const char *id)
{
	uintptr_t number = (uintptr_t)wf_map_get(s->by_id, id);

	if (number == 0) {
		s->tasks = wf_arena_grow(s->arena, s->tasks, s->count,
		    &s->capacity, sizeof(*s->tasks));
		id = wf_arena_strdup(s->arena, id);
		s->tasks[s->count] = (struct standing_task){ .id = id };
		number = ++s->count;
		(void)wf_map_add(s->by_id, id, (void *)number);
	}
	return &s->tasks[number - 1];
}

/* Rows come in the order of their cases. */
static void add_item(struct standing *s, const struct wf_item_row *row)
{
	struct standing_task *task = find_task(s, row->task);

	s->cases += s->last != row->number;
	s->last = row->number;
	task->cases += task->last != row->number;
	task->last = row->number;
	if (row->status < STATUSES)
		task->items[row->status]++;
	if (task->oldest == 0 || row->enabled_at < task->oldest)
		task->oldest = row->enabled_at;
	s->examined++;
}

/* Reads the next items; *more_out: there may be others. */
static enum wf_rc read_page(struct standing *s, struct wf_store *store,
    struct wf_item_filter *filter, bool *more_out, struct wf_error *err)
{
	struct wf_arena *page = wf_arena_new();
	struct wf_item_list list = { .count = 0 };
	enum wf_rc rc = wf_store_items(store, filter, page, &list, err);

	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		add_item(s, &list.rows[i]);
	*more_out = rc == WF_OK && list.count == filter->limit;
	if (*more_out) {
		filter->after_number = list.rows[list.count - 1].number;
		filter->after_id =
		    wf_arena_strdup(s->arena, list.rows[list.count - 1].id);
	}
	wf_arena_free(&page);
	return rc;
}

static json_t *task_json(const struct standing_task *task)
{
	json_t *object = json_object();
	uint32_t items = 0;

	json_object_set_new(object, "task", json_string(task->id));
	json_object_set_new(object, "cases", json_integer(task->cases));
	for (unsigned i = 0; i < STATUSES; i++) {
		json_t *name = wf_json_lower_case(
		    wf_item_status_name((enum wf_item_status)i));

		items += task->items[i];
		if (task->items[i] > 0)
			json_object_set_new(object, json_string_value(name),
			    json_integer(task->items[i]));
		json_decref(name);
	}
	json_object_set_new(object, "items", json_integer(items));
	wf_json_put_time(object, "oldest", task->oldest);
	return object;
}

static void answer(
    struct wf_rest *rest, const struct standing *s, uint64_t key, bool complete)
{
	json_t *object = json_object();
	json_t *tasks = json_array();

	for (size_t i = 0; i < s->count; i++)
		json_array_append_new(tasks, task_json(&s->tasks[i]));
	wf_json_put_key(object, "specification", key);
	wf_json_put_time(object, "time", wf_engine_now(rest->server->engine));
	json_object_set_new(object, "complete", json_boolean(complete));
	json_object_set_new(object, "cases", json_integer(s->cases));
	json_object_set_new(object, "tasks", tasks);
	wf_rest_answer(rest, 200, object);
}

void wf_rest_show_standing(struct wf_rest *rest)
{
	struct wf_item_filter filter = { .namespace_id =
					     rest->account.namespace_id };
	struct standing standing = { .arena = rest->arena };
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	bool more = true;
	uint64_t key;
	enum wf_rc rc = WF_OK;

	if (!wf_rest_specification(rest, rest->parts[0], &key))
		return;
	if (wf_engine_inspect_spec(rest->server->engine, filter.namespace_id,
		key, false, NULL, NULL, &err) != WF_OK) {
		wf_rest_fail(rest, &err);
		return;
	}
	if (!wf_rest_borrow(rest, &store))
		return;
	filter.specifications = wf_one_specification(&key);
	filter.limit = PAGE_ROWS;
	standing.by_id = wf_map_new();
	while (rc == WF_OK && more && standing.examined < WF_STANDING_ITEMS)
		rc = read_page(&standing, store, &filter, &more, &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		answer(rest, &standing, key, !more);
	wf_map_free(&standing.by_id);
}
