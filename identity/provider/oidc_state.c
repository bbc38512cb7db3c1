/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes: format, state, nonce, verifier, time, path; encrypted with
 * XSalsa20-Poly1305 of libsodium behind a random nonce of that cipher.
 */
#include "identity/provider/oidc_state.h"

#include <assert.h>
#include <string.h>

#include "base/codec.h"
#include "base/panic.h"

#define FORMAT 1
#define PLAIN_BYTES 800U

static_assert(WF_BASE64URL_SIZE(WF_OIDC_RANDOM_BYTES) <= WF_OIDC_RANDOM_SIZE,
    "room for a random text");
static_assert(
    WF_BASE64URL_SIZE(crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES +
		      PLAIN_BYTES) <= WF_OIDC_STATE_SIZE,
    "room for an encrypted state");
static_assert(WF_OIDC_KEY_BYTES == crypto_secretbox_KEYBYTES, "size of a key");

static void make_random(char text[WF_OIDC_RANDOM_SIZE])
{
	unsigned char bytes[WF_OIDC_RANDOM_BYTES];

	randombytes_buf(bytes, sizeof(bytes));
	wf_base64url_encode(text, WF_OIDC_RANDOM_SIZE, bytes, sizeof(bytes));
}

void wf_oidc_state_make(
    struct wf_oidc_state *state_out, const char *path, int64_t expires)
{
	wf_assert(strlen(path) <= WF_OIDC_PATH_BYTES);
	make_random(state_out->state);
	make_random(state_out->nonce);
	make_random(state_out->verifier);
	state_out->expires = expires;
	strcpy(state_out->path, path);
}

void wf_oidc_state_encrypt(const struct wf_oidc_state *state,
    const unsigned char *key, char text_out[WF_OIDC_STATE_SIZE])
{
	unsigned char bytes[crypto_secretbox_NONCEBYTES +
			    crypto_secretbox_MACBYTES + PLAIN_BYTES];
	unsigned char *box = bytes + crypto_secretbox_NONCEBYTES;
	struct wf_buffer plain;

	wf_buffer_init(&plain, PLAIN_BYTES);
	wf_put_number(&plain, FORMAT);
	wf_put_string(&plain, state->state);
	wf_put_string(&plain, state->nonce);
	wf_put_string(&plain, state->verifier);
	wf_put_signed(&plain, state->expires);
	wf_put_string(&plain, state->path);
	wf_assert(!plain.full && plain.length <= PLAIN_BYTES);
	randombytes_buf(bytes, crypto_secretbox_NONCEBYTES);
	crypto_secretbox_easy(
	    box, (const unsigned char *)plain.data, plain.length, bytes, key);
	wf_base64url_encode(text_out, WF_OIDC_STATE_SIZE, bytes,
	    crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES +
		plain.length);
	wf_buffer_free(&plain);
}

/* False: it is longer than the room. */
static bool get_text(struct wf_reader *reader, char *text, size_t room)
{
	size_t length;
	const char *bytes = wf_get_bytes(reader, &length);

	if (reader->bad || length >= room)
		return false;
	memcpy(text, bytes, length);
	text[length] = '\0';
	return true;
}

bool wf_oidc_state_decrypt(
    struct wf_oidc_state *state_out, const unsigned char *key, const char *text)
{
	unsigned char bytes[WF_OIDC_STATE_SIZE];
	unsigned char plain[WF_OIDC_STATE_SIZE];
	const size_t head =
	    crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES;
	struct wf_reader reader;
	size_t size;

	if (!wf_base64url_decode(
		text, strlen(text), bytes, sizeof(bytes), &size) ||
	    size <= head ||
	    crypto_secretbox_open_easy(plain,
		bytes + crypto_secretbox_NONCEBYTES,
		size - crypto_secretbox_NONCEBYTES, bytes, key) != 0)
		return false;
	wf_reader_init(&reader, plain, size - head);
	if (wf_get_number(&reader) != FORMAT ||
	    !get_text(&reader, state_out->state, WF_OIDC_RANDOM_SIZE) ||
	    !get_text(&reader, state_out->nonce, WF_OIDC_RANDOM_SIZE) ||
	    !get_text(&reader, state_out->verifier, WF_OIDC_RANDOM_SIZE))
		return false;
	state_out->expires = wf_get_signed(&reader);
	return get_text(&reader, state_out->path, sizeof(state_out->path)) &&
	       !reader.bad;
}
