/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies that are read in parts, when a handler asks for the next one.
 *
 *          ┌───── full, or the end: part() is called ──────┐
 *          ▼                                               │
 *   WORKING, SLEEPING ──wf_exchange_read(): resumed──► READING
 *          │                                               │
 *          └──an answer──► ANSWERED                        └──lost──► cut()
 *
 * While a handler works the connection is suspended, so that a client sends no
 * faster than its parts are taken.  Before the first part it is suspended
 * behind its head: libmicrohttpd calls once more for the head when it is
 * resumed, and sends "100 Continue" only after that.
 */
#include <microhttpd.h>
#include <stdlib.h>

#include "base/panic.h"
#include "http/http_server_priv.h"

void wf_exchange_defer_body(struct wf_exchange *exchange)
{
	wf_assert(wf_http_loop_is_mine(exchange->loop));
	wf_assert(!exchange->handled && exchange->body.length == 0);
	exchange->deferred = true;
	wf_buffer_init(&exchange->body, WF_BODY_PART_BYTES + 1);
}

bool wf_exchange_body_size(
    const struct wf_exchange *exchange, uint64_t *size_out)
{
	const char *size =
	    wf_exchange_header(exchange, MHD_HTTP_HEADER_CONTENT_LENGTH);

	*size_out = size == NULL ? 0 : strtoull(size, NULL, 10);
	return wf_exchange_header(
		   exchange, MHD_HTTP_HEADER_TRANSFER_ENCODING) == NULL;
}

bool wf_exchange_read(
    struct wf_exchange *exchange, const struct wf_http_reader *reader)
{
	int before;

	wf_assert(exchange->deferred && exchange->handled);
	wf_assert(!exchange->ended);
	if (!exchange->has_part &&
	    !wf_member_take(exchange->http->budget, wf_exchange_join(exchange),
		WF_BUDGET_BODIES, WF_BODY_PART_BYTES))
		return false;
	exchange->has_part = true;
	exchange->reader = *reader;
	wf_buffer_reset(&exchange->body);
	wf_wait_begin(exchange->wait);
	before = atomic_exchange(&exchange->state, WF_EXCHANGE_READING);
	wf_assert(
	    before == WF_EXCHANGE_WORKING || before == WF_EXCHANGE_SLEEPING);
	if (before == WF_EXCHANGE_SLEEPING)
		wf_exchange_resume(exchange);
	return true;
}

enum MHD_Result wf_exchange_rest(struct wf_exchange *exchange)
{
	int expected = WF_EXCHANGE_WORKING;

	MHD_suspend_connection(exchange->connection);
	if (!atomic_compare_exchange_strong(
		&exchange->state, &expected, WF_EXCHANGE_SLEEPING))
		wf_exchange_resume(exchange);
	return MHD_YES;
}

/* The handler gets what was read. */
static void give_part(struct wf_exchange *exchange, bool is_last)
{
	wf_assert(atomic_load(&exchange->state) == WF_EXCHANGE_READING);
	wf_assert(exchange->body.length <= WF_BODY_PART_BYTES);
	exchange->ended = is_last;
	wf_wait_end(exchange->wait);
	atomic_store(&exchange->state, WF_EXCHANGE_WORKING);
	exchange->reader.part(exchange->reader.context, is_last);
}

bool wf_exchange_take_deferred(
    struct wf_exchange *exchange, const char *part, size_t *length)
{
	size_t room = WF_BODY_PART_BYTES - exchange->body.length;
	size_t count = *length < room ? *length : room;

	wf_assert(exchange->deferred && exchange->begun && !exchange->ended);
	if (atomic_load(&exchange->state) == WF_EXCHANGE_ANSWERED) {
		if (exchange->swallowed == 0)
			wf_wait_begin(exchange->wait);
		wf_wait_extend(exchange->wait, *length);
		exchange->swallowed += *length;
		*length = 0;
		return exchange->swallowed <=
		       exchange->http->settings.body_bytes;
	}
	wf_wait_extend(exchange->wait, count);
	wf_buffer_append(&exchange->body, part, count);
	wf_assert(!exchange->body.full);
	*length -= count;
	if (exchange->body.length < WF_BODY_PART_BYTES)
		return true;
	give_part(exchange, false);
	/* Also when more is wanted already: it is resumed for the rest. */
	(void)wf_exchange_rest(exchange);
	return true;
}

/*
 * Whether an answer that comes before the body can wait for its end: a client
 * that sends it without asking first may not read before.
 */
static bool swallows(const struct wf_exchange *exchange)
{
	uint64_t size;

	return wf_exchange_body_size(exchange, &size) && size > 0 &&
	       size <= exchange->http->settings.body_bytes &&
	       wf_exchange_header(exchange, MHD_HTTP_HEADER_EXPECT) == NULL;
}

static bool has_body(const struct wf_exchange *exchange)
{
	uint64_t size;

	return !wf_exchange_body_size(exchange, &size) || size > 0;
}

enum MHD_Result wf_exchange_go_on(struct wf_exchange *exchange)
{
	int state = atomic_load(&exchange->state);

	wf_assert(exchange->deferred && exchange->handled);
	if (!exchange->begun &&
	    (state == WF_EXCHANGE_READING ||
		(state == WF_EXCHANGE_ANSWERED && swallows(exchange)))) {
		exchange->begun = true;
		if (state == WF_EXCHANGE_ANSWERED)
			wf_wait_begin(exchange->wait);
		return MHD_YES;
	}
	if (state == WF_EXCHANGE_READING) {
		give_part(exchange, true);
		state = atomic_load(&exchange->state);
	}
	if (state == WF_EXCHANGE_ANSWERED) {
		if (!exchange->begun && has_body(exchange))
			exchange->closes = true;
		return wf_exchange_queue_answer(exchange);
	}
	return wf_exchange_rest(exchange);
}

void wf_exchange_end_reading(struct wf_exchange *exchange)
{
	if (atomic_load(&exchange->state) == WF_EXCHANGE_READING)
		exchange->reader.cut(exchange->reader.context);
	if (exchange->has_part)
		wf_member_give_back(exchange->http->budget, exchange->member,
		    WF_BUDGET_BODIES, WF_BODY_PART_BYTES);
	exchange->has_part = false;
	wf_buffer_free(&exchange->body);
}
