/* SPDX-License-Identifier: Apache-2.0 */
/* What operations did to each case: put, put again, listed in pages, removed.
 */
#include <CUnit/CUnit.h>

#include "tests/unit/store_fixture.h"

#define PAGE 2U

/* Operation, number and subject of those that are selected, page by page. */
static const char *listed(
    struct store_fixture *f, uint64_t operation, bool done, bool refused)
{
	struct wf_outcome_filter filter = { .operation = operation,
		.done = done,
		.refused = refused,
		.after_subject = "",
		.limit = PAGE };
	struct wf_outcome_list list = { .count = PAGE };
	const char *text = "";

	while (list.count == PAGE) {
		OK(wf_store_outcomes(
		    f->other, &filter, f->arena, &list, &f->err));
		for (size_t i = 0; i < list.count; i++) {
			const struct wf_outcome_row *row = &list.rows[i];

			CU_ASSERT_EQUAL(row->operation, operation);
			text = wf_arena_printf(f->arena, "%s %llu/%s:%d%s",
			    text, (unsigned long long)row->number, row->subject,
			    row->code, row->text);
			filter.after_number = row->number;
			filter.after_subject = row->subject;
		}
	}
	return text;
}

static void check_outcomes(struct store_fixture *f)
{
	const struct wf_outcome_row rows[] = {
		{ .operation = 2, .number = 10, .subject = "", .text = "" },
		{ .operation = 2,
		    .number = 9,
		    .subject = "b",
		    .code = 3,
		    .text = "no" },
		{ .operation = 2, .number = 9, .subject = "a", .text = "" },
		{ .operation = 2,
		    .number = 9,
		    .subject = "",
		    .code = 4,
		    .text = "\xe2\x82\xac" },
		{ .operation = 3, .number = 1, .subject = "", .text = "" },
	};
	const struct wf_outcome_row again = { .operation = 2,
		.number = 9,
		.subject = "b",
		.text = "",
		.version = 12 };
	size_t count;

	CU_ASSERT_STRING_EQUAL(listed(f, 2, false, false), "");
	OK(wf_store_put_outcomes(f->store, rows, 0, &f->err));
	OK(wf_store_put_outcomes(f->store, rows, 5, &f->err));
	CU_ASSERT_STRING_EQUAL(listed(f, 2, false, false),
	    " 9/:4\xe2\x82\xac 9/a:0 9/b:3no 10/:0");
	CU_ASSERT_STRING_EQUAL(listed(f, 2, true, false), " 9/a:0 10/:0");
	CU_ASSERT_STRING_EQUAL(
	    listed(f, 2, false, true), " 9/:4\xe2\x82\xac 9/b:3no");
	/* A page that is written again replaces what it wrote. */
	OK(wf_store_put_outcomes(f->store, &again, 1, &f->err));
	CU_ASSERT_STRING_EQUAL(listed(f, 2, true, false), " 9/a:0 9/b:0 10/:0");
	/* What is done stays done, whatever a server says that is late. */
	OK(wf_store_put_outcomes(f->store, &rows[1], 1, &f->err));
	CU_ASSERT_STRING_EQUAL(listed(f, 2, true, false), " 9/a:0 9/b:0 10/:0");
	OK(wf_store_remove_outcomes(f->store, 2, 3, &count, &f->err));
	CU_ASSERT_EQUAL(count, 3);
	OK(wf_store_remove_outcomes(f->store, 2, 3, &count, &f->err));
	CU_ASSERT_EQUAL(count, 1);
	CU_ASSERT_STRING_EQUAL(listed(f, 2, false, false), "");
	CU_ASSERT_STRING_EQUAL(listed(f, 3, false, false), " 1/:0");
}

static void test_outcomes(void)
{
	store_on_each(check_outcomes);
}

CU_TestInfo wf_tests_store_outcomes[] = {
	{ "outcomes of operations", test_outcomes },
	CU_TEST_INFO_NULL,
};
