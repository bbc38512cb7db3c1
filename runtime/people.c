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
#include "spec/timing.h"

struct wf_people_calls *wf_people_begin(struct wf_engine *engine, int64_t now)
{
	const struct wf_engine_people *people = engine->settings.people;

	return people == NULL ? NULL
			      : people->begin(people->context, engine, now);
}

enum wf_rc wf_people_keep(struct wf_engine *engine,
    struct wf_people_calls *calls, struct wf_error *err)
{
	return calls == NULL
		   ? WF_OK
		   : engine->settings.people->keep(calls, engine, err);
}

bool wf_people_hold(const struct wf_engine *engine,
    struct wf_people_calls *calls, uint64_t number, const struct wf_step *step)
{
	struct wf_event_reader reader;
	const struct wf_event *event;
	struct wf_arena *arena;
	bool hold = true;

	if (calls == NULL || engine->settings.people->holds == NULL)
		return true;
	arena = wf_arena_new();
	wf_event_reader_init(
	    &reader, step->events.data, step->events.length, NULL);
	while (hold && (event = wf_event_next(&reader, NULL)) != NULL)
		if (event->kind == WF_EVENT_RESOURCES_TAKEN)
			hold = engine->settings.people->holds(calls, number,
			    wf_arena_strndup(
				arena, event->text, event->text_length));
	wf_event_reader_free(&reader);
	wf_arena_free(&arena);
	return hold;
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
	if (assignment->urgency.is_kept)
		row->rank = WF_PRIORITY_MOST - assignment->urgency.priority;
	if (assignment->urgency.due_at != 0)
		row->due_at = assignment->urgency.due_at;
	if (assignment->status == WF_RESOURCE_OFFERED)
		fill_offered(row, assignment->audience, arena);
	else if (assignment->holder[0] == '\0')
		row->queue = WF_UNOFFERED_QUEUE;
	else
		row->queue = wf_participant_queue(assignment->holder, arena);
}

static void add_involved(
    struct batch *batch, const struct pending *pending, const char *participant)
{
	struct wf_involved_row *row = WF_ROW_ADD(batch, involved);

	row->number = pending->number;
	row->participant = participant;
}

void wf_people_note(struct batch *batch, const struct pending *pending,
    const struct wf_event *event)
{
	const struct wf_engine_people *people =
	    batch->shard->engine->settings.people;
	const char *account = pending->request.actor;
	const char *starter = NULL;

	if (people == NULL)
		return;
	switch (event->kind) {
	case WF_EVENT_CASE_LAUNCHED:
		if (people->participant != NULL && account != NULL &&
		    account[0] != '\0')
			starter = people->participant(
			    people->context, account, batch->arena);
		if (starter != NULL)
			add_involved(batch, pending, starter);
		break;
	case WF_EVENT_ITEM_ALLOCATED:
	case WF_EVENT_ITEM_TAKEN:
		add_involved(batch, pending,
		    wf_arena_strndup(
			batch->arena, event->text, event->text_length));
		break;
	default:
		break;
	}
}

/* --- incidents ------------------------------------------------------------ */

static const char incident_word[] = "incident";

/* The rule says "incident TEXT"; false: it says something else. */
static bool read_incident(const struct wf_event *event, struct wf_arena *arena,
    struct wf_report_request *report_out)
{
	size_t length = strlen(incident_word);
	const char *text =
	    wf_arena_strndup(arena, event->text, event->text_length);

	if (strncmp(text, incident_word, length) != 0 ||
	    (text[length] != ' ' && text[length] != '\0'))
		return false;
	report_out->code = WF_LATE_CODE;
	report_out->text =
	    text[length] == '\0' ? "the item is late" : text + length + 1;
	return true;
}

bool wf_people_report(const struct wf_event *event,
    struct wf_report_request *report_out, struct wf_arena *arena)
{
	*report_out = (struct wf_report_request){ .attempts = 1 };
	switch (event->kind) {
	case WF_EVENT_ITEM_ESCALATED:
		return read_incident(event, arena, report_out);
	case WF_EVENT_START_FAILED:
		report_out->code = WF_NOT_STARTED_CODE;
		break;
	case WF_EVENT_URGENCY_FAILED:
		report_out->code = WF_URGENCY_CODE;
		break;
	default:
		wf_assert(event->kind == WF_EVENT_ITEM_UNOFFERED);
		report_out->code = WF_UNOFFERED_CODE;
		if (event->number != WF_UNOFFERED_NOBODY &&
		    event->number != WF_UNOFFERED_ERROR)
			return false;
	}
	report_out->text =
	    wf_arena_strndup(arena, event->text, event->text_length);
	return true;
}

/* The incidents of items that are for people. */
static const struct {
	const char *code;
	/* The item is still as the incident says; NONE: whatever it is. */
	enum wf_resource_status status;
} codes[] = { { WF_UNOFFERED_CODE, WF_RESOURCE_UNOFFERED },
	{ WF_NOT_STARTED_CODE, WF_RESOURCE_ALLOCATED },
	{ WF_LATE_CODE, WF_RESOURCE_NONE },
	{ WF_URGENCY_CODE, WF_RESOURCE_NONE } };

#define CODES (sizeof(codes) / sizeof(codes[0]))

static size_t find_code(const char *code)
{
	size_t at = 0;

	while (at < CODES && strcmp(codes[at].code, code) != 0)
		at++;
	return at;
}

bool wf_people_has_code(const char *code)
{
	return find_code(code) < CODES;
}

bool wf_people_is_stuck(const char *code, const struct wf_item *item)
{
	size_t at = find_code(code);

	wf_assert(at < CODES);
	return item->assignment != NULL &&
	       (codes[at].status == WF_RESOURCE_NONE ||
		   item->assignment->status == codes[at].status);
}

/* A late item, or one without a due time, is only announced again. */
void wf_people_retry(const struct wf_request *report,
    const struct wf_item *item, struct wf_request *again_out)
{
	const char *code = report->report.code;
	bool is_start = strcmp(code, WF_NOT_STARTED_CODE) == 0;

	if (codes[find_code(code)].status == WF_RESOURCE_NONE)
		return;
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
