/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may be done with a case or an item now, and why the rest not.
 *
 * An action is an operation of routes.def.  It is allowed when the account has
 * the right of its route, and the engine would do the command: wf_engine_try()
 * gives it to a copy of the case.  What only the layers above the engine refuse
 * is asked where they do it (rest_action.c, rest_start.c).
 */
#include <string.h>

#include "rest/rest_item.h"
#include "rest/rest_people.h"

/* --- the answer ----------------------------------------------------------- */

/* Takes the reference; refusal NULL: it is allowed. */
static void put_refusal(json_t *answer, const char *word, json_t *refusal)
{
	json_t *action = json_pack("{s:b}", "allowed", refusal == NULL);

	if (refusal != NULL)
		json_object_update_new(action, refusal);
	json_object_set_new(answer, word, action);
}

/* refusal: rc WF_OK: it is allowed. */
static void put(
    json_t *answer, const char *word, const struct wf_error *refusal)
{
	put_refusal(answer, word,
	    refusal->rc == WF_OK ? NULL : wf_rest_describe_refusal(refusal));
}

/* Whether the account has one of the verbs; false: answered. */
static bool check_right(struct wf_rest *rest, uint32_t verbs, const char *item,
    const struct wf_known_case *known, bool *serves_out, struct wf_error *err)
{
	if (!wf_rest_has_right(rest, verbs, item, known, serves_out))
		return false;
	if (!*serves_out)
		wf_rest_say_right(rest, verbs,
		    item == NULL ? " for the process of the case"
				 : " for this work item",
		    err);
	return true;
}

/* --- cases ---------------------------------------------------------------- */

/* What else refuses it. */
enum guard {
	GUARD_STEP, /* the engine, asked with that command */
	GUARD_END,  /* the store: the case must have ended */
	GUARD_STARTER,
	GUARD_NOTHING
};

static const struct case_action {
	const char *word;
	const char *operation;
	enum guard guard;
	enum wf_command_kind command; /* that is tried */
} case_actions[] = {
	{ "suspend", "suspendCase", GUARD_STEP, WF_COMMAND_SUSPEND_CASE },
	{ "resume", "resumeCase", GUARD_STEP, WF_COMMAND_RESUME_CASE },
	{ "cancel", "cancelCase", GUARD_STEP, WF_COMMAND_CANCEL_CASE },
	{ "change_data", "updateCaseData", GUARD_STEP, WF_COMMAND_UPDATE_CASE },
	{ "repair", "repairCase", GUARD_STEP, WF_COMMAND_REPAIR },
	/* A case is left, for another one, when it can be repaired. */
	{ "migrate", "migrateCase", GUARD_STEP, WF_COMMAND_REPAIR },
	{ "withdraw", "withdrawCase", GUARD_STARTER, WF_COMMAND_CANCEL_CASE },
	{ "comment", "addComment", GUARD_NOTHING, WF_COMMAND_CANCEL_CASE },
	{ "erase", "eraseCase", GUARD_END, WF_COMMAND_CANCEL_CASE },
};

#define CASE_ACTIONS (sizeof(case_actions) / sizeof(*case_actions))

/* All in the order of case_actions; false: answered. */
static bool try_case(
    struct wf_rest *rest, uint64_t number, struct wf_trial *trials)
{
	struct wf_error err = { .rc = WF_OK };

	for (size_t i = 0; i < CASE_ACTIONS; i++)
		trials[i] = (struct wf_trial){
			.command = { .kind = case_actions[i].command },
			.is_incomplete = true
		};
	if (wf_engine_try(rest->server->engine, number, trials, CASE_ACTIONS,
		&err) == WF_OK)
		return true;
	if (err.rc == WF_NOT_FOUND)
		wf_rest_refuse_case(rest, rest->parts[0]);
	else
		wf_rest_fail(rest, &err);
	return false;
}

/* What the guard of an action says; trial: of the action. */
static struct wf_error ask_guard(struct wf_rest *rest,
    const struct case_action *action, uint64_t number,
    const struct wf_trial *trial)
{
	struct wf_error err = { .rc = WF_OK };

	switch (action->guard) {
	case GUARD_STEP:
		return trial->refusal;
	case GUARD_END:
		/* An ended case takes no command. */
		if (trial->refusal.rc != WF_NOT_FOUND)
			wf_fail(&err, WF_CONFLICT, "%s", WF_ERASE_RUNNING);
		break;
	case GUARD_STARTER:
		if (wf_rest_check_withdrawal(rest, number, &err) == WF_OK)
			return trial->refusal;
		break;
	case GUARD_NOTHING:
		break;
	}
	return err;
}

/* False: answered. */
static bool put_case_action(struct wf_rest *rest, json_t *answer,
    const struct case_action *action, const struct wf_known_case *known,
    const struct wf_trial *trial)
{
	const struct wf_route *route = wf_rest_route(action->operation);
	struct wf_error err = { .rc = WF_OK };
	bool has = action->guard == GUARD_NOTHING;

	/* Whoever sees a case comments it. */
	if (!has &&
	    !check_right(rest, route->operation.verbs, NULL, known, &has, &err))
		return false;
	if (has)
		err = ask_guard(rest, action, known->number, trial);
	put(answer, action->word, &err);
	return true;
}

void wf_rest_show_case_actions(struct wf_rest *rest)
{
	struct wf_trial trials[CASE_ACTIONS];
	struct wf_known_case known;
	json_t *answer;
	bool is_own;
	bool good;

	if (!wf_rest_visible_case(rest, rest->parts[0], &known, &is_own) ||
	    !try_case(rest, known.number, trials))
		return;
	answer = json_object();
	good = true;
	for (size_t i = 0; good && i < CASE_ACTIONS; i++)
		good = put_case_action(
		    rest, answer, &case_actions[i], &known, &trials[i]);
	if (good)
		wf_rest_answer(rest, 200, answer);
	else
		json_decref(answer);
}

/* --- items ---------------------------------------------------------------- */

static const struct item_action {
	const char *word;
	const char *operation;
} item_actions[] = {
	{ "accept", "acceptItem" },
	{ "start", "startItem" },
	{ "complete", "completeItem" },
	{ "suspend", "suspendItem" },
	{ "resume", "resumeItem" },
	{ "deallocate", "deallocateItem" },
	{ "delegate", "delegateItem" },
	{ "reallocate", "reallocateItem" },
	{ "skip", "skipItem" },
	{ "chain", "chainItem" },
	{ "offer", "offerItem" },
	{ "allocate", "allocateItem" },
	{ "force", "forceItem" },
	{ "fail", "failItem" },
	{ "rollback", "rollBackItem" },
	{ "cancel", "cancelItem" },
	{ "add", "addInstance" },
	{ "change_data", "updateItemData" },
	{ "reschedule", "changeItem" },
	{ "redirect", "redirectItem" },
};

#define ITEM_ACTIONS (sizeof(item_actions) / sizeof(*item_actions))

struct item_asking {
	struct wf_rest *rest;
	struct wf_known_case known;
	struct wf_rest_actor actor;
	struct wf_trial trials[ITEM_ACTIONS];
	struct wf_error rights[ITEM_ACTIONS];
};

static bool takes_part(
    const struct item_asking *asking, uint32_t verbs, bool *takes_out)
{
	*takes_out = false;
	return (verbs & WF_MAY(PARTICIPATE)) == 0 ||
	       asking->actor.participant == NULL ||
	       wf_rest_may_here(asking->rest, WF_MAY(PARTICIPATE), takes_out);
}

/* The command as the handler of its route gives it.  False: answered. */
static bool prepare(struct item_asking *asking, size_t i)
{
	const struct wf_rest_actor *actor = &asking->actor;
	struct wf_rest *rest = asking->rest;
	const struct wf_route *route = wf_rest_route(item_actions[i].operation);
	uint32_t verbs = route->operation.verbs;
	struct wf_command *command = &asking->trials[i].command;
	struct wf_error *refusal = &asking->rights[i];
	bool serves;
	bool takes;

	if (!takes_part(asking, verbs, &takes) ||
	    !check_right(rest, verbs & ~(uint32_t)WF_MAY(PARTICIPATE),
		rest->parts[0], &asking->known, &serves, refusal))
		return false;
	if (takes)
		wf_error_clear(refusal);
	*command = (struct wf_command){ .kind = route->command,
		.item = rest->parts[0],
		.participant = actor->participant,
		.deputy = actor->deputy,
		.is_administrator = actor->is_administrator,
		.may_serve = serves };
	asking->trials[i].is_incomplete = true;
	if (refusal->rc == WF_OK)
		(void)(wf_rest_administer(rest, route, command, refusal) ==
		       WF_OK);
	return true;
}

/*
 * The engine's refusals before those of the people, who know more words, but
 * a missing privilege before a state; what neither refuses is allowed.
 */
static void put_item_actions(
    const struct item_asking *asking, json_t *item, json_t *answer)
{
	json_t *refused = json_object_get(item, "refused");
	const char *word;
	json_t *refusal;
	json_t *text;
	json_t *words = json_object_get(item, "actions");
	size_t k;

	for (size_t i = 0; i < ITEM_ACTIONS; i++)
		put(answer, item_actions[i].word,
		    asking->rights[i].rc != WF_OK ? &asking->rights[i]
						  : &asking->trials[i].refusal);
	json_object_foreach(refused, word, refusal)
	{
		const json_t *known = json_object_get(answer, word);
		bool is_refused =
		    json_is_false(json_object_get(known, "allowed"));
		bool lacks = json_object_get(refusal, "lacks") != NULL &&
			     json_object_get(known, "lacks") == NULL;

		if (!is_refused || lacks)
			put_refusal(answer, word, json_incref(refusal));
	}
	json_array_foreach(words, k, text)
	{
		if (json_object_get(answer, json_string_value(text)) == NULL)
			json_object_set_new(answer, json_string_value(text),
			    json_pack("{s:b}", "allowed", 1));
	}
}

/* False: answered. */
static bool try_item(struct item_asking *asking)
{
	struct wf_error err = { .rc = WF_OK };

	for (size_t i = 0; i < ITEM_ACTIONS; i++)
		if (!prepare(asking, i))
			return false;
	if (wf_engine_try(asking->rest->server->engine, asking->known.number,
		asking->trials, ITEM_ACTIONS, &err) == WF_OK)
		return true;
	wf_rest_fail(asking->rest, &err);
	return false;
}

void wf_rest_show_item_actions(struct wf_rest *rest)
{
	struct item_asking *asking =
	    wf_arena_alloc(rest->arena, sizeof(*asking));
	json_t *answer;
	json_t *item;

	asking->rest = rest;
	if (!wf_rest_inspect_item(
		rest, &item, &asking->known.number, &asking->actor))
		return;
	asking->known.specification = rest->invocation.specification;
	if (try_item(asking)) {
		answer = json_object();
		put_item_actions(asking, item, answer);
		wf_rest_answer(rest, 200, answer);
	}
	json_decref(item);
}
