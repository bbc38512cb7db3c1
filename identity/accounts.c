/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The accounts in memory.  Those that have changed are read each second; what
 * they replace stays in the arena until it is more than what is in use.
 */
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "identity/account_priv.h"
#include "identity/session_priv.h"

/* Replaced accounts that may stay in memory beside those in use. */
#define WASTE 1000U

/* --- reading -------------------------------------------------------------- */

static void forget(struct wf_accounts *accounts)
{
	wf_map_free(&accounts->by_name);
	wf_map_free(&accounts->by_token);
	accounts->by_name = wf_map_new();
	accounts->by_token = wf_map_new();
	accounts->waste = 0;
	wf_arena_reset(accounts->arena);
}

static void drop(struct wf_accounts *accounts, const char *name)
{
	const struct wf_account_row *row =
	    wf_map_remove(accounts->by_name, name);
	char hash[WF_HASH_TEXT];

	if (row == NULL)
		return;
	for (size_t i = 0; i < row->token_count; i++) {
		wf_hash_text(row->tokens[i].hash, hash);
		(void)wf_map_remove(accounts->by_token, hash);
	}
	accounts->waste++;
}

static void put_token(struct wf_accounts *accounts,
    const struct wf_account_row *row, const struct wf_token_row *token)
{
	struct wf_kept_token *kept =
	    wf_arena_alloc(accounts->arena, sizeof(*kept));
	char hash[WF_HASH_TEXT];

	*kept = (struct wf_kept_token){ row, token };
	wf_hash_text(token->hash, hash);
	wf_map_add(accounts->by_token, hash, kept);
}

/* A damaged record is left out, so the other accounts can still be used. */
static void put(
    struct wf_accounts *accounts, const struct wf_record_row *record)
{
	struct wf_account_row *row =
	    wf_arena_alloc(accounts->arena, sizeof(*row));

	drop(accounts, record->name);
	if (record->value.data == NULL ||
	    wf_account_decode(record, accounts->arena, row, NULL) != WF_OK ||
	    row->is_disabled || row->is_gone)
		return;
	wf_assert(row->token_count <= WF_TOKENS);
	wf_map_add(accounts->by_name, row->name, row);
	for (size_t i = 0; i < row->token_count; i++)
		put_token(accounts, row, &row->tokens[i]);
}

static void take(
    struct wf_accounts *accounts, const struct wf_record_list *list)
{
	pthread_mutex_lock(&accounts->lock);
	if (list->whole)
		forget(accounts);
	for (size_t i = 0; i < list->count; i++)
		put(accounts, &list->rows[i]);
	accounts->change = list->change;
	if (accounts->waste > wf_map_count(accounts->by_name) + WASTE)
		accounts->change = 0; /* the next time all are read */
	pthread_mutex_unlock(&accounts->lock);
}

enum wf_rc wf_accounts_refresh(
    struct wf_accounts *accounts, struct wf_store *store, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_record_list list;
	enum wf_rc rc;

	pthread_mutex_lock(&accounts->reading);
	rc = wf_store_records(
	    store, WF_ACCOUNT_KIND, accounts->change, arena, &list, err);
	if (rc == WF_OK)
		take(accounts, &list);
	pthread_mutex_unlock(&accounts->reading);
	wf_arena_free(&arena);
	return rc;
}

enum wf_rc wf_accounts_open(struct wf_accounts **accounts_out,
    struct wf_store *store, struct wf_error *err)
{
	struct wf_accounts *accounts;
	enum wf_rc rc = wf_secrets_begin(err);

	*accounts_out = NULL;
	if (rc != WF_OK)
		return rc;
	accounts = wf_calloc(1, sizeof(*accounts));
	pthread_mutex_init(&accounts->reading, NULL);
	pthread_mutex_init(&accounts->lock, NULL);
	accounts->arena = wf_arena_new();
	accounts->sign_ins = wf_sign_ins_new();
	accounts->passwords = wf_map_new();
	accounts->sessions = wf_sessions_new();
	accounts->proved = wf_map_new();
	accounts->proved_arena = wf_arena_new();
	randombytes_buf(accounts->key, sizeof(accounts->key));
	forget(accounts);
	rc = wf_accounts_refresh(accounts, store, err);
	if (rc != WF_OK)
		wf_accounts_close(&accounts);
	*accounts_out = accounts;
	return rc;
}

void wf_accounts_close(struct wf_accounts **accounts)
{
	struct wf_accounts *old = *accounts;

	*accounts = NULL;
	if (old == NULL)
		return;
	wf_map_free(&old->by_name);
	wf_map_free(&old->by_token);
	wf_map_free(&old->passwords);
	wf_map_free(&old->proved);
	wf_arena_free(&old->proved_arena);
	wf_arena_free(&old->arena);
	wf_sign_ins_free(&old->sign_ins);
	wf_sessions_free(&old->sessions);
	pthread_mutex_destroy(&old->lock);
	pthread_mutex_destroy(&old->reading);
	sodium_memzero(old->key, sizeof(old->key));
	wf_free(old);
}

void wf_accounts_on_legacy(
    struct wf_accounts *accounts, wf_legacy_f renew, void *context)
{
	accounts->renew = renew;
	accounts->renew_context = context;
}

void wf_accounts_federate(
    struct wf_accounts *accounts, struct wf_federation *federation)
{
	pthread_mutex_lock(&accounts->lock);
	accounts->federation = federation;
	pthread_mutex_unlock(&accounts->lock);
}

/* --- finding -------------------------------------------------------------- */

void wf_account_begin(
    const struct wf_account_row *row, struct wf_account *account_out)
{
	memset(account_out, 0, sizeof(*account_out));
	wf_assert(strlen(row->name) < sizeof(account_out->name));
	strcpy(account_out->name, row->name);
	account_out->namespace_id = row->namespace_id;
	account_out->home = row->namespace_id;
	account_out->epoch = row->epoch;
	account_out->rights = row->rights;
}

bool wf_accounts_begin_epoch(struct wf_accounts *accounts, const char *name,
    uint64_t epoch, struct wf_account *account_out)
{
	const struct wf_account_row *row = wf_map_get(accounts->by_name, name);

	if (row == NULL || row->epoch != epoch)
		return false;
	wf_account_begin(row, account_out);
	return true;
}

bool wf_accounts_begin_external(struct wf_accounts *accounts, const char *name,
    const char *source, struct wf_account *account_out)
{
	const struct wf_account_row *row;
	bool good;

	wf_assert(source[0] != '\0'); /* Weft proves its own accounts */
	pthread_mutex_lock(&accounts->lock);
	row = wf_map_get(accounts->by_name, name);
	good = row != NULL && strcmp(row->source, source) == 0;
	if (good) {
		wf_account_begin(row, account_out);
		account_out->proof = WF_PROOF_PASSWORD; /* no token of Weft */
	}
	pthread_mutex_unlock(&accounts->lock);
	return good;
}

bool wf_accounts_find_token(struct wf_accounts *accounts,
    const unsigned char hash[WF_TOKEN_HASH], struct wf_account *account_out)
{
	const struct wf_kept_token *found;
	char text[WF_HASH_TEXT];

	wf_hash_text(hash, text);
	found = wf_map_get(accounts->by_token, text);
	if (found == NULL || (found->token->expires_at != 0 &&
				 found->token->expires_at <= wf_time_ms()))
		return false;
	wf_account_begin(found->account, account_out);
	account_out->proof = WF_PROOF_TOKEN;
	account_out->expires_at = found->token->expires_at;
	memcpy(account_out->key, hash, WF_TOKEN_HASH);
	account_out->is_scoped = found->token->scope.count > 0;
	if (account_out->is_scoped)
		account_out->scope = found->token->rights;
	return true;
}

static bool is_same(const struct wf_account *now, const struct wf_account *then)
{
	return now->epoch == then->epoch && now->home == then->home &&
	       wf_rights_are_equal(&now->rights, &then->rights);
}

/* The hash of the token that proves it, or opened its session; NULL: none. */
static const unsigned char *token_of(const struct wf_account *account)
{
	if (account->proof == WF_PROOF_TOKEN)
		return account->key;
	return account->has_token ? account->token : NULL;
}

/* The lock is held. */
static bool holds(
    struct wf_accounts *accounts, const struct wf_account *account)
{
	const struct wf_account_row *row =
	    wf_map_get(accounts->by_name, account->name);
	const unsigned char *token = token_of(account);
	struct wf_account now;

	if (account->is_guest)
		return row == NULL; /* names of guests are none of accounts */
	if (row == NULL ||
	    (account->proof == WF_PROOF_SESSION &&
		!wf_session_is_open(accounts->sessions, account)))
		return false;
	if (token == NULL)
		wf_account_begin(row, &now);
	else if (!wf_accounts_find_token(accounts, token, &now))
		return false;
	return is_same(&now, account);
}

bool wf_accounts_has(
    struct wf_accounts *accounts, const struct wf_account *account)
{
	bool good;

	if (account->expires_at != 0 && account->expires_at <= wf_time_ms())
		return false;
	pthread_mutex_lock(&accounts->lock);
	good = holds(accounts, account);
	pthread_mutex_unlock(&accounts->lock);
	return good;
}

bool wf_account_may(const struct wf_account *account, uint32_t verbs,
    const struct wf_object *object)
{
	return wf_rights_allow(
		   &account->rights, account->home, verbs, object) &&
	       (!account->is_scoped || wf_rights_allow(&account->scope,
					   account->home, verbs, object));
}

bool wf_account_may_some(
    const struct wf_account *account, uint32_t verbs, uint32_t namespace_id)
{
	return wf_rights_allow_some(
		   &account->rights, account->home, verbs, namespace_id) &&
	       (!account->is_scoped || wf_rights_allow_some(&account->scope,
					   account->home, verbs, namespace_id));
}

/* --- showing -------------------------------------------------------------- */

static struct wf_grant_texts copy_texts(
    const struct wf_grant_texts *texts, struct wf_arena *arena)
{
	struct wf_grant_texts copy = { wf_arena_array(arena, texts->count,
					   sizeof(*copy.texts)),
		texts->count };

	for (size_t i = 0; i < texts->count; i++)
		copy.texts[i] = wf_arena_strdup(arena, texts->texts[i]);
	return copy;
}

void wf_accounts_show(struct wf_accounts *accounts,
    const struct wf_account *account, struct wf_arena *arena,
    struct wf_grant_texts *grants_out, struct wf_grant_texts *scope_out)
{
	const unsigned char *token = token_of(account);
	const struct wf_account_row *row;
	const struct wf_kept_token *kept = NULL;
	char hash[WF_HASH_TEXT];

	*grants_out = (struct wf_grant_texts){ NULL, 0 };
	*scope_out = *grants_out;
	if (token != NULL)
		wf_hash_text(token, hash);
	pthread_mutex_lock(&accounts->lock);
	row = wf_map_get(accounts->by_name, account->name);
	if (row != NULL)
		*grants_out = copy_texts(&row->grants, arena);
	if (token != NULL)
		kept = wf_map_get(accounts->by_token, hash);
	if (kept != NULL)
		*scope_out = copy_texts(&kept->token->scope, arena);
	pthread_mutex_unlock(&accounts->lock);
}
