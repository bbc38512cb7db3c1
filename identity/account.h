/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accounts: names, rights, passwords and tokens.
 *
 * (The clients of YAWL's interfaces are not accounts: see yawl/client.h.)
 *
 * Accounts are records of the store, so all nodes share them; a server keeps
 * them in memory and reads them anew each second.  A token is random and stored
 * as its hash.  A password is stored as its argon2id hash, which is slow to
 * compute on purpose; a password that was correct is remembered as a keyed
 * hash.
 *
 * The epoch of an account is a random number, made with the account and again
 * with each new or removed password and each reset: what was proved in another
 * epoch, such as a session, is void.
 */
#ifndef WF_IDENTITY_ACCOUNT_H
#define WF_IDENTITY_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "identity/rights.h"
#include "persistence/store.h"

/*
 * A token as text, with its NUL: "weft_", the first 8 digits of the identity of
 * its store, "_", and 43 characters of base64url.
 */
#define WF_TOKEN_PREFIX_BYTES 14U
#define WF_TOKEN_SIZE (WF_TOKEN_PREFIX_BYTES + 43U + 1U)
#define WF_TOKEN_HASH 32U
/* Tokens of one account, at most. */
#define WF_TOKENS 32U
/* The token that a new account, or one that is reset, gets. */
#define WF_FIRST_TOKEN "first"

/* How a request has proved who asks. */
enum wf_proof {
	WF_PROOF_TOKEN,
	WF_PROOF_PASSWORD,
	WF_PROOF_SESSION,
	WF_PROOF_TICKET, /* see identity/ticket.h */
	/* By a token of a provider: see identity/federation/federation.h. */
	WF_PROOF_MACHINE
};

/* An account that was checked, as a request has it. */
struct wf_account {
	char name[WF_ACCOUNT_NAME_BYTES + 1]; /* 1 or more of [A-Za-z0-9_.@-] */
	uint32_t namespace_id; /* that the request is for; first the own one */
	uint32_t home;	       /* the own one */
	uint64_t epoch;
	struct wf_rights rights;
	/* Narrows the rights: that of the token, if it has one. */
	struct wf_rights scope;
	bool is_scoped;
	enum wf_proof proof;
	bool is_guest;	    /* of a token only: the store has no such account */
	int64_t expires_at; /* of its token; ms since 1970; 0: never */
	unsigned char key[WF_TOKEN_HASH]; /* of the token or session */
	bool has_token; /* of a session: it was opened with that token */
	unsigned char token[WF_TOKEN_HASH];
};

/* Whether it may do one of the verbs, on an object or on any object. */
bool wf_account_may(const struct wf_account *account, uint32_t verbs,
    const struct wf_object *object);
bool wf_account_may_some(
    const struct wf_account *account, uint32_t verbs, uint32_t namespace_id);

/* --- in the store; also without a server --------------------------------- */

/* A set of grants, as texts. */
struct wf_grant_texts {
	const char **texts;
	size_t count;
};

struct wf_token_row {
	const char *name;
	unsigned char hash[WF_TOKEN_HASH];
	struct wf_grant_texts scope; /* none: all rights of the account */
	struct wf_rights rights;     /* of the scope */
	int64_t created_at;
	int64_t expires_at; /* 0: never */
};

/* An account as it is stored. */
struct wf_account_row {
	const char *name;
	uint32_t namespace_id; /* the own one */
	uint64_t epoch;
	struct wf_grant_texts grants;
	struct wf_rights rights; /* of the grants */
	const char *password;	 /* argon2id's text; "": none */
	bool is_legacy;		 /* of Base64(SHA-1(password)), from YAWL */
	bool is_disabled;	 /* nobody can sign in, or use a token */
	/*
	 * Who checks its password and keeps its grants: WF_SOURCE_DIRECTORY,
	 * WF_SOURCE_PROVIDER; "": Weft.  And how that one calls it.
	 */
	const char *source;
	const char *subject;
	bool is_gone; /* its source has it no longer: nothing proves it */
	int64_t created_at;
	struct wf_token_row *tokens;
	size_t token_count;
	uint64_t change; /* of the record; not read when it is written */
};

#define WF_SOURCE_DIRECTORY "directory"
#define WF_SOURCE_PROVIDER "provider"

struct wf_account_rows {
	struct wf_account_row *rows; /* by name */
	size_t count;
	const char **damaged; /* names of those that are left out */
	size_t damaged_count;
};

/* Makes a token for an account of that store.  WF_IO: no random numbers. */
enum wf_rc wf_token_make(const struct wf_store *store,
    char token_out[WF_TOKEN_SIZE], struct wf_error *err) WF_MUSTCHECK;
/* Whether the text begins like a token that was made for that store. */
bool wf_token_is_of(const char *text, const struct wf_store *store);

/*
 * Adds an account of that name, namespace and grants, with a password and a
 * token, each of which may be NULL: none.  WF_CONFLICT: it exists; WF_INVALID:
 * not a name, not a grant, or a password that is too short or too long.
 */
enum wf_rc wf_account_add(struct wf_store *store,
    const struct wf_account_row *account, const char *password,
    const char *token, struct wf_error *err) WF_MUSTCHECK;
/*
 * Replaces the password and all tokens; either may be NULL: none.  WF_NOT_FOUND
 * for this and the next ones.
 */
enum wf_rc wf_account_reset(struct wf_store *store, const char *name,
    const char *password, const char *token, struct wf_error *err) WF_MUSTCHECK;
/* Replaces the password; NULL: none. */
enum wf_rc wf_account_set_password(struct wf_store *store, const char *name,
    const char *password, struct wf_error *err) WF_MUSTCHECK;
/* WF_CONFLICT: no other account would have the right to administer. */
enum wf_rc wf_account_remove(struct wf_store *store, const char *name,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Adds a token with the name, scope and time of expiry of row.  WF_CONFLICT:
 * the account has a token of that name; WF_LIMIT: it has WF_TOKENS.
 */
enum wf_rc wf_account_add_token(struct wf_store *store, const char *name,
    const struct wf_token_row *row, const char *token,
    struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_account_remove_token(struct wf_store *store, const char *name,
    const char *token_name, struct wf_error *err) WF_MUSTCHECK;
/*
 * Replaces a legacy password by the same one hashed directly, if the account is
 * still of that epoch; the epoch stays.
 */
enum wf_rc wf_account_renew_password(struct wf_store *store, const char *name,
    uint64_t epoch, const char *password, struct wf_error *err) WF_MUSTCHECK;

/* Who changes an account, and what must still be so. */
struct wf_account_guard {
	/*
	 * Must have the right to administer the namespace of the account, and
	 * all rights that the account has and gets.  NULL: whoever can write to
	 * the store.
	 */
	const struct wf_account *by;
	bool own_is_enough; /* its own account it may change without */
	uint64_t expected;  /* the change of the record that was read; 0: any */
};

/* What is to change of an account; NULL: it stays. */
struct wf_account_change {
	const struct wf_grant_texts *grants; /* instead of those that it has */
	/* To those, and from those; of what is to be added it may have some. */
	const struct wf_grant_texts *added;
	const struct wf_grant_texts *removed;
	const char *password; /* "": it has none from now on */
	const bool *is_disabled;
};

/*
 * The same as above for others than whoever has the store.  WF_DENIED: they may
 * not; WF_CONFLICT: the account has been changed since it was read, has not
 * what is to be removed, or no other one would have the right to administer.
 *
 * wf_account_add_as(): row is of the token, as wf_account_add_token() has it;
 * NULL: none.  guard NULL: for whoever has the store.
 */
enum wf_rc wf_account_add_as(struct wf_store *store,
    const struct wf_account_row *account, const char *password,
    const struct wf_token_row *row, const char *token,
    const struct wf_account_guard *guard, struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_account_change_as(struct wf_store *store, const char *name,
    const struct wf_account_change *change,
    const struct wf_account_guard *guard, struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_account_remove_as(struct wf_store *store, const char *name,
    const struct wf_account_guard *guard, struct wf_error *err) WF_MUSTCHECK;
/* A token without scope needs a guard whose account has none either. */
enum wf_rc wf_account_add_token_as(struct wf_store *store, const char *name,
    const struct wf_token_row *row, const char *token,
    const struct wf_account_guard *guard, struct wf_error *err) WF_MUSTCHECK;
/* A scope of the guard's account must have all rights of the token. */
enum wf_rc wf_account_remove_token_as(struct wf_store *store, const char *name,
    const char *token_name, const struct wf_account_guard *guard,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Adds an account of a directory or provider, or brings its grants, its subject
 * and whether it is gone up to date; nothing is written if nothing changes.
 * WF_CONFLICT: an account of that name is not of the source, or with
 * WF_SOURCE_PROVIDER is of another subject.
 */
enum wf_rc wf_account_put_external(struct wf_store *store,
    const struct wf_account_row *account, struct wf_error *err) WF_MUSTCHECK;

/* One account, and all of them; in the arena. */
enum wf_rc wf_account_find(struct wf_store *store, const char *name,
    struct wf_arena *arena, struct wf_account_row *account_out,
    struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_account_list(struct wf_store *store, struct wf_arena *arena,
    struct wf_account_rows *rows_out, struct wf_error *err) WF_MUSTCHECK;

/* --- in memory, for a server --------------------------------------------- */

struct wf_accounts; /* opaque; safe for all threads */

enum wf_rc wf_accounts_open(struct wf_accounts **accounts_out,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
void wf_accounts_close(struct wf_accounts **accounts);
/* Reads what other nodes or the command line have changed. */
enum wf_rc wf_accounts_refresh(struct wf_accounts *accounts,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
/*
 * Called when a password that came from YAWL was correct, by the thread that
 * has computed it: may replace it, by wf_account_renew_password().
 */
typedef void (*wf_legacy_f)(
    void *context, const char *name, uint64_t epoch, const char *password);
void wf_accounts_on_legacy(
    struct wf_accounts *accounts, wf_legacy_f renew, void *context);
struct wf_federation; /* in identity/federation/federation.h */
/* Whom the passwords and tokens of others are checked with; or NULL. */
void wf_accounts_federate(
    struct wf_accounts *accounts, struct wf_federation *federation);

/*
 * An account of that source, whose proof the caller has seen.  False: there is
 * none, or nobody may use it.
 */
bool wf_accounts_begin_external(struct wf_accounts *accounts, const char *name,
    const char *source, struct wf_account *account_out);

/* What a request says of itself. */
struct wf_credentials {
	const char *authorization; /* the value of that header, or NULL */
	/* Of a form, instead: a name and password, or NULL. */
	const char *name;
	const char *password;
	/*
	 * The password of the form is Base64(SHA-1(password)), as YAWL's
	 * clients send it: only an account whose password came so can have it,
	 * and no directory is asked.
	 */
	bool is_hashed;
	const char *address; /* of the client */
	/* The thread may wait for other servers; it is one that may hash. */
	bool may_ask;
	/* Set: with slowly and may_ask, in that thread, it can be decided. */
	bool asks;
	bool is_later; /* set: decide it in another thread */
	/* Set when a password is to be checked: see identity/sign_in.h. */
	uint64_t address_key;
	uint64_t name_key;
	unsigned wait; /* of WF_LIMIT: seconds */
	/* Of a password: the account has it, or has not; else "" */
	char known[WF_ACCOUNT_NAME_BYTES + 1];
	bool was_computed; /* it was not remembered */
};

/*
 * The account that a request names.  WF_NOT_FOUND: no header, or a wrong token
 * or password.  WF_LIMIT: too many passwords were wrong.  WF_UNAVAILABLE with
 * is_later: the password must be hashed (call it again with slowly from a
 * thread that may take 100 ms), or with asks, another server must be asked
 * (call it again with slowly and may_ask from a thread that may wait for
 * seconds). WF_UNAVAILABLE without: that server does not answer.
 */
enum wf_rc wf_accounts_check(struct wf_accounts *accounts,
    struct wf_credentials *credentials, bool slowly,
    struct wf_account *account_out, struct wf_error *err) WF_MUSTCHECK;

/*
 * The texts of its grants, and of the scope of its token; in the arena.  None
 * if it has been removed meanwhile.
 */
void wf_accounts_show(struct wf_accounts *accounts,
    const struct wf_account *account, struct wf_arena *arena,
    struct wf_grant_texts *grants_out, struct wf_grant_texts *scope_out);

/*
 * Whether the account still exists with the same rights, and what proved it
 * still holds.
 */
bool wf_accounts_has(
    struct wf_accounts *accounts, const struct wf_account *account);

#endif
