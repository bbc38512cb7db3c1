/* SPDX-License-Identifier: Apache-2.0 */
#include "work/access_tokens.h"

#include <jansson.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/panic.h"
#include "http/fetch.h"
#include "http/http_client.h"
#include "identity/provider/issuer.h"

#define TOKENS 256U
#define THREADS 2U
#define FAILED_MS 5000
#define ANSWER_BYTES ((size_t)64 << 10)
#define REQUEST_BYTES ((size_t)16 << 10)
#define KEY_SIZE (2U * crypto_generichash_BYTES + 1U)
/* Of a token whose server does not say how long it is valid. */
#define USUAL_MS INT64_C(300000)
#define LONGEST_S 86400
/* A token is not used any more so long before its end. */
#define RESERVE_MS INT64_C(60000)

enum state { WANTED, FETCHED, VALID, FAILED };

struct token {
	enum state state;
	char *text;	  /* of VALID */
	int64_t until;	  /* of VALID and FAILED; monotonic ms */
	bool was_taken;	  /* the service has accepted it */
	char reason[300]; /* of FAILED */
	/* What is sent. */
	char *url;
	char *body;
	char *authorization;
	struct token *next;
};

struct wf_access_tokens {
	struct wf_access_tokens_settings settings;
	pthread_t threads[THREADS];
	size_t thread_count;
	atomic_bool stop;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	struct wf_map *by_key;
	struct token *all;
};

bool wf_access_tokens_is_url(const char *url)
{
	return wf_issuer_is_safe_url(url);
}

/* --- the answer ----------------------------------------------------------- */

static bool is_token(const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] <= ' ' ||
		    (unsigned char)text[i] > '~')
			return false;
	return length > 0 && length <= WF_ACCESS_TOKEN_BYTES;
}

/* A text too: some servers send it so. */
static int64_t read_lifetime(const json_t *member)
{
	double seconds = json_number_value(member);
	int64_t lifetime;

	if (json_is_string(member))
		(void)sscanf(json_string_value(member), "%lf", &seconds);
	if (!(seconds > 0))
		return USUAL_MS;
	lifetime = (int64_t)(seconds > LONGEST_S ? LONGEST_S : seconds) * 1000;
	return lifetime -
	       (lifetime > 10 * RESERVE_MS ? RESERVE_MS : lifetime / 10);
}

enum wf_rc wf_access_token_read(const char *text, size_t length,
    struct wf_arena *arena, const char **token_out, int64_t *lifetime_out,
    struct wf_error *err)
{
	json_t *json = json_loadb(text, length, 0, NULL);
	const char *token =
	    json_string_value(json_object_get(json, "access_token"));
	const char *type =
	    json_string_value(json_object_get(json, "token_type"));
	enum wf_rc rc = WF_OK;

	if (token == NULL || !is_token(token))
		rc = wf_fail(err, WF_DENIED, "its answer has no access_token");
	else if (type != NULL && strcasecmp(type, "Bearer") != 0)
		rc = wf_fail(
		    err, WF_DENIED, "its token is of another type than Bearer");
	if (rc == WF_OK) {
		*token_out = wf_arena_strdup(arena, token);
		*lifetime_out =
		    read_lifetime(json_object_get(json, "expires_in"));
	}
	json_decref(json);
	return rc;
}

/* The code of RFC 6749, 5.2; its other texts may quote anything. */
static void fail_with_answer(
    unsigned status, const struct wf_buffer *answer, struct wf_error *err)
{
	json_t *json =
	    json_loadb(wf_buffer_text(answer), answer->length, 0, NULL);
	const char *code = json_string_value(json_object_get(json, "error"));
	bool is_code =
	    code != NULL && strlen(code) < 60 &&
	    code[strspn(code, "abcdefghijklmnopqrstuvwxyz_")] == '\0';

	wf_fail(err, WF_DENIED, "it answered with the status %u%s%s", status,
	    is_code ? ", " : "", is_code ? code : "");
	json_decref(json);
}

/* --- fetching ------------------------------------------------------------- */

static enum wf_rc fetch(struct wf_access_tokens *tokens,
    const struct token *token, struct wf_arena *arena, const char **text_out,
    int64_t *lifetime_out, struct wf_error *err)
{
	struct wf_fetch request = { .url = token->url,
		.accept = "application/json",
		.authorization = token->authorization,
		.type = "application/x-www-form-urlencoded",
		.body = token->body,
		.ca = tokens->settings.ca,
		.allowed = tokens->settings.allowed,
		.timeout_ms = tokens->settings.timeout_ms,
		.stop = &tokens->stop };
	struct wf_buffer answer;
	unsigned status;
	enum wf_rc rc;

	wf_buffer_init(&answer, ANSWER_BYTES);
	rc = wf_http_fetch(&request, &answer, &status, err);
	if (rc == WF_OK && status != 200) {
		fail_with_answer(status, &answer, err);
		rc = WF_DENIED;
	}
	if (rc == WF_OK)
		rc = wf_access_token_read(wf_buffer_text(&answer),
		    answer.length, arena, text_out, lifetime_out, err);
	if (answer.length > 0)
		sodium_memzero(answer.data, answer.length);
	wf_buffer_free(&answer);
	return rc;
}

static void free_text(char **text)
{
	if (*text != NULL)
		sodium_memzero(*text, strlen(*text));
	wf_free(*text);
	*text = NULL;
}

/* The lock is not held while the server is asked. */
static void fetch_token(struct wf_access_tokens *tokens, struct token *token)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_error err = { .rc = WF_OK };
	const char *text = NULL;
	int64_t lifetime = FAILED_MS;
	enum wf_rc rc;

	wf_assert(token->state == WANTED);
	token->state = FETCHED;
	pthread_mutex_unlock(&tokens->lock);
	rc = fetch(tokens, token, arena, &text, &lifetime, &err);
	pthread_mutex_lock(&tokens->lock);
	wf_assert(token->state == FETCHED);
	free_text(&token->text);
	token->state = rc == WF_OK ? VALID : FAILED;
	token->was_taken = false;
	token->until = wf_monotonic_ms() + lifetime;
	if (rc == WF_OK)
		token->text = wf_strdup(text);
	else
		snprintf(token->reason, sizeof(token->reason),
		    "no access token from its authorization server: %.200s",
		    err.message);
	wf_arena_free(&arena);
}

static struct token *find_wanted(const struct wf_access_tokens *tokens)
{
	struct token *token = tokens->all;

	while (token != NULL && token->state != WANTED)
		token = token->next;
	return token;
}

static void *run(void *argument)
{
	struct wf_access_tokens *tokens = argument;
	struct token *token;

	pthread_mutex_lock(&tokens->lock);
	while (!atomic_load(&tokens->stop)) {
		token = find_wanted(tokens);
		if (token != NULL)
			fetch_token(tokens, token);
		else
			pthread_cond_wait(&tokens->wake, &tokens->lock);
	}
	pthread_mutex_unlock(&tokens->lock);
	return NULL;
}

/* --- one token ------------------------------------------------------------ */

static void make_key(const struct wf_service *service, char key_out[KEY_SIZE])
{
	const char *const parts[] = { service->token_url, service->client,
		service->scope, service->secret };
	unsigned char hash[crypto_generichash_BYTES];
	crypto_generichash_state state;

	crypto_generichash_init(&state, NULL, 0, sizeof(hash));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		crypto_generichash_update(&state,
		    (const unsigned char *)parts[i], strlen(parts[i]) + 1);
	crypto_generichash_final(&state, hash, sizeof(hash));
	sodium_bin2hex(key_out, KEY_SIZE, hash, sizeof(hash));
}

static char *make_body(const struct wf_service *service)
{
	struct wf_buffer body;

	wf_buffer_init(&body, REQUEST_BYTES);
	wf_buffer_puts(&body, "grant_type=client_credentials");
	if (service->scope[0] != '\0') {
		wf_buffer_puts(&body, "&scope=");
		wf_client_escape(&body, service->scope);
	}
	wf_assert(!body.full);
	return wf_buffer_take(&body);
}

static void free_token(struct token *token)
{
	free_text(&token->text);
	free_text(&token->authorization);
	wf_free(token->url);
	wf_free(token->body);
	wf_free(token);
}

/* Forgets all but those that are being fetched: they are never many. */
static void forget(struct wf_access_tokens *tokens)
{
	struct token *token = tokens->all;

	wf_map_free(&tokens->by_key);
	tokens->by_key = wf_map_new();
	tokens->all = NULL;
	while (token != NULL) {
		struct token *next = token->next;

		if (token->state == FETCHED) {
			token->next = tokens->all;
			tokens->all = token;
		} else {
			free_token(token);
		}
		token = next;
	}
}

static struct token *find_or_add(
    struct wf_access_tokens *tokens, const struct wf_service *service)
{
	char key[KEY_SIZE];
	struct token *token;

	make_key(service, key);
	token = wf_map_get(tokens->by_key, key);
	if (token != NULL)
		return token;
	if (wf_map_count(tokens->by_key) >= TOKENS)
		forget(tokens);
	token = wf_calloc(1, sizeof(*token));
	token->state = WANTED;
	token->url = wf_strdup(service->token_url);
	token->body = make_body(service);
	token->authorization =
	    wf_issuer_authorization(service->client, service->secret);
	token->next = tokens->all;
	tokens->all = token;
	(void)wf_map_add(tokens->by_key, key, token);
	wf_assert(wf_map_count(tokens->by_key) <= TOKENS);
	pthread_cond_signal(&tokens->wake);
	return token;
}

static void want(struct wf_access_tokens *tokens, struct token *token)
{
	wf_assert(token->state != FETCHED);
	token->state = WANTED;
	pthread_cond_signal(&tokens->wake);
}

/* What failed is said once; whoever asks later has it tried again. */
enum wf_rc wf_access_tokens_get(struct wf_access_tokens *tokens,
    const struct wf_service *service, struct wf_arena *arena,
    const char **token_out, struct wf_error *err)
{
	struct token *token;
	enum wf_rc rc = WF_UNAVAILABLE;

	wf_assert(service->token_url[0] != '\0');
	pthread_mutex_lock(&tokens->lock);
	token = find_or_add(tokens, service);
	if ((token->state == VALID || token->state == FAILED) &&
	    wf_monotonic_ms() >= token->until)
		want(tokens, token);
	if (token->state == VALID) {
		*token_out = wf_arena_strdup(arena, token->text);
		rc = WF_OK;
	} else if (token->state == FAILED) {
		rc = wf_fail(err, WF_DENIED, "%s", token->reason);
	}
	pthread_mutex_unlock(&tokens->lock);
	return rc;
}

bool wf_access_tokens_judge(struct wf_access_tokens *tokens,
    const struct wf_service *service, const char *text, bool is_refused)
{
	struct token *token;
	bool again = false;
	char key[KEY_SIZE];

	make_key(service, key);
	pthread_mutex_lock(&tokens->lock);
	token = wf_map_get(tokens->by_key, key);
	if (token == NULL || token->state != VALID ||
	    strcmp(token->text, text) != 0) {
		/* Another call has replaced it meanwhile. */
		again = is_refused && token != NULL;
	} else if (!is_refused) {
		token->was_taken = true;
	} else if (token->was_taken) {
		want(tokens, token);
		again = true;
	} else {
		/* A new one would be refused as well; but not for ever. */
		token->until = wf_monotonic_ms() + FAILED_MS;
	}
	pthread_mutex_unlock(&tokens->lock);
	return again;
}

/* --- opening and closing -------------------------------------------------- */

enum wf_rc wf_access_tokens_open(struct wf_access_tokens **tokens_out,
    const struct wf_access_tokens_settings *settings, struct wf_error *err)
{
	struct wf_access_tokens *tokens = wf_calloc(1, sizeof(*tokens));

	wf_assert(settings->timeout_ms > 0 && settings->allowed != NULL);
	*tokens_out = tokens;
	tokens->settings = *settings;
	tokens->by_key = wf_map_new();
	pthread_mutex_init(&tokens->lock, NULL);
	pthread_cond_init(&tokens->wake, NULL);
	for (; tokens->thread_count < THREADS; tokens->thread_count++)
		if (pthread_create(&tokens->threads[tokens->thread_count], NULL,
			run, tokens) != 0) {
			wf_access_tokens_close(tokens_out);
			return wf_fail(err, WF_IO, "no thread can be started");
		}
	return WF_OK;
}

void wf_access_tokens_close(struct wf_access_tokens **tokens)
{
	struct wf_access_tokens *old = *tokens;

	*tokens = NULL;
	if (old == NULL)
		return;
	pthread_mutex_lock(&old->lock);
	atomic_store(&old->stop, true);
	pthread_cond_broadcast(&old->wake);
	pthread_mutex_unlock(&old->lock);
	for (size_t i = 0; i < old->thread_count; i++)
		pthread_join(old->threads[i], NULL);
	forget(old);
	wf_assert(old->all == NULL); /* no thread is left that fetches */
	wf_map_free(&old->by_key);
	pthread_cond_destroy(&old->wake);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}
