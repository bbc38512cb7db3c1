/* SPDX-License-Identifier: Apache-2.0 */
/* The running engine, one property at a time; see also test_simulation.c. */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/engine_fixture.h"

#define LARGE 3000U

static void test_case_from_launch_to_end(void)
{
	struct wf_stored_case stored;
	struct wf_answer answer;
	struct wf_fixture f;
	uint64_t number;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	number = wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(number, 1);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, number), "A=0 ");
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, number, WF_COMMAND_START, "1:A", NULL, &answer),
	    WF_OK);
	CU_ASSERT_STRING_EQUAL(answer.item, "1.1:A");
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, number), "A=2 ");
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, number, WF_COMMAND_START, "1:A", NULL, NULL),
	    WF_NOT_FOUND);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, number, WF_COMMAND_COMPLETE, "1.1:A", NULL, NULL),
	    WF_OK);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, number), "B=0 C=0 ");
	CU_ASSERT_TRUE(wf_fixture_agrees(&f, number));
	for (size_t i = 0; i < 3; i++) {
		static const char *const items[] = { "1:B", "1:C", "1:D" };

		CU_ASSERT_EQUAL(wf_fixture_do(&f, number, WF_COMMAND_FINISH,
				    items[i], NULL, &answer),
		    WF_OK);
	}
	CU_ASSERT_EQUAL(answer.status, WF_CASE_COMPLETED);
	CU_ASSERT_EQUAL(
	    wf_store_case(f.store, number, true, f.arena, &stored, NULL),
	    WF_OK);
	CU_ASSERT_TRUE(stored.ended);
	CU_ASSERT_EQUAL(stored.row.version, 6);
	CU_ASSERT_EQUAL(stored.tail_count, 6);
	CU_ASSERT_TRUE(wf_fixture_agrees(&f, number));
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, number, WF_COMMAND_CANCEL_CASE, "", NULL, NULL),
	    WF_NOT_FOUND);
	wf_fixture_free(&f);
}

static void test_keys(void)
{
	struct wf_request request = { .kind = WF_REQUEST_COMMAND,
		.command = { .kind = WF_COMMAND_LAUNCH },
		.actor = "ann",
		.key = "k1" };
	struct wf_answer first;
	struct wf_answer second;
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	request.launch.specification = f.key;
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &first, NULL), WF_OK);
	wf_engine_close(&f.engine);
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &second, NULL), WF_OK);
	CU_ASSERT_EQUAL(first.number, second.number);
	CU_ASSERT_STRING_EQUAL(first.name, second.name);
	CU_ASSERT_FALSE(first.repeated);
	CU_ASSERT_TRUE(second.repeated);
	request.launch.title = "another";
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &second, NULL), WF_CONFLICT);
	/* The key of another account is another key. */
	request.actor = "bob";
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &second, NULL), WF_OK);
	CU_ASSERT_NOT_EQUAL(first.number, second.number);
	wf_fixture_free(&f);
}

static void test_names(void)
{
	struct wf_request request = { .kind = WF_REQUEST_COMMAND,
		.command = { .kind = WF_COMMAND_LAUNCH },
		.launch = { .name = "3" } };
	struct wf_answer answer;
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	request.launch.specification = f.key;
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_OK);
	CU_ASSERT_STRING_EQUAL(answer.name, "3");
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_CONFLICT);
	request.launch.name = "no name";
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_INVALID);
	/* Numbers that are in use as names are skipped. */
	request.launch.name = "";
	for (unsigned i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(
		    wf_engine_call(f.engine, &request, &answer, NULL), WF_OK);
		CU_ASSERT_STRING_NOT_EQUAL(answer.name, "3");
	}
	request.launch.specification++;
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_NOT_FOUND);
	wf_fixture_free(&f);
}

static void make_large(char text[LARGE + 32], char fill)
{
	strcpy(text, "<N><s>");
	memset(text + 6, fill, LARGE);
	strcpy(text + 6 + LARGE, "</s></N>");
}

/* Without a cache for cases, all goes on as before. */
static void test_paging(void)
{
	struct wf_engine_counts counts;
	char data[LARGE + 32];
	uint64_t numbers[8];
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.cache_bytes = 1;
	wf_fixture_open(&f);
	for (size_t i = 0; i < 8; i++)
		numbers[i] = wf_fixture_launch(&f);
	for (unsigned round = 0; round < 80; round++) {
		uint64_t number = numbers[round % 8];

		make_large(data, (char)('a' + round % 26));
		CU_ASSERT_EQUAL(wf_fixture_do(&f, number,
				    WF_COMMAND_UPDATE_CASE, "", data, NULL),
		    WF_OK);
		CU_ASSERT_TRUE(wf_fixture_agrees(&f, number));
	}
	wf_engine_counts(f.engine, &counts);
	CU_ASSERT_TRUE(counts.loads > 70);
	CU_ASSERT_TRUE(counts.cached_cases <= 1);
	wf_fixture_free(&f);
}

/* A large state is stored now and then, and never many events ago. */
static void test_snapshots(void)
{
	struct wf_stored_case stored;
	size_t longest = 0;
	unsigned times = 0;
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.snapshot_bytes = 1;
	f.settings.snapshot_events = 8;
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	for (unsigned i = 0; i < 40; i++) {
		wf_fixture_do(&f, 1,
		    i % 2 == 0 ? WF_COMMAND_SUSPEND_CASE
			       : WF_COMMAND_RESUME_CASE,
		    "", NULL, NULL);
		CU_ASSERT_EQUAL_FATAL(
		    wf_store_case(f.store, 1, true, f.arena, &stored, NULL),
		    WF_OK);
		if (stored.tail_count > longest)
			longest = stored.tail_count;
		times += stored.tail_count == 0;
	}
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 41);
	CU_ASSERT_TRUE(longest > 1 && longest < 8);
	CU_ASSERT_TRUE(times > 3 && times < 20);
	wf_fixture_free(&f);
}

/*
 * Without a cache for specifications, the cases that need them are dropped from
 * memory too.
 */
static void test_many_specifications(void)
{
	struct wf_engine_counts counts;
	char item[16];
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.spec_bytes = 1;
	wf_fixture_open(&f);
	for (unsigned i = 0; i < 9; i++) {
		CU_ASSERT_EQUAL_FATAL(wf_fixture_load_variant(&f, i), WF_OK);
		CU_ASSERT_EQUAL(wf_fixture_launch(&f), i + 1);
	}
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 1; i <= 9; i++) {
			snprintf(item, sizeof(item), "%u:%s", i,
			    round == 0 ? "A" : "B");
			CU_ASSERT_EQUAL(wf_fixture_do(&f, i, WF_COMMAND_FINISH,
					    item, NULL, NULL),
			    WF_OK);
		}
	wf_engine_counts(f.engine, &counts);
	CU_ASSERT_EQUAL(counts.cached_cases, 1);
	CU_ASSERT_EQUAL(counts.loads, 18);
	wf_fixture_free(&f);
}

static void count_spec(void *context, const struct wf_spec *spec)
{
	(void)spec;
	++*(size_t *)context;
}

/* A compiled specification counts with its own size, not with its source's. */
static void test_memory_of_specifications(void)
{
	uint64_t keys[9];
	size_t in_memory = 0;
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.spec_bytes = (size_t)400 << 10;
	wf_fixture_open(&f);
	for (unsigned i = 0; i < 9; i++) {
		CU_ASSERT_EQUAL_FATAL(wf_fixture_load_variant(&f, i), WF_OK);
		CU_ASSERT_EQUAL(wf_fixture_launch(&f), i + 1);
		keys[i] = f.key;
	}
	for (unsigned i = 0; i < 9; i++) {
		enum wf_rc rc =
		    wf_engine_inspect_spec(f.engine, WF_NAMESPACE_DEFAULT,
			keys[i], true, count_spec, &in_memory, NULL);

		CU_ASSERT_TRUE(rc == WF_OK || rc == WF_UNAVAILABLE);
	}
	CU_ASSERT_TRUE(in_memory > 0);
	CU_ASSERT_TRUE(in_memory < 5);
	wf_fixture_free(&f);
}

/* An assertion that fails ends its step; only its case is quarantined. */
static void test_failing_assertion(void)
{
	struct wf_incident_filter filter = { .limit = 10 };
	struct wf_request retry = { .kind = WF_REQUEST_RETRY };
	struct wf_incident_list list;
	struct wf_answer answer;
	struct wf_fixture f;
	uint64_t good;
	uint64_t bad;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	good = wf_fixture_launch(&f);
	bad = wf_fixture_launch(&f);
	f.broken_item = "2:A";
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, bad, WF_COMMAND_FINISH, "2:A", NULL, NULL),
	    WF_BUG);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, good, WF_COMMAND_FINISH, "1:A", NULL, NULL),
	    WF_OK);
	f.broken_item = NULL;
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, bad, WF_COMMAND_FINISH, "2:A", NULL, NULL),
	    WF_CONFLICT);
	CU_ASSERT_EQUAL(
	    wf_store_incidents(f.store, &filter, f.arena, &list, NULL), WF_OK);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].number, bad);
	CU_ASSERT_STRING_EQUAL(list.rows[0].code, "BUG");
	CU_ASSERT_PTR_NOT_NULL(strstr(list.rows[0].text, "broken_item"));
	retry.incident.id = list.rows[0].id;
	CU_ASSERT_EQUAL(wf_engine_call(f.engine, &retry, &answer, NULL), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, bad, WF_COMMAND_FINISH, "2:A", NULL, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &retry, &answer, NULL), WF_NOT_FOUND);
	wf_fixture_free(&f);
}

/* Another node has the case: its commands wait, those of others do not. */
static void test_case_in_another_batch(void)
{
	struct wf_take take = { .number = 1 };
	struct wf_batch batch = { .takes = &take, .take_count = 1 };
	struct wf_fixture f;
	uint64_t other;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL(wf_fixture_launch(&f), 1);
	other = wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(wf_store_begin(f.store, &batch, f.arena, NULL), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_FINISH, "1:A", NULL, NULL),
	    WF_UNAVAILABLE);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, other, WF_COMMAND_FINISH, "2:A", NULL, NULL),
	    WF_OK);
	wf_store_abort(f.store);
	wf_fixture_turn(&f);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, 1), "B=0 C=0 ");
	wf_fixture_free(&f);
}

/* So do commands with a name or a key that another node is using. */
static void test_name_in_another_batch(void)
{
	struct wf_claim claim = { .namespace_id = WF_NAMESPACE_DEFAULT,
		.name = "order" };
	struct wf_lookup command = { .id = "ann/k" };
	struct wf_batch batches[] = {
		{ .claims = &claim, .claim_count = 1 },
		{ .commands = &command, .command_count = 1 },
	};
	struct wf_request request = { .command = { .kind = WF_COMMAND_LAUNCH },
		.launch = { .name = "order" },
		.actor = "ann",
		.key = "k" };
	struct wf_answer answer;
	struct wf_fixture f;

	for (size_t i = 0; i < 2; i++) {
		wf_fixture_init(&f);
		wf_fixture_open(&f);
		request.launch.specification = f.key;
		CU_ASSERT_EQUAL(
		    wf_store_begin(f.store, &batches[i], f.arena, NULL), WF_OK);
		CU_ASSERT_EQUAL(
		    wf_engine_call(f.engine, &request, &answer, NULL),
		    WF_UNAVAILABLE);
		/* Launching others does not make the case suspicious. */
		for (unsigned k = 0; k < 4; k++)
			CU_ASSERT_NOT_EQUAL(wf_fixture_launch(&f), 0);
		wf_store_abort(f.store);
		wf_fixture_turn(&f);
		CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 1);
		CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
		wf_fixture_free(&f);
	}
}

/* Many waiting commands do not delay the others. */
static void test_cases_in_another_batch(void)
{
	struct wf_take takes[8] = { { .number = 1 } };
	struct wf_batch batch = { .takes = takes, .take_count = 8 };
	struct wf_request request = { .command = {
					  .kind = WF_COMMAND_SUSPEND_CASE } };
	unsigned replies[2] = { 0, 0 };
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.batch = 3;
	wf_fixture_open(&f);
	for (unsigned i = 1; i <= 9; i++)
		CU_ASSERT_EQUAL(wf_fixture_launch(&f), i);
	for (unsigned i = 0; i < 8; i++)
		takes[i].number = i + 1;
	CU_ASSERT_EQUAL(wf_store_begin(f.store, &batch, f.arena, NULL), WF_OK);
	for (unsigned i = 1; i <= 9; i++) {
		request.number = i;
		CU_ASSERT_EQUAL(wf_engine_submit(f.engine, &request,
				    wf_fixture_count_reply, replies, NULL),
		    WF_OK);
	}
	for (unsigned i = 0; i < 10; i++)
		wf_engine_turn(f.engine);
	CU_ASSERT_EQUAL(replies[0], 1);
	wf_store_abort(f.store);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 9), 2);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(replies[0], 9);
	wf_fixture_free(&f);
}

static void test_full_queue(void)
{
	struct wf_request request = { .kind = WF_REQUEST_COMMAND,
		.command = { .kind = WF_COMMAND_LAUNCH } };
	unsigned replies[2] = { 0, 0 };
	unsigned taken = 0;
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.queue_bytes = 10000;
	wf_fixture_open(&f);
	request.launch.specification = f.key;
	while (
	    taken < 1000 && wf_engine_submit(f.engine, &request,
				wf_fixture_count_reply, replies, NULL) == WF_OK)
		taken++;
	CU_ASSERT_TRUE(taken > 3 && taken < 100);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(replies[0], taken);
	CU_ASSERT_EQUAL(wf_engine_submit(f.engine, &request,
			    wf_fixture_count_reply, replies, NULL),
	    WF_OK);
	wf_engine_abandon(&f.engine);
	CU_ASSERT_EQUAL(replies[1], 1);
	wf_fixture_free(&f);
}

struct seen {
	const char *item;
	enum wf_item_status status;
};

static void see(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct seen *seen = context;
	struct wf_item item;

	(void)stored;
	if (wf_case_item(instance, seen->item, &item, NULL) == WF_OK)
		seen->status = item.status;
}

/* A dry run of a command does not change the case. */
static void test_inspecting_after(void)
{
	struct wf_request request = { .number = 1,
		.command = { .kind = WF_COMMAND_START, .item = "1:A" } };
	char item[WF_ITEM_ID_SIZE];
	struct seen seen = { item, WF_ITEM_ENABLED };
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(wf_engine_inspect_after(
			    f.engine, &request, NULL, item, see, &seen, NULL),
	    WF_OK);
	CU_ASSERT_STRING_EQUAL(item, "1.1:A");
	CU_ASSERT_EQUAL(seen.status, WF_ITEM_EXECUTING);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 1);
	seen.item = "1:A";
	CU_ASSERT_EQUAL(
	    wf_engine_inspect(f.engine, 1, see, &seen, NULL), WF_OK);
	CU_ASSERT_EQUAL(seen.status, WF_ITEM_ENABLED);
	request.command.item = "1:B";
	CU_ASSERT_EQUAL(wf_engine_inspect_after(
			    f.engine, &request, NULL, item, see, &seen, NULL),
	    WF_NOT_FOUND);
	wf_fixture_free(&f);
}

/*
 * Each statement fails, or its answer is lost, in turn: acknowledged steps are
 * there, once. Returns the number of faults.
 */
static uint64_t fail_statement(uint64_t n, enum wf_fault fault)
{
	struct wf_stored_case stored;
	struct wf_fixture f;
	unsigned done = 1;
	uint64_t faults;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL(wf_fixture_launch(&f), 1);
	wf_store_fail_after(wf_engine_shard_store(f.engine, 0), n, fault);
	for (unsigned i = 0; i < 10; i++)
		done += wf_fixture_do(&f, 1, WF_COMMAND_UPDATE_CASE, "",
			    "<N><s>x</s></N>", NULL) == WF_OK;
	CU_ASSERT_EQUAL(done, 11);
	CU_ASSERT_EQUAL(
	    wf_store_case(f.store, 1, false, f.arena, &stored, NULL), WF_OK);
	CU_ASSERT_EQUAL(stored.row.version, done);
	CU_ASSERT_TRUE(wf_fixture_agrees(&f, 1));
	faults = wf_store_faults(wf_engine_shard_store(f.engine, 0));
	wf_fixture_free(&f);
	return faults;
}

static void test_failing_statements(void)
{
	for (uint64_t n = 1; n < 40; n++) {
		CU_ASSERT_EQUAL(fail_statement(n, WF_FAULT_BEFORE), 1);
		CU_ASSERT_EQUAL(fail_statement(n, WF_FAULT_AFTER), 1);
	}
}

CU_TestInfo wf_tests_runtime[] = {
	{ "a case from launch to end", test_case_from_launch_to_end },
	{ "keys of callers", test_keys },
	{ "names of cases", test_names },
	{ "cases that are not in memory", test_paging },
	{ "snapshots of a large case", test_snapshots },
	{ "specifications that are not in memory", test_many_specifications },
	{ "memory of specifications", test_memory_of_specifications },
	{ "an assertion that fails", test_failing_assertion },
	{ "a case in another batch", test_case_in_another_batch },
	{ "a name in another batch", test_name_in_another_batch },
	{ "many cases in another batch", test_cases_in_another_batch },
	{ "a full queue", test_full_queue },
	{ "a case as it would be", test_inspecting_after },
	{ "failing statements", test_failing_statements },
	CU_TEST_INFO_NULL,
};
