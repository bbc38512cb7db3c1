/* SPDX-License-Identifier: Apache-2.0 */
/* The clients of a simulation: their requests, and the answers. */
#include "tests/unit/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/view.h"
#include "runtime/request.h"

/* A delayed command is due within this many milliseconds. */
#define SOON 10000U
#define LEASE 20000
/* More than is stored with a state. */
#define LARGE 3000U
#define ITEMS 30U
/* Cases that get very many requests at once. */
#define RUSH 3U

static uint32_t below(struct simulation *s, uint32_t n)
{
	return wf_random_below(&s->random, n);
}

/* --- answers -------------------------------------------------------------- */

static bool is_unknown(enum wf_rc rc)
{
	return rc == WF_UNAVAILABLE || rc == WF_LOST || rc == WF_IO;
}

static void take_reply(void *context, const struct wf_reply *reply)
{
	struct record *record = context;

	record->differs |= (reply->rc == WF_OK) != (reply->error.rc == WF_OK);
	record->waiting = false;
	if (record->outcome == ACKNOWLEDGED) {
		if (is_unknown(reply->rc))
			return;
		record->differs |= reply->rc != WF_OK || !reply->repeated ||
				   reply->number != record->number ||
				   reply->sequence != record->sequence ||
				   strcmp(reply->item, record->started) != 0;
	} else if (reply->rc == WF_OK) {
		record->outcome = ACKNOWLEDGED;
		record->number = reply->number;
		record->sequence = reply->sequence;
		snprintf(record->started, sizeof(record->started), "%s",
		    reply->item);
	} else if (!is_unknown(reply->rc)) {
		record->outcome = REFUSED;
	}
}

static void submit_to(struct wf_engine *engine, struct record *record)
{
	record->waiting = true;
	if (wf_engine_submit(
		engine, &record->request, take_reply, record, NULL) != WF_OK)
		record->waiting = false;
}

void simulation_submit(struct simulation *s, struct record *record)
{
	submit_to(s->engines[below(s, SIMULATION_ENGINES)], record);
}

struct record *simulation_record(const struct simulation *s, const char *key)
{
	size_t index = key[0] == 'k' ? strtoul(key + 1, NULL, 10) : 0;

	return index == 0 || index > s->record_count ? NULL
						     : &s->records[index - 1];
}

/* --- requests ------------------------------------------------------------- */

static struct record *new_record(struct simulation *s)
{
	struct record *record = &s->records[s->record_count++];

	snprintf(record->key, sizeof(record->key), "k%zu", s->record_count);
	record->request.kind = WF_REQUEST_COMMAND;
	record->request.actor = SIMULATION_ACTOR;
	record->request.origin = record->key;
	record->request.key = record->key;
	record->request.command.item = record->item;
	return record;
}

/* The commands for an item in a status; repeated ones are more frequent. */
static const struct move {
	enum wf_item_status status;
	enum wf_command_kind command;
} moves[] = {
	{ WF_ITEM_ENABLED, WF_COMMAND_FINISH },
	{ WF_ITEM_ENABLED, WF_COMMAND_START },
	{ WF_ITEM_ENABLED, WF_COMMAND_START },
	{ WF_ITEM_ENABLED, WF_COMMAND_START },
	{ WF_ITEM_ENABLED, WF_COMMAND_SKIP },
	{ WF_ITEM_ENABLED, WF_COMMAND_SUSPEND_ITEM },
	{ WF_ITEM_FIRED, WF_COMMAND_FINISH },
	{ WF_ITEM_FIRED, WF_COMMAND_START },
	{ WF_ITEM_FIRED, WF_COMMAND_SKIP },
	{ WF_ITEM_FIRED, WF_COMMAND_SUSPEND_ITEM },
	{ WF_ITEM_EXECUTING, WF_COMMAND_FINISH },
	{ WF_ITEM_EXECUTING, WF_COMMAND_COMPLETE },
	{ WF_ITEM_EXECUTING, WF_COMMAND_FORCE },
	{ WF_ITEM_EXECUTING, WF_COMMAND_ROLLBACK },
	{ WF_ITEM_EXECUTING, WF_COMMAND_ADD },
	{ WF_ITEM_EXECUTING, WF_COMMAND_ADD },
	{ WF_ITEM_EXECUTING, WF_COMMAND_UPDATE_ITEM },
	{ WF_ITEM_EXECUTING, WF_COMMAND_SUSPEND_ITEM },
	{ WF_ITEM_SUSPENDED, WF_COMMAND_RESUME_ITEM },
};

static enum wf_command_kind choose_move(
    struct simulation *s, const struct wf_item_row *row)
{
	static const enum wf_command_kind odd[] = { WF_COMMAND_FAIL,
		WF_COMMAND_CANCEL_ITEM, WF_COMMAND_ROLLBACK,
		WF_COMMAND_RESUME_ITEM, WF_COMMAND_COMPLETE };
	const size_t count = sizeof(moves) / sizeof(moves[0]);
	size_t at = below(s, (uint32_t)count);

	if (below(s, 20) == 0)
		return odd[below(s, sizeof(odd) / sizeof(odd[0]))];
	/* In random nets with timers this task allows further instances. */
	if (row->status == WF_ITEM_EXECUTING && strcmp(row->task, "T1") == 0 &&
	    below(s, 3) == 0)
		return WF_COMMAND_ADD;
	while (moves[at].status != row->status)
		at = (at + 1) % count;
	return moves[at].command;
}

/* Chooses an item; false: the case has none. */
static bool choose_item(struct simulation *s, struct record *record)
{
	struct wf_item_filter filter = { .number = record->request.number,
		.limit = ITEMS };
	struct wf_item_list list;
	const struct wf_item_row *row;

	record->request.command.kind = WF_COMMAND_RESUME_CASE;
	if (wf_store_items(s->fixture.store, &filter, s->fixture.arena, &list,
		NULL) != WF_OK ||
	    list.count == 0)
		return false;
	row = &list.rows[below(s, (uint32_t)list.count)];
	snprintf(record->item, sizeof(record->item), "%s", row->id);
	record->request.command.kind = choose_move(s, row);
	return true;
}

static void choose_data(struct simulation *s, struct record *record)
{
	static const char instance[] = "<n>7</n>";
	static const char input[] = "<M><n>9</n></M>";
	struct wf_request *request = &record->request;

	if (request->command.kind == WF_COMMAND_ADD)
		request->command.data = instance;
	else if (request->command.kind == WF_COMMAND_UPDATE_ITEM)
		request->command.data = input;
	else if (request->command.kind == WF_COMMAND_UPDATE_CASE)
		request->command.data = wf_arena_printf(s->fixture.arena,
		    below(s, 2) == 0 ? "<N><s>%0*u</s></N>"
				     : "<Net><s>%0*u</s></Net>",
		    below(s, 3) == 0 ? (int)LARGE : 1, below(s, 1000));
	request->command.length =
	    request->command.data == NULL ? 0 : strlen(request->command.data);
}

static void put_off(struct simulation *s, struct record *record)
{
	record->request.kind = WF_REQUEST_SCHEDULE;
	record->request.at = s->fixture.now + below(s, SOON);
}

static void choose_launch(struct simulation *s, struct record *record)
{
	record->request.command.kind = WF_COMMAND_LAUNCH;
	record->request.launch.specification =
	    below(s, 2) == 0 ? s->wide
			     : s->specs[below(s, (uint32_t)s->spec_count)];
	if (below(s, 4) == 0) {
		snprintf(
		    record->name, sizeof(record->name), "n%u", below(s, 20));
		record->request.launch.name = record->name;
	}
	if (below(s, 3) == 0)
		put_off(s, record);
}

static void choose_command(struct simulation *s, struct record *record)
{
	static const enum wf_command_kind whole[] = { WF_COMMAND_SUSPEND_CASE,
		WF_COMMAND_RESUME_CASE, WF_COMMAND_RESUME_CASE,
		WF_COMMAND_UPDATE_CASE, WF_COMMAND_CANCEL_CASE };

	bool has_items = choose_item(s, record);

	/* Most likely the case has ended; it may also be suspended. */
	if (!has_items && below(s, 4) > 0) {
		record->request.number = 0;
		choose_launch(s, record);
		return;
	}
	if (!has_items || below(s, 8) == 0) {
		record->item[0] = '\0';
		record->request.command.kind =
		    whole[below(s, sizeof(whole) / sizeof(whole[0]))];
		if (record->request.command.kind == WF_COMMAND_CANCEL_CASE &&
		    below(s, 4) > 0)
			record->request.command.kind = WF_COMMAND_RESUME_CASE;
	}
	choose_data(s, record);
	if (below(s, 5) == 0)
		put_off(s, record);
}

/* A delayed start, launched by now or not. */
static void choose_withdrawal(struct simulation *s, struct record *record)
{
	uint64_t number = 0;

	for (size_t i = 0; i < s->record_count; i++) {
		const struct record *other = &s->records[i];

		if (other->request.kind == WF_REQUEST_SCHEDULE &&
		    other->request.command.kind == WF_COMMAND_LAUNCH &&
		    other->outcome == ACKNOWLEDGED &&
		    (number == 0 || below(s, 2) == 0))
			number = other->number;
	}
	record->request.kind = WF_REQUEST_WITHDRAW;
	record->request.start = number == 0 ? 1 : number;
}

/* Chooses any incident, also one that was retried or dropped before. */
static void choose_incident(struct simulation *s, struct record *record)
{
	struct wf_incident_filter filter = { .which = WF_INCIDENTS_ALL,
		.limit = 1000 };
	struct wf_incident_list list = { NULL, 0 };
	const struct wf_incident_row *row;

	record->request.kind = WF_REQUEST_RETRY;
	record->request.incident = (struct wf_incident_request){ .id = 0 };
	record->request.number =
	    s->cases[below(s, SIMULATION_CASES)]; /* if there is none */
	if (record->request.number == 0)
		record->request.number = 1;
	if (wf_store_incidents(s->fixture.store, &filter, s->fixture.arena,
		&list, NULL) != WF_OK ||
	    list.count == 0)
		return;
	row = &list.rows[below(s, (uint32_t)list.count)];
	record->request.incident =
	    (struct wf_incident_request){ .id = row->id };
	if (below(s, 3) == 0) {
		record->request.kind = WF_REQUEST_DROP;
		record->request.incident.reason = record->key;
	}
}

/* A request about an item that is not a step. */
static void choose_report(struct simulation *s, struct record *record)
{
	(void)choose_item(s, record);
	if (below(s, 2) == 0) {
		record->request.kind = WF_REQUEST_ANNOUNCE;
		record->request.announce =
		    (struct wf_announce_request){ .item = record->item,
			    .reason = below(s, 4) == 0 ? "refused" : NULL };
	} else {
		record->request.kind = WF_REQUEST_REPORT;
		record->request.report =
		    (struct wf_report_request){ .item = record->item,
			    .code = "service",
			    .text = record->key,
			    .attempts = 3 };
	}
}

/* --- workers -------------------------------------------------------------- */

/* Claims an item and starts it.  False: there is none. */
static bool begin_work(
    struct simulation *s, struct client *client, struct record *record)
{
	struct wf_item_filter filter = { .number = record->request.number,
		.service = "",
		.statuses = 1U << WF_ITEM_ENABLED | 1U << WF_ITEM_FIRED,
		.limit = 1 };
	struct holding *holding = &client->holding;
	struct wf_item_list list = { NULL, 0 };

	if (wf_store_claim_items(s->fixture.store, &filter, client->owner,
		s->fixture.now, s->fixture.now + LEASE, s->fixture.arena, &list,
		NULL) != WF_OK ||
	    list.count == 0)
		return false;
	*holding = (struct holding){ .number = record->request.number,
		.lease = { .owner = client->owner,
		    .fence = list.rows[0].fence,
		    .attempt = list.rows[0].attempt,
		    .until = s->fixture.now + LEASE },
		.start = record };
	snprintf(record->item, sizeof(record->item), "%s", list.rows[0].id);
	record->request.command.kind = WF_COMMAND_START;
	record->request.lease = holding->lease;
	return true;
}

/*
 * Goes on with a started item, also after the lease has ended: that must be
 * refused then.
 */
static void go_on_with_work(
    struct simulation *s, const struct client *client, struct record *record)
{
	static const enum wf_command_kind next[] = { WF_COMMAND_COMPLETE,
		WF_COMMAND_FORCE, WF_COMMAND_ROLLBACK };
	const struct holding *holding = &client->holding;
	struct wf_request *request = &record->request;
	enum wf_rc rc;

	if (below(s, 4) == 0) {
		rc = wf_store_heartbeat(s->fixture.store, holding->number,
		    holding->start->started, client->owner,
		    holding->lease.fence, s->fixture.now + 2 * LEASE, NULL);
		(void)rc; /* it may be too late */
	}
	request->number = holding->number;
	snprintf(
	    record->item, sizeof(record->item), "%s", holding->start->started);
	request->command.kind = next[below(s, 3)];
	request->lease = holding->lease;
	request->lease.until = 0;
	if (request->command.kind == WF_COMMAND_ROLLBACK) {
		request->lease.until = s->fixture.now + below(s, 3) * 1000;
		request->lease.is_forgotten = below(s, 2) == 0;
	}
}

static bool choose_work(
    struct simulation *s, struct client *client, struct record *record)
{
	const struct record *start = client->holding.start;

	if (start != NULL && start->outcome == ACKNOWLEDGED &&
	    below(s, 8) > 0) {
		go_on_with_work(s, client, record);
		return true;
	}
	return begin_work(s, client, record);
}

/* --- many requests at once ------------------------------------------------ */

/* A case in a rush: its state, and its state if all requests succeed. */
struct rush {
	uint64_t number;
	struct wf_item_list items;
	size_t used;
	char id[WF_CASE_NAME_BYTES + 1];
	uint32_t instance;   /* the highest instance number so far */
	const char *started; /* NULL: nothing */
};

static void note_net(void *argument, const struct wf_net_view *view)
{
	struct rush *rush = argument;

	if (view->serial == WF_ROOT_NET)
		rush->instance = view->last_instance;
}

static void note_nets(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct rush *rush = context;

	(void)stored;
	snprintf(rush->id, sizeof(rush->id), "%s", wf_case_id(instance));
	wf_case_nets(instance, note_net, context);
}

static bool is_rushed(
    const struct rush *rushes, const struct rush *end, uint64_t number)
{
	while (rushes < end && rushes->number != number)
		rushes++;
	return rushes < end;
}

/* The case with most items among some. False: there is nothing to do. */
static bool begin_rush(struct simulation *s, struct wf_engine *engine,
    const struct rush *rushes, struct rush *rush)
{
	struct wf_item_filter filter = { .limit = ITEMS };
	struct wf_item_list list;

	memset(rush, 0, sizeof(*rush));
	for (unsigned i = 0; i < SIMULATION_CASES; i++) {
		filter.number = s->cases[below(s, SIMULATION_CASES)];
		if (filter.number == 0 ||
		    wf_store_items(s->fixture.store, &filter, s->fixture.arena,
			&list, NULL) != WF_OK ||
		    list.count <= rush->items.count ||
		    is_rushed(rushes, rush, filter.number))
			continue;
		rush->number = filter.number;
		rush->items = list;
	}
	return rush->items.count > 0 && wf_engine_inspect(engine, rush->number,
					    note_nets, rush, NULL) == WF_OK;
}

/* Starts items, each once; a started item is completed later. */
static void start_or_complete(
    struct simulation *s, struct rush *rush, struct record *record)
{
	const struct wf_item_row *row = &rush->items.rows[rush->used];
	bool is_enabled = row->status == WF_ITEM_ENABLED;

	if (rush->started != NULL && below(s, 3) == 0) {
		record->request.command.kind = WF_COMMAND_COMPLETE;
		snprintf(
		    record->item, sizeof(record->item), "%s", rush->started);
		rush->started = NULL;
		return;
	}
	record->request.command.kind = is_enabled && rush->started == NULL
					   ? WF_COMMAND_START
					   : WF_COMMAND_FINISH;
	snprintf(record->item, sizeof(record->item), "%s", row->id);
	rush->used += rush->used + 1 < rush->items.count;
	rush->instance += is_enabled;
	if (record->request.command.kind == WF_COMMAND_START)
		rush->started = wf_arena_printf(s->fixture.arena, "%s.%u:%s",
		    rush->id, rush->instance, row->task);
}

static void choose_in_rush(
    struct simulation *s, struct rush *rush, struct record *record)
{
	record->request.number = rush->number;
	if (below(s, 20) == 0) {
		record->request.number = 0;
		choose_launch(s, record);
	} else if (below(s, 4) > 0) {
		start_or_complete(s, rush, record);
	} else {
		/* A task that may be enabled by then. */
		record->request.command.kind = WF_COMMAND_FINISH;
		snprintf(record->item, sizeof(record->item), "%s:T%u", rush->id,
		    below(s, 9));
	}
	if (record->request.kind == WF_REQUEST_COMMAND && below(s, 5) == 0)
		put_off(s, record);
}

/*
 * Commands to few cases, one after the other, some of them delayed: a batch in
 * which rows are added, removed and added again.
 */
void simulation_rush(struct simulation *s)
{
	struct wf_engine *engine = s->engines[below(s, SIMULATION_ENGINES)];
	uint32_t count = 8 + below(s, 25);
	struct rush rushes[RUSH];
	uint32_t cases = 0;

	while (cases < RUSH && begin_rush(s, engine, rushes, &rushes[cases]))
		cases++;
	if (cases == 0)
		return;
	while (count-- > 0 && s->record_count < SIMULATION_REQUESTS) {
		struct record *record = new_record(s);

		choose_in_rush(s, &rushes[below(s, cases)], record);
		submit_to(engine, record);
	}
}

/* --- actions -------------------------------------------------------------- */

static void choose(
    struct simulation *s, struct client *client, struct record *record)
{
	uint32_t dice = below(s, 100);

	record->request.number = s->cases[below(s, SIMULATION_CASES)];
	if (record->request.number == 0 || dice < 6)
		choose_launch(s, record);
	else if (dice < 10)
		choose_withdrawal(s, record);
	else if (dice < 15)
		choose_incident(s, record);
	else if (dice < 20)
		choose_report(s, record);
	else if (dice >= 40 || !choose_work(s, client, record))
		choose_command(s, record);
}

/* The clients work on a launched case from now on. */
static void note_case(struct simulation *s, const struct record *record)
{
	if (wf_request_launches(&record->request) &&
	    record->outcome == ACKNOWLEDGED)
		s->cases[below(s, SIMULATION_CASES)] = record->number;
}

void simulation_act(struct simulation *s, struct client *client)
{
	struct record *record = client->current;

	if (record != NULL && record->waiting)
		return;
	if (record != NULL && record->outcome == OPEN) {
		simulation_submit(s, record); /* with the same key */
		return;
	}
	if (record != NULL && below(s, 10) == 0) {
		simulation_submit(s, record); /* its answer is forgotten */
		return;
	}
	if (record != NULL)
		note_case(s, record);
	if (s->record_count == SIMULATION_REQUESTS)
		return;
	record = client->current = new_record(s);
	choose(s, client, record);
	simulation_submit(s, record);
}
