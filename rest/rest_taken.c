/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of two who are offered an item one takes it; the answer to the other says so,
 * and by whom, if the account may read who there is.  Whoever was not offered
 * it learns nothing.
 *
 *   refused by the engine ──► in the pool: the case, its last steps ──► answer
 */
#include <stdlib.h>
#include <string.h>

#include "history/item_offer.h"
#include "kernel/view.h"
#include "people/audience.h"
#include "rest/rest_people.h"
#include "worklist/audiences.h"

struct wf_rest_refusal {
	struct wf_rest *rest;
	const char *participant; /* who gave the command */
	struct wf_error err;	 /* why the engine has refused it */
	struct wf_offered_item item;
	const struct wf_net *net;
	const char *case_id; /* of the item */
	const char *holder;  /* in the arena; NULL: nobody else has it */
};

/* --- the case ------------------------------------------------------------- */

/* Whether an item, or an instance of it, is that of the path. */
static bool is_item(const struct wf_item *item, const char *id)
{
	size_t length = strcspn(id, ":");
	const char *rest = item->case_id + length;

	return strncmp(item->case_id, id, length) == 0 &&
	       (rest[0] == '\0' ||
		   (rest[0] == '.' && strchr(rest + 1, '.') == NULL)) &&
	       id[length] == ':' &&
	       strcmp(item->task->id, id + length + 1) == 0;
}

/* The net whose item it is: the item has its id, or one of an instance. */
static void note_net(void *context, const struct wf_net_view *view)
{
	struct wf_rest_refusal *refusal = context;
	size_t length = strlen(view->case_id);
	const char *instance = refusal->case_id + length;

	if (view->net != refusal->net ||
	    strncmp(view->case_id, refusal->case_id, length) != 0 ||
	    (instance[0] != '\0' &&
		(instance[0] != '.' || strchr(instance + 1, '.') != NULL)))
		return;
	refusal->item.net = view->serial;
	refusal->item.instance =
	    instance[0] == '\0' ? 0 : (uint32_t)strtoul(instance + 1, NULL, 10);
}

static void find_holder(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct wf_rest_refusal *refusal = context;
	struct wf_rest *rest = refusal->rest;
	struct wf_item *items;
	size_t count = wf_case_items(instance, &items);

	for (size_t i = 0; i < count; i++) {
		const struct wf_assignment *assignment = items[i].assignment;

		if (assignment == NULL || assignment->holder[0] == '\0' ||
		    strcmp(assignment->holder, refusal->participant) == 0 ||
		    !is_item(&items[i], rest->parts[0]))
			continue;
		refusal->holder =
		    wf_arena_strdup(rest->arena, assignment->holder);
		refusal->net = items[i].net;
		refusal->case_id =
		    wf_arena_strdup(rest->arena, items[i].case_id);
		refusal->item.task = items[i].task->number;
	}
	wf_free(items);
	refusal->item.version = stored->row.version;
	if (refusal->holder != NULL)
		wf_case_nets(instance, note_net, refusal);
}

/* --- the offer ------------------------------------------------------------ */

static bool was_offered(const struct wf_rest_refusal *refusal,
    const struct wf_organisation *organisation)
{
	struct wf_rest *rest = refusal->rest;
	const struct wf_set_keeper keeper =
	    wf_audiences_keeper(rest->server->audiences);
	struct wf_audience audience;
	struct wf_store *store;
	const char *text;

	if (wf_engine_borrow(rest->server->engine, &store, NULL) != WF_OK)
		return false;
	text = wf_item_last_offer(store, &refusal->item, rest->arena);
	wf_engine_give_back(rest->server->engine, store);
	return text != NULL &&
	       wf_audience_read(text, rest->arena, &audience, NULL) == WF_OK &&
	       wf_audience_has(
		   organisation, &keeper, &audience, refusal->participant);
}

/* --- the answer ----------------------------------------------------------- */

static void fail_taken(
    struct wf_rest_refusal *refusal, const struct wf_organisation *organisation)
{
	struct wf_rest *rest = refusal->rest;
	bool may_see =
	    wf_rest_may_everywhere(rest, WF_MAY(READ) | WF_MAY(PARTICIPATE));
	struct wf_error taken = { .rc = WF_OK };

	wf_fail(&taken, WF_CONFLICT, "%s%.60s%s has taken work item %.200s",
	    may_see ? "'" : "",
	    may_see ? wf_rest_user(organisation, refusal->holder)
		    : "somebody else",
	    may_see ? "'" : "", rest->parts[0]);
	refusal->err = taken;
}

static void explain(struct wf_invocation *call)
{
	struct wf_rest *rest = (struct wf_rest *)call;
	struct wf_rest_refusal *refusal = rest->refusal;
	struct wf_organisation *organisation;

	(void)(wf_engine_inspect(rest->server->engine, refusal->item.number,
		   find_holder, refusal, NULL) == WF_OK);
	organisation = wf_org_cache_get(rest->server->organisation);
	if (refusal->holder != NULL && refusal->item.net != 0 &&
	    was_offered(refusal, organisation))
		fail_taken(refusal, organisation);
	wf_organisation_unref(&organisation);
	wf_rest_fail(rest, &refusal->err);
}

void wf_rest_expect_taken(
    struct wf_rest *rest, const struct wf_request *request)
{
	const struct wf_command *command = &request->command;
	struct wf_rest_refusal *refusal;

	if (command->participant == NULL || command->is_forced ||
	    (command->kind != WF_COMMAND_START &&
		command->kind != WF_COMMAND_ACCEPT &&
		command->kind != WF_COMMAND_CHAIN))
		return;
	refusal = wf_arena_alloc(rest->arena, sizeof(*refusal));
	*refusal = (struct wf_rest_refusal){ .rest = rest,
		.participant = command->participant,
		.item = { .number = request->number } };
	rest->refusal = refusal;
}

bool wf_rest_explain_taken(struct wf_rest *rest, const struct wf_error *err)
{
	if (rest->refusal == NULL ||
	    (err->rc != WF_NOT_FOUND && err->rc != WF_CONFLICT))
		return false;
	rest->refusal->err = *err;
	wf_invocation_resume(&rest->invocation, explain);
	return true;
}
