/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAWL logs an allocation under the enabled item ("7:T"), a start under its
 * instance ("7.1:T").  Weft's history says that a participant takes an item
 * before the item has an instance, so the start is reported with the instance.
 */
#include "yawl/resource/work_history.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/panic.h"
#include "data/xml_writer.h"
#include "history/case_reader.h"
#include "kernel/assignment/assignment.h"
#include "people/needs.h"
#include "worklist/org_cache.h"
#include "yawl/log_keys.h"
#include "yawl/resource/item_read.h"

/* What is known of an item that has not ended, by its id. */
struct item {
	struct item *next; /* spare one */
	bool is_offered;   /* not allocated since */
	bool is_open;
	char holder[WF_ORG_NAME_BYTES + 1];
};

/* The event that is being read. */
struct reading {
	struct wf_work_history *history;
	const struct wf_case_event *from;
	char case_id[WF_CASE_ID_SIZE];
	char id[WF_ITEM_ID_SIZE]; /* of the item; "" */
};

/* Who has done an item; who has done so for that one comes next. */
struct doing {
	bool is_held;
	struct wf_work_event event;
	char case_id[WF_CASE_ID_SIZE];
	char id[WF_ITEM_ID_SIZE];
	char resource[WF_ORG_NAME_BYTES + 1];
};

struct wf_work_history {
	struct wf_server *server;
	uint64_t number;
	uint64_t specification;
	struct wf_case_reader *reader;
	struct wf_arena *arena;
	struct wf_map *items;
	struct item *spare;
	size_t item_count; /* with spare ones */
	/* Who takes an item that has no instance yet; "": nobody. */
	char taker[WF_ORG_NAME_BYTES + 1];
	const char *busy; /* what is busy with it; NULL: nothing */
	uint64_t chained; /* the step that chained the case */
	uint64_t expired; /* the step in which a timer ran out */
	uint64_t events;
	struct doing doing;
	uint64_t done; /* the step up to which it has been read */
	/* While it is read. */
	const struct wf_organisation *organisation;
	struct wf_store *store;
	uint64_t last;
	wf_work_event_f visit;
	void *context;
	struct wf_error *err;
};

/* The bits of the number of an event in its key. */
#define IN_CASE 24U

static struct wf_work_event make_event(
    const struct reading *reading, const char *type, const char *resource)
{
	struct wf_work_history *history = reading->history;

	return (struct wf_work_event){ .key = history->number << IN_CASE |
					      ++history->events,
		.specification = history->specification,
		.sequence = reading->from->step->sequence,
		.case_id = reading->case_id,
		.task = reading->id[0] == '\0' ? "" : reading->from->task->id,
		.item = reading->id,
		.resource = resource,
		.deputy = "",
		.type = type,
		.at = reading->from->step->at };
}

static void report(
    const struct reading *reading, const char *type, const char *resource)
{
	const struct wf_work_event event = make_event(reading, type, resource);

	reading->history->visit(reading->history->context, &event);
}

static void hold_doing(
    const struct reading *reading, const char *type, const char *resource)
{
	struct doing *doing = &reading->history->doing;

	doing->is_held = true;
	doing->event = make_event(reading, type, doing->resource);
	snprintf(doing->resource, sizeof(doing->resource), "%s", resource);
	strcpy(doing->case_id, reading->case_id);
	strcpy(doing->id, reading->id);
	doing->event.case_id = doing->case_id;
	doing->event.item = doing->id;
}

/* deputy: who has done it in the place of the participant, or "". */
static void report_doing(struct wf_work_history *history, const char *deputy)
{
	if (!history->doing.is_held)
		return;
	history->doing.is_held = false;
	history->doing.event.deputy = deputy;
	history->visit(history->context, &history->doing.event);
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
	struct wf_work_history *history = reading->history;
	struct item *item = wf_map_get(history->items, reading->id);

	if (item != NULL)
		return item;
	item = history->spare;
	if (item == NULL) {
		item = wf_arena_alloc(history->arena, sizeof(*item));
		history->item_count++;
	} else {
		history->spare = item->next;
		memset(item, 0, sizeof(*item));
	}
	wf_map_add(history->items, reading->id, item);
	return item;
}

/* It has ended; whether it was open. */
static bool forget_item(const struct reading *reading)
{
	struct wf_work_history *history = reading->history;
	struct item *item = wf_map_remove(history->items, reading->id);

	if (item == NULL)
		return false;
	item->next = history->spare;
	history->spare = item;
	return item->is_open;
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
	struct wf_work_history *history = reading->history;
	const struct wf_organisation *organisation = history->organisation;
	const uint64_t *set = wf_item_people(history->server->audiences,
	    organisation, "", text_of(reading), reading->from->arena);
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
	const struct wf_work_history *history = reading->history;
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
	struct wf_work_history *history = reading->history;
	const char *holder = text_of(reading);
	struct item *item = item_of(reading);

	if (item->is_offered)
		report(reading, "allocate", holder);
	if (reading->from->event->number == WF_CAUSE_PILED)
		report(reading, "pile", holder);
	hold(item, holder);
	if (reading->from->event->instance == 0)
		snprintf(history->taker, sizeof(history->taker), "%s", holder);
	else
		report(reading, "start", holder);
}

/* For each of the people and things that are busy with the item, or were. */
static void report_each(
    const struct reading *reading, const char *type, const char *busy)
{
	struct wf_arena *arena = reading->from->arena;
	struct wf_texts ids = { NULL, 0 };

	if (busy != NULL)
		ids = wf_busy_read(busy, arena);
	for (size_t i = 0; i < ids.count; i++)
		report(reading, type, ids.rows[i]);
}

static void report_busy(struct reading *reading)
{
	struct wf_work_history *history = reading->history;

	if (reading->from->event->instance == 0)
		history->busy =
		    wf_arena_strdup(history->arena, text_of(reading));
	else
		report_each(reading, "busy", text_of(reading));
}

static void report_firing(struct reading *reading)
{
	struct wf_work_history *history = reading->history;
	const struct wf_task *task = reading->from->task;

	if (reading->from->event->instance == 0)
		return;
	if (history->taker[0] != '\0') {
		hold(item_of(reading), history->taker);
		report(reading, "start", history->taker);
		history->taker[0] = '\0';
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

	(void)forget_item(reading);
	if (task->decomposition != NULL && task->decomposition->is_automated &&
	    wf_task_service(task)[0] == '\0')
		report(reading, "autotask_complete", "");
}

static void report_withdrawal(struct reading *reading)
{
	if (forget_item(reading) &&
	    reading->history->expired != reading->from->step->sequence)
		report(reading, "cancel", "");
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
	struct wf_work_history *history = context;
	struct reading reading = { .history = history, .from = from };
	const struct wf_event *event = from->event;

	if (event->kind != WF_EVENT_ITEM_DONE_FOR)
		report_doing(history, "");
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
		hold_doing(&reading, event->number == 1 ? "skip" : "complete",
		    text_of(&reading));
		break;
	case WF_EVENT_ITEM_DONE_FOR:
		report_doing(history, text_of(&reading));
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

bool wf_work_history_hears(uint32_t kind)
{
	static const uint32_t kinds[] = { WF_EVENT_CASE_LAUNCHED,
		WF_EVENT_CASE_CANCELLED, WF_EVENT_ITEM_UNOFFERED,
		WF_EVENT_ITEM_OFFERED, WF_EVENT_ITEM_ALLOCATED,
		WF_EVENT_ITEM_TAKEN, WF_EVENT_TASK_FIRED, WF_EVENT_TASK_EXITED,
		WF_EVENT_INSTANCE_ENDED, WF_EVENT_TASK_WITHDRAWN,
		WF_EVENT_ITEM_RETURNED, WF_EVENT_ITEM_PASSED_ON,
		WF_EVENT_ITEM_DONE_BY, WF_EVENT_RESOURCES_TAKEN,
		WF_EVENT_RESOURCES_RELEASED, WF_EVENT_ITEM_SUSPENDED,
		WF_EVENT_ITEM_RESUMED, WF_EVENT_TIMER_EXPIRED };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i] == kind)
			return true;
	return false;
}

/* --- reading -------------------------------------------------------------- */

struct wf_work_history *wf_work_history_new(struct wf_server *server,
    uint64_t number, const char *name, uint64_t specification)
{
	struct wf_work_history *history = wf_calloc(1, sizeof(*history));

	history->server = server;
	history->number = number;
	history->specification = specification;
	history->reader = wf_case_reader_new(number, name);
	history->arena = wf_arena_new();
	history->items = wf_map_new();
	return history;
}

void wf_work_history_free(struct wf_work_history **history)
{
	struct wf_work_history *old = *history;

	*history = NULL;
	if (old == NULL)
		return;
	wf_case_reader_free(&old->reader);
	wf_map_free(&old->items);
	wf_arena_free(&old->arena);
	wf_free(old);
}

uint64_t wf_work_history_number(const struct wf_work_history *history)
{
	return history->number;
}

uint64_t wf_work_history_done(const struct wf_work_history *history)
{
	return history->done;
}

size_t wf_work_history_items(const struct wf_work_history *history)
{
	return history->item_count;
}

static void read_case(void *context, const struct wf_spec *spec)
{
	struct wf_work_history *history = context;
	const struct wf_case_reading how = { .store = history->store,
		.spec = spec,
		.engine = history->server->engine,
		.visit = read_event,
		.context = history };
	bool more = true;

	while (more && history->err->rc == WF_OK)
		(void)(wf_case_reader_page(history->reader, &how, history->last,
			   &more, history->err) == WF_OK);
	/* Before the specification, which has the task, may be freed. */
	report_doing(history, "");
	if (history->err->rc == WF_GONE || history->err->rc == WF_CORRUPT)
		wf_error_clear(history->err);
}

enum wf_rc wf_work_history_go_on(struct wf_work_history *history,
    struct wf_store *store, uint64_t last, wf_work_event_f visit, void *context,
    struct wf_error *err)
{
	struct wf_server *server = history->server;
	struct wf_organisation *organisation =
	    wf_org_cache_get(server->organisation);
	enum wf_rc rc;

	wf_assert(last > history->done);
	history->organisation = organisation;
	history->store = store;
	history->last = last;
	history->visit = visit;
	history->context = context;
	history->err = err;
	rc = wf_engine_inspect_spec(server->engine, WF_NAMESPACE_DEFAULT,
	    history->specification, false, read_case, history, err);
	if (rc == WF_NOT_FOUND)
		wf_error_clear(err);
	if (err->rc == WF_OK)
		history->done = last;
	wf_organisation_unref(&organisation);
	return err->rc;
}

enum wf_rc wf_work_history_read(struct wf_gateway_call *call,
    const struct wf_case_row *row, wf_work_event_f visit, void *context,
    struct wf_error *err)
{
	struct wf_server *server = call->yawl.server;
	struct wf_work_history *history;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(server->engine, &store, err);

	if (rc != WF_OK)
		return rc;
	history = wf_work_history_new(
	    server, row->number, row->name, row->specification);
	rc = wf_work_history_go_on(
	    history, store, UINT64_MAX, visit, context, err);
	wf_work_history_free(&history);
	wf_engine_give_back(server->engine, store);
	return rc;
}

/* --- as XML --------------------------------------------------------------- */

void wf_work_event_put(struct wf_buffer *xml, const struct wf_work_event *event)
{
	wf_buffer_printf(xml, "<event key=\"%" PRIu64 "\">", event->key);
	wf_buffer_printf(xml, "<speckey>%" PRIu64 "</speckey>",
	    wf_log_key_of_spec(event->specification));
	wf_xml_put_element(xml, "caseid", event->case_id);
	wf_xml_put_element(xml, "taskid", event->task);
	wf_xml_put_element(xml, "itemid", event->item);
	wf_xml_put_element(xml, "resourceid", event->resource);
	wf_xml_put_element(xml, "eventtype", event->type);
	wf_xml_put_number(xml, "timestamp", event->at);
	wf_xml_put_optional(xml, "deputyid", event->deputy);
	wf_buffer_puts(xml, "</event>");
}
