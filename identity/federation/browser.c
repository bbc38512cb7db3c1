/* SPDX-License-Identifier: Apache-2.0 */
/*
 * People who sign in with a browser at their provider (OpenID Connect).
 *
 * The key that encrypts the state of a sign-in is a record of the store, so
 * that any node finishes what another one began.
 */
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "identity/federation/federation_priv.h"

#define KEY_KIND "secret"
#define KEY_NAME "sign-in"
#define ATTEMPTS 5U

bool wf_federation_has_provider(const struct wf_federation *federation)
{
	return federation != NULL &&
	       federation->settings.oidc.issuer.url[0] != '\0';
}

/* --- the key -------------------------------------------------------------- */

static bool read_key(const struct wf_record_row *row, unsigned char *key)
{
	size_t size;

	return sodium_hex2bin(key, WF_OIDC_KEY_BYTES, row->value.data,
		   row->value.size, NULL, &size, NULL) == 0 &&
	       size == WF_OIDC_KEY_BYTES;
}

/* WF_CONFLICT: another node was first. */
static enum wf_rc make_key(
    struct wf_store *store, unsigned char *key, struct wf_error *err)
{
	char text[2 * WF_OIDC_KEY_BYTES + 1];
	const struct wf_record_row row = { .kind = KEY_KIND,
		.name = KEY_NAME,
		.value = { text, sizeof(text) - 1 },
		.change = WF_RECORD_NEW };
	enum wf_rc rc;

	randombytes_buf(key, WF_OIDC_KEY_BYTES);
	sodium_bin2hex(text, sizeof(text), key, WF_OIDC_KEY_BYTES);
	rc = wf_store_put_records(store, &row, 1, 0, NULL, err);
	sodium_memzero(text, sizeof(text));
	return rc;
}

static enum wf_rc find_key(
    struct wf_store *store, unsigned char *key, struct wf_error *err)
{
	enum wf_rc rc = WF_CONFLICT;

	for (unsigned i = 0; rc == WF_CONFLICT && i < ATTEMPTS; i++) {
		struct wf_error mine = { .rc = WF_OK };
		struct wf_arena *arena = wf_arena_new();
		struct wf_record_row row;

		rc = wf_store_record(
		    store, 0, KEY_KIND, KEY_NAME, arena, &row, &mine);
		if (rc == WF_OK && !read_key(&row, key))
			rc = wf_fail(&mine, WF_CORRUPT,
			    "the stored key of sign-ins is damaged");
		if (rc == WF_NOT_FOUND) {
			wf_error_clear(&mine);
			rc = make_key(store, key, &mine);
		}
		wf_arena_free(&arena);
		if (rc != WF_OK && rc != WF_CONFLICT)
			wf_fail(err, rc, "%s", mine.message);
	}
	if (rc == WF_CONFLICT)
		rc = wf_fail(
		    err, WF_UNAVAILABLE, "the key of sign-ins is not there");
	return rc;
}

/* --- settings ------------------------------------------------------------- */

/* With some key: what is wrong with the settings is known before a start. */
enum wf_rc wf_browsers_open(
    struct wf_federation *federation, struct wf_error *err)
{
	static const unsigned char key[WF_OIDC_KEY_BYTES];
	struct wf_federation_settings *settings = &federation->settings;
	struct wf_oidc_settings *oidc = &settings->oidc;
	enum wf_rc rc;

	if (!wf_federation_has_provider(federation))
		return WF_OK;
	oidc->issuer.ca = settings->provider_ca;
	oidc->issuer.allowed = settings->allowed;
	oidc->issuer.timeout_ms = settings->provider_timeout_ms;
	oidc->issuer.stop = &federation->stop;
	rc = wf_external_check_grants(
	    "oidc-grants", &settings->oidc_grants, err);
	if (rc == WF_OK)
		rc = wf_oidc_open(&federation->oidc, oidc, key, err);
	return rc;
}

enum wf_rc wf_browsers_start(
    struct wf_federation *federation, struct wf_error *err)
{
	unsigned char key[WF_OIDC_KEY_BYTES];
	struct wf_store *store;
	enum wf_rc rc;

	if (!wf_federation_has_provider(federation))
		return WF_OK;
	rc = wf_engine_borrow(federation->engine, &store, err);
	if (rc != WF_OK)
		return rc;
	rc = find_key(store, key, err);
	wf_engine_give_back(federation->engine, store);
	wf_oidc_close(&federation->oidc);
	if (rc == WF_OK)
		rc = wf_oidc_open(
		    &federation->oidc, &federation->settings.oidc, key, err);
	sodium_memzero(key, sizeof(key));
	return rc;
}

void wf_browsers_close(struct wf_federation *federation)
{
	wf_oidc_close(&federation->oidc);
}

/* --- a sign-in ------------------------------------------------------------ */

enum wf_rc wf_federation_begin(struct wf_federation *federation,
    const char *path, struct wf_arena *arena, const char **url_out,
    char cookie_out[WF_OIDC_STATE_SIZE], struct wf_error *err)
{
	wf_assert(wf_federation_has_provider(federation));
	wf_assert(federation->oidc != NULL);
	return wf_oidc_begin(federation->oidc, path, wf_time_ms() / 1000, arena,
	    url_out, cookie_out, err);
}

/* The name must be one that an account can have. */
static enum wf_rc take(struct wf_federation *federation,
    const struct wf_person *person, struct wf_error *err)
{
	const struct wf_federation_settings *settings = &federation->settings;
	const struct wf_external external = { WF_SOURCE_PROVIDER,
		settings->oidc.issuer.url, &settings->oidc_roles,
		&settings->oidc_grants };
	struct wf_error mine = { .rc = WF_OK };
	enum wf_rc rc;

	if (person->subject[0] == '\0')
		return wf_fail(err, WF_DENIED, "the provider names no subject");
	rc = wf_external_put(federation, &external, person, &mine);
	if (rc == WF_OK)
		return rc;
	/* What is wrong with the name is no fault of the request. */
	if (rc == WF_INVALID || rc == WF_CONFLICT)
		rc = WF_DENIED;
	return wf_fail(err, rc, "%s", mine.message);
}

enum wf_rc wf_federation_finish(struct wf_federation *federation,
    const struct wf_oidc_return *back, struct wf_arena *arena,
    struct wf_account *account_out, const char **path_out, struct wf_error *err)
{
	struct wf_person person;
	enum wf_rc rc;

	wf_assert(federation->oidc != NULL);
	rc = wf_oidc_finish(federation->oidc, back, wf_time_ms() / 1000, arena,
	    &person, path_out, err);
	if (rc == WF_OK)
		rc = take(federation, &person, err);
	if (rc == WF_OK && !wf_accounts_begin_external(federation->accounts,
			       person.name, WF_SOURCE_PROVIDER, account_out))
		rc = wf_fail(err, WF_DENIED, "the account %.64s is disabled",
		    person.name);
	return rc;
}
