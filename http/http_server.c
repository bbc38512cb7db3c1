/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP server over libmicrohttpd.
 *
 * An exchange that is not answered at once is suspended: its connection is not
 * polled until it is resumed.  Two threads race: handle(), which suspends, and
 * give_answer(), which any thread may call.  One atomic word decides:
 *
 *   WORKING ──handle()───────► SLEEPING ──give_answer()──► ANSWERED
 *      │     suspended                    resumes it
 *      └──────give_answer()──────────────────────────────► ANSWERED
 *             handle() has not suspended it yet, or finds it answered
 *             and resumes it itself
 *
 * A stream is suspended again whenever it has no bytes, see read_stream().
 *
 * All that libmicrohttpd calls runs in the thread of the connection's event
 * loop (http/event_loop.h).
 */
#include "http/http_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/panic.h"
#include "http/budget.h"
#include "http/event_loop.h"
#include "http/forwarded.h"
#include "http/framing.h"
#include "http/listening.h"
#include "http/request_timeout.h"
#include "http/tls.h"

/* Memory of a connection, for the heads of its request and answer. */
#define CONNECTION_BYTES ((size_t)16384)
#define STREAM_BLOCK_BYTES 4096U
/* Smaller answers need no room: the number of connections bounds them. */
#define SMALL_ANSWER_BYTES CONNECTION_BYTES
/* When clients have used so much less memory, the system gets it back. */
#define FALL_BYTES ((size_t)8 << 20)
/* Closing waits at most so long for answers that are being sent. */
#define CLOSING_MS 10000

/* One event loop; it serves its share of the connections. */
struct worker {
	struct wf_http *http;
	struct wf_http_loop *loop;
};

struct wf_http {
	struct wf_http_settings settings;
	struct wf_http_calls calls;
	char *address;
	uint16_t port;
	atomic_uint connections;
	atomic_ullong exchanges;
	struct wf_budget *budget;
	/* Of the thread that calls wf_http_check(). */
	unsigned most_connections;
	size_t fallen; /* bytes since memory was trimmed */
	pthread_mutex_t lock;
	pthread_cond_t answered; /* signalled when answering falls to 0 */
	unsigned answering;	 /* exchanges handled and not over */
	atomic_bool draining;
	struct wf_request_timeouts *timeouts;
	struct wf_tls *tls;	 /* NULL: plain HTTP */
	struct worker workers[]; /* settings.threads of them */
};

enum state { WORKING, SLEEPING, ANSWERED };

struct header {
	struct header *next;
	const char *name;
	const char *value;
};

struct wf_exchange {
	struct wf_http *http;
	struct wf_http_loop *loop;
	struct MHD_Connection *connection;
	struct wf_resumption resumption;
	struct wf_wait *wait; /* of its connection */
	struct wf_arena *arena;
	struct wf_arena *scratch;
	struct wf_member *member; /* of the budget; NULL: not joined yet */
	size_t held;		  /* of answers */
	void *data;
	uint64_t number;
	int64_t began; /* microseconds */
	int64_t took;
	const char *method; /* NULL: the head is not there yet */
	const char *target;
	struct wf_buffer body;
	size_t swallowed; /* bytes of a refused body, which are not kept */
	const struct refusal *refusal;
	bool handled;
	bool closes; /* the connection, after the answer */
	_Atomic(int) state;
	struct header *headers;
	unsigned status;
	struct MHD_Response *response;
	uint64_t size;
	/* Of a stream. */
	struct wf_http_stream stream;
	bool streams;
	atomic_bool wanted; /* it was woken */
	atomic_bool asleep;
};

/* --- the request ---------------------------------------------------------- */

const char *wf_exchange_method(const struct wf_exchange *exchange)
{
	return exchange->method;
}

const char *wf_exchange_target(const struct wf_exchange *exchange)
{
	return exchange->target;
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

/* All fields of one name, joined by commas. */
struct joined {
	const char *name;
	struct wf_buffer text;
	bool any;
};

static enum MHD_Result join_field(
    void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct joined *joined = context;

	(void)kind;
	if (strcasecmp(name, joined->name) == 0) {
		wf_buffer_puts(&joined->text, joined->any ? "," : "");
		wf_buffer_puts(&joined->text, value == NULL ? "" : value);
		joined->any = true;
	}
	return MHD_YES;
}

/* NULL: there is none.  The caller frees the buffer. */
static const char *join_fields(
    const struct wf_exchange *exchange, struct joined *joined)
{
	wf_buffer_init(&joined->text, CONNECTION_BYTES);
	(void)MHD_get_connection_values(
	    exchange->connection, MHD_HEADER_KIND, join_field, joined);
	return joined->any ? wf_buffer_text(&joined->text) : NULL;
}

/* The other end of the connection; false: unknown. */
static bool find_peer(
    const struct wf_exchange *exchange, struct wf_address_range *address_out)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
	    exchange->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

	return info != NULL && info->client_addr != NULL &&
	       wf_address_of(info->client_addr, address_out);
}

const char *wf_exchange_peer(struct wf_exchange *exchange)
{
	const struct wf_address_ranges *proxies =
	    &exchange->http->settings.proxies;
	struct joined addresses = { .name = "X-Forwarded-For" };
	struct joined elements = { .name = "Forwarded" };
	struct wf_forwarded forwarded = { .addresses = NULL };
	char text[INET6_ADDRSTRLEN] = "";
	struct wf_address_range peer;

	if (!find_peer(exchange, &peer))
		return "";
	if (wf_address_is_in(&peer, proxies)) {
		forwarded.addresses = join_fields(exchange, &addresses);
		forwarded.elements = join_fields(exchange, &elements);
	}
	wf_forwarded_client(&forwarded, &peer, proxies, text);
	wf_buffer_free(&addresses.text);
	wf_buffer_free(&elements.text);
	return wf_arena_strdup(exchange->arena, text);
}

bool wf_exchange_is_local(const struct wf_exchange *exchange)
{
	struct wf_address_range peer;

	return find_peer(exchange, &peer) && wf_address_is_loopback(&peer) &&
	       wf_exchange_header(exchange, "X-Forwarded-For") == NULL &&
	       wf_exchange_header(exchange, "Forwarded") == NULL;
}

bool wf_exchange_is_https(const struct wf_exchange *exchange)
{
	const char *scheme = wf_exchange_header(exchange, "X-Forwarded-Proto");
	struct wf_address_range peer;

	return exchange->http->tls != NULL ||
	       (scheme != NULL && strcasecmp(scheme, "https") == 0 &&
		   find_peer(exchange, &peer) &&
		   wf_address_is_in(&peer, &exchange->http->settings.proxies));
}

/*
 * A client that has closed its connection, or one direction of it, is gone,
 * whatever bytes are still there: at the end of a TLS session there are some.
 */
bool wf_exchange_is_alive(const struct wf_exchange *exchange)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
	    exchange->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct pollfd file = { .events = POLLRDHUP };

	if (info == NULL)
		return true;
	file.fd = info->connect_fd;
	if (poll(&file, 1, 0) > 0)
		return false;
	return exchange->http->tls == NULL || !wf_tls_is_ending(file.fd);
}

struct wf_arena *wf_exchange_arena(struct wf_exchange *exchange)
{
	return exchange->arena;
}

struct wf_arena *wf_exchange_scratch(struct wf_exchange *exchange)
{
	return exchange->scratch;
}

uint64_t wf_exchange_number(const struct wf_exchange *exchange)
{
	return exchange->number;
}

void wf_exchange_set_data(struct wf_exchange *exchange, void *data)
{
	exchange->data = data;
}

void *wf_exchange_data(const struct wf_exchange *exchange)
{
	return exchange->data;
}

unsigned wf_exchange_status(const struct wf_exchange *exchange)
{
	return exchange->status;
}

uint64_t wf_exchange_size(const struct wf_exchange *exchange)
{
	return exchange->size;
}

int64_t wf_exchange_duration(const struct wf_exchange *exchange)
{
	return exchange->took;
}

/* --- memory --------------------------------------------------------------- */

/* A name of an account has no blank. */
static struct wf_member *join(struct wf_exchange *exchange)
{
	if (exchange->member == NULL)
		exchange->member = wf_budget_join(exchange->http->budget,
		    wf_arena_printf(exchange->arena, "address %s",
			wf_exchange_peer(exchange)));
	return exchange->member;
}

void wf_exchange_set_owner(struct wf_exchange *exchange, const char *owner)
{
	struct wf_budget *budget = exchange->http->budget;
	struct wf_member *old = exchange->member;

	wf_assert(exchange->held == 0);
	exchange->member = wf_budget_join(budget, owner);
	if (old != NULL)
		wf_member_pass(budget, old, exchange->member, WF_BUDGET_BODIES,
		    exchange->body.length);
	wf_budget_leave(budget, &old);
}

bool wf_exchange_hold(struct wf_exchange *exchange, size_t bytes)
{
	bool has_room = wf_member_take(
	    exchange->http->budget, join(exchange), WF_BUDGET_ANSWERS, bytes);

	if (has_room)
		exchange->held += bytes;
	return has_room;
}

void wf_exchange_release(struct wf_exchange *exchange, size_t bytes)
{
	wf_assert(exchange->held >= bytes);
	exchange->held -= bytes;
	if (bytes > 0)
		wf_member_give_back(exchange->http->budget, exchange->member,
		    WF_BUDGET_ANSWERS, bytes);
}

/* --- the answer ----------------------------------------------------------- */

/* An answer that is given in place of another. */
struct refusal {
	unsigned status;
	const char *title;
	const char *detail;
	const char *code;
};

void wf_exchange_add_header(
    struct wf_exchange *exchange, const char *name, const char *value)
{
	struct header *header =
	    wf_arena_alloc(exchange->arena, sizeof(*header));

	wf_assert(atomic_load(&exchange->state) != ANSWERED);
	header->name = wf_arena_strdup(exchange->arena, name);
	header->value = wf_arena_strdup(exchange->arena, value);
	header->next = exchange->headers;
	exchange->headers = header;
}

/* After this call the exchange may be freed. */
static void resume(struct wf_exchange *exchange)
{
	wf_assert(exchange->loop != NULL);
	exchange->resumption.connection = exchange->connection;
	wf_http_loop_resume(exchange->loop, &exchange->resumption);
}

/* After this call the exchange may be freed. */
static void give_answer(struct wf_exchange *exchange, unsigned status,
    const char *type, struct MHD_Response *response)
{
	int before;

	wf_assert(status >= 200 && status < 600);
	if (type != NULL)
		wf_exchange_add_header(exchange, "Content-Type", type);
	if (!exchange->streams)
		wf_arena_free(&exchange->scratch);
	exchange->status = status;
	exchange->response = response;
	exchange->took = wf_monotonic_us() - exchange->began;
	before = atomic_exchange(&exchange->state, ANSWERED);
	wf_assert(before != ANSWERED); /* an exchange is answered once */
	if (before == SLEEPING)
		resume(exchange);
}

static void answer_refusal(
    struct wf_exchange *exchange, const struct refusal *refusal)
{
	const char *body = wf_arena_printf(exchange->arena,
	    "{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%u,"
	    "\"detail\":\"%s\",\"code\":\"%s\"}\n",
	    refusal->title, refusal->status, refusal->detail, refusal->code);

	if (refusal->status == MHD_HTTP_SERVICE_UNAVAILABLE)
		wf_exchange_add_header(exchange, "Retry-After", "1");
	wf_exchange_answer(exchange, refusal->status,
	    "application/problem+json", body, strlen(body));
}

/* For methods that change nothing, and for others. */
static const struct refusal no_room = { MHD_HTTP_SERVICE_UNAVAILABLE,
	"Not now, try again",
	"answers that were not read use up the memory for answers",
	"unavailable" };
static const struct refusal no_room_done = { MHD_HTTP_SERVICE_UNAVAILABLE,
	"Not known whether it is done",
	"the request was processed, but answers that were not read use up the "
	"memory for its answer",
	"lost" };

static void refuse_answer(struct wf_exchange *exchange)
{
	bool reads = strcmp(exchange->method, MHD_HTTP_METHOD_GET) == 0 ||
		     strcmp(exchange->method, MHD_HTTP_METHOD_HEAD) == 0;

	answer_refusal(exchange, reads ? &no_room : &no_room_done);
}

void wf_exchange_answer(struct wf_exchange *exchange, unsigned status,
    const char *type, const char *body, size_t length)
{
	if (length > SMALL_ANSWER_BYTES &&
	    !wf_exchange_hold(exchange, length)) {
		refuse_answer(exchange);
		return;
	}
	exchange->size = length;
	give_answer(exchange, status, type,
	    MHD_create_response_from_buffer(
		length, (void *)(uintptr_t)body, MHD_RESPMEM_MUST_COPY));
}

static ssize_t read_stream(
    void *context, uint64_t position, char *bytes, size_t size)
{
	struct wf_exchange *exchange = context;
	ptrdiff_t count;

	(void)position;
	wf_assert(wf_http_loop_is_mine(exchange->loop));
	wf_assert(!atomic_load(&exchange->asleep)); /* else it is suspended */
	atomic_store(&exchange->wanted, false);
	count = exchange->stream.next(exchange->stream.context, bytes, size);
	wf_assert(count < 0 || (size_t)count <= size);
	if (count < 0)
		return MHD_CONTENT_READER_END_OF_STREAM;
	exchange->size += (uint64_t)count;
	if (count > 0) {
		wf_wait_begin(exchange->wait);
		return count;
	}
	wf_wait_end(exchange->wait);
	MHD_suspend_connection(exchange->connection);
	atomic_store(&exchange->asleep, true);
	/* A wake before that store did not see it asleep. */
	if (atomic_load(&exchange->wanted) &&
	    atomic_exchange(&exchange->asleep, false))
		resume(exchange);
	return 0;
}

void wf_exchange_wake(struct wf_exchange *exchange)
{
	wf_assert(exchange->streams);
	atomic_store(&exchange->wanted, true);
	if (atomic_exchange(&exchange->asleep, false))
		resume(exchange);
}

void wf_exchange_stream(struct wf_exchange *exchange, const char *type,
    const struct wf_http_stream *stream)
{
	exchange->stream = *stream;
	exchange->streams = true;
	/* For HEAD, libmicrohttpd would end a body that must not be sent. */
	if (strcmp(exchange->method, MHD_HTTP_METHOD_HEAD) == 0)
		wf_exchange_answer(exchange, MHD_HTTP_OK, type, "", 0);
	else
		give_answer(exchange, MHD_HTTP_OK, type,
		    MHD_create_response_from_callback(MHD_SIZE_UNKNOWN,
			STREAM_BLOCK_BYTES, read_stream, exchange, NULL));
}

static enum MHD_Result queue_answer(struct wf_exchange *exchange)
{
	enum MHD_Result result;

	wf_assert(atomic_load(&exchange->state) == ANSWERED);
	if (exchange->response == NULL) /* no memory, or queued before */
		return MHD_NO;
	for (const struct header *header = exchange->headers; header != NULL;
	     header = header->next)
		(void)MHD_add_response_header(
		    exchange->response, header->name, header->value);
	if (exchange->closes || atomic_load(&exchange->http->draining))
		(void)MHD_add_response_header(
		    exchange->response, "Connection", "close");
	wf_wait_begin(exchange->wait);
	wf_wait_extend(exchange->wait, exchange->size);
	result = MHD_queue_response(
	    exchange->connection, exchange->status, exchange->response);
	MHD_destroy_response(exchange->response);
	exchange->response = NULL;
	return result;
}

/* --- bodies --------------------------------------------------------------- */

static const struct refusal too_large = { MHD_HTTP_CONTENT_TOO_LARGE,
	"The body is too large", "expected fewer bytes (setting body)",
	"too_large" };
static const struct refusal too_many = { MHD_HTTP_SERVICE_UNAVAILABLE,
	"Not now, try again", "too many large requests", "unavailable" };

static void refuse(struct wf_exchange *exchange)
{
	wf_assert(exchange->refusal != NULL);
	exchange->closes = true;
	answer_refusal(exchange, exchange->refusal);
}

/* The value of Content-Length; 0: there is none. */
static size_t announced(const struct wf_exchange *exchange)
{
	const char *size =
	    wf_exchange_header(exchange, MHD_HTTP_HEADER_CONTENT_LENGTH);

	return size == NULL ? 0 : strtoull(size, NULL, 10);
}

static bool has_body(const struct wf_exchange *exchange)
{
	return announced(exchange) > 0 ||
	       wf_exchange_header(
		   exchange, MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL;
}

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
static const struct refusal *find_fault(
    const struct wf_exchange *exchange, const char *head, const char *version)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
	    exchange->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	struct wf_framing framing = { .fault = NULL };
	struct refusal *refusal;
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

static void drop_body(struct wf_exchange *exchange)
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
static bool take_part(
    struct wf_exchange *exchange, const char *part, size_t length)
{
	struct wf_http *http = exchange->http;

	wf_assert(!exchange->handled);
	wf_wait_extend(exchange->wait, length);
	if (exchange->refusal == NULL) {
		if (exchange->body.length + length > http->settings.body_bytes)
			exchange->refusal = &too_large;
		else if (!wf_member_take(http->budget, join(exchange),
			     WF_BUDGET_BODIES, length))
			exchange->refusal = &too_many;
		if (exchange->refusal != NULL)
			drop_body(exchange);
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

/* --- what libmicrohttpd calls --------------------------------------------- */

static void *begin_exchange(
    void *context, const char *uri, struct MHD_Connection *connection)
{
	const struct worker *worker = context;
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

static void end_exchange(void *context, struct MHD_Connection *connection,
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
	if (exchange->method != NULL)
		http->calls.over(http->calls.context, exchange);
	if (exchange->streams)
		exchange->stream.over(exchange->stream.context);
	if (exchange->response != NULL)
		MHD_destroy_response(exchange->response);
	if (exchange->handled)
		end_answering(http);
	drop_body(exchange);
	wf_exchange_release(exchange, exchange->held);
	wf_budget_leave(http->budget, &exchange->member);
	wf_arena_free(&exchange->scratch);
	wf_arena_free(&exchange->arena);
	wf_free(exchange);
}

static const struct refusal not_plain = { MHD_HTTP_FORBIDDEN,
	"Plain HTTP is for this machine and proxies",
	"connect through a proxy that the setting proxy names", "forbidden" };

/* Whether another machine than a proxy speaks plain HTTP. */
static bool is_exposed(const struct wf_exchange *exchange)
{
	const struct wf_http *http = exchange->http;
	struct wf_address_range peer;

	return http->tls == NULL && !http->settings.insecure &&
	       find_peer(exchange, &peer) && !wf_address_is_loopback(&peer) &&
	       !wf_address_is_in(&peer, &http->settings.proxies);
}

/* The head is there. */
static enum MHD_Result admit(
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
		refuse(exchange);
		return queue_answer(exchange);
	}
	http->calls.admit(http->calls.context, exchange);
	if (!has_body(exchange))
		return MHD_YES;
	if (atomic_load(&exchange->state) != ANSWERED &&
	    announced(exchange) > http->settings.body_bytes) {
		exchange->refusal = &too_large;
		refuse(exchange);
	}
	if (atomic_load(&exchange->state) != ANSWERED)
		return MHD_YES;
	exchange->closes = true;
	return queue_answer(exchange);
}

/* It was read whole. */
static enum MHD_Result handle(struct wf_exchange *exchange)
{
	struct wf_http *http = exchange->http;
	int expected = WORKING;

	wf_assert(wf_http_loop_is_mine(exchange->loop));
	wf_assert(!exchange->handled); /* once; it is admitted */
	wf_assert(atomic_load(&exchange->state) != SLEEPING);
	exchange->handled = true;
	wf_wait_end(exchange->wait);
	begin_answering(http);
	if (atomic_load(&exchange->state) == ANSWERED) /* by admit() */
		return queue_answer(exchange);
	exchange->began = wf_monotonic_us();
	if (exchange->refusal != NULL)
		refuse(exchange);
	else
		http->calls.handle(http->calls.context, exchange);
	if (atomic_load(&exchange->state) == ANSWERED)
		return queue_answer(exchange);
	MHD_suspend_connection(exchange->connection);
	if (!atomic_compare_exchange_strong(
		&exchange->state, &expected, SLEEPING))
		resume(exchange);
	return MHD_YES;
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

static void count_connection(void *context, struct MHD_Connection *connection,
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

/* Called for the head, for each part of the body, at the end, and again. */
static enum MHD_Result access_handler(void *context,
    struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *part, size_t *length, void **data)
{
	struct wf_exchange *exchange = *data;

	(void)context;
	(void)connection;
	(void)url;
	if (exchange->method == NULL)
		return admit(exchange, method, version);
	if (*length > 0) {
		bool goes_on = take_part(exchange, part, *length);

		*length = 0;
		return goes_on ? MHD_YES : MHD_NO;
	}
	return exchange->handled ? queue_answer(exchange) : handle(exchange);
}

/* --- listening ------------------------------------------------------------ */

/* How many of settings->connections a worker may have open. */
static unsigned share(const struct wf_http_settings *settings, unsigned number)
{
	return settings->connections / settings->threads +
	       (number < settings->connections % settings->threads);
}

/* NULL: failed.  The daemon closes the socket. */
static struct MHD_Daemon *start(
    struct worker *worker, int socket, unsigned connections)
{
	struct wf_http *http = worker->http;
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_CERT_CALLBACK2, 0, wf_tls_callback() },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0,
		    (void *)(uintptr_t)WF_TLS_PRIORITIES },
		{ MHD_OPTION_END, 0, NULL },
	};
	bool is_plain = http->tls == NULL;

	return MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME |
				    MHD_USE_TURBO |
				    (is_plain ? 0U : MHD_USE_TLS),
	    0, NULL, NULL, access_handler, NULL, MHD_OPTION_LISTEN_SOCKET,
	    socket, MHD_OPTION_CONNECTION_LIMIT, connections,
	    MHD_OPTION_CONNECTION_TIMEOUT, http->settings.idle_seconds,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_BYTES,
	    MHD_OPTION_URI_LOG_CALLBACK, begin_exchange, worker,
	    MHD_OPTION_NOTIFY_COMPLETED, end_exchange, http,
	    MHD_OPTION_NOTIFY_CONNECTION, count_connection, http,
	    MHD_OPTION_ARRAY, is_plain ? &tls[2] : tls, MHD_OPTION_END);
}

static enum wf_rc open_worker(
    struct wf_http *http, unsigned number, int socket, struct wf_error *err)
{
	struct worker *worker = &http->workers[number];
	struct MHD_Daemon *daemon = NULL;
	int copy = fcntl(socket, F_DUPFD_CLOEXEC, 0);

	worker->http = http;
	if (copy >= 0)
		daemon = start(worker, copy, share(&http->settings, number));
	if (daemon == NULL)
		return wf_fail(err, WF_IO, "connections cannot be served");
	if (number == 0)
		http->port =
		    MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)
			->port;
	return wf_http_loop_open(&worker->loop, daemon, err);
}

/* An owner can always send one body of the greatest size. */
static struct wf_budget *new_budget(const struct wf_http_settings *settings)
{
	struct wf_budget_limit limits[WF_BUDGET_KINDS] = {
		[WF_BUDGET_BODIES] = { .bytes = settings->bodies_bytes },
		[WF_BUDGET_ANSWERS] = { .bytes = settings->answers_bytes },
	};

	wf_assert(settings->share >= 1 && settings->share <= 100);
	for (size_t i = 0; i < WF_BUDGET_KINDS; i++)
		limits[i].share = limits[i].bytes / 100 * settings->share;
	if (limits[WF_BUDGET_BODIES].share < settings->body_bytes)
		limits[WF_BUDGET_BODIES].share = settings->body_bytes;
	return wf_budget_new(limits);
}

static void free_http(struct wf_http *http)
{
	for (unsigned i = 0; i < http->settings.threads; i++)
		wf_http_loop_close(&http->workers[i].loop);
	wf_assert(atomic_load(&http->connections) == 0);
	wf_budget_free(&http->budget);
	wf_request_timeouts_free(&http->timeouts);
	wf_tls_close(&http->tls);
	pthread_cond_destroy(&http->answered);
	pthread_mutex_destroy(&http->lock);
	wf_free(http->address);
	wf_free(http);
}

static enum wf_rc open_certificate(struct wf_tls **tls_out,
    const struct wf_http_settings *settings, struct wf_error *err)
{
	bool certificate = settings->tls_certificate != NULL &&
			   settings->tls_certificate[0] != '\0';
	bool key = settings->tls_key != NULL && settings->tls_key[0] != '\0';

	*tls_out = NULL;
	if (certificate != key)
		return wf_fail(err, WF_INVALID,
		    "%s needs %s: the certificate and its key are two files",
		    certificate ? "tls-certificate" : "tls-key",
		    certificate ? "tls-key" : "tls-certificate");
	return certificate ? wf_tls_open(tls_out, settings->tls_certificate,
				 settings->tls_key, err)
			   : WF_OK;
}

enum wf_rc wf_http_listen(int *socket_out,
    const struct wf_http_settings *settings, struct wf_error *err)
{
	struct wf_tls *tls;
	enum wf_rc rc = open_certificate(&tls, settings, err);
	bool is_plain = tls == NULL;

	wf_tls_close(&tls);
	if (rc == WF_OK)
		rc = wf_listen(
		    socket_out, settings->address, settings->port, err);
	if (rc != WF_OK || !is_plain || settings->insecure ||
	    settings->proxies.count > 0 || wf_listening_is_local(*socket_out))
		return rc;
	close(*socket_out);
	*socket_out = -1;
	return wf_fail(err, WF_INVALID,
	    "%s can be reached from other machines, and plain HTTP would show "
	    "them all tokens: name a certificate (--tls-certificate and "
	    "--tls-key), or the proxy in front of the server (--proxy), or "
	    "say --insecure",
	    settings->address);
}

enum wf_rc wf_http_open(struct wf_http **http_out, int socket,
    const struct wf_http_settings *settings, const struct wf_http_calls *calls,
    struct wf_error *err)
{
	struct wf_http *http;
	struct wf_tls *tls;
	enum wf_rc rc;

	wf_assert(settings->threads > 0 && socket >= 0);
	*http_out = NULL;
	rc = open_certificate(&tls, settings, err);
	if (rc != WF_OK) {
		close(socket);
		return rc;
	}
	http = wf_calloc(
	    1, sizeof(*http) + settings->threads * sizeof(http->workers[0]));
	http->settings = *settings;
	http->calls = *calls;
	http->address = wf_strdup(settings->address);
	http->settings.address = http->address;
	http->tls = tls;
	http->timeouts = wf_request_timeouts_new();
	http->budget = new_budget(settings);
	pthread_mutex_init(&http->lock, NULL);
	wf_condition_init(&http->answered);
	for (unsigned i = 0; i < settings->threads && rc == WF_OK; i++)
		rc = open_worker(http, i, socket, err);
	close(socket);
	if (rc != WF_OK) {
		free_http(http);
		return rc;
	}
	*http_out = http;
	return WF_OK;
}

void wf_http_serve(struct wf_http *http)
{
	for (unsigned i = 0; i < http->settings.threads; i++)
		wf_http_loop_serve(http->workers[i].loop);
}

uint16_t wf_http_port(const struct wf_http *http)
{
	return http->port;
}

void wf_http_counts(struct wf_http *http, struct wf_http_counts *counts_out)
{
	counts_out->connections = atomic_load(&http->connections);
	counts_out->body_bytes = wf_budget_used(http->budget, WF_BUDGET_BODIES);
	counts_out->answer_bytes =
	    wf_budget_used(http->budget, WF_BUDGET_ANSWERS);
}

/* How much less memory clients use than before; of what falls bit by bit, the
 * sum. */
static size_t fall(struct wf_http *http)
{
	unsigned now = atomic_load(&http->connections);
	size_t bytes = http->fallen + wf_budget_fall(http->budget);

	if (http->most_connections > now)
		bytes += (http->most_connections - now) * CONNECTION_BYTES;
	http->most_connections = now;
	http->fallen = bytes < FALL_BYTES ? bytes : 0;
	return bytes;
}

enum wf_rc wf_http_check_certificate(
    struct wf_http *http, bool *changed_out, struct wf_error *err)
{
	*changed_out = false;
	return http->tls == NULL ? WF_OK
				 : wf_tls_check(http->tls, changed_out, err);
}

void wf_http_check(struct wf_http *http)
{
	wf_request_timeouts_check(
	    http->timeouts, (int64_t)http->settings.idle_seconds * 2 * 1000);
	if (fall(http) >= FALL_BYTES)
		wf_memory_trim();
}

void wf_http_drain(struct wf_http *http)
{
	if (atomic_exchange(&http->draining, true))
		return;
	for (unsigned i = 0; i < http->settings.threads; i++)
		wf_http_loop_drain(http->workers[i].loop);
}

static void await_answers(struct wf_http *http)
{
	int64_t until = wf_monotonic_ms() + CLOSING_MS;

	pthread_mutex_lock(&http->lock);
	while (http->answering > 0 &&
	       wf_wait_until(&http->answered, &http->lock, until))
		;
	pthread_mutex_unlock(&http->lock);
}

void wf_http_close(struct wf_http **http)
{
	struct wf_http *old = *http;

	*http = NULL;
	if (old == NULL)
		return;
	wf_http_drain(old);
	await_answers(old);
	free_http(old);
}
