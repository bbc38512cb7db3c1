/* SPDX-License-Identifier: Apache-2.0 */
/* What a running engine announces of a step, once, and again when asked. */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <string.h>

#include "tests/message_queues.h"
#include "tests/unit/engine_fixture.h"

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
	CU_ASSERT_EQUAL_FATAL(wf_fixture_load_nested(&f), WF_OK);
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

/* What the batches with traces were, of a fixture without threads. */
static struct {
	unsigned batches;
	unsigned requests;
	char last[200];
} seen;

static void see_batch(void *context, const struct wf_traced_batch *batch)
{
	(void)context;
	seen.batches++;
	seen.requests += (unsigned)batch->count;
	CU_ASSERT_TRUE(batch->count <= batch->requests);
	CU_ASSERT_TRUE(batch->began <= batch->ended);
	for (size_t i = 0; i < batch->count; i++) {
		const struct wf_traced_request *row = &batch->rows[i];

		CU_ASSERT_TRUE(row->submitted <= batch->began);
		snprintf(seen.last, sizeof(seen.last), "%s %d %s %s %s",
		    row->trace, row->command == WF_COMMAND_FINISH, row->name,
		    row->item, wf_rc_name(row->rc));
	}
}

static const char *trace_of_item(struct wf_fixture *f, const char *id)
{
	struct wf_item_row row;

	CU_ASSERT_EQUAL_FATAL(
	    wf_store_item(f->store, 1, id, f->arena, &row, NULL), WF_OK);
	return row.trace;
}

/* Messages and items keep the trace of the request that made the step. */
static void test_traces(void)
{
	struct wf_request request = { .number = 1,
		.trace = "00-trace state=1",
		.command = { .kind = WF_COMMAND_FINISH, .item = "1:A" } };
	struct wf_announced announced;
	struct wf_message_list list;
	struct wf_answer answer;
	struct wf_bytes payload;
	struct wf_fixture f;
	char longer[WF_REQUEST_TRACE_BYTES + 2];
	size_t size = 0;

	memset(&seen, 0, sizeof(seen));
	wf_fixture_init(&f);
	f.settings.announce = announce;
	f.settings.traced = see_batch;
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	CU_ASSERT_STRING_EQUAL(trace_of_item(&f, "1:A"), "");
	CU_ASSERT_EQUAL(seen.batches, 0);
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_OK);
	CU_ASSERT_EQUAL(seen.batches, 1);
	CU_ASSERT_STRING_EQUAL(seen.last, "00-trace state=1 1 1 1:A OK");
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_NOT_FOUND);
	CU_ASSERT_STRING_EQUAL(seen.last, "00-trace state=1 1 1 1:A NOT_FOUND");
	CU_ASSERT_STRING_EQUAL(trace_of_item(&f, "1:B"), "00-trace state=1");
	CU_ASSERT_EQUAL(claim_messages(f.store, "worklist", f.now, f.now + 1,
			    100, f.arena, &list, NULL),
	    WF_OK);
	for (size_t i = 0; i < list.count; i++) {
		bool is_first = strcmp(list.rows[i].subject, "1:A") == 0;

		payload = list.rows[i].payload;
		CU_ASSERT_EQUAL(
		    wf_announced_decode(&announced, payload, f.arena, NULL),
		    WF_OK);
		CU_ASSERT_STRING_EQUAL(
		    announced.trace, is_first ? "" : "00-trace state=1");
		if (is_first)
			size = payload.size;
	}
	/* Without one nothing is added: "1:A" and "1:B" are as long. */
	CU_ASSERT_EQUAL(size + strlen("00-trace state=1") + 1, payload.size);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_START, "1:B", NULL, &answer),
	    WF_OK);
	CU_ASSERT_STRING_EQUAL(trace_of_item(&f, answer.item), "");
	CU_ASSERT_EQUAL(seen.requests, 2);
	memset(longer, 'a', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	request.trace = longer;
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, NULL), WF_INVALID);
	wf_fixture_free(&f);
}

CU_TestInfo wf_tests_announcements[] = {
	{ "announcements", test_announcements },
	{ "what is announced again, and reported", test_announced_again },
	{ "what is announced too late", test_announced_too_late },
	{ "a composite task is not announced",
	    test_composite_is_not_announced },
	{ "suspending, resuming and rolling back are announced",
	    test_announced_moves },
	{ "the trace of a request stays with its step", test_traces },
	CU_TEST_INFO_NULL,
};
