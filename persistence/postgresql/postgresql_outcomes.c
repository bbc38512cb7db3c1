/* SPDX-License-Identifier: Apache-2.0 */
/* The store in PostgreSQL: what operations did to cases. */
#include "persistence/postgresql/postgresql_priv.h"

enum wf_rc wf_pg_put_outcomes(struct wf_store *store,
    const struct wf_outcome_row *rows, size_t count, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	const void **pointers = wf_calloc(count, sizeof(*pointers));

	for (size_t i = 0; i < count; i++)
		pointers[i] = &rows[i];
	wf_pg_call(s, SQL(PUT_OUTCOMES));
	wf_pg_array(s, &wf_layout_outcome, pointers, count);
	wf_free(pointers);
	return wf_pg_run(s, PG_COMMIT, err);
}

enum wf_rc wf_pg_outcomes(struct wf_store *store,
    const struct wf_outcome_filter *filter, struct wf_arena *arena,
    struct wf_outcome_list *list_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(OUTCOMES));
	wf_pg_number(s, filter->operation);
	wf_pg_number(s, filter->after_number);
	wf_pg_text(s, filter->after_subject);
	wf_pg_number(s, filter->refused);
	wf_pg_number(s, filter->done);
	wf_pg_number(s, wf_pg_limit(filter->limit));
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		list_out->rows = wf_pg_read_all(
		    s, 0, &wf_layout_outcome, arena, &list_out->count);
	return rc;
}

enum wf_rc wf_pg_remove_outcomes(struct wf_store *store, uint64_t operation,
    size_t limit, size_t *count_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(REMOVE_OUTCOMES));
	wf_pg_number(s, operation);
	wf_pg_number(s, wf_pg_limit(limit));
	rc = wf_pg_run(s, PG_COMMIT, err);
	if (rc == WF_OK)
		*count_out = wf_pg_written(s, 0);
	return rc;
}
