/* SPDX-License-Identifier: Apache-2.0 */
/* The store in memory: folds of the history, and what they have counted. */
#include <string.h>

#include "persistence/memory/memory_priv.h"

enum wf_rc wf_memory_move_fold(struct wf_store *store,
    const struct wf_fold_row *row, const struct wf_statistic_row *rows,
    size_t count, struct wf_error *err)
{
	const struct wf_fold_row *before;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	before = wf_table_find(&m->folds, row);
	if (before != NULL && before->change + 1 != row->change) {
		rc = wf_fail_fold(err, row->name);
		return wf_memory_leave(store, false, rc, err);
	}
	wf_table_put(&m->folds, row);
	for (size_t i = 0; i < count; i++)
		wf_table_put(&m->statistics, &rows[i]);
	return wf_memory_leave(store, true, WF_OK, err);
}

enum wf_rc wf_memory_fold(struct wf_store *store, const char *name,
    struct wf_arena *arena, struct wf_fold_row *row_out, struct wf_error *err)
{
	const struct wf_fold_row key = { .name = name };
	struct memory_found found = { 0 };
	const struct wf_fold_row *row;
	struct memory *m;
	size_t count;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	row = wf_table_find(&m->folds, &key);
	if (row != NULL) {
		wf_memory_add(&found, row);
		row = wf_memory_give(&found, &wf_layout_fold, arena, &count);
		*row_out = *row;
	}
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_keyed_statistics(struct wf_store *store,
    const struct wf_statistic_row *keys, size_t count, struct wf_arena *arena,
    struct wf_statistic_list *list_out, struct wf_error *err)
{
	struct memory_found found = { 0 };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < count; i++) {
		const void *row = wf_table_find(&m->statistics, &keys[i]);

		if (row != NULL)
			wf_memory_add(&found, row);
	}
	list_out->rows = wf_memory_give(
	    &found, &wf_layout_statistic, arena, &list_out->count);
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_statistics(struct wf_store *store,
    const struct wf_statistic_filter *filter, struct wf_arena *arena,
    struct wf_statistic_list *list_out, struct wf_error *err)
{
	struct wf_statistic_row last = *filter->after;
	struct memory_found found = { 0 };
	struct memory *m;
	size_t i;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	last.namespace_id = filter->namespace_id;
	last.specification = filter->specification;
	last.measure = filter->measure;
	i = wf_table_position(&m->statistics, &last);
	if (wf_table_find(&m->statistics, &last) != NULL)
		i++;
	for (; i < m->statistics.count && found.count < filter->limit; i++) {
		const struct wf_statistic_row *row = m->statistics.rows[i];

		if (row->namespace_id != last.namespace_id ||
		    row->specification != last.specification ||
		    row->measure != last.measure || row->hour >= filter->to)
			break;
		if (row->hour >= filter->from)
			wf_memory_add(&found, row);
	}
	list_out->rows = wf_memory_give(
	    &found, &wf_layout_statistic, arena, &list_out->count);
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_sweep_statistics(
    struct wf_store *store, int64_t before, size_t limit, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = m->statistics.count; i-- > 0 && limit > 0;) {
		const struct wf_statistic_row *row = m->statistics.rows[i];

		if (row->hour >= before)
			continue;
		wf_table_remove(&m->statistics, row);
		limit--;
	}
	return wf_memory_leave(store, true, WF_OK, err);
}

static struct wf_item_count *count_of(struct wf_item_count_list *list,
    size_t *capacity, const struct wf_item_row *row, struct wf_arena *arena)
{
	struct wf_item_count *count;

	for (size_t i = 0; i < list->count; i++) {
		count = &list->rows[i];
		if (count->namespace_id == row->namespace_id &&
		    count->specification == row->specification &&
		    count->status == row->status &&
		    strcmp(count->task, row->task) == 0)
			return count;
	}
	list->rows = wf_arena_grow(
	    arena, list->rows, list->count, capacity, sizeof(*list->rows));
	count = &list->rows[list->count++];
	*count = (struct wf_item_count){ .namespace_id = row->namespace_id,
		.specification = row->specification,
		.task = wf_arena_strdup(arena, row->task),
		.status = row->status,
		.oldest = row->enabled_at };
	return count;
}

enum wf_rc wf_memory_count_items(struct wf_store *store, uint64_t maximum,
    struct wf_arena *arena, struct wf_item_count_list *list_out,
    struct wf_error *err)
{
	struct memory *m;
	size_t capacity = 0;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < m->items.count && i < maximum; i++) {
		const struct wf_item_row *row = m->items.rows[i];
		struct wf_item_count *count =
		    count_of(list_out, &capacity, row, arena);

		count->items++;
		if (row->enabled_at < count->oldest)
			count->oldest = row->enabled_at;
	}
	return wf_memory_leave(store, false, WF_OK, err);
}
