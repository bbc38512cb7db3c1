/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Downloads.  A thread of the pool reads a block of the document when all bytes
 * of the block before are sent, so a slow reader keeps one block and no thread:
 *
 *   sending ──ask_for_more()──► reading ──read_in_pool()──► sending
 *      │ end_stream()              │ end_stream(): over
 *      ▼                           ▼
 *    freed ◄────read_in_pool()── over, reading
 *
 * Only the reading thread uses the block while `reading` is set; otherwise only
 * the connection's thread does.
 */
#include <pthread.h>
#include <string.h>

#include "base/panic.h"
#include "server/documents.h"

#define MAGIC 0x646f776eU

struct download {
	uint32_t magic;
	struct wf_exchange *exchange;
	struct wf_download what;
	uint64_t until; /* the first byte that is not sent */

	pthread_mutex_t lock; /* guards these two */
	bool reading;
	bool over; /* the connection has ended */

	struct wf_arena *arena; /* of the block */
	const char *bytes;	/* of it, that are not sent */
	size_t size;
	uint64_t place; /* of the byte after them */
	bool failed;
};

static void free_download(struct download *download)
{
	wf_assert(download->magic == MAGIC && !download->reading);
	download->magic = 0;
	wf_arena_free(&download->arena);
	pthread_mutex_destroy(&download->lock);
	wf_free(download);
}

/* --- reading -------------------------------------------------------------- */

static void use_block(
    struct download *download, const struct wf_document_block_row *block)
{
	uint64_t end = block->place + block->bytes.size;

	download->failed =
	    block->place > download->place || end <= download->place;
	if (download->failed)
		return; /* it was removed, or is damaged */
	if (end > download->until)
		end = download->until;
	download->bytes =
	    (const char *)block->bytes.data + (download->place - block->place);
	download->size = (size_t)(end - download->place);
	download->place = end;
}

static void read_block(struct download *download)
{
	const struct wf_download *what = &download->what;
	struct wf_engine *engine = what->server->engine;
	struct wf_document_block_row block;
	struct wf_store *store;

	wf_assert(download->reading && download->size == 0);
	wf_arena_free(&download->arena);
	download->arena = wf_arena_new();
	download->failed = true;
	if (wf_engine_borrow(engine, &store, NULL) != WF_OK)
		return;
	if (wf_store_document_block(store, what->id, what->version,
		download->place, download->arena, &block, NULL) == WF_OK)
		use_block(download, &block);
	wf_engine_give_back(engine, store);
}

static void read_in_pool(void *argument)
{
	struct download *download = argument;
	bool over;

	wf_assert(download->magic == MAGIC);
	read_block(download);
	pthread_mutex_lock(&download->lock);
	download->reading = false;
	over = download->over;
	if (!over)
		wf_exchange_wake(download->exchange);
	pthread_mutex_unlock(&download->lock);
	if (over)
		free_download(download);
}

/* --- sending -------------------------------------------------------------- */

static bool ask_for_more(struct download *download)
{
	struct wf_server *server = download->what.server;
	bool asked = false;

	if (wf_server_enter(server)) {
		pthread_mutex_lock(&download->lock);
		download->reading = true;
		pthread_mutex_unlock(&download->lock);
		if (!wf_pool_do(server->pool, read_in_pool, download))
			read_in_pool(download);
		asked = true;
	}
	wf_server_leave(server);
	return asked;
}

static ptrdiff_t next(void *context, char *bytes, size_t size)
{
	struct download *download = context;
	bool reading;

	pthread_mutex_lock(&download->lock);
	reading = download->reading;
	pthread_mutex_unlock(&download->lock);
	if (reading)
		return 0;
	if (download->size == 0)
		return download->failed || download->place == download->until ||
			       !ask_for_more(download)
			   ? -1
			   : 0;
	if (size > download->size)
		size = download->size;
	memcpy(bytes, download->bytes, size);
	download->bytes += size;
	download->size -= size;
	return (ptrdiff_t)size;
}

static void end_stream(void *context)
{
	struct download *download = context;
	bool reading;

	pthread_mutex_lock(&download->lock);
	download->over = true;
	reading = download->reading;
	pthread_mutex_unlock(&download->lock);
	if (!reading)
		free_download(download);
}

enum wf_rc wf_download_begin(struct wf_exchange *exchange,
    const struct wf_download *what, struct wf_error *err)
{
	struct wf_http_stream stream = { next, end_stream, NULL };
	struct download *download;

	wf_assert(what->size > 0);
	if (!wf_exchange_hold(exchange, WF_BODY_PART_BYTES))
		return wf_fail(
		    err, WF_UNAVAILABLE, "too many answers are not read");
	download = wf_calloc(1, sizeof(*download));
	stream.context = download;
	download->magic = MAGIC;
	download->exchange = exchange;
	download->what = *what;
	download->place = what->from;
	download->until = what->from + what->size;
	pthread_mutex_init(&download->lock, NULL);
	wf_exchange_stream_sized(
	    exchange, what->status, what->type, what->size, &stream);
	return WF_OK;
}
