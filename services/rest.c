/* SPDX-License-Identifier: Apache-2.0 */
/* From an exchange to its handler, and what all handlers need. */
#include "services/rest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "data/json.h"
#include "services/server_priv.h"

#define LIMIT_DEFAULT 100U
#define LIMIT_MAXIMUM 1000U

#define OPEN true, WF_READER
#define READER false, WF_READER
#define WORKER false, WF_WORKER
#define OPERATOR false, WF_OPERATOR
#define ADMIN false, WF_ADMIN

const struct wf_route wf_routes[] = {
#define WF_ROUTE(method, path, operation, role, where, handler)                \
	{ method, path, operation, role, WF_##where, handler },
#include "services/routes.def"
#undef WF_ROUTE
};

const size_t wf_route_count = sizeof(wf_routes) / sizeof(wf_routes[0]);

/* --- answers -------------------------------------------------------------- */

void wf_rest_answer(struct wf_rest *rest, unsigned status, json_t *json)
{
	char *text = json_dumps(json, WF_JSON_FLAGS | JSON_ENCODE_ANY);

	json_decref(json);
	if (text == NULL) {
		wf_rest_problem(rest, 500, "bug", "Internal error",
		    "the answer could not be written");
		return;
	}
	wf_exchange_answer(
	    rest->exchange, status, "application/json", text, strlen(text));
	free(text);
}

void wf_rest_answer_problem(
    struct wf_rest *rest, unsigned status, json_t *problem)
{
	char *text = json_dumps(problem, WF_JSON_FLAGS);

	json_decref(problem);
	if (status == 503)
		wf_exchange_add_header(rest->exchange, "Retry-After", "1");
	if (status == 401)
		wf_exchange_add_header(rest->exchange, "WWW-Authenticate",
		    "Bearer realm=\"weft\"");
	wf_exchange_answer(rest->exchange, status, "application/problem+json",
	    text == NULL ? "" : text, text == NULL ? 0 : strlen(text));
	free(text);
}

json_t *wf_rest_make_problem(
    unsigned status, const char *code, const char *title, const char *detail)
{
	json_t *problem = json_object();

	json_object_set_new(problem, "type", json_string("about:blank"));
	json_object_set_new(problem, "title", json_string(title));
	json_object_set_new(problem, "status", json_integer(status));
	wf_rest_put_text(problem, "detail", detail);
	json_object_set_new(problem, "code", json_string(code));
	return problem;
}

void wf_rest_problem(struct wf_rest *rest, unsigned status, const char *code,
    const char *title, const char *detail)
{
	wf_rest_answer_problem(
	    rest, status, wf_rest_make_problem(status, code, title, detail));
}

void wf_rest_fail(struct wf_rest *rest, const struct wf_error *err)
{
	static const struct {
		enum wf_rc rc;
		const char *code;
		const char *title;
	} rows[] = {
		{ WF_INVALID, "invalid", "The request makes no sense" },
		{ WF_NOT_FOUND, "not_found", "There is no such thing" },
		{ WF_CONFLICT, "conflict", "Not in this state" },
		{ WF_DATA, "data", "The data does not fit" },
		{ WF_LIMIT, "limit", "A limit was reached" },
		{ WF_UNSUPPORTED, "unsupported", "Not supported" },
		{ WF_CORRUPT, "corrupt", "Stored bytes are damaged" },
		{ WF_IO, "io", "The system failed" },
		{ WF_GONE, "gone", "It is not kept any more" },
		{ WF_UNAVAILABLE, "unavailable", "Not now, try again" },
		{ WF_LOST, "unavailable", "Not known whether it is done" },
	};
	size_t i = 0;

	while (i < sizeof(rows) / sizeof(rows[0]) && rows[i].rc != err->rc)
		i++;
	if (i == sizeof(rows) / sizeof(rows[0]))
		wf_rest_problem(
		    rest, 500, "bug", "Internal error", err->message);
	else
		wf_rest_problem(rest,
		    err->rc == WF_LOST ? 503 : (unsigned)wf_rc_http(err->rc),
		    rows[i].code, rows[i].title, err->message);
}

json_t *wf_rest_time(int64_t milliseconds)
{
	time_t seconds = (time_t)(milliseconds / 1000);
	char text[40];
	struct tm when;
	size_t length;

	if (milliseconds == 0 || gmtime_r(&seconds, &when) == NULL)
		return NULL;
	length = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &when);
	snprintf(text + length, sizeof(text) - length, ".%03dZ",
	    (int)(milliseconds % 1000));
	return json_string(text);
}

void wf_rest_put_text(json_t *object, const char *name, const char *text)
{
	if (text != NULL && text[0] != '\0')
		json_object_set_new(object, name, json_string(text));
}

void wf_rest_put_time(json_t *object, const char *name, int64_t at)
{
	json_t *time = wf_rest_time(at);

	if (time != NULL)
		json_object_set_new(object, name, time);
}

void wf_rest_put_number(json_t *object, const char *name, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	json_object_set_new(object, name, json_string(text));
}

void wf_rest_put_key(json_t *object, const char *name, uint64_t key)
{
	char text[24];

	snprintf(text, sizeof(text), "%016llx", (unsigned long long)key);
	json_object_set_new(object, name, json_string(text));
}

/* --- arguments ------------------------------------------------------------ */

bool wf_rest_key(struct wf_rest *rest, const char *text, uint64_t *key_out)
{
	if (strspn(text, "0123456789abcdef") == 16 && text[16] == '\0') {
		*key_out = strtoull(text, NULL, 16);
		return true;
	}
	wf_rest_problem(rest, 400, "invalid", "The request makes no sense",
	    "the key of a specification has 16 hexadecimal digits");
	return false;
}

bool wf_rest_number(struct wf_rest *rest, const char *name, const char *text,
    uint64_t *number_out)
{
	char detail[80];
	char *end;

	errno = 0;
	*number_out = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0)
		return true;
	snprintf(detail, sizeof(detail), "%s: expected a number", name);
	wf_rest_problem(
	    rest, 400, "invalid", "The request makes no sense", detail);
	return false;
}

bool wf_rest_limit(struct wf_rest *rest, size_t *limit_out)
{
	const char *text = wf_exchange_argument(rest->exchange, "limit");
	unsigned long limit = LIMIT_DEFAULT;
	char *end = NULL;

	if (text != NULL)
		limit = strtoul(text, &end, 10);
	if (text != NULL && (*text < '0' || *text > '9' || *end != '\0' ||
				limit == 0 || limit > LIMIT_MAXIMUM)) {
		wf_rest_problem(rest, 400, "invalid",
		    "The request makes no sense",
		    "limit: expected a number from 1 to 1000");
		return false;
	}
	*limit_out = limit;
	return true;
}

bool wf_rest_wants_xml(const struct wf_rest *rest)
{
	const char *accept = wf_exchange_header(rest->exchange, "Accept");

	return accept != NULL && strstr(accept, "xml") != NULL &&
	       strstr(accept, "json") == NULL;
}

bool wf_rest_sends_xml(const struct wf_rest *rest)
{
	const char *type = wf_exchange_header(rest->exchange, "Content-Type");

	return type != NULL && (strncmp(type, "application/xml", 15) == 0 ||
				   strncmp(type, "text/xml", 8) == 0);
}

bool wf_rest_body(struct wf_rest *rest, json_t **json_out)
{
	json_error_t error;
	char detail[256];
	size_t length;
	const char *body = wf_exchange_body(rest->exchange, &length);

	*json_out = NULL;
	if (length == 0)
		return true;
	*json_out = json_loadb(body, length, JSON_REJECT_DUPLICATES, &error);
	if (json_is_object(*json_out))
		return true;
	if (*json_out != NULL)
		snprintf(detail, sizeof(detail), "expected a JSON object");
	else
		snprintf(detail, sizeof(detail),
		    "no JSON: line %d, column %d: %.160s", error.line,
		    error.column, error.text);
	json_decref(*json_out);
	*json_out = NULL;
	wf_rest_problem(
	    rest, 400, "invalid", "The body makes no sense", detail);
	return false;
}

/* --- cases by their ids --------------------------------------------------- */

static void run_in_pool(void *argument);

void wf_rest_go_to_pool(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };

	rest->in_pool = true;
	if (wf_pool_do(rest->server->pool, run_in_pool, rest))
		return;
	wf_fail(&err, WF_UNAVAILABLE, "too many requests wait");
	wf_rest_fail(rest, &err);
}

static void find_case(
    struct wf_rest *rest, const char *id, struct wf_known_case *known)
{
	struct wf_engine *engine = rest->server->engine;
	uint32_t space = rest->account.namespace_id;
	struct wf_error err = { .rc = WF_OK };
	struct wf_stored_case stored;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, &err);

	known->number = 0;
	if (rc == WF_OK) {
		rc = wf_store_find(store, space, &id, 1, &known->number, &err);
		if (rc == WF_OK && known->number == 0)
			rc = wf_fail(
			    &err, WF_NOT_FOUND, "there is no case '%.64s'", id);
		if (rc == WF_OK)
			rc = wf_store_case(store, known->number, false,
			    rest->arena, &stored, &err);
		wf_engine_give_back(engine, store);
	}
	if (rc == WF_OK) {
		known->specification = stored.row.specification;
		wf_server_know_case(rest->server, space, id, known);
		return;
	}
	known->number = 0;
	wf_rest_fail(rest, &err);
}

bool wf_rest_known_case(
    struct wf_rest *rest, const char *id, struct wf_known_case *known)
{
	if (wf_server_known_case(
		rest->server, rest->account.namespace_id, id, known))
		return true;
	if (!rest->in_pool) {
		wf_rest_go_to_pool(rest);
		return false;
	}
	find_case(rest, id, known);
	return known->number != 0;
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

/* Takes a segment of a path; a "{}" of the pattern takes any but "". */
static bool match(struct wf_rest *rest, const char *pattern, const char *path)
{
	size_t part = 0;

	while (*pattern != '\0') {
		if (pattern[0] == '{') {
			size_t length = strcspn(path, "/");

			if (length == 0 || part == WF_PATH_PARTS)
				return false;
			rest->parts[part++] =
			    wf_arena_strndup(rest->arena, path, length);
			path += length;
			pattern += 2;
		} else if (*pattern++ != *path++) {
			return false;
		}
	}
	return *path == '\0';
}

/* NULL: answered. */
static const struct wf_route *find_route(struct wf_rest *rest)
{
	const char *path = wf_exchange_path(rest->exchange);
	const char *method = wf_exchange_method(rest->exchange);
	char allowed[64] = "";

	if (strcmp(method, "HEAD") == 0)
		method = "GET";
	for (size_t i = 0; i < wf_route_count; i++) {
		const struct wf_route *route = &wf_routes[i];
		size_t length = strlen(allowed);

		if (!match(rest, route->path, path))
			continue;
		if (strcmp(route->method, method) == 0)
			return route;
		snprintf(allowed + length, sizeof(allowed) - length, "%s%s",
		    length > 0 ? ", " : "", route->method);
	}
	if (allowed[0] == '\0') {
		wf_rest_problem(rest, 404, "not_found",
		    "There is no such thing", "there is nothing at this path");
	} else {
		wf_exchange_add_header(rest->exchange, "Allow", allowed);
		wf_rest_problem(rest, 405, "not_allowed",
		    "This path does not take this method", NULL);
	}
	return NULL;
}

/* Whether the account may; else it is answered, or on its way to the pool. */
static bool is_allowed(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc;

	if (rest->route->is_open)
		return true;
	rc = wf_accounts_check(rest->server->accounts,
	    wf_exchange_header(rest->exchange, "Authorization"), rest->in_pool,
	    &rest->account, &err);
	if (rc == WF_UNAVAILABLE && !rest->in_pool) {
		wf_rest_go_to_pool(rest);
		return false;
	}
	if (rc != WF_OK) {
		wf_rest_problem(rest, 401, "unauthorized",
		    "An account is needed", err.message);
		return false;
	}
	if (rest->account.role < rest->route->role) {
		wf_rest_problem(rest, 403, "forbidden",
		    "The account's role does not allow it", NULL);
		return false;
	}
	return true;
}

static void go_on(struct wf_rest *rest)
{
	if (!is_allowed(rest))
		return;
	if (rest->route->where == WF_IN_POOL && !rest->in_pool)
		wf_rest_go_to_pool(rest);
	else
		rest->route->handle(rest);
}

static void run_in_pool(void *argument)
{
	go_on(argument);
}

void wf_rest_handle(void *server, struct wf_exchange *exchange)
{
	struct wf_arena *arena = wf_exchange_arena(exchange);
	struct wf_rest *rest = wf_arena_alloc(arena, sizeof(*rest));

	rest->server = server;
	rest->exchange = exchange;
	rest->arena = arena;
	rest->route = find_route(rest);
	if (rest->route != NULL)
		go_on(rest);
}
