/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that lists queues, claims groups, and judges how calls ended. */
#include "work/subscription/notifier.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "data/json_fields.h"
#include "work/follower.h"
#include "work/handler.h"
#include "work/signature.h"
#include "work/subscription/call.h"
#include "work/subscription/notification.h"

#define RECORD_KIND "follower"
#define RECORD_NAME "subscriptions"
/* A server that was killed is replaced then. */
#define LEASE_MS 20000
/* A server without a queue gives the record up then. */
#define REST_MS 10000
#define LIST_MS 500
#define LISTED 256U
#define WAIT_MS 50
#define CALLS_AT_ONCE 64U
#define DRAIN_MS 2000
#define DROPPED_AT_ONCE 1000U
#define BODY_BYTES ((size_t)4 << 20)
#define REASON_BYTES 300U
/*
 * Whoever has the record claims a message until then, which is past: after a
 * failure or a crash the group is claimed again at once, before all others.
 */
#define CLAIMED_AT 1

/* A queue, and the group of it that is being told. */
struct target {
	struct target *next;
	uint32_t namespace_id;
	char *queue;
	struct wf_arena *arena; /* of the group; NULL: there is none */
	struct wf_message_key *keys;
	size_t count;
	int64_t oldest;	  /* when its first event was made */
	bool is_active;	  /* a call */
	bool has_arrived; /* it is to be acknowledged */
	bool is_listed;
	unsigned failures; /* one after another */
	int64_t failing_since;
	int64_t next_at; /* by wf_monotonic_ms() */
	char reason[REASON_BYTES];
};

struct wf_notifier {
	struct wf_notifier_settings settings;
	struct wf_engine *engine;
	struct wf_follower *follower;
	struct wf_calls *calls;
	struct target *first;
	int64_t listed_at;   /* by wf_monotonic_ms(), as the next two */
	int64_t next_window; /* when the next window is over */
	int64_t empty_since;
	atomic_ullong sent, events, failed, given_up;
};

/* --- targets -------------------------------------------------------------- */

static void drop_group(struct target *target)
{
	wf_assert(!target->is_active);
	wf_arena_free(&target->arena);
	target->keys = NULL;
	target->count = 0;
	target->has_arrived = false;
}

static void free_targets(struct wf_notifier *notifier)
{
	while (notifier->first != NULL) {
		struct target *target = notifier->first;

		notifier->first = target->next;
		target->is_active = false;
		drop_group(target);
		wf_free(target->queue);
		wf_free(target);
	}
}

/* What is neither listed nor in use is forgotten; what has failed stays. */
static void forget_targets(struct wf_notifier *notifier)
{
	struct target **at = &notifier->first;

	while (*at != NULL) {
		struct target *target = *at;

		if (target->is_listed || target->arena != NULL) {
			at = &target->next;
			continue;
		}
		*at = target->next;
		wf_free(target->queue);
		wf_free(target);
	}
}

static struct target *target_of(
    struct wf_notifier *notifier, const struct wf_message_queue *queue)
{
	struct target *target = notifier->first;

	while (target != NULL &&
	       (target->namespace_id != queue->namespace_id ||
		   strcmp(target->queue, queue->destination) != 0))
		target = target->next;
	if (target != NULL)
		return target;
	target = wf_calloc(1, sizeof(*target));
	target->namespace_id = queue->namespace_id;
	target->queue = wf_strdup(queue->destination);
	target->next = notifier->first;
	notifier->first = target;
	return target;
}

/* --- the record ----------------------------------------------------------- */

static bool is_any(struct wf_notifier *notifier, struct wf_store *store);

/* It is taken only when there is something to do. */
static bool read_record(
    void *context, struct wf_store *store, const json_t *record)
{
	struct wf_notifier *notifier = context;

	(void)record;
	wf_calls_free(&notifier->calls);
	notifier->calls = wf_calls_new(notifier->settings.allowed);
	free_targets(notifier);
	notifier->listed_at = 0;
	notifier->empty_since = 0;
	return is_any(notifier, store);
}

static void write_record(void *context, json_t *record)
{
	const struct wf_notifier *notifier = context;
	json_t *failing = json_object();

	for (const struct target *target = notifier->first; target != NULL;
	     target = target->next) {
		const char *id = wf_event_queue_id(target->queue);
		json_t *row;

		if (id == NULL || target->failures == 0)
			continue;
		row = json_object();
		json_object_set_new(
		    row, "attempts", json_integer(target->failures));
		wf_json_put_time(row, "since", target->failing_since);
		wf_json_put_text(row, "reason", target->reason);
		json_object_set_new(failing, id, row);
	}
	json_object_set_new(record, "failing", failing);
}

enum wf_rc wf_notifier_failing(
    struct wf_store *store, json_t **failing_out, struct wf_error *err)
{
	struct wf_error mine = { .rc = WF_OK };
	struct wf_arena *arena = wf_arena_new();
	struct wf_record_row row;
	json_t *record = NULL;
	enum wf_rc rc = wf_store_record(
	    store, 0, RECORD_KIND, RECORD_NAME, arena, &row, &mine);

	if (rc == WF_OK)
		record = json_loadb(row.value.data, row.value.size, 0, NULL);
	*failing_out = json_incref(json_object_get(record, "failing"));
	if (*failing_out == NULL)
		*failing_out = json_object();
	json_decref(record);
	wf_arena_free(&arena);
	return rc == WF_OK || rc == WF_NOT_FOUND
		   ? WF_OK
		   : wf_fail(err, rc, "%s", mine.message);
}

/* --- giving up ------------------------------------------------------------ */

static bool drop_some(
    struct target *target, struct wf_store *store, size_t *count_out)
{
	struct wf_message_queue queue = { target->namespace_id, target->queue,
		INT64_MAX, DROPPED_AT_ONCE };
	struct wf_arena *arena = wf_arena_new();
	struct wf_message_list list = { .count = 0 };
	struct wf_message_key *keys;
	bool good = wf_store_claim_messages(store, &queue, 1, CLAIMED_AT, arena,
			&list, NULL) == WF_OK;

	keys = wf_arena_array(arena, list.count + 1, sizeof(*keys));
	for (size_t i = 0; good && i < list.count; i++)
		keys[i] = (struct wf_message_key){ list.rows[i].number,
			list.rows[i].message };
	if (good && list.count > 0)
		good = wf_store_acknowledge(store, keys, list.count, NULL) ==
		       WF_OK;
	*count_out = list.count;
	wf_arena_free(&arena);
	return good;
}

/* Drops all that waits; what cannot be dropped now is dropped later. */
static void drop_queue(struct target *target, struct wf_store *store)
{
	size_t count = 1;

	drop_group(target);
	while (count > 0 && drop_some(target, store, &count))
		;
	target->failures = 0;
}

/* An incident of no case, of which other subscriptions are told. */
static enum wf_rc open_incident(struct wf_notifier *notifier,
    struct wf_store *store, uint32_t namespace_id, const char *text,
    struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	int64_t now = wf_engine_now(notifier->engine);
	struct wf_incident_write write = {
		.row = { .namespace_id = namespace_id,
		    .item = "",
		    .code = WF_SUBSCRIPTION_CODE,
		    .text = text,
		    .attempts = 1,
		    .first_at = now,
		    .last_at = now,
		    .dropped_by = "",
		    .reason = "" }
	};
	const struct wf_observed what = { .kind = WF_OBSERVED_INCIDENT_OPENED,
		.namespace_id = namespace_id,
		.uri = "",
		.item = "",
		.worker = "",
		.incident = &write.row,
		.at = now };
	struct wf_subscription_list list = wf_subscriptions_told(
	    notifier->settings.subscriptions, &what, arena);
	struct wf_message_row *rows =
	    wf_arena_array(arena, list.count + 1, sizeof(*rows));
	struct wf_batch none = { .take_count = 0 };
	struct wf_writes writes = { .incidents = &write,
		.incident_count = 1,
		.messages = rows,
		.message_count = list.count };
	uint64_t first = 0;
	enum wf_rc rc = wf_store_reserve(
	    store, WF_COUNTER_INCIDENT, 1, &write.row.id, err);

	if (rc == WF_OK && list.count > 0)
		rc = wf_store_reserve(
		    store, WF_COUNTER_MESSAGE, list.count, &first, err);
	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		rows[i] = (struct wf_message_row){ .message = first + i,
			.namespace_id = namespace_id,
			.destination = wf_event_queue(list.rows[i].id, arena),
			.subject =
			    wf_arena_printf(arena, "%" PRIu64, first + i),
			.kind = what.kind,
			.at = now,
			.payload = wf_event_payload(&what, "", arena) };
	if (rc == WF_OK)
		rc = wf_store_begin(store, &none, arena, err);
	if (rc == WF_OK)
		rc = wf_store_commit(store, &writes, NULL, err);
	wf_arena_free(&arena);
	return rc;
}

/* If the store cannot be written now, it is tried again after a delay. */
static void stop_subscription(struct wf_notifier *notifier,
    struct target *target, struct wf_store *store,
    const struct wf_subscription *subscription, const char *why)
{
	struct wf_arena *arena = wf_arena_new();
	const struct wf_pause stopped = {
		wf_engine_now(notifier->engine), "", why
	};
	const char *text = wf_arena_printf(arena,
	    "the subscription %s was stopped, and what waited for it was "
	    "dropped: %s",
	    subscription->name, why);
	/* First the incident: it may be opened twice, but is not missed. */
	bool good = open_incident(notifier, store, subscription->namespace_id,
			text, NULL) == WF_OK &&
		    wf_subscriptions_stop(notifier->settings.subscriptions,
			store, subscription, &stopped, NULL) == WF_OK;

	if (good) {
		atomic_fetch_add(&notifier->given_up, 1);
		drop_queue(target, store);
	}
	wf_arena_free(&arena);
}

/* Why nothing more is to wait for it, in the arena; NULL: more may. */
static const char *find_excess(struct wf_notifier *notifier,
    const struct target *target, struct wf_store *store, int64_t since,
    struct wf_arena *arena)
{
	const struct wf_notifier_settings *settings = &notifier->settings;
	int64_t age = wf_engine_now(notifier->engine) - since;
	uint64_t waiting;

	if (since != 0 && age >= settings->keep_ms)
		return wf_arena_printf(arena,
		    "nothing has arrived for %" PRId64 " s%s%s", age / 1000,
		    target->reason[0] == '\0' ? "" : ": ", target->reason);
	if (wf_store_count_messages(store, target->namespace_id, target->queue,
		settings->waiting + 1, &waiting, NULL) == WF_OK &&
	    waiting > settings->waiting)
		return wf_arena_printf(arena,
		    "more than %" PRIu64 " events wait%s%s", settings->waiting,
		    target->reason[0] == '\0' ? "" : ": ", target->reason);
	return NULL;
}

/* --- failures ------------------------------------------------------------- */

static void report(const struct wf_notifier *notifier,
    const struct target *target, const char *name, bool is_last)
{
	if (notifier->settings.failed != NULL)
		notifier->settings.failed(notifier->settings.context, name,
		    target->failures, target->reason, is_last);
}

/* A random part spreads the calls to one server. */
static int64_t delay_of(unsigned failures)
{
	int64_t delay =
	    wf_service_delay(&wf_service_policy_default, failures);

	return delay + random() % (delay / 4 + 1);
}

static void fail(struct wf_notifier *notifier, struct target *target,
    struct wf_store *store, const char *reason, int64_t after_ms)
{
	struct wf_arena *arena = wf_arena_new();
	const char *id = wf_event_queue_id(target->queue);
	struct wf_subscription subscription;
	int64_t oldest = target->oldest;
	int64_t delay = delay_of(++target->failures);
	const char *why;
	bool is_known = id != NULL &&
			wf_subscriptions_by_id(notifier->settings.subscriptions,
			    id, arena, &subscription);

	atomic_fetch_add(&notifier->failed, 1);
	if (target->failures == 1)
		target->failing_since = wf_engine_now(notifier->engine);
	snprintf(target->reason, sizeof(target->reason), "%s", reason);
	target->next_at =
	    wf_monotonic_ms() + (delay < after_ms ? after_ms : delay);
	wf_follower_note(notifier->follower);
	drop_group(target);
	why = find_excess(notifier, target, store, oldest, arena);
	report(notifier, target,
	    is_known ? subscription.name : target->queue, why != NULL);
	if (why != NULL && is_known) {
		stop_subscription(
		    notifier, target, store, &subscription, why);
	} else if (why != NULL) {
		atomic_fetch_add(&notifier->given_up, 1);
		drop_queue(target, store);
	}
	wf_arena_free(&arena);
}

/* --- telling -------------------------------------------------------------- */

static int compare_rows(const void *one, const void *other)
{
	const struct wf_message_row *a = one;
	const struct wf_message_row *b = other;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->message > b->message) - (a->message < b->message);
}

/*
 * The events of the group, a new reference.  A group of observers is of the
 * first one: the others are claimed again afterwards.
 */
static json_t *read_events(struct target *target,
    const struct wf_message_list *list, const char *identity,
    const char **observer_out)
{
	json_t *events = json_array();

	*observer_out = "";
	target->keys = wf_arena_array(
	    target->arena, list->count + 1, sizeof(*target->keys));
	for (size_t i = 0; i < list->count; i++) {
		const struct wf_message_row *row = &list->rows[i];
		const char *observer;
		json_t *event = wf_event_read(
		    row, identity, &observer, target->arena);

		if (json_array_size(events) == 0)
			*observer_out = observer;
		if (event != NULL && strcmp(observer, *observer_out) != 0) {
			json_decref(event);
			continue;
		}
		/* One that is damaged is acknowledged with the others. */
		target->keys[target->count++] =
		    (struct wf_message_key){ row->number, row->message };
		if (event != NULL)
			json_array_append_new(events, event);
	}
	return events;
}

/* Fills the group; false: nothing can be claimed. */
static bool claim(struct wf_notifier *notifier, struct target *target,
    struct wf_store *store, struct wf_notification *notification)
{
	struct wf_message_queue queue = { target->namespace_id, target->queue,
		wf_engine_now(notifier->engine), WF_NOTIFICATION_EVENTS };
	struct wf_message_list list = { .count = 0 };

	wf_assert(target->arena == NULL);
	target->arena = wf_arena_new();
	if (wf_store_claim_messages(store, &queue, 1, CLAIMED_AT,
		target->arena, &list, NULL) != WF_OK ||
	    list.count == 0) {
		drop_group(target);
		return false;
	}
	qsort(list.rows, list.count, sizeof(*list.rows), compare_rows);
	target->oldest = list.rows[0].at;
	notification->attempt = list.rows[0].attempts;
	notification->events = read_events(target, &list,
	    wf_store_identity(store), &notification->observer);
	return true;
}

/* The secret is that of the subscription or service; "": not signed. */
static void post(struct wf_notifier *notifier, struct target *target,
    const char *url, const char *secret,
    const struct wf_notification *notification)
{
	const char *headers[4] = { "Content-Type: application/json",
		"Accept: application/json" };
	char signature[WF_SIGNATURE_SIZE];
	char time[WF_SIGNATURE_TIME_SIZE];
	size_t count = 2;
	struct wf_buffer body;

	wf_buffer_init(&body, BODY_BYTES);
	wf_notification_put_json(&body, notification);
	if (secret[0] != '\0') {
		wf_sign(secret, wf_engine_now(notifier->engine),
		    wf_buffer_text(&body), body.length, time, signature);
		headers[count++] = wf_arena_printf(
		    target->arena, "Weft-Timestamp: %s", time);
		headers[count++] = wf_arena_printf(
		    target->arena, "Weft-Signature: %s", signature);
	}
	target->is_active = true;
	wf_calls_post(notifier->calls, url, headers, count, &body, target);
	wf_buffer_free(&body);
}

/* NULL, or why it cannot be called. */
static const char *post_to_service(struct wf_notifier *notifier,
    struct target *target, const char *name,
    const struct wf_notification *notification)
{
	struct wf_services *services = notifier->settings.services;
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service *service =
	    wf_service_by_name(set, target->namespace_id, name);
	const char *why = NULL;

	if (service == NULL || !service->kind->signs)
		why = "there is no such service of the kind push";
	else if (wf_service_is_paused(service))
		why = "the service is paused";
	else
		post(notifier, target, wf_service_address(service),
		    service->secret, notification);
	wf_services_let_go(services, set);
	return why;
}

static const char *mail_to(struct wf_notifier *notifier, struct target *target,
    const char *to, const struct wf_notification *notification)
{
	const struct wf_smtp_account *account =
	    wf_mailer_account(notifier->settings.mailer);
	const char *key =
	    json_string_value(json_object_get(
		json_array_get(notification->events, 0), "id"));
	struct wf_buffer mail;

	if (account == NULL)
		return "the server sends no mail: it has no mail-server";
	wf_buffer_init(&mail, BODY_BYTES);
	wf_notification_put_mail(&mail, notification, account->from, to, key,
	    notifier->settings.public_url,
	    wf_engine_now(notifier->engine));
	target->is_active = true;
	wf_calls_mail(notifier->calls, account, to, &mail, target);
	wf_buffer_free(&mail);
	return NULL;
}

static const char *mail_to_person(struct wf_notifier *notifier,
    struct target *target, const char *id,
    const struct wf_notification *notification)
{
	struct wf_organisation *organisation =
	    wf_org_cache_get(notifier->settings.organisation);
	uint32_t number = wf_org_find(organisation, WF_ORG_PARTICIPANT, id);
	const char *to = number == WF_ORG_NOBODY
			     ? ""
			     : wf_participant_at(organisation, number)->email;
	const char *why =
	    to[0] == '\0' ? "there is no such participant with an address"
			  : mail_to(notifier, target, to, notification);

	wf_organisation_unref(&organisation);
	return why;
}

static const char *tell_subscriber(struct wf_notifier *notifier,
    struct target *target, const struct wf_subscription *subscription,
    struct wf_notification *notification)
{
	const char *to = subscription->to;

	notification->subscription = subscription->name;
	switch (subscription->how) {
	case WF_SUBSCRIBER_URL:
		post(notifier, target, to, subscription->secret, notification);
		return NULL;
	case WF_SUBSCRIBER_SERVICE:
		return post_to_service(notifier, target, to, notification);
	case WF_SUBSCRIBER_MAIL:
		return mail_to(notifier, target, to, notification);
	default:
		return mail_to_person(notifier, target, to, notification);
	}
}

static const char *tell_observer(struct wf_notifier *notifier,
    struct target *target, const struct wf_notification *notification)
{
	const char *observer = notification->observer;

	if (!wf_url_is_called(observer))
		return post_to_service(
		    notifier, target, observer, notification);
	post(notifier, target, observer, "", notification);
	return NULL;
}

static void acknowledge(struct wf_notifier *notifier, struct target *target,
    struct wf_store *store)
{
	if (wf_store_acknowledge(store, target->keys, target->count, NULL) !=
	    WF_OK) {
		/* It is asked for again, and not told again. */
		target->has_arrived = true;
		return;
	}
	drop_group(target);
	/* What waits behind it need not wait for the next listing. */
	notifier->listed_at = 0;
}

/* subscription NULL: of observers. */
static void tell(struct wf_notifier *notifier, struct target *target,
    struct wf_store *store, const struct wf_subscription *subscription)
{
	struct wf_notification notification = { .subscription = "",
		.observer = "" };
	const char *why;

	if (!claim(notifier, target, store, &notification))
		return;
	if (json_array_size(notification.events) == 0) {
		json_decref(notification.events);
		acknowledge(notifier, target, store);
		return;
	}
	why = subscription == NULL
		  ? tell_observer(notifier, target, &notification)
		  : tell_subscriber(
			notifier, target, subscription, &notification);
	json_decref(notification.events);
	if (why != NULL)
		fail(notifier, target, store, why, 0);
}

/* --- queues --------------------------------------------------------------- */

/* Another node may have added it just now. */
static bool find_subscription(struct wf_notifier *notifier,
    struct wf_store *store, const char *id, struct wf_arena *arena,
    struct wf_subscription *subscription_out, bool *is_known_out)
{
	struct wf_subscriptions *subscriptions =
	    notifier->settings.subscriptions;

	*is_known_out = wf_subscriptions_by_id(
	    subscriptions, id, arena, subscription_out);
	if (*is_known_out)
		return true;
	if (wf_subscriptions_refresh(subscriptions, store, NULL) != WF_OK)
		return false;
	*is_known_out = wf_subscriptions_by_id(
	    subscriptions, id, arena, subscription_out);
	return true;
}

/* Whether what waits is to be told now. */
static bool is_wanted(struct wf_notifier *notifier, struct target *target,
    struct wf_store *store, const struct wf_message_queue *queue,
    const struct wf_subscription *subscription, struct wf_arena *arena)
{
	int64_t left = queue->at + subscription->window_ms -
		       wf_engine_now(notifier->engine);
	const char *why;

	if (subscription->stopped.since != 0) {
		drop_queue(target, store);
		return false;
	}
	if (subscription->pause.since != 0) {
		why = find_excess(notifier, target, store,
		    subscription->pause.since, arena);
		if (why != NULL)
			stop_subscription(
			    notifier, target, store, subscription, why);
		return false;
	}
	/* What failed before has waited enough. */
	if (queue->at > CLAIMED_AT && left > 0) {
		if (wf_monotonic_ms() + left < notifier->next_window)
			notifier->next_window = wf_monotonic_ms() + left;
		return false;
	}
	return true;
}

static void visit(struct wf_notifier *notifier, struct target *target,
    struct wf_store *store, const struct wf_message_queue *queue)
{
	struct wf_arena *arena = wf_arena_new();
	const char *id = wf_event_queue_id(target->queue);
	struct wf_subscription subscription;
	bool is_known;

	if (target->next_at > wf_monotonic_ms()) {
		if (target->next_at < notifier->next_window)
			notifier->next_window = target->next_at;
	} else if (id == NULL) {
		tell(notifier, target, store, NULL);
	} else if (find_subscription(notifier, store, id, arena, &subscription,
		       &is_known)) {
		if (!is_known)
			drop_queue(target, store);
		else if (is_wanted(notifier, target, store, queue,
			     &subscription, arena))
			tell(notifier, target, store, &subscription);
	}
	wf_arena_free(&arena);
}

/* Visits each queue of events; *found_out: whether there is one. */
static bool visit_all(struct wf_notifier *notifier, struct wf_store *store,
    void (*each)(struct wf_notifier *notifier, struct wf_store *store,
	const struct wf_message_queue *queue),
    bool *found_out)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_message_queue_list list = { .count = LISTED };
	const struct wf_message_queue *after = NULL;
	bool good = true;

	*found_out = false;
	while (good && list.count == LISTED) {
		good = wf_store_message_queues(
			   store, after, LISTED, arena, &list, NULL) == WF_OK;
		for (size_t i = 0; good && i < list.count; i++) {
			if (!wf_is_event_queue(list.rows[i].destination))
				continue;
			*found_out = true;
			if (each != NULL)
				each(notifier, store, &list.rows[i]);
		}
		if (good && list.count > 0)
			after = &list.rows[list.count - 1];
	}
	wf_arena_free(&arena);
	return good;
}

static bool is_any(struct wf_notifier *notifier, struct wf_store *store)
{
	bool found;

	return visit_all(notifier, store, NULL, &found) && found;
}

static void visit_queue(struct wf_notifier *notifier, struct wf_store *store,
    const struct wf_message_queue *queue)
{
	struct target *target = target_of(notifier, queue);

	target->is_listed = true;
	if (!target->is_active && !target->has_arrived &&
	    wf_calls_active(notifier->calls) < CALLS_AT_ONCE)
		visit(notifier, target, store, queue);
}

static void list_queues(struct wf_notifier *notifier, struct wf_store *store)
{
	bool found;

	notifier->listed_at = wf_monotonic_ms();
	notifier->next_window = INT64_MAX;
	for (struct target *t = notifier->first; t != NULL; t = t->next)
		t->is_listed = false;
	if (!visit_all(notifier, store, visit_queue, &found))
		return;
	forget_targets(notifier);
	if (found)
		notifier->empty_since = 0;
	else if (notifier->empty_since == 0)
		notifier->empty_since = notifier->listed_at;
}

/* --- results -------------------------------------------------------------- */

static void take_result(struct wf_notifier *notifier, struct wf_store *store,
    const struct wf_call_result *result)
{
	struct target *target = result->context;

	wf_assert(target->is_active && target->arena != NULL);
	target->is_active = false;
	if (!result->is_good) {
		fail(notifier, target, store, result->reason, result->after_ms);
		return;
	}
	atomic_fetch_add(&notifier->sent, 1);
	atomic_fetch_add(&notifier->events, target->count);
	if (target->failures > 0)
		wf_follower_note(notifier->follower);
	target->failures = 0;
	target->reason[0] = '\0';
	acknowledge(notifier, target, store);
}

static void take_results(struct wf_notifier *notifier, struct wf_store *store)
{
	struct wf_call_result result;

	while (wf_calls_next(notifier->calls, &result))
		take_result(notifier, store, &result);
	for (struct target *t = notifier->first; t != NULL; t = t->next)
		if (t->has_arrived)
			acknowledge(notifier, t, store);
}

/* --- the thread ----------------------------------------------------------- */

/* Another server has the record now, and tells what was not acknowledged. */
static void give_way(struct wf_notifier *notifier)
{
	wf_calls_free(&notifier->calls);
	notifier->calls = wf_calls_new(notifier->settings.allowed);
	free_targets(notifier);
}

/* When the queues are to be listed again. */
static int64_t next_list(const struct wf_notifier *notifier)
{
	int64_t next = notifier->listed_at + LIST_MS;

	return next < notifier->next_window ? next : notifier->next_window;
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
		wf_calls_wait(notifier->calls, WAIT_MS);
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
	notifier->follower =
	    wf_follower_new(engine, &(struct wf_following){ .kind = RECORD_KIND,
					.name = RECORD_NAME,
					.read = read_record,
					.write = write_record,
					.round = run_round,
					.lease_ms = LEASE_MS,
					.context = notifier });
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
		return wf_fail(err, WF_IO, "libcurl cannot be used");
	return wf_follower_start(notifier->follower, err);
}

/* What arrives is acknowledged, so that it does not arrive twice. */
static void drain(struct wf_notifier *notifier)
{
	int64_t end = wf_monotonic_ms() + DRAIN_MS;
	struct wf_store *store;

	if (notifier->calls == NULL ||
	    wf_calls_active(notifier->calls) == 0 ||
	    wf_engine_borrow(notifier->engine, &store, NULL) != WF_OK)
		return;
	while (wf_calls_active(notifier->calls) > 0 &&
	       wf_monotonic_ms() < end) {
		wf_calls_wait(notifier->calls, WAIT_MS);
		take_results(notifier, store);
	}
	wf_engine_give_back(notifier->engine, store);
}

void wf_notifier_stop(struct wf_notifier *notifier)
{
	if (notifier == NULL)
		return;
	wf_follower_stop(notifier->follower);
	drain(notifier);
}

void wf_notifier_close(struct wf_notifier **notifier)
{
	struct wf_notifier *old = *notifier;

	*notifier = NULL;
	if (old == NULL)
		return;
	wf_follower_stop(old->follower);
	wf_calls_free(&old->calls);
	free_targets(old);
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
