/* SPDX-License-Identifier: Apache-2.0 */
/* The store in memory: batches. */
#include "persistence/memory/memory_priv.h"

#include <string.h>

#include "base/panic.h"

/* --- begin ---------------------------------------------------------------- */

static void take(struct memory *m, const void *owner, struct wf_take *take,
    struct wf_arena *arena)
{
	const struct memory_case *row;

	memset(&take->stored, 0, sizeof(take->stored));
	take->has_incidents = false;
	row = wf_memory_case(m, take->number);
	if (row == NULL || row->ended) {
		take->state = WF_TAKE_MISSING;
		return;
	}
	if (!wf_latch_case(m->latches, owner, take->number)) {
		take->state = WF_TAKE_SKIPPED;
		return;
	}
	take->state = row->row.set_aside ? WF_TAKE_QUARANTINED : WF_TAKE_TAKEN;
	wf_memory_load(
	    m, row, row->row.version != take->known, arena, &take->stored);
	take->has_incidents = wf_memory_has_incident(m, take->number, NULL);
}

static void claim(struct memory *m, const void *owner, struct wf_claim *claim)
{
	struct memory_name key = { claim->namespace_id, claim->name, 0 };
	const struct memory_name *row = wf_table_find(&m->names, &key);

	claim->number = row == NULL ? 0 : row->number;
	if (row != NULL)
		claim->state = WF_CLAIM_USED;
	else if (wf_latch_name(
		     m->latches, owner, claim->namespace_id, claim->name))
		claim->state = WF_CLAIM_FREE;
	else
		claim->state = WF_CLAIM_BUSY;
}

static void look_up(struct memory *m, const void *owner,
    struct wf_lookup *command, struct wf_arena *arena)
{
	struct wf_answer_row key = { .id = command->id };
	const struct wf_answer_row *row = wf_table_find(&m->answers, &key);

	memset(&command->answer, 0, sizeof(command->answer));
	if (row != NULL) {
		command->state = WF_COMMAND_DONE;
		wf_row_copy_to(&wf_layout_answer, &command->answer, row, arena);
	} else if (wf_latch_command(m->latches, owner, command->id)) {
		command->state = WF_COMMAND_NEW;
	} else {
		command->state = WF_COMMAND_BUSY;
	}
}

/* Counts one statement for each array that is not empty. */
static enum wf_rc count_statements(
    struct wf_store *store, size_t count, struct wf_error *err)
{
	for (size_t i = 0; i < count; i++) {
		enum wf_rc rc = wf_statement(store, err);

		rc = wf_statement_end(store, false, rc, err);
		if (rc != WF_OK)
			return rc;
	}
	return WF_OK;
}

enum wf_rc wf_memory_begin(struct wf_store *store, struct wf_batch *batch,
    struct wf_arena *arena, struct wf_error *err)
{
	struct memory *m = ((struct memory_store *)store)->memory;
	enum wf_rc rc = count_statements(store,
	    (size_t)(batch->take_count > 0) + (batch->claim_count > 0) +
		(batch->command_count > 0),
	    err);

	if (rc != WF_OK)
		return rc;
	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; i < batch->take_count; i++)
		take(m, store, &batch->takes[i], arena);
	for (size_t i = 0; i < batch->claim_count; i++)
		claim(m, store, &batch->claims[i]);
	for (size_t i = 0; i < batch->command_count; i++)
		look_up(m, store, &batch->commands[i], arena);
	pthread_mutex_unlock(&m->lock);
	return WF_OK;
}

void wf_memory_abort(struct wf_store *store)
{
	struct memory *m = ((struct memory_store *)store)->memory;

	pthread_mutex_lock(&m->lock);
	wf_latches_release(m->latches, store);
	pthread_mutex_unlock(&m->lock);
}

/* --- commit: checking ----------------------------------------------------- */

struct commit {
	struct memory *memory;
	const void *owner;
	const struct wf_writes *writes;
	uint64_t *cause;
	struct wf_error *err;
};

static enum wf_rc conflict(
    const struct commit *c, uint64_t number, const char *what)
{
	return wf_conflict(c->err, c->cause, number, what);
}

static enum wf_rc check_new(
    const struct commit *c, const struct wf_case_row *row)
{
	struct memory_name key = { row->namespace_id, row->name, 0 };
	struct memory *m = c->memory;

	if (!wf_latches_has_name(
		m->latches, c->owner, row->namespace_id, row->name) ||
	    wf_table_find(&m->names, &key) != NULL)
		return conflict(c, row->number, "its name was not claimed");
	if (!wf_latch_case(m->latches, c->owner, row->number) ||
	    wf_memory_case(m, row->number) != NULL)
		return conflict(c, row->number, "it is there already");
	return WF_OK;
}

static enum wf_rc check_cases(const struct commit *c)
{
	for (size_t i = 0; i < c->writes->case_count; i++) {
		const struct wf_case_write *write = &c->writes->cases[i];
		uint64_t number = write->row.number;
		const struct memory_case *row;

		if (write->expected == 0) {
			enum wf_rc rc = check_new(c, &write->row);

			if (rc != WF_OK)
				return rc;
			continue;
		}
		row = wf_memory_case(c->memory, number);
		if (!wf_latches_has_case(
			c->memory->latches, c->owner, number) ||
		    row == NULL || row->ended ||
		    row->row.version != write->expected)
			return conflict(
			    c, number, "its version is not the expected one");
	}
	return WF_OK;
}

/* New cases are latched as well, once they were checked. */
static enum wf_rc check_held(const struct commit *c, uint64_t number)
{
	if (wf_latches_has_case(c->memory->latches, c->owner, number))
		return WF_OK;
	return conflict(c, number, "it was not taken");
}

static enum wf_rc check_unused(const struct commit *c,
    const struct wf_table *table, const void *row, uint64_t number)
{
	enum wf_rc rc = number == 0 ? WF_OK : check_held(c, number);

	if (rc == WF_OK && wf_table_find(table, row) != NULL)
		return conflict(c, number, "it has such a row already");
	return rc;
}

static enum wf_rc check_item(
    const struct commit *c, const struct wf_item_write *write)
{
	if (write->fresh && (write->groups & WF_ITEM_KERNEL) != 0)
		return check_unused(
		    c, &c->memory->items, &write->row, write->row.number);
	return check_held(c, write->row.number);
}

static enum wf_rc check_rows(const struct commit *c)
{
	const struct wf_writes *w = c->writes;
	struct memory *m = c->memory;
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < w->rename_count; i++)
		rc = check_held(c, w->renames[i].number);
	for (size_t i = 0; rc == WF_OK && i < w->item_count; i++)
		rc = check_item(c, &w->items[i]);
	for (size_t i = 0; rc == WF_OK && i < w->value_count; i++)
		rc = check_unused(
		    c, &m->values, &w->values[i], w->values[i].number);
	for (size_t i = 0; rc == WF_OK && i < w->history_count; i++)
		rc = check_unused(
		    c, &m->history, &w->history[i], w->history[i].number);
	for (size_t i = 0; rc == WF_OK && i < w->due_count; i++)
		if (w->due[i].row.number != 0)
			rc = check_held(c, w->due[i].row.number);
	for (size_t i = 0; rc == WF_OK && i < w->message_count; i++)
		rc = check_unused(
		    c, &m->messages, &w->messages[i], w->messages[i].number);
	for (size_t i = 0; rc == WF_OK && i < w->answer_count; i++)
		if (wf_table_find(&m->answers, &w->answers[i]) != NULL)
			rc = conflict(c, w->answers[i].number,
			    "its command was done already");
	for (size_t i = 0; rc == WF_OK && i < w->involved_count; i++)
		rc = check_held(c, w->involved[i].number);
	for (size_t i = 0; rc == WF_OK && i < w->migrated_count; i++)
		rc = check_held(c, w->migrated[i].number);
	for (size_t i = 0; rc == WF_OK && i < w->term_count; i++)
		rc = check_held(c, w->terms[i].number);
	return rc;
}

/* --- commit: writing ------------------------------------------------------ */

static void write_snapshot(struct memory *m, const struct wf_case_write *write)
{
	struct wf_value_row snapshot = { write->row.number, 0,
		write->snapshot };

	if (write->snapshot.data != NULL)
		wf_table_put(&m->snapshots, &snapshot);
}

static void write_case(struct memory *m, const struct wf_case_write *write)
{
	const struct wf_case_row *from = &write->row;
	struct memory_case *row;

	if (write->expected == 0) {
		struct memory_case added = { .row = *from };
		struct memory_name name = { from->namespace_id, from->name,
			from->number };

		added.row.snapshot_version = 0;
		added.row.set_aside = false;
		wf_table_put(&m->names, &name);
		wf_table_put(&m->cases, &added);
	}
	row = wf_memory_case(m, from->number);
	row->row.messages = from->messages;
	if (write->change == WF_CASE_QUARANTINE ||
	    write->change == WF_CASE_PUT_BACK) {
		row->row.set_aside = write->change == WF_CASE_QUARANTINE;
		return;
	}
	row->row.version = from->version;
	row->row.status = from->status;
	row->row.changed_at = from->changed_at;
	if (write->snapshot.data != NULL)
		row->row.snapshot_version = from->version;
	write_snapshot(m, write);
}

static void end_case(struct memory *m, uint64_t number)
{
	struct memory_case *row = wf_memory_case(m, number);

	row->ended = true;
	row->row.set_aside = false;
	row->row.snapshot_version = 0;
	wf_memory_remove_all(&m->snapshots, number);
	wf_memory_remove_all(&m->items, number);
	wf_memory_remove_all(&m->due, number);
}

/* Takes the rows that are renamed out, and puts them back with their new ids.
 */
static void rename_items(struct memory *m, const struct wf_writes *w)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_item_row *rows =
	    wf_arena_array(arena, w->rename_count, sizeof(*rows));

	for (size_t i = 0; i < w->rename_count; i++) {
		const struct wf_item_rename *rename = &w->renames[i];
		const struct wf_item_row key = { .number = rename->number,
			.id = rename->id };
		const struct wf_item_row *row = wf_table_find(&m->items, &key);

		rows[i] = (struct wf_item_row){ .number = 0 };
		if (row == NULL)
			continue;
		wf_row_copy_to(&wf_layout_item, &rows[i], row, arena);
		wf_table_remove(&m->items, &key);
	}
	for (size_t i = 0; i < w->rename_count; i++) {
		const struct wf_item_rename *rename = &w->renames[i];
		const struct wf_item_row key = { .number = rename->number,
			.id = rename->new_id };

		wf_table_remove(&m->items, &key);
		rows[i].id = rename->new_id;
		if (rows[i].number != 0)
			wf_table_put(&m->items, &rows[i]);
	}
	wf_arena_free(&arena);
}

/* A start ends the lease; the lease that it is given is written then. */
static void end_claim(struct wf_item_row *row)
{
	if (row->lease_until == 0)
		return;
	row->lease_owner = "";
	row->lease_until = 0;
	row->fence++;
	if (row->attempt > 0)
		row->attempt--;
}

static void write_item(struct memory *m, const struct wf_item_write *write)
{
	const struct wf_item_row *from = &write->row;
	const struct wf_item_row *old = wf_table_find(&m->items, from);
	struct wf_item_row row = { .number = from->number, .id = from->id };

	if (write->groups == 0) {
		wf_table_remove(&m->items, from);
		return;
	}
	if (old != NULL)
		row = *old;
	else if ((write->groups & WF_ITEM_KERNEL) == 0)
		return;
	if ((write->groups & WF_ITEM_KERNEL) != 0) {
		row.namespace_id = from->namespace_id;
		row.specification = from->specification;
		row.task = from->task;
		row.service = from->service;
		row.status = from->status;
		row.choice = from->choice;
		row.enabled_at = from->enabled_at;
		row.fired_at = from->fired_at;
		if (row.started_at == 0 && from->started_at != 0)
			end_claim(&row);
		row.started_at = from->started_at;
		row.queue = from->queue;
		row.assignment = from->assignment;
		row.left_out = from->left_out;
		row.rank = from->rank;
		row.due_at = from->due_at;
		row.busy = from->busy;
		row.trace = from->trace;
	}
	if ((write->groups & WF_ITEM_LEASE) != 0) {
		row.lease_owner = from->lease_owner;
		row.lease_until = from->lease_until;
		row.fence = from->fence;
		row.attempt = from->attempt;
		row.not_before = from->not_before;
		row.last_answer = from->last_answer;
	}
	if ((write->groups & WF_ITEM_DRAFT) != 0)
		row.draft = from->draft;
	wf_table_put(&m->items, &row);
}

/* That of the case when the step was made. */
static uint64_t specification_of(
    const struct memory *m, const struct wf_history_row *step, uint64_t of_case)
{
	for (size_t i = 0; i < m->migrated.count; i++) {
		const struct wf_migrated_row *row = m->migrated.rows[i];

		if (row->number == step->number &&
		    row->sequence > step->sequence)
			return row->specification;
	}
	return of_case;
}

static void write_migrated(struct memory *m, const struct wf_migrated_row *from)
{
	wf_table_put(&m->migrated, from);
	wf_memory_case(m, from->number)->row.specification = from->target;
}

static void write_history(struct memory *m, const struct wf_history_row *from)
{
	size_t count = m->history.count;
	struct wf_history_row *row = wf_table_put(&m->history, from);
	const struct memory_case *instance = wf_memory_case(m, from->number);

	wf_assert(instance != NULL); /* see check_rows() */
	/* A row that was replaced would be freed while the stream has it. */
	wf_assert(m->history.count == count + 1);
	row->position = ++m->position;
	row->namespace_id = instance->row.namespace_id;
	row->specification =
	    specification_of(m, from, instance->row.specification);
	if (m->stream_count == m->stream_capacity) {
		m->stream_capacity = m->stream_capacity * 2 + 16;
		m->stream = wf_realloc(
		    m->stream, m->stream_capacity * sizeof(m->stream[0]));
	}
	wf_assert(m->stream_count == 0 ||
		  m->stream[m->stream_count - 1]->position < row->position);
	m->stream[m->stream_count++] = row;
}

static void write_due(struct memory *m, const struct wf_due_write *write)
{
	struct memory_due row = { write->row, write->row.at };

	row.row.attempts = 0;
	if (write->remove)
		wf_table_remove(&m->due, &row);
	else
		wf_table_put(&m->due, &row);
}

static void write_message(struct memory *m, const struct wf_message_row *from)
{
	struct memory_message row = { *from, from->at };

	row.row.attempts = 0;
	wf_table_put(&m->messages, &row);
}

/* Without a detail, that of before is kept. */
static void put_incident(struct memory *m, const struct wf_incident_row *row)
{
	const struct wf_incident_row *old = wf_table_find(&m->incidents, row);
	struct wf_incident_row merged = *row;

	if (merged.detail.data == NULL && old != NULL)
		merged.detail = old->detail;
	wf_table_put(&m->incidents, &merged);
}

static void write_rows(struct memory *m, const struct wf_writes *w)
{
	if (w->rename_count > 0) {
		rename_items(m, w);
		wf_memory_rename_documents(m, w->renames, w->rename_count);
	}
	for (size_t i = 0; i < w->item_count; i++)
		write_item(m, &w->items[i]);
	for (size_t i = 0; i < w->value_count; i++)
		wf_table_put(&m->values, &w->values[i]);
	for (size_t i = 0; i < w->due_count; i++)
		write_due(m, &w->due[i]);
	for (size_t i = 0; i < w->message_count; i++)
		write_message(m, &w->messages[i]);
	for (size_t i = 0; i < w->answer_count; i++)
		wf_table_put(&m->answers, &w->answers[i]);
	for (size_t i = 0; i < w->incident_count; i++)
		if (w->incidents[i].remove)
			wf_table_remove(&m->incidents, &w->incidents[i].row);
		else
			put_incident(m, &w->incidents[i].row);
	for (size_t i = 0; i < w->involved_count; i++)
		wf_table_put(&m->involved, &w->involved[i]);
	for (size_t i = 0; i < w->term_count; i++)
		wf_table_put(&m->terms, &w->terms[i]);
}

static void write_all(struct memory *m, const struct wf_writes *w,
    const struct wf_history_row *const *history)
{
	for (size_t i = 0; i < w->case_count; i++)
		write_case(m, &w->cases[i]);
	for (size_t i = 0; i < w->migrated_count; i++)
		write_migrated(m, &w->migrated[i]);
	write_rows(m, w);
	for (size_t i = 0; i < w->history_count; i++)
		write_history(m, history[i]);
	for (size_t i = 0; i < w->case_count; i++)
		if (w->cases[i].change == WF_CASE_END)
			end_case(m, w->cases[i].row.number);
}

static size_t statements_of(const struct wf_writes *w)
{
	return (size_t)(w->case_count > 0) + (w->rename_count > 0) +
	       (w->item_count > 0) + (w->value_count > 0) +
	       (w->history_count > 0) + (w->due_count > 0) +
	       (w->message_count > 0) + (w->answer_count > 0) +
	       (w->incident_count > 0) + (w->involved_count > 0) +
	       (w->migrated_count > 0) + (w->term_count > 0);
}

static enum wf_rc commit_locked(const struct commit *c)
{
	const struct wf_history_row **history =
	    wf_history_sorted(c->writes->history, c->writes->history_count);
	enum wf_rc rc = check_cases(c);

	if (rc == WF_OK)
		rc = check_rows(c);
	if (rc == WF_OK)
		write_all(c->memory, c->writes, history);
	wf_free(history);
	return rc;
}

enum wf_rc wf_memory_commit(struct wf_store *store,
    const struct wf_writes *writes, uint64_t *cause_out, struct wf_error *err)
{
	struct memory *m = ((struct memory_store *)store)->memory;
	struct commit c = { m, store, writes, cause_out, err };
	enum wf_rc rc = count_statements(store, statements_of(writes), err);

	if (rc == WF_OK)
		rc = wf_statement(store, err);
	pthread_mutex_lock(&m->lock);
	if (rc == WF_OK)
		rc = commit_locked(&c);
	wf_latches_release(m->latches, store);
	pthread_mutex_unlock(&m->lock);
	return wf_statement_end(store, true, rc, err);
}

enum wf_rc wf_memory_value(struct wf_store *store, uint64_t number,
    uint32_t value, struct wf_arena *arena, struct wf_bytes *text_out,
    struct wf_error *err)
{
	struct wf_value_row row = { .number = number, .value = value };
	const struct wf_value_row *found;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	found = wf_table_find(&m->values, &row);
	if (found != NULL) {
		wf_row_copy_to(&wf_layout_value, &row, found, arena);
		*text_out = row.text;
	} else {
		rc = wf_fail_value(err, number, value);
	}
	return wf_memory_leave(store, false, rc, err);
}

enum wf_rc wf_memory_forget_answers(struct wf_store *store, int64_t before,
    size_t limit, size_t *count_out, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	*count_out = 0;
	for (size_t i = m->answers.count; i-- > 0 && *count_out < limit;) {
		struct wf_answer_row *row = m->answers.rows[i];

		if (row->at >= before)
			continue;
		wf_table_remove(&m->answers, row);
		(*count_out)++;
	}
	return wf_memory_leave(store, true, WF_OK, err);
}
