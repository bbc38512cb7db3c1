/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stream of history on every store: its end, the report of retired rows,
 * and large rows.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <string.h>

#include "persistence/store.h"
#include "tests/unit/store_fixture.h"

static void check_gone(struct store_fixture *f)
{
	struct wf_history_filter filter = { .limit = 2 };
	struct wf_history_list list;
	struct wf_cursor end;
	struct wf_take taken;
	size_t count = 0;

	OK(store_launch(f, 1, "one", NULL));
	OK(store_launch(f, 2, "two", NULL));
	OK(store_launch(f, 3, "three", NULL));
	OK(wf_store_history(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 2);
	CU_ASSERT_EQUAL(list.rows[1].number, 2);
	CU_ASSERT_EQUAL(list.rows[1].specification, 7);
	filter.after = list.next;
	OK(wf_store_history(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	filter.after = list.next;
	OK(wf_store_history_end(f->store, &end, &f->err));
	CU_ASSERT_EQUAL(end.position, list.next.position);
	/* Nothing new; then something. */
	OK(wf_store_history(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 0);
	filter.after = list.next;
	store_take(f, f->store, 2, 1, &taken);
	OK(store_step_to(f, f->store, &taken, WF_CASE_END, 1, NULL));
	OK(wf_store_history(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].sequence, 2);
	/* Retired rows leave a gap, which is reported. */
	OK(wf_store_retire(f->store, 1000, 9, &count, &f->err));
	REFUSED(f, WF_GONE,
	    wf_store_history(f->store, &filter, f->arena, &list, &f->err));
	filter.after = list.next;
	OK(wf_store_history(f->store, &filter, f->arena, &list, &f->err));
	memset(&filter.after, 0, sizeof filter.after);
	OK(wf_store_history(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 2);
}

static void test_gone(void)
{
	store_on_each(check_gone);
}

/* Launches cases from 1 on, and ends one. */
static void launch_and_end(
    struct store_fixture *f, uint64_t count, uint64_t number)
{
	static const char *const names[] = { "one", "two", "three", "four" };
	struct wf_take taken;

	for (uint64_t i = 1; i <= count; i++)
		OK(store_launch(f, i, names[i - 1], NULL));
	store_take(f, f->store, number, 1, &taken);
	OK(store_step_to(f, f->store, &taken, WF_CASE_END, 1, NULL));
}

static size_t retire(struct store_fixture *f)
{
	size_t count = 0;

	OK(wf_store_retire(f->store, 1000, 9, &count, &f->err));
	return count;
}

/* The end is after the last row, even when the last rows were retired. */
static void check_end(struct store_fixture *f)
{
	struct wf_history_filter filter = { .limit = 9 };
	struct wf_history_list list = { 0 };

	launch_and_end(f, 2, 2);
	CU_ASSERT_EQUAL(retire(f), 1);
	OK(wf_store_history_end(f->store, &filter.after, &f->err));
	for (int i = 0; i < 2; i++) {
		OK(wf_store_history(
		    f->other, &filter, f->arena, &list, &f->err));
		CU_ASSERT_EQUAL(list.count, 0);
		filter.after = list.next;
	}
	OK(store_launch(f, 3, "three", NULL));
	OK(wf_store_history(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].number, 3);
	/* From the beginning to the end as well. */
	memset(&filter.after, 0, sizeof filter.after);
	OK(wf_store_history(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 2);
	filter.after = list.next;
	OK(wf_store_history(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 0);
}

static void test_end(void)
{
	store_on_each(check_end);
}

/* A reader from the beginning is not affected by earlier retirement. */
static void check_pages(struct store_fixture *f)
{
	static const uint64_t expected[] = { 1, 2, 4 };
	struct wf_history_filter filter = { .limit = 1 };
	struct wf_history_list list = { 0 };
	struct wf_take taken;

	launch_and_end(f, 4, 3);
	CU_ASSERT_EQUAL(retire(f), 1);
	for (size_t i = 0; i < 3; i++) {
		OK(wf_store_history(
		    f->other, &filter, f->arena, &list, &f->err));
		CU_ASSERT_EQUAL_FATAL(list.count, 1);
		CU_ASSERT_EQUAL(list.rows[0].number, expected[i]);
		if (i < 2)
			filter.after = list.next;
	}
	/* More rows are retired: now something is missed, and reported. */
	store_take(f, f->store, 4, 1, &taken);
	OK(store_step_to(f, f->store, &taken, WF_CASE_END, 1, NULL));
	CU_ASSERT_EQUAL(retire(f), 1);
	REFUSED(f, WF_GONE,
	    wf_store_history(f->other, &filter, f->arena, &list, &f->err));
}

static void test_pages(void)
{
	store_on_each(check_pages);
}

/* Pages end early where rows are large: 4 MiB and no more than one row. */
static void check_large(struct store_fixture *f)
{
	enum { ROWS = 3, SIZE = 3 << 20 };
	struct wf_history_filter filter = { .limit = 9 };
	struct wf_history_list list = { 0 };
	struct wf_history_row steps[ROWS];
	struct wf_case_write write = store_new_case(1, "one");
	struct wf_writes writes = { .cases = &write,
		.case_count = 1,
		.history = steps,
		.history_count = ROWS };
	struct wf_take taken;
	char *large = wf_calloc(1, SIZE);

	OK(store_launch(f, 1, "one", NULL));
	CU_ASSERT_EQUAL(store_take(f, f->store, 1, 1, &taken), WF_TAKE_TAKEN);
	write.expected = 1;
	write.row.version = 1 + ROWS;
	for (uint64_t i = 0; i < ROWS; i++) {
		steps[i] = store_history_row(1, i + 2);
		steps[i].events = (struct wf_bytes){ large, SIZE };
	}
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
	OK(wf_store_history(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 3);
	filter.after = list.next;
	OK(wf_store_history(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 1);
	OK(wf_store_case_history(f->store, 1, 1, 9, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 2);
	CU_ASSERT_EQUAL(list.next.sequence, 3);
	wf_free(large);
}

static void test_large(void)
{
	store_on_each(check_large);
}

/* --- ended cases ---------------------------------------------------------- */

static const struct wf_erased_row erasing = {
	.number = 3, .at = 77, .actor = "ann", .reason = "asked to"
};

/* Readers pass over the steps of an erased case, wherever they are. */
static void check_erased(struct store_fixture *f)
{
	static const char *const names[] = { "three", "none" };
	struct wf_history_filter filter = { .limit = 1 };
	struct wf_history_list list = { 0 };
	struct wf_erased_row live = { .number = 1 };
	const struct wf_outcome_row outcomes[] = {
		{ .operation = 1, .number = 3, .subject = "", .text = "a" },
		{ .operation = 1, .number = 4, .subject = "", .text = "b" },
	};
	const struct wf_outcome_filter of = {
		.operation = 1, .after_subject = "", .limit = 9
	};
	struct wf_outcome_list left;
	struct wf_erased_row row;
	struct wf_stored_case stored;
	uint64_t numbers[2];
	struct wf_take taken;

	launch_and_end(f, 4, 3);
	OK(wf_store_put_outcomes(f->store, outcomes, 2, &f->err));
	/* Behind the first step, from before and after a retirement. */
	OK(wf_store_history(f->other, &filter, f->arena, &list, &f->err));
	filter.after = list.next;
	filter.limit = 9;
	REFUSED(f, WF_NOT_FOUND,
	    wf_store_erased(f->store, 3, f->arena, &row, &f->err));
	REFUSED(f, WF_CONFLICT, wf_store_erase(f->store, &live, &f->err));
	OK(wf_store_erase(f->store, &erasing, &f->err));
	OK(wf_store_outcomes(f->store, &of, f->arena, &left, &f->err));
	CU_ASSERT_EQUAL_FATAL(left.count, 2);
	CU_ASSERT_STRING_EQUAL(left.rows[0].text, "");
	CU_ASSERT_STRING_EQUAL(left.rows[1].text, "b");
	REFUSED(f, WF_NOT_FOUND, wf_store_erase(f->store, &erasing, &f->err));
	OK(wf_store_history(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 2);
	CU_ASSERT_EQUAL(list.rows[0].number, 2);
	CU_ASSERT_EQUAL(list.rows[1].number, 4);
	REFUSED(f, WF_NOT_FOUND,
	    wf_store_case(f->store, 3, true, f->arena, &stored, &f->err));
	OK(wf_store_erased(f->other, 3, f->arena, &row, &f->err));
	CU_ASSERT_STRING_EQUAL(row.name, "three");
	CU_ASSERT_EQUAL(row.specification, 7);
	CU_ASSERT_EQUAL(row.namespace_id, 1);
	CU_ASSERT_EQUAL(row.at, 77);
	CU_ASSERT_STRING_EQUAL(row.actor, "ann");
	CU_ASSERT_STRING_EQUAL(row.reason, "asked to");
	CU_ASSERT(row.position > 0);
	OK(wf_store_find(f->store, 1, names, 2, numbers, &f->err));
	CU_ASSERT_EQUAL(numbers[0], 3);
	CU_ASSERT_EQUAL(numbers[1], 0);
	/* A reader at the end sees what comes, with the last steps erased. */
	filter.after = list.next;
	store_take(f, f->store, 4, 1, &taken);
	OK(store_step_to(f, f->store, &taken, WF_CASE_END, 1, NULL));
	OK(wf_store_history(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 1);
	filter.after = list.next;
	live.number = 4;
	OK(wf_store_erase(f->store, &live, &f->err));
	OK(wf_store_history(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 0);
	OK(store_launch(f, 5, "five", NULL));
	OK(wf_store_history(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].number, 5);
}

static void test_erased(void)
{
	store_on_each(check_erased);
}

/* Ended cases of one specification, those first that ended first. */
static void check_ended(struct store_fixture *f)
{
	const uint64_t numbers[] = { 4, 2, 9 };
	struct wf_ended_filter filter = { .namespace_id = 1,
		.specification = 7,
		.before = INT64_MAX,
		.limit = 9 };
	struct wf_case_list list;
	struct wf_take taken;
	size_t count;

	launch_and_end(f, 4, 3);
	store_take(f, f->store, 2, 1, &taken);
	OK(store_step_to(f, f->store, &taken, WF_CASE_END, 1, NULL));
	OK(wf_store_ended(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 2);
	CU_ASSERT(list.rows[0].ended);
	CU_ASSERT(list.rows[0].row.changed_at < list.rows[1].row.changed_at ||
		  (list.rows[0].row.changed_at == list.rows[1].row.changed_at &&
		      list.rows[0].row.number == 2));
	filter.before = list.rows[0].row.changed_at;
	OK(wf_store_ended(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 0);
	filter.before = INT64_MAX;
	filter.limit = 1;
	OK(wf_store_ended(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 1);
	filter.after = list.rows[0].row.changed_at;
	filter.after_number = list.rows[0].row.number;
	OK(wf_store_ended(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT(list.rows[0].row.number != filter.after_number);
	filter.after = list.rows[0].row.changed_at;
	filter.after_number = list.rows[0].row.number;
	OK(wf_store_ended(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 0);
	filter.after = 0;
	filter.after_number = 0;
	filter.specification = 8;
	OK(wf_store_ended(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 0);
	filter.specification = 7;
	filter.limit = 9;
	/* One is live, one does not exist. */
	OK(wf_store_retire_cases(f->store, numbers, 3, &count, &f->err));
	CU_ASSERT_EQUAL(count, 1);
	OK(wf_store_ended(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].row.number, 3);
	OK(wf_store_retire_cases(f->store, numbers, 0, &count, &f->err));
	CU_ASSERT_EQUAL(count, 0);
}

static void test_ended(void)
{
	store_on_each(check_ended);
}

CU_TestInfo wf_tests_store_stream[] = {
	{ "rows that are gone", test_gone },
	{ "the end", test_end },
	{ "pages", test_pages },
	{ "large rows", test_large },
	{ "erased cases", test_erased },
	{ "ended cases of a specification", test_ended },
	CU_TEST_INFO_NULL,
};
