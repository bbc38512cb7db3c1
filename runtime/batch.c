/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch: begun, filled, committed; see batch.h.  What is in memory is never
 * trusted: the store names the version of each case at the beginning, and after
 * a failure all cached cases of the shard are forgotten.
 */
#include "runtime/batch.h"

#include <string.h>

#include "base/clock.h"
#include "base/panic.h"

/* --- rows of a case ------------------------------------------------------- */

static bool is_ended(const struct shard *shard, const struct cached *cached)
{
	return wf_case_status(cached->instance) > WF_CASE_SUSPENDED &&
	       !wf_deadlock_keeps(&shard->engine->settings, cached->instance);
}

/* Bytes of state that one byte of events can add, at most about. */
#define GROWTH 8U

/* Whether the state may have grown beyond the limit. */
static bool may_be_too_large(
    struct wf_engine *engine, const struct cached *cached)
{
	const struct wf_limits *limits = atomic_load(&engine->limits);

	if (limits == NULL)
		limits = &wf_limits_default;
	return cached->encoded + GROWTH * cached->growth > limits->state_bytes;
}

/* A large state is encoded only when it is time to store it. */
static enum wf_rc add_snapshot(struct batch *batch, struct cached *cached,
    bool migrated, struct wf_case_write *write, struct wf_error *err)
{
	const struct wf_engine_settings *settings =
	    &batch->shard->engine->settings;
	bool often = cached->unsaved >= settings->snapshot_events;
	struct wf_buffer *bytes;
	enum wf_rc rc;

	/* A replay begins with the specification that the case is of now. */
	often = often || migrated;
	if (cached->encoded > settings->snapshot_bytes && !often &&
	    !may_be_too_large(batch->shard->engine, cached))
		return WF_OK;
	bytes = wf_batch_buffer(batch);
	rc = wf_case_encode(cached->instance, bytes, err);
	if (rc != WF_OK)
		return rc;
	cached->encoded = bytes->length;
	cached->growth = 0;
	if (bytes->length <= settings->snapshot_bytes || often) {
		write->snapshot = wf_batch_bytes(batch);
		cached->unsaved = 0;
	}
	return WF_OK;
}

static enum wf_rc add_case(
    struct batch *batch, struct work *work, struct wf_error *err)
{
	struct cached *cached = work->cached;
	struct wf_case_write *write = WF_ROW_ADD(batch, cases);
	bool ended = is_ended(batch->shard, cached);
	enum wf_rc rc = WF_OK;

	wf_assert(cached->number == work->number && cached->instance != NULL);
	wf_assert(cached->version > work->expected || work->announced);
	write->row = work->fresh;
	write->row.number = work->number;
	write->row.namespace_id = cached->namespace_id;
	write->row.specification = cached->spec->key;
	write->row.version = cached->version;
	write->row.messages = cached->messages;
	write->row.status = wf_case_status(cached->instance);
	write->row.changed_at = work->changed_at;
	write->expected = work->expected;
	write->change = ended ? WF_CASE_END : WF_CASE_STEP;
	wf_effects_terms(batch, work);
	if (!ended) {
		rc = add_snapshot(batch, cached, work->migrated, write, err);
		wf_effects_items(batch, work);
		if (work->undecided_count > 0)
			wf_effects_searches(batch, work);
	}
	return rc == WF_OK ? wf_incidents_close(batch, work, ended, err) : rc;
}

static void put_back(struct batch *batch, const struct work *work)
{
	struct wf_case_write *write = WF_ROW_ADD(batch, cases);

	wf_assert(work->take->state == WF_TAKE_QUARANTINED);
	write->row = work->take->stored.row;
	write->expected = write->row.version;
	write->change = WF_CASE_PUT_BACK;
}

static enum wf_rc add_cases(
    struct batch *batch, uint64_t *failing_out, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < batch->work_count; i++) {
		struct work *work = &batch->works[i];

		/* Nothing is done to a quarantined case but putting it back. */
		wf_assert(!work->put_back || !work->loaded);
		if (work->put_back)
			put_back(batch, work);
		else if (work->loaded &&
			 (work->cached->version > work->expected ||
			     work->announced))
			rc = add_case(batch, work, err);
		if (rc != WF_OK)
			*failing_out = work->number;
	}
	return rc;
}

/* --- commit, and after ---------------------------------------------------- */

static bool is_empty(const struct batch *batch)
{
	return batch->cases_count + batch->due_count + batch->answers_count +
		   batch->incidents_count ==
	       0;
}

static enum wf_rc commit(
    struct batch *batch, uint64_t *failing_out, struct wf_error *err)
{
	struct wf_writes writes;

	if (is_empty(batch)) {
		wf_store_abort(batch->shard->store);
		return WF_OK;
	}
	writes = (struct wf_writes){
		.cases = batch->cases,
		.case_count = batch->cases_count,
		.renames = batch->renames,
		.rename_count = batch->renames_count,
		.items = batch->items,
		.item_count = batch->items_count,
		.values = batch->values,
		.value_count = batch->values_count,
		.history = batch->history,
		.history_count = batch->history_count,
		.due = batch->due,
		.due_count = batch->due_count,
		.messages = batch->messages,
		.message_count = batch->messages_count,
		.answers = batch->answers,
		.answer_count = batch->answers_count,
		.incidents = batch->incidents,
		.incident_count = batch->incidents_count,
		.involved = batch->involved,
		.involved_count = batch->involved_count,
		.migrated = batch->migrated,
		.migrated_count = batch->migrated_count,
		.terms = batch->terms,
		.term_count = batch->terms_count,
	};

	return wf_store_commit(batch->shard->store, &writes, failing_out, err);
}

/* Puts the cases back into the cache, or forgets them. */
static void finish(struct batch *batch, bool committed)
{
	struct shard *shard = batch->shard;

	for (size_t i = 0; i < batch->work_count; i++) {
		struct work *work = &batch->works[i];
		struct cached *cached = work->cached;

		if (cached == NULL)
			continue;
		wf_assert(cached->number == work->number);
		if (!committed || !work->loaded || work->broken ||
		    is_ended(shard, cached) ||
		    wf_shard_of(shard->engine, work->number) != shard) {
			wf_cached_free(&shard->cache, &work->cached);
			continue;
		}
		wf_assert(cached->version >= work->expected);
		if (cached->nets_ended > cached->net_count / 2)
			wf_cached_name_nets(cached, false);
		wf_cache_put(&shard->cache, cached);
	}
}

/*
 * Bounds of what one batch does before it commits: time (milliseconds), and
 * bytes of its rows.
 */
#define BATCH_MS 2000
#define BATCH_ROWS_BYTES ((size_t)64 << 20)

/* Whether the other requests are left to the next batch. */
static bool is_full(const struct batch *batch)
{
	const struct wf_engine *engine = batch->shard->engine;

	return wf_engine_now(engine) - batch->now >= BATCH_MS ||
	       wf_arena_size(batch->arena) >= BATCH_ROWS_BYTES;
}

static enum wf_rc fill_and_commit(
    struct batch *batch, uint64_t *failing_out, struct wf_error *err)
{
	bool full = false;
	enum wf_rc rc;

	for (size_t i = 0; i < batch->count; i++) {
		full = full || (i > 0 && is_full(batch));
		if (full)
			batch->pendings[i]->fate = FATE_AGAIN;
		else
			wf_batch_request(batch, batch->pendings[i]);
		wf_observe_incidents(batch);
	}
	rc = wf_people_keep(batch->shard->engine, batch->people, err);
	if (rc == WF_OK)
		rc = add_cases(batch, failing_out, err);
	if (rc == WF_OK)
		rc = commit(batch, failing_out, err);
	else
		wf_store_abort(batch->shard->store);
	return rc;
}

static void open_batch(struct batch *batch, struct shard *shard,
    struct pending **pendings, size_t count)
{
	wf_assert(count > 0);
	memset(batch, 0, sizeof(*batch));
	wf_arena_reset(shard->arena);
	batch->shard = shard;
	batch->arena = shard->arena;
	batch->pendings = pendings;
	batch->count = count;
	batch->trace = "";
	batch->now = wf_engine_now(shard->engine);
	batch->began = wf_monotonic_us();
	wf_terms_refresh(shard->terms);
}

/* Counts and notifications of a batch that was committed. */
static void count_batch(const struct batch *batch)
{
	struct shard *shard = batch->shard;
	struct wf_engine *engine = shard->engine;

	wf_assert(batch->work_count <= batch->count);
	wf_assert(batch->incidents_opened <= batch->incidents_count);
	shard->commits += !is_empty(batch);
	atomic_fetch_add(&engine->batches, 1);
	pthread_mutex_lock(&shard->lock);
	wf_spread_add(&shard->batch_sizes, batch->count);
	wf_spread_add(
	    &shard->batch_times, (uint64_t)(wf_monotonic_us() - batch->began));
	memcpy(shard->or_stages, wf_or_memory_stages(shard->step.or_memory),
	    sizeof(shard->or_stages));
	pthread_mutex_unlock(&shard->lock);
	atomic_fetch_add(&engine->steps, batch->history_count);
	atomic_fetch_add(&engine->incidents, batch->incidents_opened);
	atomic_fetch_add(&engine->deadlocks, batch->deadlocks);
	wf_notice_incidents(batch);
	for (size_t i = 0; i < batch->due_count; i++)
		if (!batch->due[i].remove) {
			wf_due_wake(engine);
			break;
		}
	/* Also what is announced without a step. */
	if (batch->history_count > 0 || batch->messages_count > 0)
		wf_notify_committed(engine);
}

static void close_batch(struct batch *batch)
{
	for (size_t i = 0; i < batch->work_count; i++)
		if (batch->works[i].values != NULL)
			wf_term_values_drop(batch->works[i].values);
	wf_people_end(batch->shard->engine, &batch->people);
	wf_batch_drop_plan(batch);
	if (batch->reader != NULL)
		wf_engine_give_back(batch->shard->engine, batch->reader);
}

enum wf_rc wf_batch_run(struct shard *shard, struct pending **pendings,
    size_t count, struct failure *failure_out, struct wf_error *err)
{
	uint64_t statements;
	struct batch batch;
	enum wf_rc rc;

	memset(failure_out, 0, sizeof(*failure_out));
	open_batch(&batch, shard, pendings, count);
	statements = wf_store_statements(shard->store);
	rc = wf_batch_prepare(&batch, err);
	if (rc == WF_OK) {
		wf_batch_plan(&batch);
		rc = wf_store_begin(
		    shard->store, &batch.begin, batch.arena, err);
	}
	if (rc == WF_OK) {
		failure_out->begun = true;
		rc = fill_and_commit(&batch, &failure_out->failing_case, err);
		if (rc == WF_OK && shard->engine->settings.traced != NULL)
			wf_notice_traced(&batch,
			    wf_store_statements(shard->store) - statements);
		finish(&batch, rc == WF_OK);
	}
	wf_notice_store(shard, rc, err);
	wf_notice_time(&batch, wf_monotonic_us() - batch.began);
	if (rc == WF_OK)
		count_batch(&batch);
	else /* the cached cases may be ahead of the store, or behind */
		wf_cache_clear(&shard->cache);
	atomic_fetch_add(&shard->engine->statements,
	    wf_store_statements(shard->store) - statements);
	close_batch(&batch);
	return rc;
}

/* --- quarantine ----------------------------------------------------------- */

static void write_quarantine(struct batch *batch, const struct wf_take *take)
{
	struct wf_case_write *write = WF_ROW_ADD(batch, cases);

	write->row = take->stored.row;
	write->expected = write->row.version;
	write->change = WF_CASE_QUARANTINE;
}

static enum wf_rc quarantine_case(struct batch *batch, struct pending *pending,
    const struct wf_take *take, bool quarantine, struct wf_error *err)
{
	uint64_t failing;

	if (take->state == WF_TAKE_SKIPPED) {
		wf_store_abort(batch->shard->store);
		return wf_fail(err, WF_UNAVAILABLE, "the case is in use");
	}
	if (quarantine && take->state == WF_TAKE_TAKEN)
		write_quarantine(batch, take);
	wf_batch_incident(batch, pending, wf_rc_name(pending->answer.rc));
	wf_observe_incidents(batch);
	return commit(batch, &failing, err);
}

enum wf_rc wf_batch_quarantine(struct shard *shard, struct pending *pending,
    bool quarantine, struct wf_error *err)
{
	struct wf_take take = { .number = pending->number,
		.state = WF_TAKE_MISSING };
	struct work work = { .number = pending->number, .take = &take };
	struct batch batch;
	enum wf_rc rc = wf_incidents_ensure(shard, 1, err);

	wf_assert(pending->answer.rc != WF_OK);
	if (rc != WF_OK)
		return rc;
	open_batch(&batch, shard, &pending, 1);
	batch.begin.takes = &take;
	batch.begin.take_count = pending->number != 0;
	pending->work = &work;
	rc = wf_store_begin(shard->store, &batch.begin, batch.arena, err);
	if (rc == WF_OK)
		rc = quarantine_case(&batch, pending, &take, quarantine, err);
	if (rc == WF_OK)
		count_batch(&batch);
	close_batch(&batch);
	return rc;
}
