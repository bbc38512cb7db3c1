/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the events of the kernel to those of YAWL's log.  What is remembered
 * between steps is what runs: nets, tasks that are enabled or busy, items.
 * Nothing of the specification is: it may be compiled anew between two pages.
 */
#include "history/case_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/event.h"
#include "kernel/step.h"
#include "kernel/view.h"
#include "runtime/cache.h"
#include "runtime/checksum.h"

#define PAGE 256U

#define COMPLETE "Complete"
#define DATA_VALUE_CHANGE "DataValueChange"

/* A work item, by the number at the end of its case id. */
struct child {
	struct child *next;
	uint32_t instance;
	struct wf_told_instance told;
	struct wf_value **inputs; /* as they were given, to its end */
	size_t input_count;
};

/* A task that is enabled or busy. */
struct busy {
	struct busy *next;
	struct wf_told_instance told;
	struct child *children;
};

/* A net instance, by its serial number less one. */
struct told_net {
	struct wf_told_instance told;
	struct busy *tasks;
};

/* The text of a log predicate that waits for its event. */
struct predicate {
	char *text;
	uint32_t parameter; /* from 1; 0: the decomposition's */
	/* Of the event that it belongs to. */
	uint32_t net;
	uint32_t task;
	uint32_t instance;
};

struct wf_case_log {
	uint64_t number;
	char *name;
	char *log;	   /* for the first event */
	uint64_t sequence; /* of the last step that was read */
	uint64_t last;	   /* the last number that was given */
	struct told_net *nets;
	size_t net_count;
	size_t net_capacity;
	struct predicate *predicates;
	size_t predicate_count;
};

/* One page being read. */
struct reading {
	struct wf_case_log *case_log;
	struct wf_store *store;
	const struct wf_spec *spec;
	wf_told_f tell;
	void *context;
	struct wf_arena *arena; /* of the step that is told of */
	const struct wf_history_row *row;
	const struct wf_event *event;
	struct wf_told_data *data; /* of the next event */
	size_t data_count;
	size_t data_capacity;
};

struct wf_case_log *wf_case_log_new(
    uint64_t number, const char *name, const char *log)
{
	struct wf_case_log *case_log = wf_calloc(1, sizeof(*case_log));

	case_log->number = number;
	case_log->name = wf_strdup(name);
	case_log->log = wf_strdup(log);
	return case_log;
}

static void free_child(struct child *child)
{
	for (size_t i = 0; i < child->input_count; i++)
		wf_value_unref(&child->inputs[i]);
	wf_free(child->inputs);
	wf_free(child->told.case_id);
	wf_free(child);
}

static void free_busy(struct busy *busy)
{
	while (busy->children != NULL) {
		struct child *child = busy->children;

		busy->children = child->next;
		free_child(child);
	}
	wf_free(busy->told.case_id);
	wf_free(busy);
}

static void empty_net(struct told_net *net)
{
	while (net->tasks != NULL) {
		struct busy *busy = net->tasks;

		net->tasks = busy->next;
		free_busy(busy);
	}
}

void wf_case_log_free(struct wf_case_log **case_log)
{
	struct wf_case_log *old = *case_log;

	*case_log = NULL;
	if (old == NULL)
		return;
	for (size_t i = 0; i < old->net_count; i++) {
		empty_net(&old->nets[i]);
		wf_free(old->nets[i].told.case_id);
	}
	for (size_t i = 0; i < old->predicate_count; i++)
		wf_free(old->predicates[i].text);
	wf_free(old->predicates);
	wf_free(old->nets);
	wf_free(old->log);
	wf_free(old->name);
	wf_free(old);
}

/* --- telling -------------------------------------------------------------- */

static void tell(struct reading *r, const struct wf_told_instance *instance,
    const char *descriptor, bool by_actor)
{
	struct wf_told_event event = {
		.number = ++r->case_log->last,
		.instance = instance,
		.descriptor = descriptor,
		.time = r->row->at,
		.data = r->data,
		.data_count = r->data_count,
	};

	if (by_actor && r->row->actor[0] != '\0')
		event.actor = r->row->actor;
	for (size_t i = 0; i < r->data_count; i++)
		r->data[i].number = ++r->case_log->last;
	r->tell(r->context, &event);
	r->data_count = 0;
}

static void add_data(struct reading *r, const struct wf_told_data *data)
{
	r->data = wf_arena_grow(r->arena, r->data, r->data_count,
	    &r->data_capacity, sizeof(*r->data));
	r->data[r->data_count++] = *data;
}

/* The text that a canonical one stands for. */
static char *unescape(struct wf_arena *arena, const char *text, size_t length)
{
	static const struct {
		const char *name;
		char character;
	} entities[] = { { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' },
		{ "&#13;", '\r' } };
	char *plain = wf_arena_strndup(arena, text, length);
	char *to = plain;

	for (const char *from = plain; *from != '\0';) {
		size_t skip = 0;

		for (size_t i = 0; *from == '&' && i < 4 && skip == 0; i++) {
			size_t size = strlen(entities[i].name);

			if (strncmp(from, entities[i].name, size) != 0)
				continue;
			*to++ = entities[i].character;
			skip = size;
		}
		if (skip == 0)
			*to++ = *from++;
		from += skip;
	}
	*to = '\0';
	return plain;
}

/* What an element contains: text; or XML, when there are elements in it. */
static const char *content_of(
    struct wf_arena *arena, const struct wf_value *value)
{
	size_t length;
	bool markup;
	const char *text = wf_value_content(value, &length, &markup);

	return markup ? wf_arena_strndup(arena, text, length)
		      : unescape(arena, text, length);
}

static void add_value(struct reading *r, const struct wf_variable *parameter,
    const struct wf_value *value, const char *descriptor)
{
	struct wf_told_data data = { .name = parameter->name,
		.value = content_of(r->arena, value),
		.descriptor = descriptor,
		.type = parameter->type_name == NULL ? "string"
						     : parameter->type_name };

	add_data(r, &data);
}

static void add_log_item(struct reading *r, const struct wf_value *item)
{
	struct wf_told_data data = {
		.name = "", .value = "", .descriptor = "", .type = "string"
	};
	const struct {
		const char *name;
		const char **text;
	} parts[] = { { "name", &data.name }, { "value", &data.value },
		{ "descriptor", &data.descriptor },
		{ "datatype", &data.type } };
	struct wf_value_list list;

	if (wf_value_list_parse(
		&list, wf_value_text(item), item->length, NULL) != WF_OK)
		return;
	for (size_t i = 0; i < list.count * 4; i++)
		if (wf_value_is_named(list.values[i / 4], parts[i % 4].name))
			*parts[i % 4].text =
			    content_of(r->arena, list.values[i / 4]);
	wf_value_list_free(&list);
	add_data(r, &data);
}

/* What was given at launch. */
static void add_log(struct reading *r)
{
	const char *log = r->case_log->log;
	struct wf_value_list list;

	if (log[0] == '\0' ||
	    wf_value_list_parse(&list, log, strlen(log), NULL) != WF_OK)
		return;
	for (size_t i = 0; i < list.count; i++)
		add_log_item(r, list.values[i]);
	wf_value_list_free(&list);
}

static bool is_of(
    const struct predicate *predicate, const struct wf_event *event)
{
	return predicate->net == event->net && predicate->task == event->task &&
	       predicate->instance == event->instance;
}

static void forget_predicates(struct reading *r)
{
	struct wf_case_log *case_log = r->case_log;
	size_t kept = 0;

	for (size_t i = 0; i < case_log->predicate_count; i++) {
		if (is_of(&case_log->predicates[i], r->event))
			wf_free(case_log->predicates[i].text);
		else
			case_log->predicates[kept++] = case_log->predicates[i];
	}
	case_log->predicate_count = kept;
}

/* Log predicates: the decomposition's with the event, the others behind. */
static void add_predicates(struct reading *r, const char *descriptor,
    const struct wf_variable *parameters, size_t count)
{
	struct wf_case_log *case_log = r->case_log;

	for (size_t i = 0; i < case_log->predicate_count; i++) {
		const struct predicate *predicate = &case_log->predicates[i];
		struct wf_told_data data = { .name = descriptor,
			.descriptor = "Predicate",
			.type = "string" };

		if (!is_of(predicate, r->event) ||
		    (predicate->parameter == 0) != (parameters == NULL) ||
		    predicate->parameter > count)
			continue;
		if (predicate->parameter > 0)
			data.name = parameters[predicate->parameter - 1].name;
		data.value = wf_arena_strdup(r->arena, predicate->text);
		add_data(r, &data);
	}
}

/* An event of an item, then the values that it brought. */
static void tell_with_values(struct reading *r,
    const struct wf_told_instance *instance, const char *descriptor,
    bool by_actor, const struct wf_variable *parameters, size_t count,
    struct wf_value *const *values, const char *assignment)
{
	add_predicates(r, descriptor, NULL, 0);
	tell(r, instance, descriptor, by_actor);
	for (size_t i = 0; i < count; i++)
		if (values[i] != NULL)
			add_value(r, &parameters[i], values[i], assignment);
	add_predicates(r, descriptor, parameters, count);
	if (r->data_count > 0)
		tell(r, instance, DATA_VALUE_CHANGE, false);
	forget_predicates(r);
}

/* --- what runs ------------------------------------------------------------ */

static struct told_net *find_net(struct reading *r, uint32_t serial)
{
	return serial == 0 || serial > r->case_log->net_count
		   ? NULL
		   : &r->case_log->nets[serial - 1];
}

static const struct wf_net *net_of(
    const struct reading *r, const struct told_net *net)
{
	return net == NULL || net->told.net >= r->spec->decomposition_count
		   ? NULL
		   : r->spec->decompositions[net->told.net].net;
}

static const struct wf_task *task_of(
    const struct reading *r, const struct told_net *net, uint32_t task)
{
	const struct wf_net *known = net_of(r, net);

	return known == NULL || task >= known->task_count ? NULL
							  : &known->tasks[task];
}

static struct busy *find_busy(struct told_net *net, uint32_t task)
{
	struct busy *busy = net->tasks;

	while (busy != NULL && busy->told.task != task)
		busy = busy->next;
	return busy;
}

static struct busy *make_busy(
    struct reading *r, struct told_net *net, uint32_t task)
{
	struct busy *busy = wf_calloc(1, sizeof(*busy));

	busy->told.number = ++r->case_log->last;
	busy->told.case_id = wf_strdup(net->told.case_id);
	busy->told.net = net->told.net;
	busy->told.task = task;
	busy->told.outer = net->told.number;
	busy->next = net->tasks;
	net->tasks = busy;
	return busy;
}

static void drop_busy(struct told_net *net, struct busy *busy)
{
	struct busy **at = &net->tasks;

	while (*at != busy)
		at = &(*at)->next;
	*at = busy->next;
	free_busy(busy);
}

static struct child *find_child(const struct busy *busy, uint32_t instance)
{
	struct child *child = busy->children;

	while (child != NULL && child->instance != instance)
		child = child->next;
	return child;
}

static void keep_inputs(struct child *child, const struct wf_event *event)
{
	for (uint32_t i = 0; i < event->value_count; i++) {
		uint32_t at = event->values[i].variable;

		if (at >= child->input_count)
			continue;
		wf_value_unref(&child->inputs[at]);
		child->inputs[at] = wf_value_ref(event->values[i].value);
	}
}

static struct child *make_child(struct reading *r, const struct told_net *net,
    struct busy *busy, const struct wf_task *task, const struct wf_event *event)
{
	struct child *child = wf_calloc(1, sizeof(*child));
	char id[WF_CASE_ID_SIZE];

	snprintf(
	    id, sizeof(id), "%.600s.%u", net->told.case_id, event->instance);
	child->instance = event->instance;
	child->told = busy->told;
	child->told.number = ++r->case_log->last;
	child->told.parent = busy->told.number;
	child->told.case_id = wf_strdup(id);
	child->input_count = task->decomposition->input_count;
	child->inputs =
	    wf_calloc(child->input_count + 1, sizeof(*child->inputs));
	keep_inputs(child, event);
	child->next = busy->children;
	busy->children = child;
	return child;
}

/* --- events --------------------------------------------------------------- */

/* The instance of a composite task that a sub-net begins for; its number. */
static uint64_t tell_unfolded(struct reading *r, const struct told_net *outer,
    uint32_t task, char *case_id)
{
	struct wf_told_instance told = { .number = ++r->case_log->last,
		.case_id = case_id,
		.net = outer->told.net,
		.task = task,
		.outer = outer->told.number };

	tell(r, &told, "NetUnfold", false);
	return told.number;
}

static void on_net_started(struct reading *r, const struct wf_event *event)
{
	struct wf_case_log *case_log = r->case_log;
	struct told_net *outer = find_net(r, event->net);
	const struct wf_task *task = task_of(r, outer, event->task);
	struct told_net net = { .tasks = NULL };
	char id[WF_CASE_ID_SIZE];

	net.told.is_net = true;
	net.told.net = r->spec->root->decomposition->number;
	net.told.task = event->task;
	if (outer == NULL)
		snprintf(id, sizeof(id), "%s", case_log->name);
	else
		snprintf(id, sizeof(id), "%.600s.%u", outer->told.case_id,
		    event->instance);
	if (task != NULL && task->decomposition != NULL)
		net.told.net = task->decomposition->number;
	net.told.case_id = wf_strdup(id);
	if (outer != NULL)
		net.told.outer = tell_unfolded(r, outer, event->task, id);
	net.told.number = ++case_log->last;
	if (case_log->net_count == case_log->net_capacity) {
		case_log->net_capacity = case_log->net_capacity * 2 + 4;
		case_log->nets = wf_realloc(case_log->nets,
		    case_log->net_capacity * sizeof(*case_log->nets));
	}
	case_log->nets[case_log->net_count++] = net;
	if (outer == NULL)
		add_log(r);
	add_predicates(r, "Executing", NULL, 0);
	tell(r, &net.told, outer == NULL ? "CaseStart" : "NetStart",
	    outer == NULL);
	forget_predicates(r);
}

static void on_net_ended(
    struct reading *r, struct told_net *net, const struct wf_event *event)
{
	bool complete = event->status == WF_ITEM_COMPLETE;
	bool root = net->told.outer == 0;

	add_predicates(r, COMPLETE, NULL, 0);
	if (root)
		tell(r, &net->told, complete ? "CaseComplete" : "CaseCancel",
		    !complete);
	else
		tell(r, &net->told, complete ? "NetComplete" : "NetCancel",
		    false);
	forget_predicates(r);
	empty_net(net);
}

static void on_enabled(
    struct reading *r, struct told_net *net, const struct wf_event *event)
{
	tell(r, &make_busy(r, net, event->task)->told, "Enabled", false);
}

static void tell_started(
    struct reading *r, struct child *child, const struct wf_task *task)
{
	tell_with_values(r, &child->told, "Executing", true,
	    task->decomposition->inputs, child->input_count, child->inputs,
	    "InputVarAssignment");
}

static void on_fired(struct reading *r, struct told_net *net,
    const struct wf_task *task, const struct wf_event *event)
{
	struct busy *busy = find_busy(net, event->task);
	struct child *child;

	if (task->kind != WF_ATOMIC_TASK)
		return;
	if (busy == NULL)
		busy = make_busy(r, net, event->task);
	tell(r, &busy->told, "Decompose", false);
	child = make_child(r, net, busy, task, event);
	tell(r, &child->told, "Fired", true);
	tell_started(r, child, task);
}

static void on_created(struct reading *r, struct told_net *net,
    struct busy *busy, const struct wf_task *task, const struct wf_event *event)
{
	tell(r, &make_child(r, net, busy, task, event)->told, "Fired", false);
}

/* An item is over; its output is in the event. */
static void tell_ended(struct reading *r, struct child *child,
    const struct wf_task *task, const struct wf_event *event)
{
	size_t count = task->decomposition->output_count;
	struct wf_value **values =
	    wf_arena_alloc(r->arena, (count + 1) * sizeof(*values));
	bool by_actor = event->status == WF_ITEM_COMPLETE ||
			event->status == WF_ITEM_FORCED_COMPLETE ||
			event->status == WF_ITEM_FAILED;

	for (uint32_t i = 0; i < event->value_count; i++)
		if (event->values[i].variable < count)
			values[event->values[i].variable] =
			    event->values[i].value;
	tell_with_values(r, &child->told,
	    wf_item_status_name((enum wf_item_status)event->status), by_actor,
	    task->decomposition->outputs, count, values, "OutputVarAssignment");
}

static void on_ended(struct reading *r, struct busy *busy,
    const struct wf_task *task, const struct wf_event *event)
{
	struct child *child = find_child(busy, event->instance);

	if (child != NULL && event->status <= WF_ITEM_DISCARDED)
		tell_ended(r, child, task, event);
}

static void on_exited(struct reading *r, struct told_net *net,
    struct busy *busy, const struct wf_task *task, const struct wf_event *event)
{
	on_ended(r, busy, task, event);
	tell(r, &busy->told,
	    event->instance != 0 && event->status == WF_ITEM_FAILED ? "Failed"
								    : COMPLETE,
	    false);
	drop_busy(net, busy);
}

/* The task, or the item that the event names. */
static const struct wf_told_instance *named(
    const struct busy *busy, const struct wf_event *event)
{
	const struct child *child = find_child(busy, event->instance);

	return child == NULL ? &busy->told : &child->told;
}

static void on_updated(struct reading *r, struct busy *busy,
    const struct wf_task *task, const struct wf_event *event)
{
	struct child *child = find_child(busy, event->instance);

	if (child == NULL)
		return;
	keep_inputs(child, event);
	for (uint32_t i = 0; i < event->value_count; i++) {
		uint32_t at = event->values[i].variable;

		if (at < child->input_count && event->values[i].value != NULL)
			add_value(r, &task->decomposition->inputs[at],
			    event->values[i].value, "InputVarAssignment");
	}
	tell(r, &child->told, DATA_VALUE_CHANGE, true);
}

static void on_logged(struct reading *r, const struct wf_event *event)
{
	struct wf_case_log *case_log = r->case_log;
	size_t count = case_log->predicate_count + 1;

	case_log->predicates = wf_realloc(
	    case_log->predicates, count * sizeof(*case_log->predicates));
	case_log->predicates[count - 1] = (struct predicate){
		.text = wf_strndup(event->text, event->text_length),
		.parameter = event->number,
		.net = event->net,
		.task = event->task,
		.instance = event->instance,
	};
	case_log->predicate_count = count;
}

static void on_task_event(struct reading *r, struct told_net *net,
    const struct wf_task *task, const struct wf_event *event)
{
	struct busy *busy = find_busy(net, event->task);
	struct child *child =
	    busy == NULL ? NULL : find_child(busy, event->instance);

	if (event->kind == WF_EVENT_TASK_ENABLED) {
		on_enabled(r, net, event);
		return;
	}
	if (event->kind == WF_EVENT_TASK_FIRED) {
		on_fired(r, net, task, event);
		return;
	}
	if (busy == NULL)
		return;
	switch (event->kind) {
	case WF_EVENT_TASK_WITHDRAWN:
		tell(r, &busy->told,
		    event->status <= WF_ITEM_DISCARDED
			? wf_item_status_name(
			      (enum wf_item_status)event->status)
			: "Withdrawn",
		    false);
		drop_busy(net, busy);
		break;
	case WF_EVENT_TASK_CANCELLED:
		tell(r, &busy->told, "Cancelled", false);
		drop_busy(net, busy);
		break;
	case WF_EVENT_TASK_EXITED:
		on_exited(r, net, busy, task, event);
		break;
	case WF_EVENT_INSTANCE_CREATED:
		on_created(r, net, busy, task, event);
		break;
	case WF_EVENT_INSTANCE_STARTED:
		if (child != NULL)
			tell_started(r, child, task);
		break;
	case WF_EVENT_INSTANCE_ENDED:
		on_ended(r, busy, task, event);
		break;
	case WF_EVENT_INSTANCE_ROLLED_BACK:
		tell(r, named(busy, event), "Fired", false);
		break;
	case WF_EVENT_INSTANCE_UPDATED:
		on_updated(r, busy, task, event);
		break;
	case WF_EVENT_ITEM_SUSPENDED:
		tell(r, named(busy, event), "Suspended", true);
		break;
	case WF_EVENT_ITEM_RESUMED:
		tell(r, named(busy, event), "resume", true);
		break;
	default:
		break;
	}
}

static void read_event(struct reading *r, const struct wf_event *event)
{
	struct told_net *net = find_net(r, event->net);
	const struct wf_task *task = task_of(r, net, event->task);

	r->event = event;
	switch (event->kind) {
	case WF_EVENT_PREDICATE_LOGGED:
		on_logged(r, event);
		break;
	case WF_EVENT_NET_STARTED:
		on_net_started(r, event);
		break;
	case WF_EVENT_CASE_DEADLOCKED:
		if (r->case_log->net_count > 0)
			tell(r, &r->case_log->nets[0].told, "CaseComplete",
			    false);
		break;
	case WF_EVENT_NET_ENDED:
		if (net != NULL)
			on_net_ended(r, net, event);
		break;
	default:
		/* Tasks without work to do are not told of. */
		if (task != NULL && task->decomposition != NULL &&
		    event->kind > WF_EVENT_CONDITION_EMPTIED)
			on_task_event(r, net, task, event);
		break;
	}
}

/* --- reading -------------------------------------------------------------- */

static enum wf_rc read_step(struct reading *r, struct wf_error *err)
{
	struct value_place place = { .store = r->store,
		.number = r->case_log->number };
	struct wf_value_source source = wf_value_source(&place);
	struct wf_error failure = { .rc = WF_OK };
	struct wf_event_reader reader;
	const struct wf_event *event;
	struct wf_bytes bytes;
	enum wf_rc rc = wf_checksum_check_history(r->row, &bytes, err);

	if (rc != WF_OK)
		return rc;
	r->arena = wf_arena_new();
	place.arena = r->arena;
	r->data = NULL;
	r->data_count = 0;
	r->data_capacity = 0;
	wf_event_reader_init(&reader, bytes.data, bytes.size, &source);
	while ((event = wf_event_next(&reader, &failure)) != NULL)
		read_event(r, event);
	wf_event_reader_free(&reader);
	wf_arena_free(&r->arena);
	r->case_log->sequence = r->row->sequence;
	return failure.rc == WF_OK
		   ? WF_OK
		   : wf_fail(err, failure.rc, "%s", failure.message);
}

enum wf_rc wf_case_log_read(struct wf_case_log *case_log,
    struct wf_store *store, const struct wf_spec *spec, wf_told_f told,
    void *context, bool *more_out, struct wf_error *err)
{
	struct reading reading = { .case_log = case_log,
		.store = store,
		.spec = spec,
		.tell = told,
		.context = context };
	struct wf_arena *arena = wf_arena_new();
	struct wf_history_list list = { .count = 0 };
	enum wf_rc rc = wf_store_case_history(store, case_log->number,
	    case_log->sequence, PAGE, arena, &list, err);

	*more_out = rc == WF_OK && list.count > 0;
	if (*more_out && list.rows[0].sequence != case_log->sequence + 1)
		rc = wf_fail(err, WF_GONE,
		    "the first steps of case %s are not kept any more",
		    case_log->name);
	for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
		reading.row = &list.rows[i];
		rc = read_step(&reading, err);
	}
	wf_arena_free(&arena);
	return rc;
}
