/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store contract: each test runs on every store.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "persistence/store.h"
#include "tests/unit/store_fixture.h"

static void check_identity(struct store_fixture *f)
{
	char identity[33];

	CU_ASSERT_EQUAL(strlen(wf_store_identity(f->store)), 32);
	strcpy(identity, wf_store_identity(f->store));
	wf_store_close(&f->store);
	f->store = store_open(f->url, 0);
	CU_ASSERT_STRING_EQUAL(identity, wf_store_identity(f->store));
	CU_ASSERT_STRING_EQUAL(f->url, wf_store_url(f->store));
}

static void test_identity(void)
{
	store_on_each(check_identity);
}

/* --- batches -------------------------------------------------------------- */

static void check_launch(struct store_fixture *f)
{
	struct wf_take taken;
	uint64_t cause = 99;

	OK(store_launch(f, 1, "one", &cause));
	CU_ASSERT_EQUAL(cause, 0);
	CU_ASSERT_EQUAL(store_take(f, f->store, 1, 0, &taken), WF_TAKE_TAKEN);
	CU_ASSERT_EQUAL(taken.stored.row.version, 1);
	CU_ASSERT_EQUAL(taken.stored.snapshot.size, 5);
	CU_ASSERT_EQUAL(taken.stored.tail_count, 0);
	OK(store_step_to(f, f->store, &taken, WF_CASE_STEP, 1, NULL));
	/* The caller knows version 2; another one gets the tail. */
	CU_ASSERT_EQUAL(store_take(f, f->store, 1, 2, &taken), WF_TAKE_TAKEN);
	CU_ASSERT_EQUAL(taken.stored.tail_count, 0);
	CU_ASSERT_PTR_NULL(taken.stored.snapshot.data);
	wf_store_abort(f->store);
	CU_ASSERT_EQUAL(store_take(f, f->other, 1, 1, &taken), WF_TAKE_TAKEN);
	CU_ASSERT_EQUAL_FATAL(taken.stored.tail_count, 1);
	CU_ASSERT_EQUAL(taken.stored.tail[0].sequence, 2);
	CU_ASSERT_EQUAL(taken.stored.snapshot.size, 5);
	wf_store_abort(f->other);
	CU_ASSERT_EQUAL(store_take(f, f->store, 2, 0, &taken), WF_TAKE_MISSING);
	wf_store_abort(f->store);
}

static void test_launch(void)
{
	store_on_each(check_launch);
}

static void check_guard(struct store_fixture *f)
{
	struct wf_take taken;
	struct wf_stored_case stored;
	uint64_t cause = 0;

	OK(store_launch(f, 1, "one", NULL));
	store_take(f, f->store, 1, 0, &taken);
	REFUSED(f, WF_CONFLICT,
	    store_step_to(f, f->store, &taken, WF_CASE_STEP, 5, &cause));
	CU_ASSERT_EQUAL(cause, 1);
	/* A case that was not taken cannot be written. */
	store_take(f, f->store, 2, 0, &taken);
	taken.number = taken.stored.row.number = 1;
	REFUSED(f, WF_CONFLICT,
	    store_step_to(f, f->store, &taken, WF_CASE_STEP, 1, &cause));
	OK(wf_store_case(f->store, 1, true, f->arena, &stored, &f->err));
	CU_ASSERT_EQUAL(stored.row.version, 1);
	CU_ASSERT_EQUAL(stored.tail_count, 0);
}

static void test_guard(void)
{
	store_on_each(check_guard);
}

static void check_skipped(struct store_fixture *f)
{
	struct wf_take mine;
	struct wf_take yours;

	OK(store_launch(f, 1, "one", NULL));
	CU_ASSERT_EQUAL(store_take(f, f->store, 1, 0, &mine), WF_TAKE_TAKEN);
	CU_ASSERT_EQUAL(store_take(f, f->other, 1, 0, &yours), WF_TAKE_SKIPPED);
	wf_store_abort(f->other);
	OK(store_step_to(f, f->store, &mine, WF_CASE_STEP, 1, NULL));
	CU_ASSERT_EQUAL(store_take(f, f->other, 1, 1, &yours), WF_TAKE_TAKEN);
	CU_ASSERT_EQUAL(yours.stored.row.version, 2);
	/* The holder dies. */
	wf_store_close(&f->other);
	CU_ASSERT_EQUAL(store_take(f, f->store, 1, 2, &mine), WF_TAKE_TAKEN);
	wf_store_abort(f->store);
}

static void test_skipped(void)
{
	store_on_each(check_skipped);
}

static void check_names(struct store_fixture *f)
{
	struct wf_claim claims[2] = { { .namespace_id = 1, .name = "one" },
		{ .namespace_id = 2, .name = "one" } };
	struct wf_claim again = claims[1];
	struct wf_batch batch = { .claims = claims, .claim_count = 2 };
	struct wf_batch second = { .claims = &again, .claim_count = 1 };
	const char *names[2] = { "one", "two" };
	uint64_t numbers[2];
	uint64_t cause = 0;

	OK(store_launch(f, 1, "one", NULL));
	OK(wf_store_begin(f->store, &batch, f->arena, &f->err));
	CU_ASSERT_EQUAL(claims[0].state, WF_CLAIM_USED);
	CU_ASSERT_EQUAL(claims[0].number, 1);
	CU_ASSERT_EQUAL(claims[1].state, WF_CLAIM_FREE);
	OK(wf_store_begin(f->other, &second, f->arena, &f->err));
	CU_ASSERT_EQUAL(again.state, WF_CLAIM_BUSY);
	wf_store_abort(f->other);
	wf_store_abort(f->store);
	REFUSED(f, WF_CONFLICT, store_launch(f, 2, "one", &cause));
	CU_ASSERT_EQUAL(cause, 2);
	OK(wf_store_find(f->store, 1, names, 2, numbers, &f->err));
	CU_ASSERT_EQUAL(numbers[0], 1);
	CU_ASSERT_EQUAL(numbers[1], 0);
}

static void test_names(void)
{
	store_on_each(check_names);
}

static void check_names_for_ever(struct store_fixture *f)
{
	struct wf_take taken;
	struct wf_stored_case stored;
	size_t count = 0;

	OK(store_launch(f, 1, "one", NULL));
	store_take(f, f->store, 1, 1, &taken);
	OK(store_step_to(f, f->store, &taken, WF_CASE_END, 1, NULL));
	CU_ASSERT_EQUAL(store_take(f, f->store, 1, 0, &taken), WF_TAKE_MISSING);
	wf_store_abort(f->store);
	OK(wf_store_case(f->store, 1, true, f->arena, &stored, &f->err));
	CU_ASSERT_TRUE(stored.ended);
	CU_ASSERT_EQUAL(stored.tail_count, 2); /* all of it */
	OK(wf_store_retire(f->store, 1000, 10, &count, &f->err));
	CU_ASSERT_EQUAL(count, 1);
	REFUSED(f, WF_NOT_FOUND,
	    wf_store_case(f->store, 1, true, f->arena, &stored, &f->err));
	REFUSED(f, WF_CONFLICT, store_launch(f, 2, "one", NULL));
}

static void test_names_for_ever(void)
{
	store_on_each(check_names_for_ever);
}

static void check_commands(struct store_fixture *f)
{
	struct wf_lookup mine = { .id = "admin/1" };
	struct wf_lookup yours = { .id = "admin/1" };
	struct wf_batch batch = { .commands = &mine, .command_count = 1 };
	struct wf_batch second = { .commands = &yours, .command_count = 1 };
	struct wf_answer_row answer = { .id = "admin/1",
		.request = UINT64_MAX,
		.number = 4,
		.at = 10,
		.code = WF_CONFLICT,
		.body = store_bytes };
	struct wf_writes writes = { .answers = &answer, .answer_count = 1 };
	size_t count = 0;

	OK(wf_store_begin(f->store, &batch, f->arena, &f->err));
	CU_ASSERT_EQUAL(mine.state, WF_COMMAND_NEW);
	OK(wf_store_begin(f->other, &second, f->arena, &f->err));
	CU_ASSERT_EQUAL(yours.state, WF_COMMAND_BUSY);
	wf_store_abort(f->other);
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
	OK(wf_store_begin(f->other, &second, f->arena, &f->err));
	CU_ASSERT_EQUAL(yours.state, WF_COMMAND_DONE);
	CU_ASSERT_EQUAL(yours.answer.request, UINT64_MAX);
	CU_ASSERT_EQUAL(yours.answer.code, WF_CONFLICT);
	CU_ASSERT_EQUAL(yours.answer.body.size, 5);
	wf_store_abort(f->other);
	OK(wf_store_forget_answers(f->store, 10, 9, &count, &f->err));
	CU_ASSERT_EQUAL(count, 0);
	OK(wf_store_forget_answers(f->store, 11, 9, &count, &f->err));
	CU_ASSERT_EQUAL(count, 1);
	OK(wf_store_begin(f->store, &batch, f->arena, &f->err));
	CU_ASSERT_EQUAL(mine.state, WF_COMMAND_NEW);
	wf_store_abort(f->store);
}

static void test_commands(void)
{
	store_on_each(check_commands);
}

static void check_quarantined(struct store_fixture *f)
{
	struct wf_take taken;
	struct wf_case_write write = { .change = WF_CASE_QUARANTINE,
		.expected = 1 };
	struct wf_incident_write incident = {
		.row = { .id = 1, .number = 1, .code = "BUG" }
	};
	struct wf_writes writes = { .cases = &write,
		.case_count = 1,
		.incidents = &incident,
		.incident_count = 1 };
	struct wf_incident_row row;

	OK(store_launch(f, 1, "one", NULL));
	store_take(f, f->store, 1, 1, &taken);
	write.row = taken.stored.row;
	write.row.messages = 7;
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
	OK(wf_store_incident(f->other, 1, f->arena, &row, &f->err));
	CU_ASSERT_STRING_EQUAL(row.code, "BUG");
	CU_ASSERT_EQUAL(
	    store_take(f, f->store, 1, 1, &taken), WF_TAKE_QUARANTINED);
	CU_ASSERT_EQUAL(taken.stored.row.version, 1);
	CU_ASSERT_EQUAL(taken.stored.row.messages, 7);
	write.change = WF_CASE_PUT_BACK;
	incident.remove = true;
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
	REFUSED(f, WF_NOT_FOUND,
	    wf_store_incident(f->other, 1, f->arena, &row, &f->err));
	CU_ASSERT_EQUAL(store_take(f, f->store, 1, 1, &taken), WF_TAKE_TAKEN);
	wf_store_abort(f->store);
}

/* A dropped incident is not open, and is deleted when its case is retired. */
static void check_dropped(struct store_fixture *f)
{
	struct wf_incident_write incidents[] = {
		{ .row = { .id = 1, .number = 1, .code = "BUG" } },
		{ .row = { .id = 2, .code = "BUG", .dropped_at = 900 } },
		{ .row = { .id = 3, .code = "BUG", .dropped_at = 1000 } },
		{ .row = { .id = 4,
		      .number = 1,
		      .code = "BUG",
		      .dropped_at = 5000,
		      .dropped_by = "anna",
		      .reason = "done by hand" } },
	};
	const struct wf_writes writes = { .incidents = incidents,
		.incident_count = 4 };
	struct wf_incident_filter filter = { .limit = 9 };
	const uint64_t numbers[] = { 1, 2, 99 };
	struct wf_open_incident open[3];
	struct wf_batch batch = { 0 };
	struct wf_incident_list list;
	struct wf_store_facts facts;
	struct wf_incident_row row;
	struct wf_take taken;
	size_t count;

	OK(store_launch(f, 1, "one", NULL));
	OK(wf_store_begin(f->store, &batch, f->arena, &f->err));
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
	OK(wf_store_incidents(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].id, 1);
	filter.which = WF_INCIDENTS_DROPPED;
	OK(wf_store_incidents(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 3);
	filter.number = 1;
	OK(wf_store_incidents(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 1);
	filter.which = WF_INCIDENTS_ALL;
	OK(wf_store_incidents(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 2);
	OK(wf_store_facts(f->other, &facts, &f->err));
	CU_ASSERT_EQUAL(facts.incidents, 1);
	OK(wf_store_open_incidents(
	    f->other, numbers, 3, NULL, f->arena, open, &f->err));
	CU_ASSERT(open[0].id == 1 && open[1].id == 0 && open[2].id == 0);
	CU_ASSERT_STRING_EQUAL(open[0].code, list.rows[0].code);
	OK(wf_store_incident(f->other, 4, f->arena, &row, &f->err));
	CU_ASSERT_EQUAL(row.dropped_at, 5000);
	CU_ASSERT_STRING_EQUAL(row.dropped_by, "anna");
	CU_ASSERT_STRING_EQUAL(row.reason, "done by hand");

	/* Its case is live; the one without a case is too new. */
	OK(wf_store_retire(f->store, 1000, 10, &count, &f->err));
	filter.number = 0;
	OK(wf_store_incidents(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 3);
	CU_ASSERT_EQUAL(list.rows[1].id, 3);
	store_take(f, f->store, 1, 1, &taken);
	CU_ASSERT_TRUE(taken.has_incidents);
	OK(store_step_to(f, f->store, &taken, WF_CASE_END, 1, NULL));
	OK(wf_store_retire(f->store, 1000, 10, &count, &f->err));
	CU_ASSERT_EQUAL(count, 1);
	OK(wf_store_incidents(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].id, 3); /* the others are of the case */
}

static void test_dropped(void)
{
	store_on_each(check_dropped);
}

static void test_quarantine(void)
{
	store_on_each(check_quarantined);
}

static void check_counters(struct store_fixture *f)
{
	uint64_t first = 0;

	OK(wf_store_reserve(f->store, WF_COUNTER_CASE, 10, &first, &f->err));
	CU_ASSERT_EQUAL(first, 1);
	OK(wf_store_reserve(f->other, WF_COUNTER_CASE, 5, &first, &f->err));
	CU_ASSERT_EQUAL(first, 11);
	OK(wf_store_reserve_above(f->other, WF_COUNTER_CASE, 500, &f->err));
	OK(wf_store_reserve_above(f->other, WF_COUNTER_CASE, 3, &f->err));
	OK(wf_store_reserve(f->store, WF_COUNTER_CASE, 1, &first, &f->err));
	CU_ASSERT_EQUAL(first, 501);
	for (enum wf_counter counter = WF_COUNTER_INCIDENT;
	     counter <= WF_COUNTER_ENGINE; counter++)
		for (uint64_t next = 1; next <= 2; next++) {
			OK(wf_store_reserve(
			    f->store, counter, 1, &first, &f->err));
			CU_ASSERT_EQUAL(first, next);
		}
}

static void test_counters(void)
{
	store_on_each(check_counters);
}

/* --- single calls --------------------------------------------------------- */

static void check_pages(struct store_fixture *f)
{
	struct wf_case_filter filter = { .limit = 2 };
	struct wf_item_filter items = { .limit = 2 };
	struct wf_case_list list;
	struct wf_item_list item_list;
	uint64_t next = 1;
	char name[8];

	for (uint64_t i = 1; i <= 5; i++) {
		snprintf(name, sizeof name, "c%u", (unsigned)i);
		OK(store_launch(f, i, name, NULL));
	}
	do {
		OK(wf_store_cases(f->store, &filter, f->arena, &list, &f->err));
		for (size_t i = 0; i < list.count; i++)
			CU_ASSERT_EQUAL(list.rows[i].row.number, next++);
		if (list.count > 0)
			filter.after = list.rows[list.count - 1].row.number;
	} while (list.count == 2);
	CU_ASSERT_EQUAL(next, 6);
	next = 1;
	do {
		OK(wf_store_items(
		    f->store, &items, f->arena, &item_list, &f->err));
		for (size_t i = 0; i < item_list.count; i++) {
			CU_ASSERT_EQUAL(item_list.rows[i].number, next++);
			items.after_number = item_list.rows[i].number;
			items.after_id = item_list.rows[i].id;
		}
	} while (item_list.count == 2);
	CU_ASSERT_EQUAL(next, 6);
}

static void test_pages(void)
{
	store_on_each(check_pages);
}

static void check_specification(struct store_fixture *f)
{
	struct wf_specification_row row = { .namespace_id = 1,
		.key = UINT64_C(0xFEDCBA9876543210),
		.identifier = "id",
		.source = { "<a/>", 4 } };
	struct wf_specification_row other = { .namespace_id = 1,
		.key = 5,
		.identifier = "id",
		.source = { "<c/>", 4 } };
	struct wf_specification_row found;
	struct wf_specification_filter filter = { .removed = true };
	struct wf_specification_list list;
	uint64_t change = 0;

	OK(wf_store_put_specification(f->store, &row, &f->err));
	row.source.data = "<b/>";
	REFUSED(f, WF_CONFLICT,
	    wf_store_put_specification(f->store, &row, &f->err));
	OK(wf_store_change(f->other, &change, &f->err));
	CU_ASSERT_EQUAL(change, 1);
	other.change = change;
	OK(wf_store_put_specification(f->other, &other, &f->err));
	/* Decided before that change. */
	other.key++;
	REFUSED(f, WF_CONFLICT,
	    wf_store_put_specification(f->store, &other, &f->err));
	REFUSED(f, WF_NOT_FOUND,
	    wf_store_specification(
		f->store, 1, other.key, f->arena, &found, &f->err));
	OK(wf_store_change(f->other, &other.change, &f->err));
	CU_ASSERT_EQUAL(other.change, 2);
	OK(wf_store_remove_specification(f->other, 1, 5, &f->err));
	REFUSED(f, WF_CONFLICT,
	    wf_store_put_specification(f->store, &other, &f->err));
	filter.changed_after = 3;
	OK(wf_store_remove_specification(f->other, 1, row.key, &f->err));
	REFUSED(f, WF_NOT_FOUND,
	    wf_store_remove_specification(f->other, 1, row.key, &f->err));
	OK(wf_store_specifications(
	    f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_TRUE(list.rows[0].removed);
	CU_ASSERT_EQUAL(list.rows[0].key, row.key);
	row.key = 7;
	OK(wf_store_put_specification(f->store, &row, &f->err));
	OK(store_launch(f, 1, "one", NULL));
	REFUSED(f, WF_CONFLICT,
	    wf_store_remove_specification(f->other, 1, 7, &f->err));
}

static void test_specification(void)
{
	store_on_each(check_specification);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A store with notification is not polled. */
static void check_wait(struct store_fixture *f)
{
	bool notified = true;
	double began;

	if (!wf_store_is_shared(f->store))
		return;
	OK(wf_store_wait(f->other, 0, &notified, &f->err));
	CU_ASSERT_FALSE(notified);
	began = seconds();
	OK(wf_store_wait(f->other, 50, &notified, &f->err));
	CU_ASSERT_FALSE(notified);
	CU_ASSERT_TRUE(seconds() - began > 0.045);
	OK(wf_store_notify(f->store, &f->err));
	OK(wf_store_wait(f->other, 60000, &notified, &f->err));
	CU_ASSERT_TRUE(notified);
	OK(wf_store_wait(f->other, 0, &notified, &f->err));
	CU_ASSERT_FALSE(notified);
}

static void test_wait(void)
{
	store_on_each(check_wait);
}

CU_TestInfo wf_tests_store[] = {
	{ "identity", test_identity },
	{ "launch and step", test_launch },
	{ "version guard", test_guard },
	{ "cases held elsewhere", test_skipped },
	{ "names", test_names },
	{ "names for ever", test_names_for_ever },
	{ "command ids", test_commands },
	{ "quarantine", test_quarantine },
	{ "incidents that were dropped", test_dropped },
	{ "counters", test_counters },
	{ "pages", test_pages },
	{ "specifications", test_specification },
	{ "waiting for others", test_wait },
	CU_TEST_INFO_NULL,
};
