/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The running engine when something fails: the store, a statement, an
 * assertion, the disk, stored data.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "persistence/sqlite/sqlite_priv.h"
#include "tests/unit/engine_fixture.h"
#include "tests/unit/seed.h"

#define MANY 64U
#define LARGE 3000U

static char *large_data(struct wf_fixture *f, size_t length)
{
	char *data = wf_arena_alloc(f->arena, length + 32);

	strcpy(data, "<N><s>");
	memset(data + 6, 'x', length);
	strcpy(data + 6 + length, "</s></N>");
	return data;
}

/* Turns, while the clock goes on. */
static void wait_seconds(struct wf_fixture *f, unsigned seconds)
{
	for (unsigned i = 0; i < seconds; i++) {
		f->now += 1000;
		wf_fixture_turn(f);
	}
}

/* --- one among many ------------------------------------------------------- */

struct replies {
	unsigned count;
	unsigned good;
	enum wf_rc last_bad;
	uint64_t bad_number;
};

static void note_reply(void *context, const struct wf_reply *reply)
{
	struct replies *replies = context;

	replies->count++;
	if (reply->rc == WF_OK) {
		replies->good++;
	} else {
		replies->last_bad = reply->rc;
		replies->bad_number = reply->number;
	}
}

static void submit(struct wf_fixture *f, uint64_t number,
    enum wf_command_kind kind, const char *item, const char *data,
    struct replies *replies)
{
	struct wf_request request = { .number = number,
		.command = { .kind = kind,
		    .item = item,
		    .data = data,
		    .length = data == NULL ? 0 : strlen(data) } };

	CU_ASSERT_EQUAL(
	    wf_engine_submit(f->engine, &request, note_reply, replies, &f->err),
	    WF_OK);
}

static void launch_many(struct wf_fixture *f)
{
	wf_fixture_init(f);
	wf_fixture_open(f);
	for (uint64_t i = 1; i <= MANY; i++)
		CU_ASSERT_EQUAL(wf_fixture_launch(f), i);
}

static void check_one_quarantined(struct wf_fixture *f, uint64_t bad)
{
	for (uint64_t i = 1; i <= MANY; i++) {
		CU_ASSERT_EQUAL(wf_fixture_version(f, i), i == bad ? 1 : 2);
		CU_ASSERT_EQUAL(wf_fixture_is_quarantined(f, i), i == bad);
	}
}

static void test_assertion_among_many(void)
{
	struct replies replies = { 0 };
	struct wf_incident_list list;
	struct wf_engine_counts before;
	struct wf_engine_counts after;
	char items[MANY][16];
	struct wf_fixture f;

	launch_many(&f);
	wf_engine_counts(f.engine, &before);
	f.broken_item = "37:A";
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(items[i], sizeof(items[i]), "%u:A", i + 1);
		submit(&f, i + 1, WF_COMMAND_FINISH, items[i], NULL, &replies);
	}
	wf_fixture_turn(&f);
	wf_engine_counts(f.engine, &after);
	CU_ASSERT_EQUAL(replies.good, MANY - 1);
	CU_ASSERT_EQUAL(replies.last_bad, WF_BUG);
	CU_ASSERT_EQUAL(replies.bad_number, 37);
	check_one_quarantined(&f, 37);
	/* The others in one batch, the bad one in another. */
	CU_ASSERT_EQUAL(after.batches, before.batches + 2);
	list = wf_fixture_incidents(&f);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].number, 37);
	CU_ASSERT_STRING_EQUAL(list.rows[0].item, "37:A");
	CU_ASSERT_PTR_NOT_NULL(strstr(list.rows[0].text, "engine_fixture.c:"));
	wf_fixture_free(&f);
}

/* The store has a row already that one of the cases will write. */
static void add_value(struct wf_fixture *f, uint64_t number)
{
	struct wf_take take = { .number = number };
	struct wf_batch batch = { .takes = &take, .take_count = 1 };
	struct wf_value_row row = {
		.number = number, .value = 1, .text = { "x", 1 }
	};
	struct wf_writes writes = { .values = &row, .value_count = 1 };

	CU_ASSERT_EQUAL(
	    wf_store_begin(f->store, &batch, f->arena, &f->err), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_store_commit(f->store, &writes, NULL, &f->err), WF_OK);
}

static void test_rejected_among_many(void)
{
	struct replies replies = { 0 };
	struct wf_incident_list list;
	const char *data;
	struct wf_fixture f;

	launch_many(&f);
	data = large_data(&f, LARGE);
	add_value(&f, 11);
	for (unsigned i = 1; i <= MANY; i++)
		submit(&f, i, WF_COMMAND_UPDATE_CASE, "", data, &replies);
	wait_seconds(&f, 4);
	CU_ASSERT_EQUAL(replies.good, MANY - 1);
	CU_ASSERT_EQUAL(replies.bad_number, 11);
	check_one_quarantined(&f, 11);
	list = wf_fixture_incidents(&f);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].number, 11);
	CU_ASSERT_STRING_EQUAL(list.rows[0].code, "CONFLICT");
	wf_fixture_free(&f);
}

/* A row that is too large is the fault of the request, not of its case. */
static void test_too_large_among_many(void)
{
	struct wf_limits limits = wf_limits_default;
	struct replies replies = { 0 };
	struct wf_fixture f;

	wf_fixture_init(&f);
	limits.state_bytes = 1500;
	f.settings.limits = &limits;
	wf_fixture_open(&f);
	for (unsigned i = 1; i <= 4; i++)
		CU_ASSERT_EQUAL(wf_fixture_launch(&f), i);
	for (unsigned i = 1; i <= 4; i++)
		submit(&f, i, WF_COMMAND_UPDATE_CASE, "",
		    large_data(&f, i == 3 ? 2000 : 1000), &replies);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(replies.good, 3);
	CU_ASSERT_EQUAL(replies.bad_number, 3);
	CU_ASSERT_EQUAL(replies.last_bad, WF_LIMIT);
	CU_ASSERT_FALSE(wf_fixture_is_quarantined(&f, 3));
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 3, WF_COMMAND_FINISH, "3:A", NULL, NULL), WF_OK);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	wf_fixture_free(&f);
}

/*
 * Also where the state is stored seldom: the faulty request itself is refused.
 */
static void test_too_large_between_snapshots(void)
{
	struct wf_limits limits = wf_limits_default;
	enum wf_rc rc = WF_OK;
	unsigned good = 0;
	struct wf_fixture f;

	wf_fixture_init(&f);
	limits.state_bytes = 1000;
	f.settings.limits = &limits;
	f.settings.snapshot_bytes = 10;
	f.settings.snapshot_events = 1000000;
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	while (rc == WF_OK && good < 20)
		good += (rc = wf_fixture_do(&f, 1, WF_COMMAND_UPDATE_CASE, "",
			     large_data(&f, 100 * good), NULL)) == WF_OK;
	CU_ASSERT_EQUAL(rc, WF_LIMIT);
	CU_ASSERT_TRUE(good > 5 && good < 11);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 1 + good);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_FINISH, "1:A", NULL, NULL), WF_OK);
	CU_ASSERT_TRUE(wf_fixture_agrees(&f, 1));
	wf_fixture_free(&f);
}

/* --- the disk ------------------------------------------------------------- */

/* No file may grow past that size; 0: no limit. */
static void limit_files(rlim_t size)
{
	static struct rlimit before;
	struct rlimit limit;

	if (size > 0) {
		getrlimit(RLIMIT_FSIZE, &before);
		signal(SIGXFSZ, SIG_IGN);
		limit = before;
		limit.rlim_cur = size;
		CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
	} else {
		CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &before), 0);
	}
}

/*
 * No case is at fault: all callers get the failure, no case is quarantined, and
 * then all goes on.
 */
static void test_disk_full(void)
{
	struct replies replies = { 0 };
	struct wf_fixture f;

	wf_fixture_init_on(&f, "sqlite");
	wf_fixture_open(&f);
	for (uint64_t i = 1; i <= 8; i++)
		CU_ASSERT_EQUAL(wf_fixture_launch(&f), i);
	CU_ASSERT_EQUAL(wf_fixture_schedule(
			    &f, 8, WF_COMMAND_SUSPEND_CASE, "", f.now + 1500),
	    WF_OK);
	limit_files(1);
	for (unsigned i = 1; i <= 8; i++)
		submit(&f, i, WF_COMMAND_UPDATE_CASE, "", "<N><s>x</s></N>",
		    &replies);
	wait_seconds(&f, 1);
	CU_ASSERT_EQUAL(replies.count, 0);
	wait_seconds(&f, 10);
	limit_files(0);
	CU_ASSERT_EQUAL(replies.count, 8);
	CU_ASSERT_EQUAL(replies.good, 0);
	CU_ASSERT_TRUE(
	    replies.last_bad == WF_UNAVAILABLE || replies.last_bad == WF_LOST);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	for (unsigned i = 1; i <= 8; i++) {
		CU_ASSERT_FALSE(wf_fixture_is_quarantined(&f, i));
		submit(&f, i, WF_COMMAND_UPDATE_CASE, "", "<N><s>y</s></N>",
		    &replies);
	}
	wait_seconds(&f, 200);
	CU_ASSERT_EQUAL(replies.good, 8);
	for (unsigned i = 1; i <= 8; i++) {
		CU_ASSERT_EQUAL(wf_fixture_version(&f, i), i == 8 ? 3 : 2);
		CU_ASSERT_TRUE(wf_fixture_agrees(&f, i));
	}
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	wf_fixture_free(&f);
}

/* The clock is set back while the store fails: no caller waits longer. */
static void test_clock_set_back(void)
{
	struct replies replies = { 0 };
	struct wf_fixture f;

	wf_fixture_init_on(&f, "sqlite");
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL(wf_fixture_launch(&f), 1);
	limit_files(1);
	submit(&f, 1, WF_COMMAND_UPDATE_CASE, "", "<N><s>x</s></N>", &replies);
	wait_seconds(&f, 1);
	CU_ASSERT_EQUAL(replies.count, 0);
	f.now -= 3600000;
	wait_seconds(&f, 10);
	limit_files(0);
	CU_ASSERT_EQUAL(replies.count, 1);
	CU_ASSERT_EQUAL(replies.good, 0);
	wf_fixture_free(&f);
}

/* Nor does a caller wait longer when a case cannot be quarantined. */
static void test_cannot_be_quarantined(void)
{
	struct replies replies = { 0 };
	struct wf_fixture f;

	wf_fixture_init_on(&f, "sqlite");
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL(wf_fixture_launch(&f), 1);
	f.broken_item = "1:A";
	limit_files(1);
	submit(&f, 1, WF_COMMAND_FINISH, "1:A", NULL, &replies);
	wait_seconds(&f, 1);
	CU_ASSERT_EQUAL(replies.count, 0);
	wait_seconds(&f, 10);
	limit_files(0);
	CU_ASSERT_EQUAL(replies.count, 1);
	CU_ASSERT_EQUAL(replies.good, 0);
	CU_ASSERT_FALSE(wf_fixture_is_quarantined(&f, 1));
	f.broken_item = NULL;
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_FINISH, "1:A", NULL, NULL), WF_OK);
	wf_fixture_free(&f);
}

/* Leaves that many pages for the database of a shard; 0: no limit. */
static void limit_pages(struct wf_fixture *f, unsigned more)
{
	struct sqlite_store *store =
	    (struct sqlite_store *)(void *)wf_engine_shard_store(f->engine, 0);
	sqlite3_stmt *statement;
	char sql[64];
	int pages = 1 << 30;

	if (more > 0) {
		CU_ASSERT_EQUAL(sqlite3_prepare_v2(store->db,
				    "PRAGMA page_count", -1, &statement, NULL),
		    SQLITE_OK);
		CU_ASSERT_EQUAL(sqlite3_step(statement), SQLITE_ROW);
		pages = sqlite3_column_int(statement, 0) + (int)more;
		sqlite3_finalize(statement);
	}
	snprintf(sql, sizeof(sql), "PRAGMA max_page_count = %d", pages);
	CU_ASSERT_EQUAL(
	    sqlite3_exec(store->db, sql, NULL, NULL, NULL), SQLITE_OK);
}

/* There is room for small rows, not for large ones: no case is at fault. */
static void test_disk_nearly_full(void)
{
	struct replies small = { 0 };
	struct replies large = { 0 };
	struct wf_fixture f;

	wf_fixture_init_on(&f, "sqlite");
	wf_fixture_open(&f);
	for (uint64_t i = 1; i <= 8; i++)
		CU_ASSERT_EQUAL(wf_fixture_launch(&f), i);
	limit_pages(&f, 50);
	submit(
	    &f, 3, WF_COMMAND_UPDATE_CASE, "", large_data(&f, 1000000), &large);
	for (unsigned i = 4; i <= 8; i++)
		submit(&f, i, WF_COMMAND_UPDATE_CASE, "", "<N><s>x</s></N>",
		    &small);
	wait_seconds(&f, 10);
	CU_ASSERT_EQUAL(small.good, 5);
	CU_ASSERT_EQUAL(large.count, 1);
	CU_ASSERT_EQUAL(large.last_bad, WF_UNAVAILABLE);
	CU_ASSERT_FALSE(wf_fixture_is_quarantined(&f, 3));
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	limit_pages(&f, 0);
	submit(
	    &f, 3, WF_COMMAND_UPDATE_CASE, "", large_data(&f, 1000000), &large);
	wait_seconds(&f, 1);
	CU_ASSERT_EQUAL(large.good, 1);
	wf_fixture_free(&f);
}

/* A case with a due command that was claimed before. */
static void launch_with_suspect(
    struct wf_fixture *f, enum wf_command_kind command)
{
	struct wf_due_list due;

	wf_fixture_init(f);
	wf_fixture_open(f);
	wf_fixture_launch(f);
	CU_ASSERT_EQUAL(wf_fixture_schedule(f, 1, command, "", f->now), WF_OK);
	CU_ASSERT_EQUAL(wf_store_claim_due(
			    f->store, f->now, f->now, 10, f->arena, &due, NULL),
	    WF_OK);
}

/*
 * A suspect that cannot be tried because the store fails has killed no engine.
 */
static void test_suspect_while_store_fails(void)
{
	struct wf_store *store;
	struct wf_fixture f;

	launch_with_suspect(&f, WF_COMMAND_SUSPEND_CASE);
	store = wf_engine_shard_store(f.engine, 0);
	for (unsigned i = 0; i < 300; i++) {
		f.now += 1000;
		wf_store_fail_after(store, 1, WF_FAULT_BEFORE);
		wf_engine_turn(f.engine);
	}
	wf_store_fail_after(store, 0, WF_FAULT_BEFORE);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 1);
	wait_seconds(&f, 70);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 2);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	wf_fixture_free(&f);
}

/* Nor does that count as an attempt. */
static void test_suspect_that_is_spared(void)
{
	struct wf_incident_list list;
	struct wf_store *store;
	struct wf_fixture f;

	launch_with_suspect(&f, WF_COMMAND_RESUME_CASE);
	store = wf_engine_shard_store(f.engine, 0);
	for (unsigned i = 0;
	     i < 30 && (i == 0 || wf_engine_next_due(f.engine) > f.now + 1000);
	     i++) {
		f.now += 1000;
		wf_store_fail_after(store, 1, WF_FAULT_BEFORE);
		wf_engine_turn(f.engine);
	}
	wf_store_fail_after(store, 0, WF_FAULT_BEFORE);
	wait_seconds(&f, 1);
	list = wf_fixture_incidents(&f);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].attempts, 2);
	wf_fixture_free(&f);
}

/* Nor does a trial that cannot be taken back at once. */
static void fail_at(uint64_t n)
{
	struct wf_store *reader;
	struct wf_store *store;
	struct wf_fixture f;

	launch_with_suspect(&f, WF_COMMAND_SUSPEND_CASE);
	store = wf_engine_shard_store(f.engine, 0);
	CU_ASSERT_EQUAL_FATAL(
	    wf_engine_borrow(f.engine, &reader, &f.err), WF_OK);
	wf_engine_give_back(f.engine, reader);
	for (unsigned i = 0; i < 300; i++) {
		f.now += 1000;
		wf_store_fail_after(store, 1, WF_FAULT_BEFORE);
		/* It is claimed while the reader works, and then given up. */
		wf_store_fail_after(
		    reader, i % 20 < 5 ? 0 : n, WF_FAULT_BEFORE);
		wf_engine_turn(f.engine);
	}
	wf_store_fail_after(store, 0, WF_FAULT_BEFORE);
	wf_store_fail_after(reader, 0, WF_FAULT_BEFORE);
	wait_seconds(&f, 130);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 2);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	wf_fixture_free(&f);
}

static void test_suspect_while_all_fails(void)
{
	for (uint64_t n = 1; n <= 4; n++)
		fail_at(n);
}

/* --- statements ----------------------------------------------------------- */

/*
 * After a lost answer the outcome is read at once, before all other requests.
 */
static void test_lost_answer(void)
{
	struct replies replies = { 0 };
	struct wf_store *store;
	struct wf_fixture f;
	uint64_t statements;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	store = wf_engine_shard_store(f.engine, 0);
	statements = wf_store_statements(store);
	wf_fixture_do(&f, 1, WF_COMMAND_SUSPEND_CASE, "", NULL, NULL);
	/* The commit comes last. */
	wf_store_fail_after(
	    store, wf_store_statements(store) - statements, WF_FAULT_AFTER);
	submit(&f, 1, WF_COMMAND_RESUME_CASE, "", NULL, &replies);
	wf_engine_turn(f.engine);
	CU_ASSERT_EQUAL(wf_store_faults(store), 1);
	CU_ASSERT_EQUAL(replies.good, 1);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 3);
	wf_fixture_free(&f);
}

/*
 * Cases in memory may be those of a store that no longer exists: an older copy
 * may have replaced it under the same name.
 */
static void test_nothing_is_trusted(void)
{
	struct wf_engine_counts counts;
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	for (uint64_t i = 1; i <= 2; i++)
		CU_ASSERT_EQUAL(wf_fixture_launch(&f), i);
	wf_store_fail_after(
	    wf_engine_shard_store(f.engine, 0), 1, WF_FAULT_BEFORE);
	for (uint64_t i = 1; i <= 2; i++)
		CU_ASSERT_EQUAL(wf_fixture_do(&f, i, WF_COMMAND_SUSPEND_CASE,
				    "", NULL, NULL),
		    WF_OK);
	wf_engine_counts(f.engine, &counts);
	CU_ASSERT_EQUAL(counts.loads, 2);
	wf_fixture_free(&f);
}

/*
 * A run with some of everything. Requests are repeated by their keys until they
 * are answered; due commands get enough time.
 */
static uint64_t ask(struct wf_fixture *f, struct wf_request *request,
    const char *key, enum wf_rc expected)
{
	struct wf_answer answer;
	enum wf_rc rc = WF_UNAVAILABLE;

	request->actor = "ann";
	request->key = key;
	for (unsigned i = 0;
	     i < 20 && (rc == WF_UNAVAILABLE || rc == WF_LOST || rc == WF_IO);
	     i++) {
		rc = wf_engine_call(f->engine, request, &answer, NULL);
		f->now += 100;
	}
	/* Its step failed before the answer was lost; it is quarantined now. */
	if (expected == WF_BUG && rc == WF_CONFLICT)
		rc = WF_BUG;
	CU_ASSERT_EQUAL(rc, expected);
	return answer.number;
}

static uint64_t live(struct wf_fixture *f)
{
	struct wf_request launch = { .command = { .kind = WF_COMMAND_LAUNCH },
		.launch = { .specification = f->key, .name = "x" } };
	struct wf_request later = { .kind = WF_REQUEST_SCHEDULE,
		.command = { .kind = WF_COMMAND_LAUNCH },
		.launch = { .specification = f->key },
		.at = f->now };
	struct wf_request step = { .command = { .kind = WF_COMMAND_FINISH } };
	struct wf_request due = { .kind = WF_REQUEST_SCHEDULE,
		.command = { .kind = WF_COMMAND_FINISH } };
	struct wf_request retry = { .kind = WF_REQUEST_RETRY };
	struct wf_incident_list list;

	step.number = due.number = ask(f, &launch, "1", WF_OK);
	ask(f, &later, "2", WF_OK);
	step.command.item = "x:A";
	ask(f, &step, "3", WF_OK);
	due.command.item = "x:B";
	due.at = f->now;
	ask(f, &due, "4", WF_OK);
	due.command.item = "x:D"; /* not yet */
	ask(f, &due, "5", WF_OK);
	wait_seconds(f, 65);
	step.command.item = f->broken_item = "x:C";
	ask(f, &step, "6", WF_BUG);
	f->broken_item = NULL;
	list = wf_fixture_incidents(f);
	CU_ASSERT_EQUAL(list.count, 2);
	for (size_t i = 0; i < list.count; i++) {
		retry.incident.id = list.rows[i].id;
		ask(f, &retry, i == 0 ? "7" : "8", WF_OK);
	}
	wait_seconds(f, 65);
	step.command.item = "x:C";
	ask(f, &step, "9", WF_OK);
	return step.number;
}

/* The state in the end, whatever has failed. */
static void check_life(struct wf_fixture *f, uint64_t number)
{
	struct wf_case_filter filter = { .limit = 10 };
	struct wf_incident_list incidents = wf_fixture_incidents(f);
	struct wf_case_list cases;

	/* Launch, A, B by itself, C. */
	CU_ASSERT_EQUAL(wf_fixture_version(f, number), 4);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(f, number), "D=0 ");
	CU_ASSERT_FALSE(wf_fixture_is_quarantined(f, number));
	CU_ASSERT_EQUAL(
	    wf_store_cases(f->store, &filter, f->arena, &cases, &f->err),
	    WF_OK);
	CU_ASSERT_EQUAL(cases.count, 2);
	for (size_t i = 0; i < cases.count; i++)
		CU_ASSERT_TRUE(wf_fixture_agrees(f, cases.rows[i].row.number));
	/* D, which was too early twice; a claim whose answer is lost counts. */
	CU_ASSERT_EQUAL_FATAL(incidents.count, 1);
	CU_ASSERT_TRUE(
	    incidents.rows[0].attempts == 2 || incidents.rows[0].attempts == 3);
	CU_ASSERT_EQUAL(wf_engine_next_due(f->engine), INT64_MAX);
}

/* Fails the n-th statement of a handle; false when there are fewer. */
static bool live_with_fault(
    const char *kind, bool of_shard, uint64_t n, enum wf_fault fault)
{
	unsigned failures = CU_get_number_of_failures();
	struct wf_store *store;
	struct wf_fixture f;
	uint64_t number;
	uint64_t before;
	bool enough;

	wf_fixture_init_on(&f, kind);
	wf_fixture_open(&f);
	if (of_shard) {
		store = wf_engine_shard_store(f.engine, 0);
	} else {
		/* The handle that all turns read with. */
		CU_ASSERT_EQUAL_FATAL(
		    wf_engine_borrow(f.engine, &store, &f.err), WF_OK);
		wf_engine_give_back(f.engine, store);
	}
	before = wf_store_statements(store);
	wf_store_fail_after(store, n, fault);
	number = live(&f);
	enough = wf_store_statements(store) - before >= n;
	CU_ASSERT_EQUAL(wf_store_faults(store), enough ? 1 : 0);
	wf_store_fail_after(store, 0, fault);
	check_life(&f, number);
	wf_fixture_free(&f);
	if (CU_get_number_of_failures() != failures)
		printf("%s: statement %llu of the %s, fault %u\n", kind,
		    (unsigned long long)n, of_shard ? "shard" : "reader",
		    fault);
	return enough && CU_get_number_of_failures() == failures;
}

static void live_with_faults(const char *kind, bool of_shard, uint64_t stride)
{
	for (uint64_t n = 1;
	     live_with_fault(kind, of_shard, n, WF_FAULT_BEFORE) &&
	     live_with_fault(kind, of_shard, n, WF_FAULT_AFTER);
	     n += stride)
		;
}

static void test_statements_in_memory(void)
{
	live_with_faults("memory", true, 1);
	live_with_faults("memory", false, 1);
}

/* There are many, and each takes a file: WEFT_SOAK=1 tries them all. */
static void test_statements_in_sqlite(void)
{
	uint64_t stride = test_soaks() ? 1 : 7;

	live_with_faults("sqlite", true, stride);
	live_with_faults("sqlite", false, stride);
}

/* --- damage --------------------------------------------------------------- */

struct damage {
	const char *what;
	const char *sql;
	bool all; /* cases of the specification, not only 2 */
};

static const struct damage damages[] = {
	{ "the state",
	    "UPDATE snapshot SET bytes = zeroblob(40) WHERE number = 2",
	    false },
	{ "no state", "DELETE FROM snapshot WHERE number = 2", false },
	{ "the state of another case",
	    "UPDATE snapshot SET bytes = (SELECT bytes FROM snapshot WHERE "
	    "number = 1) WHERE number = 2",
	    false },
	{ "a large value",
	    "UPDATE value SET text = zeroblob(100) WHERE number = 2", false },
	{ "no large value", "DELETE FROM value WHERE number = 2", false },
	{ "the specification", "UPDATE specification SET source = x'00'",
	    true },
	{ "no specification", "DELETE FROM specification", true },
	{ "the numbering", "UPDATE specification SET numbering = x'00'", true },
};

/* The case is quarantined, or all of the specification; the rest goes on. */
static void test_one_damage(const struct damage *damage)
{
	unsigned failures = CU_get_number_of_failures();
	struct wf_incident_list list;
	char *data;
	struct wf_fixture f;

	wf_fixture_init_on(&f, "sqlite");
	wf_fixture_open(&f);
	data = large_data(&f, LARGE);
	for (uint64_t i = 1; i <= 3; i++) {
		CU_ASSERT_EQUAL(wf_fixture_launch(&f), i);
		CU_ASSERT_EQUAL(wf_fixture_do(&f, i, WF_COMMAND_UPDATE_CASE, "",
				    data, NULL),
		    WF_OK);
	}
	wf_engine_close(&f.engine);
	wf_store_close(&f.store);
	store_edit(f.place.url, damage->sql);
	CU_ASSERT_EQUAL_FATAL(
	    wf_store_open(&f.store, f.place.url, 0, &f.err), WF_OK);
	wf_fixture_open(&f);
	for (uint64_t i = 1; i <= 3; i++) {
		bool bad = damage->all || i == 2;
		enum wf_rc rc = wf_fixture_do(
		    &f, i, WF_COMMAND_SUSPEND_CASE, "", NULL, NULL);

		CU_ASSERT_EQUAL(rc == WF_OK, !bad);
		CU_ASSERT_TRUE(!bad || rc == WF_CORRUPT || rc == WF_NOT_FOUND);
		CU_ASSERT_EQUAL(wf_fixture_is_quarantined(&f, i), bad);
		CU_ASSERT_EQUAL(wf_fixture_version(&f, i), bad ? 2 : 3);
		if (bad)
			CU_ASSERT_EQUAL(
			    wf_fixture_do(
				&f, i, WF_COMMAND_SUSPEND_CASE, "", NULL, NULL),
			    WF_CONFLICT);
	}
	list = wf_fixture_incidents(&f);
	CU_ASSERT_EQUAL(list.count, damage->all ? 3 : 1);
	wf_fixture_free(&f);
	if (CU_get_number_of_failures() != failures)
		printf("damaged: %s\n", damage->what);
}

static void test_damages(void)
{
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++)
		test_one_damage(&damages[i]);
}

/* Damages a step of the history that is needed, because the state is large. */
static void test_damaged_history(void)
{
	char item[8];
	struct wf_fixture f;

	wf_fixture_init_on(&f, "sqlite");
	f.settings.snapshot_bytes = 1;
	wf_fixture_open(&f);
	for (uint64_t i = 1; i <= 2; i++) {
		CU_ASSERT_EQUAL(wf_fixture_launch(&f), i);
		snprintf(item, sizeof(item), "%u:A", (unsigned)i);
		CU_ASSERT_EQUAL(
		    wf_fixture_do(&f, i, WF_COMMAND_FINISH, item, NULL, NULL),
		    WF_OK);
	}
	wf_engine_close(&f.engine);
	wf_store_close(&f.store);
	store_edit(f.place.url,
	    "UPDATE history SET events = x'00' WHERE number = 1 AND "
	    "sequence = 2");
	CU_ASSERT_EQUAL_FATAL(
	    wf_store_open(&f.store, f.place.url, 0, &f.err), WF_OK);
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_FINISH, "1:B", NULL, NULL),
	    WF_CORRUPT);
	CU_ASSERT_TRUE(wf_fixture_is_quarantined(&f, 1));
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 2, WF_COMMAND_FINISH, "2:B", NULL, NULL), WF_OK);
	wf_fixture_free(&f);
}

/* --- malformed data ------------------------------------------------------- */

static void test_malformed(void)
{
	static const struct wf_request requests[] = {
		{ .command = { .kind = WF_COMMAND_LAUNCH },
		    .launch = { .title = "\xff" } },
		{ .command = { .kind = WF_COMMAND_LAUNCH },
		    .actor = "a\xc0\x80" },
		{ .command = { .kind = WF_COMMAND_LAUNCH },
		    .actor = "a",
		    .key = "\xed\xa0\x80" },
		{ .command = { .kind = WF_COMMAND_LAUNCH },
		    .key = "without an account" },
		{ .command = { .kind = WF_COMMAND_LAUNCH },
		    .launch = { .name = "no name" } },
		{ .command = { .kind = WF_COMMAND_FINISH } },
		{ .command = { .kind = WF_COMMAND_FINISH, .described = true },
		    .number = 1 },
		{ .kind = WF_REQUEST_SCHEDULE,
		    .command = { .described = true } },
		{ .command = { .kind = WF_COMMAND_DECIDE }, .number = 1 },
		{ .command = { .kind = WF_COMMAND_EXPIRE }, .number = 1 },
		{ .command = { .kind = (enum wf_command_kind)99 },
		    .number = 1 },
		{ .kind = (enum wf_request_kind)99, .number = 1 },
		{ .kind = WF_REQUEST_DROP, .number = 1 },
		{ .kind = WF_REQUEST_RETRY },
	};
	struct wf_answer answer;
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		struct wf_request request = requests[i];

		request.launch.specification = f.key;
		wf_error_clear(&f.err);
		CU_ASSERT_EQUAL(
		    wf_engine_call(f.engine, &request, &answer, &f.err),
		    WF_INVALID);
		CU_ASSERT_STRING_NOT_EQUAL(f.err.message, "");
	}
	wf_fixture_free(&f);
}

/* A request that never fits is refused with LIMIT, not UNAVAILABLE. */
static void test_too_large(void)
{
	struct wf_request request = {
		.command = { .kind = WF_COMMAND_UPDATE_CASE }, .number = 1
	};
	struct wf_answer answer;
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.queue_bytes = 100000;
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	request.command.data = large_data(&f, 100000);
	request.command.length = strlen(request.command.data);
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_LIMIT);
	wf_engine_close(&f.engine);
	f.settings.queue_bytes = (size_t)64 << 20;
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_OK);
	request.kind = WF_REQUEST_SCHEDULE;
	request.command.data = large_data(&f, (size_t)5 << 20);
	request.command.length = strlen(request.command.data);
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_LIMIT);
	wf_fixture_free(&f);
}

/* At each step: makes the statement fail that is this many after it. */
static struct {
	unsigned steps;
	uint64_t fail_after[2];
	uint64_t statements; /* before the last step */
} saboteur;

static void sabotage(
    void *context, const struct wf_request *request, struct wf_command *command)
{
	struct wf_fixture *f = context;
	struct wf_store *store = wf_engine_shard_store(f->engine, 0);

	(void)request;
	(void)command;
	saboteur.statements = wf_store_statements(store);
	if (saboteur.steps < 2)
		wf_store_fail_after(store,
		    saboteur.fail_after[saboteur.steps++], WF_FAULT_BEFORE);
}

/*
 * A caller repeats a request that was done, in one batch with another request:
 * the batch fails, then succeeds without the repeated one, which fails again
 * and again. Its reply must not say that it was not done.
 */
static void test_done_and_unknown(void)
{
	struct wf_request request = { .command = { .kind = WF_COMMAND_FINISH,
					  .item = "1:A" },
		.number = 1,
		.actor = "ann",
		.key = "k" };
	struct replies replies = { 0 };
	struct wf_answer answer;
	struct wf_store *store;
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.probe = sabotage;
	wf_fixture_open(&f);
	memset(&saboteur, 0, sizeof(saboteur));
	for (unsigned i = 0; i < 3; i++)
		wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 2, WF_COMMAND_FINISH, "2:A", NULL, NULL), WF_OK);
	store = wf_engine_shard_store(f.engine, 0);
	saboteur.fail_after[0] = 1;
	saboteur.fail_after[1] =
	    wf_store_statements(store) - saboteur.statements + 1;
	saboteur.steps = 0;
	submit(&f, 3, WF_COMMAND_FINISH, "3:A", NULL, &replies);
	CU_ASSERT_EQUAL(
	    wf_engine_submit(f.engine, &request, note_reply, &replies, NULL),
	    WF_OK);
	for (unsigned i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(replies.count, i > 0 ? 1 : 0);
		wf_engine_turn(f.engine);
		wf_store_fail_after(store, 1, WF_FAULT_BEFORE);
	}
	CU_ASSERT_EQUAL(replies.count, 2);
	CU_ASSERT_EQUAL(replies.good, 1);
	CU_ASSERT_EQUAL(replies.last_bad, WF_LOST);
	CU_ASSERT_EQUAL(wf_store_faults(store), 4);
	wf_fixture_free(&f);
}

CU_TestInfo wf_tests_failures[] = {
	{ "an assertion among many cases", test_assertion_among_many },
	{ "a case that the store rejects", test_rejected_among_many },
	{ "a case that gets too large", test_too_large_among_many },
	{ "a large case that gets too large",
	    test_too_large_between_snapshots },
	{ "the disk is full", test_disk_full },
	{ "a case that cannot be quarantined", test_cannot_be_quarantined },
	{ "a clock that is set back", test_clock_set_back },
	{ "the disk is nearly full", test_disk_nearly_full },
	{ "a suspect while the store fails", test_suspect_while_store_fails },
	{ "a suspect that is spared", test_suspect_that_is_spared },
	{ "a suspect while all fails", test_suspect_while_all_fails },
	{ "an answer that is lost", test_lost_answer },
	{ "what is in memory after a failure", test_nothing_is_trusted },
	{ "each statement, in memory", test_statements_in_memory },
	{ "each statement, in SQLite", test_statements_in_sqlite },
	{ "what is stored is damaged", test_damages },
	{ "a step of the history is damaged", test_damaged_history },
	{ "done, and the outcome is unknown", test_done_and_unknown },
	{ "malformed requests", test_malformed },
	{ "requests that are too large", test_too_large },
	CU_TEST_INFO_NULL,
};
