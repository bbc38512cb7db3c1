/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several engines, and several shards of one, on the same store, which is their
 * only connection: in memory, and in PostgreSQL where it is available.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "runtime/shard.h"
#include "tests/unit/engine_fixture.h"

static void on_each(void (*test)(struct wf_fixture *f))
{
	static const char *const kinds[] = { "memory", "postgresql" };
	size_t count = getenv("WEFT_TEST_POSTGRESQL") == NULL ? 1 : 2;

	for (size_t i = 0; i < count; i++) {
		struct wf_fixture f;

		wf_fixture_init_on(&f, kinds[i]);
		test(&f);
		wf_fixture_free(&f);
	}
}

static enum wf_rc ask(struct wf_engine *engine, uint64_t number,
    enum wf_command_kind kind, const char *item)
{
	struct wf_request request = { .number = number,
		.command = { .kind = kind, .item = item } };
	struct wf_answer answer;

	return wf_engine_call(engine, &request, &answer, NULL);
}

/* --- two engines ---------------------------------------------------------- */

/* One of the items of a case, or none of them. */
static const char *any_item(
    struct wf_fixture *f, struct wf_random *random, uint64_t number)
{
	struct wf_item_filter filter = { .number = number, .limit = 10 };
	struct wf_item_list list;

	if (wf_store_items(f->store, &filter, f->arena, &list, NULL) != WF_OK ||
	    list.count == 0)
		return "none";
	return list.rows[wf_random_below(random, (uint32_t)list.count)].id;
}

/* Each engine sees the steps of the other, though both cache cases. */
static void alternate(struct wf_fixture *f)
{
	static const enum wf_command_kind kinds[] = { WF_COMMAND_START,
		WF_COMMAND_FINISH, WF_COMMAND_ROLLBACK, WF_COMMAND_COMPLETE,
		WF_COMMAND_SUSPEND_CASE, WF_COMMAND_RESUME_CASE,
		WF_COMMAND_RESUME_CASE };
	struct wf_random random = { 20260103 };
	struct wf_engine_counts counts;
	struct wf_engine *engines[2];
	uint64_t numbers[3] = { 0, 0, 0 };

	wf_fixture_open(f);
	engines[0] = f->engine;
	CU_ASSERT_EQUAL_FATAL(
	    wf_engine_open(&engines[1], &f->settings, &f->err), WF_OK);
	for (unsigned i = 0; i < 300; i++) {
		unsigned at = wf_random_below(&random, 3);
		struct wf_engine *engine = engines[wf_random_below(&random, 2)];

		if (wf_fixture_version(f, numbers[at]) == 0) {
			f->engine = engine;
			numbers[at] = wf_fixture_launch(f);
			continue;
		}
		(void)ask(engine, numbers[at],
		    kinds[wf_random_below(
			&random, sizeof(kinds) / sizeof(kinds[0]))],
		    any_item(f, &random, numbers[at]));
		CU_ASSERT_TRUE(wf_fixture_agrees(f, numbers[at]));
	}
	CU_ASSERT_TRUE(numbers[0] + numbers[1] + numbers[2] > 15);
	for (unsigned i = 0; i < 2; i++) {
		wf_engine_counts(engines[i], &counts);
		CU_ASSERT_TRUE(counts.loads > 30);
		CU_ASSERT_TRUE(counts.loads < counts.requests);
	}
	f->engine = engines[0];
	wf_engine_close(&engines[1]);
}

static void test_alternate(void)
{
	on_each(alternate);
}

/* Neither engine refuses or does anything because of its cache. */
static void take_turns(struct wf_fixture *f)
{
	static const struct {
		unsigned engine;
		const char *item;
		enum wf_rc rc;
	} rows[] = {
		{ 1, "1:A", WF_OK },
		{ 0, "1:A", WF_NOT_FOUND },
		{ 0, "1:B", WF_OK },
		{ 1, "1:B", WF_NOT_FOUND },
		{ 1, "1:C", WF_OK },
		{ 0, "1:D", WF_OK },
		{ 1, "1:D", WF_NOT_FOUND },
	};
	struct wf_engine *engines[2];

	wf_fixture_open(f);
	engines[0] = f->engine;
	CU_ASSERT_EQUAL_FATAL(
	    wf_engine_open(&engines[1], &f->settings, &f->err), WF_OK);
	CU_ASSERT_EQUAL(wf_fixture_launch(f), 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CU_ASSERT_EQUAL(ask(engines[rows[i].engine], 1,
				    WF_COMMAND_FINISH, rows[i].item),
		    rows[i].rc);
	wf_engine_close(&engines[1]);
}

static void test_take_turns(void)
{
	on_each(take_turns);
}

/* A specification that one engine loads the other knows a moment later. */
static void change_specifications(struct wf_fixture *f)
{
	struct wf_engine *other;
	struct wf_engine *own;
	uint64_t number;

	wf_fixture_open(f);
	own = f->engine;
	CU_ASSERT_EQUAL_FATAL(
	    wf_engine_open(&other, &f->settings, &f->err), WF_OK);
	f->engine = other;
	number = wf_fixture_launch(f);
	CU_ASSERT_NOT_EQUAL(number, 0);
	CU_ASSERT_EQUAL(wf_engine_unload(own, 0, f->key, NULL), WF_CONFLICT);
	CU_ASSERT_EQUAL(ask(own, number, WF_COMMAND_CANCEL_CASE, ""), WF_OK);
	CU_ASSERT_EQUAL(wf_engine_unload(own, 0, f->key, NULL), WF_OK);
	f->now += 2000;
	wf_fixture_turn(f);
	CU_ASSERT_EQUAL(wf_fixture_launch(f), 0);
	CU_ASSERT_EQUAL(f->err.rc, WF_NOT_FOUND);
	/*
	 * A specification may exist again: the store is asked before it is
	 * denied.
	 */
	f->engine = own;
	wf_error_clear(&f->err);
	CU_ASSERT_EQUAL(wf_fixture_load_process(f), WF_OK);
	f->engine = other;
	CU_ASSERT_NOT_EQUAL(wf_fixture_launch(f), 0);
	f->engine = own;
	wf_engine_close(&other);
}

static void test_specifications(void)
{
	on_each(change_specifications);
}

/* A command that was claimed by an engine that died is done by another. */
static void take_over(struct wf_fixture *f)
{
	struct wf_engine *other;
	uint64_t number;

	wf_fixture_open(f);
	number = wf_fixture_launch(f);
	CU_ASSERT_EQUAL(wf_fixture_schedule(f, number, WF_COMMAND_SUSPEND_CASE,
			    "", f->now + 1000),
	    WF_OK);
	CU_ASSERT_EQUAL_FATAL(
	    wf_engine_open(&other, &f->settings, &f->err), WF_OK);
	f->now += 2000;
	CU_ASSERT_TRUE(wf_due_turn(f->engine)); /* claimed, not tried */
	wf_engine_abandon(&f->engine);
	f->engine = other;
	wf_fixture_turn(f);
	CU_ASSERT_EQUAL(wf_fixture_version(f, number), 1);
	f->now += WF_DUE_COMMAND_LEASE_MS;
	wf_fixture_turn(f);
	CU_ASSERT_EQUAL(wf_fixture_version(f, number), 2);
	CU_ASSERT_EQUAL(wf_fixture_incidents(f).count, 0);
}

static void test_take_over(void)
{
	on_each(take_over);
}

/* --- shards --------------------------------------------------------------- */

/* Each case has its shard, whichever shard takes the request. */
static void run_shards(struct wf_fixture *f)
{
	static const char *const tasks[] = { "A", "B", "C", "D" };
	uint64_t numbers[40];
	uint64_t due;

	f->settings.shards = 4;
	wf_fixture_open(f);
	CU_ASSERT_EQUAL_FATAL(f->engine->shard_count, 4);
	for (size_t i = 0; i < 40; i++) {
		numbers[i] = wf_fixture_launch(f);
		for (size_t other = 0; other < i; other++)
			CU_ASSERT_NOT_EQUAL(numbers[i], numbers[other]);
	}
	for (unsigned s = 0; s < 4; s++)
		CU_ASSERT_TRUE(f->engine->shards[s].cache.count > 0);
	for (size_t t = 0; t < 4; t++)
		for (size_t i = 0; i < 40; i++) {
			char item[40];

			snprintf(item, sizeof(item), "%llu:%s",
			    (unsigned long long)numbers[i], tasks[t]);
			CU_ASSERT_EQUAL(
			    wf_fixture_do(f, numbers[i], WF_COMMAND_FINISH,
				item, NULL, NULL),
			    WF_OK);
		}
	for (unsigned s = 0; s < 4; s++)
		CU_ASSERT_EQUAL(f->engine->shards[s].cache.count, 0);
	/* An incident's case may belong to another shard than the request. */
	for (size_t i = 0; i < 8; i++) {
		due = wf_fixture_launch(f);
		CU_ASSERT_EQUAL(wf_fixture_schedule(
				    f, due, WF_COMMAND_FINISH, "none", f->now),
		    WF_OK);
		wf_fixture_turn(f);
		CU_ASSERT_EQUAL_FATAL(wf_fixture_incidents(f).count, 1);
		CU_ASSERT_EQUAL(
		    wf_fixture_retry(f, wf_fixture_incidents(f).rows[0].id),
		    WF_OK);
		CU_ASSERT_EQUAL(wf_fixture_do(f, due, WF_COMMAND_CANCEL_CASE,
				    "", NULL, NULL),
		    WF_OK);
		wf_fixture_turn(f);
		CU_ASSERT_EQUAL(wf_fixture_incidents(f).count, 0);
	}
	CU_ASSERT_EQUAL(wf_engine_next_due(f->engine), INT64_MAX);
}

static void test_shards(void)
{
	on_each(run_shards);
}

/* --- all at once ---------------------------------------------------------- */

#define ENGINES 2U
#define CLIENTS 6U
#define SHARED 5U /* cases */
#define ROUNDS 60U

struct crowd {
	struct wf_engine *engines[ENGINES];
	uint64_t shared[SHARED];
	uint64_t key;
	atomic_uint done[SHARED]; /* steps that were acknowledged */
	atomic_uint wrong;
	atomic_uint next;
};

/* A node that has the case may hold it for long: then nothing was done. */
static enum wf_rc insist(struct wf_engine *engine,
    const struct wf_request *request, struct wf_answer *answer)
{
	enum wf_rc rc;

	do {
		rc = wf_engine_call(engine, request, answer, NULL);
	} while (rc == WF_UNAVAILABLE);
	return rc;
}

/* A case that only one client uses, from beginning to end. */
static void run_own(struct crowd *crowd, struct wf_engine *engine)
{
	static const char *const tasks[] = { "A", "B", "C", "D" };
	struct wf_request request = { .command = { .kind = WF_COMMAND_LAUNCH },
		.launch = { .specification = crowd->key } };
	struct wf_answer answer;
	char item[96];

	if (insist(engine, &request, &answer) != WF_OK) {
		crowd->wrong++;
		return;
	}
	request = (struct wf_request){ .number = answer.number,
		.command = { .kind = WF_COMMAND_FINISH, .item = item } };
	for (size_t t = 0; t < 4; t++) {
		snprintf(item, sizeof(item), "%llu:%s",
		    (unsigned long long)request.number, tasks[t]);
		if (insist(engine, &request, &answer) != WF_OK)
			crowd->wrong++;
	}
}

/* A case that all clients use: refusals are caused by the others. */
static void step_shared(
    struct crowd *crowd, struct wf_engine *engine, struct wf_random *random)
{
	unsigned at = wf_random_below(random, SHARED);
	struct wf_request request = { .command = { .kind =
						       WF_COMMAND_RESUME_CASE },
		.number = crowd->shared[at] };
	struct wf_answer answer;
	enum wf_rc rc;

	if (wf_random_below(random, 2) == 0)
		request.command.kind = WF_COMMAND_SUSPEND_CASE;
	rc = insist(engine, &request, &answer);
	if (rc == WF_OK)
		crowd->done[at]++;
	else if (rc != WF_CONFLICT)
		crowd->wrong++;
}

static void *run_client(void *argument)
{
	struct crowd *crowd = argument;
	unsigned client = atomic_fetch_add(&crowd->next, 1);
	struct wf_random random = { client + 1 };
	struct wf_engine *engine = crowd->engines[client % ENGINES];

	for (unsigned i = 0; i < ROUNDS; i++) {
		if (wf_random_below(&random, 4) == 0)
			run_own(crowd, engine);
		else
			step_shared(crowd, engine, &random);
	}
	return NULL;
}

static void open_crowd(struct wf_fixture *f, struct crowd *crowd)
{
	f->settings.shards = 3;
	f->settings.threads = true;
	f->settings.now = NULL;
	f->settings.cache_bytes = 20000;
	wf_fixture_open(f);
	memset(crowd, 0, sizeof(*crowd));
	crowd->key = f->key;
	crowd->engines[0] = f->engine;
	for (unsigned i = 1; i < ENGINES; i++)
		CU_ASSERT_EQUAL_FATAL(
		    wf_engine_open(&crowd->engines[i], &f->settings, &f->err),
		    WF_OK);
	for (unsigned i = 0; i < SHARED; i++)
		crowd->shared[i] = wf_fixture_launch(f);
}

static void run_crowd(struct wf_fixture *f)
{
	pthread_t threads[CLIENTS];
	struct wf_case_filter filter = { .live = true, .limit = 100 };
	struct wf_case_list live;
	struct crowd crowd;

	open_crowd(f, &crowd);
	for (unsigned i = 0; i < CLIENTS; i++)
		CU_ASSERT_EQUAL_FATAL(
		    pthread_create(&threads[i], NULL, run_client, &crowd), 0);
	for (unsigned i = 0; i < CLIENTS; i++)
		pthread_join(threads[i], NULL);
	CU_ASSERT_EQUAL(atomic_load(&crowd.wrong), 0);
	for (unsigned i = 0; i < SHARED; i++) {
		CU_ASSERT_EQUAL(wf_fixture_version(f, crowd.shared[i]),
		    1 + atomic_load(&crowd.done[i]));
		CU_ASSERT_TRUE(wf_fixture_agrees(f, crowd.shared[i]));
	}
	CU_ASSERT_EQUAL(
	    wf_store_cases(f->store, &filter, f->arena, &live, NULL), WF_OK);
	CU_ASSERT_EQUAL(live.count, SHARED);
	CU_ASSERT_EQUAL(wf_fixture_incidents(f).count, 0);
	for (unsigned i = 1; i < ENGINES; i++)
		wf_engine_close(&crowd.engines[i]);
}

static void test_crowd(void)
{
	on_each(run_crowd);
}

CU_TestInfo wf_tests_nodes[] = {
	{ "two engines take turns", test_take_turns },
	{ "two engines step the same cases", test_alternate },
	{ "two engines and specifications", test_specifications },
	{ "an engine takes over", test_take_over },
	{ "four shards", test_shards },
	{ "two engines of three shards, and six clients", test_crowd },
	CU_TEST_INFO_NULL,
};
