/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accounts and their tokens, as those see and change them who have the right to
 * administer, each within the own rights; one's own password and tokens.
 * identity/account.h decides who may change what.
 */
#include <string.h>

#include "base/clock.h"
#include "data/deadline.h"
#include "data/json.h"
#include "rest/account/rest_session.h"

/* More grants in a body than an account can have. */
#define GRANTS 64U

/* --- showing -------------------------------------------------------------- */

static json_t *token_json(const struct wf_token_row *token)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", json_string(token->name));
	json_object_set_new(
	    object, "scope", wf_rest_grants_json(&token->scope));
	if (token->created_at != 0)
		wf_json_put_time(object, "created", token->created_at);
	if (token->expires_at != 0)
		wf_json_put_time(object, "expires", token->expires_at);
	return object;
}

static json_t *tokens_json(const struct wf_account_row *account)
{
	json_t *array = json_array();

	for (size_t i = 0; i < account->token_count; i++)
		json_array_append_new(array, token_json(&account->tokens[i]));
	return array;
}

static json_t *account_json(const struct wf_account_row *account)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", json_string(account->name));
	json_object_set_new(
	    object, "namespace", json_integer(account->namespace_id));
	json_object_set_new(
	    object, "role", json_string(wf_rights_role(&account->rights)));
	json_object_set_new(
	    object, "grants", wf_rest_grants_json(&account->grants));
	json_object_set_new(
	    object, "password", json_boolean(account->password[0] != '\0'));
	json_object_set_new(
	    object, "disabled", json_boolean(account->is_disabled));
	if (account->created_at != 0)
		wf_json_put_time(object, "created", account->created_at);
	json_object_set_new(object, "tokens", tokens_json(account));
	return object;
}

/* The secret of the only token, which was made with the account. */
static void show_secret(
    struct wf_rest *rest, json_t *object, const char *secret)
{
	json_t *token = json_array_get(json_object_get(object, "tokens"), 0);

	json_object_set_new(token, "token", json_string(secret));
	wf_exchange_add_header(rest->exchange, "Cache-Control", "no-store");
}

/* --- the store ------------------------------------------------------------ */

/* A change, and what it is made from. */
struct work {
	struct wf_rest *rest;
	const char *name;
	struct wf_account_guard guard;
	struct wf_account_row account; /* to be added */
	struct wf_account_change change;
	struct wf_token_row token;
	const char *password;
	char secret[WF_TOKEN_SIZE]; /* of a new token */
	size_t count;		    /* of sessions that were ended */
};

typedef enum wf_rc (*work_f)(
    struct work *work, struct wf_store *store, struct wf_error *err);

static bool run(struct work *work, work_f function, bool changes)
{
	struct wf_rest *rest = work->rest;
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc;

	if (!wf_rest_borrow(rest, &store))
		return false;
	rc = function(work, store, &err);
	if (rc == WF_OK && changes)
		rc = wf_accounts_refresh(rest->server->accounts, store, &err);
	return wf_rest_give_back(rest, store, rc, &err);
}

/* False: answered, for this and the next one. */
static bool look_up(struct work *work, work_f function)
{
	return run(work, function, false);
}

/* Does it and applies it to this node at once. */
static bool perform(struct work *work, work_f function)
{
	return run(work, function, true);
}

static enum wf_rc find(
    struct work *work, struct wf_store *store, struct wf_error *err)
{
	enum wf_rc rc = wf_account_find(
	    store, work->name, work->rest->arena, &work->account, err);
	const struct wf_object home = { .namespace_id =
					    work->account.namespace_id };

	if (rc == WF_OK &&
	    !wf_account_may(&work->rest->account, WF_MAY(ADMINISTER), &home) &&
	    strcmp(work->rest->account.name, work->name) != 0)
		rc = wf_fail(
		    err, WF_NOT_FOUND, "there is no account %.64s", work->name);
	return rc;
}

static void answer_account(struct work *work, unsigned status)
{
	json_t *object;

	if (!look_up(work, find))
		return;
	wf_rest_put_version(work->rest, work->account.change);
	object = account_json(&work->account);
	if (work->secret[0] != '\0')
		show_secret(work->rest, object, work->secret);
	wf_rest_answer(work->rest, status, object);
}

/* --- reading bodies ------------------------------------------------------- */

static bool begin(struct wf_rest *rest, struct work *work)
{
	memset(work, 0, sizeof(*work));
	work->rest = rest;
	work->name = rest->parts[0];
	work->guard.by = &rest->account;
	return wf_rest_read_version(rest, "account", &work->guard.expected);
}

/* An array of grants; NULL: it is missing.  False: answered. */
static bool read_texts(struct wf_rest *rest, json_t *body, const char *name,
    const struct wf_grant_texts **texts_out)
{
	json_t *array = json_object_get(body, name);
	size_t count = json_array_size(array);
	struct wf_grant_texts *texts;
	bool good = json_is_array(array) && count <= GRANTS;

	*texts_out = NULL;
	if (array == NULL)
		return true;
	texts = wf_arena_alloc(rest->arena, sizeof(*texts));
	texts->texts =
	    wf_arena_array(rest->arena, count, sizeof(*texts->texts));
	for (size_t i = 0; good && i < count; i++) {
		json_t *text = json_array_get(array, i);

		good = json_is_string(text) &&
		       json_string_length(text) <= WF_GRANT_BYTES;
		if (good)
			texts->texts[texts->count++] = wf_arena_strdup(
			    rest->arena, json_string_value(text));
	}
	if (!good) {
		wf_rest_refuse(rest,
		    "%s: expected an array of at most %u grants, such as "
		    "\"operator\" or \"start process:Expense\"",
		    name, GRANTS);
		return false;
	}
	*texts_out = texts;
	return true;
}

/* The member "role" or "grants"; NULL: neither.  False: answered. */
static bool read_grants(
    struct wf_rest *rest, json_t *body, const struct wf_grant_texts **texts_out)
{
	struct wf_grant_texts *texts;
	const char *role;

	if (!read_texts(rest, body, "grants", texts_out) ||
	    !wf_rest_text(rest, body, "role", WF_GRANT_BYTES, &role))
		return false;
	if (role == NULL)
		return true;
	if (*texts_out != NULL || !wf_is_role(role)) {
		wf_rest_refuse(rest,
		    "expected grants, or as role participant, reader, worker, "
		    "operator or admin");
		return false;
	}
	texts = wf_arena_alloc(rest->arena, sizeof(*texts));
	texts->texts = wf_arena_array(rest->arena, 1, sizeof(*texts->texts));
	texts->texts[texts->count++] = wf_arena_strdup(rest->arena, role);
	*texts_out = texts;
	return true;
}

static bool read_password(struct wf_rest *rest, json_t *body, const char *name,
    const char **password_out)
{
	if (!wf_rest_text(rest, body, name, WF_PASSWORD_BYTES, password_out))
		return false;
	if (*password_out != NULL)
		*password_out = wf_arena_strdup(rest->arena, *password_out);
	return true;
}

static bool read_namespace(
    struct wf_rest *rest, json_t *body, uint32_t *namespace_out)
{
	json_t *number = json_object_get(body, "namespace");
	json_int_t value = json_integer_value(number);

	*namespace_out = rest->account.home;
	if (number == NULL)
		return true;
	if (!json_is_integer(number) || value < 1 || value > UINT32_MAX) {
		wf_rest_refuse(rest,
		    "namespace: expected a number from 1 to %u", UINT32_MAX);
		return false;
	}
	*namespace_out = (uint32_t)value;
	return true;
}

/* --- accounts ------------------------------------------------------------- */

struct listing {
	struct work work; /* first */
	const char *after;
	size_t limit;
	json_t *rows;
	const char *last; /* the name of the last row */
	bool more;
};

static enum wf_rc list(
    struct work *work, struct wf_store *store, struct wf_error *err)
{
	struct listing *listing = (struct listing *)work;
	struct wf_rest *rest = work->rest;
	struct wf_account_rows all;
	enum wf_rc rc = wf_account_list(store, rest->arena, &all, err);

	for (size_t i = 0; rc == WF_OK && i < all.count; i++) {
		const struct wf_account_row *row = &all.rows[i];
		const struct wf_object home = { .namespace_id =
						    row->namespace_id };

		if (strcmp(row->name, listing->after) <= 0 ||
		    !wf_account_may(&rest->account, WF_MAY(ADMINISTER), &home))
			continue;
		listing->more =
		    json_array_size(listing->rows) == listing->limit;
		if (listing->more)
			break;
		json_array_append_new(listing->rows, account_json(row));
		listing->last = row->name;
	}
	for (size_t i = 0; rc == WF_OK && i < all.damaged_count; i++)
		wf_server_log_damaged(
		    rest->server->settings.log, "account", all.damaged[i]);
	return rc;
}

void wf_rest_list_accounts(struct wf_rest *rest)
{
	struct listing listing = { .limit = 0 };
	const char *after = wf_rest_argument(rest, "after");
	json_t *page;

	if (!begin(rest, &listing.work) || !wf_rest_limit(rest, &listing.limit))
		return;
	listing.after = after == NULL ? "" : after;
	listing.rows = json_array();
	if (!look_up(&listing.work, list)) {
		json_decref(listing.rows);
		return;
	}
	page = json_object();
	if (listing.more)
		json_object_set_new(page, "next", json_string(listing.last));
	json_object_set_new(page, "accounts", listing.rows);
	wf_rest_answer(rest, 200, page);
}

static enum wf_rc add(
    struct work *work, struct wf_store *store, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	if (work->token.name != NULL)
		rc = wf_token_make(store, work->secret, err);
	return rc == WF_OK
		   ? wf_account_add_as(store, &work->account, work->password,
			 work->token.name == NULL ? NULL : &work->token,
			 work->secret, &work->guard, err)
		   : rc;
}

static bool read_token(struct wf_rest *rest, json_t *body, struct work *work);

/* The member "token", as POST of a token has it; missing: none is made. */
static bool read_first_token(
    struct wf_rest *rest, json_t *body, struct work *work)
{
	json_t *token = json_object_get(body, "token");
	const char *name;
	json_t *member;

	if (token == NULL)
		return true;
	if (!json_is_object(token)) {
		wf_rest_refuse(
		    rest, "token: expected an object with the member name");
		return false;
	}
	json_object_foreach(
	    token, name, member) if (strcmp(name, "name") != 0 &&
				     strcmp(name, "scope") != 0 &&
				     strcmp(name, "expires") != 0)
	{
		wf_rest_refuse(rest,
		    "token: expected the members name, scope and "
		    "expires, not \"%.80s\"",
		    name);
		return false;
	}
	return read_token(rest, token, work);
}

static bool read_account(struct wf_rest *rest, json_t *body, struct work *work)
{
	const struct wf_grant_texts *grants;
	const char *name;

	if (!wf_rest_text(rest, body, "name", WF_ACCOUNT_NAME_BYTES, &name) ||
	    !read_grants(rest, body, &grants) ||
	    !read_password(rest, body, "password", &work->password) ||
	    !read_namespace(rest, body, &work->account.namespace_id))
		return false;
	if (name == NULL || grants == NULL) {
		wf_rest_refuse(
		    rest, "expected the members name, and role or grants");
		return false;
	}
	work->account.name = wf_arena_strdup(rest->arena, name);
	work->account.grants = *grants;
	work->name = work->account.name;
	rest->subject =
	    wf_arena_strdup(wf_exchange_arena(rest->exchange), name);
	return read_first_token(rest, body, work);
}

void wf_rest_add_account(struct wf_rest *rest)
{
	struct work work;
	json_t *body;
	bool good;

	if (!begin(rest, &work) || !wf_rest_body(rest, &body))
		return;
	good = read_account(rest, body, &work);
	json_decref(body);
	if (good && perform(&work, add))
		answer_account(&work, 201);
	explicit_bzero(work.secret, sizeof(work.secret));
}

void wf_rest_show_account(struct wf_rest *rest)
{
	struct work work;

	if (begin(rest, &work))
		answer_account(&work, 200);
}

static enum wf_rc change(
    struct work *work, struct wf_store *store, struct wf_error *err)
{
	enum wf_rc rc = wf_account_change_as(
	    store, work->name, &work->change, &work->guard, err);

	/* They are void; this removes their rows. */
	if (rc == WF_OK &&
	    (work->change.password != NULL || work->change.is_disabled != NULL))
		rc = wf_sessions_end(work->rest->server->accounts, store,
		    work->name, &work->count, err);
	return rc;
}

static bool read_change(
    struct wf_rest *rest, json_t *body, struct work *work, bool *disabled)
{
	json_t *is_disabled = json_object_get(body, "disabled");
	json_t *password = json_object_get(body, "password");

	if (!read_grants(rest, body, &work->change.grants) ||
	    !read_texts(rest, body, "add_grants", &work->change.added) ||
	    !read_texts(rest, body, "remove_grants", &work->change.removed))
		return false;
	if (work->change.grants != NULL &&
	    (work->change.added != NULL || work->change.removed != NULL)) {
		wf_rest_refuse(rest,
		    "expected role or grants, which replace what the account "
		    "may do, or add_grants and remove_grants, not both");
		return false;
	}
	if (json_is_null(password))
		work->change.password = "";
	else if (!read_password(rest, body, "password", &work->change.password))
		return false;
	if (password != NULL && json_string_length(password) == 0 &&
	    !json_is_null(password)) {
		wf_rest_refuse(
		    rest, "password: expected a text, or null for none");
		return false;
	}
	if (is_disabled != NULL && !json_is_boolean(is_disabled)) {
		wf_rest_refuse(rest, "disabled: expected true or false");
		return false;
	}
	*disabled = json_is_true(is_disabled);
	if (is_disabled != NULL)
		work->change.is_disabled = disabled;
	return true;
}

void wf_rest_change_account(struct wf_rest *rest)
{
	struct work work;
	json_t *body;
	bool disabled;
	bool good;

	if (!begin(rest, &work) || !wf_rest_body(rest, &body))
		return;
	good = read_change(rest, body, &work, &disabled);
	json_decref(body);
	if (good && perform(&work, change))
		answer_account(&work, 200);
}

static enum wf_rc drop(
    struct work *work, struct wf_store *store, struct wf_error *err)
{
	enum wf_rc rc =
	    wf_account_remove_as(store, work->name, &work->guard, err);

	if (rc == WF_OK)
		rc = wf_sessions_end(work->rest->server->accounts, store,
		    work->name, &work->count, err);
	return rc;
}

static void answer_nothing(struct work *work, work_f function)
{
	if (perform(work, function))
		wf_exchange_answer(work->rest->exchange, 204, NULL, "", 0);
}

void wf_rest_remove_account(struct wf_rest *rest)
{
	struct work work;

	if (begin(rest, &work))
		answer_nothing(&work, drop);
}

/* --- sessions ------------------------------------------------------------- */

static enum wf_rc end_sessions(
    struct work *work, struct wf_store *store, struct wf_error *err)
{
	enum wf_rc rc = find(work, store, err);

	if (rc == WF_OK)
		rc = wf_sessions_end(work->rest->server->accounts, store,
		    work->name, &work->count, err);
	return rc;
}

/* Of the own account, or as an administrator. */
void wf_rest_end_sessions(struct wf_rest *rest)
{
	struct work work;
	json_t *object;

	if (!begin(rest, &work) || !perform(&work, end_sessions))
		return;
	object = json_object();
	json_object_set_new(
	    object, "ended", json_integer((json_int_t)work.count));
	wf_rest_answer(rest, 200, object);
}

/* --- tokens --------------------------------------------------------------- */

void wf_rest_list_tokens(struct wf_rest *rest)
{
	struct work work;
	json_t *object;

	if (!begin(rest, &work) || !look_up(&work, find))
		return;
	object = json_object();
	json_object_set_new(object, "tokens", tokens_json(&work.account));
	wf_rest_put_version(rest, work.account.change);
	wf_rest_answer(rest, 200, object);
}

static enum wf_rc add_token(
    struct work *work, struct wf_store *store, struct wf_error *err)
{
	enum wf_rc rc = find(work, store, err);

	if (rc == WF_OK)
		rc = wf_token_make(store, work->secret, err);
	if (rc == WF_OK)
		rc = wf_account_add_token_as(store, work->name, &work->token,
		    work->secret, &work->guard, err);
	return rc;
}

static bool read_expiry(
    struct wf_rest *rest, const char *text, int64_t *time_out)
{
	int32_t zone = rest->server->settings.engine.timezone;
	int64_t now = wf_time_ms();
	struct wf_deadline deadline;

	if (text == NULL ||
	    (wf_deadline_parse(text, strlen(text), zone, &deadline) &&
		wf_deadline_at(&deadline, now, zone, NULL, time_out) &&
		*time_out > now))
		return true;
	wf_rest_refuse(rest,
	    "expires: expected a time to come, such as 2027-01-31T12:00:00Z, "
	    "or a duration such as P90D");
	return false;
}

static bool read_token(struct wf_rest *rest, json_t *body, struct work *work)
{
	const struct wf_grant_texts *scope;
	const char *name;
	const char *expires;

	if (!wf_rest_text(rest, body, "name", WF_ACCOUNT_NAME_BYTES, &name) ||
	    !read_texts(rest, body, "scope", &scope) ||
	    !wf_rest_text(rest, body, "expires", 40, &expires) ||
	    !read_expiry(rest, expires, &work->token.expires_at))
		return false;
	if (name == NULL) {
		wf_rest_refuse(rest, "expected the member name of the token");
		return false;
	}
	work->token.name = wf_arena_strdup(rest->arena, name);
	rest->subject = wf_arena_printf(
	    wf_exchange_arena(rest->exchange), "%s %s", work->name, name);
	if (scope != NULL)
		work->token.scope = *scope;
	return true;
}

static void answer_token(struct work *work)
{
	json_t *object = token_json(&work->token);

	json_object_set_new(object, "token", json_string(work->secret));
	wf_exchange_add_header(
	    work->rest->exchange, "Cache-Control", "no-store");
	wf_rest_answer(work->rest, 201, object);
}

void wf_rest_add_token(struct wf_rest *rest)
{
	struct work work;
	json_t *body;
	bool good;

	if (!begin(rest, &work) || !wf_rest_body(rest, &body))
		return;
	work.guard.own_is_enough = true;
	good = read_token(rest, body, &work);
	json_decref(body);
	if (good && perform(&work, add_token))
		answer_token(&work);
	explicit_bzero(work.secret, sizeof(work.secret));
}

static enum wf_rc remove_token(
    struct work *work, struct wf_store *store, struct wf_error *err)
{
	enum wf_rc rc = find(work, store, err);

	if (rc == WF_OK)
		rc = wf_account_remove_token_as(
		    store, work->name, work->rest->parts[1], &work->guard, err);
	return rc;
}

void wf_rest_remove_token(struct wf_rest *rest)
{
	struct work work;

	if (!begin(rest, &work))
		return;
	work.guard.own_is_enough = true;
	answer_nothing(&work, remove_token);
}

/* --- the own password ----------------------------------------------------- */

/* The body has proved the account, with the password that it had so far. */
void wf_rest_change_password(struct wf_rest *rest)
{
	struct work work;
	json_t *body;
	bool good;

	if (!begin(rest, &work) || !wf_rest_body(rest, &body))
		return;
	work.name = rest->account.name;
	work.guard.own_is_enough = true;
	good = read_password(rest, body, "new_password", &work.change.password);
	json_decref(body);
	if (!good)
		return;
	if (rest->account.proof != WF_PROOF_PASSWORD ||
	    work.change.password == NULL || work.change.password[0] == '\0')
		wf_rest_refuse(rest,
		    "expected the members name, password, which is the one so "
		    "far, and new_password");
	else
		answer_nothing(&work, change);
}
