/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a browser carries from the beginning of a sign-in to its end, encrypted
 * so that it can neither be read nor made elsewhere.
 */
#ifndef WF_IDENTITY_PROVIDER_OIDC_STATE_H
#define WF_IDENTITY_PROVIDER_OIDC_STATE_H

#include "identity/provider/base64url.h"
#include "identity/provider/oidc.h"

#define WF_OIDC_RANDOM_BYTES 32U
#define WF_OIDC_RANDOM_SIZE 44U /* as text, with its NUL */

struct wf_oidc_state {
	char state[WF_OIDC_RANDOM_SIZE];
	char nonce[WF_OIDC_RANDOM_SIZE];
	char verifier[WF_OIDC_RANDOM_SIZE];
	int64_t expires; /* seconds since 1970 */
	char path[WF_OIDC_PATH_BYTES + 1];
};

/* New random texts. */
void wf_oidc_state_make(
    struct wf_oidc_state *state_out, const char *path, int64_t expires);
void wf_oidc_state_encrypt(const struct wf_oidc_state *state,
    const unsigned char *key, char text_out[WF_OIDC_STATE_SIZE]);
/* False: it was not encrypted with that key. */
bool wf_oidc_state_decrypt(struct wf_oidc_state *state_out,
    const unsigned char *key, const char *text);

#endif
