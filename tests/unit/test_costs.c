/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predicates that ask for costs: what the kernel asks, what it keeps, and that
 * a replay asks nobody.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/memory.h"
#include "kernel/assignment/assignment.h"
#include "kernel/record.h"

#define MINUTE INT64_C(60000)

/* B is chosen by the predicate. */
#define PROCESS                                                                \
	"<specificationSet version='4.0' "                                     \
	"xmlns='http://www.yawlfoundation.org/yawlschema' "                    \
	"xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"               \
	"<specification uri='P'><metaData><version>0.1</version>"              \
	"<identifier>UID_P</identifier></metaData>"                            \
	"<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"      \
	"<processControlElements>"                                             \
	"<inputCondition id='i'><flowsInto><nextElementRef id='A'/>"           \
	"</flowsInto></inputCondition>"                                        \
	"<task id='A'><name>First</name>"                                      \
	"<flowsInto><nextElementRef id='B'/>"                                  \
	"<predicate ordering='1'>%s</predicate></flowsInto>"                   \
	"<flowsInto><nextElementRef id='o'/><isDefaultFlow/></flowsInto>"      \
	"<join code='xor'/><split code='xor'/><decomposesTo id='W'/></task>"   \
	"<task id='B'><flowsInto><nextElementRef id='A'/></flowsInto>"         \
	"<join code='xor'/><split code='and'/><decomposesTo id='W'/></task>"   \
	"<outputCondition id='o'/></processControlElements></decomposition>"   \
	"<decomposition id='W' xsi:type='WebServiceGatewayFactsType'/>"        \
	"</specification></specificationSet>"

struct prices {
	unsigned calls;
	int64_t amount;	 /* what is answered */
	char asked[200]; /* the last question */
};

static int64_t price(void *context, const struct wf_price_question *question)
{
	struct prices *prices = context;
	size_t length = 0;

	prices->calls++;
	prices->asked[0] = '\0';
	for (size_t i = 0; i < question->work_count; i++) {
		const struct wf_done_work *work = &question->work[i];

		length += (size_t)snprintf(prices->asked + length,
		    sizeof(prices->asked) - length, "%s:%s:%llu:%lld ",
		    work->task, work->participant,
		    (unsigned long long)work->items, (long long)work->busy_ms);
	}
	return prices->amount;
}

static void decide(void *context, const struct wf_people_question *question,
    struct wf_arena *arena, struct wf_people_answer *answer_out)
{
	(void)context;
	(void)question;
	(void)arena;
	*answer_out =
	    (struct wf_people_answer){ .status = WF_RESOURCE_ALLOCATED,
		    .participant = "ann" };
}

static enum wf_rc check(void *context, enum wf_command_kind command,
    const struct wf_people_question *question, struct wf_error *err)
{
	(void)context;
	(void)command;
	(void)question;
	(void)err;
	return WF_OK;
}

static bool next(void *context, const struct wf_people_question *question,
    uint32_t *step_out, int64_t *at_out)
{
	(void)context;
	(void)question;
	(void)step_out;
	(void)at_out;
	return false;
}

struct fixture {
	struct prices prices;
	struct wf_people_calls people;
	bool has_people;
	struct wf_spec_file *file;
	struct wf_case *instance;
	struct wf_step step;
	struct wf_record record;
	int64_t now;
	struct wf_error err;
};

static void open_case(struct fixture *f, const char *predicate, bool has_people)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("process");
	struct wf_command command = { .kind = WF_COMMAND_LAUNCH };
	char text[3000];
	int length = snprintf(text, sizeof(text), PROCESS, predicate);

	*f = (struct fixture){ .has_people = has_people };
	f->people = (struct wf_people_calls){ .context = &f->prices,
		.decide = decide,
		.check = check,
		.next = next,
		.price = price };
	command.people = has_people ? &f->people : NULL;
	CU_ASSERT_EQUAL_FATAL(
	    wf_spec_read(&f->file, text, (size_t)length, diagnostics), WF_OK);
	wf_diagnostics_free(&diagnostics);
	wf_step_init(&f->step);
	wf_record_init(&f->record, f->file->specs[0], NULL);
	CU_ASSERT_EQUAL_FATAL(wf_case_launch(&f->instance, f->file->specs[0],
				  "7", NULL, &command, &f->step, &f->err),
	    WF_OK);
	wf_record_add(&f->record, &f->step, 0);
}

static void close_case(struct fixture *f)
{
	wf_case_free(&f->instance);
	wf_record_free(&f->record);
	wf_step_free(&f->step);
	wf_spec_file_free(&f->file);
}

/* Also: nobody is asked again by a replay, which gives the same bytes. */
static enum wf_rc give(struct fixture *f, enum wf_command_kind kind,
    const char *item, int64_t minutes)
{
	struct wf_command command = { .kind = kind,
		.item = item,
		.people = f->has_people ? &f->people : NULL,
		.participant = f->has_people ? "ann" : NULL };
	struct wf_case *decoded = NULL;
	unsigned calls;
	enum wf_rc rc;

	f->now += minutes * MINUTE;
	command.now = f->now;
	rc = wf_case_step(f->instance, &command, &f->step, &f->err);
	if (rc != WF_OK)
		return rc;
	wf_record_add(&f->record, &f->step, f->now);
	calls = f->prices.calls;
	f->prices.amount = -f->prices.amount;
	CU_ASSERT_EQUAL(
	    wf_record_prove(&f->record, f->instance, &decoded, &f->err), WF_OK);
	f->prices.amount = -f->prices.amount;
	CU_ASSERT_EQUAL(f->prices.calls, calls);
	wf_case_free(&decoded);
	return rc;
}

/* The text of the event COST_PRICED of the last step. */
static bool is_priced(const struct fixture *f, const char *text)
{
	struct wf_event_reader reader;
	const struct wf_event *event;
	bool found = false;

	wf_event_reader_init(
	    &reader, f->step.events.data, f->step.events.length, NULL);
	while ((event = wf_event_next(&reader, NULL)) != NULL)
		found =
		    found || (event->kind == WF_EVENT_COST_PRICED &&
				 event->text_length == strlen(text) &&
				 memcmp(event->text, text, strlen(text)) == 0);
	wf_event_reader_free(&reader);
	return found;
}

static void test_replay(void)
{
	struct fixture f;

	open_case(&f, "cost(task(First)) &lt; 2.5", true);
	CU_ASSERT_EQUAL(give(&f, WF_COMMAND_START, "7:A", 5), WF_OK);
	CU_ASSERT_EQUAL(f.prices.calls, 0);
	f.prices.amount = 2499999;
	CU_ASSERT_EQUAL(give(&f, WF_COMMAND_COMPLETE, "7.1:A", 2), WF_OK);
	CU_ASSERT_EQUAL(f.prices.calls, 1);
	CU_ASSERT_STRING_EQUAL(f.prices.asked, "A:ann:1:120000 ");
	CU_ASSERT_TRUE(is_priced(&f, "cost(task(First)) = 2.499999"));
	CU_ASSERT_EQUAL(give(&f, WF_COMMAND_FINISH, "7:B", 1), WF_OK);
	CU_ASSERT_EQUAL(give(&f, WF_COMMAND_START, "7:A", 0), WF_OK);
	f.prices.amount = 2500000;
	CU_ASSERT_EQUAL(give(&f, WF_COMMAND_COMPLETE, "7.3:A", 1), WF_OK);
	CU_ASSERT_EQUAL(f.prices.calls, 2);
	CU_ASSERT_STRING_EQUAL(f.prices.asked, "A:ann:1:120000 A:ann:1:60000 ");
	CU_ASSERT_TRUE(is_priced(&f, "cost(task(First)) = 2.5"));
	CU_ASSERT_EQUAL(wf_case_status(f.instance), WF_CASE_COMPLETED);
	close_case(&f);
}

static void test_without_people(void)
{
	struct fixture f;

	open_case(&f, "cost() = 0 and cost(task(B)) = 0", false);
	CU_ASSERT_EQUAL(give(&f, WF_COMMAND_FINISH, "7:A", 1), WF_OK);
	CU_ASSERT_TRUE(is_priced(&f, "cost() = 0 (there are no people)"));
	CU_ASSERT_EQUAL(give(&f, WF_COMMAND_FINISH, "7:B", 1), WF_OK);
	close_case(&f);
}

/* No event, and no byte of the case, is about costs. */
static void test_nothing_asked(void)
{
	struct wf_buffer bytes[2];
	uint32_t events[2];

	for (size_t i = 0; i < 2; i++) {
		struct fixture f;

		open_case(&f, i == 0 ? "true()" : "cost(task(B)) = 0", true);
		CU_ASSERT_EQUAL(give(&f, WF_COMMAND_FINISH, "7:A", 1), WF_OK);
		events[i] = f.step.event_count;
		wf_buffer_init(&bytes[i], 1 << 20);
		CU_ASSERT_EQUAL(
		    wf_case_encode(f.instance, &bytes[i], &f.err), WF_OK);
		close_case(&f);
	}
	CU_ASSERT_EQUAL(events[1], events[0] + 2);
	CU_ASSERT_TRUE(bytes[1].length > bytes[0].length);
	wf_buffer_free(&bytes[0]);
	wf_buffer_free(&bytes[1]);
}

/* 'n': the case is not read; 'y': it is, and written again; '!': otherwise. */
static char read_again(const struct fixture *f, struct wf_buffer *bytes)
{
	uint32_t crc = wf_crc32c(0, bytes->data, bytes->length - 4);
	struct wf_case *decoded;
	struct wf_buffer again;
	bool same;

	for (size_t i = 0; i < 4; i++)
		bytes->data[bytes->length - 4 + i] =
		    (char)(crc >> (8 * i) & 0xff);
	if (wf_case_decode(&decoded, f->file->specs[0], NULL, bytes->data,
		bytes->length, NULL, NULL) != WF_OK)
		return 'n';
	wf_buffer_init(&again, 1 << 20);
	same = wf_case_encode(decoded, &again, NULL) == WF_OK &&
	       again.length == bytes->length &&
	       memcmp(again.data, bytes->data, again.length) == 0;
	wf_buffer_free(&again);
	wf_case_free(&decoded);
	return same ? 'y' : '!';
}

/*
 * A case with work of which each byte but the checksum is changed in turn: of
 * its work, a name and a number of items may be others, but nothing else.
 */
static void test_damaged(void)
{
	/* One row: net, task, participant, items, and a time of 0. */
	static const char work[] = "\x80\x80\x80\x80\x10\1\0\0\3"
				   "ann\1";
	static const char expected[] = "nnnnnnnnnyyyyn";
	struct wf_buffer bytes;
	const char *at;
	struct fixture f;

	open_case(&f, "cost() = 0", true);
	CU_ASSERT_EQUAL(give(&f, WF_COMMAND_FINISH, "7:A", 1), WF_OK);
	wf_buffer_init(&bytes, 1 << 20);
	CU_ASSERT_EQUAL(wf_case_encode(f.instance, &bytes, &f.err), WF_OK);
	at = memmem(bytes.data, bytes.length, work, sizeof(work));
	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	for (size_t i = 0; i + 4 < bytes.length; i++) {
		size_t k = i - (size_t)(at - bytes.data);
		char verdict;

		bytes.data[i] ^= 0x55;
		verdict = read_again(&f, &bytes);
		bytes.data[i] ^= 0x55;
		if (k < sizeof(work))
			CU_ASSERT_EQUAL(verdict, expected[k]);
	}
	CU_ASSERT_EQUAL(read_again(&f, &bytes), 'y');
	wf_buffer_free(&bytes);
	close_case(&f);
}

CU_TestInfo wf_tests_costs[] = {
	{ "a replay asks nobody", test_replay },
	{ "without people", test_without_people },
	{ "where nothing is asked", test_nothing_asked },
	{ "damaged work", test_damaged },
	CU_TEST_INFO_NULL,
};
