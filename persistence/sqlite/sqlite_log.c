/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in SQLite: its log after a sync has failed.
 *
 * Data of a failed sync may never reach the disk: a system can drop dirty pages
 * once it has reported the failure, and later syncs succeed without them.
 * SQLite rolls the failed transaction back and writes its pages again later,
 * but neither those of earlier commits without a sync, nor those that the next
 * process finds in the log.  After a power failure they are a hole in the log,
 * and every commit behind the hole is lost.
 *
 *            a file is opened, a sync fails
 *   secured ────────────────────────────────► in doubt
 *      ▲          wf_sqlite_doubt_log()           │
 *      └──────────────────────────────────────────┘
 *        wf_sqlite_secure_log(): the whole log is written again and synced,
 *        before a transaction writes anything else
 */
#include "base/memory.h"
#include "persistence/sqlite/sqlite_priv.h"

/* The log is copied to the database at so many pages: the default of SQLite. */
#define PAGES 1000
#define PIECE 65536

/* The hook of SQLite behind a commit; it syncs the log first.  *context: the
 * store. */
static int checkpoint(void *context, sqlite3 *db, const char *name, int pages)
{
	struct sqlite_store *s = context;
	int code = SQLITE_OK;

	if (pages >= PAGES)
		code = sqlite3_wal_checkpoint_v2(
		    db, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	if ((code & 0xff) == SQLITE_IOERR)
		wf_sqlite_doubt_log(s);
	return SQLITE_OK; /* what was committed is committed */
}

void wf_sqlite_watch_log(struct sqlite_store *s)
{
	sqlite3_wal_hook(s->db, checkpoint, s);
}

void wf_sqlite_doubt_log(struct sqlite_store *s)
{
	if (s->file != NULL)
		s->file->in_doubt = true;
}

static int rewrite(sqlite3_file *log, sqlite3_int64 size)
{
	char *piece = wf_malloc(PIECE);
	int code = SQLITE_OK;

	for (sqlite3_int64 at = 0; code == SQLITE_OK && at < size;
	     at += PIECE) {
		int length = size - at < PIECE ? (int)(size - at) : PIECE;

		code = log->pMethods->xRead(log, piece, length, at);
		if (code == SQLITE_OK)
			code = log->pMethods->xWrite(log, piece, length, at);
	}
	wf_free(piece);
	return code;
}

enum wf_rc wf_sqlite_secure_log(struct sqlite_store *s, struct wf_error *err)
{
	sqlite3_file *log = NULL;
	sqlite3_int64 size = 0;
	int code;

	if (s->file == NULL || !s->file->in_doubt)
		return WF_OK;
	code = sqlite3_file_control(
	    s->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
	if (code == SQLITE_OK && log != NULL && log->pMethods != NULL)
		code = log->pMethods->xFileSize(log, &size);
	if (code == SQLITE_OK && size > 0)
		code = rewrite(log, size);
	if (code == SQLITE_OK && size > 0)
		code = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
	/* Pages that could not be synced may still be found in the log. */
	if (code != SQLITE_OK)
		return wf_fail(
		    err, WF_LOST, "SQLite: the log cannot be saved (%d)", code);
	s->file->in_doubt = false;
	return WF_OK;
}

void wf_sqlite_leave_log(struct sqlite_store *s)
{
	if (s->file != NULL && s->file->in_doubt)
		sqlite3_db_config(
		    s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}
