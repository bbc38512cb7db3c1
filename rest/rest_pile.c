/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Piling: each new item of a task is started for a participant.
 *
 *   allocated item ──pile──► the task is piled, and the item is started
 *                     └── the engine refuses the start: as before
 *   any item of it, or the task's name ──unpile──► the task is free
 */
#include <string.h>

#include "rest/rest_people.h"
#include "spec/spec.h"
#include "worklist/piles.h"

/* An item as it was found; texts are in the arena. */
struct piling {
	struct wf_rest *rest;
	struct wf_rest_actor actor;
	struct wf_organisation *organisation;
	const char *item;
	struct wf_pile pile; /* of its task, for the actor */
	uint64_t added;	     /* by this request; 0: it was piled before */
	struct wf_error err;
};

/* --- the store ------------------------------------------------------------ */

static enum wf_rc put(struct piling *piling, struct wf_store *store)
{
	return wf_pile_put(piling->rest->server->piles, store, &piling->pile,
	    &piling->added, &piling->err);
}

static enum wf_rc take(struct piling *piling, struct wf_store *store)
{
	return wf_pile_remove(
	    piling->rest->server->piles, store, &piling->pile, &piling->err);
}

/* False: answered. */
static bool with_store(struct piling *piling,
    enum wf_rc (*change)(struct piling *piling, struct wf_store *store))
{
	struct wf_store *store;

	return wf_rest_borrow(piling->rest, &store) &&
	       wf_rest_give_back(
		   piling->rest, store, change(piling, store), &piling->err);
}

/* The item was not started: the task is piled no more than before. */
static void take_back(struct wf_rest *rest, void *context)
{
	struct piling *piling = context;
	struct wf_engine *engine = rest->server->engine;
	struct wf_store *store;

	if (piling->added == 0 ||
	    wf_engine_borrow(engine, &store, NULL) != WF_OK)
		return;
	(void)(wf_pile_take_back(rest->server->piles, store, &piling->pile,
		   piling->added, NULL) == WF_OK);
	wf_engine_give_back(engine, store);
}

/* --- the item ------------------------------------------------------------- */

static void note_task(struct piling *piling, const struct wf_task *task)
{
	const struct wf_spec *spec = task->net->spec;
	const char *identifier = spec->metadata.identifier;
	struct wf_arena *arena = piling->rest->arena;

	piling->pile = (struct wf_pile){
		.specification = wf_arena_strdup(
		    arena, identifier == NULL ? spec->uri : identifier),
		.version = wf_arena_strdup(arena, spec->metadata.version),
		.task = wf_arena_strdup(arena, task->id),
		.participant = piling->actor.participant,
	};
}

static void judge_pile(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct piling *piling = context;
	struct wf_item item;
	struct wf_people_question question;
	struct wf_rest_work work = { .rest = piling->rest,
		.organisation = piling->organisation,
		.actor = &piling->actor,
		.question = &question };

	(void)stored;
	if (wf_case_item(instance, piling->item, &item, &piling->err) != WF_OK)
		return;
	if (item.assignment == NULL) {
		wf_fail(&piling->err, WF_CONFLICT,
		    "work item %.200s is not for people", piling->item);
		return;
	}
	question = wf_rest_people_question(instance, &item, &piling->actor);
	work.task = item.task;
	work.assignment = item.assignment->status;
	work.status = item.status;
	work.was_started = item.started_at != 0;
	work.holder = item.assignment->holder;
	work.piled = wf_piles_find(
	    piling->rest->server->piles, item.task, piling->rest->arena);
	note_task(piling, item.task);
	(void)(wf_rest_check_pile(&work, &piling->err) == WF_OK);
}

static void find_task(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct piling *piling = context;
	struct wf_item item;

	(void)stored;
	if (wf_case_item(instance, piling->item, &item, &piling->err) == WF_OK)
		note_task(piling, item.task);
}

/* False: answered. */
static bool need_participant(struct piling *piling)
{
	if (piling->actor.participant != NULL)
		return true;
	wf_fail(&piling->err, WF_DENIED,
	    "the account %s is no participant: for=USER acts for one",
	    piling->rest->account.name);
	wf_rest_fail(piling->rest, &piling->err);
	return false;
}

/* The item of the path, and who acts.  False: answered. */
static bool read_item(struct piling *piling, struct wf_rest *rest,
    struct wf_known_case *known, wf_inspect_f how)
{
	enum wf_rc rc;

	*piling = (struct piling){ .rest = rest, .item = rest->parts[0] };
	if (!wf_rest_known_case_of_item(rest, piling->item, known) ||
	    !wf_rest_read_actor(rest, &piling->actor) ||
	    (how == judge_pile && !need_participant(piling)))
		return false;
	piling->organisation = wf_org_cache_get(rest->server->organisation);
	rc = wf_engine_inspect(
	    rest->server->engine, known->number, how, piling, &piling->err);
	wf_organisation_unref(&piling->organisation);
	if (rc == WF_OK && piling->err.rc == WF_OK)
		return true;
	wf_rest_fail(rest, &piling->err);
	return false;
}

void wf_rest_pile_item(struct wf_rest *rest)
{
	struct piling *piling = wf_arena_alloc(rest->arena, sizeof(*piling));
	struct wf_known_case known;
	struct wf_request request = { .kind = rest->route->request,
		.command = { .kind = rest->route->command } };

	if (!read_item(piling, rest, &known, judge_pile))
		return;
	request.number = known.number;
	request.command.item = piling->item;
	request.command.participant = piling->actor.participant;
	request.command.deputy = piling->actor.deputy;
	request.command.is_pile = true;
	rest->undo = wf_arena_alloc(rest->arena, sizeof(*rest->undo));
	*rest->undo =
	    (struct wf_rest_undo){ .undo = take_back, .context = piling };
	if (wf_rest_is_allowed(rest) && wf_rest_may_begin(rest, &request) &&
	    with_store(piling, put))
		wf_rest_submit(rest, &request, 200);
}

/* --- the end of it -------------------------------------------------------- */

static json_t *describe(
    const struct wf_organisation *organisation, const struct wf_pile *pile)
{
	return json_pack("{s:s,s:s,s:s,s:s}", "specification",
	    pile->specification, "version", pile->version, "task", pile->task,
	    "participant", wf_rest_user(organisation, pile->participant));
}

/* An administrator ends it for whoever has it. */
static void remove_pile(struct piling *piling)
{
	struct wf_rest *rest = piling->rest;
	struct wf_pile pile = piling->pile;
	json_t *answer;

	/* The store takes nobody for whoever has it. */
	if (wf_rest_is_administrator(rest, &piling->actor))
		piling->pile.participant = NULL;
	else if (!need_participant(piling))
		return;
	if (!with_store(piling, take))
		return;
	answer = json_pack("{s:s,s:s,s:s}", "specification", pile.specification,
	    "version", pile.version, "task", pile.task);
	wf_rest_answer(rest, 200, answer);
}

void wf_rest_unpile_item(struct wf_rest *rest)
{
	struct piling piling;
	struct wf_known_case known;

	if (read_item(&piling, rest, &known, find_task))
		remove_pile(&piling);
}

/* A text that must be there; false: answered. */
static bool read_name(struct wf_rest *rest, json_t *body, const char *member,
    const char **name_out)
{
	if (!wf_rest_text(rest, body, member, WF_REST_TEXT_BYTES, name_out))
		return false;
	if (*name_out != NULL) {
		*name_out = wf_arena_strdup(rest->arena, *name_out);
		return true;
	}
	wf_rest_refuse(
	    rest, "%s: expected a text, as /v1/worklist/piles has it", member);
	return false;
}

void wf_rest_unpile_task(struct wf_rest *rest)
{
	struct piling piling = { .rest = rest };
	json_t *body;
	bool good;

	if (!wf_rest_body(rest, &body))
		return;
	good = read_name(
		   rest, body, "specification", &piling.pile.specification) &&
	       read_name(rest, body, "version", &piling.pile.version) &&
	       read_name(rest, body, "task", &piling.pile.task);
	json_decref(body);
	if (!good)
		return; /* the exchange may be over */
	rest->process = piling.pile.specification;
	if (!wf_rest_may(rest, rest->process, NULL) ||
	    !wf_rest_read_actor(rest, &piling.actor))
		return;
	piling.pile.participant = piling.actor.participant;
	remove_pile(&piling);
}

void wf_rest_list_piles(struct wf_rest *rest)
{
	struct wf_rest_actor actor;
	struct wf_organisation *organisation;
	struct wf_pile_list list;
	json_t *rows;

	if (!wf_rest_read_actor(rest, &actor))
		return;
	list = wf_piles_of(rest->server->piles, actor.participant, rest->arena);
	organisation = wf_org_cache_get(rest->server->organisation);
	rows = json_array();
	for (size_t i = 0; i < list.count; i++)
		if (actor.deputy == NULL ||
		    wf_rest_is_deputy_in(rest, organisation, actor.participant,
			list.rows[i].specification))
			json_array_append_new(
			    rows, describe(organisation, &list.rows[i]));
	wf_organisation_unref(&organisation);
	wf_rest_answer(rest, 200, json_pack("{s:o}", "piles", rows));
}
