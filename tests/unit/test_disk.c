/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in SQLite on a bad disk: whatever fails, at whichever operation,
 * committed steps are there afterwards, and refused steps are not.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/disk.h"
#include "tests/unit/seed.h"
#include "tests/unit/store_fixture.h"

#define STEPS 12U
/* The file is closed, which empties its log, after this many steps. */
#define STEPS_OPEN 5U
#define OPERATIONS 100000U
/* One operation of so many is harmed. */
#define SAMPLED 17U
#define SAMPLED_SANITIZED 240U

/* The worker process closes it after a failure, too. */
static bool goes_on;

/* What the worker process reports of its only case. */
struct said {
	uint64_t version;    /* steps that were committed */
	enum wf_rc rc;	     /* of the step after them, if it failed */
	bool done;	     /* nothing went wrong */
	uint64_t operations; /* of the disk */
};

static void say(int pipe, const struct said *said)
{
	if (write(pipe, said, sizeof(*said)) != (ssize_t)sizeof(*said))
		_exit(1);
}

/*
 * A step whose commit failed may turn out to be done when the file is opened.
 */
static enum wf_rc do_step(struct store_fixture *f, uint64_t *version)
{
	static char text[20000];
	struct wf_take take = { .number = 1 };
	struct wf_batch batch = { .takes = &take, .take_count = 1 };
	struct wf_case_write write = { .expected = *version };
	struct wf_history_row step = { 0 };
	struct wf_message_row message = {
		.number = 1, .destination = "d", .subject = ""
	};
	struct wf_writes writes = { .cases = &write,
		.case_count = 1,
		.history = &step,
		.history_count = 1,
		.messages = &message,
		.message_count = 1 };
	enum wf_rc rc = wf_store_begin(f->store, &batch, f->arena, &f->err);

	if (rc != WF_OK)
		return rc;
	if (goes_on && take.stored.row.version == *version + 1)
		write.expected = ++*version;
	memset(text, 'a' + (int)(*version % 26), sizeof(text));
	step = store_history_row(1, *version + 1);
	message.message = *version + 1;
	write.row = take.stored.row;
	write.row.version = *version + 1;
	write.snapshot = (struct wf_bytes){ text, sizeof(text) };
	return wf_store_commit(f->store, &writes, NULL, &f->err);
}

/* This is not synced by itself. */
static void acknowledge(struct store_fixture *f, uint64_t message)
{
	struct wf_message_key key = { .number = 1, .message = message };
	enum wf_rc rc = wf_store_acknowledge(f->store, &key, 1, &f->err);

	(void)rc; /* it may be done again */
}

/* The worker process: reports each step that is committed. */
static void work(struct store_fixture *f, int pipe)
{
	struct said said = { .version = 1 };

	f->arena = wf_arena_new();
	while (said.version < STEPS && (said.rc == WF_OK || goes_on)) {
		if (f->store == NULL &&
		    wf_store_open(&f->store, f->url, 0, &f->err) != WF_OK)
			_exit(0);
		wf_error_clear(&f->err);
		said.rc = do_step(f, &said.version);
		said.version += said.rc == WF_OK;
		if (said.rc == WF_OK)
			acknowledge(f, said.version);
		said.operations = disk_operations();
		said.done = said.version == STEPS;
		say(pipe, &said);
		if (said.version % STEPS_OPEN == 0)
			wf_store_close(&f->store);
	}
	/* The file as it is, without closing anything. */
	_exit(0);
}

static struct said run(struct store_fixture *f, void (*harm)(uint64_t n),
    uint64_t n, int *status_out)
{
	struct said said = { .version = 1 };
	struct said next;
	int ends[2];
	pid_t child;

	CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		disk_use();
		harm(n);
		work(f, ends[1]);
	}
	close(ends[1]);
	while (read(ends[0], &next, sizeof(next)) == (ssize_t)sizeof(next))
		said = next;
	close(ends[0]);
	waitpid(child, status_out, 0);
	return said;
}

static uint64_t version_of(struct store_fixture *f)
{
	struct wf_stored_case stored = { 0 };

	f->store = store_open(f->url, 0);
	f->arena = wf_arena_new();
	OK(wf_store_case(f->store, 1, true, f->arena, &stored, &f->err));
	CU_ASSERT_EQUAL(stored.row.version,
	    stored.row.snapshot_version == 0 ? 1 : stored.row.snapshot_version);
	if (stored.row.version > 1)
		CU_ASSERT_EQUAL(((const char *)stored.snapshot.data)[19999],
		    'a' + (int)((stored.row.version - 1) % 26));
	wf_store_close(&f->store);
	wf_arena_free(&f->arena);
	return stored.row.version;
}

static void make_case(struct store_fixture *f)
{
	store_make_folder(f);
	f->store = store_open(f->url, WF_STORE_CREATE);
	f->arena = wf_arena_new();
	OK(store_launch(f, 1, "one", NULL));
	wf_store_close(&f->store);
	wf_arena_free(&f->arena);
}

/* False when the n-th operation comes after the end. */
static bool harm_at(void (*harm)(uint64_t n), uint64_t n)
{
	struct store_fixture f = { 0 };
	struct said said;
	uint64_t version;
	uint64_t most;
	bool unknown;
	bool killed;
	int status;

	make_case(&f);
	said = run(&f, harm, n, &status);
	version = version_of(&f);
	killed = WIFSIGNALED(status);
	unknown = killed || said.rc == WF_LOST;
	/* One step may be under way, after one whose commit failed. */
	most = said.version + unknown + (killed && said.rc == WF_LOST);
	CU_ASSERT_TRUE(version >= said.version && version <= most);
	CU_ASSERT_TRUE(!killed || WTERMSIG(status) == SIGKILL);
	store_free_folder(&f);
	return !said.done || said.operations >= n;
}

static void harm_everywhere(void (*harm)(uint64_t n))
{
	uint64_t stride = test_soaks() ? 1 : SAMPLED;
	uint64_t n = 1;

	/* The sanitizer makes a process of its own expensive. */
	if (test_is_dear())
		stride = SAMPLED_SANITIZED;

	while (n < OPERATIONS && harm_at(harm, n))
		n += stride;
	CU_ASSERT_TRUE(n > 50 && n > 2 * stride);
}

static void cut(uint64_t n)
{
	disk_cut(n, n);
}

static void fill_once(uint64_t n)
{
	disk_full(n, 1);
}

static void fill(uint64_t n)
{
	disk_full(n, OPERATIONS);
}

/* Then the process dies, with all of its writes in the file. */
static void break_for_good(uint64_t n)
{
	disk_break(n, OPERATIONS);
}

/* One sync fails, and some time later the power goes off. */
static void break_and_cut(uint64_t n)
{
	goes_on = true;
	disk_break(n, 1);
	disk_cut(n + 1 + n * 7 % 60, n);
}

static void test_cut(void)
{
	harm_everywhere(cut);
}

static void test_kill(void)
{
	harm_everywhere(disk_kill);
}

static void test_full(void)
{
	harm_everywhere(fill_once);
	harm_everywhere(fill);
}

static void test_break(void)
{
	harm_everywhere(break_for_good);
	harm_everywhere(break_and_cut);
}

/*
 * A disk that lies: the test must fail on it, else the tests above prove
 * nothing.
 */
static void lie(uint64_t n)
{
	disk_lie();
	disk_cut(n, 1);
}

static void test_lie(void)
{
	struct store_fixture f = { 0 };
	struct said said;
	int status;

	make_case(&f);
	said = run(&f, lie, 60, &status);
	CU_ASSERT_TRUE(WIFSIGNALED(status));
	CU_ASSERT_TRUE(version_of(&f) < said.version);
	store_free_folder(&f);
}

CU_TestInfo wf_tests_disk[] = {
	{ "the power goes off at each operation", test_cut },
	{ "killed at each operation", test_kill },
	{ "full at each operation", test_full },
	{ "broken from each operation on", test_break },
	{ "a disk that lies is found out", test_lie },
	CU_TEST_INFO_NULL,
};
