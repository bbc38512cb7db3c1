/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handing work over, without a network: policies, retry delays, sets of
 * services, circuit breakers, destinations, handlers and messages.
 */
#include <CUnit/CUnit.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/store_fixture.h"
#include "work/breaker.h"
#include "work/built_in.h"
#include "work/handler.h"
#include "work/lease.h"
#include "work/mail/digest_time.h"
#include "work/service.h"
#include "work/state/attempts.h"
#include "work/task_policy.h"

#define NOW INT64_C(1767225600000)

/* --- policies ------------------------------------------------------------- */

static void delays(void)
{
	static const struct {
		struct wf_service_policy policy;
		uint32_t attempts;
		int64_t delay;
	} rows[] = {
		{ WF_SERVICE_POLICY_DEFAULT, 0, 1000 },
		{ WF_SERVICE_POLICY_DEFAULT, 1, 1000 },
		{ WF_SERVICE_POLICY_DEFAULT, 2, 2000 },
		{ WF_SERVICE_POLICY_DEFAULT, 9, 256000 },
		{ WF_SERVICE_POLICY_DEFAULT, 10, 300000 },
		{ WF_SERVICE_POLICY_DEFAULT, UINT32_MAX, 300000 },
		{ { .delay_ms = 70, .backoff = 1, .cap_ms = 1000 }, 50, 70 },
		{ { .delay_ms = 70, .backoff = 10, .cap_ms = 0 }, 3, 0 },
		{ { .delay_ms = 0, .backoff = 2, .cap_ms = 1000 }, 3, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CU_ASSERT_EQUAL(
		    wf_service_delay(&rows[i].policy, rows[i].attempts),
		    rows[i].delay);
}

static void a_task_overrides_what_it_says(void)
{
	struct wf_hand_over says = {
		.attempts = 3, .delay_ms = 0, .cap_ms = -1, .timeout_ms = 0
	};
	struct wf_service_policy policy = WF_SERVICE_POLICY_DEFAULT;

	wf_hand_over_policy(NULL, &policy);
	CU_ASSERT_EQUAL(policy.attempts, 8);
	CU_ASSERT_EQUAL(policy.delay_ms, 1000);
	wf_hand_over_policy(&says, &policy);
	CU_ASSERT_EQUAL(policy.attempts, 3);
	CU_ASSERT_EQUAL(policy.backoff, 2);
	CU_ASSERT_EQUAL(policy.delay_ms, 0);
	CU_ASSERT_EQUAL(policy.cap_ms, 300000);
	CU_ASSERT_EQUAL(policy.timeout_ms, 30000);
	CU_ASSERT_EQUAL(policy.concurrency, 16);
}

static void what_says_nothing_never_waits(void)
{
	struct wf_hand_over says = { .delay_ms = -1 };
	int64_t at = 0;
	bool may = false;

	CU_ASSERT_FALSE(wf_hand_over_may_wait(NULL));
	CU_ASSERT_FALSE(wf_hand_over_may_wait(&says));
	CU_ASSERT_EQUAL(wf_hand_over_check(&says, "no XML", 6, NOW, NOW, NOW, 0,
			    &at, &may, NULL),
	    WF_OK);
	CU_ASSERT_TRUE(may);
	CU_ASSERT_EQUAL(
	    wf_hand_over_accept(&says, "no XML", 6, NOW, NULL), WF_OK);
}

/* It is evaluated where the messages of others wait. */
static void bounds_the_postcondition(void)
{
	struct wf_hand_over says = { .delay_ms = -1 };
	struct wf_expression *condition = &says.postcondition;
	struct wf_query *query = NULL;

	CU_ASSERT_EQUAL_FATAL(
	    wf_query_compile(&query,
		"/D/y != count(for $i in 1 to 1000000 return $i * 2 + 1)", NULL,
		0, NULL),
	    WF_OK);
	condition->text = "query";
	condition->query = query;
	CU_ASSERT_EQUAL(
	    wf_hand_over_accept(&says, "<D><y>1</y></D>", 15, NOW, NULL),
	    WF_LIMIT);
	wf_query_free(&query);
}

/* --- breakers ------------------------------------------------------------- */

static const struct wf_service_policy quick = {
	.delay_ms = 100, .backoff = 2, .cap_ms = 300000
};

static void fail_times(struct wf_breaker *breaker, unsigned times, int64_t now)
{
	while (times-- > 0)
		wf_breaker_failed(breaker, &quick, breaker->openings, now);
}

static void a_breaker_opens_after_failures_in_a_row(void)
{
	struct wf_breaker breaker = { .failures = 0 };

	fail_times(&breaker, WF_BREAKER_FAILURES - 1, NOW);
	CU_ASSERT_EQUAL(breaker.state, WF_BREAKER_CLOSED);
	CU_ASSERT_EQUAL(wf_breaker_room(&breaker, 16), 16);
	wf_breaker_succeeded(&breaker);
	fail_times(&breaker, WF_BREAKER_FAILURES - 1, NOW);
	CU_ASSERT_FALSE(wf_breaker_is_open(&breaker, NOW));
	fail_times(&breaker, 1, NOW);
	CU_ASSERT_EQUAL(breaker.state, WF_BREAKER_OPEN);
	CU_ASSERT_EQUAL(breaker.open_until, NOW + 100);
	CU_ASSERT_TRUE(wf_breaker_is_open(&breaker, NOW + 99));
}

static void a_breaker_is_half_open_for_one_call(void)
{
	struct wf_breaker breaker = { .failures = 0 };

	fail_times(&breaker, WF_BREAKER_FAILURES, NOW);
	CU_ASSERT_FALSE(wf_breaker_is_open(&breaker, NOW + 100));
	CU_ASSERT_EQUAL(breaker.state, WF_BREAKER_HALF_OPEN);
	CU_ASSERT_EQUAL(wf_breaker_room(&breaker, 16), 1);
	/* It stays half-open, whatever the clock does. */
	CU_ASSERT_FALSE(wf_breaker_is_open(&breaker, NOW));
	fail_times(&breaker, 1, NOW + 200);
	CU_ASSERT_EQUAL(breaker.state, WF_BREAKER_OPEN);
	CU_ASSERT_EQUAL(breaker.open_until, NOW + 200 + 200);
	CU_ASSERT_FALSE(wf_breaker_is_open(&breaker, NOW + 400));
	wf_breaker_succeeded(&breaker);
	CU_ASSERT_EQUAL(breaker.state, WF_BREAKER_CLOSED);
	CU_ASSERT_EQUAL(breaker.failures, 0);
	CU_ASSERT_EQUAL(wf_breaker_room(&breaker, 16), 16);
}

/* One opening, one delay, however many calls were under way. */
static void calls_that_began_earlier_open_it_once(void)
{
	struct wf_breaker breaker = { .failures = 0 };

	fail_times(&breaker, WF_BREAKER_FAILURES, NOW);
	for (unsigned i = 0; i < 100; i++)
		wf_breaker_failed(&breaker, &quick, 0, NOW + i);
	CU_ASSERT_EQUAL(breaker.open_until, NOW + 100);
	CU_ASSERT_FALSE(wf_breaker_is_open(&breaker, NOW + 100));
	/* Nor does one that ends during the trial call. */
	wf_breaker_failed(&breaker, &quick, 0, NOW + 110);
	CU_ASSERT_EQUAL(breaker.state, WF_BREAKER_HALF_OPEN);
	/* Each opening after a trial call lasts longer, up to the maximum. */
	for (unsigned i = 1; i <= 100; i++) {
		fail_times(&breaker, 1, NOW);
		CU_ASSERT_FALSE(
		    wf_breaker_is_open(&breaker, breaker.open_until));
	}
	fail_times(&breaker, 1, NOW);
	CU_ASSERT_EQUAL(breaker.open_until, NOW + WF_BREAKER_MAXIMUM_MS);
	wf_breaker_succeeded(&breaker);
	CU_ASSERT_FALSE(wf_breaker_is_open(&breaker, NOW));
}

/* --- services ------------------------------------------------------------- */

static struct store_fixture place;
static struct wf_services *services;

/* A kind of a folder above work/. */
static const struct wf_service_handler other_kind = { .number = 5,
	.name = "other",
	.url = WF_SERVICE_URL_IS_URI,
	.hears_refusals = true };

static void register_kinds(void)
{
	wf_service_kinds_add_own();
	wf_service_kind_add(&other_kind);
}

static void set_up(void)
{
	register_kinds();
	memset(&place, 0, sizeof(place));
	place.arena = wf_arena_new();
	store_kinds[0].make(&place);
	place.store = store_open(place.url, 0);
	CU_ASSERT_EQUAL_FATAL(
	    wf_services_open(&services, place.store, NULL), WF_OK);
}

static void tear_down(void)
{
	wf_services_close(&services);
	wf_store_close(&place.store);
	store_kinds[0].unmake(&place);
	wf_arena_free(&place.arena);
}

static struct wf_service service_of(
    const char *name, const char *uri, const struct wf_service_handler *kind)
{
	return (struct wf_service){ .namespace_id = 1,
		.name = name,
		.uri = uri,
		.kind = kind,
		.secret = kind == &wf_push_handler ? "0123456789abcdef" : "",
		.address = "",
		.documentation = "",
		.policy = WF_SERVICE_POLICY_DEFAULT };
}

static enum wf_rc put(
    const char *name, const char *uri, const struct wf_service_handler *kind)
{
	struct wf_service service = service_of(name, uri, kind);

	return wf_service_put(place.store, &service, NULL);
}

static void sets_do_not_change(void)
{
	const struct wf_service_set *before;
	const struct wf_service_set *after;
	const struct wf_service *found;

	set_up();
	before = wf_services_hold(services);
	CU_ASSERT_EQUAL(put("b", "http://b/", &wf_push_handler), WF_OK);
	CU_ASSERT_EQUAL(put("a", "urn:a", &wf_pull_handler), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_services_refresh(services, place.store, NULL), WF_OK);
	CU_ASSERT_EQUAL(before->count, 0);
	CU_ASSERT_PTR_NULL(wf_service_by_name(before, 1, "a"));
	after = wf_services_hold(services);
	CU_ASSERT_EQUAL_FATAL(after->count, 2);
	CU_ASSERT_STRING_EQUAL(after->rows[0].name, "a");
	found = wf_service_by_uri(after, 1, "http://b/");
	CU_ASSERT_PTR_NOT_NULL_FATAL(found);
	CU_ASSERT_STRING_EQUAL(found->name, "b");
	CU_ASSERT_EQUAL(found->kind, &wf_push_handler);
	CU_ASSERT_EQUAL(found->policy.attempts, 8);
	CU_ASSERT_PTR_NULL(wf_service_by_uri(after, 2, "http://b/"));
	wf_services_let_go(services, before);
	wf_services_let_go(services, after);
	tear_down();
}

static void items_without_service_are_the_worklists(void)
{
	const struct wf_service_set *set;

	set_up();
	set = wf_services_hold(services);
	CU_ASSERT_PTR_NULL(wf_service_for(set, 1, ""));
	CU_ASSERT_PTR_NULL(wf_service_for(set, 1, "urn:unknown"));
	CU_ASSERT_EQUAL(
	    wf_service_for(set, 1, "weft:echo")->kind, &wf_built_in_handler);
	wf_services_let_go(services, set);
	CU_ASSERT_EQUAL(
	    put(WF_DEFAULT_WORKLIST, "http://w/", &other_kind), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_services_refresh(services, place.store, NULL), WF_OK);
	set = wf_services_hold(services);
	CU_ASSERT_STRING_EQUAL(
	    wf_service_for(set, 1, "urn:unknown")->uri, "http://w/");
	wf_services_let_go(services, set);
	tear_down();
}

static void what_makes_no_sense_is_refused(void)
{
	static const struct {
		const char *name;
		const char *uri;
		const struct wf_service_handler *kind;
		enum wf_rc rc;
	} rows[] = {
		{ "one", "http://one/", &wf_push_handler, WF_OK },
		{ "two", "http://one/", &wf_pull_handler, WF_CONFLICT },
		{ "", "http://x/", &wf_pull_handler, WF_INVALID },
		{ "x", "urn with spaces", &wf_pull_handler, WF_INVALID },
		{ "x", "urn:x", &wf_push_handler, WF_INVALID },
		{ "x", "urn:x", &other_kind, WF_INVALID },
		{ "x", "weft:echo", &wf_pull_handler, WF_INVALID },
		{ "x", "weft:nothing", &wf_built_in_handler, WF_INVALID },
		{ "x", "weft:echo/x", &wf_built_in_handler, WF_OK },
		{ "y", "weft:http/x", &wf_built_in_handler, WF_INVALID },
	};
	struct wf_service weak = service_of("s", "http://s/", &wf_push_handler);

	set_up();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CU_ASSERT_EQUAL(
		    put(rows[i].name, rows[i].uri, rows[i].kind), rows[i].rc);
	weak.secret = "short";
	CU_ASSERT_EQUAL(wf_service_put(place.store, &weak, NULL), WF_INVALID);
	CU_ASSERT_EQUAL(wf_service_remove(place.store, 1, "one", NULL), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_service_remove(place.store, 1, "one", NULL), WF_NOT_FOUND);
	tear_down();
}

/* Numbers are stored, names are sent: neither may change. */
static void kinds_have_numbers_and_names(void)
{
	static const struct {
		uint32_t number;
		const char *name;
	} rows[] = { { 1, "push" }, { 2, "pull" }, { 3, "built-in" },
		{ 5, "other" } };

	register_kinds();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct wf_service_handler *kind =
		    wf_service_kind(rows[i].number);

		CU_ASSERT_PTR_NOT_NULL_FATAL(kind);
		CU_ASSERT_STRING_EQUAL(kind->name, rows[i].name);
		CU_ASSERT_PTR_EQUAL(wf_service_kind_find(rows[i].name), kind);
	}
	CU_ASSERT_PTR_NULL(wf_service_kind_find("unknown"));
	CU_ASSERT_PTR_NULL(wf_service_kind(0));
	CU_ASSERT_TRUE(wf_built_in_has("weft:mail/office"));
	CU_ASSERT_FALSE(wf_built_in_has("weft:mailbox"));
	CU_ASSERT_FALSE(wf_built_in_has("echo"));
}

/* --- handlers ------------------------------------------------------------- */

static void handlers_hear_what_is_theirs(void)
{
	CU_ASSERT_TRUE(wf_push_handler.hears(WF_ANNOUNCE_ITEM_ENABLED));
	CU_ASSERT_TRUE(wf_push_handler.hears(WF_ANNOUNCE_ITEM_ENDED));
	CU_ASSERT_FALSE(wf_push_handler.hears(WF_ANNOUNCE_CASE_COMPLETED));
	CU_ASSERT_TRUE(wf_built_in_handler.hears(WF_ANNOUNCE_ITEM_CREATED));
	CU_ASSERT_FALSE(wf_built_in_handler.hears(WF_ANNOUNCE_ITEM_ENDED));
}

static void refusals_are_heard_by_namespace(void)
{
	const struct wf_service rows[] = {
		service_of("a", "http://a/", &wf_push_handler),
		service_of("b", "urn:b", &wf_pull_handler),
		service_of("c", "http://c/", &other_kind),
	};
	struct wf_service_set set = { rows, 3 };

	CU_ASSERT_TRUE(wf_handlers_hear_refusals(&set, 1));
	CU_ASSERT_FALSE(wf_handlers_hear_refusals(&set, 2));
	set.count = 2;
	CU_ASSERT_FALSE(wf_handlers_hear_refusals(&set, 1));
}

/* --- messages ------------------------------------------------------------- */

static struct wf_message message;
static struct wf_service push_service;

static void set_up_message(void)
{
	memset(&message, 0, sizeof(message));
	push_service = service_of("p", "http://p/", &wf_push_handler);
	message.arena = wf_arena_new();
	message.service = &push_service;
	message.type = "";
	message.key = "0123abcd-7-9";
	message.now = NOW;
	message.row.subject = "7:A";
	message.row.attempts = 2;
	message.announced.name = "7";
	message.announced.task = "A";
	message.announced.specification = 0xabc;
	wf_buffer_init(&message.body, 10000);
	wf_buffer_init(&message.answer, 10000);
}

static void tear_down_message(void)
{
	wf_buffer_free(&message.body);
	wf_buffer_free(&message.answer);
	wf_arena_free(&message.arena);
}

static const char *header(const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < message.header_count; i++)
		if (strncmp(message.headers[i], name, length) == 0 &&
		    message.headers[i][length] == ':')
			return message.headers[i] + length + 2;
	return "";
}

static void push_signs_the_end_of_an_item(void)
{
	set_up_message();
	message.row.kind = WF_ANNOUNCE_ITEM_ENDED;
	message.announced.status = WF_ITEM_COMPLETE;
	CU_ASSERT_EQUAL(wf_push_handler.render(&message), WF_VERDICT_CALL);
	CU_ASSERT_STRING_EQUAL(wf_buffer_text(&message.body),
	    "{\"id\":\"0123abcd-7-9\",\"event\":\"item_ended\","
	    "\"service\":\"p\",\"item\":\"7:A\",\"case\":\"7\",\"task\":\"A\","
	    "\"specification\":\"0000000000000abc\",\"attempt\":2,"
	    "\"status\":\"complete\"}");
	CU_ASSERT_STRING_EQUAL(message.url, "http://p/");
	CU_ASSERT_STRING_EQUAL(header("Content-Type"), "application/json");
	CU_ASSERT_STRING_EQUAL(header("Idempotency-Key"), "0123abcd-7-9");
	CU_ASSERT_STRING_EQUAL(header("Weft-Timestamp"), "1767225600");
	/* HMAC-SHA256 of "1767225600.BODY" by the secret. */
	CU_ASSERT_STRING_EQUAL(header("Weft-Signature"),
	    "sha256=643f42fafa0011a75c3c65bb55cf91e9"
	    "7f113f7ab398e11c9eb31bd1c17b4b6b");
	tear_down_message();
}

static void push_needs_not_hear_of_cases(void)
{
	set_up_message();
	message.row.kind = WF_ANNOUNCE_CASE_COMPLETED;
	CU_ASSERT_EQUAL(wf_push_handler.render(&message), WF_VERDICT_DONE);
	tear_down_message();
}

static void answers_of_push(void)
{
	static const struct {
		enum wf_announcement_kind kind;
		unsigned status;
		const char *answer;
		enum wf_verdict verdict;
		const char *reason;
	} rows[] = {
		{ WF_ANNOUNCE_ITEM_ENABLED, 202, "", WF_VERDICT_DONE, NULL },
		{ WF_ANNOUNCE_ITEM_ENDED, 200, "x", WF_VERDICT_DONE, NULL },
		{ WF_ANNOUNCE_ITEM_ENABLED, 200, "[1]", WF_VERDICT_REFUSED,
		    "its output: expected a JSON object" },
		{ WF_ANNOUNCE_ITEM_ENABLED, 404, "", WF_VERDICT_REFUSED,
		    "HTTP 404" },
		{ WF_ANNOUNCE_ITEM_ENABLED, 429, "", WF_VERDICT_AGAIN,
		    "HTTP 429" },
		{ WF_ANNOUNCE_ITEM_ENABLED, 503, "{\"detail\":\"later\"}",
		    WF_VERDICT_AGAIN, "HTTP 503: later" },
		{ WF_ANNOUNCE_ITEM_ENDED, 500, "\xff", WF_VERDICT_AGAIN,
		    "HTTP 500: no UTF-8" },
	};

	set_up_message();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		message.row.kind = rows[i].kind;
		message.status = rows[i].status;
		message.reason = NULL;
		wf_buffer_free(&message.answer);
		wf_buffer_init(&message.answer, 10000);
		wf_buffer_puts(&message.answer, rows[i].answer);
		CU_ASSERT_EQUAL(
		    wf_push_handler.judge(&message), rows[i].verdict);
		if (rows[i].reason != NULL)
			CU_ASSERT_STRING_EQUAL(message.reason, rows[i].reason);
	}
	tear_down_message();
}

static void texts_are_clipped_between_characters(void)
{
	char text[500];

	set_up_message();
	memset(text, 'a', sizeof(text));
	memcpy(text + 399, "\xc3\xa4", 2);
	text[sizeof(text) - 1] = '\0';
	CU_ASSERT_EQUAL(strlen(wf_message_clip(&message, text)), 399);
	CU_ASSERT_STRING_EQUAL(wf_message_clip(&message, "short"), "short");
	tear_down_message();
}

/* A message that is postponed can be tried again under the same number. */
static void attempts_of_one_number_are_one(void)
{
	struct wf_attempts *attempts = wf_attempts_new();
	const char *text;
	json_t *array;

	set_up_message();
	message.row.number = 7;
	message.reason = "first";
	wf_attempts_add(attempts, &message, 0);
	message.reason = "last";
	for (unsigned i = 0; i < 20; i++)
		wf_attempts_add(attempts, &message, 0);
	message.row.attempts++;
	text = wf_attempts_describe(attempts, &message, 0, false);
	array = json_loads(text, 0, NULL);
	CU_ASSERT_EQUAL_FATAL(json_array_size(array), 2);
	CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(
				   json_array_get(array, 0), "reason")),
	    "last");
	json_decref(array);
	tear_down_message();
	wf_attempts_free(&attempts);
}

/* --- digests -------------------------------------------------------------- */

static void digests_are_due_at_their_times(void)
{
	static const struct {
		const char *text;
		int32_t zone;
		int64_t now; /* counted from NOW, midnight UTC, in seconds */
		int64_t due;
	} rows[] = {
		{ "00:00", 0, 0, 0 },
		{ "00:00", 0, 86399, 0 },
		{ "07:30", 0, 27000, 27000 },
		{ "07:30", 0, 26999, 27000 - 86400 },
		{ "07:30", 60, 23400, 23400 },
		{ "07:30", 60, 23399, 23400 - 86400 },
		{ "07:30", -60, 30599, 30600 - 86400 },
		{ "23:59", 0, 0, -60 },
		{ "4h", 0, 14400, 14400 },
		{ "4h", 0, 14399, 0 },
		{ "4h", 60, 10800, 10800 },
		{ "10s", 0, 19, 10 },
		{ "1d", 0, 3, 0 },
	};
	struct wf_digest_time time;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CU_ASSERT_EQUAL_FATAL(wf_digest_time_parse(rows[i].text,
					  rows[i].zone, &time, NULL),
		    WF_OK);
		CU_ASSERT_EQUAL(
		    wf_digest_time_before(&time, NOW + rows[i].now * 1000),
		    NOW + rows[i].due * 1000);
	}
	CU_ASSERT_EQUAL(wf_digest_time_parse("", 0, &time, NULL), WF_OK);
	CU_ASSERT_EQUAL(time.period_ms, 0);
}

static void times_of_digests_that_make_no_sense(void)
{
	static const char *const texts[] = { "24:00", "07:60", "7:30", "0s",
		"4", "h", "4x", "32d", "-4h", " 4h", "4h ", "9999999999s",
		"07:3a", "07:300" };
	struct wf_digest_time time;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct wf_error err = { .rc = WF_OK };

		CU_ASSERT_EQUAL(
		    wf_digest_time_parse(texts[i], 0, &time, &err), WF_INVALID);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "mail-digest:"));
		CU_ASSERT_PTR_NOT_NULL(strstr(err.message, texts[i]));
	}
}

CU_TestInfo wf_tests_work[] = {
	{ "retry delays grow up to the cap", delays },
	{ "a task overrides what it says", a_task_overrides_what_it_says },
	{ "a task that says nothing never waits",
	    what_says_nothing_never_waits },
	{ "the work of a postcondition is bounded", bounds_the_postcondition },
	{ "a breaker opens after failures in a row",
	    a_breaker_opens_after_failures_in_a_row },
	{ "a breaker is half-open for one call",
	    a_breaker_is_half_open_for_one_call },
	{ "calls that began before it opened open it once",
	    calls_that_began_earlier_open_it_once },
	{ "sets of services do not change", sets_do_not_change },
	{ "items without a service are the worklist's",
	    items_without_service_are_the_worklists },
	{ "services that make no sense are refused",
	    what_makes_no_sense_is_refused },
	{ "kinds have numbers and names", kinds_have_numbers_and_names },
	{ "handlers hear what is theirs", handlers_hear_what_is_theirs },
	{ "refusals are heard by namespace", refusals_are_heard_by_namespace },
	{ "push signs the end of an item", push_signs_the_end_of_an_item },
	{ "push needs not hear of cases", push_needs_not_hear_of_cases },
	{ "answers of push", answers_of_push },
	{ "texts are clipped between characters",
	    texts_are_clipped_between_characters },
	{ "attempts of one number are one", attempts_of_one_number_are_one },
	{ "digests are due at their times", digests_are_due_at_their_times },
	{ "times of digests that make no sense are refused",
	    times_of_digests_that_make_no_sense },
	CU_TEST_INFO_NULL,
};
