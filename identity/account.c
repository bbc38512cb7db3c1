/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accounts in the store.  Each change reads the record, edits it and writes it
 * if the record has not been changed since; else it begins again.  What must
 * hold of all accounts is decided with the number of the store's last change.
 */
#include "identity/account.h"

#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "identity/account_priv.h"
#include "identity/kept.h"
#include "people/organisation/record.h"

/* Others may change the store meanwhile. */
#define ATTEMPTS 100U

static enum wf_rc check_name(const char *name, struct wf_error *err)
{
	if (wf_is_account_name(name))
		return WF_OK;
	return wf_fail(err, WF_INVALID,
	    "'%.100s' is no name of an account: expected 1 to 64 of A-Z a-z "
	    "0-9 _ . @ -",
	    name);
}

/* --- reading -------------------------------------------------------------- */

/* change_out: of the record, when it exists, also when it is damaged. */
static enum wf_rc find(struct wf_store *store, const char *name,
    struct wf_arena *arena, struct wf_account_row *account_out,
    uint64_t *change_out, struct wf_error *err)
{
	struct wf_error mine = { .rc = WF_OK };
	struct wf_record_row row;
	enum wf_rc rc = wf_store_record(
	    store, 0, WF_ACCOUNT_KIND, name, arena, &row, &mine);

	*change_out = rc == WF_OK ? row.change : WF_RECORD_NEW;
	if (rc == WF_OK)
		return wf_account_decode(&row, arena, account_out, err);
	if (rc == WF_NOT_FOUND)
		return wf_fail(err, rc, "there is no account %.64s", name);
	return wf_fail(err, rc, "%s", mine.message);
}

enum wf_rc wf_account_find(struct wf_store *store, const char *name,
    struct wf_arena *arena, struct wf_account_row *account_out,
    struct wf_error *err)
{
	uint64_t change;

	return find(store, name, arena, account_out, &change, err);
}

enum wf_rc wf_account_list(struct wf_store *store, struct wf_arena *arena,
    struct wf_account_rows *rows_out, struct wf_error *err)
{
	struct wf_record_list list;
	enum wf_rc rc =
	    wf_store_records(store, WF_ACCOUNT_KIND, 0, arena, &list, err);

	*rows_out = (struct wf_account_rows){ .count = 0 };
	if (rc != WF_OK)
		return rc;
	rows_out->rows =
	    wf_arena_array(arena, list.count, sizeof(*rows_out->rows));
	rows_out->damaged =
	    wf_arena_array(arena, list.count, sizeof(*rows_out->damaged));
	for (size_t i = 0; i < list.count; i++)
		if (wf_account_decode(&list.rows[i], arena,
			&rows_out->rows[rows_out->count], NULL) == WF_OK)
			rows_out->count++;
		else
			rows_out->damaged[rows_out->damaged_count++] =
			    list.rows[i].name;
	return WF_OK;
}

/* --- changing ------------------------------------------------------------- */

/* One change of one account. */
struct edit {
	const char *name;
	/*
	 * Changes the account; NULL: it is removed.  exists: false for one that
	 * is added.
	 */
	enum wf_rc (*change)(struct edit *edit, struct wf_account_row *account,
	    bool exists, struct wf_error *err);
	struct wf_arena *arena;
	const struct wf_account_row *account;
	const char *password; /* its hash */
	const char *token;
	const struct wf_token_row *token_row;
	const char *token_name;
	uint64_t epoch;
	const struct wf_account_change *wanted;
	const struct wf_account_guard *guard; /* NULL: none */
};

static bool can_administer(const struct wf_account_row *account)
{
	const struct wf_object home = { .namespace_id = account->namespace_id };

	return !account->is_disabled && !account->is_gone &&
	       wf_rights_allow(&account->rights, account->namespace_id,
		   WF_MAY(ADMINISTER), &home);
}

/* --- who may change it ---------------------------------------------------- */

static bool may_change(
    const struct wf_account *by, const struct wf_account_row *account)
{
	const struct wf_object home = { .namespace_id = account->namespace_id };

	return wf_account_may(by, WF_MAY(ADMINISTER), &home) &&
	       wf_rights_cover(&by->rights, by->home, &account->rights,
		   account->namespace_id) &&
	       (!by->is_scoped || wf_rights_cover(&by->scope, by->home,
				      &account->rights, account->namespace_id));
}

/* An account as it was found, or as it would become. */
static enum wf_rc judge(const struct edit *edit,
    const struct wf_account_row *account, struct wf_error *err)
{
	const struct wf_account_guard *guard = edit->guard;

	if (guard == NULL || guard->by == NULL ||
	    (guard->own_is_enough && strcmp(guard->by->name, edit->name) == 0 &&
		guard->by->home == account->namespace_id) ||
	    may_change(guard->by, account))
		return WF_OK;
	return wf_fail(err, WF_DENIED,
	    "the account %s may not change the account %s: it needs the right "
	    "to administer in namespace %u, and all rights that the other one "
	    "has or gets",
	    guard->by->name, edit->name, account->namespace_id);
}

static enum wf_rc judge_found(const struct edit *edit,
    const struct wf_account_row *account, struct wf_error *err)
{
	const struct wf_account *by =
	    edit->guard == NULL ? NULL : edit->guard->by;
	const struct wf_object home = { .namespace_id = account->namespace_id };

	/* Of other namespaces nobody learns which accounts there are. */
	if (by != NULL && by->home != account->namespace_id &&
	    !wf_account_may(by, WF_MAY(ADMINISTER), &home))
		return wf_fail(
		    err, WF_NOT_FOUND, "there is no account '%s'", edit->name);
	if (edit->guard != NULL && edit->guard->expected != 0 &&
	    edit->guard->expected != account->change)
		return wf_fail(err, WF_CONFLICT,
		    "the account %s has been changed since it was read: read "
		    "it again",
		    edit->name);
	return judge(edit, account, err);
}

static enum wf_rc put_external(struct edit *edit,
    struct wf_account_row *account, bool exists, struct wf_error *err);

/* Accounts that are damaged count for nothing. */
static enum wf_rc check_others(
    struct wf_store *store, struct edit *edit, struct wf_error *err)
{
	struct wf_record_list list;
	struct wf_account_row account;
	enum wf_rc rc = wf_store_records(
	    store, WF_ACCOUNT_KIND, 0, edit->arena, &list, err);

	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		if (strcmp(list.rows[i].name, edit->name) != 0 &&
		    wf_account_decode(
			&list.rows[i], edit->arena, &account, NULL) == WF_OK &&
		    can_administer(&account))
			return WF_OK;
	if (rc == WF_OK)
		rc = wf_fail(err, WF_CONFLICT,
		    "%s is the last account with the role admin: add another "
		    "one first",
		    edit->name);
	return rc;
}

/*
 * Makes the new value of the record: NULL to remove it.  row: its version is
 * set.  judges_out: it was decided with the other accounts.
 */
static enum wf_rc make_value(struct wf_store *store, struct edit *edit,
    struct wf_record_row *row, bool *judges_out, struct wf_error *err)
{
	struct wf_account_row account = {
		.name = edit->name, .password = "", .source = "", .subject = ""
	};
	struct wf_error mine = { .rc = WF_OK };
	const char *value;
	bool could;
	enum wf_rc rc =
	    find(store, edit->name, edit->arena, &account, &row->change, &mine);
	bool exists = rc == WF_OK;

	/* What is damaged can be removed by whoever has the store. */
	if (rc == WF_CORRUPT && edit->change == NULL && edit->guard == NULL)
		return WF_OK;
	if (rc != WF_OK && (rc != WF_NOT_FOUND || edit->account == NULL))
		return wf_fail(err, rc, "%s", mine.message);
	could = exists && can_administer(&account);
	rc = exists ? judge_found(edit, &account, err) : WF_OK;
	if (rc == WF_OK && edit->change != NULL) {
		rc = edit->change(edit, &account, exists, err);
		if (rc == WF_OK)
			rc = judge(edit, &account, err);
	}
	/* Whom a directory or provider has no longer loses all rights. */
	*judges_out = could && edit->change != put_external &&
		      (edit->change == NULL || !can_administer(&account));
	if (rc == WF_OK && *judges_out)
		rc = check_others(store, edit, err);
	if (rc != WF_OK || edit->change == NULL)
		return rc;
	value = wf_account_encode(&account, edit->arena);
	row->value = (struct wf_bytes){ value, strlen(value) };
	return WF_OK;
}

static enum wf_rc try_change(
    struct wf_store *store, struct edit *edit, struct wf_error *err)
{
	/* What it keeps is removed with it. */
	struct wf_record_row rows[] = { { .kind = WF_ACCOUNT_KIND,
					    .name = edit->name },
		{ .kind = WF_PREFERENCES_KIND, .name = edit->name },
		{ .kind = WF_FILTERS_KIND, .name = edit->name } };
	size_t count =
	    edit->change == NULL ? sizeof(rows) / sizeof(rows[0]) : 1;
	struct wf_error mine = { .rc = WF_OK };
	bool judges = false;
	uint64_t seen;
	enum wf_rc rc = wf_store_change(store, &seen, err);

	if (rc == WF_OK)
		rc = make_value(store, edit, &rows[0], &judges, err);
	if (rc != WF_OK)
		return rc;
	rc = wf_store_put_records(
	    store, rows, count, judges ? seen : 0, NULL, &mine);
	if (rc == WF_CONFLICT)
		return WF_UNAVAILABLE; /* without a message: try again */
	if (rc != WF_OK)
		wf_fail(err, rc, "%s", mine.message);
	return rc;
}

static enum wf_rc change(
    struct wf_store *store, struct edit *edit, struct wf_error *err)
{
	struct wf_error mine = { .rc = WF_OK };
	enum wf_rc rc = WF_UNAVAILABLE;

	edit->arena = wf_arena_new();
	for (unsigned i = 0;
	     rc == WF_UNAVAILABLE && mine.rc == WF_OK && i < ATTEMPTS; i++) {
		wf_arena_reset(edit->arena);
		rc = try_change(store, edit, &mine);
	}
	wf_arena_free(&edit->arena);
	if (rc == WF_UNAVAILABLE && mine.rc == WF_OK)
		return wf_fail(
		    err, rc, "too many others change the store: try again");
	if (rc != WF_OK)
		wf_fail(err, rc, "%s", mine.message);
	return rc;
}

/* --- edits ---------------------------------------------------------------- */

/* Replaces the tokens by one; token NULL: by none. */
static void put_tokens(
    struct edit *edit, struct wf_account_row *account, const char *token)
{
	account->token_count = token != NULL;
	if (token == NULL)
		return;
	account->tokens =
	    wf_arena_array(edit->arena, 1, sizeof(*account->tokens));
	account->tokens[0] = (struct wf_token_row){ .name = WF_FIRST_TOKEN,
		.created_at = wf_time_ms() };
	wf_hash_token(token, strlen(token), account->tokens[0].hash);
}

/* The directory or provider of an account has the password. */
static enum wf_rc check_source(const struct edit *edit,
    const struct wf_account_row *account, struct wf_error *err)
{
	if (edit->password == NULL || account->source[0] == '\0')
		return WF_OK;
	return wf_fail(err, WF_CONFLICT,
	    "%s is an account of a %s, which keeps the password", edit->name,
	    account->source);
}

static void put_password(
    struct wf_account_row *account, const char *hash, bool is_legacy)
{
	account->password = hash == NULL ? "" : hash;
	account->is_legacy = is_legacy;
	account->epoch = wf_epoch_make();
}

/* Those that somebody gives, not those that a directory or a store has. */
static enum wf_rc read_new_grants(const struct wf_grant_texts *texts,
    struct wf_rights *rights_out, struct wf_error *err)
{
	enum wf_rc rc = wf_grants_read(texts, rights_out, err);

	for (size_t i = 0; rc == WF_OK && i < texts->count; i++)
		rc = wf_grant_check(texts->texts[i], err);
	return rc;
}

static enum wf_rc add_token(struct edit *edit, struct wf_account_row *account,
    bool exists, struct wf_error *err);

static enum wf_rc add(struct edit *edit, struct wf_account_row *account,
    bool exists, struct wf_error *err)
{
	enum wf_rc rc;

	if (exists)
		return wf_fail(err, WF_CONFLICT,
		    "there is an account %s already", edit->name);
	*account = *edit->account;
	account->source = "";
	account->subject = "";
	account->is_gone = false;
	account->created_at = wf_time_ms();
	put_password(account, edit->password, account->is_legacy);
	put_tokens(edit, account, edit->token_row == NULL ? edit->token : NULL);
	rc = read_new_grants(&account->grants, &account->rights, err);
	return rc == WF_OK && edit->token_row != NULL
		   ? add_token(edit, account, true, err)
		   : rc;
}

static enum wf_rc reset(struct edit *edit, struct wf_account_row *account,
    bool exists, struct wf_error *err)
{
	enum wf_rc rc = check_source(edit, account, err);

	wf_assert(exists);
	if (rc != WF_OK)
		return rc;
	put_password(account, edit->password, false);
	put_tokens(edit, account, edit->token);
	return WF_OK;
}

static enum wf_rc set_password(struct edit *edit,
    struct wf_account_row *account, bool exists, struct wf_error *err)
{
	enum wf_rc rc = check_source(edit, account, err);

	wf_assert(exists);
	if (rc == WF_OK)
		put_password(account, edit->password, false);
	return rc;
}

static enum wf_rc renew_password(struct edit *edit,
    struct wf_account_row *account, bool exists, struct wf_error *err)
{
	wf_assert(exists);
	if (account->epoch != edit->epoch || !account->is_legacy)
		return wf_fail(err, WF_CONFLICT,
		    "the password of %s has been changed", edit->name);
	account->password = edit->password;
	account->is_legacy = false;
	return WF_OK;
}

static size_t place_of(const struct wf_grant_texts *grants, const char *text)
{
	size_t at = 0;

	while (at < grants->count && strcmp(grants->texts[at], text) != 0)
		at++;
	return at;
}

static enum wf_rc add_grants(struct edit *edit, struct wf_account_row *account,
    const struct wf_grant_texts *added, struct wf_error *err)
{
	struct wf_grant_texts all = { .count = account->grants.count };
	struct wf_rights rights;
	enum wf_rc rc = read_new_grants(added, &rights, err);

	all.texts = wf_arena_array(
	    edit->arena, all.count + added->count, sizeof(*all.texts));
	for (size_t i = 0; i < all.count; i++)
		all.texts[i] = account->grants.texts[i];
	for (size_t i = 0; i < added->count; i++)
		if (place_of(&all, added->texts[i]) == all.count)
			all.texts[all.count++] = added->texts[i];
	account->grants = all;
	return rc;
}

static enum wf_rc remove_grants(const struct edit *edit,
    struct wf_account_row *account, const struct wf_grant_texts *removed,
    struct wf_error *err)
{
	struct wf_grant_texts *grants = &account->grants;

	for (size_t i = 0; i < removed->count; i++) {
		size_t at = place_of(grants, removed->texts[i]);

		if (at == grants->count)
			return wf_fail(err, WF_CONFLICT,
			    "%s has no grant '%.100s': expected one as it is "
			    "shown with the account",
			    edit->name, removed->texts[i]);
		grants->count--;
		memmove(&grants->texts[at], &grants->texts[at + 1],
		    (grants->count - at) * sizeof(*grants->texts));
	}
	return WF_OK;
}

/* Grants that the account has already are not judged again. */
static enum wf_rc change_grants(
    struct edit *edit, struct wf_account_row *account, struct wf_error *err)
{
	const struct wf_account_change *wanted = edit->wanted;
	enum wf_rc rc = WF_OK;

	if (wanted->grants != NULL) {
		account->grants = (struct wf_grant_texts){ NULL, 0 };
		rc = add_grants(edit, account, wanted->grants, err);
	}
	if (rc == WF_OK && wanted->removed != NULL)
		rc = remove_grants(edit, account, wanted->removed, err);
	if (rc == WF_OK && wanted->added != NULL)
		rc = add_grants(edit, account, wanted->added, err);
	return rc == WF_OK
		   ? wf_grants_read(&account->grants, &account->rights, err)
		   : rc;
}

static enum wf_rc change_some(struct edit *edit, struct wf_account_row *account,
    bool exists, struct wf_error *err)
{
	const struct wf_account_change *wanted = edit->wanted;
	enum wf_rc rc = check_source(edit, account, err);

	wf_assert(exists);
	if (rc != WF_OK)
		return rc;
	if (wanted->password != NULL)
		put_password(account, edit->password, false);
	if (wanted->is_disabled != NULL &&
	    account->is_disabled != *wanted->is_disabled) {
		account->is_disabled = *wanted->is_disabled;
		account->epoch = wf_epoch_make();
	}
	return change_grants(edit, account, err);
}

/* Whether the scope of whoever changes it has all rights of the token. */
static bool covers_token(const struct edit *edit,
    const struct wf_token_row *row, const struct wf_account_row *account)
{
	const struct wf_account *by =
	    edit->guard == NULL ? NULL : edit->guard->by;

	return by == NULL || !by->is_scoped ||
	       wf_rights_cover(&by->scope, by->home,
		   row->scope.count > 0 ? &row->rights : &account->rights,
		   account->namespace_id);
}

/* What a token may do, its account may give; also the own one. */
static enum wf_rc judge_token(const struct edit *edit,
    const struct wf_token_row *row, const struct wf_account_row *account,
    struct wf_error *err)
{
	const struct wf_account *by =
	    edit->guard == NULL ? NULL : edit->guard->by;

	if (by != NULL && by->expires_at != 0 &&
	    (row->expires_at == 0 || row->expires_at > by->expires_at))
		return wf_fail(err, WF_DENIED,
		    "what proves the account %s expires before the new token "
		    "would: expires is needed, and not later",
		    by->name);
	if (covers_token(edit, row, account))
		return WF_OK;
	return wf_fail(err, WF_DENIED,
	    "the account %s uses a token whose scope does not have all rights "
	    "of the new one",
	    by->name);
}

static enum wf_rc put_external(struct edit *edit,
    struct wf_account_row *account, bool exists, struct wf_error *err)
{
	const struct wf_account_row *new = edit->account;
	bool is_back = !exists || (account->is_gone && !new->is_gone);
	bool is_provider = strcmp(new->source, WF_SOURCE_PROVIDER) == 0;
	bool is_other;

	if (exists &&
	    (strcmp(account->source, new->source) != 0 ||
		(is_provider && strcmp(account->subject, new->subject) != 0)))
		return wf_fail(err, WF_CONFLICT,
		    "the account %s is %s, and stays so", edit->name,
		    account->source[0] == '\0' ? "one of Weft itself"
					       : "of somebody else");
	if (!exists) {
		account->namespace_id = new->namespace_id;
		account->created_at = wf_time_ms();
		account->source = new->source;
	}
	/*
	 * What was proved before it vanished proves nothing; the tokens of
	 * another person who had the name are void.
	 */
	is_other = exists && strcmp(account->subject, new->subject) != 0;
	if (is_back || is_other)
		account->epoch = wf_epoch_make();
	if (is_other)
		account->token_count = 0;
	account->subject = new->subject;
	account->grants = new->grants;
	account->is_gone = new->is_gone;
	return wf_grants_read(&account->grants, &account->rights, err);
}

static enum wf_rc add_token(struct edit *edit, struct wf_account_row *account,
    bool exists, struct wf_error *err)
{
	size_t count = account->token_count;
	struct wf_token_row *tokens =
	    wf_arena_array(edit->arena, count + 1, sizeof(*tokens));
	enum wf_rc rc;

	wf_assert(exists);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(account->tokens[i].name, edit->token_row->name) == 0)
			return wf_fail(err, WF_CONFLICT,
			    "%s has a token '%s' already", edit->name,
			    edit->token_row->name);
		tokens[i] = account->tokens[i];
	}
	if (count == WF_TOKENS)
		return wf_fail(err, WF_LIMIT,
		    "%s has %u tokens: remove one first", edit->name,
		    WF_TOKENS);
	tokens[count] = *edit->token_row;
	tokens[count].created_at = wf_time_ms();
	wf_hash_token(edit->token, strlen(edit->token), tokens[count].hash);
	account->tokens = tokens;
	account->token_count = count + 1;
	rc = read_new_grants(&tokens[count].scope, &tokens[count].rights, err);
	return rc == WF_OK ? judge_token(edit, &tokens[count], account, err)
			   : rc;
}

static enum wf_rc remove_token(struct edit *edit,
    struct wf_account_row *account, bool exists, struct wf_error *err)
{
	size_t at = 0;

	wf_assert(exists);
	while (at < account->token_count &&
	       strcmp(account->tokens[at].name, edit->token_name) != 0)
		at++;
	if (at == account->token_count)
		return wf_fail(err, WF_NOT_FOUND, "%s has no token '%.64s'",
		    edit->name, edit->token_name);
	if (!covers_token(edit, &account->tokens[at], account))
		return wf_fail(err, WF_DENIED,
		    "the account %s uses a token whose scope does not have all "
		    "rights of the token '%.64s'",
		    edit->guard->by->name, edit->token_name);
	account->token_count--;
	memmove(&account->tokens[at], &account->tokens[at + 1],
	    (account->token_count - at) * sizeof(*account->tokens));
	return WF_OK;
}

/* --- what callers use ----------------------------------------------------- */

/* Hashes the password, if there is one, and does the edit. */
static enum wf_rc change_with(struct wf_store *store, struct edit *edit,
    const char *password, struct wf_error *err)
{
	char hash[crypto_pwhash_STRBYTES];
	enum wf_rc rc = wf_secrets_begin(err);

	wf_assert(edit->password == NULL);
	if (rc == WF_OK && password != NULL) {
		rc = wf_password_check(password, err);
		if (rc == WF_OK)
			rc = wf_password_hash(password, hash, err);
		edit->password = hash;
	}
	if (rc == WF_OK)
		rc = change(store, edit, err);
	edit->password = NULL;
	return rc;
}

static enum wf_rc check_token_name(
    const struct wf_token_row *row, struct wf_error *err)
{
	if (wf_is_account_name(row->name))
		return WF_OK;
	return wf_fail(err, WF_INVALID,
	    "'%.100s' is no name of a token: expected 1 to 64 of A-Z a-z 0-9 "
	    "_ . @ -",
	    row->name);
}

static enum wf_rc add_account(struct wf_store *store, struct edit *edit,
    const char *password, struct wf_error *err)
{
	struct wf_rights rights;
	enum wf_rc rc = check_name(edit->name, err);

	if (rc == WF_OK)
		rc = read_new_grants(&edit->account->grants, &rights, err);
	return rc == WF_OK ? change_with(store, edit, password, err) : rc;
}

enum wf_rc wf_account_add(struct wf_store *store,
    const struct wf_account_row *account, const char *password,
    const char *token, struct wf_error *err)
{
	struct edit edit = { .name = account->name,
		.change = add,
		.account = account,
		.token = token };

	return add_account(store, &edit, password, err);
}

enum wf_rc wf_account_add_as(struct wf_store *store,
    const struct wf_account_row *account, const char *password,
    const struct wf_token_row *row, const char *token,
    const struct wf_account_guard *guard, struct wf_error *err)
{
	struct edit edit = { .name = account->name,
		.change = add,
		.account = account,
		.token_row = row,
		.token = row == NULL ? NULL : token,
		.guard = guard };
	enum wf_rc rc = row == NULL ? WF_OK : check_token_name(row, err);

	return rc == WF_OK ? add_account(store, &edit, password, err) : rc;
}

enum wf_rc wf_account_change_as(struct wf_store *store, const char *name,
    const struct wf_account_change *wanted,
    const struct wf_account_guard *guard, struct wf_error *err)
{
	struct edit edit = { .name = name,
		.change = change_some,
		.wanted = wanted,
		.guard = guard };
	const char *password = wanted->password;

	wf_assert(guard != NULL);
	if (password != NULL && password[0] == '\0')
		password = NULL;
	return change_with(store, &edit, password, err);
}

static bool are_same(
    const struct wf_grant_texts *a, const struct wf_grant_texts *b)
{
	bool same = a->count == b->count;

	for (size_t i = 0; same && i < a->count; i++)
		same = strcmp(a->texts[i], b->texts[i]) == 0;
	return same;
}

/* Whether the store has it so already. */
static bool is_kept(
    struct wf_store *store, const struct wf_account_row *account)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_account_row old;
	bool kept =
	    wf_account_find(store, account->name, arena, &old, NULL) == WF_OK &&
	    strcmp(old.source, account->source) == 0 &&
	    strcmp(old.subject, account->subject) == 0 &&
	    old.is_gone == account->is_gone &&
	    are_same(&old.grants, &account->grants);

	wf_arena_free(&arena);
	return kept;
}

enum wf_rc wf_account_put_external(struct wf_store *store,
    const struct wf_account_row *account, struct wf_error *err)
{
	struct edit edit = { .name = account->name,
		.change = put_external,
		.account = account };
	enum wf_rc rc = check_name(account->name, err);

	wf_assert(account->source[0] != '\0' && account->namespace_id != 0);
	if (rc != WF_OK || is_kept(store, account))
		return rc;
	return change(store, &edit, err);
}

enum wf_rc wf_account_reset(struct wf_store *store, const char *name,
    const char *password, const char *token, struct wf_error *err)
{
	struct edit edit = { .name = name, .change = reset, .token = token };

	return change_with(store, &edit, password, err);
}

enum wf_rc wf_account_set_password(struct wf_store *store, const char *name,
    const char *password, struct wf_error *err)
{
	struct edit edit = { .name = name, .change = set_password };

	return change_with(store, &edit, password, err);
}

enum wf_rc wf_account_renew_password(struct wf_store *store, const char *name,
    uint64_t epoch, const char *password, struct wf_error *err)
{
	struct edit edit = {
		.name = name, .change = renew_password, .epoch = epoch
	};
	char hash[crypto_pwhash_STRBYTES];
	/* It may be shorter than a new one. */
	enum wf_rc rc = wf_password_hash(password, hash, err);

	edit.password = hash;
	return rc == WF_OK ? change(store, &edit, err) : rc;
}

enum wf_rc wf_account_remove(
    struct wf_store *store, const char *name, struct wf_error *err)
{
	return wf_account_remove_as(store, name, NULL, err);
}

enum wf_rc wf_account_remove_as(struct wf_store *store, const char *name,
    const struct wf_account_guard *guard, struct wf_error *err)
{
	struct edit edit = { .name = name, .guard = guard };

	return change(store, &edit, err);
}

enum wf_rc wf_account_add_token(struct wf_store *store, const char *name,
    const struct wf_token_row *row, const char *token, struct wf_error *err)
{
	return wf_account_add_token_as(store, name, row, token, NULL, err);
}

enum wf_rc wf_account_add_token_as(struct wf_store *store, const char *name,
    const struct wf_token_row *row, const char *token,
    const struct wf_account_guard *guard, struct wf_error *err)
{
	struct edit edit = { .name = name,
		.change = add_token,
		.token_row = row,
		.token = token,
		.guard = guard };
	enum wf_rc rc = wf_secrets_begin(err);

	if (rc == WF_OK)
		rc = check_token_name(row, err);
	return rc == WF_OK ? change(store, &edit, err) : rc;
}

enum wf_rc wf_account_remove_token(struct wf_store *store, const char *name,
    const char *token_name, struct wf_error *err)
{
	return wf_account_remove_token_as(store, name, token_name, NULL, err);
}

enum wf_rc wf_account_remove_token_as(struct wf_store *store, const char *name,
    const char *token_name, const struct wf_account_guard *guard,
    struct wf_error *err)
{
	struct edit edit = { .name = name,
		.change = remove_token,
		.token_name = token_name,
		.guard = guard };

	return change(store, &edit, err);
}
