/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of histories and its users, on a case with a sub-net: N runs P,
 * which runs the net S with the task Q, then the task R.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/case_log.h"
#include "history/case_reader.h"
#include "history/item_history.h"
#include "history/item_starter.h"
#include "history/steps.h"
#include "history/xes.h"
#include "tests/unit/engine_fixture.h"

#define TEXT_BYTES ((size_t)1 << 20)
#define STRING                                                                 \
	"<type>string</type>"                                                  \
	"<namespace>http://www.w3.org/2001/XMLSchema</namespace>"
#define CODES "<join code='xor'/><split code='and'/>"
#define MAPPING(from, to)                                                      \
	"<startingMappings><mapping><expression query='&lt;" to "&gt;{/" from  \
	"/text()}&lt;/" to "&gt;'/><mapsTo>" to                                \
	"</mapsTo></mapping></startingMappings>"
#define FLOW(next) "<flowsInto><nextElementRef id='" next "'/></flowsInto>"

static const char process[] =
    "<specificationSet version='4.0' "
    "xmlns='http://www.yawlfoundation.org/yawlschema' "
    "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
    "<specification uri='H'><metaData><version>0.1</version>"
    "<identifier>UID_H</identifier></metaData>"
    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>"
    "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
    "<inputParam><index>0</index><name>outer</name>" STRING "</inputParam>"
    "<processControlElements>"
    "<inputCondition id='i'>" FLOW(
	"P") "</inputCondition>"
	     "<task id='P'>" FLOW("R") CODES MAPPING(
		 "N/outer", "inner") "<decomposesTo id='S'/></task>"
				     "<task id='R'>" FLOW("o") CODES
    "<decomposesTo id='W'/></task>"
    "<outputCondition id='o'/></processControlElements></decomposition>"
    "<decomposition id='S' xsi:type='NetFactsType'>"
    "<inputParam><index>0</index><name>inner</name>" STRING "</inputParam>"
    "<processControlElements>"
    "<inputCondition id='i'>" FLOW(
	"Q") "</inputCondition>"
	     "<task id='Q'>" FLOW("o") CODES MAPPING("S/inner",
		 "given") "<decomposesTo id='V'/></task>"
			  "<outputCondition "
			  "id='o'/></processControlElements></decomposition>"
			  "<decomposition id='V' "
			  "xsi:type='WebServiceGatewayFactsType'>"
			  "<inputParam><index>0</index><name>given</"
			  "name>" STRING "</inputParam>"
			  "</decomposition>"
			  "<decomposition id='W' "
			  "xsi:type='WebServiceGatewayFactsType'/>"
			  "</specification></specificationSet>";

/* --- a case --------------------------------------------------------------- */

static enum wf_rc run(struct wf_fixture *f, uint64_t number,
    enum wf_command_kind kind, const char *item, const char *actor)
{
	struct wf_request request = { .kind = WF_REQUEST_COMMAND,
		.number = number,
		.actor = actor,
		.command = { .kind = kind, .item = item },
		.launch = { .specification = f->key } };
	struct wf_answer answer;

	if (kind == WF_COMMAND_LAUNCH) {
		request.command.data = "<N><outer>a&amp;b</outer></N>";
		request.command.length = strlen(request.command.data);
	}
	f->now += 1000;
	return wf_engine_call(f->engine, &request, &answer, &f->err);
}

/* Case 1 has four steps and one executing item, R's. */
static void open_case(struct wf_fixture *f)
{
	wf_fixture_init_on(f, "memory");
	wf_fixture_open(f);
	CU_ASSERT_EQUAL(wf_fixture_load(f, process, strlen(process)), WF_OK);
	CU_ASSERT_EQUAL(run(f, 0, WF_COMMAND_LAUNCH, "", "ann"), WF_OK);
	CU_ASSERT_EQUAL(run(f, 1, WF_COMMAND_START, "1.1:Q", "bob"), WF_OK);
	CU_ASSERT_EQUAL(
	    run(f, 1, WF_COMMAND_COMPLETE, "1.1.1:Q", "bob"), WF_OK);
	CU_ASSERT_EQUAL(run(f, 1, WF_COMMAND_START, "1:R", "eve"), WF_OK);
}

/* The operation on the specification while the engine shows it. */
struct work {
	struct wf_fixture *f;
	void (*run)(struct work *work);
	const struct wf_spec *spec;
};

static void show(void *context, const struct wf_spec *spec)
{
	struct work *work = context;

	work->spec = spec;
	work->run(work);
}

static void with_case(void (*function)(struct work *work))
{
	struct wf_fixture f;
	struct work work = { .f = &f, .run = function };

	open_case(&f);
	CU_ASSERT_EQUAL(wf_engine_inspect_spec(f.engine, WF_NAMESPACE_DEFAULT,
			    f.key, false, show, &work, NULL),
	    WF_OK);
	wf_fixture_free(&f);
}

/* --- the reader ----------------------------------------------------------- */

/* "2 1.1 S Q 1.1.1 TASK_FIRED given" for each event. */
static void write_event(void *context, const struct wf_case_event *event)
{
	struct wf_buffer *text = context;
	struct wf_named_value named;
	char item[WF_CASE_ID_SIZE];

	wf_case_event_item(event, item);
	wf_buffer_printf(text, "%d %s %s %s %s %s", (int)event->step->sequence,
	    event->case_id, event->net->decomposition->id,
	    event->task != NULL	       ? event->task->id
	    : event->condition != NULL ? event->condition->id
				       : "-",
	    item, wf_event_name(event->event->kind));
	for (uint32_t i = 0; i < event->event->value_count; i++)
		wf_buffer_printf(text, " %s",
		    wf_case_event_value(event, i, &named) ? named.name : "?");
	if (event->inner != NULL)
		wf_buffer_printf(text, " %s %s", event->inner_id,
		    event->inner->decomposition->id);
	wf_buffer_putc(text, '\n');
}

static struct wf_case_reading reading_of(
    struct work *work, struct wf_buffer *text)
{
	return (struct wf_case_reading){ .store = work->f->store,
		.spec = work->spec,
		.visit = write_event,
		.context = text };
}

static void read_to(struct work *work, uint64_t last, struct wf_buffer *text)
{
	struct wf_case_reading how = reading_of(work, text);
	struct wf_case_reader *reader = wf_case_reader_new(1, "1");
	bool more = true;

	while (more)
		CU_ASSERT_EQUAL_FATAL(
		    wf_case_reader_page(reader, &how, last, &more, NULL),
		    WF_OK);
	wf_case_reader_free(&reader);
}

static void names(struct work *work)
{
	struct wf_buffer text;

	wf_buffer_init(&text, TEXT_BYTES);
	read_to(work, 2, &text);
	CU_ASSERT_STRING_EQUAL(wf_buffer_text(&text),
	    "1 1 N - 1 CASE_LAUNCHED\n"
	    "1 1 N - 1 NET_STARTED outer 1 N\n"
	    "1 1 N P 1.1 TASK_FIRED\n"
	    "1 1 N P 1.1 NET_STARTED inner 1.1 S\n"
	    "1 1.1 S Q 1.1 TASK_ENABLED\n"
	    "2 1.1 S Q 1.1.1 TASK_FIRED given\n");
	wf_buffer_free(&text);
}

static void test_names(void)
{
	with_case(names);
}

static void load_steps(struct work *work, struct wf_history_list *list)
{
	CU_ASSERT_EQUAL_FATAL(wf_store_case_history(work->f->store, 1, 0, 100,
				  work->f->arena, list, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL_FATAL(list->count, 4);
}

/* From the last step to the first: each is read as in the whole history. */
static void any_order(struct work *work)
{
	struct wf_case_reader *reader = wf_case_reader_new(1, "1");
	struct wf_history_list list;
	struct wf_buffer before;
	struct wf_buffer step;
	struct wf_buffer both;

	load_steps(work, &list);
	wf_buffer_init(&before, TEXT_BYTES);
	wf_buffer_init(&step, TEXT_BYTES);
	wf_buffer_init(&both, TEXT_BYTES);
	for (size_t i = list.count; i > 0; i--) {
		struct wf_case_reading how = reading_of(work, &step);

		wf_buffer_reset(&before);
		wf_buffer_reset(&step);
		wf_buffer_reset(&both);
		if (i > 1)
			read_to(work, i - 1, &before);
		read_to(work, i, &both);
		CU_ASSERT_EQUAL(
		    wf_case_reader_step(reader, &how, &list.rows[i - 1], NULL),
		    WF_OK);
		CU_ASSERT_STRING_EQUAL(wf_buffer_text(&both) + before.length,
		    wf_buffer_text(&step));
	}
	wf_buffer_free(&both);
	wf_buffer_free(&step);
	wf_buffer_free(&before);
	wf_case_reader_free(&reader);
}

static void test_any_order(void)
{
	with_case(any_order);
}

/* A damaged step, and a step whose predecessors are missing. */
static void damage(struct work *work)
{
	struct wf_case_reader *reader = wf_case_reader_new(1, "1");
	struct wf_history_list list;
	struct wf_history_row row;
	struct wf_buffer text;
	struct wf_case_reading how = reading_of(work, &text);
	char *bytes;

	load_steps(work, &list);
	wf_buffer_init(&text, TEXT_BYTES);
	row = list.rows[0];
	bytes = wf_arena_alloc(work->f->arena, row.events.size);
	memcpy(bytes, row.events.data, row.events.size);
	bytes[row.events.size / 2] ^= 1;
	row.events.data = (void *)bytes;
	CU_ASSERT_EQUAL(
	    wf_case_reader_step(reader, &how, &row, NULL), WF_CORRUPT);
	CU_ASSERT_EQUAL(text.length, 0);
	row.sequence = 0;
	CU_ASSERT_EQUAL(
	    wf_case_reader_step(reader, &how, &row, NULL), WF_CORRUPT);
	row.sequence = 9;
	CU_ASSERT_EQUAL(wf_case_reader_step(reader, &how, &row, NULL), WF_GONE);
	/* It has started again. */
	CU_ASSERT_EQUAL(
	    wf_case_reader_step(reader, &how, &list.rows[0], NULL), WF_OK);
	CU_ASSERT_EQUAL(strncmp(wf_buffer_text(&text), "1 1 N -", 7), 0);
	wf_buffer_free(&text);
	wf_case_reader_free(&reader);
}

static void test_damage(void)
{
	with_case(damage);
}

/* --- its users ------------------------------------------------------------ */

/* "3 CaseStart 1 ann" and " name=value" for each value. */
static void write_log_event(
    void *context, const struct wf_case_log_event *event)
{
	struct wf_buffer *text = context;

	wf_buffer_printf(text, "%d %s %s %s", (int)event->number,
	    event->descriptor, event->instance->case_id,
	    event->actor == NULL ? "-" : event->actor);
	for (size_t i = 0; i < event->data_count; i++)
		wf_buffer_printf(
		    text, " %s=%s", event->data[i].name, event->data[i].value);
	wf_buffer_putc(text, '\n');
}

static void read_log(struct work *work, wf_case_log_f visit, void *context)
{
	struct wf_case_log *log = wf_case_log_new(NULL, 1, "1",
	    "<logdataitemlist><logdataitem><name>n</name>"
	    "<value>v</value></logdataitem></logdataitemlist>");
	bool more = true;

	while (more)
		CU_ASSERT_EQUAL_FATAL(
		    wf_case_log_read(log, work->f->store, work->spec, visit,
			context, &more, NULL),
		    WF_OK);
	wf_case_log_free(&log);
}

static void log_of_case(struct work *work)
{
	struct wf_buffer text;

	wf_buffer_init(&text, TEXT_BYTES);
	read_log(work, write_log_event, &text);
	CU_ASSERT_STRING_EQUAL(wf_buffer_text(&text),
	    "2 CaseStart 1 ann n=v\n"
	    "5 NetUnfold 1.1 -\n"
	    "7 NetStart 1.1 -\n"
	    "9 Enabled 1.1 -\n"
	    "10 Decompose 1.1 -\n"
	    "12 Fired 1.1.1 bob\n"
	    "13 Executing 1.1.1 bob\n"
	    "14 DataValueChange 1.1.1 - given=a&b\n"
	    "16 Complete 1.1.1 bob\n"
	    "17 Complete 1.1 -\n"
	    "18 NetComplete 1.1 -\n"
	    "20 Enabled 1 -\n"
	    "21 Decompose 1 -\n"
	    "23 Fired 1.2 eve\n"
	    "24 Executing 1.2 eve\n");
	wf_buffer_free(&text);
}

static void test_log(void)
{
	with_case(log_of_case);
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	while ((text = strstr(text, part)) != NULL) {
		count++;
		text += strlen(part);
	}
	return count;
}

static void log_as_xes(struct work *work)
{
	struct wf_buffer text;
	struct wf_xes xes = { .out = &text, .data = true };

	wf_buffer_init(&text, TEXT_BYTES);
	wf_xes_begin(&xes, "H--1", "0.1");
	wf_xes_begin_trace(&xes, "1");
	read_log(work, wf_xes_event, &xes);
	wf_xes_end_trace(&xes);
	wf_xes_end(&xes);
	/* Neither the root net nor states without a transition have events. */
	CU_ASSERT_EQUAL(count_of(wf_buffer_text(&text), "<event>"), 8);
	CU_ASSERT_EQUAL(count_of(wf_buffer_text(&text), "</event>"), 8);
	CU_ASSERT_EQUAL(count_of(wf_buffer_text(&text), "\"Q\""), 4);
	CU_ASSERT_PTR_NOT_NULL(strstr(wf_buffer_text(&text),
	    "<string key=\"given\" value=\"a&amp;b\"/>"));
	CU_ASSERT_PTR_NOT_NULL(
	    strstr(wf_buffer_text(&text), "H__1, version 0.1 -->"));
	wf_buffer_free(&text);
}

static void test_xes(void)
{
	with_case(log_as_xes);
}

static void items(struct work *work)
{
	static const struct {
		const char *case_id;
		const char *task;
		bool is_parent;
		enum wf_item_status status;
		const char *resource;
		int64_t started, ended; /* seconds after the launch */
	} rows[] = {
		{ "1.1", "Q", true, WF_ITEM_ENABLED, "", -1, -1 },
		{ "1.1.1", "Q", false, WF_ITEM_COMPLETE, "bob", 1, 2 },
		{ "1", "R", true, WF_ITEM_ENABLED, "", -1, -1 },
		{ "1.2", "R", false, WF_ITEM_EXECUTING, "eve", 3, -1 },
	};
	const int64_t launched = WF_FIXTURE_START + 1000;
	struct wf_item_history history;

	CU_ASSERT_EQUAL(wf_item_history_read(NULL, work->f->store, work->spec,
			    1, "1", UINT64_MAX, work->f->arena, &history, NULL),
	    WF_OK);
	CU_ASSERT_STRING_EQUAL(
	    history.launched_with, "<N><outer>a&amp;b</outer></N>");
	CU_ASSERT_EQUAL_FATAL(history.count, sizeof(rows) / sizeof(rows[0]));
	for (size_t i = 0; i < history.count; i++) {
		const struct wf_history_item *item = &history.items[i];

		CU_ASSERT_STRING_EQUAL(item->case_id, rows[i].case_id);
		CU_ASSERT_STRING_EQUAL(item->task->id, rows[i].task);
		CU_ASSERT_EQUAL(item->is_parent, rows[i].is_parent);
		CU_ASSERT_EQUAL(item->status, rows[i].status);
		CU_ASSERT_STRING_EQUAL(item->resource, rows[i].resource);
		CU_ASSERT_EQUAL(item->started_at,
		    rows[i].started < 0 ? 0
					: launched + rows[i].started * 1000);
		CU_ASSERT_EQUAL(item->ended_at,
		    rows[i].ended < 0 ? 0 : launched + rows[i].ended * 1000);
	}
	/* The first step alone. */
	CU_ASSERT_EQUAL(wf_item_history_read(NULL, work->f->store, work->spec,
			    1, "1", 1, work->f->arena, &history, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(history.count, 1);
	CU_ASSERT_FALSE(history.items[0].is_parent);
}

static void test_items(void)
{
	with_case(items);
}

static void starter(struct work *work)
{
	struct wf_item_starters *starters = wf_item_starters_new();
	const struct wf_net *root = work->spec->root;
	struct wf_started_item item = { .number = 1,
		.version = 4,
		.case_id = "1.2",
		.started_at = WF_FIXTURE_START + 4000 };
	const char *name = NULL;

	for (uint32_t i = 0; i < root->task_count; i++)
		if (strcmp(root->tasks[i].id, "R") == 0)
			item.task = &root->tasks[i];
	/* Found, cached, and without the cache. */
	for (size_t i = 0; i < 3; i++) {
		name = wf_item_starter(i < 2 ? starters : NULL, work->f->engine,
		    &item, work->f->arena);
		CU_ASSERT_PTR_NOT_NULL_FATAL(name);
		CU_ASSERT_STRING_EQUAL(name, "eve");
	}
	item.started_at++;
	CU_ASSERT_PTR_NULL(
	    wf_item_starter(starters, work->f->engine, &item, work->f->arena));
	wf_item_starters_free(&starters);
}

static void test_starter(void)
{
	with_case(starter);
}

/* --- steps as JSON -------------------------------------------------------- */

static char *describe(struct wf_fixture *f, struct wf_steps *steps,
    const struct wf_history_row *row)
{
	json_t *step = wf_steps_describe(steps, f->store, row, 0, &f->err);
	char *text;

	CU_ASSERT_PTR_NOT_NULL_FATAL(step);
	text = json_dumps(step, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(step);
	return text;
}

/*
 * Steps of two cases alternate: with a cache for one case, which is read again
 * each time, the description is the same as with a cache for both.
 */
static void test_steps(void)
{
	struct wf_history_list lists[2];
	struct wf_steps *small;
	struct wf_steps *large;
	struct wf_fixture f;

	open_case(&f);
	small = wf_steps_new(f.engine, 1);
	large = wf_steps_new(f.engine, 2);
	CU_ASSERT_EQUAL(run(&f, 0, WF_COMMAND_LAUNCH, "", "ann"), WF_OK);
	CU_ASSERT_EQUAL(run(&f, 2, WF_COMMAND_START, "2.1:Q", "bob"), WF_OK);
	for (uint64_t i = 0; i < 2; i++)
		CU_ASSERT_EQUAL_FATAL(wf_store_case_history(f.store, i + 1, 0,
					  100, f.arena, &lists[i], NULL),
		    WF_OK);
	for (size_t i = 0; i < 2 * lists[1].count; i++) {
		const struct wf_history_row *row = &lists[i % 2].rows[i / 2];
		char *a = describe(&f, small, row);
		char *b = describe(&f, large, row);

		CU_ASSERT_STRING_EQUAL(a, b);
		CU_ASSERT_PTR_NULL(strstr(a, "\"error\""));
		if (i == 1)
			CU_ASSERT_PTR_NOT_NULL(
			    strstr(a, "\"values\":{\"inner\":\"a&b\"}"));
		if (i == 3)
			CU_ASSERT_PTR_NOT_NULL(
			    strstr(a, "\"item\":\"2.1.1:Q\""));
		free(a);
		free(b);
	}
	wf_steps_free(&small);
	wf_steps_free(&large);
	wf_fixture_free(&f);
}

static void test_cursors(void)
{
	static const char *const wrong[] = { "", "1", "1-2-3", "1-2-3-4-5",
		"1-2-3-", "a-2-3-4", "-1-2-3-4", "00000000000000000001-2-3-4",
		"1-2-3-4 " };
	const struct wf_cursor a = { 1, 2, 3, 4 };
	const struct wf_cursor b = { 1, 2, 4, 0 };
	struct wf_cursor read;
	char text[WF_CURSOR_TEXT];

	wf_cursor_text(&a, text);
	CU_ASSERT_STRING_EQUAL(text, "1-2-3-4");
	CU_ASSERT_TRUE(wf_cursor_parse(text, &read));
	CU_ASSERT_EQUAL(memcmp(&a, &read, sizeof(a)), 0);
	CU_ASSERT_TRUE(wf_cursor_parse("0", &read));
	CU_ASSERT_TRUE(wf_cursor_is_before(&read, &a));
	CU_ASSERT_TRUE(wf_cursor_is_before(&a, &b));
	CU_ASSERT_FALSE(wf_cursor_is_before(&b, &a));
	CU_ASSERT_FALSE(wf_cursor_is_before(&a, &a));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CU_ASSERT_FALSE(wf_cursor_parse(wrong[i], &read));
}

CU_TestInfo wf_tests_history[] = {
	{ "events have the names of their nets, tasks and values", test_names },
	{ "steps in any order", test_any_order },
	{ "damaged and missing steps", test_damage },
	{ "the event log", test_log },
	{ "the event log as XES", test_xes },
	{ "the items of a case", test_items },
	{ "the starter of an item", test_starter },
	{ "steps of two cases in turn", test_steps },
	{ "cursors as text", test_cursors },
	CU_TEST_INFO_NULL,
};
