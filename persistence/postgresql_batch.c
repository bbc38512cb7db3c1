/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in PostgreSQL: batches.
 *
 * A batch is one transaction, READ COMMITTED, of two round trips: begin takes
 * the rows of its cases, without waiting, and advisory locks for its names
 * and command ids, which are looked up once they are locked; commit writes
 * everything with one statement.  What was taken cannot change until then, so
 * nearly all that can be wrong with what is written is found here, without
 * asking.
 */
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "persistence/postgresql_priv.h"

static struct pg_held *hold(struct pg_store *s)
{
	s->held = wf_arena_grow(s->arena, s->held, s->held_count,
	    &s->held_capacity, sizeof(s->held[0]));
	return &s->held[s->held_count++];
}

static int compare_held(const void *a, const void *b)
{
	const struct pg_held *x = a;
	const struct pg_held *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static void sort_held(struct pg_store *s)
{
	if (s->held_count > 1)
		qsort(s->held, s->held_count, sizeof(s->held[0]), compare_held);
}

static struct pg_held *find_held(const struct pg_store *s, uint64_t number)
{
	struct pg_held key = { .number = number };

	if (s->held_count == 0)
		return NULL;
	return bsearch(
	    &key, s->held, s->held_count, sizeof(s->held[0]), compare_held);
}

static int compare_claims(const void *a, const void *b)
{
	const struct wf_claim *x = *(const struct wf_claim *const *)a;
	const struct wf_claim *y = *(const struct wf_claim *const *)b;

	if (x->namespace_id != y->namespace_id)
		return x->namespace_id < y->namespace_id ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Pointers to each of count things of that size. */
static const void **pointers(
    struct pg_store *s, const void *things, size_t count, size_t size)
{
	const void **list = wf_arena_array(s->arena, count, sizeof(*list));

	for (size_t i = 0; i < count; i++)
		list[i] = (const char *)things + i * size;
	return list;
}

static void over(struct pg_store *s)
{
	s->claims = NULL;
	s->claim_count = 0;
	s->held = NULL;
	s->held_count = s->held_capacity = 0;
	wf_arena_reset(s->arena);
}

/* --- begin ---------------------------------------------------------------- */

/* Locks are all over the database, in which there may be other stores. */
static uint64_t lock_key(const struct pg_store *s, const char *kind,
    uint32_t namespace_id, const char *text)
{
	uint64_t key = wf_hash(namespace_id, kind, strlen(kind));

	key = wf_hash(key, s->store.identity, strlen(s->store.identity));
	return wf_hash(key, text, strlen(text));
}

static void call_lock(struct pg_store *s, const struct wf_batch *batch)
{
	size_t count = batch->claim_count + batch->command_count;
	uint64_t *keys = wf_arena_array(s->arena, count, sizeof(*keys));

	for (size_t i = 0; i < batch->claim_count; i++)
		keys[i] = lock_key(s, "name", batch->claims[i].namespace_id,
		    batch->claims[i].name);
	for (size_t i = 0; i < batch->command_count; i++)
		keys[batch->claim_count + i] =
		    lock_key(s, "command", 0, batch->commands[i].id);
	wf_pg_call(s, SQL(LOCK));
	wf_pg_numbers(s, keys, count);
}

static void call_array(struct pg_store *s, enum pg_statement which,
    const struct wf_shape *shape, const void *rows, size_t count)
{
	wf_pg_call(s, which);
	wf_pg_array(s, shape, pointers(s, rows, count, shape->size), count);
}

/* Columns of TAKE behind those of the case. */
#define TAKE_POSITION (1 + (int)wf_shape_case.count)
#define TAKE_SNAPSHOT (TAKE_POSITION + 1)
#define TAKE_IS_LIVE (TAKE_POSITION + 2)

static void read_take(struct pg_store *s, size_t call, size_t row,
    struct wf_take *take, struct wf_arena *arena)
{
	struct wf_case_row *to = &take->stored.row;
	struct pg_held *held;

	memset(&take->stored, 0, sizeof(take->stored));
	if (wf_pg_is_null(s, call, row, 1)) {
		take->state = wf_pg_get_number(s, call, row, TAKE_IS_LIVE) != 0
				  ? WF_TAKE_SKIPPED
				  : WF_TAKE_MISSING;
		return;
	}
	wf_pg_read(s, call, row, 1, &wf_shape_case, to, arena);
	take->stored.snapshot =
	    wf_pg_get_bytes(s, call, row, TAKE_SNAPSHOT, arena);
	take->state = to->set_aside ? WF_TAKE_SET_ASIDE : WF_TAKE_TAKEN;
	held = hold(s);
	held->number = to->number;
	held->version = to->version;
	held->position = wf_pg_get_number(s, call, row, TAKE_POSITION);
	held->specification = to->specification;
	held->namespace_id = to->namespace_id;
	held->month = wf_pg_month(to->launched_at);
	held->take = take;
}

/* The first column of each row is the place of what it is about, from 1. */
static size_t place(const struct pg_store *s, size_t call, size_t row)
{
	return (size_t)wf_pg_get_number(s, call, row, 0) - 1;
}

static void read_takes(struct pg_store *s, size_t call, struct wf_batch *batch,
    struct wf_arena *arena)
{
	for (size_t i = 0; i < wf_pg_count(s, call); i++)
		read_take(s, call, i, &batch->takes[place(s, call, i)], arena);
	sort_held(s);
}

static void read_locks(struct pg_store *s, size_t call, struct wf_batch *batch)
{
	for (size_t i = 0; i < batch->claim_count; i++) {
		batch->claims[i].state = WF_CLAIM_BUSY;
		batch->claims[i].number = 0;
	}
	for (size_t i = 0; i < batch->command_count; i++) {
		struct wf_look_up *command = &batch->commands[i];

		command->state = WF_COMMAND_BUSY;
		memset(&command->answer, 0, sizeof(command->answer));
	}
	for (size_t i = 0; i < wf_pg_count(s, call); i++) {
		size_t at = place(s, call, i);

		if (at < batch->claim_count)
			batch->claims[at].state = WF_CLAIM_FREE;
		else
			batch->commands[at - batch->claim_count].state =
			    WF_COMMAND_NEW;
	}
}

static void read_names(struct pg_store *s, size_t call, struct wf_batch *batch)
{
	for (size_t i = 0; i < wf_pg_count(s, call); i++) {
		struct wf_claim *claim = &batch->claims[place(s, call, i)];

		claim->state = WF_CLAIM_USED;
		claim->number = wf_pg_get_number(s, call, i, 1);
	}
	s->claims =
	    wf_arena_array(s->arena, batch->claim_count, sizeof(*s->claims));
	for (size_t i = 0; i < batch->claim_count; i++)
		if (batch->claims[i].state == WF_CLAIM_FREE)
			s->claims[s->claim_count++] = &batch->claims[i];
	if (s->claim_count > 1)
		qsort(s->claims, s->claim_count, sizeof(s->claims[0]),
		    compare_claims);
}

static void read_answers(struct pg_store *s, size_t call,
    struct wf_batch *batch, struct wf_arena *arena)
{
	for (size_t i = 0; i < wf_pg_count(s, call); i++) {
		struct wf_look_up *command =
		    &batch->commands[place(s, call, i)];

		command->state = WF_COMMAND_DONE;
		wf_pg_read(
		    s, call, i, 1, &wf_shape_answer, &command->answer, arena);
	}
}

/* Which statements there are depends on what the batch wants. */
static enum wf_rc take_all(struct pg_store *s, struct wf_batch *batch,
    struct wf_arena *arena, struct wf_error *err)
{
	bool locks = batch->claim_count + batch->command_count > 0;
	size_t call = 1;
	enum wf_rc rc;

	wf_pg_call(s, SQL(BEGIN));
	if (batch->take_count > 0)
		call_array(s, SQL(TAKE), &wf_pg_shape_take, batch->takes,
		    batch->take_count);
	if (locks)
		call_lock(s, batch);
	if (batch->claim_count > 0)
		call_array(s, SQL(NAMES), &wf_pg_shape_claim, batch->claims,
		    batch->claim_count);
	if (batch->command_count > 0)
		call_array(s, SQL(ANSWERS), &wf_pg_shape_command,
		    batch->commands, batch->command_count);
	rc = wf_pg_run(s, PG_STAY, err);
	if (rc != WF_OK)
		return rc;
	if (batch->take_count > 0)
		read_takes(s, call++, batch, arena);
	if (locks)
		read_locks(s, call++, batch);
	if (batch->claim_count > 0)
		read_names(s, call++, batch);
	if (batch->command_count > 0)
		read_answers(s, call++, batch, arena);
	return WF_OK;
}

/* --- the steps since a snapshot ------------------------------------------- */

static enum wf_rc read_tails(struct pg_store *s, const struct pg_tail *tails,
    size_t count, struct wf_arena *arena, struct wf_history_row **rows_out,
    size_t *count_out, struct wf_error *err)
{
	enum wf_rc rc;

	call_array(s, SQL(TAIL), &wf_pg_shape_tail, tails, count);
	rc = wf_pg_run(s, PG_STAY, err);
	if (rc == WF_OK)
		*rows_out =
		    wf_pg_read_all(s, 0, &wf_shape_history, arena, count_out);
	return rc;
}

enum wf_rc wf_pg_load_tail(struct pg_store *s, struct wf_arena *arena,
    struct wf_stored_case *case_out, struct wf_error *err)
{
	struct pg_tail tail = { case_out->row.number,
		wf_pg_month(case_out->row.launched_at),
		case_out->row.snapshot_version };

	return read_tails(
	    s, &tail, 1, arena, &case_out->tail, &case_out->tail_count, err);
}

static bool needs_tail(const struct wf_take *take)
{
	return take->stored.row.version != take->known &&
	       take->stored.row.version > take->stored.row.snapshot_version;
}

/*
 * In a statement of its own: what the first one saw may be older than the
 * rows that it got hold of.
 */
static enum wf_rc load_tails(
    struct pg_store *s, struct wf_arena *arena, struct wf_error *err)
{
	struct pg_tail *tails =
	    wf_arena_array(s->arena, s->held_count, sizeof(*tails));
	struct wf_history_row *rows = NULL;
	size_t row_count = 0;
	size_t count = 0;
	enum wf_rc rc;

	for (size_t i = 0; i < s->held_count; i++)
		if (needs_tail(s->held[i].take))
			tails[count++] = (struct pg_tail){ s->held[i].number,
				s->held[i].month,
				s->held[i].take->stored.row.snapshot_version };
	if (count == 0)
		return WF_OK;
	rc = read_tails(s, tails, count, arena, &rows, &row_count, err);
	for (size_t i = 0; rc == WF_OK && i < row_count; i++) {
		struct wf_stored_case *stored =
		    &find_held(s, rows[i].number)->take->stored;

		if (stored->tail_count++ == 0)
			stored->tail = &rows[i];
	}
	return rc;
}

enum wf_rc wf_pg_begin(struct wf_store *store, struct wf_batch *batch,
    struct wf_arena *arena, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc = take_all(s, batch, arena, err);

	if (rc == WF_OK)
		rc = load_tails(s, arena, err);
	if (rc != WF_OK)
		over(s);
	return rc;
}

void wf_pg_abort(struct wf_store *store)
{
	struct pg_store *s = (struct pg_store *)store;

	wf_pg_roll_back(s);
	over(s);
}

/* --- commit: everything is checked .. ------------------------------------- */

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
	uint64_t *culprit;
	struct wf_error *err;
	struct list lists[PG_WRITES];
	uint64_t expected; /* rows of those that have a fence */
};

static enum wf_rc conflict(
    const struct commit *c, uint64_t number, const char *what)
{
	return wf_conflict(c->err, c->culprit, number, what);
}

static bool is_claimed(const struct pg_store *s, const struct wf_case_row *row)
{
	struct wf_claim wanted = { .namespace_id = row->namespace_id,
		.name = row->name };
	const struct wf_claim *key = &wanted;

	return s->claim_count > 0 &&
	       bsearch(&key, s->claims, s->claim_count, sizeof(s->claims[0]),
		   compare_claims) != NULL;
}

static enum wf_rc check_case(
    const struct commit *c, const struct wf_case_write *write)
{
	const struct pg_held *held = find_held(c->s, write->row.number);

	if (write->expected == 0) {
		if (!is_claimed(c->s, &write->row))
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
	struct pg_held *held = hold(s);

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
	sort_held(s);
	for (size_t i = 0; rc == WF_OK && i < w->case_count; i++)
		if (w->cases[i].change == WF_CASE_END)
			find_held(s, w->cases[i].row.number)->ending = true;
	return rc;
}

static enum wf_rc check_held(const struct commit *c, uint64_t number)
{
	if (number == 0 || find_held(c->s, number) != NULL)
		return WF_OK;
	return conflict(c, number, "it was not taken");
}

static enum wf_rc check_rows(const struct commit *c)
{
	const struct wf_writes *w = c->writes;
	enum wf_rc rc = WF_OK;

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
	return rc;
}

/* --- .. sorted by what is to be done with it .. --------------------------- */

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
			[WF_CASE_PUT_ASIDE] = PG_PUT_ASIDE_WRITE,
			[WF_CASE_PUT_BACK] = PG_PUT_ASIDE_WRITE,
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

static void add_step(struct commit *c, const struct wf_history_row *row)
{
	const struct pg_held *held = find_held(c->s, row->number);
	struct pg_step *step = wf_arena_alloc(c->s->arena, sizeof(*step));

	step->row = *row;
	step->row.position = held->position;
	step->row.namespace_id = held->namespace_id;
	step->row.specification = held->specification;
	step->month = held->month;
	add(c, PG_ADD_HISTORY_WRITE, step);
}

/* What an ending case has of these goes with it. */
static bool stays(const struct commit *c, uint64_t number)
{
	return number == 0 || !find_held(c->s, number)->ending;
}

static void add_item(struct commit *c, const struct wf_item_write *write)
{
	if (write->groups == 0)
		add(c, PG_REMOVE_ITEMS_WRITE, write);
	if ((write->groups & WF_ITEM_KERNEL) != 0)
		add(c, PG_PUT_ITEMS_WRITE, write);
	if ((write->groups & ~(unsigned)WF_ITEM_KERNEL) != 0)
		add(c, PG_HAND_OVER_WRITE, write);
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
}

/* --- .. and done ---------------------------------------------------------- */

static const struct wf_shape *shape_of(enum pg_write which)
{
	static const char *const names[] = {
#define WF_WRITE(name, shape, sql, fence) #shape,
#include "persistence/postgresql_writes.def"
#undef WF_WRITE
	};

	return wf_pg_shape(names[which], strlen(names[which]));
}

/* Calls for those of the writes that there are rows for. */
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
			wf_pg_array(s, shape_of(i), c->lists[i].rows,
			    c->lists[i].count);
	wf_pg_number(s, fenced);
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

/* Finds the case to blame for a key that is there already. */
static enum wf_rc blame(const struct commit *c)
{
	const char *key;
	const char *table = wf_pg_collision(c->s, &key);

	if (strcmp(table, "cases") == 0 || strcmp(table, "ended") == 0)
		return conflict(c, number_in(key), is_there);
	if (strcmp(table, "value") == 0 || strcmp(table, "message") == 0 ||
	    begins(table, "history"))
		return conflict(c, number_in(key), row_is_there);
	if (strcmp(table, "answer") == 0)
		return conflict(c, answer_in(c->writes, key), was_done);
	return WF_CONFLICT;
}

static enum wf_rc write_all(struct commit *c)
{
	const unsigned hand_over = 1U << PG_HAND_OVER_WRITE;
	struct wf_error err = { 0 };
	enum wf_rc rc;

	call_writes(c, ~hand_over, c->expected);
	call_writes(c, hand_over, 0);
	wf_pg_call(c->s, SQL(COMMIT));
	rc = wf_pg_run(c->s, PG_COMMIT, &err);
	if (rc == WF_CONFLICT)
		rc = blame(c);
	if (rc == WF_OK)
		return WF_OK;
	return wf_fail(c->err, rc, "%s", err.message);
}

enum wf_rc wf_pg_commit(struct wf_store *store, const struct wf_writes *writes,
    uint64_t *culprit_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	struct commit c = {
		.s = s, .writes = writes, .culprit = culprit_out, .err = err
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
	over(s);
	return rc;
}

/* --- beside the batch ----------------------------------------------------- */

enum wf_rc wf_pg_value(struct wf_store *store, uint64_t number, uint32_t value,
    struct wf_arena *arena, struct wf_bytes *text_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	if (store->in_batch && !s->in_transaction)
		return wf_fail(err, WF_UNAVAILABLE,
		    "the connection to PostgreSQL broke in the batch");
	wf_pg_call(s, SQL(VALUE));
	wf_pg_part(s, number);
	wf_pg_number(s, number);
	wf_pg_integer(s, value);
	rc = wf_pg_run(s, store->in_batch ? PG_STAY : PG_READ, err);
	if (rc == WF_OK && wf_pg_count(s, 0) == 0)
		return wf_fail_value(err, number, value);
	if (rc == WF_OK)
		*text_out = wf_pg_get_bytes(s, 0, 0, 0, arena);
	return rc;
}

enum wf_rc wf_pg_forget_answers(struct wf_store *store, int64_t before,
    size_t limit, size_t *count_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(FORGET_ANSWERS));
	wf_pg_number(s, (uint64_t)before);
	wf_pg_number(s, limit);
	rc = wf_pg_run(s, PG_COMMIT, err);
	*count_out = rc == WF_OK ? wf_pg_written(s, 0) : 0;
	return rc;
}
