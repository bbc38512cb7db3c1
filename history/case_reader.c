/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From numbers to names.  The root net instance has the number 1 and needs no
 * memory; the others are appended as their NET_STARTED is read.
 */
#include "history/case_reader.h"

#include <stdio.h>

#include "base/panic.h"
#include "kernel/step.h"
#include "kernel/view.h"
#include "runtime/checksum.h"
#include "runtime/value_source.h"

#define MAGIC 0x72656164U
#define PAGE_STEPS 256U
#define FIRST_INNER (WF_ROOT_NET + 1U)
/* An id takes so much memory, about. */
#define NAME_BYTES 32U

/* A net instance other than the root. */
struct inner_net {
	char *case_id;
	uint32_t decomposition; /* its place in the specification */
};

struct wf_case_reader {
	uint32_t magic;
	uint64_t number;
	char *name;
	uint64_t sequence;	/* of the last step read; 0: none */
	struct inner_net *nets; /* by serial number, from FIRST_INNER */
	size_t net_count;
	size_t net_capacity;
};

struct wf_case_reader *wf_case_reader_new(uint64_t number, const char *name)
{
	struct wf_case_reader *reader = wf_calloc(1, sizeof(*reader));

	wf_assert(number != 0);
	reader->magic = MAGIC;
	reader->number = number;
	reader->name = wf_strdup(name);
	return reader;
}

static void rewind_to_start(struct wf_case_reader *reader)
{
	for (size_t i = 0; i < reader->net_count; i++)
		wf_free(reader->nets[i].case_id);
	reader->net_count = 0;
	reader->sequence = 0;
}

void wf_case_reader_free(struct wf_case_reader **reader)
{
	struct wf_case_reader *old = *reader;

	*reader = NULL;
	if (old == NULL)
		return;
	wf_assert(old->magic == MAGIC);
	old->magic = 0;
	rewind_to_start(old);
	wf_free(old->nets);
	wf_free(old->name);
	wf_free(old);
}

uint64_t wf_case_reader_number(const struct wf_case_reader *reader)
{
	return reader->number;
}

const char *wf_case_reader_name(const struct wf_case_reader *reader)
{
	return reader->name;
}

uint64_t wf_case_reader_sequence(const struct wf_case_reader *reader)
{
	return reader->sequence;
}

size_t wf_case_reader_size(const struct wf_case_reader *reader)
{
	return sizeof(*reader) + NAME_BYTES +
	       reader->net_capacity * sizeof(*reader->nets) +
	       reader->net_count * NAME_BYTES;
}

/* --- resolving ------------------------------------------------------------ */

/* One step being read. */
struct reading {
	struct wf_case_reader *reader;
	const struct wf_case_reading *how;
	const struct wf_spec *spec; /* of the step */
	struct wf_case_event event; /* the current one */
	bool fails; /* a net started that the specification cannot have, .. */
};

static void resolve_net(struct reading *reading, uint32_t serial)
{
	const struct wf_case_reader *reader = reading->reader;
	const struct wf_spec *spec = reading->spec;
	struct wf_case_event *event = &reading->event;
	const struct wf_decomposition *d = NULL;

	if (serial < FIRST_INNER) {
		event->case_id = reader->name;
		event->net = spec->root;
	} else if (serial - FIRST_INNER < reader->net_count) {
		const struct inner_net *inner =
		    &reader->nets[serial - FIRST_INNER];

		if (inner->decomposition < spec->decomposition_count)
			d = &spec->decompositions[inner->decomposition];
		event->case_id = d == NULL ? NULL : inner->case_id;
		event->net = d == NULL ? NULL : d->net;
	}
}

/* Returns the length; case_id has room for one more part. */
static size_t put_inner_id(
    char id_out[WF_CASE_ID_SIZE], const char *case_id, uint32_t instance)
{
	int length =
	    snprintf(id_out, WF_CASE_ID_SIZE, "%s.%u", case_id, instance);

	wf_assert(length > 0 && (size_t)length < WF_CASE_ID_SIZE);
	return (size_t)length;
}

static void start_inner(struct reading *reading, const struct wf_event *event)
{
	struct wf_case_reader *reader = reading->reader;
	const struct wf_task *task = reading->event.task;
	char id[WF_CASE_ID_SIZE];

	if (task == NULL || task->decomposition == NULL ||
	    task->decomposition->net == NULL ||
	    put_inner_id(id, reading->event.case_id, event->instance) >
		WF_CASE_ID_BYTES - WF_CASE_ID_PART_BYTES) {
		reading->fails = true;
		return;
	}
	if (reader->net_count == reader->net_capacity) {
		reader->net_capacity = reader->net_capacity * 2 + 4;
		reader->nets = wf_realloc(
		    reader->nets, reader->net_capacity * sizeof(*reader->nets));
	}
	reader->nets[reader->net_count++] = (struct inner_net){
		.case_id = wf_strdup(id),
		.decomposition = task->decomposition->number,
	};
	reading->event.inner_id = reader->nets[reader->net_count - 1].case_id;
	reading->event.inner = task->decomposition->net;
}

/* What the number in event->task stands for. */
static void resolve_task(
    struct wf_case_event *resolved, const struct wf_event *event)
{
	const struct wf_net *net = resolved->net;
	bool is_of_net =
	    event->kind == WF_EVENT_PREDICATE_LOGGED && event->instance == 0;

	if (!(wf_event_fields(event->kind) & WF_HAS_TASK) || is_of_net)
		return;
	if (event->kind != WF_EVENT_CONDITION_EMPTIED &&
	    event->kind != WF_EVENT_CONDITION_MARKED)
		resolved->task = event->task < net->task_count
				     ? &net->tasks[event->task]
				     : NULL;
	else if (event->task < net->condition_count)
		resolved->condition = &net->conditions[event->task];
}

static void rename_net(void *argument, const struct wf_net_view *view)
{
	struct wf_case_reader *reader = argument;
	uint32_t at = view->serial - FIRST_INNER;

	if (view->serial >= FIRST_INNER && at < reader->net_count)
		reader->nets[at].decomposition =
		    view->net->decomposition->number;
}

/*
 * The nets that run are ones of another specification from now on.  NULL: the
 * step does not have their state.
 */
static struct wf_case *migrate(
    struct reading *reading, const struct wf_event *event)
{
	struct wf_case *instance = NULL;

	if (wf_case_decode(&instance, reading->spec, NULL, event->text,
		event->text_length, NULL, NULL) == WF_OK)
		wf_case_nets(instance, rename_net, reading->reader);
	else
		reading->fails = true;
	return instance;
}

static void read_event(void *context, const struct wf_event *event)
{
	struct reading *reading = context;
	struct wf_case_event *resolved = &reading->event;
	struct wf_case *migrated = NULL;

	if (reading->fails)
		return;
	if (event->kind == WF_EVENT_CASE_MIGRATED)
		migrated = migrate(reading, event);
	*resolved = (struct wf_case_event){ .event = event,
		.step = resolved->step,
		.arena = resolved->arena,
		.spec = reading->spec,
		.migrated = migrated };
	resolve_net(reading, event->net);
	if (resolved->net != NULL && event->net != 0)
		resolve_task(resolved, event);
	if (event->kind == WF_EVENT_NET_STARTED && event->net != 0) {
		start_inner(reading, event);
	} else if (event->kind == WF_EVENT_NET_STARTED) {
		resolved->inner_id = resolved->case_id;
		resolved->inner = resolved->net;
	}
	if (!reading->fails && reading->how->visit != NULL)
		reading->how->visit(reading->how->context, resolved);
	resolved->migrated = NULL;
	wf_case_free(&migrated);
}

/* --- reading -------------------------------------------------------------- */

enum wf_rc wf_history_decode(const struct wf_history_row *step,
    const struct wf_value_source *source,
    void (*visit)(void *context, const struct wf_event *event), void *context,
    struct wf_error *err)
{
	struct wf_error failure = { .rc = WF_OK };
	struct wf_event_reader reader;
	const struct wf_event *event;
	struct wf_bytes bytes;
	enum wf_rc rc = wf_checksum_check_history(step, &bytes, err);

	if (rc != WF_OK)
		return rc;
	wf_event_reader_init(&reader, bytes.data, bytes.size, source);
	while ((event = wf_event_next(&reader, &failure)) != NULL)
		visit(context, event);
	wf_event_reader_free(&reader);
	return failure.rc == WF_OK
		   ? WF_OK
		   : wf_fail(err, failure.rc, "%s", failure.message);
}

struct decoding {
	struct reading *reading;
	struct wf_error *err;
	enum wf_rc rc;
};

static void decode_step(void *context, const struct wf_spec *spec)
{
	struct decoding *decoding = context;
	struct reading *reading = decoding->reading;
	struct wf_value_place place = { reading->how->store,
		reading->event.arena, reading->reader->number };
	struct wf_value_source source = wf_value_source(&place);

	reading->spec = spec;
	decoding->rc = wf_history_decode(reading->event.step,
	    reading->how->large_values ? &source : NULL, read_event, reading,
	    decoding->err);
}

/* arena: emptied. */
static enum wf_rc read_step(struct wf_case_reader *reader,
    const struct wf_case_reading *how, const struct wf_history_row *step,
    struct wf_arena *arena, struct wf_error *err)
{
	struct reading reading = { .reader = reader,
		.how = how,
		.event = { .step = step, .arena = arena } };
	struct decoding decoding = { &reading, err, WF_OK };
	enum wf_rc rc = WF_OK;

	wf_assert(reader->magic == MAGIC);
	wf_assert(step->number == reader->number);
	wf_arena_reset(arena);
	if (how->engine != NULL && step->specification != how->spec->key &&
	    step->specification != 0)
		rc = wf_engine_inspect_spec(how->engine, step->namespace_id,
		    step->specification, false, decode_step, &decoding, err);
	else
		decode_step(&decoding, how->spec);
	if (rc == WF_OK)
		rc = decoding.rc;
	if (rc == WF_OK && reading.fails)
		rc = wf_fail(err, WF_CORRUPT,
		    "step %llu of case %s starts a net for a task that has "
		    "none, or is damaged",
		    (unsigned long long)step->sequence, reader->name);
	if (rc == WF_OK)
		reader->sequence = step->sequence;
	else
		rewind_to_start(reader);
	return rc;
}

enum wf_rc wf_case_reader_page(struct wf_case_reader *reader,
    const struct wf_case_reading *how, uint64_t last, bool *more_out,
    struct wf_error *err)
{
	uint64_t left = last - reader->sequence;
	struct wf_history_list list = { .count = 0 };
	struct wf_arena *arena;
	struct wf_arena *page;
	enum wf_rc rc;

	wf_assert(reader->magic == MAGIC && reader->sequence < last);
	arena = wf_arena_new();
	page = wf_arena_new();
	rc = wf_store_case_history(how->store, reader->number, reader->sequence,
	    left < PAGE_STEPS ? left : PAGE_STEPS, page, &list, err);
	*more_out = rc == WF_OK && list.count > 0;
	if (*more_out && list.rows[0].sequence != reader->sequence + 1)
		rc = wf_fail(err, WF_GONE,
		    "the first steps of case %s are not kept any more",
		    reader->name);
	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		rc = read_step(reader, how, &list.rows[i], arena, err);
	*more_out = *more_out && rc == WF_OK && reader->sequence < last;
	wf_arena_free(&arena);
	wf_arena_free(&page);
	return rc;
}

/* Without one all events are in the root net, which every reader knows. */
static bool has_composite_task(const struct wf_spec *spec)
{
	for (uint32_t i = 0; i < spec->decomposition_count; i++) {
		const struct wf_net *net = spec->decompositions[i].net;

		for (uint32_t k = 0; net != NULL && k < net->task_count; k++)
			if (net->tasks[k].kind == WF_COMPOSITE_TASK)
				return true;
	}
	return false;
}

/* Reads what comes before a step, where net instances depend on it. */
static enum wf_rc seek(struct wf_case_reader *reader,
    const struct wf_case_reading *how, uint64_t sequence, struct wf_error *err)
{
	struct wf_case_reading silent = {
		.store = how->store, .spec = how->spec, .engine = how->engine
	};
	bool more = true;
	enum wf_rc rc = WF_OK;

	if (reader->sequence >= sequence)
		rewind_to_start(reader);
	if (!has_composite_task(how->spec))
		return WF_OK;
	while (rc == WF_OK && more && reader->sequence + 1 < sequence)
		rc = wf_case_reader_page(
		    reader, &silent, sequence - 1, &more, err);
	if (rc == WF_OK && reader->sequence + 1 < sequence)
		rc = wf_fail(
		    err, WF_GONE, "earlier steps are not kept any more");
	return rc;
}

enum wf_rc wf_case_reader_step(struct wf_case_reader *reader,
    const struct wf_case_reading *how, const struct wf_history_row *step,
    struct wf_error *err)
{
	enum wf_rc rc = WF_OK;
	struct wf_arena *arena;

	wf_assert(reader->magic == MAGIC);
	if (reader->sequence + 1 != step->sequence)
		rc = seek(reader, how, step->sequence, err);
	if (rc != WF_OK)
		return rc;
	arena = wf_arena_new();
	rc = read_step(reader, how, step, arena, err);
	wf_arena_free(&arena);
	return rc;
}

/* --- parts of an event ---------------------------------------------------- */

void wf_case_event_item(
    const struct wf_case_event *event, char case_id_out[WF_CASE_ID_SIZE])
{
	wf_assert(event->case_id != NULL);
	if (event->event->instance == 0)
		snprintf(case_id_out, WF_CASE_ID_SIZE, "%s", event->case_id);
	else
		put_inner_id(
		    case_id_out, event->case_id, event->event->instance);
}

/* The parameters that the values of an event are for; NULL: net variables. */
static const struct wf_variable *parameters_of(
    const struct wf_case_event *event, size_t *count_out)
{
	const struct wf_decomposition *d =
	    event->task == NULL ? NULL : event->task->decomposition;

	if (d == NULL)
		return NULL;
	switch (event->event->kind) {
	case WF_EVENT_TASK_FIRED:
	case WF_EVENT_INSTANCE_CREATED:
	case WF_EVENT_INSTANCE_UPDATED:
		*count_out = d->input_count;
		return d->inputs;
	case WF_EVENT_TASK_EXITED:
	case WF_EVENT_INSTANCE_ENDED:
		*count_out = d->output_count;
		return d->outputs;
	case WF_EVENT_DATA_SHOWN:
		*count_out = d->enablement_count;
		return d->enablements;
	default:
		return NULL;
	}
}

bool wf_case_event_value(const struct wf_case_event *event, uint32_t i,
    struct wf_named_value *value_out)
{
	const struct wf_binding *binding = &event->event->values[i];
	const struct wf_net *net =
	    event->inner != NULL ? event->inner : event->net;
	const struct wf_variable *parameters;
	size_t count = 0;

	wf_assert(i < event->event->value_count);
	parameters = parameters_of(event, &count);
	*value_out = (struct wf_named_value){ .value = binding->value };
	if (parameters != NULL && binding->variable < count) {
		value_out->name = parameters[binding->variable].name;
		value_out->type = parameters[binding->variable].type;
	} else if (parameters == NULL && net != NULL &&
		   binding->variable < net->variable_count) {
		value_out->name = net->variables[binding->variable].name;
		value_out->type = net->variables[binding->variable].type;
		value_out->is_input =
		    net->variables[binding->variable].is_input;
	}
	return value_out->name != NULL;
}
