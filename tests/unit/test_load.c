/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime under load: engines of several shards each on one store, with
 * tiny caches; clients that share cases and repeat requests; other threads that
 * read, list, take announcements, load and unload specifications meanwhile.
 *
 * At the end each acknowledged step is there once, and the store is whole. The
 * build with the thread sanitizer runs it to find races. WEFT_SEED sets the
 * clients' choices; WEFT_SOAK=1 has them do much more.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel/why.h"
#include "tests/message_queues.h"
#include "tests/unit/engine_fixture.h"
#include "tests/unit/random_net.h"
#include "tests/unit/seed.h"

#define DEFAULT_SEED 20260103U
#define ENGINES 2U
#define SHARDS 3U
#define SPECS 4U
#define CLIENTS 4U
#define TEXT_MAXIMUM ((size_t)4 << 20)

struct load {
	struct wf_fixture fixture; /* its engine is the first */
	struct wf_engine *engines[ENGINES];
	uint64_t specs[SPECS + 1];
	uint32_t spec_count;
	unsigned requests; /* that each client makes */
	atomic_ullong cases[CLIENTS];
	atomic_ullong steps; /* acknowledged */
	atomic_ullong wrong;
	atomic_bool over;
};

/* The state of one thread. */
struct part {
	struct load *load;
	struct wf_random random;
	unsigned number;
	unsigned made; /* requests */
};

static uint32_t below(struct part *part, uint32_t n)
{
	return wf_random_below(&part->random, n);
}

static struct wf_engine *any_engine(struct part *part)
{
	return part->load->engines[below(part, ENGINES)];
}

static void pause_briefly(void)
{
	struct timespec moment = { 0, 1000000 };

	nanosleep(&moment, NULL);
}

static void hold(struct part *part, bool condition, const char *what)
{
	if (condition)
		return;
	atomic_fetch_add(&part->load->wrong, 1);
	printf("load: %s\n", what);
}

/* --- clients -------------------------------------------------------------- */

/* Waits until the outcome is known. */
static enum wf_rc insist(struct part *part, const struct wf_request *request,
    struct wf_answer *answer)
{
	enum wf_rc rc;

	while ((rc = wf_engine_call(any_engine(part), request, answer, NULL)) ==
	       WF_UNAVAILABLE)
		pause_briefly();
	return rc;
}

/* It has ended. */
static void forget(struct load *load, uint64_t number)
{
	for (unsigned i = 0; i < CLIENTS; i++) {
		unsigned long long expected = number;

		atomic_compare_exchange_strong(&load->cases[i], &expected, 0);
	}
}

static void ask(struct part *part, struct wf_request *request)
{
	struct load *load = part->load;
	struct wf_answer answer;
	struct wf_answer again;
	char key[32];

	snprintf(key, sizeof(key), "%u-%u", part->number, ++part->made);
	request->actor = "ann";
	request->key = key;
	if (insist(part, request, &answer) != WF_OK) {
		if (request->command.item == NULL)
			forget(load, request->number);
		return;
	}
	atomic_fetch_add(&load->steps, answer.sequence > 0);
	if (request->command.kind == WF_COMMAND_LAUNCH)
		atomic_store(&load->cases[part->number], answer.number);
	else if (answer.status > WF_CASE_SUSPENDED)
		forget(load, request->number);
	if (below(part, 4) > 0)
		return;
	hold(part,
	    insist(part, request, &again) == WF_OK && again.repeated &&
		again.number == answer.number &&
		again.sequence == answer.sequence,
	    "a request that is repeated is answered otherwise");
}

static void launch(struct part *part)
{
	struct load *load = part->load;
	struct wf_request request = { .command = {
					  .kind = WF_COMMAND_LAUNCH } };

	request.launch.specification =
	    load->specs[below(part, load->spec_count)];
	ask(part, &request);
}

/* A request that is not work; now or delayed. */
static void interfere(struct part *part, uint64_t number)
{
	static const enum wf_command_kind kinds[] = { WF_COMMAND_SUSPEND_CASE,
		WF_COMMAND_UPDATE_CASE, WF_COMMAND_CANCEL_CASE };
	struct wf_request request = { .number = number };
	struct timespec now;

	request.command.kind = kinds[below(part, 3)];
	if (request.command.kind == WF_COMMAND_UPDATE_CASE) {
		request.command.data = "<N><s>changed</s></N>";
		request.command.length = strlen(request.command.data);
	}
	if (below(part, 2) == 0) {
		clock_gettime(CLOCK_REALTIME, &now);
		request.kind = WF_REQUEST_SCHEDULE;
		request.at = (int64_t)now.tv_sec * 1000 + below(part, 20);
	}
	ask(part, &request);
}

static void work(struct part *part, uint64_t number)
{
	struct wf_item_filter filter = { .number = number, .limit = 5 };
	struct wf_request request = { .number = number };
	struct wf_engine *engine = any_engine(part);
	struct wf_arena *arena = wf_arena_new();
	struct wf_item_list list = { NULL, 0 };
	struct wf_store *store;

	if (wf_engine_borrow(engine, &store, NULL) == WF_OK) {
		if (wf_store_items(store, &filter, arena, &list, NULL) != WF_OK)
			list.count = 0;
		wf_engine_give_back(engine, store);
	}
	request.command.kind = WF_COMMAND_RESUME_CASE;
	if (list.count > 0 && below(part, 5) > 0) {
		request.command.kind =
		    below(part, 3) > 0 ? WF_COMMAND_FINISH : WF_COMMAND_START;
		request.command.item =
		    list.rows[below(part, (uint32_t)list.count)].id;
	}
	ask(part, &request);
	wf_arena_free(&arena);
}

static void *run_client(void *argument)
{
	struct part *part = argument;
	struct load *load = part->load;

	while (part->made < load->requests) {
		unsigned whose =
		    below(part, 4) > 0 ? part->number : below(part, CLIENTS);
		uint64_t number = atomic_load(&load->cases[whose]);

		if (number == 0 || below(part, 12) == 0)
			launch(part);
		else if (below(part, 12) == 0)
			interfere(part, number);
		else
			work(part, number);
	}
	return NULL;
}

/* --- other threads -------------------------------------------------------- */

static void inspect(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct wf_buffer text;

	(void)stored;
	wf_buffer_init(&text, TEXT_MAXIMUM);
	wf_case_data(instance, &text);
	hold(context, !text.full, "a case has too much data");
	if (wf_why(instance, "t1", &text, NULL) != WF_OK)
		wf_buffer_reset(&text);
	wf_buffer_free(&text);
}

static void list_and_read(struct part *part, struct wf_store *store,
    struct wf_arena *arena, struct wf_cursor *cursor)
{
	struct wf_case_filter cases = { .live = true, .limit = 20 };
	struct wf_history_filter stream = { .after = *cursor, .limit = 50 };
	struct wf_incident_filter incidents = { .limit = 10 };
	struct wf_incident_list incident_list;
	struct wf_history_list history;
	struct wf_case_list list;

	hold(part,
	    wf_store_cases(store, &cases, arena, &list, NULL) == WF_OK &&
		wf_store_history(store, &stream, arena, &history, NULL) ==
		    WF_OK &&
		wf_store_incidents(
		    store, &incidents, arena, &incident_list, NULL) == WF_OK,
	    "a list cannot be read");
	*cursor = history.next;
}

static void take_messages(struct part *part, struct wf_store *store,
    struct wf_arena *arena, int64_t now)
{
	struct wf_message_list list;
	struct wf_message_key keys[10];

	if (claim_messages(
		store, NULL, now, now + 10, 10, arena, &list, NULL) != WF_OK) {
		hold(part, false, "announcements cannot be claimed");
		return;
	}
	for (size_t i = 0; i < list.count; i++) {
		keys[i].number = list.rows[i].number;
		keys[i].message = list.rows[i].message;
	}
	hold(part, wf_store_acknowledge(store, keys, list.count, NULL) == WF_OK,
	    "announcements cannot be acknowledged");
}

static void *run_reader(void *argument)
{
	struct part *part = argument;
	struct load *load = part->load;
	struct wf_cursor cursor = { 0 };

	for (int64_t now = INT64_C(1) << 50; !atomic_load(&load->over);
	     now += 20) {
		struct wf_engine *engine = any_engine(part);
		struct wf_arena *arena = wf_arena_new();
		struct wf_engine_counts counts;
		struct wf_store *store;
		uint64_t number =
		    atomic_load(&load->cases[below(part, CLIENTS)]);

		if (number != 0)
			hold(part,
			    wf_engine_inspect(
				engine, number, inspect, part, NULL) == WF_OK,
			    "a case cannot be inspected");
		wf_engine_counts(engine, &counts);
		if (wf_engine_borrow(engine, &store, NULL) == WF_OK) {
			list_and_read(part, store, arena, &cursor);
			take_messages(part, store, arena, now);
			wf_engine_give_back(engine, store);
		}
		wf_arena_free(&arena);
		pause_briefly();
	}
	return NULL;
}

/* Loads a specification, runs a case, and unloads it again. */
static void *run_publisher(void *argument)
{
	struct part *part = argument;
	struct wf_buffer text;

	wf_buffer_init(&text, TEXT_MAXIMUM);
	while (!atomic_load(&part->load->over)) {
		struct wf_request request = { .command = {
						  .kind = WF_COMMAND_LAUNCH } };
		struct wf_answer answer;
		size_t count = 0;

		wf_buffer_reset(&text);
		wf_random_net(&part->random, &text);
		if (wf_engine_load(any_engine(part), 0, wf_buffer_text(&text),
			text.length, NULL, &request.launch.specification, 1,
			&count, NULL) != WF_OK ||
		    count == 0)
			continue;
		if (insist(part, &request, &answer) == WF_OK &&
		    answer.status == WF_CASE_RUNNING) {
			request.number = answer.number;
			request.command.kind = WF_COMMAND_CANCEL_CASE;
			hold(part, insist(part, &request, &answer) == WF_OK,
			    "a case cannot be cancelled");
		}
		hold(part,
		    wf_engine_unload(any_engine(part), 0,
			request.launch.specification, NULL) == WF_OK,
		    "a specification that is not used cannot be unloaded");
		pause_briefly();
	}
	wf_buffer_free(&text);
	return NULL;
}

static void announce(void *context, const struct wf_announcement *what,
    struct wf_destinations *destinations)
{
	(void)context;
	if (what->task == NULL)
		wf_destination_add(destinations, "listener");
}

/* --- a run ---------------------------------------------------------------- */

static void begin(struct load *load, const char *kind, struct wf_random *random)
{
	struct wf_fixture *f = &load->fixture;
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer text;

	memset(load, 0, sizeof(*load));
	load->requests = test_soaks() ? 10000 : 200;
	wf_fixture_init_on(f, kind);
	f->settings.threads = true;
	f->settings.shards = SHARDS;
	f->settings.cache_bytes = 20000;
	f->settings.spec_bytes = 400000;
	f->settings.queue_bytes = 4000;
	f->settings.batch = 8;
	f->settings.now = NULL;
	f->settings.announce = announce;
	f->settings.end_deadlocked = true; /* lest it keep its process */
	wf_fixture_open(f);
	load->specs[load->spec_count++] = f->key;
	wf_buffer_init(&text, TEXT_MAXIMUM);
	while (load->spec_count <= SPECS) {
		wf_buffer_reset(&text);
		wf_random_net(random, &text);
		wf_error_clear(&f->err);
		if (wf_fixture_load(f, wf_buffer_text(&text), text.length) ==
		    WF_OK)
			load->specs[load->spec_count++] = f->key;
	}
	wf_buffer_free(&text);
	load->engines[0] = f->engine;
	CU_ASSERT_EQUAL_FATAL(
	    wf_engine_open(&load->engines[1], &f->settings, &err), WF_OK);
}

static void run_threads(struct load *load, struct wf_random *random)
{
	static void *(*const bodies[])(void *) = { run_client, run_client,
		run_client, run_client, run_reader, run_publisher };
	struct part parts[CLIENTS + 2];
	pthread_t threads[CLIENTS + 2];

	for (unsigned i = 0; i < CLIENTS + 2; i++) {
		parts[i] = (struct part){ .load = load, .number = i };
		parts[i].random.state = wf_random_below(random, UINT32_MAX);
		CU_ASSERT_EQUAL_FATAL(
		    pthread_create(&threads[i], NULL, bodies[i], &parts[i]), 0);
	}
	for (unsigned i = 0; i < CLIENTS + 2; i++) {
		if (i == CLIENTS)
			atomic_store(&load->over, true);
		pthread_join(threads[i], NULL);
	}
}

/* Steps in the store that clients requested with a key. */
static uint64_t count_steps(struct wf_fixture *f)
{
	struct wf_history_filter filter = { .limit = 100 };
	struct wf_history_list list;
	uint64_t count = 0;

	do {
		CU_ASSERT_EQUAL_FATAL(
		    wf_store_history(f->store, &filter, f->arena, &list, NULL),
		    WF_OK);
		for (size_t i = 0; i < list.count; i++)
			count += strncmp(list.rows[i].command, "ann/", 4) == 0;
		filter.after = list.next;
	} while (list.count > 0);
	return count;
}

static void run(const char *kind, struct wf_random *random)
{
	struct load load;
	uint64_t count;

	begin(&load, kind, random);
	run_threads(&load, random);
	wf_engine_close(&load.engines[1]);
	wf_engine_close(&load.fixture.engine);
	count = count_steps(&load.fixture);
	CU_ASSERT_EQUAL(count, atomic_load(&load.steps));
	CU_ASSERT(count > CLIENTS * load.requests / 3);
	CU_ASSERT_EQUAL(atomic_load(&load.wrong), 0);
	CU_ASSERT(wf_fixture_is_whole(&load.fixture));
	wf_fixture_free(&load.fixture);
}

static void test_load(void)
{
	const char *given = getenv("WEFT_SEED");
	struct wf_random random = { DEFAULT_SEED };

	if (given != NULL)
		random.state = strtoull(given, NULL, 10);
	for (size_t i = 0; i < store_kind_count(); i++)
		run(store_kinds[i].name, &random);
}

CU_TestInfo wf_tests_load[] = {
	{ "engines of several shards on one store", test_load },
	CU_TEST_INFO_NULL,
};
