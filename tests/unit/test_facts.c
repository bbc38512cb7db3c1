/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Engines that decide about people: what items need beside who does them, and
 * what allocators know of the past.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "people/needs.h"
#include "tests/unit/engine_fixture.h"
#include "worklist/busy.h"
#include "worklist/decisions.h"

#define MOST 24U

/* --- an office ------------------------------------------------------------ */

/* A node: an engine with its decisions. */
struct node {
	struct wf_engine *engine;
	struct wf_organisation *organisation;
	struct wf_audiences *audiences;
	struct wf_piles *piles;
	struct wf_facts *facts;
	struct wf_decisions *decisions;
};

struct office {
	struct wf_fixture f;
	struct node nodes[2];
	bool blocks;
};

struct rate {
	const char *participant;
	const char *state;
	int64_t amount;
};

static struct wf_organisation *organisation_of(void *context)
{
	const struct node *node = context;

	return wf_organisation_ref(node->organisation);
}

static struct wf_organisation *make_organisation(struct wf_arena *arena)
{
	static const char *const people[] = { "PA-anna", "PA-ben", "PA-cara" };
	static const char *const vans[] = { "NH-van1", "NH-van2" };
	static const struct rate rates[] = { { "PA-anna", "assigned", 1000 },
		{ "PA-anna", "allocated", 1000 }, { "PA-anna", "busy", 1000 },
		{ "PA-ben", "assigned", 10000 }, { "PA-ben", "allocated", 1000 },
		{ "PA-ben", "busy", 10000 }, { "PA-cara", "busy", 2000 } };
	struct wf_org_change changes[MOST];
	size_t count = 0;
	struct wf_category *category;

	for (size_t i = 0; i < 3; i++) {
		struct wf_participant *p =
		    (struct wf_participant *)wf_org_record_new(
			arena, WF_ORG_PARTICIPANT, people[i]);

		p->user = people[i];
		changes[count++] = (struct wf_org_change){
			WF_ORG_PARTICIPANT, people[i], &p->record
		};
	}
	category = (struct wf_category *)wf_org_record_new(
	    arena, WF_ORG_CATEGORY, "NC-car");
	category->name = "Cars";
	changes[count++] = (struct wf_org_change){
		WF_ORG_CATEGORY, "NC-car", &category->record
	};
	for (size_t i = 0; i < 2; i++) {
		struct wf_thing *thing = (struct wf_thing *)wf_org_record_new(
		    arena, WF_ORG_THING, vans[i]);

		thing->name = vans[i];
		thing->category = "NC-car";
		changes[count++] = (struct wf_org_change){
			WF_ORG_THING, vans[i], &thing->record
		};
	}
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		const char *id = wf_arena_printf(arena, "RA-%zu", i);
		struct wf_rate *rate = (struct wf_rate *)wf_org_record_new(
		    arena, WF_ORG_RATE, id);

		rate->name = id;
		rate->participant = rates[i].participant;
		rate->amount = rates[i].amount;
		rate->unit = "hour";
		rate->state = rates[i].state;
		changes[count++] =
		    (struct wf_org_change){ WF_ORG_RATE, id, &rate->record };
	}
	return wf_organisation_new(NULL, changes, count, 1);
}

static void open_node(struct office *office, struct node *node)
{
	const struct wf_engine_settings before = office->f.settings;
	struct wf_decisions_settings settings = { .context = node,
		.organisation = organisation_of,
		.blocks = office->blocks };

	node->organisation = make_organisation(office->f.arena);
	settings.audiences = node->audiences = wf_audiences_new();
	settings.piles = node->piles = wf_piles_new();
	settings.facts = node->facts = wf_facts_new();
	node->decisions = wf_decisions_new(&settings);
	office->f.settings.people = wf_decisions_people(node->decisions);
	if (office->f.store == NULL) {
		wf_fixture_open(&office->f);
		node->engine = office->f.engine;
	} else {
		CU_ASSERT_EQUAL_FATAL(wf_engine_open(&node->engine,
					  &office->f.settings, &office->f.err),
		    WF_OK);
	}
	office->f.settings.people = before.people;
}

static void close_node(struct node *node)
{
	wf_engine_close(&node->engine);
	wf_decisions_free(&node->decisions);
	wf_facts_free(&node->facts);
	wf_piles_free(&node->piles);
	wf_audiences_free(&node->audiences);
	wf_organisation_unref(&node->organisation);
}

static void on_each(const char *const *kinds, size_t count, bool blocks,
    void (*test)(struct office *office))
{
	for (size_t i = 0; i < count; i++) {
		struct office office = { .blocks = blocks };

		wf_fixture_init_on(&office.f, kinds[i]);
		open_node(&office, &office.nodes[0]);
		test(&office);
		close_node(&office.nodes[0]);
		close_node(&office.nodes[1]);
		office.f.engine = NULL;
		wf_fixture_free(&office.f);
	}
}

static void on_all(bool blocks, void (*test)(struct office *office))
{
	static const char *const kinds[] = { "memory", "sqlite", "postgresql" };

	on_each(kinds, getenv("WEFT_TEST_POSTGRESQL") == NULL ? 2 : 3, blocks,
	    test);
}

/* On stores that several engines can have. */
static void on_shared(bool blocks, void (*test)(struct office *office))
{
	static const char *const kinds[] = { "memory", "postgresql" };

	on_each(kinds, getenv("WEFT_TEST_POSTGRESQL") == NULL ? 1 : 2, blocks,
	    test);
}

#define EVERYBODY                                                              \
	"<participant>PA-anna</participant><participant>PA-ben</participant>"  \
	"<participant>PA-cara</participant>"

/* A process of one task A. */
static void load(struct office *office, const char *name, const char *rule)
{
	char *xml = wf_arena_printf(office->f.arena,
	    "<specificationSet version='4.0' "
	    "xmlns='http://www.yawlfoundation.org/yawlschema' "
	    "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
	    "<specification uri='%s'><metaData><version>0.1</version>"
	    "<identifier>UID_%s</identifier></metaData>"
	    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>"
	    "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
	    "<processControlElements><inputCondition id='i'><flowsInto>"
	    "<nextElementRef id='A'/></flowsInto></inputCondition>"
	    "<task id='A'><flowsInto><nextElementRef id='o'/></flowsInto>"
	    "<join code='xor'/><split code='and'/><resourcing>"
	    "<offer initiator='system'><distributionSet><initialSet>" EVERYBODY
	    "</initialSet></distributionSet></offer>%s</resourcing>"
	    "<decomposesTo id='W'/></task><outputCondition id='o'/>"
	    "</processControlElements></decomposition>"
	    "<decomposition id='W' xsi:type='WebServiceGatewayFactsType'>"
	    "<externalInteraction>manual</externalInteraction>"
	    "</decomposition></specification></specificationSet>",
	    name, name, rule);

	CU_ASSERT_EQUAL_FATAL(
	    wf_fixture_load(&office->f, xml, strlen(xml)), WF_OK);
}

static uint64_t launch(struct office *office, struct node *node)
{
	uint64_t number;

	office->f.engine = node->engine;
	number = wf_fixture_launch(&office->f);
	CU_ASSERT_NOT_EQUAL_FATAL(number, 0);
	return number;
}

/* The participant gives it; ADMINISTRATOR: an administrator does. */
#define ADMINISTRATOR NULL
static enum wf_rc act(struct node *node, uint64_t number,
    enum wf_command_kind kind, const char *instance, const char *participant,
    const char *targets, struct wf_error *err)
{
	char item[64];
	struct wf_request request = { .number = number,
		.command = { .kind = kind,
		    .item = item,
		    .participant = participant,
		    .targets = targets,
		    .is_forced = participant == ADMINISTRATOR &&
				 kind != WF_COMMAND_SET_NEEDS,
		    .is_administrator = participant == ADMINISTRATOR } };
	struct wf_answer answer;

	snprintf(item, sizeof(item), "%llu%s:A", (unsigned long long)number,
	    instance);
	return wf_engine_call(node->engine, &request, &answer, err);
}

/* The item of a case; its texts live in the arena. */
static struct wf_item_row item_of(struct office *office, uint64_t number)
{
	struct wf_item_filter filter = { .number = number, .limit = 2 };
	struct wf_item_list list;

	CU_ASSERT_EQUAL_FATAL(wf_store_items(office->f.store, &filter,
				  office->f.arena, &list, &office->f.err),
	    WF_OK);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	return list.rows[0];
}

static uint64_t user_of(struct office *office, const char *id)
{
	uint64_t number;

	CU_ASSERT_EQUAL(
	    wf_busy_case(office->f.store, id, &number, &office->f.err), WF_OK);
	return number;
}

/* --- what items need ------------------------------------------------------ */

#define BY_USERS                                                               \
	"<allocate initiator='user'/><start initiator='user'/>"
#define ONE_VAN                                                                \
	BY_USERS "<secondary><nonHumanResource>NH-van1</nonHumanResource>"     \
		 "</secondary>"

static void check_blocking(struct office *office)
{
	struct node *node = &office->nodes[0];
	struct wf_error err = { .rc = WF_OK };
	uint64_t first;
	uint64_t second;

	load(office, "Van", ONE_VAN);
	first = launch(office, node);
	second = launch(office, node);
	CU_ASSERT_EQUAL(user_of(office, "NH-van1"), 0);
	OK(act(node, first, WF_COMMAND_START, "", "PA-anna", NULL, &err));
	CU_ASSERT_STRING_EQUAL(item_of(office, first).busy, "[\"NH-van1\"]");
	CU_ASSERT_EQUAL(user_of(office, "NH-van1"), first);
	CU_ASSERT_EQUAL(
	    act(node, second, WF_COMMAND_START, "", "PA-ben", NULL, &err),
	    WF_CONFLICT);
	CU_ASSERT_STRING_EQUAL(err.code, WF_WAITS_CODE);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "NH-van1"));
	wf_error_clear(&err);
	CU_ASSERT_STRING_EQUAL(item_of(office, second).busy, "");
	/* It needs something else, and gets that; only this item does. */
	OK(act(node, second, WF_COMMAND_SET_NEEDS, "", ADMINISTRATOR,
	    "[{\"category\":\"NC-car\"}]", &err));
	OK(act(node, second, WF_COMMAND_START, "", "PA-ben", NULL, &err));
	CU_ASSERT_STRING_EQUAL(item_of(office, second).busy, "[\"NH-van2\"]");
	/* Free when the item is completed, and when its case is cancelled. */
	OK(act(node, first, WF_COMMAND_COMPLETE, ".1", "PA-anna", NULL, &err));
	CU_ASSERT_EQUAL(user_of(office, "NH-van1"), 0);
	first = launch(office, node);
	OK(act(node, first, WF_COMMAND_START, "", "PA-ben", NULL, &err));
	CU_ASSERT_EQUAL(user_of(office, "NH-van1"), first);
	OK(act(node, first, WF_COMMAND_CANCEL_CASE, "", NULL, NULL, &err));
	CU_ASSERT_EQUAL(user_of(office, "NH-van1"), 0);
	/* And when the start is taken back. */
	first = launch(office, node);
	OK(act(node, first, WF_COMMAND_START, "", "PA-ben", NULL, &err));
	OK(act(node, first, WF_COMMAND_ROLLBACK, ".1", ADMINISTRATOR, NULL,
	    &err));
	CU_ASSERT_STRING_EQUAL(item_of(office, first).busy, "");
	CU_ASSERT_TRUE(wf_fixture_is_whole(&office->f));
	CU_ASSERT_EQUAL(act(node, first, WF_COMMAND_SET_NEEDS, ".1",
			    ADMINISTRATOR, "[{\"thing\":\"NH-none\"}]", &err),
	    WF_NOT_FOUND);
	wf_error_clear(&err);
	CU_ASSERT_EQUAL(act(node, first, WF_COMMAND_SET_NEEDS, ".1",
			    ADMINISTRATOR, "[1]", &err),
	    WF_INVALID);
	wf_error_clear(&err);
	CU_ASSERT_EQUAL(act(node, first, WF_COMMAND_SET_NEEDS, ".1", "PA-ben",
			    "[]", &err),
	    WF_DENIED);
}

static void test_blocking(void)
{
	on_all(true, check_blocking);
}

/* What is free is busy, also if something else is missing. */
static void check_not_blocking(struct office *office)
{
	struct node *node = &office->nodes[0];
	struct wf_error err = { .rc = WF_OK };
	uint64_t numbers[2];

	load(office, "Vans",
	    BY_USERS "<secondary><nonHumanResource>NH-van1</nonHumanResource>"
		     "<nonHumanCategory>NC-car</nonHumanCategory>"
		     "<nonHumanCategory>NC-car</nonHumanCategory>"
		     "</secondary>");
	for (unsigned i = 0; i < 2; i++) {
		numbers[i] = launch(office, node);
		OK(act(node, numbers[i], WF_COMMAND_START, "", "PA-anna", NULL,
		    &err));
	}
	CU_ASSERT_STRING_EQUAL(item_of(office, numbers[0]).busy,
	    "[\"NH-van1\",\"NH-van2\"]");
	CU_ASSERT_STRING_EQUAL(item_of(office, numbers[1]).busy, "");
	/* What it has stays with the item for its next holder. */
	OK(act(node, numbers[0], WF_COMMAND_REALLOCATE, ".1", ADMINISTRATOR,
	    "PA-ben", &err));
	CU_ASSERT_EQUAL(user_of(office, "NH-van2"), numbers[0]);
}

static void test_not_blocking(void)
{
	on_all(false, check_not_blocking);
}

struct starter {
	pthread_t thread;
	pthread_barrier_t *barrier;
	struct node *node;
	uint64_t number;
	enum wf_rc rc;
};

static void *start(void *argument)
{
	struct starter *starter = argument;

	pthread_barrier_wait(starter->barrier);
	starter->rc = act(starter->node, starter->number, WF_COMMAND_START, "",
	    "PA-anna", NULL, NULL);
	return NULL;
}

/* Two nodes want the one van at once: exactly one gets it. */
static void check_race(struct office *office)
{
	struct starter starters[2];
	pthread_barrier_t barrier;

	open_node(office, &office->nodes[1]);
	load(office, "Race", ONE_VAN);
	pthread_barrier_init(&barrier, NULL, 2);
	for (unsigned round = 0; round < 30; round++) {
		unsigned winner;

		for (unsigned i = 0; i < 2; i++) {
			starters[i] = (struct starter){ .barrier = &barrier,
				.node = &office->nodes[i],
				.number = launch(office, &office->nodes[i]) };
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
		OK(act(starters[winner].node, starters[winner].number,
		    WF_COMMAND_COMPLETE, ".1", "PA-anna", NULL, NULL));
		/* The other one gets it from a case that has ended. */
		OK(act(starters[1 - winner].node, starters[1 - winner].number,
		    WF_COMMAND_START, "", "PA-anna", NULL, NULL));
		CU_ASSERT_EQUAL(
		    user_of(office, "NH-van1"), starters[1 - winner].number);
		OK(act(starters[1 - winner].node, starters[1 - winner].number,
		    WF_COMMAND_COMPLETE, ".1", "PA-anna", NULL, NULL));
	}
	pthread_barrier_destroy(&barrier);
	wf_arena_reset(office->f.arena);
}

static void test_race(void)
{
	on_shared(true, check_race);
}

/* --- allocators ----------------------------------------------------------- */

static void load_allocator(struct office *office, const char *name)
{
	load(office, name,
	    wf_arena_printf(office->f.arena,
		"<allocate initiator='system'><allocator><name>%s</name>"
		"</allocator></allocate><start initiator='user'/>",
		name));
}

static const char *holder_of(struct office *office, uint64_t number)
{
	const char *queue = item_of(office, number).queue;

	return strncmp(queue, "P:", 2) == 0 ? queue + 2 : queue;
}

/* An item is offered to the participant, accepted, started and completed. */
static void work(struct office *office, const char *participant,
    int64_t to_accept, int64_t to_start, int64_t to_complete)
{
	struct node *node = &office->nodes[0];
	uint64_t number = launch(office, node);

	OK(act(node, number, WF_COMMAND_OFFER, "", ADMINISTRATOR, participant,
	    NULL));
	office->f.now += to_accept;
	OK(act(node, number, WF_COMMAND_ACCEPT, "", participant, NULL, NULL));
	office->f.now += to_start;
	OK(act(node, number, WF_COMMAND_START, "", participant, NULL, NULL));
	office->f.now += to_complete;
	OK(act(node, number, WF_COMMAND_COMPLETE, ".1", participant, NULL,
	    NULL));
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
	struct node *node = &office->nodes[0];

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		struct wf_facts *again = wf_facts_new();
		struct wf_facts *before = node->facts;

		load_allocator(office, expected[i][0]);
		work(office, "PA-anna", 3000, 1000, 9000);
		work(office, "PA-ben", 500, 3000, 2000);
		work(office, "PA-anna", 3000, 1000, 9000);
		OK(wf_facts_read(before, node->engine, &office->f.err));
		CU_ASSERT_STRING_EQUAL(
		    holder_of(office, launch(office, node)), expected[i][1]);
		/* The same after a restart. */
		OK(wf_facts_read(again, node->engine, &office->f.err));
		wf_facts_free(&again);
	}
}

static void test_allocators(void)
{
	on_all(false, check_allocators);
}

/*
 * What was allocated counts at once, also before it is read, for another node
 * when that has read it, and after a restart.
 */
static void check_turns(struct office *office)
{
	static const char *const people[] = { "PA-anna", "PA-ben", "PA-cara" };
	struct node *here = &office->nodes[0];
	struct node *there = &office->nodes[1];
	unsigned turn = 0;

	open_node(office, there);
	load_allocator(office, "RoundRobinByAllocationTime");
	for (unsigned i = 0; i < 4; i++, office->f.now++)
		CU_ASSERT_STRING_EQUAL(
		    holder_of(office, launch(office, here)),
		    people[turn++ % 3]);
	OK(wf_facts_read(here->facts, here->engine, &office->f.err));
	CU_ASSERT_STRING_EQUAL(
	    holder_of(office, launch(office, here)), people[turn++ % 3]);
	office->f.now++;
	OK(wf_facts_read(there->facts, there->engine, &office->f.err));
	for (unsigned i = 0; i < 2; i++, office->f.now++)
		CU_ASSERT_STRING_EQUAL(
		    holder_of(office, launch(office, there)),
		    people[turn++ % 3]);
	close_node(there);
	open_node(office, there);
	OK(wf_facts_read(there->facts, there->engine, &office->f.err));
	for (unsigned i = 0; i < 2; i++, office->f.now++)
		CU_ASSERT_STRING_EQUAL(
		    holder_of(office, launch(office, there)),
		    people[turn++ % 3]);
}

static void test_turns(void)
{
	on_shared(false, check_turns);
}

/* Items of any task count, those of the same batch and of other nodes too. */
static void check_queues(struct office *office)
{
	struct node *node = &office->nodes[0];
	uint64_t first;

	load_allocator(office, "ShortestQueue");
	first = launch(office, node);
	CU_ASSERT_STRING_EQUAL(holder_of(office, first), "PA-anna");
	CU_ASSERT_STRING_EQUAL(
	    holder_of(office, launch(office, node)), "PA-ben");
	CU_ASSERT_STRING_EQUAL(
	    holder_of(office, launch(office, node)), "PA-cara");
	OK(act(node, first, WF_COMMAND_START, "", "PA-anna", NULL, NULL));
	CU_ASSERT_STRING_EQUAL(
	    holder_of(office, launch(office, node)), "PA-anna");
	CU_ASSERT_STRING_EQUAL(
	    holder_of(office, launch(office, node)), "PA-ben");
}

static void test_queues(void)
{
	on_all(false, check_queues);
}

/* A store whose processes ask for nothing is not read. */
static void check_nothing_read(struct office *office)
{
	struct node *node = &office->nodes[0];
	struct wf_facts *facts = wf_facts_new();
	uint64_t statements;
	struct wf_store *store;

	load(office, "Plain", BY_USERS);
	for (unsigned i = 0; i < 20; i++)
		(void)launch(office, node);
	OK(wf_facts_read(facts, node->engine, &office->f.err));
	OK(wf_engine_borrow(node->engine, &store, &office->f.err));
	statements = wf_store_statements(store);
	wf_engine_give_back(node->engine, store);
	OK(wf_facts_read(facts, node->engine, &office->f.err));
	OK(wf_engine_borrow(node->engine, &store, &office->f.err));
	CU_ASSERT_TRUE(wf_store_statements(store) - statements <= 3);
	wf_engine_give_back(node->engine, store);
	wf_facts_free(&facts);
}

static void test_nothing_read(void)
{
	on_all(false, check_nothing_read);
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
