/* SPDX-License-Identifier: Apache-2.0 */
/* A batch: planned, begun, filled, committed. */
#include "runtime/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"

#define STATE_MAXIMUM ((size_t)1 << 30)

/* --- plan ----------------------------------------------------------------- */

static void init_places(
    struct places *places, struct wf_arena *arena, size_t count)
{
	size_t room = 4;

	while (room < 2 * count)
		room *= 2;
	places->at = wf_arena_array(arena, room, sizeof(*places->at));
	places->mask = room - 1;
}

/* The number of a case, spread over all bits. */
static uint64_t hash_number(uint64_t number)
{
	return number * UINT64_C(0x9E3779B97F4A7C15) >> 32;
}

static struct work *work_of(struct batch *batch, uint64_t number)
{
	struct places *places = &batch->work_places;
	size_t at = hash_number(number) & places->mask;
	struct work *work;

	for (; places->at[at] != 0; at = (at + 1) & places->mask)
		if (batch->works[places->at[at] - 1].number == number)
			return &batch->works[places->at[at] - 1];
	work = &batch->works[batch->work_count++];
	work->number = number;
	places->at[at] = (uint32_t)batch->work_count;
	return work;
}

/* NULL: the batch gives that name to a case already. */
static struct wf_claim *claim_name(
    struct batch *batch, uint32_t namespace_id, const char *name)
{
	struct places *places = &batch->claim_places;
	struct wf_claim *claims = batch->begin.claims;
	size_t at = wf_request_hash(name, strlen(name)) & places->mask;

	for (; places->at[at] != 0; at = (at + 1) & places->mask) {
		const struct wf_claim *claim = &claims[places->at[at] - 1];

		if (claim->namespace_id == namespace_id &&
		    strcmp(claim->name, name) == 0)
			return NULL;
	}
	claims[batch->begin.claim_count].namespace_id = namespace_id;
	claims[batch->begin.claim_count++].name = name;
	places->at[at] = (uint32_t)batch->begin.claim_count;
	return &claims[batch->begin.claim_count - 1];
}

/* NULL: a command with that id is in the batch already. */
static struct wf_look_up *look_up(struct batch *batch, const char *id)
{
	struct places *places = &batch->command_places;
	struct wf_look_up *commands = batch->begin.commands;
	size_t at = wf_request_hash(id, strlen(id)) & places->mask;

	for (; places->at[at] != 0; at = (at + 1) & places->mask)
		if (strcmp(commands[places->at[at] - 1].id, id) == 0)
			return NULL;
	commands[batch->begin.command_count++].id = id;
	places->at[at] = (uint32_t)batch->begin.command_count;
	return &commands[batch->begin.command_count - 1];
}

static void plan_case(struct batch *batch, struct pending *pending)
{
	struct work *work = work_of(batch, pending->number);
	const struct cached *cached;

	pending->work = work;
	if (work->take != NULL)
		return;
	work->take = &batch->begin.takes[batch->begin.take_count++];
	work->take->number = work->number;
	cached = wf_cache_find(&batch->shard->cache, work->number);
	work->take->known = cached == NULL ? 0 : cached->version;
}

static void give_name(struct batch *batch, struct pending *pending)
{
	const char *wanted = pending->request.name;
	char number[32];

	if (pending->number == 0) {
		pending->number = wf_numbers_take(batch->shard);
		pending->own_name = wanted[0] == '\0';
	}
	snprintf(number, sizeof(number), "%llu",
	    (unsigned long long)pending->number);
	wf_free((void *)(uintptr_t)pending->name);
	pending->name = wf_strdup(pending->own_name ? number : wanted);
}

static void plan_launch(struct batch *batch, struct pending *pending)
{
	struct wf_claim *claim;

	give_name(batch, pending);
	if (pending->request.kind == WF_REQUEST_SCHEDULE)
		return;
	claim = claim_name(batch, pending->request.namespace_id, pending->name);
	if (claim == NULL) {
		pending->fate = FATE_AGAIN;
		return;
	}
	pending->work = work_of(batch, pending->number);
	pending->work->claim = claim;
}

static void plan_request(struct batch *batch, struct pending *pending)
{
	const struct wf_request *request = &pending->request;

	/* Nobody can have done a command that was never tried. */
	if (!pending->new_id) {
		pending->look_up = look_up(batch, pending->id);
		if (pending->look_up == NULL) {
			pending->fate = FATE_AGAIN;
			return;
		}
	}
	pending->new_id = false;
	if (request->command == WF_COMMAND_LAUNCH &&
	    request->kind <= WF_REQUEST_SCHEDULE)
		plan_launch(batch, pending);
	else if (request->kind == WF_REQUEST_COMMAND ||
		 (request->kind >= WF_REQUEST_RETRY && pending->number != 0))
		plan_case(batch, pending);
	else if (request->kind == WF_REQUEST_SCHEDULE)
		plan_case(batch, pending);
}

static void plan(struct batch *batch)
{
	struct wf_arena *arena = batch->arena;
	size_t count = batch->count;

	batch->begin.takes =
	    wf_arena_array(arena, count, sizeof(*batch->begin.takes));
	batch->begin.claims =
	    wf_arena_array(arena, count, sizeof(*batch->begin.claims));
	batch->begin.commands =
	    wf_arena_array(arena, count, sizeof(*batch->begin.commands));
	batch->works = wf_arena_array(arena, count, sizeof(*batch->works));
	init_places(&batch->work_places, arena, count);
	init_places(&batch->claim_places, arena, count);
	init_places(&batch->command_places, arena, count);
	for (size_t i = 0; i < count; i++) {
		struct pending *pending = batch->pendings[i];

		pending->work = NULL;
		pending->look_up = NULL;
		pending->fate = FATE_ANSWER;
		memset(&pending->answer, 0, sizeof(pending->answer));
		plan_request(batch, pending);
	}
}

/* What must be known before a batch begins. */
static enum wf_rc prepare(struct batch *batch, struct wf_error *err)
{
	size_t launches = 0;
	size_t incidents = 0;
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < batch->count; i++) {
		struct pending *pending = batch->pendings[i];
		struct wf_incident_row row;

		incidents += pending->due != NULL;
		if (pending->request.kind >= WF_REQUEST_RETRY) {
			rc = wf_store_incident(batch->reader,
			    pending->request.incident, batch->arena, &row, err);
			pending->number = rc == WF_OK ? row.number : 0;
			if (rc == WF_NOT_FOUND) {
				wf_error_clear(err);
				rc = WF_OK;
			}
		} else if (pending->request.command == WF_COMMAND_LAUNCH) {
			launches += pending->number == 0;
		}
	}
	if (rc == WF_OK && launches > 0)
		rc = wf_numbers_ensure(batch->shard, launches, err);
	if (rc == WF_OK && incidents > 0)
		rc = wf_incidents_ensure(batch->shard, incidents, err);
	return rc;
}

/* --- rows of a case ------------------------------------------------------- */

static bool is_ended(const struct cached *cached)
{
	return wf_case_status(cached->instance) > WF_CASE_SUSPENDED;
}

/* A large state is not even encoded before it is time to write it. */
static enum wf_rc add_snapshot(struct batch *batch, struct cached *cached,
    struct wf_case_write *write, struct wf_error *err)
{
	const struct wf_engine_settings *settings =
	    &batch->shard->engine->settings;
	bool often = cached->unsaved >= settings->snapshot_events;
	struct wf_buffer bytes;
	enum wf_rc rc;

	if (cached->encoded > settings->snapshot_bytes && !often)
		return WF_OK;
	wf_buffer_init(&bytes, STATE_MAXIMUM);
	rc = wf_case_encode(cached->instance, &bytes, err);
	if (rc == WF_OK) {
		cached->encoded = bytes.length;
		if (bytes.length <= settings->snapshot_bytes || often) {
			write->snapshot.data = wf_arena_strndup(
			    batch->arena, bytes.data, bytes.length);
			write->snapshot.size = bytes.length;
			cached->snapshot_version = cached->version;
			cached->unsaved = 0;
		}
	}
	wf_buffer_free(&bytes);
	return rc;
}

static enum wf_rc add_case(
    struct batch *batch, struct work *work, struct wf_error *err)
{
	struct cached *cached = work->cached;
	struct wf_case_write *write = WF_ROW_ADD(batch, cases);
	enum wf_rc rc = WF_OK;

	write->row = work->fresh;
	write->row.number = work->number;
	write->row.namespace_id = cached->namespace_id;
	write->row.specification = cached->spec->key;
	write->row.version = cached->version;
	write->row.messages = cached->messages;
	write->row.status = wf_case_status(cached->instance);
	write->row.changed_at = work->changed_at;
	write->expected = work->expected;
	write->change = is_ended(cached) ? WF_CASE_END : WF_CASE_STEP;
	if (!is_ended(cached)) {
		rc = add_snapshot(batch, cached, write, err);
		wf_effects_items(batch, work);
		if (work->undecided)
			wf_effects_searches(batch, work);
	}
	write->row.snapshot_version = cached->snapshot_version;
	return rc;
}

static void put_back(struct batch *batch, const struct work *work)
{
	struct wf_case_write *write = WF_ROW_ADD(batch, cases);

	write->row = work->take->stored.row;
	write->expected = write->row.version;
	write->change = WF_CASE_PUT_BACK;
}

/* A due row of a case may be removed only with the case in hand. */
static void drop_foreign_due(struct batch *batch)
{
	size_t kept = 0;

	for (size_t i = 0; i < batch->due_count; i++) {
		const struct wf_due_write *write = &batch->due[i];
		bool held = write->row.number == 0;

		for (size_t w = 0; !held && w < batch->work_count; w++) {
			const struct work *work = &batch->works[w];

			held = work->number == write->row.number &&
			       work->take != NULL &&
			       work->take->state <= WF_TAKE_SET_ASIDE;
		}
		if (held)
			batch->due[kept++] = *write;
	}
	batch->due_count = kept;
}

static enum wf_rc add_cases(struct batch *batch, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < batch->work_count; i++) {
		struct work *work = &batch->works[i];

		if (work->put_back)
			put_back(batch, work);
		else if (work->loaded && work->cached->version > work->expected)
			rc = add_case(batch, work, err);
	}
	drop_foreign_due(batch);
	return rc;
}

/* --- commit, and after ---------------------------------------------------- */

static bool is_empty(const struct batch *batch)
{
	return batch->cases_count + batch->due_count + batch->answers_count +
		   batch->incidents_count ==
	       0;
}

static enum wf_rc commit(struct batch *batch, struct wf_error *err)
{
	struct wf_writes writes = {
		.cases = batch->cases,
		.case_count = batch->cases_count,
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
	};

	if (is_empty(batch)) {
		wf_store_abort(batch->shard->store);
		return WF_OK;
	}
	return wf_store_commit(batch->shard->store, &writes, NULL, err);
}

/* Cases go back into the cache, or are forgotten. */
static void finish(struct batch *batch, bool committed)
{
	struct shard *shard = batch->shard;

	for (size_t i = 0; i < batch->work_count; i++) {
		struct work *work = &batch->works[i];
		struct cached *cached = work->cached;

		if (cached == NULL)
			continue;
		if (!committed || !work->loaded || is_ended(cached) ||
		    wf_shard_of(shard->engine, work->number) != shard) {
			wf_cached_free(&shard->cache, &work->cached);
			continue;
		}
		if (cached->net_count > 0)
			wf_cached_name_nets(cached, false);
		wf_cache_put(&shard->cache, cached);
	}
}

static enum wf_rc fill_and_commit(struct batch *batch, struct wf_error *err)
{
	enum wf_rc rc;

	for (size_t i = 0; i < batch->count; i++)
		wf_batch_request(batch, batch->pendings[i]);
	rc = add_cases(batch, err);
	if (rc == WF_OK)
		rc = commit(batch, err);
	else
		wf_store_abort(batch->shard->store);
	return rc;
}

static enum wf_rc open_batch(struct batch *batch, struct shard *shard,
    struct pending **pendings, size_t count, struct wf_error *err)
{
	memset(batch, 0, sizeof(*batch));
	wf_arena_reset(shard->arena);
	batch->shard = shard;
	batch->arena = shard->arena;
	batch->pendings = pendings;
	batch->count = count;
	batch->now = wf_engine_now(shard->engine);
	return wf_engine_borrow(shard->engine, &batch->reader, err);
}

enum wf_rc wf_batch_run(struct shard *shard, struct pending **pendings,
    size_t count, struct wf_error *err)
{
	struct batch batch;
	uint64_t statements = wf_store_statements(shard->store);
	enum wf_rc rc = open_batch(&batch, shard, pendings, count, err);

	if (rc != WF_OK)
		return rc;
	rc = prepare(&batch, err);
	if (rc == WF_OK) {
		plan(&batch);
		rc = wf_store_begin(
		    shard->store, &batch.begin, batch.arena, err);
	}
	if (rc == WF_OK) {
		rc = fill_and_commit(&batch, err);
		finish(&batch, rc == WF_OK);
	}
	if (rc == WF_OK) {
		shard->commits += !is_empty(&batch);
		atomic_fetch_add(&shard->engine->batches, 1);
		atomic_fetch_add(&shard->engine->steps, batch.history_count);
		atomic_fetch_add(
		    &shard->engine->incidents, batch.incidents_count);
		if (batch.due_count > 0)
			wf_due_wake(shard->engine);
	} else {
		/* What is in memory may be ahead of the store, or behind. */
		wf_cache_clear(&shard->cache);
	}
	atomic_fetch_add(&shard->engine->statements,
	    wf_store_statements(shard->store) - statements);
	wf_engine_give_back(shard->engine, batch.reader);
	return rc;
}

/* --- setting aside -------------------------------------------------------- */

static void put_aside(struct batch *batch, const struct wf_take *take)
{
	struct wf_case_write *write = WF_ROW_ADD(batch, cases);

	write->row = take->stored.row;
	write->expected = write->row.version;
	write->change = WF_CASE_PUT_ASIDE;
}

enum wf_rc wf_batch_set_aside(struct shard *shard, struct pending *pending,
    bool aside, struct wf_error *err)
{
	const struct cached *known =
	    wf_cache_find(&shard->cache, pending->number);
	struct wf_take take = { .number = pending->number };
	struct batch batch;
	struct work work = { .number = pending->number, .take = &take };
	enum wf_rc rc = wf_incidents_ensure(shard, 1, err);

	if (rc == WF_OK)
		rc = open_batch(&batch, shard, &pending, 1, err);
	if (rc != WF_OK)
		return rc;
	batch.works = &work;
	batch.work_count = 1;
	batch.begin.takes = &take;
	batch.begin.take_count = pending->number != 0;
	take.known = known == NULL ? 0 : known->version;
	take.state = WF_TAKE_MISSING;
	rc = wf_store_begin(shard->store, &batch.begin, batch.arena, err);
	if (rc == WF_OK && take.state == WF_TAKE_SKIPPED) {
		wf_store_abort(shard->store);
		rc = wf_fail(err, WF_UNAVAILABLE, "the case is in use");
	} else if (rc == WF_OK) {
		if (aside && take.state == WF_TAKE_TAKEN)
			put_aside(&batch, &take);
		wf_batch_incident(
		    &batch, pending, wf_rc_name(pending->answer.rc));
		drop_foreign_due(&batch);
		rc = commit(&batch, err);
	}
	if (rc == WF_OK) {
		shard->commits++;
		atomic_fetch_add(&shard->engine->incidents, 1);
	}
	wf_engine_give_back(shard->engine, batch.reader);
	return rc;
}
