/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observing: what observers of the engine are notified of (observed.def).
 *
 * The callback of the settings is called in the batch, and adds messages to the
 * outbox, which are committed with what they are about.  A message is a stream
 * of its own: its subject is its number.
 *
 * Of a case that the batch steps the message is the case's.  An incident may be
 * of a case that the batch does not have, or of none; its messages are of no
 * case, with numbers that are reserved with that of the incident.
 */
#include <inttypes.h>
#include <string.h>

#include "base/panic.h"
#include "runtime/batch.h"

struct wf_observers {
	struct batch *batch;
	struct work *work; /* NULL: its messages are of no case */
	const struct wf_observed *what;
	size_t count;
};

void wf_observer_add(struct wf_observers *observers, const char *destination,
    struct wf_bytes payload)
{
	struct batch *batch = observers->batch;
	struct wf_message_row *row;

	wf_assert(destination != NULL && payload.data != NULL);
	wf_assert(observers->work == NULL ||
		  observers->work->number == observers->what->number);
	if (observers->count++ >= WF_OBSERVERS)
		return;
	row = WF_ROW_ADD(batch, messages);
	if (observers->work != NULL) {
		row->number = observers->what->number;
		row->message = ++observers->work->cached->messages;
	} else {
		wf_assert(
		    batch->shard->message_next < batch->shard->message_end);
		row->message = batch->shard->message_next++;
	}
	row->namespace_id = observers->what->namespace_id;
	row->destination = wf_arena_strdup(batch->arena, destination);
	row->subject = wf_arena_printf(batch->arena, "%" PRIu64, row->message);
	row->kind = observers->what->kind;
	row->at = batch->now;
	row->payload.data =
	    wf_arena_strndup(batch->arena, payload.data, payload.size);
	row->payload.size = payload.size;
}

static bool is_observed(const struct batch *batch)
{
	return batch->shard->engine->settings.observe != NULL;
}

static void observe(
    struct batch *batch, struct work *work, struct wf_observed *what)
{
	const struct wf_engine_settings *settings =
	    &batch->shard->engine->settings;
	struct wf_observers observers = {
		.batch = batch, .work = work, .what = what
	};

	wf_assert(what->uri != NULL && what->item != NULL);
	what->at = batch->now;
	settings->observe(settings->context, what, &observers);
}

static const struct wf_case_row *row_of(const struct work *work)
{
	return work->take == NULL ? &work->fresh : &work->take->stored.row;
}

static struct wf_observed observed_of(
    const struct work *work, enum wf_observed_kind kind)
{
	return (struct wf_observed){ .kind = kind,
		.namespace_id = work->cached->namespace_id,
		.number = work->number,
		.row = row_of(work),
		.specification = work->cached->spec->key,
		.uri = work->cached->spec->spec->uri,
		.item = "",
		.worker = "" };
}

void wf_observe_case(
    struct batch *batch, struct work *work, enum wf_observed_kind kind)
{
	struct wf_observed what;

	if (!is_observed(batch))
		return;
	what = observed_of(work, kind);
	observe(batch, work, &what);
}

void wf_observe_lease(struct batch *batch, const struct pending *pending)
{
	const struct wf_request *request = &pending->request;
	struct wf_observed what;

	if (!is_observed(batch) ||
	    !wf_request_is(request, WF_COMMAND_ROLLBACK) ||
	    request->lease.answer == NULL ||
	    strcmp(request->lease.answer, WF_LEASE_OVER) != 0)
		return;
	what = observed_of(pending->work, WF_OBSERVED_WORKER_LOST);
	what.item = request->command.item;
	what.worker = request->lease.owner;
	observe(batch, pending->work, &what);
}

/* --- incidents ------------------------------------------------------------ */

/* The case as the batch has it; false: it does not. */
static bool find_case(const struct batch *batch, struct wf_observed *what)
{
	for (size_t i = 0; i < batch->work_count; i++) {
		const struct work *work = &batch->works[i];

		if (work->number != what->number || !work->loaded ||
		    work->cached == NULL || work->cached->spec == NULL)
			continue;
		what->row = row_of(work);
		what->specification = work->cached->spec->key;
		what->uri = work->cached->spec->spec->uri;
		return true;
	}
	return false;
}

/* The row as the batch has taken it; NULL: it has not. */
static const struct wf_case_row *find_row(
    const struct batch *batch, uint64_t number)
{
	for (size_t i = 0; i < batch->begin.take_count; i++) {
		const struct wf_take *take = &batch->begin.takes[i];

		if (take->number == number &&
		    (take->state == WF_TAKE_TAKEN ||
			take->state == WF_TAKE_QUARANTINED))
			return &take->stored.row;
	}
	return NULL;
}

/* What cannot be read is left out. */
static void read_case(struct batch *batch, struct wf_observed *what)
{
	struct wf_specification_row specification;
	struct wf_stored_case *stored;
	struct wf_store *reader;

	what->row = find_row(batch, what->number);
	if (wf_batch_reader(batch, &reader, NULL) != WF_OK)
		return;
	stored = wf_arena_alloc(batch->arena, sizeof(*stored));
	if (what->row == NULL && wf_store_case(reader, what->number, false,
				     batch->arena, stored, NULL) == WF_OK)
		what->row = &stored->row;
	if (what->row == NULL)
		return;
	what->specification = what->row->specification;
	if (wf_store_specification(reader, what->namespace_id,
		what->specification, batch->arena, &specification,
		NULL) == WF_OK)
		what->uri = specification.uri;
}

void wf_observe_incidents(struct batch *batch)
{
	if (!is_observed(batch))
		return;
	for (size_t i = 0; i < batch->incidents_count; i++) {
		const struct wf_incident_row *row = &batch->incidents[i].row;
		struct wf_observed what = { .kind = WF_OBSERVED_INCIDENT_OPENED,
			.namespace_id = row->namespace_id,
			.number = row->number,
			.uri = "",
			.item = row->item == NULL ? "" : row->item,
			.worker = "",
			.incident = row };

		if (batch->incidents[i].remove || row->dropped_at != 0)
			continue;
		if (row->number != 0 && !find_case(batch, &what))
			read_case(batch, &what);
		observe(batch, NULL, &what);
	}
}
