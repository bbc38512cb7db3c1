/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of requests: announced, taken in parts, refused. */
#include <microhttpd.h>

#include "base/panic.h"
#include "http/http_server_priv.h"

static const struct wf_refusal too_large = { MHD_HTTP_CONTENT_TOO_LARGE,
	"The body is too large", "expected fewer bytes (setting body)",
	"too_large" };
static const struct wf_refusal too_many = { MHD_HTTP_SERVICE_UNAVAILABLE,
	"Not now, try again", "too many large requests", "unavailable" };

bool wf_exchange_expect_body(struct wf_exchange *exchange)
{
	uint64_t length;

	if (wf_exchange_body_size(exchange, &length) && length == 0)
		return false;
	if (atomic_load(&exchange->state) != WF_EXCHANGE_ANSWERED &&
	    length > exchange->http->settings.body_bytes) {
		exchange->refusal = &too_large;
		wf_exchange_refuse(exchange);
	}
	return true;
}

void wf_exchange_drop_body(struct wf_exchange *exchange)
{
	if (exchange->body.length > 0)
		wf_member_give_back(exchange->http->budget, exchange->member,
		    WF_BUDGET_BODIES, exchange->body.length);
	wf_buffer_free(&exchange->body);
}

/*
 * False: the connection is closed, because the client has sent too much of a
 * body that is refused.
 */
bool wf_exchange_take_part(
    struct wf_exchange *exchange, const char *part, size_t length)
{
	struct wf_http *http = exchange->http;

	wf_assert(!exchange->handled);
	wf_wait_extend(exchange->wait, length);
	if (exchange->refusal == NULL) {
		if (exchange->body.length + length > http->settings.body_bytes)
			exchange->refusal = &too_large;
		else if (!wf_member_take(http->budget,
			     wf_exchange_join(exchange), WF_BUDGET_BODIES,
			     length))
			exchange->refusal = &too_many;
		if (exchange->refusal != NULL)
			wf_exchange_drop_body(exchange);
	}
	if (exchange->refusal != NULL) {
		exchange->swallowed += length;
		return exchange->swallowed <= http->settings.body_bytes;
	}
	wf_buffer_append(&exchange->body, part, length);
	wf_assert(!exchange->body.full &&
		  exchange->body.length <= http->settings.body_bytes);
	return true;
}
