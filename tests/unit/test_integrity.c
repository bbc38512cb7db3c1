/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checksums of stored data, and the check of a whole store: each kind of
 * damage is found and named, and undamaged data causes no finding.
 * WEFT_SEED seeds the random damage; WEFT_SOAK=1 does much more of it.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/checksum.h"
#include "runtime/integrity/integrity.h"
#include "tests/unit/engine_fixture.h"
#include "tests/unit/random_net.h"
#include "tests/unit/seed.h"
#include "tests/unit/store_fixture.h"
#include "xquery/text/unicode.h"

#define DEFAULT_SEED 20260103U
#define LARGE 3000U

/* --- checksums ------------------------------------------------------------ */

static const struct wf_history_row step = { .number = 7,
	.sequence = 3,
	.at = 1000,
	.actor = "ann",
	.origin = "rest",
	.format = 1,
	.command = "ann/k1",
	.events = { "events", 6 } };

static enum wf_rc check_step_checksum(const struct wf_history_row *row)
{
	struct wf_bytes events;
	enum wf_rc rc = wf_checksum_check_history(row, &events, NULL);

	if (rc == WF_OK) {
		CU_ASSERT_EQUAL(events.size, 6);
		CU_ASSERT_EQUAL(memcmp(events.data, "events", 6), 0);
	}
	return rc;
}

#define CHANGED(row, member, to)                                               \
	do {                                                                   \
		struct wf_history_row changed = row;                           \
                                                                               \
		changed.member = to;                                           \
		CU_ASSERT_EQUAL(check_step_checksum(&changed), WF_CORRUPT);    \
	} while (0)

static void test_checksums_of_steps(void)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_history_row row = step;
	unsigned char *bytes;

	wf_checksum_add_history(&row, arena);
	CU_ASSERT_EQUAL(check_step_checksum(&row), WF_OK);
	CHANGED(row, number, 8);
	CHANGED(row, sequence, 4);
	CHANGED(row, at, 1001);
	CHANGED(row, actor, "an");
	CHANGED(row, origin, "nrest");
	CHANGED(row, format, 2);
	CHANGED(row, command, "");
	CHANGED(row, events.size, 3);
	CHANGED(row, events.data, NULL);
	bytes = (unsigned char *)(uintptr_t)row.events.data;
	for (size_t i = 0; i < row.events.size; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			bytes[i] = (unsigned char)(bytes[i] ^ 1U << bit);
			CU_ASSERT_EQUAL(check_step_checksum(&row), WF_CORRUPT);
			bytes[i] = (unsigned char)(bytes[i] ^ 1U << bit);
		}
	CU_ASSERT_EQUAL(check_step_checksum(&row), WF_OK);
	wf_arena_free(&arena);
}

static void test_checksums_of_values(void)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_value_row row = { 7, 1, { "<x/>", 4 } };
	struct wf_bytes text;

	wf_checksum_add_value(&row, arena);
	CU_ASSERT_EQUAL(wf_checksum_check_value(&row, &text, NULL), WF_OK);
	CU_ASSERT_EQUAL(text.size, 4);
	row.value = 2;
	CU_ASSERT_EQUAL(wf_checksum_check_value(&row, &text, NULL), WF_CORRUPT);
	row.value = 1;
	row.number = 8;
	CU_ASSERT_EQUAL(wf_checksum_check_value(&row, &text, NULL), WF_CORRUPT);
	wf_arena_free(&arena);
}

/* --- a store with every kind of row --------------------------------------- */

struct keeper {
	struct wf_fixture f;
	struct wf_integrity_counts counts;
	struct wf_buffer text; /* findings: "case 2: what", a line each */
};

static void report(void *context, const struct wf_finding *finding)
{
	static const char *const kinds[] = { "",
		"quarantined: ", "quarantine: " };
	struct keeper *k = context;

	wf_buffer_puts(&k->text, kinds[finding->kind]);
	if (finding->number != 0)
		wf_buffer_printf(&k->text,
		    "case %llu: ", (unsigned long long)finding->number);
	if (finding->specification != 0)
		wf_buffer_puts(&k->text, "specification: ");
	wf_buffer_printf(&k->text, "%s\n", finding->text);
}

static enum wf_rc check(struct keeper *k, bool set_aside)
{
	struct wf_integrity_settings settings;
	struct wf_store *store = NULL;
	struct wf_error err = { 0 };
	enum wf_rc rc;

	wf_integrity_settings_init(&settings);
	settings.report = report;
	settings.context = k;
	settings.set_aside = set_aside;
	settings.now = k->f.now;
	wf_buffer_reset(&k->text);
	rc = wf_store_open(&store, k->f.place.url, 0, &err);
	if (rc == WF_OK)
		rc = wf_integrity_check(store, &settings, &k->counts, &err);
	wf_store_close(&store);
	return rc;
}

static void update(struct wf_fixture *f, uint64_t number, char fill)
{
	char data[LARGE + 32] = "<N><s>";

	memset(data + 6, fill, LARGE);
	strcpy(data + 6 + LARGE, "</s></N>");
	OK(wf_fixture_do(f, number, WF_COMMAND_UPDATE_CASE, "", data, NULL));
}

static enum wf_rc schedule(struct wf_fixture *f, enum wf_command_kind command,
    uint64_t number, const char *item, int64_t at)
{
	struct wf_request request = { .kind = WF_REQUEST_SCHEDULE,
		.command = { .kind = command, .item = item },
		.number = number,
		.launch = { .specification = f->key },
		.at = at };
	struct wf_answer answer;

	return wf_engine_call(f->engine, &request, &answer, NULL);
}

/*
 * Case 1 has ended.  Case 2 has large values, and a command that is due.
 * Case 3 has two items, one of them started; a command to it was refused.
 * Case 4 is quarantined.
 */
static void make_cases(struct wf_fixture *f)
{
	static const char *const items[] = { "1:A", "1:B", "1:C", "1:D" };

	for (uint64_t i = 1; i <= 4; i++)
		CU_ASSERT_EQUAL(wf_fixture_launch(f), i);
	f->now += 1000;
	update(f, 1, 'y');
	for (size_t i = 0; i < 4; i++)
		OK(wf_fixture_do(
		    f, 1, WF_COMMAND_FINISH, items[i], NULL, NULL));
	update(f, 2, 'a');
	update(f, 2, 'b');
	OK(schedule(f, WF_COMMAND_FINISH, 2, "2:A", f->now + 1000000));
	OK(schedule(f, WF_COMMAND_LAUNCH, 0, "", f->now + 1000000));
	OK(wf_fixture_do(f, 3, WF_COMMAND_FINISH, "3:A", NULL, NULL));
	OK(wf_fixture_do(f, 3, WF_COMMAND_START, "3:B", NULL, NULL));
	OK(schedule(f, WF_COMMAND_FINISH, 3, "3:D", f->now));
	wf_fixture_turn(f);
	f->broken_item = "4:A";
	CU_ASSERT_EQUAL(
	    wf_fixture_do(f, 4, WF_COMMAND_FINISH, "4:A", NULL, NULL), WF_BUG);
	f->broken_item = NULL;
}

static void open_keeper(struct keeper *k, const struct store_kind *kind)
{
	memset(k, 0, sizeof *k);
	wf_buffer_init(&k->text, (size_t)1 << 20);
	wf_fixture_init_on(&k->f, kind->name);
	wf_fixture_open(&k->f);
}

static void close_engine(struct keeper *k)
{
	wf_engine_close(&k->f.engine);
	wf_store_close(&k->f.store);
}

static void free_keeper(struct keeper *k)
{
	wf_fixture_free(&k->f);
	wf_buffer_free(&k->text);
}

static void make_keeper(struct keeper *k, const struct store_kind *kind)
{
	open_keeper(k, kind);
	make_cases(&k->f);
	close_engine(k);
}

/* On each kind of store that outlives its handles. */
static void on_each_disk(void (*test)(const struct store_kind *kind))
{
	for (size_t i = 0; i < store_kind_sample(); i++)
		if (strcmp(store_kinds[i].name, "memory") != 0)
			test(&store_kinds[i]);
}

static bool found(const struct keeper *k, const char *text)
{
	return strstr(wf_buffer_text(&k->text), text) != NULL;
}

/* --- undamaged stores ----------------------------------------------------- */

static void check_whole(const struct store_kind *kind)
{
	struct keeper k;

	make_keeper(&k, kind);
	OK(check(&k, false));
	CU_ASSERT_EQUAL(k.counts.damage, 0);
	CU_ASSERT_EQUAL(k.counts.live, 3);
	CU_ASSERT_EQUAL(k.counts.ended, 1);
	CU_ASSERT_EQUAL(k.counts.steps, 6 + 3 + 3 + 1);
	CU_ASSERT_EQUAL(k.counts.specifications, 1);
	CU_ASSERT_EQUAL(k.counts.set_aside, 1);
	CU_ASSERT_TRUE(found(&k, "quarantined: case 4: "));
	CU_ASSERT_TRUE(found(&k, "broken_item"));
	free_keeper(&k);
}

static void test_whole(void)
{
	on_each_disk(check_whole);
}

#define CASES 60U

/* Some cases from beginning to end, one after the other. */
static void *work(void *argument)
{
	struct wf_fixture *f = argument;
	static const char tasks[] = "ABCD";

	for (unsigned i = 0; i < CASES; i++) {
		uint64_t number = wf_fixture_launch(f);
		char item[32];

		for (unsigned t = 0; t < 4; t++) {
			snprintf(item, sizeof item, "%llu:%c",
			    (unsigned long long)number, tasks[t]);
			if (wf_fixture_do(f, number, WF_COMMAND_FINISH, item,
				NULL, NULL) != WF_OK)
				return f;
		}
	}
	return NULL;
}

/* Changes by engines meanwhile are not reported as damage. */
static void check_in_use(const struct store_kind *kind)
{
	struct keeper k;
	pthread_t thread;
	void *failed = NULL;

	memset(&k, 0, sizeof k);
	wf_buffer_init(&k.text, (size_t)1 << 20);
	wf_fixture_init_on(&k.f, kind->name);
	k.f.settings.threads = true;
	wf_fixture_open(&k.f);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, work, &k.f), 0);
	do {
		OK(check(&k, false));
		CU_ASSERT_EQUAL(k.counts.damage, 0);
	} while (k.counts.damage == 0 && k.counts.ended < CASES);
	if (k.counts.damage > 0)
		printf("%s:\n%s", kind->name, wf_buffer_text(&k.text));
	CU_ASSERT_EQUAL(pthread_join(thread, &failed), 0);
	CU_ASSERT_PTR_NULL(failed);
	free_keeper(&k);
}

static void test_in_use(void)
{
	for (size_t i = 0; i < store_kind_sample(); i++)
		check_in_use(&store_kinds[i]);
}

/* --- damage --------------------------------------------------------------- */

static const struct damage {
	const char *sql;
	unsigned damaged; /* cases */
	const char *text;
} damages[] = {
	/* Data that is not checked. */
	{ "UPDATE cases SET title = 'x'", 0, "" },
	/* The history. */
	{ "DELETE FROM history WHERE number = 2 AND sequence = 2", 1,
	    "case 2: its history has no step 2: step 3 comes next" },
	{ "DELETE FROM history WHERE number = 2 AND sequence = 3", 1,
	    "case 2: its history ends with step 2, but it is listed with 3" },
	{ "DELETE FROM history WHERE number = 1", 1,
	    "case 1: its history ends with step 0, but it is listed with 6" },
	{ "UPDATE history SET sequence = 4 WHERE number = 2 AND sequence = 3",
	    1, "case 2: its history has a step 4, but it is listed with 3" },
	{ "UPDATE history SET events = zeroblob(9) WHERE number = 3 AND "
	  "sequence = 2",
	    1, "case 3: step 2 of the history has a wrong checksum" },
	{ "UPDATE history SET events = NULL WHERE number = 3 AND sequence = 1",
	    1, "case 3: step 1 of the history has a wrong checksum" },
	{ "UPDATE history SET at = at + 1 WHERE number = 1 AND sequence = 6", 1,
	    "case 1: step 6 of the history has a wrong checksum" },
	{ "UPDATE history SET actor = 'eve' WHERE number = 1 AND sequence = 6",
	    1, "case 1: step 6 of the history has a wrong checksum" },
	{ "UPDATE history SET events = (SELECT events FROM history WHERE "
	  "number = 3 AND sequence = 1) WHERE number = 2 AND sequence = 1",
	    1, "case 2: step 1 of the history has a wrong checksum" },
	{ "UPDATE history SET format = 2 WHERE number = 1 AND sequence = 1", 1,
	    "case 1: step 1 of its history has the format 2, expected 1" },
	{ "UPDATE history SET position = -position WHERE number = 1", 1,
	    "case 1: step 2 of its history stands before step 1" },
	/* The state. */
	{ "DELETE FROM snapshot WHERE number = 3", 1,
	    "case 3: its stored state: there is none" },
	{ "UPDATE snapshot SET bytes = zeroblob(40) WHERE number = 3", 1,
	    "case 3: its stored state: the stored case has a wrong checksum" },
	{ "UPDATE snapshot SET bytes = (SELECT bytes FROM snapshot WHERE "
	  "number = 4) WHERE number = 3",
	    1, "case 3: its stored state: the state of case 3 is not its own" },
	/* Large values. */
	{ "DELETE FROM value WHERE number = 2 AND value = 1", 1,
	    "case 2: step 2 of its history: case 2 has no value 1" },
	{ "UPDATE value SET text = substr(text, 2) WHERE number = 1", 1,
	    "case 1: step 2 of its history: the large value 1 has a wrong "
	    "checksum" },
	{ "UPDATE value SET value = 3 - value + 10 WHERE number = 2;"
	  "UPDATE value SET value = value - 10 WHERE number = 2",
	    1, "the large value 1 has a wrong checksum" },
	/* The rows of cases. */
	{ "UPDATE cases SET version = 2 WHERE number = 3", 1,
	    "case 3: its history has a step 3, but it is listed with 2" },
	{ "UPDATE cases SET version = 4 WHERE number = 3", 1,
	    "case 3: its history ends with step 3, but it is listed with 4" },
	{ "UPDATE cases SET snapshot_version = 9 WHERE number = 3", 1,
	    "case 3: its state is of step 9, but it has 3" },
	{ "UPDATE cases SET snapshot_version = 2 WHERE number = 3", 1,
	    "case 3: its stored state is not what its history leads to" },
	{ "UPDATE cases SET status = 1 WHERE number = 3", 1,
	    "case 3: it is listed with status 1, expected 0" },
	{ "UPDATE ended SET status = 4 WHERE number = 1", 1,
	    "case 1: it is listed with status 4, expected 2" },
	{ "UPDATE cases SET launched_at = launched_at + 1 WHERE number = 3", 1,
	    "case 3: it is listed as launched at 1767225600001, but its" },
	{ "UPDATE ended SET changed_at = 5 WHERE number = 1", 1,
	    "case 1: it is listed as changed at 5, but its last step was" },
	{ "UPDATE cases SET owner = 'eve' WHERE number = 3", 1,
	    "case 3: it is listed as owned by 'eve', but '' launched it" },
	{ "UPDATE cases SET name = 'x' WHERE number = 3;"
	  "UPDATE name SET name = 'x' WHERE number = 3",
	    1, "case 3: it is listed as 'x', but its name is '3'" },
	{ "INSERT INTO ended SELECT * FROM cases WHERE number = 3;"
	  "DELETE FROM cases WHERE number = 3",
	    1, "case 3: it is listed as ended, but it has not ended" },
	{ "UPDATE ended SET specification = 77", 1,
	    "case 1: its specification: there is no specification "
	    "000000000000004d" },
	{ "UPDATE cases SET set_aside = (1 = 1) WHERE number = 2", 1,
	    "case 2: it is quarantined, but no incident says why" },
	/* The rows of items. */
	{ "DELETE FROM item WHERE task = 'C'", 1,
	    "case 3: the work item 3:C is not listed" },
	{ "DELETE FROM item WHERE number = 3", 1,
	    "case 3: the work item 3.2:B is not listed" },
	{ "UPDATE item SET id = '3:E' WHERE task = 'C'", 1,
	    "case 3: the work item 3:E is listed, but there is none" },
	{ "UPDATE item SET status = 0 WHERE task = 'B'", 1,
	    "case 3: the work item 3.2:B is listed with status 0, expected 2" },
	{ "UPDATE item SET enabled_at = 5 WHERE task = 'C'", 1,
	    "case 3: the work item 3:C is not listed as it is" },
	{ "UPDATE item SET service = 'x' WHERE task = 'C'", 1,
	    "case 3: the work item 3:C is not listed as it is" },
	/* Due rows. */
	{ "UPDATE due SET kind = 9 WHERE number = 2", 1,
	    "': it is of no known kind" },
	{ "UPDATE due SET payload = zeroblob(30) WHERE number = 2", 1,
	    "': a due command has a wrong checksum" },
	{ "UPDATE due SET number = 3 WHERE number = 2", 1,
	    "': it is for case 2" },
	{ "UPDATE due SET payload = NULL WHERE number = 0", 0,
	    "what is due as 'launch 00000000000000000005': a due command has a "
	    "wrong" },
	/* Incidents. */
	{ "UPDATE incident SET payload = zeroblob(30) WHERE number = 3", 0,
	    "case 3: the command of incident 1: a due command has a" },
	/* Specifications. */
	{ "UPDATE specification SET source = substr(source, 2)", 4,
	    "specification: the stored specification" },
	{ "UPDATE specification SET numbering = substr(numbering, 2)", 4,
	    "case 3: its specification" },
	{ "UPDATE specification SET source = substr(source, 1, 300)", 4,
	    "is not valid" },
	{ "UPDATE specification SET uri = 'x'", 0,
	    "specification: it is not listed as what it is" },
	{ "DELETE FROM specification", 4,
	    "case 3: its specification: there is no specification" },
	/* The findings of the database are included. */
	{ "DELETE FROM ended", 0,
	    "case 1: it has a history, but there is no such case" },
};

/* SQL that differs where tables differ. */
static const struct {
	const char *sqlite;
	const char *postgresql;
} translations[] = {
	{ "DELETE FROM snapshot WHERE number = 3",
	    "UPDATE cases SET snapshot = NULL WHERE number = 3" },
	{ "INSERT INTO ended SELECT * FROM cases WHERE number = 3;"
	  "DELETE FROM cases WHERE number = 3",
	    "INSERT INTO ended SELECT part, namespace_id, number, "
	    "specification, launched_at, name, title, owner, extra, version, "
	    "snapshot_version, messages, changed_at, status, set_aside FROM "
	    "cases WHERE number = 3; DELETE FROM cases WHERE number = 3" },
	{ "UPDATE due SET number = 3 WHERE number = 2",
	    "UPDATE due SET number = 3, part = (SELECT part FROM cases WHERE "
	    "number = 3) WHERE number = 2" },
	{ "UPDATE snapshot SET bytes = (SELECT bytes FROM kept_snapshot WHERE "
	  "number = 3) WHERE number = 3",
	    "UPDATE cases SET snapshot = (SELECT snapshot FROM kept_cases "
	    "WHERE number = 3) WHERE number = 3" },
};

/* --- damage and repair ---------------------------------------------------- */

static bool is_sqlite(const struct keeper *k)
{
	return strcmp(k->f.kind->name, "sqlite") == 0;
}

/* In PostgreSQL snapshot is a view of cases. */
static const char *const tables[] = { "cases", "ended", "history", "value",
	"item", "due", "answer", "incident", "name", "specification",
	"snapshot" };

/* SQL for each table, whose name stands in it two or three times. */
static void for_tables(
    struct keeper *k, const char *first, const char *second, const char *third)
{
	char sql[2000] = "";
	size_t length = 0;

	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
		const char *table = tables[i];

		if (!is_sqlite(k) && strcmp(table, "snapshot") == 0)
			continue;
		length += (size_t)snprintf(sql + length, sizeof sql - length,
		    "%s%s%s%s%s%s;", first, table, second, table, third,
		    third[0] == '\0' ? "" : table);
		CU_ASSERT_FATAL(length < sizeof sql);
	}
	store_edit(k->f.place.url, sql);
}

static void keep_rows(struct keeper *k)
{
	k->f.place.is_own = true;
	for_tables(k, "CREATE TABLE kept_", " AS SELECT * FROM ", "");
	if (!is_sqlite(k))
		store_edit(k->f.place.url,
		    "CREATE FUNCTION zeroblob(n integer) RETURNS bytea "
		    "LANGUAGE "
		    "sql AS $$ SELECT decode(repeat('00', n), 'hex') $$");
}

static void restore_rows(struct keeper *k)
{
	for_tables(k, "DELETE FROM ", "; INSERT INTO ", " SELECT * FROM kept_");
}

/* In SQL as SQLite has it. */
static void edit(struct keeper *k, const char *sql)
{
	for (size_t i = 0; i < sizeof translations / sizeof translations[0];
	     i++)
		if (!is_sqlite(k) && strcmp(sql, translations[i].sqlite) == 0)
			sql = translations[i].postgresql;
	store_edit(k->f.place.url, sql);
}

static void check_damage(struct keeper *k, const struct damage *row)
{
	edit(k, row->sql);
	OK(check(k, false));
	CU_ASSERT_EQUAL(k->counts.damage == 0, row->text[0] == '\0');
	CU_ASSERT_EQUAL(k->counts.damaged_cases, row->damaged);
	CU_ASSERT_TRUE(found(k, row->text));
	if (!found(k, row->text) || k->counts.damaged_cases != row->damaged)
		printf("%s: %s\n%s", k->f.kind->name, row->sql,
		    wf_buffer_text(&k->text));
	restore_rows(k);
}

static void check_damages(const struct store_kind *kind)
{
	struct keeper k;

	make_keeper(&k, kind);
	keep_rows(&k);
	for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++)
		check_damage(&k, &damages[i]);
	OK(check(&k, false));
	CU_ASSERT_EQUAL(k.counts.damage, 0);
	free_keeper(&k);
}

static void test_damage(void)
{
	on_each_disk(check_damages);
}

/* --- quarantine ----------------------------------------------------------- */

static size_t count_incidents(struct keeper *k, struct wf_incident_list *list)
{
	struct wf_incident_filter filter = { .limit = 100 };

	OK(wf_store_incidents(k->f.store, &filter, k->f.arena, list, NULL));
	return list->count;
}

/* Opens the store and an engine on it again. */
static void reopen(struct keeper *k)
{
	struct wf_error err = { 0 };

	OK(wf_store_open(&k->f.store, k->f.place.url, 0, &err));
	wf_fixture_open(&k->f);
}

static void check_quarantined(const struct store_kind *kind)
{
	struct wf_request retry = { .kind = WF_REQUEST_RETRY };
	struct wf_incident_list list;
	struct wf_answer answer;
	struct keeper k;

	make_keeper(&k, kind);
	keep_rows(&k);
	edit(&k, "UPDATE snapshot SET bytes = zeroblob(40) WHERE number = 3;"
		 "UPDATE ended SET status = 3");
	OK(check(&k, true));
	CU_ASSERT_EQUAL(k.counts.damaged_cases, 2);
	CU_ASSERT_EQUAL(k.counts.quarantine, 1);
	CU_ASSERT_TRUE(found(&k, "quarantine: case 3: its stored state"));
	/* The second check finds it quarantined. */
	OK(check(&k, true));
	CU_ASSERT_EQUAL(k.counts.damaged_cases, 2);
	CU_ASSERT_EQUAL(k.counts.quarantine, 0);
	CU_ASSERT_EQUAL(k.counts.set_aside, 2);
	CU_ASSERT_TRUE(found(&k, "quarantined: case 3: its stored state"));
	/* The engine runs the rest; repaired cases go on. */
	reopen(&k);
	CU_ASSERT_EQUAL(count_incidents(&k, &list), 3);
	CU_ASSERT_STRING_EQUAL(list.rows[2].code, "CORRUPT");
	CU_ASSERT_EQUAL(list.rows[2].number, 3);
	CU_ASSERT_EQUAL(list.rows[2].attempts, 1);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&k.f, 3, WF_COMMAND_FINISH, "3:C", NULL, NULL),
	    WF_CONFLICT);
	OK(wf_fixture_do(&k.f, 2, WF_COMMAND_FINISH, "2:A", NULL, NULL));
	close_engine(&k);
	edit(&k, "UPDATE snapshot SET bytes = (SELECT bytes FROM kept_snapshot "
		 "WHERE number = 3) WHERE number = 3");
	edit(&k, "UPDATE ended SET status = 2");
	reopen(&k);
	retry.incident.id = list.rows[2].id;
	OK(wf_engine_call(k.f.engine, &retry, &answer, NULL));
	OK(wf_fixture_do(&k.f, 3, WF_COMMAND_FINISH, "3:C", NULL, NULL));
	close_engine(&k);
	OK(check(&k, false));
	CU_ASSERT_EQUAL(k.counts.damage, 0);
	CU_ASSERT_EQUAL(k.counts.set_aside, 1);
	free_keeper(&k);
}

static void test_quarantined(void)
{
	on_each_disk(check_quarantined);
}

/* An id that is cut within a character of several bytes. */
static void check_long_name(const struct store_kind *kind)
{
	struct wf_take take = { .number = 1 };
	struct wf_batch batch = { .takes = &take, .take_count = 1 };
	struct wf_item_write write = { .groups = WF_ITEM_ALL };
	struct wf_writes writes = { .items = &write, .item_count = 1 };
	struct wf_buffer id;
	struct keeper k;

	open_keeper(&k, kind);
	CU_ASSERT_EQUAL(wf_fixture_launch(&k.f), 1);
	wf_buffer_init(&id, 1000);
	wf_buffer_puts(&id, "1:a");
	for (unsigned i = 0; i < 150; i++)
		wf_buffer_puts(&id, "ü");
	write.row.number = 1;
	write.row.id = wf_buffer_text(&id);
	write.row.task = wf_buffer_text(&id) + 2;
	OK(wf_store_begin(k.f.store, &batch, k.f.arena, NULL));
	OK(wf_store_commit(k.f.store, &writes, NULL, NULL));
	close_engine(&k);
	OK(check(&k, true));
	CU_ASSERT_TRUE(found(&k, "is listed, but there is none"));
	CU_ASSERT_TRUE(found(&k, "quarantine: case 1: "));
	CU_ASSERT_TRUE(wf_is_utf8(wf_buffer_text(&k.text), k.text.length));
	wf_buffer_free(&id);
	free_keeper(&k);
}

static void test_long_name(void)
{
	on_each_disk(check_long_name);
}

/* A quarantined case without an incident gets one. */
static void check_quarantined_without_incident(const struct store_kind *kind)
{
	struct keeper k;

	make_keeper(&k, kind);
	edit(&k, "DELETE FROM incident");
	OK(check(&k, true));
	CU_ASSERT_EQUAL(k.counts.damaged_cases, 1);
	CU_ASSERT_EQUAL(k.counts.quarantine, 1);
	OK(check(&k, true));
	CU_ASSERT_EQUAL(k.counts.damage, 0);
	CU_ASSERT_EQUAL(k.counts.set_aside, 1);
	free_keeper(&k);
}

static void test_quarantined_without_incident(void)
{
	on_each_disk(check_quarantined_without_incident);
}

static void check_specification_quarantined(const struct store_kind *kind)
{
	struct wf_incident_list list;
	struct keeper k;

	make_keeper(&k, kind);
	edit(&k, "UPDATE specification SET numbering = source");
	for (unsigned i = 0; i < 2; i++) {
		OK(check(&k, true));
		CU_ASSERT_EQUAL(k.counts.damaged_specifications, 1);
		/* Case 1 has ended, case 4 was quarantined before. */
		CU_ASSERT_EQUAL(k.counts.damaged_cases, 4);
		CU_ASSERT_EQUAL(k.counts.quarantine, i == 0 ? 2 : 0);
	}
	reopen(&k);
	CU_ASSERT_EQUAL(count_incidents(&k, &list), 2 + 1 + 2);
	CU_ASSERT_EQUAL(list.rows[2].number, 0);
	CU_ASSERT_EQUAL(wf_fixture_launch(&k.f), 0);
	CU_ASSERT_EQUAL(k.f.err.rc, WF_CORRUPT);
	free_keeper(&k);
}

static void test_specification_quarantined(void)
{
	on_each_disk(check_specification_quarantined);
}

/* --- random damage -------------------------------------------------------- */

#define SPECS 3U
#define COMMANDS 150U

static uint64_t choose_case(struct wf_fixture *f, struct wf_random *random)
{
	struct wf_case_filter filter = { .live = true, .limit = 1000 };
	struct wf_case_list list;

	OK(wf_store_cases(f->store, &filter, f->arena, &list, NULL));
	if (list.count < 5)
		return wf_fixture_launch(f);
	return list.rows[wf_random_below(random, (uint32_t)list.count)]
	    .row.number;
}

/* A random command, which may be refused. */
static void act(struct wf_fixture *f, struct wf_random *random)
{
	static const enum wf_command_kind commands[] = { WF_COMMAND_FINISH,
		WF_COMMAND_FINISH, WF_COMMAND_FINISH, WF_COMMAND_START,
		WF_COMMAND_START, WF_COMMAND_SKIP, WF_COMMAND_FAIL,
		WF_COMMAND_ROLLBACK, WF_COMMAND_SUSPEND_CASE,
		WF_COMMAND_RESUME_CASE, WF_COMMAND_RESUME_CASE };
	uint64_t number = choose_case(f, random);
	struct wf_item_filter filter = { .number = number, .limit = 20 };
	enum wf_command_kind command = commands[wf_random_below(
	    random, sizeof commands / sizeof commands[0])];
	struct wf_item_list list;
	const char *item = "";

	f->now += wf_random_below(random, 100);
	if (wf_random_below(random, 10) == 0) {
		char data[LARGE + 32] = "<N><s>";

		memset(data + 6, 'x', LARGE);
		strcpy(data + 6 + LARGE, "</s></N>");
		(void)wf_fixture_do(
		    f, number, WF_COMMAND_UPDATE_CASE, "", data, NULL);
		return;
	}
	OK(wf_store_items(f->store, &filter, f->arena, &list, NULL));
	if (list.count > 0)
		item =
		    list.rows[wf_random_below(random, (uint32_t)list.count)].id;
	if (wf_random_below(random, 12) == 0)
		(void)schedule(f, command, number, item, f->now + 100000);
	else
		(void)wf_fixture_do(f, number, command, item, NULL, NULL);
}

static void live(struct keeper *k, struct wf_random *random)
{
	struct wf_fixture *f = &k->f;
	uint64_t keys[SPECS + 1] = { f->key };
	uint32_t count = 1;
	struct wf_buffer text;

	wf_buffer_init(&text, (size_t)4 << 20);
	for (unsigned i = 0; i < SPECS; i++) {
		wf_buffer_reset(&text);
		wf_random_net(random, &text);
		wf_error_clear(&f->err);
		if (wf_fixture_load(f, wf_buffer_text(&text), text.length) ==
		    WF_OK)
			keys[count++] = f->key;
	}
	wf_buffer_free(&text);
	for (unsigned i = 0; i < COMMANDS; i++) {
		f->key = keys[wf_random_below(random, count)];
		act(f, random);
		wf_fixture_turn(f);
	}
}

/* Columns of bytes, by the keys of their tables. */
static const struct column {
	const char *table;
	const char *key;
	const char *column;
	bool checked; /* damage is always found */
} columns[] = {
	{ "snapshot", "number", "bytes", true },
	{ "history", "position", "events", true },
	{ "value", "number, value", "text", true },
	{ "specification", "namespace_id, key", "source", true },
	{ "specification", "namespace_id, key", "numbering", true },
	{ "due", "number, name", "payload", true },
	{ "incident", "id", "payload", true },
	{ "answer", "id", "body", false },
};

/* A byte somewhere in one of the rows. */
struct flip {
	const struct column *column;
	uint32_t row;	 /* modulo the number of rows */
	uint32_t random; /* chooses the place and the bits */
};

static sqlite3_stmt *prepare(sqlite3 *db, const struct flip *flip, bool write)
{
	const struct column *c = flip->column;
	sqlite3_stmt *statement = NULL;
	char head[100];
	char sql[500];

	if (write)
		snprintf(head, sizeof head, "UPDATE %s SET %s = ?1", c->table,
		    c->column);
	else
		snprintf(head, sizeof head, "SELECT %s FROM %s", c->column,
		    c->table);
	snprintf(sql, sizeof sql,
	    "%s WHERE (%s) = (SELECT %s FROM %s WHERE length(%s) > 0 ORDER BY "
	    "%s LIMIT 1 OFFSET %u %% (SELECT max(count(*), 1) FROM %s WHERE "
	    "length(%s) > 0))",
	    head, c->key, c->key, c->table, c->column, c->key, flip->row,
	    c->table, c->column);
	CU_ASSERT_EQUAL_FATAL(
	    sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	return statement;
}

/* Changes it; doing so again changes it back. */
static bool flip_byte(const char *url, const struct flip *flip)
{
	sqlite3 *db;
	sqlite3_stmt *statement;
	unsigned char *bytes = NULL;
	int size = 0;

	CU_ASSERT_EQUAL_FATAL(
	    sqlite3_open(url + strlen("sqlite:"), &db), SQLITE_OK);
	statement = prepare(db, flip, false);
	if (sqlite3_step(statement) == SQLITE_ROW) {
		size = sqlite3_column_bytes(statement, 0);
		bytes = wf_malloc((size_t)size);
		memcpy(bytes, sqlite3_column_blob(statement, 0), (size_t)size);
	}
	sqlite3_finalize(statement);
	if (size > 0) {
		bytes[flip->random / 256 % (uint32_t)size] ^=
		    (unsigned char)(flip->random % 255 + 1);
		statement = prepare(db, flip, true);
		sqlite3_bind_blob(statement, 1, bytes, size, SQLITE_STATIC);
		CU_ASSERT_EQUAL(sqlite3_step(statement), SQLITE_DONE);
		sqlite3_finalize(statement);
	}
	wf_free(bytes);
	sqlite3_close(db);
	return size > 0;
}

static void damage_bytes(struct keeper *k, struct wf_random *random)
{
	size_t count = sizeof columns / sizeof columns[0];
	struct flip flip = {
		.column = &columns[wf_random_below(random, (uint32_t)count)],
		.row = wf_random_below(random, 1000),
		.random = wf_random_below(random, UINT32_MAX)
	};

	if (!flip_byte(k->f.place.url, &flip))
		return;
	OK(check(k, false));
	if (flip.column->checked && k->counts.damage == 0) {
		printf("integrity: %s.%s, row %u, %u: damage is not found\n",
		    flip.column->table, flip.column->column, flip.row,
		    flip.random);
		CU_FAIL("damage is not found");
	}
	CU_ASSERT_TRUE(flip_byte(k->f.place.url, &flip));
}

static unsigned char exchange_byte(
    const char *path, uint32_t random, unsigned char byte)
{
	FILE *file = fopen(path, "r+");
	unsigned char old;
	long at;

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fseek(file, 0, SEEK_END);
	at = (long)(random % (uint32_t)ftell(file));
	fseek(file, at, SEEK_SET);
	old = (unsigned char)fgetc(file);
	fseek(file, at, SEEK_SET);
	fputc(byte, file);
	fclose(file);
	return old;
}

/* A byte of the file: it may be an unused one. */
static void damage_file(struct keeper *k, struct wf_random *random)
{
	const char *path = k->f.place.url + strlen("sqlite:");
	uint32_t at = wf_random_below(random, UINT32_MAX);
	unsigned char old = exchange_byte(
	    path, at, (unsigned char)wf_random_below(random, 256));
	enum wf_rc rc = check(k, false);

	CU_ASSERT_TRUE(rc == WF_OK || rc == WF_CORRUPT || rc == WF_CONFLICT ||
		       rc == WF_IO);
	exchange_byte(path, at, old);
}

static void run_random(uint64_t seed, unsigned rounds)
{
	struct wf_random random = { .state = seed };
	struct keeper k;

	open_keeper(&k, &store_kinds[1]);
	CU_ASSERT_TRUE_FATAL(is_sqlite(&k));
	live(&k, &random);
	close_engine(&k);
	OK(check(&k, false));
	CU_ASSERT_EQUAL(k.counts.damage, 0);
	if (k.counts.damage > 0)
		printf("integrity: WEFT_SEED=%llu:\n%s",
		    (unsigned long long)seed, wf_buffer_text(&k.text));
	for (unsigned i = 0; i < rounds; i++)
		damage_bytes(&k, &random);
	OK(check(&k, false));
	CU_ASSERT_EQUAL(k.counts.damage, 0);
	for (unsigned i = 0; i < rounds; i++)
		damage_file(&k, &random);
	OK(check(&k, false));
	CU_ASSERT_EQUAL(k.counts.damage, 0);
	free_keeper(&k);
}

static void test_random(void)
{
	const char *text = getenv("WEFT_SEED");
	uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : DEFAULT_SEED;

	for (unsigned i = 0; i < test_dear_rounds(6); i++)
		run_random(seed + i, 40);
}

/* A byte of this run makes a ring of the table of cases. */
static void test_ring(void)
{
	run_random(80445856, 40);
}

CU_TestInfo wf_tests_integrity[] = {
	{ "steps with a checksum", test_checksums_of_steps },
	{ "values with a checksum", test_checksums_of_values },
	{ "a store that is whole", test_whole },
	{ "a store in use", test_in_use },
	{ "each kind of damage", test_damage },
	{ "damaged cases are quarantined", test_quarantined },
	{ "a long name", test_long_name },
	{ "quarantined without an incident",
	    test_quarantined_without_incident },
	{ "damaged specifications", test_specification_quarantined },
	{ "random lives, random damage", test_random },
	{ "a table without an end", test_ring },
	CU_TEST_INFO_NULL,
};
