/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens, passwords and accounts as they are stored; private to identity/. */
#ifndef WF_IDENTITY_ACCOUNT_PRIV_H
#define WF_IDENTITY_ACCOUNT_PRIV_H

#include <pthread.h>
#include <sodium.h>

#include "base/map.h"
#include "identity/account.h"
#include "identity/federation/federation.h"
#include "identity/sign_in.h"

#define WF_ACCOUNT_KIND "account"
#define WF_HASH_TEXT (2 * WF_TOKEN_HASH + 1)

/* --- account_record.c ----------------------------------------------------- */

/* The value of the record, as a text in the arena. */
const char *wf_account_encode(
    const struct wf_account_row *account, struct wf_arena *arena);
/* WF_CORRUPT. */
enum wf_rc wf_account_decode(const struct wf_record_row *row,
    struct wf_arena *arena, struct wf_account_row *account_out,
    struct wf_error *err) WF_MUSTCHECK;
/* Computes the rights of texts.  WF_INVALID, WF_LIMIT. */
enum wf_rc wf_grants_read(const struct wf_grant_texts *texts,
    struct wf_rights *rights_out, struct wf_error *err) WF_MUSTCHECK;

/* --- secret.c ------------------------------------------------------------- */

enum wf_rc wf_secrets_begin(struct wf_error *err) WF_MUSTCHECK;
void wf_hash_token(
    const char *token, size_t length, unsigned char hash[WF_TOKEN_HASH]);
/* In hexadecimal, for maps. */
void wf_hash_text(
    const unsigned char hash[WF_TOKEN_HASH], char text[WF_HASH_TEXT]);
uint64_t wf_epoch_make(void);

/* As a user may choose it.  WF_INVALID. */
enum wf_rc wf_password_check(
    const char *password, struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_password_hash(const char *password,
    char hash_out[crypto_pwhash_STRBYTES], struct wf_error *err) WF_MUSTCHECK;
/*
 * How a password is held against the hash: as it is, hashed before as YAWL
 * does, or not at all, in the same time.
 */
enum wf_password_form {
	WF_PASSWORD_PLAIN,
	WF_PASSWORD_LEGACY,
	WF_PASSWORD_NONE
};
/* Takes as long if there is no password, so that names cannot be probed. */
bool wf_password_verify(
    const char *hash, enum wf_password_form form, const char *password);

/* --- accounts.c ----------------------------------------------------------- */

struct wf_accounts {
	pthread_mutex_t reading; /* held while the store is read */
	pthread_mutex_t lock;	 /* of what follows; taken after reading */
	uint64_t change;	 /* the last one that was read */
	struct wf_arena *arena;
	size_t waste;		  /* accounts in the arena that were replaced */
	struct wf_map *by_name;	  /* struct wf_account_row */
	struct wf_map *by_token;  /* struct wf_kept_token, by the hash's text */
	struct wf_map *passwords; /* hashes of what was correct */
	struct wf_sign_ins *sign_ins; /* has a lock of its own */
	struct wf_sessions *sessions;
	wf_legacy_f renew; /* NULL: passwords of YAWL stay */
	void *renew_context;
	/* What the directory has accepted: struct wf_proved, by such hashes. */
	struct wf_map *proved;
	struct wf_arena *proved_arena;
	struct wf_federation *federation; /* NULL: none */
	unsigned char key[crypto_generichash_KEYBYTES];
};

struct wf_kept_token {
	const struct wf_account_row *account;
	const struct wf_token_row *token;
};

/* A name and password that the directory has accepted. */
struct wf_proved {
	char account[WF_ACCOUNT_NAME_BYTES + 1];
	uint64_t epoch; /* of the account */
	int64_t until;	/* monotonic ms */
};

/* As a request has it; the lock is held. */
void wf_account_begin(
    const struct wf_account_row *row, struct wf_account *account_out);
/* The same; false: there is none, or it is a later one.  The lock is held. */
bool wf_accounts_begin_epoch(struct wf_accounts *accounts, const char *name,
    uint64_t epoch, struct wf_account *account_out);
/* False: there is none, or it has expired.  The lock is held. */
bool wf_accounts_find_token(struct wf_accounts *accounts,
    const unsigned char hash[WF_TOKEN_HASH], struct wf_account *account_out);

#endif
