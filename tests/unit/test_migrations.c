/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Migrations in a running engine: rows of items, timers and history follow, a
 * case goes on after it was read again, and the check of the store finds it
 * whole.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "history/statistics/statistics.h"
#include "history/statistics/summary.h"
#include "kernel/change/migrate.h"
#include "kernel/change/repair.h"
#include "tests/unit/engine_fixture.h"

#define HOUR INT64_C(3600000)

#define PROCESS(version, first, second, more)                                  \
	"<specificationSet version='4.0' "                                     \
	"xmlns='http://www.yawlfoundation.org/yawlschema' "                    \
	"xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"               \
	"<specification uri='moved'><metaData><title>moved</title>"            \
	"<version>" version "</version><identifier>UID_moved</identifier>"     \
	"</metaData><xs:schema "                                               \
	"xmlns:xs='http://www.w3.org/2001/XMLSchema'/>"                        \
	"<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"      \
	"<localVariable><index>0</index><name>n</name><type>integer</type>"    \
	"<namespace>http://www.w3.org/2001/XMLSchema</namespace>"              \
	"<initialValue>1</initialValue></localVariable>"                       \
	"<processControlElements>"                                             \
	"<inputCondition id='i'><flowsInto><nextElementRef id='" first "'/>"   \
	"</flowsInto></inputCondition>"                                        \
	"<task id='A'><flowsInto><nextElementRef id='S'/></flowsInto>"         \
	"<join code='xor'/><split code='and'/><decomposesTo id='W'/></task>"   \
	"<task id='S'><flowsInto><nextElementRef id='" second                  \
	"'/></flowsInto><join code='xor'/><split code='and'/>"                 \
	"<decomposesTo id='Sub'/></task>" more "<task id='" second             \
	"'><flowsInto><nextElementRef id='o'/>"                                \
	"</flowsInto><join code='xor'/><split code='and'/>"                    \
	"<timer><trigger>OnEnabled</trigger><duration>PT1H</duration></timer>" \
	"<decomposesTo id='W'/></task>"                                        \
	"<outputCondition id='o'/></processControlElements></decomposition>"   \
	"<decomposition id='Sub' xsi:type='NetFactsType'>"                     \
	"<processControlElements>"                                             \
	"<inputCondition id='i'><flowsInto><nextElementRef id='X'/>"           \
	"</flowsInto></inputCondition>"                                        \
	"<task id='X'><flowsInto><nextElementRef id='o'/></flowsInto>"         \
	"<join code='xor'/><split code='and'/><decomposesTo id='W'/></task>"   \
	"<outputCondition id='o'/></processControlElements></decomposition>"   \
	"<decomposition id='W' xsi:type='WebServiceGatewayFactsType'>"         \
	"<externalInteraction>manual</externalInteraction></decomposition>"    \
	"</specification></specificationSet>"

static const char first_version[] = PROCESS("1.0", "A", "B", "");
/* B is called C, and there is one more task, which is first in the order. */
static const char second_version[] = PROCESS("2.0", "A0", "C",
    "<task id='A0'><flowsInto><nextElementRef id='A'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='W'/></task>");

struct versions {
	struct wf_fixture f;
	uint64_t first;
	uint64_t second;
};

static void begin(struct versions *v, const char *kind)
{
	if (kind == NULL)
		wf_fixture_init(&v->f);
	else
		wf_fixture_init_on(&v->f, kind);
	wf_fixture_open(&v->f);
	CU_ASSERT_EQUAL_FATAL(
	    wf_fixture_load(&v->f, second_version, sizeof(second_version) - 1),
	    WF_OK);
	v->second = v->f.key;
	CU_ASSERT_EQUAL_FATAL(
	    wf_fixture_load(&v->f, first_version, sizeof(first_version) - 1),
	    WF_OK);
	v->first = v->f.key;
	CU_ASSERT_NOT_EQUAL_FATAL(v->first, v->second);
}

static enum wf_rc give(struct versions *v, uint64_t number,
    enum wf_command_kind kind, const struct wf_buffer *data, uint64_t version)
{
	struct wf_request request = { .kind = WF_REQUEST_COMMAND,
		.number = number,
		.version = version,
		.actor = "ann",
		.command = { .kind = kind,
		    .data = data->data,
		    .length = data->length,
		    .reason = "it was wrong" } };
	struct wf_answer answer;

	wf_error_clear(&v->f.err);
	return wf_engine_call(v->f.engine, &request, &answer, &v->f.err);
}

static enum wf_rc migrate(struct versions *v, uint64_t number, uint64_t target,
    const char *from, const char *to, uint64_t version)
{
	struct wf_buffer data;
	enum wf_rc rc;

	wf_buffer_init(&data, 10000);
	wf_migration_begin(&data, target, false);
	if (from != NULL)
		wf_migration_put(&data,
		    &(struct wf_migration_row){ .kind = WF_MIGRATION_TASK,
			.net = "N",
			.from = from,
			.to = to });
	rc = give(v, number, WF_COMMAND_MIGRATE, &data, version);
	wf_buffer_free(&data);
	return rc;
}

static enum wf_rc finish(struct versions *v, uint64_t number, const char *item)
{
	return wf_fixture_do(
	    &v->f, number, WF_COMMAND_FINISH, item, NULL, NULL);
}

static void end(struct versions *v)
{
	CU_ASSERT_EQUAL(wf_fixture_incidents(&v->f).count, 0);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&v->f));
	wf_fixture_free(&v->f);
}

/* The specification of the row of a case, live or ended. */
static uint64_t specification_of(struct versions *v, uint64_t number)
{
	struct wf_stored_case stored;

	CU_ASSERT_EQUAL(wf_store_case(v->f.store, number, false, v->f.arena,
			    &stored, &v->f.err),
	    WF_OK);
	return stored.row.specification;
}

static void a_case_goes_on(void)
{
	struct versions v;
	uint64_t number;

	begin(&v, NULL);
	number = wf_fixture_launch(&v.f);
	CU_ASSERT_EQUAL(finish(&v, number, "1:A"), WF_OK);
	CU_ASSERT_EQUAL(finish(&v, number, "1.2:X"), WF_OK);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&v.f, number), "B=0 ");
	/* The token stands between S and B, and B is an item with a timer. */
	CU_ASSERT_EQUAL(
	    migrate(&v, number, v.second, NULL, NULL, 0), WF_CONFLICT);
	CU_ASSERT_STRING_EQUAL(v.f.err.message,
	    "net 1: the flow from S to B has 1 token, and the new version no "
	    "such condition");
	CU_ASSERT_EQUAL(
	    migrate(&v, number, v.second, "B", "C", 2), WF_CONFLICT);
	CU_ASSERT_EQUAL(specification_of(&v, number), v.first);
	CU_ASSERT_EQUAL(migrate(&v, number, v.second, "B", "C", 3), WF_OK);
	CU_ASSERT_EQUAL(specification_of(&v, number), v.second);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&v.f, number), "C=0 ");
	CU_ASSERT_TRUE(wf_fixture_agrees(&v.f, number));
	CU_ASSERT_EQUAL(
	    migrate(&v, number, v.second, "B", "C", 0), WF_CONFLICT);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&v.f));
	/* The timer acts on the item as it is called now. */
	v.f.now += HOUR;
	wf_fixture_turn(&v.f);
	CU_ASSERT_EQUAL(wf_fixture_version(&v.f, number), 0);
	CU_ASSERT_EQUAL(specification_of(&v, number), v.second);
	end(&v);
}

/* The time that the items of a task have waited, and their number. */
static struct wf_histogram waited(
    struct versions *v, uint64_t specification, const char *task)
{
	const struct wf_summary_query query = { .by = WF_BY_TASK,
		.namespace_id = WF_NAMESPACE_DEFAULT,
		.specifications = wf_one_specification(&specification),
		.task = task,
		.to = WF_STATISTIC_NO_HOUR };
	struct wf_summary summary;

	OK(wf_summary_read(
	    &query, v->f.store, v->f.arena, &summary, &v->f.err));
	CU_ASSERT_EQUAL_FATAL(summary.count, 1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(
	    summary.groups[0]->measures[WF_MEASURE_ITEM_STARTED]);
	return summary.groups[0]->measures[WF_MEASURE_ITEM_STARTED]->times;
}

/* Of an item that has another name, also after a restart. */
static void an_item_has_waited(void)
{
	const struct wf_statistics_settings settings = { .keep_ms = 24 * HOUR };
	struct versions v;
	struct wf_statistics *statistics;
	bool more;

	begin(&v, NULL);
	statistics = wf_statistics_new(v.f.engine, &settings);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t number = wf_fixture_launch(&v.f);
		char item[20];

		snprintf(item, sizeof(item), "%u:A", i + 1);
		OK(finish(&v, number, item));
		snprintf(item, sizeof(item), "%u.2:X", i + 1);
		OK(finish(&v, number, item));
		v.f.now += HOUR / 6;
		if (i == 0)
			OK(wf_statistics_read(
			    statistics, v.f.store, &more, &v.f.err));
		OK(migrate(&v, number, v.second, "B", "C", 0));
		v.f.now += HOUR / 6;
		snprintf(item, sizeof(item), "%u:C", i + 1);
		OK(finish(&v, number, item));
	}
	OK(wf_statistics_read(statistics, v.f.store, &more, &v.f.err));
	CU_ASSERT_EQUAL(waited(&v, v.second, "C").count, 2);
	CU_ASSERT_EQUAL(waited(&v, v.second, "C").sum, 2 * HOUR / 3);
	wf_statistics_free(&statistics);
	end(&v);
}

/* Another engine reads it, and there is a net within the net. */
static void it_is_read_again(void)
{
	struct versions v;
	uint64_t number;

	begin(&v, "sqlite");
	number = wf_fixture_launch(&v.f);
	CU_ASSERT_EQUAL(finish(&v, number, "1:A"), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&v.f, number, WF_COMMAND_START, "1.2:X", NULL, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(migrate(&v, number, v.second, NULL, NULL, 0), WF_OK);
	wf_engine_abandon(&v.f.engine);
	wf_fixture_open(&v.f);
	CU_ASSERT_TRUE(wf_fixture_agrees(&v.f, number));
	CU_ASSERT_EQUAL(wf_fixture_do(&v.f, number, WF_COMMAND_COMPLETE,
			    "1.2.1:X", NULL, NULL),
	    WF_OK);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&v.f, number), "C=0 ");
	/* And back, as long as the plan has a place for everything. */
	CU_ASSERT_EQUAL(migrate(&v, number, v.first, "C", "B", 0), WF_OK);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&v.f, number), "B=0 ");
	CU_ASSERT_EQUAL(finish(&v, number, "1:B"), WF_OK);
	CU_ASSERT_EQUAL(wf_fixture_version(&v.f, number), 0);
	end(&v);
}

static void a_repair_is_a_step(void)
{
	struct versions v;
	struct wf_buffer data;
	uint64_t number;

	begin(&v, NULL);
	number = wf_fixture_launch(&v.f);
	wf_buffer_init(&data, 10000);
	wf_repair_put(
	    &data, &(struct wf_repair_change){ .kind = WF_REPAIR_EMPTY });
	CU_ASSERT_EQUAL(
	    give(&v, number, WF_COMMAND_REPAIR, &data, 0), WF_CONFLICT);
	wf_repair_put(&data,
	    &(struct wf_repair_change){ .kind = WF_REPAIR_ENTER, .name = "B" });
	CU_ASSERT_EQUAL(give(&v, number, WF_COMMAND_REPAIR, &data, 0), WF_OK);
	wf_buffer_free(&data);
	CU_ASSERT_STRING_EQUAL(wf_fixture_items(&v.f, number), "B=0 ");
	CU_ASSERT_TRUE(wf_fixture_agrees(&v.f, number));
	CU_ASSERT_EQUAL(finish(&v, number, "1:B"), WF_OK);
	end(&v);
}

CU_TestInfo wf_tests_migrations[] = {
	{ "a case goes on", a_case_goes_on },
	{ "an item that is called otherwise has waited", an_item_has_waited },
	{ "it is read again", it_is_read_again },
	{ "a repair is a step", a_repair_is_a_step },
	CU_TEST_INFO_NULL,
};
