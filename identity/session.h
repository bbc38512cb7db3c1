/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions of people: who has signed in asks with the id of a session instead
 * of a password.
 *
 *   (none) ──wf_session_begin()──► open ──idle, too old──► ended
 *                                    └──wf_session_end()─────▲
 *
 * Sessions are rows of the store, so all nodes share them.  Only the client has
 * the id; the store has its hash.  A session is void when its account is in
 * another epoch or is gone, and when the token that opened it is.  A node knows
 * a session for a second; then it reads the row again, so what ends on one node
 * has ended on all within a second.  The last use is written once a minute.
 */
#ifndef WF_IDENTITY_SESSION_H
#define WF_IDENTITY_SESSION_H

#include "identity/account.h"

/* An id as text, with its NUL: 43 characters of base64url. */
#define WF_SESSION_ID_SIZE 44U
/* The bytes of the name of a method, with its NUL. */
#define WF_SESSION_METHOD_SIZE 16U
/* Of one account, at most; the ones used least recently make room. */
#define WF_SESSIONS_OF_ACCOUNT 50U

struct wf_session_settings {
	int64_t idle_ms; /* without a request; at least WF_SESSION_IDLE_MS */
	int64_t total_ms;
};
#define WF_SESSION_IDLE_MS INT64_C(120000)

/* Before the first session is begun or checked. */
void wf_accounts_limit_sessions(
    struct wf_accounts *accounts, const struct wf_session_settings *settings);

/* How somebody has signed in. */
struct wf_session_start {
	/* Was checked, with a password, a token, or by a provider. */
	const struct wf_account *account;
	const char *method; /* "password", "token", "oidc", .. */
	const char *address;
};

/*
 * Makes a session for an account, and its id.  now: ms since 1970, as below.
 * Writes the store: WF_IO, WF_UNAVAILABLE, ..
 */
enum wf_rc wf_session_begin(struct wf_accounts *accounts,
    struct wf_store *store, const struct wf_session_start *start, int64_t now,
    char id_out[WF_SESSION_ID_SIZE], struct wf_error *err) WF_MUSTCHECK;

/* A session as its owner may see it. */
struct wf_session_facts {
	char method[WF_SESSION_METHOD_SIZE];
	int64_t opened_at;
	int64_t ends_at; /* unless it is used */
};

/*
 * The account of a session.  WF_NOT_FOUND: there is no such session, or it has
 * ended.  WF_UNAVAILABLE: this node must read it first: wf_session_read(), from
 * a thread that may wait, then this again.
 */
enum wf_rc wf_session_check(struct wf_accounts *accounts, const char *id,
    int64_t now, struct wf_account *account_out,
    struct wf_error *err) WF_MUSTCHECK;
/* Reads the row, and writes its use.  WF_NOT_FOUND. */
enum wf_rc wf_session_read(struct wf_accounts *accounts, struct wf_store *store,
    const char *id, int64_t now, struct wf_error *err) WF_MUSTCHECK;
/* False: this node does not know it. */
bool wf_session_facts(struct wf_accounts *accounts, const char *id,
    struct wf_session_facts *facts_out);

/*
 * The value that requests of a session which change something send back, so
 * that they cannot be a page's of another site.  It follows from the id.
 */
void wf_session_forgery_value(
    const char *id, char value_out[WF_SESSION_ID_SIZE]);
/* given: what the request has sent, or NULL.  Takes the same time for any. */
bool wf_session_is_answered(const char *id, const char *given);

/* Ends one; nothing happens if there is no such session. */
enum wf_rc wf_session_end(struct wf_accounts *accounts, struct wf_store *store,
    const char *id, struct wf_error *err) WF_MUSTCHECK;
/* Ends all of an account. */
enum wf_rc wf_sessions_end(struct wf_accounts *accounts, struct wf_store *store,
    const char *account, size_t *count_out, struct wf_error *err) WF_MUSTCHECK;

/*
 * Finds out which sessions have ended on other nodes, of those that
 * wf_accounts_has() is asked for, and removes rows of ended ones: a bounded
 * number of both.  Call it each second.
 */
enum wf_rc wf_sessions_refresh(struct wf_accounts *accounts,
    struct wf_store *store, int64_t now, struct wf_error *err) WF_MUSTCHECK;

#endif
