/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sender is woken by events: it finds what is to be sent although the time
 * after which it claims by itself never comes.
 */
#include <CUnit/CUnit.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "spec/spec.h"
#include "tests/unit/engine_fixture.h"
#include "work/breaker.h"
#include "work/handler.h"
#include "work/item_data.h"
#include "work/sender.h"
#include "work/state/service_state.h"

#define NEVER_MS (INT64_C(24) * 3600 * 1000)
#define TIMEOUT_MS 60000
#define URI "urn:example:counted"
#define SLOW_URI "urn:example:slow"
#define QUICK_CASES 3U

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;
static uint64_t arrived;
static unsigned slow_tried, slow_made; /* beside, and before, the sender */
static bool slow_is_right;

/* --- a service that only counts ------------------------------------------- */

static enum wf_verdict count_message(struct wf_message *message)
{
	(void)message;
	pthread_mutex_lock(&lock);
	arrived++;
	pthread_cond_broadcast(&wake);
	pthread_mutex_unlock(&lock);
	return WF_VERDICT_DONE;
}

static const struct wf_service_handler counting_kind = { .number = 6,
	.name = "counting",
	.url = WF_SERVICE_URL_NONE,
	.render = count_message };

/* Whether so many messages arrive, in all. */
static bool arrive(uint64_t count)
{
	int64_t until = wf_monotonic_ms() + TIMEOUT_MS;
	bool enough;

	pthread_mutex_lock(&lock);
	while (arrived < count && wf_wait_until(&wake, &lock, until))
		;
	enough = arrived == count;
	pthread_mutex_unlock(&lock);
	return enough;
}

/* --- a service whose input takes long to make ----------------------------- */

/* Beside the sender it waits until what comes later has arrived elsewhere. */
static enum wf_verdict render_slow(struct wf_message *message)
{
	struct wf_error err = { .rc = WF_OK };
	json_t *object;
	enum wf_rc rc;

	if (!wf_message_hands_over(message->row.kind))
		return WF_VERDICT_DONE;
	if (message->is_long)
		CU_ASSERT_TRUE(arrive(QUICK_CASES));
	object = json_object();
	rc = wf_item_data_describe(message, object, &err);
	pthread_mutex_lock(&lock);
	slow_tried += !message->is_long;
	slow_made += message->is_long;
	if (rc == WF_OK)
		slow_is_right = json_is_true(
		    json_object_get(json_object_get(object, "data"), "p"));
	pthread_cond_broadcast(&wake);
	pthread_mutex_unlock(&lock);
	json_decref(object);
	return rc == WF_OK ? WF_VERDICT_DONE
			   : wf_item_data_verdict(message, &err);
}

static const struct wf_service_handler slow_kind = { .number = 7,
	.name = "slow",
	.url = WF_SERVICE_URL_NONE,
	.render = render_slow };

/* A: its input takes twice the work that the sender's thread has for it. */
static void load_slow(struct wf_fixture *f)
{
	static const char text[] =
	    "<specificationSet version='4.0' "
	    "xmlns='http://www.yawlfoundation.org/yawlschema' "
	    "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
	    "<specification uri='S'><metaData><version>0.1</version>"
	    "<identifier>UID_S</identifier></metaData>"
	    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>"
	    "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
	    "<processControlElements><inputCondition id='i'><flowsInto>"
	    "<nextElementRef id='S'/></flowsInto></inputCondition>"
	    "<task id='S'><flowsInto><nextElementRef id='o'/></flowsInto>"
	    "<join code='xor'/><split code='and'/><startingMappings><mapping>"
	    "<expression query='&lt;p&gt;{empty(for $i in 1 to 10000, "
	    "$j in 1 to 1000 return ())}&lt;/p&gt;'/><mapsTo>p</mapsTo>"
	    "</mapping></startingMappings><decomposesTo id='W'/></task>"
	    "<outputCondition id='o'/></processControlElements>"
	    "</decomposition>"
	    "<decomposition id='W' xsi:type='WebServiceGatewayFactsType'>"
	    "<inputParam><index>0</index><name>p</name><type>boolean</type>"
	    "<namespace>http://www.w3.org/2001/XMLSchema</namespace>"
	    "</inputParam></decomposition>"
	    "</specification></specificationSet>";

	OK(wf_fixture_load(f, text, strlen(text)));
}

/* --- services at an address that may not be called ------------------------ */

static bool hear(enum wf_announcement_kind kind)
{
	return kind != 0;
}

static enum wf_verdict call(struct wf_message *message)
{
	(void)message;
	return WF_VERDICT_CALL;
}

static const struct wf_service_handler walled_kind = { .number = 8,
	.name = "walled",
	.url = WF_SERVICE_URL_IS_URI,
	.hears = hear,
	.render = call,
	.has_worklist = true };

static const struct wf_service_handler walled_push_kind = { .number = 9,
	.name = "walled-push",
	.url = WF_SERVICE_URL_IS_URI,
	.hears = hear,
	.render = call };

/* --- a service whose first address does not work -------------------------- */

static enum wf_verdict count_and_fail(struct wf_message *message)
{
	bool works = strcmp(message->service->address, "other") == 0;

	(void)count_message(message);
	return works ? WF_VERDICT_DONE : WF_VERDICT_AGAIN;
}

static const struct wf_service_handler failing_kind = { .number = 10,
	.name = "failing",
	.url = WF_SERVICE_URL_NONE,
	.render = count_and_fail };

/* --- an engine and a sender ----------------------------------------------- */

struct place {
	struct wf_fixture fixture;
	struct wf_services *services;
	struct wf_sender *sender;
};

static int64_t machine_clock(void *context)
{
	struct timespec now;

	(void)context;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void announce(void *context, const struct wf_announcement *what,
    struct wf_destinations *destinations)
{
	(void)context;
	if (what->task != NULL)
		wf_destination_add(destinations,
		    strcmp(what->task->id, "S") == 0 ? SLOW_URI : URI);
}

static void committed(void *context)
{
	struct place *place = context;

	if (place->sender != NULL)
		wf_sender_wake(place->sender);
}

typedef void (*announce_f)(void *context, const struct wf_announcement *what,
    struct wf_destinations *destinations);

static void open_place_at(
    struct place *place, announce_f announces, int64_t (*clock)(void *context))
{
	struct wf_fixture *f = &place->fixture;
	struct wf_service service = { .namespace_id = 1,
		.name = "counted",
		.uri = URI,
		.kind = &counting_kind,
		.secret = "",
		.address = "",
		.documentation = "",
		.policy = WF_SERVICE_POLICY_DEFAULT };

	memset(place, 0, sizeof(*place));
	arrived = 0;
	slow_tried = slow_made = 0;
	slow_is_right = false;
	wf_condition_init(&wake);
	wf_service_kind_add(&counting_kind);
	wf_service_kind_add(&slow_kind);
	wf_fixture_init(f);
	f->settings.context = place;
	f->settings.now = clock;
	f->settings.announce = announces;
	f->settings.committed = committed;
	wf_fixture_open(f);
	OK(wf_service_put(f->store, &service, NULL));
	service.name = "slow";
	service.uri = SLOW_URI;
	service.kind = &slow_kind;
	OK(wf_service_put(f->store, &service, NULL));
	OK(wf_services_open(&place->services, f->store, NULL));
}

static void open_place(struct place *place, announce_f announces)
{
	open_place_at(place, announces, machine_clock);
}

static void open_sender(struct place *place)
{
	struct wf_sender_settings settings;

	wf_sender_settings_init(&settings);
	settings.idle_ms = NEVER_MS;
	OK(wf_sender_open(&place->sender, &settings, place->fixture.engine,
	    place->services, NULL));
}

static void close_place(struct place *place)
{
	wf_sender_close(&place->sender);
	wf_services_close(&place->services);
	wf_fixture_free(&place->fixture);
	pthread_cond_destroy(&wake);
}

/* --- tests ---------------------------------------------------------------- */

static uint64_t waiting(struct place *place)
{
	struct wf_store_backlog backlog = { .messages = 0 };

	OK(wf_store_backlog(place->fixture.store, 1000, &backlog, NULL));
	return backlog.messages;
}

/* Whether no message is left, when the engine has answered what it is asked. */
static bool are_gone(struct place *place)
{
	const struct timespec pause = { .tv_nsec = 10 * 1000000 };
	int64_t until = wf_monotonic_ms() + TIMEOUT_MS;

	while (waiting(place) > 0 && wf_monotonic_ms() < until) {
		wf_fixture_turn(&place->fixture);
		nanosleep(&pause, NULL);
	}
	return waiting(place) == 0;
}

static void the_next_of_a_stream_follows_the_first(void)
{
	struct place place;
	uint64_t count;

	open_place(&place, announce);
	wf_fixture_launch(&place.fixture);
	OK(wf_fixture_do(
	    &place.fixture, 1, WF_COMMAND_FINISH, "1:A", NULL, NULL));
	count = waiting(&place);
	CU_ASSERT_TRUE(count > 3); /* of 1:A more than one */
	open_sender(&place);
	CU_ASSERT_TRUE(arrive(count));
	close_place(&place);
}

static void what_is_announced_without_a_step_is_sent(void)
{
	struct wf_request request = { .kind = WF_REQUEST_ANNOUNCE,
		.number = 1,
		.announce = { .item = "1:A" } };
	struct wf_answer answer;
	struct place place;
	uint64_t count;

	open_place(&place, announce);
	wf_fixture_launch(&place.fixture);
	count = waiting(&place);
	open_sender(&place);
	CU_ASSERT_TRUE(arrive(count));
	OK(wf_engine_call(place.fixture.engine, &request, &answer, NULL));
	CU_ASSERT_TRUE(arrive(count + 1));
	close_place(&place);
}

static bool is_made(unsigned count)
{
	int64_t until = wf_monotonic_ms() + TIMEOUT_MS;
	bool made;

	pthread_mutex_lock(&lock);
	while (slow_made < count && wf_wait_until(&wake, &lock, until))
		;
	made = slow_made == count;
	pthread_mutex_unlock(&lock);
	return made;
}

static void a_slow_input_holds_up_no_other_service(void)
{
	struct place place;

	open_place(&place, announce);
	load_slow(&place.fixture);
	wf_fixture_launch(&place.fixture);
	wf_fixture_launch(&place.fixture);
	open_sender(&place);
	OK(wf_fixture_load_variant(&place.fixture, 1));
	for (unsigned i = 0; i < QUICK_CASES; i++)
		wf_fixture_launch(&place.fixture);
	CU_ASSERT_TRUE(is_made(2));
	CU_ASSERT_TRUE(slow_is_right);
	CU_ASSERT_EQUAL(slow_tried, 1); /* the second one at once beside */
	CU_ASSERT_EQUAL(arrived, QUICK_CASES);
	close_place(&place);
}

/* What is being made, and what waits for that, is sent by the next sender. */
static void a_slow_input_does_not_hold_up_the_end(void)
{
	struct place place;

	open_place(&place, announce);
	arrived = QUICK_CASES; /* nothing to wait for */
	load_slow(&place.fixture);
	wf_fixture_launch(&place.fixture);
	open_sender(&place);
	wf_engine_end_inspections(place.fixture.engine);
	wf_sender_close(&place.sender);
	CU_ASSERT_EQUAL(waiting(&place), 1);
	CU_ASSERT_FALSE(slow_is_right);
	close_place(&place);
}

/* So slow that the breaker does not let the next call through by itself. */
static int64_t slow_clock(void *context)
{
	(void)context;
	return INT64_C(1800000000000) + wf_monotonic_ms() / 10;
}

static void put_failing(struct place *place, const char *address)
{
	struct wf_service service = { .namespace_id = 1,
		.name = "counted",
		.uri = URI,
		.kind = &failing_kind,
		.secret = "",
		.address = address,
		.documentation = "",
		.policy = WF_SERVICE_POLICY_DEFAULT };

	service.policy.delay_ms = WF_BREAKER_MAXIMUM_MS;
	OK(wf_service_put(place->fixture.store, &service, NULL));
	OK(wf_services_refresh(place->services, place->fixture.store, NULL));
}

static void a_new_address_closes_the_breaker(void)
{
	struct place place;

	wf_service_kind_add(&failing_kind);
	open_place_at(&place, announce, slow_clock);
	put_failing(&place, "one");
	OK(wf_fixture_load_variant(&place.fixture, 1));
	open_sender(&place);
	for (unsigned i = 0; i < WF_BREAKER_FAILURES; i++)
		wf_fixture_launch(&place.fixture);
	CU_ASSERT_TRUE(arrive(WF_BREAKER_FAILURES));
	put_failing(&place, "other");
	wf_fixture_launch(&place.fixture);
	CU_ASSERT_TRUE(arrive(WF_BREAKER_FAILURES + 1));
	close_place(&place);
}

static void announce_by_kind(void *context, const struct wf_announcement *what,
    struct wf_destinations *destinations)
{
	struct place *place = context;

	(void)wf_handlers_announce(place->services, what, destinations);
}

static void count_failure(
    void *context, const struct wf_failed_attempt *attempt)
{
	(void)context;
	(void)attempt;
	(void)count_message(NULL);
}

/* Registers the default worklist; the sender has had no chance to call it. */
static void put_worklist(
    struct place *place, const struct wf_service_handler *kind)
{
	struct wf_service service = { .namespace_id = 1,
		.name = WF_DEFAULT_WORKLIST,
		.uri = "http://127.0.0.1:9/",
		.kind = kind,
		.secret = "",
		.address = "",
		.documentation = "",
		.policy = WF_SERVICE_POLICY_DEFAULT };

	wf_service_kind_add(kind);
	OK(wf_service_put(place->fixture.store, &service, NULL));
	OK(wf_services_refresh(place->services, place->fixture.store, NULL));
}

/* So many messages are stored by the steps of a case. */
static uint64_t stored_by_a_case(struct place *place, const char *item)
{
	uint64_t before = waiting(place);

	wf_fixture_launch(&place->fixture);
	OK(wf_fixture_do(&place->fixture, (uint64_t)(item[0] - '0'),
	    WF_COMMAND_FINISH, item, NULL, NULL));
	return waiting(place) - before;
}

static bool is_forbidden(struct place *place, int64_t until)
{
	const struct wf_service_set *set = wf_services_hold(place->services);
	const struct wf_service *service =
	    wf_service_by_name(set, 1, WF_DEFAULT_WORKLIST);
	bool is = wf_service_is_forbidden(service, 0);

	if (until != 0)
		wf_service_forbid(service, until);
	wf_services_let_go(place->services, set);
	return is;
}

/* Calls of the default worklist that failed, as its state has them. */
static uint64_t failed_calls(struct place *place)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_service_state state;
	uint64_t count;

	(void)wf_service_state_read(wf_services_states(place->services), 1,
	    "http://127.0.0.1:9/", machine_clock(NULL), arena, &state);
	count = state.hour.failed;
	wf_arena_free(&arena);
	return count;
}

/* Messages of which nothing follows are not even stored. */
static void what_nobody_may_be_sent_is_not_stored(void)
{
	struct wf_sender_settings settings;
	struct place place;
	uint64_t all, left;

	open_place(&place, announce_by_kind);
	put_worklist(&place, &walled_kind);
	all = stored_by_a_case(&place, "1:A");
	CU_ASSERT_TRUE(all > 3);
	CU_ASSERT_FALSE(is_forbidden(&place, 0));
	wf_sender_settings_init(&settings);
	settings.failed = count_failure;
	OK(wf_sender_open(&place.sender, &settings, place.fixture.engine,
	    place.services, NULL));
	CU_ASSERT_TRUE(arrive(all));
	wf_sender_close(&place.sender);
	CU_ASSERT_TRUE(is_forbidden(&place, INT64_MAX));
	CU_ASSERT_EQUAL(stored_by_a_case(&place, "2:A"), 0);
	CU_ASSERT_TRUE(failed_calls(&place) > 0);
	/* Its items become incidents. */
	put_worklist(&place, &walled_push_kind);
	CU_ASSERT_FALSE(is_forbidden(&place, INT64_MAX));
	left = stored_by_a_case(&place, "3:A");
	CU_ASSERT_TRUE(left > 0);
	/* Of another kind, it has no calls; those not made are not counted. */
	CU_ASSERT_EQUAL(failed_calls(&place), 0);
	OK(wf_sender_open(&place.sender, &settings, place.fixture.engine,
	    place.services, NULL));
	CU_ASSERT_TRUE(arrive(all + left));
	/* A sender must not be closed while the engine is asked. */
	CU_ASSERT_TRUE(are_gone(&place));
	wf_sender_close(&place.sender);
	CU_ASSERT_EQUAL(failed_calls(&place), 0);
	close_place(&place);
}

CU_TestInfo wf_tests_sender[] = {
	{ "what nobody may be sent is not stored",
	    what_nobody_may_be_sent_is_not_stored },
	{ "the next of a stream follows the first",
	    the_next_of_a_stream_follows_the_first },
	{ "what is announced without a step is sent",
	    what_is_announced_without_a_step_is_sent },
	{ "a slow input holds up no other service",
	    a_slow_input_holds_up_no_other_service },
	{ "a new address closes the breaker",
	    a_new_address_closes_the_breaker },
	{ "a slow input does not hold up the end",
	    a_slow_input_does_not_hold_up_the_end },
	CU_TEST_INFO_NULL,
};
