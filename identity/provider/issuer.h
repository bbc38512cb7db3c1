/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A provider that issues tokens: its discovery document (OpenID Connect
 * Discovery 1.0) and its keys, kept in memory.
 *
 *            ┌──────────── an hour, or a key that is not known ───────────┐
 *   NONE ──fetched──► FRESH ──────────────────────────────────────────► STALE
 *     ▲                 ▲                                                 │
 *     │                 └───────────────── fetched ───────────────────────┤
 *     └──────────────────── a day without an answer ──────────────────────┘
 *
 * Keys are fetched again at most every 2 seconds, whoever asks and whatever
 * the answer was.  While they are stale the old ones count.
 */
#ifndef WF_IDENTITY_PROVIDER_ISSUER_H
#define WF_IDENTITY_PROVIDER_ISSUER_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/memory.h"
#include "http/address.h"
#include "identity/provider/jwt.h"

struct wf_issuer_settings {
	/* Exactly as tokens name it; https, or http at a loopback address. */
	const char *url;
	const char *ca; /* file of certificates; "": those of the system */
	const struct wf_address_ranges *allowed;
	int64_t timeout_ms; /* of each request */
	/* Ends requests when the server ends; or NULL. */
	const atomic_bool *stop;
};

struct wf_issuer; /* opaque; safe for all threads */

/* The settings and their texts must outlive it.  WF_INVALID: the URL. */
enum wf_rc wf_issuer_open(struct wf_issuer **issuer_out,
    const struct wf_issuer_settings *settings,
    struct wf_error *err) WF_MUSTCHECK;
void wf_issuer_close(struct wf_issuer **issuer);
/* Whether the URL is one of https, or of http at a loopback address. */
bool wf_issuer_is_safe_url(const char *url);

/* Where requests go; in the arena, "": there is none. */
struct wf_endpoints {
	const char *authorization;
	const char *token;
	const char *userinfo;
	bool secret_in_body; /* it takes the secret of a client only there */
};

/*
 * Reads a discovery document.  WF_INVALID: it is none, of another issuer, or
 * names addresses that are not safe.
 */
enum wf_rc wf_issuer_read_discovery(const char *issuer, const char *text,
    size_t length, struct wf_arena *arena, struct wf_endpoints *endpoints_out,
    const char **keys_out, struct wf_error *err) WF_MUSTCHECK;

/* May wait for the provider.  WF_UNAVAILABLE: it cannot be reached. */
enum wf_rc wf_issuer_find_endpoints(struct wf_issuer *issuer,
    struct wf_arena *arena, struct wf_endpoints *endpoints_out,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Whether the issuer signed the token.  WF_DENIED: it did not.  WF_UNAVAILABLE:
 * its keys are needed and cannot be fetched; with slowly false, *later_out says
 * that they may be fetched: call it again with slowly from a thread that may
 * wait.
 */
enum wf_rc wf_issuer_verify(struct wf_issuer *issuer, const struct wf_jwt *jwt,
    bool slowly, bool *later_out, struct wf_error *err) WF_MUSTCHECK;

/*
 * The header with which a client proves itself to a provider: Basic, of both
 * texts escaped (RFC 6749, 2.3.1).  The caller frees it.
 */
char *wf_issuer_authorization(const char *client, const char *secret);

/*
 * Sends a request to the provider and reads the JSON of its answer, a new
 * reference.  body NULL: GET.  WF_UNAVAILABLE: no answer, or 5xx; WF_DENIED:
 * any other status than 200; WF_INVALID: no JSON object.
 */
enum wf_rc wf_issuer_ask(struct wf_issuer *issuer, const char *url,
    const char *authorization, const char *body, json_t **answer_out,
    struct wf_error *err) WF_MUSTCHECK;

#endif
