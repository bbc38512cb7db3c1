/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observing: what observers of the engine are notified of (observed.def).
 *
 * The callback of the settings is called in the batch, and adds messages to the
 * outbox, which are committed with what they are about.  A message is a stream
 * of its own: its subject is its number.
 *
 * Events of a case are its messages.  The number of one is not below the time
 * of the batch, and is its time.  So the time of an event is later than that of
 * each earlier event of the case, also if the node that made that one has a
 * clock that is ahead: the row of the case keeps the last number.
 *
 * An incident may be of a case that the batch has not taken, or of none; its
 * messages are of no case, with numbers that are reserved with that of the
 * incident.
 */
#include <inttypes.h>
#include <string.h>

#include "base/panic.h"
#include "runtime/batch.h"

struct wf_observers {
	struct batch *batch;
	const struct wf_observed *what;
	uint64_t *last; /* message of the case; NULL: they are of none */
	int64_t at;
	size_t count;
};

/* --- messages of a case --------------------------------------------------- */

/* The work of the batch for a case; NULL: there is none. */
static struct work *work_of(const struct batch *batch, uint64_t number)
{
	for (size_t i = 0; i < batch->work_count; i++)
		if (batch->works[i].number == number)
			return &batch->works[i];
	return NULL;
}

static const struct wf_take *take_of(const struct batch *batch, uint64_t number)
{
	for (size_t i = 0; i < batch->begin.take_count; i++)
		if (batch->begin.takes[i].number == number)
			return &batch->begin.takes[i];
	return NULL;
}

static bool is_loaded(const struct work *work)
{
	return work != NULL && work->loaded && work->cached != NULL &&
	       work->cached->spec != NULL;
}

/*
 * The case gets a message and makes no step.  A row is written once, so other
 * requests for the case wait for the next batch.
 */
static void note_message(struct work *work)
{
	wf_assert(work->cached->version >= work->expected);
	if (work->cached->version > work->expected)
		return;
	work->announced = true;
	work->blocked = true;
	if (work->changed_at == 0)
		work->changed_at = wf_case_time(work->cached->instance);
}

/* In the row of a case that is taken and was not loaded. */
static uint64_t *last_of_row(
    struct batch *batch, struct work *work, const struct wf_take *take)
{
	struct wf_case_write *write;

	for (size_t i = 0; i < batch->cases_count; i++)
		if (batch->cases[i].row.number == take->number)
			return &batch->cases[i].row.messages;
	wf_assert(work == NULL || !work->loaded);
	write = WF_ROW_ADD(batch, cases);
	write->row = take->stored.row;
	write->expected = write->row.version;
	write->change = WF_CASE_STEP;
	if (work != NULL)
		work->blocked = true;
	return &write->row.messages;
}

/* Where the number of the last message of a case is; NULL: not here. */
static uint64_t *last_message(struct batch *batch, uint64_t number)
{
	struct work *work = work_of(batch, number);
	const struct wf_take *take = take_of(batch, number);

	if (is_loaded(work) && !work->broken) {
		note_message(work);
		return &work->cached->messages;
	}
	if (take == NULL || take->state != WF_TAKE_TAKEN ||
	    (work != NULL && work->loaded))
		return NULL;
	return last_of_row(batch, work, take);
}

/* Of all messages of an event. */
static void begin_event(struct wf_observers *observers)
{
	uint64_t now = (uint64_t)observers->batch->now;

	observers->at = observers->batch->now;
	if (observers->what->number != 0)
		observers->last =
		    last_message(observers->batch, observers->what->number);
	if (observers->last == NULL)
		return;
	if (*observers->last < now)
		*observers->last = now - 1;
	observers->at = (int64_t)(*observers->last + 1);
	wf_assert(observers->at >= observers->batch->now);
}

/* --- observing ------------------------------------------------------------ */

void wf_observer_add(struct wf_observers *observers, const char *destination,
    struct wf_bytes payload)
{
	struct batch *batch = observers->batch;
	struct wf_message_row *row;

	wf_assert(destination != NULL && payload.data != NULL);
	if (observers->count >= WF_OBSERVERS)
		return;
	if (observers->count++ == 0)
		begin_event(observers);
	row = WF_ROW_ADD(batch, messages);
	if (observers->last != NULL) {
		row->number = observers->what->number;
		row->message = ++*observers->last;
	} else {
		wf_assert(
		    batch->shard->message_next < batch->shard->message_end);
		row->message = batch->shard->message_next++;
	}
	row->namespace_id = observers->what->namespace_id;
	row->destination = wf_arena_strdup(batch->arena, destination);
	row->subject = wf_arena_printf(batch->arena, "%" PRIu64, row->message);
	row->kind = observers->what->kind;
	row->at = observers->at;
	row->payload.data =
	    wf_arena_strndup(batch->arena, payload.data, payload.size);
	row->payload.size = payload.size;
}

static bool is_observed(const struct batch *batch)
{
	return batch->shard->engine->settings.observe != NULL;
}

static void observe(struct batch *batch, struct wf_observed *what)
{
	const struct wf_engine_settings *settings =
	    &batch->shard->engine->settings;
	struct wf_observers observers = { .batch = batch, .what = what };

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
	observe(batch, &what);
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
	observe(batch, &what);
}

/* --- incidents ------------------------------------------------------------ */

/* The case as the batch has it; false: it does not. */
static bool find_case(const struct batch *batch, struct wf_observed *what)
{
	const struct work *work = work_of(batch, what->number);

	if (!is_loaded(work))
		return false;
	what->row = row_of(work);
	what->specification = work->cached->spec->key;
	what->uri = work->cached->spec->spec->uri;
	return true;
}

/* The row as the batch has taken it; NULL: it has not. */
static const struct wf_case_row *find_row(
    const struct batch *batch, uint64_t number)
{
	const struct wf_take *take = take_of(batch, number);

	return take != NULL && (take->state == WF_TAKE_TAKEN ||
				   take->state == WF_TAKE_QUARANTINED)
		   ? &take->stored.row
		   : NULL;
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
	for (; batch->incidents_observed < batch->incidents_count;
	     batch->incidents_observed++) {
		const struct wf_incident_write *write =
		    &batch->incidents[batch->incidents_observed];
		const struct wf_incident_row *row = &write->row;
		struct wf_observed what = { .kind = WF_OBSERVED_INCIDENT_OPENED,
			.namespace_id = row->namespace_id,
			.number = row->number,
			.uri = "",
			.item = row->item == NULL ? "" : row->item,
			.worker = "",
			.incident = row };

		if (write->remove || row->dropped_at != 0)
			continue;
		if (row->number != 0 && !find_case(batch, &what))
			read_case(batch, &what);
		observe(batch, &what);
	}
}
