/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several nodes on one PostgreSQL at once: nothing is claimed twice, streams
 * of announcements keep their order, readers of history and of changes miss
 * nothing, and retiring does not get in the way.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "persistence/store.h"
#include "tests/message_queues.h"
#include "tests/unit/store_fixture.h"

#define NODES 4
#define ROWS 60
#define FAR (INT64_MAX / 2)

/* The state that the nodes of a test share. */
static struct {
	atomic_uint done;	   /* rows, by all of them */
	atomic_uint claims[ROWS];  /* of each row */
	atomic_uint streams[ROWS]; /* announcements under way */
	atomic_uint_fast64_t last[ROWS];
	atomic_uint writing; /* nodes that have not ended */
} all;

struct node {
	unsigned number;
	const struct store_fixture *f;
	void (*work)(struct node *node);
	struct wf_store *store;
	struct wf_arena *arena;
	struct wf_error err;
	const char *wrong; /* CUnit counts in one thread only */
};

static void must(struct node *node, bool right, const char *wrong)
{
	if (!right && node->wrong == NULL)
		node->wrong = wrong;
}

static void must_be_ok(struct node *node, enum wf_rc rc)
{
	must(node, rc == WF_OK, node->err.message);
}

static void *run_node(void *context)
{
	struct node *node = context;

	node->arena = wf_arena_new();
	if (wf_store_open(&node->store, node->f->url, 0, &node->err) == WF_OK)
		node->work(node);
	must_be_ok(node, node->err.rc);
	wf_store_close(&node->store);
	wf_arena_free(&node->arena);
	return NULL;
}

/* works[i]: what node i does; NULL: the same as the one before. */
static void run_nodes(
    struct store_fixture *f, void (*const *works)(struct node *node))
{
	struct node nodes[NODES];
	pthread_t threads[NODES];

	memset(&all, 0, sizeof all);
	memset(nodes, 0, sizeof nodes);
	for (unsigned i = 0; i < NODES; i++) {
		nodes[i].number = i;
		nodes[i].f = f;
		nodes[i].work = works[i] != NULL ? works[i] : nodes[i - 1].work;
	}
	atomic_store(&all.writing, NODES - 1);
	for (unsigned i = 0; i < NODES; i++)
		CU_ASSERT_EQUAL_FATAL(
		    pthread_create(&threads[i], NULL, run_node, &nodes[i]), 0);
	for (unsigned i = 0; i < NODES; i++) {
		pthread_join(threads[i], NULL);
		if (nodes[i].wrong == NULL)
			continue;
		printf("node %u: %s\n", i, nodes[i].wrong);
		CU_FAIL("a node saw what it must not see");
	}
}

static void launch_many(struct store_fixture *f, unsigned count)
{
	char name[16];

	for (unsigned i = 1; i <= count; i++) {
		snprintf(name, sizeof name, "c%u", i);
		OK(store_launch(f, i, name, NULL));
	}
}

/* --- claims --------------------------------------------------------------- */

static void claim_all_items(struct node *node)
{
	struct wf_item_filter filter = { .service = "echo", .limit = 3 };
	struct wf_item_list list = { 0 };

	while (node->wrong == NULL && atomic_load(&all.done) < ROWS) {
		must_be_ok(
		    node, wf_store_claim_items(node->store, &filter, "me", 1000,
			      FAR, node->arena, &list, &node->err));
		for (size_t i = 0; i < list.count; i++)
			atomic_fetch_add(
			    &all.claims[list.rows[i].number - 1], 1);
		atomic_fetch_add(&all.done, (unsigned)list.count);
	}
}

static void claim_all_due(struct node *node)
{
	struct wf_due_list list = { 0 };

	while (node->wrong == NULL && atomic_load(&all.done) < ROWS) {
		must_be_ok(node, wf_store_claim_due(node->store, 1000, FAR, 3,
				     node->arena, &list, &node->err));
		for (size_t i = 0; i < list.count; i++)
			atomic_fetch_add(&all.claims[list.rows[i].kind], 1);
		atomic_fetch_add(&all.done, (unsigned)list.count);
	}
}

static void check_claimed_once(void)
{
	for (unsigned i = 0; i < ROWS; i++)
		CU_ASSERT_EQUAL(atomic_load(&all.claims[i]), 1);
}

static void check_claims(struct store_fixture *f)
{
	void (*const items[NODES])(struct node *) = { claim_all_items };
	void (*const due[NODES])(struct node *) = { claim_all_due };
	struct wf_due_write rows[ROWS] = { 0 };
	char names[ROWS][8];

	launch_many(f, ROWS);
	for (unsigned i = 0; i < ROWS; i++) {
		snprintf(names[i], sizeof names[i], "d%u", i);
		rows[i].row = (struct wf_due_row){
			.number = 1, .name = names[i], .at = i, .kind = i
		};
	}
	store_write_queues(f, rows, ROWS, NULL, 0);
	run_nodes(f, items);
	check_claimed_once();
	run_nodes(f, due);
	check_claimed_once();
}

static void test_claims(void)
{
	store_on_postgresql(check_claims);
}

/* --- streams of announcements --------------------------------------------- */

#define STREAMS 6

static void deliver(struct node *node, const struct wf_message_row *row)
{
	struct wf_message_key key = { row->number, row->message };
	unsigned stream = row->kind;

	must(node, atomic_fetch_add(&all.streams[stream], 1) == 0,
	    "two of a stream are under way");
	must(node,
	    atomic_exchange(&all.last[stream], row->message) < row->message,
	    "a stream is out of order");
	atomic_fetch_sub(&all.streams[stream], 1);
	must_be_ok(
	    node, wf_store_acknowledge(node->store, &key, 1, &node->err));
	atomic_fetch_add(&all.done, 1);
}

static void deliver_all(struct node *node)
{
	static const char *const destinations[] = { "a", "b", NULL };
	const char *to = destinations[node->number % 3];
	struct wf_message_list list = { 0 };

	while (node->wrong == NULL && atomic_load(&all.done) < ROWS) {
		must_be_ok(node, claim_messages(node->store, to, 1000, FAR, 2,
				     node->arena, &list, &node->err));
		for (size_t i = 0; i < list.count; i++)
			deliver(node, &list.rows[i]);
	}
}

static void check_streams(struct store_fixture *f)
{
	void (*const works[NODES])(struct node *) = { deliver_all };
	static const char *const destinations[] = { "a", "b", "c" };
	static const char *const subjects[] = { "x", "y" };
	struct wf_message_row rows[ROWS];

	for (unsigned i = 0; i < ROWS; i++) {
		rows[i] = store_message_row(i + 1,
		    destinations[i % STREAMS % 3], subjects[i % STREAMS / 3]);
		rows[i].kind = i % STREAMS;
	}
	OK(store_launch(f, 1, "one", NULL));
	store_write_queues(f, NULL, 0, rows, ROWS);
	run_nodes(f, works);
	CU_ASSERT_EQUAL(atomic_load(&all.done), ROWS);
}

static void test_streams(void)
{
	store_on_postgresql(check_streams);
}

/*
 * A message comes while another node removes the one before it.  A trigger
 * holds the one that is to be slow, in the middle of its transaction, until the
 * test gives up a lock.
 */
#define GATE "7777777"

struct slow {
	struct store_fixture *f;
	bool announces; /* adds the second message; else removes the first */
	bool lost;	/* its transaction is ended before its commit */
};

static void announce_second(struct store_fixture *f, struct wf_store *store)
{
	struct wf_message_row second = store_message_row(2, "a", "x");
	struct wf_writes writes = { .messages = &second, .message_count = 1 };
	struct wf_error err = { 0 };
	struct wf_take taken;

	CU_ASSERT_EQUAL(store_take(f, store, 1, 1, &taken), WF_TAKE_TAKEN);
	OK(wf_store_commit(store, &writes, NULL, &err));
}

static enum wf_rc remove_first(struct wf_store *store)
{
	struct wf_message_key first = { 1, 1 };
	struct wf_error err = { 0 };

	return wf_store_acknowledge(store, &first, 1, &err);
}

/* CUnit counts in one thread only, so the slow one asserts nothing. */
static void *run_slow(void *context)
{
	const struct slow *slow = context;
	struct wf_message_row second = store_message_row(2, "a", "x");
	struct wf_writes writes = { .messages = &second, .message_count = 1 };
	struct wf_take take = { .number = 1 };
	struct wf_batch batch = { .takes = &take, .take_count = 1 };
	struct wf_arena *arena = wf_arena_new();
	enum wf_rc rc;

	if (!slow->announces) {
		rc = remove_first(slow->f->other);
	} else {
		rc = wf_store_begin(slow->f->other, &batch, arena, NULL);
		if (rc == WF_OK)
			rc = wf_store_commit(
			    slow->f->other, &writes, NULL, NULL);
	}
	wf_arena_free(&arena);
	return rc == WF_OK ? NULL : context;
}

/* Until so many sessions of this database wait for a lock of that type. */
static void await_waiting(PGconn *gate, const char *type)
{
	char sql[160];
	bool waits = false;

	snprintf(sql, sizeof sql,
	    "SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = '%s'",
	    type);
	for (unsigned i = 0; i < 6000 && !waits; i++) {
		const struct timespec pause = { .tv_nsec = 10000000 };
		PGresult *result = PQexec(gate, sql);

		waits = PQntuples(result) > 0;
		PQclear(result);
		if (!waits)
			nanosleep(&pause, NULL);
	}
	CU_ASSERT_TRUE(waits);
}

static void ask_gate(PGconn *gate, const char *sql)
{
	PGresult *result = PQexec(gate, sql);

	CU_ASSERT_NOT_EQUAL(PQresultStatus(result), PGRES_FATAL_ERROR);
	PQclear(result);
}

/* From now on, whoever changes a message like that waits. */
static void close_gate(PGconn *gate, const char *change)
{
	char sql[160];

	ask_gate(gate,
	    "CREATE FUNCTION pass() RETURNS trigger LANGUAGE plpgsql AS $$"
	    " BEGIN PERFORM pg_advisory_xact_lock(" GATE "); RETURN NULL;"
	    " END $$");
	snprintf(sql, sizeof(sql),
	    "CREATE TRIGGER pass AFTER %s ON message"
	    " FOR EACH ROW EXECUTE FUNCTION pass()",
	    change);
	ask_gate(gate, sql);
	ask_gate(gate, "SELECT pg_advisory_lock(" GATE ")");
}

static uint64_t claim_one(struct store_fixture *f)
{
	struct wf_message_list list;

	OK(claim_messages(
	    f->store, "a", 1000, 1000, 9, f->arena, &list, &f->err));
	CU_ASSERT_TRUE(list.count <= 1);
	return list.count == 0 ? 0 : list.rows[0].message;
}

static void meet(struct store_fixture *f, bool announces, bool lost)
{
	struct slow slow = { f, announces, lost };
	struct wf_message_row first = store_message_row(1, "a", "x");
	PGconn *gate = PQconnectdb(f->url);
	pthread_t thread;
	void *failed;

	CU_ASSERT_EQUAL_FATAL(PQstatus(gate), CONNECTION_OK);
	OK(store_launch(f, 1, "one", NULL));
	store_write_queues(f, NULL, 0, &first, 1);
	close_gate(gate, announces ? "INSERT" : "DELETE");
	CU_ASSERT_EQUAL_FATAL(
	    pthread_create(&thread, NULL, run_slow, &slow), 0);
	await_waiting(gate, "advisory");
	if (!announces) {
		/* A batch never waits; the first is not offered again. */
		announce_second(f, f->store);
		CU_ASSERT_EQUAL(claim_one(f), 0);
	} else {
		struct slow quick = { f, false, false };
		struct wf_store *other = f->other;
		pthread_t remover;

		/* The remover waits for the batch. */
		quick.f = wf_arena_alloc(f->arena, sizeof(*f));
		*quick.f = *f;
		quick.f->other = f->store;
		CU_ASSERT_EQUAL_FATAL(
		    pthread_create(&remover, NULL, run_slow, &quick), 0);
		await_waiting(gate, "transactionid");
		ask_gate(gate, "SELECT pg_advisory_unlock(" GATE ")");
		pthread_join(remover, &failed);
		CU_ASSERT_PTR_NULL(failed);
		CU_ASSERT_PTR_EQUAL(f->other, other);
	}
	if (lost)
		ask_gate(gate, "SELECT pg_terminate_backend(pid) FROM pg_locks"
			       " WHERE NOT granted AND locktype = 'advisory'"
			       " AND objid = " GATE);
	if (!announces)
		ask_gate(gate, "SELECT pg_advisory_unlock(" GATE ")");
	pthread_join(thread, &failed);
	CU_ASSERT_EQUAL(failed != NULL, lost);
	ask_gate(gate, "DROP TRIGGER pass ON message");
	if (lost) {
		CU_ASSERT_EQUAL(claim_one(f), 1);
		OK(remove_first(f->store));
	}
	CU_ASSERT_EQUAL(claim_one(f), 2);
	PQfinish(gate);
}

static void check_removed_first(struct store_fixture *f)
{
	meet(f, false, false);
}

static void check_removal_lost(struct store_fixture *f)
{
	meet(f, false, true);
}

static void check_added_first(struct store_fixture *f)
{
	meet(f, true, false);
}

static void *run_postpone(void *context)
{
	struct store_fixture *f = context;
	struct wf_message_key first = { 1, 1 };

	return wf_store_postpone(f->other, &first, 1, 500, true, NULL) == WF_OK
		   ? NULL
		   : context;
}

/* A message that is put off stays the head of its stream. */
static void check_postponed_first(struct store_fixture *f)
{
	struct wf_message_row first = store_message_row(1, "a", "x");
	PGconn *gate = PQconnectdb(f->url);
	PGresult *result;
	pthread_t thread;
	void *failed;

	CU_ASSERT_EQUAL_FATAL(PQstatus(gate), CONNECTION_OK);
	OK(store_launch(f, 1, "one", NULL));
	store_write_queues(f, NULL, 0, &first, 1);
	close_gate(gate, "UPDATE");
	CU_ASSERT_EQUAL_FATAL(
	    pthread_create(&thread, NULL, run_postpone, f), 0);
	await_waiting(gate, "advisory");
	announce_second(f, f->store);
	result =
	    store_ask(f->url, "SELECT head FROM message WHERE message = 2");
	CU_ASSERT_STRING_EQUAL(PQgetvalue(result, 0, 0), "f");
	PQclear(result);
	ask_gate(gate, "SELECT pg_advisory_unlock(" GATE ")");
	pthread_join(thread, &failed);
	CU_ASSERT_PTR_NULL(failed);
	ask_gate(gate, "DROP TRIGGER pass ON message");
	PQfinish(gate);
}

static void test_heads(void)
{
	store_on_postgresql(check_postponed_first);
	store_on_postgresql(check_removed_first);
	store_on_postgresql(check_removal_lost);
	store_on_postgresql(check_added_first);
}

/* --- readers miss nothing ------------------------------------------------- */

#define CASES 8
#define BATCHES 60

/* Steps those of two cases that it can take. */
static void step_two(struct node *node, struct wf_random *random)
{
	struct wf_take takes[2] = { { 0 }, { 0 } };
	struct wf_batch batch = { .takes = takes, .take_count = 2 };
	struct wf_case_write cases[2];
	struct wf_history_row steps[2];
	struct wf_writes writes = { .cases = cases, .history = steps };

	takes[0].number = 1 + wf_random_below(random, CASES / 2);
	takes[1].number = takes[0].number + CASES / 2;
	must_be_ok(
	    node, wf_store_begin(node->store, &batch, node->arena, &node->err));
	for (size_t i = 0; node->wrong == NULL && i < 2; i++) {
		const struct wf_case_row *row = &takes[i].stored.row;

		if (takes[i].state != WF_TAKE_TAKEN)
			continue;
		cases[writes.case_count] = (struct wf_case_write){ .row = *row,
			.expected = row->version };
		cases[writes.case_count++].row.version++;
		steps[writes.history_count++] =
		    store_history_row(row->number, row->version + 1);
	}
	if (node->wrong == NULL)
		must_be_ok(node,
		    wf_store_commit(node->store, &writes, NULL, &node->err));
	atomic_fetch_add(&all.done, (unsigned)writes.history_count);
}

static void write_steps(struct node *node)
{
	struct wf_random random = { node->number };

	for (unsigned i = 0; node->wrong == NULL && i < BATCHES; i++)
		step_two(node, &random);
	atomic_fetch_sub(&all.writing, 1);
}

/* All steps of each case, in order, without a gap. */
static void read_steps(struct node *node)
{
	struct wf_history_filter filter = { .limit = 7 };
	struct wf_history_list list = { 0 };
	uint64_t sequences[CASES + 1] = { 0 };
	unsigned count = 0;
	bool over = false;

	while (node->wrong == NULL && (!over || list.count > 0)) {
		over = atomic_load(&all.writing) == 0;
		must_be_ok(node, wf_store_history(node->store, &filter,
				     node->arena, &list, &node->err));
		for (size_t i = 0; i < list.count; i++) {
			const struct wf_history_row *row = &list.rows[i];

			must(node, row->sequence == ++sequences[row->number],
			    "a reader missed a step");
			count++;
		}
		filter.after = list.next;
	}
	must(node, count == CASES + atomic_load(&all.done),
	    "a reader did not see all steps");
}

static void check_readers(struct store_fixture *f)
{
	void (*const works[NODES])(struct node *) = { read_steps, write_steps };

	launch_many(f, CASES);
	run_nodes(f, works);
	CU_ASSERT_TRUE(atomic_load(&all.done) > 0);
}

static void test_readers(void)
{
	store_on_postgresql(check_readers);
}

static void write_records(struct node *node)
{
	for (unsigned i = 0; node->wrong == NULL && i < ROWS; i++) {
		struct wf_record_row row = { .kind = "setting",
			.value = store_bytes };
		char name[16];

		snprintf(name, sizeof name, "%u.%u", node->number, i);
		row.name = name;
		must_be_ok(
		    node, wf_store_put_record(node->store, &row, &node->err));
	}
	atomic_fetch_sub(&all.writing, 1);
}

/* Each record is one change: all records up to the last one are there. */
static void read_records(struct node *node)
{
	while (node->wrong == NULL && atomic_load(&all.writing) > 0) {
		struct wf_record_list list = { 0 };
		uint64_t change = 0;
		uint64_t seen = 0;

		must_be_ok(
		    node, wf_store_change(node->store, &change, &node->err));
		must_be_ok(node, wf_store_records(node->store, "setting", 0,
				     node->arena, &list, &node->err));
		for (size_t i = 0; i < list.count; i++)
			seen += list.rows[i].change <= change;
		must(node, seen == change, "a change was not seen");
	}
}

static void check_changes(struct store_fixture *f)
{
	void (*const works[NODES])(
	    struct node *) = { read_records, write_records };
	uint64_t change = 0;

	run_nodes(f, works);
	OK(wf_store_change(f->store, &change, &f->err));
	CU_ASSERT_EQUAL(change, (NODES - 1) * ROWS);
}

static void test_changes(void)
{
	store_on_postgresql(check_changes);
}

/* --- retiring ------------------------------------------------------------- */

static size_t retire(struct store_fixture *f)
{
	size_t count = 0;

	OK(wf_store_retire(
	    f->store, (int64_t)time(NULL) * 1000, ROWS, &count, &f->err));
	return count;
}

static void end_case(struct store_fixture *f, uint64_t number)
{
	struct wf_take taken;

	CU_ASSERT_EQUAL(
	    store_take(f, f->store, number, 1, &taken), WF_TAKE_TAKEN);
	OK(store_step_to(f, f->store, &taken, WF_CASE_END, 1, NULL));
}

/*
 * The end of the stream stays where all earlier rows have been seen: rows after
 * a transaction that is still open are not retired.
 */
static void check_retire_beside(struct store_fixture *f)
{
	struct wf_history_filter filter = { .limit = 9 };
	struct wf_history_list list = { 0 };
	struct wf_take taken;

	launch_many(f, 2);
	OK(wf_store_history_end(f->store, &filter.after, &f->err));
	store_take(f, f->other, 1, 1, &taken);
	end_case(f, 2);
	CU_ASSERT_EQUAL(retire(f), 0);
	OK(store_step_to(f, f->other, &taken, WF_CASE_STEP, 1, NULL));
	OK(wf_store_history(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 2);
	CU_ASSERT_EQUAL(retire(f), 1);
	REFUSED(f, WF_GONE,
	    wf_store_history(f->store, &filter, f->arena, &list, &f->err));
}

static void test_retire_beside(void)
{
	store_on_postgresql(check_retire_beside);
}

static void retire_some(struct node *node)
{
	size_t count = 1;

	while (node->wrong == NULL && count > 0) {
		must_be_ok(node,
		    wf_store_retire(node->store, 1000, 3, &count, &node->err));
		atomic_fetch_add(&all.done, (unsigned)count);
	}
}

static void check_retire_together(struct store_fixture *f)
{
	void (*const works[NODES])(struct node *) = { retire_some };
	struct wf_cursor before = { 0 };
	struct wf_cursor end = { 0 };

	launch_many(f, ROWS);
	for (unsigned i = ROWS; i > 0; i--)
		end_case(f, i);
	OK(wf_store_history_end(f->store, &before, &f->err));
	run_nodes(f, works);
	CU_ASSERT_EQUAL(atomic_load(&all.done) + retire(f), ROWS);
	/* The mark is that of the last row, even after it was retired first. */
	OK(wf_store_history_end(f->store, &end, &f->err));
	CU_ASSERT_EQUAL(end.position, before.position);
	CU_ASSERT_EQUAL(end.number, before.number);
	CU_ASSERT_EQUAL(end.sequence, before.sequence);
}

static void test_retire_together(void)
{
	store_on_postgresql(check_retire_together);
}

/* Launches a case in a month, counted from January 1970. */
static void launch_in(
    struct store_fixture *f, uint64_t number, const char *name, int64_t month)
{
	struct wf_claim claim = { .namespace_id = 1, .name = name };
	struct wf_batch batch = { .claims = &claim, .claim_count = 1 };
	struct wf_case_write write = store_new_case(number, name);
	struct wf_history_row step = store_history_row(number, 1);
	struct wf_writes writes = { .cases = &write,
		.case_count = 1,
		.history = &step,
		.history_count = 1 };

	write.row.launched_at = month * 2629746000 + 86400000;
	OK(wf_store_begin(f->store, &batch, f->arena, &f->err));
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
}

static bool has_month(struct store_fixture *f, const char *name)
{
	char sql[128];
	PGresult *result;
	bool has;

	snprintf(sql, sizeof sql,
	    "SELECT 1 WHERE to_regclass('%s') IS NOT NULL", name);
	result = store_ask(f->url, sql);
	has = PQntuples(result) > 0;
	PQclear(result);
	return has;
}

/* A month that has become empty is dropped, as soon as it is not in use. */
static void check_drop_months(struct store_fixture *f)
{
	struct wf_take taken;

	PQclear(store_ask(
	    f->url, "SELECT make_month(12), make_month(13), make_month(14)"));
	launch_in(f, 1, "one", 12);
	launch_in(f, 2, "two", 13);
	launch_in(f, 3, "three", 14);
	end_case(f, 1);
	end_case(f, 3);
	CU_ASSERT_TRUE(has_month(f, "history_1971_01"));
	/* The other node has read the history of the case. */
	store_take(f, f->store, 2, 1, &taken);
	OK(store_step_to(f, f->store, &taken, WF_CASE_STEP, 1, NULL));
	store_take(f, f->other, 2, 0, &taken);
	CU_ASSERT_EQUAL(taken.stored.tail_count, 1);
	CU_ASSERT_EQUAL(retire(f), 2);
	CU_ASSERT_TRUE(has_month(f, "history_1971_01"));
	wf_store_abort(f->other);
	CU_ASSERT_EQUAL(retire(f), 0);
	CU_ASSERT_FALSE(has_month(f, "history_1971_01"));
	CU_ASSERT_TRUE(has_month(f, "history_1971_02"));
	CU_ASSERT_FALSE(has_month(f, "history_1971_03"));
	CU_ASSERT_TRUE(has_month(f, "history_other"));
}

static void test_drop_months(void)
{
	store_on_postgresql(check_drop_months);
}

CU_TestInfo wf_tests_postgresql_nodes[] = {
	{ "claims", test_claims },
	{ "streams of announcements", test_streams },
	{ "readers of history", test_readers },
	{ "readers of changes", test_changes },
	{ "retiring beside a batch", test_retire_beside },
	{ "nodes that retire together", test_retire_together },
	{ "months that are dropped", test_drop_months },
	{ "a message behind one that is removed", test_heads },
	CU_TEST_INFO_NULL,
};
