/* SPDX-License-Identifier: Apache-2.0 */
/* The store in SQLite: what it holds, and whether it is whole. */
#include "persistence/sqlite_priv.h"

#include <string.h>

/* --- facts ---------------------------------------------------------------- */

enum wf_rc wf_sqlite_facts(struct wf_store *store,
    struct wf_store_facts *facts_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_prepare(s,
	    "SELECT (SELECT count(*) FROM cases), (SELECT count(*) FROM ended),"
	    " (SELECT count(*) FROM cases WHERE set_aside),"
	    " (SELECT count(*) FROM incident),"
	    " (SELECT count(*) FROM specification WHERE NOT removed),"
	    " page_count * page_size, freelist_count * page_size"
	    " FROM pragma_page_count, pragma_page_size, pragma_freelist_count",
	    err);
	enum wf_rc rc;
	bool row;

	memset(facts_out, 0, sizeof(*facts_out));
	if (statement == NULL)
		return WF_IO;
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row)
		*facts_out = (struct wf_store_facts){
			.live = wf_sqlite_number(statement, 0),
			.ended = wf_sqlite_number(statement, 1),
			.set_aside = wf_sqlite_number(statement, 2),
			.incidents = wf_sqlite_number(statement, 3),
			.specifications = wf_sqlite_number(statement, 4),
			.bytes = wf_sqlite_number(statement, 5),
			.spare = wf_sqlite_number(statement, 6),
		};
	sqlite3_finalize(statement);
	return rc;
}

/* --- whole or not --------------------------------------------------------- */

static const char *const questions[] = {
#define WF_VERIFY(sql) sql,
#include "persistence/verify.def"
#undef WF_VERIFY
};

/* Tells each row of an answer: the number of a case, and what is wrong. */
static enum wf_rc ask(struct sqlite_store *s, const char *sql, wf_tell_f tell,
    void *context, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_prepare(s, sql, err);
	enum wf_rc rc;
	bool row;

	if (statement == NULL)
		return err == NULL ? WF_IO : err->rc;
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row)
		tell(context, wf_sqlite_number(statement, 0),
		    (const char *)sqlite3_column_text(statement, 1));
	sqlite3_finalize(statement);
	return rc;
}

enum wf_rc wf_sqlite_verify(
    struct wf_store *store, wf_tell_f tell, void *context, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = ask(s,
	    "SELECT 0, 'SQLite says: ' || integrity_check"
	    " FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
	    tell, context, err);

	for (size_t i = 0;
	     rc == WF_OK && i < sizeof questions / sizeof questions[0]; i++)
		rc = ask(s, questions[i], tell, context, err);
	return rc;
}
