/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One reader of a stream.
 *
 *   wf_streams_begin()
 *     │      │ the cursor is the end of the history
 *     │      └───────────────────────────────────────► live ──► cut off: its
 *     ▼                                                 ▲       frame has left
 *   behind ──want_page()──► reading ──try_live()────────┘       the ring
 *     ▲                        │ its pages reach its position
 *     └────────────────────────┘ they do not yet, or the position left the ring
 *
 * The connection calls next() whenever it has room; wf_exchange_wake() has it
 * call again.
 */
#include "server/live_events_priv.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"

#define PAGE 256U
/* A page ends with the step that reaches this size. */
#define PAGE_BYTES ((size_t)256 << 10)
/* The most cases whose names a reader that is behind remembers. */
#define CASES 256U
/* Milliseconds after which a client should reconnect. */
#define RETRY_MS 1000

/* --- its position in the ring -------------------------------------------- */

/* The end of the ring becomes its position; pages bring what is before it. */
static void give_place(struct reader *reader)
{
	struct wf_streams *streams = reader->streams;

	if (!reader->has_place)
		streams->places++;
	reader->has_place = true;
	reader->until = streams->end;
	reader->frame = streams->last;
	reader->offset = 0;
	/* The thread reads nothing while no reader has a position. */
	streams->woken = true;
	pthread_cond_signal(&streams->wake);
}

/*
 * Makes it live if its pages reach its position.  end: a recent end of the
 * history.
 */
static void try_live(struct reader *reader, const struct wf_cursor *end)
{
	struct wf_streams *streams = reader->streams;

	if (!reader->has_place || reader->frame < streams->first) {
		if (streams->places == 0 && !streams->following)
			streams->end = *end;
		give_place(reader);
	}
	if (!wf_cursor_is_before(&reader->cursor, &reader->until)) {
		wf_assert(reader->has_place && !reader->reading);
		reader->live = true;
		reader->awake = true;
		wf_steps_free(&reader->steps);
		pthread_cond_signal(&streams->wake); /* which may wait for it */
	}
}

void wf_reader_cut(struct reader *reader)
{
	reader->cut = true;
	wf_exchange_wake(reader->exchange);
}

void wf_reader_end(struct reader *reader)
{
	reader->ends = true;
	wf_exchange_wake(reader->exchange);
}

void wf_reader_inspect(struct reader *reader, uint64_t frame)
{
	if (!reader->live || reader->awake || reader->cut)
		return;
	reader->awake = true;
	reader->frame = frame;
	wf_exchange_wake(reader->exchange);
}

void wf_reader_sign(struct reader *reader, int64_t now)
{
	int64_t due = reader->sent_at +
		      (int64_t)reader->streams->settings.keep_alive * 1000;
	char id[WF_CURSOR_TEXT];

	if (!reader->live || reader->awake || reader->cut || now < due ||
	    reader->text.length > 0)
		return;
	/* It has got all steps that it selects up to the end. */
	if (wf_cursor_is_before(&reader->cursor, &reader->streams->end))
		reader->cursor = reader->streams->end;
	wf_cursor_text(&reader->cursor, id);
	/* Of a list the last id stays, by which it resumes. */
	if (reader->list != NULL)
		wf_buffer_puts(&reader->text, ":\n\n");
	else
		wf_buffer_printf(&reader->text, ":\nid: %s\n\n", id);
	wf_exchange_wake(reader->exchange);
}

/* --- pages ---------------------------------------------------------------- */

/* A page that the pool has read. */
struct page {
	struct wf_buffer text;
	struct wf_cursor next; /* the page goes up to this */
	struct wf_cursor end;  /* of the history */
};

static enum wf_rc put_rows(struct reader *reader, struct wf_store *store,
    const struct wf_history_list *list, struct page *page, struct wf_error *err)
{
	char id[WF_CURSOR_TEXT];

	for (size_t i = 0; i < list->count && page->text.length < PAGE_BYTES;
	     i++) {
		const struct wf_history_row *row = &list->rows[i];
		struct wf_cursor cursor = { row->position, row->number,
			row->sequence, page->end.retirements };
		json_t *step;

		/* read_case() may read steps that were sent before. */
		if (!wf_cursor_is_before(&reader->cursor, &cursor))
			continue;
		step = wf_steps_describe(
		    reader->steps, store, row, page->end.retirements, err);
		if (step == NULL)
			return err->rc;
		wf_cursor_text(&cursor, id);
		wf_frame_put(&page->text, step, id);
		json_decref(step);
		page->next = cursor;
	}
	return WF_OK;
}

static enum wf_rc read_stream(struct reader *reader, struct wf_store *store,
    struct wf_arena *arena, struct page *page, struct wf_error *err)
{
	struct wf_history_filter filter = {
		.namespace_id = reader->filter.namespace_id,
		.specifications = reader->filter.specifications,
		.after = reader->cursor,
		.limit = PAGE,
	};
	struct wf_history_list list;
	enum wf_rc rc = wf_store_history(store, &filter, arena, &list, err);

	if (rc == WF_OK)
		rc = put_rows(reader, store, &list, page, err);
	if (rc == WF_OK && page->text.length < PAGE_BYTES)
		page->next = list.next;
	return rc;
}

/*
 * Reads all committed steps of one case.  So if there is no further one, and
 * the reader got its position before, it has all steps up to that.
 */
static enum wf_rc read_case(struct reader *reader, struct wf_store *store,
    struct wf_arena *arena, struct page *page, struct wf_error *err)
{
	uint64_t number = reader->filter.number;
	uint64_t after =
	    reader->cursor.number == number ? reader->cursor.sequence : 0;
	struct wf_history_list list = { .count = 0 };
	enum wf_rc rc;

	do {
		wf_arena_reset(arena);
		rc = wf_store_case_history(
		    store, number, after, PAGE, arena, &list, err);
		if (rc == WF_OK)
			rc = put_rows(reader, store, &list, page, err);
		if (list.count > 0)
			after = list.rows[list.count - 1].sequence;
	} while (rc == WF_OK && list.count > 0 && page->text.length == 0);
	if (rc == WF_OK && page->text.length == 0 && reader->has_place &&
	    wf_cursor_is_before(&page->next, &reader->until))
		page->next = reader->until;
	return rc;
}

static enum wf_rc read_page(
    struct reader *reader, struct page *page, struct wf_error *err)
{
	struct wf_engine *engine = reader->streams->engine;
	struct wf_arena *arena;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	if (rc != WF_OK)
		return rc;
	arena = wf_arena_new();
	rc = wf_store_history_end(store, &page->end, err);
	if (rc == WF_OK)
		rc = reader->filter.number != 0
			 ? read_case(reader, store, arena, page, err)
			 : read_stream(reader, store, arena, page, err);
	wf_arena_free(&arena);
	wf_engine_give_back(engine, store);
	return rc;
}

static void free_reader(struct reader *reader)
{
	wf_live_list_free(&reader->list);
	wf_steps_free(&reader->steps);
	wf_buffer_free(&reader->text);
	wf_free(reader->keys);
	wf_free(reader);
}

static void take_page(struct reader *reader, struct page *page)
{
	wf_buffer_free(&reader->text);
	reader->text = page->text;
	reader->held = page->text.length;
	reader->sent = 0;
	reader->cursor = page->next;
	try_live(reader, &page->end);
	wf_exchange_wake(reader->exchange);
}

/*
 * Run by the pool.  While reading is set no other thread changes the cursor or
 * the position, or frees the reader.
 */
static void read_for(void *argument)
{
	struct reader *reader = argument;
	struct wf_streams *streams = reader->streams;
	struct page page = { .next = reader->cursor };
	struct wf_error err = { .rc = WF_OK };
	bool over;
	enum wf_rc rc;

	wf_buffer_init(&page.text, SIZE_MAX / 2);
	rc = read_page(reader, &page, &err);
	pthread_mutex_lock(&streams->lock);
	wf_assert(reader->reading && !reader->live);
	reader->reading = false;
	over = reader->over;
	if (rc == WF_OK && !over &&
	    !wf_exchange_hold(reader->exchange, page.text.length))
		rc = WF_UNAVAILABLE;
	if (!over && rc == WF_OK) {
		take_page(reader, &page);
	} else {
		wf_buffer_free(&page.text);
		if (!over && rc == WF_UNAVAILABLE)
			reader->wants_page = true;
		else if (!over)
			wf_reader_cut(reader);
	}
	pthread_mutex_unlock(&streams->lock);
	if (over)
		free_reader(reader);
}

static void want_page(struct reader *reader)
{
	wf_assert(!reader->reading && !reader->live && !reader->over);
	/* The lock is held, so the job waits until reading is set. */
	reader->reading = wf_pool_do(reader->streams->pool, read_for, reader);
	reader->wants_page = !reader->reading;
}

/* --- lists ---------------------------------------------------------------- */

/*
 * Run by the pool.  While reading is set no other thread uses the list, or
 * frees the reader; frames wait.
 */
static void read_list_for(void *argument)
{
	struct reader *reader = argument;
	struct wf_streams *streams = reader->streams;
	struct wf_error err = { .rc = WF_OK };
	char id[WF_CURSOR_TEXT];
	struct wf_buffer text;
	struct wf_store *store;
	bool over;
	enum wf_rc rc = wf_engine_borrow(streams->engine, &store, &err);

	wf_buffer_init(&text, SIZE_MAX / 2);
	wf_cursor_text(&reader->cursor, id);
	if (rc == WF_OK) {
		rc = wf_live_list_read(reader->list, store, id, &text, &err);
		wf_engine_give_back(streams->engine, store);
	}
	pthread_mutex_lock(&streams->lock);
	wf_assert(reader->reading && reader->list != NULL);
	reader->reading = false;
	over = reader->over;
	if (!over && rc == WF_OK &&
	    !wf_exchange_hold(reader->exchange, text.length))
		rc = WF_UNAVAILABLE;
	if (over || rc != WF_OK) {
		wf_buffer_free(&text);
	} else {
		wf_assert(reader->text.length == 0);
		wf_buffer_free(&reader->text);
		reader->text = text;
		reader->held = text.length;
		reader->sent = 0;
	}
	reader->wants_list = rc == WF_UNAVAILABLE;
	if (!over && rc != WF_OK && rc != WF_UNAVAILABLE)
		wf_reader_cut(reader);
	else if (!over && rc == WF_OK)
		wf_exchange_wake(reader->exchange);
	/* WF_UNAVAILABLE: the next check of the list tries again. */
	pthread_mutex_unlock(&streams->lock);
	if (over)
		free_reader(reader);
}

/* Frames that come meanwhile are reported afterwards: its position stays. */
static void want_list(struct reader *reader)
{
	wf_assert(!reader->reading && reader->live && !reader->over);
	reader->awake = true;
	reader->reading =
	    wf_pool_do(reader->streams->pool, read_list_for, reader);
}

void wf_reader_check_list(struct reader *reader)
{
	if (reader->list == NULL || reader->reading || reader->cut ||
	    reader->over || !reader->live)
		return;
	if (!reader->wants_list && !wf_live_list_is_stale(reader->list))
		return;
	/* A reader that sleeps has got all frames; no frame may be missed. */
	if (!reader->awake)
		reader->frame = reader->streams->last;
	reader->awake = true;
	reader->wants_list = true;
	wf_exchange_wake(reader->exchange);
}

/* What has changed by the next frames, until there is something to report. */
static void take_changes(struct reader *reader)
{
	struct wf_streams *streams = reader->streams;
	char id[WF_CURSOR_TEXT];

	while (reader->text.length == 0 && reader->frame < streams->last) {
		const struct frame *frame =
		    streams->ring[reader->frame++ % WF_FRAMES];

		if (frame->rows == NULL ||
		    !wf_reader_wants(reader, frame->namespace_id, frame->number,
			frame->specification))
			continue;
		reader->cursor = frame->cursor;
		wf_cursor_text(&frame->cursor, id);
		wf_live_list_take(reader->list, frame->rows, id, &reader->text);
	}
}

/* --- what waits ----------------------------------------------------------- */

void wf_reader_retry(struct reader *reader)
{
	if (reader->wants_page && !reader->cut)
		want_page(reader);
}

/* --- what the connection calls -------------------------------------------- */

static size_t take_text(struct reader *reader, char *bytes, size_t size)
{
	size_t rest = reader->text.length - reader->sent;

	wf_assert(reader->sent <= reader->text.length);
	if (rest > size)
		rest = size;
	if (rest == 0)
		return 0;
	memcpy(bytes, reader->text.data + reader->sent, rest);
	reader->sent += rest;
	if (reader->sent == reader->text.length) {
		wf_buffer_free(&reader->text);
		reader->sent = 0;
		wf_exchange_release(reader->exchange, reader->held);
		reader->held = 0;
	}
	return rest;
}

/* Whether it selects the frame, and has not got the step from a page. */
static bool is_for(const struct reader *reader, const struct frame *frame)
{
	return frame->length > 0 &&
	       wf_reader_wants(reader, frame->namespace_id, frame->number,
		   frame->specification) &&
	       wf_cursor_is_before(&reader->cursor, &frame->cursor);
}

static size_t take_frames(struct reader *reader, char *bytes, size_t size)
{
	struct wf_streams *streams = reader->streams;
	size_t used = 0;

	while (used < size && reader->frame < streams->last) {
		const struct frame *frame =
		    streams->ring[reader->frame % WF_FRAMES];
		size_t rest;

		if (reader->offset == 0 && !is_for(reader, frame)) {
			reader->frame++;
			continue;
		}
		wf_assert(frame != NULL && reader->offset < frame->length);
		rest = frame->length - reader->offset;
		if (rest > size - used)
			rest = size - used;
		memcpy(bytes + used, frame->text + reader->offset, rest);
		used += rest;
		reader->offset += rest;
		if (reader->offset == frame->length) {
			reader->cursor = frame->cursor;
			reader->offset = 0;
			reader->frame++;
		}
	}
	reader->awake = used > 0;
	return used;
}

static size_t take_news(struct reader *reader, char *bytes, size_t size)
{
	size_t used;

	take_changes(reader);
	used = take_text(reader, bytes, size);
	reader->awake = used > 0;
	return used;
}

/* The lock is held. */
static ptrdiff_t next_bytes(struct reader *reader, char *bytes, size_t size)
{
	size_t used;

	if (reader->cut)
		return -1;
	used = take_text(reader, bytes, size);
	if (used == 0 && reader->list != NULL && reader->live &&
	    (reader->reading || reader->wants_list)) {
		if (reader->ends)
			return -1;
		if (!reader->reading)
			want_list(reader);
	} else if (used == 0 && reader->live) {
		/* Without a frame for it, its position may have left. */
		if (!reader->awake)
			return reader->ends ? -1 : 0;
		if (reader->frame < reader->streams->first) {
			reader->streams->counts.cut_off++;
			return -1;
		}
		used = reader->list == NULL ? take_frames(reader, bytes, size)
					    : take_news(reader, bytes, size);
		if (used == 0 && reader->ends)
			return -1;
	} else if (used == 0 && reader->ends) {
		return -1;
	} else if (used == 0 && !reader->reading) {
		want_page(reader);
	}
	return (ptrdiff_t)used;
}

static ptrdiff_t next(void *context, char *bytes, size_t size)
{
	struct reader *reader = context;
	ptrdiff_t used;

	pthread_mutex_lock(&reader->streams->lock);
	used = next_bytes(reader, bytes, size);
	if (used > 0)
		reader->sent_at = wf_monotonic_ms();
	pthread_mutex_unlock(&reader->streams->lock);
	return used;
}

static void over(void *context)
{
	struct reader *reader = context;
	struct wf_streams *streams = reader->streams;
	bool reading;

	pthread_mutex_lock(&streams->lock);
	wf_assert(*reader->self == reader && !reader->over);
	wf_assert(streams->counts.readers > 0);
	wf_assert(!reader->has_place || streams->places > 0);
	*reader->self = reader->next;
	if (reader->next != NULL)
		reader->next->self = reader->self;
	if (reader->has_place)
		streams->places--;
	if (reader->list != NULL)
		streams->lists--;
	streams->counts.readers--;
	pthread_cond_signal(&streams->wake);
	reader->over = true;
	reading = reader->reading;
	pthread_mutex_unlock(&streams->lock);
	if (!reading)
		free_reader(reader);
}

/* --- beginning ------------------------------------------------------------ */

static struct reader *make_reader(struct wf_streams *streams,
    struct wf_exchange *exchange, const struct wf_stream_filter *filter,
    const struct wf_cursor *after)
{
	struct reader *reader = wf_calloc(1, sizeof(*reader));
	char id[WF_CURSOR_TEXT];

	reader->streams = streams;
	reader->exchange = exchange;
	reader->filter = *filter;
	reader->keys = wf_malloc(
	    (filter->specifications.count + 1) * sizeof(*reader->keys));
	for (size_t i = 0; i < filter->specifications.count; i++)
		reader->keys[i] = filter->specifications.keys[i];
	reader->filter.specifications.keys = reader->keys;
	reader->filter.participant = NULL; /* the list has a copy */
	reader->filter.known = NULL;
	reader->filter.parts = NULL;
	if (filter->participant != NULL)
		reader->list = wf_live_list_new(filter->parts,
		    filter->namespace_id, filter->participant, filter->known);
	reader->wants_list = reader->list != NULL;
	reader->cursor = *after;
	reader->sent_at = wf_monotonic_ms();
	reader->steps = wf_steps_new(streams->engine, CASES);
	wf_cursor_text(after, id);
	wf_buffer_init(&reader->text, SIZE_MAX / 2);
	wf_buffer_printf(&reader->text, "retry: %d\n", RETRY_MS);
	/* Of a list, the reader keeps its earlier id until the first event. */
	if (reader->list == NULL)
		wf_buffer_printf(&reader->text, "id: %s\n", id);
	wf_buffer_puts(&reader->text, "\n");
	return reader;
}

/* The lock is held. */
static void add_reader(
    struct reader *reader, bool now, const struct wf_live_list_parts *parts)
{
	struct wf_streams *streams = reader->streams;

	reader->self = wf_streams_list(streams, reader->filter.number);
	reader->next = *reader->self;
	if (reader->next != NULL)
		reader->next->self = &reader->next;
	*reader->self = reader;
	streams->counts.readers++;
	if (reader->list != NULL) {
		streams->lists++;
		streams->parts = *parts;
		/* It is at the end of the ring, whatever its cursor was. */
		if (wf_cursor_is_before(&reader->cursor, &streams->end))
			reader->cursor = streams->end;
	}
	if (now)
		try_live(reader, &reader->cursor);
	wf_assert(reader->list == NULL || reader->live);
}

enum wf_rc wf_streams_begin(struct wf_streams *streams,
    struct wf_exchange *exchange, const struct wf_stream_filter *filter,
    const struct wf_cursor *after, bool now, struct wf_error *err)
{
	struct reader *reader = make_reader(streams, exchange, filter, after);
	struct wf_http_stream stream = { next, over, reader };
	bool taken;

	pthread_mutex_lock(&streams->lock);
	taken = !streams->ending &&
		streams->counts.readers < streams->settings.maximum;
	if (taken)
		add_reader(reader, now, filter->parts);
	pthread_mutex_unlock(&streams->lock);
	if (!taken) {
		free_reader(reader);
		return wf_fail(err, WF_UNAVAILABLE,
		    "there are as many streams as there may be");
	}
	wf_exchange_add_header(exchange, "Cache-Control", "no-store");
	wf_exchange_stream(exchange, "text/event-stream", &stream);
	return WF_OK;
}
