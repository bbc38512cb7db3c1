/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/crash/people.h"
#include "tests/crash/work.h"
#include "tests/message_queues.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ENGINES 4U
#define CLIENTS 256U
/* The number of live cases to keep. */
#define CASES 48U
/* The list of live cases is read again after this many choices. */
#define LIST_AGE 16U
/* After this many choices the history and the outbox are read. */
#define OBSERVER_AGE 48U
#define AT_ONCE 200U
/* Virtual clocks start here. */
#define START INT64_C(1767225600000)
/* .. and each round this much later than the round before. */
#define ROUND INT64_C(10000)
#define OPEN_TRIES 12000U

struct client {
	struct work *work;
	unsigned index;
	int fd;
	struct wf_random random;
	struct crash_request request; /* the last that was made */
	struct wf_request whole;
	struct crash_texts texts;
	unsigned waiting;    /* answers to it that are to come */
	bool again;	     /* it must be sent again */
	bool idle;	     /* nothing more to do */
	struct client *next; /* in the queue of clients that may act */
};

struct work {
	const struct crash_work *plan;
	struct crash_mix mix;
	struct crash_people *people;
	struct wf_engine *engines[ENGINES];
	struct wf_random random;
	struct client *clients;
	uint64_t made; /* requests */
	int64_t now;   /* of a virtual clock */

	/* The state of the observers. */
	int seer;
	struct wf_cursor cursor;
	struct wf_arena *arena;	     /* of a choice */
	struct wf_arena *list_arena; /* of cases */
	struct wf_case_list cases;
	unsigned list_age;
	unsigned observer_age;

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	struct client *first;
	struct client **last;
};

void crash_work_init(struct crash_work *work)
{
	memset(work, 0, sizeof(*work));
	work->clients = 32;
	work->engines = 1;
	work->shards = 1;
}

static int64_t clock_of(void *context)
{
	const struct work *w = context;
	struct timespec now;

	if (w->plan->turns)
		return w->now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* --- clients that may act ------------------------------------------------- */

static void put(struct client *client)
{
	struct work *w = client->work;

	client->next = NULL;
	*w->last = client;
	w->last = &client->next;
	pthread_cond_signal(&w->wake);
}

static struct client *take(struct work *w)
{
	struct timespec until;
	struct client *client;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 1;
	pthread_mutex_lock(&w->lock);
	if (w->first == NULL && !w->plan->turns)
		pthread_cond_timedwait(&w->wake, &w->lock, &until);
	client = w->first;
	if (client != NULL) {
		w->first = client->next;
		if (w->first == NULL)
			w->last = &w->first;
	}
	pthread_mutex_unlock(&w->lock);
	return client;
}

/* --- sending and answers -------------------------------------------------- */

static bool is_unknown(enum wf_rc rc)
{
	return rc == WF_UNAVAILABLE || rc == WF_LOST || rc == WF_IO;
}

static void note(struct client *client, const struct wf_reply *reply)
{
	struct crash_answer answer = { .serial = client->request.serial,
		.rc = reply->rc,
		.number = reply->number,
		.sequence = reply->sequence,
		.status = reply->status,
		.repeated = reply->repeated };

	snprintf(answer.item, sizeof(answer.item), "%s",
	    reply->item == NULL ? "" : reply->item);
	snprintf(answer.name, sizeof(answer.name), "%s",
	    reply->name == NULL ? "" : reply->name);
	crash_record_answer(client->fd, &answer);
	/* A client may give up a request that was certainly not done. */
	client->again |=
	    reply->rc == WF_LOST ||
	    (is_unknown(reply->rc) && wf_random_below(&client->random, 3) > 0);
}

static void take_reply(void *context, const struct wf_reply *reply)
{
	struct client *client = context;
	struct work *w = client->work;

	pthread_mutex_lock(&w->lock);
	note(client, reply);
	if (--client->waiting == 0)
		put(client);
	pthread_mutex_unlock(&w->lock);
}

static void submit(struct client *client, struct wf_engine *engine)
{
	struct wf_error err = { 0 };
	struct wf_reply reply = { 0 };

	reply.rc =
	    wf_engine_submit(engine, &client->whole, take_reply, client, &err);
	if (reply.rc == WF_OK)
		return;
	if (reply.rc != WF_UNAVAILABLE)
		crash_fail("a request is no request: %s", err.message);
	take_reply(client, &reply);
}

/* Sends to one engine, or now and then to two at the same time. */
static void send_request(struct client *client)
{
	struct work *w = client->work;
	unsigned count = w->plan->engines;
	unsigned at = wf_random_below(&client->random, count);
	unsigned copies =
	    count > 1 && wf_random_below(&client->random, 8) == 0 ? 2 : 1;

	client->again = false;
	client->waiting = copies;
	for (unsigned i = 0; i < copies; i++)
		crash_record_intention(client->fd, &client->request);
	for (unsigned i = 0; i < copies; i++)
		submit(client, w->engines[(at + i) % count]);
}

static void fill(struct client *client)
{
	wf_free(client->texts.data);
	crash_request_fill(&client->request, client->index,
	    crash_mix_net(&client->work->mix, client->request.specification),
	    &client->whole, &client->texts);
}

/* --- choice of a request -------------------------------------------------- */

static bool list_cases(struct work *w, struct wf_store *store)
{
	struct wf_case_filter filter = { .live = true, .limit = 2 * CASES };

	if (w->list_age++ % LIST_AGE != 0)
		return true;
	wf_arena_reset(w->list_arena);
	if (wf_store_cases(store, &filter, w->list_arena, &w->cases, NULL) ==
	    WF_OK)
		return true;
	w->cases.count = 0;
	w->list_age = 0;
	return false;
}

static bool choose(struct client *client)
{
	struct work *w = client->work;
	struct crash_sight sight = { .random = &client->random,
		.arena = w->arena,
		.cases = &w->cases,
		.wanted = CASES,
		.for_people = w->plan->for_people,
		.now = clock_of(w) };
	uint64_t serial = client->request.serial + 1;
	struct crash_request request;
	bool good;

	if (wf_engine_borrow(w->engines[0], &sight.store, NULL) != WF_OK)
		return false;
	good = list_cases(w, sight.store) &&
	       crash_choose(&w->mix, &sight, &request);
	wf_engine_give_back(w->engines[0], sight.store);
	wf_arena_reset(w->arena);
	if (!good)
		return false;
	client->request = request;
	client->request.serial = serial;
	w->made++;
	fill(client);
	return true;
}

static bool is_over(const struct work *w)
{
	return w->plan->requests != 0 && w->made >= w->plan->requests;
}

static void pause_a_little(struct work *w)
{
	w->now++;
	if (!w->plan->turns)
		usleep(1000);
}

static void act(struct client *client)
{
	struct work *w = client->work;
	bool forgot = client->request.serial > 0 &&
		      wf_random_below(&client->random, 12) == 0;

	if (client->again)
		pause_a_little(w);
	if (!client->again && !forgot) {
		if (is_over(w)) {
			client->idle = true;
			return;
		}
		if (!choose(client)) {
			pause_a_little(w);
			pthread_mutex_lock(&w->lock);
			put(client);
			pthread_mutex_unlock(&w->lock);
			return;
		}
	}
	send_request(client);
}

/* --- observers ------------------------------------------------------------ */

static void follow(struct work *w, struct wf_store *store)
{
	struct wf_history_filter filter = { .after = w->cursor,
		.limit = AT_ONCE };
	struct wf_history_list list;

	if (wf_store_history(store, &filter, w->arena, &list, NULL) != WF_OK)
		return;
	for (size_t i = 0; i < list.count; i++) {
		struct wf_cursor row = { .position = list.rows[i].position,
			.number = list.rows[i].number,
			.sequence = list.rows[i].sequence };

		crash_record_row(w->seer, &row);
	}
	w->cursor = list.next;
}

static void receive(struct work *w, struct wf_store *store)
{
	struct wf_message_key keys[AT_ONCE];
	struct wf_message_list list;
	int64_t now = clock_of(w);
	enum wf_rc rc = claim_messages(
	    store, NULL, now, now + 5000, AT_ONCE, w->arena, &list, NULL);

	for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
		keys[i].number = list.rows[i].number;
		keys[i].message = list.rows[i].message;
		crash_record_message(w->seer, keys[i].number, keys[i].message);
	}
	if (rc == WF_OK && list.count > 0)
		rc = wf_store_acknowledge(store, keys, list.count, NULL);
	(void)rc; /* a message that is not acknowledged is delivered again */
}

static void reserve(struct work *w, struct wf_store *store)
{
	uint64_t count = 1 + wf_random_below(&w->random, 5);
	uint64_t first;

	if (wf_store_reserve(store, WF_COUNTER_MESSAGE, count, &first, NULL) ==
	    WF_OK)
		crash_record_numbers(w->seer, first, count);
}

/* Only one process does: what it was answered must be the whole story. */
static void pile(struct work *w, struct wf_store *store)
{
	unsigned task = wf_random_below(&w->random, CRASH_PILED);
	unsigned person = wf_random_below(&w->random, 2) == 0
			      ? 0
			      : 1 + wf_random_below(&w->random, CRASH_PEOPLE);

	if (crash_people_read_piles(w->people, store, NULL) != WF_OK ||
	    w->plan->first != 0)
		return;
	crash_record_pile(w->seer, task, person);
	crash_record_piled(
	    w->seer, crash_people_pile(w->people, store, task, person));
}

static void observe(struct work *w)
{
	struct wf_store *store;

	if (w->observer_age++ % OBSERVER_AGE != 0 ||
	    wf_engine_borrow(w->engines[0], &store, NULL) != WF_OK)
		return;
	follow(w, store);
	receive(w, store);
	reserve(w, store);
	pile(w, store);
	wf_engine_give_back(w->engines[0], store);
	wf_arena_reset(w->arena);
}

static void announce(void *context, const struct wf_announcement *what,
    struct wf_destinations *destinations)
{
	(void)context;
	wf_destination_add(
	    destinations, what->task != NULL ? "worklist" : "observer");
}

static void probe(
    void *context, const struct wf_request *request, struct wf_command *command)
{
	const struct work *w = context;

	(void)request;
	(void)command;
	if (w->plan->step != NULL)
		w->plan->step(w->plan->context);
}

/* --- start and end -------------------------------------------------------- */

static void remember(void *context, const struct crash_line *line)
{
	struct client *client = context;

	if (line->kind == 'I') {
		client->request = line->request;
		client->again = true;
	} else if (line->kind == 'A' && !is_unknown(line->answer.rc)) {
		client->again = false;
	}
}

static void remember_row(void *context, const struct crash_line *line)
{
	struct work *w = context;

	if (line->kind == 'H')
		w->cursor = (struct wf_cursor){ .position = line->numbers[0],
			.number = line->numbers[1],
			.sequence = line->numbers[2] };
}

static void begin_client(struct work *w, struct client *client, unsigned index)
{
	client->work = w;
	client->index = index;
	client->random.state = w->plan->seed + index;
	wf_random_below(&client->random, 2);
	client->fd = crash_records_open(w->plan->folder, 'c', index);
	crash_records_read(w->plan->folder, 'c', index, remember, client);
	crash_record_begin(client->fd);
	if (client->request.serial > 0)
		fill(client);
	put(client);
}

static void open_engine(struct work *w, unsigned index)
{
	struct wf_engine_settings settings;
	struct wf_error err = { 0 };
	enum wf_rc rc;

	wf_engine_settings_init(&settings);
	settings.url = w->plan->url;
	settings.threads = !w->plan->turns;
	settings.shards = w->plan->shards;
	settings.cache_bytes =
	    wf_random_below(&w->random, 3) == 0 ? 1 : 1 << 24;
	if (w->plan->cache != 0)
		settings.cache_bytes = w->plan->cache;
	settings.batch = 1 + wf_random_below(&w->random, 64);
	settings.now = clock_of;
	/* Rounds on a virtual clock and others are years apart. */
	settings.answers_kept_ms = INT64_MAX / 4;
	settings.announce = announce;
	settings.people = crash_people_calls(w->people);
	settings.probe = probe;
	settings.context = w;
	/* The store may be starting, and a connection can be cut. */
	for (unsigned i = 0; i < OPEN_TRIES; i++) {
		wf_error_clear(&err);
		rc = wf_engine_open(&w->engines[index], &settings, &err);
		if (rc != WF_UNAVAILABLE && rc != WF_LOST)
			break;
		usleep(50000);
	}
	if (rc != WF_OK)
		crash_fail("%s", err.message);
}

static void begin(struct work *w, const struct crash_work *plan)
{
	struct wf_error err = { 0 };

	memset(w, 0, sizeof(*w));
	w->plan = plan;
	w->random.state = plan->seed;
	w->now = START + plan->round * ROUND;
	w->last = &w->first;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	w->arena = wf_arena_new();
	w->list_arena = wf_arena_new();
	w->seer = crash_records_open(plan->folder, 's', plan->first);
	crash_records_read(plan->folder, 's', plan->first, remember_row, w);
	if (plan->engines == 0 || plan->engines > ENGINES ||
	    plan->first + plan->clients > CLIENTS)
		crash_fail("too many engines or clients");
	w->people = crash_people_new(plan->mix, plan->forgets);
	for (unsigned i = 0; i < plan->engines; i++)
		open_engine(w, i);
	if (crash_mix_load(&w->mix, plan->mix, w->engines[0], &err) != WF_OK)
		crash_fail("%s", err.message);
	if (plan->opened != NULL)
		plan->opened(plan->context, w->engines[0]);
	w->clients = wf_calloc(plan->clients, sizeof(*w->clients));
	for (unsigned i = 0; i < plan->clients; i++)
		begin_client(w, &w->clients[i], plan->first + i);
}

static void end(struct work *w)
{
	for (unsigned i = 0; i < w->plan->engines; i++)
		wf_engine_close(&w->engines[i]);
	crash_people_free(&w->people);
	for (unsigned i = 0; i < w->plan->clients; i++) {
		close(w->clients[i].fd);
		wf_free(w->clients[i].texts.data);
	}
	wf_free(w->clients);
	close(w->seer);
	wf_arena_free(&w->arena);
	wf_arena_free(&w->list_arena);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
}

static bool all_idle(const struct work *w)
{
	for (unsigned i = 0; i < w->plan->clients; i++)
		if (!w->clients[i].idle)
			return false;
	return true;
}

void crash_work(const struct crash_work *plan)
{
	struct client *client;
	struct work w;

	begin(&w, plan);
	do {
		while ((client = take(&w)) != NULL) {
			act(client);
			observe(&w);
			if (plan->turns && wf_random_below(&w.random, 8) == 0)
				break;
		}
		w.now++;
		for (unsigned i = 0; plan->turns && i < plan->engines; i++)
			wf_engine_turn(w.engines[i]);
	} while (!all_idle(&w));
	end(&w);
}
