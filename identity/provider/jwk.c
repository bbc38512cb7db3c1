/* SPDX-License-Identifier: Apache-2.0 */
#include "identity/provider/jwk.h"

#include <jansson.h>
#include <string.h>

#include "base/memory.h"
#include "base/panic.h"
#include "identity/provider/base64url.h"

static const char *const names[] = {
	[WF_JWT_RS256] = "RS256",
	[WF_JWT_ES256] = "ES256",
	[WF_JWT_EDDSA] = "EdDSA",
};

bool wf_jwt_algorithm_find(
    const char *name, enum wf_jwt_algorithm *algorithm_out)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0) {
			*algorithm_out = (enum wf_jwt_algorithm)i;
			return true;
		}
	return false;
}

#ifdef HAVE_GNUTLS

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>

/* Of an RSA key: its modulus, and what GnuTLS shall not compute with. */
#define RSA_MINIMUM_BITS 2048U
#define RSA_MAXIMUM_BYTES 1024U
#define RSA_EXPONENT_BYTES 8U
#define EC_BYTES 32U
#define ES256_BYTES 64U
#define EDDSA_BYTES 64U

struct key {
	enum wf_jwt_algorithm algorithm;
	char id[WF_JWK_ID_BYTES + 1]; /* "": none */
	gnutls_pubkey_t public;
};

struct wf_jwk_set {
	size_t count;
	struct key keys[WF_JWK_KEYS];
};

/* --- reading -------------------------------------------------------------- */

static const char *text_of(const json_t *json, const char *name)
{
	const char *text = json_string_value(json_object_get(json, name));

	return text == NULL ? "" : text;
}

/* False: the member is missing, no base64url, or has another length. */
static bool read_bytes(const json_t *json, const char *name, size_t least,
    size_t greatest, unsigned char *bytes, gnutls_datum_t *datum)
{
	const char *text = text_of(json, name);
	size_t size;

	if (!wf_base64url_decode(text, strlen(text), bytes, greatest, &size) ||
	    size < least)
		return false;
	datum->data = bytes;
	datum->size = (unsigned)size;
	return true;
}

static bool read_rsa(gnutls_pubkey_t public, const json_t *json)
{
	unsigned char modulus[RSA_MAXIMUM_BYTES + 1];
	unsigned char exponent[RSA_EXPONENT_BYTES];
	unsigned bits = 0;
	gnutls_datum_t n;
	gnutls_datum_t e;

	return read_bytes(json, "n", RSA_MINIMUM_BITS / 8, sizeof(modulus),
		   modulus, &n) &&
	       read_bytes(json, "e", 1, sizeof(exponent), exponent, &e) &&
	       gnutls_pubkey_import_rsa_raw(public, &n, &e) == 0 &&
	       gnutls_pubkey_get_pk_algorithm(public, &bits) >= 0 &&
	       bits >= RSA_MINIMUM_BITS;
}

static bool read_curve(
    gnutls_pubkey_t public, const json_t *json, gnutls_ecc_curve_t curve)
{
	unsigned char first[EC_BYTES];
	unsigned char second[EC_BYTES];
	gnutls_datum_t x;
	gnutls_datum_t y;

	if (!read_bytes(json, "x", EC_BYTES, EC_BYTES, first, &x))
		return false;
	if (curve == GNUTLS_ECC_CURVE_ED25519)
		return gnutls_pubkey_import_ecc_raw(public, curve, &x, NULL) ==
		       0;
	return read_bytes(json, "y", EC_BYTES, EC_BYTES, second, &y) &&
	       gnutls_pubkey_import_ecc_raw(public, curve, &x, &y) == 0;
}

/* False: the kind of the key is none that is used. */
static bool find_algorithm(
    const json_t *json, enum wf_jwt_algorithm *algorithm_out)
{
	static const struct {
		const char *kind;
		const char *curve;
		enum wf_jwt_algorithm algorithm;
	} kinds[] = {
		{ "RSA", "", WF_JWT_RS256 },
		{ "EC", "P-256", WF_JWT_ES256 },
		{ "OKP", "Ed25519", WF_JWT_EDDSA },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].kind, text_of(json, "kty")) == 0 &&
		    strcmp(kinds[i].curve, text_of(json, "crv")) == 0) {
			*algorithm_out = kinds[i].algorithm;
			return true;
		}
	return false;
}

/* Whether the set says that the key is for something else. */
static bool is_for_other(const json_t *json, enum wf_jwt_algorithm algorithm)
{
	const json_t *operations = json_object_get(json, "key_ops");
	const char *use = text_of(json, "use");
	const char *name = text_of(json, "alg");
	bool verifies = operations == NULL;
	const json_t *operation;
	size_t i;

	json_array_foreach(operations, i, operation)
	{
		const char *text = json_string_value(operation);

		verifies |= text != NULL && strcmp(text, "verify") == 0;
	}
	return !verifies || (*use != '\0' && strcmp(use, "sig") != 0) ||
	       (*name != '\0' && strcmp(name, names[algorithm]) != 0);
}

static bool read_public(struct key *key, const json_t *json)
{
	switch (key->algorithm) {
	case WF_JWT_RS256:
		return read_rsa(key->public, json);
	case WF_JWT_ES256:
		return read_curve(
		    key->public, json, GNUTLS_ECC_CURVE_SECP256R1);
	case WF_JWT_EDDSA:
		return read_curve(key->public, json, GNUTLS_ECC_CURVE_ED25519);
	}
	return false;
}

/* False: it is not used. */
static bool read_key(struct key *key, const json_t *json)
{
	const char *id = text_of(json, "kid");

	if (!find_algorithm(json, &key->algorithm) ||
	    is_for_other(json, key->algorithm) || strlen(id) > WF_JWK_ID_BYTES)
		return false;
	wf_assert(strlen(id) < sizeof(key->id));
	strcpy(key->id, id);
	if (gnutls_pubkey_init(&key->public) != 0)
		return false;
	if (read_public(key, json))
		return true;
	gnutls_pubkey_deinit(key->public);
	return false;
}

enum wf_rc wf_jwk_set_read(struct wf_jwk_set **set_out, const char *text,
    size_t length, struct wf_error *err)
{
	json_t *json = length > WF_JWK_SET_BYTES
			   ? NULL
			   : json_loadb(text, length, 0, NULL);
	const json_t *keys = json_object_get(json, "keys");
	struct wf_jwk_set *set = wf_calloc(1, sizeof(*set));
	const json_t *key;
	size_t i;

	json_array_foreach(keys, i, key)
	{
		if (set->count == WF_JWK_KEYS)
			break;
		wf_assert(set->count < WF_JWK_KEYS);
		set->count += read_key(&set->keys[set->count], key);
	}
	json_decref(json);
	*set_out = set;
	if (set->count > 0)
		return WF_OK;
	wf_jwk_set_free(set_out);
	return wf_fail(err, WF_INVALID,
	    keys == NULL ? "its keys are no set of keys in JSON"
			 : "none of its keys can be used: expected RSA of 2048 "
			   "bits or more, P-256 or Ed25519");
}

void wf_jwk_set_free(struct wf_jwk_set **set)
{
	struct wf_jwk_set *old = *set;

	*set = NULL;
	if (old == NULL)
		return;
	for (size_t i = 0; i < old->count; i++)
		gnutls_pubkey_deinit(old->keys[i].public);
	wf_free(old);
}

/* --- verifying ------------------------------------------------------------ */

static bool verify_with(const struct key *key,
    const struct wf_jwk_signature *signature, gnutls_sign_algorithm_t algorithm,
    const gnutls_datum_t *bytes)
{
	gnutls_datum_t text = {
		.data = (unsigned char *)wf_strndup(
		    signature->text, signature->length),
		.size = (unsigned)signature->length,
	};
	int result =
	    gnutls_pubkey_verify_data2(key->public, algorithm, 0, &text, bytes);

	wf_free(text.data);
	return result >= 0;
}

/* The two numbers of a signature, as DER has them. */
static bool verify_es256(
    const struct key *key, const struct wf_jwk_signature *signature)
{
	unsigned char numbers[ES256_BYTES];
	gnutls_datum_t r = { numbers, ES256_BYTES / 2 };
	gnutls_datum_t s = { numbers + ES256_BYTES / 2, ES256_BYTES / 2 };
	gnutls_datum_t der;
	bool good;

	if (signature->size != ES256_BYTES)
		return false;
	memcpy(numbers, signature->bytes, ES256_BYTES);
	if (gnutls_encode_rs_value(&der, &r, &s) != 0)
		return false;
	good = verify_with(key, signature, GNUTLS_SIGN_ECDSA_SHA256, &der);
	gnutls_free(der.data);
	return good;
}

static bool verify(
    const struct key *key, const struct wf_jwk_signature *signature)
{
	unsigned char bytes[RSA_MAXIMUM_BYTES];
	gnutls_datum_t datum = { bytes, (unsigned)signature->size };

	if (signature->size > sizeof(bytes))
		return false;
	memcpy(bytes, signature->bytes, signature->size);
	switch (key->algorithm) {
	case WF_JWT_RS256:
		return verify_with(
		    key, signature, GNUTLS_SIGN_RSA_SHA256, &datum);
	case WF_JWT_ES256:
		return verify_es256(key, signature);
	case WF_JWT_EDDSA:
		return signature->size == EDDSA_BYTES &&
		       verify_with(
			   key, signature, GNUTLS_SIGN_EDDSA_ED25519, &datum);
	}
	return false;
}

enum wf_rc wf_jwk_verify(const struct wf_jwk_set *set,
    const struct wf_jwk_signature *signature, struct wf_error *err)
{
	const struct key *found = NULL;
	size_t count = 0;

	wf_assert(set->count > 0 && set->count <= WF_JWK_KEYS);
	for (size_t i = 0; i < set->count; i++) {
		const struct key *key = &set->keys[i];

		if (key->algorithm != signature->algorithm ||
		    (signature->key_id != NULL &&
			strcmp(key->id, signature->key_id) != 0))
			continue;
		found = key;
		count++;
	}
	if (count != 1)
		return wf_fail(err, WF_NOT_FOUND,
		    count == 0 ? "its issuer has no such key"
			       : "several keys of its issuer fit");
	wf_assert(found != NULL && found->algorithm == signature->algorithm);
	if (!verify(found, signature))
		return wf_fail(err, WF_DENIED, "its signature is wrong");
	return WF_OK;
}

#else /* without GnuTLS */

enum wf_rc wf_jwk_set_read(struct wf_jwk_set **set_out, const char *text,
    size_t length, struct wf_error *err)
{
	(void)text;
	(void)length;
	*set_out = NULL;
	return wf_fail(err, WF_UNSUPPORTED, "Weft was built without GnuTLS");
}

void wf_jwk_set_free(struct wf_jwk_set **set)
{
	*set = NULL;
}

enum wf_rc wf_jwk_verify(const struct wf_jwk_set *set,
    const struct wf_jwk_signature *signature, struct wf_error *err)
{
	(void)set;
	(void)signature;
	return wf_fail(err, WF_UNSUPPORTED, "Weft was built without GnuTLS");
}

#endif
