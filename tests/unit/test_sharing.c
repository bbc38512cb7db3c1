/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One compiled specification in many threads, each with cases of its own:
 * types, queries, regular expressions and OR-joins are compiled once, some of
 * them on first use, and shared by all. The results must be the same in each
 * thread; the thread sanitizer looks for races.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "kernel/step.h"

#define ROUNDS 8U
#define THREADS 4U
#define CASES 4U
#define STEPS 20U
#define TEXT_MAXIMUM ((size_t)1 << 20)

/* Adds lines until there are four, then passes an OR-join. */
static const char orders[] =
    "<specificationSet version='4.0' "
    "xmlns='http://www.yawlfoundation.org/yawlschema' "
    "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
    "<specification uri='Orders'><metaData><version>0.1</version>"
    "<identifier>UID_Orders</identifier></metaData>"
    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'>"
    "<xs:simpleType name='Code'><xs:restriction base='xs:string'>"
    "<xs:pattern value='[A-Z]{2}\\d+'/></xs:restriction>"
    "</xs:simpleType>"
    "<xs:complexType name='Lines'><xs:sequence><xs:element name='code' "
    "type='Code' maxOccurs='unbounded'/></xs:sequence>"
    "</xs:complexType></xs:schema>"
    "<decomposition id='Order' isRootNet='true' "
    "xsi:type='NetFactsType'>"
    "<localVariable><index>0</index><name>lines</name>"
    "<type>Lines</type>"
    "<initialValue>&lt;code&gt;AB1&lt;/code&gt;</initialValue>"
    "</localVariable>"
    "<localVariable><index>1</index><name>text</name>"
    "<type>string</type>"
    "<namespace>http://www.w3.org/2001/XMLSchema</namespace>"
    "</localVariable>"
    "<processControlElements>"
    "<inputCondition id='i'><flowsInto><nextElementRef id='Add'/>"
    "</flowsInto></inputCondition>"
    "<task id='Add'>"
    "<flowsInto><nextElementRef id='Add'/><predicate>count(//code) "
    "&lt; 4</predicate></flowsInto>"
    "<flowsInto><nextElementRef id='Big'/>"
    "<predicate>matches(/Order/text, '^CD\\d,(.*,)?AB')</predicate>"
    "</flowsInto>"
    "<flowsInto><nextElementRef id='Small'/><isDefaultFlow/>"
    "</flowsInto>"
    "<join code='xor'/><split code='or'/>"
    "<startingMappings><mapping><expression "
    "query=\"&lt;lines&gt;{/Order/lines/*}&lt;/lines&gt;\"/>"
    "<mapsTo>lines</mapsTo></mapping></startingMappings>"
    "<completedMappings><mapping><expression "
    "query=\"&lt;lines&gt;{/Add/lines/*}&lt;code&gt;CD{count(/Add/lines/"
    "*)}&lt;/code&gt;&lt;/lines&gt;\"/><mapsTo>lines</mapsTo></mapping>"
    "<mapping><expression query=\"&lt;text&gt;{string-join(for $c in "
    "//code order by $c descending return replace($c, '(\\d)', '$1'), "
    "',')}&lt;/text&gt;\"/><mapsTo>text</mapsTo></mapping>"
    "</completedMappings>"
    "<decomposesTo id='Add'/></task>"
    "<task id='Big'><flowsInto><nextElementRef id='Last'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='W'/></task>"
    "<task id='Small'><flowsInto><nextElementRef id='Last'/>"
    "</flowsInto><join code='xor'/><split code='and'/><decomposesTo "
    "id='W'/></task>"
    "<task id='Last'><flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='or'/><split code='and'/><decomposesTo id='W'/></task>"
    "<outputCondition id='o'/></processControlElements></decomposition>"
    "<decomposition id='Add' xsi:type='WebServiceGatewayFactsType'>"
    "<inputParam><index>0</index><name>lines</name><type>Lines</type>"
    "</inputParam><outputParam><index>0</index><name>lines</name>"
    "<type>Lines</type></outputParam></decomposition>"
    "<decomposition id='W' xsi:type='WebServiceGatewayFactsType'/>"
    "</specification></specificationSet>";

struct worker {
	const struct wf_spec *spec;
	struct wf_buffer data; /* of its completed cases */
};

/* Finishes the first item of a case. */
static enum wf_rc finish_first(struct wf_case *instance, struct wf_step *step)
{
	char id[WF_ITEM_ID_SIZE] = "";
	struct wf_command command = { .kind = WF_COMMAND_FINISH, .item = id };
	struct wf_item *items;

	if (wf_case_items(instance, &items) > 0)
		wf_item_id(&items[0], id);
	wf_free(items);
	return wf_case_step(instance, &command, step, NULL);
}

static void run_case(struct worker *worker, struct wf_step *step)
{
	struct wf_command launch = { .kind = WF_COMMAND_LAUNCH };
	struct wf_case *instance;
	enum wf_rc rc = wf_case_launch(
	    &instance, worker->spec, "1", NULL, &launch, step, NULL);

	for (unsigned i = 0; i < STEPS && rc == WF_OK &&
			     wf_case_status(instance) == WF_CASE_RUNNING;
	     i++)
		rc = finish_first(instance, step);
	if (rc == WF_OK && wf_case_status(instance) == WF_CASE_COMPLETED)
		wf_case_data(instance, &worker->data);
	wf_case_free(&instance);
}

static void *run_cases(void *argument)
{
	struct worker *worker = argument;
	struct wf_step step;

	wf_step_init(&step);
	for (unsigned i = 0; i < CASES; i++)
		run_case(worker, &step);
	wf_step_free(&step);
	return NULL;
}

/* A specification from which nothing was computed yet. */
static struct wf_spec_file *read_orders(void)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("orders");
	struct wf_spec_file *file;
	enum wf_rc rc =
	    wf_spec_read(&file, orders, strlen(orders), diagnostics);

	wf_diagnostics_print(diagnostics, stdout);
	wf_diagnostics_free(&diagnostics);
	CU_ASSERT_EQUAL_FATAL(rc, WF_OK);
	return file;
}

static void run_round(void)
{
	struct wf_spec_file *file = read_orders();
	struct worker workers[THREADS];
	pthread_t threads[THREADS];

	for (size_t i = 0; i < THREADS; i++) {
		workers[i].spec = file->specs[0];
		wf_buffer_init(&workers[i].data, TEXT_MAXIMUM);
		CU_ASSERT_EQUAL_FATAL(
		    pthread_create(&threads[i], NULL, run_cases, &workers[i]),
		    0);
	}
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		CU_ASSERT(workers[i].data.length > 0);
		CU_ASSERT_STRING_EQUAL(wf_buffer_text(&workers[i].data),
		    wf_buffer_text(&workers[0].data));
	}
	for (size_t i = 0; i < THREADS; i++)
		wf_buffer_free(&workers[i].data);
	wf_spec_file_free(&file);
}

static void test_threads(void)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		run_round();
}

CU_TestInfo wf_tests_sharing[] = {
	{ "one specification in many threads", test_threads },
	CU_TEST_INFO_NULL,
};
