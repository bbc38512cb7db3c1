/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP server over libmicrohttpd.
 *
 * An exchange that is not answered at once is suspended: its connection takes
 * no part in polling until it is resumed.  Who comes first, the thread that
 * suspends or the one that answers, is decided by one atomic word:
 *
 *   WORKING --suspended--> SLEEPING --answered--> ANSWERED (and resumed)
 *   WORKING --answered---> ANSWERED (nothing was suspended, or it is at once
 *                                    resumed by the one that did)
 */
#include "services/http.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STREAM_BLOCK 16384U

struct wf_http {
	struct MHD_Daemon *daemon;
	struct wf_http_settings settings;
	char *address;
	uint16_t port;
	atomic_ullong exchanges;
	atomic_bool draining;
};

enum state { WORKING, SLEEPING, ANSWERED };

struct header {
	struct header *next;
	const char *name;
	const char *value;
};

struct wf_exchange {
	struct wf_http *http;
	struct MHD_Connection *connection;
	struct wf_arena *arena;
	uint64_t number;
	int64_t began;
	const char *method;
	char *path;
	struct wf_buffer body;
	bool too_large;
	bool handled;
	char peer[64];
	_Atomic(int) state;
	struct header *headers;
	unsigned status;
	struct MHD_Response *response;
	/* Of a stream. */
	struct wf_http_stream stream;
	bool streams;
	atomic_bool wanted; /* it was woken */
	atomic_bool asleep;
};

static int64_t clock_milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* --- the request ---------------------------------------------------------- */

const char *wf_exchange_method(const struct wf_exchange *exchange)
{
	return exchange->method;
}

const char *wf_exchange_path(const struct wf_exchange *exchange)
{
	return exchange->path;
}

const char *wf_exchange_argument(
    const struct wf_exchange *exchange, const char *name)
{
	const char *value = MHD_lookup_connection_value(
	    exchange->connection, MHD_GET_ARGUMENT_KIND, name);

	return value;
}

const char *wf_exchange_header(
    const struct wf_exchange *exchange, const char *name)
{
	return MHD_lookup_connection_value(
	    exchange->connection, MHD_HEADER_KIND, name);
}

const char *wf_exchange_body(
    const struct wf_exchange *exchange, size_t *length_out)
{
	if (length_out != NULL)
		*length_out = exchange->body.length;
	return wf_buffer_text(&exchange->body);
}

const char *wf_exchange_peer(const struct wf_exchange *exchange)
{
	return exchange->peer;
}

struct wf_arena *wf_exchange_arena(struct wf_exchange *exchange)
{
	return exchange->arena;
}

uint64_t wf_exchange_number(const struct wf_exchange *exchange)
{
	return exchange->number;
}

int64_t wf_exchange_began(const struct wf_exchange *exchange)
{
	return exchange->began;
}

/* --- the answer ----------------------------------------------------------- */

void wf_exchange_add_header(
    struct wf_exchange *exchange, const char *name, const char *value)
{
	struct header *header =
	    wf_arena_alloc(exchange->arena, sizeof(*header));

	header->name = wf_arena_strdup(exchange->arena, name);
	header->value = wf_arena_strdup(exchange->arena, value);
	header->next = exchange->headers;
	exchange->headers = header;
}

/* From here on the exchange may be gone. */
static void give_answer(struct wf_exchange *exchange)
{
	struct MHD_Connection *connection = exchange->connection;
	int before = atomic_exchange(&exchange->state, ANSWERED);

	if (before == SLEEPING)
		MHD_resume_connection(connection);
}

void wf_exchange_answer(struct wf_exchange *exchange, unsigned status,
    const char *type, const char *body, size_t length)
{
	exchange->status = status;
	exchange->response = MHD_create_response_from_buffer(
	    length, (void *)(uintptr_t)body, MHD_RESPMEM_MUST_COPY);
	if (type != NULL)
		wf_exchange_add_header(exchange, "Content-Type", type);
	give_answer(exchange);
}

static ssize_t read_stream(
    void *context, uint64_t position, char *bytes, size_t size)
{
	struct wf_exchange *exchange = context;
	ptrdiff_t count;

	(void)position;
	atomic_store(&exchange->wanted, false);
	count = exchange->stream.next(exchange->stream.context, bytes, size);
	if (count < 0)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (count > 0)
		return count;
	MHD_suspend_connection(exchange->connection);
	atomic_store(&exchange->asleep, true);
	/* What came meanwhile did not see it sleeping. */
	if (atomic_load(&exchange->wanted) &&
	    atomic_exchange(&exchange->asleep, false))
		MHD_resume_connection(exchange->connection);
	return 0;
}

void wf_exchange_wake(struct wf_exchange *exchange)
{
	atomic_store(&exchange->wanted, true);
	if (atomic_exchange(&exchange->asleep, false))
		MHD_resume_connection(exchange->connection);
}

void wf_exchange_stream(struct wf_exchange *exchange, const char *type,
    const struct wf_http_stream *stream)
{
	exchange->stream = *stream;
	exchange->streams = true;
	exchange->status = MHD_HTTP_OK;
	exchange->response = MHD_create_response_from_callback(
	    MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream, exchange, NULL);
	wf_exchange_add_header(exchange, "Content-Type", type);
	give_answer(exchange);
}

static enum MHD_Result queue_answer(struct wf_exchange *exchange)
{
	enum MHD_Result result;

	if (exchange->response == NULL)
		return MHD_NO;
	for (const struct header *header = exchange->headers; header != NULL;
	     header = header->next)
		(void)MHD_add_response_header(
		    exchange->response, header->name, header->value);
	if (atomic_load(&exchange->http->draining))
		(void)MHD_add_response_header(
		    exchange->response, "Connection", "close");
	result = MHD_queue_response(
	    exchange->connection, exchange->status, exchange->response);
	MHD_destroy_response(exchange->response);
	exchange->response = NULL;
	return result;
}

/* --- what libmicrohttpd calls --------------------------------------------- */

static void *begin_exchange(
    void *context, const char *uri, struct MHD_Connection *connection)
{
	struct wf_http *http = context;
	struct wf_exchange *exchange = wf_calloc(1, sizeof(*exchange));
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
	    connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

	(void)uri;
	exchange->http = http;
	exchange->connection = connection;
	exchange->arena = wf_arena_new();
	exchange->number = atomic_fetch_add(&http->exchanges, 1) + 1;
	wf_buffer_init(&exchange->body, http->settings.body + 1);
	if (info != NULL && info->client_addr != NULL)
		(void)getnameinfo(info->client_addr,
		    info->client_addr->sa_family == AF_INET6
			? sizeof(struct sockaddr_in6)
			: sizeof(struct sockaddr_in),
		    exchange->peer, sizeof(exchange->peer), NULL, 0,
		    NI_NUMERICHOST);
	return exchange;
}

static void end_exchange(void *context, struct MHD_Connection *connection,
    void **data, enum MHD_RequestTerminationCode code)
{
	struct wf_exchange *exchange = *data;

	(void)context;
	(void)connection;
	(void)code;
	*data = NULL;
	if (exchange == NULL)
		return;
	if (exchange->streams)
		exchange->stream.over(exchange->stream.context);
	if (exchange->response != NULL)
		MHD_destroy_response(exchange->response);
	wf_buffer_free(&exchange->body);
	wf_arena_free(&exchange->arena);
	wf_free(exchange);
}

static enum MHD_Result handle_request(struct wf_exchange *exchange)
{
	exchange->handled = true;
	exchange->began = clock_milliseconds();
	exchange->http->settings.handle(
	    exchange->http->settings.context, exchange);
	if (atomic_load(&exchange->state) != ANSWERED) {
		int expected = WORKING;

		MHD_suspend_connection(exchange->connection);
		if (!atomic_compare_exchange_strong(
			&exchange->state, &expected, SLEEPING))
			MHD_resume_connection(exchange->connection);
		return MHD_YES;
	}
	return queue_answer(exchange);
}

static enum MHD_Result refuse_large(struct wf_exchange *exchange)
{
	static const char body[] =
	    "{\"type\":\"about:blank\",\"title\":\"The body is too large\","
	    "\"status\":413,\"code\":\"too_large\"}\n";

	exchange->handled = true;
	wf_exchange_add_header(exchange, "Connection", "close");
	wf_exchange_answer(exchange, MHD_HTTP_CONTENT_TOO_LARGE,
	    "application/problem+json", body, sizeof(body) - 1);
	return queue_answer(exchange);
}

/* Called for the head, for each part of the body, at the end, and again. */
static enum MHD_Result access_handler(void *context,
    struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *part, size_t *length, void **data)
{
	struct wf_http *http = context;
	struct wf_exchange *exchange = *data;

	(void)connection;
	(void)version;
	if (exchange->path == NULL) {
		const char *size = wf_exchange_header(
		    exchange, MHD_HTTP_HEADER_CONTENT_LENGTH);

		exchange->path = wf_arena_strdup(exchange->arena, url);
		exchange->method = wf_arena_strdup(exchange->arena, method);
		if (size != NULL &&
		    strtoull(size, NULL, 10) > http->settings.body)
			return refuse_large(exchange);
		return MHD_YES;
	}
	if (*length > 0) {
		if (exchange->body.length + *length > http->settings.body)
			exchange->too_large = true;
		else
			wf_buffer_append(&exchange->body, part, *length);
		*length = 0;
		return MHD_YES;
	}
	if (exchange->handled)
		return queue_answer(exchange);
	return exchange->too_large ? refuse_large(exchange)
				   : handle_request(exchange);
}

/* --- listening ------------------------------------------------------------ */

static enum wf_rc find_address(const struct wf_http_settings *settings,
    struct addrinfo **address_out, struct wf_error *err)
{
	struct addrinfo hints = { .ai_flags = AI_PASSIVE | AI_NUMERICSERV,
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM };
	char port[8];
	int code;

	snprintf(port, sizeof(port), "%u", settings->port);
	code = getaddrinfo(settings->address, port, &hints, address_out);
	if (code != 0)
		return wf_fail(err, WF_INVALID, "cannot listen on %s: %s",
		    settings->address, gai_strerror(code));
	return WF_OK;
}

static void start(struct wf_http *http, const struct addrinfo *address)
{
	const struct wf_http_settings *settings = &http->settings;
	unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD |
			 MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO;

	if (address->ai_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	http->daemon = MHD_start_daemon(flags, 0, NULL, NULL, access_handler,
	    http, MHD_OPTION_SOCK_ADDR, address->ai_addr,
	    MHD_OPTION_THREAD_POOL_SIZE, settings->threads,
	    MHD_OPTION_CONNECTION_LIMIT, settings->connections,
	    MHD_OPTION_CONNECTION_TIMEOUT, settings->idle,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)16384,
	    MHD_OPTION_LISTENING_ADDRESS_REUSE, 1U,
	    MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024U, MHD_OPTION_URI_LOG_CALLBACK,
	    begin_exchange, http, MHD_OPTION_NOTIFY_COMPLETED, end_exchange,
	    http, MHD_OPTION_END);
}

enum wf_rc wf_http_open(struct wf_http **http_out,
    const struct wf_http_settings *settings, struct wf_error *err)
{
	const union MHD_DaemonInfo *info;
	struct addrinfo *address;
	struct wf_http *http;
	enum wf_rc rc;

	*http_out = NULL;
	rc = find_address(settings, &address, err);
	if (rc != WF_OK)
		return rc;
	http = wf_calloc(1, sizeof(*http));
	http->settings = *settings;
	http->address = wf_strdup(settings->address);
	http->settings.address = http->address;
	start(http, address);
	freeaddrinfo(address);
	if (http->daemon == NULL) {
		rc = wf_fail(err, WF_IO,
		    "cannot listen on %s, port %u: is it in use?",
		    settings->address, settings->port);
		wf_free(http->address);
		wf_free(http);
		return rc;
	}
	info = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_BIND_PORT);
	http->port = info == NULL ? settings->port : info->port;
	*http_out = http;
	return WF_OK;
}

uint16_t wf_http_port(const struct wf_http *http)
{
	return http->port;
}

unsigned wf_http_connections(const struct wf_http *http)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(
	    http->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);

	return info == NULL ? 0 : info->num_connections;
}

void wf_http_drain(struct wf_http *http)
{
	atomic_store(&http->draining, true);
}

void wf_http_close(struct wf_http **http)
{
	struct wf_http *old = *http;

	*http = NULL;
	if (old == NULL)
		return;
	MHD_stop_daemon(old->daemon);
	wf_free(old->address);
	wf_free(old);
}
