/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a participant can do with an item, and why not: task privileges by
 * people/permission.c, as the engine asks it again, and user privileges, which
 * hold for the worklist only.
 */
#include <string.h>

#include "kernel/step.h"
#include "people/decision.h"
#include "rest/rest_people.h"
#include "worklist/list.h"
#include "worklist/piles.h"

/* --- user privileges ------------------------------------------------------ */

void wf_rest_read_workload(struct wf_rest *rest,
    const struct wf_organisation *organisation, const char *participant,
    struct wf_workload *workload_out)
{
	struct wf_error err = { .rc = WF_OK };

	*workload_out = (struct wf_workload){ NULL, NULL };
	/* For what is shown only: a command asks again. */
	if (participant != NULL)
		(void)(wf_workload_read(rest->server->engine, organisation,
			   participant, rest->arena, workload_out,
			   &err) == WF_OK);
}

/* Whether the command starts an item of the participant's own choice. */
static bool is_begin(const struct wf_command *command)
{
	return command->participant != NULL && !command->is_forced &&
	       (command->kind == WF_COMMAND_START ||
		   command->kind == WF_COMMAND_FINISH ||
		   command->kind == WF_COMMAND_CHAIN);
}

bool wf_rest_may_begin(struct wf_rest *rest, const struct wf_request *request)
{
	const struct wf_command *command = &request->command;
	struct wf_error err = { .rc = WF_OK };
	struct wf_organisation *organisation;
	uint32_t number;
	bool waits = false;

	if (!is_begin(command))
		return true;
	organisation = wf_org_cache_get(rest->server->organisation);
	number =
	    wf_org_find(organisation, WF_ORG_PARTICIPANT, command->participant);
	if (number != WF_ORG_NOBODY && command->kind == WF_COMMAND_CHAIN)
		(void)(wf_may_chain(organisation, number, &err) == WF_OK);
	else if (number != WF_ORG_NOBODY &&
		 wf_needs_workload(organisation, number)) {
		waits = !rest->invocation.in_pool;
		if (!waits)
			(void)(wf_workload_check(rest->server->engine,
				   organisation, command->participant,
				   request->number, command->item, rest->arena,
				   &err) == WF_OK);
	}
	wf_organisation_unref(&organisation);
	if (waits)
		wf_rest_go_to_pool(rest);
	else if (err.rc != WF_OK)
		wf_rest_fail(rest, &err);
	return !waits && err.rc == WF_OK;
}

uint32_t wf_rest_actor_number(const struct wf_organisation *organisation,
    const struct wf_rest_actor *actor)
{
	return actor->participant == NULL
		   ? WF_ORG_NOBODY
		   : wf_org_find(
			 organisation, WF_ORG_PARTICIPANT, actor->participant);
}

bool wf_rest_is_administrator_in(const struct wf_organisation *organisation,
    const struct wf_rest_actor *actor)
{
	uint32_t number = wf_rest_actor_number(organisation, actor);

	return actor->is_administrator ||
	       (number != WF_ORG_NOBODY &&
		   wf_participant_at(organisation, number)->is_administrator);
}

bool wf_rest_is_administrator(
    struct wf_rest *rest, const struct wf_rest_actor *actor)
{
	struct wf_organisation *organisation =
	    wf_org_cache_get(rest->server->organisation);
	bool is = wf_rest_is_administrator_in(organisation, actor);

	wf_organisation_unref(&organisation);
	return is;
}

/* --- actions -------------------------------------------------------------- */

static const struct action {
	enum wf_command_kind command;
	const char *word;
} actions[] = {
#define WF_ITEM_ACTION(command, word, meaning) { WF_COMMAND_##command, word },
#include "people/actions.def"
#undef WF_ITEM_ACTION
};

static bool is_participant(const struct wf_rest_work *work)
{
	return work->actor->participant != NULL;
}

/*
 * What holds by the status of the item.  A participant takes over an executing
 * item that was offered or given to others.
 */
static enum wf_rc check_status(const struct wf_rest_work *work,
    enum wf_command_kind command, bool by_participant, struct wf_error *err)
{
	if (wf_item_allows(work->status, work->was_started, command) ||
	    (command == WF_COMMAND_START && by_participant &&
		work->status == WF_ITEM_EXECUTING))
		return WF_OK;
	return wf_fail(err, WF_CONFLICT, "the item is %s",
	    command == WF_COMMAND_RESUME_ITEM	? "not suspended"
	    : work->status == WF_ITEM_SUSPENDED ? "suspended"
	    : work->status == WF_ITEM_EXECUTING ? "started"
						: "not started");
}

static struct wf_action_facts facts_of(
    const struct wf_rest_work *work, enum wf_command_kind command)
{
	bool is_of_administrators =
	    command == WF_COMMAND_OFFER || command == WF_COMMAND_ALLOCATE;

	return (struct wf_action_facts){ .organisation = work->organisation,
		.task = work->task,
		.status = work->assignment,
		.holder = work->holder,
		.participant = work->actor->participant == NULL
				   ? ""
				   : work->actor->participant,
		.is_offered = work->is_offered,
		.is_administrator = is_of_administrators
					? work->operates
					: work->actor->is_administrator };
}

/* What holds for a suspended case, as far as the case is known. */
static enum wf_rc check_case(const struct wf_rest_work *work,
    enum wf_command_kind command, struct wf_error *err)
{
	bool is_suspended =
	    work->question != NULL &&
	    wf_case_status(work->question->instance) == WF_CASE_SUSPENDED;
	bool is_chained = work->chained != NULL && work->chained[0] != '\0';

	if (is_suspended &&
	    (command == WF_COMMAND_START || command == WF_COMMAND_SKIP))
		return wf_fail(err, WF_CONFLICT, "the case is suspended");
	if (is_chained && command == WF_COMMAND_CHAIN)
		return wf_fail(err, WF_CONFLICT,
		    "the case is chained to '%.60s' already", work->chained);
	return WF_OK;
}

static enum wf_rc check_people(const struct wf_rest_work *work,
    enum wf_command_kind command, struct wf_error *err)
{
	const struct wf_action_facts facts = facts_of(work, command);

	if (check_case(work, command, err) != WF_OK)
		return err->rc;
	if (work->question != NULL)
		return wf_rest_check_people(work, command, err);
	return wf_may_act(&facts, command, err);
}

/* By user privileges, of whoever could do it otherwise. */
static enum wf_rc check_user(const struct wf_rest_work *work,
    enum wf_command_kind command, struct wf_error *err)
{
	uint32_t number = wf_rest_actor_number(work->organisation, work->actor);

	if (number == WF_ORG_NOBODY)
		return WF_OK;
	if (command == WF_COMMAND_CHAIN)
		return wf_may_chain(work->organisation, number, err);
	return command != WF_COMMAND_START || work->workload == NULL
		   ? WF_OK
		   : wf_may_begin(work->organisation, number, work->workload,
			 work->item, work->assignment == WF_RESOURCE_ALLOCATED,
			 err);
}

static enum wf_rc check_action(const struct wf_rest_work *work,
    enum wf_command_kind command, struct wf_error *err)
{
	const char *need =
	    wf_assignment_need(command, work->assignment, is_participant(work));

	if (need != NULL)
		return wf_fail(err, WF_CONFLICT, "the item is %s, not %s",
		    wf_resource_status_name(work->assignment), need);
	if (check_status(work, command, is_participant(work), err) != WF_OK)
		return err->rc;
	if (check_people(work, command, err) != WF_OK)
		return err->rc;
	return check_user(work, command, err);
}

/* --- those that are no commands of the item ------------------------------- */

enum wf_rc wf_rest_check_pile(
    const struct wf_rest_work *work, struct wf_error *err)
{
	const struct wf_action_facts facts = facts_of(work, WF_COMMAND_START);

	if (wf_may_pile(&facts, err) != WF_OK)
		return err->rc;
	if (work->piled != NULL && strcmp(work->piled, facts.participant) != 0)
		return wf_fail(err, WF_CONFLICT,
		    "the task is piled to '%.60s' already", work->piled);
	if (check_status(work, WF_COMMAND_START, true, err) != WF_OK)
		return err->rc;
	if (check_people(work, WF_COMMAND_START, err) != WF_OK)
		return err->rc;
	return check_user(work, WF_COMMAND_START, err);
}

/* By the right to operate, or as a participant; a deputy is none. */
static bool is_administrator(const struct wf_rest_work *work)
{
	return work->operates || (work->actor->deputy == NULL &&
				     wf_rest_is_administrator_in(
					 work->organisation, work->actor));
}

/* What a participant has begun, that one or an administrator ends. */
static enum wf_rc check_owner(const struct wf_rest_work *work,
    const char *owner, const char *none, struct wf_error *err)
{
	const char *participant = work->actor->participant;

	if (owner == NULL || owner[0] == '\0')
		return wf_fail(err, WF_CONFLICT, "%s", none);
	if (wf_rest_is_administrator_in(work->organisation, work->actor) ||
	    (participant != NULL && strcmp(participant, owner) == 0))
		return WF_OK;
	return wf_fail(
	    err, WF_DENIED, "that is for '%.60s', or an administrator", owner);
}

static enum wf_rc check_unpile(
    const struct wf_rest_work *work, struct wf_error *err)
{
	return check_owner(work, work->piled, "the task is not piled", err);
}

static enum wf_rc check_unchain(
    const struct wf_rest_work *work, struct wf_error *err)
{
	if (work->operates && work->chained != NULL && work->chained[0] != '\0')
		return WF_OK;
	return check_owner(work, work->chained, "the case is not chained", err);
}

static enum wf_rc check_administrator(
    const struct wf_rest_work *work, struct wf_error *err)
{
	return is_administrator(work)
		   ? WF_OK
		   : wf_fail_code(err, WF_DENIED, WF_LACKS_PRIVILEGE,
			 "only an administrator can do that");
}

static enum wf_rc check_reoffer(
    const struct wf_rest_work *work, struct wf_error *err)
{
	enum wf_rc rc = check_administrator(work, err);

	return rc == WF_OK ? check_status(work, WF_COMMAND_OFFER, false, err)
			   : rc;
}

/* For a participant. */
static enum wf_rc check_restart(
    const struct wf_rest_work *work, struct wf_error *err)
{
	enum wf_rc rc = check_administrator(work, err);

	if (rc == WF_OK)
		rc = check_status(work, WF_COMMAND_START, true, err);
	return rc == WF_OK ? check_case(work, WF_COMMAND_START, err) : rc;
}

static const struct more {
	const char *word;
	enum wf_rc (*check)(
	    const struct wf_rest_work *work, struct wf_error *err);
} more[] = {
	{ "pile", wf_rest_check_pile },
	{ "unpile", check_unpile },
	{ "unchain", check_unchain },
	{ "reoffer", check_reoffer },
	{ "restart", check_restart },
};

json_t *wf_rest_describe_refusal(const struct wf_error *err)
{
	json_t *refusal = json_pack("{s:s}", "reason", err->message);

	if (strcmp(err->code, WF_LACKS_RIGHT) == 0 ||
	    strcmp(err->code, WF_LACKS_PRIVILEGE) == 0)
		json_object_set_new(refusal, "lacks", json_string(err->code));
	return refusal;
}

static void put_action(json_t *words, json_t *refused, const char *word,
    const struct wf_error *err)
{
	if (err->rc == WF_OK)
		json_array_append_new(words, json_string(word));
	else
		json_object_set_new(
		    refused, word, wf_rest_describe_refusal(err));
}

/*
 * A missing privilege, which refuses the command also if the actor has the
 * item, is the reason rather than a state.
 */
static void prefer_lacking(const struct wf_rest_work *work,
    enum wf_command_kind command, bool piles, struct wf_error *err)
{
	struct wf_action_facts facts = facts_of(work, command);
	struct wf_error lacking = { .rc = WF_OK };
	enum wf_rc rc;

	facts.status = WF_RESOURCE_ALLOCATED;
	facts.holder = facts.participant;
	rc = piles ? wf_may_pile(&facts, &lacking)
		   : wf_may_act(&facts, command, &lacking);
	if (rc != WF_OK)
		*err = lacking;
}

void wf_rest_put_actions(
    json_t *object, const struct wf_rest_work *work, bool why)
{
	json_t *words = json_array();
	json_t *refused = json_object();

	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
		struct wf_error err = { .rc = WF_OK };

		if (check_action(work, actions[i].command, &err) != WF_OK &&
		    why)
			prefer_lacking(work, actions[i].command, false, &err);
		put_action(words, refused, actions[i].word, &err);
	}
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++) {
		struct wf_error err = { .rc = WF_OK };

		if (more[i].check(work, &err) != WF_OK && why &&
		    more[i].check == wf_rest_check_pile)
			prefer_lacking(work, WF_COMMAND_START, true, &err);
		put_action(words, refused, more[i].word, &err);
	}
	json_object_set_new(object, "actions", words);
	if (why)
		json_object_set_new(object, "refused", refused);
	else
		json_decref(refused);
}
