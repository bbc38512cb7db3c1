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
#include "tests/unit/engine_fixture.h"
#include "work/sender.h"

#define NEVER_MS (INT64_C(24) * 3600 * 1000)
#define TIMEOUT_MS 60000
#define URI "urn:example:counted"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;
static uint64_t arrived;

/* --- a service that only counts ------------------------------------------- */

static enum wf_verdict count_message(struct wf_message *message)
{
	(void)message;
	pthread_mutex_lock(&lock);
	arrived++;
	pthread_cond_signal(&wake);
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
		wf_destination_add(destinations, URI);
}

static void committed(void *context)
{
	struct place *place = context;

	if (place->sender != NULL)
		wf_sender_wake(place->sender);
}

static void open_place(struct place *place)
{
	struct wf_fixture *f = &place->fixture;
	const struct wf_service service = { .namespace_id = 1,
		.name = "counted",
		.uri = URI,
		.kind = &counting_kind,
		.secret = "",
		.address = "",
		.documentation = "",
		.policy = WF_SERVICE_POLICY_DEFAULT };

	memset(place, 0, sizeof(*place));
	arrived = 0;
	wf_condition_init(&wake);
	wf_service_kind_add(&counting_kind);
	wf_fixture_init(f);
	f->settings.context = place;
	f->settings.now = machine_clock;
	f->settings.announce = announce;
	f->settings.committed = committed;
	wf_fixture_open(f);
	OK(wf_service_put(f->store, &service, NULL));
	OK(wf_services_open(&place->services, f->store, NULL));
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

	OK(wf_store_backlog(place->fixture.store, &backlog, NULL));
	return backlog.messages;
}

static void the_next_of_a_stream_follows_the_first(void)
{
	struct place place;
	uint64_t count;

	open_place(&place);
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

	open_place(&place);
	wf_fixture_launch(&place.fixture);
	count = waiting(&place);
	open_sender(&place);
	CU_ASSERT_TRUE(arrive(count));
	OK(wf_engine_call(place.fixture.engine, &request, &answer, NULL));
	CU_ASSERT_TRUE(arrive(count + 1));
	close_place(&place);
}

CU_TestInfo wf_tests_sender[] = {
	{ "the next of a stream follows the first",
	    the_next_of_a_stream_follows_the_first },
	{ "what is announced without a step is sent",
	    what_is_announced_without_a_step_is_sent },
	CU_TEST_INFO_NULL,
};
