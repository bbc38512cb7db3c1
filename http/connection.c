/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libmicrohttpd calls: connections and exchanges begin, go on and end.
 *
 * All of it runs in the thread of the connection's event loop
 * (http/event_loop.h).  An exchange that is not answered at once is suspended:
 * its connection is not polled until it is resumed.  Two threads race:
 * handle(), which suspends, and give_answer() (http/answer.c), which any thread
 * may call.  One atomic word decides:
 *
 *   WORKING ──handle()───────► SLEEPING ──give_answer()──► ANSWERED
 *      │     suspended                    resumes it
 *      └──────give_answer()──────────────────────────────► ANSWERED
 *             handle() has not suspended it yet, or finds it answered
 *             and resumes it itself
 *
 * A body that is read in parts has one more state, see http/body_parts.c.
 */
#include <microhttpd.h>

#include "base/clock.h"
#include "base/panic.h"
#include "http/http_server_priv.h"

void *wf_http_begin_exchange(
    void *context, const char *uri, struct MHD_Connection *connection)
{
	const struct wf_http_worker *worker = context;
	struct wf_http *http = worker->http;
	struct wf_exchange *exchange = wf_calloc(1, sizeof(*exchange));

	exchange->http = http;
	exchange->loop = worker->loop;
	exchange->connection = connection;
	exchange->wait = MHD_get_connection_info(
	    connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
			     ->socket_context;
	if (http->tls != NULL)
		(void)MHD_set_connection_option(connection,
		    MHD_CONNECTION_OPTION_TIMEOUT, http->settings.idle_seconds);
	exchange->arena = wf_arena_new();
	exchange->scratch = wf_arena_new();
	exchange->target = wf_arena_strdup(exchange->arena, uri);
	exchange->number = atomic_fetch_add(&http->exchanges, 1) + 1;
	wf_buffer_init(&exchange->body, http->settings.body_bytes + 1);
	wf_assert(exchange->wait != NULL && exchange->loop != NULL);
	return exchange;
}

static void begin_answering(struct wf_http *http)
{
	pthread_mutex_lock(&http->lock);
	http->answering++;
	pthread_mutex_unlock(&http->lock);
}

static void end_answering(struct wf_http *http)
{
	pthread_mutex_lock(&http->lock);
	wf_assert(http->answering > 0);
	if (--http->answering == 0)
		pthread_cond_signal(&http->answered);
	pthread_mutex_unlock(&http->lock);
}

void wf_http_end_exchange(void *context, struct MHD_Connection *connection,
    void **data, enum MHD_RequestTerminationCode code)
{
	struct wf_http *http = context;
	struct wf_exchange *exchange = *data;

	(void)connection;
	(void)code;
	*data = NULL;
	if (exchange == NULL)
		return;
	wf_assert(wf_http_loop_is_mine(exchange->loop));
	wf_wait_begin(exchange->wait);
	if (exchange->deferred)
		wf_exchange_end_reading(exchange);
	if (exchange->method != NULL)
		http->calls.over(http->calls.context, exchange);
	if (exchange->streams)
		exchange->stream.over(exchange->stream.context);
	if (exchange->response != NULL)
		MHD_destroy_response(exchange->response);
	if (exchange->handled)
		end_answering(http);
	wf_exchange_drop_body(exchange);
	wf_exchange_release(exchange, exchange->held);
	wf_budget_leave(http->budget, &exchange->member);
	wf_arena_free(&exchange->scratch);
	wf_arena_free(&exchange->arena);
	wf_free(exchange);
}

enum MHD_Result wf_exchange_handle(struct wf_exchange *exchange)
{
	struct wf_http *http = exchange->http;

	wf_assert(wf_http_loop_is_mine(exchange->loop));
	wf_assert(!exchange->handled); /* once; it is admitted */
	wf_assert(atomic_load(&exchange->state) != WF_EXCHANGE_SLEEPING);
	exchange->handled = true;
	wf_wait_end(exchange->wait);
	begin_answering(http);
	/* By wf_exchange_admit(). */
	if (atomic_load(&exchange->state) == WF_EXCHANGE_ANSWERED)
		return wf_exchange_queue_answer(exchange);
	exchange->began = wf_monotonic_us();
	if (exchange->refusal != NULL)
		wf_exchange_refuse(exchange);
	else
		http->calls.handle(http->calls.context, exchange);
	if (exchange->deferred)
		return wf_exchange_go_on(exchange);
	if (atomic_load(&exchange->state) == WF_EXCHANGE_ANSWERED)
		return wf_exchange_queue_answer(exchange);
	return wf_exchange_rest(exchange);
}

/*
 * libmicrohttpd would never free a connection whose time is over before the end
 * of its handshake: until its first request only http->timeouts ends it.
 */
static void begin_session(
    struct wf_http *http, struct MHD_Connection *connection)
{
	wf_tls_begin(http->tls, MHD_get_connection_info(connection,
				    MHD_CONNECTION_INFO_GNUTLS_SESSION)
				    ->tls_session);
	(void)MHD_set_connection_option(
	    connection, MHD_CONNECTION_OPTION_TIMEOUT, 0U);
}

void wf_http_count_connection(void *context, struct MHD_Connection *connection,
    void **data, enum MHD_ConnectionNotificationCode code)
{
	struct wf_http *http = context;
	struct wf_wait *wait = *data;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		atomic_fetch_add(&http->connections, 1);
		if (http->tls != NULL)
			begin_session(http, connection);
		wait = wf_request_timeouts_begin(
		    http->timeouts, MHD_get_connection_info(connection,
					MHD_CONNECTION_INFO_CONNECTION_FD)
					->connect_fd);
	} else {
		unsigned before = atomic_fetch_sub(&http->connections, 1);

		wf_assert(before > 0 && wait != NULL);
		wf_request_timeouts_end(http->timeouts, &wait);
	}
	*data = wait;
}

enum MHD_Result wf_http_access(void *context, struct MHD_Connection *connection,
    const char *url, const char *method, const char *version, const char *part,
    size_t *length, void **data)
{
	struct wf_exchange *exchange = *data;

	(void)context;
	(void)connection;
	(void)url;
	if (exchange->method == NULL)
		return wf_exchange_admit(exchange, method, version);
	if (*length > 0 && exchange->deferred && exchange->handled)
		return wf_exchange_take_deferred(exchange, part, length)
			   ? MHD_YES
			   : MHD_NO;
	if (*length > 0) {
		bool goes_on = wf_exchange_take_part(exchange, part, *length);

		*length = 0;
		return goes_on ? MHD_YES : MHD_NO;
	}
	if (!exchange->handled)
		return wf_exchange_handle(exchange);
	return exchange->deferred ? wf_exchange_go_on(exchange)
				  : wf_exchange_queue_answer(exchange);
}
