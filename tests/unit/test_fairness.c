/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What clients share is shared fairly: the memory of bodies and answers, the
 * turns of passwords that are checked, and the tries of those who guess.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "http/budget.h"
#include "identity/fair_queue.h"
#include "identity/sign_in.h"

/* --- budgets -------------------------------------------------------------- */

static void shares(void)
{
	const struct wf_budget_limit limits[WF_BUDGET_KINDS] = {
		[WF_BUDGET_BODIES] = { 100, 100, 100 },
		[WF_BUDGET_ANSWERS] = { 100, 40, 100 },
	};
	struct wf_budget *budget = wf_budget_new(limits);
	struct wf_member *a = wf_budget_join(budget, "a", false);
	struct wf_member *same = wf_budget_join(budget, "a", false);
	struct wf_member *b = wf_budget_join(budget, "b", false);

	CU_ASSERT_PTR_EQUAL(a, same);
	CU_ASSERT_TRUE(wf_member_take(budget, a, WF_BUDGET_ANSWERS, 30));
	CU_ASSERT_FALSE(wf_member_take(budget, same, WF_BUDGET_ANSWERS, 11));
	CU_ASSERT_TRUE(wf_member_take(budget, same, WF_BUDGET_ANSWERS, 10));
	/* One that is larger than the share, but not than the budget. */
	CU_ASSERT_TRUE(wf_member_take(budget, b, WF_BUDGET_ANSWERS, 60));
	CU_ASSERT_FALSE(wf_member_take(budget, b, WF_BUDGET_ANSWERS, 1));
	CU_ASSERT_TRUE(wf_member_take(budget, b, WF_BUDGET_BODIES, 70));
	wf_member_pass(budget, b, a, WF_BUDGET_BODIES, 70);
	CU_ASSERT_FALSE(wf_member_take(budget, b, WF_BUDGET_BODIES, 31));
	CU_ASSERT_EQUAL(wf_budget_used(budget, WF_BUDGET_BODIES), 70);
	CU_ASSERT_EQUAL(wf_budget_used(budget, WF_BUDGET_ANSWERS), 100);
	CU_ASSERT_EQUAL(wf_budget_fall(budget), 0);
	wf_member_give_back(budget, b, WF_BUDGET_ANSWERS, 60);
	wf_member_give_back(budget, a, WF_BUDGET_ANSWERS, 40);
	CU_ASSERT_EQUAL(wf_budget_fall(budget), 100);
	CU_ASSERT_EQUAL(wf_budget_fall(budget), 0);
	wf_member_give_back(budget, a, WF_BUDGET_BODIES, 70);
	wf_budget_leave(budget, &a);
	wf_budget_leave(budget, &same);
	wf_budget_leave(budget, &b);
	wf_budget_free(&budget);
	CU_ASSERT_PTR_NULL(budget);
}

static void share_of_strangers(void)
{
	const struct wf_budget_limit limits[WF_BUDGET_KINDS] = {
		[WF_BUDGET_BODIES] = { 100, 40, 50 },
	};
	struct wf_budget *budget = wf_budget_new(limits);
	struct wf_member *x = wf_budget_join(budget, "address x", true);
	struct wf_member *y = wf_budget_join(budget, "address y", true);
	struct wf_member *a = wf_budget_join(budget, "a", false);

	CU_ASSERT_TRUE(wf_member_take(budget, x, WF_BUDGET_BODIES, 40));
	CU_ASSERT_FALSE(wf_member_take(budget, y, WF_BUDGET_BODIES, 11));
	CU_ASSERT_TRUE(wf_member_take(budget, y, WF_BUDGET_BODIES, 10));
	CU_ASSERT_TRUE(wf_member_take(budget, a, WF_BUDGET_BODIES, 50));
	wf_member_give_back(budget, a, WF_BUDGET_BODIES, 50);
	/* What becomes known leaves room for other strangers. */
	wf_member_pass(budget, x, a, WF_BUDGET_BODIES, 40);
	CU_ASSERT_TRUE(wf_member_take(budget, y, WF_BUDGET_BODIES, 30));
	CU_ASSERT_FALSE(wf_member_take(budget, y, WF_BUDGET_BODIES, 1));
	CU_ASSERT_EQUAL(wf_budget_used(budget, WF_BUDGET_BODIES), 80);
	wf_member_give_back(budget, y, WF_BUDGET_BODIES, 40);
	wf_member_give_back(budget, a, WF_BUDGET_BODIES, 40);
	wf_budget_leave(budget, &x);
	wf_budget_leave(budget, &y);
	wf_budget_leave(budget, &a);
	wf_budget_free(&budget);
}

/* --- turns ---------------------------------------------------------------- */

#define PLACES 8U

/* Jobs are letters; their order is what they write. */
struct written {
	pthread_mutex_t lock;
	pthread_cond_t goes_on;
	bool stops; /* the first job waits */
	char done[64];
	char refused[64];
};

static struct written written = { .lock = PTHREAD_MUTEX_INITIALIZER,
	.goes_on = PTHREAD_COND_INITIALIZER };

static void append(char *text, const char *letter)
{
	strncat(text, letter, 1);
}

static void work(void *letter)
{
	pthread_mutex_lock(&written.lock);
	append(written.done, letter);
	while (written.stops)
		pthread_cond_wait(&written.goes_on, &written.lock);
	pthread_mutex_unlock(&written.lock);
}

static void refuse(void *letter)
{
	pthread_mutex_lock(&written.lock);
	append(written.refused, letter);
	pthread_mutex_unlock(&written.lock);
}

static bool has_begun(void)
{
	bool begun;

	pthread_mutex_lock(&written.lock);
	begun = written.done[0] != '\0';
	pthread_mutex_unlock(&written.lock);
	return begun;
}

/* Each job: a letter, a client, a name. */
static void add(struct wf_fair_queue *queue, const char *jobs)
{
	for (; *jobs != '\0'; jobs += 3) {
		struct wf_fair_job job = { .argument = (void *)(uintptr_t)jobs,
			.client = (uint64_t)jobs[1],
			.name = (uint64_t)jobs[1] * 256 + (uint64_t)jobs[2] };

		wf_fair_queue_add(queue, &job);
	}
}

/* Adds jobs while the first one is done, and does all. */
static void turn(const char *first, const char *jobs)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_fair_queue *queue;

	written.done[0] = written.refused[0] = '\0';
	written.stops = true;
	CU_ASSERT_EQUAL_FATAL(
	    wf_fair_queue_open(&queue, PLACES, work, refuse, &err), WF_OK);
	add(queue, first);
	while (!has_begun())
		sched_yield();
	add(queue, jobs);
	pthread_mutex_lock(&written.lock);
	written.stops = false;
	pthread_cond_signal(&written.goes_on);
	pthread_mutex_unlock(&written.lock);
	wf_fair_queue_close(&queue);
}

static void turns(void)
{
	/* a to e guess from one client; x and y come from others. */
	turn("a1n", "b1nc1nd1ne1nx2ny3n");
	CU_ASSERT_STRING_EQUAL(written.done, "axybcde");
	CU_ASSERT_STRING_EQUAL(written.refused, "");
	/* Of one client, the names take turns. */
	turn("a1n", "b1nc1nx1my1m");
	CU_ASSERT_STRING_EQUAL(written.done, "axbyc");
	/* Without a place, the busiest name of the busiest client loses. */
	turn("a1n", "b1nc1nd1ne1nf1ng1nh1ni1nj1nx2ny1m");
	CU_ASSERT_STRING_EQUAL(written.refused, "jih");
	CU_ASSERT_STRING_EQUAL(written.done, "axybcdefg");
}

/* --- tries ---------------------------------------------------------------- */

/* A directory may take "anna " for "anna": nobody frees the way to her. */
static void check_names_in_doubt(struct wf_sign_ins *s)
{
	const uint64_t doubtful = wf_sign_in_key("anna ", "10.0.0.9");
	const int64_t now = 1000;

	for (unsigned i = 0; i < 20; i++)
		wf_sign_in_failed(s, doubtful, now);
	CU_ASSERT_TRUE(wf_sign_in_wait(s, doubtful, now) > 0);
	wf_sign_in_passed(s, wf_sign_in_key("mallory ", "10.0.0.9"));
	CU_ASSERT_TRUE(wf_sign_in_wait(s, doubtful, now) > 0);
}

static void tries(void)
{
	struct wf_sign_ins *s = wf_sign_ins_new();
	uint64_t here = wf_sign_in_key("anna", "10.0.0.1");
	uint64_t there = wf_sign_in_key("anna", "10.0.0.2");
	int64_t now = 1000000;

	CU_ASSERT_EQUAL(wf_sign_in_key("anna", "2001:db8::1"),
	    wf_sign_in_key("anna", "2001:db8::2"));
	CU_ASSERT_NOT_EQUAL(wf_sign_in_key("anna", "2001:db8::1"),
	    wf_sign_in_key("anna", "2001:db8:0:1::1"));
	/* To a directory these are the same name. */
	CU_ASSERT_EQUAL(wf_sign_in_key("aNNa", "10.0.0.1"), here);
	CU_ASSERT_NOT_EQUAL(wf_sign_in_key("bert", "10.0.0.1"), here);
	CU_ASSERT_EQUAL(wf_sign_in_key(" anna", "10.0.0.1"),
	    wf_sign_in_key("an\u00adna", "10.0.0.1"));
	check_names_in_doubt(s);
	CU_ASSERT_EQUAL(wf_sign_in_wait(s, here, now), 0);
	for (int i = 0; i < 4; i++)
		wf_sign_in_failed(s, here, now);
	CU_ASSERT_EQUAL(wf_sign_in_wait(s, here, now), 0);
	for (unsigned wait = 1; wait <= 32; wait *= 2) {
		wf_sign_in_failed(s, here, now);
		CU_ASSERT_EQUAL(wf_sign_in_wait(s, here, now), wait);
		CU_ASSERT_EQUAL(wf_sign_in_wait(s, there, now), 0);
		now += wait * 1000;
		CU_ASSERT_EQUAL(wf_sign_in_wait(s, here, now), 0);
	}
	for (int i = 0; i < 100; i++)
		wf_sign_in_failed(s, here, now);
	CU_ASSERT_EQUAL(wf_sign_in_wait(s, here, now), 60);
	/* Asked by a thread whose clock was read before the last failure. */
	CU_ASSERT_EQUAL(wf_sign_in_wait(s, here, now - 1), 60);
	/* Other names do not push it out, however many. */
	for (int i = 0; i < 100000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d", i);
		wf_sign_in_failed(s, wf_sign_in_key(name, "10.0.0.1"), now);
	}
	CU_ASSERT_EQUAL(wf_sign_in_wait(s, here, now), 60);
	CU_ASSERT_EQUAL(wf_sign_in_wait(s, here, now + 900000), 0);
	wf_sign_in_failed(s, here, now + 900000);
	CU_ASSERT_EQUAL(wf_sign_in_wait(s, here, now + 900000), 0);
	for (int i = 0; i < 7; i++)
		wf_sign_in_failed(s, there, now);
	CU_ASSERT_EQUAL(wf_sign_in_wait(s, there, now), 4);
	wf_sign_in_passed(s, there);
	CU_ASSERT_EQUAL(wf_sign_in_wait(s, there, now), 0);
	wf_sign_ins_free(&s);
}

/* Who tries many names, a few passwords each. */
static void tries_of_an_address(void)
{
	struct wf_sign_ins *s = wf_sign_ins_new();
	uint64_t here = wf_sign_in_address("10.0.0.1");
	uint64_t there = wf_sign_in_address("10.0.0.2");
	int64_t now = 1000;

	for (unsigned i = 0; i < 49; i++)
		wf_sign_in_address_failed(s, here, now);
	CU_ASSERT_EQUAL(wf_sign_in_address_wait(s, here, now), 0);
	for (unsigned wait = 1; wait <= 16; wait *= 2) {
		wf_sign_in_address_failed(s, here, now);
		CU_ASSERT_EQUAL(wf_sign_in_address_wait(s, here, now), wait);
		CU_ASSERT_EQUAL(wf_sign_in_address_wait(s, there, now), 0);
		now += (int64_t)wait * 1000;
		CU_ASSERT_EQUAL(wf_sign_in_address_wait(s, here, now), 0);
	}
	for (unsigned i = 0; i < 9; i++)
		wf_sign_in_address_failed(s, here, now);
	CU_ASSERT_EQUAL(wf_sign_in_address_wait(s, here, now), 16);
	/* A correct password, or a name that is refused, is another matter. */
	wf_sign_in_passed(s, wf_sign_in_key("anna", "10.0.0.1"));
	CU_ASSERT_EQUAL(wf_sign_in_address_wait(s, here, now), 16);
	CU_ASSERT_EQUAL(
	    wf_sign_in_wait(s, wf_sign_in_key("anna", "10.0.0.1"), now), 0);
	CU_ASSERT_EQUAL(wf_sign_in_address_wait(s, here, now + 900000), 0);
	wf_sign_ins_free(&s);
}

CU_TestInfo wf_tests_fairness[] = {
	{ "budgets and shares", shares },
	{ "a share for all strangers", share_of_strangers },
	{ "turns", turns },
	{ "tries", tries },
	{ "tries of an address", tries_of_an_address },
	CU_TEST_INFO_NULL,
};
