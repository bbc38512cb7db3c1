/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of a message: done, sent again later, completed, reported as an
 * incident, or passed on to the default worklist.
 */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "work/delivery_priv.h"
#include "work/item_data.h"

/* Failures in a row that close a destination, and for how long at most. */
#define FAILURES 5U
#define CLOSED_MAXIMUM 60000
/* Before the engine is asked again, or an item that must wait looked at. */
#define ENGINE_PAUSE 2000
/* Those sent again at about the same time are written together. */
#define GRAIN 200
#define SETTLE_PAUSE 10
#define SETTLE_AT_ONCE 256U
/* The end of an item is told for so long. */
#define LAST_NEWS (INT64_C(7) * 24 * 3600 * 1000)

/* --- settling ------------------------------------------------------------- */

static void settle(struct wf_delivery *delivery, enum settlement settlement)
{
	struct wf_sender *sender = delivery->sender;

	wf_delivery_land(delivery);
	delivery->settlement = settlement;
	delivery->is_settled = true;
	delivery->next = sender->settling;
	sender->settling = delivery;
}

void wf_delivery_postpone(struct wf_delivery *delivery, int64_t at, bool tried)
{
	delivery->at = (at + GRAIN - 1) / GRAIN * GRAIN;
	delivery->tried = tried;
	settle(delivery, SETTLE_POSTPONE);
}

static bool is_alike(const struct wf_delivery *a, const struct wf_delivery *b)
{
	if (a->settlement != b->settlement)
		return false;
	if (a->settlement == SETTLE_POSTPONE)
		return a->at == b->at && a->tried == b->tried;
	return a->settlement == SETTLE_DONE ||
	       strcmp(a->redirect_uri, b->redirect_uri) == 0;
}

/* All that end like the first, in one transaction. */
static enum wf_rc write_alike(struct wf_store *store,
    const struct wf_delivery *first, const struct wf_message_key *keys,
    size_t count)
{
	switch (first->settlement) {
	case SETTLE_DONE:
		return wf_store_acknowledge(store, keys, count, NULL);
	case SETTLE_POSTPONE:
		return wf_store_postpone(
		    store, keys, count, first->at, first->tried, NULL);
	default:
		return wf_store_redirect(
		    store, keys, count, first->redirect_uri, NULL);
	}
}

/* What cannot be written is claimed again when the claim is over. */
static void settle_alike(struct wf_sender *sender, struct wf_store *store)
{
	struct wf_delivery *first = sender->settling;
	struct wf_message_key keys[SETTLE_AT_ONCE];
	struct wf_delivery *taken = NULL;
	struct wf_delivery **at = &sender->settling;
	size_t count = 0;

	while (*at != NULL && count < SETTLE_AT_ONCE) {
		struct wf_delivery *delivery = *at;

		if (!is_alike(delivery, first)) {
			at = &delivery->next;
			continue;
		}
		*at = delivery->next;
		delivery->next = taken;
		taken = delivery;
		keys[count].number = delivery->message.row.number;
		keys[count++].message = delivery->message.row.message;
	}
	(void)(write_alike(store, first, keys, count) == WF_OK);
	while (taken != NULL) {
		struct wf_delivery *delivery = taken;

		taken = delivery->next;
		wf_delivery_free(delivery);
	}
}

void wf_sender_settle(struct wf_sender *sender, bool now)
{
	int64_t time = wf_engine_now(sender->engine);
	struct wf_store *store;

	if (sender->settling == NULL ||
	    (!now && time < sender->settled_at + SETTLE_PAUSE &&
		time >= sender->settled_at) ||
	    wf_engine_borrow(sender->engine, &store, NULL) != WF_OK)
		return;
	sender->settled_at = time;
	while (sender->settling != NULL)
		settle_alike(sender, store);
	wf_engine_give_back(sender->engine, store);
}

/* --- destinations
 * ---------------------------------------------------------------- */

static void note_success(struct wf_delivery *delivery)
{
	struct destination *destination = delivery->destination;
	double each;

	if (delivery->started == 0)
		return;
	each = (double)(delivery->message.now - delivery->started) /
	       delivery->message.service->policy.concurrency;
	destination->failures = 0;
	destination->closed_until = 0;
	destination->pace += (each - destination->pace) / 8;
}

static void note_failure(struct wf_delivery *delivery)
{
	const struct wf_service_policy *policy;
	struct destination *destination = delivery->destination;
	int64_t closed;

	if (delivery->started == 0 || ++destination->failures < FAILURES)
		return;
	policy = &delivery->message.service->policy;
	closed = wf_service_delay(policy, destination->failures - FAILURES + 1);
	destination->closed_until =
	    delivery->message.now +
	    (closed < CLOSED_MAXIMUM ? closed : CLOSED_MAXIMUM);
}

/* --- asking the engine ---------------------------------------------------- */

static void take_answer(void *context, const struct wf_reply *reply)
{
	struct wf_delivery *delivery = context;
	struct wf_sender *sender = delivery->sender;

	delivery->answer = reply->error;
	delivery->answer.rc = reply->rc;
	pthread_mutex_lock(&sender->lock);
	delivery->next = sender->answered;
	sender->answered = delivery;
	pthread_mutex_unlock(&sender->lock);
	curl_multi_wakeup(sender->multi);
}

/* The key is the message's: asked again, it is not done again. */
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
	delivery->in_engine = true;
	if (wf_engine_submit(message->engine, request, take_answer, delivery,
		&delivery->answer) == WF_OK)
		return;
	delivery->in_engine = false;
	wf_delivery_postpone(delivery, message->now + ENGINE_PAUSE, false);
}

static void report(struct wf_delivery *delivery, const char *code)
{
	struct wf_message *message = &delivery->message;
	struct wf_request request = { .kind = WF_REQUEST_REPORT,
		.report = { .item = message->row.subject,
		    .code = code,
		    .attempts = message->row.attempts } };

	request.report.text = wf_arena_printf(message->arena, "%s: %s",
	    wf_message_clip(message, message->row.destination),
	    wf_message_clip(message, message->reason));
	ask(delivery, &request, "report");
}

static void complete(struct wf_delivery *delivery)
{
	struct wf_request request = { .kind = WF_REQUEST_COMMAND,
		.command = { .kind = WF_COMMAND_FINISH,
		    .item = delivery->message.row.subject,
		    .data = delivery->message.output,
		    .length = delivery->message.output_length } };

	ask(delivery, &request, "complete");
}

/* --- verdicts ------------------------------------------------------------- */

static const struct wf_service *worklist_of(const struct wf_delivery *delivery)
{
	return wf_service_by_name(delivery->set,
	    delivery->message.row.namespace_id, WF_DEFAULT_WORKLIST);
}

/* As the service itself would: listeners of interface X hear of it as well. */
static void reject(struct wf_delivery *delivery)
{
	struct wf_request request = { .kind = WF_REQUEST_ANNOUNCE,
		.announce = { .item = delivery->message.row.subject,
		    .reason = "rejected" } };

	ask(delivery, &request, "reject");
}

/*
 * A service of YAWL's that refuses an item leaves it to the default worklist;
 * and who keeps that looks for what it was not told of.
 */
static void leave_to_worklist(struct wf_delivery *delivery, const char *code)
{
	const struct wf_service *worklist = worklist_of(delivery);

	if (worklist == NULL) {
		report(delivery, code);
	} else if (strcmp(worklist->uri, delivery->message.row.destination) ==
		   0) {
		settle(delivery, SETTLE_DONE);
	} else {
		delivery->redirect_uri = worklist->uri;
		if (delivery->message.row.kind == WF_ANNOUNCE_ITEM_ENABLED &&
		    wf_handlers_hear_refusals(delivery->sender->handlers,
			delivery->set, delivery->message.row.namespace_id))
			reject(delivery);
		else
			settle(delivery, SETTLE_REDIRECT);
	}
}

/* Nobody is helped by an incident of what is over, or never waited. */
static void give_up(struct wf_delivery *delivery, const char *code)
{
	if (!wf_message_hands_over(delivery->message.row.kind))
		settle(delivery, SETTLE_DONE);
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
		return delivery->message.now - row->at > LAST_NEWS;
	return row->attempts >= delivery->message.policy.attempts;
}

/* With up to a quarter more, lest all come at once. */
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
	at += randombytes_uniform(
	    (uint32_t)(delay < 4000000 ? delay / 4 + 1 : 1000000));
	if (at < message->retry_after)
		at = message->retry_after;
	wf_delivery_postpone(delivery, at, true);
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

/* An output that does not do is an attempt that failed. */
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

void wf_delivery_verdict(struct wf_delivery *delivery, enum wf_verdict verdict)
{
	count(delivery->sender, verdict);
	switch (verdict) {
	case WF_VERDICT_COMPLETE:
		note_success(delivery);
		if (is_accepted(delivery))
			complete(delivery);
		else
			try_again(delivery);
		break;
	case WF_VERDICT_LATER:
		wf_delivery_postpone(delivery, delivery->message.at, false);
		break;
	case WF_VERDICT_AGAIN:
		note_failure(delivery);
		try_again(delivery);
		break;
	case WF_VERDICT_REFUSED:
		/* Who says no is there. */
		if (delivery->message.status != 0)
			note_success(delivery);
		give_up(delivery, "refused");
		break;
	default:
		note_success(delivery);
		settle(delivery, SETTLE_DONE);
		break;
	}
}

/* --- what the engine said ------------------------------------------------- */

/* A conflict: the case is suspended, or set aside. */
static bool is_passing(enum wf_rc rc)
{
	return rc == WF_UNAVAILABLE || rc == WF_LOST || rc == WF_IO ||
	       rc == WF_CONFLICT;
}

static void judge_answer(struct wf_delivery *delivery)
{
	enum wf_rc rc = delivery->answer.rc;
	struct wf_message *message = &delivery->message;
	bool completes = message->output != NULL;

	message->now = wf_engine_now(message->engine);
	if (delivery->redirect_uri != NULL) {
		/* What cannot be rejected goes there without its listeners. */
		settle(delivery, rc == WF_OK || rc == WF_NOT_FOUND
				     ? SETTLE_DONE
				     : SETTLE_REDIRECT);
	} else if (is_passing(rc)) {
		wf_delivery_postpone(
		    delivery, message->now + ENGINE_PAUSE, false);
	} else if (completes && rc != WF_OK && rc != WF_NOT_FOUND) {
		/* Its output does not do. */
		message->output = NULL;
		message->reason =
		    wf_arena_strdup(message->arena, delivery->answer.message);
		report(delivery, wf_rc_name(rc));
	} else {
		/* Done, now or before, or by somebody else. */
		settle(delivery, SETTLE_DONE);
	}
}

void wf_sender_take_answers(struct wf_sender *sender)
{
	struct wf_delivery *answered;

	pthread_mutex_lock(&sender->lock);
	answered = sender->answered;
	sender->answered = NULL;
	pthread_mutex_unlock(&sender->lock);
	while (answered != NULL) {
		struct wf_delivery *delivery = answered;

		answered = delivery->next;
		delivery->in_engine = false;
		judge_answer(delivery);
	}
}
