/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signed tokens (RFC 7519, in the compact form of RFC 7515): what they say,
 * and whether that holds here and now.  Who signed them is another question:
 * identity/provider/issuer.h.
 */
#ifndef WF_IDENTITY_PROVIDER_JWT_H
#define WF_IDENTITY_PROVIDER_JWT_H

#include <jansson.h>
#include <stdint.h>

#include "identity/provider/jwk.h"

#define WF_JWT_BYTES 16384U
/* Clocks of issuers may differ by so much. */
#define WF_JWT_SKEW_S 60

struct wf_jwt {
	json_t *claims; /* an object */
	enum wf_jwt_algorithm algorithm;
	char key_id[WF_JWK_ID_BYTES + 1];
	bool has_key_id;
	const char *text; /* of the caller; what is signed is its beginning */
	size_t signed_length;
	unsigned char signature[WF_JWT_BYTES / 2];
	size_t signature_size;
};

/* Whether the text looks like one; it may be damaged. */
bool wf_jwt_is(const char *text);
/*
 * WF_INVALID: no token, or one with an algorithm or a critical header that is
 * not accepted.  Nothing it says is checked yet.  text must outlive the token,
 * which wf_jwt_free() frees in any case.
 */
enum wf_rc wf_jwt_read(struct wf_jwt *jwt_out, const char *text,
    struct wf_error *err) WF_MUSTCHECK;
void wf_jwt_free(struct wf_jwt *jwt);
/* As wf_jwk_verify(). */
enum wf_rc wf_jwt_verify(const struct wf_jwt *jwt, const struct wf_jwk_set *set,
    struct wf_error *err) WF_MUSTCHECK;

/* A text among the claims; NULL: there is none. */
const char *wf_jwt_text(const struct wf_jwt *jwt, const char *name);

/* What must be true of the claims. */
struct wf_jwt_rules {
	const char *issuer;
	const char *audience;
	bool is_id_token;  /* has "iat" and "sub", and is for this client */
	const char *nonce; /* of an ID token; NULL: none was sent */
	int64_t now;	   /* seconds since 1970 */
};

/* WF_DENIED.  expires_out: "exp", in seconds since 1970. */
enum wf_rc wf_jwt_check(const struct wf_jwt *jwt,
    const struct wf_jwt_rules *rules, int64_t *expires_out,
    struct wf_error *err) WF_MUSTCHECK;

#endif
