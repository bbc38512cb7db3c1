/* SPDX-License-Identifier: Apache-2.0 */
/* The store in memory: what there is now of a namespace. */
#include <string.h>

#include "persistence/memory/memory_priv.h"

static void raise(uint64_t *count, bool by, uint64_t maximum)
{
	if (by && *count < maximum)
		(*count)++;
}

static void count_items(const struct memory *m, uint32_t namespace_id,
    int64_t now, uint64_t maximum, struct wf_store_figures *figures)
{
	for (size_t i = 0; i < m->items.count; i++) {
		const struct wf_item_row *row = m->items.rows[i];

		if (row->namespace_id != namespace_id || row->queue[0] == '\0')
			continue;
		raise(&figures->waiting, true, maximum);
		raise(&figures->late, row->due_at < now, maximum);
	}
}

enum wf_rc wf_memory_figures(struct wf_store *store, uint32_t namespace_id,
    int64_t now, uint64_t maximum, struct wf_store_figures *figures_out,
    struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	*figures_out = (struct wf_store_figures){ .running = 0 };
	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < m->cases.count; i++) {
		const struct memory_case *row = m->cases.rows[i];

		raise(&figures_out->running,
		    !row->ended && row->row.namespace_id == namespace_id,
		    maximum);
	}
	count_items(m, namespace_id, now, maximum, figures_out);
	return wf_memory_leave(store, false, WF_OK, err);
}

static void count_case(const struct memory *m, const struct memory_case *row,
    uint64_t maximum, struct wf_case_counts *counts)
{
	raise(&counts->in[row->row.status], true, maximum);
	counts->incidents += wf_memory_has_incident(m, row->row.number, NULL);
}

/* All cases with incidents are counted, however many there are. */
enum wf_rc wf_memory_count_cases(struct wf_store *store,
    const struct wf_case_counting *counting, struct wf_case_counts *counts_out,
    bool *all_out, struct wf_error *err)
{
	const struct wf_specification_keys *keys = counting->specifications;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	(void)all_out;
	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < m->cases.count; i++) {
		const struct memory_case *row = m->cases.rows[i];

		for (size_t k = 0; k < keys->count; k++)
			if (row->row.namespace_id == counting->namespace_id &&
			    row->row.specification == keys->keys[k])
				count_case(
				    m, row, counting->maximum, &counts_out[k]);
	}
	return wf_memory_leave(store, false, WF_OK, err);
}

/* The order in which items are leased. */
static bool is_leased_before(
    const struct wf_item_row *a, const struct wf_item_row *b)
{
	if (a->not_before != b->not_before)
		return a->not_before < b->not_before;
	return a->enabled_at < b->enabled_at;
}

enum wf_rc wf_memory_count_service(struct wf_store *store,
    uint32_t namespace_id, const char *service, uint64_t maximum,
    struct wf_service_counts *counts_out, struct wf_error *err)
{
	const struct wf_item_row *first = NULL;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	*counts_out = (struct wf_service_counts){ .oldest = INT64_MAX };
	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < m->items.count; i++) {
		const struct wf_item_row *row = m->items.rows[i];

		if (row->namespace_id != namespace_id ||
		    strcmp(row->service, service) != 0)
			continue;
		raise(&counts_out->free, row->lease_until == 0, maximum);
		raise(&counts_out->leased, row->lease_until > 0, maximum);
		if (row->lease_until == 0 &&
		    (first == NULL || is_leased_before(row, first)))
			first = row;
	}
	if (first != NULL)
		counts_out->oldest = first->enabled_at;
	return wf_memory_leave(store, false, WF_OK, err);
}

/* --- lists ---------------------------------------------------------------- */

static int compare_ids(const struct wf_item_row *a, const struct wf_item_row *b)
{
	return a->number != b->number ? WF_COMPARE(a->number, b->number)
				      : strcmp(a->id, b->id);
}

static int compare_enabled(const void *a, const void *b)
{
	const struct wf_item_row *x = *(const struct wf_item_row *const *)a;
	const struct wf_item_row *y = *(const struct wf_item_row *const *)b;

	return x->enabled_at != y->enabled_at
		   ? WF_COMPARE(x->enabled_at, y->enabled_at)
		   : compare_ids(x, y);
}

static int compare_due(const void *a, const void *b)
{
	const struct wf_item_row *x = *(const struct wf_item_row *const *)a;
	const struct wf_item_row *y = *(const struct wf_item_row *const *)b;

	return x->due_at != y->due_at ? WF_COMPARE(x->due_at, y->due_at)
				      : compare_ids(x, y);
}

enum wf_rc wf_memory_waiting_items(struct wf_store *store,
    const struct wf_waiting_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err)
{
	struct memory_found found = { 0 };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < m->items.count; i++) {
		const struct wf_item_row *row = m->items.rows[i];

		if (row->namespace_id == filter->namespace_id &&
		    row->queue[0] != '\0' &&
		    (filter->due_before == 0 ||
			row->due_at < filter->due_before))
			wf_memory_add(&found, row);
	}
	wf_memory_sort(&found,
	    filter->due_before != 0 ? compare_due : compare_enabled,
	    filter->limit);
	wf_memory_give_items(&found, arena, list_out);
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_measure(struct wf_store *store, struct wf_arena *arena,
    struct wf_store_measure *measure_out, struct wf_error *err)
{
	(void)store;
	(void)arena;
	(void)err;
	measure_out->program = "memory";
	return WF_OK;
}
