/* SPDX-License-Identifier: Apache-2.0 */
/* The store in PostgreSQL: what cases are found by. */
#include "persistence/postgresql/postgresql_priv.h"

static enum wf_rc run_numbers(struct pg_store *s, uint64_t *numbers_out,
    size_t *count_out, struct wf_error *err)
{
	enum wf_rc rc = wf_pg_run(s, PG_READ, err);

	if (rc != WF_OK)
		return rc;
	*count_out = wf_pg_count(s, 0);
	for (size_t i = 0; i < *count_out; i++)
		numbers_out[i] = wf_pg_get_number(s, 0, i, 0);
	return WF_OK;
}

/* Before the first number, in either direction. */
static uint64_t start_of(uint64_t after, bool descending)
{
	return after == 0 && descending ? INT64_MAX : after;
}

enum wf_rc wf_pg_find_terms(struct wf_store *store,
    const struct wf_term_range *range, uint64_t after, bool descending,
    size_t limit, uint64_t *numbers_out, size_t *count_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	wf_pg_call(s, range->end_field != NULL ? SQL(TERM_RANGE)
		      : descending	       ? SQL(TERM_DOWN)
					       : SQL(TERM_UP));
	wf_pg_integer(s, range->namespace_id);
	wf_pg_text(s, range->field);
	wf_pg_text(s, range->text);
	wf_pg_number(s, wf_pg_limit(limit));
	if (range->end_field != NULL) {
		wf_pg_text(s, range->end_field);
		wf_pg_text(s, range->end_text);
	} else {
		wf_pg_number(s, start_of(after, descending));
	}
	return run_numbers(s, numbers_out, count_out, err);
}

enum wf_rc wf_pg_incident_cases(struct wf_store *store, const char *code,
    uint64_t after, bool descending, size_t limit, uint64_t *numbers_out,
    size_t *count_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	wf_pg_call(s, code == NULL
			  ? descending ? SQL(INCIDENTS_DOWN) : SQL(INCIDENTS_UP)
		      : descending ? SQL(CODE_DOWN)
				   : SQL(CODE_UP));
	wf_pg_number(s, start_of(after, descending));
	wf_pg_number(s, wf_pg_limit(limit));
	if (code != NULL)
		wf_pg_text(s, code);
	return run_numbers(s, numbers_out, count_out, err);
}

enum wf_rc wf_pg_ended_since(struct wf_store *store, int64_t from, size_t limit,
    uint64_t *numbers_out, size_t *count_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	wf_pg_call(s, SQL(ENDED_SINCE));
	wf_pg_number(s, (uint64_t)from);
	wf_pg_number(s, wf_pg_limit(limit));
	return run_numbers(s, numbers_out, count_out, err);
}

/* A call for the cases with these numbers. */
static void call_for(struct pg_store *s, enum pg_statement which,
    const uint64_t *numbers, size_t count, struct wf_arena *arena)
{
	const void **rows = wf_arena_array(arena, count, sizeof(*rows));

	for (size_t i = 0; i < count; i++)
		rows[i] = &numbers[i];
	wf_pg_call(s, which);
	wf_pg_array(s, &wf_pg_layout_wanted, rows, count);
}

enum wf_rc wf_pg_variables(struct wf_store *store, const uint64_t *numbers,
    size_t count, struct wf_arena *arena, struct wf_term_list *list_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	call_for(s, SQL(VARIABLES), numbers, count, arena);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		list_out->rows = wf_pg_read_all(
		    s, 0, &wf_layout_term, arena, &list_out->count);
	return rc;
}

enum wf_rc wf_pg_numbered_cases(struct wf_store *store, const uint64_t *numbers,
    size_t count, struct wf_arena *arena, struct wf_case_list *list_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	call_for(s, SQL(NUMBERED_CASES), numbers, count, arena);
	return wf_pg_run_cases(s, arena, list_out, err);
}

/* The row of the case stays locked until the terms are committed. */
enum wf_rc wf_pg_put_terms(struct wf_store *store, uint64_t number,
    uint64_t version, const struct wf_term_row *rows, size_t count,
    bool *written_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	struct wf_arena *arena;
	const void **list;
	enum wf_rc rc;

	wf_pg_call(s, SQL(BEGIN));
	wf_pg_call(s, SQL(LOCK_VERSION));
	wf_pg_part(s, number);
	wf_pg_number(s, number);
	wf_pg_number(s, version);
	rc = wf_pg_run(s, PG_STAY, err);
	if (rc != WF_OK)
		return rc;
	if (wf_pg_get_number(s, 1, 0, 0) == 0) {
		wf_pg_roll_back(s);
		return WF_OK;
	}
	arena = wf_arena_new();
	list = wf_arena_array(arena, count, sizeof(*list));
	for (size_t i = 0; i < count; i++)
		list[i] = &rows[i];
	wf_pg_call(s, SQL(PUT_TERMS));
	wf_pg_array(s, &wf_layout_term, list, count);
	wf_pg_call(s, SQL(COMMIT));
	rc = wf_pg_run(s, PG_COMMIT, err);
	wf_arena_free(&arena);
	*written_out = rc == WF_OK;
	return rc;
}
