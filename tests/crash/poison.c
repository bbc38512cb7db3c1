/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/crash/poison.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/panic.h"
#include "kernel/step.h"
#include "tests/crash/mix.h"

#define CASES 64U
/* Values longer than WF_VALUE_INLINE_BYTES are rows of their own. */
#define LARGE 3000U
#define START INT64_C(1767225600000)
#define IDLE_TURNS 20U
#define MEANWHILE 5U
/* Longer than a due command may stay claimed by an engine. */
#define LATER INT64_C(70000)

enum poison { NONE, ASSERTION, DEATH };

struct poisoned {
	const char *name;
	const char *url;
	struct crash_mix mix;
	struct wf_engine *engine;
	struct wf_arena *arena;
	uint64_t numbers[CASES];
	uint64_t bad;
	enum poison poison; /* effect of the probe on the bad case */
	int64_t now;
	unsigned done; /* requests that succeeded */
	unsigned failed;
	enum wf_rc rc; /* of the last that failed */
	unsigned complaints;
};

static void expect(struct poisoned *p, bool condition, const char *what)
{
	if (condition)
		return;
	p->complaints++;
	printf("%s: %s\n", p->name, what);
}

static int64_t clock_of(void *context)
{
	return ((const struct poisoned *)context)->now;
}

static void probe(
    void *context, const struct wf_request *request, struct wf_command *command)
{
	const struct poisoned *p = context;
	bool is_bad_case = request->number == p->bad &&
			   command->kind == WF_COMMAND_UPDATE_CASE;

	if (p->poison == DEATH && is_bad_case)
		raise(SIGKILL);
	wf_assert(p->poison != ASSERTION || !is_bad_case);
}

static void open_engine(struct poisoned *p, const char *mix)
{
	struct wf_engine_settings settings;
	struct wf_error err = { 0 };

	wf_engine_settings_init(&settings);
	settings.url = p->url;
	settings.now = clock_of;
	settings.probe = probe;
	settings.context = p;
	if (wf_engine_open(&p->engine, &settings, &err) != WF_OK ||
	    crash_mix_load(&p->mix, mix, p->engine, &err) != WF_OK)
		crash_fail("%s", err.message);
}

/* A request that failed is retried later; then a turn does nothing. */
static void turn(struct poisoned *p)
{
	for (unsigned idle = 0; idle < IDLE_TURNS; idle++)
		if (wf_engine_turn(p->engine))
			idle = 0;
}

/* --- requests ------------------------------------------------------------- */

static void count(void *context, const struct wf_reply *reply)
{
	struct poisoned *p = context;

	if (reply->rc == WF_OK) {
		p->done++;
		return;
	}
	p->failed++;
	p->rc = reply->rc;
}

static void submit(struct poisoned *p, const struct wf_request *request)
{
	struct wf_error err = { 0 };

	if (wf_engine_submit(p->engine, request, count, p, &err) != WF_OK)
		crash_fail("%s", err.message);
}

static void launch_all(struct poisoned *p)
{
	for (unsigned i = 0; i < CASES; i++) {
		struct wf_request request = { .kind = WF_REQUEST_COMMAND,
			.command = { .kind = WF_COMMAND_LAUNCH },
			.launch = { .specification = p->mix.nets[0].key } };
		struct wf_answer answer;
		struct wf_error err = { 0 };

		if (wf_engine_call(p->engine, &request, &answer, &err) != WF_OK)
			crash_fail("%s", err.message);
		p->numbers[i] = answer.number;
	}
	p->bad = p->numbers[CASES / 3];
}

/* A large text for each case, in one batch; with or without the bad case. */
static void update_all(
    struct poisoned *p, enum wf_request_kind kind, bool bad_too)
{
	struct wf_buffer data;

	wf_buffer_init(&data, 2 * LARGE);
	wf_buffer_printf(&data, "<%s><text>", p->mix.nets[0].name);
	for (unsigned i = 0; i < LARGE; i++)
		wf_buffer_putc(&data, 'x');
	wf_buffer_printf(&data, "</text></%s>", p->mix.nets[0].name);
	for (unsigned i = 0; i < CASES; i++) {
		struct wf_request request = { .kind = kind,
			.command = { .kind = WF_COMMAND_UPDATE_CASE,
			    .data = wf_buffer_text(&data),
			    .length = data.length },
			.number = p->numbers[i],
			.at = p->now };

		if (bad_too || request.number != p->bad)
			submit(p, &request);
	}
	wf_buffer_free(&data);
}

/* --- the expected result -------------------------------------------------- */

/* The bad case is quarantined, the others have made a step. */
static void expect_cases(struct poisoned *p, struct wf_store *store)
{
	for (unsigned i = 0; i < CASES; i++) {
		bool bad = p->numbers[i] == p->bad;
		struct wf_stored_case stored;

		if (wf_store_case(store, p->numbers[i], false, p->arena,
			&stored, NULL) != WF_OK)
			crash_fail("a case cannot be read");
		expect(p, stored.row.set_aside == bad,
		    bad ? "the bad case is not quarantined"
			: "a good case is quarantined");
		expect(p, (stored.row.version == 1) == bad,
		    bad ? "the bad case made a step"
			: "a good case made no step");
	}
}

static void expect_incident(
    struct poisoned *p, struct wf_store *store, const char *text)
{
	struct wf_incident_filter filter = { .limit = 10 };
	struct wf_incident_list list;

	if (wf_store_incidents(store, &filter, p->arena, &list, NULL) != WF_OK)
		crash_fail("incidents cannot be read");
	expect(p, list.count == 1, "there is not one incident");
	if (list.count != 1)
		return;
	expect(p, list.rows[0].number == p->bad,
	    "the incident is of another case");
	expect(p, strstr(list.rows[0].text, text) != NULL, list.rows[0].text);
}

/* Then the bad case is released, and does its steps. */
static void expect_retry(struct poisoned *p, struct wf_store *store)
{
	struct wf_request retry = { .kind = WF_REQUEST_RETRY,
		.incident = { .id = 1 } };
	struct wf_incident_filter filter = { .limit = 1 };
	struct wf_incident_list list;
	struct wf_answer answer;

	p->poison = NONE;
	if (wf_store_incidents(store, &filter, p->arena, &list, NULL) !=
		WF_OK ||
	    list.count != 1)
		return;
	retry.incident.id = list.rows[0].id;
	expect(p, wf_engine_call(p->engine, &retry, &answer, NULL) == WF_OK,
	    "the incident cannot be dealt with");
	turn(p);
}

static void expect_all(struct poisoned *p, const char *text)
{
	struct wf_store *store;

	if (wf_engine_borrow(p->engine, &store, NULL) != WF_OK)
		crash_fail("there is no store");
	expect_cases(p, store);
	expect_incident(p, store, text);
	expect_retry(p, store);
	wf_engine_give_back(p->engine, store);
}

/* --- the poisons ---------------------------------------------------------- */

static void test_assertion(struct poisoned *p, const char *mix)
{
	open_engine(p, mix);
	launch_all(p);
	p->poison = ASSERTION;
	update_all(p, WF_REQUEST_COMMAND, true);
	turn(p);
	expect(p, p->done == CASES - 1 && p->failed == 1 && p->rc == WF_BUG,
	    "not just the bad case fails");
	/* The incident names file and line. */
	expect_all(p, "tests/crash/poison.c:");
	wf_engine_close(&p->engine);
}

/* The row that the next step of the bad case writes exists already. */
static void occupy(struct poisoned *p, struct wf_store *store)
{
	struct wf_take take = { .number = p->bad };
	struct wf_batch batch = { .takes = &take, .take_count = 1 };
	struct wf_value_row row = {
		.number = p->bad, .value = 1, .text = { "x", 1 }
	};
	struct wf_writes writes = { .values = &row, .value_count = 1 };
	struct wf_error err = { 0 };

	if (wf_store_begin(store, &batch, p->arena, &err) != WF_OK ||
	    wf_store_commit(store, &writes, NULL, &err) != WF_OK)
		crash_fail("%s", err.message);
}

static void test_rejection(struct poisoned *p, const char *mix)
{
	struct wf_store *store;

	open_engine(p, mix);
	launch_all(p);
	if (wf_engine_borrow(p->engine, &store, NULL) != WF_OK)
		crash_fail("there is no store");
	occupy(p, store);
	wf_engine_give_back(p->engine, store);
	update_all(p, WF_REQUEST_COMMAND, true);
	turn(p);
	expect(p, p->done == CASES - 1, "a good case waits for the bad one");
	/* When others are committed meanwhile, the case itself is at fault. */
	for (unsigned i = 0; i < MEANWHILE && p->failed == 0; i++) {
		update_all(p, WF_REQUEST_COMMAND, false);
		turn(p);
	}
	expect(p,
	    p->done % (CASES - 1) == 0 && p->failed == 1 &&
		p->rc == WF_CONFLICT,
	    "not just the bad case fails");
	expect_all(p, "it has such a row already");
	wf_engine_close(&p->engine);
}

/* An engine in a process of its own; false when it died. */
static bool live(struct poisoned *p, const char *mix)
{
	pid_t child;
	int status = 0;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		open_engine(p, mix);
		turn(p);
		wf_engine_close(&p->engine);
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child)
		crash_fail("no process can be made");
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_death(struct poisoned *p, const char *mix)
{
	unsigned deaths = 0;

	open_engine(p, mix);
	launch_all(p);
	update_all(p, WF_REQUEST_SCHEDULE, true);
	/* They are scheduled when they are answered; nothing is done yet. */
	p->now -= LATER;
	turn(p);
	wf_engine_close(&p->engine);
	p->poison = DEATH;
	p->now += LATER;
	while (deaths < 10 && !live(p, mix)) {
		deaths++;
		p->now += LATER;
	}
	expect(p, deaths == 3, "the command was not tried three times");
	open_engine(p, mix);
	expect_all(p, "3 attempts have ended with the death of the engine");
	wf_engine_close(&p->engine);
}

unsigned crash_poison(const char *url, const char *mix)
{
	static const struct {
		const char *name;
		void (*test)(struct poisoned *p, const char *mix);
	} tests[] = { { "a failing assertion", test_assertion },
		{ "a case that the store rejects", test_rejection },
		{ "a command that kills its engine", test_death } };
	unsigned complaints = 0;

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct poisoned p = { .now = START, .arena = wf_arena_new() };
		char own[512];

		snprintf(own, sizeof(own), "%s%zu", url, i);
		p.url = own;
		p.name = tests[i].name;
		tests[i].test(&p, mix);
		complaints += p.complaints;
		wf_arena_free(&p.arena);
	}
	return complaints;
}
