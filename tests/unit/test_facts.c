/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Engines that decide about people: what items need beside who does them, and
 * what allocators know of the past.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/office_fixture.h"
#include "worklist/busy.h"
#include "worklist/facts_priv.h"

static uint64_t user_of(struct office *office, const char *id)
{
	uint64_t number;

	CU_ASSERT_EQUAL(
	    wf_busy_case(office->f.store, id, &number, &office->f.err), WF_OK);
	return number;
}

/* --- what items need ------------------------------------------------------ */

#define BY_USERS "<allocate initiator='user'/><start initiator='user'/>"
#define ONE_VAN                                                                \
	BY_USERS "<secondary><nonHumanResource>NH-van1</nonHumanResource>"     \
		 "</secondary>"

static void check_blocking(struct office *office)
{
	struct office_node *node = &office->nodes[0];
	struct wf_error err = { .rc = WF_OK };
	uint64_t first;
	uint64_t second;

	office_load(office, "Van", ONE_VAN);
	first = office_launch(office, node);
	second = office_launch(office, node);
	CU_ASSERT_EQUAL(user_of(office, "NH-van1"), 0);
	OK(office_act(
	    node, first, WF_COMMAND_START, "", "PA-anna", NULL, &err));
	CU_ASSERT_STRING_EQUAL(
	    office_item(office, first).busy, "[\"NH-van1\"]");
	CU_ASSERT_EQUAL(user_of(office, "NH-van1"), first);
	CU_ASSERT_EQUAL(office_act(node, second, WF_COMMAND_START, "", "PA-ben",
			    NULL, &err),
	    WF_CONFLICT);
	CU_ASSERT_STRING_EQUAL(err.code, WF_WAITS_CODE);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "NH-van1"));
	wf_error_clear(&err);
	CU_ASSERT_STRING_EQUAL(office_item(office, second).busy, "");
	/* It needs something else, and gets that; only this item does. */
	OK(office_act(node, second, WF_COMMAND_SET_NEEDS, "", ADMINISTRATOR,
	    "[{\"category\":\"NC-car\"}]", &err));
	OK(office_act(
	    node, second, WF_COMMAND_START, "", "PA-ben", NULL, &err));
	CU_ASSERT_STRING_EQUAL(
	    office_item(office, second).busy, "[\"NH-van2\"]");
	/* Free when the item is completed, and when its case is cancelled. */
	OK(office_act(
	    node, first, WF_COMMAND_COMPLETE, ".1", "PA-anna", NULL, &err));
	CU_ASSERT_EQUAL(user_of(office, "NH-van1"), 0);
	first = office_launch(office, node);
	OK(office_act(node, first, WF_COMMAND_START, "", "PA-ben", NULL, &err));
	CU_ASSERT_EQUAL(user_of(office, "NH-van1"), first);
	OK(office_act(
	    node, first, WF_COMMAND_CANCEL_CASE, "", NULL, NULL, &err));
	CU_ASSERT_EQUAL(user_of(office, "NH-van1"), 0);
	/* And when the start is taken back. */
	first = office_launch(office, node);
	OK(office_act(node, first, WF_COMMAND_START, "", "PA-ben", NULL, &err));
	OK(office_act(
	    node, first, WF_COMMAND_ROLLBACK, ".1", ADMINISTRATOR, NULL, &err));
	CU_ASSERT_STRING_EQUAL(office_item(office, first).busy, "");
	CU_ASSERT_TRUE(wf_fixture_is_whole(&office->f));
	CU_ASSERT_EQUAL(office_act(node, first, WF_COMMAND_SET_NEEDS, ".1",
			    ADMINISTRATOR, "[{\"thing\":\"NH-none\"}]", &err),
	    WF_NOT_FOUND);
	wf_error_clear(&err);
	CU_ASSERT_EQUAL(office_act(node, first, WF_COMMAND_SET_NEEDS, ".1",
			    ADMINISTRATOR, "[1]", &err),
	    WF_INVALID);
	wf_error_clear(&err);
	CU_ASSERT_EQUAL(office_act(node, first, WF_COMMAND_SET_NEEDS, ".1",
			    "PA-ben", "[]", &err),
	    WF_DENIED);
}

static void test_blocking(void)
{
	office_on_all(true, check_blocking);
}

/* What is free is busy, also if something else is missing. */
static void check_not_blocking(struct office *office)
{
	struct office_node *node = &office->nodes[0];
	struct wf_error err = { .rc = WF_OK };
	uint64_t numbers[2];

	office_load(office, "Vans",
	    BY_USERS "<secondary><nonHumanResource>NH-van1</nonHumanResource>"
		     "<nonHumanCategory>NC-car</nonHumanCategory>"
		     "<nonHumanCategory>NC-car</nonHumanCategory>"
		     "</secondary>");
	for (unsigned i = 0; i < 2; i++) {
		numbers[i] = office_launch(office, node);
		OK(office_act(node, numbers[i], WF_COMMAND_START, "", "PA-anna",
		    NULL, &err));
	}
	CU_ASSERT_STRING_EQUAL(
	    office_item(office, numbers[0]).busy, "[\"NH-van1\",\"NH-van2\"]");
	CU_ASSERT_STRING_EQUAL(office_item(office, numbers[1]).busy, "");
	/* What it has stays with the item for its next holder. */
	OK(office_act(node, numbers[0], WF_COMMAND_REALLOCATE, ".1",
	    ADMINISTRATOR, "PA-ben", &err));
	CU_ASSERT_EQUAL(user_of(office, "NH-van2"), numbers[0]);
}

static void test_not_blocking(void)
{
	office_on_all(false, check_not_blocking);
}

struct starter {
	pthread_t thread;
	pthread_barrier_t *barrier;
	struct office_node *node;
	uint64_t number;
	enum wf_rc rc;
};

static void *start(void *argument)
{
	struct starter *starter = argument;

	pthread_barrier_wait(starter->barrier);
	starter->rc = office_act(starter->node, starter->number,
	    WF_COMMAND_START, "", "PA-anna", NULL, NULL);
	return NULL;
}

/* Two nodes want the one van at once: exactly one gets it. */
static void check_race(struct office *office)
{
	struct starter starters[2];
	pthread_barrier_t barrier;

	office_open_node(office, &office->nodes[1]);
	office_load(office, "Race", ONE_VAN);
	pthread_barrier_init(&barrier, NULL, 2);
	for (unsigned round = 0; round < 30; round++) {
		unsigned winner;

		for (unsigned i = 0; i < 2; i++) {
			starters[i] = (struct starter){ .barrier = &barrier,
				.node = &office->nodes[i],
				.number =
				    office_launch(office, &office->nodes[i]) };
			pthread_create(
			    &starters[i].thread, NULL, start, &starters[i]);
		}
		for (unsigned i = 0; i < 2; i++)
			pthread_join(starters[i].thread, NULL);
		CU_ASSERT_EQUAL_FATAL(
		    (starters[0].rc == WF_OK) + (starters[1].rc == WF_OK), 1);
		winner = starters[0].rc == WF_OK ? 0 : 1;
		CU_ASSERT_EQUAL(starters[1 - winner].rc, WF_CONFLICT);
		CU_ASSERT_EQUAL(
		    user_of(office, "NH-van1"), starters[winner].number);
		OK(office_act(starters[winner].node, starters[winner].number,
		    WF_COMMAND_COMPLETE, ".1", "PA-anna", NULL, NULL));
		/* The other one gets it from a case that has ended. */
		OK(office_act(starters[1 - winner].node,
		    starters[1 - winner].number, WF_COMMAND_START, "",
		    "PA-anna", NULL, NULL));
		CU_ASSERT_EQUAL(
		    user_of(office, "NH-van1"), starters[1 - winner].number);
		OK(office_act(starters[1 - winner].node,
		    starters[1 - winner].number, WF_COMMAND_COMPLETE, ".1",
		    "PA-anna", NULL, NULL));
	}
	pthread_barrier_destroy(&barrier);
	wf_arena_reset(office->f.arena);
}

static void test_race(void)
{
	office_on_shared(true, check_race);
}

/* --- allocators ----------------------------------------------------------- */

static void load_allocator(struct office *office, const char *name)
{
	office_load(office, name,
	    wf_arena_printf(office->f.arena,
		"<allocate initiator='system'><allocator><name>%s</name>"
		"</allocator></allocate><start initiator='user'/>",
		name));
}

static const char *holder_of(struct office *office, uint64_t number)
{
	const char *queue = office_item(office, number).queue;

	return strncmp(queue, "P:", 2) == 0 ? queue + 2 : queue;
}

/* An item is offered to the participant, accepted, started and completed. */
static void work(struct office *office, const char *participant,
    int64_t to_accept, int64_t to_start, int64_t to_complete)
{
	struct office_node *node = &office->nodes[0];
	uint64_t number = office_launch(office, node);

	OK(office_act(node, number, WF_COMMAND_OFFER, "", ADMINISTRATOR,
	    participant, NULL));
	office->f.now += to_accept;
	OK(office_act(
	    node, number, WF_COMMAND_ACCEPT, "", participant, NULL, NULL));
	office->f.now += to_start;
	OK(office_act(
	    node, number, WF_COMMAND_START, "", participant, NULL, NULL));
	office->f.now += to_complete;
	OK(office_act(
	    node, number, WF_COMMAND_COMPLETE, ".1", participant, NULL, NULL));
}

/* Both know the same of the participants and the task. */
static void compare_facts(const struct wf_fact_fold *a,
    const struct wf_fact_fold *b, const char *allocator)
{
	static const char *const people[] = { "PA-anna", "PA-ben", "PA-cara" };
	char name[80];
	const struct wf_task_facts *one;
	const struct wf_task_facts *other;

	snprintf(name, sizeof(name), "%zu,3:UID_%s,0.1,A",
	    strlen("UID_") + strlen(allocator), allocator);
	one = wf_map_get(a->tasks, name);
	other = wf_map_get(b->tasks, name);
	CU_ASSERT_EQUAL(
	    one != NULL, wf_fact_fold_are_needed(wf_allocator_find(allocator)));
	CU_ASSERT_EQUAL_FATAL(one == NULL, other == NULL);
	for (size_t i = 0; one != NULL && i < 3; i++) {
		struct wf_work_facts before = { .waiting = 0 };
		struct wf_work_facts after = { .waiting = 0 };

		wf_work_log_get(one->log, people[i], &before);
		wf_work_log_get(other->log, people[i], &after);
		CU_ASSERT_EQUAL(after.completions, before.completions);
		CU_ASSERT_EQUAL(after.completed.at, before.completed.at);
		CU_ASSERT_EQUAL(after.allocated.at, before.allocated.at);
		CU_ASSERT_EQUAL(after.quick, before.quick);
	}
}

static void check_allocators(struct office *office)
{
	static const char *const expected[][2] = {
		{ "RoundRobinByTime", "PA-cara" },
		{ "RoundRobinByLeastFrequency", "PA-cara" },
		{ "RoundRobinByExperience", "PA-anna" },
		{ "FastestToAllocate", "PA-ben" },
		{ "FastestToStart", "PA-anna" },
		{ "FastestToComplete", "PA-ben" },
		{ "FastestResource", "PA-ben" },
		{ "CheapestResource", "PA-cara" },
		{ "DearestResource", "PA-ben" },
		{ "CheapestToAllocate", "PA-anna" },
		{ "CheapestStarter", "PA-anna" },
		{ "CheapestCompleter", "PA-anna" },
		{ "RiskAssessment", "PA-ben" },
	};
	struct office_node *node = &office->nodes[0];

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		struct wf_fact_fold *again = wf_fact_fold_new();
		struct wf_fact_fold *before = node->facts;

		load_allocator(office, expected[i][0]);
		work(office, "PA-anna", 3000, 1000, 9000);
		work(office, "PA-ben", 500, 3000, 2000);
		work(office, "PA-anna", 3000, 1000, 9000);
		OK(wf_fact_fold_read(before, node->engine, &office->f.err));
		CU_ASSERT_STRING_EQUAL(
		    holder_of(office, office_launch(office, node)),
		    expected[i][1]);
		/* The same after a restart. */
		OK(wf_fact_fold_read(before, node->engine, &office->f.err));
		OK(wf_fact_fold_read(again, node->engine, &office->f.err));
		compare_facts(before, again, expected[i][0]);
		wf_fact_fold_free(&again);
	}
}

static void test_allocators(void)
{
	office_on_all(false, check_allocators);
}

/*
 * What was allocated counts at once, also before it is read, for another node
 * when that has read it, and after a restart.
 */
static void check_turns(struct office *office)
{
	static const char *const people[] = { "PA-anna", "PA-ben", "PA-cara" };
	struct office_node *here = &office->nodes[0];
	struct office_node *there = &office->nodes[1];
	unsigned turn = 0;

	office_open_node(office, there);
	load_allocator(office, "RoundRobinByAllocationTime");
	for (unsigned i = 0; i < 4; i++, office->f.now++)
		CU_ASSERT_STRING_EQUAL(
		    holder_of(office, office_launch(office, here)),
		    people[turn++ % 3]);
	OK(wf_fact_fold_read(here->facts, here->engine, &office->f.err));
	CU_ASSERT_STRING_EQUAL(
	    holder_of(office, office_launch(office, here)), people[turn++ % 3]);
	office->f.now++;
	OK(wf_fact_fold_read(there->facts, there->engine, &office->f.err));
	for (unsigned i = 0; i < 2; i++, office->f.now++)
		CU_ASSERT_STRING_EQUAL(
		    holder_of(office, office_launch(office, there)),
		    people[turn++ % 3]);
	office_close_node(there);
	office_open_node(office, there);
	OK(wf_fact_fold_read(there->facts, there->engine, &office->f.err));
	for (unsigned i = 0; i < 2; i++, office->f.now++)
		CU_ASSERT_STRING_EQUAL(
		    holder_of(office, office_launch(office, there)),
		    people[turn++ % 3]);
}

static void test_turns(void)
{
	office_on_shared(false, check_turns);
}

/* Items of any task count, those of the same batch and of other nodes too. */
static void check_queues(struct office *office)
{
	struct office_node *node = &office->nodes[0];
	uint64_t first;

	load_allocator(office, "ShortestQueue");
	first = office_launch(office, node);
	CU_ASSERT_STRING_EQUAL(holder_of(office, first), "PA-anna");
	CU_ASSERT_STRING_EQUAL(
	    holder_of(office, office_launch(office, node)), "PA-ben");
	CU_ASSERT_STRING_EQUAL(
	    holder_of(office, office_launch(office, node)), "PA-cara");
	OK(office_act(
	    node, first, WF_COMMAND_START, "", "PA-anna", NULL, NULL));
	CU_ASSERT_STRING_EQUAL(
	    holder_of(office, office_launch(office, node)), "PA-anna");
	CU_ASSERT_STRING_EQUAL(
	    holder_of(office, office_launch(office, node)), "PA-ben");
}

static void test_queues(void)
{
	office_on_all(false, check_queues);
}

/* A store whose processes ask for nothing is not read. */
static void check_nothing_read(struct office *office)
{
	struct office_node *node = &office->nodes[0];

	office_load(office, "Plain", BY_USERS);
	for (unsigned i = 0; i < 5; i++)
		(void)office_launch(office, node);
	OK(wf_fact_fold_read(node->facts, node->engine, &office->f.err));
	CU_ASSERT_EQUAL(node->facts->key_count, 0);
	CU_ASSERT_EQUAL(node->facts->reader_count, 0);
	office_load(office, "FastestToStart",
	    "<allocate initiator='system'><allocator><name>FastestToStart"
	    "</name></allocator></allocate><start initiator='user'/>");
	for (unsigned i = 0; i < 5; i++)
		(void)office_launch(office, node);
	OK(wf_fact_fold_read(node->facts, node->engine, &office->f.err));
	CU_ASSERT_EQUAL(node->facts->key_count, 1);
	CU_ASSERT_EQUAL(node->facts->reader_count, 5);
}

static void test_nothing_read(void)
{
	office_on_all(false, check_nothing_read);
}

CU_TestInfo wf_tests_facts[] = {
	{ "blocking", test_blocking },
	{ "not blocking", test_not_blocking },
	{ "race for a thing", test_race },
	{ "allocators", test_allocators },
	{ "turns", test_turns },
	{ "queues", test_queues },
	{ "nothing read", test_nothing_read },
	CU_TEST_INFO_NULL,
};
