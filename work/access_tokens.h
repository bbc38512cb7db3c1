/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens for calls of services, from their authorization servers (RFC 6749,
 * client credentials).
 *
 *   NONE ──asked for──► WANTED ──a thread──► VALID ──nearly expired, or
 *                          ▲        │           │    refused by the service
 *                          │        └─► FAILED  │
 *                          └──────── after 5 s ─┴────────────────────────┘
 *
 * A token is that of an address, a client, its secret and a scope; several
 * services may share one.  It is fetched once, whoever asks meanwhile, by
 * threads of its own: nobody who asks waits.
 */
#ifndef WF_WORK_ACCESS_TOKENS_H
#define WF_WORK_ACCESS_TOKENS_H

#include "http/address.h"
#include "work/service.h"

/* A token, at most. */
#define WF_ACCESS_TOKEN_BYTES 16384U

struct wf_access_tokens; /* opaque; safe for all threads */

struct wf_access_tokens_settings {
	const struct wf_address_ranges *allowed;
	const char *ca; /* file of certificates; NULL or "": the system's */
	int64_t timeout_ms;
};

/* What the settings point to must outlive them. */
enum wf_rc wf_access_tokens_open(struct wf_access_tokens **tokens_out,
    const struct wf_access_tokens_settings *settings,
    struct wf_error *err) WF_MUSTCHECK;
void wf_access_tokens_close(struct wf_access_tokens **tokens);

/*
 * The token for a service, in the arena.  WF_UNAVAILABLE: it is being fetched:
 * ask again soon.  WF_DENIED: it cannot be got now, the message says why.
 */
enum wf_rc wf_access_tokens_get(struct wf_access_tokens *tokens,
    const struct wf_service *service, struct wf_arena *arena,
    const char **token_out, struct wf_error *err) WF_MUSTCHECK;

/*
 * The service has answered a call with that token.  True: it refused one that
 * it took before, so another one is fetched: try again.
 */
bool wf_access_tokens_judge(struct wf_access_tokens *tokens,
    const struct wf_service *service, const char *token, bool is_refused);

/* Whether it is an address from which tokens may be fetched. */
bool wf_access_tokens_is_url(const char *url);

/*
 * Reads the answer of an authorization server: the token, in the arena, and for
 * how many milliseconds it may be used.  WF_DENIED: it gives none.
 */
enum wf_rc wf_access_token_read(const char *text, size_t length,
    struct wf_arena *arena, const char **token_out, int64_t *lifetime_out,
    struct wf_error *err) WF_MUSTCHECK;

#endif
