/* SPDX-License-Identifier: Apache-2.0 */
#include "people/decision.h"

#include <string.h>

#include "base/codec.h"
#include "base/panic.h"
#include "kernel/step.h"
#include "kernel/view.h"
#include "people/decision_priv.h"
#include "people/needs.h"
#include "people/rate.h"
#include "people/task_rule.h"

struct decision {
	const struct wf_deciding *deciding;
	const struct wf_organisation *organisation;
	const struct wf_people_question *question;
	const struct wf_task *task;
	const struct wf_task_rule *rule;
	struct wf_net_view net; /* that holds the task */
	struct wf_arena *arena;
	struct wf_people_answer *answer;
	bool is_unknown; /* what the allocator asks for cannot be read */
};

/* --- what rules ask about the case ---------------------------------------- */

static const char *get_variable(
    void *context, const char *name, struct wf_arena *arena)
{
	const struct decision *d = context;

	return wf_net_view_text(&d->net, name, arena);
}

struct completers {
	struct wf_arena *arena;
	struct wf_texts ids;
};

static void add_completer(void *argument, const char *participant)
{
	struct completers *completers = argument;

	wf_org_texts_add(completers->arena, &completers->ids, participant);
}

static struct wf_texts get_completed(
    void *context, const char *task, struct wf_arena *arena)
{
	const struct decision *d = context;
	struct completers completers = { .arena = arena };

	wf_case_completers(
	    d->question->instance, task, add_completer, &completers);
	return completers.ids;
}

/* Items of a task without a rule are given at random. */
static enum wf_allocator allocator_of(const struct decision *d)
{
	return d->rule->resourcing == NULL ? WF_ALLOCATOR_RANDOM_CHOICE
					   : d->rule->resourcing->allocator;
}

static void get_facts(
    void *context, const char *participant, struct wf_work_facts *facts_out)
{
	const struct decision *d = context;
	const struct wf_rated_work work = {
		.participant = wf_org_find(
		    d->organisation, WF_ORG_PARTICIPANT, participant),
		.specification = wf_spec_identifier(d->task->net->spec),
		.task = d->task->id
	};

	if (wf_org_count(d->organisation, WF_ORG_RATE) > 0)
		facts_out->cost = wf_rates_of(d->organisation, &work);
	if (d->deciding->facts != NULL)
		d->deciding->facts(d->deciding->context, d->task,
		    allocator_of(d), participant, facts_out);
}

static bool gather(void *context, const uint64_t *candidates)
{
	struct decision *d = context;

	if (d->deciding->gather != NULL)
		d->is_unknown = !d->deciding->gather(
		    d->deciding->context, allocator_of(d), candidates);
	return !d->is_unknown;
}

/* The same for the same item of the same case, and evenly spread. */
static uint64_t seed_of(const struct decision *d)
{
	const struct wf_item *item = d->question->item;
	uint64_t seed = wf_hash(0, item->case_id, strlen(item->case_id) + 1);

	return wf_hash(seed, d->task->id, strlen(d->task->id));
}

static struct wf_allocation_facts facts_of(struct decision *d)
{
	return (struct wf_allocation_facts){ d, get_facts, seed_of(d), gather };
}

/* --- audiences ------------------------------------------------------------ */

static const char *id_at(const struct decision *d, size_t number)
{
	return wf_org_at(d->organisation, WF_ORG_PARTICIPANT, (uint32_t)number)
	    ->id;
}

static struct wf_texts list_ids(const struct decision *d, const uint64_t *set)
{
	struct wf_texts ids = { NULL, 0 };

	WF_BITSET_EACH (i, set, wf_people_words(d->organisation))
		wf_org_texts_add(d->arena, &ids, id_at(d, i));
	return ids;
}

static size_t count(const struct decision *d, const uint64_t *set)
{
	return wf_bitset_count(set, wf_people_words(d->organisation));
}

/* Those in one set who are not in the other. */
static uint64_t *without(
    const struct decision *d, const uint64_t *set, const uint64_t *other)
{
	uint64_t *rest = wf_people_new(d->organisation, d->arena);

	for (size_t i = 0; i < wf_people_words(d->organisation); i++)
		rest[i] = set[i] & ~other[i];
	return rest;
}

static const char *name_set(const struct decision *d, const uint64_t *set)
{
	char name[WF_AUDIENCE_NAME_SIZE];

	if (d->deciding->name_set != NULL)
		return d->deciding->name_set(
		    d->deciding->context, set, d->arena);
	wf_people_set_name(d->organisation, set, name);
	return wf_arena_strdup(d->arena, name);
}

/* Whether all whom the rule names are roles whose members change with time. */
static bool is_live(const struct decision *d)
{
	const struct wf_resourcing *rule = d->rule->resourcing;

	if (rule == NULL || rule->roles.count == 0 || rule->familiar != NULL ||
	    rule->participants.count + rule->variable_count +
		    rule->filter_count >
		0)
		return false;
	for (size_t i = 0; i < rule->roles.count; i++) {
		uint32_t role = wf_org_find(
		    d->organisation, WF_ORG_ROLE, rule->roles.rows[i]);

		if (role == WF_ORG_NOBODY ||
		    !((const struct wf_org_role *)wf_org_at(
			  d->organisation, WF_ORG_ROLE, role))
			 ->is_live)
			return false;
	}
	return true;
}

static const char *offer_to(
    const struct decision *d, const struct wf_audience *audience)
{
	if (d->deciding->offered != NULL)
		d->deciding->offered(d->deciding->context, audience);
	return wf_audience_write(audience, d->arena);
}

static const char *offer_to_set(const struct decision *d, const uint64_t *set)
{
	struct wf_audience audience = { .all = false };

	if (count(d, set) <= WF_AUDIENCE_NAMES)
		audience.people = list_ids(d, set);
	else
		audience.set = name_set(d, set);
	return offer_to(d, &audience);
}

const char *wf_people_offer_to_set(const struct wf_deciding *deciding,
    const uint64_t *set, struct wf_arena *arena)
{
	const struct decision d = { .deciding = deciding,
		.organisation = deciding->organisation,
		.arena = arena };

	return offer_to_set(&d, set);
}

/*
 * Whom the rule gives is the same for many items, so it becomes the audience,
 * with those as exceptions who are left out; if they are many, the audience is
 * a set of its own.
 */
static const char *offer_by_rule(
    const struct decision *d, const struct wf_distribution *distribution)
{
	struct wf_audience audience = { .all = d->rule->resourcing == NULL };
	const uint64_t *left =
	    without(d, distribution->rule, distribution->offered);
	bool live = is_live(d);

	if (count(d, left) > WF_AUDIENCE_NAMES ||
	    (!audience.all && !live &&
		count(d, distribution->offered) <= WF_AUDIENCE_NAMES))
		return offer_to_set(d, distribution->offered);
	audience.except = list_ids(d, left);
	if (live)
		audience.roles = d->rule->resourcing->roles;
	else if (!audience.all)
		audience.set = name_set(d, distribution->rule);
	return offer_to(d, &audience);
}

/* --- answers -------------------------------------------------------------- */

static void answer_unoffered(
    struct decision *d, enum wf_unoffered_cause cause, const char *reason)
{
	d->answer->status = WF_RESOURCE_UNOFFERED;
	d->answer->unoffered = cause;
	d->answer->reason = reason;
}

static void answer_offered(struct decision *d, const char *audience)
{
	d->answer->status = WF_RESOURCE_OFFERED;
	d->answer->audience = audience;
}

static void answer_given(struct decision *d, const char *participant,
    enum wf_assignment_cause cause, bool starts)
{
	d->answer->status =
	    starts ? WF_RESOURCE_STARTED : WF_RESOURCE_ALLOCATED;
	d->answer->participant = participant;
	d->answer->cause = cause;
}

/* The same, of whom an allocator has chosen. */
static void answer_chosen(struct decision *d, const char *participant,
    enum wf_assignment_cause cause, bool starts)
{
	answer_given(d, participant, cause, starts);
	if (d->deciding->chosen != NULL)
		d->answer->facts = d->deciding->chosen(d->deciding->context,
		    d->question, allocator_of(d), participant, d->arena);
}

static bool starts(const struct decision *d)
{
	return d->rule->resourcing != NULL && d->rule->resourcing->starts;
}

/* Who is absent without a deputy, or gave the item back. */
static uint64_t *left_out(const struct decision *d)
{
	uint64_t *set = wf_people_new(d->organisation, d->arena);
	size_t words = wf_people_words(d->organisation);
	const struct wf_assignment *assignment = d->question->item->assignment;
	const char *id = assignment == NULL ? "" : assignment->returned;

	if (d->deciding->absent != NULL && words > 0)
		memcpy(set, d->deciding->absent, words * sizeof(*set));
	if (d->deciding->absent != NULL && d->deciding->stand_in != NULL)
		d->deciding->stand_in(d->deciding->context, d->task, set);
	for (; id[0] != '\0'; id += strlen(id) + 1) {
		uint32_t number =
		    wf_org_find(d->organisation, WF_ORG_PARTICIPANT, id);

		if (number != WF_ORG_NOBODY)
			wf_bitset_add(set, number);
	}
	return set;
}

/* A case that is chained starts its items for that participant. */
static bool is_chained(
    const struct decision *d, const struct wf_distribution *distribution)
{
	uint32_t number = wf_org_find(d->organisation, WF_ORG_PARTICIPANT,
	    wf_case_chained(d->question->instance));

	return number != WF_ORG_NOBODY && distribution->set != NULL &&
	       wf_bitset_has(distribution->set, number);
}

static void answer_unknown(struct decision *d)
{
	answer_unoffered(d, WF_UNOFFERED_ERROR,
	    "what the allocator of the task asks for cannot be read");
}

static void leave_unoffered(
    struct decision *d, const struct wf_distribution *distribution)
{
	if (d->is_unknown)
		answer_unknown(d);
	else if (d->rule->problem[0] != '\0')
		answer_unoffered(d, WF_UNOFFERED_ERROR, d->rule->problem);
	else if (distribution->set == NULL)
		answer_unoffered(d, WF_UNOFFERED_BY_RULE,
		    "an administrator offers the items of the task");
	else if (wf_bitset_empty(
		     distribution->set, wf_people_words(d->organisation)))
		answer_unoffered(
		    d, WF_UNOFFERED_NOBODY, "nobody fits the rule of the task");
	else
		answer_unoffered(d, WF_UNOFFERED_ABSENT,
		    "everybody who fits the rule is absent or gave the item "
		    "back");
}

static void decide_new(struct decision *d)
{
	struct wf_resource_case about = { d, get_variable, get_completed };
	struct wf_allocation_facts facts = facts_of(d);
	const char *piler = NULL;
	struct wf_distribution distribution;

	if (d->deciding->piled != NULL)
		piler = d->deciding->piled(d->deciding->context, d->task);
	/* The pile of who was removed goes a little later. */
	if (piler != NULL &&
	    wf_org_find(d->organisation, WF_ORG_PARTICIPANT, piler) !=
		WF_ORG_NOBODY &&
	    !wf_people_is_separated(d->question, piler)) {
		answer_given(d, piler, WF_CAUSE_PILED, true);
		return;
	}
	distribution = wf_distribute(d->organisation, d->rule->resourcing,
	    &about, left_out(d), &facts, d->arena);
	if (is_chained(d, &distribution))
		answer_given(d, wf_case_chained(d->question->instance),
		    WF_CAUSE_CHAINED, true);
	else if (distribution.status == WF_RESOURCE_UNOFFERED)
		leave_unoffered(d, &distribution);
	else if (distribution.status == WF_RESOURCE_OFFERED)
		answer_offered(d, offer_by_rule(d, &distribution));
	else
		answer_chosen(d, id_at(d, distribution.participant),
		    WF_CAUSE_SYSTEM,
		    distribution.status == WF_RESOURCE_STARTED);
}

/* The participants that an administrator names; *first_out: the first one. */
static uint64_t *targets_of(const struct decision *d, uint32_t *first_out)
{
	uint64_t *set = wf_people_new(d->organisation, d->arena);
	const char *at = d->question->targets;

	*first_out = WF_ORG_NOBODY;
	while (*at != '\0') {
		size_t length = strcspn(at, ",");
		uint32_t number = wf_org_find(d->organisation,
		    WF_ORG_PARTICIPANT, wf_arena_strndup(d->arena, at, length));

		if (number != WF_ORG_NOBODY) {
			wf_bitset_add(set, number);
			if (*first_out == WF_ORG_NOBODY)
				*first_out = number;
		}
		at += length + (at[length] == ',');
	}
	return set;
}

/* An administrator's list; what is forced is neither allocated nor started. */
static void decide_for_list(struct decision *d, bool allocates)
{
	struct wf_allocation_facts facts = facts_of(d);
	uint32_t chosen;
	uint32_t first;
	uint64_t *set = targets_of(d, &first);

	if (first == WF_ORG_NOBODY)
		answer_unoffered(d, WF_UNOFFERED_NOBODY,
		    "nobody of those named is a participant");
	else if (allocates && d->question->is_forced)
		answer_given(d, id_at(d, first), WF_CAUSE_ADMINISTRATOR, false);
	else if (!allocates)
		answer_offered(d, offer_to_set(d, set));
	else if ((chosen = wf_allocate(d->organisation, allocator_of(d), set,
		      &facts)) == WF_ORG_NOBODY)
		answer_unknown(d);
	else
		answer_chosen(
		    d, id_at(d, chosen), WF_CAUSE_ADMINISTRATOR, starts(d));
}

static void decide(void *context, const struct wf_people_question *question,
    struct wf_arena *arena, struct wf_people_answer *answer_out)
{
	const struct wf_deciding *deciding = context;
	struct decision d = { .deciding = deciding,
		.organisation = deciding->organisation,
		.question = question,
		.task = question->item->task,
		.rule = wf_task_rule(question->item->task),
		.arena = arena,
		.answer = answer_out };
	bool has_net = wf_case_net(question->instance, question->net, &d.net);

	wf_assert(has_net);
	switch (question->subject) {
	case WF_PEOPLE_NEW:
	case WF_PEOPLE_RETURNED:
		decide_new(&d);
		break;
	case WF_PEOPLE_OFFER:
		decide_for_list(&d, !question->is_forced &&
					d.rule->resourcing != NULL &&
					d.rule->resourcing->allocates);
		break;
	case WF_PEOPLE_ALLOCATE:
		decide_for_list(&d, true);
		break;
	case WF_PEOPLE_ACCEPT:
		answer_given(&d, wf_arena_strdup(arena, question->actor),
		    WF_CAUSE_ACCEPTED, starts(&d));
		break;
	}
}

/* --- what an item needs beside its participant ---------------------------- */

struct taking {
	const struct wf_deciding *deciding;
	const struct wf_people_question *question;
	const char *id; /* that is searched for */
	bool is_busy;
};

static void search_busy(void *argument, const char *busy)
{
	struct taking *taking = argument;

	taking->is_busy |= wf_busy_has(busy, taking->id);
}

static bool is_absent(
    const struct wf_deciding *deciding, enum wf_org_kind kind, const char *id)
{
	return kind == WF_ORG_PARTICIPANT && deciding->absent != NULL &&
	       wf_bitset_has(deciding->absent,
		   wf_org_find(deciding->organisation, kind, id));
}

static bool take(void *context, enum wf_org_kind kind, const char *id)
{
	struct taking *taking = context;
	const struct wf_deciding *deciding = taking->deciding;

	taking->id = id;
	taking->is_busy = is_absent(deciding, kind, id);
	if (!taking->is_busy)
		wf_case_busy(taking->question->instance, search_busy, taking);
	return !taking->is_busy &&
	       (deciding->take == NULL || deciding->take(deciding->context,
					      taking->question->key, kind, id));
}

static enum wf_rc occupy(void *context,
    const struct wf_people_question *question, struct wf_arena *arena,
    const char **busy_out, struct wf_error *err)
{
	const struct wf_deciding *deciding = context;
	struct taking taking = { deciding, question, "", false };
	const char *case_id = question->item->case_id;
	struct wf_needs needs = wf_needs_of(question->item, arena);
	struct wf_needs_found found;

	*busy_out = "";
	if (needs.count == 0)
		return WF_OK;
	/* The next attempt tries others. */
	wf_needs_find(deciding->organisation, &needs, question->actor,
	    wf_hash((uint64_t)question->now, case_id, strlen(case_id)), take,
	    &taking, arena, &found);
	if (deciding->blocks && found.missing.count > 0)
		return wf_fail_code(err, WF_CONFLICT, WF_WAITS_CODE,
		    "the item must wait: %s",
		    wf_need_missing(
			deciding->organisation, &found.missing.rows[0], arena));
	if (found.taken.count > 0)
		*busy_out = wf_busy_write(&found.taken, arena);
	return WF_OK;
}

/* --- what work costs ------------------------------------------------------ */

/* The text names the participant, or a role of the participant. */
static bool is_of(const struct wf_organisation *organisation,
    const char *participant, uint32_t number, const char *text)
{
	uint32_t role;

	if (participant[0] == '\0')
		return false;
	/* Also of somebody who has left. */
	if (strcmp(text, participant) == 0)
		return true;
	if (number == WF_ORG_NOBODY)
		return false;
	if (wf_org_find_any(organisation, WF_ORG_PARTICIPANT, text) == number)
		return true;
	role = wf_org_find_any(organisation, WF_ORG_ROLE, text);
	return role != WF_ORG_NOBODY &&
	       wf_rates_have_role(organisation, number, role);
}

static bool is_asked_for(const struct wf_organisation *organisation,
    const struct wf_price_question *question, const char *participant,
    uint32_t number)
{
	for (size_t i = 0; i < question->resource_count; i++)
		if (is_of(organisation, participant, number,
			question->resources[i]))
			return true;
	return question->resource_count == 0;
}

static int64_t price(void *context, const struct wf_price_question *question)
{
	const struct wf_deciding *deciding = context;
	const struct wf_organisation *organisation = deciding->organisation;
	struct wf_rated_work rated = { .specification = wf_spec_identifier(
					   wf_case_spec(question->instance)) };
	int64_t sum = 0;

	if (wf_org_count(organisation, WF_ORG_RATE) == 0)
		return 0;
	for (size_t i = 0; i < question->work_count; i++) {
		const struct wf_done_work *work = &question->work[i];
		int64_t cost;

		rated.task = work->task;
		rated.participant = wf_org_find(
		    organisation, WF_ORG_PARTICIPANT, work->participant);
		if (!is_asked_for(organisation, question, work->participant,
			rated.participant))
			continue;
		cost = wf_rates_price(
		    organisation, &rated, work->items, work->busy_ms);
		sum = cost > INT64_MAX - sum ? INT64_MAX : sum + cost;
	}
	return sum;
}

struct wf_people_calls wf_deciding_calls(struct wf_deciding *deciding)
{
	return (struct wf_people_calls){ deciding, decide, wf_people_check,
		wf_people_urge, wf_people_next, wf_people_ring, occupy, price };
}
