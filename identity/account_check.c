/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking the credentials of a request.
 *
 * A correct password is remembered as its hash under a random key of this
 * process, with the epoch of its account, so that only the first request of a
 * client computes argon2id.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "identity/account_priv.h"

/* The most passwords that are remembered; beyond, all are forgotten. */
#define REMEMBERED 4096U

/* name: the account that the token must belong to; NULL: any. */
static bool check_token(struct wf_accounts *accounts, const char *token,
    const char *name, struct wf_account *account_out)
{
	unsigned char hash[WF_TOKEN_HASH];
	bool good;

	wf_hash_token(token, strlen(token), hash);
	pthread_mutex_lock(&accounts->lock);
	good = wf_accounts_find_token(accounts, hash, account_out) &&
	       (name == NULL || strcmp(account_out->name, name) == 0);
	pthread_mutex_unlock(&accounts->lock);
	return good;
}

/* --- passwords ------------------------------------------------------------ */

/* A password on its way through the check. */
struct attempt {
	const char *name;
	const char *password;
	bool is_known; /* an account has the name */
	bool is_legacy;
	uint64_t epoch;
	char hash[crypto_pwhash_STRBYTES]; /* "": there is no password */
	char memory[WF_HASH_TEXT];	   /* by which it is remembered */
};

static void hash_attempt(struct wf_accounts *accounts, uint64_t epoch,
    const char *name, const char *password, char text[WF_HASH_TEXT])
{
	crypto_generichash_state state;
	unsigned char hash[WF_TOKEN_HASH];

	crypto_generichash_init(
	    &state, accounts->key, sizeof(accounts->key), sizeof(hash));
	crypto_generichash_update(
	    &state, (const unsigned char *)&epoch, sizeof(epoch));
	crypto_generichash_update(
	    &state, (const unsigned char *)name, strlen(name) + 1);
	crypto_generichash_update(
	    &state, (const unsigned char *)password, strlen(password));
	crypto_generichash_final(&state, hash, sizeof(hash));
	wf_hash_text(hash, text);
}

/* True: the password is remembered. */
static bool begin_attempt(struct wf_accounts *accounts, struct attempt *attempt,
    struct wf_account *account_out)
{
	const struct wf_account_row *row;
	bool is_remembered = false;

	pthread_mutex_lock(&accounts->lock);
	row = wf_map_get(accounts->by_name, attempt->name);
	attempt->is_known = row != NULL;
	if (row != NULL) {
		wf_account_begin(row, account_out);
		account_out->proof = WF_PROOF_PASSWORD;
		wf_assert(strlen(row->password) < sizeof(attempt->hash));
		strcpy(attempt->hash, row->password);
		attempt->is_legacy = row->is_legacy;
		attempt->epoch = row->epoch;
		hash_attempt(accounts, row->epoch, attempt->name,
		    attempt->password, attempt->memory);
		is_remembered =
		    wf_map_get(accounts->passwords, attempt->memory) != NULL;
	}
	pthread_mutex_unlock(&accounts->lock);
	return is_remembered;
}

static void remember(
    struct wf_accounts *accounts, const struct attempt *attempt)
{
	pthread_mutex_lock(&accounts->lock);
	if (wf_map_count(accounts->passwords) >= REMEMBERED) {
		wf_map_free(&accounts->passwords);
		accounts->passwords = wf_map_new();
	}
	wf_map_add(accounts->passwords, attempt->memory, accounts);
	wf_assert(wf_map_count(accounts->passwords) <= REMEMBERED);
	pthread_mutex_unlock(&accounts->lock);
}

/* Computes argon2id, unless too many passwords were wrong. */
static enum wf_rc check_slowly(struct wf_accounts *accounts,
    struct wf_credentials *credentials, bool slowly,
    const struct attempt *attempt)
{
	struct wf_sign_ins *sign_ins = accounts->sign_ins;
	uint64_t key = credentials->name_key;

	credentials->wait = wf_sign_in_wait(sign_ins, key, wf_monotonic_ms());
	if (credentials->wait > 0)
		return WF_LIMIT;
	if (!slowly)
		return WF_UNAVAILABLE;
	if (wf_password_verify(
		attempt->hash, attempt->is_legacy, attempt->password)) {
		wf_assert(attempt->is_known);
		wf_sign_in_passed(sign_ins, key);
		remember(accounts, attempt);
		if (attempt->is_legacy && accounts->renew != NULL)
			accounts->renew(accounts->renew_context, attempt->name,
			    attempt->epoch, attempt->password);
		return WF_OK;
	}
	wf_sign_in_failed(sign_ins, key, wf_monotonic_ms());
	return WF_NOT_FOUND;
}

static enum wf_rc check_password(struct wf_accounts *accounts,
    struct wf_credentials *credentials, const char *name, const char *password,
    bool slowly, struct wf_account *account_out)
{
	struct attempt attempt = { .name = name, .password = password };
	enum wf_rc rc;

	credentials->address_key = wf_sign_in_address(credentials->address);
	credentials->name_key = wf_sign_in_key(name, credentials->address);
	rc = WF_OK;
	if (!begin_attempt(accounts, &attempt, account_out)) {
		rc = check_slowly(accounts, credentials, slowly, &attempt);
		credentials->was_computed = rc == WF_OK;
	}
	/* What nobody is called may be a password in the wrong place. */
	if (attempt.is_known)
		snprintf(
		    credentials->known, sizeof(credentials->known), "%s", name);
	sodium_memzero(&attempt, sizeof(attempt));
	return rc;
}

/* A token may stand in the place of the password. */
static enum wf_rc check_pair(struct wf_accounts *accounts,
    struct wf_credentials *credentials, const char *name, const char *password,
    bool slowly, struct wf_account *account_out)
{
	if (strncmp(password, "weft_", 5) == 0 &&
	    check_token(accounts, password, name, account_out))
		return WF_OK;
	return check_password(
	    accounts, credentials, name, password, slowly, account_out);
}

/* The name and password of basic authentication. */
static enum wf_rc check_basic(struct wf_accounts *accounts,
    struct wf_credentials *credentials, bool slowly,
    struct wf_account *account_out)
{
	const char *encoded = credentials->authorization + strlen("Basic ");
	char pair[WF_ACCOUNT_NAME_BYTES + 1 + WF_PASSWORD_BYTES + 1];
	char *password;
	size_t length;
	enum wf_rc rc = WF_NOT_FOUND;

	if (sodium_base642bin((unsigned char *)pair, sizeof(pair) - 1, encoded,
		strlen(encoded), " ", &length, NULL,
		sodium_base64_VARIANT_ORIGINAL) != 0)
		return WF_NOT_FOUND;
	wf_assert(length < sizeof(pair));
	pair[length] = '\0';
	password = strchr(pair, ':');
	if (password != NULL && strlen(pair) == length) {
		*password++ = '\0';
		rc = check_pair(
		    accounts, credentials, pair, password, slowly, account_out);
	}
	sodium_memzero(pair, sizeof(pair));
	return rc;
}

enum wf_rc wf_accounts_check(struct wf_accounts *accounts,
    struct wf_credentials *credentials, bool slowly,
    struct wf_account *account_out, struct wf_error *err)
{
	const char *authorization = credentials->authorization;
	enum wf_rc rc = WF_NOT_FOUND;

	if (credentials->name != NULL) {
		rc = check_pair(accounts, credentials, credentials->name,
		    credentials->password, slowly, account_out);
	} else if (authorization == NULL) {
		return wf_fail(err, WF_NOT_FOUND,
		    "send the header Authorization: Bearer TOKEN, or the "
		    "cookie of a session");
	} else if (strncasecmp(authorization, "Bearer ", 7) == 0) {
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
