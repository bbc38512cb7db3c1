/* SPDX-License-Identifier: Apache-2.0 */
#include "yawl/log_keys.h"

#include <inttypes.h>
#include <string.h>

#include "base/codec.h"
#include "data/xml_writer.h"
#include "yawl/announcement.h"

/* A key has 63 bits: YAWL's clients have no more. */
#define IN_CASE 24U
#define IN_SPEC 20U
#define TYPES (UINT64_C(1) << 19) /* and above: types, by their hash */

/* --- keys ----------------------------------------------------------------- */

uint64_t wf_log_key(const struct wf_case_log_page *book, uint64_t number)
{
	return book->number << IN_CASE | number;
}

uint64_t wf_book_case_of(uint64_t key, uint64_t *number_out)
{
	*number_out = key & ((UINT64_C(1) << IN_CASE) - 1);
	return key >> IN_CASE;
}

uint64_t wf_log_key_of_spec(uint64_t specification)
{
	return specification >> (IN_SPEC + 1) << IN_SPEC;
}

bool wf_book_is_of(uint64_t key, uint64_t specification)
{
	return key >> IN_SPEC == specification >> (IN_SPEC + 1);
}

uint64_t wf_log_key_of_net(uint64_t specification, uint32_t decomposition)
{
	return wf_log_key_of_spec(specification) | (1 + decomposition);
}

uint64_t wf_log_key_of_task(uint64_t specification, const struct wf_spec *spec,
    const struct wf_task *task)
{
	uint64_t place = 1 + spec->decomposition_count + task->number;

	for (uint32_t i = 0; i < task->net->decomposition->number; i++)
		if (spec->decompositions[i].net != NULL)
			place += spec->decompositions[i].net->task_count;
	return wf_log_key_of_spec(specification) | (place & (TYPES - 1));
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

/* They are met in the order of their numbers. */
static size_t find_instance(
    const struct wf_case_log_page *book, uint64_t number)
{
	size_t low = 0;
	size_t high = book->instance_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (book->instances[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Behind the others that are within the same one. */
static void link_instance(
    struct wf_case_log_page *book, size_t at, uint64_t outer)
{
	struct wf_book_links *in = &book->links[find_instance(book, outer)];

	if (in->first_inner == 0)
		in->first_inner = at;
	else
		book->links[in->last_inner].next_inner = at;
	in->last_inner = at;
}

static size_t keep_instance(
    struct wf_case_log_page *book, const struct wf_told_instance *told)
{
	size_t at = find_instance(book, told->number);
	struct wf_told_instance *instances;

	if (at < book->instance_count)
		return at;
	instances =
	    wf_arena_grow(book->arena, (void *)(uintptr_t)book->instances, at,
		&book->instance_capacity, sizeof(*instances));
	instances[at] = *told;
	instances[at].case_id = wf_arena_strdup(book->arena, told->case_id);
	book->instances = instances;
	book->links = wf_arena_grow(book->arena, book->links, at,
	    &book->link_capacity, sizeof(*book->links));
	memset(&book->links[at], 0, sizeof(*book->links));
	book->instance_count++;
	if (told->outer != 0)
		link_instance(book, at, told->outer);
	return at;
}

/* They are counted from 1. */
static void link_event(struct wf_case_log_page *book,
    struct wf_book_event *events, const struct wf_book_event *event)
{
	struct wf_book_links *of = &book->links[event->instance];

	if (of->first_event == 0)
		of->first_event = book->event_count;
	else
		events[of->last_event - 1].next = book->event_count;
	of->last_event = book->event_count;
}

static void keep_event(void *context, const struct wf_told_event *told)
{
	struct wf_case_log_page *book = context;
	struct wf_arena *arena = book->arena;
	struct wf_book_event event = { .told = *told,
		.instance = keep_instance(book, told->instance) };
	struct wf_told_data *data =
	    wf_arena_alloc(arena, (told->data_count + 1) * sizeof(*data));
	struct wf_book_event *events;

	for (size_t i = 0; i < told->data_count; i++) {
		data[i] = told->data[i];
		data[i].name = wf_arena_strdup(arena, data[i].name);
		data[i].value = wf_arena_strdup(arena, data[i].value);
		data[i].descriptor = wf_arena_strdup(arena, data[i].descriptor);
		data[i].type = wf_arena_strdup(arena, data[i].type);
	}
	event.told.instance = NULL;
	event.told.data = data;
	if (told->actor != NULL)
		event.told.actor = wf_arena_strdup(arena, told->actor);
	events = wf_arena_grow(arena, (void *)(uintptr_t)book->events,
	    book->event_count, &book->event_capacity, sizeof(*events));
	events[book->event_count++] = event;
	book->events = events;
	link_event(book, events, &event);
}

struct showing {
	struct wf_case_log_page book;
	const char *log; /* for the first event */
	bool first;
	wf_book_f show;
	void *context;
	struct wf_store *store;
	struct wf_error *err;
	enum wf_rc rc;
};

static void read_and_show(void *context, const struct wf_spec *spec)
{
	struct showing *showing = context;
	struct wf_case_log_page *book = &showing->book;
	struct wf_case_log *log =
	    wf_case_log_new(book->number, book->name, showing->log);
	bool more = true;

	book->spec = spec;
	while (more && showing->rc == WF_OK) {
		showing->rc = wf_case_log_read(log, showing->store, spec,
		    keep_event, book, &more, showing->err);
		more = more && !showing->first;
	}
	wf_case_log_free(&log);
	if (showing->rc == WF_OK && book->instance_count > 0)
		showing->show(showing->context, book);
}

enum wf_rc wf_book_show(struct wf_yawl_call *call,
    const struct wf_case_row *row, bool first, wf_book_f show, void *context,
    struct wf_error *err)
{
	struct wf_engine *engine = call->server->engine;
	struct wf_yawl_launched launched;
	struct showing showing = { .book = { .call = call,
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
	showing.book.arena = wf_arena_new();
	wf_yawl_launched_read(&launched, row->extra, showing.book.arena);
	showing.log = launched.log;
	rc = wf_engine_inspect_spec(engine, WF_NAMESPACE_DEFAULT,
	    row->specification, false, read_and_show, &showing, err);
	wf_arena_free(&showing.book.arena);
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

static void open(struct wf_buffer *xml, const char *name, uint64_t key)
{
	wf_buffer_printf(xml, "<%s key=\"%" PRIu64 "\">", name, key);
}

void wf_book_put_event(
    const struct wf_case_log_page *book, const struct wf_book_event *event)
{
	struct wf_buffer *xml = &book->call->out;
	const char *actor = event->told.actor;

	open(xml, "event", wf_log_key(book, event->told.number));
	put_key(xml, "instanceKey",
	    wf_log_key(book, book->instances[event->instance].number));
	wf_xml_put_element(xml, "descriptor", event->told.descriptor);
	wf_xml_put_number(xml, "timestamp", event->told.time);
	put_key_or_none(xml, "serviceKey", actor != NULL,
	    actor == NULL ? 0 : wf_log_key_of_service(actor));
	put_key(xml, "rootNetInstanceKey",
	    wf_log_key(book, book->instances[0].number));
	wf_buffer_puts(xml, "</event>");
}

static const struct wf_task *task_of(const struct wf_case_log_page *book,
    const struct wf_told_instance *instance)
{
	return &book->spec->decompositions[instance->net]
		    .net->tasks[instance->task];
}

void wf_book_put_net(const struct wf_case_log_page *book,
    const struct wf_told_instance *instance)
{
	struct wf_buffer *xml = &book->call->out;

	open(xml, "netInstance", wf_log_key(book, instance->number));
	wf_xml_put_element(xml, "caseid", instance->case_id);
	put_key(xml, "netKey",
	    wf_log_key_of_net(book->specification, instance->net));
	put_key_or_none(xml, "parentTaskInstanceKey", instance->outer != 0,
	    wf_log_key(book, instance->outer));
	wf_buffer_puts(xml, "</netInstance>");
}

void wf_book_put_task(const struct wf_case_log_page *book,
    const struct wf_told_instance *instance)
{
	struct wf_buffer *xml = &book->call->out;

	open(xml, "taskInstance", wf_log_key(book, instance->number));
	wf_xml_put_element(xml, "caseid", instance->case_id);
	put_key(xml, "taskKey",
	    wf_log_key_of_task(
		book->specification, book->spec, task_of(book, instance)));
	put_key(xml, "parentNetKey", wf_log_key(book, instance->outer));
	put_key_or_none(xml, "parentTaskKey", instance->parent != 0,
	    wf_log_key(book, instance->parent));
	wf_buffer_puts(xml, "</taskInstance>");
}

static void put_value(struct wf_buffer *xml, const struct wf_told_data *data)
{
	wf_xml_put_element(xml, "name", data->name);
	wf_xml_put_element(xml, "value", data->value);
	wf_xml_put_element(xml, "descriptor", data->descriptor);
}

void wf_book_put_data(const struct wf_case_log_page *book,
    const struct wf_book_event *event, const struct wf_told_data *data)
{
	struct wf_buffer *xml = &book->call->out;

	open(xml, "dataitem", wf_log_key(book, data->number));
	put_value(xml, data);
	put_key(xml, "eventKey", wf_log_key(book, event->told.number));
	put_key(xml, "datatypeKey",
	    wf_log_key_of_type(book->specification, data->type));
	wf_buffer_puts(xml, "</dataitem>");
}

void wf_book_put_type(
    struct wf_buffer *xml, uint64_t specification, const char *type)
{
	open(xml, "datatype", wf_log_key_of_type(specification, type));
	wf_xml_put_element(xml, "name", type);
	wf_xml_put_element(xml, "definition", type);
	wf_buffer_puts(xml, "</datatype>");
}

/* --- whole ones ----------------------------------------------------------- */

static void put_service(const struct wf_case_log_page *book, const char *name)
{
	struct wf_services *services = book->call->server->services;
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service *service =
	    wf_service_by_name(set, WF_NAMESPACE_DEFAULT, name);
	struct wf_buffer *xml = &book->call->out;

	open(xml, "service", wf_log_key_of_service(name));
	wf_xml_put_element(xml, "name", name);
	wf_xml_put_element(xml, "url", service == NULL ? "" : service->uri);
	wf_buffer_puts(xml, "</service>");
	wf_services_let_go(services, set);
}

static void put_whole_event(
    const struct wf_case_log_page *book, const struct wf_book_event *event)
{
	struct wf_buffer *xml = &book->call->out;

	open(xml, "event", wf_log_key(book, event->told.number));
	wf_xml_put_element(xml, "descriptor", event->told.descriptor);
	wf_xml_put_number(xml, "timestamp", event->told.time);
	if (event->told.actor != NULL)
		put_service(book, event->told.actor);
	for (size_t i = 0; i < event->told.data_count; i++) {
		const struct wf_told_data *data = &event->told.data[i];

		open(xml, "dataitem", wf_log_key(book, data->number));
		put_value(xml, data);
		wf_book_put_type(xml, book->specification, data->type);
		wf_buffer_puts(xml, "</dataitem>");
	}
	wf_buffer_puts(xml, "</event>");
}

static void put_whole_events(const struct wf_case_log_page *book,
    const struct wf_told_instance *instance)
{
	size_t i = book->links[instance - book->instances].first_event;

	for (; i != 0; i = book->events[i - 1].next)
		put_whole_event(book, &book->events[i - 1]);
}

void wf_book_put_whole_task(const struct wf_case_log_page *book,
    const struct wf_told_instance *instance)
{
	struct wf_buffer *xml = &book->call->out;
	const struct wf_task *task = task_of(book, instance);
	const struct wf_decomposition *d = task->decomposition;
	size_t inner = book->links[instance - book->instances].first_inner;

	open(xml, "taskinstance", wf_log_key(book, instance->number));
	open(xml, "task",
	    wf_log_key_of_task(book->specification, book->spec, task));
	wf_xml_put_element(xml, "name", task->id);
	put_key(xml, "parentNetKey",
	    wf_log_key_of_net(book->specification, instance->net));
	put_key_or_none(xml, "childNetKey", d != NULL && d->net != NULL,
	    d == NULL ? 0 : wf_log_key_of_net(book->specification, d->number));
	wf_buffer_puts(xml, "</task>");
	wf_xml_put_element(xml, "caseid", instance->case_id);
	put_whole_events(book, instance);
	for (; inner != 0; inner = book->links[inner].next_inner)
		wf_book_put_whole_net(book, &book->instances[inner]);
	wf_buffer_puts(xml, "</taskinstance>");
}

void wf_book_put_whole_net(const struct wf_case_log_page *book,
    const struct wf_told_instance *instance)
{
	struct wf_buffer *xml = &book->call->out;
	size_t inner = book->links[instance - book->instances].first_inner;

	wf_buffer_printf(xml,
	    "<netinstance key=\"%" PRIu64 "\" root=\"%s\"><net",
	    wf_log_key(book, instance->number),
	    instance->outer == 0 ? "true" : "false");
	wf_xml_put_attribute(
	    xml, "name", book->spec->decompositions[instance->net].id);
	wf_buffer_printf(xml, " key=\"%" PRIu64 "\"/>",
	    wf_log_key_of_net(book->specification, instance->net));
	put_whole_events(book, instance);
	for (; inner != 0; inner = book->links[inner].next_inner)
		wf_book_put_whole_task(book, &book->instances[inner]);
	wf_buffer_puts(xml, "</netinstance>");
}
