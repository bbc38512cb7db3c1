/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables that cases are found by: steps write their terms, earlier cases get
 * them in portions while others are stepped, and removal takes them away.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "persistence/indexes.h"
#include "server/case_filter.h"
#include "server/index_fill.h"
#include "tests/unit/engine_fixture.h"
#include "tests/unit/seed.h"

static const struct wf_index s_index = { .namespace_id = 1,
	.specification = "P",
	.variable = "s",
	.since = WF_FIXTURE_START };

static void add_index(struct wf_fixture *f, const struct wf_index *index)
{
	OK(wf_index_add(
	    wf_engine_indexes(f->engine), f->store, index, &f->err));
}

static void set(struct wf_fixture *f, uint64_t number, const char *value)
{
	char data[100];

	snprintf(data, sizeof data, "<N><s>%s</s></N>", value);
	OK(wf_fixture_do(f, number, WF_COMMAND_UPDATE_CASE, "", data, NULL));
}

/* The numbers of the cases whose s is that value, each behind a space. */
static const char *found(struct wf_fixture *f, const char *value)
{
	static const struct wf_where_variable variable = { "s", WF_TERM_TEXT };
	struct wf_case_filter filter = { .namespace_id = 1, .limit = 1000 };
	struct wf_case_list list;
	const char *text = "";

	OK(wf_where_parse(&filter.where,
	    wf_arena_printf(f->arena, "s = '%s'", value), &variable, 1,
	    f->arena, &f->err));
	OK(wf_store_cases(f->store, &filter, f->arena, &list, &f->err));
	for (size_t i = 0; i < list.count; i++)
		text = wf_arena_printf(f->arena, "%s %llu", text,
		    (unsigned long long)list.rows[i].row.number);
	return text;
}

static void steps_write_terms(void)
{
	struct wf_fixture f;
	uint64_t first;
	uint64_t second;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	add_index(&f, &s_index);
	first = wf_fixture_launch(&f);
	second = wf_fixture_launch(&f);
	CU_ASSERT_EQUAL_FATAL(first, 1);
	CU_ASSERT_EQUAL_FATAL(second, 2);
	CU_ASSERT_STRING_EQUAL(found(&f, ""), " 1 2");
	set(&f, 1, "a &amp; b");
	CU_ASSERT_STRING_EQUAL(found(&f, "a & b"), " 1");
	CU_ASSERT_STRING_EQUAL(found(&f, ""), " 2");
	/* Several steps of a case in one batch, and its end. */
	OK(wf_fixture_schedule(&f, 2, WF_COMMAND_CANCEL_CASE, "", f.now));
	set(&f, 2, "x");
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 2), 0);
	CU_ASSERT_STRING_EQUAL(found(&f, "x"), " 2");
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	wf_fixture_free(&f);
}

/* The statements of a launch and ten steps, of which five change s. */
static uint64_t statements_with(const struct wf_index *index)
{
	struct wf_engine_counts before;
	struct wf_engine_counts after;
	struct wf_fixture f;
	uint64_t number;

	wf_fixture_init_on(&f, "memory");
	wf_fixture_open(&f);
	if (index != NULL)
		add_index(&f, index);
	wf_engine_counts(f.engine, &before);
	number = wf_fixture_launch(&f);
	for (unsigned i = 0; i < 10; i++) {
		char value[8];

		snprintf(value, sizeof value, "%u", i / 2);
		set(&f, number, value);
	}
	wf_engine_counts(f.engine, &after);
	wf_fixture_free(&f);
	return after.statements - before.statements;
}

static void no_index_costs_nothing(void)
{
	struct wf_index other = s_index;
	uint64_t none = statements_with(NULL);

	other.specification = "Q";
	CU_ASSERT_EQUAL(statements_with(&other), none);
	other.specification = "P";
	other.variable = "t";
	CU_ASSERT_EQUAL(statements_with(&other), none);
	/* One that is being filled is written with each step. */
	CU_ASSERT_EQUAL(statements_with(&s_index), none + 11);
}

/* --- filling -------------------------------------------------------------- */

#define CASES 500U

static enum wf_index_state state_of(struct wf_fixture *f)
{
	struct wf_index_list list;

	OK(wf_indexes_refresh(wf_engine_indexes(f->engine), f->store, &f->err));
	list = wf_indexes_of(wf_engine_indexes(f->engine), 1, f->arena);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	return list.rows[0].state;
}

/* Steps of any cases, and new ones; values: what s of each case is. */
static void live(struct wf_fixture *f, struct wf_random *random, char *values)
{
	for (unsigned i = 0; i < 30; i++) {
		uint64_t number = 1 + wf_random_below(random, CASES);
		char value[2] = { (char)('a' + wf_random_below(random, 3)) };

		if (values[number] == '\0' && wf_fixture_launch(f) == 0)
			continue;
		if (values[number] == '\0')
			continue; /* which one was launched does not matter */
		if (wf_fixture_version(f, number) == 0)
			continue;
		set(f, number, value);
		values[number] = value[0];
		if (wf_random_below(random, 5) == 0)
			OK(wf_fixture_do(
			    f, number, WF_COMMAND_CANCEL_CASE, "", NULL, NULL));
	}
}

static void check_found(struct wf_fixture *f, const char *values)
{
	for (char c = 'a'; c <= 'c'; c++) {
		const char value[2] = { c };
		const char *text = "";

		for (unsigned i = 1; i <= CASES; i++)
			if (values[i] == c)
				text =
				    wf_arena_printf(f->arena, "%s %u", text, i);
		CU_ASSERT_STRING_EQUAL(found(f, value), text);
	}
}

/* An engine ends and another one begins in the middle. */
static void reopen(struct wf_fixture *f, struct wf_index_fill **fill)
{
	wf_index_fill_free(fill);
	wf_engine_close(&f->engine);
	wf_fixture_open(f);
	*fill = wf_index_fill_new(f->engine);
}

static void fill_all(struct wf_fixture *f, struct wf_random *random,
    char *values, struct wf_index_fill **fill)
{
	bool more = true;

	OK(wf_index_fill_turn(*fill, f->now, &more, &f->err));
	CU_ASSERT_FALSE(more); /* too early */
	f->now += WF_INDEX_FILL_MS;
	do {
		OK(wf_index_fill_turn(*fill, f->now, &more, &f->err));
		live(f, random, values);
		if (more && wf_random_below(random, 2) == 0)
			reopen(f, fill);
	} while (more);
}

static void earlier_cases_are_filled(void)
{
	struct wf_random random = { test_seed("indexes", 1) };
	char values[CASES + 1] = "";
	struct wf_index_fill *fill;
	struct wf_fixture f;
	struct wf_index_list list;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	for (unsigned i = 1; i <= CASES; i++) {
		CU_ASSERT_EQUAL_FATAL(wf_fixture_launch(&f), i);
		set(&f, i, "a");
		values[i] = 'a';
	}
	CU_ASSERT_STRING_EQUAL(found(&f, "a"), "");
	fill = wf_index_fill_new(f.engine);
	add_index(&f, &s_index);
	fill_all(&f, &random, values, &fill);
	CU_ASSERT_EQUAL(state_of(&f), WF_INDEX_READY);
	check_found(&f, values);
	live(&f, &random, values);
	check_found(&f, values);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	OK(wf_index_remove(
	    wf_engine_indexes(f.engine), f.store, &s_index, f.now, &f.err));
	CU_ASSERT_EQUAL(state_of(&f), WF_INDEX_REMOVING);
	REFUSED(&f, WF_CONFLICT,
	    wf_index_add(
		wf_engine_indexes(f.engine), f.store, &s_index, &f.err));
	fill_all(&f, &random, values, &fill);
	list = wf_indexes_of(wf_engine_indexes(f.engine), 1, f.arena);
	CU_ASSERT_EQUAL(list.count, 0);
	CU_ASSERT_STRING_EQUAL(found(&f, "a"), "");
	CU_ASSERT_STRING_EQUAL(found(&f, "b"), "");
	wf_index_fill_free(&fill);
	wf_fixture_free(&f);
}

/* Cases of a store from before there were terms. */
static void earlier_words_are_filled(void)
{
	struct wf_index_fill *fill;
	struct wf_index words;
	struct wf_fixture f;
	bool more = true;

	wf_fixture_init_on(&f, "memory");
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL(wf_fixture_launch(&f), 1);
	fill = wf_index_fill_new(f.engine);
	OK(wf_index_fill_turn(fill, f.now, &more, &f.err));
	CU_ASSERT_TRUE(
	    wf_indexes_words(wf_engine_indexes(f.engine), f.arena, &words));
	CU_ASSERT_EQUAL(words.state, WF_INDEX_FILLING);
	f.now += WF_INDEX_FILL_MS;
	OK(wf_index_fill_turn(fill, f.now, &more, &f.err));
	OK(wf_index_fill_turn(fill, f.now, &more, &f.err));
	CU_ASSERT_FALSE(more);
	CU_ASSERT_TRUE(
	    wf_indexes_words(wf_engine_indexes(f.engine), f.arena, &words));
	CU_ASSERT_EQUAL(words.state, WF_INDEX_READY);
	wf_index_fill_free(&fill);
	wf_fixture_free(&f);
}

/* --- filters as texts ----------------------------------------------------- */

static const char *argument(void *context, const char *name)
{
	return json_string_value(json_object_get(context, name));
}

static void check_decoded(
    struct wf_fixture *f, const json_t *object, enum wf_rc expected)
{
	struct wf_case_filter filter;

	CU_ASSERT_EQUAL(wf_case_filter_decode(
			    f->engine, 1, object, f->arena, &filter, &f->err),
	    expected);
	wf_error_clear(&f->err);
}

static void filters_are_kept_as_texts(void)
{
	struct wf_case_filter filter;
	struct wf_fixture f;
	json_t *texts;
	json_t *object;

	wf_fixture_init_on(&f, "memory");
	wf_fixture_open(&f);
	OK(wf_index_add_words(
	    wf_engine_indexes(f.engine), f.store, true, f.now, &f.err));
	texts = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s}", "specification", "P",
	    "status", "running,suspended", "q", "Rome", "older", "P1D",
	    "incident", "any", "set_aside", "true");
	OK(wf_case_filter_encode(f.engine, argument, texts, &object, &f.err));
	CU_ASSERT_STRING_EQUAL(
	    json_string_value(json_object_get(object, "older")),
	    "2025-12-31T00:00:00.000Z");
	f.now += 1000; /* it means the same later */
	OK(wf_case_filter_decode(
	    f.engine, 1, object, f.arena, &filter, &f.err));
	CU_ASSERT_EQUAL(filter.namespace_id, 1);
	CU_ASSERT_EQUAL(filter.specifications.count, 1);
	CU_ASSERT_EQUAL(filter.specifications.keys[0], f.key);
	CU_ASSERT_EQUAL(filter.statuses, 3);
	CU_ASSERT_TRUE(filter.live && filter.set_aside && !filter.ended);
	CU_ASSERT_STRING_EQUAL(filter.words->rows[0], "rome");
	CU_ASSERT_EQUAL(
	    filter.launched_before, WF_FIXTURE_START - 24 * 3600 * 1000);
	CU_ASSERT_STRING_EQUAL(filter.incident, "");
	json_object_set_new(object, "where", json_string("s = 'x'"));
	check_decoded(&f, object, WF_INVALID);
	json_object_set_new(object, "where", json_integer(3));
	check_decoded(&f, object, WF_INVALID);
	json_object_del(object, "where");
	json_object_set_new(object, "version", json_string("9"));
	check_decoded(&f, object, WF_NOT_FOUND);
	json_object_set_new(object, "limit", json_string("9"));
	check_decoded(&f, object, WF_INVALID);
	json_decref(object);
	json_object_set_new(texts, "older", json_string("soon"));
	CU_ASSERT_EQUAL(
	    wf_case_filter_encode(f.engine, argument, texts, &object, &f.err),
	    WF_INVALID);
	CU_ASSERT_PTR_NULL(object);
	json_decref(texts);
	wf_fixture_free(&f);
}

/* A term that is not that of the case. */
static void wrong_terms_are_found(void)
{
	const struct wf_term_row wrong = { 1, "s", 1, "tother" };
	struct wf_index index = s_index;
	bool is_written = false;
	struct wf_fixture f;

	wf_fixture_init_on(&f, "memory");
	wf_fixture_open(&f);
	add_index(&f, &s_index);
	CU_ASSERT_EQUAL(wf_fixture_launch(&f), 1);
	OK(wf_store_put_terms(f.store, 1, 1, &wrong, 1, &is_written, &f.err));
	CU_ASSERT_TRUE(is_written);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f)); /* it is being filled */
	index.state = WF_INDEX_FILLING;
	OK(wf_index_note(wf_engine_indexes(f.engine), f.store, &index, 1, true,
	    f.now, &f.err));
	CU_ASSERT_EQUAL(state_of(&f), WF_INDEX_READY);
	CU_ASSERT_FALSE(wf_fixture_is_whole(&f));
	wf_fixture_free(&f);
}

CU_TestInfo wf_tests_indexes[] = {
	{ "steps write terms", steps_write_terms },
	{ "no index costs nothing", no_index_costs_nothing },
	{ "earlier cases are filled", earlier_cases_are_filled },
	{ "earlier words are filled", earlier_words_are_filled },
	{ "wrong terms are found", wrong_terms_are_found },
	{ "filters are kept as texts", filters_are_kept_as_texts },
	CU_TEST_INFO_NULL,
};
