/* SPDX-License-Identifier: Apache-2.0 */
#include "identity/provider/issuer.h"

#include <pthread.h>
#include <sodium.h>
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "http/fetch.h"
#include "http/http_client.h"

#define URL_BYTES 2000U
#define DISCOVERY_BYTES ((size_t)64 << 10)
#define ANSWER_BYTES ((size_t)256 << 10)
#define FRESH_MS (INT64_C(3600) * 1000)
#define STALE_MS (INT64_C(24) * 3600 * 1000)
#define FETCH_INTERVAL_MS INT64_C(2000)

struct wf_issuer {
	struct wf_issuer_settings settings;
	pthread_mutex_t fetching; /* held by the thread that fetches */
	pthread_mutex_t lock;	  /* of what follows */
	struct wf_arena *arena;	  /* of the endpoints */
	struct wf_endpoints endpoints;
	struct wf_jwk_set *keys; /* NULL: none */
	int64_t keys_at;	 /* when they came */
	int64_t next_fetch;	 /* no fetch before it */
	struct wf_error failed;	 /* the last fetch; rc WF_OK: it did not */
};

/* --- the discovery document ----------------------------------------------- */

/* Addresses of this machine only, as texts: no name is resolved. */
static bool is_loopback(const char *host)
{
	static const char *const hosts[] = { "127.0.0.1", "[::1]",
		"localhost" };

	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		size_t length = strlen(hosts[i]);

		if (strncmp(host, hosts[i], length) == 0 &&
		    (host[length] == '\0' || strchr(":/", host[length])))
			return true;
	}
	return false;
}

bool wf_issuer_is_safe_url(const char *url)
{
	if (strlen(url) > URL_BYTES || strpbrk(url, " \t\r\n\"<>\\^`{|}@#"))
		return false;
	for (const char *at = url; *at != '\0'; at++)
		if ((unsigned char)*at <= ' ' || (unsigned char)*at > '~')
			return false;
	if (strncmp(url, "https://", 8) == 0)
		return url[8] != '\0';
	return strncmp(url, "http://", 7) == 0 && is_loopback(url + 7);
}

/* False: the address is not safe, or missing though it is needed. */
static bool read_endpoint(const json_t *json, const char *name, bool is_needed,
    struct wf_arena *arena, const char **url_out)
{
	const char *url = json_string_value(json_object_get(json, name));

	*url_out = "";
	if (url == NULL)
		return !is_needed;
	if (!wf_issuer_is_safe_url(url))
		return false;
	*url_out = wf_arena_strdup(arena, url);
	return true;
}

/* Whether it takes secrets of clients in bodies, but not in headers. */
static bool takes_in_body(const json_t *methods)
{
	bool basic = methods == NULL; /* the default of the standard */
	bool post = false;
	const json_t *method;
	size_t i;

	json_array_foreach(methods, i, method)
	{
		const char *name = json_string_value(method);

		if (name == NULL)
			continue;
		basic |= strcmp(name, "client_secret_basic") == 0;
		post |= strcmp(name, "client_secret_post") == 0;
	}
	return post && !basic;
}

enum wf_rc wf_issuer_read_discovery(const char *issuer, const char *text,
    size_t length, struct wf_arena *arena, struct wf_endpoints *endpoints_out,
    const char **keys_out, struct wf_error *err)
{
	json_t *json = json_loadb(text, length, 0, NULL);
	const char *named = json_string_value(json_object_get(json, "issuer"));
	bool good;

	memset(endpoints_out, 0, sizeof(*endpoints_out));
	good = read_endpoint(json, "authorization_endpoint", false, arena,
		   &endpoints_out->authorization) &&
	       read_endpoint(json, "token_endpoint", false, arena,
		   &endpoints_out->token) &&
	       read_endpoint(json, "userinfo_endpoint", false, arena,
		   &endpoints_out->userinfo) &&
	       read_endpoint(json, "jwks_uri", true, arena, keys_out);
	endpoints_out->secret_in_body = takes_in_body(
	    json_object_get(json, "token_endpoint_auth_methods_supported"));
	if (named == NULL)
		wf_fail(err, WF_INVALID,
		    "its discovery document is no JSON with \"issuer\"");
	else if (strcmp(named, issuer) != 0)
		wf_fail(err, WF_INVALID,
		    "its discovery document is of another issuer: %.200s",
		    named);
	else if (!good)
		wf_fail(err, WF_INVALID,
		    "its discovery document has no \"jwks_uri\", or an address "
		    "that is not https");
	good = good && named != NULL && strcmp(named, issuer) == 0;
	json_decref(json);
	return good ? WF_OK : WF_INVALID;
}

/* --- opening -------------------------------------------------------------- */

enum wf_rc wf_issuer_open(struct wf_issuer **issuer_out,
    const struct wf_issuer_settings *settings, struct wf_error *err)
{
	struct wf_issuer *issuer;

	*issuer_out = NULL;
	if (!wf_issuer_is_safe_url(settings->url))
		return wf_fail(err, WF_INVALID,
		    "\"%.200s\" is no issuer: expected a URL of https",
		    settings->url);
	wf_assert(settings->timeout_ms > 0 && settings->allowed != NULL);
	issuer = wf_calloc(1, sizeof(*issuer));
	issuer->settings = *settings;
	issuer->arena = wf_arena_new();
	issuer->next_fetch = INT64_MIN;
	pthread_mutex_init(&issuer->fetching, NULL);
	pthread_mutex_init(&issuer->lock, NULL);
	*issuer_out = issuer;
	return WF_OK;
}

void wf_issuer_close(struct wf_issuer **issuer)
{
	struct wf_issuer *old = *issuer;

	*issuer = NULL;
	if (old == NULL)
		return;
	wf_jwk_set_free(&old->keys);
	wf_arena_free(&old->arena);
	pthread_mutex_destroy(&old->fetching);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

/* --- requests ------------------------------------------------------------- */

static enum wf_rc fetch(struct wf_issuer *issuer, const char *url,
    const char *authorization, const char *body, struct wf_buffer *answer,
    struct wf_error *err)
{
	const struct wf_issuer_settings *settings = &issuer->settings;
	struct wf_fetch fetch = { .url = url,
		.accept = "application/json",
		.authorization = authorization,
		.type =
		    body == NULL ? NULL : "application/x-www-form-urlencoded",
		.body = body,
		.ca = settings->ca,
		.allowed = settings->allowed,
		.timeout_ms = settings->timeout_ms,
		.stop = settings->stop };
	struct wf_error mine = { .rc = WF_OK };
	unsigned status;
	enum wf_rc rc = wf_http_fetch(&fetch, answer, &status, &mine);

	if (rc != WF_OK)
		return wf_fail(err, WF_UNAVAILABLE,
		    "the provider %.200s cannot be reached: %.200s",
		    settings->url, mine.message);
	if (status == 200)
		return WF_OK;
	return wf_fail(err, status >= 500 ? WF_UNAVAILABLE : WF_DENIED,
	    "the provider %.200s answered with the status %u", settings->url,
	    status);
}

char *wf_issuer_authorization(const char *client, const char *secret)
{
	static const char basic[] = "Basic ";
	struct wf_buffer pair;
	size_t size;
	char *header;

	/* An escaped byte has three. */
	wf_buffer_init(
	    &pair, 3 * (strlen(client) + strlen(secret)) + sizeof(":"));
	wf_client_escape(&pair, client);
	wf_buffer_putc(&pair, ':');
	wf_client_escape(&pair, secret);
	wf_assert(!pair.full);
	size = sodium_base64_ENCODED_LEN(
	    pair.length, sodium_base64_VARIANT_ORIGINAL);
	header = wf_malloc(strlen(basic) + size);
	strcpy(header, basic);
	sodium_bin2base64(header + strlen(basic), size,
	    (const unsigned char *)pair.data, pair.length,
	    sodium_base64_VARIANT_ORIGINAL);
	sodium_memzero(pair.data, pair.length);
	wf_buffer_free(&pair);
	return header;
}

enum wf_rc wf_issuer_ask(struct wf_issuer *issuer, const char *url,
    const char *authorization, const char *body, json_t **answer_out,
    struct wf_error *err)
{
	struct wf_buffer answer;
	enum wf_rc rc;

	*answer_out = NULL;
	wf_assert(wf_issuer_is_safe_url(url));
	wf_buffer_init(&answer, ANSWER_BYTES);
	rc = fetch(issuer, url, authorization, body, &answer, err);
	if (rc == WF_OK) {
		*answer_out =
		    json_loadb(wf_buffer_text(&answer), answer.length, 0, NULL);
		if (!json_is_object(*answer_out)) {
			json_decref(*answer_out);
			*answer_out = NULL;
			rc = wf_fail(err, WF_INVALID,
			    "the answer of the provider %.200s is no object "
			    "of JSON",
			    issuer->settings.url);
		}
	}
	wf_buffer_free(&answer);
	return rc;
}

/* --- fetching documents and keys ------------------------------------------ */

struct fetched {
	struct wf_arena *arena;
	struct wf_endpoints endpoints;
	const char *keys_url;
	struct wf_jwk_set *keys;
};

static enum wf_rc fetch_discovery(
    struct wf_issuer *issuer, struct fetched *fetched, struct wf_error *err)
{
	static const char path[] = "/.well-known/openid-configuration";
	const char *url = issuer->settings.url;
	size_t length = strlen(url);
	struct wf_buffer text;
	enum wf_rc rc;

	while (length > 0 && url[length - 1] == '/')
		length--;
	wf_buffer_init(&text, DISCOVERY_BYTES);
	rc = fetch(issuer,
	    wf_arena_printf(fetched->arena, "%.*s%s", (int)length, url, path),
	    NULL, NULL, &text, err);
	if (rc == WF_OK)
		rc = wf_issuer_read_discovery(url, wf_buffer_text(&text),
		    text.length, fetched->arena, &fetched->endpoints,
		    &fetched->keys_url, err);
	wf_buffer_free(&text);
	return rc;
}

static enum wf_rc fetch_keys(
    struct wf_issuer *issuer, struct fetched *fetched, struct wf_error *err)
{
	struct wf_buffer text;
	enum wf_rc rc;

	wf_buffer_init(&text, WF_JWK_SET_BYTES);
	rc = fetch(issuer, fetched->keys_url, NULL, NULL, &text, err);
	if (rc == WF_OK)
		rc = wf_jwk_set_read(
		    &fetched->keys, wf_buffer_text(&text), text.length, err);
	wf_buffer_free(&text);
	return rc;
}

static void take(struct wf_issuer *issuer, struct fetched *fetched)
{
	struct wf_arena *arena = issuer->arena;
	struct wf_jwk_set *keys = issuer->keys;

	wf_assert(fetched->keys != NULL && fetched->endpoints.token != NULL);
	issuer->arena = fetched->arena;
	issuer->endpoints = fetched->endpoints;
	issuer->keys = fetched->keys;
	issuer->keys_at = wf_monotonic_ms();
	wf_jwk_set_free(&keys);
	wf_arena_free(&arena);
}

/* The thread may wait; it holds fetching, but not the lock. */
static void fetch_all(struct wf_issuer *issuer)
{
	struct fetched fetched = { .arena = wf_arena_new() };
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc = fetch_discovery(issuer, &fetched, &err);

	if (rc == WF_OK)
		rc = fetch_keys(issuer, &fetched, &err);
	pthread_mutex_lock(&issuer->lock);
	issuer->failed = err;
	issuer->next_fetch = wf_monotonic_ms() + FETCH_INTERVAL_MS;
	if (rc == WF_OK)
		take(issuer, &fetched);
	pthread_mutex_unlock(&issuer->lock);
	if (rc != WF_OK) {
		wf_assert(fetched.keys == NULL);
		wf_arena_free(&fetched.arena);
	}
}

/* The lock is held, as for the functions below. */
static bool is_fresh(const struct wf_issuer *issuer, int64_t now)
{
	return issuer->keys != NULL && now - issuer->keys_at < FRESH_MS;
}

static void forget_stale(struct wf_issuer *issuer, int64_t now)
{
	if (issuer->keys != NULL && now - issuer->keys_at >= STALE_MS)
		wf_jwk_set_free(&issuer->keys);
}

static enum wf_rc fail_unreachable(
    const struct wf_issuer *issuer, struct wf_error *err)
{
	return wf_fail(err, WF_UNAVAILABLE, "%s",
	    issuer->failed.rc == WF_OK ? "the keys of the provider are needed"
				       : issuer->failed.message);
}

enum wf_rc wf_issuer_find_endpoints(struct wf_issuer *issuer,
    struct wf_arena *arena, struct wf_endpoints *endpoints_out,
    struct wf_error *err)
{
	int64_t now = wf_monotonic_ms();
	enum wf_rc rc = WF_OK;

	pthread_mutex_lock(&issuer->fetching);
	pthread_mutex_lock(&issuer->lock);
	forget_stale(issuer, now);
	if (!is_fresh(issuer, now) && now >= issuer->next_fetch) {
		pthread_mutex_unlock(&issuer->lock);
		fetch_all(issuer);
		pthread_mutex_lock(&issuer->lock);
	}
	if (issuer->keys == NULL) {
		rc = fail_unreachable(issuer, err);
	} else {
		const struct wf_endpoints *own = &issuer->endpoints;

		endpoints_out->authorization =
		    wf_arena_strdup(arena, own->authorization);
		endpoints_out->token = wf_arena_strdup(arena, own->token);
		endpoints_out->userinfo = wf_arena_strdup(arena, own->userinfo);
		endpoints_out->secret_in_body = own->secret_in_body;
	}
	pthread_mutex_unlock(&issuer->lock);
	pthread_mutex_unlock(&issuer->fetching);
	return rc;
}

/* --- verifying ------------------------------------------------------------ */

/* WF_NOT_FOUND: a newer set of keys may have the key. */
static enum wf_rc verify(struct wf_issuer *issuer, const struct wf_jwt *jwt,
    int64_t now, bool *wants_out, bool *may_out, struct wf_error *err)
{
	enum wf_rc rc = WF_NOT_FOUND;

	pthread_mutex_lock(&issuer->lock);
	forget_stale(issuer, now);
	if (issuer->keys != NULL)
		rc = wf_jwt_verify(jwt, issuer->keys, err);
	*wants_out = rc == WF_NOT_FOUND || !is_fresh(issuer, now);
	*may_out = now >= issuer->next_fetch;
	pthread_mutex_unlock(&issuer->lock);
	return rc;
}

static enum wf_rc judge(
    struct wf_issuer *issuer, enum wf_rc rc, struct wf_error *err)
{
	if (rc != WF_NOT_FOUND)
		return rc;
	wf_error_clear(err);
	pthread_mutex_lock(&issuer->lock);
	if (issuer->keys == NULL || issuer->failed.rc != WF_OK)
		rc = fail_unreachable(issuer, err);
	else
		rc = wf_fail(
		    err, WF_DENIED, "no key of its issuer fits its signature");
	pthread_mutex_unlock(&issuer->lock);
	return rc;
}

enum wf_rc wf_issuer_verify(struct wf_issuer *issuer, const struct wf_jwt *jwt,
    bool slowly, bool *later_out, struct wf_error *err)
{
	int64_t now = wf_monotonic_ms();
	struct wf_error mine = { .rc = WF_OK };
	bool wants;
	bool may;
	enum wf_rc rc = verify(issuer, jwt, now, &wants, &may, &mine);

	*later_out = wants && may && !slowly;
	if (*later_out)
		return wf_fail(
		    err, WF_UNAVAILABLE, "the keys of the provider are needed");
	if (wants && may) {
		pthread_mutex_lock(&issuer->fetching);
		/* Another thread may have fetched them meanwhile. */
		rc = verify(issuer, jwt, now, &wants, &may, &mine);
		if (wants && may)
			fetch_all(issuer);
		pthread_mutex_unlock(&issuer->fetching);
		wf_error_clear(&mine);
		rc = verify(issuer, jwt, now, &wants, &may, &mine);
	}
	rc = judge(issuer, rc, &mine);
	return rc == WF_OK ? rc : wf_fail(err, rc, "%s", mine.message);
}
