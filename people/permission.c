/* SPDX-License-Identifier: Apache-2.0 */
/* Who may give which command about an item. */
#include <string.h>

#include "base/panic.h"
#include "people/decision_priv.h"
#include "people/needs.h"
#include "people/task_rule.h"

static bool is_in(const struct wf_organisation *organisation,
    const struct wf_texts *participants, const struct wf_texts *roles,
    uint32_t participant)
{
	const struct wf_org_record *record =
	    wf_org_at(organisation, WF_ORG_PARTICIPANT, participant);
	struct wf_arena *arena;
	uint64_t *set;
	bool is;

	if (wf_org_texts_have(participants, record->id))
		return true;
	if (roles->count == 0)
		return false;
	arena = wf_arena_new();
	set = wf_people_new(organisation, arena);
	for (size_t i = 0; i < roles->count; i++) {
		uint32_t role =
		    wf_org_find(organisation, WF_ORG_ROLE, roles->rows[i]);

		if (role != WF_ORG_NOBODY)
			wf_people_add_role(organisation, set, role);
	}
	is = wf_bitset_has(set, participant);
	wf_arena_free(&arena);
	return is;
}

bool wf_has_task_privilege(const struct wf_organisation *organisation,
    const struct wf_task *task, enum wf_task_privilege privilege,
    uint32_t participant)
{
	const struct wf_task_rule *rule = wf_task_rule(task);
	const struct wf_privilege_holders *holders;

	wf_assert(privilege < WF_TASK_PRIVILEGES);
	if (wf_participant_at(organisation, participant)->is_administrator)
		return true;
	if (rule->resourcing == NULL)
		return false;
	holders = &rule->resourcing->privileges[privilege];
	return holders->all || is_in(organisation, &holders->participants,
				   &holders->roles, participant);
}

bool wf_has_user_privilege(const struct wf_organisation *organisation,
    uint32_t participant, enum wf_user_privilege privilege)
{
	const struct wf_participant *p =
	    wf_participant_at(organisation, participant);

	wf_assert(privilege < WF_USER_PRIVILEGES);
	return p->is_administrator ||
	       (p->privileges & (1U << privilege | 1U << WF_USER_ALL)) != 0;
}

/* What a participant needs for a command, beside the state of the item. */
enum need { NEEDS_NOTHING, NEEDS_OFFER, NEEDS_ITEM, NEEDS_ADMINISTRATOR };

static const struct right {
	enum need need;
	enum wf_task_privilege privilege;
} rights[WF_COMMAND_COUNT] = {
	[WF_COMMAND_START] = { NEEDS_OFFER, WF_TASK_PRIVILEGES },
	[WF_COMMAND_ACCEPT] = { NEEDS_OFFER, WF_TASK_PRIVILEGES },
	[WF_COMMAND_CHAIN] = { NEEDS_OFFER, WF_TASK_PRIVILEGES },
	[WF_COMMAND_COMPLETE] = { NEEDS_ITEM, WF_TASK_PRIVILEGES },
	[WF_COMMAND_FINISH] = { NEEDS_OFFER, WF_TASK_PRIVILEGES },
	[WF_COMMAND_RESUME_ITEM] = { NEEDS_ITEM, WF_TASK_PRIVILEGES },
	[WF_COMMAND_UPDATE_ITEM] = { NEEDS_ITEM, WF_TASK_PRIVILEGES },
	[WF_COMMAND_SUSPEND_ITEM] = { NEEDS_ITEM, WF_TASK_SUSPEND },
	[WF_COMMAND_DEALLOCATE] = { NEEDS_ITEM, WF_TASK_DEALLOCATE },
	[WF_COMMAND_DELEGATE] = { NEEDS_ITEM, WF_TASK_DELEGATE },
	[WF_COMMAND_REALLOCATE] = { NEEDS_ITEM, WF_TASK_REALLOCATE_STATEFUL },
	[WF_COMMAND_SKIP] = { NEEDS_ITEM, WF_TASK_SKIP },
	[WF_COMMAND_ROLLBACK] = { NEEDS_ADMINISTRATOR, WF_TASK_PRIVILEGES },
	[WF_COMMAND_ADD] = { NEEDS_ITEM, WF_TASK_PRIVILEGES },
	[WF_COMMAND_FORCE] = { NEEDS_ADMINISTRATOR, WF_TASK_PRIVILEGES },
	[WF_COMMAND_FAIL] = { NEEDS_ADMINISTRATOR, WF_TASK_PRIVILEGES },
	[WF_COMMAND_CANCEL_ITEM] = { NEEDS_ADMINISTRATOR, WF_TASK_PRIVILEGES },
	[WF_COMMAND_DISTRIBUTE] = { NEEDS_ADMINISTRATOR, WF_TASK_PRIVILEGES },
	[WF_COMMAND_OFFER] = { NEEDS_ADMINISTRATOR, WF_TASK_PRIVILEGES },
	[WF_COMMAND_ALLOCATE] = { NEEDS_ADMINISTRATOR, WF_TASK_PRIVILEGES },
	[WF_COMMAND_UNOFFER] = { NEEDS_ADMINISTRATOR, WF_TASK_PRIVILEGES },
	[WF_COMMAND_RESCHEDULE] = { NEEDS_ITEM, WF_TASK_PRIVILEGES },
	[WF_COMMAND_SET_NEEDS] = { NEEDS_ADMINISTRATOR, WF_TASK_PRIVILEGES },
	[WF_COMMAND_REDIRECT] = { NEEDS_ADMINISTRATOR, WF_TASK_PRIVILEGES },
};

/* Ids of imported participants are not what anybody calls them. */
static const char *name_of(const struct wf_action_facts *facts, const char *id)
{
	return wf_org_name_of(facts->organisation, WF_ORG_PARTICIPANT, id);
}

static enum wf_rc check_held(
    const struct wf_action_facts *facts, struct wf_error *err)
{
	if (facts->holder[0] == '\0')
		return wf_fail(err, WF_DENIED,
		    "nobody has the item; an administrator can do that");
	if (strcmp(facts->holder, facts->participant) != 0)
		return wf_fail(err, WF_DENIED, "'%.60s' has the item",
		    name_of(facts, facts->holder));
	return WF_OK;
}

static enum wf_rc check_offered(
    const struct wf_action_facts *facts, struct wf_error *err)
{
	if (facts->status != WF_RESOURCE_OFFERED)
		return check_held(facts, err);
	return facts->is_offered ? WF_OK
				 : wf_fail(err, WF_DENIED,
				       "the item is not offered to '%.60s'",
				       name_of(facts, facts->participant));
}

static enum wf_rc check_privilege(const struct wf_action_facts *facts,
    enum wf_task_privilege privilege, uint32_t actor, struct wf_error *err)
{
	if (privilege == WF_TASK_REALLOCATE_STATEFUL && facts->drops_data)
		privilege = WF_TASK_REALLOCATE_STATELESS;
	if (privilege == WF_TASK_PRIVILEGES ||
	    wf_has_task_privilege(
		facts->organisation, facts->task, privilege, actor))
		return WF_OK;
	return wf_fail_code(err, WF_DENIED, WF_LACKS_PRIVILEGE,
	    "'%.60s' has not the privilege %s for the task",
	    name_of(facts, facts->participant),
	    wf_task_privilege_words[privilege]);
}

/*
 * What somebody has is done by others only if they say that they know; but
 * whoever has the item keeps it when it is scheduled anew.
 */
static enum wf_rc check_administrator(const struct wf_action_facts *facts,
    enum wf_command_kind command, struct wf_error *err)
{
	bool is_named =
	    facts->is_administrator && facts->participant[0] != '\0';

	if (is_named || facts->is_forced || facts->holder[0] == '\0' ||
	    strcmp(facts->holder, facts->participant) == 0 ||
	    rights[command].need == NEEDS_ADMINISTRATOR ||
	    command == WF_COMMAND_RESCHEDULE)
		return WF_OK;
	return wf_fail(err, WF_DENIED,
	    "'%.60s' has the item; an administrator can override that",
	    name_of(facts, facts->holder));
}

enum wf_rc wf_may_act(const struct wf_action_facts *facts,
    enum wf_command_kind command, struct wf_error *err)
{
	const struct right *right = &rights[command];
	uint32_t actor;
	enum wf_rc rc;

	if (right->need == NEEDS_NOTHING)
		return WF_OK;
	if (facts->participant[0] == '\0' &&
	    (command == WF_COMMAND_ACCEPT || command == WF_COMMAND_CHAIN))
		return wf_fail_code(err, WF_DENIED, WF_LACKS_PRIVILEGE,
		    "only a participant can do that");
	if (facts->is_administrator)
		return check_administrator(facts, command, err);
	actor = wf_org_find(
	    facts->organisation, WF_ORG_PARTICIPANT, facts->participant);
	if (actor == WF_ORG_NOBODY)
		return wf_fail_code(err, WF_DENIED, WF_LACKS_PRIVILEGE,
		    "the item is for people: a participant can do that, or an "
		    "administrator");
	if (wf_participant_at(facts->organisation, actor)->is_administrator)
		return check_administrator(facts, command, err);
	if (right->need == NEEDS_ADMINISTRATOR || facts->is_forced)
		return wf_fail_code(err, WF_DENIED, WF_LACKS_PRIVILEGE,
		    "only an administrator can do that");
	rc = right->need == NEEDS_OFFER ? check_offered(facts, err)
					: check_held(facts, err);
	if (rc == WF_OK && command == WF_COMMAND_RESCHEDULE &&
	    !wf_has_user_privilege(facts->organisation, actor, WF_USER_REORDER))
		return wf_fail_code(err, WF_DENIED, WF_LACKS_PRIVILEGE,
		    "'%.60s' has not the privilege canReorder",
		    name_of(facts, facts->participant));
	return rc != WF_OK
		   ? rc
		   : check_privilege(facts, right->privilege, actor, err);
}

enum wf_rc wf_may_pile(
    const struct wf_action_facts *facts, struct wf_error *err)
{
	uint32_t actor = wf_org_find(
	    facts->organisation, WF_ORG_PARTICIPANT, facts->participant);
	enum wf_rc rc;

	if (facts->status != WF_RESOURCE_ALLOCATED)
		return wf_fail(err, WF_CONFLICT,
		    "the item is %s, not Allocated",
		    wf_resource_status_name(facts->status));
	if (actor == WF_ORG_NOBODY)
		return wf_fail_code(err, WF_DENIED, WF_LACKS_PRIVILEGE,
		    "only a participant can do that");
	rc = check_held(facts, err);
	return rc != WF_OK ? rc
			   : check_privilege(facts, WF_TASK_PILE, actor, err);
}

/* --- user privileges ------------------------------------------------------ */

static bool may_choose(
    const struct wf_organisation *organisation, uint32_t participant)
{
	return wf_has_user_privilege(
		   organisation, participant, WF_USER_CHOOSE) ||
	       wf_has_user_privilege(
		   organisation, participant, WF_USER_REORDER);
}

bool wf_needs_workload(
    const struct wf_organisation *organisation, uint32_t participant)
{
	return !wf_has_user_privilege(
		   organisation, participant, WF_USER_CONCURRENT) ||
	       !may_choose(organisation, participant);
}

enum wf_rc wf_may_begin(const struct wf_organisation *organisation,
    uint32_t participant, const struct wf_workload *workload, const char *item,
    bool is_allocated, struct wf_error *err)
{
	if (workload->started != NULL && strcmp(workload->started, item) != 0 &&
	    !wf_has_user_privilege(
		organisation, participant, WF_USER_CONCURRENT))
		return wf_fail(err, WF_DENIED,
		    "%.200s is started; to start another item beside it needs "
		    "the privilege canStartConcurrent",
		    workload->started);
	if (is_allocated && workload->allocated != NULL &&
	    strcmp(workload->allocated, item) != 0 &&
	    !may_choose(organisation, participant))
		return wf_fail(err, WF_DENIED,
		    "%.200s is allocated for longer; to start another one "
		    "first needs the privilege canChooseItemToStart or "
		    "canReorder",
		    workload->allocated);
	return WF_OK;
}

enum wf_rc wf_may_chain(const struct wf_organisation *organisation,
    uint32_t participant, struct wf_error *err)
{
	return wf_has_user_privilege(organisation, participant, WF_USER_CHAIN)
		   ? WF_OK
		   : wf_fail_code(err, WF_DENIED, WF_LACKS_PRIVILEGE,
			 "this needs the privilege canChainExecution");
}

/* --- the state of the case ------------------------------------------------ */

static bool is_offered(const struct wf_deciding *deciding,
    const struct wf_assignment *assignment, const char *participant)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_audience audience;
	bool is = wf_audience_read(
		      assignment->audience, arena, &audience, NULL) == WF_OK &&
		  wf_audience_has(deciding->organisation, deciding->keeper,
		      &audience, participant);

	wf_arena_free(&arena);
	return is;
}

/* Whether a participant who is there is in the audience. */
static bool has_anybody(
    const struct wf_deciding *deciding, const struct wf_audience *audience)
{
	const struct wf_organisation *organisation = deciding->organisation;
	size_t count = wf_org_count(organisation, WF_ORG_PARTICIPANT);
	bool is_list = !audience->all && audience->set == NULL &&
		       audience->roles.count == 0;

	for (size_t i = 0; is_list && i < audience->people.count; i++)
		if (wf_org_find(organisation, WF_ORG_PARTICIPANT,
			audience->people.rows[i]) != WF_ORG_NOBODY &&
		    !wf_org_texts_have(
			&audience->except, audience->people.rows[i]))
			return true;
	for (size_t i = 0; !is_list && i < count; i++)
		if (wf_audience_has(organisation, deciding->keeper, audience,
			wf_org_at(organisation, WF_ORG_PARTICIPANT, (uint32_t)i)
			    ->id))
			return true;
	return false;
}

/* An item is taken only from those who are participants no more. */
static enum wf_rc check_gone(const struct wf_deciding *deciding,
    const struct wf_assignment *assignment, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_audience audience;
	bool is_there = false;

	if (assignment->holder[0] != '\0')
		is_there =
		    wf_org_find(deciding->organisation, WF_ORG_PARTICIPANT,
			assignment->holder) != WF_ORG_NOBODY;
	else if (assignment->status == WF_RESOURCE_OFFERED)
		is_there = wf_audience_read(assignment->audience, arena,
			       &audience, NULL) == WF_OK &&
			   has_anybody(deciding, &audience);
	wf_arena_free(&arena);
	return is_there ? wf_fail(err, WF_CONFLICT,
			      "somebody has the item, or is offered it")
			: WF_OK;
}

/*
 * Of a deferred choice, somebody may have taken another item, which is not
 * started yet.
 */
static enum wf_rc check_choice(
    const struct wf_people_question *question, struct wf_error *err)
{
	uint32_t choice = question->item->choice;
	struct wf_item *items;
	size_t count;
	enum wf_rc rc = WF_OK;

	if (choice == 0)
		return WF_OK;
	count = wf_case_items(question->instance, &items);
	for (size_t i = 0; i < count && rc == WF_OK; i++)
		if (items[i].choice == choice &&
		    items[i].task != question->item->task &&
		    items[i].assignment != NULL &&
		    items[i].assignment->status == WF_RESOURCE_ALLOCATED)
			rc = wf_fail(err, WF_CONFLICT,
			    "the choice is made: '%.60s' has taken %s",
			    items[i].assignment->holder,
			    wf_task_id(items[i].task));
	wf_free(items);
	return rc;
}

struct doing {
	const char *participant;
	bool found;
};

static void compare_completer(void *argument, const char *participant)
{
	struct doing *doing = argument;

	doing->found |= strcmp(participant, doing->participant) == 0;
}

/*
 * The task that the participant has completed, and which another than who does
 * the item has to do; NULL: none.  A task that wants whoever has done another
 * one separates nobody.
 */
static const char *find_separated(
    const struct wf_people_question *question, const char *participant)
{
	const struct wf_resourcing *rule =
	    wf_task_rule(question->item->task)->resourcing;
	struct doing doing = { .participant = participant };

	if (participant[0] == '\0' || rule == NULL || rule->familiar != NULL)
		return NULL;
	for (size_t i = 0; i < rule->separated.count; i++) {
		wf_case_completers(question->instance, rule->separated.rows[i],
		    compare_completer, &doing);
		if (doing.found)
			return rule->separated.rows[i];
	}
	return NULL;
}

bool wf_people_asks_case(const struct wf_task *task)
{
	const struct wf_resourcing *rule = wf_task_rule(task)->resourcing;

	return rule != NULL && rule->familiar == NULL &&
	       rule->separated.count > 0;
}

bool wf_people_is_separated(
    const struct wf_people_question *question, const char *participant)
{
	return find_separated(question, participant) != NULL;
}

static enum wf_rc check_separated(const struct wf_people_question *question,
    const char *participant, struct wf_error *err)
{
	const char *task = find_separated(question, participant);

	return task == NULL
		   ? WF_OK
		   : wf_fail(err, WF_DENIED,
			 "'%.60s' has completed %.100s: separation of duties "
			 "wants another for this task",
			 participant, task);
}

/*
 * Separation of duties holds for whoever gets the item, and for whoever does
 * it, whenever the first task was done.  By force an administrator starts and
 * completes it, but gives it to nobody.
 */
static enum wf_rc check_duties(const struct wf_people_question *question,
    enum wf_command_kind command, struct wf_error *err)
{
	const char *at = question->targets;
	enum wf_rc rc = WF_OK;

	if (!question->is_forced &&
	    (rights[command].need == NEEDS_OFFER ||
		command == WF_COMMAND_COMPLETE || command == WF_COMMAND_SKIP))
		rc = check_separated(question, question->actor, err);
	if (command != WF_COMMAND_OFFER && command != WF_COMMAND_ALLOCATE &&
	    command != WF_COMMAND_DELEGATE && command != WF_COMMAND_REALLOCATE)
		return rc;
	while (rc == WF_OK && at[0] != '\0') {
		size_t length = strcspn(at, ",");
		char *id = wf_strndup(at, length);

		rc = check_separated(question, id, err);
		wf_free(id);
		at += length + (at[length] == ',');
	}
	return rc;
}

static enum wf_rc check_needs(const struct wf_deciding *deciding,
    const struct wf_people_question *question, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_needs needs;
	enum wf_rc rc = wf_needs_read(question->targets, arena, &needs, err);

	if (rc == WF_OK)
		rc = wf_needs_check(deciding->organisation, &needs, err);
	wf_arena_free(&arena);
	return rc;
}

/* Those who get the item must be participants. */
static enum wf_rc check_targets(const struct wf_deciding *deciding,
    const struct wf_people_question *question, struct wf_error *err)
{
	const char *at = question->targets;
	bool found = at[0] == '\0';

	while (*at != '\0') {
		size_t length = strcspn(at, ",");
		char *id = wf_strndup(at, length);

		found |= wf_org_find(deciding->organisation, WF_ORG_PARTICIPANT,
			     id) != WF_ORG_NOBODY;
		wf_free(id);
		at += length + (at[length] == ',');
	}
	return found
		   ? WF_OK
		   : wf_fail(err, WF_NOT_FOUND,
			 "there is no participant '%.60s'", question->targets);
}

enum wf_rc wf_people_check(void *context, enum wf_command_kind command,
    const struct wf_people_question *question, struct wf_error *err)
{
	static const struct wf_assignment nothing = { .holder = "",
		.audience = "",
		.returned = "",
		.needs = "",
		.busy = "" };
	const struct wf_deciding *deciding = context;
	const struct wf_assignment *assignment =
	    question->item->assignment == NULL ? &nothing
					       : question->item->assignment;
	struct wf_action_facts facts = { .organisation = deciding->organisation,
		.task = question->item->task,
		.status = assignment->status,
		.holder = assignment->holder,
		.participant = question->actor,
		.is_administrator = question->is_administrator,
		.is_forced = question->is_forced,
		.drops_data = question->drops_data };
	enum wf_rc rc = WF_OK;

	if (command == WF_COMMAND_SET_NEEDS)
		rc = check_needs(deciding, question, err);
	else if (command != WF_COMMAND_REDIRECT)
		rc = check_targets(deciding, question, err);

	if (rc == WF_OK && rights[command].need == NEEDS_OFFER &&
	    !question->is_forced)
		rc = check_choice(question, err);
	if (rc == WF_OK && command == WF_COMMAND_UNOFFER)
		rc = check_gone(deciding, assignment, err);
	/* A deputy, by force either. */
	if (rc == WF_OK && (rights[command].need == NEEDS_OFFER ||
			       rights[command].need == NEEDS_ITEM))
		rc = check_separated(question, question->deputy, err);
	if (rc != WF_OK)
		return rc;
	facts.is_offered = rights[command].need == NEEDS_OFFER &&
			   assignment->status == WF_RESOURCE_OFFERED &&
			   is_offered(deciding, assignment, question->actor);
	rc = wf_may_act(&facts, command, err);
	return rc == WF_OK ? check_duties(question, command, err) : rc;
}
