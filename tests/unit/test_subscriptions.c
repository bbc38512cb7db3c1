/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subscriptions without a network: which are notified of what, what a batch
 * adds to the outbox, how events become notifications, and their signature.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <string.h>

#include "base/panic.h"
#include "tests/message_queues.h"
#include "tests/unit/engine_fixture.h"
#include "work/subscription/signature.h"
#include "work/subscription/call.h"
#include "work/subscription/event.h"
#include "work/subscription/notification.h"
#include "work/subscription/notifier_priv.h"

#define NOW INT64_C(1767225600000)
#define ALL_KINDS ((UINT32_C(1) << WF_OBSERVED_COUNT) - 1)

static struct wf_subscriptions *subscriptions;
static char secret[WF_SUBSCRIPTION_SECRET_SIZE];

/* --- signatures and URLs -------------------------------------------------- */

static void test_signature(void)
{
	static const char body[] = "{\"a\":1}";
	char time[WF_SIGNATURE_TIME_SIZE];
	char text[WF_SIGNATURE_SIZE];

	wf_sign("Jefe-and-more-than-16", NOW, body, strlen(body), time, text);
	CU_ASSERT_STRING_EQUAL(time, "1767225600");
	CU_ASSERT_STRING_EQUAL(text,
	    "sha256=9b5990e9dde39fb6306c5fbe7634e1b6f762ef3cacec9f0f99257114d9"
	    "aba609");
}

static void test_urls(void)
{
	static const struct {
		const char *url;
		const char *origin; /* NULL: it is none */
	} rows[] = {
		{ "http://a/b?c=d", "http://a:80" },
		{ "https://a:8443/b", "https://a:8443" },
		{ "HTTPS://a", "https://a:443" },
		{ "ftp://a/", NULL },
		{ "smtp://a", NULL },
		{ "http://", NULL },
		{ "http://u:p@a/", NULL },
		{ "a service", NULL },
		{ "", NULL },
	};
	struct wf_arena *arena = wf_arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *origin = wf_url_origin(rows[i].url, arena);

		CU_ASSERT_EQUAL(
		    wf_url_is_called(rows[i].url), rows[i].origin != NULL);
		if (rows[i].origin == NULL)
			CU_ASSERT_PTR_NULL(origin);
		if (rows[i].origin != NULL && origin != NULL)
			CU_ASSERT_STRING_EQUAL(origin, rows[i].origin);
	}
	wf_arena_free(&arena);
}

/* Of a name it is not known before it is called. */
static void test_addresses(void)
{
	static const struct {
		const char *url;
		bool is_allowed;
	} rows[] = {
		{ "http://192.168.7.1/", false },
		{ "http://2130706433:80/", false }, /* 127.0.0.1 */
		{ "https://[::1]:8443/a", false },
		{ "http://10.1.2.3:8080/a", true },
		{ "http://8.8.8.8/", true },
		{ "https://[2001:4860:4860::8888]/", true },
		{ "http://example.org/", true },
		{ "no URL", true },
	};
	struct wf_address_ranges allowed = { .count = 1 };

	CU_ASSERT_TRUE(wf_address_parse("10.0.0.0/8", &allowed.rows[0]));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CU_ASSERT_EQUAL(wf_url_is_allowed(rows[i].url, &allowed),
		    rows[i].is_allowed);
}

/* --- which are notified --------------------------------------------------- */

static struct wf_subscription subscription_of(
    const char *name, const char *specification, uint32_t kinds)
{
	return (struct wf_subscription){ .namespace_id = 1,
		.name = name,
		.how = WF_SUBSCRIBER_URL,
		.to = "http://a/",
		.specification = specification,
		.kinds = kinds,
		.secret = "",
		.by = "ann",
		.at = NOW,
		.pause = { 0, "", "" },
		.stopped = { 0, "", "" } };
}

static bool add(struct wf_store *store, const char *name,
    const char *specification, uint32_t kinds)
{
	const struct wf_subscription subscription =
	    subscription_of(name, specification, kinds);
	bool is_new;

	CU_ASSERT_EQUAL(wf_subscriptions_put(subscriptions, store,
			    &subscription, secret, &is_new, NULL),
	    WF_OK);
	return is_new;
}

/* The names of those that are notified, behind each other. */
static const char *notified(struct wf_arena *arena, enum wf_observed_kind kind,
    uint64_t specification, const char *uri)
{
	const struct wf_observed what = { .kind = kind,
		.namespace_id = 1,
		.specification = specification,
		.uri = uri };
	struct wf_subscription_list list =
	    wf_subscriptions_notified(subscriptions, &what, arena);
	const char *names = "";

	for (size_t i = 0; i < list.count; i++)
		names =
		    wf_arena_printf(arena, "%s%s ", names, list.rows[i].name);
	return names;
}

static void test_notified(void)
{
	const uint32_t incidents = UINT32_C(1)
				   << WF_OBSERVED_BIT_INCIDENT_OPENED;
	const struct wf_pause pause = { NOW, "ann", "night" };
	struct wf_subscription found;
	struct store_fixture place = { .store = NULL };
	char first[WF_SUBSCRIPTION_SECRET_SIZE];

	place.arena = wf_arena_new();
	store_kinds[0].make(&place);
	place.store = store_open(place.url, 0);
	CU_ASSERT_EQUAL_FATAL(
	    wf_subscriptions_open(&subscriptions, place.store, NULL), WF_OK);
	CU_ASSERT_STRING_EQUAL(
	    notified(place.arena, WF_OBSERVED_CASE_COMPLETED, 0, ""), "");
	CU_ASSERT_TRUE(add(place.store, "all", "", ALL_KINDS));
	CU_ASSERT_EQUAL(strlen(secret), 64);
	strcpy(first, secret);
	CU_ASSERT_TRUE(add(place.store, "incidents", "", incidents));
	CU_ASSERT_STRING_NOT_EQUAL(first, secret);
	CU_ASSERT_TRUE(add(place.store, "key", "00000000000000ab", ALL_KINDS));
	CU_ASSERT_TRUE(add(place.store, "uri", "orders", ALL_KINDS));
	CU_ASSERT_STRING_EQUAL(
	    notified(place.arena, WF_OBSERVED_CASE_COMPLETED, 0xab, "orders"),
	    "all key uri ");
	CU_ASSERT_STRING_EQUAL(
	    notified(place.arena, WF_OBSERVED_INCIDENT_OPENED, 0xac, "other"),
	    "all incidents ");
	CU_ASSERT_STRING_EQUAL(
	    notified(place.arena, WF_OBSERVED_INCIDENT_OPENED, 0, ""),
	    "all incidents ");
	/* One that is replaced keeps its secret and its id. */
	CU_ASSERT_TRUE(wf_subscriptions_find(
	    subscriptions, 1, "all", place.arena, &found));
	CU_ASSERT_FALSE(add(place.store, "all", "", incidents));
	CU_ASSERT_STRING_EQUAL(secret, "");
	CU_ASSERT_TRUE(wf_subscriptions_by_id(
	    subscriptions, found.id, place.arena, &found));
	CU_ASSERT_STRING_EQUAL(found.secret, first);
	CU_ASSERT_EQUAL(found.kinds, incidents);
	/* Events of a paused one wait; a stopped one has none. */
	CU_ASSERT_EQUAL(wf_subscriptions_pause(
			    subscriptions, place.store, 1, "all", &pause, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(wf_subscriptions_pause(
			    subscriptions, place.store, 1, "all", &pause, NULL),
	    WF_CONFLICT);
	CU_ASSERT_STRING_EQUAL(
	    notified(place.arena, WF_OBSERVED_INCIDENT_OPENED, 0, ""),
	    "all incidents ");
	CU_ASSERT_EQUAL(wf_subscriptions_stop(
			    subscriptions, place.store, &found, &pause, NULL),
	    WF_OK);
	CU_ASSERT_STRING_EQUAL(
	    notified(place.arena, WF_OBSERVED_INCIDENT_OPENED, 0, ""),
	    "incidents ");
	CU_ASSERT_EQUAL(wf_subscriptions_pause(
			    subscriptions, place.store, 1, "all", NULL, NULL),
	    WF_OK);
	CU_ASSERT_STRING_EQUAL(
	    notified(place.arena, WF_OBSERVED_INCIDENT_OPENED, 0, ""),
	    "all incidents ");
	CU_ASSERT_EQUAL(wf_subscriptions_rotate(
			    subscriptions, place.store, 1, "all", secret, NULL),
	    WF_OK);
	CU_ASSERT_STRING_NOT_EQUAL(secret, first);
	CU_ASSERT_EQUAL(
	    wf_subscriptions_remove(subscriptions, place.store, 2, "all", NULL),
	    WF_NOT_FOUND);
	CU_ASSERT_EQUAL(
	    wf_subscriptions_remove(subscriptions, place.store, 1, "all", NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(
	    wf_subscriptions_of(subscriptions, 1, place.arena).count, 3);
	wf_subscriptions_free(&subscriptions);
	wf_store_close(&place.store);
	store_kinds[0].unmake(&place);
	wf_arena_free(&place.arena);
}

/* --- in the batch --------------------------------------------------------- */

static void observe(void *context, const struct wf_observed *what,
    struct wf_observers *observers)
{
	(void)context;
	wf_subscriptions_observe(subscriptions, what, observers);
}

/* How many wait in the first queue that begins so. */
static uint64_t waiting(struct wf_fixture *f, const char *beginning)
{
	struct wf_message_queue_list list;
	uint64_t count = 0;

	CU_ASSERT_EQUAL(wf_store_message_queues(
			    f->store, NULL, SIZE_MAX, f->arena, &list, NULL),
	    WF_OK);
	for (size_t i = 0; i < list.count && count == 0; i++)
		if (strncmp(list.rows[i].destination, beginning,
			strlen(beginning)) == 0)
			CU_ASSERT_EQUAL(
			    wf_store_count_messages(f->store,
				list.rows[i].namespace_id,
				list.rows[i].destination, 9, &count, NULL),
			    WF_OK);
	return count;
}

static void test_observed(void)
{
	const char *observer = "https://example.org:8443/notify?case=1";
	struct wf_request launch = { .command = { .kind = WF_COMMAND_LAUNCH },
		.namespace_id = 1 };
	struct wf_answer answer;
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.observe = observe;
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL_FATAL(
	    wf_subscriptions_open(&subscriptions, f.store, NULL), WF_OK);
	/* Nobody is notified: no message. */
	wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(
	    wf_fixture_do(&f, 1, WF_COMMAND_CANCEL_CASE, NULL, NULL, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(waiting(&f, "weft:"), 0);
	/* The observer of a case, and it alone. */
	launch.launch.specification = f.key;
	launch.launch.extra = wf_observer_extra(observer, f.arena);
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &launch, &answer, NULL), WF_OK);
	CU_ASSERT_EQUAL(wf_fixture_do(&f, answer.number, WF_COMMAND_CANCEL_CASE,
			    NULL, NULL, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(
	    waiting(&f, "weft:observer/https://example.org:8443"), 1);
	CU_ASSERT_EQUAL(waiting(&f, WF_SUBSCRIPTION_QUEUES), 0);
	/* What another interface keeps with a case is no observer. */
	launch.launch.extra = (struct wf_bytes){ "\1\0", 2 };
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &launch, &answer, NULL), WF_OK);
	launch.launch.extra = wf_observer_extra(observer, f.arena);
	launch.launch.extra.size--;
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &launch, &answer, NULL), WF_OK);
	for (uint64_t number = 3; number <= 4; number++)
		CU_ASSERT_EQUAL(wf_fixture_do(&f, number,
				    WF_COMMAND_CANCEL_CASE, NULL, NULL, NULL),
		    WF_OK);
	CU_ASSERT_EQUAL(waiting(&f, WF_OBSERVER_QUEUES), 1);
	/* A subscription: the end of a case, and an incident of none. */
	add(f.store, "all", "", ALL_KINDS);
	answer.number = wf_fixture_launch(&f);
	CU_ASSERT_EQUAL(wf_fixture_do(&f, answer.number, WF_COMMAND_CANCEL_CASE,
			    NULL, NULL, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(waiting(&f, WF_SUBSCRIPTION_QUEUES), 1);
	wf_fixture_put_off(&f, "order", f.now + 1000);
	wf_fixture_put_off(&f, "order", f.now + 2000);
	f.now += 5000;
	wf_fixture_turn(&f);
	CU_ASSERT_EQUAL(wf_fixture_incidents(&f).count, 1);
	CU_ASSERT_EQUAL(waiting(&f, WF_SUBSCRIPTION_QUEUES), 2);
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	wf_subscriptions_free(&subscriptions);
	wf_fixture_free(&f);
}

/* The kinds of the events that wait, in the order in which they are claimed. */
static const char *claimed(struct wf_fixture *f)
{
	struct wf_message_list list;
	const char *kinds = "";

	CU_ASSERT_EQUAL(claim_messages(f->store, NULL, INT64_MAX, 1, SIZE_MAX,
			    f->arena, &list, NULL),
	    WF_OK);
	for (size_t i = 0; i < list.count; i++) {
		CU_ASSERT_TRUE(i == 0 || list.rows[i - 1].at < list.rows[i].at);
		kinds = wf_arena_printf(
		    f->arena, "%s%u ", kinds, list.rows[i].kind);
	}
	return kinds;
}

/* The next step of a case fails an assertion. */
static bool fails;

static void fail(
    void *context, const struct wf_request *request, struct wf_command *command)
{
	(void)context;
	(void)request;
	(void)command;
	wf_assert(!fails);
}

/* Each event of a case is made by a clock that is behind the one before. */
static void test_order(void)
{
	struct wf_request report = { .kind = WF_REQUEST_REPORT,
		.report = { .item = "1:A", .code = "no good", .text = "" } };
	struct wf_answer answer;
	struct wf_fixture f;

	wf_fixture_init(&f);
	f.settings.observe = observe;
	f.settings.probe = fail;
	wf_fixture_open(&f);
	CU_ASSERT_EQUAL_FATAL(
	    wf_subscriptions_open(&subscriptions, f.store, NULL), WF_OK);
	add(f.store, "all", "", ALL_KINDS);
	report.number = wf_fixture_launch(&f);
	f.now += 300000;
	CU_ASSERT_EQUAL(
	    wf_engine_call(f.engine, &report, &answer, NULL), WF_OK);
	/* One that quarantines the case. */
	f.now -= 100000;
	fails = true;
	CU_ASSERT_EQUAL(wf_fixture_do(&f, report.number, WF_COMMAND_CANCEL_CASE,
			    NULL, NULL, NULL),
	    WF_BUG);
	fails = false;
	CU_ASSERT_EQUAL(wf_fixture_retry(&f, 2), WF_OK);
	f.now -= 100000;
	CU_ASSERT_EQUAL(wf_fixture_do(&f, report.number, WF_COMMAND_CANCEL_CASE,
			    NULL, NULL, NULL),
	    WF_OK);
	CU_ASSERT_STRING_EQUAL(claimed(&f), "110 110 102 ");
	CU_ASSERT_TRUE(wf_fixture_is_whole(&f));
	wf_subscriptions_free(&subscriptions);
	wf_fixture_free(&f);
}

/* --- events --------------------------------------------------------------- */

/* Two events: an incident of a case, and a lost worker. */
static json_t *two_events(struct wf_arena *arena)
{
	const struct wf_case_row row = { .name = "7", .title = "Order 7" };
	const struct wf_incident_row incident = { .id = 5,
		.code = "DATA",
		.text = "no such element",
		.attempts = 2 };
	struct wf_observed what = { .kind = WF_OBSERVED_INCIDENT_OPENED,
		.row = &row,
		.specification = 0xab,
		.uri = "orders",
		.item = "7.1:Pay",
		.worker = "",
		.incident = &incident };
	struct wf_message_row message = {
		.number = 7, .message = 3, .at = NOW
	};
	json_t *events = json_array();
	const char *observer;

	message.payload = wf_event_payload(&what, "", arena);
	json_array_append_new(events,
	    wf_event_read(&message, "0123456789abcdef", &observer, arena));
	CU_ASSERT_STRING_EQUAL(observer, "");
	what.kind = WF_OBSERVED_WORKER_LOST;
	what.worker = "robot";
	what.incident = NULL;
	message.payload = wf_event_payload(&what, "http://o/", arena);
	json_array_append_new(events,
	    wf_event_read(&message, "0123456789abcdef", &observer, arena));
	CU_ASSERT_STRING_EQUAL(observer, "http://o/");
	message.payload = (struct wf_bytes){ "{", 1 };
	CU_ASSERT_PTR_NULL(
	    wf_event_read(&message, "0123456789abcdef", &observer, arena));
	return events;
}

static void test_notification(void)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_notification notification = { .subscription = "night",
		.observer = "",
		.attempt = 2,
		.events = two_events(arena) };
	struct wf_buffer text;

	wf_buffer_init(&text, 65536);
	wf_notification_put_json(&text, &notification);
	CU_ASSERT_STRING_EQUAL(wf_buffer_text(&text),
	    "{\"subscription\":\"night\",\"attempt\":2,\"events\":["
	    "{\"event\":\"incident_opened\",\"case\":\"7\","
	    "\"title\":\"Order 7\",\"specification\":\"00000000000000ab\","
	    "\"uri\":\"orders\",\"item\":\"7.1:Pay\",\"task\":\"Pay\","
	    "\"incident\":{\"incident\":5,\"code\":\"DATA\","
	    "\"text\":\"no such element\",\"attempts\":2},"
	    "\"id\":\"01234567-7-3\",\"at\":\"2026-01-01T00:00:00.000Z\"},"
	    "{\"event\":\"worker_lost\",\"case\":\"7\","
	    "\"title\":\"Order 7\",\"specification\":\"00000000000000ab\","
	    "\"uri\":\"orders\",\"item\":\"7.1:Pay\",\"task\":\"Pay\","
	    "\"worker\":\"robot\","
	    "\"id\":\"01234567-7-3\",\"at\":\"2026-01-01T00:00:00.000Z\"}]}");
	wf_buffer_reset(&text);
	wf_notification_put_mail(&text, &notification, "weft@example.org",
	    "ops@example.org", "01234567-7-3", "", NOW);
	CU_ASSERT_PTR_NOT_NULL(
	    strstr(wf_buffer_text(&text), "To: <ops@example.org>\r\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(
	    wf_buffer_text(&text), "Message-ID: <01234567-7-3@weft>\r\n"));
	wf_buffer_free(&text);
	json_decref(notification.events);
	wf_arena_free(&arena);
}

/* --- turns ---------------------------------------------------------------- */

#define HANGING 400U

/* Queues that are listed, of receivers that never answer. */
struct many {
	struct wf_notifier notifier;
	struct wf_turns turns;
	struct wf_arena *arena;
};

static void list_queue(
    struct many *m, uint32_t namespace_id, const char *destination)
{
	const struct wf_message_queue queue = { .namespace_id = namespace_id,
		.destination = destination };

	wf_target_of(&m->notifier, &queue)->is_listed = true;
}

/* Those of namespace 1 hang; the others do not. */
static void list_all(struct many *m)
{
	wf_targets_list(&m->notifier);
	for (unsigned i = 0; i < HANGING; i++)
		list_queue(m, 1,
		    wf_arena_printf(m->arena, WF_OBSERVER_QUEUES "%03u", i));
	list_queue(m, 1, WF_SUBSCRIPTION_QUEUES "good");
	list_queue(m, 2, WF_OBSERVER_QUEUES "good");
	wf_targets_forget(&m->notifier);
}

/* Calls all that have places, in their turns; how many it has called. */
static size_t call_all(struct many *m)
{
	size_t before;

	wf_turns_begin(&m->turns, m->notifier.first, m->arena);
	before = m->turns.calls;
	for (size_t i = 0; i < m->turns.count; i++) {
		struct wf_target *target = m->turns.targets[i];

		if (!wf_turns_have_place(&m->turns, target))
			continue;
		target->is_active = true;
		wf_turns_note_call(&m->turns, target);
	}
	return m->turns.calls - before;
}

/* All calls end: those of namespace 1 fail. */
static void end_calls(struct many *m)
{
	for (struct wf_target *t = m->notifier.first; t != NULL; t = t->next) {
		t->failures += t->is_active && t->namespace_id == 1 &&
			       wf_event_queue_id(t->queue) == NULL;
		t->is_active = false;
	}
}

static size_t not_called(const struct many *m)
{
	size_t count = 0;

	for (const struct wf_target *t = m->notifier.first; t != NULL;
	     t = t->next)
		count += t->turn == 0;
	return count;
}

static void test_turns(void)
{
	struct many m = { .arena = wf_arena_new() };
	struct wf_target *last;
	unsigned rounds = 1;

	/* Half of the places, and one for each of the others. */
	list_all(&m);
	CU_ASSERT_EQUAL(call_all(&m), WF_CALLS_AT_ONCE / 2 + 2);
	for (last = m.notifier.first; last->next != NULL;)
		last = last->next;
	CU_ASSERT_EQUAL(last->namespace_id, 2);
	CU_ASSERT_TRUE(last->is_active);
	/* While they hang, those that answer are called again. */
	last->is_active = false;
	CU_ASSERT_EQUAL(call_all(&m), 1);
	CU_ASSERT_TRUE(last->is_active);
	/* Each gets its turn, before any other gets a second one. */
	end_calls(&m);
	while (not_called(&m) > 0 && rounds++ < 20) {
		list_all(&m);
		CU_ASSERT_TRUE(call_all(&m) >= WF_CALLS_AT_ONCE / 2 + 2);
		end_calls(&m);
	}
	CU_ASSERT_EQUAL(not_called(&m), 0);
	CU_ASSERT_TRUE(rounds <= HANGING / (WF_CALLS_AT_ONCE / 2) + 1);
	/* What is no longer listed is forgotten. */
	wf_targets_list(&m.notifier);
	list_queue(&m, 1, WF_OBSERVER_QUEUES "007");
	wf_targets_forget(&m.notifier);
	CU_ASSERT_PTR_NULL(m.notifier.first->next);
	wf_targets_free(&m.notifier);
	wf_arena_free(&m.arena);
}

CU_TestInfo wf_tests_subscriptions[] = {
	{ "a signature that is known", test_signature },
	{ "URLs that are called", test_urls },
	{ "addresses that are not", test_addresses },
	{ "who is notified of what", test_notified },
	{ "what a batch sends", test_observed },
	{ "the order of the events of a case", test_order },
	{ "events of a notification", test_notification },
	{ "queues whose receivers hang leave places to the others",
	    test_turns },
	CU_TEST_INFO_NULL,
};
