/* SPDX-License-Identifier: Apache-2.0 */
/* The store in PostgreSQL: who is involved in cases, and comments on them. */
#include "persistence/postgresql/postgresql_priv.h"

enum wf_rc wf_pg_involved_cases(struct wf_store *store,
    const struct wf_involved_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	wf_pg_call(
	    s, filter->ascending ? SQL(INVOLVED_UP) : SQL(INVOLVED_DOWN));
	wf_pg_text(s, filter->participant);
	wf_pg_number(s, filter->after);
	wf_pg_number(s, wf_pg_limit(filter->limit));
	return wf_pg_run_cases(s, arena, list_out, err);
}

enum wf_rc wf_pg_add_comment(struct wf_store *store,
    const struct wf_comment_row *row, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(BEGIN));
	/* Of several at once each is counted. */
	wf_pg_call(s, SQL(LOCK_COMMENTS));
	wf_pg_number(s, row->number);
	wf_pg_call(s, SQL(COMMENT_STATE));
	wf_pg_part(s, row->number);
	wf_pg_number(s, row->number);
	rc = wf_pg_run(s, PG_STAY, err);
	if (rc != WF_OK)
		return rc;
	rc = wf_judge_comment(row,
	    wf_pg_get_number(s, 2, 0, 0) + wf_pg_get_number(s, 2, 0, 1) > 0,
	    wf_pg_get_number(s, 2, 0, 2), err);
	if (rc != WF_OK) {
		wf_pg_roll_back(s);
		return rc;
	}
	wf_pg_call(s, SQL(ADD_COMMENT));
	wf_pg_row(s, &wf_layout_comment, row);
	wf_pg_call(s, SQL(COMMIT));
	rc = wf_pg_run(s, PG_COMMIT, err);
	return rc == WF_CONFLICT ? wf_fail_comment(err) : rc;
}

enum wf_rc wf_pg_comments(struct wf_store *store, uint64_t number,
    uint64_t after, size_t limit, struct wf_arena *arena,
    struct wf_comment_list *list_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(COMMENTS));
	wf_pg_number(s, number);
	wf_pg_number(s, after);
	wf_pg_number(s, wf_pg_limit(limit));
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		list_out->rows = wf_pg_read_all(
		    s, 0, &wf_layout_comment, arena, &list_out->count);
	return rc;
}

enum wf_rc wf_pg_remove_comment(
    struct wf_store *store, uint64_t number, uint64_t id, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(REMOVE_COMMENT));
	wf_pg_number(s, number);
	wf_pg_number(s, id);
	rc = wf_pg_run(s, PG_COMMIT, err);
	if (rc == WF_OK && wf_pg_written(s, 0) == 0)
		rc = wf_missing(err, "comment", id);
	return rc;
}
