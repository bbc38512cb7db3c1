/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records on every store: they are written with the versions that were read,
 * and read by change, removals included.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "persistence/store.h"
#include "tests/unit/store_fixture.h"

static struct wf_record_row put(const char *name, uint64_t change)
{
	return (struct wf_record_row){ .namespace_id = 1,
		.kind = "role",
		.name = name,
		.value = store_bytes,
		.change = change };
}

static struct wf_record_row removal(const char *name, uint64_t change)
{
	struct wf_record_row row = put(name, change);

	row.value = (struct wf_bytes){ NULL, 0 };
	return row;
}

static uint64_t write_one(struct store_fixture *f, struct wf_record_row row)
{
	uint64_t change = 0;

	OK(wf_store_put_records(f->store, &row, 1, 0, &change, &f->err));
	return change;
}

/* Reads on the other handle: "+a -b", and "all" in front if they are whole. */
static void expect(struct store_fixture *f, uint64_t after, const char *text)
{
	struct wf_record_list list;
	char found[200];
	int length;

	OK(wf_store_records(f->other, "role", after, f->arena, &list, &f->err));
	length = snprintf(found, sizeof(found), list.whole ? "all" : "");
	for (size_t i = 0; i < list.count; i++)
		length +=
		    snprintf(found + length, sizeof(found) - (size_t)length,
			" %c%s", list.rows[i].value.data == NULL ? '-' : '+',
			list.rows[i].name);
	CU_ASSERT_STRING_EQUAL(found, text);
}

static void check_by_change(struct store_fixture *f)
{
	struct wf_record_row other = put("x", 0);
	struct wf_record_row found;
	uint64_t first = write_one(f, put("b", 0));
	uint64_t second = write_one(f, put("a", 0));
	uint64_t third;

	other.kind = "group";
	expect(f, 0, "all +a +b");
	expect(f, first, " +a");
	expect(f, second, "");
	/* A change of another kind. */
	third = write_one(f, other);
	expect(f, second, "");
	write_one(f, removal("b", 0));
	expect(f, first, " +a -b");
	expect(f, third, " -b");
	expect(f, 0, "all +a");
	REFUSED(f, WF_NOT_FOUND,
	    wf_store_record(
		f->other, 1, "role", "b", f->arena, &found, &f->err));
	/* What is not there is not removed. */
	third = write_one(f, removal("b", 0));
	write_one(f, removal("c", 0));
	expect(f, third - 1, "");
	/* It comes back; a reader gets each record once. */
	write_one(f, put("b", 0));
	write_one(f, put("a", 0));
	expect(f, first, " +b +a");
	/* A reader of a store that was put back to an earlier state. */
	expect(f, third + 1000, "all +a +b");
}

static void test_by_change(void)
{
	store_on_each(check_by_change);
}

/* Two writers of different records do not disturb each other. */
static void check_versions(struct store_fixture *f)
{
	uint64_t a = write_one(f, put("a", WF_RECORD_NEW));
	uint64_t b = write_one(f, put("b", WF_RECORD_NEW));
	struct wf_record_row row = put("a", WF_RECORD_NEW);
	struct wf_record_row found;

	REFUSED(f, WF_CONFLICT, wf_store_put_record(f->other, &row, &f->err));
	row = put("a", b);
	REFUSED(f, WF_CONFLICT, wf_store_put_record(f->other, &row, &f->err));
	row = put("a", a);
	OK(wf_store_put_record(f->other, &row, &f->err));
	REFUSED(f, WF_CONFLICT, wf_store_put_record(f->store, &row, &f->err));
	row = removal("b", a);
	REFUSED(f, WF_CONFLICT, wf_store_put_record(f->store, &row, &f->err));
	row = removal("b", b);
	OK(wf_store_put_record(f->store, &row, &f->err));
	/* A removed record has no version, and is new when it comes back. */
	REFUSED(f, WF_CONFLICT, wf_store_put_record(f->store, &row, &f->err));
	row = put("b", b + 2);
	REFUSED(f, WF_CONFLICT, wf_store_put_record(f->store, &row, &f->err));
	b = write_one(f, put("b", WF_RECORD_NEW));
	OK(wf_store_record(
	    f->other, 1, "role", "b", f->arena, &found, &f->err));
	CU_ASSERT_EQUAL(found.change, b);
}

static void test_versions(void)
{
	store_on_each(check_versions);
}

/* Many rows are one change, or none. */
static void check_many(struct store_fixture *f)
{
	struct wf_record_row rows[] = { put("a", WF_RECORD_NEW),
		put("b", WF_RECORD_NEW), put("c", 0) };
	struct wf_record_row more[] = { removal("a", 0), put("d", 0),
		removal("b", 0), put("c", WF_RECORD_NEW) };
	struct wf_record_list list;
	uint64_t change = 0;
	uint64_t seen;

	write_one(f, put("b", 0));
	write_one(f, removal("b", 0));
	OK(wf_store_put_records(f->store, rows, 3, 0, &change, &f->err));
	OK(wf_store_change(f->store, &seen, &f->err));
	CU_ASSERT_EQUAL(change, seen);
	OK(wf_store_records(f->other, "role", 0, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 3);
	CU_ASSERT_EQUAL(list.change, change);
	for (size_t i = 0; i < list.count; i++)
		CU_ASSERT_EQUAL(list.rows[i].change, change);
	REFUSED(f, WF_CONFLICT,
	    wf_store_put_records(f->store, more, 4, 0, NULL, &f->err));
	expect(f, change, "");
	expect(f, 0, "all +a +b +c");
	more[3].change = change;
	REFUSED(f, WF_CONFLICT,
	    wf_store_put_records(f->store, more, 4, seen - 1, NULL, &f->err));
	OK(wf_store_put_records(f->store, more, 4, seen, NULL, &f->err));
	expect(f, change, " -a -b +c +d");
}

static void test_many(void)
{
	store_on_each(check_many);
}

/*
 * Removed records are kept for a number of changes; a reader that is further
 * behind reads all.
 */
static void check_forgotten(struct store_fixture *f)
{
	uint64_t first = write_one(f, put("a", 0));
	uint64_t change = write_one(f, removal("a", 0));

	write_one(f, put("b", 0));
	while (change < first + WF_RECORD_CHANGES_KEPT)
		change = write_one(f, put("c", 0));
	expect(f, first, " -a +b +c");
	change = write_one(f, put("c", 0));
	expect(f, first, "all +b +c");
	expect(f, first + 1, " +b +c");
	/* To the end of the time for which it is kept, and beyond. */
	while (change < first + 2 * WF_RECORD_CHANGES_KEPT + 2)
		change = write_one(f, put("c", 0));
	expect(f, first, "all +b +c");
	CU_ASSERT_EQUAL(write_one(f, put("a", WF_RECORD_NEW)), change + 1);
	expect(f, change, " +a");
}

static void test_forgotten(void)
{
	store_on_each(check_forgotten);
}

/* The rows of the table, those of removed records included. */
static int count_rows(const struct store_fixture *f)
{
	sqlite3_stmt *statement;
	sqlite3 *db;
	int count = -1;

	CU_ASSERT_EQUAL_FATAL(
	    sqlite3_open(f->url + strlen("sqlite:"), &db), SQLITE_OK);
	if (sqlite3_prepare_v2(db, "SELECT count(*) FROM record", -1,
		&statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		count = sqlite3_column_int(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return count;
}

static void test_rows(void)
{
	struct store_fixture f = { 0 };

	store_make_folder(&f);
	f.store = store_open(f.url, WF_STORE_CREATE);
	write_one(&f, put("a", 0));
	write_one(&f, put("b", 0));
	write_one(&f, removal("a", 0));
	wf_store_close(&f.store);
	CU_ASSERT_EQUAL(count_rows(&f), 2);
	store_edit(f.url,
	    "UPDATE counter SET last = last + 2000 WHERE name = 'change'");
	f.store = store_open(f.url, 0);
	write_one(&f, put("b", 0));
	wf_store_close(&f.store);
	CU_ASSERT_EQUAL(count_rows(&f), 1);
	store_free_folder(&f);
}

CU_TestInfo wf_tests_store_records[] = {
	{ "by change", test_by_change },
	{ "versions", test_versions },
	{ "many at once", test_many },
	{ "removed records are forgotten", test_forgotten },
	{ "forgotten records leave no row", test_rows },
	CU_TEST_INFO_NULL,
};
