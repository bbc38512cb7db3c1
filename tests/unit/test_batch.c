/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several requests for one case in one batch: each sees the effects of those
 * before it.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <string.h>

#include "tests/unit/engine_fixture.h"

#define AT_ONCE 4U

struct outcome {
	unsigned count; /* of answers */
	enum wf_rc rc;
};

static void take(void *context, const struct wf_reply *reply)
{
	struct outcome *outcome = context;

	outcome->count++;
	outcome->rc = reply->rc;
}

/* Submits the requests in that order; stores the reply to each. */
static void ask_together(struct wf_fixture *f, const struct wf_request *asked,
    size_t count, struct outcome outcomes[AT_ONCE])
{
	memset(outcomes, 0, AT_ONCE * sizeof(outcomes[0]));
	for (size_t i = 0; i < count; i++)
		CU_ASSERT_EQUAL(wf_engine_submit(f->engine, &asked[i], take,
				    &outcomes[i], &f->err),
		    WF_OK);
	wf_fixture_turn(f);
	for (size_t i = 0; i < count; i++)
		CU_ASSERT_EQUAL(outcomes[i].count, 1);
}

static void open_with_case(struct wf_fixture *f)
{
	wf_fixture_init(f);
	wf_fixture_open(f);
	CU_ASSERT_EQUAL(wf_fixture_launch(f), 1);
}

static uint64_t count_loads(struct wf_fixture *f)
{
	struct wf_engine_counts counts;

	wf_engine_counts(f->engine, &counts);
	return counts.loads;
}

/* --- requests for the next batch ------------------------------------------ */

static void test_after_the_end(void)
{
	static const struct wf_request asked[] = {
		{ .number = 1, .command = { .kind = WF_COMMAND_CANCEL_CASE } },
		{ .number = 1, .command = { .kind = WF_COMMAND_SUSPEND_CASE } },
	};
	struct outcome outcome[AT_ONCE];
	struct wf_fixture f;

	open_with_case(&f);
	ask_together(&f, asked, 2, outcome);
	CU_ASSERT_EQUAL(outcome[0].rc, WF_OK);
	CU_ASSERT_EQUAL(outcome[1].rc, WF_NOT_FOUND);
	wf_fixture_free(&f);
}

/* A step that failed has left an unknown state: no later request is done. */
static void test_after_a_bug(void)
{
	static const struct wf_request asked[] = {
		{ .number = 1,
		    .command = { .kind = WF_COMMAND_FINISH, .item = "1:A" } },
		{ .number = 1, .command = { .kind = WF_COMMAND_SUSPEND_CASE } },
	};
	struct outcome outcome[AT_ONCE];
	struct wf_fixture f;
	uint64_t loads;

	open_with_case(&f);
	f.broken_item = "1:A";
	ask_together(&f, asked, 2, outcome);
	CU_ASSERT_EQUAL(outcome[0].rc, WF_BUG);
	CU_ASSERT_EQUAL(outcome[1].rc, WF_CONFLICT);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 1);
	/* Nor is the case kept in memory until it is released. */
	f.broken_item = NULL;
	loads = count_loads(&f);
	CU_ASSERT_EQUAL(
	    wf_fixture_retry(&f, wf_fixture_incidents(&f).rows[0].id), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_FINISH, "1:A", NULL, NULL), WF_OK);
	CU_ASSERT_EQUAL(count_loads(&f), loads + 1);
	wf_fixture_free(&f);
}

static void test_after_it_was_put_back(void)
{
	static const struct wf_request asked[] = {
		{ .number = 1, .kind = WF_REQUEST_RETRY },
		{ .number = 1,
		    .command = { .kind = WF_COMMAND_FINISH, .item = "1:A" } },
		{ .number = 1, .kind = WF_REQUEST_RETRY },
	};
	struct outcome outcome[AT_ONCE];
	struct wf_fixture f;

	open_with_case(&f);
	f.broken_item = "1:A";
	ask_together(&f, asked + 1, 1, outcome);
	CU_ASSERT_TRUE(wf_fixture_is_quarantined(&f, 1));
	f.broken_item = NULL;
	ask_together(&f, asked, 3, outcome);
	CU_ASSERT_EQUAL(outcome[0].rc, WF_OK);
	CU_ASSERT_EQUAL(outcome[1].rc, WF_OK);
	CU_ASSERT_EQUAL(outcome[2].rc, WF_CONFLICT);
	wf_fixture_free(&f);
}

/* A retry between two steps does not delay them. */
static void test_between_steps(void)
{
	static const struct wf_request asked[] = {
		{ .number = 1,
		    .command = { .kind = WF_COMMAND_FINISH, .item = "1:A" } },
		{ .kind = WF_REQUEST_RETRY, .incident = { .id = 1 } },
		{ .number = 1, .command = { .kind = WF_COMMAND_CANCEL_CASE } },
	};
	struct outcome outcome[AT_ONCE];
	struct wf_fixture f;

	open_with_case(&f);
	CU_ASSERT_EQUAL(
	    wf_fixture_schedule(&f, 1, WF_COMMAND_FINISH, "1:B", f.now), WF_OK);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 1);
	ask_together(&f, asked, 3, outcome);
	for (unsigned i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(outcome[i].rc, WF_OK);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	wf_fixture_free(&f);
}

/* --- leases --------------------------------------------------------------- */

static struct wf_item_row claim(struct wf_fixture *f, const char *owner)
{
	struct wf_item_filter filter = { .number = 1,
		.statuses = 1U << WF_ITEM_ENABLED | 1U << WF_ITEM_FIRED,
		.service = "",
		.limit = 1 };
	struct wf_item_list list;

	CU_ASSERT_EQUAL(wf_store_claim_items(f->store, &filter, owner, f->now,
			    f->now + 1000, f->arena, &list, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	return list.rows[0];
}

static struct wf_item_row read_item(struct wf_fixture *f, const char *id)
{
	struct wf_item_row row = { .lease_owner = "there is none" };

	CU_ASSERT_EQUAL(
	    wf_store_item(f->store, 1, id, f->arena, &row, NULL), WF_OK);
	return row;
}

static struct wf_request with_lease(
    const struct wf_item_row *row, enum wf_command_kind command)
{
	return (struct wf_request){ .number = 1,
		.command = { .kind = command, .item = row->id },
		.lease = { row->lease_owner, row->fence, row->attempt,
		    row->lease_until } };
}

/* The announcement ends the lease, and the item's row is written once. */
static void test_announced_beside_steps(void)
{
	static const struct wf_request asked[] = {
		{ .number = 1,
		    .kind = WF_REQUEST_ANNOUNCE,
		    .announce = { .item = "1:A" } },
		{ .number = 1,
		    .command = { .kind = WF_COMMAND_SUSPEND_ITEM,
			.item = "1:A" } },
		{ .number = 1,
		    .kind = WF_REQUEST_ANNOUNCE,
		    .announce = { .item = "1:A" } },
		{ .number = 1,
		    .command = { .kind = WF_COMMAND_RESUME_ITEM,
			.item = "1:A" } },
	};
	struct wf_item_row row;
	struct outcome outcome[AT_ONCE];
	struct wf_fixture f;

	open_with_case(&f);
	(void)claim(&f, "worker");
	ask_together(&f, asked, 4, outcome);
	for (unsigned i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(outcome[i].rc, WF_OK);
	row = read_item(&f, "1:A");
	CU_ASSERT_EQUAL(row.status, WF_ITEM_ENABLED);
	CU_ASSERT_EQUAL(row.lease_until, 0);
	CU_ASSERT_EQUAL(row.attempt, 0);
	(void)claim(&f, "other");
	wf_fixture_free(&f);
}

/*
 * The worker who starts an item may complete it, though no lease is stored yet.
 */
static void test_started_and_completed(void)
{
	struct wf_request asked[2];
	struct wf_item_row row;
	struct outcome outcome[AT_ONCE];
	struct wf_fixture f;

	open_with_case(&f);
	row = claim(&f, "worker");
	asked[0] = with_lease(&row, WF_COMMAND_START);
	row.id = "1.1:A";
	asked[1] = with_lease(&row, WF_COMMAND_COMPLETE);
	ask_together(&f, asked, 2, outcome);
	CU_ASSERT_EQUAL(outcome[0].rc, WF_OK);
	CU_ASSERT_EQUAL(outcome[1].rc, WF_OK);
	wf_fixture_free(&f);
}

CU_TestInfo wf_tests_batch[] = {
	{ "after the end of the case", test_after_the_end },
	{ "after a bug", test_after_a_bug },
	{ "after the case was put back", test_after_it_was_put_back },
	{ "retried between two steps", test_between_steps },
	{ "announced beside steps", test_announced_beside_steps },
	{ "started and completed", test_started_and_completed },
	CU_TEST_INFO_NULL,
};
