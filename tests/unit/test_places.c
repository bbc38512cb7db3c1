/* SPDX-License-Identifier: Apache-2.0 */
/*
 * At every moment each item is in exactly one place: with a service, unoffered,
 * offered to somebody, or with one person; and the lists of the people agree
 * with the rows of the items, and these with the histories of the cases.
 *
 * Random commands by random people and their deputies over random rules, and
 * alarms that offer items to others, some of which fail at a random statement
 * of the store, before or after it is done: what the engine then remembers must
 * be what is stored.  The same when the process is killed while it does so.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "kernel/assignment/assignment.h"
#include "runtime/shard.h"
#include "tests/unit/office_fixture.h"
#include "tests/unit/seed.h"
#include "worklist/list.h"

#define CASES 8U
#define COMMANDS 1500U
#define PEOPLE 3U

static const char *const people[PEOPLE] = { "PA-anna", "PA-ben", "PA-cara" };

#define EVERYTHING                                                             \
	"<privileges><privilege><name>canDeallocate</name>"                    \
	"<allowall>true</allowall></privilege><privilege>"                     \
	"<name>canDelegate</name><allowall>true</allowall></privilege>"        \
	"<privilege><name>canReallocateStateless</name>"                       \
	"<allowall>true</allowall></privilege><privilege>"                     \
	"<name>canReallocateStateful</name><allowall>true</allowall>"          \
	"</privilege><privilege><name>canSkip</name><allowall>true</allowall>" \
	"</privilege></privileges>"

static const char *const rules[] = {
	"<allocate initiator='user'/><start initiator='user'/>" EVERYTHING,
	"<allocate initiator='user'/><start initiator='system'/>" EVERYTHING,
	"<allocate initiator='system'/><start initiator='user'/>" EVERYTHING,
	"<allocate initiator='system'><allocator><name>"
	"RoundRobinByAllocationTime</name></allocator></allocate>"
	"<start initiator='system'/>" EVERYTHING,
	"<allocate initiator='user'/><start initiator='user'/>"
	"<secondary><nonHumanCategory>NC-car</nonHumanCategory></"
	"secondary>" EVERYTHING,
	/* Of three instances, and of two tasks. */
	"<allocate initiator='user'/><start initiator='user'/>" EVERYTHING,
	"<allocate initiator='user'/><start initiator='user'/>" EVERYTHING,
};
#define MULTIPLE 5U
#define SEQUENCE 6U
#define RULES (sizeof(rules) / sizeof(rules[0]))

/* Some of them remind, and offer to the clerks what nobody takes or starts. */
static const char *const timings[RULES] = {
	"p:due='PT2H' p:remind='enabled+PT1H due' "
	"p:escalate='offered+PT1H reoffer Clerk; started+PT3H reoffer Clerk'",
	"", "p:escalate='allocated+PT1H reoffer Clerk'",
	"p:due='PT1H' p:escalate='due incident Nobody did it'",
	"p:escalate='started+PT1H reoffer Clerk'", "", ""
};
#define HOUR INT64_C(3600000)

static const enum wf_command_kind kinds[] = { WF_COMMAND_START,
	WF_COMMAND_START, WF_COMMAND_ACCEPT, WF_COMMAND_COMPLETE,
	WF_COMMAND_DEALLOCATE, WF_COMMAND_DELEGATE, WF_COMMAND_REALLOCATE,
	WF_COMMAND_SKIP, WF_COMMAND_OFFER, WF_COMMAND_ALLOCATE,
	WF_COMMAND_ROLLBACK, WF_COMMAND_SUSPEND_ITEM, WF_COMMAND_RESUME_ITEM,
	WF_COMMAND_SET_NEEDS, WF_COMMAND_REDIRECT, WF_COMMAND_CHAIN,
	WF_COMMAND_UNCHAIN };
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Items are given to it, and it starts and completes them. */
#define SERVICE "http://service.example/"

struct places {
	struct office *office;
	struct wf_random random;
	uint64_t numbers[CASES]; /* 0: there is no case */
	uint64_t keys[RULES];	 /* of the processes */
	/* What has just been done; 0: nothing. */
	uint64_t done_number;
	uint64_t done_sequence;
	uint64_t rung; /* steps that were made by alarms */
	unsigned by_deputies;
	unsigned served;	  /* items that were with the service */
	const char *piled[RULES]; /* to whom the task A is; NULL: to nobody */
	unsigned by_piles;	  /* items that were given at the launch */
	unsigned chained;	  /* cases */
	unsigned by_chains;	  /* items of B that were started */
	unsigned instances;	  /* of a task with several */
};

/* --- what must hold ------------------------------------------------------- */

static bool is_listed(
    struct places *p, const char *person, const struct wf_item_row *item)
{
	struct office_node *node = &p->office->nodes[0];
	struct wf_arena *arena = wf_arena_new();
	struct wf_list_query query = { .participant = person,
		.namespace_id = item->namespace_id,
		.number = item->number,
		.greatest_rank = UINT32_MAX,
		.limit = 10 };
	struct wf_list_page page = { .count = 0 };
	bool is = false;

	query.queues = wf_audiences_queues(
	    node->audiences, node->organisation, person, arena);
	CU_ASSERT_EQUAL(wf_list_read(p->office->f.store, &query, arena, &page,
			    &p->office->f.err),
	    WF_OK);
	for (size_t i = 0; i < page.count; i++)
		is |= strcmp(page.rows[i].id, item->id) == 0;
	wf_arena_free(&arena);
	return is;
}

static void check_place(struct places *p, const struct wf_item_row *item)
{
	unsigned listed = 0;

	for (unsigned i = 0; i < PEOPLE; i++) {
		bool is = is_listed(p, people[i], item);

		listed += is;
		if (item->assignment >= WF_RESOURCE_ALLOCATED)
			CU_ASSERT_EQUAL(
			    is, strncmp(item->queue, "P:", 2) == 0 &&
				    strcmp(item->queue + 2, people[i]) == 0);
	}
	switch (item->assignment) {
	case WF_RESOURCE_UNOFFERED:
		CU_ASSERT_STRING_EQUAL(item->queue, "U");
		CU_ASSERT_EQUAL(listed, 0);
		break;
	case WF_RESOURCE_OFFERED:
		CU_ASSERT_TRUE(listed > 0);
		break;
	case WF_RESOURCE_ALLOCATED:
	case WF_RESOURCE_STARTED:
		CU_ASSERT_EQUAL(listed, 1);
		break;
	default:
		CU_ASSERT_STRING_EQUAL(item->service, SERVICE);
		CU_ASSERT_STRING_EQUAL(item->queue, "");
		CU_ASSERT_EQUAL(listed, 0);
		p->served++;
	}
	CU_ASSERT_TRUE(
	    item->busy[0] == '\0' || item->assignment == WF_RESOURCE_STARTED);
	p->instances += strstr(item->id, ".3:A") != NULL;
}

/* Nothing is busy with two items. */
static void check_things(const struct wf_item_list *list)
{
	unsigned busy[2] = { 0, 0 };

	for (size_t i = 0; i < list->count; i++) {
		busy[0] += strstr(list->rows[i].busy, "NH-van1") != NULL;
		busy[1] += strstr(list->rows[i].busy, "NH-van2") != NULL;
	}
	CU_ASSERT_TRUE(busy[0] <= 1 && busy[1] <= 1);
}

static void check_all(struct places *p)
{
	struct office *office = p->office;
	struct office_node *node = &office->nodes[0];
	const struct wf_item_filter filter = { .limit = 100 };
	struct wf_arena *arena = wf_arena_new();
	struct wf_item_list list = { .count = 0 };

	CU_ASSERT_EQUAL(wf_audiences_refresh(
			    node->audiences, office->f.store, &office->f.err),
	    WF_OK);
	CU_ASSERT_EQUAL(wf_store_items(office->f.store, &filter, arena, &list,
			    &office->f.err),
	    WF_OK);
	for (size_t i = 0; i < list.count; i++)
		check_place(p, &list.rows[i]);
	check_things(&list);
	for (unsigned i = 0; i < CASES; i++)
		if (p->numbers[i] != 0 &&
		    wf_fixture_version(&office->f, p->numbers[i]) != 0)
			CU_ASSERT_TRUE(
			    wf_fixture_agrees(&office->f, p->numbers[i]));
	wf_arena_free(&arena);
}

/* --- random commands ------------------------------------------------------ */

/* What is launched now is given to whom its task is piled. */
static void check_piled(struct places *p, uint64_t number, const char *person)
{
	const struct wf_item_filter filter = { .number = number, .limit = 10 };
	struct wf_arena *arena = wf_arena_new();
	struct wf_item_list list = { .count = 0 };

	CU_ASSERT_EQUAL(wf_store_items(p->office->f.store, &filter, arena,
			    &list, &p->office->f.err),
	    WF_OK);
	for (size_t i = 0; i < list.count; i++) {
		/* It is not started while what it needs is missing. */
		CU_ASSERT_TRUE(
		    list.rows[i].assignment >= WF_RESOURCE_ALLOCATED);
		CU_ASSERT_STRING_EQUAL(
		    list.rows[i].queue, wf_participant_queue(person, arena));
		p->by_piles++;
	}
	wf_arena_free(&arena);
}

/* Piles the task A of a process to somebody, or ends that. */
static void pile_one(struct places *p, uint32_t rule)
{
	struct office_node *node = &p->office->nodes[0];
	const char *who = people[wf_random_below(&p->random, PEOPLE)];
	struct wf_pile pile = { .specification = wf_arena_printf(
				    p->office->f.arena, "UID_Rule%u", rule),
		.version = "0.1",
		.task = "A",
		.participant = who };

	if (p->piled[rule] == NULL) {
		enum wf_rc rc = wf_pile_put(node->piles, p->office->f.store,
		    &pile, &(uint64_t){ 0 }, &p->office->f.err);

		/* By a process that was killed. */
		CU_ASSERT_TRUE(rc == WF_OK || rc == WF_CONFLICT);
		p->piled[rule] = rc == WF_OK ? who : NULL;
		wf_error_clear(&p->office->f.err);
	} else {
		pile.participant = NULL;
		CU_ASSERT_EQUAL(wf_pile_remove(node->piles, p->office->f.store,
				    &pile, &p->office->f.err),
		    WF_OK);
		p->piled[rule] = NULL;
	}
}

static void launch_one(struct places *p, unsigned at)
{
	/* Of each rule there is a case. */
	p->office->f.key = p->keys[at % RULES];
	p->office->f.engine = p->office->nodes[0].engine;
	/* It fails when its statement does. */
	p->numbers[at] = wf_fixture_launch(&p->office->f);
	p->done_number = p->numbers[at];
	p->done_sequence = 1;
	if (p->numbers[at] != 0 && p->piled[at % RULES] != NULL)
		check_piled(p, p->numbers[at], p->piled[at % RULES]);
}

/* Who accepts and starts B is a person, unless the case is chained. */
static bool has_started_b(struct places *p, uint64_t number)
{
	const struct wf_item_filter filter = { .number = number, .limit = 10 };
	struct wf_arena *arena = wf_arena_new();
	struct wf_item_list list = { .count = 0 };
	bool has = false;

	CU_ASSERT_EQUAL(wf_store_items(p->office->f.store, &filter, arena,
			    &list, &p->office->f.err),
	    WF_OK);
	for (size_t i = 0; i < list.count; i++)
		has |= strstr(list.rows[i].id, ":B") != NULL &&
		       list.rows[i].assignment == WF_RESOURCE_STARTED;
	wf_arena_free(&arena);
	return has;
}

static void give(struct places *p, uint64_t number, struct wf_command *command)
{
	struct wf_request request = { .number = number };
	struct wf_error err = { .rc = WF_OK };
	static const char *const instances[] = { "", "", "", ".1", ".1", ".1",
		".2", ".3" };
	struct wf_answer answer;
	char item[64];

	snprintf(item, sizeof(item), "%llu%s:%s", (unsigned long long)number,
	    instances[wf_random_below(&p->random, 8)],
	    wf_random_below(&p->random, 5) == 0 ? "B" : "A");
	if (command->kind != WF_COMMAND_UNCHAIN)
		command->item = item;
	request.command = *command;
	/* Most are refused; what is done is checked. */
	if (wf_engine_call(
		p->office->nodes[0].engine, &request, &answer, &err) == WF_OK) {
		p->done_number = number;
		p->done_sequence = answer.sequence;
		p->by_deputies += command->deputy != NULL;
		p->chained += command->kind == WF_COMMAND_CHAIN;
		p->by_chains += command->kind == WF_COMMAND_COMPLETE &&
				has_started_b(p, number);
	}
	wf_error_clear(&err);
}

/* Chains the case of two tasks, and completes the first. */
static void chain_one(struct places *p)
{
	const char *who = people[wf_random_below(&p->random, PEOPLE)];
	uint64_t number;
	const struct {
		enum wf_command_kind kind;
		const char *instance;
	} commands[] = { { WF_COMMAND_CHAIN, "" },
		{ WF_COMMAND_COMPLETE, ".1" } };

	p->done_number = 0;
	if (p->numbers[SEQUENCE] == 0 ||
	    wf_fixture_version(&p->office->f, p->numbers[SEQUENCE]) == 0)
		launch_one(p, SEQUENCE);
	number = p->numbers[SEQUENCE];
	for (size_t i = 0; number != 0 && i < 2; i++) {
		struct wf_error err = { .rc = WF_OK };

		if (office_act(&p->office->nodes[0], number, commands[i].kind,
			commands[i].instance, who, NULL, &err) != WF_OK)
			return;
		p->chained += i == 0;
		p->by_chains += i == 1 && has_started_b(p, number);
	}
}

static void do_one(struct places *p)
{
	unsigned at = wf_random_below(&p->random, CASES);
	struct wf_command command = {
		.kind = kinds[wf_random_below(&p->random, (uint32_t)KINDS)]
	};
	const char *who = people[wf_random_below(&p->random, PEOPLE)];
	const char *other = people[wf_random_below(&p->random, PEOPLE)];
	enum wf_command_kind kind = command.kind;

	p->done_number = 0;
	if (wf_random_below(&p->random, 20) == 0) {
		pile_one(p, wf_random_below(&p->random, (uint32_t)RULES));
		return;
	}
	if (p->numbers[at] == 0 ||
	    wf_fixture_version(&p->office->f, p->numbers[at]) == 0) {
		launch_one(p, at);
		return;
	}
	command.is_administrator =
	    kind == WF_COMMAND_OFFER || kind == WF_COMMAND_ALLOCATE ||
	    kind == WF_COMMAND_ROLLBACK || kind == WF_COMMAND_SET_NEEDS ||
	    kind == WF_COMMAND_REDIRECT;
	command.is_forced =
	    command.is_administrator && kind != WF_COMMAND_SET_NEEDS;
	/* Else the service does it. */
	if (!command.is_administrator && wf_random_below(&p->random, 6) > 0)
		command.participant = who;
	/* In the place of another. */
	if (command.participant != NULL && who != other &&
	    wf_random_below(&p->random, 2) == 0)
		command.deputy = other;
	if (kind == WF_COMMAND_DELEGATE || kind == WF_COMMAND_REALLOCATE ||
	    kind == WF_COMMAND_OFFER || kind == WF_COMMAND_ALLOCATE)
		command.targets = other;
	if (kind == WF_COMMAND_SET_NEEDS)
		command.targets = "[{\"thing\":\"NH-van2\"}]";
	if (kind == WF_COMMAND_REDIRECT)
		command.targets = SERVICE;
	give(p, p->numbers[at], &command);
}

static void load_rules(struct places *p)
{
	struct office *office = p->office;

	for (size_t i = 0; i < RULES; i++) {
		const char *name =
		    wf_arena_printf(office->f.arena, "Rule%zu", i);

		if (i == MULTIPLE)
			office_load_multiple(office, name, rules[i]);
		else if (i == SEQUENCE)
			office_load_sequence(office, name, rules[i]);
		else
			office_load_timed(office, name, rules[i], timings[i]);
		p->keys[i] = office->f.key;
	}
}

/* Of the cases that are live; alarms end none. */
static uint64_t count_steps(struct places *p)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < CASES; i++)
		if (p->numbers[i] != 0)
			count +=
			    wf_fixture_version(&p->office->f, p->numbers[i]);
	return count;
}

/* Alarms ring whose time has come. */
static void ring(struct places *p)
{
	uint64_t before;
	uint64_t after;

	p->office->f.now += HOUR;
	p->office->f.engine = p->office->nodes[0].engine;
	before = count_steps(p);
	wf_fixture_turn(&p->office->f);
	after = count_steps(p);
	if (after > before)
		p->rung += after - before;
}

/* Chance may have left out what is rare. */
static void do_rare(struct places *p)
{
	for (unsigned i = 0; i < 100 && p->by_chains == 0; i++) {
		p->numbers[SEQUENCE] = 0;
		chain_one(p);
		check_all(p);
	}
	for (unsigned i = 0; i < 100 && p->by_piles == 0; i++) {
		if (p->piled[0] == NULL)
			pile_one(p, 0);
		launch_one(p, 0);
		check_all(p);
	}
}

static void run_random(struct office *office)
{
	struct places p = { .office = office,
		.random = { test_seed("places", 20261125) } };
	unsigned rounds = test_rounds(1);

	load_rules(&p);
	for (unsigned i = 0; i < COMMANDS * rounds; i++) {
		struct wf_store *store =
		    wf_engine_shard_store(office->nodes[0].engine, 0);
		bool fails = wf_random_below(&p.random, 3) == 0;

		office->f.now += wf_random_below(&p.random, 3);
		if (fails)
			wf_store_fail_after(store,
			    1 + wf_random_below(&p.random, 6),
			    wf_random_below(&p.random, 2) == 0
				? WF_FAULT_BEFORE
				: WF_FAULT_AFTER);
		if (wf_random_below(&p.random, 5) == 0)
			ring(&p);
		else if (wf_random_below(&p.random, 8) == 0)
			chain_one(&p);
		else
			do_one(&p);
		wf_store_fail_after(store, 0, WF_FAULT_BEFORE);
		check_all(&p);
	}
	do_rare(&p);
	CU_ASSERT_TRUE(p.rung > 0 && p.by_deputies > 0 && p.served > 0);
	CU_ASSERT_TRUE(p.by_piles > 0 && p.chained > 0 && p.by_chains > 0 &&
		       p.instances > 0);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&office->f));
}

static void test_random(void)
{
	office_on_all(true, run_random);
}

/* --- killed --------------------------------------------------------------- */

/* A command that was answered, as the process reports before it is killed. */
struct answered {
	uint64_t number;
	uint64_t sequence;
};

#define ROUNDS 4U
#define ANSWERS 400U

/* Works until it is killed; never returns. */
static void work(struct office *office, uint64_t seed, int out)
{
	struct places p = { .office = office, .random = { seed } };
	struct answered answered;
	unsigned failures = CU_get_number_of_failures();
	size_t count = 0;

	office_open_node(office, &office->nodes[0]);
	load_rules(&p);
	/* However late it is killed, all its answers are read. */
	while (count < ANSWERS - 1) {
		do_one(&p);
		/* Nobody else sees what fails in this process. */
		if (CU_get_number_of_failures() != failures)
			_exit(1);
		answered = (struct answered){ p.done_number, p.done_sequence };
		if (answered.number == 0)
			continue;
		if (write(out, &answered, sizeof(answered)) !=
		    (ssize_t)sizeof(answered))
			_exit(1);
		count++;
	}
	(void)sleep(600);
	_exit(1);
}

/* A fatal assertion ends this process, not only its test. */
static void work_apart(struct office *office, uint64_t seed, int out)
{
	jmp_buf failed;

	CU_get_current_test()->pJumpBuf = &failed;
	if (setjmp(failed) == 0)
		work(office, seed, out);
	_exit(1);
}

/* Runs a process until it has answered so often, and kills it. */
static size_t kill_one(struct office *office, uint64_t seed, size_t enough,
    struct answered *answers)
{
	size_t count = 0;
	int ends[2];
	int status;
	pid_t child;

	CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
	child = fork();
	CU_ASSERT_FATAL(child >= 0);
	if (child == 0) {
		close(ends[0]);
		work_apart(office, seed, ends[1]);
	}
	close(ends[1]);
	while (count < ANSWERS && read(ends[0], &answers[count],
				      sizeof(*answers)) == sizeof(*answers))
		if (++count == enough)
			kill(child, SIGKILL);
	close(ends[0]);
	CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
	CU_ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	CU_ASSERT_TRUE(count >= enough && count < ANSWERS);
	return count;
}

/* Each answered step is in the history once; at most one other is. */
static void check_answers(
    struct office *office, const struct answered *answers, size_t count)
{
	const struct wf_history_filter filter = { .limit = 2 * ANSWERS };
	struct wf_history_list history = { .count = 0 };

	CU_ASSERT_EQUAL(wf_store_history(office->f.store, &filter,
			    office->f.arena, &history, &office->f.err),
	    WF_OK);
	CU_ASSERT_TRUE(history.count == count || history.count == count + 1);
	for (size_t i = 0; i < count; i++) {
		unsigned found = 0;

		for (size_t k = 0; k < history.count; k++)
			found +=
			    history.rows[k].number == answers[i].number &&
			    history.rows[k].sequence == answers[i].sequence;
		CU_ASSERT_EQUAL(found, 1);
	}
}

/* The process opens the store first, so that nothing is open at the fork. */
static void test_killed(void)
{
	struct wf_random random = { test_seed("places, killed", 20261126) };
	struct answered answers[ANSWERS];

	for (unsigned i = 0; i < test_rounds(ROUNDS); i++) {
		struct office office = { .blocks = true };
		struct places p = { .office = &office, .random = random };
		size_t enough = 5 + wf_random_below(&random, 40);
		size_t count;

		wf_fixture_init_on(&office.f, "sqlite");
		count = kill_one(&office, wf_random_below(&random, 1000000),
		    enough, answers);
		CU_ASSERT_EQUAL_FATAL(wf_store_open(&office.f.store,
					  office.f.place.url, 0, &office.f.err),
		    WF_OK);
		office_open_node(&office, &office.nodes[0]);
		office.f.engine = office.nodes[0].engine;
		check_answers(&office, answers, count);
		for (size_t k = 0; k < count; k++)
			p.numbers[answers[k].number % CASES] =
			    answers[k].number;
		check_all(&p);
		/* It goes on: what was left can be done; nothing is launched,
		 * because the keys of the processes are not known. */
		for (unsigned k = 0; k < 20; k++) {
			do_one(&p);
			check_all(&p);
		}
		CU_ASSERT_TRUE(wf_fixture_is_whole(&office.f));
		office_close_node(&office.nodes[0]);
		office.f.engine = NULL;
		wf_fixture_free(&office.f);
	}
}

/* --- services ------------------------------------------------------------- */

struct announced {
	enum wf_announcement_kind kind;
	char item[64];
	char service[64];
	bool is_for_people;
	bool again;
};

#define ANNOUNCED 16U
static struct announced announced[ANNOUNCED];
static size_t announced_count;

static void note_announcement(void *context, const struct wf_announcement *what,
    struct wf_destinations *destinations)
{
	struct announced *a = &announced[announced_count];

	(void)context;
	(void)destinations;
	if (what->task == NULL || announced_count == ANNOUNCED)
		return;
	a->kind = what->kind;
	a->is_for_people = what->is_for_people;
	a->again = what->again;
	snprintf(a->item, sizeof(a->item), "%s", what->item);
	snprintf(a->service, sizeof(a->service), "%s", what->service);
	announced_count++;
}

static void act_as_administrator(struct office *office, uint64_t number,
    enum wf_command_kind kind, const char *instance, const char *targets)
{
	announced_count = 0;
	CU_ASSERT_EQUAL(office_act(&office->nodes[0], number, kind, instance,
			    ADMINISTRATOR, targets, &office->f.err),
	    WF_OK);
	CU_ASSERT_TRUE(wf_fixture_agrees(&office->f, number));
}

/* The last announcement is of that kind, and the only one if again. */
static void check_announced(
    enum wf_announcement_kind kind, const char *service, bool again)
{
	const struct announced *a = &announced[announced_count - 1];

	CU_ASSERT_FATAL(announced_count > 0);
	CU_ASSERT_EQUAL(a->kind, kind);
	CU_ASSERT_STRING_EQUAL(a->service, service);
	CU_ASSERT_EQUAL(a->is_for_people, service[0] == '\0');
	CU_ASSERT_EQUAL(a->again, again);
	CU_ASSERT_TRUE(!again || announced_count == 1);
}

/* A service that gets an item hears of it, until its end. */
static void test_redirected(void)
{
	struct office office = { .blocks = false };
	struct places p = { .office = &office };
	uint64_t number;

	wf_fixture_init_on(&office.f, "memory");
	office.f.settings.announce = note_announcement;
	office_open_node(&office, &office.nodes[0]);
	load_rules(&p);
	office.f.key = p.keys[0];
	announced_count = 0;
	number = office_launch(&office, &office.nodes[0]);
	check_announced(WF_ANNOUNCE_ITEM_ENABLED, "", false);
	act_as_administrator(&office, number, WF_COMMAND_REDIRECT, "", SERVICE);
	check_announced(WF_ANNOUNCE_ITEM_ENABLED, SERVICE, true);
	CU_ASSERT_STRING_EQUAL(office_item(&office, number).service, SERVICE);
	act_as_administrator(&office, number, WF_COMMAND_START, "", NULL);
	check_announced(WF_ANNOUNCE_ITEM_STARTED, SERVICE, false);
	CU_ASSERT_STRING_EQUAL(office_item(&office, number).service, SERVICE);
	act_as_administrator(&office, number, WF_COMMAND_ROLLBACK, ".1", NULL);
	check_announced(WF_ANNOUNCE_ITEM_ROLLED_BACK, SERVICE, false);
	act_as_administrator(
	    &office, number, WF_COMMAND_REDIRECT, ".1", "urn:other");
	check_announced(WF_ANNOUNCE_ITEM_CREATED, "urn:other", true);
	act_as_administrator(
	    &office, number, WF_COMMAND_DISTRIBUTE, ".1", NULL);
	CU_ASSERT_STRING_EQUAL(
	    office_item(&office, number).service, WF_PEOPLE_SERVICE);
	act_as_administrator(
	    &office, number, WF_COMMAND_REDIRECT, ".1", SERVICE);
	act_as_administrator(
	    &office, number, WF_COMMAND_CANCEL_ITEM, ".1", NULL);
	check_announced(WF_ANNOUNCE_ITEM_ENDED, SERVICE, false);
	/* Started and completed by one command. */
	number = office_launch(&office, &office.nodes[0]);
	act_as_administrator(&office, number, WF_COMMAND_REDIRECT, "", SERVICE);
	act_as_administrator(&office, number, WF_COMMAND_FINISH, "", NULL);
	check_announced(WF_ANNOUNCE_ITEM_ENDED, SERVICE, false);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&office.f));
	office_close_node(&office.nodes[0]);
	office.f.engine = NULL;
	wf_fixture_free(&office.f);
}

/* --- races ---------------------------------------------------------------- */

struct accepter {
	pthread_t thread;
	pthread_barrier_t *barrier;
	struct office_node *node;
	uint64_t number;
	const char *who;
	enum wf_rc rc;
};

static void *accept_it(void *argument)
{
	struct accepter *accepter = argument;

	pthread_barrier_wait(accepter->barrier);
	/* Without threads an engine does not wait for a case of another one. */
	do
		accepter->rc = office_act(accepter->node, accepter->number,
		    WF_COMMAND_ACCEPT, "", accepter->who, NULL, NULL);
	while (accepter->rc == WF_UNAVAILABLE);
	return NULL;
}

/* Of two who accept at once, by two nodes, one has the item. */
static void check_accepting(struct office *office)
{
	struct accepter accepters[2];
	pthread_barrier_t barrier;

	office_open_node(office, &office->nodes[1]);
	office_load(office, "Race", rules[0]);
	pthread_barrier_init(&barrier, NULL, 2);
	for (unsigned round = 0; round < 30; round++) {
		uint64_t number = office_launch(office, &office->nodes[0]);
		unsigned winner;

		for (unsigned i = 0; i < 2; i++) {
			accepters[i] = (struct accepter){ .barrier = &barrier,
				.node = &office->nodes[i],
				.number = number,
				.who = people[i] };
			pthread_create(&accepters[i].thread, NULL, accept_it,
			    &accepters[i]);
		}
		for (unsigned i = 0; i < 2; i++)
			pthread_join(accepters[i].thread, NULL);
		CU_ASSERT_EQUAL_FATAL(
		    (accepters[0].rc == WF_OK) + (accepters[1].rc == WF_OK), 1);
		winner = accepters[0].rc == WF_OK ? 0 : 1;
		CU_ASSERT_EQUAL(accepters[1 - winner].rc, WF_CONFLICT);
		CU_ASSERT_STRING_EQUAL(
		    office_item(office, number).queue + 2, people[winner]);
	}
	pthread_barrier_destroy(&barrier);
}

static void test_accepting(void)
{
	office_on_shared(false, check_accepting);
}

CU_TestInfo wf_tests_places[] = {
	{ "random commands", test_random },
	{ "killed processes", test_killed },
	{ "two who accept at once", test_accepting },
	{ "given to a service", test_redirected },
	CU_TEST_INFO_NULL,
};
