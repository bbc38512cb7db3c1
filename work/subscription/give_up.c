/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures: a group is sent again after a delay, until too much waits for too
 * long; then the subscription is stopped, and an incident says so.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "work/subscription/notifier_priv.h"

/* What waits for a receiver that does not fail is counted so often. */
#define COUNT_MS 10000

/* --- giving up ------------------------------------------------------------ */

/* An incident of no case, of which other subscriptions are notified. */
static enum wf_rc open_incident(struct wf_notifier *notifier,
    struct wf_store *store, uint32_t namespace_id, const char *text,
    struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	int64_t now = wf_engine_now(notifier->engine);
	struct wf_incident_write write = { .row = {
					       .namespace_id = namespace_id,
					       .item = "",
					       .code = WF_SUBSCRIPTION_CODE,
					       .text = text,
					       .attempts = 1,
					       .first_at = now,
					       .last_at = now,
					       .dropped_by = "",
					       .reason = "" } };
	const struct wf_observed what = { .kind = WF_OBSERVED_INCIDENT_OPENED,
		.namespace_id = namespace_id,
		.uri = "",
		.item = "",
		.worker = "",
		.incident = &write.row,
		.at = now };
	struct wf_subscription_list list = wf_subscriptions_notified(
	    notifier->settings.subscriptions, &what, arena);
	struct wf_message_row *rows =
	    wf_arena_array(arena, list.count + 1, sizeof(*rows));
	enum wf_rc rc =
	    wf_store_reserve(store, WF_COUNTER_INCIDENT, 1, &write.row.id, err);

	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		rows[i] = (struct wf_message_row){ .namespace_id = namespace_id,
			.destination = wf_event_queue(list.rows[i].id, arena),
			.kind = what.kind,
			.at = now,
			.payload = wf_event_payload(&what, "", arena) };
	if (rc == WF_OK)
		rc = wf_events_commit(
		    store, rows, list.count, &write, arena, err);
	if (rc == WF_OK)
		wf_engine_report_incident(notifier->engine, &write.row);
	wf_arena_free(&arena);
	return rc;
}

/* If the store cannot be written now, it is tried again after a delay. */
static void stop_subscription(struct wf_notifier *notifier,
    struct wf_target *target, struct wf_store *store,
    const struct wf_subscription *subscription, const char *why)
{
	struct wf_arena *arena = wf_arena_new();
	const struct wf_pause stopped = { wf_engine_now(notifier->engine), "",
		why };
	const char *text = wf_arena_printf(arena,
	    "the subscription %s was stopped, and what waited for it was "
	    "dropped: %s",
	    subscription->name, why);
	/* First the incident: it may be opened twice, but is not missed. */
	bool good;

	wf_assert(subscription->stopped.since == 0);
	good = open_incident(notifier, store, subscription->namespace_id, text,
		   NULL) == WF_OK &&
	       wf_subscriptions_stop(notifier->settings.subscriptions, store,
		   subscription, &stopped, NULL) == WF_OK;

	if (good) {
		atomic_fetch_add(&notifier->given_up, 1);
		wf_target_drop_queue(target, store);
	}
	wf_arena_free(&arena);
}

/*
 * That it waits too long, or that too many do, in the arena; NULL: neither.
 * since: 0 where only the number matters.
 */
static const char *find_excess(struct wf_notifier *notifier,
    const struct wf_target *target, struct wf_store *store, int64_t since,
    const char *what, struct wf_arena *arena)
{
	const struct wf_notifier_settings *settings = &notifier->settings;
	int64_t age = wf_engine_now(notifier->engine) - since;
	const char *colon = target->reason[0] == '\0' ? "" : ": ";
	uint64_t waiting;

	if (since != 0 && age >= settings->keep_ms)
		return wf_arena_printf(arena, "%s %" PRId64 " s%s%s", what,
		    age / 1000, colon, target->reason);
	if (wf_store_count_messages(store, target->namespace_id, target->queue,
		settings->waiting + 1, &waiting, NULL) == WF_OK &&
	    waiting > settings->waiting)
		return wf_arena_printf(arena,
		    "more than %" PRIu64 " events wait%s%s", settings->waiting,
		    colon, target->reason);
	return NULL;
}

/* --- failures ------------------------------------------------------------- */

static void report(const struct wf_notifier *notifier,
    const struct wf_target *target, const char *name, const char *reason,
    bool is_last)
{
	if (notifier->settings.failed != NULL)
		notifier->settings.failed(notifier->settings.context, name,
		    target->failures, reason, is_last);
}

/* why NULL: it has failed, and is tried again. */
static void judge(struct wf_notifier *notifier, struct wf_target *target,
    struct wf_store *store, const char *reason, const char *why)
{
	struct wf_arena *arena = wf_arena_new();
	const char *id = wf_event_queue_id(target->queue);
	struct wf_subscription subscription;
	bool is_known = id != NULL &&
			wf_subscriptions_by_id(notifier->settings.subscriptions,
			    id, arena, &subscription);

	report(notifier, target, is_known ? subscription.name : target->queue,
	    reason, why != NULL);
	if (why != NULL && is_known) {
		stop_subscription(notifier, target, store, &subscription, why);
	} else if (why != NULL) {
		atomic_fetch_add(&notifier->given_up, 1);
		wf_target_drop_queue(target, store);
	}
	wf_arena_free(&arena);
}

/* A random part spreads the calls to one server. */
static int64_t delay_of(unsigned failures)
{
	int64_t delay = wf_service_delay(&wf_service_policy_default, failures);

	return delay + random() % (delay / 4 + 1);
}

void wf_target_fail(struct wf_notifier *notifier, struct wf_target *target,
    struct wf_store *store, const char *reason, int64_t after_ms)
{
	struct wf_arena *arena = wf_arena_new();
	int64_t delay = delay_of(++target->failures);
	int64_t since;

	wf_assert(!target->is_active && !target->has_arrived);
	wf_assert(reason[0] != '\0' && after_ms >= 0);
	atomic_fetch_add(&notifier->failed, 1);
	if (target->failures == 1)
		target->failing_since = wf_engine_now(notifier->engine);
	snprintf(target->reason, sizeof(target->reason), "%s", reason);
	target->next_at =
	    wf_monotonic_ms() + (delay < after_ms ? after_ms : delay);
	wf_follower_note(notifier->follower);
	wf_target_drop_group(target);
	/* What had waited before, in a pause or while no server ran, does not
	 * count. */
	since = target->oldest > target->failing_since ? target->oldest
						       : target->failing_since;
	judge(notifier, target, store, target->reason,
	    find_excess(notifier, target, store, since,
		"nothing has arrived for", arena));
	wf_arena_free(&arena);
}

/* --- what is no failure --------------------------------------------------- */

/* Whether what waits is to be counted now. */
static bool is_time(struct wf_target *target)
{
	if (wf_monotonic_ms() < target->count_at)
		return false;
	target->count_at = wf_monotonic_ms() + COUNT_MS;
	return true;
}

void wf_target_bound_paused(struct wf_notifier *notifier,
    struct wf_target *target, struct wf_store *store,
    const struct wf_subscription *subscription)
{
	struct wf_arena *arena = wf_arena_new();
	const char *why = NULL;

	if (is_time(target))
		why = find_excess(notifier, target, store,
		    subscription->pause.since, "it has been paused for", arena);
	if (why != NULL)
		stop_subscription(notifier, target, store, subscription, why);
	wf_arena_free(&arena);
}

void wf_target_bound_slow(struct wf_notifier *notifier,
    struct wf_target *target, struct wf_store *store)
{
	struct wf_arena *arena = wf_arena_new();
	const char *why;

	if (!target->has_more) {
		target->is_behind = false;
	} else if (is_time(target)) {
		why = find_excess(notifier, target, store, 0, "", arena);
		if (why != NULL && target->is_behind)
			judge(notifier, target, store, why, why);
		else
			target->is_behind = why != NULL;
	}
	wf_arena_free(&arena);
}
