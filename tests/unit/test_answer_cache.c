/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that are kept for a moment: who gets one, and who makes it anew. */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "server/answer_cache.h"

#define KEEP_MS 1000

static struct wf_answer_cache *cache;
static struct wf_arena *arena;

static void set_up_cache(void)
{
	cache = wf_answer_cache_new(KEEP_MS);
	arena = wf_arena_new();
}

static void tear_down_cache(void)
{
	wf_arena_free(&arena);
	wf_answer_cache_free(&cache);
}

static bool gives(const char *key, int64_t now, const char *expected)
{
	const char *text = wf_answer_cache_get(cache, key, now, arena);

	return expected == NULL ? text == NULL
				: text != NULL && strcmp(text, expected) == 0;
}

static void one_makes_an_old_answer_anew(void)
{
	set_up_cache();
	CU_ASSERT_TRUE(gives("a", 10000, NULL));
	CU_ASSERT_TRUE(gives("a", 10000, NULL));
	wf_answer_cache_put(cache, "a", 10000, "one");
	CU_ASSERT_TRUE(gives("a", 10999, "one"));
	CU_ASSERT_TRUE(gives("b", 10999, NULL));
	/* It is old: the first makes it. */
	CU_ASSERT_TRUE(gives("a", 11000, NULL));
	CU_ASSERT_TRUE(gives("a", 11000, "one"));
	CU_ASSERT_TRUE(gives("a", 11999, "one"));
	wf_answer_cache_put(cache, "a", 11999, "two");
	CU_ASSERT_TRUE(gives("a", 12998, "two"));
	CU_ASSERT_TRUE(gives("a", 12999, NULL));
	tear_down_cache();
}

static void an_answer_that_nobody_made_is_no_longer_given(void)
{
	set_up_cache();
	wf_answer_cache_put(cache, "a", 10000, "one");
	for (int64_t now = 11000; now < 14000; now += KEEP_MS) {
		CU_ASSERT_TRUE(gives("a", now, NULL));
		CU_ASSERT_TRUE(gives("a", now + KEEP_MS - 1, "one"));
	}
	CU_ASSERT_TRUE(gives("a", 14000, NULL));
	CU_ASSERT_TRUE(gives("a", 14000, NULL));
	/* The clock was set back. */
	CU_ASSERT_TRUE(gives("a", 9000, NULL));
	tear_down_cache();
}

static void there_is_room_for_some(void)
{
	char key[16];

	set_up_cache();
	for (unsigned i = 0; i < 64; i++) {
		snprintf(key, sizeof(key), "%u", i);
		wf_answer_cache_put(cache, key, 1, "text");
	}
	CU_ASSERT_TRUE(gives("0", 1, "text"));
	wf_answer_cache_put(cache, "64", 1, "text");
	CU_ASSERT_TRUE(gives("0", 1, NULL));
	CU_ASSERT_TRUE(gives("64", 1, "text"));
	tear_down_cache();
}

CU_TestInfo wf_tests_answer_cache[] = {
	{ "one makes an old answer anew", one_makes_an_old_answer_anew },
	{ "an answer that nobody made is no longer given",
	    an_answer_that_nobody_made_is_no_longer_given },
	{ "there is room for some", there_is_room_for_some },
	CU_TEST_INFO_NULL,
};
