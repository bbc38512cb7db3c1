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
#include "work/service_priv.h"

#define KIND "service"
#define FORMAT 1
#define FORMAT_WITH_TOKENS 2
#define FORMAT_WITH_PAUSE 3
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

bool wf_service_is_paused(const struct wf_service *service)
{
	return service != NULL && service->pause.since != 0;
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

	bool has_pause = service->pause.since != 0 || service->resumed_at != 0;
	bool has_tokens = has_pause || service->token_url[0] != '\0';

	wf_put_number(bytes, has_pause	  ? FORMAT_WITH_PAUSE
			     : has_tokens ? FORMAT_WITH_TOKENS
					  : FORMAT);
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
	if (!has_pause)
		return;
	wf_pause_encode(&service->pause, bytes);
	wf_put_signed(bytes, service->resumed_at);
}

static const char *get_text(struct wf_reader *reader, struct wf_arena *arena)
{
	size_t length;
	const char *text = wf_get_bytes(reader, &length);

	return reader->bad ? "" : wf_arena_strndup(arena, text, length);
}

static const struct wf_pause no_pause = { .by = "", .reason = "" };

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
	if (format < FORMAT || format > FORMAT_WITH_PAUSE)
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
	has_tokens = format >= FORMAT_WITH_TOKENS;
	service_out->token_url = has_tokens ? get_text(&reader, arena) : "";
	service_out->client = has_tokens ? get_text(&reader, arena) : "";
	service_out->scope = has_tokens ? get_text(&reader, arena) : "";
	service_out->pause = no_pause;
	if (format == FORMAT_WITH_PAUSE) {
		wf_pause_decode(&reader, arena, &service_out->pause);
		service_out->resumed_at = wf_get_signed(&reader);
	}
	if (reader.bad || reader.next != reader.end ||
	    service_out->kind == NULL)
		return wf_fail(err, WF_CORRUPT,
		    "the stored service %.64s is damaged", row->name);
	return WF_OK;
}

/* --- in memory ------------------------------------------------------------ */

/* Damaged records are left out: the other services can be used. */
static bool read_record(
    const struct wf_record_row *row, void *entry, struct wf_arena *arena)
{
	return decode(row, arena, entry, NULL) == WF_OK;
}

static void copy(const void *from, void *to, struct wf_arena *arena)
{
	const struct wf_service *service = from;
	struct wf_service *copy = to;

	*copy = *service;
	copy->name = wf_arena_strdup(arena, service->name);
	copy->uri = wf_arena_strdup(arena, service->uri);
	copy->secret = wf_arena_strdup(arena, service->secret);
	copy->address = wf_arena_strdup(arena, service->address);
	copy->documentation = wf_arena_strdup(arena, service->documentation);
	copy->token_url = wf_arena_strdup(arena, service->token_url);
	copy->client = wf_arena_strdup(arena, service->client);
	copy->scope = wf_arena_strdup(arena, service->scope);
	wf_pause_copy(&service->pause, arena, &copy->pause);
}

const struct wf_record_kind wf_service_records = { .kind = KIND,
	.size = sizeof(struct wf_service),
	.read = read_record,
	.copy = copy,
	.keys = { [WF_SERVICES_BY_URI] = offsetof(struct wf_service, uri) },
	.key_count = 1 };

/* --- writing -------------------------------------------------------------- */

struct changing {
	struct wf_record_cache *cache;
	const struct wf_service *service;
};

static bool has_its_uri(void *context, const void *entry)
{
	const struct wf_service *service = context;
	const struct wf_service *other = entry;

	return other->namespace_id == service->namespace_id &&
	       strcmp(other->name, service->name) != 0;
}

static struct wf_bytes write_record(
    const struct wf_service *service, struct wf_arena *arena)
{
	struct wf_buffer buffer;
	struct wf_bytes bytes;

	wf_buffer_init(&buffer, VALUE_MAXIMUM_BYTES);
	encode(service, &buffer);
	wf_assert(!buffer.full); /* the fields are checked */
	bytes.size = buffer.length;
	bytes.data =
	    memcpy(wf_arena_alloc(arena, bytes.size), buffer.data, bytes.size);
	wf_buffer_free(&buffer);
	return bytes;
}

static bool is_equal(const struct wf_bytes *a, const struct wf_bytes *b)
{
	return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

static struct wf_record_row *row_of(const struct wf_service *service,
    struct wf_bytes value, uint64_t change, struct wf_arena *arena)
{
	struct wf_record_row *row = wf_arena_alloc(arena, sizeof(*row));

	*row = (struct wf_record_row){ .namespace_id = service->namespace_id,
		.kind = KIND,
		.name = service->name,
		.value = value,
		.change = change };
	return row;
}

static enum wf_rc decide_put(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	const struct changing *changing = context;
	struct wf_service service = *changing->service;
	const struct wf_record_choice choice = { WF_SERVICES_BY_URI,
		service.uri, has_its_uri, &service };
	size_t count;
	const struct wf_service *others =
	    wf_record_cache_choose(changing->cache, &choice, arena, &count);
	/* Asked before what is there is examined: others may change it. */
	uint64_t change = wf_record_cache_change(
	    changing->cache, service.namespace_id, service.name);
	struct wf_service before;
	struct wf_bytes old = { .data = "" };
	struct wf_bytes value;

	if (count > 0)
		return wf_fail(err, WF_CONFLICT, "the service %s has that URI",
		    others[0].name);
	service.pause = no_pause;
	service.resumed_at = 0;
	if (wf_record_cache_find(changing->cache, service.namespace_id,
		service.name, arena, &before)) {
		service.pause = before.pause;
		service.resumed_at = before.resumed_at;
		old = write_record(&before, arena);
	}
	value = write_record(&service, arena);
	if (!is_equal(&old, &value))
		*edit = (struct wf_record_edit){
			.rows = row_of(&service, value, change, arena),
			.count = 1,
			.alone = true /* for the URI */
		};
	return WF_OK;
}

static const char *text_or_none(const char *text)
{
	return text == NULL ? "" : text;
}

enum wf_rc wf_service_put_in(struct wf_record_cache *cache,
    struct wf_store *store, const struct wf_service *service,
    struct wf_error *err)
{
	struct wf_service copy = *service;
	struct changing changing = { cache, &copy };
	enum wf_rc rc;

	copy.token_url = text_or_none(service->token_url);
	copy.client = text_or_none(service->client);
	copy.scope = text_or_none(service->scope);
	rc = check(&copy, err);
	return rc == WF_OK ? wf_record_cache_edit(
				 cache, store, decide_put, &changing, err)
			   : rc;
}

enum wf_rc wf_service_put(struct wf_store *store,
    const struct wf_service *service, struct wf_error *err)
{
	struct wf_record_cache *cache =
	    wf_record_cache_new(&wf_service_records);
	enum wf_rc rc = wf_service_put_in(cache, store, service, err);

	wf_record_cache_free(&cache);
	return rc;
}

/* --- pausing -------------------------------------------------------------- */

struct pausing {
	struct wf_record_cache *cache;
	uint32_t namespace_id;
	const char *name;
	const struct wf_pause *pause;
	int64_t now;
};

static enum wf_rc decide_pause(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	const struct pausing *pausing = context;
	uint64_t change = wf_record_cache_change(
	    pausing->cache, pausing->namespace_id, pausing->name);
	struct wf_service service;

	if (!wf_record_cache_find(pausing->cache, pausing->namespace_id,
		pausing->name, arena, &service))
		return wf_fail(err, WF_NOT_FOUND, "there is no service %.100s",
		    pausing->name);
	if (wf_service_is_paused(&service) == (pausing->pause != NULL))
		return wf_fail(err, WF_CONFLICT,
		    pausing->pause == NULL ? "the service %s is not paused"
					   : "the service %s is paused %.300s",
		    service.name, wf_pause_text(&service.pause, arena));
	service.pause = pausing->pause == NULL ? no_pause : *pausing->pause;
	if (pausing->pause == NULL)
		service.resumed_at = pausing->now;
	*edit = (struct wf_record_edit){ .rows = row_of(&service,
					     write_record(&service, arena),
					     change, arena),
		.count = 1 };
	return WF_OK;
}

enum wf_rc wf_service_pause_in(struct wf_record_cache *cache,
    struct wf_store *store, uint32_t namespace_id, const char *name,
    const struct wf_pause *pause, int64_t now, struct wf_error *err)
{
	struct pausing pausing = { cache, namespace_id, name, pause, now };

	return wf_record_cache_edit(cache, store, decide_pause, &pausing, err);
}

/* --- removing ------------------------------------------------------------- */

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
