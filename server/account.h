/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accounts of the REST interface: names, tokens, passwords and roles.
 *
 * (The clients of YAWL's interfaces are not accounts: see yawl/client.h.)
 *
 * Accounts are records of the store, so all nodes share them; a server keeps
 * them in memory and reads them anew each second.  A token is random and stored
 * as its hash.  A password is stored as its argon2id hash, which is slow to
 * compute on purpose; a password that was correct is remembered as a keyed
 * hash.
 */
#ifndef WF_SERVER_ACCOUNT_H
#define WF_SERVER_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "persistence/store.h"

/* Each role may do everything that the roles before it may. */
enum wf_role { WF_READER, WF_WORKER, WF_OPERATOR, WF_ADMIN };

/*
 * A token as text, with its NUL: "weft_", the first 8 digits of the identity of
 * its store, "_", and 43 characters of base64url.
 */
#define WF_TOKEN_PREFIX_BYTES 14U
#define WF_TOKEN_SIZE (WF_TOKEN_PREFIX_BYTES + 43U + 1U)

struct wf_account {
	char name[WF_ACCOUNT_NAME_BYTES + 1]; /* 1 or more of [A-Za-z0-9_.@-] */
	uint32_t namespace_id;
	enum wf_role role;
	uint64_t stamp; /* changes with each reset; set by these functions */
};

const char *wf_role_name(enum wf_role role);
/* False: there is no such role. */
bool wf_role_find(const char *name, enum wf_role *role_out);

/* --- in the store; also without a server --------------------------------- */

/* Makes a token for an account of that store.  WF_IO: no random numbers. */
enum wf_rc wf_token_make(const struct wf_store *store,
    char token_out[WF_TOKEN_SIZE], struct wf_error *err) WF_MUSTCHECK;
/* Whether the text begins like a token that was made for that store. */
bool wf_token_is_of(const char *text, const struct wf_store *store);
/*
 * Adds an account, or resets one, with a new token.  password: NULL: none.
 * WF_CONFLICT: the account exists; WF_NOT_FOUND: it does not; WF_INVALID: not a
 * name, or a password that is too short or too long.
 */
enum wf_rc wf_account_add(struct wf_store *store,
    const struct wf_account *account, const char *password, const char *token,
    struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_account_reset(struct wf_store *store, const char *name,
    const char *password, const char *token, struct wf_error *err) WF_MUSTCHECK;
/* WF_CONFLICT: no other account would have the role admin. */
enum wf_rc wf_account_remove(struct wf_store *store, const char *name,
    struct wf_error *err) WF_MUSTCHECK;
/* All accounts, sorted by name; in the arena. */
enum wf_rc wf_account_list(struct wf_store *store, struct wf_arena *arena,
    struct wf_account **accounts_out, size_t *count_out,
    struct wf_error *err) WF_MUSTCHECK;

/* --- in memory, for a server --------------------------------------------- */

struct wf_accounts; /* opaque; safe for all threads */

enum wf_rc wf_accounts_open(struct wf_accounts **accounts_out,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
void wf_accounts_close(struct wf_accounts **accounts);
/* Reads what other nodes or the command line have changed. */
enum wf_rc wf_accounts_refresh(struct wf_accounts *accounts,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
/* What a request says of itself. */
struct wf_credentials {
	const char *authorization; /* the value of that header, or NULL */
	const char *address;	   /* of the client */
	/* Set when a password is to be checked: see server/sign_in.h. */
	uint64_t address_key;
	uint64_t name_key;
	unsigned wait; /* of WF_LIMIT: seconds */
};

/*
 * The account that a request names.  WF_NOT_FOUND: no header, or a wrong token
 * or password.  WF_LIMIT: too many passwords were wrong.  WF_UNAVAILABLE:
 * slowly is false and the password must be hashed: call it again with slowly
 * from a thread that may take 100 ms.
 */
enum wf_rc wf_accounts_check(struct wf_accounts *accounts,
    struct wf_credentials *credentials, bool slowly,
    struct wf_account *account_out, struct wf_error *err) WF_MUSTCHECK;

/* Whether the account still exists, unchanged since it was checked. */
bool wf_accounts_has(
    struct wf_accounts *accounts, const struct wf_account *account);

#endif
