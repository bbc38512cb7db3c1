/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is read costs its rows: pages of lists, of the stream and of statistics
 * visit as many rows when many others are stored as when few are.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/store_cost.h"
#include "worklist/list.h"

/* --- the stream of history ------------------------------------------------ */

/* n steps; on PostgreSQL, those of a transaction have one position. */
static const char *const fill_steps[] = {
	"INSERT INTO history (position, number, sequence, at, actor, origin,"
	" format, command, events) SELECT 1000 + i, 2000 + i, 1, 1, '', '', 1,"
	" '', NULL FROM c",
	"INSERT INTO history (part, month, namespace_id, number, sequence,"
	" position, specification, at, format, actor, origin, command, events)"
	" SELECT 0, 0, 1, 2000 + i, 1, i / 10, 7, 1, 1, '', '', '', '' FROM c",
};

static void put_steps(const struct store_fixture *f,
    const struct store_database *database, unsigned n)
{
	store_fill(f, database, n, "%s", fill_steps[database->part[0] != '\0']);
	store_analyze(f, database);
}

/* Two pages from the beginning, and the end. */
static void read_stream(struct store_fixture *f)
{
	struct wf_history_filter filter = { .limit = 7 };
	struct wf_history_list list;
	struct wf_cursor end;

	for (size_t i = 0; i < 2; i++) {
		OK(wf_store_history(
		    f->store, &filter, f->arena, &list, &f->err));
		CU_ASSERT_EQUAL(list.count, 7);
		CU_ASSERT_TRUE(wf_cursor_is_before(&filter.after, &list.next));
		filter.after = list.next;
	}
	CU_ASSERT_TRUE(list.rows[6].number >= 2013);
	OK(wf_store_history_end(f->store, &end, &f->err));
	CU_ASSERT_TRUE(wf_cursor_is_before(&list.next, &end));
}

static void pages_of_the_stream_cost_their_rows(void)
{
	store_compare_costs(put_steps, read_stream);
}

/* --- open incidents ------------------------------------------------------- */

static void put_incidents(const struct store_fixture *f,
    const struct store_database *database, unsigned n)
{
	store_fill(f, database, n,
	    "INSERT INTO incident (id, namespace_id, number, item, code, text,"
	    " attempts, first_at, last_at, kind, dropped_at, dropped_by,"
	    " reason) SELECT i, 1, 2000 + i, '', 'c', '', 1, 1, 1, 0, 0, '', ''"
	    " FROM c");
	store_analyze(f, database);
}

static void ask_for_incidents(struct store_fixture *f)
{
	const uint64_t numbers[] = { 1, 2, 2001, 3 };
	struct wf_open_incident open[4];

	OK(wf_store_open_incidents(
	    f->store, numbers, 4, NULL, f->arena, open, &f->err));
	CU_ASSERT_TRUE(open[0].id == 0 && open[1].id == 0 && open[3].id == 0);
	CU_ASSERT_EQUAL(open[2].id, 1);
	OK(wf_store_open_incidents(
	    f->store, numbers, 4, "other", f->arena, open, &f->err));
	CU_ASSERT_EQUAL(open[2].id, 0);
}

static void incidents_of_others_cost_nothing(void)
{
	store_compare_costs(put_incidents, ask_for_incidents);
}

/* --- statistics ----------------------------------------------------------- */

/* n rows of another measure, in the hours of five that are asked for. */
static void put_statistics(const struct store_fixture *f,
    const struct store_database *database, unsigned n)
{
	store_fill(f, database, n,
	    "INSERT INTO statistic (namespace_id, specification, hour,"
	    " measure, net, element, detail, count) SELECT 1, 7, i %% 100,"
	    " 9, 'N', 'T' || i, '', 1 FROM c");
	store_fill(f, database, n,
	    "INSERT INTO statistic (namespace_id, specification, hour,"
	    " measure, net, element, detail, count) SELECT 1, 7, i, 1, '',"
	    " '', '', 1 FROM c WHERE i <= 5");
	store_analyze(f, database);
}

static void read_measure(struct store_fixture *f)
{
	struct wf_statistic_filter filter = { .namespace_id = 1,
		.specification = 7,
		.to = 100,
		.measure = 1,
		.limit = 4 };
	struct wf_statistic_list list;

	OK(wf_store_statistics(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 4);
	filter.after = &list.rows[3];
	OK(wf_store_statistics(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 1);
}

static void measures_cost_their_rows(void)
{
	store_compare_costs(put_statistics, read_measure);
}

/* --- lists of a process --------------------------------------------------- */

/*
 * Ten cases, with an item each, of the specifications 11 and 12 each, live and
 * ended, far from each other among n of another one.
 */
static const char *const fill_cases[] = {
	"INSERT INTO cases (%snumber, namespace_id, name, specification, title,"
	" owner, launched_at, version, snapshot_version, messages, status,"
	" changed_at, set_aside%s) SELECT %s1000 + i, 1, 'c', CASE"
	" WHEN i %% (%u / 10) = 1 THEN 11 WHEN i %% (%u / 10) = 2 THEN 12"
	" ELSE 7 END, '', '', 1, 1, 1, 0, 0, 1, %s%s FROM c",
	"INSERT INTO ended (%snumber, namespace_id, name, specification, title,"
	" owner, launched_at, version, snapshot_version, messages, status,"
	" changed_at, set_aside) /* %s */ SELECT %s900000 + i, 1, 'c', CASE"
	" WHEN i %% (%u / 10) = 1 THEN 11 WHEN i %% (%u / 10) = 2 THEN 12"
	" ELSE 7 END, '', '', 1, 1, 1, 0, 2, 1, %s /* %s */ FROM c",
	"INSERT INTO item (%snumber, id, namespace_id, specification, task,"
	" service, status, choice, enabled_at, fired_at, started_at)"
	" /* %s */ SELECT %s1000 + i, 'a', 1, CASE"
	" WHEN i %% (%u / 10) = 1 THEN 11 WHEN i %% (%u / 10) = 2 THEN 12"
	" ELSE 7 END, 't', 's', 1, 0, 1, 0, 0 FROM c /* %s %s */",
};

static void put_cases(const struct store_fixture *f,
    const struct store_database *database, unsigned n)
{
	bool has_part = database->part[0] != '\0';

	/* Parts as wf_part() gives them do not matter to lists. */
	for (size_t i = 0; i < sizeof fill_cases / sizeof fill_cases[0]; i++)
		store_fill(f, database, n, fill_cases[i], database->part,
		    has_part ? ", position" : "", database->part_value, n, n,
		    has_part ? "false" : "0", has_part ? ", 0" : "");
	store_analyze(f, database);
}

/* Reads all cases and items of the two in pages of three. */
static void list_process(struct store_fixture *f)
{
	static const uint64_t keys[] = { 12, 11 };
	struct wf_case_filter cases = {
		.namespace_id = 1, .specifications = { keys, 2 }, .limit = 3
	};
	struct wf_item_filter items = {
		.namespace_id = 1, .specifications = { keys, 2 }, .limit = 3
	};
	struct wf_case_list case_list = { .count = 3 };
	struct wf_item_list item_list = { .count = 3 };
	size_t case_count = 0;
	size_t item_count = 0;

	while (case_list.count == 3) {
		OK(wf_store_cases(
		    f->store, &cases, f->arena, &case_list, &f->err));
		for (size_t i = 0; i < case_list.count; i++) {
			CU_ASSERT_TRUE(
			    case_list.rows[i].row.number > cases.after);
			cases.after = case_list.rows[i].row.number;
		}
		case_count += case_list.count;
	}
	CU_ASSERT_EQUAL(case_count, 40);
	while (item_list.count == 3) {
		OK(wf_store_items(
		    f->store, &items, f->arena, &item_list, &f->err));
		for (size_t i = 0; i < item_list.count; i++) {
			CU_ASSERT_TRUE(
			    item_list.rows[i].number > items.after_number);
			items.after_number = item_list.rows[i].number;
			items.after_id = item_list.rows[i].id;
		}
		item_count += item_list.count;
	}
	CU_ASSERT_EQUAL(item_count, 20);
}

static void lists_of_a_process_cost_their_rows(void)
{
	store_compare_costs(put_cases, list_process);
}

/* --- lists of a person ---------------------------------------------------- */

#define AUDIENCES 1000U
/* Each audience has more items than two pages have rows. */
#define FEW_OFFERED (12 * AUDIENCES)
#define MANY_OFFERED (40 * AUDIENCES)
#define LISTED 5U

/* As many items are offered, unoffered, and not for people. */
static void put_offers(const struct store_fixture *f,
    const struct store_database *database, unsigned n)
{
	static const char *const of[] = { "'A:' || (i % 1000)", "'U'", "''" };

	for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
		store_fill(f, database, n,
		    "INSERT INTO item (%snumber, id, namespace_id,"
		    " specification, task, service, status, choice,"
		    " enabled_at, fired_at, started_at, rank, due_at, queue)"
		    " SELECT %s2000 + i, 'i%zu', 1, 1, 't', '', 1, 0, i %% 90,"
		    " 0, 0, 40 + i %% 20, i %% 7, %s FROM c",
		    database->part, database->part_value, i, of[i]);
}

static void put_counted_offers(const struct store_fixture *f,
    const struct store_database *database, unsigned n)
{
	put_offers(f, database, n);
	store_analyze(f, database);
}

/* The first two pages of whoever is in so many audiences, in one order. */
static void list_audiences(struct store_fixture *f, size_t count,
    enum wf_queue_order order, bool descending)
{
	const char **queues = wf_arena_array(f->arena, count, sizeof(*queues));
	struct wf_queue_filter filter = { .queues = queues,
		.queue_count = count,
		.order = order,
		.descending = descending,
		.limit = LISTED };
	struct wf_item_list list;
	struct wf_queue_key key;

	for (size_t i = 0; i < count; i++)
		queues[i] = wf_arena_printf(f->arena, "A:%zu", i);
	for (int page = 0; page < 2; page++) {
		OK(wf_store_queued_items(
		    f->store, &filter, f->arena, &list, &f->err));
		CU_ASSERT_EQUAL_FATAL(list.count, LISTED);
		key = wf_queue_key_of(order, &list.rows[list.count - 1]);
		filter.after = &key;
	}
}

static void list_of_a_person(struct store_fixture *f)
{
	static const size_t counts[] = { 1, 100, AUDIENCES };
	static const char *const unoffered[] = { "U", "A:1", "P:nobody" };
	struct wf_queue_counts found;
	uint64_t items[3];

	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
		for (unsigned way = 0; way < 6; way++)
			list_audiences(f, counts[i],
			    (enum wf_queue_order)(way / 2), way % 2 == 1);
	OK(wf_store_count_queued(
	    f->store, unoffered, 3, "a", 20, f->arena, &found, &f->err));
	CU_ASSERT_EQUAL_FATAL(found.count, 1);
	CU_ASSERT_EQUAL(found.rows[0].items, 20);
	CU_ASSERT_TRUE(found.more);
	OK(wf_store_count_each_queued(
	    f->store, unoffered, 3, UINT32_MAX, 10, items, &f->err));
	CU_ASSERT_EQUAL(items[0] + items[1], 20);
	CU_ASSERT_EQUAL(items[2], 0);
}

static void lists_of_a_person_cost_their_rows(void)
{
	store_compare_costs_with(
	    FEW_OFFERED, MANY_OFFERED, put_offers, list_of_a_person);
	store_compare_costs_with(
	    FEW_OFFERED, MANY_OFFERED, put_counted_offers, list_of_a_person);
}

/* What sessions that have ended did to the items: column of the statistics. */
static uint64_t item_statistic(const struct store_fixture *f, const char *what)
{
	char sql[200];
	PGresult *result;
	uint64_t count;

	snprintf(sql, sizeof sql,
	    "SELECT %s FROM pg_stat_user_tables WHERE relname = 'item'"
	    " AND schemaname = current_schema()",
	    what);
	result = store_ask(f->url, sql);
	count = strtoull(PQgetvalue(result, 0, 0), NULL, 10);
	PQclear(result);
	return count;
}

/*
 * PostgreSQL reads the lists from the indexes, and of the table the rows of the
 * pages only: 36 pages and the counted items, with few to spare.
 */
static void lists_of_a_person_are_read_from_indexes(void)
{
	for (size_t i = 0; i < store_kind_sample(); i++) {
		struct store_fixture f = { 0 };
		uint64_t scans;
		uint64_t rows;

		if (strcmp(store_kinds[i].name, store_databases[1].name) != 0)
			continue;
		store_set_up(&f, &store_kinds[i], true);
		put_counted_offers(&f, &store_databases[1], FEW_OFFERED);
		store_reopen(&f);
		scans = item_statistic(&f, "seq_scan");
		rows = item_statistic(&f, "idx_tup_fetch");
		list_of_a_person(&f);
		store_reopen(&f);
		CU_ASSERT_EQUAL(item_statistic(&f, "seq_scan"), scans);
		rows = item_statistic(&f, "idx_tup_fetch") - rows;
		printf("rows of the table for 36 pages of %u: %llu\n", LISTED,
		    (unsigned long long)rows);
		CU_ASSERT_TRUE(rows >= 36 * LISTED);
		CU_ASSERT_TRUE(rows < 36 * LISTED + 100);
		wf_store_close(&f.other);
		wf_store_close(&f.keeper);
		store_tear_down(&f, &store_kinds[i]);
	}
}

static bool is_any(void *context, const struct wf_item_row *row)
{
	(void)context;
	(void)row;
	return true;
}

/* A page of a list that leaves nothing out. */
static void list_page(struct store_fixture *f)
{
	struct wf_list_query query = { .greatest_rank = UINT32_MAX,
		.order = WF_QUEUE_BY_AGE,
		.limit = 50,
		.fits = is_any };
	struct wf_list_page page;

	query.queues.rows =
	    wf_arena_array(f->arena, AUDIENCES, sizeof(*query.queues.rows));
	while (query.queues.count < AUDIENCES) {
		size_t i = query.queues.count++;

		query.queues.rows[i] = wf_arena_printf(f->arena, "A:%zu", i);
	}
	OK(wf_list_read(f->store, &query, f->arena, &page, &f->err));
	CU_ASSERT_EQUAL(page.count, 50);
	CU_ASSERT_TRUE(page.has_more);
}

/* The heads of all audiences, and what the page has room for. */
static void a_page_reads_no_more_than_it_has_room_for(void)
{
	for (size_t i = 0; i < store_kind_sample(); i++) {
		uint64_t rows;

		if (strcmp(store_kinds[i].name, store_databases[1].name) != 0)
			continue;
		rows = store_cost(&store_kinds[i], &store_databases[1],
		    MANY_OFFERED, put_counted_offers, list_page);
		printf(
		    "rows for a page of 50: %llu\n", (unsigned long long)rows);
		CU_ASSERT_TRUE(rows >= AUDIENCES);
		CU_ASSERT_TRUE(rows < 4ULL * AUDIENCES);
	}
}

/* --- the cases of a person ------------------------------------------------ */

/* Cases that have ended, and that all were started by the same person. */
static const char *const fill_own[] = {
	"INSERT INTO ended (%snumber, namespace_id, name, specification, title,"
	" owner, launched_at, version, snapshot_version, messages, status,"
	" changed_at, set_aside) SELECT %s1000 + i, 1, 'c', 7, '', '', 1, 1, 1,"
	" 0, 2, 1, %s FROM c",
	"INSERT INTO involved (%snumber, participant) SELECT %s1000 + i,"
	" 'anna' /* %s */ FROM c",
};

static void put_own(const struct store_fixture *f,
    const struct store_database *database, unsigned n)
{
	for (size_t i = 0; i < sizeof fill_own / sizeof fill_own[0]; i++)
		store_fill(f, database, n, fill_own[i], database->part,
		    database->part_value,
		    database->part[0] != '\0' ? "false" : "0");
	store_analyze(f, database);
}

/* Four pages from each end, and whether one has worked on one. */
static void list_own(struct store_fixture *f)
{
	bool is;

	for (unsigned i = 0; i < 8; i++) {
		struct wf_involved_filter filter = {
			.participant = "anna", .ascending = i < 4, .limit = 5
		};
		struct wf_case_list list;

		for (unsigned page = 0; page < 4; page++) {
			OK(wf_store_involved_cases(
			    f->store, &filter, f->arena, &list, &f->err));
			CU_ASSERT_EQUAL_FATAL(list.count, 5);
			filter.after = list.rows[4].row.number;
		}
	}
	OK(wf_store_is_involved(f->store, "anna", 1009, &is, &f->err));
	CU_ASSERT_TRUE(is);
	OK(wf_store_is_involved(f->store, "bert", 1009, &is, &f->err));
	CU_ASSERT_FALSE(is);
}

static void cases_of_a_person_cost_their_rows(void)
{
	store_compare_costs_with(STORE_FEW, 100000, put_own, list_own);
}

/* --- finding cases -------------------------------------------------------- */

/* A page examines at most WF_CASES_EXAMINED of both. */
#define FEW_FOUND 15000U
#define MANY_FOUND 100000U

/*
 * Cases of which every third has ended, with the words "invoice" and, of the
 * first 20, "x1" to "x20", an amount that ten of them share, and incidents of
 * the first ten.
 */
static const char *const fill_found[] = {
	"INSERT INTO ended (%snumber, namespace_id, name, specification, title,"
	" owner, launched_at, version, snapshot_version, messages, status,"
	" changed_at, set_aside%s) SELECT %s1000 + i, 1, 'c' || i, 7,"
	" 'Invoice x' || i, '', 1, 1, 1, 0, 2, 1, %s%s FROM c WHERE i %% 3 = 0",
	"INSERT INTO cases (%snumber, namespace_id, name, specification, title,"
	" owner, launched_at, version, snapshot_version, messages, status,"
	" changed_at, set_aside%s) SELECT %s1000 + i, 1, 'c' || i, 7,"
	" 'Invoice x' || i, '', 1, 1, 1, 0, 0, 1, %s%s FROM c WHERE i %% 3 > 0",
	"INSERT INTO term (%snumber, field, namespace_id, text /* %s */)"
	" SELECT %s1000 + i, ':invoice', 1, '' /* %s%s */ FROM c",
	"INSERT INTO term (%snumber, field, namespace_id, text /* %s */)"
	" SELECT %s1000 + i, ':x' || i, 1, '' /* %s%s */ FROM c WHERE i <= 20",
	"INSERT INTO term (%snumber, field, namespace_id, text /* %s */)"
	" SELECT %s1000 + i, 'amount', 1, 'n1' || (50000 +"
	" length(cast(i / 10 + 1 AS text))) ||"
	" rtrim(cast(i / 10 + 1 AS text), '0') /* %s%s */ FROM c",
	"INSERT INTO incident (/* %s*/id, namespace_id, number, item, code,"
	" text, attempts, first_at, last_at, kind, dropped_at, dropped_by,"
	" reason /* %s */) SELECT /* %s*/i, 1, 1000 + i, '', 'late', '', 1, 1,"
	" 1, 0, 0, '', '' /* %s%s */ FROM c WHERE i <= 10",
};

/* wf_part() of 1000 + i. */
static const char part_of_number[] =
    "div(mod((1000 + i)::numeric * 11400714819323198485,"
    " 18446744073709551616), 72057594037927936)::smallint, ";

static void put_found(const struct store_fixture *f,
    const struct store_database *database, unsigned n)
{
	bool has_part = database->part[0] != '\0';

	for (size_t i = 0; i < sizeof fill_found / sizeof fill_found[0]; i++) {
		bool is_live = i == 1 && has_part;

		store_fill(f, database, n, fill_found[i], database->part,
		    is_live ? ", position" : "", has_part ? part_of_number : "",
		    has_part ? "false" : "0", is_live ? ", 0" : "");
	}
	store_analyze(f, database);
}

/* Reads a page in each direction: so many rows, and whether there is another.
 */
static void find_page(struct store_fixture *f, struct wf_case_filter filter,
    const char *word, const char *where, size_t count, bool more)
{
	static const struct wf_where_variable variable = { "amount",
		WF_TERM_NUMBER };
	struct wf_word_set words = { 0 };
	struct wf_case_list list;

	filter.namespace_id = 1;
	filter.limit = 15;
	wf_words_add(&words, word);
	filter.words = words.count > 0 ? &words : NULL;
	if (where != NULL)
		OK(wf_where_parse(
		    &filter.where, where, &variable, 1, f->arena, &f->err));
	for (unsigned i = 0; i < 2; i++) {
		filter.descending = i == 1;
		OK(wf_store_cases(f->store, &filter, f->arena, &list, &f->err));
		CU_ASSERT_EQUAL(list.count, count);
		CU_ASSERT_EQUAL(list.next != 0, more);
	}
}

static void count_found(struct store_fixture *f)
{
	static const uint64_t key = 7;
	const struct wf_specification_keys keys = { &key, 1 };
	const struct wf_case_counting counting = { 1, &keys, 1000 };
	struct wf_case_counts counts;
	bool all;

	OK(wf_store_count_cases(f->store, &counting, &counts, &all, &f->err));
	CU_ASSERT_TRUE(all && counts.in[0] == 1000 && counts.in[1] == 0 &&
		       counts.in[2] == 1000 && counts.incidents == 10);
}

static void find_pages(struct store_fixture *f)
{
	const struct wf_case_filter recent = { .ended_from = 2 };
	const struct wf_case_filter any = { .limit = 0 };
	const struct wf_case_filter late = { .incident = "late" };
	const struct wf_case_filter open = { .incident = "", .ended = true };
	const struct wf_case_filter none = { .statuses = 1U << 9 };
	const struct wf_case_filter titled = { .title = "INVOICE x7" };
	uint64_t before = wf_store_statements(f->store);

	find_page(f, any, "x1", NULL, 11, false);
	find_page(f, any, "x invoice", NULL, 15, true);
	find_page(f, any, "nothing", NULL, 0, false);
	find_page(f, any, "", "amount = 300", 10, false);
	find_page(f, any, "", "amount <= 1", 9, false);
	find_page(
	    f, any, "invoice", "amount = 2 and amount < 1000000", 10, false);
	find_page(f, any, "", "amount = 2 or amount = 700", 15, true);
	find_page(f, any, "", "amount = -1", 0, false);
	find_page(f, late, "", NULL, 10, false);
	find_page(f, open, "", NULL, 3, false);
	find_page(f, late, "x1", "amount > 0", 2, false);
	find_page(f, titled, "", NULL, 1, false);
	/* By number, as the index has too many. */
	find_page(f, any, "invoice", NULL, 15, true);
	find_page(f, any, "", "amount > 0", 15, true);
	find_page(f, none, "", NULL, 0, true);
	find_page(f, recent, "", NULL, 0, false);
	count_found(f);
	CU_ASSERT_TRUE(wf_store_statements(f->store) - before < 60000);
}

static void cases_are_found_by_their_indexes(void)
{
	store_compare_costs_with(FEW_FOUND, MANY_FOUND, put_found, find_pages);
}

/* --- what waits for people ------------------------------------------------ */

/* Twenty items of namespace 1, n of another one; all are late. */
static void put_waiting(const struct store_fixture *f,
    const struct store_database *database, unsigned n)
{
	store_fill(f, database, n,
	    "INSERT INTO item (%snumber, id, namespace_id, specification,"
	    " task, service, status, choice, enabled_at, fired_at, started_at,"
	    " queue, due_at) SELECT %s3000 + i, 'a', CASE WHEN i <= 20 THEN 1"
	    " ELSE 2 END, 7, 't', 's', 1, 0, i, 0, 0, 'U', i FROM c",
	    database->part, database->part_value);
	store_analyze(f, database);
}

static void read_waiting(struct store_fixture *f)
{
	struct wf_waiting_filter filter = { .namespace_id = 1, .limit = 4 };
	struct wf_store_figures figures;
	struct wf_service_counts counts;
	struct wf_item_list list;

	for (size_t i = 0; i < 2; i++) {
		OK(wf_store_waiting_items(
		    f->store, &filter, f->arena, &list, &f->err));
		CU_ASSERT_EQUAL_FATAL(list.count, 4);
		CU_ASSERT_EQUAL(list.rows[0].enabled_at, 1);
		CU_ASSERT_EQUAL(list.rows[3].number, 3004);
		filter.namespace_id = 2;
		filter.due_before = 24;
		OK(wf_store_waiting_items(
		    f->store, &filter, f->arena, &list, &f->err));
		CU_ASSERT_EQUAL(list.count, 3);
		filter = (struct wf_waiting_filter){
			.namespace_id = 1, .due_before = INT64_MAX, .limit = 4
		};
	}
	OK(wf_store_figures(f->store, 1, 1000000, 100, &figures, &f->err));
	CU_ASSERT_EQUAL(figures.waiting, 20);
	CU_ASSERT_EQUAL(figures.late, 20);
	OK(wf_store_figures(f->store, 2, 1000000, 10, &figures, &f->err));
	CU_ASSERT_EQUAL(figures.waiting, 10);
	OK(wf_store_count_service(f->store, 2, "s", 10, &counts, &f->err));
	CU_ASSERT_EQUAL(counts.free, 10);
}

static void what_waits_for_people_costs_its_rows(void)
{
	store_compare_costs(put_waiting, read_waiting);
}

CU_TestInfo wf_tests_pages[] = {
	{ "pages of the stream cost their rows",
	    pages_of_the_stream_cost_their_rows },
	{ "incidents of others cost nothing",
	    incidents_of_others_cost_nothing },
	{ "measures cost their rows", measures_cost_their_rows },
	{ "what waits for people costs its rows",
	    what_waits_for_people_costs_its_rows },
	{ "lists of a process cost their rows",
	    lists_of_a_process_cost_their_rows },
	{ "lists of a person cost their rows",
	    lists_of_a_person_cost_their_rows },
	{ "lists of a person are read from indexes",
	    lists_of_a_person_are_read_from_indexes },
	{ "a page reads no more than it has room for",
	    a_page_reads_no_more_than_it_has_room_for },
	{ "the cases of a person cost their rows",
	    cases_of_a_person_cost_their_rows },
	{ "cases are found by their indexes",
	    cases_are_found_by_their_indexes },
	CU_TEST_INFO_NULL,
};
