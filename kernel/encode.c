/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoding a case as bytes, and decoding it.
 *
 *   version, key of the specification, id, status, time, counters,
 *   nets (parents first): position in the tree, marking, variables,
 *   activities, searches for OR-joins, states of timers,
 *   work that is done, if it is counted, and people, if there is anything
 *   about them,
 *   CRC-32C of all that (four bytes, little endian)
 *
 * Only what is not zero is written.  Equal cases give equal bytes.  Each put_
 * function has a get_ function that reads the same fields in the same order.
 * Decoding checks every field, so damage is reported as WF_CORRUPT and cannot
 * break an invariant.
 */
#include "kernel/assignment/assignment_state.h"
#include "kernel/or_join/or_join_state.h"

#define FORMAT_VERSION 1

/* Another form of wf_value_put(): the initial value of the variable. */
#define FORM_INITIAL 3

static void put_variables(struct wf_buffer *bytes, const struct net_instance *n)
{
	for (uint32_t i = 0; i < n->net->variable_count; i++) {
		struct wf_value *value = n->variables[i];

		if (value != NULL && value->number == 0 &&
		    wf_value_equal(value, n->net->variables[i].initial))
			wf_put_number(bytes, FORM_INITIAL);
		else
			wf_value_put(bytes, value);
	}
}

static void put_inputs(struct wf_buffer *bytes, const struct wf_task *task,
    const struct instance *instance)
{
	size_t count =
	    task->decomposition == NULL ? 0 : task->decomposition->input_count;

	if (instance->inputs == NULL) {
		wf_put_number(bytes, 0);
		return;
	}
	wf_put_number(bytes, 1);
	for (size_t i = 0; i < count; i++)
		wf_value_put(bytes, instance->inputs[i]);
}

/* Only nets with timers have this field. */
static void put_timer(struct wf_buffer *bytes, const struct net_instance *n,
    const struct timer *timer)
{
	if (n->timers == NULL)
		return;
	wf_put_signed(bytes, timer->at);
	if (timer->at == 0)
		return;
	wf_put_number(bytes, timer->number);
	wf_put_number(bytes, timer->due);
}

static void put_timers(struct wf_buffer *bytes, const struct net_instance *n)
{
	for (uint32_t i = 0; n->timers != NULL && i < n->net->task_count; i++)
		if (n->net->tasks[i].timer != NULL)
			wf_put_number(bytes, n->timers[i]);
}

static void put_activity(struct wf_buffer *bytes, const struct net_instance *n,
    const struct activity *activity)
{
	wf_put_number(bytes, activity->task);
	wf_put_number(bytes,
	    (uint64_t)activity->busy | (uint64_t)activity->suspended << 1);
	put_timer(bytes, n, &activity->timer);
	wf_put_number(bytes, activity->choice);
	wf_put_signed(bytes, activity->enabled_at);
	wf_put_signed(bytes, activity->fired_at);
	wf_put_number(bytes, activity->completed_count);
	wf_put_number(bytes, activity->instance_count);
	for (uint32_t i = 0; i < activity->instance_count; i++) {
		const struct instance *instance = &activity->instances[i];

		wf_put_number(bytes, instance->number);
		wf_put_number(bytes, instance->status);
		wf_put_number(bytes, instance->suspended_from);
		wf_put_signed(bytes, instance->started_at);
		put_timer(bytes, n, &instance->timer);
		put_inputs(bytes, wf_task_of(n, activity->task), instance);
	}
	wf_put_number(bytes, activity->result_count);
	for (uint32_t i = 0; i < activity->result_count; i++) {
		wf_put_number(bytes, activity->results[i].variable);
		wf_value_put(bytes, activity->results[i].value);
	}
}

/* Searches outside steps: wanted, or with a verdict. */
static void put_searches(struct wf_buffer *bytes, const struct net_instance *n)
{
	uint32_t count = 0;

	if (n->or_state == NULL)
		return;
	for (uint32_t i = 0; i < n->net->task_count; i++)
		count += n->or_state->searches[i] != OR_SEARCH_NONE;
	wf_put_number(bytes, count);
	for (uint32_t i = 0; i < n->net->task_count && count > 0; i++) {
		if (n->or_state->searches[i] == OR_SEARCH_NONE)
			continue;
		wf_put_number(bytes, i);
		wf_put_number(bytes, n->or_state->searches[i]);
	}
}

static void put_net(struct wf_buffer *bytes, const struct net_instance *n)
{
	uint32_t marked = 0;
	uint32_t written = 0;

	wf_put_number(bytes, n->serial);
	wf_put_number(bytes, n->parent == NULL ? 0 : n->parent->serial);
	wf_put_number(bytes, n->parent_task);
	wf_put_number(bytes, n->number);
	wf_put_number(bytes, n->last_child);
	wf_put_number(bytes, (uint64_t)n->ended | (uint64_t)n->stuck << 1);
	for (uint32_t i = 0; i < n->net->condition_count; i++)
		marked += n->tokens[i] != 0;
	wf_put_number(bytes, marked);
	for (uint32_t i = 0; marked > 0; i++) {
		wf_assert(i < n->net->condition_count);
		if (n->tokens[i] == 0)
			continue;
		marked--;
		wf_put_number(bytes, i);
		wf_put_number(bytes, n->tokens[i]);
	}
	put_variables(bytes, n);
	wf_put_number(bytes, n->busy_count + n->offered_count);
	for (uint32_t i = 0; i < n->net->task_count; i++) {
		if (n->activities[i] == NULL)
			continue;
		put_activity(bytes, n, n->activities[i]);
		written++;
	}
	/* The decoder reads this many. */
	wf_assert(written == n->busy_count + n->offered_count);
	put_searches(bytes, n);
	put_timers(bytes, n);
	for (size_t i = 0;
	     n->lost != NULL && i < wf_bitset_words(n->net->task_count); i++)
		wf_put_number(bytes, n->lost[i]);
}

static void put_checksum(struct wf_buffer *bytes, size_t start)
{
	uint32_t crc = wf_crc32c(0, bytes->data + start, bytes->length - start);

	wf_assert(!bytes->full && start < bytes->length);
	for (unsigned shift = 0; shift < 32; shift += 8)
		wf_buffer_putc(bytes, (char)(crc >> shift & 0xff));
}

enum wf_rc wf_case_encode(const struct wf_case *instance,
    struct wf_buffer *bytes, struct wf_error *err)
{
	size_t start = bytes->length;

	wf_assert(instance->magic == WF_CASE_MAGIC);
	/*
	 * The root net has the lowest serial number, and lives as long as the
	 * case.
	 */
	wf_assert(instance->net_count > 0);
	wf_assert(instance->nets[0] == instance->root);
	wf_put_number(bytes, FORMAT_VERSION);
	wf_put_number(bytes, instance->spec->key);
	wf_put_string(bytes, instance->id);
	wf_put_number(bytes, instance->status);
	wf_put_signed(bytes, instance->now);
	wf_put_number(bytes, instance->last_serial);
	wf_put_number(bytes, instance->last_choice);
	wf_put_number(bytes, instance->last_value);
	if (instance->spec->has_timer)
		wf_put_number(bytes, instance->last_timer);
	wf_put_number(bytes, instance->net_count);
	for (uint32_t i = 0; i < instance->net_count; i++)
		put_net(bytes, instance->nets[i]);
	wf_work_encode(bytes, instance);
	wf_assignments_encode(bytes, instance);
	if (bytes->full ||
	    bytes->length - start > instance->limits->state_bytes)
		return wf_fail(err, WF_LIMIT,
		    "the case takes more than %u bytes",
		    instance->limits->state_bytes);
	put_checksum(bytes, start);
	return WF_OK;
}

/* --- Decoding --- */

struct decoder {
	struct wf_case *c;
	struct wf_reader reader;
	const struct wf_value_source *source;
	struct wf_error *err;
};

static enum wf_rc damaged(struct decoder *d, const char *what)
{
	return wf_fail(
	    d->err, WF_CORRUPT, "the stored case is damaged: %s", what);
}

static enum wf_rc get_slot(
    struct decoder *d, struct wf_value **slot, struct wf_value *initial)
{
	enum wf_rc rc;

	if (initial != NULL && d->reader.next < d->reader.end &&
	    *d->reader.next == FORM_INITIAL) {
		d->reader.next++;
		*slot = wf_value_ref(initial);
		d->c->memory += initial->length;
		return WF_OK;
	}
	rc = wf_value_get(&d->reader, d->source, slot, d->err);
	/* Counted even on failure, because freeing the case subtracts it. */
	if (*slot != NULL)
		d->c->memory += (*slot)->length;
	if (rc == WF_OK && d->reader.bad)
		rc = damaged(d, "a value is cut off");
	return rc;
}

static enum wf_rc get_inputs(
    struct decoder *d, const struct wf_task *task, struct instance *instance)
{
	size_t count =
	    task->decomposition == NULL ? 0 : task->decomposition->input_count;
	enum wf_rc rc = WF_OK;

	if (wf_get_bounded(&d->reader, 1) == 0)
		return WF_OK;
	if (count == 0)
		return damaged(d, "the input of an instance");
	instance->inputs = wf_calloc(count, sizeof(*instance->inputs));
	d->c->memory += count * sizeof(*instance->inputs);
	for (size_t i = 0; i < count && rc == WF_OK; i++)
		rc = get_slot(d, &instance->inputs[i], NULL);
	return rc;
}

static void get_timer(
    struct decoder *d, const struct net_instance *n, struct timer *timer)
{
	if (n->timers == NULL)
		return;
	timer->at = wf_get_signed(&d->reader);
	if (timer->at == 0)
		return;
	timer->number = wf_get_bounded(&d->reader, d->c->last_timer);
	timer->due = wf_get_bounded(&d->reader, 1) != 0;
}

static void get_timers(struct decoder *d, struct net_instance *n)
{
	for (uint32_t i = 0; n->timers != NULL && i < n->net->task_count; i++)
		if (n->net->tasks[i].timer != NULL)
			n->timers[i] = (uint8_t)wf_get_bounded(
			    &d->reader, WF_TIMER_EXPIRED);
}

static enum wf_rc get_instance(struct decoder *d, const struct net_instance *n,
    struct activity *activity, struct instance *instance, uint32_t previous)
{
	struct wf_reader *reader = &d->reader;

	instance->number = wf_get_bounded(reader, n->last_child);
	instance->status = (uint8_t)wf_get_bounded(reader, WF_ITEM_DISCARDED);
	instance->suspended_from =
	    (uint8_t)wf_get_bounded(reader, WF_ITEM_EXECUTING);
	instance->started_at = wf_get_signed(reader);
	get_timer(d, n, &instance->timer);
	if (reader->bad || instance->number <= previous)
		return damaged(d, "an instance");
	if (instance->status <= WF_ITEM_SUSPENDED)
		activity->active_count++;
	return get_inputs(d, wf_task_of(n, activity->task), instance);
}

static enum wf_rc get_instances(
    struct decoder *d, const struct net_instance *n, struct activity *activity)
{
	struct wf_reader *reader = &d->reader;
	uint32_t count = wf_get_bounded(reader, UINT32_MAX);
	uint32_t previous = 0;
	enum wf_rc rc = WF_OK;

	if (reader->bad || count > (size_t)(reader->end - reader->next) ||
	    (count == 0) == activity->busy)
		return damaged(d, "the number of instances");
	while (activity->instance_capacity < count)
		activity->instance_capacity *= 2;
	if (activity->instance_capacity > 1) {
		activity->instances = wf_calloc(
		    activity->instance_capacity, sizeof(struct instance));
		d->c->memory +=
		    activity->instance_capacity * sizeof(struct instance);
	}
	for (uint32_t i = 0; i < count && rc == WF_OK; i++) {
		activity->instance_count++;
		rc = get_instance(
		    d, n, activity, &activity->instances[i], previous);
		previous = activity->instances[i].number;
	}
	return rc;
}

static enum wf_rc get_results(
    struct decoder *d, const struct net_instance *n, struct activity *activity)
{
	const struct wf_decomposition *work =
	    wf_task_of(n, activity->task)->decomposition;
	struct wf_reader *reader = &d->reader;
	uint32_t count = wf_get_bounded(reader, UINT32_MAX);
	size_t variables = n->net->variable_count;
	enum wf_rc rc = WF_OK;

	if (reader->bad || count > (size_t)(reader->end - reader->next))
		return damaged(d, "the number of results");
	if (!activity->busy)
		variables = work == NULL ? 0 : work->enablement_count;
	if (count == 0)
		return WF_OK;
	activity->results = wf_calloc(count, sizeof(*activity->results));
	activity->result_capacity = count;
	d->c->memory += count * sizeof(*activity->results);
	for (uint32_t i = 0; i < count && rc == WF_OK; i++) {
		struct wf_binding *result = &activity->results[i];

		result->variable = wf_get_bounded(reader, UINT32_MAX);
		if (result->variable >= variables &&
		    (!activity->busy || result->variable != WF_COLLECTED))
			return damaged(d, "a result");
		activity->result_count++;
		rc = get_slot(d, &result->value, NULL);
	}
	return rc;
}

static enum wf_rc get_activity(struct decoder *d, struct net_instance *n)
{
	struct wf_reader *reader = &d->reader;
	uint32_t task = wf_get_bounded(reader, n->net->task_count - 1);
	uint32_t flags = wf_get_bounded(reader, 3);
	struct activity *activity;
	enum wf_rc rc;

	if (reader->bad || n->activities[task] != NULL)
		return damaged(d, "an activity");
	activity = wf_calloc(1, sizeof(*activity));
	d->c->memory += sizeof(*activity);
	n->activities[task] = activity;
	activity->task = task;
	activity->busy = (flags & 1) != 0;
	activity->suspended = (flags & 2) != 0;
	get_timer(d, n, &activity->timer);
	activity->instances = &activity->first;
	activity->instance_capacity = 1;
	if (activity->busy)
		n->busy_count++;
	if (activity->busy && n->or_state != NULL)
		wf_or_touch_task(d->c, n, task, true);
	if (!activity->busy)
		n->offered_count++;
	activity->choice = wf_get_bounded(reader, d->c->last_choice);
	activity->enabled_at = wf_get_signed(reader);
	activity->fired_at = wf_get_signed(reader);
	activity->completed_count = wf_get_bounded(reader, UINT32_MAX);
	rc = get_instances(d, n, activity);
	return rc != WF_OK ? rc : get_results(d, n, activity);
}

static enum wf_rc get_searches(struct decoder *d, struct net_instance *n)
{
	struct wf_reader *reader = &d->reader;
	uint32_t count;

	if (n->or_state == NULL)
		return WF_OK;
	count = wf_get_bounded(reader, n->net->task_count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t task = wf_get_bounded(reader, n->net->task_count - 1);
		uint32_t search = wf_get_bounded(reader, OR_SEARCH_WAITS);

		if (reader->bad || n->or_state->joins->joins[task] == NULL)
			return damaged(d, "an OR-join");
		n->or_state->searches[task] = (uint8_t)search;
	}
	return reader->bad ? damaged(d, "an OR-join") : WF_OK;
}

static enum wf_rc get_lost(struct decoder *d, struct net_instance *n)
{
	for (size_t i = 0;
	     n->lost != NULL && i < wf_bitset_words(n->net->task_count); i++)
		n->lost[i] = wf_get_number(&d->reader);
	return d->reader.bad ? damaged(d, "a set of tasks") : WF_OK;
}

static enum wf_rc get_marking(struct decoder *d, struct net_instance *n)
{
	struct wf_reader *reader = &d->reader;
	uint32_t count = wf_get_bounded(reader, n->net->condition_count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at =
		    wf_get_bounded(reader, n->net->condition_count - 1);
		uint32_t tokens = wf_get_bounded(reader, d->c->limits->tokens);

		if (reader->bad || tokens == 0 || n->tokens[at] != 0)
			return damaged(d, "a marking");
		wf_mark(d->c, n, at, tokens);
	}
	return reader->bad ? damaged(d, "a marking") : WF_OK;
}

/* Links the net to the instance of the composite task it belongs to. */
static enum wf_rc get_place(
    struct decoder *d, uint32_t serial, struct net_instance **net_out)
{
	struct wf_reader *reader = &d->reader;
	uint32_t parent_serial = wf_get_bounded(reader, UINT32_MAX);
	uint32_t task = wf_get_bounded(reader, UINT32_MAX);
	uint32_t number = wf_get_bounded(reader, UINT32_MAX);
	const struct wf_decomposition *decomposition = NULL;
	struct net_instance *parent;
	struct instance *instance = NULL;

	if (d->c->root == NULL) {
		if (parent_serial != 0)
			return damaged(d, "there is no root net");
		d->c->root = wf_net_new(
		    d->c, d->c->spec->root, NULL, task, number, serial);
		*net_out = d->c->root;
		return WF_OK;
	}
	parent = wf_net_instance(d->c, parent_serial);
	if (parent != NULL && task < parent->net->task_count &&
	    parent->activities[task] != NULL) {
		decomposition = wf_task_of(parent, task)->decomposition;
		instance =
		    wf_activity_instance(parent->activities[task], number);
	}
	if (instance == NULL || instance->subnet != NULL ||
	    decomposition == NULL || decomposition->net == NULL ||
	    instance->status > WF_ITEM_SUSPENDED ||
	    parent->depth >= d->c->limits->depth)
		return damaged(d, "a sub-net has no task");
	*net_out =
	    wf_net_new(d->c, decomposition->net, parent, task, number, serial);
	instance->subnet = *net_out;
	return WF_OK;
}

static enum wf_rc get_net(
    struct decoder *d, uint32_t maximum, uint32_t *previous)
{
	struct wf_reader *reader = &d->reader;
	uint32_t serial = wf_get_bounded(reader, maximum);
	struct net_instance *n = NULL;
	uint32_t flags;
	uint32_t count;
	enum wf_rc rc;

	if (reader->bad || serial <= *previous)
		return damaged(d, "a net");
	*previous = serial;
	rc = get_place(d, serial, &n);
	if (rc != WF_OK)
		return rc;
	n->last_child = wf_get_bounded(reader, UINT32_MAX);
	flags = wf_get_bounded(reader, 3);
	n->ended = (flags & 1) != 0;
	n->stuck = (flags & 2) != 0;
	rc = get_marking(d, n);
	for (uint32_t i = 0; i < n->net->variable_count && rc == WF_OK; i++)
		rc =
		    get_slot(d, &n->variables[i], n->net->variables[i].initial);
	if (rc != WF_OK)
		return rc;
	count = wf_get_bounded(reader, n->net->task_count);
	for (uint32_t i = 0; i < count && rc == WF_OK; i++)
		rc = get_activity(d, n);
	if (rc == WF_OK)
		rc = get_searches(d, n);
	if (rc == WF_OK)
		get_timers(d, n);
	return rc != WF_OK ? rc : get_lost(d, n);
}

/* A busy composite task has a net for each running instance. */
static enum wf_rc check_subnets(struct decoder *d)
{
	for (uint32_t i = 0; i < d->c->net_count; i++) {
		struct net_instance *n = d->c->nets[i];

		for (uint32_t t = 0; t < n->net->task_count; t++) {
			const struct activity *activity = n->activities[t];

			if (activity == NULL || !activity->busy ||
			    n->net->tasks[t].kind != WF_COMPOSITE_TASK)
				continue;
			for (uint32_t k = 0; k < activity->instance_count;
			     k++) {
				const struct instance *instance =
				    &activity->instances[k];

				if (instance->status <= WF_ITEM_SUSPENDED &&
				    instance->subnet == NULL)
					return damaged(
					    d, "a sub-net is missing");
			}
		}
	}
	return WF_OK;
}

/* The set of dirty tasks is not stored: the next step examines all. */
static void find_dirty(struct wf_case *c)
{
	for (uint32_t i = 0; i < c->net_count; i++) {
		struct net_instance *n = c->nets[i];

		for (uint32_t t = 0; t < n->net->task_count; t++)
			wf_set_dirty(n, t);
	}
}

static enum wf_rc get_case(struct decoder *d)
{
	struct wf_reader *reader = &d->reader;
	uint32_t last_serial;
	uint32_t previous = 0;
	uint32_t count;
	enum wf_rc rc = WF_OK;

	d->c->status = (uint8_t)wf_get_bounded(reader, WF_CASE_CANCELLED);
	d->c->now = wf_get_signed(reader);
	last_serial = wf_get_bounded(reader, UINT32_MAX);
	d->c->last_choice = wf_get_bounded(reader, UINT32_MAX);
	d->c->last_value = wf_get_bounded(reader, UINT32_MAX);
	if (d->c->spec->has_timer)
		d->c->last_timer = wf_get_bounded(reader, UINT32_MAX);
	count = wf_get_bounded(reader, UINT32_MAX);
	if (reader->bad || count == 0)
		return damaged(d, "its head");
	for (uint32_t i = 0; i < count && rc == WF_OK; i++)
		rc = get_net(d, last_serial, &previous);
	if (rc == WF_OK && !reader->bad && !wf_work_decode(reader, d->c))
		rc = damaged(d, "its work");
	if (rc == WF_OK && !reader->bad && reader->next != reader->end &&
	    !wf_assignments_decode(reader, d->c))
		rc = damaged(d, "who has its items");
	if (rc == WF_OK && (reader->bad || reader->next != reader->end))
		rc = damaged(d, "its length");
	if (rc == WF_OK)
		rc = check_subnets(d);
	d->c->last_serial = last_serial;
	wf_assert(rc != WF_OK || d->c->net_count == count);
	find_dirty(d->c);
	return rc;
}

static enum wf_rc check_bytes(
    const unsigned char *bytes, size_t size, struct wf_error *err)
{
	uint32_t stored = 0;

	if (size < 5)
		return wf_fail(err, WF_CORRUPT, "the stored case is cut off");
	for (unsigned i = 0; i < 4; i++)
		stored |= (uint32_t)bytes[size - 4 + i] << (8 * i);
	if (wf_crc32c(0, bytes, size - 4) != stored)
		return wf_fail(
		    err, WF_CORRUPT, "the stored case has a wrong checksum");
	return WF_OK;
}

enum wf_rc wf_case_decode(struct wf_case **case_out, const struct wf_spec *spec,
    const struct wf_limits *limits, const void *bytes, size_t size,
    const struct wf_value_source *source, struct wf_error *err)
{
	struct decoder d = { .source = source, .err = err };
	const char *id;
	size_t length;
	enum wf_rc rc = check_bytes(bytes, size, err);

	*case_out = NULL;
	if (rc != WF_OK)
		return rc;
	wf_reader_init(&d.reader, bytes, size - 4);
	if (wf_get_number(&d.reader) != FORMAT_VERSION)
		return damaged(&d, "an unknown version of the format");
	if (wf_get_number(&d.reader) != spec->key)
		return wf_fail(err, WF_CORRUPT,
		    "the stored case is not of specification %s", spec->uri);
	id = wf_get_bytes(&d.reader, &length);
	if (d.reader.bad || length == 0 || length > WF_CASE_NAME_BYTES)
		return damaged(&d, "its id");
	d.c = wf_case_new(spec, id, length, limits);
	rc = get_case(&d);
	if (rc == WF_OK)
		*case_out = d.c;
	else
		wf_case_free(&d.c);
	return rc;
}
