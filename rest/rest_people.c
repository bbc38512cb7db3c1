/* SPDX-License-Identifier: Apache-2.0 */
#include "rest/rest_people.h"

#include <string.h>

#include "data/calendar/calendar.h"
#include "kernel/step.h"
#include "people/decision.h"
#include "worklist/audiences.h"

/* --- who acts ------------------------------------------------------------- */

const char *wf_rest_user(
    const struct wf_organisation *organisation, const char *id)
{
	return wf_org_name_of(organisation, WF_ORG_PARTICIPANT, id);
}

bool wf_rest_find_person(struct wf_rest *rest,
    const struct wf_organisation *organisation, const char *name,
    uint32_t *number_out)
{
	struct wf_error err = { .rc = WF_OK };

	*number_out = wf_org_find_any(organisation, WF_ORG_PARTICIPANT, name);
	if (*number_out != WF_ORG_NOBODY)
		return true;
	wf_fail(&err, WF_NOT_FOUND, "there is no participant \"%.100s\"", name);
	wf_rest_fail(rest, &err);
	return false;
}

struct wf_deputy_list wf_rest_acts_for(
    struct wf_rest *rest, const struct wf_organisation *organisation)
{
	const char *own = wf_rest_own_participant(rest, organisation);

	if (own == NULL)
		return (struct wf_deputy_list){ NULL, 0 };
	return wf_deputies_by(rest->server->deputies, own,
	    wf_engine_now(rest->server->engine), false, rest->arena);
}

struct matching {
	const struct wf_deputy *deputy;
	bool matches;
};

static void match(void *context, const struct wf_spec *spec)
{
	struct matching *matching = context;

	matching->matches = wf_deputy_is_for(
	    matching->deputy, spec->metadata.identifier, spec->uri);
}

bool wf_rest_deputy_is_for(struct wf_rest *rest, const struct wf_deputy *deputy,
    uint64_t specification)
{
	struct matching matching = { deputy, deputy->processes.count == 0 };
	struct wf_error err = { .rc = WF_OK };

	if (!matching.matches && specification != 0)
		(void)(wf_engine_inspect_spec(rest->server->engine,
			   rest->account.namespace_id, specification, false,
			   match, &matching, &err) == WF_OK);
	wf_error_clear(&err);
	return matching.matches;
}

bool wf_rest_is_deputy_in(struct wf_rest *rest,
    const struct wf_organisation *organisation, const char *person,
    const char *process)
{
	const struct wf_deputy_list list = wf_rest_acts_for(rest, organisation);

	for (size_t i = 0; i < list.count; i++)
		if (strcmp(list.rows[i].person, person) == 0 &&
		    wf_deputy_is_for(&list.rows[i], process, process))
			return true;
	return false;
}

/* Whether it is for the process of the item, or that of the body. */
static bool is_for_request(struct wf_rest *rest, const struct wf_deputy *deputy)
{
	if (rest->specification != 0)
		return wf_rest_deputy_is_for(rest, deputy, rest->specification);
	return rest->process == NULL ||
	       wf_deputy_is_for(deputy, rest->process, rest->process);
}

/*
 * Whether the account is a deputy of the person now: for the process that the
 * request is about, or, where it is about none, for any.  False: answered.
 */
static bool is_deputy(struct wf_rest *rest,
    const struct wf_organisation *organisation, const char *person,
    const char *name)
{
	const struct wf_deputy_list list = wf_rest_acts_for(rest, organisation);
	struct wf_error err = { .rc = WF_OK };
	bool other = false;

	for (size_t i = 0; i < list.count; i++) {
		if (strcmp(list.rows[i].person, person) != 0)
			continue;
		if (list.rows[i].processes.count > 0 &&
		    !rest->invocation.in_pool) {
			wf_rest_go_to_pool(rest);
			return false;
		}
		if (is_for_request(rest, &list.rows[i]))
			return true;
		other = true;
	}
	wf_fail(&err, WF_DENIED,
	    other ? "for: the account %s is a deputy of %s, but not for this "
		    "process"
		  : "for: the account %s has not the right to act for others, "
		    "and is no deputy of %s now",
	    rest->account.name, name);
	wf_rest_fail(rest, &err);
	return false;
}

/* The participant that the argument "for" names.  False: answered. */
static bool read_other(struct wf_rest *rest,
    const struct wf_organisation *organisation, const char *name,
    uint32_t *number, const char **deputy_out)
{
	uint32_t own = *number;
	bool acts = true;

	if (!wf_rest_find_person(rest, organisation, name, number) ||
	    (*number != own && !wf_rest_may_here(rest, WF_MAY(ACT), &acts)))
		return false;
	if (acts)
		return true;
	if (!is_deputy(rest, organisation,
		wf_org_at(organisation, WF_ORG_PARTICIPANT, *number)->id, name))
		return false;
	*deputy_out = wf_arena_strdup(
	    rest->arena, wf_org_at(organisation, WF_ORG_PARTICIPANT, own)->id);
	return true;
}

/* Acting as nobody is for accounts with rights of their own. */
static bool is_somebody(
    struct wf_rest *rest, const struct wf_rest_actor *actor, uint32_t verbs)
{
	struct wf_error err = { .rc = WF_OK };

	if (actor->participant != NULL || actor->is_administrator ||
	    rest->serves ||
	    wf_rest_may_everywhere(rest, verbs & ~WF_MAY(PARTICIPATE)))
		return true;
	wf_fail(&err, WF_DENIED,
	    "the account %s is no participant: no participant has this name as "
	    "user id",
	    rest->account.name);
	wf_rest_fail(rest, &err);
	return false;
}

bool wf_rest_read_actor(struct wf_rest *rest, struct wf_rest_actor *actor_out)
{
	const char *other = wf_rest_argument(rest, "for");
	struct wf_organisation *organisation;
	uint32_t number;
	bool good = true;

	*actor_out = (struct wf_rest_actor){ .participant = NULL };
	if (wf_rest_is_listed(rest->route->arguments, "override") &&
	    !wf_rest_switch(rest, "override", &actor_out->is_forced))
		return false;
	if (!rest->server->settings.people) {
		if (other != NULL)
			wf_rest_refuse(rest,
			    "for: this server offers no items to people; it "
			    "would with the setting people");
		return other == NULL;
	}
	organisation = wf_org_cache_get(rest->server->organisation);
	number = wf_org_find_name(
	    organisation, WF_ORG_PARTICIPANT, rest->account.name);
	if (other != NULL)
		good = read_other(
		    rest, organisation, other, &number, &actor_out->deputy);
	if (good && number != WF_ORG_NOBODY)
		actor_out->participant = wf_arena_strdup(rest->arena,
		    wf_org_at(organisation, WF_ORG_PARTICIPANT, number)->id);
	wf_organisation_unref(&organisation);
	if (good && (actor_out->is_forced || actor_out->participant == NULL))
		good = wf_rest_may_here(
		    rest, WF_MAY(OPERATE), &actor_out->is_administrator);
	if (!good)
		return false;
	/* Whoever overrides does so as an administrator. */
	if (actor_out->is_administrator && other == NULL)
		actor_out->participant = NULL;
	return is_somebody(rest, actor_out, rest->invocation.operation->verbs);
}

/* --- seeing --------------------------------------------------------------- */

struct seeing {
	struct wf_rest *rest;
	const char *item;
	bool sees;
};

bool wf_rest_is_offered(struct wf_rest *rest,
    const struct wf_organisation *organisation,
    const struct wf_assignment *assignment, const char *participant)
{
	const struct wf_set_keeper keeper =
	    wf_audiences_keeper(rest->server->audiences);
	struct wf_audience audience;

	return assignment->status == WF_RESOURCE_OFFERED &&
	       participant != NULL &&
	       wf_audience_read(assignment->audience, rest->arena, &audience,
		   NULL) == WF_OK &&
	       wf_audience_has(organisation, &keeper, &audience, participant);
}

struct wf_people_question wf_rest_people_question(
    const struct wf_case *instance, const struct wf_item *item,
    const struct wf_rest_actor *actor)
{
	return (struct wf_people_question){ .instance = instance,
		.item = item,
		.actor = actor->participant == NULL ? "" : actor->participant,
		.deputy = actor->deputy == NULL ? "" : actor->deputy,
		.targets = "",
		.is_administrator = actor->is_administrator,
		.calendar = wf_calendar_weekdays() };
}

enum wf_rc wf_rest_check_people(const struct wf_rest_work *work,
    enum wf_command_kind command, struct wf_error *err)
{
	const struct wf_set_keeper keeper =
	    wf_audiences_keeper(work->rest->server->audiences);
	struct wf_deciding deciding = { .organisation = work->organisation,
		.keeper = &keeper };
	const struct wf_people_calls calls = wf_deciding_calls(&deciding);
	struct wf_people_question question = *work->question;

	/* These are what administrators do, also if they are participants. */
	if (command == WF_COMMAND_OFFER || command == WF_COMMAND_ALLOCATE)
		question.is_administrator = work->operates;
	return calls.check(calls.context, command, &question, err);
}

static bool is_offered_to_some(struct wf_rest *rest,
    const struct wf_organisation *o, const struct wf_assignment *assignment,
    const uint64_t *set)
{
	const struct wf_set_keeper keeper =
	    wf_audiences_keeper(rest->server->audiences);
	struct wf_audience audience;

	if (wf_audience_read(
		assignment->audience, rest->arena, &audience, NULL) != WF_OK)
		return false;
	WF_BITSET_EACH (i, set, wf_people_words(o))
		if (wf_audience_has(o, &keeper, &audience,
			wf_org_at(o, WF_ORG_PARTICIPANT, (uint32_t)i)->id))
			return true;
	return false;
}

/* Those whose items one may see by a privilege; the same for the request. */
static const uint64_t *colleagues_of(
    struct wf_rest *rest, const struct wf_organisation *o, uint32_t number)
{
	uint64_t version = wf_organisation_version(o);
	uint64_t *set;

	if (rest->colleagues != NULL && rest->colleagues_version == version)
		return rest->colleagues;
	set = wf_people_new(o, rest->arena);
	if (wf_has_user_privilege(o, number, WF_USER_TEAM))
		wf_people_add_reports(o, set, number);
	if (wf_has_user_privilege(o, number, WF_USER_GROUP))
		wf_people_add_colleagues(o, set, number);
	rest->colleagues = set;
	rest->colleagues_version = version;
	return set;
}

/*
 * What those have, or are offered.  What the views "team" and "groups" list can
 * be read.
 */
static bool sees_colleagues(struct wf_rest *rest,
    const struct wf_organisation *o, uint32_t number,
    const struct wf_assignment *assignment)
{
	uint32_t other = wf_org_find(o, WF_ORG_PARTICIPANT, assignment->holder);
	const uint64_t *set = colleagues_of(rest, o, number);

	return assignment->status == WF_RESOURCE_OFFERED
		   ? is_offered_to_some(rest, o, assignment, set)
		   : other != WF_ORG_NOBODY && wf_bitset_has(set, other);
}

/* What is on the list of somebody whose deputy the account is. */
static enum wf_rest_view view_as_deputy(struct wf_rest *rest,
    const struct wf_organisation *o, const struct wf_case *instance,
    const struct wf_assignment *assignment)
{
	const struct wf_deputy_list list = wf_rest_acts_for(rest, o);
	const struct wf_spec *spec = wf_case_spec(instance);
	enum wf_rest_view view = WF_REST_UNSEEN;

	for (size_t i = 0; i < list.count && view != WF_REST_HELD; i++) {
		const struct wf_deputy *entry = &list.rows[i];

		if (!wf_deputy_is_for(
			entry, spec->metadata.identifier, spec->uri))
			continue;
		if (strcmp(assignment->holder, entry->person) == 0)
			view = WF_REST_HELD;
		else if (wf_rest_is_offered(rest, o, assignment, entry->person))
			view = WF_REST_SEEN;
	}
	return view;
}

enum wf_rest_view wf_rest_view_item(struct wf_rest *rest,
    const struct wf_organisation *organisation, const struct wf_case *instance,
    const struct wf_assignment *assignment)
{
	uint32_t number = wf_org_find_name(
	    organisation, WF_ORG_PARTICIPANT, rest->account.name);
	enum wf_rest_view view;
	const char *own;

	if (number == WF_ORG_NOBODY || assignment == NULL)
		return WF_REST_UNSEEN;
	own = wf_org_at(organisation, WF_ORG_PARTICIPANT, number)->id;
	if (strcmp(assignment->holder, own) == 0)
		return WF_REST_HELD;
	view = view_as_deputy(rest, organisation, instance, assignment);
	if (view == WF_REST_UNSEEN &&
	    (wf_participant_at(organisation, number)->is_administrator ||
		wf_rest_is_offered(rest, organisation, assignment, own) ||
		sees_colleagues(rest, organisation, number, assignment)))
		view = WF_REST_SEEN;
	return view;
}

static void judge_sight(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct seeing *seeing = context;
	struct wf_organisation *o =
	    wf_org_cache_get(seeing->rest->server->organisation);
	struct wf_item item;

	(void)stored;
	seeing->sees =
	    wf_case_item(instance, seeing->item, &item, NULL) == WF_OK &&
	    wf_rest_view_item(seeing->rest, o, instance, item.assignment) !=
		WF_REST_UNSEEN;
	wf_organisation_unref(&o);
}

/* Answered, as if there were no such item, if the account may not see it. */
static bool may_see(
    struct wf_rest *rest, const char *item, const struct wf_known_case *known)
{
	struct seeing seeing = { .rest = rest, .item = item };
	struct wf_error err = { .rc = WF_OK };

	if (!rest->invocation.in_pool) {
		wf_rest_go_to_pool(rest);
		return false;
	}
	(void)(wf_engine_inspect(rest->server->engine, known->number,
		   judge_sight, &seeing, &err) == WF_OK);
	if (seeing.sees)
		return true;
	wf_error_clear(&err);
	wf_fail(&err, WF_NOT_FOUND,
	    "no work item %.200s is on a worklist of %s", item,
	    rest->account.name);
	wf_rest_fail(rest, &err);
	return false;
}

static bool is_participant(const struct wf_rest *rest)
{
	struct wf_organisation *organisation =
	    wf_org_cache_get(rest->server->organisation);
	bool is = wf_rest_own_participant(rest, organisation) != NULL;

	wf_organisation_unref(&organisation);
	return is;
}

bool wf_rest_may_take_part(
    struct wf_rest *rest, const char *item, const struct wf_known_case *known)
{
	uint32_t verbs =
	    rest->invocation.operation->verbs & ~WF_MAY(PARTICIPATE);
	bool takes_part = false;

	if (!wf_rest_has_right(rest, verbs, item, known, &rest->serves) ||
	    (!rest->serves &&
		!wf_rest_may_here(rest, WF_MAY(PARTICIPATE), &takes_part)))
		return false;
	if (!rest->serves && (!takes_part || !rest->server->settings.people ||
				 (wf_rest_argument(rest, "for") == NULL &&
				     !is_participant(rest)))) {
		wf_rest_refuse_right(rest, verbs,
		    " for this work item, or a participant who has it");
		return false;
	}
	rest->is_allowed = true;
	/* The command itself checks who gives it. */
	return rest->serves || rest->route->request != 0 ||
	       may_see(rest, item, known);
}

/* --- items ---------------------------------------------------------------- */

void wf_rest_put_assignment(json_t *object,
    const struct wf_organisation *organisation, const struct wf_item_row *row)
{
	if (row->assignment == WF_RESOURCE_NONE)
		return;
	json_object_set_new(object, "assignment",
	    wf_json_lower_case(wf_resource_status_name(
		(enum wf_resource_status)row->assignment)));
	if (row->assignment >= WF_RESOURCE_ALLOCATED &&
	    strncmp(row->queue, "P:", 2) == 0)
		wf_json_put_text(object, "holder",
		    wf_rest_user(organisation, row->queue + 2));
	json_object_set_new(
	    object, "priority", json_integer(100 - (json_int_t)row->rank));
	if (row->due_at != WF_ITEM_NOT_DUE)
		wf_json_put_time(object, "due", row->due_at);
}

/* At most so many people are named. */
#define NAMED_PEOPLE 20U

static json_t *name_roles(
    const struct wf_organisation *organisation, const struct wf_texts *roles)
{
	json_t *names = json_array();

	for (size_t i = 0; i < roles->count; i++) {
		uint32_t role =
		    wf_org_find(organisation, WF_ORG_ROLE, roles->rows[i]);

		if (role != WF_ORG_NOBODY)
			json_array_append_new(names,
			    json_string(((const struct wf_org_role *)wf_org_at(
					     organisation, WF_ORG_ROLE, role))
					    ->name));
	}
	return names;
}

static json_t *name_people(const struct wf_rest *rest,
    const struct wf_organisation *organisation,
    const struct wf_audience *audience, bool *more_out)
{
	const struct wf_set_keeper keeper =
	    wf_audiences_keeper(rest->server->audiences);
	size_t count = wf_org_count(organisation, WF_ORG_PARTICIPANT);
	json_t *names = json_array();

	*more_out = false;
	for (uint32_t i = 0; i < count && !*more_out; i++) {
		const struct wf_participant *p =
		    wf_participant_at(organisation, i);

		if (!wf_audience_has(
			organisation, &keeper, audience, p->record.id))
			continue;
		*more_out = json_array_size(names) == NAMED_PEOPLE;
		if (!*more_out)
			json_array_append_new(names, json_string(p->user));
	}
	return names;
}

void wf_rest_put_offer(json_t *object, struct wf_rest *rest,
    const struct wf_organisation *organisation,
    const struct wf_assignment *assignment)
{
	struct wf_audience audience;
	json_t *offer;
	bool more = false;

	if (assignment->status != WF_RESOURCE_OFFERED ||
	    wf_audience_read(
		assignment->audience, rest->arena, &audience, NULL) != WF_OK)
		return;
	offer = json_object();
	if (audience.all)
		json_object_set_new(offer, "everybody", json_true());
	else if (audience.roles.count > 0)
		json_object_set_new(
		    offer, "roles", name_roles(organisation, &audience.roles));
	else
		json_object_set_new(offer, "people",
		    name_people(rest, organisation, &audience, &more));
	if (more)
		json_object_set_new(offer, "more", json_true());
	json_object_set_new(object, "offered_to", offer);
}
