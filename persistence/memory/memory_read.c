/* SPDX-License-Identifier: Apache-2.0 */
/* The store in memory: cases and items as they are listed, and leases. */
#include "persistence/memory/memory_priv.h"

#include <stdlib.h>
#include <string.h>

/* --- cases ---------------------------------------------------------------- */

enum wf_rc wf_memory_find(struct wf_store *store, uint32_t namespace_id,
    const char *const *names, size_t count, uint64_t *numbers_out,
    struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < count; i++) {
		struct memory_name key = { namespace_id, names[i], 0 };
		const struct memory_name *row = wf_table_find(&m->names, &key);

		numbers_out[i] = row == NULL ? 0 : row->number;
	}
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_stored_case(struct wf_store *store, uint64_t number,
    bool state, struct wf_arena *arena, struct wf_stored_case *case_out,
    struct wf_error *err)
{
	const struct memory_case *row;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	row = wf_memory_case(m, number);
	if (row == NULL)
		rc = wf_missing(err, "case", number);
	else
		wf_memory_load(m, row, state, arena, case_out);
	return wf_memory_leave(store, false, rc, err);
}

static bool case_is_wanted(
    const struct wf_case_filter *filter, const struct memory_case *row)
{
	const struct wf_case_row *r = &row->row;

	if (filter->after != 0 &&
	    (filter->descending ? r->number >= filter->after
				: r->number <= filter->after))
		return false;
	if (filter->live != filter->ended && row->ended != filter->ended)
		return false;
	if (filter->namespace_id != 0 &&
	    r->namespace_id != filter->namespace_id)
		return false;
	return wf_is_specification(&filter->specifications, r->specification);
}

enum wf_rc wf_memory_cases(struct wf_store *store,
    const struct wf_case_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err)
{
	struct memory_found found = { 0 };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < m->cases.count && found.count < filter->limit;
	     i++) {
		size_t at = filter->descending ? m->cases.count - 1 - i : i;

		if (case_is_wanted(filter, m->cases.rows[at]))
			wf_memory_add(&found, m->cases.rows[at]);
	}
	list_out->count = found.count;
	list_out->rows =
	    wf_arena_array(arena, found.count, sizeof(*list_out->rows));
	for (size_t i = 0; i < found.count; i++)
		wf_memory_load(
		    m, found.rows[i], false, arena, &list_out->rows[i]);
	wf_free(found.rows);
	return wf_memory_leave(store, false, WF_OK, err);
}

/* --- items ---------------------------------------------------------------- */

static bool text_is_wanted(const char *wanted, const char *text)
{
	return wanted == NULL || strcmp(wanted, text) == 0;
}

static bool item_is_wanted(
    const struct wf_item_filter *filter, const struct wf_item_row *row)
{
	return (filter->namespace_id == 0 ||
		   row->namespace_id == filter->namespace_id) &&
	       (filter->number == 0 || row->number == filter->number) &&
	       wf_is_specification(
		   &filter->specifications, row->specification) &&
	       (filter->statuses == 0 ||
		   (filter->statuses >> row->status & 1) != 0) &&
	       (!filter->leased ||
		   (row->lease_until > 0 && row->started_at > 0)) &&
	       (filter->enabled_before == 0 ||
		   row->enabled_at < filter->enabled_before) &&
	       text_is_wanted(filter->task, row->task) &&
	       text_is_wanted(filter->service, row->service);
}

static bool item_is_after(
    const struct wf_item_filter *filter, const struct wf_item_row *row)
{
	if (row->number != filter->after_number)
		return row->number > filter->after_number;
	return strcmp(row->id, wf_text(filter->after_id)) > 0;
}

enum wf_rc wf_memory_items(struct wf_store *store,
    const struct wf_item_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err)
{
	const struct wf_item_row first = {
		.number = filter->number > filter->after_number
			      ? filter->number
			      : filter->after_number,
		.id = ""
	};
	struct memory_found found = { 0 };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = wf_table_position(&m->items, &first);
	     i < m->items.count && found.count < filter->limit; i++) {
		const struct wf_item_row *row = m->items.rows[i];

		if (filter->number != 0 && row->number > filter->number)
			break;
		if (item_is_after(filter, row) && item_is_wanted(filter, row))
			wf_memory_add(&found, row);
	}
	wf_memory_give_items(&found, arena, list_out);
	return wf_memory_leave(store, false, WF_OK, err);
}

/* --- leases --------------------------------------------------------------- */

static int compare_ids(const struct wf_item_row *x, const struct wf_item_row *y)
{
	int order = WF_COMPARE(x->number, y->number);

	return order != 0 ? order : strcmp(x->id, y->id);
}

/* Since when it can be leased. */
static int64_t free_since(const struct wf_item_row *row)
{
	return row->not_before != 0 ? row->not_before : row->enabled_at;
}

static int compare_free(const void *a, const void *b)
{
	const struct wf_item_row *x = *(const struct wf_item_row *const *)a;
	const struct wf_item_row *y = *(const struct wf_item_row *const *)b;
	int order = WF_COMPARE(free_since(x), free_since(y));

	if (order == 0)
		order = WF_COMPARE(x->enabled_at, y->enabled_at);
	return order != 0 ? order : compare_ids(x, y);
}

static int compare_leases(const void *a, const void *b)
{
	const struct wf_item_row *x = *(const struct wf_item_row *const *)a;
	const struct wf_item_row *y = *(const struct wf_item_row *const *)b;
	int order = WF_COMPARE(x->lease_until, y->lease_until);

	return order != 0 ? order : compare_ids(x, y);
}

enum wf_rc wf_memory_claim_items(struct wf_store *store,
    const struct wf_item_filter *filter, const char *owner, int64_t now,
    int64_t until, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err)
{
	struct memory_found found = { 0 };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < m->items.count; i++) {
		const struct wf_item_row *row = m->items.rows[i];

		if (item_is_wanted(filter, row) && row->lease_until == 0 &&
		    row->not_before <= now)
			wf_memory_add(&found, row);
	}
	wf_memory_sort(&found, compare_free, filter->limit);
	for (size_t i = 0; i < found.count; i++) {
		struct wf_item_row row =
		    *(const struct wf_item_row *)found.rows[i];

		row.lease_owner = owner;
		row.lease_until = until;
		row.fence++;
		row.attempt++;
		found.rows[i] = wf_table_put(&m->items, &row);
	}
	wf_memory_give_items(&found, arena, list_out);
	return wf_memory_leave(store, true, WF_OK, err);
}

/* Replaces the lease that owner has, by one until then; 0: by none. */
static enum wf_rc change_lease(struct memory *m, const struct wf_item_row *key,
    const char *owner, int64_t until, int64_t not_before, struct wf_error *err)
{
	const struct wf_item_row *old = wf_table_find(&m->items, key);
	struct wf_item_row row;

	if (old == NULL)
		return wf_fail(
		    err, WF_NOT_FOUND, "there is no work item %.200s", key->id);
	if (old->lease_until == 0 || old->fence != key->fence ||
	    strcmp(old->lease_owner, owner) != 0)
		return wf_fail_lease(err, key->id);
	/* A lease of a started item ends with a step. */
	if (until == 0 && old->started_at != 0)
		return wf_fail_lease(err, key->id);
	row = *old;
	row.lease_until = until;
	if (until == 0) {
		row.lease_owner = "";
		row.not_before = not_before;
		row.attempt -= row.attempt > 0;
	}
	wf_table_put(&m->items, &row);
	return WF_OK;
}

enum wf_rc wf_memory_heartbeat(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t until,
    struct wf_error *err)
{
	struct wf_item_row key = { .number = number, .id = id, .fence = fence };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	rc = change_lease(m, &key, owner, until, 0, err);
	return wf_memory_leave(store, true, rc, err);
}

enum wf_rc wf_memory_release(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t not_before,
    struct wf_error *err)
{
	struct wf_item_row key = { .number = number, .id = id, .fence = fence };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	rc = change_lease(m, &key, owner, 0, not_before, err);
	return wf_memory_leave(store, true, rc, err);
}

enum wf_rc wf_memory_draft(struct wf_store *store, uint64_t number,
    const char *id, struct wf_arena *arena, struct wf_bytes *draft_out,
    struct wf_error *err)
{
	struct wf_item_row key = { .number = number, .id = id };
	const struct wf_item_row *row;
	struct wf_item_row copy;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	row = wf_table_find(&m->items, &key);
	if (row == NULL)
		return wf_memory_leave(
		    store, false, wf_fail_item(err, id), err);
	wf_row_copy_to(&wf_layout_item, &copy, row, arena);
	*draft_out = copy.draft;
	return wf_memory_leave(store, false, WF_OK, err);
}

static bool is_same(const struct wf_bytes *a, const struct wf_bytes *b)
{
	if (a->data == NULL || b->data == NULL)
		return a->data == b->data;
	return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

static enum wf_rc put_draft(
    struct memory *m, const struct wf_draft_write *write, struct wf_error *err)
{
	struct wf_item_row key = { .number = write->number, .id = write->id };
	const struct wf_item_row *old = wf_table_find(&m->items, &key);
	struct wf_item_row row;

	if (old == NULL)
		return wf_fail_item(err, write->id);
	if ((write->queue != NULL && strcmp(old->queue, write->queue) != 0) ||
	    (write->expected != NULL && !is_same(&old->draft, write->expected)))
		return wf_fail_draft(err, write->id);
	row = *old;
	row.draft = write->draft;
	wf_table_put(&m->items, &row);
	return WF_OK;
}

enum wf_rc wf_memory_put_draft(struct wf_store *store,
    const struct wf_draft_write *write, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc == WF_OK)
		rc =
		    wf_memory_leave(store, true, put_draft(m, write, err), err);
	return rc;
}

enum wf_rc wf_memory_expired_items(struct wf_store *store, int64_t now,
    size_t limit, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err)
{
	struct memory_found found = { 0 };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < m->items.count; i++) {
		const struct wf_item_row *row = m->items.rows[i];

		if (row->lease_until != 0 && row->lease_until <= now)
			wf_memory_add(&found, row);
	}
	wf_memory_sort(&found, compare_leases, limit);
	wf_memory_give_items(&found, arena, list_out);
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_note_attempts(struct wf_store *store,
    const struct wf_item_row *rows, size_t count, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < count; i++) {
		const struct wf_item_row *old =
		    wf_table_find(&m->items, &rows[i]);
		struct wf_item_row row;

		if (old == NULL || old->lease_until != 0)
			continue;
		row = *old;
		row.attempt = rows[i].attempt;
		row.not_before = rows[i].not_before;
		if (wf_text(rows[i].last_answer)[0] != '\0')
			row.last_answer = rows[i].last_answer;
		wf_table_put(&m->items, &row);
	}
	return wf_memory_leave(store, true, WF_OK, err);
}
