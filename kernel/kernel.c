/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way into the kernel: a command becomes a step, kept or taken back.
 *
 * Every step runs in a guard, so a failed assertion (and memory that runs
 * out) refuses the command as a bug and leaves the case as it was.
 */
#include "kernel/kernel.h"
#include "kernel/or_join/or_join_state.h"

/* Decided markings that are remembered between steps. */
#define OR_MEMORY_BYTES 65536U

const struct wf_limits wf_limits_default = {
#define WF_LIMIT_ROW(name, number, greatest, meaning) .name = number,
#include "kernel/limits.def"
#undef WF_LIMIT_ROW
};

void wf_step_init(struct wf_step *step)
{
	memset(step, 0, sizeof(*step));
	wf_buffer_init(&step->events, wf_limits_default.event_bytes);
	step->arena = wf_arena_new();
	step->undo = wf_undo_new(sizeof(struct activity));
	step->or_memory = wf_or_memory_new(OR_MEMORY_BYTES);
}

static void drop_large(struct wf_step *step)
{
	for (size_t i = 0; i < step->large_count; i++)
		wf_value_unref(&step->large[i]);
	step->large_count = 0;
}

void wf_step_free(struct wf_step *step)
{
	drop_large(step);
	wf_free(step->large);
	step->large = NULL;
	step->large_capacity = 0;
	wf_buffer_free(&step->events);
	wf_arena_free(&step->arena);
	wf_undo_free(&step->undo);
	wf_or_memory_free(&step->or_memory);
}

void *wf_step_alloc(struct step *s, size_t size)
{
	s->out->has_worked = true;
	return wf_arena_alloc(s->out->arena, size);
}

struct wf_value *wf_step_own(struct step *s, struct wf_value *value)
{
	/* Dropped whichever way the step ends. */
	wf_undo_reserve(s->c->undo);
	wf_undo_drop(s->c->undo, value, true);
	wf_undo_drop(s->c->undo, value, false);
	return value;
}

static void keep_large(struct wf_step *out, struct wf_value *value)
{
	if (out->large_count == out->large_capacity) {
		size_t capacity = out->large_capacity * 2 + 4;

		out->large =
		    wf_realloc(out->large, capacity * sizeof(*out->large));
		out->large_capacity = capacity;
	}
	out->large[out->large_count++] = wf_value_ref(value);
}

/*
 * Numbers a large value when it first stands in an event, so that a replay
 * counts alike.  A permanent one is copied: its number would be seen by all.
 */
static struct wf_value *number_value(struct step *s, struct wf_value *value)
{
	if (value == NULL || value->length <= WF_VALUE_INLINE ||
	    value->number != 0)
		return value;
	if (value->references == UINT32_MAX)
		value = wf_step_own(s, wf_value_copy(value));
	keep_large(s->out, value);
	value->number = s->c->last_value + 1;
	s->c->last_value = value->number;
	return value;
}

/* What only some events need before they are emitted. */
static __attribute__((noinline)) void prepare(
    struct step *s, struct wf_event *event)
{
	if (s->logs)
		wf_log(s, event);
	for (uint32_t i = 0; i < event->value_count; i++)
		event->values[i].value =
		    number_value(s, event->values[i].value);
}

void wf_emit(struct step *s, struct wf_event *event)
{
	if ((event->value_count | s->logs) != 0)
		prepare(s, event);
	wf_undo_room(s->c->undo, 1);
	wf_event_encode(&s->out->events, event);
	s->out->event_count++;
	if (!wf_apply(s->c, event))
		wf_panic(__FILE__, __LINE__, wf_event_name(event->kind));
}

void wf_emit_task(struct step *s, enum wf_event_kind kind,
    const struct net_instance *n, uint32_t task)
{
	wf_emit_instance(s, kind, n, task, 0);
}

void wf_emit_instance(struct step *s, enum wf_event_kind kind,
    const struct net_instance *n, uint32_t task, uint32_t instance)
{
	struct wf_event event = { .kind = kind };

	event.net = n->serial;
	event.task = task;
	event.instance = instance;
	wf_emit(s, &event);
}

static enum wf_rc launch(struct step *s)
{
	struct wf_event launched = { .kind = WF_EVENT_CASE_LAUNCHED };
	struct wf_event started = { .kind = WF_EVENT_NET_STARTED };
	struct wf_binding *bindings;
	enum wf_rc rc;

	launched.text = s->c->id;
	launched.text_length = s->c->id_length;
	wf_emit(s, &launched);
	if (s->command->described)
		return wf_import(s);
	rc = wf_read_variables(
	    s, s->c->spec->root, true, &bindings, &started.value_count);
	if (rc != WF_OK)
		return rc;
	started.values = bindings;
	wf_emit(s, &started);
	return wf_advance(s, s->c->root);
}

static enum wf_rc suspend_case(struct step *s)
{
	struct wf_event event = { .kind = WF_EVENT_CASE_SUSPENDED };

	if (s->c->status == WF_CASE_SUSPENDED)
		return wf_fail(
		    s->err, WF_CONFLICT, "the case is suspended already");
	wf_emit(s, &event);
	return WF_OK;
}

/* Goes on with every net. */
static enum wf_rc resume_case(struct step *s)
{
	struct wf_event event = { .kind = WF_EVENT_CASE_RESUMED };
	enum wf_rc rc;

	if (s->c->status != WF_CASE_SUSPENDED)
		return wf_fail(
		    s->err, WF_CONFLICT, "the case is not suspended");
	wf_emit(s, &event);
	rc = wf_advance_all(s);
	return rc != WF_OK ? rc : wf_timers_resume(s);
}

static enum wf_rc cancel_case(struct step *s)
{
	struct wf_event ended = { .kind = WF_EVENT_NET_ENDED };
	struct wf_event event = { .kind = WF_EVENT_CASE_CANCELLED };

	wf_cancel_items(s, s->c->root, WF_ITEM_CANCELLED_BY_CASE);
	ended.net = s->c->root->serial;
	ended.status = WF_ITEM_CANCELLED_BY_CASE;
	wf_emit(s, &ended);
	wf_emit(s, &event);
	return WF_OK;
}

static enum wf_rc update_case(struct step *s)
{
	struct wf_event event = { .kind = WF_EVENT_VARIABLES_SET };
	struct wf_binding *bindings;
	enum wf_rc rc;

	if (s->command->data == NULL)
		return wf_fail(s->err, WF_INVALID, "an update needs data");
	rc = wf_read_variables(
	    s, s->c->root->net, false, &bindings, &event.value_count);
	if (rc != WF_OK)
		return rc;
	event.net = s->c->root->serial;
	event.values = bindings;
	wf_emit(s, &event);
	return WF_OK;
}

static enum wf_rc dispatch(struct step *s)
{
	if (s->command->kind == WF_COMMAND_LAUNCH)
		return launch(s);
	if (s->c->status > WF_CASE_SUSPENDED)
		return wf_fail(s->err, WF_CONFLICT, "the case is over");
	switch (s->command->kind) {
	case WF_COMMAND_SUSPEND_CASE:
		return suspend_case(s);
	case WF_COMMAND_RESUME_CASE:
		return resume_case(s);
	case WF_COMMAND_CANCEL_CASE:
		return cancel_case(s);
	case WF_COMMAND_UPDATE_CASE:
		return update_case(s);
	case WF_COMMAND_DECIDE:
		return wf_or_decide(s);
	case WF_COMMAND_EXPIRE:
		return wf_timer_expire(s);
	default:
		return wf_item_command(s);
	}
}

/* What runs inside the guard. */
struct guarded {
	struct step *step;
	enum wf_rc rc;
};

static void run_guarded(void *argument)
{
	struct guarded *guarded = argument;
	struct step *s = guarded->step;

	guarded->rc = dispatch(s);
	if (guarded->rc == WF_OK && s->out->events.full)
		guarded->rc = wf_fail(s->err, WF_LIMIT,
		    "the events of one step are larger than %zu bytes",
		    s->out->events.maximum);
}

static enum wf_rc run(struct wf_case *c, const struct wf_command *command,
    struct wf_step *out, struct wf_error *err)
{
	struct step s = { .c = c, .command = command, .out = out };
	struct guarded guarded = { &s, WF_OK };
	struct wf_guard guard;
	unsigned char head[offsetof(struct wf_case, spec)];

	memcpy(head, c, sizeof(head));
	if (command->now > c->now)
		c->now = command->now;
	s.err = err;
	s.logs = c->spec->has_log;
	s.how.now = c->now;
	s.how.timezone = command->timezone;
	s.how.budget = &s.query_steps;
	s.how.memory = c->limits->query_bytes;
	s.query_steps = c->limits->query_steps;
	out->event_count = 0;
	out->item[0] = '\0';
	out->events.maximum = c->limits->event_bytes;
	wf_buffer_reset(&out->events);
	if (out->has_worked)
		wf_arena_reset(out->arena);
	out->has_worked = false;
	drop_large(out);
	c->own_nets = false;
	c->undo = out->undo;
	c->or_memory = out->or_memory;
	if (!wf_guard_run(&guard, run_guarded, &guarded)) {
		if (err != NULL)
			wf_error_clear(err);
		guarded.rc = wf_fail(err, WF_BUG, "%s", guard.reason);
	}
	c->undo = NULL;
	c->or_memory = NULL;
	if (guarded.rc == WF_OK) {
		wf_undo_keep(out->undo);
		return WF_OK;
	}
	wf_undo_take_back(out->undo);
	memcpy(c, head, sizeof(head));
	out->event_count = 0;
	wf_buffer_reset(&out->events);
	drop_large(out);
	return guarded.rc;
}

static bool is_case_id(const char *id)
{
	size_t length =
	    strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		       "0123456789_-");

	return length >= 1 && length <= 64 && id[length] == '\0';
}

static enum wf_rc check_or_joins(
    const struct wf_spec *spec, struct wf_error *err)
{
	for (uint32_t i = 0; spec->has_or_join && i < spec->decomposition_count;
	     i++) {
		const struct wf_net *net = spec->decompositions[i].net;

		if (net != NULL && !wf_or_joins_fit(net))
			return wf_fail(err, WF_LIMIT,
			    "net %s has too many OR-joins for its size: %u "
			    "tasks and %u conditions",
			    spec->decompositions[i].id, net->task_count,
			    net->condition_count);
	}
	return WF_OK;
}

struct making {
	const struct wf_spec *spec;
	const char *id;
	const struct wf_limits *limits;
	struct wf_case *made;
};

static void make_guarded(void *argument)
{
	struct making *making = argument;

	making->made = wf_case_new(
	    making->spec, making->id, strlen(making->id), making->limits);
}

/* Without memory a launch is refused like any other command. */
static enum wf_rc make_case(struct wf_case **case_out,
    const struct wf_spec *spec, const char *id, const struct wf_limits *limits,
    struct wf_error *err)
{
	struct making making = { spec, id, limits, NULL };
	struct wf_guard guard;

	if (!wf_guard_run(&guard, make_guarded, &making))
		return wf_fail(err, WF_BUG, "%s", guard.reason);
	*case_out = making.made;
	return WF_OK;
}

enum wf_rc wf_case_launch(struct wf_case **case_out, const struct wf_spec *spec,
    const char *id, const struct wf_limits *limits,
    const struct wf_command *command, struct wf_step *step,
    struct wf_error *err)
{
	struct wf_case *c;
	enum wf_rc rc;

	*case_out = NULL;
	wf_assert(spec->magic == WF_SPEC_MAGIC);
	wf_assert(command->kind == WF_COMMAND_LAUNCH);
	if (!is_case_id(id))
		return wf_fail(err, WF_INVALID,
		    "'%s' is no case id: expected 1 to 64 of A-Z a-z 0-9 _ -",
		    id);
	rc = check_or_joins(spec, err);
	if (rc == WF_OK)
		rc = make_case(&c, spec, id, limits, err);
	if (rc != WF_OK)
		return rc;
	c->now = command->now; /* also before 1970 */
	rc = run(c, command, step, err);
	if (rc == WF_OK)
		*case_out = c;
	else
		wf_case_free(&c);
	return rc;
}

enum wf_rc wf_case_step(struct wf_case *instance,
    const struct wf_command *command, struct wf_step *step,
    struct wf_error *err)
{
	wf_assert(instance->magic == WF_CASE_MAGIC);
	if (command->kind == WF_COMMAND_LAUNCH)
		return wf_fail(
		    err, WF_CONFLICT, "the case is launched already");
	return run(instance, command, step, err);
}

/* The numbers of large values are taken, also where the case keeps none. */
static void note_values(struct wf_case *c, const struct wf_event *event)
{
	for (uint32_t i = 0; i < event->value_count; i++) {
		const struct wf_value *value = event->values[i].value;

		if (value != NULL && value->number > c->last_value)
			c->last_value = value->number;
	}
}

static enum wf_rc replay_event(struct wf_case **instance,
    const struct wf_spec *spec, const struct wf_limits *limits, int64_t now,
    const struct wf_event *event, struct wf_error *err)
{
	if (event->kind == WF_EVENT_CASE_LAUNCHED) {
		if (*instance != NULL || event->text_length > 64)
			return wf_fail(err, WF_CORRUPT,
			    "a case is launched in the middle of its history");
		*instance =
		    wf_case_new(spec, event->text, event->text_length, limits);
		(*instance)->now = now;
		return WF_OK;
	}
	if (*instance == NULL)
		return wf_fail(err, WF_CORRUPT,
		    "a history does not begin with the launch of its case");
	if (event->kind != WF_EVENT_NET_STARTED &&
	    event->kind != WF_EVENT_PREDICATE_LOGGED &&
	    (*instance)->root == NULL)
		return wf_fail(err, WF_CORRUPT, "a case has no root net");
	note_values(*instance, event);
	if (!wf_apply(*instance, event))
		return wf_fail(err, WF_CORRUPT,
		    "an event %s does not fit the case it is applied to",
		    wf_event_name(event->kind));
	return WF_OK;
}

enum wf_rc wf_case_replay(struct wf_case **instance, const struct wf_spec *spec,
    const struct wf_limits *limits, int64_t now, const void *events,
    size_t size, const struct wf_value_source *source, struct wf_error *err)
{
	struct wf_error own = { .rc = WF_OK };
	struct wf_error *failure = err == NULL ? &own : err;
	struct wf_event_reader reader;
	const struct wf_event *event;
	enum wf_rc rc = WF_OK;

	if (*instance != NULL && now > (*instance)->now)
		(*instance)->now = now;
	wf_event_reader_init(&reader, events, size, source);
	while (rc == WF_OK && (event = wf_event_next(&reader, failure)) != NULL)
		rc = replay_event(instance, spec, limits, now, event, failure);
	wf_event_reader_free(&reader);
	if (*instance != NULL && (*instance)->root == NULL)
		rc = wf_fail(failure, WF_CORRUPT, "a case has no root net");
	return rc != WF_OK ? rc : failure->rc;
}
