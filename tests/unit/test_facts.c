/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Engines that decide about people: what items need beside who does them, what
 * allocators know of the past, and what becomes of items whose people leave.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "runtime/shard.h"
#include "tests/unit/office_fixture.h"
#include "worklist/busy.h"
#include "worklist/departures.h"
#include "worklist/facts_priv.h"

static uint64_t user_of(struct office *office, const char *id)
{
	uint64_t number;

	CU_ASSERT_EQUAL(
	    wf_busy_case(office->f.store, id, &number, &office->f.err), WF_OK);
	return number;
}

static const char *holder_of(struct office *office, uint64_t number)
{
	const char *queue = office_item(office, number).queue;

	return strncmp(queue, "P:", 2) == 0 ? queue + 2 : queue;
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

static uint64_t long_steps(const struct office_node *node)
{
	struct wf_engine_counts counts;

	wf_engine_counts(node->engine, &counts);
	return counts.long_steps;
}

/* A step that is made outside of a batch has it when a batch keeps the step. */
static void check_long(struct office *office)
{
	struct office_node *node = &office->nodes[0];
	struct wf_error err = { .rc = WF_OK };
	uint64_t before;
	uint64_t first;
	uint64_t second;

	office_load(office, "Long", ONE_VAN);
	first = office_launch(office, node);
	second = office_launch(office, node);
	node->engine->settings.batch_work = 0;
	node->engine->settings.step_work = 0;
	before = long_steps(node);
	OK(office_act(
	    node, first, WF_COMMAND_START, "", "PA-anna", NULL, &err));
	CU_ASSERT_TRUE(long_steps(node) > before);
	CU_ASSERT_STRING_EQUAL(
	    office_item(office, first).busy, "[\"NH-van1\"]");
	CU_ASSERT_EQUAL(office_act(node, second, WF_COMMAND_START, "", "PA-ben",
			    NULL, &err),
	    WF_CONFLICT);
	CU_ASSERT_STRING_EQUAL(err.code, WF_WAITS_CODE);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&office->f));
}

static void test_long(void)
{
	office_on_all(true, check_long);
}

/*
 * Between the step and the batch that keeps it another case takes the van: the
 * step is made again, and finds that.
 */
static void check_taken_away(struct office *office)
{
	struct office_node *here = &office->nodes[0];
	struct office_node *there = &office->nodes[1];
	struct wf_request request = { .command = { .kind = WF_COMMAND_START,
					  .participant = "PA-anna" } };
	unsigned replies[2] = { 0, 0 };
	uint64_t second;

	office_open_node(office, there);
	office_load(office, "Away", ONE_VAN);
	request.number = office_launch(office, here);
	second = office_launch(office, there);
	request.command.item = wf_arena_printf(
	    office->f.arena, "%llu:A", (unsigned long long)request.number);
	here->engine->settings.batch_work = 0;
	here->engine->settings.step_work = 0;
	OK(wf_engine_submit(here->engine, &request, wf_fixture_count_reply,
	    replies, &office->f.err));
	for (unsigned i = 0; i < here->engine->shard_count; i++)
		(void)wf_shard_turn(&here->engine->shards[i]);
	CU_ASSERT_TRUE(wf_long_turn(here->engine));
	OK(office_act(there, second, WF_COMMAND_START, "", "PA-ben", NULL,
	    &office->f.err));
	CU_ASSERT_EQUAL(user_of(office, "NH-van1"), second);
	office->f.engine = here->engine;
	wf_fixture_turn(&office->f);
	CU_ASSERT_EQUAL(replies[1], 1);
	CU_ASSERT_STRING_EQUAL(office_item(office, request.number).busy, "");
	CU_ASSERT_EQUAL(user_of(office, "NH-van1"), second);
}

static void test_taken_away(void)
{
	office_on_shared(true, check_taken_away);
}

/* A launch that is tried for long keeps what it takes. */
static void check_long_launch(struct office *office)
{
	struct wf_engine *engine = office->nodes[0].engine;
	int64_t minute = 60000;

	for (int64_t at = 0; at <= 20 * minute; at += 5 * minute)
		CU_ASSERT_TRUE(
		    wf_busy_take(engine, 1000, "NH-van1", office->f.now + at));
	CU_ASSERT_FALSE(
	    wf_busy_take(engine, 1001, "NH-van1", office->f.now + 20 * minute));
	CU_ASSERT_TRUE(
	    wf_busy_take(engine, 1001, "NH-van1", office->f.now + 31 * minute));
}

static void test_long_launch(void)
{
	office_on_all(true, check_long_launch);
}

/* --- departures ----------------------------------------------------------- */

/* More commands than a sweep gives. */
#define BLOCKERS (WF_DEPARTURE_COMMANDS + 2 * WF_QUEUED_ROWS)

struct leaving {
	struct wf_departures *departures;
	struct wf_departure_places places;
	struct wf_organisation *organisation; /* without PA-anna */
};

static void let_leave(struct office *office, struct leaving *leaving)
{
	struct wf_org_change gone = { WF_ORG_PARTICIPANT, "PA-anna", NULL };
	struct wf_record_row row = { .kind = WF_DEPARTURE_KIND,
		.name = "PA-anna",
		.change = WF_RECORD_NEW,
		.value = { "1", 1 } };

	OK(wf_store_put_record(office->f.store, &row, &office->f.err));
	leaving->departures = wf_departures_new();
	leaving->places =
	    (struct wf_departure_places){ office->nodes[0].audiences,
		    office->nodes[0].piles, wf_absences_new(),
		    wf_deputies_new() };
	OK(wf_absences_refresh(
	    leaving->places.absences, office->f.store, &office->f.err));
	OK(wf_deputies_refresh(
	    leaving->places.deputies, office->f.store, &office->f.err));
	leaving->organisation = wf_organisation_new(
	    office->nodes[0].organisation, &gone, 1, UINT64_MAX);
}

static void sweep(struct office *office, struct leaving *leaving)
{
	struct office_node *node = &office->nodes[0];

	OK(wf_departures_sweep(leaving->departures, node->engine,
	    office->f.store, leaving->organisation, &leaving->places,
	    &office->f.err));
	office->f.engine = node->engine;
	wf_fixture_turn(&office->f);
}

/* The node knows it, too. */
static void set_organisation(
    struct office *office, const struct leaving *leaving)
{
	struct office_node *node = &office->nodes[0];

	wf_organisation_unref(&node->organisation);
	node->organisation = wf_organisation_ref(leaving->organisation);
}

static void end_leaving(struct leaving *leaving)
{
	wf_departures_free(&leaving->departures);
	wf_absences_free(&leaving->places.absences);
	wf_deputies_free(&leaving->places.deputies);
	wf_organisation_unref(&leaving->organisation);
}

static uint64_t launch_for_anna(struct office *office)
{
	struct office_node *node = &office->nodes[0];
	uint64_t number = office_launch(office, node);

	OK(office_act(node, number, WF_COMMAND_OFFER, "", ADMINISTRATOR,
	    "PA-anna", &office->f.err));
	return number;
}

/* What was decided before the removal is stored after the first sweep. */
static void check_late(struct office *office)
{
	struct leaving leaving;
	struct wf_record_list list = { .count = 1 };
	uint64_t number;

	office_load(office, "Late", BY_USERS);
	let_leave(office, &leaving);
	sweep(office, &leaving);
	sweep(office, &leaving);
	number = launch_for_anna(office);
	CU_ASSERT_STRING_EQUAL(holder_of(office, number), "PA-anna");
	set_organisation(office, &leaving);
	for (unsigned i = 0; i < 130; i++)
		sweep(office, &leaving);
	CU_ASSERT_EQUAL(
	    office_item(office, number).assignment, WF_RESOURCE_UNOFFERED);
	/* In the end nothing is left of it. */
	for (unsigned i = 0; i < 700; i++)
		sweep(office, &leaving);
	OK(wf_store_records(office->f.store, WF_DEPARTURE_KIND, 0,
	    office->f.arena, &list, &office->f.err));
	CU_ASSERT_EQUAL(list.count, 0);
	end_leaving(&leaving);
}

static void test_late(void)
{
	office_on_all(false, check_late);
}

/* Items whose commands are refused do not keep those behind them. */
static void check_refused(struct office *office)
{
	struct office_node *node = &office->nodes[0];
	struct leaving leaving;
	uint64_t number;

	office_load(office, "Refused", BY_USERS);
	for (unsigned i = 0; i < BLOCKERS; i++) {
		number = launch_for_anna(office);
		OK(office_act(node, number, WF_COMMAND_SUSPEND_CASE, "", NULL,
		    NULL, &office->f.err));
	}
	office->f.now += 1000;
	number = launch_for_anna(office);
	let_leave(office, &leaving);
	set_organisation(office, &leaving);
	for (unsigned i = 0; i < 10; i++)
		sweep(office, &leaving);
	CU_ASSERT_EQUAL(
	    office_item(office, number).assignment, WF_RESOURCE_UNOFFERED);
	end_leaving(&leaving);
}

static void test_refused(void)
{
	office_on_shared(false, check_refused);
}

static void add_deputy(
    struct office *office, const char *person, const char *name)
{
	struct wf_deputies *deputies = wf_deputies_new();
	struct wf_deputy deputy = { .person = person,
		.deputy = name,
		.from = office->f.now,
		.to = office->f.now + 1000000,
		.agent = "admin",
		.comment = "" };

	OK(wf_deputies_refresh(deputies, office->f.store, &office->f.err));
	OK(wf_deputy_put(
	    deputies, office->f.store, &deputy, office->f.now, &office->f.err));
	wf_deputies_free(&deputies);
}

static void add_absence(struct office *office, const char *resource)
{
	struct wf_absences *absences = wf_absences_new();
	struct wf_absence absence = { .resource = resource,
		.from = 1000,
		.to = 2000,
		.workload = 100,
		.agent = "admin",
		.comment = "" };

	OK(wf_absences_refresh(absences, office->f.store, &office->f.err));
	OK(wf_absence_put(
	    absences, office->f.store, &absence, "admin", &office->f.err));
	wf_absences_free(&absences);
}

static size_t absence_count(
    const struct leaving *leaving, const char *resource, struct office *office)
{
	return wf_absences_of(
	    leaving->places.absences, resource, 0, INT64_MAX, office->f.arena)
	    .count;
}

/* What names the participant goes; the task is piled to nobody. */
static void check_entries(struct office *office)
{
	struct office_node *node = &office->nodes[0];
	struct wf_pile pile = { "UID_Entries", "0.1", "A", "PA-anna" };
	struct wf_arena *arena = office->f.arena;
	struct leaving leaving;
	int64_t now = office->f.now;
	uint64_t number;

	office_load(office, "Entries", BY_USERS);
	OK(wf_pile_put(node->piles, office->f.store, &pile, &(uint64_t){ 0 },
	    &office->f.err));
	number = office_launch(office, node);
	CU_ASSERT_STRING_EQUAL(holder_of(office, number), "PA-anna");
	add_absence(office, "PA-anna");
	add_absence(office, "PA-ben");
	add_deputy(office, "PA-anna", "PA-ben");
	add_deputy(office, "PA-cara", "PA-anna");
	add_deputy(office, "PA-cara", "PA-ben");
	let_leave(office, &leaving);
	set_organisation(office, &leaving);
	/* The pile is there until the first sweep. */
	number = office_launch(office, node);
	CU_ASSERT_EQUAL(
	    office_item(office, number).assignment, WF_RESOURCE_OFFERED);
	CU_ASSERT_EQUAL(absence_count(&leaving, "PA-anna", office), 1);
	sweep(office, &leaving);
	sweep(office, &leaving);
	CU_ASSERT_EQUAL(wf_piles_of(node->piles, NULL, arena).count, 0);
	CU_ASSERT_EQUAL(absence_count(&leaving, "PA-anna", office), 0);
	CU_ASSERT_EQUAL(absence_count(&leaving, "PA-ben", office), 1);
	CU_ASSERT_EQUAL(
	    wf_deputies_of(leaving.places.deputies, "PA-anna", now, arena)
		.count,
	    0);
	CU_ASSERT_EQUAL(
	    wf_deputies_of(leaving.places.deputies, "PA-cara", now, arena)
		.count,
	    1);
	end_leaving(&leaving);
}

static void test_entries(void)
{
	office_on_all(false, check_entries);
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

/* If items cannot be counted, nobody gets the next one. */
static void check_uncounted(struct office *office)
{
	struct office_node *node = &office->nodes[0];
	struct wf_store *handles[8];
	struct wf_item_row row;

	/* Memory does not fail when it is read. */
	if (strncmp(office->f.settings.url, "memory:", 7) == 0)
		return;
	load_allocator(office, "ShortestQueue");
	CU_ASSERT_STRING_EQUAL(
	    holder_of(office, office_launch(office, node)), "PA-anna");
	/* Whichever the next decision borrows. */
	for (size_t i = 0; i < 8; i++) {
		OK(wf_engine_borrow(node->engine, &handles[i], &office->f.err));
		wf_store_fail_after(handles[i], 1, WF_FAULT_BEFORE);
	}
	for (size_t i = 0; i < 8; i++)
		wf_engine_give_back(node->engine, handles[i]);
	row = office_item(office, office_launch(office, node));
	CU_ASSERT_EQUAL(row.assignment, WF_RESOURCE_UNOFFERED);
	for (size_t i = 0; i < 8; i++) {
		OK(wf_engine_borrow(node->engine, &handles[i], &office->f.err));
		wf_store_fail_after(handles[i], 0, WF_FAULT_BEFORE);
	}
	for (size_t i = 0; i < 8; i++)
		wf_engine_give_back(node->engine, handles[i]);
	CU_ASSERT_STRING_EQUAL(
	    holder_of(office, office_launch(office, node)), "PA-ben");
}

static void test_uncounted(void)
{
	office_on_all(false, check_uncounted);
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
	{ "long step", test_long },
	{ "taken from a long step", test_taken_away },
	{ "long launch", test_long_launch },
	{ "decided before a departure", test_late },
	{ "departure with refused commands", test_refused },
	{ "entries of who has gone", test_entries },
	{ "allocators", test_allocators },
	{ "turns", test_turns },
	{ "queues", test_queues },
	{ "uncounted", test_uncounted },
	{ "nothing read", test_nothing_read },
	CU_TEST_INFO_NULL,
};
