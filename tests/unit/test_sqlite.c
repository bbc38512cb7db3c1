/* SPDX-License-Identifier: Apache-2.0 */
/* The store in SQLite: files that it opens and refuses, and locks. */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "persistence/sqlite/sqlite_priv.h"
#include "persistence/store.h"
#include "tests/unit/store_fixture.h"

/* --- opening -------------------------------------------------------------- */

static void test_urls(void)
{
	struct wf_error err = { 0 };
	struct wf_store *store;

	CU_ASSERT_EQUAL(
	    wf_store_open(&store, "oracle://x", 0, &err), WF_INVALID);
	CU_ASSERT_PTR_NULL(store);
	wf_error_clear(&err);
	CU_ASSERT_EQUAL(wf_store_open(&store, "sqlite:", 0, &err), WF_INVALID);
	wf_error_clear(&err);
	CU_ASSERT_EQUAL(wf_store_open(&store, "sqlite:/nowhere/at/all/x.db",
			    WF_STORE_CREATE, &err),
	    WF_IO);
}

/* In a process of its own: whether the store can be opened there. */
static int open_elsewhere(const char *url, unsigned flags)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		struct wf_error err = { 0 };
		struct wf_store *store;

		_exit((int)wf_store_open(&store, url, flags, &err));
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void make_empty(struct store_fixture *f)
{
	struct wf_store *store;

	store_make_folder(f);
	store = store_open(f->url, WF_STORE_CREATE);
	wf_store_close(&store);
}

static void test_one_process(void)
{
	struct store_fixture f = { 0 };

	make_empty(&f);
	CU_ASSERT_EQUAL(open_elsewhere(f.url, 0), WF_OK);
	CU_ASSERT_EQUAL(open_elsewhere(f.url, 0), WF_OK); /* the other died */
	store_free_folder(&f);
}

/* Records can be changed while another process has the file. */
static void work_beside(const char *url)
{
	struct wf_record_row row = {
		.kind = "k", .name = "n", .value = { "v", 1 }
	};
	struct wf_arena *arena = wf_arena_new();
	struct wf_record_list list;
	struct wf_store *store = store_open(url, WF_STORE_BESIDE);

	CU_ASSERT_EQUAL(wf_store_put_record(store, &row, NULL), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_store_records(store, "k", 0, arena, &list, NULL), WF_OK);
	CU_ASSERT_EQUAL(list.count, 1);
	wf_store_close(&store);
	wf_arena_free(&arena);
}

static void test_second_process(void)
{
	struct store_fixture f = { 0 };
	struct wf_error err = { 0 };
	struct wf_store *store;
	int ready[2];
	int done[2];
	char byte;
	pid_t child;

	make_empty(&f);
	CU_ASSERT_EQUAL_FATAL(pipe(ready), 0);
	CU_ASSERT_EQUAL_FATAL(pipe(done), 0);
	child = fork();
	if (child == 0) {
		close(done[1]);
		store = store_open(f.url, 0);
		if (write(ready[1], "r", 1) == 1 &&
		    read(done[0], &byte, 1) == 0)
			raise(SIGKILL);
		_exit(0);
	}
	CU_ASSERT_EQUAL(read(ready[0], &byte, 1), 1);
	CU_ASSERT_EQUAL(wf_store_open(&store, f.url, 0, &err), WF_CONFLICT);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "in use"));
	work_beside(f.url);
	close(done[0]);
	close(done[1]);
	waitpid(child, NULL, 0);
	store = store_open(f.url, 0);
	wf_store_close(&store);
	close(ready[0]);
	close(ready[1]);
	store_free_folder(&f);
}

/* A file has one lock, whichever of its names is used. */
static void test_link(void)
{
	struct store_fixture f = { 0 };
	struct wf_take take;
	char link[160];

	make_empty(&f);
	snprintf(link, sizeof link, "sqlite:%s/link", f.folder);
	CU_ASSERT_EQUAL_FATAL(symlink("weft.db", link + strlen("sqlite:")), 0);
	f.arena = wf_arena_new();
	f.store = store_open(f.url, 0);
	f.other = store_open(link, 0);
	OK(store_launch(&f, 1, "a", NULL));
	CU_ASSERT_EQUAL(store_take(&f, f.store, 1, 0, &take), WF_TAKE_TAKEN);
	CU_ASSERT_EQUAL(store_take(&f, f.other, 1, 0, &take), WF_TAKE_SKIPPED);
	wf_store_close(&f.other);
	wf_store_close(&f.store);
	wf_arena_free(&f.arena);
	CU_ASSERT_EQUAL(unlink(link + strlen("sqlite:")), 0);
	store_free_folder(&f);
}

/* A URI of SQLite can mean memory only, or no locks. */
static void test_uri(void)
{
	struct wf_error err = { 0 };
	struct wf_store *store;

	CU_ASSERT_EQUAL(wf_store_open(&store, "sqlite:file:x.db?mode=memory",
			    WF_STORE_CREATE, &err),
	    WF_INVALID);
	CU_ASSERT_PTR_NULL(store);
}

/* Opening a file that does not exist creates nothing. */
static void test_missing(void)
{
	struct store_fixture f = { 0 };
	struct wf_store *store;

	store_make_folder(&f);
	CU_ASSERT_EQUAL(wf_store_open(&store, f.url, 0, NULL), WF_CONFLICT);
	CU_ASSERT_EQUAL(rmdir(f.folder), 0);
}

static void test_versions(void)
{
	struct store_fixture f = { 0 };
	struct wf_error err = { 0 };
	struct wf_store *store;
	FILE *file;

	store_make_folder(&f);
	/* The file does not exist, and must not be created. */
	CU_ASSERT_EQUAL(wf_store_open(&store, f.url, 0, &err), WF_CONFLICT);
	wf_error_clear(&err);
	/* Files that are no store. */
	file = fopen(f.url + strlen("sqlite:"), "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	for (int i = 0; i < 300; i++)
		fputs("This is not a database at all. ", file);
	fclose(file);
	CU_ASSERT_EQUAL(
	    wf_store_open(&store, f.url, WF_STORE_CREATE, &err), WF_CORRUPT);
	wf_error_clear(&err);
	CU_ASSERT_EQUAL(unlink(f.url + strlen("sqlite:")), 0);
	store = store_open(f.url, WF_STORE_CREATE);
	CU_ASSERT_EQUAL(wf_store_version_found(store), 0);
	CU_ASSERT_EQUAL(wf_store_version(store), 8);
	wf_store_close(&store);
	store = store_open(f.url, 0);
	CU_ASSERT_EQUAL(wf_store_version_found(store), 8);
	wf_store_close(&store);
	store_edit(f.url, "PRAGMA user_version = 256");
	CU_ASSERT_EQUAL(
	    wf_store_open(&store, f.url, WF_STORE_MIGRATE, &err), WF_CONFLICT);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "later Weft"));
	store_free_folder(&f);
}

/* --- damage --------------------------------------------------------------- */

struct findings {
	unsigned count;
	struct wf_buffer text; /* "number what" in a line for each */
};

static void note(void *context, uint64_t number, const char *what)
{
	struct findings *findings = context;

	findings->count++;
	wf_buffer_printf(
	    &findings->text, "%llu %s\n", (unsigned long long)number, what);
}

static void verify(struct store_fixture *f, struct findings *findings)
{
	struct wf_store *store = store_open(f->url, 0);

	findings->count = 0;
	wf_buffer_init(&findings->text, 1 << 16);
	OK(wf_store_verify(store, note, findings, &f->err));
	wf_store_close(&store);
}

/* Case 1 has ended; case 2 is live, with a due command and an announcement. */
static void make_cases(struct store_fixture *f)
{
	struct wf_due_write due = { .row = { .number = 2, .name = "timer" } };
	struct wf_message_row message = store_message_row(1, "x", "y");
	struct wf_answer_row answer = { .id = "a", .number = 2, .sequence = 1 };
	struct wf_value_row value = { .number = 2, .value = 1 };
	struct wf_incident_write incident = { .row = { .id = 1 } };
	struct wf_writes writes = { .due = &due,
		.due_count = 1,
		.messages = &message,
		.message_count = 1,
		.answers = &answer,
		.answer_count = 1,
		.values = &value,
		.value_count = 1,
		.incidents = &incident,
		.incident_count = 1 };
	struct wf_case_write write;
	struct wf_take taken;
	uint64_t number;

	store_make_folder(f);
	f->arena = wf_arena_new();
	f->store = store_open(f->url, WF_STORE_CREATE);
	OK(wf_store_reserve(f->store, WF_COUNTER_CASE, 2, &number, &f->err));
	OK(wf_store_reserve(
	    f->store, WF_COUNTER_INCIDENT, 1, &number, &f->err));
	OK(store_launch(f, 1, "one", NULL));
	OK(store_launch(f, 2, "two", NULL));
	store_take(f, f->store, 1, 1, &taken);
	OK(store_step_to(f, f->store, &taken, WF_CASE_END, 1, NULL));
	store_take(f, f->store, 2, 0, &taken);
	write =
	    (struct wf_case_write){ .row = taken.stored.row, .expected = 1 };
	write.row.messages = 1;
	writes.cases = &write;
	writes.case_count = 1;
	message.number = 2;
	OK(wf_store_commit(f->store, &writes, NULL, &f->err));
	wf_store_close(&f->store);
}

static void test_verify(void)
{
	static const struct {
		const char *sql; /* damages a new store */
		const char *what;
		unsigned count;
	} rows[] = {
		{ "SELECT 1", "", 0 },
		{ "DELETE FROM ended", "1 it has a history, but there is no",
		    1 },
		{ "DELETE FROM cases", "2 something is due for it, but no", 5 },
		{ "UPDATE value SET number = 9", "9 it has large values", 1 },
		{ "UPDATE snapshot SET number = 1", "1 it has a state", 1 },
		{ "UPDATE item SET number = 1", "1 it has work items", 1 },
		{ "UPDATE due SET number = 1", "1 something is due", 1 },
		{ "INSERT INTO ended SELECT * FROM cases",
		    "2 it is listed as running and as ended", 1 },
		{ "DELETE FROM name WHERE number = 1", "1 its name 'one'", 1 },
		{ "UPDATE name SET number = 1", "2 its name 'two'", 1 },
		{ "UPDATE answer SET sequence = 2",
		    "2 a stored answer is about step 2, but it has 1", 1 },
		{ "UPDATE answer SET sequence = 3, number = 1",
		    "1 a stored answer is about step 3, but it has 2", 1 },
		{ "UPDATE cases SET messages = 0",
		    "2 it has the announcement 1, but counts 0", 1 },
		{ "UPDATE message SET number = 1",
		    "1 it has the announcement 1, but counts 0", 1 },
		{ "UPDATE message SET number = 0",
		    "0 the counter of announcements is at 0, but there is an "
		    "announcement 1",
		    1 },
		{ "UPDATE counter SET last = 1 WHERE name = 'case'",
		    "0 the counter of cases is at 1, but there is a case 2",
		    1 },
		{ "UPDATE counter SET last = 0 WHERE name = 'incident'",
		    "0 the counter of incidents is at 0, but there is an "
		    "incident 1",
		    1 },
		{ "INSERT INTO record VALUES (1, 'a', 'b', NULL, 1)",
		    "0 the counter of changes is at 0, but there is a change 1",
		    1 },
		{ "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET "
		  "rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = "
		  "'ended_by_time') WHERE name = 'cases_by_specification'",
		    "0 SQLite says: ", 3 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct store_fixture f = { 0 };
		struct findings findings;

		make_cases(&f);
		store_edit(f.url, rows[i].sql);
		verify(&f, &findings);
		CU_ASSERT_EQUAL(findings.count, rows[i].count);
		CU_ASSERT_PTR_NOT_NULL(
		    strstr(wf_buffer_text(&findings.text), rows[i].what));
		if (findings.count != rows[i].count)
			printf("%s:\n%s", rows[i].sql,
			    wf_buffer_text(&findings.text));
		wf_buffer_free(&findings.text);
		wf_arena_free(&f.arena);
		store_free_folder(&f);
	}
}

/* A damaged index lists a case that has not ended: nothing of it is dropped. */
static void test_damaged_retire(void)
{
	struct store_fixture f = { 0 };
	struct wf_history_list list;
	size_t count = 0;

	make_cases(&f);
	store_edit(f.url,
	    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET "
	    "rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = "
	    "'cases_by_specification') WHERE name = 'ended_by_time'");
	f.store = store_open(f.url, 0);
	CU_ASSERT_EQUAL(wf_store_retire(f.store, INT64_MAX, 10, &count, &f.err),
	    WF_CORRUPT);
	wf_error_clear(&f.err);
	OK(wf_store_case_history(f.store, 2, 0, 10, f.arena, &list, &f.err));
	CU_ASSERT_EQUAL(list.count, 1);
	wf_store_close(&f.store);
	wf_arena_free(&f.arena);
	store_free_folder(&f);
}

/* A live case that "ended" lists as well cannot end. */
static void test_live_and_ended(void)
{
	struct store_fixture f = { 0 };
	struct wf_take taken;
	uint64_t cause = 0;

	make_cases(&f);
	store_edit(f.url, "INSERT INTO ended SELECT * FROM cases");
	f.store = store_open(f.url, 0);
	store_take(&f, f.store, 2, 1, &taken);
	CU_ASSERT_EQUAL(
	    store_step_to(&f, f.store, &taken, WF_CASE_END, 1, &cause),
	    WF_CONFLICT);
	CU_ASSERT_EQUAL(cause, 2);
	CU_ASSERT_STRING_EQUAL(f.err.message, "case 2: it is there already");
	wf_store_close(&f.store);
	wf_arena_free(&f.arena);
	store_free_folder(&f);
}

/* A damaged counter gives no number that a case must not have. */
static void test_damaged_counter(void)
{
	static const int values[] = { -1, -5 };
	struct store_fixture f = { 0 };
	uint64_t first = 0;

	make_cases(&f);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		char sql[100];

		snprintf(sql, sizeof(sql),
		    "UPDATE counter SET last = %d WHERE name = 'case'",
		    values[i]);
		store_edit(f.url, sql);
		f.store = store_open(f.url, 0);
		CU_ASSERT_EQUAL(wf_store_reserve(f.store, WF_COUNTER_CASE, 10,
				    &first, &f.err),
		    WF_CORRUPT);
		wf_error_clear(&f.err);
		wf_store_close(&f.store);
	}
	wf_arena_free(&f.arena);
	store_free_folder(&f);
}

/* --- costs ---------------------------------------------------------------- */

static int count_step(void *context)
{
	(*(unsigned *)context)++;
	return 0;
}

/* The last page of many rows costs about what the first one does. */
static void test_pages(void)
{
	struct store_fixture f = { 0 };
	struct wf_statistic_row rows[1000];
	struct wf_statistic_filter filter = {
		.namespace_id = 1, .specification = 1, .to = 100, .limit = 10
	};
	struct wf_statistic_list list = { .count = 10 };
	struct wf_fold_row fold;
	unsigned first = 0;
	unsigned steps;

	store_make_folder(&f);
	f.arena = wf_arena_new();
	f.store = store_open(f.url, WF_STORE_CREATE);
	for (unsigned i = 0; i < 1000; i++)
		rows[i] = (struct wf_statistic_row){ .namespace_id = 1,
			.specification = 1 + i % 2,
			.hour = i / 500,
			.net = "N",
			.element = wf_arena_printf(f.arena, "T%u", i),
			.detail = "",
			.count = i };
	OK(wf_store_fold(f.store, "x", f.arena, &fold, &f.err));
	fold.change++;
	OK(wf_store_move_fold(f.store, &fold, rows, 1000, &f.err));
	sqlite3_progress_handler(
	    ((struct sqlite_store *)f.store)->db, 1, count_step, &steps);
	for (unsigned i = 0; i < 50; i++) {
		steps = 0;
		OK(wf_store_statistics(
		    f.store, &filter, f.arena, &list, &f.err));
		CU_ASSERT_EQUAL_FATAL(list.count, 10);
		CU_ASSERT_EQUAL(list.rows[0].specification, 1);
		filter.after = &list.rows[9];
		first = i == 0 ? steps : first;
		CU_ASSERT(steps <= 2 * first);
	}
	OK(wf_store_statistics(f.store, &filter, f.arena, &list, &f.err));
	CU_ASSERT_EQUAL(list.count, 0);
	wf_store_close(&f.store);
	wf_arena_free(&f.arena);
	store_free_folder(&f);
}

CU_TestInfo wf_tests_sqlite[] = {
	{ "URLs", test_urls },
	{ "a lock that a death releases", test_one_process },
	{ "a second process", test_second_process },
	{ "a link to a file", test_link },
	{ "URIs of SQLite", test_uri },
	{ "none", test_missing },
	{ "versions", test_versions },
	{ "rows that do not belong together", test_verify },
	{ "a damaged index of what is to be retired", test_damaged_retire },
	{ "a case that is live and ended", test_live_and_ended },
	{ "a damaged counter", test_damaged_counter },
	{ "pages of statistics", test_pages },
	CU_TEST_INFO_NULL,
};
