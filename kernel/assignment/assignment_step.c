/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a step that is about people: it asks for decisions, and turns
 * them into events.
 */
#include "kernel/assignment/assignment_state.h"
#include "kernel/kernel.h"

static enum wf_resource_status status_of(const struct target *target)
{
	const struct assignment *assignment = wf_assignment_of(target);

	return assignment == NULL ? WF_RESOURCE_NONE : assignment->seen.status;
}

static void emit_about(struct step *s, enum wf_event_kind kind,
    const struct target *target, uint32_t number, const char *text)
{
	struct wf_event event = { .kind = kind };

	event.net = target->net->serial;
	event.task = target->task->number;
	event.instance =
	    target->instance == NULL ? 0 : target->instance->number;
	event.number = number;
	event.text = text;
	event.text_length = strlen(text);
	wf_assert(event.text_length > 0);
	wf_emit(s, &event);
	/* In another state, other steps of the rules come next. */
	if (kind == WF_EVENT_ITEM_UNOFFERED || kind == WF_EVENT_ITEM_OFFERED ||
	    kind == WF_EVENT_ITEM_ALLOCATED || kind == WF_EVENT_ITEM_TAKEN)
		wf_alarm_set(s, target);
}

static const char *actor_of(const struct step *s)
{
	return s->command->participant == NULL ? "" : s->command->participant;
}

struct wf_people_question wf_people_ask(const struct step *s,
    const struct target *target, enum wf_people_subject subject,
    struct wf_item *item)
{
	wf_describe_item(
	    s->c, target->net, target->activity, target->instance, item);
	return (struct wf_people_question){ .subject = subject,
		.instance = s->c,
		.key = s->command->key,
		.item = item,
		.net = target->net->serial,
		.number =
		    target->instance == NULL ? 0 : target->instance->number,
		.actor = actor_of(s),
		.deputy = s->command->deputy == NULL ? "" : s->command->deputy,
		.targets =
		    s->command->targets == NULL ? "" : s->command->targets,
		.is_forced = s->command->is_forced,
		.drops_data = s->command->drops_data,
		.is_administrator = s->command->is_administrator,
		.now = s->c->now,
		.calendar = s->command->calendar != NULL
				? s->command->calendar
				: wf_calendar_weekdays() };
}

void wf_people_emit_answer(struct step *s, const struct target *target,
    const struct wf_people_answer *answer)
{
	switch (answer->status) {
	case WF_RESOURCE_UNOFFERED:
		emit_about(s, WF_EVENT_ITEM_UNOFFERED, target,
		    answer->unoffered, answer->reason);
		break;
	case WF_RESOURCE_OFFERED:
		emit_about(
		    s, WF_EVENT_ITEM_OFFERED, target, 0, answer->audience);
		break;
	case WF_RESOURCE_ALLOCATED:
	case WF_RESOURCE_STARTED:
		if (answer->facts != NULL)
			emit_about(
			    s, WF_EVENT_FACTS_USED, target, 0, answer->facts);
		emit_about(s, WF_EVENT_ITEM_ALLOCATED, target, answer->cause,
		    answer->participant);
		break;
	case WF_RESOURCE_NONE:
		wf_panic(__FILE__, __LINE__, "no decision");
	}
}

/* Asks, and emits what was decided, but for the start of the item. */
static struct wf_people_answer decide(
    struct step *s, const struct target *target, enum wf_people_subject subject)
{
	const struct wf_people_calls *people = s->command->people;
	struct wf_people_answer answer = { .status = WF_RESOURCE_NONE };
	struct wf_people_question question;
	struct wf_item item;

	wf_assert(people != NULL);
	question = wf_people_ask(s, target, subject, &item);
	s->out->has_worked = true;
	people->decide(people->context, &question, s->out->arena, &answer);
	wf_people_emit_answer(s, target, &answer);
	wf_urgency_begin(s, target);
	return answer;
}

/* --- what an item needs beside its participant ---------------------------- */

/*
 * Makes busy what the item needs that is about to be started by the
 * participant; *busy_out: the text for note_busy().  WF_CONFLICT: it must wait.
 */
static enum wf_rc occupy(struct step *s, const struct target *target,
    const char *participant, const char **busy_out, struct wf_error *err)
{
	const struct wf_people_calls *people = s->command->people;
	const struct assignment *assignment = wf_assignment_of(target);
	struct wf_people_question question;
	struct wf_item item;

	*busy_out = "";
	/* What is busy with the item stays so for its next holder. */
	if (people->occupy == NULL ||
	    (assignment != NULL && assignment->seen.busy[0] != '\0'))
		return WF_OK;
	question = wf_people_ask(s, target, WF_PEOPLE_NEW, &item);
	question.actor = participant;
	s->out->has_worked = true;
	return people->occupy(
	    people->context, &question, s->out->arena, busy_out, err);
}

static void note_busy(
    struct step *s, const struct target *target, const char *busy)
{
	if (busy[0] == '\0')
		return;
	emit_about(s, WF_EVENT_RESOURCES_TAKEN, target, 0, busy);
	s->logs |= STEP_RELEASES;
}

void wf_people_release(struct step *s, const struct wf_event *event)
{
	struct target target = { .net = wf_net_instance(s->c, event->net) };

	if (event->kind != WF_EVENT_INSTANCE_ENDED &&
	    event->kind != WF_EVENT_TASK_EXITED &&
	    event->kind != WF_EVENT_ITEM_UNOFFERED &&
	    event->kind != WF_EVENT_ITEM_OFFERED &&
	    event->kind != WF_EVENT_ITEM_ALLOCATED)
		return;
	target.activity = target.net->activities[event->task];
	target.task = wf_task_of(target.net, event->task);
	if (event->instance != 0)
		target.instance =
		    wf_activity_instance(target.activity, event->instance);
	if (target.instance == NULL || wf_assignment_of(&target) == NULL ||
	    wf_assignment_of(&target)->seen.busy[0] == '\0')
		return;
	emit_about(s, WF_EVENT_RESOURCES_RELEASED, &target, 0,
	    wf_arena_strdup(
		s->out->arena, wf_assignment_of(&target)->seen.busy));
	s->out->has_worked = true;
}

/* --- new items ------------------------------------------------------------ */

/* Whether the items of a task are for people, in this step. */
static bool is_for_people(const struct step *s, const struct wf_task *task)
{
	return task->is_for_people && s->command->people != NULL;
}

/*
 * Starts an enabled item for the participant who has it.  When its input cannot
 * be made, the item stays allocated and the history says why.
 */
static enum wf_rc start_for(struct step *s, struct target *target,
    const struct wf_people_answer *answer)
{
	struct wf_error *err = s->err;
	struct wf_error failure = { .rc = WF_OK };
	const char *busy;
	enum wf_rc rc;

	wf_assert(target->instance == NULL);
	rc = occupy(s, target, answer->participant, &busy, &failure);
	if (rc == WF_CONFLICT) {
		emit_about(
		    s, WF_EVENT_START_FAILED, target, 0, failure.message);
		return WF_OK;
	}
	s->err = &failure;
	if (rc == WF_OK)
		rc = wf_fire(s, target->net, target->task->number);
	s->err = err;
	if (rc == WF_DATA) {
		emit_about(
		    s, WF_EVENT_START_FAILED, target, 0, failure.message);
		return WF_OK;
	}
	if (rc != WF_OK)
		return wf_fail(err, rc, "%s", failure.message);
	target->activity = target->net->activities[target->task->number];
	target->instance = &target->activity->instances[0];
	emit_about(
	    s, WF_EVENT_ITEM_TAKEN, target, answer->cause, answer->participant);
	note_busy(s, target, busy);
	if (target->task->timer == NULL)
		return WF_OK;
	return wf_timer_start(
	    s, target->net, target->task->number, target->instance->number);
}

struct wf_people_answer *wf_people_enabled(
    struct step *s, struct net_instance *n, uint32_t task)
{
	struct target target = { n, n->activities[task], NULL,
		wf_task_of(n, task) };
	struct wf_people_answer *answer;

	if (!is_for_people(s, target.task) ||
	    target.activity->first.assignment != NULL)
		return NULL;
	answer = wf_step_alloc(s, sizeof(*answer));
	*answer = decide(s, &target, WF_PEOPLE_NEW);
	return answer->status == WF_RESOURCE_STARTED ? answer : NULL;
}

enum wf_rc wf_people_start(struct step *s, struct net_instance *n,
    uint32_t task, const struct wf_people_answer *answer)
{
	struct target target = { n, n->activities[task], NULL,
		wf_task_of(n, task) };

	wf_assert(answer->status == WF_RESOURCE_STARTED);
	return start_for(s, &target, answer);
}

/* Starts an instance, if it is not executing yet, for the participant. */
static enum wf_rc start_instance(struct step *s, const struct target *target,
    const struct wf_people_answer *answer)
{
	struct wf_error failure = { .rc = WF_OK };
	const char *busy;
	enum wf_rc rc = occupy(s, target, answer->participant, &busy, &failure);

	if (rc == WF_CONFLICT) {
		emit_about(
		    s, WF_EVENT_START_FAILED, target, 0, failure.message);
		return WF_OK;
	}
	if (rc != WF_OK)
		return wf_fail(s->err, rc, "%s", failure.message);
	if (target->instance->status == WF_ITEM_FIRED)
		wf_emit_instance(s, WF_EVENT_INSTANCE_STARTED, target->net,
		    target->task->number, target->instance->number);
	emit_about(
	    s, WF_EVENT_ITEM_TAKEN, target, answer->cause, answer->participant);
	note_busy(s, target, busy);
	return WF_OK;
}

/* The service that has an instance of the task; NULL: none has. */
static const char *service_of(const struct activity *activity)
{
	for (uint32_t i = 0; i < activity->instance_count; i++) {
		const struct assignment *assignment =
		    activity->instances[i].assignment;

		if (wf_assignment_is_served(assignment))
			return assignment->seen.service;
	}
	return NULL;
}

enum wf_rc wf_people_created(
    struct step *s, struct net_instance *n, uint32_t task, uint32_t number)
{
	struct target target = { n, n->activities[task], NULL,
		wf_task_of(n, task) };
	struct wf_people_answer answer;
	const char *service;
	enum wf_rc rc;

	target.instance = wf_activity_instance(target.activity, number);
	wf_assert(target.instance != NULL);
	if (!is_for_people(s, target.task))
		return WF_OK;
	/* A service that has an item of the task gets its further instances. */
	service = s->c->served_count == 0 ? NULL : service_of(target.activity);
	if (service != NULL) {
		emit_about(s, WF_EVENT_ITEM_REDIRECTED, &target, 0,
		    wf_arena_strdup(s->out->arena, service));
		return WF_OK;
	}
	answer = decide(s, &target, WF_PEOPLE_NEW);
	if (answer.status != WF_RESOURCE_STARTED)
		return WF_OK;
	rc = start_instance(s, &target, &answer);
	return rc != WF_OK || target.task->timer == NULL ||
		       target.instance->status == WF_ITEM_FIRED
		   ? rc
		   : wf_timer_start(s, n, task, number);
}

/* --- commands ------------------------------------------------------------- */

#define FROM(status) (1U << WF_RESOURCE_##status)

static const struct move {
	const char *word; /* NULL: the command is not about people */
	const char *need;
	bool only_people;
	uint8_t from; /* set of enum wf_resource_status */
} moves[WF_COMMAND_COUNT] = {
#define ALL false
#define PEOPLE true
#define WF_ASSIGNMENT_MOVE(command, only_people, from, word, need)             \
	[WF_COMMAND_##command] = { word, need, only_people, from },
#include "kernel/assignment/assignment_moves.def"
#undef WF_ASSIGNMENT_MOVE
#undef ALL
#undef PEOPLE
};

const char *wf_assignment_need(enum wf_command_kind command,
    enum wf_resource_status status, bool by_participant)
{
	const struct move *move = &moves[command];

	return move->word == NULL || (move->only_people && !by_participant) ||
		       (move->from >> status & 1) != 0
		   ? NULL
		   : move->need;
}

/* Whether the command cannot be given, as the item is not for people. */
static bool lacks_people(const struct step *s)
{
	const struct move *move = &moves[s->command->kind];

	return (s->command->participant != NULL && !s->command->may_serve) ||
	       (move->word != NULL && !move->only_people);
}

/*
 * Whether a service has the item, and the command is none that is about people:
 * those bring it back, and so does a start by force for a participant.
 */
static bool is_served(const struct step *s, const struct target *target)
{
	bool brings_back = s->command->kind == WF_COMMAND_START &&
			   s->command->participant != NULL &&
			   s->command->is_forced;

	return wf_assignment_is_served(wf_assignment_of(target)) &&
	       !lacks_people(s) && !brings_back;
}

static enum wf_rc check(struct step *s, const struct target *target)
{
	const struct wf_people_calls *people = s->command->people;
	enum wf_command_kind kind = s->command->kind;
	enum wf_resource_status status = status_of(target);
	const char *need =
	    wf_assignment_need(kind, status, s->command->participant != NULL);
	struct wf_people_question question;
	struct wf_item item;

	if (need != NULL && !s->command->is_forced)
		return wf_fail(s->err, WF_CONFLICT,
		    "work item %s is %s; only one that is %s can be %s",
		    s->command->item, wf_resource_status_name(status), need,
		    moves[kind].word);
	question = wf_people_ask(s, target, WF_PEOPLE_NEW, &item);
	return people->check(people->context, kind, &question, s->err);
}

static enum wf_assignment_cause cause_of_start(const struct wf_command *command)
{
	if (command->is_forced)
		return WF_CAUSE_ADMINISTRATOR;
	return command->is_pile ? WF_CAUSE_PILED : WF_CAUSE_ACCEPTED;
}

/* Who starts the item now, and what is busy with it from now on. */
static enum wf_rc note_start(struct step *s, const struct target *target)
{
	const char *busy;
	enum wf_rc rc =
	    occupy(s, target, s->command->participant, &busy, s->err);

	if (rc != WF_OK)
		return rc;
	emit_about(s, WF_EVENT_ITEM_TAKEN, target, cause_of_start(s->command),
	    s->command->participant);
	note_busy(s, target, busy);
	return WF_OK;
}

/* The item has not moved yet, so its assignment goes with it. */
static enum wf_rc note_actor(struct step *s, const struct target *target)
{
	enum wf_command_kind kind = s->command->kind;
	enum wf_rc rc = WF_OK;

	if (kind == WF_COMMAND_ROLLBACK &&
	    status_of(target) == WF_RESOURCE_STARTED)
		emit_about(s, WF_EVENT_ITEM_ALLOCATED, target,
		    WF_CAUSE_ROLLED_BACK,
		    wf_assignment_of(target)->seen.holder);
	if (s->command->participant == NULL)
		return WF_OK;
	if (kind == WF_COMMAND_START || kind == WF_COMMAND_FINISH)
		rc = note_start(s, target);
	if (rc != WF_OK)
		return rc;
	if (kind == WF_COMMAND_COMPLETE || kind == WF_COMMAND_FINISH ||
	    kind == WF_COMMAND_SKIP)
		emit_about(s, WF_EVENT_ITEM_DONE_BY, target,
		    kind == WF_COMMAND_SKIP, s->command->participant);
	if (s->command->deputy != NULL &&
	    (kind == WF_COMMAND_COMPLETE || kind == WF_COMMAND_FINISH ||
		kind == WF_COMMAND_SKIP))
		emit_about(
		    s, WF_EVENT_ITEM_DONE_FOR, target, 0, s->command->deputy);
	return WF_OK;
}

bool wf_people_may_take(const struct step *s, const struct target *target)
{
	enum wf_resource_status status = status_of(target);

	return s->command->people != NULL && s->command->participant != NULL &&
	       (status == WF_RESOURCE_OFFERED ||
		   status == WF_RESOURCE_ALLOCATED ||
		   (status == WF_RESOURCE_STARTED && s->command->is_forced));
}

enum wf_rc wf_people_before(struct step *s, const struct target *target)
{
	enum wf_rc rc;

	if (is_served(s, target))
		return WF_OK;
	if (status_of(target) == WF_RESOURCE_NONE &&
	    !is_for_people(s, target->task))
		return !lacks_people(s) ? WF_OK
					: wf_fail(s->err, WF_CONFLICT,
					      "work item %s is not for people",
					      s->command->item);
	rc = check(s, target);
	return rc == WF_OK ? note_actor(s, target) : rc;
}

/* Starts the item if the decision says so. */
static enum wf_rc carry_out(struct step *s, struct target *target,
    const struct wf_people_answer *answer)
{
	enum wf_rc rc;

	if (answer->status != WF_RESOURCE_STARTED)
		return WF_OK;
	if (target->instance == NULL) {
		if (!wf_task_has_inputs(target->net, target->task->number))
			return WF_OK;
		rc = start_for(s, target, answer);
		return rc != WF_OK ? rc : wf_advance(s, target->net);
	}
	return start_instance(s, target, answer);
}

static enum wf_rc decide_and_carry_out(
    struct step *s, struct target *target, enum wf_people_subject subject)
{
	struct wf_people_answer answer = decide(s, target, subject);

	return carry_out(s, target, &answer);
}

static const char *holder_of(const struct target *target)
{
	const struct assignment *assignment = wf_assignment_of(target);

	return assignment == NULL ? "" : assignment->seen.holder;
}

static enum wf_rc pass_on(struct step *s, const struct target *target)
{
	bool delegates = s->command->kind == WF_COMMAND_DELEGATE;
	const char *to = s->command->targets;

	wf_assert(delegates || s->command->kind == WF_COMMAND_REALLOCATE);
	if (to == NULL || to[0] == '\0' || strchr(to, ',') != NULL)
		return wf_fail(s->err, WF_INVALID,
		    "expected the participant who gets work item %s",
		    s->command->item);
	if (holder_of(target)[0] != '\0')
		emit_about(s, WF_EVENT_ITEM_PASSED_ON, target,
		    delegates		     ? WF_PASSED_ON_DELEGATED
		    : s->command->drops_data ? WF_PASSED_ON_WITHOUT_DATA
					     : WF_PASSED_ON_WITH_DATA,
		    holder_of(target));
	if (delegates)
		emit_about(
		    s, WF_EVENT_ITEM_ALLOCATED, target, WF_CAUSE_DELEGATED, to);
	else
		emit_about(
		    s, WF_EVENT_ITEM_TAKEN, target, WF_CAUSE_REALLOCATED, to);
	return WF_OK;
}

static enum wf_rc chain(struct step *s, struct target *target)
{
	struct wf_people_answer answer = { .status = WF_RESOURCE_STARTED,
		.cause = WF_CAUSE_CHAINED,
		.participant = actor_of(s) };
	struct wf_event event = { .kind = WF_EVENT_CASE_CHAINED,
		.text = actor_of(s),
		.text_length = strlen(actor_of(s)) };

	if (event.text_length == 0)
		return wf_fail(
		    s->err, WF_INVALID, "only a participant can chain a case");
	if (wf_case_chained(s->c)[0] != '\0')
		return wf_fail(s->err, WF_CONFLICT,
		    "the case is chained to '%.60s' already",
		    wf_case_chained(s->c));
	wf_emit(s, &event);
	emit_about(s, WF_EVENT_ITEM_ALLOCATED, target, WF_CAUSE_CHAINED,
	    answer.participant);
	return carry_out(s, target, &answer);
}

static enum wf_rc set_needs(struct step *s, const struct target *target)
{
	const char *needs = s->command->targets;

	if (needs == NULL || needs[0] == '\0' ||
	    strlen(needs) > WF_AUDIENCE_BYTES)
		return wf_fail(s->err, WF_INVALID,
		    "expected what work item %s needs, in at most %u bytes",
		    s->command->item, WF_AUDIENCE_BYTES);
	emit_about(s, WF_EVENT_RESOURCES_SET, target, 0, needs);
	return WF_OK;
}

static enum wf_rc redirect(struct step *s, const struct target *target)
{
	const char *service = s->command->targets;

	if (service == NULL || service[0] == '\0' ||
	    strlen(service) > WF_SERVICE_URI_BYTES)
		return wf_fail(s->err, WF_INVALID,
		    "expected the URI of the service that gets work item %s",
		    s->command->item);
	emit_about(s, WF_EVENT_ITEM_REDIRECTED, target, 0, service);
	return WF_OK;
}

enum wf_rc wf_people_unchain(struct step *s)
{
	struct wf_event event = { .kind = WF_EVENT_CASE_UNCHAINED };

	event.text = wf_arena_strdup(s->out->arena, wf_case_chained(s->c));
	event.text_length = strlen(event.text);
	s->out->has_worked = true;
	if (event.text_length == 0)
		return wf_fail(s->err, WF_CONFLICT, "the case is not chained");
	if (!s->command->is_administrator && s->command->participant != NULL &&
	    strcmp(s->command->participant, event.text) != 0)
		return wf_fail(s->err, WF_DENIED,
		    "the case is chained to '%.60s'", event.text);
	wf_emit(s, &event);
	return WF_OK;
}

enum wf_rc wf_people_command(struct step *s, struct target *target)
{
	if (s->command->people == NULL)
		return wf_fail(s->err, WF_CONFLICT,
		    "work item %s is not for people", s->command->item);
	switch (s->command->kind) {
	case WF_COMMAND_DISTRIBUTE:
		return decide_and_carry_out(s, target, WF_PEOPLE_NEW);
	case WF_COMMAND_OFFER:
		return decide_and_carry_out(s, target, WF_PEOPLE_OFFER);
	case WF_COMMAND_ALLOCATE:
		return decide_and_carry_out(s, target, WF_PEOPLE_ALLOCATE);
	case WF_COMMAND_ACCEPT:
		return decide_and_carry_out(s, target, WF_PEOPLE_ACCEPT);
	case WF_COMMAND_DEALLOCATE:
		emit_about(
		    s, WF_EVENT_ITEM_RETURNED, target, 0, holder_of(target));
		return decide_and_carry_out(s, target, WF_PEOPLE_RETURNED);
	case WF_COMMAND_DELEGATE:
	case WF_COMMAND_REALLOCATE:
		return pass_on(s, target);
	case WF_COMMAND_CHAIN:
		return chain(s, target);
	case WF_COMMAND_SET_NEEDS:
		return set_needs(s, target);
	case WF_COMMAND_REDIRECT:
		return redirect(s, target);
	case WF_COMMAND_UNOFFER:
		emit_about(s, WF_EVENT_ITEM_UNOFFERED, target,
		    WF_UNOFFERED_GONE,
		    "those who had the item, or were offered it, are "
		    "participants no more");
		return WF_OK;
	default:
		wf_panic(__FILE__, __LINE__, "no command about people");
	}
}
