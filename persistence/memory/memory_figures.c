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
		if (row->enabled_at < figures->oldest)
			figures->oldest = row->enabled_at;
	}
}

enum wf_rc wf_memory_figures(struct wf_store *store, uint32_t namespace_id,
    int64_t now, uint64_t maximum, struct wf_store_figures *figures_out,
    struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	*figures_out = (struct wf_store_figures){ .oldest = INT64_MAX };
	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < m->cases.count; i++) {
		const struct memory_case *row = m->cases.rows[i];

		raise(&figures_out->running,
		    !row->ended && row->row.namespace_id == namespace_id,
		    maximum);
	}
	count_items(m, namespace_id, now, maximum, figures_out);
	for (size_t i = 0; i < m->incidents.count; i++) {
		const struct wf_incident_row *row = m->incidents.rows[i];

		raise(&figures_out->incidents,
		    row->dropped_at == 0 && row->namespace_id == namespace_id,
		    maximum);
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

static bool is_before(const struct wf_waiting_filter *filter,
    const struct wf_item_row *a, const struct wf_item_row *b)
{
	int64_t x = filter->due_before != 0 ? a->due_at : a->enabled_at;
	int64_t y = filter->due_before != 0 ? b->due_at : b->enabled_at;

	if (x != y)
		return x < y;
	if (a->number != b->number)
		return a->number < b->number;
	return strcmp(a->id, b->id) < 0;
}

/* Puts the row into its place among the first ones. */
static void keep(const struct wf_waiting_filter *filter,
    struct memory_found *found, const struct wf_item_row *row)
{
	size_t at = found->count;

	wf_memory_add(found, row);
	for (; at > 0 && is_before(filter, row, found->rows[at - 1]); at--)
		found->rows[at] = found->rows[at - 1];
	found->rows[at] = row;
	if (found->count > filter->limit)
		found->count = filter->limit;
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
			keep(filter, &found, row);
	}
	wf_memory_give_items(&found, arena, list_out);
	return wf_memory_leave(store, false, WF_OK, err);
}
