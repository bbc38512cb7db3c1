/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The outcome of a delivery: done, postponed, its item completed, an incident
 * reported, or redirected to the default worklist.
 *
 *   verdict    what follows
 *   DONE       settled
 *   COMPLETE   the engine completes the item; an output that the task does not
 *              accept is a failed attempt
 *   LATER      postponed, no attempt
 *   AGAIN      postponed by the policy; after the last attempt given up
 *   REFUSED    given up
 *
 * Given up: a message that offers no item is settled, an item of a service with
 * a worklist goes there, any other becomes an incident.
 */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "work/delivery_priv.h"
#include "work/item_data.h"

/* Before the engine is asked again. */
#define ENGINE_INTERVAL_MS 2000
/* The end of an item is announced again for so long after it happened. */
#define END_MAXIMUM_MS (INT64_C(7) * 24 * 3600 * 1000)
/* The random part of a retry delay is a quarter of it, at most this. */
#define SPREAD_MAXIMUM_MS 1000000U

/* --- the destination ------------------------------------------------------ */

static void count_success(struct wf_delivery *delivery)
{
	if (delivery->is_counted)
		wf_breaker_succeeded(&delivery->destination->breaker);
}

static void count_failure(struct wf_delivery *delivery)
{
	struct wf_message *message = &delivery->message;

	if (delivery->is_counted)
		wf_breaker_failed(&delivery->destination->breaker,
		    &message->service->policy, delivery->openings,
		    message->now);
}

/* --- asking the engine ---------------------------------------------------- */

/* Called by a thread of the engine. */
static void take_reply(void *context, const struct wf_reply *reply)
{
	struct wf_delivery *delivery = context;
	struct wf_sender *sender = delivery->sender;

	delivery->reply = reply->error;
	delivery->reply.rc = reply->rc;
	pthread_mutex_lock(&sender->lock);
	wf_assert(delivery->state == DELIVERY_ASKING);
	delivery->next = sender->replies;
	sender->replies = delivery;
	pthread_mutex_unlock(&sender->lock);
	curl_multi_wakeup(sender->multi);
}

/* The key is the message's: the engine executes a repeated request once. */
static void ask(
    struct wf_delivery *delivery, struct wf_request *request, const char *what)
{
	struct wf_message *message = &delivery->message;
	char actor[128];
	char key[80];

	snprintf(actor, sizeof(actor), "service:%s",
	    message->service == NULL ? "" : message->service->name);
	snprintf(key, sizeof(key), "%s-%llu-%llu", what,
	    (unsigned long long)message->row.number,
	    (unsigned long long)message->row.message);
	request->namespace_id = message->row.namespace_id;
	request->number = message->row.number;
	request->actor = actor;
	request->origin = "service";
	request->key = key;
	request->trace = delivery->trace;
	/* The reply may come before the call returns. */
	wf_delivery_move(delivery, DELIVERY_ASKING);
	if (wf_engine_submit(message->engine, request, take_reply, delivery,
		&delivery->reply) != WF_OK)
		wf_delivery_postpone(
		    delivery, message->now + ENGINE_INTERVAL_MS, false);
}

static void report(struct wf_delivery *delivery, const char *code)
{
	struct wf_message *message = &delivery->message;
	struct wf_request request = { .kind = WF_REQUEST_REPORT,
		.report = { .item = message->row.subject,
		    .code = code,
		    .attempts = message->row.attempts } };

	wf_assert(message->reason != NULL);
	request.report.text = wf_arena_printf(message->arena, "%s: %s",
	    wf_message_clip(message, message->row.destination),
	    wf_message_clip(message, message->reason));
	/* Forms of other kinds have passwords in them. */
	if (delivery->began_us != 0)
		request.report.detail = wf_attempts_describe(
		    delivery->sender->attempts, message, delivery->took_us,
		    delivery->handler == &wf_push_handler ||
			delivery->handler == &wf_built_in_handler);
	ask(delivery, &request, "report");
}

static void complete(struct wf_delivery *delivery)
{
	struct wf_message *message = &delivery->message;
	struct wf_request request = { .kind = WF_REQUEST_COMMAND,
		.command = { .kind = WF_COMMAND_FINISH,
		    .item = message->row.subject,
		    .data = message->output,
		    .length = message->output_length } };

	ask(delivery, &request, "complete");
}

/* --- verdicts ------------------------------------------------------------- */

static const struct wf_service *worklist_of(const struct wf_delivery *delivery)
{
	return wf_service_by_name(delivery->set,
	    delivery->message.row.namespace_id, WF_DEFAULT_WORKLIST);
}

/* Announces the item again, so that services hear of its refusal. */
static void reject(struct wf_delivery *delivery)
{
	struct wf_request request = { .kind = WF_REQUEST_ANNOUNCE,
		.announce = { .item = delivery->message.row.subject,
		    .reason = "rejected" } };

	ask(delivery, &request, "reject");
}

/*
 * An item that the default worklist itself refuses is settled: the worklist
 * service lists the items that it was not notified of.
 */
static void leave_to_worklist(struct wf_delivery *delivery, const char *code)
{
	const struct wf_service *worklist = worklist_of(delivery);

	if (worklist == NULL) {
		report(delivery, code);
	} else if (strcmp(worklist->uri, delivery->message.row.destination) ==
		   0) {
		wf_delivery_settle(delivery);
	} else {
		delivery->redirect_uri = worklist->uri;
		if (delivery->message.row.kind == WF_ANNOUNCE_ITEM_ENABLED &&
		    wf_handlers_hear_refusals(
			delivery->set, delivery->message.row.namespace_id))
			reject(delivery);
		else
			wf_delivery_redirect(delivery);
	}
}

/* An incident is only useful where an item waits for its service. */
static void give_up(struct wf_delivery *delivery, const char *code)
{
	if (!wf_message_hands_over(delivery->message.row.kind))
		wf_delivery_settle(delivery);
	else if (delivery->handler == NULL || delivery->handler->has_worklist)
		leave_to_worklist(delivery, code);
	else
		report(delivery, code);
}

static bool is_exhausted(const struct wf_delivery *delivery)
{
	const struct wf_message_row *row = &delivery->message.row;

	if (row->kind == WF_ANNOUNCE_ITEM_ENDED ||
	    row->kind == WF_ANNOUNCE_ITEM_CANCELLED)
		return delivery->message.now - row->at > END_MAXIMUM_MS;
	return row->attempts >= delivery->message.policy.attempts;
}

/* A random part spreads the messages of a service that failed for all. */
static void try_again(struct wf_delivery *delivery)
{
	const struct wf_message *message = &delivery->message;
	const struct wf_service_policy *policy = &message->policy;
	int64_t delay = wf_service_delay(policy, message->row.attempts);
	int64_t at = message->now + delay;

	if (is_exhausted(delivery)) {
		give_up(delivery, "delivery");
		return;
	}
	at += randombytes_uniform(delay / 4 < SPREAD_MAXIMUM_MS
				      ? (uint32_t)(delay / 4 + 1)
				      : SPREAD_MAXIMUM_MS);
	if (at < message->retry_after)
		at = message->retry_after;
	wf_delivery_postpone(delivery, at, true);
}

static void report_failure(
    const struct wf_delivery *delivery, enum wf_verdict verdict)
{
	const struct wf_sender_settings *settings = &delivery->sender->settings;
	const struct wf_message *message = &delivery->message;
	const struct wf_failed_attempt attempt = { .service =
						       message->row.destination,
		.number = message->row.number,
		.item = message->row.subject,
		.attempt = message->row.attempts,
		.status = message->status,
		.cause = delivery->cause == NULL ? "" : delivery->cause,
		.is_last = verdict == WF_VERDICT_REFUSED };

	if (settings->failed != NULL)
		settings->failed(settings->context, &attempt);
}

static void count(struct wf_sender *sender, enum wf_verdict verdict)
{
	if (verdict == WF_VERDICT_AGAIN)
		atomic_fetch_add(&sender->failed, 1);
	else if (verdict == WF_VERDICT_REFUSED)
		atomic_fetch_add(&sender->refused, 1);
	else if (verdict != WF_VERDICT_LATER)
		atomic_fetch_add(&sender->arrived, 1);
}

/* Whether the output meets the postcondition of its task. */
static bool is_accepted(struct wf_delivery *delivery)
{
	struct wf_error err = { .rc = WF_OK };

	if (wf_item_data_accept(&delivery->message, &err) == WF_OK)
		return true;
	wf_message_fail(
	    &delivery->message, WF_VERDICT_AGAIN, "%s", err.message);
	delivery->message.output = NULL;
	return false;
}

/* Whether it was called, or works inside render(). */
static bool was_tried(const struct wf_delivery *delivery)
{
	return delivery->began_us != 0 ||
	       (delivery->is_counted &&
		   delivery->handler->url == WF_SERVICE_URL_NONE);
}

/* How the service does, for those who ask. */
static void note_state(struct wf_delivery *delivery, bool fails)
{
	const struct wf_message *message = &delivery->message;

	if (fails)
		wf_attempts_add(
		    delivery->sender->attempts, message, delivery->took_us);
	if (!was_tried(delivery))
		return;
	wf_service_state_called(wf_services_states(delivery->sender->services),
	    message->row.namespace_id, message->row.destination, message->now,
	    delivery->took_us,
	    fails ? message->reason == NULL ? "" : message->reason : NULL);
}

void wf_delivery_verdict(struct wf_delivery *delivery, enum wf_verdict verdict)
{
	bool accepted = verdict != WF_VERDICT_COMPLETE || is_accepted(delivery);

	count(delivery->sender, verdict);
	if (verdict != WF_VERDICT_LATER)
		note_state(delivery, !accepted || verdict == WF_VERDICT_AGAIN ||
					 verdict == WF_VERDICT_REFUSED);
	if (verdict == WF_VERDICT_AGAIN || verdict == WF_VERDICT_REFUSED)
		report_failure(delivery, verdict);
	switch (verdict) {
	case WF_VERDICT_COMPLETE:
		count_success(delivery);
		if (accepted)
			complete(delivery);
		else
			try_again(delivery);
		break;
	case WF_VERDICT_LATER:
		wf_delivery_postpone(delivery, delivery->message.at, false);
		break;
	case WF_VERDICT_AGAIN:
		count_failure(delivery);
		try_again(delivery);
		break;
	case WF_VERDICT_REFUSED:
		/* A service that answered works. */
		if (delivery->message.status != 0)
			count_success(delivery);
		give_up(delivery, "refused");
		break;
	default:
		count_success(delivery);
		wf_delivery_settle(delivery);
		break;
	}
}

/* --- the engine's reply --------------------------------------------------- */

/* WF_CONFLICT: the case is suspended or quarantined. */
static bool is_temporary(enum wf_rc rc)
{
	return rc == WF_UNAVAILABLE || rc == WF_LOST || rc == WF_IO ||
	       rc == WF_CONFLICT;
}

static void judge_reply(struct wf_delivery *delivery)
{
	enum wf_rc rc = delivery->reply.rc;
	struct wf_message *message = &delivery->message;
	bool completes = message->output != NULL;

	message->now = wf_engine_now(message->engine);
	if (delivery->redirect_uri != NULL &&
	    (rc == WF_OK || rc == WF_NOT_FOUND)) {
		wf_delivery_settle(delivery);
	} else if (delivery->redirect_uri != NULL) {
		/* Not announced as rejected: redirected all the same. */
		wf_delivery_redirect(delivery);
	} else if (is_temporary(rc)) {
		wf_delivery_postpone(
		    delivery, message->now + ENGINE_INTERVAL_MS, false);
	} else if (completes && rc != WF_OK && rc != WF_NOT_FOUND) {
		/* The engine does not accept the output. */
		message->output = NULL;
		message->reason =
		    wf_arena_strdup(message->arena, delivery->reply.message);
		report(delivery, wf_rc_name(rc));
	} else {
		/* Done: now, before, or by another program. */
		wf_delivery_settle(delivery);
	}
}

void wf_sender_take_replies(struct wf_sender *sender)
{
	struct wf_delivery *replies;

	pthread_mutex_lock(&sender->lock);
	replies = sender->replies;
	sender->replies = NULL;
	pthread_mutex_unlock(&sender->lock);
	while (replies != NULL) {
		struct wf_delivery *delivery = replies;

		replies = delivery->next;
		delivery->next = NULL;
		wf_delivery_move(delivery, DELIVERY_ANSWERED);
		judge_reply(delivery);
	}
}
