/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that lists queues, and judges how calls ended. */
#include "work/subscription/notifier.h"

#include <string.h>

#include "base/clock.h"
#include "base/codec.h"
#include "work/subscription/notifier_priv.h"

/* A server that was killed is replaced then. */
#define LEASE_MS 20000
/* A server without a queue gives the record up then. */
#define REST_MS 10000
#define LIST_MS 500
#define LISTED 256U
#define WAIT_MS 50
#define DRAIN_MS 2000

/* --- the record ----------------------------------------------------------- */

static bool is_any(struct wf_notifier *notifier, struct wf_store *store);

/* It is taken only when there is something to do. */
static bool read_record(
    void *context, struct wf_store *store, const json_t *record)
{
	struct wf_notifier *notifier = context;

	wf_failing_read(notifier, record);
	wf_calls_free(&notifier->calls);
	notifier->calls = wf_calls_new(notifier->settings.allowed);
	wf_targets_free(notifier);
	notifier->listed_at = 0;
	notifier->empty_since = 0;
	return is_any(notifier, store);
}

static void write_record(void *context, json_t *record)
{
	wf_failing_write(context, record);
}

/* --- queues --------------------------------------------------------------- */

/* Another node may have added it just now. */
static bool find_subscription(struct wf_notifier *notifier,
    struct wf_store *store, const char *id, struct wf_arena *arena,
    struct wf_subscription *subscription_out, bool *is_known_out)
{
	struct wf_subscriptions *subscriptions =
	    notifier->settings.subscriptions;

	*is_known_out =
	    wf_subscriptions_by_id(subscriptions, id, arena, subscription_out);
	if (*is_known_out)
		return true;
	if (wf_subscriptions_refresh(subscriptions, store, NULL) != WF_OK)
		return false;
	*is_known_out =
	    wf_subscriptions_by_id(subscriptions, id, arena, subscription_out);
	return true;
}

static bool is_service_paused(const struct wf_notifier *notifier,
    const struct wf_subscription *subscription)
{
	struct wf_services *services = notifier->settings.services;
	const struct wf_service_set *set;
	const struct wf_service *service;
	bool is_paused;

	if (subscription->how != WF_SUBSCRIBER_SERVICE)
		return false;
	set = wf_services_hold(services);
	service = wf_service_by_name(
	    set, subscription->namespace_id, subscription->to);
	is_paused = service != NULL && wf_service_is_paused(service);
	wf_services_let_go(services, set);
	return is_paused;
}

/* Whether what waits is to be sent now. */
static bool is_wanted(struct wf_notifier *notifier, struct wf_target *target,
    struct wf_store *store, const struct wf_subscription *subscription)
{
	int64_t window = subscription->window_ms;
	int64_t left = target->at + window - wf_engine_now(notifier->engine);

	if (subscription->stopped.since != 0) {
		wf_target_drop_queue(target, store);
		return false;
	}
	if (subscription->pause.since != 0 ||
	    is_service_paused(notifier, subscription)) {
		wf_target_bound_paused(notifier, target, store, subscription);
		return false;
	}
	/*
	 * What failed before has waited enough.  What a node made whose clock
	 * is ahead waits for one window more at most.
	 */
	if (target->at > WF_TARGET_CLAIMED_AT && left > 0 &&
	    left <= 2 * window) {
		if (wf_monotonic_ms() + left < notifier->next_window)
			notifier->next_window = wf_monotonic_ms() + left;
		return false;
	}
	return true;
}

/* Another URL, or another secret, is tried at once. */
static void note_address(
    struct wf_target *target, const struct wf_subscription *subscription)
{
	uint64_t address =
	    wf_hash(0, subscription->to, strlen(subscription->to));

	address = wf_hash(
	    address, subscription->secret, strlen(subscription->secret));
	if (target->address != address)
		target->next_at = 0;
	target->address = address;
}

/* Whether it failed and its delay is not over. */
static bool is_delayed(struct wf_notifier *notifier, struct wf_target *target)
{
	if (target->next_at <= wf_monotonic_ms())
		return false;
	if (target->next_at < notifier->next_window)
		notifier->next_window = target->next_at;
	return true;
}

/* Calls it, if there is a place. */
static void notify(struct wf_notifier *notifier, struct wf_target *target,
    struct wf_store *store, const struct wf_subscription *subscription)
{
	if (!wf_turns_have_place(&notifier->turns, target)) {
		notifier->is_crowded = true;
		return;
	}
	wf_target_notify(notifier, target, store, subscription);
	if (target->is_active)
		wf_turns_note_call(&notifier->turns, target);
}

static void visit_subscription(struct wf_notifier *notifier,
    struct wf_target *target, struct wf_store *store, const char *id)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_subscription subscription;
	bool is_known;

	if (find_subscription(
		notifier, store, id, arena, &subscription, &is_known)) {
		if (is_known)
			note_address(target, &subscription);
		if (!is_known)
			wf_target_drop_queue(target, store);
		else if (!is_delayed(notifier, target) &&
			 is_wanted(notifier, target, store, &subscription))
			notify(notifier, target, store, &subscription);
	}
	wf_arena_free(&arena);
}

static void visit(struct wf_notifier *notifier, struct wf_target *target,
    struct wf_store *store)
{
	const char *id = wf_event_queue_id(target->queue);

	if (id != NULL)
		visit_subscription(notifier, target, store, id);
	else if (!is_delayed(notifier, target))
		notify(notifier, target, store, NULL);
}

/* Calls each for each queue of events; *found_out: whether there is one. */
static bool list_each(struct wf_notifier *notifier, struct wf_store *store,
    void (*each)(
	struct wf_notifier *notifier, const struct wf_message_queue *queue),
    bool *found_out)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_message_queue_list queues = { .count = LISTED };
	const struct wf_message_queue *after = NULL;
	bool good = true;

	*found_out = false;
	while (good && queues.count == LISTED) {
		good = wf_store_message_queues(
			   store, after, LISTED, arena, &queues, NULL) == WF_OK;
		for (size_t i = 0; good && i < queues.count; i++) {
			if (!wf_is_event_queue(queues.rows[i].destination))
				continue;
			*found_out = true;
			if (each != NULL)
				each(notifier, &queues.rows[i]);
		}
		if (good && queues.count > 0)
			after = &queues.rows[queues.count - 1];
	}
	wf_arena_free(&arena);
	return good;
}

static bool is_any(struct wf_notifier *notifier, struct wf_store *store)
{
	bool found;

	return list_each(notifier, store, NULL, &found) && found;
}

static void note_queue(
    struct wf_notifier *notifier, const struct wf_message_queue *queue)
{
	struct wf_target *target = wf_target_of(notifier, queue);

	target->is_listed = true;
	target->at = queue->at;
}

static void take_turns(struct wf_notifier *notifier, struct wf_store *store)
{
	struct wf_turns *turns = &notifier->turns;
	struct wf_arena *arena = wf_arena_new();

	notifier->is_crowded = false;
	wf_turns_begin(turns, notifier->first, arena);
	for (size_t i = 0; i < turns->count; i++)
		visit(notifier, turns->targets[i], store);
	wf_arena_free(&arena);
}

static void list_queues(struct wf_notifier *notifier, struct wf_store *store)
{
	bool found;

	notifier->listed_at = wf_monotonic_ms();
	notifier->next_window = INT64_MAX;
	notifier->is_urgent = false;
	wf_targets_list(notifier);
	if (!list_each(notifier, store, note_queue, &found))
		return;
	wf_failing_drop(notifier);
	wf_targets_forget(notifier);
	take_turns(notifier, store);
	if (found)
		notifier->empty_since = 0;
	else if (notifier->empty_since == 0)
		notifier->empty_since = notifier->listed_at;
}

/* --- results -------------------------------------------------------------- */

static void take_result(struct wf_notifier *notifier, struct wf_store *store,
    const struct wf_call_result *result)
{
	struct wf_target *target = result->context;

	wf_assert(target->is_active && target->arena != NULL);
	wf_assert(target->count > 0 && !target->has_arrived);
	target->is_active = false;
	/* The place is for one that has found none. */
	notifier->is_urgent |= notifier->is_crowded;
	if (!result->is_good) {
		wf_target_fail(
		    notifier, target, store, result->reason, result->after_ms);
		return;
	}
	atomic_fetch_add(&notifier->sent, 1);
	atomic_fetch_add(&notifier->events, target->count);
	if (target->failures > 0)
		wf_follower_note(notifier->follower);
	target->failures = 0;
	target->reason[0] = '\0';
	wf_target_acknowledge(notifier, target, store);
}

static void take_results(struct wf_notifier *notifier, struct wf_store *store)
{
	struct wf_call_result result;

	while (wf_calls_next(notifier->calls, &result))
		take_result(notifier, store, &result);
	for (struct wf_target *t = notifier->first; t != NULL; t = t->next)
		if (t->has_arrived)
			wf_target_acknowledge(notifier, t, store);
}

/* --- the thread ----------------------------------------------------------- */

/* Another server has the record now, and repeats what was not acknowledged. */
static void give_way(struct wf_notifier *notifier)
{
	wf_calls_free(&notifier->calls);
	notifier->calls = wf_calls_new(notifier->settings.allowed);
	wf_targets_free(notifier);
}

/* When the queues are to be listed again. */
static int64_t next_list(const struct wf_notifier *notifier)
{
	int64_t next =
	    notifier->listed_at + (notifier->is_urgent ? WAIT_MS : LIST_MS);

	return next < notifier->next_window ? next : notifier->next_window;
}

/*
 * Waits for calls that are active: for a moment, or, if this is the last round,
 * until they are over, because what has arrived should not arrive twice.
 */
static void await_calls(struct wf_notifier *notifier, struct wf_store *store)
{
	const atomic_bool *stopping = wf_follower_stopping(notifier->follower);
	int64_t end = wf_monotonic_ms() + DRAIN_MS;

	do {
		wf_calls_wait(notifier->calls, WAIT_MS);
		take_results(notifier, store);
	} while (atomic_load(stopping) &&
		 wf_calls_active(notifier->calls) > 0 &&
		 wf_monotonic_ms() < end);
}

static bool run_round(void *context, struct wf_store *store)
{
	struct wf_notifier *notifier = context;
	int64_t now = wf_monotonic_ms();

	take_results(notifier, store);
	if (notifier->listed_at == 0 || now >= next_list(notifier))
		list_queues(notifier, store);
	if (!wf_follower_save(notifier->follower, store, false)) {
		give_way(notifier);
		return false;
	}
	if (wf_calls_active(notifier->calls) > 0) {
		await_calls(notifier, store);
		return true;
	}
	now = wf_monotonic_ms();
	if (notifier->empty_since != 0 &&
	    now - notifier->empty_since >= REST_MS) {
		wf_follower_rest(notifier->follower, store);
		return false;
	}
	if (notifier->listed_at != 0 && next_list(notifier) > now)
		wf_follower_pause(
		    notifier->follower, next_list(notifier) - now, false);
	return true;
}

/* --- opening and closing -------------------------------------------------- */

enum wf_rc wf_notifier_open(struct wf_notifier **notifier_out,
    const struct wf_notifier_settings *settings, struct wf_engine *engine,
    struct wf_error *err)
{
	struct wf_notifier *notifier = wf_calloc(1, sizeof(*notifier));

	*notifier_out = notifier;
	notifier->settings = *settings;
	notifier->engine = engine;
	notifier->follower = wf_follower_new(
	    engine, &(struct wf_following){ .kind = WF_NOTIFIER_RECORD_KIND,
			.name = WF_NOTIFIER_RECORD_NAME,
			.read = read_record,
			.write = write_record,
			.round = run_round,
			.lease_ms = LEASE_MS,
			.context = notifier });
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
		return wf_fail(err, WF_IO, "libcurl cannot be used");
	return wf_follower_start(notifier->follower, err);
}

void wf_notifier_stop(struct wf_notifier *notifier)
{
	if (notifier != NULL)
		wf_follower_stop(notifier->follower);
}

void wf_notifier_close(struct wf_notifier **notifier)
{
	struct wf_notifier *old = *notifier;

	*notifier = NULL;
	if (old == NULL)
		return;
	wf_follower_stop(old->follower);
	wf_calls_free(&old->calls);
	wf_targets_free(old);
	wf_failing_drop(old);
	wf_follower_free(&old->follower);
	wf_free(old);
}

void wf_notifier_counts(
    struct wf_notifier *notifier, struct wf_notifier_counts *counts_out)
{
	memset(counts_out, 0, sizeof(*counts_out));
	if (notifier == NULL)
		return;
	counts_out->sent = atomic_load(&notifier->sent);
	counts_out->events = atomic_load(&notifier->events);
	counts_out->failed = atomic_load(&notifier->failed);
	counts_out->given_up = atomic_load(&notifier->given_up);
}
