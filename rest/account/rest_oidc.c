/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signing in at a provider, with a browser:
 *
 *   GET /v1/session/oidc ──► 303 to the provider, with a cookie of the state
 *   GET /v1/session/oidc/callback ──► a page, with the cookie of the session
 *
 * The cookie of the session is not sent along a chain of redirects that began
 * at another site, so the callback answers a page of this server, which leads
 * on.  The cookie of the state must be: it is Lax, and good for one path.
 */
#include <stdio.h>
#include <string.h>

#include "http/cookie.h"
#include "identity/audit.h"
#include "rest/account/rest_session.h"
#include "server/context.h"

#define COOKIE "weft-sign-in"
#define PATH "/v1/session/oidc"

static const char page[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"refresh\" content=\"0;url=%s\">\n"
    "<title>Weft</title>\n"
    "</head>\n"
    "<body>\n"
    "<p>You are signed in. <a href=\"%s\">Go on</a></p>\n"
    "</body>\n"
    "</html>\n";

static void put_state(struct wf_rest *rest, const char *state, unsigned seconds)
{
	bool is_secure = wf_exchange_is_https(rest->exchange);
	char text[WF_OIDC_STATE_SIZE + 200];

	snprintf(text, sizeof(text),
	    COOKIE "=%s; Path=" PATH "; HttpOnly; SameSite=Lax; Max-Age=%u%s",
	    state, seconds, is_secure ? "; Secure" : "");
	wf_exchange_add_header(rest->exchange, "Set-Cookie", text);
}

/* False: answered. */
static bool has_provider(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };

	if (wf_federation_has_provider(rest->server->federation))
		return true;
	wf_fail(&err, WF_NOT_FOUND,
	    "this server has no provider at which people sign in "
	    "(oidc-issuer)");
	wf_rest_fail(rest, &err);
	return false;
}

/* --- the beginning -------------------------------------------------------- */

static void begin(struct wf_invocation *call)
{
	struct wf_rest *rest = (struct wf_rest *)call;
	const char *path = wf_rest_argument(rest, "to");
	struct wf_error err = { .rc = WF_OK };
	char state[WF_OIDC_STATE_SIZE];
	const char *url;

	if (wf_federation_begin(rest->server->federation,
		path == NULL ? "/" : path, rest->arena, &url, state,
		&err) != WF_OK) {
		wf_rest_fail(rest, &err);
		return;
	}
	put_state(rest, state, WF_OIDC_SECONDS);
	wf_exchange_add_header(rest->exchange, "Cache-Control", "no-store");
	wf_exchange_add_header(rest->exchange, "Location", url);
	wf_exchange_answer(rest->exchange, 303, NULL, "", 0);
}

void wf_rest_begin_oidc(struct wf_rest *rest)
{
	if (has_provider(rest))
		wf_invocation_ask(&rest->invocation, begin);
}

/* --- the end -------------------------------------------------------------- */

/* The path has no character that needs to be escaped: wf_oidc_is_path(). */
static void answer_page(struct wf_rest *rest, const char *path)
{
	struct wf_buffer html;

	wf_buffer_init(&html, 16384);
	for (const char *at = page; *at != '\0'; at++)
		if (at[0] == '%' && at[1] == 's') {
			wf_buffer_escape(&html, path, strlen(path), true);
			at++;
		} else {
			wf_buffer_putc(&html, *at);
		}
	wf_exchange_add_header(rest->exchange, "Content-Security-Policy",
	    "default-src 'none'; frame-ancestors 'none'");
	wf_exchange_add_header(
	    rest->exchange, "Referrer-Policy", "no-referrer");
	wf_exchange_answer(rest->exchange, 200, "text/html; charset=utf-8",
	    html.data, html.length);
	wf_buffer_free(&html);
}

/* For the audit. */
static void note(struct wf_rest *rest, enum wf_rc rc)
{
	rest->sign_in.account =
	    rc == WF_OK ? wf_arena_strdup(wf_exchange_arena(rest->exchange),
			      rest->account.name)
			: "";
	rest->sign_in.method = "oidc";
	rest->sign_in.result = rc == WF_OK ? WF_AUDIT_DONE : "refused";
}

static void finish(struct wf_invocation *call)
{
	struct wf_rest *rest = (struct wf_rest *)call;
	char cookie[WF_OIDC_STATE_SIZE];
	bool has_cookie =
	    wf_cookie_find(wf_exchange_header(rest->exchange, "Cookie"), COOKIE,
		cookie, sizeof(cookie));
	const struct wf_oidc_return back = {
		.cookie = has_cookie ? cookie : NULL,
		.state = wf_rest_argument(rest, "state"),
		.code = wf_rest_argument(rest, "code"),
		.error = wf_rest_argument(rest, "error"),
		.issuer = wf_rest_argument(rest, "iss"),
	};
	struct wf_error err = { .rc = WF_OK };
	const char *path = "/";
	enum wf_rc rc;

	put_state(rest, "", 0);
	rc = wf_federation_finish(rest->server->federation, &back, rest->arena,
	    &rest->account, &path, &err);
	note(rest, rc);
	if (rc != WF_OK)
		wf_rest_fail(rest, &err);
	else if (wf_rest_open_session(rest, &rest->account, "oidc"))
		answer_page(rest, path);
}

void wf_rest_finish_oidc(struct wf_rest *rest)
{
	if (has_provider(rest))
		wf_invocation_ask(&rest->invocation, finish);
}
