/* SPDX-License-Identifier: Apache-2.0 */
/* The store in memory: what operations did to cases. */
#include "persistence/memory/memory_priv.h"

enum wf_rc wf_memory_put_outcomes(struct wf_store *store,
    const struct wf_outcome_row *rows, size_t count, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < count; i++) {
		const struct wf_outcome_row *old =
		    wf_table_find(&m->outcomes, &rows[i]);

		if (old == NULL || old->code != WF_OK)
			wf_table_put(&m->outcomes, &rows[i]);
	}
	return wf_memory_leave(store, true, WF_OK, err);
}

static bool is_wanted(
    const struct wf_outcome_filter *filter, const struct wf_outcome_row *row)
{
	return (!filter->refused || row->code != 0) &&
	       (!filter->done || row->code == 0);
}

enum wf_rc wf_memory_outcomes(struct wf_store *store,
    const struct wf_outcome_filter *filter, struct wf_arena *arena,
    struct wf_outcome_list *list_out, struct wf_error *err)
{
	const struct wf_outcome_row last = { .operation = filter->operation,
		.number = filter->after_number,
		.subject = filter->after_subject };
	struct memory_found found = { 0 };
	struct memory *m;
	size_t i;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	i = wf_table_position(&m->outcomes, &last);
	if (wf_table_find(&m->outcomes, &last) != NULL)
		i++;
	for (; i < m->outcomes.count && found.count < filter->limit; i++) {
		const struct wf_outcome_row *row = m->outcomes.rows[i];

		if (row->operation != filter->operation)
			break;
		if (is_wanted(filter, row))
			wf_memory_add(&found, row);
	}
	list_out->rows =
	    wf_memory_give(&found, &wf_layout_outcome, arena, &list_out->count);
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_remove_outcomes(struct wf_store *store, uint64_t operation,
    size_t limit, size_t *count_out, struct wf_error *err)
{
	const struct wf_outcome_row first = { .operation = operation,
		.subject = "" };
	struct memory *m;
	size_t at;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	at = wf_table_position(&m->outcomes, &first);
	while (*count_out < limit && at < m->outcomes.count) {
		const struct wf_outcome_row *row = m->outcomes.rows[at];

		if (row->operation != operation)
			break;
		wf_table_remove(&m->outcomes, row);
		++*count_out;
	}
	return wf_memory_leave(store, true, WF_OK, err);
}
