/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in PostgreSQL: batches.
 *
 * A batch is one transaction, READ COMMITTED, of two round trips: begin takes
 * the rows of its cases, without waiting, and advisory locks for its names
 * and command ids, which are looked up after they are locked; commit writes
 * everything with one statement.  What was taken cannot change until then, so
 * nearly every conflict is found here, without a statement.
 */
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/panic.h"
#include "persistence/postgresql/postgresql_priv.h"

struct pg_held *wf_pg_hold(struct pg_store *s)
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

void wf_pg_sort_held(struct pg_store *s)
{
	if (s->held_count > 1)
		qsort(s->held, s->held_count, sizeof(s->held[0]), compare_held);
	/* The contract: a case is taken or launched once in a batch. */
	for (size_t i = 1; i < s->held_count; i++)
		wf_assert(s->held[i - 1].number < s->held[i].number);
}

struct pg_held *wf_pg_find_held(const struct pg_store *s, uint64_t number)
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

bool wf_pg_is_claimed(const struct pg_store *s, const struct wf_case_row *row)
{
	struct wf_claim wanted = { .namespace_id = row->namespace_id,
		.name = row->name };
	const struct wf_claim *key = &wanted;

	return s->claim_count > 0 &&
	       bsearch(&key, s->claims, s->claim_count, sizeof(s->claims[0]),
		   compare_claims) != NULL;
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

void wf_pg_batch_over(struct pg_store *s)
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

static void call_array(struct pg_store *s, enum pg_statement which,
    const struct wf_row_layout *layout, const void *rows, size_t count)
{
	wf_pg_call(s, which);
	wf_pg_array(s, layout, pointers(s, rows, count, layout->size), count);
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
	call_array(
	    s, SQL(LOCK), &wf_pg_layout_take, batch->takes, batch->take_count);
	wf_pg_numbers(s, keys, count);
}

/* Columns of TAKE behind those of the case. */
#define TAKE_POSITION (1 + (int)wf_layout_case.count)
#define TAKE_SNAPSHOT (TAKE_POSITION + 1)
#define TAKE_IS_LIVE (TAKE_POSITION + 2)

static void read_take(struct pg_store *s, size_t call, size_t row,
    struct wf_take *take, struct wf_arena *arena)
{
	struct wf_case_row *to = &take->stored.row;
	struct pg_held *held;

	memset(&take->stored, 0, sizeof(take->stored));
	take->has_incidents = false;
	if (wf_pg_is_null(s, call, row, 1)) {
		take->state = wf_pg_get_number(s, call, row, TAKE_IS_LIVE) != 0
				  ? WF_TAKE_SKIPPED
				  : WF_TAKE_MISSING;
		return;
	}
	wf_pg_read(s, call, row, 1, &wf_layout_case, to, arena);
	take->stored.snapshot =
	    wf_pg_get_bytes(s, call, row, TAKE_SNAPSHOT, arena);
	take->state = to->set_aside ? WF_TAKE_QUARANTINED : WF_TAKE_TAKEN;
	held = wf_pg_hold(s);
	held->number = to->number;
	held->version = to->version;
	held->position = wf_pg_get_number(s, call, row, TAKE_POSITION);
	held->specification = to->specification;
	held->namespace_id = to->namespace_id;
	held->month = wf_pg_month(to->launched_at);
	held->take = take;
}

/* The first column of a row: its place, from 1, in an array of that count. */
static size_t place(
    const struct pg_store *s, size_t call, size_t row, size_t count)
{
	size_t from_1 = (size_t)wf_pg_get_number(s, call, row, 0);

	wf_assert(from_1 >= 1 && from_1 <= count);
	return from_1 - 1;
}

static void read_takes(struct pg_store *s, size_t call, struct wf_batch *batch,
    struct wf_arena *arena)
{
	for (size_t i = 0; i < wf_pg_count(s, call); i++)
		read_take(s, call, i,
		    &batch->takes[place(s, call, i, batch->take_count)], arena);
	wf_pg_sort_held(s);
}

static void read_locks(struct pg_store *s, size_t call, struct wf_batch *batch)
{
	for (size_t i = 0; i < batch->claim_count; i++) {
		batch->claims[i].state = WF_CLAIM_BUSY;
		batch->claims[i].number = 0;
	}
	for (size_t i = 0; i < batch->command_count; i++) {
		struct wf_lookup *command = &batch->commands[i];

		command->state = WF_COMMAND_BUSY;
		memset(&command->answer, 0, sizeof(command->answer));
	}
	for (size_t i = 0; i < wf_pg_count(s, call); i++) {
		bool is_incident = wf_pg_get_number(s, call, i, 1) != 0;
		size_t at = place(s, call, i,
		    is_incident ? batch->take_count
				: batch->claim_count + batch->command_count);

		if (is_incident)
			batch->takes[at].has_incidents = true;
		else if (at < batch->claim_count)
			batch->claims[at].state = WF_CLAIM_FREE;
		else
			batch->commands[at - batch->claim_count].state =
			    WF_COMMAND_NEW;
	}
}

static void read_names(struct pg_store *s, size_t call, struct wf_batch *batch)
{
	for (size_t i = 0; i < wf_pg_count(s, call); i++) {
		struct wf_claim *claim =
		    &batch->claims[place(s, call, i, batch->claim_count)];

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
		struct wf_lookup *command =
		    &batch->commands[place(s, call, i, batch->command_count)];

		command->state = WF_COMMAND_DONE;
		wf_pg_read(
		    s, call, i, 1, &wf_layout_answer, &command->answer, arena);
	}
}

/* Which statements there are depends on what the batch wants. */
static enum wf_rc take_all(struct pg_store *s, struct wf_batch *batch,
    struct wf_arena *arena, struct wf_error *err)
{
	size_t call = 1;
	enum wf_rc rc;

	wf_pg_call(s, SQL(BEGIN));
	if (batch->take_count > 0)
		call_array(s, SQL(TAKE), &wf_pg_layout_take, batch->takes,
		    batch->take_count);
	call_lock(s, batch);
	if (batch->claim_count > 0)
		call_array(s, SQL(NAMES), &wf_pg_layout_claim, batch->claims,
		    batch->claim_count);
	if (batch->command_count > 0)
		call_array(s, SQL(ANSWERS), &wf_pg_layout_command,
		    batch->commands, batch->command_count);
	rc = wf_pg_run(s, PG_STAY, err);
	if (rc != WF_OK)
		return rc;
	if (batch->take_count > 0)
		read_takes(s, call++, batch, arena);
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

	call_array(s, SQL(TAIL), &wf_pg_layout_tail, tails, count);
	rc = wf_pg_run(s, PG_STAY, err);
	if (rc == WF_OK)
		*rows_out =
		    wf_pg_read_all(s, 0, &wf_layout_history, arena, count_out);
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
		    &wf_pg_find_held(s, rows[i].number)->take->stored;

		if (stored->tail_count++ == 0)
			stored->tail = &rows[i];
	}
	return rc;
}

enum wf_rc wf_pg_begin(struct wf_store *store, struct wf_batch *batch,
    struct wf_arena *arena, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_assert(s->held_count == 0 && s->claim_count == 0);
	rc = take_all(s, batch, arena, err);
	if (rc == WF_OK)
		rc = load_tails(s, arena, err);
	if (rc != WF_OK)
		wf_pg_batch_over(s);
	return rc;
}

void wf_pg_abort(struct wf_store *store)
{
	struct pg_store *s = (struct pg_store *)store;

	wf_pg_roll_back(s);
	wf_pg_batch_over(s);
}

/* --- large values and old answers ----------------------------------------- */

enum wf_rc wf_pg_value(struct wf_store *store, uint64_t number, uint32_t value,
    struct wf_arena *arena, struct wf_bytes *text_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	if (store->batch == WF_BATCH_BEGUN && !s->in_transaction)
		return wf_fail(err, WF_UNAVAILABLE,
		    "the connection to PostgreSQL broke in the batch");
	wf_pg_call(s, SQL(VALUE));
	wf_pg_part(s, number);
	wf_pg_number(s, number);
	wf_pg_integer(s, value);
	rc = wf_pg_run(
	    s, store->batch == WF_BATCH_BEGUN ? PG_STAY : PG_READ, err);
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
