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
#include "tests/message_queues.h"
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

/* A fresh item is written without a check, but a duplicate is detected. */
static void check_fresh(struct store_fixture *f)
{
	struct wf_item_filter filter = { .number = 1, .limit = 9 };
	struct wf_item_write write = { .row = { .number = 1, .id = "A" },
		.groups = WF_ITEM_ALL,
		.fresh = true };
	struct wf_writes writes = { .items = &write, .item_count = 1 };
	struct wf_item_list list;
	struct wf_take taken;
	uint64_t cause = 0;

	OK(store_launch(f, 1, "one", NULL));
	write.row.queue = "P:ann";
	store_take(f, f->store, 1, 1, &taken);
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
	OK(wf_store_items(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 2);
	CU_ASSERT_STRING_EQUAL(list.rows[0].queue, "P:ann");
	store_take(f, f->store, 1, 1, &taken);
	CU_ASSERT_EQUAL(
	    wf_store_commit(f->store, &writes, &cause, &f->err), WF_CONFLICT);
	CU_ASSERT_EQUAL(cause, 1);
}

static void test_fresh(void)
{
	store_on_each(check_fresh);
}

/* One item, among others of its task, of its case, and with longer ids. */
static void check_item(struct store_fixture *f)
{
	static const char *const ids[] = { "1.1:Pay", "1.10:Pay", "1.1:Pa",
		"1.1:Paz", "1.2:Pay", "1:Pay", "1.1:Menü", "1.1:Menà" };
	struct wf_item_write write = { .groups = WF_ITEM_ALL, .fresh = true };
	struct wf_writes writes = { .items = &write, .item_count = 1 };
	struct wf_item_row row;
	struct wf_take taken;

	OK(store_launch(f, 1, "one", NULL));
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		write.row = (struct wf_item_row){ .number = 1, .id = ids[i] };
		write.row.task = strchr(ids[i], ':') + 1;
		write.row.status = (uint32_t)i;
		store_take(f, f->store, 1, i + 1, &taken);
		OK(wf_store_commit(f->store, &writes, NULL, &f->err));
	}
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		OK(wf_store_item(f->store, 1, ids[i], f->arena, &row, &f->err));
		CU_ASSERT_STRING_EQUAL(row.id, ids[i]);
		CU_ASSERT_EQUAL(row.status, i);
	}
	REFUSED(f, WF_NOT_FOUND,
	    wf_store_item(f->store, 1, "1.3:Pay", f->arena, &row, &f->err));
	REFUSED(f, WF_NOT_FOUND,
	    wf_store_item(f->store, 1, "1.1", f->arena, &row, &f->err));
	REFUSED(f, WF_NOT_FOUND,
	    wf_store_item(f->store, 2, "1.1:Pay", f->arena, &row, &f->err));
}

static void test_item(void)
{
	store_on_each(check_item);
}

static struct wf_item_row only_item(struct store_fixture *f)
{
	struct wf_item_filter filter = { .number = 1, .limit = 9 };
	struct wf_item_list list;

	OK(wf_store_items(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	return list.rows[0];
}

static void write_item(
    struct store_fixture *f, unsigned groups, const struct wf_item_row *row)
{
	struct wf_item_write write = { .row = *row, .groups = groups };
	struct wf_writes writes = { .items = &write, .item_count = 1 };
	struct wf_take taken;

	store_take(f, f->store, 1, 1, &taken);
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
}

/*
 * "you" has claimed T, perhaps after the step's batch has read the row: the
 * start ends the claim, unless it is given the lease.
 */
static void check_start(struct store_fixture *f)
{
	struct wf_item_row row = { .number = 1,
		.id = "T",
		.task = "T",
		.service = "echo",
		.status = 2,
		.started_at = 5 };

	write_item(f, WF_ITEM_KERNEL, &row);
	row = only_item(f);
	CU_ASSERT_STRING_EQUAL(row.lease_owner, "");
	CU_ASSERT_EQUAL(row.lease_until, 0);
	CU_ASSERT_EQUAL(row.fence, 3);
	CU_ASSERT_EQUAL(row.attempt, 0);
	row.started_at = 0;
	write_item(f, WF_ITEM_KERNEL, &row);
	row.started_at = 6;
	row.lease_owner = "her";
	row.lease_until = 60;
	row.fence = 7;
	write_item(f, WF_ITEM_KERNEL | WF_ITEM_LEASE, &row);
	row.started_at = 7;
	write_item(f, WF_ITEM_KERNEL, &row);
	OK(wf_store_heartbeat(f->other, 1, "T", "her", 7, 70, &f->err));
}

static enum wf_rc put_draft(struct store_fixture *f, const char *id,
    const char *queue, const char *expected, const char *draft)
{
	struct wf_bytes old = { expected,
		expected == NULL ? 0 : strlen(expected) };
	struct wf_draft_write write = { .number = 1,
		.id = id,
		.queue = queue,
		.expected = expected == NULL ? NULL : &old,
		.draft = { draft, draft == NULL ? 0 : strlen(draft) } };

	if (expected != NULL && strcmp(expected, "none") == 0)
		old.data = NULL;
	return wf_store_put_draft(f->other, &write, &f->err);
}

/* NULL: the item has no draft. */
static const char *draft_of(struct store_fixture *f)
{
	struct wf_bytes draft = { NULL, 0 };

	OK(wf_store_draft(f->store, 1, "T", f->arena, &draft, &f->err));
	return draft.data == NULL
		   ? NULL
		   : wf_arena_strndup(f->arena, draft.data, draft.size);
}

static void check_draft(struct store_fixture *f)
{
	struct wf_item_filter filter = { .limit = 9 };
	struct wf_item_row row = {
		.number = 1, .id = "T", .task = "T", .queue = "P:a"
	};
	struct wf_item_write gone = { .row = row };
	struct wf_writes writes = { .items = &gone, .item_count = 1 };
	struct wf_item_list list;
	struct wf_take taken;

	OK(store_launch(f, 1, "one", NULL));
	write_item(f, WF_ITEM_KERNEL, &row);
	CU_ASSERT_PTR_NULL(draft_of(f));
	OK(put_draft(f, "T", "P:a", "none", "one"));
	CU_ASSERT_STRING_EQUAL(draft_of(f), "one");
	REFUSED(f, WF_NOT_FOUND, put_draft(f, "U", NULL, NULL, "two"));
	REFUSED(f, WF_CONFLICT, put_draft(f, "T", "P:b", NULL, "two"));
	REFUSED(f, WF_CONFLICT, put_draft(f, "T", "P:a", "none", "two"));
	REFUSED(f, WF_CONFLICT, put_draft(f, "T", "P:a", "two", "two"));
	OK(put_draft(f, "T", NULL, "one", "two"));
	OK(put_draft(f, "T", "P:a", NULL, "three"));
	/* A step that does not mention it keeps it; lists do not have it. */
	row.status = 2;
	write_item(f, WF_ITEM_KERNEL, &row);
	CU_ASSERT_STRING_EQUAL(draft_of(f), "three");
	OK(wf_store_items(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].status, 2);
	CU_ASSERT_PTR_NULL(list.rows[0].draft.data);
	row.queue = "P:b";
	write_item(f, WF_ITEM_KERNEL | WF_ITEM_DRAFT, &row);
	CU_ASSERT_PTR_NULL(draft_of(f));
	OK(put_draft(f, "T", "P:b", "none", "four"));
	OK(put_draft(f, "T", "P:b", "four", NULL));
	CU_ASSERT_PTR_NULL(draft_of(f));
	OK(put_draft(f, "T", "P:b", NULL, "five"));
	/* It goes with the item, also if that begins anew. */
	store_take(f, f->store, 1, 1, &taken);
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
	REFUSED(f, WF_NOT_FOUND, put_draft(f, "T", NULL, NULL, "six"));
	write_item(f, WF_ITEM_KERNEL, &row);
	CU_ASSERT_PTR_NULL(draft_of(f));
}

static void check_lease(struct store_fixture *f)
{
	struct wf_item_filter filter = { .service = "echo", .limit = 9 };
	struct wf_item_write write = { .groups = WF_ITEM_KERNEL };
	struct wf_writes writes = { .items = &write, .item_count = 1 };
	struct wf_item_list list;
	struct wf_take taken;

	OK(store_launch(f, 1, "one", NULL));
	OK(wf_store_claim_items(
	    f->store, &filter, "me", 10, 20, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].fence, 1);
	OK(wf_store_claim_items(
	    f->other, &filter, "you", 10, 20, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 0);
	/* A step does not touch the lease. */
	store_take(f, f->store, 1, 1, &taken);
	write.row = (struct wf_item_row){ .number = 1,
		.id = "T",
		.task = "T",
		.service = "echo",
		.status = 2 };
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
	OK(wf_store_heartbeat(f->other, 1, "T", "me", 1, 30, &f->err));
	REFUSED(f, WF_CONFLICT,
	    wf_store_heartbeat(f->other, 1, "T", "me", 2, 30, &f->err));
	REFUSED(f, WF_NOT_FOUND,
	    wf_store_heartbeat(f->other, 1, "U", "me", 1, 30, &f->err));
	OK(wf_store_expired_items(f->store, 29, 9, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 0);
	OK(wf_store_expired_items(f->store, 30, 9, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].status, 2);
	OK(wf_store_release(f->store, 1, "T", "me", 1, 40, &f->err));
	REFUSED(f, WF_CONFLICT,
	    wf_store_heartbeat(f->other, 1, "T", "me", 1, 30, &f->err));
	OK(wf_store_claim_items(
	    f->other, &filter, "you", 39, 50, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 0);
	OK(wf_store_claim_items(
	    f->other, &filter, "you", 40, 50, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].fence, 2);
	CU_ASSERT_EQUAL(list.rows[0].attempt, 1); /* the first was none */
	check_start(f);
}

static void test_lease(void)
{
	store_on_each(check_lease);
	store_on_each(check_draft);
}

static void claim_in_order(struct store_fixture *f, int64_t now, size_t limit,
    const uint64_t *numbers, size_t count)
{
	struct wf_item_filter filter = {
		.namespace_id = 1, .service = "echo", .limit = limit
	};
	struct wf_item_list list;

	OK(wf_store_claim_items(
	    f->store, &filter, "me", now, 2000, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, count);
	for (size_t i = 0; i < count; i++)
		CU_ASSERT_EQUAL(list.rows[i].number, numbers[i]);
}

/*
 * The clock was 1000 and is set back, or is that of another node: what was
 * enabled later than now can be claimed; what was put off, when its time comes.
 */
static void check_claims_of_later(struct store_fixture *f)
{
	static const uint64_t enabled_at[] = { 20, 30, 40, 50, 60, 900, 1000 };
	const struct wf_item_row put_off[] = {
		{ .number = 40, .id = "T", .not_before = 5 },
		{ .number = 50, .id = "T", .not_before = 300 },
		{ .number = 60, .id = "T", .not_before = 25 },
	};
	char name[16];

	for (size_t i = 0; i < 7; i++) {
		snprintf(name, sizeof name, "c%zu", i);
		OK(store_launch(f, enabled_at[i], name, NULL));
	}
	OK(wf_store_note_attempts(f->store, put_off, 3, &f->err));
	claim_in_order(f, 100, 4, (const uint64_t[]){ 40, 20, 60, 30 }, 4);
	claim_in_order(f, 100, 9, (const uint64_t[]){ 900, 1000 }, 2);
	claim_in_order(f, 299, 9, NULL, 0);
	claim_in_order(f, 300, 9, (const uint64_t[]){ 50 }, 1);
}

static void test_claims_of_later(void)
{
	store_on_each(check_claims_of_later);
}

/* Attempts are noted on items that wait; a started one keeps its lease. */
static void check_attempts(struct store_fixture *f)
{
	struct wf_item_row rows[] = {
		{ .number = 1,
		    .id = "T",
		    .attempt = 2,
		    .not_before = 70,
		    .last_answer = "HTTP 503" },
		{ .number = 1, .id = "U", .attempt = 1 },
		{ .number = 9, .id = "T", .attempt = 1 },
	};
	struct wf_item_filter filter = { .service = "echo", .limit = 9 };
	struct wf_item_write write = { .groups = WF_ITEM_KERNEL };
	struct wf_writes writes = { .items = &write, .item_count = 1 };
	struct wf_item_list list;
	struct wf_item_row row;
	struct wf_take taken;

	OK(store_launch(f, 1, "one", NULL));
	OK(wf_store_note_attempts(f->store, rows, 3, &f->err));
	row = only_item(f);
	CU_ASSERT_EQUAL(row.attempt, 2);
	CU_ASSERT_EQUAL(row.not_before, 70);
	CU_ASSERT_STRING_EQUAL(row.last_answer, "HTTP 503");
	rows[0].attempt = 3;
	rows[0].last_answer = NULL; /* it was not tried: the answer stays */
	OK(wf_store_note_attempts(f->store, rows, 1, &f->err));
	OK(wf_store_claim_items(
	    f->store, &filter, "me", 70, 90, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].attempt, 4);
	CU_ASSERT_STRING_EQUAL(list.rows[0].last_answer, "HTTP 503");
	OK(wf_store_note_attempts(f->store, rows, 1, &f->err));
	row = only_item(f);
	CU_ASSERT_EQUAL(row.attempt, 4);
	filter = (struct wf_item_filter){ .leased = true, .limit = 9 };
	OK(wf_store_items(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 0); /* not started, it is nobody's */
	store_take(f, f->store, 1, 1, &taken);
	write.row = (struct wf_item_row){ .number = 1,
		.id = "T",
		.task = "T",
		.service = "echo",
		.started_at = 75,
		.status = 2,
		.lease_owner = "me",
		.lease_until = 90,
		.fence = 1,
		.last_answer = "" };
	write.groups |= WF_ITEM_LEASE;
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
	OK(wf_store_items(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 1);
	REFUSED(f, WF_CONFLICT,
	    wf_store_release(f->store, 1, "T", "me", 1, 0, &f->err));
}

static void test_attempts(void)
{
	store_on_each(check_attempts);
}

static void check_due(struct store_fixture *f)
{
	struct wf_due_write due[2] = {
		{ .row = { .number = 1, .name = "b", .at = 100 } },
		{ .row = { .number = 1, .name = "a", .at = 200 } },
	};
	struct wf_due_list list;
	int64_t next = 0;

	OK(store_launch(f, 1, "one", NULL));
	OK(wf_store_next_due(f->store, &next, &f->err));
	CU_ASSERT_EQUAL(next, INT64_MAX);
	store_write_queues(f, due, 2, NULL, 0);
	OK(wf_store_next_due(f->store, &next, &f->err));
	CU_ASSERT_EQUAL(next, 100);
	OK(wf_store_due_of(f->store, 1, "", 1, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_STRING_EQUAL(list.rows[0].name, "a");
	OK(wf_store_due_of(f->store, 1, "a", 9, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_STRING_EQUAL(list.rows[0].name, "b");
	OK(wf_store_claim_due(f->store, 250, 300, 1, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_STRING_EQUAL(list.rows[0].name, "b");
	CU_ASSERT_EQUAL(list.rows[0].attempts, 1);
	/*
	 * Another node gets the other row, and the first when its claim has
	 * ended.
	 */
	OK(wf_store_claim_due(f->other, 250, 300, 9, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_STRING_EQUAL(list.rows[0].name, "a");
	OK(wf_store_claim_due(f->other, 300, 400, 9, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 2);
	CU_ASSERT_EQUAL(list.rows[0].attempts, 2);
	/* Claimed twice, removed twice: harmless. */
	due[0].remove = due[1].remove = true;
	store_write_queues(f, due, 2, NULL, 0);
	store_write_queues(f, due, 2, NULL, 0);
	OK(wf_store_due_of(
	    f->store, 1, "", SIZE_MAX, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 0);
}

static void test_due(void)
{
	store_on_each(check_due);
}

static void check_outbox(struct store_fixture *f)
{
	struct wf_message_row rows[4] = { store_message_row(1, "a", "x"),
		store_message_row(2, "a", "x"), store_message_row(3, "a", "y"),
		store_message_row(4, "b", "x") };
	struct wf_message_key first = { 1, 1 };
	struct wf_message_key second = { 1, 2 };
	struct wf_message_key third = { 1, 3 };
	struct wf_message_queue_list queues;
	struct wf_message_queue_list behind;
	struct wf_store_backlog backlog;
	uint64_t waiting;
	struct wf_message_list list;

	OK(wf_store_backlog(f->store, 9, &backlog, &f->err));
	CU_ASSERT_EQUAL(backlog.live, 0);
	CU_ASSERT_EQUAL(backlog.next_due, INT64_MAX);
	CU_ASSERT_EQUAL(backlog.oldest_message, INT64_MAX);
	OK(store_launch(f, 1, "one", NULL));
	rows[0].at = 2;
	rows[2].at = 3;
	store_write_queues(f, NULL, 0, rows, 4);
	OK(wf_store_backlog(f->store, 9, &backlog, &f->err));
	CU_ASSERT_EQUAL(backlog.live, 1);
	CU_ASSERT_EQUAL(backlog.messages, 4);
	CU_ASSERT_EQUAL(backlog.oldest_message, 2);
	OK(wf_store_backlog(f->store, 3, &backlog, &f->err));
	CU_ASSERT_EQUAL(backlog.messages, 3);
	CU_ASSERT_EQUAL(backlog.oldest_message, 2);
	/* The heads: 1 and 3 to "a", 4 to "b". */
	OK(wf_store_message_queues(
	    f->store, NULL, 9, f->arena, &queues, &f->err));
	CU_ASSERT_EQUAL_FATAL(queues.count, 2);
	CU_ASSERT_STRING_EQUAL(queues.rows[0].destination, "a");
	CU_ASSERT_EQUAL(queues.rows[0].at, 2);
	for (size_t i = 0; i < 2; i++) {
		queues.rows[i].at = 10;
		queues.rows[i].most = 9;
	}
	OK(wf_store_count_messages(
	    f->store, queues.rows[0].namespace_id, "a", 9, &waiting, &f->err));
	CU_ASSERT_EQUAL(waiting, 2);
	OK(wf_store_count_messages(
	    f->store, queues.rows[0].namespace_id, "a", 1, &waiting, &f->err));
	CU_ASSERT_EQUAL(waiting, 1);
	OK(wf_store_count_messages(
	    f->store, queues.rows[0].namespace_id, "c", 9, &waiting, &f->err));
	CU_ASSERT_EQUAL(waiting, 0);
	OK(wf_store_message_queues(
	    f->store, &queues.rows[0], 9, f->arena, &behind, &f->err));
	CU_ASSERT_EQUAL_FATAL(behind.count, 1);
	CU_ASSERT_STRING_EQUAL(behind.rows[0].destination, "b");
	OK(wf_store_claim_messages(
	    f->store, queues.rows, 2, 20, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 3);
	CU_ASSERT_EQUAL(list.rows[1].message, 3);
	OK(wf_store_message_queues(
	    f->store, NULL, 1, f->arena, &queues, &f->err));
	CU_ASSERT_EQUAL_FATAL(queues.count, 1);
	CU_ASSERT_EQUAL(queues.rows[0].at, 20);
	OK(claim_messages(f->other, "a", 10, 20, 9, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 0);
	/* The next follows when the first was delivered, twice if necessary. */
	OK(wf_store_acknowledge(f->store, &first, 1, &f->err));
	OK(wf_store_acknowledge(f->store, &first, 1, &f->err));
	OK(claim_messages(f->other, "a", 10, 20, 9, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].message, 2);
	OK(wf_store_postpone(f->store, &second, 1, 50, true, &f->err));
	OK(claim_messages(f->other, "a", 49, 60, 9, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 1); /* 3, whose claim had ended */
	CU_ASSERT_EQUAL(list.rows[0].attempts, 2);
	OK(wf_store_postpone(f->store, &third, 1, 50, false, &f->err));
	OK(claim_messages(f->other, "a", 50, 60, 9, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 2); /* that claim was none */
	CU_ASSERT_EQUAL(list.rows[0].attempts, 2);
	CU_ASSERT_EQUAL(list.rows[1].attempts, 2);
	OK(wf_store_redirect(f->store, &second, 1, "c", &f->err));
	OK(claim_messages(f->other, "c", 10, 60, 9, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].attempts, 1);
	/* The previous owner puts it back late: its claim no longer exists. */
	OK(wf_store_redirect(f->store, &second, 1, "d", &f->err));
	OK(wf_store_postpone(f->store, &second, 1, 60, false, &f->err));
	OK(claim_messages(f->other, "d", 60, 70, 9, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].attempts, 1);
	/* 2 comes before 4, which was the head of that stream. */
	OK(wf_store_redirect(f->store, &second, 1, "b", &f->err));
	OK(wf_store_count_messages(
	    f->store, queues.rows[0].namespace_id, "b", 9, &waiting, &f->err));
	CU_ASSERT_EQUAL(waiting, 1);
}

static void test_outbox(void)
{
	store_on_each(check_outbox);
}

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
	{ "fresh items", test_fresh },
	{ "one item is found by its id", test_item },
	{ "leases", test_lease },
	{ "items enabled later than now are claimed", test_claims_of_later },
	{ "attempts that failed", test_attempts },
	{ "due", test_due },
	{ "outbox", test_outbox },
	{ "pages", test_pages },
	{ "specifications", test_specification },
	{ "waiting for others", test_wait },
	CU_TEST_INFO_NULL,
};
