/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in SQLite: batches.
 *
 * Latches keep the batches of this process apart, so beginning one takes no
 * transaction: what is latched does not change.  A commit is one transaction.
 */
#include "persistence/sqlite/sqlite_priv.h"

#include <string.h>

#include "base/panic.h"

/* --- begin ---------------------------------------------------------------- */

static enum wf_rc load_snapshot(struct sqlite_store *s, struct wf_arena *arena,
    struct wf_stored_case *case_out, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(SNAPSHOT), err);
	enum wf_rc rc;
	bool row;

	if (statement == NULL)
		return wf_sqlite_why(err);
	wf_sqlite_bind_number(statement, 1, case_out->row.number);
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row)
		case_out->snapshot = wf_sqlite_bytes(statement, 0, arena);
	return rc;
}

enum wf_rc wf_sqlite_load(struct sqlite_store *s, struct wf_arena *arena,
    struct wf_stored_case *case_out, struct wf_error *err)
{
	sqlite3_stmt *statement;
	void *tail = NULL;
	enum wf_rc rc = WF_OK;

	if (case_out->row.snapshot_version > 0)
		rc = load_snapshot(s, arena, case_out, err);
	if (rc != WF_OK)
		return rc;
	statement = wf_sqlite_start(s, SQL(TAIL), err);
	if (statement == NULL)
		return wf_sqlite_why(err);
	wf_sqlite_bind_number(statement, 1, case_out->row.number);
	wf_sqlite_bind_number(statement, 2, case_out->row.snapshot_version);
	sqlite3_bind_int(statement, 3, -1);
	rc = wf_sqlite_read_all(s, statement, &wf_layout_history, arena, &tail,
	    &case_out->tail_count, err);
	case_out->tail = tail;
	return rc;
}

static bool latch_case(struct sqlite_store *s, uint64_t number)
{
	bool mine;

	pthread_mutex_lock(&s->file->latches_lock);
	mine = wf_latch_case(s->file->latches, s, number);
	pthread_mutex_unlock(&s->file->latches_lock);
	return mine;
}

static bool has_case(struct sqlite_store *s, uint64_t number)
{
	bool mine;

	pthread_mutex_lock(&s->file->latches_lock);
	mine = wf_latches_has_case(s->file->latches, s, number);
	pthread_mutex_unlock(&s->file->latches_lock);
	return mine;
}

static void release(struct sqlite_store *s)
{
	pthread_mutex_lock(&s->file->latches_lock);
	wf_latches_release(s->file->latches, s);
	pthread_mutex_unlock(&s->file->latches_lock);
}

/*
 * Only live cases are latched, so that a case that is just being launched does
 * not appear as one in another batch.  A caller that knows a version of the
 * case knows that it was live: nothing is read then.
 */
static enum wf_rc latch_live(
    struct sqlite_store *s, struct wf_take *take, struct wf_error *err)
{
	sqlite3_stmt *statement;
	uint64_t number = take->number;
	enum wf_rc rc = WF_OK;

	if (take->known == 0) {
		statement = wf_sqlite_start(s, SQL(IS_LIVE), err);
		if (statement == NULL)
			return wf_sqlite_why(err);
		wf_sqlite_bind_number(statement, 1, take->number);
		rc = wf_sqlite_read_number(s, statement, &number, err);
	}
	if (rc != WF_OK)
		return rc;
	if (number == 0)
		take->state = WF_TAKE_MISSING;
	else if (latch_case(s, number))
		take->state = WF_TAKE_TAKEN;
	else
		take->state = WF_TAKE_SKIPPED;
	return WF_OK;
}

static enum wf_rc take(struct sqlite_store *s, struct wf_take *take,
    struct wf_arena *arena, struct wf_error *err)
{
	struct wf_open_incident open = { .id = 0 };
	sqlite3_stmt *statement;
	bool found;
	enum wf_rc rc;

	memset(&take->stored, 0, sizeof(take->stored));
	rc = latch_live(s, take, err);
	if (rc != WF_OK || take->state != WF_TAKE_TAKEN)
		return rc;
	statement = wf_sqlite_start(s, SQL(CASE), err);
	if (statement != NULL)
		wf_sqlite_bind_number(statement, 1, take->number);
	rc = wf_sqlite_read_one(s, statement, &wf_layout_case, arena,
	    &take->stored.row, &found, err);
	if (rc != WF_OK)
		return rc;
	if (!found)
		take->state = WF_TAKE_MISSING;
	else if (take->stored.row.set_aside)
		take->state = WF_TAKE_QUARANTINED;
	if (found && take->stored.row.version != take->known)
		rc = wf_sqlite_load(s, arena, &take->stored, err);
	if (rc == WF_OK && found)
		rc = wf_sqlite_open_incidents(
		    &s->store, &take->number, 1, NULL, arena, &open, err);
	take->has_incidents = open.id != 0;
	return rc;
}

static enum wf_rc claim(
    struct sqlite_store *s, struct wf_claim *claim, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(NAME), err);
	bool mine;
	enum wf_rc rc;

	pthread_mutex_lock(&s->file->latches_lock);
	mine = wf_latch_name(
	    s->file->latches, s, claim->namespace_id, claim->name);
	pthread_mutex_unlock(&s->file->latches_lock);
	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, claim->namespace_id);
		wf_sqlite_bind_text(statement, 2, claim->name);
	}
	rc = wf_sqlite_read_number(s, statement, &claim->number, err);
	if (claim->number != 0)
		claim->state = WF_CLAIM_USED;
	else
		claim->state = mine ? WF_CLAIM_FREE : WF_CLAIM_BUSY;
	return rc;
}

static enum wf_rc look_up(struct sqlite_store *s, struct wf_lookup *command,
    struct wf_arena *arena, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(ANSWER), err);
	bool mine;
	bool found;
	enum wf_rc rc;

	pthread_mutex_lock(&s->file->latches_lock);
	mine = wf_latch_command(s->file->latches, s, command->id);
	pthread_mutex_unlock(&s->file->latches_lock);
	memset(&command->answer, 0, sizeof(command->answer));
	if (statement != NULL)
		wf_sqlite_bind_text(statement, 1, command->id);
	rc = wf_sqlite_read_one(s, statement, &wf_layout_answer, arena,
	    &command->answer, &found, err);
	if (found)
		command->state = WF_COMMAND_DONE;
	else
		command->state = mine ? WF_COMMAND_NEW : WF_COMMAND_BUSY;
	return rc;
}

enum wf_rc wf_sqlite_begin(struct wf_store *store, struct wf_batch *batch,
    struct wf_arena *arena, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = WF_OK;

	wf_assert(s->file != NULL); /* not WF_STORE_BESIDE */
	for (size_t i = 0; rc == WF_OK && i < batch->take_count; i++)
		rc = take(s, &batch->takes[i], arena, err);
	for (size_t i = 0; rc == WF_OK && i < batch->claim_count; i++)
		rc = claim(s, &batch->claims[i], err);
	for (size_t i = 0; rc == WF_OK && i < batch->command_count; i++)
		rc = look_up(s, &batch->commands[i], arena, err);
	if (rc != WF_OK)
		release(s);
	return rc;
}

void wf_sqlite_abort(struct wf_store *store)
{
	release((struct sqlite_store *)store);
}

/* --- commit --------------------------------------------------------------- */

struct commit {
	struct sqlite_store *s;
	const struct wf_writes *writes;
	uint64_t *cause;
	struct wf_error *err;
};

static sqlite3_stmt *start(const struct commit *c, enum sqlite_statement which)
{
	return wf_sqlite_start(c->s, which, c->err);
}

static enum wf_rc conflict(
    const struct commit *c, uint64_t number, const char *what)
{
	return wf_conflict(c->err, c->cause, number, what);
}

static const char is_there[] = "it is there already";
static const char row_is_there[] = "it has such a row already";

/* Runs a statement about a case; a key that exists already is a conflict. */
static enum wf_rc run(const struct commit *c, sqlite3_stmt *statement,
    uint64_t number, const char *what)
{
	enum wf_rc rc = wf_sqlite_run(c->s, statement, c->err);

	if (rc == WF_CONFLICT)
		return conflict(c, number, what);
	if (rc != WF_OK)
		*c->cause = number;
	return rc;
}

static enum wf_rc run_with(const struct commit *c, enum sqlite_statement which,
    const struct wf_row_layout *layout, const void *row, uint64_t number,
    const char *what)
{
	sqlite3_stmt *statement = start(c, which);

	if (statement != NULL)
		wf_sqlite_bind(statement, layout, WF_GROUP_ALL, row);
	return run(c, statement, number, what);
}

static enum wf_rc run_for(
    const struct commit *c, enum sqlite_statement which, uint64_t number)
{
	sqlite3_stmt *statement = start(c, which);

	if (statement != NULL)
		wf_sqlite_bind_number(statement, 1, number);
	return run(c, statement, number, is_there);
}

static enum wf_rc add_name(
    const struct commit *c, const struct wf_case_row *row)
{
	static const char what[] = "its name was not claimed";
	sqlite3_stmt *statement = start(c, SQL(ADD_NAME));
	struct sqlite_file *file = c->s->file;
	bool claimed;

	pthread_mutex_lock(&file->latches_lock);
	claimed = wf_latches_has_name(
	    file->latches, c->s, row->namespace_id, row->name);
	pthread_mutex_unlock(&file->latches_lock);
	if (!claimed)
		return conflict(c, row->number, what);
	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, row->namespace_id);
		wf_sqlite_bind_text(statement, 2, row->name);
		wf_sqlite_bind_number(statement, 3, row->number);
	}
	return run(c, statement, row->number, what);
}

static enum wf_rc add_case(
    const struct commit *c, const struct wf_case_write *write)
{
	struct wf_case_row row = write->row;
	enum wf_rc rc = add_name(c, &write->row);

	if (rc != WF_OK)
		return rc;
	if (!latch_case(c->s, row.number))
		return conflict(c, row.number, is_there);
	row.snapshot_version = write->snapshot.data == NULL ? 0 : row.version;
	row.set_aside = write->change == WF_CASE_QUARANTINE;
	rc = run_with(
	    c, SQL(ADD_CASE), &wf_layout_case, &row, row.number, is_there);
	if (rc == WF_OK && sqlite3_changes(c->s->db) != 1)
		return conflict(c, row.number, is_there);
	return rc;
}

/* The expected version and that of the snapshot stand behind the columns. */
static void bind_step(
    sqlite3_stmt *statement, const struct wf_case_write *write)
{
	int extra = (int)wf_layout_case.count;

	wf_assert(sqlite3_bind_parameter_count(statement) == extra + 2);
	wf_sqlite_bind(statement, &wf_layout_case, WF_GROUP_KEY | WF_GROUP_STEP,
	    &write->row);
	wf_sqlite_bind_number(statement, extra + 1, write->expected);
	if (write->snapshot.data != NULL)
		wf_sqlite_bind_number(statement, extra + 2, write->row.version);
}

static void bind_quarantine(
    sqlite3_stmt *statement, const struct wf_case_write *write)
{
	wf_sqlite_bind_number(statement, 1, write->row.number);
	wf_sqlite_bind_number(statement, 2, write->expected);
	sqlite3_bind_int(statement, 3, write->change == WF_CASE_QUARANTINE);
	wf_sqlite_bind_number(statement, 4, write->row.messages);
}

static bool only_quarantined(const struct wf_case_write *write)
{
	return write->change == WF_CASE_QUARANTINE ||
	       write->change == WF_CASE_PUT_BACK;
}

static enum wf_rc set_status(
    const struct commit *c, const struct wf_case_row *row)
{
	sqlite3_stmt *statement = start(c, SQL(SET_STATUS));

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, row->number);
		wf_sqlite_bind_number(statement, 2, row->status);
	}
	return run(c, statement, row->number, NULL);
}

static enum wf_rc step_case(
    const struct commit *c, const struct wf_case_write *write)
{
	static const char what[] = "its version is not the expected one";
	uint64_t number = write->row.number;
	sqlite3_stmt *statement = start(
	    c, only_quarantined(write) ? SQL(QUARANTINE) : SQL(STEP_CASE));
	enum wf_rc rc;

	if (!has_case(c->s, number))
		return conflict(c, number, what);
	if (statement != NULL && only_quarantined(write))
		bind_quarantine(statement, write);
	else if (statement != NULL)
		bind_step(statement, write);
	rc = run(c, statement, number, what);
	if (rc == WF_OK && sqlite3_changes(c->s->db) != 1)
		return conflict(c, number, what);
	return rc != WF_OK || only_quarantined(write)
		   ? rc
		   : set_status(c, &write->row);
}

static enum wf_rc write_case(
    const struct commit *c, const struct wf_case_write *write)
{
	enum wf_rc rc =
	    write->expected == 0 ? add_case(c, write) : step_case(c, write);
	sqlite3_stmt *statement;

	if (rc != WF_OK || write->snapshot.data == NULL ||
	    only_quarantined(write))
		return rc;
	statement = start(c, SQL(PUT_SNAPSHOT));
	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, write->row.number);
		sqlite3_bind_blob64(statement, 2, write->snapshot.data,
		    write->snapshot.size, SQLITE_STATIC);
	}
	return run(c, statement, write->row.number, row_is_there);
}

static enum wf_rc check_held(const struct commit *c, uint64_t number)
{
	if (number == 0 || has_case(c->s, number))
		return WF_OK;
	return conflict(c, number, "it was not taken");
}

/* All rows leave their ids before one gets that of another. */
static enum wf_rc rename_items(const struct commit *c)
{
	static const enum sqlite_statement statements[] = { SQL(LEAVE_ID),
		SQL(LEAVE_DOCUMENTS), SQL(FREE_ID), SQL(TAKE_ID),
		SQL(TAKE_DOCUMENTS) };
	const struct wf_writes *w = c->writes;
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < w->rename_count; i++)
		rc = check_held(c, w->renames[i].number);
	for (size_t k = 0; k < sizeof statements / sizeof statements[0]; k++)
		for (size_t i = 0; rc == WF_OK && i < w->rename_count; i++) {
			sqlite3_stmt *statement = start(c, statements[k]);

			if (statement != NULL) {
				wf_sqlite_bind_number(
				    statement, 1, w->renames[i].number);
				wf_sqlite_bind_text(
				    statement, 2, w->renames[i].id);
				wf_sqlite_bind_text(
				    statement, 3, w->renames[i].new_id);
			}
			rc = run(
			    c, statement, w->renames[i].number, row_is_there);
		}
	return rc;
}

static enum wf_rc write_item(
    const struct commit *c, const struct wf_item_write *write)
{
	static const struct {
		unsigned group;
		enum sqlite_statement statement;
	} groups[] = {
		{ WF_ITEM_KERNEL, SQL(ITEM_KERNEL) },
		{ WF_ITEM_LEASE, SQL(ITEM_LEASE) },
		{ WF_ITEM_DRAFT, SQL(ITEM_DRAFT) },
	};
	uint64_t number = write->row.number;
	unsigned left = write->groups;
	enum wf_rc rc = check_held(c, number);

	if (rc == WF_OK && write->groups == 0)
		return run_with(c, SQL(REMOVE_ITEM), &wf_layout_item,
		    &write->row, number, row_is_there);
	if (rc == WF_OK && write->fresh && (left & WF_ITEM_KERNEL) != 0) {
		rc = run_with(c, SQL(ADD_ITEM), &wf_layout_item, &write->row,
		    number, row_is_there);
		left &= ~(unsigned)WF_ITEM_KERNEL;
	}
	for (size_t i = 0; rc == WF_OK && i < 3; i++)
		if ((left & groups[i].group) != 0)
			rc = run_with(c, groups[i].statement, &wf_layout_item,
			    &write->row, number, row_is_there);
	return rc;
}

static enum wf_rc write_value(
    const struct commit *c, const struct wf_value_row *row)
{
	enum wf_rc rc = check_held(c, row->number);

	if (rc != WF_OK)
		return rc;
	return run_with(c, SQL(ADD_VALUE), &wf_layout_value, row, row->number,
	    row_is_there);
}

/* Positions follow each other in the order of number and sequence. */
static enum wf_rc write_history(
    const struct commit *c, uint64_t position, const struct wf_history_row *row)
{
	sqlite3_stmt *statement = start(c, SQL(ADD_HISTORY));

	if (statement != NULL) {
		wf_sqlite_bind(
		    statement, &wf_layout_history, WF_GROUP_ALL, row);
		wf_sqlite_bind_number(
		    statement, (int)wf_layout_history.count + 1, position);
	}
	return run(c, statement, row->number, row_is_there);
}

static enum wf_rc write_all_history(const struct commit *c)
{
	size_t count = c->writes->history_count;
	const struct wf_history_row **rows;
	uint64_t last = 0;
	enum wf_rc rc = WF_OK;

	if (count == 0)
		return WF_OK;
	for (size_t i = 0; rc == WF_OK && i < count; i++)
		rc = check_held(c, c->writes->history[i].number);
	if (rc == WF_OK)
		rc = wf_sqlite_read_number(
		    c->s, start(c, SQL(LAST_POSITION)), &last, c->err);
	rows = wf_history_sorted(c->writes->history, count);
	for (size_t i = 0; rc == WF_OK && i < count; i++)
		rc = write_history(c, ++last, rows[i]);
	wf_free(rows);
	return rc;
}

static enum wf_rc write_due(
    const struct commit *c, const struct wf_due_write *write)
{
	enum wf_rc rc = check_held(c, write->row.number);

	if (rc != WF_OK)
		return rc;
	return run_with(c, write->remove ? SQL(REMOVE_DUE) : SQL(PUT_DUE),
	    &wf_layout_due, &write->row, write->row.number, row_is_there);
}

static enum wf_rc write_message(
    const struct commit *c, const struct wf_message_row *row)
{
	enum wf_rc rc = check_held(c, row->number);

	if (rc != WF_OK)
		return rc;
	return run_with(c, SQL(ADD_MESSAGE), &wf_layout_message, row,
	    row->number, row_is_there);
}

static enum wf_rc write_incident(
    const struct commit *c, const struct wf_incident_write *write)
{
	return run_with(c,
	    write->remove ? SQL(REMOVE_INCIDENT) : SQL(PUT_INCIDENT),
	    &wf_layout_incident, &write->row, write->row.number, row_is_there);
}

static enum wf_rc write_involved(
    const struct commit *c, const struct wf_involved_row *row)
{
	enum wf_rc rc = check_held(c, row->number);

	if (rc != WF_OK)
		return rc;
	return run_with(c, SQL(ADD_INVOLVED), &wf_layout_involved, row,
	    row->number, row_is_there);
}

static enum wf_rc write_migrated(
    const struct commit *c, const struct wf_migrated_row *row)
{
	enum wf_rc rc = check_held(c, row->number);

	if (rc == WF_OK)
		rc = run_with(c, SQL(ADD_MIGRATED), &wf_layout_migrated, row,
		    row->number, row_is_there);
	if (rc != WF_OK)
		return rc;
	return run_with(c, SQL(MIGRATE_CASE), &wf_layout_migrated, row,
	    row->number, row_is_there);
}

static enum wf_rc write_term(
    const struct commit *c, const struct wf_term_row *row)
{
	enum wf_rc rc = check_held(c, row->number);

	if (rc != WF_OK)
		return rc;
	return run_with(
	    c, SQL(PUT_TERM), &wf_layout_term, row, row->number, row_is_there);
}

static enum wf_rc end_case(const struct commit *c, uint64_t number)
{
	static const enum sqlite_statement statements[] = { SQL(KEEP_ENDED),
		SQL(FINISH_ENDED), SQL(DROP_CASE), SQL(DROP_SNAPSHOT),
		SQL(DROP_ITEMS), SQL(DROP_DUE) };
	enum wf_rc rc = WF_OK;

	for (size_t i = 0;
	     rc == WF_OK && i < sizeof statements / sizeof statements[0]; i++)
		rc = run_for(c, statements[i], number);
	return rc;
}

static enum wf_rc write_all(const struct commit *c)
{
	const struct wf_writes *w = c->writes;
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < w->case_count; i++)
		rc = write_case(c, &w->cases[i]);
	if (rc == WF_OK)
		rc = rename_items(c);
	for (size_t i = 0; rc == WF_OK && i < w->item_count; i++)
		rc = write_item(c, &w->items[i]);
	for (size_t i = 0; rc == WF_OK && i < w->value_count; i++)
		rc = write_value(c, &w->values[i]);
	if (rc == WF_OK)
		rc = write_all_history(c);
	for (size_t i = 0; rc == WF_OK && i < w->due_count; i++)
		rc = write_due(c, &w->due[i]);
	for (size_t i = 0; rc == WF_OK && i < w->message_count; i++)
		rc = write_message(c, &w->messages[i]);
	for (size_t i = 0; rc == WF_OK && i < w->answer_count; i++)
		rc = run_with(c, SQL(ADD_ANSWER), &wf_layout_answer,
		    &w->answers[i], w->answers[i].number,
		    "its command was done already");
	for (size_t i = 0; rc == WF_OK && i < w->incident_count; i++)
		rc = write_incident(c, &w->incidents[i]);
	for (size_t i = 0; rc == WF_OK && i < w->involved_count; i++)
		rc = write_involved(c, &w->involved[i]);
	for (size_t i = 0; rc == WF_OK && i < w->migrated_count; i++)
		rc = write_migrated(c, &w->migrated[i]);
	for (size_t i = 0; rc == WF_OK && i < w->term_count; i++)
		rc = write_term(c, &w->terms[i]);
	for (size_t i = 0; rc == WF_OK && i < w->case_count; i++)
		if (w->cases[i].change == WF_CASE_END)
			rc = end_case(c, w->cases[i].row.number);
	return rc;
}

enum wf_rc wf_sqlite_commit(struct wf_store *store,
    const struct wf_writes *writes, uint64_t *cause_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	struct commit c = { s, writes, cause_out, err };
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	if (rc == WF_OK)
		rc = wf_sqlite_end_transaction(s, true, write_all(&c), err);
	release(s);
	return rc;
}

enum wf_rc wf_sqlite_value(struct wf_store *store, uint64_t number,
    uint32_t value, struct wf_arena *arena, struct wf_bytes *text_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(VALUE), err);
	bool found = false;
	enum wf_rc rc;
	bool row;

	if (statement == NULL)
		return wf_sqlite_why(err);
	wf_sqlite_bind_number(statement, 1, number);
	wf_sqlite_bind_number(statement, 2, value);
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row) {
		*text_out = wf_sqlite_bytes(statement, 0, arena);
		found = true;
	}
	if (rc == WF_OK && !found)
		return wf_fail_value(err, number, value);
	return rc;
}

enum wf_rc wf_sqlite_forget_answers(struct wf_store *store, int64_t before,
    size_t limit, size_t *count_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, true, err);

	*count_out = 0;
	if (rc != WF_OK)
		return rc;
	statement = wf_sqlite_start(s, SQL(FORGET_ANSWERS), err);
	if (statement != NULL) {
		sqlite3_bind_int64(statement, 1, before);
		wf_sqlite_bind_number(statement, 2, limit);
	}
	rc = wf_sqlite_run(s, statement, err);
	if (rc == WF_OK)
		*count_out = (size_t)sqlite3_changes(s->db);
	return wf_sqlite_end_transaction(s, true, rc, err);
}
