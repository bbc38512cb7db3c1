/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in SQLite: what it opens, what it refuses, and who may.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
	close(done[0]);
	close(done[1]);
	waitpid(child, NULL, 0);
	store = store_open(f.url, 0);
	wf_store_close(&store);
	close(ready[0]);
	close(ready[1]);
	store_free_folder(&f);
}

static void test_versions(void)
{
	struct store_fixture f = { 0 };
	struct wf_error err = { 0 };
	struct wf_store *store;
	FILE *file;

	store_make_folder(&f);
	/* There is none, and none may be made. */
	CU_ASSERT_EQUAL(wf_store_open(&store, f.url, 0, &err), WF_CONFLICT);
	wf_error_clear(&err);
	/* Something else. */
	file = fopen(f.url + strlen("sqlite:"), "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	for (int i = 0; i < 300; i++)
		fputs("This is not a database at all. ", file);
	fclose(file);
	CU_ASSERT_EQUAL(
	    wf_store_open(&store, f.url, WF_STORE_CREATE, &err), WF_CORRUPT);
	wf_error_clear(&err);
	CU_ASSERT_EQUAL(unlink(f.url + strlen("sqlite:")), 0);
	/* Of a later version: bytes 60 to 63 of the file. */
	store = store_open(f.url, WF_STORE_CREATE);
	wf_store_close(&store);
	file = fopen(f.url + strlen("sqlite:"), "r+");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fseek(file, 60, SEEK_SET);
	fwrite("\0\0\1\0", 1, 4, file);
	fclose(file);
	CU_ASSERT_EQUAL(
	    wf_store_open(&store, f.url, WF_STORE_MIGRATE, &err), WF_CONFLICT);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "later Weft"));
	store_free_folder(&f);
}

CU_TestInfo wf_tests_sqlite[] = {
	{ "URLs", test_urls },
	{ "a lock that a death releases", test_one_process },
	{ "a second process", test_second_process },
	{ "versions", test_versions },
	CU_TEST_INFO_NULL,
};
