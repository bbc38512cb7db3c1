/* SPDX-License-Identifier: Apache-2.0 */
/* New stores, and small batches. */
#include "tests/unit/store_fixture.h"

#include <CUnit/CUnit.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/seed.h"

/* --- stores --------------------------------------------------------------- */

struct wf_store *store_open(const char *url, unsigned flags)
{
	struct wf_error err = { 0 };
	struct wf_store *store = NULL;

	if (wf_store_open(&store, url, flags, &err) != WF_OK)
		fprintf(stderr, "%s: %s\n", url, err.message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(store);
	return store;
}

static void make_memory(struct store_fixture *f)
{
	static unsigned number;

	snprintf(f->url, sizeof f->url, "memory:test%u", ++number);
	f->keeper = store_open(f->url, WF_STORE_CREATE);
}

static void free_memory(struct store_fixture *f)
{
	wf_store_close(&f->keeper);
}

/* A folder where syncing costs nothing, if there is one. */
void store_make_folder(struct store_fixture *f)
{
	snprintf(f->folder, sizeof f->folder, "%s/weft-store-XXXXXX",
	    access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(f->folder));
	snprintf(f->url, sizeof f->url, "sqlite:%s/weft.db", f->folder);
}

static void make_sqlite(struct store_fixture *f)
{
	struct wf_store *store;

	store_make_folder(f);
	store = store_open(f->url, WF_STORE_CREATE);
	wf_store_close(&store);
}

/* WEFT_KEEP_STORES=FOLDER keeps stores there, for make.sh. */
static void keep_store(const char *path)
{
	const char *folder = getenv("WEFT_KEEP_STORES");
	static unsigned number;
	char name[512];

	if (folder == NULL)
		return;
	snprintf(name, sizeof name, "%s/%02u.db", folder, ++number);
	if (rename(path, name) != 0)
		perror(name);
}

void store_free_folder(struct store_fixture *f)
{
	static const char *const names[] = { "weft.db", "weft.db-wal",
		"weft.db-shm", "weft.db-lock" };
	char path[128];

	snprintf(path, sizeof path, "%s/%s", f->folder, names[0]);
	keep_store(path);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		snprintf(path, sizeof path, "%s/%s", f->folder, names[i]);
		unlink(path);
	}
	rmdir(f->folder);
}

static void edit_sqlite(const char *url, const char *sql)
{
	char *message = NULL;
	sqlite3 *db;

	CU_ASSERT_EQUAL_FATAL(
	    sqlite3_open(url + strlen("sqlite:"), &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
		fprintf(stderr, "%s: %s\n", sql, message);
		CU_FAIL_FATAL("a store cannot be changed");
	}
	sqlite3_close(db);
}

/* --- PostgreSQL: a schema for each store --------------------------------- */

void store_make_schema(struct store_fixture *f)
{
	static unsigned number;

	snprintf(
	    f->schema, sizeof f->schema, "t%d_%u", (int)getpid(), ++number);
	snprintf(f->url, sizeof f->url,
	    "%s?application_name=%s&options=-csearch_path%%3D%s",
	    getenv("WEFT_TEST_POSTGRESQL"), f->schema, f->schema);
}

static PGresult *ask(PGconn *connection, const char *sql)
{
	PGresult *result = PQexec(connection, sql);

	if (PQresultStatus(result) != PGRES_COMMAND_OK &&
	    PQresultStatus(result) != PGRES_TUPLES_OK) {
		fprintf(stderr, "%s: %s\n", sql, PQerrorMessage(connection));
		CU_FAIL("PostgreSQL does not do what a test asks for");
	}
	return result;
}

PGresult *store_ask(const char *url, const char *sql)
{
	PGconn *connection = PQconnectdb(url);
	PGresult *result = ask(connection, sql);

	PQfinish(connection);
	return result;
}

/* The connection of store_edit(): a new one costs more than most edits. */
static PGconn *editor;
static char edited[sizeof((struct store_fixture *)NULL)->url];

static void edit_postgresql(const char *url, const char *sql)
{
	if (editor == NULL || strcmp(edited, url) != 0) {
		store_edit_end();
		editor = PQconnectdb(url);
		snprintf(edited, sizeof edited, "%s", url);
	}
	PQclear(ask(editor, sql));
}

void store_edit_end(void)
{
	PQfinish(editor);
	editor = NULL;
}

void store_edit(const char *url, const char *sql)
{
	if (strncmp(url, "sqlite:", 7) == 0)
		edit_sqlite(url, sql);
	else
		edit_postgresql(url, sql);
}

/*
 * Schemas that are free: one serves one test after the other, because to make
 * one costs ten times as much as to put back what was in its tables when it was
 * new, which is kept in a schema beside it.
 */
static struct store_fixture free_schemas[4];
static size_t free_count;

/* For each table of the schema. */
#define TABLES(statements)                                                     \
	"DO $$ DECLARE t name; s name = current_schema(); BEGIN"               \
	" FOR t IN SELECT relname FROM pg_class WHERE relkind IN ('r', 'p')"   \
	" AND relnamespace = s::regnamespace AND NOT relispartition LOOP"      \
	" " statements " END LOOP; END $$"

static const char keep_new[] =
    "DO $$ BEGIN EXECUTE 'CREATE SCHEMA ' || current_schema() || '_new';"
    " END $$;" TABLES("EXECUTE format('CREATE TABLE %I.%I AS TABLE %I',"
		      " s || '_new', t, t);");

static const char put_back[] =
    TABLES("EXECUTE format('DELETE FROM %I', t);"
	   "EXECUTE format('INSERT INTO %I TABLE %I.%I', t, s || '_new', t);");

static void make_postgresql(struct store_fixture *f)
{
	struct wf_store *store;

	if (!f->is_own && free_count > 0) {
		*f = free_schemas[--free_count];
		edit_postgresql(f->url, put_back);
		return;
	}
	store_make_schema(f);
	store = store_open(f->url, WF_STORE_CREATE);
	wf_store_close(&store);
	if (!f->is_own)
		edit_postgresql(f->url, keep_new);
}

void store_free_schema(struct store_fixture *f)
{
	char sql[160];

	snprintf(sql, sizeof sql,
	    "SET client_min_messages = error;"
	    "DROP SCHEMA IF EXISTS %s, %s_new CASCADE",
	    f->schema, f->schema);
	edit_postgresql(f->url, sql);
	store_edit_end();
}

static void free_postgresql(struct store_fixture *f)
{
	struct store_fixture *kept = &free_schemas[free_count];

	if (f->is_own ||
	    free_count == sizeof free_schemas / sizeof free_schemas[0]) {
		store_free_schema(f);
		return;
	}
	free_count++;
	memset(kept, 0, sizeof *kept);
	memcpy(kept->schema, f->schema, sizeof kept->schema);
	memcpy(kept->url, f->url, sizeof kept->url);
}

void store_free_kept(void)
{
	while (free_count > 0)
		store_free_schema(&free_schemas[--free_count]);
	store_edit_end();
}

/* --- all kinds ------------------------------------------------------------ */

const struct store_kind store_kinds[] = {
	{ "memory", make_memory, free_memory },
	{ "sqlite", make_sqlite, store_free_folder },
	{ "postgresql", make_postgresql, free_postgresql },
};

void store_renew(struct store_fixture *f, const struct store_kind *kind)
{
	if (f->url[0] != '\0')
		kind->unmake(f);
	memset(f, 0, sizeof(*f));
	kind->make(f);
}

size_t store_kind_sample(void)
{
	size_t count = store_kind_count();

	return test_is_dear() &&
		       count == sizeof store_kinds / sizeof store_kinds[0]
		   ? count - 1
		   : count;
}

size_t store_kind_count(void)
{
	size_t count = sizeof store_kinds / sizeof store_kinds[0];

	static bool reported;

	if (getenv("WEFT_TEST_POSTGRESQL") != NULL)
		return count;
	if (!reported)
		printf("PostgreSQL: skipped, there is no server to test on\n");
	reported = true;
	return count - 1;
}

void store_set_up(
    struct store_fixture *f, const struct store_kind *kind, bool is_own)
{
	memset(f, 0, sizeof(*f));
	f->is_own = is_own;
	kind->make(f);
	f->store = store_open(f->url, 0);
	f->other = store_open(f->url, 0);
	f->arena = wf_arena_new();
}

void store_tear_down(struct store_fixture *f, const struct store_kind *kind)
{
	wf_store_close(&f->store);
	wf_store_close(&f->other);
	wf_arena_free(&f->arena);
	kind->unmake(f);
}

void store_on_each(void (*test)(struct store_fixture *f))
{
	size_t count = store_kind_count();

	for (size_t i = 0; i < count; i++) {
		struct store_fixture f;

		store_set_up(&f, &store_kinds[i], false);
		test(&f);
		store_tear_down(&f, &store_kinds[i]);
	}
}

void store_on_postgresql(void (*test)(struct store_fixture *f))
{
	size_t count = store_kind_count();
	const struct store_kind *kind = &store_kinds[count - 1];
	struct store_fixture f;

	if (strcmp(kind->name, "postgresql") != 0)
		return;
	store_set_up(&f, kind, true);
	test(&f);
	store_tear_down(&f, kind);
}

/* --- small batches -------------------------------------------------------- */

const struct wf_bytes store_bytes = { "bytes", 5 };

struct wf_history_row store_history_row(uint64_t number, uint64_t sequence)
{
	return (struct wf_history_row){ .number = number,
		.sequence = sequence,
		.at = (int64_t)sequence,
		.actor = "admin",
		.origin = "test",
		.format = 1,
		.command = "id",
		.events = store_bytes };
}

struct wf_case_write store_new_case(uint64_t number, const char *name)
{
	return (struct wf_case_write){ .row = { .number = number,
					   .namespace_id = 1,
					   .name = name,
					   .specification = 7,
					   .title = "title",
					   .owner = "admin",
					   .version = 1,
					   .launched_at = 1,
					   .changed_at = 1 },
		.snapshot = store_bytes };
}

enum wf_rc store_launch(
    struct store_fixture *f, uint64_t number, const char *name, uint64_t *cause)
{
	struct wf_claim claim = { .namespace_id = 1, .name = name };
	struct wf_batch batch = { .claims = &claim, .claim_count = 1 };
	struct wf_case_write write = store_new_case(number, name);
	struct wf_history_row step = store_history_row(number, 1);
	struct wf_item_write item = { .row = { .number = number,
					  .id = "T",
					  .namespace_id = 1,
					  .specification = 7,
					  .task = "T",
					  .service = "echo",
					  .enabled_at = (int64_t)number },
		.groups = WF_ITEM_KERNEL };
	struct wf_writes writes = { .cases = &write,
		.case_count = 1,
		.history = &step,
		.history_count = 1,
		.items = &item,
		.item_count = 1 };

	OK(wf_store_begin(f->store, &batch, f->arena, &f->err));
	return wf_store_commit(f->store, &writes, cause, &f->err);
}

enum wf_take_state store_take(struct store_fixture *f, struct wf_store *store,
    uint64_t number, uint64_t known, struct wf_take *take_out)
{
	struct wf_batch batch = { .takes = take_out, .take_count = 1 };

	memset(take_out, 0, sizeof(*take_out));
	take_out->number = number;
	take_out->known = known;
	OK(wf_store_begin(store, &batch, f->arena, &f->err));
	return take_out->state;
}

enum wf_rc store_step_to(struct store_fixture *f, struct wf_store *store,
    const struct wf_take *taken, enum wf_case_change change, uint64_t expected,
    uint64_t *cause)
{
	struct wf_case_write write = {
		.row = taken->stored.row, .expected = expected, .change = change
	};
	struct wf_history_row step =
	    store_history_row(taken->number, expected + 1);
	struct wf_writes writes = { .cases = &write,
		.case_count = 1,
		.history = &step,
		.history_count = 1 };

	write.row.version = expected + 1;
	write.row.changed_at = (int64_t)expected + 1;
	return wf_store_commit(store, &writes, cause, &f->err);
}

void store_write_queues(struct store_fixture *f, const struct wf_due_write *due,
    size_t due_count, const struct wf_message_row *messages,
    size_t message_count)
{
	struct wf_writes writes = { .due = due,
		.due_count = due_count,
		.messages = messages,
		.message_count = message_count };
	struct wf_take taken;

	CU_ASSERT_EQUAL(store_take(f, f->store, 1, 1, &taken), WF_TAKE_TAKEN);
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
}

struct wf_message_row store_message_row(
    uint64_t number, const char *destination, const char *subject)
{
	return (struct wf_message_row){ .number = 1,
		.message = number,
		.destination = destination,
		.subject = subject,
		.at = 10,
		.payload = store_bytes };
}
