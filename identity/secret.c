/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens and passwords: how they are made, hashed and verified. */
#include <stdio.h>
#include <string.h>

#include "base/panic.h"
#include "identity/account_priv.h"
#include "identity/sha1.h"

/* As OWASP recommends for argon2id in one thread; 20 to 50 milliseconds. */
#define PASSWORD_ROUNDS 2U
#define PASSWORD_MEMORY_BYTES ((size_t)19 << 20)

enum wf_rc wf_secrets_begin(struct wf_error *err)
{
	if (sodium_init() < 0)
		return wf_fail(err, WF_IO, "there are no random numbers");
	return WF_OK;
}

/* --- tokens --------------------------------------------------------------- */

void wf_hash_token(
    const char *token, size_t length, unsigned char hash[WF_TOKEN_HASH])
{
	crypto_generichash(
	    hash, WF_TOKEN_HASH, (const unsigned char *)token, length, NULL, 0);
}

void wf_hash_text(
    const unsigned char hash[WF_TOKEN_HASH], char text[WF_HASH_TEXT])
{
	sodium_bin2hex(text, WF_HASH_TEXT, hash, WF_TOKEN_HASH);
}

static void put_prefix(
    const struct wf_store *store, char prefix[WF_TOKEN_PREFIX_BYTES + 1])
{
	snprintf(prefix, WF_TOKEN_PREFIX_BYTES + 1, "weft_%.8s_",
	    wf_store_identity(store));
}

bool wf_token_is_of(const char *text, const struct wf_store *store)
{
	char prefix[WF_TOKEN_PREFIX_BYTES + 1];

	put_prefix(store, prefix);
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

enum wf_rc wf_token_make(const struct wf_store *store,
    char token_out[WF_TOKEN_SIZE], struct wf_error *err)
{
	unsigned char bytes[32];
	enum wf_rc rc = wf_secrets_begin(err);

	if (rc != WF_OK)
		return rc;
	randombytes_buf(bytes, sizeof(bytes));
	put_prefix(store, token_out);
	sodium_bin2base64(token_out + WF_TOKEN_PREFIX_BYTES,
	    WF_TOKEN_SIZE - WF_TOKEN_PREFIX_BYTES, bytes, sizeof(bytes),
	    sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	sodium_memzero(bytes, sizeof(bytes));
	wf_assert(strlen(token_out) == WF_TOKEN_SIZE - 1);
	return WF_OK;
}

uint64_t wf_epoch_make(void)
{
	uint64_t epoch;

	randombytes_buf(&epoch, sizeof(epoch));
	return epoch;
}

/* --- passwords ------------------------------------------------------------ */

enum wf_rc wf_password_check(const char *password, struct wf_error *err)
{
	if (strlen(password) < WF_PASSWORD_MINIMUM_BYTES)
		return wf_fail(err, WF_INVALID,
		    "a password has at least %u bytes",
		    WF_PASSWORD_MINIMUM_BYTES);
	if (strlen(password) > WF_PASSWORD_BYTES)
		return wf_fail(err, WF_INVALID,
		    "a password has at most %u bytes", WF_PASSWORD_BYTES);
	return WF_OK;
}

enum wf_rc wf_password_hash(const char *password,
    char hash_out[crypto_pwhash_STRBYTES], struct wf_error *err)
{
	enum wf_rc rc = wf_secrets_begin(err);

	if (rc == WF_OK &&
	    crypto_pwhash_str_alg(hash_out, password, strlen(password),
		PASSWORD_ROUNDS, PASSWORD_MEMORY_BYTES,
		crypto_pwhash_ALG_ARGON2ID13) != 0)
		rc = wf_fail(err, WF_IO, "no memory to hash a password");
	return rc;
}

bool wf_password_verify(
    const char *hash, enum wf_password_form form, const char *password)
{
	static const char dummy[] =
	    "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$"
	    "Zm9yIG5vYm9keSwgYnV0IGl0IHRha2VzIHRpbWUhISE";
	char sha1[WF_SHA1_TEXT];
	bool good;

	if (form == WF_PASSWORD_NONE)
		hash = "";
	if (form == WF_PASSWORD_LEGACY) {
		wf_sha1_text(password, strlen(password), sha1);
		password = sha1;
	}
	good = crypto_pwhash_str_verify(hash[0] == '\0' ? dummy : hash,
		   password, strlen(password)) == 0;
	sodium_memzero(sha1, sizeof(sha1));
	return good && hash[0] != '\0';
}
