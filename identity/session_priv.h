/* SPDX-License-Identifier: Apache-2.0 */
/* The sessions that a node knows; private to identity/. */
#ifndef WF_IDENTITY_SESSION_PRIV_H
#define WF_IDENTITY_SESSION_PRIV_H

#include "identity/account_priv.h"
#include "identity/session.h"

/* A session that was read, or that is asked for. */
struct wf_kept_session {
	struct wf_kept_session *newer; /* used more recently */
	struct wf_kept_session *older;
	char key[WF_HASH_TEXT];
	bool is_ended;
	int64_t read_at; /* of what follows; 0: it was not read */
	char account[WF_ACCOUNT_NAME_BYTES + 1];
	uint64_t epoch; /* of the account */
	bool has_token; /* one has opened it */
	unsigned char token[WF_TOKEN_HASH];
	struct wf_session_facts facts;
	/* Of what wf_accounts_has() asks for. */
	int64_t wanted_at; /* 0: never */
	int64_t seen_at;   /* when the store was asked whether it is open */
};

struct wf_sessions {
	struct wf_session_settings settings;
	struct wf_map *by_key;
	struct wf_kept_session *newest;
	struct wf_kept_session *oldest;
	int64_t swept_at; /* of the refreshing thread */
};

/* --- session_table.c: the lock of the accounts is held -------------------- */

struct wf_sessions *wf_sessions_new(void);
void wf_sessions_free(struct wf_sessions **sessions);
/* NULL: it is not known.  It becomes the newest. */
struct wf_kept_session *wf_sessions_find(
    struct wf_sessions *sessions, const char *key);
/* The same; it is made if it is not known. */
struct wf_kept_session *wf_sessions_make(
    struct wf_sessions *sessions, const char *key);

/* --- session.c ------------------------------------------------------------ */

/* A secret that nobody can guess, as text. */
void wf_session_make_id(char id[WF_SESSION_ID_SIZE]);

/* For wf_accounts_has(): has not been ended, as far as is known. */
bool wf_session_is_open(
    struct wf_sessions *sessions, const struct wf_account *account);

#endif
