/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as what a provider, a browser or an authorization server sends: a
 * signed token, as it is and with its parts encoded here, so that JSON reaches
 * the claims; a set of keys; a discovery document; the state of a sign-in; an
 * access token; and as a list of groups.
 */
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "base/panic.h"
#include "identity/federation/group_map.h"
#include "identity/provider/issuer.h"
#include "identity/provider/oidc_state.h"
#include "work/access_tokens.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_token(const char *text)
{
	struct wf_jwt *jwt = wf_malloc(sizeof(*jwt));
	const struct wf_jwt_rules rules = { .issuer = "https://i.example",
		.audience = "weft",
		.is_id_token = true,
		.nonce = "n",
		.now = INT64_C(1800000000) };
	struct wf_error err = { .rc = WF_OK };
	int64_t expires = -1;

	if (wf_jwt_read(jwt, text, &err) == WF_OK) {
		wf_assert(json_is_object(jwt->claims));
		wf_assert(jwt->signed_length < strlen(text));
		if (wf_jwt_check(jwt, &rules, &expires, &err) == WF_OK)
			wf_assert(expires > rules.now - WF_JWT_SKEW_S);
		else
			wf_assert(err.message[0] != '\0');
	} else {
		wf_assert(err.rc == WF_INVALID && err.message[0] != '\0');
	}
	wf_jwt_free(jwt);
	wf_free(jwt);
}

/* Lines are the header, the claims and the signature. */
static void read_parts(struct wf_arena *arena, const char *text)
{
	struct wf_buffer token;

	wf_buffer_init(&token, 100000);
	for (unsigned i = 0; i < 3; i++) {
		size_t length = strcspn(text, "\n");
		size_t room = WF_BASE64URL_SIZE(length);
		char *part = wf_arena_alloc(arena, room);

		wf_base64url_encode(
		    part, room, (const unsigned char *)text, length);
		wf_buffer_puts(&token, part);
		if (i < 2)
			wf_buffer_putc(&token, '.');
		text += length + (text[length] != '\0');
	}
	if (!token.full)
		read_token(wf_buffer_text(&token));
	wf_buffer_free(&token);
}

static void read_documents(
    struct wf_arena *arena, const char *text, size_t size)
{
	struct wf_endpoints endpoints;
	struct wf_jwk_set *keys = NULL;
	const char *url = NULL;
	const char *token;
	int64_t lifetime;

	if (wf_jwk_set_read(&keys, text, size, NULL) == WF_OK)
		wf_assert(keys != NULL);
	wf_jwk_set_free(&keys);
	if (wf_issuer_read_discovery("https://i.example", text, size, arena,
		&endpoints, &url, NULL) == WF_OK)
		wf_assert(wf_issuer_is_safe_url(url));
	if (wf_access_token_read(text, size, arena, &token, &lifetime, NULL) ==
	    WF_OK)
		wf_assert(lifetime > 0 && token[0] != '\0' &&
			  strpbrk(token, " \r\n") == NULL);
}

/* Whatever is encrypted is read as it was; nothing else is read. */
static void read_state(const char *text)
{
	static const unsigned char key[WF_OIDC_KEY_BYTES] = { 7 };
	char encrypted[WF_OIDC_STATE_SIZE];
	struct wf_oidc_state state;
	struct wf_oidc_state again;

	wf_assert(!wf_oidc_state_decrypt(&state, key, text));
	if (!wf_oidc_is_path(text))
		return;
	wf_oidc_state_make(&state, text, 1);
	wf_oidc_state_encrypt(&state, key, encrypted);
	wf_assert(wf_oidc_state_decrypt(&again, key, encrypted));
	wf_assert(strcmp(again.path, text) == 0 && again.expires == 1);
}

static void read_groups(struct wf_arena *arena, const char *text)
{
	struct wf_group_map map;

	if (!wf_group_map_read(text, arena, &map))
		return;
	wf_assert(map.count <= WF_GROUP_RULES);
	for (size_t i = 0; i < map.count; i++) {
		wf_assert(map.rules[i].group[0] != '\0');
		wf_assert(map.rules[i].gives[0] != '\0');
		(void)wf_group_rule_gives(
		    &map.rules[i], "https://i.example", text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wf_arena *arena = wf_arena_new();
	const char *text = wf_arena_strndup(arena, (const char *)data, size);

	read_token(text);
	read_parts(arena, text);
	read_documents(arena, (const char *)data, size);
	read_state(text);
	read_groups(arena, text);
	wf_arena_free(&arena);
	return 0;
}
