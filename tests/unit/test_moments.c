/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases as they were after a step: for random nets and commands, the state that
 * is made from the history is, byte for byte, the one that was seen then, in
 * whatever order steps are asked for.  WEFT_SEED sets the choices.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <string.h>

#include "kernel/step.h"
#include "runtime/moments/moments.h"
#include "tests/unit/engine_fixture.h"
#include "tests/unit/random_net.h"
#include "tests/unit/seed.h"

#define DEFAULT_SEED 20261018U
#define ROUNDS 40U
#define COMMANDS 60U
#define TEXT_MAXIMUM ((size_t)4 << 20)

struct moment {
	uint64_t version;
	uint32_t status;
	int64_t at;
	struct wf_buffer bytes;
};

struct record {
	struct moment moments[COMMANDS * 4];
	size_t count;
	struct moment seen; /* what was shown last */
};

static void record_case(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct moment *seen = context;

	seen->version = stored->row.version;
	seen->status = stored->row.status;
	seen->at = stored->row.changed_at;
	wf_buffer_reset(&seen->bytes);
	CU_ASSERT_EQUAL(wf_case_encode(instance, &seen->bytes, NULL), WF_OK);
}

/* What the case is now, if it has made a step. */
static void note(struct wf_fixture *f, struct record *record, uint64_t number)
{
	struct moment *next = &record->moments[record->count];

	if (record->count == sizeof(record->moments) / sizeof(*next))
		return;
	wf_buffer_init(&next->bytes, TEXT_MAXIMUM);
	if (wf_engine_inspect(f->engine, number, record_case, next, NULL) ==
		WF_OK &&
	    (record->count == 0 || next[-1].version < next->version))
		record->count++;
	else
		wf_buffer_free(&next->bytes);
}

static void compare(struct wf_fixture *f, struct record *record,
    uint64_t number, const struct moment *then)
{
	struct moment *seen = &record->seen;
	struct wf_error err = { .rc = WF_OK };

	wf_buffer_reset(&seen->bytes);
	CU_ASSERT_EQUAL(wf_engine_inspect_step(f->engine, number, then->version,
			    record_case, seen, &err),
	    WF_OK);
	if (err.rc != WF_OK)
		printf("moments: %s\n", err.message);
	CU_ASSERT_EQUAL(seen->version, then->version);
	CU_ASSERT_EQUAL(seen->status, then->status);
	CU_ASSERT_EQUAL(seen->at, then->at);
	CU_ASSERT_EQUAL(seen->bytes.length, then->bytes.length);
	if (seen->bytes.length == then->bytes.length)
		CU_ASSERT(memcmp(seen->bytes.data, then->bytes.data,
			      then->bytes.length) == 0);
}

static void work(
    struct wf_fixture *f, struct wf_random *random, uint64_t number)
{
	static const enum wf_command_kind kinds[] = { WF_COMMAND_FINISH,
		WF_COMMAND_FINISH, WF_COMMAND_FINISH, WF_COMMAND_START,
		WF_COMMAND_START, WF_COMMAND_SKIP, WF_COMMAND_FORCE,
		WF_COMMAND_SUSPEND_ITEM, WF_COMMAND_RESUME_ITEM,
		WF_COMMAND_ROLLBACK, WF_COMMAND_SUSPEND_CASE,
		WF_COMMAND_RESUME_CASE };
	enum wf_command_kind kind =
	    kinds[wf_random_below(random, sizeof(kinds) / sizeof(*kinds))];
	struct wf_item_filter filter = { .number = number, .limit = 20 };
	struct wf_item_list list = { NULL, 0 };
	const char *item = NULL;

	if (wf_store_items(f->store, &filter, f->arena, &list, NULL) == WF_OK &&
	    list.count > 0)
		item =
		    list.rows[wf_random_below(random, (uint32_t)list.count)].id;
	(void)(wf_fixture_do(f, number, kind, item, NULL, NULL) == WF_OK);
	if (wf_random_below(random, 4) == 0)
		f->now += 3600 * 1000; /* for its timers */
	wf_fixture_turn(f);
}

/* The key of a random specification; 0: it was refused. */
static uint64_t load(struct wf_fixture *f, struct wf_random *random)
{
	struct wf_buffer text;
	uint64_t key = 0;

	wf_buffer_init(&text, TEXT_MAXIMUM);
	wf_random_timed_net(random, &text);
	if (wf_engine_load(f->engine, 0, text.data, text.length, NULL, &key, 1,
		NULL, NULL) != WF_OK)
		key = 0;
	wf_buffer_free(&text);
	return key;
}

static void live_and_compare(
    struct wf_fixture *f, struct wf_random *random, uint64_t *compared)
{
	struct record *record = wf_calloc(1, sizeof(*record));
	uint64_t number = 0;

	f->key = load(f, random);
	if (f->key != 0)
		number = wf_fixture_launch(f);
	wf_buffer_init(&record->seen.bytes, TEXT_MAXIMUM);
	if (number != 0)
		note(f, record, number);
	for (unsigned i = 0; number != 0 && i < COMMANDS; i++) {
		work(f, random, number);
		note(f, record, number);
		if (wf_random_below(random, 8) == 0)
			compare(f, record, number,
			    &record->moments[wf_random_below(
				random, (uint32_t)record->count)]);
	}
	for (size_t i = 0; i < record->count; i++)
		compare(f, record, number, &record->moments[i]);
	for (size_t i = 0; i < record->count; i++)
		compare(f, record, number,
		    &record->moments[wf_random_below(
			random, (uint32_t)record->count)]);
	*compared += record->count;
	for (size_t i = 0; i < record->count; i++)
		wf_buffer_free(&record->moments[i].bytes);
	wf_buffer_free(&record->seen.bytes);
	wf_free(record);
}

static void test_random_cases(void)
{
	struct wf_random random = { test_seed("moments", DEFAULT_SEED) };
	uint64_t compared = 0;
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.limits = &wf_random_limits;
	wf_fixture_open(&f);
	for (unsigned i = 0; i < test_dear_rounds(ROUNDS); i++) {
		live_and_compare(&f, &random, &compared);
		wf_arena_reset(f.arena);
	}
	CU_ASSERT(compared > ROUNDS); /* cases did something */
	wf_fixture_free(&f);
}

/* --- a long case ---------------------------------------------------------- */

#define LONG 1000U

static void see_version(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	bool *good = context;
	bool is_suspended = wf_case_status(instance) == WF_CASE_SUSPENDED;

	/* It was launched, then suspended and resumed in turn. */
	*good = is_suspended == (stored->row.version % 2 == 0) &&
		stored->row.status == (uint32_t)wf_case_status(instance);
}

static bool is_as_it_was(
    struct wf_fixture *f, uint64_t number, uint64_t sequence)
{
	bool good = false;

	return wf_engine_inspect_step(f->engine, number, sequence, see_version,
		   &good, &f->err) == WF_OK &&
	       good;
}

static uint64_t make_long(struct wf_fixture *f)
{
	uint64_t number;

	wf_fixture_init(f);
	wf_fixture_open(f);
	number = wf_fixture_launch(f);
	for (unsigned i = 0; i < LONG / 2; i++) {
		CU_ASSERT_EQUAL(wf_fixture_do(f, number,
				    WF_COMMAND_SUSPEND_CASE, NULL, NULL, NULL),
		    WF_OK);
		CU_ASSERT_EQUAL(wf_fixture_do(f, number, WF_COMMAND_RESUME_CASE,
				    NULL, NULL, NULL),
		    WF_OK);
	}
	return number;
}

static void test_scrubbing(void)
{
	struct wf_fixture f;
	uint64_t number = make_long(&f);

	CU_ASSERT(is_as_it_was(&f, number, LONG + 1));
	for (uint64_t i = 1; i <= LONG + 1; i++)
		CU_ASSERT(is_as_it_was(&f, number, i));
	for (uint64_t i = LONG + 1; i > 0; i -= 7 % i + 1)
		CU_ASSERT(is_as_it_was(&f, number, i));
	wf_fixture_free(&f);
}

static void test_what_is_not_there(void)
{
	struct wf_fixture f;
	uint64_t number = make_long(&f);
	bool good;

	CU_ASSERT_EQUAL(wf_engine_inspect_step(f.engine, number, LONG + 2,
			    see_version, &good, &f.err),
	    WF_NOT_FOUND);
	CU_ASSERT(
	    strstr(f.err.message, "has made 1001 steps, not 1002") != NULL);
	wf_error_clear(&f.err);
	CU_ASSERT_EQUAL(wf_engine_inspect_step(
			    f.engine, number, 0, see_version, &good, &f.err),
	    WF_INVALID);
	wf_error_clear(&f.err);
	CU_ASSERT_EQUAL(wf_engine_inspect_step(f.engine, number + 1, 1,
			    see_version, &good, &f.err),
	    WF_NOT_FOUND);
	wf_error_clear(&f.err);
	CU_ASSERT(is_as_it_was(&f, number, LONG));
	wf_fixture_free(&f);
}

/* --- the kept states ------------------------------------------------------ */

static void keep(
    struct moments *states, uint64_t number, uint64_t sequence, bool is_base)
{
	static const char bytes[1000] = "state";
	const struct moment_state state = { .number = number,
		.sequence = sequence,
		.bytes = bytes,
		.size = sizeof(bytes) };

	wf_moments_keep(states, &state, is_base);
}

/* 0: none. */
static uint64_t find(struct moments *states, uint64_t number, uint64_t sequence)
{
	const struct moment_state *state =
	    wf_moments_find(states, number, sequence);
	uint64_t found = state == NULL ? 0 : state->sequence;

	wf_moments_let_go(states, &state);
	return found;
}

static void test_kept_states(void)
{
	struct moments *states = wf_moments_new(20000);
	const struct moment_state *held;
	unsigned kept = 0;

	CU_ASSERT_EQUAL(find(states, 1, 100), 0);
	keep(states, 1, 64, true);
	keep(states, 1, 70, false);
	keep(states, 1 + 1024, 66, false);
	CU_ASSERT_EQUAL(find(states, 1, 63), 0);
	CU_ASSERT_EQUAL(find(states, 1, 69), 64);
	CU_ASSERT_EQUAL(find(states, 1, 70), 70);
	keep(states, 1, 64, false); /* stays a base */
	keep(states, 1, 71, false); /* instead of 70 */
	CU_ASSERT_EQUAL(find(states, 1, 70), 64);
	CU_ASSERT_EQUAL(find(states, 1, 100), 71);
	held = wf_moments_find(states, 1, 64);
	for (uint64_t i = 2; i < 100; i++)
		keep(states, i, 1, true);
	for (uint64_t i = 2; i < 100; i++)
		kept += find(states, i, 1) != 0;
	CU_ASSERT(kept > 0 && kept <= 20); /* of 1,000 bytes each */
	CU_ASSERT_EQUAL(find(states, 1, 100), 0);
	CU_ASSERT_EQUAL(find(states, 99, 100), 1);
	CU_ASSERT_STRING_EQUAL(held->bytes, "state");
	wf_moments_let_go(states, &held);
	wf_moments_forget(states, 99);
	CU_ASSERT_EQUAL(find(states, 99, 100), 0);
	wf_moments_free(&states);
}

CU_TestInfo wf_tests_moments[] = {
	{ "random cases, at each of their steps", test_random_cases },
	{ "a long case, forth and back", test_scrubbing },
	{ "steps that are not there", test_what_is_not_there },
	{ "kept states", test_kept_states },
	CU_TEST_INFO_NULL,
};
