/* SPDX-License-Identifier: Apache-2.0 */
#include "worklist/listeners.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/codec.h"
#include "history/steps.h"
#include "persistence/record_cache.h"
#include "worklist/entry_priv.h"

#define LISTENER_KIND "listener"
#define NEWS_KIND "status-news"

static const char *const words[] = { "work", "calendar" };

struct wf_listeners {
	struct wf_record_cache *cache;
	struct wf_record_cache *news;
};

/* --- records -------------------------------------------------------------- */

/* "work 0123456789abcdef" */
static const char *name_of(
    enum wf_listener_kind kind, const char *uri, struct wf_arena *arena)
{
	return wf_arena_printf(
	    arena, "%s %016" PRIx64, words[kind], wf_hash(0, uri, strlen(uri)));
}

static struct wf_bytes write_listener(
    const struct wf_listener *listener, struct wf_arena *arena)
{
	char from[WF_CURSOR_TEXT];

	wf_cursor_text(&listener->from, from);
	return wf_entry_value(json_pack("{s:s,s:s,s:s,s:s}", "hears",
				  words[listener->kind], "uri", listener->uri,
				  "account", listener->account, "from", from),
	    arena);
}

static bool read_listener(
    const struct wf_record_row *row, void *entry, struct wf_arena *arena)
{
	struct wf_listener *listener = entry;
	json_t *object = json_loadb(row->value.data, row->value.size, 0, NULL);
	const char *word = wf_entry_text(object, "hears", arena);
	const char *from = wf_entry_text(object, "from", arena);
	bool good = wf_cursor_parse(from, &listener->from);

	listener->kind = strcmp(word, words[WF_LISTENER_OF_CALENDAR]) == 0
			     ? WF_LISTENER_OF_CALENDAR
			     : WF_LISTENER_OF_WORK;
	listener->name = wf_arena_strdup(arena, row->name);
	listener->uri = wf_entry_text(object, "uri", arena);
	listener->account = wf_entry_text(object, "account", arena);
	json_decref(object);
	return good && listener->uri[0] != '\0';
}

static void copy_listener(const void *from, void *to, struct wf_arena *arena)
{
	const struct wf_listener *listener = from;
	struct wf_listener *copy = to;

	*copy = *listener;
	copy->name = wf_arena_strdup(arena, listener->name);
	copy->uri = wf_arena_strdup(arena, listener->uri);
	copy->account = wf_arena_strdup(arena, listener->account);
}

static const struct wf_record_kind listener_kind = { .kind = LISTENER_KIND,
	.size = sizeof(struct wf_listener),
	.read = read_listener,
	.copy = copy_listener };

static bool read_news(
    const struct wf_record_row *row, void *entry, struct wf_arena *arena)
{
	json_t *object = json_loadb(row->value.data, row->value.size, 0, NULL);

	*(struct wf_status_news *)entry =
	    (struct wf_status_news){ .name = wf_arena_strdup(arena, row->name),
		    .listener = wf_entry_text(object, "listener", arena),
		    .entry = (uint64_t)json_integer_value(
			json_object_get(object, "entry")),
		    .resource = wf_entry_text(object, "resource", arena),
		    .case_id = wf_entry_text(object, "case", arena),
		    .activity = wf_entry_text(object, "activity", arena),
		    .before = wf_entry_text(object, "before", arena),
		    .after = wf_entry_text(object, "after", arena),
		    .at = json_integer_value(json_object_get(object, "at")) };
	json_decref(object);
	/* Without a listener it would stay for ever. */
	return true;
}

static void copy_news(const void *from, void *to, struct wf_arena *arena)
{
	const struct wf_status_news *news = from;
	struct wf_status_news *copy = to;

	*copy = *news;
	copy->name = wf_arena_strdup(arena, news->name);
	copy->listener = wf_arena_strdup(arena, news->listener);
	copy->resource = wf_arena_strdup(arena, news->resource);
	copy->case_id = wf_arena_strdup(arena, news->case_id);
	copy->activity = wf_arena_strdup(arena, news->activity);
	copy->before = wf_arena_strdup(arena, news->before);
	copy->after = wf_arena_strdup(arena, news->after);
}

static const struct wf_record_kind news_kind = { .kind = NEWS_KIND,
	.size = sizeof(struct wf_status_news),
	.read = read_news,
	.copy = copy_news,
	.keys = { offsetof(struct wf_status_news, listener) },
	.key_count = 1 };

/* --- reading -------------------------------------------------------------- */

struct wf_listeners *wf_listeners_new(void)
{
	struct wf_listeners *listeners = wf_calloc(1, sizeof(*listeners));

	listeners->cache = wf_record_cache_new(&listener_kind);
	listeners->news = wf_record_cache_new(&news_kind);
	return listeners;
}

void wf_listeners_free(struct wf_listeners **listeners)
{
	struct wf_listeners *old = *listeners;

	*listeners = NULL;
	if (old == NULL)
		return;
	wf_record_cache_free(&old->cache);
	wf_record_cache_free(&old->news);
	wf_free(old);
}

/* Whose news are read is known then: who listens is read last. */
enum wf_rc wf_listeners_refresh(struct wf_listeners *listeners,
    struct wf_store *store, struct wf_error *err)
{
	enum wf_rc rc = wf_record_cache_refresh(listeners->news, store, err);

	return rc == WF_OK
		   ? wf_record_cache_refresh(listeners->cache, store, err)
		   : rc;
}

uint64_t wf_listeners_version(struct wf_listeners *listeners)
{
	return wf_record_cache_version(listeners->cache) +
	       wf_record_cache_version(listeners->news);
}

uint64_t wf_listeners_reads(struct wf_listeners *listeners)
{
	return wf_record_cache_reads(listeners->cache) +
	       wf_record_cache_reads(listeners->news);
}

struct wf_listener_list wf_listeners_all(
    struct wf_listeners *listeners, struct wf_arena *arena)
{
	const struct wf_record_choice all = { .text = NULL };
	struct wf_listener_list list;

	list.rows =
	    wf_record_cache_choose(listeners->cache, &all, arena, &list.count);
	/* Two nodes may add one each at the same time: those beyond the limit
	 * hear nothing. */
	if (list.count > WF_LISTENERS)
		list.count = WF_LISTENERS;
	return list;
}

/* --- adding and removing -------------------------------------------------- */

static bool is_url(const char *uri)
{
	return strncasecmp(uri, "http://", 7) == 0 ||
	       strncasecmp(uri, "https://", 8) == 0;
}

struct adding {
	struct wf_listeners *listeners;
	struct wf_store *store;
	struct wf_listener *listener;
};

/* One that is there stays as it is: it has not heard all yet. */
static enum wf_rc decide_add(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	struct adding *adding = context;
	struct wf_listener *listener = adding->listener;
	struct wf_record_cache *cache = adding->listeners->cache;
	struct wf_record_row *rows = wf_arena_array(arena, 2, sizeof(*rows));
	struct wf_listener before;
	enum wf_rc rc;

	listener->name = name_of(listener->kind, listener->uri, arena);
	if (wf_record_cache_find(cache, 0, listener->name, arena, &before))
		return WF_OK;
	if (wf_listeners_all(adding->listeners, arena).count >= WF_LISTENERS)
		return wf_fail(err, WF_LIMIT,
		    "there are %u listeners already; remove one", WF_LISTENERS);
	rc = wf_store_history_end(adding->store, &listener->from, err);
	rows[0] = (struct wf_record_row){ .kind = LISTENER_KIND,
		.name = listener->name,
		.value = write_listener(listener, arena),
		.change = wf_record_cache_change(cache, 0, listener->name) };
	/* Entries that are being changed are written with its news. */
	rows[1] = wf_record_head(WF_ABSENCE_KIND);
	*edit = (struct wf_record_edit){ .rows = rows,
		.count = listener->kind == WF_LISTENER_OF_CALENDAR ? 2 : 1,
		.alone = true };
	return rc;
}

enum wf_rc wf_listener_add(struct wf_store *store, enum wf_listener_kind kind,
    const char *uri, const char *account, struct wf_error *err)
{
	struct wf_listener listener = {
		.kind = kind, .uri = uri, .account = account
	};
	struct adding adding = { .store = store, .listener = &listener };
	enum wf_rc rc;

	if (!is_url(uri) || strlen(uri) > WF_SERVICE_URI_BYTES)
		return wf_fail(err, WF_INVALID,
		    "uri: expected a URL of http or https of at most %u bytes",
		    WF_SERVICE_URI_BYTES);
	adding.listeners = wf_listeners_new();
	rc = wf_record_cache_edit(
	    adding.listeners->cache, store, decide_add, &adding, err);
	wf_listeners_free(&adding.listeners);
	return rc;
}

enum wf_rc wf_listener_remove(struct wf_store *store,
    enum wf_listener_kind kind, const char *uri, struct wf_error *err)
{
	struct wf_record_row row = { .kind = LISTENER_KIND };
	struct wf_record_row found;
	struct wf_arena *arena = wf_arena_new();
	enum wf_rc rc;

	row.name = name_of(kind, uri, arena);
	rc = wf_store_record(
	    store, 0, LISTENER_KIND, row.name, arena, &found, err);
	if (rc == WF_OK)
		rc = wf_store_put_record(store, &row, err);
	wf_arena_free(&arena);
	return rc;
}

/* --- news of the calendar ------------------------------------------------- */

static struct wf_bytes write_news(const struct wf_status_change *change,
    const struct wf_listener *listener, int64_t at, struct wf_arena *arena)
{
	const struct wf_absence *entry = change->entry;
	bool reserved = wf_absence_is_reserved(entry);

	return wf_entry_value(
	    json_pack("{s:s,s:I,s:s,s:s,s:s,s:s,s:s,s:I}", "listener",
		listener->name, "entry", (json_int_t)entry->id, "resource",
		entry->resource, "case", reserved ? entry->case_id : "",
		"activity", reserved ? entry->activity : "", "before",
		change->before, "after", change->after, "at", (json_int_t)at),
	    arena);
}

static bool hears_calendar(const struct wf_listener *listener)
{
	return listener->kind == WF_LISTENER_OF_CALENDAR;
}

static size_t count_waiting(struct wf_listeners *listeners, const char *name)
{
	const struct wf_record_choice choice = { .text = name };

	return wf_record_cache_count(listeners->news, &choice);
}

static enum wf_rc read_waiting(struct wf_listeners *listeners,
    struct wf_store *store, struct wf_status_news_list *news,
    struct wf_arena *arena, struct wf_error *err)
{
	size_t hearers = 0;
	enum wf_rc rc = wf_listeners_refresh(listeners, store, err);

	if (rc != WF_OK)
		return rc;
	news->listeners = wf_listeners_all(listeners, arena);
	for (size_t i = 0; i < news->listeners.count; i++)
		hearers += hears_calendar(&news->listeners.rows[i]);
	if (hearers > 0) {
		news->share = WF_STATUS_NEWS / hearers;
		news->waiting_count = count_waiting(listeners, NULL);
	}
	news->is_read = true;
	return WF_OK;
}

/* How many of the news are for it: their names end with its name. */
static size_t count_for(const struct wf_listener *listener,
    const struct wf_record_row *rows, size_t count)
{
	size_t length = strlen(listener->name);
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		size_t whole = strlen(rows[i].name);

		found += whole > length && strcmp(rows[i].name + whole - length,
					       listener->name) == 0;
	}
	return found;
}

/* One that hears nothing takes no room of the others. */
static bool has_room(struct wf_listeners *listeners,
    const struct wf_status_news_list *news, const struct wf_listener *listener)
{
	return count_waiting(listeners, listener->name) +
		   count_for(listener, news->rows, news->count) <
	       news->share;
}

enum wf_rc wf_status_news_make(struct wf_listeners *listeners,
    struct wf_store *store, const struct wf_status_change *change,
    const char *actor, struct wf_status_news_list *news, struct wf_arena *arena,
    struct wf_error *err)
{
	int64_t now = wf_time_ms();
	enum wf_rc rc = news->is_read
			    ? WF_OK
			    : read_waiting(listeners, store, news, arena, err);

	for (size_t i = 0; rc == WF_OK && i < news->listeners.count; i++) {
		const struct wf_listener *listener = &news->listeners.rows[i];

		if (!hears_calendar(listener) ||
		    strcmp(listener->account, actor) == 0 ||
		    !has_room(listeners, news, listener))
			continue;
		/* In the order of time, then of the changes of one moment. */
		news->rows[news->count] = (struct wf_record_row){ .kind =
								      NEWS_KIND,
			.name = wf_arena_printf(arena,
			    "%016" PRIx64 " %06zu %012" PRIx64 " %s",
			    (uint64_t)now, news->waiting_count + news->count,
			    change->entry->id, listener->name),
			.value = write_news(change, listener, now, arena) };
		news->count++;
	}
	return rc;
}

struct wf_status_news *wf_status_news_of(struct wf_listeners *listeners,
    const char *listener, struct wf_arena *arena, size_t *count_out)
{
	const struct wf_record_choice choice = { .text = listener };

	return wf_record_cache_choose(
	    listeners->news, &choice, arena, count_out);
}

enum wf_rc wf_status_news_remove(
    struct wf_store *store, const char *name, struct wf_error *err)
{
	const struct wf_record_row row = { .kind = NEWS_KIND, .name = name };

	return wf_store_put_record(store, &row, err);
}
