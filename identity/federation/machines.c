/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machines that sign in with a token (JWT) of their provider.
 *
 * The subject is an account that jwt-accounts names, else a guest: nobody of
 * that name is in the store, and its rights are those that jwt-grants gives for
 * the values of a claim.  Names of guests have a colon, which no account has.
 *
 * Tokens that were verified are remembered by a keyed hash until they expire,
 * at most ten minutes, so that a key that its issuer has withdrawn ends soon.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "identity/federation/federation_priv.h"

#define VERIFIED 1024U
#define VERIFIED_MS (INT64_C(600) * 1000)
#define GUEST "jwt:"
#define HASH_SIZE (2U * crypto_generichash_BYTES + 1U)

struct verified {
	struct wf_machine machine;
	int64_t until; /* monotonic ms */
};

/* --- what is remembered --------------------------------------------------- */

static void hash_token(struct wf_federation *federation, const char *text,
    char hash_out[HASH_SIZE])
{
	unsigned char hash[crypto_generichash_BYTES];

	crypto_generichash(hash, sizeof(hash), (const unsigned char *)text,
	    strlen(text), federation->key, sizeof(federation->key));
	sodium_bin2hex(hash_out, HASH_SIZE, hash, sizeof(hash));
}

static bool find_verified(struct wf_federation *federation, const char *hash,
    struct wf_machine *machine_out)
{
	const struct verified *verified;
	bool found;

	pthread_mutex_lock(&federation->lock);
	verified = wf_map_get(federation->verified, hash);
	found = verified != NULL && wf_monotonic_ms() < verified->until &&
		wf_time_ms() < verified->machine.expires_at;
	if (found)
		*machine_out = verified->machine;
	pthread_mutex_unlock(&federation->lock);
	return found;
}

/* When there are too many, all are forgotten. */
static void keep_verified(struct wf_federation *federation, const char *hash,
    const struct wf_machine *machine)
{
	struct verified *verified;

	pthread_mutex_lock(&federation->lock);
	if (wf_map_count(federation->verified) >= VERIFIED) {
		wf_map_free(&federation->verified);
		federation->verified = wf_map_new();
		wf_arena_reset(federation->verified_arena);
	}
	verified = wf_map_get(federation->verified, hash);
	if (verified == NULL) {
		verified = wf_arena_alloc(
		    federation->verified_arena, sizeof(*verified));
		(void)wf_map_add(federation->verified, hash, verified);
	}
	verified->machine = *machine;
	verified->until = wf_monotonic_ms() + VERIFIED_MS;
	wf_assert(wf_map_count(federation->verified) <= VERIFIED);
	pthread_mutex_unlock(&federation->lock);
}

/* --- claims --------------------------------------------------------------- */

/* A claim by its name, or by names with full stops: "realm_access.roles". */
static const json_t *find_claim(const json_t *claims, const char *path)
{
	const json_t *found = json_object_get(claims, path);
	const char *dot;

	while (found == NULL && (dot = strchr(path, '.')) != NULL) {
		char *name = wf_strndup(path, (size_t)(dot - path));

		claims = json_object_get(claims, name);
		wf_free(name);
		path = dot + 1;
		found = json_object_get(claims, path);
	}
	return found;
}

struct granting {
	const struct wf_group_map *map;
	const char *issuer;
	struct wf_rights *rights;
	bool any;
};

static void grant(struct granting *granting, const char *value)
{
	for (size_t i = 0; i < granting->map->count; i++) {
		const char *text = wf_group_rule_gives(
		    &granting->map->rules[i], granting->issuer, value);

		if (text != NULL &&
		    wf_rights_add(granting->rights, text, NULL) == WF_OK)
			granting->any = true;
	}
}

/* A list of texts, or a text with words, as "scope" is. */
static void grant_all(struct granting *granting, const json_t *claim)
{
	char value[256];
	const json_t *entry;
	size_t i;

	json_array_foreach(claim, i, entry) if (json_is_string(entry))
	    grant(granting, json_string_value(entry));
	for (const char *at = json_string_value(claim);
	     at != NULL && *(at += strspn(at, " ")) != '\0';) {
		size_t length = strcspn(at, " ");

		if (length < sizeof(value)) {
			memcpy(value, at, length);
			value[length] = '\0';
			grant(granting, value);
		}
		at += length;
	}
}

/* --- who it is ------------------------------------------------------------ */

static bool is_name(const char *text)
{
	size_t length = strlen(text);

	return length > 0 && text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
					       "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					       "0123456789_.@|/+=~:-")] == '\0';
}

static bool find_account(const struct wf_federation *federation,
    const char *issuer, const char *name, struct wf_machine *machine)
{
	const struct wf_group_map *map = &federation->settings.jwt_accounts;

	for (size_t i = 0; i < map->count; i++) {
		const char *account =
		    wf_group_rule_gives(&map->rules[i], issuer, name);

		if (account != NULL) {
			wf_assert(strlen(account) <= WF_ACCOUNT_NAME_BYTES);
			strcpy(machine->name, account);
			return true;
		}
	}
	return false;
}

static enum wf_rc make_guest(const struct wf_federation *federation,
    const struct wf_jwt *jwt, const char *name, struct wf_machine *machine,
    struct wf_error *err)
{
	const struct wf_federation_settings *settings = &federation->settings;
	struct granting granting = { .map = &settings->jwt_grants,
		.issuer = wf_jwt_text(jwt, "iss"),
		.rights = &machine->rights };

	machine->is_guest = true;
	if (strlen(name) > WF_ACCOUNT_NAME_BYTES - strlen(GUEST))
		return wf_fail(err, WF_DENIED,
		    "the name in its claim \"%.60s\" is too long: give it an "
		    "account with jwt-accounts",
		    settings->jwt_name);
	snprintf(machine->name, sizeof(machine->name), GUEST "%s", name);
	wf_assert(strchr(machine->name, ':') != NULL); /* no account's */
	if (settings->jwt_roles[0] != '\0')
		grant_all(
		    &granting, find_claim(jwt->claims, settings->jwt_roles));
	if (!granting.any)
		return wf_fail(err, WF_DENIED,
		    "it gives no rights here: neither jwt-accounts nor "
		    "jwt-grants fits");
	return WF_OK;
}

static enum wf_rc make_machine(const struct wf_federation *federation,
    const struct wf_jwt *jwt, struct wf_machine *machine, struct wf_error *err)
{
	const char *claim = federation->settings.jwt_name;
	const char *name = json_string_value(find_claim(jwt->claims, claim));

	if (name == NULL || !is_name(name))
		return wf_fail(
		    err, WF_DENIED, "its claim \"%.60s\" is no name", claim);
	if (find_account(federation, wf_jwt_text(jwt, "iss"), name, machine))
		return WF_OK;
	return make_guest(federation, jwt, name, machine, err);
}

/* --- one token ------------------------------------------------------------ */

static struct wf_issuer *find_issuer(
    const struct wf_federation *federation, const char *name)
{
	for (size_t i = 0; name != NULL && i < federation->issuer_count; i++)
		if (strcmp(federation->issuer_settings[i].url, name) == 0)
			return federation->issuers[i];
	return NULL;
}

static enum wf_rc verify(struct wf_federation *federation,
    const struct wf_jwt *jwt, bool slowly, struct wf_machine *machine,
    bool *later_out, struct wf_error *err)
{
	const char *name = wf_jwt_text(jwt, "iss");
	struct wf_issuer *issuer = find_issuer(federation, name);
	const struct wf_jwt_rules rules = { .issuer = name,
		.audience = federation->settings.jwt_audience,
		.now = wf_time_ms() / 1000 };
	int64_t expires;
	enum wf_rc rc;

	if (issuer == NULL)
		return wf_fail(err, WF_DENIED, "another issuer made it");
	/* First what costs nothing: no key is fetched for an old token. */
	rc = wf_jwt_check(jwt, &rules, &expires, err);
	if (rc == WF_OK)
		rc = wf_issuer_verify(issuer, jwt, slowly, later_out, err);
	if (rc != WF_OK)
		return rc;
	machine->expires_at = (expires + WF_JWT_SKEW_S) * 1000;
	return make_machine(federation, jwt, machine, err);
}

static enum wf_rc read_and_verify(struct wf_federation *federation,
    const char *text, bool slowly, struct wf_machine *machine, bool *later_out,
    struct wf_error *err)
{
	struct wf_jwt *jwt = wf_malloc(sizeof(*jwt));
	enum wf_rc rc = wf_jwt_read(jwt, text, err);

	if (rc == WF_INVALID)
		rc = WF_DENIED;
	if (rc == WF_OK)
		rc = verify(federation, jwt, slowly, machine, later_out, err);
	wf_jwt_free(jwt);
	wf_free(jwt);
	return rc;
}

bool wf_federation_takes_token(
    const struct wf_federation *federation, const char *text)
{
	return federation != NULL && federation->issuer_count > 0 &&
	       wf_jwt_is(text);
}

enum wf_rc wf_federation_check_token(struct wf_federation *federation,
    const char *text, bool slowly, struct wf_machine *machine_out,
    bool *later_out, struct wf_error *err)
{
	struct wf_error mine = { .rc = WF_OK };
	char hash[HASH_SIZE];
	enum wf_rc rc;

	wf_assert(wf_federation_takes_token(federation, text));
	memset(machine_out, 0, sizeof(*machine_out));
	*later_out = false;
	hash_token(federation, text, hash);
	if (find_verified(federation, hash, machine_out))
		return WF_OK;
	rc = read_and_verify(
	    federation, text, slowly, machine_out, later_out, &mine);
	if (*later_out)
		return rc;
	if (rc == WF_OK) {
		keep_verified(federation, hash, machine_out);
		atomic_fetch_add(&federation->tokens, 1);
		return WF_OK;
	}
	atomic_fetch_add(&federation->tokens_refused, 1);
	if (rc == WF_UNAVAILABLE)
		return wf_fail(err, rc, "%s", mine.message);
	return wf_fail(err, rc, "the token is refused: %s", mine.message);
}

/* --- settings ------------------------------------------------------------- */

static enum wf_rc open_issuer(
    struct wf_federation *federation, const char *url, struct wf_error *err)
{
	const struct wf_federation_settings *settings = &federation->settings;
	struct wf_error mine = { .rc = WF_OK };
	size_t i = federation->issuer_count;
	enum wf_rc rc;

	if (i == WF_MACHINE_ISSUERS)
		return wf_fail(err, WF_INVALID,
		    "jwt-issuers: expected at most %u", WF_MACHINE_ISSUERS);
	federation->issuer_settings[i] =
	    (struct wf_issuer_settings){ .url = url,
		    .ca = settings->provider_ca,
		    .allowed = settings->allowed,
		    .timeout_ms = settings->provider_timeout_ms,
		    .stop = &federation->stop };
	rc = wf_issuer_open(
	    &federation->issuers[i], &federation->issuer_settings[i], &mine);
	if (rc != WF_OK)
		return wf_fail(err, rc, "jwt-issuers: %s", mine.message);
	federation->issuer_count++;
	return WF_OK;
}

static enum wf_rc check_maps(
    const struct wf_federation *federation, struct wf_error *err)
{
	const struct wf_group_map *accounts =
	    &federation->settings.jwt_accounts;

	for (size_t i = 0; i < accounts->count; i++)
		if (strlen(accounts->rules[i].gives) > WF_ACCOUNT_NAME_BYTES ||
		    strcmp(accounts->rules[i].group, "*") == 0)
			return wf_fail(err, WF_INVALID,
			    "jwt-accounts: expected names with the accounts "
			    "that they have, not \"%.60s=%.60s\"",
			    accounts->rules[i].group, accounts->rules[i].gives);
	return wf_external_check_grants(
	    "jwt-grants", &federation->settings.jwt_grants, err);
}

enum wf_rc wf_machines_open(
    struct wf_federation *federation, struct wf_error *err)
{
	const struct wf_federation_settings *settings = &federation->settings;
	const char *text = settings->jwt_issuers;
	enum wf_rc rc = WF_OK;

	federation->verified = wf_map_new();
	federation->verified_arena = wf_arena_new();
	randombytes_buf(federation->key, sizeof(federation->key));
	while (rc == WF_OK && *(text += strspn(text, " ")) != '\0') {
		size_t length = strcspn(text, " ");

		rc = open_issuer(federation,
		    wf_arena_strndup(federation->arena, text, length), err);
		text += length;
	}
	if (rc != WF_OK || federation->issuer_count == 0)
		return rc;
	if (settings->jwt_audience[0] == '\0')
		return wf_fail(err, WF_INVALID,
		    "jwt-audience: expected what tokens for this server have "
		    "in \"aud\"");
	return check_maps(federation, err);
}

void wf_machines_close(struct wf_federation *federation)
{
	for (size_t i = 0; i < federation->issuer_count; i++)
		wf_issuer_close(&federation->issuers[i]);
	wf_map_free(&federation->verified);
	wf_arena_free(&federation->verified_arena);
	sodium_memzero(federation->key, sizeof(federation->key));
}
