/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entry points of the kernel: a command becomes a step, which is kept or
 * undone.
 *
 *   run()              wf_emit()            dispatch() returned WF_OK
 *   idle ----> running ----+                  wf_undo_keep()
 *                ^  |      |  encode, apply       +-----------> kept
 *                +--+------+----------------------+
 *                                                 +-----------> undone
 *                              refused, or an assertion failed
 *                                wf_undo_take_back()
 *
 * Every step runs in a guard, so a failed assertion or an allocation that
 * fails refuses the command with WF_BUG and leaves the case unchanged.
 */
#include "kernel/kernel.h"
#include "kernel/or_join/or_join.h"

/* Size of the cache of OR-join decisions, which survives steps. */
#define OR_MEMORY_BYTES 65536U

void wf_step_init(struct wf_step *step)
{
	memset(step, 0, sizeof(*step));
	step->magic = WF_STEP_MAGIC;
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

const uint32_t *wf_step_ended_alarms(
    const struct wf_step *step, size_t *count_out)
{
	wf_assert(step->magic == WF_STEP_MAGIC);
	*count_out = step->undo->note_count;
	return step->undo->notes;
}

static __attribute__((noinline)) enum wf_rc launch(struct step *s)
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

/*
 * The reason of a command.  Those that end an item have it in an event about
 * the item; those that may start one have a text for the log instead.
 */
static __attribute__((noinline)) void state_reason(struct step *s)
{
	struct wf_event event = { .kind = WF_EVENT_REASON_STATED,
		.text = s->command->reason,
		.text_length = strlen(s->command->reason) };

	switch (s->command->kind) {
	case WF_COMMAND_SKIP:
	case WF_COMMAND_ROLLBACK:
	case WF_COMMAND_SUSPEND_ITEM:
	case WF_COMMAND_RESUME_ITEM:
	case WF_COMMAND_SUSPEND_CASE:
	case WF_COMMAND_RESUME_CASE:
	case WF_COMMAND_CANCEL_CASE:
	case WF_COMMAND_UPDATE_CASE:
	case WF_COMMAND_REPAIR:
	case WF_COMMAND_MIGRATE:
	case WF_COMMAND_DISTRIBUTE:
	case WF_COMMAND_OFFER:
	case WF_COMMAND_ALLOCATE:
	case WF_COMMAND_DEALLOCATE:
	case WF_COMMAND_DELEGATE:
	case WF_COMMAND_REALLOCATE:
	case WF_COMMAND_REDIRECT:
		if (event.text_length > 0)
			wf_emit(s, &event);
		break;
	default:
		break;
	}
}

/* The first step of a case that was migrated: its state, then it goes on. */
static __attribute__((noinline)) enum wf_rc arrive(struct step *s)
{
	struct wf_event migrated = { .kind = WF_EVENT_CASE_MIGRATED };
	struct wf_event revived = { .kind = WF_EVENT_CASE_REVIVED };
	enum wf_rc rc = WF_OK;

	migrated.text = s->command->data;
	migrated.text_length = s->command->length;
	wf_emit(s, &migrated);
	if (s->command->reason != NULL)
		state_reason(s);
	if (s->c->status == WF_CASE_DEADLOCKED)
		wf_emit(s, &revived);
	for (uint32_t i = 0; i < s->c->net_count && rc == WF_OK; i++)
		if (s->c->status == WF_CASE_RUNNING && !s->c->nets[i]->stuck)
			rc = wf_check_is_marked(s, s->c->nets[i]);
	if (rc == WF_OK && s->c->status == WF_CASE_SUSPENDED)
		wf_withdraw_disabled(s);
	if (rc == WF_OK)
		rc = wf_advance_all(s);
	if (rc == WF_OK && s->c->status == WF_CASE_DEADLOCKED)
		rc = wf_fail(s->err, WF_CONFLICT,
		    "the case would be deadlocked: nothing could happen in it");
	return rc;
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

/* Continues every net, then lets timers act that expired meanwhile. */
static enum wf_rc resume_case(struct step *s)
{
	struct wf_event event = { .kind = WF_EVENT_CASE_RESUMED };
	enum wf_rc rc;

	if (s->c->status != WF_CASE_SUSPENDED)
		return wf_fail(
		    s->err, WF_CONFLICT, "the case is not suspended");
	wf_emit(s, &event);
	rc = wf_advance_all(s);
	if (rc == WF_OK)
		rc = wf_timers_resume(s);
	if (rc == WF_OK)
		wf_alarms_resume(s);
	return rc;
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

static enum wf_rc fail_ended(const struct step *s)
{
	if (s->c->status == WF_CASE_DEADLOCKED)
		return wf_fail(s->err, WF_CONFLICT,
		    "the case is deadlocked: nothing in it can happen; it can "
		    "be repaired, migrated or cancelled");
	return wf_fail(s->err, WF_CONFLICT, "the case is over");
}

/* What can be done about a deadlocked case. */
static bool is_way_out(enum wf_command_kind kind)
{
	return kind == WF_COMMAND_CANCEL_CASE || kind == WF_COMMAND_REPAIR ||
	       kind == WF_COMMAND_MIGRATE;
}

/* What is rare is not inlined here: each step comes this way. */
static enum wf_rc dispatch(struct step *s)
{
	if (s->command->kind == WF_COMMAND_LAUNCH)
		return launch(s);
	if (s->c->status > WF_CASE_SUSPENDED &&
	    (s->c->status != WF_CASE_DEADLOCKED ||
		!is_way_out(s->command->kind)))
		return fail_ended(s);
	if (s->command->reason != NULL &&
	    s->command->kind != WF_COMMAND_MIGRATE)
		state_reason(s);
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
	case WF_COMMAND_UNCHAIN:
		return wf_people_unchain(s);
	case WF_COMMAND_REPAIR:
		return wf_repair(s);
	case WF_COMMAND_MIGRATE:
		return s->command->described ? arrive(s) : wf_migrate(s);
	case WF_COMMAND_ALARM:
		return wf_alarm_ring(s);
	default:
		return wf_item_command(s);
	}
}

/* --- bounds of one step --------------------------------------------------- */

/* What a unit of work, a step of a query, buys of other things. */
#define WORK_PER_FIRING 25U
#define BYTES_PER_WORK 16U
#define SEARCH_PER_WORK 10U
/* Elementary steps of all searches for OR-joins in one step. */
#define SEARCH_MAXIMUM UINT64_C(1000000000)
#define WORK_MAXIMUM (UINT64_MAX / BYTES_PER_WORK)

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint32_t firings_of(const struct step *s)
{
	uint64_t work = least(s->out->work_maximum, WORK_MAXIMUM);

	return (uint32_t)least(
	    s->c->limits->firings, work / WORK_PER_FIRING + 1);
}

/* The limits of the case, or less. */
static void set_bounds(struct step *s)
{
	const struct wf_limits *limits = s->c->limits;
	struct wf_step *out = s->out;
	uint64_t work = least(out->work_maximum, WORK_MAXIMUM);

	s->how.cancelled = out->cancelled;
	s->query_steps = least(limits->query_steps, work);
	s->firings_left = firings_of(s);
	out->events.maximum = least(limits->event_bytes, work * BYTES_PER_WORK);
	wf_or_memory_bound(
	    out->or_memory, least(SEARCH_MAXIMUM, work * SEARCH_PER_WORK));
}

/* Counts the work; WF_LIMIT also when a bound was reached unnoticed. */
static enum wf_rc check_bounds(struct step *s, enum wf_rc rc)
{
	struct wf_step *out = s->out;
	uint32_t firings = firings_of(s);
	uint64_t given = least(s->c->limits->query_steps, out->work_maximum);

	wf_assert(s->query_steps <= given && s->firings_left <= firings);
	out->work = given - s->query_steps +
		    (uint64_t)(firings - s->firings_left) * WORK_PER_FIRING +
		    out->events.length / BYTES_PER_WORK +
		    wf_or_memory_work(out->or_memory) / SEARCH_PER_WORK;
	if (rc == WF_OK && wf_or_memory_is_spent(out->or_memory))
		rc = wf_fail(s->err, WF_LIMIT,
		    "the searches for the OR-joins of one step take more than "
		    "%llu elementary steps",
		    (unsigned long long)SEARCH_MAXIMUM);
	/* A log text, whose failure is no error, may have used them up. */
	if (rc == WF_OK && s->query_steps == 0)
		rc = wf_fail(s->err, WF_LIMIT,
		    "the queries of the step take more steps than are allowed");
	out->exceeded = rc == WF_LIMIT;
	return rc;
}

/* --- one step ------------------------------------------------------------- */

/* The part of a step that runs inside the guard. */
struct guarded {
	struct step *step;
	enum wf_rc rc;
};

static void run_guarded(void *argument)
{
	struct guarded *guarded = argument;
	struct step *s = guarded->step;
	const struct wf_buffer *events = &s->out->events;

	guarded->rc = dispatch(s);
	/* The buffer may have got its size under a larger maximum. */
	if (guarded->rc == WF_OK &&
	    (events->full || events->length > events->maximum))
		guarded->rc = wf_fail(s->err, WF_LIMIT,
		    "the events of one step are larger than %zu bytes",
		    events->maximum);
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
	s.logs = c->spec->asks;
	if (c->busy_count > 0)
		s.logs |= STEP_RELEASES;
	s.how.now = c->now;
	s.how.timezone = command->timezone;
	s.how.budget = &s.query_steps;
	s.how.memory = c->limits->query_bytes;
	s.query_steps = c->limits->query_steps;
	s.firings_left = c->limits->firings;
	out->events.maximum = c->limits->event_bytes;
	if (out->work_maximum > 0)
		set_bounds(&s);
	out->event_count = 0;
	out->item[0] = '\0';
	out->undo->note_count = 0;
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
	if (out->work_maximum > 0)
		guarded.rc = check_bounds(&s, guarded.rc);
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

	return length >= 1 && length <= WF_CASE_NAME_BYTES &&
	       id[length] == '\0';
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

/* Guarded, so that a launch without memory is refused like other commands. */
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
	step->exceeded = false;
	step->work = 0;
	wf_assert(spec->magic == WF_SPEC_MAGIC);
	wf_assert(command->kind == WF_COMMAND_LAUNCH);
	if (!is_case_id(id))
		return wf_fail(err, WF_INVALID,
		    "'%s' is no case id: expected 1 to %u of A-Z a-z 0-9 _ -",
		    id, WF_CASE_NAME_BYTES);
	rc = check_or_joins(spec, err);
	if (rc == WF_OK)
		rc = make_case(&c, spec, id, limits, err);
	if (rc != WF_OK)
		return rc;
	c->now = command->now; /* a time before 1970 is below 0 */
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
	if (command->kind == WF_COMMAND_LAUNCH) {
		step->exceeded = false;
		return wf_fail(
		    err, WF_CONFLICT, "the case is launched already");
	}
	return run(instance, command, step, err);
}

enum wf_rc wf_case_arrive(struct wf_case *made,
    const struct wf_command *command, const struct wf_buffer *state,
    struct wf_step *step, struct wf_error *err)
{
	struct wf_command own = *command;

	own.kind = WF_COMMAND_MIGRATE;
	own.migration = NULL;
	own.described = true;
	own.data = state->data;
	own.length = state->length;
	return run(made, &own, step, err);
}

/* Counts the numbers of large values, even if the case keeps no value. */
static void count_values(struct wf_case *c, const struct wf_event *event)
{
	for (uint32_t i = 0; i < event->value_count; i++) {
		const struct wf_value *value = event->values[i].value;

		if (value != NULL && value->number > c->last_value)
			c->last_value = value->number;
	}
}

/* The case goes on as one of another specification. */
static enum wf_rc replay_migration(struct wf_case **instance,
    const struct wf_spec *spec, const struct wf_limits *limits,
    const struct wf_event *event, const struct wf_value_source *source,
    struct wf_error *err)
{
	struct wf_case *migrated;
	enum wf_rc rc = wf_case_decode(&migrated, spec, limits, event->text,
	    event->text_length, source, err);

	if (rc != WF_OK)
		return rc;
	if (strcmp(migrated->id, (*instance)->id) != 0) {
		wf_case_free(&migrated);
		return wf_fail(err, WF_CORRUPT,
		    "a case is migrated to the state of another one");
	}
	/* As in the step, in which the time had come already. */
	if ((*instance)->now > migrated->now)
		migrated->now = (*instance)->now;
	wf_case_free(instance);
	*instance = migrated;
	return WF_OK;
}

static enum wf_rc replay_event(struct wf_case **instance,
    const struct wf_spec *spec, const struct wf_limits *limits, int64_t now,
    const struct wf_event *event, const struct wf_value_source *source,
    struct wf_error *err)
{
	if (event->kind == WF_EVENT_CASE_LAUNCHED) {
		if (*instance != NULL ||
		    event->text_length > WF_CASE_NAME_BYTES)
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
	if (event->kind == WF_EVENT_CASE_MIGRATED)
		return replay_migration(
		    instance, spec, limits, event, source, err);
	if ((*instance)->spec != spec)
		return wf_fail(err, WF_CORRUPT,
		    "an event is of another specification than its case");
	if (event->kind != WF_EVENT_NET_STARTED &&
	    event->kind != WF_EVENT_PREDICATE_LOGGED &&
	    (*instance)->root == NULL)
		return wf_fail(err, WF_CORRUPT, "a case has no root net");
	count_values(*instance, event);
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

	if (*instance != NULL) {
		wf_assert((*instance)->magic == WF_CASE_MAGIC);
		wf_assert((*instance)->undo == NULL);
	}
	if (*instance != NULL && now > (*instance)->now)
		(*instance)->now = now;
	wf_event_reader_init(&reader, events, size, source);
	while (rc == WF_OK && (event = wf_event_next(&reader, failure)) != NULL)
		rc = replay_event(
		    instance, spec, limits, now, event, source, failure);
	wf_event_reader_free(&reader);
	if (*instance != NULL && (*instance)->root == NULL)
		rc = wf_fail(failure, WF_CORRUPT, "a case has no root net");
	return rc != WF_OK ? rc : failure->rc;
}
