/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAWL logs an allocation under the enabled item ("7:T"), a start under its
 * instance ("7.1:T").  Weft's history says that a participant takes an item
 * before the item has an instance, so the start is reported with the instance.
 */
#include "yawl/resource/work_history.h"

#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "history/case_reader.h"
#include "kernel/assignment/assignment.h"
#include "people/needs.h"
#include "yawl/resource/item_read.h"

/* What is known of an item, by its id. */
struct item {
	bool is_offered; /* not allocated since */
	bool is_open;
	char holder[WF_ORG_TEXT_BYTES + 1];
};

struct history {
	struct wf_gateway_call *call;
	const struct wf_organisation *organisation;
	const struct wf_case_row *row;
	struct wf_store *store;
	struct wf_arena *arena;
	struct wf_map *items;
	const char *taker; /* who takes an item that has no instance yet */
	const char *busy;  /* what is busy with it; NULL: nothing */
	uint64_t chained;  /* the step that chained the case */
	uint64_t expired;  /* the step in which a timer ran out */
	uint64_t events;
	wf_work_event_f visit;
	void *context;
	struct wf_error *err;
};

/* The event that is being read. */
struct reading {
	struct history *history;
	const struct wf_case_event *from;
	char case_id[WF_CASE_ID_SIZE];
	char id[WF_ITEM_ID_SIZE]; /* of the item; "" */
};

static void report(
    const struct reading *reading, const char *type, const char *resource)
{
	struct history *history = reading->history;
	const struct wf_work_event event = { .key = history->row->number << 24 |
						    ++history->events,
		.specification = history->row->specification,
		.case_id = reading->case_id,
		.task = reading->id[0] == '\0' ? "" : reading->from->task->id,
		.item = reading->id,
		.resource = resource,
		.type = type,
		.at = reading->from->step->at };

	history->visit(history->context, &event);
}

/* Makes the reading about that instance of its task; 0: the enabled item. */
static void be_about(struct reading *reading, uint32_t instance)
{
	const struct wf_case_event *from = reading->from;

	if (instance == 0)
		snprintf(reading->case_id, sizeof(reading->case_id), "%s",
		    from->case_id);
	else
		snprintf(reading->case_id, sizeof(reading->case_id), "%s.%u",
		    from->case_id, instance);
	snprintf(reading->id, sizeof(reading->id), "%s:%s", reading->case_id,
	    from->task->id);
}

static struct item *item_of(const struct reading *reading)
{
	struct history *history = reading->history;
	struct item *item = wf_map_get(history->items, reading->id);

	if (item == NULL) {
		item = wf_arena_alloc(history->arena, sizeof(*item));
		wf_map_add(history->items, reading->id, item);
	}
	return item;
}

static const char *text_of(const struct reading *reading)
{
	const struct wf_event *event = reading->from->event;

	return wf_arena_strndup(
	    reading->from->arena, event->text, event->text_length);
}

static void hold(struct item *item, const char *holder)
{
	item->is_offered = false;
	item->is_open = true;
	snprintf(item->holder, sizeof(item->holder), "%s", holder);
}

/* --- events --------------------------------------------------------------- */

static void report_offer(const struct reading *reading)
{
	struct history *history = reading->history;
	const struct wf_organisation *organisation = history->organisation;
	const uint64_t *set =
	    wf_item_people(history->call, organisation, "", text_of(reading));
	struct item *item = item_of(reading);

	item->is_offered = true;
	item->is_open = true;
	for (size_t i = 0; i < wf_org_count(organisation, WF_ORG_PARTICIPANT);
	     i++)
		if (wf_bitset_has(set, i))
			report(reading, "offer",
			    wf_org_at(
				organisation, WF_ORG_PARTICIPANT, (uint32_t)i)
				->id);
}

static void report_allocation(const struct reading *reading)
{
	const struct history *history = reading->history;
	const char *holder = text_of(reading);
	uint32_t cause = reading->from->event->number;

	hold(item_of(reading), holder);
	if (cause == WF_CAUSE_ROLLED_BACK)
		return;
	report(reading,
	    cause == WF_CAUSE_PILED				? "pile"
	    : history->chained == reading->from->step->sequence ? "chain"
								: "allocate",
	    holder);
}

/* Who starts an offered item has accepted it. */
static void report_taking(struct reading *reading)
{
	struct history *history = reading->history;
	const char *holder = text_of(reading);
	struct item *item = item_of(reading);

	if (item->is_offered)
		report(reading, "allocate", holder);
	hold(item, holder);
	if (reading->from->event->instance == 0)
		history->taker = wf_arena_strdup(history->arena, holder);
	else
		report(reading, "start", holder);
}

/* For each of the people and things that are busy with the item, or were. */
static void report_each(
    const struct reading *reading, const char *type, const char *busy)
{
	struct wf_arena *arena = reading->history->arena;
	struct wf_texts ids = { NULL, 0 };

	if (busy != NULL)
		ids = wf_busy_read(busy, arena);
	for (size_t i = 0; i < ids.count; i++)
		report(reading, type, ids.rows[i]);
}

static void report_busy(struct reading *reading)
{
	struct history *history = reading->history;

	if (reading->from->event->instance == 0)
		history->busy =
		    wf_arena_strdup(history->arena, text_of(reading));
	else
		report_each(reading, "busy", text_of(reading));
}

static void report_firing(struct reading *reading)
{
	struct history *history = reading->history;
	const struct wf_task *task = reading->from->task;

	if (reading->from->event->instance == 0)
		return;
	if (history->taker != NULL) {
		hold(item_of(reading), history->taker);
		report(reading, "start", history->taker);
		history->taker = NULL;
		report_each(reading, "busy", history->busy);
		history->busy = NULL;
	} else if (task->decomposition != NULL &&
		   task->decomposition->is_automated &&
		   wf_task_service(task)[0] == '\0') {
		report(reading, "autotask_start", "");
	}
}

static void report_end(struct reading *reading)
{
	const struct wf_task *task = reading->from->task;

	item_of(reading)->is_open = false;
	if (task->decomposition != NULL && task->decomposition->is_automated &&
	    wf_task_service(task)[0] == '\0')
		report(reading, "autotask_complete", "");
}

static void report_withdrawal(struct reading *reading)
{
	struct item *item = item_of(reading);

	if (item->is_open &&
	    reading->history->expired != reading->from->step->sequence)
		report(reading, "cancel", "");
	item->is_open = false;
}

static void report_passing(const struct reading *reading)
{
	static const char *const types[] = { "delegate", "reallocate_stateless",
		"reallocate_stateful" };
	uint32_t number = reading->from->event->number;

	if (number < sizeof(types) / sizeof(types[0]))
		report(reading, types[number], text_of(reading));
}

static void report_case(struct reading *reading, const char *type)
{
	snprintf(reading->case_id, sizeof(reading->case_id), "%s",
	    reading->from->case_id);
	reading->id[0] = '\0';
	report(reading, type, WF_YAWL_ADMIN);
}

static void read_event(void *context, const struct wf_case_event *from)
{
	struct history *history = context;
	struct reading reading = { .history = history, .from = from };
	const struct wf_event *event = from->event;

	if (from->case_id == NULL)
		return;
	if (from->task != NULL)
		be_about(&reading, event->instance);
	else if (event->kind != WF_EVENT_CASE_LAUNCHED &&
		 event->kind != WF_EVENT_CASE_CANCELLED &&
		 event->kind != WF_EVENT_CASE_CHAINED)
		return;
	switch (event->kind) {
	case WF_EVENT_CASE_LAUNCHED:
		report_case(&reading, "launch_case");
		break;
	case WF_EVENT_CASE_CANCELLED:
		report_case(&reading, "cancel_case");
		break;
	case WF_EVENT_CASE_CHAINED:
		history->chained = from->step->sequence;
		break;
	case WF_EVENT_ITEM_UNOFFERED:
		item_of(&reading)->is_open = true;
		report(&reading, "unoffer", "system");
		break;
	case WF_EVENT_ITEM_OFFERED:
		report_offer(&reading);
		break;
	case WF_EVENT_ITEM_ALLOCATED:
		report_allocation(&reading);
		break;
	case WF_EVENT_ITEM_TAKEN:
		report_taking(&reading);
		break;
	case WF_EVENT_TASK_FIRED:
		report_firing(&reading);
		break;
	case WF_EVENT_TASK_EXITED:
	case WF_EVENT_INSTANCE_ENDED:
		report_end(&reading);
		break;
	case WF_EVENT_TASK_WITHDRAWN:
		report_withdrawal(&reading);
		break;
	case WF_EVENT_ITEM_RETURNED:
		report(&reading, "deallocate", text_of(&reading));
		break;
	case WF_EVENT_ITEM_PASSED_ON:
		report_passing(&reading);
		break;
	case WF_EVENT_ITEM_DONE_BY:
		report(&reading, event->number == 1 ? "skip" : "complete",
		    text_of(&reading));
		break;
	case WF_EVENT_RESOURCES_TAKEN:
		report_busy(&reading);
		break;
	case WF_EVENT_RESOURCES_RELEASED:
		report_each(&reading, "released", text_of(&reading));
		break;
	case WF_EVENT_ITEM_SUSPENDED:
		report(&reading, "suspend", item_of(&reading)->holder);
		break;
	case WF_EVENT_ITEM_RESUMED:
		report(&reading, "resume", item_of(&reading)->holder);
		break;
	case WF_EVENT_TIMER_EXPIRED:
		history->expired = from->step->sequence;
		report(&reading, "timer_expired", "");
		break;
	default:
		break;
	}
}

/* --- reading -------------------------------------------------------------- */

static void read_case(void *context, const struct wf_spec *spec)
{
	struct history *history = context;
	const struct wf_case_reading how = { .store = history->store,
		.spec = spec,
		.visit = read_event,
		.context = history };
	struct wf_case_reader *reader =
	    wf_case_reader_new(history->row->number, history->row->name);
	bool more = true;

	while (more && history->err->rc == WF_OK)
		(void)(wf_case_reader_page(reader, &how, UINT64_MAX, &more,
			   history->err) == WF_OK);
	wf_case_reader_free(&reader);
	if (history->err->rc == WF_GONE || history->err->rc == WF_CORRUPT)
		wf_error_clear(history->err);
}

enum wf_rc wf_work_history_read(struct wf_gateway_call *call,
    const struct wf_case_row *row, wf_work_event_f visit, void *context,
    struct wf_error *err)
{
	struct wf_engine *engine = call->yawl.server->engine;
	struct wf_organisation *organisation = wf_gateway_organisation(call);
	struct history history = { .call = call,
		.organisation = organisation,
		.row = row,
		.arena = wf_arena_new(),
		.items = wf_map_new(),
		.visit = visit,
		.context = context,
		.err = err };
	enum wf_rc rc = wf_engine_borrow(engine, &history.store, err);

	if (rc == WF_OK) {
		rc = wf_engine_inspect_spec(engine, WF_NAMESPACE_DEFAULT,
		    row->specification, false, read_case, &history, err);
		wf_engine_give_back(engine, history.store);
	}
	if (rc == WF_NOT_FOUND)
		wf_error_clear(err);
	wf_map_free(&history.items);
	wf_arena_free(&history.arena);
	wf_organisation_unref(&organisation);
	return err->rc;
}
