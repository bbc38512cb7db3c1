/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole engines from one seed in one thread: two of up to three shards each on
 * a store in memory, a clock that the test moves, clients that retry requests
 * with unknown outcome (simulation_clients.c), statements that fail,
 * answers that are lost, engines that die, cases that are in another batch,
 * assertions that fail.
 *
 * Whenever all engines are idle, and at the end, the clients' own records are
 * compared with the store: due rows and delayed commands
 * (simulation_model.c); every step that was acknowledged is there, none is
 * there twice, nothing refused is there, and each case is what its history
 * says.  The same seed gives the same run.  WEFT_SEED sets it; WEFT_SOAK=1
 * tries many more.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/shard.h"
#include "tests/unit/random_net.h"
#include "tests/unit/seed.h"
#include "tests/unit/simulation.h"

#define DEFAULT_SEED 20260102U
#define ROUNDS 300U
#define RESTS 6U /* about */
#define RUNS 40U
#define SANITIZED_RUNS 6U
/* At most this many times as many, until every event has happened. */
#define TIMES_MOST 20U
#define SOAK_RUNS 5000U
#define TEXT_MAXIMUM ((size_t)4 << 20)

static uint32_t below(struct simulation *s, uint32_t n)
{
	return wf_random_below(&s->random, n);
}

bool simulation_hold(const struct simulation *s, bool condition,
    const char *what, const char *which)
{
	if (!condition)
		printf("simulation: WEFT_SEED=%llu: %s (%s)\n",
		    (unsigned long long)s->seed, what, which);
	return condition;
}

static bool hold(struct simulation *s, bool condition, const char *what)
{
	return simulation_hold(s, condition, what, "");
}

static struct wf_engine *any_engine(struct simulation *s)
{
	return s->engines[below(s, SIMULATION_ENGINES)];
}

static struct wf_store *any_store(struct simulation *s)
{
	struct wf_engine *engine = any_engine(s);

	return wf_engine_shard_store(engine, below(s, engine->shard_count));
}

static void pass(struct simulation *s, int64_t milliseconds)
{
	s->fixture.now += milliseconds;
	if (s->fixture.now > s->latest)
		s->latest = s->fixture.now;
}

/* --- faults --------------------------------------------------------------- */

/* One listener takes all announcements. */
static void announce(void *context, const struct wf_announcement *what,
    struct wf_destinations *destinations)
{
	(void)context;
	(void)what;
	wf_destination_add(destinations, "listener");
}

static void open_engine(struct simulation *s, unsigned at)
{
	struct wf_fixture *f = &s->fixture;

	f->settings.batch = below(s, 3) == 0 ? 1 + below(s, 5) : 50;
	f->settings.shards = below(s, 2) == 0 ? 1 : 1 + below(s, 3);
	f->settings.cache_bytes = below(s, 2) == 0 ? 1 : 1000000;
	f->settings.snapshot_bytes = below(s, 2) == 0 ? 100 : 8192;
	f->settings.snapshot_events = 1 + below(s, 60);
	/* Many steps are too long for their batch, or none. */
	f->settings.batch_work = below(s, 2) == 0 ? 1 : WF_BATCH_WORK;
	f->settings.step_work = 1 + below(s, 200);
	f->settings.announce = announce;
	f->settings.end_deadlocked = below(s, 2) == 0;
	wf_fixture_open(f);
	s->engines[at] = f->engine;
}

/* The counts of an engine that will be closed. */
static void count_engine(struct simulation *s, struct wf_engine *engine)
{
	struct wf_engine_counts counts;

	wf_engine_counts(engine, &counts);
	for (unsigned i = 0; i < engine->shard_count; i++)
		s->counts->faults +=
		    (unsigned)wf_store_faults(wf_engine_shard_store(engine, i));
	s->counts->long_steps += (unsigned)counts.long_steps;
	s->counts->assertions += (unsigned)counts.refusals[WF_BUG];
	/* Of more than 16. */
	s->counts->large_batches += (unsigned)(counts.batch_sizes.counts[5] +
					       counts.batch_sizes.counts[6]);
}

static void die(struct simulation *s)
{
	struct wf_fixture *f = &s->fixture;
	unsigned at = below(s, SIMULATION_ENGINES);

	wf_store_abort(f->store);
	s->holds = false;
	f->broken_item = NULL;
	count_engine(s, s->engines[at]);
	s->counts->deaths++;
	wf_engine_abandon(&s->engines[at]);
	open_engine(s, at);
}

/* Another node takes a case, and releases it some time later. */
static void hold_case(struct simulation *s)
{
	struct wf_take take = { .number =
				    s->cases[below(s, SIMULATION_CASES)] };
	struct wf_batch batch = { .takes = &take, .take_count = 1 };

	if (s->holds)
		wf_store_abort(s->fixture.store);
	s->holds = !s->holds && take.number != 0 &&
		   wf_store_begin(s->fixture.store, &batch, s->fixture.arena,
		       NULL) == WF_OK;
	s->counts->holds += s->holds;
}

/* The item of a case's next due row; "": there is none. */
static const char *item_due(struct simulation *s, uint64_t number)
{
	struct wf_fixture *f = &s->fixture;
	struct wf_due_list due = { NULL, 0 };
	const struct wf_due_row *next = NULL;
	struct wf_request request;
	struct wf_bytes body;
	struct wf_due_attempts earlier;

	if (wf_store_due_of(f->store, number, "", 100, f->arena, &due, NULL) !=
	    WF_OK)
		return "";
	for (size_t i = 0; i < due.count; i++)
		if (next == NULL || due.rows[i].at < next->at)
			next = &due.rows[i];
	if (next == NULL ||
	    wf_due_command_decode(next->payload, &earlier, &body, NULL) !=
		WF_OK ||
	    wf_request_decode(&request, body, f->arena, NULL) != WF_OK)
		return "";
	return wf_arena_strdup(f->arena, wf_request_item(&request));
}

/* An item of a client's request, or of a due row. */
static const char *choose_item(struct simulation *s)
{
	const struct record *record =
	    s->clients[below(s, SIMULATION_CLIENTS)].current;
	uint64_t number = s->cases[below(s, SIMULATION_CASES)];

	if (below(s, 3) == 0)
		return record == NULL ? "" : record->item;
	return s->holds || number == 0 ? "" : item_due(s, number);
}

static void break_item(struct simulation *s)
{
	const char *item = choose_item(s);

	s->fixture.broken_item = NULL;
	if (item[0] == '\0' || below(s, 3) == 0)
		return;
	snprintf(s->broken, sizeof(s->broken), "%s", item);
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
		wf_store_fail_after(any_store(s), 1 + below(s, 12),
		    below(s, 2) == 0 ? WF_FAULT_BEFORE : WF_FAULT_AFTER);
		break;
	case 4:
	case 5:
		hold_case(s);
		break;
	case 6:
	case 7:
	case 8:
	case 9:
		break_item(s);
		break;
	case 10:
		pass(s, -(int64_t)below(s, 3000)); /* it was set back */
		break;
	default:
		break;
	}
}

/* --- a run ---------------------------------------------------------------- */

#define WIDTH 8U

static void put_flow(struct wf_buffer *text, unsigned target)
{
	wf_buffer_printf(
	    text, "<flowsInto><nextElementRef id='T%u'/></flowsInto>", target);
}

static void put_timed_task(
    struct wf_buffer *text, unsigned number, unsigned seconds)
{
	wf_buffer_printf(text,
	    "<join code='%s'/><split code='and'/>"
	    "<timer><trigger>%s</trigger><duration>PT%uS</duration></timer>"
	    "<decomposesTo id='W'/></task>",
	    number > WIDTH ? "and" : "xor",
	    number % 2 == 0 ? "OnExecuting" : "OnEnabled", seconds);
}

/* Many timers run in parallel: T1 to T8, at once; then T9. */
static void write_wide_net(struct simulation *s, struct wf_buffer *text)
{
	wf_buffer_puts(text,
	    "<specificationSet version='4.0' "
	    "xmlns='http://www.yawlfoundation.org/yawlschema' "
	    "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
	    "<specification uri='wide'><metaData><version>0.1</version>"
	    "<identifier>UID_wide</identifier></metaData>"
	    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>"
	    "<decomposition id='Net' isRootNet='true' "
	    "xsi:type='NetFactsType'><processControlElements>"
	    "<inputCondition id='i'>");
	put_flow(text, 0);
	wf_buffer_puts(text, "</inputCondition><task id='T0'>");
	for (unsigned i = 1; i <= WIDTH; i++)
		put_flow(text, i);
	wf_buffer_puts(text, "<join code='xor'/><split code='and'/></task>");
	for (unsigned i = 1; i <= WIDTH; i++) {
		wf_buffer_printf(text, "<task id='T%u'>", i);
		put_flow(text, WIDTH + 1);
		put_timed_task(text, i, 1 + below(s, 40));
	}
	wf_buffer_printf(text,
	    "<task id='T%u'><flowsInto><nextElementRef id='o'/></flowsInto>",
	    WIDTH + 1);
	put_timed_task(text, WIDTH + 1, 1 + below(s, 20));
	wf_buffer_puts(text,
	    "<outputCondition id='o'/></processControlElements>"
	    "</decomposition>"
	    "<decomposition id='W' xsi:type='WebServiceGatewayFactsType'>"
	    "<externalInteraction>manual</externalInteraction>"
	    "</decomposition></specification></specificationSet>");
}

static void load_specs(struct simulation *s)
{
	struct wf_fixture *f = &s->fixture;
	struct wf_buffer text;

	s->specs[s->spec_count++] = f->key;
	wf_buffer_init(&text, TEXT_MAXIMUM);
	write_wide_net(s, &text);
	(void)hold(s,
	    wf_fixture_load(f, wf_buffer_text(&text), text.length) == WF_OK,
	    "the wide net is refused");
	s->wide = f->key;
	for (unsigned i = 0; i < SIMULATION_SPECS; i++) {
		wf_buffer_reset(&text);
		wf_random_timed_net(&s->random, &text);
		wf_error_clear(&f->err);
		if (wf_fixture_load(f, wf_buffer_text(&text), text.length) ==
		    WF_OK)
			s->specs[s->spec_count++] = f->key;
	}
	wf_buffer_free(&text);
}

static void begin(
    struct simulation *s, uint64_t seed, struct simulation_counts *counts)
{
	memset(s, 0, sizeof(*s));
	s->seed = seed;
	s->random.state = seed;
	s->counts = counts;
	s->records = wf_calloc(SIMULATION_REQUESTS, sizeof(*s->records));
	s->announced_by_subject = wf_map_new();
	s->quarantined = wf_map_new();
	for (unsigned i = 0; i < SIMULATION_CLIENTS; i++)
		snprintf(
		    s->clients[i].owner, sizeof(s->clients[i].owner), "w%u", i);
	wf_fixture_init(&s->fixture);
	for (unsigned i = 0; i < SIMULATION_ENGINES; i++)
		open_engine(s, i);
	load_specs(s);
}

static void end(struct simulation *s)
{
	for (unsigned i = 0; i < SIMULATION_ENGINES; i++) {
		count_engine(s, s->engines[i]);
		wf_engine_close(&s->engines[i]);
	}
	s->fixture.engine = NULL;
	wf_fixture_free(&s->fixture);
	wf_map_free(&s->announced_by_subject);
	wf_map_free(&s->quarantined);
	wf_free(s->announced);
	wf_free(s->records);
}

static void run_all(struct simulation *s, int64_t milliseconds)
{
	bool more = true;

	pass(s, milliseconds);
	for (unsigned t = 0; t < 500 && more; t++) {
		more = false;
		for (unsigned i = 0; i < SIMULATION_ENGINES; i++)
			more |= wf_engine_turn(s->engines[i]);
	}
}

/*
 * No more faults, and every request is answered; between two tries this much
 * time passes.
 */
static bool settle(struct simulation *s, int64_t milliseconds)
{
	struct wf_fixture *f = &s->fixture;
	bool waiting = true;

	if (s->holds)
		wf_store_abort(f->store);
	s->holds = false;
	f->broken_item = NULL;
	for (unsigned i = 0; i < SIMULATION_ENGINES; i++)
		for (unsigned k = 0; k < s->engines[i]->shard_count; k++)
			wf_store_fail_after(
			    wf_engine_shard_store(s->engines[i], k), 0,
			    WF_FAULT_BEFORE);
	for (unsigned i = 0; i < 50 && waiting; i++) {
		waiting = false;
		for (size_t r = 0; r < s->record_count; r++) {
			struct record *record = &s->records[r];

			if (record->outcome == OPEN && !record->waiting)
				simulation_submit(s, record);
			waiting |= record->outcome == OPEN || record->waiting;
		}
		run_all(s, milliseconds);
	}
	return hold(s, !waiting, "a request is never answered");
}

/* All engines are idle, and little time passes: much is due later. */
static bool rest(struct simulation *s)
{
	return settle(s, 300) && simulation_listen(s) && simulation_is_model(s);
}

/* Whether a retry does what it should: a command or a case is needed. */
static bool retry_one(
    struct simulation *s, const struct wf_incident_row *incident)
{
	struct wf_fixture *f = &s->fixture;
	bool is_deadlock = strcmp(incident->code, WF_DEADLOCK_CODE) == 0;
	bool has_something = incident->payload.data != NULL ||
			     wf_fixture_version(f, incident->number) != 0;
	enum wf_rc rc = wf_fixture_retry(f, incident->id);

	if (is_deadlock || !has_something)
		return hold(s, rc == WF_CONFLICT,
		    "an incident is retried that has nothing to retry");
	return hold(s, rc == WF_OK, "an incident cannot be retried");
}

/*
 * A person retries all that was quarantined, refused or dropped: no case stays.
 */
static bool retry_all(struct simulation *s)
{
	struct wf_fixture *f = &s->fixture;
	struct wf_incident_filter all = { .which = WF_INCIDENTS_ALL,
		.limit = 1000 };
	struct wf_case_filter filter = { .set_aside = true, .limit = 1000 };
	struct wf_incident_list incidents;
	struct wf_case_list quarantined;
	bool good = hold(s,
	    wf_store_incidents(f->store, &all, f->arena, &incidents, NULL) ==
		WF_OK,
	    "the incidents cannot be read");

	s->all_retried = true;
	f->engine = s->engines[0];
	for (size_t i = 0; good && i < incidents.count; i++)
		good = retry_one(s, &incidents.rows[i]);
	run_all(s, 70000);
	return good && hold(s,
			   wf_store_cases(f->store, &filter, f->arena,
			       &quarantined, NULL) == WF_OK &&
			       quarantined.count == 0,
			   "a case is quarantined after all was retried");
}

/* All that is due is done in the end, whichever engine had claimed it. */
static bool check_late(struct simulation *s)
{
	int64_t at = 0;

	for (unsigned i = 0; i < 20 && at <= s->fixture.now; i++) {
		run_all(s, i == 0 ? 70000 : 1500);
		if (wf_store_next_due(s->fixture.store, &at, NULL) != WF_OK)
			return hold(s, false, "what is due cannot be read");
	}
	return hold(s, at > s->fixture.now, "what is due is never done");
}

/* --- checks --------------------------------------------------------------- */

struct done {
	struct wf_map *ids; /* of commands that made a step */
	unsigned *times;    /* by record */
	uint64_t sum;
};

/* Events of items and incidents, from requests and their results. */
static void count_record(struct simulation *s, const struct record *record)
{
	const struct wf_request *request = &record->request;
	struct simulation_counts *counts = s->counts;
	bool is_done = record->outcome == ACKNOWLEDGED;
	bool is_step = is_done && request->kind == WF_REQUEST_COMMAND;

	counts->incidents_retried +=
	    is_done && request->kind == WF_REQUEST_RETRY;
	counts->incidents_reported +=
	    is_done && request->kind == WF_REQUEST_REPORT;
	counts->announced_again +=
	    is_done && request->kind == WF_REQUEST_ANNOUNCE;
	counts->items_added +=
	    is_step && request->command.kind == WF_COMMAND_ADD;
	counts->items_suspended +=
	    is_step && request->command.kind == WF_COMMAND_SUSPEND_ITEM;
	counts->leases_refused += record->outcome == REFUSED &&
				  wf_request_commands(request) &&
				  request->lease.owner != NULL;
}

static bool check_row(
    struct simulation *s, const struct wf_history_row *row, struct done *done)
{
	static const char own[] = SIMULATION_ACTOR "/";
	const struct record *record;
	size_t index;

	if (!hold(s, wf_map_add(done->ids, row->command, done->ids),
		"two steps have one id"))
		return false;
	if (strncmp(row->command, own, strlen(own)) != 0)
		return hold(s, row->command[0] == '/', "a step has no id");
	record = simulation_record(s, row->command + strlen(own));
	if (!hold(s, record != NULL, "nobody asked for a step"))
		return false;
	index = (size_t)(record - s->records);
	done->times[index]++;
	return simulation_hold(s,
		   record->outcome == ACKNOWLEDGED &&
		       record->number == row->number &&
		       record->sequence == row->sequence,
		   "a step is not the one that was acknowledged",
		   record->key) &&
	       simulation_hold(s, done->times[index] == 1,
		   "a step was done twice", record->key);
}

static bool check_history(struct simulation *s, struct done *done)
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

			good = check_row(s, &list.rows[i], done);
			for (size_t b = 0; b < list.rows[i].events.size; b++)
				done->sum = (done->sum ^ bytes[b]) *
					    UINT64_C(0x100000001b3);
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

static bool check_records(struct simulation *s, const struct done *done)
{
	bool good = true;

	for (size_t i = 0; i < s->record_count && good; i++) {
		const struct record *record = &s->records[i];
		bool there = record->outcome == ACKNOWLEDGED &&
			     record->request.kind == WF_REQUEST_COMMAND;

		good = simulation_hold(s, done->times[i] == (there ? 1U : 0U),
			   "an acknowledged step is not there", record->key) &&
		       simulation_hold(s, !record->differs,
			   "a request was answered in two ways", record->key);
		count_record(s, record);
	}
	return good;
}

static bool check_all(struct simulation *s, uint64_t *sum)
{
	struct done done = { .ids = wf_map_new(),
		.times = wf_calloc(SIMULATION_REQUESTS, sizeof(*done.times)) };
	bool good =
	    check_history(s, &done) && check_cases(s) &&
	    hold(s, wf_fixture_is_whole(&s->fixture), "the store is damaged") &&
	    check_records(s, &done);

	*sum = done.sum;
	wf_map_free(&done.ids);
	wf_free(done.times);
	return good;
}

/* Some requests at the same time, or one. */
static void act(struct simulation *s)
{
	unsigned count = below(s, 4) == 0 ? SIMULATION_CLIENTS : 1;

	/* Its handle has a batch, and reads nothing meanwhile. */
	if (s->holds)
		return;
	if (below(s, 5) == 0)
		simulation_rush(s);
	for (unsigned i = 0; i < count; i++)
		simulation_act(s, &s->clients[below(s, SIMULATION_CLIENTS)]);
}

static bool live(struct simulation *s)
{
	bool good = true;

	for (unsigned i = 0; i < ROUNDS && good; i++) {
		pass(s, below(s, 300));
		act(s);
		disturb(s);
		if (below(s, 3) > 0)
			wf_engine_turn(any_engine(s));
		if (below(s, ROUNDS / RESTS) == 0)
			good = rest(s);
	}
	return good;
}

static bool simulate(
    uint64_t seed, uint64_t *sum, struct simulation_counts *counts)
{
	struct simulation s;
	bool good;

	*sum = 0;
	begin(&s, seed, counts);
	good = live(&s) && rest(&s) && settle(&s, 70000) && rest(&s) &&
	       retry_all(&s) && check_late(&s) && rest(&s) &&
	       check_all(&s, sum);
	end(&s);
	return good;
}

/* --- tests ---------------------------------------------------------------- */

/* A kind of fault or request that has not happened; NULL: all have. */
static const char *what_is_missing(const struct simulation_counts *counts)
{
	const struct {
		const char *name;
		unsigned count;
	} rows[] = {
#define WF_COUNT(name) { #name, counts->name },
#include "tests/unit/simulation_counts.def"
#undef WF_COUNT
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (rows[i].count == 0)
			return rows[i].name;
	return NULL;
}

static void test_simulation(void)
{
	const char *text = getenv("WEFT_SEED");
	uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : DEFAULT_SEED;
	/* A sanitizer makes a run expensive: a few, without rare events. */
	bool samples = test_is_dear();
	unsigned runs = test_soaks() ? SOAK_RUNS
			: samples    ? SANITIZED_RUNS
				     : RUNS;
	struct simulation_counts counts = { 0 };
	const char *missing = "anything";
	bool good = true;

	/* Rare events need some more seeds. */
	for (unsigned i = 0;
	     good && (i < runs || (missing != NULL && i < TIMES_MOST * runs));
	     i++) {
		uint64_t sum;

		good = simulate(seed + i, &sum, &counts);
		missing = samples ? NULL : what_is_missing(&counts);
	}
	CU_ASSERT_TRUE(good);
	if (good && missing != NULL)
		printf("simulation: there were no %s\n", missing);
	CU_ASSERT_TRUE(!good || missing == NULL);
}

static void test_same_seed(void)
{
	struct simulation_counts counts = { 0 };
	uint64_t first;
	uint64_t second;

	CU_ASSERT_TRUE(simulate(7, &first, &counts));
	CU_ASSERT_TRUE(simulate(7, &second, &counts));
	CU_ASSERT_EQUAL(first, second);
	CU_ASSERT_NOT_EQUAL(first, 0);
}

CU_TestInfo wf_tests_simulation[] = {
	{ "engines from seeds", test_simulation },
	{ "the same seed gives the same run", test_same_seed },
	CU_TEST_INFO_NULL,
};
