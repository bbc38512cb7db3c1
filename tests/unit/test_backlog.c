/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cannot be taken yet costs nothing: the calls by which queues are served
 * visit as many rows when many rows wait as when few do.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/unit/store_cost.h"

/*
 * i counts.  Messages: one stream to "slow", whose head is under way; heads of
 * many streams, waiting for "dead" and put off for "later".  Items: leased, put
 * off, and free for another service, namespace or task.
 */
static const char *const fill[] = {
	"INSERT INTO message (%snumber, message, namespace_id, destination,"
	" subject, kind, at, attempts, visible_at, head)"
	" SELECT %s1, i, 1, 'slow', 'x', 0, 1, 0,"
	" CASE i WHEN 1 THEN 9000 ELSE 1 END, %s FROM c",
	"INSERT INTO message (%snumber, message, namespace_id, destination,"
	" subject, kind, at, attempts, visible_at, head)"
	" SELECT %s2000 + i, 1, 1, 'dead', 'x', 0, 1, 0, 1, %s FROM c",
	"INSERT INTO message (%snumber, message, namespace_id, destination,"
	" subject, kind, at, attempts, visible_at, head)"
	" SELECT %s2000 + i, 2, 1, 'later', 'x', 0, 1, 0, 9000, %s FROM c",
	"INSERT INTO item (%snumber, id, namespace_id, specification, task,"
	" service, status, choice, enabled_at, fired_at, started_at, "
	"lease_until,"
	" not_before) SELECT %s2000 + i, 'a', 1, 1, 't',"
	" CASE i %% 3 WHEN 0 THEN 'r' ELSE 's' END, 1, 0, 1, 0, 0,"
	" CASE i %% 3 WHEN 1 THEN 9000 ELSE 0 END,"
	" CASE i %% 3 WHEN 2 THEN 9000 ELSE 0 END FROM c /* %s */",
	/* Free, of other namespaces and of another task. */
	"INSERT INTO item (%snumber, id, namespace_id, specification, task,"
	" service, status, choice, enabled_at, fired_at, started_at)"
	" SELECT %s2000 + i, 'b', 1 + i %% 2, 1,"
	" CASE i %% 2 WHEN 0 THEN 't' ELSE 'u' END, 'x', 1, 0, 1, 0, 0"
	" FROM c /* %s */",
	/* Dropped ones of namespace 1, open ones of namespace 2. */
	"INSERT INTO incident (/* %s*/id, namespace_id, number, item, code, "
	"text,"
	" attempts, first_at, last_at, kind, dropped_at, dropped_by, reason)"
	" SELECT /* %s*/100 + i, 1 + i %% 2, CASE i %% 4 WHEN 0 THEN 1 ELSE 0 "
	"END,"
	" '', 'c', '', 1, 1, 1, 0, 1 - i %% 2, '', '' FROM c /* %s */",
	"INSERT INTO record (/* %s*/namespace_id, kind, name, change)"
	" SELECT /* %s*/1, 'other', 'k' || i, 1 FROM c /* %s */",
	/* Half of them are old. */
	"INSERT INTO answer (/* %s*/request, number, sequence, at, code, id)"
	" SELECT /* %s*/1, 1, 1, 1 + 9000 * (i %% 2), 0, 'k' || i FROM c"
	" /* %s */",
	"INSERT INTO due (%snumber, name, namespace_id, at, kind, attempts,"
	" visible_at) SELECT %s2000 + i, 'd', 1, 9000, 0, 0, 9000 FROM c"
	" /* %s */",
};

static void put_rows(const struct store_fixture *f,
    const struct store_database *database, unsigned n)
{
	for (size_t i = 0; i < sizeof fill / sizeof fill[0]; i++)
		store_fill(f, database, n, fill[i], database->part,
		    database->part_value,
		    i == 0 ? database->head : database->is);
	store_analyze(f, database);
}

static void claim_nothing(struct store_fixture *f, uint32_t namespace_id,
    const char *service, const char *task)
{
	struct wf_item_filter filter = { .namespace_id = namespace_id,
		.service = service,
		.task = task,
		.limit = 5 };
	struct wf_item_list items;

	OK(wf_store_claim_items(
	    f->store, &filter, "w", 100, 200, f->arena, &items, &f->err));
	CU_ASSERT_EQUAL(items.count, 0);
}

static void list_no_incidents(struct store_fixture *f, enum wf_incidents which,
    uint32_t namespace_id, uint64_t number)
{
	struct wf_incident_filter filter = { .which = which,
		.namespace_id = namespace_id,
		.number = number,
		.limit = 5 };
	struct wf_incident_list list;

	OK(wf_store_incidents(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.count, 0);
}

/* What is not a queue: lists, records, and what metrics ask for. */
static void read_lists(struct store_fixture *f)
{
	struct wf_store_backlog backlog;
	struct wf_record_list records;

	list_no_incidents(f, WF_INCIDENTS_OPEN, 1, 0);
	list_no_incidents(f, WF_INCIDENTS_DROPPED, 2, 0);
	list_no_incidents(f, WF_INCIDENTS_OPEN, 1, 1);
	list_no_incidents(f, WF_INCIDENTS_ALL, 0, 7);
	OK(wf_store_records(
	    f->store, "setting", 0, f->arena, &records, &f->err));
	CU_ASSERT_EQUAL(records.count, 0);
	OK(wf_store_backlog(f->store, 20, &backlog, &f->err));
	CU_ASSERT_EQUAL(backlog.messages, 20);
	CU_ASSERT_EQUAL(backlog.incidents, 20);
	CU_ASSERT_EQUAL(backlog.due, 20);
	CU_ASSERT_EQUAL(backlog.live, 1);
	CU_ASSERT_EQUAL(backlog.oldest_message, 1);
}

/* Serves every queue once; only messages to "alive" and "dead" can be taken. */
static void serve(struct store_fixture *f)
{
	struct wf_message_row more[2] = { store_message_row(
					      1000000, "slow", "x"),
		store_message_row(1000001, "alive", "y") };
	struct wf_message_queue_list queues;
	struct wf_message_list messages;
	struct wf_item_list items;
	struct wf_due_list due;
	size_t forgotten;
	int64_t next;

	more[0].namespace_id = 1;
	more[1].namespace_id = 1;
	store_write_queues(f, NULL, 0, more, 2);
	OK(wf_store_message_queues(
	    f->store, NULL, 9, f->arena, &queues, &f->err));
	CU_ASSERT_EQUAL(queues.count, 4);
	for (size_t i = 0; i < queues.count; i++) {
		queues.rows[i].at = 100;
		queues.rows[i].most = 1;
	}
	OK(wf_store_claim_messages(f->store, queues.rows, queues.count, 8000,
	    f->arena, &messages, &f->err));
	/* Of "alive" and of "dead". */
	CU_ASSERT_EQUAL(messages.count, 2);
	for (size_t i = 0; i < messages.count; i++) {
		struct wf_message_key key = { messages.rows[i].number,
			messages.rows[i].message };

		OK(wf_store_acknowledge(f->store, &key, 1, &f->err));
	}
	claim_nothing(f, 1, "own", NULL);
	claim_nothing(f, 1, "s", NULL);
	claim_nothing(f, 1, "x", "u");
	claim_nothing(f, 3, "x", NULL);
	OK(wf_store_expired_items(f->store, 100, 5, f->arena, &items, &f->err));
	CU_ASSERT_EQUAL(items.count, 0);
	OK(wf_store_claim_due(f->store, 100, 200, 5, f->arena, &due, &f->err));
	CU_ASSERT_EQUAL(due.count, 0);
	OK(wf_store_next_due(f->store, &next, &f->err));
	CU_ASSERT_EQUAL(next, 9000);
	OK(wf_store_forget_answers(f->store, 100, 5, &forgotten, &f->err));
	CU_ASSERT_EQUAL(forgotten, 5);
	read_lists(f);
}

static void what_waits_costs_nothing(void)
{
	store_compare_costs(put_rows, serve);
}

/* --- paused services ------------------------------------------------------ */

/* Only what is for "alive" is asked for; "dead" could be taken, but is paused.
 */
static void serve_beside_paused(struct store_fixture *f)
{
	struct wf_message_row row = store_message_row(1000001, "alive", "y");
	struct wf_message_queue_list queues;
	struct wf_message_queue wanted = { .destination = NULL };
	struct wf_message_list messages;

	row.namespace_id = 1;
	store_write_queues(f, NULL, 0, &row, 1);
	OK(wf_store_message_queues(
	    f->store, NULL, 9, f->arena, &queues, &f->err));
	for (size_t i = 0; i < queues.count; i++)
		if (strcmp(queues.rows[i].destination, "alive") == 0)
			wanted = queues.rows[i];
	CU_ASSERT_PTR_NOT_NULL_FATAL(wanted.destination);
	wanted.at = 100;
	wanted.most = 9;
	OK(wf_store_claim_messages(
	    f->store, &wanted, 1, 8000, f->arena, &messages, &f->err));
	CU_ASSERT_EQUAL(messages.count, 1);
	claim_nothing(f, 1, "own", NULL);
}

static void what_waits_for_a_paused_service_costs_nothing(void)
{
	store_compare_costs(put_rows, serve_beside_paused);
}

/* --- records ---------------------------------------------------------------
 */

/* Records that a reader knows; some of them were removed. */
static void put_records(const struct store_fixture *f,
    const struct store_database *database, unsigned n)
{
	char sql[100];

	store_fill(f, database, n,
	    "INSERT INTO record (namespace_id, kind, name, change, value)"
	    " SELECT 1, 'person', 'k' || i, i, CASE WHEN i %% 10 = 0"
	    " AND i > %u - 1000 THEN NULL ELSE %s END FROM c",
	    n, database->part[0] == '\0' ? "x'01'" : "'x'::bytea");
	snprintf(sql, sizeof sql,
	    "UPDATE counter SET last = %u WHERE name = 'change'", n);
	store_edit(f->url, sql);
	store_analyze(f, database);
}

/* One is written, and read by change. */
static void refresh_records(struct store_fixture *f)
{
	struct wf_record_row row = { .namespace_id = 1,
		.kind = "person",
		.name = "k1",
		.value = store_bytes,
		.change = 1 };
	struct wf_record_list list;
	uint64_t change;

	OK(wf_store_change(f->store, &change, &f->err));
	OK(wf_store_put_record(f->store, &row, &f->err));
	OK(wf_store_records(
	    f->store, "person", change, f->arena, &list, &f->err));
	CU_ASSERT_FALSE(list.whole);
	CU_ASSERT_EQUAL(list.count, 1);
}

static void records_are_read_by_change(void)
{
	store_compare_costs(put_records, refresh_records);
}

/* --- queues that were empty ----------------------------------------------- */

/* Takes one message of "dead", if there is one, and acknowledges it. */
static void take_message(struct store_fixture *f, size_t expected)
{
	struct wf_message_queue queue = {
		.namespace_id = 1, .destination = "dead", .at = 100, .most = 1
	};
	struct wf_message_key key = { 1, 1 };
	struct wf_message_list messages;

	OK(wf_store_claim_messages(
	    f->store, &queue, 1, 8000, f->arena, &messages, &f->err));
	CU_ASSERT_EQUAL(messages.count, expected);
	if (messages.count > 0)
		key = (struct wf_message_key){ messages.rows[0].number,
			messages.rows[0].message };
	OK(wf_store_acknowledge(f->store, &key, 1, &f->err));
}

/* PostgreSQL plans for an empty table what it does with a full one. */
static void plans_follow_the_sizes_of_tables(void)
{
	const struct store_database *database = &store_databases[1];
	const struct timespec longer_than_a_plan = { .tv_sec = 1,
		.tv_nsec = 100000000 };

	for (size_t i = 0; i < store_kind_sample(); i++) {
		struct store_fixture f = { 0 };
		uint64_t before;

		if (strcmp(store_kinds[i].name, database->name) != 0)
			continue;
		store_set_up(&f, &store_kinds[i], true);
		store_analyze(&f, database);
		take_message(&f, 0);
		store_fill(&f, database, STORE_MANY, fill[1], database->part,
		    database->part_value, database->is);
		store_edit_end();
		nanosleep(&longer_than_a_plan, NULL);
		before = store_rows_read(&f);
		take_message(&f, 1);
		wf_store_close(&f.store);
		CU_ASSERT_TRUE(store_rows_read(&f) - before < 1000);
		f.store = store_open(f.url, 0);
		store_tear_down(&f, &store_kinds[i]);
	}
}

CU_TestInfo wf_tests_backlog[] = {
	{ "what waits costs nothing", what_waits_costs_nothing },
	{ "what waits for a paused service costs nothing",
	    what_waits_for_a_paused_service_costs_nothing },
	{ "plans follow the sizes of tables",
	    plans_follow_the_sizes_of_tables },
	{ "records are read by change", records_are_read_by_change },
	CU_TEST_INFO_NULL,
};
