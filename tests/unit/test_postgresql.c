/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in PostgreSQL: databases that it opens and refuses, connections
 * that break, nodes that freeze, and what nodes see of each other.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "persistence/store.h"
#include "tests/unit/store_fixture.h"

static void wait_ms(long milliseconds)
{
	struct timespec time = { milliseconds / 1000,
		milliseconds % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static void ask(struct store_fixture *f, const char *sql)
{
	PQclear(store_ask(f->url, sql));
}

static uint64_t ask_number(struct store_fixture *f, const char *sql)
{
	PGresult *result = store_ask(f->url, sql);
	uint64_t number = strtoull(PQgetvalue(result, 0, 0), NULL, 10);

	PQclear(result);
	return number;
}

static void close_both(struct store_fixture *f)
{
	wf_store_close(&f->store);
	wf_store_close(&f->other);
}

static struct wf_store *open_with(struct store_fixture *f, const char *option)
{
	char url[320];

	snprintf(url, sizeof url, "%s%s", f->url, option);
	return store_open(url, 0);
}

/* --- opening -------------------------------------------------------------- */

static void check_versions(struct store_fixture *f)
{
	struct wf_store *store;
	struct store_fixture none = { 0 };

	store_make_schema(&none);
	REFUSED(f, WF_CONFLICT, wf_store_open(&store, none.url, 0, &f->err));
	store = store_open(none.url, WF_STORE_CREATE);
	CU_ASSERT_EQUAL(wf_store_version_found(store), 0);
	CU_ASSERT_EQUAL(wf_store_version(store), 8);
	CU_ASSERT_STRING_NOT_EQUAL(
	    wf_store_identity(store), wf_store_identity(f->store));
	wf_store_close(&store);
	ask(&none, "UPDATE store SET value = '99' WHERE name = 'version'");
	REFUSED(f, WF_CONFLICT,
	    wf_store_open(&store, none.url, WF_STORE_MIGRATE, &f->err));
	/* A database without the rows of every store is damaged, not empty. */
	ask(&none, "DELETE FROM store WHERE name = 'version'");
	REFUSED(f, WF_CORRUPT,
	    wf_store_open(&store, none.url, WF_STORE_CREATE, &f->err));
	ask(&none, "INSERT INTO store (name, value) VALUES ('version', '8')");
	ask(&none, "DELETE FROM store WHERE name = 'identity'");
	REFUSED(f, WF_CORRUPT, wf_store_open(&store, none.url, 0, &f->err));
	store_free_schema(&none);
}

/* Another program's table may have the same name. */
static void check_foreign(struct store_fixture *f)
{
	struct store_fixture none = { 0 };
	struct wf_store *store;
	char sql[128];

	store_make_schema(&none);
	snprintf(sql, sizeof sql,
	    "CREATE SCHEMA %s; CREATE TABLE %s.store (id integer)", none.schema,
	    none.schema);
	ask(f, sql);
	CU_ASSERT_EQUAL(
	    wf_store_open(&store, none.url, WF_STORE_CREATE, &f->err),
	    WF_CONFLICT);
	CU_ASSERT_PTR_NOT_NULL(strstr(f->err.message, "not one of Weft's"));
	wf_error_clear(&f->err);
	store_free_schema(&none);
}

static void test_foreign(void)
{
	store_on_postgresql(check_foreign);
}

static void test_versions(void)
{
	store_on_postgresql(check_versions);
}

static void check_settings(struct store_fixture *f)
{
	struct wf_store *store;
	char url[320];

	snprintf(url, sizeof url, "%s%%20-csynchronous_commit%%3Doff", f->url);
	REFUSED(f, WF_CONFLICT, wf_store_open(&store, url, 0, &f->err));
	OK(wf_store_open(&store, url, WF_STORE_UNSAFE, &f->err));
	wf_store_close(&store);
	snprintf(
	    url, sizeof url, "%s%%20-csynchronous_commit%%3Dlocal", f->url);
	OK(wf_store_open(&store, url, 0, &f->err));
	wf_store_close(&store);
	REFUSED(f, WF_UNAVAILABLE,
	    wf_store_open(&store,
		"postgresql://weft@127.0.0.1:1/none?connect_timeout=2", 0,
		&f->err));
}

static void test_settings(void)
{
	store_on_postgresql(check_settings);
}

static void check_password(struct store_fixture *f)
{
	char url[320];
	char *at = strchr(f->url, '@');
	struct wf_store *store;

	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	snprintf(url, sizeof url,
	    "%.*s:secret%.*s?sslpassword=secret&password=secret&%s",
	    (int)(at - f->url), f->url, (int)(strchr(at, '?') - at), at,
	    strchr(at, '?') + 1);
	store = store_open(url, 0);
	CU_ASSERT_PTR_NULL(strstr(wf_store_url(store), "secret"));
	wf_store_close(&store);
}

static void test_password(void)
{
	store_on_postgresql(check_password);
}

/* A node does not wait for answers that another node is deleting. */
static void check_forget(struct store_fixture *f)
{
	struct wf_lookup commands[2] = { { .id = "a/1" }, { .id = "a/2" } };
	struct wf_batch batch = { .commands = commands, .command_count = 2 };
	struct wf_answer_row answers[2] = { { .id = "a/1" }, { .id = "a/2" } };
	struct wf_writes writes = { .answers = answers, .answer_count = 2 };
	PGconn *holder = PQconnectdb(f->url);
	size_t count = 0;

	OK(wf_store_begin(f->store, &batch, f->arena, &f->err));
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
	PQclear(PQexec(holder,
	    "BEGIN; SELECT id FROM answer WHERE id = 'a/1' FOR UPDATE"));
	OK(wf_store_forget_answers(f->store, 1, 9, &count, &f->err));
	CU_ASSERT_EQUAL(count, 1);
	PQclear(PQexec(holder, "ROLLBACK")); /* seen late */
	PQfinish(holder);
	OK(wf_store_forget_answers(f->store, 1, 9, &count, &f->err));
	CU_ASSERT_EQUAL(count, 1);
}

static void test_forget(void)
{
	store_on_postgresql(check_forget);
}

/* Several nodes start on an empty database. */
static void check_start(struct store_fixture *f)
{
	struct store_fixture none = { 0 };
	pid_t nodes[4];

	(void)f;
	store_make_schema(&none);
	for (size_t i = 0; i < 4; i++) {
		nodes[i] = fork();
		if (nodes[i] == 0) {
			struct wf_store *store;
			struct wf_error err = { 0 };

			if (wf_store_open(&store, none.url, WF_STORE_CREATE,
				&err) != WF_OK)
				fprintf(stderr, "%s\n", err.message);
			_exit((int)err.rc);
		}
	}
	for (size_t i = 0; i < 4; i++) {
		int status = -1;

		waitpid(nodes[i], &status, 0);
		CU_ASSERT_EQUAL(status, 0);
	}
	store_free_schema(&none);
}

static void test_start(void)
{
	store_on_postgresql(check_start);
}

/* --- connections ---------------------------------------------------------- */

/* Ends the connections of both handles. */
static void cut(struct store_fixture *f)
{
	ask(f, "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
	       " WHERE application_name = current_setting('application_name')"
	       " AND pid <> pg_backend_pid()");
}

static void check_cut(struct store_fixture *f)
{
	struct wf_take taken;
	uint64_t first = 0;

	OK(store_launch(f, 1, "one", NULL));
	/* Between calls the break is not noticed. */
	cut(f);
	OK(wf_store_reserve(f->store, WF_COUNTER_CASE, 1, &first, &f->err));
	CU_ASSERT_EQUAL(store_take(f, f->store, 1, 0, &taken), WF_TAKE_TAKEN);
	/* In a batch the transaction is lost, and the store knows it. */
	cut(f);
	REFUSED(f, WF_UNAVAILABLE,
	    store_step_to(f, f->store, &taken, WF_CASE_STEP, 1, NULL));
	CU_ASSERT_EQUAL(store_take(f, f->other, 1, 0, &taken), WF_TAKE_TAKEN);
	CU_ASSERT_EQUAL(taken.stored.row.version, 1);
	OK(store_step_to(f, f->other, &taken, WF_CASE_STEP, 1, NULL));
}

static void test_cut(void)
{
	store_on_postgresql(check_cut);
}

/* The connection breaks during the commit: a trigger ends it. */
static void check_lost(struct store_fixture *f)
{
	struct wf_take taken;
	struct wf_stored_case stored;
	enum wf_rc rc;

	OK(store_launch(f, 1, "one", NULL));
	ask(f, "CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS"
	       " 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid());"
	       " PERFORM pg_sleep(1); RETURN NULL; END';"
	       "CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON history_other"
	       " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
	       " EXECUTE FUNCTION cut()");
	store_take(f, f->store, 1, 1, &taken);
	rc = store_step_to(f, f->store, &taken, WF_CASE_STEP, 1, NULL);
	CU_ASSERT_EQUAL(rc, WF_LOST);
	wf_error_clear(&f->err);
	ask(f, "DROP TRIGGER cut ON history_other");
	OK(wf_store_case(f->store, 1, false, f->arena, &stored, &f->err));
	CU_ASSERT_EQUAL(stored.row.version, 1);
}

static void test_lost(void)
{
	store_on_postgresql(check_lost);
}

/*
 * Takes the case as a node that loses it when it is frozen for that long.
 * False: it lost it before it had it.
 */
static bool take_for(struct store_fixture *f, unsigned milliseconds)
{
	struct wf_take take = { .number = 1, .known = 1 };
	struct wf_batch batch = { .takes = &take, .take_count = 1 };
	char option[80];

	snprintf(option, sizeof option,
	    "%%20-cidle_in_transaction_session_timeout%%3D%u", milliseconds);
	wf_store_close(&f->store);
	f->store = open_with(f, option);
	return wf_store_begin(f->store, &batch, f->arena, NULL) == WF_OK;
}

/* A frozen node loses its cases. */
static void check_frozen(struct store_fixture *f)
{
	enum wf_take_state state = WF_TAKE_TAKEN;
	struct wf_take taken;

	OK(store_launch(f, 1, "one", NULL));
	/* It may be lost before this read: then the test itself was slow. */
	for (unsigned time = 200; time < 60000 && state == WF_TAKE_TAKEN;
	     time *= 3) {
		wf_store_abort(f->other);
		if (take_for(f, time))
			state = store_take(f, f->other, 1, 0, &taken);
	}
	CU_ASSERT_EQUAL(state, WF_TAKE_SKIPPED);
	for (unsigned tries = 0; tries < 6000 && state != WF_TAKE_TAKEN;
	     tries++) {
		wait_ms(20);
		wf_store_abort(f->other);
		state = store_take(f, f->other, 1, 0, &taken);
	}
	CU_ASSERT_EQUAL(state, WF_TAKE_TAKEN);
	REFUSED(f, WF_UNAVAILABLE,
	    store_step_to(f, f->store, &taken, WF_CASE_STEP, 1, NULL));
	OK(store_step_to(f, f->other, &taken, WF_CASE_STEP, 1, NULL));
}

static void test_frozen(void)
{
	store_on_postgresql(check_frozen);
}

/* --- changes by other nodes ----------------------------------------------- */

/*
 * A case is stepped while another node is taking it: the statement that takes
 * began before, and locks the row afterwards. A policy makes it wait in
 * between, for case 1.
 */
static const char gate[] =
    "DO $$ BEGIN"
    " EXECUTE format('CREATE ROLE %1$I', current_schema());"
    " EXECUTE format('GRANT USAGE ON SCHEMA %1$I TO %1$I', current_schema());"
    " EXECUTE format('GRANT ALL ON ALL TABLES IN SCHEMA %1$I TO %1$I',"
    " current_schema()); END $$;"
    "CREATE FUNCTION wait_for_1(number bigint) RETURNS boolean"
    " LANGUAGE plpgsql AS 'BEGIN IF number = 1 THEN"
    " PERFORM pg_advisory_lock_shared(4711);"
    " PERFORM pg_advisory_unlock_shared(4711);"
    " END IF; RETURN true; END';"
    "ALTER TABLE cases ENABLE ROW LEVEL SECURITY;"
    "CREATE POLICY gate ON cases USING (wait_for_1(number));";

/* In a process of its own: takes both cases, reports its result for case 2. */
static pid_t take_elsewhere(struct store_fixture *f)
{
	pid_t child = fork();
	struct wf_take takes[2] = { { .number = 1 }, { .number = 2 } };
	struct wf_batch batch = { .takes = takes, .take_count = 2 };
	struct wf_store *store;
	char option[80];

	if (child != 0)
		return child;
	snprintf(option, sizeof option, "%%20-crole%%3D%s", f->schema);
	store = open_with(f, option);
	if (wf_store_begin(store, &batch, f->arena, &f->err) != WF_OK)
		_exit(99);
	_exit((int)(takes[1].stored.row.version * 10 +
		    takes[1].stored.tail_count));
}

static void check_late_take(struct store_fixture *f)
{
	PGconn *holder = PQconnectdb(f->url);
	struct wf_take taken;
	char sql[128];
	int status = 0;
	pid_t child;

	OK(store_launch(f, 1, "one", NULL));
	OK(store_launch(f, 2, "two", NULL));
	ask(f, gate);
	PQclear(PQexec(holder, "SELECT pg_advisory_lock(4711)"));
	child = take_elsewhere(f);
	for (int tries = 0;
	     tries < 60000 &&
	     ask_number(f, "SELECT count(*) FROM pg_locks WHERE objid = 4711"
			   " AND NOT granted") == 0;
	     tries++)
		wait_ms(10);
	store_take(f, f->store, 2, 1, &taken);
	OK(store_step_to(f, f->store, &taken, WF_CASE_STEP, 1, NULL));
	PQfinish(holder);
	waitpid(child, &status, 0);
	/* Version 2, and the step from the snapshot to it. */
	CU_ASSERT_EQUAL(WEXITSTATUS(status), 21);
	snprintf(sql, sizeof sql, "DROP OWNED BY %s; DROP ROLE %s", f->schema,
	    f->schema);
	ask(f, sql);
}

static void test_late_take(void)
{
	store_on_postgresql(check_late_take);
}

static size_t stream_length(struct store_fixture *f, struct wf_store *store)
{
	struct wf_history_filter filter = { .limit = 100 };
	struct wf_history_list list = { 0 };

	OK(wf_store_history(store, &filter, f->arena, &list, &f->err));
	return list.count;
}

/* A row committed beside an older transaction appears when that has ended. */
static void check_no_gaps(struct store_fixture *f)
{
	struct wf_store *reader;
	struct wf_take taken;

	OK(store_launch(f, 1, "one", NULL));
	OK(store_launch(f, 2, "two", NULL));
	reader = store_open(f->url, 0);
	CU_ASSERT_EQUAL(stream_length(f, reader), 2);
	store_take(f, f->other, 1, 1, &taken);
	store_take(f, f->store, 2, 1, &taken);
	OK(store_step_to(f, f->store, &taken, WF_CASE_STEP, 1, NULL));
	CU_ASSERT_EQUAL(stream_length(f, reader), 2);
	wf_store_abort(f->other);
	CU_ASSERT_EQUAL(stream_length(f, reader), 3);
	wf_store_close(&reader);
}

static void test_no_gaps(void)
{
	store_on_postgresql(check_no_gaps);
}

/* A copy in another server, which has counted fewer transactions. */
static void check_restored(struct store_fixture *f)
{
	struct wf_history_filter filter = { .limit = 100 };
	struct wf_history_list list = { 0 };
	struct wf_cursor end = { 0 };

	OK(store_launch(f, 1, "one", NULL));
	close_both(f);
	ask(f, "UPDATE history SET position = 1000000000000;"
	       "UPDATE store SET value = 'another' WHERE name = 'server'");
	f->store = store_open(f->url, 0);
	OK(wf_store_history_end(f->store, &end, &f->err));
	CU_ASSERT_EQUAL(end.position, UINT64_C(1000000000000));
	OK(store_launch(f, 2, "two", NULL));
	filter.after = end;
	OK(wf_store_history(f->store, &filter, f->arena, &list, &f->err));
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].number, 2);
}

static void test_restored(void)
{
	store_on_postgresql(check_restored);
}

static void check_notify(struct store_fixture *f)
{
	bool notified = true;

	CU_ASSERT_TRUE(wf_store_is_shared(f->store));
	OK(wf_store_wait(f->other, 0, &notified, &f->err));
	CU_ASSERT_FALSE(notified);
	OK(wf_store_notify(f->store, &f->err));
	OK(wf_store_notify(f->store, &f->err));
	OK(wf_store_wait(f->other, 60000, &notified, &f->err));
	CU_ASSERT_TRUE(notified);
	while (notified)
		OK(wf_store_wait(f->other, 50, &notified, &f->err));
	/* It listens again after the connection broke. */
	cut(f);
	if (wf_store_wait(f->other, 0, &notified, &f->err) != WF_OK)
		OK(wf_store_wait(f->other, 0, &notified, NULL));
	wf_error_clear(&f->err);
	OK(wf_store_notify(f->store, &f->err));
	OK(wf_store_wait(f->other, 60000, &notified, &f->err));
	CU_ASSERT_TRUE(notified);
}

static void test_notify(void)
{
	store_on_postgresql(check_notify);
}

/* --- history by month ----------------------------------------------------- */

static void check_months(struct store_fixture *f)
{
	struct wf_claim claim = { .namespace_id = 1, .name = "now" };
	struct wf_batch batch = { .claims = &claim, .claim_count = 1 };
	struct wf_case_write write = store_new_case(2, "now");
	struct wf_history_row step = store_history_row(2, 1);
	struct wf_writes writes = { .cases = &write,
		.case_count = 1,
		.history = &step,
		.history_count = 1 };

	OK(store_launch(f, 1, "long ago", NULL));
	write.row.launched_at = (int64_t)time(NULL) * 1000;
	OK(wf_store_begin(f->store, &batch, f->arena, &f->err));
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
	CU_ASSERT_EQUAL(ask_number(f, "SELECT count(*) FROM history_other"), 1);
	CU_ASSERT_EQUAL(ask_number(f, "SELECT count(*) FROM history"
				      " WHERE tableoid = to_regclass("
				      "to_char(now() AT TIME ZONE 'UTC',"
				      " '\"history_\"YYYY_MM'))"),
	    1);
}

static void test_months(void)
{
	store_on_postgresql(check_months);
}

/* --- statements ----------------------------------------------------------- */

#define SIZE 50

/* The content of a batch: every kind of row, n times. */
struct everything {
	char names[2 * SIZE][16];
	struct wf_take takes[SIZE];
	struct wf_claim claims[SIZE];
	struct wf_lookup commands[SIZE];
	struct wf_case_write cases[2 * SIZE];
	struct wf_history_row history[2 * SIZE];
	struct wf_item_write items[3 * SIZE];
	struct wf_value_row values[SIZE];
	struct wf_due_write due[2 * SIZE];
	struct wf_message_row messages[SIZE];
	struct wf_answer_row answers[SIZE];
	struct wf_incident_write incidents[2 * SIZE];
	struct wf_involved_row involved[2 * SIZE];
	struct wf_term_row terms[2 * SIZE];
};

/* The i-th of n: a step of one case, the launch of another. */
static void add_to_everything(struct everything *all, size_t i, size_t n,
    uint64_t first, uint64_t first_new)
{
	static const enum wf_case_change changes[] = { WF_CASE_STEP,
		WF_CASE_END, WF_CASE_STEP };
	uint64_t number = first + i;
	uint64_t launched = first_new + i;

	snprintf(all->names[i], 16, "new%u", (unsigned)launched);
	all->takes[i].number = number;
	all->claims[i].namespace_id = 1;
	all->claims[i].name = all->names[i];
	all->commands[i].id = all->names[i];
	all->cases[i] = store_new_case(number, "");
	all->cases[i].snapshot.data = NULL;
	all->cases[i].row.version = 2;
	all->cases[i].expected = 1;
	all->cases[i].change = changes[i % 3];
	all->cases[n + i] = store_new_case(launched, all->names[i]);
	all->cases[n + i].snapshot.data = NULL;
	all->history[i] = store_history_row(number, 2);
	all->history[n + i] = store_history_row(launched, 1);
	all->items[i].row = (struct wf_item_row){ number, .id = "T" };
	all->items[n + i].row = (struct wf_item_row){ number, .id = "U" };
	all->items[n + i].groups = WF_ITEM_ALL;
	all->items[2 * n + i].row = (struct wf_item_row){ launched, .id = "T" };
	all->items[2 * n + i].groups = WF_ITEM_KERNEL;
	all->values[i] = (struct wf_value_row){ number, 1, store_bytes };
	all->due[i].row = (struct wf_due_row){ number, .name = "due" };
	all->due[n + i].row = (struct wf_due_row){ number, .name = "old" };
	all->due[n + i].remove = true;
	all->messages[i] = store_message_row(1, "a", "x");
	all->messages[i].number = number;
	all->answers[i] = (struct wf_answer_row){ .id = all->names[i] };
	all->incidents[i].row = (struct wf_incident_row){ .id = launched };
	all->incidents[n + i].row = (struct wf_incident_row){ .id = number };
	all->incidents[n + i].remove = true;
	all->involved[i] = (struct wf_involved_row){ number, "p" };
	all->involved[n + i] = (struct wf_involved_row){ launched, "p" };
	all->terms[i] = (struct wf_term_row){ number, "x", 1, "t" };
	all->terms[n + i] = (struct wf_term_row){ launched, ":w", 1, "" };
}

static void launch_many(struct store_fixture *f, uint64_t first, size_t n)
{
	struct everything *all = wf_arena_alloc(f->arena, sizeof(*all));
	struct wf_batch batch = { .claims = all->claims, .claim_count = n };
	struct wf_writes writes = { .cases = all->cases + n,
		.case_count = n,
		.history = all->history + n,
		.history_count = n };

	for (size_t i = 0; i < n; i++)
		add_to_everything(all, i, n, 0, first);
	OK(wf_store_begin(f->store, &batch, f->arena, &f->err));
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
}

/*
 * The number of statements of a batch with everything, n times; of new cases.
 */
static uint64_t statements_of(struct store_fixture *f, uint64_t first, size_t n)
{
	struct everything *all = wf_arena_alloc(f->arena, sizeof(*all));
	struct wf_batch batch = { all->takes, n, all->claims, n, all->commands,
		n };
	struct wf_writes writes = { all->cases, 2 * n, NULL, 0, all->items,
		3 * n, all->values, n, all->history, 2 * n, all->due, 2 * n,
		all->messages, n, all->answers, n, all->incidents, 2 * n,
		all->involved, 2 * n, NULL, 0, all->terms, 2 * n };
	uint64_t before;

	launch_many(f, first, n);
	before = wf_store_statements(f->store);
	for (size_t i = 0; i < n; i++)
		add_to_everything(all, i, n, first, first + SIZE);
	OK(wf_store_begin(f->store, &batch, f->arena, &f->err));
	for (size_t i = 0; i < n; i++) {
		CU_ASSERT_EQUAL(all->takes[i].state, WF_TAKE_TAKEN);
		CU_ASSERT_EQUAL(all->takes[i].stored.tail_count, 1);
		all->cases[i].row = all->takes[i].stored.row;
		all->cases[i].row.version++;
	}
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
	return wf_store_statements(f->store) - before;
}

static void check_statements(struct store_fixture *f)
{
	CU_ASSERT_TRUE(statements_of(f, 1, 2) <= 10);
	CU_ASSERT_TRUE(statements_of(f, 1001, SIZE) <= 10);
}

static void test_statements(void)
{
	store_on_postgresql(check_statements);
}

/* --- plans ---------------------------------------------------------------- */

static const char *const tables[] = { "cases", "ended", "name", "history_other",
	"value", "item", "due", "message", "answer", "incident" };

static const char much[] =
    "INSERT INTO cases SELECT i % 256, 1, 100000 + i, 7, 1, 'n' || i, '', '',"
    " NULL, 1, 0, 1, 0, 1, 0, false, NULL FROM generate_series(1, 5000) i;"
    "INSERT INTO item (part, namespace_id, number, specification, enabled_at,"
    " fired_at, started_at, status, choice, id, task, service) SELECT i % 256,"
    " 1, 100000 + i, 7, 0, 0, 0, 0, 0, 'T', 'T', ''"
    " FROM generate_series(1, 5000) i;"
    "INSERT INTO due SELECT i % 256, 1, 100000 + i, 1, 1, 0, 0, 'due', NULL"
    " FROM generate_series(1, 5000) i;"
    "INSERT INTO answer SELECT 0, 0, 0, 1, 0, 'a' || i, NULL"
    " FROM generate_series(1, 5000) i;"
    "INSERT INTO incident SELECT 100000 + i, 0, 1, 0, 0, 0, 0, 0, '', '', '', "
    "'', '', NULL"
    " FROM generate_series(1, 5000) i";

static uint64_t rows_read(struct store_fixture *f)
{
	return ask_number(f,
	    "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))"
	    " + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes"
	    " WHERE schemaname = current_schema())"
	    " FROM pg_stat_user_tables WHERE schemaname = current_schema()");
}

/*
 * Plans that were made while the tables were known to be empty suffice for
 * large tables. A session's reads are counted when it ends.
 */
static void check_plans(struct store_fixture *f)
{
	uint64_t before;
	char sql[64];

	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
		snprintf(sql, sizeof sql, "VACUUM ANALYZE %s", tables[i]);
		ask(f, sql);
	}
	(void)statements_of(f, 1, 2);
	ask(f, much);
	before = rows_read(f);
	(void)statements_of(f, 1001, 2);
	close_both(f);
	CU_ASSERT_TRUE(rows_read(f) - before < 1000);
}

static void test_plans(void)
{
	store_on_postgresql(check_plans);
}

CU_TestInfo wf_tests_postgresql[] = {
	{ "versions", test_versions },
	{ "another program's tables", test_foreign },
	{ "settings that lose data", test_settings },
	{ "passwords are not shown", test_password },
	{ "answers that two nodes forget", test_forget },
	{ "nodes that start together", test_start },
	{ "connections that are cut", test_cut },
	{ "a commit without an answer", test_lost },
	{ "a node that is frozen", test_frozen },
	{ "a case that changes while it is taken", test_late_take },
	{ "streams without gaps", test_no_gaps },
	{ "another server", test_restored },
	{ "nodes notify each other", test_notify },
	{ "history by month", test_months },
	{ "statements of a batch", test_statements },
	{ "plans made for empty tables", test_plans },
	CU_TEST_INFO_NULL,
};
