/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Migration to another specification: random cases go to one that differs in
 * nothing but its key, and are as before; changed elements go where the plan
 * says; what has nowhere to go is named.
 *
 * WEFT_SEED sets the seed, which is printed; WEFT_SOAK=1 tries many more.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernel/change/migrate.h"
#include "kernel/record.h"
#include "tests/unit/random_net.h"
#include "tests/unit/seed.h"

#define TEXT_MAXIMUM ((size_t)4 << 20)
#define DEFAULT_SEED 20260101U
#define STEPS 12U

/* A case, the specification it goes to, and what is made of it. */
struct run {
	struct wf_random random;
	uint64_t seed;
	struct wf_spec_file *from;
	struct wf_spec_file *to;
	struct wf_case *original;
	struct wf_case *migrated;
	struct wf_step step;
	struct wf_record record; /* of the original, up to the migration */
	struct wf_buffer plan;
	char problems[2000];
	int64_t now;
};

static bool hold(const struct run *run, bool condition, const char *what,
    const struct wf_error *err)
{
	CU_ASSERT(condition);
	if (!condition)
		printf("migrate: net %llu: %s: %s\n",
		    (unsigned long long)run->seed, what,
		    err != NULL ? err->message : "");
	return condition;
}

static struct wf_spec_file *read_spec(const char *text)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("test");
	struct wf_spec_file *file;
	enum wf_rc rc = wf_spec_read(&file, text, strlen(text), diagnostics);

	wf_diagnostics_free(&diagnostics);
	return rc == WF_OK ? file : NULL;
}

static bool launch(struct run *run)
{
	struct wf_command command = { .kind = WF_COMMAND_LAUNCH,
		.now = run->now };

	wf_record_init(&run->record, run->from->specs[0], &wf_random_limits);
	if (wf_case_launch(&run->original, run->from->specs[0], "7",
		&wf_random_limits, &command, &run->step, NULL) != WF_OK)
		return false;
	wf_record_add(&run->record, &run->step, run->now);
	return true;
}

static void begin(struct run *run, uint64_t seed)
{
	memset(run, 0, sizeof(*run));
	run->random.state = run->seed = seed;
	run->now = 1000;
	wf_step_init(&run->step);
	wf_buffer_init(&run->plan, TEXT_MAXIMUM);
}

static void end(struct run *run)
{
	wf_case_free(&run->original);
	wf_case_free(&run->migrated);
	if (run->record.spec != NULL)
		wf_record_free(&run->record);
	wf_step_free(&run->step);
	wf_buffer_free(&run->plan);
	wf_spec_file_free(&run->from);
	wf_spec_file_free(&run->to);
}

static void note(void *context, const struct wf_migration_problem *problem)
{
	struct run *run = context;
	size_t length = strlen(run->problems);

	snprintf(run->problems + length, sizeof(run->problems) - length,
	    "%s %s %s: %s\n", problem->net, problem->kind, problem->element,
	    problem->text);
}

/* Replays the history of the original, and what the migration has done. */
static bool prove_replay(
    struct run *run, const struct wf_buffer *events, struct wf_error *err)
{
	struct wf_case *again;
	struct wf_buffer one;
	struct wf_buffer other;
	enum wf_rc rc = wf_record_rebuild(&run->record, &again, err);
	bool same;

	wf_buffer_init(&one, TEXT_MAXIMUM);
	wf_buffer_init(&other, TEXT_MAXIMUM);
	if (rc == WF_OK)
		rc =
		    wf_case_replay(&again, run->to->specs[0], &wf_random_limits,
			run->now, events->data, events->length, NULL, err);
	if (rc == WF_OK)
		rc = wf_case_check(run->migrated, err);
	if (rc == WF_OK)
		rc = wf_case_encode(run->migrated, &one, err);
	if (rc == WF_OK)
		rc = wf_case_encode(again, &other, err);
	same = rc == WF_OK && one.length == other.length &&
	       memcmp(one.data, other.data, one.length) == 0;
	wf_buffer_free(&one);
	wf_buffer_free(&other);
	wf_case_free(&again);
	return hold(run, same, "a replay gives another case", err);
}

static void begin_plan(struct run *run)
{
	if (run->plan.length == 0)
		wf_migration_begin(&run->plan, run->to->specs[0]->key, false);
}

/* The case that is left is run->original. */
static enum wf_rc migrate(struct run *run, struct wf_error *err)
{
	struct wf_command command = {
		.kind = WF_COMMAND_MIGRATE, .now = run->now, .reason = "why"
	};
	struct wf_migration *migration;
	enum wf_rc rc;

	begin_plan(run);
	rc = wf_migration_new(&migration, run->from->specs[0],
	    run->to->specs[0], run->plan.data, run->plan.length, err);

	if (rc != WF_OK)
		return rc;
	run->problems[0] = '\0';
	wf_migration_check(migration, run->original, note, run);
	command.migration = migration;
	rc = wf_case_step(run->original, &command, &run->step, err);
	CU_ASSERT((run->problems[0] == '\0') == (rc == WF_OK));
	if (rc == WF_OK)
		wf_record_add(&run->record, &run->step, run->now);
	if (rc == WF_OK)
		rc = wf_case_migrate(run->original, migration, &command,
		    &run->step, &run->migrated, err);
	if (rc == WF_OK)
		prove_replay(run, &run->step.events, err);
	wf_migration_free(&migration);
	return rc;
}

/* --- to the same under another key ---------------------------------------- */

static bool begin_random(struct run *run, uint64_t seed)
{
	struct wf_buffer text;

	begin(run, seed);
	wf_buffer_init(&text, TEXT_MAXIMUM);
	if (seed % 2 == 0)
		wf_random_timed_net(&run->random, &text);
	else
		wf_random_net(&run->random, &text);
	run->from = read_spec(wf_buffer_text(&text));
	wf_buffer_puts(&text, "<!-- another version -->");
	run->to = read_spec(wf_buffer_text(&text));
	wf_buffer_free(&text);
	return run->from != NULL && run->to != NULL && launch(run);
}

static enum wf_command_kind choose(struct run *run, const struct wf_item *item)
{
	static const enum wf_command_kind rare[] = { WF_COMMAND_SUSPEND_ITEM,
		WF_COMMAND_SUSPEND_CASE, WF_COMMAND_ROLLBACK, WF_COMMAND_FAIL,
		WF_COMMAND_SKIP, WF_COMMAND_CANCEL_ITEM };

	if (wf_case_status(run->original) == WF_CASE_SUSPENDED &&
	    wf_random_below(&run->random, 2) == 0)
		return WF_COMMAND_RESUME_CASE;
	if (wf_random_below(&run->random, 4) == 0)
		return rare[wf_random_below(
		    &run->random, sizeof(rare) / sizeof(rare[0]))];
	if (item->status == WF_ITEM_SUSPENDED)
		return WF_COMMAND_RESUME_ITEM;
	return item->status == WF_ITEM_EXECUTING ? WF_COMMAND_FORCE
						 : WF_COMMAND_START;
}

/* False when the case has no item. */
static bool choose_command(
    struct run *run, struct wf_command *command, char item_id[WF_ITEM_ID_SIZE])
{
	struct wf_item *items;
	size_t count = wf_case_items(run->original, &items);

	if (count > 0) {
		const struct wf_item *item =
		    &items[wf_random_below(&run->random, (uint32_t)count)];

		wf_item_id(item, item_id);
		run->now += 1 + wf_random_below(&run->random, 1000);
		*command = (struct wf_command){ .kind = choose(run, item),
			.item = item_id,
			.now = run->now };
	}
	wf_free(items);
	return count > 0;
}

/* The bytes behind the key of the specification, without the checksum. */
static bool is_alike(const struct run *run)
{
	struct wf_buffer texts[2];
	struct wf_reader readers[2];
	bool same = true;

	for (int i = 0; i < 2; i++) {
		wf_buffer_init(&texts[i], TEXT_MAXIMUM);
		same = wf_case_encode(i == 0 ? run->original : run->migrated,
			   &texts[i], NULL) == WF_OK &&
		       same;
		wf_reader_init(&readers[i], texts[i].data, texts[i].length - 4);
		(void)wf_get_number(&readers[i]);
		(void)wf_get_number(&readers[i]);
	}
	same = same &&
	       readers[0].end - readers[0].next ==
		   readers[1].end - readers[1].next &&
	       memcmp(readers[0].next, readers[1].next,
		   (size_t)(readers[0].end - readers[0].next)) == 0;
	wf_buffer_free(&texts[0]);
	wf_buffer_free(&texts[1]);
	return same;
}

static void go_on(struct run *run)
{
	char item[WF_ITEM_ID_SIZE];
	struct wf_command command;
	struct wf_error err = { .rc = WF_OK };

	for (unsigned i = 0; i < STEPS; i++) {
		enum wf_rc first;
		enum wf_rc second;

		if (wf_case_status(run->original) > WF_CASE_SUSPENDED ||
		    !choose_command(run, &command, item))
			return;
		wf_error_clear(&err);
		first = wf_case_step(run->original, &command, &run->step, NULL);
		second =
		    wf_case_step(run->migrated, &command, &run->step, &err);
		if (!hold(run, first == second, "another result", &err) ||
		    !hold(run, is_alike(run), "it goes on otherwise", NULL))
			return;
	}
}

static void migrate_random(uint64_t seed, unsigned *count)
{
	struct wf_error err = { .rc = WF_OK };
	struct run run;
	char item[WF_ITEM_ID_SIZE];
	struct wf_command command;
	unsigned steps;

	if (!begin_random(&run, seed)) {
		end(&run);
		return;
	}
	steps = wf_random_below(&run.random, 2 * STEPS);
	while (steps-- > 0 &&
	       wf_case_status(run.original) <= WF_CASE_SUSPENDED &&
	       choose_command(&run, &command, item))
		if (wf_case_step(run.original, &command, &run.step, NULL) ==
		    WF_OK)
			wf_record_add(&run.record, &run.step, run.now);
	if (wf_case_status(run.original) <= WF_CASE_SUSPENDED &&
	    hold(&run, migrate(&run, &err) == WF_OK, "it is refused", &err) &&
	    hold(&run, is_alike(&run), "the migrated case differs", NULL)) {
		++*count;
		go_on(&run);
	}
	end(&run);
}

static void random_cases_go_on_as_before(void)
{
	uint64_t seed = test_seed("migrate", DEFAULT_SEED);
	unsigned tries = getenv("WEFT_SOAK") != NULL ? 20000 : 400;
	unsigned count = 0;

	for (unsigned i = 0; i < tries; i++)
		migrate_random(seed + i, &count);
	CU_ASSERT(count > tries / 4);
}

/* --- to a changed one ----------------------------------------------------- */

#define HEAD                                                                   \
	"<?xml version='1.0'?><specificationSet version='4.0' "                \
	"xmlns='http://www.yawlfoundation.org/yawlschema' "                    \
	"xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"               \
	"<specification uri='p'><metaData><version>"
#define ROOT                                                                   \
	"</version></metaData><schema xmlns='http://www.w3.org/2001/"          \
	"XMLSchema'/><decomposition id='N' isRootNet='true' "                  \
	"xsi:type='NetFactsType'>"
#define VARIABLE(name, type, value)                                            \
	"<localVariable><index>0</index><name>" name "</name><type>" type      \
	"</type><namespace>http://www.w3.org/2001/XMLSchema</namespace>"       \
	"<initialValue>" value "</initialValue></localVariable>"
#define IN(to)                                                                 \
	"<processControlElements><inputCondition id='i'><flowsInto>"           \
	"<nextElementRef id='" to "'/></flowsInto></inputCondition>"
#define TASK(id, more, to, work)                                               \
	"<task id='" id "'><flowsInto><nextElementRef id='" to                 \
	"'/></flowsInto><join code='xor'/><split code='and'/>" more            \
	"<decomposesTo id='" work "'/></task>"
#define OUT "<outputCondition id='o'/></processControlElements></decomposition>"
#define NET(id) "<decomposition id='" id "' xsi:type='NetFactsType'>"
#define WORK(id, service)                                                      \
	"<decomposition id='" id                                               \
	"' xsi:type='WebServiceGatewayFactsType'>" service                     \
	"<externalInteraction>manual</externalInteraction></decomposition>"
#define SERVICE(uri) "<yawlService id='" uri "'/>"
#define TAIL "</specification></specificationSet>"
#define TIMER                                                                  \
	"<timer><trigger>OnEnabled</trigger><duration>PT1H</duration></timer>"

static const char first_version[] = HEAD "1" ROOT VARIABLE("n", "integer", "1")
    VARIABLE("old", "string", "x") IN("A") TASK("A", TIMER, "S", "W")
	TASK("S", "", "B", "Sub") TASK("B", "", "o", "W") OUT NET("Sub") IN("X")
	    TASK("X", "", "o", "W") OUT WORK("W", "") TAIL;

static bool begin_versions(struct run *run, const char *from, const char *to)
{
	begin(run, 0);
	run->from = read_spec(from);
	run->to = read_spec(to);
	CU_ASSERT_FATAL(run->from != NULL && run->to != NULL);
	return launch(run);
}

static void command(
    struct run *run, enum wf_command_kind kind, const char *item)
{
	struct wf_command command = {
		.kind = kind, .item = item, .now = run->now
	};
	struct wf_error err = { .rc = WF_OK };
	struct wf_case *c =
	    run->migrated != NULL ? run->migrated : run->original;

	CU_ASSERT(wf_case_step(c, &command, &run->step, &err) == WF_OK);
	if (run->migrated == NULL)
		wf_record_add(&run->record, &run->step, run->now);
}

static void plan(struct run *run, enum wf_migration_kind kind, const char *net,
    const char *from, const char *to)
{
	begin_plan(run);
	wf_migration_put(
	    &run->plan, &(struct wf_migration_row){
			    .kind = kind, .net = net, .from = from, .to = to });
}

static bool has_item(
    const struct run *run, const char *id, enum wf_item_status status)
{
	struct wf_item item;

	return wf_case_item(run->migrated, id, &item, NULL) == WF_OK &&
	       item.status == status;
}

/* The problems are exactly these; then nothing has changed. */
static void refuses(struct run *run, const char *problems)
{
	struct wf_error err = { .rc = WF_OK };

	CU_ASSERT(migrate(run, &err) == WF_CONFLICT);
	CU_ASSERT_STRING_EQUAL(run->problems, problems);
	CU_ASSERT(run->migrated == NULL);
}

static void accepts(struct run *run)
{
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc = migrate(run, &err);

	CU_ASSERT_STRING_EQUAL(err.message, "");
	CU_ASSERT_FATAL(rc == WF_OK && run->migrated != NULL);
}

static void a_started_item_goes_to_the_renamed_task(void)
{
	static const char second[] = HEAD "2" ROOT VARIABLE("n", "integer", "1")
	    IN("A2") TASK("A2", TIMER, "B", "W") TASK("B", "", "o", "W")
		OUT WORK("W", "") TAIL;
	struct run run;

	begin_versions(&run, first_version, second);
	command(&run, WF_COMMAND_START, "7:A");
	refuses(&run,
	    "7 task A: task A is busy, and the new version has no such task\n");
	plan(&run, WF_MIGRATION_TASK, "N", "A", "A2");
	accepts(&run);
	CU_ASSERT(has_item(&run, "7.1:A2", WF_ITEM_EXECUTING));
	command(&run, WF_COMMAND_COMPLETE, "7.1:A2");
	CU_ASSERT(has_item(&run, "7:B", WF_ITEM_ENABLED));
	end(&run);
}

static void a_token_on_a_flow_goes_where_the_plan_says(void)
{
	static const char first[] = HEAD "1" ROOT IN("A") TASK(
	    "A", "", "B", "W") TASK("B", "", "o", "W") OUT WORK("W", "") TAIL;
	static const char second[] = HEAD "2" ROOT IN("A")
	    TASK("A", "", "M", "W") TASK("M", "", "B", "W")
		TASK("B", "", "o", "W") OUT WORK("W", "") TAIL;
	struct run run;

	begin_versions(&run, first, second);
	command(&run, WF_COMMAND_FINISH, "7:A");
	refuses(&run,
	    "7 condition c{A_B}: the flow from A to B has 1 token, and the new "
	    "version no such condition\n");
	plan(&run, WF_MIGRATION_CONDITION, "N", "c{A_B}", "c{A_M}");
	accepts(&run);
	CU_ASSERT(has_item(&run, "7:M", WF_ITEM_ENABLED));
	CU_ASSERT(!has_item(&run, "7:B", WF_ITEM_ENABLED));
	end(&run);
}

static void a_running_net_stays_with_its_task(void)
{
	static const char second[] = HEAD "2" ROOT VARIABLE("m", "integer", "5")
	    VARIABLE("n", "integer", "1") VARIABLE("old", "string", "x") IN("A")
		TASK("A", TIMER, "S", "W") TASK("S", "", "C", "Sub")
		    TASK("C", "", "o", "W") OUT NET("Sub") IN("X")
			TASK("X", "", "Y", "W") TASK("Y", "", "o", "W")
			    OUT WORK("W", "") TAIL;
	struct wf_buffer data;
	struct run run;

	begin_versions(&run, first_version, second);
	command(&run, WF_COMMAND_FINISH, "7:A");
	command(&run, WF_COMMAND_START, "7.2:X");
	accepts(&run);
	CU_ASSERT(has_item(&run, "7.2.1:X", WF_ITEM_EXECUTING));
	command(&run, WF_COMMAND_COMPLETE, "7.2.1:X");
	CU_ASSERT(has_item(&run, "7.2:Y", WF_ITEM_ENABLED));
	command(&run, WF_COMMAND_FINISH, "7.2:Y");
	CU_ASSERT(has_item(&run, "7:C", WF_ITEM_ENABLED));
	wf_buffer_init(&data, TEXT_MAXIMUM);
	wf_case_data(run.migrated, &data);
	CU_ASSERT(strstr(wf_buffer_text(&data), "<m>5</m>") != NULL);
	wf_buffer_free(&data);
	end(&run);
}

static void what_has_nowhere_to_go_is_named(void)
{
	static const char second[] = HEAD "2" ROOT IN("A")
	    TASK("A", "", "o", "W") OUT WORK("W", SERVICE("http://s")) TAIL;
	struct run run;
	struct wf_command update = { .kind = WF_COMMAND_UPDATE_CASE,
		.data = "<N><n>2</n></N>",
		.length = 15,
		.now = 1000 };

	begin_versions(&run, first_version, second);
	CU_ASSERT(
	    wf_case_step(run.original, &update, &run.step, NULL) == WF_OK);
	wf_record_add(&run.record, &run.step, run.now);
	command(&run, WF_COMMAND_START, "7:A");
	refuses(&run,
	    "7 task A: task A is started, and in the new version http://s does "
	    "it, not a person\n"
	    "7 timer A: the timer of task A runs, and the task has none in the "
	    "new version\n"
	    "7 variable n: variable n has a value, and the new version no such "
	    "variable\n");
	end(&run);
	begin_versions(&run, first_version, second);
	command(&run, WF_COMMAND_FINISH, "7:A");
	command(&run, WF_COMMAND_START, "7.2:X");
	refuses(&run,
	    "7 task S: task S is busy, and the new version has no such task\n");
	/* Left behind on purpose, with its net and all in it. */
	plan(&run, WF_MIGRATION_TASK, "N", "S", NULL);
	CU_ASSERT(migrate(&run, NULL) == WF_CONFLICT);
	end(&run);
}

static void a_value_must_fit_its_type(void)
{
	static const char second[] = HEAD "2" ROOT VARIABLE("n", "boolean",
	    "true") IN("A") TASK("A", TIMER, "o", "W") OUT WORK("W", "") TAIL;
	struct run run;

	begin_versions(&run, first_version, second);
	CU_ASSERT(migrate(&run, NULL) == WF_OK); /* 1 is a boolean */
	end(&run);
	begin_versions(&run, first_version, second);
	plan(&run, WF_MIGRATION_VARIABLE, "N", "n", NULL);
	plan(&run, WF_MIGRATION_VARIABLE, "N", "old", "n");
	CU_ASSERT(migrate(&run, NULL) == WF_CONFLICT);
	CU_ASSERT(strstr(run.problems, "7 variable old: the value of variable "
				       "old does not fit its type in the new "
				       "version: ") == run.problems);
	end(&run);
}

static void an_item_that_another_does_is_offered_anew(void)
{
	static const char second[] = HEAD "2" ROOT VARIABLE("n", "integer", "1")
	    IN("A") TASK("A", TIMER, "o", "V")
		OUT WORK("V", SERVICE("http://s")) TAIL;
	struct wf_event_reader reader;
	const struct wf_event *event;
	struct run run;
	bool enabled = false;

	begin_versions(&run, first_version, second);
	accepts(&run);
	CU_ASSERT(has_item(&run, "7:A", WF_ITEM_ENABLED));
	wf_event_reader_init(
	    &reader, run.step.events.data, run.step.events.length, NULL);
	while ((event = wf_event_next(&reader, NULL)) != NULL)
		enabled = enabled || event->kind == WF_EVENT_TASK_ENABLED;
	wf_event_reader_free(&reader);
	CU_ASSERT(enabled);
	end(&run);
}

static void a_plan_must_name_what_there_is(void)
{
	struct wf_error err = { .rc = WF_OK };
	struct run run;

	begin_versions(&run, first_version, first_version);
	plan(&run, WF_MIGRATION_TASK, "N", "nobody", "A");
	CU_ASSERT(migrate(&run, &err) == WF_INVALID);
	CU_ASSERT_STRING_EQUAL(err.message,
	    "the plan names the task 'nobody' of net N, which version 1 of p "
	    "does not have");
	end(&run);
	begin_versions(&run, first_version, first_version);
	plan(&run, WF_MIGRATION_NET, "", "Sub", "nowhere");
	CU_ASSERT(migrate(&run, NULL) == WF_INVALID);
	end(&run);
	/* The variable n goes to n by its name. */
	begin_versions(&run, first_version, first_version);
	plan(&run, WF_MIGRATION_VARIABLE, "N", "old", "n");
	err.rc = WF_OK;
	CU_ASSERT(migrate(&run, &err) == WF_INVALID);
	CU_ASSERT(strstr(err.message,
		      " of net N both go to 'n'; expected one of") != NULL);
	end(&run);
}

CU_TestInfo wf_tests_migrate[] = {
	{ "random cases go on as before", random_cases_go_on_as_before },
	{ "a started item goes to the renamed task",
	    a_started_item_goes_to_the_renamed_task },
	{ "a token on a flow goes where the plan says",
	    a_token_on_a_flow_goes_where_the_plan_says },
	{ "a running net stays with its task",
	    a_running_net_stays_with_its_task },
	{ "what has nowhere to go is named", what_has_nowhere_to_go_is_named },
	{ "a value must fit its type", a_value_must_fit_its_type },
	{ "an item that another does is offered anew",
	    an_item_that_another_does_is_offered_anew },
	{ "a plan must name what there is", a_plan_must_name_what_there_is },
	CU_TEST_INFO_NULL,
};
