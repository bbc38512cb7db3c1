/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of items by queue, on every store: pages of random queues in each
 * order, compared with all rows sorted here; counts; a failure at each
 * statement.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/random.h"
#include "tests/unit/store_fixture.h"

#define CASES 5U
#define ITEMS 60U /* of each case */
#define QUEUES 12U

/* Ends with queues that nothing stands in. */
static const char *const queues[QUEUES] = { "A:1", "A:10", "A:11", "A:2", "A:3",
	"A:\xc3\xa4", "P:1", "P:a", "P:b", "U", "A:", "z" };

/* Few values, so that many are equal. */
static struct wf_item_row any_row(
    struct wf_random *random, struct wf_arena *arena, uint64_t number)
{
	static const char *const left_out[] = { "", ",a,", ",b,a,", ",aa,b," };
	static const int64_t due[] = { 5, 6, 7, WF_ITEM_NOT_DUE };
	uint32_t queue = wf_random_below(random, QUEUES);

	return (struct wf_item_row){ .number = number,
		.id = wf_arena_printf(
		    arena, "1.%u:T", 1 + wf_random_below(random, ITEMS)),
		.task = "T",
		/* Every sixth is not for people. */
		.queue = queue < QUEUES - 2 ? queues[queue] : "",
		.assignment = wf_random_below(random, 5),
		.left_out = left_out[wf_random_below(random, 4)],
		.rank = 50 + wf_random_below(random, 3),
		.enabled_at = 100 + wf_random_below(random, 4),
		.due_at = due[wf_random_below(random, 4)] };
}

/* Writes rows, one batch for each case; the last with an id counts. */
static void put_rows(struct store_fixture *f, struct wf_random *random)
{
	struct wf_item_write *write = wf_arena_alloc(f->arena, sizeof(*write));
	struct wf_writes writes = { .items = write, .item_count = 1 };

	for (uint64_t number = 1; number <= CASES; number++) {
		struct wf_take taken;

		OK(store_launch(f, number,
		    wf_arena_printf(f->arena, "%u", (unsigned)number), NULL));
		for (unsigned i = 0; i < ITEMS; i++) {
			memset(write, 0, sizeof(*write));
			write->row = any_row(random, f->arena, number);
			write->groups = WF_ITEM_KERNEL;
			store_take(f, f->store, number, 1, &taken);
			OK(wf_store_commit(f->store, &writes, NULL, &f->err));
		}
	}
}

/* --- what is expected ----------------------------------------------------- */

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_rows(enum wf_queue_order order, const struct wf_item_row *a,
    const struct wf_item_row *b)
{
	int result = 0;

	if (order == WF_QUEUE_BY_RANK)
		result = compare_numbers(a->rank, b->rank);
	else if (order == WF_QUEUE_BY_DUE)
		result = compare_numbers(a->due_at, b->due_at);
	if (result == 0)
		result = compare_numbers(a->enabled_at, b->enabled_at);
	if (result == 0)
		result =
		    compare_numbers((int64_t)a->number, (int64_t)b->number);
	return result != 0 ? result : strcmp(a->id, b->id);
}

static int by_rank(const void *a, const void *b)
{
	return compare_rows(WF_QUEUE_BY_RANK, a, b);
}

static int by_age(const void *a, const void *b)
{
	return compare_rows(WF_QUEUE_BY_AGE, a, b);
}

static int by_due(const void *a, const void *b)
{
	return compare_rows(WF_QUEUE_BY_DUE, a, b);
}

static bool is_listed(
    const char *const *wanted, size_t count, const struct wf_item_row *row)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(wanted[i], row->queue) == 0)
			return true;
	return false;
}

/* The items of these queues, in that order, from the list of all items. */
static struct wf_item_list expect(
    struct store_fixture *f, const struct wf_queue_filter *filter)
{
	static int (*const orders[])(
	    const void *a, const void *b) = { by_rank, by_age, by_due };
	struct wf_item_filter everything = { .limit = SIZE_MAX };
	struct wf_item_list all;
	size_t count = 0;

	OK(wf_store_items(f->other, &everything, f->arena, &all, &f->err));
	CU_ASSERT_TRUE(all.count > ITEMS);
	for (size_t i = 0; i < all.count; i++)
		if (is_listed(
			filter->queues, filter->queue_count, &all.rows[i]))
			all.rows[count++] = all.rows[i];
	all.count = count;
	qsort(all.rows, count, sizeof(all.rows[0]), orders[filter->order]);
	for (size_t i = 0; filter->descending && i < count / 2; i++) {
		struct wf_item_row row = all.rows[i];

		all.rows[i] = all.rows[count - 1 - i];
		all.rows[count - 1 - i] = row;
	}
	return all;
}

static bool is_same(const struct wf_item_row *a, const struct wf_item_row *b)
{
	return a->number == b->number && strcmp(a->id, b->id) == 0 &&
	       strcmp(a->queue, b->queue) == 0 &&
	       strcmp(a->left_out, b->left_out) == 0 &&
	       a->assignment == b->assignment && a->rank == b->rank &&
	       a->enabled_at == b->enabled_at && a->due_at == b->due_at;
}

/* --- lists ---------------------------------------------------------------- */

/* Some queues, each once, in any order. */
static size_t any_queues(struct wf_random *random, const char **wanted)
{
	uint32_t count = wf_random_below(random, QUEUES + 1);
	uint32_t first = wf_random_below(random, QUEUES);

	/* 5 and the number of queues have no common divisor. */
	for (uint32_t i = 0; i < count; i++)
		wanted[i] = queues[(first + 5 * i) % QUEUES];
	return count;
}

/* All pages; each continues behind the key of the last row. */
static void check_pages(struct store_fixture *f, struct wf_queue_filter *filter)
{
	struct wf_item_list expected = expect(f, filter);
	struct wf_queue_key key;
	struct wf_item_list list;
	size_t seen = 0;

	do {
		OK(wf_store_queued_items(
		    f->store, filter, f->arena, &list, &f->err));
		CU_ASSERT_FATAL(seen + list.count <= expected.count);
		for (size_t i = 0; i < list.count; i++)
			CU_ASSERT_TRUE(
			    is_same(&list.rows[i], &expected.rows[seen++]));
		if (list.count > 0)
			key = wf_queue_key_of(
			    filter->order, &list.rows[list.count - 1]);
		filter->after = &key;
	} while (list.count == filter->limit);
	CU_ASSERT_EQUAL(seen, expected.count);
}

static void check_lists(struct store_fixture *f)
{
	struct wf_random random = { 16 };

	put_rows(f, &random);
	for (int i = 0; i < 60; i++) {
		const char *wanted[QUEUES];
		struct wf_queue_filter filter = { .queues = wanted,
			.queue_count = any_queues(&random, wanted),
			.order = wf_random_below(&random, 3),
			.descending = wf_random_below(&random, 2) == 1,
			.limit = 1 + wf_random_below(&random,
					 i % 2 == 0 ? 9 : WF_QUEUED_ROWS) };

		check_pages(f, &filter);
	}
}

static void test_lists(void)
{
	store_on_each(check_lists);
}

/* The key of an item that has left its queue is a place all the same. */
static void check_keys(struct store_fixture *f)
{
	const char *const wanted[] = { "P:a" };
	struct wf_queue_key key = { .value = WF_ITEM_NOT_DUE,
		.enabled_at = INT64_MAX,
		.number = 3,
		.id = NULL };
	struct wf_queue_filter filter = { .queues = wanted,
		.queue_count = 1,
		.order = WF_QUEUE_BY_DUE,
		.limit = 3 };
	struct wf_item_write write = {
		.row = { .number = 1,
		    .id = "T",
		    .queue = "P:a",
		    .enabled_at = INT64_MAX,
		    .due_at = WF_ITEM_NOT_DUE },
		.groups = WF_ITEM_KERNEL,
	};
	struct wf_writes writes = { .items = &write, .item_count = 1 };
	struct wf_item_list list;
	struct wf_take taken;

	OK(store_launch(f, 1, "one", NULL));
	store_take(f, f->store, 1, 1, &taken);
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
	for (int descending = 0; descending <= 1; descending++) {
		filter.descending = descending == 1;
		filter.after = NULL;
		OK(wf_store_queued_items(
		    f->store, &filter, f->arena, &list, &f->err));
		CU_ASSERT_EQUAL(list.count, 1);
		filter.after = &key;
		OK(wf_store_queued_items(
		    f->store, &filter, f->arena, &list, &f->err));
		CU_ASSERT_EQUAL(list.count, (size_t)descending);
	}
	filter.queue_count = 0;
	OK(wf_store_queued_items(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 0);
	/* Nothing is left of a queue when the item leaves it. */
	write.row.queue = "P:b";
	store_take(f, f->store, 1, 1, &taken);
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
	filter.queue_count = 1;
	filter.after = NULL;
	OK(wf_store_queued_items(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 0);
}

static void test_keys(void)
{
	store_on_each(check_keys);
}

/* --- counts --------------------------------------------------------------- */

/* Counts as the contract says, from a list of all by age. */
static void check_counts_of(struct store_fixture *f, const char *const *wanted,
    size_t count, const char *participant, uint64_t maximum)
{
	uint64_t expected[5] = { 0 };
	struct wf_queue_counts counts;
	uint64_t left = maximum;
	uint64_t found = 0;

	for (size_t i = 0; i < count; i++) {
		struct wf_queue_filter filter = { .queues = &wanted[i],
			.queue_count = 1,
			.order = WF_QUEUE_BY_AGE };
		struct wf_item_list list = expect(f, &filter);

		for (size_t j = 0; j < list.count && left > 0; j++, left--)
			expected[list.rows[j].assignment] +=
			    participant == NULL ||
			    strstr(list.rows[j].left_out, participant) == NULL;
	}
	OK(wf_store_count_queued(f->store, wanted, count,
	    participant == NULL ? NULL : "a", maximum, f->arena, &counts,
	    &f->err));
	CU_ASSERT_EQUAL(counts.more, left == 0);
	for (size_t i = 0; i < counts.count; i++) {
		CU_ASSERT_FATAL(counts.rows[i].assignment < 5);
		CU_ASSERT_TRUE(i == 0 || counts.rows[i - 1].assignment <
					     counts.rows[i].assignment);
		CU_ASSERT_EQUAL(
		    counts.rows[i].items, expected[counts.rows[i].assignment]);
		CU_ASSERT_TRUE(counts.rows[i].items > 0);
		found += counts.rows[i].items;
	}
	for (size_t i = 0; i < 5; i++)
		found -= expected[i];
	CU_ASSERT_EQUAL(found, 0);
}

static void check_counts(struct store_fixture *f)
{
	struct wf_random random = { 17 };

	put_rows(f, &random);
	for (int i = 0; i < 20; i++) {
		const char *wanted[QUEUES];
		size_t count = any_queues(&random, wanted);

		check_counts_of(f, wanted, count, i % 2 == 0 ? NULL : ",a,",
		    1 + wf_random_below(&random, 200));
	}
}

static void test_counts(void)
{
	store_on_each(check_counts);
}

/* As the contract says, from a list of each queue by age. */
static void check_counts_of_each(struct store_fixture *f)
{
	struct wf_random random = { 19 };

	put_rows(f, &random);
	for (int i = 0; i < 20; i++) {
		const char *wanted[QUEUES];
		size_t count = any_queues(&random, wanted);
		uint32_t assignments = wf_random_below(&random, 32);
		uint64_t maximum = 1 + wf_random_below(&random, 40);
		uint64_t items[QUEUES];

		OK(wf_store_count_each_queued(f->store, wanted, count,
		    assignments, maximum, items, &f->err));
		for (size_t j = 0; j < count; j++) {
			struct wf_queue_filter filter = { .queues = &wanted[j],
				.queue_count = 1,
				.order = WF_QUEUE_BY_AGE };
			struct wf_item_list list = expect(f, &filter);
			uint64_t expected = 0;

			for (size_t k = 0; k < list.count && k < maximum; k++)
				expected +=
				    assignments >> list.rows[k].assignment & 1;
			CU_ASSERT_EQUAL(items[j], expected);
		}
	}
}

static void test_counts_of_each(void)
{
	store_on_each(check_counts_of_each);
}

/* After how many statements the call has succeeded. */
static uint64_t statements_for(struct store_fixture *f, size_t count)
{
	uint64_t items[QUEUES];
	enum wf_rc rc = WF_IO;
	uint64_t n = 0;

	while (rc != WF_OK && n < 200) {
		wf_store_fail_after(f->store, ++n, WF_FAULT_BEFORE);
		rc = wf_store_count_each_queued(
		    f->store, queues, count, 8, 10, items, &f->err);
		CU_ASSERT_TRUE(rc == WF_OK || rc == WF_IO);
		wf_error_clear(&f->err);
	}
	wf_store_fail_after(f->store, 0, WF_FAULT_BEFORE);
	CU_ASSERT_EQUAL(rc, WF_OK);
	return n - 1;
}

/* A store that is asked over a connection is asked once for all queues. */
static void check_statements(struct store_fixture *f)
{
	struct wf_random random = { 20 };

	put_rows(f, &random);
	if (strncmp(f->url, "postgresql:", 11) == 0) {
		CU_ASSERT_EQUAL(statements_for(f, 1), 1);
		CU_ASSERT_EQUAL(statements_for(f, QUEUES), 1);
	} else {
		(void)statements_for(f, QUEUES);
	}
}

static void test_statements(void)
{
	store_on_each(check_statements);
}

/* --- failures ------------------------------------------------------------- */

/* The n-th statement fails: that is reported, and the next call succeeds. */
static void check_faults(struct store_fixture *f)
{
	bool is_memory = strncmp(f->url, "memory:", 7) == 0;
	struct wf_random random = { 18 };
	struct wf_queue_filter filter = {
		.queues = queues, .queue_count = QUEUES, .limit = 20
	};
	struct wf_queue_counts counts;
	struct wf_item_list list;

	put_rows(f, &random);
	for (int fault = WF_FAULT_BEFORE; fault <= WF_FAULT_AFTER; fault++)
		for (int call = 0; call < 2; call++) {
			enum wf_rc rc = WF_IO;
			uint64_t n;

			for (n = 1; rc != WF_OK && n < 200; n++) {
				wf_store_fail_after(
				    f->store, n, (enum wf_fault)fault);
				rc =
				    call == 0
					? wf_store_queued_items(f->store,
					      &filter, f->arena, &list, &f->err)
					: wf_store_count_queued(f->store,
					      queues, QUEUES, NULL, 1000,
					      f->arena, &counts, &f->err);
				CU_ASSERT_TRUE(rc == WF_OK || rc == WF_IO);
				wf_error_clear(&f->err);
			}
			wf_store_fail_after(f->store, 0, (enum wf_fault)fault);
			CU_ASSERT_EQUAL(rc, WF_OK);
			CU_ASSERT_TRUE(
			    wf_store_faults(f->store) > 0 || is_memory);
		}
	CU_ASSERT_EQUAL(list.count, 20);
}

static void test_faults(void)
{
	store_on_each(check_faults);
}

CU_TestInfo wf_tests_item_queues[] = {
	{ "lists", test_lists },
	{ "keys", test_keys },
	{ "counts", test_counts },
	{ "counts of each", test_counts_of_each },
	{ "statements of counts of each", test_statements },
	{ "the n-th statement fails", test_faults },
	CU_TEST_INFO_NULL,
};
