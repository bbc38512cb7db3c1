/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public keys of an issuer (RFC 7517), and the check of a signature.
 *
 * A key fits one algorithm, which its kind decides: RSA RS256, P-256 ES256,
 * Ed25519 EdDSA.  What a token says of its algorithm only has to agree; keys
 * of other kinds are passed over, so there is no "none" and no HMAC.
 */
#ifndef WF_IDENTITY_PROVIDER_JWK_H
#define WF_IDENTITY_PROVIDER_JWK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* An answer with keys, keys in it that are used, and an id of a key. */
#define WF_JWK_SET_BYTES ((size_t)256 << 10)
#define WF_JWK_KEYS 64U
#define WF_JWK_ID_BYTES 256U

enum wf_jwt_algorithm { WF_JWT_RS256, WF_JWT_ES256, WF_JWT_EDDSA };

/* False: a token with that algorithm is refused. */
bool wf_jwt_algorithm_find(
    const char *name, enum wf_jwt_algorithm *algorithm_out);

struct wf_jwk_set; /* opaque; never changes */

/*
 * WF_INVALID: no set of keys, or none in it that can be used.  WF_UNSUPPORTED:
 * this program was built without GnuTLS.
 */
enum wf_rc wf_jwk_set_read(struct wf_jwk_set **set_out, const char *text,
    size_t length, struct wf_error *err) WF_MUSTCHECK;
void wf_jwk_set_free(struct wf_jwk_set **set);

struct wf_jwk_signature {
	enum wf_jwt_algorithm algorithm;
	const char *key_id; /* NULL: only one key may fit */
	const char *text;   /* that is signed */
	size_t length;
	const unsigned char *bytes;
	size_t size;
};

/* WF_NOT_FOUND: no key fits; WF_DENIED: the signature is wrong. */
enum wf_rc wf_jwk_verify(const struct wf_jwk_set *set,
    const struct wf_jwk_signature *signature,
    struct wf_error *err) WF_MUSTCHECK;

#endif
