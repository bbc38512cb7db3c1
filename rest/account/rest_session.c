/* SPDX-License-Identifier: Apache-2.0 */
#include "rest/account/rest_session.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "data/json.h"
#include "http/cookie.h"
#include "identity/audit.h"
#include "identity/ticket.h"
#include "people/organisation/organisation.h"

/*
 * A browser takes a cookie whose name begins with __Host- only over TLS, and
 * from no other host of the domain.
 */
#define COOKIE "weft-session"
#define SECURE_COOKIE "__Host-" COOKIE
/* It is read by the thread of its connection, before anybody is known. */
#define SIGN_IN_BYTES ((size_t)32 << 10)

static const char *cookie_name(const struct wf_rest *rest)
{
	return wf_exchange_is_https(rest->exchange) ? SECURE_COOKIE : COOKIE;
}

static const char *find_cookie(struct wf_rest *rest)
{
	char id[WF_SESSION_ID_SIZE];

	if (!wf_cookie_find(wf_exchange_header(rest->exchange, "Cookie"),
		cookie_name(rest), id, sizeof(id)) ||
	    strlen(id) != WF_SESSION_ID_SIZE - 1)
		return NULL;
	return wf_arena_strdup(wf_exchange_arena(rest->exchange), id);
}

const char *wf_rest_session_id(struct wf_rest *rest)
{
	if (wf_exchange_header(rest->exchange, "Authorization") != NULL)
		return NULL;
	return find_cookie(rest);
}

static void put_cookie(struct wf_rest *rest, const char *id, const char *more)
{
	bool is_secure = wf_exchange_is_https(rest->exchange);
	char text[200];

	snprintf(text, sizeof(text),
	    "%s=%s; Path=/; HttpOnly; SameSite=Strict%s%s", cookie_name(rest),
	    id, is_secure ? "; Secure" : "", more);
	wf_exchange_add_header(rest->exchange, "Set-Cookie", text);
	wf_exchange_add_header(rest->exchange, "Cache-Control", "no-store");
}

/* --- checking ------------------------------------------------------------- */

static enum wf_rc read_session(
    struct wf_rest *rest, const char *id, struct wf_error *err)
{
	struct wf_engine *engine = rest->server->engine;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_session_read(
	    rest->server->accounts, store, id, wf_time_ms(), err);
	wf_engine_give_back(engine, store);
	return rc;
}

/* False: answered. */
static bool check_forgery(struct wf_rest *rest, const char *id)
{
	const char *given =
	    wf_exchange_header(rest->exchange, WF_FORGERY_HEADER);

	if (!wf_rest_is_change(rest) || wf_session_is_answered(id, given))
		return true;
	wf_rest_problem(rest, 403, "forbidden",
	    "The request may be forged by a page of another site",
	    "with a session, send the header " WF_FORGERY_HEADER
	    " with the csrf_token of GET /v1/session");
	return false;
}

enum wf_authorization wf_rest_check_session(
    struct wf_rest *rest, const char *id)
{
	struct wf_accounts *accounts = rest->server->accounts;
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc =
	    wf_session_check(accounts, id, wf_time_ms(), &rest->account, &err);

	if (rc == WF_UNAVAILABLE && !rest->invocation.in_pool)
		return WF_AWAITED;
	if (rc == WF_UNAVAILABLE) {
		rc = read_session(rest, id, &err);
		if (rc == WF_OK)
			rc = wf_session_check(
			    accounts, id, wf_time_ms(), &rest->account, &err);
	}
	if (rc == WF_NOT_FOUND)
		wf_rest_problem(rest, 401, "unauthorized",
		    "An account is needed", err.message);
	else if (rc != WF_OK)
		wf_rest_fail(rest, &err);
	if (rc != WF_OK || !check_forgery(rest, id))
		return WF_REFUSED;
	rest->session = id;
	return WF_GRANTED;
}

/* --- signing in and out --------------------------------------------------- */

/* A name needs a password; else there is one member. */
static bool is_one(const char *name, const char *password, const char *token,
    const char *ticket)
{
	return (name == NULL) == (password == NULL) &&
	       (name != NULL) + (token != NULL) + (ticket != NULL) == 1;
}

static bool read_credentials(struct wf_rest *rest, json_t *body,
    struct wf_credentials *credentials, const char **ticket_out)
{
	const char *name, *password, *token, *ticket;
	struct wf_arena *arena = rest->arena;

	if (!wf_rest_text(rest, body, "name", WF_ACCOUNT_NAME_BYTES, &name) ||
	    !wf_rest_text(
		rest, body, "password", WF_PASSWORD_BYTES, &password) ||
	    !wf_rest_text(rest, body, "token", WF_TOKEN_SIZE, &token) ||
	    !wf_rest_text(rest, body, "ticket", WF_TICKET_SIZE, &ticket))
		return false;
	if (!is_one(name, password, token, ticket)) {
		wf_rest_refuse(rest,
		    "expected the members name and password, or token, or "
		    "ticket");
		return false;
	}
	*ticket_out = ticket == NULL ? NULL : wf_arena_strdup(arena, ticket);
	if (ticket != NULL)
		return true;
	if (token != NULL) {
		credentials->authorization =
		    wf_arena_printf(arena, "Bearer %s", token);
		return true;
	}
	credentials->name = wf_arena_strdup(arena, name);
	credentials->password = wf_arena_strdup(arena, password);
	return true;
}

bool wf_rest_read_sign_in(struct wf_rest *rest,
    struct wf_credentials *credentials_out, const char **ticket_out)
{
	json_t *body;
	size_t length;
	bool good;

	(void)wf_exchange_body(rest->exchange, &length);
	if (length > SIGN_IN_BYTES) {
		wf_rest_refuse(rest, "expected a body of at most %zu bytes",
		    SIGN_IN_BYTES);
		return false;
	}
	if (!wf_rest_body(rest, &body))
		return false;
	good = read_credentials(rest, body, credentials_out, ticket_out);
	json_decref(body);
	return good;
}

static enum wf_rc use_ticket(
    struct wf_rest *rest, const char *ticket, struct wf_error *err)
{
	struct wf_engine *engine = rest->server->engine;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_ticket_use(rest->server->accounts, store, ticket, wf_time_ms(),
	    &rest->account, err);
	wf_engine_give_back(engine, store);
	return rc;
}

/* For the audit: whose it was is not known of one that is refused. */
static void note_ticket(struct wf_rest *rest, bool is_used)
{
	rest->sign_in.account =
	    wf_arena_strdup(wf_exchange_arena(rest->exchange),
		is_used ? rest->account.name : "");
	rest->sign_in.method = "ticket";
	rest->sign_in.result = is_used ? WF_AUDIT_DONE : "refused";
}

enum wf_authorization wf_rest_check_ticket(
    struct wf_rest *rest, const char *ticket)
{
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc;

	if (!wf_exchange_is_local(rest->exchange)) {
		note_ticket(rest, false);
		wf_rest_problem(rest, 403, "forbidden",
		    "A ticket signs in on the machine of the server only",
		    "the request comes from another machine, or through a "
		    "proxy: sign in with a name and password, or a token");
		return WF_REFUSED;
	}
	if (!rest->invocation.in_pool)
		return WF_AWAITED;
	rc = use_ticket(rest, ticket, &err);
	note_ticket(rest, rc == WF_OK);
	if (rc == WF_NOT_FOUND)
		wf_rest_problem(rest, 401, "unauthorized",
		    "The ticket does not sign in", err.message);
	else if (rc != WF_OK)
		wf_rest_fail(rest, &err);
	return rc == WF_OK ? WF_GRANTED : WF_REFUSED;
}

/* False: answered. */
static bool begin(struct wf_rest *rest, const struct wf_session_start *start,
    char id[WF_SESSION_ID_SIZE])
{
	struct wf_accounts *accounts = rest->server->accounts;
	const char *old = find_cookie(rest);
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc;

	if (!wf_rest_borrow(rest, &store))
		return false;
	rc = wf_session_begin(accounts, store, start, wf_time_ms(), id, &err);
	if (rc == WF_OK && old != NULL)
		rc = wf_session_end(accounts, store, old, &err);
	return wf_rest_give_back(rest, store, rc, &err);
}

bool wf_rest_open_session(
    struct wf_rest *rest, const struct wf_account *account, const char *method)
{
	const struct wf_session_start start = { account, method,
		wf_exchange_peer(rest->exchange) };
	char id[WF_SESSION_ID_SIZE];

	if (!begin(rest, &start, id))
		return false;
	put_cookie(rest, id, "");
	rest->session = wf_arena_strdup(rest->arena, id);
	return true;
}

/* --- who one is ----------------------------------------------------------- */

json_t *wf_rest_grants_json(const struct wf_grant_texts *texts)
{
	json_t *array = json_array();

	for (size_t i = 0; i < texts->count; i++)
		json_array_append_new(array, json_string(texts->texts[i]));
	return array;
}

/* What the account may do in all of its namespace. */
static json_t *verbs_json(const struct wf_account *account)
{
	static const char *const names[] = {
#define WF_VERB(name, text, meaning) text,
#include "identity/rights.def"
	};
	const struct wf_object home = { .namespace_id = account->home };
	json_t *array = json_array();

	for (size_t i = 0; i < WF_VERB_COUNT; i++)
		if (wf_account_may(account, 1U << i, &home))
			json_array_append_new(array, json_string(names[i]));
	return array;
}

static void put_rights(
    struct wf_rest *rest, json_t *object, const struct wf_account *account)
{
	struct wf_grant_texts grants, scope;

	wf_accounts_show(
	    rest->server->accounts, account, rest->arena, &grants, &scope);
	json_object_set_new(
	    object, "role", json_string(wf_rights_role(&account->rights)));
	json_object_set_new(object, "grants", wf_rest_grants_json(&grants));
	if (account->is_scoped)
		json_object_set_new(
		    object, "scope", wf_rest_grants_json(&scope));
	json_object_set_new(object, "verbs", verbs_json(account));
}

static void put_participant(struct wf_rest *rest, json_t *object)
{
	struct wf_organisation *organisation;
	const char *own;

	if (!rest->server->settings.people)
		return;
	organisation = wf_org_cache_get(rest->server->organisation);
	own = wf_rest_own_participant(rest, organisation);
	if (own != NULL)
		json_object_set_new(object, "participant", json_string(own));
	wf_organisation_unref(&organisation);
}

/* The session of that id. */
static void put_session(struct wf_rest *rest, json_t *object, const char *id)
{
	struct wf_session_facts facts;
	char value[WF_SESSION_ID_SIZE];

	if (wf_session_facts(rest->server->accounts, id, &facts)) {
		json_object_set_new(
		    object, "method", json_string(facts.method));
		wf_json_put_time(object, "opened", facts.opened_at);
		wf_json_put_time(object, "ends", facts.ends_at);
	}
	wf_session_forgery_value(id, value);
	json_object_set_new(object, "csrf_token", json_string(value));
}

static void answer(struct wf_rest *rest, unsigned status)
{
	const struct wf_account *account = &rest->account;
	json_t *object = json_object();

	json_object_set_new(object, "account", json_string(account->name));
	json_object_set_new(object, "namespace", json_integer(account->home));
	put_rights(rest, object, account);
	put_participant(rest, object);
	if (rest->session != NULL)
		put_session(rest, object, rest->session);
	else
		json_object_set_new(object, "method",
		    json_string(account->proof == WF_PROOF_TOKEN ? "token"
								 : "password"));
	wf_rest_answer(rest, status, object);
}

/* --- handlers ------------------------------------------------------------- */

void wf_rest_sign_in(struct wf_rest *rest)
{
	enum wf_proof proof = rest->account.proof;
	const char *method = proof == WF_PROOF_TOKEN	? "token"
			     : proof == WF_PROOF_TICKET ? "ticket"
							: "password";

	if (wf_rest_open_session(rest, &rest->account, method))
		answer(rest, 201);
}

void wf_rest_show_session(struct wf_rest *rest)
{
	if (rest->session != NULL)
		wf_exchange_add_header(
		    rest->exchange, "Cache-Control", "no-store");
	answer(rest, 200);
}

void wf_rest_sign_out(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc;

	if (rest->session == NULL) {
		wf_fail(&err, WF_CONFLICT,
		    "the request has no session that could end: it proves its "
		    "account with the header Authorization");
		wf_rest_fail(rest, &err);
		return;
	}
	if (!wf_rest_borrow(rest, &store))
		return;
	rc = wf_session_end(rest->server->accounts, store, rest->session, &err);
	if (!wf_rest_give_back(rest, store, rc, &err))
		return;
	put_cookie(rest, "", "; Max-Age=0");
	wf_exchange_answer(rest->exchange, 204, NULL, "", 0);
}
