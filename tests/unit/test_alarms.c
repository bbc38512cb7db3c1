/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Alarms of items that are for people: each is a due row, is done once whatever
 * fails, and goes with its item.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <string.h>

#include "kernel/step.h"
#include "people/decision.h"
#include "runtime/due_command.h"
#include "runtime/engine.h"
#include "tests/unit/engine_fixture.h"

#define MINUTE INT64_C(60000)
#define HOUR (60 * MINUTE)

static const char process[] =
    "<specificationSet version='4.0' "
    "xmlns='http://www.yawlfoundation.org/yawlschema' "
    "xmlns:p='urn:weft:people' "
    "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
    "<specification uri='P'><metaData><version>0.1</version>"
    "<identifier>UID_P</identifier></metaData>"
    "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
    "<processControlElements>"
    "<inputCondition id='i'><flowsInto><nextElementRef id='A'/></flowsInto>"
    "</inputCondition>"
    "<task id='A'><flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='W'/></task>"
    "<outputCondition id='o'/></processControlElements></decomposition>"
    "<decomposition id='W' xsi:type='WebServiceGatewayFactsType' "
    "p:due='PT4H' p:remind='enabled+PT1H due' "
    "p:escalate='offered+PT2H notify; due+PT1H incident Nobody did it'/>"
    "</specification></specificationSet>";

static struct wf_organisation *organisation;
static struct wf_deciding deciding;
static struct wf_people_calls calls;

static struct wf_people_calls *begin(
    void *context, struct wf_engine *engine, int64_t now)
{
	(void)context;
	(void)engine;
	(void)now;
	return &calls;
}

static enum wf_rc keep(struct wf_people_calls *kept, struct wf_engine *engine,
    struct wf_error *err)
{
	(void)kept;
	(void)engine;
	(void)err;
	return WF_OK;
}

static void end(struct wf_people_calls *ended)
{
	(void)ended;
}

static const struct wf_engine_people people = {
	.begin = begin, .keep = keep, .end = end
};

/* One participant, "PA-ann". */
static void open_people(struct wf_fixture *f)
{
	struct wf_org_change change = { WF_ORG_PARTICIPANT, "PA-ann", NULL };
	struct wf_org_record *record;

	wf_fixture_init(f);
	record = wf_org_record_new(f->arena, WF_ORG_PARTICIPANT, "PA-ann");
	((struct wf_participant *)record)->user = "ann";
	change.record = record;
	organisation = wf_organisation_new(NULL, &change, 1, 1);
	deciding = (struct wf_deciding){ .organisation = organisation };
	calls = wf_deciding_calls(&deciding);
	f->settings.people = &people;
	wf_fixture_open(f);
	CU_ASSERT_EQUAL_FATAL(
	    wf_fixture_load(f, process, strlen(process)), WF_OK);
	CU_ASSERT_EQUAL_FATAL(wf_fixture_launch(f), 1);
}

static void close_people(struct wf_fixture *f)
{
	wf_fixture_free(f);
	wf_organisation_unref(&organisation);
}

static enum wf_rc as_ann(
    struct wf_fixture *f, enum wf_command_kind kind, const char *item)
{
	struct wf_request request = { .kind = WF_REQUEST_COMMAND,
		.command = { .kind = kind,
		    .item = item,
		    .participant = "PA-ann" },
		.number = 1 };
	struct wf_answer answer;

	wf_error_clear(&f->err);
	return wf_engine_call(f->engine, &request, &answer, &f->err);
}

static size_t count_due(struct wf_fixture *f)
{
	struct wf_due_list due;

	CU_ASSERT_EQUAL(
	    wf_store_due_of(f->store, 1, "", 10, f->arena, &due, NULL), WF_OK);
	return due.count;
}

/* Turns until the hour after the launch, and says what version results. */
static uint64_t version_at(struct wf_fixture *f, int64_t hours)
{
	f->now = WF_FIXTURE_START + hours * HOUR;
	wf_fixture_turn(f);
	return wf_fixture_version(f, 1);
}

static void test_in_order(void)
{
	struct wf_incident_list incidents;
	struct wf_fixture f;

	open_people(&f);
	CU_ASSERT_EQUAL(count_due(&f), 1);
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), WF_FIXTURE_START + HOUR);
	CU_ASSERT_EQUAL(version_at(&f, 0), 1);
	CU_ASSERT_EQUAL(version_at(&f, 1), 2);
	CU_ASSERT_EQUAL(
	    wf_engine_next_due(f.engine), WF_FIXTURE_START + 2 * HOUR);
	CU_ASSERT_EQUAL(version_at(&f, 2), 3);
	CU_ASSERT_EQUAL(count_due(&f), 1);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	/* Both of these came due while nobody turned. */
	CU_ASSERT_EQUAL(version_at(&f, 5), 5);
	incidents = wf_fixture_incidents(&f);
	CU_ASSERT_EQUAL_FATAL(incidents.count, 1);
	CU_ASSERT_STRING_EQUAL(incidents.rows[0].code, WF_LATE_CODE);
	CU_ASSERT_STRING_EQUAL(incidents.rows[0].text, "Nobody did it");
	CU_ASSERT_STRING_EQUAL(incidents.rows[0].item, "1:A");
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	/* The retry says that somebody has seen it. */
	CU_ASSERT_EQUAL(wf_fixture_retry(&f, incidents.rows[0].id), WF_OK);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 5);
	close_people(&f);
}

/* Rows go with the state of the item, with the item, and with the case. */
static void test_rows_go(void)
{
	struct wf_fixture f;

	open_people(&f);
	CU_ASSERT_EQUAL(version_at(&f, 1), 2);
	CU_ASSERT_EQUAL(as_ann(&f, WF_COMMAND_START, "1:A"), WF_OK);
	CU_ASSERT_EQUAL(count_due(&f), 1);
	CU_ASSERT_EQUAL(
	    wf_engine_next_due(f.engine), WF_FIXTURE_START + 4 * HOUR);
	CU_ASSERT_EQUAL(version_at(&f, 2), 3);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	CU_ASSERT_EQUAL(as_ann(&f, WF_COMMAND_COMPLETE, "1.1:A"), WF_OK);
	CU_ASSERT_EQUAL(count_due(&f), 0);
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	close_people(&f);
	open_people(&f);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_CANCEL_CASE, "", NULL, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(count_due(&f), 0);
	close_people(&f);
}

/* Claimed already when the item moves on: nothing happens, and no incident. */
static void test_too_late(void)
{
	struct wf_due_list due;
	struct wf_fixture f;

	open_people(&f);
	CU_ASSERT_EQUAL(version_at(&f, 1), 2);
	f.now = WF_FIXTURE_START + 2 * HOUR;
	CU_ASSERT_EQUAL(wf_store_claim_due(
			    f.store, f.now, f.now + 1, 10, f.arena, &due, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL_FATAL(due.count, 1);
	CU_ASSERT_EQUAL(as_ann(&f, WF_COMMAND_ACCEPT, "1:A"), WF_OK);
	f.now += 2;
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 3);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	CU_ASSERT_EQUAL(count_due(&f), 1);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	close_people(&f);
}

/*
 * Each statement of the ringing fails, or its answer is lost: the reminder is
 * in the history once, and the next alarm is set.
 */
static uint64_t fail_statement(uint64_t n, enum wf_fault fault)
{
	struct wf_fixture f;
	uint64_t faults;

	open_people(&f);
	wf_store_fail_after(wf_engine_shard_store(f.engine, 0), n, fault);
	f.now = WF_FIXTURE_START + HOUR;
	wf_fixture_turn(&f);
	f.now += 2 * WF_DUE_COMMAND_LEASE_MS;
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 2);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	CU_ASSERT_EQUAL(count_due(&f), 1);
	CU_ASSERT_EQUAL(
	    wf_engine_next_due(f.engine), WF_FIXTURE_START + 2 * HOUR);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	faults = wf_store_faults(wf_engine_shard_store(f.engine, 0));
	close_people(&f);
	return faults;
}

static void test_failing_statements(void)
{
	uint64_t n = 1;

	while (fail_statement(n, WF_FAULT_BEFORE) == 1 && n < 100)
		n++;
	CU_ASSERT_TRUE(n > 3 && n < 100);
	for (uint64_t i = 1; i < n; i++)
		CU_ASSERT_EQUAL(fail_statement(i, WF_FAULT_AFTER), 1);
}

/* The engine ends between any two batches: another one goes on. */
static void test_another_engine(void)
{
	struct wf_fixture f;

	open_people(&f);
	for (int64_t hour = 1; hour <= 4; hour++) {
		wf_engine_abandon(&f.engine);
		f.now = WF_FIXTURE_START + hour * HOUR;
		CU_ASSERT_EQUAL_FATAL(
		    wf_engine_open(&f.engine, &f.settings, &f.err), WF_OK);
		wf_fixture_turn(&f);
	}
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 4);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	close_people(&f);
}

CU_TestInfo wf_tests_alarms[] = {
	{ "reminders and escalation in order", test_in_order },
	{ "rows go with their items", test_rows_go },
	{ "an item that moved on", test_too_late },
	{ "a store that fails meanwhile", test_failing_statements },
	{ "another engine goes on", test_another_engine },
	CU_TEST_INFO_NULL,
};
