/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in SQLite: counters.  Notifications do nothing, since one process
 * has the file.
 */
#include "persistence/sqlite/sqlite_priv.h"

static enum wf_rc count_up(struct sqlite_store *s, const char *name,
    uint64_t count, uint64_t *last_out, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(COUNT_UP), err);

	if (statement != NULL) {
		wf_sqlite_bind_text(statement, 1, name);
		wf_sqlite_bind_number(statement, 2, count);
	}
	return wf_sqlite_read_number(s, statement, last_out, err);
}

enum wf_rc wf_sqlite_reserve(struct wf_store *store, enum wf_counter counter,
    uint64_t count, uint64_t *first_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	uint64_t last = 0;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	rc = count_up(s, wf_counter_name(counter), count, &last, err);
	*first_out = last - count + 1;
	return wf_sqlite_end_transaction(s, true, rc, err);
}

enum wf_rc wf_sqlite_reserve_above(struct wf_store *store,
    enum wf_counter counter, uint64_t least, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc != WF_OK)
		return rc;
	statement = wf_sqlite_start(s, SQL(RAISE), err);
	if (statement != NULL) {
		wf_sqlite_bind_text(statement, 1, wf_counter_name(counter));
		wf_sqlite_bind_number(statement, 2, least);
	}
	rc = wf_sqlite_run(s, statement, err);
	return wf_sqlite_end_transaction(s, true, rc, err);
}

enum wf_rc wf_sqlite_change_up(
    struct sqlite_store *s, uint64_t *change_out, struct wf_error *err)
{
	return count_up(s, "change", 1, change_out, err);
}

enum wf_rc wf_sqlite_change(
    struct wf_store *store, uint64_t *change_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement;

	/* By this call a server finds out whether its store works. */
	if (wf_sqlite_check_name(s, err) != WF_OK)
		return WF_UNAVAILABLE;
	statement = wf_sqlite_start(s, SQL(COUNTER), err);
	if (statement != NULL)
		wf_sqlite_bind_text(statement, 1, "change");
	return wf_sqlite_read_number(s, statement, change_out, err);
}

enum wf_rc wf_sqlite_notify(struct wf_store *store, struct wf_error *err)
{
	(void)store; /* there are no other nodes */
	(void)err;
	return WF_OK;
}

enum wf_rc wf_sqlite_wait(struct wf_store *store, int milliseconds,
    bool *notified_out, struct wf_error *err)
{
	(void)store;
	(void)milliseconds;
	(void)err;
	*notified_out = false;
	return WF_OK;
}
