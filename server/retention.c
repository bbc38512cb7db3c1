/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A follower (work/follower.h) makes sure that one server at a time does it;
 * it follows no history.  The cost of a round is that of one row for each
 * specification, and of the cases that are dropped.
 */
#include "server/retention.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/panic.h"
#include "base/time_text.h"
#include "history/xes_file.h"
#include "persistence/record_cache.h"
#include "work/follower.h"

#define MAGIC UINT32_C(0x52455454)
#define KIND "retention"
/* Between two rounds, and between two portions of cases. */
#define ROUND_MS 10000
#define PAUSE_MS 20
#define PORTION 50U
#define PATH_MAXIMUM_BYTES 8192U
#define DAY_LENGTH 10 /* of 2026-01-31 */

struct wf_retention {
	uint32_t magic;
	struct wf_engine *engine;
	struct wf_record_cache *rules; /* of struct rule */
	struct wf_follower *follower;
	wf_retention_failed_f failed;
	void *context;
	pthread_mutex_t lock; /* of the two below, which go together */
	int64_t keep_ms;
	char *folder;
	atomic_ullong dropped, exported, failures;

	/* Of the thread. */
	int64_t next_at; /* the next round begins */
	struct wf_arena *arena;
	struct wf_specification_list list; /* of this round */
	size_t at;			   /* the next one of it */
	/* The last ended case of it that was tried; zeros: none yet. */
	int64_t after;
	uint64_t after_number;
	bool has_dropped; /* in this round */
	bool has_failed;  /* which was said once in this round */
	bool is_blocked;  /* nothing can be exported now */
	struct wf_retention_settings settings; /* of this portion */
	struct wf_arena *portion;
};

/* --- rules: records of processes ------------------------------------------ */

struct rule {
	int64_t keep_ms;
};

static bool read_rule(
    const struct wf_record_row *row, void *entry, struct wf_arena *arena)
{
	struct rule *rule = entry;
	char text[24] = "";
	char *end;

	(void)arena;
	if (row->value.size == 0 || row->value.size >= sizeof(text))
		return false;
	memcpy(text, row->value.data, row->value.size);
	rule->keep_ms = strtoll(text, &end, 10);
	return *end == '\0' && rule->keep_ms >= 0 &&
	       rule->keep_ms <= WF_RETENTION_MS;
}

static void copy_rule(const void *from, void *to, struct wf_arena *arena)
{
	(void)arena;
	*(struct rule *)to = *(const struct rule *)from;
}

static const struct wf_record_kind rules = {
	.kind = KIND,
	.size = sizeof(struct rule),
	.read = read_rule,
	.copy = copy_rule,
};

static int64_t rule_of(struct wf_retention *retention, uint32_t namespace_id,
    const char *process, struct wf_arena *arena)
{
	struct rule rule;

	return wf_record_cache_find(
		   retention->rules, namespace_id, process, arena, &rule)
		   ? rule.keep_ms
		   : WF_RETENTION_DEFAULT;
}

enum wf_rc wf_retention_of(struct wf_retention *retention,
    struct wf_store *store, uint32_t namespace_id, const char *process,
    int64_t *keep_ms_out, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	enum wf_rc rc = wf_record_cache_refresh(retention->rules, store, err);

	wf_assert(retention->magic == MAGIC);
	*keep_ms_out = rule_of(retention, namespace_id, process, arena);
	wf_arena_free(&arena);
	return rc;
}

enum wf_rc wf_retention_set(struct wf_retention *retention,
    struct wf_store *store, uint32_t namespace_id, const char *process,
    int64_t keep_ms, struct wf_error *err)
{
	char text[24];
	struct wf_record_row row = {
		.namespace_id = namespace_id, .kind = KIND, .name = process
	};

	wf_assert(keep_ms <= WF_RETENTION_MS);
	(void)retention;
	if (keep_ms != WF_RETENTION_DEFAULT)
		row.value = (struct wf_bytes){ text,
			(size_t)snprintf(
			    text, sizeof(text), "%lld", (long long)keep_ms) };
	return wf_store_put_record(store, &row, err);
}

/* --- exporting ------------------------------------------------------------ */

static enum wf_rc fail(const char *path, struct wf_error *err)
{
	return wf_fail(err, WF_IO, "%.300s: %s", path, strerror(errno));
}

static enum wf_rc sync_folder(const char *path, struct wf_error *err)
{
	int file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool good = file >= 0 && fsync(file) == 0;
	enum wf_rc rc = good ? WF_OK : fail(path, err);

	if (file >= 0)
		close(file);
	return rc;
}

static bool make_folder(const char *path)
{
	return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* Files can be made in the folder, which is made if it is not there. */
static bool is_usable(const char *path)
{
	return make_folder(path) && sync_folder(path, NULL) == WF_OK &&
	       access(path, W_OK | X_OK) == 0;
}

/* FOLDER/DAY, made if it is not there. */
static enum wf_rc make_day(struct wf_retention *retention,
    const struct wf_case_row *row, struct wf_buffer *path, struct wf_error *err)
{
	char time[WF_TIME_TEXT_BYTES];

	wf_time_text_seconds(row->changed_at, time);
	wf_buffer_printf(path, "%s/%.*s", retention->settings.export_folder,
	    DAY_LENGTH, time);
	if (mkdir(wf_buffer_text(path), 0700) == 0)
		return sync_folder(retention->settings.export_folder, err);
	return errno == EEXIST ? WF_OK : fail(wf_buffer_text(path), err);
}

/* Into FOLDER/DAY/NUMBER-NAME.xes. */
static enum wf_rc export_case(struct wf_retention *retention,
    struct wf_store *store, const struct wf_case_row *row,
    const struct wf_specification_row *of, struct wf_error *err)
{
	struct wf_buffer folder;
	struct wf_buffer path;
	enum wf_rc rc;

	wf_buffer_init(&folder, PATH_MAXIMUM_BYTES);
	wf_buffer_init(&path, PATH_MAXIMUM_BYTES);
	rc = make_day(retention, row, &folder, err);
	wf_buffer_printf(&path, "%s/%llu-%s.xes", wf_buffer_text(&folder),
	    (unsigned long long)row->number, row->name);
	if (rc == WF_OK)
		rc = wf_xes_write_case(retention->engine, store, row, of,
		    wf_buffer_text(&path), err);
	if (rc == WF_OK)
		rc = sync_folder(wf_buffer_text(&folder), err);
	wf_buffer_free(&folder);
	wf_buffer_free(&path);
	return rc;
}

static void note_failure(struct wf_retention *retention,
    const struct wf_case_row *row, enum wf_rc rc, const struct wf_error *err)
{
	atomic_fetch_add(&retention->failures, 1);
	if (!retention->has_failed)
		retention->failed(retention->context, row->name, err);
	retention->has_failed = true;
	/* The folder, or the store: the next case would fail, too. */
	retention->is_blocked = rc == WF_IO || rc == WF_UNAVAILABLE;
}

/*
 * The numbers of those that are exported; of all, if none is to be.  A case
 * that cannot be exported is passed by until the next round.
 */
static size_t export_all(struct wf_retention *retention, struct wf_store *store,
    const struct wf_specification_row *of, const struct wf_case_list *list,
    uint64_t numbers_out[PORTION])
{
	bool exports = retention->settings.export_folder[0] != '\0';
	size_t count = 0;

	for (size_t i = 0; i < list->count && !retention->is_blocked; i++) {
		const struct wf_case_row *row = &list->rows[i].row;
		struct wf_error err = { .rc = WF_OK };
		enum wf_rc rc = WF_OK;

		if (exports)
			rc = export_case(retention, store, row, of, &err);
		if (rc == WF_OK) {
			numbers_out[count++] = row->number;
			atomic_fetch_add(&retention->exported, exports);
		} else {
			note_failure(retention, row, rc, &err);
		}
		retention->after = row->changed_at;
		retention->after_number = row->number;
	}
	return count;
}

/* --- dropping ------------------------------------------------------------- */

/* True: there may be more of this specification. */
static bool drop_portion(struct wf_retention *retention, struct wf_store *store,
    const struct wf_specification_row *of, int64_t keep_ms)
{
	const struct wf_ended_filter filter = { .namespace_id =
						    of->namespace_id,
		.specification = of->key,
		.before = wf_engine_now(retention->engine) - keep_ms,
		.after = retention->after,
		.after_number = retention->after_number,
		.limit = PORTION };
	struct wf_case_list list = { .count = 0 };
	uint64_t numbers[PORTION];
	size_t count = 0;
	size_t dropped = 0;

	if (wf_store_ended(store, &filter, retention->portion, &list, NULL) ==
	    WF_OK)
		count = export_all(retention, store, of, &list, numbers);
	/*
	 * Another server may have taken over during a long export.  If not, it
	 * does not while these are dropped.
	 */
	if (count > 0 && wf_follower_save(retention->follower, store, true) &&
	    wf_store_retire_cases(store, numbers, count, &dropped, NULL) ==
		WF_OK)
		atomic_fetch_add(&retention->dropped, dropped);
	retention->has_dropped |= dropped > 0;
	return list.count == PORTION && !retention->is_blocked;
}

static bool begin_round(struct wf_retention *retention, struct wf_store *store)
{
	const struct wf_specification_filter filter = { .removed = true };

	wf_arena_reset(retention->arena);
	retention->at = 0;
	retention->after = 0;
	retention->after_number = 0;
	retention->has_dropped = false;
	retention->has_failed = false;
	retention->is_blocked = false;
	return wf_record_cache_refresh(retention->rules, store, NULL) ==
		   WF_OK &&
	       wf_store_specifications(store, &filter, retention->arena,
		   &retention->list, NULL) == WF_OK;
}

/*
 * Until the next one.  What nothing needs any more goes, too: removed
 * specifications, and parts of the store that are empty.
 */
static void end_round(struct wf_retention *retention, struct wf_store *store)
{
	size_t none;

	if (retention->has_dropped)
		(void)(wf_store_retire(store, 0, 1, &none, NULL) == WF_OK);
	retention->list.count = 0;
	wf_follower_rest(retention->follower, store);
}

static void copy_settings(struct wf_retention *retention)
{
	wf_assert(retention->magic == MAGIC);
	wf_arena_reset(retention->portion);
	pthread_mutex_lock(&retention->lock);
	retention->settings.keep_ms = retention->keep_ms;
	retention->settings.export_folder =
	    wf_arena_strdup(retention->portion, retention->folder);
	pthread_mutex_unlock(&retention->lock);
}

static bool drop_some(void *context, struct wf_store *store)
{
	struct wf_retention *retention = context;
	const struct wf_specification_row *of;
	int64_t keep;

	if (retention->list.count == 0 && !begin_round(retention, store))
		retention->list.count = 0;
	if (retention->at == retention->list.count || retention->is_blocked) {
		end_round(retention, store);
		return false;
	}
	copy_settings(retention);
	of = &retention->list.rows[retention->at];
	keep = rule_of(retention, of->namespace_id,
	    of->identifier[0] != '\0' ? of->identifier : of->uri,
	    retention->arena);
	if (keep == WF_RETENTION_DEFAULT)
		keep = retention->settings.keep_ms;
	if (keep == 0 || !drop_portion(retention, store, of, keep)) {
		retention->at++;
		retention->after = 0;
		retention->after_number = 0;
	} else
		wf_follower_pause(retention->follower, PAUSE_MS, false);
	return wf_follower_save(retention->follower, store, false);
}

/* --- the thread ----------------------------------------------------------- */

static bool read_turn(
    void *context, struct wf_store *store, const json_t *record)
{
	const struct wf_record_choice all = { .text = NULL };
	struct wf_retention *retention = context;
	int64_t now = wf_engine_now(retention->engine);

	(void)record;
	/* The clock may have been set back. */
	if (now < retention->next_at && now >= retention->next_at - ROUND_MS)
		return false;
	retention->next_at = now + ROUND_MS;
	copy_settings(retention);
	return retention->settings.keep_ms > 0 ||
	       (wf_record_cache_refresh(retention->rules, store, NULL) ==
		       WF_OK &&
		   wf_record_cache_count(retention->rules, &all) > 0);
}

static void write_turn(void *context, json_t *record)
{
	(void)context;
	(void)record;
}

struct wf_retention *wf_retention_new(struct wf_engine *engine,
    const struct wf_retention_settings *settings, wf_retention_failed_f failed,
    void *context)
{
	struct wf_retention *retention = wf_calloc(1, sizeof(*retention));
	const struct wf_following following = { .kind = "retention-turn",
		.name = "turn",
		.read = read_turn,
		.write = write_turn,
		.round = drop_some,
		.context = retention };

	retention->magic = MAGIC;
	retention->engine = engine;
	retention->rules = wf_record_cache_new(&rules);
	pthread_mutex_init(&retention->lock, NULL);
	retention->keep_ms = settings->keep_ms;
	retention->folder = wf_strdup(settings->export_folder);
	retention->failed = failed;
	retention->context = context;
	retention->arena = wf_arena_new();
	retention->portion = wf_arena_new();
	retention->follower = wf_follower_new(engine, &following);
	return retention;
}

enum wf_rc wf_retention_start(
    struct wf_retention *retention, struct wf_error *err)
{
	const char *folder = retention->folder;

	wf_assert(retention->magic == MAGIC);
	if (folder[0] != '\0' && !is_usable(folder))
		return wf_fail(err, WF_INVALID, "export-ended: %.300s: %s",
		    folder, strerror(errno));
	return wf_follower_start(retention->follower, err);
}

void wf_retention_stop(struct wf_retention *retention)
{
	if (retention != NULL)
		wf_follower_stop(retention->follower);
}

void wf_retention_free(struct wf_retention **retention)
{
	struct wf_retention *old = *retention;

	*retention = NULL;
	if (old == NULL)
		return;
	wf_assert(old->magic == MAGIC);
	wf_follower_free(&old->follower);
	wf_record_cache_free(&old->rules);
	wf_arena_free(&old->arena);
	wf_arena_free(&old->portion);
	pthread_mutex_destroy(&old->lock);
	wf_free(old->folder);
	wf_free(old);
}

void wf_retention_reload(struct wf_retention *retention,
    const struct wf_retention_settings *settings)
{
	char *folder = wf_strdup(settings->export_folder);
	char *old;

	wf_assert(retention->magic == MAGIC && settings->keep_ms >= 0);
	/* Exports say what is wrong with it. */
	if (folder[0] != '\0')
		(void)make_folder(folder);
	pthread_mutex_lock(&retention->lock);
	old = retention->folder;
	retention->folder = folder;
	retention->keep_ms = settings->keep_ms;
	pthread_mutex_unlock(&retention->lock);
	wf_free(old);
}

void wf_retention_counts(
    struct wf_retention *retention, struct wf_retention_counts *counts_out)
{
	counts_out->dropped = atomic_load(&retention->dropped);
	counts_out->exported = atomic_load(&retention->exported);
	counts_out->failed = atomic_load(&retention->failures);
}
