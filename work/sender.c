/* SPDX-License-Identifier: Apache-2.0 */
/* Who hears of what; and the thread that claims messages and sends them. */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "work/delivery_priv.h"

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
/* What waits in a destination, for each that flies. */
#define WAITING 4U
#define BUSY_LEAST 500
/* At the latest then it has another turn: the service may be quicker now. */
#define BUSY_MOST 60000
/* At the end, what is on its way may take so long. */
#define LAST 5000

/* --- destinations
 * ---------------------------------------------------------------- */

static struct destination *destination_of(
    struct wf_sender *sender, const struct wf_message_row *row)
{
	char number[16];
	struct wf_buffer key;
	struct destination *destination;

	snprintf(number, sizeof(number), "%u/", row->namespace_id);
	wf_buffer_init(&key, 8192);
	wf_buffer_puts(&key, number);
	wf_buffer_puts(&key, row->destination);
	destination = wf_map_get(sender->destinations, wf_buffer_text(&key));
	if (destination == NULL) {
		destination = wf_calloc(1, sizeof(*destination));
		destination->last = &destination->first;
		destination->next = sender->first_destination;
		sender->first_destination = destination;
		wf_map_add(
		    sender->destinations, wf_buffer_text(&key), destination);
	}
	wf_buffer_free(&key);
	return destination;
}

static void free_destinations(struct wf_sender *sender)
{
	while (sender->first_destination != NULL) {
		struct destination *destination = sender->first_destination;

		sender->first_destination = destination->next;
		wf_free(destination);
	}
	wf_map_free(&sender->destinations);
}

void wf_delivery_land(struct wf_delivery *delivery)
{
	if (delivery->started == 0)
		return;
	delivery->started = 0;
	delivery->destination->flying--;
}

void wf_delivery_free(struct wf_delivery *delivery)
{
	struct wf_arena *arena = delivery->message.arena;

	if (delivery->newer != NULL)
		delivery->newer->older = delivery->older;
	else
		delivery->sender->newest = delivery->older;
	if (delivery->older != NULL)
		delivery->older->newer = delivery->newer;
	wf_delivery_land(delivery);
	wf_delivery_end_call(delivery);
	wf_services_let_go(delivery->sender->services, delivery->set);
	wf_buffer_free(&delivery->message.body);
	wf_buffer_free(&delivery->message.answer);
	delivery->sender->delivery_count--;
	wf_arena_free(&arena);
}

/* --- sending -------------------------------------------------------------- */

/* One at a time while a destination is tried. */
static bool has_room(const struct wf_delivery *delivery)
{
	const struct destination *destination = delivery->destination;
	unsigned most = delivery->message.service->policy.concurrency;

	return destination->flying <
	       (destination->closed_until != 0 ? 1 : most);
}

static void start(struct wf_delivery *delivery)
{
	struct wf_message *message = &delivery->message;
	enum wf_verdict verdict;

	delivery->started = message->now;
	delivery->destination->flying++;
	verdict = delivery->handler->render(message);
	if (verdict != WF_VERDICT_CALL)
		wf_delivery_verdict(delivery, verdict);
	else if (!wf_delivery_call(delivery))
		wf_delivery_verdict(delivery, WF_VERDICT_AGAIN);
}

/* What would wait for too long is put back, for about when it is its turn. */
static void put_back(struct wf_delivery *delivery)
{
	struct destination *destination = delivery->destination;
	int64_t now = delivery->message.now;

	if (destination->busy_until < now + BUSY_LEAST)
		destination->busy_until = now + BUSY_LEAST;
	if (destination->busy_until < now + BUSY_MOST)
		destination->busy_until += (int64_t)destination->pace;
	else
		destination->busy_until = now + BUSY_MOST;
	wf_delivery_postpone(delivery, destination->busy_until, false);
}

static void send_or_wait(struct wf_delivery *delivery)
{
	struct destination *destination = delivery->destination;
	const struct wf_service *service = delivery->message.service;

	if (destination->closed_until > delivery->message.now) {
		wf_message_fail(&delivery->message, WF_VERDICT_AGAIN,
		    "the service failed again and again, and is left alone "
		    "for a while");
		delivery->message.retry_after = destination->closed_until;
		wf_delivery_verdict(delivery, WF_VERDICT_AGAIN);
	} else if (destination->first == NULL && has_room(delivery)) {
		start(delivery);
	} else if (destination->waiting <
		   WAITING * service->policy.concurrency) {
		*destination->last = delivery;
		destination->last = &delivery->next;
		destination->waiting++;
	} else {
		put_back(delivery);
	}
}

static void send_waiting(struct wf_sender *sender)
{
	int64_t now = wf_engine_now(sender->engine);

	for (struct destination *destination = sender->first_destination;
	     destination != NULL; destination = destination->next)
		while (destination->first != NULL &&
		       (has_room(destination->first) ||
			   destination->closed_until > now)) {
			struct wf_delivery *delivery = destination->first;

			destination->first = delivery->next;
			if (destination->first == NULL)
				destination->last = &destination->first;
			delivery->next = NULL;
			destination->waiting--;
			delivery->message.now = now;
			if (destination->closed_until > now)
				wf_delivery_postpone(
				    delivery, destination->closed_until, false);
			else
				start(delivery);
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

static void find_service(struct wf_delivery *delivery)
{
	struct wf_message *message = &delivery->message;

	delivery->set = wf_services_hold(delivery->sender->services);
	message->service = wf_service_by_uri(
	    delivery->set, message->row.namespace_id, message->row.destination);
	delivery->handler =
	    message->service == NULL
		? NULL
		: delivery->sender->handlers->of[message->service->kind];
	if (message->service != NULL)
		message->policy = message->service->policy;
}

static void open_if_moved(struct wf_delivery *delivery)
{
	const char *text = wf_service_address(delivery->message.service);
	uint64_t address = wf_hash(0, text, strlen(text));
	struct destination *destination = delivery->destination;

	if (destination->address != address) {
		destination->failures = 0;
		destination->closed_until = 0;
	}
	destination->address = address;
}

/* Another node may have registered it just now. */
static void find_new_service(
    struct wf_delivery *delivery, struct wf_store *store)
{
	struct wf_services *services = delivery->sender->services;

	wf_services_let_go(services, delivery->set);
	(void)(wf_services_refresh(services, store, NULL) == WF_OK);
	find_service(delivery);
}

static struct wf_delivery *make_flight(
    struct wf_sender *sender, const struct wf_message_row *row, int64_t now)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_delivery *delivery = wf_arena_alloc(arena, sizeof(*delivery));
	struct wf_message *message = &delivery->message;

	sender->delivery_count++;
	delivery->older = sender->newest;
	if (delivery->older != NULL)
		delivery->older->newer = delivery;
	sender->newest = delivery;
	delivery->sender = sender;
	delivery->destination = destination_of(sender, row);
	delivery->until = now + LEASE;
	message->arena = arena;
	message->engine = sender->engine;
	message->now = now;
	message->type = "";
	copy_row(&message->row, row, arena);
	message->key = wf_arena_printf(arena, "%s-%llu-%llu", sender->identity,
	    (unsigned long long)row->number, (unsigned long long)row->message);
	wf_buffer_init(&message->body, (size_t)256 << 20);
	wf_buffer_init(&message->answer, (size_t)32 << 20);
	find_service(delivery);
	return delivery;
}

/* Those that are settled, or asked for in the engine, come to an end soon. */
static void renew(struct wf_sender *sender, struct wf_store *store)
{
	int64_t now = wf_engine_now(sender->engine);
	struct wf_message_key *keys;
	size_t count = 0;

	if (now < sender->renewed_at + RENEW && now >= sender->renewed_at)
		return;
	sender->renewed_at = now;
	keys = wf_malloc((sender->delivery_count + 1) * sizeof(*keys));
	for (struct wf_delivery *delivery = sender->newest; delivery != NULL;
	     delivery = delivery->older)
		if (!delivery->is_settled &&
		    delivery->until < now + LEASE - RENEW) {
			delivery->until = now + LEASE;
			keys[count].number = delivery->message.row.number;
			keys[count++].message = delivery->message.row.message;
		}
	/* One that could not be renewed may be sent by another node, too. */
	if (count > 0)
		(void)(wf_store_postpone(store, keys, count, now + LEASE, true,
			   NULL) == WF_OK);
	wf_free(keys);
}

static void take(struct wf_sender *sender, const struct wf_message_row *row,
    struct wf_store *store, int64_t now)
{
	struct wf_delivery *delivery = make_flight(sender, row, now);
	struct wf_message *message = &delivery->message;

	if (delivery->handler == NULL)
		find_new_service(delivery, store);
	if (wf_announced_decode(&message->announced, message->row.payload,
		message->arena, NULL) != WF_OK) {
		wf_message_fail(message, WF_VERDICT_REFUSED,
		    "the stored announcement is damaged");
		wf_delivery_verdict(delivery, WF_VERDICT_REFUSED);
	} else if (delivery->handler == NULL && message->service != NULL) {
		/* Since it was announced it has become one who comes for it. */
		wf_delivery_verdict(delivery, WF_VERDICT_DONE);
	} else if (delivery->handler == NULL) {
		wf_message_fail(message, WF_VERDICT_REFUSED,
		    "there is no service %.200s that is called",
		    message->row.destination);
		wf_delivery_verdict(delivery, WF_VERDICT_REFUSED);
	} else {
		open_if_moved(delivery);
		send_or_wait(delivery);
	}
}

static void claim(struct wf_sender *sender, struct wf_store *store)
{
	struct wf_arena *arena = wf_arena_new();
	int64_t now = wf_engine_now(sender->engine);
	size_t room = sender->settings.at_once - sender->delivery_count;
	struct wf_message_list list = { .count = 0 };

	if (room > CLAIM)
		room = CLAIM;
	sender->claimed_at = now;
	atomic_store(&sender->woken, false);
	if (wf_store_claim_messages(store, NULL, now, now + LEASE, room, arena,
		&list, NULL) != WF_OK)
		list.count = 0;
	sender->more = list.count == room;
	for (size_t i = 0; i < list.count; i++)
		take(sender, &list.rows[i], store, now);
	wf_arena_free(&arena);
}

static bool may_claim(struct wf_sender *sender, int64_t now)
{
	int64_t pause =
	    sender->more || atomic_load(&sender->woken) ? PAUSE : IDLE_PAUSE;

	return !atomic_load(&sender->stopping) &&
	       sender->delivery_count < sender->settings.at_once &&
	       (now >= sender->claimed_at + pause || now < sender->claimed_at);
}

/* --- the thread ----------------------------------------------------------- */

static void use_store(struct wf_sender *sender)
{
	int64_t now = wf_engine_now(sender->engine);
	bool claims = may_claim(sender, now);
	struct wf_store *store;

	if ((!claims && now < sender->renewed_at + RENEW) ||
	    wf_engine_borrow(sender->engine, &store, NULL) != WF_OK)
		return;
	renew(sender, store);
	if (claims)
		claim(sender, store);
	wf_engine_give_back(sender->engine, store);
}

static void turn(struct wf_sender *sender)
{
	int running;

	curl_multi_perform(sender->multi, &running);
	wf_sender_take_calls(sender);
	wf_sender_take_answers(sender);
	wf_sender_settle(sender, false);
	use_store(sender);
	send_waiting(sender);
	curl_multi_perform(sender->multi, &running);
}

/* Whoever comes next need not wait for the end of our claims. */
static void give_up_all(struct wf_sender *sender)
{
	int64_t now = wf_engine_now(sender->engine);

	for (struct wf_delivery *delivery = sender->newest; delivery != NULL;
	     delivery = delivery->older)
		if (!delivery->is_settled && !delivery->in_engine)
			wf_delivery_postpone(
			    delivery, now, delivery->started != 0);
}

static void *run(void *argument)
{
	struct wf_sender *sender = argument;
	int64_t end = 0;

	while (end == 0 || (sender->delivery_count > 0 &&
			       wf_engine_now(sender->engine) < end)) {
		bool soon;

		turn(sender);
		if (end == 0 && atomic_load(&sender->stopping))
			end = wf_engine_now(sender->engine) + LAST;
		soon = sender->more || sender->settling != NULL ||
		       atomic_load(&sender->woken);
		curl_multi_poll(
		    sender->multi, NULL, 0, soon ? PAUSE : IDLE_PAUSE, NULL);
	}
	give_up_all(sender);
	wf_sender_settle(sender, true);
	return NULL;
}

void wf_sender_counts(
    struct wf_sender *sender, struct wf_sender_counts *counts_out)
{
	counts_out->arrived = atomic_load(&sender->arrived);
	counts_out->failed = atomic_load(&sender->failed);
	counts_out->refused = atomic_load(&sender->refused);
}

void wf_sender_wake(struct wf_sender *sender)
{
	if (!atomic_exchange(&sender->woken, true))
		curl_multi_wakeup(sender->multi);
}

/* --- opening and closing -------------------------------------------------- */

void wf_sender_settings_init(struct wf_sender_settings *settings)
{
	memset(settings, 0, sizeof(*settings));
	settings->at_once = 512;
}

static enum wf_rc start_thread(struct wf_sender *sender, struct wf_error *err)
{
	struct wf_store *store;
	enum wf_rc rc;

	if (sodium_init() < 0 || curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
		return wf_fail(err, WF_IO, "libcurl cannot be used");
	sender->multi = curl_multi_init();
	if (sender->multi == NULL)
		return wf_fail(err, WF_IO, "libcurl cannot be used");
	curl_multi_setopt(sender->multi, CURLMOPT_MAXCONNECTS,
	    (long)sender->settings.at_once);
	rc = wf_engine_borrow(sender->engine, &store, err);
	if (rc != WF_OK)
		return rc;
	snprintf(sender->identity, sizeof(sender->identity), "%s",
	    wf_store_identity(store));
	wf_engine_give_back(sender->engine, store);
	if (pthread_create(&sender->thread, NULL, run, sender) != 0)
		return wf_fail(err, WF_IO, "no thread can be started");
	sender->has_thread = true;
	return WF_OK;
}

enum wf_rc wf_sender_open(struct wf_sender **sender_out,
    const struct wf_sender_settings *settings,
    const struct wf_service_handlers *handlers, struct wf_engine *engine,
    struct wf_services *services, struct wf_error *err)
{
	struct wf_sender *sender = wf_calloc(1, sizeof(*sender));
	enum wf_rc rc;

	sender->settings = *settings;
	sender->handlers = handlers;
	sender->engine = engine;
	sender->services = services;
	sender->destinations = wf_map_new();
	pthread_mutex_init(&sender->lock, NULL);
	rc = start_thread(sender, err);
	*sender_out = sender;
	if (rc != WF_OK)
		wf_sender_close(sender_out);
	return rc;
}

void wf_sender_stop(struct wf_sender *sender)
{
	if (sender == NULL || !sender->has_thread)
		return;
	atomic_store(&sender->stopping, true);
	curl_multi_wakeup(sender->multi);
	pthread_join(sender->thread, NULL);
	sender->has_thread = false;
}

void wf_sender_close(struct wf_sender **sender)
{
	struct wf_sender *old = *sender;

	*sender = NULL;
	if (old == NULL)
		return;
	wf_sender_stop(old);
	while (old->newest != NULL)
		wf_delivery_free(old->newest);
	free_destinations(old);
	if (old->multi != NULL) {
		curl_multi_cleanup(old->multi);
		curl_global_cleanup();
	}
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}
