/* SPDX-License-Identifier: Apache-2.0 */
#include "identity/federation/federation.h"

#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "identity/federation/federation_priv.h"

#define SECRET_BYTES 4096U

/* --- secrets -------------------------------------------------------------- */

/* The first line of the file, in the arena; path "": "". */
static enum wf_rc read_secret(struct wf_federation *federation,
    const char *setting, const char *path, const char **secret_out,
    struct wf_error *err)
{
	struct wf_error mine = { .rc = WF_OK };
	struct wf_buffer text;
	enum wf_rc rc;

	*secret_out = "";
	if (path[0] == '\0')
		return WF_OK;
	wf_buffer_init(&text, SECRET_BYTES);
	rc = wf_buffer_read_line(&text, path, &mine);
	if (rc != WF_OK)
		wf_fail(err, rc, "%s: %s", setting, mine.message);
	else
		*secret_out =
		    wf_arena_strdup(federation->arena, wf_buffer_text(&text));
	if (rc == WF_OK && (*secret_out)[0] == '\0')
		rc = wf_fail(err, WF_INVALID,
		    "%s: the first line of %s is empty", setting, path);
	sodium_memzero(text.data, text.capacity);
	wf_buffer_free(&text);
	return rc;
}

/* --- settings ------------------------------------------------------------- */

void wf_federation_settings_init(struct wf_federation_settings *settings)
{
	memset(settings, 0, sizeof(*settings));
	settings->ldap = (struct wf_ldap_settings){ .url = "",
		.ca = "",
		.bind = "",
		.password = "",
		.bases = "",
		.filter = "(uid=%u)",
		.group_base = "",
		.group_filter = "(member=%d)",
		.timeout_ms = 3000,
		.maximum = 10000 };
	settings->ldap_password_file = "";
	settings->ldap_attributes =
	    "name=uid first-name=givenName last-name=sn "
	    "mail=mail group=cn";
	settings->oidc = (struct wf_oidc_settings){ .issuer = { .url = "" },
		.client = "",
		.secret = "",
		.callback = "",
		.scope = "openid profile email",
		.name = "preferred_username",
		.groups = "" };
	settings->oidc_secret_file = "";
	settings->jwt_issuers = "";
	settings->jwt_audience = "";
	settings->jwt_name = "sub";
	settings->jwt_roles = "";
	settings->provider_ca = "";
	settings->provider_timeout_ms = 5000;
}

/* --- opening -------------------------------------------------------------- */

static enum wf_rc open_parts(
    struct wf_federation *federation, struct wf_error *err)
{
	struct wf_federation_settings *settings = &federation->settings;
	enum wf_rc rc = WF_OK;

	if (sodium_init() < 0)
		return wf_fail(err, WF_IO, "there are no random numbers");
	if (settings->ldap.url[0] != '\0')
		rc = read_secret(federation, "ldap-password-file",
		    settings->ldap_password_file, &settings->ldap.password,
		    err);
	if (rc == WF_OK)
		rc = wf_directory_open(federation, err);
	if (rc == WF_OK)
		rc = wf_machines_open(federation, err);
	if (rc == WF_OK && wf_federation_has_provider(federation))
		rc = read_secret(federation, "oidc-secret-file",
		    settings->oidc_secret_file, &settings->oidc.secret, err);
	if (rc == WF_OK)
		rc = wf_browsers_open(federation, err);
	return rc;
}

static bool is_wanted(const struct wf_federation_settings *settings)
{
	return settings->ldap.url[0] != '\0' ||
	       settings->jwt_issuers[0] != '\0' ||
	       settings->oidc.issuer.url[0] != '\0';
}

enum wf_rc wf_federation_new(struct wf_federation **federation_out,
    const struct wf_federation_settings *settings, struct wf_error *err)
{
	struct wf_federation *federation;
	enum wf_rc rc;

	*federation_out = NULL;
	if (!is_wanted(settings))
		return WF_OK;
	wf_assert(settings->provider_timeout_ms > 0);
	wf_assert(settings->allowed != NULL && settings->report != NULL);
	federation = wf_calloc(1, sizeof(*federation));
	federation->settings = *settings;
	federation->arena = wf_arena_new();
	pthread_mutex_init(&federation->lock, NULL);
	wf_condition_init(&federation->wake);
	rc = open_parts(federation, err);
	if (rc != WF_OK)
		wf_federation_free(&federation);
	*federation_out = federation;
	return rc;
}

void wf_federation_free(struct wf_federation **federation)
{
	struct wf_federation *old = *federation;

	*federation = NULL;
	if (old == NULL)
		return;
	wf_assert(!old->has_thread);
	wf_browsers_close(old);
	wf_machines_close(old);
	wf_arena_free(&old->arena);
	pthread_cond_destroy(&old->wake);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

enum wf_rc wf_federation_start(struct wf_federation *federation,
    struct wf_engine *engine, struct wf_accounts *accounts,
    struct wf_org_cache *organisation, struct wf_error *err)
{
	enum wf_rc rc;

	federation->engine = engine;
	federation->accounts = accounts;
	federation->organisation = organisation;
	wf_accounts_federate(accounts, federation);
	rc = wf_browsers_start(federation, err);
	return rc == WF_OK ? wf_directory_start(federation, err) : rc;
}

void wf_federation_stop(struct wf_federation *federation)
{
	if (federation != NULL)
		wf_directory_stop(federation);
}

/* --- reports and counts ------------------------------------------------- */

void wf_federation_report(
    struct wf_federation *federation, const struct wf_federation_notice *notice)
{
	federation->settings.report(federation->settings.context, notice);
}

void wf_federation_read_counts(
    struct wf_federation *federation, struct wf_federation_counts *counts_out)
{
	memset(counts_out, 0, sizeof(*counts_out));
	if (federation == NULL)
		return;
	counts_out->passed = atomic_load(&federation->passed);
	counts_out->refused = atomic_load(&federation->refused);
	counts_out->failed = atomic_load(&federation->failed);
	counts_out->refreshes = atomic_load(&federation->refreshes);
	counts_out->tokens = atomic_load(&federation->tokens);
	counts_out->tokens_refused = atomic_load(&federation->tokens_refused);
	counts_out->is_down = atomic_load(&federation->is_down);
}
