/* SPDX-License-Identifier: Apache-2.0 */
/* One delivery: how it is made and freed, and its states. */
#include "work/delivery_priv.h"

#define BODY_MAXIMUM_BYTES ((size_t)256 << 20)
#define ANSWER_MAXIMUM_BYTES ((size_t)32 << 20)

/* --- states --------------------------------------------------------------- */

#define TO(state) (1U << DELIVERY_##state)

/* The states that may follow each. */
static const unsigned moves[DELIVERY_STATE_COUNT] = {
	[DELIVERY_CLAIMED] = TO(QUEUED) | TO(ACTIVE) | TO(ASKING) | TO(SETTLED),
	[DELIVERY_QUEUED] = TO(ACTIVE) | TO(SETTLED),
	[DELIVERY_ACTIVE] = TO(RENDERING) | TO(ASKING) | TO(SETTLED),
	[DELIVERY_RENDERING] = TO(ACTIVE),
	[DELIVERY_ASKING] = TO(ANSWERED) | TO(SETTLED),
	[DELIVERY_ANSWERED] = TO(ASKING) | TO(SETTLED),
	[DELIVERY_SETTLED] = 0,
};

void wf_delivery_move(struct wf_delivery *delivery, enum delivery_state state)
{
	wf_assert(delivery->magic == WF_DELIVERY_MAGIC);
	wf_assert((moves[delivery->state] & (1U << state)) != 0);
	wf_assert(delivery->next == NULL); /* it is in no list */
	delivery->state = state;
}

void wf_delivery_publish(const struct wf_delivery *delivery)
{
	const struct wf_destination *destination = delivery->destination;
	const struct wf_message_row *row = &delivery->message.row;

	wf_service_state_set(wf_services_states(delivery->sender->services),
	    row->namespace_id, row->destination, &destination->breaker,
	    destination->active);
}

void wf_delivery_end_active(struct wf_delivery *delivery)
{
	if (!delivery->is_counted)
		return;
	delivery->is_counted = false;
	wf_destination_end(delivery->destination);
	wf_delivery_publish(delivery);
}

/* --- making and freeing --------------------------------------------------- */

void wf_delivery_find_service(struct wf_delivery *delivery)
{
	struct wf_message *message = &delivery->message;
	struct wf_sender *sender = delivery->sender;

	wf_assert(delivery->state == DELIVERY_CLAIMED);
	if (delivery->set != NULL)
		wf_services_let_go(sender->services, delivery->set);
	delivery->set = wf_services_hold(sender->services);
	message->service = wf_service_by_uri(
	    delivery->set, message->row.namespace_id, message->row.destination);
	delivery->handler = NULL;
	if (message->service != NULL) {
		if (message->service->kind->render != NULL)
			delivery->handler = message->service->kind;
		message->policy = message->service->policy;
	}
}

static void copy_row(struct wf_message_row *to,
    const struct wf_message_row *from, struct wf_arena *arena)
{
	*to = *from;
	to->destination = wf_arena_strdup(arena, from->destination);
	to->subject = wf_arena_strdup(arena, from->subject);
	to->payload.data =
	    wf_arena_strndup(arena, from->payload.data, from->payload.size);
}

static void link_newest(struct wf_sender *sender, struct wf_delivery *delivery)
{
	wf_assert((sender->newest == NULL) == (sender->delivery_count == 0));
	delivery->older = sender->newest;
	if (delivery->older != NULL)
		delivery->older->newer = delivery;
	sender->newest = delivery;
	sender->delivery_count++;
}

static void unlink_from_all(
    struct wf_sender *sender, struct wf_delivery *delivery)
{
	wf_assert(sender->delivery_count > 0);
	wf_assert((delivery->newer == NULL) == (sender->newest == delivery));
	if (delivery->newer != NULL)
		delivery->newer->older = delivery->older;
	else
		sender->newest = delivery->older;
	if (delivery->older != NULL)
		delivery->older->newer = delivery->newer;
	sender->delivery_count--;
}

struct wf_delivery *wf_delivery_new(struct wf_sender *sender,
    struct wf_destination *destination, const struct wf_message_row *row,
    int64_t now, int64_t claimed_until)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_delivery *delivery = wf_arena_alloc(arena, sizeof(*delivery));
	struct wf_message *message = &delivery->message;

	wf_assert(sender->magic == WF_SENDER_MAGIC);
	delivery->magic = WF_DELIVERY_MAGIC;
	delivery->state = DELIVERY_CLAIMED;
	delivery->sender = sender;
	delivery->destination = destination;
	delivery->claimed_until = claimed_until;
	message->arena = arena;
	message->engine = sender->engine;
	message->tokens = sender->tokens;
	message->now = now;
	message->type = "";
	copy_row(&message->row, row, arena);
	message->key = wf_arena_printf(arena, "%s-%llu-%llu", sender->identity,
	    (unsigned long long)row->number, (unsigned long long)row->message);
	wf_buffer_init(&message->body, BODY_MAXIMUM_BYTES);
	wf_buffer_init(&message->answer, ANSWER_MAXIMUM_BYTES);
	link_newest(sender, delivery);
	wf_delivery_find_service(delivery);
	return delivery;
}

void wf_delivery_end_call(struct wf_delivery *delivery)
{
	if (delivery->curl != NULL) {
		curl_multi_remove_handle(
		    delivery->sender->multi, delivery->curl);
		curl_easy_cleanup(delivery->curl);
	}
	curl_slist_free_all(delivery->headers);
	curl_slist_free_all(delivery->recipients);
	delivery->curl = NULL;
	delivery->headers = NULL;
	delivery->recipients = NULL;
}

void wf_delivery_free(struct wf_delivery *delivery)
{
	struct wf_arena *arena = delivery->message.arena;

	wf_assert(delivery->magic == WF_DELIVERY_MAGIC);
	unlink_from_all(delivery->sender, delivery);
	wf_delivery_end_active(delivery);
	wf_delivery_span_end(delivery, CURLE_ABORTED_BY_CALLBACK);
	wf_delivery_end_call(delivery);
	wf_services_let_go(delivery->sender->services, delivery->set);
	wf_buffer_free(&delivery->message.body);
	wf_buffer_free(&delivery->message.answer);
	delivery->magic = 0;
	wf_arena_free(&arena);
}
