/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request within a batch: done before, stepped, refused, or put off.
 *
 * Every step runs in a guard of its own beside the kernel's, so an assertion
 * that fails in whatever belongs to a step ends the step and not the engine.
 */
#include "runtime/batch.h"

#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/panic.h"
#include "runtime/seal.h"

#define PAYLOAD_MAXIMUM ((size_t)256 << 20)

/* --- answers as they are stored ------------------------------------------- */

static void add_answer(struct batch *batch, const struct pending *pending)
{
	struct wf_answer_row *row = WF_ROW_ADD(batch, answers);
	const struct wf_reply *answer = &pending->answer;
	struct wf_buffer body;

	wf_buffer_init(&body, PAYLOAD_MAXIMUM);
	wf_put_number(&body, answer->status);
	wf_put_string(&body, answer->name);
	wf_put_string(&body, answer->item);
	row->id = pending->id;
	row->request = pending->content;
	row->number = answer->number;
	row->sequence = answer->sequence;
	row->at = batch->now;
	row->code = WF_OK;
	row->body.data = wf_arena_strndup(batch->arena, body.data, body.length);
	row->body.size = body.length;
	wf_buffer_free(&body);
}

static void answer_again(struct batch *batch, struct pending *pending)
{
	const struct wf_answer_row *row = &pending->look_up->answer;
	struct wf_reply *answer = &pending->answer;
	struct wf_reader reader;

	wf_batch_end_due(batch, pending);
	if (row->request != pending->content) {
		wf_pending_fail(pending, WF_CONFLICT,
		    "the key '%s' came before, with another request",
		    pending->request.key);
		return;
	}
	wf_reader_init(&reader, row->body.data, row->body.size);
	answer->number = row->number;
	answer->sequence = row->sequence;
	answer->status = wf_get_bounded(&reader, UINT32_MAX);
	answer->name = wf_get_text(&reader, batch->arena);
	answer->item = wf_get_text(&reader, batch->arena);
	answer->repeated = true;
	if (reader.bad)
		wf_pending_fail(
		    pending, WF_CORRUPT, "a stored answer is damaged");
}

/* --- what remains of a request that failed without a caller --------------- */

void wf_batch_end_due(struct batch *batch, const struct pending *pending)
{
	struct wf_due_write *write;

	if (pending->due == NULL)
		return;
	write = WF_ROW_ADD(batch, due);
	write->row.number = pending->due_number;
	write->row.name = pending->due;
	write->remove = true;
}

static struct wf_bytes payload_of(
    struct batch *batch, const struct pending *pending)
{
	struct wf_buffer buffer;
	struct wf_bytes payload;

	wf_buffer_init(&buffer, PAYLOAD_MAXIMUM);
	wf_request_encode(&buffer, &pending->request);
	payload.data =
	    wf_arena_strndup(batch->arena, buffer.data, buffer.length);
	payload.size = buffer.length;
	wf_buffer_free(&buffer);
	return payload;
}

void wf_batch_incident(
    struct batch *batch, struct pending *pending, const char *code)
{
	struct shard *shard = batch->shard;
	struct wf_incident_write *write = WF_ROW_ADD(batch, incidents);
	struct wf_incident_row *row = &write->row;

	row->id = shard->incident_next++;
	row->namespace_id = pending->request.namespace_id;
	row->number = pending->number;
	row->item = pending->request.item;
	row->code = code;
	row->text =
	    wf_arena_strdup(batch->arena, pending->answer.error.message);
	row->attempts = pending->failures + 1;
	row->first_at = batch->now;
	row->last_at = batch->now;
	/* A caller was told that it failed: it is his to try again. */
	if (pending->due != NULL) {
		row->kind = pending->request.kind;
		row->payload = payload_of(batch, pending);
	}
	wf_batch_end_due(batch, pending);
}

/* The verdict of a search that came too late is no news. */
static bool is_stale_search(const struct pending *pending, enum wf_rc rc)
{
	return pending->request.command == WF_COMMAND_DECIDE &&
	       (rc == WF_CONFLICT || rc == WF_NOT_FOUND);
}

static void refuse(struct batch *batch, struct pending *pending)
{
	enum wf_rc rc = pending->answer.rc;

	if (pending->due == NULL)
		return;
	if (is_stale_search(pending, rc))
		wf_batch_end_due(batch, pending);
	else
		wf_batch_incident(batch, pending, wf_rc_name(rc));
}

/* --- steps ---------------------------------------------------------------- */

struct stepping {
	struct batch *batch;
	struct pending *pending;
	struct wf_command command;
	enum wf_rc rc;
};

static void step_in_guard(void *argument)
{
	struct stepping *stepping = argument;
	struct batch *batch = stepping->batch;
	const struct wf_engine_settings *settings =
	    &batch->shard->engine->settings;
	struct pending *pending = stepping->pending;
	struct cached *cached = pending->work->cached;
	struct wf_error *err = &pending->answer.error;

	if (settings->probe != NULL)
		settings->probe(
		    settings->context, &pending->request, &stepping->command);
	if (stepping->command.kind == WF_COMMAND_LAUNCH)
		stepping->rc = wf_case_launch(&cached->instance,
		    cached->spec->spec, pending->name, settings->limits,
		    &stepping->command, &batch->shard->step, err);
	else
		stepping->rc = wf_case_step(cached->instance,
		    &stepping->command, &batch->shard->step, err);
}

static enum wf_rc step(struct batch *batch, struct pending *pending)
{
	const struct wf_request *request = &pending->request;
	struct stepping stepping = { .batch = batch, .pending = pending };
	struct wf_guard guard;

	stepping.command.kind = request->command;
	stepping.command.item = request->item;
	stepping.command.data = request->data;
	stepping.command.length = request->length;
	stepping.command.now = batch->now;
	stepping.command.timezone = batch->shard->engine->settings.timezone;
	if (!wf_guard_run(&guard, step_in_guard, &stepping))
		stepping.rc =
		    wf_fail(&pending->answer.error, WF_BUG, "%s", guard.reason);
	pending->answer.rc = stepping.rc;
	return stepping.rc;
}

static void add_history(struct batch *batch, const struct pending *pending)
{
	const struct wf_step *step = &batch->shard->step;
	struct wf_history_row *row = WF_ROW_ADD(batch, history);

	row->number = pending->number;
	row->sequence = pending->work->cached->version;
	row->at = batch->now;
	row->actor = pending->request.actor;
	row->origin = pending->request.origin;
	row->format = 1;
	row->command = pending->id;
	row->events.data = step->events.data;
	row->events.size = step->events.length;
	wf_seal_history(row, batch->arena);
}

static void add_values(struct batch *batch, uint64_t number)
{
	const struct wf_step *step = &batch->shard->step;

	for (size_t i = 0; i < step->large_count; i++) {
		const struct wf_value *value = step->large[i];
		struct wf_value_row *row = WF_ROW_ADD(batch, values);

		row->number = number;
		row->value = value->number;
		row->text.data = wf_value_text(value);
		row->text.size = value->length;
		wf_seal_value(row, batch->arena);
	}
}

/* The step is good: what it did becomes rows. */
static void keep_step(struct batch *batch, struct pending *pending)
{
	struct work *work = pending->work;
	struct cached *cached = work->cached;

	cached->version++;
	cached->unsaved += batch->shard->step.event_count;
	work->changed_at = batch->now;
	add_history(batch, pending);
	add_values(batch, pending->number);
	wf_effects_note(batch, work);
	wf_batch_end_due(batch, pending);
	pending->answer.number = pending->number;
	pending->answer.sequence = cached->version;
	pending->answer.status = wf_case_status(cached->instance);
	pending->answer.name =
	    wf_arena_strdup(batch->arena, wf_case_id(cached->instance));
	pending->answer.item =
	    wf_arena_strdup(batch->arena, batch->shard->step.item);
	add_answer(batch, pending);
	if (pending->answer.status > WF_CASE_SUSPENDED)
		work->blocked = true;
}

static void step_and_keep(struct batch *batch, struct pending *pending)
{
	struct work *work = pending->work;
	enum wf_rc rc = step(batch, pending);

	pending->answer.number = pending->number;
	if (rc == WF_OK) {
		keep_step(batch, pending);
	} else if (rc == WF_BUG && work->claim == NULL) {
		pending->fate = FATE_ASIDE;
		work->blocked = true;
	} else {
		refuse(batch, pending);
	}
}

/* --- launches ------------------------------------------------------------- */

static enum wf_rc find_spec(struct batch *batch, struct pending *pending)
{
	const struct wf_request *request = &pending->request;
	struct shard *shard = batch->shard;
	struct cached *cached = pending->work->cached;
	enum wf_rc rc = wf_specs_use(shard->engine->specs, batch->reader,
	    request->namespace_id, request->specification, &cached->spec,
	    &pending->answer.error);

	if (rc == WF_OK && cached->spec->removed)
		rc = wf_fail(&pending->answer.error, WF_NOT_FOUND,
		    "the specification %llu was removed",
		    (unsigned long long)request->specification);
	pending->answer.rc = rc;
	return rc;
}

static void fill_fresh(struct work *work, const struct pending *pending)
{
	struct wf_case_row *row = &work->fresh;

	row->number = pending->number;
	row->namespace_id = pending->request.namespace_id;
	row->name = pending->name;
	row->specification = pending->request.specification;
	row->title = pending->request.title;
	row->owner = pending->request.actor;
	row->extra = pending->request.extra;
}

/* The name is in use. */
static void launch_again(struct batch *batch, struct pending *pending)
{
	struct work *work = pending->work;

	if (work->claim->number == pending->number && pending->due != NULL) {
		/* It was launched before: only its due row is left. */
		pending->answer.number = pending->number;
		wf_batch_end_due(batch, pending);
	} else if (pending->own_name) {
		/* A case has a number for a name: the next number, then. */
		pending->number = 0;
		pending->fate = FATE_AGAIN;
	} else {
		wf_pending_fail(pending, WF_CONFLICT,
		    "there is a case called '%s' already", pending->name);
		refuse(batch, pending);
	}
}

static void launch(struct batch *batch, struct pending *pending)
{
	struct work *work = pending->work;

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
	work->fresh.launched_at = batch->now;
	if (find_spec(batch, pending) != WF_OK) {
		refuse(batch, pending);
		return;
	}
	step_and_keep(batch, pending);
	work->loaded = work->cached->version > 0;
}

static void refuse_missing(struct batch *batch, struct pending *pending)
{
	wf_pending_fail(pending, WF_NOT_FOUND, "there is no running case %llu",
	    (unsigned long long)pending->number);
	/* Whatever was due for a case that has ended is not due any more. */
	wf_batch_end_due(batch, pending);
}

/* It will be launched, or done, later: only a due row now. */
static void schedule(struct batch *batch, struct pending *pending)
{
	struct wf_request *request = &pending->request;
	bool launches = request->command == WF_COMMAND_LAUNCH;
	struct wf_due_write *write;

	if (!launches && pending->work->take->state == WF_TAKE_MISSING) {
		refuse_missing(batch, pending);
		return;
	}
	write = WF_ROW_ADD(batch, due);
	write->row.number = launches ? 0 : pending->number;
	write->row.name =
	    launches
		? wf_arena_printf(batch->arena, "launch %u %s",
		      request->namespace_id, pending->name)
		: wf_arena_printf(batch->arena, "command %s",
		      request->due[0] != '\0' ? request->due : pending->id);
	write->row.namespace_id = request->namespace_id;
	write->row.at = request->at;
	write->row.kind = WF_DUE_REQUEST;
	request->kind = WF_REQUEST_COMMAND;
	if (launches) {
		request->number = pending->number;
		request->name = pending->name;
	}
	write->row.payload = payload_of(batch, pending);
	request->kind = WF_REQUEST_SCHEDULE;
	pending->answer.number = pending->number;
	pending->answer.name = launches ? pending->name : "";
	pending->answer.item = "";
	add_answer(batch, pending);
}

/* --- incidents ------------------------------------------------------------ */

static void retry_command(struct batch *batch, struct pending *pending,
    const struct wf_incident_row *incident)
{
	struct wf_due_write *write;

	if (incident->payload.data == NULL ||
	    (pending->work == NULL && pending->number != 0))
		return;
	write = WF_ROW_ADD(batch, due);
	write->row.number = pending->number;
	write->row.name = wf_arena_printf(
	    batch->arena, "retry %llu", (unsigned long long)incident->id);
	write->row.namespace_id = incident->namespace_id;
	write->row.at = batch->now;
	write->row.kind = WF_DUE_REQUEST;
	write->row.payload = incident->payload;
}

static void close_incident(struct batch *batch, struct pending *pending,
    const struct wf_incident_row *incident)
{
	struct wf_incident_write *write = WF_ROW_ADD(batch, incidents);

	write->row = *incident;
	write->remove = true;
	if (pending->request.kind == WF_REQUEST_RETRY) {
		if (pending->work != NULL &&
		    pending->work->take->state == WF_TAKE_SET_ASIDE)
			pending->work->put_back = true;
		retry_command(batch, pending, incident);
	}
	pending->answer.number = pending->number;
	pending->answer.name = "";
	pending->answer.item = "";
	add_answer(batch, pending);
}

static void do_incident(struct batch *batch, struct pending *pending)
{
	struct work *work = pending->work;
	struct wf_incident_row incident;
	enum wf_rc rc =
	    wf_store_incident(batch->reader, pending->request.incident,
		batch->arena, &incident, &pending->answer.error);

	pending->answer.rc = rc;
	if (rc != WF_OK)
		return;
	if (work != NULL && work->take->state == WF_TAKE_MISSING)
		pending->work = NULL;
	else if (work != NULL && work->expected != 0 && work->cached != NULL &&
		 work->cached->version != work->expected)
		pending->fate = FATE_AGAIN;
	if (pending->fate != FATE_ANSWER)
		return;
	if (work != NULL)
		work->blocked = true;
	close_incident(batch, pending, &incident);
}

/* --- one request ---------------------------------------------------------- */

/* The case as it is in the store, in memory. */
static bool load(struct batch *batch, struct pending *pending)
{
	struct work *work = pending->work;
	struct shard *shard = batch->shard;
	const struct wf_stored_case *stored = &work->take->stored;
	enum wf_rc rc;

	if (work->loaded)
		return true;
	work->expected = stored->row.version;
	work->cached = wf_cache_find(&shard->cache, work->number);
	if (work->cached != NULL)
		wf_cache_take(&shard->cache, work->cached);
	if (work->cached != NULL && work->cached->version != work->expected)
		wf_cached_free(&shard->cache, &work->cached);
	if (work->cached == NULL) {
		work->cached = wf_cached_new(work->number);
		atomic_fetch_add(&shard->engine->loads, 1);
		rc = wf_cached_load(work->cached, shard->engine->specs,
		    shard->engine->settings.limits, stored, shard->store,
		    batch->reader, batch->arena, &pending->answer.error);
		if (rc != WF_OK) {
			pending->answer.rc = rc;
			wf_cached_free(&shard->cache, &work->cached);
			return false;
		}
	}
	/* The store counts messages too, without a step. */
	work->cached->messages = stored->row.messages;
	work->loaded = true;
	return true;
}

static void refuse_poison(struct pending *pending)
{
	wf_pending_fail(pending, WF_BUG, "engines died %u times in the attempt",
	    WF_DUE_ATTEMPTS);
	pending->fate = FATE_ASIDE;
}

static void command(struct batch *batch, struct pending *pending)
{
	struct work *work = pending->work;

	if (work->take->state == WF_TAKE_MISSING) {
		refuse_missing(batch, pending);
	} else if (work->take->state == WF_TAKE_SET_ASIDE) {
		wf_pending_fail(pending, WF_CONFLICT,
		    "case %llu is set aside until its incident is dealt with",
		    (unsigned long long)pending->number);
		refuse(batch, pending);
	} else if (pending->poisoned) {
		refuse_poison(pending);
		work->blocked = true;
	} else if (pending->undecidable) {
		wf_pending_fail(pending, WF_LIMIT,
		    "the OR-join %s could not be decided by a long search",
		    pending->request.item);
		refuse(batch, pending);
	} else if (!load(batch, pending)) {
		/* What is wrong with the store is not wrong with the case. */
		pending->fate = pending->answer.rc == WF_CORRUPT ||
					pending->answer.rc == WF_NOT_FOUND ||
					pending->answer.rc == WF_BUG
				    ? FATE_ASIDE
				    : FATE_ANSWER;
		work->blocked = true;
	} else {
		step_and_keep(batch, pending);
	}
}

static bool must_wait(const struct pending *pending)
{
	const struct work *work = pending->work;

	if (pending->look_up != NULL &&
	    pending->look_up->state == WF_COMMAND_BUSY)
		return true;
	return work != NULL &&
	       (work->blocked || (work->take != NULL &&
				     work->take->state == WF_TAKE_SKIPPED));
}

void wf_batch_request(struct batch *batch, struct pending *pending)
{
	const struct wf_request *request = &pending->request;

	if (pending->fate == FATE_AGAIN)
		return;
	if (pending->look_up != NULL &&
	    pending->look_up->state == WF_COMMAND_DONE)
		answer_again(batch, pending);
	else if (must_wait(pending))
		pending->fate = FATE_AGAIN;
	else if (request->kind == WF_REQUEST_SCHEDULE)
		schedule(batch, pending);
	else if (request->kind != WF_REQUEST_COMMAND)
		do_incident(batch, pending);
	else if (request->command != WF_COMMAND_LAUNCH)
		command(batch, pending);
	else if (pending->poisoned)
		refuse_poison(pending);
	else
		launch(batch, pending);
}
