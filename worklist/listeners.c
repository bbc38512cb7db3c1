/* SPDX-License-Identifier: Apache-2.0 */
#include "worklist/listeners.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/codec.h"
#include "history/steps.h"
#include "worklist/entry_priv.h"

#define LISTENER_KIND "listener"
#define NEWS_KIND "status-news"

static const char *const words[] = { "work", "calendar" };

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

static bool read_listener(const struct wf_record_row *row,
    struct wf_listener *listener, struct wf_arena *arena)
{
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

enum wf_rc wf_listeners_read(struct wf_store *store, uint64_t after,
    struct wf_arena *arena, struct wf_listener_list *list_out,
    struct wf_error *err)
{
	struct wf_record_list list = { .count = 0 };
	enum wf_rc rc = wf_store_all_records(
	    store, LISTENER_KIND, after, arena, &list, err);

	*list_out = (struct wf_listener_list){ .change = list.change,
		.whole = list.whole };
	if (rc != WF_OK || !list.whole)
		return rc;
	list_out->rows =
	    wf_arena_array(arena, list.count, sizeof(*list_out->rows));
	/* Two nodes may add one each at the same time: those beyond the limit
	 * hear nothing. */
	for (size_t i = 0; i < list.count && list_out->count < WF_LISTENERS;
	     i++)
		list_out->count += read_listener(
		    &list.rows[i], &list_out->rows[list_out->count], arena);
	return WF_OK;
}

/* --- adding and removing -------------------------------------------------- */

static bool is_url(const char *uri)
{
	return strncasecmp(uri, "http://", 7) == 0 ||
	       strncasecmp(uri, "https://", 8) == 0;
}

/* One that is there stays as it is: it has not heard all yet. */
static enum wf_rc add(struct wf_store *store, struct wf_listener *listener,
    struct wf_arena *arena, struct wf_error *err)
{
	struct wf_record_row row = { .kind = LISTENER_KIND,
		.name = listener->name };
	struct wf_listener_list list;
	enum wf_rc rc = wf_listeners_read(store, 0, arena, &list, err);

	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		if (strcmp(list.rows[i].name, listener->name) == 0)
			return WF_OK;
	if (rc == WF_OK && list.count >= WF_LISTENERS)
		rc = wf_fail(err, WF_LIMIT,
		    "there are %u listeners already; remove one", WF_LISTENERS);
	if (rc == WF_OK)
		rc = wf_store_history_end(store, &listener->from, err);
	if (rc != WF_OK)
		return rc;
	row.value = write_listener(listener, arena);
	return wf_store_put_record(store, &row, err);
}

enum wf_rc wf_listener_add(struct wf_store *store, enum wf_listener_kind kind,
    const char *uri, const char *account, struct wf_error *err)
{
	struct wf_arena *arena;
	struct wf_listener listener = {
		.kind = kind, .uri = uri, .account = account
	};
	enum wf_rc rc;

	if (!is_url(uri) || strlen(uri) > WF_SERVICE_URI_BYTES)
		return wf_fail(err, WF_INVALID,
		    "uri: expected a URL of http or https of at most %u bytes",
		    WF_SERVICE_URI_BYTES);
	arena = wf_arena_new();
	listener.name = name_of(kind, uri, arena);
	rc = add(store, &listener, arena, err);
	wf_arena_free(&arena);
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

static enum wf_rc read_waiting(struct wf_store *store,
    struct wf_status_news_list *news, struct wf_arena *arena,
    struct wf_error *err)
{
	size_t hearers = 0;
	enum wf_rc rc =
	    wf_listeners_read(store, 0, arena, &news->listeners, err);

	for (size_t i = 0; rc == WF_OK && i < news->listeners.count; i++)
		hearers += hears_calendar(&news->listeners.rows[i]);
	if (hearers > 0) {
		news->share = WF_STATUS_NEWS / hearers;
		rc = wf_store_all_records(
		    store, NEWS_KIND, 0, arena, &news->waiting, err);
	}
	news->is_read = rc == WF_OK;
	return rc;
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
static bool has_room(
    const struct wf_status_news_list *news, const struct wf_listener *listener)
{
	return count_for(listener, news->waiting.rows, news->waiting.count) +
		   count_for(listener, news->rows, news->count) <
	       news->share;
}

enum wf_rc wf_status_news_make(struct wf_store *store,
    const struct wf_status_change *change, const char *actor,
    struct wf_status_news_list *news, struct wf_arena *arena,
    struct wf_error *err)
{
	int64_t now = wf_time_ms();
	enum wf_rc rc =
	    news->is_read ? WF_OK : read_waiting(store, news, arena, err);

	for (size_t i = 0; rc == WF_OK && i < news->listeners.count; i++) {
		const struct wf_listener *listener = &news->listeners.rows[i];

		if (!hears_calendar(listener) ||
		    strcmp(listener->account, actor) == 0 ||
		    !has_room(news, listener))
			continue;
		/* In the order of time, then of the changes of one moment. */
		news->rows[news->count] = (struct wf_record_row){ .kind =
								      NEWS_KIND,
			.name = wf_arena_printf(arena,
			    "%016" PRIx64 " %06zu %012" PRIx64 " %s",
			    (uint64_t)now, news->waiting.count + news->count,
			    change->entry->id, listener->name),
			.value = write_news(change, listener, now, arena) };
		news->count++;
	}
	return rc;
}

static void read_one(const struct wf_record_row *row,
    struct wf_status_news *news, struct wf_arena *arena)
{
	json_t *object = json_loadb(row->value.data, row->value.size, 0, NULL);

	*news =
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
}

enum wf_rc wf_status_news_read(struct wf_store *store, struct wf_arena *arena,
    struct wf_status_news **rows_out, size_t *count_out, struct wf_error *err)
{
	struct wf_record_list list = { .count = 0 };
	enum wf_rc rc =
	    wf_store_all_records(store, NEWS_KIND, 0, arena, &list, err);

	*count_out = 0;
	if (rc != WF_OK)
		return rc;
	*rows_out = wf_arena_array(arena, list.count, sizeof(**rows_out));
	*count_out = list.count;
	for (size_t i = 0; i < list.count; i++)
		read_one(&list.rows[i], &(*rows_out)[i], arena);
	return WF_OK;
}

enum wf_rc wf_status_news_remove(
    struct wf_store *store, const char *name, struct wf_error *err)
{
	const struct wf_record_row row = { .kind = NEWS_KIND, .name = name };

	return wf_store_put_record(store, &row, err);
}
