/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole engines from one seed in one thread: two of up to three shards each on
 * a store in memory, a clock that the test moves, clients that retry what they
 * do not know the outcome of, statements that fail, answers that are lost,
 * engines that die, cases that are in another batch, assertions that fail.
 *
 * At the end the clients' own records are compared with the store: every
 * step that was acknowledged is there, none is there twice, nothing refused
 * is there, and each case is what its history says.  The same seed gives the
 * same run.  WEFT_SEED sets it; WEFT_SOAK=1 tries many more.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "tests/unit/engine_fixture.h"
#include "tests/unit/random_net.h"

#define DEFAULT_SEED 20260102U
#define CLIENTS 6U
#define ENGINES 2U
#define ROUNDS 400U
#define SPECS 3U
#define REQUESTS 2000U
#define TEXT_MAXIMUM ((size_t)4 << 20)

enum outcome { OPEN, ACKNOWLEDGED, REFUSED };

/* What a client knows of one request. */
struct record {
	struct wf_request request;
	char key[16];
	char item[WF_ITEM_ID_SIZE];
	bool waiting; /* submitted, not answered */
	enum outcome outcome;
	uint64_t number;
	uint64_t sequence;
	bool differs; /* the answer is not the one given before */
};

struct simulation {
	struct wf_random random;
	uint64_t seed;
	struct wf_fixture fixture; /* its engine is one of these */
	struct wf_engine *engines[ENGINES];
	uint64_t specs[SPECS + 1];
	size_t spec_count;
	struct record *records;
	size_t record_count;
	struct record *current[CLIENTS];
	uint64_t cases[CLIENTS];
	bool holds;	    /* the test has a batch */
	struct wf_map *ids; /* of commands that made a step */
	char broken[WF_ITEM_ID_SIZE];
};

static uint32_t below(struct simulation *s, uint32_t n)
{
	return wf_random_below(&s->random, n);
}

static bool hold(struct simulation *s, bool condition, const char *what)
{
	if (!condition)
		printf("simulation: WEFT_SEED=%llu: %s\n",
		    (unsigned long long)s->seed, what);
	return condition;
}

static struct wf_engine *any_engine(struct simulation *s)
{
	return s->engines[below(s, ENGINES)];
}

/* --- clients -------------------------------------------------------------- */

static bool is_unknown(enum wf_rc rc)
{
	return rc == WF_UNAVAILABLE || rc == WF_LOST || rc == WF_IO;
}

static void take_reply(void *context, const struct wf_reply *reply)
{
	struct record *record = context;

	record->waiting = false;
	if (record->outcome == ACKNOWLEDGED) {
		if (is_unknown(reply->rc))
			return;
		record->differs |= reply->rc != WF_OK || !reply->repeated ||
				   reply->number != record->number ||
				   reply->sequence != record->sequence;
	} else if (reply->rc == WF_OK) {
		record->outcome = ACKNOWLEDGED;
		record->number = reply->number;
		record->sequence = reply->sequence;
	} else if (!is_unknown(reply->rc)) {
		record->outcome = REFUSED;
	}
}

static void submit(struct simulation *s, struct record *record)
{
	record->waiting = true;
	if (wf_engine_submit(any_engine(s), &record->request, take_reply,
		record, NULL) != WF_OK)
		record->waiting = false;
}

static struct record *new_record(struct simulation *s)
{
	struct record *record = &s->records[s->record_count++];

	snprintf(record->key, sizeof(record->key), "k%zu", s->record_count);
	record->request.kind = WF_REQUEST_COMMAND;
	record->request.actor = "ann";
	record->request.key = record->key;
	return record;
}

static void choose_item(struct simulation *s, struct record *record)
{
	struct wf_item_filter filter = { .number = record->request.number,
		.limit = 20 };
	struct wf_item_list list;
	const struct wf_item_row *row;

	record->request.command = WF_COMMAND_RESUME_CASE;
	record->request.item = "";
	if (wf_store_items(s->fixture.store, &filter, s->fixture.arena, &list,
		NULL) != WF_OK ||
	    list.count == 0)
		return;
	row = &list.rows[below(s, (uint32_t)list.count)];
	snprintf(record->item, sizeof(record->item), "%s", row->id);
	record->request.item = record->item;
	record->request.command =
	    below(s, 3) == 0 ? WF_COMMAND_START : WF_COMMAND_FINISH;
}

static void choose_command(struct simulation *s, struct record *record)
{
	static const char data[] = "<N><s>changed</s></N>";
	static const enum wf_command_kind odd[] = { WF_COMMAND_SUSPEND_CASE,
		WF_COMMAND_RESUME_CASE, WF_COMMAND_UPDATE_CASE,
		WF_COMMAND_CANCEL_CASE, WF_COMMAND_ROLLBACK, WF_COMMAND_SKIP,
		WF_COMMAND_FAIL };

	choose_item(s, record);
	if (below(s, 6) > 0)
		return;
	record->request.command = odd[below(s, sizeof(odd) / sizeof(odd[0]))];
	if (record->request.command == WF_COMMAND_UPDATE_CASE) {
		record->request.data = data;
		record->request.length = sizeof(data) - 1;
	}
	if (below(s, 3) == 0) {
		record->request.kind = WF_REQUEST_SCHEDULE;
		record->request.at = s->fixture.now + below(s, 5000);
	}
}

static void act(struct simulation *s, unsigned client)
{
	struct record *record = s->current[client];

	if (s->holds)
		return;
	if (record != NULL && record->waiting)
		return;
	if (record != NULL && record->outcome == OPEN) {
		submit(s, record); /* with the same key */
		return;
	}
	if (record != NULL && record->request.command == WF_COMMAND_LAUNCH &&
	    record->outcome == ACKNOWLEDGED)
		s->cases[client] = record->number;
	if (record != NULL && below(s, 10) == 0) {
		submit(s, record); /* it forgot that it was answered */
		return;
	}
	if (s->record_count == REQUESTS)
		return;
	record = s->current[client] = new_record(s);
	if (s->cases[client] == 0 || below(s, 30) == 0) {
		record->request.command = WF_COMMAND_LAUNCH;
		record->request.specification =
		    s->specs[below(s, (uint32_t)s->spec_count)];
	} else {
		record->request.number = s->cases[client];
		choose_command(s, record);
	}
	submit(s, record);
}

/* --- what goes wrong ------------------------------------------------------ */

static void open_engine(struct simulation *s, unsigned at)
{
	struct wf_fixture *f = &s->fixture;

	f->settings.batch = 1 + below(s, 12);
	f->settings.shards = 1 + below(s, 3);
	f->settings.cache_bytes = below(s, 2) == 0 ? 1 : 1000000;
	wf_fixture_open(f);
	s->engines[at] = f->engine;
}

static void die(struct simulation *s)
{
	struct wf_fixture *f = &s->fixture;
	unsigned at = below(s, ENGINES);

	wf_store_abort(f->store);
	s->holds = false;
	f->broken_item = NULL;
	wf_engine_abandon(&s->engines[at]);
	open_engine(s, at);
}

/* Another node takes a case, and lets it go some time later. */
static void hold_case(struct simulation *s)
{
	struct wf_take take = { .number = s->cases[below(s, CLIENTS)] };
	struct wf_batch batch = { .takes = &take, .take_count = 1 };

	if (s->holds)
		wf_store_abort(s->fixture.store);
	s->holds = !s->holds && take.number != 0 &&
		   wf_store_begin(s->fixture.store, &batch, s->fixture.arena,
		       NULL) == WF_OK;
}

static void break_item(struct simulation *s)
{
	const struct record *record = s->current[below(s, CLIENTS)];

	s->fixture.broken_item = NULL;
	if (record == NULL || record->item[0] == '\0' || below(s, 3) > 0)
		return;
	snprintf(s->broken, sizeof(s->broken), "%s", record->item);
	s->fixture.broken_item = s->broken;
}

static void disturb(struct simulation *s)
{
	switch (below(s, 40)) {
	case 0:
		die(s);
		break;
	case 1:
	case 2:
	case 3:
		wf_store_fail_after(wf_engine_shard_store(any_engine(s), 0),
		    1 + below(s, 12),
		    below(s, 2) == 0 ? WF_FAULT_BEFORE : WF_FAULT_AFTER);
		break;
	case 4:
	case 5:
		hold_case(s);
		break;
	case 6:
		break_item(s);
		break;
	default:
		break;
	}
}

/* --- a run ---------------------------------------------------------------- */

static void begin(struct simulation *s, uint64_t seed)
{
	struct wf_fixture *f = &s->fixture;
	struct wf_buffer text;

	memset(s, 0, sizeof(*s));
	s->seed = seed;
	s->random.state = seed;
	s->records = wf_calloc(REQUESTS, sizeof(*s->records));
	s->ids = wf_map_new();
	wf_fixture_init(f);
	for (unsigned i = 0; i < ENGINES; i++)
		open_engine(s, i);
	s->specs[s->spec_count++] = f->key;
	wf_buffer_init(&text, TEXT_MAXIMUM);
	for (unsigned i = 0; i < SPECS; i++) {
		wf_buffer_reset(&text);
		wf_random_net(&s->random, &text);
		wf_error_clear(&f->err);
		if (wf_fixture_load(f, wf_buffer_text(&text), text.length) ==
		    WF_OK)
			s->specs[s->spec_count++] = f->key;
	}
	wf_buffer_free(&text);
}

static void run_all(struct simulation *s)
{
	bool more = true;

	s->fixture.now += 70000;
	for (unsigned t = 0; t < 200 && more; t++) {
		more = false;
		for (unsigned i = 0; i < ENGINES; i++)
			more |= wf_engine_turn(s->engines[i]);
	}
}

/* Nothing goes wrong any more, and everything is answered. */
static bool settle(struct simulation *s)
{
	struct wf_fixture *f = &s->fixture;
	bool waiting = true;

	wf_store_abort(f->store);
	s->holds = false;
	f->broken_item = NULL;
	for (unsigned i = 0; i < ENGINES; i++)
		wf_store_fail_after(wf_engine_shard_store(s->engines[i], 0), 0,
		    WF_FAULT_BEFORE);
	for (unsigned i = 0; i < 50 && waiting; i++) {
		waiting = false;
		for (size_t r = 0; r < s->record_count; r++) {
			struct record *record = &s->records[r];

			if (record->outcome == OPEN && !record->waiting)
				submit(s, record);
			waiting |= record->outcome == OPEN || record->waiting;
		}
		run_all(s);
	}
	return hold(s, !waiting, "a request is never answered");
}

/* A person retries what was set aside or refused: no case stays behind. */
static bool retry_all(struct simulation *s)
{
	struct wf_fixture *f = &s->fixture;
	struct wf_incident_list incidents = wf_fixture_incidents(f);
	struct wf_case_filter filter = { .set_aside = true, .limit = 1000 };
	struct wf_case_list aside;
	bool good = true;

	for (size_t i = 0; i < incidents.count && good; i++)
		good =
		    hold(s, wf_fixture_retry(f, incidents.rows[i].id) == WF_OK,
			"an incident cannot be retried");
	run_all(s);
	return good && hold(s,
			   wf_store_cases(f->store, &filter, f->arena, &aside,
			       NULL) == WF_OK &&
			       aside.count == 0,
			   "a case is set aside without an incident");
}

/* --- what must hold ------------------------------------------------------- */

static bool check_row(
    struct simulation *s, const struct wf_history_row *row, unsigned *times)
{
	size_t index;

	if (!hold(s, wf_map_add(s->ids, row->command, s->ids),
		"two steps have one id"))
		return false;
	if (strncmp(row->command, "ann/k", 5) != 0)
		return hold(s, row->command[0] == '/', "a step has no id");
	index = strtoul(row->command + 5, NULL, 10) - 1;
	if (!hold(s, index < s->record_count, "nobody asked for a step"))
		return false;
	times[index]++;
	return hold(s,
		   s->records[index].outcome == ACKNOWLEDGED &&
		       s->records[index].number == row->number &&
		       s->records[index].sequence == row->sequence,
		   "a step is not the one that was acknowledged") &&
	       hold(s, times[index] == 1, "a step was done twice");
}

static bool check_history(struct simulation *s, unsigned *times, uint64_t *sum)
{
	struct wf_history_filter filter = { .limit = 100 };
	struct wf_history_list list = { .count = 1 };
	bool good = true;

	while (good && list.count > 0) {
		if (wf_store_history(s->fixture.store, &filter,
			s->fixture.arena, &list, NULL) != WF_OK)
			return hold(s, false, "the history cannot be read");
		for (size_t i = 0; i < list.count && good; i++) {
			const unsigned char *bytes = list.rows[i].events.data;

			good = check_row(s, &list.rows[i], times);
			for (size_t b = 0; b < list.rows[i].events.size; b++)
				*sum =
				    (*sum ^ bytes[b]) * UINT64_C(0x100000001b3);
		}
		filter.after = list.next;
	}
	return good;
}

static bool check_cases(struct simulation *s)
{
	struct wf_case_filter filter = { .limit = 100000 };
	struct wf_case_list list;
	bool good = true;

	if (wf_store_cases(s->fixture.store, &filter, s->fixture.arena, &list,
		NULL) != WF_OK)
		return hold(s, false, "the cases cannot be read");
	for (size_t i = 0; i < list.count && good; i++)
		good = hold(s,
		    wf_fixture_agrees(&s->fixture, list.rows[i].row.number),
		    "a case is not what the store says");
	return good;
}

static bool check_all(struct simulation *s, uint64_t *sum)
{
	unsigned *times = wf_calloc(REQUESTS, sizeof(*times));
	bool good =
	    check_history(s, times, sum) && check_cases(s) &&
	    hold(s, wf_fixture_is_whole(&s->fixture), "the store is damaged");

	for (size_t i = 0; i < s->record_count && good; i++) {
		const struct record *record = &s->records[i];
		bool there = record->outcome == ACKNOWLEDGED &&
			     record->request.kind == WF_REQUEST_COMMAND;

		good = hold(s, times[i] == (there ? 1U : 0U),
			   "an acknowledged step is not there") &&
		       hold(s, !record->differs,
			   "a request was answered in two ways");
	}
	wf_free(times);
	return good;
}

static bool simulate(uint64_t seed, uint64_t *sum)
{
	struct simulation s;
	bool good;

	*sum = 0;
	begin(&s, seed);
	for (unsigned i = 0; i < ROUNDS; i++) {
		s.fixture.now += below(&s, 300);
		act(&s, below(&s, CLIENTS));
		disturb(&s);
		if (below(&s, 3) > 0)
			wf_engine_turn(any_engine(&s));
	}
	good = settle(&s) && retry_all(&s) && check_all(&s, sum);
	for (unsigned i = 0; i < ENGINES; i++)
		wf_engine_close(&s.engines[i]);
	s.fixture.engine = NULL;
	wf_fixture_free(&s.fixture);
	wf_map_free(&s.ids);
	wf_free(s.records);
	return good;
}

static void test_simulation(void)
{
	const char *text = getenv("WEFT_SEED");
	uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : DEFAULT_SEED;
	const char *soak = getenv("WEFT_SOAK");
	unsigned runs = soak != NULL && strcmp(soak, "1") == 0 ? 5000 : 40;
	bool good = true;

	for (unsigned i = 0; i < runs && good; i++) {
		uint64_t sum;

		good = simulate(seed + i, &sum);
	}
	CU_ASSERT_TRUE(good);
}

static void test_same_seed(void)
{
	uint64_t first;
	uint64_t second;

	CU_ASSERT_TRUE(simulate(7, &first));
	CU_ASSERT_TRUE(simulate(7, &second));
	CU_ASSERT_EQUAL(first, second);
	CU_ASSERT_NOT_EQUAL(first, 0);
}

CU_TestInfo wf_tests_simulation[] = {
	{ "engines from seeds", test_simulation },
	{ "the same seed gives the same run", test_same_seed },
	CU_TEST_INFO_NULL,
};
