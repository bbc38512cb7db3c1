/* SPDX-License-Identifier: Apache-2.0 */
/* The store in PostgreSQL: folds of the history, and what they have counted. */
#include "persistence/postgresql/postgresql_priv.h"

static void put_array(struct pg_store *s, const struct wf_row_layout *layout,
    const struct wf_statistic_row *rows, size_t count)
{
	const void **pointers = wf_calloc(count, sizeof(*pointers));

	for (size_t i = 0; i < count; i++)
		pointers[i] = &rows[i];
	wf_pg_array(s, layout, pointers, count);
	wf_free(pointers);
}

enum wf_rc wf_pg_move_fold(struct wf_store *store,
    const struct wf_fold_row *row, const struct wf_statistic_row *rows,
    size_t count, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(MOVE_FOLD));
	wf_pg_row(s, &wf_layout_fold, row);
	put_array(s, &wf_layout_statistic, rows, count);
	rc = wf_pg_run(s, PG_COMMIT, err);
	if (rc == WF_OK && wf_pg_get_number(s, 0, 0, 0) == 0)
		rc = wf_fail_fold(err, row->name);
	return rc;
}

enum wf_rc wf_pg_fold(struct wf_store *store, const char *name,
    struct wf_arena *arena, struct wf_fold_row *row_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(FOLD));
	wf_pg_text(s, name);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK && wf_pg_count(s, 0) > 0)
		wf_pg_read(s, 0, 0, 0, &wf_layout_fold, row_out, arena);
	return rc;
}

enum wf_rc wf_pg_keyed_statistics(struct wf_store *store,
    const struct wf_statistic_row *keys, size_t count, struct wf_arena *arena,
    struct wf_statistic_list *list_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(KEYED_STATISTICS));
	put_array(s, &wf_pg_layout_statistic_key, keys, count);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		list_out->rows = wf_pg_read_all(
		    s, 0, &wf_layout_statistic, arena, &list_out->count);
	return rc;
}

enum wf_rc wf_pg_statistics(struct wf_store *store,
    const struct wf_statistic_filter *filter, struct wf_arena *arena,
    struct wf_statistic_list *list_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	const struct wf_statistic_row *after = filter->after;
	enum wf_rc rc;

	wf_pg_call(s, SQL(STATISTICS));
	wf_pg_integer(s, filter->namespace_id);
	wf_pg_number(s, filter->specification);
	wf_pg_number(s, (uint64_t)filter->from);
	wf_pg_number(s, (uint64_t)filter->to);
	wf_pg_integer(s, filter->measure);
	wf_pg_number(s, (uint64_t)after->hour);
	wf_pg_text(s, after->net);
	wf_pg_text(s, after->element);
	wf_pg_text(s, after->detail);
	wf_pg_number(s, wf_pg_limit(filter->limit));
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		list_out->rows = wf_pg_read_all(
		    s, 0, &wf_layout_statistic, arena, &list_out->count);
	return rc;
}

enum wf_rc wf_pg_sweep_statistics(
    struct wf_store *store, int64_t before, size_t limit, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	wf_pg_call(s, SQL(SWEEP_STATISTICS));
	wf_pg_number(s, (uint64_t)before);
	wf_pg_number(s, wf_pg_limit(limit));
	return wf_pg_run(s, PG_COMMIT, err);
}

enum wf_rc wf_pg_count_items(struct wf_store *store, uint64_t maximum,
    struct wf_arena *arena, struct wf_item_count_list *list_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(COUNT_ITEMS));
	wf_pg_number(s, maximum);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc != WF_OK)
		return rc;
	list_out->count = wf_pg_count(s, 0);
	list_out->rows =
	    wf_arena_array(arena, list_out->count, sizeof(*list_out->rows));
	for (size_t i = 0; i < list_out->count; i++) {
		struct wf_bytes task = wf_pg_get_bytes(s, 0, i, 2, arena);

		list_out->rows[i] = (struct wf_item_count){
			.namespace_id = (uint32_t)wf_pg_get_number(s, 0, i, 0),
			.specification = wf_pg_get_number(s, 0, i, 1),
			.task = wf_arena_strndup(arena, task.data, task.size),
			.status = (uint32_t)wf_pg_get_number(s, 0, i, 3),
			.items = wf_pg_get_number(s, 0, i, 4),
			.oldest = (int64_t)wf_pg_get_number(s, 0, i, 5),
		};
	}
	return WF_OK;
}
