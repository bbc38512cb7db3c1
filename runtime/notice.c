/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notices: what an engine reports about itself, and about requests that are
 * traced, to the callbacks of its settings.
 */
#include "base/clock.h"
#include "base/panic.h"
#include "kernel/view.h"
#include "runtime/batch.h"

static void notify(
    const struct wf_engine *engine, const struct wf_notice *notice)
{
	if (engine->settings.notice != NULL)
		engine->settings.notice(engine->settings.context, notice);
}

static const char *name_of(const struct batch *batch, uint64_t number)
{
	for (size_t i = 0; number != 0 && i < batch->begin.take_count; i++)
		if (batch->begin.takes[i].number == number)
			return batch->begin.takes[i].stored.row.name;
	return NULL;
}

/* name: of its case; NULL: unknown, or it is of no case. */
static void notify_incident(const struct wf_engine *engine,
    const struct wf_incident_row *row, const char *name)
{
	const struct wf_notice notice = { .kind = WF_NOTICE_INCIDENT,
		.incident = row->id,
		.number = row->number,
		.name = name,
		.item = row->item,
		.code = row->code,
		.text = row->text };

	notify(engine, &notice);
}

void wf_engine_report_incident(
    struct wf_engine *engine, const struct wf_incident_row *row)
{
	wf_assert(row->id != 0 && row->dropped_at == 0);
	atomic_fetch_add(&engine->incidents, 1);
	notify_incident(engine, row, NULL);
}

void wf_notice_incidents(const struct batch *batch)
{
	const struct wf_engine *engine = batch->shard->engine;

	for (size_t i = 0; i < batch->incidents_count; i++) {
		const struct wf_incident_row *row = &batch->incidents[i].row;

		if (!batch->incidents[i].remove && row->dropped_at == 0)
			notify_incident(
			    engine, row, name_of(batch, row->number));
	}
	for (size_t i = 0; i < batch->cases_count; i++) {
		const struct wf_case_write *write = &batch->cases[i];
		struct wf_notice notice = { .kind = WF_NOTICE_QUARANTINED,
			.number = write->row.number,
			.name = write->row.name };

		if (write->change == WF_CASE_END &&
		    write->row.status == WF_CASE_DEADLOCKED) {
			notice.kind = WF_NOTICE_DEADLOCKED;
			notice.name = name_of(batch, write->row.number);
		}
		if (write->change == WF_CASE_QUARANTINE ||
		    notice.kind == WF_NOTICE_DEADLOCKED)
			notify(engine, &notice);
	}
}

void wf_notice_time(const struct batch *batch, int64_t microseconds)
{
	int64_t limit = atomic_load(&batch->shard->engine->slow_batch_ms);
	struct wf_notice notice = { .kind = WF_NOTICE_SLOW_BATCH,
		.requests = batch->count,
		.microseconds = (uint64_t)microseconds };

	if (limit > 0 && microseconds / 1000 >= limit)
		notify(batch->shard->engine, &notice);
}

/* Failures of the store that no request can cause. */
static bool is_of_store(enum wf_rc rc)
{
	return rc == WF_UNAVAILABLE || rc == WF_LOST || rc == WF_IO;
}

void wf_notice_store(
    struct shard *shard, enum wf_rc rc, const struct wf_error *err)
{
	struct wf_notice notice = { .kind = rc == WF_OK ? WF_NOTICE_STORE_WORKS
							: WF_NOTICE_STORE_FAILS,
		.code = rc == WF_OK ? NULL : wf_rc_name(rc),
		.text = rc == WF_OK ? NULL : err->message };

	if (shard->failing == (rc != WF_OK) ||
	    (rc != WF_OK && !is_of_store(rc)))
		return;
	shard->failing = rc != WF_OK;
	notify(shard->engine, &notice);
}

static struct wf_traced_request describe(
    const struct batch *batch, const struct pending *pending)
{
	const struct work *work = pending->work;
	struct wf_traced_request traced = { .trace = pending->request.trace,
		.kind = pending->request.kind,
		.submitted = pending->submitted,
		.name = name_of(batch, pending->number),
		.item = wf_request_item(&pending->request),
		.rc = pending->answer.rc };

	if (wf_request_commands(&pending->request))
		traced.command = pending->request.command.kind;
	if (work != NULL && work->loaded && !work->broken &&
	    work->cached != NULL && work->cached->instance != NULL) {
		traced.name = wf_case_id(work->cached->instance);
		traced.specification = work->cached->spec->key;
	}
	if (traced.name == NULL)
		traced.name = "";
	return traced;
}

void wf_notice_traced(const struct batch *batch, uint64_t statements)
{
	const struct wf_engine_settings *settings =
	    &batch->shard->engine->settings;
	struct wf_traced_batch traced = { .shard = batch->shard->index,
		.began = batch->began,
		.requests = batch->count,
		.steps = batch->history_count,
		.statements = statements };
	struct wf_traced_request *rows = NULL;

	for (size_t i = 0; i < batch->count; i++) {
		const struct pending *pending = batch->pendings[i];

		if (pending->request.trace[0] == '\0' ||
		    pending->fate == FATE_AGAIN || pending->fate == FATE_LONG)
			continue;
		if (rows == NULL)
			rows = wf_arena_array(
			    batch->arena, batch->count, sizeof(*rows));
		rows[traced.count++] = describe(batch, pending);
	}
	if (traced.count == 0)
		return;
	traced.rows = rows;
	traced.ended = wf_monotonic_us();
	settings->traced(settings->context, &traced);
}
