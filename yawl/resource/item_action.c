/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is done with an item: the state of the item is inspected first, because
 * clients expect refusals in the words of YAWL; then a command is given to the
 * engine, which decides who may do it (people/permission.c).
 *
 * The participant that the request names gives the command; its actor is the
 * account of the handle.  So the history names both.
 */
#include <string.h>

#include "kernel/assignment/assignment.h"
#include "people/decision.h"
#include "spec/markup.h"
#include "worklist/list.h"
#include "yawl/resource/item_action.h"
#include "yawl/resource/item_draft.h"
#include "yawl/resource/work_record.h"

/* --- the item ------------------------------------------------------------- */

/* An item as it was found; texts are in the arena. */
struct found {
	const char *status; /* of its resource */
	const char *holder;
	const char *specification; /* its identifier */
	const char *version;
	const char *task;
	bool may_pile; /* the participant of the request may */
	uint64_t pile; /* that the request has added; 0: none */
};

static const char *item_id(const struct wf_gateway_call *call)
{
	return wf_gateway_text(call, "workitemid");
}

static bool may_pile(struct wf_gateway_call *call, const struct wf_task *task)
{
	struct wf_organisation *organisation = wf_gateway_organisation(call);
	uint32_t number = wf_org_find(organisation, WF_ORG_PARTICIPANT,
	    wf_gateway_text(call, "participantid"));
	bool may =
	    number != WF_ORG_NOBODY &&
	    wf_has_task_privilege(organisation, task, WF_TASK_PILE, number);

	wf_organisation_unref(&organisation);
	return may;
}

static void note_item(struct wf_yawl_call *yawl, const struct wf_case *instance,
    const struct wf_yawl_item *item)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)yawl;
	struct found *found = wf_arena_alloc(yawl->arena, sizeof(*found));
	const struct wf_spec *spec = item->task->net->spec;

	(void)instance;
	found->status = wf_work_status(item);
	found->holder =
	    item->assignment == NULL
		? ""
		: wf_arena_strdup(yawl->arena, item->assignment->holder);
	found->specification = wf_arena_strdup(yawl->arena,
	    spec->metadata.identifier == NULL ? spec->uri
					      : spec->metadata.identifier);
	found->version = wf_arena_strdup(yawl->arena, spec->metadata.version);
	found->task = wf_arena_strdup(yawl->arena, item->task->id);
	found->may_pile = may_pile(call, item->task);
	call->found = found;
}

/* False: the call is answered. */
static bool find_item(struct wf_gateway_call *call)
{
	struct wf_error err = { .rc = WF_OK };

	(void)wf_yawl_inspect_item(&call->yawl, item_id(call), note_item, &err);
	if (err.rc != WF_OK)
		wf_gateway_fail_error(call, &err);
	else if (call->found == NULL)
		wf_gateway_fail(call, "Unknown workitem: %s", item_id(call));
	return err.rc == WF_OK && call->found != NULL;
}

/* need: states with "' or '" between; false: the call is answered. */
static bool is_in_state(
    struct wf_gateway_call *call, const char *need, const char *verb)
{
	const struct found *found = call->found;
	const char *at = strstr(need, found->status);
	size_t length = strlen(found->status);

	/* "Unoffered" does not stand for "Offered": a name is whole. */
	if (at != NULL && (at == need || at[-1] == '\'') &&
	    (at[length] == '\0' || at[length] == '\''))
		return true;
	wf_gateway_fail(call,
	    "Only a workitem with '%s' status can be %s. Workitem '%s' has "
	    "'%s' status.",
	    need, verb, item_id(call), found->status);
	return false;
}

/* --- participants --------------------------------------------------------- */

static bool is_participant(struct wf_gateway_call *call, const char *id)
{
	struct wf_organisation *organisation = wf_gateway_organisation(call);
	bool is =
	    wf_org_find(organisation, WF_ORG_PARTICIPANT, id) != WF_ORG_NOBODY;

	wf_organisation_unref(&organisation);
	return is;
}

/* False: the call is answered. */
static bool find_participant(struct wf_gateway_call *call)
{
	const char *id = wf_gateway_text(call, "participantid");

	if (is_participant(call, id))
		return true;
	wf_gateway_fail(call, "Unknown participant: %s", id);
	return false;
}

bool wf_item_is_ready(
    struct wf_gateway_call *call, const char *need, const char *verb)
{
	return find_participant(call) && find_item(call) &&
	       is_in_state(call, need, verb);
}

/*
 * User privileges hold for a user who acts with the own handle.  A service
 * decides itself what its users may choose, as YAWL's worklist does.  False:
 * the call is answered.
 */
static bool has_user_privilege(
    struct wf_gateway_call *call, enum wf_command_kind kind)
{
	const char *participant = wf_gateway_text(call, "participantid");
	struct wf_error err = { .rc = WF_OK };
	struct wf_organisation *organisation;
	uint32_t number;

	if (call->is_service)
		return true;
	organisation = wf_gateway_organisation(call);
	number = wf_org_find(organisation, WF_ORG_PARTICIPANT, participant);
	if (kind == WF_COMMAND_CHAIN && number != WF_ORG_NOBODY)
		(void)(wf_may_chain(organisation, number, &err) == WF_OK);
	else
		(void)(wf_workload_check(call->yawl.server->engine,
			   organisation, participant, call->yawl.known.number,
			   item_id(call), call->yawl.arena, &err) == WF_OK);
	wf_organisation_unref(&organisation);
	if (err.rc != WF_OK)
		wf_gateway_fail_error(call, &err);
	return err.rc == WF_OK;
}

/* --- commands ------------------------------------------------------------- */

void wf_item_submit(
    struct wf_gateway_call *call, struct wf_command command, wf_yawl_f then)
{
	struct wf_request request = { .number = call->yawl.known.number };

	request.command = command;
	request.command.item = item_id(call);
	wf_yawl_submit(&call->yawl, &request, then);
}

static void succeed(struct wf_yawl_call *yawl)
{
	wf_gateway_succeed((struct wf_gateway_call *)yawl);
}

static void note_data(struct wf_yawl_call *yawl, const struct wf_case *instance,
    const struct wf_yawl_item *item)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)yawl;

	(void)instance;
	if (item->is_child && item->data != NULL)
		call->found = wf_arena_strdup(yawl->arena, item->data);
}

/* The edited data of an item is then what it started with. */
static void succeed_without_data(struct wf_yawl_call *yawl)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)yawl;
	struct wf_item_texts texts = { NULL, NULL, NULL, NULL };
	struct wf_error err = { .rc = WF_OK };

	call->found = NULL;
	(void)wf_yawl_inspect_item(yawl, item_id(call), note_data, &err);
	texts.xml = call->found;
	if (texts.xml != NULL)
		(void)(wf_item_draft_put(call, item_id(call), &texts, &err) ==
		       WF_OK);
	wf_gateway_succeed(call);
}

static void fail_as_engine(struct wf_yawl_call *yawl)
{
	wf_gateway_fail_error((struct wf_gateway_call *)yawl, &yawl->error);
}

/* "Could not suspend workitem: 7.1:A", and why not. */
static void fail_as_yawl(struct wf_yawl_call *yawl)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)yawl;

	wf_gateway_fail(
	    call, "Could not %s workitem: %s", yawl->words, item_id(call));
}

/*
 * A command of the participant for the item in that state.  infinitive: in the
 * words of a refusal; NULL: the engine's own words.
 */
static void act(struct wf_gateway_call *call, enum wf_command_kind kind,
    const char *need, const char *verb, const char *infinitive, wf_yawl_f then)
{
	const struct wf_command command = { .kind = kind,
		.participant = wf_gateway_text(call, "participantid") };

	if (!wf_item_is_ready(call, need, verb))
		return;
	call->yawl.words = infinitive;
	call->yawl.refused = infinitive == NULL ? fail_as_engine : fail_as_yawl;
	wf_item_submit(call, command, then);
}

void wf_gateway_accept(struct wf_gateway_call *call)
{
	act(call, WF_COMMAND_ACCEPT, "Offered", "accepted", NULL, succeed);
}

void wf_gateway_deallocate(struct wf_gateway_call *call)
{
	act(call, WF_COMMAND_DEALLOCATE, "Allocated", "deallocated",
	    "deallocate", succeed);
}

void wf_gateway_skip(struct wf_gateway_call *call)
{
	act(call, WF_COMMAND_SKIP, "Allocated", "skipped", "skip", succeed);
}

void wf_gateway_suspend(struct wf_gateway_call *call)
{
	act(call, WF_COMMAND_SUSPEND_ITEM, "Started", "suspended", "suspend",
	    succeed);
}

void wf_gateway_unsuspend(struct wf_gateway_call *call)
{
	act(call, WF_COMMAND_RESUME_ITEM, "Suspended", "unsuspended",
	    "unsuspend", succeed);
}

/* --- starting ------------------------------------------------------------- */

/* The instance that was started, or nothing if it has ended by now. */
static void show_started(struct wf_yawl_call *yawl)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)yawl;
	struct wf_error err = { .rc = WF_OK };

	if (!wf_work_show(call, yawl->item, &err) && err.rc != WF_OK)
		wf_gateway_fail_error(call, &err);
	else
		wf_gateway_answer(call);
}

#define STARTABLE "Unoffered', 'Offered' or 'Allocated"

/* Whoever cannot start an item that is offered, because it must wait, has it.
 */
static void keep_for_later(struct wf_yawl_call *yawl)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)yawl;
	const struct found *found = call->found;
	const struct wf_command accept = { .kind = WF_COMMAND_ACCEPT,
		.participant = wf_gateway_text(call, "participantid") };

	yawl->refused = fail_as_yawl;
	if (strcmp(yawl->error.code, WF_WAITS_CODE) == 0 &&
	    strcmp(found->status, "Offered") == 0)
		wf_item_submit(call, accept, fail_as_yawl);
	else
		fail_as_yawl(yawl);
}

void wf_gateway_start(struct wf_gateway_call *call)
{
	const struct wf_command start = { .kind = WF_COMMAND_START,
		.participant = wf_gateway_text(call, "participantid") };

	if (!wf_item_is_ready(call, STARTABLE, "started") ||
	    !has_user_privilege(call, WF_COMMAND_START))
		return;
	call->yawl.words = "start";
	call->yawl.refused = keep_for_later;
	wf_item_submit(call, start, show_started);
}

static void answer_chained(struct wf_yawl_call *yawl)
{
	wf_gateway_answer_text(
	    (struct wf_gateway_call *)yawl, "Chaining successful.");
}

/* YAWL answers with plain text, which its clients show. */
static void answer_not_chained(struct wf_yawl_call *yawl)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)yawl;

	if (yawl->error.rc == WF_CONFLICT)
		wf_gateway_answer_text(call,
		    "Cannot chain: case already chained by another user.");
	else
		wf_gateway_fail_error(call, &yawl->error);
}

void wf_gateway_chain(struct wf_gateway_call *call)
{
	const struct wf_command command = { .kind = WF_COMMAND_CHAIN,
		.participant = wf_gateway_text(call, "participantid") };

	if (!wf_item_is_ready(call, "Offered", "chained") ||
	    !has_user_privilege(call, WF_COMMAND_CHAIN))
		return;
	call->yawl.refused = answer_not_chained;
	wf_item_submit(call, command, answer_chained);
}

/* To YAWL, a case that is not chained is unchained. */
static void answer_not_unchained(struct wf_yawl_call *yawl)
{
	if (yawl->error.rc == WF_CONFLICT)
		succeed(yawl);
	else
		fail_as_engine(yawl);
}

void wf_gateway_unchain(struct wf_gateway_call *call)
{
	const char *id = wf_gateway_parameter(call, "caseid");
	struct wf_request request = { .command = {
					  .kind = WF_COMMAND_UNCHAIN } };

	if (id == NULL) {
		wf_gateway_fail(call, "Missing case id parameter");
		return;
	}
	if (!wf_yawl_find_case(&call->yawl, id)) {
		wf_gateway_fail(call, "Unknown case: %s", id);
		return;
	}
	request.number = call->yawl.known.number;
	request.command.participant = call->participant;
	request.command.is_administrator =
	    call->is_service || call->is_administrator;
	call->yawl.refused = answer_not_unchained;
	wf_yawl_submit(&call->yawl, &request, succeed);
}

/* --- piling --------------------------------------------------------------- */

enum pile_change { PUT, TAKE_BACK, REMOVE };

/* added: as wf_pile_put() gives it, to take it back; not to remove. */
static enum wf_rc change_pile(struct wf_gateway_call *call,
    enum pile_change change, const struct wf_pile *pile, uint64_t *added,
    struct wf_error *err)
{
	struct wf_server *server = call->yawl.server;
	struct wf_piles *piles = server->piles;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(server->engine, &store, err);

	if (rc != WF_OK)
		return rc;
	if (change == PUT)
		rc = wf_pile_put(piles, store, pile, added, err);
	else if (change == TAKE_BACK)
		rc = wf_pile_take_back(piles, store, pile, *added, err);
	else
		rc = wf_pile_remove(piles, store, pile, err);
	wf_engine_give_back(server->engine, store);
	return rc;
}

/* The task of the item that was found, for the participant. */
static struct wf_pile pile_of(const struct wf_gateway_call *call)
{
	const struct found *found = call->found;

	return (struct wf_pile){ found->specification, found->version,
		found->task, wf_gateway_text(call, "participantid") };
}

/* The item was not started; whether one that was lost is, is not known. */
static void take_pile_back(struct wf_yawl_call *yawl)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)yawl;
	const struct wf_pile pile = pile_of(call);
	struct found *found = call->found;

	if (yawl->error.rc != WF_LOST)
		(void)(change_pile(call, TAKE_BACK, &pile, &found->pile,
			   NULL) == WF_OK);
	fail_as_engine(yawl);
}

static void answer_piled(struct wf_yawl_call *yawl)
{
	wf_gateway_answer_text(
	    (struct wf_gateway_call *)yawl, "Task successfully piled.");
}

void wf_gateway_pile(struct wf_gateway_call *call)
{
	const char *participant = wf_gateway_text(call, "participantid");
	const struct wf_command start = { .kind = WF_COMMAND_START,
		.participant = participant,
		.is_pile = true };
	struct wf_error err = { .rc = WF_OK };
	struct found *found;
	struct wf_pile pile;
	enum wf_rc rc;

	if (!wf_item_is_ready(call, "Allocated", "piled") ||
	    !has_user_privilege(call, WF_COMMAND_START))
		return;
	found = call->found;
	if (!found->may_pile || strcmp(found->holder, participant) != 0) {
		wf_gateway_fail(
		    call, "Cannot pile task: insufficient privileges.");
		return;
	}
	pile = pile_of(call);
	rc = change_pile(call, PUT, &pile, &found->pile, &err);
	if (rc == WF_OK) {
		call->yawl.refused =
		    found->pile != 0 ? take_pile_back : fail_as_engine;
		call->yawl.undoes = found->pile != 0;
		wf_item_submit(call, start, answer_piled);
	} else if (rc == WF_CONFLICT) {
		wf_gateway_fail(call,
		    "Cannot pile task: already piled by another resource.");
	} else {
		wf_gateway_fail_error(call, &err);
	}
}

struct task_search {
	const char *id;
	bool found;
};

static void find_task(void *context, const struct wf_spec *spec)
{
	struct task_search *search = context;

	uint32_t at = 0;

	search->found = wf_spec_next_task(spec, search->id, &at) != NULL;
}

void wf_gateway_unpile(struct wf_gateway_call *call)
{
	struct wf_yawl_call *yawl = &call->yawl;
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_row row;
	struct task_search search = { wf_gateway_text(call, "taskid"), false };
	struct wf_pile pile;
	enum wf_rc rc;

	if (!wf_yawl_find_spec(yawl, &row, &err) ||
	    wf_engine_inspect_spec(yawl->server->engine, WF_NAMESPACE_DEFAULT,
		row.key, false, find_task, &search, &err) != WF_OK ||
	    !search.found) {
		wf_gateway_fail(call, "Unknown specification or task");
		return;
	}
	pile = (struct wf_pile){ row.identifier, row.version, search.id,
		wf_gateway_text(call, "participantid") };
	rc = change_pile(call, REMOVE, &pile, NULL, &err);
	if (rc == WF_OK)
		wf_gateway_answer_text(call, "Task successfully unpiled");
	else if (rc == WF_CONFLICT || rc == WF_NOT_FOUND)
		wf_gateway_answer_text(
		    call, "Cannot unpile task - resource settings unavailable");
	else
		wf_gateway_fail_error(call, &err);
}

/* --- passing on ----------------------------------------------------------- */

/* False: the call is answered, with nothing around the failure. */
static bool find_both(struct wf_gateway_call *call)
{
	const char *from = wf_gateway_text(call, "pfrom");
	const char *to = wf_gateway_text(call, "pto");

	if (!is_participant(call, from))
		wf_gateway_fail_bare(
		    call, "Unknown source participant: %s", from);
	else if (!is_participant(call, to))
		wf_gateway_fail_bare(
		    call, "Unknown destination participant: %s", to);
	else
		return true;
	return false;
}

static void pass_on(struct wf_gateway_call *call, enum wf_command_kind kind,
    const char *need, const char *verb, bool drops_data)
{
	const struct wf_command command = { .kind = kind,
		.participant = wf_gateway_text(call, "pfrom"),
		.targets = wf_gateway_text(call, "pto"),
		.drops_data = drops_data };

	if (!find_both(call) || !find_item(call) ||
	    !is_in_state(call, need, verb))
		return;
	call->yawl.words =
	    kind == WF_COMMAND_DELEGATE ? "delegate" : "reallocate";
	call->yawl.refused = fail_as_yawl;
	wf_item_submit(
	    call, command, drops_data ? succeed_without_data : succeed);
}

void wf_gateway_delegate(struct wf_gateway_call *call)
{
	pass_on(call, WF_COMMAND_DELEGATE, "Allocated", "delegated", false);
}

void wf_gateway_reallocate_stateful(struct wf_gateway_call *call)
{
	pass_on(call, WF_COMMAND_REALLOCATE, "Started", "reallocated", false);
}

void wf_gateway_reallocate_stateless(struct wf_gateway_call *call)
{
	pass_on(call, WF_COMMAND_REALLOCATE, "Started", "reallocated", true);
}

/* --- administrators ------------------------------------------------------- */

/* Ids with commas between: the children of the XML; NULL: none is given. */
static const char *read_targets(struct wf_gateway_call *call)
{
	const char *xml = wf_gateway_parameter(call, "participantids");
	struct wf_arena *arena = call->yawl.arena;
	const struct wf_markup *root;
	const char *targets = NULL;

	if (xml == NULL)
		return NULL;
	root = wf_yawl_parse(&call->yawl, xml);
	for (const struct wf_markup *child =
		 root == NULL ? NULL : wf_markup_child(root, NULL);
	     child != NULL; child = wf_markup_next(child, NULL)) {
		const char *id = wf_markup_text(arena, child);

		if (is_participant(call, id))
			targets = targets == NULL ? id
						  : wf_arena_printf(arena,
							"%s,%s", targets, id);
	}
	return targets == NULL && root != NULL &&
		       wf_markup_child(root, NULL) != NULL
		   ? ""
		   : targets;
}

/* The first of ids with commas between. */
static const char *first_of(struct wf_arena *arena, const char *ids)
{
	return wf_arena_strndup(arena, ids, strcspn(ids, ","));
}

/* What was edited by those who had the item goes. */
static void succeed_and_drop(struct wf_yawl_call *yawl)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)yawl;
	struct wf_error err = { .rc = WF_OK };

	if (wf_item_draft_drop_data(call, item_id(call), &err) == WF_OK)
		wf_gateway_succeed(call);
	else
		wf_gateway_fail_error(call, &err);
}

/* need: NULL: the command is forced, whatever the state. */
static void assign(struct wf_gateway_call *call, enum wf_command_kind kind,
    const char *need, const char *verb, const char *infinitive, bool only_first)
{
	struct wf_arena *arena = call->yawl.arena;
	const char *targets = read_targets(call);
	struct wf_command command = { .kind = kind,
		.is_administrator = true,
		.is_forced = need == NULL,
		.participant = call->participant,
		.targets = targets };

	if (targets == NULL) {
		wf_gateway_fail(call, "Missing or empty offer set.");
		return;
	}
	if (only_first)
		command.targets = first_of(arena, targets);
	if (kind == WF_COMMAND_START)
		command.participant = command.targets;
	if (!find_item(call) ||
	    (need != NULL && !is_in_state(call, need, verb)))
		return;
	call->yawl.words = infinitive;
	call->yawl.refused = fail_as_yawl;
	if (targets[0] == '\0')
		fail_as_yawl(&call->yawl);
	else
		wf_item_submit(call, command,
		    need == NULL && kind != WF_COMMAND_START ? succeed_and_drop
							     : succeed);
}

void wf_gateway_offer(struct wf_gateway_call *call)
{
	assign(call, WF_COMMAND_OFFER, "Unoffered", "Offered", "Offer", false);
}

void wf_gateway_allocate(struct wf_gateway_call *call)
{
	assign(call, WF_COMMAND_ALLOCATE, "Unoffered", "Allocated", "Allocate",
	    false);
}

void wf_gateway_reoffer(struct wf_gateway_call *call)
{
	assign(call, WF_COMMAND_OFFER, NULL, NULL, "reoffer", false);
}

void wf_gateway_reallocate(struct wf_gateway_call *call)
{
	assign(call, WF_COMMAND_ALLOCATE, NULL, NULL, "reallocate", true);
}

void wf_gateway_restart(struct wf_gateway_call *call)
{
	assign(call, WF_COMMAND_START, NULL, NULL, "restart", true);
}

/* --- to a service --------------------------------------------------------- */

/* An item that is not started leaves the people, and a service gets it. */
void wf_gateway_redirect(struct wf_gateway_call *call)
{
	const char *name = wf_gateway_text(call, "serviceName");
	struct wf_command command = { .kind = WF_COMMAND_REDIRECT,
		.is_administrator = true };
	struct wf_error err = { .rc = WF_OK };

	if (!wf_yawl_inspect_item(
		&call->yawl, item_id(call), wf_yawl_note_item, &err)) {
		if (err.rc == WF_OK)
			wf_gateway_fail(
			    call, "Unknown work item: %s", item_id(call));
		else
			wf_gateway_fail_error(call, &err);
		return;
	}
	command.targets = wf_services_uri(call->yawl.server->services,
	    WF_NAMESPACE_DEFAULT, name, call->yawl.arena);
	if (command.targets == NULL) {
		wf_gateway_fail(
		    call, "Unknown or unregistered service name: %s", name);
		return;
	}
	call->yawl.refused = fail_as_engine;
	wf_item_submit(call, command, succeed);
}
