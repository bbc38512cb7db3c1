/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From an exchange to its handler.
 *
 *   head ──► route ──► account (unless that takes long) ──► whole request
 *        ──► account ──► [pool] ──► handler ──► answer
 */
#include <stdio.h>
#include <string.h>

#include "rest/rest.h"
#include "server/context.h"

/* Larger bodies are read in the pool. */
#define INLINE_MAXIMUM ((size_t)64 << 10)

#define OPEN true, WF_READER
#define READER false, WF_READER
#define WORKER false, WF_WORKER
#define OPERATOR false, WF_OPERATOR
#define ADMIN false, WF_ADMIN

const struct wf_route wf_routes[] = {
#define WF_ROUTE(                                                              \
    method, path, operation, role, where, arguments, members, handler)         \
	{ method, path, operation, role, WF_##where, arguments, members,       \
		handler },
#include "rest/routes.def"
#undef WF_ROUTE
};

const size_t wf_route_count = sizeof(wf_routes) / sizeof(wf_routes[0]);

/* --- cases by their ids --------------------------------------------------- */

static void run_in_pool(void *argument)
{
	struct wf_rest *rest = argument;

	rest->route->handle(rest);
}

void wf_rest_go_to_pool(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };

	rest->in_pool = true;
	if (wf_pool_do(rest->server->pool, run_in_pool, rest))
		return;
	wf_fail(&err, WF_UNAVAILABLE, "too many requests wait");
	wf_rest_fail(rest, &err);
}

bool wf_rest_known_case(
    struct wf_rest *rest, const char *id, struct wf_known_case *known)
{
	struct wf_error err = { .rc = WF_OK };

	rest->case_id = wf_arena_strdup(rest->arena, id);
	if (wf_server_known_case(
		rest->server, rest->account.namespace_id, id, known))
		return true;
	if (!rest->in_pool) {
		wf_rest_go_to_pool(rest);
		return false;
	}
	if (wf_server_find_case(rest->server, rest->account.namespace_id, id,
		known, &err) == WF_OK)
		return true;
	wf_rest_fail(rest, &err);
	return false;
}

bool wf_rest_known_case_of_item(
    struct wf_rest *rest, const char *item, struct wf_known_case *known)
{
	size_t length = strcspn(item, ".:");
	char id[65];

	if (length == 0 || length >= sizeof(id) || strchr(item, ':') == NULL) {
		wf_rest_problem(rest, 404, "not_found",
		    "There is no such thing",
		    "the id of a work item is like 7.1:Task");
		return false;
	}
	memcpy(id, item, length);
	id[length] = '\0';
	return wf_rest_known_case(rest, id, known);
}

/* --- routing -------------------------------------------------------------- */

const char *wf_rest_argument(const struct wf_rest *rest, const char *name)
{
	return wf_target_argument(&rest->target, name);
}

/* Segment by segment; a "{}" of the pattern takes any but "". */
static bool match(struct wf_rest *rest, const char *pattern)
{
	size_t part = 0;

	for (size_t i = 0; i < rest->target.segment_count; i++) {
		const char *segment = rest->target.segments[i];
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
	return *pattern == '\0' && rest->target.segment_count > 0;
}

/* False: answered. */
static bool find_route(struct wf_rest *rest)
{
	const char *method = wf_exchange_method(rest->exchange);
	char allowed[64] = "";

	if (strcmp(method, "HEAD") == 0)
		method = "GET";
	for (size_t i = 0; i < wf_route_count; i++) {
		const struct wf_route *route = &wf_routes[i];
		size_t length = strlen(allowed);

		if (!match(rest, route->path))
			continue;
		if (strcmp(route->method, method) == 0) {
			rest->route = route;
			return true;
		}
		snprintf(allowed + length, sizeof(allowed) - length, "%s%s%s",
		    length > 0 ? ", " : "", route->method,
		    strcmp(route->method, "GET") == 0 ? ", HEAD" : "");
	}
	if (allowed[0] == '\0') {
		wf_rest_problem(rest, 404, "not_found",
		    "There is no such thing", "there is nothing at this path");
	} else {
		wf_exchange_add_header(rest->exchange, "Allow", allowed);
		wf_rest_problem(rest, 405, "not_allowed",
		    "This path does not take this method", NULL);
	}
	return false;
}

static bool check_arguments(struct wf_rest *rest)
{
	for (size_t i = 0; i < rest->target.argument_count; i++) {
		const char *name = rest->target.arguments[i].name;

		if (wf_rest_is_listed(rest->route->arguments, name))
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

	if (wf_target_read(&rest->target, wf_exchange_target(rest->exchange),
		rest->arena, &err) == WF_OK)
		return find_route(rest) && check_arguments(rest);
	wf_rest_fail(rest, &err);
	return false;
}

/* --- who asks ------------------------------------------------------------- */

/*
 * A browser that has credentials must not use them for what the page of
 * another site sends.
 */
static bool check_site(struct wf_rest *rest)
{
	const char *method = wf_exchange_method(rest->exchange);
	const char *site = wf_exchange_header(rest->exchange, "Sec-Fetch-Site");

	if (site == NULL || strcmp(site, "same-origin") == 0 ||
	    strcmp(site, "none") == 0 || strcmp(method, "GET") == 0 ||
	    strcmp(method, "HEAD") == 0)
		return true;
	wf_rest_problem(rest, 403, "forbidden",
	    "The page of another site may not do this", NULL);
	return false;
}

/*
 * False: answered.  What takes long is left for later, unless it is to be
 * done now.
 */
static bool check_account(struct wf_rest *rest, bool slowly)
{
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc;

	if (rest->route->is_open) {
		rest->is_known = true;
		return true;
	}
	rc = wf_accounts_check(rest->server->accounts,
	    wf_exchange_header(rest->exchange, "Authorization"), slowly,
	    &rest->account, &err);
	if (rc == WF_UNAVAILABLE)
		return true;
	if (rc != WF_OK) {
		wf_rest_problem(rest, 401, "unauthorized",
		    "An account is needed", err.message);
		return false;
	}
	rest->is_known = true;
	if (rest->account.role >= rest->route->role)
		return true;
	wf_rest_problem(rest, 403, "forbidden",
	    "The account's role does not allow it", NULL);
	return false;
}

/* --- from the head to the handler ----------------------------------------- */

static bool is_large(const struct wf_rest *rest)
{
	size_t length;

	(void)wf_exchange_body(rest->exchange, &length);
	return length > INLINE_MAXIMUM;
}

/* A route without a body takes none, or an empty object. */
static bool check_no_body(struct wf_rest *rest)
{
	json_t *body;
	bool good;

	if (rest->route->members[0] != '\0')
		return true;
	good = wf_rest_body(rest, &body);
	json_decref(body);
	return good;
}

static void go_on(struct wf_rest *rest)
{
	if (rest->route->where == WF_IN_POOL || is_large(rest))
		wf_rest_go_to_pool(rest);
	else
		rest->route->handle(rest);
}

static void check_slowly(void *argument)
{
	struct wf_rest *rest = argument;

	if (check_account(rest, true) && check_no_body(rest))
		go_on(rest);
}

static void handle_open(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };

	if (rest->is_known) {
		if (check_no_body(rest))
			go_on(rest);
		return;
	}
	if (wf_pool_do(rest->server->passwords, check_slowly, rest))
		return;
	wf_fail(&err, WF_UNAVAILABLE, "too many passwords wait to be checked");
	wf_rest_fail(rest, &err);
}

void wf_rest_admit(struct wf_server *server, struct wf_exchange *exchange)
{
	struct wf_rest *rest =
	    wf_arena_alloc(wf_exchange_arena(exchange), sizeof(*rest));

	rest->server = server;
	rest->exchange = exchange;
	rest->arena = wf_exchange_arena(exchange);
	wf_exchange_set_data(exchange, rest);
	if (read_target(rest) && check_site(rest))
		(void)check_account(rest, false);
}

void wf_rest_handle(struct wf_server *server, struct wf_exchange *exchange)
{
	(void)server;
	handle_open(wf_exchange_data(exchange));
}

void wf_rest_log(struct wf_log_line *line, struct wf_exchange *exchange)
{
	const struct wf_rest *rest = wf_exchange_data(exchange);

	wf_log_text(line, "account", rest->account.name);
	wf_log_text(line, "case", rest->case_id);
	if (rest->route != NULL) {
		wf_log_text(line, "operation", rest->route->operation);
		if (strncmp(rest->route->path, "/v1/items/", 10) == 0)
			wf_log_text(line, "item", rest->parts[0]);
	}
	wf_log_text(line, "code", rest->problem);
	wf_log_text(line, "failure", rest->failure);
}
