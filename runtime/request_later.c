/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows for later: answers that are kept for repetitions, due rows, incidents.
 */
#include <string.h>

#include "base/codec.h"
#include "base/panic.h"
#include "runtime/batch.h"

void wf_batch_answer(struct batch *batch, const struct pending *pending)
{
	struct wf_answer_row *row = WF_ROW_ADD(batch, answers);
	const struct wf_reply *answer = &pending->answer;
	struct wf_buffer *body = wf_batch_buffer(batch);

	wf_put_number(body, answer->status);
	wf_put_string(body, answer->name == NULL ? "" : answer->name);
	wf_put_string(body, answer->item == NULL ? "" : answer->item);
	row->id = pending->id;
	row->request = pending->content;
	row->number = answer->number;
	row->sequence = answer->sequence;
	row->at = batch->now;
	row->code = answer->rc;
	row->body = wf_batch_bytes(batch);
}

void wf_batch_refuse_missing(struct pending *pending)
{
	wf_pending_fail(pending, WF_NOT_FOUND, "there is no running case %llu",
	    (unsigned long long)pending->number);
	pending->answer.no_case = true;
}

/* --- due rows ------------------------------------------------------------- */

/* A due row of a case may be written only by a batch that has the case. */
static bool holds_row(const struct pending *pending)
{
	const struct work *work = pending->work;
	uint64_t number = pending->due->row.number;

	wf_assert(pending->due->state == DUE_TRIED);
	return number == 0 ||
	       (work != NULL && work->number == number && work->take != NULL &&
		   work->take->state <= WF_TAKE_QUARANTINED);
}

/* A row is written once in a batch: one to be armed is removed instead. */
void wf_batch_remove_due(struct batch *batch, uint64_t number, const char *name)
{
	struct wf_due_write *write = wf_batch_find_due(batch, number, name);

	if (write == NULL) {
		write = WF_ROW_ADD(batch, due);
		write->row.number = number;
		write->row.name = name;
	}
	write->remove = true;
}

void wf_batch_end_due(struct batch *batch, const struct pending *pending)
{
	if (pending->due != NULL && holds_row(pending))
		wf_batch_remove_due(
		    batch, pending->due->row.number, pending->due->row.name);
}

void wf_batch_postpone(
    struct batch *batch, const struct pending *pending, int64_t at)
{
	struct wf_due_write *write;

	if (!holds_row(pending))
		return;
	write = WF_ROW_ADD(batch, due);
	write->row = pending->due->row;
	write->row.at = at;
}

/* Between two attempts of a launch whose specification is suspended. */
#define WAIT_MINIMUM_MS 1000
#define WAIT_MAXIMUM_MS 60000

void wf_batch_wait(struct batch *batch, const struct pending *pending)
{
	const struct due_command *due = pending->due;
	struct wf_due_attempts earlier = due->earlier;
	struct wf_due_write *write;
	int64_t wait;

	wf_assert(wf_request_launches(&pending->request) && holds_row(pending));
	/* Without attempts this is the time of the launch. */
	if (earlier.first_at == 0)
		earlier.first_at = due->row.at;
	wait = batch->now - earlier.first_at;
	if (wait < WAIT_MINIMUM_MS)
		wait = WAIT_MINIMUM_MS;
	else if (wait > WAIT_MAXIMUM_MS)
		wait = WAIT_MAXIMUM_MS;
	write = WF_ROW_ADD(batch, due);
	write->row = due->row;
	write->row.at = batch->now + wait;
	write->row.payload =
	    wf_due_command_payload(&earlier, due->body, batch->arena);
}

void wf_batch_keep_claim(
    struct batch *batch, const struct pending *pending, int64_t until)
{
	struct due_command *due = pending->due;
	struct wf_due_write *write;

	if (!holds_row(pending))
		return;
	/* If the engine crashes, this attempt counts. */
	if (due->earlier.attempts == 0)
		due->earlier.first_at = batch->now;
	due->earlier.attempts = due->attempts;
	due->until = until;
	write = WF_ROW_ADD(batch, due);
	write->row = due->row;
	write->row.at = until;
	write->row.payload =
	    wf_due_command_payload(&due->earlier, due->body, batch->arena);
}

static void add_request(
    struct batch *batch, const struct pending *pending, uint64_t number)
{
	struct wf_request request = pending->request;
	struct wf_due_write *write = WF_ROW_ADD(batch, due);
	const struct wf_engine *engine = batch->shard->engine;
	char start[WF_START_NAME_BYTES];

	wf_assert(request.kind == WF_REQUEST_SCHEDULE && pending->number != 0);
	request.kind = WF_REQUEST_COMMAND;
	if (wf_request_launches(&request)) {
		request.number = pending->number;
		request.launch.name = pending->name;
		wf_start_name(pending->number, start);
		write->row.name = wf_arena_strdup(batch->arena, start);
	} else {
		write->row.name = wf_arena_printf(batch->arena,
		    "command %llu/%llu", (unsigned long long)engine->opening,
		    (unsigned long long)pending->serial);
	}
	write->row.number = number;
	write->row.namespace_id = request.namespace_id;
	write->row.at = request.at;
	write->row.kind = WF_DUE_REQUEST;
	write->row.payload = wf_due_command_payload(
	    NULL, wf_request_encode(&request, batch->arena), batch->arena);
}

/* A command that would fail now in any case is not scheduled. */
static enum wf_rc check_later(struct batch *batch, struct pending *pending)
{
	const struct wf_request *request = &pending->request;
	struct wf_error *err = &pending->answer.error;
	struct specs *specs = batch->shard->engine->specs;
	struct kept_spec *spec;
	struct wf_store *reader;

	if (!wf_request_launches(request)) {
		if (pending->work->take->state == WF_TAKE_MISSING)
			wf_batch_refuse_missing(pending);
		return pending->answer.rc;
	}
	pending->answer.rc = wf_batch_reader(batch, &reader, err);
	if (pending->answer.rc == WF_OK)
		pending->answer.rc =
		    wf_specs_use_new(specs, reader, request->namespace_id,
			request->launch.specification, &spec, err);
	if (pending->answer.rc == WF_OK)
		wf_specs_drop(specs, &spec);
	return pending->answer.rc;
}

void wf_batch_schedule(struct batch *batch, struct pending *pending)
{
	bool launches = wf_request_launches(&pending->request);

	if (check_later(batch, pending) != WF_OK)
		return;
	add_request(batch, pending, launches ? 0 : pending->number);
	pending->answer.number = pending->number;
	pending->answer.name = launches ? pending->name : NULL;
	wf_batch_answer(batch, pending);
}

/* --- incidents ------------------------------------------------------------ */

/* Numbers were reserved before the batch began. */
static uint64_t next_incident(struct shard *shard)
{
	wf_assert(shard->incident_next < shard->incident_end);
	return shard->incident_next++;
}

/* Stores in the incident what its retry does, and the attempts so far. */
static void fill_retry(struct batch *batch, struct wf_incident_row *row,
    uint32_t kind, struct wf_bytes body)
{
	struct wf_due_attempts earlier = { .incident = row->id,
		.attempts = row->attempts,
		.first_at = row->first_at };

	row->kind = kind;
	row->payload = wf_due_command_payload(&earlier, body, batch->arena);
}

void wf_batch_incident(
    struct batch *batch, struct pending *pending, const char *code)
{
	const struct due_command *due = pending->due;
	struct shard *shard = batch->shard;
	struct wf_incident_write *write = WF_ROW_ADD(batch, incidents);
	struct wf_incident_row *row = &write->row;

	wf_assert(pending->answer.rc != WF_OK);
	row->namespace_id = pending->request.namespace_id;
	row->number = pending->number;
	row->item = wf_request_item(&pending->request);
	row->code = code;
	row->text = pending->answer.error.message;
	row->first_at = batch->now;
	row->last_at = batch->now;
	row->attempts = 1;
	if (due != NULL) {
		if (wf_request_launches(&pending->request))
			row->text = wf_arena_printf(batch->arena,
			    "the launch of case %llu: %s",
			    (unsigned long long)pending->number, row->text);
		row->number = due->row.number;
		row->id = due->earlier.incident;
		row->attempts = due->attempts;
		if (due->earlier.attempts > 0)
			row->first_at = due->earlier.first_at;
	}
	if (row->id == 0)
		row->id = next_incident(shard);
	/*
	 * A caller has the answer and can repeat the request.  A damaged
	 * command cannot be retried.
	 */
	if (due != NULL && due->body.data != NULL)
		fill_retry(batch, row, due->row.kind, due->body);
	batch->incidents_opened++;
	if (due == NULL)
		return;
	wf_batch_end_due(batch, pending);
	wf_batch_answer(batch, pending);
}

struct wf_incident_row *wf_batch_new_incident(struct batch *batch,
    uint32_t namespace_id, uint64_t number, const char *code)
{
	struct wf_incident_row *row = &WF_ROW_ADD(batch, incidents)->row;

	row->id = next_incident(batch->shard);
	row->namespace_id = namespace_id;
	row->number = number;
	row->code = code;
	row->attempts = 1;
	row->first_at = batch->now;
	row->last_at = batch->now;
	batch->incidents_opened++;
	return row;
}

/* Retrying the incident announces the item again. */
void wf_batch_report(struct batch *batch, const struct pending *pending,
    const struct wf_item *item)
{
	const struct wf_request *request = &pending->request;
	struct wf_request again = { .kind = WF_REQUEST_ANNOUNCE,
		.namespace_id = request->namespace_id,
		.number = request->number,
		.announce.item = request->report.item,
		.origin = "retry" };
	struct wf_incident_row *row = wf_batch_new_incident(batch,
	    request->namespace_id, request->number, request->report.code);

	row->item = request->report.item;
	row->text = request->report.text;
	row->attempts = request->report.attempts;
	if (request->report.detail != NULL && request->report.detail[0] != '\0')
		row->detail = (struct wf_bytes){ request->report.detail,
			strlen(request->report.detail) };
	if (wf_people_has_code(request->report.code))
		wf_people_retry(request, item, &again);
	fill_retry(batch, row, WF_DUE_REQUEST,
	    wf_request_encode(&again, batch->arena));
}

/* If the retried command fails again, it becomes the same incident. */
static void arm_retry(struct batch *batch, struct pending *pending,
    const struct wf_incident_row *incident)
{
	struct wf_due_write *write;

	if (incident->payload.data == NULL ||
	    (pending->work == NULL && pending->number != 0))
		return;
	write = WF_ROW_ADD(batch, due);
	write->row.number = pending->number;
	write->row.name = wf_arena_printf(batch->arena, "retry %llu %u",
	    (unsigned long long)incident->id, incident->attempts);
	write->row.namespace_id = incident->namespace_id;
	write->row.at = batch->now;
	write->row.kind = incident->kind;
	write->row.payload = incident->payload;
}

static void put_back(struct work *work)
{
	if (work != NULL && work->take->state == WF_TAKE_QUARANTINED)
		work->put_back = true;
}

/* The incident; NULL, and the answer is set, when it is gone. */
static const struct wf_incident_row *read_incident(
    struct batch *batch, struct pending *pending)
{
	struct wf_incident_row *row =
	    wf_arena_alloc(batch->arena, sizeof(*row));
	struct wf_error *err = &pending->answer.error;
	struct wf_store *reader;
	enum wf_rc rc = wf_batch_reader(batch, &reader, err);

	if (rc == WF_OK)
		rc = wf_store_incident(reader, pending->request.incident.id,
		    batch->arena, row, err);
	pending->answer.rc = rc;
	return rc == WF_OK ? row : NULL;
}

/* Without an incident a case is only put back. */
static bool may_close(struct pending *pending)
{
	const struct work *work = pending->work;

	if (pending->request.incident.id != 0)
		return true;
	if (work->take->state == WF_TAKE_MISSING)
		wf_batch_refuse_missing(pending);
	else if (work->take->state != WF_TAKE_QUARANTINED)
		wf_pending_fail(pending, WF_CONFLICT,
		    "case %llu is not quarantined",
		    (unsigned long long)pending->number);
	else
		return true;
	return false;
}

/*
 * Whether a command is armed, or a case goes on.  The retry of another incident
 * may have put back the case already.
 */
static bool can_retry(
    const struct work *work, const struct wf_incident_row *incident)
{
	return incident->payload.data != NULL ||
	       (work != NULL && work->take->state != WF_TAKE_MISSING);
}

static bool may_retry(
    struct pending *pending, const struct wf_incident_row *incident)
{
	if (strcmp(incident->code, WF_DEADLOCK_CODE) == 0)
		wf_pending_fail(pending, WF_CONFLICT,
		    "incident %llu is a deadlock, which no retry resolves: "
		    "repair, migrate or cancel its case, which drops the "
		    "incident",
		    (unsigned long long)incident->id);
	else if (!can_retry(pending->work, incident))
		wf_pending_fail(pending, WF_CONFLICT,
		    "incident %llu (%.64s) has nothing to retry: drop it when "
		    "its cause is fixed",
		    (unsigned long long)incident->id, incident->code);
	else
		return true;
	return false;
}

/* A second DROP must not replace the actor and the reason of the first. */
static bool may_do(
    struct pending *pending, const struct wf_incident_row *incident)
{
	if (pending->request.kind == WF_REQUEST_RETRY)
		return may_retry(pending, incident);
	if (incident->dropped_at == 0)
		return true;
	wf_pending_fail(pending, WF_CONFLICT,
	    "incident %llu was dropped before, by '%.64s'",
	    (unsigned long long)incident->id, incident->dropped_by);
	return false;
}

bool wf_batch_has_incident(const struct batch *batch, uint64_t incident)
{
	bool found = false;

	for (size_t i = 0; i < batch->incidents_count && !found; i++)
		found = batch->incidents[i].row.id == incident;
	return found;
}

/* A dropped incident stays in the store as a record. */
static void drop(const struct batch *batch, const struct pending *pending,
    struct wf_incident_row *incident)
{
	wf_assert(incident->dropped_at == 0);
	incident->dropped_at = batch->now;
	incident->dropped_by = pending->request.actor;
	incident->reason = pending->request.incident.reason;
}

static void close_it(struct batch *batch, struct pending *pending,
    const struct wf_incident_row *incident)
{
	struct wf_incident_write *write;
	bool retries = pending->request.kind == WF_REQUEST_RETRY;

	if (incident != NULL) {
		write = WF_ROW_ADD(batch, incidents);
		write->row = *incident;
		write->remove = retries;
		if (!retries)
			drop(batch, pending, &write->row);
	}
	if (retries) {
		put_back(pending->work);
		if (incident != NULL)
			arm_retry(batch, pending, incident);
	}
	pending->answer.number = pending->number;
	wf_batch_answer(batch, pending);
}

void wf_batch_close_incident(struct batch *batch, struct pending *pending)
{
	const struct wf_incident_row *incident = NULL;
	struct work *work = pending->work;

	if (!may_close(pending))
		return;
	if (pending->request.incident.id != 0) {
		/* It existed before the batch, but may be closed by now. */
		incident = read_incident(batch, pending);
		if (incident == NULL || !may_do(pending, incident))
			return;
	}
	/* Another request of this batch has closed it. */
	if (incident != NULL && wf_batch_has_incident(batch, incident->id)) {
		pending->fate = FATE_AGAIN;
		return;
	}
	if (work != NULL && work->take->state == WF_TAKE_MISSING)
		pending->work = NULL;
	else if (work != NULL)
		work->blocked = true;
	close_it(batch, pending, incident);
}
