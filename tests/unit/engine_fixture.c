/* SPDX-License-Identifier: Apache-2.0 */
/* An engine for tests. */
#include "tests/unit/engine_fixture.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/panic.h"
#include "kernel/step.h"
#include "runtime/integrity/integrity.h"
#include "runtime/shard.h"
#include "tests/unit/strict_store.h"

static const char process[] =
    "<specificationSet version='4.0' "
    "xmlns='http://www.yawlfoundation.org/yawlschema' "
    "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
    "<specification uri='P'><metaData><version>0.1</version>"
    "<identifier>UID_P</identifier></metaData>"
    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>"
    "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
    "<localVariable><index>0</index><name>s</name><type>string</type>"
    "<namespace>http://www.w3.org/2001/XMLSchema</namespace>"
    "<initialValue/></localVariable>"
    "<processControlElements>"
    "<inputCondition id='i'><flowsInto><nextElementRef id='A'/></flowsInto>"
    "</inputCondition>"
    "<task id='A'><flowsInto><nextElementRef id='B'/></flowsInto>"
    "<flowsInto><nextElementRef id='C'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='W'/></task>"
    "<task id='B'><flowsInto><nextElementRef id='D'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='W'/></task>"
    "<task id='C'><flowsInto><nextElementRef id='D'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='W'/></task>"
    "<task id='D'><flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='and'/><split code='and'/><decomposesTo id='W'/></task>"
    "<outputCondition id='o'/></processControlElements></decomposition>"
    "<decomposition id='W' xsi:type='WebServiceGatewayFactsType'/>"
    "</specification></specificationSet>";

static const char nested[] =
    "<specificationSet version='4.0' "
    "xmlns='http://www.yawlfoundation.org/yawlschema' "
    "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
    "<specification uri='nested'><metaData><version>0.1</version>"
    "<identifier>UID_nested</identifier></metaData>"
    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>"
    "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
    "<processControlElements>"
    "<inputCondition id='i'><flowsInto><nextElementRef id='A'/></flowsInto>"
    "</inputCondition>"
    "<task id='A'><flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='S'/></task>"
    "<outputCondition id='o'/></processControlElements></decomposition>"
    "<decomposition id='S' xsi:type='NetFactsType'>"
    "<processControlElements>"
    "<inputCondition id='i'><flowsInto><nextElementRef id='A'/></flowsInto>"
    "</inputCondition>"
    "<task id='A'><flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='W'/></task>"
    "<outputCondition id='o'/></processControlElements></decomposition>"
    "<decomposition id='W' xsi:type='WebServiceGatewayFactsType'/>"
    "</specification></specificationSet>";

static int64_t now(void *context)
{
	return ((struct wf_fixture *)context)->now;
}

static void probe(
    void *context, const struct wf_request *request, struct wf_command *command)
{
	const struct wf_fixture *fixture = context;

	(void)request;
	if (fixture->deadly_item != NULL &&
	    strcmp(fixture->deadly_item, command->item) == 0)
		_exit(WF_FIXTURE_DEATH);
	wf_assert(fixture->broken_item == NULL ||
		  strcmp(fixture->broken_item, command->item) != 0);
}

void wf_fixture_init(struct wf_fixture *fixture)
{
	const char *kind = getenv("WEFT_TEST_STORE");

	wf_fixture_init_on(fixture, kind == NULL ? "memory" : kind);
}

void wf_fixture_init_on(struct wf_fixture *fixture, const char *kind)
{
	memset(fixture, 0, sizeof(*fixture));
	for (size_t i = 0; i < store_kind_count(); i++)
		if (strcmp(store_kinds[i].name, kind) == 0)
			fixture->kind = &store_kinds[i];
	wf_assert(fixture->kind != NULL);
	fixture->kind->make(&fixture->place);
	fixture->now = WF_FIXTURE_START;
	fixture->arena = wf_arena_new();
	wf_engine_settings_init(&fixture->settings);
	fixture->settings.url = fixture->place.url;
	fixture->settings.now = now;
	fixture->settings.probe = probe;
	fixture->settings.context = fixture;
}

enum wf_rc wf_fixture_load(
    struct wf_fixture *fixture, const char *xml, size_t length)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("test");
	size_t count;
	enum wf_rc rc = wf_engine_load(fixture->engine, 0, xml, length,
	    diagnostics, &fixture->key, 1, &count, &fixture->err);

	wf_diagnostics_free(&diagnostics);
	return rc;
}

enum wf_rc wf_fixture_load_process(struct wf_fixture *fixture)
{
	return wf_fixture_load(fixture, process, strlen(process));
}

enum wf_rc wf_fixture_load_nested(struct wf_fixture *fixture)
{
	return wf_fixture_load(fixture, nested, strlen(nested));
}

enum wf_rc wf_fixture_load_variant(struct wf_fixture *fixture, unsigned variant)
{
	char *text = wf_arena_strdup(fixture->arena, process);
	char *version = strstr(text, "0.1<");

	version[0] = (char)('1' + variant);
	return wf_fixture_load(fixture, text, strlen(text));
}

void wf_fixture_open(struct wf_fixture *fixture)
{
	bool first = fixture->store == NULL;
	enum wf_rc rc = WF_OK;

	if (first)
		rc = wf_store_open(&fixture->store, fixture->place.url,
		    WF_STORE_CREATE, &fixture->err);
	wf_assert(rc == WF_OK);
	rc =
	    wf_engine_open(&fixture->engine, &fixture->settings, &fixture->err);
	wf_assert(rc == WF_OK);
	/* Threads use it already. */
	for (unsigned i = 0;
	     i < fixture->engine->shard_count && !fixture->settings.threads;
	     i++)
		test_make_strict(wf_engine_shard_store(fixture->engine, i));
	if (first)
		rc = wf_fixture_load_process(fixture);
	wf_assert(rc == WF_OK);
}

void wf_fixture_free(struct wf_fixture *fixture)
{
	wf_engine_close(&fixture->engine);
	wf_store_close(&fixture->store);
	wf_arena_free(&fixture->arena);
	fixture->kind->unmake(&fixture->place);
}

uint64_t wf_fixture_launch(struct wf_fixture *fixture)
{
	struct wf_request request = { .kind = WF_REQUEST_COMMAND,
		.command = { .kind = WF_COMMAND_LAUNCH },
		.launch = { .specification = fixture->key } };
	struct wf_answer answer;

	wf_error_clear(&fixture->err);
	if (wf_engine_call(fixture->engine, &request, &answer, &fixture->err) !=
	    WF_OK)
		return 0;
	return answer.number;
}

enum wf_rc wf_fixture_do(struct wf_fixture *fixture, uint64_t number,
    enum wf_command_kind kind, const char *item, const char *data,
    struct wf_answer *answer_out)
{
	struct wf_request request = { .kind = WF_REQUEST_COMMAND,
		.number = number,
		.command = { .kind = kind,
		    .item = item,
		    .data = data,
		    .length = data == NULL ? 0 : strlen(data) } };
	struct wf_answer answer;

	wf_error_clear(&fixture->err);
	return wf_engine_call(fixture->engine, &request,
	    answer_out == NULL ? &answer : answer_out, &fixture->err);
}

uint64_t wf_fixture_put_off(struct wf_fixture *f, const char *name, int64_t at)
{
	struct wf_request request = { .kind = WF_REQUEST_SCHEDULE,
		.command = { .kind = WF_COMMAND_LAUNCH },
		.launch = { .specification = f->key,
		    .name = name,
		    .title = "later" },
		.actor = "ann",
		.at = at };
	struct wf_answer answer;

	CU_ASSERT_EQUAL(
	    wf_engine_call(f->engine, &request, &answer, &f->err), WF_OK);
	return answer.number;
}

enum wf_rc wf_fixture_schedule(struct wf_fixture *fixture, uint64_t number,
    enum wf_command_kind kind, const char *item, int64_t at)
{
	struct wf_request request = { .kind = WF_REQUEST_SCHEDULE,
		.command = { .kind = kind, .item = item },
		.number = number,
		.at = at };
	struct wf_answer answer;

	wf_error_clear(&fixture->err);
	return wf_engine_call(
	    fixture->engine, &request, &answer, &fixture->err);
}

void wf_fixture_turn(struct wf_fixture *fixture)
{
	for (unsigned i = 0; i < 1000 && wf_engine_turn(fixture->engine); i++)
		;
}

void wf_fixture_count_reply(void *context, const struct wf_reply *reply)
{
	unsigned *replies = context;

	replies[reply->rc == WF_OK ? 0 : 1]++;
}

enum wf_rc wf_fixture_retry(struct wf_fixture *fixture, uint64_t incident)
{
	struct wf_request request = { .kind = WF_REQUEST_RETRY,
		.incident = { .id = incident } };
	struct wf_answer answer;

	wf_error_clear(&fixture->err);
	return wf_engine_call(
	    fixture->engine, &request, &answer, &fixture->err);
}

struct wf_incident_list wf_fixture_incidents(struct wf_fixture *fixture)
{
	struct wf_incident_filter filter = { .limit = 1000 };
	struct wf_incident_list list = { NULL, 0 };

	CU_ASSERT_EQUAL(wf_store_incidents(fixture->store, &filter,
			    fixture->arena, &list, &fixture->err),
	    WF_OK);
	return list;
}

static struct wf_stored_case stored(struct wf_fixture *fixture, uint64_t number)
{
	struct wf_stored_case row = { .ended = true };

	if (wf_store_case(fixture->store, number, false, fixture->arena, &row,
		NULL) != WF_OK)
		memset(&row, 0, sizeof(row));
	return row;
}

uint64_t wf_fixture_version(struct wf_fixture *fixture, uint64_t number)
{
	struct wf_stored_case row = stored(fixture, number);

	return row.ended ? 0 : row.row.version;
}

bool wf_fixture_is_quarantined(struct wf_fixture *fixture, uint64_t number)
{
	return stored(fixture, number).row.set_aside;
}

const char *wf_fixture_items(struct wf_fixture *fixture, uint64_t number)
{
	struct wf_item_filter filter = { .number = number, .limit = 1000 };
	struct wf_item_list list;
	char *text;
	size_t size = 0;

	if (wf_store_items(
		fixture->store, &filter, fixture->arena, &list, NULL) != WF_OK)
		return "?";
	text = wf_arena_alloc(fixture->arena, list.count * 80 + 1);
	for (size_t i = 0; i < list.count; i++)
		size += (size_t)snprintf(text + size, 80, "%.70s=%u ",
		    list.rows[i].task, list.rows[i].status);
	return text;
}

/* --- checks --------------------------------------------------------------- */

struct agreement {
	const struct wf_item_list *rows;
	bool good;
};

static bool has_row(const struct wf_item_list *rows, const struct wf_item *item)
{
	char id[WF_ITEM_ID_SIZE];

	wf_item_id(item, id);
	for (size_t i = 0; i < rows->count; i++)
		if (strcmp(rows->rows[i].id, id) == 0)
			return rows->rows[i].status == item->status &&
			       rows->rows[i].started_at == item->started_at;
	return false;
}

static void compare(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct agreement *agreement = context;
	struct wf_item *items;
	size_t count = wf_case_items(instance, &items);

	agreement->good =
	    (stored->ended || count == agreement->rows->count) &&
	    wf_case_check(instance, NULL) == WF_OK &&
	    stored->row.status == (uint32_t)wf_case_status(instance);
	for (size_t i = 0; i < count && !stored->ended; i++)
		agreement->good &= has_row(agreement->rows, &items[i]);
	wf_free(items);
}

bool wf_fixture_agrees(struct wf_fixture *fixture, uint64_t number)
{
	struct wf_item_filter filter = { .number = number, .limit = 100000 };
	struct wf_item_list list;
	struct agreement agreement = { &list, false };

	if (wf_store_items(
		fixture->store, &filter, fixture->arena, &list, NULL) != WF_OK)
		return false;
	wf_error_clear(&fixture->err);
	if (wf_engine_inspect(fixture->engine, number, compare, &agreement,
		&fixture->err) != WF_OK)
		return false;
	return agreement.good;
}

static void print_finding(void *context, const struct wf_finding *finding)
{
	(void)context;
	if (finding->kind == WF_FINDING_DAMAGE)
		printf("case %llu: %s\n", (unsigned long long)finding->number,
		    finding->text);
}

bool wf_fixture_is_whole(struct wf_fixture *fixture)
{
	struct wf_integrity_settings settings;
	struct wf_integrity_counts counts;

	wf_integrity_settings_init(&settings);
	settings.limits = fixture->settings.limits;
	settings.report = print_finding;
	return wf_integrity_check(fixture->store, &settings, &counts, NULL) ==
		   WF_OK &&
	       counts.damage == 0;
}
