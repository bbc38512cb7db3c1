/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a request is let in, once its head is there. */
#include <microhttpd.h>
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "http/framing.h"
#include "http/http_server_priv.h"

static enum MHD_Result take_field(
    void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
	(void)kind;
	wf_framing_take(context, name, value == NULL ? "" : value);
	return MHD_YES;
}

/*
 * Later versions than 0.9.75 are not known to leave the head where it was
 * received; their parser, new in 1.0, refuses lines without a name.
 */
static bool keeps_heads(void)
{
	return strverscmp(MHD_get_version(), "0.9.75") <= 0;
}

/*
 * NULL: the end of the request is clear.  head: libmicrohttpd's, which begins
 * with the method.
 */
static const struct wf_refusal *find_fault(
    const struct wf_exchange *exchange, const char *head, const char *version)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
	    exchange->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	struct wf_framing framing = { .fault = NULL };
	struct wf_refusal *refusal;
	const char *fault;

	(void)MHD_get_connection_values(
	    exchange->connection, MHD_HEADER_KIND, take_field, &framing);
	if (info != NULL && keeps_heads())
		wf_framing_end(&framing, head + info->header_size);
	fault = wf_framing_fault(&framing, version, exchange->target);
	if (fault == NULL)
		return NULL;
	refusal = wf_arena_alloc(exchange->arena, sizeof(*refusal));
	refusal->status = MHD_HTTP_BAD_REQUEST;
	refusal->title = "The request makes no sense";
	refusal->detail = fault;
	refusal->code = "invalid";
	return refusal;
}

static const struct wf_refusal not_plain = { MHD_HTTP_FORBIDDEN,
	"Plain HTTP is for this machine and proxies",
	"connect through a proxy that the setting proxy names", "forbidden" };

/* Whether another machine than a proxy speaks plain HTTP. */
static bool is_exposed(const struct wf_exchange *exchange)
{
	const struct wf_http *http = exchange->http;
	struct wf_address_range peer;

	return http->tls == NULL && !http->settings.insecure &&
	       wf_exchange_find_peer(exchange, &peer) &&
	       !wf_address_is_loopback(&peer) &&
	       !wf_address_is_in(&peer, &http->settings.proxies);
}

/* The head is there. */
enum MHD_Result wf_exchange_admit(
    struct wf_exchange *exchange, const char *method, const char *version)
{
	struct wf_http *http = exchange->http;

	wf_assert(wf_http_loop_is_mine(exchange->loop));
	wf_assert(exchange->method == NULL && !exchange->handled);
	exchange->method = wf_arena_strdup(exchange->arena, method);
	exchange->began = wf_monotonic_us();
	exchange->refusal = is_exposed(exchange)
				? &not_plain
				: find_fault(exchange, method, version);
	if (exchange->refusal != NULL) {
		wf_exchange_refuse(exchange);
		return wf_exchange_queue_answer(exchange);
	}
	http->calls.admit(http->calls.context, exchange);
	if (exchange->deferred &&
	    atomic_load(&exchange->state) != WF_EXCHANGE_ANSWERED)
		return wf_exchange_handle(exchange);
	if (!wf_exchange_expect_body(exchange) ||
	    atomic_load(&exchange->state) != WF_EXCHANGE_ANSWERED)
		return MHD_YES;
	exchange->closes = true;
	return wf_exchange_queue_answer(exchange);
}
