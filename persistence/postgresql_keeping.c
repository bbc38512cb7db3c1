/* SPDX-License-Identifier: Apache-2.0 */
/* The store in PostgreSQL: what it holds, and whether it is whole. */
#include "persistence/postgresql_priv.h"

#include <string.h>

/* --- facts ---------------------------------------------------------------- */

enum wf_rc wf_pg_facts(struct wf_store *store, struct wf_store_facts *facts_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	memset(facts_out, 0, sizeof(*facts_out));
	wf_pg_call(s, SQL(FACTS));
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		*facts_out = (struct wf_store_facts){
			.live = wf_pg_get_number(s, 0, 0, 0),
			.ended = wf_pg_get_number(s, 0, 0, 1),
			.set_aside = wf_pg_get_number(s, 0, 0, 2),
			.incidents = wf_pg_get_number(s, 0, 0, 3),
			.specifications = wf_pg_get_number(s, 0, 0, 4),
			.bytes = wf_pg_get_number(s, 0, 0, 5),
		};
	return rc;
}

/* --- whole or not --------------------------------------------------------- */

static const char *const questions[] = {
#define WF_VERIFY(sql) sql,
#include "persistence/verify.def"
#undef WF_VERIFY
};

/* Tells each row of an answer: the number of a case, and what is wrong. */
static enum wf_rc ask(struct pg_store *s, const char *sql, wf_tell_f tell,
    void *context, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	enum wf_rc rc;

	wf_pg_call_sql(s, sql);
	rc = wf_pg_run(s, PG_STAY, err);
	for (size_t i = 0; rc == WF_OK && i < wf_pg_count(s, 0); i++)
		tell(context, wf_pg_get_number(s, 0, i, 0),
		    wf_pg_get_bytes(s, 0, i, 1, arena).data);
	wf_arena_free(&arena);
	return rc;
}

/* Whole tables are read: the plans of a session, by indexes, do not fit. */
enum wf_rc wf_pg_verify(
    struct wf_store *store, wf_tell_f tell, void *context, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(BEGIN_READ));
	wf_pg_call_sql(s, "SET LOCAL enable_seqscan = on");
	wf_pg_call_sql(s, "SET LOCAL enable_hashjoin = on");
	wf_pg_call_sql(s, "SET LOCAL statement_timeout = 0");
	rc = wf_pg_run(s, PG_STAY, err);
	for (size_t i = 0;
	     rc == WF_OK && i < sizeof questions / sizeof questions[0]; i++)
		rc = ask(s, questions[i], tell, context, err);
	if (rc != WF_OK)
		return rc;
	wf_pg_call(s, SQL(COMMIT));
	return wf_pg_run(s, PG_READ, err);
}
