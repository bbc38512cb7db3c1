/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Services as records of the store.  The value of a record:
 *
 *   format, kind, URI, secret, address, documentation, assignable, attempts,
 *   delay, backoff, cap, timeout, concurrency
 *
 * and in the second format, which only those with tokens have: URL of tokens,
 * client, scope
 */
#include "work/service.h"

#include <stdatomic.h>
#include <string.h>
#include <strings.h>

#include "base/codec.h"
#include "base/panic.h"
#include "work/access_tokens.h"
#include "work/built_in.h"
#include "work/handler.h"

#define KIND "service"
#define FORMAT 1
#define FORMAT_WITH_TOKENS 2
#define VALUE_MAXIMUM_BYTES ((size_t)64 << 10)

const struct wf_service_policy wf_service_policy_default =
    WF_SERVICE_POLICY_DEFAULT;

const struct wf_service_policy *wf_service_policy_of(
    const struct wf_service *service)
{
	return service == NULL ? &wf_service_policy_default : &service->policy;
}

int64_t wf_service_delay(
    const struct wf_service_policy *policy, uint32_t attempts)
{
	int64_t delay = policy->delay_ms;

	while (attempts-- > 1 && delay < policy->cap_ms && policy->backoff > 1)
		delay *= policy->backoff;
	return delay < policy->cap_ms ? delay : policy->cap_ms;
}

int64_t wf_service_duration(const struct wf_service_policy *policy)
{
	uint32_t left = policy->attempts - 1;
	int64_t duration = 0;

	/* From the cap on, or without a factor, all delays are equal. */
	for (uint32_t i = 1; left > 0; i++, left--) {
		int64_t delay = wf_service_delay(policy, i);

		if (delay == wf_service_delay(policy, i + 1))
			return duration + left * delay;
		duration += delay;
	}
	return duration;
}

/* --- validity ------------------------------------------------------------- */

bool wf_service_is_called(const char *uri)
{
	return strncasecmp(uri, "http://", 7) == 0 ||
	       strncasecmp(uri, "https://", 8) == 0;
}

const char *wf_service_address(const struct wf_service *service)
{
	return service->address[0] != '\0' ? service->address : service->uri;
}

void wf_service_forbid(const struct wf_service *service, int64_t until)
{
	if (service->forbidden_until != NULL)
		atomic_store(service->forbidden_until, until);
}

bool wf_service_is_forbidden(const struct wf_service *service, int64_t now)
{
	return service->forbidden_until != NULL &&
	       atomic_load(service->forbidden_until) > now;
}

static bool is_text(const char *text, size_t least, size_t maximum)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 127)
			return false;
	return length >= least && length <= maximum;
}

static enum wf_rc check_uri(
    const struct wf_service *service, struct wf_error *err)
{
	bool is_built_in = strncmp(service->uri, "weft:", 5) == 0;

	if (!is_text(service->uri, 1, WF_SERVICE_URI_BYTES) ||
	    strchr(service->uri, ' ') != NULL)
		return wf_fail(err, WF_INVALID,
		    "uri: expected 1 to %u bytes without spaces",
		    WF_SERVICE_URI_BYTES);
	if (is_built_in != (service->kind == &wf_built_in_handler))
		return wf_fail(err, WF_INVALID,
		    "uri: those that begin with weft: are for services of the "
		    "kind built-in, and they for no others");
	if (is_built_in && !wf_built_in_has(service->uri))
		return wf_fail(err, WF_INVALID,
		    "uri: expected weft:echo, weft:delay, weft:fail, "
		    "weft:http or weft:mail, or one of them with a slash and "
		    "more");
	if (strncmp(service->uri, "weft:http", 9) == 0 &&
	    !wf_service_is_called(service->address))
		return wf_fail(err, WF_INVALID,
		    "address: expected http or https, what may be called");
	if (strncmp(service->uri, "weft:mail", 9) == 0 &&
	    strncasecmp(service->address, "smtp://", 7) != 0 &&
	    strncasecmp(service->address, "smtps://", 8) != 0)
		return wf_fail(err, WF_INVALID,
		    "address: expected that of a server of mail, smtp or "
		    "smtps");
	if ((service->kind->url == WF_SERVICE_URL_IS_URI &&
		!wf_service_is_called(service->uri)) ||
	    (service->kind->url == WF_SERVICE_URL_IS_ADDRESS &&
		!wf_service_is_called(wf_service_address(service))))
		return wf_fail(err, WF_INVALID,
		    "uri, or address of push: expected what can be called, "
		    "http or https");
	return WF_OK;
}

static enum wf_rc check_policy(
    const struct wf_service_policy *policy, struct wf_error *err)
{
	if (policy->attempts < 1 || policy->attempts > WF_POLICY_ATTEMPTS)
		return wf_fail(err, WF_INVALID, "attempts: expected 1 to %u",
		    WF_POLICY_ATTEMPTS);
	if (policy->backoff < 1 || policy->backoff > WF_POLICY_FACTOR)
		return wf_fail(err, WF_INVALID, "backoff: expected 1 to %u",
		    WF_POLICY_FACTOR);
	if (policy->concurrency < 1 || policy->concurrency > WF_POLICY_CALLS)
		return wf_fail(err, WF_INVALID, "concurrency: expected 1 to %u",
		    WF_POLICY_CALLS);
	if (policy->delay_ms < 0 || policy->delay_ms > WF_POLICY_TIME_MS ||
	    policy->cap_ms < 0 || policy->cap_ms > WF_POLICY_TIME_MS ||
	    policy->timeout_ms < 1 || policy->timeout_ms > WF_POLICY_TIME_MS)
		return wf_fail(err, WF_INVALID,
		    "delay, cap, timeout: expected a year at most, and a "
		    "timeout above 0");
	return WF_OK;
}

static enum wf_rc check_tokens(
    const struct wf_service *service, struct wf_error *err)
{
	bool is_http = strncmp(service->uri, "weft:http", 9) == 0;

	if (service->token_url[0] == '\0' && service->client[0] == '\0' &&
	    service->scope[0] == '\0')
		return WF_OK;
	if (!is_http || !wf_access_tokens_is_url(service->token_url) ||
	    strlen(service->token_url) > WF_SERVICE_URI_BYTES)
		return wf_fail(err, WF_INVALID,
		    "token_url: expected, with weft:http only, the https "
		    "address of an authorization server");
	if (!is_text(service->client, 1, WF_SECRET_BYTES) ||
	    service->secret[0] == '\0')
		return wf_fail(err, WF_INVALID,
		    "client: expected, with token_url, the id of a client and "
		    "its secret, at most %u bytes each",
		    WF_SECRET_BYTES);
	if (!is_text(service->scope, 0, WF_SERVICE_URI_BYTES))
		return wf_fail(err, WF_INVALID,
		    "scope: expected at most %u bytes", WF_SERVICE_URI_BYTES);
	return WF_OK;
}

static enum wf_rc check(const struct wf_service *service, struct wf_error *err)
{
	enum wf_rc rc;

	if (!is_text(service->name, 1, WF_SERVICE_NAME_BYTES))
		return wf_fail(err, WF_INVALID, "name: expected 1 to %u bytes",
		    WF_SERVICE_NAME_BYTES);
	rc = check_uri(service, err);
	if (rc != WF_OK)
		return rc;
	if (!is_text(service->secret, 0, WF_SECRET_BYTES) ||
	    (service->kind->signs &&
		strlen(service->secret) < WF_SECRET_MINIMUM_BYTES))
		return wf_fail(err, WF_INVALID,
		    "secret: expected at most %u bytes, and %u at least to "
		    "sign with",
		    WF_SECRET_BYTES, WF_SECRET_MINIMUM_BYTES);
	if (!is_text(service->address, 0, WF_SERVICE_URI_BYTES))
		return wf_fail(err, WF_INVALID,
		    "address: expected at most %u bytes", WF_SERVICE_URI_BYTES);
	if (strlen(service->documentation) > WF_SERVICE_TEXT_BYTES)
		return wf_fail(err, WF_INVALID,
		    "documentation: expected at most %u bytes",
		    WF_SERVICE_TEXT_BYTES);
	rc = check_tokens(service, err);
	return rc == WF_OK ? check_policy(&service->policy, err) : rc;
}

/* --- encoding ------------------------------------------------------------- */

static void encode(const struct wf_service *service, struct wf_buffer *bytes)
{
	const struct wf_service_policy *policy = &service->policy;

	bool has_tokens = service->token_url[0] != '\0';

	wf_put_number(bytes, has_tokens ? FORMAT_WITH_TOKENS : FORMAT);
	wf_put_number(bytes, service->kind->number);
	wf_put_string(bytes, service->uri);
	wf_put_string(bytes, service->secret);
	wf_put_string(bytes, service->address);
	wf_put_string(bytes, service->documentation);
	wf_put_number(bytes, service->assignable);
	wf_put_number(bytes, policy->attempts);
	wf_put_signed(bytes, policy->delay_ms);
	wf_put_number(bytes, policy->backoff);
	wf_put_signed(bytes, policy->cap_ms);
	wf_put_signed(bytes, policy->timeout_ms);
	wf_put_number(bytes, policy->concurrency);
	if (!has_tokens)
		return;
	wf_put_string(bytes, service->token_url);
	wf_put_string(bytes, service->client);
	wf_put_string(bytes, service->scope);
}

static const char *get_text(struct wf_reader *reader, struct wf_arena *arena)
{
	size_t length;
	const char *text = wf_get_bytes(reader, &length);

	return reader->bad ? "" : wf_arena_strndup(arena, text, length);
}

static enum wf_rc decode(const struct wf_record_row *row,
    struct wf_arena *arena, struct wf_service *service_out,
    struct wf_error *err)
{
	struct wf_service_policy *policy = &service_out->policy;
	struct wf_reader reader;
	uint64_t format;
	bool has_tokens;

	memset(service_out, 0, sizeof(*service_out));
	wf_reader_init(&reader, row->value.data, row->value.size);
	format = wf_get_number(&reader);
	if (format != FORMAT && format != FORMAT_WITH_TOKENS)
		reader.bad = true;
	service_out->namespace_id = row->namespace_id;
	service_out->name = wf_arena_strdup(arena, row->name);
	service_out->kind = wf_service_kind(
	    (uint32_t)wf_get_bounded(&reader, WF_SERVICE_KINDS_MAXIMUM - 1));
	service_out->uri = get_text(&reader, arena);
	service_out->secret = get_text(&reader, arena);
	service_out->address = get_text(&reader, arena);
	service_out->documentation = get_text(&reader, arena);
	service_out->assignable = wf_get_bounded(&reader, 1) == 1;
	policy->attempts = wf_get_bounded(&reader, WF_POLICY_ATTEMPTS);
	policy->delay_ms = wf_get_signed(&reader);
	policy->backoff = wf_get_bounded(&reader, WF_POLICY_FACTOR);
	policy->cap_ms = wf_get_signed(&reader);
	policy->timeout_ms = wf_get_signed(&reader);
	policy->concurrency = wf_get_bounded(&reader, WF_POLICY_CALLS);
	has_tokens = format == FORMAT_WITH_TOKENS;
	service_out->token_url = has_tokens ? get_text(&reader, arena) : "";
	service_out->client = has_tokens ? get_text(&reader, arena) : "";
	service_out->scope = has_tokens ? get_text(&reader, arena) : "";
	if (reader.bad || reader.next != reader.end ||
	    service_out->kind == NULL)
		return wf_fail(err, WF_CORRUPT,
		    "the stored service %.64s is damaged", row->name);
	return WF_OK;
}

/* --- reading and writing -------------------------------------------------- */

/* Damaged records are left out: the other services can be used. */
static size_t decode_all(const struct wf_record_list *list,
    struct wf_arena *arena, struct wf_service *rows)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		if (decode(&list->rows[i], arena, &rows[count], NULL) == WF_OK)
			rows[count++].forbidden_until = wf_arena_alloc(
			    arena, sizeof(*rows->forbidden_until));
	return count;
}

enum wf_rc wf_service_read_all(struct wf_store *store, uint64_t after,
    struct wf_arena *arena, struct wf_service_set *set_out,
    uint64_t *change_out, struct wf_error *err)
{
	struct wf_record_list list;
	struct wf_service *rows;
	enum wf_rc rc =
	    wf_store_all_records(store, KIND, after, arena, &list, err);

	set_out->rows = NULL;
	*change_out = list.change;
	if (rc != WF_OK || !list.whole)
		return rc;
	rows = wf_arena_array(arena, list.count, sizeof(*rows));
	set_out->count = decode_all(&list, arena, rows);
	set_out->rows = rows;
	return WF_OK;
}

static enum wf_rc put(struct wf_store *store, const struct wf_service *service,
    struct wf_error *err)
{
	struct wf_record_row row = { .namespace_id = service->namespace_id,
		.kind = KIND,
		.name = service->name };
	struct wf_buffer bytes;
	enum wf_rc rc;

	wf_buffer_init(&bytes, VALUE_MAXIMUM_BYTES);
	encode(service, &bytes);
	wf_assert(!bytes.full); /* the fields are checked */
	row.value.data = bytes.data;
	row.value.size = bytes.length;
	rc = wf_store_put_record(store, &row, err);
	wf_buffer_free(&bytes);
	return rc;
}

static const char *text_or_none(const char *text)
{
	return text == NULL ? "" : text;
}

enum wf_rc wf_service_put(struct wf_store *store,
    const struct wf_service *service, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_service_set set;
	uint64_t change;
	struct wf_service copy = *service;
	enum wf_rc rc;

	copy.token_url = text_or_none(service->token_url);
	copy.client = text_or_none(service->client);
	copy.scope = text_or_none(service->scope);
	service = &copy;
	rc = check(service, err);
	if (rc == WF_OK)
		rc = wf_service_read_all(store, 0, arena, &set, &change, err);
	for (size_t i = 0; rc == WF_OK && i < set.count; i++)
		if (set.rows[i].namespace_id == service->namespace_id &&
		    strcmp(set.rows[i].uri, service->uri) == 0 &&
		    strcmp(set.rows[i].name, service->name) != 0)
			rc = wf_fail(err, WF_CONFLICT,
			    "the service %s has that URI", set.rows[i].name);
	if (rc == WF_OK)
		rc = put(store, service, err);
	wf_arena_free(&arena);
	return rc;
}

enum wf_rc wf_service_remove(struct wf_store *store, uint32_t namespace_id,
    const char *name, struct wf_error *err)
{
	struct wf_record_row row = {
		.namespace_id = namespace_id, .kind = KIND, .name = name
	};
	struct wf_arena *arena = wf_arena_new();
	struct wf_record_row old;
	enum wf_rc rc =
	    wf_store_record(store, namespace_id, KIND, name, arena, &old, NULL);

	wf_arena_free(&arena);
	if (rc == WF_NOT_FOUND)
		return wf_fail(err, rc, "there is no service %.100s", name);
	if (rc != WF_OK)
		return wf_fail(err, rc, "the store cannot be read");
	return wf_store_put_record(store, &row, err);
}
