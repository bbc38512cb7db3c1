/* SPDX-License-Identifier: Apache-2.0 */
/* Notifying of a group of events: it is claimed, and a call begins. */
#include <stdlib.h>
#include <string.h>

#include "work/handler.h"
#include "work/mail/mail_format.h"
#include "work/subscription/signature.h"
#include "work/subscription/notification.h"
#include "work/subscription/notifier_priv.h"

#define BODY_BYTES ((size_t)16 << 20)

/* --- notifying ------------------------------------------------------------ */

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
static json_t *read_events(struct wf_target *target,
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
		json_t *event =
		    wf_event_read(row, identity, &observer, target->arena);

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

/* Fills the group, whatever the clocks say; false: nothing can be claimed. */
static bool claim(struct wf_target *target, struct wf_store *store,
    struct wf_notification *notification)
{
	struct wf_message_queue queue = { target->namespace_id, target->queue,
		INT64_MAX, WF_NOTIFICATION_EVENTS };
	struct wf_message_list list = { .count = 0 };

	wf_assert(target->arena == NULL);
	target->arena = wf_arena_new();
	if (wf_store_claim_messages(store, &queue, 1, WF_TARGET_CLAIMED_AT,
		target->arena, &list, NULL) != WF_OK ||
	    list.count == 0) {
		wf_target_drop_group(target);
		return false;
	}
	wf_assert(list.count <= WF_NOTIFICATION_EVENTS);
	qsort(list.rows, list.count, sizeof(*list.rows), compare_rows);
	target->oldest = list.rows[0].at;
	notification->attempt = list.rows[0].attempts;
	notification->events = read_events(
	    target, &list, wf_store_identity(store), &notification->observer);
	target->has_more =
	    list.count == WF_NOTIFICATION_EVENTS || target->count < list.count;
	return true;
}

/* The secret is that of the subscription or service; "": not signed. */
static void post(struct wf_notifier *notifier, struct wf_target *target,
    const char *url, const char *secret,
    const struct wf_notification *notification)
{
	const char *headers[4] = { "Content-Type: application/json",
		"Accept: application/json" };
	char signature[WF_SIGNATURE_SIZE];
	char time[WF_SIGNATURE_TIME_SIZE];
	size_t count = 2;
	struct wf_buffer body;

	wf_assert(!target->is_active && target->arena != NULL);
	wf_buffer_init(&body, BODY_BYTES);
	wf_notification_put_json(&body, notification);
	wf_assert(!body.full); /* each event is small */
	if (secret[0] != '\0') {
		wf_sign(secret, wf_engine_now(notifier->engine),
		    wf_buffer_text(&body), body.length, time, signature);
		headers[count++] =
		    wf_arena_printf(target->arena, "Weft-Timestamp: %s", time);
		headers[count++] = wf_arena_printf(
		    target->arena, "Weft-Signature: %s", signature);
	}
	target->is_active = true;
	wf_calls_post(notifier->calls, url, headers, count, &body, target);
	wf_buffer_free(&body);
}

/* NULL, or why it cannot be called. */
static const char *post_to_service(struct wf_notifier *notifier,
    struct wf_target *target, const char *name,
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

static const char *mail_to(struct wf_notifier *notifier,
    struct wf_target *target, const char *to,
    const struct wf_notification *notification)
{
	const struct wf_smtp_account *account =
	    wf_mailer_account(notifier->settings.mailer);
	const char *key = json_string_value(
	    json_object_get(json_array_get(notification->events, 0), "id"));
	struct wf_buffer mail;

	if (account == NULL)
		return "the server sends no mail: it has no mail-server";
	wf_buffer_init(&mail, BODY_BYTES);
	wf_notification_put_mail(&mail, notification, account->from, to, key,
	    notifier->settings.public_url, wf_engine_now(notifier->engine));
	target->is_active = true;
	wf_calls_mail(notifier->calls, account, to, &mail, target);
	wf_buffer_free(&mail);
	return NULL;
}

static const char *mail_to_person(struct wf_notifier *notifier,
    struct wf_target *target, const char *id,
    const struct wf_notification *notification)
{
	struct wf_organisation *organisation =
	    wf_org_cache_get(notifier->settings.organisation);
	uint32_t number = wf_org_find(organisation, WF_ORG_PARTICIPANT, id);
	const char *to = number == WF_ORG_NOBODY
			     ? ""
			     : wf_participant_at(organisation, number)->email;
	const char *why = !wf_mail_is_address(to)
			      ? "there is no such participant with an address"
			      : mail_to(notifier, target, to, notification);

	wf_organisation_unref(&organisation);
	return why;
}

static const char *notify_subscriber(struct wf_notifier *notifier,
    struct wf_target *target, const struct wf_subscription *subscription,
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

static const char *notify_observer(struct wf_notifier *notifier,
    struct wf_target *target, const struct wf_notification *notification)
{
	const char *observer = notification->observer;

	if (!wf_url_is_called(observer))
		return post_to_service(
		    notifier, target, observer, notification);
	post(notifier, target, observer, "", notification);
	return NULL;
}

void wf_target_acknowledge(struct wf_notifier *notifier,
    struct wf_target *target, struct wf_store *store)
{
	if (wf_store_acknowledge(store, target->keys, target->count, NULL) !=
	    WF_OK) {
		/* It is asked for again, and not sent again. */
		target->has_arrived = true;
		return;
	}
	wf_target_drop_group(target);
	notifier->is_urgent |= target->has_more;
	wf_target_bound_slow(notifier, target, store);
}

void wf_target_notify(struct wf_notifier *notifier, struct wf_target *target,
    struct wf_store *store, const struct wf_subscription *subscription)
{
	struct wf_notification notification = { .subscription = "",
		.observer = "" };
	const char *why;

	if (!claim(target, store, &notification))
		return;
	if (json_array_size(notification.events) == 0) {
		json_decref(notification.events);
		wf_target_acknowledge(notifier, target, store);
		return;
	}
	why = subscription == NULL
		  ? notify_observer(notifier, target, &notification)
		  : notify_subscriber(
			notifier, target, subscription, &notification);
	json_decref(notification.events);
	if (why != NULL)
		wf_target_fail(notifier, target, store, why, 0);
}
