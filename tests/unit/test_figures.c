/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What there is now of a namespace, on every store: counts and lists of random
 * items compared with what is counted here; the detail of incidents.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <string.h>

#include "base/random.h"
#include "tests/unit/store_fixture.h"

#define CASES 3U
#define ITEMS 40U /* of each case */
#define NOW 100
#define CASES_COUNTED 200U

struct expected {
	uint64_t waiting;
	uint64_t late;
	uint64_t free;
	uint64_t leased;
	int64_t oldest;
};

/* Of two namespaces and two services, some for people, some late, .. */
static struct wf_item_row any_row(struct wf_random *random,
    struct wf_arena *arena, uint64_t number, unsigned i)
{
	static const int64_t due[] = { 98, 99, 100, 101, WF_ITEM_NOT_DUE };
	bool for_people = wf_random_below(random, 3) > 0;

	return (struct wf_item_row){ .number = number,
		.id = wf_arena_printf(arena, "%u.1:T%02u", (unsigned)number, i),
		.task = "T",
		.namespace_id = 1 + wf_random_below(random, 2),
		.service = wf_random_below(random, 2) > 0 ? "s" : "t",
		.queue = for_people ? "U" : "",
		.enabled_at = 10 + wf_random_below(random, 5),
		.due_at = due[wf_random_below(random, 5)],
		.lease_until = wf_random_below(random, 4) == 0 ? 500 : 0,
		.lease_owner = "w" };
}

static void count(const struct wf_item_row *row, struct expected *expected)
{
	bool is_served = strcmp(row->service, "s") == 0;

	if (row->namespace_id != 1)
		return;
	expected->free += is_served && row->lease_until == 0;
	expected->leased += is_served && row->lease_until > 0;
	if (row->queue[0] == '\0')
		return;
	expected->waiting++;
	expected->late += row->due_at < NOW;
	if (row->enabled_at < expected->oldest)
		expected->oldest = row->enabled_at;
}

static void put_rows(struct store_fixture *f, struct expected *expected)
{
	struct wf_item_write writes[ITEMS];
	const struct wf_writes all = { .items = writes, .item_count = ITEMS };
	struct wf_random random = { 7 };
	struct wf_take taken;

	for (uint64_t number = 1; number <= CASES; number++) {
		OK(store_launch(f, number,
		    wf_arena_printf(f->arena, "%u", (unsigned)number), NULL));
		memset(writes, 0, sizeof(writes));
		for (unsigned i = 0; i < ITEMS; i++) {
			writes[i].row = any_row(&random, f->arena, number, i);
			writes[i].groups = WF_ITEM_KERNEL | WF_ITEM_LEASE;
			count(&writes[i].row, expected);
		}
		store_take(f, f->store, number, 1, &taken);
		OK(wf_store_commit(f->store, &all, NULL, &f->err));
	}
}

static void check_counts(struct store_fixture *f)
{
	struct expected expected = { .oldest = INT64_MAX };
	struct wf_store_figures figures;
	struct wf_service_counts counts;

	OK(wf_store_figures(f->other, 1, NOW, 1000, &figures, &f->err));
	CU_ASSERT_EQUAL(figures.waiting, 0);
	put_rows(f, &expected);
	OK(wf_store_figures(f->other, 1, NOW, 1000, &figures, &f->err));
	CU_ASSERT_EQUAL(figures.waiting, expected.waiting);
	CU_ASSERT_EQUAL(figures.late, expected.late);
	CU_ASSERT_TRUE(expected.late > 3 && expected.leased > 3);
	OK(wf_store_count_service(f->other, 1, "s", 1000, &counts, &f->err));
	CU_ASSERT_EQUAL(counts.free, expected.free);
	CU_ASSERT_EQUAL(counts.leased, expected.leased);
	CU_ASSERT_TRUE(counts.oldest >= 10 && counts.oldest < 15);
	OK(wf_store_count_service(f->other, 1, "none", 9, &counts, &f->err));
	CU_ASSERT_TRUE(counts.free == 0 && counts.oldest == INT64_MAX);
	/* Counts end at the maximum. */
	OK(wf_store_figures(f->other, 1, NOW, 2, &figures, &f->err));
	CU_ASSERT_TRUE(figures.waiting == 2 && figures.late == 2);
	OK(wf_store_count_service(f->other, 1, "s", 2, &counts, &f->err));
	CU_ASSERT_TRUE(counts.free == 2 && counts.leased == 2);
}

static void test_counts(void)
{
	store_on_each(check_counts);
}

static void check_order(const struct wf_item_list *list, bool late)
{
	for (size_t i = 1; i < list->count; i++) {
		const struct wf_item_row *a = &list->rows[i - 1];
		const struct wf_item_row *b = &list->rows[i];
		int64_t x = late ? a->due_at : a->enabled_at;
		int64_t y = late ? b->due_at : b->enabled_at;

		CU_ASSERT_TRUE(
		    x < y || (x == y && (a->number < b->number ||
					    (a->number == b->number &&
						strcmp(a->id, b->id) < 0))));
	}
}

static void check_lists(struct store_fixture *f)
{
	struct expected expected = { .oldest = INT64_MAX };
	struct wf_waiting_filter filter = { .namespace_id = 1, .limit = 1000 };
	struct wf_item_list list;

	put_rows(f, &expected);
	OK(wf_store_waiting_items(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, expected.waiting);
	CU_ASSERT_EQUAL(list.rows[0].enabled_at, expected.oldest);
	check_order(&list, false);
	filter.due_before = NOW;
	OK(wf_store_waiting_items(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, expected.late);
	check_order(&list, true);
	filter.limit = 3;
	OK(wf_store_waiting_items(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 3);
	CU_ASSERT_EQUAL(list.rows[0].due_at, 98);
	filter.namespace_id = 9;
	OK(wf_store_waiting_items(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 0);
}

static void test_lists(void)
{
	store_on_each(check_lists);
}

/* --- cases by state ------------------------------------------------------- */

static struct wf_case_write any_case(
    struct wf_random *random, struct wf_arena *arena, uint64_t number)
{
	uint32_t status = (uint32_t)wf_random_below(random, WF_CASE_STATUSES);

	return (struct wf_case_write){
		.row = { .number = number,
		    .namespace_id = 1 + wf_random_below(random, 2),
		    .name = wf_arena_printf(arena, "%u", (unsigned)number),
		    .specification = 10 + wf_random_below(random, 3),
		    .version = 1,
		    .status = status },
		.change = status < 2 ? WF_CASE_STEP : WF_CASE_END
	};
}

static void put_cases(struct store_fixture *f, struct wf_case_counts *expected)
{
	struct wf_incident_write incidents[CASES_COUNTED];
	struct wf_case_write cases[CASES_COUNTED];
	struct wf_random random = { 11 };
	struct wf_writes writes = { .cases = cases,
		.case_count = CASES_COUNTED,
		.incidents = incidents };
	struct wf_claim claims[CASES_COUNTED];
	struct wf_batch batch = { .claims = claims,
		.claim_count = CASES_COUNTED };

	memset(incidents, 0, sizeof(incidents));
	for (unsigned i = 0; i < CASES_COUNTED; i++) {
		struct wf_incident_row *row =
		    &incidents[writes.incident_count].row;
		const struct wf_case_row *of = &cases[i].row;
		bool fails = wf_random_below(&random, 3) == 0;

		cases[i] = any_case(&random, f->arena, i + 1);
		claims[i] = (struct wf_claim){ .namespace_id = of->namespace_id,
			.name = of->name };
		if (fails) {
			*row = (struct wf_incident_row){ .id = i + 1,
				.namespace_id = of->namespace_id,
				.number = of->number,
				.code = "c",
				.dropped_at = i % 5 == 0 ? 7 : 0 };
			fails = row->dropped_at == 0;
			writes.incident_count++;
		}
		if (of->namespace_id != 1)
			continue;
		expected[of->specification - 10].in[of->status]++;
		expected[of->specification - 10].incidents += fails;
	}
	OK(wf_store_begin(f->store, &batch, f->arena, &f->err));
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
}

static void check_cases(struct store_fixture *f)
{
	static const uint64_t keys[] = { 12, 10, 99 };
	const struct wf_specification_keys all = { keys, 3 };
	struct wf_case_counting counting = { 1, &all, 1000 };
	struct wf_case_counts expected[3] = { 0 };
	struct wf_case_counts counts[3];
	bool is_all;

	put_cases(f, expected);
	OK(wf_store_count_cases(f->other, &counting, counts, &is_all, &f->err));
	CU_ASSERT_TRUE(is_all);
	CU_ASSERT_TRUE(expected[0].in[0] > 2 && expected[2].in[4] > 2 &&
		       expected[2].incidents > 2);
	CU_ASSERT_EQUAL(memcmp(&counts[0], &expected[2], sizeof(*counts)), 0);
	CU_ASSERT_EQUAL(memcmp(&counts[1], &expected[0], sizeof(*counts)), 0);
	CU_ASSERT_TRUE(counts[2].in[0] == 0 && counts[2].incidents == 0);
	/* Counts end at the maximum. */
	counting.maximum = 2;
	OK(wf_store_count_cases(f->other, &counting, counts, &is_all, &f->err));
	CU_ASSERT_TRUE(counts[0].in[0] == 2 && counts[0].in[4] == 2);
}

static void test_cases(void)
{
	store_on_each(check_cases);
}

/* --- incidents ------------------------------------------------------------ */

static void put_incident(
    struct store_fixture *f, const char *reason, const char *detail)
{
	struct wf_incident_write write = { .row = { .id = 5,
					       .namespace_id = 1,
					       .code = "c",
					       .reason = reason,
					       .payload = { "p", 1 } } };
	const struct wf_writes writes = { .incidents = &write,
		.incident_count = 1 };
	struct wf_batch batch = { 0 };

	if (detail != NULL)
		write.row.detail = (struct wf_bytes){ detail, strlen(detail) };
	OK(wf_store_begin(f->store, &batch, f->arena, &f->err));
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
}

/* Lists do not have it; who writes what a list gave keeps it. */
static void check_detail(struct store_fixture *f)
{
	struct wf_incident_filter filter = { .namespace_id = 1, .limit = 9 };
	struct wf_incident_list list;
	struct wf_incident_row row;

	put_incident(f, "", "more");
	OK(wf_store_incidents(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_PTR_NULL(list.rows[0].detail.data);
	CU_ASSERT_EQUAL(list.rows[0].payload.size, 1);
	filter.light = true;
	OK(wf_store_incidents(f->other, &filter, f->arena, &list, &f->err));
	CU_ASSERT_PTR_NULL(list.rows[0].payload.data);
	put_incident(f, "changed", NULL);
	OK(wf_store_incident(f->other, 5, f->arena, &row, &f->err));
	CU_ASSERT_STRING_EQUAL(row.reason, "changed");
	CU_ASSERT_EQUAL_FATAL(row.detail.size, 4);
	CU_ASSERT_EQUAL(memcmp(row.detail.data, "more", 4), 0);
	put_incident(f, "", "others");
	OK(wf_store_incident(f->other, 5, f->arena, &row, &f->err));
	CU_ASSERT_EQUAL(row.detail.size, 6);
}

static void test_detail(void)
{
	store_on_each(check_detail);
}

/* --- the store itself ----------------------------------------------------- */

static void check_measure(struct store_fixture *f)
{
	struct wf_store_measure before;
	struct wf_store_measure after;
	static char text[1 << 20];

	memset(text, 'x', sizeof(text) - 1);
	OK(wf_store_measure(f->store, f->arena, &before, &f->err));
	put_incident(f, "", text);
	OK(wf_store_measure(f->other, f->arena, &after, &f->err));
	CU_ASSERT_STRING_EQUAL(before.program, after.program);
	CU_ASSERT(before.bytes == 0 ? strcmp(before.program, "memory") == 0
				    : strchr(before.program, '.') != NULL &&
					  after.bytes > before.bytes);
}

static void test_measure(void)
{
	store_on_each(check_measure);
}

CU_TestInfo wf_tests_figures[] = {
	{ "counts", test_counts },
	{ "lists", test_lists },
	{ "cases by state", test_cases },
	{ "the detail of incidents", test_detail },
	{ "the size of the store", test_measure },
	CU_TEST_INFO_NULL,
};
