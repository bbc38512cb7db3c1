/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The accounts in memory, and checking the credentials of a request.
 *
 * A correct password is remembered as its hash under a random key of this
 * process, so that only the first request of a client computes argon2id.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/panic.h"
#include "server/account_priv.h"
#include "server/sign_in.h"

/* The most passwords that are remembered; beyond, all are forgotten. */
#define REMEMBERED 4096U

struct wf_accounts {
	pthread_mutex_t lock; /* of all that follows */
	uint64_t change;      /* of the store, when accounts were read */
	uint64_t newest;      /* the latest change of an account */
	size_t count;	      /* of records, damaged ones included */
	struct wf_arena *arena;
	struct wf_map *by_name;
	struct wf_map *by_token;  /* of hexadecimal hashes */
	struct wf_map *passwords; /* hashes of correct names and passwords */
	struct wf_sign_ins *sign_ins; /* has a lock of its own */
	unsigned char key[crypto_generichash_KEYBYTES];
};

/* --- reading --------------------------------------------------------- */

static void forget(struct wf_accounts *accounts)
{
	wf_map_free(&accounts->by_name);
	wf_map_free(&accounts->by_token);
	wf_map_free(&accounts->passwords);
	accounts->by_name = wf_map_new();
	accounts->by_token = wf_map_new();
	accounts->passwords = wf_map_new();
	wf_arena_reset(accounts->arena);
}

static void add(
    struct wf_accounts *accounts, const struct wf_stored_account *account)
{
	char hash[2 * WF_TOKEN_HASH + 1];
	struct wf_stored_account *kept =
	    wf_arena_alloc(accounts->arena, sizeof(*kept));

	*kept = *account;
	sodium_bin2hex(hash, sizeof(hash), account->token, WF_TOKEN_HASH);
	wf_assert(kept->account.role <= WF_ADMIN);
	wf_map_add(accounts->by_name, kept->account.name, kept);
	wf_map_add(accounts->by_token, hash, kept);
}

/*
 * A damaged record is left out, so the other accounts can still be used.  When
 * no account has changed, remembered passwords stay.
 */
static void read_all(
    struct wf_accounts *accounts, const struct wf_record_list *list)
{
	uint64_t newest = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->rows[i].change > newest)
			newest = list->rows[i].change;
	if (newest == accounts->newest && list->count == accounts->count)
		return;
	accounts->newest = newest;
	accounts->count = list->count;
	forget(accounts);
	for (size_t i = 0; i < list->count; i++) {
		struct wf_stored_account account;

		if (wf_account_decode(&list->rows[i], &account, NULL) == WF_OK)
			add(accounts, &account);
	}
}

enum wf_rc wf_accounts_refresh(
    struct wf_accounts *accounts, struct wf_store *store, struct wf_error *err)
{
	struct wf_arena *arena;
	struct wf_record_list list;
	uint64_t change;
	enum wf_rc rc = wf_store_change(store, &change, err);

	if (rc != WF_OK || change == accounts->change)
		return rc;
	arena = wf_arena_new();
	rc = wf_store_records(store, WF_ACCOUNT_KIND, arena, &list, err);
	if (rc == WF_OK) {
		pthread_mutex_lock(&accounts->lock);
		read_all(accounts, &list);
		accounts->change = change;
		pthread_mutex_unlock(&accounts->lock);
	}
	wf_arena_free(&arena);
	return rc;
}

enum wf_rc wf_accounts_open(struct wf_accounts **accounts_out,
    struct wf_store *store, struct wf_error *err)
{
	struct wf_accounts *accounts;
	enum wf_rc rc;

	*accounts_out = NULL;
	if (sodium_init() < 0)
		return wf_fail(err, WF_IO, "there are no random numbers");
	accounts = wf_calloc(1, sizeof(*accounts));
	pthread_mutex_init(&accounts->lock, NULL);
	accounts->arena = wf_arena_new();
	accounts->sign_ins = wf_sign_ins_new();
	accounts->change = UINT64_MAX;
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
	wf_arena_free(&old->arena);
	wf_sign_ins_free(&old->sign_ins);
	pthread_mutex_destroy(&old->lock);
	sodium_memzero(old->key, sizeof(old->key));
	wf_free(old);
}

/* --- checking ------------------------------------------------------------- */

/* name: the account that the token must belong to; NULL: any. */
static bool check_token(struct wf_accounts *accounts, const char *token,
    const char *name, struct wf_account *account_out)
{
	unsigned char bytes[WF_TOKEN_HASH];
	char hash[2 * WF_TOKEN_HASH + 1];
	const struct wf_stored_account *found;
	bool good;

	wf_hash_token(token, strlen(token), bytes);
	sodium_bin2hex(hash, sizeof(hash), bytes, sizeof(bytes));
	pthread_mutex_lock(&accounts->lock);
	found = wf_map_get(accounts->by_token, hash);
	good = found != NULL &&
	       (name == NULL || strcmp(found->account.name, name) == 0);
	if (good)
		*account_out = found->account;
	pthread_mutex_unlock(&accounts->lock);
	return good;
}

bool wf_accounts_has(
    struct wf_accounts *accounts, const struct wf_account *account)
{
	const struct wf_stored_account *found;
	bool good;

	pthread_mutex_lock(&accounts->lock);
	found = wf_map_get(accounts->by_name, account->name);
	good = found != NULL && found->account.stamp == account->stamp &&
	       found->account.role == account->role &&
	       found->account.namespace_id == account->namespace_id;
	pthread_mutex_unlock(&accounts->lock);
	return good;
}

/* The text by which a name and its password are remembered. */
static void hash_password(struct wf_accounts *accounts, const char *pair,
    size_t length, char hash[2 * WF_TOKEN_HASH + 1])
{
	unsigned char bytes[WF_TOKEN_HASH];

	crypto_generichash(bytes, sizeof(bytes), (const unsigned char *)pair,
	    length, accounts->key, sizeof(accounts->key));
	sodium_bin2hex(hash, 2 * WF_TOKEN_HASH + 1, bytes, sizeof(bytes));
}

/* Takes as long if there is no account, so that names cannot be probed. */
static bool verify(const char *stored, const char *password)
{
	static const char dummy[] =
	    "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$"
	    "Zm9yIG5vYm9keSwgYnV0IGl0IHRha2VzIHRpbWUhISE";
	bool good = crypto_pwhash_str_verify(stored[0] == '\0' ? dummy : stored,
			password, strlen(password)) == 0;

	return good && stored[0] != '\0';
}

static void remember(struct wf_accounts *accounts, const char *hash,
    const char *stored, const char *name)
{
	const struct wf_stored_account *now;

	pthread_mutex_lock(&accounts->lock);
	now = wf_map_get(accounts->by_name, name);
	if (now != NULL && strcmp(now->password, stored) == 0) {
		if (wf_map_count(accounts->passwords) >= REMEMBERED) {
			wf_map_free(&accounts->passwords);
			accounts->passwords = wf_map_new();
		}
		wf_map_add(accounts->passwords, hash, accounts);
		wf_assert(wf_map_count(accounts->passwords) <= REMEMBERED);
	}
	pthread_mutex_unlock(&accounts->lock);
}

/* Computes argon2id, unless too many passwords were wrong. */
static enum wf_rc check_slowly(struct wf_accounts *accounts,
    struct wf_credentials *credentials, bool slowly, const char *stored,
    const char *password)
{
	struct wf_sign_ins *sign_ins = accounts->sign_ins;
	uint64_t key = credentials->name_key;

	credentials->wait = wf_sign_in_wait(sign_ins, key, wf_monotonic_ms());
	if (credentials->wait > 0)
		return WF_LIMIT;
	if (!slowly)
		return WF_UNAVAILABLE;
	if (verify(stored, password)) {
		wf_sign_in_passed(sign_ins, key);
		return WF_OK;
	}
	wf_sign_in_failed(sign_ins, key, wf_monotonic_ms());
	return WF_NOT_FOUND;
}

/* pair: "name:password"; the colon is overwritten. */
static enum wf_rc check_password(struct wf_accounts *accounts,
    struct wf_credentials *credentials, char *pair, size_t length, bool slowly,
    struct wf_account *account_out)
{
	char hash[2 * WF_TOKEN_HASH + 1];
	char stored[crypto_pwhash_STRBYTES] = "";
	const struct wf_stored_account *found;
	char *password = strchr(pair, ':');
	enum wf_rc rc;
	bool known;

	if (password == NULL || strlen(pair) != length)
		return WF_NOT_FOUND;
	hash_password(accounts, pair, length, hash);
	*password++ = '\0';
	if (strncmp(password, "weft_", 5) == 0 &&
	    check_token(accounts, password, pair, account_out))
		return WF_OK;
	pthread_mutex_lock(&accounts->lock);
	known = wf_map_get(accounts->passwords, hash) != NULL;
	found = wf_map_get(accounts->by_name, pair);
	if (found != NULL) {
		*account_out = found->account;
		memcpy(stored, found->password, sizeof(stored));
	}
	pthread_mutex_unlock(&accounts->lock);
	if (known && found != NULL)
		return WF_OK;
	credentials->address_key = wf_sign_in_address(credentials->address);
	credentials->name_key = wf_sign_in_key(pair, credentials->address);
	rc = check_slowly(accounts, credentials, slowly, stored, password);
	if (rc == WF_OK)
		remember(accounts, hash, stored, pair);
	return rc;
}

static enum wf_rc check_basic(struct wf_accounts *accounts,
    struct wf_credentials *credentials, bool slowly,
    struct wf_account *account_out)
{
	const char *encoded = credentials->authorization + strlen("Basic ");
	char pair[WF_ACCOUNT_NAME_BYTES + 1 + WF_PASSWORD_BYTES + 1];
	size_t length;
	enum wf_rc rc;

	if (sodium_base642bin((unsigned char *)pair, sizeof(pair) - 1, encoded,
		strlen(encoded), " ", &length, NULL,
		sodium_base64_VARIANT_ORIGINAL) != 0)
		return WF_NOT_FOUND;
	wf_assert(length < sizeof(pair));
	pair[length] = '\0';
	rc = check_password(
	    accounts, credentials, pair, length, slowly, account_out);
	sodium_memzero(pair, sizeof(pair));
	return rc;
}

enum wf_rc wf_accounts_check(struct wf_accounts *accounts,
    struct wf_credentials *credentials, bool slowly,
    struct wf_account *account_out, struct wf_error *err)
{
	const char *authorization = credentials->authorization;
	enum wf_rc rc = WF_NOT_FOUND;

	if (authorization == NULL)
		return wf_fail(err, WF_NOT_FOUND,
		    "send the header Authorization: Bearer TOKEN");
	if (strncasecmp(authorization, "Bearer ", 7) == 0) {
		if (check_token(accounts, authorization + 7, NULL, account_out))
			rc = WF_OK;
	} else if (strncasecmp(authorization, "Basic ", 6) == 0) {
		rc = check_basic(accounts, credentials, slowly, account_out);
	}
	if (rc == WF_LIMIT)
		wf_fail(err, rc,
		    "too many passwords were wrong for this name: try again "
		    "in %u s",
		    credentials->wait);
	if (rc == WF_NOT_FOUND)
		wf_fail(err, rc, "the token or password is wrong");
	return rc;
}
