/* SPDX-License-Identifier: Apache-2.0 */
/* The store in memory: what cases are found by. */
#include <string.h>

#include "persistence/memory/memory_priv.h"

static int compare_places(
    const char *field, const char *text, const struct wf_term_row *row)
{
	int order = strcmp(row->field, field);

	return order != 0 ? order : strcmp(row->text, text);
}

static bool is_in(
    const struct wf_term_range *range, const struct wf_term_row *row)
{
	int first = compare_places(range->field, range->text, row);

	if (row->namespace_id != range->namespace_id)
		return false;
	if (range->end_field == NULL)
		return first == 0;
	return first >= 0 &&
	       compare_places(range->end_field, range->end_text, row) < 0;
}

static bool is_behind(uint64_t number, uint64_t after, bool descending)
{
	return after == 0 || (descending ? number < after : number > after);
}

enum wf_rc wf_memory_find_terms(struct wf_store *store,
    const struct wf_term_range *range, uint64_t after, bool descending,
    size_t limit, uint64_t *numbers_out, size_t *count_out,
    struct wf_error *err)
{
	bool is_place = range->end_field == NULL;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < m->terms.count && *count_out < limit; i++) {
		size_t at = descending ? m->terms.count - 1 - i : i;
		const struct wf_term_row *row = m->terms.rows[at];

		if (is_in(range, row) &&
		    (!is_place || is_behind(row->number, after, descending)))
			numbers_out[(*count_out)++] = row->number;
	}
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_variables(struct wf_store *store, const uint64_t *numbers,
    size_t count, struct wf_arena *arena, struct wf_term_list *list_out,
    struct wf_error *err)
{
	struct memory_found found = { 0 };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < count; i++) {
		size_t end = wf_memory_first(&m->terms, numbers[i] + 1);

		for (size_t k = wf_memory_first(&m->terms, numbers[i]); k < end;
		     k++) {
			const struct wf_term_row *row = m->terms.rows[k];

			if (row->field[0] != WF_WORD_MARK)
				wf_memory_add(&found, row);
		}
	}
	list_out->rows =
	    wf_memory_give(&found, &wf_layout_term, arena, &list_out->count);
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_numbered_cases(struct wf_store *store,
    const uint64_t *numbers, size_t count, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	list_out->rows =
	    wf_arena_array(arena, count, sizeof(list_out->rows[0]));
	for (size_t i = 0; i < count; i++) {
		const struct memory_case *row = wf_memory_case(m, numbers[i]);

		if (row != NULL)
			wf_memory_load(m, row, false, arena,
			    &list_out->rows[list_out->count++]);
	}
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_put_terms(struct wf_store *store, uint64_t number,
    uint64_t version, const struct wf_term_row *rows, size_t count,
    bool *written_out, struct wf_error *err)
{
	const struct memory_case *row;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	row = wf_memory_case(m, number);
	*written_out = row != NULL && row->row.version == version &&
		       wf_latch_case(m->latches, store, number);
	for (size_t i = 0; *written_out && i < count; i++)
		wf_table_put(&m->terms, &rows[i]);
	wf_latches_release(m->latches, store);
	return wf_memory_leave(store, true, rc, err);
}
