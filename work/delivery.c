/* SPDX-License-Identifier: Apache-2.0 */
/* Who hears of what; and the thread that claims messages and sends them. */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "work/delivery_priv.h"
#include "yawl/announcement.h"

/*
 * A claimed message is this node's for so long, and longer while it is on its
 * way: claims are renewed so often.  Should the node die, others need not wait
 * for long.
 */
#define LEASE 10000
#define RENEW 3000
/* Claims, and settlements, are so far apart at least. */
#define PAUSE 10
/* Without a sign that there is something new. */
#define IDLE_PAUSE 250
#define CLAIM 256U
/* What waits in a line, for each that flies. */
#define WAITING 4U
#define BUSY_LEAST 500
/* At the latest then it has another turn: the service may be quicker now. */
#define BUSY_MOST 60000
/* At the end, what is on its way may take so long. */
#define LAST 5000

/* --- who hears of it ------------------------------------------------------ */

static bool hears(
    const struct wf_service *service, enum wf_announcement_kind kind)
{
	switch (service->kind) {
	case WF_SERVICE_PUSH:
		return wf_parcel_hands_over(kind) ||
		       kind == WF_ANNOUNCE_ITEM_ENDED ||
		       kind == WF_ANNOUNCE_TIMER_EXPIRED;
	case WF_SERVICE_BUILT_IN:
		return wf_parcel_hands_over(kind);
	default:
		return false;
	}
}

bool wf_delivery_announce(struct wf_services *services,
    const struct wf_announcement *what, struct wf_destinations *destinations)
{
	bool is_pulled;
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service *service = NULL;

	wf_yawl_announce(set, what, destinations);
	if (what->task != NULL)
		service = wf_service_for(
		    set, what->namespace_id, wf_task_service(what->task));
	if (service != NULL && hears(service, what->kind))
		wf_destination_add(destinations, service->uri);
	is_pulled = wf_parcel_hands_over(what->kind) &&
		    (service == NULL || service->kind == WF_SERVICE_PULL);
	wf_services_let_go(services, set);
	return is_pulled;
}

const struct wf_parcel_kind *wf_delivery_kind(enum wf_service_kind kind)
{
	static const struct wf_parcel_kind kinds[] = {
		[WF_SERVICE_YAWL] = { wf_yawl_render, wf_yawl_judge, true },
		[WF_SERVICE_PUSH] = { wf_push_render, wf_push_judge, false },
		[WF_SERVICE_BUILT_IN] = { wf_built_in_render, wf_built_in_judge,
		    false },
		[WF_SERVICE_LISTENER] = { wf_yawl_render_listener,
		    wf_yawl_judge, false },
	};

	return kind < sizeof(kinds) / sizeof(kinds[0]) &&
		       kinds[kind].render != NULL
		   ? &kinds[kind]
		   : NULL;
}

/* --- lines ---------------------------------------------------------------- */

static struct line *line_of(
    struct wf_delivery *delivery, const struct wf_message_row *row)
{
	char number[16];
	struct wf_buffer key;
	struct line *line;

	snprintf(number, sizeof(number), "%u/", row->namespace_id);
	wf_buffer_init(&key, 8192);
	wf_buffer_puts(&key, number);
	wf_buffer_puts(&key, row->destination);
	line = wf_map_get(delivery->lines, wf_buffer_text(&key));
	if (line == NULL) {
		line = wf_calloc(1, sizeof(*line));
		line->last = &line->first;
		line->next = delivery->first_line;
		delivery->first_line = line;
		wf_map_add(delivery->lines, wf_buffer_text(&key), line);
	}
	wf_buffer_free(&key);
	return line;
}

static void free_lines(struct wf_delivery *delivery)
{
	while (delivery->first_line != NULL) {
		struct line *line = delivery->first_line;

		delivery->first_line = line->next;
		wf_free(line);
	}
	wf_map_free(&delivery->lines);
}

void wf_flight_land(struct flight *flight)
{
	if (flight->started == 0)
		return;
	flight->started = 0;
	flight->line->flying--;
}

void wf_flight_free(struct flight *flight)
{
	struct wf_arena *arena = flight->parcel.arena;

	if (flight->newer != NULL)
		flight->newer->older = flight->older;
	else
		flight->delivery->newest = flight->older;
	if (flight->older != NULL)
		flight->older->newer = flight->newer;
	wf_flight_land(flight);
	wf_flight_end_call(flight);
	wf_services_let_go(flight->delivery->services, flight->set);
	wf_buffer_free(&flight->parcel.body);
	wf_buffer_free(&flight->parcel.answer);
	flight->delivery->flights--;
	wf_arena_free(&arena);
}

/* --- sending -------------------------------------------------------------- */

/* One at a time while a line is tried. */
static bool has_room(const struct flight *flight)
{
	const struct line *line = flight->line;
	unsigned most = flight->parcel.service->policy.concurrency;

	return line->flying < (line->closed_until != 0 ? 1 : most);
}

static void start(struct flight *flight)
{
	struct wf_parcel *parcel = &flight->parcel;
	enum wf_verdict verdict;

	flight->started = parcel->now;
	flight->line->flying++;
	verdict = flight->kind->render(parcel);
	if (verdict != WF_PARCEL_CALL)
		wf_flight_verdict(flight, verdict);
	else if (!wf_flight_call(flight))
		wf_flight_verdict(flight, WF_PARCEL_AGAIN);
}

/* What would wait for too long is put back, for about when it is its turn. */
static void put_back(struct flight *flight)
{
	struct line *line = flight->line;
	int64_t now = flight->parcel.now;

	if (line->busy_until < now + BUSY_LEAST)
		line->busy_until = now + BUSY_LEAST;
	if (line->busy_until < now + BUSY_MOST)
		line->busy_until += (int64_t)line->pace;
	else
		line->busy_until = now + BUSY_MOST;
	wf_flight_postpone(flight, line->busy_until, false);
}

static void send_or_wait(struct flight *flight)
{
	struct line *line = flight->line;
	const struct wf_service *service = flight->parcel.service;

	if (line->closed_until > flight->parcel.now) {
		wf_parcel_fail(&flight->parcel, WF_PARCEL_AGAIN,
		    "the service failed again and again, and is left alone "
		    "for a while");
		flight->parcel.retry_after = line->closed_until;
		wf_flight_verdict(flight, WF_PARCEL_AGAIN);
	} else if (line->first == NULL && has_room(flight)) {
		start(flight);
	} else if (line->waiting < WAITING * service->policy.concurrency) {
		*line->last = flight;
		line->last = &flight->next;
		line->waiting++;
	} else {
		put_back(flight);
	}
}

static void send_waiting(struct wf_delivery *delivery)
{
	int64_t now = wf_engine_now(delivery->engine);

	for (struct line *line = delivery->first_line; line != NULL;
	     line = line->next)
		while (line->first != NULL &&
		       (has_room(line->first) || line->closed_until > now)) {
			struct flight *flight = line->first;

			line->first = flight->next;
			if (line->first == NULL)
				line->last = &line->first;
			flight->next = NULL;
			line->waiting--;
			flight->parcel.now = now;
			if (line->closed_until > now)
				wf_flight_postpone(
				    flight, line->closed_until, false);
			else
				start(flight);
		}
}

/* --- claiming ------------------------------------------------------------- */

static void copy_row(struct wf_message_row *to,
    const struct wf_message_row *from, struct wf_arena *arena)
{
	*to = *from;
	to->destination = wf_arena_strdup(arena, from->destination);
	to->subject = wf_arena_strdup(arena, from->subject);
	to->payload.data =
	    wf_arena_strndup(arena, from->payload.data, from->payload.size);
}

static void find_service(struct flight *flight)
{
	struct wf_parcel *parcel = &flight->parcel;

	flight->set = wf_services_hold(flight->delivery->services);
	parcel->service = wf_service_by_uri(flight->set,
	    parcel->message.namespace_id, parcel->message.destination);
	flight->kind = parcel->service == NULL
			   ? NULL
			   : wf_delivery_kind(parcel->service->kind);
	if (parcel->service != NULL)
		parcel->policy = parcel->service->policy;
}

static void open_if_moved(struct flight *flight)
{
	const char *text = wf_service_address(flight->parcel.service);
	uint64_t address = wf_hash(0, text, strlen(text));
	struct line *line = flight->line;

	if (line->address != address) {
		line->failures = 0;
		line->closed_until = 0;
	}
	line->address = address;
}

/* Another node may have registered it just now. */
static void find_new_service(struct flight *flight, struct wf_store *store)
{
	struct wf_services *services = flight->delivery->services;

	wf_services_let_go(services, flight->set);
	(void)(wf_services_refresh(services, store, NULL) == WF_OK);
	find_service(flight);
}

static struct flight *make_flight(
    struct wf_delivery *delivery, const struct wf_message_row *row, int64_t now)
{
	struct wf_arena *arena = wf_arena_new();
	struct flight *flight = wf_arena_alloc(arena, sizeof(*flight));
	struct wf_parcel *parcel = &flight->parcel;

	delivery->flights++;
	flight->older = delivery->newest;
	if (flight->older != NULL)
		flight->older->newer = flight;
	delivery->newest = flight;
	flight->delivery = delivery;
	flight->line = line_of(delivery, row);
	flight->until = now + LEASE;
	parcel->arena = arena;
	parcel->engine = delivery->engine;
	parcel->now = now;
	parcel->type = "";
	copy_row(&parcel->message, row, arena);
	parcel->key = wf_arena_printf(arena, "%s-%llu-%llu", delivery->identity,
	    (unsigned long long)row->number, (unsigned long long)row->message);
	wf_buffer_init(&parcel->body, (size_t)256 << 20);
	wf_buffer_init(&parcel->answer, (size_t)32 << 20);
	find_service(flight);
	return flight;
}

/* Those that are settled, or asked for in the engine, come to an end soon. */
static void renew(struct wf_delivery *delivery, struct wf_store *store)
{
	int64_t now = wf_engine_now(delivery->engine);
	struct wf_message_key *keys;
	size_t count = 0;

	if (now < delivery->renewed_at + RENEW && now >= delivery->renewed_at)
		return;
	delivery->renewed_at = now;
	keys = wf_malloc((delivery->flights + 1) * sizeof(*keys));
	for (struct flight *flight = delivery->newest; flight != NULL;
	     flight = flight->older)
		if (!flight->is_settled &&
		    flight->until < now + LEASE - RENEW) {
			flight->until = now + LEASE;
			keys[count].number = flight->parcel.message.number;
			keys[count++].message = flight->parcel.message.message;
		}
	/* One that could not be renewed may be sent by another node, too. */
	if (count > 0)
		(void)(wf_store_postpone(store, keys, count, now + LEASE, true,
			   NULL) == WF_OK);
	wf_free(keys);
}

static void take(struct wf_delivery *delivery, const struct wf_message_row *row,
    struct wf_store *store, int64_t now)
{
	struct flight *flight = make_flight(delivery, row, now);
	struct wf_parcel *parcel = &flight->parcel;

	if (flight->kind == NULL)
		find_new_service(flight, store);
	if (wf_announced_decode(&parcel->announced, parcel->message.payload,
		parcel->arena, NULL) != WF_OK) {
		wf_parcel_fail(parcel, WF_PARCEL_REFUSED,
		    "the stored announcement is damaged");
		wf_flight_verdict(flight, WF_PARCEL_REFUSED);
	} else if (flight->kind == NULL && parcel->service != NULL) {
		/* Since it was announced it has become one who comes for it. */
		wf_flight_verdict(flight, WF_PARCEL_DONE);
	} else if (flight->kind == NULL) {
		wf_parcel_fail(parcel, WF_PARCEL_REFUSED,
		    "there is no service %.200s that is called",
		    parcel->message.destination);
		wf_flight_verdict(flight, WF_PARCEL_REFUSED);
	} else {
		open_if_moved(flight);
		send_or_wait(flight);
	}
}

static void claim(struct wf_delivery *delivery, struct wf_store *store)
{
	struct wf_arena *arena = wf_arena_new();
	int64_t now = wf_engine_now(delivery->engine);
	size_t room = delivery->settings.at_once - delivery->flights;
	struct wf_message_list list = { .count = 0 };

	if (room > CLAIM)
		room = CLAIM;
	delivery->claimed_at = now;
	atomic_store(&delivery->woken, false);
	if (wf_store_claim_messages(store, NULL, now, now + LEASE, room, arena,
		&list, NULL) != WF_OK)
		list.count = 0;
	delivery->more = list.count == room;
	for (size_t i = 0; i < list.count; i++)
		take(delivery, &list.rows[i], store, now);
	wf_arena_free(&arena);
}

static bool may_claim(struct wf_delivery *delivery, int64_t now)
{
	int64_t pause = delivery->more || atomic_load(&delivery->woken)
			    ? PAUSE
			    : IDLE_PAUSE;

	return !atomic_load(&delivery->stopping) &&
	       delivery->flights < delivery->settings.at_once &&
	       (now >= delivery->claimed_at + pause ||
		   now < delivery->claimed_at);
}

/* --- the thread ----------------------------------------------------------- */

static void use_store(struct wf_delivery *delivery)
{
	int64_t now = wf_engine_now(delivery->engine);
	bool claims = may_claim(delivery, now);
	struct wf_store *store;

	if ((!claims && now < delivery->renewed_at + RENEW) ||
	    wf_engine_borrow(delivery->engine, &store, NULL) != WF_OK)
		return;
	renew(delivery, store);
	if (claims)
		claim(delivery, store);
	wf_engine_give_back(delivery->engine, store);
}

static void turn(struct wf_delivery *delivery)
{
	int running;

	curl_multi_perform(delivery->multi, &running);
	wf_delivery_take_calls(delivery);
	wf_delivery_take_answers(delivery);
	wf_delivery_settle(delivery, false);
	use_store(delivery);
	send_waiting(delivery);
	curl_multi_perform(delivery->multi, &running);
}

/* Whoever comes next need not wait for the end of our claims. */
static void give_up_all(struct wf_delivery *delivery)
{
	int64_t now = wf_engine_now(delivery->engine);

	for (struct flight *flight = delivery->newest; flight != NULL;
	     flight = flight->older)
		if (!flight->is_settled && !flight->in_engine)
			wf_flight_postpone(flight, now, flight->started != 0);
}

static void *run(void *argument)
{
	struct wf_delivery *delivery = argument;
	int64_t end = 0;

	while (end == 0 || (delivery->flights > 0 &&
			       wf_engine_now(delivery->engine) < end)) {
		bool soon;

		turn(delivery);
		if (end == 0 && atomic_load(&delivery->stopping))
			end = wf_engine_now(delivery->engine) + LAST;
		soon = delivery->more || delivery->settling != NULL ||
		       atomic_load(&delivery->woken);
		curl_multi_poll(
		    delivery->multi, NULL, 0, soon ? PAUSE : IDLE_PAUSE, NULL);
	}
	give_up_all(delivery);
	wf_delivery_settle(delivery, true);
	return NULL;
}

void wf_delivery_counts(
    struct wf_delivery *delivery, struct wf_delivery_counts *counts_out)
{
	counts_out->arrived = atomic_load(&delivery->arrived);
	counts_out->failed = atomic_load(&delivery->failed);
	counts_out->refused = atomic_load(&delivery->refused);
}

void wf_delivery_wake(struct wf_delivery *delivery)
{
	if (!atomic_exchange(&delivery->woken, true))
		curl_multi_wakeup(delivery->multi);
}

/* --- opening and closing -------------------------------------------------- */

void wf_delivery_settings_init(struct wf_delivery_settings *settings)
{
	memset(settings, 0, sizeof(*settings));
	settings->at_once = 512;
}

static enum wf_rc start_thread(
    struct wf_delivery *delivery, struct wf_error *err)
{
	struct wf_store *store;
	enum wf_rc rc;

	if (sodium_init() < 0 || curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
		return wf_fail(err, WF_IO, "libcurl cannot be used");
	delivery->multi = curl_multi_init();
	if (delivery->multi == NULL)
		return wf_fail(err, WF_IO, "libcurl cannot be used");
	curl_multi_setopt(delivery->multi, CURLMOPT_MAXCONNECTS,
	    (long)delivery->settings.at_once);
	rc = wf_engine_borrow(delivery->engine, &store, err);
	if (rc != WF_OK)
		return rc;
	snprintf(delivery->identity, sizeof(delivery->identity), "%s",
	    wf_store_identity(store));
	wf_engine_give_back(delivery->engine, store);
	if (pthread_create(&delivery->thread, NULL, run, delivery) != 0)
		return wf_fail(err, WF_IO, "no thread can be started");
	delivery->has_thread = true;
	return WF_OK;
}

enum wf_rc wf_delivery_open(struct wf_delivery **delivery_out,
    const struct wf_delivery_settings *settings, struct wf_engine *engine,
    struct wf_services *services, struct wf_error *err)
{
	struct wf_delivery *delivery = wf_calloc(1, sizeof(*delivery));
	enum wf_rc rc;

	delivery->settings = *settings;
	delivery->engine = engine;
	delivery->services = services;
	delivery->lines = wf_map_new();
	pthread_mutex_init(&delivery->lock, NULL);
	rc = start_thread(delivery, err);
	*delivery_out = delivery;
	if (rc != WF_OK)
		wf_delivery_close(delivery_out);
	return rc;
}

void wf_delivery_stop(struct wf_delivery *delivery)
{
	if (delivery == NULL || !delivery->has_thread)
		return;
	atomic_store(&delivery->stopping, true);
	curl_multi_wakeup(delivery->multi);
	pthread_join(delivery->thread, NULL);
	delivery->has_thread = false;
}

void wf_delivery_close(struct wf_delivery **delivery)
{
	struct wf_delivery *old = *delivery;

	*delivery = NULL;
	if (old == NULL)
		return;
	wf_delivery_stop(old);
	while (old->newest != NULL)
		wf_flight_free(old->newest);
	free_lines(old);
	if (old->multi != NULL) {
		curl_multi_cleanup(old->multi);
		curl_global_cleanup();
	}
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}
