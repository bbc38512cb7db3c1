/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking the credentials of a request.
 *
 * A correct password is remembered as its hash under a random key of this
 * process, with the epoch of its account, so that only the first request of a
 * client computes argon2id.  What a directory has accepted is remembered the
 * same way, for a time, so that not each request asks it.
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
	bool is_known;	  /* an account has the name */
	bool is_external; /* which is one of the directory */
	bool is_legacy;
	bool is_hashed; /* the password of the attempt is a hash of YAWL */
	uint64_t epoch;
	char hash[crypto_pwhash_STRBYTES]; /* "": there is no password */
	char memory[WF_HASH_TEXT];	   /* by which it is remembered */
};

/* A hash of YAWL is not remembered as the password that it looks like. */
static void hash_attempt(struct wf_accounts *accounts, uint64_t epoch,
    const struct attempt *attempt, char text[WF_HASH_TEXT])
{
	unsigned char form = attempt->is_hashed;
	crypto_generichash_state state;
	unsigned char hash[WF_TOKEN_HASH];

	crypto_generichash_init(
	    &state, accounts->key, sizeof(accounts->key), sizeof(hash));
	crypto_generichash_update(
	    &state, (const unsigned char *)&epoch, sizeof(epoch));
	crypto_generichash_update(&state, &form, sizeof(form));
	crypto_generichash_update(&state, (const unsigned char *)attempt->name,
	    strlen(attempt->name) + 1);
	crypto_generichash_update(&state,
	    (const unsigned char *)attempt->password,
	    strlen(attempt->password));
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
		attempt->is_external =
		    strcmp(row->source, WF_SOURCE_DIRECTORY) == 0;
		wf_assert(strlen(row->password) < sizeof(attempt->hash));
		strcpy(attempt->hash, row->password);
		attempt->is_legacy = row->is_legacy;
		attempt->epoch = row->epoch;
		hash_attempt(accounts, row->epoch, attempt, attempt->memory);
		/* A hash that was replaced meanwhile is in no epoch. */
		is_remembered =
		    !attempt->is_external &&
		    (row->is_legacy || !attempt->is_hashed) &&
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

/* A hash of YAWL fits only what was made of one. */
static enum wf_password_form form_of(const struct attempt *attempt)
{
	if (attempt->is_hashed)
		return attempt->is_legacy ? WF_PASSWORD_PLAIN
					  : WF_PASSWORD_NONE;
	return attempt->is_legacy ? WF_PASSWORD_LEGACY : WF_PASSWORD_PLAIN;
}

/* Sets how long the name, or the address, is refused; false: it may try. */
static bool must_wait(
    struct wf_sign_ins *sign_ins, struct wf_credentials *credentials)
{
	int64_t now = wf_monotonic_ms();
	unsigned address =
	    wf_sign_in_address_wait(sign_ins, credentials->address_key, now);

	credentials->wait =
	    wf_sign_in_wait(sign_ins, credentials->name_key, now);
	if (credentials->wait < address)
		credentials->wait = address;
	return credentials->wait > 0;
}

static void note_failed(
    struct wf_sign_ins *sign_ins, const struct wf_credentials *credentials)
{
	int64_t now = wf_monotonic_ms();

	wf_sign_in_failed(sign_ins, credentials->name_key, now);
	wf_sign_in_address_failed(sign_ins, credentials->address_key, now);
}

/* Computes argon2id, unless too many passwords were wrong. */
static enum wf_rc check_slowly(struct wf_accounts *accounts,
    struct wf_credentials *credentials, bool slowly,
    const struct attempt *attempt)
{
	struct wf_sign_ins *sign_ins = accounts->sign_ins;

	if (must_wait(sign_ins, credentials))
		return WF_LIMIT;
	credentials->is_later = !slowly;
	if (!slowly)
		return WF_UNAVAILABLE;
	if (wf_password_verify(
		attempt->hash, form_of(attempt), attempt->password)) {
		wf_assert(attempt->is_known);
		wf_sign_in_passed(sign_ins, credentials->name_key);
		remember(accounts, attempt);
		if (attempt->is_legacy && !attempt->is_hashed &&
		    accounts->renew != NULL)
			accounts->renew(accounts->renew_context, attempt->name,
			    attempt->epoch, attempt->password);
		return WF_OK;
	}
	note_failed(sign_ins, credentials);
	return WF_NOT_FOUND;
}

/* --- the directory -------------------------------------------------------- */

/* Whether the directory, not the store, knows the password. */
static bool is_for_directory(
    const struct wf_accounts *accounts, const struct attempt *attempt)
{
	return !attempt->is_hashed &&
	       wf_federation_has_directory(accounts->federation) &&
	       (!attempt->is_known || attempt->is_external);
}

/* False also: the account has gone, or is not the one that was proved. */
static bool find_proved(struct wf_accounts *accounts, const char *memory,
    struct wf_account *account_out)
{
	const struct wf_proved *kept;
	struct wf_proved proved = { .until = 0 };

	pthread_mutex_lock(&accounts->lock);
	kept = wf_map_get(accounts->proved, memory);
	if (kept != NULL)
		proved = *kept;
	pthread_mutex_unlock(&accounts->lock);
	return wf_monotonic_ms() < proved.until &&
	       wf_accounts_begin_external(accounts, proved.account,
		   WF_SOURCE_DIRECTORY, account_out) &&
	       account_out->epoch == proved.epoch;
}

static void keep_proved(struct wf_accounts *accounts, const char *memory,
    const struct wf_account *account)
{
	struct wf_proved *proved;

	pthread_mutex_lock(&accounts->lock);
	if (wf_map_count(accounts->proved) >= REMEMBERED) {
		wf_map_free(&accounts->proved);
		accounts->proved = wf_map_new();
		wf_arena_reset(accounts->proved_arena);
	}
	proved = wf_map_get(accounts->proved, memory);
	if (proved == NULL) {
		proved =
		    wf_arena_alloc(accounts->proved_arena, sizeof(*proved));
		(void)wf_map_add(accounts->proved, memory, proved);
	}
	strcpy(proved->account, account->name);
	proved->epoch = account->epoch;
	proved->until =
	    wf_monotonic_ms() + wf_federation_cache_ms(accounts->federation);
	wf_assert(wf_map_count(accounts->proved) <= REMEMBERED);
	pthread_mutex_unlock(&accounts->lock);
}

/* Waits for the directory. */
static enum wf_rc ask_directory(struct wf_accounts *accounts,
    const struct attempt *attempt, const char *memory,
    struct wf_account *account_out, struct wf_error *err)
{
	char name[WF_ACCOUNT_NAME_BYTES + 1];
	enum wf_rc rc = wf_federation_sign_in(
	    accounts->federation, attempt->name, attempt->password, name, err);

	if (rc != WF_OK)
		return rc;
	wf_assert(name[0] != '\0' && attempt->password[0] != '\0');
	if (!wf_accounts_begin_external(
		accounts, name, WF_SOURCE_DIRECTORY, account_out))
		return wf_fail(
		    err, WF_CONFLICT, "the account %.64s is disabled", name);
	keep_proved(accounts, memory, account_out);
	return WF_OK;
}

/* The name need not be that of the account: it may be an address of mail. */
static enum wf_rc check_directory(struct wf_accounts *accounts,
    struct wf_credentials *credentials, bool slowly,
    const struct attempt *attempt, struct wf_account *account_out,
    struct wf_error *err)
{
	struct wf_sign_ins *sign_ins = accounts->sign_ins;
	struct wf_error mine = { .rc = WF_OK };
	char memory[WF_HASH_TEXT];
	enum wf_rc rc;

	hash_attempt(accounts, 0, attempt, memory);
	if (find_proved(accounts, memory, account_out))
		return WF_OK;
	if (must_wait(sign_ins, credentials))
		return WF_LIMIT;
	credentials->asks = true;
	credentials->is_later = !slowly || !credentials->may_ask;
	if (credentials->is_later)
		return WF_UNAVAILABLE;
	rc = ask_directory(accounts, attempt, memory, account_out, &mine);
	if (rc == WF_OK)
		wf_sign_in_passed(sign_ins, credentials->name_key);
	if (rc == WF_NOT_FOUND)
		note_failed(sign_ins, credentials);
	else if (rc != WF_OK)
		wf_fail(err, rc, "%s", mine.message);
	return rc;
}

static enum wf_rc check_password(struct wf_accounts *accounts,
    struct wf_credentials *credentials, const char *name, const char *password,
    bool slowly, struct wf_account *account_out, struct wf_error *err)
{
	struct attempt attempt = { .name = name,
		.password = password,
		.is_hashed = credentials->is_hashed };
	enum wf_rc rc = WF_OK;

	credentials->address_key = wf_sign_in_address(credentials->address);
	credentials->name_key = wf_sign_in_key(name, credentials->address);
	if (!begin_attempt(accounts, &attempt, account_out)) {
		rc =
		    is_for_directory(accounts, &attempt)
			? check_directory(accounts, credentials, slowly,
			      &attempt, account_out, err)
			: check_slowly(accounts, credentials, slowly, &attempt);
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
    bool slowly, struct wf_account *account_out, struct wf_error *err)
{
	if (!credentials->is_hashed && strncmp(password, "weft_", 5) == 0 &&
	    check_token(accounts, password, name, account_out))
		return WF_OK;
	return check_password(
	    accounts, credentials, name, password, slowly, account_out, err);
}

/* The name and password of basic authentication. */
static enum wf_rc check_basic(struct wf_accounts *accounts,
    struct wf_credentials *credentials, bool slowly,
    struct wf_account *account_out, struct wf_error *err)
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
		rc = check_pair(accounts, credentials, pair, password, slowly,
		    account_out, err);
	}
	sodium_memzero(pair, sizeof(pair));
	return rc;
}

/* --- machines ------------------------------------------------------------- */

static bool begin_machine(struct wf_accounts *accounts,
    const struct wf_machine *machine, struct wf_account *account_out)
{
	const struct wf_account_row *row;
	bool good = true;

	memset(account_out, 0, sizeof(*account_out));
	wf_assert(machine->name[0] != '\0' && machine->expires_at > 0);
	if (machine->is_guest) {
		strcpy(account_out->name, machine->name);
		account_out->namespace_id = WF_NAMESPACE_DEFAULT;
		account_out->home = WF_NAMESPACE_DEFAULT;
		account_out->rights = machine->rights;
		account_out->is_guest = true;
	} else {
		pthread_mutex_lock(&accounts->lock);
		row = wf_map_get(accounts->by_name, machine->name);
		good = row != NULL;
		if (good)
			wf_account_begin(row, account_out);
		pthread_mutex_unlock(&accounts->lock);
	}
	account_out->proof = WF_PROOF_MACHINE;
	account_out->expires_at = machine->expires_at;
	return good;
}

/* Keys of an issuer are fetched where a thread may wait. */
static enum wf_rc check_machine(struct wf_accounts *accounts,
    struct wf_credentials *credentials, const char *token, bool slowly,
    struct wf_account *account_out, struct wf_error *err)
{
	struct wf_machine machine;
	enum wf_rc rc = wf_federation_check_token(accounts->federation, token,
	    slowly && credentials->may_ask, &machine, &credentials->is_later,
	    err);

	credentials->asks = credentials->is_later;
	credentials->address_key = wf_sign_in_address(credentials->address);
	credentials->name_key = credentials->address_key;
	if (rc != WF_OK || begin_machine(accounts, &machine, account_out))
		return rc;
	return wf_fail(err, WF_DENIED,
	    "there is no account %.64s, which jwt-accounts gives the token",
	    machine.name);
}

enum wf_rc wf_accounts_check(struct wf_accounts *accounts,
    struct wf_credentials *credentials, bool slowly,
    struct wf_account *account_out, struct wf_error *err)
{
	const char *authorization = credentials->authorization;
	enum wf_rc rc = WF_NOT_FOUND;

	credentials->asks = false;
	credentials->is_later = false;
	if (credentials->name != NULL) {
		rc = check_pair(accounts, credentials, credentials->name,
		    credentials->password, slowly, account_out, err);
	} else if (authorization == NULL) {
		return wf_fail(err, WF_NOT_FOUND,
		    "send the header Authorization: Bearer TOKEN, or the "
		    "cookie of a session");
	} else if (strncasecmp(authorization, "Bearer ", 7) == 0) {
		if (check_token(accounts, authorization + 7, NULL, account_out))
			rc = WF_OK;
		else if (wf_federation_takes_token(
			     accounts->federation, authorization + 7))
			rc = check_machine(accounts, credentials,
			    authorization + 7, slowly, account_out, err);
	} else if (strncasecmp(authorization, "Basic ", 6) == 0) {
		rc = check_basic(
		    accounts, credentials, slowly, account_out, err);
	}
	if (rc == WF_LIMIT)
		wf_fail(err, rc,
		    "too many passwords were wrong for this name, or from "
		    "this address: try again in %u s",
		    credentials->wait);
	if (rc == WF_NOT_FOUND)
		wf_fail(err, rc, "the token or password is wrong");
	return rc;
}
