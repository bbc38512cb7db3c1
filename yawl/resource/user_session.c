/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions: of services, which are those of YAWL's clients, and of users, who
 * are accounts with a participant of that name.
 */
#include "yawl/resource/user_session.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "identity/audit.h"

struct wf_gateways {
	struct wf_yawl *yawl;
	struct wf_yawl_sessions *users;
	pthread_mutex_t lock;	 /* of the next one */
	struct wf_map *accounts; /* of users, as they signed in last */
	struct wf_arena *arena;	 /* of these accounts */
};

struct wf_gateways *wf_gateways_new(
    struct wf_yawl *yawl, const struct wf_yawl_settings *settings)
{
	struct wf_gateways *gateways = wf_calloc(1, sizeof(*gateways));

	gateways->yawl = yawl;
	gateways->users = wf_yawl_sessions_new(
	    (int64_t)settings->idle_seconds * 1000, WF_YAWL_SESSIONS);
	pthread_mutex_init(&gateways->lock, NULL);
	gateways->accounts = wf_map_new();
	gateways->arena = wf_arena_new();
	return gateways;
}

void wf_gateways_free(struct wf_gateways **gateways)
{
	if (*gateways == NULL)
		return;
	wf_yawl_sessions_free(&(*gateways)->users);
	wf_map_free(&(*gateways)->accounts);
	wf_arena_free(&(*gateways)->arena);
	pthread_mutex_destroy(&(*gateways)->lock);
	wf_free(*gateways);
	*gateways = NULL;
}

struct wf_yawl *wf_gateways_yawl(const struct wf_gateways *gateways)
{
	return gateways->yawl;
}

/* --- users ---------------------------------------------------------------- */

/* Whether there is a participant with that user id; sets the call's. */
static bool find_participant(struct wf_gateway_call *call, const char *user)
{
	struct wf_organisation *organisation = wf_gateway_organisation(call);
	uint32_t number =
	    wf_org_find_name(organisation, WF_ORG_PARTICIPANT, user);
	const struct wf_participant *participant;

	if (number != WF_ORG_NOBODY) {
		participant = wf_participant_at(organisation, number);
		call->participant =
		    wf_arena_strdup(call->yawl.arena, participant->record.id);
		call->is_administrator = participant->is_administrator;
	}
	wf_organisation_unref(&organisation);
	return number != WF_ORG_NOBODY;
}

static void keep_account(struct wf_gateway_call *call)
{
	struct wf_gateways *gateways = call->gateways;
	struct wf_account *kept;

	pthread_mutex_lock(&gateways->lock);
	kept = wf_map_get(gateways->accounts, call->account.name);
	if (kept == NULL) {
		kept = wf_arena_alloc(gateways->arena, sizeof(*kept));
		wf_map_add(gateways->accounts, call->account.name, kept);
	}
	*kept = call->account;
	pthread_mutex_unlock(&gateways->lock);
}

/* Whether the account is still as it was when the user signed in. */
static bool has_account(struct wf_gateway_call *call, const char *user)
{
	struct wf_gateways *gateways = call->gateways;
	struct wf_account account;
	const struct wf_account *kept;

	pthread_mutex_lock(&gateways->lock);
	kept = wf_map_get(gateways->accounts, user);
	if (kept != NULL)
		account = *kept;
	pthread_mutex_unlock(&gateways->lock);
	return kept != NULL &&
	       wf_accounts_has(call->yawl.server->accounts, &account);
}

void wf_user_session_use(struct wf_gateway_call *call, const char *handle)
{
	struct wf_yawl_sessions *users = call->gateways->users;
	const char *user = wf_yawl_session_use(
	    users, handle, wf_exchange_arena(call->yawl.exchange));

	if (user == NULL)
		return;
	if (has_account(call, user) && find_participant(call, user))
		call->yawl.user = user;
	else
		wf_yawl_session_close(users, handle);
}

void wf_user_sessions_visit(struct wf_gateways *gateways,
    void (*visit)(void *context, const char *user), void *context)
{
	wf_yawl_sessions_visit(gateways->users, visit, context);
}

static void note_sign_in(struct wf_gateway_call *call,
    const struct wf_credentials *credentials, enum wf_rc rc)
{
	bool is_done = rc == WF_OK;

	wf_yawl_audit_sign_in(&call->yawl,
	    is_done ? call->account.name : credentials->known,
	    is_done	     ? WF_AUDIT_DONE
	    : rc == WF_LIMIT ? "throttled"
			     : "refused");
}

enum wf_rc wf_user_session_check(struct wf_gateway_call *call, bool slowly)
{
	struct wf_invocation *invocation = &call->yawl.invocation;
	struct wf_credentials credentials = {
		.name = wf_gateway_parameter(call, "userid"),
		.password = wf_gateway_parameter(call, "password"),
		.is_hashed = !wf_gateway_is_true(call, "encrypt"),
		.address = wf_exchange_peer(call->yawl.exchange),
		.may_ask = slowly && invocation->asks,
	};
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc;

	if (credentials.name == NULL || credentials.password == NULL ||
	    strlen(credentials.name) > WF_ACCOUNT_NAME_BYTES ||
	    strlen(credentials.password) > WF_PASSWORD_BYTES)
		return WF_NOT_FOUND;
	rc = wf_accounts_check(call->yawl.server->accounts, &credentials,
	    slowly, &call->account, &err);
	invocation->turn.client = credentials.address_key;
	invocation->turn.name = credentials.name_key;
	invocation->asks = credentials.asks;
	if (rc == WF_UNAVAILABLE && credentials.is_later)
		return rc;
	/* A directory may know a person by other names than the account's. */
	if (rc == WF_OK && (!wf_account_may_some(&call->account,
				WF_MAY(PARTICIPATE), WF_NAMESPACE_DEFAULT) ||
			       !find_participant(call, call->account.name)))
		rc = WF_NOT_FOUND;
	note_sign_in(call, &credentials, rc);
	/* A directory that does not answer is not asked again. */
	return rc == WF_UNAVAILABLE ? WF_IO : rc;
}

void wf_gateway_user_login(struct wf_gateway_call *call)
{
	char handle[WF_HANDLE_SIZE];

	keep_account(call);
	wf_yawl_session_open(call->gateways->users, call->account.name, handle);
	wf_gateway_answer_text(call, handle);
}

/* The password is right: it was checked before. */
void wf_gateway_validate_user(struct wf_gateway_call *call)
{
	if (wf_gateway_is_true(call, "checkForAdmin") &&
	    !call->is_administrator)
		wf_gateway_fail(call, "Administrative privileges required.");
	else
		wf_gateway_succeed(call);
}

void wf_gateway_user_logout(struct wf_gateway_call *call)
{
	const char *handle = wf_gateway_parameter(call, "sessionHandle");

	if (handle != NULL)
		wf_yawl_session_close(call->gateways->users, handle);
	wf_gateway_succeed(call);
}

/* --- accounts ------------------------------------------------------------- */

enum wf_rc wf_user_account_add(struct wf_store *store, const char *user,
    const char *hash, struct wf_error *err)
{
	static const char *grants[] = { "participant" };
	const struct wf_account_row account = { .name = user,
		.namespace_id = WF_NAMESPACE_DEFAULT,
		.grants = { grants, 1 },
		.is_legacy = true };

	return wf_account_add(store, &account, hash, NULL, err);
}

/* --- handles -------------------------------------------------------------- */

static void answer_invalid(struct wf_gateway_call *call)
{
	wf_gateway_fail(call, "Invalid or disconnected session handle");
}

void wf_gateway_check_connection(struct wf_gateway_call *call)
{
	bool valid = call->is_service;

	if (call->gateway != WF_GATEWAY_QUEUES)
		wf_gateway_answer_text(call, valid ? "true" : "false");
	else if (valid)
		wf_gateway_succeed(call);
	else
		answer_invalid(call);
}

void wf_gateway_check_user(struct wf_gateway_call *call)
{
	if (call->participant != NULL)
		wf_gateway_succeed(call);
	else
		answer_invalid(call);
}

void wf_gateway_connect(struct wf_gateway_call *call)
{
	wf_gateway_forward(call, WF_YAWL_IB, wf_yawl_connect);
}

void wf_gateway_disconnect(struct wf_gateway_call *call)
{
	const char *handle = wf_gateway_parameter(call, "sessionHandle");

	if (handle != NULL)
		wf_yawl_session_close(call->yawl.yawl->sessions, handle);
	if (call->gateway == WF_GATEWAY_QUEUES)
		wf_gateway_succeed(call);
	else
		wf_gateway_answer_text(
		    call, call->gateway == WF_GATEWAY_CALENDAR ? "true" : "");
}
