/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store contract for what is taken from queues: items, due commands and the
 * outbox.  Each test runs on every store.
 */
#include <CUnit/CUnit.h>
#include <string.h>

#include "persistence/store.h"
#include "tests/message_queues.h"
#include "tests/unit/store_fixture.h"

/* --- items ---------------------------------------------------------------- */

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

/* --- due commands and the outbox ------------------------------------------ */

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

CU_TestInfo wf_tests_store_queues[] = {
	{ "fresh items", test_fresh },
	{ "one item is found by its id", test_item },
	{ "leases", test_lease },
	{ "items enabled later than now are claimed", test_claims_of_later },
	{ "attempts that failed", test_attempts },
	{ "due", test_due },
	{ "outbox", test_outbox },
	CU_TEST_INFO_NULL,
};
