/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests: made in the sender's thread, or, if their data takes long to make,
 * in one beside it, one after the other.
 *
 *   render() ─► CALL, or another verdict
 *      └─ LONG ─► to_render ─► render() with is_long ─► rendered ─► the same
 *
 * A destination has one of them at most, so destinations take turns.  After one
 * the next of that destination are tried beside the sender's thread at once,
 * until one took little work.
 */
#include "work/delivery_priv.h"

/* --- the thread ----------------------------------------------------------- */

/* The next one; NULL: the thread is to end. */
static struct wf_delivery *next(struct wf_sender *sender)
{
	struct wf_delivery *delivery;

	pthread_mutex_lock(&sender->lock);
	while (sender->to_render == NULL && !sender->render_ends)
		pthread_cond_wait(&sender->render_wake, &sender->lock);
	delivery = sender->render_ends ? NULL : sender->to_render;
	if (delivery != NULL)
		sender->to_render = delivery->next;
	if (sender->to_render == NULL)
		sender->last_to_render = &sender->to_render;
	pthread_mutex_unlock(&sender->lock);
	return delivery;
}

static void *run(void *argument)
{
	struct wf_sender *sender = argument;
	struct wf_delivery *delivery;

	while ((delivery = next(sender)) != NULL) {
		struct wf_message *message = &delivery->message;

		message->is_long = true;
		message->now = wf_engine_now(sender->engine);
		delivery->verdict = delivery->handler->render(message);
		pthread_mutex_lock(&sender->lock);
		delivery->next = sender->rendered;
		sender->rendered = delivery;
		pthread_mutex_unlock(&sender->lock);
		curl_multi_wakeup(sender->multi);
	}
	return NULL;
}

enum wf_rc wf_rendering_start(struct wf_sender *sender, struct wf_error *err)
{
	wf_assert(!sender->has_render_thread && !sender->render_ends);
	if (pthread_create(&sender->render_thread, NULL, run, sender) != 0)
		return wf_fail(err, WF_IO, "no thread can be started");
	sender->has_render_thread = true;
	return WF_OK;
}

void wf_rendering_stop(struct wf_sender *sender)
{
	if (!sender->has_render_thread)
		return;
	pthread_mutex_lock(&sender->lock);
	sender->render_ends = true;
	pthread_cond_signal(&sender->render_wake);
	pthread_mutex_unlock(&sender->lock);
	pthread_join(sender->render_thread, NULL);
	sender->has_render_thread = false;
	while (sender->to_render != NULL) {
		struct wf_delivery *delivery = sender->to_render;

		sender->to_render = delivery->next;
		delivery->verdict = WF_VERDICT_LATER;
		delivery->message.at = delivery->message.now;
		delivery->next = sender->rendered;
		sender->rendered = delivery;
	}
	sender->last_to_render = &sender->to_render;
}

/* --- the sender's thread -------------------------------------------------- */

static void render_beside(struct wf_delivery *delivery)
{
	struct wf_sender *sender = delivery->sender;

	wf_assert(!delivery->destination->renders);
	delivery->destination->is_slow = true;
	delivery->destination->renders = true;
	wf_delivery_move(delivery, DELIVERY_RENDERING);
	pthread_mutex_lock(&sender->lock);
	*sender->last_to_render = delivery;
	sender->last_to_render = &delivery->next;
	pthread_cond_signal(&sender->render_wake);
	pthread_mutex_unlock(&sender->lock);
}

static void go_on(struct wf_delivery *delivery, enum wf_verdict verdict)
{
	if (verdict != WF_VERDICT_CALL)
		wf_delivery_verdict(delivery, verdict);
	else if (!wf_delivery_call(delivery))
		wf_delivery_verdict(delivery, WF_VERDICT_AGAIN);
}

void wf_delivery_render(struct wf_delivery *delivery)
{
	enum wf_verdict verdict = WF_VERDICT_LONG;

	wf_assert(delivery->state == DELIVERY_ACTIVE && delivery->is_counted);
	if (!delivery->destination->is_slow)
		verdict = delivery->handler->render(&delivery->message);
	if (verdict == WF_VERDICT_LONG)
		render_beside(delivery);
	else
		go_on(delivery, verdict);
}

void wf_sender_take_rendered(struct wf_sender *sender)
{
	struct wf_delivery *rendered;

	pthread_mutex_lock(&sender->lock);
	rendered = sender->rendered;
	sender->rendered = NULL;
	pthread_mutex_unlock(&sender->lock);
	while (rendered != NULL) {
		struct wf_delivery *delivery = rendered;
		struct wf_destination *destination = delivery->destination;

		rendered = delivery->next;
		delivery->next = NULL;
		wf_assert(delivery->verdict != WF_VERDICT_LONG);
		wf_assert(destination->renders);
		destination->renders = false;
		destination->is_slow =
		    delivery->message.work > WF_INSPECTION_WORK;
		wf_delivery_move(delivery, DELIVERY_ACTIVE);
		go_on(delivery, delivery->verdict);
	}
}
