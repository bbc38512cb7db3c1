/* SPDX-License-Identifier: Apache-2.0 */
/* The store contract: figures (see store.c). */
#include <string.h>

#include "base/panic.h"
#include "persistence/backend.h"

enum wf_rc wf_store_move_fold(struct wf_store *store,
    const struct wf_fold_row *row, const struct wf_statistic_row *rows,
    size_t count, struct wf_error *err)
{
	wf_store_check_idle(store);
	wf_assert(row->change > 0);
	return store->ops->move_fold(store, row, rows, count, err);
}

enum wf_rc wf_store_fold(struct wf_store *store, const char *name,
    struct wf_arena *arena, struct wf_fold_row *row_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	*row_out = (struct wf_fold_row){ .name = name, .owner = "" };
	return store->ops->fold(store, name, arena, row_out, err);
}

enum wf_rc wf_store_keyed_statistics(struct wf_store *store,
    const struct wf_statistic_row *keys, size_t count, struct wf_arena *arena,
    struct wf_statistic_list *list_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	memset(list_out, 0, sizeof(*list_out));
	return count == 0 ? WF_OK
			  : store->ops->keyed_statistics(
				store, keys, count, arena, list_out, err);
}

enum wf_rc wf_store_statistics(struct wf_store *store,
    const struct wf_statistic_filter *filter, struct wf_arena *arena,
    struct wf_statistic_list *list_out, struct wf_error *err)
{
	/* Before the first hour. */
	const struct wf_statistic_row none = {
		.hour = filter->from - 1, .net = "", .element = "", .detail = ""
	};
	struct wf_statistic_filter whole = *filter;

	wf_store_check_idle(store);
	wf_assert(filter->limit > 0 && filter->from > INT64_MIN);
	memset(list_out, 0, sizeof(*list_out));
	if (whole.after == NULL)
		whole.after = &none;
	return store->ops->statistics(store, &whole, arena, list_out, err);
}

enum wf_rc wf_store_sweep_statistics(
    struct wf_store *store, int64_t before, size_t limit, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->sweep_statistics(store, before, limit, err);
}

enum wf_rc wf_store_count_items(struct wf_store *store, uint64_t maximum,
    struct wf_arena *arena, struct wf_item_count_list *list_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	memset(list_out, 0, sizeof(*list_out));
	return store->ops->count_items(store, maximum, arena, list_out, err);
}

enum wf_rc wf_store_figures(struct wf_store *store, uint32_t namespace_id,
    int64_t now, uint64_t maximum, struct wf_store_figures *figures_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	wf_assert(maximum > 0 && maximum <= INT64_MAX);
	return store->ops->figures(
	    store, namespace_id, now, maximum, figures_out, err);
}

enum wf_rc wf_store_count_cases(struct wf_store *store,
    const struct wf_case_counting *counting, struct wf_case_counts *counts_out,
    bool *all_out, struct wf_error *err)
{
	size_t count = counting->specifications->count;

	wf_store_check_idle(store);
	wf_assert(counting->maximum > 0 && counting->maximum <= INT64_MAX);
	memset(counts_out, 0, count * sizeof(*counts_out));
	*all_out = true;
	return count == 0 ? WF_OK
			  : store->ops->count_cases(
				store, counting, counts_out, all_out, err);
}

enum wf_rc wf_store_count_service(struct wf_store *store, uint32_t namespace_id,
    const char *service, uint64_t maximum, struct wf_service_counts *counts_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	wf_assert(maximum > 0 && maximum <= INT64_MAX);
	return store->ops->count_service(
	    store, namespace_id, service, maximum, counts_out, err);
}

enum wf_rc wf_store_waiting_items(struct wf_store *store,
    const struct wf_waiting_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	wf_assert(filter->limit > 0);
	list_out->count = 0;
	return store->ops->waiting_items(store, filter, arena, list_out, err);
}

enum wf_rc wf_store_measure(struct wf_store *store, struct wf_arena *arena,
    struct wf_store_measure *measure_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	memset(measure_out, 0, sizeof(*measure_out));
	return store->ops->measure(store, arena, measure_out, err);
}
