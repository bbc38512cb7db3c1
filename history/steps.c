/* SPDX-License-Identifier: Apache-2.0 */
#include "history/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "data/json.h"
#include "data/json_fields.h"
#include "history/case_reader.h"
#include "runtime/engine.h"

#define LISTS 1024U
#define DIGITS 19U

/* In one list by number, and in one by the time when it was met last. */
struct known_case {
	struct known_case *next;
	struct known_case *older;
	struct known_case *newer;
	struct wf_case_reader *reader;
};

struct wf_steps {
	struct wf_engine *engine;
	struct known_case *lists[LISTS]; /* by number */
	struct known_case *newest;
	struct known_case *oldest;
	size_t count;
	size_t maximum;
};

struct wf_steps *wf_steps_new(struct wf_engine *engine, size_t cases)
{
	struct wf_steps *steps = wf_calloc(1, sizeof(*steps));

	wf_assert(cases > 0);
	steps->engine = engine;
	steps->maximum = cases;
	return steps;
}

static struct known_case **list_of(struct wf_steps *steps, uint64_t number)
{
	return &steps->lists[number % LISTS];
}

static void take_out(struct wf_steps *steps, struct known_case *known)
{
	*(known->older != NULL ? &known->older->newer : &steps->oldest) =
	    known->newer;
	*(known->newer != NULL ? &known->newer->older : &steps->newest) =
	    known->older;
}

static void put_newest(struct wf_steps *steps, struct known_case *known)
{
	known->newer = NULL;
	known->older = steps->newest;
	*(known->older != NULL ? &known->older->newer : &steps->oldest) = known;
	steps->newest = known;
}

static void drop_oldest(struct wf_steps *steps)
{
	struct known_case *known = steps->oldest;
	struct known_case **at =
	    list_of(steps, wf_case_reader_number(known->reader));

	while (*at != known)
		at = &(*at)->next;
	*at = known->next;
	take_out(steps, known);
	steps->count--;
	wf_case_reader_free(&known->reader);
	wf_free(known);
}

void wf_steps_free(struct wf_steps **steps)
{
	if (*steps == NULL)
		return;
	while ((*steps)->count > 0)
		drop_oldest(*steps);
	wf_assert((*steps)->newest == NULL && (*steps)->oldest == NULL);
	wf_free(*steps);
	*steps = NULL;
}

/* --- cursors -------------------------------------------------------------- */

void wf_cursor_text(const struct wf_cursor *cursor, char text[WF_CURSOR_TEXT])
{
	snprintf(text, WF_CURSOR_TEXT,
	    "%" PRIu64 "-%" PRIu64 "-%" PRIu64 "-%" PRIu64, cursor->position,
	    cursor->number, cursor->sequence, cursor->retirements);
}

bool wf_cursor_parse(const char *text, struct wf_cursor *cursor_out)
{
	uint64_t *const parts[] = { &cursor_out->position, &cursor_out->number,
		&cursor_out->sequence, &cursor_out->retirements };

	memset(cursor_out, 0, sizeof(*cursor_out));
	if (strcmp(text, "0") == 0)
		return true;
	for (size_t i = 0; i < 4; i++) {
		size_t length = strspn(text, "0123456789");

		if (length == 0 || length > DIGITS ||
		    text[length] != (i < 3 ? '-' : '\0'))
			return false;
		*parts[i] = strtoull(text, NULL, 10);
		text += length + 1;
	}
	return true;
}

/* --- cases ---------------------------------------------------------------- */

/* context: the char * to be filled with the name of the case. */
static void take_name(void *context, const struct wf_event *event)
{
	char **name = context;

	if (event->kind == WF_EVENT_CASE_LAUNCHED && *name == NULL)
		*name = wf_strndup(event->text, event->text_length);
}

/* The first event of a case has its name; for later steps the store has it. */
static enum wf_rc make_reader(struct wf_store *store,
    const struct wf_history_row *row, struct wf_case_reader **reader_out,
    struct wf_error *err)
{
	struct wf_stored_case stored;
	struct wf_arena *arena;
	char *name = NULL;
	enum wf_rc rc = WF_OK;

	if (row->sequence == 1 &&
	    wf_history_decode(row, NULL, take_name, &name, NULL) == WF_OK &&
	    name != NULL) {
		*reader_out = wf_case_reader_new(row->number, name);
	} else {
		arena = wf_arena_new();
		rc = wf_store_case(
		    store, row->number, false, arena, &stored, err);
		if (rc == WF_OK)
			*reader_out =
			    wf_case_reader_new(row->number, stored.row.name);
		wf_arena_free(&arena);
	}
	wf_free(name);
	return rc;
}

/* The reader of the row's case, which becomes the newest. */
static enum wf_rc find_reader(struct wf_steps *steps, struct wf_store *store,
    const struct wf_history_row *row, struct wf_case_reader **reader_out,
    struct wf_error *err)
{
	struct known_case **list = list_of(steps, row->number);
	struct known_case *known = *list;
	enum wf_rc rc;

	while (known != NULL &&
	       wf_case_reader_number(known->reader) != row->number)
		known = known->next;
	if (known != NULL) {
		take_out(steps, known);
	} else {
		rc = make_reader(store, row, reader_out, err);
		if (rc != WF_OK)
			return rc;
		if (steps->count == steps->maximum)
			drop_oldest(steps);
		known = wf_calloc(1, sizeof(*known));
		known->reader = *reader_out;
		known->next = *list;
		*list = known;
		steps->count++;
	}
	put_newest(steps, known);
	*reader_out = known->reader;
	return WF_OK;
}

/* --- events --------------------------------------------------------------- */

static json_t *values_of(const struct wf_case_event *event)
{
	json_t *object = json_object();
	struct wf_named_value named;

	for (uint32_t i = 0; i < event->event->value_count; i++)
		if (wf_case_event_value(event, i, &named))
			json_object_set_new(object, named.name,
			    named.value == NULL
				? json_null()
				: wf_json_of_value(named.type, named.value));
	return object;
}

static json_t *conditions_of(const struct wf_case_event *event)
{
	const struct wf_net *net = event->net;
	json_t *array = json_array();

	for (uint32_t i = 0; i < event->event->condition_count; i++) {
		uint32_t condition = event->event->conditions[i];

		if (condition < net->condition_count)
			json_array_append_new(
			    array, json_string(net->conditions[condition].id));
	}
	return array;
}

static void put_task(json_t *object, const struct wf_case_event *event)
{
	char case_id[WF_CASE_ID_SIZE];
	char item[WF_ITEM_ID_SIZE];

	wf_case_event_item(event, case_id);
	snprintf(item, sizeof(item), "%s:%s", case_id, event->task->id);
	wf_json_put_text(object, "task", event->task->id);
	wf_json_put_text(object, "item", item);
}

/* The text of a log predicate, and the parameter that it is about. */
static void put_logged(json_t *object, const struct wf_case_event *event)
{
	const struct wf_decomposition *d = event->task == NULL
					       ? event->net->decomposition
					       : event->task->decomposition;
	bool starts = event->event->status == WF_ITEM_EXECUTING;
	uint32_t number = event->event->number;
	size_t count = d == NULL ? 0
		       : starts	 ? d->input_count
				 : d->output_count;

	if (number > 0 && number <= count)
		json_object_set_new(object, "parameter",
		    json_string(
			(starts ? d->inputs : d->outputs)[number - 1].name));
	json_object_set_new(object, "text",
	    json_stringn(event->event->text, event->event->text_length));
}

/* The text as the JSON that it is. */
static void put_json(
    json_t *object, const char *member, const struct wf_event *event)
{
	json_t *value = json_loadb(event->text, event->text_length, 0, NULL);

	json_object_set_new(object, member,
	    value == NULL ? json_stringn(event->text, event->text_length)
			  : value);
}

/* What events about people say: who, to whom, or why not. */
static void put_people(json_t *object, const struct wf_event *event)
{
	json_t *text = json_stringn(event->text, event->text_length);

	switch (event->kind) {
	case WF_EVENT_ITEM_OFFERED:
		put_json(object, "audience", event);
		break;
	case WF_EVENT_FACTS_USED:
		put_json(object, "facts", event);
		break;
	case WF_EVENT_RESOURCES_TAKEN:
	case WF_EVENT_RESOURCES_RELEASED:
	case WF_EVENT_RESOURCES_SET:
		put_json(object, "resources", event);
		break;
	case WF_EVENT_ITEM_UNOFFERED:
	case WF_EVENT_START_FAILED:
	case WF_EVENT_URGENCY_FAILED:
		json_object_set(object, "reason", text);
		break;
	case WF_EVENT_COST_PRICED:
		json_object_set(object, "cost", text);
		break;
	case WF_EVENT_ITEM_REDIRECTED:
		json_object_set(object, "service", text);
		break;
	case WF_EVENT_ITEM_ESCALATED:
		json_object_set(object, "action", text);
		break;
	case WF_EVENT_ITEM_ALLOCATED:
	case WF_EVENT_ITEM_TAKEN:
	case WF_EVENT_ITEM_RETURNED:
	case WF_EVENT_ITEM_PASSED_ON:
	case WF_EVENT_ITEM_DONE_BY:
	case WF_EVENT_ITEM_DONE_FOR:
	case WF_EVENT_CASE_CHAINED:
	case WF_EVENT_CASE_UNCHAINED:
		json_object_set(object, "participant", text);
		break;
	default:
		break;
	}
	json_decref(text);
}

/* context: the array of events. */
static void describe_event(void *context, const struct wf_case_event *resolved)
{
	const struct wf_event *event = resolved->event;
	unsigned fields = wf_event_fields(event->kind);
	json_t *object = json_object();

	json_array_append_new(context, object);
	json_object_set_new(
	    object, "event", json_string(wf_event_name(event->kind)));
	if (event->kind == WF_EVENT_REASON_STATED ||
	    event->kind == WF_EVENT_REASON_GIVEN)
		json_object_set_new(object, "reason",
		    json_stringn(event->text, event->text_length));
	put_people(object, event);
	if (event->kind < WF_EVENT_NET_STARTED || resolved->net == NULL)
		return;
	json_object_set_new(object, "net", json_string(resolved->case_id));
	if (resolved->condition != NULL)
		json_object_set_new(
		    object, "condition", json_string(resolved->condition->id));
	if (resolved->task != NULL)
		put_task(object, resolved);
	if ((fields & WF_HAS_STATUS) && event->status <= WF_ITEM_DISCARDED)
		json_object_set_new(object, "status",
		    wf_json_lower_case(wf_item_status_name(
			(enum wf_item_status)event->status)));
	if (event->condition_count > 0)
		json_object_set_new(
		    object, "conditions", conditions_of(resolved));
	if (fields & WF_HAS_TIME)
		wf_json_put_time(object, "time", event->time);
	if (event->kind == WF_EVENT_PREDICATE_LOGGED)
		put_logged(object, resolved);
	else if (fields & WF_HAS_NUMBER)
		json_object_set_new(
		    object, "number", json_integer(event->number));
	if (event->value_count > 0)
		json_object_set_new(object, "values", values_of(resolved));
}

/* --- steps ---------------------------------------------------------------- */

struct describing {
	struct wf_engine *engine;
	struct wf_store *store;
	struct wf_case_reader *reader;
	const struct wf_history_row *row;
	json_t *events;
	struct wf_error *err;
	enum wf_rc rc;
};

static void describe_with_spec(void *context, const struct wf_spec *spec)
{
	struct describing *describing = context;
	const struct wf_case_reading how = { .store = describing->store,
		.spec = spec,
		.engine = describing->engine,
		.visit = describe_event,
		.context = describing->events };

	describing->rc = wf_case_reader_step(
	    describing->reader, &how, describing->row, describing->err);
}

/* The specification, in words and by its key; context: where it is put. */
static void put_specification(void *context, const struct wf_spec *spec)
{
	json_t *object = context;

	wf_json_put_key(object, "specification", spec->key);
	wf_json_put_text(object, "uri", spec->uri);
	wf_json_put_text(object, "version", spec->metadata.version);
}

static enum wf_rc put_end(const struct wf_steps *steps, json_t *event,
    const char *member, const struct wf_history_row *row, struct wf_error *err)
{
	json_t *object = json_object();

	json_object_set_new(event, member, object);
	return wf_engine_inspect_spec(steps->engine, row->namespace_id,
	    row->specification, false, put_specification, object, err);
}

/* From which specification to which one: the step before is of the former. */
static enum wf_rc put_migration(const struct wf_steps *steps,
    struct wf_store *store, const struct wf_history_row *row, json_t *event,
    struct wf_error *err)
{
	struct wf_history_list list = { .count = 0 };
	struct wf_arena *arena = wf_arena_new();
	enum wf_rc rc = put_end(steps, event, "to", row, err);

	if (rc == WF_OK && row->sequence > 1)
		rc = wf_store_case_history(store, row->number,
		    row->sequence - 2, 1, arena, &list, err);
	if (rc == WF_OK && list.count == 1 &&
	    list.rows[0].sequence + 1 == row->sequence)
		rc = put_end(steps, event, "from", &list.rows[0], err);
	wf_arena_free(&arena);
	return rc;
}

static enum wf_rc put_migrations(const struct wf_steps *steps,
    const struct describing *describing, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;
	json_t *event;
	size_t i;

	json_array_foreach(describing->events, i, event)
	{
		const char *name =
		    json_string_value(json_object_get(event, "event"));

		if (rc == WF_OK && strcmp(name, "CASE_MIGRATED") == 0)
			rc = put_migration(steps, describing->store,
			    describing->row, event, err);
	}
	return rc;
}

/* Removes the end of the text; false: it ends otherwise. */
static bool cut_off(char *text, const char *end)
{
	size_t length = strlen(text);
	size_t size = strlen(end);

	if (length < size || strcmp(text + length - size, end) != 0)
		return false;
	text[length - size] = '\0';
	return true;
}

/*
 * How the command came, the incident whose retry made it come, and whether it
 * was done against a lease.
 */
static void put_origin(json_t *step, const char *stored)
{
	char *origin = wf_strdup(stored);
	bool overrides = cut_off(origin, WF_ORIGIN_OVERRIDE);
	char *incident = strstr(origin, WF_ORIGIN_INCIDENT);
	uint64_t number = 0;

	if (incident != NULL) {
		*incident = '\0';
		incident += sizeof(WF_ORIGIN_INCIDENT) - 1;
		number = strtoull(incident, NULL, 10);
	}
	wf_json_put_text(step, "origin", origin);
	if (number != 0)
		json_object_set_new(
		    step, "incident", json_integer((json_int_t)number));
	if (overrides)
		json_object_set_new(step, "override", json_true());
	wf_free(origin);
}

/* The reason that one of the events has. */
static void put_reason(json_t *step, const json_t *events)
{
	json_t *event;
	size_t i;

	json_array_foreach(events, i, event)
	{
		json_t *reason = json_object_get(event, "reason");

		if (reason != NULL)
			json_object_set(step, "reason", reason);
	}
}

/* name NULL: it is not known. */
static json_t *make_step(
    const char *name, const struct wf_history_row *row, uint64_t retirements)
{
	struct wf_cursor cursor = { row->position, row->number, row->sequence,
		retirements };
	json_t *step = json_object();
	char id[WF_CURSOR_TEXT];

	wf_cursor_text(&cursor, id);
	json_object_set_new(step, "id", json_string(id));
	if (name != NULL)
		json_object_set_new(step, "case", json_string(name));
	else
		wf_json_put_number(step, "case", row->number);
	wf_json_put_key(step, "specification", row->specification);
	json_object_set_new(
	    step, "sequence", json_integer((json_int_t)row->sequence));
	wf_json_put_time(step, "time", row->at);
	wf_json_put_text(step, "actor", row->actor);
	put_origin(step, row->origin);
	return step;
}

/* Another try would end in the same way. */
static bool is_lasting(enum wf_rc rc)
{
	return rc == WF_CORRUPT || rc == WF_NOT_FOUND || rc == WF_GONE ||
	       rc == WF_BUG;
}

json_t *wf_steps_describe(struct wf_steps *steps, struct wf_store *store,
    const struct wf_history_row *row, uint64_t retirements,
    struct wf_error *err)
{
	struct wf_error failure = { .rc = WF_OK };
	struct describing describing = { .engine = steps->engine,
		.store = store,
		.row = row,
		.err = &failure };
	enum wf_rc rc =
	    find_reader(steps, store, row, &describing.reader, &failure);
	json_t *step;

	describing.events = json_array();
	if (rc == WF_OK)
		rc = wf_engine_inspect_spec(steps->engine, row->namespace_id,
		    row->specification, false, describe_with_spec, &describing,
		    &failure);
	if (rc == WF_OK)
		rc = describing.rc;
	if (rc == WF_OK)
		rc = put_migrations(steps, &describing, &failure);
	if (rc != WF_OK && !is_lasting(rc)) {
		json_decref(describing.events);
		wf_fail(err, rc, "%s", failure.message);
		return NULL;
	}
	step = make_step(describing.reader == NULL
			     ? NULL
			     : wf_case_reader_name(describing.reader),
	    row, retirements);
	if (rc != WF_OK)
		wf_json_put_text(step, "error", failure.message);
	put_reason(step, describing.events);
	json_object_set_new(step, "events", describing.events);
	return step;
}
