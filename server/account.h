/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accounts: who may do what.
 *
 * They are records of the store, so all nodes have the same.  A token is
 * random and stored as its hash; a password is stored by argon2id, and one
 * that was right is remembered for a while by a keyed hash, because argon2id
 * is slow on purpose.
 */
#ifndef WF_SERVER_ACCOUNT_H
#define WF_SERVER_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "persistence/store.h"

/* Each may do what those before it may. */
enum wf_role { WF_READER, WF_WORKER, WF_OPERATOR, WF_ADMIN };

#define WF_ACCOUNT_NAME_SIZE 65
/* A token as text, with its NUL: "weft_" and 43 characters of base64url. */
#define WF_TOKEN_SIZE 49

struct wf_account {
	char name[WF_ACCOUNT_NAME_SIZE]; /* 1 to 64 of [A-Za-z0-9_.@-] */
	uint32_t namespace_id;
	enum wf_role role;
	uint64_t stamp; /* another one after a reset; set by these functions */
};

const char *wf_role_name(enum wf_role role);
/* False when there is no such role. */
bool wf_role_find(const char *name, enum wf_role *role_out);

/* --- in the store; offline as well -----------------------------------------
 */

/*
 * Adds an account with a new token, or gives an old one a new token (reset).
 * password: NULL for none.  WF_CONFLICT: it is there already; WF_NOT_FOUND: it
 * is not; WF_INVALID: no name, or a password of less than 8 bytes.
 */
enum wf_rc wf_account_add(struct wf_store *store,
    const struct wf_account *account, const char *password,
    char token_out[WF_TOKEN_SIZE], struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_account_reset(struct wf_store *store, const char *name,
    const char *password, char token_out[WF_TOKEN_SIZE],
    struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_account_remove(struct wf_store *store, const char *name,
    struct wf_error *err) WF_MUSTCHECK;
/* By name, in the arena. */
enum wf_rc wf_account_list(struct wf_store *store, struct wf_arena *arena,
    struct wf_account **accounts_out, size_t *count_out,
    struct wf_error *err) WF_MUSTCHECK;

/* --- in memory, for a server ------------------------------------------------
 */

struct wf_accounts; /* opaque; safe for all threads */

enum wf_rc wf_accounts_open(struct wf_accounts **accounts_out,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
void wf_accounts_close(struct wf_accounts **accounts);
/* Reads what other nodes, or the command line, have changed. */
enum wf_rc wf_accounts_refresh(struct wf_accounts *accounts,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
/*
 * authorization: the header's value, or NULL.  WF_NOT_FOUND: nobody, or a
 * wrong token or password.  WF_UNAVAILABLE: a password that was not checked
 * lately, and slowly is false: ask again from a thread that may take 100 ms.
 */
enum wf_rc wf_accounts_check(struct wf_accounts *accounts,
    const char *authorization, bool slowly, struct wf_account *account_out,
    struct wf_error *err) WF_MUSTCHECK;

/* Whether it is there still, as it was when it was checked. */
bool wf_accounts_has(
    struct wf_accounts *accounts, const struct wf_account *account);

#endif
