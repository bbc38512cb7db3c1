/* SPDX-License-Identifier: Apache-2.0 */
#include "history/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json.h"
#include "data/json_fields.h"
#include "kernel/event.h"
#include "kernel/view.h"
#include "runtime/checksum.h"

#define PAGE 256U
#define LISTS 1024U
#define DIGITS 19U

/* A net instance, by its serial number less one. */
struct seen_net {
	const char *decomposition;
	char *id;
};

struct seen_case {
	struct seen_case *next; /* in its list */
	/* The one met before, and after, it: the latest has no newer. */
	struct seen_case *older;
	struct seen_case *newer;
	uint64_t number;
	char *name;
	uint64_t sequence; /* the last step that nets know */
	struct seen_net *nets;
	size_t net_count;
	size_t net_capacity;
};

struct wf_steps {
	struct wf_engine *engine;
	struct seen_case *lists[LISTS]; /* by number */
	struct seen_case *newest;
	struct seen_case *oldest;
	size_t count;
	size_t maximum;
};

struct wf_steps *wf_steps_new(struct wf_engine *engine, size_t cases)
{
	struct wf_steps *steps = wf_calloc(1, sizeof(*steps));

	steps->engine = engine;
	steps->maximum = cases;
	return steps;
}

static void forget_nets(struct seen_case *seen)
{
	for (size_t i = 0; i < seen->net_count; i++)
		wf_free(seen->nets[i].id);
	seen->net_count = 0;
	seen->sequence = 0;
}

static void take_out(struct wf_steps *steps, struct seen_case *seen)
{
	*(seen->older != NULL ? &seen->older->newer : &steps->oldest) =
	    seen->newer;
	*(seen->newer != NULL ? &seen->newer->older : &steps->newest) =
	    seen->older;
}

static void put_newest(struct wf_steps *steps, struct seen_case *seen)
{
	seen->newer = NULL;
	seen->older = steps->newest;
	*(seen->older != NULL ? &seen->older->newer : &steps->oldest) = seen;
	steps->newest = seen;
}

static void drop_oldest(struct wf_steps *steps)
{
	struct seen_case *seen = steps->oldest;
	struct seen_case **at = &steps->lists[seen->number % LISTS];

	while (*at != seen)
		at = &(*at)->next;
	*at = seen->next;
	take_out(steps, seen);
	steps->count--;
	forget_nets(seen);
	wf_free(seen->nets);
	wf_free(seen->name);
	wf_free(seen);
}

void wf_steps_free(struct wf_steps **steps)
{
	if (*steps == NULL)
		return;
	while ((*steps)->count > 0)
		drop_oldest(*steps);
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

bool wf_cursor_is_before(const struct wf_cursor *a, const struct wf_cursor *b)
{
	if (a->position != b->position)
		return a->position < b->position;
	if (a->number != b->number)
		return a->number < b->number;
	return a->sequence < b->sequence;
}

/* --- the nets of a case --------------------------------------------------- */

/* The first event of a case is that it was launched, with its name. */
static char *name_of_first(const struct wf_history_row *row)
{
	struct wf_event_reader reader;
	const struct wf_event *event;
	struct wf_bytes bytes;
	char *name = NULL;

	if (row->sequence != 1 ||
	    wf_checksum_check_history(row, &bytes, NULL) != WF_OK)
		return NULL;
	wf_event_reader_init(&reader, bytes.data, bytes.size, NULL);
	event = wf_event_next(&reader, NULL);
	if (event != NULL && event->kind == WF_EVENT_CASE_LAUNCHED)
		name = wf_strndup(event->text, event->text_length);
	wf_event_reader_free(&reader);
	return name;
}

static enum wf_rc read_name(struct wf_store *store,
    const struct wf_history_row *row, char **name_out, struct wf_error *err)
{
	struct wf_stored_case stored;
	struct wf_arena *arena;
	enum wf_rc rc;

	*name_out = name_of_first(row);
	if (*name_out != NULL)
		return WF_OK;
	arena = wf_arena_new();
	rc = wf_store_case(store, row->number, false, arena, &stored, err);
	if (rc == WF_OK)
		*name_out = wf_strdup(stored.row.name);
	wf_arena_free(&arena);
	return rc;
}

static enum wf_rc meet(struct wf_steps *steps, struct wf_store *store,
    const struct wf_history_row *row, struct seen_case **seen_out,
    struct wf_error *err)
{
	struct seen_case **list = &steps->lists[row->number % LISTS];
	struct seen_case *seen = *list;
	char *name;
	enum wf_rc rc;

	while (seen != NULL && seen->number != row->number)
		seen = seen->next;
	if (seen == NULL) {
		rc = read_name(store, row, &name, err);
		if (rc != WF_OK)
			return rc;
		if (steps->count == steps->maximum)
			drop_oldest(steps);
		seen = wf_calloc(1, sizeof(*seen));
		seen->number = row->number;
		seen->name = name;
		seen->next = *list;
		*list = seen;
		steps->count++;
	} else {
		take_out(steps, seen);
	}
	put_newest(steps, seen);
	*seen_out = seen;
	return WF_OK;
}

static const struct wf_net *net_of(const struct wf_spec *spec,
    const struct seen_case *seen, uint32_t serial, const char **id_out)
{
	const struct wf_decomposition *decomposition;

	*id_out = seen->name;
	if (serial == WF_ROOT_NET || serial == 0)
		return spec->root;
	if (serial > seen->net_count)
		return NULL;
	*id_out = seen->nets[serial - 1].id;
	decomposition =
	    wf_spec_decomposition(spec, seen->nets[serial - 1].decomposition);
	return decomposition == NULL ? NULL : decomposition->net;
}

static const struct wf_task *task_of(
    const struct wf_net *net, const struct wf_event *event)
{
	return net != NULL && event->task < net->task_count
		   ? &net->tasks[event->task]
		   : NULL;
}

/* Net instances are numbered as they begin, the root net first. */
static void note_net(const struct wf_spec *spec, struct seen_case *seen,
    const struct wf_event *event)
{
	const char *outer;
	const struct wf_net *net = net_of(spec, seen, event->net, &outer);
	const struct wf_task *task = task_of(net, event);
	struct seen_net made = { spec->root->decomposition->id, NULL };
	char id[WF_CASE_ID_SIZE];

	if (event->net == 0)
		snprintf(id, sizeof(id), "%s", seen->name);
	else
		snprintf(id, sizeof(id), "%.600s.%u", outer, event->instance);
	if (event->net != 0 && task != NULL && task->decomposition != NULL)
		made.decomposition = task->decomposition->id;
	made.id = wf_strdup(id);
	if (seen->net_count == seen->net_capacity) {
		seen->net_capacity = seen->net_capacity * 2 + 4;
		seen->nets = wf_realloc(
		    seen->nets, seen->net_capacity * sizeof(*seen->nets));
	}
	seen->nets[seen->net_count++] = made;
}

/* --- events --------------------------------------------------------------- */

/* Which variables or parameters the values of an event are for. */
static json_t *values_of(const struct wf_event *event, const struct wf_net *net,
    const struct wf_task *task)
{
	const struct wf_decomposition *decomposition =
	    task == NULL ? NULL : task->decomposition;
	const struct wf_variable *parameters = NULL;
	size_t count = 0;
	json_t *object = json_object();

	if (decomposition != NULL &&
	    (event->kind == WF_EVENT_TASK_FIRED ||
		event->kind == WF_EVENT_INSTANCE_CREATED ||
		event->kind == WF_EVENT_INSTANCE_UPDATED)) {
		parameters = decomposition->inputs;
		count = decomposition->input_count;
	} else if (decomposition != NULL &&
		   event->kind == WF_EVENT_DATA_SHOWN) {
		parameters = decomposition->enablements;
		count = decomposition->enablement_count;
	} else if (decomposition != NULL &&
		   (event->kind == WF_EVENT_TASK_EXITED ||
		       event->kind == WF_EVENT_INSTANCE_ENDED)) {
		parameters = decomposition->outputs;
		count = decomposition->output_count;
	}
	for (uint32_t i = 0; i < event->value_count; i++) {
		const struct wf_binding *binding = &event->values[i];
		const struct wf_type *type = NULL;
		const char *name = NULL;

		if (parameters != NULL && binding->variable < count) {
			name = parameters[binding->variable].name;
			type = parameters[binding->variable].type;
		} else if (parameters == NULL && net != NULL &&
			   binding->variable < net->variable_count) {
			name = net->variables[binding->variable].name;
			type = net->variables[binding->variable].type;
		}
		if (name == NULL)
			continue;
		/* Large values are not read here. */
		json_object_set_new(object, name,
		    binding->value == NULL
			? json_null()
			: wf_json_of_value(type, binding->value));
	}
	return object;
}

static json_t *conditions_of(
    const struct wf_event *event, const struct wf_net *net)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < event->condition_count; i++)
		if (event->conditions[i] < net->condition_count)
			json_array_append_new(array,
			    json_string(
				net->conditions[event->conditions[i]].id));
	return array;
}

static bool has_status(enum wf_event_kind kind)
{
	return kind == WF_EVENT_PREDICATE_LOGGED ||
	       kind == WF_EVENT_NET_ENDED || kind == WF_EVENT_TASK_WITHDRAWN ||
	       kind == WF_EVENT_TASK_EXITED ||
	       kind == WF_EVENT_INSTANCE_CREATED ||
	       kind == WF_EVENT_INSTANCE_ENDED || kind == WF_EVENT_ITEM_DATED;
}

static void put_task(json_t *object, const struct wf_event *event,
    const struct wf_net *net, const struct wf_task *task, const char *id)
{
	char item[WF_ITEM_ID_SIZE];

	if (event->kind == WF_EVENT_CONDITION_EMPTIED ||
	    event->kind == WF_EVENT_CONDITION_MARKED) {
		if (event->task < net->condition_count)
			json_object_set_new(object, "condition",
			    json_string(net->conditions[event->task].id));
		return;
	}
	if (task == NULL)
		return;
	json_object_set_new(object, "task", json_string(task->id));
	if (event->instance == 0)
		snprintf(item, sizeof(item), "%s:%s", id, task->id);
	else
		snprintf(item, sizeof(item), "%s.%u:%s", id, event->instance,
		    task->id);
	json_object_set_new(object, "item", json_string(item));
}

static bool is_about_task(const struct wf_event *event)
{
	if (event->kind == WF_EVENT_NET_STARTED)
		return event->net != 0;
	if (event->kind == WF_EVENT_PREDICATE_LOGGED)
		return event->instance != 0;
	return event->kind >= WF_EVENT_CONDITION_EMPTIED &&
	       event->kind != WF_EVENT_VARIABLES_SET &&
	       event->kind != WF_EVENT_INSTANCES_COUNTED;
}

/* The text, and the parameter that it is about. */
static void put_logged(json_t *object, const struct wf_event *event,
    const struct wf_net *net, const struct wf_task *task)
{
	const struct wf_decomposition *d =
	    event->net == 0 || task == NULL || event->instance == 0
		? net->decomposition
		: task->decomposition;
	bool starts = event->status == WF_ITEM_EXECUTING;
	size_t count = d == NULL ? 0
		       : starts	 ? d->input_count
				 : d->output_count;

	if (event->number > 0 && event->number <= count)
		json_object_set_new(object, "parameter",
		    json_string(
			(starts ? d->inputs : d->outputs)[event->number - 1]
			    .name));
	json_object_set_new(
	    object, "text", json_stringn(event->text, event->text_length));
}

static json_t *describe_event(const struct wf_spec *spec,
    const struct seen_case *seen, const struct wf_event *event)
{
	json_t *object = json_object();
	const char *id;
	const struct wf_net *net = net_of(spec, seen, event->net, &id);
	const struct wf_task *task = task_of(net, event);

	json_object_set_new(
	    object, "event", json_string(wf_event_name(event->kind)));
	if (event->kind < WF_EVENT_NET_STARTED || net == NULL)
		return object;
	if (event->net == 0)
		task = NULL;
	json_object_set_new(object, "net", json_string(id));
	if (is_about_task(event))
		put_task(object, event, net, task, id);
	if (has_status(event->kind) && event->status <= WF_ITEM_DISCARDED)
		json_object_set_new(object, "status",
		    wf_json_lower_case(wf_item_status_name(
			(enum wf_item_status)event->status)));
	if (event->condition_count > 0)
		json_object_set_new(
		    object, "conditions", conditions_of(event, net));
	if (event->kind == WF_EVENT_TIMER_STARTED ||
	    event->kind == WF_EVENT_TIMER_DUE ||
	    event->kind == WF_EVENT_ITEM_DATED)
		wf_json_put_time(object, "time", event->time);
	if (event->kind == WF_EVENT_REASON_GIVEN)
		json_object_set_new(object, "reason",
		    json_stringn(event->text, event->text_length));
	if (event->kind == WF_EVENT_PREDICATE_LOGGED)
		put_logged(object, event, net, task);
	if (event->value_count > 0)
		json_object_set_new(
		    object, "values", values_of(event, net, task));
	return object;
}

/* --- steps ---------------------------------------------------------------- */

struct describing {
	struct wf_steps *steps;
	struct wf_store *store;
	struct seen_case *seen;
	const struct wf_history_row *row;
	json_t *events;
	struct wf_error *err;
	enum wf_rc rc;
};

/* events NULL: only the nets are noted. */
static enum wf_rc read_events(const struct wf_spec *spec,
    struct seen_case *seen, const struct wf_history_row *row, json_t *events,
    struct wf_error *err)
{
	struct wf_event_reader reader;
	const struct wf_event *event;
	struct wf_bytes bytes;
	enum wf_rc rc = wf_checksum_check_history(row, &bytes, err);

	if (rc != WF_OK)
		return rc;
	wf_event_reader_init(&reader, bytes.data, bytes.size, NULL);
	while ((event = wf_event_next(&reader, err)) != NULL) {
		if (events != NULL)
			json_array_append_new(
			    events, describe_event(spec, seen, event));
		if (event->kind == WF_EVENT_NET_STARTED)
			note_net(spec, seen, event);
	}
	wf_event_reader_free(&reader);
	seen->sequence = row->sequence;
	return err->rc;
}

/* The steps before this one. */
static enum wf_rc catch_up(
    struct describing *describing, const struct wf_spec *spec)
{
	struct seen_case *seen = describing->seen;
	struct wf_arena *arena = wf_arena_new();
	enum wf_rc rc = WF_OK;

	forget_nets(seen);
	while (rc == WF_OK && seen->sequence + 1 < describing->row->sequence) {
		struct wf_history_list list;

		wf_arena_reset(arena);
		rc = wf_store_case_history(describing->store, seen->number,
		    seen->sequence, PAGE, arena, &list, describing->err);
		if (rc == WF_OK && list.count == 0)
			rc = wf_fail(describing->err, WF_GONE,
			    "earlier steps are not kept any more");
		for (size_t i = 0;
		     rc == WF_OK && i < list.count &&
		     list.rows[i].sequence < describing->row->sequence;
		     i++)
			rc = read_events(
			    spec, seen, &list.rows[i], NULL, describing->err);
	}
	wf_arena_free(&arena);
	return rc;
}

static bool has_composite(const struct wf_spec *spec)
{
	for (uint32_t i = 0; i < spec->decomposition_count; i++)
		if (spec->decompositions[i].net != NULL &&
		    spec->decompositions[i].net != spec->root &&
		    spec->decompositions[i].net->is_used)
			return true;
	return false;
}

static void describe_with_spec(void *context, const struct wf_spec *spec)
{
	struct describing *describing = context;
	struct seen_case *seen = describing->seen;
	const struct wf_history_row *row = describing->row;

	if (seen->sequence + 1 != row->sequence && has_composite(spec))
		describing->rc = catch_up(describing, spec);
	if (describing->rc == WF_OK)
		describing->rc = read_events(
		    spec, seen, row, describing->events, describing->err);
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
	wf_json_put_text(step, "origin", row->origin);
	return step;
}

/* Later it will be just as it is now. */
static bool is_lasting(enum wf_rc rc)
{
	return rc == WF_CORRUPT || rc == WF_NOT_FOUND || rc == WF_GONE ||
	       rc == WF_BUG;
}

json_t *wf_steps_describe(struct wf_steps *steps, struct wf_store *store,
    const struct wf_history_row *row, uint64_t retirements,
    struct wf_error *err)
{
	struct wf_error mine = { .rc = WF_OK };
	struct describing describing = {
		.steps = steps, .store = store, .row = row, .err = &mine
	};
	enum wf_rc rc = meet(steps, store, row, &describing.seen, &mine);
	json_t *step;

	describing.events = json_array();
	if (rc == WF_OK)
		rc = wf_engine_inspect_spec(steps->engine, row->namespace_id,
		    row->specification, false, describe_with_spec, &describing,
		    &mine);
	if (rc == WF_OK)
		rc = describing.rc;
	if (rc != WF_OK && describing.seen != NULL)
		forget_nets(describing.seen);
	if (rc != WF_OK && !is_lasting(rc)) {
		json_decref(describing.events);
		wf_fail(err, rc, "%s", mine.message);
		return NULL;
	}
	step = make_step(describing.seen == NULL ? NULL : describing.seen->name,
	    row, retirements);
	if (rc != WF_OK)
		wf_json_put_text(step, "error", mine.message);
	json_object_set_new(step, "events", describing.events);
	return step;
}
