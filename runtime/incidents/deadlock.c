/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A deadlocked case stays live, with an incident, until it is cancelled,
 * repaired or migrated; only a setting ends it at once.
 *
 *   step ─► CASE_DEADLOCKED ─┬─► live, incident opened
 *                            │     ├─ CANCEL ──────────► ended
 *                            │     └─ REPAIR, MIGRATE ─► live
 *                            │   both close the incident
 *                            └─ end_deadlocked ─► ended
 */
#include "base/panic.h"
#include "runtime/batch.h"

#include <string.h>

#include "kernel/view.h"
#include "kernel/why.h"

#define TEXT_MAXIMUM_BYTES 8192U
/* Incidents of one case about a deadlock that are open at a time. */
#define OPEN_MAXIMUM 16U

bool wf_deadlock_keeps(
    const struct wf_engine_settings *settings, const struct wf_case *instance)
{
	return !settings->end_deadlocked &&
	       wf_case_status(instance) == WF_CASE_DEADLOCKED;
}

void wf_deadlock_open(struct batch *batch, const struct pending *pending)
{
	const struct cached *cached = pending->work->cached;
	const struct wf_case *instance = cached->instance;
	struct wf_incident_row *row;
	struct wf_buffer text;

	wf_assert(wf_case_status(instance) == WF_CASE_DEADLOCKED);
	batch->deadlocks++;
	if (batch->shard->engine->settings.end_deadlocked)
		return;
	row = wf_batch_new_incident(
	    batch, cached->namespace_id, pending->number, WF_DEADLOCK_CODE);
	wf_buffer_init(&text, TEXT_MAXIMUM_BYTES);
	wf_why_stuck(instance, &text);
	row->text = wf_arena_printf(
	    batch->arena, "the case is deadlocked: %s", wf_buffer_text(&text));
	wf_buffer_free(&text);
}

/* How the command resolves a deadlock; NULL: it does not, or ends the case. */
static const char *way_out(const struct pending *pending)
{
	switch (pending->request.command.kind) {
	case WF_COMMAND_REPAIR:
		return "the case was repaired";
	case WF_COMMAND_MIGRATE:
		return "the case was migrated";
	default:
		return NULL;
	}
}

enum wf_rc wf_deadlock_read(struct batch *batch, const struct pending *pending,
    struct wf_incident_list *list_out, struct wf_error *err)
{
	const struct cached *cached = pending->work->cached;
	struct wf_incident_filter filter = {
		.namespace_id = cached->namespace_id,
		.number = pending->number,
		.code = WF_DEADLOCK_CODE,
		.which = WF_INCIDENTS_OPEN,
		.limit = OPEN_MAXIMUM,
	};
	struct wf_store *reader;
	enum wf_rc rc;

	list_out->count = 0;
	if (way_out(pending) == NULL ||
	    wf_case_status(cached->instance) != WF_CASE_DEADLOCKED)
		return WF_OK;
	rc = wf_batch_reader(batch, &reader, err);
	if (rc == WF_OK)
		rc = wf_store_incidents(
		    reader, &filter, batch->arena, list_out, err);
	return rc;
}

void wf_deadlock_close(struct batch *batch, const struct pending *pending,
    const struct wf_incident_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct wf_incident_write *write = WF_ROW_ADD(batch, incidents);

		wf_assert(list->rows[i].number == pending->number);
		write->row = list->rows[i];
		wf_incident_drop(batch, &write->row, pending, way_out(pending));
	}
}
