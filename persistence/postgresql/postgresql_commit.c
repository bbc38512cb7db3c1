/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in PostgreSQL: what a batch writes.
 *
 * Rows are checked against what the batch holds, sorted by what is to be done
 * with them, and sent as one statement.
 */
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "persistence/postgresql/postgresql_priv.h"

/* --- checking ------------------------------------------------------------- */

static const char not_claimed[] = "its name was not claimed";
static const char is_there[] = "it is there already";
static const char row_is_there[] = "it has such a row already";
static const char was_done[] = "its command was done already";

/* The rows of each kind of write. */
struct list {
	const void **rows;
	size_t count;
	size_t capacity;
};

struct commit {
	struct pg_store *s;
	const struct wf_writes *writes;
	uint64_t *cause;
	struct wf_error *err;
	struct list lists[PG_WRITES];
	uint64_t expected; /* rows of those that have a fence */
};

static enum wf_rc conflict(
    const struct commit *c, uint64_t number, const char *what)
{
	return wf_conflict(c->err, c->cause, number, what);
}

static enum wf_rc check_case(
    const struct commit *c, const struct wf_case_write *write)
{
	const struct pg_held *held = wf_pg_find_held(c->s, write->row.number);

	if (write->expected == 0) {
		if (!wf_pg_is_claimed(c->s, &write->row))
			return conflict(c, write->row.number, not_claimed);
		return held == NULL ? WF_OK
				    : conflict(c, write->row.number, is_there);
	}
	if (held == NULL || held->version != write->expected)
		return conflict(c, write->row.number,
		    "its version is not the expected one");
	return WF_OK;
}

static void hold_new(struct pg_store *s, const struct wf_case_row *row)
{
	struct pg_held *held = wf_pg_hold(s);

	held->number = row->number;
	held->specification = row->specification;
	held->namespace_id = row->namespace_id;
	held->month = wf_pg_month(row->launched_at);
}

static enum wf_rc check_cases(const struct commit *c)
{
	const struct wf_writes *w = c->writes;
	struct pg_store *s = c->s;
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < w->case_count; i++)
		rc = check_case(c, &w->cases[i]);
	for (size_t i = 0; rc == WF_OK && i < w->case_count; i++)
		if (w->cases[i].expected == 0)
			hold_new(s, &w->cases[i].row);
	wf_pg_sort_held(s);
	for (size_t i = 0; rc == WF_OK && i < w->case_count; i++)
		if (w->cases[i].change == WF_CASE_END)
			wf_pg_find_held(s, w->cases[i].row.number)->ending =
			    true;
	return rc;
}

static enum wf_rc check_held(const struct commit *c, uint64_t number)
{
	if (number == 0 || wf_pg_find_held(c->s, number) != NULL)
		return WF_OK;
	return conflict(c, number, "it was not taken");
}

static enum wf_rc check_rows(const struct commit *c)
{
	const struct wf_writes *w = c->writes;
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < w->rename_count; i++)
		rc = check_held(c, w->renames[i].number);
	for (size_t i = 0; rc == WF_OK && i < w->item_count; i++)
		rc = check_held(c, w->items[i].row.number);
	for (size_t i = 0; rc == WF_OK && i < w->value_count; i++)
		rc = check_held(c, w->values[i].number);
	for (size_t i = 0; rc == WF_OK && i < w->history_count; i++)
		rc = check_held(c, w->history[i].number);
	for (size_t i = 0; rc == WF_OK && i < w->due_count; i++)
		rc = check_held(c, w->due[i].row.number);
	for (size_t i = 0; rc == WF_OK && i < w->message_count; i++)
		rc = check_held(c, w->messages[i].number);
	for (size_t i = 0; rc == WF_OK && i < w->involved_count; i++)
		rc = check_held(c, w->involved[i].number);
	for (size_t i = 0; rc == WF_OK && i < w->migrated_count; i++)
		rc = check_held(c, w->migrated[i].number);
	for (size_t i = 0; rc == WF_OK && i < w->term_count; i++)
		rc = check_held(c, w->terms[i].number);
	return rc;
}

/* --- sorting by the kind of write ----------------------------------------- */

static void add(struct commit *c, enum pg_write which, const void *row)
{
	struct list *list = &c->lists[which];

	list->rows = wf_arena_grow(c->s->arena, list->rows, list->count,
	    &list->capacity, sizeof(list->rows[0]));
	list->rows[list->count++] = row;
}

static void add_case(struct commit *c, const struct wf_case_write *write)
{
	struct wf_case_write *copy;

	if (write->expected != 0) {
		static const enum pg_write changes[] = {
			[WF_CASE_STEP] = PG_STEP_CASES_WRITE,
			[WF_CASE_END] = PG_END_CASES_WRITE,
			[WF_CASE_QUARANTINE] = PG_QUARANTINE_WRITE,
			[WF_CASE_PUT_BACK] = PG_QUARANTINE_WRITE,
		};

		add(c, changes[write->change], write);
		c->expected++;
		return;
	}
	copy = wf_arena_alloc(c->s->arena, sizeof(*copy));
	*copy = *write;
	copy->row.set_aside = false;
	copy->row.snapshot_version = 0;
	if (write->snapshot.data != NULL && write->change != WF_CASE_END)
		copy->row.snapshot_version = write->row.version;
	add(c, PG_ADD_CASES_WRITE, copy);
	c->expected += write->change != WF_CASE_END;
}

/* That of the case when the step was made. */
static uint64_t specification_of(const struct commit *c,
    const struct wf_history_row *step, const struct pg_held *held)
{
	const struct wf_writes *w = c->writes;

	for (size_t i = 0; i < w->migrated_count; i++)
		if (w->migrated[i].number == step->number &&
		    w->migrated[i].sequence <= step->sequence)
			return w->migrated[i].target;
	return held->specification;
}

static void add_step(struct commit *c, const struct wf_history_row *row)
{
	const struct pg_held *held = wf_pg_find_held(c->s, row->number);
	struct pg_step *step = wf_arena_alloc(c->s->arena, sizeof(*step));

	wf_assert(held != NULL); /* see check_rows() */
	step->row = *row;
	step->row.position = held->position;
	step->row.namespace_id = held->namespace_id;
	step->row.specification = specification_of(c, row, held);
	step->month = held->month;
	add(c, PG_ADD_HISTORY_WRITE, step);
}

/* Items and due commands of an ending case are deleted with it. */
static bool stays(const struct commit *c, uint64_t number)
{
	return number == 0 || !wf_pg_find_held(c->s, number)->ending;
}

static void add_item(struct commit *c, const struct wf_item_write *write)
{
	if (write->groups == 0)
		add(c, PG_REMOVE_ITEMS_WRITE, write);
	if ((write->groups & WF_ITEM_KERNEL) != 0)
		add(c, write->fresh ? PG_ADD_ITEMS_WRITE : PG_PUT_ITEMS_WRITE,
		    write);
	if ((write->groups & WF_ITEM_LEASE) != 0)
		add(c, PG_HAND_OVER_WRITE, write);
	if ((write->groups & WF_ITEM_DRAFT) != 0)
		add(c, PG_PUT_DRAFTS_WRITE, write);
}

static void add_all(struct commit *c)
{
	const struct wf_writes *w = c->writes;

	for (size_t i = 0; i < w->case_count; i++)
		add_case(c, &w->cases[i]);
	for (size_t i = 0; i < w->item_count; i++)
		if (stays(c, w->items[i].row.number))
			add_item(c, &w->items[i]);
	for (size_t i = 0; i < w->value_count; i++)
		add(c, PG_ADD_VALUES_WRITE, &w->values[i]);
	for (size_t i = 0; i < w->history_count; i++)
		add_step(c, &w->history[i]);
	for (size_t i = 0; i < w->due_count; i++)
		if (stays(c, w->due[i].row.number))
			add(c,
			    w->due[i].remove ? PG_REMOVE_DUE_WRITE
					     : PG_PUT_DUE_WRITE,
			    &w->due[i]);
	for (size_t i = 0; i < w->message_count; i++)
		add(c, PG_ADD_MESSAGES_WRITE, &w->messages[i]);
	for (size_t i = 0; i < w->answer_count; i++)
		add(c, PG_ADD_ANSWERS_WRITE, &w->answers[i]);
	for (size_t i = 0; i < w->incident_count; i++)
		add(c,
		    w->incidents[i].remove ? PG_REMOVE_INCIDENTS_WRITE
					   : PG_PUT_INCIDENTS_WRITE,
		    &w->incidents[i]);
	for (size_t i = 0; i < w->involved_count; i++)
		add(c, PG_ADD_INVOLVED_WRITE, &w->involved[i]);
	for (size_t i = 0; i < w->migrated_count; i++) {
		add(c, PG_ADD_MIGRATED_WRITE, &w->migrated[i]);
		add(c, PG_MIGRATE_CASES_WRITE, &w->migrated[i]);
	}
	for (size_t i = 0; i < w->term_count; i++)
		add(c, PG_PUT_TERMS_WRITE, &w->terms[i]);
}

/* --- writing -------------------------------------------------------------- */

static const struct wf_row_layout *layout_of(enum pg_write which)
{
	static const char *const names[] = {
#define WF_WRITE(name, layout, sql, fence) #layout,
#include "persistence/postgresql/postgresql_writes.def"
#undef WF_WRITE
	};

	return wf_pg_layout(names[which], strlen(names[which]));
}

/* One call for those of the wanted writes that have rows. */
static void call_writes(
    const struct commit *c, unsigned wanted, uint64_t fenced)
{
	struct pg_store *s = c->s;
	unsigned writes = 0;

	for (unsigned i = 0; i < PG_WRITES; i++)
		if ((wanted & 1U << i) != 0 && c->lists[i].count > 0)
			writes |= 1U << i;
	if (writes == 0)
		return;
	wf_pg_call_writes(s, writes);
	wf_pg_number(s, s->position_base);
	for (unsigned i = 0; i < PG_WRITES; i++)
		if ((writes & 1U << i) != 0)
			wf_pg_array(s, layout_of(i), c->lists[i].rows,
			    c->lists[i].count);
	wf_pg_number(s, fenced);
}

/* All rows leave their ids before one gets that of another. */
static void rename_items(const struct commit *c)
{
	static const enum pg_statement statements[] = { SQL(LEAVE_IDS),
		SQL(TAKE_IDS) };
	size_t count = c->writes->rename_count;
	const void **rows;

	if (count == 0)
		return;
	rows = wf_arena_array(c->s->arena, count, sizeof(rows[0]));
	for (size_t i = 0; i < count; i++)
		rows[i] = &c->writes->renames[i];
	for (size_t i = 0; i < 2; i++) {
		wf_pg_call(c->s, statements[i]);
		wf_pg_array(c->s, &wf_pg_layout_item_rename, rows, count);
	}
}

/* The second number of "(part, number, ..)=(1, 2, ..)". */
static uint64_t number_in(const char *key)
{
	const char *values = strstr(key, ")=(");
	const char *comma = values == NULL ? NULL : strchr(values, ',');

	return comma == NULL ? 0 : strtoull(comma + 1, NULL, 10);
}

/* The case whose answer has the id in "(id)=(..)". */
static uint64_t answer_in(const struct wf_writes *writes, const char *key)
{
	const char *id = strstr(key, ")=(");

	for (size_t i = 0; id != NULL && i < writes->answer_count; i++) {
		const struct wf_answer_row *row = &writes->answers[i];
		size_t length = strlen(row->id);

		if (strncmp(id + 3, row->id, length) == 0 &&
		    id[3 + length] == ')')
			return row->number;
	}
	return 0;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Finds the case whose key exists already. */
static enum wf_rc blame(const struct commit *c)
{
	const char *key;
	const char *table = wf_pg_collision(c->s, &key);

	if (strcmp(table, "cases") == 0 || strcmp(table, "ended") == 0)
		return conflict(c, number_in(key), is_there);
	if (strcmp(table, "item") == 0 || strcmp(table, "value") == 0 ||
	    strcmp(table, "message") == 0 || begins(table, "history"))
		return conflict(c, number_in(key), row_is_there);
	if (strcmp(table, "answer") == 0)
		return conflict(c, answer_in(c->writes, key), was_done);
	return WF_CONFLICT;
}

static enum wf_rc write_all(struct commit *c)
{
	const unsigned hand_over = 1U << PG_HAND_OVER_WRITE;
	const unsigned drafts = 1U << PG_PUT_DRAFTS_WRITE;
	const unsigned migrating = 1U << PG_MIGRATE_CASES_WRITE;
	struct wf_error err = { 0 };
	enum wf_rc rc;

	call_writes(c, migrating, 0);
	rename_items(c);
	call_writes(c, ~(hand_over | drafts | migrating), c->expected);
	call_writes(c, hand_over, 0);
	call_writes(c, drafts, 0);
	wf_pg_call(c->s, SQL(COMMIT));
	rc = wf_pg_run(c->s, PG_COMMIT, &err);
	if (rc == WF_CONFLICT)
		rc = blame(c);
	if (rc == WF_OK)
		return WF_OK;
	return wf_fail(c->err, rc, "%s", err.message);
}

enum wf_rc wf_pg_commit(struct wf_store *store, const struct wf_writes *writes,
    uint64_t *cause_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	struct commit c = {
		.s = s, .writes = writes, .cause = cause_out, .err = err
	};
	enum wf_rc rc;

	if (!s->in_transaction) {
		rc = wf_fail(err, WF_UNAVAILABLE,
		    "the connection to PostgreSQL broke in the batch");
	} else {
		rc = check_cases(&c);
		if (rc == WF_OK)
			rc = check_rows(&c);
		if (rc == WF_OK) {
			add_all(&c);
			rc = write_all(&c);
		}
		wf_pg_roll_back(s);
	}
	wf_pg_batch_over(s);
	return rc;
}
