/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request within a batch: found done before, stepped, refused, or deferred.
 *
 * Each step, and each loading of a case, runs in a guard: an assertion that
 * fails there ends the step, not the engine, and the case is quarantined.
 */
#include "runtime/batch.h"

#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/panic.h"
#include "kernel/assignment/assignment.h"
#include "kernel/why.h"
#include "runtime/checksum.h"

/* The answer that was stored when the same command came before. */
static void answer_again(struct batch *batch, struct pending *pending)
{
	const struct wf_answer_row *row = &pending->look_up->answer;
	struct wf_reply *answer = &pending->answer;
	struct wf_reader reader;

	wf_assert(pending->look_up->state == WF_COMMAND_DONE);
	wf_batch_end_due(batch, pending);
	if (pending->due != NULL)
		return;
	if (row->request != pending->content) {
		if (pending->request.kind == WF_REQUEST_WITHDRAW)
			wf_start_is_gone(pending);
		else
			wf_pending_fail(pending, WF_CONFLICT,
			    "the key '%s' came before, with another request",
			    pending->request.key);
		return;
	}
	wf_reader_init(&reader, row->body.data, row->body.size);
	answer->number = row->number;
	answer->sequence = row->sequence;
	answer->status = wf_get_bounded(&reader, UINT32_MAX);
	answer->name = wf_get_string(&reader, batch->arena);
	answer->item = wf_get_string(&reader, batch->arena);
	answer->repeated = true;
	if (reader.bad)
		wf_pending_fail(
		    pending, WF_CORRUPT, "a stored answer is damaged");
}

/*
 * Whether a verdict, the end of a timer, an alarm or an announcement came too
 * late, which is no error.
 */
static bool is_stale(const struct pending *pending, enum wf_rc rc)
{
	const struct wf_request *request = &pending->request;

	return (request->kind == WF_REQUEST_ANNOUNCE ||
		   wf_request_is(request, WF_COMMAND_DECIDE) ||
		   wf_request_is(request, WF_COMMAND_ALARM) ||
		   wf_request_is(request, WF_COMMAND_EXPIRE)) &&
	       (rc == WF_CONFLICT || rc == WF_NOT_FOUND);
}

struct running {
	const char *number; /* of the timer, as text */
	int64_t at;	    /* 0: it does not run */
};

static void find_timer(
    void *argument, const char *item, uint32_t number, int64_t at)
{
	struct running *running = argument;
	char text[16];

	(void)item;
	snprintf(text, sizeof(text), "%u", (unsigned)number);
	if (strcmp(text, running->number) == 0)
		running->at = at;
}

/* When the timer of EXPIRE, or the alarm, is due; 0: it is not set. */
static int64_t time_of_timer(const struct pending *pending)
{
	struct running running = { .number = NULL };
	bool is_alarm = wf_request_is(&pending->request, WF_COMMAND_ALARM);

	if (!is_alarm && !wf_request_is(&pending->request, WF_COMMAND_EXPIRE))
		return 0;
	running.number = pending->request.command.data;
	if (running.number == NULL || pending->work->cached == NULL)
		return 0;
	(is_alarm ? wf_case_alarms : wf_case_timers)(
	    pending->work->cached->instance, find_timer, &running);
	return running.at;
}

/*
 * The due command is over, unless its timer still runs: the clock was set back
 * since it was claimed, and the command must come again.
 */
static void end_stale(struct batch *batch, const struct pending *pending)
{
	int64_t at = time_of_timer(pending);

	/* The item has another id since a migration, and the row as well. */
	if (at != 0 && at <= pending->stepped_at)
		return;
	if (at > pending->stepped_at)
		wf_batch_postpone(batch, pending, at);
	else
		wf_batch_end_due(batch, pending);
}

/* The answer is a failure; for a due command it becomes an incident. */
static void refuse(struct batch *batch, struct pending *pending)
{
	enum wf_rc rc = pending->answer.rc;

	wf_assert(rc != WF_OK);
	if (pending->due == NULL)
		return;
	if (is_stale(pending, rc))
		end_stale(batch, pending);
	else
		wf_batch_incident(batch, pending, wf_rc_name(rc));
}

/* --- steps ---------------------------------------------------------------- */

/* Data is read, checked against its types and copied. */
#define WORK_PER_BYTE 1U

/* What is left of the batch's work, or the least that a step has. */
static uint64_t work_left(const struct batch *batch)
{
	const struct wf_engine_settings *settings =
	    &batch->shard->engine->settings;
	uint64_t left = batch->work < settings->batch_work
			    ? settings->batch_work - batch->work
			    : 0;

	return left > settings->step_work ? left : settings->step_work;
}

struct wf_people_calls *wf_batch_people(struct batch *batch)
{
	if (batch->people == NULL)
		batch->people =
		    wf_people_begin(batch->shard->engine, batch->now);
	return batch->people;
}

/*
 * The step was made outside: the copy becomes the case, if that is the same,
 * and what its items are busy with is theirs.
 */
static enum wf_rc take_long(struct batch *batch, struct pending *pending)
{
	struct long_step *l = pending->long_step;
	struct work *work = pending->work;
	struct shard *shard = batch->shard;
	struct wf_step own = shard->step;

	wf_assert(l->pending == pending && l->state == LONG_MADE);
	if (!l->is_made || l->cached->number != pending->number ||
	    l->cached->version != work->cached->version ||
	    (l->rc == WF_OK &&
		!wf_people_hold(shard->engine, wf_batch_people(batch),
		    pending->number, &l->step))) {
		pending->fate = FATE_LONG;
		return WF_UNAVAILABLE;
	}
	l->is_made = false; /* a batch that fails needs another one */
	pending->stepped_at = l->at;
	pending->answer.error = l->err;
	if (l->rc != WF_OK)
		return l->rc;
	l->cached->messages = work->cached->messages;
	wf_cached_free(&shard->cache, &work->cached);
	work->cached = l->cached;
	l->cached = NULL;
	shard->step = l->step;
	l->step = own;
	/* These stay: the memory counts, and remembers decisions. */
	l->step.or_memory = shard->step.or_memory;
	shard->step.or_memory = own.or_memory;
	shard->step.cancelled = own.cancelled;
	return WF_OK;
}

static enum wf_rc step(struct batch *batch, struct pending *pending)
{
	struct wf_step *kernel = &batch->shard->step;
	uint64_t data = pending->request.command.length * WORK_PER_BYTE;
	enum wf_rc rc;

	if (pending->long_step != NULL)
		return take_long(batch, pending);
	pending->stepped_at = batch->now;
	kernel->work_maximum = work_left(batch);
	if (data >= kernel->work_maximum) {
		pending->fate = FATE_LONG;
		return WF_UNAVAILABLE;
	}
	kernel->work_maximum -= data;
	batch->work += data;
	rc = wf_step_request(batch->shard->engine, pending,
	    pending->work->cached, wf_batch_people(batch), batch->now, kernel,
	    NULL, &pending->answer.error);
	batch->work += kernel->work;
	if (kernel->exceeded) {
		pending->fate = FATE_LONG;
		if (pending->due != NULL)
			wf_batch_keep_claim(batch, pending,
			    batch->now + wf_long_claim_ms(batch->shard));
	}
	return rc;
}

/* How the command came, and what made it come. */
static const char *describe_origin(
    struct batch *batch, const struct pending *pending)
{
	const char *origin = pending->request.origin;

	if (pending->due != NULL && pending->due->earlier.incident != 0)
		origin = wf_arena_printf(batch->arena,
		    "%s" WF_ORIGIN_INCIDENT "%llu", origin,
		    (unsigned long long)pending->due->earlier.incident);
	if (pending->overrides)
		origin = wf_arena_printf(
		    batch->arena, "%s" WF_ORIGIN_OVERRIDE, origin);
	return origin;
}

static void add_history(struct batch *batch, const struct pending *pending)
{
	const struct wf_step *step = &batch->shard->step;
	struct wf_history_row *row = WF_ROW_ADD(batch, history);

	wf_assert(pending->work->cached->version > pending->work->expected);
	row->number = pending->number;
	row->sequence = pending->work->cached->version;
	row->at = wf_case_time(pending->work->cached->instance);
	row->actor = pending->request.actor;
	row->origin = describe_origin(batch, pending);
	row->format = 1;
	row->command = pending->id;
	row->events.data = step->events.data;
	row->events.size = step->events.length;
	wf_checksum_add_history(row, batch->arena);
}

static void add_values(struct batch *batch, uint64_t number)
{
	const struct wf_step *step = &batch->shard->step;

	for (size_t i = 0; i < step->large_count; i++) {
		const struct wf_value *value = step->large[i];
		struct wf_value_row *row = WF_ROW_ADD(batch, values);

		wf_assert(i == 0 || step->large[i - 1]->number < value->number);
		row->number = number;
		row->value = value->number;
		row->text.data = wf_value_text(value);
		row->text.size = value->length;
		wf_checksum_add_value(row, batch->arena);
	}
}

/* What a failed item means for its case. */
static const char *describe_effect(
    struct batch *batch, const struct pending *pending)
{
	struct wf_buffer *text = wf_batch_buffer(batch);

	if (pending->request.command.kind != WF_COMMAND_FAIL)
		return NULL;
	wf_why_ended(
	    pending->work->cached->instance, &batch->shard->step, text);
	return wf_batch_bytes(batch).data;
}

void wf_batch_add_step(struct batch *batch, const struct pending *pending)
{
	struct work *work = pending->work;
	struct cached *cached = work->cached;

	wf_assert(!work->blocked && cached->number == pending->number);
	cached->version++;
	cached->unsaved += batch->shard->step.event_count;
	cached->growth += batch->shard->step.events.length;
	work->changed_at = wf_case_time(cached->instance);
	add_history(batch, pending);
	add_values(batch, pending->number);
}

/* The step succeeded, and its effects are rows: so is the answer. */
static void answer_step(struct batch *batch, struct pending *pending)
{
	struct work *work = pending->work;
	struct cached *cached = work->cached;

	wf_batch_end_due(batch, pending);
	pending->answer.number = pending->number;
	pending->answer.sequence = cached->version;
	pending->answer.status = wf_case_status(cached->instance);
	pending->answer.name =
	    wf_arena_strdup(batch->arena, wf_case_id(cached->instance));
	pending->answer.item =
	    wf_arena_strdup(batch->arena, batch->shard->step.item);
	pending->answer.effect = describe_effect(batch, pending);
	wf_batch_answer(batch, pending);
	if (pending->answer.status > WF_CASE_SUSPENDED)
		work->blocked = true;
	if (pending->answer.status == WF_CASE_DEADLOCKED)
		wf_deadlock_open(batch, pending);
}

static void keep_step(struct batch *batch, struct pending *pending)
{
	wf_batch_add_step(batch, pending);
	wf_effects_note(batch, pending);
	wf_lease_note(batch, pending);
	wf_observe_lease(batch, pending);
	answer_step(batch, pending);
}

static bool migrates(const struct pending *pending)
{
	return wf_request_is(&pending->request, WF_COMMAND_MIGRATE);
}

/* Makes the step, or both of a migration, and keeps what was made. */
static enum wf_rc step_or_migrate(struct batch *batch, struct pending *pending)
{
	enum wf_rc rc = migrates(pending) ? wf_batch_migrate(batch, pending)
					  : step(batch, pending);

	pending->answer.rc = rc;
	pending->answer.number = pending->number;
	if (rc != WF_OK || pending->fate != FATE_ANSWER)
		return rc;
	if (migrates(pending))
		answer_step(batch, pending);
	else
		keep_step(batch, pending);
	return rc;
}

static void step_and_keep(struct batch *batch, struct pending *pending)
{
	struct work *work = pending->work;
	struct wf_incident_list closed = { .count = 0 };
	enum wf_rc rc = WF_OK;

	if (work->cached->instance != NULL)
		rc = wf_deadlock_read(
		    batch, pending, &closed, &pending->answer.error);
	wf_effects_before(batch, work);
	if (rc == WF_OK)
		rc = step_or_migrate(batch, pending);
	pending->answer.rc = rc;
	pending->answer.number = pending->number;
	if (pending->fate == FATE_LONG) {
		work->blocked = true;
	} else if (pending->fate == FATE_AGAIN) {
		return;
	} else if (rc == WF_OK) {
		wf_deadlock_close(batch, pending, &closed);
	} else if (rc == WF_BUG && !wf_request_launches(&pending->request)) {
		pending->fate = FATE_QUARANTINED;
		work->blocked = true;
		work->broken = true;
	} else {
		refuse(batch, pending);
	}
}

/* --- launches ------------------------------------------------------------- */

static enum wf_rc find_spec(struct batch *batch, struct pending *pending)
{
	const struct wf_request *request = &pending->request;
	struct wf_error *err = &pending->answer.error;
	struct wf_store *reader;
	enum wf_rc rc = wf_batch_reader(batch, &reader, err);

	if (rc == WF_OK)
		rc = wf_specs_use_new(batch->shard->engine->specs, reader,
		    request->namespace_id, request->launch.specification,
		    &pending->work->cached->spec, err);
	pending->answer.rc = rc;
	return rc;
}

static void fill_fresh(struct work *work, const struct pending *pending)
{
	struct wf_case_row *row = &work->fresh;

	row->number = pending->number;
	row->namespace_id = pending->request.namespace_id;
	row->name = pending->name;
	row->specification = pending->request.launch.specification;
	row->title = pending->request.launch.title;
	row->owner = pending->request.actor;
	row->extra = pending->request.launch.extra;
}

/* The name is used by another case, or by this one. */
static void launch_again(struct batch *batch, struct pending *pending)
{
	struct work *work = pending->work;

	if (work->claim->number == pending->number && pending->due != NULL) {
		/* It was launched before: only its due row remained. */
		pending->answer.number = pending->number;
		wf_batch_end_due(batch, pending);
	} else if (pending->own_name) {
		/* Another case has this number as a name: take the next. */
		pending->number = 0;
		pending->fate = FATE_AGAIN;
	} else {
		wf_pending_fail(pending, WF_CONFLICT,
		    "there is a case called '%s' already", pending->name);
		refuse(batch, pending);
	}
}

/* Whether the case or its specification is at fault, not the store. */
static bool is_damage(enum wf_rc rc)
{
	return rc == WF_CORRUPT || rc == WF_NOT_FOUND || rc == WF_BUG;
}

static bool is_suspended(const struct pending *pending)
{
	return pending->answer.rc == WF_CONFLICT &&
	       strcmp(pending->answer.error.code, WF_SUSPENDED_CODE) == 0;
}

static void launch(struct batch *batch, struct pending *pending)
{
	struct work *work = pending->work;
	enum wf_rc rc;

	wf_assert(work->claim != NULL && pending->number != 0);
	if (work->claim->state == WF_CLAIM_BUSY) {
		pending->fate = FATE_AGAIN;
		return;
	}
	if (work->claim->state == WF_CLAIM_USED) {
		launch_again(batch, pending);
		return;
	}
	work->cached = wf_cached_new(pending->number);
	work->cached->namespace_id = pending->request.namespace_id;
	fill_fresh(work, pending);
	rc = find_spec(batch, pending);
	if (rc != WF_OK) {
		if (is_damage(rc))
			refuse(batch, pending);
		else if (pending->due != NULL && is_suspended(pending))
			wf_batch_wait(batch, pending);
		return;
	}
	work->cached->leased = LEASED_NONE;
	step_and_keep(batch, pending);
	work->loaded = work->cached->version > 0;
	work->fresh.launched_at = work->changed_at;
}

/* --- one request ---------------------------------------------------------- */

struct loading {
	struct batch *batch;
	struct work *work;
	struct wf_error *err;
	enum wf_rc rc;
};

static void load_in_guard(void *argument)
{
	struct loading *loading = argument;
	struct shard *shard = loading->batch->shard;
	struct wf_store *reader;

	loading->rc = wf_batch_reader(loading->batch, &reader, loading->err);
	if (loading->rc == WF_OK)
		loading->rc = wf_cached_load(loading->work->cached,
		    shard->engine->specs, atomic_load(&shard->engine->limits),
		    &loading->work->take->stored, shard->store, reader,
		    loading->batch->arena, loading->err);
}

/* Loading in a guard: a damaged case must not end the engine. */
static enum wf_rc load_new(
    struct batch *batch, struct work *work, struct wf_error *err)
{
	struct loading loading = { batch, work, err, WF_OK };
	struct shard *shard = batch->shard;
	struct wf_guard guard;

	work->cached = wf_cached_new(work->number);
	atomic_fetch_add(&shard->engine->loads, 1);
	if (!wf_guard_run(&guard, load_in_guard, &loading)) {
		/* It is half made, and its memory cannot be freed. */
		work->cached->instance = NULL;
		wf_error_clear(err);
		loading.rc = wf_fail(err, WF_BUG, "%s", guard.reason);
	}
	if (loading.rc != WF_OK)
		wf_cached_free(&shard->cache, &work->cached);
	return loading.rc;
}

/* Makes work->cached the case as it is in the store. */
static enum wf_rc load(struct batch *batch, struct pending *pending)
{
	struct work *work = pending->work;
	struct cache *cache = &batch->shard->cache;
	const struct wf_case_row *row = &work->take->stored.row;
	enum wf_rc rc = WF_OK;

	wf_assert(work->take->number == work->number);
	if (work->loaded)
		return WF_OK;
	work->expected = row->version;
	work->cached = wf_cache_find(cache, work->number);
	if (work->cached != NULL)
		wf_cache_take(cache, work->cached);
	if (work->cached != NULL && work->cached->version != work->expected)
		wf_cached_free(cache, &work->cached);
	if (work->cached == NULL)
		rc = load_new(batch, work, &pending->answer.error);
	pending->answer.rc = rc;
	if (rc != WF_OK)
		return rc;
	/* The count of messages changes without a step, too. */
	work->cached->messages = row->messages;
	work->loaded = true;
	return WF_OK;
}

/* Whether the case could be loaded; else the request has its fate. */
static bool is_loaded(struct batch *batch, struct pending *pending)
{
	enum wf_rc rc = load(batch, pending);

	pending->answer.number = pending->number;
	if (rc == WF_OK)
		return true;
	pending->fate = is_damage(rc) ? FATE_QUARANTINED : FATE_ANSWER;
	pending->work->blocked = true;
	return false;
}

/* --- about an item, without a step ---------------------------------------- */

/* An item of an atomic task: instances of composite tasks are not announced. */
static enum wf_rc find_item(const struct pending *pending,
    struct wf_item *item_out, struct wf_error *err)
{
	const char *id = wf_request_item(&pending->request);
	enum wf_rc rc =
	    wf_case_item(pending->work->cached->instance, id, item_out, err);

	if (rc == WF_OK && item_out->task->kind != WF_ATOMIC_TASK)
		rc = wf_fail(
		    err, WF_NOT_FOUND, "there is no work item '%s'", id);
	return rc;
}

/* A worker has the item, also while it is suspended. */
static bool is_executing(const struct wf_item *item)
{
	return item->status == WF_ITEM_EXECUTING ||
	       (item->status == WF_ITEM_SUSPENDED &&
		   item->suspended_from == WF_ITEM_EXECUTING);
}

static void announce_again(struct batch *batch, struct pending *pending)
{
	struct work *work = pending->work;
	struct wf_item item;

	pending->answer.rc = find_item(pending, &item, &pending->answer.error);
	if (pending->answer.rc != WF_OK) {
		refuse(batch, pending);
		return;
	}
	if (work->cached->version != work->expected) {
		pending->fate = FATE_AGAIN; /* a row is written once */
		return;
	}
	if (!is_executing(&item) && !wf_lease_reset(batch, pending))
		return;
	wf_effects_announce(
	    batch, work, &item, pending->request.announce.reason[0] != '\0');
	work->announced = true;
	work->blocked = true;
	if (work->changed_at == 0)
		work->changed_at = wf_case_time(work->cached->instance);
	wf_batch_end_due(batch, pending);
	wf_batch_answer(batch, pending);
}

/*
 * Whether nobody works on the item, people have not got it back, and there
 * still is no service for it.
 */
static bool is_unserved(
    const struct batch *batch, const struct work *work, struct wf_item *item)
{
	const struct wf_engine_settings *settings =
	    &batch->shard->engine->settings;

	return !is_executing(item) && item->assignment == NULL &&
	       (settings->serves == NULL ||
		   !settings->serves(settings->context,
		       work->cached->namespace_id, item->service));
}

/* Whether a report that was put off is still true. */
static bool is_needed(const struct batch *batch, const struct pending *pending,
    struct wf_item *item)
{
	const char *code = pending->request.report.code;

	return wf_people_has_code(code)
		   ? wf_people_is_stuck(code, item)
		   : is_unserved(batch, pending->work, item);
}

/*
 * A report on an item that is gone makes no incident, nor does one that was
 * put off and need not be made any more.
 */
static void report(struct batch *batch, struct pending *pending)
{
	struct wf_item item;

	if (find_item(pending, &item, NULL) == WF_OK &&
	    (pending->due == NULL || is_needed(batch, pending, &item)))
		wf_batch_report(batch, pending, &item);
	wf_batch_end_due(batch, pending);
	wf_batch_answer(batch, pending);
}

/* Whether the case is as the caller has seen it. */
static bool has_version(struct pending *pending)
{
	uint64_t version = pending->work->cached->version;

	if (pending->request.version == 0 ||
	    pending->request.version == version)
		return true;
	pending->answer.rc =
	    wf_fail_code(&pending->answer.error, WF_CONFLICT, WF_CHANGED_CODE,
		"the case has changed: it has made %llu steps, not %llu",
		(unsigned long long)version,
		(unsigned long long)pending->request.version);
	return false;
}

/* Whether the case is of the specification that the caller knows it by. */
static bool has_specification(struct pending *pending)
{
	uint64_t specification = pending->request.specification;

	if (specification == 0 ||
	    specification == pending->work->cached->spec->key)
		return true;
	pending->answer.rc =
	    wf_fail_code(&pending->answer.error, WF_CONFLICT, WF_MIGRATED_CODE,
		"the case was migrated to another specification meanwhile: "
		"give the command again");
	return false;
}

static void do_request(struct batch *batch, struct pending *pending)
{
	if (pending->request.kind == WF_REQUEST_ANNOUNCE)
		announce_again(batch, pending);
	else if (pending->request.kind == WF_REQUEST_REPORT)
		report(batch, pending);
	else if (has_specification(pending) && has_version(pending) &&
		 wf_lease_check(batch, pending))
		step_and_keep(batch, pending);
}

/* --- dispatching ---------------------------------------------------------- */

static void refuse_quarantined(struct batch *batch, struct pending *pending)
{
	wf_pending_fail(pending, WF_CONFLICT, WF_QUARANTINED_TEXT);
	if (pending->due != NULL)
		wf_batch_postpone(
		    batch, pending, batch->now + WF_DUE_COMMAND_LEASE_MS);
}

/* A due command that is damaged or deadly is refused without a step. */
static bool is_refused(struct batch *batch, struct pending *pending)
{
	const struct wf_error *refusal;

	if (pending->due == NULL || pending->due->refusal.rc == WF_OK)
		return false;
	refusal = &pending->due->refusal;
	wf_pending_fail(pending, refusal->rc, "%s", refusal->message);
	if (refusal->rc != WF_BUG) {
		refuse(batch, pending);
		return true;
	}
	pending->fate = FATE_QUARANTINED;
	if (pending->work != NULL)
		pending->work->blocked = true;
	return true;
}

static void command(struct batch *batch, struct pending *pending)
{
	const struct wf_take *take = pending->work->take;

	if (take->state == WF_TAKE_MISSING)
		wf_batch_refuse_missing(pending);
	else if (take->state == WF_TAKE_QUARANTINED)
		refuse_quarantined(batch, pending);
	else if (!is_refused(batch, pending) && is_loaded(batch, pending))
		do_request(batch, pending);
}

static bool must_wait(const struct pending *pending)
{
	const struct work *work = pending->work;

	return (pending->look_up != NULL &&
		   pending->look_up->state == WF_COMMAND_BUSY) ||
	       (work != NULL && (work->blocked ||
				    (work->take != NULL &&
					work->take->state == WF_TAKE_SKIPPED)));
}

/* The claim has ended: another engine may have claimed and done it. */
static bool is_over(const struct batch *batch, const struct pending *pending)
{
	return pending->due != NULL && batch->now >= pending->due->until;
}

static void dispatch(struct batch *batch, struct pending *pending)
{
	const struct wf_request *request = &pending->request;

	if (request->kind == WF_REQUEST_SCHEDULE)
		wf_batch_schedule(batch, pending);
	else if (request->kind == WF_REQUEST_WITHDRAW)
		wf_batch_withdraw(batch, pending);
	else if (request->kind == WF_REQUEST_RETRY ||
		 request->kind == WF_REQUEST_DROP)
		wf_batch_close_incident(batch, pending);
	else if (!wf_request_launches(request))
		command(batch, pending);
	else if (!is_refused(batch, pending))
		launch(batch, pending);
}

/* Nodes from before have no column for it. */
static const char *trace_of(
    const struct batch *batch, const struct pending *pending)
{
	const char *trace = pending->request.trace;

	return trace[0] != '\0' && wf_engine_may_write(batch->shard->engine,
				       WF_OPERATIONS_TABLES, NULL) == WF_OK
		   ? trace
		   : "";
}

void wf_batch_request(struct batch *batch, struct pending *pending)
{
	const struct wf_lookup *look_up = pending->look_up;

	if (pending->fate == FATE_AGAIN)
		return;
	wf_assert(pending->fate == FATE_ANSWER);
	batch->trace = trace_of(batch, pending);
	/* That it was done stays known until the caller has its answer. */
	if (look_up != NULL && look_up->state != WF_COMMAND_BUSY)
		pending->in_doubt = look_up->state == WF_COMMAND_DONE;
	if (look_up != NULL && look_up->state == WF_COMMAND_DONE)
		answer_again(batch, pending);
	else if (must_wait(pending))
		pending->fate = FATE_AGAIN;
	else if (is_over(batch, pending))
		wf_pending_fail(
		    pending, WF_UNAVAILABLE, "the claim on it is over");
	else
		dispatch(batch, pending);
}
