/* SPDX-License-Identifier: Apache-2.0 */
/* Delayed starts: listed, withdrawn, and launched at the same time. */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <string.h>

#include "base/random.h"
#include "tests/unit/engine_fixture.h"
#include "tests/unit/seed.h"

#define MANY 40U

static enum wf_rc withdraw(struct wf_fixture *f, uint64_t number,
    const char *actor, struct wf_answer *answer)
{
	struct wf_request request = {
		.kind = WF_REQUEST_WITHDRAW, .start = number, .actor = actor
	};

	return wf_engine_call(f->engine, &request, answer, NULL);
}

static struct wf_starts starts(
    struct wf_fixture *f, uint32_t namespace_id, uint64_t after, size_t limit)
{
	struct wf_starts list;

	CU_ASSERT_EQUAL_FATAL(wf_starts_read(f->store, namespace_id, after,
				  limit, f->arena, &list, &f->err),
	    WF_OK);
	return list;
}

static void is_seen(struct wf_fixture *f)
{
	struct wf_starts list;
	uint64_t first = wf_fixture_put_off(f, "order", f->now + 5000);

	for (unsigned i = 1; i < MANY; i++)
		CU_ASSERT_EQUAL(
		    wf_fixture_put_off(f, NULL, f->now + 4000), first + i);
	list = starts(f, WF_NAMESPACE_DEFAULT, 0, 100);
	CU_ASSERT_EQUAL_FATAL(list.count, MANY);
	CU_ASSERT_EQUAL(list.rows[0].number, first);
	CU_ASSERT_EQUAL(list.rows[0].at, f->now + 5000);
	CU_ASSERT_EQUAL(list.rows[0].specification, f->key);
	CU_ASSERT_STRING_EQUAL(list.rows[0].name, "order");
	CU_ASSERT_STRING_EQUAL(list.rows[0].title, "later");
	CU_ASSERT_STRING_EQUAL(list.rows[0].owner, "ann");
	CU_ASSERT_STRING_EQUAL(list.rows[1].name, "2");
	list = starts(f, WF_NAMESPACE_DEFAULT, first + 8, 20);
	CU_ASSERT_EQUAL_FATAL(list.count, 20);
	CU_ASSERT_EQUAL(list.rows[0].number, first + 9);
	CU_ASSERT_EQUAL(list.rows[19].number, first + 28);
	CU_ASSERT_EQUAL(starts(f, WF_NAMESPACE_DEFAULT + 1, 0, 9).count, 0);
	f->now += 4500;
	wf_fixture_turn(f);
	list = starts(f, WF_NAMESPACE_DEFAULT, 0, 100);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].number, first);
}

static void is_withdrawn(struct wf_fixture *f)
{
	struct wf_request elsewhere = { .kind = WF_REQUEST_WITHDRAW,
		.namespace_id = WF_NAMESPACE_DEFAULT + 1 };
	struct wf_answer answer;
	uint64_t made = wf_fixture_launch(f);
	uint64_t first = wf_fixture_put_off(f, "order", f->now + 5000);
	uint64_t second = wf_fixture_put_off(f, NULL, f->now + 5000);

	/* Withdrawing a launched case does not withdraw the next start. */
	CU_ASSERT_EQUAL(first, made + 1);
	CU_ASSERT_EQUAL(withdraw(f, made, "bob", &answer), WF_NOT_FOUND);
	elsewhere.start = first;
	CU_ASSERT_EQUAL(
	    wf_engine_call(f->engine, &elsewhere, &answer, NULL), WF_NOT_FOUND);
	CU_ASSERT_EQUAL(withdraw(f, 0, "bob", &answer), WF_INVALID);
	/* Refusing it must not change the start that gets the number. */
	CU_ASSERT_EQUAL(withdraw(f, second + 1, "bob", &answer), WF_NOT_FOUND);
	CU_ASSERT_EQUAL(wf_fixture_put_off(f, NULL, f->now + 5000), second + 1);
	CU_ASSERT_EQUAL(withdraw(f, first, "bob", &answer), WF_OK);
	CU_ASSERT_STRING_EQUAL(answer.name, "order");
	CU_ASSERT_FALSE(answer.repeated);
	CU_ASSERT_EQUAL(withdraw(f, first, "bob", &answer), WF_OK);
	CU_ASSERT_TRUE(answer.repeated);
	CU_ASSERT_EQUAL(withdraw(f, first, "ann", &answer), WF_NOT_FOUND);
	f->now += 6000;
	wf_fixture_turn(f);
	CU_ASSERT_EQUAL(wf_fixture_version(f, first), 0);
	CU_ASSERT_EQUAL(wf_fixture_version(f, second), 1);
	CU_ASSERT_EQUAL(wf_fixture_version(f, second + 1), 1);
	CU_ASSERT_EQUAL(withdraw(f, second, "bob", &answer), WF_NOT_FOUND);
	CU_ASSERT_EQUAL(wf_fixture_version(f, second), 1);
	CU_ASSERT_EQUAL(wf_engine_next_due(f->engine), INT64_MAX);
	CU_ASSERT_EQUAL(wf_fixture_incidents(f).count, 0);
}

/* It waits while the specification is suspended, and longer each time. */
static void waits(struct wf_fixture *f)
{
	const struct wf_pause pause = {
		.since = f->now, .by = "ann", .reason = "wrong"
	};
	const int64_t due = f->now + 5000;
	uint64_t number = wf_fixture_put_off(f, "order", due);
	uint64_t later = wf_fixture_put_off(f, NULL, due + 600000);
	struct wf_request launch = { .command.kind = WF_COMMAND_LAUNCH,
		.launch.specification = f->key };
	struct wf_answer answer;
	struct wf_pause found;
	unsigned attempts = 0;

	CU_ASSERT_EQUAL(
	    wf_engine_suspend(f->engine, 0, f->key + 1, &pause, NULL),
	    WF_NOT_FOUND);
	CU_ASSERT_EQUAL(
	    wf_engine_suspend(f->engine, 0, f->key, NULL, NULL), WF_CONFLICT);
	CU_ASSERT_EQUAL(
	    wf_engine_suspend(f->engine, 0, f->key, &pause, &f->err), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_engine_suspend(f->engine, 0, f->key, &pause, NULL), WF_CONFLICT);
	CU_ASSERT_TRUE(
	    wf_engine_suspension(f->engine, 0, f->key, f->arena, &found));
	CU_ASSERT_STRING_EQUAL(found.reason, "wrong");
	CU_ASSERT_EQUAL(
	    wf_engine_call(f->engine, &launch, &answer, &f->err), WF_CONFLICT);
	CU_ASSERT_STRING_EQUAL(f->err.code, WF_SUSPENDED_CODE);
	wf_error_clear(&f->err);
	f->now = due;
	while (f->now < due + 500000) {
		wf_fixture_turn(f);
		CU_ASSERT_TRUE(wf_engine_next_due(f->engine) > f->now);
		f->now = wf_engine_next_due(f->engine);
		attempts++;
	}
	/* 1, 1, 2, 4 .. 32 and then 60 seconds apart. */
	CU_ASSERT_EQUAL(attempts, 15);
	CU_ASSERT_EQUAL(wf_fixture_version(f, number), 0);
	CU_ASSERT_EQUAL(starts(f, WF_NAMESPACE_DEFAULT, 0, 9).rows[0].at, due);
	CU_ASSERT_EQUAL(wf_fixture_incidents(f).count, 0);
	CU_ASSERT_EQUAL(
	    wf_engine_suspend(f->engine, 0, f->key, NULL, &f->err), WF_OK);
	wf_fixture_turn(f);
	CU_ASSERT_EQUAL(wf_fixture_version(f, number), 1);
	f->now = due + 600000;
	wf_fixture_turn(f);
	CU_ASSERT_EQUAL(wf_fixture_version(f, later), 1);
	CU_ASSERT_EQUAL(wf_engine_next_due(f->engine), INT64_MAX);
}

/* --- concurrent requests -------------------------------------------------- */

struct outcome {
	bool is;
	enum wf_rc rc;
};

static void take(void *context, const struct wf_reply *reply)
{
	*(struct outcome *)context = (struct outcome){ true, reply->rc };
}

/* Two engines in some order: one withdraws the start, or has launched it. */
static void withdraw_at_random(struct wf_fixture *f, struct wf_engine *other,
    struct wf_random *random, unsigned *withdrawn)
{
	struct wf_engine *engines[] = { f->engine, other };
	struct wf_request request = { .kind = WF_REQUEST_WITHDRAW,
		.actor = "bob" };
	struct outcome outcome = { false, WF_OK };
	unsigned at = wf_random_below(random, 4); /* before a turn */

	f->now += 100000; /* the previous round's claims have ended */
	request.start = wf_fixture_put_off(f, NULL, f->now);
	for (unsigned i = 0; i < 40; i++) {
		if (i == at)
			CU_ASSERT_EQUAL(wf_engine_submit(
					    engines[wf_random_below(random, 2)],
					    &request, take, &outcome, &f->err),
			    WF_OK);
		wf_engine_turn(
		    engines[i < 20 ? wf_random_below(random, 2) : i % 2]);
	}
	CU_ASSERT_TRUE(outcome.is);
	CU_ASSERT_TRUE(outcome.rc == WF_OK || outcome.rc == WF_NOT_FOUND);
	CU_ASSERT_EQUAL(
	    wf_fixture_version(f, request.start), outcome.rc == WF_OK ? 0 : 1);
	*withdrawn += outcome.rc == WF_OK;
}

static void is_withdrawn_meanwhile(struct wf_fixture *f)
{
	struct wf_random random = { test_seed("starts", 5) };
	struct wf_engine *other;
	unsigned rounds = test_rounds(100);
	unsigned withdrawn = 0;

	CU_ASSERT_EQUAL_FATAL(
	    wf_engine_open(&other, &f->settings, &f->err), WF_OK);
	for (unsigned i = 0; i < rounds; i++)
		withdraw_at_random(f, other, &random, &withdrawn);
	CU_ASSERT_TRUE(withdrawn > 0 && withdrawn < rounds);
	CU_ASSERT_EQUAL(wf_fixture_incidents(f).count, 0);
	CU_ASSERT_EQUAL(wf_engine_next_due(f->engine), INT64_MAX);
	wf_engine_close(&other);
}

/* --- on each store -------------------------------------------------------- */

static void run(const char *kind, void (*test)(struct wf_fixture *fixture))
{
	struct wf_fixture f;

	wf_fixture_init_on(&f, kind);
	wf_fixture_open(&f);
	test(&f);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	wf_fixture_free(&f);
}

static void run_on_each(void (*test)(struct wf_fixture *fixture))
{
	for (size_t i = 0; i < store_kind_count(); i++)
		run(store_kinds[i].name, test);
}

static void test_seen(void)
{
	run_on_each(is_seen);
}

static void test_withdrawn(void)
{
	run_on_each(is_withdrawn);
}

static void test_waits(void)
{
	run_on_each(waits);
}

static void test_withdrawn_meanwhile(void)
{
	/* One engine at a time can open a file in SQLite. */
	for (size_t i = 0; i < store_kind_count(); i++)
		if (strcmp(store_kinds[i].name, "sqlite") != 0)
			run(store_kinds[i].name, is_withdrawn_meanwhile);
}

CU_TestInfo wf_tests_starts[] = {
	{ "those that are put off are seen", test_seen },
	{ "withdrawn", test_withdrawn },
	{ "waits while its specification is suspended", test_waits },
	{ "withdrawn while it is made", test_withdrawn_meanwhile },
	CU_TEST_INFO_NULL,
};
