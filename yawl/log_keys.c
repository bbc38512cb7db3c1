/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout of a key, from the highest bit:
 *
 *   of a case's part       number of the case | number in its log (24 bits)
 *   of a net or task       hash of the specification | its number (20 bits)
 *   of a data type         the same with bit 19 set and the hash of its name
 *   of a service           hash of its name
 */
#include "yawl/log_keys.h"

#include <inttypes.h>
#include <string.h>

#include "base/codec.h"
#include "base/panic.h"
#include "data/xml_writer.h"
#include "yawl/announcement.h"

/* A key has 63 bits, because YAWL's clients read a signed number. */
#define IN_CASE 24U /* bits of the number in a case's log */
#define IN_SPEC 20U /* bits of the number in a specification */
/* In a specification: nets and tasks are below this, data types above. */
#define TYPES (UINT64_C(1) << 19)

/* --- keys ----------------------------------------------------------------- */

uint64_t wf_log_key(const struct wf_keyed_log *log, uint64_t number)
{
	return log->number << IN_CASE | number;
}

uint64_t wf_log_key_case(uint64_t key, uint64_t *number_out)
{
	*number_out = key & ((UINT64_C(1) << IN_CASE) - 1);
	return key >> IN_CASE;
}

uint64_t wf_log_key_of_spec(uint64_t specification)
{
	return specification >> (IN_SPEC + 1) << IN_SPEC;
}

bool wf_log_key_is_of(uint64_t key, uint64_t specification)
{
	return key >> IN_SPEC == specification >> (IN_SPEC + 1);
}

uint64_t wf_log_key_of_net(uint64_t specification, uint32_t decomposition)
{
	return wf_log_key_of_spec(specification) | (1 + decomposition);
}

static uint64_t key_of_task(
    const struct wf_spec *spec, const struct wf_task *task)
{
	uint64_t place = 1 + spec->decomposition_count + task->number;

	for (uint32_t i = 0; i < task->net->decomposition->number; i++)
		if (spec->decompositions[i].net != NULL)
			place += spec->decompositions[i].net->task_count;
	return wf_log_key_of_spec(spec->key) | (place & (TYPES - 1));
}

uint64_t wf_log_key_of_type(uint64_t specification, const char *type)
{
	return wf_log_key_of_spec(specification) | TYPES |
	       (wf_hash(0, type, strlen(type)) & (TYPES - 1));
}

uint64_t wf_log_key_of_service(const char *name)
{
	return wf_hash(0, name, strlen(name)) & INT64_MAX;
}

/* --- reading -------------------------------------------------------------- */

/* The index of the instance with that number; instances are sorted by it. */
static size_t find_instance(const struct wf_keyed_log *log, uint64_t number)
{
	size_t low = 0;
	size_t high = log->instance_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (log->instances[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Appends an instance to those inside the outer instance. */
static void link_instance(struct wf_keyed_log *log, size_t at, uint64_t outer)
{
	struct wf_keyed_links *in = &log->links[find_instance(log, outer)];

	if (in->first_inner == 0)
		in->first_inner = at;
	else
		log->links[in->last_inner].next_inner = at;
	in->last_inner = at;
}

/* A migration may have changed the name and the keys since its last event. */
static void put_keys(struct wf_keyed_log *log, size_t at,
    const struct wf_case_log_instance *instance, const struct wf_spec *spec)
{
	struct wf_case_log_instance *kept =
	    &((struct wf_case_log_instance *)(uintptr_t)log->instances)[at];
	struct wf_keyed_links *keys = &log->links[at];
	const struct wf_task *task;

	if (kept->name == NULL || strcmp(kept->name, instance->name) != 0)
		kept->name = wf_arena_strdup(log->arena, instance->name);
	keys->net = wf_log_key_of_net(spec->key, instance->net);
	if (instance->is_net)
		return;
	task = wf_case_log_task(spec, instance);
	keys->task = key_of_task(spec, task);
	keys->inner =
	    task->decomposition == NULL || task->decomposition->net == NULL
		? 0
		: wf_log_key_of_net(spec->key, task->decomposition->number);
}

static size_t keep_instance(
    struct wf_keyed_log *log, const struct wf_case_log_event *event)
{
	const struct wf_case_log_instance *instance = event->instance;
	size_t at = find_instance(log, instance->number);
	struct wf_case_log_instance *instances;

	if (at < log->instance_count) {
		if (event->spec != NULL)
			put_keys(log, at, instance, event->spec);
		return at;
	}
	/* An instance is reported after the one that it is inside. */
	wf_assert(instance->outer < instance->number);
	instances = wf_arena_grow(log->arena, (void *)(uintptr_t)log->instances,
	    at, &log->instance_capacity, sizeof(*instances));
	instances[at] = *instance;
	instances[at].case_id = wf_arena_strdup(log->arena, instance->case_id);
	instances[at].name = NULL;
	log->instances = instances;
	log->links = wf_arena_grow(log->arena, log->links, at,
	    &log->link_capacity, sizeof(*log->links));
	memset(&log->links[at], 0, sizeof(*log->links));
	log->instance_count++;
	wf_assert(event->spec != NULL);
	put_keys(log, at, instance, event->spec);
	if (instance->outer != 0)
		link_instance(log, at, instance->outer);
	return at;
}

static void link_event(struct wf_keyed_log *log, struct wf_keyed_event *events,
    const struct wf_keyed_event *event)
{
	struct wf_keyed_links *of = &log->links[event->instance];

	wf_assert(event->instance < log->instance_count);
	if (of->first_event == 0)
		of->first_event = log->event_count;
	else
		events[of->last_event - 1].next = log->event_count;
	of->last_event = log->event_count;
}

static void keep_event(void *context, const struct wf_case_log_event *event)
{
	struct wf_keyed_log *log = context;
	struct wf_arena *arena = log->arena;
	struct wf_keyed_event kept = { .event = *event,
		.instance = keep_instance(log, event) };
	struct wf_case_log_data *data =
	    wf_arena_alloc(arena, (event->data_count + 1) * sizeof(*data));
	struct wf_keyed_event *events;

	for (size_t i = 0; i < event->data_count; i++) {
		data[i] = event->data[i];
		data[i].name = wf_arena_strdup(arena, data[i].name);
		data[i].value = wf_arena_strdup(arena, data[i].value);
		data[i].descriptor = wf_arena_strdup(arena, data[i].descriptor);
		data[i].type = wf_arena_strdup(arena, data[i].type);
	}
	kept.event.instance = NULL;
	kept.event.data = data;
	if (event->actor != NULL)
		kept.event.actor = wf_arena_strdup(arena, event->actor);
	events = wf_arena_grow(arena, (void *)(uintptr_t)log->events,
	    log->event_count, &log->event_capacity, sizeof(*events));
	events[log->event_count++] = kept;
	log->events = events;
	link_event(log, events, &kept);
}

struct showing {
	struct wf_keyed_log log;
	const char *entries; /* that the launch adds to the first event */
	bool first;
	wf_keyed_log_f show;
	void *context;
	struct wf_store *store;
	struct wf_error *err;
	enum wf_rc rc;
};

static void read_and_show(void *context, const struct wf_spec *spec)
{
	struct showing *showing = context;
	struct wf_keyed_log *log = &showing->log;
	struct wf_case_log *source = wf_case_log_new(log->call->server->engine,
	    log->number, log->name, showing->entries);
	bool more = true;

	while (more && showing->rc == WF_OK) {
		showing->rc = wf_case_log_read(source, showing->store, spec,
		    keep_event, log, &more, showing->err);
		more = more && !showing->first;
	}
	wf_case_log_free(&source);
	if (showing->rc == WF_OK && log->instance_count > 0)
		showing->show(showing->context, log);
}

enum wf_rc wf_keyed_log_show(struct wf_yawl_call *call,
    const struct wf_case_row *row, bool first, wf_keyed_log_f show,
    void *context, struct wf_error *err)
{
	struct wf_engine *engine = call->server->engine;
	struct wf_yawl_launched launched;
	struct showing showing = { .log = { .call = call,
				       .number = row->number,
				       .name = row->name,
				       .specification = row->specification },
		.first = first,
		.show = show,
		.context = context,
		.err = err };
	enum wf_rc rc = wf_engine_borrow(engine, &showing.store, err);

	if (rc != WF_OK)
		return rc;
	showing.log.arena = wf_arena_new();
	wf_yawl_launched_read(&launched, row->extra, showing.log.arena);
	showing.entries = launched.log;
	rc = wf_engine_inspect_spec(engine, WF_NAMESPACE_DEFAULT,
	    row->specification, false, read_and_show, &showing, err);
	wf_arena_free(&showing.log.arena);
	wf_engine_give_back(engine, showing.store);
	return rc != WF_OK ? rc : showing.rc;
}

/* --- elements ------------------------------------------------------------- */

static void put_key(struct wf_buffer *xml, const char *name, uint64_t key)
{
	wf_buffer_printf(xml, "<%s>%" PRIu64 "</%s>", name, key, name);
}

static void put_key_or_none(
    struct wf_buffer *xml, const char *name, bool is_there, uint64_t key)
{
	if (is_there)
		put_key(xml, name, key);
	else
		wf_buffer_printf(xml, "<%s>-1</%s>", name, name);
}

static const struct wf_keyed_links *keys_of(
    const struct wf_keyed_log *log, const struct wf_case_log_instance *instance)
{
	return &log->links[instance - log->instances];
}

static void open(struct wf_buffer *xml, const char *name, uint64_t key)
{
	wf_buffer_printf(xml, "<%s key=\"%" PRIu64 "\">", name, key);
}

void wf_keyed_log_put_event(
    const struct wf_keyed_log *log, const struct wf_keyed_event *event)
{
	struct wf_buffer *xml = &log->call->out;
	const char *actor = event->event.actor;

	open(xml, "event", wf_log_key(log, event->event.number));
	put_key(xml, "instanceKey",
	    wf_log_key(log, log->instances[event->instance].number));
	wf_xml_put_element(xml, "descriptor", event->event.descriptor);
	wf_xml_put_number(xml, "timestamp", event->event.time);
	put_key_or_none(xml, "serviceKey", actor != NULL,
	    actor == NULL ? 0 : wf_log_key_of_service(actor));
	put_key(xml, "rootNetInstanceKey",
	    wf_log_key(log, log->instances[0].number));
	wf_buffer_puts(xml, "</event>");
}

void wf_keyed_log_put_net(
    const struct wf_keyed_log *log, const struct wf_case_log_instance *instance)
{
	struct wf_buffer *xml = &log->call->out;

	open(xml, "netInstance", wf_log_key(log, instance->number));
	wf_xml_put_element(xml, "caseid", instance->case_id);
	put_key(xml, "netKey", keys_of(log, instance)->net);
	put_key_or_none(xml, "parentTaskInstanceKey", instance->outer != 0,
	    wf_log_key(log, instance->outer));
	wf_buffer_puts(xml, "</netInstance>");
}

void wf_keyed_log_put_task(
    const struct wf_keyed_log *log, const struct wf_case_log_instance *instance)
{
	struct wf_buffer *xml = &log->call->out;

	open(xml, "taskInstance", wf_log_key(log, instance->number));
	wf_xml_put_element(xml, "caseid", instance->case_id);
	put_key(xml, "taskKey", keys_of(log, instance)->task);
	put_key(xml, "parentNetKey", wf_log_key(log, instance->outer));
	put_key_or_none(xml, "parentTaskKey", instance->parent != 0,
	    wf_log_key(log, instance->parent));
	wf_buffer_puts(xml, "</taskInstance>");
}

static void put_value(
    struct wf_buffer *xml, const struct wf_case_log_data *data)
{
	wf_xml_put_element(xml, "name", data->name);
	wf_xml_put_element(xml, "value", data->value);
	wf_xml_put_element(xml, "descriptor", data->descriptor);
}

void wf_keyed_log_put_data(const struct wf_keyed_log *log,
    const struct wf_keyed_event *event, const struct wf_case_log_data *data)
{
	struct wf_buffer *xml = &log->call->out;

	open(xml, "dataitem", wf_log_key(log, data->number));
	put_value(xml, data);
	put_key(xml, "eventKey", wf_log_key(log, event->event.number));
	put_key(xml, "datatypeKey",
	    wf_log_key_of_type(log->specification, data->type));
	wf_buffer_puts(xml, "</dataitem>");
}

void wf_keyed_log_put_type(
    struct wf_buffer *xml, uint64_t specification, const char *type)
{
	open(xml, "datatype", wf_log_key_of_type(specification, type));
	wf_xml_put_element(xml, "name", type);
	wf_xml_put_element(xml, "definition", type);
	wf_buffer_puts(xml, "</datatype>");
}

/* --- whole elements ------------------------------------------------------- */

static void put_service(const struct wf_keyed_log *log, const char *name)
{
	struct wf_services *services = log->call->server->services;
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service *service =
	    wf_service_by_name(set, WF_NAMESPACE_DEFAULT, name);
	struct wf_buffer *xml = &log->call->out;

	open(xml, "service", wf_log_key_of_service(name));
	wf_xml_put_element(xml, "name", name);
	wf_xml_put_element(xml, "url", service == NULL ? "" : service->uri);
	wf_buffer_puts(xml, "</service>");
	wf_services_let_go(services, set);
}

static void put_whole_event(
    const struct wf_keyed_log *log, const struct wf_keyed_event *event)
{
	struct wf_buffer *xml = &log->call->out;

	open(xml, "event", wf_log_key(log, event->event.number));
	wf_xml_put_element(xml, "descriptor", event->event.descriptor);
	wf_xml_put_number(xml, "timestamp", event->event.time);
	if (event->event.actor != NULL)
		put_service(log, event->event.actor);
	for (size_t i = 0; i < event->event.data_count; i++) {
		const struct wf_case_log_data *data = &event->event.data[i];

		open(xml, "dataitem", wf_log_key(log, data->number));
		put_value(xml, data);
		wf_keyed_log_put_type(xml, log->specification, data->type);
		wf_buffer_puts(xml, "</dataitem>");
	}
	wf_buffer_puts(xml, "</event>");
}

static void put_whole_events(
    const struct wf_keyed_log *log, const struct wf_case_log_instance *instance)
{
	size_t i = log->links[instance - log->instances].first_event;

	for (; i != 0; i = log->events[i - 1].next)
		put_whole_event(log, &log->events[i - 1]);
}

void wf_keyed_log_put_whole_task(
    const struct wf_keyed_log *log, const struct wf_case_log_instance *instance)
{
	struct wf_buffer *xml = &log->call->out;
	const struct wf_keyed_links *keys = keys_of(log, instance);
	size_t inner = keys->first_inner;

	open(xml, "taskinstance", wf_log_key(log, instance->number));
	open(xml, "task", keys->task);
	wf_xml_put_element(xml, "name", instance->name);
	put_key(xml, "parentNetKey", keys->net);
	put_key_or_none(xml, "childNetKey", keys->inner != 0, keys->inner);
	wf_buffer_puts(xml, "</task>");
	wf_xml_put_element(xml, "caseid", instance->case_id);
	put_whole_events(log, instance);
	for (; inner != 0; inner = log->links[inner].next_inner)
		wf_keyed_log_put_whole_net(log, &log->instances[inner]);
	wf_buffer_puts(xml, "</taskinstance>");
}

void wf_keyed_log_put_whole_net(
    const struct wf_keyed_log *log, const struct wf_case_log_instance *instance)
{
	struct wf_buffer *xml = &log->call->out;
	size_t inner = log->links[instance - log->instances].first_inner;

	wf_buffer_printf(xml,
	    "<netinstance key=\"%" PRIu64 "\" root=\"%s\"><net",
	    wf_log_key(log, instance->number),
	    instance->outer == 0 ? "true" : "false");
	wf_xml_put_attribute(xml, "name", instance->name);
	wf_buffer_printf(
	    xml, " key=\"%" PRIu64 "\"/>", keys_of(log, instance)->net);
	put_whole_events(log, instance);
	for (; inner != 0; inner = log->links[inner].next_inner)
		wf_keyed_log_put_whole_task(log, &log->instances[inner]);
	wf_buffer_puts(xml, "</netinstance>");
}
