/* SPDX-License-Identifier: Apache-2.0 */
/* The engine as a whole: opening and closing, specifications, turns, counts. */
#include "runtime/shard.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "persistence/nodes.h"
#include "runtime/moments/moments.h"

#define SHARDS_MAXIMUM 64U

void wf_engine_settings_init(struct wf_engine_settings *settings)
{
	memset(settings, 0, sizeof(*settings));
	settings->url = "memory:";
	settings->flags = WF_STORE_CREATE;
	settings->shards = 1;
	settings->cache_bytes = (size_t)16 << 20;
	settings->queue_bytes = (size_t)64 << 20;
	settings->batch = 256;
	settings->batch_work = WF_BATCH_WORK;
	settings->step_work = WF_STEP_WORK;
	settings->spec_bytes = (size_t)256 << 20;
	settings->snapshot_bytes = 8192;
	settings->snapshot_events = 64;
	settings->answers_kept_ms = INT64_C(7) * 24 * 3600 * 1000;
}

/* --- opening and closing -------------------------------------------------- */

/* A private store in memory needs a name, so that all handles share it. */
static char *name_store(const struct wf_engine *engine)
{
	char name[64];

	if (strcmp(engine->settings.url, "memory:") != 0)
		return wf_strdup(engine->settings.url);
	snprintf(name, sizeof(name), "memory:engine-%p", (const void *)engine);
	return wf_strdup(name);
}

static enum wf_rc open_shards(struct wf_engine *engine, struct wf_error *err)
{
	unsigned wanted = engine->settings.shards;
	enum wf_rc rc;

	engine->shards = wf_calloc(SHARDS_MAXIMUM, sizeof(*engine->shards));
	rc = wf_shard_open(&engine->shards[0], engine, 0, err);
	engine->shard_count = 1;
	if (rc != WF_OK)
		return rc;
	/* A store that is deleted later must not be created anew, empty. */
	engine->settings.flags &=
	    ~(unsigned)(WF_STORE_CREATE | WF_STORE_MIGRATE);
	/* On a store that is not shared, several shards would wait for each
	 * other.
	 */
	if (!wf_store_is_shared(engine->shards[0].store) || wanted == 0)
		wanted = 1;
	if (wanted > SHARDS_MAXIMUM)
		wanted = SHARDS_MAXIMUM;
	for (unsigned i = 1; rc == WF_OK && i < wanted; i++) {
		rc = wf_shard_open(&engine->shards[i], engine, i, err);
		engine->shard_count++;
	}
	for (unsigned i = 0; i < engine->shard_count; i++)
		engine->shards[i].cache.maximum =
		    engine->settings.cache_bytes / engine->shard_count;
	return rc;
}

static void free_engine(struct wf_engine **engine)
{
	struct wf_engine *e = *engine;

	for (unsigned i = 0; i < e->shard_count; i++)
		wf_shard_close(&e->shards[i]);
	wf_free(e->shards);
	while (e->due_commands != NULL) {
		struct due_command *due = e->due_commands;

		e->due_commands = due->next;
		wf_due_command_free(&due);
	}
	while (e->handle_count > 0)
		wf_store_close(&e->handles[--e->handle_count]);
	wf_specs_free(&e->specs);
	wf_indexes_free(&e->indexes);
	wf_moments_free(&e->moments);
	while (e->used_limits != NULL) {
		struct used_limits *used = e->used_limits;

		e->used_limits = used->next;
		wf_free(used);
	}
	wf_free(e->url);
	pthread_cond_destroy(&e->due_wake);
	pthread_cond_destroy(&e->search_wake);
	pthread_cond_destroy(&e->long_wake);
	pthread_cond_destroy(&e->notify_wake);
	pthread_cond_destroy(&e->notify_end);
	pthread_mutex_destroy(&e->lock);
	e->magic = 0;
	wf_free(e);
	*engine = NULL;
}

static enum wf_rc start(struct wf_engine *engine, struct wf_error *err)
{
	struct wf_store *store;
	enum wf_rc rc = open_shards(engine, err);

	if (rc == WF_OK)
		rc = wf_engine_borrow(engine, &store, err);
	if (rc != WF_OK)
		return rc;
	rc = wf_store_reserve(
	    store, WF_COUNTER_ENGINE, 1, &engine->opening, err);
	engine->opened_at = wf_engine_now(engine);
	if (rc == WF_OK)
		rc = wf_node_write(engine, store, err);
	if (rc == WF_OK)
		rc = wf_specs_refresh(engine->specs, store, err);
	if (rc == WF_OK)
		rc = wf_indexes_refresh(engine->indexes, store, err);
	if (rc == WF_OK && engine->settings.prepare != NULL)
		rc = engine->settings.prepare(
		    engine->settings.context, store, err);
	wf_engine_give_back(engine, store);
	if (rc == WF_OK && engine->settings.threads)
		rc = wf_threads_start(engine, err);
	return rc;
}

enum wf_rc wf_engine_open(struct wf_engine **engine_out,
    const struct wf_engine_settings *settings, struct wf_error *err)
{
	struct wf_engine *engine = wf_calloc(1, sizeof(*engine));
	enum wf_rc rc;

	*engine_out = NULL;
	engine->magic = WF_ENGINE_MAGIC;
	engine->settings = *settings;
	engine->limits = settings->limits;
	engine->answers_kept_ms = settings->answers_kept_ms;
	engine->slow_batch_ms = settings->slow_batch_ms;
	engine->url = name_store(engine);
	engine->settings.url = engine->url;
	engine->reserved_at = INT64_MIN / 2;
	engine->last_due_command = &engine->due_commands;
	engine->specs = wf_specs_new(settings->spec_bytes);
	engine->indexes = wf_indexes_new();
	engine->moments = wf_moments_new(WF_MOMENTS_BYTES);
	pthread_mutex_init(&engine->lock, NULL);
	wf_condition_init(&engine->due_wake);
	wf_condition_init(&engine->search_wake);
	wf_condition_init(&engine->long_wake);
	wf_condition_init(&engine->notify_wake);
	wf_condition_init(&engine->notify_end);
	rc = start(engine, err);
	if (rc == WF_OK)
		*engine_out = engine;
	else
		wf_engine_abandon(&engine);
	return rc;
}

void wf_engine_reload(
    struct wf_engine *engine, const struct wf_engine_settings *settings)
{
	const struct wf_limits *old = atomic_load(&engine->limits);
	struct used_limits *used = wf_malloc(sizeof(*used));

	wf_assert(engine->magic == WF_ENGINE_MAGIC);
	atomic_store(&engine->answers_kept_ms, settings->answers_kept_ms);
	atomic_store(&engine->slow_batch_ms, settings->slow_batch_ms);
	if (old == NULL)
		old = &wf_limits_default;
	used->limits =
	    settings->limits == NULL ? wf_limits_default : *settings->limits;
#define WF_LIMIT_ROW(name, number, greatest, meaning)
#define WF_LIMIT_OF_STATE(name, number, greatest, meaning)                     \
	used->limits.name = old->name;
#include "kernel/limits.def"
#undef WF_LIMIT_ROW
	used->limits.cancelled_stays_busy = old->cancelled_stays_busy;
	if (memcmp(old, &used->limits, sizeof(*old)) == 0) {
		wf_free(used);
		return;
	}
	used->next = engine->used_limits;
	engine->used_limits = used;
	atomic_store(&engine->limits, &used->limits);
}

/* Without threads: until nothing more can be done. */
static void finish_queues(struct wf_engine *engine)
{
	bool more = true;

	while (more) {
		more = false;
		for (unsigned i = 0; i < engine->shard_count; i++)
			more |= wf_shard_turn(&engine->shards[i]);
	}
}

/* If it cannot be written, the node is gone when its time has passed. */
static void remove_node(struct wf_engine *engine)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;

	if (!wf_store_is_shared(engine->shards[0].store) ||
	    wf_engine_borrow(engine, &store, &err) != WF_OK)
		return;
	if (wf_store_remove_node(store, engine->opening, &err) != WF_OK)
		wf_error_clear(&err);
	wf_engine_give_back(engine, store);
}

static void stop(struct wf_engine **engine, bool abandon)
{
	struct wf_engine *e = *engine;

	if (e == NULL)
		return;
	wf_assert(e->magic == WF_ENGINE_MAGIC);
	atomic_store(&e->closing, true);
	atomic_store(&e->abandoned, abandon);
	wf_threads_stop(e);
	if (!abandon)
		finish_queues(e);
	for (unsigned i = 0; i < e->shard_count; i++)
		if (e->shards[i].engine != NULL)
			wf_shard_drain(&e->shards[i]);
	if (!abandon)
		remove_node(e);
	free_engine(engine);
}

void wf_engine_close(struct wf_engine **engine)
{
	stop(engine, false);
}

void wf_engine_abandon(struct wf_engine **engine)
{
	stop(engine, true);
}

struct wf_store *wf_engine_shard_store(struct wf_engine *engine, unsigned shard)
{
	wf_assert(shard < engine->shard_count);
	return engine->shards[shard].store;
}

/* --- specifications ------------------------------------------------------- */

/* How often a file is judged at most, when others change the store as well. */
#define LOAD_ATTEMPTS 10

/* What put_file() works with. */
struct loading {
	struct wf_engine *engine;
	uint32_t namespace_id;
	struct wf_bytes source;
	wf_judge_load_f judge; /* may be NULL */
	void *context;
};

/* change: as in wf_store_put_specification(). */
static enum wf_rc put_spec(const struct loading *loading,
    struct wf_store *store, const struct wf_spec *spec, uint64_t change,
    struct wf_error *err)
{
	struct wf_specification_row row = { .namespace_id =
						loading->namespace_id,
		.key = spec->key,
		.identifier = spec->metadata.identifier,
		.version = spec->metadata.version,
		.uri = spec->uri,
		.title = spec->metadata.title,
		.loaded_at = wf_engine_now(loading->engine),
		.source = loading->source,
		.change = change };
	struct wf_buffer numbering;
	enum wf_rc rc;

	if (row.identifier == NULL)
		row.identifier = spec->uri;
	wf_buffer_init(&numbering, WF_SPEC_BYTES);
	wf_specs_numbering(spec, &numbering);
	row.numbering.data = wf_buffer_text(&numbering);
	row.numbering.size = numbering.length;
	rc = wf_store_put_specification(store, &row, err);
	wf_buffer_free(&numbering);
	return rc;
}

/*
 * Judges the file, and stores the rest of its specifications while nothing else
 * is changed.  *stored counts those that are stored.
 */
static enum wf_rc put_some(const struct loading *loading,
    struct wf_store *store, const struct wf_spec_file *file, uint32_t *stored,
    bool *judged_out, struct wf_error *err)
{
	uint64_t change = 0;
	enum wf_rc rc = WF_OK;

	if (loading->judge != NULL) {
		rc = wf_store_change(store, &change, err);
		if (rc == WF_OK)
			rc = loading->judge(loading->context, file, store, err);
	}
	*judged_out = rc == WF_OK;
	while (rc == WF_OK && *stored < file->spec_count) {
		rc =
		    put_spec(loading, store, file->specs[*stored], change, err);
		*stored += rc == WF_OK;
		change += change > 0;
	}
	return rc;
}

/* Stores what was read of a source. */
static enum wf_rc put_file(const struct loading *loading,
    const struct wf_spec_file *file, struct wf_error *err)
{
	bool judged = true;
	uint32_t stored = 0;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(loading->engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = put_some(loading, store, file, &stored, &judged, err);
	for (unsigned i = 1; rc == WF_CONFLICT && judged &&
			     loading->judge != NULL && i < LOAD_ATTEMPTS;
	     i++) {
		wf_error_clear(err);
		rc = put_some(loading, store, file, &stored, &judged, err);
	}
	if (rc == WF_OK)
		rc = wf_specs_refresh(loading->engine->specs, store, err);
	wf_engine_give_back(loading->engine, store);
	return rc;
}

static size_t give_keys(
    const struct wf_spec_file *file, uint64_t *keys_out, size_t count)
{
	size_t given = 0;

	while (given < count && given < file->spec_count) {
		keys_out[given] = file->specs[given]->key;
		given++;
	}
	return given;
}

static enum wf_rc fail_invalid(
    const struct wf_diagnostics *diagnostics, struct wf_error *err)
{
	const struct wf_diagnostic *first =
	    wf_diagnostics_first_error(diagnostics);

	if (first == NULL)
		return wf_fail(
		    err, WF_INVALID, "the specification is not valid");
	return wf_fail(err, WF_INVALID,
	    "the specification is not valid: line %d: %s%s%s", first->line,
	    first->element, first->element[0] == '\0' ? "" : ": ",
	    first->message);
}

enum wf_rc wf_engine_load_judged(struct wf_engine *engine,
    uint32_t namespace_id, const char *xml, size_t length,
    wf_judge_load_f judge, void *context, struct wf_diagnostics *diagnostics,
    uint64_t *keys_out, size_t count, size_t *count_out, struct wf_error *err)
{
	const struct loading loading = { .engine = engine,
		.namespace_id =
		    namespace_id == 0 ? WF_NAMESPACE_DEFAULT : namespace_id,
		.source = { xml, length },
		.judge = judge,
		.context = context };
	struct wf_diagnostics *own = wf_diagnostics_new("");
	struct wf_spec_file *file;
	size_t given = 0;
	enum wf_rc rc;

	if (diagnostics == NULL)
		diagnostics = own;
	if (wf_spec_read(&file, xml, length, diagnostics) == WF_OK)
		rc = put_file(&loading, file, err);
	else
		rc = fail_invalid(diagnostics, err);
	if (rc == WF_OK)
		given = give_keys(file, keys_out, count);
	if (count_out != NULL)
		*count_out = given;
	wf_spec_file_free(&file);
	wf_diagnostics_free(&own);
	return rc;
}

enum wf_rc wf_engine_load(struct wf_engine *engine, uint32_t namespace_id,
    const char *xml, size_t length, struct wf_diagnostics *diagnostics,
    uint64_t *keys_out, size_t count, size_t *count_out, struct wf_error *err)
{
	return wf_engine_load_judged(engine, namespace_id, xml, length, NULL,
	    NULL, diagnostics, keys_out, count, count_out, err);
}

enum wf_rc wf_engine_load_file(struct wf_engine *engine, uint32_t namespace_id,
    const char *path, struct wf_diagnostics *diagnostics, uint64_t *keys_out,
    size_t count, size_t *count_out, struct wf_error *err)
{
	struct wf_buffer xml;
	enum wf_rc rc;

	wf_buffer_init(&xml, WF_SPEC_BYTES);
	rc = wf_buffer_read_file(&xml, path, err);
	if (rc == WF_OK)
		rc = wf_engine_load(engine, namespace_id, wf_buffer_text(&xml),
		    xml.length, diagnostics, keys_out, count, count_out, err);
	wf_buffer_free(&xml);
	return rc;
}

enum wf_rc wf_engine_unload(struct wf_engine *engine, uint32_t namespace_id,
    uint64_t key, struct wf_error *err)
{
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	if (rc != WF_OK)
		return rc;
	if (namespace_id == 0)
		namespace_id = WF_NAMESPACE_DEFAULT;
	rc = wf_store_remove_specification(store, namespace_id, key, err);
	if (rc == WF_OK)
		rc = wf_specs_refresh(engine->specs, store, err);
	wf_engine_give_back(engine, store);
	return rc;
}

/* With a store; the specification need not be compiled for that. */
static enum wf_rc suspend(struct wf_engine *engine, struct wf_store *store,
    uint32_t namespace_id, uint64_t key, const struct wf_pause *pause,
    struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_specification_row row;
	enum wf_rc rc =
	    wf_store_specification(store, namespace_id, key, arena, &row, err);

	wf_arena_free(&arena);
	return rc == WF_OK ? wf_specs_suspend(engine->specs, store,
				 namespace_id, key, pause, err)
			   : rc;
}

enum wf_rc wf_engine_suspend(struct wf_engine *engine, uint32_t namespace_id,
    uint64_t key, const struct wf_pause *pause, struct wf_error *err)
{
	struct wf_store *store;
	enum wf_rc rc;

	if (pause != NULL && pause->reason != NULL &&
	    strlen(pause->reason) > WF_PAUSE_REASON_BYTES)
		return wf_fail(err, WF_LIMIT,
		    "the reason is longer than %u bytes",
		    WF_PAUSE_REASON_BYTES);
	rc = wf_engine_borrow(engine, &store, err);
	if (rc != WF_OK)
		return rc;
	rc = suspend(engine, store,
	    namespace_id == 0 ? WF_NAMESPACE_DEFAULT : namespace_id, key, pause,
	    err);
	wf_engine_give_back(engine, store);
	return rc;
}

bool wf_engine_suspension(struct wf_engine *engine, uint32_t namespace_id,
    uint64_t key, struct wf_arena *arena, struct wf_pause *pause_out)
{
	return wf_specs_suspension(engine->specs,
	    namespace_id == 0 ? WF_NAMESPACE_DEFAULT : namespace_id, key, arena,
	    pause_out);
}

/* --- turns and counts ----------------------------------------------------- */

bool wf_engine_turn(struct wf_engine *engine)
{
	bool done = false;

	wf_assert(!engine->settings.threads);
	if (!engine->settings.requests_only) {
		done = wf_due_turn(engine);
		done |= wf_search_turn(engine);
	}
	done |= wf_long_turn(engine);
	for (unsigned i = 0; i < engine->shard_count; i++)
		done |= wf_shard_turn(&engine->shards[i]);
	return done;
}

static int64_t busy_ms(const struct shard *shard)
{
	int64_t began = atomic_load(&shard->turn_began);

	return began == 0 ? 0 : wf_monotonic_ms() - began;
}

int64_t wf_engine_busy_ms(struct wf_engine *engine, unsigned *shard_out)
{
	int64_t longest = 0;

	*shard_out = 0;
	for (unsigned i = 0; i < engine->shard_count; i++) {
		int64_t busy = busy_ms(&engine->shards[i]);

		if (busy <= longest)
			continue;
		longest = busy;
		*shard_out = i;
	}
	return longest;
}

static bool is_idle(struct shard *shard)
{
	bool idle;

	pthread_mutex_lock(&shard->lock);
	idle = shard->queue.first == NULL &&
	       atomic_load(&shard->turn_began) == 0 &&
	       atomic_load(&shard->held_count) == 0;
	pthread_mutex_unlock(&shard->lock);
	return idle;
}

bool wf_engine_is_idle(struct wf_engine *engine)
{
	bool idle;

	if (atomic_load(&engine->claiming))
		return false;
	pthread_mutex_lock(&engine->lock);
	idle = engine->due_count == 0;
	pthread_mutex_unlock(&engine->lock);
	for (unsigned i = 0; idle && i < engine->shard_count; i++)
		idle = is_idle(&engine->shards[i]);
	return idle;
}

void wf_engine_clock_moved(struct wf_engine *engine)
{
	wf_due_wake(engine);
}

static void count_shard(struct shard *shard, struct wf_engine_counts *counts)
{
	pthread_mutex_lock(&shard->lock);
	counts->queued += shard->queue.count + atomic_load(&shard->held_count);
	counts->queued_bytes +=
	    shard->queue.bytes + atomic_load(&shard->held_bytes);
	counts->queue_room += shard->engine->settings.queue_bytes;
	counts->cached_bytes += shard->cached_bytes;
	counts->cached_cases += shard->cached_cases;
	wf_spread_merge(&counts->batch_sizes, &shard->batch_sizes);
	wf_spread_merge(&counts->batch_times, &shard->batch_times);
	static_assert(sizeof(counts->or_stages) == sizeof(shard->or_stages),
	    "each stage of OR-joins is counted");
	for (unsigned i = 0; i < WF_OR_STAGES; i++)
		counts->or_stages[i] += shard->or_stages[i];
	pthread_mutex_unlock(&shard->lock);
}

void wf_engine_counts(
    struct wf_engine *engine, struct wf_engine_counts *counts_out)
{
	memset(counts_out, 0, sizeof(*counts_out));
	counts_out->requests = atomic_load(&engine->requests);
	counts_out->batches = atomic_load(&engine->batches);
	counts_out->statements = atomic_load(&engine->statements);
	counts_out->steps = atomic_load(&engine->steps);
	counts_out->loads = atomic_load(&engine->loads);
	counts_out->searches = atomic_load(&engine->searches);
	counts_out->incidents = atomic_load(&engine->incidents);
	counts_out->deadlocks = atomic_load(&engine->deadlocks);
	counts_out->long_steps = atomic_load(&engine->long_made);
	counts_out->long_steps_waiting = atomic_load(&engine->long_count);
	for (unsigned i = 0; i < WF_RC_COUNT; i++) {
		counts_out->refusals[i] = atomic_load(&engine->refusals[i]);
		counts_out->refused += counts_out->refusals[i];
	}
	for (unsigned i = 0; i < WF_REQUEST_COUNT; i++)
		counts_out->answered[i] = atomic_load(&engine->answered[i]);
	for (unsigned i = 0; i < WF_COMMAND_COUNT; i++)
		counts_out->commands[i] = atomic_load(&engine->commands[i]);
	for (unsigned i = 0; i < engine->shard_count; i++)
		count_shard(&engine->shards[i], counts_out);
}

struct wf_indexes *wf_engine_indexes(struct wf_engine *engine)
{
	wf_assert(engine->magic == WF_ENGINE_MAGIC);
	return engine->indexes;
}
