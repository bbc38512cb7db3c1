/* SPDX-License-Identifier: Apache-2.0 */
/* The running engine, one property at a time; see also test_simulation.c. */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <string.h>

#include "tests/message_queues.h"
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

static void announce(void *context, const struct wf_announcement *what,
    struct wf_destinations *destinations)
{
	(void)context;
	if (what->task != NULL)
		wf_destination_add(destinations, "worklist");
	if (what->kind == WF_ANNOUNCE_CASE_COMPLETED)
		wf_destination_add(destinations, "observer");
}

static void test_announcements(void)
{
	static const char *const items[] = { "1:A", "1:B", "1:C", "1:D" };
	struct wf_announced announced;
	struct wf_message_list list;
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.announce = announce;
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	for (size_t i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(wf_fixture_do(&f, 1, WF_COMMAND_FINISH,
				    items[i], NULL, NULL),
		    WF_OK);
	CU_ASSERT_EQUAL(claim_messages(f.store, "worklist", f.now, f.now + 1,
			    100, f.arena, &list, NULL),
	    WF_OK);
	/*
	 * The first message of each stream: an item's enabled, its instance's
	 * started.
	 */
	CU_ASSERT_EQUAL(list.count, 8);
	CU_ASSERT_EQUAL(claim_messages(f.store, "observer", f.now, f.now + 1,
			    100, f.arena, &list, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(wf_announced_decode(
			    &announced, list.rows[0].payload, f.arena, NULL),
	    WF_OK);
	CU_ASSERT_STRING_EQUAL(announced.name, "1");
	CU_ASSERT_STRING_EQUAL(announced.data, "<N/>");
	wf_fixture_free(&f);
}

/* Kinds that were announced of an item, in order. */
static void check_kinds(struct wf_fixture *f, const char *item,
    const enum wf_announcement_kind *kinds, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct wf_message_list list;
		const struct wf_message_row *row = NULL;
		struct wf_message_key key;

		CU_ASSERT_EQUAL(claim_messages(f->store, "worklist", f->now,
				    f->now, 100, f->arena, &list, NULL),
		    WF_OK);
		for (size_t k = 0; k < list.count; k++)
			if (strcmp(list.rows[k].subject, item) == 0)
				row = &list.rows[k];
		CU_ASSERT_PTR_NOT_NULL_FATAL(row);
		CU_ASSERT_EQUAL(row->kind, kinds[i]);
		key = (struct wf_message_key){ row->number, row->message };
		CU_ASSERT_EQUAL(
		    wf_store_acknowledge(f->store, &key, 1, NULL), WF_OK);
	}
}

static void test_announced_moves(void)
{
	static const enum wf_announcement_kind enabled[] = {
		WF_ANNOUNCE_ITEM_ENABLED, WF_ANNOUNCE_ITEM_SUSPENDED,
		WF_ANNOUNCE_ITEM_RESUMED, WF_ANNOUNCE_ITEM_FIRED
	};
	static const enum wf_announcement_kind instance[] = {
		WF_ANNOUNCE_ITEM_STARTED, WF_ANNOUNCE_ITEM_ROLLED_BACK,
		WF_ANNOUNCE_ITEM_STARTED, WF_ANNOUNCE_ITEM_SUSPENDED,
		WF_ANNOUNCE_ITEM_RESUMED, WF_ANNOUNCE_ITEM_ENDED
	};
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.announce = announce;
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	wf_fixture_do(&f, 1, WF_COMMAND_SUSPEND_ITEM, "1:A", NULL, NULL);
	wf_fixture_do(&f, 1, WF_COMMAND_RESUME_ITEM, "1:A", NULL, NULL);
	wf_fixture_do(&f, 1, WF_COMMAND_START, "1:A", NULL, NULL);
	wf_fixture_do(&f, 1, WF_COMMAND_ROLLBACK, "1.1:A", NULL, NULL);
	wf_fixture_do(&f, 1, WF_COMMAND_START, "1.1:A", NULL, NULL);
	wf_fixture_do(&f, 1, WF_COMMAND_SUSPEND_ITEM, "1.1:A", NULL, NULL);
	wf_fixture_do(&f, 1, WF_COMMAND_RESUME_ITEM, "1.1:A", NULL, NULL);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_COMPLETE, "1.1:A", NULL, NULL),
	    WF_OK);
	check_kinds(&f, "1:A", enabled, 4);
	check_kinds(&f, "1.1:A", instance, 6);
	wf_fixture_free(&f);
}

/* Announcements and reports of an item without a step of its case. */
static void test_announced_again(void)
{
	struct wf_request request = { .kind = WF_REQUEST_ANNOUNCE,
		.number = 1,
		.announce = { .item = "1:A" } };
	struct wf_incident_list incidents;
	struct wf_engine_counts counts;
	struct wf_message_list list;
	struct wf_answer answer;
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.announce = announce;
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_OK);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 1);
	request.kind = WF_REQUEST_REPORT;
	request.report = (struct wf_report_request){ .item = "1:A",
		.code = "no good",
		.text = "because",
		.attempts = 3 };
	request.actor = "service";
	request.key = "1";
	for (unsigned i = 0; i < 2; i++)
		CU_ASSERT_EQUAL(
		    wf_engine_call(f.engine, &request, &answer, NULL), WF_OK);
	incidents = wf_fixture_incidents(&f);
	CU_ASSERT_EQUAL_FATAL(incidents.count, 1);
	CU_ASSERT_STRING_EQUAL(incidents.rows[0].code, "no good");
	CU_ASSERT_STRING_EQUAL(incidents.rows[0].text, "because");
	CU_ASSERT_STRING_EQUAL(incidents.rows[0].item, "1:A");
	CU_ASSERT_EQUAL(incidents.rows[0].attempts, 3);
	CU_ASSERT_EQUAL(wf_fixture_retry(&f, incidents.rows[0].id), WF_OK);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	for (uint64_t n = 1; n <= 3; n++) {
		struct wf_message_key key = { 1, n };

		CU_ASSERT_EQUAL(claim_messages(f.store, NULL, f.now, f.now + 1,
				    100, f.arena, &list, NULL),
		    WF_OK);
		CU_ASSERT_EQUAL_FATAL(list.count, 1);
		CU_ASSERT_EQUAL(list.rows[0].message, n);
		CU_ASSERT_EQUAL(list.rows[0].kind, WF_ANNOUNCE_ITEM_ENABLED);
		CU_ASSERT_EQUAL(
		    wf_store_acknowledge(f.store, &key, 1, NULL), WF_OK);
	}
	CU_ASSERT_TRUE(wf_fixture_agrees(&f, 1));
	wf_fixture_do(&f, 1, WF_COMMAND_FINISH, "1:A", NULL, NULL);
	request.key = "2";
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_OK);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	wf_engine_counts(f.engine, &counts);
	CU_ASSERT_EQUAL(counts.answered[WF_REQUEST_REPORT], 3);
	CU_ASSERT_EQUAL(counts.commands[WF_COMMAND_LAUNCH], 1);
	wf_fixture_free(&f);
}

/* Announcing again an item that has ended meanwhile has no effect. */
static void test_announced_too_late(void)
{
	struct wf_request report = { .kind = WF_REQUEST_REPORT,
		.number = 1,
		.report = { .item = "1:A", .code = "delivery" } };
	struct wf_answer answer;
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &report, &answer, NULL), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_FINISH, "1:A", NULL, NULL), WF_OK);
	CU_ASSERT_EQUAL(wf_fixture_retry(&f, 1), WF_OK);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	wf_fixture_free(&f);
}

static const char nested[] =
    "<specificationSet version='4.0' "
    "xmlns='http://www.yawlfoundation.org/yawlschema' "
    "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
    "<specification uri='nested'><metaData><version>0.1</version>"
    "<identifier>UID_nested</identifier></metaData>"
    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>"
    "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
    "<processControlElements>"
    "<inputCondition id='i'><flowsInto><nextElementRef id='A'/></flowsInto>"
    "</inputCondition>"
    "<task id='A'><flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='S'/></task>"
    "<outputCondition id='o'/></processControlElements></decomposition>"
    "<decomposition id='S' xsi:type='NetFactsType'>"
    "<processControlElements>"
    "<inputCondition id='i'><flowsInto><nextElementRef id='A'/></flowsInto>"
    "</inputCondition>"
    "<task id='A'><flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='W'/></task>"
    "<outputCondition id='o'/></processControlElements></decomposition>"
    "<decomposition id='W' xsi:type='WebServiceGatewayFactsType'/>"
    "</specification></specificationSet>";

/* An instance of a composite task can have the id of an ended item. */
static void test_composite_is_not_announced(void)
{
	struct wf_request request = { .kind = WF_REQUEST_ANNOUNCE,
		.announce = { .item = "1.1:A" } };
	struct wf_answer answer;
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.announce = announce;
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL_FATAL(
	    wf_fixture_load(&f, nested, sizeof(nested) - 1), WF_OK);
	request.number = wf_fixture_launch(&f);
	CU_ASSERT_EQUAL_FATAL(request.number, 1);
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_START, "1.1:A", NULL, NULL), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_NOT_FOUND);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, 1), "A=2 ");
	request.kind = WF_REQUEST_REPORT;
	request.report =
	    (struct wf_report_request){ .item = "1.1:A", .code = "no good" };
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_OK);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	wf_fixture_free(&f);
}

/* Launches its case, and starts the first item by that worker. */
static struct wf_request start_with_lease(struct wf_fixture *f)
{
	struct wf_item_filter filter = { .number = 1,
		.statuses = 1U << WF_ITEM_ENABLED,
		.service = "",
		.limit = 1 };
	struct wf_request request = { .number = 1,
		.command = { .kind = WF_COMMAND_START, .item = "1:A" } };
	struct wf_item_list list;
	struct wf_answer answer;

	wf_fixture_init(f);
	wf_fixture_open(f);
	wf_fixture_launch(f);
	CU_ASSERT_EQUAL(wf_store_claim_items(f->store, &filter, "worker",
			    f->now, f->now + 1000, f->arena, &list, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	request.lease = (struct wf_lease){ .owner = "worker",
		.fence = list.rows[0].fence,
		.attempt = list.rows[0].attempt,
		.until = f->now + 1000 };
	CU_ASSERT_EQUAL(
	    wf_engine_call(f->engine, &request, &answer, NULL), WF_OK);
	request.command.item = "1.1:A";
	return request;
}

/* The worker of an item keeps it while it is suspended. */
static void test_lease_of_suspended(void)
{
	struct wf_request again = { .kind = WF_REQUEST_ANNOUNCE,
		.number = 1,
		.announce = { .item = "1.1:A" } };
	struct wf_request request;
	struct wf_answer answer;
	struct wf_fixture f;

	request = start_with_lease(&f);
	request.command.kind = WF_COMMAND_SUSPEND_ITEM;
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_OK);
	CU_ASSERT_EQUAL(wf_engine_call(f.engine, &again, &answer, NULL), WF_OK);
	request.command.kind = WF_COMMAND_RESUME_ITEM;
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_OK);
	request.command.kind = WF_COMMAND_COMPLETE;
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_OK);
	wf_fixture_free(&f);
}

/* A command with a lease is accepted only from its owner, and until it ends. */
static void test_lease_of_another(void)
{
	struct wf_request request;
	struct wf_answer answer;
	struct wf_fixture f;

	request = start_with_lease(&f);
	request.command.kind = WF_COMMAND_COMPLETE;
	request.lease.owner = "other";
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_CONFLICT);
	request.lease.owner = "worker";
	request.lease.fence++;
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_CONFLICT);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 2);
	wf_fixture_free(&f);
}

/* Commands that the holder of a lease alone may give. */
static const enum wf_command_kind guarded[] = { WF_COMMAND_COMPLETE,
	WF_COMMAND_FINISH, WF_COMMAND_SKIP, WF_COMMAND_FORCE, WF_COMMAND_FAIL,
	WF_COMMAND_ROLLBACK, WF_COMMAND_SUSPEND_ITEM, WF_COMMAND_RESUME_ITEM,
	WF_COMMAND_CANCEL_ITEM, WF_COMMAND_UPDATE_ITEM };

static void check_guarded(struct wf_fixture *f, enum wf_command_kind command)
{
	struct wf_request request = { .number = 1,
		.actor = "worker", /* without a fence, this is nobody */
		.command = { .kind = command,
		    .item = "1.1:A",
		    .data = "<A/>",
		    .length = 4 } };
	struct wf_answer answer;
	struct wf_error err;

	wf_error_clear(&err);
	CU_ASSERT_EQUAL(
	    wf_engine_call(f->engine, &request, &answer, &err), WF_CONFLICT);
	CU_ASSERT_STRING_EQUAL(err.code, "lease");
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "leased to 'worker'"));
}

/* Who gives no fence is refused, whether the case is in memory or loaded. */
static void test_lease_is_guarded(void)
{
	struct wf_fixture f;

	(void)start_with_lease(&f);
	for (unsigned turn = 0; turn < 2; turn++) {
		for (size_t i = 0; i < sizeof(guarded) / sizeof(guarded[0]);
		     i++)
			check_guarded(&f, guarded[i]);
		wf_engine_close(&f.engine);
		wf_fixture_open(&f);
	}
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 2);
	/* The case is not the worker's. */
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_CANCEL_CASE, NULL, NULL, NULL),
	    WF_OK);
	wf_fixture_free(&f);
}

/* The origin of the step at that place of the case's history. */
static const char *origin_of(struct wf_fixture *f, uint64_t sequence)
{
	struct wf_history_list list = { .count = 0 };

	CU_ASSERT_EQUAL(wf_store_case_history(f->store, 1, sequence - 1, 1,
			    f->arena, &list, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	return list.rows[0].origin;
}

/* Overridden, an item goes to the next worker; the history says so. */
static void test_lease_overridden(void)
{
	struct wf_item_filter filter = {
		.number = 1, .service = "", .limit = 1
	};
	struct wf_request request;
	struct wf_item_list list;
	struct wf_answer answer;
	struct wf_fixture f;
	uint64_t fence;

	request = start_with_lease(&f);
	fence = request.lease.fence;
	request.lease = (struct wf_lease){ .is_overridden = true };
	request.origin = "rest";
	request.command.kind = WF_COMMAND_ROLLBACK;
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_OK);
	CU_ASSERT_STRING_EQUAL(origin_of(&f, 3), "rest" WF_ORIGIN_OVERRIDE);
	CU_ASSERT_EQUAL(wf_store_claim_items(f.store, &filter, "next", f.now,
			    f.now + 1000, f.arena, &list, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].attempt, 1);
	CU_ASSERT_EQUAL(list.rows[0].fence, fence + 1);
	/* There is nothing to override: not started, it is nobody's. */
	request.command.kind = WF_COMMAND_FINISH;
	request.command.data = NULL;
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_OK);
	CU_ASSERT_STRING_EQUAL(origin_of(&f, 4), "rest");
	wf_fixture_free(&f);
}

/* A claim without its START ends when another starts the item. */
static void test_claim_ends_by_start(void)
{
	struct wf_item_filter filter = {
		.number = 1, .service = "", .limit = 1
	};
	struct wf_request request;
	struct wf_item_list list;
	struct wf_answer answer;
	struct wf_item_row row;
	struct wf_fixture f;

	request = start_with_lease(&f);
	request.command.kind = WF_COMMAND_ROLLBACK;
	request.lease.until = f.now;
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_OK);
	CU_ASSERT_EQUAL(wf_store_claim_items(f.store, &filter, "next", f.now,
			    f.now + 1000, f.arena, &list, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_START, "1.1:A", NULL, NULL), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_store_item(f.store, 1, "1.1:A", f.arena, &row, NULL), WF_OK);
	CU_ASSERT_EQUAL(row.lease_until, 0);
	CU_ASSERT_EQUAL(row.attempt, list.rows[0].attempt - 1);
	CU_ASSERT_EQUAL(row.fence, list.rows[0].fence + 1);
	/* Whoever claimed it has no right to it, and the others have. */
	wf_engine_close(&f.engine);
	wf_fixture_open(&f);
	request.lease =
	    (struct wf_lease){ .owner = "next", .fence = list.rows[0].fence };
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_CONFLICT);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_COMPLETE, "1.1:A", NULL, NULL),
	    WF_OK);
	wf_fixture_free(&f);
}

/* The fence is a small number, also of an item that is announced again. */
static void test_fence_grows_by_one(void)
{
	struct wf_request again = { .kind = WF_REQUEST_ANNOUNCE,
		.number = 1,
		.announce = { .item = "1:A" } };
	struct wf_item_filter filter = {
		.number = 1, .service = "", .limit = 1
	};
	struct wf_item_list list;
	struct wf_answer answer;
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	for (uint64_t fence = 1; fence < 9; fence++) {
		CU_ASSERT_EQUAL(wf_store_claim_items(f.store, &filter, "worker",
				    f.now, f.now + 1000, f.arena, &list, NULL),
		    WF_OK);
		CU_ASSERT_EQUAL_FATAL(list.count, 1);
		CU_ASSERT_EQUAL(list.rows[0].fence, fence);
		if (fence % 4 == 0) {
			CU_ASSERT_EQUAL(
			    wf_engine_call(f.engine, &again, &answer, NULL),
			    WF_OK);
			fence++;
			continue;
		}
		CU_ASSERT_EQUAL(wf_store_release(f.store, 1, "1:A", "worker",
				    fence, f.now, NULL),
		    WF_OK);
	}
	wf_fixture_free(&f);
}

/* Given back without a trial, it does not count as an attempt. */
static void test_lease_given_back(void)
{
	struct wf_item_row row;
	struct wf_request request;
	struct wf_answer answer;
	struct wf_fixture f;

	for (unsigned is_forgotten = 0; is_forgotten < 2; is_forgotten++) {
		request = start_with_lease(&f);
		CU_ASSERT_EQUAL(request.lease.attempt, 1);
		request.command.kind = WF_COMMAND_ROLLBACK;
		request.lease.until = f.now + 5000;
		request.lease.attempt = 0; /* the store has the actual number */
		request.lease.is_forgotten = is_forgotten;
		CU_ASSERT_EQUAL(
		    wf_engine_call(f.engine, &request, &answer, NULL), WF_OK);
		CU_ASSERT_EQUAL_FATAL(
		    wf_store_item(f.store, 1, "1.1:A", f.arena, &row, NULL),
		    WF_OK);
		CU_ASSERT_EQUAL(row.lease_until, 0);
		CU_ASSERT_EQUAL(row.not_before, f.now + 5000);
		CU_ASSERT_EQUAL(row.attempt, 1 - is_forgotten);
		wf_fixture_free(&f);
	}
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
	{ "announcements", test_announcements },
	{ "what is announced again, and reported", test_announced_again },
	{ "what is announced too late", test_announced_too_late },
	{ "the lease of a suspended item", test_lease_of_suspended },
	{ "the lease of another", test_lease_of_another },
	{ "a lease that is given back", test_lease_given_back },
	{ "a leased item is its holder's", test_lease_is_guarded },
	{ "a lease that is overridden", test_lease_overridden },
	{ "a claim without its start", test_claim_ends_by_start },
	{ "a fence grows by one", test_fence_grows_by_one },
	{ "a composite task is not announced",
	    test_composite_is_not_announced },
	{ "suspending, resuming and rolling back are announced",
	    test_announced_moves },
	{ "a case as it would be", test_inspecting_after },
	{ "failing statements", test_failing_statements },
	CU_TEST_INFO_NULL,
};
