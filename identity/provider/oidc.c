/* SPDX-License-Identifier: Apache-2.0 */
#include "identity/provider/oidc.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/codec.h"
#include "base/panic.h"
#include "http/http_client.h"
#include "identity/provider/oidc_state.h"

#define URL_BYTES 8192U
#define CODE_BYTES 4096U
/* States that were used and may not be used again. */
#define USED 4096U

struct used_state {
	uint64_t hash;
	int64_t expires;
};

struct wf_oidc {
	struct wf_oidc_settings settings;
	struct wf_issuer *issuer;
	unsigned char key[WF_OIDC_KEY_BYTES];
	pthread_mutex_t lock; /* of what follows */
	struct used_state used[USED];
};

/* --- opening -------------------------------------------------------------- */

static enum wf_rc check_settings(
    const struct wf_oidc_settings *settings, struct wf_error *err)
{
	if (settings->client[0] == '\0')
		return wf_fail(
		    err, WF_INVALID, "oidc-client: expected the id of Weft");
	if (!wf_issuer_is_safe_url(settings->callback))
		return wf_fail(err, WF_INVALID,
		    "oidc-callback: expected the URL of "
		    "/v1/session/oidc/callback "
		    "of this server, with https");
	if (settings->name[0] == '\0')
		return wf_fail(err, WF_INVALID,
		    "oidc-name: expected the claim that names the account");
	return WF_OK;
}

enum wf_rc wf_oidc_open(struct wf_oidc **oidc_out,
    const struct wf_oidc_settings *settings, const unsigned char *key,
    struct wf_error *err)
{
	struct wf_issuer *issuer = NULL;
	enum wf_rc rc = check_settings(settings, err);

	*oidc_out = NULL;
	if (rc == WF_OK)
		rc = wf_issuer_open(&issuer, &settings->issuer, err);
	if (rc == WF_OK && sodium_init() < 0)
		rc = wf_fail(err, WF_IO, "there are no random numbers");
	if (rc != WF_OK) {
		wf_issuer_close(&issuer);
		return rc;
	}
	*oidc_out = wf_calloc(1, sizeof(**oidc_out));
	(*oidc_out)->settings = *settings;
	(*oidc_out)->issuer = issuer;
	memcpy((*oidc_out)->key, key, WF_OIDC_KEY_BYTES);
	pthread_mutex_init(&(*oidc_out)->lock, NULL);
	return WF_OK;
}

void wf_oidc_close(struct wf_oidc **oidc)
{
	struct wf_oidc *old = *oidc;

	*oidc = NULL;
	if (old == NULL)
		return;
	wf_issuer_close(&old->issuer);
	pthread_mutex_destroy(&old->lock);
	wf_assert(old->issuer == NULL);
	sodium_memzero(old->key, sizeof(old->key));
	wf_free(old);
}

/* --- the beginning -------------------------------------------------------- */

/* "//host" and "/\host" lead to other servers. */
bool wf_oidc_is_path(const char *path)
{
	if (path[0] != '/' || path[1] == '/' ||
	    strlen(path) > WF_OIDC_PATH_BYTES)
		return false;
	for (const char *at = path; *at != '\0'; at++)
		if ((unsigned char)*at <= ' ' || (unsigned char)*at > '~' ||
		    strchr("\\\"<>'`", *at) != NULL)
			return false;
	return true;
}

static void add_argument(
    struct wf_buffer *out, const char *name, const char *value)
{
	wf_buffer_printf(out, "%s%s=", out->length == 0 ? "" : "&", name);
	wf_client_escape(out, value);
}

/* S256: base64url of the hash of the verifier. */
static void put_challenge(const char *verifier, char text[WF_OIDC_RANDOM_SIZE])
{
	unsigned char hash[crypto_hash_sha256_BYTES];

	static_assert(sizeof(hash) == WF_OIDC_RANDOM_BYTES, "room for a hash");
	crypto_hash_sha256(
	    hash, (const unsigned char *)verifier, strlen(verifier));
	wf_base64url_encode(text, WF_OIDC_RANDOM_SIZE, hash, sizeof(hash));
}

static const char *make_url(const struct wf_oidc *oidc, const char *endpoint,
    const struct wf_oidc_state *state, struct wf_arena *arena)
{
	char challenge[WF_OIDC_RANDOM_SIZE];
	struct wf_buffer query;
	const char *url = NULL;

	put_challenge(state->verifier, challenge);
	wf_buffer_init(&query, URL_BYTES);
	add_argument(&query, "response_type", "code");
	add_argument(&query, "client_id", oidc->settings.client);
	add_argument(&query, "redirect_uri", oidc->settings.callback);
	add_argument(&query, "scope", oidc->settings.scope);
	add_argument(&query, "state", state->state);
	add_argument(&query, "nonce", state->nonce);
	add_argument(&query, "code_challenge", challenge);
	add_argument(&query, "code_challenge_method", "S256");
	if (!query.full)
		url = wf_arena_printf(arena, "%s%c%s", endpoint,
		    strchr(endpoint, '?') == NULL ? '?' : '&',
		    wf_buffer_text(&query));
	wf_buffer_free(&query);
	return url;
}

enum wf_rc wf_oidc_begin(struct wf_oidc *oidc, const char *path, int64_t now,
    struct wf_arena *arena, const char **url_out,
    char cookie_out[WF_OIDC_STATE_SIZE], struct wf_error *err)
{
	struct wf_endpoints endpoints;
	struct wf_oidc_state state;
	enum wf_rc rc;

	if (!wf_oidc_is_path(path))
		return wf_fail(err, WF_INVALID,
		    "to: expected a path of this server, such as /");
	rc = wf_issuer_find_endpoints(oidc->issuer, arena, &endpoints, err);
	if (rc != WF_OK)
		return rc;
	if (endpoints.authorization[0] == '\0' || endpoints.token[0] == '\0')
		return wf_fail(err, WF_UNAVAILABLE,
		    "the provider %.200s offers no sign-in of people",
		    oidc->settings.issuer.url);
	wf_assert(now > 0 && oidc->issuer != NULL);
	wf_oidc_state_make(&state, path, now + WF_OIDC_SECONDS);
	wf_oidc_state_encrypt(&state, oidc->key, cookie_out);
	*url_out = make_url(oidc, endpoints.authorization, &state, arena);
	sodium_memzero(&state, sizeof(state));
	if (*url_out == NULL)
		return wf_fail(err, WF_LIMIT,
		    "the settings of the provider are too long for a URL");
	return WF_OK;
}

/* --- the end -------------------------------------------------------------- */

/* False: it was used before.  The oldest makes room. */
static bool use_once(struct wf_oidc *oidc, const struct wf_oidc_state *state)
{
	uint64_t hash = wf_hash(0, state->state, strlen(state->state));
	struct used_state *room = &oidc->used[0];
	bool is_new = true;

	pthread_mutex_lock(&oidc->lock);
	for (size_t i = 0; i < USED; i++) {
		if (oidc->used[i].hash == hash)
			is_new = false;
		if (oidc->used[i].expires < room->expires)
			room = &oidc->used[i];
	}
	wf_assert(room >= oidc->used && room < oidc->used + USED);
	if (is_new)
		*room = (struct used_state){ hash, state->expires };
	pthread_mutex_unlock(&oidc->lock);
	return is_new;
}

static bool is_same(const char *a, const char *b)
{
	size_t length = strlen(a);

	return strlen(b) == length && sodium_memcmp(a, b, length) == 0;
}

static enum wf_rc check_return(struct wf_oidc *oidc,
    const struct wf_oidc_return *back, int64_t now, struct wf_oidc_state *state,
    struct wf_error *err)
{
	if (back->state == NULL || (back->code == NULL && back->error == NULL))
		return wf_fail(err, WF_INVALID,
		    "expected the arguments state and code of a provider");
	if (back->cookie == NULL ||
	    !wf_oidc_state_decrypt(state, oidc->key, back->cookie) ||
	    !is_same(state->state, back->state) || now >= state->expires)
		return wf_fail(err, WF_DENIED,
		    "this browser did not begin this sign-in, or too long ago: "
		    "sign in again");
	if (back->issuer != NULL &&
	    strcmp(back->issuer, oidc->settings.issuer.url) != 0)
		return wf_fail(err, WF_DENIED, "another provider answered");
	if (!use_once(oidc, state))
		return wf_fail(err, WF_DENIED,
		    "this sign-in was used already: sign in again");
	if (back->error != NULL)
		return wf_fail(err, WF_DENIED,
		    "the provider refused the sign-in: %.100s", back->error);
	if (strlen(back->code) > CODE_BYTES)
		return wf_fail(err, WF_INVALID, "code: it is too long");
	return WF_OK;
}

static enum wf_rc redeem(struct wf_oidc *oidc,
    const struct wf_endpoints *endpoints, const char *code,
    const struct wf_oidc_state *state, json_t **tokens_out,
    struct wf_error *err)
{
	const struct wf_oidc_settings *settings = &oidc->settings;
	bool has_secret = settings->secret[0] != '\0';
	bool in_body = !has_secret || endpoints->secret_in_body;
	char *authorization = in_body ? NULL
				      : wf_issuer_authorization(
					    settings->client, settings->secret);
	struct wf_buffer body;
	enum wf_rc rc;

	wf_assert(code != NULL && state->verifier[0] != '\0');
	*tokens_out = NULL;
	wf_buffer_init(&body, 4 * URL_BYTES);
	add_argument(&body, "grant_type", "authorization_code");
	add_argument(&body, "code", code);
	add_argument(&body, "redirect_uri", settings->callback);
	add_argument(&body, "code_verifier", state->verifier);
	if (in_body)
		add_argument(&body, "client_id", settings->client);
	if (in_body && has_secret)
		add_argument(&body, "client_secret", settings->secret);
	rc = body.full
		 ? wf_fail(err, WF_INVALID, "code: it is too long")
		 : wf_issuer_ask(oidc->issuer, endpoints->token, authorization,
		       wf_buffer_text(&body), tokens_out, err);
	if (authorization != NULL)
		sodium_memzero(authorization, strlen(authorization));
	wf_free(authorization);
	wf_buffer_free(&body);
	return rc;
}

/* --- claims --------------------------------------------------------------- */

static const char *copy_text(
    const json_t *claims, const char *name, struct wf_arena *arena)
{
	const char *text = json_string_value(json_object_get(claims, name));

	return text == NULL ? "" : wf_arena_strdup(arena, text);
}

/* A claim that is a text, or a list of texts. */
static void copy_groups(
    const json_t *claim, struct wf_person *person, struct wf_arena *arena)
{
	size_t count = json_is_string(claim) ? 1 : json_array_size(claim);

	if (count > WF_PERSON_GROUPS)
		count = WF_PERSON_GROUPS;
	person->groups = wf_arena_array(arena, count + 1, sizeof(char *));
	for (size_t i = 0; i < count; i++) {
		const char *text = json_string_value(
		    json_is_string(claim) ? claim : json_array_get(claim, i));

		if (text != NULL)
			person->groups[person->group_count++] =
			    wf_arena_strdup(arena, text);
	}
	wf_assert(person->group_count <= WF_PERSON_GROUPS);
}

static enum wf_rc make_person(const struct wf_oidc_settings *settings,
    const json_t *claims, struct wf_arena *arena, struct wf_person *person,
    struct wf_error *err)
{
	memset(person, 0, sizeof(*person));
	/* Who only claims an address of mail may be anybody. */
	if (strcmp(settings->name, "email") != 0 ||
	    json_is_true(json_object_get(claims, "email_verified")))
		person->name = copy_text(claims, settings->name, arena);
	else
		person->name = "";
	person->subject = copy_text(claims, "sub", arena);
	person->first_name = copy_text(claims, "given_name", arena);
	person->last_name = copy_text(claims, "family_name", arena);
	person->mail = copy_text(claims, "email", arena);
	if (person->last_name[0] == '\0')
		person->last_name = copy_text(claims, "name", arena);
	copy_groups(settings->groups[0] == '\0'
			? NULL
			: json_object_get(claims, settings->groups),
	    person, arena);
	if (person->name[0] != '\0')
		return WF_OK;
	return wf_fail(err, WF_DENIED,
	    "the provider does not say the name of the account: its claim "
	    "\"%.60s\" is missing, or an address that it has not verified",
	    settings->name);
}

/* Adds the claims that only this endpoint has. */
static enum wf_rc add_userinfo(struct wf_oidc *oidc, const char *url,
    const json_t *tokens, json_t *claims, struct wf_arena *arena,
    struct wf_error *err)
{
	const char *token =
	    json_string_value(json_object_get(tokens, "access_token"));
	const char *subject = json_string_value(json_object_get(claims, "sub"));
	const char *other;
	json_t *more;
	enum wf_rc rc;

	if (url[0] == '\0' || token == NULL || strpbrk(token, "\r\n") != NULL)
		return wf_fail(err, WF_DENIED,
		    "the provider offers no claims of the user");
	rc = wf_issuer_ask(oidc->issuer, url,
	    wf_arena_printf(arena, "Bearer %s", token), NULL, &more, err);
	if (rc != WF_OK)
		return rc;
	other = json_string_value(json_object_get(more, "sub"));
	if (other == NULL || strcmp(other, subject) != 0)
		rc = wf_fail(
		    err, WF_DENIED, "the provider describes another subject");
	else
		json_object_update_missing(claims, more);
	json_decref(more);
	return rc;
}

/* The nonce of another sign-in, or another key, ends here. */
static enum wf_rc check_token(struct wf_oidc *oidc, const struct wf_jwt *jwt,
    const struct wf_oidc_state *state, int64_t now, int64_t *expires_out,
    struct wf_error *err)
{
	struct wf_jwt_rules rules = { .issuer = oidc->settings.issuer.url,
		.audience = oidc->settings.client,
		.is_id_token = true,
		.nonce = state->nonce,
		.now = now };
	bool later;
	enum wf_rc rc = wf_issuer_verify(oidc->issuer, jwt, true, &later, err);

	wf_assert(!later);
	return rc != WF_OK ? rc : wf_jwt_check(jwt, &rules, expires_out, err);
}

static enum wf_rc read_person(struct wf_oidc *oidc,
    const struct wf_endpoints *endpoints, const json_t *tokens,
    const struct wf_oidc_state *state, int64_t now, struct wf_arena *arena,
    struct wf_person *person, struct wf_error *err)
{
	const char *text =
	    json_string_value(json_object_get(tokens, "id_token"));
	struct wf_error mine = { .rc = WF_OK };
	struct wf_jwt *jwt;
	int64_t expires;
	enum wf_rc rc;

	if (text == NULL)
		return wf_fail(
		    err, WF_DENIED, "the provider gave no token of identity");
	jwt = wf_arena_alloc(arena, sizeof(*jwt));
	rc = wf_jwt_read(jwt, text, &mine);
	if (rc == WF_OK)
		rc = check_token(oidc, jwt, state, now, &expires, &mine);
	if (rc == WF_UNAVAILABLE)
		wf_fail(err, rc, "%s", mine.message);
	else if (rc != WF_OK)
		rc = wf_fail(err, WF_DENIED,
		    "the token of identity is not accepted: %s", mine.message);
	if (rc == WF_OK && oidc->settings.userinfo)
		rc = add_userinfo(
		    oidc, endpoints->userinfo, tokens, jwt->claims, arena, err);
	if (rc == WF_OK)
		rc = make_person(
		    &oidc->settings, jwt->claims, arena, person, err);
	wf_jwt_free(jwt);
	return rc;
}

enum wf_rc wf_oidc_finish(struct wf_oidc *oidc,
    const struct wf_oidc_return *back, int64_t now, struct wf_arena *arena,
    struct wf_person *person_out, const char **path_out, struct wf_error *err)
{
	struct wf_oidc_state state;
	struct wf_endpoints endpoints;
	json_t *tokens = NULL;
	enum wf_rc rc = check_return(oidc, back, now, &state, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_issuer_find_endpoints(oidc->issuer, arena, &endpoints, err);
	if (rc == WF_OK)
		rc = redeem(oidc, &endpoints, back->code, &state, &tokens, err);
	if (rc == WF_OK)
		rc = read_person(oidc, &endpoints, tokens, &state, now, arena,
		    person_out, err);
	json_decref(tokens);
	*path_out = wf_arena_strdup(arena, state.path);
	sodium_memzero(&state, sizeof(state));
	return rc;
}
