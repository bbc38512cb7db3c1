/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accounts whose proof others keep: people of a directory (LDAP) or of a
 * provider (OpenID Connect), and machines with tokens (JWT) of their provider.
 *
 *   password ─► accounts ─► DIRECTORY ─► person ┐
 *   browser ──────────────► PROVIDER ──► person ┴► account and participant
 *   token ────► accounts ─► MACHINES ──► an account, or a guest with grants
 *
 * Whoever signs in gets an account with that source, and a participant of the
 * same name; groups give grants to the one and roles to the other.  A name that
 * belongs to an account of Weft itself is refused.  A thread brings those of
 * the directory up to date; who is no longer there is disabled, not removed.
 *
 * The calls wait for other servers; the caller's thread must be one that may.
 */
#ifndef WF_IDENTITY_FEDERATION_FEDERATION_H
#define WF_IDENTITY_FEDERATION_FEDERATION_H

#include "identity/account.h"
#include "identity/federation/group_map.h"
#include "identity/provider/issuer.h"
#include "identity/provider/ldap.h"
#include "identity/provider/oidc.h"
#include "runtime/engine.h"
#include "worklist/org_cache.h"

/* Providers of machines. */
#define WF_MACHINE_ISSUERS 8U

struct wf_federation_notice {
	const char *event; /* "directory_fails" */
	bool is_fault;
	const char *account; /* NULL: none */
	const char *text;    /* NULL: none */
};

struct wf_federation_settings {
	struct wf_ldap_settings ldap; /* url "": none */
	const char *ldap_password_file;
	/* "name=uid first-name=givenName ..": the attributes of ldap. */
	const char *ldap_attributes;
	struct wf_group_map ldap_roles;
	struct wf_group_map ldap_grants;
	int64_t ldap_refresh_ms;      /* 0: never */
	int64_t ldap_cache_ms;	      /* a password counts so long; 0: not */
	struct wf_oidc_settings oidc; /* issuer.url "": none */
	const char *oidc_secret_file;
	struct wf_group_map oidc_roles;
	struct wf_group_map oidc_grants;
	const char *jwt_issuers; /* separated by blanks; "": none */
	const char *jwt_audience;
	const char *jwt_name;  /* the claim that says who it is */
	const char *jwt_roles; /* the claim whose values give grants */
	struct wf_group_map jwt_accounts;
	struct wf_group_map jwt_grants;
	const char *provider_ca;
	int64_t provider_timeout_ms;
	const struct wf_address_ranges *allowed;
	/* What is to be logged; called by any thread. */
	void (*report)(
	    void *context, const struct wf_federation_notice *notice);
	void *context;
};

/* Nobody else keeps accounts. */
void wf_federation_settings_init(struct wf_federation_settings *settings);

struct wf_federation_counts {
	uint64_t passed; /* sign-ins with the directory */
	uint64_t refused;
	uint64_t failed; /* it did not answer */
	uint64_t refreshes;
	uint64_t tokens; /* of machines, that were verified */
	uint64_t tokens_refused;
	bool is_down; /* the directory, the last time */
};

/*
 * Checks the settings and reads the files with secrets; *federation_out NULL:
 * none of it is wanted.  The texts must outlive it.  WF_INVALID, WF_UNSUPPORTED
 * with the name of the setting; WF_IO: a file.
 */
enum wf_rc wf_federation_new(struct wf_federation **federation_out,
    const struct wf_federation_settings *settings,
    struct wf_error *err) WF_MUSTCHECK;
/* What was started must be stopped. */
void wf_federation_free(struct wf_federation **federation);

/* Before the calls below; all must outlive it.  Begins to refresh. */
enum wf_rc wf_federation_start(struct wf_federation *federation,
    struct wf_engine *engine, struct wf_accounts *accounts,
    struct wf_org_cache *organisation, struct wf_error *err) WF_MUSTCHECK;
/* Ends the thread, and the calls that wait for a provider. */
void wf_federation_stop(struct wf_federation *federation);
void wf_federation_read_counts(
    struct wf_federation *federation, struct wf_federation_counts *counts_out);

/* --- directory.c ---------------------------------------------------------- */

/* NULL is none. */
bool wf_federation_has_directory(const struct wf_federation *federation);
/* How long a password that the directory has accepted counts, in ms. */
int64_t wf_federation_cache_ms(const struct wf_federation *federation);
/*
 * The account's name, which is in memory with its account then.  WF_NOT_FOUND:
 * the name or the password is wrong; WF_UNAVAILABLE: the directory does not
 * answer; WF_CONFLICT: the name is that of another account.
 */
enum wf_rc wf_federation_sign_in(struct wf_federation *federation,
    const char *name, const char *password,
    char account_out[WF_ACCOUNT_NAME_BYTES + 1],
    struct wf_error *err) WF_MUSTCHECK;

/* --- browser.c ------------------------------------------------------------ */

/* NULL is none. */
bool wf_federation_has_provider(const struct wf_federation *federation);
/* As wf_oidc_begin() and wf_oidc_finish(), which see; for them, too. */
enum wf_rc wf_federation_begin(struct wf_federation *federation,
    const char *path, struct wf_arena *arena, const char **url_out,
    char cookie_out[WF_OIDC_STATE_SIZE], struct wf_error *err) WF_MUSTCHECK;
/* The account of the person.  WF_DENIED: also, its name is taken. */
enum wf_rc wf_federation_finish(struct wf_federation *federation,
    const struct wf_oidc_return *back, struct wf_arena *arena,
    struct wf_account *account_out, const char **path_out,
    struct wf_error *err) WF_MUSTCHECK;

/* --- machines.c ----------------------------------------------------------- */

/* What a token is good for. */
struct wf_machine {
	char name[WF_ACCOUNT_NAME_BYTES + 1];
	bool is_guest;		 /* else the name is that of an account */
	struct wf_rights rights; /* of a guest */
	int64_t expires_at;	 /* ms since 1970 */
};

/* Whether the text may be a token of a machine; NULL federation: it is none. */
bool wf_federation_takes_token(
    const struct wf_federation *federation, const char *text);
/*
 * WF_DENIED: the token is refused.  WF_UNAVAILABLE: the keys of its issuer are
 * needed; with slowly false and *later_out, call it again with slowly, from a
 * thread that may wait.
 */
enum wf_rc wf_federation_check_token(struct wf_federation *federation,
    const char *text, bool slowly, struct wf_machine *machine_out,
    bool *later_out, struct wf_error *err) WF_MUSTCHECK;

#endif
