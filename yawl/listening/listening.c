/* SPDX-License-Identifier: Apache-2.0 */
#include "yawl/listening/listening.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "data/xml_writer.h"
#include "history/case_reader.h"
#include "http/fetch.h"
#include "http/http_client.h"
#include "work/follower.h"
#include "worklist/audiences.h"
#include "worklist/listeners.h"
#include "yawl/resource/work_history.h"

#define RECORD_KIND "follower"
#define RECORD_NAME "listeners"
#define TURN_MS 1000
#define POST_MS 3000
#define PAUSE_MAXIMUM_MS 60000
/* What could not be posted for so long is lost. */
#define GIVE_UP_MS INT64_C(3600000)
#define ANSWER_BYTES 65536U
#define FORM_BYTES 65536U
/* Of each listener; with more open items a history is read again. */
#define CASES 16U
#define ITEMS 2000U
#define EVENTS 100000U /* of one step, at most */
#define STEPS 1000U    /* that are read at once */

struct listener {
	struct listener *next;
	enum wf_listener_kind kind;
	char *name;
	char *uri;
	struct wf_cursor cursor; /* the steps before were posted */
	size_t event;		 /* so were those of the step behind it */
	unsigned failures;	 /* one after another */
	int64_t failing_since;	 /* by wf_monotonic_ms(), as the next one */
	int64_t next_at;
	struct wf_work_history *cases[CASES]; /* newest first; then NULL */
};

struct wf_listening {
	struct wf_server *server;
	struct wf_follower *follower;
	struct wf_listeners *listeners; /* as they are in the store */
	struct listener *first;
	uint64_t version; /* of who listens */
};

/* What became of a turn. */
enum turn {
	TURN_DONE,  /* there is nothing more */
	TURN_MORE,  /* its time is over */
	TURN_FAILED /* the rest is for later */
};

static bool is_stopping(const struct wf_listening *listening)
{
	return atomic_load(wf_follower_stopping(listening->follower));
}

/* --- listeners ------------------------------------------------------------ */

static void forget_case(struct listener *listener, size_t i)
{
	wf_work_history_free(&listener->cases[i]);
	for (; i + 1 < CASES; i++)
		listener->cases[i] = listener->cases[i + 1];
	listener->cases[CASES - 1] = NULL;
}

static void free_listener(struct listener *listener)
{
	for (size_t i = 0; i < CASES; i++)
		wf_work_history_free(&listener->cases[i]);
	wf_free(listener->name);
	wf_free(listener->uri);
	wf_free(listener);
}

static void free_all(struct listener *first)
{
	while (first != NULL) {
		struct listener *next = first->next;

		free_listener(first);
		first = next;
	}
}

/* Takes the listener of that name out of those there were, or makes one. */
static struct listener *take_listener(struct wf_listening *listening,
    const struct wf_listener *row, const json_t *places)
{
	struct listener **at = &listening->first;
	const json_t *place = json_object_get(places, row->name);
	struct listener *listener;

	while (*at != NULL && strcmp((*at)->name, row->name) != 0)
		at = &(*at)->next;
	listener = *at;
	if (listener != NULL) {
		*at = listener->next;
		return listener;
	}
	listener = wf_calloc(1, sizeof(*listener));
	listener->kind = row->kind;
	listener->name = wf_strdup(row->name);
	listener->uri = wf_strdup(row->uri);
	/* A place before that is of one of the same name that was removed. */
	if (wf_follower_read_cursor(place, "cursor", &listener->cursor) &&
	    !wf_cursor_is_before(&listener->cursor, &row->from))
		listener->event =
		    (size_t)json_integer_value(json_object_get(place, "event"));
	else
		listener->cursor = row->from;
	return listener;
}

/* Reads who listens, and what waits.  places: of new ones, or NULL. */
static bool read_listeners(struct wf_listening *listening,
    struct wf_store *store, const json_t *places)
{
	bool good =
	    wf_listeners_refresh(listening->listeners, store, NULL) == WF_OK;
	uint64_t version = wf_listeners_version(listening->listeners);
	struct listener *first = NULL;
	struct wf_listener_list list;
	struct wf_arena *arena;

	if (!good || version == listening->version)
		return good;
	arena = wf_arena_new();
	list = wf_listeners_all(listening->listeners, arena);
	for (size_t i = list.count; i > 0; i--) {
		struct listener *listener =
		    take_listener(listening, &list.rows[i - 1], places);

		listener->next = first;
		first = listener;
	}
	free_all(listening->first);
	listening->first = first;
	listening->version = version;
	wf_arena_free(&arena);
	return true;
}

/* --- the record ----------------------------------------------------------- */

static bool read_record(
    void *context, struct wf_store *store, const json_t *record)
{
	struct wf_listening *listening = context;

	free_all(listening->first);
	listening->first = NULL;
	listening->version = 0;
	/* Without listeners nothing is written. */
	return read_listeners(
		   listening, store, json_object_get(record, "places")) &&
	       listening->first != NULL;
}

static void write_record(void *context, json_t *record)
{
	const struct wf_listening *listening = context;
	json_t *places = json_object();

	for (const struct listener *l = listening->first; l != NULL;
	     l = l->next) {
		json_t *place = json_object();

		if (l->kind != WF_LISTENER_OF_WORK) {
			json_decref(place);
			continue;
		}
		wf_follower_put_cursor(place, "cursor", &l->cursor);
		json_object_set_new(
		    place, "event", json_integer((json_int_t)l->event));
		json_object_set_new(places, l->name, place);
	}
	json_object_set_new(record, "places", places);
}

/* --- posting -------------------------------------------------------------- */

static bool is_for_later(enum wf_rc rc, unsigned status)
{
	if (rc != WF_OK)
		return rc != WF_LIMIT && rc != WF_INVALID;
	return status >= 500 || status == 408 || status == 425 || status == 429;
}

static int64_t pause_after(unsigned failures)
{
	int64_t pause = 1000;

	while (failures-- > 1 && pause < PAUSE_MAXIMUM_MS)
		pause *= 2;
	return pause < PAUSE_MAXIMUM_MS ? pause : PAUSE_MAXIMUM_MS;
}

/* False: not now. */
static bool post(struct wf_listening *listening, struct listener *listener,
    const struct wf_buffer *form)
{
	struct wf_listening_counts *counts = &listening->server->listening;
	struct wf_fetch fetch = { .url = listener->uri,
		.method = "POST",
		.type = "application/x-www-form-urlencoded",
		.body = wf_buffer_text(form),
		.allowed = &listening->server->settings.sender.allowed,
		.timeout_ms = POST_MS,
		.stop = wf_follower_stopping(listening->follower) };
	struct wf_buffer answer;
	unsigned status = 0;
	enum wf_rc rc;

	wf_buffer_init(&answer, ANSWER_BYTES);
	rc = wf_http_fetch(&fetch, &answer, &status, NULL);
	wf_buffer_free(&answer);
	if (!is_for_later(rc, status)) {
		listener->failures = 0;
		atomic_fetch_add(rc == WF_OK && status < 300 ? &counts->sent
							     : &counts->refused,
		    1);
		wf_follower_note(listening->follower);
		return true;
	}
	if (is_stopping(listening))
		return false;
	atomic_fetch_add(&counts->failed, 1);
	if (listener->failures++ == 0)
		listener->failing_since = wf_monotonic_ms();
	listener->next_at = wf_monotonic_ms() + pause_after(listener->failures);
	return false;
}

static void put_field(
    struct wf_buffer *form, const char *name, const char *value)
{
	wf_buffer_printf(form, "%s%s=", form->length == 0 ? "" : "&", name);
	wf_client_escape(form, value);
}

/* --- the work of people --------------------------------------------------- */

/* The events of one step, as XML. */
struct collecting {
	struct wf_arena *arena;
	uint64_t sequence;
	char **rows;
	size_t count;
	size_t room;
};

static void collect(void *context, const struct wf_work_event *event)
{
	struct collecting *all = context;
	struct wf_buffer xml;

	if (event->sequence != all->sequence || all->count == EVENTS)
		return;
	all->rows = wf_arena_grow(
	    all->arena, all->rows, all->count, &all->room, sizeof(*all->rows));
	wf_buffer_init(&xml, FORM_BYTES);
	wf_work_event_put(&xml, event);
	all->rows[all->count++] =
	    wf_arena_strdup(all->arena, wf_buffer_text(&xml));
	wf_buffer_free(&xml);
}

/* The history of the row's case before the row; NULL: it is there no more. */
static struct wf_work_history *find_case(struct wf_listening *listening,
    struct wf_store *store, struct listener *listener,
    const struct wf_history_row *row, struct wf_error *err)
{
	struct wf_arena *arena;
	struct wf_stored_case stored;
	struct wf_work_history *history = NULL;
	size_t i = 0;

	while (i < CASES && listener->cases[i] != NULL &&
	       wf_work_history_number(listener->cases[i]) != row->number)
		i++;
	if (i < CASES && listener->cases[i] != NULL &&
	    wf_work_history_done(listener->cases[i]) < row->sequence) {
		history = listener->cases[i];
		listener->cases[i] = NULL;
	}
	forget_case(listener, i < CASES ? i : CASES - 1);
	if (history == NULL) {
		arena = wf_arena_new();
		if (wf_store_case(store, row->number, false, arena, &stored,
			err) == WF_OK)
			history = wf_work_history_new(listening->server,
			    row->number, stored.row.name, row->specification);
		wf_arena_free(&arena);
	}
	if (history == NULL)
		return NULL;
	/* The last place is free: one has been forgotten. */
	memmove(&listener->cases[1], &listener->cases[0],
	    (CASES - 1) * sizeof(listener->cases[0]));
	listener->cases[0] = history;
	return history;
}

/* Another try would end in the same way: the step is passed over. */
static bool is_lasting(enum wf_rc rc)
{
	return rc == WF_CORRUPT || rc == WF_NOT_FOUND || rc == WF_GONE ||
	       rc == WF_BUG;
}

/* A long history is read in several turns. */
static enum turn read_step(struct wf_listening *listening,
    struct wf_store *store, struct listener *listener,
    const struct wf_history_row *row, int64_t end, struct collecting *all)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_work_history *history =
	    find_case(listening, store, listener, row, &err);
	uint64_t done = history == NULL ? 0 : wf_work_history_done(history);
	enum wf_rc rc = history == NULL ? err.rc : WF_OK;

	while (rc == WF_OK && done < row->sequence) {
		done =
		    row->sequence - done > STEPS ? done + STEPS : row->sequence;
		rc = wf_work_history_go_on(
		    history, store, done, collect, all, &err);
		if (rc == WF_OK && done < row->sequence &&
		    (is_stopping(listening) || wf_monotonic_ms() >= end))
			return TURN_MORE;
	}
	if (history != NULL &&
	    (rc != WF_OK || wf_work_history_items(history) > ITEMS))
		forget_case(listener, 0);
	return rc == WF_OK || is_lasting(rc) ? TURN_DONE : TURN_FAILED;
}

/* Without one that is kept no more the event goes as it is. */
static struct wf_specification_row read_specification(
    struct wf_store *store, uint64_t key, struct wf_arena *arena)
{
	struct wf_specification_row row;

	if (wf_store_specification(
		store, WF_NAMESPACE_DEFAULT, key, arena, &row, NULL) != WF_OK)
		row = (struct wf_specification_row){
			.identifier = "", .version = "", .uri = ""
		};
	return row;
}

static void write_form(struct wf_buffer *form,
    const struct wf_specification_row *specification, const char *event)
{
	wf_buffer_reset(form);
	put_field(form, "action", "1");
	put_field(form, "specidentifier", specification->identifier);
	put_field(form, "specversion", specification->version);
	put_field(form, "specuri", specification->uri);
	put_field(form, "event", event);
}

static enum turn post_step(struct wf_listening *listening,
    struct wf_store *store, struct listener *listener,
    const struct wf_history_row *row, int64_t end)
{
	struct wf_arena *arena = wf_arena_new();
	struct collecting all = { .arena = arena, .sequence = row->sequence };
	struct wf_specification_row specification = { .key = 0 };
	struct wf_buffer form;
	enum turn turn = read_step(listening, store, listener, row, end, &all);

	if (turn == TURN_DONE && listener->event < all.count)
		specification =
		    read_specification(store, row->specification, arena);
	wf_buffer_init(&form, 4 * FORM_BYTES);
	while (turn == TURN_DONE && listener->event < all.count) {
		write_form(&form, &specification, all.rows[listener->event]);
		if (!post(listening, listener, &form))
			turn = TURN_FAILED;
		else
			listener->event++;
		if (turn == TURN_DONE && listener->event < all.count &&
		    wf_monotonic_ms() >= end)
			turn = TURN_MORE;
	}
	wf_buffer_free(&form);
	wf_arena_free(&arena);
	return turn;
}

/* Of the events that the log of work is made from. */
static void note_kind(void *context, const struct wf_event *event)
{
	*(bool *)context |= wf_work_history_hears(event->kind);
}

static bool is_work(const struct wf_history_row *row)
{
	bool is = false;

	return row->namespace_id == WF_NAMESPACE_DEFAULT &&
	       wf_history_decode(row, NULL, note_kind, &is, NULL) == WF_OK &&
	       is;
}

static enum turn follow(struct wf_listening *listening, struct wf_store *store,
    struct listener *listener, int64_t end)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_history_list list = { .count = 0 };
	bool good =
	    wf_follower_page(store, &listener->cursor, arena, &list) == WF_OK;
	enum turn turn;

	/* Whoever the steps offer to was stored before them. */
	if (good && list.count > 0)
		good = wf_audiences_refresh(
			   listening->server->audiences, store, NULL) == WF_OK;
	turn = good ? TURN_DONE : TURN_FAILED;

	for (size_t i = 0; turn == TURN_DONE && i < list.count; i++) {
		const struct wf_history_row *row = &list.rows[i];

		if (is_work(row))
			turn = post_step(listening, store, listener, row, end);
		if (turn != TURN_DONE)
			break;
		listener->cursor =
		    wf_follower_behind(row, list.next.retirements);
		listener->event = 0;
		if (wf_monotonic_ms() >= end)
			turn = TURN_MORE;
	}
	if (turn == TURN_DONE) {
		listener->cursor = list.next;
		listener->event = 0;
		if (list.count > 0)
			turn = TURN_MORE;
	}
	wf_arena_free(&arena);
	return turn;
}

/* --- the calendar --------------------------------------------------------- */

static void write_news(
    struct wf_buffer *form, const struct wf_status_news *news)
{
	struct wf_buffer xml;

	wf_buffer_init(&xml, FORM_BYTES);
	wf_buffer_puts(&xml, "<StatusChange>");
	wf_xml_put_optional(&xml, "CaseId", news->case_id);
	wf_xml_put_optional(&xml, "ActivityName", news->activity);
	wf_buffer_printf(
	    &xml, "<ReservationId>%" PRIu64 "</ReservationId>", news->entry);
	wf_buffer_puts(&xml, "<Resource>");
	wf_xml_put_element(&xml, "Id", news->resource);
	wf_buffer_puts(&xml, "</Resource>");
	wf_xml_put_element(&xml, "OldStatus", news->before);
	wf_xml_put_element(&xml, "NewStatus", news->after);
	wf_buffer_puts(&xml, "</StatusChange>");
	put_field(form, "action", "0");
	put_field(form, "xml", wf_buffer_text(&xml));
	wf_buffer_free(&xml);
}

static enum turn report(struct wf_listening *listening, struct wf_store *store,
    struct listener *listener, int64_t end)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_buffer form;
	size_t count = 0;
	bool good =
	    wf_listeners_refresh(listening->listeners, store, NULL) == WF_OK;
	const struct wf_status_news *news = wf_status_news_of(
	    listening->listeners, listener->name, arena, &count);
	enum turn turn = good ? TURN_DONE : TURN_FAILED;

	wf_buffer_init(&form, 4 * FORM_BYTES);
	for (size_t i = 0; turn == TURN_DONE && i < count; i++) {
		wf_buffer_reset(&form);
		write_news(&form, &news[i]);
		if (!post(listening, listener, &form) ||
		    wf_status_news_remove(store, news[i].name, NULL) != WF_OK)
			turn = TURN_FAILED;
		else if (wf_monotonic_ms() >= end)
			turn = TURN_MORE;
	}
	wf_buffer_free(&form);
	wf_arena_free(&arena);
	return turn;
}

/* Removes what a listener (NULL: one that is no more) is not to hear. */
static void drop_news(struct wf_listening *listening, struct wf_store *store,
    const struct listener *listener)
{
	struct wf_arena *arena = wf_arena_new();
	size_t count;
	const struct wf_status_news *news =
	    wf_status_news_of(listening->listeners,
		listener == NULL ? NULL : listener->name, arena, &count);

	for (size_t i = 0; i < count; i++) {
		const struct listener *l = listening->first;

		while (l != NULL && strcmp(l->name, news[i].listener) != 0)
			l = l->next;
		if (l == listener)
			(void)(wf_status_news_remove(
				   store, news[i].name, NULL) == WF_OK);
	}
	wf_arena_free(&arena);
}

/* --- rounds --------------------------------------------------------------- */

/* What a listener that has failed for too long has missed is lost to it. */
static void give_up(struct wf_listening *listening, struct wf_store *store,
    struct listener *listener)
{
	if (listener->failures == 0 ||
	    wf_monotonic_ms() - listener->failing_since < GIVE_UP_MS)
		return;
	if (listener->kind == WF_LISTENER_OF_CALENDAR)
		drop_news(listening, store, listener);
	else if (wf_store_history_end(store, &listener->cursor, NULL) == WF_OK)
		listener->event = 0;
	listener->failures = 0;
	atomic_fetch_add(&listening->server->listening.given_up, 1);
}

/* Whether it has more to hear at once. */
static bool take_turn(struct wf_listening *listening, struct wf_store *store,
    struct listener *listener)
{
	int64_t begin = wf_monotonic_ms();
	int64_t took;
	enum turn turn;

	if (begin < listener->next_at)
		return false;
	turn = (listener->kind == WF_LISTENER_OF_WORK ? follow : report)(
	    listening, store, listener, begin + TURN_MS);
	took = wf_monotonic_ms() - begin;
	if (turn == TURN_FAILED)
		give_up(listening, store, listener);
	else if (took >= TURN_MS)
		listener->next_at = begin + 2 * took;
	return turn == TURN_MORE && took < TURN_MS;
}

static bool run_round(void *context, struct wf_store *store)
{
	struct wf_listening *listening = context;
	uint64_t version = listening->version;
	bool more = false;

	if (!read_listeners(listening, store, NULL))
		return false;
	if (listening->first == NULL) {
		drop_news(listening, store, NULL);
		wf_follower_rest(listening->follower, store);
		return false;
	}
	if (listening->version != version)
		drop_news(listening, store, NULL);
	for (struct listener *l = listening->first; l != NULL; l = l->next) {
		if (is_stopping(listening))
			return false;
		more |= take_turn(listening, store, l);
		if (!wf_follower_save(listening->follower, store, false))
			return false;
	}
	return wf_follower_save(listening->follower, store, false) && more;
}

/* --- opening and closing -------------------------------------------------- */

enum wf_rc wf_listening_open(struct wf_listening **listening_out,
    struct wf_server *server, struct wf_error *err)
{
	struct wf_listening *listening = wf_calloc(1, sizeof(*listening));
	const struct wf_following following = { .kind = RECORD_KIND,
		.name = RECORD_NAME,
		.read = read_record,
		.write = write_record,
		.round = run_round,
		.context = listening };

	listening->server = server;
	listening->listeners = wf_listeners_new();
	listening->follower = wf_follower_new(server->engine, &following);
	*listening_out = listening;
	if (wf_follower_start(listening->follower, err) == WF_OK)
		return WF_OK;
	wf_listening_close(listening_out);
	return err->rc;
}

void wf_listening_wake(struct wf_listening *listening)
{
	if (listening != NULL)
		wf_follower_wake(listening->follower);
}

void wf_listening_stop(struct wf_listening *listening)
{
	if (listening != NULL)
		wf_follower_stop(listening->follower);
}

void wf_listening_close(struct wf_listening **listening)
{
	struct wf_listening *old = *listening;

	*listening = NULL;
	if (old == NULL)
		return;
	wf_listening_stop(old);
	free_all(old->first);
	wf_listeners_free(&old->listeners);
	wf_follower_free(&old->follower);
	wf_free(old);
}
