/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What pages in browsers may do.
 *
 * A browser adds the password of basic authentication to requests of any page
 * (cross-site request forgery), and the cookie of a session to those of pages
 * of the same site, so the page of another origin may not use them.  A page may
 * send a form's content types without being asked for; any other type only
 * after a preflight (CORS), which the setting cors-origin answers.  A token is
 * never added by a browser itself.
 */
#include <string.h>
#include <strings.h>

#include "rest/account/rest_session.h"

#define PREFLIGHT_SECONDS "600"

static const char *header(const struct wf_rest *rest, const char *name)
{
	return wf_exchange_header(rest->exchange, name);
}

static bool is_safe(const struct wf_rest *rest)
{
	const char *method = wf_exchange_method(rest->exchange);

	return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

static bool has_password(const struct wf_rest *rest)
{
	const char *authorization = header(rest, "Authorization");

	return authorization != NULL &&
	       strncasecmp(authorization, "Basic", 5) == 0;
}

/* What a browser adds itself, whichever page it is that asks. */
static bool has_added(struct wf_rest *rest)
{
	return has_password(rest) || wf_rest_session_id(rest) != NULL;
}

/* Whether the page is of this server: "https://HOST" for "Host: HOST". */
static bool is_own(const struct wf_rest *rest, const char *origin)
{
	const char *host = header(rest, "Host");
	const char *authority = strstr(origin, "://");

	return host != NULL && authority != NULL &&
	       strcasecmp(authority + 3, host) == 0;
}

static bool is_allowed(const struct wf_rest *rest, const char *origin)
{
	const char *origins = rest->server->settings.cors_origins;

	return strcmp(origins, "*") == 0 || wf_rest_is_listed(origins, origin);
}

/* --- CORS ----------------------------------------------------------------- */

/* For the answer, whatever it will be. */
static void allow(struct wf_rest *rest, const char *origin)
{
	bool any = strcmp(rest->server->settings.cors_origins, "*") == 0;

	wf_exchange_add_header(
	    rest->exchange, "Access-Control-Allow-Origin", any ? "*" : origin);
	wf_exchange_add_header(rest->exchange, "Access-Control-Expose-Headers",
	    "Allow, Location, Retry-After, WWW-Authenticate");
}

static void answer_preflight(struct wf_rest *rest)
{
	wf_exchange_add_header(rest->exchange, "Access-Control-Allow-Methods",
	    "GET, HEAD, POST, PUT, PATCH, DELETE");
	wf_exchange_add_header(rest->exchange, "Access-Control-Allow-Headers",
	    "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, "
	    "Weft-Namespace");
	wf_exchange_add_header(
	    rest->exchange, "Access-Control-Max-Age", PREFLIGHT_SECONDS);
	wf_exchange_answer(rest->exchange, 204, NULL, "", 0);
}

/* False: answered. */
static bool check_cors(struct wf_rest *rest, const char *origin)
{
	if (rest->server->settings.cors_origins[0] == '\0')
		return true;
	wf_exchange_add_header(rest->exchange, "Vary", "Origin");
	if (origin == NULL || !is_allowed(rest, origin))
		return true;
	allow(rest, origin);
	if (strcmp(wf_exchange_method(rest->exchange), "OPTIONS") != 0 ||
	    header(rest, "Access-Control-Request-Method") == NULL)
		return true;
	answer_preflight(rest);
	return false;
}

/* --- pages of other sites ------------------------------------------------- */

static bool is_foreign(struct wf_rest *rest, const char *origin)
{
	const char *site = header(rest, "Sec-Fetch-Site");

	if (origin != NULL && !is_own(rest, origin) && has_added(rest))
		return true;
	if (origin != NULL && is_allowed(rest, origin))
		return false;
	return site != NULL && strcmp(site, "same-origin") != 0 &&
	       strcmp(site, "none") != 0 && !is_safe(rest);
}

/* --- forms ---------------------------------------------------------------- */

/* One of the types that a page may send without a preflight. */
static bool is_form(const struct wf_rest *rest)
{
	static const char *const types[] = { "text/plain",
		"multipart/form-data", "application/x-www-form-urlencoded" };
	const char *type = header(rest, "Content-Type");

	if (type == NULL)
		return false;
	type += strspn(type, " \t");
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strncasecmp(type, types[i], strlen(types[i])) == 0)
			return true;
	return false;
}

/*
 * Whether a form in a browser may have sent it, rather than a program with a
 * token, or a page of this server: no form sets a header of its own, and no
 * script of another site does without a preflight.
 */
static bool may_be_form(const struct wf_rest *rest)
{
	static const char *const names[] = { "Origin", "Cookie",
		"Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest" };

	if (header(rest, "X-CSRF-Token") != NULL)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (header(rest, names[i]) != NULL)
			return true;
	return has_password(rest);
}

bool wf_rest_check_browser(struct wf_rest *rest)
{
	const char *origin = header(rest, "Origin");

	if (!check_cors(rest, origin))
		return false;
	if (is_foreign(rest, origin)) {
		wf_rest_problem(rest, 403, "forbidden",
		    "The page of another site may not do this", NULL);
		return false;
	}
	if (is_safe(rest) || !is_form(rest) || !may_be_form(rest))
		return true;
	wf_rest_problem(rest, 415, "media_type", "The content type is a form's",
	    "expected Content-Type: application/json");
	return false;
}
