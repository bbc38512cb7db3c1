/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text is made in blocks.  A connection's thread sends a block in next();
 * when all of it is sent, a thread of the pool fills the next one:
 *
 *   sending ──ask_for_more()──► filling ──fill_in_pool()──► sending
 *      │                           │
 *      │ end_stream()              │ end_stream(): over
 *      ▼                           ▼
 *    freed ◄────fill_in_pool()── over, filling
 *
 * Only the filling thread uses the block, the position in the log and the
 * reader while `filling` is set; otherwise only the connection's thread does.
 */
#include "history/xes_export.h"

#include <pthread.h>
#include <string.h>

#include "base/panic.h"
#include "history/xes.h"

#define MAGIC 0x78657365U
/* A block is sent when it is longer than this. */
#define BLOCK_BYTES ((size_t)64 << 10)
/* An export counts with so much: usually its block and its case are smaller. */
#define EXPORT_BYTES ((size_t)256 << 10)
/* A block, which ends with a page of the history, cannot be longer. */
#define TEXT_BYTES ((size_t)1 << 30)

struct export
{
	uint32_t magic;
	struct wf_exchange *exchange;
	struct wf_xes_export what;
	char *uri;
	char *version;

	pthread_mutex_t lock; /* guards these two */
	bool filling;	      /* a thread fills the block */
	bool over;	      /* the connection has ended */

	struct wf_buffer text; /* the block */
	size_t sent;	       /* bytes of it */
	bool begun;
	bool ended; /* the block is the last one */
	struct wf_xes xes;
	uint64_t after;		 /* number of the last case that was begun */
	struct wf_case_log *log; /* of that case; NULL: it is done */
};

static void free_export(struct export *export)
{
	wf_assert(export->magic == MAGIC && !export->filling);
	export->magic = 0;
	wf_case_log_free(&export->log);
	wf_buffer_free(&export->text);
	wf_free(export->uri);
	wf_free(export->version);
	pthread_mutex_destroy(&export->lock);
	wf_free(export);
}

/* --- filling -------------------------------------------------------------- */

/* Begins the trace of the next case, or ends the log. */
static enum wf_rc next_case(
    struct export *export, struct wf_store *store, struct wf_error *err)
{
	struct wf_case_filter filter = {
		.namespace_id = export->what.namespace_id,
		.specifications =
		    wf_one_specification(&export->what.specification),
		.after = export->after,
		.limit = 1,
	};
	struct wf_arena *arena = wf_arena_new();
	struct wf_case_list list = { .count = 0 };
	enum wf_rc rc = wf_store_cases(store, &filter, arena, &list, err);

	wf_assert(export->log == NULL);
	if (rc == WF_OK && list.count == 0) {
		wf_xes_end(&export->xes);
		export->ended = true;
	}
	if (rc == WF_OK && list.count > 0) {
		export->after = list.rows[0].row.number;
		export->log = wf_case_log_new(export->what.engine,
		    export->after, list.rows[0].row.name, "");
		wf_case_log_with_people(export->log);
		wf_xes_begin_trace(&export->xes, list.rows[0].row.name);
	}
	wf_arena_free(&arena);
	return rc;
}

struct page {
	struct export *export;
	struct wf_store *store;
	struct wf_error *err;
	bool more;
	enum wf_rc rc;
};

static void read_page(void *context, const struct wf_spec *spec)
{
	struct page *page = context;
	struct export *export = page->export;

	page->rc = wf_case_log_read(export->log, page->store, spec,
	    wf_xes_event, &export->xes, &page->more, page->err);
}

/*
 * Appends a page of the current case.  When the rest of its history cannot be
 * read, its trace ends there and the log goes on with the next case.
 */
static enum wf_rc next_page(
    struct export *export, struct wf_store *store, struct wf_error *err)
{
	struct page page = { export, store, err, false, WF_OK };
	enum wf_rc rc = wf_engine_inspect_spec(export->what.engine,
	    export->what.namespace_id, export->what.specification, false,
	    read_page, &page, err);

	if (rc == WF_OK)
		rc = page.rc;
	if (rc == WF_GONE || rc == WF_CORRUPT) {
		wf_error_clear(err);
		rc = WF_OK;
	}
	if (!page.more || page.rc != WF_OK) {
		wf_xes_end_trace(&export->xes);
		wf_case_log_free(&export->log);
	}
	return rc;
}

/*
 * Fills the block.  When the store fails, the text stops in the middle, so
 * that no XML parser accepts it as the whole log.
 */
static void fill(struct export *export)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(export->what.engine, &store, &err);

	wf_assert(export->filling && !export->ended);
	wf_assert(export->sent == export->text.length);
	wf_buffer_reset(&export->text);
	export->sent = 0;
	if (rc != WF_OK) {
		export->ended = true;
		return;
	}
	if (!export->begun)
		wf_xes_begin(&export->xes, export->uri, export->version);
	export->begun = true;
	while (
	    rc == WF_OK && !export->ended && export->text.length < BLOCK_BYTES)
		rc = export->log == NULL ? next_case(export, store, &err)
					 : next_page(export, store, &err);
	if (rc != WF_OK || export->text.full)
		export->ended = true;
	wf_engine_give_back(export->what.engine, store);
}

static void fill_in_pool(void *argument)
{
	struct export *export = argument;
	bool over;

	wf_assert(export->magic == MAGIC);
	fill(export);
	pthread_mutex_lock(&export->lock);
	export->filling = false;
	over = export->over;
	if (!over)
		wf_exchange_wake(export->exchange);
	pthread_mutex_unlock(&export->lock);
	if (over)
		free_export(export);
}

/* --- sending -------------------------------------------------------------- */

static ptrdiff_t take(struct export *export, char *bytes, size_t size)
{
	size_t count = export->text.length - export->sent;

	wf_assert(export->sent < export->text.length);
	if (count > size)
		count = size;
	memcpy(bytes, export->text.data + export->sent, count);
	export->sent += count;
	return (ptrdiff_t)count;
}

static void ask_for_more(struct export *export)
{
	pthread_mutex_lock(&export->lock);
	wf_assert(!export->filling && !export->over);
	export->filling = true;
	pthread_mutex_unlock(&export->lock);
	if (!wf_pool_do(export->what.pool, fill_in_pool, export))
		fill_in_pool(export);
}

/*
 * Bytes to send; 0: later, the exchange will be woken; -1: the end.  When the
 * server is closing, the pool may be gone already.
 */
static ptrdiff_t next(void *context, char *bytes, size_t size)
{
	struct export *export = context;
	ptrdiff_t count = 0;
	bool filling;

	pthread_mutex_lock(&export->lock);
	filling = export->filling;
	pthread_mutex_unlock(&export->lock);
	if (filling)
		return 0;
	if (export->sent < export->text.length)
		return take(export, bytes, size);
	if (export->ended)
		return -1;
	if (wf_gate_enter(export->what.gate))
		ask_for_more(export);
	else
		count = -1;
	wf_gate_leave(export->what.gate);
	return count;
}

static void end_stream(void *context)
{
	struct export *export = context;
	bool filling;

	pthread_mutex_lock(&export->lock);
	export->over = true;
	filling = export->filling;
	pthread_mutex_unlock(&export->lock);
	if (!filling)
		free_export(export);
}

enum wf_rc wf_xes_export_begin(struct wf_exchange *exchange,
    const struct wf_xes_export *what, struct wf_error *err)
{
	struct export *export;
	struct wf_http_stream stream = { next, end_stream, NULL };

	if (!wf_exchange_hold(exchange, EXPORT_BYTES))
		return wf_fail(err, WF_UNAVAILABLE,
		    "too many logs are exported, or answers not read");
	export = wf_calloc(1, sizeof(*export));
	stream.context = export;
	export->magic = MAGIC;
	export->exchange = exchange;
	export->what = *what;
	export->uri = wf_strdup(what->uri);
	export->version = wf_strdup(what->version);
	pthread_mutex_init(&export->lock, NULL);
	wf_buffer_init(&export->text, TEXT_BYTES);
	export->xes.out = &export->text;
	export->xes.data = what->data;
	export->xes.all = what->all;
	wf_exchange_stream(exchange, what->type, &stream);
	return WF_OK;
}
