/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all handlers share: answers and problems (RFC 9457), arguments of the
 * query, members of JSON bodies, going to the pool, borrowing a store, versions
 * of records.
 */
#include "rest/rest.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/deadline.h"
#include "data/json.h"
#include "server/catalogue.h"
#include "server/context.h"

#define PAGE_DEFAULT_ROWS 100U

/* --- answers -------------------------------------------------------------- */

/* Ends the text with a newline, for terminals.  Frees the text. */
static void answer_text(
    struct wf_rest *rest, unsigned status, const char *type, char *text)
{
	size_t length = strlen(text);

	text[length] = '\n';
	wf_exchange_answer(rest->exchange, status, type, text, length + 1);
	free(text);
}

void wf_rest_answer(struct wf_rest *rest, unsigned status, json_t *json)
{
	char *text = wf_json_dump(json, JSON_COMPACT | JSON_ENCODE_ANY);

	json_decref(json);
	if (rest->invocation.operation->access != WF_ACCESS_OPEN &&
	    !wf_rest_is_allowed(rest))
		free(text); /* a handler that has not checked its object */
	else if (text == NULL)
		wf_rest_problem(rest, 500, "bug", "Internal error",
		    "the answer could not be written");
	else
		answer_text(rest, status, "application/json", text);
}

void wf_rest_answer_page(
    struct wf_rest *rest, const char *name, json_t *rows, uint64_t next)
{
	json_t *page = json_object();

	json_object_set_new(page, name, rows);
	if (next != 0)
		wf_json_put_number(page, "next", next);
	wf_rest_answer(rest, 200, page);
}

/* For the log: only problems of the server itself may not quote data of a case.
 */
static void record_problem(
    struct wf_rest *rest, unsigned status, const json_t *problem)
{
	const char *code = json_string_value(json_object_get(problem, "code"));
	const char *detail =
	    json_string_value(json_object_get(problem, "detail"));
	struct wf_arena *arena = wf_exchange_arena(rest->exchange);

	rest->problem = wf_arena_strdup(arena, code);
	if (status >= 500 && detail != NULL)
		rest->failure = wf_arena_strdup(arena, detail);
}

void wf_rest_answer_problem(
    struct wf_rest *rest, unsigned status, json_t *problem)
{
	char *text = wf_json_dump(problem, JSON_COMPACT);

	record_problem(rest, status, problem);
	json_decref(problem);
	if (status == 503)
		wf_exchange_add_header(rest->exchange, "Retry-After", "1");
	if (status == 401)
		wf_exchange_add_header(rest->exchange, "WWW-Authenticate",
		    "Bearer realm=\"weft\"");
	if (text == NULL)
		wf_exchange_answer(rest->exchange, status, NULL, "", 0);
	else
		answer_text(rest, status, "application/problem+json", text);
}

json_t *wf_rest_make_problem(
    unsigned status, const char *code, const char *title, const char *detail)
{
	json_t *problem = json_object();

	json_object_set_new(problem, "type", json_string("about:blank"));
	json_object_set_new(problem, "title", json_string(title));
	json_object_set_new(problem, "status", json_integer(status));
	wf_json_put_text(problem, "detail", detail);
	json_object_set_new(problem, "code", json_string(code));
	return problem;
}

void wf_rest_problem(struct wf_rest *rest, unsigned status, const char *code,
    const char *title, const char *detail)
{
	wf_rest_answer_problem(
	    rest, status, wf_rest_make_problem(status, code, title, detail));
}

void wf_rest_refuse(struct wf_rest *rest, const char *format, ...)
{
	char detail[400];
	va_list arguments;

	va_start(arguments, format);
	wf_write_sentence(detail, sizeof(detail), format, arguments);
	va_end(arguments);
	wf_rest_problem(
	    rest, 400, "invalid", "The request makes no sense", detail);
}

json_t *wf_rest_make_failure(const struct wf_error *err)
{
	static const struct {
		enum wf_rc rc;
		const char *code;
		const char *title;
	} rows[] = {
		{ WF_INVALID, "invalid", "The request makes no sense" },
		{ WF_DENIED, "forbidden", "That is not allowed" },
		{ WF_NOT_FOUND, "not_found", "There is no such thing" },
		{ WF_CONFLICT, "conflict", "Not in this state" },
		{ WF_DATA, "data", "The data does not fit" },
		{ WF_LIMIT, "limit", "A limit was reached" },
		{ WF_UNSUPPORTED, "unsupported", "Not supported" },
		{ WF_CORRUPT, "corrupt", "Stored bytes are damaged" },
		{ WF_IO, "io", "The system failed" },
		{ WF_GONE, "gone", "It is not kept any more" },
		{ WF_UNAVAILABLE, "unavailable", "Not now, try again" },
		{ WF_LOST, "lost", "Not known whether it is done" },
	};
	/*
	 * Codes of standards, such as XPST0003, begin with a capital.  What
	 * is lacking of rights and privileges is no code of problems.
	 */
	bool is_ours =
	    err->code[0] >= 'a' && err->code[0] <= 'z' && err->rc != WF_DENIED;
	size_t i = 0;

	while (i < sizeof(rows) / sizeof(rows[0]) && rows[i].rc != err->rc)
		i++;
	if (i == sizeof(rows) / sizeof(rows[0]))
		return wf_rest_make_problem(
		    500, "bug", "Internal error", err->message);
	return wf_rest_make_problem((unsigned)wf_rc_http(err->rc),
	    is_ours ? err->code : rows[i].code, rows[i].title, err->message);
}

void wf_rest_answer_failure(struct wf_rest *rest, json_t *problem)
{
	wf_rest_answer_problem(rest,
	    (unsigned)json_integer_value(json_object_get(problem, "status")),
	    problem);
}

void wf_rest_fail(struct wf_rest *rest, const struct wf_error *err)
{
	wf_rest_answer_failure(rest, wf_rest_make_failure(err));
}

/* --- the pool ------------------------------------------------------------- */

static void handle_again(struct wf_invocation *call)
{
	struct wf_rest *rest = (struct wf_rest *)call;

	rest->route->handle(rest);
}

void wf_rest_go_to_pool(struct wf_rest *rest)
{
	wf_invocation_go_to_pool(&rest->invocation, handle_again);
}

/* --- the store ------------------------------------------------------------ */

bool wf_rest_borrow(struct wf_rest *rest, struct wf_store **store_out)
{
	struct wf_error err = { .rc = WF_OK };

	if (wf_engine_borrow(rest->server->engine, store_out, &err) == WF_OK)
		return true;
	wf_rest_fail(rest, &err);
	return false;
}

bool wf_rest_give_back(struct wf_rest *rest, struct wf_store *store,
    enum wf_rc rc, const struct wf_error *err)
{
	wf_engine_give_back(rest->server->engine, store);
	if (rc != WF_OK)
		wf_rest_fail(rest, err);
	return rc == WF_OK;
}

/* --- changes -------------------------------------------------------------- */

bool wf_rest_is_change(const struct wf_rest *rest)
{
	const char *method = wf_exchange_method(rest->exchange);

	return strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0;
}

void wf_rest_put_version(struct wf_rest *rest, uint64_t change)
{
	char version[32];

	snprintf(
	    version, sizeof(version), "\"%llu\"", (unsigned long long)change);
	wf_exchange_add_header(rest->exchange, "ETag", version);
}

bool wf_rest_has_tag(const struct wf_rest *rest, const char *tag)
{
	const char *known = wf_exchange_header(rest->exchange, "If-None-Match");

	return known != NULL &&
	       (strcmp(known, "*") == 0 || strstr(known, tag) != NULL);
}

bool wf_rest_read_version(
    struct wf_rest *rest, const char *what, uint64_t *change_out)
{
	const char *text = wf_exchange_header(rest->exchange, "If-Match");
	char *end;

	*change_out = 0;
	if (text == NULL || strcmp(text, "*") == 0)
		return true;
	errno = 0;
	if (*text == '"' && text[1] >= '0' && text[1] <= '9') {
		*change_out = strtoull(text + 1, &end, 10);
		if (errno == 0 && strcmp(end, "\"") == 0 && *change_out > 0)
			return true;
	}
	wf_rest_refuse(rest, "If-Match: expected the ETag of the %s", what);
	return false;
}

/* --- arguments ------------------------------------------------------------ */

const char *wf_rest_argument(const struct wf_rest *rest, const char *name)
{
	return wf_target_argument(&rest->invocation.target, name);
}

bool wf_rest_key(struct wf_rest *rest, const char *text, uint64_t *key_out)
{
	if (wf_specification_key(text, key_out))
		return true;
	wf_rest_refuse(rest,
	    "expected the key of a specification, 16 hexadecimal digits, as "
	    "the list of specifications has it");
	return false;
}

static bool read_number(const char *text, uint64_t *number_out)
{
	char *end;

	errno = 0;
	*number_out = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 &&
	       *number_out <= INT64_MAX;
}

bool wf_rest_number(struct wf_rest *rest, const char *name, const char *text,
    uint64_t *number_out)
{
	if (read_number(text, number_out))
		return true;
	wf_rest_refuse(rest, "%s: expected a number", name);
	return false;
}

bool wf_rest_choice(struct wf_rest *rest, const char *name, const char *yes,
    const char *no, bool *yes_out)
{
	const char *text = wf_rest_argument(rest, name);

	*yes_out = text != NULL && strcmp(text, yes) == 0;
	if (text == NULL || *yes_out || strcmp(text, no) == 0)
		return true;
	wf_rest_refuse(rest, "%s: expected %s or %s", name, yes, no);
	return false;
}

bool wf_rest_switch(struct wf_rest *rest, const char *name, bool *on_out)
{
	return wf_rest_choice(rest, name, "true", "false", on_out);
}

bool wf_rest_limit(struct wf_rest *rest, size_t *limit_out)
{
	const char *text = wf_rest_argument(rest, "limit");
	uint64_t limit = PAGE_DEFAULT_ROWS;

	if (text == NULL || (read_number(text, &limit) && limit >= 1 &&
				limit <= WF_REST_PAGE_ROWS)) {
		*limit_out = limit;
		return true;
	}
	wf_rest_refuse(
	    rest, "limit: expected a number from 1 to %u", WF_REST_PAGE_ROWS);
	return false;
}

bool wf_rest_wants_xml(const struct wf_rest *rest)
{
	const char *accept = wf_exchange_header(rest->exchange, "Accept");

	return accept != NULL && strcasestr(accept, "xml") != NULL &&
	       strcasestr(accept, "json") == NULL;
}

bool wf_rest_sends_xml(const struct wf_rest *rest)
{
	const char *type = wf_exchange_header(rest->exchange, "Content-Type");

	return type != NULL && (strncasecmp(type, "application/xml", 15) == 0 ||
				   strncasecmp(type, "text/xml", 8) == 0);
}

bool wf_rest_is_listed(const char *names, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = names; *at != '\0';) {
		size_t size = strcspn(at, " ");

		if (size == length && memcmp(at, name, size) == 0)
			return true;
		at += size + (at[size] == ' ');
	}
	return false;
}

static bool check_members(struct wf_rest *rest, json_t *body)
{
	const char *names = rest->route->members;
	const char *name;
	json_t *member;

	if (strcmp(names, "*") == 0)
		return true;
	json_object_foreach(body, name, member)
	{
		if (wf_rest_is_listed(names, name))
			continue;
		wf_rest_refuse(
		    rest, "%.100s: the body has no such member", name);
		return false;
	}
	return true;
}

/* Reports rejected JSON as rejected, not as malformed. */
static void refuse_body(struct wf_rest *rest, const json_error_t *error)
{
	const char *reason = error->text;
	const char *what = "no JSON: ";

	switch (json_error_code(error)) {
	case json_error_numeric_overflow:
		what = "";
		reason = "a number is too large: give it as a string";
		break;
	case json_error_null_character:
		what = "";
		reason = "no text of a process has the character \\u0000";
		break;
	default:
		break;
	}
	wf_rest_refuse(rest, "%sline %d, column %d: %.160s", what, error->line,
	    error->column, reason);
}

bool wf_rest_body(struct wf_rest *rest, json_t **json_out)
{
	json_error_t error;
	size_t length;
	const char *text = wf_exchange_body(rest->exchange, &length);
	json_t *body;

	*json_out = NULL;
	if (length == 0)
		return true;
	body = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
	if (json_is_object(body) && check_members(rest, body)) {
		*json_out = body;
		return true;
	}
	if (body == NULL)
		refuse_body(rest, &error);
	else if (!json_is_object(body))
		wf_rest_refuse(rest, "expected a JSON object");
	json_decref(body);
	return false;
}

bool wf_rest_text(struct wf_rest *rest, json_t *object, const char *name,
    size_t maximum, const char **text_out)
{
	json_t *member = json_object_get(object, name);

	*text_out = json_string_value(member);
	if (member == NULL ||
	    (*text_out != NULL && json_string_length(member) <= maximum))
		return true;
	wf_rest_refuse(
	    rest, "%s: expected a text of at most %zu bytes", name, maximum);
	return false;
}

bool wf_rest_boolean(
    struct wf_rest *rest, json_t *object, const char *name, bool *on_out)
{
	json_t *member = json_object_get(object, name);

	*on_out = json_is_true(member);
	if (member == NULL || json_is_boolean(member))
		return true;
	wf_rest_refuse(rest, "%s: expected true or false", name);
	return false;
}

bool wf_rest_count(
    struct wf_rest *rest, json_t *object, const char *name, uint32_t *count_out)
{
	json_t *member = json_object_get(object, name);
	json_int_t number = json_integer_value(member);

	if (member == NULL)
		return true;
	if (json_is_integer(member) && number >= 0 && number <= INT32_MAX) {
		*count_out = (uint32_t)number;
		return true;
	}
	wf_rest_refuse(rest, "%s: expected a number", name);
	return false;
}

bool wf_rest_duration(
    struct wf_rest *rest, json_t *object, const char *name, int64_t *time_out)
{
	const char *text;

	if (!wf_rest_text(rest, object, name, WF_REST_TEXT_BYTES, &text))
		return false;
	if (text == NULL || wf_deadline_duration(text, time_out))
		return true;
	wf_rest_refuse(rest, "%s: expected a duration such as PT30S", name);
	return false;
}

bool wf_rest_read_instant(
    const struct wf_rest *rest, const char *text, int64_t *at_out)
{
	int32_t zone = rest->server->settings.engine.timezone;
	struct wf_deadline deadline;

	return wf_deadline_parse(text, strlen(text), zone, &deadline) &&
	       wf_deadline_at(&deadline, wf_engine_now(rest->server->engine),
		   zone, NULL, at_out);
}

bool wf_rest_instant(
    struct wf_rest *rest, json_t *object, const char *name, int64_t *at_out)
{
	const char *text;

	if (!wf_rest_text(rest, object, name, WF_REST_TEXT_BYTES, &text))
		return false;
	if (text == NULL || wf_rest_read_instant(rest, text, at_out))
		return true;
	wf_rest_refuse(rest,
	    "%s: expected a time such as 2026-01-31T12:00:00Z, or a duration "
	    "from now such as P2D",
	    name);
	return false;
}

bool wf_rest_reason(struct wf_rest *rest, bool needed, const char **reason_out)
{
	const char *reason;
	json_t *body;
	bool good;

	if (!wf_rest_body(rest, &body))
		return false;
	good = wf_rest_text(rest, body, "reason", WF_REST_TEXT_BYTES, &reason);
	if (good && (reason == NULL ? needed : *reason == '\0')) {
		wf_rest_refuse(
		    rest, "reason: expected a sentence that says why");
		good = false;
	}
	if (good)
		*reason_out = reason == NULL
				  ? NULL
				  : wf_arena_strdup(rest->arena, reason);
	json_decref(body);
	return good;
}
