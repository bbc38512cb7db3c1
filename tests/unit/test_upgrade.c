/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes of different versions on one store: which versions may work on it, when
 * a version is finished, and what an engine may write before.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "persistence/migrations.h"
#include "persistence/nodes.h"
#include "tests/unit/engine_fixture.h"

#define NOW INT64_C(1000000000000)
#define SECOND INT64_C(1000)

/* --- the store ------------------------------------------------------------ */

static uint32_t known(void)
{
	return wf_store_known_version();
}

/* As if the tables had been migrated, or finished, by another program. */
static void set_finished(struct wf_store *store, uint32_t version)
{
	char text[16];
	struct wf_record_row row = { .kind = WF_UPGRADE_KIND,
		.name = WF_FINISHED_NAME };

	snprintf(text, sizeof text, "%u", version);
	row.value = (struct wf_bytes){ text, strlen(text) };
	OK(wf_store_put_record(store, &row, NULL));
}

static uint32_t finished(struct store_fixture *f)
{
	uint32_t version = 0;

	OK(wf_store_finished_version(f->other, &version, &f->err));
	return version;
}

static enum wf_rc put_node(
    struct store_fixture *f, uint64_t number, uint32_t version, int64_t seen_at)
{
	const struct wf_node node = { .number = number,
		.version = version,
		.started_at = NOW,
		.seen_at = seen_at,
		.host = "left.example.org",
		.program = "0.0" };
	uint32_t found;

	return wf_store_put_node(f->store, &node, &found, &f->err);
}

/* "NUMBER:VERSION " of each. */
static const char *nodes(struct store_fixture *f, int64_t now)
{
	struct wf_node_list list;
	const char *text = "";

	OK(wf_store_nodes(f->other, now, f->arena, &list, &f->err));
	for (size_t i = 0; i < list.count; i++)
		text = wf_arena_printf(f->arena, "%s%llu:%u ", text,
		    (unsigned long long)list.rows[i].number,
		    list.rows[i].version);
	return text;
}

static void check_new(struct store_fixture *f)
{
	CU_ASSERT_EQUAL(wf_store_version(f->store), known());
	CU_ASSERT_EQUAL(finished(f), known());
	CU_ASSERT_STRING_EQUAL(nodes(f, NOW), "");
	OK(wf_store_finish(f->store, NOW, &f->err));
	CU_ASSERT_EQUAL(finished(f), known());
}

static void test_new(void)
{
	store_on_each(check_new);
}

static void check_nodes(struct store_fixture *f)
{
	struct wf_node_list list;

	OK(put_node(f, 10, known(), NOW));
	OK(put_node(f, 9, known() + 1, NOW + SECOND));
	CU_ASSERT_STRING_EQUAL(nodes(f, NOW),
	    wf_arena_printf(f->arena, "9:%u 10:%u ", known() + 1, known()));
	OK(wf_store_nodes(f->store, NOW, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL(list.rows[0].started_at, NOW);
	CU_ASSERT_EQUAL(list.rows[0].seen_at, NOW + SECOND);
	CU_ASSERT_STRING_EQUAL(list.rows[0].host, "left.example.org");
	CU_ASSERT_STRING_EQUAL(list.rows[0].program, "0.0");
	/* The one that is gone is removed when another one writes. */
	CU_ASSERT_STRING_EQUAL(nodes(f, NOW + WF_NODE_LEASE_MS + SECOND),
	    wf_arena_printf(f->arena, "9:%u ", known() + 1));
	OK(put_node(f, 9, known(), NOW + WF_NODE_LEASE_MS + SECOND));
	CU_ASSERT_STRING_EQUAL(
	    nodes(f, NOW), wf_arena_printf(f->arena, "9:%u ", known()));
	OK(wf_store_remove_node(f->store, 9, &f->err));
	CU_ASSERT_STRING_EQUAL(nodes(f, NOW), "");
}

static void test_nodes(void)
{
	store_on_each(check_nodes);
}

/* Refused while a node lives that does not know the version. */
static void check_finish(struct store_fixture *f)
{
	set_finished(f->store, known() - 1);
	CU_ASSERT_EQUAL(finished(f), known() - 1);
	OK(put_node(f, 1, known(), NOW));
	OK(put_node(f, 2, known() - 1, NOW));
	CU_ASSERT_EQUAL(wf_store_finish(f->store, NOW, &f->err), WF_CONFLICT);
	CU_ASSERT_PTR_NOT_NULL(
	    strstr(f->err.message, "2 (left.example.org, Weft 0.0)"));
	wf_error_clear(&f->err);
	REFUSED(f, WF_CONFLICT,
	    wf_store_finish(f->store, NOW + WF_NODE_LEASE_MS, &f->err));
	CU_ASSERT_EQUAL(finished(f), known() - 1);

	OK(wf_store_remove_node(f->other, 2, &f->err));
	OK(wf_store_finish(f->store, NOW, &f->err));
	CU_ASSERT_EQUAL(finished(f), known());
	REFUSED(f, WF_CONFLICT, put_node(f, 2, known() - 1, NOW));
	CU_ASSERT_STRING_EQUAL(
	    nodes(f, NOW), wf_arena_printf(f->arena, "1:%u ", known()));
}

static void test_finish(void)
{
	store_on_each(check_finish);
}

/* It was killed, and its time has passed: it does not hold up the others. */
static void check_killed(struct store_fixture *f)
{
	set_finished(f->store, known() - 1);
	OK(put_node(f, 1, known() - 1, NOW));
	OK(wf_store_finish(f->store, NOW + WF_NODE_LEASE_MS + 1, &f->err));
	CU_ASSERT_EQUAL(finished(f), known());
	CU_ASSERT_STRING_EQUAL(nodes(f, NOW), "");
	/* If it was only slow, it is refused. */
	REFUSED(f, WF_CONFLICT, put_node(f, 1, known() - 1, NOW + SECOND));
}

static void test_killed(void)
{
	store_on_each(check_killed);
}

static void check_damage(struct store_fixture *f)
{
	const struct wf_record_row node = {
		.kind = "node", .name = "5", .value = { "?", 1 }
	};
	const struct wf_record_row version = { .kind = WF_UPGRADE_KIND,
		.name = WF_FINISHED_NAME,
		.value = { "?", 1 } };
	uint32_t found;

	OK(wf_store_put_record(f->store, &node, &f->err));
	CU_ASSERT_STRING_EQUAL(nodes(f, NOW), "");
	OK(put_node(f, 1, known(), NOW));
	OK(wf_store_put_record(f->store, &version, &f->err));
	REFUSED(f, WF_CORRUPT,
	    wf_store_finished_version(f->store, &found, &f->err));
	REFUSED(f, WF_CORRUPT, put_node(f, 1, known(), NOW));
}

static void test_damage(void)
{
	store_on_each(check_damage);
}

/* --- migrations ----------------------------------------------------------- */

/* Tables as the program before this one has made them. */
static void make_older(struct store_fixture *older)
{
	char sql[256];

	store_make_schema(older);
	snprintf(sql, sizeof sql, "CREATE SCHEMA %s", older->schema);
	store_edit(older->url, sql);
	for (uint32_t i = 1; i < known(); i++)
		store_edit(older->url, wf_migration("postgresql", i)->sql);
	snprintf(sql, sizeof sql,
	    "INSERT INTO store (name, value) VALUES ('version', '%u'),"
	    " ('identity', '0123456789abcdef0123456789abcdef')",
	    known() - 1);
	store_edit(older->url, sql);
}

static void check_migration(struct store_fixture *f)
{
	struct store_fixture older = { 0 };
	uint32_t version = 0;

	make_older(&older);
	REFUSED(
	    f, WF_CONFLICT, wf_store_open(&older.store, older.url, 0, &f->err));
	for (unsigned i = 0; i < 2; i++) {
		older.store = store_open(older.url, WF_STORE_MIGRATE);
		CU_ASSERT_EQUAL(
		    wf_store_version_found(older.store), known() - 1 + i);
		CU_ASSERT_EQUAL(wf_store_version(older.store), known());
		OK(wf_store_finished_version(older.store, &version, &f->err));
		CU_ASSERT_EQUAL(version, known() - 1);
		wf_store_close(&older.store);
	}
	older.store = store_open(older.url, 0);
	OK(wf_store_finish(older.store, NOW, &f->err));
	OK(wf_store_finished_version(older.store, &version, &f->err));
	CU_ASSERT_EQUAL(version, known());
	wf_store_close(&older.store);
	store_free_schema(&older);
}

static void test_migration(void)
{
	store_on_postgresql(check_migration);
}

/*
 * This program is the older one: another has migrated the tables, which only
 * adds to them, so this one goes on, and also opens them anew, until they are
 * finished.
 */
static void check_older_program(struct store_fixture *f)
{
	struct wf_store *later;
	char sql[256];

	snprintf(sql, sizeof sql,
	    "ALTER TABLE cases ADD COLUMN later bigint NOT NULL DEFAULT 0;"
	    "CREATE TABLE later (id bigint PRIMARY KEY);"
	    "UPDATE store SET value = '%u' WHERE name = 'version'",
	    known() + 1);
	store_edit(f->url, sql);
	/* Finished, since there is no record of another version. */
	REFUSED(f, WF_CONFLICT, wf_store_open(&later, f->url, 0, &f->err));
	set_finished(f->store, known());
	later = store_open(f->url, WF_STORE_MIGRATE);
	CU_ASSERT_EQUAL(wf_store_version(later), known() + 1);
	OK(store_launch(f, 1, "a", NULL));
	OK(put_node(f, 1, known(), NOW));
	REFUSED(f, WF_CONFLICT, wf_store_finish(later, NOW, &f->err));
	wf_store_close(&later);
	set_finished(f->store, known() + 1);
	REFUSED(f, WF_CONFLICT, wf_store_open(&later, f->url, 0, &f->err));
	REFUSED(f, WF_CONFLICT, put_node(f, 1, known(), NOW));
}

static void test_older_program(void)
{
	store_on_postgresql(check_older_program);
}

/* Statements that the program before may not know, yet does not notice. */
static bool only_adds(const char *statement)
{
	/* A function that is replaced has the same arguments and result. */
	static const char *const begins[] = { "CREATE TABLE ", "CREATE INDEX ",
		"CREATE FUNCTION ", "CREATE OR REPLACE FUNCTION ",
		"CREATE VIEW ", "INSERT INTO ", "UPDATE " };
	const char *column = strstr(statement, " ADD COLUMN ");

	if (strncmp(statement, "ALTER TABLE ", 12) == 0)
		return column != NULL &&
		       (strstr(column, " NOT NULL") == NULL ||
			   strstr(column, " DEFAULT ") != NULL);
	for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
		if (strncmp(statement, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

/* The first version that nodes may meet without knowing it. */
#define ROLLING 6U

/* Behind a line with one "$$": in the body of a function, or behind it. */
static bool is_in_body(const char *line, bool was)
{
	const char *first = strstr(line, "$$");

	return was != (first != NULL && strstr(first + 2, "$$") == NULL);
}

/* A statement begins behind a line that ends with ';'; false: one does more. */
static bool all_only_add(const char *sql)
{
	bool begins = true;
	bool body = false;

	for (; *sql != '\0'; sql = strchr(sql, '\n') + 1) {
		size_t length = strcspn(sql, "\n");
		char line[200];

		snprintf(line, sizeof line, "%.*s", (int)length, sql);
		if (length == 0 || strncmp(line, "--", 2) == 0)
			continue;
		if (begins && !only_adds(line)) {
			printf("more than an addition: %s\n", line);
			return false;
		}
		body = is_in_body(line, body);
		begins = !body && sql[length - 1] == ';';
	}
	return true;
}

static void test_only_adds(void)
{
	static const char *const stores[] = { "sqlite", "postgresql" };

	CU_ASSERT_EQUAL(
	    wf_migration_count("sqlite"), wf_migration_count("postgresql"));
	for (size_t i = 0; i < 2; i++)
		for (uint32_t j = ROLLING; j <= known(); j++)
			CU_ASSERT_TRUE(
			    all_only_add(wf_migration(stores[i], j)->sql));
	CU_ASSERT_TRUE(only_adds("CREATE TABLE a ("));
	CU_ASSERT_TRUE(only_adds("ALTER TABLE a ADD COLUMN b bytea;"));
	CU_ASSERT_TRUE(
	    only_adds("ALTER TABLE a ADD COLUMN b text NOT NULL DEFAULT '';"));
	CU_ASSERT_FALSE(only_adds("ALTER TABLE a ADD COLUMN b int NOT NULL;"));
	CU_ASSERT_FALSE(only_adds("ALTER TABLE a RENAME COLUMN b TO c;"));
	CU_ASSERT_FALSE(only_adds("CREATE UNIQUE INDEX a ON b (c);"));
	CU_ASSERT_FALSE(only_adds("DROP INDEX a;"));
	CU_ASSERT_TRUE(all_only_add("-- a\nCREATE TABLE a (\n\tb int\n);\n"
				    "CREATE FUNCTION c() AS $$\nBEGIN\n"
				    "\tDROP;\nEND $$;\nINSERT INTO a\n"
				    "\tVALUES (1);\n"));
	CU_ASSERT_FALSE(
	    all_only_add("INSERT INTO a\n\tVALUES (1);\nDROP a;\n"));
}

/* --- the engine ----------------------------------------------------------- */

static void on_shared(void (*test)(struct wf_fixture *f))
{
	static const char *const kinds[] = { "memory", "postgresql" };
	size_t count = getenv("WEFT_TEST_POSTGRESQL") == NULL ? 1 : 2;

	for (size_t i = 0; i < count; i++) {
		struct wf_fixture f;

		wf_fixture_init_on(&f, kinds[i]);
		OK(wf_store_open(&f.store, f.place.url, WF_STORE_CREATE, NULL));
		test(&f);
		wf_fixture_free(&f);
	}
}

static size_t count_nodes(struct wf_fixture *f)
{
	struct wf_node_list list;

	OK(wf_store_nodes(f->store, f->now, f->arena, &list, &f->err));
	return list.count;
}

/* A node is known while it lives, and for a while if it is killed. */
static void check_record(struct wf_fixture *f)
{
	wf_fixture_open(f);
	CU_ASSERT_EQUAL(count_nodes(f), 1);
	for (unsigned i = 0; i < 5; i++) {
		f->now += WF_NODE_LEASE_MS / 2;
		wf_fixture_turn(f);
		CU_ASSERT_EQUAL(count_nodes(f), 1);
	}
	wf_engine_close(&f->engine);
	CU_ASSERT_EQUAL(count_nodes(f), 0);
	wf_fixture_open(f);
	wf_engine_abandon(&f->engine);
	CU_ASSERT_EQUAL(count_nodes(f), 1);
	wf_fixture_open(f);
	CU_ASSERT_EQUAL(count_nodes(f), 2);
	f->now += WF_NODE_LEASE_MS + SECOND;
	wf_fixture_turn(f);
	CU_ASSERT_EQUAL(count_nodes(f), 1);
}

static void test_record(void)
{
	on_shared(check_record);
}

static void check_may_write(struct wf_fixture *f)
{
	set_finished(f->store, known() - 1);
	wf_fixture_open(f);
	OK(wf_fixture_load_process(f));
	CU_ASSERT_EQUAL(wf_fixture_launch(f), 1);
	OK(wf_engine_may_write(f->engine, 0, NULL));
	OK(wf_engine_may_write(f->engine, known() - 1, NULL));
	CU_ASSERT_EQUAL(
	    wf_engine_may_write(f->engine, known(), &f->err), WF_CONFLICT);
	CU_ASSERT_PTR_NOT_NULL(
	    strstr(f->err.message, "weft db migrate --finish"));
	wf_error_clear(&f->err);
	/* Its own node knows the version. */
	OK(wf_store_finish(f->store, f->now, &f->err));
	f->now += SECOND;
	wf_fixture_turn(f);
	OK(wf_engine_may_write(f->engine, known(), NULL));
}

static void test_may_write(void)
{
	on_shared(check_may_write);
}

static void note_superseded(void *context, const struct wf_notice *notice)
{
	struct wf_fixture *f = context;

	if (notice->kind == WF_NOTICE_SUPERSEDED)
		f->broken_item = "superseded";
}

/* A later version was finished while this node was taken for gone. */
static void check_superseded(struct wf_fixture *f)
{
	f->settings.notice = note_superseded;
	wf_fixture_open(f);
	OK(wf_fixture_load_process(f));
	CU_ASSERT_EQUAL(wf_fixture_launch(f), 1);
	set_finished(f->store, known() + 1);
	f->now += WF_NODE_LEASE_MS;
	wf_fixture_turn(f);
	CU_ASSERT_PTR_NOT_NULL(f->broken_item);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(f, 1, WF_COMMAND_FINISH, "1:A", NULL, NULL),
	    WF_UNAVAILABLE);
	CU_ASSERT_PTR_NOT_NULL(strstr(f->err.message, "new program"));
	wf_engine_close(&f->engine);
	wf_error_clear(&f->err);
	CU_ASSERT_EQUAL(
	    wf_engine_open(&f->engine, &f->settings, &f->err), WF_CONFLICT);
	wf_error_clear(&f->err);
}

static void test_superseded(void)
{
	on_shared(check_superseded);
}

CU_TestInfo wf_tests_upgrade[] = {
	{ "a new store is finished", test_new },
	{ "nodes have records", test_nodes },
	{ "a version is finished when all know it", test_finish },
	{ "a node that was killed is gone", test_killed },
	{ "damaged records", test_damage },
	{ "a migrated store is not finished", test_migration },
	{ "an older program goes on until then", test_older_program },
	{ "migrations only add", test_only_adds },
	{ "an engine is a node", test_record },
	{ "what is new is written when it is finished", test_may_write },
	{ "a node that is too old ends", test_superseded },
	CU_TEST_INFO_NULL,
};
