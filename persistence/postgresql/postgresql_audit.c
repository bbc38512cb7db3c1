/* SPDX-License-Identifier: Apache-2.0 */
/* The store in PostgreSQL: the audit. */
#include <stdio.h>

#include "persistence/postgresql/postgresql_priv.h"

enum wf_rc wf_pg_add_audit(struct wf_store *store,
    const struct wf_audit_row *rows, size_t count, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	const void **pointers = wf_calloc(count, sizeof(*pointers));
	enum wf_rc rc;

	for (size_t i = 0; i < count; i++)
		pointers[i] = &rows[i];
	wf_pg_call(s, SQL(ADD_AUDIT));
	wf_pg_array(s, &wf_layout_audit, pointers, count);
	wf_free(pointers);
	rc = wf_pg_run(s, PG_COMMIT, err);
	return rc == WF_CONFLICT ? wf_fail_audit(err) : rc;
}

/* A condition on an account or kind that is not given would hide its index. */
static void call_list(struct pg_store *s, const struct wf_audit_filter *filter)
{
	const char *texts[2];
	unsigned count = 0;
	char account[40] = "";
	char kind[40] = "";
	char sql[700];

	if (filter->account != NULL) {
		texts[count++] = filter->account;
		snprintf(account, sizeof(account), " AND account = $%u", count);
	}
	if (filter->kind != NULL) {
		texts[count++] = filter->kind;
		snprintf(kind, sizeof(kind), " AND kind = $%u", count);
	}
	snprintf(sql, sizeof(sql),
	    "SELECT {audit} FROM audit WHERE id < %lld AND at >= bigint "
	    "'%lld' AND at < %lld AND (%u = 0 OR namespace_id = 0 OR "
	    "namespace_id = %u)%s%s ORDER BY id DESC LIMIT %llu",
	    filter->after == 0 ? (long long)INT64_MAX
			       : (long long)filter->after,
	    (long long)filter->from,
	    filter->to == 0 ? (long long)INT64_MAX : (long long)filter->to,
	    filter->namespace_id, filter->namespace_id, account, kind,
	    (unsigned long long)wf_pg_limit(filter->limit));
	wf_pg_call_sql(s, sql);
	for (unsigned i = 0; i < count; i++)
		wf_pg_text(s, texts[i]);
}

enum wf_rc wf_pg_audit(struct wf_store *store,
    const struct wf_audit_filter *filter, struct wf_arena *arena,
    struct wf_audit_list *list_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	call_list(s, filter);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		list_out->rows = wf_pg_read_all(
		    s, 0, &wf_layout_audit, arena, &list_out->count);
	return rc;
}

enum wf_rc wf_pg_sweep_audit(
    struct wf_store *store, int64_t before, size_t limit, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	wf_pg_call(s, SQL(SWEEP_AUDIT));
	wf_pg_number(s, (uint64_t)before);
	wf_pg_number(s, wf_pg_limit(limit));
	return wf_pg_run(s, PG_COMMIT, err);
}
