/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Built-in services: the server itself does what the input of an item says.
 *
 *   weft:echo   completes the item with its input
 *   weft:delay  the same, at the time "delay" after it was enabled
 *   weft:fail   refuses the item, with the reason "reason"
 *   weft:http   sends a request: url, method, headers, content_type, body;
 *               outputs: status, body, and the members of a JSON answer
 *   weft:mail   sends a mail: from, to, subject, text
 *
 * A slash and any text may follow the name, so that several services with
 * different addresses can be registered.  An output parameter that the service
 * does not set gets the input of the same name.
 */
#include "work/built_in.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/panic.h"
#include "data/deadline.h"
#include "data/json.h"
#include "work/access_tokens.h"
#include "work/handler.h"
#include "work/item_data.h"
#include "work/mail/mail_format.h"
#include "xquery/text/unicode.h"

/* --- input and output --------------------------------------------------- */

/* An input parameter as text; NULL: there is none, or it is empty. */
static const char *get(
    struct wf_message *message, const json_t *item, const char *name)
{
	const json_t *member =
	    json_object_get(json_object_get(item, "data"), name);
	const char *text = json_string_value(member);
	char *made = NULL;

	if (text == NULL && member != NULL)
		made = wf_json_dump(member, JSON_COMPACT | JSON_ENCODE_ANY);
	if (made != NULL)
		text = made;
	text = text == NULL || *text == '\0'
		   ? NULL
		   : wf_arena_strdup(message->arena, text);
	free(made);
	return text;
}

/* Each output parameter is taken from extra, else from the input. */
static enum wf_verdict complete(
    struct wf_message *message, const json_t *item, const json_t *extra)
{
	const json_t *data = json_object_get(item, "data");
	json_t *output = json_object();
	struct wf_error err = { .rc = WF_OK };
	const json_t *name;
	size_t i;
	enum wf_rc rc;

	json_array_foreach(json_object_get(item, "outputs"), i, name)
	{
		const char *key = json_string_value(name);
		json_t *value = json_object_get(extra, key);

		if (value == NULL)
			value = json_object_get(data, key);
		if (value != NULL)
			json_object_set(output, key, value);
	}
	rc = wf_item_data_output(message, output, &err);
	json_decref(output);
	return rc == WF_OK ? WF_VERDICT_COMPLETE
			   : wf_message_fail(message, WF_VERDICT_REFUSED,
				 "its output: %s", err.message);
}

static bool has_output(const json_t *item, const char *name)
{
	const json_t *output;
	size_t i;

	json_array_foreach(json_object_get(item, "outputs"), i,
	    output) if (strcmp(json_string_value(output), name) ==
			0) return true;
	return false;
}

/* --- echo, delay, fail ---------------------------------------------------- */

static enum wf_verdict echo(struct wf_message *message, json_t *item)
{
	return complete(message, item, NULL);
}

static enum wf_verdict delay(struct wf_message *message, json_t *item)
{
	const char *text = get(message, item, "delay");
	struct wf_deadline deadline;

	if (text == NULL ||
	    !wf_deadline_parse(text, strlen(text), 0, &deadline) ||
	    !wf_deadline_at(&deadline, message->row.at, 0, NULL, &message->at))
		return wf_message_fail(message, WF_VERDICT_REFUSED,
		    "delay: expected a duration such as PT1H");
	return message->at > message->now ? WF_VERDICT_LATER
					  : complete(message, item, NULL);
}

static enum wf_verdict fail(struct wf_message *message, json_t *item)
{
	const char *reason = get(message, item, "reason");

	return wf_message_fail(message, WF_VERDICT_REFUSED, "%s",
	    reason == NULL ? "that is what it is for" : reason);
}

/* --- http ----------------------------------------------------------------- */

/*
 * Only the registered address and paths below it may be called; ".." could lead
 * out of it.
 */
static bool is_below(const char *url, const char *address)
{
	size_t length = strlen(address);

	return strncmp(url, address, length) == 0 &&
	       (address[length - 1] == '/' || url[length] == '\0' ||
		   url[length] == '/' || url[length] == '?') &&
	       strstr(url + length, "..") == NULL &&
	       strcasestr(url + length, "%2e") == NULL;
}

static bool is_method(const char *text)
{
	size_t length = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	return length > 0 && length < 20 && text[length] == '\0';
}

/* RFC 9110, token: proxies may read any other text as several headers. */
static bool is_header_name(const char *name)
{
	size_t length =
	    strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			 "0123456789!#$%&'*+-.^_`|~");

	return length > 0 && name[length] == '\0';
}

/* A line "Name: value"; headers that libcurl sets are left out. */
static bool add_header_line(
    struct wf_message *message, const char *line, size_t length)
{
	static const char *const own[] = { "host", "content-length",
		"transfer-encoding", "connection" };
	char *name = wf_arena_strndup(message->arena, line, length);
	char *value = strchr(name, ':');

	if (value == NULL)
		return false;
	*value++ = '\0';
	if (!is_header_name(name))
		return false;
	for (const char *at = value; *at != '\0'; at++)
		if ((unsigned char)*at < ' ' && *at != '\t')
			return false;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strcasecmp(name, own[i]) == 0)
			return true;
	wf_message_add_header(message, name, value + strspn(value, " "));
	return true;
}

static bool add_headers(struct wf_message *message, const char *lines)
{
	while (lines != NULL && *lines != '\0') {
		size_t length = strcspn(lines, "\r\n");

		if (length > 0 && !add_header_line(message, lines, length))
			return false;
		lines += length;
		lines += strspn(lines, "\r\n");
	}
	return true;
}

/* Render it again when the token may have come. */
#define TOKEN_PAUSE_MS 100

/* CALL: the token is there. */
static enum wf_verdict add_token(struct wf_message *message)
{
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc = wf_access_tokens_get(message->tokens, message->service,
	    message->arena, &message->bearer, &err);

	if (rc == WF_UNAVAILABLE) {
		message->at = message->now + TOKEN_PAUSE_MS;
		return WF_VERDICT_LATER;
	}
	if (rc != WF_OK)
		return wf_message_fail(
		    message, WF_VERDICT_AGAIN, "%s", err.message);
	wf_message_add_header(message, "Authorization",
	    wf_arena_printf(message->arena, "Bearer %s", message->bearer));
	return WF_VERDICT_CALL;
}

/* Whether the service refused a token that another one replaces. */
static bool wants_token(struct wf_message *message)
{
	return message->bearer != NULL &&
	       wf_access_tokens_judge(message->tokens, message->service,
		   message->bearer, message->status == 401);
}

/* Of who calls: a token, or the secret. */
static enum wf_verdict add_proof(struct wf_message *message)
{
	const char *secret = message->service->secret;

	if (message->service->token_url[0] != '\0')
		return add_token(message);
	if (strncmp(secret, "Bearer ", 7) == 0)
		wf_message_add_header(message, "Authorization", secret);
	else if (*secret != '\0')
		message->user = secret;
	return WF_VERDICT_CALL;
}

static bool has_type(const struct wf_message *message)
{
	static const char name[] = "Content-Type:";

	for (size_t i = 0; i < message->header_count; i++)
		if (strncasecmp(message->headers[i], name, strlen(name)) == 0)
			return true;
	return false;
}

static enum wf_verdict call(struct wf_message *message, json_t *item)
{
	const char *url = get(message, item, "url");
	const char *method = get(message, item, "method");
	const char *body = get(message, item, "body");
	const char *type = get(message, item, "content_type");

	message->url = url == NULL ? message->service->address : url;
	if (!is_below(message->url, message->service->address))
		return wf_message_fail(message, WF_VERDICT_REFUSED,
		    "url: expected one below %.200s",
		    message->service->address);
	message->method = method != NULL ? method
			  : body == NULL ? "GET"
					 : "POST";
	if (!is_method(message->method))
		return wf_message_fail(message, WF_VERDICT_REFUSED,
		    "method: expected one such as GET");
	if (!add_headers(message, get(message, item, "headers")))
		return wf_message_fail(message, WF_VERDICT_REFUSED,
		    "headers: expected lines such as Name: value");
	if (type == NULL)
		type = body != NULL && (*body == '{' || *body == '[')
			   ? "application/json"
			   : "text/plain; charset=utf-8";
	if (body != NULL && !has_type(message) &&
	    !add_header_line(message,
		wf_arena_printf(message->arena, "Content-Type: %s", type),
		strlen(type) + 14))
		return wf_message_fail(message, WF_VERDICT_REFUSED,
		    "content_type: expected one such as text/plain");
	wf_message_add_header(message, "Idempotency-Key", message->key);
	if (body != NULL)
		wf_buffer_puts(&message->body, body);
	return add_proof(message);
}

/* GET changes nothing (RFC 9110, 9.2.1). */
static enum wf_verdict test_call(struct wf_message *message)
{
	message->method = "GET";
	return add_proof(message);
}

/* Whether an output can only come from a member of the answer. */
static bool has_member_output(const json_t *item)
{
	const json_t *output;
	size_t i;

	json_array_foreach(json_object_get(item, "outputs"), i, output)
	{
		const char *name = json_string_value(output);

		if (strcmp(name, "status") != 0 && strcmp(name, "body") != 0)
			return true;
	}
	return false;
}

static enum wf_verdict take_call(struct wf_message *message, json_t *item)
{
	const char *text = wf_buffer_text(&message->answer);
	json_error_t error;
	enum wf_verdict verdict;
	json_t *extra = NULL;

	if (wants_token(message)) {
		message->at = message->now;
		return WF_VERDICT_LATER;
	}
	if (message->status >= 500 ||
	    ((message->status < 200 || message->status >= 300) &&
		!has_output(item, "status")))
		return wf_message_fail_with_answer(message);
	if (strcasestr(message->type, "json") != NULL &&
	    message->answer.length > 0 && has_member_output(item)) {
		extra = json_loadb(text, message->answer.length,
		    JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
		if (extra == NULL)
			return wf_message_fail(message, WF_VERDICT_REFUSED,
			    "its answer is no JSON: %s", error.text);
	}
	if (!json_is_object(extra)) {
		json_decref(extra);
		extra = json_object();
	}
	if (has_output(item, "body") &&
	    json_object_set_new(extra, "body",
		json_stringn(text, message->answer.length)) != 0) {
		json_decref(extra);
		return wf_message_fail(
		    message, WF_VERDICT_REFUSED, "its answer is no text");
	}
	json_object_set_new(extra, "status", json_integer(message->status));
	verdict = complete(message, item, extra);
	json_decref(extra);
	return verdict;
}

/* --- mail ----------------------------------------------------------------- */

static bool read_recipients(struct wf_message *message, const char *text)
{
	size_t count = 0;

	message->mail_to = wf_arena_array(
	    message->arena, WF_MAIL_RECIPIENTS + 1, sizeof(*message->mail_to));
	while (text != NULL && *(text += strspn(text, " ,;\t\r\n")) != '\0') {
		size_t length = strcspn(text, " ,;\t\r\n");
		const char *address =
		    wf_arena_strndup(message->arena, text, length);

		if (count == WF_MAIL_RECIPIENTS || !wf_mail_is_address(address))
			return false;
		message->mail_to[count++] = address;
		text += length;
	}
	return count > 0;
}

static enum wf_verdict mail(struct wf_message *message, json_t *item)
{
	const char *subject;
	const char *text;

	message->url = message->service->address;
	message->mail_from = get(message, item, "from");
	if (message->mail_from == NULL ||
	    !wf_mail_is_address(message->mail_from))
		return wf_message_fail(message, WF_VERDICT_REFUSED,
		    "from: expected an address of mail");
	if (!read_recipients(message, get(message, item, "to")))
		return wf_message_fail(message, WF_VERDICT_REFUSED,
		    "to: expected 1 to %u addresses of mail",
		    WF_MAIL_RECIPIENTS);
	if (message->service->secret[0] != '\0')
		message->user = message->service->secret;
	subject = get(message, item, "subject");
	text = get(message, item, "text");
	wf_mail_write(&message->body, message->mail_from, message->mail_to,
	    subject == NULL ? "" : subject, text == NULL ? "" : text,
	    message->key, message->now);
	return WF_VERDICT_CALL;
}

/* The connection, and the signing in: no mail is sent. */
static enum wf_verdict test_mail(struct wf_message *message)
{
	static const char *nobody = NULL;

	message->mail_to = &nobody;
	if (message->service->secret[0] != '\0')
		message->user = message->service->secret;
	return WF_VERDICT_CALL;
}

static enum wf_verdict take_mail(struct wf_message *message, json_t *item)
{
	return complete(message, item, NULL);
}

/* --- the table of services ------------------------------------------------ */

struct function {
	const char *name;
	enum wf_verdict (*render)(struct wf_message *message, json_t *item);
	enum wf_verdict (*judge)(struct wf_message *message, json_t *item);
	enum wf_verdict (*test)(struct wf_message *message); /* NULL: none */
};

static const struct function functions[] = {
	{ "echo", echo, NULL, NULL },
	{ "delay", delay, NULL, NULL },
	{ "fail", fail, NULL, NULL },
	{ "http", call, take_call, test_call },
	{ "mail", mail, take_mail, test_mail },
};

/* NULL: there is none. */
static const struct function *find(const char *uri)
{
	bool is_ours = strncmp(uri, "weft:", 5) == 0;
	const char *name = is_ours ? uri + 5 : "";
	size_t length = strcspn(name, "/");

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strlen(functions[i].name) == length &&
		    memcmp(functions[i].name, name, length) == 0)
			return &functions[i];
	return NULL;
}

bool wf_built_in_has(const char *uri)
{
	return find(uri) != NULL;
}

static bool hears(enum wf_announcement_kind kind)
{
	return wf_message_hands_over(kind);
}

static enum wf_verdict render(struct wf_message *message)
{
	const struct function *function = find(message->service->uri);
	struct wf_error err = { .rc = WF_OK };
	enum wf_verdict verdict;
	json_t *item;
	char *text;

	/* A newer version of the server may have registered it. */
	if (function == NULL)
		return wf_message_fail(message, WF_VERDICT_REFUSED,
		    "this version has nothing of that name");
	item = json_object();
	if (wf_item_data_describe(message, item, &err) == WF_OK) {
		verdict = function->render(message, item);
		text = wf_json_dump(item, JSON_COMPACT);
		message->notes = wf_arena_strdup(message->arena, text);
		free(text);
	} else {
		verdict = wf_item_data_verdict(message, &err);
	}
	json_decref(item);
	return verdict;
}

static const char *uncalled(const struct wf_service *service)
{
	const struct function *function = find(service->uri);

	return function == NULL || function->test == NULL
		   ? "the server does its work itself"
		   : NULL;
}

static enum wf_verdict render_test(struct wf_message *message)
{
	const struct function *function = find(message->service->uri);

	wf_assert(function != NULL && function->test != NULL);
	message->url = message->service->address;
	return function->test(message);
}

static enum wf_verdict judge(struct wf_message *message)
{
	json_t *item = json_loads(message->notes, 0, NULL);
	const struct function *function = find(message->service->uri);
	enum wf_verdict verdict;

	/* render() has found it, and only these are called. */
	wf_assert(function != NULL && function->judge != NULL);
	verdict = function->judge(message, item);

	json_decref(item);
	return verdict;
}

const struct wf_service_handler wf_built_in_handler = {
	.number = 3,
	.name = "built-in",
	.hears = hears,
	.render = render,
	.uncalled = uncalled,
	.render_test = render_test,
	.judge = judge,
};
