/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of a parcel: done, sent again later, completed, reported as an
 * incident, or passed on to the default worklist.
 */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "work/delivery_priv.h"
#include "work/item_data.h"

/* Failures in a row that close a line, and for how long at most. */
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

static void settle(struct flight *flight, enum settlement settlement)
{
	struct wf_delivery *delivery = flight->delivery;

	wf_flight_land(flight);
	flight->settlement = settlement;
	flight->is_settled = true;
	flight->next = delivery->settling;
	delivery->settling = flight;
}

void wf_flight_postpone(struct flight *flight, int64_t at, bool tried)
{
	flight->at = (at + GRAIN - 1) / GRAIN * GRAIN;
	flight->tried = tried;
	settle(flight, SETTLE_POSTPONE);
}

static bool is_alike(const struct flight *a, const struct flight *b)
{
	if (a->settlement != b->settlement)
		return false;
	if (a->settlement == SETTLE_POSTPONE)
		return a->at == b->at && a->tried == b->tried;
	return a->settlement == SETTLE_DONE ||
	       strcmp(a->destination, b->destination) == 0;
}

/* All that end like the first, in one transaction. */
static enum wf_rc write_alike(struct wf_store *store,
    const struct flight *first, const struct wf_message_key *keys, size_t count)
{
	switch (first->settlement) {
	case SETTLE_DONE:
		return wf_store_acknowledge(store, keys, count, NULL);
	case SETTLE_POSTPONE:
		return wf_store_postpone(
		    store, keys, count, first->at, first->tried, NULL);
	default:
		return wf_store_redirect(
		    store, keys, count, first->destination, NULL);
	}
}

/* What cannot be written is claimed again when the claim is over. */
static void settle_alike(struct wf_delivery *delivery, struct wf_store *store)
{
	struct flight *first = delivery->settling;
	struct wf_message_key keys[SETTLE_AT_ONCE];
	struct flight *taken = NULL;
	struct flight **at = &delivery->settling;
	size_t count = 0;

	while (*at != NULL && count < SETTLE_AT_ONCE) {
		struct flight *flight = *at;

		if (!is_alike(flight, first)) {
			at = &flight->next;
			continue;
		}
		*at = flight->next;
		flight->next = taken;
		taken = flight;
		keys[count].number = flight->parcel.message.number;
		keys[count++].message = flight->parcel.message.message;
	}
	(void)(write_alike(store, first, keys, count) == WF_OK);
	while (taken != NULL) {
		struct flight *flight = taken;

		taken = flight->next;
		wf_flight_free(flight);
	}
}

void wf_delivery_settle(struct wf_delivery *delivery, bool now)
{
	int64_t time = wf_engine_now(delivery->engine);
	struct wf_store *store;

	if (delivery->settling == NULL ||
	    (!now && time < delivery->settled_at + SETTLE_PAUSE &&
		time >= delivery->settled_at) ||
	    wf_engine_borrow(delivery->engine, &store, NULL) != WF_OK)
		return;
	delivery->settled_at = time;
	while (delivery->settling != NULL)
		settle_alike(delivery, store);
	wf_engine_give_back(delivery->engine, store);
}

/* --- lines ---------------------------------------------------------------- */

static void note_success(struct flight *flight)
{
	struct line *line = flight->line;
	double each;

	if (flight->started == 0)
		return;
	each = (double)(flight->parcel.now - flight->started) /
	       flight->parcel.service->policy.concurrency;
	line->failures = 0;
	line->closed_until = 0;
	line->pace += (each - line->pace) / 8;
}

static void note_failure(struct flight *flight)
{
	const struct wf_service_policy *policy;
	struct line *line = flight->line;
	int64_t closed;

	if (flight->started == 0 || ++line->failures < FAILURES)
		return;
	policy = &flight->parcel.service->policy;
	closed = wf_service_delay(policy, line->failures - FAILURES + 1);
	line->closed_until =
	    flight->parcel.now +
	    (closed < CLOSED_MAXIMUM ? closed : CLOSED_MAXIMUM);
}

/* --- asking the engine ---------------------------------------------------- */

static void take_answer(void *context, const struct wf_reply *reply)
{
	struct flight *flight = context;
	struct wf_delivery *delivery = flight->delivery;

	flight->answer = reply->error;
	flight->answer.rc = reply->rc;
	pthread_mutex_lock(&delivery->lock);
	flight->next = delivery->answered;
	delivery->answered = flight;
	pthread_mutex_unlock(&delivery->lock);
	curl_multi_wakeup(delivery->multi);
}

/* The key is the message's: asked again, it is not done again. */
static void ask(
    struct flight *flight, struct wf_request *request, const char *what)
{
	struct wf_parcel *parcel = &flight->parcel;
	char actor[128];
	char key[80];

	snprintf(actor, sizeof(actor), "service:%s",
	    parcel->service == NULL ? "" : parcel->service->name);
	snprintf(key, sizeof(key), "%s-%llu-%llu", what,
	    (unsigned long long)parcel->message.number,
	    (unsigned long long)parcel->message.message);
	request->namespace_id = parcel->message.namespace_id;
	request->number = parcel->message.number;
	request->actor = actor;
	request->origin = "service";
	request->key = key;
	flight->in_engine = true;
	if (wf_engine_submit(parcel->engine, request, take_answer, flight,
		&flight->answer) == WF_OK)
		return;
	flight->in_engine = false;
	wf_flight_postpone(flight, parcel->now + ENGINE_PAUSE, false);
}

static void report(struct flight *flight, const char *code)
{
	struct wf_parcel *parcel = &flight->parcel;
	struct wf_request request = { .kind = WF_REQUEST_REPORT,
		.report = { .item = parcel->message.subject,
		    .code = code,
		    .attempts = parcel->message.attempts } };

	request.report.text = wf_arena_printf(parcel->arena, "%s: %s",
	    wf_parcel_clip(parcel, parcel->message.destination),
	    wf_parcel_clip(parcel, parcel->reason));
	ask(flight, &request, "report");
}

static void complete(struct flight *flight)
{
	struct wf_request request = { .kind = WF_REQUEST_COMMAND,
		.command = { .kind = WF_COMMAND_FINISH,
		    .item = flight->parcel.message.subject,
		    .data = flight->parcel.output,
		    .length = flight->parcel.output_length } };

	ask(flight, &request, "complete");
}

/* --- verdicts ------------------------------------------------------------- */

static const struct wf_service *worklist_of(const struct flight *flight)
{
	return wf_service_by_name(flight->set,
	    flight->parcel.message.namespace_id, WF_DEFAULT_WORKLIST);
}

static bool has_listeners(const struct flight *flight)
{
	for (size_t i = 0; i < flight->set->count; i++)
		if (flight->set->rows[i].kind == WF_SERVICE_LISTENER &&
		    flight->set->rows[i].namespace_id ==
			flight->parcel.message.namespace_id)
			return true;
	return false;
}

/* As the service itself would: listeners of interface X hear of it as well. */
static void reject(struct flight *flight)
{
	struct wf_request request = { .kind = WF_REQUEST_ANNOUNCE,
		.announce = { .item = flight->parcel.message.subject,
		    .reason = "rejected" } };

	ask(flight, &request, "reject");
}

/*
 * A service of YAWL's that refuses an item leaves it to the default worklist;
 * and who keeps that looks for what it was not told of.
 */
static void leave_to_worklist(struct flight *flight, const char *code)
{
	const struct wf_service *worklist = worklist_of(flight);

	if (worklist == NULL) {
		report(flight, code);
	} else if (strcmp(worklist->uri, flight->parcel.message.destination) ==
		   0) {
		settle(flight, SETTLE_DONE);
	} else {
		flight->destination = worklist->uri;
		if (flight->parcel.message.kind == WF_ANNOUNCE_ITEM_ENABLED &&
		    has_listeners(flight))
			reject(flight);
		else
			settle(flight, SETTLE_REDIRECT);
	}
}

/* Nobody is helped by an incident of what is over, or never waited. */
static void give_up(struct flight *flight, const char *code)
{
	if (!wf_parcel_hands_over(flight->parcel.message.kind))
		settle(flight, SETTLE_DONE);
	else if (flight->kind == NULL || flight->kind->has_worklist)
		leave_to_worklist(flight, code);
	else
		report(flight, code);
}

static bool is_exhausted(const struct flight *flight)
{
	const struct wf_message_row *row = &flight->parcel.message;

	if (row->kind == WF_ANNOUNCE_ITEM_ENDED ||
	    row->kind == WF_ANNOUNCE_ITEM_CANCELLED)
		return flight->parcel.now - row->at > LAST_NEWS;
	return row->attempts >= flight->parcel.policy.attempts;
}

/* With up to a quarter more, lest all come at once. */
static void try_again(struct flight *flight)
{
	const struct wf_parcel *parcel = &flight->parcel;
	const struct wf_service_policy *policy = &parcel->policy;
	int64_t delay = wf_service_delay(policy, parcel->message.attempts);
	int64_t at = parcel->now + delay;

	if (is_exhausted(flight)) {
		give_up(flight, "delivery");
		return;
	}
	at += randombytes_uniform(
	    (uint32_t)(delay < 4000000 ? delay / 4 + 1 : 1000000));
	if (at < parcel->retry_after)
		at = parcel->retry_after;
	wf_flight_postpone(flight, at, true);
}

static void count(struct wf_delivery *delivery, enum wf_verdict verdict)
{
	if (verdict == WF_PARCEL_AGAIN)
		atomic_fetch_add(&delivery->failed, 1);
	else if (verdict == WF_PARCEL_REFUSED)
		atomic_fetch_add(&delivery->refused, 1);
	else if (verdict != WF_PARCEL_LATER)
		atomic_fetch_add(&delivery->arrived, 1);
}

/* An output that does not do is an attempt that failed. */
static bool is_accepted(struct flight *flight)
{
	struct wf_error err = { .rc = WF_OK };

	if (wf_item_data_accept(&flight->parcel, &err) == WF_OK)
		return true;
	wf_parcel_fail(&flight->parcel, WF_PARCEL_AGAIN, "%s", err.message);
	flight->parcel.output = NULL;
	return false;
}

void wf_flight_verdict(struct flight *flight, enum wf_verdict verdict)
{
	count(flight->delivery, verdict);
	switch (verdict) {
	case WF_PARCEL_COMPLETE:
		note_success(flight);
		if (is_accepted(flight))
			complete(flight);
		else
			try_again(flight);
		break;
	case WF_PARCEL_LATER:
		wf_flight_postpone(flight, flight->parcel.at, false);
		break;
	case WF_PARCEL_AGAIN:
		note_failure(flight);
		try_again(flight);
		break;
	case WF_PARCEL_REFUSED:
		/* Who says no is there. */
		if (flight->parcel.status != 0)
			note_success(flight);
		give_up(flight, "refused");
		break;
	default:
		note_success(flight);
		settle(flight, SETTLE_DONE);
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

static void judge_answer(struct flight *flight)
{
	enum wf_rc rc = flight->answer.rc;
	struct wf_parcel *parcel = &flight->parcel;
	bool completes = parcel->output != NULL;

	parcel->now = wf_engine_now(parcel->engine);
	if (flight->destination != NULL) {
		/* What cannot be rejected goes there without its listeners. */
		settle(flight, rc == WF_OK || rc == WF_NOT_FOUND
				   ? SETTLE_DONE
				   : SETTLE_REDIRECT);
	} else if (is_passing(rc)) {
		wf_flight_postpone(flight, parcel->now + ENGINE_PAUSE, false);
	} else if (completes && rc != WF_OK && rc != WF_NOT_FOUND) {
		/* Its output does not do. */
		parcel->output = NULL;
		parcel->reason =
		    wf_arena_strdup(parcel->arena, flight->answer.message);
		report(flight, wf_rc_name(rc));
	} else {
		/* Done, now or before, or by somebody else. */
		settle(flight, SETTLE_DONE);
	}
}

void wf_delivery_take_answers(struct wf_delivery *delivery)
{
	struct flight *answered;

	pthread_mutex_lock(&delivery->lock);
	answered = delivery->answered;
	delivery->answered = NULL;
	pthread_mutex_unlock(&delivery->lock);
	while (answered != NULL) {
		struct flight *flight = answered;

		answered = flight->next;
		flight->in_engine = false;
		judge_answer(flight);
	}
}
