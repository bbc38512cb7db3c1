/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Followers of several servers on one store: which one has the record, and what
 * the retention of cases does when another server takes it meanwhile.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "history/xes_file.h"
#include "server/retention.h"
#include "tests/unit/engine_fixture.h"
#include "work/follower.h"

#define KIND "test-turn"
#define LEASE_MS 20000

/* Runs a test on each kind of store that several servers can have. */
static void on_shared(void (*test)(struct wf_fixture *f))
{
	for (size_t i = 0; i < store_kind_sample(); i++) {
		struct wf_fixture f;

		if (strcmp(store_kinds[i].name, "sqlite") == 0)
			continue;
		wf_fixture_init_on(&f, store_kinds[i].name);
		wf_fixture_open(&f);
		test(&f);
		wf_fixture_free(&f);
	}
}

static void put_record(struct wf_fixture *f, const char *kind, int64_t until)
{
	const char *text = wf_arena_printf(f->arena,
	    "{\"owner\":\"another\",\"until\":%lld}", (long long)until);
	const struct wf_record_row row = {
		.kind = kind, .name = "turn", .value = { text, strlen(text) }
	};

	OK(wf_store_put_record(f->store, &row, &f->err));
}

/* --- who has the record --------------------------------------------------- */

static bool read_record(
    void *context, struct wf_store *store, const json_t *record)
{
	(void)context;
	(void)store;
	(void)record;
	return true;
}

static void write_record(void *context, json_t *record)
{
	(void)context;
	(void)record;
}

static bool count_round(void *context, struct wf_store *store)
{
	unsigned *rounds = context;

	(void)store;
	(*rounds)++;
	return false;
}

/* Whether a server takes a record that another one has until then. */
static bool takes(struct wf_fixture *f, int64_t until)
{
	unsigned rounds = 0;
	const struct wf_following following = { .kind = KIND,
		.name = "turn",
		.read = read_record,
		.write = write_record,
		.lease_ms = LEASE_MS,
		.round = count_round,
		.context = &rounds };
	struct wf_follower *follower = wf_follower_new(f->engine, &following);

	put_record(f, KIND, until);
	(void)wf_follower_round(follower);
	CU_ASSERT_EQUAL(wf_follower_leads(follower), rounds == 1);
	wf_follower_free(&follower);
	return rounds == 1;
}

static void check_claims(struct wf_fixture *f)
{
	CU_ASSERT_TRUE(takes(f, f->now));
	CU_ASSERT_FALSE(takes(f, f->now + 1));
	CU_ASSERT_FALSE(takes(f, f->now + LEASE_MS));
	/* The clock of the other one may be ahead, but not by a day. */
	CU_ASSERT_FALSE(takes(f, f->now + LEASE_MS + WF_CLOCKS_MS));
	CU_ASSERT_TRUE(takes(f, f->now + LEASE_MS + WF_CLOCKS_MS + 1));
	CU_ASSERT_TRUE(takes(f, f->now + 86400000));
}

static void test_claims(void)
{
	on_shared(check_claims);
}

/* --- the retention of cases ----------------------------------------------- */

struct retaining {
	struct wf_fixture *f;
	sem_t failed;
};

/* The second of two cases is not exported: then another server takes over. */
static void take_over(
    void *context, const char *name, const struct wf_error *err)
{
	struct retaining *retaining = context;

	CU_ASSERT_STRING_EQUAL(name, "2");
	CU_ASSERT_PTR_NOT_NULL(strstr(err->message, "2-2.xes"));
	put_record(retaining->f, "retention-turn", retaining->f->now + 90000);
	sem_post(&retaining->failed);
}

static const char *make_folder(struct wf_fixture *f)
{
	char *folder = wf_arena_strdup(f->arena, "/tmp/weft-export-XXXXXX");

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	return folder;
}

static void remove_all(struct wf_fixture *f, const char *folder)
{
	CU_ASSERT_EQUAL(
	    system(wf_arena_printf(f->arena, "rm -r '%s'", folder)), 0);
}

static void check_taken_over(struct wf_fixture *f)
{
	const char *folder = make_folder(f);
	const struct wf_retention_settings settings = { .keep_ms = 1,
		.export_folder = folder };
	struct retaining retaining = { .f = f };
	struct wf_retention *retention =
	    wf_retention_new(f->engine, &settings, take_over, &retaining);
	struct wf_retention_counts counts;

	sem_init(&retaining.failed, 0, 0);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t number = wf_fixture_launch(f);

		OK(wf_fixture_do(
		    f, number, WF_COMMAND_CANCEL_CASE, NULL, NULL, NULL));
	}
	f->now += 10;
	CU_ASSERT_EQUAL(
	    mkdir(wf_arena_printf(f->arena, "%s/2026-01-01", folder), 0700), 0);
	CU_ASSERT_EQUAL(
	    mkdir(wf_arena_printf(f->arena, "%s/2026-01-01/2-2.xes", folder),
		0700),
	    0);
	OK(wf_retention_start(retention, &f->err));
	sem_wait(&retaining.failed);
	wf_retention_stop(retention);
	wf_retention_counts(retention, &counts);
	CU_ASSERT_EQUAL(counts.exported, 1);
	CU_ASSERT_EQUAL(counts.failed, 1);
	CU_ASSERT_EQUAL(counts.dropped, 0);
	wf_retention_free(&retention);
	sem_destroy(&retaining.failed);
	remove_all(f, folder);
}

static void test_taken_over(void)
{
	on_shared(check_taken_over);
}

static bool has_text(const char *path, const char *text)
{
	struct wf_buffer found;
	bool has;

	wf_buffer_init(&found, 1U << 20);
	has = wf_buffer_read_file(&found, path, NULL) == WF_OK &&
	      strstr(wf_buffer_text(&found), text) != NULL;
	wf_buffer_free(&found);
	return has;
}

/* A file with the log of a case has all of it, or is not there. */
static void check_files(struct wf_fixture *f)
{
	const char *folder = make_folder(f);
	char *path = wf_arena_printf(f->arena, "%s/1.xes", folder);
	char *other = wf_arena_printf(f->arena, "%s-partial", path);
	const struct wf_specification_row of = { .uri = "P", .version = "0.1" };
	struct wf_case_row row = { .number = wf_fixture_launch(f),
		.namespace_id = WF_NAMESPACE_DEFAULT,
		.name = "1",
		.specification = f->key,
		.version = 2 };
	FILE *file = fopen(other, "w");

	/* What another server writes at the same time. */
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fputs("other", file);
	fclose(file);
	/* A step is not there any more. */
	REFUSED(f, WF_GONE,
	    wf_xes_write_case(f->engine, f->store, &row, &of, path, &f->err));
	CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
	row.version = 1;
	OK(wf_xes_write_case(f->engine, f->store, &row, &of, path, &f->err));
	CU_ASSERT_TRUE(has_text(path, "</log>"));
	CU_ASSERT_TRUE(has_text(other, "other"));
	CU_ASSERT_EQUAL(unlink(path), 0);
	CU_ASSERT_EQUAL(unlink(other), 0);
	/* Nothing else is in it. */
	CU_ASSERT_EQUAL(rmdir(folder), 0);
}

static void test_files(void)
{
	on_shared(check_files);
}

CU_TestInfo wf_tests_followers[] = {
	{ "a time that no clock has is no claim", test_claims },
	{ "what another server retains is not dropped", test_taken_over },
	{ "files of event logs", test_files },
	CU_TEST_INFO_NULL,
};
