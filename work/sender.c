/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that claims messages, sends them, and renews its claims. */
#include "work/sender.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "work/delivery_priv.h"
#include "work/subscription/event.h"

/*
 * A claim of this node lasts CLAIM_MS and is renewed while the message is on
 * its way.  It is short, so that other nodes take over soon when this one dies.
 */
#define CLAIM_MS 10000
#define RENEWAL_INTERVAL_MS 3000
#define QUEUES_MAXIMUM 256U
/*
 * Minimum interval of claims, and their interval while nothing is known of:
 * messages of another node whose notification was lost.
 */
#define CLAIM_INTERVAL_MS 10
#define IDLE_INTERVAL_MS 250
/* When the sender stops, active calls may take so long. */
#define STOP_MAXIMUM_MS 5000
#define KEY_MAXIMUM_BYTES 8192U

/* --- destinations --------------------------------------------------------- */

static struct wf_destination *destination_of(
    struct wf_sender *sender, uint32_t namespace_id, const char *uri)
{
	char number[16];
	struct wf_buffer key;
	struct wf_destination *destination;

	snprintf(number, sizeof(number), "%u/", namespace_id);
	wf_buffer_init(&key, KEY_MAXIMUM_BYTES);
	wf_buffer_puts(&key, number);
	wf_buffer_puts(&key, uri);
	destination = wf_map_get(sender->destinations, wf_buffer_text(&key));
	if (destination == NULL) {
		destination = wf_malloc(sizeof(*destination));
		wf_destination_init(destination);
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
		struct wf_destination *destination = sender->first_destination;

		wf_assert(destination->active == 0);
		sender->first_destination = destination->next;
		wf_free(destination);
	}
	wf_map_free(&sender->destinations);
}

/* --- sending -------------------------------------------------------------- */

static void start(struct wf_delivery *delivery)
{
	wf_delivery_move(delivery, DELIVERY_ACTIVE);
	wf_destination_begin(delivery->destination);
	delivery->is_counted = true;
	delivery->openings = delivery->destination->breaker.openings;
	wf_delivery_render(delivery);
}

/* Since when the message waits for the service. */
static int64_t waits_since(const struct wf_service *service, int64_t at)
{
	return service != NULL && service->resumed_at > at ? service->resumed_at
							   : at;
}

/*
 * It has waited longer than all its attempts would take, while the service
 * failed for others: that was its last attempt.  Its task may allow more
 * attempts than the service.
 */
static void give_up_waiting(struct wf_delivery *delivery)
{
	struct wf_message *message = &delivery->message;
	int64_t end = waits_since(message->service, message->row.at) +
		      wf_service_duration(&message->policy);

	if (end > message->now) {
		wf_delivery_postpone(delivery, end, false);
		return;
	}
	if (message->row.attempts < message->policy.attempts)
		message->row.attempts = message->policy.attempts;
	delivery->is_untried = true;
	delivery->cause = "the circuit breaker is open";
	wf_message_fail(message, WF_VERDICT_AGAIN,
	    "the service failed again and again, and is left alone "
	    "for a while");
	message->retry_after = delivery->destination->breaker.open_until;
	wf_delivery_verdict(delivery, WF_VERDICT_AGAIN);
}

static void send_or_queue(struct wf_delivery *delivery)
{
	struct wf_destination *destination = delivery->destination;
	int64_t now = delivery->message.now;

	if (wf_service_is_paused(delivery->message.service)) {
		wf_delivery_postpone(delivery, now, false);
	} else if (wf_service_is_forbidden(delivery->message.service, now)) {
		wf_delivery_verdict(
		    delivery, wf_delivery_fail_forbidden(delivery));
	} else if (wf_breaker_is_open(&destination->breaker, now)) {
		give_up_waiting(delivery);
	} else if (destination->first == NULL &&
		   wf_destination_has_room(
		       destination, &delivery->message.service->policy)) {
		start(delivery);
	} else {
		wf_delivery_move(delivery, DELIVERY_QUEUED);
		wf_destination_enqueue(destination, delivery);
	}
}

static void send_queue(struct wf_destination *destination,
    const struct wf_service_set *set, int64_t now)
{
	while (destination->first != NULL) {
		const struct wf_message *message = &destination->first->message;
		bool is_open = wf_breaker_is_open(&destination->breaker, now);
		bool is_paused = wf_service_is_paused(wf_service_by_uri(
		    set, message->row.namespace_id, message->row.destination));
		struct wf_delivery *delivery;

		if (!is_open && !is_paused &&
		    !wf_destination_has_room(
			destination, &message->service->policy))
			return;
		delivery = wf_destination_dequeue(destination);
		delivery->message.now = now;
		/* Not until the breaker tries: it may close before. */
		if (is_paused || is_open)
			wf_delivery_postpone(delivery, now, false);
		else
			start(delivery);
	}
}

static void send_queues(struct wf_sender *sender)
{
	const struct wf_service_set *set = wf_services_hold(sender->services);
	int64_t now = wf_engine_now(sender->engine);

	for (struct wf_destination *destination = sender->first_destination;
	     destination != NULL; destination = destination->next)
		send_queue(destination, set, now);
	wf_services_let_go(sender->services, set);
}

/* --- claiming ------------------------------------------------------------- */

static void take(struct wf_sender *sender, const struct wf_message_row *row,
    struct wf_store *store, int64_t now)
{
	struct wf_delivery *delivery = wf_delivery_new(sender,
	    destination_of(sender, row->namespace_id, row->destination), row,
	    now, now + CLAIM_MS);
	struct wf_message *message = &delivery->message;

	/* Another node may have registered the service just now. */
	if (delivery->handler == NULL) {
		(void)(wf_services_refresh(sender->services, store, NULL) ==
		       WF_OK);
		wf_delivery_find_service(delivery);
	}
	if (wf_announced_decode(&message->announced, message->row.payload,
		message->arena, NULL) != WF_OK) {
		wf_message_fail(message, WF_VERDICT_REFUSED,
		    "the stored announcement is damaged");
		wf_delivery_verdict(delivery, WF_VERDICT_REFUSED);
	} else if (delivery->handler == NULL && message->service != NULL) {
		/* Since the announcement its kind has become pull. */
		wf_delivery_verdict(delivery, WF_VERDICT_DONE);
	} else if (delivery->handler == NULL) {
		wf_message_fail(message, WF_VERDICT_REFUSED,
		    "there is no service %.200s that is called",
		    message->row.destination);
		wf_delivery_verdict(delivery, WF_VERDICT_REFUSED);
	} else {
		wf_delivery_trace(delivery);
		wf_destination_set_address(delivery->destination,
		    wf_service_address(message->service));
		send_or_queue(delivery);
	}
}

/*
 * Decides how many messages of a queue are wanted, and which: none while the
 * service is paused.  While the breaker is open these are the ones that have
 * waited too long; the others stay as they are until the service works again.
 */
static void want(struct wf_sender *sender, struct wf_message_queue *queue,
    const struct wf_service *service, int64_t now)
{
	const struct wf_service_policy *policy = wf_service_policy_of(service);
	struct wf_destination *destination =
	    destination_of(sender, queue->namespace_id, queue->destination);
	bool crowded = sender->delivery_count > sender->settings.at_once / 2;
	bool is_open;
	int64_t duration;
	int64_t at;

	/* Before the breaker is asked, which may be about an old address. */
	if (service != NULL)
		wf_destination_set_address(
		    destination, wf_service_address(service));
	is_open = wf_breaker_is_open(&destination->breaker, now);
	duration = is_open ? wf_service_duration(policy) : 0;
	at = is_open ? waits_since(service, queue->at) + duration : queue->at;
	if (wf_service_is_paused(service)) {
		queue->most = 0;
		return;
	}
	queue->most = is_open
			  ? policy->concurrency
			  : wf_destination_wants(destination, policy, crowded);
	if (is_open && at > destination->breaker.open_until)
		at = destination->breaker.open_until;
	if (at > now) {
		queue->most = 0;
		if (at < sender->next_at)
			sender->next_at = at;
	}
	queue->at = now - duration;
}

/* Keeps the queues of which messages are wanted, each for its share of room. */
static void choose(
    struct wf_sender *sender, struct wf_message_queue_list *queues, int64_t now)
{
	const struct wf_service_set *set = wf_services_hold(sender->services);
	unsigned room = sender->settings.at_once - sender->delivery_count;
	size_t count = 0;
	unsigned share;

	for (size_t i = 0; i < queues->count; i++) {
		struct wf_message_queue *queue = &queues->rows[i];

		/* The notifier sends those. */
		if (wf_is_event_queue(queue->destination))
			continue;
		want(sender, queue,
		    wf_service_by_uri(
			set, queue->namespace_id, queue->destination),
		    now);
		if (queue->most > 0)
			queues->rows[count++] = *queue;
	}
	wf_services_let_go(sender->services, set);
	if (count > room) {
		/* Each time others are the first. */
		size_t first = sender->rounds++ % (count - room + 1);

		queues->rows += first;
		count = room;
		atomic_store(&sender->woken, true);
	}
	queues->count = count;
	share = count == 0 ? 0 : room / (unsigned)count;
	for (size_t i = 0; i < count; i++) {
		if (queues->rows[i].most <= share)
			continue;
		queues->rows[i].most = share;
		atomic_store(&sender->woken, true);
	}
}

/* Lists the queues, and remembers where to continue when there are many. */
static enum wf_rc list_queues(struct wf_sender *sender, struct wf_store *store,
    struct wf_arena *arena, struct wf_message_queue_list *list_out)
{
	struct wf_message_queue after = { .namespace_id =
					      sender->after_namespace,
		.destination = sender->after };
	enum wf_rc rc = wf_store_message_queues(store,
	    after.destination == NULL ? NULL : &after, QUEUES_MAXIMUM, arena,
	    list_out, NULL);

	wf_free(sender->after);
	sender->after = NULL;
	if (rc == WF_OK && list_out->count == QUEUES_MAXIMUM) {
		after = list_out->rows[list_out->count - 1];
		sender->after_namespace = after.namespace_id;
		sender->after = wf_strdup(after.destination);
		atomic_store(&sender->woken, true);
	}
	return rc;
}

static void claim(struct wf_sender *sender, struct wf_store *store)
{
	struct wf_arena *arena = wf_arena_new();
	int64_t now = wf_engine_now(sender->engine);
	struct wf_message_queue_list queues = { .count = 0 };
	struct wf_message_list list = { .count = 0 };

	wf_assert(sender->delivery_count < sender->settings.at_once);
	sender->messages_claimed_at = now;
	sender->next_at = INT64_MAX;
	atomic_store(&sender->rests_until, 0);
	atomic_store(&sender->woken, false);
	if (list_queues(sender, store, arena, &queues) == WF_OK)
		choose(sender, &queues, now);
	if (queues.count > 0 &&
	    wf_store_claim_messages(store, queues.rows, queues.count,
		now + CLAIM_MS, arena, &list, NULL) != WF_OK)
		list.count = 0;
	wf_assert(
	    list.count <= sender->settings.at_once - sender->delivery_count);
	for (size_t i = 0; i < list.count; i++)
		take(sender, &list.rows[i], store, now);
	wf_arena_free(&arena);
}

static bool has_room(const struct wf_sender *sender)
{
	return sender->delivery_count < sender->settings.at_once;
}

static bool may_claim(struct wf_sender *sender, int64_t now)
{
	int64_t since = now - sender->messages_claimed_at;

	return !atomic_load(&sender->stopping) && has_room(sender) &&
	       (since < 0 || since >= sender->settings.idle_ms ||
		   (since >= CLAIM_INTERVAL_MS &&
		       (atomic_load(&sender->woken) ||
			   now >= sender->next_at)));
}

/* --- renewing ------------------------------------------------------------- */

static size_t list_due(
    struct wf_sender *sender, int64_t now, struct wf_message_key *keys)
{
	size_t count = 0;

	for (struct wf_delivery *delivery = sender->newest; delivery != NULL;
	     delivery = delivery->older) {
		if (delivery->state == DELIVERY_SETTLED ||
		    delivery->claimed_until >=
			now + CLAIM_MS - RENEWAL_INTERVAL_MS)
			continue;
		delivery->claimed_until = now + CLAIM_MS;
		keys[count].number = delivery->message.row.number;
		keys[count++].message = delivery->message.row.message;
	}
	wf_assert(count <= sender->delivery_count);
	return count;
}

static void renew(struct wf_sender *sender, struct wf_store *store)
{
	int64_t now = wf_engine_now(sender->engine);
	struct wf_message_key *keys;
	size_t count;

	if (now < sender->renewed_at + RENEWAL_INTERVAL_MS &&
	    now >= sender->renewed_at)
		return;
	sender->renewed_at = now;
	keys = wf_malloc((sender->delivery_count + 1) * sizeof(*keys));
	count = list_due(sender, now, keys);
	/* Another node may also send a message whose claim is not renewed. */
	if (count > 0)
		(void)(wf_store_postpone(store, keys, count, now + CLAIM_MS,
			   true, NULL) == WF_OK);
	wf_free(keys);
}

/* --- the thread ----------------------------------------------------------- */

static void use_store(struct wf_sender *sender)
{
	int64_t now = wf_engine_now(sender->engine);
	bool claims = may_claim(sender, now);
	struct wf_store *store;

	if ((!claims && now < sender->renewed_at + RENEWAL_INTERVAL_MS) ||
	    wf_engine_borrow(sender->engine, &store, NULL) != WF_OK)
		return;
	renew(sender, store);
	if (claims)
		claim(sender, store);
	wf_engine_give_back(sender->engine, store);
}

static void run_round(struct wf_sender *sender)
{
	int running;

	curl_multi_perform(sender->multi, &running);
	wf_sender_take_calls(sender);
	wf_sender_take_rendered(sender);
	wf_sender_take_replies(sender);
	wf_sender_write(sender, false);
	use_store(sender);
	send_queues(sender);
	curl_multi_perform(sender->multi, &running);
	atomic_store(&sender->rests_until,
	    sender->delivery_count > 0 ? 0 : sender->next_at);
}

/* So that the next sender need not wait until the claims expire. */
static void postpone_all(struct wf_sender *sender)
{
	int64_t now = wf_engine_now(sender->engine);

	for (struct wf_destination *destination = sender->first_destination;
	     destination != NULL; destination = destination->next)
		while (destination->first != NULL)
			wf_delivery_postpone(
			    wf_destination_dequeue(destination), now, false);
	for (struct wf_delivery *delivery = sender->newest; delivery != NULL;
	     delivery = delivery->older)
		if (delivery->state == DELIVERY_ACTIVE)
			wf_delivery_postpone(delivery, now, true);
}

/* How long nothing is to be done, unless something happens. */
static int pause(struct wf_sender *sender)
{
	int64_t until_next = sender->next_at - wf_engine_now(sender->engine);

	if (sender->settled != NULL || atomic_load(&sender->stopping) ||
	    (atomic_load(&sender->woken) && has_room(sender)) ||
	    until_next < CLAIM_INTERVAL_MS)
		return CLAIM_INTERVAL_MS;
	if (sender->delivery_count > 0 && until_next > RENEWAL_INTERVAL_MS)
		until_next = RENEWAL_INTERVAL_MS;
	return (int)(until_next < sender->settings.idle_ms
			 ? until_next
			 : sender->settings.idle_ms);
}

static void *run(void *argument)
{
	struct wf_sender *sender = argument;
	int64_t end = 0;

	while (end == 0 || (sender->delivery_count > 0 &&
			       wf_engine_now(sender->engine) < end)) {
		run_round(sender);
		if (end == 0 && atomic_load(&sender->stopping))
			end = wf_engine_now(sender->engine) + STOP_MAXIMUM_MS;
		curl_multi_poll(sender->multi, NULL, 0, pause(sender), NULL);
	}
	wf_rendering_stop(sender);
	wf_sender_take_rendered(sender);
	postpone_all(sender);
	wf_sender_write(sender, true);
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
	wf_assert(sender->magic == WF_SENDER_MAGIC);
	if (!atomic_exchange(&sender->woken, true))
		curl_multi_wakeup(sender->multi);
}

int64_t wf_sender_next(struct wf_sender *sender)
{
	wf_assert(sender->magic == WF_SENDER_MAGIC);
	/* In this order: claim() writes them in the other one. */
	return atomic_load(&sender->woken) ? 0
					   : atomic_load(&sender->rests_until);
}

/* --- opening and closing -------------------------------------------------- */

void wf_sender_settings_init(struct wf_sender_settings *settings)
{
	memset(settings, 0, sizeof(*settings));
	settings->at_once = 512;
	settings->token_timeout_ms = 5000;
	settings->idle_ms = IDLE_INTERVAL_MS;
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
	rc = wf_rendering_start(sender, err);
	if (rc != WF_OK)
		return rc;
	if (pthread_create(&sender->thread, NULL, run, sender) != 0)
		return wf_fail(err, WF_IO, "no thread can be started");
	sender->has_thread = true;
	return WF_OK;
}

static enum wf_rc open_tokens(struct wf_sender *sender, struct wf_error *err)
{
	const struct wf_access_tokens_settings settings = {
		.allowed = &sender->settings.allowed,
		.ca = sender->settings.token_ca,
		.timeout_ms = sender->settings.token_timeout_ms,
	};

	if (sodium_init() < 0)
		return wf_fail(err, WF_IO, "there are no random numbers");
	return wf_access_tokens_open(&sender->tokens, &settings, err);
}

enum wf_rc wf_sender_open(struct wf_sender **sender_out,
    const struct wf_sender_settings *settings, struct wf_engine *engine,
    struct wf_services *services, struct wf_error *err)
{
	struct wf_sender *sender = wf_calloc(1, sizeof(*sender));
	enum wf_rc rc;

	sender->magic = WF_SENDER_MAGIC;
	sender->settings = *settings;
	sender->engine = engine;
	sender->services = services;
	sender->destinations = wf_map_new();
	sender->attempts = wf_attempts_new();
	pthread_mutex_init(&sender->lock, NULL);
	pthread_cond_init(&sender->render_wake, NULL);
	sender->last_to_render = &sender->to_render;
	rc = open_tokens(sender, err);
	if (rc == WF_OK)
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
	wf_assert(sender->magic == WF_SENDER_MAGIC);
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
	wf_rendering_stop(old);
	while (old->newest != NULL)
		wf_delivery_free(old->newest);
	wf_assert(old->delivery_count == 0);
	free_destinations(old);
	wf_access_tokens_close(&old->tokens);
	wf_attempts_free(&old->attempts);
	wf_free(old->after);
	if (old->multi != NULL) {
		curl_multi_cleanup(old->multi);
		curl_global_cleanup();
	}
	pthread_cond_destroy(&old->render_wake);
	pthread_mutex_destroy(&old->lock);
	old->magic = 0;
	wf_free(old);
}
