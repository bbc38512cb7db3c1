/* SPDX-License-Identifier: Apache-2.0 */
/* The store in SQLite: counts, verification, backup. */
#include "persistence/sqlite/sqlite_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- facts ---------------------------------------------------------------- */

enum wf_rc wf_sqlite_backlog(struct wf_store *store, uint64_t maximum,
    struct wf_store_backlog *backlog_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement;
	enum wf_rc rc;
	bool row;

	memset(backlog_out, 0, sizeof(*backlog_out));
	if (wf_sqlite_check_name(s, err) != WF_OK)
		return WF_UNAVAILABLE;
	statement = wf_sqlite_start(s, SQL(BACKLOG), err);
	if (statement == NULL)
		return wf_sqlite_why(err);
	wf_sqlite_bind_number(statement, 1, maximum);
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row)
		*backlog_out = (struct wf_store_backlog){
			.live = wf_sqlite_number(statement, 0),
			.incidents = wf_sqlite_number(statement, 1),
			.due = wf_sqlite_number(statement, 2),
			.next_due = wf_sqlite_time(statement, 3),
			.messages = wf_sqlite_number(statement, 4),
			.oldest_message = wf_sqlite_time(statement, 5),
		};
	return rc;
}

enum wf_rc wf_sqlite_facts(struct wf_store *store,
    struct wf_store_facts *facts_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_prepare(s,
	    "SELECT (SELECT count(*) FROM cases), (SELECT count(*) FROM ended),"
	    " (SELECT count(*) FROM cases WHERE set_aside),"
	    " (SELECT count(*) FROM incident WHERE dropped_at = 0),"
	    " (SELECT count(*) FROM specification WHERE NOT removed),"
	    " page_count * page_size, freelist_count * page_size"
	    " FROM pragma_page_count, pragma_page_size, pragma_freelist_count",
	    err);
	enum wf_rc rc;
	bool row;

	memset(facts_out, 0, sizeof(*facts_out));
	if (statement == NULL)
		return wf_sqlite_why(err);
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

/* --- verification --------------------------------------------------------- */

static const char *const questions[] = {
#define WF_VERIFY(sql) sql,
#include "persistence/verify.def"
#undef WF_VERIFY
};

/* Reports each row of an answer: the number of a case, and what is wrong. */
static enum wf_rc ask(struct sqlite_store *s, const char *sql,
    wf_report_f report, void *context, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_prepare(s, sql, err);
	enum wf_rc rc;
	bool row;

	if (statement == NULL)
		return wf_sqlite_why(err);
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row)
		report(context, wf_sqlite_number(statement, 0),
		    (const char *)sqlite3_column_text(statement, 1));
	sqlite3_finalize(statement);
	return rc;
}

enum wf_rc wf_sqlite_verify(struct wf_store *store, wf_report_f report,
    void *context, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = ask(s,
	    "SELECT 0, 'SQLite says: ' || integrity_check"
	    " FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
	    report, context, err);

	for (size_t i = 0;
	     rc == WF_OK && i < sizeof questions / sizeof questions[0]; i++)
		rc = ask(s, questions[i], report, context, err);
	return rc;
}

/* --- backup --------------------------------------------------------------- */

/* VACUUM INTO does not sync the file that it writes. */
static bool sync_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool good = fd >= 0 && fsync(fd) == 0;

	if (fd >= 0)
		close(fd);
	return good;
}

static bool sync_folder_of(const char *path)
{
	char *copy = wf_strdup(path);
	bool good = sync_path(dirname(copy));

	wf_free(copy);
	return good;
}

static void remove_partial(const struct wf_buffer *partial)
{
	struct wf_buffer journal;

	(void)unlink(wf_buffer_text(partial));
	wf_buffer_init(&journal, 1U << 16);
	wf_buffer_printf(&journal, "%s-journal", wf_buffer_text(partial));
	(void)unlink(wf_buffer_text(&journal));
	wf_buffer_free(&journal);
}

/* Writes and syncs a file called partial, then renames it to path. */
static enum wf_rc copy_into(struct sqlite_store *s, const char *partial,
    const char *path, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_prepare(s, "VACUUM INTO ?1", err);
	enum wf_rc rc;

	wf_sqlite_make_private(partial);
	if (statement != NULL)
		wf_sqlite_bind_text(statement, 1, partial);
	rc = wf_sqlite_run(s, statement, err);
	sqlite3_finalize(statement);
	if (rc != WF_OK) {
		wf_error_prefix(err, "%.200s", path);
		return rc;
	}
	if (sync_path(partial) && rename(partial, path) == 0 &&
	    sync_folder_of(path))
		return WF_OK;
	return wf_fail(err, WF_IO, "%.200s: %s", path, strerror(errno));
}

enum wf_rc wf_sqlite_backup(
    struct wf_store *store, const char *path, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	struct wf_buffer partial;
	enum wf_rc rc;

	if (access(path, F_OK) == 0)
		return wf_fail(
		    err, WF_CONFLICT, "%.200s is there already", path);
	wf_buffer_init(&partial, 1U << 16);
	wf_buffer_printf(&partial, "%s-partial", path);
	remove_partial(&partial); /* of a backup that was interrupted */
	rc = copy_into(s, wf_buffer_text(&partial), path, err);
	if (rc != WF_OK)
		remove_partial(&partial);
	wf_buffer_free(&partial);
	return rc;
}
