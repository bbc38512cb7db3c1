/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is involved in cases, and comments on them, in each store: lists, limits,
 * what goes with the case.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/store_fixture.h"

/* --- who is involved ------------------------------------------------------ */

/* A step of the case, or its end, with these rows. */
static enum wf_rc step(struct store_fixture *f, uint64_t number, bool ends,
    const struct wf_involved_row *rows, size_t count)
{
	struct wf_take take;
	struct wf_case_write write;
	struct wf_history_row history;
	struct wf_writes writes = { .cases = &write,
		.case_count = 1,
		.history = &history,
		.history_count = 1,
		.involved = rows,
		.involved_count = count };

	CU_ASSERT_EQUAL(
	    store_take(f, f->store, number, 0, &take), WF_TAKE_TAKEN);
	write = (struct wf_case_write){ .row = take.stored.row,
		.expected = take.stored.row.version,
		.change = ends ? WF_CASE_END : WF_CASE_STEP };
	write.row.version++;
	write.row.changed_at = ends ? 50 : 10;
	history = store_history_row(number, write.row.version);
	wf_error_clear(&f->err);
	return wf_store_commit(f->store, &writes, NULL, &f->err);
}

/* The numbers of a page, each behind a space. */
static const char *page_of(struct store_fixture *f, const char *participant,
    bool ascending, uint64_t after, size_t limit)
{
	const struct wf_involved_filter filter = { participant, ascending,
		after, limit };
	struct wf_case_list list;
	const char *text = "";

	OK(wf_store_involved_cases(
	    f->other, &filter, f->arena, &list, &f->err));
	for (size_t i = 0; i < list.count; i++)
		text = wf_arena_printf(f->arena, "%s %llu%s", text,
		    (unsigned long long)list.rows[i].row.number,
		    list.rows[i].ended ? "e" : "");
	return text;
}

static bool is_involved(
    struct store_fixture *f, const char *participant, uint64_t number)
{
	bool is = false;

	OK(wf_store_is_involved(f->other, participant, number, &is, &f->err));
	return is;
}

static void check_involved(struct store_fixture *f)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	size_t count;

	for (uint64_t i = 1; i <= 4; i++) {
		const struct wf_involved_row rows[] = { { i, "anna" },
			{ i, "bert" }, { i, "anna" } };

		OK(store_launch(f, i, names[i - 1], NULL));
		OK(step(f, i, false, rows, i == 3 ? 1 : 3));
		OK(step(f, i, i == 2, rows, 1));
	}
	CU_ASSERT_STRING_EQUAL(page_of(f, "anna", false, 0, 9), " 4 3 2e 1");
	CU_ASSERT_STRING_EQUAL(page_of(f, "anna", false, 0, 2), " 4 3");
	CU_ASSERT_STRING_EQUAL(page_of(f, "anna", false, 3, 2), " 2e 1");
	CU_ASSERT_STRING_EQUAL(page_of(f, "anna", true, 0, 2), " 1 2e");
	CU_ASSERT_STRING_EQUAL(page_of(f, "anna", true, 2, 9), " 3 4");
	CU_ASSERT_STRING_EQUAL(page_of(f, "bert", false, 0, 9), " 4 2e 1");
	CU_ASSERT_STRING_EQUAL(page_of(f, "", false, 0, 9), "");
	CU_ASSERT_STRING_EQUAL(page_of(f, "ann", true, 0, 9), "");
	CU_ASSERT_TRUE(is_involved(f, "bert", 2));
	CU_ASSERT_FALSE(is_involved(f, "bert", 3));
	CU_ASSERT_FALSE(is_involved(f, "bert", 5));
	OK(wf_store_retire(f->store, 60, 9, &count, &f->err));
	CU_ASSERT_EQUAL(count, 1);
	CU_ASSERT_STRING_EQUAL(page_of(f, "anna", false, 0, 9), " 4 3 1");
	CU_ASSERT_FALSE(is_involved(f, "bert", 2));
}

/* Rows of a case that the batch has not taken are refused. */
static void check_not_taken(struct store_fixture *f)
{
	const struct wf_involved_row row = { 2, "anna" };

	OK(store_launch(f, 1, "a", NULL));
	OK(store_launch(f, 2, "b", NULL));
	CU_ASSERT_EQUAL(step(f, 1, false, &row, 1), WF_CONFLICT);
	CU_ASSERT_STRING_EQUAL(page_of(f, "anna", true, 0, 9), "");
}

/* --- comments ------------------------------------------------------------- */

static enum wf_rc comment(
    struct store_fixture *f, uint64_t number, uint64_t id, const char *text)
{
	const struct wf_comment_row row = { number, id, 10, "anna", text };

	wf_error_clear(&f->err);
	return wf_store_add_comment(f->store, &row, &f->err);
}

static const char *comments_of(
    struct store_fixture *f, uint64_t number, uint64_t after, size_t limit)
{
	struct wf_comment_list list;
	const char *text = "";

	OK(wf_store_comments(
	    f->other, number, after, limit, f->arena, &list, &f->err));
	for (size_t i = 0; i < list.count; i++)
		text = wf_arena_printf(f->arena, "%s %llu:%s", text,
		    (unsigned long long)list.rows[i].id, list.rows[i].text);
	return text;
}

static void check_comments(struct store_fixture *f)
{
	struct wf_comment_list list;
	uint64_t first;
	size_t count;

	OK(wf_store_reserve(f->store, WF_COUNTER_COMMENT, 2, &first, &f->err));
	CU_ASSERT_EQUAL(first, 1);
	REFUSED(f, WF_NOT_FOUND, comment(f, 1, 1, "x"));
	OK(store_launch(f, 1, "a", NULL));
	OK(store_launch(f, 2, "b", NULL));
	OK(comment(f, 1, 1, "one"));
	OK(comment(f, 2, 2, "of two"));
	OK(comment(f, 1, 3, "three"));
	OK(step(f, 1, true, NULL, 0));
	OK(comment(f, 1, 4, "when it has ended"));
	REFUSED(f, WF_CONFLICT, comment(f, 1, 3, "x"));
	CU_ASSERT_STRING_EQUAL(
	    comments_of(f, 1, 0, 9), " 1:one 3:three 4:when it has ended");
	CU_ASSERT_STRING_EQUAL(comments_of(f, 1, 1, 1), " 3:three");
	CU_ASSERT_STRING_EQUAL(comments_of(f, 1, 4, 9), "");
	OK(wf_store_comments(f->other, 2, 0, 9, f->arena, &list, &f->err));
	CU_ASSERT_STRING_EQUAL(list.rows[0].author, "anna");
	CU_ASSERT_EQUAL(list.rows[0].at, 10);
	REFUSED(
	    f, WF_NOT_FOUND, wf_store_remove_comment(f->store, 2, 3, &f->err));
	OK(wf_store_remove_comment(f->store, 1, 3, &f->err));
	REFUSED(
	    f, WF_NOT_FOUND, wf_store_remove_comment(f->store, 1, 3, &f->err));
	CU_ASSERT_STRING_EQUAL(
	    comments_of(f, 1, 0, 9), " 1:one 4:when it has ended");
	OK(wf_store_retire(f->store, 60, 9, &count, &f->err));
	CU_ASSERT_STRING_EQUAL(comments_of(f, 1, 0, 9), "");
	CU_ASSERT_STRING_EQUAL(comments_of(f, 2, 0, 9), " 2:of two");
	REFUSED(f, WF_NOT_FOUND, comment(f, 1, 5, "x"));
}

static void check_limit(struct store_fixture *f)
{
	OK(store_launch(f, 1, "a", NULL));
	for (uint64_t i = 1; i <= WF_CASE_COMMENTS; i++)
		OK(comment(f, 1, i, "x"));
	REFUSED(f, WF_LIMIT, comment(f, 1, WF_CASE_COMMENTS + 1, "x"));
	OK(wf_store_remove_comment(f->store, 1, 7, &f->err));
	OK(comment(f, 1, WF_CASE_COMMENTS + 1, "x"));
}

/* --- what does not belong together ---------------------------------------- */

static void add_finding(void *context, uint64_t number, const char *what)
{
	char *text = context;
	size_t length = strlen(text);

	snprintf(text + length, 600 - length, "%llu %s\n",
	    (unsigned long long)number, what);
}

/* Rows of a case that does not exist. */
static void check_strays(struct store_fixture *f)
{
	bool has_part = strncmp(f->url, "postgresql", 10) == 0;
	char found[600] = "";

	if (strncmp(f->url, "memory", 6) == 0)
		return;
	OK(wf_store_verify(f->store, add_finding, found, &f->err));
	CU_ASSERT_STRING_EQUAL(found, "");
	wf_store_close(&f->store);
	wf_store_close(&f->other);
	wf_store_close(&f->keeper);
	store_edit(f->url,
	    has_part ? "INSERT INTO involved (part, number, participant)"
		       " VALUES (0, 7, 'anna')"
		     : "INSERT INTO involved (number, participant)"
		       " VALUES (7, 'anna')");
	store_edit(f->url, "INSERT INTO comment (number, id, at, author, text)"
			   " VALUES (8, 3, 1, 'anna', 'x')");
	f->store = store_open(f->url, 0);
	OK(wf_store_verify(f->store, add_finding, found, &f->err));
	CU_ASSERT_PTR_NOT_NULL(strstr(
	    found, "7 people are involved in it, but there is no such case"));
	CU_ASSERT_PTR_NOT_NULL(
	    strstr(found, "8 it has comments, but there is no such case"));
	CU_ASSERT_PTR_NOT_NULL(strstr(found,
	    "0 the counter of comments is at 0, but there is a comment 3"));
}

static void test_involved(void)
{
	store_on_each(check_involved);
}

static void test_not_taken(void)
{
	store_on_each(check_not_taken);
}

static void test_comments(void)
{
	store_on_each(check_comments);
}

static void test_limit(void)
{
	store_on_each(check_limit);
}

static void test_strays(void)
{
	store_on_each(check_strays);
}

CU_TestInfo wf_tests_own_cases[] = {
	{ "who is involved", test_involved },
	{ "cases that were not taken", test_not_taken },
	{ "comments", test_comments },
	{ "as many comments as a case can have", test_limit },
	{ "rows of no case", test_strays },
	CU_TEST_INFO_NULL,
};
