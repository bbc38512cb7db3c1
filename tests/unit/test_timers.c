/* SPDX-License-Identifier: Apache-2.0 */
/* Timers of a running engine: due rows that come and go with them. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/engine_fixture.h"

#define HOUR INT64_C(3600000)

static const char process[] =
    "<specificationSet version='4.0' "
    "xmlns='http://www.yawlfoundation.org/yawlschema' "
    "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
    "<specification uri='timed'><metaData><title>timed</title>"
    "<version>0.1</version><identifier>UID_timed</identifier></metaData>"
    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>"
    "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
    "<processControlElements>"
    "<inputCondition id='i'><flowsInto><nextElementRef id='A'/></flowsInto>"
    "</inputCondition>"
    "<task id='A'><flowsInto><nextElementRef id='B'/></flowsInto>"
    "<join code='xor'/><split code='and'/>"
    "<timer><trigger>OnEnabled</trigger><duration>PT1H</duration></timer>"
    "<decomposesTo id='W'/></task>"
    "<task id='B'><flowsInto><nextElementRef id='A'/>"
    "<predicate ordering='0'>timer(B) = 'expired'</predicate></flowsInto>"
    "<flowsInto><nextElementRef id='o'/><isDefaultFlow/></flowsInto>"
    "<join code='xor'/><split code='xor'/>"
    "<timer><trigger>OnExecuting</trigger><duration>PT1H</duration></timer>"
    "<decomposesTo id='W'/></task>"
    "<outputCondition id='o'/></processControlElements></decomposition>"
    "<decomposition id='W' xsi:type='WebServiceGatewayFactsType'>"
    "<externalInteraction>manual</externalInteraction></decomposition>"
    "</specification></specificationSet>";

static uint64_t launch(struct wf_fixture *f)
{
	uint64_t number;

	wf_fixture_init(f);
	wf_fixture_open(f);
	CU_ASSERT_EQUAL_FATAL(
	    wf_fixture_load(f, process, sizeof(process) - 1), WF_OK);
	number = wf_fixture_launch(f);
	CU_ASSERT_NOT_EQUAL_FATAL(number, 0);
	return number;
}

static size_t count_due(struct wf_fixture *f, uint64_t number)
{
	struct wf_due_list list = { .count = 99 };

	CU_ASSERT_EQUAL(wf_store_due_of(f->store, number, "", SIZE_MAX,
			    f->arena, &list, NULL),
	    WF_OK);
	return list.count;
}

static void pass(struct wf_fixture *f, int64_t milliseconds)
{
	f->now += milliseconds;
	wf_fixture_turn(f);
}

static void end(struct wf_fixture *f)
{
	CU_ASSERT_EQUAL(wf_fixture_incidents(f).count, 0);
	CU_ASSERT_TRUE(wf_fixture_is_whole(f));
	wf_fixture_free(f);
}

static void at_its_time(void)
{
	struct wf_fixture f;
	uint64_t number = launch(&f);

	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), f.now + HOUR);
	CU_ASSERT_EQUAL(count_due(&f, number), 1);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	pass(&f, HOUR - 1);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, number), "A=0 ");
	pass(&f, 1);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, number), "B=0 ");
	CU_ASSERT_EQUAL(count_due(&f, number), 0);
	/* Round the loop: each time it begins anew. */
	for (int i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(wf_fixture_do(&f, number, WF_COMMAND_START,
				    "1:B", NULL, NULL),
		    WF_OK);
		pass(&f, HOUR);
		CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, number), "A=0 ");
		CU_ASSERT_EQUAL(count_due(&f, number), 1);
		pass(&f, HOUR);
		CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, number), "B=0 ");
	}
	CU_ASSERT_TRUE(wf_fixture_agrees(&f, number));
	end(&f);
}

/* Done in time, and even in the batch that added it. */
static void stopped(void)
{
	struct wf_fixture f;
	uint64_t number = launch(&f);

	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, number, WF_COMMAND_FINISH, "1:A", NULL, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(count_due(&f, number), 0);
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, number, WF_COMMAND_FINISH, "1:B", NULL, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(count_due(&f, number), 0);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, number), 0);
	pass(&f, 10 * HOUR);
	end(&f);
}

/* In one batch with a timer that is stopped, and a delayed start. */
static void stopped_among_others(void)
{
	struct wf_fixture f;
	uint64_t first = launch(&f);
	uint64_t second = wf_fixture_launch(&f);
	uint64_t third = second + 1;
	struct wf_request requests[] = {
		{ .number = first,
		    .command = { .kind = WF_COMMAND_START, .item = "1:B" } },
		{ .number = second,
		    .command = { .kind = WF_COMMAND_FINISH, .item = "2:A" } },
		{ .number = first,
		    .command = { .kind = WF_COMMAND_COMPLETE,
			.item = "1.2:B" } },
		{ .kind = WF_REQUEST_SCHEDULE,
		    .command = { .kind = WF_COMMAND_LAUNCH },
		    .launch = { .specification = f.key },
		    .at = f.now + HOUR / 2 },
	};

	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, first, WF_COMMAND_FINISH, "1:A", NULL, NULL),
	    WF_OK);
	for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
		CU_ASSERT_EQUAL(
		    wf_engine_submit(f.engine, &requests[i], NULL, NULL, NULL),
		    WF_OK);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, first), 0);
	CU_ASSERT_EQUAL(count_due(&f, second), 0);
	CU_ASSERT_EQUAL(count_due(&f, 0), 1);
	pass(&f, HOUR / 2);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, third), 1);
	end(&f);
}

#define MANY 500U

/* A, and behind it as many tasks with a timer each. */
static void load_many(struct wf_fixture *f)
{
	struct wf_buffer xml;

	wf_buffer_init(&xml, 1 << 24);
	wf_buffer_append(&xml, process,
	    (size_t)(strstr(process, "<task id='A'>") - process));
	wf_buffer_puts(&xml, "<task id='A'>");
	for (unsigned i = 0; i < MANY; i++)
		wf_buffer_printf(&xml,
		    "<flowsInto><nextElementRef id='T%u'/></flowsInto>", i);
	wf_buffer_puts(&xml, "<join code='xor'/><split code='and'/>"
			     "<decomposesTo id='W'/></task>");
	for (unsigned i = 0; i < MANY; i++)
		wf_buffer_printf(&xml,
		    "<task id='T%u'><flowsInto><nextElementRef id='Z'/>"
		    "</flowsInto><join code='xor'/><split code='and'/>"
		    "<timer><trigger>OnEnabled</trigger>"
		    "<duration>PT1H</duration></timer>"
		    "<decomposesTo id='W'/></task>",
		    i);
	wf_buffer_puts(&xml,
	    "<task id='Z'><flowsInto><nextElementRef id='o'/></flowsInto>"
	    "<join code='and'/><split code='and'/><decomposesTo id='W'/>"
	    "</task>");
	wf_buffer_puts(&xml, strstr(process, "<outputCondition"));
	wf_fixture_init(f);
	wf_fixture_open(f);
	CU_ASSERT_EQUAL_FATAL(
	    wf_fixture_load(f, wf_buffer_text(&xml), xml.length), WF_OK);
	wf_buffer_free(&xml);
}

static void submit(struct wf_fixture *f, uint64_t number,
    enum wf_command_kind command, const char *item)
{
	struct wf_request request = { .number = number,
		.command = { .kind = command, .item = item } };

	CU_ASSERT_EQUAL(
	    wf_engine_submit(f->engine, &request, NULL, NULL, NULL), WF_OK);
}

/* Each of many, and no other, in the batch that added it and in a later one. */
static void many_stopped(void)
{
	struct wf_fixture f;
	uint64_t first;
	uint64_t second;

	load_many(&f);
	first = wf_fixture_launch(&f);
	second = wf_fixture_launch(&f);
	submit(&f, first, WF_COMMAND_FINISH, "1:A");
	submit(&f, second, WF_COMMAND_FINISH, "2:A");
	for (unsigned i = 0; i < MANY; i += 2) {
		char item[16];

		snprintf(item, sizeof(item), "1:T%u", i);
		submit(&f, first, WF_COMMAND_FINISH, item);
	}
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(count_due(&f, first), MANY / 2);
	CU_ASSERT_EQUAL(count_due(&f, second), MANY);
	for (unsigned i = 1; i < MANY; i += 2) {
		char item[16];

		snprintf(item, sizeof(item), "1:T%u", i);
		submit(&f, first, WF_COMMAND_FINISH, item);
	}
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(count_due(&f, first), 0);
	CU_ASSERT_EQUAL(count_due(&f, second), MANY);
	end(&f);
}

static void after_a_restart(void)
{
	struct wf_fixture f;
	uint64_t number = launch(&f);

	if (strcmp(f.kind->name, "memory") == 0)
		wf_engine_close(&f.engine);
	else
		wf_engine_abandon(&f.engine);
	f.now += 5 * HOUR;
	wf_fixture_open(&f);
	wf_fixture_turn(&f);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, number), "B=0 ");
	CU_ASSERT_EQUAL(count_due(&f, number), 0);
	end(&f);
}

static void while_suspended(void)
{
	struct wf_fixture f;
	uint64_t number = launch(&f);

	CU_ASSERT_EQUAL(wf_fixture_do(&f, number, WF_COMMAND_SUSPEND_CASE, NULL,
			    NULL, NULL),
	    WF_OK);
	pass(&f, 2 * HOUR);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, number), "A=0 ");
	CU_ASSERT_EQUAL(count_due(&f, number), 0);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, number, WF_COMMAND_RESUME_CASE, NULL, NULL, NULL),
	    WF_OK);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, number), "B=0 ");
	end(&f);
}

/* An hour back, between the claim and the step or before: it fires once. */
static void clock_set_back(void)
{
	struct wf_fixture f;
	uint64_t number = launch(&f);

	pass(&f, HOUR - 1);
	f.now -= HOUR;
	wf_fixture_turn(&f);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, number), "A=0 ");
	pass(&f, HOUR);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, number), "A=0 ");
	f.now += 1;
	/* It is claimed, and the clock is set back before it is tried. */
	CU_ASSERT_TRUE(wf_engine_turn(f.engine));
	f.now -= HOUR;
	wf_fixture_turn(&f);
	f.now += 2 * HOUR;
	wf_fixture_turn(&f);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, number), "B=0 ");
	CU_ASSERT_EQUAL(count_due(&f, number), 0);
	CU_ASSERT_TRUE(wf_fixture_agrees(&f, number));
	end(&f);
}

static void fail_and_set_back(struct wf_fixture *f, uint64_t number)
{
	f->broken_item = "1:A";
	pass(f, HOUR);
	f->broken_item = NULL;
	CU_ASSERT_TRUE(wf_fixture_is_quarantined(f, number));
	f->now -= HOUR / 2;
}

/* A failed timer is retried, but the clock was set back: it expires later. */
static void retried_too_early(void)
{
	struct wf_incident_list incidents;
	struct wf_fixture f;
	uint64_t number = launch(&f);

	fail_and_set_back(&f, number);
	incidents = wf_fixture_incidents(&f);
	CU_ASSERT_EQUAL_FATAL(incidents.count, 1);
	CU_ASSERT_EQUAL(wf_fixture_retry(&f, incidents.rows[0].id), WF_OK);
	wf_fixture_turn(&f);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, number), "A=0 ");
	CU_ASSERT_EQUAL(count_due(&f, number), 1);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	pass(&f, HOUR / 2);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, number), "B=0 ");
	CU_ASSERT_EQUAL(count_due(&f, number), 0);
	end(&f);
}

/* The same when it had to wait for its case. */
static void put_off_too_little(void)
{
	struct wf_take take = { .number = 0 };
	struct wf_batch batch = { .takes = &take, .take_count = 1 };
	struct wf_incident_list incidents;
	struct wf_fixture f;
	uint64_t number = launch(&f);

	f.broken_item = "1:A";
	wf_fixture_do(&f, number, WF_COMMAND_SUSPEND_ITEM, "1:A", NULL, NULL);
	wf_fixture_turn(&f);
	f.broken_item = NULL;
	CU_ASSERT_TRUE(wf_fixture_is_quarantined(&f, number));
	/* It is claimed, and the clock is set back before it is delayed. */
	take.number = number;
	CU_ASSERT_EQUAL(wf_store_begin(f.store, &batch, f.arena, NULL), WF_OK);
	pass(&f, HOUR);
	f.now -= HOUR / 2;
	wf_store_abort(f.store);
	wf_fixture_turn(&f);
	incidents = wf_fixture_incidents(&f);
	CU_ASSERT_EQUAL_FATAL(incidents.count, 1);
	CU_ASSERT_EQUAL(wf_fixture_retry(&f, incidents.rows[0].id), WF_OK);
	pass(&f, HOUR / 4);
	CU_ASSERT_EQUAL(count_due(&f, number), 1);
	pass(&f, HOUR / 2);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, number), "B=0 ");
	end(&f);
}

static void when_the_case_ends(void)
{
	struct wf_fixture f;
	uint64_t number = launch(&f);

	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, number, WF_COMMAND_CANCEL_CASE, NULL, NULL, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(count_due(&f, number), 0);
	pass(&f, 2 * HOUR);
	end(&f);
}

CU_TestInfo wf_tests_timers[] = {
	{ "at its time", at_its_time },
	{ "stopped", stopped },
	{ "stopped among others", stopped_among_others },
	{ "many stopped", many_stopped },
	{ "after a restart", after_a_restart },
	{ "while suspended", while_suspended },
	{ "clock set back", clock_set_back },
	{ "retried too early", retried_too_early },
	{ "put off too little", put_off_too_little },
	{ "when the case ends", when_the_case_ends },
	CU_TEST_INFO_NULL,
};
