/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settlements: the outcome of deliveries as the store keeps it.
 *
 *   done       the message is deleted
 *   postponed  it can be claimed again from a time on
 *   redirected it goes to another service
 *
 * Settlements that are alike are written in one transaction.  Of a message
 * whose settlement cannot be written the claim expires: it is sent again.
 */
#include <string.h>

#include "work/delivery_priv.h"

/* Times of postponed messages are multiples of this, so that many are alike. */
#define TIME_UNIT_MS 200
#define WRITE_INTERVAL_MS 10
#define WRITE_MAXIMUM 256U

static void settle(struct wf_delivery *delivery, enum settlement settlement)
{
	struct wf_sender *sender = delivery->sender;

	wf_delivery_end_active(delivery);
	wf_delivery_move(delivery, DELIVERY_SETTLED);
	delivery->settlement = settlement;
	delivery->next = sender->settled;
	sender->settled = delivery;
}

void wf_delivery_settle(struct wf_delivery *delivery)
{
	settle(delivery, SETTLE_DONE);
}

void wf_delivery_postpone(
    struct wf_delivery *delivery, int64_t at, bool is_attempt)
{
	delivery->at = (at + TIME_UNIT_MS - 1) / TIME_UNIT_MS * TIME_UNIT_MS;
	delivery->is_attempt = is_attempt;
	settle(delivery, SETTLE_POSTPONE);
}

void wf_delivery_redirect(struct wf_delivery *delivery)
{
	wf_assert(delivery->redirect_uri != NULL);
	settle(delivery, SETTLE_REDIRECT);
}

static bool is_alike(const struct wf_delivery *a, const struct wf_delivery *b)
{
	if (a->settlement != b->settlement)
		return false;
	if (a->settlement == SETTLE_POSTPONE)
		return a->at == b->at && a->is_attempt == b->is_attempt;
	return a->settlement == SETTLE_DONE ||
	       strcmp(a->redirect_uri, b->redirect_uri) == 0;
}

static enum wf_rc write_alike(struct wf_store *store,
    const struct wf_delivery *first, const struct wf_message_key *keys,
    size_t count)
{
	wf_assert(count > 0 && count <= WRITE_MAXIMUM);
	switch (first->settlement) {
	case SETTLE_DONE:
		return wf_store_acknowledge(store, keys, count, NULL);
	case SETTLE_POSTPONE:
		return wf_store_postpone(
		    store, keys, count, first->at, first->is_attempt, NULL);
	default:
		return wf_store_redirect(
		    store, keys, count, first->redirect_uri, NULL);
	}
}

/* Whether it was an attempt to hand an item over, and failed. */
static bool is_failed(const struct wf_delivery *delivery)
{
	return delivery->message.reason != NULL &&
	       wf_message_hands_over(delivery->message.row.kind) &&
	       (delivery->settlement != SETTLE_POSTPONE ||
		   delivery->is_attempt);
}

/* How the attempts of these deliveries failed, for those who inspect items. */
static void note_attempts(
    struct wf_store *store, const struct wf_delivery *deliveries)
{
	struct wf_item_row rows[WRITE_MAXIMUM];
	size_t count = 0;

	for (; deliveries != NULL; deliveries = deliveries->next) {
		const struct wf_message *message = &deliveries->message;
		bool again = deliveries->settlement == SETTLE_POSTPONE;

		if (!is_failed(deliveries))
			continue;
		wf_assert(count < WRITE_MAXIMUM);
		rows[count++] =
		    (struct wf_item_row){ .number = message->row.number,
			    .id = message->row.subject,
			    .attempt = message->row.attempts,
			    .not_before = again ? deliveries->at : 0,
			    .last_answer =
				deliveries->is_untried ? "" : message->reason };
	}
	if (count > 0)
		(void)(wf_store_note_attempts(store, rows, count, NULL) ==
		       WF_OK);
}

/* Writes the first settlement and those that are like it. */
static void write_first(struct wf_sender *sender, struct wf_store *store)
{
	struct wf_delivery *first = sender->settled;
	struct wf_message_key keys[WRITE_MAXIMUM];
	struct wf_delivery *taken = NULL;
	struct wf_delivery **at = &sender->settled;
	size_t count = 0;

	while (*at != NULL && count < WRITE_MAXIMUM) {
		struct wf_delivery *delivery = *at;

		wf_assert(delivery->state == DELIVERY_SETTLED);
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
	note_attempts(store, taken);
	while (taken != NULL) {
		struct wf_delivery *delivery = taken;

		taken = delivery->next;
		wf_delivery_free(delivery);
	}
}

void wf_sender_write(struct wf_sender *sender, bool now)
{
	int64_t time = wf_engine_now(sender->engine);
	struct wf_store *store;

	if (sender->settled == NULL ||
	    (!now && time < sender->written_at + WRITE_INTERVAL_MS &&
		time >= sender->written_at) ||
	    wf_engine_borrow(sender->engine, &store, NULL) != WF_OK)
		return;
	sender->written_at = time;
	while (sender->settled != NULL)
		write_first(sender, store);
	/* There is room for others, and the next of their streams can be sent.
	 */
	atomic_store(&sender->woken, true);
	wf_engine_give_back(sender->engine, store);
}
