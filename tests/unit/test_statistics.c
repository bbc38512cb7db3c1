/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics, on every store: random cases, counted from the stream page by
 * page, are compared with what a plain reading of their histories counts; with
 * restarts, two servers, and statements that fail.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "history/statistics/fold.h"
#include "history/statistics/statistics.h"
#include "history/statistics/summary.h"
#include "tests/unit/engine_fixture.h"
#include "tests/unit/office_fixture.h"
#include "tests/unit/random_net.h"
#include "tests/unit/seed.h"
#include "tests/unit/statistic_recount.h"

#define SPECS 4U
#define COMMANDS 400U
#define DAY_MS INT64_C(86400000)

/* --- random cases --------------------------------------------------------- */

static const enum wf_command_kind commands[] = { WF_COMMAND_LAUNCH,
	WF_COMMAND_LAUNCH, WF_COMMAND_START, WF_COMMAND_START, WF_COMMAND_START,
	WF_COMMAND_COMPLETE, WF_COMMAND_COMPLETE, WF_COMMAND_COMPLETE,
	WF_COMMAND_FINISH, WF_COMMAND_FINISH, WF_COMMAND_SKIP, WF_COMMAND_FORCE,
	WF_COMMAND_FAIL, WF_COMMAND_ROLLBACK, WF_COMMAND_ADD,
	WF_COMMAND_CANCEL_ITEM, WF_COMMAND_CANCEL_CASE };

static uint32_t below(struct wf_random *random, size_t count)
{
	return wf_random_below(random, (uint32_t)count);
}

/* The clock goes on, and is set back now and then. */
static void act(struct wf_fixture *f, struct wf_random *random)
{
	const struct wf_item_filter all = { .limit = 1000 };
	enum wf_command_kind command =
	    commands[below(random, sizeof(commands) / sizeof(commands[0]))];
	struct wf_item_list items;
	const struct wf_item_row *item;

	f->now += below(random, 900000);
	if (below(random, 20) == 0)
		f->now -= 1000000;
	if (command == WF_COMMAND_LAUNCH) {
		(void)wf_fixture_launch(f);
		return;
	}
	OK(wf_store_items(f->store, &all, f->arena, &items, &f->err));
	if (items.count == 0)
		return;
	item = &items.rows[below(random, items.count)];
	/* What is refused, for instance by data, is not done. */
	(void)wf_fixture_do(f, item->number, command,
	    command == WF_COMMAND_CANCEL_CASE ? NULL : item->id, NULL, NULL);
	wf_error_clear(&f->err);
	wf_fixture_turn(f);
}

static size_t load(
    struct wf_fixture *f, struct wf_random *random, uint64_t keys[SPECS + 1])
{
	struct wf_buffer text;
	size_t count = 0;

	keys[count++] = f->key;
	wf_buffer_init(&text, (size_t)4 << 20);
	for (unsigned i = 0; i < SPECS; i++) {
		wf_buffer_reset(&text);
		wf_random_net(random, &text);
		wf_error_clear(&f->err);
		if (wf_fixture_load(f, wf_buffer_text(&text), text.length) ==
		    WF_OK)
			keys[count++] = f->key;
	}
	wf_error_clear(&f->err);
	wf_buffer_free(&text);
	return count;
}

static void live(struct wf_fixture *f, struct wf_random *random,
    const uint64_t *keys, size_t count)
{
	for (unsigned i = 0; i < COMMANDS; i++) {
		f->key = keys[below(random, count)];
		act(f, random);
	}
}

/* --- comparing ------------------------------------------------------------ */

static int compare_lines(const void *a, const void *b)
{
	const struct statistic_line *x = a;
	const struct statistic_line *y = b;

	return strcmp(x->key, y->key);
}

static const char *print(struct wf_fixture *f, struct statistic_lines *lines)
{
	struct wf_buffer text;
	const char *printed;

	if (lines->count > 0)
		qsort(lines->rows, lines->count, sizeof(lines->rows[0]),
		    compare_lines);
	wf_buffer_init(&text, (size_t)64 << 20);
	for (size_t i = 0; i < lines->count; i++)
		wf_buffer_printf(&text, "%s: %llu %llu %llu\n",
		    lines->rows[i].key,
		    (unsigned long long)lines->rows[i].count,
		    (unsigned long long)lines->rows[i].timed,
		    (unsigned long long)lines->rows[i].sum);
	printed = wf_arena_strdup(f->arena, wf_buffer_text(&text));
	wf_buffer_free(&text);
	return printed;
}

static void read_measure(struct wf_fixture *f, struct statistic_lines *lines,
    uint64_t key, uint32_t measure)
{
	struct wf_statistic_filter filter = { .specification = key,
		.namespace_id = WF_NAMESPACE_DEFAULT,
		.to = WF_STATISTIC_NO_HOUR,
		.measure = measure,
		.limit = 7 };
	struct wf_statistic_list list = { .count = 7 };

	while (list.count == 7) {
		OK(wf_store_statistics(
		    f->store, &filter, f->arena, &list, &f->err));
		for (size_t i = 0; i < list.count; i++) {
			const struct wf_statistic_row *row = &list.rows[i];
			struct wf_histogram times;
			struct statistic_line *line =
			    statistic_line_of(f, lines, row);

			OK(wf_histogram_decode(
			    &times, &row->times, f->arena, &f->err));
			line->count += row->count;
			line->timed += times.count;
			line->sum += times.sum;
			filter.after = row;
		}
	}
}

static void read_stored(
    struct wf_fixture *f, struct statistic_lines *lines, uint64_t key)
{
	for (uint32_t measure = 0; measure < WF_MEASURES; measure++)
		read_measure(f, lines, key, measure);
}

/* Whether all is counted, once. */
static void check_counts(
    struct wf_fixture *f, const uint64_t *keys, size_t count)
{
	struct statistic_lines wanted = { .count = 0 };
	struct statistic_lines found = { .count = 0 };
	const char *text;
	bool complete;

	OK(wf_statistics_are_complete(f->store, &complete, &f->err));
	CU_ASSERT(complete);
	statistic_recount(f, &wanted);
	for (size_t i = 0; i < count; i++)
		read_stored(f, &found, keys[i]);
	CU_ASSERT(wanted.count > 0);
	text = print(f, &found);
	if (strcmp(text, print(f, &wanted)) != 0)
		printf("counted:\n%srecounted:\n%s", text, print(f, &wanted));
	CU_ASSERT_STRING_EQUAL(text, print(f, &wanted));
}

static struct wf_statistics *make(struct wf_fixture *f, size_t page)
{
	const struct wf_statistics_settings settings = {
		.keep_ms = 365 * DAY_MS, .page = page, .labels = 3
	};

	return wf_statistics_new(f->engine, &settings);
}

static void read_all(struct wf_fixture *f, struct wf_statistics *statistics)
{
	bool more = true;

	while (more)
		OK(wf_statistics_read(statistics, f->store, &more, &f->err));
}

/* Runs a test on a new store of each kind. */
static void on_each(
    void (*test)(struct wf_fixture *f, struct wf_random *random))
{
	struct wf_random random = { test_seed("statistics", 20260131) };

	for (size_t i = 0; i < store_kind_sample(); i++)
		for (unsigned k = 0; k < test_dear_rounds(2); k++) {
			struct wf_fixture f;

			wf_fixture_init_on(&f, store_kinds[i].name);
			wf_fixture_open(&f);
			test(&f, &random);
			wf_fixture_free(&f);
		}
}

static void check_once(struct wf_fixture *f, struct wf_random *random)
{
	struct wf_statistics *statistics = make(f, 0);
	uint64_t keys[SPECS + 1];
	size_t count = load(f, random, keys);

	for (unsigned i = 0; i < 2; i++) {
		live(f, random, keys, count);
		read_all(f, statistics);
		check_counts(f, keys, count);
	}
	CU_ASSERT_EQUAL(wf_statistics_failures(statistics), 0);
	CU_ASSERT(wf_statistics_steps(statistics) > 30);
	wf_statistics_free(&statistics);
}

static void test_once(void)
{
	on_each(check_once);
}

/* A server that ends between two pages: the next one knows no case. */
static void check_restarts(struct wf_fixture *f, struct wf_random *random)
{
	uint64_t keys[SPECS + 1];
	size_t count = load(f, random, keys);
	struct wf_statistics *statistics = make(f, 7);
	bool more = true;

	live(f, random, keys, count);
	while (more) {
		OK(wf_statistics_read(statistics, f->store, &more, &f->err));
		if (below(random, 3) != 0)
			continue;
		wf_statistics_free(&statistics);
		statistics = make(f, 1 + below(random, 9));
		f->now += 20000; /* the lease of the one before ends */
	}
	wf_statistics_free(&statistics);
	check_counts(f, keys, count);
}

static void test_restarts(void)
{
	on_each(check_restarts);
}

/* Two servers, whose leases end while they read. */
static void check_race(struct wf_fixture *f, struct wf_random *random)
{
	struct wf_statistics *two[] = { make(f, 5), make(f, 6) };
	uint64_t keys[SPECS + 1];
	size_t count = load(f, random, keys);
	bool complete = false;
	bool more;

	live(f, random, keys, count);
	for (unsigned i = 0; !complete && i < 10000; i++) {
		OK(wf_statistics_read(
		    two[below(random, 2)], f->store, &more, &f->err));
		f->now += 4000;
		OK(wf_statistics_are_complete(f->store, &complete, &f->err));
	}
	check_counts(f, keys, count);
	wf_statistics_free(&two[0]);
	wf_statistics_free(&two[1]);
}

static void test_race(void)
{
	on_each(check_race);
}

/* Each statement fails once, before or after it is done. */
static void check_failures(struct wf_fixture *f, struct wf_random *random)
{
	struct wf_statistics *statistics = make(f, 40);
	uint64_t keys[SPECS + 1];
	size_t count = load(f, random, keys);
	bool more = true;
	uint64_t n = 1;

	live(f, random, keys, count);
	while (more) {
		enum wf_rc rc;

		wf_store_fail_after(f->store, n++,
		    below(random, 2) == 0 ? WF_FAULT_BEFORE : WF_FAULT_AFTER);
		rc = wf_statistics_read(statistics, f->store, &more, &f->err);
		wf_store_fail_after(f->store, 0, WF_FAULT_BEFORE);
		more |= rc != WF_OK;
		if (rc == WF_OK)
			n = 1;
		wf_error_clear(&f->err);
	}
	check_counts(f, keys, count);
	wf_statistics_free(&statistics);
}

static void test_failures(void)
{
	on_each(check_failures);
}

/* --- further -------------------------------------------------------------- */

static uint64_t sum_of(
    struct wf_fixture *f, uint64_t key, enum wf_measure measure)
{
	struct wf_statistic_filter filter = { .specification = key,
		.namespace_id = WF_NAMESPACE_DEFAULT,
		.to = WF_STATISTIC_NO_HOUR,
		.measure = measure,
		.limit = 1000 };
	struct wf_statistic_list list;
	uint64_t sum = 0;

	OK(wf_store_statistics(f->store, &filter, f->arena, &list, &f->err));
	for (size_t i = 0; i < list.count; i++)
		sum += list.rows[i].count;
	return sum;
}

/*
 * After the clock was set back by an hour, times are those since the launch
 * before, however many launches are read at once.  The two launches after that
 * are of the last hour but one.
 */
static void check_set_back(struct wf_fixture *f, struct wf_random *random)
{
	(void)random;
	for (size_t page = 1; page < 4; page++) {
		struct wf_statistics *statistics = make(f, page);
		struct statistic_lines found = { .count = 0 };

		f->now += DAY_MS;
		(void)wf_fixture_launch(f);
		read_all(f, statistics);
		f->now -= WF_HOUR_MS;
		(void)wf_fixture_launch(f);
		f->now += 600000;
		(void)wf_fixture_launch(f);
		read_all(f, statistics);
		read_measure(f, &found, f->key, WF_MEASURE_CASE_STARTED);
		CU_ASSERT_EQUAL(found.rows[found.count - 2].count, 2);
		CU_ASSERT_EQUAL(found.rows[found.count - 2].sum, 600000);
		wf_statistics_free(&statistics);
	}
}

static void test_set_back(void)
{
	on_each(check_set_back);
}

/* What was retired before it was read is not counted; what follows is. */
static void check_retired(struct wf_fixture *f, struct wf_random *random)
{
	struct wf_statistics *statistics = make(f, 2);
	uint64_t first = wf_fixture_launch(f);
	uint64_t second = wf_fixture_launch(f);
	uint64_t key = f->key;
	size_t count;
	bool more;

	(void)random;
	OK(wf_statistics_read(statistics, f->store, &more, &f->err));
	OK(wf_fixture_do(f, first, WF_COMMAND_CANCEL_CASE, NULL, NULL, NULL));
	f->now += 1000;
	OK(wf_store_retire(f->store, f->now, 9, &count, &f->err));
	CU_ASSERT_EQUAL(count, 1);
	OK(wf_fixture_do(f, second, WF_COMMAND_CANCEL_CASE, NULL, NULL, NULL));
	read_all(f, statistics);
	CU_ASSERT_EQUAL(sum_of(f, key, WF_MEASURE_CASE_STARTED), 2);
	CU_ASSERT_EQUAL(sum_of(f, key, WF_MEASURE_CASE_CANCELLED), 1);
	wf_statistics_free(&statistics);
}

/* Nothing is left to be counted: that is complete, too. */
static void check_all_retired(struct wf_fixture *f, struct wf_random *random)
{
	struct wf_statistics *statistics = make(f, 0);
	bool complete = false;
	size_t count;

	(void)random;
	OK(wf_fixture_do(
	    f, wf_fixture_launch(f), WF_COMMAND_CANCEL_CASE, NULL, NULL, NULL));
	f->now += 1000;
	OK(wf_store_retire(f->store, f->now, 9, &count, &f->err));
	CU_ASSERT_EQUAL(count, 1);
	OK(wf_statistics_are_complete(f->store, &complete, &f->err));
	CU_ASSERT_FALSE(complete);
	read_all(f, statistics);
	OK(wf_statistics_are_complete(f->store, &complete, &f->err));
	CU_ASSERT_TRUE(complete);
	CU_ASSERT_EQUAL(sum_of(f, f->key, WF_MEASURE_CASE_STARTED), 0);
	wf_statistics_free(&statistics);
}

static void test_retired(void)
{
	on_each(check_retired);
	on_each(check_all_retired);
}

/* Hours that are too old are dropped, and not counted any more. */
static void check_kept(struct wf_fixture *f, struct wf_random *random)
{
	struct wf_statistics *statistics = make(f, 0);
	uint64_t key = f->key;

	(void)random;
	(void)wf_fixture_launch(f);
	read_all(f, statistics);
	(void)wf_fixture_launch(f);
	f->now += 2 * DAY_MS;
	wf_statistics_keep(statistics, DAY_MS);
	(void)wf_fixture_launch(f);
	read_all(f, statistics);
	CU_ASSERT_EQUAL(sum_of(f, key, WF_MEASURE_CASE_STARTED), 2);
	OK(wf_store_sweep_statistics(
	    f->store, wf_hour_of(f->now - DAY_MS), 1, &f->err));
	OK(wf_store_sweep_statistics(
	    f->store, wf_hour_of(f->now - DAY_MS), 1000, &f->err));
	CU_ASSERT_EQUAL(sum_of(f, key, WF_MEASURE_CASE_STARTED), 1);
	CU_ASSERT_EQUAL(sum_of(f, key, WF_MEASURE_TASK_ENABLED), 1);
	wf_statistics_free(&statistics);
}

static void test_kept(void)
{
	on_each(check_kept);
}

/* Room for 20 cases: a case that is worked on again and again stays known. */
static void test_known(void)
{
	struct wf_fixture f;
	const struct wf_history_filter filter = { .limit = 1000 };
	struct wf_history_list list;
	struct wf_tally *tally = wf_tally_new();
	struct wf_known_times *known = wf_known_times_new(5400);
	struct wf_folding folding = { .known = known, .tally = tally };
	uint64_t number;

	wf_fixture_init_on(&f, "memory");
	wf_fixture_open(&f);
	folding.engine = f.engine;
	folding.store = f.store;
	number = wf_fixture_launch(&f);
	for (unsigned i = 0; i < 100; i++) {
		OK(wf_fixture_do(&f, number,
		    i % 2 == 0 ? WF_COMMAND_START : WF_COMMAND_ROLLBACK,
		    i == 0 ? "1:A" : "1.1:A", NULL, NULL));
		(void)wf_fixture_launch(&f);
	}
	OK(wf_store_history(f.store, &filter, f.arena, &list, &f.err));
	for (size_t i = 0; i < list.count; i++) {
		uint64_t statements = wf_store_statements(f.store);

		OK(wf_fold_step(&folding, &list.rows[i], &f.err));
		CU_ASSERT_EQUAL(wf_store_statements(f.store), statements);
	}
	/* The first of the others is not known any more. */
	CU_ASSERT_EQUAL(wf_known_times_of(known, number + 1)->sequence, 0);
	CU_ASSERT_EQUAL(wf_known_times_of(known, number + 100)->sequence, 1);
	wf_known_times_free(&known);
	wf_tally_free(&tally);
	wf_fixture_free(&f);
}

/* The store itself: a fold moves on from where it was read, or not at all. */
static void check_fold(struct store_fixture *f)
{
	struct wf_fold_row fold;
	struct wf_statistic_row rows[2] = { { .specification = UINT64_MAX,
						.hour = -3,
						.measure = 5,
						.net = "N",
						.element = "A",
						.detail = "",
						.count = 7,
						.times = store_bytes },
		{ .specification = 1,
		    .hour = 4,
		    .net = "",
		    .element = "",
		    .detail = "PA-1",
		    .count = 1 } };
	struct wf_statistic_list list;

	OK(wf_store_fold(f->store, "x", f->arena, &fold, &f->err));
	CU_ASSERT_EQUAL(fold.change, 0);
	fold.change++;
	fold.position = 3;
	fold.owner = "a";
	OK(wf_store_move_fold(f->store, &fold, rows, 1, &f->err));
	/* The other handle has read it before. */
	fold.position = 99;
	fold.owner = "b";
	REFUSED(f, WF_CONFLICT,
	    wf_store_move_fold(f->other, &fold, rows, 2, &f->err));
	OK(wf_store_keyed_statistics(
	    f->other, rows, 2, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].count, 7);
	CU_ASSERT_EQUAL(list.rows[0].hour, -3);
	CU_ASSERT_EQUAL(list.rows[0].times.size, store_bytes.size);
	OK(wf_store_fold(f->other, "x", f->arena, &fold, &f->err));
	CU_ASSERT_EQUAL(fold.position, 3);
	CU_ASSERT_STRING_EQUAL(fold.owner, "a");
	fold.change++;
	rows[0].count = 8;
	OK(wf_store_move_fold(f->other, &fold, rows, 2, &f->err));
	OK(wf_store_keyed_statistics(
	    f->store, rows, 2, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 2);
	CU_ASSERT_EQUAL(list.rows[0].count + list.rows[1].count, 9);
	fold.change++;
	OK(wf_store_move_fold(f->other, &fold, NULL, 0, &f->err));
}

static void test_fold(void)
{
	store_on_each(check_fold);
}

/* --- participants, summaries, metrics ------------------------------------- */

static const struct wf_summary_group *group_named(
    const struct wf_summary *summary, const char *detail)
{
	for (size_t i = 0; i < summary->count; i++)
		if (strcmp(summary->groups[i]->detail, detail) == 0)
			return summary->groups[i];
	CU_FAIL_FATAL("no such group");
	return NULL;
}

static void note_row(void *context, const struct wf_process_count *count)
{
	struct wf_buffer *text = context;

	wf_buffer_printf(text, "%s/%s/%s %llu %llu %llu %llu;", count->process,
	    count->version, count->task,
	    (unsigned long long)(count->task[0] == '\0'
				     ? count->counts[WF_MEASURE_CASE_STARTED]
				     : count->counts[WF_MEASURE_ITEM_STARTED]),
	    (unsigned long long)count->took.sum_ms,
	    (unsigned long long)count->waiting,
	    (unsigned long long)count->running);
}

static void check_people(struct office *office)
{
	struct office_node *node = &office->nodes[0];
	struct wf_fixture *f = &office->f;
	struct wf_statistics *statistics;
	struct wf_summary_query query = { .by = WF_BY_PARTICIPANT,
		.namespace_id = WF_NAMESPACE_DEFAULT };
	struct wf_summary summary;
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer text;
	uint64_t number;
	bool more;

	office_load(office, "Work",
	    "<allocate initiator='user'/><start initiator='user'/>");
	query.specifications = wf_one_specification(&f->key);
	f->engine = node->engine;
	statistics = make(f, 0);
	number = office_launch(office, node);
	OK(office_act(
	    node, number, WF_COMMAND_START, "", "PA-anna", NULL, &err));
	f->now += 60000;
	OK(office_act(
	    node, number, WF_COMMAND_COMPLETE, ".1", "PA-anna", NULL, &err));
	number = office_launch(office, node);
	OK(office_act(
	    node, number, WF_COMMAND_FINISH, "", "PA-ben", NULL, &err));
	(void)office_launch(office, node);
	OK(wf_statistics_read(statistics, f->store, &more, &f->err));
	query.from = wf_hour_of(f->now) - 1;
	query.to = query.from + 2;
	OK(wf_summary_read(&query, f->store, f->arena, &summary, &f->err));
	CU_ASSERT_EQUAL(summary.count, 2);
	CU_ASSERT_EQUAL(group_named(&summary, "PA-anna")
			    ->measures[WF_MEASURE_WORK_DONE]
			    ->times.sum,
	    60000);
	CU_ASSERT_EQUAL(group_named(&summary, "PA-ben")
			    ->measures[WF_MEASURE_WORK_DONE]
			    ->times.sum,
	    0);
	query.task = "B";
	OK(wf_summary_read(&query, f->store, f->arena, &summary, &f->err));
	CU_ASSERT_EQUAL(summary.count, 0);
	OK(wf_process_counts_items(
	    wf_statistics_counts(statistics), f->store, 100, &f->err));
	wf_buffer_init(&text, 10000);
	wf_process_counts_each(
	    wf_statistics_counts(statistics), note_row, &text);
	CU_ASSERT(strstr(wf_buffer_text(&text), "/A 2 60000 1 0;") != NULL);
	wf_buffer_free(&text);
	wf_statistics_free(&statistics);
}

static void test_people(void)
{
	office_on_all(false, check_people);
}

/* Writes that many rows of one hour each, with that many buckets. */
static void put_rows(
    struct wf_fixture *f, size_t count, uint32_t buckets, bool tasks)
{
	struct wf_statistic_row *rows =
	    wf_arena_array(f->arena, count, sizeof(*rows));
	struct wf_histogram times = { .count = 0 };
	struct wf_fold_row fold;
	struct wf_buffer text;

	for (uint32_t i = 0; i < buckets; i++)
		wf_histogram_add(&times, f->arena, wf_histogram_from(i));
	wf_buffer_init(&text, WF_HISTOGRAM_BYTES);
	wf_histogram_encode(&times, &text);
	for (size_t i = 0; i < count; i++)
		rows[i] = (struct wf_statistic_row){
			.namespace_id = WF_NAMESPACE_DEFAULT,
			.specification = f->key,
			.hour = 1 + (int64_t)i,
			.measure = WF_MEASURE_ITEM_STARTED,
			.net = "N",
			.element =
			    tasks ? wf_arena_printf(f->arena, "%zu", i) : "A",
			.detail = "",
			.count = buckets,
			.times = { text.data, text.length },
		};
	OK(wf_store_fold(f->store, "statistics", f->arena, &fold, &f->err));
	fold.change++;
	OK(wf_store_move_fold(f->store, &fold, rows, count, &f->err));
	wf_buffer_free(&text);
}

/* A summary takes memory for what it has, not for what it is made from. */
static void test_bounds(void)
{
	const size_t rows = 5000;
	struct wf_fixture f;
	struct wf_summary_query query = { .by = WF_BY_TASK,
		.namespace_id = WF_NAMESPACE_DEFAULT,
		.to = WF_STATISTIC_NO_HOUR };
	struct wf_summary summary;
	struct wf_arena *arena = wf_arena_new();

	wf_fixture_init_on(&f, "memory");
	wf_fixture_open(&f);
	query.specifications = wf_one_specification(&f.key);
	put_rows(&f, rows, 60, false);
	OK(wf_summary_read(&query, f.store, arena, &summary, &f.err));
	CU_ASSERT_EQUAL_FATAL(summary.count, 1);
	CU_ASSERT_EQUAL(
	    summary.groups[0]->measures[WF_MEASURE_ITEM_STARTED]->times.count,
	    60 * rows);
	CU_ASSERT(wf_arena_size(arena) < 100000);
	put_rows(&f, WF_SUMMARY_BUCKETS / WF_HISTOGRAM_BUCKETS + 1,
	    WF_HISTOGRAM_BUCKETS, true);
	REFUSED(&f, WF_LIMIT,
	    wf_summary_read(&query, f.store, arena, &summary, &f.err));
	wf_arena_free(&arena);
	wf_fixture_free(&f);
}

/* More processes and tasks than a collector of metrics is to have. */
static void check_labels(struct wf_fixture *f, struct wf_random *random)
{
	struct wf_statistics *statistics = make(f, 0);
	struct wf_buffer text;
	uint64_t number;

	(void)random;
	number = wf_fixture_launch(f);
	OK(wf_fixture_do(f, number, WF_COMMAND_FINISH, "1:A", NULL, NULL));
	OK(wf_fixture_do(f, number, WF_COMMAND_FINISH, "1:B", NULL, NULL));
	OK(wf_fixture_do(f, number, WF_COMMAND_START, "1:C", NULL, NULL));
	read_all(f, statistics);
	OK(wf_process_counts_items(
	    wf_statistics_counts(statistics), f->store, 100, &f->err));
	wf_buffer_init(&text, 10000);
	wf_process_counts_each(
	    wf_statistics_counts(statistics), note_row, &text);
	CU_ASSERT_STRING_EQUAL(wf_buffer_text(&text),
	    "UID_P/0.1/ 1 0 0 0;UID_P/0.1/A 1 0 0 0;UID_P/0.1/B 1 0 0 0;"
	    "_other/_other/_other 1 0 0 1;");
	wf_buffer_free(&text);
	wf_statistics_free(&statistics);
}

static void add_row(void *context, const struct wf_process_count *count)
{
	(void)count;
	(*(size_t *)context)++;
}

/* A process that is called like the others has no series of its own. */
static void check_names(struct wf_fixture *f, struct wf_random *random)
{
	static const char *const names[] = { "_other", "a", "b", "c" };
	struct wf_process_counts *counts = wf_process_counts_new(2);
	struct wf_tally *tally = wf_tally_new();
	struct wf_statistic_row key = {
		.net = "", .element = "", .detail = ""
	};
	size_t rows = 0;

	(void)f;
	(void)random;
	for (size_t i = 0; i < 4; i++) {
		struct wf_spec spec = { .uri = names[i] };

		spec.metadata.version = i == 0 ? "_other" : "1";
		key.specification = i;
		wf_tally_add(tally, &spec, &key, -1);
	}
	wf_process_counts_add(counts, tally, 0);
	wf_process_counts_each(counts, add_row, &rows);
	CU_ASSERT_EQUAL(rows, 2);
	wf_tally_free(&tally);
	wf_process_counts_free(&counts);
}

static void test_labels(void)
{
	on_each(check_labels);
	on_each(check_names);
}

CU_TestInfo wf_tests_statistics[] = {
	{ "random cases", test_once },
	{ "restarts between pages", test_restarts },
	{ "two servers", test_race },
	{ "statements that fail", test_failures },
	{ "a clock that is set back", test_set_back },
	{ "history that is gone", test_retired },
	{ "hours that are dropped", test_kept },
	{ "cases that are known", test_known },
	{ "folds in stores", test_fold },
	{ "participants", test_people },
	{ "bounded summaries", test_bounds },
	{ "bounded labels", test_labels },
	CU_TEST_INFO_NULL,
};
