/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the account of a request may do.
 *
 * A route names the verbs that it needs.  An account that has one of them on
 * all of the namespace may use it.  Where the route is for one object (.._ONE
 * in routes.def), so may an account that has the verb on that object, which the
 * handler finds; nothing is given to the engine or answered before.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rest/rest.h"
#include "work/service.h"

void wf_rest_say_right(const struct wf_rest *rest, uint32_t verbs,
    const char *what, struct wf_error *err)
{
	const struct wf_account *account = &rest->account;
	const char *role = wf_rights_role(&account->rights);
	char text[WF_VERBS_TEXT];

	wf_fail_code(err, WF_DENIED, WF_LACKS_RIGHT,
	    "this needs the right to %s%s; the account %s%s%s%s does not have "
	    "it%s",
	    wf_verbs_text(verbs, text), what, account->name,
	    role[0] == '\0' ? "" : ", role ", role, role[0] == '\0' ? "" : ",",
	    account->is_scoped ? " in the scope of this token" : "");
}

void wf_rest_refuse_right(
    struct wf_rest *rest, uint32_t verbs, const char *what)
{
	struct wf_error err = { .rc = WF_OK };

	wf_rest_say_right(rest, verbs, what, &err);
	wf_rest_problem(rest, 403, "forbidden",
	    "The account has no right to it", err.message);
}

/* --- the route ------------------------------------------------------------ */

/* The header that names another namespace than the own one. */
static bool read_namespace(struct wf_rest *rest)
{
	const char *text = wf_exchange_header(rest->exchange, "Weft-Namespace");
	unsigned long long number;
	char *end;

	if (text == NULL)
		return true;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 ||
	    number < 1 || number > UINT32_MAX) {
		wf_rest_refuse(rest,
		    "Weft-Namespace: expected a number from 1 to %u",
		    UINT32_MAX);
		return false;
	}
	rest->account.namespace_id = (uint32_t)number;
	return true;
}

bool wf_rest_may_everywhere(const struct wf_rest *rest, uint32_t verbs)
{
	const struct wf_object whole = { .namespace_id =
					     rest->account.namespace_id };

	return wf_account_may(&rest->account, verbs, &whole);
}

const char *wf_rest_own_participant(
    const struct wf_rest *rest, const struct wf_organisation *organisation)
{
	uint32_t number = wf_org_find_name(
	    organisation, WF_ORG_PARTICIPANT, rest->account.name);

	return number == WF_ORG_NOBODY
		   ? NULL
		   : wf_org_at(organisation, WF_ORG_PARTICIPANT, number)->id;
}

bool wf_rest_manages_cases(const struct wf_rest *rest)
{
	struct wf_organisation *organisation;
	uint32_t number;
	bool manages;

	if (!rest->server->settings.people ||
	    !wf_rest_may_everywhere(rest, WF_MAY(PARTICIPATE)))
		return false;
	organisation = wf_org_cache_get(rest->server->organisation);
	number = wf_org_find_name(
	    organisation, WF_ORG_PARTICIPANT, rest->account.name);
	manages = number != WF_ORG_NOBODY &&
		  wf_has_user_privilege(organisation, number, WF_USER_CASES);
	wf_organisation_unref(&organisation);
	return manages;
}

/* What canManageCases is for: routes about cases, and what starts them. */
static bool is_managing(const struct wf_rest *rest)
{
	static const char *const paths[] = { "/v1/cases", "/v1/specifications",
		"/v1/starts" };
	bool is = false;

	if ((rest->verbs & (WF_MAY(READ) | WF_MAY(START) | WF_MAY(CANCEL))) ==
	    0)
		return false;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths) && !is; i++)
		is =
		    strncmp(rest->route->path, paths[i], strlen(paths[i])) == 0;
	return is && wf_rest_manages_cases(rest);
}

void wf_rest_need(struct wf_rest *rest, uint32_t verbs)
{
	rest->verbs = verbs;
	/* The own account needs no right. */
	rest->is_allowed = verbs == 0 || wf_rest_may_everywhere(rest, verbs) ||
			   is_managing(rest);
}

bool wf_rest_authorize(struct wf_rest *rest)
{
	const struct wf_operation *operation = rest->invocation.operation;

	if (!read_namespace(rest))
		return false;
	wf_rest_need(rest, operation->verbs);
	if (rest->is_allowed ||
	    (operation->is_for_one &&
		wf_account_may_some(&rest->account, operation->verbs,
		    rest->account.namespace_id)))
		return true;
	wf_rest_refuse_right(rest, operation->verbs, "");
	return false;
}

bool wf_rest_is_allowed(struct wf_rest *rest)
{
	if (rest->is_allowed)
		return true;
	/* The request may be gone when it is answered. */
	wf_rest_refuse_right(rest, rest->verbs,
	    " in the whole namespace, unless the request names a case, a "
	    "process or a service for which the account has it");
	return false;
}

/* --- objects -------------------------------------------------------------- */

static bool judge(
    struct wf_rest *rest, uint32_t verbs, const struct wf_object *object)
{
	bool good = wf_account_may(&rest->account, verbs, object);

	if (!good)
		wf_rest_refuse_right(rest, verbs,
		    object->service != NULL   ? " for this service"
		    : object->process != NULL ? " for this process"
					      : " in the whole namespace");
	else if (verbs == rest->verbs)
		rest->is_allowed = true;
	return good;
}

/* Whether it may do it in all of the namespace, so that no object matters. */
static bool may_all(const struct wf_rest *rest, uint32_t verbs)
{
	return (rest->is_allowed && verbs == rest->verbs) ||
	       wf_rest_may_everywhere(rest, verbs);
}

bool wf_rest_may(struct wf_rest *rest, const char *process, const char *service)
{
	const struct wf_object object = { rest->account.namespace_id, process,
		service };

	return rest->is_allowed || judge(rest, rest->verbs, &object);
}

struct naming {
	struct wf_arena *arena;
	const char *name;
};

static void take_name(void *context, const struct wf_spec *spec)
{
	struct naming *naming = context;
	const char *identifier = spec->metadata.identifier;

	naming->name = wf_arena_strdup(
	    naming->arena, identifier == NULL ? spec->uri : identifier);
}

/* The name of a process; NULL: answered, or sent to the pool. */
static const char *process_of(struct wf_rest *rest, uint64_t key)
{
	bool in_pool = rest->invocation.in_pool;
	struct naming naming = { rest->arena, NULL };
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc = wf_engine_inspect_spec(rest->server->engine,
	    rest->account.namespace_id, key, !in_pool, take_name, &naming,
	    &err);

	if (rc == WF_UNAVAILABLE && !in_pool)
		wf_rest_go_to_pool(rest);
	else if (rc != WF_OK)
		wf_rest_fail(rest, &err);
	return naming.name;
}

static bool may_process(struct wf_rest *rest, uint32_t verbs, uint64_t key)
{
	struct wf_object object = { .namespace_id =
					rest->account.namespace_id };

	if (may_all(rest, verbs))
		return true;
	object.process = process_of(rest, key);
	return object.process != NULL && judge(rest, verbs, &object);
}

bool wf_rest_may_process(struct wf_rest *rest, uint64_t key)
{
	return may_process(rest, rest->verbs, key);
}

const char *wf_rest_service_name(struct wf_rest *rest, const char *uri)
{
	struct wf_services *services = rest->server->services;
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service *service =
	    wf_service_for(set, rest->account.namespace_id, uri);
	const char *name =
	    wf_arena_strdup(rest->arena, service == NULL ? uri : service->name);

	wf_services_let_go(services, set);
	return name[0] == '\0' ? WF_DEFAULT_WORKLIST : name;
}

/* The service of an item that waits or is done; NULL: there is no such item. */
static const char *service_of(
    struct wf_rest *rest, const char *item, uint64_t number)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_item_row row;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(rest->server->engine, &store, &err);

	if (rc != WF_OK)
		return NULL;
	rc = wf_rest_item_row(rest, store, number, item, &row, &err);
	wf_engine_give_back(rest->server->engine, store);
	return rc == WF_OK ? wf_rest_service_name(rest, row.service) : NULL;
}

/* In the whole namespace or, if there is one, for a process and an item of it.
 */
static bool has_right(struct wf_rest *rest, uint32_t verbs,
    uint64_t specification, const char *item, uint64_t number, bool *has_out)
{
	struct wf_object object = { .namespace_id =
					rest->account.namespace_id };

	*has_out = wf_account_may(&rest->account, verbs, &object);
	if (*has_out || specification == 0 ||
	    !wf_account_may_some(&rest->account, verbs, object.namespace_id))
		return true;
	if (!rest->invocation.in_pool) {
		wf_rest_go_to_pool(rest);
		return false;
	}
	object.process = process_of(rest, specification);
	if (object.process == NULL)
		return false;
	if (item != NULL)
		object.service = service_of(rest, item, number);
	*has_out = wf_account_may(&rest->account, verbs, &object);
	return true;
}

bool wf_rest_has_right(struct wf_rest *rest, uint32_t verbs, const char *item,
    const struct wf_known_case *known, bool *has_out)
{
	return has_right(
	    rest, verbs, known->specification, item, known->number, has_out);
}

bool wf_rest_may_here(struct wf_rest *rest, uint32_t verbs, bool *has_out)
{
	const struct wf_object named = { rest->account.namespace_id,
		rest->process, NULL };
	const struct wf_specification_keys *listed = &rest->listed;

	if (rest->process == NULL && listed->count == 0)
		return has_right(
		    rest, verbs, rest->specification, NULL, 0, has_out);
	*has_out = wf_account_may(&rest->account, verbs, &named);
	for (size_t i = 0; i < listed->count; i++) {
		if (!has_right(rest, verbs, listed->keys[i], NULL, 0, has_out))
			return false;
		if (!*has_out)
			break;
	}
	return true;
}

bool wf_rest_has_right_for(
    struct wf_rest *rest, uint32_t verbs, uint64_t specification, bool *has_out)
{
	return has_right(rest, verbs, specification, NULL, 0, has_out);
}

bool wf_rest_may_item(struct wf_rest *rest, uint32_t verbs, const char *item,
    const struct wf_known_case *known)
{
	bool has;

	if (!wf_rest_has_right(rest, verbs, item, known, &has))
		return false;
	if (!has)
		wf_rest_refuse_right(rest, verbs, " for this work item");
	else if (verbs == rest->verbs)
		rest->is_allowed = true;
	return has;
}

bool wf_rest_may_case(struct wf_rest *rest, uint32_t verbs,
    struct wf_store *store, uint64_t number)
{
	const struct wf_object none = { .namespace_id =
					    rest->account.namespace_id };
	struct wf_error err = { .rc = WF_OK };
	struct wf_stored_case stored;

	if (may_all(rest, verbs))
		return true;
	if (number == 0)
		return judge(rest, verbs, &none);
	if (wf_store_case(store, number, false, rest->arena, &stored, &err) !=
	    WF_OK) {
		wf_rest_fail(rest, &err);
		return false;
	}
	return may_process(rest, verbs, stored.row.specification);
}
