/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding items by their cases: of one page of cases after the other, the items
 * that a filter selects.
 */
#include <string.h>

#include "base/panic.h"
#include "persistence/backend.h"
#include "persistence/columns.h"

/* Cases that are read at once; open incidents of one that are read. */
#define CASES 100U
#define INCIDENTS 1000U

struct finding {
	struct wf_store *store;
	const struct wf_item_filter *filter;
	const struct wf_case_filter *cases;
	struct wf_arena *arena;
	struct wf_found_items *found;
	size_t capacity;
	struct wf_arena *scratch; /* of a page of cases */
	struct wf_error *err;
};

/* Whether the item has an open incident of the code that is wanted. */
static bool has_incident(const struct finding *f,
    const struct wf_incident_list *incidents, const struct wf_item_row *row)
{
	if (f->cases->incident == NULL)
		return true;
	for (size_t i = 0; i < incidents->count; i++)
		if (strcmp(incidents->rows[i].item, row->id) == 0)
			return true;
	return false;
}

static enum wf_rc read_incidents(
    const struct finding *f, uint64_t number, struct wf_incident_list *list_out)
{
	const char *code = f->cases->incident;
	const struct wf_incident_filter filter = { .which = WF_INCIDENTS_OPEN,
		.number = number,
		.code = code == NULL || code[0] == '\0' ? NULL : code,
		.limit = INCIDENTS };

	if (code == NULL)
		return WF_OK;
	return wf_store_incidents(
	    f->store, &filter, f->scratch, list_out, f->err);
}

static void add(struct finding *f, const struct wf_item_row *row)
{
	struct wf_item_list *list = &f->found->items;

	list->rows = wf_arena_grow(f->arena, list->rows, list->count,
	    &f->capacity, sizeof(list->rows[0]));
	wf_row_copy_to(
	    &wf_layout_item, &list->rows[list->count++], row, f->arena);
}

static void set_next(struct finding *f, uint64_t number, const char *id)
{
	f->found->next_number = number;
	f->found->next_id = wf_arena_strdup(f->arena, id);
}

/* Adds items of a case until there are as many as are wanted. */
static enum wf_rc find_of(struct finding *f, uint64_t number)
{
	struct wf_item_filter filter = *f->filter;
	struct wf_incident_list incidents = { .count = 0 };
	struct wf_item_list list;
	enum wf_rc rc = read_incidents(f, number, &incidents);

	filter.number = number;
	filter.specifications.count = 0;
	if (number != filter.after_number) {
		filter.after_number = number;
		filter.after_id = "";
	}
	while (rc == WF_OK) {
		rc = wf_store_items(
		    f->store, &filter, f->scratch, &list, f->err);
		for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
			filter.after_id = list.rows[i].id;
			if (!has_incident(f, &incidents, &list.rows[i]))
				continue;
			add(f, &list.rows[i]);
			if (f->found->items.count == f->filter->limit) {
				set_next(f, number, list.rows[i].id);
				return WF_OK;
			}
		}
		if (rc == WF_OK && list.count < filter.limit)
			break;
	}
	return rc;
}

static bool is_full(const struct finding *f)
{
	return f->found->items.count == f->filter->limit;
}

static enum wf_rc find(struct finding *f)
{
	struct wf_case_filter cases = *f->cases;
	uint64_t only = f->filter->number;
	uint64_t first = only != 0 ? only : f->filter->after_number;
	struct wf_case_list list;
	enum wf_rc rc;

	cases.after = first == 0 ? 0 : first - 1;
	cases.limit = CASES;
	do {
		wf_arena_reset(f->scratch);
		rc =
		    wf_store_cases(f->store, &cases, f->scratch, &list, f->err);
		for (size_t i = 0; rc == WF_OK && i < list.count && !is_full(f);
		     i++) {
			uint64_t number = list.rows[i].row.number;

			if (only == 0 || number == only)
				rc = find_of(f, number);
		}
		cases.after = list.next;
		/* A page that is not full has examined enough. */
	} while (rc == WF_OK && !is_full(f) && only == 0 && list.next != 0 &&
		 list.count == CASES);
	if (rc == WF_OK && !is_full(f) && only == 0 && list.next != 0)
		set_next(f, list.next + 1, "");
	return rc;
}

enum wf_rc wf_store_find_items(struct wf_store *store,
    const struct wf_item_filter *filter, const struct wf_case_filter *cases,
    struct wf_arena *arena, struct wf_found_items *found_out,
    struct wf_error *err)
{
	struct finding f = { .store = store,
		.filter = filter,
		.cases = cases,
		.arena = arena,
		.found = found_out,
		.err = err };
	enum wf_rc rc;

	wf_assert(!cases->descending);
	memset(found_out, 0, sizeof(*found_out));
	f.scratch = wf_arena_new();
	rc = find(&f);
	wf_arena_free(&f.scratch);
	return rc;
}
