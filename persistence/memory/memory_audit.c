/* SPDX-License-Identifier: Apache-2.0 */
/* The store in memory: the audit. */
#include <string.h>

#include "persistence/memory/memory_priv.h"

enum wf_rc wf_memory_add_audit(struct wf_store *store,
    const struct wf_audit_row *rows, size_t count, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < count && rc == WF_OK; i++)
		if (wf_table_find(&m->audit, &rows[i]) != NULL)
			rc = wf_fail_audit(err);
	for (size_t i = 0; i < count && rc == WF_OK; i++)
		wf_table_put(&m->audit, &rows[i]);
	return wf_memory_leave(store, true, rc, err);
}

static bool is_wanted(
    const struct wf_audit_filter *filter, const struct wf_audit_row *row)
{
	return (filter->namespace_id == 0 || row->namespace_id == 0 ||
		   row->namespace_id == filter->namespace_id) &&
	       (filter->account == NULL ||
		   strcmp(filter->account, row->account) == 0) &&
	       (filter->kind == NULL || strcmp(filter->kind, row->kind) == 0) &&
	       row->at >= filter->from &&
	       (filter->to == 0 || row->at < filter->to) &&
	       (filter->after == 0 || row->id < filter->after);
}

enum wf_rc wf_memory_audit(struct wf_store *store,
    const struct wf_audit_filter *filter, struct wf_arena *arena,
    struct wf_audit_list *list_out, struct wf_error *err)
{
	struct memory_found found = { 0 };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = m->audit.count; i-- > 0 && found.count < filter->limit;)
		if (is_wanted(filter, m->audit.rows[i]))
			wf_memory_add(&found, m->audit.rows[i]);
	list_out->rows =
	    wf_memory_give(&found, &wf_layout_audit, arena, &list_out->count);
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_sweep_audit(
    struct wf_store *store, int64_t before, size_t limit, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < m->audit.count && limit > 0;) {
		const struct wf_audit_row *row = m->audit.rows[i];

		if (row->at < before) {
			wf_table_remove(&m->audit, row);
			limit--;
		} else {
			i++;
		}
	}
	return wf_memory_leave(store, true, WF_OK, err);
}
