/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All stores are alike: random operations on each are compared with the store
 * in memory, and a statement that fails leaves a store as it was before or as
 * it is after. WEFT_SEED seeds the operations, of which there are 10 runs, or
 * 1,000 with WEFT_SOAK=1.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "persistence/store.h"
#include "tests/unit/seed.h"
#include "tests/unit/store_dump.h"
#include "tests/unit/store_fixture.h"

/* --- all stores alike ---------------------------------------------------- */

/* Where two texts differ, with the line. */
static void compare(
    const char *what, uint64_t seed, const char *expected, const char *got)
{
	size_t at = 0;
	size_t line = 0;

	while (expected[at] != '\0' && expected[at] == got[at]) {
		at++;
		if (expected[at - 1] == '\n')
			line = at;
	}
	if (expected[at] == got[at])
		return;
	printf("%s, seed %llu: expected\n  %.*s\ninstead of\n  %.*s\n", what,
	    (unsigned long long)seed, (int)strcspn(expected + line, "\n"),
	    expected + line, (int)strcspn(got + line, "\n"), got + line);
	CU_FAIL("two stores differ");
}

/* Of each kind of store one, which is as new for each life. */
static struct store_fixture stores[3];

static void live(
    size_t kind, uint64_t seed, unsigned steps, struct wf_buffer *text)
{
	struct store_fixture *f = &stores[kind];

	wf_buffer_init(text, SIZE_MAX / 2);
	store_renew(f, &store_kinds[kind]);
	random_life(text, f->url, seed, steps);
}

static void compare_lives(uint64_t seed, unsigned steps)
{
	struct wf_buffer expected;
	struct wf_buffer got;

	live(0, seed, steps, &expected);
	for (size_t i = 1; i < store_kind_count(); i++) {
		live(i, seed, steps, &got);
		compare(store_kinds[i].name, seed, wf_buffer_text(&expected),
		    wf_buffer_text(&got));
		wf_buffer_free(&got);
	}
	wf_buffer_free(&expected);
}

static void unmake_stores(void)
{
	for (size_t i = 0; i < store_kind_count(); i++)
		store_kinds[i].unmake(&stores[i]);
	memset(stores, 0, sizeof stores);
}

static void test_random_lives(void)
{
	const char *text = getenv("WEFT_SEED");
	uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : 1;

	printf("store_alike: WEFT_SEED=%llu\n", (unsigned long long)seed);
	for (uint64_t i = 0; i < test_dear_rounds(5); i++)
		compare_lives(seed + i, 400);
	unmake_stores();
}

/* --- a statement fails ---------------------------------------------------- */

static void prepare(struct store_fixture *f)
{
	struct wf_due_write due = { .row = { .number = 1, .name = "due" } };
	struct wf_message_row rows[2] = { store_message_row(1, "a", "x"),
		store_message_row(2, "a", "x") };
	struct wf_record_row records[] = {
		{ .kind = "setting", .name = "a", .value = store_bytes },
		{ .kind = "setting", .name = "b", .value = { "b", 1 } },
	};
	struct wf_take taken;

	OK(wf_store_put_records(f->store, records, 2, 0, NULL, &f->err));
	OK(store_launch(f, 1, "one", NULL));
	OK(store_launch(f, 2, "two", NULL));
	OK(store_launch(f, 3, "three", NULL));
	store_write_queues(f, &due, 1, rows, 2);
	store_take(f, f->store, 2, 1, &taken);
	OK(store_step_to(f, f->store, &taken, WF_CASE_END, 1, NULL));
}

/* A batch with everything: a step, an end, a launch, and all kinds of rows. */
static enum wf_rc mutate_batch(struct store_fixture *f)
{
	struct wf_take takes[2] = { { .number = 1 }, { .number = 3 } };
	struct wf_claim claim = { .namespace_id = 1, .name = "four" };
	struct wf_lookup command = { .id = "command" };
	struct wf_batch batch = { takes, 2, &claim, 1, &command, 1 };
	struct wf_case_write cases[3] = { store_new_case(1, "one"),
		store_new_case(3, "three"), store_new_case(4, "four") };
	struct wf_history_row steps[3] = { store_history_row(1, 2),
		store_history_row(3, 2), store_history_row(4, 1) };
	struct wf_item_write items[3] = {
		{ .row = { .number = 1, .id = "T" } },
		{ .row = { .number = 1, .id = "U" }, .groups = WF_ITEM_ALL },
		{ .row = { .number = 4, .id = "V" }, .groups = WF_ITEM_KERNEL },
	};
	struct wf_value_row value = { 1, 1, store_bytes };
	struct wf_due_write due[2] = {
		{ .row = { .number = 1, .name = "due" }, .remove = true },
		{ .row = { .number = 4, .name = "due", .at = 9 } },
	};
	struct wf_message_row row = store_message_row(3, "a", "x");
	struct wf_answer_row answer = { .id = "command", .number = 1 };
	struct wf_incident_write incident = { .row = { .id = 1 } };
	struct wf_involved_row involved = { 1, "anna" };
	struct wf_migrated_row migrated = { 1, 2, 0, 7 };
	struct wf_term_row term = { 4, ":w", 1, "" };
	struct wf_item_rename rename = { 1, "S", "R" };
	struct wf_writes writes = { cases, 3, &rename, 1, items, 3, &value, 1,
		steps, 3, due, 2, &row, 1, &answer, 1, &incident, 1, &involved,
		1, &migrated, 1, &term, 1 };
	enum wf_rc rc = wf_store_begin(f->store, &batch, f->arena, &f->err);

	if (rc != WF_OK)
		return rc;
	cases[0].expected = cases[1].expected = 1;
	cases[0].row.version = cases[1].row.version = 2;
	cases[1].change = WF_CASE_END;
	return wf_store_commit(f->store, &writes, NULL, &f->err);
}

static enum wf_rc mutate_queues(struct store_fixture *f)
{
	struct wf_due_list list;

	return wf_store_claim_due(f->store, 5, 9, 9, f->arena, &list, &f->err);
}

static enum wf_rc mutate_messages(struct store_fixture *f)
{
	struct wf_message_key keys[2] = { { 1, 1 }, { 1, 2 } };

	return wf_store_acknowledge(f->store, keys, 2, &f->err);
}

static enum wf_rc mutate_items(struct store_fixture *f)
{
	struct wf_item_filter filter = { .service = "echo", .limit = 9 };
	struct wf_item_list list;

	return wf_store_claim_items(
	    f->store, &filter, "me", 5, 9, f->arena, &list, &f->err);
}

static enum wf_rc mutate_catalogue(struct store_fixture *f)
{
	struct wf_specification_row row = {
		.namespace_id = 1, .key = 7, .source = store_bytes
	};

	return wf_store_put_specification(f->store, &row, &f->err);
}

/* The stored setting "b" is replaced, "a" removed and "c" added. */
static enum wf_rc mutate_records(struct store_fixture *f)
{
	struct wf_record_row rows[] = {
		{ .kind = "setting", .name = "a" },
		{ .kind = "setting",
		    .name = "b",
		    .value = store_bytes,
		    .change = 1 },
		{ .kind = "setting",
		    .name = "c",
		    .value = store_bytes,
		    .change = WF_RECORD_NEW },
	};

	return wf_store_put_records(f->store, rows, 3, 1, NULL, &f->err);
}

static enum wf_rc mutate_history(struct store_fixture *f)
{
	size_t count;

	return wf_store_retire(f->store, 1000, 9, &count, &f->err);
}

static enum wf_rc mutate_ended(struct store_fixture *f)
{
	const uint64_t numbers[] = { 2, 3 };
	size_t count;

	return wf_store_retire_cases(f->store, numbers, 2, &count, &f->err);
}

static enum wf_rc erase(struct store_fixture *f)
{
	const struct wf_erased_row row = {
		.number = 2, .at = 9, .actor = "ann", .reason = "asked to"
	};

	return wf_store_erase(f->store, &row, &f->err);
}

static enum wf_rc mutate_nothing(struct store_fixture *f)
{
	(void)f;
	return WF_OK;
}

typedef enum wf_rc mutate_f(struct store_fixture *f);

/* Commits it to a new store, with a fault; returns the content then. */
static enum wf_rc mutated(size_t kind, mutate_f *mutate, uint64_t n,
    enum wf_fault fault, struct wf_buffer *text)
{
	struct store_fixture *f = &stores[kind];
	enum wf_rc rc;

	store_renew(f, &store_kinds[kind]);
	wf_error_clear(&f->err);
	f->store = store_open(f->url, 0);
	f->arena = wf_arena_new();
	prepare(f);
	wf_store_fail_after(f->store, n, fault);
	rc = mutate(f);
	CU_ASSERT_EQUAL(rc == WF_OK, f->err.message[0] == '\0');
	wf_store_close(&f->store);
	f->store = store_open(f->url, 0);
	wf_buffer_reset(text);
	dump_store(text, f->store);
	wf_store_close(&f->store);
	wf_arena_free(&f->arena);
	return rc;
}

static void fail_each(size_t kind, mutate_f *mutate, enum wf_fault fault)
{
	struct wf_buffer before, after, text;
	uint64_t step = test_is_dear() ? 3 : 1;
	bool is_far = strcmp(store_kinds[kind].name, "postgresql") == 0;
	enum wf_rc rc = WF_IO;
	uint64_t n;

	/* A statement takes much longer than on the other stores. */
	if (is_far && !test_soaks())
		step = 5;
	wf_buffer_init(&before, SIZE_MAX / 2);
	wf_buffer_init(&after, SIZE_MAX / 2);
	wf_buffer_init(&text, SIZE_MAX / 2);
	OK(mutated(kind, mutate_nothing, 0, fault, &before));
	OK(mutated(kind, mutate, 0, fault, &after));
	CU_ASSERT_STRING_NOT_EQUAL(
	    wf_buffer_text(&before), wf_buffer_text(&after));
	for (n = 1; rc != WF_OK && n < 200; n += step) {
		bool done;

		rc = mutated(kind, mutate, n, fault, &text);
		done = rc == WF_OK || rc == WF_LOST;
		CU_ASSERT_TRUE(done || rc == WF_IO);
		compare(store_kinds[kind].name, n,
		    wf_buffer_text(done ? &after : &before),
		    wf_buffer_text(&text));
	}
	CU_ASSERT_EQUAL(rc, WF_OK);
	CU_ASSERT_TRUE(n > 1 + step); /* something failed */
	wf_buffer_free(&before);
	wf_buffer_free(&after);
	wf_buffer_free(&text);
}

static void test_faults(void)
{
	static mutate_f *const mutations[] = { mutate_batch, mutate_queues,
		mutate_messages, mutate_items, mutate_catalogue, mutate_records,
		mutate_history, mutate_ended, erase };

	for (size_t k = 0; k < store_kind_count(); k++)
		for (size_t i = 0; i < sizeof mutations / sizeof mutations[0];
		     i++) {
			fail_each(k, mutations[i], WF_FAULT_BEFORE);
			fail_each(k, mutations[i], WF_FAULT_AFTER);
		}
	unmake_stores();
}

CU_TestInfo wf_tests_store_alike[] = {
	{ "random lives", test_random_lives },
	{ "the n-th statement fails", test_faults },
	CU_TEST_INFO_NULL,
};
