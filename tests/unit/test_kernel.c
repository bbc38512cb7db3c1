/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of every case of every net, tried on random ones: a refused
 * command changes nothing; bytes decode to the same case; replaying the events
 * gives the same bytes; derived data agrees with a full scan; a step that runs
 * out of memory is taken back.
 *
 * WEFT_SEED sets the seed, which is printed; WEFT_SOAK=1 tries many more.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "base/memory.h"
#include "kernel/record.h"
#include "kernel/state.h"
#include "tests/unit/random_net.h"
#include "tests/unit/seed.h"

#define TEXT_MAXIMUM ((size_t)4 << 20)
#define STATE_MAXIMUM ((size_t)64 << 20)
#define DEFAULT_SEED 20260101U
#define STEPS 60U
/* A string of this length is a large value. */
#define LONG_LENGTH 3000U

struct run {
	struct wf_random random;
	uint64_t seed; /* of the net, for messages */
	struct wf_spec_file *file;
	struct wf_case *instance;
	struct wf_step step;
	struct wf_record record;
	struct wf_buffer data; /* of the command */
	char item[WF_ITEM_ID_SIZE];
	struct wf_command command;
	int64_t now;
};

/* Prints where it failed, so that it can be found again. */
static bool hold(const struct run *run, bool condition, const char *what,
    const struct wf_error *err)
{
	CU_ASSERT(condition);
	if (!condition)
		printf("kernel: net %llu, command %d of '%s': %s: %s\n",
		    (unsigned long long)run->seed, (int)run->command.kind,
		    run->item, what, err != NULL ? err->message : "");
	return condition;
}

static bool read_net(struct run *run)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("random");
	struct wf_buffer text;
	enum wf_rc rc;

	wf_buffer_init(&text, TEXT_MAXIMUM);
	wf_random_net(&run->random, &text);
	rc = wf_spec_read(
	    &run->file, wf_buffer_text(&text), text.length, diagnostics);
	wf_buffer_free(&text);
	wf_diagnostics_free(&diagnostics);
	return rc == WF_OK;
}

/*
 * An accepted command: checks the properties, and continues with the decoded
 * bytes.
 */
static bool prove(struct run *run, bool swap)
{
	struct wf_error err = { 0 };
	struct wf_case *decoded;
	enum wf_rc rc;

	wf_record_add(&run->record, &run->step, run->now);
	rc = wf_record_prove(&run->record, run->instance, &decoded, &err);
	if (!hold(run, rc == WF_OK, "a proof fails", &err))
		return false;
	if (swap) {
		wf_case_free(&run->instance);
		run->instance = decoded;
	} else {
		wf_case_free(&decoded);
	}
	return true;
}

static bool launch(struct run *run)
{
	run->command =
	    (struct wf_command){ .kind = WF_COMMAND_LAUNCH, .now = ++run->now };
	if (wf_case_launch(&run->instance, run->file->specs[0], "1",
		&wf_random_limits, &run->command, &run->step, NULL) != WF_OK)
		return false;
	return prove(run, false);
}

/* A net that is accepted and a case that is launched; or false. */
static bool begin(struct run *run, uint64_t seed)
{
	memset(run, 0, sizeof(*run));
	run->random.state = seed;
	run->seed = seed;
	wf_step_init(&run->step);
	wf_buffer_init(&run->data, TEXT_MAXIMUM);
	if (!read_net(run))
		return false;
	wf_record_init(&run->record, run->file->specs[0], &wf_random_limits);
	/* Some cases are launched before 1970. */
	run->now = wf_random_below(&run->random, 4) == 0 ? -1000000 : 0;
	return launch(run);
}

static void end(struct run *run)
{
	wf_case_free(&run->instance);
	wf_record_free(&run->record);
	wf_step_free(&run->step);
	wf_buffer_free(&run->data);
	wf_spec_file_free(&run->file);
}

/* A live item, or one that does not exist (task NULL). */
static void choose_item(struct run *run, struct wf_item *item_out)
{
	struct wf_item *items;
	size_t count = wf_case_items(run->instance, &items);

	memset(item_out, 0, sizeof(*item_out));
	if (count == 0 || wf_random_below(&run->random, 20) == 0) {
		snprintf(run->item, sizeof(run->item), "1.%u:T%u",
		    wf_random_below(&run->random, 9),
		    wf_random_below(&run->random, 9));
	} else {
		*item_out =
		    items[wf_random_below(&run->random, (uint32_t)count)];
		wf_item_id(item_out, run->item);
	}
	wf_free(items);
}

/* The command that brings the item forward. */
static enum wf_command_kind usual_kind(
    struct run *run, const struct wf_item *item)
{
	bool either = wf_random_below(&run->random, 2) == 0;

	if (wf_case_status(run->instance) == WF_CASE_SUSPENDED && either)
		return WF_COMMAND_RESUME_CASE;
	if (item->task == NULL || item->status == WF_ITEM_SUSPENDED)
		return WF_COMMAND_RESUME_ITEM;
	if (item->status != WF_ITEM_EXECUTING)
		return either ? WF_COMMAND_START : WF_COMMAND_FINISH;
	if (item->task->multi != NULL && either)
		return WF_COMMAND_ADD;
	return either ? WF_COMMAND_COMPLETE : WF_COMMAND_FINISH;
}

/* Mostly work, sometimes any command. */
static enum wf_command_kind choose_kind(
    struct run *run, const struct wf_item *item)
{
	static const enum wf_command_kind all[] = {
#define WF_COMMAND(name, word, item, since, meaning) WF_COMMAND_##name,
#include "kernel/commands.def"
#undef WF_COMMAND
	};
	enum wf_command_kind kind;

	if (wf_random_below(&run->random, 3) > 0)
		return usual_kind(run, item);
	kind = all[wf_random_below(&run->random, sizeof(all) / sizeof(all[0]))];
	/* A cancelled case ends the run. */
	if (kind == WF_COMMAND_LAUNCH ||
	    (kind == WF_COMMAND_CANCEL_CASE &&
		wf_random_below(&run->random, 20) > 0))
		return WF_COMMAND_RESUME_CASE;
	return kind;
}

/* Values for n and s; now and then a long one, or one of the wrong type. */
static void make_values(struct run *run, const char *root, bool all)
{
	uint32_t choice = wf_random_below(&run->random, 12);

	wf_buffer_printf(&run->data, "<%s><n>", root);
	if (choice == 0)
		wf_buffer_puts(&run->data, "none");
	else
		wf_buffer_printf(&run->data, "%u", choice);
	wf_buffer_puts(&run->data, "</n>");
	if (all) {
		wf_buffer_puts(&run->data, "<s>");
		for (unsigned i = 0; choice > 9 && i < LONG_LENGTH; i++)
			wf_buffer_putc(&run->data, 'x');
		wf_buffer_printf(&run->data, "%u</s>", choice);
	}
	wf_buffer_printf(&run->data, "</%s>", root);
}

static void make_data(struct run *run, const struct wf_task *task)
{
	const struct wf_decomposition *work =
	    task != NULL ? task->decomposition : NULL;

	wf_buffer_reset(&run->data);
	switch (run->command.kind) {
	case WF_COMMAND_ADD:
		wf_buffer_printf(
		    &run->data, "<n>%u</n>", wf_random_below(&run->random, 9));
		break;
	case WF_COMMAND_UPDATE_CASE:
		make_values(run, "Net", true);
		break;
	case WF_COMMAND_UPDATE_ITEM:
	case WF_COMMAND_COMPLETE:
	case WF_COMMAND_FORCE:
		if (work != NULL && work->output_count > 0)
			make_values(run, work->id, work->output_count > 1);
		break;
	default:
		break;
	}
	if (run->data.length > 0) {
		run->command.data = wf_buffer_text(&run->data);
		run->command.length = run->data.length;
	}
}

static void choose_command(struct run *run)
{
	static const bool names_item[] = {
#define WF_COMMAND(name, word, item, since, meaning) [WF_COMMAND_##name] = item,
#include "kernel/commands.def"
#undef WF_COMMAND
	};
	struct wf_item item;

	run->now += wf_random_below(&run->random, 1000);
	choose_item(run, &item);
	run->command = (struct wf_command){ .kind = choose_kind(run, &item),
		.now = run->now };
	if (names_item[run->command.kind])
		run->command.item = run->item;
	make_data(run, item.task);
}

static bool encode(const struct run *run, struct wf_buffer *bytes)
{
	wf_buffer_init(bytes, STATE_MAXIMUM);
	return wf_case_encode(run->instance, bytes, NULL) == WF_OK;
}

/* Whether the case still encodes to these bytes. */
static bool is_same(const struct run *run, const struct wf_buffer *before)
{
	struct wf_buffer after;
	bool same = encode(run, &after) && after.length == before->length &&
		    memcmp(after.data, before->data, after.length) == 0;

	wf_buffer_free(&after);
	return same;
}

static bool step_once(struct run *run)
{
	struct wf_error err = { 0 };
	struct wf_buffer before;
	enum wf_rc rc;
	bool good = true;

	choose_command(run);
	if (!encode(run, &before))
		good = hold(run, false, "the case does not encode", NULL);
	rc = wf_case_step(run->instance, &run->command, &run->step, &err);
	if (good && rc == WF_BUG)
		good = hold(run, false, "an assertion fails", &err);
	else if (good && rc == WF_OK)
		good = prove(run, wf_random_below(&run->random, 2) == 0);
	else if (good)
		good = hold(run, is_same(run, &before),
			   "a refused command changed the case", &err) &&
		       hold(run, wf_case_check(run->instance, &err) == WF_OK,
			   "the case does not agree with itself", &err);
	wf_buffer_free(&before);
	return good;
}

static bool is_over(const struct run *run)
{
	enum wf_case_status status = wf_case_status(run->instance);

	return status != WF_CASE_RUNNING && status != WF_CASE_SUSPENDED;
}

static void test_random_cases(void)
{
	struct wf_random random = { test_seed("kernel", DEFAULT_SEED) };
	unsigned launched = 0;
	bool good = true;

	for (unsigned i = 0; i < test_rounds(1000) && good; i++) {
		struct run run;

		wf_random_below(&random, 2);
		if (begin(&run, random.state)) {
			launched++;
			for (unsigned k = 0;
			     k < STEPS && good && !is_over(&run); k++)
				good = step_once(&run);
		}
		end(&run);
	}
	CU_ASSERT(launched > 100);
}

/* A query's work in progress when memory ran out is not kept. */
static void expect_leaks(bool expected)
{
#ifdef __SANITIZE_ADDRESS__
	if (expected)
		__lsan_disable();
	else
		__lsan_enable();
#else
	(void)expected;
#endif
}

/* A step whose n-th allocation fails leaves the case as it was. */
static bool fail_allocations(struct run *run)
{
	struct wf_buffer before;
	bool good = true;
	enum wf_rc rc = WF_BUG;

	if (!encode(run, &before))
		return false;
	for (uint64_t n = 1; rc == WF_BUG && n < 10000 && good; n++) {
		struct wf_error err = { 0 };

		expect_leaks(true);
		wf_memory_fail_after(n);
		rc = wf_case_step(
		    run->instance, &run->command, &run->step, &err);
		wf_memory_fail_after(0);
		expect_leaks(false);
		if (rc == WF_BUG)
			good = hold(run, is_same(run, &before),
				   "out of memory changed the case", &err) &&
			       hold(run,
				   wf_case_check(run->instance, &err) == WF_OK,
				   "out of memory harmed the case", &err);
	}
	wf_buffer_free(&before);
	if (good && rc == WF_OK)
		good = prove(run, false);
	return good;
}

static void test_failing_allocations(void)
{
	struct wf_random random = { test_seed("kernel", DEFAULT_SEED) };
	bool good = true;

	for (unsigned i = 0; i < test_rounds(15) && good; i++) {
		struct run run;

		wf_random_below(&random, 2);
		if (begin(&run, random.state))
			for (unsigned k = 0;
			     k < STEPS / 3 && good && !is_over(&run); k++) {
				choose_command(&run);
				good = fail_allocations(&run);
			}
		end(&run);
	}
}

/* --- many sub-nets -------------------------------------------------------- */

#define SUBNETS 6000U

static const char many[] =
    "<specificationSet version='4.0' "
    "xmlns='http://www.yawlfoundation.org/yawlschema' "
    "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
    "<specification uri='P'><metaData><version>0.1</version>"
    "<identifier>UID_P</identifier></metaData>"
    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>"
    "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
    "<processControlElements>"
    "<inputCondition id='i'><flowsInto><nextElementRef id='A'/></flowsInto>"
    "<flowsInto><nextElementRef id='M'/></flowsInto></inputCondition>"
    "<task id='A'><flowsInto><nextElementRef id='M'/></flowsInto>"
    "<join code='xor'/><split code='and'/></task>"
    "<task id='M' xsi:type='MultipleInstanceExternalTaskFactsType'>"
    "<flowsInto><nextElementRef id='B'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='Sub'/>"
    "<minimum>6000</minimum><maximum>6000</maximum>"
    "<threshold>6000</threshold><creationMode code='static'/>"
    "<miDataInput><expression query='&lt;all/&gt;'/>"
    "<splittingExpression query='for $i in 1 to 6000 return "
    "&lt;n&gt;{$i}&lt;/n&gt;'/>"
    "<formalInputParam>n</formalInputParam></miDataInput></task>"
    "<task id='B'><flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='W'/></task>"
    "<outputCondition id='o'/></processControlElements></decomposition>"
    "<decomposition id='Sub' xsi:type='NetFactsType'>"
    "<inputParam><index>0</index><name>n</name><type>string</type>"
    "<namespace>http://www.w3.org/2001/XMLSchema</namespace></inputParam>"
    "<processControlElements>"
    "<inputCondition id='si'><flowsInto><nextElementRef id='T'/></flowsInto>"
    "</inputCondition>"
    "<task id='T'><flowsInto><nextElementRef id='so'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='W'/></task>"
    "<outputCondition id='so'/></processControlElements></decomposition>"
    "<decomposition id='W' xsi:type='WebServiceGatewayFactsType'/>"
    "</specification></specificationSet>";

static size_t log_bytes(const struct wf_step *step)
{
	const struct wf_undo *undo = step->undo;

	return (size_t)((const char *)undo->end - (const char *)undo->words);
}

/*
 * Thousands of sub-nets that end in one step are not moved thousands of times,
 * and the memory of the step is freed.
 */
static void test_many_subnets(void)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("many");
	struct wf_command command = { .kind = WF_COMMAND_LAUNCH, .now = 1 };
	struct wf_error err = { 0 };
	struct wf_spec_file *file;
	struct wf_case *instance;
	struct wf_step step;

	CU_ASSERT_EQUAL_FATAL(
	    wf_spec_read(&file, many, sizeof(many) - 1, diagnostics), WF_OK);
	wf_step_init(&step);
	CU_ASSERT_EQUAL_FATAL(wf_case_launch(&instance, file->specs[0], "1",
				  NULL, &command, &step, &err),
	    WF_OK);
	CU_ASSERT_EQUAL(instance->net_count, SUBNETS + 1);
	CU_ASSERT_TRUE(log_bytes(&step) <= (size_t)2 << 20);
	/* The first ones end, each alone; then all others at once. */
	command.kind = WF_COMMAND_FINISH;
	for (unsigned i = 1; i <= 3; i++) {
		char item[16];

		snprintf(item, sizeof(item), "1.%u:T", i);
		command.item = item;
		CU_ASSERT_EQUAL(
		    wf_case_step(instance, &command, &step, &err), WF_OK);
	}
	CU_ASSERT_EQUAL(instance->net_count, SUBNETS - 2);
	CU_ASSERT_EQUAL(wf_case_check(instance, &err), WF_OK);
	command.kind = WF_COMMAND_CANCEL_CASE;
	CU_ASSERT_EQUAL(wf_case_step(instance, &command, &step, &err), WF_OK);
	CU_ASSERT_EQUAL(wf_case_status(instance), WF_CASE_CANCELLED);
	CU_ASSERT_TRUE(log_bytes(&step) <= (size_t)2 << 20);
	wf_case_free(&instance);
	wf_step_free(&step);
	wf_spec_file_free(&file);
	wf_diagnostics_free(&diagnostics);
}

CU_TestInfo wf_tests_kernel[] = {
	{ "what holds for all commands holds in random cases",
	    test_random_cases },
	{ "a step that runs out of memory is taken back",
	    test_failing_allocations },
	{ "thousands of sub-nets end in one step", test_many_subnets },
	CU_TEST_INFO_NULL,
};
