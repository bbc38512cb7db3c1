/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of routes, and what the dispatcher (server/dispatch.h) calls for a
 * request to REST: the head names the route and the account; the rest of the
 * request is for the handler of the route.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "identity/audit.h"
#include "rest/account/rest_session.h"
#include "rest/page/rest_page.h"
#include "server/context.h"

#define OPEN WF_ACCESS_OPEN, 0, false
#define SIGN_IN WF_ACCESS_SIGN_IN, 0, false
#define OWN WF_ACCESS_ACCOUNT, 0, false
#define ALL(verb) WF_ACCESS_ACCOUNT, WF_MAY(verb), false
#define ONE(verb) WF_ACCESS_ACCOUNT, WF_MAY(verb), true
#define STARTER(verb) WF_ACCESS_ACCOUNT, WF_MAY(verb) | WF_MAY(START), true
#define LOADER(verb) WF_ACCESS_ACCOUNT, WF_MAY(verb) | WF_MAY(LOAD), true
#define PEOPLE(verb) WF_ACCESS_ACCOUNT, WF_MAY(verb) | WF_MAY(PARTICIPATE), true
#define FILES(verb)                                                            \
	WF_ACCESS_ACCOUNT,                                                     \
	    WF_MAY(verb) | WF_MAY(OPERATE) | WF_MAY(PARTICIPATE), true

#define COMMAND(name) WF_REQUEST_COMMAND, WF_COMMAND_##name
#define REQUEST(name) WF_REQUEST_##name, (enum wf_command_kind)0
#define NOTHING (enum wf_request_kind)0, (enum wf_command_kind)0

static const struct wf_route routes[] = {
#define WF_ROUTE(method, path, operation, access, where, arguments, members,   \
    handler, gives)                                                            \
	{ method, path, { operation, access, WF_##where }, arguments, members, \
		handler, gives },
#include "rest/routes.def"
#undef WF_ROUTE
};

#define ROUTE_COUNT (sizeof(routes) / sizeof(routes[0]))

const struct wf_route *wf_rest_route(const char *operation)
{
	for (size_t i = 0; i < ROUTE_COUNT; i++)
		if (strcmp(routes[i].operation.name, operation) == 0)
			return &routes[i];
	return NULL;
}

/* --- routing -------------------------------------------------------------- */

/* Compares segment by segment; "{}" in the pattern matches any but "". */
static bool match(struct wf_rest *rest, const char *pattern)
{
	size_t part = 0;

	for (size_t i = 0; i < rest->invocation.target.segment_count; i++) {
		const char *segment = rest->invocation.target.segments[i];
		size_t length;

		if (*pattern++ != '/')
			return false;
		length = strcspn(pattern, "/");
		if (length == 2 && memcmp(pattern, "{}", 2) == 0) {
			if (segment[0] == '\0')
				return false;
			rest->parts[part++] = segment;
		} else if (strlen(segment) != length ||
			   memcmp(segment, pattern, length) != 0) {
			return false;
		}
		pattern += length;
	}
	return *pattern == '\0' && rest->invocation.target.segment_count > 0;
}

static void take_route(struct wf_rest *rest, const struct wf_route *route)
{
	rest->route = route;
	rest->invocation.operation = &route->operation;
}

/* allowed: the methods of other routes of this path; "": there is none. */
static void refuse_path(struct wf_rest *rest, const char *allowed)
{
	if (allowed[0] == '\0') {
		wf_rest_problem(rest, 404, "not_found",
		    "There is no such thing", "there is nothing at this path");
		return;
	}
	wf_exchange_add_header(rest->exchange, "Allow", allowed);
	wf_rest_problem(rest, 405, "not_allowed",
	    "This path does not take this method", NULL);
}

/* False: answered. */
static bool find_route(struct wf_rest *rest)
{
	const char *method = wf_exchange_method(rest->exchange);
	char allowed[64] = "";

	if (strcmp(method, "HEAD") == 0)
		method = "GET";
	for (size_t i = 0; i < ROUTE_COUNT; i++) {
		const struct wf_route *route = &routes[i];
		size_t length = strlen(allowed);

		if (!match(rest, route->path))
			continue;
		if (strcmp(route->method, method) == 0) {
			take_route(rest, route);
			return true;
		}
		snprintf(allowed + length, sizeof(allowed) - length, "%s%s%s",
		    length > 0 ? ", " : "", route->method,
		    strcmp(route->method, "GET") == 0 ? ", HEAD" : "");
	}
	/* The page has other addresses than that of its route, too. */
	if (allowed[0] == '\0' && wf_rest_is_page(rest)) {
		take_route(rest, wf_rest_route("showPage"));
		return true;
	}
	refuse_path(rest, allowed);
	return false;
}

static bool check_arguments(struct wf_rest *rest)
{
	for (size_t i = 0; i < rest->invocation.target.argument_count; i++) {
		const char *name = rest->invocation.target.arguments[i].name;

		if (wf_rest_is_listed(rest->route->arguments, name) ||
		    wf_rest_is_listed(rest->route->arguments, "*"))
			continue;
		wf_rest_refuse(
		    rest, "%.100s: there is no such argument here", name);
		return false;
	}
	return true;
}

static bool read_target(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };

	if (wf_target_read(&rest->invocation.target,
		wf_exchange_target(rest->exchange),
		wf_exchange_arena(rest->exchange), &err) == WF_OK)
		return find_route(rest) && check_arguments(rest);
	wf_rest_fail(rest, &err);
	return false;
}

/* --- authorization -------------------------------------------------------- */

static void refuse_for(
    struct wf_rest *rest, unsigned seconds, const char *detail)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", seconds);
	wf_exchange_add_header(rest->exchange, "Retry-After", text);
	wf_rest_problem(
	    rest, 429, "throttled", "Too many wrong passwords", detail);
}

/* For the audit.  A token, or a password that is remembered, is no sign-in. */
static void note_sign_in(struct wf_rest *rest,
    const struct wf_credentials *credentials, enum wf_rc rc)
{
	struct wf_arena *arena = wf_exchange_arena(rest->exchange);
	bool signs_in = rest->invocation.operation->access == WF_ACCESS_SIGN_IN;
	const char *scheme = credentials->authorization;
	bool is_token =
	    credentials->name == NULL &&
	    (scheme == NULL || strncasecmp(scheme, "Basic", 5) != 0);

	if (rc == WF_OK ? !signs_in && !credentials->was_computed
			: credentials->name == NULL && scheme == NULL)
		return;
	rest->sign_in.account = wf_arena_strdup(
	    arena, rc == WF_OK ? rest->account.name : credentials->known);
	rest->sign_in.method = is_token ? "token" : "password";
	rest->sign_in.result = rc == WF_OK	? WF_AUDIT_DONE
			       : rc == WF_LIMIT ? "throttled"
						: "refused";
}

static enum wf_authorization check_credentials(
    struct wf_rest *rest, struct wf_credentials *credentials, bool slowly)
{
	struct wf_invocation *call = &rest->invocation;
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc;

	credentials->address = wf_exchange_peer(rest->exchange);
	credentials->may_ask = slowly && call->asks;
	rc = wf_accounts_check(
	    rest->server->accounts, credentials, slowly, &rest->account, &err);
	if (rc == WF_UNAVAILABLE && credentials->is_later) {
		call->turn.client = credentials->address_key;
		call->turn.name = credentials->name_key;
		call->asks = credentials->asks;
		return WF_LATER;
	}
	note_sign_in(rest, credentials, rc);
	if (rc == WF_LIMIT)
		refuse_for(rest, credentials->wait, err.message);
	else if (rc == WF_UNAVAILABLE)
		wf_rest_fail(rest, &err);
	else if (rc != WF_OK)
		wf_rest_problem(rest, 401, "unauthorized",
		    "An account is needed", err.message);
	return rc == WF_OK ? WF_GRANTED : WF_REFUSED;
}

/* The account that the body names: it must have come. */
static enum wf_authorization check_sign_in(struct wf_rest *rest, bool slowly)
{
	struct wf_credentials credentials = { .authorization = NULL };
	const char *ticket;

	if (!rest->invocation.is_whole)
		return WF_AWAITED;
	rest->is_allowed = true;
	if (!wf_rest_read_sign_in(rest, &credentials, &ticket))
		return WF_REFUSED;
	return ticket != NULL ? wf_rest_check_ticket(rest, ticket)
			      : check_credentials(rest, &credentials, slowly);
}

static enum wf_authorization check_account(struct wf_rest *rest, bool slowly)
{
	struct wf_credentials credentials = {
		.authorization =
		    wf_exchange_header(rest->exchange, "Authorization")
	};
	const char *session = wf_rest_session_id(rest);

	return session != NULL ? wf_rest_check_session(rest, session)
			       : check_credentials(rest, &credentials, slowly);
}

static enum wf_authorization authorize(struct wf_invocation *call, bool slowly)
{
	struct wf_rest *rest = (struct wf_rest *)call;
	bool signs_in = call->operation->access == WF_ACCESS_SIGN_IN;
	enum wf_authorization verdict;

	if (call->operation->access == WF_ACCESS_OPEN)
		return WF_GRANTED;
	verdict = signs_in ? check_sign_in(rest, slowly)
			   : check_account(rest, slowly);
	if (verdict != WF_GRANTED)
		return verdict;
	call->user = rest->account.name;
	return signs_in || wf_rest_authorize(rest) ? WF_GRANTED : WF_REFUSED;
}

/* --- what the dispatcher calls -------------------------------------------- */

static bool admit(struct wf_invocation *call)
{
	struct wf_rest *rest = (struct wf_rest *)call;

	rest->server = call->server;
	rest->exchange = call->exchange;
	rest->arena = call->arena;
	return wf_rest_check_browser(rest) && read_target(rest);
}

/* A route without members accepts an empty body or an empty object. */
static bool prepare(struct wf_invocation *call)
{
	struct wf_rest *rest = (struct wf_rest *)call;
	json_t *body;
	bool good;

	if (rest->route->members[0] != '\0')
		return true;
	good = wf_rest_body(rest, &body);
	json_decref(body);
	return good;
}

static void run(struct wf_invocation *call)
{
	struct wf_rest *rest = (struct wf_rest *)call;

	rest->route->handle(rest);
}

static void fail(struct wf_invocation *call, const struct wf_error *err)
{
	wf_rest_fail((struct wf_rest *)call, err);
}

static void log_call(const struct wf_invocation *call, struct wf_log_line *line)
{
	const struct wf_rest *rest = (const struct wf_rest *)call;

	if (rest->route != NULL &&
	    strncmp(rest->route->path, "/v1/items/", 10) == 0)
		wf_log_text(line, "item", rest->parts[0]);
	wf_log_text(line, "code", rest->problem);
	wf_log_text(line, "failure", rest->failure);
}

static void over(struct wf_invocation *call)
{
	struct wf_rest *rest = (struct wf_rest *)call;

	wf_rest_audit(rest);
	json_decref(rest->foreseen);
	json_decref(rest->objection);
}

static const char *route_of(const struct wf_invocation *call)
{
	const struct wf_rest *rest = (const struct wf_rest *)call;

	return rest->route == NULL ? NULL : rest->route->path;
}

const struct wf_interface wf_rest_interface = {
	.invocation_size = sizeof(struct wf_rest),
	.admit = admit,
	.authorize = authorize,
	.prepare = prepare,
	.run = run,
	.fail = fail,
	.log = log_call,
	.route = route_of,
	.over = over,
};
