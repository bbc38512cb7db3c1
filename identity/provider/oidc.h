/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sign-in of people through a provider: OpenID Connect Core 1.0, authorization
 * code with PKCE (RFC 7636).
 *
 *   browser ── GET sign-in ──► begin: state, nonce and verifier are encrypted
 * in │                       a cookie of this browser └──► provider ──► browser
 * ── GET callback?code&state, with the cookie │ finish: state is that of the
 * cookie, and was not used ──► code ──► tokens ──► signature and claims of the
 * ID token ──► person
 *
 * The key of the cipher is the same on all nodes, so any node can finish what
 * another one began.  A node remembers the states that it has finished until
 * they expire; the provider takes a code once, whoever sends it.
 */
#ifndef WF_IDENTITY_PROVIDER_OIDC_H
#define WF_IDENTITY_PROVIDER_OIDC_H

#include "identity/provider/issuer.h"
#include "identity/provider/person.h"

#define WF_OIDC_KEY_BYTES 32U
/* A sign-in that takes longer begins again. */
#define WF_OIDC_SECONDS 600
/* The path to which the browser returns. */
#define WF_OIDC_PATH_BYTES 500U
/* The encrypted state as text, with its NUL. */
#define WF_OIDC_STATE_SIZE 1200U

struct wf_oidc_settings {
	struct wf_issuer_settings issuer;
	const char *client;   /* the id that the provider knows */
	const char *secret;   /* "": a client without a secret */
	const char *callback; /* the URL to which the provider returns */
	const char *scope;    /* "openid profile .." */
	const char *name;     /* the claim that is the name of the account */
	const char *groups;   /* the claim with the groups; "": none */
	bool userinfo;	      /* claims are also read from there */
};

struct wf_oidc; /* opaque; safe for all threads */

/*
 * The settings and their texts must outlive it.  key: WF_OIDC_KEY_BYTES, the
 * same on all nodes.  WF_INVALID: a setting makes no sense.
 */
enum wf_rc wf_oidc_open(struct wf_oidc **oidc_out,
    const struct wf_oidc_settings *settings, const unsigned char *key,
    struct wf_error *err) WF_MUSTCHECK;
void wf_oidc_close(struct wf_oidc **oidc);

/* Whether a browser may be sent to that path of this server. */
bool wf_oidc_is_path(const char *path);

/*
 * Where the browser is sent, in the arena, and the value of the cookie that it
 * gets.  path: where it returns in the end.  May wait for the provider.  now:
 * seconds since 1970, also below.
 */
enum wf_rc wf_oidc_begin(struct wf_oidc *oidc, const char *path, int64_t now,
    struct wf_arena *arena, const char **url_out,
    char cookie_out[WF_OIDC_STATE_SIZE], struct wf_error *err) WF_MUSTCHECK;

/* What the browser brings back; NULL: it does not. */
struct wf_oidc_return {
	const char *cookie;
	const char *state;
	const char *code;
	const char *error;  /* the provider refused */
	const char *issuer; /* RFC 9207 */
};

/*
 * The person, and the path, in the arena.  Waits for the provider.  WF_DENIED:
 * the sign-in is not accepted; WF_UNAVAILABLE: the provider does not answer;
 * WF_INVALID: the request is none that a provider sends.
 */
enum wf_rc wf_oidc_finish(struct wf_oidc *oidc,
    const struct wf_oidc_return *back, int64_t now, struct wf_arena *arena,
    struct wf_person *person_out, const char **path_out,
    struct wf_error *err) WF_MUSTCHECK;

#endif
