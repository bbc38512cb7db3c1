/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Translates the events of the kernel into those of YAWL's log.  Between two
 * pages the log remembers what is running: net instances, tasks that are
 * enabled or busy, and their items with their input.
 *
 *   TASK_ENABLED, TASK_FIRED ──make_busy()──► a task is enabled or busy
 *   TASK_FIRED, INSTANCE_CREATED ──make_child()──► it has an item
 *   TASK_EXITED, TASK_WITHDRAWN, TASK_CANCELLED ──drop_busy()──► it is over
 *   NET_ENDED ──empty_net()──► the tasks of the net are over
 *   CASE_MIGRATED ──on_migrated()──► what is running has other names
 */
#include "history/case_log.h"

#include <string.h>

#include "base/escape.h"
#include "base/panic.h"
#include "history/case_reader.h"
#include "kernel/view.h"
#include "people/needs.h"

#define MAGIC 0x6c6f6773U

#define COMPLETE "Complete"
#define DATA_VALUE_CHANGE "DataValueChange"

/* A work item, by the number at the end of its case id. */
struct child {
	struct child *next;
	uint32_t number;
	struct wf_case_log_instance instance;
	char *case_id;
	char *holder;		  /* the participant who has it, or NULL */
	struct wf_value **inputs; /* as last given, logged when it starts */
	size_t input_count;
};

/* A task that is enabled or busy. */
struct busy {
	struct busy *next;
	struct wf_case_log_instance instance;
	char *name;   /* of the instance, and of its children */
	char *holder; /* the participant who has the enabled item, or NULL */
	struct child *children;
};

/* A net instance, by its serial number less one. */
struct net {
	struct wf_case_log_instance instance;
	char *name; /* of the instance */
	struct busy *tasks;
};

/* The text of a log predicate, until the event that it belongs to. */
struct predicate {
	char *text;
	uint32_t parameter; /* from 1; 0: of the decomposition */
	/* The event's. */
	uint32_t net;
	uint32_t task;
	uint32_t instance;
};

struct wf_case_log {
	uint32_t magic;
	struct wf_engine *engine;
	struct wf_case_reader *reader; /* owns the case ids of nets */
	char *log;		       /* of the first event */
	bool people;		       /* what people do is reported, too */
	uint64_t last;		       /* the last number that was given */
	struct net *nets;
	size_t net_count;
	size_t net_capacity;
	struct predicate *predicates;
	size_t predicate_count;
};

/* One page being read. */
struct reading {
	struct wf_case_log *log;
	wf_case_log_f report;
	void *context;
	const struct wf_case_event *event; /* that is being translated */
	struct wf_case_log_data *data;	   /* of the next event, in its arena */
	size_t data_count;
	size_t data_capacity;
	const char *participant; /* who causes the next event, or NULL */
	/* Who completes an item of this task in the place of its holder. */
	const char *deputy; /* NULL: nobody */
	uint64_t deputy_net;
	uint32_t deputy_task;
	uint64_t deputy_sequence; /* of the step in which that is so */
};

struct wf_case_log *wf_case_log_new(struct wf_engine *engine, uint64_t number,
    const char *name, const char *log)
{
	struct wf_case_log *made = wf_calloc(1, sizeof(*made));

	made->magic = MAGIC;
	made->reader = wf_case_reader_new(number, name);
	made->engine = engine;
	made->log = wf_strdup(log);
	return made;
}

void wf_case_log_with_people(struct wf_case_log *log)
{
	log->people = true;
}

static void free_child(struct child *child)
{
	for (size_t i = 0; i < child->input_count; i++)
		wf_value_unref(&child->inputs[i]);
	wf_free(child->inputs);
	wf_free(child->case_id);
	wf_free(child->holder);
	wf_free(child);
}

static void free_busy(struct busy *busy)
{
	while (busy->children != NULL) {
		struct child *child = busy->children;

		busy->children = child->next;
		free_child(child);
	}
	wf_free(busy->holder);
	wf_free(busy->name);
	wf_free(busy);
}

static void empty_net(struct net *net)
{
	while (net->tasks != NULL) {
		struct busy *busy = net->tasks;

		net->tasks = busy->next;
		free_busy(busy);
	}
}

void wf_case_log_free(struct wf_case_log **log)
{
	struct wf_case_log *old = *log;

	*log = NULL;
	if (old == NULL)
		return;
	wf_assert(old->magic == MAGIC);
	old->magic = 0;
	for (size_t i = 0; i < old->net_count; i++) {
		empty_net(&old->nets[i]);
		wf_free(old->nets[i].name);
	}
	for (size_t i = 0; i < old->predicate_count; i++)
		wf_free(old->predicates[i].text);
	wf_case_reader_free(&old->reader);
	wf_free(old->predicates);
	wf_free(old->nets);
	wf_free(old->log);
	wf_free(old);
}

/* --- reporting ------------------------------------------------------------ */

/* What a participant does; it has no number, and is in no log of YAWL's engine.
 */
static void report_people(struct reading *r,
    const struct wf_case_log_instance *instance, const char *descriptor,
    const char *participant)
{
	struct wf_case_log_event event = { .instance = instance,
		.spec = r->event->spec,
		.descriptor = descriptor,
		.time = r->event->step->at,
		.participant = participant };

	if (r->log->people)
		r->report(r->context, &event);
}

/* Who does what the event says, in the place of its participant. */
static const char *take_deputy(
    struct reading *r, const struct wf_case_log_event *event)
{
	const struct wf_case_log_instance *instance = event->instance;
	const char *deputy = r->deputy;

	if (deputy == NULL || event->participant == NULL || instance->is_net ||
	    r->deputy_sequence != r->event->step->sequence ||
	    instance->outer != r->deputy_net ||
	    instance->task != r->deputy_task)
		return NULL;
	/* What is started afterwards is another item. */
	if (strcmp(event->descriptor, COMPLETE) == 0)
		r->deputy = NULL;
	return deputy;
}

/* An event with the data that was added since the last one. */
static void report(struct reading *r,
    const struct wf_case_log_instance *instance, const char *descriptor,
    bool by_actor)
{
	const struct wf_history_row *step = r->event->step;
	struct wf_case_log_event event = {
		.number = ++r->log->last,
		.instance = instance,
		.spec = r->event->spec,
		.descriptor = descriptor,
		.time = step->at,
		.data = r->data,
		.data_count = r->data_count,
	};

	wf_assert(instance->number != 0 && instance->number < event.number);
	if (by_actor && step->actor[0] != '\0')
		event.actor = step->actor;
	event.participant = r->participant;
	event.deputy = take_deputy(r, &event);
	r->participant = NULL;
	for (size_t i = 0; i < r->data_count; i++)
		r->data[i].number = ++r->log->last;
	r->report(r->context, &event);
	r->data = NULL;
	r->data_count = 0;
	r->data_capacity = 0;
}

static void add_data(struct reading *r, const struct wf_case_log_data *data)
{
	r->data = wf_arena_grow(r->event->arena, r->data, r->data_count,
	    &r->data_capacity, sizeof(*r->data));
	r->data[r->data_count++] = *data;
}

/* What an element contains: text; or XML, when there are elements in it. */
static const char *content_of(
    struct wf_arena *arena, const struct wf_value *value)
{
	size_t length;
	bool markup;
	const char *content = wf_value_content(value, &length, &markup);
	char *text;

	if (markup)
		return wf_arena_strndup(arena, content, length);
	text = wf_arena_alloc(arena, length + 1);
	wf_unescape(text, content, length);
	return text;
}

/* An element with elements in it as a whole, else its text. */
static const char *value_of(
    struct wf_arena *arena, const struct wf_value *value)
{
	size_t length;
	bool markup;

	(void)wf_value_content(value, &length, &markup);
	return markup ? wf_arena_strndup(
			    arena, wf_value_text(value), value->length)
		      : content_of(arena, value);
}

static void add_value(struct reading *r, const struct wf_variable *parameter,
    const struct wf_value *value, const char *descriptor)
{
	struct wf_case_log_data data = { .name = parameter->name,
		.value = value_of(r->event->arena, value),
		.descriptor = descriptor,
		.type = parameter->type_name == NULL ? "string"
						     : parameter->type_name };

	add_data(r, &data);
}

/* One <logdataitem>; its name, or NULL: it was none. */
static const char *add_log_item(struct reading *r, const struct wf_value *item)
{
	struct wf_case_log_data data = {
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
		return NULL;
	for (size_t i = 0; i < list.count * 4; i++)
		if (wf_value_is_named(list.values[i / 4], parts[i % 4].name))
			*parts[i % 4].text =
			    content_of(r->event->arena, list.values[i / 4]);
	wf_value_list_free(&list);
	add_data(r, &data);
	return data.name;
}

/*
 * The entries of a <logdataitemlist>.  True: one of them has that name, may be
 * NULL.
 */
static bool add_log_items(struct reading *r, const char *log, const char *name)
{
	struct wf_value_list list;
	bool has = false;

	if (wf_value_list_parse(&list, log, strlen(log), NULL) != WF_OK)
		return false;
	for (size_t i = 0; i < list.count; i++) {
		const char *found = add_log_item(r, list.values[i]);

		has |=
		    name != NULL && found != NULL && strcmp(found, name) == 0;
	}
	wf_value_list_free(&list);
	return has;
}

static bool is_of(
    const struct predicate *predicate, const struct wf_event *event)
{
	return predicate->net == event->net && predicate->task == event->task &&
	       predicate->instance == event->instance;
}

static void forget_predicates(struct reading *r)
{
	struct wf_case_log *log = r->log;
	size_t kept = 0;

	for (size_t i = 0; i < log->predicate_count; i++) {
		if (is_of(&log->predicates[i], r->event->event))
			wf_free(log->predicates[i].text);
		else
			log->predicates[kept++] = log->predicates[i];
	}
	log->predicate_count = kept;
}

static bool is_list(const char *text)
{
	return strncmp(text, WF_CASE_LOG_LIST, strlen(WF_CASE_LOG_LIST)) == 0;
}

/*
 * Adds texts of log predicates for the current event: of the decomposition
 * (parameters NULL), which the event itself carries, or of the parameters,
 * which a DataValueChange carries.  A list from a service comes before the text
 * of the decomposition; an entry "Start" or "Complete" in it replaces the text.
 */
static void add_predicates(struct reading *r, const char *descriptor,
    const struct wf_variable *parameters, size_t count)
{
	struct wf_case_log *log = r->log;
	const char *own =
	    strcmp(descriptor, "Executing") == 0 ? "Start" : COMPLETE;
	bool replaced = false;

	for (size_t i = 0; i < log->predicate_count; i++) {
		const struct predicate *predicate = &log->predicates[i];
		struct wf_case_log_data data = { .name = descriptor,
			.descriptor = "Predicate",
			.type = "string" };

		if (!is_of(predicate, r->event->event) ||
		    (predicate->parameter == 0) != (parameters == NULL) ||
		    predicate->parameter > count)
			continue;
		if (predicate->parameter > 0) {
			data.name = parameters[predicate->parameter - 1].name;
		} else if (is_list(predicate->text)) {
			replaced |= add_log_items(r, predicate->text, own);
			continue;
		} else if (replaced) {
			continue;
		}
		data.value = wf_arena_strdup(r->event->arena, predicate->text);
		add_data(r, &data);
	}
}

/* An event of an item, then a DataValueChange with its values. */
static void report_with_values(struct reading *r,
    const struct wf_case_log_instance *instance, const char *descriptor,
    bool by_actor, const struct wf_variable *parameters, size_t count,
    struct wf_value *const *values, const char *assignment)
{
	add_predicates(r, descriptor, NULL, 0);
	report(r, instance, descriptor, by_actor);
	for (size_t i = 0; i < count; i++)
		if (values[i] != NULL)
			add_value(r, &parameters[i], values[i], assignment);
	add_predicates(r, descriptor, parameters, count);
	if (r->data_count > 0)
		report(r, instance, DATA_VALUE_CHANGE, false);
	forget_predicates(r);
}

/* --- what is running ------------------------------------------------------ */

const struct wf_task *wf_case_log_task(
    const struct wf_spec *spec, const struct wf_case_log_instance *instance)
{
	const struct wf_net *net;

	wf_assert(!instance->is_net);
	wf_assert(instance->net < spec->decomposition_count);
	net = spec->decompositions[instance->net].net;
	wf_assert(instance->task < net->task_count);
	return &net->tasks[instance->task];
}

static struct net *find_net(struct wf_case_log *log, uint32_t serial)
{
	return serial == 0 || serial > log->net_count ? NULL
						      : &log->nets[serial - 1];
}

static struct busy *find_busy(const struct net *net, uint32_t task)
{
	struct busy *busy = net->tasks;

	while (busy != NULL && busy->instance.task != task)
		busy = busy->next;
	return busy;
}

static struct busy *make_busy(
    struct reading *r, struct net *net, const struct wf_task *task)
{
	struct busy *busy = wf_calloc(1, sizeof(*busy));

	wf_assert(net->instance.is_net);
	busy->name = wf_strdup(task->id);
	busy->instance.number = ++r->log->last;
	busy->instance.case_id = net->instance.case_id;
	busy->instance.name = busy->name;
	busy->instance.net = net->instance.net;
	busy->instance.task = task->number;
	busy->instance.outer = net->instance.number;
	busy->next = net->tasks;
	net->tasks = busy;
	return busy;
}

static void drop_busy(struct net *net, struct busy *busy)
{
	struct busy **at = &net->tasks;

	while (*at != busy)
		at = &(*at)->next;
	*at = busy->next;
	free_busy(busy);
}

static struct child *find_child(const struct busy *busy, uint32_t number)
{
	struct child *child = busy->children;

	while (child != NULL && child->number != number)
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

static struct child *make_child(struct reading *r, struct busy *busy)
{
	const struct wf_case_event *event = r->event;
	struct child *child = wf_calloc(1, sizeof(*child));
	char id[WF_CASE_ID_SIZE];

	wf_case_event_item(event, id);
	child->number = event->event->instance;
	child->case_id = wf_strdup(id);
	child->instance = busy->instance;
	child->instance.number = ++r->log->last;
	child->instance.parent = busy->instance.number;
	child->instance.case_id = child->case_id;
	child->input_count = event->task->decomposition->input_count;
	child->inputs =
	    wf_calloc(child->input_count + 1, sizeof(*child->inputs));
	keep_inputs(child, event->event);
	/* Who takes an enabled item has its first instance. */
	child->holder = busy->holder;
	busy->holder = NULL;
	child->next = busy->children;
	busy->children = child;
	return child;
}

/* --- events of nets ------------------------------------------------------- */

/* The instance of the composite task that a sub-net starts for; its number. */
static uint64_t report_unfolded(struct reading *r, const struct net *outer)
{
	struct wf_case_log_instance task = { .number = ++r->log->last,
		.case_id = r->event->inner_id,
		.name = r->event->task->id,
		.net = outer->instance.net,
		.task = r->event->event->task,
		.outer = outer->instance.number };

	report(r, &task, "NetUnfold", false);
	return task.number;
}

static void on_net_started(struct reading *r)
{
	const struct wf_case_event *event = r->event;
	struct wf_case_log *log = r->log;
	const struct net *outer = find_net(log, event->event->net);
	struct net net = { .name = wf_strdup(event->inner->decomposition->id),
		.instance = { .is_net = true,
		    .case_id = event->inner_id,
		    .net = event->inner->decomposition->number,
		    .task = event->event->task } };

	net.instance.name = net.name;
	if (outer != NULL)
		net.instance.outer = report_unfolded(r, outer);
	net.instance.number = ++log->last;
	if (log->net_count == log->net_capacity) {
		log->net_capacity = log->net_capacity * 2 + 4;
		log->nets = wf_realloc(
		    log->nets, log->net_capacity * sizeof(*log->nets));
	}
	log->nets[log->net_count++] = net;
	if (outer == NULL && log->log[0] != '\0')
		(void)add_log_items(r, log->log, NULL);
	add_predicates(r, "Executing", NULL, 0);
	report(r, &net.instance, outer == NULL ? "CaseStart" : "NetStart",
	    outer == NULL);
	forget_predicates(r);
}

static void on_net_ended(struct reading *r, struct net *net)
{
	bool complete = r->event->event->status == WF_ITEM_COMPLETE;

	add_predicates(r, COMPLETE, NULL, 0);
	if (net->instance.outer == 0)
		report(r, &net->instance,
		    complete ? "CaseComplete" : "CaseCancel", !complete);
	else
		report(r, &net->instance,
		    complete ? "NetComplete" : "NetCancel", false);
	forget_predicates(r);
	empty_net(net);
}

/* --- events of tasks and items -------------------------------------------- */

static void report_started(struct reading *r, struct child *child)
{
	r->participant = child->holder;
	report_with_values(r, &child->instance, "Executing", true,
	    r->event->task->decomposition->inputs, child->input_count,
	    child->inputs, "InputVarAssignment");
}

static void on_fired(struct reading *r, struct net *net, struct busy *busy)
{
	struct child *child;

	if (r->event->task->kind != WF_ATOMIC_TASK)
		return;
	if (busy == NULL)
		busy = make_busy(r, net, r->event->task);
	report(r, &busy->instance, "Decompose", false);
	child = make_child(r, busy);
	report(r, &child->instance, "Fired", true);
	report_started(r, child);
}

/* An item ended; the event has its output. */
static void on_ended(struct reading *r, struct child *child)
{
	const struct wf_decomposition *d = r->event->task->decomposition;
	const struct wf_event *event = r->event->event;
	struct wf_value **values = wf_arena_alloc(
	    r->event->arena, (d->output_count + 1) * sizeof(*values));
	bool by_actor = event->status == WF_ITEM_COMPLETE ||
			event->status == WF_ITEM_FORCED_COMPLETE ||
			event->status == WF_ITEM_FAILED;

	if (child == NULL || event->status > WF_ITEM_DISCARDED)
		return;
	if (by_actor)
		r->participant = child->holder;
	for (uint32_t i = 0; i < event->value_count; i++)
		if (event->values[i].variable < d->output_count)
			values[event->values[i].variable] =
			    event->values[i].value;
	report_with_values(r, &child->instance,
	    wf_item_status_name((enum wf_item_status)event->status), by_actor,
	    d->outputs, d->output_count, values, "OutputVarAssignment");
}

/* The task is over; its instance is not referred to again. */
static void on_over(struct reading *r, struct net *net, struct busy *busy,
    const char *descriptor)
{
	report(r, &busy->instance, descriptor, false);
	drop_busy(net, busy);
}

static void on_updated(struct reading *r, struct child *child)
{
	const struct wf_decomposition *d = r->event->task->decomposition;
	const struct wf_event *event = r->event->event;

	keep_inputs(child, event);
	for (uint32_t i = 0; i < event->value_count; i++) {
		uint32_t at = event->values[i].variable;

		if (at < child->input_count && event->values[i].value != NULL)
			add_value(r, &d->inputs[at], event->values[i].value,
			    "InputVarAssignment");
	}
	report(r, &child->instance, DATA_VALUE_CHANGE, true);
}

static void on_logged(struct wf_case_log *log, const struct wf_event *event)
{
	size_t count = log->predicate_count + 1;

	log->predicates =
	    wf_realloc(log->predicates, count * sizeof(*log->predicates));
	log->predicates[count - 1] = (struct predicate){
		.text = wf_strndup(event->text, event->text_length),
		.parameter = event->number,
		.net = event->net,
		.task = event->task,
		.instance = event->instance,
	};
	log->predicate_count = count;
}

/* The people and things that an item needs, each by an event of its own. */
static void report_resources(struct reading *r,
    const struct wf_case_log_instance *instance, const char *descriptor)
{
	const struct wf_event *event = r->event->event;
	struct wf_arena *arena = r->event->arena;
	const struct wf_texts ids = wf_busy_read(
	    wf_arena_strndup(arena, event->text, event->text_length), arena);

	for (size_t i = 0; i < ids.count; i++)
		report_people(r, instance, descriptor, ids.rows[i]);
}

static void note_deputy(struct reading *r, const struct busy *busy)
{
	const struct wf_event *event = r->event->event;

	r->deputy =
	    wf_arena_strndup(r->event->arena, event->text, event->text_length);
	r->deputy_net = busy->instance.outer;
	r->deputy_task = busy->instance.task;
	r->deputy_sequence = r->event->step->sequence;
}

/* A service has the item instead of whoever had it. */
static void on_redirected(struct reading *r, struct busy *busy,
    struct child *child, const struct wf_case_log_instance *named)
{
	const struct wf_event *event = r->event->event;
	char **holder = child == NULL ? &busy->holder : &child->holder;

	wf_free(*holder);
	*holder = NULL;
	report_people(r, named, "Redirected",
	    wf_arena_strndup(r->event->arena, event->text, event->text_length));
}

/* An event of what people do with an item; false: it is none. */
static bool on_people_event(
    struct reading *r, struct busy *busy, struct child *child)
{
	static const char *const descriptors[] = {
		[WF_EVENT_ITEM_ALLOCATED] = "Allocated",
		[WF_EVENT_ITEM_RETURNED] = "Deallocated",
		[WF_EVENT_ITEM_PASSED_ON] = "Reassigned",
		[WF_EVENT_ITEM_DONE_BY] = "Skipped",
	};
	const struct wf_event *event = r->event->event;
	const struct wf_case_log_instance *named =
	    child == NULL ? &busy->instance : &child->instance;
	char **holder = child == NULL ? &busy->holder : &child->holder;
	const char *who;

	if (event->kind < WF_EVENT_ITEM_UNOFFERED ||
	    event->kind > WF_EVENT_ITEM_DONE_BY)
		return false;
	who =
	    wf_arena_strndup(r->event->arena, event->text, event->text_length);
	if (event->kind != WF_EVENT_ITEM_PASSED_ON) {
		wf_free(*holder);
		*holder = event->kind == WF_EVENT_ITEM_ALLOCATED ||
				  event->kind == WF_EVENT_ITEM_TAKEN ||
				  event->kind == WF_EVENT_ITEM_DONE_BY
			      ? wf_strdup(who)
			      : NULL;
	}
	if ((size_t)event->kind <
		sizeof(descriptors) / sizeof(descriptors[0]) &&
	    descriptors[event->kind] != NULL &&
	    (event->kind != WF_EVENT_ITEM_DONE_BY || event->number != 0))
		report_people(r, named, descriptors[event->kind], who);
	return true;
}

/* An event of a task that is enabled or busy. */
static void on_busy_event(struct reading *r, struct net *net, struct busy *busy)
{
	const struct wf_event *event = r->event->event;
	struct child *child = find_child(busy, event->instance);
	/* The item that the event names; of instance 0 the task. */
	const struct wf_case_log_instance *named =
	    child == NULL ? &busy->instance : &child->instance;
	bool has_status = event->status <= WF_ITEM_DISCARDED;

	if (on_people_event(r, busy, child))
		return;
	switch (event->kind) {
	case WF_EVENT_ITEM_REDIRECTED:
		on_redirected(r, busy, child, named);
		break;
	case WF_EVENT_ITEM_DONE_FOR:
		note_deputy(r, busy);
		break;
	case WF_EVENT_RESOURCES_TAKEN:
		report_resources(r, named, "Busy");
		break;
	case WF_EVENT_RESOURCES_RELEASED:
		report_resources(r, named, "Released");
		break;
	case WF_EVENT_TASK_WITHDRAWN:
		on_over(r, net, busy,
		    has_status ? wf_item_status_name(
				     (enum wf_item_status)event->status)
			       : "Withdrawn");
		break;
	case WF_EVENT_TASK_CANCELLED:
		on_over(r, net, busy, "Cancelled");
		break;
	case WF_EVENT_TASK_EXITED:
		on_ended(r, child);
		on_over(r, net, busy,
		    event->instance != 0 && event->status == WF_ITEM_FAILED
			? "Failed"
			: COMPLETE);
		break;
	case WF_EVENT_INSTANCE_CREATED:
		report(r, &make_child(r, busy)->instance, "Fired", false);
		break;
	case WF_EVENT_INSTANCE_STARTED:
		if (child != NULL)
			report_started(r, child);
		break;
	case WF_EVENT_INSTANCE_ENDED:
		on_ended(r, child);
		break;
	case WF_EVENT_INSTANCE_ROLLED_BACK:
		report(r, named, "Fired", false);
		break;
	case WF_EVENT_INSTANCE_UPDATED:
		if (child != NULL)
			on_updated(r, child);
		break;
	case WF_EVENT_ITEM_SUSPENDED:
		r->participant = child == NULL ? busy->holder : child->holder;
		report(r, named, "Suspended", true);
		break;
	case WF_EVENT_ITEM_RESUMED:
		r->participant = child == NULL ? busy->holder : child->holder;
		report(r, named, "resume", true);
		break;
	default:
		break;
	}
}

static void on_task_event(struct reading *r, struct net *net)
{
	const struct wf_event *event = r->event->event;
	struct busy *busy = find_busy(net, event->task);

	if (event->kind == WF_EVENT_TASK_ENABLED)
		report(r, &make_busy(r, net, r->event->task)->instance,
		    "Enabled", false);
	else if (event->kind == WF_EVENT_TASK_FIRED)
		on_fired(r, net, busy);
	else if (busy != NULL)
		on_busy_event(r, net, busy);
}

/* --- a migration ---------------------------------------------------------- */

/* What runs in the case that goes on. */
struct running {
	struct wf_item *items;
	size_t count;
};

static const struct wf_task *find_running(
    const struct running *running, const char *case_id, const char *task)
{
	for (size_t i = 0; i < running->count; i++)
		if (strcmp(running->items[i].case_id, case_id) == 0 &&
		    (task == NULL ||
			strcmp(running->items[i].task->id, task) == 0))
			return running->items[i].task;
	return NULL;
}

/* Items keep the numbers in their ids, also if their task has another id. */
static const struct wf_task *task_now(
    const struct running *running, const struct busy *busy)
{
	const struct wf_task *task = NULL;

	for (const struct child *child = busy->children;
	     child != NULL && task == NULL; child = child->next)
		task = find_running(running, child->case_id, NULL);
	return task != NULL
		   ? task
		   : find_running(running, busy->instance.case_id, busy->name);
}

/* Values are elements, named by their parameters. */
static void move_inputs(struct child *child, const struct wf_decomposition *d)
{
	struct wf_value **inputs =
	    wf_calloc(d->input_count + 1, sizeof(*inputs));

	for (size_t i = 0; i < child->input_count; i++) {
		for (size_t k = 0; k < d->input_count; k++)
			if (child->inputs[i] != NULL && inputs[k] == NULL &&
			    wf_value_is_named(
				child->inputs[i], d->inputs[k].name))
				inputs[k] = wf_value_ref(child->inputs[i]);
		wf_value_unref(&child->inputs[i]);
	}
	wf_free(child->inputs);
	child->inputs = inputs;
	child->input_count = d->input_count;
}

static void move_busy(
    struct net *net, struct busy *busy, const struct wf_task *task)
{
	wf_free(busy->name);
	busy->name = wf_strdup(task->id);
	busy->instance.name = busy->name;
	busy->instance.net = net->instance.net;
	busy->instance.task = task->number;
	for (struct child *child = busy->children; child != NULL;
	     child = child->next) {
		child->instance.name = busy->name;
		child->instance.net = net->instance.net;
		child->instance.task = task->number;
		move_inputs(child, task->decomposition);
	}
	busy->next = net->tasks;
	net->tasks = busy;
}

/* An offered item whose task has another id is another item. */
static void report_gone(struct reading *r, struct busy *busy)
{
	const struct wf_case_event *event = r->event;
	struct wf_case_event before = *event;

	before.spec = NULL;
	r->event = &before;
	report(r, &busy->instance, "Withdrawn", false);
	r->event = event;
	free_busy(busy);
}

static void move_net(struct reading *r, struct net *net,
    const struct wf_net_view *view, const struct running *running)
{
	struct busy *busy = net->tasks;

	wf_free(net->name);
	net->name = wf_strdup(view->net->decomposition->id);
	net->instance.name = net->name;
	net->instance.net = view->net->decomposition->number;
	net->tasks = NULL;
	while (busy != NULL) {
		struct busy *next = busy->next;
		const struct wf_task *task = task_now(running, busy);

		if (task != NULL && task->decomposition != NULL)
			move_busy(net, busy, task);
		else
			report_gone(r, busy);
		busy = next;
	}
	for (size_t i = 0; i < running->count; i++) {
		const struct wf_item *item = &running->items[i];

		if (strcmp(item->case_id, net->instance.case_id) == 0 &&
		    item->task->kind == WF_ATOMIC_TASK &&
		    find_busy(net, item->task->number) == NULL)
			report(r, &make_busy(r, net, item->task)->instance,
			    "Enabled", false);
	}
}

static void on_migrated(struct reading *r)
{
	const struct wf_case *instance = r->event->migrated;
	struct running running;
	struct wf_net_view view;

	running.count = wf_case_items(instance, &running.items);
	for (uint32_t i = 0; i < r->log->net_count; i++)
		if (wf_case_net(instance, i + 1, &view))
			move_net(r, &r->log->nets[i], &view, &running);
	wf_free(running.items);
}

static void read_event(void *context, const struct wf_case_event *event)
{
	struct reading *r = context;
	struct net *net = find_net(r->log, event->event->net);

	r->event = event;
	switch (event->event->kind) {
	case WF_EVENT_PREDICATE_LOGGED:
		on_logged(r->log, event->event);
		break;
	case WF_EVENT_NET_STARTED:
		on_net_started(r);
		break;
	case WF_EVENT_CASE_MIGRATED:
		on_migrated(r);
		break;
	case WF_EVENT_CASE_DEADLOCKED:
		if (r->log->net_count > 0)
			report(r, &r->log->nets[0].instance, "CaseComplete",
			    false);
		break;
	case WF_EVENT_NET_ENDED:
		if (net != NULL)
			on_net_ended(r, net);
		break;
	default:
		/* Tasks without a decomposition have no work and no log. */
		if (net != NULL && event->task != NULL &&
		    event->task->decomposition != NULL)
			on_task_event(r, net);
		break;
	}
}

enum wf_rc wf_case_log_read(struct wf_case_log *log, struct wf_store *store,
    const struct wf_spec *spec, wf_case_log_f visit, void *context,
    bool *more_out, struct wf_error *err)
{
	struct reading reading = {
		.log = log, .report = visit, .context = context
	};
	struct wf_case_reading how = { .store = store,
		.spec = spec,
		.engine = log->engine,
		.large_values = true,
		.visit = read_event,
		.context = &reading };

	wf_assert(log->magic == MAGIC);
	return wf_case_reader_page(
	    log->reader, &how, UINT64_MAX, more_out, err);
}

uint64_t wf_case_log_sequence(const struct wf_case_log *log)
{
	return wf_case_reader_sequence(log->reader);
}
