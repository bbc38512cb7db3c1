/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches for OR-joins outside a step: begun, brought back, too late, in vain.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel/step.h"
#include "runtime/shard.h"
#include "tests/unit/engine_fixture.h"

#define BITS 10U

static void add_flows(struct wf_buffer *xml, const char *format, unsigned from,
    unsigned to, const char *also)
{
	char id[32];

	for (unsigned i = from; i < to; i++)
		for (unsigned r = 0; r < 3; r++) {
			snprintf(id, sizeof(id), format, i, r);
			wf_buffer_printf(xml,
			    "<flowsInto><nextElementRef id='%s'/></flowsInto>",
			    id);
		}
	if (also != NULL)
		wf_buffer_printf(xml,
		    "<flowsInto><nextElementRef id='%s'/></flowsInto>", also);
}

static void begin_place(struct wf_buffer *xml, const char *name, unsigned i)
{
	wf_buffer_printf(xml, "<condition id='%s%u'>", name, i);
}

static void flow_to(struct wf_buffer *xml, const char *name, unsigned i)
{
	wf_buffer_printf(
	    xml, "<flowsInto><nextElementRef id='%s%u'/></flowsInto>", name, i);
}

static void end_task(
    struct wf_buffer *xml, const char *join, const char *target)
{
	if (target != NULL)
		wf_buffer_printf(xml,
		    "<flowsInto><nextElementRef id='%s'/></flowsInto>", target);
	wf_buffer_printf(xml,
	    "<join code='%s'/><split code='and'/><decomposesTo id='W'/>"
	    "</task>",
	    join);
}

/*
 * A counter of bits, each one (n) or zero (z), which also counts modulo three
 * (m); task F, before one input of the OR-join J, needs all ones and a
 * remainder that never occurs with them. Only a search of all numbers decides.
 */
static void write_places(struct wf_buffer *xml)
{
	for (unsigned j = 0; j < BITS; j++) {
		begin_place(xml, "z", j);
		add_flows(xml, "T%u_%u", j, j + 1, NULL);
		wf_buffer_puts(xml, "</condition>");
		begin_place(xml, "n", j);
		add_flows(xml, "T%u_%u", j + 1, BITS, "F");
		wf_buffer_puts(xml, "</condition>");
	}
	for (unsigned r = 0; r < 3; r++) {
		begin_place(xml, "m", r);
		for (unsigned i = 0; i < BITS; i++) {
			wf_buffer_printf(xml,
			    "<flowsInto><nextElementRef id='T%u_%u'/>"
			    "</flowsInto>",
			    i, r);
		}
		if (r == 1)
			wf_buffer_puts(xml,
			    "<flowsInto><nextElementRef id='F'/></flowsInto>");
		wf_buffer_puts(xml, "</condition>");
	}
	wf_buffer_puts(xml,
	    "<condition id='p'><flowsInto><nextElementRef id='J'/></flowsInto>"
	    "</condition>"
	    "<condition id='q'><flowsInto><nextElementRef id='J'/></flowsInto>"
	    "</condition>");
}

static void write_tasks(struct wf_buffer *xml)
{
	wf_buffer_puts(xml, "<task id='S'>");
	for (unsigned j = 0; j < BITS; j++)
		flow_to(xml, "z", j);
	flow_to(xml, "m", 0);
	end_task(xml, "xor", "p");
	for (unsigned i = 0; i < BITS; i++)
		for (unsigned r = 0; r < 3; r++) {
			wf_buffer_printf(xml, "<task id='T%u_%u'>", i, r);
			flow_to(xml, "n", i);
			flow_to(xml, "m", (r + 1) % 3);
			for (unsigned j = 0; j < i; j++)
				flow_to(xml, "z", j);
			end_task(xml, "and", NULL);
		}
	wf_buffer_puts(xml, "<task id='F'>");
	end_task(xml, "and", "q");
	wf_buffer_puts(xml, "<task id='J'>");
	end_task(xml, "or", "o");
}

static void write_counter(struct wf_buffer *xml)
{
	wf_buffer_puts(xml,
	    "<specificationSet version='4.0' "
	    "xmlns='http://www.yawlfoundation.org/yawlschema' "
	    "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
	    "<specification uri='Q'><metaData><version>0.1</version>"
	    "<identifier>UID_Q</identifier></metaData>"
	    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>"
	    "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
	    "<processControlElements><inputCondition id='i'><flowsInto>"
	    "<nextElementRef id='S'/></flowsInto></inputCondition>");
	write_places(xml);
	write_tasks(xml);
	wf_buffer_puts(xml,
	    "<outputCondition id='o'/></processControlElements>"
	    "</decomposition>"
	    "<decomposition id='W' xsi:type='WebServiceGatewayFactsType'/>"
	    "</specification></specificationSet>");
}

static void load_counter(struct wf_fixture *f)
{
	struct wf_buffer xml;

	wf_buffer_init(&xml, 1 << 20);
	write_counter(&xml);
	CU_ASSERT_EQUAL_FATAL(
	    wf_fixture_load(f, wf_buffer_text(&xml), xml.length), WF_OK);
	wf_buffer_free(&xml);
}

/* A verdict applies to the marking that was searched, and to no other. */
static void test_verdict(void)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("counter");
	struct wf_command command = { .kind = WF_COMMAND_LAUNCH, .now = 1 };
	struct wf_error err = { 0 };
	struct wf_spec_file *file;
	struct wf_buffer verdict;
	struct wf_buffer xml;
	struct wf_case *instance;
	struct wf_step step;

	wf_buffer_init(&xml, 1 << 20);
	wf_buffer_init(&verdict, 1 << 20);
	write_counter(&xml);
	CU_ASSERT_EQUAL_FATAL(
	    wf_spec_read(&file, wf_buffer_text(&xml), xml.length, diagnostics),
	    WF_OK);
	wf_step_init(&step);
	CU_ASSERT_EQUAL_FATAL(wf_case_launch(&instance, file->specs[0], "1",
				  NULL, &command, &step, &err),
	    WF_OK);
	command.kind = WF_COMMAND_FINISH;
	command.item = "1:S";
	CU_ASSERT_EQUAL(wf_case_step(instance, &command, &step, &err), WF_OK);
	CU_ASSERT_EQUAL(wf_case_search(instance, "1:J", &verdict, &err), WF_OK);
	command.item = "1:T0_0";
	CU_ASSERT_EQUAL(wf_case_step(instance, &command, &step, &err), WF_OK);
	command = (struct wf_command){ .kind = WF_COMMAND_DECIDE,
		.now = 1,
		.item = "1:J",
		.data = wf_buffer_text(&verdict),
		.length = verdict.length };
	CU_ASSERT_EQUAL(
	    wf_case_step(instance, &command, &step, &err), WF_CONFLICT);
	wf_buffer_reset(&verdict);
	CU_ASSERT_EQUAL(wf_case_search(instance, "1:J", &verdict, &err), WF_OK);
	command.data = wf_buffer_text(&verdict);
	command.length = verdict.length;
	CU_ASSERT_EQUAL(wf_case_step(instance, &command, &step, &err), WF_OK);
	wf_case_free(&instance);
	wf_step_free(&step);
	wf_spec_file_free(&file);
	wf_diagnostics_free(&diagnostics);
	wf_buffer_free(&verdict);
	wf_buffer_free(&xml);
}

static void test_search(void)
{
	struct wf_engine_counts counts;
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	load_counter(&f);
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_FINISH, "1:S", NULL, NULL), WF_OK);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, 1), "T0_0=0 ");
	CU_ASSERT_NOT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	wf_fixture_turn(&f);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, 1), "J=0 T0_0=0 ");
	wf_engine_counts(f.engine, &counts);
	CU_ASSERT_EQUAL(counts.searches, 1);
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	CU_ASSERT_TRUE(wf_fixture_agrees(&f, 1));
	wf_fixture_free(&f);
}

/* The same by the engine's own threads, while the case goes on. */
static void test_search_in_thread(void)
{
	struct wf_fixture f;
	bool found = false;

	wf_fixture_init(&f);
	f.settings.threads = true;
	f.settings.now = NULL;
	wf_fixture_open(&f);
	load_counter(&f);
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_FINISH, "1:S", NULL, NULL), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_FINISH, "1:T0_0", NULL, NULL),
	    WF_OK);
	for (unsigned i = 0; i < 60000 && !found; i++) {
		usleep(10000);
		found = strcmp(wf_fixture_items(&f, 1), "J=0 T1_1=0 ") == 0;
	}
	CU_ASSERT_TRUE(found);
	wf_fixture_free(&f);
}

/* A verdict on an old marking changes nothing, and is no incident. */
static void test_search_too_late(void)
{
	struct wf_request request = { .number = 1,
		.command = { .kind = WF_COMMAND_FINISH, .item = "1:T0_0" } };
	struct wf_engine_counts counts;
	struct wf_engine *other;
	struct wf_answer answer;
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	load_counter(&f);
	CU_ASSERT_EQUAL_FATAL(
	    wf_engine_open(&other, &f.settings, &f.err), WF_OK);
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_FINISH, "1:S", NULL, NULL), WF_OK);
	CU_ASSERT_TRUE(wf_due_turn(f.engine));
	CU_ASSERT_TRUE(wf_search_turn(f.engine));
	CU_ASSERT_EQUAL(
	    wf_engine_call(other, &request, &answer, &f.err), WF_OK);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 3);
	wf_fixture_turn(&f);
	wf_engine_counts(f.engine, &counts);
	CU_ASSERT_EQUAL(counts.searches, 2);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, 1), "J=0 T1_1=0 ");
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	wf_engine_close(&other);
	wf_fixture_free(&f);
}

/* An OR-join that even the search cannot decide waits for a person. */
static void test_search_in_vain(void)
{
	struct wf_limits limits = wf_limits_default;
	struct wf_incident_list list;
	struct wf_fixture f;

	wf_fixture_init(&f);
	limits.search = 1000;
	f.settings.limits = &limits;
	wf_fixture_open(&f);
	load_counter(&f);
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_FINISH, "1:S", NULL, NULL), WF_OK);
	wf_fixture_turn(&f);
	list = wf_fixture_incidents(&f);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_STRING_EQUAL(list.rows[0].code, "LIMIT");
	CU_ASSERT_STRING_EQUAL(list.rows[0].item, "1:J");
	CU_ASSERT_EQUAL(list.rows[0].number, 1);
	CU_ASSERT_FALSE(wf_fixture_is_quarantined(&f, 1));
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	/* A retry searches again, with a longer time-out. */
	wf_engine_close(&f.engine);
	f.settings.limits = NULL;
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL(wf_fixture_retry(&f, list.rows[0].id), WF_OK);
	wf_fixture_turn(&f);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, 1), "J=0 T0_0=0 ");
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	wf_fixture_free(&f);
}

CU_TestInfo wf_tests_searches[] = {
	{ "a verdict is for one marking", test_verdict },
	{ "an OR-join is searched for", test_search },
	{ "a search by a thread", test_search_in_thread },
	{ "a search that comes too late", test_search_too_late },
	{ "a search in vain", test_search_in_vain },
	CU_TEST_INFO_NULL,
};
