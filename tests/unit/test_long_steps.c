/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps that take more work than a batch has for them: made outside, brought
 * back, made again, refused; and what they do not hold up.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "runtime/shard.h"
#include "tests/unit/engine_fixture.h"

#define XML_BYTES 16384U
#define LITTLE_WORK 2000U

static void put_task(struct wf_buffer *xml, const char *id, const char *next,
    const char *decomposition)
{
	wf_buffer_printf(xml,
	    "<task id='%s'><flowsInto><nextElementRef id='%s'/></flowsInto>"
	    "<join code='xor'/><split code='and'/>%s</task>",
	    id, next, decomposition);
}

/*
 * A, then B, or C if a loop of that many turns goes wrong, which A decides; or,
 * if first is "R", a task without work that is done at the launch.
 */
static void load_loop(struct wf_fixture *f, const char *first, unsigned turns)
{
	static const char done[] = "<decomposesTo id='W'/>";
	struct wf_buffer xml;

	wf_buffer_init(&xml, XML_BYTES);
	wf_buffer_printf(&xml,
	    "<specificationSet version='4.0' "
	    "xmlns='http://www.yawlfoundation.org/yawlschema' "
	    "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
	    "<specification uri='L%s'><metaData><version>0.1</version>"
	    "<identifier>UID_L%s</identifier></metaData>"
	    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>"
	    "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
	    "<processControlElements><inputCondition id='i'><flowsInto>"
	    "<nextElementRef id='%s'/></flowsInto></inputCondition>",
	    first, first, first);
	wf_buffer_printf(&xml,
	    "<task id='%s'><flowsInto><nextElementRef id='B'/>"
	    "<predicate ordering='1'>empty(for $i in 1 to %u, $j in 1 to 1000 "
	    "return ())</predicate></flowsInto>"
	    "<flowsInto><nextElementRef id='C'/><isDefaultFlow/></flowsInto>"
	    "<join code='xor'/><split code='xor'/>%s</task>",
	    first, turns / 1000, first[0] == 'R' ? "" : done);
	put_task(&xml, "B", "o", done);
	put_task(&xml, "C", "o", done);
	wf_buffer_puts(&xml,
	    "<outputCondition id='o'/></processControlElements>"
	    "</decomposition>"
	    "<decomposition id='W' xsi:type='WebServiceGatewayFactsType'/>"
	    "</specification></specificationSet>");
	CU_ASSERT_EQUAL_FATAL(
	    wf_fixture_load(f, wf_buffer_text(&xml), xml.length), WF_OK);
	wf_buffer_free(&xml);
}

static void open_with_little(struct wf_fixture *f)
{
	wf_fixture_init(f);
	f->settings.batch_work = LITTLE_WORK;
	f->settings.step_work = LITTLE_WORK;
	wf_fixture_open(f);
}

static uint64_t long_steps(struct wf_engine *engine)
{
	struct wf_engine_counts counts;

	wf_engine_counts(engine, &counts);
	return counts.long_steps;
}

static void test_made_outside(void)
{
	struct wf_answer answer;
	struct wf_fixture f;

	open_with_little(&f);
	load_loop(&f, "A", 10 * LITTLE_WORK);
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(long_steps(f.engine), 0);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_FINISH, "1:A", NULL, &answer),
	    WF_OK);
	CU_ASSERT_EQUAL(answer.number, 1);
	CU_ASSERT_EQUAL(answer.sequence, 2);
	CU_ASSERT_EQUAL(long_steps(f.engine), 1);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, 1), "B=0 ");
	CU_ASSERT_TRUE(wf_fixture_agrees(&f, 1));
	/* The case goes on as before. */
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_FINISH, "1:B", NULL, &answer),
	    WF_OK);
	CU_ASSERT_EQUAL(answer.status, WF_CASE_COMPLETED);
	CU_ASSERT_EQUAL(long_steps(f.engine), 1);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	wf_fixture_free(&f);
}

/* Reading much data is work, too. */
static void test_data(void)
{
	static char data[WF_BATCH_WORK + 1];
	struct wf_fixture f;

	memset(data, ' ', sizeof(data) - 1);
	memcpy(data, "<N><s>", 6);
	memcpy(data + sizeof(data) - 1 - 8, "</s></N>", 8);
	wf_fixture_init(&f);
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_UPDATE_CASE, NULL, data, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(long_steps(f.engine), 1);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 2);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	wf_fixture_free(&f);
}

static void test_launch(void)
{
	struct wf_fixture f;

	open_with_little(&f);
	load_loop(&f, "R", 10 * LITTLE_WORK);
	CU_ASSERT_EQUAL(wf_fixture_launch(&f), 1);
	CU_ASSERT_EQUAL(long_steps(f.engine), 1);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, 1), "B=0 ");
	/* One that is put off; its row is gone in the end. */
	CU_ASSERT_EQUAL(wf_fixture_put_off(&f, "later", f.now + 1000), 2);
	f.now += 1000;
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(long_steps(f.engine), 2);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, 2), "B=0 ");
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	CU_ASSERT_TRUE(wf_fixture_agrees(&f, 1));
	CU_ASSERT_TRUE(wf_fixture_agrees(&f, 2));
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	wf_fixture_free(&f);
}

/*
 * A due command stays claimed while its long step waits, so that no engine
 * takes it for one that has crashed others.
 */
static void test_claim(void)
{
	struct wf_fixture f;
	int64_t next = 0;

	open_with_little(&f);
	load_loop(&f, "R", 10 * LITTLE_WORK);
	CU_ASSERT_EQUAL(wf_fixture_put_off(&f, "later", f.now + 1000), 1);
	f.now += 1000;
	CU_ASSERT_TRUE(wf_due_turn(f.engine));
	while (wf_shard_turn(&f.engine->shards[0]))
		continue;
	CU_ASSERT_EQUAL(wf_store_next_due(f.store, &next, NULL), WF_OK);
	CU_ASSERT_TRUE(next >= f.now + WF_DUE_COMMAND_LEASE_MS + 10000);
	f.now = next - 1;
	(void)wf_due_turn(f.engine);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(long_steps(f.engine), 1);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&f, 1), "B=0 ");
	CU_ASSERT_EQUAL(wf_engine_next_due(f.engine), INT64_MAX);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	wf_fixture_free(&f);
}

/* A step that exceeds the limit of its case is refused as that, once. */
static void test_too_long(void)
{
	struct wf_limits limits = wf_limits_default;
	struct wf_fixture f;

	limits.query_steps = 5 * LITTLE_WORK;
	wf_fixture_init(&f);
	f.settings.limits = &limits;
	f.settings.batch_work = LITTLE_WORK;
	f.settings.step_work = LITTLE_WORK;
	wf_fixture_open(&f);
	load_loop(&f, "A", 10 * LITTLE_WORK);
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_FINISH, "1:A", NULL, NULL),
	    WF_LIMIT);
	CU_ASSERT_PTR_NOT_NULL(strstr(f.err.message, "steps"));
	CU_ASSERT_EQUAL(long_steps(f.engine), 1);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 0);
	/* A due command is refused once, too: it becomes an incident. */
	wf_fixture_schedule(&f, 1, WF_COMMAND_FINISH, "1:A", f.now + 1);
	f.now += 1;
	wf_fixture_turn(&f);
	f.now += 10 * WF_DUE_COMMAND_LEASE_MS;
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(long_steps(f.engine), 2);
	CU_ASSERT_EQUAL_FATAL(wf_fixture_incidents(&f).count, 1);
	CU_ASSERT_STRING_EQUAL(wf_fixture_incidents(&f).rows[0].code, "LIMIT");
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).rows[0].attempts, 1);
	CU_ASSERT_FALSE(wf_fixture_is_quarantined(&f, 1));
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	wf_fixture_free(&f);
}

/* --- others --------------------------------------------------------------- */

/* The order in which requests were answered. */
struct order {
	char text[64];
	enum wf_rc rc;
};

struct mark {
	struct order *order;
	char letter;
};

static void note(void *context, const struct wf_reply *reply)
{
	const struct mark *mark = context;
	size_t length = strlen(mark->order->text);

	mark->order->text[length] = mark->letter;
	mark->order->text[length + 1] = '\0';
	if (reply->rc != WF_OK)
		mark->order->rc = reply->rc;
}

static void submit(struct wf_engine *engine, uint64_t number,
    enum wf_command_kind kind, const char *item, struct mark *mark)
{
	struct wf_request request = { .number = number,
		.command = { .kind = kind, .item = item } };

	CU_ASSERT_EQUAL(
	    wf_engine_submit(engine, &request, note, mark, NULL), WF_OK);
}

/* Requests to the same case follow it; requests to others do not. */
static void test_order(void)
{
	struct order order = { .text = "" };
	struct mark marks[] = { { &order, 'a' }, { &order, 'b' },
		{ &order, 'c' }, { &order, 'd' }, { &order, 'e' } };
	struct wf_fixture f;

	open_with_little(&f);
	load_loop(&f, "A", 10 * LITTLE_WORK);
	wf_fixture_launch(&f);
	wf_fixture_launch(&f);
	submit(f.engine, 1, WF_COMMAND_FINISH, "1:A", &marks[0]);
	submit(f.engine, 1, WF_COMMAND_SUSPEND_CASE, NULL, &marks[1]);
	submit(f.engine, 2, WF_COMMAND_SUSPEND_CASE, NULL, &marks[2]);
	while (wf_shard_turn(&f.engine->shards[0]))
		continue;
	CU_ASSERT_STRING_EQUAL(order.text, "c");
	submit(f.engine, 1, WF_COMMAND_RESUME_CASE, NULL, &marks[3]);
	submit(f.engine, 2, WF_COMMAND_RESUME_CASE, NULL, &marks[4]);
	while (wf_shard_turn(&f.engine->shards[0]))
		continue;
	CU_ASSERT_STRING_EQUAL(order.text, "ce");
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 1);
	wf_fixture_turn(&f);
	CU_ASSERT_STRING_EQUAL(order.text, "ceabd");
	CU_ASSERT_EQUAL(order.rc, WF_OK);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 4);
	CU_ASSERT_EQUAL(long_steps(f.engine), 1);
	CU_ASSERT_TRUE(wf_fixture_agrees(&f, 1));
	wf_fixture_free(&f);
}

static void submit_by(struct wf_engine *engine, const char *actor,
    uint64_t number, struct mark *mark)
{
	char item[32];
	struct wf_request request = { .number = number,
		.actor = actor,
		.command = { .kind = WF_COMMAND_FINISH, .item = item } };

	snprintf(item, sizeof(item), "%llu:A", (unsigned long long)number);
	CU_ASSERT_EQUAL(
	    wf_engine_submit(engine, &request, note, mark, NULL), WF_OK);
	while (wf_shard_turn(&engine->shards[0]))
		continue;
}

/* Accounts take turns: one with many steps does not hold up another. */
static void test_turns(void)
{
	struct order order = { .text = "" };
	struct mark ann = { &order, 'a' }, bob = { &order, 'b' },
		    none = { &order, 'd' };
	struct wf_fixture f;

	open_with_little(&f);
	load_loop(&f, "A", 10 * LITTLE_WORK);
	for (unsigned i = 0; i < 10; i++)
		wf_fixture_launch(&f);
	for (unsigned i = 1; i <= 4; i++)
		submit_by(f.engine, "ann", i, &ann);
	submit_by(f.engine, "bob", 5, &bob);
	for (unsigned i = 0; i < 2; i++) {
		CU_ASSERT_TRUE(wf_long_turn(f.engine));
		CU_ASSERT_TRUE(wf_shard_turn(&f.engine->shards[0]));
	}
	/* Another step of bob, who was served: after one of ann's. */
	submit_by(f.engine, "bob", 6, &bob);
	submit_by(f.engine, "", 7, &none);
	wf_fixture_turn(&f);
	CU_ASSERT_STRING_EQUAL(order.text, "ababdaa");
	CU_ASSERT_EQUAL(order.rc, WF_OK);
	wf_fixture_free(&f);
}

/* An account has a part of the room for long steps. */
static void test_room_of_an_account(void)
{
	unsigned replies[2] = { 0, 0 };
	struct wf_request request = { .actor = "ann",
		.command = { .kind = WF_COMMAND_LAUNCH } };
	struct wf_fixture f;

	open_with_little(&f);
	load_loop(&f, "R", 10 * LITTLE_WORK);
	request.launch.specification = f.key;
	for (unsigned i = 0; i < 70; i++) {
		CU_ASSERT_EQUAL(wf_engine_submit(f.engine, &request,
				    wf_fixture_count_reply, replies, NULL),
		    WF_OK);
		(void)wf_shard_turn(&f.engine->shards[0]);
	}
	CU_ASSERT(replies[0] == 0 && replies[1] == 6);
	request.actor = "bob";
	CU_ASSERT_EQUAL(wf_engine_submit(f.engine, &request,
			    wf_fixture_count_reply, replies, NULL),
	    WF_OK);
	wf_fixture_turn(&f);
	CU_ASSERT(replies[0] == 65 && replies[1] == 6);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	wf_fixture_free(&f);
}

/* More requests than may follow are refused; others are not. */
static void test_followers(void)
{
	struct order order = { .text = "" };
	struct mark mark = { &order, 'x' };
	unsigned replies[2] = { 0, 0 };
	struct wf_request request = { .number = 1,
		.command = { .kind = WF_COMMAND_SUSPEND_CASE } };
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.batch_work = LITTLE_WORK;
	f.settings.step_work = LITTLE_WORK;
	f.settings.queue_bytes = 65536;
	wf_fixture_open(&f);
	load_loop(&f, "A", 10 * LITTLE_WORK);
	wf_fixture_launch(&f);
	wf_fixture_launch(&f);
	submit(f.engine, 1, WF_COMMAND_FINISH, "1:A", &mark);
	(void)wf_shard_turn(&f.engine->shards[0]);
	for (unsigned i = 0; i < 50; i++) {
		CU_ASSERT_EQUAL(wf_engine_submit(f.engine, &request,
				    wf_fixture_count_reply, replies, NULL),
		    WF_OK);
		(void)wf_shard_turn(&f.engine->shards[0]);
	}
	CU_ASSERT(replies[0] == 0 && replies[1] > 0 && replies[1] < 50);
	request.number = 2;
	CU_ASSERT_EQUAL(wf_engine_submit(f.engine, &request,
			    wf_fixture_count_reply, replies, NULL),
	    WF_OK);
	(void)wf_shard_turn(&f.engine->shards[0]);
	CU_ASSERT_EQUAL(replies[0], 1);
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(replies[0] + replies[1], 51);
	CU_ASSERT_EQUAL(atomic_load(&f.engine->shards[0].held_bytes), 0);
	CU_ASSERT_EQUAL(atomic_load(&f.engine->shards[0].held_count), 0);
	CU_ASSERT_TRUE(wf_fixture_agrees(&f, 1));
	wf_fixture_free(&f);
}

/* Suspends or resumes the case by another engine, while its step is made. */
static void interfere(struct wf_engine *other, bool *suspended)
{
	struct wf_request request = { .number = 1,
		.command = { .kind = *suspended ? WF_COMMAND_RESUME_CASE
						: WF_COMMAND_SUSPEND_CASE } };
	struct wf_answer answer;

	CU_ASSERT_EQUAL(wf_engine_call(other, &request, &answer, NULL), WF_OK);
	*suspended = !*suspended;
}

/* times: how often the case is changed after the step was made. */
static void change_meanwhile(unsigned times, enum wf_rc expected)
{
	struct order order = { .text = "" };
	struct mark mark = { &order, 'a' };
	struct wf_engine *other;
	struct wf_fixture f;
	bool suspended = false;
	unsigned made = 0;

	open_with_little(&f);
	load_loop(&f, "A", 10 * LITTLE_WORK);
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL_FATAL(wf_engine_open(&other, &f.settings, NULL), WF_OK);
	submit(f.engine, 1, WF_COMMAND_FINISH, "1:A", &mark);
	while (order.text[0] == '\0' && made < 100) {
		(void)wf_shard_turn(&f.engine->shards[0]);
		if (!wf_long_turn(f.engine))
			continue;
		if (made++ < times) {
			interfere(other, &suspended);
			interfere(other, &suspended);
		}
	}
	CU_ASSERT_STRING_EQUAL(order.text, "a");
	CU_ASSERT_EQUAL(order.rc, expected);
	CU_ASSERT_EQUAL(
	    wf_fixture_version(&f, 1), 1 + 2 * made - (expected == WF_OK));
	CU_ASSERT_TRUE(wf_fixture_agrees(&f, 1));
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	wf_engine_close(&other);
	wf_fixture_free(&f);
}

static void test_changed(void)
{
	change_meanwhile(2, WF_OK);
	change_meanwhile(100, WF_UNAVAILABLE);
}

/* --- batches -------------------------------------------------------------- */

static void let_time_pass(
    void *context, const struct wf_request *request, struct wf_command *command)
{
	struct wf_fixture *f = context;

	(void)request;
	(void)command;
	f->now += 1000;
}

/* What a batch has no time for is left to the next ones, in order. */
static void test_full_batch(void)
{
	struct order order = { .text = "" };
	struct mark marks[] = { { &order, 'a' }, { &order, 'b' },
		{ &order, 'c' }, { &order, 'd' }, { &order, 'e' } };
	struct wf_fixture f;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	for (unsigned i = 0; i < 5; i++)
		wf_fixture_launch(&f);
	f.engine->settings.probe = let_time_pass;
	for (unsigned i = 0; i < 5; i++)
		submit(
		    f.engine, i + 1, WF_COMMAND_SUSPEND_CASE, NULL, &marks[i]);
	CU_ASSERT_TRUE(wf_shard_turn(&f.engine->shards[0]));
	CU_ASSERT_STRING_EQUAL(order.text, "ab");
	CU_ASSERT_TRUE(wf_shard_turn(&f.engine->shards[0]));
	CU_ASSERT_STRING_EQUAL(order.text, "abcd");
	CU_ASSERT_TRUE(wf_shard_turn(&f.engine->shards[0]));
	CU_ASSERT_STRING_EQUAL(order.text, "abcde");
	wf_fixture_free(&f);
}

/* Steps of a batch share its work: those behind are made outside. */
static void test_shared_work(void)
{
	struct order order = { .text = "" };
	struct mark marks[] = { { &order, 'a' }, { &order, 'b' },
		{ &order, 'c' } };
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.batch_work = 100000;
	f.settings.step_work = 100;
	wf_fixture_open(&f);
	load_loop(&f, "A", 10000);
	for (unsigned i = 0; i < 3; i++)
		wf_fixture_launch(&f);
	f.engine->settings.batch_work = 100000;
	submit(f.engine, 1, WF_COMMAND_FINISH, "1:A", &marks[0]);
	CU_ASSERT_TRUE(wf_shard_turn(&f.engine->shards[0]));
	CU_ASSERT_STRING_EQUAL(order.text, "a");
	f.engine->settings.batch_work = 10; /* as if much was done before */
	submit(f.engine, 2, WF_COMMAND_FINISH, "2:A", &marks[1]);
	submit(f.engine, 3, WF_COMMAND_SUSPEND_CASE, NULL, &marks[2]);
	CU_ASSERT_TRUE(wf_shard_turn(&f.engine->shards[0]));
	CU_ASSERT_STRING_EQUAL(order.text, "ac");
	wf_fixture_turn(&f);
	CU_ASSERT_STRING_EQUAL(order.text, "acb");
	wf_fixture_free(&f);
}

static void watch(
    void *context, const struct wf_request *request, struct wf_command *command)
{
	struct wf_fixture *f = context;
	unsigned shard;

	(void)request;
	(void)command;
	while (wf_engine_busy_ms(f->engine, &shard) == 0)
		sched_yield();
	CU_ASSERT_EQUAL(shard, 0);
	CU_ASSERT_FALSE(wf_engine_is_idle(f->engine));
	f->key++;
}

/* The age of a turn is known while it runs, and only then. */
static void test_busy(void)
{
	struct wf_fixture f;
	unsigned shard;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	wf_fixture_launch(&f);
	f.engine->settings.probe = watch;
	f.key = 0;
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_SUSPEND_CASE, NULL, NULL, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(f.key, 1);
	CU_ASSERT_EQUAL(wf_engine_busy_ms(f.engine, &shard), 0);
	CU_ASSERT_TRUE(wf_engine_is_idle(f.engine));
	wf_fixture_free(&f);
}

/* --- inspecting, and the end ---------------------------------------------- */

static void see(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	(void)instance;
	(void)stored;
	*(bool *)context = true;
}

/* Others wait for the thread that inspects: it makes no long step. */
static void test_inspection(void)
{
	struct wf_request request = { .number = 1,
		.command = { .kind = WF_COMMAND_FINISH, .item = "1:A" } };
	struct wf_error err = { .rc = WF_OK };
	char item[WF_ITEM_ID_SIZE];
	struct wf_fixture f;
	bool seen = false;

	wf_fixture_init(&f);
	wf_fixture_open(&f);
	load_loop(&f, "A", WF_INSPECTION_WORK);
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(wf_engine_inspect_after(
			    f.engine, &request, NULL, item, see, &seen, &err),
	    WF_LIMIT);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "more work"));
	CU_ASSERT_FALSE(seen);
	wf_fixture_free(&f);
}

/* A step that would take minutes does not hold up the end of the engine. */
static void test_end(void)
{
	struct wf_limits limits = wf_limits_default;
	struct order order = { .text = "" };
	struct mark marks[] = { { &order, 'a' }, { &order, 'b' } };
	struct wf_fixture f;
	int64_t began;

	limits.query_steps = 4000000000;
	wf_fixture_init(&f);
	f.settings.limits = &limits;
	f.settings.threads = true;
	f.settings.now = NULL;
	wf_fixture_open(&f);
	load_loop(&f, "A", 1000000000);
	wf_fixture_launch(&f);
	wf_fixture_launch(&f);
	submit(f.engine, 1, WF_COMMAND_FINISH, "1:A", &marks[0]);
	submit(f.engine, 2, WF_COMMAND_FINISH, "2:A", &marks[1]);
	while (long_steps(f.engine) == 0)
		sched_yield();
	began = wf_monotonic_ms();
	wf_engine_close(&f.engine);
	printf("long steps: the engine ended after %lld ms\n",
	    (long long)(wf_monotonic_ms() - began));
	CU_ASSERT_EQUAL(strlen(order.text), 2);
	CU_ASSERT_EQUAL(order.rc, WF_UNAVAILABLE);
	CU_ASSERT_EQUAL(wf_fixture_version(&f, 1), 1);
	wf_fixture_free(&f);
}

/* The end of the engine interrupts long steps, not those of a batch. */
static void test_short_at_end(void)
{
	struct order order = { .text = "" };
	struct mark mark = { &order, 'a' };
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.batch_work = 50 * LITTLE_WORK;
	wf_fixture_open(&f);
	load_loop(&f, "S", 1000);
	wf_fixture_launch(&f);
	load_loop(&f, "A", 500 * LITTLE_WORK);
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 2, WF_COMMAND_FINISH, "2:A", NULL, NULL), WF_OK);
	submit(f.engine, 1, WF_COMMAND_FINISH, "1:S", &mark);
	atomic_store(&f.engine->closing, true);
	while (wf_shard_turn(&f.engine->shards[0]))
		continue;
	CU_ASSERT_STRING_EQUAL(order.text, "a");
	CU_ASSERT_EQUAL(order.rc, WF_OK);
	CU_ASSERT_EQUAL(long_steps(f.engine), 1);
	wf_fixture_free(&f);
}

CU_TestInfo wf_tests_long_steps[] = {
	{ "made outside the batch", test_made_outside },
	{ "much data", test_data },
	{ "launches", test_launch },
	{ "a due command stays claimed", test_claim },
	{ "too long for the case", test_too_long },
	{ "later requests follow", test_order },
	{ "accounts take turns", test_turns },
	{ "the room of an account", test_room_of_an_account },
	{ "followers are bounded", test_followers },
	{ "the case changes meanwhile", test_changed },
	{ "a batch is full", test_full_batch },
	{ "a batch shares its work", test_shared_work },
	{ "how long a turn runs", test_busy },
	{ "an inspection is short", test_inspection },
	{ "the engine ends", test_end },
	{ "a short step at the end", test_short_at_end },
	CU_TEST_INFO_NULL,
};
