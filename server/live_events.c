/* SPDX-License-Identifier: Apache-2.0 */
/* The ring and the thread that fills it. */
#include "server/live_events_priv.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/panic.h"
#include "data/json.h"

#define PAGE 512U
/* The most cases whose names are remembered. */
#define CASES 16384U
/*
 * Between two pages, so that each has several steps.  The thread sleeps: new
 * steps must not shorten the pause, and it is too short to delay the end.
 */
#define BUSY_PAUSE_MS 4
/* Without new steps and without a wake the pause doubles. */
#define FIRST_PAUSE_MS 10
#define LAST_PAUSE_MS 500
#define FAILED_PAUSE_MS 500
/* The most pages that are read when the server ends. */
#define LAST_PAGES 16U
#define TICK_MS 1000
/* At the end, readers that are behind get the history for at most so long. */
#define BEHIND_MS 5000

bool wf_reader_wants(const struct reader *reader, uint32_t namespace_id,
    uint64_t number, uint64_t specification)
{
	const struct wf_stream_filter *filter = &reader->filter;

	return (filter->namespace_id == 0 ||
		   filter->namespace_id == namespace_id) &&
	       (filter->number == 0 || filter->number == number) &&
	       wf_is_specification(&filter->specifications, specification);
}

/* --- the ring ------------------------------------------------------------- */

/* Rows are shared by nobody, and of about this size. */
#define ROW_BYTES 512U

static size_t size_of(const struct frame *frame)
{
	return sizeof(*frame) + frame->length +
	       (frame->rows == NULL ? 0 : frame->rows->list.count * ROW_BYTES);
}

static void free_frame(struct frame **frame)
{
	if (*frame != NULL)
		wf_live_rows_free(&(*frame)->rows);
	wf_free(*frame);
	*frame = NULL;
}

static void drop_first(struct wf_streams *streams)
{
	struct frame **at = &streams->ring[streams->first % WF_FRAMES];

	wf_assert(*at != NULL && streams->first < streams->last);
	wf_assert(streams->counts.bytes >= size_of(*at));
	streams->counts.bytes -= size_of(*at);
	free_frame(at);
	streams->first++;
}

static void clear_ring(struct wf_streams *streams)
{
	while (streams->first < streams->last)
		drop_first(streams);
	wf_assert(streams->counts.bytes == 0);
}

static void inspect_all(
    struct reader *reader, const struct frame *frame, uint64_t place)
{
	for (; reader != NULL; reader = reader->next)
		if ((reader->list == NULL ? frame->length > 0
					  : frame->rows != NULL) &&
		    wf_reader_wants(reader, frame->namespace_id, frame->number,
			frame->specification))
			wf_reader_inspect(reader, place);
}

struct reader **wf_streams_list(struct wf_streams *streams, uint64_t number)
{
	return &streams->readers[number == 0 ? WF_READER_LISTS
					     : number % WF_READER_LISTS];
}

static void push(struct wf_streams *streams, struct frame *frame)
{
	size_t size = size_of(frame);

	while (streams->first < streams->last &&
	       (streams->counts.bytes + size > streams->settings.bytes ||
		   streams->last - streams->first == WF_FRAMES))
		drop_first(streams);
	wf_assert(streams->last - streams->first < WF_FRAMES);
	wf_assert(streams->ring[streams->last % WF_FRAMES] == NULL);
	streams->ring[streams->last % WF_FRAMES] = frame;
	streams->counts.bytes += size;
	streams->counts.steps++;
	streams->last++;
	inspect_all(*wf_streams_list(streams, 0), frame, streams->last - 1);
	inspect_all(
	    *wf_streams_list(streams, frame->number), frame, streams->last - 1);
}

/* --- filling the ring ----------------------------------------------------- */

/* What the thread works with. */
struct following {
	struct wf_streams *streams;
	struct wf_store *store; /* NULL: not borrowed yet */
	struct wf_steps *steps;
	struct wf_arena *arena;
	struct wf_history_list list;
	struct frame **frames; /* of the rows; NULL: no reader selects it */
	bool *wanted;	       /* .. the text of the step */
	bool *listed;	       /* .. the items of the case */
};

void wf_frame_put(struct wf_buffer *text, json_t *step, const char *id)
{
	char *json = wf_json_dump(step, JSON_COMPACT);

	wf_buffer_puts(text, "event: step\nid: ");
	wf_buffer_puts(text, id);
	wf_buffer_puts(text, "\ndata: ");
	wf_buffer_puts(text, json);
	wf_buffer_puts(text, "\n\n");
	free(json);
}

static bool is_wanted_by(const struct reader *reader,
    const struct wf_history_row *row, bool for_list)
{
	for (; reader != NULL; reader = reader->next)
		if (reader->has_place && (reader->list != NULL) == for_list &&
		    wf_reader_wants(reader, row->namespace_id, row->number,
			row->specification))
			return true;
	return false;
}

/* Whether a later row of the page is of the same case. */
static bool is_overtaken(const struct wf_history_list *list, size_t i)
{
	for (size_t k = i + 1; k < list->count; k++)
		if (list->rows[k].number == list->rows[i].number)
			return true;
	return false;
}

/* Readers of lists are in the list of those that select any case. */
static bool is_listed(struct following *following, size_t i)
{
	struct wf_streams *streams = following->streams;

	return streams->lists > 0 && !is_overtaken(&following->list, i) &&
	       is_wanted_by(*wf_streams_list(streams, 0),
		   &following->list.rows[i], true);
}

/* What selected rows lack.  The lock is held. */
static bool mark(struct following *following)
{
	struct wf_streams *streams = following->streams;
	bool any = false;

	for (size_t i = 0; i < following->list.count; i++) {
		const struct wf_history_row *row = &following->list.rows[i];
		const struct frame *frame = following->frames[i];

		following->wanted[i] =
		    (frame == NULL || frame->length == 0) &&
		    (is_wanted_by(*wf_streams_list(streams, 0), row, false) ||
			is_wanted_by(*wf_streams_list(streams, row->number),
			    row, false));
		following->listed[i] = (frame == NULL || frame->rows == NULL) &&
				       is_listed(following, i);
		any |= following->wanted[i] || following->listed[i];
	}
	return any;
}

/* Audiences that another node has made are read a moment before their time. */
static enum wf_rc know_audiences(struct following *following,
    const struct wf_item_list *list, struct wf_error *err)
{
	struct wf_audiences *audiences = following->streams->parts.audiences;

	for (size_t i = 0; i < list->count; i++)
		if (!wf_audiences_know(audiences, list->rows[i].queue))
			return wf_audiences_refresh(
			    audiences, following->store, err);
	return WF_OK;
}

static enum wf_rc add_rows(
    struct following *following, struct frame *frame, struct wf_error *err)
{
	enum wf_rc rc = wf_live_rows_read(
	    following->store, frame->number, &frame->rows, err);

	return rc == WF_OK ? know_audiences(following, &frame->rows->list, err)
			   : rc;
}

/* Appends the text of the step to the frame, which may move. */
static enum wf_rc add_text(
    struct following *following, size_t i, struct wf_error *err)
{
	const struct wf_history_row *row = &following->list.rows[i];
	struct frame *frame = following->frames[i];
	char id[WF_CURSOR_TEXT];
	struct wf_buffer text;
	json_t *step = wf_steps_describe(following->steps, following->store,
	    row, following->list.next.retirements, err);

	if (step == NULL)
		return err->rc;
	wf_cursor_text(&frame->cursor, id);
	wf_buffer_init(&text, SIZE_MAX / 2);
	wf_frame_put(&text, step, id);
	json_decref(step);
	frame = wf_realloc(frame, sizeof(*frame) + text.length);
	memcpy(frame->text, text.data, text.length);
	frame->length = text.length;
	wf_buffer_free(&text);
	following->frames[i] = frame;
	return WF_OK;
}

static enum wf_rc make_frame(
    struct following *following, size_t i, struct wf_error *err)
{
	const struct wf_history_row *row = &following->list.rows[i];
	uint64_t retirements = following->list.next.retirements;
	struct frame *frame = following->frames[i];
	enum wf_rc rc = WF_OK;

	if (frame == NULL) {
		frame = wf_calloc(1, sizeof(*frame));
		frame->cursor = (struct wf_cursor){ row->position, row->number,
			row->sequence, retirements };
		frame->namespace_id = row->namespace_id;
		frame->number = row->number;
		frame->specification = row->specification;
		following->frames[i] = frame;
	}
	if (following->listed[i])
		rc = add_rows(following, frame, err);
	if (rc == WF_OK && following->wanted[i])
		rc = add_text(following, i, err);
	return rc;
}

static enum wf_rc make_frames(struct following *following, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < following->list.count; i++)
		if (following->wanted[i] || following->listed[i])
			rc = make_frame(following, i, err);
	return rc;
}

static void drop_frames(struct following *following)
{
	for (size_t i = 0; i < following->list.count; i++)
		free_frame(&following->frames[i]);
}

static enum wf_rc read_page(struct following *following, struct wf_error *err)
{
	struct wf_streams *streams = following->streams;
	struct wf_history_filter filter = { .limit = PAGE,
		.after = streams->end };
	enum wf_rc rc = WF_OK;

	wf_arena_reset(following->arena);
	if (following->store == NULL)
		rc = wf_engine_borrow(streams->engine, &following->store, err);
	if (rc == WF_OK)
		rc = wf_store_history(following->store, &filter,
		    following->arena, &following->list, err);
	if (rc != WF_OK)
		return rc;
	following->frames = wf_arena_array(following->arena,
	    following->list.count, sizeof(*following->frames));
	following->wanted = wf_arena_array(following->arena,
	    following->list.count, sizeof(*following->wanted));
	following->listed = wf_arena_array(following->arena,
	    following->list.count, sizeof(*following->listed));
	return WF_OK;
}

/*
 * Reads the next page.  Readers come and go while frames are made without the
 * lock; so their selections are compared until no frame is missing.
 */
static enum wf_rc follow(struct following *following, struct wf_error *err)
{
	struct wf_streams *streams = following->streams;
	enum wf_rc rc = read_page(following, err);

	if (rc != WF_OK)
		return rc;
	for (;;) {
		pthread_mutex_lock(&streams->lock);
		if (!mark(following))
			break;
		pthread_mutex_unlock(&streams->lock);
		rc = make_frames(following, err);
		if (rc != WF_OK) {
			drop_frames(following);
			return rc;
		}
	}
	for (size_t i = 0; i < following->list.count; i++)
		if (following->frames[i] != NULL)
			push(streams, following->frames[i]);
	wf_assert(streams->following); /* only this thread moves the end */
	streams->end = following->list.next;
	streams->following = false;
	pthread_mutex_unlock(&streams->lock);
	return WF_OK;
}

/* --- the thread ----------------------------------------------------------- */

typedef void (*for_reader_f)(struct reader *reader, void *context);

static void for_all(
    struct wf_streams *streams, for_reader_f what, void *context)
{
	for (size_t i = 0; i <= WF_READER_LISTS; i++)
		for (struct reader *reader = streams->readers[i];
		     reader != NULL; reader = reader->next)
			what(reader, context);
}

static void tick(struct reader *reader, void *now)
{
	wf_reader_retry(reader);
	wf_reader_check_list(reader);
	wf_reader_sign(reader, *(const int64_t *)now);
}

static void cut(struct reader *reader, void *unused)
{
	(void)unused;
	wf_reader_cut(reader);
}

static void end(struct reader *reader, void *unused)
{
	(void)unused;
	wf_reader_end(reader);
}

static void cut_stranger(struct reader *reader, void *accounts)
{
	if (!wf_accounts_has(accounts, &reader->filter.account))
		wf_reader_cut(reader);
}

/* Waits, unless woken already.  The lock is held. */
static void wait_for(struct wf_streams *streams, int64_t milliseconds)
{
	if (!streams->woken && !streams->ending)
		(void)wf_wait_until(&streams->wake, &streams->lock,
		    wf_monotonic_ms() + milliseconds);
}

/*
 * Reads a page; returns how long to wait, in ms.  The lock is held before and
 * after.
 */
static int64_t turn(struct following *following, int64_t pause)
{
	struct wf_streams *streams = following->streams;
	const struct timespec busy = { .tv_nsec = BUSY_PAUSE_MS * 1000000L };
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc;

	wf_assert(!streams->following);
	streams->following = true;
	pthread_mutex_unlock(&streams->lock);
	rc = follow(following, &err);
	if (rc == WF_OK && following->list.count > 0)
		nanosleep(&busy, NULL);
	pthread_mutex_lock(&streams->lock);
	streams->following = false;
	if (rc == WF_GONE)
		for_all(streams, cut, NULL);
	if (rc != WF_OK)
		return FAILED_PAUSE_MS;
	if (following->list.count == PAGE)
		return 0;
	if (following->list.count > 0)
		return FIRST_PAUSE_MS;
	return pause * 2 < LAST_PAUSE_MS ? pause * 2 : LAST_PAUSE_MS;
}

static void find_behind(struct reader *reader, void *found)
{
	*(bool *)found |= !reader->live && !reader->cut;
	wf_reader_retry(reader);
}

/* Readers that are behind read on, for a while.  The lock is held. */
static void await_readers(struct wf_streams *streams)
{
	int64_t until = wf_monotonic_ms() + BEHIND_MS;
	int64_t now;
	bool found;

	for (;;) {
		found = false;
		for_all(streams, find_behind, &found);
		now = wf_monotonic_ms();
		if (!found || now >= until)
			return;
		(void)wf_wait_until(&streams->wake, &streams->lock,
		    now + TICK_MS < until ? now + TICK_MS : until);
	}
}

/*
 * Readers get what was committed before the end began, so that who has the
 * answer to a command and then ends the server finds its step in the streams.
 * The lock is held.
 */
static void finish(struct following *following)
{
	struct wf_streams *streams = following->streams;

	await_readers(streams);
	following->list.count = PAGE;
	for (unsigned i = 0;
	     i < LAST_PAGES && streams->places > 0 && following->list.count > 0;
	     i++) {
		following->list.count = 0;
		(void)turn(following, 0);
	}
	for_all(streams, end, NULL);
}

static void *run(void *argument)
{
	struct wf_streams *streams = argument;
	struct following following = { .streams = streams,
		.steps = wf_steps_new(streams->engine, CASES),
		.arena = wf_arena_new() };
	int64_t ticked = wf_monotonic_ms();
	int64_t pause = FIRST_PAUSE_MS;
	int64_t now;

	pthread_mutex_lock(&streams->lock);
	while (!streams->ending) {
		streams->woken = false;
		if (streams->places > 0) {
			pause = turn(&following, pause);
		} else {
			clear_ring(streams);
			pause = TICK_MS;
		}
		now = wf_monotonic_ms();
		if (now >= ticked + TICK_MS) {
			for_all(streams, tick, &now);
			ticked = now;
		}
		if (pause > 0)
			wait_for(streams, pause);
	}
	finish(&following);
	pthread_mutex_unlock(&streams->lock);
	wf_steps_free(&following.steps);
	wf_arena_free(&following.arena);
	if (following.store != NULL)
		wf_engine_give_back(streams->engine, following.store);
	return NULL;
}

/* --- opening and closing -------------------------------------------------- */

struct wf_streams *wf_streams_new(const struct wf_streams_settings *settings)
{
	struct wf_streams *streams = wf_calloc(1, sizeof(*streams));

	streams->settings = *settings;
	pthread_mutex_init(&streams->lock, NULL);
	wf_condition_init(&streams->wake);
	return streams;
}

enum wf_rc wf_streams_start(struct wf_streams *streams,
    struct wf_engine *engine, struct wf_pool *pool, struct wf_error *err)
{
	wf_assert(!streams->has_thread);
	streams->engine = engine;
	streams->pool = pool;
	if (pthread_create(&streams->thread, NULL, run, streams) != 0)
		return wf_fail(err, WF_IO, "no thread can be made");
	streams->has_thread = true;
	return WF_OK;
}

void wf_streams_end(struct wf_streams *streams)
{
	pthread_mutex_lock(&streams->lock);
	streams->ending = true;
	if (!streams->has_thread)
		for_all(streams, cut, NULL);
	pthread_cond_signal(&streams->wake);
	pthread_mutex_unlock(&streams->lock);
	if (streams->has_thread)
		pthread_join(streams->thread, NULL);
	streams->has_thread = false;
}

void wf_streams_free(struct wf_streams **streams)
{
	struct wf_streams *old = *streams;

	*streams = NULL;
	if (old == NULL)
		return;
	wf_assert(!old->has_thread);
	wf_assert(old->counts.readers == 0 && old->places == 0);
	clear_ring(old);
	pthread_cond_destroy(&old->wake);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

void wf_streams_check(struct wf_streams *streams, struct wf_accounts *accounts)
{
	pthread_mutex_lock(&streams->lock);
	for_all(streams, cut_stranger, accounts);
	pthread_mutex_unlock(&streams->lock);
}

void wf_streams_wake(struct wf_streams *streams)
{
	pthread_mutex_lock(&streams->lock);
	if (streams->places > 0) {
		streams->woken = true;
		pthread_cond_signal(&streams->wake);
	}
	pthread_mutex_unlock(&streams->lock);
}

void wf_streams_counts(
    struct wf_streams *streams, struct wf_streams_counts *counts_out)
{
	pthread_mutex_lock(&streams->lock);
	*counts_out = streams->counts;
	pthread_mutex_unlock(&streams->lock);
}
