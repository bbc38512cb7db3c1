/* SPDX-License-Identifier: Apache-2.0 */
/* The running engine with its threads: work, and its end under load. */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <pthread.h>
#include <stdio.h>

#include "tests/unit/engine_fixture.h"

#define CLIENTS 8U
#define CASES 20U

static void *run_cases(void *argument)
{
	struct wf_fixture *f = argument;
	static const char *const tasks[] = { "A", "B", "C", "D" };
	uintptr_t failed = 0;

	for (unsigned i = 0; i < CASES; i++) {
		struct wf_request request = { .kind = WF_REQUEST_COMMAND,
			.command = { .kind = WF_COMMAND_LAUNCH },
			.launch = { .specification = f->key } };
		struct wf_answer answer;

		failed +=
		    wf_engine_call(f->engine, &request, &answer, NULL) != WF_OK;
		request.number = answer.number;
		request.command.kind = WF_COMMAND_FINISH;
		for (size_t t = 0; t < 4; t++) {
			char item[80];

			snprintf(
			    item, sizeof(item), "%s:%s", answer.name, tasks[t]);
			request.command.item = item;
			failed += wf_engine_call(f->engine, &request, &answer,
				      NULL) != WF_OK;
			snprintf(answer.name, sizeof(answer.name), "%llu",
			    (unsigned long long)request.number);
		}
		failed += answer.status != WF_CASE_COMPLETED;
	}
	return (void *)failed;
}

static void test_threads(void)
{
	struct wf_case_filter filter = { .live = true, .limit = 10 };
	struct wf_engine_counts counts;
	struct wf_case_list list;
	pthread_t threads[CLIENTS];
	struct wf_fixture f;
	void *failed;

	wf_fixture_init(&f);
	f.settings.threads = true;
	f.settings.now = NULL;
	wf_fixture_open(&f);
	for (size_t i = 0; i < CLIENTS; i++)
		CU_ASSERT_EQUAL_FATAL(
		    pthread_create(&threads[i], NULL, run_cases, &f), 0);
	for (size_t i = 0; i < CLIENTS; i++) {
		pthread_join(threads[i], &failed);
		CU_ASSERT_PTR_NULL(failed);
	}
	wf_engine_counts(f.engine, &counts);
	CU_ASSERT_EQUAL(counts.steps, CLIENTS * CASES * 5);
	CU_ASSERT_EQUAL(
	    wf_store_cases(f.store, &filter, f.arena, &list, NULL), WF_OK);
	CU_ASSERT_EQUAL(list.count, 0);
	wf_fixture_free(&f);
}

/* Each accepted request is answered once, and the answers are true. */
static void stop_under_load(bool abandon)
{
	struct wf_case_filter filter = { .live = true, .limit = 10000 };
	struct wf_request request = { .command = {
					  .kind = WF_COMMAND_LAUNCH } };
	unsigned replies[2] = { 0, 0 };
	struct wf_case_list list;
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.threads = true;
	f.settings.now = NULL;
	f.settings.batch = 10;
	wf_fixture_open(&f);
	request.launch.specification = f.key;
	for (unsigned i = 0; i < 2000; i++)
		CU_ASSERT_EQUAL(wf_engine_submit(f.engine, &request,
				    wf_fixture_count_reply, replies, NULL),
		    WF_OK);
	if (abandon)
		wf_engine_abandon(&f.engine);
	else
		wf_engine_close(&f.engine);
	CU_ASSERT_EQUAL(replies[0] + replies[1], 2000);
	CU_ASSERT_TRUE(abandon || replies[1] == 0);
	CU_ASSERT_EQUAL(
	    wf_store_cases(f.store, &filter, f.arena, &list, NULL), WF_OK);
	CU_ASSERT_EQUAL(list.count, replies[0]);
	wf_fixture_free(&f);
}

static void test_stop_under_load(void)
{
	stop_under_load(false);
	stop_under_load(true);
}

/* A case that another node holds does not delay the end for ever. */
static void test_stop_while_held(void)
{
	struct wf_take take = { .number = 1 };
	struct wf_batch batch = { .takes = &take, .take_count = 1 };
	struct wf_request request = {
		.command = { .kind = WF_COMMAND_SUSPEND_CASE }, .number = 1
	};
	unsigned replies[2] = { 0, 0 };
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.threads = true;
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL(wf_fixture_launch(&f), 1);
	CU_ASSERT_EQUAL(wf_store_begin(f.store, &batch, f.arena, NULL), WF_OK);
	CU_ASSERT_EQUAL(take.state, WF_TAKE_TAKEN);
	CU_ASSERT_EQUAL(wf_engine_submit(f.engine, &request,
			    wf_fixture_count_reply, replies, NULL),
	    WF_OK);
	wf_engine_close(&f.engine);
	CU_ASSERT_EQUAL(replies[0], 0);
	CU_ASSERT_EQUAL(replies[1], 1);
	wf_store_abort(f.store);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 1);
	wf_fixture_free(&f);
}

CU_TestInfo wf_tests_engine_threads[] = {
	{ "threads", test_threads },
	{ "an end under load", test_stop_under_load },
	{ "an end while a case is held", test_stop_while_held },
	CU_TEST_INFO_NULL,
};
