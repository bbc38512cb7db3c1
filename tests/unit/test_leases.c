/* SPDX-License-Identifier: Apache-2.0 */
/* Leases of items in a running engine: who may do what, and until when. */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <string.h>

#include "tests/unit/engine_fixture.h"

/* Claims the only enabled item of case 1 and starts it, with that lease. */
static struct wf_request start_item_with_lease(
    struct wf_fixture *f, const char *item)
{
	struct wf_item_filter filter = { .number = 1,
		.statuses = 1U << WF_ITEM_ENABLED,
		.service = "",
		.limit = 1 };
	struct wf_request request = { .number = 1,
		.command = { .kind = WF_COMMAND_START, .item = item } };
	struct wf_item_list list;
	struct wf_answer answer;

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
	return request;
}

/* The same with the first item of a case that it launches. */
static struct wf_request start_with_lease(struct wf_fixture *f)
{
	struct wf_request request;

	wf_fixture_init(f);
	wf_fixture_open(f);
	wf_fixture_launch(f);
	request = start_item_with_lease(f, "1:A");
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

/* An instance of a composite task has no lease, also beside leased items. */
static void test_composite_has_no_lease(void)
{
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL_FATAL(wf_fixture_load_nested(&f), WF_OK);
	wf_fixture_launch(&f);
	(void)start_item_with_lease(&f, "1.1:A");
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_FORCE, "1.1:A", "<S/>", NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(f.err.rc, WF_OK);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 0);
	wf_fixture_free(&f);
}

CU_TestInfo wf_tests_leases[] = {
	{ "the lease of a suspended item", test_lease_of_suspended },
	{ "the lease of another", test_lease_of_another },
	{ "a lease that is given back", test_lease_given_back },
	{ "a leased item is its holder's", test_lease_is_guarded },
	{ "a lease that is overridden", test_lease_overridden },
	{ "a claim without its start", test_claim_ends_by_start },
	{ "a composite task has no lease", test_composite_has_no_lease },
	{ "a fence grows by one", test_fence_grows_by_one },
	CU_TEST_INFO_NULL,
};
