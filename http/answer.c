/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers: one that is given whole, a stream, and a refusal in place of either.
 *
 * A stream is suspended again whenever it has no bytes, see read_stream().
 */
#include <microhttpd.h>
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "http/http_server_priv.h"

#define STREAM_BLOCK_BYTES 4096U
/* Smaller answers need no room: the number of connections bounds them. */
#define SMALL_ANSWER_BYTES WF_CONNECTION_BYTES

void wf_exchange_add_header(
    struct wf_exchange *exchange, const char *name, const char *value)
{
	struct wf_header *header =
	    wf_arena_alloc(exchange->arena, sizeof(*header));

	wf_assert(atomic_load(&exchange->state) != WF_EXCHANGE_ANSWERED);
	header->name = wf_arena_strdup(exchange->arena, name);
	header->value = wf_arena_strdup(exchange->arena, value);
	header->next = exchange->headers;
	exchange->headers = header;
}

/* After this call the exchange may be freed. */
void wf_exchange_resume(struct wf_exchange *exchange)
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
	before = atomic_exchange(&exchange->state, WF_EXCHANGE_ANSWERED);
	wf_assert(
	    before != WF_EXCHANGE_ANSWERED); /* an exchange is answered once */
	wf_assert(before != WF_EXCHANGE_READING); /* the reader answers */
	if (before == WF_EXCHANGE_SLEEPING)
		wf_exchange_resume(exchange);
}

static void answer_refusal(
    struct wf_exchange *exchange, const struct wf_refusal *refusal)
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
static const struct wf_refusal no_room = { MHD_HTTP_SERVICE_UNAVAILABLE,
	"Not now, try again",
	"answers that were not read use up the memory for answers",
	"unavailable" };
static const struct wf_refusal no_room_done = { MHD_HTTP_SERVICE_UNAVAILABLE,
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
	/* The client must see that an answer of a known size is not whole. */
	if (count < 0)
		return exchange->has_size ? MHD_CONTENT_READER_END_WITH_ERROR
					  : MHD_CONTENT_READER_END_OF_STREAM;
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
		wf_exchange_resume(exchange);
	return 0;
}

/*
 * It may not stream yet: whoever knows its context may wake it before the
 * answer begins, and next() finds what there is when it is called the first
 * time.
 */
void wf_exchange_wake(struct wf_exchange *exchange)
{
	atomic_store(&exchange->wanted, true);
	if (atomic_exchange(&exchange->asleep, false))
		wf_exchange_resume(exchange);
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

void wf_exchange_stream_sized(struct wf_exchange *exchange, unsigned status,
    const char *type, uint64_t size, const struct wf_http_stream *stream)
{
	wf_assert(size < MHD_SIZE_UNKNOWN);
	exchange->stream = *stream;
	exchange->streams = true;
	exchange->has_size = true;
	give_answer(exchange, status, type,
	    MHD_create_response_from_callback(
		size, WF_CONNECTION_BYTES, read_stream, exchange, NULL));
}

enum MHD_Result wf_exchange_queue_answer(struct wf_exchange *exchange)
{
	enum MHD_Result result;

	wf_assert(atomic_load(&exchange->state) == WF_EXCHANGE_ANSWERED);
	if (exchange->response == NULL) /* no memory, or queued before */
		return MHD_NO;
	for (const struct wf_header *header = exchange->headers; header != NULL;
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

void wf_exchange_refuse(struct wf_exchange *exchange)
{
	wf_assert(exchange->refusal != NULL);
	exchange->closes = true;
	answer_refusal(exchange, exchange->refusal);
}
