/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rights: grants of verbs on objects.  As text a grant is a verb or a role of
 * rights.def and, unless it holds for all of the account's own namespace, an
 * object:
 *
 *   "operator"                "start process:Expense"
 *   "work service:mailer"     "load namespace:7"      "admin everything"
 *
 * A process is named by the identifier of its specification, or by its URI if
 * it has none; a service by its name.  Processes and services are those of the
 * account's own namespace.  Names are kept as hashes, so that rights have a
 * fixed size, are copied with the account, and are checked without memory.
 */
#ifndef WF_IDENTITY_RIGHTS_H
#define WF_IDENTITY_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum wf_verb {
#define WF_VERB(name, text, meaning) WF_VERB_##name,
#include "identity/rights.def"
	WF_VERB_COUNT
};

/* A set of verbs. */
#define WF_MAY(name) (1U << WF_VERB_##name)

/* Grants of one account, or in the scope of a token, at most. */
#define WF_GRANTS 32U
/* The text of a grant without its NUL, at most; the name of its object. */
#define WF_GRANT_BYTES 1200U
#define WF_OBJECT_BYTES 1000U

enum wf_object_kind {
	WF_OBJECT_HOME, /* all of the account's namespace */
	WF_OBJECT_EVERYTHING,
	WF_OBJECT_NAMESPACE,
	WF_OBJECT_PROCESS,
	WF_OBJECT_SERVICE
};

struct wf_grant {
	uint32_t verbs;
	enum wf_object_kind kind;
	uint64_t object[2]; /* the namespace; or a hash of a name */
};

/* All bytes count: wf_rights_are_equal(). */
struct wf_rights {
	uint32_t home; /* the verbs of grants on HOME and on EVERYTHING */
	uint32_t everything;
	uint32_t count;
	uint32_t reserved;		   /* 0 */
	struct wf_grant grants[WF_GRANTS]; /* on the other objects */
};

/* What a request is about. */
struct wf_object {
	uint32_t namespace_id;
	const char *process; /* NULL: several, or not known */
	const char *service; /* NULL: none, several, or not known */
};

/* --- texts ---------------------------------------------------------------- */

/* "read or work", for messages; text has room for all names. */
#define WF_VERBS_TEXT 160U
const char *wf_verbs_text(uint32_t verbs, char text[WF_VERBS_TEXT]);
/*
 * Adds a grant.  WF_INVALID: the text is no grant; WF_LIMIT: too many.  Grants
 * on the whole of a namespace do not count.
 */
enum wf_rc wf_rights_add(
    struct wf_rights *rights, const char *text, struct wf_error *err);
/*
 * Whether a grant that is to be made can be of use: WF_INVALID when nothing
 * asks for the verb on that kind of object, so that the grant would allow
 * nothing.  The text is one that wf_rights_add() takes.  Grants that exist are
 * read all the same.
 */
enum wf_rc wf_grant_check(const char *text, struct wf_error *err) WF_MUSTCHECK;
/* Whether it is a role: the name of a bundle. */
bool wf_is_role(const char *name);
/*
 * The role whose verbs the rights have on the whole of the own namespace, and
 * no other verbs there; "": none.
 */
const char *wf_rights_role(const struct wf_rights *rights);

/* --- checks --------------------------------------------------------------- */

/* Whether they allow one of the verbs; home: the account's own namespace. */
bool wf_rights_allow(const struct wf_rights *rights, uint32_t home,
    uint32_t verbs, const struct wf_object *object);
/* Whether they allow one of the verbs on anything in that namespace. */
bool wf_rights_allow_some(const struct wf_rights *rights, uint32_t home,
    uint32_t verbs, uint32_t namespace_id);
/*
 * Whether whoever has rights may give others: each verb and object of others
 * is allowed by them.  home, others_home: the own namespaces of the two.
 */
bool wf_rights_cover(const struct wf_rights *rights, uint32_t home,
    const struct wf_rights *others, uint32_t others_home);
bool wf_rights_are_equal(const struct wf_rights *a, const struct wf_rights *b);

#endif
