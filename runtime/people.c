/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items that are for people: the calls by which steps are decided, and the
 * incidents of items that are stuck.
 *
 *   wf_people_begin() ──► steps ──► wf_people_keep() ──► commit
 *                           └──────────────────────────────┴─► wf_people_end()
 */
#include "runtime/batch.h"

#include <string.h>

#include "base/panic.h"
#include "kernel/assignment/assignment.h"
#include "people/audience.h"

struct wf_people_calls *wf_people_begin(
    struct wf_engine *engine, bool in_batch, int64_t now)
{
	const struct wf_engine_people *people = engine->settings.people;

	return people == NULL
		   ? NULL
		   : people->begin(people->context, engine, in_batch, now);
}

enum wf_rc wf_people_keep(struct wf_engine *engine,
    struct wf_people_calls *calls, struct wf_error *err)
{
	return calls == NULL
		   ? WF_OK
		   : engine->settings.people->keep(calls, engine, err);
}

void wf_people_end(
    const struct wf_engine *engine, struct wf_people_calls **calls)
{
	if (*calls == NULL)
		return;
	wf_assert(engine->settings.people != NULL);
	engine->settings.people->end(*calls);
	*calls = NULL;
}

/* --- rows ----------------------------------------------------------------- */

/* ",ID,ID,"; "": nobody. */
static const char *join(const struct wf_texts *ids, struct wf_arena *arena)
{
	const char *joined = ids->count == 0 ? "" : ",";

	for (size_t i = 0; i < ids->count; i++)
		joined = wf_arena_printf(arena, "%s%s,", joined, ids->rows[i]);
	return joined;
}

static void fill_offered(
    struct wf_item_row *row, const char *text, struct wf_arena *arena)
{
	struct wf_audience audience;

	/* Only of a damaged case: an item that everybody misses is found. */
	row->queue = WF_UNOFFERED_QUEUE;
	if (wf_audience_read(text, arena, &audience, NULL) != WF_OK)
		return;
	row->queue = wf_audience_queue(&audience, arena);
	row->left_out = join(&audience.except, arena);
}

void wf_people_fill(
    struct wf_item_row *row, const struct wf_item *item, struct wf_arena *arena)
{
	const struct wf_assignment *assignment = item->assignment;

	row->queue = "";
	row->assignment = WF_RESOURCE_NONE;
	row->left_out = "";
	row->rank = WF_ITEM_RANK;
	row->due_at = WF_ITEM_NOT_DUE;
	row->busy = "";
	if (assignment == NULL)
		return;
	row->assignment = assignment->status;
	row->busy = wf_arena_strdup(arena, assignment->busy);
	if (assignment->status == WF_RESOURCE_OFFERED)
		fill_offered(row, assignment->audience, arena);
	else if (assignment->holder[0] == '\0')
		row->queue = WF_UNOFFERED_QUEUE;
	else
		row->queue = wf_participant_queue(assignment->holder, arena);
}

/* --- incidents ------------------------------------------------------------ */

bool wf_people_report(const struct wf_event *event,
    struct wf_report_request *report_out, struct wf_arena *arena)
{
	bool is_start = event->kind == WF_EVENT_START_FAILED;

	wf_assert(is_start || event->kind == WF_EVENT_ITEM_UNOFFERED);
	if (!is_start && event->number != WF_UNOFFERED_NOBODY &&
	    event->number != WF_UNOFFERED_ERROR)
		return false;
	*report_out = (struct wf_report_request){
		.code = is_start ? WF_NOT_STARTED_CODE : WF_UNOFFERED_CODE,
		.text =
		    wf_arena_strndup(arena, event->text, event->text_length),
		.attempts = 1
	};
	return true;
}

bool wf_people_has_code(const char *code)
{
	return strcmp(code, WF_UNOFFERED_CODE) == 0 ||
	       strcmp(code, WF_NOT_STARTED_CODE) == 0;
}

bool wf_people_is_stuck(const char *code, const struct wf_item *item)
{
	wf_assert(wf_people_has_code(code));
	return item->assignment != NULL &&
	       item->assignment->status == (strcmp(code, WF_UNOFFERED_CODE) == 0
						   ? WF_RESOURCE_UNOFFERED
						   : WF_RESOURCE_ALLOCATED);
}

void wf_people_retry(const struct wf_request *report,
    const struct wf_item *item, struct wf_request *again_out)
{
	bool is_start = strcmp(report->report.code, WF_NOT_STARTED_CODE) == 0;

	*again_out = (struct wf_request){ .kind = WF_REQUEST_COMMAND,
		.namespace_id = report->namespace_id,
		.number = report->number,
		.command = { .kind = is_start ? WF_COMMAND_START
					      : WF_COMMAND_DISTRIBUTE,
		    .item = report->report.item,
		    .is_administrator = true },
		.origin = "retry" };
	if (is_start && item->assignment != NULL)
		again_out->command.participant = item->assignment->holder;
}
