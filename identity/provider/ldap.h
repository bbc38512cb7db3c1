/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A directory (LDAP): sign-in of people, and the list of all of them.
 *
 *   sign-in: connect ─► TLS ─► bind as Weft ─► search the name ─► its groups
 *            ─► bind as the one entry that was found, with the password
 *   list:    connect ─► TLS ─► bind as Weft ─► all people ─► all groups
 *
 * Each call opens a connection of its own, waits for the directory within its
 * time-out, and follows no referral.  An empty password never reaches the
 * directory: to it, that would be a bind without a name, which succeeds.
 */
#ifndef WF_IDENTITY_PROVIDER_LDAP_H
#define WF_IDENTITY_PROVIDER_LDAP_H

#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "identity/provider/person.h"

/* Bases of a search, and entries that one search reads at a time. */
#define WF_LDAP_BASES 8U
#define WF_LDAP_PAGE 500

struct wf_ldap_settings {
	const char *url;	/* ldaps://.. or ldap://..; "": no directory */
	bool plain;		/* ldap:// without StartTLS */
	const char *ca;		/* file of certificates; "": the system's */
	const char *bind;	/* DN of Weft; "": it binds without a name */
	const char *password;	/* of that DN */
	const char *bases;	/* DNs, separated by ";" */
	const char *filter;	/* with %u */
	const char *group_base; /* "": groups are in memberOf of people */
	const char *group_filter; /* with %d or %u */
	/* Attributes; "": it is not read. */
	const char *name;
	const char *first_name;
	const char *last_name;
	const char *mail;
	const char *group_name;
	int64_t timeout_ms; /* of each step */
	uint32_t maximum;   /* people, and groups, that a list reads */
};

/*
 * WF_INVALID: a setting makes no sense; WF_UNSUPPORTED: this program was built
 * without libldap.
 */
enum wf_rc wf_ldap_check(
    const struct wf_ldap_settings *settings, struct wf_error *err) WF_MUSTCHECK;

/*
 * The person, in the arena.  WF_NOT_FOUND: the name or the password is wrong;
 * WF_UNAVAILABLE: the directory cannot be used now.
 */
enum wf_rc wf_ldap_sign_in(const struct wf_ldap_settings *settings,
    const char *name, const char *password, struct wf_arena *arena,
    struct wf_person *person_out, struct wf_error *err) WF_MUSTCHECK;

/*
 * All people, in the arena, in no order; those without a name that an account
 * can have are left out.  WF_LIMIT: there are more than the maximum.
 */
enum wf_rc wf_ldap_list(const struct wf_ldap_settings *settings,
    struct wf_arena *arena, struct wf_person **people_out, size_t *count_out,
    struct wf_error *err) WF_MUSTCHECK;

#endif
