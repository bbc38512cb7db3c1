/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Due commands: due, refused, retried, deadly; deletion of old answers.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/step.h"
#include "persistence/backend.h"
#include "runtime/shard.h"
#include "tests/unit/engine_fixture.h"

#define MINUTE 60000
#define DAY (24 * 60 * MINUTE)

/* Writes a due row as an earlier engine has left it. */
static void write_due(struct wf_fixture *f, struct wf_due_row *row)
{
	struct wf_take take = { .number = row->number };
	struct wf_batch batch = { .takes = &take,
		.take_count = row->number != 0 };
	struct wf_due_write write = { .row = *row };
	struct wf_writes writes = { .due = &write, .due_count = 1 };

	CU_ASSERT_EQUAL(
	    wf_store_begin(f->store, &batch, f->arena, &f->err), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_store_commit(f->store, &writes, NULL, &f->err), WF_OK);
}

/* --- delayed launch ------------------------------------------------------- */

/* A command that can never succeed is refused at once. */
static void test_of_nothing(void)
{
	struct wf_request request = { .kind = WF_REQUEST_SCHEDULE,
		.command = { .kind = WF_COMMAND_LAUNCH },
		.launch = { .specification = 77 } };
	struct wf_answer answer;
	struct wf_fixture f;
	uint64_t number;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	request.at = f.now + 1000;
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &request, &answer, &f.err), WF_NOT_FOUND);
	number = wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, number, WF_COMMAND_CANCEL_CASE, "", NULL, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(
	    wf_fixture_schedule(&f, number, WF_COMMAND_START, "A", f.now),
	    WF_NOT_FOUND);
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	wf_fixture_free(&f);
}

static void test_delayed_launch(void)
{
	struct wf_stored_case stored;
	struct wf_fixture f;
	uint64_t number;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	number = wf_fixture_put_off(&f, NULL, f.now + 5000);
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), f.now + 5000);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, number), 0);
	wf_engine_close(&f.engine);
	f.now += 6000;
	wf_fixture_open(&f);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL_FATAL(
	    wf_store_case(f.store, number, false, f.arena, &stored, NULL),
	    WF_OK);
	CU_ASSERT_STRING_EQUAL(stored.row.name, "1");
	CU_ASSERT_STRING_EQUAL(stored.row.owner, "ann");
	CU_ASSERT_EQUAL(stored.row.launched_at, f.now);
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	wf_fixture_free(&f);
}

static struct {
	struct wf_engine *engine;
	const struct wf_store_ops *ops;
	size_t claims;
} observed;

/* Claims; the engine has not listed yet what was claimed. */
static enum wf_rc claim_observed(struct wf_store *store, int64_t now,
    int64_t until, size_t limit, struct wf_arena *arena,
    struct wf_due_list *list_out, struct wf_error *err)
{
	enum wf_rc rc = observed.ops->claim_due(
	    store, now, until, limit, arena, list_out, err);

	observed.claims++;
	CU_ASSERT_EQUAL(rc, WF_OK);
	CU_ASSERT_EQUAL(list_out->count, 1);
	CU_ASSERT_FALSE(wf_engine_is_idle(observed.engine));
	return rc;
}

static void test_claiming_is_not_idle(void)
{
	struct wf_store_ops ops;
	struct wf_store *store;
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	(void)wf_fixture_put_off(&f, NULL, f.now + 1000);
	f.now += 2000;
	CU_ASSERT_EQUAL_FATAL(
	    wf_engine_borrow(f.engine, &store, &f.err), WF_OK);
	observed.engine = f.engine;
	observed.ops = store->ops;
	observed.claims = 0;
	ops = *store->ops;
	ops.claim_due = claim_observed;
	store->ops = &ops;
	wf_engine_give_back(f.engine, store);
	CU_ASSERT_TRUE(wf_engine_is_idle(f.engine));
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(observed.claims, 1);
	CU_ASSERT_TRUE(wf_engine_is_idle(f.engine));
	store->ops = observed.ops;
	wf_fixture_free(&f);
}

/*
 * The store fails while a due command is tried: it is tried again later.
 * Returns whether the store failed.
 */
static bool launch_with_failure(uint64_t n)
{
	struct wf_incident_filter filter = { .limit = 10 };
	struct wf_incident_list incidents;
	struct wf_store *reader;
	struct wf_fixture f;
	uint64_t number;
	bool failed;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	number = wf_fixture_put_off(&f, NULL, f.now + 1000);
	wf_engine_close(&f.engine);
	f.now += 2000;
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL_FATAL(
	    wf_engine_borrow(f.engine, &reader, &f.err), WF_OK);
	wf_store_fail_after(reader, n, WF_FAULT_BEFORE);
	wf_engine_give_back(f.engine, reader);
	wf_fixture_turn(&f);
	f.now += 2 * MINUTE;
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, number), 1);
	CU_ASSERT_EQUAL(
	    wf_store_incidents(f.store, &filter, f.arena, &incidents, &f.err),
	    WF_OK);
	CU_ASSERT_EQUAL(incidents.count, 0);
	failed = wf_store_faults(reader) == 1;
	wf_fixture_free(&f);
	return failed;
}

static void test_failing_store(void)
{
	uint64_t n = 1;

	while (launch_with_failure(n))
		n++;
	CU_ASSERT_TRUE(n > 5);
}

/*
 * Two delayed launches with the same name are accepted; the one that is due
 * later is refused.
 */
static void test_launches_of_one_name(void)
{
	struct wf_incident_list incidents;
	struct wf_fixture f;
	uint64_t first;
	uint64_t second;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	first = wf_fixture_put_off(&f, "order", f.now + 2000);
	second = wf_fixture_put_off(&f, "order", f.now + 1000);
	CU_ASSERT_NOT_EQUAL(first, second);
	f.now += 1500;
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, second), 1);
	f.now += 1500;
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, first), 0);
	incidents = wf_fixture_incidents(&f);
	CU_ASSERT_EQUAL_FATAL(incidents.count, 1);
	CU_ASSERT_STRING_EQUAL(incidents.rows[0].code, "CONFLICT");
	CU_ASSERT_PTR_NOT_NULL(strstr(incidents.rows[0].text, "case 1"));
	/* The name is never free again, but the launch is not lost. */
	CU_ASSERT_EQUAL(wf_fixture_retry(&f, incidents.rows[0].id), WF_OK);
	wf_fixture_turn(&f);
	incidents = wf_fixture_incidents(&f);
	CU_ASSERT_EQUAL_FATAL(incidents.count, 1);
	CU_ASSERT_EQUAL(incidents.rows[0].attempts, 2);
	wf_fixture_free(&f);
}

/* Claimed by two engines, one of which is slow: launched once. */
static void test_claimed_twice(void)
{
	struct wf_engine *other;
	struct wf_due_list due;
	struct wf_fixture f;
	uint64_t number;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL_FATAL(
	    wf_engine_open(&other, &f.settings, &f.err), WF_OK);
	number = wf_fixture_put_off(&f, NULL, f.now);
	/* A claim that lasts no time: it is claimed again at once. */
	CU_ASSERT_EQUAL(
	    wf_store_claim_due(f.store, f.now, f.now, 10, f.arena, &due, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(due.count, 1);
	for (unsigned i = 0; i < 20; i++) {
		wf_engine_turn(other);
		wf_engine_turn(f.engine);
	}
	CU_ASSERT_EQUAL(wf_fixture_version(&f, number), 1);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	wf_engine_close(&other);
	wf_fixture_free(&f);
}

/* A due command that is claimed and given to the shard, and not tried yet. */
static void claim_suspension(struct wf_fixture *f)
{
	wf_fixture_init(f);
	wf_fixture_open(f);
	CU_ASSERT_EQUAL(wf_fixture_launch(f), 1);
	CU_ASSERT_EQUAL(
	    wf_fixture_schedule(f, 1, WF_COMMAND_SUSPEND_CASE, "", f->now),
	    WF_OK);
	CU_ASSERT_TRUE(wf_due_turn(f->engine));
}

/* The claim has ended: another node may have the command by now. */
static void test_claim_is_over(void)
{
	struct wf_fixture f;

	claim_suspension(&f);
	f.now += WF_DUE_COMMAND_LEASE_MS;
	wf_shard_turn(&f.engine->shards[0]);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 1);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 2);
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	wf_fixture_free(&f);
}

/* A command that waits minutes for its case is claimed, and waits, once. */
static void test_waits_for_its_case(void)
{
	struct wf_take take = { .number = 1 };
	struct wf_batch batch = { .takes = &take, .take_count = 1 };
	struct wf_fixture f;

	claim_suspension(&f);
	CU_ASSERT_EQUAL(wf_store_begin(f.store, &batch, f.arena, NULL), WF_OK);
	for (unsigned i = 0; i < 5; i++) {
		f.now += MINUTE + 1000;
		wf_fixture_turn(&f);
		CU_ASSERT_EQUAL(f.engine->due_count, 1);
	}
	wf_store_abort(f.store);
	for (unsigned i = 0; i < 2; i++) {
		f.now += MINUTE + 1000;
		wf_fixture_turn(&f);
	}
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 2);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	wf_fixture_free(&f);
}

/*
 * Another engine has done it, and a third has the case: there is nothing to
 * wait for.
 */
static void test_done_by_another(void)
{
	struct wf_take take = { .number = 1 };
	struct wf_batch batch = { .takes = &take, .take_count = 1 };
	struct wf_engine *other;
	struct wf_due_list due;
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL_FATAL(
	    wf_engine_open(&other, &f.settings, &f.err), WF_OK);
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(
	    wf_fixture_schedule(&f, 1, WF_COMMAND_SUSPEND_CASE, "", f.now),
	    WF_OK);
	CU_ASSERT_EQUAL(
	    wf_store_claim_due(f.store, f.now, f.now, 10, f.arena, &due, NULL),
	    WF_OK);
	CU_ASSERT_TRUE(wf_due_turn(other));
	CU_ASSERT_EQUAL(other->due_count, 1);
	write_due(&f, &due.rows[0]);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 2);
	CU_ASSERT_EQUAL(wf_store_begin(f.store, &batch, f.arena, NULL), WF_OK);
	wf_engine_turn(other);
	CU_ASSERT_EQUAL(other->due_count, 0);
	wf_store_abort(f.store);
	wf_engine_close(&other);
	wf_fixture_free(&f);
}

/* The launch is so old that its command id was deleted: the case exists. */
static void test_launched_long_ago(void)
{
	struct wf_due_list due;
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL(wf_fixture_put_off(&f, NULL, f.now), 1);
	CU_ASSERT_EQUAL(
	    wf_store_due_of(f.store, 0, "", 10, f.arena, &due, NULL), WF_OK);
	CU_ASSERT_EQUAL_FATAL(due.count, 1);
	wf_fixture_turn(&f);
	f.now += f.settings.answers_kept_ms + MINUTE;
	wf_fixture_turn(&f);
	write_due(&f, &due.rows[0]);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 1);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	wf_fixture_free(&f);
}

/* --- refusals and retries ------------------------------------------------- */

static void test_refused(void)
{
	struct wf_incident_list list;
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(
	    wf_fixture_schedule(&f, 1, WF_COMMAND_FINISH, "1:B", f.now), WF_OK);
	wf_fixture_turn(&f);
	list = wf_fixture_incidents(&f);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_STRING_EQUAL(list.rows[0].code, "NOT_FOUND");
	CU_ASSERT_STRING_EQUAL(list.rows[0].item, "1:B");
	CU_ASSERT_EQUAL(list.rows[0].attempts, 1);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_FINISH, "1:A", NULL, NULL), WF_OK);
	CU_ASSERT_EQUAL(wf_fixture_retry(&f, list.rows[0].id), WF_OK);
	CU_ASSERT_EQUAL(wf_fixture_retry(&f, list.rows[0].id), WF_NOT_FOUND);
	wf_fixture_turn(&f);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, 1), "C=0 ");
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	wf_fixture_free(&f);
}

/* It stays the same incident, and its attempts add up. */
static void test_refused_again(void)
{
	struct wf_incident_list list;
	struct wf_fixture f;
	int64_t start;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	start = f.now;
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(
	    wf_fixture_schedule(&f, 1, WF_COMMAND_FINISH, "1:B", f.now), WF_OK);
	wf_fixture_turn(&f);
	for (unsigned i = 0; i < 5; i++) {
		list = wf_fixture_incidents(&f);
		CU_ASSERT_EQUAL_FATAL(list.count, 1);
		CU_ASSERT_EQUAL(list.rows[0].id, 1);
		CU_ASSERT_EQUAL(list.rows[0].attempts, 1 + i);
		CU_ASSERT_EQUAL(list.rows[0].first_at, start);
		CU_ASSERT_EQUAL(list.rows[0].last_at, f.now);
		/* Also within the same millisecond. */
		if (i % 2 == 0)
			f.now += 1000;
		CU_ASSERT_EQUAL(wf_fixture_retry(&f, list.rows[0].id), WF_OK);
		wf_fixture_turn(&f);
	}
	CU_ASSERT_FALSE(wf_fixture_is_quarantined(&f, 1));
	wf_fixture_free(&f);
}

/* Two incidents of one case in a batch, and one that is retried twice. */
static void ignore_reply(void *context, const struct wf_reply *reply)
{
	unsigned *good = context;

	*good += reply->rc == WF_OK;
}

static void retry_together(struct wf_fixture *f, uint64_t incident)
{
	struct wf_request retry = { .kind = WF_REQUEST_RETRY,
		.incident = { .id = incident } };
	unsigned good = 0;

	for (unsigned i = 0; i < 2; i++)
		CU_ASSERT_EQUAL(wf_engine_submit(f->engine, &retry,
				    ignore_reply, &good, NULL),
		    WF_OK);
	wf_fixture_turn(f);
	CU_ASSERT_EQUAL(good, 1);
}

static void test_retried_together(void)
{
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	wf_fixture_put_off(&f, "order", f.now);
	wf_fixture_put_off(&f, "order", f.now);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL_FATAL(wf_fixture_incidents(&f).count, 1);
	retry_together(&f, 1);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 1);
	CU_ASSERT_EQUAL(
	    wf_fixture_schedule(&f, 1, WF_COMMAND_FINISH, "order:B", f.now),
	    WF_OK);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL_FATAL(wf_fixture_incidents(&f).count, 2);
	retry_together(&f, 2);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 2);
	wf_fixture_free(&f);
}

/* The same command for the same time, repeatedly: each is done. */
static void test_armed_again(void)
{
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	for (unsigned i = 0; i < 4; i++) {
		CU_ASSERT_EQUAL(wf_fixture_schedule(&f, 1,
				    i % 2 == 0 ? WF_COMMAND_SUSPEND_CASE
					       : WF_COMMAND_RESUME_CASE,
				    "", f.now),
		    WF_OK);
		wf_fixture_turn(&f);
		CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 2 + i);
	}
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	wf_fixture_free(&f);
}

/* --- a quarantined case --------------------------------------------------- */

static void set_aside(struct wf_fixture *f, uint64_t number)
{
	char item[32];

	snprintf(item, sizeof(item), "%llu:A", (unsigned long long)number);
	f->broken_item = item;
	CU_ASSERT_EQUAL(
	    wf_fixture_do(f, number, WF_COMMAND_FINISH, item, NULL, NULL),
	    WF_BUG);
	f->broken_item = NULL;
	CU_ASSERT_TRUE(wf_fixture_is_quarantined(f, number));
}

/*
 * A due command of a quarantined case waits until the case is released, without
 * further help.
 */
static void test_due_while_quarantined(void)
{
	struct wf_incident_list list;
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(
	    wf_fixture_schedule(&f, 1, WF_COMMAND_FINISH, "1:A", f.now + 1000),
	    WF_OK);
	set_aside(&f, 1);
	for (unsigned i = 0; i < 20; i++) {
		f.now += MINUTE + 1000;
		wf_fixture_turn(&f);
	}
	list = wf_fixture_incidents(&f);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(wf_fixture_retry(&f, list.rows[0].id), WF_OK);
	CU_ASSERT_FALSE(wf_fixture_is_quarantined(&f, 1));
	f.now += MINUTE + 1000;
	wf_fixture_turn(&f);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, 1), "B=0 C=0 ");
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	wf_fixture_free(&f);
}

/* Also when its incident was dropped. */
static void test_put_back(void)
{
	struct wf_request drop = { .kind = WF_REQUEST_DROP,
		.incident = { .id = 1 } };
	struct wf_request back = { .kind = WF_REQUEST_RETRY, .number = 1 };
	struct wf_answer answer;
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &back, &answer, NULL), WF_CONFLICT);
	set_aside(&f, 1);
	CU_ASSERT_EQUAL(wf_engine_call(f.engine, &drop, &answer, NULL), WF_OK);
	CU_ASSERT_TRUE(wf_fixture_is_quarantined(&f, 1));
	CU_ASSERT_EQUAL(wf_engine_call(f.engine, &back, &answer, NULL), WF_OK);
	CU_ASSERT_FALSE(wf_fixture_is_quarantined(&f, 1));
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_FINISH, "1:A", NULL, NULL), WF_OK);
	back.number = 99;
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &back, &answer, NULL), WF_NOT_FOUND);
	back.number = 0;
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &back, &answer, NULL), WF_INVALID);
	wf_fixture_free(&f);
}

/* --- commands that kill --------------------------------------------------- */

/* An engine of its own, in a process that may die. */
static int run_apart(struct wf_fixture *f)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		wf_fixture_open(f);
		wf_fixture_turn(f);
		wf_engine_close(&f->engine);
		_exit(0);
	}
	CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
	f->now += MINUTE + 1000;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/*
 * A command that has killed an engine three times is not tried again; commands
 * that were claimed with it are done.
 */
static void test_deadly(void)
{
	const unsigned count = 7;
	struct wf_incident_list list;
	struct wf_fixture f;

	wf_fixture_init_on(&f, "sqlite");
	wf_fixture_open(&f);
	for (unsigned i = 1; i <= count; i++) {
		char item[16];

		snprintf(item, sizeof(item), "%u:A", i);
		CU_ASSERT_EQUAL(wf_fixture_launch(&f), i);
		CU_ASSERT_EQUAL(wf_fixture_schedule(
				    &f, i, WF_COMMAND_FINISH, item, f.now + 1),
		    WF_OK);
	}
	/* One process at a time can open a file. */
	wf_engine_close(&f.engine);
	wf_store_close(&f.store);
	f.now += 10;
	f.deadly_item = "4:A";
	for (unsigned i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(run_apart(&f), WF_FIXTURE_DEATH);
	CU_ASSERT_EQUAL(run_apart(&f), 0);
	CU_ASSERT_EQUAL_FATAL(
	    wf_store_open(&f.store, f.place.url, 0, &f.err), WF_OK);
	list = wf_fixture_incidents(&f);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].number, 4);
	CU_ASSERT_EQUAL(list.rows[0].attempts, 3);
	CU_ASSERT_EQUAL(list.rows[0].first_at, WF_FIXTURE_START + 10 + 61000);
	CU_ASSERT_STRING_EQUAL(list.rows[0].code, "BUG");
	for (unsigned i = 1; i <= count; i++) {
		CU_ASSERT_EQUAL(wf_fixture_version(&f, i), i == 4 ? 1 : 2);
		CU_ASSERT_EQUAL(wf_fixture_is_quarantined(&f, i), i == 4);
	}
	/* The bug is fixed, and a person retries the incident. */
	f.deadly_item = NULL;
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL(wf_fixture_retry(&f, list.rows[0].id), WF_OK);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 4), 2);
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	wf_fixture_free(&f);
}

/* Claims that end because an engine is slow do not make a command deadly. */
static void test_claims_that_lapse(void)
{
	struct wf_due_list due;
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(
	    wf_fixture_schedule(&f, 1, WF_COMMAND_FINISH, "1:A", f.now), WF_OK);
	for (unsigned i = 0; i < 10; i++)
		CU_ASSERT_EQUAL(wf_store_claim_due(f.store, f.now, f.now, 10,
				    f.arena, &due, NULL),
		    WF_OK);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 2);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	wf_fixture_free(&f);
}

/* --- incidents ------------------------------------------------------------ */

/* An announcement kills engines; the incident does not call it a launch. */
static void test_deadly_announcement(void)
{
	struct wf_request report = { .kind = WF_REQUEST_REPORT,
		.number = 1,
		.report = { .item = "1:A",
		    .code = "delivery",
		    .text = "nobody there" } };
	struct wf_incident_list list;
	struct wf_answer answer;
	struct wf_due_list due;
	struct wf_bytes body;
	struct wf_due_attempts earlier;
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &report, &answer, NULL), WF_OK);
	CU_ASSERT_EQUAL(wf_fixture_retry(&f, 1), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_store_due_of(f.store, 1, "", 10, f.arena, &due, NULL), WF_OK);
	CU_ASSERT_EQUAL_FATAL(due.count, 1);
	CU_ASSERT_EQUAL(
	    wf_due_command_decode(due.rows[0].payload, &earlier, &body, NULL),
	    WF_OK);
	earlier.isolated = WF_DUE_COMMAND_ISOLATED_MAXIMUM;
	due.rows[0].payload = wf_due_command_payload(&earlier, body, f.arena);
	write_due(&f, &due.rows[0]);
	wf_fixture_turn(&f);
	list = wf_fixture_incidents(&f);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_STRING_EQUAL(list.rows[0].code, "BUG");
	CU_ASSERT_PTR_NULL(strstr(list.rows[0].text, "launch"));
	wf_fixture_free(&f);
}

/* In a batch with the launch of its case, which was claimed once more. */
static void test_broken_beside_its_start(void)
{
	struct wf_request finish = { .number = 1,
		.command = { .kind = WF_COMMAND_FINISH, .item = "1:A" } };
	struct wf_due_list due;
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL(wf_fixture_put_off(&f, NULL, f.now), 1);
	CU_ASSERT_EQUAL(
	    wf_store_due_of(f.store, 0, "", 10, f.arena, &due, NULL), WF_OK);
	CU_ASSERT_EQUAL_FATAL(due.count, 1);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 1);
	write_due(&f, &due.rows[0]);
	f.broken_item = "1:A";
	CU_ASSERT_EQUAL(
	    wf_engine_submit(f.engine, &finish, NULL, NULL, NULL), WF_OK);
	wf_fixture_turn(&f);
	CU_ASSERT_TRUE(wf_fixture_is_quarantined(&f, 1));
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	wf_fixture_free(&f);
}

static void test_damaged_due(void)
{
	struct wf_due_row row = {
		.name = "odd", .kind = 1, .payload = { "nonsense", 8 }
	};
	struct wf_incident_list list;
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	row.at = f.now;
	write_due(&f, &row);
	row.number = 1;
	write_due(&f, &row);
	row.name = "unknown";
	row.kind = 77;
	row.payload = wf_due_command_payload(NULL, row.payload, f.arena);
	write_due(&f, &row);
	wf_fixture_turn(&f);
	list = wf_fixture_incidents(&f);
	CU_ASSERT_EQUAL_FATAL(list.count, 3);
	for (size_t i = 0; i < list.count; i++)
		CU_ASSERT_STRING_EQUAL(list.rows[i].code, "CORRUPT");
	CU_ASSERT_FALSE(wf_fixture_is_quarantined(&f, 1));
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	for (size_t i = 0; i < list.count; i++)
		CU_ASSERT_EQUAL(wf_fixture_retry(&f, list.rows[i].id),
		    list.rows[i].number == 0 ? WF_CONFLICT : WF_OK);
	wf_fixture_turn(&f);
	/*
	 * What is of no case and damaged has nothing to retry.  The row that is
	 * whole can be tried again.
	 */
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 2);
	wf_fixture_free(&f);
}

/* --- deletion of old answers ---------------------------------------------- */

static enum wf_rc launch_with_key(
    struct wf_fixture *f, const char *key, bool *repeated_out)
{
	struct wf_request request = { .command = { .kind = WF_COMMAND_LAUNCH },
		.launch = { .specification = f->key },
		.actor = "ann",
		.key = key };
	struct wf_answer answer;
	enum wf_rc rc = wf_engine_call(f->engine, &request, &answer, &f->err);

	*repeated_out = answer.repeated;
	return rc;
}

/* Answers are kept for the configured time, and then deleted, however many. */
static void test_answers_are_forgotten(void)
{
	struct wf_fixture f;
	bool repeated;

	wf_fixture_init(&f);
	f.settings.answers_kept_ms = 2 * (int64_t)DAY;
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL(launch_with_key(&f, "old", &repeated), WF_OK);
	for (unsigned i = 0; i < 2500; i++)
		wf_fixture_launch(&f);
	f.now += DAY;
	CU_ASSERT_EQUAL(launch_with_key(&f, "new", &repeated), WF_OK);
	f.now += DAY - MINUTE;
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(launch_with_key(&f, "old", &repeated), WF_OK);
	CU_ASSERT_TRUE(repeated);
	f.now += 2 * MINUTE;
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(launch_with_key(&f, "new", &repeated), WF_OK);
	CU_ASSERT_TRUE(repeated);
	CU_ASSERT_EQUAL(launch_with_key(&f, "old", &repeated), WF_OK);
	CU_ASSERT_FALSE(repeated);
	wf_fixture_free(&f);
}

CU_TestInfo wf_tests_due_commands[] = {
	{ "delayed launch", test_delayed_launch },
	{ "what is being claimed is work", test_claiming_is_not_idle },
	{ "delayed commands for what is not there", test_of_nothing },
	{ "a store that fails meanwhile", test_failing_store },
	{ "two launches of one name", test_launches_of_one_name },
	{ "a launch claimed by two engines", test_claimed_twice },
	{ "a claim that is over", test_claim_is_over },
	{ "a case that is long in use", test_waits_for_its_case },
	{ "done by another meanwhile", test_done_by_another },
	{ "launched long ago", test_launched_long_ago },
	{ "refused without a caller", test_refused },
	{ "refused again and again", test_refused_again },
	{ "retried by two at once", test_retried_together },
	{ "the same command once more", test_armed_again },
	{ "due while the case is quarantined", test_due_while_quarantined },
	{ "put back without an incident", test_put_back },
	{ "what kills engines", test_deadly },
	{ "claims that lapse", test_claims_that_lapse },
	{ "damaged due commands", test_damaged_due },
	{ "answers are forgotten", test_answers_are_forgotten },
	{ "an announcement that kills", test_deadly_announcement },
	{ "broken beside its start", test_broken_beside_its_start },
	CU_TEST_INFO_NULL,
};
